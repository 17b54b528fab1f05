/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder under everything at once: storms of signals whose handlers record, threads that define, switch, stop, start, save
 * and ask while others record and come and go. What was recorded and what was dropped adds up to what was emitted.
 */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

/* Of events in handlers, so many may find the place for them taken: where a page changes slowly, more do. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define DROPPED_PART 20
#else
#define DROPPED_PART 200
#endif

/* ---- Signals ---- */

#define SIGNAL_THREADS 3

static weft_type outside, inside;
static weft_region region;
static __thread uint64_t in_handler;
static _Atomic uint64_t emitted_outside, emitted_inside;
static _Atomic int stop;

static void handler(int sig)
{
	(void)sig;
	int saved = errno;
	for (int i = 0; i < 3; i++)
		weft_point(inside, (int64_t)in_handler++);
	if (errno != saved)
		abort();
}

static void *under_fire(void *arg)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec each = {{0, 40000}, {0, 40000}}, never = {{0, 0}, {0, 0}};
	timer_t timer;
	uint64_t n = 0;
	how._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &how, &timer))
		abort();
	timer_settime(timer, 0, &each, NULL);
	while (!stop)
		for (int i = 0; i < 100; i++) {
			weft_point(outside, (int64_t)n++);
			weft_enter(region);
			weft_leave(region);
		}
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
	atomic_fetch_add(&emitted_outside, n);
	atomic_fetch_add(&emitted_inside, in_handler);
	return arg;
}

CHILD(signal_storm)
{
	struct sigaction on_signal = {.sa_handler = handler, .sa_flags = SA_RESTART};
	pthread_t thread[SIGNAL_THREADS];
	outside = weft_define_type("outside", "", 0);
	inside = weft_define_type("inside", "", 0);
	region = weft_define_region("region", WEFT_STATE_RUNNING, 0);
	sigaction(SIGUSR1, &on_signal, NULL);
	for (int i = 0; i < SIGNAL_THREADS; i++)
		pthread_create(&thread[i], NULL, under_fire, NULL);
	usleep(400000);
	stop = 1;
	for (int i = 0; i < SIGNAL_THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%llu %llu\n", (unsigned long long)emitted_outside, (unsigned long long)emitted_inside);
	return 0;
}

TEST(every_event_of_signal_handlers_is_accounted_for)
{
	int status;
	unsigned long long from_outside, from_inside;
	struct stream_file f;
	char *text = test_shell(&status, "TEST_CHILD=signal_storm WEFT_DIR=%s/t.weft /proc/%d/exe", test_dir(), getpid());
	REQUIRE(status == 0);
	REQUIRE(sscanf(text, "%llu %llu", &from_outside, &from_inside) == 2);
	free(text);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	struct stream_counts c = stream_count(&f);
	CHECK_U64(c.of[WEFT_EV_POINT] + f.head.dropped, from_outside + from_inside);
	CHECK_U64(c.of[WEFT_EV_ENTER], from_outside);
	CHECK_U64(c.of[WEFT_EV_LEAVE], from_outside);
	CHECK(from_inside > 100);
	/* What comes in the middle of the slow path is put aside; what is more than that has room for is said where it is missing. */
	CHECK(f.head.dropped <= from_inside / DROPPED_PART);
	CHECK_U64(c.dropped, f.head.dropped);
	printf("# %llu outside, %llu inside, %llu dropped\n", from_outside, from_inside, (unsigned long long)f.head.dropped);
	stream_free(&f);
}

/*
 * Of samples, nothing may be missing, wherever they come: as deep as stacks are recorded, two fill a page, and most come to a thread that
 * begins, ends, or takes another page.
 */
enum { STACK_WORDS = 250, SHORT_LIVES = 3000 };
static weft_category stacks;
static _Atomic uint64_t emitted_stacks;

static void stack_handler(int sig)
{
	static const uint64_t word[STACK_WORDS + 1] = {STACK_WORDS};
	uint32_t on = *stacks;
	(void)sig;
	if (!on)
		return;
	weft_record_head(stacks, on, WEFT_HEAD_SAMPLE | WEFT_WORDS_LONG << 8, STACK_WORDS + 1, word, 0);
	atomic_fetch_add(&emitted_stacks, 1);
}

static void *short_life(void *arg)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec each = {{0, 500000}, {0, 1000 + *(const int *)arg % 97 * 1000}};
	timer_t timer;
	how._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &how, &timer))
		abort();
	timer_settime(timer, 0, &each, NULL);
	for (int i = 0; i < 700; i++)
		weft_point(outside, i);
	/* The timer goes on while the thread ends. */
	return (void *)(uintptr_t)timer;
}

CHILD(signal_storm_of_stacks)
{
	struct sigaction on_signal = {.sa_handler = stack_handler, .sa_flags = SA_RESTART};
	sigfillset(&on_signal.sa_mask);
	outside = weft_define_type("outside", "", 0);
	stacks = weft_define_category("stacks", 1);
	sigaction(SIGUSR1, &on_signal, NULL);
	for (int i = 0; i < SHORT_LIVES; i++) {
		pthread_t thread;
		void *timer;
		if (pthread_create(&thread, NULL, short_life, &i))
			return 1;
		pthread_join(thread, &timer);
		timer_delete((timer_t)timer);
	}
	printf("%llu\n", (unsigned long long)emitted_stacks);
	return 0;
}

TEST(no_sample_is_missing_wherever_it_comes)
{
	int status;
	struct stream_file f;
	char *text = test_shell(&status, "TEST_CHILD=signal_storm_of_stacks WEFT_DIR=%s/t.weft /proc/%d/exe", test_dir(),
	                        getpid());
	REQUIRE(status == 0);
	uint64_t n = strtoull(text, NULL, 10);
	free(text);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	struct stream_counts c = stream_count(&f);
	CHECK_U64(c.of[WEFT_EV_SAMPLE] + f.head.dropped, n);
	CHECK_U64(c.of[WEFT_EV_POINT], SHORT_LIVES * UINT64_C(700));
	CHECK_U64(f.head.dropped, 0);
	printf("# %llu samples, %llu dropped\n", (unsigned long long)n, (unsigned long long)f.head.dropped);
	stream_free(&f);
}

/* ---- Everything at once ---- */

static _Atomic uint64_t emitted;

static _Atomic bool recorded; /* some points, by whoever came first */

static void *recorder(void *arg)
{
	weft_category noise = weft_define_category("noise", 1);
	weft_region r = weft_define_region("noisy", WEFT_STATE_RUNNING, noise);
	weft_type t = weft_define_type("number", "", 0);
	uint64_t n = 0;
	while (!stop) {
		for (int i = 0; i < 50; i++) {
			weft_point(t, (int64_t)n++);
			weft_enter(r);
			weft_leave(r);
		}
		recorded = true;
	}
	atomic_fetch_add(&emitted, n);
	return arg;
}

static void *short_one(void *arg)
{
	weft_type t = weft_define_type("number", "", 0);
	for (int i = 0; i < 20; i++)
		weft_point(t, i);
	atomic_fetch_add(&emitted, 20);
	return arg;
}

static void *comes_and_goes(void *arg)
{
	while (!stop) {
		pthread_t thread[4];
		for (int i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, short_one, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
	}
	return arg;
}

static void *definer(void *arg)
{
	char name[40];
	for (unsigned i = 0; !stop; i++) {
		snprintf(name, sizeof name, "region %u", i % 3000);
		weft_region r = weft_define_region(name, WEFT_STATE_RUNNING, 0);
		weft_enter(r);
		weft_name_thread(name);
	}
	return arg;
}

static _Atomic unsigned rounds;

static void *controller(void *arg)
{
	bool stops = getenv("TEST_STOPS") != NULL;
	weft_category noise = weft_define_category("noise", 1);
	struct weft_status s;
	char dir[400];
	WAIT_FOR(recorded);
	for (unsigned i = 0; !stop; i++) {
		weft_switch(noise, i % 2);
		weft_get_status(&s);
		weft_flush();
		weft_sync(i, 0);
		snprintf(dir, sizeof dir, "%s/save", getenv("TEST_DIR"));
		(void)weft_save(dir);
		if (stops) {
			weft_stop();
			weft_start(NULL);
		}
		rounds++;
		usleep(500);
	}
	return arg;
}

CHILD(all_at_once)
{
	void *(*const run[])(void *) = {recorder, recorder, comes_and_goes, definer, controller};
	pthread_t thread[sizeof run / sizeof *run];
	for (unsigned i = 0; i < sizeof run / sizeof *run; i++)
		pthread_create(&thread[i], NULL, run[i], NULL);
	usleep(500000);
	WAIT_FOR(rounds >= 10);
	stop = 1;
	for (unsigned i = 0; i < sizeof run / sizeof *run; i++)
		pthread_join(thread[i], NULL);
	printf("%llu\n", (unsigned long long)emitted);
	return 0;
}

static uint64_t run_all(const char *settings, struct stream_file *f)
{
	int status;
	char *text = test_shell(&status, "TEST_CHILD=all_at_once TEST_DIR=%s WEFT_DIR=%s/t.weft %s /proc/%d/exe", test_dir(),
	                        test_dir(), settings, getpid());
	REQUIRE(status == 0);
	uint64_t n = strtoull(text, NULL, 10);
	free(text);
	REQUIRE(stream_load_in(f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(f));
	CHECK_U64(f->n_open, 0);
	return n;
}

TEST(all_at_once_in_mode_keep)
{
	struct stream_file f;
	uint64_t n = run_all("", &f);
	CHECK_U64(stream_count(&f).of[WEFT_EV_POINT], n);
	CHECK_U64(f.head.dropped, 0);
	stream_free(&f);
}

TEST(all_at_once_with_stops)
{
	struct stream_file f;
	uint64_t n = run_all("TEST_STOPS=1", &f);
	struct stream_counts c = stream_count(&f);
	CHECK(c.of[WEFT_EV_POINT] <= n);
	/* Each stop has its mark and its start; and every switching of the category, as far as that was while on. */
	CHECK(c.of[WEFT_EV_OFF] > 0 && c.of[WEFT_EV_ON] > 0);
	stream_free(&f);
}

TEST(all_at_once_in_a_ring_that_is_saved)
{
	struct stream_file f, saved;
	(void)run_all("WEFT_MODE=ring WEFT_SIZE=8M", &f);
	stream_free(&f);
	REQUIRE(stream_load_in(&saved, 0, "%s/save", test_dir()));
	CHECK(stream_is_good(&saved));
	CHECK_U64(saved.n_open, 0);
	CHECK_U64(saved.head.state, WEFT_STREAM_CLOSED);
	CHECK(stream_count(&saved).of[WEFT_EV_POINT] > 100);
	stream_free(&saved);
}

TEST(all_at_once_until_full)
{
	struct stream_file f;
	(void)run_all("WEFT_MODE=full WEFT_SIZE=1M", &f);
	if (!test_build_is("tsan") || f.head.state != WEFT_STREAM_CLOSED) {
		CHECK_U64(f.head.state, WEFT_STREAM_FULL);
		CHECK(f.head.dropped > 0);
	}
	stream_free(&f);
}
