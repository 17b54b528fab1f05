/* SPDX-License-Identifier: Apache-2.0 */
/* state_sums.c, state_sums_rec.c: counts and lengths worked out by hand. */
#include "harness.h"
#include "taskfiles/state_sums.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct weft_buf text;

static void put(const char *event, const char *name, const char *category, int worker, int thread, const char *time)
{
	weft_buf_printf(&text, "E: %s\n", event);
	if (*name)
		weft_buf_printf(&text, "N: %s\nC: %s\n", name, category);
	weft_buf_printf(&text, "W: %d\nT: %d\nS: %s\n\n", worker, thread, time);
}

static int read_rec(struct state_sums *s, struct weft_err *err)
{
	struct text_lines *t;
	REQUIRE(text_lines_open_memory(&t, text.at, text.n, "trace.rec", NULL) == 0);
	int rc = state_sums_read_rec(s, t, err);
	text_lines_close(t);
	weft_buf_fini(&text);
	return rc;
}

static void check(const struct state_sums *s, const char *name, uint64_t n, double length, const char *category)
{
	const struct state_sum *sum = state_sums_find(s, name);
	REQUIRE(sum);
	CHECK_U64(sum->n, n);
	CHECK_NEAR((double)sum->total / STATE_UNIT, length, 1e-12);
	CHECK_STR(sum->category, category);
}

/*
 * Worker 0:  Overhead 10..12 | potrf 12..20 | Overhead 20..26, in it Scheduling 21..24 | Sleeping 26..30
 * The program's thread: Submitting 5..15, in it Scheduling 6..7
 */
TEST(states_of_workers_and_threads_are_told_apart)
{
	struct state_sums s = {.keep_lengths = true};
	put("SetState", "Overhead", "Runtime", 0, 77, "10.000000");
	put("PushState", "Submitting task", "User", -1, 5, "5.000000");
	put("PushState", "Scheduling", "User", -1, 5, "6.000000");
	put("PopState", "", "", -1, 5, "7.000000");
	put("SetState", "potrf", "Task", 0, -1, "12.000000");
	put("PopState", "", "", -1, 5, "15.000000");
	put("SetState", "Overhead", "Runtime", 0, 77, "20.000000");
	put("PushState", "Scheduling", "Runtime", 0, 77, "21.000000");
	put("PopState", "", "", 0, 77, "24.000000");
	put("SetState", "Sleeping", "Other", 0, 77, "26.000000");
	put("SetState", "End", "Other", 0, 77, "30.000000");
	CHECK_I64(read_rec(&s, NULL), 0);
	check(&s, "Overhead", 2, 8, "Runtime"); /* what lies in it counts as it, too */
	check(&s, "potrf", 1, 8, "Task");
	check(&s, "Scheduling", 2, 4, "Runtime");
	check(&s, "Submitting task", 1, 10, "User");
	check(&s, "Sleeping", 1, 4, "Other");
	CHECK(!state_sums_find(&s, "End"));
	CHECK_NEAR(state_sums_find(&s, "Overhead")->length.at[0], 2, 0);
	/* of the worker's 20 ms, each moment once */
	CHECK_NEAR(s.parts.task, 8, 1e-12);
	CHECK_NEAR(s.parts.runtime, 5, 1e-12);
	CHECK_NEAR(s.parts.scheduling, 3, 1e-12);
	CHECK_NEAR(s.parts.idle, 4, 1e-12);
	state_sums_fini(&s);
}

TEST(only_what_is_profiled_counts)
{
	struct state_sums s = {.keep_lengths = false};
	put("SetState", "Initializing", "Runtime", 0, 77, "1");
	put("SetState", "potrf", "Task", 0, 77, "2");
	put("ProgEvent", "start_profiling", "Program", -1, 0, "3");
	put("SetState", "potrf", "Task", 0, 77, "5");
	put("ProgEvent", "stop_profiling", "Program", -1, 0, "8");
	put("SetState", "gemm", "Task", 0, 77, "9");
	put("SetState", "End", "", 0, 77, "20");
	CHECK_I64(read_rec(&s, NULL), 0);
	check(&s, "potrf", 1, 4, "Task"); /* the one that began meanwhile, to its end */
	CHECK_NEAR(s.parts.task, 5, 1e-12);
	CHECK_U64(state_sums_find(&s, "Initializing")->n, 0);
	CHECK(!state_sums_find(&s, "gemm"));
	state_sums_fini(&s);
}

/* Two programs, each with a worker 0, behind each other. */
TEST(ranks_are_told_apart_by_their_threads)
{
	struct state_sums s = {.keep_lengths = false};
	for (int rank = 0; rank < 2; rank++) {
		put("SetState", "Overhead", "Runtime", 0, 100 + rank, "1");
		put("SetState", "potrf", "Task", 0, -1, rank ? "2" : "3");
		put("SetState", "Overhead", "Runtime", 0, 100 + rank, "10");
	}
	CHECK_I64(read_rec(&s, NULL), 0);
	check(&s, "potrf", 2, 15, "Task");
	check(&s, "Overhead", 2, 3, "Runtime"); /* those behind the tasks never end */
	state_sums_fini(&s);
}

TEST(a_record_that_is_wrong_is_named)
{
	static const char *const wrong[][2] = {
		{"E: SetState\nN: a\nC: b\nW: 0\nT: 1\n\n", "trace.rec:1: a record without 'S'"},
		{"E: SetState\nC: b\nW: 0\nT: 1\nS: 1\n\n", "trace.rec:1: a record without 'N'"},
		{"\nE: Sit\nN: a\nC: b\nW: 0\nT: 1\nS: 1\n\n",
	         "trace.rec:2: expected SetState, PushState, PopState or ProgEvent, found 'Sit'"},
		{"E: SetState\nN: a\nC: b\nW: x\nT: 1\nS: 1\n\n",
	         "trace.rec:1: expected numbers as worker (W), thread (T) and time (S)"},
	};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct state_sums s = {.keep_lengths = false};
		struct weft_err err = {0};
		weft_buf_puts(&text, wrong[i][0]);
		CHECK_I64(read_rec(&s, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, wrong[i][1]);
		state_sums_fini(&s);
	}
}

#define HEAD \
	"%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeSetState 10\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n" \
	"1 W 0 W\n3 WS W S\n3 C1 W InCtx1\n7 0 w W 0 w\n"

static void check_paje(struct state_sums *s, uint64_t potrf, uint64_t gemm)
{
	static const char trace[] = HEAD "10 1 w WS potrf\n10 1 w C1 potrf\n10 3 w WS gemm\n10 3 w C1 gemm\n10 4.5 w WS potrf\n"
					 "10 9 w WS end\n";
	struct text_lines *t;
	REQUIRE(text_lines_open_memory(&t, trace, strlen(trace), "p.trace", NULL) == 0);
	CHECK_I64(state_sums_read_paje(s, t, NULL), 0);
	const struct state_sum *p = state_sums_find(s, "potrf"), *g = state_sums_find(s, "gemm");
	CHECK_U64(p ? p->n : 0, potrf);
	CHECK_U64(g ? g->n : 0, gemm);
	text_lines_close(t);
}

TEST(a_state_counts_once_and_ranges_and_names_choose)
{
	struct state_sums all = {.from = 0}, range = {.from = 2, .to = 8}, later = {.from = 2, .to = -1},
			  some = {.only = "gemm, x"};
	check_paje(&all, 2, 1);
	CHECK_I64(state_sums_find(&all, "potrf")->total, 6500000000);
	check_paje(&range, 0, 1);
	check_paje(&later, 1, 1);
	check_paje(&some, 0, 1);
	state_sums_fini(&all);
	state_sums_fini(&range);
	state_sums_fini(&later);
	state_sums_fini(&some);
}
