/* SPDX-License-Identifier: Apache-2.0 */
/* What part of a run is recorded: some ranks, while a file exists, the first calls of a region. */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <fcntl.h>
#include <pthread.h>

enum { ROUNDS = 5, EACH = 100 };

CHILD(one_event)
{
	weft_point(weft_define_type("type", "", 0), 7);
	return 0;
}

static unsigned streams_in(const char *dir)
{
	unsigned n = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		n += strstr(e->d_name, ".stream") != NULL;
	if (d)
		closedir(d);
	return n;
}

TEST(some_ranks)
{
	static const struct {
		const char *ranks;
		int rank; /* -1: none */
		unsigned streams;
	} cases[] = {{"0-3,7", 0, 1}, {"0-3,7", 3, 1}, {"0-3,7", 4, 0},  {"0-3,7", 7, 1}, {"0-3,7", 8, 0},
	             {"5", 5, 1},     {"5", 50, 0},    {"0-3,7", -1, 1}, {"x", 9, 1},     {"", 9, 1}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char dir[600], rank[64] = "";
		snprintf(dir, sizeof dir, "%s/%u.weft", test_dir(), i);
		if (cases[i].rank >= 0)
			snprintf(rank, sizeof rank, "PMI_RANK=%d", cases[i].rank);
		CHECK_I64(child_run("one_event", "WEFT_DIR=%s WEFT_RANKS=%s %s", dir, cases[i].ranks, rank), 0);
		CHECK_U64(streams_in(dir), cases[i].streams);
	}
}

/* Events of type 1 while it is on, of type 2 while it is off: the child waits until the recorder has seen the file come or go. */
static bool wait_until(int on)
{
	struct weft_status s;
	WAIT_FOR((weft_get_status(&s), s.recording == on));
	return s.recording == on;
}

CHILD(comes_and_goes)
{
	const char *file = getenv("WEFT_WHILE");
	weft_type on = weft_define_type("on", "", 0), off = weft_define_type("off", "", 0);
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < EACH; k++)
			weft_point(off, k);
		int fd = open(file, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || close(fd) || !wait_until(1))
			return 1;
		for (int k = 0; k < EACH; k++)
			weft_point(on, k);
		if (unlink(file) || !wait_until(0))
			return 2;
	}
	return 0;
}

struct seen {
	unsigned n[3], threads[2];
};

static void see(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct seen *s = arg;
	(void)thread;
	if (r->kind == WEFT_EV_POINT && r->id < 3)
		s->n[r->id]++;
	else if (r->kind == WEFT_EV_THREAD && (uint64_t)r->payload[1] >> 32 < 2)
		s->threads[(uint64_t)r->payload[1] >> 32]++;
}

TEST(while_a_file_exists)
{
	struct stream_file f;
	struct seen s = {{0}, {0}};
	REQUIRE(child_run("comes_and_goes", "WEFT_DIR=%s/t.weft WEFT_WHILE=%s/go", test_dir(), test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	stream_visit(&f, see, &s);
	CHECK_U64(s.n[1], ROUNDS * EACH);
	CHECK_U64(s.n[2], 0);
	/* Who switches is a thread of ours, and says so. */
	CHECK_U64(s.threads[0], 1);
	CHECK_U64(s.threads[1], 1);
	stream_free(&f);
}

/* ---- the first calls of a region ---- */

enum { FIRST = 30, THREADS = 3, CALLS = 50 };

static weft_region wanted = WEFT_OFF, other = WEFT_OFF;

static void define_regions(void)
{
	wanted = weft_define_region("wanted(a=b)", WEFT_STATE_RUNNING, 0);
	other = weft_define_region("other", WEFT_STATE_RUNNING, 0);
}

static void *call_both(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		weft_enter(other);
		weft_enter(wanted);
		weft_leave(wanted);
		weft_leave(other);
	}
	return arg;
}

CHILD(calls_both)
{
	define_regions();
	call_both(NULL);
	return 0;
}

/* Bundles of either form, with the end in either half of a word. */
CHILD(calls_in_bundles)
{
	define_regions();
	weft_attr attr = weft_define_attr("attr", "", 0);
	for (int i = 0; i < CALLS; i++) {
		struct weft_bundle b;
		weft_bundle_begin(&b);
		weft_bundle_add(&b, other, WEFT_HEAD_ENTER, 0);
		weft_bundle_add(&b, wanted, WEFT_HEAD_ENTER, 0);
		for (int k = 0; k < i % 20; k++)
			weft_bundle_add(&b, attr, WEFT_HEAD_ATTR, (uint64_t)k);
		weft_bundle_add(&b, wanted, WEFT_HEAD_LEAVE, 0);
		weft_bundle_add(&b, other, WEFT_HEAD_LEAVE, 0);
		weft_bundle_record(&b);
	}
	return 0;
}

CHILD(calls_in_threads)
{
	pthread_t id[THREADS];
	define_regions();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&id[i], NULL, call_both, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	return 0;
}

/* Switched on again it counts anew, whether it was over or not. */
CHILD(calls_again)
{
	define_regions();
	call_both(NULL);
	if (weft_start(NULL))
		return 1;
	for (int i = 0; i < FIRST - 1; i++) {
		weft_enter(wanted);
		weft_leave(wanted);
	}
	weft_stop();
	if (weft_start(NULL))
		return 2;
	call_both(NULL);
	return 0;
}

static void *calls_until_told(void *arg)
{
	struct weft_status s;
	const char *file = getenv("WEFT_WHILE");
	for (int round = 0; round < ROUNDS; round++) {
		int fd = open(file, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || close(fd) || !wait_until(1))
			return arg;
		call_both(NULL);
		/* The file is there, and stays without effect until it has gone: longer than the recorder takes to look. */
		usleep(150000);
		weft_get_status(&s);
		if (s.recording || unlink(file))
			return arg;
		usleep(150000);
	}
	return NULL;
}

CHILD(calls_while)
{
	define_regions();
	return calls_until_told("failed") != NULL;
}

struct calls {
	unsigned ends[2], on, off, behind; /* by region; behind: events of the thread that came later than OFF */
};

static void see_call(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct calls *s = arg;
	(void)thread;
	if (r->kind == WEFT_EV_LEAVE && (r->id == 1 || r->id == 2))
		s->ends[r->id - 1]++;
	s->on += r->kind == WEFT_EV_ON;
	s->off += r->kind == WEFT_EV_OFF;
	s->behind += (r->kind == WEFT_EV_ENTER || r->kind == WEFT_EV_LEAVE) && s->off > s->on;
}

static struct calls calls_of(const char *child, const char *name, const char *more)
{
	struct stream_file f;
	struct calls s = {{0}, 0, 0, 0};
	char dir[600];
	snprintf(dir, sizeof dir, "%s/%s.weft", test_dir(), child);
	CHECK_I64(child_run(child, "WEFT_DIR=%s WEFT_FIRST=%s=%d %s", dir, name, FIRST, more), 0);
	if (!stream_load_in(&f, 0, "%s", dir))
		return s;
	CHECK(stream_is_good(&f));
	stream_visit(&f, see_call, &s);
	stream_free(&f);
	return s;
}

TEST(first_calls)
{
	struct calls s = calls_of("calls_both", "wanted(a=b)", "");
	CHECK_U64(s.ends[0], FIRST);
	CHECK_U64(s.ends[1], FIRST - 1); /* the call around it had not ended */
	CHECK_U64(s.off, 1);
	CHECK_U64(s.behind, 0);
	s = calls_of("calls_in_bundles", "want*", "");
	CHECK_U64(s.ends[0], FIRST);
	CHECK_U64(s.ends[1], FIRST);
	CHECK_U64(s.off, 1);
}

TEST(first_calls_of_both)
{
	struct calls s = calls_of("calls_both", "*", "");
	CHECK_U64(s.ends[0] + s.ends[1], FIRST);
}

TEST(first_calls_of_none)
{
	struct calls s = calls_of("calls_both", "nothing", "");
	CHECK_U64(s.ends[0], CALLS);
	CHECK_U64(s.off, 0);
}

/* What is no such setting is said, and all is recorded. */
TEST(first_calls_of_nonsense)
{
	struct calls s = calls_of("calls_both", "", "");
	CHECK_U64(s.ends[0], CALLS);
}

/* Threads that are in the middle of an event may finish it; none of the calls is lost before. */
TEST(first_calls_of_threads)
{
	struct calls s = calls_of("calls_in_threads", "wanted(a=b)", "");
	CHECK_U64(s.off, 1);
	CHECK(s.ends[0] >= FIRST && s.ends[0] <= FIRST + 2 * THREADS);
}

TEST(first_calls_again)
{
	struct calls s = calls_of("calls_again", "wanted(a=b)", "");
	CHECK_U64(s.ends[0], FIRST + FIRST - 1 + FIRST);
	CHECK_U64(s.on, 2);
	CHECK_U64(s.off, 3);
}

TEST(first_calls_while_a_file_exists)
{
	char file[600];
	snprintf(file, sizeof file, "WEFT_WHILE=%s/calls-go", test_dir());
	struct calls s = calls_of("calls_while", "wanted(a=b)", file);
	CHECK_U64(s.ends[0], ROUNDS * FIRST);
	CHECK_U64(s.off, ROUNDS);
}
