/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kinds of workers can run a codelet. A program that was built where there are no devices has no functions for them, but its
 * models may have been measured on some: where a model has measurements, they say it; where it has none, the functions do.
 * Policies ask for each task and worker, so that answers are kept.
 */
#include "sim.h"
#include "runtime/perf/perf.h"
#include <string.h>

enum { SLOTS = 256 };
struct known {
	const struct starpu_codelet *cl;
	const struct starpu_perfmodel *model;
	bool measured;
	uint8_t impls[STARPU_NARCH]; /* those that are measured, by kind */
};
static struct known known[SLOTS];

static const struct {
	enum starpu_worker_archtype type;
	uint32_t where;
} kinds[] = {{STARPU_CPU_WORKER, STARPU_CPU}, {STARPU_CUDA_WORKER, STARPU_CUDA}, {STARPU_OPENCL_WORKER, STARPU_OPENCL}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool has_function(const struct starpu_codelet *cl, enum starpu_worker_archtype type, unsigned impl)
{
	switch (type) {
	case STARPU_CPU_WORKER:
		return cl->cpu_funcs[impl] != NULL;
	case STARPU_CUDA_WORKER:
		return cl->cuda_funcs[impl] != NULL;
	case STARPU_OPENCL_WORKER:
		return cl->opencl_funcs[impl] != NULL;
	default:
		return false;
	}
}

static void find_out(struct known *k, const struct starpu_codelet *cl)
{
	struct starpu_perfmodel *m = cl->model;
	*k = (struct known){.cl = cl, .model = m};
	if (!m || m->type < STARPU_HISTORY_BASED || m->type > STARPU_MULTIPLE_REGRESSION_BASED)
		return;
	for (unsigned i = 0; i < KINDS; i++)
		for (unsigned impl = 0; impl < STARPU_MAXIMPLEMENTATIONS; impl++)
			if (rt_perf_knows(m, kinds[i].type, impl)) {
				k->impls[kinds[i].type] |= (uint8_t)(1U << impl);
				k->measured = true;
			}
}

static const struct known *what_is_known(const struct starpu_codelet *cl)
{
	struct known *k = &known[((uintptr_t)cl >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 56];
	if (k->cl != cl || k->model != cl->model)
		find_out(k, cl);
	return k;
}

bool sim_codelet_has(const struct starpu_codelet *cl, enum starpu_worker_archtype type, unsigned impl)
{
	const struct known *k = what_is_known(cl);
	return k->measured ? k->impls[type] >> impl & 1 : has_function(cl, type, impl);
}

uint32_t sim_codelet_also_where(const struct starpu_codelet *cl)
{
	const struct known *k = what_is_known(cl);
	uint32_t where = 0;
	for (unsigned i = 0; i < KINDS; i++)
		where |= k->impls[kinds[i].type] ? kinds[i].where : 0;
	return where;
}

void sim_codelet_forget(void)
{
	memset(known, 0, sizeof known);
}
