/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who does not go on, and why. Nothing moves any more when no thread is runnable and the heap is empty; who has not ended then waits
 * for somebody. Each that waits names one that it waits for, and following these leads into a circle, or to one that has ended.
 */
#include "sim_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first member of a gather's communicator none of whose threads waits for it; SIM_NONE: all are there. */
static uint32_t missing_member(const struct sim *s, uint64_t gather)
{
	const struct weft_replay_comm *c = &s->p->comm[s->p->gather[gather].comm];
	for (uint32_t i = 0; i < c->n; i++) {
		const struct weft_replay_rank *r = &s->p->rank[s->p->member[c->first + i]];
		bool there = false;
		for (uint32_t k = 0; k < r->n_threads && !there; k++) {
			const struct sim_thread *t = &s->thread[r->first_thread + k];
			there = (t->waits == SIM_FOR_ALL || t->waits == SIM_FOR_REDUCTION) && t->of == gather;
		}
		if (!there)
			return s->p->member[c->first + i];
	}
	return SIM_NONE;
}

/* The kind of operation that a thread stands at, by what it waits for. */
static enum weft_replay_kind kind_of(const struct sim_thread *t)
{
	switch (t->waits) {
	case SIM_FOR_MESSAGE:
		return WEFT_REPLAY_RECV;
	case SIM_FOR_RECEIVER:
		return WEFT_REPLAY_SEND;
	case SIM_FOR_ALL:
	case SIM_FOR_REDUCTION:
		return WEFT_REPLAY_COLLECTIVE;
	case SIM_FOR_THREADS:
		return WEFT_REPLAY_SYNC;
	default:
		return WEFT_REPLAY_BURST;
	}
}

static void fill_row(const struct sim *s, uint32_t number, struct weft_replay_stuck *row)
{
	const struct sim_thread *t = &s->thread[number];
	const struct weft_replay_op *first = s->p->op + s->p->thread[number].first_op;
	*row = (struct weft_replay_stuck){.thread = number,
	                                  .of = t->of,
	                                  .waits_for = WEFT_NONE,
	                                  .at_ns = t->since,
	                                  .kind = kind_of(t)};
	/* It has been taken, but one that is to be run again, which is the next. */
	const bool again = t->has_come || t->at == first || (row->kind == WEFT_REPLAY_SYNC && t->at[-1].kind != WEFT_REPLAY_SYNC);
	const struct weft_replay_op *op = again ? t->at : t->at - 1;
	row->op = (uint64_t)(op - s->p->op);
	if (op < t->end && op->kind == WEFT_REPLAY_WAIT && row->kind == WEFT_REPLAY_RECV)
		row->kind = WEFT_REPLAY_WAIT;
	if (t->waits == SIM_FOR_MESSAGE || t->waits == SIM_FOR_RECEIVER) {
		const struct weft_replay_message *m = &s->p->message[t->of];
		const uint32_t other = t->waits == SIM_FOR_MESSAGE ? m->from : m->to;
		row->waits_for = other == WEFT_NONE ? WEFT_NONE : s->p->thread[other].rank;
	} else if (t->waits == SIM_FOR_ALL || t->waits == SIM_FOR_REDUCTION) {
		const struct weft_replay_gather *g = &s->p->gather[t->of];
		row->missing = s->p->comm[g->comm].n - (s->gather[t->of].arrived < s->p->comm[g->comm].n
		                                                ? s->gather[t->of].arrived
		                                                : s->p->comm[g->comm].n);
		row->waits_for = missing_member(s, t->of);
	} else if (t->waits == SIM_FOR_THREADS)
		row->waits_for = t->rank;
}

/* One circle among those that wait, from the first stuck rank on. O(ranks). */
static int find_cycle(const struct sim *s, const uint32_t *next)
{
	struct weft_replay_result *out = s->out;
	uint32_t *seen = calloc(s->p->n_ranks, sizeof *seen);
	if (!seen)
		return -ENOMEM;
	for (uint32_t begin = 0, mark = 1; begin < s->p->n_ranks && !out->n_cycle; begin++, mark++) {
		uint32_t r = begin;
		while (r != SIM_NONE && next[r] != SIM_NONE && !seen[r]) {
			seen[r] = mark;
			r = next[r];
		}
		if (r == SIM_NONE || next[r] == SIM_NONE || seen[r] != mark)
			continue;
		out->cycle = malloc(s->p->n_ranks * sizeof *out->cycle);
		if (!out->cycle)
			break;
		const uint32_t first = r;
		do {
			out->cycle[out->n_cycle++] = r;
			r = next[r];
		} while (r != first);
	}
	free(seen);
	return 0;
}

int sim_find_stuck(struct sim *s)
{
	struct weft_replay_result *out = s->out;
	for (uint32_t i = 0; i < s->p->n_threads; i++)
		out->n_stuck += s->thread[i].waits != SIM_ENDED;
	if (!out->n_stuck)
		return 0;
	out->stuck = calloc(out->n_stuck, sizeof *out->stuck);
	uint32_t *next = malloc(s->p->n_ranks * sizeof *next);
	int rc = out->stuck && next ? 0 : -ENOMEM;
	for (uint32_t r = 0; !rc && r < s->p->n_ranks; r++)
		next[r] = SIM_NONE;
	for (uint32_t i = 0, n = 0; !rc && i < s->p->n_threads; i++)
		if (s->thread[i].waits != SIM_ENDED) {
			struct weft_replay_stuck *row = &out->stuck[n++];
			fill_row(s, i, row);
			if (next[s->thread[i].rank] == SIM_NONE && row->waits_for != s->thread[i].rank)
				next[s->thread[i].rank] = row->waits_for;
		}
	if (!rc)
		rc = find_cycle(s, next);
	free(next);
	return rc;
}

/* ---- in words ---- */

static const char *const verbs[WEFT_REPLAY_KINDS] = {
	[WEFT_REPLAY_BURST] = "computes",
	[WEFT_REPLAY_SEND] = "sends",
	[WEFT_REPLAY_RECV] = "receives",
	[WEFT_REPLAY_IRECV] = "receives",
	[WEFT_REPLAY_WAIT] = "waits",
	[WEFT_REPLAY_COLLECTIVE] = "is in a collective operation",
	[WEFT_REPLAY_DEVICE] = "computes",
	[WEFT_REPLAY_EVENT] = "is",
	[WEFT_REPLAY_SYNC] = "meets its threads",
	[WEFT_REPLAY_NOP] = "is",
	[WEFT_REPLAY_PUT] = "puts",
	[WEFT_REPLAY_GET] = "gets",
	[WEFT_REPLAY_FLUSH] = "waits for what it put",
};

static void print_where(const struct weft_replay_program *p, const struct weft_replay_stuck *row, FILE *to)
{
	const struct weft_replay_thread *t = &p->thread[row->thread];
	const char *place = row->op < p->n_ops ? p->place[p->op[row->op].place] : "";
	fprintf(to, "rank %u", t->rank);
	if (p->rank[t->rank].n_threads > 1)
		fprintf(to, ", thread %u,", t->number);
	if (place[0])
		fprintf(to, " in %s", place);
	else
		fprintf(to, " %s and", verbs[row->kind]);
	fprintf(to, " since %.9f s waits for ", row->at_ns / 1e9);
}

static void print_message(const struct weft_replay_program *p, const struct weft_replay_stuck *row, FILE *to)
{
	const struct weft_replay_message *m = &p->message[row->of];
	const bool sends = row->kind == WEFT_REPLAY_SEND;
	fprintf(to, "rank %u to %s (%llu bytes, tag %d, communicator %u)", row->waits_for, sends ? "receive" : "send",
	        (unsigned long long)m->bytes, m->tag, m->comm);
}

static void print_gather(const struct weft_replay_program *p, const struct weft_replay_stuck *row, FILE *to)
{
	const struct weft_replay_gather *g = &p->gather[row->of];
	fprintf(to, "%u of the %u ranks of communicator %u", row->missing, p->comm[g->comm].n, p->comm[g->comm].id);
	if (row->waits_for != WEFT_NONE)
		fprintf(to, ", rank %u among them", row->waits_for);
}

void weft_replay_explain(const struct weft_replay_program *p, const struct weft_replay_result *r, unsigned most, FILE *to)
{
	for (uint32_t i = 0; i < r->n_stuck && i < most; i++) {
		const struct weft_replay_stuck *row = &r->stuck[i];
		print_where(p, row, to);
		if (row->kind == WEFT_REPLAY_COLLECTIVE)
			print_gather(p, row, to);
		else if (row->kind == WEFT_REPLAY_SYNC)
			fprintf(to, "its process's other threads");
		else if (row->kind == WEFT_REPLAY_BURST)
			fprintf(to, "a processor: its node computes nothing");
		else if (row->waits_for != WEFT_NONE)
			print_message(p, row, to);
		else
			fprintf(to, "a message whose other end is not known");
		putc('\n', to);
	}
	if (r->n_stuck > most)
		fprintf(to, "and %u more\n", r->n_stuck - most);
	if (!r->n_cycle)
		return;
	fprintf(to, "a circle:");
	for (uint32_t i = 0; i < r->n_cycle && i < most; i++)
		fprintf(to, " rank %u waits for", r->cycle[i]);
	fprintf(to, r->n_cycle > most ? " … rank %u\n" : " rank %u\n", r->cycle[0]);
}
