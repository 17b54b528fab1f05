/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Balanced phases. A phase of a meeting is what each member did since the meeting before on its own thread. In it, each path takes on every member
 * that was in it the mean of those members. A path that one member alone was in is serial work, and stays.
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
	double *changed; /* bursts */
	uint32_t round;
};

static bool counts(const struct balance *b, uint32_t path)
{
	return b->paths ? b->paths[path] && weft_causal_computes(b->w->c, path) : weft_causal_computes(b->w->c, path);
}

static bool meets(const struct weft_causal *c, uint32_t node)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == WEFT_CAUSAL_JOINS)
			return true;
	return false;
}

/* The first node of the stretch that ends at `node`. */
static uint32_t stretch(const struct weft_causal *c, uint32_t node)
{
	uint32_t first = c->thread[c->of_node[node]].first_node;
	while (node > first && !meets(c, node - 1))
		node--;
	return node;
}

static void count_member(struct balance *b, uint32_t node, uint32_t member)
{
	const struct weft_causal *c = b->w->c;
	for (uint32_t i = stretch(c, node); i <= node; i++)
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++) {
			struct tally *t = &b->path[c->part[k].path];
			if (!c->part[k].ns || !counts(b, c->part[k].path))
				continue;
			if (t->round != b->round)
				*t = (struct tally){.round = b->round, .one = UINT32_MAX};
			if (t->one != member) {
				t->one = member;
				t->members++;
			}
			t->all += c->part[k].ns;
		}
}

static void own_sums(struct balance *b, uint32_t node, uint32_t member)
{
	const struct weft_causal *c = b->w->c;
	for (uint32_t i = stretch(c, node); i <= node; i++)
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++) {
			struct tally *t = &b->path[c->part[k].path];
			if (t->round != b->round)
				continue;
			if (t->one != member) {
				t->one = member;
				t->of_one = 0;
			}
			t->of_one += c->part[k].ns;
		}
}

static void change_member(struct balance *b, uint32_t node)
{
	const struct weft_causal *c = b->w->c;
	for (uint32_t i = stretch(c, node); i <= node; i++)
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++) {
			const struct tally *t = &b->path[c->part[k].path];
			if (t->round != b->round || t->members < 2 || !t->of_one)
				continue;
			double mean = (double)t->all / t->members;
			b->changed[i] += (double)c->part[k].ns * (mean / (double)t->of_one - 1);
		}
}

static void balance_meeting(struct balance *b, const struct weft_causal_meeting *m)
{
	const uint32_t *member = &b->w->c->member[m->first_member];
	b->round++;
	for (uint32_t i = 0; i < m->n_members; i++)
		count_member(b, member[i], i);
	for (uint32_t i = 0; i < m->n_members; i++) {
		own_sums(b, member[i], m->n_members + i);
		change_member(b, member[i]);
	}
}

int weft_whatif_balance(struct weft_whatif *w, const bool *paths)
{
	const struct weft_causal *c = w->c;
	struct balance b = {.w = w, .paths = paths};
	b.path = calloc((size_t)c->n_paths + 1, sizeof *b.path);
	b.changed = calloc((size_t)c->n_nodes + 1, sizeof *b.changed);
	int rc = b.path && b.changed ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < c->n_meetings; i++)
		balance_meeting(&b, &c->meeting[i]);
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++) {
		double burst = (double)w->burst[i] + b.changed[i];
		w->burst[i] = burst > 0 ? (uint64_t)burst : 0;
	}
	free(b.path);
	free(b.changed);
	return rc;
}
