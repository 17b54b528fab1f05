/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops handed out anew. Of each loop of a team the chunks that were recorded give what each iteration takes (inside of a chunk all the same); threads
 * come when they came, and take pieces as the schedule says, each for what handing out took. What a thread is in the loop then is its new time.
 */
#include "whatif.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	double ns; /* of one iteration */
	uint64_t begin, n;
};
struct share {               /* a thread in the loop */
	uint32_t first, end; /* nodes: behind the one where it begins, up to the one where it ends */
	uint64_t came, took;
	double busy;
};
struct loop {
	WEFT_VEC(struct piece) piece; /* by when they began */
	WEFT_VEC(struct share) share;
	uint64_t n, out, n_chunks; /* iterations; what handing out took in all */
	uint32_t region;
};

static uint32_t link_of(const struct weft_causal *c, uint32_t node, uint32_t kind)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == kind)
			return k;
	return WEFT_CAUSAL_NONE;
}

/* What of a burst is chunk, the rest is handing out: the loop's own path. */
static uint64_t in_chunk(const struct weft_causal *c, uint32_t node, uint32_t loop_path)
{
	uint64_t ns = 0;
	for (uint32_t k = c->node[node].first_part; k < c->node[node + 1].first_part; k++)
		ns += c->part[k].path != loop_path ? c->part[k].ns : 0;
	return ns;
}

static int read_share(const struct weft_causal *c, uint32_t begin, struct loop *l)
{
	uint32_t thread = c->of_node[begin], last = c->thread[thread].first_node + c->thread[thread].n_nodes;
	struct share s = {.first = begin + 1, .came = c->node[begin].begin};
	uint32_t node = begin + 1, path = c->node[begin].path;
	for (; node < last && link_of(c, node, WEFT_CAUSAL_LOOPED) == WEFT_CAUSAL_NONE; node++) {
		uint32_t k = link_of(c, node, WEFT_CAUSAL_CHUNK);
		if (c->node[node].kind != WEFT_CAUSAL_POINT)
			return -ENOTSUP; /* waits inside of chunks: not handed out anew */
		if (k == WEFT_CAUSAL_NONE)
			continue;
		uint64_t ns = in_chunk(c, node, path), n = c->link[k].arg ? c->link[k].arg : 1;
		uint64_t burst = c->node[node].begin - c->node[node - 1].end;
		l->out += burst > ns ? burst - ns : 0;
		l->n_chunks++;
		l->n += n;
		if (weft_vec_push(&l->piece, (struct piece){(double)ns / (double)n, c->node[node].begin - ns, n}))
			return -ENOMEM;
	}
	if (node == last)
		return -ENOTSUP;
	s.end = node;
	s.took = c->node[node].begin - s.came;
	return weft_vec_push(&l->share, s);
}

static int by_begin(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Takes n iterations off the front: what they last. */
static double take(struct loop *l, size_t *at, uint64_t *used, uint64_t n)
{
	double ns = 0;
	while (n && *at < l->piece.n) {
		uint64_t left = l->piece.at[*at].n - *used, some = left < n ? left : n;
		ns += (double)some * l->piece.at[*at].ns;
		n -= some;
		*used += some;
		if (*used == l->piece.at[*at].n) {
			++*at;
			*used = 0;
		}
	}
	return ns;
}

static uint64_t size_of(const struct weft_whatif_loop *how, uint64_t left, uint32_t threads)
{
	uint64_t least = how->chunk ? how->chunk : 1, n = least;
	if (how->schedule == WEFT_WHATIF_GUIDED && (left + threads - 1) / threads > n)
		n = (left + threads - 1) / threads;
	return n < left ? n : left;
}

/* Who is free first takes the next piece. */
static void play_dynamic(struct loop *l, const struct weft_whatif_loop *how, double *free_at, uint32_t threads, double out)
{
	size_t at = 0;
	uint64_t used = 0, left = l->n;
	while (left) {
		uint32_t who = 0;
		for (uint32_t i = 1; i < threads; i++)
			if (free_at[i] < free_at[who])
				who = i;
		uint64_t n = size_of(how, left, threads);
		free_at[who] += take(l, &at, &used, n) + out;
		left -= n;
	}
}

static void play_static(struct loop *l, const struct weft_whatif_loop *how, double *free_at, uint32_t threads)
{
	size_t at = 0;
	uint64_t used = 0, left = l->n;
	for (uint32_t i = 0; left; i = (i + 1) % threads) {
		uint64_t n = how->chunk ? how->chunk : l->n / threads + (i < l->n % threads);
		n = n < left ? n : left;
		if (!n)
			continue;
		free_at[i] += take(l, &at, &used, n);
		left -= n;
	}
}

/* The new time of each thread in the loop goes into the burst at its end; threads that are not there any more have none. */
static void put_back(struct weft_whatif *w, const struct loop *l, const double *free_at, uint32_t threads)
{
	double last = 0;
	for (uint32_t i = 0; i < threads; i++)
		last = free_at[i] > last ? free_at[i] : last;
	for (size_t i = 0; i < l->share.n; i++) {
		const struct share *s = &l->share.at[i];
		double to = threads >= l->share.n || i < threads ? free_at[i] - (double)s->came : 0;
		if (threads > l->share.n && i == 0)
			to = last - (double)s->came; /* the one that stands for those that came anew */
		for (uint32_t n = s->first; n <= s->end; n++)
			w->burst[n] = 0;
		w->burst[s->end] = to > 0 ? (uint64_t)to : 0;
	}
}

static int play_loop(struct weft_whatif *w, struct loop *l, const struct weft_whatif_loop *how)
{
	uint32_t threads = how->n_threads ? how->n_threads : (uint32_t)l->share.n;
	double *free_at = calloc((size_t)threads + 1, sizeof *free_at), first = 0;
	if (!free_at)
		return -ENOMEM;
	qsort(l->piece.at, l->piece.n, sizeof *l->piece.at, by_begin);
	for (size_t i = 0; i < l->share.n; i++)
		first = !i || (double)l->share.at[i].came < first ? (double)l->share.at[i].came : first;
	for (uint32_t i = 0; i < threads; i++)
		free_at[i] = i < l->share.n ? (double)l->share.at[i].came : first;
	double out = l->n_chunks ? (double)l->out / (double)l->n_chunks : 0;
	if (how->schedule == WEFT_WHATIF_STATIC)
		play_static(l, how, free_at, threads);
	else
		play_dynamic(l, how, free_at, threads, out);
	put_back(w, l, free_at, threads);
	free(free_at);
	return 0;
}

/* Begins of a loop stand by thread; equal loops come together by their number. */
int weft_whatif_loops(struct weft_whatif *w, const struct weft_whatif_loop *how, uint64_t *n_loops)
{
	const struct weft_causal *c = w->c;
	struct loop *loop = calloc((size_t)c->n_locks + 1, sizeof *loop);
	bool *spoilt = calloc((size_t)c->n_locks + 1, sizeof *spoilt);
	int rc = loop && spoilt ? 0 : -ENOMEM;
	*n_loops = 0;
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++) {
		uint32_t k = link_of(c, i, WEFT_CAUSAL_LOOP);
		if (k == WEFT_CAUSAL_NONE)
			continue;
		struct loop *l = &loop[c->link[k].arg];
		l->region = c->lock[c->link[k].arg].region;
		rc = read_share(c, i, l);
		if (rc == -ENOTSUP) {
			spoilt[c->link[k].arg] = true;
			rc = 0;
		}
	}
	for (uint32_t i = 0; !rc && i < c->n_locks; i++) {
		if (loop[i].n_chunks < 1 || spoilt[i] || (how->region != WEFT_CAUSAL_NONE && loop[i].region != how->region))
			continue;
		rc = play_loop(w, &loop[i], how);
		++*n_loops;
	}
	for (uint32_t i = 0; loop && i < c->n_locks; i++) {
		free(loop[i].piece.at);
		free(loop[i].share.at);
	}
	free(loop);
	free(spoilt);
	return rc;
}
