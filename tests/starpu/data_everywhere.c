/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every interface on every kind of node: tasks on CPUs and devices find it by StarPU's macros, it is packed and unpacked where it is,
 * goes to a disk and comes back; rows that lie apart at home stay so, and what is between them is not touched. Acquiring, lending and
 * counting memory on each node. Skipped without OpenCL.
 */
#include "data_boxes.h"
#include <sched.h>
#include <unistd.h>

enum { SIZE = 1 << 14, DIMS = 6 };
static unsigned home[SIZE], model[SIZE];
static unsigned nodes, disk;

static uint32_t as_arg(const struct box *b)
{
	return model_hash(b, model);
}

/* ---- dense data: sizes, and distances at home that leave gaps ---- */

static const struct box shapes[] = {
	{.dims = 0},
	{.dims = 1, .n = {37}, .ld = {1}},
	{.dims = 2, .n = {5, 7}, .ld = {1, 9}},
	{.dims = 2, .n = {6, 4}, .ld = {1, 6}},
	{.dims = 3, .n = {3, 5, 4}, .ld = {1, 4, 31}},
	{.dims = 4, .n = {3, 2, 5, 3}, .ld = {1, 5, 11, 60}},
	{.dims = 5, .n = {2, 3, 2, 3, 2}, .ld = {1, 3, 10, 21, 70}},
	{.dims = 6, .n = {3, 1, 2, 2, 3, 2}, .ld = {1, 4, 5, 12, 25, 80}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static starpu_data_handle_t register_box(const struct box *b, bool as_ndim)
{
	starpu_data_handle_t h;
	const size_t *n = b->n, *ld = b->ld, e = sizeof(unsigned);
	uintptr_t p = (uintptr_t)home;
	size_t nn[BOX_MOST], ldn[BOX_MOST];
	memcpy(nn, n, sizeof nn);
	memcpy(ldn, ld, sizeof ldn);
	if (as_ndim || b->dims > 4)
		starpu_ndim_data_register(&h, STARPU_MAIN_RAM, p, ldn, nn, b->dims, e);
	else if (b->dims == 4)
		starpu_tensor_data_register(&h, STARPU_MAIN_RAM, p, ld[1], ld[2], ld[3], n[0], n[1], n[2], n[3], e);
	else if (b->dims == 3)
		starpu_block_data_register(&h, STARPU_MAIN_RAM, p, ld[1], ld[2], n[0], n[1], n[2], e);
	else if (b->dims == 2)
		starpu_matrix_data_register(&h, STARPU_MAIN_RAM, p, ld[1], n[0], n[1], e);
	else if (b->dims == 1)
		starpu_vector_data_register(&h, STARPU_MAIN_RAM, p, n[0], e);
	else
		starpu_variable_data_register(&h, STARPU_MAIN_RAM, p, e);
	return h;
}

/* Packed there, compared; changed and put back, twice. */
static void check_packing(starpu_data_handle_t h, const struct box *b, unsigned node)
{
	const size_t n = box_elements(b), bytes = n * sizeof(unsigned);
	unsigned *packed = NULL, *again = NULL;
	starpu_ssize_t size = 0;
	CHECK(starpu_data_acquire_on_node(h, (int)node, STARPU_RW) == 0);
	CHECK(starpu_data_pack_node(h, node, NULL, &size) == 0 && size == (starpu_ssize_t)bytes);
	CHECK(starpu_data_pack_node(h, node, (void **)&packed, &size) == 0 && size == (starpu_ssize_t)bytes);
	for (size_t e = 0; e < n; e++) {
		CHECK(packed[e] == model[box_at(b, e)]);
		packed[e]++;
	}
	CHECK(starpu_data_peek_node(h, node, packed, bytes + 1) == -EINVAL);
	CHECK(starpu_data_peek_node(h, node, packed, bytes) == 0);
	CHECK(starpu_data_pack_node(h, node, (void **)&again, &size) == 0 && !memcmp(packed, again, bytes));
	for (size_t e = 0; e < n; e++)
		model[box_at(b, e)] = again[e] = again[e] * 5;
	CHECK(starpu_data_unpack_node(h, node, again, bytes) == 0);
	starpu_free_flags(packed, bytes, 0);
	starpu_data_release_on_node(h, (int)node);
	for (unsigned i = 0; i < nodes; i++)
		CHECK(starpu_data_is_on_node(h, i) == (i == node));
}

static void check_box(const struct box *b, bool as_ndim)
{
	starpu_data_handle_t h = register_box(b, as_ndim);
	for (unsigned i = 0; i < SIZE; i++)
		home[i] = model[i] = i + 1;
	CHECK(starpu_data_get_size(h) == box_elements(b) * sizeof(unsigned) && starpu_data_get_max_size(h) == -1);
	for (unsigned w = 0; w < 2 * workers; w++) {
		submit_on(w % workers, &box_changes, h, w);
		model_change(b, model, w);
		submit_on((w + 1) % workers, &box_looks, h, as_arg(b));
		starpu_task_wait_for_all();
		check_packing(h, b, w % nodes);
		CHECK(starpu_data_fetch_on_node(h, disk, 0) == 0);
		if (w % 2)
			CHECK(starpu_data_prefetch_on_node_prio(h, w % nodes, 1, (int)w) == 0);
	}
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
}

/* ---- buffers of each worker's own: without gaps, and nobody else's ---- */

static void scribble(void *buffers[], void *arg)
{
	struct box b = box_of(buffers[0]);
	unsigned *v = box_take(&b);
	size_t ld = 1;
	(void)arg;
	for (unsigned k = 0; k < b.dims; ld *= b.n[k++])
		CHECK(b.ld[k] == ld);
	for (unsigned turn = 0; turn < 3; turn++) {
		for (size_t e = 0; e < box_elements(&b); e++)
			v[box_at(&b, e)] = (unsigned)(e + turn) * 5 + (unsigned)starpu_worker_get_id();
		sched_yield();
		for (size_t e = 0; e < box_elements(&b); e++)
			CHECK(v[box_at(&b, e)] == (unsigned)(e + turn) * 5 + (unsigned)starpu_worker_get_id());
	}
	box_give(&b, v, true);
}
static struct starpu_codelet scribbles = {.cpu_funcs = {scribble},
                                          .opencl_funcs = {scribble},
                                          .nbuffers = 1,
                                          .modes = {STARPU_SCRATCH}};

static void check_scratch(const struct box *b, bool as_ndim)
{
	starpu_data_handle_t model_of = register_box(b, as_ndim), h;
	starpu_data_register_same(&h, model_of);
	for (unsigned w = 0; w < 4 * workers; w++)
		submit_on(w % workers, &scribbles, h, 0);
	starpu_data_unregister(h);
	starpu_data_unregister(model_of);
}

/* ---- sparse data: three arrays ---- */

enum { NNZ = 10, ROWS = 4, R = 3, C = 2, ENTRY = R * C };
static uint32_t columns[NNZ] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, rowptr[ROWS + 1] = {0, 3, 3, 8, 10}, rows[NNZ];

struct sparse {
	uintptr_t values, columns, rows;
	size_t nnz, n_rows, first, entry; /* entry: values of each */
};

static struct sparse sparse_of(void *i)
{
	if (*(enum starpu_data_interface_id *)i == STARPU_CSR_INTERFACE_ID) {
		CHECK(STARPU_CSR_GET_OFFSET == 0 && STARPU_CSR_GET_ELEMSIZE(i) == sizeof(unsigned));
		CHECK(STARPU_CSR_GET_COLIND_DEV_HANDLE(i) == STARPU_CSR_GET_COLIND(i));
		CHECK(STARPU_CSR_GET_NZVAL(i) == STARPU_CSR_GET_NZVAL_DEV_HANDLE(i));
		CHECK(STARPU_CSR_GET_RAM_ROWPTR(i) >= rowptr && STARPU_CSR_GET_RAM_COLIND(i) >= columns);
		return (struct sparse){STARPU_CSR_GET_NZVAL(i),
		                       (uintptr_t)STARPU_CSR_GET_COLIND(i),
		                       (uintptr_t)STARPU_CSR_GET_ROWPTR_DEV_HANDLE(i),
		                       STARPU_CSR_GET_NNZ(i),
		                       STARPU_CSR_GET_NROW(i),
		                       STARPU_CSR_GET_FIRSTENTRY(i),
		                       1};
	}
	if (*(enum starpu_data_interface_id *)i == STARPU_COO_INTERFACE_ID) {
		CHECK(STARPU_COO_GET_OFFSET == 0 && STARPU_COO_GET_ELEMSIZE(i) == sizeof(unsigned));
		CHECK(STARPU_COO_GET_NX(i) == 20 && STARPU_COO_GET_NY(i) == 30);
		CHECK(STARPU_COO_GET_VALUES(i) == STARPU_COO_GET_VALUES_DEV_HANDLE(i));
		return (struct sparse){STARPU_COO_GET_VALUES(i),
		                       (uintptr_t)STARPU_COO_GET_COLUMNS_DEV_HANDLE(i),
		                       (uintptr_t)STARPU_COO_GET_ROWS_DEV_HANDLE(i),
		                       STARPU_COO_GET_NVALUES(i),
		                       0,
		                       0,
		                       1};
	}
	CHECK(STARPU_BCSR_GET_OFFSET == 0 && STARPU_BCSR_GET_ELEMSIZE(i) == sizeof(unsigned));
	CHECK(STARPU_BCSR_GET_NZVAL(i) == STARPU_BCSR_GET_NZVAL_DEV_HANDLE(i));
	CHECK(STARPU_BCSR_GET_COLIND(i) == STARPU_BCSR_GET_COLIND_DEV_HANDLE(i));
	CHECK(STARPU_BCSR_GET_RAM_ROWPTR(i) >= rowptr && STARPU_BCSR_GET_RAM_COLIND(i) >= columns);
	return (struct sparse){STARPU_BCSR_GET_NZVAL(i),
	                       (uintptr_t)STARPU_BCSR_GET_COLIND(i),
	                       (uintptr_t)STARPU_BCSR_GET_ROWPTR_DEV_HANDLE(i),
	                       STARPU_BCSR_GET_NNZ(i),
	                       STARPU_BCSR_GET_NROW(i),
	                       STARPU_BCSR_GET_FIRSTENTRY(i),
	                       STARPU_BCSR_GET_R(i) * STARPU_BCSR_GET_C(i)};
}

static void array_take(uintptr_t from, size_t n, uint32_t *to)
{
	if (on_device() && n)
		buffer_read(from, 0, n * sizeof *to, to);
	else
		memcpy(to, (void *)from, n * sizeof *to);
}

/* The arrays are those of the whole from the entry on where it begins; each of its values grows. */
static void sparse_change(void *buffers[], void *arg)
{
	struct sparse s = sparse_of(buffers[0]);
	uint32_t value[NNZ * ENTRY], column[NNZ], row[NNZ];
	CHECK(s.nnz <= NNZ && s.n_rows <= ROWS);
	array_take(s.values, s.nnz * s.entry, value);
	array_take(s.columns, s.nnz, column);
	CHECK(!memcmp(column, columns + s.first, s.nnz * sizeof column[0]));
	if (s.n_rows) {
		array_take(s.rows, s.n_rows + 1, row);
		CHECK(row[0] == s.first && row[s.n_rows] == s.first + s.nnz);
	} else {
		array_take(s.rows, s.nnz, row);
		CHECK(!memcmp(row, rows, s.nnz * sizeof row[0]));
	}
	for (size_t e = 0; e < s.nnz * s.entry; e++)
		value[e] = value[e] * 3 + (unsigned)(uintptr_t)arg;
	if (on_device() && s.nnz)
		buffer_write(s.values, 0, s.nnz * s.entry * sizeof value[0], value);
	else
		memcpy((void *)s.values, value, s.nnz * s.entry * sizeof value[0]);
}
static struct starpu_codelet sparse_changes = {.cpu_funcs = {sparse_change},
                                               .opencl_funcs = {sparse_change},
                                               .nbuffers = 1,
                                               .modes = {STARPU_RW},
                                               .name = "change sparse"};

static void sparse_model(size_t first, size_t n, unsigned add)
{
	for (size_t e = first; e < first + n; e++)
		model[e] = model[e] * 3 + add;
}

/* All of it packed on a node: its three arrays one behind the other. */
static void check_sparse_packing(starpu_data_handle_t h, size_t n_values, const uint32_t *third, size_t n_third, unsigned node)
{
	uint32_t *packed = NULL;
	starpu_ssize_t size = 0;
	CHECK(starpu_data_acquire_on_node(h, (int)node, STARPU_RW) == 0);
	CHECK(starpu_data_pack_node(h, node, (void **)&packed, &size) == 0);
	CHECK(size == (starpu_ssize_t)((n_values + NNZ + n_third) * sizeof *packed));
	CHECK(!memcmp(packed, model, n_values * sizeof *packed));
	CHECK(!memcmp(packed + n_values, columns, sizeof columns));
	CHECK(!memcmp(packed + n_values + NNZ, third, n_third * sizeof *packed));
	for (size_t e = 0; e < n_values; e++)
		model[e] = ++packed[e];
	CHECK(starpu_data_unpack_node(h, node, packed, (size_t)size) == 0);
	starpu_data_release_on_node(h, (int)node);
}

static void change_sparse(starpu_data_handle_t h, size_t n_values, const uint32_t *third, size_t n_third)
{
	for (unsigned w = 0; w < workers + nodes; w++) {
		submit_on(w % workers, &sparse_changes, h, w);
		sparse_model(0, n_values, w);
		check_sparse_packing(h, n_values, third, n_third, w % nodes);
	}
}

/* Parts of rows, more of them than there are rows, too; each on every worker. */
static void change_rows(starpu_data_handle_t h, size_t entry,
                        void (*cut)(void *, void *, struct starpu_data_filter *, unsigned, unsigned))
{
	for (unsigned parts = 1; parts <= ROWS + 2; parts++) {
		struct starpu_data_filter f = {.filter_func = cut, .nchildren = parts};
		starpu_data_partition(h, &f);
		for (unsigned i = 0, row = 0; i < parts; i++) {
			unsigned n = ROWS / parts + (i < ROWS % parts);
			for (unsigned w = 0; w < workers; w++) {
				submit_on(w, &sparse_changes, starpu_data_get_sub_data(h, 1, i), w + i);
				sparse_model(rowptr[row] * entry, (rowptr[row + n] - rowptr[row]) * entry, w + i);
			}
			row += n;
		}
		starpu_data_unpartition(h, STARPU_MAIN_RAM);
	}
}

static void check_sparse(void)
{
	starpu_data_handle_t h;
	for (uint32_t i = 0; i < NNZ; i++)
		rows[i] = 7 * i;
	for (unsigned i = 0; i < SIZE; i++)
		home[i] = model[i] = i + 1;
	starpu_csr_data_register(&h, STARPU_MAIN_RAM, NNZ, ROWS, (uintptr_t)home, columns, rowptr, 0, sizeof home[0]);
	CHECK(starpu_csr_get_elemsize(h) == sizeof home[0] && starpu_csr_get_local_colind(h) == columns);
	change_sparse(h, NNZ, rowptr, ROWS + 1);
	change_rows(h, 1, starpu_csr_filter_vertical_block);
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, NNZ, ROWS, (uintptr_t)home, columns, rowptr, 0, R, C, sizeof home[0]);
	CHECK(starpu_bcsr_get_elemsize(h) == sizeof home[0] && starpu_bcsr_get_firstentry(h) == 0);
	CHECK(starpu_bcsr_get_nnz(h) == NNZ && starpu_bcsr_get_nrow(h) == ROWS);
	change_sparse(h, NNZ * ENTRY, rowptr, ROWS + 1);
	change_rows(h, ENTRY, starpu_bcsr_filter_vertical_block);
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
	starpu_coo_data_register(&h, STARPU_MAIN_RAM, 20, 30, NNZ, columns, rows, (uintptr_t)home, sizeof home[0]);
	change_sparse(h, NNZ, rows, NNZ);
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
}

/* ---- memory of nodes ---- */

static void check_memory_of(unsigned node)
{
	enum { SOME = 1 << 12 };
	size_t used = starpu_memory_get_used(node), all = starpu_memory_get_used_all_nodes();
	uintptr_t p = starpu_malloc_on_node_flags(node, SOME, 0);
	CHECK(p && starpu_memory_get_used(node) == used);
	starpu_check_on_node(node, p, SOME);
	starpu_free_on_node_flags(node, p, SOME, 0);
	p = starpu_malloc_on_node_flags(node, SOME, STARPU_MALLOC_COUNT);
	CHECK(p && starpu_memory_get_used(node) == used + SOME && starpu_memory_get_used_all_nodes() == all + SOME);
	starpu_free_on_node_flags(node, p, SOME, STARPU_MALLOC_COUNT);
	p = starpu_malloc_on_node(node, SOME); /* counts, unless told not to */
	CHECK(p && starpu_memory_get_used(node) == used + SOME);
	starpu_free_on_node(node, p, SOME);
	starpu_malloc_on_node_set_default_flags(node, STARPU_MALLOC_PINNED);
	p = starpu_malloc_on_node(node, SOME);
	CHECK(p && starpu_memory_get_used(node) == used);
	starpu_free_on_node(node, p, SOME);
	starpu_malloc_on_node_set_default_flags(node, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	CHECK(starpu_memory_get_used(node) == used && starpu_memory_get_used_all_nodes() == all);
}

/* Of nodes that have a limit: their sum. */
static void check_limits(void)
{
	starpu_ssize_t total = 0, available = 0;
	for (unsigned node = 0; node < nodes; node++)
		if (starpu_memory_get_total(node) >= 0) {
			total += starpu_memory_get_total(node);
			available += starpu_memory_get_available(node);
			CHECK(starpu_memory_get_available(node) ==
			      starpu_memory_get_total(node) - (starpu_ssize_t)starpu_memory_get_used(node));
		}
	CHECK(total > 0 && starpu_memory_get_total_all_nodes() == total);
	CHECK(starpu_memory_get_available_all_nodes() == available);
}

static void check_alignment(void)
{
	void *p = NULL;
	starpu_malloc_set_align(4096);
	CHECK(starpu_malloc(&p, 10) == 0 && (uintptr_t)p % 4096 == 0);
	CHECK(starpu_free_noflag(p, 10) == 0);
}

/* ---- asked for, and lent, on a node ---- */

static unsigned called;
static void got(void *arg)
{
	(void)arg;
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

static void check_acquired(unsigned node)
{
	const int on = (int)node;
	starpu_data_handle_t h;
	called = 0;
	for (unsigned i = 0; i < 8; i++)
		home[i] = model[i] = i;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)home, 8, sizeof home[0]);
	CHECK(starpu_data_acquire_on_node_try(h, on, STARPU_RW) == 0);
	CHECK(starpu_data_is_on_node(h, node) && (!node || !starpu_data_is_on_node(h, STARPU_MAIN_RAM)));
	CHECK(starpu_data_acquire_on_node_try(h, on, STARPU_RW) == -EAGAIN);
	CHECK(starpu_data_acquire_try(h, STARPU_R) == -EAGAIN);
	/* Let go by half: what was written may be read by others now. */
	starpu_data_release_to_on_node(h, STARPU_R, on);
	submit(&box_looks, h, (void *)(uintptr_t)as_arg(&(struct box){.dims = 1, .n = {8}, .ld = {1}}));
	starpu_task_wait_for_all();
	starpu_data_release_on_node(h, on);
	CHECK(starpu_data_acquire_on_node_cb_sequential_consistency(h, on, STARPU_R, got, NULL, 1) == 0);
	while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) < 1)
		usleep(100);
	starpu_data_release_on_node(h, on);
	/* Out of the order: beside a task that waits for us */
	CHECK(starpu_data_acquire_on_node(h, on, STARPU_R) == 0);
	submit(&box_changes, h, NULL);
	CHECK(starpu_data_acquire_on_node_cb_sequential_consistency(h, on, STARPU_R, got, NULL, 0) == 0);
	while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) < 2)
		usleep(100);
	starpu_data_release_on_node(h, on);
	starpu_data_release_on_node(h, on);
	/* Nowhere first, then there. */
	CHECK(starpu_data_acquire_on_node(h, STARPU_ACQUIRE_NO_NODE, STARPU_R) == 0);
	CHECK(starpu_data_acquire_to_node(h, node) == 0 && starpu_data_is_on_node_excluding_prefetch(h, node));
	starpu_data_release_on_node(h, on);
	CHECK(!starpu_data_test_if_mapped_on_node(h, node));
	starpu_data_unregister(h);
	for (unsigned i = 0; i < 8; i++)
		CHECK(home[i] == 3 * i);
}

static void check_status(unsigned node)
{
	starpu_data_handle_t h, *there = NULL;
	int allocated, valid, loading, requested, *is_valid = NULL;
	unsigned n = 0, found = 0;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)home, 8, sizeof home[0]);
	CHECK(!starpu_data_test_if_allocated_on_node(h, node));
	CHECK(starpu_data_request_allocation(h, node) == 0);
	starpu_data_query_status2(h, (int)node, &allocated, &valid, &loading, &requested);
	CHECK(allocated && !valid && !loading && !requested && starpu_data_test_if_allocated_on_node(h, node));
	CHECK(starpu_data_prefetch_on_node_prio(h, node, 0, 5) == 0 && starpu_data_is_on_node(h, node));
	starpu_data_query_status2(h, (int)node, &allocated, &valid, &loading, &requested);
	CHECK(allocated && valid && !loading && !requested && starpu_data_is_on_node(h, STARPU_MAIN_RAM));
	starpu_data_advise_as_important(h, 1);
	starpu_data_get_node_data(node, &there, &is_valid, &n);
	for (unsigned i = 0; i < n; i++)
		found += there[i] == h && is_valid[i];
	CHECK(found == 1);
	free(there);
	free(is_valid);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	starpu_data_print(h, node, f);
	fclose(f);
	CHECK(strstr(text, "V8x4"));
	free(text);
	CHECK(starpu_data_evict_from_node(h, node) == 0 && !starpu_data_test_if_allocated_on_node(h, node));
	starpu_data_unregister(h);
}

/* A device's buffer that the program gives: a whole, and from an offset on. */
static void check_lent(unsigned node)
{
	struct box b = {.dims = 1, .n = {16}, .ld = {1}};
	cl_mem buffer = NULL;
	for (size_t offset = 0; offset <= 64; offset += 64) {
		starpu_data_handle_t h;
		CHECK(starpu_opencl_allocate_memory(starpu_memory_node_get_devid(node), &buffer, 128, CL_MEM_READ_WRITE) ==
		      CL_SUCCESS);
		for (unsigned i = 0; i < 16; i++)
			home[i] = model[i] = i;
		starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)home, 16, sizeof home[0]);
		starpu_vector_ptr_register(h, node, 0, (uintptr_t)buffer, offset);
		CHECK(starpu_data_test_if_allocated_on_node(h, node));
		for (unsigned w = 0; w < 2 * workers; w++) {
			submit_on(w % workers, &box_changes, h, w);
			model_change(&b, model, w);
			submit_on((w + 1) % workers, &box_looks, h, as_arg(&b));
		}
		CHECK(starpu_data_acquire_on_node(h, (int)node, STARPU_R) == 0);
		unsigned seen[16];
		CHECK(starpu_opencl_copy_opencl_to_ram(buffer, node, seen, STARPU_MAIN_RAM, sizeof seen, offset, NULL, NULL) ==
		      CL_SUCCESS);
		CHECK(!memcmp(seen, model, sizeof seen));
		starpu_data_release_on_node(h, (int)node);
		starpu_data_unregister(h);
		CHECK(!memcmp(home, model, 16 * sizeof home[0]));
		CHECK(clReleaseMemObject(buffer) == CL_SUCCESS); /* it is still ours */
	}
}

/* A variable in memory that the program lends, on the device and in main memory. */
static void check_lent_variable(unsigned node)
{
	unsigned here = 0;
	cl_mem buffer = NULL;
	starpu_data_handle_t h;
	CHECK(starpu_opencl_allocate_memory(starpu_memory_node_get_devid(node), &buffer, sizeof here, CL_MEM_READ_WRITE) ==
	      CL_SUCCESS);
	starpu_variable_data_register(&h, -1, 0, sizeof here);
	starpu_variable_ptr_register(h, STARPU_MAIN_RAM, (uintptr_t)&here, (uintptr_t)&here, 0);
	starpu_data_ptr_register(h, node); /* the same in two steps */
	struct starpu_variable_interface *i = starpu_data_get_interface_on_node(h, node);
	i->ptr = i->dev_handle = (uintptr_t)buffer;
	CHECK(starpu_data_acquire(h, STARPU_W) == 0);
	CHECK(starpu_data_get_local_ptr(h) == &here);
	here = 7;
	starpu_data_release(h);
	for (unsigned w = 0; w < workers; w++)
		submit_on(w, &box_changes, h, 1);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	unsigned want = 7;
	for (unsigned w = 0; w < workers; w++)
		want = want * 3 + 1;
	CHECK(here == want);
	starpu_data_release(h);
	starpu_data_unregister(h);
	CHECK(clReleaseMemObject(buffer) == CL_SUCCESS);
}

int main(void)
{
	char folder[] = "/tmp/starpu-everywhere-XXXXXX";
	if (!mkdtemp(folder))
		return 1;
	setenv("STARPU_LIMIT_OPENCL_MEM", "64", 1);
	begin_with_devices();
	disk = (unsigned)starpu_disk_register(&starpu_disk_unistd_ops, folder, -1);
	nodes = starpu_memory_nodes_get_count();
	for (unsigned i = 0; i < SHAPES; i++)
		for (int as_ndim = 0; as_ndim <= (shapes[i].dims > 0 && shapes[i].dims < 5); as_ndim++) {
			check_box(&shapes[i], as_ndim);
			check_scratch(&shapes[i], as_ndim);
		}
	check_sparse();
	for (unsigned node = 0; node < nodes; node++) {
		check_memory_of(node);
		check_acquired(node);
		if (node)
			check_status(node);
		if (starpu_node_get_kind(node) == STARPU_OPENCL_RAM) {
			check_lent(node);
			check_lent_variable(node);
		}
	}
	check_limits();
	check_alignment();
	starpu_shutdown();
	CHECK(rmdir(folder) == 0);
	return checks_failed();
}
