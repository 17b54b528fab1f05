/* SPDX-License-Identifier: Apache-2.0 */
/* record_tree.c and record_stream.c: events as a watch hands them on, and what then stands in the stream. */
#include "harness.h"
#include "base/fs.h"
#include "cli/record/record_tree.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t run_id[16] = "0123456789abcdef";

struct fixture {
	struct record_stream stream;
	struct record_tree tree;
	char path[300];
};

static void begin(struct fixture *f, pid_t command)
{
	struct weft_err err = {0};
	snprintf(f->path, sizeof f->path, "%s/x.stream", test_dir());
	unlink(f->path);
	REQUIRE(record_stream_open(&f->stream, test_dir(), "x.stream", run_id, 0, &err) == 0);
	REQUIRE(record_tree_init(&f->tree, &f->stream, command, "host", "boot") == 0);
}

static void end(struct fixture *f)
{
	record_tree_fini(&f->tree);
	record_stream_close(&f->stream);
}

static void see(struct fixture *f, uint64_t time, enum record_seen what, pid_t pid, pid_t tid, pid_t parent, const char *name)
{
	struct record_seen_event e = {
		.time = f->tree.process.at[0].begin + time,
		.what = what,
		.pid = pid,
		.tid = tid,
		.parent_pid = parent,
		.parent_tid = parent,
		.status = what == RECORD_SEEN_EXIT ? (int)time : -1,
	};
	snprintf(e.name, sizeof e.name, "%s", name);
	record_tree_see(&f->tree, &e);
}

/* All records as text, a line each: events by thread, then definitions (without clocks); malloc'd. */
static char *read_back(const struct fixture *f, uint64_t begin_ns)
{
	struct weft_map_file file;
	struct weft_err err = {0};
	struct weft_buf b = {0};
	REQUIRE(weft_map_file_open(&file, f->path, &err) == 0);
	for (unsigned type = WEFT_PAGE_EVENTS; type <= WEFT_PAGE_META; type++)
		for (size_t at = WEFT_PAGE_BYTES; at + WEFT_PAGE_BYTES <= file.n; at += WEFT_PAGE_BYTES) {
			const struct weft_page *p = (const struct weft_page *)(file.at + at);
			struct weft_page_walk w;
			struct weft_record r;
			const char *text;
			uint32_t n;
			enum weft_page_verdict v = weft_page_begin(&w, p, true);
			CHECK(v != WEFT_PAGE_BAD);
			while (p->type == type && v != WEFT_PAGE_EMPTY && weft_page_next(&w, &r) > 0) {
				if (r.kind == WEFT_EV_CLOCK || r.kind == WEFT_EV_PROCESS_TEXT)
					continue;
				weft_buf_printf(&b, "%u %" PRIu64 " %s", type == WEFT_PAGE_EVENTS ? p->thread : r.id,
				                r.ticks - begin_ns, weft_kind_info[r.kind].name);
				if (r.kind == WEFT_EV_FORK || r.kind == WEFT_EV_EXIT || r.kind == WEFT_EV_CPU_TIME ||
				    r.kind == WEFT_EV_USER_TIME)
					weft_buf_printf(&b, " %" PRId64, (int64_t)r.payload[0]);
				if (r.kind == WEFT_EV_THREAD)
					weft_buf_printf(&b, " %" PRIu64 " of %u", r.payload[0], (unsigned)r.payload[1]);
				if (r.kind == WEFT_EV_PROCESS)
					weft_buf_printf(&b, " %u of %u", (unsigned)r.payload[0], (unsigned)(r.payload[0] >> 32));
				if (r.kind > WEFT_EV_DEF_STRING && weft_record_bytes(&r, 3, &text, &n) && n)
					weft_buf_printf(&b, " %.*s", (int)n, text);
				weft_buf_putc(&b, '\n');
			}
		}
	weft_map_file_close(&file);
	REQUIRE(b.at != NULL);
	return b.at;
}

TEST(record_tree_writes_processes_threads_execs_and_exits)
{
	struct fixture f;
	begin(&f, 100);
	uint64_t t0 = f.tree.process.at[0].begin;
	see(&f, 10, RECORD_SEEN_EXEC, 100, 100, 0, "sh");
	see(&f, 20, RECORD_SEEN_PROCESS, 101, 101, 100, "");
	see(&f, 30, RECORD_SEEN_EXEC, 101, 101, 0, "solver");
	see(&f, 40, RECORD_SEEN_THREAD, 101, 102, 101, "");
	see(&f, 50, RECORD_SEEN_NAME, 101, 102, 0, "worker");
	see(&f, 60, RECORD_SEEN_EXIT, 101, 101, 0, "");
	see(&f, 70, RECORD_SEEN_EXIT, 101, 102, 0, "");
	CHECK_U64(record_tree_live(&f.tree), 1);
	f.tree.command_status = 3 << 8;
	see(&f, 80, RECORD_SEEN_EXIT, 100, 100, 0, "");
	CHECK_U64(record_tree_live(&f.tree), 0);
	char want_process[40];
	snprintf(want_process, sizeof want_process, "1 0 process 100 of %d", (int)getpid());
	end(&f);
	char *got = read_back(&f, t0);
	const char *lines[] = {
		"1 0 thread_begin\n1 10 exec\n1 20 fork 101\n1 80 exit 768\n1 80 thread_end\n",
		"2 20 thread_begin\n2 30 exec\n2 60 thread_end\n",
		"3 40 thread_begin\n3 70 exit 70\n3 70 thread_end\n",
		"2 20 process 101 of 100 sh\n",
		"2 20 process 101 of 100 solver\n",
		"3 40 thread 102 of 2\n3 40 thread 102 of 2 worker\n",
		want_process,
	};
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!CHECK(strstr(got, lines[i]) != NULL))
			printf("# no '%s' in:\n%s", lines[i], got);
	free(got);
}

static void see_exit_cpu(struct fixture *f, uint64_t time, pid_t pid, pid_t tid, struct record_cpu cpu)
{
	struct record_seen_event e = {
		.time = f->tree.process.at[0].begin + time,
		.what = RECORD_SEEN_EXIT,
		.pid = pid,
		.tid = tid,
		.status = 0,
		.cpu = cpu,
	};
	record_tree_see(&f->tree, &e);
}

TEST(record_tree_says_the_cpu_time_that_it_knows)
{
	struct fixture f;
	const struct record_cpu of_thread = {RECORD_CPU_OF_THREAD, true, 1000, 30, 10}, unknown = {.of = RECORD_CPU_UNKNOWN};
	const struct record_cpu total = {.of = RECORD_CPU_OF_THREAD, .total_ns = 70};
	begin(&f, 100);
	uint64_t t0 = f.tree.process.at[0].begin;
	/* Of two threads, together. */
	see(&f, 1, RECORD_SEEN_PROCESS, 101, 101, 100, "");
	see(&f, 2, RECORD_SEEN_THREAD, 101, 201, 101, "");
	see_exit_cpu(&f, 3, 101, 201, of_thread);
	see_exit_cpu(&f, 4, 101, 101, (struct record_cpu){RECORD_CPU_OF_THREAD, true, 3000, 10, 30});
	/* Of one of two, and of the process: the process's counts. Of one of two only: nothing. */
	see(&f, 11, RECORD_SEEN_PROCESS, 102, 102, 100, "");
	see(&f, 12, RECORD_SEEN_THREAD, 102, 202, 102, "");
	see_exit_cpu(&f, 13, 102, 202, unknown);
	see_exit_cpu(&f, 14, 102, 102, (struct record_cpu){RECORD_CPU_OF_PROCESS, true, 500, 1, 0});
	see(&f, 21, RECORD_SEEN_PROCESS, 103, 103, 100, "");
	see(&f, 22, RECORD_SEEN_THREAD, 103, 203, 103, "");
	see_exit_cpu(&f, 23, 103, 203, unknown);
	see_exit_cpu(&f, 24, 103, 103, of_thread);
	/* A total of which no parts are known. */
	see(&f, 31, RECORD_SEEN_PROCESS, 104, 104, 100, "");
	see_exit_cpu(&f, 32, 104, 104, total);
	/* Shorter than a tick: not nothing, but not known. */
	see(&f, 33, RECORD_SEEN_PROCESS, 105, 105, 100, "");
	see_exit_cpu(&f, 34, 105, 105, (struct record_cpu){.of = RECORD_CPU_OF_THREAD, .has_user = true});
	f.tree.command_cpu = (struct record_cpu){RECORD_CPU_OF_PROCESS, true, 900, 2, 1};
	f.tree.command_status = 0;
	see_exit_cpu(&f, 40, 100, 100, of_thread);
	end(&f);
	char *got = read_back(&f, t0);
	const char *lines[] = {
		"2 4 cpu_time 4000\n2 4 user_time 2000\n2 4 exit 0\n",
		"4 14 cpu_time 500\n4 14 user_time 500\n4 14 exit 0\n",
		"\n6 21 thread_begin\n6 24 exit 0\n",
		"8 32 cpu_time 70\n8 32 exit 0\n",
		"9 33 thread_begin\n9 34 exit 0\n",
		"1 40 cpu_time 900\n1 40 user_time 600\n1 40 exit 0\n",
	};
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!CHECK(strstr(got, lines[i]) != NULL))
			printf("# no '%s' in:\n%s", lines[i], got);
	free(got);
}

TEST(record_tree_knows_a_number_again_after_its_end)
{
	struct fixture f;
	begin(&f, 100);
	see(&f, 1, RECORD_SEEN_THREAD, 100, 200, 100, "");
	see(&f, 2, RECORD_SEEN_EXIT, 100, 200, 0, "");
	see(&f, 3, RECORD_SEEN_PROCESS, 200, 200, 100, "");
	see(&f, 4, RECORD_SEEN_EXIT, 200, 200, 0, "");
	see(&f, 5, RECORD_SEEN_PROCESS, 200, 200, 100, "");
	CHECK_U64(f.tree.process.n, 3);
	CHECK_U64(f.tree.thread.n, 4);
	CHECK_U64(record_tree_live(&f.tree), 2);
	end(&f);
}

TEST(record_tree_begins_what_it_sees_late)
{
	struct fixture f;
	begin(&f, 100);
	see(&f, 1, RECORD_SEEN_NAME, 300, 301, 0, "lost"); /* both the process and the thread were made unseen */
	see(&f, 2, RECORD_SEEN_EXIT, 400, 400, 1, "");
	CHECK_U64(f.tree.process.n, 3);
	CHECK_U64(record_tree_live(&f.tree), 2);
	end(&f);
}

TEST(record_tree_ends_the_other_threads_at_an_exec)
{
	struct fixture f;
	begin(&f, 100);
	uint64_t t0 = f.tree.process.at[0].begin;
	see(&f, 1, RECORD_SEEN_THREAD, 100, 101, 100, "");
	see(&f, 2, RECORD_SEEN_THREAD, 100, 102, 100, "");
	see(&f, 3, RECORD_SEEN_EXEC, 100, 100, 0, "other");
	CHECK_U64(f.tree.process.at[0].live_threads, 1);
	end(&f);
	char *got = read_back(&f, t0);
	CHECK(strstr(got, "2 1 thread_begin\n2 3 thread_end\n3 2 thread_begin\n3 3 thread_end\n") != NULL);
	free(got);
}

TEST(record_stream_is_readable_while_it_is_written)
{
	struct fixture f;
	begin(&f, 100);
	uint64_t t0 = f.tree.process.at[0].begin;
	for (pid_t i = 0; i < 2000; i++) {
		see(&f, (uint64_t)i, RECORD_SEEN_PROCESS, 1000 + i, 1000 + i, 100, "");
		see(&f, (uint64_t)i, RECORD_SEEN_EXIT, 1000 + i, 1000 + i, 100, "");
	}
	char *got = read_back(&f, t0); /* as after a kill: nothing was closed */
	unsigned forks = 0, exits = 0;
	for (const char *at = got; (at = strstr(at, " fork ")); at++)
		forks++;
	for (const char *at = got; (at = strstr(at, " exit ")); at++)
		exits++;
	CHECK_U64(forks, 2000);
	CHECK_U64(exits, 2000);
	free(got);
	CHECK_U64(record_stream_dropped(&f.stream), 0);
	end(&f);
	struct stat st;
	REQUIRE(stat(f.path, &st) == 0);
	CHECK(st.st_size % WEFT_PAGE_BYTES == 0);
	CHECK(st.st_size < 2300 * (off_t)WEFT_PAGE_BYTES); /* a page for each thread, and the definitions */
}

TEST(record_stream_cuts_texts_that_no_page_can_hold)
{
	struct fixture f;
	static char command[9000];
	memset(command, 'x', sizeof command);
	begin(&f, 100);
	struct record_seen_event e = {
		.time = f.tree.process.at[0].begin,
		.what = RECORD_SEEN_EXEC,
		.pid = 100,
		.tid = 100,
		.command = command,
		.command_bytes = sizeof command,
	};
	record_tree_see(&f.tree, &e);
	CHECK_U64(record_stream_dropped(&f.stream), 0);
	end(&f);
}

TEST(record_stream_says_why_it_cannot_be_made)
{
	struct record_stream s;
	struct weft_err err = {0};
	CHECK_I64(record_stream_open(&s, "/no/such/folder", "x.stream", run_id, 0, &err), -ENOENT);
	CHECK_STR(err.text, "cannot write '/no/such/folder/x.stream': no such file or directory");
	record_stream_close(&s);
}

TEST(record_tree_survives_a_full_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct record_stream s;
		struct record_tree t = {0};
		struct weft_err err = {0};
		char path[300];
		snprintf(path, sizeof path, "%s/y.stream", test_dir());
		unlink(path);
		int rc = record_stream_open(&s, test_dir(), "y.stream", run_id, 0, &err);
		if (rc == 0)
			rc = record_tree_init(&t, &s, 7, "host", "boot");
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		record_tree_fini(&t);
		record_stream_close(&s);
	}
}
