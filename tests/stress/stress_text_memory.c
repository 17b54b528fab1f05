/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A .prv that is far larger than the memory that reading may use, from a pipe: states, events with counters and messages, as long
 * as is asked for. All of it is in the trace, the peak stays below a twenty-fifth of the text (2 GB for 50 GB), and what an index
 * would have is at most a fifth. WEFT_TEXT_GB says how much the long tier reads (5 without).
 */
#include "trace/open.h"
#include "base/fs.h"
#include "base/str.h"
#include "harness.h"
#include "memory_group.h"
#include "trace/store/cursor.h"
#include "trace/filter/need.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16, MESSAGE_EACH = 12, BUFFER = 1 << 20, LINE_MOST = 256 };

struct text {
	char *at; /* BUFFER + LINE_MOST */
	size_t n;
	uint64_t steps, messages, seed;
};

static uint64_t next_random(struct text *t)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return t->seed >> 20;
}

static void put_line(struct text *t, const uint64_t *field, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		t->n += weft_fmt_u64(t->at + t->n, field[i]);
		t->at[t->n++] = i + 1 < n ? ':' : '\n';
	}
}
#define PUT_LINE(t, ...) \
	put_line((t), (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void put_event(struct text *t, uint64_t thread, uint64_t time, uint64_t call)
{
	PUT_LINE(t, 2, thread, 1, thread, 1, time, 50000001, call, 42000050, next_random(t) % 3000000, 42000059,
	         next_random(t) % 900000);
}

/* One step of a thread, as Extrae writes it: it computes, then calls; now and then a message to the next one. No time is left out. */
static void put_step(struct text *t)
{
	uint64_t i = t->steps++, thread = i % THREADS + 1, time = i / THREADS * 1000000 + thread * 1000;
	uint64_t call = time + 100000 + next_random(t) % 800000;
	PUT_LINE(t, 1, thread, 1, thread, 1, time, call, 1);
	put_event(t, thread, time, 0);
	PUT_LINE(t, 1, thread, 1, thread, 1, call, time + 1000000, 13);
	put_event(t, thread, call, i % 40 + 1);
	if (i % MESSAGE_EACH == 0) {
		uint64_t to = thread % THREADS + 1;
		t->messages++;
		PUT_LINE(t, 3, thread, 1, thread, 1, call, call, to, 1, to, 1, call + 10, call + 500 + next_random(t) % 90000,
		         next_random(t) % 65536, i % 8);
	}
}

/* The child that writes: text of about `bytes`, to `to`. The totals go to `totals`. */
static void write_text(int to, int totals, uint64_t bytes)
{
	struct text t = {.at = malloc(BUFFER + LINE_MOST * 4), .seed = 88172645463325252u};
	uint64_t written = 0;
	if (!t.at)
		_exit(1);
	t.n = (size_t)sprintf(t.at, "#Paraver (20/11/2026 at 11:30):1000000000000000_ns:1(%u):1:%u(", THREADS, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		t.n += (size_t)sprintf(t.at + t.n, "%s1:1", i ? "," : "");
	t.n += (size_t)sprintf(t.at + t.n, "),0\n");
	while (written < bytes) {
		while (t.n < BUFFER)
			put_step(&t);
		for (size_t done = 0; done < t.n;) {
			ssize_t n = write(to, t.at + done, t.n - done);
			if (n <= 0)
				_exit(1);
			done += (size_t)n;
		}
		written += t.n;
		t.n = 0;
	}
	uint64_t all[3] = {written, t.steps, t.messages};
	_exit(write(totals, all, sizeof all) != sizeof all);
}

static int count_events(const struct weft_trace *t, uint64_t *n)
{
	int more = 0;
	for (uint32_t i = 0; i < t->n_threads && more >= 0; i++) {
		struct weft_cursor c;
		struct weft_block b;
		more = weft_cursor_begin(&c, t, i, 0, WEFT_NEVER);
		while (more >= 0 && (more = weft_cursor_next(&c, &b)) > 0)
			*n += b.n;
		weft_cursor_end(&c);
	}
	return more;
}

/* The child that reads: 0 when everything is right, else a number that says what is not. */
static int read_text(int from, int totals, uint64_t memory)
{
	char path[40];
	struct weft_trace *t;
	struct weft_open_how how = {.memory = memory, .threads = 2};
	struct weft_err err = {0};
	uint64_t all[3], index, events = 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", from);
	if (weft_trace_open(&t, path, &how, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	if (read(totals, all, sizeof all) != sizeof all)
		return 3;
	/* A state has two events, a pair one, a message two; each thread has one cpu, which it says once. */
	uint64_t want = 10 * all[1] + 2 * all[2] + THREADS;
	if (t->n_problems || t->n_events != want || t->message.n != all[2])
		return 4;
	if (count_events(t, &events) < 0 || events != want)
		return 5;
	weft_trace_is_large(t, 0, &index);
	uint64_t peak = weft_rss_peak_bytes();
	printf("# %llu MiB of text, columns %.1f %%, peak %llu MiB of %llu\n", (unsigned long long)all[0] >> 20,
	       100.0 * (double)index / (double)all[0], (unsigned long long)peak >> 20, (unsigned long long)memory >> 20);
	fflush(stdout);
	weft_trace_close(t);
	if (index * 5 > all[0])
		return 6;
	/* A sanitizer keeps what was freed, and shadows the rest: its builds test the way, not the peak. */
	return peak > memory && !test_build_is("asan") && !test_build_is("tsan") ? 7 : 0;
}

static void check_text(uint64_t bytes, uint64_t memory)
{
	int text[2], totals[2], status;
	struct memory_group group;
	REQUIRE(pipe(text) == 0 && pipe(totals) == 0);
	memory_group_make(&group, memory);
	fflush(stdout);
	pid_t writer = fork();
	REQUIRE(writer >= 0);
	if (writer == 0) {
		close(text[0]);
		write_text(text[1], totals[1], bytes);
	}
	close(text[1]);
	close(totals[1]);
	pid_t reader = fork();
	REQUIRE(reader >= 0);
	if (reader == 0)
		_exit(memory_group_enter(&group) ? read_text(text[0], totals[0], memory) : 1);
	close(text[0]);
	close(totals[0]);
	REQUIRE(waitpid(reader, &status, 0) == reader);
	CHECK(WIFEXITED(status));
	CHECK_I64(WEXITSTATUS(status), 0);
	REQUIRE(waitpid(writer, &status, 0) == writer);
	CHECK_I64(status, 0);
	memory_group_remove(&group);
}

TEST_IN(TIER_FULL, four_hundred_megabytes_in_thirty_two)
{
	check_text(UINT64_C(400) << 20, 32 << 20);
}

TEST_IN(TIER_LONG, as_many_gigabytes_as_are_asked_for)
{
	const char *asked = getenv("WEFT_TEXT_GB");
	uint64_t n = 5;
	if (asked)
		REQUIRE(weft_parse_u64(weft_str(asked), &n) == 0 && n > 0 && n < 1000);
	check_text(n * 1000000000, n * 40000000);
}
