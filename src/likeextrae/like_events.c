/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread: its regions as values of types, its states without gaps, callers, samples, counters. What is said of a region after
 * its begin (sizes, callers) stands at its begin, as there; the builder puts it in order.
 *
 *     open     | MPI_Allreduce |  begin, values at it (sizes, root, communicator, callers); what its end says
 *     states   ── not created ── running ── group communication ── running ── not created ──
 */
#include "like_priv.h"
#include "trace/paraver/prv_names.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_region {
	uint64_t begin;
	uint32_t region, state; /* state: what the thread is in, here */
	bool has_callers;
};
struct thread {
	struct like *l;
	uint32_t thread, base; /* base: state outside of all regions */
	struct weft_appender *to;
	struct weft_span_walk walk;
	WEFT_VEC(struct open_region) open;
	uint64_t since, end; /* of the state that is on */
	uint32_t state;
	bool off;
};

static int put(struct thread *w, uint64_t time, uint32_t type, int64_t value)
{
	int64_t id = extrae_type(w->l, type, NULL);
	return id < 0 ? (int)id : weft_append(w->to, time, weft_what(WEFT_EV_POINT, (uint32_t)id), (uint64_t)value);
}

/* ---- states ---- */

static int put_state(struct thread *w, uint64_t until, uint32_t state)
{
	int64_t id = extrae_state(w->l, w->state);
	int rc = 0;
	if (state == w->state)
		return 0;
	if (id < 0)
		return (int)id;
	if (until > w->since)
		rc = weft_append(w->to, w->since, weft_what(WEFT_EV_STATE, (uint32_t)id), until - w->since);
	w->since = until > w->since ? until : w->since;
	w->state = state;
	return rc;
}

static int show_state(struct thread *w, uint64_t time)
{
	uint32_t state = w->off ? PRV_STATE_DISABLED : w->open.n ? w->open.at[w->open.n - 1].state : w->base;
	return put_state(w, time, state);
}

/* ---- regions ---- */

static uint32_t rank_in(const struct like *l, uint32_t comm, int32_t rank)
{
	const struct weft_def_row *c = &l->from->def[WEFT_CLASS_COMM].at[comm];
	for (uint32_t k = 0; k < c->n_members; k++)
		if ((int64_t)c->member[k] == rank)
			return k;
	return c->n_members ? WEFT_NONE : (uint32_t)rank;
}

static int put_function(struct thread *w, uint64_t time, const struct extrae_rule *r, uint32_t region)
{
	const struct weft_def_row *def = &w->l->from->def[WEFT_CLASS_REGION].at[region];
	char name[400];
	const char *cut = strstr(def->name, " [omp ");
	snprintf(name, sizeof name, "%.*s", cut ? (int)(cut - def->name) : 390, def->name);
	int64_t value = extrae_text_value(w->l, r->type, name);
	int rc = value < 0 ? (int)value : put(w, time, r->type, value);
	if (rc)
		return rc;
	char line[400];
	if (*def->file)
		snprintf(line, sizeof line, "%u (%.300s)", def->line, def->file);
	else
		snprintf(line, sizeof line, "%s", name);
	value = extrae_text_value(w->l, r->type + 100, line);
	return value < 0 ? (int)value : put(w, time, r->type + 100, value);
}

static int put_enter(struct thread *w, uint64_t time, uint32_t region)
{
	const struct extrae_rule *r = &w->l->rule[region];
	switch (r->kind) {
	case EXTRAE_CALL:
	case EXTRAE_LOCK_WAIT:
		return put(w, time, r->type, r->value);
	case EXTRAE_DISPATCHED: {
		int rc = put(w, time, r->type, r->value);
		return rc ? rc : put(w, time, 60000011, 1);
	}
	case EXTRAE_CHUNK:
		return put(w, time, r->type, 0);
	case EXTRAE_FUNCTION:
		return put_function(w, time, r, region);
	default:
		return 0;
	}
}

static int put_leave(struct thread *w, uint64_t time, uint32_t region)
{
	const struct extrae_rule *r = &w->l->rule[region];
	int rc = 0;
	if (r->kind == EXTRAE_CALL || r->kind == EXTRAE_FUNCTION || r->kind == EXTRAE_DISPATCHED)
		rc = put(w, time, r->type, 0);
	if (!rc && r->kind == EXTRAE_FUNCTION)
		rc = put(w, time, r->type + 100, 0);
	if (!rc && r->kind == EXTRAE_DISPATCHED)
		rc = put(w, time, 60000011, 0);
	if (!rc && r->kind == EXTRAE_CHUNK)
		rc = put(w, time, r->type, 1);
	return rc;
}

static int on_span(void *arg, const struct weft_span *s)
{
	struct thread *w = arg;
	return put_leave(w, s->end, s->region);
}

static int take_region(struct thread *w, const struct weft_event *e, const struct weft_block *one)
{
	size_t before = w->walk.open.n;
	int rc = weft_span_feed(&w->walk, one);
	if (rc)
		return rc;
	if (w->walk.open.n > before && e->kind == WEFT_EV_ENTER) {
		uint32_t state = w->l->rule[e->id].state, around = w->open.n ? w->open.at[w->open.n - 1].state : w->base;
		struct open_region o = {e->time, e->id, state == EXTRAE_AS_BEFORE ? around : state, false};
		rc = weft_vec_push(&w->open, o);
		rc = rc ? rc : put_enter(w, e->time, e->id);
	} else if (w->walk.open.n < w->open.n) {
		w->open.n = w->walk.open.n;
	}
	return rc ? rc : show_state(w, e->time);
}

/* ---- what is said of the region that is open ---- */

static bool is_of(const struct thread *w, uint32_t id, enum weft_class c, const char *category)
{
	const struct weft_def_table *defs = &w->l->from->def[c], *categories = &w->l->from->def[WEFT_CLASS_CATEGORY];
	uint32_t of = id < defs->n ? defs->at[id].category : 0;
	return of && of < categories->n && !strcmp(categories->at[of].name, category);
}

static int take_collective(struct thread *w, const struct weft_event *e)
{
	const struct weft_trace *t = w->l->from;
	uint32_t n = 0;
	const uint64_t *word = weft_extra(t, w->thread, e->value, &n);
	const struct open_region *o = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (n < 3)
		return 0;
	uint64_t time = o && w->l->rule[o->region].collective ? o->begin : e->time;
	int32_t rank = t->process[t->thread[w->thread].process].rank, root = (int32_t)(word[0] >> 32);
	int rc = put(w, time, 50100001, (int64_t)word[1]);
	rc = rc ? rc : put(w, time, 50100002, (int64_t)word[2]);
	rc = rc ? rc : put(w, time, 51000001, (int64_t)word[1]);
	rc = rc ? rc : put(w, time, 51000002, (int64_t)word[2]);
	if (!rc && root >= 0 && rank_in(w->l, e->id, rank) == (uint32_t)root)
		rc = put(w, time, 50100003, 1);
	return rc ? rc : put(w, time, 50100004, w->l->comm_of[e->id]);
}

/* Attributes that have a type: by category and name, at the region's begin or where they stand. */
static const struct {
	const char *category, *name;
	uint32_t type;
	bool at_begin;
} attrs[] = {
	{"mpi", "target", 50001001, true},      {"mpi", "file", 40000059, true}, {"io", "bytes", 40000011, false},
	{"io", "descriptor", 40000010, true},   {"io", "file", 40000059, true},  {"memory", "size", 40000041, true},
	{"memory", "address", 40000043, false},
};

static int take_attr(struct thread *w, const struct weft_event *e)
{
	const struct weft_def_row *def = &w->l->from->def[WEFT_CLASS_ATTR].at[e->id];
	const struct open_region *o = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (!o)
		return 0;
	if (is_of(w, e->id, WEFT_CLASS_ATTR, "mpi") && !strcmp(def->name, "bytes"))
		return put(w, o->begin, w->l->rule[o->region].type == 50000005 ? 50000110 : 50001000, (int64_t)e->value);
	for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
		if (strcmp(attrs[i].name, def->name) != 0 || !is_of(w, e->id, WEFT_CLASS_ATTR, attrs[i].category))
			continue;
		int64_t value = (int64_t)e->value;
		if (e->kind == WEFT_EV_ATTR_S)
			value = extrae_text_value(w->l, attrs[i].type, w->l->from->def[WEFT_CLASS_STRING].at[e->value].name);
		return value < 0 && e->kind == WEFT_EV_ATTR_S
		               ? (int)value
		               : put(w, attrs[i].at_begin ? o->begin : e->time, attrs[i].type, value);
	}
	return 0;
}

/* Levels count from 1 for callers, whose addresses return; from 0 for samples, whose first does not. */
static int put_stack(struct thread *w, const struct weft_event *e, uint64_t time, uint32_t functions, uint32_t lines,
                     uint32_t first)
{
	uint32_t n = 0, process = w->l->from->thread[w->thread].process;
	const uint64_t *stack = weft_extra(w->l->from, w->thread, e->value, &n);
	int rc = 0;
	for (uint32_t i = 0; i < n && i < 99 && !rc; i++) {
		uint32_t frames;
		const struct weft_frame *f = weft_symbols_find(w->l->symbols, process, stack[i], first || i, &frames);
		if (!f)
			return -ENOMEM;
		int64_t function = extrae_function_value(w->l, functions + i + first, f->function);
		int64_t line = extrae_line_value(w->l, lines + i + first, f);
		if (function < 0 || line < 0)
			return -ENOMEM;
		rc = put(w, time, functions + i + first, function);
		rc = rc ? rc : put(w, time, lines + i + first, line);
	}
	return rc;
}

static int take_callers(struct thread *w, const struct weft_event *e)
{
	struct open_region *o = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (!o || o->has_callers)
		return 0;
	o->has_callers = true;
	return put_stack(w, e, o->begin, 70000000, 80000000, 1);
}

/* ---- other events ---- */

static int take_point(struct thread *w, const struct weft_event *e)
{
	const struct weft_def_row *def = &w->l->from->def[WEFT_CLASS_TYPE].at[e->id];
	const struct open_region *o = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (is_of(w, e->id, WEFT_CLASS_TYPE, "mpi") && !strcmp(def->name, "MPI polls in vain")) {
		const char *name = o ? w->l->from->def[WEFT_CLASS_REGION].at[o->region].name : "";
		uint32_t type = strstr(name, "Iprobe")       ? 50000300
		                : strstr(name, "Improbe")    ? 50000306
		                : strstr(name, "get_status") ? 50000302
		                                             : 50000304;
		return put(w, o ? o->begin : e->time, type, (int64_t)e->value);
	}
	uint32_t call = is_of(w, e->id, WEFT_CLASS_TYPE, "memory") ? extrae_memory_call(def->name) : 0;
	if (call) {
		int rc = put(w, e->time, 40000040, call);
		rc = rc || call == 2 ? rc : put(w, e->time, 40000041, (int64_t)e->value);
		return rc ? rc : put(w, e->time + 1 <= w->end ? e->time + 1 : e->time, 40000040, 0);
	}
	uint32_t number = def->code > 0 && def->code <= UINT32_MAX ? (uint32_t)def->code : PRV_TYPES + e->id;
	int64_t id = extrae_type(w->l, number, extrae_type_label(number) ? NULL : def->name);
	for (uint32_t k = 0; id >= 0 && k < def->n_labels; k++)
		if (def->label[k].value == (int64_t)e->value &&
		    weft_build_label(w->l->b, (uint32_t)id, def->label[k].value, def->label[k].text))
			return -ENOMEM;
	return id < 0 ? (int)id : weft_append(w->to, e->time, weft_what(WEFT_EV_POINT, (uint32_t)id), e->value);
}

static int put_counter(struct thread *w, uint64_t time, uint32_t counter, uint64_t value)
{
	const struct weft_def_table *defs = &w->l->from->def[WEFT_CLASS_COUNTER];
	if (counter >= defs->n)
		return 0;
	uint32_t number = extrae_counter(defs->at[counter].name);
	int64_t id = extrae_type(w->l, number ? number : PRV_COUNTERS + counter, defs->at[counter].name);
	return id < 0 ? (int)id : weft_append(w->to, time, weft_what(WEFT_EV_POINT, (uint32_t)id), value);
}

static int take_set(struct thread *w, const struct weft_event *e)
{
	const struct weft_def_row *set = &w->l->from->def[WEFT_CLASS_SET].at[e->id];
	uint32_t n = 0;
	int rc = 0;
	const uint64_t *value = weft_extra(w->l->from, w->thread, e->value, &n);
	for (uint32_t i = 0; i < n && i < set->n_members && !rc; i++)
		rc = put_counter(w, e->time, (uint32_t)set->member[i], value[i]);
	return rc;
}

static int take_event(struct thread *w, const struct weft_event *e, const struct weft_block *one)
{
	switch (e->kind) {
	case WEFT_EV_OFF:
	case WEFT_EV_ON:
		if (e->id == 0) {
			w->off = e->kind == WEFT_EV_OFF;
			int rc = put(w, e->time, 40000012, !w->off);
			if (rc)
				return rc;
		}
		return e->kind == WEFT_EV_OFF ? take_region(w, e, one) : show_state(w, e->time);
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
	case WEFT_EV_THREAD_END:
		return take_region(w, e, one);
	case WEFT_EV_COLLECTIVE:
		return take_collective(w, e);
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_S:
		return take_attr(w, e);
	case WEFT_EV_CALLSTACK:
		return take_callers(w, e);
	case WEFT_EV_SAMPLE:
		return put_stack(w, e, e->time, 30000000, 30000100, 0);
	case WEFT_EV_POINT:
		return take_point(w, e);
	case WEFT_EV_COUNTER:
		return put_counter(w, e->time, e->id, e->value);
	case WEFT_EV_COUNTER_SET:
		return take_set(w, e);
	case WEFT_EV_CPU:
		return weft_append(w->to, e->time, weft_what(WEFT_EV_CPU, 0), e->value);
	default:
		return 0;
	}
}

/* ---- the thread ---- */

static int begin_thread(struct thread *w)
{
	const struct weft_thread_row *row = &w->l->from->thread[w->thread];
	uint64_t begin = row->begin < row->end ? row->begin : 0;
	bool first = w->l->from->process[row->process].first_thread == w->thread;
	w->end = row->end;
	w->base = !strncmp(row->name, "omp worker", 10) ? PRV_STATE_IDLE : PRV_STATE_RUNNING;
	w->state = PRV_STATE_NOT_CREATED;
	int rc = first ? put(w, begin, 40000001, 1) : 0;
	rc = rc ? rc : put(w, begin, 40000018, 1);
	if (!rc && first)
		rc = put(w, begin, 40000036, w->l->from->process[row->process].pid);
	return rc ? rc : put_state(w, begin, w->base);
}

static int end_thread(struct thread *w)
{
	const struct weft_thread_row *row = &w->l->from->thread[w->thread];
	bool first = w->l->from->process[row->process].first_thread == w->thread;
	int rc = weft_span_end(&w->walk, row->end);
	w->open.n = 0;
	rc = rc ? rc : put_state(w, row->end, PRV_STATE_NOT_CREATED);
	if (!rc && first)
		rc = put(w, row->end, 40000001, 0);
	/* What comes behind it is a state of its own. */
	return rc ? rc : put_state(w, w->l->from->end, UINT32_MAX);
}

int extrae_events(struct like *l, uint32_t thread)
{
	struct thread w = {.l = l, .thread = thread, .to = weft_builder_appender(l->b, l->thread_of[thread])};
	struct weft_cursor c;
	struct weft_block b;
	if (!w.to)
		return -ENOMEM;
	int rc = begin_thread(&w);
	if (rc)
		return rc;
	weft_span_begin(&w.walk, l->from, thread, on_span, &w);
	rc = weft_cursor_begin(&c, l->from, thread, 0, WEFT_NEVER);
	bool begun = !rc;
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			struct weft_block one = {1, &b.time[i], &b.what[i], &b.value[i]};
			rc = take_event(&w, &e, &one);
		}
	}
	if (begun)
		weft_cursor_end(&c);
	int ended = end_thread(&w);
	free(w.open.at);
	return rc ? rc : ended;
}
