/* SPDX-License-Identifier: Apache-2.0 */
/* Several tunlets at once: priorities, holds, opposed changes of a resource, and models weighed under one objective. */
#include "harness.h"
#include "tune/arbiter/arbiter.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SECOND = 1000000000 };

static struct weft_arbiter *fresh(const struct weft_arbiter_how *how)
{
	struct weft_arbiter *a;
	REQUIRE(weft_arbiter_new(&a, how ? how : &(struct weft_arbiter_how){0}) == 0);
	return a;
}

static unsigned tunlet(struct weft_arbiter *a, const char *name, int priority, double weight)
{
	int n = weft_arbiter_tunlet(a, &(struct weft_arbiter_party){name, priority, 0, weight});
	REQUIRE(n >= 0);
	return (unsigned)n;
}

static unsigned point(struct weft_arbiter *a, unsigned t, const char *target, const char *resource, int sense)
{
	int n = weft_arbiter_point(a, t, &(struct weft_arbiter_what){target, resource, sense});
	REQUIRE(n >= 0);
	return (unsigned)n;
}

static struct weft_decision want(unsigned t, unsigned p, double now, double value)
{
	return (struct weft_decision){.tunlet = t,
	                              .point = p,
	                              .process = WEFT_ARBITER_ALL,
	                              .has_now = true,
	                              .now = now,
	                              .number = value};
}

/* Judges one, and does what is allowed. */
static bool one(struct weft_arbiter *a, uint64_t time, struct weft_decision *d)
{
	CHECK(weft_arbiter_judge(a, time, d, 1) == d->allowed);
	if (d->allowed)
		weft_arbiter_done(a, d->id, time, true);
	return d->allowed;
}

TEST(a_second_does_not_undo_what_a_first_just_did)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 9, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	struct weft_decision first = want(x, px, 6, 4), second = want(y, py, 4, 6);
	CHECK(one(a, 0, &first));
	/* Not even with the higher priority. */
	CHECK(!one(a, 1, &second));
	CHECK(second.against == x);
	CHECK_STR(second.why, "'x' has just set 'variable n' to 4 (it was 6), and has seen 0 of 2 iterations since");
	weft_arbiter_evaluated(a, x);
	CHECK(!one(a, 2, &second));
	weft_arbiter_evaluated(a, x);
	CHECK(one(a, 3, &second));
	weft_arbiter_free(a);
}

TEST(a_tunlet_may_change_its_own_again_and_others_may_agree)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	struct weft_decision first = want(x, px, 6, 4), again = want(x, px, 4, 3), agrees = want(y, py, 3, 3);
	CHECK(one(a, 0, &first));
	CHECK(one(a, 1, &again));
	CHECK(one(a, 2, &agrees));
	weft_arbiter_free(a);
}

TEST(a_hold_ends_by_time_when_its_tunlet_evaluates_no_more)
{
	struct weft_arbiter *a = fresh(&(struct weft_arbiter_how){.hold_ns = 5ull * SECOND});
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	struct weft_decision first = want(x, px, 6, 4), second = want(y, py, 4, 6);
	CHECK(one(a, 0, &first));
	CHECK(!one(a, 5ull * SECOND - 1, &second));
	CHECK(one(a, 5ull * SECOND, &second));
	weft_arbiter_free(a);
}

TEST(what_could_not_be_done_is_not_held)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	struct weft_decision first = want(x, px, 6, 4), second = want(y, py, 6, 8);
	CHECK(weft_arbiter_judge(a, 0, &first, 1) == 1);
	/* On its way, it is held already. */
	CHECK(!one(a, 1, &second));
	weft_arbiter_done(a, first.id, 2, false);
	CHECK(one(a, 3, &second));
	weft_arbiter_free(a);
}

TEST(at_once_the_priority_decides_whatever_the_order)
{
	for (int turned = 0; turned < 2; turned++) {
		struct weft_arbiter *a = fresh(NULL);
		unsigned low = tunlet(a, "low", 1, 0), high = tunlet(a, "high", 5, 0);
		unsigned pl = point(a, low, "variable n", NULL, 0), ph = point(a, high, "variable n", NULL, 0);
		struct weft_decision d[2] = {want(low, pl, 6, 4), want(high, ph, 6, 8)};
		if (turned) {
			struct weft_decision kept = d[0];
			d[0] = d[1];
			d[1] = kept;
		}
		CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
		CHECK(d[turned ? 0 : 1].allowed);
		CHECK_STR(d[turned ? 1 : 0].why, "'high' (priority 5 against 1) sets 'variable n' to 8");
		weft_arbiter_free(a);
	}
}

TEST(processes_of_their_own_are_in_nobodys_way)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	struct weft_decision d[2] = {want(x, px, 6, 4), want(y, py, 6, 8)}, all = want(y, py, 8, 5);
	d[0].process = 1;
	d[1].process = 2;
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 2);
	CHECK(!one(a, 1, &all));
	weft_arbiter_free(a);
}

TEST(one_tunlets_decisions_stand_or_fall_together)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	unsigned other = point(a, y, "variable m", NULL, 0);
	struct weft_decision first = want(x, px, 6, 4);
	CHECK(one(a, 0, &first));
	struct weft_decision d[2] = {want(y, other, 1, 2), want(y, py, 4, 6)};
	CHECK_I64(weft_arbiter_judge(a, 1, d, 2), 0);
	CHECK_STR(d[0].why, "it belongs to a decision about 'variable n', which is refused");
	weft_arbiter_free(a);
}

TEST(collectors_are_not_added_just_when_workers_are_removed)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned workers = tunlet(a, "workers", 0, 0), agents = tunlet(a, "agents", 0, 0);
	unsigned pw = point(a, workers, "variable numworkers", "processes", 1);
	unsigned pa = point(a, agents, "variable collectors", "processes", 1);
	struct weft_decision fewer = want(workers, pw, 8, 5), more = want(agents, pa, 1, 2);
	/* One after the other. */
	CHECK(one(a, 0, &fewer));
	CHECK(!one(a, 1, &more));
	CHECK_STR(more.why,
	          "another way with the same resource: 'workers' has just set 'variable numworkers' to 5 (it was 8), and has seen "
	          "0 of 2 iterations since");
	/* The same way is no conflict. */
	struct weft_decision less = want(agents, pa, 2, 1);
	CHECK(one(a, 2, &less));
	/* When both have seen what came of it, it may be. */
	for (int k = 0; k < 2; k++) {
		weft_arbiter_evaluated(a, workers);
		weft_arbiter_evaluated(a, agents);
	}
	more = want(agents, pa, 1, 2);
	CHECK(one(a, 3, &more));
	weft_arbiter_free(a);
	/* Both at once: the first one, as priorities are equal. */
	a = fresh(NULL);
	workers = tunlet(a, "workers", 0, 0);
	agents = tunlet(a, "agents", 0, 0);
	pw = point(a, workers, "variable numworkers", "processes", 1);
	pa = point(a, agents, "variable collectors", "processes", 1);
	struct weft_decision d[2] = {want(agents, pa, 1, 2), want(workers, pw, 8, 5)};
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
	CHECK(!d[0].allowed && d[1].allowed);
	weft_arbiter_free(a);
}

TEST(a_direction_that_is_not_known_counts_as_opposed)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", "memory", 1), py = point(a, y, "variable m", "memory", 1);
	struct weft_decision first = want(x, px, 6, 4), second = want(y, py, 0, 6);
	second.has_now = false;
	CHECK(one(a, 0, &first));
	CHECK(!one(a, 1, &second));
	weft_arbiter_free(a);
}

TEST(those_who_disagree_for_ever_come_to_rest)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	unsigned changes = 0;
	for (int iteration = 0; iteration < 1000; iteration++) {
		struct weft_decision d[2] = {want(x, px, 0, 4), want(y, py, 0, 6)};
		d[0].has_now = d[1].has_now = false;
		REQUIRE(weft_arbiter_judge(a, (uint64_t)iteration, d, 2) >= 0);
		for (int k = 0; k < 2; k++) {
			if (!d[k].allowed)
				continue;
			weft_arbiter_done(a, d[k].id, (uint64_t)iteration, true);
			/* The one who has it says so again in each iteration; that is no change. */
			static double last;
			changes += d[k].number != last;
			last = d[k].number;
		}
		weft_arbiter_evaluated(a, x);
		weft_arbiter_evaluated(a, y);
	}
	CHECK(changes <= 1000 / 128 + 8);
	weft_arbiter_free(a);
}

/* ---- under one objective ---- */

/*
 * A master with w workers and c collectors: an iteration takes 100/w and 2 for each worker that shares a collector; a collector costs 3.
 * What is there: 8 workers, 1 collector.
 */
struct plant {
	double workers, collectors;
	unsigned asked;
	bool silent;
};

static int model(void *ctx, unsigned t, const struct weft_assumed *assumed, unsigned n, double *cost)
{
	struct plant *p = ctx;
	double w = p->workers, c = p->collectors;
	p->asked++;
	for (unsigned k = 0; k < n; k++) {
		w = !strcmp(assumed[k].target, "variable numworkers") ? assumed[k].number : w;
		c = !strcmp(assumed[k].target, "variable collectors") ? assumed[k].number : c;
	}
	*cost = t == 0 ? 100 / w + w : 2 * w / c + 3 * c;
	return p->silent ? -EAGAIN : 0;
}

TEST(under_one_objective_both_models_are_weighed)
{
	struct plant plant = {8, 1, 0, false};
	struct weft_arbiter_how how = {.model = model, .ctx = &plant};
	/* Alone, more collectors are better for the second one with 8 workers (2·8/1 + 3 = 19 against 2·8/2 + 6 = 14)… */
	struct weft_arbiter *a = fresh(&how);
	unsigned workers = tunlet(a, "workers", 0, 1), agents = tunlet(a, "agents", 9, 1);
	unsigned pw = point(a, workers, "variable numworkers", "processes", 1);
	unsigned pa = point(a, agents, "variable collectors", "processes", 1);
	struct weft_decision d[2] = {want(workers, pw, 8, 2), want(agents, pa, 1, 2)};
	CHECK(one(a, 0, &d[1]));
	weft_arbiter_free(a);
	/* …but not when the first one goes to 1 worker: none 20.5 + 19, both 101 + 7; and that is refused itself. */
	a = fresh(&how);
	workers = tunlet(a, "workers", 0, 1);
	agents = tunlet(a, "agents", 0, 1);
	pw = point(a, workers, "variable numworkers", "processes", 1);
	pa = point(a, agents, "variable collectors", "processes", 1);
	d[0] = want(workers, pw, 8, 1);
	d[1] = want(agents, pa, 1, 2);
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
	CHECK(d[1].allowed);
	CHECK_STR(d[0].why, "under the common objective it costs 108 with it, 34.5 without");
	weft_arbiter_free(a);
	/* With 2 workers instead of 8, when workers are dear: both models together say fewer workers, and no collector for them. */
	a = fresh(&how);
	workers = tunlet(a, "workers", 0, 0.01);
	agents = tunlet(a, "agents", 0, 1);
	pw = point(a, workers, "variable numworkers", "processes", 1);
	pa = point(a, agents, "variable collectors", "processes", 1);
	d[0] = want(workers, pw, 8, 2);
	d[1] = want(agents, pa, 1, 4);
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
	CHECK(d[0].allowed && !d[1].allowed);
	CHECK(d[1].against == agents);
	CHECK(plant.asked > 0);
	weft_arbiter_free(a);
}

/* The second one decides later, with what it measured before the first one's change: its model is told of that. */
TEST(models_are_told_what_is_held)
{
	struct plant plant = {8, 1, 0, false};
	struct weft_arbiter *a = fresh(&(struct weft_arbiter_how){.model = model, .ctx = &plant});
	unsigned workers = tunlet(a, "workers", 0, 0.01), agents = tunlet(a, "agents", 0, 1);
	unsigned pw = point(a, workers, "variable numworkers", "processes", 1);
	unsigned pa = point(a, agents, "variable collectors", "processes", 1);
	struct weft_decision fewer = want(workers, pw, 8, 1), more = want(agents, pa, 1, 2);
	CHECK(one(a, 0, &fewer));
	CHECK(!one(a, 1, &more)); /* 2·1/1 + 3 = 5 against 2·1/2 + 6 = 7 */
	weft_arbiter_free(a);
}

TEST(without_an_answer_of_the_models_the_rules_decide)
{
	struct plant plant = {8, 1, 0, true};
	struct weft_arbiter *a = fresh(&(struct weft_arbiter_how){.model = model, .ctx = &plant});
	unsigned x = tunlet(a, "x", 0, 1), y = tunlet(a, "y", 1, 1);
	unsigned px = point(a, x, "variable n", NULL, 0), py = point(a, y, "variable n", NULL, 0);
	struct weft_decision d[2] = {want(x, px, 6, 4), want(y, py, 6, 8)};
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
	CHECK(d[1].allowed);
	weft_arbiter_free(a);
}

TEST(without_an_answer_of_the_models_resources_have_their_rule)
{
	struct plant plant = {8, 1, 0, true};
	struct weft_arbiter *a = fresh(&(struct weft_arbiter_how){.model = model, .ctx = &plant});
	unsigned x = tunlet(a, "x", 0, 1), y = tunlet(a, "y", 1, 1);
	unsigned px = point(a, x, "variable n", "memory", 1), py = point(a, y, "variable m", "memory", 1);
	struct weft_decision first = want(x, px, 6, 4), second = want(y, py, 1, 2);
	CHECK(one(a, 0, &first));
	CHECK(!one(a, 1, &second));
	weft_arbiter_free(a);
}

TEST(unknown_tunlets_and_points_are_refused)
{
	struct weft_arbiter *a = fresh(NULL);
	unsigned x = tunlet(a, "x", 0, 0), y = tunlet(a, "y", 0, 0), px = point(a, x, "variable n", NULL, 0);
	struct weft_decision d = want(y, px, 1, 2);
	CHECK_I64(weft_arbiter_judge(a, 0, &d, 1), -EINVAL);
	d = want(7, 0, 1, 2);
	CHECK_I64(weft_arbiter_judge(a, 0, &d, 1), -EINVAL);
	weft_arbiter_free(a);
}

/*
 * Random decisions against the rule itself: whatever is allowed, no target is changed by another tunlet while it is held.
 */
TEST(random_decisions_keep_the_rule)
{
	enum { TUNLETS = 4, TARGETS = 3, ROUNDS = 3000 };
	static const char *const targets[TARGETS] = {"a", "b", "c"};
	struct weft_arbiter *a = fresh(NULL);
	unsigned p[TUNLETS][TARGETS], evaluated[TUNLETS] = {0};
	struct {
		unsigned owner, since;
		double value;
		bool any;
	} state[TARGETS] = {0};
	for (unsigned t = 0; t < TUNLETS; t++) {
		char name[2] = {(char)('p' + t), '\0'};
		CHECK_U64(tunlet(a, name, (int)(test_random() % 3), 0), t);
		for (unsigned k = 0; k < TARGETS; k++)
			p[t][k] = point(a, t, targets[k], NULL, 0);
	}
	unsigned allowed = 0, refused = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct weft_decision d[3];
		unsigned n = 1 + (unsigned)(test_random() % 3), which[3];
		for (unsigned k = 0; k < n; k++) {
			unsigned t = (unsigned)(test_random() % TUNLETS);
			which[k] = (unsigned)(test_random() % TARGETS);
			d[k] = want(t, p[t][which[k]], 0, (double)(test_random() % 3));
		}
		REQUIRE(weft_arbiter_judge(a, round, d, n) >= 0);
		for (unsigned k = 0; k < n; k++) {
			refused += !d[k].allowed;
			if (!d[k].allowed)
				continue;
			allowed++;
			weft_arbiter_done(a, d[k].id, round, true);
			unsigned owner = state[which[k]].owner;
			bool held = state[which[k]].any && owner != d[k].tunlet && evaluated[owner] - state[which[k]].since < 2;
			CHECK(!held || state[which[k]].value == d[k].number);
			state[which[k]].owner = d[k].tunlet;
			state[which[k]].since = evaluated[d[k].tunlet];
			state[which[k]].value = d[k].number;
			state[which[k]].any = true;
		}
		unsigned t = (unsigned)(test_random() % TUNLETS);
		evaluated[t]++;
		weft_arbiter_evaluated(a, t);
	}
	CHECK(allowed > 50 && refused > 50);
	weft_arbiter_free(a);
}

TEST(out_of_memory_allows_nothing)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_arbiter *a;
		int rc = weft_arbiter_new(&a, &(struct weft_arbiter_how){0});
		int t = rc ? rc : weft_arbiter_tunlet(a, &(struct weft_arbiter_party){"x", 0, 0, 0});
		int p = t < 0 ? t : weft_arbiter_point(a, 0, &(struct weft_arbiter_what){"n", "r", 1});
		struct weft_decision d = want(0, 0, 1, 2);
		int n = p < 0 ? p : weft_arbiter_judge(a, 0, &d, 1);
		CHECK_I64(n, test_alloc_failed() ? -ENOMEM : 1);
		weft_arbiter_free(a);
	}
}
