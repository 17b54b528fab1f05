/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disks as memory nodes: the program's functions behind the table of a node. Transfers are the
 * disk's asynchronous ones, where it has them; in any case the node's mover waits for them while
 * workers go on.
 */
#include "runtime/task/complain.h"
#include "disk.h"
#include "handle.h"
#include "copy.h"
#include "runtime/memory/memory.h"
#include "replica.h"
#include "runtime/task/driver.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct disk {
	const struct starpu_disk_ops *ops;
	void *base;
};
int starpu_disk_swap_node = -1;

/* For programs that use libraries that this build has not: registering fails with a message. */
struct starpu_disk_ops starpu_disk_hdf5_ops;
struct starpu_disk_ops starpu_disk_leveldb_ops;

static struct disk *disk_of(unsigned node)
{
	RT_EXPECT(node < weft_load_u32(&rt_n_nodes) && rt_nodes[node].kind == STARPU_DISK_RAM, "node %u is no disk", node);
	return rt_nodes[node].base;
}

static uintptr_t disk_alloc(unsigned node, size_t size, int flags)
{
	struct disk *d = disk_of(node);
	(void)flags;
	return (uintptr_t)d->ops->alloc(d->base, size);
}

static void disk_free(unsigned node, uintptr_t addr, size_t size, int flags)
{
	struct disk *d = disk_of(node);
	(void)flags;
	d->ops->free(d->base, (void *)addr, size);
}

/* With the disk's own requests; NULL: it has none, or cannot now. */
static void *request(const struct disk *d, bool reads, const struct rt_place *here, void *buf, size_t size)
{
	const struct starpu_disk_ops *o = d->ops;
	void *(*begin)(void *, void *, void *, off_t, size_t) = reads ? o->async_read : o->async_write;
	if (!begin || !o->wait_request || !o->test_request || !o->free_request || rt_machine.conf.disable_asynchronous_copy > 0)
		return NULL;
	return begin(d->base, (void *)here->base, buf, (off_t)here->offset, size);
}

static int disk_copy(const struct rt_place *from, const struct rt_place *to, size_t size, struct rt_async *async)
{
	bool reads = rt_nodes[from->node].kind == STARPU_DISK_RAM;
	const struct rt_place *here = reads ? from : to, *ram = reads ? to : from;
	struct disk *d = disk_of(here->node);
	void *obj = (void *)here->base, *buf = (char *)ram->base + ram->offset;
	if (rt_nodes[ram->node].kind != STARPU_CPU_RAM)
		return -ENOSYS;
	void *event = async ? request(d, reads, here, buf, size) : NULL;
	if (event) {
		struct rt_pending p = {d->ops->wait_request, d->ops->free_request, event};
		return rt_async_add(async, &p) ? 0 : -EAGAIN;
	}
	if (reads)
		return d->ops->read(d->base, obj, buf, (off_t)here->offset, size) < 0 ? -EIO : 0;
	return d->ops->write(d->base, obj, buf, (off_t)here->offset, size) ? -EIO : 0;
}

static const struct rt_node_ops disk_node_ops = {.alloc = disk_alloc, .free = disk_free, .copy = disk_copy};

/* The object with the packed form of an interface without any_to_any. */
static void *object_of(starpu_data_handle_t h, unsigned node)
{
	if (h->ops->to_pointer)
		return h->ops->to_pointer(h->replica[node].interface, node);
	return h->ops->handle_to_pointer ? h->ops->handle_to_pointer(h, node) : NULL;
}

int rt_disk_write_whole(starpu_data_handle_t h, unsigned node, void *data, size_t size)
{
	struct disk *d = disk_of(node);
	void *obj = object_of(h, node);
	if (!obj || !d->ops->full_write)
		return -ENOSYS;
	return d->ops->full_write(d->base, obj, data, size) ? -EIO : 0;
}

int rt_disk_read_whole(starpu_data_handle_t h, unsigned node, void **data, size_t *size)
{
	struct disk *d = disk_of(node);
	void *obj = object_of(h, node);
	if (!obj || !d->ops->full_read)
		return -ENOSYS;
	return d->ops->full_read(d->base, obj, data, size, STARPU_MAIN_RAM) ? -EIO : 0;
}

int starpu_disk_register(struct starpu_disk_ops *func, void *parameter, starpu_ssize_t size)
{
	RT_EXPECT(rt_data.runtime, "%s: a disk can be registered after starpu_init() only", __func__);
	if (!func->plug || !func->alloc || !func->read || !func->write)
		return -ENOSYS;
	if (size >= 0 && size < STARPU_DISK_SIZE_MIN)
		return -EINVAL;
	struct disk *d = malloc(sizeof *d);
	if (!d)
		return -ENOMEM;
	*d = (struct disk){func, func->plug(parameter, size)};
	int node = d->base ? rt_node_add(STARPU_DISK_RAM, 0, &disk_node_ops, d, size) : -ENOENT;
	if (node < 0) {
		if (d->base)
			func->unplug(d->base);
		free(d);
		return node;
	}
	rt_machine_add_node(&rt_machine, STARPU_DISK_RAM, 0, "Disk");
	/* From now on values may be elsewhere than in main memory. */
	rt_replica_lock();
	for (struct _starpu_data_state *h = rt_data.handles; h; h = h->next)
		weft_store_ptr(&h->plain, NULL);
	rt_replica_unlock();
	if (func->bandwidth)
		func->bandwidth((unsigned)node, d->base);
	return node;
}

void *starpu_disk_open(unsigned node, void *pos, size_t size)
{
	struct disk *d = disk_of(node);
	return d->ops->open ? d->ops->open(d->base, pos, size) : NULL;
}

void starpu_disk_close(unsigned node, void *obj, size_t size)
{
	struct disk *d = disk_of(node);
	if (d->ops->close)
		d->ops->close(d->base, obj, size);
}

void rt_disks_begin(void)
{
	static const struct {
		const char *name;
		struct starpu_disk_ops *ops;
	} backends[] = {{"unistd", &starpu_disk_unistd_ops},
	                {"unistd_o_direct", &starpu_disk_unistd_o_direct_ops},
	                {"stdio", &starpu_disk_stdio_ops},
	                {"hdf5", &starpu_disk_hdf5_ops},
	                {"leveldb", &starpu_disk_leveldb_ops}};
	const char *path = getenv("STARPU_DISK_SWAP"), *asked = getenv("STARPU_DISK_SWAP_BACKEND");
	const char *backend = asked && *asked ? asked : "unistd";
	starpu_disk_swap_node = -1;
	if (!path || !*path)
		return;
	int rc = -ENOSYS, mb = rt_env_number("STARPU_DISK_SWAP_SIZE", 1, INT_MAX, -1);
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
		if (!strcmp(backends[i].name, backend))
			rc = starpu_disk_register(backends[i].ops, (void *)(uintptr_t)path,
			                          mb > 0 ? (starpu_ssize_t)mb << 20 : -1);
	if (rc < 0)
		fprintf(stderr, "starpu: cannot swap to '%s' by '%s' (STARPU_DISK_SWAP, _BACKEND): %s\n", path, backend,
		        strerror(-rc));
	else
		starpu_disk_swap_node = rc;
}

void rt_disks_end(void)
{
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (rt_nodes[i].kind == STARPU_DISK_RAM) {
			struct disk *d = rt_nodes[i].base;
			if (d->ops->unplug)
				d->ops->unplug(d->base);
			free(d);
		}
	starpu_disk_swap_node = -1;
}
