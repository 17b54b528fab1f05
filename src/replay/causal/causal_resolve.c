/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is meant: threads have said what they met under names (a communicator and a count, a team, an address); here equal names come together.
 * Tables by name, then sorting by number: linear but for the lists that are by time.
 */
#include "causal_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *nothing(uint64_t n)
{
	uint32_t *at = malloc((n + 1) * sizeof *at);
	if (at)
		memset(at, 0xff, (n + 1) * sizeof *at);
	return at;
}

static int sides(struct weft_causal *c)
{
	const struct weft_trace *t = c->trace;
	c->send_node = nothing(t->message.n);
	c->recv_node = nothing(t->message.n);
	c->out_node = nothing(t->flow.n);
	c->in_node = nothing(t->flow.n);
	if (!c->send_node || !c->recv_node || !c->out_node || !c->in_node)
		return -ENOMEM;
	uint32_t *const to[] = {[WEFT_CAUSAL_SEND] = c->send_node,
	                        [WEFT_CAUSAL_RECV] = c->recv_node,
	                        [WEFT_CAUSAL_OUT] = c->out_node,
	                        [WEFT_CAUSAL_IN] = c->in_node};
	for (uint32_t i = 0; i < c->n_nodes; i++)
		for (uint32_t k = c->node[i].first_link; k < c->node[i + 1].first_link; k++) {
			uint32_t kind = c->link[k].kind;
			if (kind < sizeof to / sizeof *to && to[kind])
				to[kind][c->link[k].arg] = i;
		}
	return 0;
}

/* ---- meetings ---- */

struct coming {
	struct causal_join join; /* node: of the model */
	uint32_t thread;
};
typedef WEFT_VEC(struct coming) comings;

static int by_barrier(const void *a, const void *b)
{
	const struct coming *x = a, *y = b;
	if (x->join.key != y->join.key)
		return x->join.key < y->join.key ? -1 : 1;
	if (x->join.begin != y->join.begin)
		return x->join.begin < y->join.begin ? -1 : 1;
	return x->join.node < y->join.node ? -1 : x->join.node > y->join.node;
}

/*
 * A barrier of threads, and calls of MPI whose communicator is not recorded, are used again and again by whoever comes: those that waited at
 * one time belong together. They get keys of their own.
 */
static void split_barriers(struct coming *at, size_t n)
{
	uint64_t key = 0, round = 0, out = 0;
	if (n)
		qsort(at, n, sizeof *at, by_barrier);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || at[i].join.key != key || at[i].join.begin > out) {
			key = at[i].join.key;
			round++;
			out = UINT64_MAX;
		}
		out = at[i].join.end < out ? at[i].join.end : out;
		at[i].join.key = causal_key('p', key, round, 0);
	}
}

static int all_comings(const struct causal_load *l, comings *all)
{
	comings barriers = {0};
	int rc = 0;
	for (uint32_t i = 0; !rc && i < l->model->n_threads; i++)
		for (size_t k = 0; !rc && k < l->out[i].join.n; k++) {
			struct coming c = {l->out[i].join.at[k], i};
			c.join.node += l->model->thread[i].first_node;
			rc = c.join.end ? weft_vec_push(&barriers, c) : weft_vec_push(all, c);
		}
	if (!rc)
		split_barriers(barriers.at, barriers.n);
	for (size_t i = 0; !rc && i < barriers.n; i++)
		rc = weft_vec_push(all, barriers.at[i]);
	free(barriers.at);
	return rc;
}

static void put_number(struct weft_causal *c, uint32_t node, uint32_t kind, uint32_t number)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == kind && !(c->link[k].arg & 0x80000000u)) {
			c->link[k].arg = number | 0x80000000u;
			return;
		}
}

static void unmark(struct weft_causal *c, uint32_t kind)
{
	for (uint32_t k = 0; k < c->n_links; k++)
		if (c->link[k].kind == kind)
			c->link[k].arg &= 0x7fffffffu;
}

static void take_member(struct weft_causal *c, const struct coming *from, struct weft_causal_meeting *m)
{
	const struct causal_join *j = &from->join;
	uint32_t node = j->node;
	int32_t rank = c->trace->process[c->thread[from->thread].process].rank;
	c->member[m->first_member + m->n_members++] = node;
	m->pattern = j->pattern;
	m->why = j->why;
	if (m->pattern != WEFT_CAUSAL_ALL && (j->is_root || (j->root >= 0 && j->root == rank)))
		m->root = node;
	if (m->last == WEFT_CAUSAL_NONE || c->node[node].begin > c->node[m->last].begin)
		m->last = node;
}

/* Which meeting each belongs to, by name; their sizes. */
static int number_comings(const comings *all, uint32_t *number, uint32_t *n_meetings)
{
	struct weft_map known = {0};
	int rc = 0;
	for (size_t i = 0; !rc && i < all->n; i++) {
		uint64_t at = *n_meetings;
		if (!weft_map_get(&known, all->at[i].join.key, &at)) {
			rc = weft_map_put(&known, all->at[i].join.key, at);
			++*n_meetings;
		}
		number[i] = (uint32_t)at;
	}
	weft_map_fini(&known);
	return rc;
}

static int meetings(const struct causal_load *l)
{
	struct weft_causal *c = l->model;
	comings all = {0};
	uint32_t *number = NULL;
	int rc = all_comings(l, &all);
	if (!rc && !(number = malloc((all.n + 1) * sizeof *number)))
		rc = -ENOMEM;
	if (!rc)
		rc = number_comings(&all, number, &c->n_meetings);
	if (!rc) {
		c->meeting = calloc((size_t)c->n_meetings + 1, sizeof *c->meeting);
		c->member = malloc((all.n + 1) * sizeof *c->member);
		rc = c->meeting && c->member ? 0 : -ENOMEM;
	}
	if (!rc) {
		for (size_t i = 0; i < all.n; i++)
			c->meeting[number[i]].n_members += !all.at[i].join.awaits;
		for (uint32_t i = 0, first = 0; i < c->n_meetings; i++) {
			c->meeting[i].first_member = first;
			first += c->meeting[i].n_members;
			c->meeting[i].n_members = 0;
			c->meeting[i].root = c->meeting[i].last = WEFT_CAUSAL_NONE;
		}
		for (size_t i = 0; i < all.n; i++) {
			if (!all.at[i].join.awaits)
				take_member(c, &all.at[i], &c->meeting[number[i]]);
			put_number(c, all.at[i].join.node, all.at[i].join.awaits ? WEFT_CAUSAL_AWAITS : WEFT_CAUSAL_JOINS,
			           number[i]);
		}
		unmark(c, WEFT_CAUSAL_JOINS);
		unmark(c, WEFT_CAUSAL_AWAITS);
	}
	free(number);
	free(all.at);
	return rc;
}

/* ---- locks and pools ---- */

static int by_time(const void *a, const void *b)
{
	const struct weft_causal_event *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static bool is_named(uint32_t kind)
{
	return kind == WEFT_CAUSAL_TAKE || kind == WEFT_CAUSAL_FREE || kind == WEFT_CAUSAL_DONE || kind == WEFT_CAUSAL_DRAIN ||
	       kind == WEFT_CAUSAL_LOOP || kind == WEFT_CAUSAL_LOOPED;
}

static int number_lists(const struct causal_load *l)
{
	struct weft_causal *c = l->model;
	struct weft_map known = {0};
	WEFT_VEC(struct weft_causal_list) lists = {0};
	int rc = 0;
	for (uint32_t t = 0; !rc && t < c->n_threads; t++) {
		uint32_t first = c->node[c->thread[t].first_node].first_link;
		uint32_t end = c->node[c->thread[t].first_node + c->thread[t].n_nodes].first_link;
		for (uint32_t k = first; !rc && k < end; k++) {
			if (!is_named(c->link[k].kind))
				continue;
			const struct causal_named *n = &l->out[t].named.at[c->link[k].arg];
			uint64_t at = lists.n;
			if (!weft_map_get(&known, n->key, &at)) {
				rc = weft_map_put(&known, n->key, at);
				if (!rc)
					rc = weft_vec_push(&lists, (struct weft_causal_list){0, 0, n->region, n->address});
			}
			c->link[k].arg = (uint32_t)at;
		}
	}
	weft_map_fini(&known);
	c->lock = lists.at;
	c->n_locks = (uint32_t)lists.n;
	return rc;
}

static bool is_event(uint32_t kind)
{
	return kind == WEFT_CAUSAL_FREE || kind == WEFT_CAUSAL_DONE;
}

static int lists(const struct causal_load *l)
{
	struct weft_causal *c = l->model;
	int rc = number_lists(l);
	if (rc)
		return rc;
	for (uint32_t k = 0; k < c->n_links; k++)
		if (is_event(c->link[k].kind))
			c->lock[c->link[k].arg].n++;
	for (uint32_t i = 0; i < c->n_locks; i++) {
		c->lock[i].first = c->n_events;
		c->n_events += c->lock[i].n;
		c->lock[i].n = 0;
	}
	if (!(c->event = malloc(((size_t)c->n_events + 1) * sizeof *c->event)))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_nodes; i++)
		for (uint32_t k = c->node[i].first_link; k < c->node[i + 1].first_link; k++)
			if (is_event(c->link[k].kind)) {
				struct weft_causal_list *of = &c->lock[c->link[k].arg];
				c->event[of->first + of->n++] = (struct weft_causal_event){c->node[i].begin, i};
			}
	for (uint32_t i = 0; i < c->n_locks; i++)
		qsort(&c->event[c->lock[i].first], c->lock[i].n, sizeof *c->event, by_time);
	return 0;
}

static int holders(const struct causal_load *l)
{
	struct weft_causal *c = l->model;
	struct weft_map of = {0};
	int rc = 0;
	if (!(c->holder = nothing(c->n_nodes)))
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < c->n_threads; i++)
		rc = weft_map_put(&of,
		                  causal_key('h', c->thread[i].process, (uint64_t)c->trace->thread[c->thread[i].thread].tid, 0),
		                  i);
	for (uint32_t i = 0; !rc && i < c->n_threads; i++)
		for (size_t k = 0; k < l->out[i].held.n; k++) {
			uint64_t who = 0;
			const struct causal_held *h = &l->out[i].held.at[k];
			if (weft_map_get(&of, causal_key('h', c->thread[i].process, (uint64_t)h->tid, 0), &who))
				c->holder[c->thread[i].first_node + h->node] = (uint32_t)who;
		}
	weft_map_fini(&of);
	return rc;
}

/* From which size on sends were seen to wait until their receiver was ready. */
static void find_eager(struct weft_causal *c)
{
	enum { CLEARLY_NS = 5000 };
	const struct weft_messages *m = &c->trace->message;
	for (uint64_t i = 0; i < m->n; i++) {
		uint32_t n = c->send_node[i];
		if (n == WEFT_CAUSAL_NONE || c->recv_node[i] == WEFT_CAUSAL_NONE || m->size[i] >= c->eager_below)
			continue;
		const struct weft_causal_node *s = &c->node[n];
		if (s->flags == WEFT_CAUSAL_BLOCKING && m->recv_began[i] > s->begin + CLEARLY_NS && m->recv_began[i] <= s->end)
			c->eager_below = m->size[i];
	}
}

int causal_resolve(struct causal_load *l)
{
	int rc = sides(l->model);
	if (!rc)
		rc = meetings(l);
	if (!rc)
		rc = lists(l);
	if (!rc)
		rc = holders(l);
	if (!rc)
		find_eager(l->model);
	return rc;
}

/* ---- tasks of the runtime ---- */

int causal_tasks(struct weft_causal *c)
{
	const struct weft_def_table *d = &c->trace->def[WEFT_CLASS_FLOW];
	bool any = false;
	for (uint32_t i = 1; i < d->n; i++)
		any = any || (!strcmp(d->at[i].name, "task") && d->at[i].n_events);
	return any ? weft_tasks_load(c->trace, &c->tasks) : 0;
}
