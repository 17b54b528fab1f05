/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paraver's three everyday questions on a trace of 576 MB (11.5 million lines, see prv_text.h): the MPI profile, the histogram
 * of useful durations, a derived metric's profile. Each from the text and from the index, against reading the text's bytes, and
 * with the memory that the command had resident. WEFT_BENCH_BYTES makes the trace smaller or larger.
 */
#include "bench.h"

#include "prv_text.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW(name, function, type, top) \
	"window_name " name "\nwindow_type single\nwindow_level thread\nwindow_units Microseconds\n" \
	"window_selected_functions { 2, { {thread, " function "}, {evt_type, " type "} } }\n" \
	"window_compose_functions { 1, { {topcompose1, " top "} } }\n"
#define DERIVED(operation) \
	"window_name d\nwindow_type composed\nwindow_level thread\nwindow_units Microseconds\nwindow_operation " operation \
	"\nwindow_identifiers 1 2\n"
#define TABLE(control, data, statistic, scale) \
	"< NEW ANALYZER2D >\nAnalyzer2D.ControlWindow: " control "\nAnalyzer2D.DataWindow: " data \
	"\nAnalyzer2D.Statistic: " statistic "\n" scale
#define FIXED "Analyzer2D.ComputeYScale: False\nAnalyzer2D.Minimum: 0\nAnalyzer2D.Maximum: 200\nAnalyzer2D.Delta: 1\n"
#define TO_300_US "Analyzer2D.ComputeYScale: False\nAnalyzer2D.Minimum: 0\nAnalyzer2D.Maximum: 300\nAnalyzer2D.Delta: 1.5\n"
#define MPI "window_filter_module evt_type 1 50000001\n"

static const char *const view[3] = {
	"#ParaverCFG\n" WINDOW("mpi", "Last Evt Val", "=", "As Is") MPI TABLE("1", "1", "% Time", FIXED),
	"#ParaverCFG\n" WINDOW("time", "Useful", "All", "Burst Time") WINDOW("useful", "Useful", "All", "As Is")
		DERIVED("product") TABLE("3", "3", "# Bursts", TO_300_US),
	"#ParaverCFG\n" WINDOW("instructions", "Next Evt Val", "=", "As Is") "window_filter_module evt_type 1 42000050\n" WINDOW(
		"cycles", "Next Evt Val", "=", "As Is") "window_filter_module evt_type 1 42000059\n" DERIVED("divide")
		WINDOW("mpi", "Last Evt Val", "=", "As Is") MPI TABLE("4", "3", "Average value", FIXED),
};

static char dir[64] = "/tmp/weft-bench-metric-XXXXXX";
static const char *weft;

static double run_view(const void *number)
{
	return bench_command("cd %s && '%s' paramedir t.prv v%d.cfg out%d.txt && test -s out%d.txt", dir, weft,
	                     *(const int *)number, *(const int *)number, *(const int *)number);
}

static double from_text(void *number)
{
	double made = bench_command("rm -rf %s/t.prv.index", dir);
	return made < 0 ? made : run_view(number);
}

static double from_index(void *number)
{
	double made = bench_command("cd %s && test -e t.prv.index || '%s' index t.prv", dir, weft);
	return made < 0 ? made : run_view(number);
}

static double floor_of_text(void *unused)
{
	(void)unused;
	return bench_command("cat %s/t.prv", dir);
}

static double memory(void *unused)
{
	(void)unused;
	return (double)bench_command_rss_bytes() / (1 << 20);
}

static int numbers[3] = {0, 1, 2};
#define VARIANTS(i) \
	{ \
		{"text", from_text, &numbers[i]}, {"index", from_index, &numbers[i]}, {"cat", floor_of_text, NULL}, {0}, \
	}
static const struct bench_variant profile[] = VARIANTS(0), useful[] = VARIANTS(1), derived[] = VARIANTS(2);
static const struct bench_variant resident[] = {{"all", memory, NULL}, {0}};
static const struct bench benches[] = {
	{"mpi-profile", "s", 3, profile},
	{"useful-duration", "s", 3, useful},
	{"derived", "s", 3, derived},
	{"resident", "MiB", 1, resident},
	{0},
};

static bool put(const char *name, const char *at, size_t n)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	bool good = f && fwrite(at, 1, n, f) == n;
	return f && fclose(f) == 0 && good;
}

static bool set_up(void)
{
	const char *bytes = getenv("WEFT_BENCH_BYTES"), *build = getenv("WEFT_BUILD");
	static char path[4096];
	static struct prv_text text;
	snprintf(path, sizeof path, "%s/weft", build ? build : "build");
	weft = realpath(path, NULL);
	if (!weft || !mkdtemp(dir))
		return false;
	prv_text_make(&text, bytes ? strtoull(bytes, NULL, 10) : 576000000);
	bool good = !text.out.failed && put("t.prv", text.out.at, text.out.n);
	weft_buf_fini(&text.out);
	for (int i = 0; i < 3 && good; i++) {
		char name[16];
		snprintf(name, sizeof name, "v%d.cfg", i);
		good = put(name, view[i], strlen(view[i]));
	}
	return good;
}

int main(int argc, char **argv)
{
	if (!set_up()) {
		fprintf(stderr, "cannot make the trace in '%s', or there is no weft in $WEFT_BUILD\n", dir);
		return 1;
	}
	int status = bench_main(argc, argv, benches);
	bench_command("rm -rf %s", dir);
	return status;
}
