/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that messages make on a thread: logical and physical ends, its own and those of the thread at the other end.
 * They lie apart in time by any amount, so those of a thread are gathered and sorted: 24 bytes for each that the filter accepts.
 * Only functions that look at messages pay for it.
 */
#include "metric_priv.h"
#include <errno.h>
#include <stdlib.h>

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
	uint64_t unit = s->unit_ns;
	*m = (struct metric_message){
		.log_send = (double)(t->send_began[i] / unit),
		.phy_send = (double)(t->send_done[i] / unit),
		.log_recv = (double)(t->recv_began[i] / unit),
		.phy_recv = (double)(t->recv_done[i] / unit),
		.size = (double)(int64_t)t->size[i],
		.tag = t->tag[i],
		.from = t->send_thread[i],
		.to = t->recv_thread[i],
		.number = i,
	};
}

struct loading {
	struct metric_comms *comms;
	const struct weft_space *space;
	const struct weft_metric *metric; /* NULL: no filter */
	uint32_t mask, cpu, message;
	struct metric_message m;
};

static int add(struct loading *l, uint32_t kind, double time)
{
	if (!(l->mask & kind) || (l->metric && !metric_comm_passes(l->space, l->metric, kind, &l->m)))
		return 0;
	struct metric_comm c = {time, kind, l->message, l->cpu, (uint32_t)l->comms->list.n};
	return weft_vec_push(&l->comms->list, c);
}

/* The records of one end; the far ones in the order in which Paraver makes them. */
static int add_end(struct loading *l, bool send, uint64_t message)
{
	const struct weft_messages *t = &l->space->trace->message;
	if (message >= t->n || t->send_thread[message] == WEFT_NONE || t->recv_thread[message] == WEFT_NONE)
		return 0;
	const struct metric_message *m = &l->m;
	l->message = (uint32_t)message;
	metric_message_get(l->space, message, &l->m);
	int rc = send ? add(l, METRIC_LOG_SEND, m->log_send) : add(l, METRIC_LOG_RECV, m->log_recv);
	if (!rc)
		rc = send ? add(l, METRIC_PHY_SEND, m->phy_send) : add(l, METRIC_PHY_RECV, m->phy_recv);
	if (!rc)
		rc = send ? add(l, METRIC_FAR_PHY_RECV, m->phy_recv) : add(l, METRIC_FAR_PHY_SEND, m->phy_send);
	if (!rc)
		rc = send ? add(l, METRIC_FAR_LOG_RECV, m->log_recv) : add(l, METRIC_FAR_LOG_SEND, m->log_send);
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

#define MESSAGES (1ull << WEFT_EV_SEND | 1ull << WEFT_EV_RECV)

int metric_comms_load(struct metric_comms *c, const struct weft_space *s, const struct weft_metric *m, uint32_t thread,
                      uint32_t mask)
{
	struct loading l = {.comms = c, .space = s, .metric = m, .mask = mask};
	struct weft_cursor cursor;
	struct weft_block b;
	int rc = m && weft_level_of_resources(m->level) ? metric_places_need(s) : 0;
	if (rc)
		return rc;
	rc = weft_cursor_begin(&cursor, s->trace, thread, 0, WEFT_NEVER);
	weft_cursor_want(&cursor, (struct weft_wanted){.kinds = MESSAGES | 1ull << WEFT_EV_CPU});
	while (!rc && (rc = weft_cursor_next(&cursor, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			if (kind == WEFT_EV_CPU)
				l.cpu = b.value[i] < s->trace->n_cpus ? (uint32_t)b.value[i] + 1 : 0;
			else if (kind == WEFT_EV_SEND || kind == WEFT_EV_RECV)
				rc = add_end(&l, kind == WEFT_EV_SEND, b.value[i]);
		}
	}
	weft_cursor_end(&cursor);
	if (!rc && c->list.n)
		qsort(c->list.at, c->list.n, sizeof *c->list.at, compare);
	return rc;
}

void metric_comms_fini(struct metric_comms *c)
{
	free(c->list.at);
	*c = (struct metric_comms){.list = {0}};
}
