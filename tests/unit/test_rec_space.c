/* SPDX-License-Identifier: Apache-2.0 */
/* Where the pages lie: full disks, file systems that cannot reserve, limits, and the way of a range through its places. */
#include "record_child.h"
#include "record_stream_check.h"
#include "record/rec_priv.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

/* ---- A program that computes something, and prints it ---- */

CHILD(computes)
{
	weft_type t = weft_define_type("step", "", 0);
	weft_region r = weft_define_region("compute", WEFT_STATE_RUNNING, 0);
	uint64_t x = 88172645463325252ull;
	struct weft_status s;
	for (int i = 0; i < 400000; i++) {
		weft_enter(r);
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		weft_point(t, (int64_t)i);
		weft_leave(r);
	}
	weft_get_status(&s);
	fprintf(stderr, "%llu\n", (unsigned long long)s.dropped);
	printf("%llu\n", (unsigned long long)x);
	return 0;
}

static char *unrecorded(void)
{
	int status;
	char *text = test_shell(&status, "TEST_CHILD=computes /proc/%d/exe 2>/dev/null", getpid());
	REQUIRE(status == 0);
	return text;
}

struct steps {
	uint64_t n, wrong;
};
static void follow_steps(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct steps *s = arg;
	(void)thread;
	if (r->kind == WEFT_EV_POINT)
		s->wrong += r->payload[0] != s->n++;
}

/*
 * Runs the program in a namespace of its own with `mount` (a command; $1 is the folder), on a trace in that folder. What it prints
 * must be what it always prints; the stream is copied out.
 */
static void run_mounted(const char *mount, struct stream_file *f, uint64_t *dropped)
{
	int status;
	char *want = unrecorded();
	char *got = test_shell(
		&status,
		"cd %s && mkdir m out && unshare -m sh -c 'set -e; set -- \"$PWD/m\"; %s; "
		"TEST_CHILD=computes WEFT_DIR=$1/t.weft /proc/%d/exe 2>dropped; cp --sparse=always $1/t.weft/*.stream out/'",
		test_dir(), mount, getpid());
	CHECK_I64(status, 0);
	CHECK_STR(got, want);
	free(want);
	free(got);
	char *text = test_shell(&status, "cat %s/dropped", test_dir());
	*dropped = strtoull(text, NULL, 10);
	free(text);
	REQUIRE(stream_load_in(f, 0, "%s/out", test_dir()));
	CHECK(stream_is_good(f));
}

static void need_mount(const char *mount)
{
	int status;
	free(test_shell(
		&status,
		"cd %s && mkdir try && unshare -m sh -c 'set -e; set -- \"$PWD/try\"; %s' >/dev/null 2>&1; s=$?; rm -rf try disk; exit $s",
		test_dir(), mount));
	if (status)
		SKIP("this needs to mount file systems");
}

static void check_full(const char *mount, int reason)
{
	struct stream_file f;
	struct steps s = {0, 0};
	uint64_t dropped;
	need_mount(mount);
	run_mounted(mount, &f, &dropped);
	CHECK_U64(f.head.state, WEFT_STREAM_FULL);
	CHECK_U64(f.head.reason, (uint64_t)reason);
	stream_visit(&f, follow_steps, &s);
	CHECK_U64(s.wrong, 0);
	CHECK(s.n > 10000);
	CHECK_U64(stream_count(&f).of[WEFT_EV_ENTER] + stream_count(&f).of[WEFT_EV_LEAVE] + s.n + dropped, 3 * 400000);
	CHECK(f.head.dropped >= dropped); /* and the thread's end */
	stream_free(&f);
}

TEST(a_full_tmpfs_stops_recording_and_nothing_else)
{
	check_full("mount -t tmpfs -o size=2m none $1", ENOSPC);
}

TEST(a_full_ext4_stops_recording_and_nothing_else)
{
	check_full("truncate -s 4M disk; mkfs.ext4 -q -O ^has_journal disk; mount -o loop disk $1", ENOSPC);
}

/* Somebody cuts the stream off, again and again, while two threads record, define and end. */

static void *cut_recorder(void *arg)
{
	weft_type t = weft_define_type("step", "", 0);
	for (int i = 0; i < 300000; i++)
		weft_point(t, i);
	return arg;
}

CHILD(is_cut_off)
{
	const char *path = getenv("CUT");
	char command[300];
	pthread_t other;
	struct weft_status s;
	weft_type t = weft_define_type("step", "", 0);
	weft_point(t, 0);
	snprintf(command, sizeof command, "truncate -s %s $WEFT_DIR/*.stream", path);
	for (int round = 0; round < 3; round++) {
		if (pthread_create(&other, NULL, cut_recorder, NULL))
			return 3;
		if (system(command))
			return 4;
		cut_recorder(NULL);
		weft_define_region(command + round, WEFT_STATE_RUNNING, 0);
		pthread_join(other, NULL);
	}
	weft_get_status(&s);
	return s.reason == EIO && !s.recording ? 0 : 5;
}

TEST(a_stream_that_is_cut_off_ends_recording_and_nothing_else)
{
	static const char *const bytes[] = {"0", "4096", "20480"};
	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		CHECK_I64(child_run("is_cut_off", "CUT=%s WEFT_DIR=%s/t%zu.weft", bytes[i], test_dir(), i), 0);
}

/* Without extents, so without fallocate: pages are reserved by writing zeros. */
#define EXT2(size) "truncate -s " size " disk; mkfs.ext2 -q disk; mount -o loop disk $1"

TEST(a_full_disk_that_cannot_reserve_stops_recording_and_nothing_else)
{
	check_full(EXT2("4M"), ENOSPC);
}

TEST(a_disk_that_cannot_reserve_is_recorded_to)
{
	struct stream_file f;
	struct steps s = {0, 0};
	uint64_t dropped;
	need_mount(EXT2("64M"));
	run_mounted(EXT2("64M"), &f, &dropped);
	CHECK_U64(f.head.state, WEFT_STREAM_CLOSED);
	stream_visit(&f, follow_steps, &s);
	CHECK_U64(s.wrong, 0);
	CHECK_U64(s.n, 400000);
	CHECK_U64(dropped, 0);
	stream_free(&f);
}

/* ---- Ranges ---- */

static struct rec_space *space_new(enum rec_mode mode, uint64_t limit)
{
	struct rec_space *s = rec_mmap(sizeof *s);
	REQUIRE(rec_init() == 0 && s != NULL);
	REQUIRE(rec_space_open(s, test_dir(), mode, limit) == 0);
	return s;
}

static void space_remove(struct rec_space *s)
{
	rec_space_forget(s, NULL, 0, false);
	rec_space_close_fd(s);
	rec_munmap(s->cells, s->cells_bytes);
	rec_munmap(s, sizeof *s);
}

TEST(single_pages_come_one_after_the_other)
{
	struct rec_space *s = space_new(REC_KEEP, 0);
	struct rec_range r;
	for (uint32_t i = 1; i < 200; i++) {
		REQUIRE(rec_space_take(s, true, false, &r) == 0);
		CHECK_U64(r.first, i);
		CHECK_U64(r.n, 1);
	}
	space_remove(s);
}

TEST(the_file_doubles_until_it_grows_by_chunks)
{
	static const uint32_t want[] = {8, 16, 32, 64, 64, 64};
	struct rec_space *s = space_new(REC_KEEP, 0);
	struct rec_range r;
	uint32_t pages = REC_FIRST_PAGES;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		REQUIRE(rec_space_grow(s, false, false, &r) == 0);
		CHECK_U64(r.first, pages);
		CHECK_U64(r.n, want[i]);
		CHECK_U64(r.first % r.n, 0);
		pages += r.n;
	}
	CHECK_U64(rec_space_pages(s), pages);
	space_remove(s);
}

static void fill(struct rec_space *s, struct rec_range r, uint32_t thread, uint32_t *seq)
{
	for (uint32_t i = 0; i < r.n; i++) {
		struct weft_page *p = rec_space_page(s, r.first + i);
		CHECK(rec_page_begin(s, p, (struct rec_page_name){WEFT_PAGE_EVENTS, thread, (*seq)++, 100}));
		p->word[0] = weft_head_make(1, 1, 0, WEFT_EV_ENTER);
		p->used = WEFT_PAGE_HEAD + 8;
	}
}

TEST(finished_pages_are_copied_and_their_place_is_free)
{
	struct rec_space *s = space_new(REC_KEEP, 0);
	struct stream_file f;
	uint32_t seq = 0;
	for (int i = 0; i < 200; i++) {
		struct rec_range r;
		REQUIRE(rec_space_take(s, i % 5 == 0, false, &r) == 0);
		fill(s, r, 1, &seq);
		rec_space_retire(s, r);
		if (i % 3 == 0)
			while (rec_archive_some(s))
				;
	}
	while (rec_archive_some(s))
		;
	CHECK(seq > 1000);
	CHECK_U64(weft_load_u64(&s->retired_pages), 0);
	/* All are in the file, each once, and none is where threads write: that was emptied. */
	struct weft_stream_head h = {.magic = WEFT_STREAM_MAGIC};
	h.crc = weft_crc32c(0, &h, offsetof(struct weft_stream_head, crc));
	memcpy(rec_space_page(s, 0), &h, sizeof h);
	REQUIRE(stream_load(&f, s->path));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.n_pages, seq);
	CHECK_U64(f.n_sealed, seq);
	CHECK_U64(f.copies, 0);
	stream_free(&f);
	space_remove(s);
}

static uint64_t bytes_of(struct rec_space *s)
{
	struct stat st;
	REQUIRE(fstat(rec_space_fd(s), &st) == 0);
	return (uint64_t)st.st_size;
}

/* The head, three pages in use, and nothing behind them; a page in use at the end keeps all before it. */
TEST(free_pages_at_the_end_are_cut_off)
{
	struct rec_space *s = space_new(REC_KEEP, 0);
	struct rec_range single, grown;
	for (uint32_t i = 1; i <= 3; i++)
		REQUIRE(rec_space_take(s, true, false, &single) == 0 && single.first == i);
	CHECK(bytes_of(s) > 4 * WEFT_PAGE_BYTES);
	rec_space_trim(s);
	CHECK_U64(bytes_of(s), 4 * WEFT_PAGE_BYTES);
	space_remove(s);

	s = space_new(REC_KEEP, 0);
	REQUIRE(rec_space_take(s, true, false, &single) == 0);
	REQUIRE(rec_space_grow(s, false, false, &grown) == 0);
	rec_space_trim(s);
	CHECK_U64(bytes_of(s), (grown.first + grown.n) * (uint64_t)WEFT_PAGE_BYTES);
	space_remove(s);
}

TEST(a_full_space_gives_all_its_pages)
{
	struct rec_space *s = space_new(REC_FULL, 300 * 4096);
	struct rec_range r;
	uint32_t seq = 0, pages = 0;
	while (rec_space_take(s, false, false, &r) == 0) {
		fill(s, r, 1, &seq);
		rec_space_retire(s, r);
		pages += r.n;
	}
	CHECK_I64(rec_space_take(s, false, false, &r), -ENOSPC);
	CHECK_I64(rec_space_take(s, true, false, &r), -ENOSPC);
	CHECK_U64(pages, 300);                           /* the header does not count */
	CHECK_I64(rec_space_take(s, true, true, &r), 0); /* definitions go on */
	CHECK_U64(rec_space_pages(s) <= 300 + 1 + REC_CHUNK_PAGES, 1);
	space_remove(s);
}

TEST(a_ring_gives_the_oldest)
{
	struct rec_space *s = space_new(REC_RING, 64 * 4096);
	struct rec_range r, order[100];
	uint32_t seq = 0, n = 0;
	while (n < 100 && rec_space_take(s, false, false, &r) == 0) {
		fill(s, r, 1, &seq);
		rec_space_retire(s, r);
		order[n++] = r;
	}
	CHECK_U64(n, 100);
	/* From some point on the same ranges come again, in the same order. */
	uint32_t round = 0, from = 40;
	while (from + ++round < 100 && order[from + round].first != order[from].first)
		;
	for (uint32_t i = from; i + round < 100; i++)
		CHECK_U64(order[i + round].first, order[i].first);
	CHECK(rec_space_pages(s) <= 64 + 1 + REC_CHUNK_PAGES);
	space_remove(s);
}

TEST(rests_are_used_again)
{
	struct rec_space *s = space_new(REC_KEEP, 0);
	struct rec_range a, b, c;
	uint32_t pages = 0;
	for (int i = 0; i < 1000; i++) {
		/* A thread that ended after a page of its chunk, another of one page, and one that took what was left. */
		REQUIRE(rec_space_take(s, false, false, &a) == 0);
		rec_space_free(s, (struct rec_range){a.first + 1, a.n - 1});
		REQUIRE(rec_space_take(s, true, false, &b) == 0);
		REQUIRE(rec_space_take(s, false, false, &c) == 0);
		rec_space_free(s, (struct rec_range){a.first, 1});
		rec_space_free(s, b);
		rec_space_free(s, c);
		if (i == 100)
			pages = rec_space_pages(s);
	}
	CHECK_U64(rec_space_pages(s), pages);
	space_remove(s);
}

/* ---- A kill at any instruction ---- */

static void empties(struct rec_space *s, struct rec_range r)
{
	rec_archive_empty(s, r);
}

static void begins(struct rec_space *s, struct rec_range r)
{
	(void)!rec_page_begin(s, rec_space_page(s, r.first), (struct rec_page_name){WEFT_PAGE_EVENTS, 2, 7, 100});
}

static void seals(struct rec_space *s, struct rec_range r)
{
	rec_archive_seal(s, r, UINT32_MAX);
}

/* In a child, which may be stopped after each instruction. */
_Noreturn static void change_stepped(struct rec_space *s, struct rec_range r,
                                     void (*change)(struct rec_space *, struct rec_range))
{
	weft_store_u32(&rec.wiped->owner, s->owner); /* a child may not touch the file, if it is not told so */
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
	change(s, r);
	_exit(0);
}

/* After how many instructions the page cannot be read: 0, if it always can. */
static uint64_t unreadable_after(struct rec_space *s, struct rec_range r, void (*change)(struct rec_space *, struct rec_range))
{
	uint64_t steps = 0, first_bad = 0;
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		change_stepped(s, r, change);
	REQUIRE(pid > 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0) {
		struct weft_page_walk w;
		steps++;
		if (weft_page_begin(&w, rec_space_page(s, r.first), true) == WEFT_PAGE_BAD && !first_bad)
			first_bad = steps;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("ptrace is not allowed here");
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(steps > 100);
	return first_bad;
}

TEST(a_page_can_be_read_at_every_instant)
{
	struct rec_space *s = space_new(REC_KEEP, 0);
	struct rec_range r;
	uint32_t seq = 0;
	REQUIRE(rec_space_take(s, true, false, &r) == 0);
	CHECK_U64(unreadable_after(s, r, begins), 0);
	empties(s, r);
	fill(s, r, 1, &seq);
	CHECK_U64(unreadable_after(s, r, begins), 0);
	fill(s, r, 1, &seq);
	CHECK_U64(unreadable_after(s, r, seals), 0);
	CHECK(rec_space_page(s, r.first)->flags & WEFT_PAGE_SEALED);
	CHECK_U64(unreadable_after(s, r, empties), 0);
	CHECK_U64(rec_space_page(s, r.first)->magic, 0);
	space_remove(s);
}

/* ---- Against a model: many threads take, retire, archive; no page is ever in two hands ---- */

static struct rec_space *shared;
enum { MOST_PAGES = 1 << 22 }; /* a file in memory grows to a quarter of that: more is archived at once than on a disk */
static _Atomic uint8_t owner[MOST_PAGES];
static _Atomic uint32_t clashes;

static void *take_and_give(void *arg)
{
	unsigned state = (unsigned)(uintptr_t)arg;
	for (int i = 0; i < 1000; i++) {
		struct rec_range r;
		if (rec_space_take(shared, rand_r(&state) % 3 == 0, false, &r))
			continue;
		if (r.first + r.n > MOST_PAGES) /* check_owners says so */
			return NULL;
		for (uint32_t k = 0; k < r.n; k++)
			clashes += owner[r.first + k]++ != 0;
		uint32_t seq = 0;
		if (rand_r(&state) % 2)
			fill(shared, r, 1, &seq);
		for (uint32_t k = 0; k < r.n; k++)
			owner[r.first + k]--;
		if (seq)
			rec_space_retire(shared, r);
		else
			rec_space_free(shared, r);
		if (rand_r(&state) % 8 == 0)
			(void)rec_archive_some(shared);
	}
	return NULL;
}

static void check_owners(enum rec_mode mode, uint64_t limit)
{
	pthread_t thread[4];
	shared = space_new(mode, limit);
	clashes = 0;
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, take_and_give, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	CHECK_U64(clashes, 0);
	CHECK(rec_space_pages(shared) < MOST_PAGES);
	space_remove(shared);
}

TEST(no_page_is_in_two_hands)
{
	check_owners(REC_KEEP, 0);
}

TEST(no_page_of_a_ring_is_in_two_hands)
{
	check_owners(REC_RING, 2 << 20);
}
