/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill -9 at random instants, in all modes, 240 times: every event that had been recorded is in the stream, whole and in order.
 *
 * The child's threads count their events in a page that they share with the test. An event may have been recorded and not yet
 * counted when the process dies: so the stream has as many as were counted, or one more of each thread.
 */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define THREADS 3
#define KILLS 240
#define ARROWS 1

struct counted {
	_Atomic uint64_t events[THREADS]; /* of those that live as long as the process */
	_Atomic uint64_t short_threads;   /* ended */
	_Atomic uint32_t ready;
};

static struct counted *map_counted(const char *path, bool create)
{
	int fd = open(path, O_RDWR | (create ? O_CREAT : 0), 0600);
	if (fd < 0 || (create && ftruncate(fd, sizeof(struct counted))))
		return NULL;
	void *at = mmap(NULL, sizeof(struct counted), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

/* ---- The child ---- */

static struct counted *counted;
static weft_type number[THREADS], of_short;
static weft_flow arrow; /* what thread ARROWS records instead of points, with a region in one record */
static weft_region region;

static void *count(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	for (uint64_t i = 0;; i++) {
		if (me == ARROWS)
			weft_enter_flow(region, arrow, i);
		else
			weft_point(number[me], (int64_t)i);
		atomic_store_explicit(&counted->events[me], i + 1, memory_order_release);
		/* Not all at full speed: most programs are not. */
		if (me == 2)
			for (volatile int k = 0; k < 300; k++)
				;
	}
	return NULL;
}

static void *ten_events(void *arg)
{
	for (int i = 0; i < 5; i++) {
		weft_point(of_short, (int64_t)(uintptr_t)arg);
		weft_enter(region);
	}
	return NULL;
}

CHILD(until_killed)
{
	pthread_t thread;
	counted = map_counted(getenv("TEST_COUNTED"), false);
	if (!counted)
		return 1;
	for (unsigned i = 0; i < THREADS; i++) {
		char name[20];
		snprintf(name, sizeof name, "number %u", i);
		number[i] = weft_define_type(name, "", 0);
	}
	of_short = weft_define_type("of short", "", 0);
	region = weft_define_region("region", WEFT_STATE_RUNNING, 0);
	arrow = weft_define_flow("arrow", 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, count, (void *)i);
	atomic_store(&counted->ready, 1);
	for (uintptr_t n = 0;; n++) {
		char name[40];
		pthread_create(&thread, NULL, ten_events, (void *)n);
		pthread_join(thread, NULL);
		atomic_store_explicit(&counted->short_threads, n + 1, memory_order_release);
		snprintf(name, sizeof name, "a definition now and then %lu", (unsigned long)n);
		if (n % 8 == 0)
			weft_define_string(name);
		usleep(200);
	}
}

/* ---- The check ---- */

struct seen {
	uint32_t id[THREADS], short_id;
	uint64_t first[THREADS], n[THREADS], short_points[1 << 16];
	uint64_t wrong;
};

static void follow(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct seen *s = arg;
	(void)thread;
	if ((r->kind != WEFT_EV_POINT && r->kind != WEFT_EV_FLOW_IN) || r->n != 1)
		return;
	if (r->kind == WEFT_EV_POINT && r->id == s->short_id && r->payload[0] < 1 << 16)
		s->short_points[r->payload[0]]++;
	for (unsigned i = 0; i < THREADS; i++) {
		if (r->id != s->id[i] || (r->kind == WEFT_EV_FLOW_IN) != (i == ARROWS))
			continue;
		if (!s->n[i])
			s->first[i] = r->payload[0]; /* in a ring, what came before is gone */
		s->wrong += r->payload[0] != s->first[i] + s->n[i]++;
	}
}

enum mode { KEEP, RING, FULL };

static bool check_killed(struct stream_file *f, const struct counted *c, enum mode mode)
{
	static struct seen s;
	bool good = CHECK(stream_is_good(f)) & CHECK_U64(f->head.state, mode == FULL ? f->head.state : WEFT_STREAM_OPEN);
	s = (struct seen){.short_id = stream_named(f, WEFT_EV_DEF_TYPE, 2, "of short").id};
	for (unsigned i = 0; i < THREADS; i++) {
		char name[20];
		snprintf(name, sizeof name, "number %u", i);
		s.id[i] = i == ARROWS ? stream_named(f, WEFT_EV_DEF_FLOW, 1, "arrow").id
		                      : stream_named(f, WEFT_EV_DEF_TYPE, 2, name).id;
		good &= CHECK(s.id[i] > 0);
	}
	stream_visit(f, follow, &s);
	good &= CHECK_U64(s.wrong, 0);
	for (unsigned i = 0; i < THREADS; i++) {
		uint64_t want = atomic_load(&c->events[i]), last = s.first[i] + s.n[i];
		good &= mode == FULL ? CHECK(last <= want + 1) : CHECK(last == want || last == want + 1);
		good &= mode == RING || CHECK_U64(s.first[i], 0);
	}
	/* Of the threads that had ended all is there; in a ring, what was recorded long ago is gone. */
	for (uint64_t i = 0; mode == KEEP && i < atomic_load(&c->short_threads) && i < 1 << 16; i++)
		good &= CHECK_U64(s.short_points[i], 5);
	return good;
}

static void pause_us(unsigned us)
{
	nanosleep(&(struct timespec){0, (long)us * 1000}, NULL);
}

/* False: something was wrong, and has been said. */
static bool kill_one(unsigned i, struct counted *c, uint32_t *copies)
{
	static const char *const modes[] = {"WEFT_MODE=keep", "WEFT_MODE=ring WEFT_SIZE=1M", "WEFT_MODE=full WEFT_SIZE=4M"};
	struct stream_file f;
	memset(c, 0, sizeof *c);
	pid_t pid = child_start("until_killed", "TEST_COUNTED=%s/counted WEFT_DIR=%s/%u.weft %s", test_dir(), test_dir(), i,
	                        modes[i % 3]);
	WAIT_FOR(atomic_load(&c->ready));
	/* Often soon, when much happens for the first time; sometimes after a while, when all goes round. */
	pause_us((unsigned)(test_random() % (i % 4 ? 8000 : 60000)));
	kill(pid, SIGKILL);
	if (!CHECK_I64(child_wait(pid), 128 + SIGKILL))
		return false;
	if (!CHECK(stream_load_in(&f, 0, "%s/%u.weft", test_dir(), i)))
		return false;
	bool good = check_killed(&f, c, i % 3);
	*copies += f.copies;
	if (good)
		unlink(f.path);
	stream_free(&f);
	return good;
}

TEST(nothing_is_lost_by_a_kill)
{
	char path[300];
	uint32_t copies = 0;
	snprintf(path, sizeof path, "%s/counted", test_dir());
	struct counted *c = map_counted(path, true);
	REQUIRE(c != NULL);
	for (unsigned i = 0; i < KILLS; i++)
		if (!kill_one(i, c, &copies)) {
			printf("# kill %u\n", i);
			break;
		}
	printf("# %u pages were there twice\n", copies);
	munmap(c, sizeof *c);
}

/* Before main has begun, while the recorder is set up: the stream is good, or not there, or has no header yet. */
TEST(a_kill_at_the_begin_leaves_nothing_bad)
{
	for (unsigned i = 0; i < 60; i++) {
		struct stream_file f;
		pid_t pid = child_start("until_killed", "TEST_COUNTED=%s/none WEFT_DIR=%s/t%u.weft", test_dir(), test_dir(), i);
		pause_us((unsigned)(test_random() % 1500));
		kill(pid, SIGKILL);
		child_wait(pid);
		if (stream_load_in(&f, 0, "%s/t%u.weft", test_dir(), i)) {
			CHECK(stream_is_good(&f));
			stream_free(&f);
		} else if (f.at) {
			for (size_t k = 0; k < WEFT_PAGE_BYTES; k++)
				if (!CHECK(k >= 8 || f.at[k] == 0)) /* no magic number: never begun */
					break;
		}
	}
}
