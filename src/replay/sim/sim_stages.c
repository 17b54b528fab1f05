/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations as messages of a usual algorithm, stage by stage, where the machine wants them so (`staged`): then they go through
 * links, and are in the way of others. A stage begins when the one before has ended everywhere.
 *
 *     all have come ── stage: transfers of all pairs ── the last is there ── next stage ── … ── all go on
 *
 * DOWN and UP are binomial trees from and to the root; in AROUND everybody sends to who is 1, 2, 4, … further; in PAIRS to each of the others
 * in turn. Data is what the root gives or gets in all, without a root who came last.
 */
#include "sim_priv.h"
#include <errno.h>

enum way { AROUND, DOWN, UP, PAIRS };
enum amount {
	NOTHING,
	ALL,
	SUBTREE,  /* what the receiver (up: the sender) and those below it have in all */
	DOUBLING, /* what has come together so far */
	HALVING,
	HALF,
	ONE, /* of each */
};
struct algorithm {
	uint8_t way, amount;
};
static const struct algorithm algorithms[WEFT_REPLAY_OPERATIONS] = {
	[WEFT_REPLAY_BARRIER] = {AROUND, NOTHING},
	[WEFT_REPLAY_BCAST] = {DOWN, ALL},
	[WEFT_REPLAY_GATHER] = {UP, SUBTREE},
	[WEFT_REPLAY_GATHERV] = {UP, SUBTREE},
	[WEFT_REPLAY_SCATTER] = {DOWN, SUBTREE},
	[WEFT_REPLAY_SCATTERV] = {DOWN, SUBTREE},
	[WEFT_REPLAY_ALLGATHER] = {AROUND, DOUBLING},
	[WEFT_REPLAY_ALLGATHERV] = {AROUND, DOUBLING},
	[WEFT_REPLAY_ALLTOALL] = {PAIRS, ONE},
	[WEFT_REPLAY_ALLTOALLV] = {PAIRS, ONE},
	[WEFT_REPLAY_REDUCE] = {UP, ALL},
	[WEFT_REPLAY_ALLREDUCE] = {AROUND, ALL},
	[WEFT_REPLAY_REDUCE_SCATTER] = {AROUND, HALVING},
	[WEFT_REPLAY_REDUCE_SCATTER_BLOCK] = {AROUND, HALVING},
	[WEFT_REPLAY_SCAN] = {AROUND, ALL},
	[WEFT_REPLAY_ALLTOALLW] = {PAIRS, ONE},
};
enum { FEW_BYTES = 256 }; /* for each: all with all go around instead, each time with half of the data */

struct plan { /* of one operation */
	const struct sim *s;
	const struct weft_replay_comm *comm;
	uint64_t bytes;
	uint32_t n, root, n_stages; /* root: place in the communicator */
	struct algorithm by;
};

static uint32_t member(const struct plan *p, uint32_t place)
{
	const uint32_t at = (place + p->root) % p->n;
	return p->comm->n ? p->s->p->member[p->comm->first + at] : at;
}

static uint32_t place_of_root(const struct plan *p, const struct sim_gather *g)
{
	if (g->root_thread == SIM_NONE)
		return 0;
	for (uint32_t i = 0; i < p->n; i++)
		if (member(p, i) == p->s->thread[g->root_thread].rank)
			return i;
	return 0;
}

static struct plan make_plan(const struct sim *s, uint64_t gather)
{
	const struct sim_gather *g = &s->gather[gather];
	const struct weft_replay_gather *row = &s->p->gather[gather];
	struct plan p = {.s = s,
	                 .comm = &s->p->comm[row->comm],
	                 .bytes = g->sent > g->received ? g->sent : g->received,
	                 .by = algorithms[row->operation]};
	p.n = p.comm->n ? p.comm->n : s->p->n_ranks;
	p.root = place_of_root(&p, g);
	if (p.by.way == PAIRS && p.bytes < (uint64_t)FEW_BYTES * p.n)
		p.by = (struct algorithm){AROUND, HALF};
	for (uint64_t span = 1; span < p.n; span *= 2)
		p.n_stages++;
	if (p.by.way == PAIRS)
		p.n_stages = p.n - 1;
	return p;
}

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* Whom the member at `place` sends to in that stage, and for how many members. */
static bool pair_of(const struct plan *p, uint32_t stage, uint32_t place, uint32_t *to, uint32_t *members)
{
	const uint32_t span = 1u << (p->by.way == DOWN ? p->n_stages - 1 - stage : stage % 32);
	*members = 1;
	switch (p->by.way) {
	case PAIRS:
		*to = (uint32_t)(((uint64_t)place + stage + 1) % p->n);
		return true;
	case AROUND:
		*to = (uint32_t)(((uint64_t)place + span) % p->n);
		*members = least(span, p->n - span);
		return true;
	case DOWN:
		*to = place + span;
		*members = *to < p->n ? least(span, p->n - *to) : 0;
		return place % (2ull * span) == 0 && *to < p->n;
	default:
		*to = place - span;
		*members = least(span, p->n - place);
		return place % (2ull * span) == span;
	}
}

static uint64_t bytes_of(const struct plan *p, uint32_t stage, uint32_t members)
{
	switch (p->by.amount) {
	case NOTHING:
		return 0;
	case ALL:
		return p->bytes;
	case HALVING:
		return p->bytes >> (stage + 1);
	case HALF:
		return p->bytes / 2;
	default:
		return p->bytes * members / p->n;
	}
}

static int begin_transfer(struct sim *s, uint32_t running, const struct plan *p, uint32_t place, double at)
{
	struct sim_running *r = &s->running.at[running];
	uint32_t to, members;
	uint64_t number;
	if (!pair_of(p, r->stage, place, &to, &members))
		return 0;
	const struct sim_transfer x = {.message = UINT64_MAX,
	                               .bytes = bytes_of(p, r->stage, members),
	                               .from = member(p, place),
	                               .to = member(p, to),
	                               .gather = running,
	                               .staged = true};
	const struct sim_way way = sim_way_of(s, &x);
	r->left++;
	int rc = sim_keep(s, x, &number);
	return rc ? rc : sim_start(s, number, at + way.pay_ns);
}

/* Stages until one has to wait. `left` has one more while it begins, so that what arrives at once ends nothing. */
static int run_stages(struct sim *s, uint32_t running, double at)
{
	const struct plan p = make_plan(s, s->running.at[running].gather);
	int rc = 0;
	for (; s->running.at[running].stage < p.n_stages; s->running.at[running].stage++) {
		s->running.at[running].left = 1;
		s->running.at[running].end = at;
		for (uint32_t i = 0; i < p.n && !rc; i++)
			rc = begin_transfer(s, running, &p, i, at);
		if (rc || --s->running.at[running].left)
			return rc;
		at = s->running.at[running].end;
	}
	const uint64_t gather = s->running.at[running].gather;
	s->running.at[running].next = s->free_running;
	s->free_running = running;
	return sim_complete(s, gather, at);
}

int sim_stages(struct sim *s, uint64_t gather, double at)
{
	uint32_t running = s->free_running;
	if (running == SIM_NONE) {
		running = (uint32_t)s->running.n;
		if (weft_vec_push(&s->running, (struct sim_running){0}))
			return -ENOMEM;
	} else
		s->free_running = s->running.at[running].next;
	s->running.at[running] = (struct sim_running){.gather = gather};
	return run_stages(s, running, at);
}

int sim_staged(struct sim *s, uint32_t extra, double at)
{
	const uint32_t running = s->extra.at[extra].gather;
	struct sim_running *r = &s->running.at[running];
	sim_free_extra(s, extra);
	r->end = at > r->end ? at : r->end;
	if (--r->left)
		return 0;
	r->stage++;
	return run_stages(s, running, r->end);
}
