/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks: which is chosen, that it agrees with others and between cpus, and clocks that jump. Those are made through the
 * recorder's table of functions; the machine's clock is never set.
 */
#include "record_child.h"
#include "record_stream_check.h"
#include "record/rec_priv.h"
#include "base/clock.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* ---- The clock of this machine ---- */

TEST(a_clock_is_chosen_and_said_why)
{
	struct rec_clock c;
	const char *why = NULL;
	rec_clock_choose(&c, &why);
	REQUIRE(why != NULL);
	printf("# %s: %s\n", c.kind == WEFT_CLOCK_TSC ? "tsc" : "monotonic", why);
	CHECK(c.kind == WEFT_CLOCK_TSC || c.kind == WEFT_CLOCK_MONOTONIC);
	uint64_t a = c.ticks(), b = c.ticks();
	CHECK(b >= a && a > 0);
}

TEST(samples_agree_with_the_system)
{
	REQUIRE(rec_init() == 0);
	struct rec_sample a = rec_clock_sample();
	uint64_t from = weft_monotonic_ns();
	while (weft_monotonic_ns() - from < 20000000)
		;
	struct rec_sample b = rec_clock_sample();
	CHECK(a.monotonic_ns <= from && b.monotonic_ns >= from + 20000000);
	CHECK(llabs((int64_t)(b.realtime_ns - a.realtime_ns) - (int64_t)(b.monotonic_ns - a.monotonic_ns)) < 2000000);
	double rate = rec_clock_rate(&a, &b);
	CHECK(rate > 0.1 && rate < 20);
	CHECK(rec_clock_rate(&b, &a) == 0);
	CHECK(rec_clock_rate(&a, &a) == 0);
}

CHILD(some_events)
{
	weft_region r = weft_define_region("r", WEFT_STATE_RUNNING, 0);
	uint64_t from = weft_monotonic_ns();
	while (weft_monotonic_ns() - from < 300000000) {
		weft_enter(r);
		weft_leave(r);
		usleep(1000);
	}
	return 0;
}

struct clocks {
	struct rec_sample first, last;
	unsigned n;
};
static void follow_clocks(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct clocks *c = arg;
	(void)thread;
	if (r->kind != WEFT_EV_CLOCK)
		return;
	c->last = (struct rec_sample){r->payload[0], r->payload[1], r->payload[2]};
	if (!c->n++)
		c->first = c->last;
}

TEST(the_first_estimate_of_the_rate_is_good)
{
	struct stream_file f;
	struct clocks c = {.n = 0};
	/* At the begin, after 10 and 100 ms if the helper gets to run in time, and at the end. */
	for (int i = 0; i < 10 && c.n < 4; i++) {
		if (i)
			stream_free(&f);
		REQUIRE(child_run("some_events", "WEFT_DIR=%s/%d.weft", test_dir(), i) == 0);
		REQUIRE(stream_load_in(&f, 0, "%s/%d.weft", test_dir(), i));
		CHECK(stream_is_good(&f));
		c.n = 0;
		stream_visit(&f, follow_clocks, &c);
	}
	CHECK(c.n >= 4);
	double rate = rec_clock_rate(&c.first, &c.last);
	printf("# estimated %.6f, measured %.6f ticks a ns\n", f.head.ticks_per_ns, rate);
	CHECK(fabs(f.head.ticks_per_ns / rate - 1) < 0.05);
	CHECK(f.head.start_ticks <= f.head.end_ticks);
	CHECK_U64(f.head.start_ticks, c.first.ticks);
	CHECK_U64(f.head.start_monotonic, c.first.monotonic_ns);
	stream_free(&f);
}

/* ---- Between cpus ---- */

static _Atomic uint64_t ball;
static _Atomic int back, players;

static void fence(void)
{
#if defined __x86_64__
	__asm__ volatile("lfence" : : : "memory");
#endif
}

static void *play(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((int)me, &one);
	sched_setaffinity(0, sizeof one, &one);
	players++;
	while (players < 2)
		;
	for (int i = 0; i < 20000; i++) {
		uint64_t seen;
		unsigned spins = 0;
		while (((seen = atomic_load(&ball)) & 1) != me)
			if (++spins % 1000 == 0)
				sched_yield();
		fence(); /* or the processor reads the counter before it has seen the ball */
		uint64_t now = rec.clock.ticks();
		back += now < seen >> 1;
		atomic_store(&ball, now << 1 | (1 - me));
	}
	return NULL;
}

TEST(ticks_never_go_back_from_one_cpu_to_another)
{
	pthread_t thread[2];
	cpu_set_t may;
	REQUIRE(rec_init() == 0);
	sched_getaffinity(0, sizeof may, &may);
	if (!CPU_ISSET(0, &may) || !CPU_ISSET(1, &may))
		SKIP("cpus 0 and 1 are not ours");
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, play, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK_I64(back, 0);
}

/* ---- Clocks that jump ---- */

static _Atomic int64_t jump; /* the helper's samples jump as well */

static uint64_t jumping(void)
{
	return (uint64_t)((int64_t)weft_monotonic_ns() + jump);
}

static weft_type step;

static int begin_jumping(void)
{
	rec_init();
	rec.clock = (struct rec_clock){WEFT_CLOCK_MONOTONIC, jumping, jumping, weft_realtime_ns};
	if (weft_start(getenv("TEST_DIR")))
		return 1;
	step = weft_define_type("step", "", 0);
	return 0;
}

static void steps(unsigned n)
{
	static int64_t number;
	while (n--)
		weft_point(step, number++);
}

CHILD(jumps)
{
	if (begin_jumping())
		return 1;
	steps(10);
	jump += 10000000000; /* further than 32 bits of ns */
	steps(10);
	jump += 3600000000000;
	steps(1000); /* over a page */
	jump -= 20000000000;
	steps(10);
	jump -= 1000000000;
	steps(1000); /* over a page, while the time is held */
	jump += 3600000000000;
	steps(10);
	jump -= 5000; /* and again */
	usleep(1);
	steps(1000);
	return 0;
}

struct jump_seen {
	uint64_t next, wrong, backs, last, first, held;
	uint64_t amount[8];
};
static void follow_jumps(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct jump_seen *s = arg;
	(void)thread;
	if (r->kind == WEFT_EV_CLOCK_BACK && s->backs < 8)
		s->amount[s->backs++] = r->payload[0];
	if (r->kind != WEFT_EV_POINT)
		return;
	s->wrong += r->payload[0] != s->next++;
	s->held += s->next > 1 && r->ticks == s->last;
	if (!s->first)
		s->first = r->ticks;
	s->last = r->ticks;
}

TEST(a_clock_that_jumps_is_told_and_held)
{
	struct stream_file f;
	struct jump_seen s = {0};
	REQUIRE(child_run("jumps", "TEST_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f)); /* above all: no time goes back */
	stream_visit(&f, follow_jumps, &s);
	CHECK_U64(s.wrong, 0);
	CHECK_U64(s.next, 10 + 10 + 1000 + 10 + 1000 + 10 + 1000);
	CHECK(s.backs >= 1);
	CHECK(s.amount[0] > 10000000000 && s.amount[0] < 20000000000);
	CHECK(s.held >= 1009); /* all between the jump back and the next one forth */
	CHECK(s.last - s.first > 7185000000000);
	stream_free(&f);
}

/* ---- Another cpu whose clock is behind ---- */

CHILD(cpu_behind)
{
	cpu_set_t one, may;
	int cpu[2], n = 0;
	if (begin_jumping())
		return 1;
	sched_getaffinity(0, sizeof may, &may);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &may))
			cpu[n++] = i;
	if (n < 2)
		return 77;
	for (int i = 0; i < 20; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpu[i % 2], &one);
		sched_setaffinity(0, sizeof one, &one);
		jump = i % 2 ? 0 : 50000000; /* one is 50 ms behind the other */
		steps(100);
	}
	return 0;
}

TEST(a_cpu_whose_clock_is_behind_is_noticed_when_a_thread_gets_there)
{
	struct stream_file f;
	struct jump_seen s = {0};
	int rc = child_run("cpu_behind", "TEST_DIR=%s/t.weft", test_dir());
	if (rc == 77)
		SKIP("one cpu");
	REQUIRE(rc == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	stream_visit(&f, follow_jumps, &s);
	CHECK_U64(s.wrong, 0);
	CHECK_U64(s.next, 2000);
	CHECK(s.backs > 0);
	stream_free(&f);
}

/* ---- Another namespace ---- */

TEST(a_time_namespace_is_said)
{
	int status;
	struct stream_file f;
	free(test_shell(&status, "unshare -T --monotonic 1000000 true 2>/dev/null"));
	if (status)
		SKIP("no time namespace can be made");
	free(test_shell(&status, "TEST_CHILD=some_events WEFT_DIR=%s/t.weft unshare -T --monotonic 1000000 /proc/%d/exe",
	                test_dir(), getpid()));
	CHECK_I64(status, 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK(f.head.start_monotonic / 1000000000 >= 1000000);
	bool said = false;
	for (unsigned i = 0;; i++) {
		struct stream_find t = stream_find(&f, WEFT_EV_PROCESS_TEXT, i);
		const char *at;
		uint32_t n;
		if (!t.found)
			break;
		if (t.r.payload[0] == WEFT_TEXT_BOOT_ID && weft_record_bytes(&t.r, 2, &at, &n))
			said = n > 42 && memcmp(at + 36, "/time-", 6) == 0;
	}
	CHECK(said);
	stream_free(&f);
}
