/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two ranks, each with a recording of its own. Rank 1's node has a clock that is SKEW ahead and, where a test says so, slow by a tenth of a
 * thousandth. Both leave barriers at 2000000 and 12000000 of rank 0's time; rank 0 sends at 5000000, rank 1 has it at 6000000.
 */
#include "harness.h"
#include "stream_maker.h"
#include "trace/open.h"
#include "trace/store/cursor.h"
#include <errno.h>

#define REALTIME UINT64_C(1700000000000000000)
enum { BEGIN = 1000000, SKEW = 7654321 };
enum how { SAME_NODE, TIME_OF_DAY, SYNC, BARRIERS, ONE_BARRIER_MORE };

struct rank {
	struct maker m;
	int number;
	enum how how;
	bool slow;
};

/* Of rank 0's time: what this rank's clock says. */
static uint64_t ticks(const struct rank *r, uint64_t at)
{
	if (!r->number || r->how == SAME_NODE)
		return at;
	return r->slow ? BEGIN + (at - BEGIN) / 10000 * 9999 : at;
}

static void barrier(struct rank *r, uint64_t leave, uint64_t key)
{
	maker_event(&r->m, 1, ticks(r, leave - 100000), WEFT_EV_ENTER, 1, 0, NULL);
	maker_event(&r->m, 1, ticks(r, leave), WEFT_EV_LEAVE, 1, 0, NULL);
	if (r->how == SYNC)
		maker_meta(&r->m, WEFT_EV_SYNC, 0, 3, (uint64_t[]){ticks(r, leave), key, 100}, NULL);
}

static const char *make(int number, enum how how, bool slow)
{
	struct rank r = {.number = number, .how = how, .slow = slow};
	static char path[2][512];
	maker_begin(&r.m, 42 + (uint32_t)number);
	maker_region(&r.m, 1, how == TIME_OF_DAY || how == SYNC || how == SAME_NODE ? "solve" : "MPI_Barrier");
	maker_comm(&r.m, 1, 77, "MPI_COMM_WORLD");
	maker_process(&r.m, 1, 42 + number, number, ticks(&r, BEGIN), "prog");
	maker_text(&r.m, 1, WEFT_TEXT_HOST, number && how != SAME_NODE ? "far" : "here");
	maker_text(&r.m, 1, WEFT_TEXT_BOOT_ID, number && how != SAME_NODE ? "other boot" : "boot");
	maker_thread(&r.m, 1, 42 + number, 1, ticks(&r, BEGIN), "main");
	uint64_t skew = number ? SKEW : 0; /* the time of day is wrong on the same node, too: it is not asked there */
	maker_clock(&r.m, BEGIN, BEGIN, REALTIME + BEGIN + skew);
	maker_clock(&r.m, 101000000, 101000000, REALTIME + 101000000 + skew);
	maker_event(&r.m, 1, ticks(&r, BEGIN), WEFT_EV_THREAD_BEGIN, 0, 0, NULL);
	barrier(&r, 2000000, 1);
	if (number)
		maker_event(&r.m, 1, ticks(&r, 6000000), WEFT_EV_RECV, 1, 2, (uint64_t[]){maker_pair(0, 9), 64});
	else
		maker_event(&r.m, 1, 5000000, WEFT_EV_SEND, 1, 2, (uint64_t[]){maker_pair(1, 9), 64});
	if (number && how == ONE_BARRIER_MORE)
		barrier(&r, 8000000, 3);
	barrier(&r, 12000000, 2);
	snprintf(path[number], sizeof path[number], "%s/rank%d", test_dir(), number);
	maker_save(&r.m, path[number]);
	maker_end(&r.m);
	return path[number];
}

/* Which of both comes first must not matter. */
static struct weft_trace *together(enum how how, bool slow, bool turned)
{
	const char *path[2];
	struct weft_open_how open = {.memory = 64 << 20, .threads = 1};
	struct weft_err err = {0};
	struct weft_trace *t;
	for (int i = 0; i < 2; i++)
		path[turned ? 1 - i : i] = make(i, how, slow);
	REQUIRE(weft_trace_open_together(&t, path, 2, &open, &err) == 0);
	return t;
}

/* The message's length, and how far apart the ranks leave the last barrier. */
static void check(struct weft_trace *t, int64_t took, int64_t apart)
{
	REQUIRE(t->n_processes == 2 && t->n_threads == 2);
	CHECK_I64(t->process[0].rank, 0);
	CHECK_I64(t->process[1].rank, 1);
	REQUIRE(t->message.n == 1);
	CHECK_U64(t->message.send_thread[0], 0);
	CHECK_U64(t->message.recv_thread[0], 1);
	CHECK_I64(t->message.tag[0], 9);
	CHECK_U64(t->message.size[0], 64);
	/* A line's slope is rounded: a nanosecond. */
	CHECK(llabs((int64_t)(t->message.recv_done[0] - t->message.send_done[0]) - took) <= 1);
	CHECK(llabs((int64_t)(weft_thread_last(t, 1) - weft_thread_last(t, 0)) - apart) <= 1);
	weft_trace_close(t);
}

TEST(together_on_one_node_goes_by_its_clock)
{
	for (int turned = 0; turned < 2; turned++) {
		struct weft_trace *t = together(SAME_NODE, false, turned);
		CHECK(!weft_trace_note(t, WEFT_NOTE_CLOCKS));
		check(t, 1000000, 0);
	}
}

TEST(together_by_the_time_of_day_where_nothing_else_is_known)
{
	struct weft_trace *t = together(TIME_OF_DAY, false, false);
	CHECK_STR(weft_trace_note(t, WEFT_NOTE_CLOCKS), "2 0");
	check(t, 1000000 + SKEW, SKEW);
}

TEST(together_by_points_that_were_passed_together)
{
	for (int i = 0; i < 4; i++) {
		struct weft_trace *t = together(SYNC, i & 1, i & 2);
		CHECK_STR(weft_trace_note(t, WEFT_NOTE_CLOCKS), "2 1");
		check(t, i == 3 ? 999900 : 1000000, 0); /* the axis is that of the first: a slow one counts less */
	}
}

TEST(together_by_barriers)
{
	for (int i = 0; i < 4; i++) {
		struct weft_trace *t = together(BARRIERS, i & 1, i & 2);
		CHECK_STR(weft_trace_note(t, WEFT_NOTE_CLOCKS), "2 1");
		check(t, i == 3 ? 999900 : 1000000, 0); /* the axis is that of the first: a slow one counts less */
	}
}

TEST(together_not_by_barriers_that_are_not_the_same)
{
	struct weft_trace *t = together(ONE_BARRIER_MORE, false, false);
	CHECK_STR(weft_trace_note(t, WEFT_NOTE_CLOCKS), "2 0");
	check(t, 1000000 + SKEW, SKEW);
}

TEST(together_says_what_cannot_be_read)
{
	const char *path[2] = {make(0, SYNC, false), "/nonexistent/rank1"};
	struct weft_err err = {0};
	struct weft_trace *t;
	CHECK(weft_trace_open_together(&t, path, 2, NULL, &err) < 0);
	CHECK(t == NULL);
	CHECK(strstr(err.text, "/nonexistent/rank1") != NULL);
}
