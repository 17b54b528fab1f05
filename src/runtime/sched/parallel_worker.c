/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel workers (clusters, in 1.3): the CPU workers of each part of the machine become a
 * context, in which tasks run code that is parallel by itself (OpenMP) on all processors of the
 * part. The first worker of the part stays in context 0, and what it takes there becomes a task of
 * the part; the other ones leave context 0 for as long. When it is made, its first worker sets the
 * inner runtime's number of threads and binds them; so does a prologue.
 *
 *     arguments ─> groups, one after the other ─┬─ each object of the level is a part, within MIN_NB and MAX_NB
 *                  (NEW begins one)             └─ equal shares, when a number of parts is asked for
 *
 * A group has all workers that those before it left; with PARTITION_ONE, those below one object of
 * the level only. Workers in no part stay in context 0.
 */
#include "sched.h"
#include <starpu_parallel_worker.h>
#include <stdarg.h>
#include <stdlib.h>

struct starpu_parallel_worker_config {
	unsigned n, ctx[STARPU_NMAX_SCHED_CTXS];
};

enum { GROUPS = STARPU_NMAX_SCHED_CTXS };

struct wanted {
	int min, max, nb, cores, homogeneous, type;
	bool awake, fewest, one;
	const char *policy_name;
	struct starpu_sched_policy *policy;
	void (*create)(void *); /* called by each one's first worker when it is made; with it, `type` is not looked at */
	void *create_arg;
};
static const struct wanted usual = {.type = STARPU_PARALLEL_WORKER_OPENMP};

enum kind { INT, FLAG, TEXT, POLICY, FUNCTION, POINTER };
static const struct argument {
	int what;
	enum kind kind;
	size_t at;
} arguments[] = {
	{STARPU_PARALLEL_WORKER_MIN_NB, INT, offsetof(struct wanted, min)},
	{STARPU_PARALLEL_WORKER_MAX_NB, INT, offsetof(struct wanted, max)},
	{STARPU_PARALLEL_WORKER_NB, INT, offsetof(struct wanted, nb)},
	{STARPU_PARALLEL_WORKER_NCORES, INT, offsetof(struct wanted, cores)},
	{STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS, INT, offsetof(struct wanted, homogeneous)},
	{STARPU_PARALLEL_WORKER_TYPE, INT, offsetof(struct wanted, type)},
	{STARPU_PARALLEL_WORKER_AWAKE_WORKERS, FLAG, offsetof(struct wanted, awake)},
	{STARPU_PARALLEL_WORKER_PREFERE_MIN, FLAG, offsetof(struct wanted, fewest)},
	{STARPU_PARALLEL_WORKER_PARTITION_ONE, FLAG, offsetof(struct wanted, one)},
	{STARPU_PARALLEL_WORKER_POLICY_NAME, TEXT, offsetof(struct wanted, policy_name)},
	{STARPU_PARALLEL_WORKER_POLICY_STRUCT, POLICY, offsetof(struct wanted, policy)},
	{STARPU_PARALLEL_WORKER_CREATE_FUNC, FUNCTION, offsetof(struct wanted, create)},
	{STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG, POINTER, offsetof(struct wanted, create_arg)},
};

static const struct argument *argument_of(int what)
{
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		if (arguments[i].what == what)
			return &arguments[i];
	STARPU_ABORT_MSG("%d is no argument of a parallel worker", what);
}

static void read_argument(struct wanted *w, int what, va_list *args)
{
	const struct argument *a = argument_of(what);
	void *to = (char *)w + a->at;
	switch (a->kind) {
	case INT:
		*(int *)to = va_arg(*args, int);
		break;
	case FLAG:
		*(bool *)to = true;
		break;
	case TEXT:
		*(const char **)to = va_arg(*args, const char *);
		break;
	case POLICY:
		*(struct starpu_sched_policy **)to = va_arg(*args, struct starpu_sched_policy *);
		break;
	case FUNCTION:
		*(void (**)(void *))to = va_arg(*args, void (*)(void *));
		break;
	case POINTER:
		*(void **)to = va_arg(*args, void *);
		break;
	}
}

/* Returns how many groups. */
static unsigned read_wanted(struct wanted *groups, va_list *args)
{
	unsigned n = 1;
	groups[0] = usual;
	for (int what = va_arg(*args, int); what; what = va_arg(*args, int)) {
		if (what != STARPU_PARALLEL_WORKER_NEW) {
			read_argument(&groups[n - 1], what, args);
			continue;
		}
		STARPU_ASSERT_MSG(n < GROUPS, "there are more than %d groups of parallel workers", GROUPS);
		groups[n++] = usual;
	}
	return n;
}

/* -- cutting -- */

/* CPU workers that are in no part yet. */
struct left {
	unsigned n;
	int worker[STARPU_NMAXWORKERS];
};

static hwloc_obj_t object_of(int worker, hwloc_obj_type_t level)
{
	hwloc_obj_t obj = starpu_worker_get_hwloc_obj(worker);
	while (obj && obj->type != level)
		obj = obj->parent;
	return obj;
}

/* Workers of a group: all, or those below the object of the first. */
static unsigned take_out(struct left *from, bool one, hwloc_obj_type_t level, int *workers)
{
	hwloc_obj_t first = from->n ? object_of(from->worker[0], level) : NULL;
	unsigned n = 0, kept = 0;
	for (unsigned i = 0; i < from->n; i++)
		if (!one || object_of(from->worker[i], level) == first)
			workers[n++] = from->worker[i];
		else
			from->worker[kept++] = from->worker[i];
	from->n = kept;
	return n;
}

/*
 * CPU workers below the same object of the level follow each other; `part` gets the part of each.
 * Returns the number of parts.
 */
static unsigned cut_by_level(hwloc_obj_type_t level, const int *workers, unsigned n, unsigned *part)
{
	unsigned parts = 0;
	hwloc_obj_t of[STARPU_NMAXWORKERS];
	for (unsigned i = 0; i < n; i++) {
		hwloc_obj_t obj = object_of(workers[i], level);
		unsigned at = 0;
		while (at < parts && of[at] != obj)
			at++;
		if (at == parts)
			of[parts++] = obj;
		part[i] = at;
	}
	return parts;
}

/* Equal shares; homogeneous: of one size, and some may be in none (part number `parts`). */
static void cut_evenly(unsigned parts, bool homogeneous, unsigned n, unsigned *part)
{
	unsigned size = n / parts;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = homogeneous ? i / size : i * parts / n;
		part[i] = at < parts ? at : parts;
	}
}

/*
 * The number of parts, when the level has so many: in the requested range, if they can be of one
 * size.
 */
static unsigned how_many(const struct wanted *w, unsigned level, unsigned n)
{
	unsigned min = w->min > 0 ? (unsigned)w->min : 1, max = w->max > 0 && (unsigned)w->max < n ? (unsigned)w->max : n;
	unsigned parts = w->fewest || level < min ? min : level > max ? max : level;
	if (w->nb > 0)
		parts = (unsigned)w->nb;
	parts = parts > n ? n : parts;
	if (!w->homogeneous || w->nb > 0)
		return parts;
	for (unsigned off = 0; off < n; off++) {
		if (parts >= min + off && n % (parts - off) == 0)
			return parts - off;
		if (parts + off <= max && n % (parts + off) == 0)
			return parts + off;
	}
	return parts;
}

/* The part of each worker. Returns the number of parts. */
static unsigned parallel_cut(const struct wanted *w, hwloc_obj_type_t level, const int *workers, unsigned n, unsigned *part)
{
	unsigned of_level = cut_by_level(level, workers, n, part), parts = how_many(w, of_level, n);
	if (parts != of_level || w->nb > 0 || w->homogeneous)
		cut_evenly(parts, w->homogeneous, n, part);
	return parts;
}

/* -- making -- */

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

/* -- the inner runtime -- */

/* The program's own, if it has them. */
extern void omp_set_num_threads(int n) __attribute__((weak));
extern int omp_get_thread_num(void) __attribute__((weak));
extern void GOMP_parallel(void (*body)(void *), void *arg, unsigned n, unsigned flags) __attribute__((weak));
extern void MKL_Set_Num_Threads(int n) __attribute__((weak));

static void bind_one(void *cpuids)
{
	int cpu = ((int *)cpuids)[omp_get_thread_num()];
	if (cpu >= 0)
		starpu_sched_ctx_bind_current_thread_to_cpuid((unsigned)cpu);
}

/*
 * It keeps its threads from one parallel region to the next one: they are bound in the first. Where
 * several workers take tasks at once, threads are not bound. Returns the number of threads.
 */
static int tell_openmp(const unsigned *of_ctx)
{
	struct starpu_task *t = starpu_task_get_current();
	unsigned ctx = of_ctx ? *of_ctx : t ? t->sched_ctx : 0;
	int *cpuids, n;
	starpu_sched_ctx_get_available_cpuids(ctx, &cpuids, &n);
	if (omp_set_num_threads)
		omp_set_num_threads(n);
	if (GOMP_parallel && omp_get_thread_num && n > 1 && !starpu_sched_ctx_has_starpu_scheduler(ctx, NULL))
		GOMP_parallel(bind_one, cpuids, (unsigned)n, 0);
	free(cpuids);
	return n;
}

void starpu_parallel_worker_openmp_prologue(void *arg)
{
	(void)tell_openmp(arg);
}

void starpu_parallel_worker_gnu_openmp_mkl_prologue(void *arg)
{
	int n = tell_openmp(arg);
	if (MKL_Set_Num_Threads)
		MKL_Set_Num_Threads(n);
}

static void (*const prologues[])(void *) = {
	[STARPU_PARALLEL_WORKER_OPENMP] = starpu_parallel_worker_openmp_prologue,
	[STARPU_PARALLEL_WORKER_INTEL_OPENMP_MKL] = starpu_parallel_worker_intel_openmp_mkl_prologue,
	[STARPU_PARALLEL_WORKER_GNU_OPENMP_MKL] = starpu_parallel_worker_gnu_openmp_mkl_prologue,
};

static void parallel_call(void *buffers[], void *arg)
{
	const struct wanted *w = arg;
	(void)buffers;
	w->create(w->create_arg);
}

static void call_create(const struct wanted *w, unsigned ctx)
{
	static struct starpu_codelet calls = {.cpu_funcs = {parallel_call}, .name = "creates a parallel worker"};
	struct wanted by_type = {.create_arg = &ctx};
	if (!w->create) {
		STARPU_ASSERT_MSG(w->type >= 0 && (size_t)w->type < sizeof prologues / sizeof *prologues,
		                  "%d is no type of a parallel worker", w->type);
		by_type.create = prologues[w->type];
		w = &by_type;
	}
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

/* A group's parts become contexts. */
static void make_group(struct starpu_parallel_worker_config *c, const struct wanted *w, hwloc_obj_type_t level, struct left *left)
{
	int workers[STARPU_NMAXWORKERS], of_part[STARPU_NMAXWORKERS];
	unsigned part[STARPU_NMAXWORKERS], n = take_out(left, w->one, level, workers);
	unsigned parts = n ? parallel_cut(w, level, workers, n, part) : 0;
	for (unsigned p = 0; p < parts && c->n < STARPU_NMAX_SCHED_CTXS - 1; p++) {
		unsigned k = 0;
		for (unsigned i = 0; i < n; i++)
			if (part[i] == p && (w->cores <= 0 || k < (unsigned)w->cores))
				of_part[k++] = workers[i];
		unsigned ctx = c->ctx[c->n++] = make_context(of_part, k, w);
		call_create(w, ctx);
		gather_around_first(ctx, of_part, k);
	}
}

static struct starpu_parallel_worker_config *parallel_make(hwloc_obj_type_t level, va_list *args)
{
	struct starpu_parallel_worker_config *c = calloc(1, sizeof *c);
	struct wanted groups[GROUPS];
	struct left left;
	unsigned n = read_wanted(groups, args);
	left.n = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, left.worker, STARPU_NMAXWORKERS);
	if (!c || !left.n) {
		free(c);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		make_group(c, &groups[i], level, &left);
	return c;
}

struct starpu_parallel_worker_config *starpu_parallel_worker_init(hwloc_obj_type_t parallel_worker_level, ...)
{
	va_list args;
	va_start(args, parallel_worker_level);
	struct starpu_parallel_worker_config *c = parallel_make(parallel_worker_level, &args);
	va_end(args);
	return c;
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

/* -- the names of 1.3 -- */

struct starpu_cluster_machine *starpu_cluster_machine(hwloc_obj_type_t cluster_level, ...)
{
	va_list args;
	va_start(args, cluster_level);
	struct starpu_parallel_worker_config *c = parallel_make(cluster_level, &args);
	va_end(args);
	return (struct starpu_cluster_machine *)c;
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
