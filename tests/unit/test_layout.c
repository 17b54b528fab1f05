/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c, layout_order.c, layout_place.c: nothing overlaps, edges lead downward, trees are drawn without crossings. */
#include "graph_maker.h"
#include "graph/layout.h"
#include <errno.h>
#include <math.h>

struct drawn {
	struct weft_fold_edge edge[4 * MADE_EDGES];
	double width[64], rank[64];
	struct weft_layout_in in;
	struct weft_layout l;
};

static void lay_out(struct drawn *d, uint32_t n, uint32_t n_edges)
{
	for (uint32_t i = 0; i < n; i++)
		d->width[i] = 20 + i % 3 * 30;
	d->in = (struct weft_layout_in){n, n_edges, d->edge, d->width, d->rank, 12};
	REQUIRE(weft_layout(&d->in, &d->l) == 0);
}

static void check_boxes(const struct drawn *d)
{
	const struct weft_layout *l = &d->l;
	for (uint32_t a = 0; a < d->in.n; a++) {
		CHECK(l->layer[a] < l->n_layers);
		CHECK(l->x[a] - d->width[a] / 2 >= -1e-6 && l->x[a] + d->width[a] / 2 <= l->width + 1e-6);
		for (uint32_t b = 0; b < a; b++)
			CHECK(l->layer[a] != l->layer[b] ||
			      fabs(l->x[a] - l->x[b]) >= (d->width[a] + d->width[b]) / 2 + 12 - 1e-6);
	}
}

static void check_edges(const struct drawn *d)
{
	for (uint32_t e = 0; e < d->in.n_edges; e++) {
		uint32_t from = d->edge[e].from, to = d->edge[e].to;
		bool up = d->rank[from] > d->rank[to];
		int64_t layers = (int64_t)d->l.layer[to] - (int64_t)d->l.layer[from];
		CHECK(up ? layers < 0 : layers > 0);
		CHECK_U64(d->l.bends[e + 1] - d->l.bends[e], (uint64_t)llabs(layers) - 1);
	}
	for (uint64_t k = 0; k < d->l.bends[d->in.n_edges]; k++)
		CHECK(d->l.bend[k] >= -1e-6 && d->l.bend[k] <= d->l.width + 1e-6);
}

TEST(random_graphs)
{
	struct drawn d;
	for (unsigned k = 0; k < 200; k++) {
		struct made m;
		uint32_t n = 0;
		made_graph(&m, k % 3 > 0);
		for (uint32_t i = 0; i < m.g.n; i++) {
			d.rank[i] = k % 3 == 2 ? (double)(test_random() % 5) + i * 1e-3 : i; /* some lead upward */
			for (uint32_t b = 0; b < m.g.n; b++)
				if (m.waits[i][b])
					d.edge[n++] = (struct weft_fold_edge){b, i, 1};
		}
		lay_out(&d, m.g.n, n);
		check_boxes(&d);
		check_edges(&d);
		weft_layout_fini(&d.l);
	}
}

static unsigned crossings(const struct drawn *d)
{
	unsigned n = 0;
	for (uint32_t a = 0; a < d->in.n_edges; a++)
		for (uint32_t b = 0; b < a; b++) {
			const struct weft_fold_edge *x = &d->edge[a], *y = &d->edge[b];
			n += d->l.layer[x->from] == d->l.layer[y->from] && d->l.layer[x->to] == d->l.layer[y->to] &&
			     (d->l.x[x->from] - d->l.x[y->from]) * (d->l.x[x->to] - d->l.x[y->to]) < 0;
		}
	return n;
}

/* A tree whose children were numbered in a mixed order. */
TEST(a_tree_is_drawn_without_crossings)
{
	struct drawn d;
	uint32_t n = 31, name[31];
	for (uint32_t i = 0; i < n; i++)
		name[i] = (i * 12 + 5) % n;
	for (uint32_t i = 1; i < n; i++) {
		d.edge[i - 1] = (struct weft_fold_edge){name[(i - 1) / 2], name[i], 1};
		d.rank[name[i]] = i;
	}
	d.rank[name[0]] = 0;
	lay_out(&d, n, n - 1);
	check_boxes(&d);
	CHECK_U64(d.l.n_layers, 5);
	CHECK_U64(crossings(&d), 0);
	weft_layout_fini(&d.l);
}

/* A chain stands below itself, and so does the bend of an edge that passes it. */
TEST(a_chain_is_straight)
{
	struct drawn d;
	for (uint32_t i = 0; i < 10; i++) {
		d.rank[i] = i;
		if (i)
			d.edge[i - 1] = (struct weft_fold_edge){i - 1, i, 1};
	}
	lay_out(&d, 10, 9);
	for (uint32_t i = 1; i < 10; i++)
		CHECK_NEAR(d.l.x[i], d.l.x[0], 0.5);
	weft_layout_fini(&d.l);
}

TEST(every_allocation_may_fail)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct drawn d = {.edge = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}}, .width = {9, 9, 9}, .rank = {0, 1, 2}};
		struct weft_layout_in in = {3, 3, d.edge, d.width, d.rank, 5};
		int rc = weft_layout(&in, &d.l);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		weft_layout_fini(&d.l);
	}
}
