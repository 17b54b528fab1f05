/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing the two ends of arrows. Messages: a send's k-th on a channel (application, communicator, sender's and receiver's
 * world rank, tag) goes with the receive's k-th; ends with a key of their own go by it. Flows: by kind and key, the k-th out
 * with the k-th in. The same algorithm for both, in two sorts that spill when they must: all ends by (hash of the channel, time),
 * which brings those of a channel together, where outs and ins wait for each other in a queue; then the links that come of it
 * by time of sending. An end without a partner is kept, its other side is missing.
 */
#include "build_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_PLACE UINT64_MAX

struct end_row { /* sorted by its first three words */
	uint64_t hash, time, place;
	uint64_t channel[4];
	uint64_t began, size;
	uint32_t def;
	int32_t tag;
	uint32_t thread, is_out;
};
/* Ends of one channel that wait for the other side. All have the same direction. */
struct queue {
	uint64_t channel[4];
	WEFT_VEC(struct end_row) row;
	size_t first;
};
struct matcher {
	struct weft_builder *b;
	struct build_product *p;
	struct spill_sort end;
	struct build_links *to;
	WEFT_VEC(struct queue) queue; /* of one hash: one, but for collisions; kept for the next hash */
	size_t n_queues;
	uint64_t hash;
};

/* ---- channels ---- */

static uint32_t world_rank(const struct weft_def_row *comm, int32_t peer)
{
	return peer >= 0 && (uint32_t)peer < comm->n_members ? (uint32_t)comm->member[peer] : (uint32_t)peer;
}

static void message_channel(const struct weft_builder *b, const struct col_end *e, uint32_t thread, uint64_t channel[4])
{
	if (e->key) {
		channel[0] = e->key;
		channel[3] = 1;
		return;
	}
	const struct weft_process *p = &b->process.at[b->thread.at[thread].process];
	const struct weft_def_row *comm = &b->def[WEFT_CLASS_COMM].row.at[e->def].row;
	uint32_t own = (uint32_t)p->rank, peer = world_rank(comm, e->peer);
	channel[0] = comm->key ? comm->key : e->def;
	channel[1] = (uint64_t)(e->is_out ? own : peer) << 32 | (e->is_out ? peer : own);
	channel[2] = (uint64_t)p->app << 32 | (uint32_t)e->tag;
	channel[3] = comm->key ? 2 : 0;
}

static struct end_row row_of(const struct matcher *m, const struct col_end *e)
{
	const struct build_base *base = &m->p->base[e->serial];
	const struct build_thread_blocks *t = &m->p->thread[base->thread];
	struct end_row r = {.time = e->time,
	                    .place = e->ordinal + (e->is_flow ? t->flow_base + base->flow : t->half_base + base->half),
	                    .began = e->began,
	                    .size = e->is_flow ? e->key : e->size,
	                    .def = e->def,
	                    .tag = e->tag,
	                    .thread = base->thread,
	                    .is_out = e->is_out};
	if (e->is_flow) {
		r.channel[0] = e->key;
		r.channel[1] = e->def;
	} else {
		message_channel(m->b, e, base->thread, r.channel);
	}
	r.hash = weft_hash(r.channel, sizeof r.channel);
	return r;
}

/* ---- pairing ---- */

static int add_link(struct matcher *m, const struct end_row *out, const struct end_row *in)
{
	const struct end_row *knows = out ? out : in; /* where they differ, the sender knows */
	struct build_link l = {.out_time = out ? out->time : WEFT_NEVER,
	                       .in_time = in ? in->time : WEFT_NEVER,
	                       .first_place = knows->place,
	                       .out_place = out ? out->place : NO_PLACE,
	                       .in_place = in ? in->place : NO_PLACE,
	                       .out_began = out ? out->began : WEFT_NEVER,
	                       .in_began = in ? in->began : WEFT_NEVER,
	                       .size = knows->size,
	                       .def = knows->def,
	                       .tag = knows->tag,
	                       .out_thread = out ? out->thread : WEFT_NONE,
	                       .in_thread = in ? in->thread : WEFT_NONE};
	return spill_sort_add(&m->to->sorted, &l);
}

/* What waits when a hash ends found no partner. */
static int end_hash(struct matcher *m)
{
	int rc = 0;
	for (size_t i = 0; i < m->n_queues; i++) {
		struct queue *q = &m->queue.at[i];
		for (; !rc && q->first < q->row.n; q->first++) {
			const struct end_row *r = &q->row.at[q->first];
			rc = add_link(m, r->is_out ? r : NULL, r->is_out ? NULL : r);
		}
		q->row.n = q->first = 0;
	}
	m->n_queues = 0;
	return rc;
}

static struct queue *queue_of(struct matcher *m, const struct end_row *r)
{
	for (size_t i = 0; i < m->n_queues; i++)
		if (memcmp(m->queue.at[i].channel, r->channel, sizeof r->channel) == 0)
			return &m->queue.at[i];
	if (m->n_queues == m->queue.n && weft_vec_push(&m->queue, (struct queue){0}))
		return NULL;
	struct queue *q = &m->queue.at[m->n_queues++];
	memcpy(q->channel, r->channel, sizeof r->channel);
	return q;
}

static int pair_end(struct matcher *m, const struct end_row *r)
{
	int rc = r->hash != m->hash ? end_hash(m) : 0;
	m->hash = r->hash;
	struct queue *q = rc ? NULL : queue_of(m, r);
	if (!q)
		return rc ? rc : -ENOMEM;
	if (q->first == q->row.n || q->row.at[q->first].is_out == r->is_out) {
		if (q->first == q->row.n)
			q->row.n = q->first = 0;
		return weft_vec_push(&q->row, *r);
	}
	const struct end_row *waiting = &q->row.at[q->first++];
	return add_link(m, r->is_out ? r : waiting, r->is_out ? waiting : r);
}

static int pair_all(struct matcher *m)
{
	const void *row;
	int rc = spill_sort_finish(&m->end), more = 0;
	while (!rc && (more = spill_sort_next(&m->end, &row)) > 0)
		rc = pair_end(m, row);
	if (!rc)
		rc = more;
	return rc ? rc : end_hash(m);
}

static uint64_t known_place(const struct matcher *m, uint32_t thread, uint64_t ordinal)
{
	const struct weft_appender *a = m->b->appender.at[thread];
	if (ordinal == NO_PLACE || !a)
		return NO_PLACE; /* an end that was never appended has no event to lead back from */
	return m->p->thread[thread].half_base + m->p->base[a->own.serial].half + ordinal;
}

/* Messages that came with both ends; these rows are not needed any longer then. */
static int add_known(struct matcher *m)
{
	int rc = 0;
	for (uint64_t i = 0; !rc && i < m->b->message.n; i++) {
		const struct build_message *known = spill_rows_at(&m->b->message, i);
		const struct weft_message_row *row = &known->row;
		struct build_link l = {.out_time = row->send_done,
		                       .in_time = row->recv_done,
		                       .first_place = i,
		                       .out_place = known_place(m, row->send_thread, known->send_ordinal),
		                       .in_place = known_place(m, row->recv_thread, known->recv_ordinal),
		                       .out_began = row->send_began,
		                       .in_began = row->recv_began,
		                       .size = row->size,
		                       .def = row->comm,
		                       .tag = row->tag,
		                       .out_thread = row->send_thread,
		                       .in_thread = row->recv_thread};
		rc = spill_sort_add(&m->to->sorted, &l);
		if (i % SPILL_CHUNK_ROWS == 0)
			spill_rows_done(&m->b->message, i);
	}
	spill_rows_fini(&m->b->message);
	return rc;
}

static void matcher_init(struct matcher *m, struct weft_builder *b, struct build_product *p, struct build_links *to)
{
	*m = (struct matcher){.b = b, .p = p, .to = to};
	spill_sort_init(&m->end, sizeof(struct end_row), b->memory / 8);
	spill_sort_init(&to->sorted, sizeof(struct build_link), b->memory / 8);
}

static void matcher_fini(struct matcher *m)
{
	for (size_t i = 0; i < m->queue.n; i++)
		free(m->queue.at[i].row.at);
	free(m->queue.at);
	spill_sort_fini(&m->end);
}

int build_match(struct weft_builder *b, struct build_product *p)
{
	struct matcher message, flow;
	const void *rows;
	int64_t n = 0;
	int rc = 0;
	matcher_init(&message, b, p, &p->message);
	matcher_init(&flow, b, p, &p->flow);
	while (!rc && (n = spill_log_next(&b->ends, &rows)) > 0)
		for (int64_t i = 0; !rc && i < n; i++) {
			const struct col_end *e = (const struct col_end *)rows + i;
			struct end_row row = row_of(&message, e);
			rc = spill_sort_add(e->is_flow ? &flow.end : &message.end, &row);
		}
	if (!rc && n < 0)
		rc = (int)n;
	spill_log_fini(&b->ends);
	if (!rc)
		rc = pair_all(&message);
	matcher_fini(&message);
	if (!rc)
		rc = add_known(&message);
	if (!rc)
		rc = pair_all(&flow);
	matcher_fini(&flow);
	if (!rc)
		rc = spill_sort_finish(&p->message.sorted);
	if (!rc)
		rc = spill_sort_finish(&p->flow.sorted);
	if (!rc && (p->message.sorted.n_rows >= UINT32_MAX || p->flow.sorted.n_rows >= UINT32_MAX))
		rc = -E2BIG;
	return rc;
}
