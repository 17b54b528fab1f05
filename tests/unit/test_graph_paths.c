/* SPDX-License-Identifier: Apache-2.0 */
/* graph_paths.c: small graphs against trying all paths, circles, sums that do not fit, known shapes. */
#include "graph_maker.h"
#include <errno.h>

/* The longest way from i to an end (down), or from a beginning to i, in ns; i itself counts. */
static uint64_t longest(const struct made *m, uint32_t i, bool down)
{
	uint64_t most = 0;
	for (uint32_t k = 0; k < m->g.n; k++)
		if (down ? m->waits[k][i] : m->waits[i][k]) {
			uint64_t with = longest(m, k, down);
			most = with > most ? with : most;
		}
	return most + m->duration[i];
}

static uint32_t most_edges(const struct made *m, uint32_t i)
{
	uint32_t most = 0;
	for (uint32_t k = 0; k < m->g.n; k++)
		if (m->waits[i][k] && most_edges(m, k) + 1 > most)
			most = most_edges(m, k) + 1;
	return most;
}

static void check_order(const struct made *m, const struct weft_graph_paths *p)
{
	uint32_t place[MADE_NODES];
	memset(place, 0xff, sizeof place);
	for (uint32_t k = 0; k < m->g.n; k++)
		place[p->order[k]] = k;
	for (uint32_t i = 0; i < m->g.n; i++) {
		CHECK(place[i] < m->g.n);
		for (uint32_t b = 0; b < m->g.n; b++)
			CHECK(!m->waits[i][b] || place[b] < place[i]);
	}
}

static void check_path(const struct made *m, const struct weft_graph_paths *p)
{
	uint64_t length = 0;
	for (uint32_t k = 0; k < p->n_path; k++) {
		length += m->duration[p->path[k]];
		CHECK_U64(p->slack[p->path[k]], 0);
		CHECK(k == 0 || m->waits[p->path[k]][p->path[k - 1]]);
	}
	CHECK_U64(length, p->length);
}

static void check_graph(const struct made *m)
{
	struct weft_graph_paths p;
	uint64_t work = 0, length = 0, nodes = 0;
	REQUIRE(weft_graph_paths(&m->g, &p, NULL) == 0);
	for (uint32_t i = 0; i < m->g.n; i++) {
		uint64_t to = longest(m, i, false);
		work += m->duration[i];
		length = to > length ? to : length;
	}
	CHECK_U64(p.length, length);
	CHECK_U64(p.work, work);
	for (uint32_t i = 0; i < m->g.n; i++) {
		uint64_t to = longest(m, i, false), from = longest(m, i, true);
		CHECK_U64(p.earliest[i], to - m->duration[i]);
		CHECK_U64(p.slack[i], length - (to + from - m->duration[i]));
		CHECK_U64(p.level[i], most_edges(m, i));
	}
	for (uint32_t k = 0; k < p.depth; k++) {
		CHECK(p.width[k] > 0 && p.width[k] <= p.widest);
		nodes += p.width[k];
	}
	CHECK_U64(nodes, m->g.n);
	check_order(m, &p);
	check_path(m, &p);
	weft_graph_paths_fini(&p);
}

TEST(paths_are_those_of_trying_all)
{
	struct made m;
	for (unsigned k = 0; k < 300; k++) {
		made_graph(&m, k % 2);
		check_graph(&m);
	}
}

static bool reaches(const struct made *m, uint32_t from, uint32_t to, unsigned steps)
{
	for (uint32_t k = 0; steps && k < m->g.n; k++)
		if (m->waits[from][k] && (k == to || reaches(m, k, to, steps - 1)))
			return true;
	return false;
}

/* An edge from a node to one that waits for it, directly or not. */
TEST(circles_are_refused_with_a_node_that_is_in_one)
{
	struct made m;
	struct weft_graph_paths p;
	unsigned tried = 0;
	while (tried < 100) {
		made_graph(&m, false);
		m.g.n = m.g.n > 7 ? 7 : m.g.n;
		uint32_t a = (uint32_t)(test_random() % 7), b = (uint32_t)(test_random() % 7), cycle = UINT32_MAX;
		if (a >= m.g.n || b >= m.g.n || !(a == b || reaches(&m, a, b, 7)))
			continue;
		m.waits[b][a] = true;
		made_columns(&m);
		tried++;
		CHECK_I64(weft_graph_paths(&m.g, &p, &cycle), -ELOOP);
		REQUIRE(cycle < m.g.n);
		CHECK(reaches(&m, cycle, cycle, 7));
		CHECK(!p.order && !p.path);
	}
}

TEST(an_edge_to_no_node_is_refused)
{
	struct weft_graph_paths p;
	const uint64_t first[] = {0, 0, 1}, duration[] = {1, 1};
	const uint32_t before[] = {2};
	CHECK_I64(weft_graph_paths(&(struct weft_graph){2, first, before, duration}, &p, NULL), -EINVAL);
}

TEST(sums_stay_at_the_greatest_number)
{
	struct weft_graph_paths p;
	const uint64_t first[] = {0, 0, 1, 2}, duration[] = {UINT64_MAX - 1, 5, 7};
	const uint32_t before[] = {0, 1};
	REQUIRE(weft_graph_paths(&(struct weft_graph){3, first, before, duration}, &p, NULL) == 0);
	CHECK_U64(p.length, UINT64_MAX);
	CHECK_U64(p.work, UINT64_MAX);
	CHECK_U64(p.slack[0], 0);
	weft_graph_paths_fini(&p);
}

/* From 0 to n tasks side by side to one. */
TEST(fork_and_join)
{
	enum { N = 40 };
	uint64_t first[N + 3] = {0}, duration[N + 2];
	uint32_t before[2 * N];
	struct weft_graph_paths p;
	for (uint32_t i = 1; i <= N; i++) {
		before[i - 1] = 0;
		before[N + i - 1] = i;
		first[i + 1] = i;
		duration[i] = 100 + i;
	}
	duration[0] = 7;
	duration[N + 1] = 9;
	first[N + 2] = 2 * N;
	REQUIRE(weft_graph_paths(&(struct weft_graph){N + 2, first, before, duration}, &p, NULL) == 0);
	CHECK_U64(p.length, 7 + 100 + N + 9);
	CHECK_U64(p.depth, 3);
	CHECK_U64(p.widest, N);
	REQUIRE(p.n_path == 3);
	CHECK_U64(p.path[1], N);
	for (uint32_t i = 1; i <= N; i++)
		CHECK_U64(p.slack[i], N - i);
	weft_graph_paths_fini(&p);
}

TEST(every_allocation_may_fail)
{
	static const uint64_t first[] = {0, 1, 1, 2}, duration[] = {3, 4, 5};
	static const uint32_t before[] = {1, 0};
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_graph_paths p;
		int rc = weft_graph_paths(&(struct weft_graph){3, first, before, duration}, &p, NULL);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		CHECK(!!p.path == !rc);
		weft_graph_paths_fini(&p);
	}
}
