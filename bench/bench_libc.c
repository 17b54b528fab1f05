/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it adds to calls of the C library that they are recorded (tasks/libc_calls.c): ns a round. Peers, where they are installed: EZTrace's
 * modules for threads, files and memory; uftrace, which records calls of libraries by their names; LTTng's libraries that stand in front of
 * malloc and of locks (into rings; it has none for files).
 */
#include "bench.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

struct run {
	const char *what, *parts; /* WEFT_RECORD; NULL: not recorded */
	const char *command;      /* a peer's, in front of the program's */
	bool lttng;               /* ... in LTTng's session */
};

/* One for all rounds: why there is none, or NULL. */
static const char *session(void)
{
	static const char *why_not;
	static bool asked;
	if (!asked)
		why_not = bench_lttng("lttng_ust_libc:*,lttng_ust_pthread:*");
	asked = true;
	return why_not;
}

static double run_peer(const struct run *r, const char *folder)
{
	char command[PATH_MAX * 2];
	double figure = 0;
	const char *why_not = r->lttng ? session() : NULL;
	if (why_not)
		return bench_skip(why_not);
	snprintf(command, sizeof command, "cd %s && %s %s/libc_calls %s 2>/dev/null", folder, r->command, bench_programs(),
	         r->what);
	FILE *f = popen(command, "r");
	char line[256];
	bool got = false;
	while (f && fgets(line, sizeof line, f))
		got |= sscanf(line, "%lf", &figure) == 1;
	if (f)
		pclose(f);
	return got ? figure : bench_skip("it is not installed");
}

static double run(void *arg)
{
	const struct run *r = arg;
	char folder[] = "/tmp/weft-bench-XXXXXX", preload[PATH_MAX], command[sizeof folder + 8];
	if (!r->parts && !r->command)
		return bench_figure("libc_calls", r->what, "%lf");
	if (!mkdtemp(folder))
		return bench_skip("no temporary folder");
	double figure;
	if (r->command) {
		figure = run_peer(r, folder);
	} else {
		snprintf(preload, sizeof preload, "%s/../../libweft-preload.so.0", bench_programs());
		setenv("WEFT_DIR", folder, 1);
		setenv("WEFT_RECORD", r->parts, 1);
		setenv("LD_PRELOAD", preload, 1);
		figure = bench_figure("libc_calls", r->what, "%lf");
		unsetenv("LD_PRELOAD");
		unsetenv("WEFT_RECORD");
		unsetenv("WEFT_DIR");
	}
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) ? bench_skip("its trace cannot be removed") : figure;
}

#define LTTNG(library) "LD_PRELOAD=liblttng-ust-" library "-wrapper.so"
#define COMMON(what, parts, module) \
	{"recorded", run, &(struct run){#what, parts, NULL, false}}, {"plain", run, &(struct run){#what, NULL, NULL, false}}, \
		{"eztrace", run, &(struct run){#what, NULL, "eztrace -t " module, false}}, \
	{ \
		"uftrace", run, &(struct run) \
		{ \
#what, NULL, "uftrace record --force -d uf", false \
		} \
	}
#define WITH_LTTNG(what, parts, module, library) \
	static const struct bench_variant of_##what[] = {COMMON(what, parts, module), \
	                                                 {"lttng", run, &(struct run){#what, NULL, LTTNG(library), true}}, \
	                                                 {0}};
#define WITHOUT(what, parts, module) static const struct bench_variant of_##what[] = {COMMON(what, parts, module), {0}};
WITH_LTTNG(lock, "threads,io", "pthread", "pthread")
WITHOUT(rwlock, "threads,io", "pthread")
WITH_LTTNG(malloc, "memory", "memory", "libc")
WITHOUT(read, "threads,io", "posixio")
WITHOUT(write, "threads,io", "posixio")
WITHOUT(fputs, "threads,io", "posixio")

static const struct bench benches[] = {
	{"libc-lock", "ns", 5, of_lock},
	{"libc-rwlock", "ns", 5, of_rwlock},
	{"libc-malloc", "ns", 5, of_malloc},
	{"libc-read", "ns", 5, of_read},
	{"libc-write", "ns", 5, of_write},
	{"libc-fputs", "ns", 5, of_fputs},
	{0},
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
