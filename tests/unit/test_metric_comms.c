/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a thread's messages come in order, all of them, and only a window of them is kept. */
#include "metric/func/metric_work.h"
#include "metric_maker.h"

enum { MESSAGES = 30000 };

static uint64_t below(uint64_t n)
{
	return test_random() % n;
}

/* Two threads send to each other and to themselves; one message of `rare` lasts long, all others are short. */
static void make_messages(struct made *f, uint64_t rare)
{
	struct weft_buf prv = {0};
	weft_buf_puts(&prv, "#Paraver (01/01/2024 at 10:00):1_ns:1(2):1:2(1:1,1:1)\n");
	uint64_t at = 1000;
	for (unsigned i = 0; i < MESSAGES; i++) {
		uint64_t from = below(2) + 1, to = below(2) + 1, length = rare && !below(rare) ? 500000 : 40;
		at += below(20);
		weft_buf_printf(&prv, "3:%llu:1:%llu:1:%llu:%llu:%llu:1:%llu:1:%llu:%llu:%u:1\n", (unsigned long long)from,
		                (unsigned long long)from, (unsigned long long)(at - below(30)), (unsigned long long)at,
		                (unsigned long long)to, (unsigned long long)to, (unsigned long long)(at + below(length)),
		                (unsigned long long)(at + below(length)), i);
	}
	make_trace(f, prv.at, NULL, NULL);
	weft_buf_fini(&prv);
}

static uint64_t ends_at(const struct weft_trace *t, uint32_t thread)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < t->message.n; i++)
		n += (t->message.send_thread[i] == thread) + (t->message.recv_thread[i] == thread);
	return n;
}

/* The time that a record of this kind has by its message's row. */
static double time_by_row(const struct weft_trace *t, const struct metric_comm *c)
{
	const struct weft_messages *m = &t->message;
	const uint64_t *column = c->kind & (METRIC_LOG_SEND | METRIC_FAR_LOG_SEND)   ? m->send_began
	                         : c->kind & (METRIC_PHY_SEND | METRIC_FAR_PHY_SEND) ? m->send_done
	                         : c->kind & (METRIC_LOG_RECV | METRIC_FAR_LOG_RECV) ? m->recv_began
	                                                                             : m->recv_done;
	return (double)column[c->message];
}

/* Reads a thread's records, forgetting those that are `keep` behind; the most that were held at once. */
static size_t read_thread(const struct made *f, uint32_t thread, uint64_t keep)
{
	struct metric_comms c;
	const struct metric_comm *r;
	uint64_t n = 0, wrong = 0;
	size_t held = 0;
	double time = 0;
	unsigned rank = 0;
	REQUIRE(metric_comms_open(&c, &f->s, NULL, thread, METRIC_COMMS) == 0);
	for (; (r = metric_comms_at(&c, n)); n++) {
		unsigned own = metric_record_rank(r->kind);
		wrong += r->time < time || (r->time == time && own < rank) || r->time != time_by_row(f->t, r);
		time = r->time;
		rank = own;
		if (n > keep)
			metric_comms_forget(&c, n - keep);
		held = c.list.n > held ? c.list.n : held;
	}
	CHECK_I64(c.rc, 0);
	CHECK_U64(wrong, 0);
	CHECK_U64(n, 4 * ends_at(f->t, thread));
	metric_comms_fini(&c);
	return held;
}

TEST(records_of_short_messages_pass_through_a_window)
{
	struct made f;
	make_messages(&f, 0);
	for (uint32_t thread = 0; thread < 2; thread++) {
		CHECK(read_thread(&f, thread, 0) < 3 * 4 * WEFT_BLOCK_EVENTS);
		CHECK(read_thread(&f, thread, 100) < 3 * 4 * WEFT_BLOCK_EVENTS);
		CHECK_U64(read_thread(&f, thread, UINT64_MAX), 4 * ends_at(f.t, thread));
	}
	unmake_trace(&f);
}

TEST(long_messages_widen_it)
{
	struct made f;
	make_messages(&f, 1000);
	for (uint32_t thread = 0; thread < 2; thread++)
		CHECK(read_thread(&f, thread, 0) > 3 * 4 * WEFT_BLOCK_EVENTS);
	unmake_trace(&f);
}
