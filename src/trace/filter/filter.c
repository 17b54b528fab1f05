/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bound filter's answers. What is asked about, be it an event, a region, a state or a message, becomes one subject; each way
 * of deciding (filter_how) is one small function of a test and a subject.
 */
#include "base/exit.h"
#include "filter_priv.h"
#include <string.h>

struct subject {
	const struct weft_filter *f;
	uint32_t thread, id;
	unsigned kind;
	uint64_t from, to; /* its first and last instant */
	uint64_t value;    /* as in weft_block */
	bool has_duration;
	uint64_t duration;
};

void weft_filter_range(const struct weft_filter *f, uint64_t *from, uint64_t *to)
{
	*from = f->from;
	*to = f->to;
}

bool weft_filter_thread(const struct weft_filter *f, uint32_t thread)
{
	return filter_bit(f->threads, thread);
}

bool weft_filter_wants_spans(const struct weft_filter *f)
{
	return f->uses[FIELD_DURATION];
}

bool weft_filter_asks_attrs(const struct weft_filter *f)
{
	return f->uses[FIELD_ATTR];
}

/* "!=" of a field that is there. */
static bool differs(const struct filter_test *t, bool matches)
{
	return matches == (t->compare != COMPARE_NE);
}

/* -- ways of deciding -- */

static bool decide_time(const struct filter_test *t, const struct subject *s)
{
	bool in = false;
	for (uint32_t i = 0; i < t->n_ranges && !in; i++)
		in = (int64_t)s->to >= t->range[i].lo && (int64_t)s->from <= t->range[i].hi;
	return differs(t, in);
}

static bool decide_row(const struct filter_test *t, const struct subject *s)
{
	return s->thread < s->f->trace->n_threads && filter_bit(t->rows, s->thread);
}

static bool decide_def(const struct filter_test *t, const struct subject *s)
{
	enum weft_class of = weft_kind_info[s->kind].of;
	return t->defs[of] && s->id < s->f->trace->def[of].n && filter_bit(t->defs[of], s->id);
}

static bool decide_kind(const struct filter_test *t, const struct subject *s)
{
	return filter_bit(t->kinds, s->kind);
}

/* At the subject's first instant. */
static bool decide_along(const struct filter_test *t, const struct subject *s)
{
	const int64_t v = filter_place_at(s->f, t, s->thread, s->from);
	return v >= 0 && differs(t, filter_matches_i64(t, v));
}

static bool decide_phase(const struct filter_test *t, const struct subject *s)
{
	static const char *const names[] = {"", "regular", "perturbed", "outside"};
	const int64_t v = filter_place_at(s->f, t, s->thread, s->from);
	return v >= 0 && differs(t, filter_matches_i64(t, v) || (v < 4 && filter_matches_text(t, names[v])));
}

static double word_double(uint64_t word)
{
	double v;
	memcpy(&v, &word, sizeof v);
	return v;
}

static bool value_string(const struct filter_test *t, const struct subject *s)
{
	return s->value < s->f->trace->def[WEFT_CLASS_STRING].n && filter_bit(t->strings, s->value);
}

static bool value_whole(const struct filter_test *t, const struct subject *s)
{
	const struct weft_trace *tr = s->f->trace;
	int64_t v = (int64_t)s->value;
	if (filter_matches_i64(t, v))
		return true;
	if (weft_kind_info[s->kind].of != WEFT_CLASS_TYPE || s->id >= tr->def[WEFT_CLASS_TYPE].n)
		return false;
	const char *label = weft_value_label(&tr->def[WEFT_CLASS_TYPE].at[s->id], v);
	return label && filter_matches_text(t, label);
}

static bool value_exit(const struct filter_test *t, const struct subject *s)
{
	int code = weft_exit_code((int64_t)s->value);
	return code >= 0 && filter_matches_i64(t, code);
}

static bool value_floating(const struct filter_test *t, const struct subject *s)
{
	return filter_matches_f64(t, word_double(s->value));
}

static bool decide_value(const struct filter_test *t, const struct subject *s)
{
	static bool (*const by_kind[64])(const struct filter_test *, const struct subject *) = {
		[WEFT_EV_POINT] = value_whole,      [WEFT_EV_COUNTER] = value_whole,      [WEFT_EV_ATTR] = value_whole,
		[WEFT_EV_POINT_F] = value_floating, [WEFT_EV_COUNTER_F] = value_floating, [WEFT_EV_ATTR_F] = value_floating,
		[WEFT_EV_POINT_S] = value_string,   [WEFT_EV_ATTR_S] = value_string,      [WEFT_EV_DROPPED] = value_whole,
		[WEFT_EV_FORK] = value_whole,       [WEFT_EV_EXIT] = value_exit,          [WEFT_EV_CLOCK_BACK] = value_whole,
		[WEFT_EV_CPU_TIME] = value_whole,   [WEFT_EV_USER_TIME] = value_whole,
	};
	return s->kind < 64 && by_kind[s->kind] && differs(t, by_kind[s->kind](t, s));
}

static bool is_message(const struct subject *s)
{
	return (s->kind == WEFT_EV_SEND || s->kind == WEFT_EV_RECV) && s->value < s->f->trace->message.n;
}

static bool decide_size(const struct filter_test *t, const struct subject *s)
{
	uint32_t n = 0;
	const uint64_t *word;
	if (is_message(s))
		return differs(t, filter_matches_i64(t, (int64_t)s->f->trace->message.size[s->value]));
	if (s->kind != WEFT_EV_DATA && s->kind != WEFT_EV_COLLECTIVE)
		return false;
	word = weft_extra(s->f->trace, s->thread, s->value, &n);
	if (!word || n < 2)
		return false;
	/* Of a collective: what it sent or what it received, whichever is more. */
	uint64_t size = n > 2 && word[2] > word[1] ? word[2] : word[1];
	return differs(t, filter_matches_i64(t, (int64_t)size));
}

static bool decide_duration(const struct filter_test *t, const struct subject *s)
{
	if (is_message(s)) {
		const struct weft_messages *m = &s->f->trace->message;
		if (m->send_began[s->value] == WEFT_NEVER || m->recv_done[s->value] == WEFT_NEVER)
			return false;
		return differs(t, filter_matches_i64(t, (int64_t)(m->recv_done[s->value] - m->send_began[s->value])));
	}
	return s->has_duration && differs(t, filter_matches_i64(t, (int64_t)s->duration));
}

static bool decide_tag(const struct filter_test *t, const struct subject *s)
{
	return is_message(s) && differs(t, filter_matches_i64(t, s->f->trace->message.tag[s->value]));
}

static bool decide_peer(const struct filter_test *t, const struct subject *s)
{
	const struct weft_trace *tr = s->f->trace;
	if (!is_message(s))
		return false;
	uint32_t thread = s->kind == WEFT_EV_SEND ? tr->message.recv_thread[s->value] : tr->message.send_thread[s->value];
	int32_t rank = thread == WEFT_NONE ? -1 : tr->process[tr->thread[thread].process].rank;
	return rank >= 0 && differs(t, filter_matches_i64(t, rank));
}

static bool (*const decide[FILTER_HOWS])(const struct filter_test *, const struct subject *) = {
	[HOW_TIME] = decide_time,         [HOW_ROW] = decide_row,     [HOW_DEF] = decide_def,     [HOW_KIND] = decide_kind,
	[HOW_ALONG] = decide_along,       [HOW_PHASE] = decide_phase, [HOW_VALUE] = decide_value, [HOW_SIZE] = decide_size,
	[HOW_DURATION] = decide_duration, [HOW_TAG] = decide_tag,     [HOW_PEER] = decide_peer,
};

static bool evaluate(const struct filter_node *n, const struct subject *s)
{
	if (n->op == FILTER_TEST)
		return decide[filter_field_info[n->test->field].how](n->test, s);
	if (n->op == FILTER_NOT)
		return !evaluate(n->child, s);
	bool ends = n->op == FILTER_OR; /* the value of a part that decides the whole */
	for (const struct filter_node *c = n->child; c; c = c->next)
		if (evaluate(c, s) == ends)
			return ends;
	return !ends;
}

/* The begin of a state carries its duration. */
bool weft_filter_event(const struct weft_filter *f, const struct weft_event *e)
{
	struct subject s = {.f = f, .thread = e->thread, .id = e->id, .kind = e->kind, .from = e->time, .to = e->time};
	s.value = s.duration = e->value;
	s.has_duration = e->kind == WEFT_EV_STATE;
	return evaluate(f->root, &s);
}

static struct subject span_subject(const struct weft_filter *f, const struct weft_span *span, unsigned kind, uint64_t from,
                                   uint64_t to)
{
	return (struct subject){
		.f = f,
		.thread = span->thread,
		.id = span->region,
		.kind = kind,
		.from = from,
		.to = to,
		.has_duration = true,
		.duration = span->end - span->begin,
	};
}

bool weft_filter_enter(const struct weft_filter *f, const struct weft_span *span)
{
	struct subject s = span_subject(f, span, WEFT_EV_ENTER, span->begin, span->begin);
	return evaluate(f->root, &s);
}

bool weft_filter_leave(const struct weft_filter *f, const struct weft_span *span)
{
	struct subject s = span_subject(f, span, WEFT_EV_LEAVE, span->end, span->end);
	return evaluate(f->root, &s);
}

bool weft_filter_span(const struct weft_filter *f, const struct weft_span *span)
{
	if (span->chosen)
		return true;
	struct subject s = span_subject(f, span, WEFT_EV_ENTER, span->begin, span->end);
	if (evaluate(f->root, &s))
		return true;
	s.kind = WEFT_EV_LEAVE;
	return f->uses[FIELD_KIND] && evaluate(f->root, &s);
}

bool weft_filter_state(const struct weft_filter *f, uint32_t thread, uint32_t state, uint64_t begin, uint64_t end)
{
	struct subject s = {.f = f, .thread = thread, .id = state, .kind = WEFT_EV_STATE, .from = begin, .to = end};
	s.has_duration = true;
	s.duration = end - begin;
	return evaluate(f->root, &s);
}

bool weft_filter_message(const struct weft_filter *f, uint64_t message)
{
	const struct weft_messages *m = &f->trace->message;
	uint64_t first = m->send_began[message], last = m->recv_done[message];
	if (first == WEFT_NEVER)
		first = m->send_done[message] != WEFT_NEVER ? m->send_done[message] : m->recv_began[message];
	if (first == WEFT_NEVER)
		first = last;
	if (last == WEFT_NEVER)
		last = m->send_done[message] != WEFT_NEVER ? m->send_done[message] : first;
	struct subject s = {.f = f, .id = m->comm[message], .kind = WEFT_EV_SEND, .value = message, .from = first, .to = last};
	s.thread = m->send_thread[message];
	if (s.thread != WEFT_NONE && evaluate(f->root, &s))
		return true;
	s.kind = WEFT_EV_RECV;
	s.thread = m->recv_thread[message];
	return s.thread != WEFT_NONE && evaluate(f->root, &s);
}
