/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a thread, by hand: as they end, with their own time, what counts once into a row, and what of it was computing. */
#include "metric/func/metric_calls.h"
#include "region_maker.h"
#include "trace/filter/filter.h"

struct called {
	uint32_t region;
	uint64_t time, self, total, useful;
};
struct calls_case {
	uint64_t from, to;
	const char *filter;
	bool by_region;
	struct called call[6];
	unsigned n;
	uint64_t useful, closed_early;
};

static const struct calls_case cases[] = {
	{0,
         WEFT_NEVER,
         NULL,
         true,
         {{WAIT, 50, 50, 50, 0},
          {SOLVE, 50, 50, 50, 50},
          {STEP, 300, 200, 300, 200},
          {SOLVE, 450, 150, 400, 150}, /* the inner call is not counted twice */
          {LIB, 100, 50, 100, 50},
          {WAIT, 100, 100, 100, 0}},
         6,
         450,
         1},
	{0,
         WEFT_NEVER,
         NULL,
         false, /* in one row: each its own time */
         {{WAIT, 50, 50, 50, 0},
          {SOLVE, 50, 50, 50, 50},
          {STEP, 300, 200, 200, 200},
          {SOLVE, 450, 150, 150, 150},
          {LIB, 100, 50, 50, 50},
          {WAIT, 100, 100, 100, 0}},
         6,
         450,
         1},
	{225,
         525,
         NULL,
         true, /* cut at both ends */
         {{WAIT, 50, 50, 50, 0}, {SOLVE, 50, 50, 50, 50}, {STEP, 275, 175, 275, 175}, {SOLVE, 300, 25, 250, 25}},
         4,
         250,
         1},
	{0, WEFT_NEVER, "region=solve", true, {{SOLVE, 50, 50, 50, 50}, {SOLVE, 450, 150, 400, 150}}, 2, 200, 1},
	{0, WEFT_NEVER, "region=solve", false, {{SOLVE, 50, 50, 50, 50}, {SOLVE, 450, 150, 400, 150}}, 2, 200, 1},
	{0, WEFT_NEVER, "region=step", false, {{STEP, 300, 200, 300, 200}}, 1, 200, 1},
	{560, 590, NULL, true, {{0}}, 0, 0, 0},
};

struct told {
	const struct calls_case *of;
	unsigned n;
};

static int hear(void *arg, const struct metric_call *c)
{
	struct told *t = arg;
	REQUIRE(t->n < t->of->n);
	const struct called *want = &t->of->call[t->n++];
	CHECK_U64(c->region, want->region);
	CHECK_U64(c->time, want->time);
	CHECK_U64(c->self, want->self);
	CHECK_U64(c->total, want->total);
	CHECK_U64(c->useful, want->useful);
	return 0;
}

TEST(calls_by_hand)
{
	struct made f;
	make_region_trace(&f);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct calls_case *k = &cases[i];
		struct metric_calls *c;
		struct metric_calls_sum sum;
		struct weft_filter *filter = NULL;
		struct told told = {.of = k};
		if (k->filter)
			REQUIRE(weft_filter_new(&filter, k->filter, NULL) == 0 && weft_filter_bind(filter, f.t, NULL) == 0);
		const struct metric_calls_how how = {.space = &f.s,
		                                     .filter = filter,
		                                     .from = k->from,
		                                     .to = k->to,
		                                     .by_region = k->by_region};
		REQUIRE(metric_calls_new(&c, &how) == 0);
		for (unsigned round = 0; round < 2; round++) { /* nothing of one thread is left for the next */
			told.n = 0;
			CHECK_I64(metric_calls_walk(c, 0, hear, &told, &sum), 0);
			CHECK_U64(told.n, k->n);
			CHECK_U64(sum.useful, k->useful);
			CHECK_U64(sum.closed_early, k->closed_early);
			CHECK_U64(sum.unmatched, 0);
		}
		metric_calls_free(c);
		weft_filter_free(filter);
	}
	unmake_trace(&f);
}

static int refuse(void *arg, const struct metric_call *c)
{
	(void)c;
	return ++*(unsigned *)arg == 3 ? 77 : 0;
}

TEST(a_walk_ends_where_its_caller_says)
{
	struct made f;
	struct metric_calls *c;
	struct metric_calls_sum sum;
	unsigned n = 0;
	make_region_trace(&f);
	const struct metric_calls_how how = {.space = &f.s, .to = WEFT_NEVER};
	REQUIRE(metric_calls_new(&c, &how) == 0);
	CHECK_I64(metric_calls_walk(c, 0, refuse, &n, &sum), 77);
	CHECK_U64(n, 3);
	n = 100;
	CHECK_I64(metric_calls_walk(c, 0, refuse, &n, &sum), 0); /* as if nothing had been */
	CHECK_U64(n, 106);
	metric_calls_free(c);
	unmake_trace(&f);
}

/* State records: cut at the range, each alone; a length of 0 within it counts. */
TEST(states_are_calls_that_do_not_nest)
{
	static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(1):1:1(1:1)\n"
				  "1:1:1:1:1:0:100:1\n1:1:1:1:1:150:300:3\n1:1:1:1:1:300:700:1\n1:1:1:1:1:700:700:7\n";
	static const struct calls_case
		whole = {0,
	                 WEFT_NEVER,
	                 NULL,
	                 true,
	                 {{1, 100, 100, 100, 100}, {2, 150, 150, 150, 0}, {1, 400, 400, 400, 400}, {3, 0, 0, 0, 0}},
	                 4,
	                 500,
	                 0},
		part = {50, 320, NULL, true, {{1, 50, 50, 50, 50}, {2, 150, 150, 150, 0}, {1, 20, 20, 20, 20}}, 3, 70, 0};
	const struct calls_case *const list[] = {&whole, &part};
	struct made f;
	make_trace(&f, prv, NULL, NULL);
	for (unsigned i = 0; i < 2; i++) {
		struct metric_calls *c;
		struct metric_calls_sum sum;
		struct told told = {.of = list[i]};
		const struct metric_calls_how how = {.space = &f.s, .from = list[i]->from, .to = list[i]->to, .states = true};
		REQUIRE(metric_calls_new(&c, &how) == 0);
		CHECK_I64(metric_calls_walk(c, 0, hear, &told, &sum), 0);
		CHECK_U64(told.n, list[i]->n);
		CHECK_U64(sum.useful, list[i]->useful);
		metric_calls_free(c);
	}
	unmake_trace(&f);
}

/* ---- against instants: what is open at each, which call is innermost, and which counts it ---- */

enum { CALLS_MOST = RANDOM_EVENTS };
struct open_call {
	unsigned region;
	uint64_t begin;
	bool cut;
};
struct instants {
	struct open_call open[CALLS_MOST];
	unsigned n;
	bool off;
	uint64_t from, to;
	unsigned passes; /* the region that does; 0: all */
	bool by_region;
	struct called sum[REGIONS + 1]; /* region: how many */
	uint64_t useful, closed_early;
};

static bool instants_pass(const struct instants *s, unsigned region)
{
	return !s->passes || s->passes == region;
}

/* The call that an instant counts for: by region the innermost of each, otherwise the innermost that passes. */
static void count_instant(struct instants *s)
{
	bool seen[REGIONS + 1] = {false}, any = false, running = false, says = false;
	for (unsigned i = s->n; i-- > 0 && !says;) {
		says = s->open[i].region != STEP;
		running = s->open[i].region != WAIT;
	}
	running = s->n && running && !s->off;
	for (unsigned i = s->n; i-- > 0;) {
		unsigned r = s->open[i].region;
		struct called *sum = &s->sum[r];
		if (!instants_pass(s, r))
			continue;
		sum->time++;
		sum->self += i == s->n - 1;
		sum->useful += i == s->n - 1 && running;
		sum->total += s->by_region ? !seen[r] : !any;
		seen[r] = any = true;
	}
	s->useful += s->passes ? running && s->open[s->n - 1].region == s->passes : running;
}

static void close_call(struct instants *s, unsigned i, uint64_t at, bool early)
{
	const struct open_call c = s->open[i];
	memmove(&s->open[i], &s->open[i + 1], (--s->n - i) * sizeof c);
	s->closed_early += early;
	if (at >= s->from && !(c.cut && at == s->from) && instants_pass(s, c.region))
		s->sum[c.region].region++;
}

static void take_instant_event(struct instants *s, const struct region_event *e)
{
	unsigned at = s->n;
	if (e->kind == WEFT_EV_ENTER)
		s->open[s->n++] = (struct open_call){e->id, e->time, e->time < s->from};
	if (e->kind == WEFT_EV_ON)
		s->off = false;
	while (e->kind == WEFT_EV_LEAVE && at && s->open[at - 1].region != e->id)
		at--;
	for (unsigned i = s->n; e->kind == WEFT_EV_LEAVE && at && i >= at; i--)
		close_call(s, i - 1, e->time, i > at);
	for (unsigned i = s->n; e->kind == WEFT_EV_OFF && i > 0; i--)
		if (!e->id || category_of(s->open[i - 1].region) == e->id)
			close_call(s, i - 1, e->time, true);
	s->off |= e->kind == WEFT_EV_OFF && !e->id;
}

static void walk_instants(struct instants *s, const struct region_event *event)
{
	unsigned next = 0;
	uint64_t end = s->to < 900 ? s->to : 900;
	for (uint64_t t = 100; t < end; t++) {
		for (; next < RANDOM_EVENTS && event[next].time <= t; next++)
			take_instant_event(s, &event[next]);
		if (t >= s->from)
			count_instant(s);
	}
	while (s->n)
		close_call(s, s->n - 1, end, true);
}

static int add_call(void *arg, const struct metric_call *c)
{
	struct called *sum = &((struct called *)arg)[c->region];
	sum->region++;
	sum->time += c->time;
	sum->self += c->self;
	sum->total += c->total;
	sum->useful += c->useful;
	return 0;
}

static void compare_with_instants(const struct made *f, const struct region_event *event, struct instants s)
{
	struct called got[REGIONS + 1] = {{0}};
	struct metric_calls *c;
	struct metric_calls_sum sum;
	struct weft_filter *filter = NULL;
	char text[32];
	static const char *const names[] = {"", "solve", "step", "wait", "lib"};
	snprintf(text, sizeof text, "region=%s", names[s.passes]);
	if (s.passes)
		REQUIRE(weft_filter_new(&filter, text, NULL) == 0 && weft_filter_bind(filter, f->t, NULL) == 0);
	const struct metric_calls_how how = {.space = &f->s,
	                                     .filter = filter,
	                                     .from = s.from,
	                                     .to = s.to,
	                                     .by_region = s.by_region};
	walk_instants(&s, event);
	REQUIRE(metric_calls_new(&c, &how) == 0);
	CHECK_I64(metric_calls_walk(c, 0, add_call, got, &sum), 0);
	for (unsigned r = 1; r <= REGIONS; r++) {
		CHECK_U64(got[r].region, s.sum[r].region);
		CHECK_U64(got[r].time, s.sum[r].time);
		CHECK_U64(got[r].self, s.sum[r].self);
		CHECK_U64(got[r].total, s.sum[r].total);
		CHECK_U64(got[r].useful, s.sum[r].useful);
	}
	CHECK_U64(sum.useful, s.useful);
	CHECK_U64(sum.closed_early, s.closed_early);
	metric_calls_free(c);
	weft_filter_free(filter);
}

TEST(calls_are_those_of_all_instants)
{
	for (unsigned round = 0; round < 200; round++) {
		struct region_event event[RANDOM_EVENTS];
		struct made f;
		struct instants s = {.to = WEFT_NEVER, .passes = round % (REGIONS + 1), .by_region = round & 1};
		make_random_events(event, RANDOM_EVENTS);
		make_trace_of(&f, event, RANDOM_EVENTS);
		compare_with_instants(&f, event, s);
		s.from = event[test_random() % RANDOM_EVENTS].time;
		s.to = s.from + 1 + test_random() % 300;
		compare_with_instants(&f, event, s);
		unmake_trace(&f);
	}
}
