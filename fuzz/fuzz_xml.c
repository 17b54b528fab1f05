/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of options for the trace tools, and a trace: "<config>…" or "times", a line "----", the .prv, perhaps another line
 * and the .pcf. Any of them is refused with a text, or each tool makes a trace; filtering twice is filtering once.
 */
#include "fuzz.h"

#include "base/fs.h"
#include "base/str.h"
#include "tool/tool.h"
#include "trace/paraver/prv_header.h"

#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

static char folder[64];

static void remove_folder(void)
{
	if (weft_remove_tree(folder, NULL))
		fprintf(stderr, "cannot remove '%s'\n", folder);
}

static const char *path(const char *name)
{
	static char text[8][128];
	static unsigned next;
	char *z = text[next++ % 8];
	snprintf(z, sizeof text[0], "%s/%s", folder, name);
	return z;
}

static void begin(void)
{
	if (folder[0])
		return;
	snprintf(folder, sizeof folder, "%s/weft-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_REQUIRE(mkdtemp(folder) != NULL);
	atexit(remove_folder);
}

static void put(const char *name, const uint8_t *at, size_t n)
{
	FILE *f = fopen(path(name), "w");
	FUZZ_REQUIRE(f != NULL);
	FUZZ_REQUIRE(n == 0 || fwrite(at, 1, n, f) == n);
	FUZZ_REQUIRE(fclose(f) == 0);
}

/* The part up to a line "----", and what follows it. */
static struct weft_str cut_part(struct weft_str *rest)
{
	const char *mark = rest->n ? memmem(rest->at, rest->n, "\n----\n", 6) : NULL;
	struct weft_str part = {rest->at, mark ? (size_t)(mark + 1 - rest->at) : rest->n};
	size_t used = mark ? part.n + 5 : part.n;
	rest->at += used;
	rest->n -= used;
	return part;
}

/* A header of a million objects is a fault of nobody, but takes long to do nothing with. */
static bool is_small(struct weft_str prv)
{
	struct weft_str rest = prv, line;
	struct prv_header h;
	struct weft_err err = {0};
	if (!weft_str_cut(&rest, '\n', &line))
		return true;
	if (weft_str_eq(weft_str_trim(line), "new format") && !weft_str_cut(&rest, '\n', &line))
		return true;
	int rc = prv_header_parse(&h, weft_str_trim(line), &err);
	bool small = rc || (h.n_threads <= MOST_THREADS && h.n_cpus <= MOST_THREADS);
	prv_header_fini(&h);
	return small;
}

/* Whether it made a trace; else it must say why. */
static bool made(int rc, const struct weft_err *err)
{
	FUZZ_REQUIRE(rc <= 0 && (rc == 0 || (err->code && err->text[0] && !strchr(err->text, '\n'))));
	return rc == 0;
}

static void check_same(const char *a, const char *b)
{
	char *x, *y;
	size_t n, k;
	FUZZ_REQUIRE(weft_read_file(path(a), &x, &n, NULL) == 0 && weft_read_file(path(b), &y, &k, NULL) == 0);
	FUZZ_REQUIRE(n == k && !memcmp(x, y, n));
	free(x);
	free(y);
}

static void run_options(struct weft_tool_options *o)
{
	struct weft_err err = {0};
	if (o->has & WEFT_TOOL_HAS_FILTER) {
		if (made(weft_tool_filter(path("in.prv"), path("a.prv"), &o->filter, 1, NULL, &err), &err)) {
			FUZZ_REQUIRE(weft_tool_filter(path("a.prv"), path("b.prv"), &o->filter, 1, NULL, &err) == 0);
			check_same("a.prv", "b.prv");
		}
	}
	err = (struct weft_err){0};
	if (o->has & WEFT_TOOL_HAS_CUT)
		made(weft_tool_cut(path("in.prv"), path("c.prv"), &o->cut, NULL, &err), &err);
	err = (struct weft_err){0};
	if (o->has & WEFT_TOOL_HAS_COUNTERS)
		made(weft_tool_counters(path("in.prv"), path("d.prv"), &o->counters, NULL, &err), &err);
}

/* Not a file of options: perhaps one of times. */
static void run_others(void)
{
	static const char reference[] = "EVENT_TYPE\n9 50000001 MPI call\nVALUES\n1 MPI_Recv\n7 MPI_Send\n";
	struct weft_err err = {0};
	struct weft_tool_report report = {0};
	made(weft_tool_shift(path("in.prv"), path("e.prv"), path("options.xml"), WEFT_TOOL_THREAD, 1, NULL, &err), &err);
	err = (struct weft_err){0};
	if (made(weft_tool_split(path("in.prv"), path("f.prv"), 50000001, &report, &err), &err))
		for (uint64_t i = 1; i <= report.parts; i++) {
			char *part = weft_tool_part_name(path("f.prv"), i);
			FUZZ_REQUIRE(part != NULL);
			weft_tool_remove(part);
			free(part);
		}
	err = (struct weft_err){0};
	if (access(path("in.pcf"), F_OK) != 0 || !made(weft_tool_dump(path("in.prv"), path("h.prv"), &err), &err))
		return;
	put("ref.pcf", (const uint8_t *)reference, strlen(reference));
	FUZZ_REQUIRE(weft_tool_translate(path("in.prv"), path("g.prv"), path("ref.prv"), 1, NULL, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_str rest = {(const char *)at, n};
	struct weft_str xml = cut_part(&rest), prv = cut_part(&rest);
	struct weft_tool_options o;
	struct weft_err err = {0};
	begin();
	int rc = weft_tool_options_parse(&o, "options.xml", xml.at, xml.n, &err);
	FUZZ_REQUIRE(o.warning.n <= WEFT_TOOL_WARNINGS);
	if (is_small(prv)) {
		put("options.xml", (const uint8_t *)xml.at, xml.n);
		put("in.prv", (const uint8_t *)prv.at, prv.n);
		weft_tool_remove(path("a.prv"));
		unlink(path("in.pcf"));
		if (rest.n)
			put("in.pcf", (const uint8_t *)rest.at, rest.n);
		if (made(rc, &err))
			run_options(&o);
		else
			run_others();
	}
	weft_tool_options_fini(&o);
	return 0;
}
