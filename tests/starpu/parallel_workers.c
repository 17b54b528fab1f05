/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel workers: how the machine is cut by what arguments, what prologues tell the program's OpenMP, and the names of 1.3. */
#include "starpu_check.h"
#include <starpu_parallel_worker.h>
#include <starpu_scheduler.h>

enum { WORKERS = 4, TASKS = 40 };

/* The program's own OpenMP. */
static _Thread_local int omp_threads;
void omp_set_num_threads(int n);
void omp_set_num_threads(int n)
{
	omp_threads = n;
}

static int mkl_threads;
void MKL_Set_Num_Threads(int n);
void MKL_Set_Num_Threads(int n)
{
	__atomic_store_n(&mkl_threads, n, __ATOMIC_RELAXED); /* prologues of several tasks may run at once */
}

static int threads_seen[WORKERS + 1];
static void look(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	CHECK(omp_threads == (int)starpu_sched_ctx_get_nworkers(starpu_task_get_current()->sched_ctx));
	__atomic_add_fetch(&threads_seen[omp_threads], 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet looks = {.cpu_funcs = {look}};

static int created, created_with;
static void create(void *arg)
{
	CHECK(starpu_worker_get_id() >= 0 && starpu_task_get_current());
	created++;
	created_with += *(int *)arg;
}
static int by_three = 3;

static struct starpu_parallel_worker_config *whole(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, 0);
}
static struct starpu_parallel_worker_config *packages(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_PACKAGE, STARPU_PARALLEL_WORKER_TYPE, STARPU_PARALLEL_WORKER_GNU_OPENMP_MKL,
	                                   0);
}
static struct starpu_parallel_worker_config *cores(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_CORE, STARPU_PARALLEL_WORKER_TYPE, STARPU_PARALLEL_WORKER_OPENMP,
	                                   STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS, 1, 0);
}
static struct starpu_parallel_worker_config *at_most_two(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_CORE, STARPU_PARALLEL_WORKER_MAX_NB, 2, 0);
}
static struct starpu_parallel_worker_config *at_most_three_alike(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_CORE, STARPU_PARALLEL_WORKER_MAX_NB, 3,
	                                   STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS, 1, 0);
}
static struct starpu_parallel_worker_config *few(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_CORE, STARPU_PARALLEL_WORKER_MIN_NB, 2, STARPU_PARALLEL_WORKER_MAX_NB, 4,
	                                   STARPU_PARALLEL_WORKER_PREFERE_MIN, 0);
}
static struct starpu_parallel_worker_config *three(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_NB, 3, 0);
}
static struct starpu_parallel_worker_config *three_alike(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_NB, 3,
	                                   STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS, 1, 0);
}
static struct starpu_parallel_worker_config *of_one_package(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_PACKAGE, STARPU_PARALLEL_WORKER_PARTITION_ONE, STARPU_PARALLEL_WORKER_NB, 2,
	                                   0);
}
static struct starpu_parallel_worker_config *of_each_its_own(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_PACKAGE, STARPU_PARALLEL_WORKER_PARTITION_ONE, STARPU_PARALLEL_WORKER_NB, 2,
	                                   STARPU_PARALLEL_WORKER_NEW, STARPU_PARALLEL_WORKER_PARTITION_ONE, 0);
}
static struct starpu_parallel_worker_config *at_least_two(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_MIN_NB, 2,
	                                   STARPU_PARALLEL_WORKER_POLICY_NAME, "prio", 0);
}
static struct starpu_parallel_worker_config *two_with_one_core(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_NB, 2, STARPU_PARALLEL_WORKER_NCORES, 1, 0);
}
static struct starpu_parallel_worker_config *created_two(void)
{
	return starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_NB, 2, STARPU_PARALLEL_WORKER_CREATE_FUNC,
	                                   create, STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG, &by_three,
	                                   STARPU_PARALLEL_WORKER_AWAKE_WORKERS, 0);
}
static struct starpu_parallel_worker_config *of_1_3(void)
{
	return (struct starpu_parallel_worker_config *)
		starpu_cluster_machine(HWLOC_OBJ_MACHINE, STARPU_CLUSTER_NB, 2, STARPU_CLUSTER_POLICY_STRUCT,
	                               starpu_sched_ctx_get_sched_policy(0), STARPU_CLUSTER_TYPE, STARPU_CLUSTER_INTEL_OPENMP_MKL,
	                               STARPU_CLUSTER_CREATE_FUNC, create, STARPU_CLUSTER_CREATE_FUNC_ARG, &by_three,
	                               STARPU_CLUSTER_NCORES, 2, STARPU_CLUSTER_AWAKE_WORKERS, STARPU_CLUSTER_MIN_NB, 1,
	                               STARPU_CLUSTER_MAX_NB, 4, STARPU_CLUSTER_PREFERE_MIN, STARPU_CLUSTER_KEEP_HOMOGENEOUS, 0,
	                               STARPU_CLUSTER_NEW, STARPU_CLUSTER_PARTITION_ONE, 0);
}

static const struct row {
	struct starpu_parallel_worker_config *(*make)(void);
	void (*prologue)(void *);
	const char *parts[WORKERS]; /* the workers of each, as they are printed */
	int created, threads;       /* of each of its tasks; 0: they differ */
} rows[] = {
	{whole, starpu_parallel_worker_openmp_prologue, {"0 1 2 3 "}, 0, 4},
	{packages, NULL, {"0 1 ", "2 3 "}, 0, 2},
	{cores, starpu_parallel_worker_gnu_openmp_mkl_prologue, {"0 ", "1 ", "2 ", "3 "}, 0, 1},
	{at_most_two, NULL, {"0 1 ", "2 3 "}, 0, 2},
	{at_most_three_alike, NULL, {"0 1 ", "2 3 "}, 0, 2},
	{few, NULL, {"0 1 ", "2 3 "}, 0, 2},
	{three, NULL, {"0 1 ", "2 ", "3 "}, 0, 0},
	{three_alike, starpu_parallel_worker_openmp_prologue, {"0 ", "1 ", "2 "}, 0, 0},
	{of_one_package, starpu_parallel_worker_openmp_prologue, {"0 ", "1 "}, 0, 0},
	{of_each_its_own, NULL, {"0 ", "1 ", "2 3 "}, 0, 0},
	{at_least_two, starpu_openmp_prologue, {"0 1 ", "2 3 "}, 0, 2},
	{two_with_one_core, starpu_gnu_openmp_mkl_prologue, {"0 ", "2 "}, 0, 0},
	{created_two, starpu_intel_openmp_mkl_prologue, {"0 1 ", "2 3 "}, 2, 2},
	{of_1_3, starpu_openmp_prologue, {"0 1 ", "2 3 "}, 2, 2},
};

/* What is printed of it. */
static const char *printed(const struct row *r)
{
	static char text[1000];
	unsigned n = 0;
	size_t at = 0;
	while (n < WORKERS && r->parts[n])
		n++;
	at += (size_t)snprintf(text, sizeof text, "Number of parallel workers created: %u\n", n);
	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof text - at,
		                       "Parallel worker %u contains the following logical indexes:\n\t%s\n", i, r->parts[i]);
	return text;
}

/* What a function prints to the standard output. */
static void check_print(int (*print)(struct starpu_parallel_worker_config *), struct starpu_parallel_worker_config *c,
                        const char *want)
{
	char text[1000] = "";
	FILE *to = tmpfile();
	fflush(stdout);
	int out = dup(STDOUT_FILENO);
	CHECK(to && out >= 0 && dup2(fileno(to), STDOUT_FILENO) >= 0);
	CHECK(print(c) == 0);
	fflush(stdout);
	CHECK(dup2(out, STDOUT_FILENO) >= 0);
	close(out);
	rewind(to);
	text[fread(text, 1, sizeof text - 1, to)] = 0;
	fclose(to);
	if (strcmp(text, want) != 0)
		fprintf(stderr, "# %s", text);
	CHECK(!strcmp(text, want));
}

static int print_1_3(struct starpu_parallel_worker_config *c)
{
	return starpu_cluster_print((struct starpu_cluster_machine *)c);
}

static void check(const struct row *r)
{
	created = created_with = 0;
	struct starpu_parallel_worker_config *c = r->make();
	CHECK(c && created == r->created && created_with == 3 * r->created);
	check_print(r->make == of_1_3 ? print_1_3 : starpu_parallel_worker_print, c, printed(r));
	memset(threads_seen, 0, sizeof threads_seen);
	for (int i = 0; i < TASKS; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &looks;
		t->prologue_callback_pop_func = r->prologue;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_task_wait_for_all();
	if (r->threads && threads_seen[r->threads] != TASKS)
		fprintf(stderr, "# %d %d %d %d\n", threads_seen[1], threads_seen[2], threads_seen[3], threads_seen[4]);
	CHECK(!r->threads || threads_seen[r->threads] == TASKS);
	CHECK(r->make != packages || LOOK(mkl_threads) == 2);
	CHECK((r->make == of_1_3 ? starpu_uncluster_machine((struct starpu_cluster_machine *)c)
	                         : starpu_parallel_worker_shutdown(c)) == 0);
	CHECK(starpu_sched_ctx_get_nworkers(0) == WORKERS);
}

int main(void)
{
	struct starpu_conf conf;
	setenv("STARPU_SILENT", "1", 1);
	setenv("HWLOC_SYNTHETIC", "package:2 core:2 pu:1", 1);
	unsetenv("STARPU_SCHED");
	starpu_conf_init(&conf);
	conf.ncpus = WORKERS;
	conf.nopencl = 0;
	conf.sched_policy_name = "eager";
	if (starpu_init(&conf) || starpu_cpu_worker_get_count() != WORKERS)
		cannot_begin();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check(&rows[i]);
	CHECK(starpu_parallel_worker_shutdown(NULL) == -1 && starpu_parallel_worker_print(NULL) == -1);
	starpu_shutdown();
	return checks_failed();
}
