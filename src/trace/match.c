/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing the two ends of arrows. Messages: a send's k-th on a channel (application, communicator, sender's and receiver's
 * world rank, tag) goes with the receive's k-th; halves with a key of their own go by it. Flows: by kind and key, the k-th out
 * with the k-th in. The same algorithm for both: sort all ends by a hash of their channel, then within each channel by time,
 * and walk outs and ins of a channel side by side. An end without a partner is kept, its other side is missing.
 */
#include "build_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REF_NONE UINT64_MAX
#define REF_BITS 40u /* of an end's place in its list; above them the list's number */

/* What both kinds of end have in common, for pairing. */
struct end {
	uint64_t time;
	uint64_t channel[4];
	bool out;
};
struct pair {
	uint64_t out, in;
};
struct matcher {
	const struct weft_builder *b;
	const struct build_product *p;
	struct list {
		const struct col_writer *w;
		uint32_t thread;
	} * list; /* owned */
	size_t n_lists;
	struct sort_pair *end; /* owned; (hash of the channel, ref) */
	size_t n_ends;
	WEFT_VEC(struct pair) pair;
	void (*look)(const struct matcher *m, uint64_t ref, struct end *e);
};

static const struct list *ref_list(const struct matcher *m, uint64_t ref)
{
	return &m->list[ref >> REF_BITS];
}

static uint64_t ref_place(uint64_t ref)
{
	return ref & ((1ull << REF_BITS) - 1);
}

static const struct col_half *half_at(const struct matcher *m, uint64_t ref)
{
	return &ref_list(m, ref)->w->half.at[ref_place(ref)];
}

static const struct col_flow *flow_at(const struct matcher *m, uint64_t ref)
{
	return &ref_list(m, ref)->w->flow.at[ref_place(ref)];
}

static uint32_t world_rank(const struct weft_def_row *comm, int32_t peer)
{
	return peer >= 0 && (uint32_t)peer < comm->n_members ? (uint32_t)comm->member[peer] : (uint32_t)peer;
}

static void look_half(const struct matcher *m, uint64_t ref, struct end *e)
{
	const struct col_half *h = half_at(m, ref);
	*e = (struct end){.time = h->time, .out = h->is_send};
	if (h->key) {
		e->channel[0] = h->key;
		e->channel[3] = 1;
		return;
	}
	const struct weft_process *p = &m->b->process.at[m->b->thread.at[ref_list(m, ref)->thread].process];
	const struct weft_def_row *comm = &m->b->def[WEFT_CLASS_COMM].row.at[h->comm].row;
	uint32_t own = (uint32_t)p->rank, peer = world_rank(comm, h->peer);
	e->channel[0] = comm->key ? comm->key : h->comm;
	e->channel[1] = (uint64_t)(h->is_send ? own : peer) << 32 | (h->is_send ? peer : own);
	e->channel[2] = (uint64_t)p->app << 32 | (uint32_t)h->tag;
	e->channel[3] = comm->key ? 2 : 0;
}

static void look_flow(const struct matcher *m, uint64_t ref, struct end *e)
{
	const struct col_flow *f = flow_at(m, ref);
	*e = (struct end){.time = f->time, .out = f->out, .channel = {f->key, f->flow, 0, 0}};
}

static int collect_lists(struct matcher *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->b->appender.n; i++)
		n += m->b->appender.at[i] ? m->b->appender.at[i]->part.n + 1 : 0;
	m->list = calloc(n + 1, sizeof *m->list);
	if (!m->list)
		return -ENOMEM;
	for (size_t i = 0; i < m->b->appender.n; i++) {
		const struct weft_appender *a = m->b->appender.at[i];
		for (size_t k = 0; a && k <= a->part.n; k++)
			m->list[m->n_lists++] = (struct list){k < a->part.n ? a->part.at[k] : &a->own, (uint32_t)i};
	}
	return 0;
}

static int collect_ends(struct matcher *m, bool flows)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_lists; i++)
		n += flows ? m->list[i].w->flow.n : m->list[i].w->half.n;
	m->end = malloc((n + 1) * sizeof *m->end);
	if (!m->end)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_lists; i++) {
		size_t ends = flows ? m->list[i].w->flow.n : m->list[i].w->half.n;
		for (size_t k = 0; k < ends; k++) {
			uint64_t ref = (uint64_t)i << REF_BITS | k;
			struct end e;
			m->look(m, ref, &e);
			m->end[m->n_ends++] = (struct sort_pair){weft_hash(e.channel, sizeof e.channel), ref};
		}
	}
	return 0;
}

/* Sorts the ends of one hash by (channel, time), stably: nearly always they are in order already. */
static int sort_group(struct matcher *m, struct sort_pair *at, size_t n)
{
	struct end last, e;
	size_t i = 1;
	m->look(m, at[0].ref, &last);
	for (; i < n; i++) {
		m->look(m, at[i].ref, &e);
		int order = memcmp(e.channel, last.channel, sizeof e.channel);
		if (order < 0 || (order == 0 && e.time < last.time))
			break;
		last = e;
	}
	if (i == n)
		return 0;
	uint64_t hash = at[0].key;
	for (i = 0; i < n; i++) {
		m->look(m, at[i].ref, &e);
		at[i].key = e.time;
	}
	int rc = sort_pairs(at, n);
	/* Two channels with one hash: so rare that each word of the channel is sorted by on its own. */
	for (unsigned word = 4; !rc && word-- > 0;) {
		for (i = 0; i < n; i++) {
			m->look(m, at[i].ref, &e);
			at[i].key = e.channel[word];
		}
		rc = sort_pairs(at, n);
	}
	for (i = 0; i < n; i++)
		at[i].key = hash;
	return rc;
}

/* Pairs the ends [0, n) of one channel: outs and ins are both in order of time. */
static int pair_channel(struct matcher *m, const struct sort_pair *at, size_t n)
{
	size_t out = 0, in = 0;
	for (;;) {
		struct end e;
		while (out < n && (m->look(m, at[out].ref, &e), !e.out))
			out++;
		while (in < n && (m->look(m, at[in].ref, &e), e.out))
			in++;
		if (out == n && in == n)
			return 0;
		struct pair p = {out < n ? at[out].ref : REF_NONE, in < n ? at[in].ref : REF_NONE};
		if (weft_vec_push(&m->pair, p))
			return -ENOMEM;
		out += out < n;
		in += in < n;
	}
}

static int pair_group(struct matcher *m, struct sort_pair *at, size_t n)
{
	int rc = sort_group(m, at, n);
	for (size_t from = 0, to; !rc && from < n; from = to) {
		struct end first, e;
		m->look(m, at[from].ref, &first);
		for (to = from + 1; to < n; to++) {
			m->look(m, at[to].ref, &e);
			if (memcmp(e.channel, first.channel, sizeof e.channel) != 0)
				break;
		}
		rc = pair_channel(m, at + from, to - from);
	}
	return rc;
}

static int pair_all(struct matcher *m, bool flows)
{
	int rc = collect_lists(m);
	if (!rc)
		rc = collect_ends(m, flows);
	if (!rc)
		rc = sort_pairs(m->end, m->n_ends);
	for (size_t from = 0, to; !rc && from < m->n_ends; from = to) {
		for (to = from + 1; to < m->n_ends && m->end[to].key == m->end[from].key; to++)
			;
		rc = pair_group(m, m->end + from, to - from);
	}
	free(m->end);
	m->end = NULL;
	return rc;
}

static void matcher_fini(struct matcher *m)
{
	free(m->list);
	free(m->end);
	free(m->pair.at);
}

static void *column(size_t n, size_t bytes, int *rc)
{
	void *at = malloc(n * bytes + 1);
	if (!at)
		*rc = -ENOMEM;
	return at;
}

/* ---- messages ---- */

static uint64_t half_place(const struct matcher *m, uint64_t ref)
{
	return m->p->thread[ref_list(m, ref)->thread].half_base + half_at(m, ref)->ordinal;
}

static void row_of_pair(const struct matcher *m, const struct pair *pair, struct weft_message_row *row, uint64_t place[2])
{
	*row = (struct weft_message_row){.send_thread = WEFT_NONE,
	                                 .recv_thread = WEFT_NONE,
	                                 .send_began = WEFT_NEVER,
	                                 .send_done = WEFT_NEVER,
	                                 .recv_began = WEFT_NEVER,
	                                 .recv_done = WEFT_NEVER};
	place[0] = place[1] = REF_NONE;
	if (pair->in != REF_NONE) {
		const struct col_half *h = half_at(m, pair->in);
		row->recv_thread = ref_list(m, pair->in)->thread;
		row->recv_began = h->began;
		row->recv_done = h->time;
		row->comm = h->comm;
		row->tag = h->tag;
		row->size = h->size;
		place[1] = half_place(m, pair->in);
	}
	if (pair->out != REF_NONE) { /* where they differ, the sender knows */
		const struct col_half *h = half_at(m, pair->out);
		row->send_thread = ref_list(m, pair->out)->thread;
		row->send_began = h->began;
		row->send_done = h->time;
		row->comm = h->comm;
		row->tag = h->tag;
		row->size = h->size;
		place[0] = half_place(m, pair->out);
	}
}

/* Message i of all: first the pairs, then those that came with both ends. */
static void row_of_message(const struct matcher *m, size_t i, struct weft_message_row *row, uint64_t place[2])
{
	if (i < m->pair.n) {
		row_of_pair(m, &m->pair.at[i], row, place);
		return;
	}
	const struct build_message *known = &m->b->message.at[i - m->pair.n];
	*row = known->row;
	/* An end that was never appended has no event to lead back from. */
	place[0] = known->send_ordinal == REF_NONE ? REF_NONE : m->p->thread[row->send_thread].half_base + known->send_ordinal;
	place[1] = known->recv_ordinal == REF_NONE ? REF_NONE : m->p->thread[row->recv_thread].half_base + known->recv_ordinal;
}

static uint64_t shifted(uint64_t time, uint64_t shift)
{
	return time == WEFT_NEVER ? time : time > shift ? time - shift : 0;
}

static int message_columns(struct build_product *p, uint64_t n)
{
	int rc = 0;
	struct weft_messages *m = &p->message;
	m->send_thread = column(n, 4, &rc);
	m->recv_thread = column(n, 4, &rc);
	m->comm = column(n, 4, &rc);
	m->tag = column(n, 4, &rc);
	m->size = column(n, 8, &rc);
	m->send_began = column(n, 8, &rc);
	m->send_done = column(n, 8, &rc);
	m->recv_began = column(n, 8, &rc);
	m->recv_done = column(n, 8, &rc);
	return rc;
}

static void set_message(struct build_product *p, size_t to, const struct weft_message_row *r)
{
	const struct weft_messages *m = &p->message;
	((uint32_t *)(uintptr_t)m->send_thread)[to] = r->send_thread;
	((uint32_t *)(uintptr_t)m->recv_thread)[to] = r->recv_thread;
	((uint32_t *)(uintptr_t)m->comm)[to] = r->comm;
	((int32_t *)(uintptr_t)m->tag)[to] = r->tag;
	((uint64_t *)(uintptr_t)m->size)[to] = r->size;
	((uint64_t *)(uintptr_t)m->send_began)[to] = shifted(r->send_began, p->shift);
	((uint64_t *)(uintptr_t)m->send_done)[to] = shifted(r->send_done, p->shift);
	((uint64_t *)(uintptr_t)m->recv_began)[to] = shifted(r->recv_began, p->shift);
	((uint64_t *)(uintptr_t)m->recv_done)[to] = shifted(r->recv_done, p->shift);
	if (r->send_began != WEFT_NEVER && r->recv_done != WEFT_NEVER && r->recv_done < r->send_began)
		p->backward_messages++;
}

static int lay_out_messages(struct matcher *m, struct build_product *p)
{
	size_t n = m->pair.n + m->b->message.n;
	struct sort_pair *order = malloc((n + 1) * sizeof *order);
	struct weft_message_row row;
	uint64_t place[2];
	int rc = n > UINT32_MAX ? -E2BIG : order ? 0 : -ENOMEM;
	if (!rc)
		rc = message_columns(p, n);
	for (size_t i = 0; !rc && i < n; i++) {
		row_of_message(m, i, &row, place);
		order[i] = (struct sort_pair){row.recv_done, i};
	}
	/* By time of sending; those that nobody sent come last, by time of receiving. */
	if (!rc)
		rc = sort_pairs(order, n);
	for (size_t i = 0; !rc && i < n; i++) {
		row_of_message(m, order[i].ref, &row, place);
		order[i].key = row.send_done;
	}
	if (!rc)
		rc = sort_pairs(order, n);
	for (size_t i = 0; !rc && i < n; i++) {
		row_of_message(m, order[i].ref, &row, place);
		set_message(p, i, &row);
		for (unsigned end = 0; end < 2; end++)
			if (place[end] != REF_NONE)
				p->half[place[end]] = (uint32_t)i;
	}
	p->message.n = rc ? 0 : n;
	free(order);
	return rc;
}

int build_match_messages(struct weft_builder *b, struct build_product *p)
{
	struct matcher m = {.b = b, .p = p, .look = look_half};
	p->half = malloc((p->n_halves + 1) * sizeof *p->half);
	int rc = p->half ? pair_all(&m, false) : -ENOMEM;
	if (!rc)
		rc = lay_out_messages(&m, p);
	matcher_fini(&m);
	return rc;
}

/* ---- flows ---- */

static int flow_columns(struct build_product *p, uint64_t n)
{
	int rc = 0;
	struct weft_flows *f = &p->flow;
	f->from_thread = column(n, 4, &rc);
	f->to_thread = column(n, 4, &rc);
	f->flow = column(n, 4, &rc);
	f->key = column(n, 8, &rc);
	f->from_time = column(n, 8, &rc);
	f->to_time = column(n, 8, &rc);
	return rc;
}

/* One side of flow `i`: its thread and time, and the mark in the map that leads back. */
static void set_flow_end(const struct matcher *m, struct build_product *p, size_t i, uint64_t ref, bool out)
{
	uint32_t thread = WEFT_NONE;
	uint64_t time = WEFT_NEVER;
	if (ref != REF_NONE) {
		const struct col_flow *f = flow_at(m, ref);
		thread = ref_list(m, ref)->thread;
		time = shifted(f->time, p->shift);
		p->flow_map[p->thread[thread].flow_base + f->ordinal] = (uint32_t)i;
		((uint32_t *)(uintptr_t)p->flow.flow)[i] = f->flow;
		((uint64_t *)(uintptr_t)p->flow.key)[i] = f->key;
	}
	((uint32_t *)(uintptr_t)(out ? p->flow.from_thread : p->flow.to_thread))[i] = thread;
	((uint64_t *)(uintptr_t)(out ? p->flow.from_time : p->flow.to_time))[i] = time;
}

static uint64_t flow_time(const struct matcher *m, uint64_t ref)
{
	return ref == REF_NONE ? WEFT_NEVER : flow_at(m, ref)->time;
}

int build_match_flows(struct weft_builder *b, struct build_product *p)
{
	struct matcher m = {.b = b, .p = p, .look = look_flow};
	p->flow_map = malloc((p->n_flow_ends + 1) * sizeof *p->flow_map);
	int rc = p->flow_map ? pair_all(&m, true) : -ENOMEM;
	size_t n = m.pair.n;
	struct sort_pair *order = malloc((n + 1) * sizeof *order);
	if (!rc)
		rc = n > UINT32_MAX ? -E2BIG : order ? flow_columns(p, n) : -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		order[i] = (struct sort_pair){flow_time(&m, m.pair.at[i].in), i};
	if (!rc)
		rc = sort_pairs(order, n);
	for (size_t i = 0; !rc && i < n; i++)
		order[i].key = flow_time(&m, m.pair.at[order[i].ref].out);
	if (!rc)
		rc = sort_pairs(order, n);
	for (size_t i = 0; !rc && i < n; i++) {
		const struct pair *pair = &m.pair.at[order[i].ref];
		set_flow_end(&m, p, i, pair->in, false);
		set_flow_end(&m, p, i, pair->out, true);
	}
	p->flow.n = rc ? 0 : n;
	free(order);
	matcher_fini(&m);
	return rc;
}
