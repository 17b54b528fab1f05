/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment variables, each by what it changes: how many workers and where, limits, models and their folders, what is shown.
 * The machine is one that hwloc makes up, so that the answers are known.
 */
#include "starpu_check.h"
#include <fcntl.h>
#include <stdbool.h>

static char folder[] = "/tmp/weft-environment-XXXXXX";

static bool begin_with(int ncpus, const char *policy)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	if (ncpus >= 0)
		conf.ncpus = ncpus;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	int rc = starpu_init(&conf);
	CHECK(!rc);
	return !rc;
}

/* ---- workers ---- */

struct workers {
	const char *variable, *value, *machine;
	unsigned n;
	int bound[4]; /* the first ones, or -1: not looked at */
};
static const struct workers workers[] = {
	{"STARPU_NCPU", "3", "core:4 pu:1", 3, {-1}},
	{"STARPU_NCPUS", "2", "core:4 pu:1", 2, {-1}},
	{"STARPU_RESERVE_NCPU", "1", "core:4 pu:1", 3, {-1}},
	{"STARPU_RESERVE_NCPU", "3", "core:4 pu:1", 1, {-1}},
	{"STARPU_NTHREADS_PER_CORE", "1", "core:2 pu:2", 2, {0, 2, -1}},
	{"STARPU_NTHREADS_PER_CORE", "2", "core:2 pu:2", 4, {-1}},
	{"STARPU_WORKERS_CPUID", "3 1 2", "core:4 pu:1", 4, {3, 1, 2, 3}},
	{"STARPU_WORKERS_CPUID", "1-2 0", "core:4 pu:1", 4, {1, 2, 0, 1}},
	{"STARPU_WORKERS_CPUID", "2-", "core:4 pu:1", 4, {2, 3, 2, 3}},
	{"STARPU_WORKERS_COREID", "1 0", "core:2 pu:2", 2, {2, 0, -1}},
	{"STARPU_MAIN_THREAD_BIND", "1", "core:4 pu:1", 3, {0, 1, 2, -1}},
	{"STARPU_WORKERS_NOBIND", "1", "core:4 pu:1", 4, {-1}},
};

static void counts_workers(const struct workers *w)
{
	setenv("HWLOC_SYNTHETIC", w->machine, 1);
	setenv(w->variable, w->value, 1);
	if (begin_with(-1, NULL)) {
		bool right = starpu_cpu_worker_get_count() == w->n;
		for (unsigned i = 0; i < w->n && i < 4 && w->bound[i] >= 0; i++)
			right = right && starpu_worker_get_bindid((int)i) == w->bound[i];
		if (!right)
			fprintf(stderr, "# %s=%s: %u workers\n", w->variable, w->value, starpu_cpu_worker_get_count());
		CHECK(right);
		starpu_shutdown();
	}
	unsetenv(w->variable);
	unsetenv("HWLOC_SYNTHETIC");
}

/* ---- combined workers, as pheft has them ---- */

struct combined {
	const char *variable[2], *value[2];
	unsigned n;
	int least, most;
};
static const struct combined combined[] = {
	{{NULL}, {NULL}, 3, 2, 4}, /* 4, 2 and 2 */
	{{"STARPU_MIN_WORKERSIZE"}, {"3"}, 1, 4, 4},
	{{"STARPU_MAX_WORKERSIZE"}, {"2"}, 2, 2, 2},
	{{"STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER"}, {"4"}, 1, 4, 4},
	{{"STARPU_SINGLE_COMBINED_WORKER"}, {"1"}, 4, 1, 4}, /* 1, 2, 3 and 4 */
	{{"STARPU_SINGLE_COMBINED_WORKER", "STARPU_MIN_WORKERSIZE"}, {"1", "3"}, 2, 3, 4},
};

static void combines(const struct combined *c)
{
	setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
	for (unsigned i = 0; i < 2 && c->variable[i]; i++)
		setenv(c->variable[i], c->value[i], 1);
	if (begin_with(4, "pheft")) {
		int least = 99, most = 0;
		unsigned n = starpu_combined_worker_get_count();
		for (unsigned i = 0; i < n; i++) {
			int size, *members;
			CHECK(!starpu_combined_worker_get_description((int)(starpu_worker_get_count() + i), &size, &members));
			least = size < least ? size : least;
			most = size > most ? size : most;
		}
		if (n != c->n || least != c->least || most != c->most)
			fprintf(stderr, "# %s: %u of %d to %d\n", c->variable[0] ? c->variable[0] : "nothing", n, least, most);
		CHECK(n == c->n && least == c->least && most == c->most);
		starpu_shutdown();
	}
	for (unsigned i = 0; i < 2 && c->variable[i]; i++)
		unsetenv(c->variable[i]);
	unsetenv("HWLOC_SYNTHETIC");
}

/* ---- tasks ---- */

static int ran, held;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}
static void wait_for_go(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	WAIT_FOR(!LOOK(held));
}
static struct starpu_codelet counts = {.cpu_funcs = {count}, .name = "counts"}, waits = {.cpu_funcs = {wait_for_go}};
static int released;
static void *let_go(void *arg)
{
	(void)arg;
	WAIT_FOR(starpu_task_nsubmitted() >= 5);
	released = starpu_task_nsubmitted();
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	return NULL;
}

/* Who submits the sixth waits until there are only two. */
static void limits_tasks(void)
{
	starpu_pthread_t other;
	setenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS", "5", 1);
	setenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS", "2", 1);
	if (begin_with(1, NULL)) {
		CHECK(starpu_get_limit_max_submitted_tasks() == 5 && starpu_get_limit_min_submitted_tasks() == 2);
		held = 1;
		starpu_pthread_create(&other, NULL, let_go, NULL);
		CHECK(!starpu_task_insert(&waits, 0));
		for (int i = 0; i < 20; i++)
			CHECK(!starpu_task_insert(&counts, 0));
		CHECK(starpu_task_nsubmitted() <= 5);
		starpu_pthread_join(other, NULL);
		CHECK(released == 5);
		starpu_task_wait_for_all();
		starpu_shutdown();
	}
	unsetenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS");
	unsetenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS");
}

static int barked;
static void bark(void *arg)
{
	CHECK(arg == &barked);
	__atomic_add_fetch(&barked, 1, __ATOMIC_RELAXED);
}

static void watches(void)
{
	starpu_task_watchdog_set_hook(bark, &barked);
	setenv("STARPU_WATCHDOG_TIMEOUT", "20000", 1);
	setenv("STARPU_WATCHDOG_DELAY", "1000", 1);
	if (begin_with(1, NULL)) {
		held = 1;
		CHECK(!starpu_task_insert(&waits, 0));
		WAIT_FOR(LOOK(barked));
		CHECK(LOOK(barked));
		__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
		starpu_shutdown();
	}
	unsetenv("STARPU_WATCHDOG_TIMEOUT");
	unsetenv("STARPU_WATCHDOG_DELAY");
	starpu_task_watchdog_set_hook(NULL, NULL);
}

/* With the functions switched off all else happens. */
static int called_back;
static void call_back(void *arg)
{
	(void)arg;
	called_back++;
}

static void disables_functions(void)
{
	setenv("STARPU_DISABLE_KERNELS", "1", 1);
	if (begin_with(1, NULL)) {
		ran = called_back = 0;
		for (int i = 0; i < 5; i++)
			CHECK(!starpu_task_insert(&counts, STARPU_CALLBACK, call_back, 0));
		starpu_task_wait_for_all();
		CHECK(ran == 0 && called_back == 5);
		starpu_shutdown();
	}
	unsetenv("STARPU_DISABLE_KERNELS");
}

/* ---- what is shown: stdout and stderr into a file, looked for a word ---- */

static bool shows(const char *variable, const char *value, const char *word)
{
	char path[128], text[4096] = "";
	snprintf(path, sizeof path, "%s/shown", folder);
	fflush(stdout);
	int out = dup(1), err = dup(2), file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	dup2(file, 1);
	dup2(file, 2);
	setenv(variable, value, 1);
	unsetenv("STARPU_SILENT");
	if (begin_with(1, NULL)) {
		for (int i = 0; i < 3; i++)
			CHECK(!starpu_task_insert(&counts, 0));
		starpu_shutdown();
	}
	setenv("STARPU_SILENT", "1", 1);
	unsetenv(variable);
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	close(out);
	close(err);
	ssize_t n = pread(file, text, sizeof text - 1, 0);
	close(file);
	return n > 0 && strstr(text, word);
}

/* ---- models ---- */

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED};
static struct starpu_codelet learns = {.cpu_funcs = {count}, .model = &model, .name = "learns"};

/* So many tasks: is the length known then? */
static bool knows_after(int tasks, const char *symbol)
{
	bool knows = false;
	setenv("STARPU_CALIBRATE", "1", 1);
	if (begin_with(1, "eager")) {
		model = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED, .symbol = symbol};
		for (int i = 0; i < tasks; i++)
			CHECK(!starpu_task_insert(&learns, 0));
		starpu_task_wait_for_all();
		struct starpu_task *t = starpu_task_create();
		t->cl = &learns;
		double length = starpu_task_expected_length(t, starpu_worker_get_perf_archtype(0, STARPU_NMAX_SCHED_CTXS), 0);
		knows = length > 0;
		starpu_task_destroy(t);
		starpu_shutdown();
	}
	unsetenv("STARPU_CALIBRATE");
	return knows;
}

static bool is_file(const char *form, const char *in, const char *name)
{
	char path[256];
	snprintf(path, sizeof path, form, in, name);
	return !access(path, R_OK);
}

static void learns_where(void)
{
	char elsewhere[128];
	snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
	/* So wide that no sample is left out, so that what counts is their number. */
	setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1);
	setenv("STARPU_CALIBRATE_MINIMUM", "4", 1);
	CHECK(!knows_after(3, "environment_few"));
	CHECK(knows_after(8, "environment_enough"));
	setenv("STARPU_CALIBRATE_MINIMUM", "30", 1);
	CHECK(!knows_after(12, "environment_many"));
	unsetenv("STARPU_CALIBRATE_MINIMUM");
	CHECK(is_file("%s/.starpu/sampling/codelets/45/%s.anyhost", folder, "environment_enough"));
	setenv("STARPU_PERF_MODEL_DIR", elsewhere, 1);
	setenv("STARPU_HOSTNAME", "otherhost", 1);
	CHECK(knows_after(14, "environment_moved"));
	CHECK(is_file("%s/codelets/45/%s.otherhost", elsewhere, "environment_moved"));
	unsetenv("STARPU_PERF_MODEL_DIR");
	/* Found there although it is not in the main folder. */
	setenv("STARPU_PERF_MODEL_PATH", elsewhere, 1);
	if (begin_with(1, NULL)) {
		struct starpu_perfmodel loaded = {0};
		CHECK(!starpu_perfmodel_load_symbol("environment_moved", &loaded));
		starpu_perfmodel_unload_model(&loaded);
		starpu_shutdown();
	}
	unsetenv("STARPU_PERF_MODEL_PATH");
	if (begin_with(1, NULL)) {
		struct starpu_perfmodel loaded = {0};
		CHECK(starpu_perfmodel_load_symbol("environment_moved", &loaded));
		starpu_shutdown();
	}
	setenv("STARPU_HOSTNAME", "anyhost", 1);
	unsetenv("STARPU_HISTORY_MAX_ERROR");
}

/* Workers are alike, or each has a model of its own. */
static void tells_workers_apart(void)
{
	for (int alike = 0; alike < 2; alike++) {
		setenv("STARPU_PERF_MODEL_HOMOGENEOUS_CPU", alike ? "1" : "0", 1);
		if (!begin_with(2, NULL))
			continue;
		const struct starpu_perfmodel_arch *a = starpu_worker_get_perf_archtype(0, STARPU_NMAX_SCHED_CTXS),
						   *b = starpu_worker_get_perf_archtype(1, STARPU_NMAX_SCHED_CTXS);
		CHECK((a->devices[0].devid == b->devices[0].devid) == alike);
		starpu_shutdown();
	}
	unsetenv("STARPU_PERF_MODEL_HOMOGENEOUS_CPU");
}

/* A line for each run: the microseconds that its workers had nothing to run. */
static void counts_idle_time(void)
{
	enum { RUNS = 2, LEAST_US = 50000 };
	char path[128];
	double idle[RUNS] = {0};
	snprintf(path, sizeof path, "%s/idle", folder);
	setenv("STARPU_IDLE_FILE", path, 1);
	for (int i = 0; i < RUNS; i++)
		if (begin_with(2, NULL)) {
			usleep(LEAST_US);
			starpu_shutdown();
		}
	unsetenv("STARPU_IDLE_FILE");
	FILE *f = fopen(path, "r");
	CHECK(f && fscanf(f, "%lf %lf", &idle[0], &idle[1]) == RUNS);
	CHECK(idle[0] >= 2 * LEAST_US && idle[1] >= 2 * LEAST_US);
	if (f)
		fclose(f);
}

/* ---- policies of a library ---- */

static void takes_library(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/tests/starpu/libenvironment_policy.so", getenv("WEFT_BUILD"));
	setenv("STARPU_SCHED_LIB", path, 1);
	setenv("STARPU_SCHED", "of_the_library", 1);
	if (begin_with(1, NULL)) {
		CHECK(!strcmp(starpu_sched_get_sched_policy()->policy_name, "of_the_library"));
		CHECK(starpu_get_sched_lib_policies() && starpu_get_sched_lib_policies()[0] == starpu_sched_get_sched_policy());
		ran = 0;
		for (int i = 0; i < 10; i++)
			CHECK(!starpu_task_insert(&counts, 0));
		starpu_task_wait_for_all();
		CHECK(ran == 10);
		starpu_shutdown();
	}
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_SCHED_LIB");
}

int main(void)
{
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	setenv("STARPU_HOME", folder, 1);
	setenv("STARPU_HOSTNAME", "anyhost", 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_NCPU");
	for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++)
		counts_workers(&workers[i]);
	for (size_t i = 0; i < sizeof combined / sizeof combined[0]; i++)
		combines(&combined[i]);
	limits_tasks();
	watches();
	disables_functions();
	CHECK(shows("STARPU_TASK_PROGRESS", "1", "3 tasks are done"));
	CHECK(!shows("STARPU_TASK_PROGRESS", "0", "tasks are done"));
	CHECK(shows("STARPU_DISPLAY_BINDINGS", "1", "processing unit"));
	CHECK(shows("STARPU_SCHED", "help", "modular-heft"));
	CHECK(shows("STARPU_WORKER_STATS", "1", "CPU 0"));
	learns_where();
	counts_idle_time();
	tells_workers_apart();
	takes_library();
	char remove[128];
	snprintf(remove, sizeof remove, "rm -rf %s", folder);
	CHECK(!system(remove));
	return checks_failed();
}
