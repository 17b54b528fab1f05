/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first StarPU program: a vector is multiplied by a factor, as a whole by one task, then in parts by many.
 *
 *     cc vector_scal.c $(pkg-config --cflags --libs starpu-1.4) && ./a.out
 */
#include <starpu.h>

enum { N = 1 << 20, PARTS = 16 };

static void scale(void *buffers[], void *cl_arg)
{
	float *at = (float *)STARPU_VECTOR_GET_PTR(buffers[0]), factor;
	starpu_codelet_unpack_args(cl_arg, &factor);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		at[i] *= factor;
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "weft_vector_scal"};
static struct starpu_codelet codelet = {
	.cpu_funcs = {scale},
	.cpu_funcs_name = {"scale"},
	.nbuffers = 1,
	.modes = {STARPU_RW},
	.model = &model,
	.name = "scale",
};

int main(void)
{
	static float values[N];
	starpu_data_handle_t vector;
	float three = 3, half = 0.5f;
	int rc = starpu_init(NULL);
	if (rc == -ENODEV)
		return 77;
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	for (unsigned i = 0; i < N; i++)
		values[i] = (float)(i % 1000);
	starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)values, N, sizeof values[0]);

	rc = starpu_task_insert(&codelet, STARPU_RW, vector, STARPU_VALUE, &three, sizeof three, 0);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");

	struct starpu_data_filter blocks = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
	starpu_data_partition(vector, &blocks);
	for (unsigned i = 0; i < PARTS; i++) {
		starpu_data_handle_t part = starpu_data_get_sub_data(vector, 1, i);
		rc = starpu_task_insert(&codelet, STARPU_RW, part, STARPU_VALUE, &half, sizeof half, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
	starpu_data_unpartition(vector, STARPU_MAIN_RAM);
	starpu_data_unregister(vector);
	starpu_shutdown();

	unsigned wrong = 0;
	for (unsigned i = 0; i < N; i++)
		wrong += values[i] != (float)(i % 1000) * 3 * 0.5f;
	printf("%u of %d values are wrong\n", wrong, N);
	return wrong != 0;
}
