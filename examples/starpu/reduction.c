/* SPDX-License-Identifier: Apache-2.0 */
/* A dot product: tasks add into copies of one sum, a copy for each worker, and these are added when somebody reads the sum. */
#include <starpu.h>

enum { N = 1 << 18, PARTS = 64 };

static void zero(void *buffers[], void *arg)
{
	(void)arg;
	*(double *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}

static void add(void *buffers[], void *arg)
{
	(void)arg;
	*(double *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(double *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}

static void dot(void *buffers[], void *arg)
{
	const double *a = (const double *)STARPU_VECTOR_GET_PTR(buffers[0]),
		     *b = (const double *)STARPU_VECTOR_GET_PTR(buffers[1]);
	double sum = 0;
	(void)arg;
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		sum += a[i] * b[i];
	*(double *)STARPU_VARIABLE_GET_PTR(buffers[2]) += sum;
}

static struct starpu_codelet cl_zero = {.cpu_funcs = {zero}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet cl_add = {.cpu_funcs = {add}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "add"};
static struct starpu_codelet cl_dot = {.cpu_funcs = {dot},
                                       .nbuffers = 3,
                                       .modes = {STARPU_R, STARPU_R, STARPU_REDUX},
                                       .name = "dot"};

int main(void)
{
	static double a[N], b[N], sum = 5, want = 5;
	starpu_data_handle_t ha, hb, hsum;
	int rc = starpu_init(NULL);
	if (rc == -ENODEV)
		return 77;
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	for (unsigned i = 0; i < N; i++) {
		a[i] = i % 10;
		b[i] = i % 7;
		want += a[i] * b[i];
	}
	struct starpu_data_filter blocks = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
	starpu_vector_data_register(&ha, STARPU_MAIN_RAM, (uintptr_t)a, N, sizeof a[0]);
	starpu_vector_data_register(&hb, STARPU_MAIN_RAM, (uintptr_t)b, N, sizeof b[0]);
	starpu_variable_data_register(&hsum, STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof sum);
	starpu_data_set_reduction_methods(hsum, &cl_add, &cl_zero);
	starpu_data_partition(ha, &blocks);
	starpu_data_partition(hb, &blocks);
	for (unsigned i = 0; i < PARTS; i++) {
		rc = starpu_task_insert(&cl_dot, STARPU_R, starpu_data_get_sub_data(ha, 1, i), STARPU_R,
		                        starpu_data_get_sub_data(hb, 1, i), STARPU_REDUX, hsum, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
	starpu_data_unpartition(ha, STARPU_MAIN_RAM);
	starpu_data_unpartition(hb, STARPU_MAIN_RAM);
	starpu_data_unregister(ha);
	starpu_data_unregister(hb);
	starpu_data_unregister(hsum);
	starpu_shutdown();
	printf("%.0f, expected %.0f\n", sum, want);
	return sum != want;
}
