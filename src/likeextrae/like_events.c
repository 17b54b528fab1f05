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

enum { USER_FUNCTIONS = 60000019, OLDER_USER_FUNCTIONS = 60000100 };

struct open_region {
	uint64_t begin;
	uint32_t region, state; /* state: what the thread is in, here */
	bool has_callers;
	uint8_t task; /* enum made_or_run */
};
enum made_or_run { TASK_NONE, TASK_MADE, TASK_RUN };
struct thread {
	struct like *l;
	uint32_t thread, base; /* base: state outside of all regions */
	struct weft_appender *to;
	struct weft_span_walk walk;
	WEFT_VEC(struct open_region) open;
	uint64_t since, end; /* of the state that is on */
	uint32_t state;
	bool off;
	uint64_t n_made, n_run;            /* tasks */
	struct weft_map sum;               /* by counter's number */
	struct like_statistics statistics; /* of the last stretch between bursts */
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
	if (state == w->state && !(w->l->how->split_states && until > w->since))
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

static int put_function(struct thread *w, uint64_t time, uint32_t type, uint32_t line_type, uint32_t region)
{
	const struct weft_def_row *def = &w->l->from->def[WEFT_CLASS_REGION].at[region];
	char name[400];
	const char *cut = strstr(def->name, " [omp ");
	snprintf(name, sizeof name, "%.*s", cut ? (int)(cut - def->name) : 390, def->name);
	int64_t value = extrae_text_value(w->l, type, name);
	int rc = value < 0 ? (int)value : put(w, time, type, value);
	/* Views of older versions ask for these by another number. */
	if (!rc && type == USER_FUNCTIONS) {
		value = extrae_text_value(w->l, OLDER_USER_FUNCTIONS, name);
		rc = value < 0 ? (int)value : put(w, time, OLDER_USER_FUNCTIONS, value);
	}
	if (rc)
		return rc;
	char line[400];
	if (*def->file)
		snprintf(line, sizeof line, "%u (%.300s)", def->line, def->file);
	else
		snprintf(line, sizeof line, "%s", name);
	value = extrae_text_value(w->l, line_type, line);
	return value < 0 ? (int)value : put(w, time, line_type, value);
}

/* In the newer vocabulary; leave: 0 in place of the values. */
static int put_others(struct thread *w, uint64_t time, uint32_t region, bool leave)
{
	const struct extrae_rule *r = &w->l->rule[region];
	int rc = 0;
	for (unsigned i = 0; i < r->n_other && !rc; i++)
		if (!leave || !r->other[i].goes_on)
			rc = put(w, time, r->other[i].type, leave ? 0 : r->other[i].value);
	if (rc || !r->other_function)
		return rc;
	if (!leave)
		return put_function(w, time, r->other_function, r->other_function + 1, region);
	rc = put(w, time, r->other_function, 0);
	return rc ? rc : put(w, time, r->other_function + 1, 0);
}

/* What is said of a task: which it is, and where it is made its function. */
static const struct {
	uint32_t made, made_line, made_id, run_id;
} task_types[2] = {{60000024, 60000124, 60000028, 60000028}, {60015, 60016, 60014, 60017}};

static int put_task(struct thread *w, uint64_t time, enum made_or_run what, uint32_t task)
{
	bool other = w->l->how->other_openmp, ends = task == WEFT_NONE;
	uint32_t id = what == TASK_MADE ? task_types[other].made_id : task_types[other].run_id;
	int rc = what == TASK_NONE ? 0 : put(w, time, id, ends ? 0 : (int64_t)task + 1);
	if (rc || what != TASK_MADE)
		return rc;
	uint32_t type = task_types[other].made, line = task_types[other].made_line;
	if (!ends)
		return put_function(w, time, type, line, w->l->task.at[task].region);
	rc = put(w, time, type, 0);
	return rc ? rc : put(w, time, line, 0);
}

static int take_flow(struct thread *w, const struct weft_event *e)
{
	struct open_region *o = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	const struct weft_flows *flows = &w->l->from->flow;
	uint32_t task = WEFT_NONE;
	if (e->value < flows->n)
		task = extrae_task_of(w->l, w->l->from->thread[w->thread].process, flows->key[e->value]);
	if (!o || o->task || task == WEFT_NONE)
		return 0;
	o->task = e->kind == WEFT_EV_FLOW_OUT ? TASK_MADE : TASK_RUN;
	*(o->task == TASK_MADE ? &w->n_made : &w->n_run) += 1;
	return put_task(w, o->begin, o->task, task);
}

/* ---- between bursts ---- */

struct put_at {
	struct thread *w;
	uint64_t time;
};

static int put_one(void *arg, uint32_t type, int64_t value)
{
	const struct put_at *at = arg;
	return put(at->w, at->time, type, value);
}

/* Of the stretch in front of the burst that ends here. */
static int put_statistics(struct thread *w, uint64_t time)
{
	return extrae_statistics_put(&w->statistics, put_one, &(struct put_at){w, time});
}

/* ---- begin and end of regions ---- */

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
		return put_function(w, time, r->type, r->type + 100, region);
	case EXTRAE_BURSTS:
		return put_statistics(w, time);
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
	if (!rc && r->kind == EXTRAE_FUNCTION && r->type == USER_FUNCTIONS)
		rc = put(w, time, OLDER_USER_FUNCTIONS, 0);
	if (!rc && r->kind == EXTRAE_DISPATCHED)
		rc = put(w, time, 60000011, 0);
	if (!rc && r->kind == EXTRAE_CHUNK)
		rc = put(w, time, r->type, 1);
	return rc;
}

static int on_span(void *arg, const struct weft_span *s)
{
	struct thread *w = arg;
	enum made_or_run task = s->depth < w->open.n ? w->open.at[s->depth].task : TASK_NONE;
	int rc = put_leave(w, s->end, s->region);
	rc = rc ? rc : put_others(w, s->end, s->region, true);
	return rc ? rc : put_task(w, s->end, task, WEFT_NONE);
}

static int take_region(struct thread *w, const struct weft_event *e, const struct weft_block *one)
{
	size_t before = w->walk.open.n;
	int rc = weft_span_feed(&w->walk, one);
	if (rc)
		return rc;
	if (w->walk.open.n > before && e->kind == WEFT_EV_ENTER) {
		uint32_t state = w->l->rule[e->id].state, around = w->open.n ? w->open.at[w->open.n - 1].state : w->base;
		struct open_region o = {e->time, e->id, state == EXTRAE_AS_BEFORE ? around : state, false, TASK_NONE};
		rc = weft_vec_push(&w->open, o);
		rc = rc ? rc : put_enter(w, e->time, e->id);
		rc = rc ? rc : put_others(w, e->time, e->id, false);
	} else if (w->walk.open.n < w->open.n) {
		w->open.n = w->walk.open.n;
	}
	return rc ? rc : show_state(w, e->time);
}

/* ---- what is said of the region that is open ---- */

static const char *category_of(const struct thread *w, uint32_t id, enum weft_class c)
{
	const struct weft_def_table *defs = &w->l->from->def[c], *categories = &w->l->from->def[WEFT_CLASS_CATEGORY];
	uint32_t of = id < defs->n ? defs->at[id].category : 0;
	return of && of < categories->n ? categories->at[of].name : "";
}

static bool is_of(const struct thread *w, uint32_t id, enum weft_class c, const char *category)
{
	return !strcmp(category_of(w, id, c), category);
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
	if (w->l->rule[o->region].kind == EXTRAE_BURSTS) {
		extrae_statistic_take(&w->statistics, category_of(w, e->id, WEFT_CLASS_ATTR), def->name, e->value);
		return 0;
	}
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
		if (w->l->how->addresses) {
			rc = put(w, time, functions + i + first, (int64_t)stack[i]);
			continue;
		}
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
	bool of_mpi = is_of(w, e->id, WEFT_CLASS_TYPE, "mpi"),
	     is_time = of_mpi && !strcmp(def->name, "time in MPI polls in vain");
	if (of_mpi && (is_time || !strcmp(def->name, "MPI polls in vain"))) {
		const char *name = o ? w->l->from->def[WEFT_CLASS_REGION].at[o->region].name : "";
		uint32_t type = strstr(name, "Iprobe")       ? 50000300
		                : strstr(name, "Improbe")    ? 50000306
		                : strstr(name, "get_status") ? 50000302
		                                             : 50000304;
		/* What distributed views name is the number of older versions. */
		uint32_t older = is_time ? 0 : type == 50000300 ? 53000000 : type == 50000304 ? 50000080 : 0;
		int rc = older ? put(w, o ? o->begin : e->time, older, (int64_t)e->value) : 0;
		return rc ? rc : put(w, o ? o->begin : e->time, type + is_time, (int64_t)e->value);
	}
	uint32_t call = is_of(w, e->id, WEFT_CLASS_TYPE, "memory") ? extrae_memory_call(def->name) : 0;
	/* With callers the call is a region around its points, and has said so. */
	bool is_told = call && o && extrae_memory_call(w->l->from->def[WEFT_CLASS_REGION].at[o->region].name);
	if (is_told)
		return call == 2 ? 0 : put(w, o->begin, 40000041, (int64_t)e->value);
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

/* A counter's sum so far, of this thread. */
static int put_sum(struct thread *w, uint64_t time, uint32_t number, const char *name, uint64_t value)
{
	uint64_t sum = 0;
	char label[300];
	weft_map_get(&w->sum, number, &sum);
	snprintf(label, sizeof label, "Absolute %.250s", name);
	int64_t id = extrae_type(w->l, number + 1000000, label);
	if (id < 0 || weft_map_put(&w->sum, number, sum + value))
		return -ENOMEM;
	return weft_append(w->to, time, weft_what(WEFT_EV_POINT, (uint32_t)id), sum + value);
}

static int put_counter(struct thread *w, uint64_t time, uint32_t counter, uint64_t value)
{
	const struct weft_def_table *defs = &w->l->from->def[WEFT_CLASS_COUNTER];
	if (counter >= defs->n)
		return 0;
	uint32_t number = extrae_counter(w->l, defs->at[counter].name);
	if (number == 45000000 || number == 45000001)
		value /= 1000; /* microseconds there */
	int64_t id = number ? extrae_type(w->l, number, extrae_type_label(number) ? NULL : defs->at[counter].name) : -ENOMEM;
	int rc = id >= 0 && w->l->how->absolute ? put_sum(w, time, number, defs->at[counter].name, value) : 0;
	if (rc)
		return rc;
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
	case WEFT_EV_FLOW_OUT:
	case WEFT_EV_FLOW_IN:
		return w->l->task_flow && e->id == w->l->task_flow ? take_flow(w, e) : 0;
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
	begin = begin < w->l->to ? begin : w->l->to;
	bool first = w->l->from->process[row->process].first_thread == w->thread;
	w->end = row->end < w->l->to ? row->end : w->l->to;
	/* Where bursts are recorded idle workers say so. */
	bool worker = !strncmp(row->name, "omp worker", 10) && !w->l->bursts;
	w->base = worker || weft_thread_is_bystander(w->l->from, w->thread) ? PRV_STATE_IDLE : PRV_STATE_RUNNING;
	w->state = PRV_STATE_NOT_CREATED;
	int rc = first ? put(w, begin, 40000001, 1) : 0;
	rc = rc ? rc : put(w, begin, 40000018, w->l->bursts ? 2 : 1);
	if (!rc && first)
		rc = put(w, begin, 40000036, w->l->from->process[row->process].pid);
	return rc ? rc : put_state(w, begin, w->base);
}

static int end_thread(struct thread *w)
{
	const struct weft_thread_row *row = &w->l->from->thread[w->thread];
	bool first = w->l->from->process[row->process].first_thread == w->thread;
	int rc = weft_span_end(&w->walk, w->end);
	w->open.n = 0;
	rc = rc ? rc : put_statistics(w, w->end);
	if (!rc && w->n_made)
		rc = put(w, w->end, 65000000, (int64_t)w->n_made);
	if (!rc && w->n_run)
		rc = put(w, w->end, 65000001, (int64_t)w->n_run);
	rc = rc ? rc : put_state(w, w->end, PRV_STATE_NOT_CREATED);
	if (!rc && first)
		rc = put(w, w->end, 40000001, 0);
	/* What comes behind it is a state of its own. */
	return rc ? rc : put_state(w, w->l->to, UINT32_MAX);
}

static bool is_counter(const struct weft_event *e)
{
	return e->kind == WEFT_EV_COUNTER || e->kind == WEFT_EV_COUNTER_SET;
}

int extrae_events(struct like *l, uint32_t thread)
{
	struct thread w = {.l = l, .thread = thread, .to = weft_builder_appender(l->b, l->thread_of[thread])};
	struct weft_cursor c;
	struct weft_block b;
	if (!w.to)
		return -ENOMEM;
	bool counters = weft_thread_reads_counters(l->from, thread);
	int rc = counters ? 0 : begin_thread(&w);
	if (rc)
		return rc;
	weft_span_begin(&w.walk, l->from, thread, on_span, &w);
	rc = weft_cursor_begin(&c, l->from, thread, 0, l->to < l->from->end ? l->to : WEFT_NEVER);
	bool begun = !rc;
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			struct weft_block one = {1, &b.time[i], &b.what[i], &b.value[i]};
			rc = !counters || is_counter(&e) ? take_event(&w, &e, &one) : 0;
		}
	}
	if (begun)
		weft_cursor_end(&c);
	int ended = counters ? weft_span_end(&w.walk, w.end) : end_thread(&w);
	free(w.open.at);
	weft_map_fini(&w.sum);
	return rc ? rc : ended;
}
