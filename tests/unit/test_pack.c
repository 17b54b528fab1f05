/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/open.h"
#include "stream_maker.h"
#include "base/fs.h"
#include "trace/store/cursor.h"
#include "trace/weft/pack.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* n pages of events; state OPEN when `open`. */
static void make_stream(const char *name, uint64_t n, bool open)
{
	struct maker m;
	maker_begin(&m, (uint32_t)getpid());
	m.head.state = open ? WEFT_STREAM_OPEN : WEFT_STREAM_CLOSED;
	maker_process(&m, 1, getpid(), 0, 100, "prog");
	maker_type(&m, 1, "step");
	for (uint64_t i = 0; i < 254 * n; i++)
		maker_event(&m, 1, 200 + i + test_random() % 2, WEFT_EV_POINT, 1, 1, &i);
	maker_save(&m, test_path(name));
	maker_end(&m);
}

static uint64_t digest(const char *name, uint64_t *problems)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.no_index = true};
	struct weft_cursor c;
	struct weft_block b;
	uint64_t h = 0;
	int rc = weft_trace_open(&t, test_path(name), &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	for (uint32_t i = 0; i < t->n_threads; i++) {
		REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++)
				h = h * 31 + b.time[k] + b.value[k] * 7;
		weft_cursor_end(&c);
	}
	h += t->n_events;
	*problems = t->n_problems;
	weft_trace_close(t);
	return h;
}

static bool same_bytes(const char *a, const char *b)
{
	char *x, *y;
	size_t n, m;
	REQUIRE(weft_read_file(test_path(a), &x, &n, NULL) == 0 && weft_read_file(test_path(b), &y, &m, NULL) == 0);
	bool same = n == m && memcmp(x, y, n) == 0;
	free(x);
	free(y);
	return same;
}

static void copy(const char *from, const char *to)
{
	char *x;
	size_t n;
	REQUIRE(weft_read_file(test_path(from), &x, &n, NULL) == 0);
	FILE *f = fopen(test_path(to), "wb");
	REQUIRE(f && fwrite(x, 1, n, f) == n && fclose(f) == 0);
	free(x);
}

TEST(packed_streams_read_identically_and_come_back_bit_by_bit)
{
	static const uint64_t pages[] = {0, 1, 62, 63, 64, 300, 5000};
	for (unsigned i = 0; i < sizeof pages / sizeof *pages; i++) {
		uint64_t problems;
		struct stat before, after;
		make_stream("a.stream", pages[i], false);
		copy("a.stream", "keep");
		uint64_t h = digest("a.stream", &problems);
		CHECK_U64(problems, 0);
		REQUIRE(stat(test_path("a.stream"), &before) == 0);
		REQUIRE(weft_stream_pack(test_path("a.stream"), 0, NULL) == 0);
		REQUIRE(stat(test_path("a.stream"), &after) == 0);
		CHECK(pages[i] < 2 || after.st_size < before.st_size / 2);
		CHECK_U64(digest("a.stream", &problems), h);
		CHECK_U64(problems, 0);
		REQUIRE(weft_stream_pack(test_path("a.stream"), 0, NULL) == 0); /* already */
		REQUIRE(weft_stream_unpack(test_path("a.stream"), NULL) == 0);
		CHECK(same_bytes("a.stream", "keep"));
		REQUIRE(weft_stream_unpack(test_path("a.stream"), NULL) == 0);
		CHECK(same_bytes("a.stream", "keep"));
	}
}

TEST(a_stream_that_ends_inside_a_page_keeps_its_end)
{
	uint64_t problems;
	make_stream("a.stream", 100, true);
	REQUIRE(truncate(test_path("a.stream"), 80 * 4096 + 1001) == 0);
	copy("a.stream", "keep");
	uint64_t h = digest("a.stream", &problems);
	CHECK_U64(problems, 1);
	REQUIRE(weft_stream_pack(test_path("a.stream"), 19, NULL) == 0);
	CHECK_U64(digest("a.stream", &problems), h);
	REQUIRE(weft_stream_unpack(test_path("a.stream"), NULL) == 0);
	CHECK(same_bytes("a.stream", "keep"));
}

TEST(a_damaged_frame_costs_its_pages)
{
	uint64_t problems;
	make_stream("a.stream", 640, false);
	REQUIRE(weft_stream_pack(test_path("a.stream"), 0, NULL) == 0);
	copy("a.stream", "packed");
	struct stat st;
	REQUIRE(stat(test_path("a.stream"), &st) == 0);
	unsigned seen = 0;
	for (off_t at = 4096; at < st.st_size; at += 1 + (off_t)(test_random() % 20000)) {
		copy("packed", "a.stream");
		int fd = open(test_path("a.stream"), O_RDWR);
		uint8_t byte;
		REQUIRE(fd >= 0 && pread(fd, &byte, 1, at) == 1);
		byte ^= 0x20;
		REQUIRE(pwrite(fd, &byte, 1, at) == 1);
		close(fd);
		digest("a.stream", &problems);
		seen += problems > 0;
		struct weft_err err = {0};
		if (problems) { /* unpacking refuses, and leaves the file as it is */
			CHECK(weft_stream_unpack(test_path("a.stream"), &err) == WEFT_E_DAMAGED);
			digest("a.stream", &problems);
			CHECK(problems > 0);
		}
	}
	CHECK(seen > 5);
}

TEST(a_stream_that_is_still_written_is_not_packed)
{
	struct weft_err err = {0};
	struct weft_map_file mapped;
	make_stream("a.stream", 10, true);
	REQUIRE(weft_map_file_open(&mapped, test_path("a.stream"), NULL) == 0);
	CHECK(weft_stream_pack(test_path("a.stream"), 0, &err) == -EBUSY);
	CHECK(strstr(err.text, "still records") != NULL);
	weft_map_file_close(&mapped);
	CHECK(weft_stream_pack(test_path("a.stream"), 0, NULL) == 0);
}

TEST(what_is_no_stream_is_refused)
{
	struct weft_err err = {0};
	FILE *f = fopen(test_path("x"), "w");
	REQUIRE(f && fputs("hello", f) >= 0 && fclose(f) == 0);
	CHECK(weft_stream_pack(test_path("x"), 0, &err) == WEFT_E_SYNTAX);
	err = (struct weft_err){0};
	CHECK(weft_stream_unpack(test_path("x"), &err) == WEFT_E_SYNTAX);
	err = (struct weft_err){0};
	CHECK(weft_stream_pack(test_path("none"), 0, &err) == -ENOENT);
}

TEST(the_index_stays_valid_when_its_streams_are_packed)
{
	struct weft_trace *t;
	struct weft_pack_totals totals;
	struct stat before, after;
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	make_stream("t.weft/a.stream", 300, false);
	make_stream("t.weft/b.stream", 10, false);
	REQUIRE(weft_trace_open(&t, test_path("t.weft"), NULL, NULL) == 0);
	weft_trace_close(t);
	REQUIRE(stat(test_path("t.weft/index/columns"), &before) == 0);
	REQUIRE(weft_trace_pack(test_path("t.weft"), 1, 2, &totals, NULL) == 0);
	CHECK_U64(totals.n_streams, 2);
	CHECK_U64(totals.n_changed, 2);
	CHECK_U64(totals.bytes_before, 4096 * (302 + 12));
	CHECK(totals.bytes_after < totals.bytes_before / 2);
	REQUIRE(weft_trace_open(&t, test_path("t.weft"), NULL, NULL) == 0);
	CHECK_U64(t->n_events, 254 * 310);
	weft_trace_close(t);
	REQUIRE(stat(test_path("t.weft/index/columns"), &after) == 0);
	CHECK_U64(after.st_ino, before.st_ino);
	REQUIRE(weft_trace_pack(test_path("t.weft"), 1, 0, &totals, NULL) == 0);
	CHECK_U64(totals.n_changed, 0);
	REQUIRE(weft_trace_unpack(test_path("t.weft"), 0, &totals, NULL) == 0);
	CHECK_U64(totals.n_changed, 2);
	CHECK_U64(totals.bytes_after, 4096 * (302 + 12));
}
