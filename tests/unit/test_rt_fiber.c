/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that wait in the middle: many that all wait at once, pairs that hand a ball to each other, waits at all depths of a
 * stack, floating-point state that stays with its job, threads that are no workers.
 */
#include "harness.h"
#include "runtime/core/fiber.h"
#include <fenv.h>
#include <stdlib.h>

static struct rt_runtime *rt;

static void begin(unsigned workers)
{
	struct weft_err err = {0};
	struct rt_how how = {.workers = workers, .spin_ns = 10000};
	REQUIRE(rt_begin(&rt, &how, &err) == 0);
}

static void submit(rt_body *body, void *arg)
{
	struct rt_job *j = rt_prepare(rt_self(rt));
	REQUIRE(j != NULL);
	j->body = body;
	j->arg = arg;
	REQUIRE(rt_submit(rt_self(rt), j) == 0);
}

/* A gate: who comes before it is open waits. */
struct gate {
	struct weft_atomic_bool lock;
	bool open;
	struct rt_waiter *first;
	unsigned waited, passed, moved; /* moved: came back on another thread */
};

static void lock(struct gate *g)
{
	while (weft_swap_bool(&g->lock, true))
		;
}

static void pass(struct gate *g)
{
	struct rt_waiter me;
	pthread_t was = pthread_self();
	rt_waiter_init(&me, rt);
	lock(g);
	bool wait = !g->open;
	if (wait) {
		me.next = g->first;
		g->first = &me;
		g->waited++;
	}
	weft_store_bool(&g->lock, false);
	if (wait)
		rt_wait_for(&me);
	else
		rt_waiter_drop(&me);
	lock(g);
	g->passed++;
	g->moved += !pthread_equal(was, pthread_self());
	weft_store_bool(&g->lock, false);
}

static void open_gate(struct gate *g)
{
	lock(g);
	g->open = true;
	struct rt_waiter *w = g->first, *next;
	weft_store_bool(&g->lock, false);
	for (; w; w = next) {
		next = w->next;
		rt_go_on(w);
	}
}

static enum rt_verdict body_pass(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	pass(j->arg);
	return RT_DONE;
}

static enum rt_verdict body_open(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	open_gate(j->arg);
	return RT_DONE;
}

TEST(more_jobs_wait_than_there_are_workers)
{
	for (unsigned workers = 1; workers < 5; workers++) {
		struct gate g = {.first = NULL};
		begin(workers);
		for (unsigned i = 0; i < 100; i++)
			submit(body_pass, &g);
		submit(body_open, &g);
		for (unsigned i = 0; i < 100; i++)
			submit(body_pass, &g);
		rt_wait_all(rt);
		CHECK_U64(g.passed, 200);
		CHECK_U64(g.moved, 0);
		if (workers == 1)
			CHECK_U64(g.waited, 100);
		rt_end(rt);
	}
}

TEST(a_thread_that_is_no_worker_sleeps)
{
	struct gate g = {.first = NULL};
	begin(1);
	submit(body_open, &g);
	pass(&g);
	CHECK_U64(g.passed, 1);
	rt_wait_all(rt);
	rt_end(rt);
}

/* Each waits for the one before, deep in recursion, with a rounding mode of its own. */
enum { LINKS = 60 };
static struct gate gates[LINKS + 1];
static unsigned wrong;

static double deep(unsigned n, unsigned gate)
{
	volatile char room[200];
	room[n % 200] = (char)n;
	if (n)
		return deep(n - 1, gate) + room[n % 200] - (char)n;
	pass(&gates[gate]);
	return 1;
}

static enum rt_verdict body_link(struct rt_job *j, struct rt_worker *w)
{
	static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	unsigned i = (unsigned)(uintptr_t)j->arg;
	(void)w;
	fesetround(modes[i % 4]);
	double result = deep(i * 3, i);
	wrong += fegetround() != modes[i % 4] || result != 1;
	fesetround(FE_TONEAREST);
	open_gate(&gates[i + 1]);
	return RT_DONE;
}

TEST(waits_end_in_any_order_and_depth)
{
	begin(1);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i <= LINKS; i++)
			gates[i] = (struct gate){.first = NULL};
		/* The last first, so that all wait. */
		for (unsigned i = LINKS; i-- > 0;)
			submit(body_link, (void *)(uintptr_t)i);
		submit(body_open, &gates[0]);
		rt_wait_all(rt);
		CHECK(gates[LINKS].open);
	}
	CHECK_U64(wrong, 0);
	rt_end(rt);
}

/* Two that wait for each other in turn. */
static struct gate turns[2][500];

static enum rt_verdict body_player(struct rt_job *j, struct rt_worker *w)
{
	unsigned me = (unsigned)(uintptr_t)j->arg;
	(void)w;
	for (unsigned i = 0; i < 500; i++) {
		if (me)
			pass(&turns[0][i]);
		open_gate(&turns[me][i]);
		if (!me)
			pass(&turns[1][i]);
	}
	return RT_DONE;
}

TEST(pairs_hand_over)
{
	for (unsigned workers = 1; workers < 4; workers++) {
		for (unsigned i = 0; i < 500; i++)
			turns[0][i] = turns[1][i] = (struct gate){.first = NULL};
		begin(workers);
		submit(body_player, (void *)0);
		submit(body_player, (void *)1);
		rt_wait_all(rt);
		CHECK(turns[0][499].passed == 1 && turns[1][499].passed == 1);
		rt_end(rt);
	}
}
