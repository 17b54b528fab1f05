/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folded instance as a trace of ours: its region and in it the phases, functions and lines of samples as points, counters as sums that grow.
 */
#include "fold_trace.h"
#include "trace/store/build.h"
#include "trace/write/write.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct fold_weft {
	const struct fold_trace *f;
	struct weft_builder *b;
	struct weft_appender *to;
	uint32_t region, phase[FOLD_KNEES_MOST + 2], open_phase; /* ids; open_phase: 0, none */
	uint32_t function, line;                                 /* types */
	uint32_t *counter;                                       /* by counter; owned */
	uint64_t *sum;
};

static int64_t define(struct fold_weft *w, enum weft_class c, const char *name, int64_t code)
{
	return weft_build_def(w->b, c, &(struct weft_def_row){.name = name, .code = code, .state = WEFT_STATE_RUNNING});
}

static int define_regions(struct fold_weft *w)
{
	const int64_t region = define(w, WEFT_CLASS_REGION, w->f->r->region, 0);
	char name[32];
	w->region = (uint32_t)region;
	for (unsigned k = 0; region >= 0 && k <= w->f->r->n_knees; k++) {
		snprintf(name, sizeof name, "phase %u", k + 1);
		const int64_t id = define(w, WEFT_CLASS_REGION, name, 0);
		if (id < 0)
			return (int)id;
		w->phase[k + 1] = (uint32_t)id;
	}
	return region < 0 ? (int)region : 0;
}

static int define_types(struct fold_weft *w)
{
	const struct fold_run *r = w->f->r;
	const int64_t function = define(w, WEFT_CLASS_TYPE, "Folded function", FOLD_FUNCTION_TYPE);
	const int64_t line = function < 0 ? function : define(w, WEFT_CLASS_TYPE, "Folded line", FOLD_LINE_TYPE);
	if (line < 0)
		return (int)line;
	w->function = (uint32_t)function;
	w->line = (uint32_t)line;
	for (unsigned c = 0; c < r->fold.n_counters; c++) {
		const int64_t id = r->curve[c].none ? 0 : define(w, WEFT_CLASS_COUNTER, r->curve[c].name, 0);
		if (id < 0)
			return (int)id;
		w->counter[c] = (uint32_t)id;
	}
	return 0;
}

static int define_objects(struct fold_weft *w)
{
	const struct weft_process p = {.node = WEFT_NONE, .rank = -1, .status = -1, .begin = 0, .end = w->f->end};
	const struct weft_thread_row t = {.number = 1, .begin = 0, .end = w->f->end};
	if (weft_build_app(w->b, "folded") < 0 || weft_build_process(w->b, &p) < 0 || weft_build_thread(w->b, &t) < 0)
		return -ENOMEM;
	w->to = weft_builder_appender(w->b, 0);
	return w->to ? 0 : -ENOMEM;
}

/* ---- events ---- */

static int put_phase(struct fold_weft *w, uint64_t time, uint64_t number)
{
	int rc = w->open_phase ? weft_append(w->to, time, weft_what(WEFT_EV_LEAVE, w->open_phase), 0) : 0;
	w->open_phase = number ? w->phase[number] : 0;
	return rc || !w->open_phase ? rc : weft_append(w->to, time, weft_what(WEFT_EV_ENTER, w->open_phase), 0);
}

static int put_sampled(struct fold_weft *w, const struct fold_event *e, bool line)
{
	const uint32_t type = line ? w->line : w->function;
	char text[320];
	if (line)
		fold_line_text(w->f->r, (uint32_t)e->value, text, sizeof text);
	int rc = e->value ? weft_build_label(w->b, type, (int64_t)e->value,
	                                     line ? text : fold_function_name(w->f->r, (uint32_t)e->value))
	                  : 0;
	return rc ? rc : weft_append(w->to, e->time, weft_what(WEFT_EV_POINT, type), e->value);
}

static int put_counter(struct fold_weft *w, const struct fold_event *e)
{
	for (unsigned c = 0; c < w->f->r->fold.n_counters; c++)
		if (w->counter[c] && fold_counter_code(w->f->r, c) == e->type) {
			w->sum[c] += e->value;
			return weft_append(w->to, e->time, weft_what(WEFT_EV_COUNTER, w->counter[c]), w->sum[c]);
		}
	return 0;
}

static int put_event(struct fold_weft *w, const struct fold_event *e)
{
	switch (e->type) {
	case FOLD_REGION_TYPE: /* the last phase ends before it does */
		return e->value ? weft_append(w->to, e->time, weft_what(WEFT_EV_ENTER, w->region), 0) : 0;
	case FOLD_PHASE_TYPE:
		return put_phase(w, e->time, e->value);
	case FOLD_FUNCTION_TYPE:
	case FOLD_LINE_TYPE:
		return put_sampled(w, e, e->type == FOLD_LINE_TYPE);
	default:
		return put_counter(w, e);
	}
}

static int make(struct fold_weft *w)
{
	const size_t n = w->f->r->fold.n_counters;
	w->counter = calloc(n + 1, sizeof *w->counter);
	w->sum = calloc(n + 1, sizeof *w->sum);
	int rc = w->counter && w->sum ? define_objects(w) : -ENOMEM;
	rc = rc ? rc : define_regions(w);
	rc = rc ? rc : define_types(w);
	for (size_t i = 0; i < w->f->event.n && !rc; i++)
		rc = put_event(w, &w->f->event.at[i]);
	rc = rc ? rc : weft_append(w->to, w->f->end, weft_what(WEFT_EV_LEAVE, w->region), 0);
	free(w->counter);
	free(w->sum);
	return rc;
}

int fold_write_weft(const struct fold_trace *f, const char *path)
{
	struct fold_weft w = {.f = f};
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	const struct weft_open_how open = {.no_index = true, .memory = f->r->common->memory};
	const struct weft_write_how how = {.to = WEFT_NEVER, .keep_times = true, .memory = f->r->common->memory};
	if (access(path, F_OK) == 0)
		return cli_fail_text("'%s' is there already", path);
	int rc = weft_builder_new(&w.b, "folded", "weft", &open, &err);
	if (!rc && (rc = make(&w)))
		weft_builder_free(w.b);
	else if (!rc) {
		weft_build_keep_zero(w.b, f->end);
		rc = weft_build_finish(w.b, NULL, &t, &err);
	}
	const struct weft_trace *const one = t;
	rc = rc ? rc : weft_trace_write(&one, 1, path, &how, false, false, &err);
	weft_trace_close(t);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}
