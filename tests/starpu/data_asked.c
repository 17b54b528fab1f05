/* SPDX-License-Identifier: Apache-2.0 */
/* What handles answer: shapes, pointers and leading dimensions; memory that the program lends; pieces of tensors and of ndim data. */
#include "starpu_check.h"
#include <stdbool.h>

enum { SIZE = 120 };
static int value[SIZE], lent[SIZE];
static unsigned called;

static void release(void *handle)
{
	starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

static void add_one(void *buffers[], void *arg)
{
	int *x = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	(void)arg;
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		x[i]++;
}
static struct starpu_codelet adding = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};

static void check_shapes(void)
{
	starpu_data_handle_t h;
	starpu_matrix_data_register_allocsize(&h, STARPU_MAIN_RAM, (uintptr_t)value, 6, 4, 5, sizeof(int), sizeof value);
	CHECK(starpu_matrix_get_local_ptr(h) == (uintptr_t)value && starpu_matrix_get_local_ld(h) == 6);
	CHECK(starpu_data_get_local_ptr(h) == value && starpu_data_handle_to_pointer(h, STARPU_MAIN_RAM) == value);
	CHECK(starpu_matrix_get_allocsize(h) == sizeof value && starpu_data_get_alloc_size(h) == sizeof value);
	CHECK(starpu_data_get_size(h) == 20 * sizeof(int));
	CHECK(starpu_data_handle_to_pointer_ref(h, STARPU_MAIN_RAM) == value);
	starpu_data_handle_to_pointer_unref(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);

	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, 4, 12, 3, 2, 5, sizeof(int));
	CHECK(starpu_block_get_local_ptr(h) == (uintptr_t)value && starpu_block_get_elemsize(h) == sizeof(int));
	CHECK(starpu_block_get_local_ldy(h) == 4 && starpu_block_get_local_ldz(h) == 12);
	starpu_data_unregister(h);

	uint32_t column[] = {0, 1, 0, 1}, row[] = {0, 2, 4};
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, 4, 2, (uintptr_t)value, column, row, 0, 2, 2, sizeof(int));
	CHECK(starpu_bcsr_get_local_rowptr(h) == row && starpu_bcsr_get_local_colind(h) == column);
	CHECK(starpu_bcsr_get_local_nzval(h) == (uintptr_t)value && starpu_data_get_local_ptr(h) == value);
	starpu_data_unregister(h);

	size_t nn[] = {4, 5}, ld[] = {1, 6};
	starpu_ndim_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, ld, nn, 2, sizeof(int));
	CHECK(starpu_ndim_get_ndim(h) == 2 && starpu_ndim_get_elemsize(h) == sizeof(int));
	CHECK(starpu_ndim_get_nn(h)[0] == 4 && starpu_ndim_get_ni(h, 1) == 5);
	CHECK(starpu_ndim_get_local_ldn(h)[1] == 6 && starpu_ndim_get_local_ldi(h, 1) == 6);
	CHECK(starpu_ndim_get_local_ptr(h) == (uintptr_t)value);
	starpu_data_unregister(h);
}

/* Coordinates: as many are told as were set, as many written as there is room for. */
static void check_coordinates(void)
{
	starpu_data_handle_t h;
	int got[3] = {-1, -1, -1}, three[] = {7, 8, 9};
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, SIZE, sizeof(int));
	starpu_data_set_coordinates(h, 2, 3, 4);
	CHECK(starpu_data_get_coordinates_array(h, 3, got) == 2 && got[0] == 3 && got[1] == 4 && got[2] == -1);
	starpu_data_set_coordinates_array(h, 3, three);
	got[0] = got[1] = -1;
	starpu_data_get_coordinates_array(h, 1, got);
	CHECK(got[1] == -1);
	starpu_data_unregister(h);
}

static void check_callbacks(void)
{
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, SIZE, sizeof(int));
	CHECK(starpu_data_acquire_on_node_cb_sequential_consistency_quick(h, STARPU_MAIN_RAM, STARPU_RW, release, h, 1, 1) == 0);
	WAIT_FOR(LOOK(called) == 1);
	CHECK(starpu_data_get_on_node_cb_prio(h, STARPU_MAIN_RAM, STARPU_RW, release, h, STARPU_FETCH, 1) == 0);
	WAIT_FOR(LOOK(called) == 2);
	CHECK(LOOK(called) == 2);
	starpu_data_unregister(h);
}

static void expect_in_lent(starpu_data_handle_t h)
{
	CHECK(starpu_data_acquire(h, STARPU_W) == 0);
	CHECK(starpu_data_get_local_ptr(h) == lent);
	starpu_data_release(h);
	starpu_data_unregister(h);
}

/* A handle without a home computes in the memory that it is given, and leaves it to its owner. */
static void check_lent_memory(void)
{
	const uintptr_t at = (uintptr_t)lent;
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, -1, 0, SIZE, sizeof(int));
	starpu_vector_ptr_register(h, STARPU_MAIN_RAM, at, at, 0);
	CHECK(starpu_data_test_if_allocated_on_node(h, STARPU_MAIN_RAM));
	CHECK(starpu_data_acquire(h, STARPU_W) == 0);
	memset(starpu_data_get_local_ptr(h), 0, sizeof lent);
	starpu_data_release(h);
	CHECK(starpu_task_insert(&adding, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	CHECK(lent[0] == 1 && lent[SIZE - 1] == 1);

	starpu_matrix_data_register(&h, -1, 0, 4, 4, 4, sizeof(int));
	starpu_matrix_ptr_register(h, STARPU_MAIN_RAM, at, at, 0, 8);
	CHECK(starpu_matrix_get_local_ld(h) == 8);
	expect_in_lent(h);
	starpu_matrix_data_register(&h, -1, 0, 4, 4, 4, sizeof(int));
	starpu_submatrix_ptr_register(h, STARPU_MAIN_RAM, at, at, 0, 7);
	CHECK(starpu_matrix_get_local_ld(h) == 7);
	expect_in_lent(h);
	starpu_variable_data_register(&h, -1, 0, sizeof(int));
	starpu_subdata_ptr_register(h, STARPU_MAIN_RAM);
	((struct starpu_variable_interface *)starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM))->ptr = at;
	expect_in_lent(h);
	starpu_block_data_register(&h, -1, 0, 2, 4, 2, 2, 2, sizeof(int));
	starpu_block_ptr_register(h, STARPU_MAIN_RAM, at, at, 0, 3, 9);
	CHECK(starpu_block_get_local_ldy(h) == 3 && starpu_block_get_local_ldz(h) == 9);
	expect_in_lent(h);
	starpu_tensor_data_register(&h, -1, 0, 2, 4, 8, 2, 2, 2, 2, sizeof(int));
	starpu_tensor_ptr_register(h, STARPU_MAIN_RAM, at, at, 0, 2, 5, 11);
	CHECK(starpu_tensor_get_local_ldz(h) == 5 && starpu_tensor_get_local_ldt(h) == 11);
	expect_in_lent(h);
	size_t nn[] = {4, 5}, dense[] = {1, 4}, ld[] = {1, 6};
	starpu_ndim_data_register(&h, -1, 0, dense, nn, 2, sizeof(int));
	starpu_ndim_ptr_register(h, STARPU_MAIN_RAM, at, at, 0, ld);
	CHECK(starpu_ndim_get_local_ldi(h, 1) == 6);
	expect_in_lent(h);
}

/* The last piece of a tensor of 2 x 3 x 4 x 5, cut along each of its dimensions. */
static void check_tensor(void)
{
	static const struct {
		void (*cut)(void *, void *, struct starpu_data_filter *, unsigned, unsigned);
		unsigned pieces;
		size_t nx, ny, nz, nt;
		int first;
	} cuts[] = {
		{starpu_tensor_filter_block, 2, 1, 3, 4, 5, 1},
		{starpu_tensor_filter_vertical_block, 3, 2, 1, 4, 5, 4},
		{starpu_tensor_filter_depth_block, 2, 2, 3, 2, 5, 12},
		{starpu_tensor_filter_time_block, 5, 2, 3, 4, 1, 96},
	};
	starpu_data_handle_t h;
	for (int i = 0; i < SIZE; i++)
		value[i] = i;
	starpu_tensor_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, 2, 6, 24, 2, 3, 4, 5, sizeof(int));
	CHECK(starpu_tensor_get_local_ptr(h) == (uintptr_t)value && starpu_tensor_get_elemsize(h) == sizeof(int));
	CHECK(starpu_tensor_get_local_ldy(h) == 2 && starpu_tensor_get_local_ldz(h) == 6 && starpu_tensor_get_local_ldt(h) == 24);
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		struct starpu_data_filter f = {.filter_func = cuts[i].cut, .nchildren = cuts[i].pieces};
		starpu_data_partition(h, &f);
		starpu_data_handle_t last = starpu_data_get_sub_data(h, 1, cuts[i].pieces - 1);
		CHECK(starpu_tensor_get_nx(last) == cuts[i].nx && starpu_tensor_get_ny(last) == cuts[i].ny);
		CHECK(starpu_tensor_get_nz(last) == cuts[i].nz && starpu_tensor_get_nt(last) == cuts[i].nt);
		CHECK(*(int *)starpu_tensor_get_local_ptr(last) == cuts[i].first);
		starpu_data_unpartition(h, STARPU_MAIN_RAM);
	}
	starpu_data_unregister(h);
}

/* An ndim without dimensions is one element. */
static void check_point(void)
{
	starpu_data_handle_t h;
	size_t none = 0;
	struct starpu_data_filter f = {.filter_func = starpu_ndim_filter_to_variable,
	                               .nchildren = 1,
	                               .get_child_ops = starpu_ndim_filter_to_variable_child_ops};
	starpu_ndim_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value[7], &none, &none, 0, sizeof(int));
	CHECK(starpu_ndim_get_ndim(h) == 0 && starpu_data_get_size(h) == sizeof(int));
	starpu_data_partition(h, &f);
	CHECK(*(int *)starpu_variable_get_local_ptr(starpu_data_get_sub_data(h, 1, 0)) == 7);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

static void check_copy(void)
{
	int to[8] = {0};
	size_t nn[] = {2, 2, 2}, from_ld[] = {1, 4, 12}, to_ld[] = {1, 2, 4};
	static const int expected[] = {0, 1, 4, 5, 12, 13, 16, 17};
	CHECK(starpu_interface_copynd((uintptr_t)value, 0, STARPU_MAIN_RAM, (uintptr_t)to, 0, STARPU_MAIN_RAM, sizeof(int), 3, nn,
	                              from_ld, to_ld, NULL) == 0);
	CHECK(memcmp(to, expected, sizeof to) == 0);
}

/* An interface gets its number once. */
static void check_interface_number(void)
{
	struct starpu_data_interface_ops ops = {.interfaceid = STARPU_UNKNOWN_INTERFACE_ID, .interface_size = 8};
	starpu_data_register_ops(&ops);
	const int number = (int)ops.interfaceid;
	CHECK(number >= STARPU_MAX_INTERFACE_ID);
	starpu_data_register_ops(&ops);
	CHECK((int)ops.interfaceid == number);
}

/* The tables of the interfaces that there are: whoever registers with one of them gets that interface. */
static void check_tables(void)
{
	size_t nn[] = {2, 3}, ld[] = {1, 2};
	const uintptr_t p = (uintptr_t)value;
	uint32_t index[] = {0, 1, 2};
	union {
		struct starpu_variable_interface variable;
		struct starpu_vector_interface vector;
		struct starpu_matrix_interface matrix;
		struct starpu_block_interface block;
		struct starpu_tensor_interface tensor;
		struct starpu_ndim_interface ndim;
		struct starpu_csr_interface csr;
		struct starpu_bcsr_interface bcsr;
		struct starpu_coo_interface coo;
	} of[] = {
		{.variable = {STARPU_VARIABLE_INTERFACE_ID, .ptr = p, .dev_handle = p, .elemsize = 4}},
		{.vector = {STARPU_VECTOR_INTERFACE_ID, .ptr = p, .dev_handle = p, .nx = 6, .elemsize = 4, .allocsize = 24}},
		{.matrix = {STARPU_MATRIX_INTERFACE_ID, .ptr = p, .dev_handle = p, .nx = 2, .ny = 3, .ld = 2, .elemsize = 4,
	                    .allocsize = 24}},
		{.block = {STARPU_BLOCK_INTERFACE_ID, .ptr = p, .dev_handle = p, .nx = 2, .ny = 3, .nz = 1, .ldy = 2, .ldz = 6,
	                   .elemsize = 4}},
		{.tensor = {STARPU_TENSOR_INTERFACE_ID, .ptr = p, .dev_handle = p, .nx = 2, .ny = 3, .nz = 1, .nt = 1, .ldy = 2,
	                    .ldz = 6, .ldt = 6, .elemsize = 4}},
		{.ndim = {STARPU_NDIM_INTERFACE_ID, .ptr = p, .dev_handle = p, .allocsize = 24, .nn = nn, .ldn = ld, .ndim = 2,
	                  .elemsize = 4}},
		{.csr = {STARPU_CSR_INTERFACE_ID, .nnz = 2, .nrow = 2, .nzval = p, .colind = index, .rowptr = index,
	                 .ram_colind = index, .ram_rowptr = index, .elemsize = 4}},
		{.bcsr = {STARPU_BCSR_INTERFACE_ID, .nnz = 2, .nrow = 2, .nzval = p, .colind = index, .rowptr = index,
	                  .ram_colind = index, .ram_rowptr = index, .r = 1, .c = 1, .elemsize = 4}},
		{.coo = {STARPU_COO_INTERFACE_ID, .columns = index, .rows = index, .values = p, .nx = 2, .ny = 3, .n_values = 2,
	                 .elemsize = 4}},
	};
	static const struct {
		struct starpu_data_interface_ops *ops;
		size_t interface_size, size;
	} table[] = {
		{&starpu_interface_variable_ops, sizeof of->variable, 4}, {&starpu_interface_vector_ops, sizeof of->vector, 24},
		{&starpu_interface_matrix_ops, sizeof of->matrix, 24},    {&starpu_interface_block_ops, sizeof of->block, 24},
		{&starpu_interface_tensor_ops, sizeof of->tensor, 24},    {&starpu_interface_ndim_ops, sizeof of->ndim, 24},
		{&starpu_interface_csr_ops, sizeof of->csr, 28},          {&starpu_interface_bcsr_ops, sizeof of->bcsr, 28},
		{&starpu_interface_coo_ops, sizeof of->coo, 24},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		starpu_data_handle_t h;
		starpu_data_register(&h, STARPU_MAIN_RAM, &of[i], table[i].ops);
		CHECK(table[i].ops->interfaceid == of[i].variable.id && table[i].ops->interface_size == table[i].interface_size);
		CHECK(starpu_data_get_interface_ops(h) == table[i].ops && starpu_data_get_size(h) == table[i].size);
		CHECK(starpu_data_get_local_ptr(h) == value);
		starpu_data_unregister(h);
	}
	CHECK(starpu_interface_void_ops.interfaceid == STARPU_VOID_INTERFACE_ID);
	starpu_data_handle_t m;
	starpu_block_data_register(&m, STARPU_MAIN_RAM, p, 4, 12, 3, 2, 5, sizeof(int));
	CHECK(starpu_block_get_nx(m) == 3 && starpu_block_get_ny(m) == 2 && starpu_block_get_nz(m) == 5);
	starpu_data_unregister(m);
	starpu_matrix_data_register(&m, STARPU_MAIN_RAM, p, 6, 4, 5, sizeof(int));
	CHECK(starpu_matrix_get_elemsize(m) == sizeof(int));
	starpu_data_unregister(m);
}

/* Data of variable size: a task says how much of the memory it uses, and those after it on the node see that. */
static void shrink(void *buffers[], void *arg)
{
	(void)arg;
	STARPU_VECTOR_SET_NX(buffers[0], 5);
	STARPU_MATRIX_SET_NX(buffers[1], 2);
	STARPU_MATRIX_SET_NY(buffers[1], 3);
	STARPU_MATRIX_SET_LD(buffers[1], 7);
}
static void see_shrunk(void *buffers[], void *arg)
{
	(void)arg;
	CHECK(STARPU_VECTOR_GET_NX(buffers[0]) == 5 && STARPU_VECTOR_GET_ALLOCSIZE(buffers[0]) == 10 * sizeof(int));
	CHECK(STARPU_MATRIX_GET_NX(buffers[1]) == 2 && STARPU_MATRIX_GET_NY(buffers[1]) == 3 &&
	      STARPU_MATRIX_GET_LD(buffers[1]) == 7);
}
static struct starpu_codelet shrinks = {.cpu_funcs = {shrink}, .nbuffers = 2, .modes = {STARPU_W, STARPU_W}};
static struct starpu_codelet sees_shrunk = {.cpu_funcs = {see_shrunk}, .nbuffers = 2, .modes = {STARPU_R, STARPU_R}};

static void check_variable_size(void)
{
	starpu_data_handle_t v, m;
	starpu_vector_data_register_allocsize(&v, STARPU_MAIN_RAM, (uintptr_t)value, 8, sizeof(int), 10 * sizeof(int));
	starpu_matrix_data_register_allocsize(&m, STARPU_MAIN_RAM, (uintptr_t)value, 4, 4, 4, sizeof(int), sizeof value);
	CHECK(starpu_task_insert(&shrinks, STARPU_W, v, STARPU_W, m, 0) == 0);
	CHECK(starpu_task_insert(&sees_shrunk, STARPU_R, v, STARPU_R, m, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(starpu_vector_get_nx(v) == 5 && starpu_data_get_size(v) == 5 * sizeof(int));
	CHECK(starpu_matrix_get_nx(m) == 2 && starpu_data_get_size(m) == 6 * sizeof(int));
	starpu_data_unregister(v);
	starpu_data_unregister(m);
}

/* What a CPU's task finds of data that look differently elsewhere. */
static void see_formats(void *buffers[], void *arg)
{
	(void)arg;
	CHECK(STARPU_MULTIFORMAT_GET_CPU_PTR(buffers[0]) == value && STARPU_MULTIFORMAT_GET_NX(buffers[0]) == 12);
	CHECK(!STARPU_MULTIFORMAT_GET_OPENCL_PTR(buffers[0]) && !STARPU_MULTIFORMAT_GET_CUDA_PTR(buffers[0]));
	CHECK(!STARPU_MULTIFORMAT_GET_HIP_PTR(buffers[0]) && !STARPU_MULTIFORMAT_GET_SYCL_PTR(buffers[0]));
}
static struct starpu_codelet sees_formats = {.cpu_funcs = {see_formats}, .nbuffers = 1, .modes = {STARPU_RW}};

static void check_formats(void)
{
	struct starpu_multiformat_data_interface_ops formats = {.cpu_elemsize = sizeof(int), .opencl_elemsize = 8};
	starpu_data_handle_t h;
	starpu_multiformat_data_register(&h, STARPU_MAIN_RAM, value, 12, &formats);
	CHECK(starpu_data_get_size(h) == 12 * sizeof(int) && starpu_data_get_interface_id(h) == STARPU_MULTIFORMAT_INTERFACE_ID);
	CHECK(starpu_task_insert(&sees_formats, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
}

/* What is not initialised any more keeps its memory, and is written before it is read. */
static void check_deinitialized(void)
{
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, -1, 0, SIZE, sizeof(int));
	for (unsigned i = 0; i < 2; i++) {
		int allocated, valid;
		CHECK(starpu_data_acquire(h, STARPU_W) == 0);
		int *v = starpu_data_get_local_ptr(h);
		memset(v, 0, sizeof value);
		starpu_data_release(h);
		CHECK(starpu_task_insert(&adding, STARPU_RW, h, 0) == 0);
		if (i)
			starpu_data_deinitialize_submit(h);
		else
			starpu_data_deinitialize(h);
		starpu_task_wait_for_all();
		CHECK(starpu_data_acquire_on_node(h, STARPU_ACQUIRE_NO_NODE_LOCK_ALL, STARPU_W) == 0);
		starpu_data_query_status(h, STARPU_MAIN_RAM, &allocated, &valid, NULL);
		starpu_data_release_on_node(h, STARPU_ACQUIRE_NO_NODE_LOCK_ALL);
		CHECK(allocated && !valid && starpu_data_handle_to_pointer(h, STARPU_MAIN_RAM) == v);
	}
	starpu_data_unregister(h);
}

#ifndef __clang__
/*
 * Statements as a callback: these run when the data are there, and let them go behind them. Of a local handle, or not optimized, they
 * would need a stack that may be executed.
 */
__attribute__((optimize("O1"))) static void check_statements(void)
{
	static starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, SIZE, sizeof(int));
	value[0] = 1;
	CHECK(starpu_task_insert(&adding, STARPU_RW, h, 0) == 0);
	STARPU_DATA_ACQUIRE_CB(h, STARPU_RW, value[0] *= 10);
	CHECK(starpu_task_insert(&adding, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	CHECK(value[0] == 21);
}
#endif

/* The old names, and flags that have a meaning in simulations only. */
static void check_old_names(void)
{
	void *p = NULL;
	CHECK(starpu_data_malloc_pinned_if_possible(&p, 100) == 0 && p);
	memset(p, 1, 100);
	CHECK(starpu_data_free_pinned_if_possible(p) == 0);
	const int folded = STARPU_MALLOC_PINNED | STARPU_MALLOC_SIMULATION_FOLDED;
	CHECK(starpu_malloc_flags(&p, 100, folded) == 0 && p);
	CHECK(starpu_free_flags(p, 100, folded) == 0);
	CHECK(starpu_malloc_flags(&p, 100, STARPU_MALLOC_SIMULATION_UNIQUE) == 0 && p);
	CHECK(starpu_free_flags(p, 100, STARPU_MALLOC_SIMULATION_UNIQUE) == 0);
}

int main(void)
{
	if (starpu_init(NULL))
		return EXIT_FAILURE;
	check_shapes();
	check_coordinates();
	check_callbacks();
	check_lent_memory();
	check_tensor();
	check_point();
	check_copy();
	check_interface_number();
	check_tables();
	check_variable_size();
	check_formats();
	check_deinitialized();
#ifndef __clang__
	check_statements();
#endif
	check_old_names();
	starpu_shutdown();
	return checks_failed();
}
