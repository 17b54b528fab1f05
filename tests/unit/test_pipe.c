/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src/frame/pipe_*.c over forked processes: what comes out is what one process makes, in order, whatever replicas and batches are and
 * whenever they change; failures reach everybody.
 */
#include "harness.h"
#include "frame_canned.h"
#include "frame_fork.h"
#include "frame/pipe_priv.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ITEMS = 300 };

struct thing {
	uint64_t number, value;
};

struct line {
	uint64_t items, taken, sum;
	int fail_source, fail_sink, fail_work, fail_initialise, out_of_order, finalised;
	bool random_knobs;
};

static int initialise(void *user, int rank, int size)
{
	struct line *l = user;
	return size && l->fail_initialise && l->fail_initialise == rank ? -ENXIO : 0;
}

static int source(void *user, uint64_t number, void *item)
{
	struct line *l = user;
	*(struct thing *)item = (struct thing){number, number * 77};
	if (l->fail_source && number == 40)
		return -EDOM;
	return number < l->items;
}

static int work(struct line *l, uint64_t number, struct thing *t, uint64_t stage)
{
	if (t->number != number)
		return -EBADMSG;
	for (unsigned i = 0; i < 50 * stage; i++)
		t->value = (t->value ^ (t->value >> 29)) * 0xbf58476d1ce4e5b9u + stage;
	return l->fail_work && number == 40 && stage == 2 ? -ERANGE : 0;
}

static int first(void *user, uint64_t number, void *item)
{
	return work(user, number, item, 1);
}

static int second(void *user, uint64_t number, void *item)
{
	return work(user, number, item, 2);
}

static int third(void *user, uint64_t number, void *item)
{
	return work(user, number, item, 3);
}

static int sink(void *user, uint64_t number, const void *item)
{
	struct line *l = user;
	const struct thing *t = item;
	l->out_of_order += number != l->taken++ || t->number != number;
	l->sum = l->sum * 31 + t->value;
	if (l->random_knobs) {
		PipeBatch = (int)(test_random() % 12) - 1;
		for (unsigned s = 0; s < WEFT_PIPE_STAGES; s++)
			*pipe_replicas[s] = (int)(test_random() % 7) - 1;
	}
	return l->fail_sink && number == 40 ? -EILSEQ : 0;
}

static int finalise(void *user, int rank)
{
	((struct line *)user)->finalised += rank == 0;
	return 0;
}

static const struct weft_pipe_stage stages[] = {{"first", first}, {"second", second}, {"third", third}};
static const struct weft_pipe program = {sizeof(struct thing), 3, stages, initialise, source, sink, finalise};

static int run_rank(struct weft_frame_link *l, void *data)
{
	return weft_pipe_run(&program, data, l, NULL);
}

static uint64_t run(struct line *line, int processes, int rc)
{
	struct fork_link f;
	fork_begin(&f, processes, run_rank, line);
	CHECK_I64(weft_pipe_run(&program, line, &f.link, NULL), rc);
	CHECK_I64(fork_end(&f, -rc), 0);
	if (rc == 0) {
		CHECK_U64(line->taken, line->items);
		CHECK_I64(line->finalised, 1);
	}
	CHECK_I64(line->out_of_order, 0);
	return line->sum;
}

static uint64_t alone(uint64_t items)
{
	return run(&(struct line){.items = items}, 1, 0);
}

TEST(pipe_gives_what_one_process_gives_in_order)
{
	static const uint64_t sizes[] = {0, 1, 5, 64, ITEMS};
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int processes = 2; processes <= 7; processes++)
			CHECK_U64(run(&(struct line){.items = sizes[i]}, processes, 0), alone(sizes[i]));
}

TEST(pipe_window_and_batch_come_from_the_environment)
{
	setenv("WEFT_PIPE_WINDOW", "7", 1);
	setenv("WEFT_PIPE_BATCH", "100", 1);
	CHECK_U64(run(&(struct line){.items = ITEMS}, 5, 0), alone(ITEMS));
	CHECK_I64(PipeBatchNow, 7);
	unsetenv("WEFT_PIPE_WINDOW");
	unsetenv("WEFT_PIPE_BATCH");
}

TEST(pipe_replicas_and_batch_may_change_between_items)
{
	setenv("WEFT_PIPE_WINDOW", "9", 1);
	uint64_t want = alone(ITEMS);
	for (int round = 0; round < 15; round++)
		CHECK_U64(run(&(struct line){.items = ITEMS, .random_knobs = true}, 3 + round % 5, 0), want);
	unsetenv("WEFT_PIPE_WINDOW");
}

static atomic_bool turning;

static void *turn_knobs(void *unused)
{
	unsigned x = 1;
	while (atomic_load(&turning)) {
		x = x * 1103515245 + 12345;
		PipeBatch = (int)(x >> 16) % 20 - 2;
		*pipe_replicas[x >> 29] = (int)(x >> 18) % 9 - 1;
		sched_yield();
	}
	return unused;
}

TEST(pipe_replicas_and_batch_may_change_at_any_time)
{
	uint64_t want = alone(ITEMS);
	setenv("WEFT_PIPE_WINDOW", "16", 1);
	for (int round = 0; round < 10; round++) {
		struct line line = {.items = ITEMS};
		struct fork_link f;
		pthread_t thread;
		fork_begin(&f, 6, run_rank, &line);
		atomic_store(&turning, true);
		REQUIRE(pthread_create(&thread, NULL, turn_knobs, NULL) == 0);
		CHECK_I64(weft_pipe_run(&program, &line, &f.link, NULL), 0);
		atomic_store(&turning, false);
		pthread_join(thread, NULL);
		CHECK_I64(fork_end(&f, 0), 0);
		CHECK_U64(line.sum, want);
	}
	unsetenv("WEFT_PIPE_WINDOW");
}

TEST(pipe_failures_end_all_processes_with_their_code)
{
	run(&(struct line){.items = ITEMS, .fail_source = 1}, 5, -EDOM);
	run(&(struct line){.items = ITEMS, .fail_work = 1}, 5, -ERANGE);
	run(&(struct line){.items = ITEMS, .fail_sink = 1}, 5, -EILSEQ);
	run(&(struct line){.items = ITEMS, .fail_initialise = 2}, 5, -ENXIO);
	run(&(struct line){.items = ITEMS, .fail_work = 1}, 1, -ERANGE);
	struct weft_frame_link l = {.size = 1};
	struct weft_pipe wrong = program;
	wrong.stages = WEFT_PIPE_STAGES + 1;
	CHECK_I64(weft_pipe_run(&wrong, NULL, &l, NULL), -EINVAL);
}

TEST(pipe_shares_out_all_servers_and_leaves_no_stage_empty)
{
	static const struct {
		int wanted[3];
		unsigned servers, out[3];
	} rows[] = {
		{{0, 0, 0}, 3, {1, 1, 1}}, {{0, 0, 0}, 8, {3, 3, 2}},         {{1, 5, 2}, 8, {1, 5, 2}},
		{{9, 9, 9}, 6, {2, 2, 2}}, {{6, 1, 1}, 4, {2, 1, 1}},         {{2, 0, 2}, 8, {2, 4, 2}},
		{{1, 1, 1}, 5, {2, 2, 1}}, {{-3, 1000000, -1}, 3, {1, 1, 1}},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned out[3];
		pipe_share(rows[i].wanted, 3, rows[i].servers, out);
		for (unsigned s = 0; s < 3; s++)
			CHECK_U64(out[s], rows[i].out[s]);
	}
}

TEST(pipe_messages_that_are_none_of_ours_are_refused)
{
	enum { EACH = sizeof(uint64_t) + sizeof(struct thing) };
	static const struct {
		int rank;
		struct frame_head head;
		size_t n;
	} wrong[] = {
		{0, {.magic = FRAME_MAGIC, .kind = PIPE_BATCH, .n = 1, .bytes = EACH}, EACH},
		{0, {.magic = FRAME_MAGIC, .kind = PIPE_ANSWER, .first = 1, .n = 1, .bytes = EACH}, EACH},
		{0, {.magic = FRAME_MAGIC, .kind = PIPE_ANSWER, .n = 2, .bytes = 2 * EACH}, 2 * EACH},
		{0, {.magic = FRAME_MAGIC, .kind = PIPE_ANSWER, .n = 1, .bytes = EACH - 1}, EACH - 1},
		{1, {.magic = FRAME_MAGIC, .kind = PIPE_ANSWER, .n = 1, .bytes = EACH}, EACH},
		{1, {.magic = FRAME_MAGIC, .kind = PIPE_BATCH, .first = 3, .n = 1, .bytes = EACH}, EACH},
		{1, {.magic = FRAME_MAGIC, .kind = PIPE_BATCH, .n = 2, .bytes = EACH}, EACH},
		{1, {.magic = FRAME_MAGIC, .kind = PIPE_BATCH, .n = ~0ull / EACH, .bytes = EACH}, EACH},
	};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct canned_link c;
		canned_begin(&c, wrong[i].rank, &wrong[i].head, wrong[i].n);
		CHECK_I64(weft_pipe_run(&program, &(struct line){.items = 1}, &c.link, NULL), -EPROTO);
		canned_end(&c);
	}
}

TEST(pipe_runs_out_of_memory_in_order)
{
	struct weft_frame_link l = {.rank = 0, .size = 1};
	TEST_EACH_ALLOCATION_FAILS {
		struct line line = {.items = 20};
		int rc = weft_pipe_run(&program, &line, &l, NULL);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
	}
}
