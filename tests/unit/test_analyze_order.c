/* SPDX-License-Identifier: Apache-2.0 */
/* Events of several processes, as they come, leave by their time: against sorting them all. */
#include "harness.h"
#include "tune/analyze/analyze_priv.h"
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 3000, PROCESSES = 5 };

static struct analyze *replaying(void)
{
	struct analyze *a = calloc(1, sizeof *a);
	REQUIRE(a != NULL);
	a->began = a->virtual_now = 1000000000;
	a->how.window_ns = 1000;
	return a;
}

static void put(struct analyze *a, uint64_t process, uint64_t time, const char *text)
{
	struct message *m = calloc(1, sizeof *m);
	REQUIRE(m != NULL);
	m->kind = MESSAGE_EVENT;
	m->event.process = process;
	m->event.time = time;
	m->event.n = 1;
	m->event.value[0] = (struct message_value){.kind = MESSAGE_TEXT, .s = text};
	CHECK_I64(order_put(a, 3, m), 0);
	free(m);
}

static void done(struct analyze *a)
{
	for (size_t i = 0; i < a->queue.n; i++)
		free(a->queue.at[i].m);
	free(a->queue.at);
	free(a);
}

TEST(order_by_time_whatever_the_order_of_coming)
{
	struct analyze *a = replaying();
	uint64_t at[PROCESSES], last = 0, sum = 0, left = 0;
	for (unsigned k = 0; k < PROCESSES; k++)
		at[k] = a->began;
	a->virtual_now = UINT64_MAX / 2;
	for (unsigned i = 0; i < EVENTS; i++) {
		unsigned k = (unsigned)(test_random() % PROCESSES);
		char text[16];
		at[k] += test_random() % 50;
		sum += at[k];
		snprintf(text, sizeof text, "task %u", k);
		put(a, k, at[k], text);
	}
	struct message *m;
	unsigned controller, n = 0;
	uint64_t of_process[PROCESSES] = {0};
	for (; order_next(a, true, &m, &controller); n++) {
		char text[16];
		snprintf(text, sizeof text, "task %u", (unsigned)m->event.process);
		CHECK_STR(m->event.value[0].s, text);
		CHECK_U64(controller, 3);
		CHECK(m->event.time >= last && m->event.time >= of_process[m->event.process]);
		last = of_process[m->event.process] = m->event.time;
		left += m->event.time;
		free(m);
	}
	CHECK_U64(n, EVENTS);
	CHECK_U64(left, sum);
	done(a);
}

/* Equal times leave in the order of coming; nothing leaves before its window is over, and the future counts as now. */
TEST(order_waits_for_the_window)
{
	struct analyze *a = replaying();
	struct message *m;
	unsigned controller;
	CHECK_I64(order_wait_ms(a), -1);
	put(a, 1, a->began - 500, "first");
	put(a, 2, a->began - 500, "second");
	put(a, 3, a->began + 1000000000, "ahead");
	CHECK(!order_next(a, false, &m, &controller));
	CHECK_I64(order_wait_ms(a), 1);
	a->virtual_now += 500;
	for (uint64_t k = 1; k <= 2; k++) {
		REQUIRE(order_next(a, false, &m, &controller));
		CHECK_U64(m->event.process, k);
		free(m);
	}
	CHECK(!order_next(a, false, &m, &controller));
	a->virtual_now += 500;
	REQUIRE(order_next(a, false, &m, &controller));
	CHECK_U64(m->event.process, 3);
	free(m);
	CHECK(!order_next(a, true, &m, &controller));
	done(a);
}

/* Texts of messages that wait are their own. */
TEST(order_keeps_texts)
{
	char host[] = "node", exe[] = "/bin/program", why[] = "it ended";
	struct message m = {.kind = MESSAGE_PROCESS, .process = {.process = 7, .host = host, .exe = exe}};
	struct message *c = message_copy(&m);
	REQUIRE(c != NULL);
	memset(host, 'x', 4);
	memset(exe, 'x', 12);
	CHECK_STR(c->process.host, "node");
	CHECK_STR(c->process.exe, "/bin/program");
	free(c);
	m = (struct message){.kind = MESSAGE_GONE, .gone = {.why = why}};
	c = message_copy(&m);
	REQUIRE(c != NULL);
	memset(why, 'x', 8);
	CHECK_STR(c->gone.why, "it ended");
	free(c);
}
