/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel workers (clusters, in 1.3): the CPU workers of each part of the machine become a context, in which tasks run code that
 * is parallel by itself (OpenMP) on all processors of the part. The first worker of the part stays in context 0, and what it takes
 * there becomes a task of the part; the other ones leave context 0 for as long. A prologue tells the inner runtime how many threads
 * it may have.
 */
#include "sched.h"
#include <starpu_parallel_worker.h>
#include <stdarg.h>
#include <stdlib.h>

struct starpu_parallel_worker_config {
	unsigned n, ctx[STARPU_NMAX_SCHED_CTXS];
};

struct wanted {
	int min, max, nb, cores;
	bool awake;
	const char *policy_name;
	struct starpu_sched_policy *policy;
	void (*create)(void *); /* called by each one's first worker when it is made */
	void *create_arg;
};

/* Which arguments have a value that we only step over. */
enum { INT, NONE };
static const struct {
	int what, kind;
} stepped_over[] = {
	{STARPU_PARALLEL_WORKER_PREFERE_MIN, NONE}, {STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS, INT},
	{STARPU_PARALLEL_WORKER_TYPE, INT},         {STARPU_PARALLEL_WORKER_PARTITION_ONE, NONE},
	{STARPU_PARALLEL_WORKER_NEW, NONE},
};

static void step_over(int what, va_list *args)
{
	for (size_t i = 0; i < sizeof stepped_over / sizeof *stepped_over; i++) {
		if (stepped_over[i].what != what)
			continue;
		if (stepped_over[i].kind == INT)
			(void)va_arg(*args, int);
		return;
	}
	STARPU_ABORT_MSG("%d is no argument of a parallel worker", what);
}

static void read_wanted(struct wanted *w, va_list *args)
{
	for (int what = va_arg(*args, int); what; what = va_arg(*args, int)) {
		int *number = what == STARPU_PARALLEL_WORKER_MIN_NB   ? &w->min
		              : what == STARPU_PARALLEL_WORKER_MAX_NB ? &w->max
		              : what == STARPU_PARALLEL_WORKER_NB     ? &w->nb
		              : what == STARPU_PARALLEL_WORKER_NCORES ? &w->cores
		                                                      : NULL;
		if (number)
			*number = va_arg(*args, int);
		else if (what == STARPU_PARALLEL_WORKER_POLICY_NAME)
			w->policy_name = va_arg(*args, const char *);
		else if (what == STARPU_PARALLEL_WORKER_POLICY_STRUCT)
			w->policy = va_arg(*args, struct starpu_sched_policy *);
		else if (what == STARPU_PARALLEL_WORKER_CREATE_FUNC)
			w->create = va_arg(*args, void (*)(void *));
		else if (what == STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG)
			w->create_arg = va_arg(*args, void *);
		else if (what == STARPU_PARALLEL_WORKER_AWAKE_WORKERS)
			w->awake = true;
		else
			step_over(what, args);
	}
}

/* CPU workers below the same object of the level follow each other; `part` says where each belongs. Returns how many parts. */
static unsigned cut_by_level(hwloc_obj_type_t level, const int *workers, unsigned n, unsigned *part)
{
	unsigned parts = 0;
	hwloc_obj_t of[STARPU_NMAXWORKERS];
	for (unsigned i = 0; i < n; i++) {
		hwloc_obj_t obj = starpu_worker_get_hwloc_obj(workers[i]);
		while (obj && obj->type != level)
			obj = obj->parent;
		unsigned at = 0;
		while (at < parts && of[at] != obj)
			at++;
		if (at == parts)
			of[parts++] = obj;
		part[i] = at;
	}
	return parts;
}

/* Equal shares, when a number of parts is asked for. */
static unsigned cut_evenly(unsigned parts, unsigned n, unsigned *part)
{
	parts = parts > n ? n : parts;
	for (unsigned i = 0; i < n; i++)
		part[i] = i * parts / n;
	return parts;
}

static unsigned make_context(const int *workers, unsigned n, const struct wanted *w)
{
	int ids[STARPU_NMAXWORKERS];
	for (unsigned i = 0; i < n; i++)
		ids[i] = workers[i];
	if (w->policy)
		return starpu_sched_ctx_create(ids, (int)n, "parallel worker", STARPU_SCHED_CTX_NESTED, 0,
		                               STARPU_SCHED_CTX_POLICY_STRUCT, w->policy, 0);
	if (w->policy_name)
		return starpu_sched_ctx_create(ids, (int)n, "parallel worker", STARPU_SCHED_CTX_NESTED, 0,
		                               STARPU_SCHED_CTX_POLICY_NAME, w->policy_name, 0);
	return starpu_sched_ctx_create(ids, (int)n, "parallel worker", STARPU_SCHED_CTX_NESTED, 0,
	                               w->awake ? STARPU_SCHED_CTX_AWAKE_WORKERS : 0, 0);
}

static void call(void *buffers[], void *arg)
{
	const struct wanted *w = arg;
	(void)buffers;
	w->create(w->create_arg);
}

static void call_create(const struct wanted *w, unsigned ctx)
{
	static struct starpu_codelet calls = {.cpu_funcs = {call}, .name = "creates a parallel worker"};
	struct starpu_task *t = starpu_task_create();
	t->cl = &calls;
	t->cl_arg = (void *)(uintptr_t)w;
	t->sched_ctx = ctx;
	t->synchronous = 1;
	STARPU_ASSERT_MSG(!starpu_task_submit(t), "no worker creates a parallel worker");
}

/* The first one takes tasks for all. */
static void gather_around_first(unsigned ctx, int *workers, unsigned n)
{
	weft_store_u32(&sched_workers[workers[0]].adopts, ctx + 1);
	if (n > 1)
		starpu_sched_ctx_remove_workers(workers + 1, n - 1, 0);
}

static struct starpu_parallel_worker_config *make(hwloc_obj_type_t level, const struct wanted *w)
{
	struct starpu_parallel_worker_config *c = calloc(1, sizeof *c);
	int workers[STARPU_NMAXWORKERS], of_part[STARPU_NMAXWORKERS];
	unsigned part[STARPU_NMAXWORKERS], n = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, workers, STARPU_NMAXWORKERS);
	if (!c || !n) {
		free(c);
		return NULL;
	}
	unsigned parts = w->nb > 0 ? cut_evenly((unsigned)w->nb, n, part) : cut_by_level(level, workers, n, part);
	if (w->min > 0 && parts < (unsigned)w->min)
		parts = cut_evenly((unsigned)w->min, n, part);
	if (w->max > 0 && parts > (unsigned)w->max)
		parts = cut_evenly((unsigned)w->max, n, part);
	for (unsigned p = 0; p < parts && c->n < STARPU_NMAX_SCHED_CTXS - 1; p++) {
		unsigned k = 0;
		for (unsigned i = 0; i < n; i++)
			if (part[i] == p && (w->cores <= 0 || k < (unsigned)w->cores))
				of_part[k++] = workers[i];
		c->ctx[c->n++] = make_context(of_part, k, w);
		if (w->create)
			call_create(w, c->ctx[c->n - 1]);
		gather_around_first(c->ctx[c->n - 1], of_part, k);
	}
	return c;
}

struct starpu_parallel_worker_config *starpu_parallel_worker_init(hwloc_obj_type_t parallel_worker_level, ...)
{
	struct wanted w = {0};
	va_list args;
	va_start(args, parallel_worker_level);
	read_wanted(&w, &args);
	va_end(args);
	return make(parallel_worker_level, &w);
}

int starpu_parallel_worker_shutdown(struct starpu_parallel_worker_config *parallel_workers)
{
	if (!parallel_workers)
		return -1;
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < parallel_workers->n; i++) {
		weft_store_u32(&sched_workers[sched_ctxs[parallel_workers->ctx[i]].primary].adopts, 0);
		starpu_sched_ctx_delete(parallel_workers->ctx[i]);
	}
	free(parallel_workers);
	return 0;
}

int starpu_parallel_worker_print(struct starpu_parallel_worker_config *parallel_workers)
{
	if (!parallel_workers)
		return -1;
	printf("Number of parallel workers created: %u\n", parallel_workers->n);
	for (unsigned i = 0; i < parallel_workers->n; i++) {
		int *workers;
		unsigned n = starpu_sched_ctx_get_workers_list_raw(parallel_workers->ctx[i], &workers);
		printf("Parallel worker %u contains the following logical indexes:\n\t", i);
		for (unsigned k = 0; k < n; k++)
			printf("%d ", workers[k]);
		printf("\n");
	}
	return 0;
}

/* The program's own OpenMP runtime, if it has one. */
extern void omp_set_num_threads(int n) __attribute__((weak));

void starpu_parallel_worker_openmp_prologue(void *arg)
{
	struct starpu_task *t = starpu_task_get_current();
	unsigned ctx = arg ? *(unsigned *)arg : t ? t->sched_ctx : 0;
	if (omp_set_num_threads)
		omp_set_num_threads((int)starpu_sched_ctx_get_nworkers(ctx));
}

void starpu_parallel_worker_gnu_openmp_mkl_prologue(void *arg)
{
	starpu_parallel_worker_openmp_prologue(arg);
}

/* -- the names of 1.3 -- */

struct starpu_cluster_machine *starpu_cluster_machine(hwloc_obj_type_t cluster_level, ...)
{
	struct wanted w = {0};
	va_list args;
	va_start(args, cluster_level);
	read_wanted(&w, &args);
	va_end(args);
	return (struct starpu_cluster_machine *)make(cluster_level, &w);
}

void starpu_openmp_prologue(void *arg)
{
	starpu_parallel_worker_openmp_prologue(arg);
}

void starpu_gnu_openmp_mkl_prologue(void *arg)
{
	starpu_parallel_worker_openmp_prologue(arg);
}

int starpu_uncluster_machine(struct starpu_cluster_machine *clusters)
{
	return starpu_parallel_worker_shutdown((struct starpu_parallel_worker_config *)clusters);
}

int starpu_cluster_print(struct starpu_cluster_machine *clusters)
{
	return starpu_parallel_worker_print((struct starpu_parallel_worker_config *)clusters);
}
