/* SPDX-License-Identifier: Apache-2.0 */
/* The index: made, opened again, older, damaged in every way, impossible to leave. */
#include "trace/open.h"
#include "stream_maker.h"
#include "base/fs.h"
#include "trace/store/index_files.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static void make_stream(const char *name, uint64_t n)
{
	struct maker m;
	maker_begin(&m, 42);
	maker_process(&m, 1, 42, 0, 100, "prog");
	maker_clock(&m, 100, 100, 5000000100);
	maker_text(&m, 1, WEFT_TEXT_HOST, "alpha");
	maker_meta(&m, WEFT_EV_DEF_STRING, 1, 0, NULL, "text");
	maker_region(&m, 1, "solve");
	maker_type(&m, 1, "step");
	maker_meta(&m, WEFT_EV_DEF_VALUE, 1, 1, (uint64_t[]){1}, "one");
	maker_meta(&m, WEFT_EV_DEF_FLOW, 1, 1, (uint64_t[]){0}, "dep");
	maker_meta(&m, WEFT_EV_CPU_AT, 0, 2, (uint64_t[]){0, 0}, NULL);
	maker_comm(&m, 1, 5, "world");
	for (uint64_t i = 0; i < n; i++) {
		unsigned t = 1 + i % 2;
		maker_event(&m, t, 200 + 10 * i, WEFT_EV_ENTER, 1, 0, NULL);
		maker_event(&m, t, 203 + 10 * i, WEFT_EV_POINT, 1, 1, &i);
		maker_event(&m, t, 204 + 10 * i, WEFT_EV_POINT_S, 1, 1, (uint64_t[]){1});
		maker_event(&m, t, 205 + 10 * i, i % 2 ? WEFT_EV_FLOW_IN : WEFT_EV_FLOW_OUT, 1, 1, (uint64_t[]){i / 2});
		maker_event(&m, t, 206 + 10 * i, i % 2 ? WEFT_EV_RECV : WEFT_EV_SEND, 1, 2, (uint64_t[]){0, i / 2});
		maker_event(&m, t, 207 + 10 * i, WEFT_EV_DATA, 0, 2, (uint64_t[]){i, 1});
		maker_event(&m, t, 208 + 10 * i, WEFT_EV_CPU, 0, 1, (uint64_t[]){0});
	}
	maker_save(&m, test_path(name));
	maker_end(&m);
}

static void make_trace(uint64_t n)
{
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	make_stream("t.weft/a.stream", n);
}

/* Opens, reads everything, and says what it saw as one number; 0 when it failed. */
static uint64_t digest(struct weft_trace *t)
{
	uint64_t h = t->n_events + t->message.n * 3 + t->flow.n * 7;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		int more;
		REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while ((more = weft_cursor_next(&c, &b)) > 0)
			for (uint32_t k = 0; k < b.n; k++) {
				h = weft_hash_u64(h ^ b.time[k]);
				h = weft_hash_u64(h ^ b.what[k]);
				uint32_t n;
				const uint64_t *words = weft_what_kind(b.what[k]) == WEFT_EV_DATA
				                                ? weft_extra(t, i, b.value[k], &n)
				                                : NULL;
				h = weft_hash_u64(h ^ (words ? words[0] : b.value[k]));
			}
		weft_cursor_end(&c);
		if (more < 0)
			return 0;
	}
	for (uint64_t i = 0; i < t->message.n; i++)
		h = weft_hash_u64(h ^ t->message.size[i] ^ t->message.recv_done[i] << 20);
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		for (uint32_t i = 0; i < t->def[c].n; i++)
			h = weft_hash_u64(h ^ weft_hash(t->def[c].at[i].name, strlen(t->def[c].at[i].name)) ^
			                  t->def[c].at[i].n_events);
	return h;
}

static uint64_t open_digest(const char *name, bool rebuild)
{
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	struct weft_open_how how = {.rebuild = rebuild};
	int rc = weft_trace_open(&t, test_path(name), &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	uint64_t h = digest(t);
	weft_trace_close(t);
	return h;
}

static ino_t inode(const char *name)
{
	struct stat st;
	return stat(test_path(name), &st) ? 0 : st.st_ino;
}

TEST(a_second_opening_uses_what_the_first_left)
{
	make_trace(3000);
	uint64_t h = open_digest("t.weft", false);
	ino_t tables = inode("t.weft/index/tables");
	CHECK(tables && inode("t.weft/index/columns"));
	CHECK_U64(open_digest("t.weft", false), h);
	CHECK_U64(inode("t.weft/index/tables"), tables);
	CHECK_U64(open_digest("t.weft", true), h);
	CHECK(inode("t.weft/index/tables") != tables);
	char *left;
	int status;
	left = test_shell(&status, "ls %s/index | wc -l", test_path("t.weft"));
	CHECK_STR(left, "2\n");
	free(left);
}

TEST(an_index_of_other_streams_is_made_again)
{
	make_trace(1000);
	uint64_t h = open_digest("t.weft", false);
	make_stream("t.weft/b.stream", 100); /* a stream more */
	uint64_t two = open_digest("t.weft", false);
	CHECK(two != h);
	CHECK(unlink(test_path("t.weft/b.stream")) == 0);
	CHECK_U64(open_digest("t.weft", false), h);
	ino_t tables = inode("t.weft/index/tables");
	struct timeval times[2] = {{1, 0}, {1, 0}};
	CHECK(utimes(test_path("t.weft/a.stream"), times) == 0); /* as old as it says, but another time than before */
	CHECK_U64(open_digest("t.weft", false), h);
	CHECK(inode("t.weft/index/tables") != tables);
}

static void change_byte(const char *name, off_t at, uint8_t by)
{
	int fd = open(test_path(name), O_RDWR);
	uint8_t byte;
	REQUIRE(fd >= 0 && pread(fd, &byte, 1, at) == 1);
	byte ^= by;
	REQUIRE(pwrite(fd, &byte, 1, at) == 1);
	close(fd);
}

static off_t size_of(const char *name)
{
	struct stat st;
	REQUIRE(stat(test_path(name), &st) == 0);
	return st.st_size;
}

TEST(damage_in_the_tables_is_noticed_wherever_it_is)
{
	make_trace(60);
	uint64_t h = open_digest("t.weft", false);
	off_t n = size_of("t.weft/index/tables");
	unsigned unnoticed = 0;
	for (off_t at = 0; at < n; at += at < 1000 ? 1 : 13) {
		ino_t was = inode("t.weft/index/tables");
		change_byte("t.weft/index/tables", at, (uint8_t)(1u << test_random() % 8));
		if (open_digest("t.weft", false) != h)
			CHECK_U64(at, 0);
		if (inode("t.weft/index/tables") == was) { /* it was used: only where a byte means nothing */
			unnoticed++;
			REQUIRE(open_digest("t.weft", true) == h);
		}
		REQUIRE(size_of("t.weft/index/tables") == n);
	}
	CHECK(unnoticed < 30); /* the mark `verified`, and what pads sections */
}

/* Another byte in a file that keeps its size and its time of change: as a program that sets times back makes it. */
static void change_unseen(const char *name, off_t at)
{
	struct stat st;
	REQUIRE(stat(test_path(name), &st) == 0);
	change_byte(name, at, 1);
	REQUIRE(utimensat(AT_FDCWD, test_path(name), (struct timespec[]){st.st_atim, st.st_mtim}, 0) == 0);
}

TEST(a_trace_that_changed_under_its_size_and_time_is_indexed_anew)
{
	char *stream = NULL;
	make_trace(3000);
	uint64_t h = open_digest("t.weft", false);
	char **names;
	int n = weft_list_dir(test_path("t.weft"), &names, NULL);
	for (int i = 0; i < n; i++)
		if (strstr(names[i], ".stream") && !stream)
			REQUIRE(asprintf(&stream, "t.weft/%s", names[i]) > 0);
	weft_list_free(names, n);
	REQUIRE(stream != NULL);
	/* as it is, it is opened, also through a copy, which has other inodes */
	ino_t was = inode("t.weft/index/tables");
	CHECK_U64(open_digest("t.weft", false), h);
	CHECK_U64(inode("t.weft/index/tables"), was);
	int status;
	free(test_shell(&status, "cp -a %s %s", test_path("t.weft"), test_path("copy.weft")));
	REQUIRE(status == 0);
	was = inode("copy.weft/index/tables");
	CHECK_U64(open_digest("copy.weft", false), h);
	CHECK_U64(inode("copy.weft/index/tables"), was);
	/* a byte of it changed, in both */
	was = inode("t.weft/index/tables");
	change_unseen(stream, size_of(stream) / 2);
	open_digest("t.weft", false);
	CHECK(inode("t.weft/index/tables") != was);
	was = inode("copy.weft/index/tables");
	char *other = NULL;
	REQUIRE(asprintf(&other, "copy.weft/%s", stream + strlen("t.weft/")) > 0);
	change_unseen(other, size_of(other) / 2);
	open_digest("copy.weft", false);
	CHECK(inode("copy.weft/index/tables") != was);
	free(other);
	free(stream);
}

TEST(damage_in_the_columns_is_noticed_when_it_is_read)
{
	make_trace(3000);
	open_digest("t.weft", false);
	off_t n = size_of("t.weft/index/columns") - COL_SLACK;
	unsigned noticed = 0, tries = 0;
	for (off_t at = 64; at < n; at += 1 + (off_t)(test_random() % 2000), tries++) {
		change_byte("t.weft/index/columns", at, 1);
		struct weft_trace *t;
		REQUIRE(weft_trace_open(&t, test_path("t.weft"), NULL, NULL) == 0);
		noticed += digest(t) == 0;
		weft_trace_close(t);
		change_byte("t.weft/index/columns", at, 1);
	}
	CHECK(tries > 20 && noticed + 3 >= tries); /* but for the bytes that pad a block */
	/* Cut, or of another index: made again at once. */
	ino_t was = inode("t.weft/index/columns");
	CHECK(truncate(test_path("t.weft/index/columns"), n / 2) == 0);
	CHECK(open_digest("t.weft", false) != 0);
	CHECK(inode("t.weft/index/columns") != was);
	change_byte("t.weft/index/columns", 20, 1); /* the number that pairs it with the tables */
	CHECK(open_digest("t.weft", false) != 0);
	CHECK(unlink(test_path("t.weft/index/columns")) == 0);
	CHECK(open_digest("t.weft", false) != 0);
}

TEST(after_a_restart_of_the_machine_all_blocks_are_verified_once)
{
	make_trace(3000);
	uint64_t h = open_digest("t.weft", false);
	/* An index of another boot: its header as such a one would have it. */
	int fd = open(test_path("t.weft/index/tables"), O_RDWR);
	struct store_tables_head head;
	REQUIRE(pread(fd, &head, sizeof head, 0) == sizeof head);
	head.boot_id[0] ^= 1;
	head.crc = weft_crc32c(0, &head, offsetof(struct store_tables_head, crc));
	REQUIRE(pwrite(fd, &head, sizeof head, 0) == sizeof head);
	ino_t was = inode("t.weft/index/tables");
	CHECK_U64(open_digest("t.weft", false), h);
	CHECK_U64(inode("t.weft/index/tables"), was);
	REQUIRE(pread(fd, &head, sizeof head, 0) == sizeof head);
	CHECK_U64(head.verified, 1);
	/* The same, and the disk lost a block. */
	head.verified = 0;
	REQUIRE(pwrite(fd, &head, sizeof head, 0) == sizeof head);
	close(fd);
	change_byte("t.weft/index/columns", 5000, 0x10);
	CHECK_U64(open_digest("t.weft", false), h);
	CHECK(inode("t.weft/index/tables") != was);
}

TEST(a_folder_that_cannot_be_written_is_read_all_the_same)
{
	make_trace(100);
	/* Root may write anywhere: a file in the place of the folder stops it, too. */
	FILE *f = fopen(test_path("t.weft/index"), "w");
	REQUIRE(f && fclose(f) == 0);
	CHECK(open_digest("t.weft", false) != 0);
	CHECK(open_digest("t.weft", true) != 0);
	CHECK(unlink(test_path("t.weft/index")) == 0);
	struct weft_trace *t;
	struct weft_open_how how = {.no_index = true};
	REQUIRE(weft_trace_open(&t, test_path("t.weft"), &how, NULL) == 0);
	weft_trace_close(t);
	CHECK(inode("t.weft/index") == 0);
}

TEST(a_trace_that_is_still_written_gets_no_index)
{
	struct maker m;
	maker_begin(&m, (uint32_t)getpid());
	m.head.state = WEFT_STREAM_OPEN;
	maker_process(&m, 1, getpid(), 0, 100, "prog");
	maker_region(&m, 1, "solve");
	maker_event(&m, 1, 200, WEFT_EV_ENTER, 1, 0, NULL);
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	maker_save(&m, test_path("t.weft/a.stream"));
	struct weft_map_file mapped;
	REQUIRE(weft_map_file_open(&mapped, test_path("t.weft/a.stream"), NULL) == 0);
	CHECK(open_digest("t.weft", false) != 0);
	CHECK(inode("t.weft/index/tables") == 0);
	weft_map_file_close(&mapped);
	CHECK(open_digest("t.weft", false) != 0);
	CHECK(inode("t.weft/index/tables") != 0);
	maker_end(&m);
}

TEST(what_dead_builders_left_is_removed)
{
	make_trace(10);
	REQUIRE(mkdir(test_path("t.weft/index"), 0777) == 0);
	const char *names[] = {"t.weft/index/columns.0123", "t.weft/index/tables.0123", "t.weft/index/tables.new",
	                       "t.weft/index/mine"};
	struct timeval old[2] = {{1000000, 0}, {1000000, 0}};
	for (unsigned i = 0; i < 4; i++) {
		FILE *f = fopen(test_path(names[i]), "w");
		REQUIRE(f && fclose(f) == 0);
		if (i != 2)
			REQUIRE(utimes(test_path(names[i]), old) == 0);
	}
	open_digest("t.weft", false);
	CHECK(inode(names[0]) == 0 && inode(names[1]) == 0);
	CHECK(inode(names[2]) != 0); /* young: somebody may be at it */
	CHECK(inode(names[3]) != 0); /* not ours */
}

TEST(memory_limit_bounds_what_is_resident)
{
	make_trace(40000);
	open_digest("t.weft", false);
	struct weft_trace *t;
	struct weft_open_how how = {.memory = 1 << 20};
	REQUIRE(weft_trace_open(&t, test_path("t.weft"), &how, NULL) == 0);
	uint64_t h = digest(t);
	CHECK(h != 0);
	CHECK(t->store->columns.n > 1 << 20);
	weft_trace_close(t);
	CHECK_U64(open_digest("t.weft", false), h);
}

TEST(out_of_memory_never_leaves_a_bad_index)
{
	make_trace(200);
	uint64_t h = open_digest("t.weft", false);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_trace *t = NULL;
		struct weft_open_how how = {.rebuild = true, .threads = 1};
		struct weft_err err = {0};
		int rc = weft_trace_open(&t, test_path("t.weft"), &how, &err);
		CHECK((rc == 0) == (t != NULL));
		if (rc)
			CHECK(test_alloc_failed() && err.text[0]);
		else if (test_alloc_failed()) /* and no other one will */
			CHECK_U64(digest(t), h);
		weft_trace_close(t);
	}
	CHECK_U64(open_digest("t.weft", false), h);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_trace *t = NULL;
		struct weft_open_how how = {.threads = 1};
		int rc = weft_trace_open(&t, test_path("t.weft"), &how, NULL);
		CHECK((rc == 0) == (t != NULL));
		if (rc)
			CHECK(test_alloc_failed());
		else if (test_alloc_failed()) /* and no other one will */
			CHECK_U64(digest(t), h);
		weft_trace_close(t);
	}
	CHECK_U64(open_digest("t.weft", false), h);
}
