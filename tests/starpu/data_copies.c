/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of boxes of bytes between main memory, devices and a disk, called by the program and by an interface of its own, whose
 * parts lie in memory with gaps. Skipped without OpenCL.
 */
#include "data_boxes.h"
#include <unistd.h>

static unsigned disk;

/* ---- boxes of bytes between nodes ---- */

enum { MOST = 4096 };
struct bytes_box {
	size_t size, n[3], ld[3][2];
};
/* The distances of the two sides are each other's multiples, are not, leave no gap, or let a row reach over two rows of the other. */
static const struct bytes_box boxes[] = {
	{16, {4, 3, 2}, {{32, 16}, {128, 70}, {384, 215}}},     {7, {3, 2, 2}, {{11, 8}, {40, 25}, {101, 60}}},
	{12, {5, 4, 3}, {{12, 12}, {60, 60}, {240, 240}}},      {5, {1, 7, 1}, {{5, 9}, {13, 6}, {200, 201}}},
	{100, {3, 1, 2}, {{103, 100}, {400, 300}, {500, 301}}},
};

static size_t from_at(const struct bytes_box *b, unsigned dims, size_t i, unsigned side)
{
	size_t at = 0;
	for (unsigned k = 0; k < dims; k++) {
		at += i % b->n[k] * b->ld[k][side];
		i /= b->n[k];
	}
	return at;
}

static int copy_box(const struct bytes_box *b, unsigned dims, unsigned side, uintptr_t from, size_t from_offset,
                    unsigned from_node, uintptr_t to, size_t to_offset, unsigned to_node)
{
	unsigned other = !side;
	if (dims == 1)
		return starpu_interface_copy2d(from, from_offset, from_node, to, to_offset, to_node, b->size, b->n[0],
		                               b->ld[0][side], b->ld[0][other], NULL);
	if (dims == 2)
		return starpu_interface_copy3d(from, from_offset, from_node, to, to_offset, to_node, b->size, b->n[0],
		                               b->ld[0][side], b->ld[0][other], b->n[1], b->ld[1][side], b->ld[1][other], NULL);
	return starpu_interface_copy4d(from, from_offset, from_node, to, to_offset, to_node, b->size, b->n[0], b->ld[0][side],
	                               b->ld[0][other], b->n[1], b->ld[1][side], b->ld[1][other], b->n[2], b->ld[2][side],
	                               b->ld[2][other], NULL);
}

/* Out to a node with one set of distances and back with the other: the box comes, and nothing else. */
static void check_copy(const struct bytes_box *b, unsigned dims, unsigned node)
{
	static unsigned char at_first[MOST], back[MOST], want[MOST], there[MOST];
	enum { SKIP = 21 };
	size_t blocks = 1;
	for (unsigned k = 0; k < dims; k++)
		blocks *= b->n[k];
	for (unsigned i = 0; i < MOST; i++) {
		at_first[i] = (unsigned char)(i * 7 + i / 256);
		want[i] = back[i] = 0xee;
		there[i] = 0xdd;
	}
	uintptr_t out = starpu_malloc_on_node(node, MOST);
	CHECK(out && starpu_interface_copy((uintptr_t)there, 0, STARPU_MAIN_RAM, out, 0, node, MOST, NULL) == 0);
	CHECK(copy_box(b, dims, 0, (uintptr_t)at_first, 3, STARPU_MAIN_RAM, out, SKIP, node) == 0);
	CHECK(starpu_interface_copy(out, 0, node, (uintptr_t)back, 0, STARPU_MAIN_RAM, MOST, NULL) == 0);
	for (size_t i = 0; i < blocks; i++)
		memcpy(there + SKIP + from_at(b, dims, i, 1), at_first + 3 + from_at(b, dims, i, 0), b->size);
	CHECK(!memcmp(back, there, MOST));
	memset(back, 0xee, MOST);
	CHECK(copy_box(b, dims, 1, out, SKIP, node, (uintptr_t)back, 3, STARPU_MAIN_RAM) == 0);
	for (size_t i = 0; i < blocks; i++)
		memcpy(want + 3 + from_at(b, dims, i, 0), at_first + 3 + from_at(b, dims, i, 0), b->size);
	CHECK(!memcmp(back, want, MOST));
	uintptr_t beside = starpu_malloc_on_node(node, MOST); /* on the same node */
	if (starpu_node_get_kind(node) == STARPU_OPENCL_RAM || node == STARPU_MAIN_RAM) {
		CHECK(copy_box(b, dims, 1, out, SKIP, node, beside, 3, node) == 0);
		memset(back, 0xee, MOST);
		CHECK(copy_box(b, dims, 0, beside, 3, node, (uintptr_t)back, SKIP, STARPU_MAIN_RAM) == 0);
		for (size_t i = 0; i < blocks; i++)
			CHECK(!memcmp(back + SKIP + from_at(b, dims, i, 1), at_first + 3 + from_at(b, dims, i, 0), b->size));
	}
	if (starpu_node_get_kind(node) == STARPU_OPENCL_RAM) { /* there is no way that leads to a disk directly */
		uintptr_t file = starpu_malloc_on_node(disk, MOST);
		CHECK(starpu_interface_copy(out, 0, node, file, 0, disk, MOST, NULL) == -ENOSYS);
		CHECK(copy_box(b, dims, 0, file, 0, disk, out, 0, node) == -ENOSYS);
		starpu_free_on_node(disk, file, MOST);
	}
	starpu_free_on_node(node, beside, MOST);
	starpu_free_on_node(node, out, MOST);
}

/* ---- an interface of the program's: a plane, a block and a tensor, each with gaps in main memory ---- */

struct trio {
	enum starpu_data_interface_id id;
	uintptr_t part[3];
	bool is_home;
};
enum { TX = 5, TY = 4, TZ = 3, TT = 2, GAP = 3 };
static const size_t trio_elements[] = {TX * TY, TX *TY *TZ, TX *TY *TZ *TT};
static unsigned n_begun, n_ended;

static size_t row_of(const struct trio *t)
{
	return (TX + (t->is_home ? GAP : 0)) * sizeof(unsigned);
}

static void trio_register(starpu_data_handle_t h, int home_node, void *interface)
{
	for (int node = 0; node < STARPU_MAXNODES; node++) {
		struct trio *t = starpu_data_get_interface_on_node(h, (unsigned)node);
		*t = node == home_node ? *(struct trio *)interface : (struct trio) {
			.id = ((struct trio *)interface)->id
		};
	}
}

static starpu_ssize_t trio_allocate(void *interface, unsigned node)
{
	struct trio *t = interface;
	starpu_ssize_t all = 0;
	for (unsigned k = 0; k < 3; k++) {
		t->part[k] = starpu_malloc_on_node_flags(node, trio_elements[k] * sizeof(unsigned), STARPU_MALLOC_COUNT);
		if (!t->part[k])
			return -ENOMEM;
		all += (starpu_ssize_t)(trio_elements[k] * sizeof(unsigned));
	}
	return all;
}

static void trio_free(void *interface, unsigned node)
{
	struct trio *t = interface;
	for (unsigned k = 0; k < 3; k++)
		starpu_free_on_node_flags(node, t->part[k], trio_elements[k] * sizeof(unsigned), STARPU_MALLOC_COUNT);
}

static int trio_copy(void *src, unsigned src_node, void *dst, unsigned dst_node, void *async)
{
	struct trio *a = src, *b = dst;
	size_t row = TX * sizeof(unsigned), la = row_of(a), lb = row_of(b);
	double start;
	starpu_interface_start_driver_copy_async_devid(starpu_memory_node_get_devid(src_node), starpu_node_get_kind(src_node),
	                                               starpu_memory_node_get_devid(dst_node), starpu_node_get_kind(dst_node),
	                                               &start);
	__atomic_add_fetch(&n_begun, start > 0, __ATOMIC_RELAXED);
	int rc[] = {starpu_interface_copy2d(a->part[0], 0, src_node, b->part[0], 0, dst_node, row, TY, la, lb, async),
	            starpu_interface_copy3d(a->part[1], 0, src_node, b->part[1], 0, dst_node, row, TY, la, lb, TZ, la * TY,
	                                    lb * TY, async),
	            starpu_interface_copy4d(a->part[2], 0, src_node, b->part[2], 0, dst_node, row, TY, la, lb, TZ, la * TY,
	                                    lb * TY, TT, la * TY * TZ, lb * TY * TZ, async)};
	starpu_interface_data_copy(src_node, dst_node, row * TY);
	starpu_interface_end_driver_copy_async_devid(starpu_memory_node_get_devid(src_node), starpu_node_get_kind(src_node),
	                                             starpu_memory_node_get_devid(dst_node), starpu_node_get_kind(dst_node),
	                                             start);
	__atomic_add_fetch(&n_ended, 1, __ATOMIC_RELAXED);
	for (unsigned k = 0; k < 3; k++)
		CHECK(rc[k] == 0 || rc[k] == -EAGAIN);
	return rc[0] ? rc[0] : rc[1] ? rc[1] : rc[2];
}

static size_t trio_size(starpu_data_handle_t h)
{
	(void)h;
	return (trio_elements[0] + trio_elements[1] + trio_elements[2]) * sizeof(unsigned);
}

static size_t trio_most(starpu_data_handle_t h)
{
	return 2 * trio_size(h);
}

static uint32_t trio_footprint(starpu_data_handle_t h)
{
	return starpu_hash_crc32c_be((uint32_t)trio_size(h), 0);
}

static const struct starpu_data_copy_methods trio_methods = {.any_to_any = trio_copy};
static struct starpu_data_interface_ops trio_ops = {
	.register_data_handle = trio_register,
	.allocate_data_on_node = trio_allocate,
	.free_data_on_node = trio_free,
	.copy_methods = &trio_methods,
	.get_size = trio_size,
	.get_max_size = trio_most,
	.footprint = trio_footprint,
	.interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
	.interface_size = sizeof(struct trio),
	.name = (char *)"trio",
};

static void trio_change(void *buffers[], void *arg)
{
	struct trio *t = buffers[0];
	unsigned v[TX * TY * TZ * TT * 2];
	for (unsigned k = 0; k < 3; k++) {
		size_t rows_of = trio_elements[k] / TX, row = row_of(t) / sizeof(unsigned), all = rows_of * row * sizeof v[0];
		if (on_device())
			buffer_read(t->part[k], 0, all, v);
		else
			memcpy(v, (void *)t->part[k], all);
		for (size_t i = 0; i < trio_elements[k]; i++)
			v[i / TX * row + i % TX] += (unsigned)(uintptr_t)arg;
		if (on_device())
			buffer_write(t->part[k], 0, all, v);
		else
			memcpy((void *)t->part[k], v, all);
	}
}
static struct starpu_codelet trio_changes = {.cpu_funcs = {trio_change},
                                             .opencl_funcs = {trio_change},
                                             .nbuffers = 1,
                                             .modes = {STARPU_RW}};

static void check_own(void)
{
	enum { PART = (TX + GAP) * TY * TZ * TT };
	static unsigned value[3][PART];
	unsigned sum = 0;
	struct trio t = {.part = {(uintptr_t)value[0], (uintptr_t)value[1], (uintptr_t)value[2]}, .is_home = true};
	starpu_data_handle_t h;
	trio_ops.interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	CHECK((int)trio_ops.interfaceid >= (int)STARPU_MAX_INTERFACE_ID);
	CHECK(starpu_data_interface_get_next_id() > (int)trio_ops.interfaceid);
	starpu_data_register(&h, STARPU_MAIN_RAM, &t, &trio_ops);
	CHECK(starpu_data_get_max_size(h) == (starpu_ssize_t)(2 * trio_size(h)));
	for (unsigned w = 0; w < 3 * workers; w++) {
		submit_on(w % workers, &trio_changes, h, w);
		sum += w;
		if (w % 3 == 0) {
			CHECK(starpu_data_acquire_on_node(h, (int)disk, STARPU_RW) == 0);
			starpu_data_release_on_node(h, (int)disk);
		}
	}
	starpu_data_unregister(h);
	CHECK(n_begun > workers && n_begun == n_ended);
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < PART; i++)
			CHECK(value[k][i] == (i % (TX + GAP) < TX && i / (TX + GAP) * TX < trio_elements[k] ? sum : 0));
}

int main(void)
{
	char folder[] = "/tmp/starpu-copies-XXXXXX";
	if (!mkdtemp(folder))
		return 1;
	begin_with_devices();
	disk = (unsigned)starpu_disk_register(&starpu_disk_unistd_ops, folder, -1);
	for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
		for (unsigned i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
			for (unsigned dims = 1; dims <= 3; dims++)
				check_copy(&boxes[i], dims, node);
	check_own();
	starpu_shutdown();
	CHECK(rmdir(folder) == 0);
	return checks_failed();
}
