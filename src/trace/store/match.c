/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing the two ends of arrows. Messages: a send's k-th on a channel (application, communicator, sender's and receiver's
 * world rank, tag) goes with the receive's k-th, in the order in which they were begun (a receive that was posted first gets the first
 * message, whichever the program sees complete first); ends with a key of their own go by it. Flows: by kind and key, and
 * process where its keys are its own, the k-th out with the k-th in. Where a ring has lost the first ends: ring_pairs. The same algorithm for both, in sorts that spill when they must: outs and ins, each by (channel, begin), are
 * walked over side by side; then the links that come of it are sorted by time of sending. An end without a partner is kept, its
 * other side is missing. What does not depend on each other is done side by side: the sorts, messages and flows.
 */
#include "base/pool.h"
#include "builder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_PLACE UINT64_MAX

struct end_row {               /* sorted by its first four words */
	uint64_t channel[2];   /* hashes of it, 96 bits, which no two channels share */
	uint64_t order, place; /* order: when it was begun, else its time */
	uint64_t time, size;
	uint32_t def;
	int32_t tag;
	uint32_t thread;
	uint16_t ring;   /* 1: of a ring, and without a key of its own */
	uint16_t begins; /* 1: `order` is when it was begun */
};
struct matcher {
	struct weft_builder *b;
	struct build_product *p;
	struct spill_sort side[2]; /* ins, outs */
	struct build_links *to;
	bool of_flows;
	uint64_t n_left; /* ends of rings that could not be paired */
};
struct channel {                          /* of which an end is in a ring */
	WEFT_VEC(struct end_row) side[2]; /* as in the matcher */
};

/* ---- channels ---- */

static uint32_t world_rank(const struct weft_def_row *comm, int32_t peer)
{
	return peer >= 0 && (uint32_t)peer < comm->n_members ? (uint32_t)comm->member[peer] : (uint32_t)peer;
}

static void message_channel(const struct weft_builder *b, const struct col_end *e, uint32_t thread, uint64_t *channel)
{
	if (e->key) {
		channel[1] = 0;
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

/* NULL: the thread's process has lost nothing. */
static const struct build_ring *ring_of(const struct weft_builder *b, uint32_t thread)
{
	uint32_t process = b->thread.at[thread].process;
	return process < b->ring.n && b->ring.at[process].from ? &b->ring.at[process] : NULL;
}

static struct end_row row_of(const struct matcher *m, const struct col_end *e)
{
	const struct build_base *base = &m->p->base[e->serial];
	const struct build_thread_blocks *t = &m->p->thread[base->thread];
	struct end_row r = {.order = e->began == WEFT_NEVER ? e->time : e->began,
	                    .time = e->time,
	                    .place = e->ordinal + (e->is_flow ? t->flow_base + base->flow : t->half_base + base->half),
	                    .begins = e->began != WEFT_NEVER,
	                    .size = e->is_flow ? e->key : e->size,
	                    .def = e->def,
	                    .tag = e->tag,
	                    .thread = base->thread,
	                    .ring = !e->is_flow && !e->key && ring_of(m->b, base->thread)};
	uint64_t channel[5] = {e->key, e->def};
	if (!e->is_flow)
		message_channel(m->b, e, base->thread, channel);
	else if (m->b->def[WEFT_CLASS_FLOW].row.at[e->def].row.key & WEFT_FLOW_OWN)
		channel[2] = 1 + (uint64_t)m->b->thread.at[base->thread].process;
	/* The first is what costs: sorting by 32 bits takes half of the time. */
	r.channel[0] = weft_hash(channel, 4 * sizeof *channel) >> 32;
	channel[4] = r.channel[0];
	r.channel[1] = weft_hash(channel, sizeof channel);
	return r;
}

/* ---- pairing ---- */

static uint64_t end_began(const struct end_row *e)
{
	return e && e->begins ? e->order : WEFT_NEVER;
}

static int add_link(struct matcher *m, const struct end_row *out, const struct end_row *in)
{
	const struct end_row *knows = out ? out : in; /* where they differ, the sender knows */
	struct build_link l = {.out_time = out ? out->time : WEFT_NEVER,
	                       .in_time = in ? in->time : WEFT_NEVER,
	                       .first_place = knows->place,
	                       .out_place = out ? out->place : NO_PLACE,
	                       .in_place = in ? in->place : NO_PLACE,
	                       .out_began = end_began(out),
	                       .in_began = end_began(in),
	                       .size = knows->size,
	                       .def = knows->def,
	                       .tag = knows->tag,
	                       .out_thread = out ? out->thread : WEFT_NONE,
	                       .in_thread = in ? in->thread : WEFT_NONE};
	return spill_sort_add(&m->to->sorted, &l);
}

/* Which of them is of the earlier channel; 0: both are of one. */
static int compare_channels(const struct end_row *a, const struct end_row *b)
{
	for (unsigned i = 0; i < 2; i++)
		if (a->channel[i] != b->channel[i])
			return a->channel[i] < b->channel[i] ? -1 : 1;
	return 0;
}

static int pair_all(struct matcher *m)
{
	const void *out, *in;
	int more_outs = spill_sort_next(&m->side[1], &out), more_ins = spill_sort_next(&m->side[0], &in), rc = 0;
	while (!rc && more_outs >= 0 && more_ins >= 0 && more_outs + more_ins > 0) {
		int order = !more_ins ? -1 : !more_outs ? 1 : compare_channels(out, in);
		rc = add_link(m, order <= 0 ? out : NULL, order >= 0 ? in : NULL);
		if (order <= 0)
			more_outs = spill_sort_next(&m->side[1], &out);
		if (order >= 0)
			more_ins = spill_sort_next(&m->side[0], &in);
	}
	return rc ? rc : more_outs < 0 ? more_outs : more_ins;
}

/*
 * Where one side has lost its first ends, the k-th go no longer together, but the last ones do, when both processes have come to their
 * end and so nothing was under way. Which are certain is what is known from `from` on. No message comes before it was sent, and both ends
 * know its size: where that is not so of one pair, the channel was not what it seemed, and none are made.
 */
static size_t ring_pairs(const struct matcher *m, const struct channel *c)
{
	size_t most = SIZE_MAX;
	for (unsigned side = 0; side < 2; side++) {
		size_t n = c->side[side].n, whole = 0;
		while (whole < n) {
			const struct end_row *e = &c->side[side].at[n - 1 - whole];
			const struct build_ring *r = e->ring ? ring_of(m->b, e->thread) : NULL;
			if (r && (!r->ended || e->time < r->from))
				break;
			whole++;
		}
		most = whole < most ? whole : most;
	}
	for (size_t i = 1; i <= most; i++) {
		const struct end_row *in = &c->side[0].at[c->side[0].n - i], *out = &c->side[1].at[c->side[1].n - i];
		if (in->time < end_began(out) || in->size != out->size)
			return 0;
	}
	return most;
}

static int pair_channel(struct matcher *m, const struct channel *c)
{
	size_t n_in = c->side[0].n, n_out = c->side[1].n, pairs = 0;
	bool ring = false;
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < c->side[side].n; i++)
			ring |= c->side[side].at[i].ring;
	if (ring) {
		pairs = ring_pairs(m, c);
		m->n_left += n_in + n_out - 2 * pairs;
	} else {
		pairs = n_in < n_out ? n_in : n_out;
	}
	/* Those of rings are the last ones, all others the first. */
	size_t in = ring ? n_in - pairs : 0, out = ring ? n_out - pairs : 0;
	int rc = 0;
	for (size_t i = 0; !rc && i < pairs; i++)
		rc = add_link(m, &c->side[1].at[out + i], &c->side[0].at[in + i]);
	for (size_t i = 0; !rc && i < n_out; i++)
		if (i < out || i >= out + pairs)
			rc = add_link(m, &c->side[1].at[i], NULL);
	for (size_t i = 0; !rc && i < n_in; i++)
		if (i < in || i >= in + pairs)
			rc = add_link(m, NULL, &c->side[0].at[i]);
	return rc;
}

/* The same as pair_all, a channel at a time: it must be known whole before the first of its pairs is. */
static int pair_rings(struct matcher *m)
{
	struct channel c = {0};
	struct end_row now = {.ring = 0};
	const void *row[2];
	int more[2], rc = 0;
	for (unsigned side = 0; side < 2; side++)
		more[side] = spill_sort_next(&m->side[side], &row[side]);
	while (!rc && more[0] >= 0 && more[1] >= 0 && more[0] + more[1] > 0) {
		int order = !more[0] ? -1 : !more[1] ? 1 : compare_channels(row[1], row[0]);
		now = *(const struct end_row *)row[order <= 0];
		for (unsigned side = 0; side < 2; side++) {
			c.side[side].n = 0;
			while (!rc && more[side] > 0 && compare_channels(row[side], &now) == 0) {
				rc = weft_vec_push(&c.side[side], *(const struct end_row *)row[side]);
				more[side] = spill_sort_next(&m->side[side], &row[side]);
			}
		}
		rc = rc ? rc : pair_channel(m, &c);
	}
	free(c.side[0].at);
	free(c.side[1].at);
	return rc ? rc : more[0] < 0 ? more[0] : more[1] < 0 ? more[1] : 0;
}

static uint64_t known_place(const struct matcher *m, uint32_t thread, uint64_t ordinal)
{
	const struct weft_appender *a = m->b->appender.at[thread];
	if (ordinal == NO_PLACE || !a)
		return NO_PLACE; /* an end that was never appended has no event to lead back from */
	return m->p->thread[thread].half_base + m->p->base[a->own.serial].half + ordinal;
}

/* ---- messages that came with both ends ---- */

struct knowing {
	const struct matcher *m;
	struct build_link *to; /* where all of them go; NULL: one by one into the sorter, which spills */
};

static struct build_link known_link(const struct matcher *m, uint64_t i)
{
	const struct build_message *known = spill_rows_at(&m->b->message, i);
	const struct weft_message_row *row = &known->row;
	return (struct build_link){.out_time = row->send_done,
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
}

static int take_known(void *arg, size_t chunk, unsigned worker)
{
	const struct knowing *k = arg;
	struct spill_rows *rows = &k->m->b->message;
	uint64_t from = chunk * SPILL_CHUNK_ROWS, end = from + SPILL_CHUNK_ROWS < rows->n ? from + SPILL_CHUNK_ROWS : rows->n;
	int rc = 0;
	(void)worker;
	for (uint64_t i = from; k->to && i < end; i++)
		k->to[i] = known_link(k->m, i);
	if (k->to)
		return 0;
	for (uint64_t i = from; !rc && i < end; i++) {
		struct build_link l = known_link(k->m, i);
		rc = spill_sort_add(&k->m->to->sorted, &l);
	}
	spill_rows_done(rows, end);
	return rc;
}

static int add_known(struct matcher *m)
{
	struct spill_rows *rows = &m->b->message;
	struct knowing k = {.m = m, .to = spill_sort_extend(&m->to->sorted, rows->n)};
	size_t n_chunks = (rows->n + SPILL_CHUNK_ROWS - 1) / SPILL_CHUNK_ROWS;
	int rc = n_chunks ? weft_parallel(k.to ? m->b->threads : 1, n_chunks, take_known, &k) : 0;
	spill_rows_fini(rows);
	return rc;
}

/* ---- all of it ---- */

static void matcher_init(struct matcher *m, struct weft_builder *b, struct build_product *p, bool of_flows)
{
	*m = (struct matcher){.b = b, .p = p, .to = of_flows ? &p->flow : &p->message, .of_flows = of_flows};
	for (unsigned i = 0; i < 2; i++)
		spill_sort_init(&m->side[i], sizeof(struct end_row), b->memory / 16);
	spill_sort_init(&m->to->sorted, sizeof(struct build_link), b->memory / 8);
}

static void matcher_fini(struct matcher *m)
{
	for (unsigned i = 0; i < 2; i++)
		spill_sort_fini(&m->side[i]);
}

_Static_assert(COL_SIDES == 4, "two of messages, two of flows");

static int take_ends(const struct matcher *m, const struct col_end *end, size_t n, struct spill_sort *to)
{
	struct end_row *all = spill_sort_extend(to, n);
	int rc = 0;
	for (size_t i = 0; all && i < n; i++)
		all[i] = row_of(m, &end[i]);
	for (size_t i = 0; !all && !rc && i < n; i++) {
		struct end_row row = row_of(m, &end[i]);
		rc = spill_sort_add(to, &row);
	}
	return rc;
}

static int sort_side(void *arg, size_t side, unsigned worker)
{
	struct matcher *m = (struct matcher *)arg + side / 2;
	struct spill_log *log = &m->b->ends[side];
	struct spill_sort *to = &m->side[side % 2];
	const void *ends;
	int64_t n = 0;
	int rc = 0;
	(void)worker;
	while (!rc && (n = spill_log_next(log, &ends)) > 0)
		rc = take_ends(m, ends, (size_t)n, to);
	spill_log_fini(log);
	return rc ? rc : n < 0 ? (int)n : spill_sort_finish(to);
}

static int make_links(void *arg, size_t i, unsigned worker)
{
	struct matcher *m = (struct matcher *)arg + i;
	int rc = !m->of_flows && m->b->ring.n ? pair_rings(m) : pair_all(m);
	(void)worker;
	matcher_fini(m);
	if (!rc && !m->of_flows)
		rc = add_known(m);
	if (!rc)
		rc = spill_sort_finish(&m->to->sorted);
	return rc || m->to->sorted.n_rows < UINT32_MAX ? rc : -E2BIG;
}

static int note_left(struct weft_builder *b, uint64_t n)
{
	char text[160];
	if (!n)
		return 0;
	snprintf(text, sizeof text,
	         "%llu ends of messages are left alone: what they belong to may have been overwritten in a ring",
	         (unsigned long long)n);
	return weft_build_note(b, WEFT_NOTE_RINGS, text);
}

int build_match(struct weft_builder *b, struct build_product *p)
{
	struct matcher matcher[2]; /* of messages, of flows */
	const struct spill_log *side = b->ends;
	bool messages = side[0].n_rows || side[1].n_rows || b->message.n, flows = side[2].n_rows || side[3].n_rows;
	bool ends = flows || side[0].n_rows || side[1].n_rows;
	for (unsigned i = 0; i < 2; i++)
		matcher_init(&matcher[i], b, p, i);
	if (b->message.n && !side[0].n_rows && !side[1].n_rows)
		p->message.sorted.keys =
			0; /* a foreign format's: in the order of the file, which decides what comes first of one instant */
	/* Starting a thread costs as much as sorting some thousand ends. */
	int rc = weft_parallel(ends ? b->threads : 1, COL_SIDES, sort_side, matcher);
	if (!rc)
		rc = weft_parallel(messages && flows ? b->threads : 1, 2, make_links, matcher);
	for (unsigned i = 0; i < 2; i++)
		matcher_fini(&matcher[i]);
	return rc ? rc : note_left(b, matcher[0].n_left);
}
