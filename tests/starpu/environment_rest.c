/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More environment variables: the fields of the configuration that they fill, and who wins; what is answered, shown, kept in files,
 * limited; values that make no sense; and those that change nothing, as docs/environment.md says.
 */
#include "starpu_check.h"
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>

static char folder[] = "/tmp/weft-environment-XXXXXX";
static int ran;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet counts = {.cpu_funcs = {count}, .name = "counts"};

static bool begin(int ncpus, const char *policy)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = ncpus >= 0 ? ncpus : conf.ncpus;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	int rc = starpu_init(&conf);
	CHECK(!rc);
	return !rc;
}

static void end_with(const char *variable)
{
	starpu_shutdown();
	unsetenv(variable);
}

/* ---- fields of the configuration ---- */

#define FIELD(name) offsetof(struct starpu_conf, name)
static const struct field {
	const char *variable;
	size_t at;
	int usual, value;
} fields[] = {
	{"STARPU_NCPU", FIELD(ncpus), -1, 3},
	{"STARPU_NCPUS", FIELD(ncpus), -1, 2},
	{"STARPU_RESERVE_NCPU", FIELD(reserve_ncpus), -1, 1},
	{"STARPU_NCUDA", FIELD(ncuda), -1, 0},
	{"STARPU_NHIP", FIELD(nhip), -1, 0},
	{"STARPU_NSYCL", FIELD(nsycl), -1, 0},
	{"STARPU_NOPENCL", FIELD(nopencl), -1, 0},
	{"STARPU_NMAX_FPGA", FIELD(nmax_fpga), -1, 0},
	{"STARPU_NMPI_SC", FIELD(nmpi_sc), -1, 0},
	{"STARPU_NTCPIP_SC", FIELD(ntcpip_sc), -1, 0},
	{"STARPU_CALIBRATE", FIELD(calibrate), 0, 2},
	{"STARPU_BUS_CALIBRATE", FIELD(bus_calibrate), 0, 1},
	{"STARPU_DATA_LOCALITY_ENFORCE", FIELD(data_locality_enforce), 0, 1},
	{"STARPU_SINGLE_COMBINED_WORKER", FIELD(single_combined_worker), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_COPY", FIELD(disable_asynchronous_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_CUDA_COPY", FIELD(disable_asynchronous_cuda_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_HIP_COPY", FIELD(disable_asynchronous_hip_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_SYCL_COPY", FIELD(disable_asynchronous_sycl_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY", FIELD(disable_asynchronous_opencl_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_MPI_SC_COPY", FIELD(disable_asynchronous_mpi_sc_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_TCPIP_SC_COPY", FIELD(disable_asynchronous_tcpip_sc_copy), 0, 1},
	{"STARPU_DISABLE_ASYNCHRONOUS_MAX_FPGA_COPY", FIELD(disable_asynchronous_max_fpga_copy), 0, 1},
	{"STARPU_ENABLE_MAP", FIELD(enable_map), 0, 1},
	{"STARPU_CATCH_SIGNALS", FIELD(catch_signals), 1, 0},
	{"STARPU_BACKOFF_MIN", FIELD(driver_spinning_backoff_min), 1, 4},
	{"STARPU_BACKOFF_MAX", FIELD(driver_spinning_backoff_max), 32, 64},
	{"STARPU_MIN_PRIO", FIELD(global_sched_ctx_min_priority), -1, -7},
	{"STARPU_MAX_PRIO", FIELD(global_sched_ctx_max_priority), -1, 7},
	{"STARPU_CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES", FIELD(cuda_only_fast_alloc_other_memnodes), 0, 1},
};

static int field(const struct starpu_conf *conf, const struct field *f)
{
	int value;
	memcpy(&value, (const char *)conf + f->at, sizeof value);
	return value;
}

static void fill_fields(void)
{
	struct starpu_conf conf;
	char text[16];
	for (const struct field *f = fields; f < fields + sizeof fields / sizeof fields[0]; f++) {
		memset(&conf, 0x55, sizeof conf);
		CHECK(!starpu_conf_init(&conf));
		CHECK(field(&conf, f) == f->usual);
		snprintf(text, sizeof text, "%d", f->value);
		setenv(f->variable, text, 1);
		CHECK(!starpu_conf_init(&conf));
		if (field(&conf, f) != f->value)
			fprintf(stderr, "# %s\n", f->variable);
		CHECK(field(&conf, f) == f->value);
		unsetenv(f->variable);
	}
	CHECK(conf.trace_buffer_size == 64U << 20);
	setenv("STARPU_TRACE_BUFFER_SIZE", "7", 1);
	CHECK(!starpu_conf_init(&conf) && conf.trace_buffer_size == 7U << 20);
	unsetenv("STARPU_TRACE_BUFFER_SIZE");
	CHECK(starpu_conf_init(NULL) == -EINVAL && starpu_conf_noworker(NULL) == -EINVAL);
}

/* ---- what is answered ---- */

static const struct answer {
	const char *variable;
	int (*asks)(void);
} answers[] = {
	{"STARPU_DISABLE_ASYNCHRONOUS_COPY", starpu_asynchronous_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_COPY", starpu_asynchronous_opencl_copy_disabled}, /* each of them */
	{"STARPU_DISABLE_ASYNCHRONOUS_CUDA_COPY", starpu_asynchronous_cuda_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_HIP_COPY", starpu_asynchronous_hip_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_SYCL_COPY", starpu_asynchronous_sycl_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY", starpu_asynchronous_opencl_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_MPI_SC_COPY", starpu_asynchronous_mpi_sc_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_TCPIP_SC_COPY", starpu_asynchronous_tcpip_sc_copy_disabled},
	{"STARPU_DISABLE_ASYNCHRONOUS_MAX_FPGA_COPY", starpu_asynchronous_max_fpga_copy_disabled},
	{"STARPU_ENABLE_MAP", starpu_map_enabled},
};

static void answer(void)
{
	for (const struct answer *a = answers; a < answers + sizeof answers / sizeof answers[0]; a++) {
		if (begin(1, NULL)) {
			CHECK(!a->asks());
			starpu_shutdown();
		}
		setenv(a->variable, "1", 1);
		if (begin(1, NULL)) {
			CHECK(a->asks());
			starpu_shutdown();
		}
		unsetenv(a->variable);
	}
}

/* ---- who wins: the policy ---- */

static struct starpu_task_list own_tasks;
static starpu_pthread_mutex_t own_lock = STARPU_PTHREAD_MUTEX_INITIALIZER;
static bool own_began;

static void own_init(unsigned ctx)
{
	(void)ctx;
	own_began = true;
	starpu_task_list_init(&own_tasks);
}
static int own_push(struct starpu_task *t)
{
	STARPU_PTHREAD_MUTEX_LOCK(&own_lock);
	starpu_task_list_push_back(&own_tasks, t);
	starpu_push_task_end(t);
	STARPU_PTHREAD_MUTEX_UNLOCK(&own_lock);
	return 0;
}
static struct starpu_task *own_pop(unsigned ctx)
{
	(void)ctx;
	STARPU_PTHREAD_MUTEX_LOCK(&own_lock);
	struct starpu_task *t = starpu_task_list_empty(&own_tasks) ? NULL : starpu_task_list_pop_front(&own_tasks);
	STARPU_PTHREAD_MUTEX_UNLOCK(&own_lock);
	return t;
}
static struct starpu_sched_policy own = {.init_sched = own_init,
                                         .push_task = own_push,
                                         .pop_task = own_pop,
                                         .policy_name = "own",
                                         .policy_description = "a list",
                                         .worker_type = STARPU_WORKER_LIST};

static const struct choice {
	const char *variable, *name; /* STARPU_SCHED, and what the program says; NULL: nothing */
	bool own, precedence;
	const char *chosen;
} choices[] = {
	{NULL, NULL, true, false, "own"},        {NULL, "eager", true, false, "eager"},   {"prio", NULL, true, false, "prio"},
	{"prio", "eager", false, false, "prio"}, {"prio", "eager", true, true, "eager"},  {"prio", "eager", false, true, "eager"},
	{"", NULL, true, false, "own"},          {"nonsense", NULL, false, false, "lws"}, {NULL, "nonsense", false, false, "lws"},
};

static void choose(const struct choice *c)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.nopencl = 0;
	conf.sched_policy_name = c->name;
	conf.sched_policy = c->own ? &own : NULL;
	conf.precedence_over_environment_variables = c->precedence;
	if (c->variable)
		setenv("STARPU_SCHED", c->variable, 1);
	own_began = false;
	CHECK(!starpu_init(&conf));
	const char *chosen = starpu_sched_get_sched_policy()->policy_name;
	if (strcmp(chosen, c->chosen))
		fprintf(stderr, "# %s and not %s\n", chosen, c->chosen);
	CHECK(!strcmp(chosen, c->chosen) && own_began == (starpu_sched_get_sched_policy() == &own));
	ran = 0;
	for (int i = 0; i < 5; i++)
		CHECK(!starpu_task_insert(&counts, 0));
	end_with("STARPU_SCHED");
	CHECK(ran == 5);
}

/* Of numbers. */
static void number_wins(bool precedence, unsigned workers, int least, int most)
{
	struct starpu_conf conf;
	setenv("STARPU_NCPU", "3", 1);
	setenv("STARPU_MIN_PRIO", "-1", 1);
	setenv("STARPU_MAX_PRIO", "9", 1);
	starpu_conf_init(&conf);
	conf.nopencl = 0;
	conf.ncpus = 2;
	conf.global_sched_ctx_min_priority = -5;
	conf.global_sched_ctx_max_priority = 6;
	conf.precedence_over_environment_variables = precedence;
	CHECK(!starpu_init(&conf));
	CHECK(starpu_cpu_worker_get_count() == workers);
	CHECK(starpu_sched_get_min_priority() == least && starpu_sched_get_max_priority() == most);
	end_with("STARPU_NCPU");
	unsetenv("STARPU_MIN_PRIO");
	unsetenv("STARPU_MAX_PRIO");
}

/* ---- the machine ---- */

static void takes_topology(void)
{
	char path[128];
	hwloc_topology_t t;
	snprintf(path, sizeof path, "%s/machine.xml", folder);
	CHECK(!hwloc_topology_init(&t) && !hwloc_topology_set_synthetic(t, "core:6 pu:1") && !hwloc_topology_load(t) &&
	      !hwloc_topology_export_xml(t, path, 0));
	hwloc_topology_destroy(t);
	setenv("STARPU_HWLOC_INPUT", path, 1);
	if (begin(-1, NULL)) {
		CHECK(starpu_cpu_worker_get_count() == 6 && starpu_worker_get_bindid(5) == 5);
		end_with("STARPU_HWLOC_INPUT");
	}
}

/* Where the process is bound to one of several units, that is all there is, unless the binding is not to count. */
static void takes_binding(void)
{
	cpu_set_t all, one;
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2)
		return;
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	unsigned n[2] = {0}, unbound = 0;
	if (begin(-1, NULL)) {
		unbound = starpu_cpu_worker_get_count();
		starpu_shutdown();
	}
	CHECK(!sched_setaffinity(0, sizeof one, &one));
	for (unsigned free = 0; free < 2; free++) {
		setenv("STARPU_WORKERS_GETBIND", free ? "0" : "1", 1);
		if (begin(-1, NULL)) {
			n[free] = starpu_cpu_worker_get_count();
			end_with("STARPU_WORKERS_GETBIND");
		}
	}
	CHECK(n[0] == 1 && n[1] >= unbound);
	CHECK(!sched_setaffinity(0, sizeof all, &all));
}

/* Nobody is bound: neither workers, nor the main thread, nor who asks for it. */
static void binds_nobody(void)
{
	cpu_set_t before, now;
	setenv("STARPU_WORKERS_NOBIND", "1", 1);
	setenv("STARPU_MAIN_THREAD_BIND", "1", 1);
	CHECK(!sched_getaffinity(0, sizeof before, &before));
	if (begin(2, NULL)) {
		CHECK(!starpu_bind_thread_on((int)starpu_get_next_bindid(STARPU_THREAD_ACTIVE, NULL, 0), STARPU_THREAD_ACTIVE,
		                             "one"));
		CHECK(!starpu_bind_thread_on(starpu_worker_get_bindid(0), STARPU_THREAD_ACTIVE, "another"));
		CHECK(!sched_getaffinity(0, sizeof now, &now) && CPU_EQUAL(&before, &now));
		end_with("STARPU_WORKERS_NOBIND");
	}
	unsetenv("STARPU_MAIN_THREAD_BIND");
}

/* ---- memory ---- */

static const struct limit {
	const char *variable;
	starpu_ssize_t mb;
} limits[] = {
	{"STARPU_LIMIT_CPU_MEM", 32},
	{"STARPU_LIMIT_CPU_NUMA_MEM", 16},
	{"STARPU_LIMIT_CPU_NUMA_0_MEM", 8},
};

/* Each counts more than those before it. */
static void limit_memory(void)
{
	char text[16];
	unsigned n = sizeof limits / sizeof limits[0];
	for (unsigned i = 0; i < n; i++) {
		snprintf(text, sizeof text, "%zd", (ssize_t)limits[i].mb);
		setenv(limits[i].variable, text, 1);
		if (begin(1, NULL)) {
			CHECK(starpu_memory_get_total(STARPU_MAIN_RAM) == limits[i].mb << 20);
			starpu_shutdown();
		}
	}
	for (unsigned i = 0; i < n; i++)
		unsetenv(limits[i].variable);
}

static void swap_by(const char *backend, bool can)
{
	setenv("STARPU_DISK_SWAP", folder, 1);
	setenv("STARPU_DISK_SWAP_BACKEND", backend, 1);
	setenv("STARPU_DISK_SWAP_SIZE", "24", 1);
	if (begin(1, NULL)) {
		CHECK((starpu_disk_swap_node > 0) == can);
		CHECK(!can || starpu_memory_get_total((unsigned)starpu_disk_swap_node) == 24 << 20);
		end_with("STARPU_DISK_SWAP");
	}
	unsetenv("STARPU_DISK_SWAP_BACKEND");
	unsetenv("STARPU_DISK_SWAP_SIZE");
}

/* ---- files ---- */

static bool in_file(const char *name, const char *word)
{
	char path[256], text[8192];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = '\0';
	if (f)
		fclose(f);
	return n && strstr(text, word);
}

/* Asked for at the beginning, and not by a question. */
static void measures_bus(void)
{
	for (unsigned asked = 0; asked < 2; asked++) {
		setenv("STARPU_BUS_CALIBRATE", asked ? "1" : "0", 1);
		if (begin(1, NULL)) {
			CHECK(in_file(".starpu/sampling/bus/anyhost.config", "CPU") == asked);
			end_with("STARPU_BUS_CALIBRATE");
		}
	}
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "of_both"};
static struct starpu_codelet first = {.cpu_funcs = {count}, .model = &model, .name = "first_name"},
			     second = {.cpu_funcs = {count}, .model = &model, .name = "second_name"};

/* What heteroprio has learnt, by model or by name, where it is told to keep it; and what it tells meanwhile. */
static void learns_priorities(const char *strategy, const char *word, const char *not_word)
{
	char path[256], name[128];
	snprintf(path, sizeof path, "%s/learnt%s", folder, strategy);
	setenv("STARPU_HETEROPRIO_DATA_DIR", path, 1);
	setenv("STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY", strategy, 1);
	setenv("STARPU_AUTOHETEROPRIO_PRINT_DATA_ON_UPDATE", "1", 1);
	setenv("STARPU_AUTOHETEROPRIO_PRINT_AFTER_ORDERING", "1", 1);
	setenv("STARPU_AUTOHETEROPRIO_ORDERING_INTERVAL", "2", 1);
	snprintf(path, sizeof path, "%s/told%s", folder, strategy);
	int err = dup(2), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	dup2(file, 2);
	if (begin(1, "heteroprio")) {
		for (int i = 0; i < 10; i++)
			CHECK(!starpu_task_insert(i % 2 ? &first : &second, 0));
		starpu_shutdown();
	}
	dup2(err, 2);
	close(err);
	close(file);
	snprintf(name, sizeof name, "learnt%s/%s.anyhost.heteroprio", strategy, program_invocation_short_name);
	CHECK(in_file(name, word) && !in_file(name, not_word));
	snprintf(name, sizeof name, "told%s", strategy);
	CHECK(in_file(name, "# codelet") && in_file(name, "heteroprio, ") && in_file(name, word));
	unsetenv("STARPU_HETEROPRIO_DATA_DIR");
	unsetenv("STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY");
	unsetenv("STARPU_AUTOHETEROPRIO_PRINT_DATA_ON_UPDATE");
	unsetenv("STARPU_AUTOHETEROPRIO_PRINT_AFTER_ORDERING");
	unsetenv("STARPU_AUTOHETEROPRIO_ORDERING_INTERVAL");
}

/* ---- values that make no sense ---- */

static const struct nonsense {
	const char *variable, *value;
	bool ends; /* the program; else it is said, and goes on */
	const char *policy;
} nonsense[] = {
	{"STARPU_NCPU", "many", true, "dm"},
	{"STARPU_CALIBRATE", "1x", true, "dm"},
	{"STARPU_LIMIT_CPU_MEM", "big", true, "dm"},
	{"STARPU_SCHED_ALPHA", "x", true, "dm"},
	{"STARPU_SCHED_ALPHA", "nan", true, "dm"},
	{"STARPU_SCHED_BETA", "inf", true, "dmda"},
	{"STARPU_IDLE_POWER", "1e300", true, "dmda"},
	{"STARPU_WATCHDOG_TIMEOUT", "1e300", true, "dm"},
	{"STARPU_SCHED_GAMMA", "-1000.5", false, "dmda"},
	{"STARPU_SCHED_ALPHA", "-3", false, "modular-heft"},
	{"STARPU_IDLE_POWER", "-4", false, "dmda"},
	{"STARPU_CALIBRATE", "-7", false, NULL},
	{"STARPU_CALIBRATE", "3", false, NULL},
	{"STARPU_CALIBRATE_MINIMUM", "-2", false, NULL},
	{"STARPU_HISTORY_MAX_ERROR", "-9", false, NULL},
	{"STARPU_HOSTNAME", "../elsewhere", false, NULL},
	{"STARPU_NCPU", "100000", false, NULL},
	{"STARPU_PROF_TOOL", "/none/tool.so", false, NULL},
	{"STARPU_WORKERS_CPUID", "x", false, NULL},
	{"STARPU_WORKERS_CPUID", "0 900", false, NULL},
	{"STARPU_WORKERS_COREID", "3-1", false, NULL},
	{"STARPU_HWLOC_INPUT", "/none", false, NULL},
	{"STARPU_DISK_SWAP", "/none/there", false, NULL},
	{"STARPU_SCHED", "none_such", false, NULL},
	{"STARPU_MAIN_THREAD_CPUID", "900", false, NULL},
};

/* In a process of its own. */
static int runs_with(const struct nonsense *n, const char *told)
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		int file = open(told, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		dup2(file, 2);
		unsetenv("STARPU_SILENT");
		setenv(n->variable, n->value, 1);
		bool began = begin(2, n->policy);
		if (began)
			starpu_shutdown();
		_exit(began ? 0 : 3);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void refuse_nonsense(void)
{
	char told[128];
	snprintf(told, sizeof told, "%s/nonsense", folder);
	for (const struct nonsense *n = nonsense; n < nonsense + sizeof nonsense / sizeof nonsense[0]; n++) {
		int status = runs_with(n, told);
		if (status != (n->ends ? EXIT_FAILURE : 0) || !in_file("nonsense", n->value))
			fprintf(stderr, "# %s=%s: %d\n", n->variable, n->value, status);
		CHECK(status == (n->ends ? EXIT_FAILURE : 0));
		CHECK(in_file("nonsense", n->value));
	}
}

/* ---- the watchdog that bites ---- */

static void lasts(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	for (;;)
		pause();
}
static struct starpu_codelet never = {.cpu_funcs = {lasts}};

static void watchdog_bites(void)
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		setenv("STARPU_WATCHDOG_TIMEOUT", "10000", 1);
		setenv("STARPU_WATCHDOG_CRASH", "1", 1);
		begin(1, NULL);
		starpu_task_insert(&never, 0);
		starpu_task_wait_for_all();
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* ---- those that change nothing ---- */

static const char *const without_effect[] = {
	"STARPU_BACKOFF_MIN",
	"STARPU_BACKOFF_MAX",
	"STARPU_GLOBAL_ARBITER",
	"STARPU_PROFILING_TASK",
	"STARPU_DISABLE_PINNING",
	"STARPU_SUBALLOCATOR",
	"STARPU_ENABLE_MAP",
	"STARPU_DIDUSE_BARRIER",
	"STARPU_LOGFILENAME",
	"STARPU_SINK",
	"STARPU_COMBINED_WORKERS_LEVEL",
	"STARPU_DATA_LOCALITY_ENFORCE",
	"STARPU_LIMIT_BANDWIDTH",
	"STARPU_CHECK_ENTIRE_PLATFORM",
	"STARPU_DATA_NEED_DUMP",
	"STARPU_NUM_LEVELS_OF_TASKS",
	"STARPU_SCHED_GRAPH_TEST_DESCENDANTS",
	"STARPU_SCHED_OUTPUT",
	"STARPU_WINDOW_TIME_SIZE",
	"STARPU_AUTOHETEROPRIO_TIME_ESTIMATION_POLICY",
	"STARPU_HETEROPRIO_URT_URT_MULTIPLIER",
	"STARPU_HETEROPRIO_AURT_DOT_DIFF_10_NOD_OFFSET",
	"STARPU_HETEROPRIO_BEST_NODS_SCORE_EXP_SELECTIVITY",
	"STARPU_HETEROPRIO_NOD_TIME_COMBINATION_EXP_SELECTIVITY",
	"STARPU_HETEROPRIO_NOD_TIME_COMBINATION_NOD_MULTIPLIER",
	"STARPU_HETEROPRIO_URTS_TIME_COMBINATION_EXP_SELECTIVITY",
	"STARPU_HETEROPRIO_URTS_TIME_COMBINATION_NOD_MULTIPLIER",
	"STARPU_HETEROPRIO_URT_2_ARCH_NEED_MULTIPLIER",
	"STARPU_HETEROPRIO_URT_2_URT_MULTIPLIER",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_2_ARCH_NEED_MULTIPLIER",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_3_ARCH_NEED_MULTIPLIER",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_4_ARCH_NEED_MULTIPLIER",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_5_ARCH_DIFF_OFFSET",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_5_NOD_OFFSET",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_9_ARCH_DIFF_OFFSET",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_9_NOD_OFFSET",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_10_ARCH_DIFF_OFFSET",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_11_ARCH_DIFF_OFFSET",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_11_NOD_OFFSET",
};

/* All together, with every kind of policy that one of them names. */
static void change_nothing(void)
{
	static const char *const policies[] = {NULL, "graph_test", "heteroprio", "pheft", "dmda"};
	unsigned n = sizeof without_effect / sizeof without_effect[0];
	for (unsigned i = 0; i < n; i++)
		setenv(without_effect[i], "1", 1);
	for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++)
		if (begin(2, policies[p])) {
			ran = 0;
			for (int i = 0; i < 50; i++)
				CHECK(!starpu_task_insert(&counts, 0));
			CHECK(!starpu_task_wait_for_all() && ran == 50);
			CHECK(starpu_worker_get_count() == 2);
			starpu_shutdown();
		}
	for (unsigned i = 0; i < n; i++)
		unsetenv(without_effect[i]);
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
	/* While there is one thread. */
	watchdog_bites();
	refuse_nonsense();
	fill_fields();
	answer();
	for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
		choose(&choices[i]);
	number_wins(false, 3, -1, 9);
	number_wins(true, 2, -5, 6);
	takes_topology();
	takes_binding();
	binds_nobody();
	limit_memory();
	swap_by("unistd", true);
	swap_by("unistd_o_direct", true);
	swap_by("stdio", true);
	swap_by("hdf5", false);
	swap_by("nonsense", false);
	measures_bus();
	learns_priorities("0", "of_both", "_name");
	learns_priorities("1", "second_name", "of_both");
	change_nothing();
	char remove[128];
	snprintf(remove, sizeof remove, "rm -rf %s", folder);
	CHECK(!system(remove));
	return checks_failed();
}
