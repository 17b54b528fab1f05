/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft machine`, `weft bus`, `weft sched`, `weft bench`: what the runtime knows of this machine, and benchmarks on it. The runtime and
 * this command have a recorder each, so that they are never one process: these verbs become the programs that came with Weft.
 */
#include "cli/common/cli.h"
#include "base/log.h"
#include "doctor.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 12 };

struct machine_args {
	bool info, force, bare, count;
	const char *worker;
};

static const struct weft_opt machine_options[] = {
	{'i', "info", NULL, WEFT_OPT_FLAG, offsetof(struct machine_args, info), "only the names of the files about the ways"},
	{'f', "force", NULL, WEFT_OPT_FLAG, offsetof(struct machine_args, force), "measure the ways again"},
	{'n', "notopology", NULL, WEFT_OPT_FLAG, offsetof(struct machine_args, bare), "without bandwidth, latency and affinity"},
	{'w', "worker", "KIND", WEFT_OPT_STRING, offsetof(struct machine_args, worker), "only workers of this kind: cpu, opencl"},
	{'c', "count", NULL, WEFT_OPT_FLAG, offsetof(struct machine_args, count), "how many workers there are, not which"},
	{0},
};
static const struct weft_opt bus_options[] = {
	{'i', "info", NULL, WEFT_OPT_FLAG, offsetof(struct machine_args, info), "only the names of the files about the ways"},
	{'f', "force", NULL, WEFT_OPT_FLAG, offsetof(struct machine_args, force), "measure the ways again"},
	{0},
};
static const struct weft_opt no_options[] = {{0}};

/* Installed beside this program, or in a build folder. */
static int find_tool(const char *name, char *path, size_t room)
{
	char installed[80], built[80];
	snprintf(installed, sizeof installed, "%s", name);
	snprintf(built, sizeof built, "src/runtime/tools/%s", name);
	return cli_find_own((const char *const[]){installed, built}, 2, path, room);
}

static int become(const char *path, char **argv)
{
	fflush(stdout);
	execv(path, argv);
	weft_log(WEFT_LOG_ERROR, "cannot run '%s': %s", path, strerror(errno));
	return CLI_USAGE;
}

static int become_tool(const char *name, const char *const *arguments)
{
	char path[PATH_MAX];
	const char *all[ARGUMENTS_MOST + 2] = {name};
	if (find_tool(name, path, sizeof path)) {
		weft_log(WEFT_LOG_ERROR, "'%s', which comes with Weft's runtime, is not installed beside this program", name);
		return CLI_USAGE;
	}
	for (unsigned i = 0; i < ARGUMENTS_MOST && arguments[i]; i++)
		all[i + 1] = arguments[i];
	return become(path, (char **)(uintptr_t)all);
}

static int show_machine(const struct machine_args *a, bool only_ways)
{
	const char *arguments[ARGUMENTS_MOST + 1] = {0};
	unsigned n = 0;
	const struct {
		bool wanted;
		const char *word;
	} flags[] = {{only_ways, "--bus"}, {a->info, "-i"}, {a->force, "-f"}, {a->bare, "-n"}, {a->count, "-c"}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].wanted)
			arguments[n++] = flags[i].word;
	if (a->worker) {
		arguments[n++] = "-w";
		arguments[n++] = a->worker;
	}
	return become_tool("starpu_machine_display", arguments);
}

static int run_machine(int argc, char **argv)
{
	struct machine_args a = {0};
	int n;
	if (!cli_parse(&weft_command_machine, &a, argc, argv, &n) || !cli_operands(&weft_command_machine, argv, n, 0, 0))
		return CLI_USAGE;
	return show_machine(&a, false);
}

static int run_bus(int argc, char **argv)
{
	struct machine_args a = {0};
	int n;
	if (!cli_parse(&weft_command_bus, &a, argc, argv, &n) || !cli_operands(&weft_command_bus, argv, n, 0, 0))
		return CLI_USAGE;
	return show_machine(&a, true);
}

static int run_sched(int argc, char **argv)
{
	char nothing;
	int n;
	if (!cli_parse(&weft_command_sched, &nothing, argc, argv, &n) || !cli_operands(&weft_command_sched, argv, n, 0, 0))
		return CLI_USAGE;
	return become_tool("starpu_sched_display", (const char *const[]){NULL});
}

/* ---- benchmarks ---- */

static const struct {
	const char *name, *what;
} benchmarks[] = {
	{"tasks_size_overhead.sh", "speedup by length of tasks and number of workers, with a plot"},
	{"tasks_size_overhead", "the same, its numbers only"},
	{"local_pingpong", "latency between two memories"},
	{"sgemm", "product of matrices, single precision"},
	{"dgemm", "product of matrices, double precision"},
	{"cholesky_implicit", "Cholesky; dependencies from data"},
	{"cholesky_tag", "Cholesky; dependencies by tags"},
	{"cholesky_grain_tag", "Cholesky; by tags, of tiles that get smaller"},
	{"lu_implicit", "LU; dependencies from data"},
	{"lu_tag", "LU; dependencies by tags"},
	{"lu_grain_tag", "LU; by tags, of tiles that get smaller"},
	{"stencil", "26 neighbours in three dimensions"},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

const char *machine_benchmark(unsigned i)
{
	return i < BENCHMARKS ? benchmarks[i].name : NULL;
}

static int find_benchmark(const char *name, char *path, size_t room)
{
	char installed[120], built[120], source[120];
	snprintf(installed, sizeof installed, "../lib/starpu/examples/%s", name);
	snprintf(built, sizeof built, "examples/starpu/suite/%s", name);
	snprintf(source, sizeof source, "../examples/starpu/suite/%s", name);
	return cli_find_own((const char *const[]){installed, built, source}, 3, path, room);
}

static int list_benchmarks(void)
{
	char path[PATH_MAX];
	for (unsigned i = 0; i < BENCHMARKS; i++)
		if (!find_benchmark(benchmarks[i].name, path, sizeof path))
			printf("%-24s%s\n", benchmarks[i].name, benchmarks[i].what);
	return CLI_OK;
}

static int run_bench(int argc, char **argv)
{
	char nothing, path[PATH_MAX], numbers[PATH_MAX];
	const char *known[BENCHMARKS];
	int n;
	unsigned i = 0;
	if (!cli_parse(&weft_command_bench, &nothing, argc, argv, &n))
		return CLI_USAGE;
	if (n == 0)
		return list_benchmarks();
	while (i < BENCHMARKS && strcmp(argv[1], benchmarks[i].name) != 0)
		i++;
	if (i == BENCHMARKS) {
		for (i = 0; i < BENCHMARKS; i++)
			known[i] = benchmarks[i].name;
		return cli_unknown(&weft_command_bench, "there is no benchmark", argv[1], known, BENCHMARKS);
	}
	if (find_benchmark(argv[1], path, sizeof path)) {
		weft_log(WEFT_LOG_ERROR, "'%s' was not built here: it may need a library that is missing", argv[1]);
		return CLI_USAGE;
	}
	/* In a build folder the script is not beside the program whose numbers it draws. */
	if (!find_benchmark("tasks_size_overhead", numbers, sizeof numbers))
		setenv("TASKS_SIZE_OVERHEAD", numbers, 0);
	return become(path, argv + 1);
}

/* ---- the commands ---- */

const struct weft_command weft_command_machine = {
	.name = "machine",
	.operands = "",
	.summary = "workers of this machine, and the ways between its memories",
	.about = "Shows the workers that the task runtime has on this machine, which processing\n"
		 "units they have, and how fast data goes between memories. STARPU_NCPU and its\n"
		 "like count, as for any program.\n"
		 "\n"
		 "Examples:\n"
		 "    weft machine\n"
		 "    weft machine -w cpu",
	.options = machine_options,
	.run = run_machine,
};
const struct weft_command weft_command_bus = {
	.name = "bus",
	.operands = "",
	.summary = "how fast data goes between memories, measured",
	.about = "Prints bandwidth and latency of each way from one memory of this machine to\n"
		 "another. They are measured once, and kept in files.\n"
		 "\n"
		 "Examples:\n"
		 "    weft bus\n"
		 "    weft bus --force",
	.options = bus_options,
	.run = run_bus,
};
const struct weft_command weft_command_sched = {
	.name = "sched",
	.operands = "",
	.summary = "the scheduling policies that STARPU_SCHED may name",
	.about = "Lists the scheduling policies of the task runtime, and those of the library that\n"
		 "STARPU_SCHED_LIB names.\n"
		 "\n"
		 "Examples:\n"
		 "    weft sched",
	.options = no_options,
	.run = run_sched,
};
const struct weft_command weft_command_bench = {
	.name = "bench",
	.operands = "[BENCHMARK [ARGUMENTS]]",
	.summary = "run a benchmark of the task runtime, or list them",
	.about = "Runs one of the benchmarks that come with the task runtime, with its own options\n"
		 "(-h tells them); without a name, says which there are.\n"
		 "\n"
		 "Examples:\n"
		 "    weft bench\n"
		 "    weft bench tasks_size_overhead -i 20 -T 4 -C 2",
	.options = no_options,
	.option_flags = WEFT_OPT_STOP_AT_OPERAND,
	.run = run_bench,
};
