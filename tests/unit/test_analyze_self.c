/* SPDX-License-Identifier: Apache-2.0 */
/* The analyzer and its collectors as processes: rates and shares of an interval, and how many collectors each one is to have. */
#include "analyze_stage.h"
#include "tune/control/ask.h"
#include <errno.h>
#include <stdlib.h>

#define S UINT64_C(1000000000)
#define LONG_AGO (10 * S)

static struct stage begin(void)
{
	struct stage st = stage_begin();
	st.a->how.adapts = true;
	self_look(st.a);
	return st;
}

static void end(struct stage *st)
{
	self_fini(st->a);
	stage_end(st);
}

/* A collector's account at `second` of its time: events and processor time so far, and how long it had to wait for a processor. */
static void load(struct stage *st, uint32_t collector, uint32_t of, uint64_t second, uint64_t events, uint64_t cpu_ms,
                 uint64_t delay_ms)
{
	struct message_load m = {.time = second * S,
	                         .collector = collector,
	                         .of = of,
	                         .events = events,
	                         .cpu_ns = cpu_ms * 1000000,
	                         .delay_ns = delay_ms * 1000000,
	                         .host = "here"};
	self_heard(st->a, 0, &m);
}

static void interval(struct stage *st)
{
	st->a->self.time -= LONG_AGO;
	self_look(st->a);
	CHECK_I64(st->a->err.code, 0);
}

static void check_collector(const struct stage *st, size_t i, double rate, double busy)
{
	CHECK_NEAR(st->a->self.collector.at[i].rate, rate, 1e-9);
	CHECK_NEAR(st->a->self.collector.at[i].busy, busy, 1e-9);
}

TEST(rates_are_those_of_the_last_interval)
{
	struct stage st = begin();
	load(&st, 1, 1, 100, 5000, 20000, 0); /* what it did before it was heard of does not count */
	load(&st, 1, 1, 102, 5400, 21000, 0);
	interval(&st);
	check_collector(&st, 0, 200, 0.5);
	load(&st, 1, 1, 104, 5400, 21200, 1000); /* for a second it had to wait: a fifth of the other one */
	interval(&st);
	check_collector(&st, 0, 0, 0.2);
	interval(&st); /* nothing new was said */
	check_collector(&st, 0, 0, 0.2);
	end(&st);
}

static void set(struct stage *st, double n)
{
	struct message m = {.kind = MESSAGE_ACT};
	m.act.process = process_find(st->a, st->a->process.at[0]->process)->process;
	m.act.subject = "collectors";
	m.act.n = 1;
	m.act.argument[0] = ask_value(n, true);
	self_told(st->a, &m);
}

/* What collectors were told by GROW: of number 1, 2. */
static void check_grow(struct stage *st, uint32_t one, uint32_t two)
{
	uint32_t told[4] = {0};
	CHECK_I64(channel_flush(&st->a->controller[0]), 0);
	CHECK_I64(channel_fill(&st->below), 0);
	while (channel_next(&st->below, st->in) > 0)
		if (st->in->kind == MESSAGE_GROW && st->in->grow.collector < 4)
			told[st->in->grow.collector] = st->in->grow.n;
	CHECK_U64(told[1], one);
	CHECK_U64(told[2], two);
	CHECK_U64(told[3], 0); /* it is one of those that the first one has begun */
}

/* Two hosts; the first has two collectors and three times the events. Each host keeps one, the others go by events. */
TEST(collectors_are_shared_by_the_events_of_hosts)
{
	struct stage st = begin();
	static const struct {
		uint32_t number, of;
		uint64_t events;
	} all[] = {{1, 1, 1000}, {2, 2, 1000}, {3, 1, 2000}};
	for (unsigned i = 0; i < 3; i++) {
		load(&st, all[i].number, all[i].of, 10, 0, 0, 0);
		load(&st, all[i].number, all[i].of, 11, all[i].events, 0, 0);
	}
	interval(&st);
	CHECK_U64(self_heads(st.a), 2);
	set(&st, 6);
	check_grow(&st, 4, 2);
	set(&st, 2);
	check_grow(&st, 1, 1);
	set(&st, 0); /* there is one at least */
	check_grow(&st, 0, 0);
	CHECK_U64(st.a->self.acted.n, 3);
	CHECK_I64(st.a->self.acted.at[1].rc, 0);
	CHECK_I64(st.a->self.acted.at[1].old.i, 3);
	CHECK_I64(st.a->self.acted.at[2].rc, -EINVAL);
	end(&st);
}
