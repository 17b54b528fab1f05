/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interface that can only be packed and unpacked: whatever is copied, between NUMA nodes, to a disk and back, or from one handle to
 * another on the same node, goes that way.
 */
#include "data_check.h"
#include <unistd.h>

struct box {
	enum starpu_data_interface_id id;
	int *at;
	int n;
};
static int packed, unpacked;

static struct box *box_on(starpu_data_handle_t h, unsigned node)
{
	return starpu_data_get_interface_on_node(h, node);
}

static void box_register(starpu_data_handle_t h, int home, void *from)
{
	const struct box *b = from;
	for (int node = 0; node < STARPU_MAXNODES; node++)
		*box_on(h, (unsigned)node) = (struct box){b->id, node == home ? b->at : NULL, b->n};
}
static starpu_ssize_t box_allocate(void *interface, unsigned node)
{
	struct box *b = interface;
	size_t bytes = (size_t)b->n * sizeof *b->at;
	b->at = (int *)starpu_malloc_on_node(node, bytes);
	return b->at ? (starpu_ssize_t)bytes : -ENOMEM;
}
static void box_free(void *interface, unsigned node)
{
	struct box *b = interface;
	starpu_free_on_node(node, (uintptr_t)b->at, (size_t)b->n * sizeof *b->at);
	b->at = NULL;
}
static void *box_pointer(starpu_data_handle_t h, unsigned node)
{
	return box_on(h, node)->at;
}
static size_t box_size(starpu_data_handle_t h)
{
	return (size_t)box_on(h, STARPU_MAIN_RAM)->n * sizeof(int);
}
static uint32_t box_footprint(starpu_data_handle_t h)
{
	return (uint32_t)box_on(h, STARPU_MAIN_RAM)->n;
}
static int box_compare(void *a, void *b)
{
	return ((struct box *)a)->n == ((struct box *)b)->n;
}
static int box_pack(starpu_data_handle_t h, unsigned node, void **ptr, starpu_ssize_t *count)
{
	const struct box *b = box_on(h, node);
	*count = (starpu_ssize_t)box_size(h);
	if (!ptr)
		return 0;
	*ptr = (void *)starpu_malloc_on_node_flags(node, (size_t)*count, 0);
	memcpy(*ptr, b->at, (size_t)*count);
	__atomic_add_fetch(&packed, 1, __ATOMIC_RELAXED);
	return 0;
}
static int box_peek(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	CHECK(count == box_size(h));
	memcpy(box_on(h, node)->at, ptr, count);
	return 0;
}
static int box_unpack(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	box_peek(h, node, ptr, count);
	starpu_free_on_node_flags(node, (uintptr_t)ptr, count, 0);
	__atomic_add_fetch(&unpacked, 1, __ATOMIC_RELAXED);
	return 0;
}
static const struct starpu_data_copy_methods no_methods;
static struct starpu_data_interface_ops ops = {
	.register_data_handle = box_register,
	.allocate_data_on_node = box_allocate,
	.free_data_on_node = box_free,
	.copy_methods = &no_methods,
	.handle_to_pointer = box_pointer,
	.get_size = box_size,
	.footprint = box_footprint,
	.compare = box_compare,
	.interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
	.interface_size = sizeof(struct box),
	.pack_data = box_pack,
	.peek_data = box_peek,
	.unpack_data = box_unpack,
};

static starpu_data_handle_t box_handle(int *at, int n)
{
	starpu_data_handle_t h;
	if (ops.interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
		ops.interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	struct box b = {ops.interfaceid, at, n};
	starpu_data_register(&h, STARPU_MAIN_RAM, &b, &ops);
	return h;
}

static void add_one(void *buffers[], void *arg)
{
	struct box *b = buffers[0];
	(void)arg;
	for (int i = 0; i < b->n; i++)
		b->at[i]++;
}
static struct starpu_codelet adds = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};

enum { N = 100 };
static void check_nodes(void)
{
	int v[N] = {0}, before = packed;
	starpu_data_handle_t h = box_handle(v, N);
	for (unsigned turn = 0; turn < 4; turn++)
		CHECK(starpu_task_insert(&adds, STARPU_RW, h, STARPU_EXECUTE_ON_WORKER, turn % 2, 0) == 0);
	starpu_data_unregister(h);
	CHECK(v[0] == 4 && v[N - 1] == 4);
	CHECK(packed == before + (starpu_memory_nodes_get_count() > 1 ? 4 : 0) && packed == unpacked);
}

static void check_handles(void)
{
	int v[N], w[N] = {0}, before = packed;
	for (int i = 0; i < N; i++)
		v[i] = i * i;
	starpu_data_handle_t from = box_handle(v, N), to = box_handle(w, N), dup;
	CHECK(starpu_data_cpy(to, from, 0, NULL, NULL) == 0);
	CHECK(packed > before && packed == unpacked);
	CHECK(starpu_data_dup_ro(&dup, from) == 0);
	CHECK(starpu_data_acquire(dup, STARPU_R) == 0);
	CHECK(!memcmp(box_on(dup, STARPU_MAIN_RAM)->at, v, sizeof v));
	starpu_data_release(dup);
	starpu_data_unregister(dup);
	starpu_data_unregister(from);
	starpu_data_unregister(to);
	CHECK(!memcmp(v, w, sizeof v));
}

static void check_disk(void)
{
	char folder[] = "/tmp/starpu-packed-XXXXXX";
	CHECK(mkdtemp(folder));
	int disk = starpu_disk_register(&starpu_disk_unistd_ops, folder, (starpu_ssize_t)64 << 20);
	CHECK(disk > 0);
	starpu_data_handle_t h;
	struct box b = {ops.interfaceid, NULL, N};
	starpu_data_register(&h, -1, &b, &ops);
	CHECK(starpu_data_acquire(h, STARPU_W) == 0);
	for (int i = 0; i < N; i++)
		box_on(h, STARPU_MAIN_RAM)->at[i] = 7 * i;
	starpu_data_release(h);
	CHECK(starpu_data_fetch_on_node(h, (unsigned)disk, 0) == 0);
	CHECK(starpu_data_evict_from_node(h, STARPU_MAIN_RAM) == 0);
	CHECK(starpu_task_insert(&adds, STARPU_RW, h, 0) == 0);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(box_on(h, STARPU_MAIN_RAM)->at[N - 1] == 7 * (N - 1) + 1);
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_shutdown();
	CHECK(rmdir(folder) == 0 || errno == ENOTEMPTY);
}

int main(void)
{
	setenv("STARPU_NOPENCL", "1", 1);
	begin();
	check_nodes();
	check_handles();
	check_disk();
	return checks_failed();
}
