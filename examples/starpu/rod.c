/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat in a rod: blocks of cells, each with a halo of one cell a side. A step of a block reads its neighbours of the step before;
 * no barrier anywhere: a block is as far ahead as its neighbours let it be.
 *
 *     rod [-b BLOCKS] [-s STEPS] [-c CELLS of a block]
 */
#include <starpu.h>
#include <math.h>
#include <unistd.h>

/* block[0] and block[1]: the old and the new of each, by turns. */
struct rod {
	unsigned blocks, steps, cells;
	double *value[2];
	starpu_data_handle_t *block[2];
};

static void step(void *buffers[], void *cl_arg)
{
	const double *left = (const double *)STARPU_VECTOR_GET_PTR(buffers[0]),
		     *old = (const double *)STARPU_VECTOR_GET_PTR(buffers[1]),
		     *right = (const double *)STARPU_VECTOR_GET_PTR(buffers[2]);
	double *now = (double *)STARPU_VECTOR_GET_PTR(buffers[3]);
	size_t n = STARPU_VECTOR_GET_NX(buffers[3]);
	(void)cl_arg;
	for (size_t i = 0; i < n; i++) {
		double l = i ? old[i - 1] : left[n - 1], r = i + 1 < n ? old[i + 1] : right[0];
		now[i] = old[i] + 0.25 * (l - 2 * old[i] + r);
	}
}

static struct starpu_codelet codelet = {
	.cpu_funcs = {step},
	.nbuffers = 4,
	.modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W},
	.name = "step",
};

static void submit(const struct rod *r)
{
	for (unsigned s = 0; s < r->steps; s++) {
		starpu_data_handle_t *old = r->block[s % 2], *now = r->block[1 - s % 2];
		for (unsigned b = 0; b < r->blocks; b++) {
			unsigned left = (b + r->blocks - 1) % r->blocks, right = (b + 1) % r->blocks;
			int rc = starpu_task_insert(&codelet, STARPU_R, old[left], STARPU_R, old[b], STARPU_R, old[right],
			                            STARPU_W, now[b], 0);
			STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		}
	}
}

static double sequential(const struct rod *r, const double *result)
{
	size_t n = (size_t)r->blocks * r->cells;
	double *at[2] = {calloc(n, sizeof(double)), calloc(n, sizeof(double))}, worst = 0;
	at[0][n / 3] = 1000;
	for (unsigned s = 0; s < r->steps; s++) {
		const double *old = at[s % 2];
		for (size_t i = 0; i < n; i++)
			at[1 - s % 2][i] = old[i] + 0.25 * (old[(i + n - 1) % n] - 2 * old[i] + old[(i + 1) % n]);
	}
	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(at[r->steps % 2][i] - result[i]));
	free(at[0]);
	free(at[1]);
	return worst;
}

static void make(struct rod *r)
{
	for (unsigned k = 0; k < 2; k++) {
		r->value[k] = calloc((size_t)r->blocks * r->cells, sizeof(double));
		r->block[k] = calloc(r->blocks, sizeof *r->block[k]);
		for (unsigned b = 0; b < r->blocks; b++)
			starpu_vector_data_register(&r->block[k][b], STARPU_MAIN_RAM,
			                            (uintptr_t)(r->value[k] + (size_t)b * r->cells), r->cells, sizeof(double));
	}
	starpu_data_acquire(r->block[0][r->blocks / 3], STARPU_RW);
	r->value[0][(size_t)r->blocks * r->cells / 3] = 1000;
	starpu_data_release(r->block[0][r->blocks / 3]);
}

int main(int argc, char **argv)
{
	struct rod r = {.blocks = 24, .steps = 200, .cells = 2000};
	for (int option; (option = getopt(argc, argv, "b:s:c:")) != -1;) {
		unsigned n = option == '?' ? 0 : (unsigned)strtoul(optarg, NULL, 10);
		if (!n)
			return 2;
		*(option == 'b' ? &r.blocks : option == 's' ? &r.steps : &r.cells) = n;
	}
	r.blocks -= r.blocks % 3; /* so that the hot cell begins a block */
	r.blocks = r.blocks ? r.blocks : 3;
	int rc = starpu_init(NULL);
	if (rc == -ENODEV)
		return 77;
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	make(&r);
	double from = starpu_timing_now();
	submit(&r);
	starpu_task_wait_for_all();
	double us = starpu_timing_now() - from;
	for (unsigned k = 0; k < 2; k++)
		for (unsigned b = 0; b < r.blocks; b++)
			starpu_data_unregister(r.block[k][b]);
	starpu_shutdown();
	double worst = sequential(&r, r.value[r.steps % 2]);
	printf("%u tasks in %.1f ms, %.2f us each; largest difference from the sequential result %g\n", r.blocks * r.steps,
	       us / 1e3, us / (r.blocks * r.steps), worst);
	for (unsigned k = 0; k < 2; k++) {
		free(r.value[k]);
		free(r.block[k]);
	}
	return worst > 1e-9;
}
