/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model parameters that are metrics: what the engine says of the events so far, while the tunlet runs, is what it says of the same expression
 * on the recorded trace.
 */
#include "tune/derive/derive.h"
#include "trace/open.h"
#include "harness.h"
#include "metric/func/metric.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include "trace/write/export.h"
#include "tune/eval/eval.h"
#include "tune/live/live.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const expressions[] = {
	"value(\"t.Begins.load\")",
	"average of value(\"t.Begins.load\")",
	"maximum of value(\"t.Begins.load\") | workload: sum",
	"minimum of value(\"t.Begins.load\") | workload: max",
	"average of value(\"t.Begins.count\") / value(\"t.Begins.load\")",
	"average of value(\"t.Ends\") > 0",
	"maximum of held_value(\"t.Begins.load\", \"t.Begins.count\")",
	"maximum of value(\"t.Begins.count\") | mod(7) | workload: sum",
};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions, EVENTS = 240, PROCESSES = 3 };

static const char head[] =
	"TUNLET\nname: t\nunit: us\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable\nid: load\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"variable\nid: count\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"EVENTS\n"
	"event\nid: Begins\nactorId: m\ncontroliter: begin\nutility: always\nmethod: step\nplace: entry\nATTRS\n"
	"id: load\nid: count\nendevent\n"
	"event\nid: Ends\nactorId: m\ncontroliter: end\nutility: always\nmethod: step\nplace: exit\nendevent\n"
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 3\ncompletion: /# 1 #/\nexe: m\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n";

static struct weft_spec *make_spec(const char *const *texts, unsigned n)
{
	struct weft_buf b = {0};
	struct weft_spec *s;
	weft_buf_puts(&b, head);
	for (unsigned k = 0; k < n; k++)
		weft_buf_printf(&b, "id: y%u\ntype: double\nmetric: /# %s #/\n", k, texts[k]);
	weft_buf_puts(&b, "PERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n");
	REQUIRE(!b.failed && weft_spec_new(&s, "t.tsl", b.at, b.n, NULL) == 0);
	weft_buf_fini(&b);
	return s;
}

struct seen {
	unsigned evaluated;
	double value[EXPRESSIONS];
	char text[300];
};

static void see(void *ctx, const struct weft_eval_result *what)
{
	struct seen *s = ctx;
	s->evaluated += what->kind == WEFT_RESULT_EVALUATED;
	for (uint32_t k = 0; what->kind == WEFT_RESULT_EVALUATED && k < EXPRESSIONS && k < what->n; k++)
		s->value[k] = what->value[k];
	if (what->kind == WEFT_RESULT_HANDLER)
		snprintf(s->text, sizeof s->text, "%s", what->text);
}

/* The events as somebody else would have recorded them: a thread for each process, and time that begins before the first. */
struct recorded {
	struct weft_builder *b;
	uint64_t last;
};

static void record(struct recorded *r, uint32_t process, uint64_t ns, unsigned type, uint64_t value)
{
	REQUIRE(weft_append(weft_builder_appender(r->b, process), ns, weft_what(WEFT_EV_POINT, type), value) == 0);
	r->last = ns;
}

static void begin_recording(struct recorded *r)
{
	static const char *const types[] = {"something else", "t.Begins.load", "t.Begins.count", "t.Begins", "t.Ends"};
	REQUIRE(weft_builder_new(&r->b, "recorded", "test", &(struct weft_open_how){.no_index = true}, NULL) == 0);
	REQUIRE(weft_build_app(r->b, "app") == 0);
	for (uint32_t k = 0; k < PROCESSES; k++) {
		struct weft_process p = {.node = WEFT_NONE,
		                         .rank = (int32_t)k,
		                         .begin = WEFT_NEVER,
		                         .end = WEFT_NEVER,
		                         .status = -1};
		struct weft_thread_row t = {.process = k, .tid = k, .begin = WEFT_NEVER, .end = WEFT_NEVER};
		REQUIRE(weft_build_process(r->b, &p) == k && weft_build_thread(r->b, &t) == k);
	}
	for (unsigned k = 0; k < 5; k++)
		REQUIRE(weft_build_def(r->b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = types[k]}) == k + 1);
}

/* On disk, and read again. */
static struct weft_trace *end_recording(struct recorded *r)
{
	struct weft_trace *t, *again;
	struct weft_err err = {0};
	char path[4200];
	snprintf(path, sizeof path, "%s/recorded.prv", test_dir());
	weft_build_keep_zero(r->b, r->last + 5000);
	REQUIRE(weft_build_finish(r->b, NULL, &t, &err) == 0);
	REQUIRE(weft_export_prv(t, path, &(struct weft_export_how){.filter = NULL}, &err) == 0);
	weft_trace_close(t);
	REQUIRE(weft_trace_open(&again, path, &(struct weft_open_how){.no_index = true}, &err) == 0);
	return again;
}

TEST(a_metric_while_it_runs_is_that_of_the_recorded_trace)
{
	struct recorded r;
	struct seen seen = {0};
	struct weft_err err = {0};
	struct weft_spec *s = make_spec(expressions, EXPRESSIONS);
	weft_spec_report(s, WEFT_ERROR, stdout);
	REQUIRE(weft_spec_count(s, WEFT_ERROR) == 0);
	struct weft_eval *e;
	REQUIRE(weft_eval_new(&e, s, &(struct weft_eval_how){.result = see, .ctx = &seen, .limit_ns = 10000000000}, &err) == 0);
	static double value[EVENTS][EXPRESSIONS];
	static uint64_t at[EVENTS];
	unsigned n = 0;
	enum { BEFORE_NS = 7000 };
	begin_recording(&r);
	record(&r, 0, 100, 1, 5);
	uint64_t us = 0, begin = 0;
	for (int k = 0; k < EVENTS; k++) {
		uint32_t process = (uint32_t)(test_random() % PROCESSES);
		us += 1 + test_random() % 50;
		uint64_t ns = us * 1000 + BEFORE_NS - 1000;
		begin = begin ? begin : ns;
		bool ends = k % 4 == 3;
		struct tune_value v[2] = {{.i = (int)(test_random() % 100) + 1}, {.i = (int)(test_random() % 1000)}};
		v[0].d = (double)v[0].i;
		v[1].d = (double)v[1].i;
		unsigned before = seen.evaluated;
		REQUIRE(weft_eval_event(e,
		                        &(struct weft_eval_record){.event = ends,
		                                                   .id = 10 + process,
		                                                   .time = (double)us,
		                                                   .value = v,
		                                                   .n = ends ? 0 : 2},
		                        &err) == 0);
		for (unsigned i = 0; !ends && i < 2; i++)
			record(&r, process, ns, 2 + i, (uint64_t)v[i].i);
		record(&r, process, ns, ends ? 5 : 4, 1);
		if (seen.evaluated == before)
			continue;
		memcpy(value[n], seen.value, sizeof seen.value);
		at[n++] = ns;
	}
	CHECK(n >= EVENTS / 8);
	CHECK_STR(seen.text, "");
	struct weft_trace *t = end_recording(&r);
	struct weft_space space;
	REQUIRE(weft_space_init(&space, t) == 0);
	unsigned differ = 0, not_zero = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < EXPRESSIONS; k++) {
			double want;
			REQUIRE(live_compute(&space, expressions[k], (double)begin, (double)at[i], &want, &err) == 0);
			not_zero += want != 0;
			/* Their times begin elsewhere: sums over time differ in the last bits. */
			if (fabs(value[i][k] - want) <= 1e-13 * fabs(want))
				continue;
			if (differ++ == 0)
				printf("# '%s' at %llu: %.17g, recorded %.17g\n", expressions[k], (unsigned long long)at[i],
				       value[i][k], want);
		}
	CHECK_U64(differ, 0);
	CHECK(not_zero > n * EXPRESSIONS / 2);
	weft_space_fini(&space);
	weft_trace_close(t);
	weft_eval_free(e);
	weft_spec_free(s);
}

TEST(what_is_wrong_with_a_metric_is_said_before_it_runs)
{
	static const struct {
		const char *text, *more;
	} rows[] = {
		{"valeu(\"t.Begins\")", ""},
		{"average of", ""},
		{"a = state; b = ", ""},
		{"value(\"t.Begins\")", "value: /# 1 #/\n"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct weft_buf b = {0};
		struct weft_spec *s;
		bool found = false;
		weft_buf_puts(&b, head);
		weft_buf_printf(&b, "id: y\ntype: double\nmetric: /# %s #/\n%sENDTUNLET\n", rows[k].text, rows[k].more);
		REQUIRE(weft_spec_new(&s, "t.tsl", b.at, b.n, NULL) == 0);
		for (unsigned i = 0; weft_spec_diag(s, i); i++)
			found |= weft_spec_diag(s, i)->severity == WEFT_ERROR && !strcmp(weft_spec_diag(s, i)->rule, "metric");
		if (!CHECK(found))
			printf("# %s\n", rows[k].text);
		weft_spec_free(s);
		weft_buf_fini(&b);
	}
}

/* A type that no event has had yet: 0, as in a trace that lacks it. */
TEST(a_metric_of_what_has_not_been_yet)
{
	struct live *l;
	double v = 5;
	struct weft_err err = {0};
	REQUIRE(live_new(&l) == 0);
	CHECK_I64(live_value(l, "value(\"t.x\")", 10, &v, &err), -ENODATA);
	REQUIRE(live_add(l, &(struct live_point){.process = 1, .time = 5, .name = "t.y", .i = 3}) == 0);
	CHECK_I64(live_value(l, "value(\"t.y\")", 10, &v, NULL), 0);
	CHECK_NEAR(v, 3, 0);
	live_free(l);
}
