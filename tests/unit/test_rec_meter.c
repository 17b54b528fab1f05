/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters at regions: before each entry and end of the categories that are wanted there is a reading, and before no other; also in threads
 * that come later, across pages, with a handler that records meanwhile, and in a child.
 */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { CALLS = 20000, THREADS = 3, WANTED = 1, OTHER = 2, ASYNC = 3 };

static weft_counter counter = WEFT_OFF;
static weft_region wanted = WEFT_OFF, other = WEFT_OFF, in_handler = WEFT_OFF;
static weft_type note = WEFT_OFF;
static __thread int64_t readings;

static void reading(void)
{
	weft_count(counter, ++readings);
}

static int wants(const char *category)
{
	return strcmp(category, "wanted") == 0;
}

static const struct weft_meter meter = {reading, wants};

static void define(void)
{
	counter = weft_define_counter("readings", "", 0);
	wanted = weft_define_region("wanted", WEFT_STATE_RUNNING, weft_define_category("wanted", 1));
	other = weft_define_region("other", WEFT_STATE_RUNNING, weft_define_category("other", 1));
	in_handler = weft_define_region("in a handler", WEFT_STATE_RUNNING, weft_define_category("other", 1));
	note = weft_define_type("note", "", 0);
}

static void *call(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		weft_enter(wanted);
		weft_point(note, i);
		weft_enter(other);
		weft_leave(other);
		weft_leave(wanted);
	}
	return arg;
}

static void on_alarm(int signal)
{
	(void)signal;
	weft_enter(in_handler);
	weft_leave(in_handler);
}

CHILD(metered)
{
	pthread_t thread[THREADS];
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	const struct itimerval each = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
	define();
	if (weft_meter(&meter) || weft_meter(&meter) != -EBUSY || weft_meter(NULL) != -EINVAL)
		return 1;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, call, NULL);
	call(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	return 0;
}

/* A region that is defined behind the meter is asked about, too. */
CHILD(defined_later)
{
	if (weft_meter(&meter))
		return 1;
	define();
	call(NULL);
	return 0;
}

CHILD(forks)
{
	int status = 1;
	define();
	if (weft_meter(&meter))
		return 1;
	call(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		call(NULL);
		exit(0);
	}
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 2;
}

/* ---- what the stream says ---- */

enum { SEEN_THREADS = 64 };
struct seen {
	uint64_t entered, left, bare, unwanted, readings, others;
	bool read[SEEN_THREADS]; /* there was a reading, and no region since */
};

static void see(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct seen *s = arg;
	bool *read = &s->read[thread % SEEN_THREADS];
	if (r->kind == WEFT_EV_COUNTER) {
		s->readings++;
		*read = true;
	} else if (r->kind == WEFT_EV_ENTER || r->kind == WEFT_EV_LEAVE) {
		s->entered += r->kind == WEFT_EV_ENTER && r->id == WANTED;
		s->left += r->kind == WEFT_EV_LEAVE && r->id == WANTED;
		s->others += r->id == OTHER;
		/* A handler's own region may come between. */
		if (r->id == ASYNC)
			return;
		s->bare += r->id == WANTED && !*read;
		s->unwanted += r->id == OTHER && *read;
		*read = false;
	}
}

static void check_stream(unsigned which, uint64_t threads)
{
	struct stream_file f;
	struct seen s = {0};
	REQUIRE(stream_load_in(&f, which, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.head.dropped, 0);
	stream_visit(&f, see, &s);
	CHECK_U64(s.entered, threads * CALLS);
	CHECK_U64(s.left, threads * CALLS);
	CHECK_U64(s.others, 2 * threads * CALLS);
	CHECK_U64(s.bare, 0);
	CHECK_U64(s.unwanted, 0);
	CHECK_U64(s.readings, 2 * threads * CALLS);
	stream_free(&f);
}

TEST(each_region_has_its_reading)
{
	REQUIRE(child_run("metered", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	check_stream(0, THREADS + 1);
}

TEST(regions_that_are_defined_later)
{
	REQUIRE(child_run("defined_later", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	check_stream(0, 1);
}

TEST(a_child_goes_on)
{
	REQUIRE(child_run("forks", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	check_stream(0, 1);
	check_stream(1, 1);
}
