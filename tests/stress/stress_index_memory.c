/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace that is far larger than the memory that reading may use: the peak resident set (VmHWM) stays below the limit, while
 * the index is built and while all events and messages are read. Each size in a process of its own; where that may be made, in a
 * memory cgroup that has no more.
 */
#include "trace/open.h"
#include "format/crc.h"
#include "base/fs.h"
#include "harness.h"
#include "memory_group.h"
#include "trace/store/cursor.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_meta(struct weft_page_writer *w, unsigned kind, unsigned id, unsigned n, const uint64_t *words, const char *name)
{
	uint64_t payload[16] = {0};
	memcpy(payload, words, n * sizeof *words);
	payload[n] = strlen(name);
	memcpy(&payload[n + 1], name, strlen(name));
	struct weft_record r = {0, kind, id, n + 1 + (unsigned)(strlen(name) + 7) / 8, payload};
	REQUIRE(weft_page_write(w, &r) == 0);
}

/* `pages` pages of two threads in turn; each seventh event is an end of a message, of the one to the other. */
static uint64_t write_stream(const char *path, uint64_t pages)
{
	static struct weft_page page;
	struct weft_page_writer w;
	struct weft_stream_head *h = (void *)&page;
	FILE *f = fopen(path, "wb");
	REQUIRE(f != NULL);
	memset(&page, 0, sizeof page);
	*h = (struct weft_stream_head){.major = WEFT_FORMAT_MAJOR,
	                               .page_bytes = WEFT_PAGE_BYTES,
	                               .pid = 1,
	                               .clock = 2,
	                               .ticks_per_ns = 1,
	                               .state = 2};
	memcpy(h->magic, WEFT_STREAM_MAGIC, 8);
	h->crc = weft_crc32c(0, h, offsetof(struct weft_stream_head, crc));
	REQUIRE(fwrite(&page, sizeof page, 1, f) == 1);
	weft_page_write_begin(&w, &page, WEFT_PAGE_META, 0, 0, 0);
	put_meta(&w, WEFT_EV_PROCESS, 1, 3, (uint64_t[]){1, 1ull << 32, 0}, "p");
	put_meta(&w, WEFT_EV_DEF_REGION, 1, 2, (uint64_t[]){0, 0}, "r");
	put_meta(&w, WEFT_EV_DEF_COUNTER, 1, 2, (uint64_t[]){0, 0}, "c");
	put_meta(&w, WEFT_EV_DEF_COMM, 1, 2, (uint64_t[]){0, 1}, "w");
	weft_page_write_end(&w);
	REQUIRE(fwrite(&page, sizeof page, 1, f) == 1);
	uint64_t n[2] = {0, 0};
	for (uint64_t p = 0; p < pages; p++) {
		unsigned t = p / 64 % 2;
		weft_page_write_begin(&w, &page, WEFT_PAGE_EVENTS, t + 1, (uint32_t)(p / 128 * 64 + p % 64), 100 * n[t]);
		for (;; n[t]++) {
			uint64_t words[2] = {0, n[t]};
			struct weft_record r = {100 * n[t], n[t] % 2 ? WEFT_EV_LEAVE : WEFT_EV_ENTER, 1, 0, words};
			if (n[t] % 7 == 6)
				r = (struct weft_record){100 * n[t], t ? WEFT_EV_RECV : WEFT_EV_SEND, 1, 2, words};
			else if (n[t] % 7 == 3)
				r = (struct weft_record){100 * n[t], WEFT_EV_COUNTER, 1, 1, words + 1};
			if (weft_page_write(&w, &r))
				break;
		}
		weft_page_write_end(&w);
		REQUIRE(fwrite(&page, sizeof page, 1, f) == 1);
	}
	REQUIRE(fclose(f) == 0);
	return n[0] + n[1];
}

/* In the child: 0 when everything is right, else a number that says what is not. */
static int read_it(const char *trace, uint64_t memory, uint64_t n_events, bool rebuild)
{
	struct weft_trace *t;
	struct weft_open_how how = {.memory = memory, .threads = 2, .rebuild = rebuild};
	struct weft_err err = {0};
	if (weft_trace_open(&t, trace, &how, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	if (t->n_events != n_events || t->n_problems)
		return 3;
	uint64_t read = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		int more = weft_cursor_begin(&c, t, i, 0, WEFT_NEVER);
		while (!more && (more = weft_cursor_next(&c, &b)) > 0) {
			read += b.n;
			more = 0;
		}
		weft_cursor_end(&c);
		if (more < 0)
			return 4;
	}
	if (read != n_events || t->message.n < n_events / 14 - 2)
		return 5;
	uint64_t peak = weft_rss_peak_bytes();
	printf("# %s: peak %llu MiB of %llu\n", rebuild ? "building" : "reading", (unsigned long long)peak >> 20,
	       (unsigned long long)memory >> 20);
	fflush(stdout);
	weft_trace_close(t);
	/* A sanitizer keeps what was freed, and shadows the rest: its builds test the way, not the peak. */
	return peak > memory && !test_build_is("asan") && !test_build_is("tsan") ? 6 : 0;
}

static void check_memory(uint64_t pages, uint64_t memory)
{
	char trace[500], stream[520];
	snprintf(trace, sizeof trace, "%s/t.weft", test_dir());
	snprintf(stream, sizeof stream, "%s/a.stream", trace);
	REQUIRE(weft_make_dirs(trace, NULL) == 0);
	uint64_t n = write_stream(stream, pages);
	for (unsigned rebuild = 2; rebuild-- > 0;) {
		int status;
		struct memory_group group;
		/*
		 * Its own memory is held to `memory` in read_it. The group counts the kernel's pages of files, too, and those that are on
		 * their way from a busy disk cannot be taken back: it has a little more.
		 */
		memory_group_make(&group, memory + (6 << 20));
		fflush(stdout);
		pid_t child = fork();
		REQUIRE(child >= 0);
		if (child == 0)
			_exit(memory_group_enter(&group) ? read_it(trace, memory, n, rebuild) : 1);
		REQUIRE(waitpid(child, &status, 0) == child);
		memory_group_remove(&group);
		CHECK(WIFEXITED(status));
		CHECK_I64(WEXITSTATUS(status), 0);
	}
}

TEST_IN(TIER_FULL, a_hundred_megabytes_in_sixteen)
{
	check_memory(25600, 16 << 20);
}

TEST_IN(TIER_LONG, a_gigabyte_in_a_hundred_and_twenty_eight_megabytes)
{
	check_memory(262144, 128 << 20);
}

TEST_IN(TIER_LONG, ten_gigabytes_in_one)
{
	check_memory(2621440, UINT64_C(1) << 30);
}
