/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the trace tools: a trace and options as texts in, the new trace's body as text out. */
#ifndef WEFT_TESTS_UNIT_TOOL_MAKER_H
#define WEFT_TESTS_UNIT_TOOL_MAKER_H

#include "base/fs.h"
#include "harness.h"
#include "tool/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME in the test's folder; one of eight buffers. */
static inline const char *tool_path(const char *name)
{
	static char text[8][512];
	static unsigned next;
	char *z = text[next++ % 8];
	snprintf(z, sizeof text[0], "%s/%s", test_dir(), name);
	return z;
}

static inline void tool_put(const char *name, const char *text)
{
	FILE *f = fopen(tool_path(name), "w");
	REQUIRE(f != NULL);
	fputs(text, f);
	REQUIRE(fclose(f) == 0);
}

/* The text of a file; malloc'd, "" when it is not there. */
static inline char *tool_get(const char *name)
{
	char *text;
	size_t n;
	return weft_read_file(tool_path(name), &text, &n, NULL) ? strdup("") : text;
}

/* Two nodes of two cpus; application 1 with two tasks of two and one threads, application 2 with one. */
#define TOOL_HEADER(end) "#Paraver (01/02/2024 at 10:00:07):" end "_ns:2(2,2):2:2(2:1,1:2),1(1:2)\n"
#define TOOL_LABELS \
	"STATES\n0 Idle\n1 Running\n3 Waiting a message\n12 I/O\nEVENT_TYPE\n9 50000001 MPI call\nVALUES\n0 End\n1 MPI_Send\n" \
	"2 MPI_Recv\nEVENT_TYPE\n7 42000050 PAPI_TOT_INS\n7 42000059 PAPI_TOT_CYC\nEVENT_TYPE\n9 60000019 Function\nVALUES\n" \
	"0 End\n7 main\nEVENT_TYPE\n9 61000000 Without values\n"

static inline void tool_put_trace(const char *body)
{
	char *text = NULL;
	REQUIRE(asprintf(&text, TOOL_HEADER("1000") "%s", body) > 0);
	tool_put("in.prv", text);
	tool_put("in.pcf", TOOL_LABELS);
	free(text);
}

/* What stands behind the header, and behind the cutter's note; malloc'd. */
static inline char *tool_body(const char *name)
{
	char *text = tool_get(name), *at = strchr(text, '\n');
	at = at ? at + 1 : text;
	const char *note = strstr(at, ":CUTTER:ORIGINAL:");
	if (note && *at == '#' && note < strchr(at, '\n'))
		at = strchr(at, '\n') + 1;
	char *body = strdup(at);
	free(text);
	return body;
}

/* The body, and the file is gone. */
static inline char *tool_take(const char *name)
{
	char *body = tool_body(name);
	remove(tool_path(name));
	return body;
}

/*
 * In TEST_EACH_ALLOCATION_FAILS, of a tool that may have run out of memory: it says so, or could do without, and its result is what it
 * is with memory. (One allocation fails in a round; before that nothing may be allocated here.)
 */
static inline void tool_check_memory(int rc, const struct weft_err *err, const char *name, const char *expected)
{
	if (rc)
		CHECK(rc == -12 && err->code == -12 && test_alloc_failed());
	if (!test_alloc_failed())
		return;
	char *got = tool_take(name);
	CHECK_STR(got, rc ? "" : expected);
	free(got);
}

/* Runs the tool whose section xml has; the new trace's body. */
static inline char *tool_run(const char *xml, const char *trace_body)
{
	struct weft_tool_options o;
	struct weft_err err = {0};
	char *text = NULL;
	REQUIRE(asprintf(&text, "<config>%s</config>", xml) > 0);
	tool_put_trace(trace_body);
	REQUIRE(weft_tool_options_parse(&o, "options.xml", text, strlen(text), &err) == 0);
	int rc = -1;
	if (o.has & WEFT_TOOL_HAS_FILTER)
		rc = weft_tool_filter(tool_path("in.prv"), tool_path("out.prv"), &o.filter, 2, NULL, &err);
	else if (o.has & WEFT_TOOL_HAS_CUT)
		rc = weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &o.cut, NULL, &err);
	else if (o.has & WEFT_TOOL_HAS_COUNTERS)
		rc = weft_tool_counters(tool_path("in.prv"), tool_path("out.prv"), &o.counters, NULL, &err);
	CHECK_STR(err.text, "");
	CHECK(rc == 0);
	weft_tool_options_fini(&o);
	free(text);
	return tool_body("out.prv");
}

struct tool_case {
	const char *xml, *in, *out;
};
static inline void tool_check(const struct tool_case *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *got = tool_run(c[i].xml, c[i].in);
		if (!CHECK_STR(got, c[i].out))
			fprintf(stderr, "# of case %zu: %s\n", i, c[i].xml);
		free(got);
	}
}

#endif
