/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded lengths, and the changes that only scale them. */
#include "whatif.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int take_room(struct weft_whatif *w)
{
	size_t n = (size_t)w->c->n_nodes + 1;
	w->burst = calloc(n, sizeof *w->burst);
	w->own = calloc(n, sizeof *w->own);
	w->after = calloc(n, sizeof *w->after);
	w->mode = calloc(n, sizeof *w->mode);
	w->start = calloc((size_t)w->c->n_threads + 1, sizeof *w->start);
	if (w->burst && w->own && w->after && w->mode && w->start)
		return 0;
	weft_whatif_fini(w);
	return -ENOMEM;
}

void weft_whatif_fini(struct weft_whatif *w)
{
	free(w->burst);
	free(w->own);
	free(w->after);
	free(w->mode);
	free(w->start);
	*w = (struct weft_whatif){0};
}

int weft_whatif_copy(struct weft_whatif *to, const struct weft_whatif *from)
{
	size_t n = (size_t)from->c->n_nodes + 1;
	*to = (struct weft_whatif){.c = from->c};
	int rc = take_room(to);
	if (rc)
		return rc;
	memcpy(to->burst, from->burst, n * sizeof *to->burst);
	memcpy(to->own, from->own, n * sizeof *to->own);
	memcpy(to->after, from->after, n * sizeof *to->after);
	memcpy(to->mode, from->mode, n * sizeof *to->mode);
	memcpy(to->start, from->start, (size_t)from->c->n_threads * sizeof *to->start);
	return 0;
}

/* What a message would take if it were waited for: no more than what was seen. */
static uint64_t after_message(const struct weft_whatif_net *net, const struct weft_causal *c, uint32_t link, uint64_t most)
{
	double ns = net->latency_ns + net->ns_per_byte * (double)c->trace->message.size[c->link[link].arg];
	return ns < (double)most ? (uint64_t)ns : most;
}

static void put_node(struct weft_whatif *w, const struct weft_whatif_net *net, uint32_t node)
{
	const struct weft_causal *c = w->c;
	const struct weft_causal_node *n = &c->node[node];
	struct weft_causal_cause cause = weft_causal_cause(c, node);
	uint64_t lasted = n->end - n->begin;
	if (cause.thread != WEFT_CAUSAL_NONE && cause.time > n->begin) {
		w->after[node] = n->end - cause.time;
		return;
	}
	bool last_idle = n->kind == WEFT_CAUSAL_STARVED && n->first_link == c->node[node + 1].first_link;
	w->own[node] = last_idle ? 0 : lasted; /* a worker without a next task waits for nothing but its end */
	if (n->kind == WEFT_CAUSAL_MEET)
		w->after[node] = lasted;
	else if (cause.thread != WEFT_CAUSAL_NONE && c->link[cause.link].kind <= WEFT_CAUSAL_SENT)
		w->after[node] = after_message(net, c, cause.link, n->end - cause.time);
}

/* Threads that somebody makes, or calls into a team, are there when that happens. */
static void put_start(struct weft_whatif *w, uint32_t thread)
{
	const struct weft_causal *c = w->c;
	uint32_t first = c->thread[thread].first_node;
	const struct weft_causal_node *n = &c->node[first];
	struct weft_causal_cause cause = weft_causal_cause(c, first);
	w->start[thread] = c->thread[thread].begin - c->begin;
	bool made = (n->kind == WEFT_CAUSAL_FLOW || n->kind == WEFT_CAUSAL_MEET) && n->begin == c->thread[thread].begin;
	if (!made || cause.thread == WEFT_CAUSAL_NONE || cause.thread == thread)
		return;
	w->start[thread] = 0;
	w->own[first] = 0;
	w->after[first] = n->end - cause.time;
}

int weft_whatif_init(struct weft_whatif *w, const struct weft_causal *c)
{
	struct weft_whatif_net net = weft_whatif_network(c);
	*w = (struct weft_whatif){.c = c};
	int rc = take_room(w);
	if (rc)
		return rc;
	for (uint32_t t = 0; t < c->n_threads; t++)
		for (uint32_t i = 0; i < c->thread[t].n_nodes; i++) {
			uint32_t node = c->thread[t].first_node + i;
			w->burst[node] = c->node[node].begin - weft_causal_burst_begin(c, t, node);
			put_node(w, &net, node);
		}
	for (uint32_t t = 0; t < c->n_threads; t++)
		put_start(w, t);
	return 0;
}

/* ---- paths ---- */

bool *weft_whatif_paths(const struct weft_causal *c, const char *pattern, uint32_t *n)
{
	bool *in = calloc((size_t)c->n_paths + 1, sizeof *in);
	*n = 0;
	for (uint32_t i = 0; in && i < c->n_paths; i++) {
		const struct weft_causal_path *p = &c->path[i];
		/* what is outside of regions is around everything, and stands for itself alone */
		bool around = p->parent != WEFT_CAUSAL_NONE && in[p->parent] && c->path[p->parent].region;
		in[i] = around || weft_glob(pattern, c->region[p->region].name);
		*n += in[i];
	}
	return in;
}

void weft_whatif_faster(struct weft_whatif *w, const bool *paths, double times)
{
	const struct weft_causal *c = w->c;
	double less = 1 - 1 / times;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		double saved = 0;
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			if (paths ? paths[c->part[k].path] : weft_causal_computes(c, c->part[k].path))
				saved += (double)c->part[k].ns * less;
		w->burst[i] = saved < (double)w->burst[i] ? w->burst[i] - (uint64_t)saved : 0;
	}
}

void weft_whatif_share(struct weft_whatif *w, double factor)
{
	const struct weft_causal *c = w->c;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		double saved = 0;
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			if (weft_causal_parallel(c, c->part[k].path))
				saved += (double)c->part[k].ns * (1 - factor);
		double burst = (double)w->burst[i] - saved;
		w->burst[i] = burst > 0 ? (uint64_t)burst : 0;
	}
}

/* ---- locks ---- */

void weft_whatif_unlock(struct weft_whatif *w, uint32_t lock)
{
	const struct weft_causal *c = w->c;
	for (uint32_t i = 0; i < c->n_nodes; i++)
		for (uint32_t k = c->node[i].first_link; k < c->node[i + 1].first_link; k++) {
			bool is = c->link[k].kind == WEFT_CAUSAL_TAKE || c->link[k].kind == WEFT_CAUSAL_FREE;
			if (!is || (lock != WEFT_CAUSAL_NONE && c->link[k].arg != lock))
				continue;
			w->mode[i] |= WEFT_WHATIF_NO_LOCK;
			if (c->link[k].kind == WEFT_CAUSAL_TAKE)
				w->own[i] = w->after[i] = 0;
		}
}
