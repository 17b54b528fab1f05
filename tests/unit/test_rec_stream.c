/* SPDX-License-Identifier: Apache-2.0 */
/* Several events in one record, and a trace that is one file: its name, who has it, what children do, what a kill leaves. */
#include "base/str.h"
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- bundles ---- */

enum { MANY = 200 };

CHILD(bundles)
{
	struct weft_bundle b;
	weft_category off = weft_define_category("off", 0);
	weft_region r = weft_define_region("region", WEFT_STATE_RUNNING, 0);
	weft_attr a = weft_define_attr("attr", "", 0), silent = weft_define_attr("silent", "", off);
	weft_counter c = weft_define_counter("counter", "", 0);
	weft_bundle_begin(&b);
	weft_bundle_record(&b); /* nothing is no record */
	weft_bundle_add(&b, silent, WEFT_HEAD_ATTR, 1);
	weft_bundle_record(&b);
	weft_bundle_add(&b, r, WEFT_HEAD_ENTER, 0);
	weft_bundle_add(&b, silent, WEFT_HEAD_ATTR, 1);
	weft_bundle_add(&b, a, WEFT_HEAD_ATTR, 7);
	weft_bundle_add(&b, c, WEFT_HEAD_COUNTER, 8);
	weft_bundle_record(&b);
	weft_bundle_add(&b, r, WEFT_HEAD_LEAVE, 0); /* it can be used again */
	weft_bundle_record(&b);
	for (unsigned i = 0; i < MANY; i++)
		weft_bundle_add(&b, a, WEFT_HEAD_ATTR, i);
	weft_bundle_record(&b);
	return 0;
}

struct seen {
	struct {
		uint64_t ticks, word;
		unsigned kind, n;
	} at[MANY + 16];
	unsigned n;
};

static void see(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct seen *s = arg;
	(void)thread;
	if (r->kind < WEFT_EV_CPU && s->n < MANY + 16) {
		s->at[s->n].ticks = r->ticks;
		s->at[s->n].word = r->n ? r->payload[0] : 0;
		s->at[s->n].kind = r->kind;
		s->at[s->n++].n = r->n;
	}
}

TEST(events_of_a_bundle_stand_in_the_stream_one_by_one_at_one_time)
{
	struct stream_file f;
	REQUIRE(child_run("bundles", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.head.dropped, 0);
	struct seen s = {.n = 0};
	stream_visit(&f, see, &s);
	REQUIRE(s.n == 4 + MANY);
	static const struct {
		unsigned kind, n;
		uint64_t word;
	} want[] = {{WEFT_EV_ENTER, 0, 0}, {WEFT_EV_ATTR, 1, 7}, {WEFT_EV_COUNTER, 1, 8}, {WEFT_EV_LEAVE, 0, 0}};
	for (unsigned i = 0; i < 4; i++) {
		CHECK_U64(s.at[i].kind, want[i].kind);
		CHECK_U64(s.at[i].n, want[i].n);
		CHECK_U64(s.at[i].word, want[i].word);
	}
	CHECK_U64(s.at[0].ticks, s.at[2].ticks);
	unsigned wrong = 0, times = 1;
	for (unsigned i = 0; i < MANY; i++) {
		wrong += s.at[4 + i].kind != WEFT_EV_ATTR || s.at[4 + i].word != i;
		times += i && s.at[4 + i].ticks != s.at[3 + i].ticks;
	}
	CHECK_U64(wrong, 0);
	CHECK(times <= MANY / 24); /* in few records, each as long as it may be */
	stream_free(&f);
}

/* ---- one file ---- */

static const char *in_dir(const char *name)
{
	static char text[4][4096];
	static unsigned turn;
	char *to = text[turn++ % 4];
	snprintf(to, sizeof text[0], "%s/%s", getenv("TEST_DIR") ? getenv("TEST_DIR") : test_dir(), name);
	return to;
}

static unsigned points_of(const char *file)
{
	struct stream_file f;
	REQUIRE(stream_load(&f, file));
	CHECK(stream_is_good(&f));
	unsigned n = (unsigned)stream_count(&f).of[WEFT_EV_POINT];
	stream_free(&f);
	return n;
}

CHILD(one_file)
{
	weft_type t = weft_define_type("t", "", 0);
	if (weft_trace() || weft_start_file(in_dir("no/such/trace")) != -ENOENT || weft_trace())
		return 1;
	if (weft_start_file(in_dir("trace")) || strcmp(weft_trace(), in_dir("trace")))
		return 2;
	weft_point(t, 1);
	weft_stop();
	weft_point(t, 2);
	if (weft_start_file(in_dir("other")) || strcmp(weft_trace(), in_dir("trace"))) /* it stays where it is */
		return 3;
	weft_point(t, 3);
	pid_t child = fork();
	if (!child) {
		weft_point(t, 4);
		_exit(weft_trace() || weft_start(NULL) != -ENOENT || weft_start_file(in_dir("trace")) ||
		      !strcmp(weft_trace(), in_dir("trace")));
	}
	int status;
	return waitpid(child, &status, 0) != child || status ? 4 : 0;
}

TEST(a_trace_may_be_one_file_which_children_leave_alone)
{
	REQUIRE(child_run("one_file", "TEST_DIR=%s TSAN_OPTIONS=die_after_fork=0", test_dir()) == 0);
	CHECK_U64(points_of(in_dir("trace")), 2);
	CHECK(access(in_dir("other"), F_OK) != 0);
	REQUIRE(child_run("one_file", "TEST_DIR=%s TSAN_OPTIONS=die_after_fork=0", test_dir()) ==
	        0); /* what was there before is replaced */
	CHECK_U64(points_of(in_dir("trace")), 2);
}

CHILD(one_file_beside_a_trace)
{
	if (weft_start_file(in_dir("trace")) != -EEXIST)
		return 1;
	return strcmp(weft_trace(), in_dir("t.weft")) != 0;
}

TEST(who_records_elsewhere_already_gets_no_file)
{
	REQUIRE(child_run("one_file_beside_a_trace", "TEST_DIR=%s WEFT_DIR=%s/t.weft", test_dir(), test_dir()) == 0);
	CHECK(access(in_dir("trace"), F_OK) != 0);
}

CHILD(killed)
{
	weft_type t = weft_define_type("t", "", 0);
	if (weft_start_file(in_dir("killed")))
		return 1;
	for (int i = 0; i < 100000; i++)
		weft_point(t, i);
	return kill(getpid(), SIGKILL);
}

TEST(what_was_recorded_is_in_the_file_when_its_process_is_killed)
{
	CHECK(child_run("killed", "TEST_DIR=%s", test_dir()) != 0);
	CHECK_U64(points_of(in_dir("killed")), 100000);
}

CHILD(beside)
{
	weft_type t = weft_define_type("t", "", 0);
	if (weft_start_file(in_dir("trace")))
		return 1;
	weft_point(t, 1);
	return strcmp(weft_trace(), in_dir("trace")) == 0 ? 2 : 0;
}

TEST(a_file_that_a_process_records_into_is_not_taken_away)
{
	int held = open(in_dir("trace"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	REQUIRE(held >= 0);
	REQUIRE(flock(held, LOCK_EX | LOCK_NB) == 0);
	CHECK_I64(child_run("beside", "TEST_DIR=%s", test_dir()), 0);
	struct stat st;
	CHECK(fstat(held, &st) == 0 && st.st_nlink == 1 && st.st_size == 0);
	close(held);
	CHECK_I64(child_run("beside", "TEST_DIR=%s", test_dir()), 2); /* nobody has it any more */
	CHECK_U64(points_of(in_dir("trace")), 1);
}
