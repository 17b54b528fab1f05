/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a .prv, by the rules for lines that are not as they should be: any single character ends a field, a field
 * without digits is 0, signed fields may have a '-'. A record that is too short, names objects that do not
 * exist, or has impossible times is an issue and is left out. Also the lines that are no records.
 */
#include "prv_emit.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum issue_kind {
	ISSUE_KIND,
	ISSUE_SHORT,
	ISSUE_THREAD,
	ISSUE_CPU,
	ISSUE_NODE,
	ISSUE_TIME,
	ISSUE_BACK,
	ISSUE_PAIR,
	ISSUE_NUMBER,
	ISSUE_TAG,
	ISSUE_LARGE,
	ISSUE_LARGE_PAIR
};
static const char *const issue_formats[] = {
	[ISSUE_KIND] = "expected a record (1, 2, 3 or 4, and ':'); line skipped",
	[ISSUE_SHORT] = "the record ends after %llu of %llu fields; skipped",
	[ISSUE_THREAD] = "there is no thread %llu.%llu.%llu; record skipped",
	[ISSUE_CPU] = "cpu %llu, of %llu; record skipped",
	[ISSUE_NODE] = "cpu %llu is on node %llu, the thread on node %llu; record skipped",
	[ISSUE_TIME] = "a time is negative or too large; record skipped",
	[ISSUE_BACK] = "the state ends (%llu) before it begins (%llu); record skipped",
	[ISSUE_PAIR] = "event type %llu has no value; pair skipped",
	[ISSUE_NUMBER] = "%llu is too large for a type or a state; skipped",
	[ISSUE_TAG] = "the tag does not fit in 32 bits; kept as the nearest that does",
	[ISSUE_LARGE] = "the number in field %llu does not fit in 64 bits; record skipped",
	[ISSUE_LARGE_PAIR] = "the number in field %llu does not fit in 64 bits; pair skipped",
};

char *prv_issue_text(const struct prv_issue *i, char *out)
{
	const uint64_t *f = i->found;
	snprintf(out, PRV_ISSUE_TEXT, issue_formats[i->what], (unsigned long long)f[0], (unsigned long long)f[1],
	         (unsigned long long)f[2]);
	return out;
}

struct line {
	struct prv_chunk *c;
	const char *begin, *at, *end; /* at: the next field */
	uint64_t n_fields;
	bool large; /* the last number was too large */
};

static void add_issue(const struct line *l, enum issue_kind what, uint64_t a, uint64_t b, uint64_t c)
{
	struct prv_chunk *chunk = l->c;
	if (chunk->n_issues++ >= PRV_MOST_ISSUES)
		return;
	struct prv_issue i = {what,
	                      chunk->n_lines,
	                      chunk->offset + (uint64_t)(l->begin - chunk->at),
	                      (uint64_t)(l->end - l->begin),
	                      {a, b, c}};
	if (weft_vec_push(&chunk->issue, i))
		chunk->failed = true;
}

/* The next field; false when the line has ended before it. */
static bool take(struct line *l, bool with_sign, uint64_t *out)
{
	uint64_t v = 0;
	*out = 0;
	l->large = false;
	if (l->at >= l->end)
		return false;
	bool minus = with_sign && *l->at == '-';
	l->at += minus;
	for (; l->at < l->end && *l->at >= '0' && *l->at <= '9'; l->at++)
		l->large |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*l->at - '0'), &v);
	l->at += l->at < l->end;
	*out = minus ? 0 - v : v;
	l->n_fields++;
	return true;
}

/* n fields, those from `first_signed` on signed. */
static bool take_all(struct line *l, uint64_t *field, int n, int first_signed, int of)
{
	for (int i = 0; i < n; i++)
		if (!take(l, i >= first_signed, &field[i])) {
			add_issue(l, ISSUE_SHORT, l->n_fields + 1, (uint64_t)of, 0);
			return false;
		} else if (l->large) {
			add_issue(l, ISSUE_LARGE, l->n_fields + 1, 0, 0);
			return false;
		}
	return true;
}

/* cpu, application, task, thread: the row and a cpu that may be. */
static bool find_thread(const struct line *l, uint64_t *object, uint32_t *row)
{
	const struct prv_model *m = l->c->model;
	uint64_t cpu = object[0];
	*row = prv_model_row(m, object[1], object[2], object[3]);
	if (*row == WEFT_NONE) {
		add_issue(l, ISSUE_THREAD, object[1], object[2], object[3]);
		return false;
	}
	if (prv_cpu_fits(m, *row, &object[0]))
		return true;
	if (cpu > m->header->n_cpus)
		add_issue(l, ISSUE_CPU, cpu, m->header->n_cpus, 0);
	else
		add_issue(l, ISSUE_NODE, cpu, m->cpu_node[cpu], m->thread_node[*row]);
	return false;
}

static bool time_fits(const struct line *l, uint64_t time)
{
	if (time <= l->c->model->most_time)
		return true;
	add_issue(l, ISSUE_TIME, 0, 0, 0);
	return false;
}

static void state_line(struct line *l)
{
	uint64_t object[4], time[2], state;
	uint32_t row;
	if (!take_all(l, object, 4, 4, 8) || !take_all(l, time, 2, 0, 8) || !take_all(l, &state, 1, 1, 8))
		return;
	if (!find_thread(l, object, &row) || !time_fits(l, time[0]))
		return;
	if (time[1] != UINT64_MAX && !time_fits(l, time[1]))
		return;
	if (time[1] < time[0])
		add_issue(l, ISSUE_BACK, time[1], time[0], 0);
	else if (state > UINT32_MAX)
		add_issue(l, ISSUE_NUMBER, state, 0, 0);
	else
		prv_emit_state(l->c, row, (uint32_t)object[0], time[0], time[1], (uint32_t)state);
}

static void event_line(struct line *l)
{
	enum { BATCH = 64 };
	uint64_t object[4], time, pair[2 * BATCH];
	uint32_t row, n = 0;
	if (!take_all(l, object, 4, 4, 8) || !take_all(l, &time, 1, 0, 8))
		return;
	if (l->at >= l->end) {
		add_issue(l, ISSUE_SHORT, l->n_fields + 1, 8, 0);
		return;
	}
	if (!find_thread(l, object, &row) || !time_fits(l, time))
		return;
	uint64_t records = l->c->n_records;
	while (take(l, false, &pair[2 * n])) {
		bool large = l->large;
		if (!take(l, true, &pair[2 * n + 1]))
			add_issue(l, ISSUE_PAIR, pair[2 * n], 0, 0);
		else if (large || l->large)
			add_issue(l, ISSUE_LARGE_PAIR, l->n_fields + !large, 0, 0);
		else if (pair[2 * n] > UINT32_MAX)
			add_issue(l, ISSUE_NUMBER, pair[2 * n], 0, 0);
		else
			n++;
		if (n == BATCH) {
			prv_emit_events(l->c, row, (uint32_t)object[0], time, n, pair);
			n = 0;
		}
	}
	if (n)
		prv_emit_events(l->c, row, (uint32_t)object[0], time, n, pair);
	l->c->n_records = records + (l->c->n_records > records);
}

static void comm_line(struct line *l)
{
	uint64_t send[4], recv[4], time[4], last[2];
	struct prv_comm m;
	if (!take_all(l, send, 4, 4, 15) || !take_all(l, time, 2, 0, 15) || !take_all(l, recv, 4, 4, 15) ||
	    !take_all(l, time + 2, 2, 0, 15) || !take_all(l, last, 2, 0, 15))
		return;
	if (!find_thread(l, send, &m.send_row) || !find_thread(l, recv, &m.recv_row))
		return;
	for (int i = 0; i < 4; i++) {
		if (!time_fits(l, time[i]))
			return;
		m.time[i] = time[i];
	}
	int64_t tag = (int64_t)last[1];
	if (tag < INT32_MIN || tag > INT32_MAX)
		add_issue(l, ISSUE_TAG, 0, 0, 0);
	m.tag = tag < INT32_MIN ? INT32_MIN : tag > INT32_MAX ? INT32_MAX : (int32_t)tag;
	m.size = last[0];
	m.send_cpu = (uint32_t)send[0];
	m.recv_cpu = (uint32_t)recv[0];
	prv_emit_comm(l->c, &m);
}

static void comment_line(const struct line *l)
{
	struct prv_chunk *c = l->c;
	size_t at = c->comment_text.n, n = (size_t)(l->end - l->begin);
	if (c->comment.n == PRV_MOST_COMMENTS)
		return;
	if (weft_vec_reserve(&c->comment_text, at + n) || weft_vec_push(&c->comment, (struct prv_comment){c->n_lines, at, n})) {
		c->failed = true;
		return;
	}
	memcpy(c->comment_text.at + at, l->begin, n);
	c->comment_text.n += n;
}

static bool is_blank(const struct line *l)
{
	for (const char *p = l->begin; p < l->end; p++)
		if (*p != ' ' && *p != '\t' && *p != '\r')
			return false;
	return true;
}

void prv_line_slow(struct prv_chunk *c, const char *line, const char *end)
{
	struct line l = {.c = c, .begin = line, .at = line + 2, .end = end};
	char kind = line < end ? *line : '\n';
	bool record = end - line >= 2 && !(line[1] >= '0' && line[1] <= '9'); /* any character ends a field */
	if (record && kind == '1')
		state_line(&l);
	else if (record && kind == '2')
		event_line(&l);
	else if (record && kind == '3')
		comm_line(&l);
	else if (kind == '#')
		comment_line(&l);
	else if (!(record && kind == '4') && !is_blank(&l))
		add_issue(&l, ISSUE_KIND, 0, 0, 0);
}
