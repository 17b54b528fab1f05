/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data of every interface answers, whole and cut by every filter that StarPU 1.3 has, in lines on stdout. Built twice where
 * Debian's StarPU is installed, against us and against that, so that the two can be compared line by line.
 */
#include <starpu.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 11, NY = 7, NZ = 5, LDY = 13, LDZ = LDY * 8, SIZE = LDZ * 6 };
static int value[SIZE];
static uint32_t column[SIZE], row[SIZE], rowptr[] = {0, 2, 3, 3, 6, 10, 12};
enum { ROWS = sizeof rowptr / sizeof rowptr[0] - 1 };

static unsigned long hash(const void *data, size_t bytes)
{
	unsigned long h = 5381;
	for (size_t i = 0; i < bytes; i++)
		h = h * 33 + ((const unsigned char *)data)[i];
	return h;
}

static size_t elements_from(const void *at)
{
	return at ? (size_t)((const int *)at - value) : 0;
}

/* ---- of any interface ---- */

static void tell_text(starpu_data_handle_t h)
{
	struct starpu_data_interface_ops *ops = starpu_data_get_interface_ops(h);
	char text[100] = "", *shown = NULL;
	size_t n;
	FILE *f = open_memstream(&shown, &n);
	long described = (long)ops->describe(starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM), text, sizeof text);
	ops->display(h, f);
	fclose(f);
	printf("  described %ld '%s', shown '%s', name %s\n", described, text, shown, ops->name);
	free(shown);
}

static void tell_footprint(starpu_data_handle_t h)
{
	struct starpu_data_interface_ops *ops = starpu_data_get_interface_ops(h);
	void *interface = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	printf("  id %d, footprint %08x, same %d, size %zu\n", (int)starpu_data_get_interface_id(h), ops->footprint(h),
	       ops->compare(interface, interface), starpu_data_get_size(h));
}

/* Sizes, and the value packed and unpacked in another order. */
static void tell_packed(starpu_data_handle_t h)
{
	void *packed = NULL;
	starpu_ssize_t told = -2, size = -2;
	int rc = starpu_data_pack(h, NULL, &told);
	int rc2 = starpu_data_pack(h, &packed, &size);
	printf("  allocated %zu, packed %d %ld, %d %ld", starpu_data_get_alloc_size(h), rc, (long)told, rc2, (long)size);
	unsigned char *p = packed;
	if (p)
		printf(", content %lx", hash(p, (size_t)size));
	for (starpu_ssize_t i = 0; i < size / 2; i++) {
		unsigned char other = p[i];
		p[i] = p[size - 1 - i];
		p[size - 1 - i] = other;
	}
	rc = starpu_data_unpack(h, packed, (size_t)size);
	printf(", unpacked %d, all %lx\n", rc, hash(value, sizeof value));
}

static void tell_inside(starpu_data_handle_t h)
{
	unsigned char *at = (unsigned char *)value;
	unsigned was = 0;
	printf("  inside");
	for (size_t i = 0; i <= sizeof value; i++) {
		unsigned is = i < sizeof value && starpu_data_pointer_is_inside(h, STARPU_MAIN_RAM, at + i);
		if (is != was)
			printf(" %zu", i);
		was = is;
	}
	printf("\n");
}

/* ---- what a task sees ---- */

static void see_variable(void *buffers[], void *arg)
{
	printf("  task: %zu bytes at %zu, offset %zu, byte is %d\n", (size_t)STARPU_VARIABLE_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_VARIABLE_GET_PTR(buffers[0])), (size_t)STARPU_VARIABLE_GET_OFFSET(buffers[0]),
	       STARPU_VARIABLE_GET_DEV_HANDLE(buffers[0]) == STARPU_VARIABLE_GET_PTR(buffers[0]));
	(void)arg;
}
static void see_vector(void *buffers[], void *arg)
{
	printf("  task: %zu of %zu bytes at %zu, offset %zu, allocated %zu, handle is pointer %d, slice %zu\n",
	       (size_t)STARPU_VECTOR_GET_NX(buffers[0]), (size_t)STARPU_VECTOR_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_VECTOR_GET_PTR(buffers[0])), (size_t)STARPU_VECTOR_GET_OFFSET(buffers[0]),
	       (size_t)STARPU_VECTOR_GET_ALLOCSIZE(buffers[0]), STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]) == (uintptr_t)value,
	       (size_t)STARPU_VECTOR_GET_SLICE_BASE(buffers[0]));
	(void)arg;
}
static void see_matrix(void *buffers[], void *arg)
{
	printf("  task: %zu x %zu by %zu of %zu bytes at %zu, offset %zu, allocated %zu, handle is pointer %d\n",
	       (size_t)STARPU_MATRIX_GET_NX(buffers[0]), (size_t)STARPU_MATRIX_GET_NY(buffers[0]),
	       (size_t)STARPU_MATRIX_GET_LD(buffers[0]), (size_t)STARPU_MATRIX_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_MATRIX_GET_PTR(buffers[0])), (size_t)STARPU_MATRIX_GET_OFFSET(buffers[0]),
	       (size_t)STARPU_MATRIX_GET_ALLOCSIZE(buffers[0]), STARPU_MATRIX_GET_DEV_HANDLE(buffers[0]) == (uintptr_t)value);
	(void)arg;
}
static void see_block(void *buffers[], void *arg)
{
	printf("  task: %zu x %zu x %zu by %zu, %zu of %zu bytes at %zu, offset %zu, handle is pointer %d\n",
	       (size_t)STARPU_BLOCK_GET_NX(buffers[0]), (size_t)STARPU_BLOCK_GET_NY(buffers[0]),
	       (size_t)STARPU_BLOCK_GET_NZ(buffers[0]), (size_t)STARPU_BLOCK_GET_LDY(buffers[0]),
	       (size_t)STARPU_BLOCK_GET_LDZ(buffers[0]), (size_t)STARPU_BLOCK_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_BLOCK_GET_PTR(buffers[0])), (size_t)STARPU_BLOCK_GET_OFFSET(buffers[0]),
	       STARPU_BLOCK_GET_DEV_HANDLE(buffers[0]) == (uintptr_t)value);
	(void)arg;
}
static void see_csr(void *buffers[], void *arg)
{
	printf("  task: %zu in %zu rows from %zu of %zu bytes: values at %zu, columns at %zu, rows at %zu, offset %d\n",
	       (size_t)STARPU_CSR_GET_NNZ(buffers[0]), (size_t)STARPU_CSR_GET_NROW(buffers[0]),
	       (size_t)STARPU_CSR_GET_FIRSTENTRY(buffers[0]), (size_t)STARPU_CSR_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_CSR_GET_NZVAL(buffers[0])), (size_t)(STARPU_CSR_GET_COLIND(buffers[0]) - column),
	       (size_t)(STARPU_CSR_GET_ROWPTR(buffers[0]) - rowptr), STARPU_CSR_GET_OFFSET);
	(void)arg;
}
static void see_bcsr(void *buffers[], void *arg)
{
	printf("  task: %zu blocks of %zu x %zu in %zu rows from %zu of %zu bytes: values at %zu, columns at %zu, rows at %zu\n",
	       (size_t)STARPU_BCSR_GET_NNZ(buffers[0]), (size_t)STARPU_BCSR_GET_R(buffers[0]),
	       (size_t)STARPU_BCSR_GET_C(buffers[0]), (size_t)STARPU_BCSR_GET_NROW(buffers[0]),
	       (size_t)STARPU_BCSR_GET_FIRSTENTRY(buffers[0]), (size_t)STARPU_BCSR_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_BCSR_GET_NZVAL(buffers[0])), (size_t)(STARPU_BCSR_GET_COLIND(buffers[0]) - column),
	       (size_t)(STARPU_BCSR_GET_ROWPTR(buffers[0]) - rowptr));
	(void)arg;
}
static void see_coo(void *buffers[], void *arg)
{
	printf("  task: %zu in %zu x %zu of %zu bytes: values at %zu, columns at %zu, rows at %zu\n",
	       (size_t)STARPU_COO_GET_NVALUES(buffers[0]), (size_t)STARPU_COO_GET_NX(buffers[0]),
	       (size_t)STARPU_COO_GET_NY(buffers[0]), (size_t)STARPU_COO_GET_ELEMSIZE(buffers[0]),
	       elements_from((void *)STARPU_COO_GET_VALUES(buffers[0])), (size_t)(STARPU_COO_GET_COLUMNS(buffers[0]) - column),
	       (size_t)(STARPU_COO_GET_ROWS(buffers[0]) - row));
	(void)arg;
}

static void tell(starpu_data_handle_t h)
{
	static const struct {
		enum starpu_data_interface_id id;
		starpu_cpu_func_t func;
	} sees[] = {{STARPU_VARIABLE_INTERFACE_ID, see_variable},
	            {STARPU_VECTOR_INTERFACE_ID, see_vector},
	            {STARPU_MATRIX_INTERFACE_ID, see_matrix},
	            {STARPU_BLOCK_INTERFACE_ID, see_block},
	            {STARPU_CSR_INTERFACE_ID, see_csr},
	            {STARPU_BCSR_INTERFACE_ID, see_bcsr},
	            {STARPU_COO_INTERFACE_ID, see_coo}};
	for (size_t i = 0; i < sizeof sees / sizeof sees[0]; i++)
		if (sees[i].id == starpu_data_get_interface_id(h)) {
			struct starpu_codelet cl = {.cpu_funcs = {sees[i].func}, .nbuffers = 1, .modes = {STARPU_R}};
			struct starpu_task *t = starpu_task_create();
			t->cl = &cl;
			t->handles[0] = h;
			t->synchronous = 1;
			if (starpu_task_submit(t))
				printf("  no task\n");
		}
	tell_text(h);
	tell_footprint(h);
	printf("  home %d, pointer at %zu, acquired %d\n", starpu_data_get_home_node(h),
	       elements_from(starpu_data_get_local_ptr(h)), starpu_data_acquire(h, STARPU_RW));
	tell_packed(h);
	tell_inside(h);
	starpu_data_release(h);
}

/* ---- the ways to cut ---- */

typedef void filter(void *, void *, struct starpu_data_filter *, unsigned, unsigned);
struct cut {
	const char *name;
	filter *func;
	unsigned most;    /* parts */
	unsigned borders; /* widths of borders to try */
};

static void tell_parts(starpu_data_handle_t h, const struct cut *cut, unsigned parts, uintptr_t border)
{
	struct starpu_data_filter f = {.filter_func = cut->func, .nchildren = parts, .filter_arg_ptr = (void *)border};
	printf(" %s in %u, border %zu\n", cut->name, parts, (size_t)border);
	starpu_data_partition(h, &f);
	printf(" children %d\n", starpu_data_get_nb_children(h));
	for (unsigned i = 0; i < parts; i++)
		tell(starpu_data_get_sub_data(h, 1, i));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
}

static void tell_cuts(starpu_data_handle_t h, const struct cut *cut, size_t n)
{
	tell(h);
	for (size_t i = 0; i < n; i++)
		for (unsigned parts = 1; parts <= cut[i].most; parts++)
			for (uintptr_t border = cut[i].borders ? 1 : 0; border <= cut[i].borders; border++)
				tell_parts(h, &cut[i], parts, border);
	starpu_data_unregister(h);
	for (int i = 0; i < SIZE; i++)
		value[i] = i;
}

static void tell_dense(void)
{
	static const struct cut vector[] = {{"block", starpu_vector_filter_block, 4, 0},
	                                    {"block_shadow", starpu_vector_filter_block_shadow, 4, 2}},
				matrix[] = {{"block", starpu_matrix_filter_block, 4, 0},
	                                    {"block_shadow", starpu_matrix_filter_block_shadow, 4, 2},
	                                    {"vertical", starpu_matrix_filter_vertical_block, 7, 0},
	                                    {"vertical_shadow", starpu_matrix_filter_vertical_block_shadow, 3, 2}},
				block[] = {{"block", starpu_block_filter_block, 4, 0},
	                                   {"block_shadow", starpu_block_filter_block_shadow, 3, 2},
	                                   {"vertical", starpu_block_filter_vertical_block, 3, 0},
	                                   {"vertical_shadow", starpu_block_filter_vertical_block_shadow, 2, 2},
	                                   {"depth", starpu_block_filter_depth_block, 5, 0},
	                                   {"depth_shadow", starpu_block_filter_depth_block_shadow, 3, 1}};
	starpu_data_handle_t h;
	printf("variable\n");
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, 24);
	tell_cuts(h, NULL, 0);
	printf("vector\n");
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, NX, sizeof(int));
	tell_cuts(h, vector, sizeof vector / sizeof vector[0]);
	printf("vector of more than its elements\n");
	starpu_vector_data_register_allocsize(&h, STARPU_MAIN_RAM, (uintptr_t)value, NX, sizeof(int), 64 * sizeof(int));
	tell_cuts(h, NULL, 0);
	printf("matrix\n");
	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, LDY, NX, NY, sizeof(int));
	tell_cuts(h, matrix, sizeof matrix / sizeof matrix[0]);
	printf("matrix of more than its elements\n");
	starpu_matrix_data_register_allocsize(&h, STARPU_MAIN_RAM, (uintptr_t)value, LDY, NX, NY, sizeof(int), sizeof value);
	tell_cuts(h, NULL, 0);
	printf("block\n");
	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, LDY, LDZ, NX, NY, NZ, sizeof(int));
	tell_cuts(h, block, sizeof block / sizeof block[0]);
}

static void tell_lists(void)
{
	uint32_t list[] = {2, 4, 1, 4};
	long list_long[] = {3, 1, 7};
	starpu_data_handle_t h;
	struct starpu_data_filter by[] = {
		{.filter_func = starpu_vector_filter_list, .nchildren = 4, .filter_arg_ptr = list},
		{.filter_func = starpu_vector_filter_list_long, .nchildren = 3, .filter_arg_ptr = list_long},
		{.filter_func = starpu_vector_filter_divide_in_2, .nchildren = 2, .filter_arg = 3},
	};
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, NX, sizeof(int));
	for (size_t k = 0; k < sizeof by / sizeof by[0]; k++) {
		printf("vector by list %zu\n", k);
		starpu_data_partition(h, &by[k]);
		for (int i = 0; i < starpu_data_get_nb_children(h); i++)
			tell(starpu_data_get_child(h, (unsigned)i));
		starpu_data_unpartition(h, STARPU_MAIN_RAM);
	}
	starpu_data_unregister(h);
}

static void tell_sparse(void)
{
	static const struct cut csr[] = {{"vertical", starpu_csr_filter_vertical_block, 6, 0}},
				bcsr[] = {{"vertical", starpu_bcsr_filter_vertical_block, 6, 0}};
	struct starpu_data_filter blocks = {.filter_func = starpu_bcsr_filter_canonical_block,
	                                    .get_nchildren = starpu_bcsr_filter_canonical_block_get_nchildren,
	                                    .get_child_ops = starpu_bcsr_filter_canonical_block_child_ops};
	const uint32_t nnz = rowptr[ROWS];
	starpu_data_handle_t h;
	for (uint32_t i = 0; i < SIZE; i++) {
		column[i] = i % 5;
		row[i] = i % 3;
	}
	printf("csr\n");
	starpu_csr_data_register(&h, STARPU_MAIN_RAM, nnz, ROWS, (uintptr_t)value, column, rowptr, 0, sizeof(int));
	printf(" %u %u %u %zu %d %d %d\n", starpu_csr_get_nnz(h), starpu_csr_get_nrow(h), starpu_csr_get_firstentry(h),
	       starpu_csr_get_elemsize(h), starpu_csr_get_local_nzval(h) == (uintptr_t)value,
	       starpu_csr_get_local_colind(h) == column, starpu_csr_get_local_rowptr(h) == rowptr);
	starpu_data_unregister(h);
	for (unsigned k = 0; k < 2; k++) {
		printf(k ? "bcsr\n" : "csr\n");
		for (unsigned parts = 1; parts <= csr->most; parts++) {
			struct starpu_data_filter f = {.filter_func = k ? bcsr->func : csr->func, .nchildren = parts};
			if (k)
				starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, nnz, ROWS, (uintptr_t)value, column, rowptr, 0, 3,
				                          2, sizeof(int));
			else
				starpu_csr_data_register(&h, STARPU_MAIN_RAM, nnz, ROWS, (uintptr_t)value, column, rowptr, 0,
				                         sizeof(int));
			tell_footprint(h);
			starpu_data_partition(h, &f);
			for (unsigned i = 0; i < parts; i++) {
				starpu_data_handle_t part = starpu_data_get_child(h, i);
				struct starpu_codelet cl = {.cpu_funcs = {k ? see_bcsr : see_csr},
				                            .nbuffers = 1,
				                            .modes = {STARPU_R}};
				tell_footprint(part);
				if (starpu_task_insert(&cl, STARPU_R, part, STARPU_TASK_SYNCHRONOUS, 1, 0))
					printf("  no task\n");
			}
			starpu_data_unpartition(h, STARPU_MAIN_RAM);
			starpu_data_unregister(h);
		}
	}
	printf("bcsr by blocks\n");
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, nnz, ROWS, (uintptr_t)value, column, rowptr, 0, 3, 2, sizeof(int));
	printf(" %u %u %u %zu %u %u %d %d %d\n", starpu_bcsr_get_nnz(h), starpu_bcsr_get_nrow(h), starpu_bcsr_get_firstentry(h),
	       starpu_bcsr_get_elemsize(h), starpu_bcsr_get_r(h), starpu_bcsr_get_c(h),
	       starpu_bcsr_get_local_nzval(h) == (uintptr_t)value, starpu_bcsr_get_local_colind(h) == column,
	       starpu_bcsr_get_local_rowptr(h) == rowptr);
	starpu_data_partition(h, &blocks);
	for (int i = 0; i < starpu_data_get_nb_children(h); i++)
		tell(starpu_data_get_child(h, (unsigned)i));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	printf("coo\n");
	starpu_coo_data_register(&h, STARPU_MAIN_RAM, 20, 30, 12, column, row, (uintptr_t)value, sizeof(int));
	struct starpu_codelet cl = {.cpu_funcs = {see_coo}, .nbuffers = 1, .modes = {STARPU_R}};
	if (starpu_task_insert(&cl, STARPU_R, h, STARPU_TASK_SYNCHRONOUS, 1, 0))
		printf("  no task\n");
	tell_footprint(h);
	starpu_data_unregister(h);
	printf("void\n");
	starpu_void_data_register(&h);
	tell_footprint(h);
	starpu_data_unregister(h);
}

static void tell_chunks(void)
{
	printf("chunks\n");
	for (unsigned n = 1; n < 20; n++)
		for (unsigned parts = 1; parts <= n; parts++)
			for (unsigned id = 0; id < parts; id++) {
				unsigned chunk;
				size_t offset;
#ifdef OF_1_3
				starpu_filter_nparts_compute_chunk_size_and_offset(n, parts, 4, id, 3, &chunk, &offset);
#else
				size_t size;
				starpu_filter_nparts_compute_chunk_size_and_offset(n, parts, 4, id, 3, &size, &offset);
				chunk = (unsigned)size;
#endif
				printf(" %u/%u %u: %u at %zu\n", id, parts, n, chunk, offset);
			}
}

/* ---- memory within a limit of 64 MiB ---- */

/* Beyond it the two differ: we say that nothing is available, 1.3 a negative number. */
enum { LIMIT = 64 << 20 };

static void tell_room(const char *when)
{
	printf(" %s: total %ld %ld, available %ld %ld\n", when, (long)starpu_memory_get_total(STARPU_MAIN_RAM),
	       (long)starpu_memory_get_total_all_nodes(), (long)starpu_memory_get_available(STARPU_MAIN_RAM),
	       (long)starpu_memory_get_available_all_nodes());
}

static void tell_allocated(size_t size, int flags)
{
	void *p = NULL;
	int rc = starpu_malloc_flags(&p, size, flags);
	printf(" %zu bytes, flags %x: %d\n", size, (unsigned)flags, rc);
	if (size <= LIMIT)
		tell_room("with these");
	if (!rc)
		starpu_free_flags(p, size, flags);
}

static void tell_memory(void)
{
	printf("memory\n");
	tell_room("at first");
	tell_allocated(1 << 20, STARPU_MALLOC_PINNED);
	tell_allocated(1 << 20, STARPU_MALLOC_COUNT);
	tell_allocated(1 << 20, STARPU_MALLOC_COUNT | STARPU_MALLOC_PINNED);
	tell_allocated(LIMIT + 1, STARPU_MALLOC_COUNT);
	tell_allocated(LIMIT + 1, STARPU_MALLOC_COUNT | STARPU_MALLOC_NORECLAIM | STARPU_MEMORY_OVERFLOW);
	tell_allocated(1, STARPU_MALLOC_COUNT | STARPU_MEMORY_WAIT);
	static const int flags[] = {0, STARPU_MEMORY_OVERFLOW};
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		int rc = starpu_memory_allocate(STARPU_MAIN_RAM, LIMIT + 1, flags[i]);
		printf(" reserved with %x: %d\n", (unsigned)flags[i], rc);
		if (!rc)
			starpu_memory_deallocate(STARPU_MAIN_RAM, LIMIT + 1);
	}
	uintptr_t one = starpu_malloc_on_node(STARPU_MAIN_RAM, 4096);
	tell_room("on the node");
	starpu_free_on_node(STARPU_MAIN_RAM, one, 4096);
	one = starpu_malloc_on_node_flags(STARPU_MAIN_RAM, 4096, STARPU_MALLOC_COUNT);
	tell_room("on the node, counted");
	starpu_free_on_node_flags(STARPU_MAIN_RAM, one, 4096, STARPU_MALLOC_COUNT);
	starpu_malloc_on_node_set_default_flags(STARPU_MAIN_RAM, STARPU_MALLOC_PINNED);
	one = starpu_malloc_on_node(STARPU_MAIN_RAM, 4096);
	tell_room("on the node, not counted");
	starpu_free_on_node(STARPU_MAIN_RAM, one, 4096);
	starpu_malloc_on_node_set_default_flags(STARPU_MAIN_RAM, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	tell_room("at last");
}

/* ---- what is where, and who has it ---- */

static void tell_status(starpu_data_handle_t h, const char *when)
{
	int allocated, valid, requested;
	starpu_data_query_status(h, STARPU_MAIN_RAM, &allocated, &valid, &requested);
	printf(" %s: allocated %d %u, valid %d %u, requested %d, pointer %d\n", when, allocated,
	       starpu_data_test_if_allocated_on_node(h, STARPU_MAIN_RAM), valid, starpu_data_is_on_node(h, STARPU_MAIN_RAM),
	       requested, starpu_data_handle_to_pointer(h, STARPU_MAIN_RAM) != NULL);
}

static void tell_tried(starpu_data_handle_t h, const char *when)
{
	int rc = starpu_data_acquire_try(h, STARPU_R);
	printf(" %s: %d", when, rc);
	if (!rc)
		starpu_data_release(h);
	rc = starpu_data_acquire_on_node_try(h, STARPU_MAIN_RAM, STARPU_RW);
	printf(" %d\n", rc);
	if (!rc)
		starpu_data_release_on_node(h, STARPU_MAIN_RAM);
}

static void fill(void *buffers[], void *arg)
{
	memset((void *)STARPU_VECTOR_GET_PTR(buffers[0]), 1, STARPU_VECTOR_GET_NX(buffers[0]) * sizeof(int));
	(void)arg;
}

static unsigned called; /* by one writer after the other */

static void got(void *h)
{
	called++;
	starpu_data_release(h);
}

static void got_on_node(void *h)
{
	called++;
	starpu_data_release_on_node(h, STARPU_MAIN_RAM);
}

static void tell_acquired(starpu_data_handle_t h)
{
	printf(" %d\n", starpu_data_acquire_cb(h, STARPU_RW, got, h));
	printf(" %d\n", starpu_data_acquire_cb_sequential_consistency(h, STARPU_RW, got, h, 1));
	printf(" %d\n", starpu_data_acquire_on_node_cb(h, STARPU_MAIN_RAM, STARPU_RW, got_on_node, h));
	printf(" %d\n", starpu_data_acquire_on_node_cb_sequential_consistency(h, STARPU_MAIN_RAM, STARPU_RW, got_on_node, h, 1));
	printf(" %d", starpu_data_acquire(h, STARPU_RW));
	printf(" called %u\n", called);
	starpu_data_release(h);
	printf(" %d\n", starpu_data_acquire(h, STARPU_R));
	tell_tried(h, "tried beside a reader");
	starpu_data_release(h);
	printf(" %d\n", starpu_data_acquire_on_node(h, STARPU_MAIN_RAM, STARPU_RW));
	tell_tried(h, "tried beside a writer");
	starpu_data_release_on_node(h, STARPU_MAIN_RAM);
	printf(" %d\n", starpu_data_acquire_on_node(h, STARPU_ACQUIRE_NO_NODE, STARPU_R));
	starpu_data_release_on_node(h, STARPU_ACQUIRE_NO_NODE);
	printf(" %d\n", starpu_data_acquire_on_node(h, STARPU_ACQUIRE_NO_NODE_LOCK_ALL, STARPU_RW));
	starpu_data_release_on_node(h, STARPU_ACQUIRE_NO_NODE_LOCK_ALL);
	tell_tried(h, "tried");
}

static void tell_states(void)
{
	struct starpu_codelet fills = {.cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}};
	starpu_data_handle_t h;
	printf("states\n");
	starpu_vector_data_register(&h, -1, 0, NX, sizeof(int));
	tell_status(h, "new");
	if (starpu_task_insert(&fills, STARPU_W, h, STARPU_TASK_SYNCHRONOUS, 1, 0))
		printf(" no task\n");
	tell_status(h, "written");
	printf(" %d %d %d %d %d %d\n", starpu_data_request_allocation(h, STARPU_MAIN_RAM),
	       starpu_data_fetch_on_node(h, STARPU_MAIN_RAM, 0), starpu_data_prefetch_on_node(h, STARPU_MAIN_RAM, 0),
	       starpu_data_prefetch_on_node_prio(h, STARPU_MAIN_RAM, 0, 3),
	       starpu_data_idle_prefetch_on_node(h, STARPU_MAIN_RAM, 0),
	       starpu_data_idle_prefetch_on_node_prio(h, STARPU_MAIN_RAM, 0, 3));
	tell_acquired(h);
	starpu_data_set_ooc_flag(h, 0);
	printf(" %u", starpu_data_get_ooc_flag(h));
	starpu_data_set_ooc_flag(h, 1);
	starpu_data_advise_as_important(h, 1);
	starpu_data_set_sequential_consistency_flag(h, 0);
	printf(" %u %u %u %d\n", starpu_data_get_ooc_flag(h), starpu_data_get_sequential_consistency_flag(h),
	       starpu_data_get_default_sequential_consistency_flag(), starpu_data_get_home_node(h));
	starpu_data_invalidate(h);
	tell_status(h, "invalidated");
	starpu_data_unregister(h);
}

int main(void)
{
	setenv("STARPU_LIMIT_CPU_MEM", "64", 1);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (starpu_init(NULL))
		return EXIT_FAILURE;
	for (int i = 0; i < SIZE; i++)
		value[i] = i;
	tell_dense();
	tell_lists();
	tell_sparse();
	tell_chunks();
	tell_memory();
	tell_states();
	starpu_shutdown();
	return EXIT_SUCCESS;
}
