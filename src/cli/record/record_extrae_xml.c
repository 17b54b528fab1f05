/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extrae's file of settings: a row for each element and attribute, by its path below <trace>. What a row does not honour it says, with
 * the line; what no row knows is unknown to Extrae, too.
 */
#include "base/fs.h"
#include "record_extrae.h"
#include "xml/xml.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct record_extrae *e;
	const char *file;
	unsigned seen; /* bits of runtimes that have a section that is on */
};

struct rule {
	const char *path;
	void (*take)(struct reader *, const char *where, const char *value,
	             const char *arg); /* NULL: nothing is to be done for it */
	const char *arg;
};

/* A text or an attribute that is $NAME$ stands for the variable. */
static const char *value_of(struct reader *r, const char *text)
{
	size_t n = strlen(text);
	char name[256];
	if (n < 3 || n >= sizeof name || text[0] != '$' || text[n - 1] != '$')
		return text;
	snprintf(name, sizeof name, "%.*s", (int)n - 2, text + 1);
	const char *value = getenv(name);
	if (!value)
		extrae_remark(r->e, "%s: the variable %s is not set", r->file, name);
	return value ? value : "";
}

/* ---- what rows do ---- */

static const char *const runtimes[] = {"mpi", "openmp", "threads", "io", "memory", "samples"};
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

static void take_runtime(struct reader *r, const char *where, const char *value, const char *name)
{
	(void)value;
	extrae_runtime(r->e, name, true, where);
	for (unsigned i = 0; i < RUNTIMES; i++)
		if (!strcmp(runtimes[i], name))
			r->seen |= 1u << i;
}

static void take_left(struct reader *r, const char *where, const char *value, const char *why)
{
	(void)value;
	extrae_remark(r->e, "%s: no counterpart: %s", where, why);
}

static void take_option(struct reader *r, const char *where, const char *value, const char *option)
{
	extrae_value(r->e, where, value, option);
}

static void take_counters(struct reader *r, const char *where, const char *value, const char *option)
{
	(void)option;
	extrae_counters(r->e, where, value);
}

static void take_counters_at(struct reader *r, const char *where, const char *value, const char *category)
{
	(void)where;
	(void)value;
	extrae_counters_at(r->e, category);
}

static void take_counters_of(struct reader *r, const char *where, const char *value, const char *names)
{
	(void)where;
	(void)value;
	extrae_counters_of(r->e, names);
}

static void take_period(struct reader *r, const char *where, const char *value, const char *option)
{
	char text[64];
	if (extrae_time(value, text, sizeof text))
		take_option(r, where, text, option);
	else
		extrae_remark(r->e, "%s: '%s' is no time", where, value);
}

/* The sets take turns of one length: the last one that is said. 0: they do not. */
static void take_turn(struct reader *r, const char *where, const char *value, const char *option)
{
	char text[64];
	(void)option;
	if (!strcmp(value, "0"))
		return;
	weft_buf_fini(&r->e->turn);
	if (extrae_time(value, text, sizeof text))
		weft_buf_puts(&r->e->turn, text);
	else
		extrae_remark(r->e, "%s: '%s' is no time", where, value);
}

static void take_turn_calls(struct reader *r, const char *where, const char *value, const char *option)
{
	(void)option;
	if (strcmp(value, "0") != 0)
		extrae_remark(r->e, "%s: sets take turns by time, one second each if none is said", where);
}

static void take_levels(struct reader *r, const char *where, const char *value, const char *option)
{
	extrae_levels(r->e, where, value, option);
}

static void take_size(struct reader *r, const char *where, const char *value, const char *option)
{
	extrae_megabytes(r->e, where, value, option);
}

static void take_prefix(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)where;
	(void)arg;
	r->e->prefix = value;
}

static void take_folder(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)where;
	(void)arg;
	r->e->folder = value;
}

static void take_events(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)arg;
	if (weft_parse_u64(weft_str_trim(weft_str(value)), &r->e->buffer_events))
		extrae_remark(r->e, "%s: '%s' is no number of events", where, value);
}

static void take_circular(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)where;
	(void)value;
	(void)arg;
	r->e->circular = true;
}

static void take_merge(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)where;
	(void)arg;
	r->e->merged = value;
}

static void take_mode(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)where;
	(void)arg;
	extrae_mode(r->e, value);
}

/* Of bursts, also where the mode is another one: then it counts for nothing, as there. */
static void take_threshold(struct reader *r, const char *where, const char *value, const char *arg)
{
	(void)arg;
	extrae_threshold(r->e, where, value);
}

static void take_left_if_yes(struct reader *r, const char *where, const char *value, const char *why)
{
	if (extrae_yes(value))
		take_left(r, where, value, why);
}

static void take_type(struct reader *r, const char *where, const char *value, const char *arg)
{
	if (strcmp(value, "paraver") != 0)
		take_left(r, where, value, arg);
}

static void take_off_only(struct reader *r, const char *where, const char *value, const char *why)
{
	if (!extrae_yes(value))
		take_left(r, where, value, why);
}

static const char no_sums[] = "threads have statistics of their own";
static const char always[] = "recording is on from the begin";

static const struct rule rules[] = {
	{"@enabled", NULL, NULL},
	{"@home", NULL, NULL},
	{"@initial-mode", take_mode, NULL},
	{"@type", take_type, "weft convert writes the trace in other formats"},
	{"@xml-parser-id", NULL, NULL},
	{"mpi", take_runtime, "mpi"},
	{"mpi/counters", take_counters_at, "mpi"},
	{"mpi/comm-calls", NULL, NULL},
	{"mpi/comm-calls@enabled", take_off_only, "all calls are recorded"},
	{"pthread", take_runtime, "threads"},
	{"pthread/locks", take_runtime, "locks"},
	{"pthread/counters", take_counters_at, "threads"},
	{"openmp", take_runtime, "openmp"},
	{"openmp/locks", NULL, NULL},
	{"openmp/task", NULL, NULL},
	{"openmp/taskloop", NULL, NULL},
	{"openmp/dependencies", NULL, NULL},
	{"openmp/ompt", NULL, NULL},
	{"openmp/counters", take_counters_at, "openmp"},
	{"gaspi", take_left, "GASPI is not recorded"},
	{"shmem", take_left, "OpenSHMEM is not recorded"},
	{"opencl", take_left, "OpenCL calls are not recorded"},
	{"openacc", take_left, "OpenACC is not recorded"},
	{"cuda", take_left, "CUDA is not recorded"},
	{"hip", take_left, "HIP is not recorded"},
	{"callers", NULL, NULL},
	{"callers/mpi", take_levels, "callers"},
	{"callers/sampling", NULL, NULL},
	{"callers/dynamic-memory", take_levels, "callers"},
	{"callers/input-output", take_levels, "callers"},
	{"callers/syscall", take_left, "system calls are not recorded"},
	{"callers/shmem", take_left, "OpenSHMEM is not recorded"},
	{"user-functions", take_left, "give names of functions to --probe"},
	{"counters", NULL, NULL},
	{"counters/cpu", NULL, NULL},
	{"counters/cpu@starting-set-distribution", NULL, NULL},
	{"counters/cpu/set", take_counters, NULL},
	{"counters/cpu/set@domain", NULL, NULL},
	{"counters/cpu/set@changeat-time", take_turn, NULL},
	{"counters/cpu/set@changeat-globalops", take_turn_calls, NULL},
	{"counters/cpu/set/sampling", take_left, "samples are taken by the CPU clock"},
	{"counters/uncore", take_left, "they are not read"},
	{"counters/network", take_counters_of, EXTRAE_NETWORK},
	{"counters/resource-usage", take_counters_of, EXTRAE_USAGE},
	{"counters/memory-usage", take_counters_of, EXTRAE_MEMORY},
	{"topdown", take_left, "it needs counters of the processor that are not read"},
	{"storage", NULL, NULL},
	{"storage/trace-prefix", take_prefix, NULL},
	{"storage/size", take_size, "stop-at"},
	{"storage/temporal-directory", NULL, NULL},
	{"storage/temporal-directory@make-dir", NULL, NULL},
	{"storage/final-directory", take_folder, NULL},
	{"storage/final-directory@make-dir", NULL, NULL},
	{"storage/gather-mpits", NULL, NULL},
	{"buffer", NULL, NULL},
	{"buffer/size", take_events, NULL},
	{"buffer/circular", take_circular, NULL},
	{"trace-control", NULL, NULL},
	{"trace-control/file", take_option, "while"},
	{"trace-control/file@frequency", NULL, NULL},
	{"trace-control/global-ops", take_left, always},
	{"trace-control/remote-control", take_left, "nothing controls the recording from outside"},
	{"others", NULL, NULL},
	{"others/minimum-time", take_left, "a trace is kept however short"},
	{"others/finalize-on-signal", NULL, NULL}, /* a trace is readable whatever ended its processes */
	{"others/finalize-on-signal@", NULL, NULL},
	{"others/flush-sampling-buffer-at-instrumentation-point", NULL, NULL},
	{"burst", NULL, NULL},
	{"burst@threshold", take_threshold, NULL},
	{"burst@mpi-statistics", NULL, NULL}, /* always */
	{"burst@omp-statistics", NULL, NULL}, /* always */
	{"burst@omp-summarization", take_left_if_yes, no_sums},
	{"bursts", NULL, NULL},
	{"bursts/threshold", take_threshold, NULL},
	{"bursts/mpi-statistics", NULL, NULL},
	{"sampling", take_runtime, "samples"},
	{"sampling@type", NULL, NULL},
	{"sampling@period", take_period, "sample-period"},
	{"sampling@variability", NULL, NULL},
	{"pebs-sampling", take_left, "it needs counters of the processor that are not read"},
	{"dynamic-memory", take_runtime, "memory"},
	{"dynamic-memory/alloc", NULL, NULL},
	{"dynamic-memory/alloc@threshold", take_left, "allocations of all sizes are recorded"},
	{"dynamic-memory/free", NULL, NULL},
	{"input-output", take_runtime, "io"},
	{"input-output@internals", NULL, NULL},
	{"syscall", take_left, "system calls are not recorded"},
	{"cpu-events", NULL, NULL}, /* always */
	{"cpu-events@", NULL, NULL},
	{"merge", take_merge, NULL},
	{"merge@", NULL, NULL},
};

/* "PATH@" stands for all attributes of an element. */
static const struct rule *rule_of(const char *path)
{
	const char *at = strchr(path, '@');
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		size_t n = strlen(rules[i].path);
		if (!strcmp(rules[i].path, path) || (at && n == (size_t)(at - path) + 1 && !strncmp(rules[i].path, path, n)))
			return &rules[i];
	}
	return NULL;
}

static void take(struct reader *r, const struct weft_xml_node *n, const char *path, const char *what, const char *value)
{
	char where[400];
	const struct rule *rule = rule_of(path);
	snprintf(where, sizeof where, "%s:%u: %s", r->file, n->line, what);
	if (!rule)
		extrae_remark(r->e, "%s: unknown", where);
	else if (rule->take)
		rule->take(r, where, value_of(r, value), rule->arg);
}

static void take_attributes(struct reader *r, const struct weft_xml_node *n, const char *path)
{
	char of[200], what[200];
	for (const struct weft_xml_attribute *a = n->attribute; a; a = a->next) {
		snprintf(of, sizeof of, "%s@%s", path, a->name);
		snprintf(what, sizeof what, "%s of <%s>", a->name, n->name);
		if (strcmp(a->name, "enabled") != 0 || rule_of(of))
			take(r, n, of, what, a->value);
	}
}

/* An element is on when it says so; the few that have no such attribute are where they stand. */
static bool is_on(const struct weft_xml_node *n, struct reader *r)
{
	const char *enabled = weft_xml_attribute(n, "enabled");
	return !enabled || extrae_yes(value_of(r, enabled));
}

static void take_children(struct reader *r, const struct weft_xml_node *of, const char *path)
{
	char inner[160], what[100];
	for (const struct weft_xml_node *n = of->child; n; n = n->next) {
		snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "/" : "", n->name);
		snprintf(what, sizeof what, "<%s>", n->name);
		if (!is_on(n, r)) {
			if (rule_of(inner) && !strcmp(inner, "mpi/comm-calls"))
				take_attributes(r, n, inner);
			continue;
		}
		take(r, n, inner, what, n->text);
		const struct rule *rule = rule_of(inner);
		if (rule && rule->take != take_left) {
			take_attributes(r, n, inner);
			take_children(r, n, inner);
		}
	}
}

static int take_root(struct reader *r, const struct weft_xml_node *root, struct weft_err *err)
{
	if (strcmp(root->name, "trace") != 0)
		return weft_err_set(err, WEFT_E_SYNTAX, "%s:%u: expected <trace>, found <%s>", r->file, root->line, root->name);
	r->e->off = !is_on(root, r);
	take_attributes(r, root, "");
	take_children(r, root, "");
	for (unsigned i = 0; i < RUNTIMES; i++)
		if (!(r->seen & 1u << i))
			extrae_runtime(r->e, runtimes[i], false, "");
	return extrae_end(r->e, err);
}

int record_extrae_xml(struct record_extrae *e, const char *file, struct weft_err *err)
{
	struct reader r = {.e = e, .file = file};
	struct weft_xml_node *root;
	char *text;
	size_t n;
	int rc = weft_read_file(file, &text, &n, err);
	if (rc)
		return rc;
	rc = weft_xml_parse(&e->arena, file, text, n, &root, err);
	free(text);
	return rc ? rc : take_root(&r, root, err);
}
