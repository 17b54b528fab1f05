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
	starpu_shutdown();
	return checks_failed();
}
