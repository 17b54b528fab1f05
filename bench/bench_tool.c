/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace tools: 200 MB of an MPI program's trace (prv_text.h), from file to file in memory (/dev/shm where it is there, so that
 * no disk is measured).
 *
 *   tool_filter      half of the event types and the larger messages, by one thread and by two
 *   tool_filter_cpu  the same by CPU time, into /dev/null: what is not the kernel's writing
 *   tool_cut_cpu     the middle half likewise, at its own times (one pass) and moved to 0 (two)
 *
 * `scanner` is a filter as one writes it: getline, sscanf for the fields, strtoull for the pairs, fprintf. `copy` reads and
 * writes the file, and looks at nothing. Figures are GB of text a second, of the clock or of CPU time.
 */
#include "bench.h"
#include "prv_text.h"

#include "base/fs.h"
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 200 << 20 };

static struct {
	char folder[64], path[80], out[80];
	uint64_t bytes, end;
	struct weft_tool_filter filter;
} given;

static double cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* -- ours -- */

struct filtering {
	unsigned threads;
	bool by_cpu;
};

static double filter_round(void *arg)
{
	const struct filtering *f = arg;
	double cpu = cpu_ns();
	uint64_t from = bench_now_ns();
	if (weft_tool_filter(given.path, f->by_cpu ? "/dev/null" : given.out, &given.filter, f->threads, NULL, NULL))
		return bench_skip("cannot filter");
	return (double)given.bytes / (f->by_cpu ? cpu_ns() - cpu : (double)(bench_now_ns() - from));
}

static double cut_round(void *arg)
{
	struct weft_tool_cut how = {.by_time = true,
	                            .from = given.end / 4,
	                            .to = given.end / 4 * 3,
	                            .original_time = *(bool *)arg};
	double cpu = cpu_ns();
	if (weft_tool_cut(given.path, "/dev/null", &how, NULL, NULL))
		return bench_skip("cannot cut");
	return (double)given.bytes / (cpu_ns() - cpu);
}

/* -- as one writes it -- */

static bool scanner_keeps(uint64_t type)
{
	for (size_t i = 0; i < given.filter.type.n; i++)
		if (type >= given.filter.type.at[i].type.first && type <= given.filter.type.at[i].type.last)
			return true;
	return false;
}

static void scan_event(const char *line, FILE *out)
{
	unsigned cpu, app, task, thread;
	unsigned long long time;
	int used = 0;
	bool begun = false;
	if (sscanf(line, "2:%u:%u:%u:%u:%llu%n", &cpu, &app, &task, &thread, &time, &used) < 5)
		return;
	for (char *at = (char *)line + used; *at == ':';) {
		uint64_t type = strtoull(at + 1, &at, 10);
		if (*at != ':')
			break;
		long long value = strtoll(at + 1, &at, 10);
		if (!scanner_keeps(type))
			continue;
		if (!begun)
			fprintf(out, "2:%u:%u:%u:%u:%llu", cpu, app, task, thread, time);
		begun = true;
		fprintf(out, ":%llu:%lld", (unsigned long long)type, value);
	}
	if (begun)
		fputc('\n', out);
}

static bool scan_comm(const char *line)
{
	long long v[14];
	return sscanf(line, "3:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld:%lld", &v[0], &v[1], &v[2], &v[3],
	              &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10], &v[11], &v[12], &v[13]) == 14 &&
	       v[12] >= given.filter.min_bytes;
}

static double scanner_round(void *arg)
{
	bool by_cpu = arg != NULL;
	double cpu = cpu_ns();
	uint64_t from = bench_now_ns();
	FILE *in = fopen(given.path, "r"), *out = fopen(by_cpu ? "/dev/null" : given.out, "w");
	char *line = NULL;
	size_t cap = 0;
	if (!in || !out)
		return bench_skip("cannot open a file");
	while (getline(&line, &cap, in) > 0) {
		if (line[0] == '2')
			scan_event(line, out);
		else if (line[0] != '3' || scan_comm(line))
			fputs(line, out);
	}
	free(line);
	fclose(in);
	if (fclose(out))
		return bench_skip("cannot write");
	return (double)given.bytes / (by_cpu ? cpu_ns() - cpu : (double)(bench_now_ns() - from));
}

static double copy_round(void *arg)
{
	static char buffer[1 << 20];
	uint64_t from = bench_now_ns();
	FILE *in = fopen(given.path, "r"), *out = fopen(given.out, "w");
	size_t n;
	(void)arg;
	if (!in || !out)
		return bench_skip("cannot open a file");
	while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
		fwrite(buffer, 1, n, out);
	fclose(in);
	if (fclose(out))
		return bench_skip("cannot write");
	return (double)given.bytes / (double)(bench_now_ns() - from);
}

/* -- what is measured -- */

static struct filtering two = {2, false}, one = {1, false}, one_cpu = {1, true};
static bool moved = false, original = true;

static const struct bench_variant filtering[] = {
	{"two", filter_round, &two},
	{"one", filter_round, &one},
	{"scanner", scanner_round, NULL},
	{"copy", copy_round, NULL},
	{0},
};
static const struct bench_variant cutting[] = {{"original", cut_round, &original},
                                               {"moved", cut_round, &moved},
                                               {"scanner", scanner_round, &one},
                                               {0}};
static const struct bench_variant by_cpu[] = {{"ours", filter_round, &one_cpu}, {"scanner", scanner_round, &one}, {0}};
static const struct bench benches[] = {
	{"tool_filter", "GB/s", 5, filtering},
	{"tool_filter_cpu", "GB/s", 5, by_cpu},
	{"tool_cut_cpu", "GB/s", 5, cutting},
	{0},
};

static int make_given(void)
{
	static const char types[] = "50000001-50000100;42000050";
	struct prv_text text;
	snprintf(given.folder, sizeof given.folder, "%s/bench-tool-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(given.folder))
		return -1;
	snprintf(given.path, sizeof given.path, "%s/t.prv", given.folder);
	snprintf(given.out, sizeof given.out, "%s/out.prv", given.folder);
	given.filter.min_bytes = 4096;
	prv_text_make(&text, TEXT_BYTES);
	given.bytes = text.out.n;
	for (unsigned i = 0; i < PRV_TEXT_TASKS; i++) /* the header's end lies far behind */
		given.end = text.task[i].now > given.end ? text.task[i].now : given.end;
	FILE *f = fopen(given.path, "w");
	int rc = text.out.failed || !f ? -1 : weft_tool_types_parse(&given.filter.type, types, strlen(types));
	if (!rc && fwrite(text.out.at, 1, text.out.n, f) != text.out.n)
		rc = -1;
	if (f && fclose(f))
		rc = -1;
	weft_buf_fini(&text.out);
	return rc;
}

static void remove_given(void)
{
	if (*given.folder)
		(void)!weft_remove_tree(given.folder, NULL);
	weft_tool_types_free(&given.filter.type);
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "--list");
	if (!list && make_given()) {
		fputs("bench_tool: cannot make the trace\n", stderr);
		remove_given();
		return 2;
	}
	int status = bench_main(argc, argv, benches);
	remove_given();
	return status;
}
