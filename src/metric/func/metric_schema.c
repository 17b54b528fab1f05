/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema is made from definitions and from the dictionaries of blocks, which say what definitions
 * were used as; no event is decoded for it. Names are those that a reader of the written .pcf and
 * .row would find: one line each, without blanks around.
 */
#include "metric_schema.h"
#include "trace/paraver/prv_counters.h"
#include "base/atomic.h"
#include "base/map.h"
#include "base/pool.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct metric_event_kind metric_event_kinds[METRIC_EVENT_KINDS] = {
	[WEFT_EV_POINT] = {WEFT_CLASS_TYPE, PRV_TYPES, METRIC_AS_INT, 0},
	[WEFT_EV_POINT_F] = {WEFT_CLASS_TYPE, PRV_TYPES_FLOAT, METRIC_AS_FLOAT, 0},
	[WEFT_EV_COUNTER] = {WEFT_CLASS_COUNTER, PRV_COUNTERS, METRIC_AS_INT, 7},
	[WEFT_EV_COUNTER_F] = {WEFT_CLASS_COUNTER, PRV_COUNTERS_FLOAT, METRIC_AS_FLOAT, 7},
	[WEFT_EV_ATTR] = {WEFT_CLASS_ATTR, PRV_ATTRS, METRIC_AS_INT, 0},
	[WEFT_EV_ATTR_F] = {WEFT_CLASS_ATTR, PRV_ATTRS_FLOAT, METRIC_AS_FLOAT, 0},
	[WEFT_EV_POINT_S] = {WEFT_CLASS_TYPE, PRV_TYPES_TEXT, METRIC_AS_TEXT, 0},
	[WEFT_EV_ATTR_S] = {WEFT_CLASS_ATTR, PRV_ATTRS_TEXT, METRIC_AS_TEXT, 0},
};
/* The order in which a .pcf has them. */
static const unsigned order_of_kinds[] = {WEFT_EV_POINT, WEFT_EV_POINT_F, WEFT_EV_COUNTER, WEFT_EV_COUNTER_F,
                                          WEFT_EV_ATTR,  WEFT_EV_ATTR_F,  WEFT_EV_POINT_S, WEFT_EV_ATTR_S};

struct schema_work {
	struct metric_schema *s;
	bool own_threads;
	struct weft_atomic_u32 *used[METRIC_EVENT_KINDS]; /* by kind and id: an event of it is there. Owned */
	uint64_t unit_ns;                                 /* of the trace, where it once was a .prv */
	bool from_prv;                                    /* it was */
	struct weft_atomic_u32 odd;                       /* some time is no multiple of that unit */
	WEFT_VEC(struct weft_def_row) type;
	WEFT_VEC(struct weft_def_row) state;
	WEFT_VEC(struct weft_note) note;
	struct weft_map type_at; /* number -> id */
};

/* ---- what is used ---- */

struct schema_look {
	struct schema_work *w;
	bool states, regions;
};

static uint32_t kind_class_size(const struct weft_trace *t, unsigned kind)
{
	return t->def[weft_kind_info[kind].of].n;
}

/* Asked once for each entry of a block's dictionary; none is chosen, so no event is decoded. */
static bool note_entry(const void *arg, uint32_t what)
{
	struct schema_look *l = *(struct schema_look *const *)arg;
	unsigned kind = weft_what_kind(what), id = weft_what_id(what);
	if (kind < METRIC_EVENT_KINDS && id < kind_class_size(l->w->s->trace, kind) && l->w->used[kind])
		weft_store_relaxed_u32(&l->w->used[kind][id], 1);
	l->states |= kind == WEFT_EV_STATE;
	l->regions |= kind == WEFT_EV_ENTER;
	return false;
}

static int look_for_odd_times(struct schema_work *w, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	bool odd = false;
	int rc = weft_cursor_begin(&c, w->s->trace, thread, 0, WEFT_NEVER);
	while (!rc && !odd && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n; i++)
			odd |= b.time[i] % w->unit_ns != 0;
	}
	weft_cursor_end(&c);
	if (odd)
		weft_store_relaxed_u32(&w->odd, 1);
	return rc;
}

static int look_at_thread(void *arg, size_t i, unsigned worker)
{
	struct schema_work *w = arg;
	struct schema_look look = {.w = w}, *at = &look;
	struct weft_cursor c;
	struct weft_block b;
	uint32_t thread = (uint32_t)i;
	(void)worker;
	int rc = weft_cursor_begin(&c, w->s->trace, thread, 0, WEFT_NEVER);
	while (!rc && (rc = weft_cursor_next_of(&c, &(struct weft_choice){note_entry, &at}, &b)) > 0)
		rc = 0;
	weft_cursor_end(&c);
	w->s->states_from[i] = look.states                    ? METRIC_FROM_STATES
	                       : look.regions || !w->from_prv ? METRIC_FROM_REGIONS
	                                                      : METRIC_FROM_NOTHING;
	return rc || w->unit_ns == 1 ? rc : look_for_odd_times(w, thread);
}

/*
 * Times that are no multiples of the unit that the trace once had (it was cut, or merged with
 * another) count in ns.
 */
static bool unit_fits(const struct weft_trace *t, uint64_t unit)
{
	const struct weft_messages *m = &t->message;
	const uint64_t *column[] = {m->send_began, m->send_done, m->recv_began, m->recv_done};
	if (t->end % unit)
		return false;
	for (uint64_t i = 0; i < m->n; i++)
		for (unsigned k = 0; k < 4; k++)
			if (column[k][i] != WEFT_NEVER && column[k][i] % unit)
				return false;
	return true;
}

static int look_at_all(struct schema_work *w)
{
	const struct weft_trace *t = w->s->trace;
	const char *unit = weft_trace_note(t, PRV_NOTE_UNIT);
	w->unit_ns = 1;
	w->from_prv = unit && weft_trace_note(t, PRV_NOTE_DATE);
	if (w->from_prv)
		w->unit_ns = !strcmp(unit, "_ns") ? 1 : !strcmp(unit, "_ms") ? 1000000 : 1000;
	for (unsigned k = 0; k < METRIC_EVENT_KINDS; k++)
		if ((metric_event_kinds[k].of || k == WEFT_EV_ENTER || k == WEFT_EV_COUNTER_SET || k == WEFT_EV_COLLECTIVE ||
		     k == WEFT_EV_DROPPED) &&
		    !(w->used[k] = calloc((size_t)kind_class_size(t, k) + 1, sizeof *w->used[k])))
			return -ENOMEM;
	int rc = weft_parallel(0, t->n_threads, look_at_thread, w);
	if (w->unit_ns > 1 && (weft_load_relaxed_u32(&w->odd) || !unit_fits(t, w->unit_ns)))
		w->unit_ns = 1;
	for (uint32_t i = 0; i < t->n_threads; i++)
		w->s->derived |= w->s->states_from[i] == METRIC_FROM_REGIONS;
	return rc;
}

static bool is_used(const struct schema_work *w, unsigned kind, uint32_t id)
{
	return weft_load_relaxed_u32(&w->used[kind][id]);
}

/* ---- names ---- */

/* One line; trimmed: without blanks around it. NULL when memory is out. */
static const char *one_line(struct metric_schema *s, const char *z, bool trimmed)
{
	struct weft_str text = trimmed ? weft_str_trim(weft_str(z)) : weft_str(z);
	bool clean = !z[text.n + (size_t)(text.at - z)];
	for (size_t i = 0; i < text.n; i++)
		clean &= (unsigned char)text.at[i] >= ' ' && text.at[i] != 0x7f;
	if (clean)
		return text.at;
	char *copy = weft_arena_strndup(&s->arena, text.at, text.n);
	for (char *at = copy; at && *at; at++)
		*at = (unsigned char)*at < ' ' ? ' ' : *at == 0x7f ? '?' : *at;
	return copy;
}

static int add_note(struct schema_work *w, const char *key, const char *text)
{
	return text ? weft_vec_push(&w->note, (struct weft_note){key, text}) : -ENOMEM;
}

/* ---- states ---- */

static int add_state(struct schema_work *w, int64_t number, const char *name)
{
	name = one_line(w->s, name, true);
	if (!name)
		return -ENOMEM;
	if (number >= 0 && number < PRV_STATES && !w->s->paraver_state[number])
		w->s->paraver_state[number] = (uint32_t)w->state.n;
	return weft_vec_push(&w->state, (struct weft_def_row){.name = name, .unit = "", .file = "", .code = number});
}

static int make_states(struct schema_work *w)
{
	struct metric_schema *s = w->s;
	const struct weft_def_table *own = &s->trace->def[WEFT_CLASS_STATE], *regions = &s->trace->def[WEFT_CLASS_REGION];
	int rc = weft_vec_push(&w->state, (struct weft_def_row){.name = "", .unit = "", .file = ""});
	for (uint32_t i = 1; i < own->n && !rc; i++)
		rc = add_state(w, own->at[i].code, own->at[i].name);
	for (uint32_t i = 0; i < PRV_STATES && s->derived && !rc; i++)
		if (!s->paraver_state[i])
			rc = add_state(w, i, prv_states[i].name);
	for (uint32_t i = 0; i < PRV_STATES && s->derived && !rc && !weft_trace_note(s->trace, PRV_NOTE_COLOR); i++)
		rc = add_note(w, PRV_NOTE_COLOR,
		              weft_arena_printf(&s->arena, "%u {%u,%u,%u}", i, prv_states[i].red, prv_states[i].green,
		                                prv_states[i].blue));
	for (uint32_t i = 0; i < regions->n; i++) {
		uint32_t number = i ? prv_state_of_region(&regions->at[i]) : PRV_STATES;
		s->region_state[i] = number < PRV_STATES ? number : PRV_STATES;
	}
	return rc;
}

/* ---- types ---- */

/* Where a number comes twice, the last holds. *id: NULL when it does not matter. */
static int add_type(struct schema_work *w, struct weft_def_row row, uint32_t gradient, uint32_t *id)
{
	uint64_t there = w->type.n;
	row.name = one_line(w->s, row.name, true);
	row.file = "";
	if (!row.name)
		return -ENOMEM;
	int rc = 0;
	if (weft_map_get(&w->type_at, (uint32_t)row.code, &there)) {
		row.n_events += w->type.at[there].n_events;
		w->type.at[there] = row;
	} else {
		rc = weft_map_put(&w->type_at, (uint32_t)row.code, there);
		rc = rc ? rc : weft_vec_push(&w->type, row);
	}
	if (!rc && gradient)
		rc = add_note(w, PRV_NOTE_GRADIENT, weft_arena_printf(&w->s->arena, "%u %u", (uint32_t)row.code, gradient));
	if (id)
		*id = (uint32_t)there;
	return rc;
}

/* The same labels, a line each. */
static const struct weft_label *clean_labels(struct metric_schema *s, const struct weft_label *from, uint32_t n)
{
	struct weft_label *to = weft_arena_alloc(&s->arena, (n + 1) * sizeof *to);
	for (uint32_t i = 0; to && i < n; i++) {
		to[i] = (struct weft_label){from[i].value, one_line(s, from[i].text, true)};
		if (!to[i].text)
			return NULL;
	}
	return to;
}

/* The regions of each category that were entered are the labels of its type. */
static int make_category_type(struct schema_work *w, uint32_t category)
{
	struct metric_schema *s = w->s;
	const struct weft_def_table *regions = &s->trace->def[WEFT_CLASS_REGION];
	const struct weft_def_table *categories = &s->trace->def[WEFT_CLASS_CATEGORY];
	const char *of = category && category < categories->n ? categories->at[category].name : "no category";
	struct weft_def_row row = {.unit = "", .code = (int64_t)PRV_REGIONS + category};
	for (uint32_t i = 1; i < regions->n; i++)
		row.n_labels += regions->at[i].category == category && is_used(w, WEFT_EV_ENTER, i);
	if (!row.n_labels)
		return 0;
	struct weft_label *label = weft_arena_alloc(&s->arena, (row.n_labels + 1) * sizeof *label);
	if (!label)
		return -ENOMEM;
	label[0] = (struct weft_label){0, "End"};
	row.n_labels = 1;
	for (uint32_t i = 1; i < regions->n; i++) {
		if (regions->at[i].category != category || !is_used(w, WEFT_EV_ENTER, i))
			continue;
		label[row.n_labels] = (struct weft_label){i, one_line(s, regions->at[i].name, true)};
		if (!label[row.n_labels++].text)
			return -ENOMEM;
		row.n_events += regions->at[i].n_events;
	}
	row.label = label;
	row.name = weft_arena_printf(&s->arena, "Regions (%s)", of);
	return row.name ? add_type(w, row, 9, &s->category_type[category]) : -ENOMEM;
}

/*
 * A string is its own number, so the texts of one type are those of all: one list, of all strings.
 */
static int text_labels(struct schema_work *w, struct weft_def_row *row, const struct weft_label **all)
{
	const struct weft_def_table *strings = &w->s->trace->def[WEFT_CLASS_STRING];
	row->n_labels = strings->n;
	row->label = *all;
	if (*all)
		return 0;
	struct weft_label *label = weft_arena_alloc(&w->s->arena, (strings->n + 1) * sizeof *label);
	for (uint32_t i = 0; label && i < strings->n; i++) {
		label[i] = (struct weft_label){i, one_line(w->s, strings->at[i].name, true)};
		if (!label[i].text)
			return -ENOMEM;
	}
	*all = row->label = label;
	return label ? 0 : -ENOMEM;
}

static int make_def_type(struct schema_work *w, unsigned kind, uint32_t id, const struct weft_label **texts)
{
	struct metric_schema *s = w->s;
	const struct metric_event_kind *k = &metric_event_kinds[kind];
	const struct weft_def_row *d = &s->trace->def[k->of].at[id];
	struct weft_def_row row = {.unit = "", .code = (int64_t)k->range + id};
	struct weft_buf z = {0};
	bool plain = kind == WEFT_EV_POINT;
	char unit[PRV_NAME];
	uint32_t precision = plain ? prv_unit_precision(d->unit) : k->as == METRIC_AS_FLOAT ? PRV_FLOAT_PRECISION : 0;
	int rc = 0;
	if (is_used(w, kind, id)) /* members of a set have no events that name them */
		row.n_events = d->n_events ? d->n_events : 1;
	if (kind == WEFT_EV_COUNTER)
		row.code = prv_counter_number(&s->trace->def[WEFT_CLASS_COUNTER], id);
	if (plain) {
		row.code = prv_type_number(d, id);
		row.n_labels = d->n_labels;
		row.label = clean_labels(s, d->label, d->n_labels);
		rc = row.label ? 0 : -ENOMEM;
	}
	if (!rc && k->as == METRIC_AS_TEXT)
		rc = text_labels(w, &row, texts);
	if (precision)
		row.unit = weft_arena_strdup(&s->arena, prv_precision_unit(precision, unit));
	const char *name = k->as == METRIC_AS_TEXT || (plain && precision) ? d->name : prv_with_unit(&z, d);
	row.name = weft_arena_strdup(&s->arena, name);
	rc = z.failed ? -ENOMEM : rc;
	weft_buf_fini(&z);
	if (!rc && (!row.name || !row.unit))
		rc = -ENOMEM;
	return rc ? rc : add_type(w, row, k->gradient, &s->type[kind][id]);
}

/* Counters that are sampled as members of a set are used, too. */
static void use_members(struct schema_work *w)
{
	const struct weft_def_table *sets = &w->s->trace->def[WEFT_CLASS_SET];
	uint32_t n_counters = w->s->trace->def[WEFT_CLASS_COUNTER].n;
	for (uint32_t i = 1; i < sets->n; i++)
		for (uint32_t k = 0; is_used(w, WEFT_EV_COUNTER_SET, i) && k < sets->at[i].n_members; k++)
			if (sets->at[i].member[k] < n_counters)
				weft_store_relaxed_u32(&w->used[WEFT_EV_COUNTER][sets->at[i].member[k]], 1);
}

static int make_other_types(struct schema_work *w)
{
	bool used[PRV_OTHERS_END] = {false};
	int rc = 0;
	for (uint32_t i = 0; i < kind_class_size(w->s->trace, WEFT_EV_COLLECTIVE); i++)
		used[PRV_COLLECTIVE] |= is_used(w, WEFT_EV_COLLECTIVE, i);
	for (unsigned i = PRV_COLLECTIVE; i < PRV_OTHERS_END; i++)
		used[i] = used[PRV_COLLECTIVE];
	used[PRV_DROPPED] = false;
	for (uint32_t i = 0; i < kind_class_size(w->s->trace, WEFT_EV_DROPPED); i++)
		used[PRV_DROPPED] |= is_used(w, WEFT_EV_DROPPED, i);
	for (unsigned i = 0; i < PRV_OTHERS_END && !rc; i++) {
		struct weft_def_row row = {.name = prv_other_names[i], .unit = "", .code = prv_other_number[i], .n_events = 1};
		if (used[i])
			rc = add_type(w, row, 0, &w->s->other_type[i]);
	}
	return rc;
}

static int make_types(struct schema_work *w)
{
	struct metric_schema *s = w->s;
	const struct weft_label *texts = NULL;
	int rc = weft_vec_push(&w->type, (struct weft_def_row){.name = "", .unit = "", .file = ""});
	use_members(w);
	for (uint32_t i = 0; i < s->trace->def[WEFT_CLASS_CATEGORY].n && !rc; i++)
		rc = make_category_type(w, i);
	for (size_t i = 0; i < sizeof order_of_kinds / sizeof *order_of_kinds && !rc; i++) {
		unsigned kind = order_of_kinds[i];
		const struct weft_def_table *d = &s->trace->def[metric_event_kinds[kind].of];
		for (uint32_t id = 1; id < d->n && !rc; id++)
			if (is_used(w, kind, id) || (kind == WEFT_EV_POINT && w->from_prv && d->at[id].code > 0))
				rc = make_def_type(w, kind, id, &texts);
	}
	return rc ? rc : make_other_types(w);
}

/* ---- objects ---- */

static bool row_had(const struct schema_work *w, const char *level)
{
	const struct weft_trace *t = w->s->trace;
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (!strcmp(t->note[i].key, PRV_NOTE_ROW) && !strcmp(t->note[i].text, level))
			return true;
	return false;
}

/* A name as it stands in a .row; those of a trace that was a .prv stand there if they did. */
static const char *row_name(struct schema_work *w, const char *level, const char *name)
{
	if (w->from_prv && !row_had(w, level))
		return "";
	return one_line(w->s, name, false);
}

static const char *cpu_name(struct schema_work *w, uint32_t node, uint32_t number)
{
	const struct weft_trace *t = w->s->trace;
	const struct weft_cpu *cpu = number < t->node[node].n_cpus ? &t->cpu[t->node[node].first_cpu + number] : NULL;
	if (w->from_prv || (cpu && cpu->name && *cpu->name))
		return row_name(w, "CPU", cpu && cpu->name ? cpu->name : "");
	char *name = weft_arena_printf(&w->s->arena, "%u.%s", cpu ? cpu->os : number, t->node[node].name);
	return name ? one_line(w->s, name, false) : NULL;
}

/* A node without cpus is seen with one. */
static int make_nodes(struct schema_work *w)
{
	struct metric_schema *s = w->s;
	const struct weft_trace *t = s->trace;
	s->seen.node = weft_arena_alloc(&s->arena, (t->n_nodes + 1) * sizeof *s->seen.node);
	s->seen.cpu = weft_arena_alloc(&s->arena, ((size_t)t->n_nodes + t->n_cpus + 1) * sizeof *s->seen.cpu);
	if (!s->seen.node || !s->seen.cpu)
		return -ENOMEM;
	s->seen.n_cpus = 0;
	for (uint32_t i = 0; i < t->n_nodes; i++) {
		uint32_t n = t->node[i].n_cpus || w->from_prv ? t->node[i].n_cpus : 1;
		s->seen.node[i] = (struct weft_node){row_name(w, "NODE", t->node[i].name), s->seen.n_cpus, n};
		if (!s->seen.node[i].name)
			return -ENOMEM;
		for (uint32_t k = 0; k < n; k++) {
			struct weft_cpu cpu = {.node = i, .os = k, .core = k, .name = cpu_name(w, i, k)};
			if (!cpu.name)
				return -ENOMEM;
			if (k < t->node[i].n_cpus)
				s->cpu[t->node[i].first_cpu + k] = s->seen.n_cpus;
			s->seen.cpu[s->seen.n_cpus++] = cpu;
		}
	}
	const char *resources = weft_trace_note(t, PRV_NOTE_RESOURCES);
	return t->n_nodes || resources ? 0 : add_note(w, PRV_NOTE_RESOURCES, "no");
}

static bool is_seen(const struct schema_work *w, uint32_t thread)
{
	return w->own_threads || !w->s->trace->thread[thread].own;
}

static int add_thread(struct schema_work *w, uint32_t process, uint32_t thread)
{
	struct metric_schema *s = w->s;
	struct weft_process *p = &s->seen.process[process];
	struct weft_thread_row row = {.process = process, .name = "(no thread was recorded)", .end = WEFT_NEVER};
	char z[40];
	if (thread != WEFT_NONE) {
		row = s->trace->thread[thread];
		row.name = row_name(w, "THREAD", row.name);
		if (row.name && !*row.name && !w->from_prv)
			row.name = weft_arena_printf(&s->arena, "THREAD %s", weft_thread_label(s->trace, thread, z));
		if (!row.name)
			return -ENOMEM;
		s->row[thread] = s->seen.n_threads;
		s->renumbered |= thread != s->seen.n_threads;
	}
	row.number = ++p->n_threads;
	s->thread[s->seen.n_threads] = thread;
	s->seen.thread[s->seen.n_threads++] = row;
	return 0;
}

/* A process without threads is seen with one; one whose threads are all left out has none. */
static int make_processes(struct schema_work *w)
{
	struct metric_schema *s = w->s;
	const struct weft_trace *t = s->trace;
	const size_t n_threads = (size_t)t->n_threads + t->n_processes + 1;
	s->seen.process = weft_arena_alloc(&s->arena, (t->n_processes + 1) * sizeof *s->seen.process);
	s->seen.thread = weft_arena_alloc(&s->arena, n_threads * sizeof *s->seen.thread);
	s->thread = weft_arena_alloc(&s->arena, n_threads * sizeof *s->thread);
	if (!s->seen.process || !s->seen.thread || !s->thread)
		return -ENOMEM;
	memset(s->row, 0xff, ((size_t)t->n_threads + 1) * sizeof *s->row);
	s->seen.n_threads = 0;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_processes && !rc; i++) {
		struct weft_process *p = &s->seen.process[i];
		*p = t->process[i];
		p->first_thread = s->seen.n_threads;
		p->n_threads = 0;
		p->name = row_name(w, "TASK", p->name);
		rc = p->name ? 0 : -ENOMEM;
		for (uint32_t k = 0; k < t->process[i].n_threads && !rc; k++)
			if (is_seen(w, t->process[i].first_thread + k))
				rc = add_thread(w, i, t->process[i].first_thread + k);
		if (!rc && !t->process[i].n_threads)
			rc = add_thread(w, i, WEFT_NONE);
	}
	return rc;
}

static int make_apps(struct schema_work *w)
{
	struct metric_schema *s = w->s;
	s->seen.app = weft_arena_alloc(&s->arena, (s->trace->n_apps + 1) * sizeof *s->seen.app);
	for (uint32_t i = 0; s->seen.app && i < s->trace->n_apps; i++) {
		s->seen.app[i] = s->trace->app[i];
		s->seen.app[i].name = w->from_prv ? row_name(w, "APPL", s->trace->app[i].name) : "";
		if (!s->seen.app[i].name)
			return -ENOMEM;
	}
	return s->seen.app ? 0 : -ENOMEM;
}

/* ---- all of it ---- */

static int make_room(struct metric_schema *s)
{
	const struct weft_trace *t = s->trace;
	struct {
		uint32_t **at;
		size_t n;
	} arrays[] = {{&s->category_type, t->def[WEFT_CLASS_CATEGORY].n},
	              {&s->region_state, t->def[WEFT_CLASS_REGION].n},
	              {&s->cpu, t->n_cpus},
	              {&s->row, t->n_threads}};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (!(*arrays[i].at = weft_arena_alloc(&s->arena, (arrays[i].n + 1) * sizeof **arrays[i].at)))
			return -ENOMEM;
	for (unsigned k = 0; k < METRIC_EVENT_KINDS; k++)
		if (metric_event_kinds[k].of &&
		    !(s->type[k] = weft_arena_alloc(&s->arena, (t->def[metric_event_kinds[k].of].n + 1) * sizeof *s->type[k])))
			return -ENOMEM;
	s->states_from = weft_arena_alloc(&s->arena, (size_t)t->n_threads + 1);
	return s->states_from ? 0 : -ENOMEM;
}

/* Those of the trace, and then what was made. */
static int make_notes(struct schema_work *w)
{
	const struct weft_trace *t = w->s->trace;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_notes && !rc; i++)
		if (strcmp(t->note[i].key, PRV_NOTE_UNIT) != 0)
			rc = weft_vec_push(&w->note, t->note[i]);
	return rc ? rc : add_note(w, PRV_NOTE_UNIT, w->unit_ns == 1 ? "_ns" : w->unit_ns == 1000 ? "" : "_ms");
}

static int keep_table(struct metric_schema *s, enum weft_class c, const struct weft_def_row *at, size_t n)
{
	struct weft_def_row *rows = weft_arena_alloc(&s->arena, n * sizeof *rows);
	if (!rows)
		return -ENOMEM;
	memcpy(rows, at, n * sizeof *rows);
	s->seen.def[c] = (struct weft_def_table){rows, (uint32_t)n};
	return 0;
}

static int keep_made(struct schema_work *w)
{
	struct metric_schema *s = w->s;
	int rc = keep_table(s, WEFT_CLASS_TYPE, w->type.at, w->type.n);
	if (!rc)
		rc = keep_table(s, WEFT_CLASS_STATE, w->state.at, w->state.n);
	s->seen.note = weft_arena_alloc(&s->arena, (w->note.n + 1) * sizeof *s->seen.note);
	if (!rc && !s->seen.note)
		rc = -ENOMEM;
	if (!rc)
		memcpy(s->seen.note, w->note.at, w->note.n * sizeof *s->seen.note);
	s->seen.n_notes = (uint32_t)w->note.n;
	return rc;
}

int metric_schema_new(struct metric_schema **out, const struct weft_trace *t, bool own_threads)
{
	struct metric_schema *s = calloc(1, sizeof *s);
	struct schema_work w = {.s = s, .own_threads = own_threads};
	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->trace = t;
	s->seen = *t;
	int rc = make_room(s);
	static int (*const step[])(struct schema_work *) = {look_at_all,    make_notes,  make_nodes, make_apps,
	                                                    make_processes, make_states, make_types, keep_made};
	for (size_t i = 0; i < sizeof step / sizeof *step && !rc; i++)
		rc = step[i](&w);
	for (unsigned k = 0; k < METRIC_EVENT_KINDS; k++)
		free(w.used[k]);
	free(w.type.at);
	free(w.state.at);
	free(w.note.at);
	weft_map_fini(&w.type_at);
	if (rc)
		metric_schema_free(s);
	else
		*out = s;
	return rc;
}

void metric_schema_free(struct metric_schema *s)
{
	if (!s)
		return;
	weft_arena_fini(&s->arena);
	free(s);
}
