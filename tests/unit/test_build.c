/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: order, axis, objects, definitions. */
#include "build_maker.h"
#include "trace/store/index_files.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

struct model {
	uint64_t time, value;
};

static int by_time(const void *x, const void *y)
{
	const struct model *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->value < b->value ? -1 : 1;
}

/* Appends n events whose times `next` gives, and checks that they come back sorted, equal times in order of appending. */
static void check_order(uint64_t n, uint64_t (*next)(uint64_t i, uint64_t n))
{
	struct weft_builder *b = made_builder(1);
	struct model *m = malloc(n * sizeof *m);
	REQUIRE(m != NULL);
	weft_build_keep_zero(b, 0);
	for (uint64_t i = 0; i < n; i++) {
		m[i] = (struct model){next(i, n), i};
		if (i % 5 == 4) {
			uint64_t words[2] = {i, ~i};
			REQUIRE(weft_append_extra(weft_builder_appender(b, 0), m[i].time, weft_what(WEFT_EV_DATA, 0), words, 2) ==
			        0);
		} else {
			made_point(b, 0, m[i].time, i);
		}
	}
	qsort(m, n, sizeof *m, by_time);
	struct weft_trace *t = made_trace(b);
	struct weft_cursor c;
	struct weft_block block;
	uint64_t at = 0, wrong = 0;
	REQUIRE(weft_cursor_begin(&c, t, 0, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &block) > 0)
		for (uint32_t i = 0; i < block.n; i++, at++) {
			uint32_t words;
			uint64_t value = block.value[i];
			const uint64_t *extra = weft_what_kind(block.what[i]) == WEFT_EV_DATA ? weft_extra(t, 0, value, &words)
			                                                                      : NULL;
			if (extra) {
				value = extra[0];
				wrong += words != 2 || extra[1] != ~value;
			}
			wrong += at >= n || block.time[i] != m[at].time || value != m[at].value;
		}
	weft_cursor_end(&c);
	CHECK_U64(at, n);
	CHECK_U64(wrong, 0);
	CHECK_U64(t->def[WEFT_CLASS_TYPE].at[1].n_events, n - n / 5);
	CHECK_U64(t->thread[0].n_events, n);
	weft_trace_close(t);
	free(m);
}

static uint64_t ascending(uint64_t i, uint64_t n)
{
	(void)n;
	return i / 3;
}
static uint64_t descending(uint64_t i, uint64_t n)
{
	return (n - i) / 2;
}
static uint64_t shuffled(uint64_t i, uint64_t n)
{
	(void)i;
	return test_random() % (n / 4 + 1);
}
static uint64_t nearly(uint64_t i, uint64_t n)
{
	(void)n;
	return 100 + i - test_random() % 100;
}
static uint64_t two_streams(uint64_t i, uint64_t n) /* the second half goes over the same time again */
{
	return i < n / 2 ? 3 * i : 3 * (i - n / 2) + 1;
}
static uint64_t late_one(uint64_t i, uint64_t n)
{
	return i + 1 == n ? 5 : i;
}

TEST(events_come_sorted_whatever_their_order)
{
	static uint64_t (*const orders[])(uint64_t, uint64_t) = {ascending, descending, nearly, shuffled, two_streams, late_one};
	static const uint64_t counts[] = {1, 2, 4096, 4097, 30000};
	for (unsigned o = 0; o < sizeof orders / sizeof *orders; o++)
		for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
			check_order(counts[i], orders[o]);
}

/* More runs than are merged at once. */
TEST_IN(TIER_FULL, large_disorder_is_sorted)
{
	check_order(300000, shuffled);
	check_order(300000, descending);
}

TEST(blocks_are_as_good_as_single_events)
{
	enum { N = 20000 };
	static uint64_t time[N], value[N];
	static uint32_t what[N];
	struct weft_builder *b = made_builder(2);
	for (uint64_t i = 0; i < N; i++) {
		time[i] = 10 + i - (i % 100 == 50 ? 5 : 0);
		value[i] = i % 2 ? i : 0;
		what[i] = i % 2           ? weft_what(WEFT_EV_POINT, 1)
		          : i % 1000 == 0 ? weft_what(WEFT_EV_DROPPED, 0)
		                          : weft_what(WEFT_EV_ENTER, 1);
		if (i % 1000 == 0)
			value[i] = 3;
		REQUIRE(weft_append(weft_builder_appender(b, 0), time[i], what[i], value[i]) == 0);
	}
	for (uint32_t i = 0; i < N;) {
		uint32_t n = 1 + (uint32_t)(test_random() % 9000);
		n = n < N - i ? n : N - i;
		REQUIRE(weft_append_block(weft_builder_appender(b, 1), n, time + i, what + i, value + i) == 0);
		i += n;
	}
	struct weft_trace *t = made_trace(b);
	struct weft_cursor c, d;
	struct weft_block x, y;
	uint64_t n = 0;
	REQUIRE(weft_cursor_begin(&c, t, 0, 0, WEFT_NEVER) == 0 && weft_cursor_begin(&d, t, 1, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &x) > 0) {
		REQUIRE(weft_cursor_next(&d, &y) > 0 && x.n == y.n);
		CHECK(memcmp(x.time, y.time, x.n * 8) == 0 && memcmp(x.what, y.what, x.n * 4) == 0 &&
		      memcmp(x.value, y.value, x.n * 8) == 0);
		n += x.n;
	}
	CHECK_U64(n, N);
	CHECK_U64(t->thread[0].dropped, 60);
	CHECK_U64(t->thread[1].dropped, 60);
	weft_cursor_end(&c);
	weft_cursor_end(&d);
	weft_trace_close(t);
}

/* Workers append to threads of their own at once, with ends of messages among the events. */
static void *append_many(void *arg)
{
	struct weft_appender *a = arg;
	for (uint64_t i = 0; i < 30000; i++) {
		struct weft_half_row half = {.time = i, .began = i, .comm = 0, .peer = -1, .key = 1 + i, .is_send = i % 2};
		int rc = i % 3 ? weft_append(a, i, weft_what(WEFT_EV_POINT, 1), i) : weft_append_half(a, &half);
		if (rc)
			return arg;
	}
	return NULL;
}

TEST(workers_append_to_their_threads_at_once)
{
	enum { N = 4 };
	struct weft_builder *b = made_builder(N);
	pthread_t worker[N];
	void *failed;
	for (uint32_t i = 0; i < N; i++)
		REQUIRE(pthread_create(&worker[i], NULL, append_many, weft_builder_appender(b, i)) == 0);
	for (uint32_t i = 0; i < N; i++) {
		REQUIRE(pthread_join(worker[i], &failed) == 0);
		CHECK(failed == NULL);
	}
	struct weft_trace *t = made_trace(b);
	CHECK_U64(t->n_events, N * 30000);
	CHECK_U64(t->message.n, N * 10000);
	for (uint32_t i = 0; i < N; i++)
		CHECK_U64(t->thread[i].n_events, 30000);
	weft_trace_close(t);
}

TEST(axis_begins_with_the_first_thing)
{
	struct weft_builder *b = made_builder(2);
	weft_build_realtime(b, 5000);
	made_point(b, 0, 1000, 1);
	made_point(b, 1, 1700, 1);
	made_point(b, 1, 1900, 1);
	struct weft_trace *t = made_trace(b);
	CHECK_U64(t->end, 900);
	CHECK_U64(t->begin_realtime, 6000);
	CHECK_U64(t->thread[1].begin, 700);
	CHECK_U64(t->thread[1].end, 900);
	CHECK_U64(t->thread[0].end, 0);
	CHECK_U64(t->process[0].begin, 0);
	CHECK_U64(t->process[0].end, 900);
	weft_trace_close(t);
	b = made_builder(1);
	made_point(b, 0, 1000, 1);
	weft_build_keep_zero(b, 5000);
	t = made_trace(b);
	CHECK_U64(t->end, 5000);
	CHECK_U64(t->thread[0].begin, 1000);
	weft_trace_close(t);
}

TEST(trace_without_events_is_a_trace)
{
	struct weft_trace *t = made_trace(made_builder(3));
	CHECK_U64(t->n_events, 0);
	CHECK_U64(t->n_threads, 3);
	CHECK_U64(t->end, 0);
	CHECK_U64(t->thread[2].number, 3);
	weft_trace_close(t);
}

TEST(columns_move_to_an_index_that_is_named_at_the_end)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_builder *b = made_builder(1);
	for (uint64_t i = 0; i < 10000; i++)
		made_point(b, 0, i, i);
	REQUIRE(weft_build_finish(b, test_dir(), &t, &err) == 0);
	weft_trace_close(t);
	char *listed;
	int status;
	listed = test_shell(&status, "ls %s", test_dir());
	CHECK_STR(listed, "columns\ntables\n");
	free(listed);
	struct index_stamps none = {0};
	char *path;
	REQUIRE(asprintf(&path, "%s/x", test_dir()) > 0);
	listed = test_shell(&status, "cd %s && mkdir x x/index && mv columns tables x/index", test_dir());
	free(listed);
	CHECK_I64(index_open(&t, path, &none, 0, &err), 0);
	CHECK_STR(err.text, "");
	REQUIRE(t != NULL);
	CHECK_U64(t->n_events, 10000);
	weft_trace_close(t);
	free(path);
	b = made_builder(1);
	CHECK(weft_build_finish(b, "/nowhere/at/all", &t, &err) < 0);
	CHECK(strstr(err.text, "/nowhere/at/all") != NULL);
}

TEST(definitions_are_found_again_and_completed)
{
	struct weft_builder *b = made_builder(1);
	int64_t a = weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "x", .category = 1});
	CHECK(a > 0);
	CHECK_I64(weft_build_def(b, WEFT_CLASS_REGION,
	                         &(struct weft_def_row){.name = "x", .category = 1, .file = "f.c", .line = 3}),
	          a);
	CHECK_I64(weft_build_def(b, WEFT_CLASS_REGION,
	                         &(struct weft_def_row){.name = "x", .category = 1, .file = "g.c", .line = 9}),
	          a);
	CHECK(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "x", .category = 2}) != a);
	CHECK(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "x", .category = 1, .code = 1}) != a);
	int64_t c = weft_build_def(b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "c", .key = 1});
	CHECK(weft_build_def(b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "c", .key = 2}) != c);
	CHECK_I64(weft_build_string(b, "abcdef", 3), weft_build_string(b, "abc", 3));
	CHECK(weft_build_string(b, "abcdef", 6) != weft_build_string(b, "abc", 3));
	uint32_t type = 1;
	CHECK(weft_build_label(b, type, 5, "five") == 0);
	CHECK(weft_build_label(b, type, -5, "minus") == 0);
	CHECK(weft_build_label(b, type, 5, "FIVE") == 0); /* the last one stays */
	CHECK(weft_build_note(b, "k", "v") == 0);
	struct weft_trace *t = made_trace(b);
	CHECK_STR(t->def[WEFT_CLASS_REGION].at[a].file, "f.c");
	CHECK_U64(t->def[WEFT_CLASS_REGION].at[a].line, 3);
	CHECK_U64(t->def[WEFT_CLASS_TYPE].at[1].n_labels, 2);
	CHECK_STR(weft_value_label(&t->def[WEFT_CLASS_TYPE].at[1], 5), "FIVE");
	CHECK_STR(weft_trace_note(t, "k"), "v");
	CHECK(weft_trace_note(t, "none") == NULL);
	weft_trace_close(t);
}

TEST(objects_must_stand_together)
{
	struct weft_builder *b = made_builder(1);
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_process p = {.node = WEFT_NONE};
	REQUIRE(weft_build_process(b, &p) == 1);
	struct weft_thread_row row = {.process = 1};
	REQUIRE(weft_build_thread(b, &row) == 1);
	row.process = 0;
	REQUIRE(weft_build_thread(b, &row) == 2);
	CHECK_I64(weft_build_finish(b, NULL, &t, &err), -EINVAL);
	CHECK(strstr(err.text, "thread 2") != NULL);
	CHECK(t == NULL);
}

TEST(events_of_definitions_that_were_never_made_are_refused)
{
	struct weft_builder *b = made_builder(1);
	struct weft_trace *t;
	struct weft_err err = {0};
	REQUIRE(weft_append(weft_builder_appender(b, 0), 1, weft_what(WEFT_EV_ENTER, 2), 0) == 0);
	CHECK_I64(weft_build_finish(b, NULL, &t, &err), -EINVAL);
	CHECK(err.text[0] != 0);
}

TEST(a_thousand_problems_are_kept_and_all_counted)
{
	struct weft_builder *b = made_builder(1);
	char text[40];
	for (unsigned i = 0; i < 1500; i++) {
		snprintf(text, sizeof text, "problem %u", i);
		REQUIRE(weft_build_problem(b, &(struct weft_problem){.file = "f", .offset = 1499 - i, .text = text}) == 0);
	}
	struct weft_trace *t = made_trace(b);
	CHECK_U64(t->n_problems, 1500);
	CHECK_STR(t->problem[0].text, "problem 999"); /* in order of their places */
	CHECK_STR(t->problem[999].text, "problem 0");
	weft_trace_close(t);
}

TEST(sort_is_stable_and_skips_nothing)
{
	enum { N = 5000 };
	static struct sort_pair p[N];
	for (unsigned bits = 1; bits <= 64; bits += 9) {
		for (uint64_t i = 0; i < N; i++)
			p[i] = (struct sort_pair){test_random() >> (64 - bits), i};
		REQUIRE(sort_pairs(p, N) == 0);
		for (unsigned i = 1; i < N; i++)
			if (!(p[i - 1].key < p[i].key || (p[i - 1].key == p[i].key && p[i - 1].ref < p[i].ref)))
				CHECK_U64(p[i].key, 0);
	}
}
