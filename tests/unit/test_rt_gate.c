/* SPDX-License-Identifier: Apache-2.0 */
/* A handle is watched as long as jobs outside the order are about, or claims whose job is done; then it goes back. */
#include "harness.h"
#include "runtime/data/data.h"
#include "runtime/data/gate.h"
#include <pthread.h>
#include <sched.h>

enum { SOME = 100 };

static struct rt_runtime *runtime;
static struct _starpu_data_state handle;
static struct weft_atomic_u32 waits; /* outsiders wait while it is set */

static struct rt_want wants[SOME * 4];
static struct rt_claim claims[SOME * 4];
static unsigned n_claims;

static void go(struct rt_claim *c)
{
	(void)c;
}

/* Any job here: in at the gate, out again; outside the order perhaps later. */
static enum rt_verdict pass(struct rt_job *j, struct rt_worker *w)
{
	struct rt_claim *c = j->arg;
	(void)w;
	while (j->mode[0] & RT_UNORDERED && weft_load_u32(&waits))
		sched_yield();
	if (rt_gate_enter(c))
		rt_gate_leave(c);
	return RT_DONE;
}

static void submit(uint32_t mode)
{
	struct rt_submitter *s = rt_self(runtime);
	struct rt_job *j = rt_prepare(s);
	unsigned i = n_claims++;
	claims[i] = (struct rt_claim){.go = go, .want = &wants[i]};
	rt_claim_add(&claims[i], &handle, false);
	j->body = pass;
	j->arg = &claims[i];
	j->n_accesses = 1;
	j->access[0] = &handle.order;
	j->mode[0] = mode;
	REQUIRE(rt_submit(s, j) == 0);
}

static void begin(void)
{
	struct weft_err err = {0};
	struct rt_how how = {.workers = 2, .spin_ns = 1000};
	REQUIRE(rt_begin(&runtime, &how, &err) == 0);
	rt_order_hooks = (struct rt_order_hooks){.watch = rt_gate_watch};
	handle = (struct _starpu_data_state){0};
	rt_handle_init(&handle.order);
	n_claims = 0;
}

static void end(void)
{
	rt_wait_all(runtime);
	rt_order_hooks = (struct rt_order_hooks){0};
	rt_gate_fini(&handle.gate);
	rt_handle_fini(&handle.order);
	rt_end(runtime);
}

static bool is_watched(void)
{
	return weft_load_bool(&handle.gate.watched);
}

TEST(order_alone_is_not_watched)
{
	begin();
	for (unsigned i = 0; i < SOME; i++)
		submit(i % 3 ? RT_READ : RT_READ | RT_WRITE);
	rt_wait_all(runtime);
	CHECK(!is_watched());
	end();
}

TEST(watched_until_outsiders_are_done)
{
	begin();
	for (unsigned round = 0; round < 3; round++) {
		weft_store_u32(&waits, 1);
		submit(RT_READ | RT_UNORDERED);
		CHECK(is_watched());
		/* One worker is enough for these, however many they are: the outsider is not done. */
		for (unsigned i = 0; i < SOME / 2; i++)
			submit(RT_READ);
		while (rt_unfinished(runtime) > 1)
			sched_yield();
		CHECK(is_watched());
		weft_store_u32(&waits, 0);
		rt_wait_all(runtime);
		for (unsigned i = 0; i < SOME / 2; i++)
			submit(RT_READ);
		rt_wait_all(runtime);
		CHECK(!is_watched());
	}
	end();
}

TEST(watched_until_downgraded_claims_leave)
{
	struct rt_want want;
	struct rt_claim writes = {.go = go, .want = &want};
	begin();
	rt_claim_add(&writes, &handle, true);
	REQUIRE(rt_gate_enter(&writes));
	CHECK(!is_watched());
	rt_gate_downgrade(&writes);
	CHECK(is_watched());
	for (unsigned i = 0; i < SOME; i++)
		submit(RT_READ);
	rt_wait_all(runtime);
	CHECK(is_watched());
	rt_gate_leave(&writes);
	for (unsigned i = 0; i < SOME; i++)
		submit(RT_READ);
	rt_wait_all(runtime);
	CHECK(!is_watched());
	end();
}

/* Many outsiders: the list of them does not keep those that are done. */
TEST(outsiders_are_forgotten)
{
	begin();
	for (unsigned i = 0; i < SOME * 4; i++) {
		submit(RT_READ | RT_UNORDERED);
		rt_wait_all(runtime);
	}
	CHECK(handle.gate.outside.cap <= 64);
	end();
}

/* ---- claims against a model: who is inside by counts of our own ---- */

enum { ROOMS = 6, THREADS = 4, VISITS = 3000 };
static struct _starpu_data_state rooms[ROOMS];
static struct weft_atomic_u32 inside[ROOMS]; /* readers, and WRITER for one who writes */
enum { WRITER = 1 << 16 };
static struct weft_atomic_u32 wrong, waited;

struct visitor {
	struct rt_claim claim;
	struct rt_want want[3];
	struct weft_atomic_u32 called;
	pthread_t thread;
	uint64_t seed;
};

static void called(struct rt_claim *c)
{
	struct visitor *v = (struct visitor *)c; /* its first member */
	weft_store_u32(&v->called, 1);
}

static uint64_t visitor_random(struct visitor *v)
{
	v->seed = v->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return v->seed >> 33;
}

static void step_in(const struct visitor *v)
{
	for (unsigned i = 0; i < v->claim.n; i++) {
		bool write = v->want[i].write;
		uint32_t before = weft_add_u32(&inside[v->want[i].handle - rooms], write ? WRITER : 1);
		weft_add_u32(&wrong, write ? before != 0 : before >= WRITER);
	}
}

static void step_out(const struct visitor *v)
{
	for (unsigned i = 0; i < v->claim.n; i++)
		weft_add_u32(&inside[v->want[i].handle - rooms], v->want[i].write ? -(uint32_t)WRITER : -1u);
}

/* One claim; some become readers before they leave. */
static void visit(struct visitor *v)
{
	v->claim = (struct rt_claim){.go = called, .want = v->want};
	weft_store_u32(&v->called, 0);
	unsigned n = 1 + (unsigned)(visitor_random(v) % 3), first = (unsigned)(visitor_random(v) % ROOMS);
	for (unsigned i = 0; i < n; i++)
		rt_claim_add(&v->claim, &rooms[(first + i) % ROOMS], visitor_random(v) % 2);
	if (!rt_gate_enter(&v->claim)) {
		weft_add_u32(&waited, 1);
		while (!weft_load_u32(&v->called))
			sched_yield();
	}
	step_in(v);
	if (visitor_random(v) % 4 == 0)
		sched_yield();
	step_out(v);
	rt_gate_leave(&v->claim);
}

static void *visitor_main(void *arg)
{
	for (unsigned i = 0; i < VISITS; i++)
		visit(arg);
	return NULL;
}

TEST(claims_of_threads_exclude_each_other_and_none_waits_for_ever)
{
	static struct visitor visitors[THREADS];
	weft_store_u32(&wrong, 0);
	weft_store_u32(&waited, 0);
	for (unsigned i = 0; i < ROOMS; i++) {
		rooms[i] = (struct _starpu_data_state){0};
		rt_handle_init(&rooms[i].order);
		weft_store_bool(&rooms[i].gate.watched, true);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		visitors[i].seed = test_random();
		REQUIRE(pthread_create(&visitors[i].thread, NULL, visitor_main, &visitors[i]) == 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(visitors[i].thread, NULL) == 0);
	CHECK_U64(weft_load_u32(&wrong), 0);
	for (unsigned i = 0; i < ROOMS; i++) {
		CHECK_U64(weft_load_u32(&inside[i]), 0);
		CHECK(rt_gate_is_free(&rooms[i]));
		rt_gate_fini(&rooms[i].gate);
		rt_handle_fini(&rooms[i].order);
	}
}

/* In one thread, so that each step can be foreseen: who is held at once, and who is called when somebody leaves. */
TEST(claims_are_all_or_nothing_and_called_in_order)
{
	static struct visitor v[5];
	static const struct {
		unsigned room[2];
		bool write;
		bool at_once;
	} cases[5] = {{{0, 1}, true, true},
	              {{1, 2}, true, false},
	              {{2, 3}, true, true},
	              {{0, 0}, false, false},
	              {{4, 4}, true, true}};
	for (unsigned i = 0; i < ROOMS; i++)
		rooms[i] = (struct _starpu_data_state){0};
	for (unsigned i = 0; i < 5; i++) {
		v[i].claim = (struct rt_claim){.go = called, .want = v[i].want};
		weft_store_u32(&v[i].called, 0);
		rt_claim_add(&v[i].claim, &rooms[cases[i].room[0]], cases[i].write);
		rt_claim_add(&v[i].claim, &rooms[cases[i].room[1]], cases[i].write);
		CHECK(rt_gate_enter(&v[i].claim) == cases[i].at_once);
	}
	rt_gate_leave(&v[0].claim); /* room 1 is free, 2 is not: the second waits on; the fourth reads room 0 */
	CHECK(!weft_load_u32(&v[1].called) && weft_load_u32(&v[3].called));
	rt_gate_leave(&v[2].claim);
	CHECK(weft_load_u32(&v[1].called));
	rt_gate_leave(&v[1].claim);
	rt_gate_leave(&v[3].claim);
	rt_gate_leave(&v[4].claim);
	for (unsigned i = 0; i < ROOMS; i++)
		CHECK(rt_gate_is_free(&rooms[i]));
}
