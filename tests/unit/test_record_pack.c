/* SPDX-License-Identifier: Apache-2.0 */
/* record_pack.c and record_count.c: streams that end while others are written, counted once each, packed or not. */
#include "harness.h"
#include "base/fs.h"
#include "cli/record/record_run.h"
#include "format/format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t run_id[16] = "0123456789abcdef";

/* A stream of one thread with n points. */
static void write_stream(struct record_stream *s, const char *name, unsigned n)
{
	struct weft_err err = {0};
	struct record_lane lane = {.thread = 1};
	REQUIRE(record_stream_open(s, test_dir(), name, run_id, 0, &err) == 0);
	for (uint64_t i = 0; i < n; i++)
		record_stream_event(s, &lane, &(struct weft_record){1000 + i, WEFT_EV_POINT, 1, 1, &i});
	record_stream_end_lane(&lane);
}

static uint64_t bytes_of(const char *name)
{
	char path[300];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	REQUIRE(stat(path, &st) == 0);
	return (uint64_t)st.st_size;
}

TEST(count_adds_up_streams)
{
	struct record_stream s;
	struct record_totals t = {0};
	char **paths;
	write_stream(&s, "h-1-0.stream", 1000);
	record_stream_close(&s);
	write_stream(&s, "h-2-0.stream", 500);
	record_stream_close(&s);
	int n = record_list_streams(test_dir(), "h-2-0.stream", &paths);
	CHECK_I64(n, 1);
	for (int i = 0; i < n; i++)
		record_count_stream(&t, paths[i]);
	weft_list_free(paths, n);
	CHECK_U64(t.streams, 1);
	CHECK_U64(t.threads, 1);
	CHECK_U64(t.events, 1000);
	CHECK(!t.estimated);
	record_count_stream(&t, "/dev/null"); /* no stream: counts nothing */
	CHECK_U64(t.streams, 1);
}

TEST(count_estimates_large_streams)
{
	struct record_stream s;
	struct record_totals t = {0};
	char path[300];
	unsigned n = 5000000; /* 16 bytes each: more pages than are looked at */
	write_stream(&s, "h-1-0.stream", n);
	record_stream_close(&s);
	snprintf(path, sizeof path, "%s/h-1-0.stream", test_dir());
	record_count_stream(&t, path);
	CHECK(t.estimated);
	CHECK_NEAR((double)t.events, n, n * 0.001);
}

TEST(packer_counts_and_packs_what_has_ended)
{
	struct record_stream one, other;
	struct record_totals t = {0};
	struct record_packer *p;
	write_stream(&one, "h-1-0.stream", 50000);
	write_stream(&other, "h-2-0.stream", 30000);
	record_stream_close(&one);
	uint64_t before = bytes_of("h-1-0.stream");
	REQUIRE(record_packer_start(&p, test_dir(), &t) == 0);
	WAIT_FOR(bytes_of("h-1-0.stream") < before);
	CHECK(bytes_of("h-1-0.stream") < before);
	uint64_t open = bytes_of("h-2-0.stream");
	record_stream_close(&other);
	record_packer_finish(p, test_dir(), NULL, true, &t);
	CHECK_U64(t.streams, 2);
	CHECK_U64(t.events, 80000);
	CHECK_I64(t.pack_error, 0);
	CHECK(bytes_of("h-2-0.stream") < open);
}

TEST(packer_that_has_nothing_to_do_ends_at_once)
{
	struct record_totals t = {0};
	struct record_packer *p;
	REQUIRE(record_packer_start(&p, test_dir(), &t) == 0);
	record_packer_finish(p, test_dir(), NULL, false, &t);
	CHECK_U64(t.streams, 0);
}
