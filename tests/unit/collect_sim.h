/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of collectors: simulated controllers, each a process, below a collector or the analyzer. One has a master, all have workers that
 * compute for times that are known. What they wait for, and how far they may go, stands in memory that they share with the test.
 */
#ifndef WEFT_TESTS_COLLECT_SIM_H
#define WEFT_TESTS_COLLECT_SIM_H

#include "harness.h"
#include "tune/analyze/analyze.h"
#include "tune/collect/collect_priv.h"
#include "base/atomic.h"
#include "base/clock.h"
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
enum { SIMS = 3, WORKERS = 4, ITERATIONS = 60, PERIOD_MS = 20, NODES = 5, DIRECT = -2 };
/* AHEAD: iterations that may be under way, well below the 32 that an evaluation keeps open. PATIENCE_S: without any progress. */
enum { AHEAD = 12, PATIENCE_S = 60, KILL_AT = 20 };
/* How well a collector's clock is known before the run: the slew that is left moves the sum of an iteration by some us. */
#define CLOCK_NS 200000
#define SUM_MS 0.3

/* Of all processes of a run. */
static struct shared {
	struct weft_atomic_u32 done, passed;      /* iterations that the analyzer has evaluated; that are not waited for */
	struct weft_atomic_u32 most;              /* iterations that may begin at all, so far */
	struct weft_atomic_u64 start[ITERATIONS]; /* when each began, in true time, as the first controller decides; 0: not yet */
	struct weft_atomic_u32 reconnected;       /* collectors that have another one above them */
	struct weft_atomic_u32 unsettled;         /* controllers whose collector's clock did not become right */
	uint64_t real_offset;                     /* true time: monotonic time and this, as no one sets that meanwhile */
} * shared;

static uint64_t true_ns(void)
{
	return weft_monotonic_ns() + shared->real_offset;
}

/* -- simulated controllers: a master, and workers that compute for times that are known -- */

struct sim {
	struct peer up;
	unsigned number;
	int prepared;   /* a byte is written to it when all is */
	uint64_t ready; /* its processes that the analyzer knows, a bit each */
};

static uint64_t process_number(const struct sim *s, unsigned i)
{
	return (uint64_t)(s->number + 1) << 32 | (i + 1);
}

static void sim_send(struct sim *s, struct message *m)
{
	if (peer_send(&s->up, m))
		_exit(3);
}

/* Its events as the tunlet lists them. */
enum { STARTS, FINISHES, SENDS, REPLIES, W_STARTS, W_FINISHES };

static void sim_event(struct sim *s, uint64_t process, unsigned event, uint64_t time, const int *value, unsigned n)
{
	static struct message m;
	m.kind = MESSAGE_EVENT;
	m.event.process = process;
	m.event.time = time;
	m.event.event = event;
	m.event.n = n;
	for (unsigned i = 0; i < n; i++)
		m.event.value[i] = (struct message_value){.kind = MESSAGE_INT, .i = value[i], .d = value[i], .s = ""};
	sim_send(s, &m);
}

/* How long worker w computes in iteration i. */
static uint64_t work_ns(unsigned w, unsigned i)
{
	return (1 + (w * 7 + i * 3) % 11) * MS / 2;
}

_Noreturn static void sim_end(struct sim *s)
{
	for (unsigned i = 0; i < WORKERS + (s->number == 0); i++) {
		struct message m = {.kind = MESSAGE_GONE};
		m.gone = (struct message_gone){process_number(s, i), true_ns(), ""};
		sim_send(s, &m);
	}
	while (peer_flush(&s->up) == 0 && (peer_events(&s->up) & POLLOUT))
		(void)poll(NULL, 0, 1);
	_exit(0);
}

/* Said once more, it asks whether the process is alive; so it may at any time. */
static void sim_ready(struct sim *s, uint64_t process)
{
	struct message m = {.kind = MESSAGE_COST, .cost = {.process = process, .alive = true, .time = true_ns()}};
	unsigned i = 0;
	while (i < WORKERS && process_number(s, i) != process)
		i++;
	if (s->ready >> i & 1)
		sim_send(s, &m);
	s->ready |= UINT64_C(1) << i;
}

static void wait_until(struct sim *s, uint64_t time)
{
	static struct message m;
	for (;;) {
		uint64_t now = true_ns();
		if (peer_flush(&s->up))
			_exit(3);
		if (now >= time)
			return;
		struct pollfd p = {peer_fd(&s->up), peer_events(&s->up), 0};
		(void)poll(&p, 1, (int)((time - now) / MS + 1));
		if (peer_fill(&s->up))
			_exit(3);
		while (peer_next(&s->up, &m) > 0)
			if (m.kind == MESSAGE_END)
				sim_end(s);
			else if (m.kind == MESSAGE_READY)
				sim_ready(s, m.ready.process);
	}
}

/* When iteration i begins: the first controller says so, when it is time and enough of those before are evaluated. */
static uint64_t begin_iteration(struct sim *s, unsigned i)
{
	uint64_t start, last = i ? weft_load_u64(&shared->start[i - 1]) : 0;
	while (!(start = weft_load_u64(&shared->start[i]))) {
		uint64_t now = true_ns();
		if (s->number == 0 && i < weft_load_u32(&shared->most) &&
		    i < weft_load_u32(&shared->done) + weft_load_u32(&shared->passed) + AHEAD && now >= last + PERIOD_MS * MS)
			weft_store_u64(&shared->start[i], now);
		else
			wait_until(s, now + MS);
	}
	return start;
}

static void sim_iteration(struct sim *s, unsigned i)
{
	uint64_t t = begin_iteration(s, i);
	int it = (int)i + 1;
	if (s->number == 0)
		sim_event(s, process_number(s, WORKERS), STARTS, t, (int[]){it, 100, 30, SIMS * WORKERS}, 4);
	for (unsigned w = 0; w < WORKERS; w++)
		sim_event(s, process_number(s, w), W_STARTS, t + MS, (int[]){it}, 1);
	wait_until(s, t + 9 * MS);
	for (unsigned w = 0; w < WORKERS; w++)
		sim_event(s, process_number(s, w), W_FINISHES, t + MS + work_ns(s->number * WORKERS + w, i), (int[]){it}, 1);
	if (s->number == 0)
		for (int w = 0; w < SIMS * WORKERS; w++) {
			uint64_t at = t + MS / 2 + (uint64_t)w * 1000;
			sim_event(s, process_number(s, WORKERS), SENDS, at, (int[]){100 + w, 10}, 2);
			sim_event(s, process_number(s, WORKERS), REPLIES, t + 10 * MS + (uint64_t)w * 1000, (int[]){100 + w, 500},
			          2);
		}
	if (s->number == 0)
		sim_event(s, process_number(s, WORKERS), FINISHES, t + 12 * MS, (int[]){it}, 1);
}

static void sim_process(struct sim *s, unsigned i, int64_t rank, const char *exe)
{
	struct message m = {.kind = MESSAGE_PROCESS};
	m.process = (struct message_process){.process = process_number(s, i),
	                                     .time = true_ns(),
	                                     .pid = 1000 * (s->number + 1) + i,
	                                     .rank = rank,
	                                     .host = "here",
	                                     .exe = exe};
	sim_send(s, &m);
}

/* A collector's corrected clock, from outside: right when it is so in three answers, each a slew after the one before. */
struct settling {
	unsigned right, wrong, late;
	uint64_t asked, since, began; /* since: when it was right first */
	int64_t off_ns;               /* at the last wrong answer */
};

static bool is_settled(const struct settling *c)
{
	return c->right >= 3;
}

static void settle_ask(struct sim *s, struct settling *c)
{
	struct message m = {.kind = MESSAGE_PING};
	uint64_t now = true_ns();
	if (!s->up.w || is_settled(c) || now < c->asked + 20 * MS)
		return;
	c->asked = now;
	m.ping.sent = now;
	sim_send(s, &m);
}

static void settle_answer(struct settling *c, const struct message_clock *m)
{
	uint64_t now = true_ns();
	if (m->sent != c->asked || now - c->asked > 2 * MS) {
		c->late++;
		return; /* it says too little */
	}
	if (m->received + CLOCK_NS < c->asked || m->received > now + CLOCK_NS) {
		c->right = 0;
		c->wrong++;
		c->off_ns = (int64_t)(m->received - now);
	} else if (c->right == 0 || now > c->since + 1100 * MS) {
		c->right++;
		c->since = now;
	}
}

/* One that is never prepared fails the test, and says why. */
static bool is_given_up(const struct sim *s, const struct settling *c)
{
	if (true_ns() - c->began < 2 * PATIENCE_S * 1000 * MS)
		return false;
	printf("# controller %u: processes that are ready %#llx; its collector's clock was wrong %u times, by %lld ns at last; "
	       "%u answers came late\n",
	       s->number, (unsigned long long)s->ready, c->wrong, (long long)c->off_ns, c->late);
	fflush(stdout);
	weft_add_u32(&shared->unsettled, 1);
	return true;
}

static void sim_prepare(struct sim *s)
{
	static struct message m;
	unsigned processes = WORKERS + (s->number == 0);
	struct settling clock = {.right = s->up.w ? 0 : 3, .began = true_ns()};
	while ((s->ready != (UINT64_C(1) << processes) - 1 || !is_settled(&clock)) && !is_given_up(s, &clock)) {
		struct pollfd p = {peer_fd(&s->up), peer_events(&s->up), 0};
		settle_ask(s, &clock);
		if (peer_flush(&s->up))
			_exit(3);
		(void)poll(&p, 1, 10);
		if (peer_fill(&s->up))
			_exit(3);
		while (peer_next(&s->up, &m) > 0)
			if (m.kind == MESSAGE_READY)
				sim_ready(s, m.ready.process);
			else if (m.kind == MESSAGE_CLOCK)
				settle_answer(&clock, &m.clock);
	}
}

static void sim_main(struct sim *s)
{
	struct message m = {.kind = MESSAGE_HELLO};
	m.hello = (struct message_hello){.version = MESSAGE_VERSION, .controller = s->number + 1, .host = "here"};
	sim_send(s, &m);
	for (unsigned w = 0; w < WORKERS; w++)
		sim_process(s, w, 100 + s->number * WORKERS + w, "/bin/worker");
	if (s->number == 0)
		sim_process(s, WORKERS, 0, "/bin/master");
	sim_prepare(s);
	if (write(s->prepared, "r", 1) != 1)
		_exit(5);
	for (unsigned i = 0; i < ITERATIONS; i++)
		sim_iteration(s, i);
	/* Until it is over. */
	wait_until(s, UINT64_MAX / 2);
}

#endif
