/* SPDX-License-Identifier: Apache-2.0 */
/* The run played again: unchanged it is itself; changed it is what it would have been, where that is known. */
#include "causal_maker.h"
#include "replay/whatif/whatif.h"

static uint64_t play(const struct weft_whatif *w, bool changed_nothing)
{
	struct weft_whatif_result r;
	REQUIRE(weft_whatif_run(w, true, &r) == 0);
	CHECK_U64(r.forced, 0);
	for (uint32_t i = 0; changed_nothing && i < w->c->n_nodes; i++)
		CHECK_U64(r.node_end[i], w->c->node[i].end - w->c->begin);
	uint64_t end = r.end;
	weft_whatif_result_fini(&r);
	return end;
}

/* Sweeps of 10, 20 and 30 (in turns) to a reduction that takes 2. */
static const struct weft_causal *uneven(struct causal_made *m, unsigned steps)
{
	uint64_t at = 0;
	cm_begin(m, 3, true);
	for (unsigned step = 0; step < steps; step++, at += 32)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t come = at + 10 * (1 + (i + step) % 3);
			cm_region(m, i, "sweep", at, come);
			cm_collective(m, i, "MPI_Allreduce", 10, -1, come, at + 32);
		}
	return cm_end(m);
}

TEST(unchanged_it_is_itself)
{
	struct causal_made m;
	struct weft_whatif w;
	const struct weft_causal *c = uneven(&m, 10);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	CHECK_U64(play(&w, true), 320);
	weft_whatif_fini(&w);
	cm_free(&m);
}

TEST(balanced_phases_take_the_mean)
{
	struct causal_made m;
	struct weft_whatif w;
	const struct weft_causal *c = uneven(&m, 10);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	REQUIRE(weft_whatif_balance(&w, NULL) == 0);
	CHECK_U64(play(&w, false), 220);
	weft_whatif_fini(&w);
	cm_free(&m);
}

/* Two ranks with teams of two threads, then a reduction: rank 0's compute 40 and 20, rank 1's 10 each. */
TEST(teams_are_balanced_and_ranks_too)
{
	static const uint64_t work[2][2] = {{40, 20}, {10, 10}};
	struct causal_made m;
	struct weft_whatif w;
	cm_begin_teams(&m, 2, 2, true);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t end = work[i / 2][0], own = work[i / 2][i % 2];
		if (i % 2 == 0) {
			cm_enter(&m, i, "omp parallel in f", 0);
			cm_event(&m, i, 0, WEFT_EV_ATTR, m.team, 1);
		}
		cm_enter(&m, i, "f [omp parallel]", 0);
		cm_event(&m, i, 0, WEFT_EV_ATTR, m.team, 1);
		cm_leave(&m, i, "f [omp parallel]", own);
		if (i % 2)
			continue;
		cm_region(&m, i, "omp join", own, end);
		cm_leave(&m, i, "omp parallel in f", end);
		cm_collective(&m, i, "MPI_Allreduce", 10, -1, end, 42);
	}
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	CHECK_U64(play(&w, true), 42);
	REQUIRE(weft_whatif_balance(&w, NULL) == 0);
	CHECK_U64(play(&w, false), 22); /* 80 of four threads, and what the reduction takes */
	weft_whatif_fini(&w);
	cm_free(&m);
}

TEST(a_region_twice_as_fast)
{
	struct causal_made m;
	struct weft_whatif w;
	uint32_t n;
	const struct weft_causal *c = uneven(&m, 10);
	bool *paths = weft_whatif_paths(c, "swe?p", &n);
	REQUIRE(paths && n == 1);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	weft_whatif_faster(&w, paths, 2);
	CHECK_U64(play(&w, false), 170);
	free(paths);
	weft_whatif_fini(&w);
	cm_free(&m);
}

TEST(an_ideal_network_has_no_cost)
{
	struct causal_made m;
	struct weft_whatif w;
	const struct weft_causal *c = uneven(&m, 10);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	weft_whatif_ideal(&w);
	CHECK_U64(play(&w, false), 300);
	weft_whatif_fini(&w);
	cm_free(&m);
}

/* Two ranks, slow in turns, exchange at each step: 30 a step as it was, 20 when the halo is waited for a step later. */
TEST(overlapped_exchanges_even_out)
{
	enum { STEPS = 20 };
	struct causal_made m;
	struct weft_whatif w;
	int64_t message[STEPS][2];
	cm_begin(&m, 2, true);
	for (uint64_t step = 0; step < STEPS; step++)
		for (unsigned i = 0; i < 2; i++) {
			uint64_t end = 30 * (step + 1), send = 30 * step + ((step + i) % 2 ? 30 : 10),
				 recv = 30 * step + ((step + i) % 2 ? 10 : 30);
			message[step][i] = cm_message(&m, i, 1 - i, 8, (uint64_t[]){send, send}, (uint64_t[]){recv, end});
		}
	for (uint64_t step = 0; step < STEPS; step++)
		for (unsigned i = 0; i < 2; i++) {
			uint64_t come = 30 * step + ((step + i) % 2 ? 30 : 10);
			cm_region(&m, i, "interior", 30 * step, come);
			cm_enter(&m, i, "MPI_Isend", come);
			REQUIRE(weft_append_end(weft_builder_appender(m.b, i), cm_id(message[step][i]), true) == 0);
			cm_leave(&m, i, "MPI_Isend", come);
			cm_side(&m, i, message[step][1 - i], false, "MPI_Wait", come, 30 * (step + 1));
		}
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	CHECK_U64(play(&w, true), 30 * STEPS);
	weft_whatif_overlap(&w, NULL);
	uint64_t end = play(&w, false);
	CHECK(end >= 20 * STEPS && end <= 20 * STEPS + 20);
	weft_whatif_fini(&w);
	cm_free(&m);
}

/* Three threads, a lock that is held for 20 of 30; arrows say who passed it on, as the recorder does. */
static const struct weft_causal *locked(struct causal_made *m, unsigned rounds)
{
	uint64_t free_at = 0, at[3] = {0}, releases = 0;
	cm_begin(m, 3, false);
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t come = at[i] + 10, got = come > free_at ? come : free_at;
			cm_region(m, i, "compute", at[i], come);
			if (got > come) {
				cm_enter(m, i, "pthread_mutex_lock", come);
				cm_event(m, i, come, WEFT_EV_ATTR, m->lock, 0xabc);
				REQUIRE(weft_append_flow(weft_builder_appender(m->b, i), got, m->woken, releases, false) == 0);
				cm_leave(m, i, "pthread_mutex_lock", got);
			}
			cm_event(m, i, got, WEFT_EV_POINT, m->taken, 0xabc);
			cm_region(m, i, "update", got, got + 20);
			free_at = got + 20;
			cm_event(m, i, free_at, WEFT_EV_POINT, m->released, 0xabc);
			REQUIRE(weft_append_flow(weft_builder_appender(m->b, i), free_at, m->woken, ++releases, true) == 0);
			at[i] = free_at;
		}
	return cm_end(m);
}

TEST(without_a_lock_nobody_waits)
{
	struct causal_made m;
	struct weft_whatif w;
	const struct weft_causal *c = locked(&m, 10);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	CHECK_U64(play(&w, true), 610);
	weft_whatif_unlock(&w, WEFT_CAUSAL_NONE);
	CHECK_U64(play(&w, false), 300);
	weft_whatif_fini(&w);
	cm_free(&m);
}

/* What is done under the lock in half of the time: the lock still goes to one after the other, 10 each. */
TEST(a_lock_goes_to_whom_comes_first)
{
	struct causal_made m;
	struct weft_whatif w;
	uint32_t n;
	const struct weft_causal *c = locked(&m, 10);
	bool *paths = weft_whatif_paths(c, "update", &n);
	REQUIRE(paths && n == 1);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	weft_whatif_faster(&w, paths, 2);
	CHECK_U64(play(&w, false), 310);
	free(paths);
	weft_whatif_fini(&w);
	cm_free(&m);
}

/* A receive whose sender is not there any more in a trace of a part: it is let go on. */
TEST(nobody_waits_for_ever)
{
	struct causal_made m;
	struct weft_whatif w;
	struct weft_whatif_result r;
	cm_begin(&m, 2, true);
	cm_region(&m, 0, "work", 0, 10);
	cm_collective(&m, 0, "MPI_Barrier", 8, -1, 10, 20);
	cm_collective(&m, 0, "MPI_Bcast", 7, 1, 20, 50); /* rank 1 never comes */
	cm_region(&m, 1, "work", 0, 15);
	cm_collective(&m, 1, "MPI_Barrier", 8, -1, 15, 20);
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	REQUIRE(weft_whatif_run(&w, false, &r) == 0);
	CHECK_U64(r.end, 50);
	weft_whatif_result_fini(&r);
	weft_whatif_fini(&w);
	cm_free(&m);
}

/* Two threads: one took a chunk of 1..4, the other of 5..8, an iteration i lasts 10 i; one by one it takes about half of all. */
TEST(loops_are_handed_out_anew)
{
	struct causal_made m;
	struct weft_whatif w;
	uint64_t n = 0;
	cm_begin(&m, 2, false);
	cm_enter(&m, 0, "omp parallel in f", 0);
	cm_event(&m, 0, 0, WEFT_EV_ATTR, m.team, 1);
	for (unsigned i = 0; i < 2; i++) {
		cm_enter(&m, i, "f [omp parallel]", 0);
		cm_event(&m, i, 0, WEFT_EV_ATTR, m.team, 1);
		cm_enter(&m, i, "omp for dynamic", 0);
		for (uint64_t k = 0, at = 0; k < 4; k++, at += i ? 40 : 10) {
			cm_enter(&m, i, "omp chunk", at);
			cm_event(&m, i, at, WEFT_EV_ATTR, m.iterations, 1);
			cm_leave(&m, i, "omp chunk", at + (i ? 40 : 10));
		}
		cm_leave(&m, i, "omp for dynamic", i ? 160 : 40);
		cm_leave(&m, i, "f [omp parallel]", i ? 160 : 40);
		if (!i) {
			cm_region(&m, i, "omp join", 40, 160);
			cm_leave(&m, i, "omp parallel in f", 160);
		}
	}
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_whatif_init(&w, c) == 0);
	CHECK_U64(play(&w, true), 160);
	struct weft_whatif_loop how = {.schedule = WEFT_WHATIF_DYNAMIC, .chunk = 1, .region = WEFT_CAUSAL_NONE};
	REQUIRE(weft_whatif_loops(&w, &how, &n) == 0);
	CHECK_U64(n, 1);
	uint64_t end = play(&w, false);
	CHECK(end >= 100 && end <= 120);
	weft_whatif_fini(&w);
	cm_free(&m);
}
