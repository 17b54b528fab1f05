/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance models that learn: a product of matrices whose time follows from M, N and K (STARPU_MULTIPLE_REGRESSION_BASED), and a fill
 * whose time follows from the size of its data (STARPU_NL_REGRESSION_BASED). The first start of the runtime measures, the second asks what
 * a task that is never submitted would take. docs/models.md looks at what they leave.
 *
 *     cc models.c $(pkg-config --cflags --libs starpu-1.4) -lm && STARPU_SCHED=dmda ./a.out
 */
#include <math.h>
#include <starpu.h>
#include <string.h>

enum { MOST = 96 };
struct sizes {
	unsigned m, n, k;
};

static void product(void *buffers[], void *arg)
{
	const float *a = (const float *)STARPU_VECTOR_GET_PTR(buffers[0]), *b = (const float *)STARPU_VECTOR_GET_PTR(buffers[1]);
	float *c = (float *)STARPU_VECTOR_GET_PTR(buffers[2]);
	struct sizes s;
	starpu_codelet_unpack_args(arg, &s);
	for (unsigned i = 0; i < s.m; i++)
		for (unsigned j = 0; j < s.n; j++) {
			float sum = 0;
			for (unsigned k = 0; k < s.k; k++)
				sum += a[i * s.k + k] * b[k * s.n + j];
			c[i * s.n + j] = sum;
		}
}

/* What the time of a task follows from, and how: a constant, M*N*K, M*N. */
static void parameters(struct starpu_task *task, double *p)
{
	struct sizes s;
	starpu_codelet_unpack_args(task->cl_arg, &s);
	p[0] = s.m;
	p[1] = s.n;
	p[2] = s.k;
}
static const char *names[] = {"M", "N", "K"};
static unsigned mnk[] = {1, 1, 1}, mn[] = {1, 1, 0}, *combinations[] = {mnk, mn};
static struct starpu_perfmodel product_model = {
	.type = STARPU_MULTIPLE_REGRESSION_BASED,
	.symbol = "weft_product",
	.parameters = parameters,
	.parameters_names = names,
	.nparameters = 3,
	.combinations = combinations,
	.ncombinations = 2,
};
static struct starpu_codelet product_codelet = {.cpu_funcs = {product},
                                                .nbuffers = 3,
                                                .modes = {STARPU_R, STARPU_R, STARPU_W},
                                                .model = &product_model,
                                                .name = "product"};

static void fill(void *buffers[], void *arg)
{
	(void)arg;
	memset((void *)STARPU_VECTOR_GET_PTR(buffers[0]), 1, STARPU_VECTOR_GET_NX(buffers[0]));
}
static struct starpu_perfmodel fill_model = {.type = STARPU_NL_REGRESSION_BASED, .symbol = "weft_fill"};
static struct starpu_codelet fill_codelet = {.cpu_funcs = {fill},
                                             .nbuffers = 1,
                                             .modes = {STARPU_W},
                                             .model = &fill_model,
                                             .name = "fill"};

static float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
static char bytes[1 << 20];

static int measure(void)
{
	int rc = 0;
	starpu_data_handle_t matrix[3], vector;
	starpu_vector_data_register(&matrix[0], STARPU_MAIN_RAM, (uintptr_t)a, MOST * MOST, sizeof *a);
	starpu_vector_data_register(&matrix[1], STARPU_MAIN_RAM, (uintptr_t)b, MOST * MOST, sizeof *b);
	starpu_vector_data_register(&matrix[2], STARPU_MAIN_RAM, (uintptr_t)c, MOST * MOST, sizeof *c);
	for (unsigned i = 0; i < 120 && !rc; i++) {
		struct sizes s = {16 + i % 6 * 16, 16 + i % 5 * 16, 16 + i % 4 * 16};
		rc = starpu_task_insert(&product_codelet, STARPU_R, matrix[0], STARPU_R, matrix[1], STARPU_W, matrix[2],
		                        STARPU_VALUE, &s, sizeof s, STARPU_FLOPS, 2.0 * s.m * s.n * s.k, 0);
	}
	for (unsigned n = 1 << 12; n <= sizeof bytes && !rc; n *= 2) {
		starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)bytes, n, 1);
		for (int i = 0; i < 15 && !rc; i++)
			rc = starpu_task_insert(&fill_codelet, STARPU_W, vector, 0);
		starpu_data_unregister(vector);
	}
	for (int i = 0; i < 3; i++)
		starpu_data_unregister(matrix[i]);
	return rc;
}

/* A task is filled in as usual, but for data that is nowhere, and not submitted. */
static double expected_of_fill(unsigned n)
{
	starpu_data_handle_t vector;
	struct starpu_task *task = starpu_task_create();
	starpu_vector_data_register(&vector, -1, (uintptr_t)NULL, n, 1);
	task->cl = &fill_codelet;
	task->handles[0] = vector;
	double us = starpu_task_expected_length(task, starpu_worker_get_perf_archtype(0, STARPU_NMAX_SCHED_CTXS), 0);
	starpu_task_destroy(task);
	starpu_data_unregister(vector);
	return us;
}

static int begin(const char *calibrate)
{
	setenv("STARPU_CALIBRATE", calibrate, 1);
	int rc = starpu_init(NULL);
	if (rc == -ENODEV)
		exit(77);
	return rc;
}

int main(void)
{
	int rc = begin("1");
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	rc = measure();
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	starpu_shutdown();
	rc = begin("0");
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	/* Of a size that was not measured: the curve says it, where the samples let one be found. */
	double us = expected_of_fill(3 << 15);
	if (isnan(us))
		printf("filling 98304 bytes: not known yet\n");
	else
		printf("filling 98304 bytes is expected to take %.1f us\n", us);
	starpu_shutdown();
	return us <= 0;
}
