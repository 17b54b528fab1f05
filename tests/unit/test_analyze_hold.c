/* SPDX-License-Identifier: Apache-2.0 */
/* A process that appears while others are said to be alive waits for one sign of life, or for their ends, however late these are told. */
#include "analyze_stage.h"

static struct stage begin(void)
{
	return stage_begin();
}

static void end(struct stage *st)
{
	hold_free(st->a);
	stage_end(st);
}

static void appears(struct stage *st, uint64_t process, uint32_t pid, uint64_t time)
{
	struct message m = {.kind = MESSAGE_PROCESS};
	m.process = (struct message_process){.process = process, .time = time, .pid = pid, .rank = -1, .host = "h", .exe = "/e"};
	CHECK_I64(hold_process(st->a, 0, message_copy(&m)), 0);
	hold_look(st->a);
}

/* Without a tunlet no process is known: this one is. */
static void first(struct stage *st, uint64_t process, uint32_t pid, uint64_t time)
{
	appears(st, process, pid, time);
	REQUIRE(process_find(st->a, process) != NULL);
	process_find(st->a, process)->known = true;
}

static void goes(struct stage *st, uint64_t process, uint64_t time)
{
	hold_gone(st->a, process);
	process_gone(st->a, &(struct message_gone){process, time, ""});
	hold_look(st->a);
}

static void account(struct stage *st, uint64_t process, uint64_t time, bool alive)
{
	hold_seen(st->a, process_find(st->a, process), &(struct message_cost){.process = process, .time = time, .alive = alive});
	hold_look(st->a);
}

static void lives(struct stage *st, uint64_t process, uint64_t time)
{
	account(st, process, time, true);
}

/* How often READY was said to a process since the last time. */
static unsigned asked(struct stage *st, uint64_t process)
{
	unsigned n = 0;
	CHECK_I64(channel_flush(&st->a->controller[0]), 0);
	CHECK_I64(channel_fill(&st->below), 0);
	while (channel_next(&st->below, st->in) > 0)
		n += st->in->kind == MESSAGE_READY && st->in->ready.process == process;
	return n;
}

TEST(a_process_waits_for_the_end_of_all_before_it)
{
	struct stage st = begin();
	first(&st, 1, 10, 100);
	appears(&st, 2, 11, 101);
	CHECK_U64(asked(&st, 1), 1);
	CHECK(!process_find(st.a, 2));
	lives(&st, 1, 102); /* the same program: one sign is enough */
	REQUIRE(process_find(st.a, 2) != NULL);
	process_find(st.a, 2)->known = true;
	appears(&st, 3, 12, 200);
	appears(&st, 4, 13, 201);
	CHECK_U64(asked(&st, 1), 1);
	goes(&st, 1, 150);
	CHECK(!process_find(st.a, 3));
	CHECK_U64(asked(&st, 2), 1);
	goes(&st, 2, 160);
	CHECK(!process_find(st.a, 2)->alive);
	CHECK(process_find(st.a, 3) && process_find(st.a, 4));
	end(&st);
}

TEST(an_answer_from_before_is_none)
{
	struct stage st = begin();
	first(&st, 1, 10, 100);
	appears(&st, 2, 11, 200);
	CHECK_U64(asked(&st, 1), 1);
	lives(&st, 1, 199);
	CHECK(!process_find(st.a, 2));
	CHECK_U64(asked(&st, 1), 1);
	lives(&st, 1, 200);
	CHECK(process_find(st.a, 2) != NULL);
	end(&st);
}

/* It was taken for one: then the next program went on with the iterations of the one that had just ended, and was not tuned. */
TEST(the_last_account_of_a_process_is_no_sign_of_life)
{
	struct stage st = begin();
	first(&st, 1, 10, 100);
	appears(&st, 2, 11, 200);
	account(&st, 1, 300, false);
	CHECK(!process_find(st.a, 2));
	goes(&st, 1, 301);
	CHECK(process_find(st.a, 2) != NULL);
	CHECK(!process_find(st.a, 1)->alive);
	end(&st);
}

TEST(one_that_executes_or_ends_meanwhile_waits_for_nobody)
{
	struct stage st = begin();
	first(&st, 1, 10, 100);
	appears(&st, 2, 10, 200);
	REQUIRE(process_find(st.a, 2) != NULL);
	process_find(st.a, 2)->known = true;
	appears(&st, 3, 11, 300);
	CHECK(!process_find(st.a, 3));
	goes(&st, 3, 301);
	CHECK(process_find(st.a, 3) && !process_find(st.a, 3)->alive);
	appears(&st, 4, 12, 400);
	st.a->ended = true;
	hold_look(st.a);
	CHECK(process_find(st.a, 4) != NULL);
	end(&st);
}
