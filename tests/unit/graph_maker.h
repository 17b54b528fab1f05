/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs of few nodes for tests of src/graph, with answers by trying everything. */
#ifndef WEFT_TESTS_GRAPH_MAKER_H
#define WEFT_TESTS_GRAPH_MAKER_H

#include "harness.h"
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

enum { MADE_NODES = 14, MADE_EDGES = 128 };
struct made {
	uint64_t first[MADE_NODES + 1], duration[MADE_NODES];
	uint32_t before[MADE_EDGES];
	bool waits[MADE_NODES][MADE_NODES]; /* [i][b]: i waits for b */
	struct weft_graph g;
};

/* The columns of `waits`, some edges twice. */
static inline void made_columns(struct made *m)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < m->g.n; i++) {
		m->first[i] = n;
		for (uint32_t b = 0; b < m->g.n; b++)
			for (unsigned twice = test_random() % 8 == 0 ? 2 : 1; m->waits[i][b] && twice && n < MADE_EDGES; twice--)
				m->before[n++] = b;
	}
	m->first[m->g.n] = n;
	m->g = (struct weft_graph){m->g.n, m->first, m->before, m->duration};
}

/* by_number: nodes wait for smaller numbers only. */
static inline void made_graph(struct made *m, bool by_number)
{
	uint32_t name[MADE_NODES];
	memset(m, 0, sizeof *m);
	m->g.n = (uint32_t)(test_random() % (MADE_NODES + 1));
	for (uint32_t i = 0; i < m->g.n; i++)
		name[i] = i;
	for (uint32_t i = m->g.n; !by_number && i > 1; i--) {
		uint32_t k = (uint32_t)(test_random() % i), kept = name[k];
		name[k] = name[i - 1];
		name[i - 1] = kept;
	}
	unsigned rare = 2 + test_random() % 4;
	for (uint32_t i = 0; i < m->g.n; i++) {
		m->duration[i] = test_random() % 6;
		for (uint32_t b = 0; b < i; b++)
			m->waits[name[i]][name[b]] = test_random() % rare == 0;
	}
	made_columns(m);
}

#endif
