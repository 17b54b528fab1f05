/* SPDX-License-Identifier: Apache-2.0 */
/* weft_cursor_next_of against picking by hand out of all that weft_cursor_next gives, for random traces, choices and ranges. */
#include "build_maker.h"
#include <stdio.h>

enum { KINDS = 600 }; /* of counters: more than fit one byte of a block's codes */

static uint64_t chosen_ids[KINDS / 64 + 1];
static bool choose_states;

static bool chosen(const void *arg, uint32_t what)
{
	(void)arg;
	if (weft_what_kind(what) == WEFT_EV_STATE)
		return choose_states;
	return chosen_ids[weft_what_id(what) / 64] >> weft_what_id(what) % 64 & 1;
}

/* Few kinds of events in the first part, very many in the last, one alone between them. */
static struct weft_trace *random_trace(unsigned n)
{
	struct weft_builder *b = made_builder(1);
	struct weft_appender *a = weft_builder_appender(b, 0);
	uint64_t time = 0;
	for (unsigned i = 0; i < KINDS; i++)
		REQUIRE(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "c", .code = i}) == i + 1);
	REQUIRE(weft_build_def(b, WEFT_CLASS_STATE, &(struct weft_def_row){.name = "s", .code = 1}) == 1);
	for (unsigned i = 0; i < n; i++) {
		unsigned third = i / (n / 3);
		unsigned id = third == 0   ? 1 + (unsigned)(test_random() % 5)
		              : third == 1 ? 7
		                           : 1 + (unsigned)(test_random() % KINDS);
		time += test_random() % 100 == 0 ? 1u << 20 : test_random() % 3;
		uint32_t what = i % 7 == 0 ? weft_what(WEFT_EV_STATE, 1) : weft_what(WEFT_EV_COUNTER, id);
		REQUIRE(weft_append(a, time, what, test_random() >> test_random() % 64) == 0);
	}
	return made_trace(b);
}

static void compare(const struct weft_trace *t, uint64_t from, uint64_t to)
{
	struct weft_cursor all, some;
	struct weft_block b, s = {0};
	uint32_t at = 0;
	uint64_t wrong = 0;
	int rc;
	REQUIRE(weft_cursor_begin(&all, t, 0, from, to) == 0 && weft_cursor_begin(&some, t, 0, from, to) == 0);
	const struct weft_choice choice = {chosen, NULL};
	while ((rc = weft_cursor_next(&all, &b)) > 0)
		for (uint32_t i = 0; i < b.n; i++) {
			if (!chosen(NULL, b.what[i]))
				continue;
			if (at == s.n) {
				REQUIRE(weft_cursor_next_of(&some, &choice, &s) == 1);
				REQUIRE(s.n > 0);
				at = 0;
			}
			wrong += s.time[at] != b.time[i] || s.what[at] != b.what[i] || s.value[at] != b.value[i];
			at++;
		}
	CHECK_I64(rc, 0);
	CHECK_U64(wrong, 0);
	CHECK_U64(at, s.n);
	CHECK_I64(weft_cursor_next_of(&some, &choice, &s), 0);
	weft_cursor_end(&all);
	weft_cursor_end(&some);
}

TEST(chosen_events_are_those_that_one_would_pick)
{
	struct weft_trace *t = random_trace(10 * WEFT_BLOCK_EVENTS);
	uint64_t end = t->end;
	static const unsigned share[] = {0, 1, 4, 300, KINDS};
	for (unsigned i = 0; i < sizeof share / sizeof *share; i++)
		for (unsigned k = 0; k < 4; k++) {
			memset(chosen_ids, 0, sizeof chosen_ids);
			for (unsigned c = 0; c < share[i]; c++) {
				unsigned id = share[i] == 1 ? 7 : 1 + (unsigned)(test_random() % KINDS);
				chosen_ids[id / 64] |= 1ull << id % 64;
			}
			choose_states = k & 1;
			uint64_t from = k < 2 ? 0 : test_random() % (end + 1);
			compare(t, from, k < 2 ? WEFT_NEVER : from + test_random() % (end + 1));
		}
	weft_trace_close(t);
}

/* ---- several that walk together ---- */

enum { LANES = 4 };

static bool is_of_lane(const void *arg, uint32_t what)
{
	return weft_what_kind(what) == WEFT_EV_COUNTER && weft_what_id(what) == *(const uint32_t *)arg;
}

/* All counters at each instant, as programs are; then all, but some of them a little later; then some that are not there. */
static struct weft_trace *trace_of_lanes(unsigned n)
{
	struct weft_builder *b = made_builder(1);
	struct weft_appender *a = weft_builder_appender(b, 0);
	uint64_t time = 0;
	for (unsigned i = 0; i < LANES; i++)
		REQUIRE(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "c", .code = i}) == i + 1);
	for (unsigned i = 0; i < n; i++) {
		bool together = i < n / 3, all = i < n / 3 * 2 || test_random() % 4;
		time += 1 + test_random() % 50;
		for (uint32_t id = 1; id <= LANES; id++) {
			if (!all && test_random() % 2)
				continue;
			if (!together)
				time += test_random() % 5 == 0;
			REQUIRE(weft_append(a, time, weft_what(WEFT_EV_COUNTER, id), test_random() % 1000) == 0);
		}
	}
	return made_trace(b);
}

/* The next events of one of them, beside those that it would find alone. */
static bool step_both(struct weft_cursor *together, struct weft_cursor *alone, const uint32_t *id, uint64_t *wrong)
{
	struct weft_block x, y;
	int rc = weft_cursor_next_of(together, &(struct weft_choice){is_of_lane, id}, &x);
	CHECK_I64(weft_cursor_next_of(alone, &(struct weft_choice){is_of_lane, id}, &y), rc);
	REQUIRE(rc >= 0 && x.n == y.n);
	for (uint32_t i = 0; i < x.n; i++)
		*wrong += x.time[i] != y.time[i] || x.what[i] != y.what[i] || x.value[i] != y.value[i];
	return rc > 0;
}

TEST(cursors_that_walk_together_find_what_they_would_alone)
{
	static const uint32_t id[LANES] = {1, 2, 3, 4};
	struct weft_trace *t = trace_of_lanes(12 * WEFT_BLOCK_EVENTS);
	for (unsigned round = 0; round < 8; round++) {
		struct weft_cursor together[LANES], alone[LANES];
		struct weft_walk *walk = weft_walk_new();
		uint64_t wrong = 0, from = round < 4 ? 0 : test_random() % t->end;
		bool more[LANES] = {true, true, true, true};
		REQUIRE(walk != NULL);
		for (unsigned i = 0; i < LANES; i++) {
			REQUIRE(weft_cursor_begin(&together[i], t, 0, from, WEFT_NEVER) == 0);
			REQUIRE(weft_cursor_begin(&alone[i], t, 0, from, WEFT_NEVER) == 0);
			weft_cursor_join(&together[i], walk);
		}
		/* in turn, as readers of a table go; in any order in odd rounds */
		for (unsigned i = 0; more[0] || more[1] || more[2] || more[3]; i++) {
			unsigned k = round % 2 ? (unsigned)(test_random() % LANES) : i % LANES;
			more[k] = more[k] && step_both(&together[k], &alone[k], &id[k], &wrong);
		}
		CHECK_U64(wrong, 0);
		for (unsigned i = 0; i < LANES; i++) {
			weft_cursor_end(&together[i]);
			weft_cursor_end(&alone[i]);
		}
		weft_walk_free(walk);
	}
	weft_trace_close(t);
}
