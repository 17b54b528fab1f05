/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies: which are tried for what run, what they bring, which comes first; and that no allocation's failure breaks anything. */
#include "causal_maker.h"
#include "replay/whatif/remedy.h"
#include <stdio.h>

/* Ranks that sweep for 100 and 300 to a barrier that takes 10, and set up for 20 each. */
static const struct weft_causal *uneven(struct causal_made *m)
{
	cm_begin(m, 2, true);
	for (unsigned i = 0; i < 2; i++)
		for (uint64_t step = 0, at = 0; step < 10; step++, at += 330) {
			uint64_t come = at + 20 + (i ? 300 : 100);
			cm_region(m, i, "setup", at, at + 20);
			cm_region(m, i, "sweep", at + 20, come);
			cm_collective(m, i, "MPI_Barrier", 8, -1, come, at + 330);
		}
	return cm_end(m);
}

static struct weft_remedy_answer try_one(const struct weft_causal *c, enum weft_remedy_kind kind, const char *what, double factor)
{
	struct weft_remedies r;
	struct weft_remedy_answer a;
	struct weft_remedy m = {.kind = kind, .factor = factor, .lock = WEFT_CAUSAL_NONE};
	snprintf(m.what, sizeof m.what, "%s", what);
	REQUIRE(weft_remedies_init(&r, c) == 0);
	REQUIRE(weft_remedy_try(&r, &m, &a) == 0);
	weft_remedies_fini(&r);
	return a;
}

TEST(single_remedies)
{
	struct causal_made m;
	const struct weft_causal *c = uneven(&m);
	CHECK_U64(try_one(c, WEFT_REMEDY_BALANCE, "sweep", 1).predicted, 2300);
	CHECK_U64(try_one(c, WEFT_REMEDY_BALANCE, "setup", 1).predicted, 3300);
	CHECK_U64(try_one(c, WEFT_REMEDY_FASTER, "sweep", 3).predicted, 1300);
	CHECK_U64(try_one(c, WEFT_REMEDY_IDEAL, "", 1).predicted, 3200);
	CHECK_U64(try_one(c, WEFT_REMEDY_LATENCY, "", 0.5).predicted, 3250);
	struct weft_remedy_answer a = try_one(c, WEFT_REMEDY_BALANCE, "sweep", 1);
	CHECK_NEAR(a.gain, 1000.0 / 3300, 1e-9);
	CHECK(a.low < a.gain && a.gain < a.high);
	cm_free(&m);
}

TEST(a_name_that_is_not_there)
{
	struct causal_made m;
	struct weft_remedies r;
	struct weft_remedy_answer a;
	struct weft_remedy faster = {.kind = WEFT_REMEDY_FASTER, .factor = 2, .what = "nothing", .lock = WEFT_CAUSAL_NONE};
	const struct weft_causal *c = uneven(&m);
	REQUIRE(weft_remedies_init(&r, c) == 0);
	CHECK_I64(weft_remedy_try(&r, &faster, &a), -2);
	weft_remedies_fini(&r);
	cm_free(&m);
}

static void first_of(const struct weft_causal *c, unsigned threads, char *option, size_t room)
{
	struct weft_remedies r;
	struct weft_remedy_answer *a;
	uint32_t n;
	REQUIRE(weft_remedies_init(&r, c) == 0);
	REQUIRE(weft_remedies_usual(&r, threads, &a, &n) == 0);
	REQUIRE(n > 0);
	snprintf(option, room, "%s", a[0].option);
	for (uint32_t i = 1; i < n; i++)
		CHECK(a[i - 1].score >= a[i].score || a[i].score <= 0.01);
	free(a);
	weft_remedies_fini(&r);
}

TEST(the_right_one_comes_first_whatever_the_threads)
{
	struct causal_made m;
	char one[300], four[300];
	const struct weft_causal *c = uneven(&m);
	first_of(c, 1, one, sizeof one);
	first_of(c, 4, four, sizeof four);
	CHECK_STR(one, "--balance 'sweep'");
	CHECK_STR(four, one);
	cm_free(&m);
}

/* A serial part that the others wait for: half of it brings more than the work that it takes away. */
TEST(serial_work_comes_first)
{
	struct causal_made m;
	char option[300];
	cm_begin(&m, 4, true);
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t step = 0, at = 0; step < 10; step++, at += 310) {
			if (!i)
				cm_region(&m, i, "assemble", at, at + 200);
			cm_collective(&m, i, "MPI_Bcast", 7, 0, i ? at : at + 200, at + 205);
			cm_region(&m, i, "solve", at + 205, at + 305);
			cm_collective(&m, i, "MPI_Barrier", 8, -1, at + 305, at + 310);
		}
	first_of(cm_end(&m), 1, option, sizeof option);
	CHECK_STR(option, "--faster 'assemble'=2");
	cm_free(&m);
}

TEST_IN(TIER_FULL, allocations_that_fail)
{
	struct causal_made m;
	struct weft_err err = {0};
	uneven(&m);
	weft_causal_free(&m.c);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_remedies r;
		struct weft_remedy_answer *a = NULL;
		uint32_t n;
		err = (struct weft_err){0};
		if (weft_causal_load(m.t, &(struct weft_causal_how){.threads = 1}, &m.c, &err))
			continue;
		if (weft_remedies_init(&r, &m.c) == 0) {
			if (weft_remedies_usual(&r, 1, &a, &n) == 0)
				free(a);
			weft_remedies_fini(&r);
		}
		weft_causal_free(&m.c);
	}
	weft_trace_close(m.t);
}
