/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software counters: events become samples of counters, like those of the hardware. A thread has a sum for each counter, and
 * what it emits is what came together since its last emission:
 *
 *     by intervals    at the begin of a Running state that ends an interval or more after the last emission; the rest at the end
 *     by states       at the begin of each burst (what was before it) and at its end (what was in it)
 *
 * An event belongs to a burst when it is behind its begin and not behind its end, as with hardware counters.
 */
#include "tool_counters.h"
#include <errno.h>
#include <stdlib.h>

enum { RUNNING = 1, REST_BEFORE_END = 10, SUMMARY_TYPE = 1 };

static int fail(struct counters *c)
{
	c->no_memory = true;
	return -ENOMEM;
}

/* -- counters -- */

static uint64_t emitted_type(const struct weft_tool_counters *how, uint64_t type, int64_t value, bool accumulate)
{
	if (accumulate)
		return type;
	if (how->global)
		return type / 10000 + 20000 + type % 10000;
	return (uint32_t)((type / 10000 + type % 10000 + 10000) * 1000 + (uint64_t)value);
}

static int counter_order(const void *a, const void *b)
{
	const struct counter *x = *(const struct counter *const *)a, *y = *(const struct counter *const *)b;
	if (x->accumulate != y->accumulate)
		return x->accumulate ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* The counter of a type (and value, where values count apart), made at its first event. Its number, or negative. */
static int64_t counter_of(struct counters *c, struct counted_type *t, int64_t value, bool accumulate)
{
	uint64_t id, key = accumulate || c->how->global ? 0 : (uint64_t)value;
	struct weft_map *map = accumulate ? &t->summed : &t->counted;
	if (weft_map_get(map, key, &id))
		return (int64_t)id;
	struct counter *new = weft_arena_alloc(&c->arena, sizeof *new);
	if (!new)
		return fail(c);
	*new = (struct counter){.id = (uint32_t)c->counter.n,
	                        .type = t->type,
	                        .value = (int64_t)key,
	                        .accumulate = accumulate,
	                        .emitted = emitted_type(c->how, t->type, value, accumulate)};
	c->sorted = false;
	if (weft_vec_push(&c->counter, new) || weft_map_put(map, key, new->id))
		return fail(c);
	return new->id;
}

static void add(struct counters *c, struct counter_thread *t, int64_t id, int64_t by)
{
	if (id < 0)
		return;
	if ((size_t)id >= t->n_sums) {
		size_t cap = t->n_sums;
		if (weft_vec_grow(&t->sum, &cap, (size_t)id + 1, sizeof *t->sum)) {
			fail(c);
			return;
		}
		memset(t->sum + t->n_sums, 0, (cap - t->n_sums) * sizeof *t->sum);
		t->n_sums = cap;
	}
	t->sum[id].sum = (int64_t)((uint64_t)t->sum[id].sum + (uint64_t)by);
}

/* What the user wants of a type, looked up once. */
static struct counted_type *type_of(struct counters *c, uint64_t type)
{
	uint64_t at;
	if (weft_map_get(&c->by_type, type, &at))
		return c->type.at[at];
	struct counted_type *t = weft_arena_alloc(&c->arena, sizeof *t);
	if (!t || weft_vec_push(&c->type, t) || weft_map_put(&c->by_type, type, c->type.n - 1)) {
		fail(c);
		return NULL;
	}
	t->type = type;
	t->accumulates = tool_types_name(&c->how->accumulate, type);
	t->counts = tool_types_name(&c->how->count, type);
	t->keeps = tool_types_name(&c->how->keep, type);
	return t;
}

static void count_value(struct counters *c, struct counter_thread *thread, struct counted_type *t, int64_t value)
{
	if (!value)
		return;
	if (t->accumulates && tool_types_have(&c->how->accumulate, t->type, value, NULL))
		add(c, thread, counter_of(c, t, value, true), value);
	if (t->counts && tool_types_have(&c->how->count, t->type, value, NULL))
		add(c, thread, counter_of(c, t, value, false), 1);
}

/* -- emissions -- */

static void write_sample(struct counters *c, const struct counter_thread *t, uint64_t time, uint64_t type, int64_t value)
{
	int64_t v[] = {0, t->who[0], t->who[1], t->who[2], (int64_t)time, (int64_t)type, value};
	tool_text_add(&c->out->text, "2:", 2);
	tool_text_fields(&c->out->text, v, 7, '\n');
}

/* A sample: what has a value, and what had one in an earlier sample, be it 0. */
static void emit(struct counters *c, struct counter_thread *t, uint64_t time)
{
	if (!c->sorted) {
		free(c->order);
		c->order = malloc((c->counter.n + 1) * sizeof *c->order);
		if (!c->order) {
			fail(c);
			return;
		}
		if (c->counter.n)
			memcpy(c->order, c->counter.at, c->counter.n * sizeof *c->order);
		qsort(c->order, c->counter.n, sizeof *c->order, counter_order);
		c->sorted = true;
	}
	for (size_t i = 0; i < c->counter.n; i++) {
		const struct counter *k = c->order[i];
		struct counter_sum *s = k->id < t->n_sums ? &t->sum[k->id] : NULL;
		if (!s || (!s->sum && !s->written))
			continue;
		write_sample(c, t, time, k->emitted, s->sum);
		*s = (struct counter_sum){.written = true};
	}
}

static void write_state(struct counters *c, const int64_t *v)
{
	tool_text_add(&c->out->text, "1:", 2);
	tool_text_fields(&c->out->text, v, TOOL_STATE_FIELDS, '\n');
}

/* The Running time since the last sample, as an event in place of the states. */
static void write_summary(struct counters *c, struct counter_thread *t, uint64_t time)
{
	write_sample(c, t, time, SUMMARY_TYPE, (int64_t)t->useful);
	t->useful = 0;
}

static void burst_begins(struct counter_thread *t, uint64_t begin, uint64_t end)
{
	t->has_burst = true;
	t->burst_begin = begin;
	t->burst_end = end;
}

static void state_by_intervals(struct counters *c, struct counter_thread *t, const int64_t *v)
{
	uint64_t begin = (uint64_t)v[TOOL_TIME], end = (uint64_t)v[TOOL_END];
	if (v[TOOL_STATE] != RUNNING)
		return;
	if (end >= t->last_emission && end - t->last_emission >= c->how->interval) {
		if (c->how->summarize)
			write_summary(c, t, begin);
		emit(c, t, begin);
		t->last_emission = begin;
	}
	burst_begins(t, begin, end);
	if (c->how->summarize) {
		t->useful += end - begin;
	} else if (!c->how->remove_states) {
		write_state(c, v);
	}
}

static void burst_ends(struct counters *c, struct counter_thread *t)
{
	if (t->burst_open)
		emit(c, t, t->burst_end);
	t->burst_open = false;
}

static void state_by_states(struct counters *c, struct counter_thread *t, const int64_t *v)
{
	uint64_t begin = (uint64_t)v[TOOL_TIME], end = (uint64_t)v[TOOL_END];
	if (c->how->min_burst_time && (v[TOOL_STATE] != RUNNING || end - begin < c->how->min_burst_time))
		return;
	burst_ends(c, t);
	emit(c, t, begin);
	if (!c->how->remove_states)
		write_state(c, v);
	burst_begins(t, begin, end);
	t->burst_open = true;
}

/* -- records -- */

/* A thread that the header does not have: its records count all the same. */
static struct counter_thread *stranger_of(struct counters *c, const int64_t *v)
{
	uint64_t at, key = weft_hash_u64((uint64_t)v[TOOL_APP]) + weft_hash_u64((uint64_t)v[TOOL_TASK] + 1) * 3 +
	                   weft_hash_u64((uint64_t)v[TOOL_THREAD] + 2) * 5;
	if (!c->report->strange_lines++)
		c->report->first_strange = c->in.lines;
	if (weft_map_get(&c->by_stranger, key, &at))
		return c->stranger.at[at];
	struct counter_thread *t = weft_arena_alloc(&c->arena, sizeof *t);
	if (!t || weft_vec_push(&c->stranger, t) || weft_map_put(&c->by_stranger, key, c->stranger.n - 1)) {
		fail(c);
		return NULL;
	}
	return t;
}

static struct counter_thread *thread_of(struct counters *c, const int64_t *v)
{
	uint32_t row;
	if (v[TOOL_TIME] < 0) {
		if (!c->report->odd_lines++)
			c->report->first_odd = c->in.lines;
		return NULL;
	}
	struct counter_thread *t = tool_head_thread(&c->in.head, (uint64_t)v[TOOL_APP], (uint64_t)v[TOOL_TASK],
	                                            (uint64_t)v[TOOL_THREAD], &row)
	                                   ? &c->thread[row]
	                                   : stranger_of(c, v);
	if (!t)
		return NULL;
	memcpy(t->who, v + TOOL_APP, sizeof t->who);
	return t;
}

static void take_state(struct counters *c, const char *at, const char *end)
{
	int64_t v[TOOL_STATE_FIELDS];
	struct counter_thread *t;
	if (tool_numbers(&at, end, v, TOOL_STATE_FIELDS) < TOOL_STATE_FIELDS || v[TOOL_END] < v[TOOL_TIME] ||
	    !(t = thread_of(c, v)))
		return;
	if (c->how->by_intervals)
		state_by_intervals(c, t, v);
	else
		state_by_states(c, t, v);
}

/* Counts the pairs, and writes those that are kept, in a line of their own. */
static void take_pairs(struct counters *c, struct counter_thread *t, const int64_t *v, const char *at, const char *end)
{
	struct tool_text *out = &c->out->text;
	bool counts = !c->how->only_in_burst ||
	              (t->has_burst && (uint64_t)v[TOOL_TIME] > t->burst_begin && (uint64_t)v[TOOL_TIME] <= t->burst_end);
	bool begun = false;
	int64_t type, value;
	while (tool_pair(&at, end, &type, &value)) {
		struct counted_type *of = type_of(c, (uint64_t)type);
		if (!of)
			return;
		if (counts)
			count_value(c, t, of, value);
		if (!of->keeps || !tool_types_have(&c->how->keep, (uint64_t)type, value, NULL))
			continue;
		if (!begun) {
			tool_text_add(out, "2:", 2);
			tool_text_fields(out, v, TOOL_EVENT_FIELDS, ':');
		}
		begun = true;
		tool_text_fields(out, (int64_t[]){type, value}, 2, ':');
	}
	if (begun && !out->failed)
		out->at[out->n - 1] = '\n';
}

static void take_event(struct counters *c, const char *at, const char *end)
{
	int64_t v[TOOL_EVENT_FIELDS];
	struct counter_thread *t;
	if (tool_numbers(&at, end, v, TOOL_EVENT_FIELDS) < TOOL_EVENT_FIELDS || !(t = thread_of(c, v)))
		return;
	if (t->burst_open && (uint64_t)v[TOOL_TIME] > t->burst_end)
		burst_ends(c, t);
	take_pairs(c, t, v, at, end);
}

static int take_lines(struct counters *c, struct weft_err *err)
{
	struct weft_str line;
	int rc;
	while ((rc = tool_input_line(&c->in, &line, err)) > 0) {
		bool record = line.n > 1 && line.at[1] == ':';
		if (record && line.at[0] == '1') {
			take_state(c, line.at + 2, line.at + line.n);
		} else if (record && line.at[0] == '2') {
			take_event(c, line.at + 2, line.at + line.n);
		} else if (line.n && line.at[0] == '#') {
			tool_text_add(&c->out->text, line.at, line.n);
			tool_text_char(&c->out->text, '\n');
		}
		tool_output_step(c->out);
		if (c->no_memory || c->out->failed)
			break;
	}
	return rc < 0 ? rc : rc == 0 ? tool_input_damage(&c->in, err) : 0;
}

static void take_rest_of(struct counters *c, struct counter_thread *t)
{
	uint64_t end = c->in.head.end, at = end > REST_BEFORE_END ? end - REST_BEFORE_END : 0;
	if (!c->how->by_intervals) { /* what was behind the last burst is in none */
		burst_ends(c, t);
		for (size_t k = 0; k < t->n_sums; k++)
			t->sum[k].sum = 0;
	}
	emit(c, t, c->how->by_intervals ? at : end);
	tool_output_step(c->out);
}

/* What is left at the end of the trace; counters of which nothing is left are closed with 0. */
static void take_rest(struct counters *c)
{
	for (uint32_t i = 0; i < c->in.head.n_threads; i++)
		take_rest_of(c, &c->thread[i]);
	for (size_t i = 0; i < c->stranger.n; i++)
		take_rest_of(c, c->stranger.at[i]);
}

/* -- the whole -- */

static int count_file(struct counters *c, const char *in, const char *out, struct weft_err *err)
{
	struct tool_output output;
	int rc = tool_output_open(&output, out, err);
	if (rc)
		return rc;
	c->out = &output;
	tool_head_write(&c->in, c->in.head.end, false, &output.text);
	rc = take_lines(c, err);
	if (!rc)
		take_rest(c);
	if (!rc)
		rc = tool_counters_labels(c, in, out, err);
	if (!rc && c->no_memory)
		rc = weft_err_set(err, -ENOMEM, "cannot count in '%s': no memory", in);
	if (!rc)
		rc = tool_copy_beside(in, out, false, err);
	return tool_output_close(&output, rc, err);
}

int weft_tool_counters(const char *in, const char *out, const struct weft_tool_counters *how, struct weft_tool_report *report,
                       struct weft_err *err)
{
	struct weft_tool_report unasked = {0};
	struct counters c = {.how = how, .report = report ? report : &unasked};
	int rc = tool_input_open(&c.in, in, err);
	if (rc)
		return rc;
	c.thread = calloc(c.in.head.n_threads + 1, sizeof *c.thread);
	rc = c.thread ? count_file(&c, in, out, err) : weft_err_set(err, -ENOMEM, "cannot count in '%s': no memory", in);
	for (uint32_t i = 0; c.thread && i < c.in.head.n_threads; i++)
		free(c.thread[i].sum);
	for (size_t i = 0; i < c.type.n; i++) {
		weft_map_fini(&c.type.at[i]->summed);
		weft_map_fini(&c.type.at[i]->counted);
	}
	for (size_t i = 0; i < c.stranger.n; i++)
		free(c.stranger.at[i]->sum);
	free(c.thread);
	free(c.stranger.at);
	weft_map_fini(&c.by_stranger);
	free(c.type.at);
	free(c.counter.at);
	free(c.order);
	weft_map_fini(&c.by_type);
	weft_arena_fini(&c.arena);
	tool_input_close(&c.in);
	return rc;
}
