/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of a Cholesky factorisation of 181 x 181 tiles, a million tasks and three million dependencies: critical path and slack of all, numbered as
 * submitted and in a mixed order (which has to be sorted), against reading the same arrays once; folding to equal tasks of a level; the drawing of that.
 */
#include "bench.h"
#include "graph/graph_fold.h"
#include "graph/layout.h"
#include <stdlib.h>

enum { TILES = 181 };

struct made {
	uint32_t n, *before, *kind;
	uint64_t *first, *duration;
	struct weft_graph g;
};

static uint32_t *last; /* by tile: its writer, + 1 */
static uint64_t n_edges;

static void wait_for(struct made *m, unsigned i, unsigned j)
{
	if (last[i * TILES + j])
		m->before[n_edges++] = last[i * TILES + j] - 1;
}

static void add(struct made *m, uint32_t kind, unsigned i, unsigned j)
{
	wait_for(m, i, j);
	m->kind[m->n] = kind;
	m->duration[m->n] = 1000 + (m->n * 2654435761u >> 20);
	last[i * TILES + j] = ++m->n;
	m->first[m->n] = n_edges;
}

static void make(struct made *m)
{
	enum { NODES = 1 << 20 };
	m->first = calloc(NODES + 1, sizeof *m->first);
	m->duration = calloc(NODES, sizeof *m->duration);
	m->kind = calloc(NODES, sizeof *m->kind);
	m->before = calloc(3 * (size_t)NODES, sizeof *m->before);
	last = calloc((size_t)TILES * TILES, sizeof *last);
	if (!m->first || !m->duration || !m->kind || !m->before || !last)
		abort();
	for (unsigned k = 0; k < TILES; k++) {
		add(m, 0, k, k);
		for (unsigned i = k + 1; i < TILES; i++) {
			wait_for(m, k, k);
			add(m, 1, i, k);
		}
		for (unsigned i = k + 1; i < TILES; i++)
			for (unsigned j = k + 1; j <= i; j++) {
				wait_for(m, i, k);
				wait_for(m, j, k);
				add(m, 2, i, j);
			}
	}
	m->g = (struct weft_graph){m->n, m->first, m->before, m->duration};
}

/* The same graph under other names. */
static void mix(const struct made *from, struct made *to)
{
	uint32_t *name = malloc(from->n * sizeof *name), *of = malloc(from->n * sizeof *of);
	uint64_t seed = 1, n = 0;
	to->n = from->n;
	to->first = calloc((size_t)to->n + 1, sizeof *to->first);
	to->duration = calloc(to->n, sizeof *to->duration);
	to->before = calloc(from->first[from->n], sizeof *to->before);
	if (!name || !of || !to->first || !to->duration || !to->before)
		abort();
	for (uint32_t i = 0; i < from->n; i++)
		name[i] = i;
	for (uint32_t i = from->n; i > 1; i--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint32_t k = (uint32_t)(seed >> 33) % i, kept = name[k];
		name[k] = name[i - 1];
		name[i - 1] = kept;
	}
	for (uint32_t i = 0; i < from->n; i++)
		of[name[i]] = i;
	for (uint32_t i = 0; i < to->n; i++) {
		to->duration[i] = from->duration[of[i]];
		for (uint64_t e = from->first[of[i]]; e < from->first[of[i] + 1]; e++)
			to->before[n++] = name[from->before[e]];
		to->first[i + 1] = n;
	}
	to->g = (struct weft_graph){to->n, to->first, to->before, to->duration};
	free(name);
	free(of);
}

static struct made submitted, mixed;

static double paths(void *graph)
{
	struct weft_graph_paths p;
	uint64_t from = bench_now_ns();
	if (weft_graph_paths(graph, &p, NULL))
		return bench_skip("no memory");
	double took = (double)(bench_now_ns() - from) / 1e9;
	bench_keep(p.length);
	weft_graph_paths_fini(&p);
	return took;
}

static double reading(void *graph)
{
	const struct weft_graph *g = graph;
	uint64_t from = bench_now_ns(), sum = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		sum += g->duration[i];
		for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++)
			sum += g->before[e];
	}
	bench_keep(sum);
	return (double)(bench_now_ns() - from) / 1e9;
}

static double folding(void *unused)
{
	struct weft_graph_paths p;
	struct weft_fold f;
	(void)unused;
	if (weft_graph_paths(&submitted.g, &p, NULL))
		return bench_skip("no memory");
	uint64_t from = bench_now_ns();
	int rc = weft_fold(&submitted.g, &p, submitted.kind, p.level, &f);
	double took = (double)(bench_now_ns() - from) / 1e9;
	bench_keep(f.n);
	weft_fold_fini(&f);
	weft_graph_paths_fini(&p);
	return rc ? bench_skip("no memory") : took;
}

static double drawing(void *unused)
{
	struct weft_graph_paths p;
	struct weft_fold f = {0};
	struct weft_layout l = {0};
	double width[3 * TILES], rank[3 * TILES];
	(void)unused;
	if (weft_graph_paths(&submitted.g, &p, NULL) || weft_fold(&submitted.g, &p, submitted.kind, p.level, &f) ||
	    f.n > 3 * TILES)
		return bench_skip("no memory");
	for (uint32_t k = 0; k < f.n; k++) {
		width[k] = 120;
		rank[k] = f.group[k].at;
	}
	uint64_t from = bench_now_ns();
	int rc = weft_fold_reduce(&f, NULL);
	rc = rc ? rc : weft_layout(&(struct weft_layout_in){f.n, f.n_edges, f.edge, width, rank, 14}, &l);
	double took = (double)(bench_now_ns() - from) / 1e9;
	weft_layout_fini(&l);
	weft_fold_fini(&f);
	weft_graph_paths_fini(&p);
	return rc ? bench_skip("no memory") : took;
}

static const struct bench_variant in_order[] = {{"weft", paths, &submitted.g}, {"reading", reading, &submitted.g}, {0}};
static const struct bench_variant in_no_order[] = {{"weft", paths, &mixed.g}, {"reading", reading, &mixed.g}, {0}};
static const struct bench_variant folded[] = {{"weft", folding, NULL}, {0}};
static const struct bench_variant drawn[] = {{"weft", drawing, NULL}, {0}};
static const struct bench benches[] = {
	{"critical-path", "s", 0, in_order},
	{"critical-path-mixed", "s", 0, in_no_order},
	{"fold", "s", 0, folded},
	{"layout", "s", 0, drawn},
	{0},
};

int main(int argc, char **argv)
{
	make(&submitted);
	mix(&submitted, &mixed);
	return bench_main(argc, argv, benches);
}
