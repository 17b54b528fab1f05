/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partition plans: a matrix is worked on by rows, by columns and as a whole, in turn. The program only says on which piece a task
 * works; the runtime switches from one view to the next between the tasks that need it.
 */
#include <starpu.h>

enum { N = 240, PARTS = 6, ROUNDS = 20 };

static void each(void *buffers[], void *cl_arg)
{
	int *at = (int *)STARPU_MATRIX_GET_PTR(buffers[0]), add, times;
	size_t ld = STARPU_MATRIX_GET_LD(buffers[0]);
	starpu_codelet_unpack_args(cl_arg, &times, &add);
	for (size_t y = 0; y < STARPU_MATRIX_GET_NY(buffers[0]); y++)
		for (size_t x = 0; x < STARPU_MATRIX_GET_NX(buffers[0]); x++)
			at[y * ld + x] = (at[y * ld + x] * times + add) % 9973;
}

static struct starpu_codelet codelet = {.cpu_funcs = {each}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "each"};

static void submit(starpu_data_handle_t piece, int times, int add)
{
	int rc = starpu_task_insert(&codelet, STARPU_RW, piece, STARPU_VALUE, &times, sizeof times, STARPU_VALUE, &add,
	                            sizeof add, 0);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
}

int main(void)
{
	static int value[N * N];
	starpu_data_handle_t matrix, row[PARTS], column[PARTS];
	struct starpu_data_filter rows = {.filter_func = starpu_matrix_filter_vertical_block, .nchildren = PARTS},
				  columns = {.filter_func = starpu_matrix_filter_block, .nchildren = PARTS};
	int rc = starpu_init(NULL);
	if (rc == -ENODEV)
		return 77;
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	for (int i = 0; i < N * N; i++)
		value[i] = i % 9973;
	starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM, (uintptr_t)value, N, N, N, sizeof value[0]);
	starpu_data_partition_plan(matrix, &rows, row);
	starpu_data_partition_plan(matrix, &columns, column);
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < PARTS; i++)
			submit(row[i], 3, r + i);
		for (int i = 0; i < PARTS; i++)
			submit(column[i], 5, 2 * r + i);
		submit(matrix, 7, r);
	}
	starpu_data_partition_clean(matrix, PARTS, row);
	starpu_data_partition_clean(matrix, PARTS, column);
	starpu_data_unregister(matrix);
	starpu_shutdown();

	unsigned wrong = 0;
	for (int i = 0; i < N * N; i++) {
		int v = i % 9973, y = i / N / (N / PARTS), x = i % N / (N / PARTS);
		for (int r = 0; r < ROUNDS; r++) {
			v = (v * 3 + r + y) % 9973;
			v = (v * 5 + 2 * r + x) % 9973;
			v = (v * 7 + r) % 9973;
		}
		wrong += v != value[i];
	}
	printf("%u of %d values are wrong\n", wrong, N * N);
	return wrong != 0;
}
