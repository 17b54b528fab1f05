/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command's processes preload: libweft-preload, which finds the runtimes that they use (src/preload). It is nothing to those
 * that use none.
 */
#include "base/env.h"
#include "base/str.h"
#include "cli/common/cli.h"
#include "record_run.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is recorded of programs as they are. Categories of the trace are called the same. */
static const struct {
	const char *name;
	bool on;           /* unless --off */
	const char *probe; /* --probe of functions called so leaves it out: a call would be there twice; or NULL */
	bool early; /* named by --on it is recorded from a process's begin, not only when that is old enough to be worth it */
} runtimes[] = {
	{"mpi", true, "MPI_", false},        {"extrae", true, NULL, false},      {"openmp", true, "GOMP_", false},
	{"threads", true, "pthread_", true}, {"locks", false, "pthread_", true}, {"io", true, NULL, true},
	{"stdio", false, NULL, true},        {"memory", false, "malloc", true},  {"process", false, "fork", true},
	{"samples", true, NULL, false},      {"counters", true, NULL, false}, /* with samples, or as --counters says */
};
enum { N_RUNTIMES = sizeof runtimes / sizeof *runtimes };

bool record_names_runtime(const char *pattern)
{
	for (unsigned i = 0; i < N_RUNTIMES; i++)
		if (weft_glob(pattern, runtimes[i].name))
			return true;
	return false;
}

/* The list's separators cannot stand in a path. */
static bool preload_path(char *out, size_t room)
{
	static const char *const places[] = {"libweft-preload.so.0", "../lib/libweft-preload.so.0"};
	return cli_find_own(places, sizeof places / sizeof *places, out, room) == 0 && !strpbrk(out, ": ");
}

static int append(const char *variable, const char *one)
{
	const char *old = getenv(variable);
	return old && strstr(old, one) ? 0 : weft_set_list(variable, old, one);
}

/* LLVM's OpenMP runtime asks one tool after the other; one of the program's own goes before ours. */
static int add_openmp_tool(void)
{
	static const char *const places[] = {"libweft-openmp.so.0", "../lib/libweft-openmp.so.0"};
	char path[PATH_MAX];
	if (cli_find_own(places, sizeof places / sizeof *places, path, sizeof path) || strchr(path, ':'))
		return 0;
	return append("OMP_TOOL_LIBRARIES", path);
}

static bool is_probed(const struct record_args *a, const char *functions)
{
	for (unsigned i = 0; functions && i < a->probe.n; i++)
		if (strstr(a->probe.at[i], functions))
			return true;
	return false;
}

static bool is_asked(const struct record_args *a, unsigned i)
{
	bool on = runtimes[i].on || record_lists(&a->on, runtimes[i].name);
	return on && !record_lists(&a->off, runtimes[i].name) && !is_probed(a, runtimes[i].probe);
}

static void add_name(char *names, size_t room, const char *name)
{
	snprintf(names + strlen(names), room - strlen(names), "%s%s", *names ? "," : "", name);
}

int record_preload(const struct record_args *a)
{
	char path[PATH_MAX], names[256] = "";
	bool early = false;
	for (unsigned i = 0; i < N_RUNTIMES; i++) {
		if (!is_asked(a, i))
			continue;
		add_name(names, sizeof names, runtimes[i].name);
		early |= runtimes[i].early && record_lists(&a->on, runtimes[i].name);
	}
	if (early)
		add_name(names, sizeof names, "early");
	if (!*names || !preload_path(path, sizeof path))
		return 0;
	int rc = setenv("WEFT_RECORD", names, 1) ? -errno : append("LD_PRELOAD", path);
	if (rc == 0 && strstr(names, "openmp"))
		rc = add_openmp_tool();
	/* Programs with AddressSanitizer end when anything stands in front of it, also what does not bear on memory. */
	return rc ? rc : append("ASAN_OPTIONS", "verify_asan_link_order=0");
}
