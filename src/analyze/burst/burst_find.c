/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's bursts, in a way for each kind of them. */
#include "burst_priv.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int push(struct burst_list *l, const struct weft_bursts_how *how, struct burst b)
{
	if (b.begin < how->from || (how->to != WEFT_NEVER && b.end > how->to))
		return 0;
	return weft_vec_push(l, b);
}

/* ---- states ---- */

struct looking {
	struct burst_list *list;
	const struct weft_trace *trace;
	const struct weft_bursts_how *how;
	uint32_t thread;
	bool *running;     /* by id of a state */
	struct burst open; /* of TYPE */
	bool is_open;
	size_t told; /* of STATES: bursts before it know what was at their end */
};

static int look_state(struct looking *l, uint64_t time, uint32_t id, uint64_t lasts)
{
	struct burst b = {.begin = time, .end = time + lasts};
	if (!l->running[id] || (l->how->filter && !weft_filter_state(l->how->filter, l->thread, id, b.begin, b.end)))
		return 0;
	return push(l->list, l->how, b);
}

static void look_caller(struct looking *l, uint64_t time, uint64_t value)
{
	while (l->told < l->list->n && l->list->at[l->told].end < time)
		l->told++;
	if (l->told < l->list->n && l->list->at[l->told].end == time)
		l->list->at[l->told].value = (int64_t)value;
}

static int look_point(struct looking *l, uint64_t time, uint64_t value)
{
	int rc = 0;
	if (l->is_open) {
		l->open.end = time;
		rc = push(l->list, l->how, l->open);
	}
	l->is_open = value != 0;
	l->open = (struct burst){.begin = time, .value = (int64_t)value};
	return rc;
}

static int look_block(struct looking *l, const struct weft_block *b)
{
	uint32_t type = l->how->of == WEFT_BURSTS_TYPE ? l->how->type : l->how->caller;
	int rc = 0;
	for (uint32_t i = 0; i < b->n && !rc; i++) {
		unsigned kind = weft_what_kind(b->what[i]), id = weft_what_id(b->what[i]);
		if (kind == WEFT_EV_STATE && l->running)
			rc = look_state(l, b->time[i], id, b->value[i]);
		else if (kind == WEFT_EV_POINT && type && id == type && l->running)
			look_caller(l, b->time[i], b->value[i]);
		else if (kind == WEFT_EV_POINT && type && id == type)
			rc = look_point(l, b->time[i], b->value[i]);
	}
	return rc;
}

static int look(struct looking *l)
{
	struct weft_cursor c;
	struct weft_block b;
	struct weft_wanted wanted = {.kinds = UINT64_C(1) << WEFT_EV_POINT};
	int rc = weft_cursor_begin(&c, l->trace, l->thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	wanted.kinds = l->how->caller ? wanted.kinds : 0;
	wanted.kinds |= UINT64_C(1) << (l->running ? WEFT_EV_STATE : WEFT_EV_POINT);
	weft_cursor_want(&c, wanted);
	while ((rc = weft_cursor_next(&c, &b)) > 0)
		if ((rc = look_block(l, &b)))
			break;
	weft_cursor_end(&c);
	return rc;
}

static int find_states(struct looking *l)
{
	const struct weft_def_table *states = &l->trace->def[WEFT_CLASS_STATE];
	l->running = calloc(states->n + (size_t)1, 1);
	if (!l->running)
		return -ENOMEM;
	for (uint32_t i = 1; i < states->n; i++)
		l->running[i] = states->at[i].code == PRV_STATE_RUNNING;
	int rc = look(l);
	free(l->running);
	return rc;
}

/* ---- where a thread computes ---- */

static bool passes(const struct looking *l, const struct burst *b)
{
	struct weft_span s = {.thread = l->thread, .region = b->region, .begin = b->begin, .end = b->end};
	return !l->how->filter || weft_filter_span(l->how->filter, &s);
}

static int compute_block(struct looking *l, const struct weft_intervals *b, double unit_ns)
{
	double begin = b->begin;
	int rc = 0;
	for (uint32_t i = 0; i < b->n && !rc; begin = b->end[i++]) {
		double region = floor(b->value[i]);
		bool computes = b->value[i] >= 0 && b->value[i] > region;
		if (computes && !l->is_open)
			l->open = (struct burst){.begin = (uint64_t)(begin * unit_ns), .region = (uint32_t)region};
		if (l->is_open && !computes && passes(l, &l->open))
			rc = push(l->list, l->how, l->open);
		l->is_open = computes;
		l->open.end = (uint64_t)(b->end[i] * unit_ns);
	}
	return rc;
}

/* The row of a thread among those that the space shows; WEFT_NONE: it is left out. */
static uint32_t row_of(const struct weft_space *s, uint32_t thread)
{
	return s->schema ? s->schema->row[thread] : thread;
}

static int find_compute(struct looking *l, const struct weft_space *s)
{
	struct weft_metric m;
	struct weft_row *row;
	uint32_t of = row_of(s, l->thread);
	struct weft_intervals *b = malloc(sizeof *b);
	if (of == WEFT_NONE || !b) {
		free(b);
		return of == WEFT_NONE ? 0 : -ENOMEM;
	}
	weft_metric_init(&m);
	m.of_level[WEFT_THREAD].func = weft_func_innermost_region();
	int rc = weft_row_open(&row, s, &m, of, 0, s->end);
	while (!rc && (rc = weft_row_next(row, b)) > 0)
		rc = compute_block(l, b, (double)s->unit_ns);
	if (!rc && l->is_open && passes(l, &l->open))
		rc = push(l->list, l->how, l->open);
	weft_row_close(row);
	free(b);
	return rc;
}

/* ---- regions ---- */

static int on_span(void *arg, const struct weft_span *s)
{
	struct looking *l = arg;
	if (s->closed_early || (l->how->filter && !weft_filter_span(l->how->filter, s)))
		return 0;
	return push(l->list, l->how, (struct burst){.begin = s->begin, .end = s->end, .region = s->region});
}

static int by_begin(const void *a, const void *b)
{
	const struct burst *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/* ---- listed ---- */

static int find_listed(struct looking *l)
{
	const struct weft_burst_row *row = l->how->row;
	size_t low = 0, high = l->how->n_rows;
	int rc = 0;
	while (low < high) { /* the thread's first */
		const size_t mid = (low + high) / 2;
		if (row[mid].thread < l->thread)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < l->how->n_rows && row[low].thread == l->thread && !rc; low++)
		rc = push(l->list, l->how, (struct burst){.begin = row[low].begin, .end = row[low].end, .value = row[low].value});
	return rc;
}

int burst_find(struct burst_list *out, const struct weft_trace *t, const struct weft_space *space, uint32_t thread,
               const struct weft_bursts_how *how)
{
	struct looking l = {.list = out, .trace = t, .how = how, .thread = thread};
	int rc = 0;
	out->n = 0;
	if (how->filter && !weft_filter_thread(how->filter, thread))
		return 0;
	if (how->of == WEFT_BURSTS_STATES)
		rc = find_states(&l);
	else if (how->of == WEFT_BURSTS_COMPUTE)
		rc = find_compute(&l, space);
	else if (how->of == WEFT_BURSTS_TYPE)
		rc = look(&l);
	else if (how->of == WEFT_BURSTS_LISTED)
		rc = find_listed(&l);
	else
		rc = weft_spans(t, thread, 0, WEFT_NEVER, how->filter, on_span, &l);
	if (!rc && how->of == WEFT_BURSTS_REGIONS)
		qsort(out->at, out->n, sizeof *out->at, by_begin);
	return rc;
}
