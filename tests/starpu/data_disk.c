/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disks as memory: moving there and back, registering what lies there, main memory that is too small for all data, and a random
 * walk (tasks, acquisitions, evictions, prefetches, partitions) whose every value is compared with a model.
 */
#include "data_check.h"
#include <stdbool.h>
#include <unistd.h>

static char folder[] = "/tmp/starpu-disk-XXXXXX";

static void multiply(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = v[i] * 3 + (unsigned)(uintptr_t)arg;
}
static struct starpu_codelet multiplies = {.cpu_funcs = {multiply}, .nbuffers = 1, .modes = {STARPU_RW}};
static void fill(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = (unsigned)(uintptr_t)arg;
}
static struct starpu_codelet fills = {.cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}};

static int add_disk(struct starpu_disk_ops *ops)
{
	int node = starpu_disk_register(ops, folder, (starpu_ssize_t)64 << 20);
	if (node < 0) {
		fprintf(stderr, "starpu_disk_register: %d\n", node);
		exit(1);
	}
	return node;
}

static void check_there_and_back(unsigned disk)
{
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, -1, 0, 10000, sizeof(unsigned));
	submit(&fills, h, (void *)5);
	CHECK(starpu_data_fetch_on_node(h, disk, 0) == 0);
	CHECK(starpu_data_is_on_node(h, disk) && starpu_data_is_on_node(h, STARPU_MAIN_RAM));
	CHECK(starpu_data_evict_from_node(h, STARPU_MAIN_RAM) == 0);
	CHECK(!starpu_data_is_on_node(h, STARPU_MAIN_RAM) && !starpu_data_test_if_allocated_on_node(h, STARPU_MAIN_RAM));
	submit(&multiplies, h, (void *)1);
	starpu_task_wait_for_all();
	CHECK(!starpu_data_is_on_node(h, disk));
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	unsigned *v = starpu_data_get_local_ptr(h);
	CHECK(v[0] == 16 && v[9999] == 16);
	starpu_data_release(h);
	starpu_data_unregister(h);
}

static void check_file(unsigned disk)
{
	char path[64];
	unsigned in[100], out[100];
	for (unsigned i = 0; i < 100; i++)
		in[i] = i;
	snprintf(path, sizeof path, "%s/input", folder);
	FILE *f = fopen(path, "w");
	CHECK(f && fwrite(in, sizeof in, 1, f) == 1 && !fclose(f));
	void *obj = starpu_disk_open(disk, (void *)"input", sizeof in);
	CHECK(obj != NULL);
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, (int)disk, (uintptr_t)obj, 100, sizeof(unsigned));
	submit(&multiplies, h, (void *)2);
	starpu_data_unregister(h);
	starpu_disk_close(disk, obj, sizeof in);
	f = fopen(path, "r");
	CHECK(f && fread(out, sizeof out, 1, f) == 1 && !fclose(f));
	for (unsigned i = 0; i < 100; i++)
		CHECK(out[i] == 3 * i + 2);
	unlink(path);
}

/* -- the random walk -- */

enum { HANDLES = 5, LENGTH = 600, STEPS = 1500 };
static unsigned model[HANDLES][LENGTH];

static void in_model(unsigned k, unsigned from, unsigned to, unsigned add)
{
	for (unsigned i = from; i < to; i++)
		model[k][i] = model[k][i] * 3 + add;
}

static void compare(starpu_data_handle_t h, unsigned k)
{
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(!memcmp(starpu_data_get_local_ptr(h), model[k], sizeof model[k]));
	starpu_data_release(h);
}

static void modify(starpu_data_handle_t h, unsigned k)
{
	CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
	unsigned *v = starpu_data_get_local_ptr(h);
	for (unsigned i = 0; i < LENGTH; i++)
		v[i] = v[i] * 3 + 9;
	starpu_data_release(h);
	in_model(k, 0, LENGTH, 9);
}

static void cut(starpu_data_handle_t h, unsigned k)
{
	struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 1 + random_below(5)};
	starpu_data_partition(h, &f);
	for (unsigned i = 0, at = 0; i < f.nchildren; i++) {
		starpu_data_handle_t part = starpu_data_get_child(h, i);
		unsigned n = (unsigned)starpu_vector_get_nx(part);
		if (random_below(3)) {
			submit(&multiplies, part, (void *)(uintptr_t)i);
			in_model(k, at, at + n, i);
		}
		at += n;
	}
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
}

static void walk(unsigned disk)
{
	starpu_data_handle_t h[HANDLES];
	unsigned home[LENGTH];
	for (unsigned k = 0; k < HANDLES; k++) {
		starpu_vector_data_register(&h[k], k ? -1 : (int)STARPU_MAIN_RAM, k ? 0 : (uintptr_t)home, LENGTH,
		                            sizeof(unsigned));
		submit(&fills, h[k], (void *)(uintptr_t)k);
		for (unsigned i = 0; i < LENGTH; i++)
			model[k][i] = k;
	}
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned k = random_below(HANDLES), node = random_below(disk + 1); /* the newest is the last */
		switch (random_below(8)) {
		case 0:
			compare(h[k], k);
			break;
		case 1:
			modify(h[k], k);
			break;
		case 2:
			starpu_data_evict_from_node(h[k], node);
			break;
		case 3:
			CHECK(starpu_data_prefetch_on_node(h[k], node, 1) == 0);
			break;
		case 4:
			CHECK(starpu_data_fetch_on_node(h[k], node, 0) == 0);
			break;
		case 5:
			if (random_below(4) == 0)
				cut(h[k], k);
			break;
		default:
			submit(&multiplies, h[k], (void *)(uintptr_t)step);
			in_model(k, 0, LENGTH, step);
		}
	}
	for (unsigned k = 0; k < HANDLES; k++) {
		compare(h[k], k);
		starpu_data_unregister(h[k]);
	}
	CHECK(!memcmp(home, model[0], sizeof home));
}

/* Main memory for a quarter of it. */
static void check_too_small(void)
{
	enum { MANY = 32 };
	const size_t n = 1 << 16;
	starpu_data_handle_t h[MANY];
	CHECK(starpu_memory_get_total(STARPU_MAIN_RAM) == 4 << 20);
	for (unsigned i = 0; i < MANY; i++) {
		starpu_vector_data_register(&h[i], -1, 0, n, 8);
		submit(&fills, h[i], (void *)(uintptr_t)i);
	}
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < MANY; i++)
			submit(&multiplies, h[i], (void *)1);
	starpu_task_wait_for_all();
	CHECK(starpu_memory_get_used(STARPU_MAIN_RAM) <= 4 << 20);
	for (unsigned i = 0; i < MANY; i++) {
		CHECK(starpu_data_acquire(h[i], STARPU_R) == 0);
		unsigned *v = starpu_data_get_local_ptr(h[i]);
		CHECK(v[0] == 9 * i + 4 && v[n - 1] == 9 * i + 4);
		starpu_data_release(h[i]);
		starpu_data_unregister(h[i]);
	}
	CHECK(starpu_memory_get_used(STARPU_MAIN_RAM) == 0);
}

/* -- a disk that takes requests: what it is asked for is done when the request is asked about -- */

struct ask {
	bool reads, done;
	void *base, *object, *buf;
	off_t offset;
	size_t size;
};
static unsigned asked, freed;

static void *ask(struct ask what)
{
	struct ask *a = malloc(sizeof *a);
	if (a)
		*a = what;
	__atomic_fetch_add(&asked, !!a, __ATOMIC_RELAXED);
	return a;
}
static void *ask_to_write(void *base, void *object, void *buf, off_t offset, size_t size)
{
	return ask((struct ask){false, false, base, object, buf, offset, size});
}
static void *ask_to_read(void *base, void *object, void *buf, off_t offset, size_t size)
{
	return ask((struct ask){true, false, base, object, buf, offset, size});
}
static int is_done(void *request)
{
	struct ask *a = request;
	const struct starpu_disk_ops *o = &starpu_disk_unistd_ops;
	if (!a->done && a->reads)
		CHECK(o->read(a->base, a->object, a->buf, a->offset, a->size) >= 0);
	else if (!a->done)
		CHECK(o->write(a->base, a->object, a->buf, a->offset, a->size) == 0);
	a->done = true;
	return 1;
}
static void waits(void *request)
{
	is_done(request);
}
static void frees(void *request)
{
	__atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
	free(request);
}

static void check_requests(void)
{
	struct starpu_disk_ops ops = starpu_disk_unistd_ops;
	ops.async_read = ask_to_read;
	ops.async_write = ask_to_write;
	ops.test_request = is_done;
	ops.wait_request = waits;
	ops.free_request = frees;
	begin();
	unsigned disk = (unsigned)add_disk(&ops);
	check_there_and_back(disk);
	walk(disk);
	starpu_shutdown();
	CHECK(asked > 0 && freed == asked);
}

int main(void)
{
	struct starpu_disk_ops *const kinds[] = {&starpu_disk_unistd_ops, &starpu_disk_stdio_ops,
	                                         &starpu_disk_unistd_o_direct_ops};
	if (!mkdtemp(folder))
		return 1;
	for (unsigned i = 0; i < 3; i++) {
		begin();
		unsigned disk = (unsigned)add_disk(kinds[i]);
		CHECK(starpu_node_get_kind(disk) == STARPU_DISK_RAM);
		check_there_and_back(disk);
		check_file(disk);
		walk(disk);
		CHECK(starpu_disk_register(kinds[i], folder, STARPU_DISK_SIZE_MIN - 1) == -EINVAL);
		CHECK(starpu_disk_register(&starpu_disk_leveldb_ops, folder, -1) == -ENOSYS);
		CHECK(starpu_disk_register(&starpu_disk_hdf5_ops, folder, -1) == -ENOSYS);
		starpu_shutdown();
	}
	check_requests();
	setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
	setenv("STARPU_DISK_SWAP", folder, 1);
	begin();
	CHECK(starpu_disk_swap_node > 0);
	check_too_small();
	starpu_shutdown();
	CHECK(rmdir(folder) == 0); /* nothing was left there */
	return checks_failed();
}
