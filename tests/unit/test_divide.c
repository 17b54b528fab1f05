/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src/frame/divide_*.c over forked processes: sorted numbers come out, whatever the depth is and whenever it changes; failures
 * reach everybody.
 */
#include "harness.h"
#include "frame_canned.h"
#include "frame_fork.h"
#include "frame/divide_priv.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700, PROBLEMS = 10 };

struct sorter {
	uint32_t given[MOST], n;
	int solved, unsorted, fail_divide, fail_solve, fail_combine, fail_solved, fail_initialise;
	int leaves;
	bool random_depth;
};

static int initialise(void *user, int rank, int size)
{
	struct sorter *s = user;
	return size && s->fail_initialise && s->fail_initialise == rank ? -ENXIO : 0;
}

static int problem(void *user, int number, struct weft_frame_bytes *out)
{
	struct sorter *s = user;
	s->n = (uint32_t)(number == 3 ? 0 : number == 4 ? 1 : (test_random() % MOST));
	for (uint32_t i = 0; i < s->n; i++)
		s->given[i] = (uint32_t)test_random();
	if (s->random_depth)
		DivideDepth = (int)(test_random() % 12) - 1;
	int rc = weft_frame_put(out, s->given, s->n * sizeof *s->given);
	return rc ? rc : number <= PROBLEMS;
}

/* Into three parts of different lengths. */
static int divide(void *user, struct weft_divide_bytes p, struct weft_divide_parts *parts)
{
	const uint32_t *x = p.data;
	size_t n = p.bytes / sizeof *x, at[] = {0, n / 5, n / 2, n};
	if (((struct sorter *)user)->fail_divide)
		return -EDOM;
	int rc = 0;
	for (unsigned i = 0; i < 3 && n > 5 && rc == 0; i++)
		rc = weft_divide_part(parts, x + at[i], (at[i + 1] - at[i]) * sizeof *x);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static int solve(void *user, struct weft_divide_bytes p, struct weft_frame_bytes *out)
{
	uint32_t copy[MOST];
	if (p.bytes)
		memcpy(copy, p.data, p.bytes);
	qsort(copy, p.bytes / sizeof *copy, sizeof *copy, by_number);
	return ((struct sorter *)user)->fail_solve ? -ERANGE : weft_frame_put(out, copy, p.bytes);
}

static int combine(void *user, const struct weft_divide_bytes *part, unsigned n, struct weft_frame_bytes *out)
{
	size_t at[3] = {0};
	for (; n == 3 && !((struct sorter *)user)->fail_combine;) {
		const uint32_t *least = NULL;
		unsigned from = 0;
		for (unsigned i = 0; i < n; i++) {
			const uint32_t *x = (const uint32_t *)part[i].data + at[i];
			if (at[i] < part[i].bytes / sizeof *x && (!least || *x < *least)) {
				least = x;
				from = i;
			}
		}
		if (!least)
			return 0;
		at[from]++;
		int rc = weft_frame_put(out, least, sizeof *least);
		if (rc)
			return rc;
	}
	return -EBADMSG;
}

static int solved(void *user, int number, struct weft_divide_bytes solution)
{
	struct sorter *s = user;
	qsort(s->given, s->n, sizeof *s->given, by_number);
	s->unsorted += solution.bytes != s->n * sizeof *s->given ||
	               (s->n && memcmp(solution.data, s->given, solution.bytes) != 0);
	s->unsorted += number != ++s->solved;
	s->leaves += DivideLeaves;
	return s->fail_solved ? -EILSEQ : 0;
}

static const struct weft_divide program = {initialise, problem, divide, solve, combine, solved, NULL};

static int run_rank(struct weft_frame_link *l, void *data)
{
	return weft_divide_run(&program, data, l, NULL);
}

static void run(struct sorter *s, int processes, int rc)
{
	struct fork_link f;
	fork_begin(&f, processes, run_rank, s);
	CHECK_I64(weft_divide_run(&program, s, &f.link, NULL), rc);
	CHECK_I64(fork_end(&f, -rc), 0);
	if (rc == 0) {
		CHECK_I64(s->solved, PROBLEMS);
		CHECK_I64(s->unsorted, 0);
	}
}

TEST(divide_solves_at_every_depth)
{
	char depth[16];
	for (int d = 0; d <= 9; d += d < 4 ? 1 : 5) {
		snprintf(depth, sizeof depth, "%d", d);
		setenv("WEFT_DIVIDE_DEPTH", depth, 1);
		for (int processes = 1; processes <= 6; processes++) {
			struct sorter s = {0};
			run(&s, processes, 0);
			CHECK(d == 0 ? s.leaves == PROBLEMS : s.leaves > PROBLEMS * 2);
		}
	}
	unsetenv("WEFT_DIVIDE_DEPTH");
}

TEST(divide_depth_may_change_between_problems)
{
	for (int round = 0; round < 15; round++)
		run(&(struct sorter){.random_depth = true}, 1 + round % 6, 0);
}

static atomic_bool turning;

static void *turn_knob(void *unused)
{
	for (unsigned x = 1; atomic_load(&turning); sched_yield()) {
		x = x * 1103515245 + 12345;
		DivideDepth = (int)(x >> 16) % 30 - 5;
	}
	return unused;
}

TEST(divide_depth_may_change_at_any_time)
{
	for (int round = 0; round < 10; round++) {
		struct sorter s = {0};
		struct fork_link f;
		pthread_t thread;
		fork_begin(&f, 5, run_rank, &s);
		atomic_store(&turning, true);
		REQUIRE(pthread_create(&thread, NULL, turn_knob, NULL) == 0);
		CHECK_I64(weft_divide_run(&program, &s, &f.link, NULL), 0);
		atomic_store(&turning, false);
		pthread_join(thread, NULL);
		CHECK_I64(fork_end(&f, 0), 0);
		CHECK_I64(s.unsorted, 0);
	}
}

TEST(divide_failures_end_all_processes_with_their_code)
{
	setenv("WEFT_DIVIDE_DEPTH", "2", 1);
	run(&(struct sorter){.fail_divide = 1}, 4, -EDOM);
	run(&(struct sorter){.fail_solve = 1}, 4, -ERANGE);
	run(&(struct sorter){.fail_combine = 1}, 4, -EBADMSG);
	run(&(struct sorter){.fail_solved = 1}, 4, -EILSEQ);
	run(&(struct sorter){.fail_initialise = 2}, 4, -ENXIO);
	run(&(struct sorter){.fail_solve = 1}, 1, -ERANGE);
	unsetenv("WEFT_DIVIDE_DEPTH");
	struct weft_frame_link l = {.size = 1};
	CHECK_I64(weft_divide_run(&(struct weft_divide){0}, NULL, &l, NULL), -EINVAL);
}

TEST(divide_messages_that_are_none_of_ours_are_refused)
{
	static const struct {
		int rank;
		struct frame_head head;
		size_t n;
	} wrong[] = {
		{0, {.magic = FRAME_MAGIC, .kind = DIVIDE_LEAF, .iteration = 1, .n = 1}, 0},
		{0, {.magic = FRAME_MAGIC, .kind = DIVIDE_ANSWER, .iteration = 2, .n = 1}, 0},
		{0, {.magic = FRAME_MAGIC, .kind = DIVIDE_ANSWER, .iteration = 1, .first = 1, .n = 1}, 0},
		{0, {.magic = FRAME_MAGIC, .kind = DIVIDE_ANSWER, .iteration = 1, .n = 1, .bytes = 1}, 0},
		{0, {.magic = FRAME_MAGIC, .kind = DIVIDE_ANSWER, .iteration = 1, .has_shared = 1, .shared = 4, .n = 1}, 4},
		{1, {.magic = FRAME_MAGIC, .kind = DIVIDE_ANSWER, .iteration = 1, .n = 1}, 0},
		{1, {.magic = 7, .kind = DIVIDE_LEAF, .iteration = 1, .n = 1}, 0},
	};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct canned_link c;
		canned_begin(&c, wrong[i].rank, &wrong[i].head, wrong[i].n);
		CHECK_I64(weft_divide_run(&program, &(struct sorter){0}, &c.link, NULL), -EPROTO);
		canned_end(&c);
	}
}

TEST(divide_runs_out_of_memory_in_order)
{
	struct weft_frame_link l = {.rank = 0, .size = 1};
	setenv("WEFT_DIVIDE_DEPTH", "3", 1);
	TEST_EACH_ALLOCATION_FAILS {
		struct sorter s = {0};
		int rc = weft_divide_run(&program, &s, &l, NULL);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
	}
	unsetenv("WEFT_DIVIDE_DEPTH");
}
