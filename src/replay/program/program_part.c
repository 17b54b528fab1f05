/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program does in one stretch of time, as a program of its own in which all threads begin together. What is not whole in it is passed over: a
 * message one of whose ends lies outside, a collective operation that somebody calls before or behind.
 *
 *     thread 0   BURST | SEND 7 | BURST COLLECTIVE 3 | BURST …        edges ── | of the stretch
 *     thread 1   BURST RECV 7 | BURST | COLLECTIVE 3  BURST …         message 7 ends before it, thread 1 calls 3 behind it: NOP
 */
#include "program_part.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HAS_SEND = 1, HAS_RECV = 2, HAS_IRECV = 4, HAS_WAIT = 8 };

/* What is known of one message or collective operation of the whole, while its number is that of the stretch. */
struct part_mark {
	uint32_t cut;    /* that it is of: others know nothing */
	uint32_t seen;   /* messages: HAS_…; gathers: halves of parts */
	uint64_t number; /* in the stretch's program + 1; 0: not yet there */
};
struct weft_replay_cutter {
	const struct weft_replay_program *of;
	struct part_mark *message, *gather; /* by number in `of` */
	uint32_t cut;                       /* how many so far */
};

int weft_replay_cutter_new(struct weft_replay_cutter **out, const struct weft_replay_program *of)
{
	struct weft_replay_cutter *c = *out = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->of = of;
	c->message = calloc(of->n_messages + 1, sizeof *c->message);
	c->gather = calloc(of->n_gathers + 1, sizeof *c->gather);
	return c->message && c->gather ? 0 : -ENOMEM;
}

void weft_replay_cutter_free(struct weft_replay_cutter *c)
{
	if (!c)
		return;
	free(c->message);
	free(c->gather);
	free(c);
}

static uint64_t first_op(const struct weft_replay_program *p, uint32_t thread, uint32_t stretch)
{
	return p->edge_op[(size_t)thread * p->n_edges + stretch];
}

/* ---- what is whole ---- */

static const uint8_t has_of[WEFT_REPLAY_KINDS] = {[WEFT_REPLAY_SEND] = HAS_SEND,
                                                  [WEFT_REPLAY_RECV] = HAS_RECV,
                                                  [WEFT_REPLAY_IRECV] = HAS_IRECV,
                                                  [WEFT_REPLAY_WAIT] = HAS_WAIT};

static void see(struct part_mark *m, uint32_t cut, uint32_t bits, uint32_t count)
{
	if (m->cut != cut)
		*m = (struct part_mark){.cut = cut};
	m->seen = (m->seen | bits) + count;
}

static void see_all(struct weft_replay_cutter *c, uint32_t stretch)
{
	const struct weft_replay_program *p = c->of;
	c->cut++;
	for (uint32_t t = 0; t < p->n_threads; t++)
		for (uint64_t i = first_op(p, t, stretch); i < first_op(p, t, stretch + 1); i++) {
			const struct weft_replay_op *op = &p->op[i];
			if (has_of[op->kind])
				see(&c->message[op->of], c->cut, has_of[op->kind], 0);
			else if (op->kind == WEFT_REPLAY_COLLECTIVE)
				see(&c->gather[p->part[op->of].gather], c->cut, 0,
				    op->flags & (WEFT_REPLAY_IMMEDIATE | WEFT_REPLAY_COMPLETE) ? 1 : 2);
		}
}

static bool message_is_whole(const struct part_mark *m)
{
	const bool received = m->seen & HAS_RECV || (m->seen & (HAS_IRECV | HAS_WAIT)) == (HAS_IRECV | HAS_WAIT);
	return m->seen & HAS_SEND && received;
}

/* ---- the program ---- */

struct part_making {
	struct weft_replay_cutter *c;
	struct weft_replay_program *p;
	size_t message_cap, part_cap, gather_cap;
};

static int room(void *at_pp, size_t *cap, uint64_t n, size_t bytes)
{
	return n < *cap ? 0 : weft_vec_grow(at_pp, cap, n + 1, bytes);
}

static int take_message(struct part_making *m, struct weft_replay_op *op)
{
	struct weft_replay_program *p = m->p;
	struct part_mark *mark = &m->c->message[op->of];
	if (!message_is_whole(mark)) {
		op->kind = WEFT_REPLAY_NOP;
		return 0;
	}
	if (!mark->number) {
		if (room(&p->message, &m->message_cap, p->n_messages, sizeof *p->message))
			return -ENOMEM;
		p->message[p->n_messages] = m->c->of->message[op->of];
		mark->number = ++p->n_messages;
	}
	op->of = mark->number - 1;
	return 0;
}

/* The second half of one that was begun names the part that the first half named, one of the thread's, from `first` on. */
static int take_part(struct part_making *m, struct weft_replay_op *op, uint64_t first)
{
	struct weft_replay_program *p = m->p;
	const struct weft_replay_program *of = m->c->of;
	const struct weft_replay_part *part = &of->part[op->of];
	struct part_mark *mark = &m->c->gather[part->gather];
	if (mark->seen != 2 * of->gather[part->gather].n_parts) {
		op->kind = WEFT_REPLAY_NOP;
		return 0;
	}
	if (!mark->number) {
		if (room(&p->gather, &m->gather_cap, p->n_gathers, sizeof *p->gather))
			return -ENOMEM;
		p->gather[p->n_gathers] = of->gather[part->gather];
		mark->number = ++p->n_gathers;
	}
	for (uint64_t i = p->n_parts; op->flags & WEFT_REPLAY_COMPLETE && i-- > first;)
		if (p->part[i].gather == mark->number - 1) {
			op->of = i;
			return 0;
		}
	if (room(&p->part, &m->part_cap, p->n_parts, sizeof *p->part))
		return -ENOMEM;
	p->part[p->n_parts] = *part;
	p->part[p->n_parts].gather = (uint32_t)(mark->number - 1);
	op->of = p->n_parts++;
	return 0;
}

static int take_thread(struct part_making *m, uint32_t t, uint32_t stretch)
{
	struct weft_replay_program *p = m->p;
	const struct weft_replay_program *of = m->c->of;
	const uint64_t from = first_op(of, t, stretch), to = first_op(of, t, stretch + 1);
	const uint64_t first_part = p->n_parts;
	int rc = 0;
	p->thread[t] = of->thread[t];
	p->thread[t].first_op = p->n_ops;
	p->thread[t].n_ops = to - from;
	for (uint64_t i = from; i < to && !rc; i++) {
		struct weft_replay_op *op = &p->op[p->n_ops++];
		*op = of->op[i];
		if (has_of[op->kind])
			rc = take_message(m, op);
		else if (op->kind == WEFT_REPLAY_COLLECTIVE)
			rc = take_part(m, op, first_part);
	}
	return rc;
}

static uint64_t count_ops(const struct weft_replay_program *p, uint32_t stretch)
{
	uint64_t n = 0;
	for (uint32_t t = 0; t < p->n_threads; t++)
		n += first_op(p, t, stretch + 1) - first_op(p, t, stretch);
	return n;
}

/* Ranks, communicators, names are those of the whole. */
static struct weft_replay_program *program_of(const struct weft_replay_program *of, uint64_t n_ops)
{
	struct weft_replay_program *p = malloc(sizeof *p);
	if (!p)
		return NULL;
	*p = *of;
	p->of = of;
	p->is_part = true;
	memset(&p->arena, 0, sizeof p->arena);
	p->message = NULL;
	p->part = NULL;
	p->gather = NULL;
	p->n_ops = p->n_messages = p->n_parts = p->n_gathers = 0;
	p->edge_op = NULL;
	p->n_edges = 0;
	p->op_bytes = (n_ops + 1) * sizeof *p->op;
	p->thread = malloc((of->n_threads + (size_t)1) * sizeof *p->thread);
	p->op = mmap(NULL, p->op_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->op == MAP_FAILED)
		p->op_bytes = 0;
	if (p->op_bytes && p->thread)
		return p;
	weft_replay_program_free(p);
	return NULL;
}

int weft_replay_cut(struct weft_replay_program **out, struct weft_replay_cutter *c, uint32_t stretch)
{
	struct part_making m = {.c = c, .p = program_of(c->of, count_ops(c->of, stretch))};
	int rc = m.p ? 0 : -ENOMEM;
	*out = m.p;
	if (!rc)
		see_all(c, stretch);
	for (uint32_t t = 0; t < c->of->n_threads && !rc; t++)
		rc = take_thread(&m, t, stretch);
	return rc;
}
