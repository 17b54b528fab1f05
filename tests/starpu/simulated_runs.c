/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated time: under each policy a graph is run as one thread would, the same each time; models' files; what cannot be simulated. */
#include "simulated.h"

enum { DATA = 12, TASKS = 600 };

static struct starpu_perfmodel measured = {.type = STARPU_HISTORY_BASED, .symbol = "simulated_measured"};
static struct starpu_perfmodel nowhere = {.type = STARPU_HISTORY_BASED, .symbol = "simulated_nowhere"};
static struct starpu_perfmodel damaged = {.type = STARPU_HISTORY_BASED, .symbol = "simulated_damaged"};
static struct starpu_codelet kernel = {.cpu_funcs = {do_not_call},
                                       .cuda_funcs = {do_not_call},
                                       .nbuffers = 2,
                                       .modes = {STARPU_R, STARPU_RW},
                                       .model = &simulated_model,
                                       .name = "kernel"};
/* As built where there are no devices: it has no function for one. */
static struct starpu_codelet built_here = {.cpu_funcs = {do_not_call},
                                           .nbuffers = 1,
                                           .modes = {STARPU_RW},
                                           .model = &measured,
                                           .name = "built_here"};

/* ---- a graph of its own numbers ---- */

static void graph(void)
{
	static float value[DATA][5000];
	starpu_data_handle_t h[DATA];
	uint32_t seed = 7;
	for (int i = 0; i < DATA; i++)
		starpu_vector_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)value[i], 5000, sizeof(float));
	cpu_us = 90;
	cuda_us = 40;
	for (int i = 0; i < TASKS; i++) {
		seed = seed * 1664525 + 1013904223;
		unsigned from = (seed >> 8) % DATA, to = (from + 1 + (seed >> 16) % (DATA - 1)) % DATA;
		CHECK(starpu_task_insert(&kernel, STARPU_R, h[from], STARPU_RW, h[to], STARPU_PRIORITY, (int)(seed >> 24) % 5,
		                         0) == 0);
	}
	starpu_do_schedule();
	starpu_task_wait_for_all();
	for (int i = 0; i < DATA; i++)
		starpu_data_unregister(h[i]);
}

static uint64_t hash_of(const char *path)
{
	FILE *f = fopen(path, "r");
	uint64_t h = UINT64_C(14695981039346656037);
	for (int c; f && (c = getc(f)) != EOF;)
		h = (h ^ (uint64_t)c) * UINT64_C(1099511628211);
	CHECK(f && ftell(f) > 1000);
	if (f)
		fclose(f);
	return h;
}

static char traces[128], trace[96];

static uint64_t graph_run(const char *policy)
{
	const struct simulated_run r = {"graph", "gpus", policy, traces};
	snprintf(trace, sizeof trace, "%s/run.trace", simulated_folder);
	snprintf(traces, sizeof traces, "STARPU_SIMULATED_TRACE=%s", trace);
	unlink(trace);
	int status = simulated_run(&r, NULL, 0);
	if (status)
		fprintf(stderr, "under %s: status %d\n", policy, status);
	CHECK(status == 0);
	return status ? 0 : hash_of(trace);
}

/* Tasks in the trace are as many as were submitted, and no thread runs two at a time. */
static void check_trace(const char *policy)
{
	FILE *f = fopen(trace, "r");
	char line[256];
	unsigned tasks = 0, overlaps = 0, row, of;
	bool runs[32] = {0};
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "6 %*u.%*u r%u S t%u", &row, &of) == 2 && row < 32) {
			tasks++;
			overlaps += runs[row];
			runs[row] = true;
		} else if (sscanf(line, "7 %*u.%*u r%u", &row) == 1 && row < 32) {
			runs[row] = false;
		}
	if (f)
		fclose(f);
	if (tasks != TASKS || overlaps)
		fprintf(stderr, "under %s: %u tasks, %u of them before the one before has ended\n", policy, tasks, overlaps);
	CHECK(tasks == TASKS && !overlaps);
}

static void check_policies(void)
{
	static const char *const policies[] = {"lws",
	                                       "ws",
	                                       "eager",
	                                       "prio",
	                                       "random",
	                                       "dm",
	                                       "dmda",
	                                       "dmdap",
	                                       "dmdar",
	                                       "dmdas",
	                                       "dmdasd",
	                                       "peager",
	                                       "pheft",
	                                       "heteroprio",
	                                       "graph_test",
	                                       "modular-eager",
	                                       "modular-eager-prefetching",
	                                       "modular-eager-prio",
	                                       "modular-gemm",
	                                       "modular-prio",
	                                       "modular-prio-prefetching",
	                                       "modular-random",
	                                       "modular-random-prio",
	                                       "modular-random-prefetching",
	                                       "modular-random-prio-prefetching",
	                                       "modular-parallel-random",
	                                       "modular-parallel-random-prio",
	                                       "modular-ws",
	                                       "modular-dmda",
	                                       "modular-dmdap",
	                                       "modular-dmdar",
	                                       "modular-dmdas",
	                                       "modular-heft",
	                                       "modular-heft-prio",
	                                       "modular-heft2",
	                                       "modular-heteroprio",
	                                       "modular-heteroprio-heft",
	                                       "modular-parallel-heft"};
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
		/* Five times for some of each kind. */
		uint64_t first = graph_run(policies[i]);
		check_trace(policies[i]);
		for (int k = 1; k < (i % 6 == 0 ? 5 : 2); k++) {
			uint64_t again = graph_run(policies[i]);
			if (again != first)
				fprintf(stderr, "under %s: run %d is another one\n", policies[i], k);
			CHECK(again == first);
		}
	}
}

/* ---- models of files ---- */

/* What the program's vector of 1,000 bytes is to a model: asked of the runtime, since that is what models' files have. */
static unsigned footprint_here(void)
{
	static char memory[1000];
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)memory, sizeof memory, 1);
	struct starpu_task *t = starpu_task_create();
	t->cl = &built_here;
	t->handles[0] = h;
	unsigned f = starpu_task_data_footprint(t);
	t->destroy = 0;
	starpu_task_destroy(t);
	starpu_data_unregister(h);
	return f;
}

static void say_footprint(void)
{
	fprintf(stderr, "%08x", footprint_here());
}

static void write_model(const char *name, unsigned footprint, double cpu, double cuda)
{
	char text[4096], path[128];
	static const char comb[] = "1\n%d\n0\n1\n1\n1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n%08x 1000 0 %f 0 %f %f 1\n";
	int n = snprintf(text, sizeof text, "45\n%d\n", cuda > 0 ? 2 : 1);
	n += snprintf(text + n, sizeof text - (size_t)n, comb, 0, footprint, cpu, cpu, cpu * cpu);
	if (cuda > 0)
		snprintf(text + n, sizeof text - (size_t)n, comb, 1, footprint, cuda, cuda, cuda * cuda);
	snprintf(path, sizeof path, "codelets/45/%s", name);
	write_file(simulated_folder, path, text);
}

static double once(struct starpu_codelet *cl)
{
	static char memory[1000];
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)memory, sizeof memory, 1);
	double from = starpu_timing_now();
	simulated_submit(cl, h, -1);
	starpu_task_wait_for_all();
	double us = starpu_timing_now() - from;
	starpu_data_unregister(h);
	return us;
}

/* One measurement is enough, and says that a device can run what has no function for it: 6 us there, and 10. */
static void from_files(void)
{
	CHECK(is_us(once(&built_here), 16) && built_here.per_worker_stats[0] == 1);
}

/* The same model knows a CPU only: devices are none of its affair. */
static void from_files_cpu(void)
{
	CHECK(is_us(once(&built_here), 70) && built_here.per_worker_stats[2] == 1);
}

static void check_files(void)
{
	char says[64], path[128];
	const struct simulated_run ask = {"say_footprint", "cpus", NULL, "STARPU_SILENT=1"};
	snprintf(path, sizeof path, "%s/codelets", simulated_folder);
	mkdir(path, 0700);
	strcat(path, "/45");
	mkdir(path, 0700);
	CHECK(simulated_run(&ask, says, sizeof says) == 0);
	unsigned footprint = (unsigned)strtoul(says, NULL, 16);
	write_model("simulated_measured.gpu", footprint, 70, 10);
	write_model("simulated_measured.gpus", footprint, 70, 0);
	write_file(simulated_folder, "codelets/45/simulated_damaged.cpus", "45\nwhat\n");
	CHECK(simulated_run(&(struct simulated_run){"from_files", "gpu", "dmda", NULL}, NULL, 0) == 0);
	CHECK(simulated_run(&(struct simulated_run){"from_files_cpu", "gpus", "dmda", NULL}, NULL, 0) == 0);
}

/* ---- what cannot be simulated: one line, and status 2 ---- */

static void without_model(void)
{
	static struct starpu_codelet cl = {.cpu_funcs = {do_not_call}, .name = "nameless"};
	CHECK(starpu_task_insert(&cl, 0) == 0);
	double from = starpu_timing_now();
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 12.5));
}

static void without_measurements(void)
{
	built_here.model = &nowhere;
	once(&built_here);
}

static void with_damage(void)
{
	built_here.model = &damaged;
	once(&built_here);
}

static void nothing(void)
{
}

static unsigned lines_of(const char *text)
{
	unsigned n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void check_refusals(void)
{
	static const struct {
		struct simulated_run run;
		const char *says;
		unsigned lines;
	} refusals[] = {
		{{"nothing", "nobody", NULL, NULL},
	         "no machine 'nobody' can be simulated: there is no bus/nobody.config in '",
	         1},
		{{"nothing", "cut", NULL, NULL}, "machine 'cut' cannot be simulated: ", 1},
		{{"nothing", "unknown", NULL, NULL}, "does not know the way between memory nodes 0 and 1", 1},
		{{"nothing", "small", NULL, NULL}, "has 1 memory nodes, and 2 are wanted", 1},
		{{"nothing", "empty", NULL, NULL}, "has neither CPUs nor devices", 1},
		{{"without_model", "cpus", NULL, NULL}, "codelet 'nameless' has no performance model", 1},
		{{"without_measurements", "cpus", NULL, NULL},
	         "model 'simulated_nowhere' of 'cpus' does not know tasks of 1000 bytes (footprint ",
	         1},
		{{"without_measurements", "gpu", "dmda", NULL}, "model 'simulated_nowhere' of 'gpu' does not know tasks", 1},
		/* The file, which is another machine's, stays where it is, and the program hears of both. */
		{{"with_damage", "cpus", NULL, NULL}, "simulated_damaged.cpus", 2},
	};
	char says[2048], path[160];
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		int status = simulated_run(&refusals[i].run, says, sizeof says);
		bool right = status == 2 && strstr(says, refusals[i].says) && lines_of(says) == refusals[i].lines;
		if (!right)
			fprintf(stderr, "%s on %s: status %d, and says: %s\n", refusals[i].run.of, refusals[i].run.machine,
			        status, says);
		CHECK(right);
	}
	snprintf(path, sizeof path, "%s/codelets/45/simulated_damaged.cpus", simulated_folder);
	CHECK(access(path, R_OK) == 0);
	const struct simulated_run allowed = {"without_model", "cpus", NULL, "STARPU_SIMULATED_UNKNOWN=12.5"};
	CHECK(simulated_run(&allowed, NULL, 0) == 0);
}

/* What the runtime says at its end. */
static void check_summary(void)
{
	char says[2048];
	const struct simulated_run r = {"from_files", "gpu", "dmda", NULL};
	CHECK(simulated_run(&r, says, sizeof says) == 0);
	CHECK(strstr(says, "starpu: simulated on 'gpu': 1 tasks in 0.016 ms, 2 transfers of 0.002 MB"));
}

static const struct simulated_case cases[] = {{.name = "graph", .run = graph},
                                              {.name = "say_footprint", .run = say_footprint},
                                              {.name = "from_files", .run = from_files},
                                              {.name = "from_files_cpu", .run = from_files_cpu},
                                              {.name = "without_model", .run = without_model},
                                              {.name = "without_measurements", .run = without_measurements},
                                              {.name = "with_damage", .run = with_damage},
                                              {.name = "nothing", .run = nothing}};

int main(int argc, char **argv)
{
	if (argc > 1)
		return simulated_case(cases, sizeof cases / sizeof cases[0], argv[1]);
	simulated_machines_write();
	check_policies();
	check_files();
	check_refusals();
	check_summary();
	simulated_machines_remove();
	return checks_failed();
}
