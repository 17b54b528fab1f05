/* SPDX-License-Identifier: Apache-2.0 */
/* A handle is watched as long as jobs outside the order are about, or claims whose job is done; then it goes back. */
#include "harness.h"
#include "runtime/data/data.h"
#include "runtime/data/gate.h"
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
