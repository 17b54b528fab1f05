/* SPDX-License-Identifier: Apache-2.0 */
#include "build_maker.h"
#include <errno.h>
#include <pthread.h>

enum { N = 50000 };

static struct weft_trace *ramp(void) /* event i at time 2i, several times equal at each 1000th */
{
	struct weft_builder *b = made_builder(2);
	weft_build_keep_zero(b, 0);
	for (uint64_t i = 0; i < N; i++)
		made_point(b, 0, i % 1000 < 5 ? 2 * (i - i % 1000) : 2 * i, i);
	return made_trace(b);
}

static uint64_t time_of(uint64_t i)
{
	return i % 1000 < 5 ? 2 * (i - i % 1000) : 2 * i;
}

static void check_range(const struct weft_trace *t, uint64_t from, uint64_t to)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t want = 0;
	int more;
	while (want < N && time_of(want) < from)
		want++;
	REQUIRE(weft_cursor_begin(&c, t, 0, from, to) == 0);
	while ((more = weft_cursor_next(&c, &b)) > 0) {
		REQUIRE(b.n > 0 && b.n <= WEFT_BLOCK_EVENTS);
		for (uint32_t i = 0; i < b.n; i++, want++)
			if (b.value[i] != want || b.time[i] != time_of(want) || b.what[i] != weft_what(WEFT_EV_POINT, 1))
				CHECK_U64(b.value[i], want);
	}
	CHECK_I64(more, 0);
	CHECK(want == N || time_of(want) >= to);
	CHECK_I64(weft_cursor_next(&c, &b), 0); /* stays at the end */
	CHECK_U64(b.n, 0);
	weft_cursor_end(&c);
}

TEST(every_range_gives_just_its_events)
{
	struct weft_trace *t = ramp();
	check_range(t, 0, WEFT_NEVER);
	check_range(t, 0, 0);
	check_range(t, 0, 1);
	check_range(t, 2 * N, WEFT_NEVER);
	check_range(t, WEFT_NEVER - 1, WEFT_NEVER);
	check_range(t, 10, 5);
	/* Around the bounds of blocks, and where times are equal. */
	for (uint64_t i = 2 * WEFT_BLOCK_EVENTS - 4; i < 2 * WEFT_BLOCK_EVENTS + 4; i++) {
		check_range(t, i, WEFT_NEVER);
		check_range(t, 0, i);
		check_range(t, i, i + 1);
	}
	for (unsigned i = 0; i < 200; i++) {
		uint64_t from = test_random() % (2 * N + 10);
		check_range(t, from, from + test_random() % (1 + test_random() % 30000));
	}
	weft_trace_close(t);
}

static void *read_all(void *arg)
{
	const struct weft_trace *t = arg;
	for (unsigned i = 0; i < 5; i++)
		check_range(t, i * 100, WEFT_NEVER);
	return NULL;
}

TEST(many_may_read_at_once)
{
	struct weft_trace *t = ramp();
	pthread_t reader[4];
	for (unsigned i = 0; i < 4; i++)
		REQUIRE(pthread_create(&reader[i], NULL, read_all, t) == 0);
	for (unsigned i = 0; i < 4; i++)
		REQUIRE(pthread_join(reader[i], NULL) == 0);
	weft_trace_close(t);
}

TEST(threads_without_events_and_threads_that_are_not_there)
{
	struct weft_trace *t = ramp();
	struct weft_cursor c;
	struct weft_block b;
	REQUIRE(weft_cursor_begin(&c, t, 1, 0, WEFT_NEVER) == 0);
	CHECK_I64(weft_cursor_next(&c, &b), 0);
	weft_cursor_end(&c);
	CHECK_I64(weft_cursor_begin(&c, t, 2, 0, WEFT_NEVER), -EINVAL);
	weft_cursor_end(&c);
	weft_trace_close(t);
}

TEST(payloads_stay_valid_after_the_cursor)
{
	struct weft_builder *b = made_builder(1);
	struct weft_appender *a = weft_builder_appender(b, 0);
	static uint64_t place[10000];
	uint64_t words[7];
	for (uint64_t i = 0; i < 10000; i++) {
		for (unsigned k = 0; k < i % 8; k++)
			words[k] = i * 10 + k;
		REQUIRE(weft_append_extra(a, i, weft_what(WEFT_EV_SAMPLE, 0), words, i % 8) == 0);
	}
	struct weft_trace *t = made_trace(b);
	struct weft_cursor c;
	struct weft_block block;
	uint64_t n = 0;
	REQUIRE(weft_cursor_begin(&c, t, 0, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &block) > 0)
		for (uint32_t i = 0; i < block.n; i++)
			place[n++] = block.value[i];
	weft_cursor_end(&c);
	REQUIRE(n == 10000);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t count;
		const uint64_t *at = weft_extra(t, 0, place[i], &count);
		REQUIRE(at != NULL);
		CHECK_U64(count, i % 8);
		for (unsigned k = 0; k < count; k++)
			CHECK(at[k] == i * 10 + k);
	}
	uint32_t count;
	CHECK(weft_extra(t, 0, UINT64_MAX, &count) == NULL && count == 0);
	weft_trace_close(t);
}

/* Blocks in turn of points, of counter i / 2 and of states; each is told from the others by its kind or by its (kind, id). */
static struct weft_trace *mixed(void)
{
	struct weft_builder *b = made_builder(1);
	struct weft_appender *a = weft_builder_appender(b, 0);
	for (unsigned i = 0; i < 40; i++)
		REQUIRE(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "c", .code = i}) == i + 1);
	for (uint64_t i = 0; i < 60 * WEFT_BLOCK_EVENTS; i++) {
		uint64_t block = i / WEFT_BLOCK_EVENTS;
		uint32_t what = block % 3 == 0   ? weft_what(WEFT_EV_POINT, 1)
		                : block % 3 == 1 ? weft_what(WEFT_EV_COUNTER, (unsigned)block / 3 + 1)
		                                 : weft_what(WEFT_EV_ENTER, 1);
		REQUIRE(weft_append(a, i, what, block % 3 == 2 ? 0 : i) == 0);
	}
	return made_trace(b);
}

/* Which of the 60 blocks come. */
static uint64_t blocks_that_come(const struct weft_trace *t, struct weft_wanted w)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t came = 0;
	REQUIRE(weft_cursor_begin(&c, t, 0, 0, WEFT_NEVER) == 0);
	weft_cursor_want(&c, w);
	while (weft_cursor_next(&c, &b) > 0) {
		CHECK(b.n == WEFT_BLOCK_EVENTS && b.time[0] % WEFT_BLOCK_EVENTS == 0); /* whole, and in its place */
		came |= UINT64_C(1) << b.time[0] / WEFT_BLOCK_EVENTS;
	}
	weft_cursor_end(&c);
	return came;
}

TEST(blocks_without_what_is_wanted_are_passed_over)
{
	struct weft_trace *t = mixed();
	uint64_t all = (UINT64_C(1) << 60) - 1, points = all / 7, counters = points << 1;
	CHECK_U64(blocks_that_come(t, (struct weft_wanted){0}), all);
	CHECK_U64(blocks_that_come(t, (struct weft_wanted){.kinds = 1ull << WEFT_EV_POINT}), points);
	CHECK_U64(blocks_that_come(t, (struct weft_wanted){.kinds = 1ull << WEFT_EV_POINT | 1ull << WEFT_EV_COUNTER}),
	          points | counters);
	CHECK_U64(blocks_that_come(t, (struct weft_wanted){.kinds = 1ull << WEFT_EV_RECV}), 0);
	unsigned more = 0;
	for (unsigned i = 1; i <= 20; i++) {
		uint64_t came = blocks_that_come(t, (struct weft_wanted){.whats = weft_what_bit(weft_what(WEFT_EV_COUNTER, i))});
		CHECK(came >> (3 * i - 2) & 1);
		more += (unsigned)__builtin_popcountll(came) - 1;
	}
	CHECK(more < 20 * 59 / 4); /* some share a bit; most do not */
	weft_trace_close(t);
}

TEST(values_that_need_their_own_way_are_refused)
{
	struct weft_builder *b = made_builder(1);
	struct weft_appender *a = weft_builder_appender(b, 0);
	uint64_t word = 0, time = 0;
	uint32_t send = weft_what(WEFT_EV_SEND, 0), unknown = weft_what(60, 0), definition = weft_what(WEFT_EV_DEF_REGION, 0);
	CHECK_I64(weft_append(a, 0, send, 0), -EINVAL);
	CHECK_I64(weft_append(a, 0, weft_what(WEFT_EV_SAMPLE, 0), 0), -EINVAL);
	CHECK_I64(weft_append(a, 0, unknown, 0), -EINVAL);
	CHECK_I64(weft_append(a, 0, definition, 0), -EINVAL);
	CHECK_I64(weft_append_block(a, 1, &time, &send, &word), -EINVAL);
	CHECK_I64(weft_append_block(a, 1, &time, &definition, &word), -EINVAL);
	CHECK_I64(weft_append_extra(a, 0, weft_what(WEFT_EV_POINT, 1), &word, 1), -EINVAL);
	weft_builder_free(b);
}

TEST(cursor_says_when_memory_is_out)
{
	struct weft_trace *t = ramp();
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_cursor c;
		struct weft_block b;
		REQUIRE(weft_cursor_begin(&c, t, 0, 0, WEFT_NEVER) == 0);
		int rc = weft_cursor_next(&c, &b);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 1);
		weft_cursor_end(&c);
	}
	weft_trace_close(t);
}
