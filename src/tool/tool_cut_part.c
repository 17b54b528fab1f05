/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of one block through the cutter. Of a line that is written as we would write it, what does not change is copied.
 *
 *     ─────[from]───────────────[to]─────
 *      ███████                            a state over a bound: kept whole, clipped, or removed
 *         e1   e2 e3                      e1: with keep_events, when its thread has a kept state by then
 */
#include "tool_cut_priv.h"
#include <errno.h>
#include <stdlib.h>

/* -- types -- */

static bool is_counter(const struct cut *c, uint64_t type)
{
	uint64_t v;
	return tool_cut_counts(type) && weft_map_get(&c->counter, type, &v);
}

bool cut_type_id(const struct cut *c, struct cut_types *t, uint64_t number, uint32_t *out)
{
	uint32_t slot = (uint32_t)(number ^ number >> 9) % CUT_RECENT;
	uint64_t id;
	if (t->recent[slot].number == number && t->recent[slot].id1) {
		*out = t->recent[slot].id1 - 1;
		return true;
	}
	if (!weft_map_get(&t->id, number, &id)) {
		id = t->of.n;
		uint64_t has_values = 1;
		bool listed = weft_map_get(&c->listed, number, &has_values);
		if (weft_vec_push(&t->of, (struct cut_type){number, CUT_NO_ID, is_counter(c, number), !listed || has_values}) ||
		    weft_map_put(&t->id, number, id))
			return false;
	}
	*out = (uint32_t)id;
	t->recent[slot].number = number;
	t->recent[slot].id1 = *out + 1;
	return true;
}

void cut_types_fini(struct cut_types *t)
{
	weft_map_fini(&t->id);
	free(t->of.at);
}

bool cut_thread_set(struct cut_thread *t, uint32_t id, uint8_t how)
{
	if (id >= t->n_types) {
		size_t cap = t->n_types;
		if (weft_vec_grow(&t->type, &cap, (size_t)id + 1, 1))
			return false;
		memset(t->type + t->n_types, 0, cap - t->n_types);
		t->n_types = cap;
	}
	t->type[id] = how;
	return true;
}

/* -- what a part knows -- */

int cut_part_init(struct cut_part *p, struct cut *whole)
{
	*p = (struct cut_part){.whole = whole};
	p->place = calloc((size_t)whole->in->head.n_threads + CUT_STRANGERS, sizeof *p->place);
	return p->place ? 0 : -ENOMEM;
}

void cut_part_fini(struct cut_part *p)
{
	for (size_t i = 0; i < p->thread.n; i++)
		free(p->thread.at[i].type);
	free(p->thread.at);
	free(p->place);
	cut_types_fini(&p->type);
}

static void forget(struct cut_part *p)
{
	for (size_t i = 0; i < p->n_touched; i++) {
		struct cut_thread *t = &p->thread.at[i];
		p->place[t->row] = 0;
		if (t->type)
			memset(t->type, 0, t->n_types);
		*t = (struct cut_thread){.type = t->type, .n_types = t->n_types};
	}
	p->n_touched = 0;
	p->first = UINT64_MAX;
	p->last = p->closing = p->kept_bytes = p->lines = p->odd_lines = p->first_odd = 0;
	p->strange_lines = p->first_strange = 0;
}

static struct cut_thread *touch(struct cut_part *p, uint32_t row)
{
	if (!p->place[row]) {
		if (p->n_touched == p->thread.n && weft_vec_push(&p->thread, (struct cut_thread){0})) {
			p->no_memory = true;
			return NULL;
		}
		p->thread.at[p->n_touched].row = row;
		p->place[row] = (uint32_t)++p->n_touched;
	}
	return &p->thread.at[p->place[row] - 1];
}

static bool knows(const struct cut_part *p, struct cut_thread *t, uint8_t fact)
{
	bool is = (t->facts | p->whole->thread[t->row].facts) & fact;
	t->relied |= is ? 0 : fact;
	return is;
}

static void keep_span(struct cut_part *p, uint64_t first, uint64_t last)
{
	p->first = first < p->first ? first : p->first;
	p->last = last > p->last ? last : p->last;
	p->closing = last > p->closing ? last : p->closing;
}

/* -- one record -- */

static bool odd(struct cut_part *p)
{
	if (!p->odd_lines++)
		p->first_odd = p->lines;
	return false;
}

static bool chosen(const struct cut *c, int64_t task)
{
	for (size_t i = 0; i < c->how->task.n; i++)
		if ((uint64_t)task >= c->how->task.at[i].first && (uint64_t)task <= c->how->task.at[i].last)
			return true;
	return c->how->task.n == 0;
}

/* Also of a thread that the header does not have: the cutter keeps its records. */
static bool row_of(struct cut_part *p, const int64_t *v, uint32_t *row)
{
	if (v[TOOL_TIME] < 0)
		return odd(p);
	if (!tool_head_thread(&p->whole->in->head, (uint64_t)v[TOOL_APP], (uint64_t)v[TOOL_TASK], (uint64_t)v[TOOL_THREAD], row))
		*row = cut_stranger(p->whole, v + TOOL_APP);
	p->row = *row;
	p->no_memory |= *row == UINT32_MAX;
	return *row != UINT32_MAX;
}

static void close_at(struct cut_part *p, uint64_t time)
{
	p->closing = time > p->closing ? time : p->closing;
}

/* The whole line, from its kind on. */
static void copy_line(struct cut_part *p, const char *fields, const char *end)
{
	tool_text_add(p->text, fields - 2, (size_t)(end - fields) + 2);
	tool_text_char(p->text, '\n');
}

/* The line "K:…", whose first `kept` numbers are copied, then v[kept] … v[kept + changed - 1], then its rest. */
static void write_patched(struct cut_part *p, const char *at, const char *end, const int64_t *v, unsigned kept, unsigned changed)
{
	struct tool_text *out = p->text;
	const char *middle = tool_behind_colons(at, end, kept), *rest = tool_behind_colons(middle, end, changed);
	if (!tool_text_room(out, (size_t)(end - at) + 2 + 21 * (size_t)changed))
		return;
	memcpy(out->at + out->n, at - 2, (size_t)(middle - at) + 2);
	out->n += 2 + (size_t)(middle - at);
	tool_text_fields(out, v + kept, changed, ':');
	tool_text_add(out, rest, (size_t)(end - rest));
	tool_text_char(out, '\n');
}

static void write_state(struct cut_part *p, const char *at, const char *end, bool plain, const int64_t v[TOOL_STATE_FIELDS])
{
	if (plain) {
		write_patched(p, at, end, v, TOOL_TIME, 2);
	} else {
		tool_text_add(p->text, "1:", 2);
		tool_text_fields(p->text, v, TOOL_STATE_FIELDS, '\n');
	}
}

/* A state over a bound that is to go. */
static bool is_removed(const struct cut *c, struct cut_thread *t, uint64_t begin, uint64_t stop)
{
	if (begin < c->from && c->how->remove_first_states)
		return true;
	if (stop <= c->to || begin >= c->to || !c->how->remove_last_states)
		return false;
	t->facts |= CUT_FINISHED;
	return true;
}

static bool cut_state(struct cut_part *p, const char *at, const char *end)
{
	const struct cut *c = p->whole;
	const char *line = at;
	int64_t v[TOOL_STATE_FIELDS];
	struct cut_thread *t;
	bool plain = true;
	unsigned n = 0;
	uint32_t row;
	while (n < TOOL_STATE_FIELDS && at < end)
		at = tool_number_plain(at, end, &v[n++], &plain);
	if (n < TOOL_STATE_FIELDS || !row_of(p, v, &row))
		return false;
	uint64_t begin = (uint64_t)v[TOOL_TIME], stop = v[TOOL_END] < v[TOOL_TIME] ? begin : (uint64_t)v[TOOL_END];
	if (!chosen(c, v[TOOL_TASK])) {
		bool goes = (begin < c->from && c->how->remove_first_states) || (stop > c->to && c->how->remove_last_states);
		if (stop >= c->from && begin <= c->to && !goes)
			close_at(p, c->break_states && stop > c->to ? c->to : stop);
		return false;
	}
	bool endless = v[TOOL_END] < 0; /* -1: nobody saw its end */
	if (stop < c->from || begin > c->to || !(t = touch(p, row)) || is_removed(c, t, begin, stop))
		return false;
	if (c->break_states && begin < c->from)
		begin = c->from;
	if (c->break_states && stop > c->to)
		stop = c->to;
	t->facts |= CUT_HAS_STATE;
	keep_span(p, begin, stop);
	if (!p->text)
		return true;
	begin -= c->offset;
	stop = endless ? (uint64_t)v[TOOL_END] : stop - c->offset;
	if (plain && at == end && begin == (uint64_t)v[TOOL_TIME] && stop == (uint64_t)v[TOOL_END]) {
		copy_line(p, line, end);
		return true;
	}
	v[TOOL_TIME] = (int64_t)begin;
	v[TOOL_END] = (int64_t)stop;
	write_state(p, line, end, plain && at == end, v);
	return true;
}

static bool keeps_event(const struct cut_part *p, struct cut_thread *t, uint64_t time)
{
	const struct cut *c = p->whole;
	if (c->how->keep_events == WEFT_TOOL_KEEP_ALL)
		return true;
	if (time < c->from)
		return c->how->keep_events == WEFT_TOOL_KEEP_BOUNDARY && knows(p, t, CUT_HAS_STATE);
	/* Where states are kept whole and times begin at 0, the foreign tool drops what lies on the bound itself. */
	if (time == c->from && c->from && c->shifted && !c->how->break_states && !c->how->remove_first_states &&
	    c->how->keep_events == WEFT_TOOL_KEEP_BOUNDARY)
		return false;
	return !knows(p, t, CUT_FINISHED) && (!c->how->remove_first_states || knows(p, t, CUT_HAS_STATE));
}

/* Most events of a small cut: seen by their time, before anything else is looked at. */
static bool lies_outside(const struct cut *c, const char *at, const char *end)
{
	int64_t time;
	at = tool_behind_colons(at, end, TOOL_TIME);
	if (!at)
		return false;
	tool_number(at, end, &time);
	return time >= 0 && ((uint64_t)time < c->from || (uint64_t)time > c->to);
}

/*
 * Notes what the pairs open and close. A thread's first sample of hardware counters becomes 0, as what it counted began before
 * the cut: then, or when they are not plain, the line is not to be copied, and false is returned.
 */
static bool note_pairs(struct cut_part *p, struct cut_thread *t, const char *at, const char *end, bool *sample)
{
	bool plain = true;
	*sample = false;
	while (at < end) {
		int64_t type, value;
		uint32_t id;
		at = tool_number_plain(at, end, &type, &plain);
		if (at == end)
			return false;
		at = tool_number_plain(at, end, &value, &plain);
		plain &= type >= 0;
		if (!cut_type_id(p->whole, &p->type, (uint64_t)type, &id)) {
			p->no_memory = true;
			return false;
		}
		bool counter = p->type.of.at[id].counter;
		*sample |= counter && !knows(p, t, CUT_COUNTED);
		p->no_memory |= !cut_thread_set(t, id,
		                                counter                             ? CUT_IS_COUNTER
		                                : value && p->type.of.at[id].closes ? CUT_OPEN
		                                                                    : CUT_CLOSED);
	}
	return plain && !*sample;
}

static void write_pairs(struct cut_part *p, const char *at, const char *end, bool sample)
{
	struct tool_text *out = p->text;
	int64_t type, value;
	while (tool_pair(&at, end, &type, &value)) {
		tool_text_char(out, ':');
		tool_text_u64(out, (uint64_t)type);
		tool_text_char(out, ':');
		tool_text_i64(out, sample && is_counter(p->whole, (uint64_t)type) ? 0 : value);
	}
}

static void write_event(struct cut_part *p, const char *pairs, const char *end, bool sample, const int64_t v[TOOL_EVENT_FIELDS])
{
	tool_text_add(p->text, "2:", 2);
	tool_text_fields(p->text, v, TOOL_EVENT_FIELDS, ':');
	if (!p->text->failed)
		p->text->n--; /* each pair brings its colon */
	write_pairs(p, pairs, end, sample);
	tool_text_char(p->text, '\n');
}

static bool cut_event(struct cut_part *p, const char *at, const char *end)
{
	const struct cut *c = p->whole;
	const char *line = at;
	int64_t v[TOOL_EVENT_FIELDS];
	struct cut_thread *t;
	bool plain = true, sample;
	unsigned n = 0;
	uint32_t row;
	if (c->how->keep_events == WEFT_TOOL_KEEP_INSIDE && lies_outside(c, at, end))
		return false;
	while (n < TOOL_EVENT_FIELDS && at < end)
		at = tool_number_plain(at, end, &v[n++], &plain);
	if (n < TOOL_EVENT_FIELDS || at == end || !row_of(p, v, &row))
		return false;
	uint64_t time = (uint64_t)v[TOOL_TIME];
	if (!chosen(c, v[TOOL_TASK])) {
		if (time >= c->from && time <= c->to)
			close_at(p, time);
		return false;
	}
	if (time > c->to || !(t = touch(p, row)) || !keeps_event(p, t, time))
		return false;
	keep_span(p, time, time);
	if (!p->text)
		return true;
	v[TOOL_TIME] = (int64_t)(time - c->offset);
	t->cpu = (uint32_t)v[TOOL_CPU];
	t->has_event = true;
	plain &= note_pairs(p, t, at, end, &sample);
	t->facts |= sample ? CUT_COUNTED : 0;
	if (!plain)
		write_event(p, at, end, sample, v);
	else if (c->offset)
		write_patched(p, line, end, v, TOOL_TIME, 1);
	else
		copy_line(p, line, end);
	return true;
}

static bool cut_comm(struct cut_part *p, const char *at, const char *end)
{
	static const unsigned char times[] = {TOOL_LOG_SEND, TOOL_PHY_SEND, TOOL_LOG_RECV, TOOL_PHY_RECV};
	const struct cut *c = p->whole;
	int64_t v[TOOL_COMM_FIELDS];
	uint32_t row;
	if (tool_numbers(&at, end, v, TOOL_COMM_FIELDS) < TOOL_COMM_FIELDS || !row_of(p, v, &row))
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (v[times[i]] < 0)
			return false;
	if ((uint64_t)v[TOOL_LOG_SEND] < c->from || (uint64_t)v[TOOL_LOG_RECV] < c->from || (uint64_t)v[TOOL_PHY_SEND] > c->to ||
	    (uint64_t)v[TOOL_PHY_RECV] > c->to)
		return false;
	if (!chosen(c, v[TOOL_TASK]) && !chosen(c, v[TOOL_RECV_TASK])) {
		for (unsigned i = 0; i < 4; i++)
			close_at(p, (uint64_t)v[times[i]]);
		return false;
	}
	for (unsigned i = 0; i < 4; i++) {
		keep_span(p, (uint64_t)v[times[i]], (uint64_t)v[times[i]]);
		v[times[i]] -= (int64_t)c->offset;
	}
	if (p->text) {
		tool_text_add(p->text, "3:", 2);
		tool_text_fields(p->text, v, TOOL_COMM_FIELDS, '\n');
	}
	return true;
}

static bool cut_other(struct cut_part *p, const char *at, const char *end)
{
	if (at < end && *at == '#') {
		if (p->text) {
			tool_text_add(p->text, at, (size_t)(end - at));
			tool_text_char(p->text, '\n');
		}
		return true;
	}
	return at < end && *at != '4' ? odd(p) : false;
}

static bool cut_line(struct cut_part *p, const char *at, const char *end)
{
	static bool (*const kinds[])(struct cut_part * p, const char *fields, const char *end) = {cut_state, cut_event, cut_comm};
	unsigned kind = end - at > 1 && at[1] == ':' ? (unsigned)(at[0] - '1') : 3;
	if (kind >= 3)
		return cut_other(p, at, end);
	bool kept = kinds[kind](p, at + 2, end);
	if (kept && p->row >= p->whole->in->head.n_threads && !p->strange_lines++)
		p->first_strange = p->lines;
	return kept;
}

void cut_part_run(struct cut_part *p, const char *at, size_t n, uint64_t most, struct tool_text *text)
{
	const char *all = at + n;
	forget(p);
	p->text = text;
	bool kept = false; /* the line before: neighbours are alike */
	while (at < all && p->kept_bytes <= most && !p->no_memory) {
		at = kept ? at : cut_skip(p->whole, at, all, &p->lines);
		if (at >= all)
			break;
		const char *found = memchr(at, '\n', (size_t)(all - at)), *end = found ? found : all;
		p->lines++;
		kept = cut_line(p, at, end);
		if (kept)
			p->kept_bytes += (uint64_t)(end - at) + 1;
		at = end + 1;
	}
}
