/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that messages make on a thread: logical and physical ends, its own and those of the
 * thread at the other end. They lie apart from the message's event in the columns, but never by
 * more than the greatest distance between the times of any of the thread's messages, which is
 * looked for once. So a window of records in front of the one that is read is sorted:
 *
 *     list:  | forgotten | safe: in order, given out by number | may still be preceded by what is not read yet |
 *                        first                                 safe
 */
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned metric_record_rank(uint32_t kind)
{
	switch (kind) {
	case METRIC_STATE_END:
		return 0;
	case METRIC_PHY_RECV:
		return 1;
	case METRIC_FAR_LOG_RECV:
	case METRIC_FAR_PHY_RECV:
		return 2;
	case METRIC_FAR_LOG_SEND:
	case METRIC_FAR_PHY_SEND:
		return 3;
	case METRIC_LOG_SEND:
		return 4;
	case METRIC_PHY_SEND:
		return 5;
	case METRIC_STATE:
		return 8;
	default:
		return 6;
	}
}

void metric_message_get(const struct weft_space *s, uint64_t i, struct metric_message *m)
{
	const struct weft_messages *t = &s->trace->message;
	const uint64_t unit = s->unit_ns, sent = t->send_done[i], received = t->recv_done[i];
	/* What was not recorded of an end began when it was done. */
	const uint64_t send_began = t->send_began[i] != WEFT_NEVER ? t->send_began[i] : sent,
		       recv_began = t->recv_began[i] != WEFT_NEVER ? t->recv_began[i] : received;
	*m = (struct metric_message){
		.log_send = (double)(send_began / unit),
		.phy_send = (double)(sent / unit),
		.log_recv = (double)(recv_began / unit),
		.phy_recv = (double)(received / unit),
		.size = (double)(int64_t)t->size[i],
		.tag = t->tag[i],
		.from = metric_seen_thread(s, t->send_thread[i]),
		.to = metric_seen_thread(s, t->recv_thread[i]),
		.number = i,
	};
}

static int add(struct metric_comms *c, uint32_t kind, double time, const struct metric_message *m)
{
	if (!(c->mask & kind) || (c->metric && !metric_comm_passes(c->space, c->metric, kind, m)))
		return 0;
	struct metric_comm one = {time, kind, (uint32_t)m->number, c->cpu, c->places++};
	return weft_vec_push(&c->list, one);
}

/* The records of one end; the far ones in the order in which Paraver makes them. */
static int add_end(struct metric_comms *c, bool send, uint64_t message)
{
	const struct weft_messages *t = &c->space->trace->message;
	struct metric_message m;
	if (message >= t->n)
		return 0;
	metric_message_get(c->space, message, &m);
	if (m.from == WEFT_NONE || m.to == WEFT_NONE)
		return 0;
	int rc = send ? add(c, METRIC_LOG_SEND, m.log_send, &m) : add(c, METRIC_LOG_RECV, m.log_recv, &m);
	if (!rc)
		rc = send ? add(c, METRIC_PHY_SEND, m.phy_send, &m) : add(c, METRIC_PHY_RECV, m.phy_recv, &m);
	if (!rc)
		rc = send ? add(c, METRIC_FAR_PHY_RECV, m.phy_recv, &m) : add(c, METRIC_FAR_PHY_SEND, m.phy_send, &m);
	if (!rc)
		rc = send ? add(c, METRIC_FAR_LOG_RECV, m.log_recv, &m) : add(c, METRIC_FAR_LOG_SEND, m.log_send, &m);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct metric_comm *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	unsigned rx = metric_record_rank(x->kind), ry = metric_record_rank(y->kind);
	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (x->message != y->message)
		return x->message < y->message ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool wants(const void *unused, uint32_t what)
{
	unsigned kind = weft_what_kind(what);
	(void)unused;
	return kind == WEFT_EV_SEND || kind == WEFT_EV_RECV || kind == WEFT_EV_CPU;
}

/* The records of one block of the columns; *last: its last time. 1, 0 at the end, negative. */
static int add_block(struct metric_comms *c, uint64_t *last)
{
	struct weft_block b;
	int rc = metric_source_next(&c->source, &b);
	if (rc <= 0)
		return rc;
	for (uint32_t i = 0; i < b.n && rc > 0; i++) {
		unsigned kind = weft_what_kind(b.what[i]);
		int failed = 0;
		if (kind == WEFT_EV_CPU)
			c->cpu = b.value[i] < c->space->trace->n_cpus ? (uint32_t)b.value[i] + 1 : 0;
		else
			failed = add_end(c, kind == WEFT_EV_SEND, b.value[i]);
		rc = failed ? failed : rc;
	}
	*last = b.time[b.n - 1];
	return rc;
}

/* Nothing comes before that time any more: what is earlier is put in order and safe. */
static void settle(struct metric_comms *c, double time)
{
	struct metric_comm *at = c->list.at + c->safe;
	size_t n = c->list.n - c->safe;
	if (n)
		qsort(at, n, sizeof *at, compare);
	while (c->safe < c->list.n && c->list.at[c->safe].time < time)
		c->safe++;
}

/*
 * Reads on until something more is safe. What is not is sorted again each time, so at least as much
 * is read as there is of it: the work stays in O(n log n), the memory in that of the messages which
 * the greatest distance spans.
 */
static int refill(struct metric_comms *c)
{
	size_t left = c->list.n - c->first, waiting = c->list.n - c->safe, was;
	if (c->first) { /* what is forgotten goes */
		memmove(c->list.at, c->list.at + c->first, left * sizeof *c->list.at);
		c->base += c->first;
		c->safe -= c->first;
		c->list.n = left;
		c->first = 0;
	}
	was = c->safe;
	while (c->safe == was && !c->ended) {
		size_t read = 0, before = c->list.n;
		uint64_t last = 0;
		while (!c->ended && (!read || read < waiting)) {
			int rc = add_block(c, &last);
			if (rc < 0)
				return rc;
			c->ended = !rc;
			read = c->list.n - before;
		}
		uint64_t until = last > c->distance ? (last - c->distance) / c->space->unit_ns : 0;
		settle(c, c->ended ? INFINITY : (double)until);
		waiting = c->list.n - c->safe;
	}
	return 0;
}

int metric_comms_open(struct metric_comms *c, const struct weft_space *s, const struct weft_metric *m, uint32_t thread,
                      uint32_t mask)
{
	*c = (struct metric_comms){.space = s, .metric = m, .mask = mask};
	int rc = m && weft_level_of_resources(m->level) ? metric_places_need(s) : 0;
	if (!rc)
		rc = metric_places_distance(s, thread, &c->distance);
	if (!rc)
		rc = metric_source_begin(&c->source, s, thread, 0, &(struct weft_choice){wants, NULL});
	c->open = true; /* also when it failed: it is ended all the same */
	return rc;
}

const struct metric_comm *metric_comms_at(struct metric_comms *c, uint64_t i)
{
	while (i - c->base >= c->safe) {
		if (!c->open || c->rc || c->ended)
			return NULL;
		c->rc = refill(c);
	}
	return &c->list.at[i - c->base];
}

void metric_comms_fini(struct metric_comms *c)
{
	if (c->open)
		metric_source_end(&c->source);
	free(c->list.at);
	*c = (struct metric_comms){.open = false};
}
