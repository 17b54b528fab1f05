/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c: each index once, failures, nesting; and the number of CPUs under affinity and quotas. */
#include "harness.h"
#include "base/atomic.h"
#include "base/fs.h"
#include "base/pool.h"
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the loop -- */

enum { N = 5000 };

struct work {
	unsigned threads;
	struct weft_atomic_u32 times[N];
	uint64_t square[N]; /* plain: must be visible to the caller */
	struct weft_atomic_u32 begun, bad_worker;
	size_t fail_from;
};

static int do_square(void *arg, size_t i, unsigned worker)
{
	struct work *w = arg;
	weft_add_u32(&w->times[i], 1);
	w->square[i] = (uint64_t)i * i;
	if (worker >= w->threads)
		weft_add_u32(&w->bad_worker, 1);
	return 0;
}

TEST(parallel_does_each_index_once)
{
	static const unsigned threads[] = {1, 2, 3, 8, 64};
	static const size_t sizes[] = {0, 1, 2, 7, N};
	static struct work w;
	for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
			memset(&w, 0, sizeof w);
			w.threads = threads[t];
			CHECK_I64(weft_parallel(threads[t], sizes[s], do_square, &w), 0);
			size_t wrong = 0;
			for (size_t i = 0; i < N; i++)
				wrong += weft_load_u32(&w.times[i]) != (i < sizes[s]) ||
				         w.square[i] != (i < sizes[s] ? i * i : 0);
			CHECK_U64(wrong, 0);
			CHECK_U64(weft_load_u32(&w.bad_worker), 0);
		}
	}
}

/* Rounds of 1, 2 … parts; a round sees what the one before wrote, and begin what all wrote. */
struct rounds {
	int64_t n, last, begin_fails;
	size_t fail_in;
	uint64_t before, now[64];
	struct weft_atomic_u32 running, overlapped, wrong, done;
};

static int64_t begin_round(void *arg)
{
	struct rounds *r = arg;
	uint64_t sum = 0;
	if (weft_load_u32(&r->running))
		weft_add_u32(&r->overlapped, 1);
	for (int64_t i = 0; i < r->n; i++)
		sum += r->now[i];
	r->before += sum;
	memset(r->now, 0, sizeof r->now);
	if (r->n == r->begin_fails)
		return -EPIPE;
	return r->n == r->last ? 0 : ++r->n;
}

static int do_round(void *arg, size_t i, unsigned worker)
{
	struct rounds *r = arg;
	(void)worker;
	weft_add_u32(&r->running, 1);
	weft_add_u32(&r->done, 1);
	if (r->before != (uint64_t)r->n * (uint64_t)(r->n - 1) / 2)
		weft_add_u32(&r->wrong, 1);
	r->now[i] = 1;
	weft_add_u32(&r->running, (uint32_t)-1);
	return (size_t)r->n == r->fail_in && i + 1 == r->fail_in ? -EIO : 0;
}

TEST(rounds_follow_each_other)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	for (unsigned repeat = 0; repeat < 40; repeat++) {
		struct rounds r = {.last = 64, .begin_fails = -1};
		CHECK_I64(weft_parallel_rounds(threads[repeat % 4], begin_round, do_round, &r), 0);
		CHECK_U64(r.before, 64 * 65 / 2);
		CHECK_U64(weft_load_u32(&r.overlapped), 0);
		CHECK_U64(weft_load_u32(&r.wrong), 0);
	}
}

TEST(rounds_end_with_the_first_failure)
{
	static const unsigned threads[] = {1, 2, 5};
	for (unsigned t = 0; t < 3; t++) {
		struct rounds failing = {.last = 64, .begin_fails = -1, .fail_in = 7};
		CHECK_I64(weft_parallel_rounds(threads[t], begin_round, do_round, &failing), -EIO);
		CHECK_I64(failing.n, 7);
		struct rounds stopped = {.last = 64, .begin_fails = 5};
		CHECK_I64(weft_parallel_rounds(threads[t], begin_round, do_round, &stopped), -EPIPE);
		CHECK_U64(weft_load_u32(&stopped.done), 15);
		struct rounds none = {.last = 0, .begin_fails = -1};
		CHECK_I64(weft_parallel_rounds(threads[t], begin_round, do_round, &none), 0);
		CHECK_U64(weft_load_u32(&none.done), 0);
	}
}

TEST(parallel_takes_the_width_of_the_machine)
{
	static struct work w;
	memset(&w, 0, sizeof w);
	w.threads = weft_pool_width();
	CHECK_I64(weft_parallel(0, N, do_square, &w), 0);
	CHECK_U64(weft_load_u32(&w.bad_worker), 0);
	CHECK_U64(w.square[N - 1], (uint64_t)(N - 1) * (N - 1));
}

static int fail_at_some(void *arg, size_t i, unsigned worker)
{
	struct work *w = arg;
	(void)worker;
	weft_add_u32(&w->begun, 1);
	return i >= w->fail_from ? -1000 - (int)i : 0;
}

/* Indices are taken in order, so every index below the failing ones was begun, and the lowest of them is among the failed. */
TEST(parallel_returns_the_failure_of_the_lowest_index_and_stops)
{
	static struct work w;
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		for (int round = 0; round < 50; round++) {
			memset(&w, 0, sizeof w);
			w.fail_from = 100;
			CHECK_I64(weft_parallel(threads, N, fail_at_some, &w), -1100);
			CHECK(weft_load_u32(&w.begun) >= 101 && weft_load_u32(&w.begun) <= 100 + threads);
		}
	}
}

static int count_up(void *arg, size_t i, unsigned worker)
{
	(void)i, (void)worker;
	weft_add_relaxed_u64(arg, 1);
	return 1; /* not negative: no failure */
}

static int nest(void *arg, size_t i, unsigned worker)
{
	(void)i, (void)worker;
	return weft_parallel(3, 10, count_up, arg);
}

TEST(parallel_nests)
{
	struct weft_atomic_u64 n = {0};
	CHECK_I64(weft_parallel(4, 20, nest, &n), 0);
	CHECK_U64(weft_load_u64(&n), 200);
}

TEST(parallel_works_alone_without_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_atomic_u64 n = {0};
		CHECK_I64(weft_parallel(4, 100, count_up, &n), 0);
		CHECK_U64(weft_load_u64(&n), 100);
	}
}

/* -- how many CPUs -- */

TEST(pool_width_can_be_set)
{
	static const struct {
		const char *threads;
		unsigned want; /* 0: the machine's */
	} cases[] = {{"1", 1}, {"17", 17}, {"99999999", 1024}, {"0", 0}, {"", 0}, {"x", 0}, {"-1", 0}, {"2x", 0}};
	const char *old = getenv("WEFT_THREADS");
	char *keep = old ? strdup(old) : NULL;
	unsetenv("WEFT_THREADS");
	unsigned width = weft_pool_width();
	CHECK(width >= 1);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		setenv("WEFT_THREADS", cases[i].threads, 1);
		CHECK_U64(weft_pool_width(), cases[i].want ? cases[i].want : width);
	}
	unsetenv("WEFT_THREADS");
	if (keep)
		setenv("WEFT_THREADS", keep, 1);
	free(keep);
}

TEST(pool_width_follows_affinity)
{
	cpu_set_t old, one;
	if (getenv("WEFT_THREADS"))
		SKIP("WEFT_THREADS is set");
	REQUIRE(sched_getaffinity(0, sizeof old, &old) == 0);
	CHECK(weft_pool_width() <= (unsigned)CPU_COUNT(&old));
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &old)) {
			CPU_SET(cpu, &one);
			break;
		}
	}
	REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
	unsigned width = weft_pool_width();
	REQUIRE(sched_setaffinity(0, sizeof old, &old) == 0);
	CHECK_U64(width, 1);
}

static void put_below(const char *name, const char *text)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	char *slash = strrchr(path, '/');
	*slash = '\0';
	REQUIRE(weft_make_dirs(path, NULL) == 0);
	*slash = '/';
	FILE *f = fopen(path, "w");
	REQUIRE(f);
	fputs(text, f);
	fclose(f);
}

#define V2 "sys/fs/cgroup/"
#define V1 "sys/fs/cgroup/cpu/"

/* Files of a made-up machine, and the quota that they mean. */
static const struct {
	const char *what;
	unsigned want;
	const char *files[8][2];
} machines[] = {
	{"nothing at all", 0, {{NULL}}},
	{"version 2, no limit", 0, {{"proc/self/cgroup", "0::/a\n"}, {V2 "a/cpu.max", "max 100000\n"}}},
	{"version 2, whole", 4, {{"proc/self/cgroup", "0::/a\n"}, {V2 "a/cpu.max", "400000 100000\n"}}},
	{"version 2, rounded up", 2, {{"proc/self/cgroup", "0::/a\n"}, {V2 "a/cpu.max", "150000 100000\n"}}},
	{"version 2, below one", 1, {{"proc/self/cgroup", "0::/a\n"}, {V2 "a/cpu.max", "1000 100000\n"}}},
	{"version 2, the narrowest of all above",
         2,
         {{"proc/self/cgroup", "0::/a/b/c\n"},
          {V2 "a/b/c/cpu.max", "max 100000\n"},
          {V2 "a/b/cpu.max", "200000 100000\n"},
          {V2 "a/cpu.max", "300000 100000\n"}}},
	{"version 2 in a container: only its own root is mounted",
         3,
         {{"proc/self/cgroup", "0::/docker/0123\n"}, {V2 "cpu.max", "300000 100000\n"}}},
	{"version 2, root group", 5, {{"proc/self/cgroup", "0::/\n"}, {V2 "cpu.max", "500000 100000\n"}}},
	{"version 2, nonsense", 0, {{"proc/self/cgroup", "0::/\n"}, {V2 "cpu.max", "x y\n"}}},
	{"version 2, empty file", 0, {{"proc/self/cgroup", "0::/\n"}, {V2 "cpu.max", ""}}},
	{"version 2, no period", 0, {{"proc/self/cgroup", "0::/\n"}, {V2 "cpu.max", "100000"}}},
	{"version 2, period zero", 0, {{"proc/self/cgroup", "0::/\n"}, {V2 "cpu.max", "100000 0\n"}}},
	{"version 1, no limit",
         0,
         {{"proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/a\n"},
          {V1 "a/cpu.cfs_quota_us", "-1\n"},
          {V1 "a/cpu.cfs_period_us", "100000\n"}}},
	{"version 1",
         3,
         {{"proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/a\n"},
          {V1 "a/cpu.cfs_quota_us", "250000\n"},
          {V1 "a/cpu.cfs_period_us", "100000\n"}}},
	{"version 1, above",
         2,
         {{"proc/self/cgroup", "4:cpuacct,cpu:/a/b\n"},
          {V1 "a/b/cpu.cfs_quota_us", "900000\n"},
          {V1 "a/b/cpu.cfs_period_us", "100000\n"},
          {V1 "cpu.cfs_quota_us", "100000\n"},
          {V1 "cpu.cfs_period_us", "50000\n"}}},
	{"version 1, another controller's group",
         0,
         {{"proc/self/cgroup", "4:cpuset:/a\n"}, {V1 "a/cpu.cfs_quota_us", "100000\n"}, {V1 "a/cpu.cfs_period_us", "100000\n"}}},
	{"both versions",
         2,
         {{"proc/self/cgroup", "1:cpu:/a\n0::/b\n"},
          {V1 "a/cpu.cfs_quota_us", "300000\n"},
          {V1 "a/cpu.cfs_period_us", "100000\n"},
          {V2 "b/cpu.max", "200000 100000\n"}}},
	{"broken list", 0, {{"proc/self/cgroup", "\n:\n::\n0\nx:cpu\n"}}},
};

TEST(pool_quota)
{
	char root[PATH_MAX];
	for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
		char name[32];
		snprintf(name, sizeof name, "%zu", i);
		for (size_t k = 0; k < 8 && machines[i].files[k][0]; k++) {
			char file[200];
			snprintf(file, sizeof file, "%s/%s", name, machines[i].files[k][0]);
			put_below(file, machines[i].files[k][1]);
		}
		snprintf(root, sizeof root, "%s/%s", test_dir(), name);
		if (!CHECK_U64(weft_pool_quota(root), machines[i].want))
			printf("# %s\n", machines[i].what);
	}
}

TEST(pool_quota_survives_long_paths)
{
	static char line[3 * PATH_MAX];
	memset(line, 'a', sizeof line - 1);
	memcpy(line, "0::/", 4);
	put_below("proc/self/cgroup", line);
	CHECK_U64(weft_pool_quota(test_dir()), 0);
	memset(line, 'r', sizeof line - 1);
	CHECK_U64(weft_pool_quota(line), 0);
}

/* -- giving up: on all threads and in the loops within; without being asked nothing ends -- */

enum { ITEMS = 2000, STOP_AT = 40 };

static struct weft_atomic_u32 done;

static bool enough(void *arg)
{
	return weft_load_u32(arg) >= STOP_AT;
}

static int one(void *arg, size_t i, unsigned worker)
{
	(void)arg, (void)i, (void)worker;
	weft_add_u32(&done, 1);
	return 0;
}

static int nested(void *arg, size_t i, unsigned worker)
{
	(void)i, (void)worker;
	return weft_parallel(2, ITEMS, one, arg);
}

TEST(a_loop_ends_when_nobody_waits)
{
	const struct weft_stop stop = {enough, &done};
	for (unsigned threads = 1; threads < 5; threads++) {
		weft_store_u32(&done, 0);
		CHECK(!weft_stop_set(&stop));
		CHECK_I64(weft_parallel(threads, ITEMS, one, NULL), -ECANCELED);
		CHECK(weft_load_u32(&done) >= STOP_AT && weft_load_u32(&done) < STOP_AT + threads);
		CHECK(weft_stop_now());
		CHECK(weft_stop_set(NULL) == &stop);
		CHECK_I64(weft_parallel(threads, ITEMS, one, NULL), 0);
		CHECK(!weft_stop_now());
	}
}

TEST(so_do_loops_within_it)
{
	const struct weft_stop stop = {enough, &done};
	weft_store_u32(&done, 0);
	weft_stop_set(&stop);
	CHECK_I64(weft_parallel(4, ITEMS, nested, NULL), -ECANCELED);
	CHECK(weft_load_u32(&done) < STOP_AT + 8);
	weft_stop_set(NULL);
}

TEST(steps_look_now_and_then)
{
	const struct weft_stop stop = {enough, &done};
	unsigned looks = 0;
	weft_store_u32(&done, STOP_AT);
	CHECK(!weft_stop_soon());
	weft_stop_set(&stop);
	while (!weft_stop_soon())
		REQUIRE(++looks < 32);
	weft_stop_set(NULL);
}
