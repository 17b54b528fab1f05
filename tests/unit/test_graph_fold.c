/* SPDX-License-Identifier: Apache-2.0 */
/* graph_fold.c: groups and their edges against a matrix, strides, what follows from the rest. */
#include "graph_maker.h"
#include "graph/graph_fold.h"
#include <errno.h>

static bool same(const uint32_t *kind, const uint32_t *step, uint32_t a, uint32_t b)
{
	return kind[a] == kind[b] && step[a] == step[b];
}

static void check_groups(const struct made *m, const struct weft_graph_paths *p, const struct weft_fold *f, const uint32_t *kind,
                         const uint32_t *step)
{
	uint32_t members = 0, critical = 0;
	for (uint32_t a = 0; a < m->g.n; a++)
		for (uint32_t b = 0; b < m->g.n; b++)
			CHECK((f->of[a] == f->of[b]) == same(kind, step, a, b));
	for (uint32_t k = 0; k < f->n; k++) {
		const struct weft_fold_group *g = &f->group[k];
		uint64_t work = 0, slack = UINT64_MAX, level = UINT64_MAX;
		CHECK_U64(g->first, members);
		members += g->count;
		critical += g->critical;
		for (uint32_t i = g->first; i < g->first + g->count; i++) {
			uint32_t node = f->member[i];
			CHECK(f->of[node] == k && g->kind == kind[node] && g->step == step[node]);
			CHECK(g->least <= m->duration[node] && g->most >= m->duration[node]);
			work += m->duration[node];
			slack = p->slack[node] < slack ? p->slack[node] : slack;
			level = p->level[node] < level ? p->level[node] : level;
		}
		CHECK_U64(g->work, work);
		CHECK_U64(g->slack, slack);
		CHECK_U64(g->level, level);
	}
	CHECK_U64(members, m->g.n);
	CHECK_U64(critical, p->n_path);
}

static void check_edges(const struct made *m, const struct weft_fold *f)
{
	uint32_t count[MADE_NODES][MADE_NODES] = {0};
	uint64_t inner = 0, n = 0;
	for (uint32_t i = 0; i < m->g.n; i++)
		for (uint64_t e = m->first[i]; e < m->first[i + 1]; e++) {
			uint32_t from = f->of[m->before[e]], to = f->of[i];
			inner += from == to;
			n += from != to && !count[from][to]++;
		}
	CHECK_U64(f->inner, inner);
	CHECK_U64(f->n_edges, n);
	for (uint32_t e = 0; e < f->n_edges; e++) {
		const struct weft_fold_edge *x = &f->edge[e], *last = e ? x - 1 : NULL;
		CHECK_U64(x->count, count[x->from][x->to]);
		CHECK(!last || last->to < x->to || (last->to == x->to && last->from < x->from));
	}
}

/* Whether `to` is reached from `from` over the edges of f. */
static bool reached(const struct weft_fold *f, uint32_t from, uint32_t to)
{
	for (uint32_t e = 0; e < f->n_edges; e++)
		if (f->edge[e].from == from && (f->edge[e].to == to || reached(f, f->edge[e].to, to)))
			return true;
	return false;
}

/* With every node a group of its own: as much is reached as before, and no edge can be missed. */
static void check_reduced(const struct made *m, const struct weft_graph_paths *p)
{
	struct weft_fold f, whole;
	uint32_t kind[MADE_NODES], step[MADE_NODES] = {0};
	for (uint32_t i = 0; i < MADE_NODES; i++)
		kind[i] = i;
	REQUIRE(weft_fold(&m->g, p, kind, step, &f) == 0 && weft_fold(&m->g, p, kind, step, &whole) == 0);
	REQUIRE(weft_fold_reduce(&f, NULL) == 0);
	for (uint32_t a = 0; a < f.n; a++)
		for (uint32_t b = 0; b < f.n; b++)
			CHECK(reached(&f, a, b) == reached(&whole, a, b));
	for (uint32_t e = 0; e < f.n_edges; e++) {
		struct weft_fold_edge out = f.edge[e];
		f.edge[e] = f.edge[f.n_edges - 1];
		f.n_edges--;
		CHECK(!reached(&f, out.from, out.to));
		f.n_edges++;
		f.edge[f.n_edges - 1] = f.edge[e];
		f.edge[e] = out;
	}
	weft_fold_fini(&f);
	weft_fold_fini(&whole);
}

TEST(folding_is_what_a_matrix_says)
{
	for (unsigned k = 0; k < 200; k++) {
		struct made m;
		struct weft_graph_paths p;
		struct weft_fold f;
		uint32_t kind[MADE_NODES], step[MADE_NODES];
		made_graph(&m, k % 2);
		REQUIRE(weft_graph_paths(&m.g, &p, NULL) == 0);
		for (uint32_t i = 0; i < MADE_NODES; i++) {
			kind[i] = (uint32_t)(test_random() % 3);
			step[i] = (uint32_t)(test_random() % 3);
		}
		REQUIRE(weft_fold(&m.g, &p, kind, step, &f) == 0);
		check_groups(&m, &p, &f, kind, step);
		check_edges(&m, &f);
		weft_fold_fini(&f);
		check_reduced(&m, &p);
		weft_graph_paths_fini(&p);
	}
}

TEST(what_is_to_be_kept_is_kept)
{
	const uint64_t first[] = {0, 0, 1, 3}, duration[] = {1, 1, 1};
	const uint32_t before[] = {0, 0, 1}, kind[] = {0, 1, 2}, step[] = {0, 0, 0};
	struct weft_graph g = {3, first, before, duration};
	struct weft_graph_paths p;
	struct weft_fold f;
	REQUIRE(weft_graph_paths(&g, &p, NULL) == 0 && weft_fold(&g, &p, kind, step, &f) == 0);
	CHECK(weft_fold_reduce(&f, (const bool[]){false, true, false}) == 0); /* the second is 0 -> 2 */
	CHECK_U64(f.n_edges, 3);
	CHECK(weft_fold_reduce(&f, NULL) == 0);
	CHECK_U64(f.n_edges, 2);
	weft_fold_fini(&f);
	weft_graph_paths_fini(&p);
}

TEST(groups_in_a_circle_keep_their_edges)
{
	const uint64_t first[] = {0, 0, 1, 2}, duration[] = {1, 1, 1};
	const uint32_t before[] = {0, 1}, kind[] = {0, 1, 0}, step[] = {0, 0, 0};
	struct weft_graph g = {3, first, before, duration};
	struct weft_graph_paths p;
	struct weft_fold f;
	REQUIRE(weft_graph_paths(&g, &p, NULL) == 0 && weft_fold(&g, &p, kind, step, &f) == 0);
	CHECK_U64(f.n, 2);
	CHECK_U64(f.n_edges, 2);
	CHECK(weft_fold_reduce(&f, NULL) == 0);
	CHECK_U64(f.n_edges, 2);
	weft_fold_fini(&f);
	weft_graph_paths_fini(&p);
}

TEST(strides_double_until_there_are_few_groups)
{
	uint32_t kind[100], step[100], stride, groups;
	for (uint32_t i = 0; i < 100; i++) {
		kind[i] = i % 2;
		step[i] = i / 2; /* 50 steps of both kinds */
	}
	REQUIRE(weft_fold_stride(kind, step, 100, 100, &stride, &groups) == 0);
	CHECK_U64(stride, 1);
	CHECK_U64(groups, 100);
	REQUIRE(weft_fold_stride(kind, step, 100, 30, &stride, &groups) == 0);
	CHECK_U64(stride, 4); /* 13 steps */
	CHECK_U64(groups, 26);
	REQUIRE(weft_fold_stride(kind, step, 100, 1, &stride, &groups) == 0);
	CHECK_U64(groups, 2);
}

TEST(every_allocation_may_fail)
{
	static const uint64_t first[] = {0, 0, 1, 3}, duration[] = {3, 4, 5};
	static const uint32_t before[] = {0, 0, 1}, kind[] = {0, 1, 2}, step[] = {0, 0, 0};
	struct weft_graph g = {3, first, before, duration};
	struct weft_graph_paths p;
	REQUIRE(weft_graph_paths(&g, &p, NULL) == 0);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_fold f;
		int rc = weft_fold(&g, &p, kind, step, &f);
		rc = rc ? rc : weft_fold_reduce(&f, NULL);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		CHECK(rc || f.n_edges == 2);
		weft_fold_fini(&f);
	}
	weft_graph_paths_fini(&p);
}
