/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built twice, with our StarPU and with another: one writes models, the other must expect the same of them.
 * models_move write|read SYMBOL
 */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 12 };

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}
static struct starpu_codelet cl = {.cpu_funcs = {nothing, nothing}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}};

static double curve(double bytes)
{
	return 0.5 * pow(bytes, 1.1);
}

static int one(struct starpu_perfmodel *m, int i, int write)
{
	starpu_data_handle_t vector, matrix;
	struct starpu_task *t = starpu_task_create();
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	int size = (int)(100 * pow(1.6, i)), wrong = 0;
	starpu_vector_data_register(&vector, -1, 0, (uint32_t)size, sizeof(double));
	starpu_matrix_data_register(&matrix, -1, 0, 8, 8, 9, sizeof(float));
	cl.model = m;
	t->cl = &cl;
	t->destroy = 0;
	t->handles[0] = vector;
	t->handles[1] = matrix;
	for (unsigned impl = 0; impl < 2; impl++) {
		double y = curve(8.0 * size + 8 * 9 * 4) * (1 + impl);
		for (int k = 0; write && k < 13; k++)
			starpu_perfmodel_update_history(m, t, arch, 0, impl, y);
		double got = write ? y : starpu_task_expected_length(t, arch, impl);
		if (!(fabs(got / y - 1) < (m->type == STARPU_HISTORY_BASED ? 1e-5 : 0.3))) {
			fprintf(stderr, "# %s, size %d, implementation %u: expected %g, not %g\n", m->symbol, size, impl, got, y);
			wrong = 1;
		}
	}
	starpu_task_destroy(t);
	starpu_data_unregister(vector);
	starpu_data_unregister(matrix);
	return wrong;
}

static float block[4];

/* A task with the model, so that it is one that is saved at the end. Its time is measured too: small sizes feel it. */
static void run_one(struct starpu_perfmodel *m)
{
	starpu_data_handle_t a, b;
	starpu_vector_data_register(&a, STARPU_MAIN_RAM, (uintptr_t)block, 4, sizeof *block);
	starpu_matrix_data_register(&b, STARPU_MAIN_RAM, (uintptr_t)block, 2, 2, 2, sizeof *block);
	cl.model = m;
	if (starpu_task_insert(&cl, STARPU_RW, a, STARPU_R, b, 0))
		fprintf(stderr, "# a task could not be submitted\n");
	starpu_task_wait_for_all();
	starpu_data_unregister(a);
	starpu_data_unregister(b);
}

int main(int argc, char **argv)
{
	char names[2][64];
	int wrong = 0, write = argc > 2 && !strcmp(argv[1], "write");
	struct starpu_perfmodel m[2] = {{.type = STARPU_HISTORY_BASED, .symbol = names[0]},
	                                {.type = STARPU_REGRESSION_BASED, .symbol = names[1]}};
	if (argc < 3 || starpu_init(NULL))
		return EXIT_FAILURE;
	for (int k = 0; k < 2; k++) {
		snprintf(names[k], sizeof names[k], "move_%s_%d", argv[2], k);
		run_one(&m[k]);
		for (int i = write || m[k].type == STARPU_HISTORY_BASED ? 0 : 4; i < SIZES; i++)
			wrong += one(&m[k], i, write);
	}
	starpu_shutdown();
	return wrong != 0;
}
