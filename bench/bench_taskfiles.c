/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of StarPU's trace tool: some 20 MB of a paje.trace of 16 workers, whose last part (counters) goes back to the begin, as
 * StarPU writes them; in memory (/dev/shm where it is there).
 *
 *   states  how often and how long each state was there; peer: pj_dump, which StarPU's script asks
 *   sort    the trace in the order of its times; peer: coreutils' stable sort of the same lines by number
 *   rec     the same sums of trace.rec; peer: StarPU's script in Python, where Debian's starpu-tools are installed
 *
 * Figures are GB of text a second.
 */
#include "bench.h"

#include "base/fs.h"
#include "taskfiles/paje_order.h"
#include "taskfiles/state_sums.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TASKS = 100000, WORKERS = 16 };

static struct {
	char paje[80], sorted[80], rec[80];
	double paje_bytes, rec_bytes;
} given;

static const char head[] =
	"%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineVariableType 4\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineEntityValue 6\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
	"%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeSetState 10\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n"
	"%EventDef PajePushState 11\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n"
	"%EventDef PajePopState 12\n% Time date\n% Container string\n% Type string\n%EndEventDef\n"
	"%EventDef PajeSetVariable 13\n% Time date\n% Container string\n% Type string\n% Value double\n%EndEventDef\n"
	"%EventDef PajeSetState 20\n% Time date\n% Container string\n% Type string\n% Value string\n% Size string\n% Params string\n"
	"% Footprint string\n% Tag string\n% JobId string\n%EndEventDef\n"
	"1 W 0 Worker\n3 WS W \"Worker State\"\n4 gf W \"GFlop/s\"\n6 B WS Overhead \".5 .18 .0\"\n6 Sc WS Scheduling \".7 .36 .0\"\n";

static void write_paje(FILE *to)
{
	fputs(head, to);
	for (int w = 0; w < WORKERS; w++)
		fprintf(to, "7\t0.0\tw%d\tW\t0\tCPU%d\n", w, w);
	for (int i = 0; i < TASKS; i++) {
		int w = i % WORKERS;
		double t = 100 + i * 0.0007;
		fprintf(to, "10\t%.9f\tw%d\tWS\t\"B\"\n11\t%.9f\tw%d\tWS\tSc\n12\t%.9f\tw%d\tWS # end\n", t, w, t + 1e-4, w,
		        t + 2e-4, w);
		fprintf(to,
		        "10\t%.9f\tw%d\tWS\t\"gemm\"\n20\t%.9f\tw%d\tWS\t\"gemm\"\t1327104\t\"_M192x768x4\"\te96a96cb\t0\t%d\n",
		        t + 3e-4, w, t + 3e-4, w, i);
	}
	for (int i = 0; i < TASKS; i++)
		fprintf(to, "13\t%.9f\tw%d\tgf\t27.5\n", 100 + i * 0.0007, i % WORKERS);
}

static void write_rec(FILE *to)
{
	for (int i = 0; i < TASKS; i++) {
		static const char *const state[][2] = {{"Overhead", "Runtime"}, {"gemm", "Task"}};
		for (int k = 0; k < 2; k++)
			fprintf(to, "E: SetState\nN: %s\nC: %s\nW: %d\nT: %d\nS: %.6f\n\n", state[k][0], state[k][1], i % WORKERS,
			        1000 + i % WORKERS, 100 + i * 0.0007 + k * 3e-4);
	}
}

static double make(const char *path, void (*write)(FILE *to))
{
	struct stat st;
	FILE *to = fopen(path, "w");
	if (!to)
		return -1;
	write(to);
	return fclose(to) || stat(path, &st) ? -1 : (double)st.st_size;
}

/* -- ours -- */

static double states_of(const char *path, double bytes,
                        int (*read)(struct state_sums *s, struct text_lines *t, struct weft_err *err))
{
	struct state_sums s = {.from = 0};
	struct text_lines *t;
	uint64_t from = bench_now_ns();
	if (text_lines_open(&t, path, NULL))
		return bench_skip("cannot open the trace");
	int rc = read(&s, t, NULL);
	uint64_t ns = bench_now_ns() - from;
	text_lines_close(t);
	bool right = !rc && s.at.n && state_sums_find(&s, "gemm") && state_sums_find(&s, "gemm")->n >= TASKS - WORKERS;
	state_sums_fini(&s);
	return right ? bytes / (double)ns : bench_skip("wrong sums");
}

static double states_round(void *arg)
{
	(void)arg;
	return states_of(given.paje, given.paje_bytes, state_sums_read_paje);
}

static double rec_round(void *arg)
{
	(void)arg;
	return states_of(given.rec, given.rec_bytes, state_sums_read_rec);
}

static double sort_round(void *arg)
{
	struct weft_map_file f;
	struct paje_order o;
	(void)arg;
	uint64_t from = bench_now_ns();
	if (weft_map_file_open(&f, given.paje, NULL))
		return bench_skip("cannot open the trace");
	FILE *to = fopen(given.sorted, "w");
	int rc = to ? paje_order_write((const char *)f.at, f.n, "trace", to, &o, NULL) : -1;
	rc = to && fclose(to) ? -1 : rc;
	weft_map_file_close(&f);
	return rc ? bench_skip("cannot sort") : given.paje_bytes / (double)(bench_now_ns() - from);
}

/* -- peers -- */

static double pj_dump_round(void *arg)
{
	(void)arg;
	if (access("/usr/bin/pj_dump", X_OK))
		return bench_skip("not installed");
	double seconds = bench_command("/usr/bin/pj_dump -u %s", given.paje);
	return seconds < 0 ? seconds : given.paje_bytes / seconds / 1e9;
}

static double coreutils_round(void *arg)
{
	(void)arg;
	double seconds = bench_command("LC_ALL=C sort -s -n -t '\t' -k 2,2 -o %s %s", given.sorted, given.paje);
	return seconds < 0 ? seconds : given.paje_bytes / seconds / 1e9;
}

static double script_round(void *arg)
{
	static const char script[] = "/usr/bin/starpu_trace_state_stats.py";
	(void)arg;
	if (access(script, X_OK))
		return bench_skip("not installed");
	double seconds = bench_command("%s %s", script, given.rec);
	return seconds < 0 ? seconds : given.rec_bytes / seconds / 1e9;
}

static const struct bench benches[] = {
	{"taskfiles-states", "GB/s", 5,
         (const struct bench_variant[]){{"ours", states_round, NULL}, {"pj_dump", pj_dump_round, NULL}, {0}}},
	{"taskfiles-sort", "GB/s", 5,
         (const struct bench_variant[]){{"ours", sort_round, NULL}, {"coreutils", coreutils_round, NULL}, {0}}},
	{"taskfiles-rec", "GB/s", 5,
         (const struct bench_variant[]){{"ours", rec_round, NULL}, {"script", script_round, NULL}, {0}}},
	{0},
};

int main(int argc, char **argv)
{
	const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(given.paje, sizeof given.paje, "%s/bench-taskfiles-%d.trace", folder, (int)getpid());
	snprintf(given.sorted, sizeof given.sorted, "%s/bench-taskfiles-%d.sorted", folder, (int)getpid());
	snprintf(given.rec, sizeof given.rec, "%s/bench-taskfiles-%d.rec", folder, (int)getpid());
	given.paje_bytes = make(given.paje, write_paje);
	given.rec_bytes = make(given.rec, write_rec);
	int status = given.paje_bytes < 0 || given.rec_bytes < 0 ? 1 : bench_main(argc, argv, benches);
	unlink(given.paje);
	unlink(given.sorted);
	unlink(given.rec);
	return status;
}
