/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts: every filter against the elements it should select; and plans, nested and side by side, that tasks use in any order, each
 * value compared with a model.
 */
#include "data_check.h"

/* -- filters: each element of the whole is its own number -- */

enum { NX = 7, NY = 5, NZ = 4, NT = 3, N5 = 2, ELEMENTS = NX * NY * NZ * NT * N5 };
static int whole[ELEMENTS];

/* A part must begin at `base` and have these sizes and distances. */
static void check_part(starpu_data_handle_t h, int base, unsigned dims, const size_t *n, const size_t *ld)
{
	size_t elements = 1;
	void *interface = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	for (unsigned k = 0; k < dims; k++)
		elements *= n[k];
	CHECK(starpu_data_get_size(h) == elements * sizeof(int));
	CHECK(starpu_data_handle_to_pointer(h, STARPU_MAIN_RAM) == &whole[base]);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	int *packed = NULL;
	starpu_ssize_t size;
	CHECK(starpu_data_pack(h, (void **)&packed, &size) == 0);
	for (size_t e = 0; e < elements; e++) {
		size_t rest = e, at = (size_t)base;
		for (unsigned k = 0; k < dims; k++) {
			at += rest % n[k] * ld[k];
			rest /= n[k];
		}
		CHECK(packed[e] == (int)at);
	}
	starpu_free_noflag(packed, (size_t)size);
	starpu_data_release(h);
	(void)interface;
}

typedef void filter(void *, void *, struct starpu_data_filter *, unsigned, unsigned);
typedef struct starpu_data_interface_ops *child_ops(struct starpu_data_filter *, unsigned);

static const size_t sizes[] = {NX, NY, NZ, NT, N5}, distances[] = {1, NX, NX *NY, NX *NY *NZ, NX *NY *NZ *NT};

static starpu_data_handle_t register_whole(unsigned dims, int ndim)
{
	starpu_data_handle_t h;
	uintptr_t p = (uintptr_t)whole;
	size_t n[5], ld[5], e = sizeof(int);
	memcpy(n, sizes, sizeof n);
	memcpy(ld, distances, sizeof ld);
	if (ndim || dims == 5)
		starpu_ndim_data_register(&h, STARPU_MAIN_RAM, p, ld, n, dims, e);
	else if (dims == 1)
		starpu_vector_data_register(&h, STARPU_MAIN_RAM, p, NX, e);
	else if (dims == 2)
		starpu_matrix_data_register(&h, STARPU_MAIN_RAM, p, ld[1], NX, NY, e);
	else if (dims == 3)
		starpu_block_data_register(&h, STARPU_MAIN_RAM, p, ld[1], ld[2], NX, NY, NZ, e);
	else
		starpu_tensor_data_register(&h, STARPU_MAIN_RAM, p, ld[1], ld[2], ld[3], NX, NY, NZ, NT, e);
	return h;
}

/* Ranges of dimension k, with a border or without. */
static void check_ranges(unsigned dims, int ndim, unsigned k, filter *func, child_ops *ops, size_t border)
{
	starpu_data_handle_t h = register_whole(dims, ndim);
	unsigned parts = 2;
	struct starpu_data_filter f = {.filter_func = func,
	                               .nchildren = parts,
	                               .get_child_ops = ops,
	                               .filter_arg = ndim ? k : 0,
	                               .filter_arg_ptr = (void *)(uintptr_t)border};
	starpu_data_partition(h, &f);
	CHECK(starpu_data_get_nb_children(h) == (int)parts);
	size_t inner = sizes[k] - 2 * border, at = 0;
	for (unsigned i = 0; i < parts; i++) {
		size_t n[5], own = inner / parts + (i < inner % parts);
		memcpy(n, sizes, sizeof n);
		n[k] = own + 2 * border;
		check_part(starpu_data_get_sub_data(h, 1, i), (int)(at * distances[k]), dims, n, distances);
		at += own;
	}
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

/* Indexes of dimension k. */
static void check_picks(unsigned dims, int ndim, unsigned k, filter *func, child_ops *ops)
{
	starpu_data_handle_t h = register_whole(dims, ndim);
	size_t first = 1, n[5], ld[5];
	struct starpu_data_filter f = {.filter_func = func,
	                               .nchildren = (unsigned)(sizes[k] - first),
	                               .get_child_ops = ops,
	                               .filter_arg = ndim ? k : 0,
	                               .filter_arg_ptr = (void *)(uintptr_t)first};
	starpu_data_partition(h, &f);
	for (unsigned d = 0, to = 0; d < dims; d++)
		if (d != k) {
			n[to] = sizes[d];
			ld[to++] = distances[d];
		}
	for (unsigned i = 0; i < f.nchildren; i++)
		check_part(starpu_data_get_sub_data(h, 1, i), (int)((first + i) * distances[k]), dims - 1, n, ld);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

static void check_element(unsigned dims, int ndim, filter *func, child_ops *ops)
{
	starpu_data_handle_t h = register_whole(dims, ndim);
	uint32_t at[] = {2, 3, 1, 2, 1};
	int place = 0;
	struct starpu_data_filter f = {.filter_func = func, .nchildren = 1, .get_child_ops = ops, .filter_arg_ptr = at};
	for (unsigned k = 0; k < dims; k++)
		place += (int)(at[k] * distances[k]);
	starpu_data_partition(h, &f);
	check_part(starpu_data_get_sub_data(h, 1, 0), place, 0, sizes, distances);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

static void check_filters(void)
{
	for (int i = 0; i < ELEMENTS; i++)
		whole[i] = i;
#define RANGES(dims, k, name) \
	check_ranges(dims, 0, k, starpu_##name, NULL, 0); \
	check_ranges(dims, 0, k, starpu_##name##_shadow, NULL, 1)
	RANGES(1, 0, vector_filter_block);
	RANGES(2, 0, matrix_filter_block);
	RANGES(2, 1, matrix_filter_vertical_block);
	RANGES(3, 0, block_filter_block);
	RANGES(3, 1, block_filter_vertical_block);
	RANGES(3, 2, block_filter_depth_block);
	RANGES(4, 0, tensor_filter_block);
	RANGES(4, 1, tensor_filter_vertical_block);
	RANGES(4, 2, tensor_filter_depth_block);
	RANGES(4, 3, tensor_filter_time_block);
	for (unsigned k = 0; k < 4; k++) {
		check_ranges(5, 1, k, starpu_ndim_filter_block, NULL, 0);
		check_ranges(5, 1, k, starpu_ndim_filter_block_shadow, NULL, 1);
		check_ranges(4, 1, k, starpu_ndim_filter_to_tensor, starpu_ndim_filter_to_tensor_child_ops, 0);
		check_picks(5, 1, k, starpu_ndim_filter_pick_ndim, NULL);
		if (k)
			check_picks(5, 1, k, starpu_ndim_filter_5d_pick_tensor, starpu_ndim_filter_pick_tensor_child_ops);
	}
	check_ranges(3, 1, 2, starpu_ndim_filter_to_block, starpu_ndim_filter_to_block_child_ops, 0);
	check_ranges(2, 1, 1, starpu_ndim_filter_to_matrix, starpu_ndim_filter_to_matrix_child_ops, 0);
	check_ranges(1, 1, 0, starpu_ndim_filter_to_vector, starpu_ndim_filter_to_vector_child_ops, 0);
	check_picks(4, 1, 2, starpu_ndim_filter_4d_pick_block, starpu_ndim_filter_pick_block_child_ops);
	check_picks(3, 1, 1, starpu_ndim_filter_3d_pick_matrix, starpu_ndim_filter_pick_matrix_child_ops);
	check_picks(2, 1, 1, starpu_ndim_filter_2d_pick_vector, starpu_ndim_filter_pick_vector_child_ops);
	/* By their older names. */
	check_picks(5, 1, 1, starpu_ndim_filter_pick_tensor, starpu_ndim_filter_pick_tensor_child_ops);
	check_picks(4, 1, 2, starpu_ndim_filter_pick_block, starpu_ndim_filter_pick_block_child_ops);
	check_picks(3, 1, 1, starpu_ndim_filter_pick_matrix, starpu_ndim_filter_pick_matrix_child_ops);
	check_picks(2, 1, 1, starpu_ndim_filter_pick_vector, starpu_ndim_filter_pick_vector_child_ops);
	check_picks(1, 1, 0, starpu_ndim_filter_1d_pick_variable, starpu_ndim_filter_pick_variable_child_ops);
	check_picks(1, 0, 0, starpu_vector_filter_pick_variable, starpu_vector_filter_pick_variable_child_ops);
	check_picks(2, 0, 1, starpu_matrix_filter_pick_vector_y, starpu_matrix_filter_pick_vector_child_ops);
	check_picks(3, 0, 2, starpu_block_filter_pick_matrix_z, starpu_block_filter_pick_matrix_child_ops);
	check_picks(3, 0, 1, starpu_block_filter_pick_matrix_y, starpu_block_filter_pick_matrix_child_ops);
	check_picks(4, 0, 3, starpu_tensor_filter_pick_block_t, starpu_tensor_filter_pick_block_child_ops);
	check_picks(4, 0, 2, starpu_tensor_filter_pick_block_z, starpu_tensor_filter_pick_block_child_ops);
	check_picks(4, 0, 1, starpu_tensor_filter_pick_block_y, starpu_tensor_filter_pick_block_child_ops);
	check_element(2, 0, starpu_matrix_filter_pick_variable, starpu_matrix_filter_pick_variable_child_ops);
	check_element(3, 0, starpu_block_filter_pick_variable, starpu_block_filter_pick_variable_child_ops);
	check_element(4, 0, starpu_tensor_filter_pick_variable, starpu_tensor_filter_pick_variable_child_ops);
	check_element(5, 1, starpu_ndim_filter_pick_variable, starpu_ndim_filter_pick_variable_child_ops);
}

static void check_lists(void)
{
	uint32_t list[] = {2, 0, 4, 1};
	long list_long[] = {2, 0, 4, 1};
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)whole, NX, sizeof(int));
	struct starpu_data_filter f[] = {
		{.filter_func = starpu_vector_filter_list, .nchildren = 4, .filter_arg_ptr = list},
		{.filter_func = starpu_vector_filter_list_long, .nchildren = 4, .filter_arg_ptr = list_long},
		{.filter_func = starpu_vector_filter_divide_in_2, .nchildren = 2, .filter_arg = 3},
	};
	for (unsigned k = 0; k < 3; k++) {
		size_t at = 0;
		starpu_data_partition(h, &f[k]);
		for (unsigned i = 0; i < f[k].nchildren; i++) {
			size_t n = k < 2 ? list[i] : i ? NX - 3 : 3;
			check_part(starpu_data_get_child(h, i), (int)at, 1, &n, distances);
			CHECK(starpu_vector_get_local_ptr(starpu_data_get_child(h, i)) == (uintptr_t)&whole[at]);
			at += n;
		}
		starpu_data_unpartition(h, STARPU_MAIN_RAM);
	}
	starpu_data_unregister(h);
}

static void check_sparse(void)
{
	uint32_t columns[] = {0, 1, 2, 0, 1, 2, 0, 1}, rows[] = {0, 2, 3, 6, 8};
	starpu_data_handle_t h;
	starpu_csr_data_register(&h, STARPU_MAIN_RAM, 8, 4, (uintptr_t)whole, columns, rows, 0, sizeof(int));
	struct starpu_data_filter halves = {.filter_func = starpu_csr_filter_vertical_block, .nchildren = 2};
	starpu_data_partition(h, &halves);
	CHECK(starpu_csr_get_nnz(starpu_data_get_child(h, 1)) == 5 && starpu_csr_get_nrow(starpu_data_get_child(h, 1)) == 2);
	CHECK(starpu_csr_get_firstentry(starpu_data_get_child(h, 1)) == 3);
	CHECK(starpu_csr_get_local_nzval(starpu_data_get_child(h, 1)) == (uintptr_t)&whole[3]);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, 8, 4, (uintptr_t)whole, columns, rows, 0, 3, 2, sizeof(int));
	struct starpu_data_filter blocks = {.filter_func = starpu_bcsr_filter_canonical_block,
	                                    .get_nchildren = starpu_bcsr_filter_canonical_block_get_nchildren,
	                                    .get_child_ops = starpu_bcsr_filter_canonical_block_child_ops};
	starpu_data_partition(h, &blocks);
	CHECK(starpu_data_get_nb_children(h) == 8);
	size_t n[] = {2, 3}, ld[] = {1, 2};
	check_part(starpu_data_get_child(h, 5), 30, 2, n, ld);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

/* -- plans: rows and columns of one matrix, rows cut once more -- */

enum { SIDE = 24, ROWS = 4, COLUMNS = 3, BELOW = 2, STEPS = 3000 };
static int matrix[SIDE][SIDE], model[SIDE][SIDE];

static void change(void *buffers[], void *arg)
{
	struct starpu_matrix_interface *m = buffers[0];
	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++) {
			int *p = &((int *)m->ptr)[x + y * m->ld];
			*p = (int)((unsigned)*p * 3 + (unsigned)(uintptr_t)arg);
		}
}
static struct starpu_codelet changes = {.cpu_funcs = {change}, .nbuffers = 1, .modes = {STARPU_RW}};
static long sums[STEPS], want[STEPS];
static void sum_up(void *buffers[], void *arg)
{
	struct starpu_matrix_interface *m = buffers[0];
	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++)
			*(long *)arg += ((int *)m->ptr)[x + y * m->ld] * (long)(x + 100 * y + 1);
}
static struct starpu_codelet sums_up = {.cpu_funcs = {sum_up}, .nbuffers = 1, .modes = {STARPU_R}};

struct part {
	starpu_data_handle_t handle;
	unsigned x, y, nx, ny;
};

static void use(const struct part *p, unsigned step)
{
	if (random_below(2)) {
		submit(&changes, p->handle, (void *)(uintptr_t)step);
		for (unsigned y = p->y; y < p->y + p->ny; y++)
			for (unsigned x = p->x; x < p->x + p->nx; x++)
				model[y][x] = (int)((unsigned)model[y][x] * 3 + step);
		return;
	}
	submit(&sums_up, p->handle, &sums[step]);
	for (unsigned y = 0; y < p->ny; y++)
		for (unsigned x = 0; x < p->nx; x++)
			want[step] += model[p->y + y][p->x + x] * (long)(x + 100 * y + 1);
}

static void check_plans(int home)
{
	starpu_data_handle_t h, rows[ROWS], columns[COLUMNS], below[ROWS][BELOW];
	struct part part[1 + ROWS + COLUMNS + ROWS * BELOW];
	unsigned n = 0;
	memset(matrix, 0, sizeof matrix);
	memset(model, 0, sizeof model);
	memset(sums, 0, sizeof sums);
	memset(want, 0, sizeof want);
	starpu_matrix_data_register(&h, home, home < 0 ? 0 : (uintptr_t)matrix, SIDE, SIDE, SIDE, sizeof(int));
	if (home < 0) {
		CHECK(starpu_data_acquire(h, STARPU_W) == 0);
		memset(starpu_data_get_local_ptr(h), 0, sizeof matrix);
		starpu_data_release(h);
	}
	struct starpu_data_filter by_rows = {.filter_func = starpu_matrix_filter_vertical_block, .nchildren = ROWS};
	struct starpu_data_filter by_columns = {.filter_func = starpu_matrix_filter_block, .nchildren = COLUMNS};
	struct starpu_data_filter halves = {.filter_func = starpu_matrix_filter_block, .nchildren = BELOW};
	starpu_data_partition_plan(h, &by_rows, rows);
	starpu_data_partition_plan(h, &by_columns, columns);
	CHECK(starpu_data_partition_get_nplans(h) == 2);
	part[n++] = (struct part){h, 0, 0, SIDE, SIDE};
	for (unsigned i = 0; i < COLUMNS; i++)
		part[n++] = (struct part){columns[i], i * SIDE / COLUMNS, 0, SIDE / COLUMNS, SIDE};
	for (unsigned i = 0; i < ROWS; i++) {
		part[n++] = (struct part){rows[i], 0, i * SIDE / ROWS, SIDE, SIDE / ROWS};
		starpu_data_partition_plan(rows[i], &halves, below[i]);
		for (unsigned k = 0; k < BELOW; k++)
			part[n++] = (struct part){below[i][k], k * SIDE / BELOW, i * SIDE / ROWS, SIDE / BELOW, SIDE / ROWS};
	}
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned what = random_below(40);
		if (what == 0)
			starpu_data_partition_submit(h, ROWS, rows);
		else if (what == 1)
			starpu_data_partition_readonly_submit(h, COLUMNS, columns);
		else if (what == 2)
			starpu_data_unpartition_submit(h, ROWS, rows, STARPU_MAIN_RAM);
		use(&part[random_below(n)], step);
	}
	for (unsigned i = 0; i < ROWS; i++)
		starpu_data_partition_clean(rows[i], BELOW, below[i]);
	starpu_data_partition_clean(h, ROWS, rows);
	starpu_data_partition_clean(h, COLUMNS, columns);
	CHECK(starpu_data_partition_get_nplans(h) == 0);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(!memcmp(starpu_data_get_local_ptr(h), model, sizeof model));
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_task_wait_for_all();
	CHECK(!memcmp(sums, want, sizeof sums));
}

/* What is told that a vector is whole again uses its parts, and the whole. */
static starpu_data_handle_t told, told_half[2];
static void double_all(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	(void)arg;
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] *= 2;
}
static struct starpu_codelet doubles = {.cpu_funcs = {double_all}, .nbuffers = 1, .modes = {STARPU_RW}};
static void is_whole(void *arg)
{
	submit(&doubles, told_half[1], NULL);
	submit(&doubles, told, NULL);
	++*(int *)arg;
}

static void check_callback(void)
{
	int v[] = {1, 1}, calls = 0;
	struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
	starpu_vector_data_register(&told, STARPU_MAIN_RAM, (uintptr_t)v, 2, sizeof v[0]);
	starpu_data_partition_plan(told, &halves, told_half);
	submit(&doubles, told_half[0], NULL);
	starpu_data_unpartition_submit_sequential_consistency_cb(told, 2, told_half, STARPU_MAIN_RAM, 1, is_whole, &calls);
	starpu_task_wait_for_all();
	CHECK(calls == 1);
	starpu_data_partition_clean(told, 2, told_half);
	starpu_data_unregister(told);
	CHECK(v[0] == 4 && v[1] == 4);
}

/* Several filters below each other, at once. */
static void check_map(void)
{
	starpu_data_handle_t h;
	struct starpu_data_filter by_rows = {.filter_func = starpu_matrix_filter_vertical_block, .nchildren = ROWS};
	struct starpu_data_filter by_columns = {.filter_func = starpu_matrix_filter_block, .nchildren = COLUMNS};
	memset(matrix, 0, sizeof matrix);
	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)matrix, SIDE, SIDE, SIDE, sizeof(int));
	starpu_data_map_filters(h, 2, &by_rows, &by_columns);
	for (unsigned y = 0; y < ROWS; y++)
		for (unsigned x = 0; x < COLUMNS; x++)
			submit(&changes, starpu_data_get_sub_data(h, 2, y, x), (void *)(uintptr_t)(10 * y + x + 1));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	for (unsigned y = 0; y < SIDE; y++)
		for (unsigned x = 0; x < SIDE; x++)
			CHECK(matrix[y][x] == (int)(10 * (y * ROWS / SIDE) + x * COLUMNS / SIDE + 1));
}

int main(void)
{
	begin();
	check_filters();
	check_lists();
	check_sparse();
	check_map();
	check_callback();
	check_plans(STARPU_MAIN_RAM);
	check_plans(-1);
	starpu_shutdown();
	return checks_failed();
}
