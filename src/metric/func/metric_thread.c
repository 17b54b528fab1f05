/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread functions at work: blocks of records become blocks of intervals. Record i opens an
 * interval that record i + 1 closes, so the values that a function gives for n records come out one
 * interval later; functions that look ahead give the value of the interval that a record closes.
 */
#include "metric_work.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct metric_thread_func *metric_thread_func_of(const struct weft_func *f)
{
	return (const struct metric_thread_func *)(const void *)f;
}

static void thread_free(struct metric_stream *s)
{
	struct metric_thread *t = (struct metric_thread *)(void *)s;
	metric_reader_free(t->reader);
	metric_reader_free(t->scout);
	metric_comms_fini(&t->comms);
	metric_comms_fini(&t->all);
	free(t);
}

/* Records of messages, from the gathered list, as if a reader had read them. */
struct comm_block {
	double time[WEFT_INTERVALS], value[WEFT_INTERVALS];
	uint32_t kind[WEFT_INTERVALS], code[WEFT_INTERVALS], cpu[WEFT_INTERVALS];
};

static int next_records(struct metric_thread *t, struct metric_records *r, struct comm_block *c)
{
	if (t->reader)
		return metric_reader_next(t->reader, r);
	uint32_t n = 0;
	/* t->at stays in front of the block: functions look around from there. */
	const struct metric_comm *m;
	metric_comms_forget(&t->comms, t->at);
	for (; n < WEFT_INTERVALS && (m = metric_comms_at(&t->comms, t->at + n)); n++) {
		c->time[n] = m->time;
		c->kind[n] = m->kind;
		c->code[n] = m->message;
		c->cpu[n] = m->cpu;
		c->value[n] = 0;
	}
	*r = (struct metric_records){n, c->time, c->kind, c->code, c->value, c->cpu};
	return t->comms.rc ? t->comms.rc : n > 0;
}

/* The interval in front of the first record. */
static void begin_row(struct metric_thread *t)
{
	double zero = 0;
	uint32_t kind = METRIC_EMPTY, none = 0;
	struct metric_records empty = {1, &zero, &kind, &none, &zero, &none};
	t->begun = true;
	t->held = 0;
	if (t->func->always && !t->func->ahead)
		t->func->run(t, &empty, &t->held);
	t->time = 0;
	t->kind = METRIC_EMPTY;
}

/* The intervals that the records close, those that are over at `from` left out. */
static void emit(struct metric_thread *t, const struct metric_records *r, struct weft_intervals *b)
{
	double value[WEFT_INTERVALS];
	uint32_t n = r->n, first = 0;
	t->func->run(t, r, t->func->ahead ? b->value : value);
	if (t->func->ahead) {
		if (t->kind == METRIC_EMPTY && !t->func->always)
			b->value[0] = 0;
	} else {
		b->value[0] = t->held;
		memcpy(b->value + 1, value, (n - 1) * sizeof *value);
		t->held = value[n - 1];
	}
	memcpy(b->end, r->time, n * sizeof *b->end);
	b->begin = t->time;
	t->time = r->time[n - 1];
	t->kind = r->kind[n - 1];
	if (!t->emitted) {
		while (first < n && b->end[first] <= t->from)
			first++;
		if (first) {
			b->begin = b->end[first - 1];
			memmove(b->end, b->end + first, (n - first) * sizeof *b->end);
			memmove(b->value, b->value + first, (n - first) * sizeof *b->value);
		}
		t->emitted = first < n;
	}
	b->n = n - first;
	for (uint32_t i = 0; b->n && b->end[b->n - 1] >= t->to && i < b->n; i++)
		if (b->end[i] >= t->to) {
			b->n = i + 1;
			t->done = true;
		}
}

static void end_row(struct metric_thread *t, struct weft_intervals *b)
{
	t->done = true;
	if (t->func->ahead) {
		t->held = 0;
		t->func->run(t, &(struct metric_records){.n = 0}, &t->held);
		if (t->kind == METRIC_EMPTY && !t->func->always)
			t->held = 0;
	}
	b->n = 1;
	b->begin = t->time;
	b->end[0] = t->space->end > t->time ? t->space->end : t->time;
	b->value[0] = t->held;
}

static int thread_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct metric_thread *t = (struct metric_thread *)(void *)s;
	struct comm_block comms;
	b->n = 0;
	if (t->done)
		return 0;
	if (!t->begun)
		begin_row(t);
	while (!b->n) {
		struct metric_records r;
		int rc = next_records(t, &r, &comms);
		if (rc < 0)
			return rc;
		if (!rc) {
			end_row(t, b);
			return t->rc ? t->rc : 1;
		}
		emit(t, &r, b);
		if (t->rc)
			return t->rc;
		if (!t->reader)
			t->at += r.n;
	}
	return 1;
}

int metric_thread_new(struct metric_stream **out, const struct metric_site *site)
{
	if (metric_direct_serves(site))
		return metric_direct_new(out, site);
	struct metric_thread *t = calloc(1, sizeof *t);
	*out = NULL;
	if (!t)
		return -ENOMEM;
	const struct weft_metric *m = site->metric;
	const struct weft_call *call = &m->of_level[WEFT_THREAD];
	t->stream = (struct metric_stream){thread_next, thread_free};
	t->space = site->space;
	t->metric = m;
	t->call = call;
	t->func = metric_thread_func_of(call->func);
	t->list = t->func->head.param[0].name ? metric_param(call, 0) : (struct weft_list){NULL, 0};
	t->thread = site->object;
	t->by_cpu = weft_level_of_resources(m->level);
	t->from = site->from;
	t->to = site->to;
	/* Functions of all kinds of records are those of where a record was. */
	bool places = (t->func->mask & METRIC_EVENT) && (t->func->mask & METRIC_STATES);
	int rc;
	if (t->func->mask & METRIC_COMMS)
		rc = metric_comms_open(&t->comms, t->space, m, t->thread, t->func->mask);
	else
		rc = metric_reader_new(&t->reader, t->space, &m->filter, t->thread, t->func->mask, t->by_cpu || places);
	if (!rc && t->reader && site->walks)
		rc = metric_reader_join(t->reader, site->walks);
	if (!rc && t->reader && t->from > 0)
		rc = metric_reader_seek(t->reader, t->from);
	if (rc)
		thread_free(&t->stream);
	else
		*out = &t->stream;
	return rc;
}
