/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the flight recorder: asked for by the program or by a signal, while threads record; and what a kill leaves of it. */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

static weft_type number;
static _Atomic int stop, begun;

static void *count(void *arg)
{
	for (int64_t i = 0; !stop; i++) {
		weft_point(number, i);
		if (i == 2000)
			begun++;
	}
	return arg;
}

static void begin_counting(pthread_t *thread, int n)
{
	number = weft_define_type("number", "", 0);
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, count, NULL);
	WAIT_FOR(begun == n); /* on a busy machine they may wait long for a cpu */
}

struct runs { /* of numbers, each thread's */
	uint32_t thread;
	uint64_t n, next, wrong, threads;
};
static void follow(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct runs *s = arg;
	if (r->kind != WEFT_EV_POINT)
		return;
	if (thread != s->thread) {
		s->thread = thread;
		s->threads++;
		s->next = r->payload[0];
	}
	s->wrong += r->payload[0] != s->next++;
	s->n++;
}

/* How many points it has. Where the helper waits for a cpu, the threads may have overwritten all that it was about to copy. */
static uint64_t check_save(unsigned threads, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static uint64_t check_save(unsigned threads, const char *fmt, ...)
{
	char dir[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(dir, sizeof dir, fmt, args);
	va_end(args);
	struct stream_file f;
	struct runs s = {0};
	if (!CHECK(stream_load_in(&f, 0, "%s", dir)))
		return 0;
	CHECK(stream_is_good(&f));
	CHECK_U64(f.n_open, 0);
	CHECK_U64(f.head.state, WEFT_STREAM_CLOSED);
	CHECK(f.head.flags & WEFT_STREAM_RING);
	CHECK(f.head.end_ticks > f.head.start_ticks);
	stream_visit(&f, follow, &s);
	CHECK_U64(s.wrong, 0);
	CHECK(s.threads <= threads); /* one that waited for a cpu all the while may have nothing left */
	CHECK(stream_named(&f, WEFT_EV_DEF_TYPE, 2, "number").id > 0);
	CHECK_U64(stream_count(&f).of[WEFT_EV_PROCESS] > 0, 1);
	stream_free(&f);
	return s.n;
}

#define RING "WEFT_MODE=ring WEFT_SIZE=16M"

CHILD(saves)
{
	pthread_t thread[2];
	begin_counting(thread, 2);
	for (int i = 0; i < 8; i++) {
		char dir[400];
		usleep(20000);
		snprintf(dir, sizeof dir, "%s/%d.weft", getenv("TEST_DIR"), i);
		if (weft_save(dir))
			return 1;
	}
	usleep(1000);
	if (weft_save(NULL) || weft_save(NULL))
		return 2;
	if (weft_save("/proc/nowhere/at/all") != -ENOENT)
		return 3;
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

TEST(a_snapshot_is_a_trace_while_threads_record)
{
	REQUIRE(child_run("saves", RING " TEST_DIR=%s WEFT_DIR=%s/run.weft", test_dir(), test_dir()) == 0);
	uint64_t points = 0;
	for (int i = 0; i < 8; i++)
		points += check_save(2, "%s/%d.weft", test_dir(), i);
	points += check_save(2, "%s/run-save1.weft", test_dir());
	points += check_save(2, "%s/run-save2.weft", test_dir());
	CHECK(points > 1000);
	CHECK(check_save(2, "%s/run.weft", test_dir()) > 1000);
}

/* What stands in its way: the names under which the parts of a snapshot were once written, as links to what is precious. */
CHILD(saves_among_links)
{
	char host[256], dir[300], path[700], target[400];
	number = weft_define_type("number", "", 0);
	weft_point(number, 1);
	gethostname(host, sizeof host);
	snprintf(dir, sizeof dir, "%s/s.weft", getenv("TEST_DIR"));
	snprintf(target, sizeof target, "%s/precious", getenv("TEST_DIR"));
	mkdir(dir, 0777);
	static const char *const suffix[] = {"", ".part", ".tmp"};
	for (unsigned i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		snprintf(path, sizeof path, "%s/%s-%d-0.stream%s", dir, host, (int)getpid(), suffix[i]);
		if (symlink(target, path))
			return 1;
	}
	if (weft_save(dir))
		return 2;
	/* A snapshot's own folder, whose name is known before, leads elsewhere. */
	snprintf(path, sizeof path, "%s/run-save1.weft", getenv("TEST_DIR"));
	snprintf(target, sizeof target, "%s/away", getenv("TEST_DIR"));
	return mkdir(target, 0777) || symlink(target, path) ? 3 : weft_save(NULL) == -ENOTDIR ? 0 : 4;
}

TEST(a_snapshot_follows_no_link)
{
	struct stat st;
	int status;
	free(test_shell(&status, "echo kept >%s/precious && chmod 600 %s/precious", test_dir(), test_dir()));
	REQUIRE(child_run("saves_among_links", RING " TEST_DIR=%s WEFT_DIR=%s/run.weft", test_dir(), test_dir()) == 0);
	REQUIRE(stat(test_path("precious"), &st) == 0);
	CHECK_I64(st.st_size, 5);
	CHECK_U64(st.st_mode & 07777, 0600);
	CHECK_U64(stream_count_in("%s/away", test_dir()), 0);
	struct stream_file f;
	if (CHECK(stream_load_in(&f, 0, "%s/s.weft", test_dir()))) {
		CHECK(stream_is_good(&f));
		stream_free(&f);
	}
}

CHILD(waits_for_signal)
{
	pthread_t thread[2];
	begin_counting(thread, 2);
	char path[400];
	snprintf(path, sizeof path, "%s/ready", getenv("TEST_DIR"));
	close(open(path, O_CREAT | O_WRONLY, 0666));
	snprintf(path, sizeof path, "%s/go", getenv("TEST_DIR"));
	WAIT_FOR(access(path, F_OK) == 0);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

TEST(a_signal_makes_a_snapshot)
{
	int status;
	pid_t pid = child_start("waits_for_signal", RING " WEFT_SAVE_SIGNAL=%d TEST_DIR=%s WEFT_DIR=%s/run.weft", SIGUSR2,
	                        test_dir(), test_dir());
	const char *ready = test_path("ready");
	WAIT_FOR(access(ready, F_OK) == 0);
	for (int i = 1; i <= 2; i++) {
		CHECK_I64(kill(pid, SIGUSR2), 0);
		WAIT_FOR(stream_count_in("%s/run-save%d.weft", test_dir(), i));
	}
	free(test_shell(&status, "touch %s/go", test_dir()));
	CHECK_I64(child_wait(pid), 0);
	uint64_t points = check_save(2, "%s/run-save1.weft", test_dir());
	points += check_save(2, "%s/run-save2.weft", test_dir());
	CHECK(points > 1000);
}

/* A child that defines nothing has no helper. */
CHILD(child_is_told)
{
	int status;
	number = weft_define_type("number", "", 0);
	pid_t pid = fork();
	if (pid == 0) {
		for (int64_t i = 0; i < 100000; i++) {
			weft_point(number, i);
			if (i == 50000)
				raise(SIGUSR2);
		}
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || status;
}

TEST(a_signal_makes_a_snapshot_of_a_child)
{
	CHECK_I64(child_run("child_is_told", RING " WEFT_SAVE_SIGNAL=%d WEFT_DIR=%s/run.weft", SIGUSR2, test_dir()), 0);
	struct stream_file f;
	struct runs s = {0};
	REQUIRE(stream_load_in(&f, 0, "%s/run-save1.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.n_open, 0);
	stream_visit(&f, follow, &s);
	CHECK_U64(s.wrong, 0);
	CHECK_U64(s.next, 50001);
	stream_free(&f);
}

static void own_handler(int sig)
{
	(void)sig;
}

CHILD(has_a_handler)
{
	struct sigaction now, mine = {.sa_handler = own_handler};
	number = weft_define_type("number", "", 0);
	sigaction(SIGUSR2, &mine, NULL);
	weft_point(number, 1);
	raise(SIGUSR2);
	return sigaction(SIGUSR2, NULL, &now) || now.sa_handler != own_handler;
}

TEST(the_signal_is_left_to_a_program_that_wants_it)
{
	CHECK_I64(child_run("has_a_handler", RING " WEFT_SAVE_SIGNAL=%d WEFT_DIR=%s/run.weft", SIGUSR2, test_dir()), 0);
	CHECK_U64(stream_count_in("%s/run-save1.weft", test_dir()), 0);
}

CHILD(keeps_all)
{
	weft_point(weft_define_type("number", "", 0), 1);
	return weft_save(getenv("TEST_DIR")) == -EOPNOTSUPP ? 0 : 1;
}

TEST(only_a_flight_recorder_is_saved)
{
	CHECK_I64(child_run("keeps_all", "TEST_DIR=%s/s.weft WEFT_DIR=%s/run.weft", test_dir(), test_dir()), 0);
}

/* Rings from a few pages up: each keeps what it can. */
CHILD(counts_500000)
{
	number = weft_define_type("number", "", 0);
	for (int64_t i = 0; i < 500000; i++)
		weft_point(number, i);
	return 0;
}

TEST(rings_may_be_small)
{
	static const char *const size[] = {"1", "64K", "100K", "256K", "1M", "3M"};
	for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
		struct stream_file f;
		struct runs s = {0};
		REQUIRE(child_run("counts_500000", "WEFT_MODE=ring WEFT_SIZE=%s WEFT_DIR=%s/%s.weft", size[i], test_dir(),
		                  size[i]) == 0);
		REQUIRE(stream_load_in(&f, 0, "%s/%s.weft", test_dir(), size[i]));
		CHECK(stream_is_good(&f));
		stream_visit(&f, follow, &s);
		CHECK_U64(s.wrong, 0);
		CHECK_U64(s.next, 500000);
		CHECK(s.n > 1000);
		CHECK_U64(f.head.dropped, 0);
		stream_free(&f);
	}
}

/* More threads than the ring has chunks. */
CHILD(many_in_a_small_ring)
{
	pthread_t thread[16];
	begin_counting(thread, 16);
	usleep(100000);
	stop = 1;
	for (int i = 0; i < 16; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

TEST(many_threads_share_a_small_ring)
{
	struct stream_file f;
	struct runs s = {0};
	REQUIRE(child_run("many_in_a_small_ring", "WEFT_MODE=ring WEFT_SIZE=128K WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	stream_visit(&f, follow, &s);
	CHECK(s.threads >= 8);
	/* Where a thread found no range its events were dropped, and that was said. */
	CHECK(s.wrong == 0 || f.head.dropped > 0);
	stream_free(&f);
}
