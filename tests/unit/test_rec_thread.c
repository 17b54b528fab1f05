/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that come and go: what they cost, what is said of them, where they ran. */
#include "record_child.h"
#include "record_stream_check.h"
#include <stdatomic.h>
#include <weft/record.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

WEFT_REGION(work, "work", WEFT_STATE_RUNNING);

static unsigned setting(const char *name)
{
	const char *text = getenv(name);
	return text ? (unsigned)atoi(text) : 0;
}

/* ---- Thousands ---- */

static void *five_pairs(void *arg)
{
	for (int i = 0; i < 5; i++) {
		weft_enter(work);
		weft_leave(work);
	}
	return arg;
}

CHILD(many_threads)
{
	unsigned n = setting("TEST_THREADS"), at_once = setting("TEST_AT_ONCE");
	pthread_t thread[64];
	weft_enter(work);
	weft_leave(work);
	for (unsigned i = 0; i < n; i += at_once) {
		for (unsigned k = 0; k < at_once; k++)
			if (pthread_create(&thread[k], NULL, five_pairs, NULL))
				return 1;
		for (unsigned k = 0; k < at_once; k++)
			pthread_join(thread[k], NULL);
	}
	struct weft_status s;
	weft_get_status(&s);
	return s.dropped ? 2 : 0;
}

/* Blocks in which the file system keeps where the others are. */
#define FILE_SYSTEM_BYTES (16 * 4096)

static void check_many(unsigned n, unsigned at_once, struct stream_file *f)
{
	REQUIRE(child_run("many_threads", "WEFT_DIR=%s/%u.weft TEST_THREADS=%u TEST_AT_ONCE=%u", test_dir(), n, n, at_once) == 0);
	REQUIRE(stream_load_in(f, 0, "%s/%u.weft", test_dir(), n));
	CHECK(stream_is_good(f));
	struct stream_counts c = stream_count(f);
	CHECK_U64(c.of[WEFT_EV_ENTER], 5ull * n + 1);
	CHECK_U64(c.of[WEFT_EV_LEAVE], 5ull * n + 1);
	CHECK_U64(c.of[WEFT_EV_THREAD], n + 1);
	CHECK_U64(c.of[WEFT_EV_THREAD_BEGIN], n + 1);
	CHECK_U64(c.of[WEFT_EV_THREAD_END], n + 1);
	CHECK_U64(f->n_open, 0);
}

TEST(ten_thousand_short_threads_need_a_page_each)
{
	struct stream_file none, all;
	check_many(0, 1, &none);
	check_many(10000, 1, &all);
	printf("# %.1f bytes of disk for each thread\n", (double)(all.disk_bytes - none.disk_bytes) / 10000);
	CHECK(all.disk_bytes - none.disk_bytes <= 10000 * 4096 + FILE_SYSTEM_BYTES);
	stream_free(&none);
	stream_free(&all);
}

TEST(ten_thousand_threads_fifty_at_a_time)
{
	struct stream_file none, all;
	check_many(0, 1, &none);
	check_many(10000, 50, &all);
	printf("# %.1f bytes of disk for each thread\n", (double)(all.disk_bytes - none.disk_bytes) / 10000);
	CHECK(all.disk_bytes - none.disk_bytes <= 10000 * 4096 + FILE_SYSTEM_BYTES);
	stream_free(&none);
	stream_free(&all);
}

/* ---- Some more events ---- */

static void *many_pairs(void *arg)
{
	for (int i = 0; i < 600; i++) {
		weft_enter(work);
		weft_leave(work);
	}
	return arg;
}

#define MEDIUM_THREADS 3000u
#define MEDIUM_PAGES 3u

CHILD(medium_threads)
{
	pthread_t thread;
	struct weft_status s;
	for (unsigned i = 0; i < MEDIUM_THREADS; i++) {
		if (pthread_create(&thread, NULL, many_pairs, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	weft_get_status(&s);
	return s.dropped ? 2 : 0;
}

/* Pages that are free, or set apart for what comes, at an instant: that many however long it goes on, whenever the helper gets to run. */
#define SPARE_PAGES 4096u

TEST(what_a_thread_leaves_over_is_used_by_others)
{
	struct stream_file f;
	unsigned pages = MEDIUM_THREADS * MEDIUM_PAGES;
	REQUIRE(child_run("medium_threads", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(stream_count(&f).of[WEFT_EV_ENTER], MEDIUM_THREADS * 600);
	CHECK_U64(f.n_pages >= pages, 1);
	printf("# %u pages hold something, the file has %zu, %zu on the disk\n", f.n_pages, f.bytes / 4096, f.disk_bytes / 4096);
	/* The length of the file says how far it had to grow; the holes were made at the end only. */
	CHECK(f.bytes <= (pages + SPARE_PAGES) * 4096ull);
	CHECK(f.disk_bytes <= f.n_pages * 4096ull + FILE_SYSTEM_BYTES);
	stream_free(&f);
}

/* ---- Destructors of thread-specific data ---- */

static pthread_key_t late_key;

static void late(void *arg)
{
	weft_enter(work);
	weft_leave(work);
	/* Until the last round: after the recorder's own destructor ran, whatever the order. */
	uintptr_t round = (uintptr_t)arg;
	if (round < 4)
		pthread_setspecific(late_key, (void *)(round + 1));
}

static void *with_destructor(void *arg)
{
	pthread_setspecific(late_key, (void *)1);
	return five_pairs(arg);
}

CHILD(destructors)
{
	pthread_t thread;
	if (pthread_key_create(&late_key, late))
		return 1;
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, with_destructor, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}

TEST(destructors_may_record_after_the_thread_ended)
{
	struct stream_file f;
	if (test_build_is("tsan"))
		SKIP("ThreadSanitizer is done with a thread before its last destructors");
	REQUIRE(child_run("destructors", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	struct stream_counts c = stream_count(&f);
	CHECK_U64(c.of[WEFT_EV_ENTER], 100 * (5 + 4));
	CHECK_U64(c.of[WEFT_EV_LEAVE], 100 * (5 + 4));
	CHECK_U64(c.of[WEFT_EV_THREAD], 100);
	CHECK_U64(f.page[f.n_pages - 1]->thread, 100);
	stream_free(&f);
}

/* ---- Names ---- */

static void *named(void *arg)
{
	prctl(PR_SET_NAME, "by kernel", 0, 0, 0);
	if (arg)
		weft_name_thread(arg);
	return five_pairs(NULL);
}

static void *renamed(void *arg)
{
	weft_name_thread("before");
	five_pairs(NULL);
	weft_name_thread(arg);
	return five_pairs(NULL);
}

/* 79 bytes and then a character of two, which must not be cut in half. */
#define LONG_NAME "123456789 123456789 123456789 123456789 123456789 123456789 123456789 12345678 "

CHILD(names)
{
	pthread_t thread;
	void *(*run[])(void *) = {named, named, named, renamed};
	const char *name[] = {NULL, "by us", LONG_NAME "\xc3\xa4", "after"};
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, run[i], (void *)(uintptr_t)name[i]);
		pthread_join(thread, NULL);
	}
	return 0;
}

TEST(threads_have_names)
{
	struct stream_file f;
	REQUIRE(child_run("names", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(stream_named(&f, WEFT_EV_THREAD, 3, "by kernel").id, 1);
	CHECK_U64(stream_named(&f, WEFT_EV_THREAD, 3, "by us").id, 2);
	CHECK_U64(stream_named(&f, WEFT_EV_THREAD, 3, LONG_NAME).id, 3);
	CHECK_U64(stream_named(&f, WEFT_EV_THREAD, 3, "before").id, 4);
	CHECK_U64(stream_named(&f, WEFT_EV_THREAD, 3, "after").id, 4);
	CHECK(stream_find(&f, WEFT_EV_THREAD, 0).r.payload[0] > 0);
	stream_free(&f);
}

/* ---- Where they ran ---- */

static unsigned two_cpus(int *cpu)
{
	cpu_set_t may;
	unsigned n = 0;
	if (sched_getaffinity(0, sizeof may, &may))
		return 0;
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &may))
			cpu[n++] = i;
	return n;
}

static void go_to(int cpu)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

CHILD(moves)
{
	int cpu[2];
	weft_type at = weft_define_type("cpu", "", 0);
	if (two_cpus(cpu) < 2)
		return 77;
	for (int i = 0; i < 200; i++) {
		go_to(cpu[i % 2]);
		for (int k = 0; k < 3; k++)
			weft_point(at, cpu[i % 2]);
	}
	return 0;
}

struct where {
	int64_t cpu;
	unsigned wrong, points, moves;
};
static void follow_cpu(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct where *w = arg;
	(void)thread;
	if (r->kind == WEFT_EV_CPU) {
		w->cpu = (int64_t)(uint32_t)r->payload[0];
		w->moves++;
	} else if (r->kind == WEFT_EV_POINT) {
		w->points++;
		w->wrong += w->cpu != (int64_t)r->payload[0];
	}
}

static void check_moves(const char *settings, unsigned wrong_most)
{
	struct stream_file f;
	struct where w = {.cpu = -1};
	int rc = child_run("moves", "WEFT_DIR=%s/t.weft %s", test_dir(), settings);
	if (rc == 77)
		SKIP("one cpu");
	REQUIRE(rc == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	stream_visit(&f, follow_cpu, &w);
	CHECK_U64(w.points, 600);
	CHECK(w.wrong <= wrong_most);
	if (!wrong_most)
		CHECK(w.moves >= 200);
	stream_free(&f);
}

TEST(every_migration_is_recorded)
{
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
	if (!size || !*size)
		SKIP("this C library has no restartable sequences");
	check_moves("", 0);
}

TEST(without_restartable_sequences_the_cpu_is_looked_up_at_each_page)
{
	check_moves("GLIBC_TUNABLES=glibc.pthread.rseq=0", 600);
}

/* ---- exit while others run ---- */

static _Atomic unsigned endless_rounds;

static void *endless(void *arg)
{
	for (;;) {
		weft_enter(work);
		weft_leave(work);
		atomic_fetch_add_explicit(&endless_rounds, 1, memory_order_relaxed);
	}
	return arg;
}

CHILD(exit_beside_others)
{
	pthread_t thread;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, endless, NULL);
	do
		usleep(20000);
	while (atomic_load_explicit(&endless_rounds, memory_order_relaxed) < 2000);
	return 0;
}

TEST(a_process_may_exit_while_its_threads_record)
{
	for (int i = 0; i < 10; i++) {
		struct stream_file f;
		REQUIRE(child_run("exit_beside_others", "WEFT_DIR=%s/%d.weft", test_dir(), i) == 0);
		REQUIRE(stream_load_in(&f, 0, "%s/%d.weft", test_dir(), i));
		CHECK(stream_is_good(&f));
		CHECK_U64(f.head.state, WEFT_STREAM_CLOSED);
		CHECK(stream_count(&f).of[WEFT_EV_ENTER] > 1000);
		stream_free(&f);
	}
}
