/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src/frame/mw_*.c over forked processes: the results are those of one process, whatever the number of workers and the size of chunks
 * are, and whenever they change; failures reach everybody. tests/compat has the same over MPI.
 */
#include "harness.h"
#include "frame_canned.h"
#include "frame_fork.h"
#include "frame/mw_priv.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
#include <stdlib.h>

enum { ITERATIONS = 12, MOST = 97 };

struct in {
	uint64_t a, b;
};

/* A chain: each iteration's work is made of the results of the one before. */
struct chain {
	struct in tuple[MOST];
	uint64_t state, shared[3];
	int initialised, finalised, collected, most_workers;
	size_t n, chunks;
	int fail_partition, fail_compute, fail_initialise, fail_collect; /* in that iteration (initialise: rank) */
	bool random_knobs;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	return (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
}

static int initialise(void *user, int rank, int size)
{
	struct chain *c = user;
	c->initialised++;
	return size > 0 && c->fail_initialise && c->fail_initialise == rank ? -ENXIO : 0;
}

static int partition(void *user, struct weft_mw_work *work)
{
	struct chain *c = user;
	if (work->iteration > ITERATIONS)
		return 0;
	if (c->random_knobs) {
		NOptWorkers = (int)(test_random() % 9);
		globalSizeChunk = (int)(test_random() % 20);
	}
	work->n = work->iteration == 5 ? 0 : work->iteration == 6 ? 2 : c->n;
	for (size_t i = 0; i < work->n; i++)
		c->tuple[i] = (struct in){mix(c->state + i), i};
	for (size_t i = 0; i < 3; i++)
		c->shared[i] = c->state * (i + 1);
	work->tuples = c->tuple;
	work->shared = work->iteration == 3 ? NULL : c->shared;
	work->shared_bytes = work->shared ? sizeof c->shared : 0;
	return c->fail_partition == work->iteration ? -EDOM : 1;
}

static int compute(void *user, const struct weft_mw_place *at, const void *tuple, void *result)
{
	struct chain *c = user;
	const struct in *in = tuple;
	const uint64_t *shared = at->shared;
	if (in->b != at->index || at->at >= at->of || at->shared_bytes != (shared ? sizeof c->shared : 0))
		return -EBADMSG;
	*(uint64_t *)result = mix(in->a + (shared ? shared[in->b % 3] : 7) + (uint64_t)at->iteration);
	return c->fail_compute == at->iteration && in->b == 1 ? -ERANGE : 0;
}

static int collect(void *user, const struct weft_mw_work *work, const void *results)
{
	struct chain *c = user;
	const uint64_t *r = results;
	for (size_t i = 0; i < work->n; i++)
		c->state = mix(c->state ^ r[i]);
	c->collected++;
	c->chunks += work->chunks;
	if (work->workers > c->most_workers)
		c->most_workers = work->workers;
	return c->fail_collect == work->iteration ? -EILSEQ : 0;
}

static int finalise(void *user, int rank)
{
	((struct chain *)user)->finalised += rank == 0;
	return 0;
}

static const struct weft_mw program = {sizeof(struct in), sizeof(uint64_t), initialise, partition, compute, collect, finalise};

static int run_rank(struct weft_frame_link *l, void *data)
{
	return weft_mw_run(&program, data, l, NULL);
}

/* The state at the end; rc of the master, and of each worker. */
static uint64_t run(struct chain *c, int processes, int rc)
{
	struct fork_link f;
	fork_begin(&f, processes, run_rank, c);
	CHECK_I64(weft_mw_run(&program, c, &f.link, NULL), rc);
	CHECK_I64(fork_end(&f, -rc), 0);
	return c->state;
}

static uint64_t alone(size_t n)
{
	return run(&(struct chain){.n = n}, 1, 0);
}

TEST(mw_results_are_those_of_one_process)
{
	static const size_t sizes[] = {1, 2, 7, MOST};
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int processes = 2; processes <= 6; processes++) {
			struct chain c = {.n = sizes[i]};
			CHECK_U64(run(&c, processes, 0), alone(sizes[i]));
			CHECK_I64(c.collected, ITERATIONS);
			CHECK_I64(c.finalised, 1);
			int most = sizes[i] < 2 ? 2 : (int)sizes[i]; /* one iteration has two tuples */
			CHECK_I64(c.most_workers, processes - 1 < most ? processes - 1 : most);
		}
}

TEST(mw_environment_sets_workers_and_chunks)
{
	setenv("WEFT_MW_WORKERS", "2", 1);
	setenv("WEFT_MW_CHUNK", "10", 1);
	struct chain c = {.n = MOST};
	CHECK_U64(run(&c, 5, 0), alone(MOST));
	CHECK_I64(c.most_workers, 2);
	CHECK_U64(c.chunks, 10 * 10 + 2); /* ten iterations of 97 tuples, one of none, one of 2 */
	unsetenv("WEFT_MW_WORKERS");
	unsetenv("WEFT_MW_CHUNK");
}

TEST(mw_number_and_chunk_may_change_between_iterations)
{
	uint64_t want = alone(MOST);
	for (int round = 0; round < 20; round++) {
		struct chain c = {.n = MOST, .random_knobs = true};
		CHECK_U64(run(&c, 5, 0), want);
	}
}

static atomic_bool turning;

static void *turn_knobs(void *unused)
{
	unsigned x = 1;
	while (atomic_load(&turning)) {
		x = x * 1103515245 + 12345;
		NOptWorkers = (int)(x >> 16) % 7 - 1;
		globalSizeChunk = (int)(x >> 20) % 40 - 3;
		sched_yield();
	}
	return unused;
}

TEST(mw_number_and_chunk_may_change_at_any_time)
{
	uint64_t want = alone(MOST);
	for (int round = 0; round < 20; round++) {
		struct chain c = {.n = MOST};
		struct fork_link f;
		pthread_t thread;
		fork_begin(&f, 5, run_rank, &c);
		atomic_store(&turning, true);
		REQUIRE(pthread_create(&thread, NULL, turn_knobs, NULL) == 0);
		CHECK_I64(weft_mw_run(&program, &c, &f.link, NULL), 0);
		atomic_store(&turning, false);
		pthread_join(thread, NULL);
		CHECK_I64(fork_end(&f, 0), 0);
		CHECK_U64(c.state, want);
	}
}

TEST(mw_failures_end_all_processes_with_their_code)
{
	run(&(struct chain){.n = MOST, .fail_partition = 4}, 4, -EDOM);
	run(&(struct chain){.n = MOST, .fail_compute = 4}, 4, -ERANGE);
	run(&(struct chain){.n = MOST, .fail_collect = 4}, 4, -EILSEQ);
	run(&(struct chain){.n = MOST, .fail_initialise = 2}, 4, -ENXIO);
	run(&(struct chain){.n = MOST, .fail_compute = 4}, 1, -ERANGE);
	struct weft_mw none = {0};
	struct weft_frame_link l = {.size = 1};
	CHECK_I64(weft_mw_run(&none, NULL, &l, NULL), -EINVAL);
}

TEST(mw_messages_that_are_none_of_ours_are_refused)
{
	static const struct {
		int rank;
		struct frame_head head;
		size_t n;
	} wrong[] = {
		{0, {.magic = 1, .kind = MW_ANSWER, .iteration = 1, .n = 1, .bytes = 8}, 8},
		{0, {.magic = FRAME_MAGIC, .kind = MW_WORK, .iteration = 1, .n = 1, .bytes = 8}, 8},
		{0, {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 2, .n = 1, .bytes = 8}, 8},
		{0, {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 1, .n = 2, .bytes = 8}, 8},
		{0, {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 1, .first = ~0ull, .n = 2, .bytes = 8}, 8},
		{0, {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 1, .n = 1, .bytes = 9}, 8},
		{0, {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 1, .n = 1, .bytes = 9}, 9},
		{0,
	         {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 1, .has_shared = 1, .shared = 99, .n = 1, .bytes = 8},
	         8},
		{1, {.magic = FRAME_MAGIC, .kind = MW_ANSWER, .iteration = 1, .n = 1, .bytes = 16}, 16},
		{1, {.magic = FRAME_MAGIC, .kind = MW_WORK, .iteration = 1, .n = 2, .bytes = 16}, 16},
		{1, {.magic = FRAME_MAGIC, .kind = MW_WORK, .iteration = 1, .n = 1, .bytes = ~0ull}, 16},
	};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct canned_link c;
		canned_begin(&c, wrong[i].rank, &wrong[i].head, wrong[i].n);
		CHECK_I64(weft_mw_run(&program, &(struct chain){.n = 1}, &c.link, NULL), -EPROTO);
		c.message.n = 3;
		CHECK_I64(weft_mw_run(&program, &(struct chain){.n = 1}, &c.link, NULL), -EPROTO);
		canned_end(&c);
	}
}

TEST(mw_runs_out_of_memory_in_order)
{
	struct weft_frame_link l = {.rank = 0, .size = 1};
	TEST_EACH_ALLOCATION_FAILS {
		struct chain c = {.n = MOST};
		int rc = weft_mw_run(&program, &c, &l, NULL);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
	}
}
