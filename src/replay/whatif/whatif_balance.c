/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Balanced phases, on two levels. A phase of a meeting of threads is what each member did since the meeting before on its own thread; of a meeting of
 * ranks, what all threads of each member's process did since the meeting of ranks before. In it, each path takes on every member that was in it the mean
 * of those members. A path that one member alone was in is serial work, and stays. Teams are balanced within what their ranks get.
 */
#include "whatif.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	uint64_t all, of_one;
	uint32_t members, round, one; /* round: of which meeting these are; one: of which member */
};
struct balance {
	struct weft_whatif *w;
	const bool *paths;
	struct tally *path;
	double *factor; /* of each part */
	uint32_t round;
};

static bool counts(const struct balance *b, uint32_t path)
{
	return (!b->paths || b->paths[path]) && weft_causal_computes(b->w->c, path);
}

static bool of_ranks(const struct weft_causal_meeting *m)
{
	return m->why == WEFT_CAUSAL_COLLECTIVE || m->why == WEFT_CAUSAL_MPI_BARRIER || m->why == WEFT_CAUSAL_MPI_EDGE;
}

static bool meets(const struct weft_causal *c, uint32_t node, bool ranks_only)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == WEFT_CAUSAL_JOINS && (!ranks_only || of_ranks(&c->meeting[c->link[k].arg])))
			return true;
	return false;
}

/* ---- what a member did: parts of its own thread's nodes, or of all its process's ---- */

struct stretch {
	uint32_t first, last; /* nodes */
};

static struct stretch own_stretch(const struct weft_causal *c, uint32_t node, bool ranks_only)
{
	uint32_t first = c->thread[c->of_node[node]].first_node;
	struct stretch s = {node, node};
	while (s.first > first && !meets(c, s.first - 1, ranks_only))
		s.first--;
	return s;
}

/* The first node of a thread that begins behind `time`. */
static uint32_t node_behind(const struct weft_causal_thread *t, const struct weft_causal_node *node, uint64_t time)
{
	uint32_t low = t->first_node, high = low + t->n_nodes;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (node[mid].begin <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

typedef void each_part(struct balance *b, uint32_t part, uint32_t member);

static void walk(struct balance *b, struct stretch s, each_part *each, uint32_t member)
{
	const struct weft_causal *c = b->w->c;
	for (uint32_t k = c->node[s.first].first_part; k < c->node[s.last + 1].first_part; k++)
		if (c->part[k].ns && counts(b, c->part[k].path))
			each(b, k, member);
}

/* Bursts of the process's other threads that end between the begin and the end of the stretch. */
static void walk_others(struct balance *b, struct stretch s, each_part *each, uint32_t member)
{
	const struct weft_causal *c = b->w->c;
	uint32_t own = c->of_node[s.last], first = own, process = c->thread[own].process;
	uint64_t from = weft_causal_burst_begin(c, own, s.first), to = c->node[s.last].begin;
	while (first > 0 && c->thread[first - 1].process == process)
		first--;
	for (uint32_t t = first; t < c->n_threads && c->thread[t].process == process; t++) {
		uint32_t begin = node_behind(&c->thread[t], c->node, from), end = node_behind(&c->thread[t], c->node, to);
		if (t != own && begin < end)
			walk(b, (struct stretch){begin, end - 1}, each, member);
	}
}

static void walk_member(struct balance *b, uint32_t node, bool ranks, each_part *each, uint32_t member)
{
	struct stretch s = own_stretch(b->w->c, node, ranks);
	walk(b, s, each, member);
	if (ranks)
		walk_others(b, s, each, member);
}

/* ---- the mean of all ---- */

static void count_part(struct balance *b, uint32_t part, uint32_t member)
{
	const struct weft_causal_part *p = &b->w->c->part[part];
	struct tally *t = &b->path[p->path];
	if (t->round != b->round)
		*t = (struct tally){.round = b->round, .one = UINT32_MAX};
	t->members += t->one != member;
	t->one = member;
	t->all += p->ns;
}

static void sum_part(struct balance *b, uint32_t part, uint32_t member)
{
	const struct weft_causal_part *p = &b->w->c->part[part];
	struct tally *t = &b->path[p->path];
	t->of_one = p->ns + (t->one == member ? t->of_one : 0);
	t->one = member;
}

static void change_part(struct balance *b, uint32_t part, uint32_t member)
{
	const struct tally *t = &b->path[b->w->c->part[part].path];
	(void)member;
	if (t->members > 1)
		b->factor[part] *= (double)t->all / t->members / (double)t->of_one;
}

/* What is before MPI_Init is no phase: processes begin when their launcher begins them, and nobody shares that work. */
static bool is_begin(const struct weft_causal *c, const struct weft_causal_meeting *m)
{
	const uint32_t node = m->n_members ? c->member[m->first_member] : 0;
	return m->n_members && m->why == WEFT_CAUSAL_MPI_EDGE &&
	       own_stretch(c, node, true).first == c->thread[c->of_node[node]].first_node;
}

static void balance_meeting(struct balance *b, const struct weft_causal_meeting *m)
{
	const uint32_t *member = &b->w->c->member[m->first_member];
	bool ranks = of_ranks(m);
	if (is_begin(b->w->c, m))
		return;
	b->round++;
	for (uint32_t i = 0; i < m->n_members; i++)
		walk_member(b, member[i], ranks, count_part, i);
	for (uint32_t i = 0; i < m->n_members; i++) {
		walk_member(b, member[i], ranks, sum_part, m->n_members + i);
		walk_member(b, member[i], ranks, change_part, i);
	}
}

int weft_whatif_balance(struct weft_whatif *w, const bool *paths)
{
	const struct weft_causal *c = w->c;
	struct balance b = {.w = w, .paths = paths};
	b.path = calloc((size_t)c->n_paths + 1, sizeof *b.path);
	b.factor = malloc(((size_t)c->n_parts + 1) * sizeof *b.factor);
	int rc = b.path && b.factor ? 0 : -ENOMEM;
	for (uint32_t k = 0; !rc && k < c->n_parts; k++)
		b.factor[k] = 1;
	for (uint32_t i = 0; !rc && i < c->n_meetings; i++)
		balance_meeting(&b, &c->meeting[i]);
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++) {
		double burst = (double)w->burst[i];
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			burst += (double)c->part[k].ns * (b.factor[k] - 1);
		w->burst[i] = burst > 0 ? (uint64_t)burst : 0;
	}
	free(b.path);
	free(b.factor);
	return rc;
}
