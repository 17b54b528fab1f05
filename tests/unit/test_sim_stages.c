/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations as messages of an algorithm, on a ring of four and without links: worked out by hand. All come 4 us after the begin (the last
 * does), latency is 1 us, links carry a byte a ns, 4000 bytes are given and got. And regions that want memory.
 */
#include "replay/dimemas/dim.h"
#include "replay/sim/replay.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { L = 1000, CAME = 4000, ROOT = 1 };

static struct weft_replay_program *all_call(unsigned operation, unsigned bytes, unsigned n)
{
	struct weft_replay_program *p;
	struct weft_buf text = {0};
	struct weft_err err = {0};
	weft_buf_printf(&text, "#DIMEMAS:\"c\":0:%u(1", n);
	for (unsigned r = 1; r < n; r++)
		weft_buf_printf(&text, ",1");
	weft_buf_printf(&text, "),1,0,0\nd:1:1:%u", n);
	for (unsigned r = 0; r < n; r++)
		weft_buf_printf(&text, ":%u", r);
	for (unsigned r = 0; r < n; r++)
		weft_buf_printf(&text, "\n1:%u:0:0.00000%u\n10:%u:0:%u:1:%u:0:%u:%u:1", r, r < 4 ? r + 1 : 1, r, operation,
		                r == ROOT, bytes, bytes);
	weft_buf_printf(&text, "\n");
	REQUIRE(weft_replay_dim_parse(&p, text.at, text.n, "test", 0, &err) == 0);
	free(text.at);
	return p;
}

static struct weft_replay_result run_on(const struct weft_replay_program *p, const char *topology, uint32_t per_node)
{
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_topology *t = NULL;
	struct weft_err err = {0};
	REQUIRE(weft_replay_machine_plain(&m, L, 1) == 0);
	m.kind.at[0].links_in = m.kind.at[0].links_out = 0;
	m.map.per_node = per_node;
	m.staged = true;
	if (topology) {
		REQUIRE(weft_topology_make(&t, topology, NULL, &err) == 0);
		weft_replay_machine_connect(&m, t);
	}
	REQUIRE(weft_replay_run(p, &m, NULL, &r, &err) == 0);
	weft_replay_machine_fini(&m);
	weft_topology_free(t);
	return r;
}

TEST(stages_of_each_operation)
{
	static const struct {
		const char *name;
		unsigned operation, bytes;
		double free, ring; /* what it takes without links, and on the ring */
	} rows[] = {
		{"barrier", WEFT_REPLAY_BARRIER, 4000, 2 * L, 2 * L},
		/* from 1 to 3, which is two links away; then from 1 to 2 and 3 to 0 */
		{"broadcast", WEFT_REPLAY_BCAST, 4000, 2 * L + 8000, 2 * L + 8000},
		{"scatter", WEFT_REPLAY_SCATTER, 4000, 2 * L + 3000, 2 * L + 3000},
		{"gather", WEFT_REPLAY_GATHERV, 4000, 2 * L + 3000, 2 * L + 3000},
		/* in the second stage each goes over two links, that are all shared by two */
		{"all gather", WEFT_REPLAY_ALLGATHER, 4000, 2 * L + 3000, 2 * L + 5000},
		{"reduction to all", WEFT_REPLAY_ALLREDUCE, 4000, 2 * L + 8000, 2 * L + 12000},
		{"reduce and scatter", WEFT_REPLAY_REDUCE_SCATTER, 4000, 2 * L + 3000, 2 * L + 4000},
		/* 1000 to each: to the next, to the one across, to the one before */
		{"all to all", WEFT_REPLAY_ALLTOALL, 4000, 3 * L + 3000, 3 * L + 4000},
		/* 100 to each: twice half of it all */
		{"all to all, short", WEFT_REPLAY_ALLTOALL, 400, 2 * L + 400, 2 * L + 600},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_replay_program *p = all_call(rows[i].operation, rows[i].bytes, 4);
		struct weft_replay_result r = run_on(p, NULL, 1);
		if (!CHECK_NEAR(r.time_ns, CAME + rows[i].free, 0.001))
			printf("# %s\n", rows[i].name);
		weft_replay_result_fini(&r);
		r = run_on(p, "torus:4", 1);
		if (!CHECK_NEAR(r.time_ns, CAME + rows[i].ring, 0.001))
			printf("# %s, ring\n", rows[i].name);
		CHECK_NEAR(r.rank[0].waiting_ns, 3000, 0.001);
		CHECK_NEAR(r.rank[3].collective_ns, rows[i].ring, 0.001);
		CHECK(!r.n_stuck);
		weft_replay_result_fini(&r);
		weft_replay_program_free(p);
	}
}

/* Numbers of ranks that are no power of two, one alone, and ranks in one node, which costs nothing here. */
TEST(any_number_of_ranks)
{
	static const unsigned operations[] = {WEFT_REPLAY_BCAST, WEFT_REPLAY_GATHER, WEFT_REPLAY_ALLGATHER, WEFT_REPLAY_ALLTOALL};
	static const double stages[] = {3, 3, 3, 5};
	for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
		struct weft_replay_program *p = all_call(operations[i], 6000, 6);
		struct weft_replay_result r = run_on(p, NULL, 1);
		/* 3 times 6000; 1000, 2000, then the 2 of the last; 1000, 2000, 2000; 5 times 1000 */
		static const double bytes[] = {18000, 5000, 5000, 5000};
		CHECK_NEAR(r.time_ns, CAME + stages[i] * L + bytes[i], 0.001);
		weft_replay_result_fini(&r);
		r = run_on(p, "fat-tree:k=4", 6);
		CHECK_NEAR(r.time_ns, CAME, 0.001);
		CHECK(r.n_links == 0);
		weft_replay_result_fini(&r);
		weft_replay_program_free(p);
	}
}

/* 80 ranks send to all: more than a few thousand flows, so some sharing is put off, and little changes by it. */
TEST(many_messages_are_shared_with_patience)
{
	struct weft_buf text = {0};
	struct weft_replay_program *p;
	struct weft_err err = {0};
	enum { N = 80 };
	weft_buf_printf(&text, "#DIMEMAS:\"all\":0:%d(1", N);
	for (unsigned r = 1; r < N; r++)
		weft_buf_printf(&text, ",1");
	weft_buf_printf(&text, "),0,0,0\n");
	for (unsigned r = 0; r < N; r++) {
		weft_buf_printf(&text, "1:%u:0:0.000001\n", r);
		for (unsigned k = 1; k < N; k++)
			weft_buf_printf(&text, "2:%u:0:%u:-1:%u:1:1:2\n", r, (r + k) % N, 10000 + r + k);
		for (unsigned k = 1; k < N; k++)
			weft_buf_printf(&text, "3:%u:0:%u:-1:0:1:1:0\n", r, (r + N - k) % N);
	}
	REQUIRE(weft_replay_dim_parse(&p, text.at, text.n, "test", 0, &err) == 0);
	struct weft_replay_result r = run_on(p, "torus:4x4x5", 1);
	CHECK(r.patience.shares > 0 && r.patience.most_ns > 0 && r.patience.most_ns < 0.02 * r.time_ns);
	CHECK(!r.n_stuck && r.n_messages == N * (N - 1));
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
	free(text.at);
}

/* Four on a node compute outside of all regions, which want all its memory, a quarter of it, or what the machine says. */
TEST(memory_by_region)
{
	struct weft_replay_program *p = all_call(WEFT_REPLAY_BARRIER, 0, 4);
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_err err = {0};
	REQUIRE(p->n_places >= 1);
	double *share = calloc(p->n_places + 1, sizeof *share);
	struct weft_replay_how how = {.place_memory = share};
	share[p->op[p->thread[0].first_op].place] = 1;
	REQUIRE(weft_replay_machine_plain(&m, 0, 0) == 0);
	m.map.per_node = 4;
	REQUIRE(weft_replay_run(p, &m, &how, &r, &err) == 0);
	/* 1, 2, 3, 4 us of work, of which the memory does 1 us in a us: the first has a quarter of it */
	CHECK_NEAR(r.time_ns, 10000, 0.001);
	CHECK_NEAR(r.rank[0].memory_wait_ns, 3000, 0.001);
	weft_replay_result_fini(&r);
	share[0] = 0.25; /* four of these are as many as it can have */
	REQUIRE(weft_replay_run(p, &m, &how, &r, &err) == 0);
	CHECK_NEAR(r.time_ns, 4000, 0.001);
	weft_replay_result_fini(&r);
	share[0] = -1; /* as the machine says */
	m.memory_share = 0.5;
	REQUIRE(weft_replay_run(p, &m, &how, &r, &err) == 0);
	CHECK_NEAR(r.time_ns, 5500, 0.001);
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	free(share);
	weft_replay_program_free(p);
}
