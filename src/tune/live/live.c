/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events are kept as they come; a value is computed by making a trace of them in memory and asking
 * the engine. So its value is by definition that of the recorded trace. A million events are kept;
 * then the older half is forgotten.
 */
#include "live.h"
#include "base/map.h"
#include "base/vec.h"
#include "metric/text/text_view.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 1 << 20, BEHIND_NS = 1000 };

struct live_event {
	uint64_t time, value;
	uint32_t type, process; /* numbers from 0 */
	bool real;
};

struct live {
	WEFT_VEC(struct live_event) event;
	WEFT_VEC(int64_t) process;
	struct weft_intern types;
	/* The last one that was made: a tunlet may have several metrics. */
	struct weft_trace *trace; /* NULL: none */
	struct weft_space space;
	uint64_t first, at;
};

int live_new(struct live **out)
{
	*out = calloc(1, sizeof **out);
	return *out ? 0 : -ENOMEM;
}

static void forget_trace(struct live *l)
{
	if (!l->trace)
		return;
	weft_space_fini(&l->space);
	weft_trace_close(l->trace);
	l->trace = NULL;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	forget_trace(l);
	weft_intern_fini(&l->types);
	free(l->event.at);
	free(l->process.at);
	free(l);
}

int live_add(struct live *l, const struct live_point *p)
{
	struct live_event e = {.time = p->time, .value = (uint64_t)p->i, .real = p->real};
	forget_trace(l);
	if (p->real)
		memcpy(&e.value, &p->d, sizeof e.value);
	while (e.process < l->process.n && l->process.at[e.process] != p->process)
		e.process++;
	if ((e.process == l->process.n && weft_vec_push(&l->process, p->process)) ||
	    weft_intern_add(&l->types, weft_str(p->name), &e.type))
		return -ENOMEM;
	if (l->event.n == EVENTS_MOST) {
		l->event.n /= 2;
		memmove(l->event.at, l->event.at + l->event.n, l->event.n * sizeof *l->event.at);
	}
	return weft_vec_push(&l->event, e);
}

/* ---- an expression ---- */

enum statistic { STAT_LAST, STAT_AVERAGE, STAT_MAXIMUM, STAT_MINIMUM, STATS };
static const char *const statistic_name[STATS] = {"last", "average", "maximum", "minimum"};

/* "average of X": the statistic, and where X begins. */
static const char *split(const char *expression, enum statistic *stat)
{
	*stat = STAT_LAST;
	expression += strspn(expression, " \t");
	for (int k = 0; k < STATS; k++) {
		size_t n = strlen(statistic_name[k]);
		if (!strncmp(expression, statistic_name[k], n) && !strncmp(expression + n, " of ", 4)) {
			*stat = (enum statistic)k;
			return expression + n + 4;
		}
	}
	return expression;
}

static int parse(struct weft_view *v, const char *expression, enum statistic *stat, struct weft_err *err)
{
	struct weft_buf text = {0};
	struct weft_err why = {0};
	weft_buf_printf(&text, "parameter = %s\n", split(expression, stat));
	int rc = text.failed ? -ENOMEM : weft_view_parse(v, text.at, text.n, "metric", &why);
	if (rc == 0 && (v->n_windows == 0 || v->n_hists))
		rc = weft_err_set(&why, WEFT_E_SYNTAX, "expected one metric");
	weft_buf_fini(&text);
	if (rc && err)
		weft_err_set(err, rc, "metric '%s': %s", expression, why.code ? why.text : "out of memory");
	return rc;
}

int live_check(const char *expression, struct weft_err *err)
{
	struct weft_view v = {0};
	enum statistic stat;
	int rc = parse(&v, expression, &stat, err);
	weft_view_fini(&v);
	return rc;
}

/* ---- its value ---- */

struct sum {
	double from, at;
	double last, weighed, most, least;
	bool any;
};

static void add_interval(struct sum *s, double begin, double end, double value)
{
	if (begin <= s->at && end > s->at)
		s->last = value;
	begin = begin < s->from ? s->from : begin;
	end = end > s->at ? s->at : end;
	if (end <= begin)
		return;
	s->weighed += value * (end - begin);
	s->most = !s->any || value > s->most ? value : s->most;
	s->least = !s->any || value < s->least ? value : s->least;
	s->any = true;
}

static int walk(const struct weft_space *space, const struct weft_metric *m, struct sum *s)
{
	struct weft_row *r;
	struct weft_intervals *b = malloc(sizeof *b);
	/* The interval that begins at the last instant belongs to it. */
	int rc = b ? weft_row_open(&r, space, m, 0, s->from, s->at + 1) : -ENOMEM;
	if (rc == 0) {
		while ((rc = weft_row_next(r, b)) > 0)
			for (uint32_t k = 0; k < b->n; k++)
				add_interval(s, k ? b->end[k - 1] : b->begin, b->end[k], b->value[k]);
		weft_row_close(r);
	}
	free(b);
	return rc;
}

int live_compute(const struct weft_space *space, const char *expression, double from, double at, double *out,
                 struct weft_err *err)
{
	struct weft_view v = {0};
	struct weft_view_lack lack = {0};
	enum statistic stat;
	double unit = (double)space->unit_ns;
	struct sum s = {.from = from / unit, .at = at / unit};
	int rc = parse(&v, expression, &stat, err);
	rc = rc ? rc : weft_view_bind(&v, space, &lack, err);
	if (rc == 0) {
		struct weft_metric whole = v.window[v.n_windows - 1].metric;
		whole.level = weft_level_of_resources(whole.level) ? WEFT_SYSTEM : WEFT_WORKLOAD;
		rc = walk(space, &whole, &s);
		if (rc)
			weft_err_sys(err, -rc, "metric '%s'", expression);
	}
	double average = s.at > s.from ? s.weighed / (s.at - s.from) : s.last;
	const double values[STATS] = {s.last, average, s.any ? s.most : s.last, s.any ? s.least : s.last};
	*out = values[stat];
	weft_view_fini(&v);
	return rc;
}

/* ---- a trace of the events so far ---- */

static int put_objects(struct weft_builder *b, const struct live *l)
{
	int64_t rc = weft_build_app(b, "tunlet");
	for (size_t k = 0; rc >= 0 && k < l->process.n; k++) {
		struct weft_process p = {.node = WEFT_NONE,
		                         .pid = l->process.at[k],
		                         .parent_pid = -1,
		                         .rank = (int32_t)k,
		                         .name = "",
		                         .command = "",
		                         .host = "",
		                         .begin = WEFT_NEVER,
		                         .end = WEFT_NEVER,
		                         .status = -1};
		struct weft_thread_row t = {.tid = l->process.at[k], .name = "", .begin = WEFT_NEVER, .end = WEFT_NEVER};
		rc = weft_build_process(b, &p);
		t.process = (uint32_t)rc;
		rc = rc < 0 ? rc : weft_build_thread(b, &t);
	}
	for (uint32_t k = 0; rc >= 0 && k < l->types.n; k++)
		rc = weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = l->types.name[k], .unit = "", .file = ""});
	return rc < 0 ? (int)rc : 0;
}

static int make_trace(const struct live *l, uint64_t first, uint64_t at, struct weft_trace **out, struct weft_err *err)
{
	struct weft_builder *b;
	*out = NULL;
	int rc = weft_builder_new(&b, "events so far", "live", &(struct weft_open_how){.no_index = true, .threads = 1}, err);
	if (rc)
		return rc;
	rc = put_objects(b, l);
	for (size_t k = 0; rc == 0 && k < l->event.n; k++) {
		const struct live_event *e = &l->event.at[k];
		struct weft_appender *a = weft_builder_appender(b, e->process);
		if (e->time <= at)
			rc = a ? weft_append(a, e->time - first,
			                     weft_what(e->real ? WEFT_EV_POINT_F : WEFT_EV_POINT, e->type + 1), e->value)
			       : -ENOMEM;
	}
	if (rc) {
		weft_builder_free(b);
		return weft_err_sys(err, -rc, "cannot keep events for a metric");
	}
	/* The value that holds from the last event on counts, too. */
	weft_build_keep_zero(b, at - first + BEHIND_NS);
	return weft_build_finish(b, NULL, out, err);
}

static int need_trace(struct live *l, uint64_t at, struct weft_err *err)
{
	if (l->trace && l->at == at)
		return 0;
	forget_trace(l);
	l->first = UINT64_MAX;
	for (size_t k = 0; k < l->event.n; k++)
		l->first = l->event.at[k].time < l->first ? l->event.at[k].time : l->first;
	if (l->first > at)
		return weft_err_set(err, -ENODATA, "there is no event yet");
	int rc = make_trace(l, l->first, at, &l->trace, err);
	if (rc)
		return rc;
	l->at = at;
	rc = weft_space_init(&l->space, l->trace);
	if (rc)
		forget_trace(l);
	return rc ? weft_err_sys(err, -rc, "cannot read the events so far") : 0;
}

int live_value(struct live *l, const char *expression, uint64_t at, double *out, struct weft_err *err)
{
	int rc = need_trace(l, at, err);
	return rc ? rc : live_compute(&l->space, expression, 0, (double)(at - l->first), out, err);
}
