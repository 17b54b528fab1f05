/* SPDX-License-Identifier: Apache-2.0 */
/* Streams to traces: what sound ones say, and what is recovered of damaged ones. */
#include "trace/open.h"
#include "stream_maker.h"
#include "base/str.h"
#include "trace/store/cursor.h"
#include "trace/weft/stream.h"
#include "trace/write/write.h"
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static void save(struct maker *m, const char *name)
{
	const char *path = test_path(name);
	maker_save(m, path);
}

static struct weft_trace *open_trace(const char *name)
{
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	const char *path = test_path(name);
	struct weft_open_how how = {.no_index = true};
	int rc = weft_trace_open(&t, path, &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return t;
}

struct got {
	uint64_t time, value;
	unsigned kind, id;
};
static struct got got[100000];

/* The events of a thread, into got[]; their number. */
static uint32_t read_thread(const struct weft_trace *t, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	uint32_t n = 0;
	int more;
	REQUIRE(weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER) == 0);
	while ((more = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && n < 100000; i++)
			got[n++] = (struct got){b.time[i], b.value[i], weft_what_kind(b.what[i]), weft_what_id(b.what[i])};
	CHECK_I64(more, 0);
	weft_cursor_end(&c);
	return n;
}

static void check_same(const struct weft_trace *a, const struct weft_trace *b)
{
	REQUIRE(a->n_threads == b->n_threads);
	CHECK_U64(a->n_events, b->n_events);
	REQUIRE(a->n_problems == b->n_problems);
	for (uint64_t i = 0; i < a->n_problems; i++) {
		CHECK_U64(a->problem[i].offset, b->problem[i].offset);
		CHECK_STR(strchr(a->problem[i].text, ':'), strchr(b->problem[i].text, ':'));
	}
	for (uint32_t i = 0; i < a->n_threads; i++) {
		static struct got first[sizeof got / sizeof *got];
		uint32_t n = read_thread(a, i);
		memcpy(first, got, n * sizeof *got);
		CHECK_U64(read_thread(b, i), n);
		CHECK(memcmp(first, got, n * sizeof *got) == 0);
	}
}

static uint32_t find_def(const struct weft_trace *t, enum weft_class c, const char *name)
{
	for (uint32_t i = 1; i < t->def[c].n; i++)
		if (strcmp(t->def[c].at[i].name, name) == 0)
			return i;
	return 0;
}

static bool has_problem(const struct weft_trace *t, const char *text)
{
	for (uint64_t i = 0; i < t->n_problems && i < 1000; i++)
		if (strstr(t->problem[i].text, text))
			return true;
	for (uint64_t i = 0; i < t->n_problems && i < 1000; i++)
		printf("# problem: %s: %s\n", t->problem[i].file, t->problem[i].text);
	return false;
}

/* A process with one thread, two regions and a type; ticks are half nanoseconds, from 1000 on. */
static void simple(struct maker *m, uint32_t pid, int32_t rank)
{
	maker_begin(m, pid);
	m->head.ticks_per_ns = 2;
	m->head.start_ticks = 1000;
	maker_process(m, 1, (int32_t)pid, rank, 1000, "prog");
	maker_text(m, 1, WEFT_TEXT_HOST, "alpha");
	maker_text(m, 1, WEFT_TEXT_BOOT_ID, "boot");
	maker_clock(m, 1000, 500, 5000000500);
	maker_clock(m, 1000 + 2000000000, 500 + 1000000000, 6000000500);
	maker_meta(m, WEFT_EV_DEF_CATEGORY, 1, 0, NULL, "user");
	maker_region(m, 1, "solve");
	maker_region(m, 2, "halo");
	maker_type(m, 1, "step");
	maker_thread(m, 1, pid, 1, 1000, "main");
}

/* One of each thing that a stream can say. */
static void rich(struct maker *m, const uint64_t *bits)
{
	simple(m, 42, 3);
	maker_meta(m, WEFT_EV_DEF_STRING, 1, 0, NULL, "hello");
	maker_meta(m, WEFT_EV_DEF_STRING, 2, 0, NULL, "a.c");
	maker_meta(m, WEFT_EV_DEF_STRING, 3, 0, NULL, "cycles");
	maker_meta(m, WEFT_EV_DEF_REGION, 3, 2, (uint64_t[]){maker_pair(1, WEFT_STATE_IO), maker_pair(2, 17)}, "write");
	maker_meta(m, WEFT_EV_DEF_TYPE, 2, 2, (uint64_t[]){maker_pair(1, 3), 60000}, "typed");
	maker_meta(m, WEFT_EV_DEF_VALUE, 2, 1, (uint64_t[]){7}, "seven");
	maker_meta(m, WEFT_EV_DEF_VALUE, 2, 1, (uint64_t[]){(uint64_t)-7}, "minus seven");
	maker_meta(m, WEFT_EV_DEF_COUNTER, 1, 2, (uint64_t[]){maker_pair(1, 3), 1}, "PAPI");
	maker_meta(m, WEFT_EV_DEF_COUNTER, 2, 2, (uint64_t[]){0, 0}, "L2");
	maker_meta(m, WEFT_EV_DEF_SET, 1, 2, (uint64_t[]){2, 1}, NULL);
	maker_meta(m, WEFT_EV_DEF_ATTR, 1, 1, (uint64_t[]){maker_pair(1, 3)}, "size");
	maker_meta(m, WEFT_EV_DEF_FLOW, 1, 1, (uint64_t[]){1}, "dep");
	maker_comm(m, 1, 99, "world");
	maker_meta(m, WEFT_EV_DEF_RANKS, 1, 3, (uint64_t[]){0, 4, 5}, NULL);
	maker_meta(m, WEFT_EV_DEF_RANKS, 1, 2, (uint64_t[]){2, 6}, NULL);
	maker_meta(m, WEFT_EV_CPU_AT, 0, 2, (uint64_t[]){maker_pair(5, 1), maker_pair(2, 0)}, NULL);
	maker_meta(m, WEFT_EV_CPU_AT, 0, 2, (uint64_t[]){maker_pair(3, 0), maker_pair(1, 0)}, "fast one");
	maker_text(m, 1, WEFT_TEXT_COMMAND, "prog");
	maker_text(m, 1, WEFT_TEXT_APP, "solver");
	maker_event(m, 1, 1000, WEFT_EV_ENTER, 3, 0, NULL);
	maker_event(m, 1, 1002, WEFT_EV_POINT, 2, 1, (uint64_t[]){7});
	maker_event(m, 1, 1004, WEFT_EV_POINT_F, 1, 1, bits);
	maker_event(m, 1, 1006, WEFT_EV_POINT_S, 1, 1, (uint64_t[]){1});
	maker_event(m, 1, 1008, WEFT_EV_COUNTER_SET, 1, 2, (uint64_t[]){111, 222});
	maker_event(m, 1, 1010, WEFT_EV_CPU, 0, 1, (uint64_t[]){maker_pair(5, 1)});
	maker_event(m, 1, 1012, WEFT_EV_CPU, 0, 1, (uint64_t[]){maker_pair(77, 1)}); /* nobody said that there is such a cpu */
	maker_event(m, 1, 1014, WEFT_EV_DROPPED, 0, 1, (uint64_t[]){12});
	maker_event(m, 1, 1016, WEFT_EV_LEAVE, 3, 0, NULL);
	maker_event(m, 1, 1018, 200, 0, 0, NULL); /* of a version to come */
	maker_event(m, 1, 1020, WEFT_EV_EXIT, 0, 1, (uint64_t[]){256});
}

TEST(a_sound_stream_says_everything)
{
	struct maker m;
	const double pi = 3.14159;
	uint64_t bits;
	memcpy(&bits, &pi, 8);
	rich(&m, &bits);
	m.head.end_ticks = 2000;
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_problems, 0);
	CHECK_STR(t->format, "weft");
	REQUIRE(t->n_apps == 1 && t->n_processes == 1 && t->n_threads == 1 && t->n_nodes == 1 && t->n_cpus == 2);
	CHECK_STR(t->app[0].name, "solver");
	CHECK_STR(t->process[0].name, "prog");
	CHECK_STR(t->process[0].command, "prog");
	CHECK_STR(t->process[0].host, "alpha");
	CHECK_I64(t->process[0].pid, 42);
	CHECK_I64(t->process[0].rank, 3);
	CHECK_I64(t->process[0].status, 256);
	CHECK_U64(t->process[0].begin, 0);
	CHECK_U64(t->process[0].end, 500);
	CHECK_U64(t->end, 500);
	CHECK_U64(t->begin_realtime, 5000000500);
	CHECK_STR(t->thread[0].name, "main");
	CHECK_I64(t->thread[0].tid, 42);
	CHECK_U64(t->thread[0].number, 1);
	CHECK_U64(t->thread[0].dropped, 12);
	CHECK_STR(t->node[0].name, "alpha");
	CHECK_U64(t->cpu[0].os, 3);
	CHECK_STR(t->cpu[0].name, "fast one");
	CHECK_U64(t->cpu[1].os, 5);
	CHECK_U64(t->cpu[1].numa, 1);
	CHECK_U64(t->cpu[1].core, 2);
	uint32_t write = find_def(t, WEFT_CLASS_REGION, "write"), typed = find_def(t, WEFT_CLASS_TYPE, "typed");
	REQUIRE(write && typed);
	const struct weft_def_row *d = &t->def[WEFT_CLASS_REGION].at[write];
	CHECK_STR(d->file, "a.c");
	CHECK_U64(d->line, 17);
	CHECK_U64(d->state, WEFT_STATE_IO);
	CHECK_U64(d->n_events, 2);
	CHECK_STR(t->def[WEFT_CLASS_CATEGORY].at[d->category].name, "user");
	d = &t->def[WEFT_CLASS_TYPE].at[typed];
	CHECK_STR(d->unit, "cycles");
	CHECK_I64(d->code, 60000);
	CHECK_STR(weft_value_label(d, 7), "seven");
	CHECK_STR(weft_value_label(d, -7), "minus seven");
	CHECK(weft_value_label(d, 0) == NULL);
	d = &t->def[WEFT_CLASS_SET].at[1];
	REQUIRE(d->n_members == 2);
	CHECK_STR(t->def[WEFT_CLASS_COUNTER].at[d->member[0]].name, "L2");
	CHECK_STR(t->def[WEFT_CLASS_COUNTER].at[d->member[1]].name, "PAPI");
	d = &t->def[WEFT_CLASS_COMM].at[find_def(t, WEFT_CLASS_COMM, "world")];
	CHECK_U64(d->key, 99);
	REQUIRE(d->n_members == 3);
	CHECK_U64(d->member[2], 6);
	REQUIRE(read_thread(t, 0) == 10);
	CHECK_U64(got[0].time, 0);
	CHECK_U64(got[1].time, 1);
	CHECK_U64(got[9].time, 10);
	CHECK_U64(got[0].kind, WEFT_EV_ENTER);
	CHECK_U64(got[0].id, write);
	CHECK_U64(got[1].value, 7);
	CHECK_U64(got[2].value, bits);
	CHECK_STR(t->def[WEFT_CLASS_STRING].at[got[3].value].name, "hello");
	uint32_t n;
	const uint64_t *words = weft_extra(t, 0, got[4].value, &n);
	REQUIRE(words && n == 2);
	CHECK(words[0] == 111 && words[1] == 222);
	CHECK_U64(got[5].value, 1);
	CHECK_U64(got[6].value, WEFT_NONE);
	char label[40];
	CHECK_STR(weft_thread_label(t, 0, label), "1.1.1");
	weft_trace_close(t);
	maker_end(&m);
}

/* Many events over many pages, in several stretches of one thread, and in two threads whose pages alternate. */
TEST(events_over_many_pages_come_in_order)
{
	struct maker m;
	simple(&m, 42, 0);
	maker_thread(&m, 2, 43, 1, 1000, "second");
	for (uint64_t i = 0; i < 30000; i++) {
		maker_event(&m, 1 + i % 2, 2000 + 10 * i, i % 4 < 2 ? WEFT_EV_ENTER : WEFT_EV_LEAVE, 1, 0, NULL);
		maker_event(&m, 1 + i % 2, 2001 + 10 * i, WEFT_EV_POINT, 1, 1, &i);
	}
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_problems, 0);
	CHECK_U64(t->n_events, 60000);
	for (uint32_t thread = 0; thread < 2; thread++) {
		REQUIRE(read_thread(t, thread) == 30000);
		unsigned wrong = 0;
		for (uint32_t i = 0; i < 30000; i++) {
			uint64_t k = i / 2 * 2 + thread;
			wrong += got[i].time != (1000 + 10 * k + i % 2) / 2 + ((1000 + 10 * k + i % 2) & 1) ||
			         (i % 2 && got[i].value != k);
		}
		CHECK_U64(wrong, 0);
	}
	weft_trace_close(t);
	maker_end(&m);
}

TEST(unsealed_pages_of_a_killed_process_are_read)
{
	struct maker m;
	simple(&m, 42, 0);
	m.leave_open = true;
	m.head.state = WEFT_STREAM_OPEN;
	for (uint64_t i = 0; i < 1000; i++)
		maker_event(&m, 1, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_events, 1000);
	CHECK_U64(t->n_problems, 0);
	CHECK(find_def(t, WEFT_CLASS_TYPE, "step") > 0);
	weft_trace_close(t);
	maker_end(&m);
}

/* 20 pages of 254 points in thread 1; byte `at` of page `page` is changed. */
static struct weft_trace *open_damaged(size_t page, size_t at, uint8_t by)
{
	struct maker m;
	simple(&m, 42, 0);
	for (uint64_t i = 0; i < 254 * 20; i++)
		maker_event(&m, 1, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
	maker_finish(&m);
	((uint8_t *)&m.page.at[page])[at] ^= by;
	const char *path = test_path("a.stream");
	FILE *f = fopen(path, "wb");
	REQUIRE(f && fwrite(m.page.at, WEFT_PAGE_BYTES, m.page.n, f) == m.page.n);
	fclose(f);
	CHECK_U64(m.page.n, 22);
	maker_end(&m);
	return open_trace("a.stream");
}

TEST(a_flipped_bit_costs_its_page_and_nothing_else)
{
	struct weft_trace *t = open_damaged(10, 2000, 4);
	CHECK_U64(t->n_events, 254 * 19);
	CHECK_U64(t->n_problems, 1);
	CHECK(has_problem(t, "page 10: checksum differs; 4096 bytes skipped"));
	CHECK_U64(t->problem[0].offset, 40960);
	CHECK_U64(t->problem[0].lost_bytes, 4096);
	CHECK_STR(t->problem[0].file, "a.stream");
	weft_trace_close(t);
	t = open_damaged(10, 0, 1); /* the magic number */
	CHECK_U64(t->n_events, 254 * 19);
	CHECK(has_problem(t, "page 10: no page"));
	CHECK(has_problem(t, "1 pages of thread 1 are missing"));
	weft_trace_close(t);
	t = open_damaged(10, 8, 0x40); /* the thread's number: no other thread comes of it */
	CHECK_U64(t->n_threads, 1);
	CHECK_U64(t->n_events, 254 * 19);
	weft_trace_close(t);
	t = open_damaged(10, 5, 0xff); /* flags */
	CHECK_U64(t->n_events, 254 * 19);
	weft_trace_close(t);
}

TEST(a_damaged_header_is_done_without)
{
	struct weft_trace *t = open_damaged(0, 20, 0xff);
	CHECK_U64(t->n_events, 254 * 20);
	CHECK(has_problem(t, "the header is damaged"));
	CHECK_I64(t->process[0].pid, 42);
	CHECK_U64(t->end, (2000 + 254 * 20 - 1 - 1000 + 1) / 2);
	weft_trace_close(t);
}

TEST(lost_definitions_are_made_up)
{
	struct weft_trace *t = open_damaged(1, 3000, 1); /* in the empty part of the meta page: not noticed there */
	CHECK_U64(t->n_problems, 0);
	weft_trace_close(t);
	t = open_damaged(1, 200, 1);
	CHECK_U64(t->n_events, 254 * 20);
	CHECK(has_problem(t, "page 1: checksum differs"));
	CHECK(has_problem(t, "1 definitions that events name are lost"));
	CHECK(find_def(t, WEFT_CLASS_TYPE, "type #1 of a.stream") > 0);
	weft_trace_close(t);
}

TEST(a_truncated_stream_gives_what_is_left)
{
	struct maker m;
	const char *path = test_path("a.stream");
	simple(&m, 42, 0);
	for (uint64_t i = 0; i < 254 * 20; i++)
		maker_event(&m, 1, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
	for (size_t keep = 22 * 4096; keep > 0; keep -= keep < 1500 ? keep : 1500) {
		struct weft_trace *t = NULL;
		struct weft_err err = {0};
		struct weft_open_how how = {.no_index = true};
		maker_save(&m, path);
		REQUIRE(truncate(path, (off_t)keep) == 0);
		int rc = weft_trace_open(&t, path, &how, &err);
		if (keep < sizeof m.head) {
			CHECK(rc < 0 && strstr(err.text, "a.stream"));
			continue;
		}
		CHECK_STR(err.text, "");
		REQUIRE(rc == 0);
		CHECK_U64(t->n_events, keep / 4096 > 2 ? 254 * (keep / 4096 - 2) : 0);
		weft_trace_close(t);
	}
	maker_end(&m);
}

TEST(what_is_no_stream_gives_one_clear_error)
{
	static const struct {
		const char *bytes;
		size_t n;
	} foreign[] = {{"", 0},
	               {"hello\n", 6},
	               {"WEFTSTR\n", 8},
	               {"\x7f"
	                "ELF",
	                4}};
	for (unsigned i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		const char *path = test_path("x.stream");
		FILE *f = fopen(path, "wb");
		REQUIRE(f != NULL);
		fwrite(foreign[i].bytes, 1, foreign[i].n, f);
		fclose(f);
		struct weft_trace *t = NULL;
		struct weft_err err = {0};
		CHECK(weft_trace_open(&t, path, NULL, &err) < 0);
		CHECK(t == NULL);
		CHECK(strstr(err.text, path) != NULL);
		CHECK(strchr(err.text, '\n') == NULL);
	}
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	CHECK(weft_trace_open(&t, "/nowhere/at.all", NULL, &err) == -ENOENT);
	err = (struct weft_err){0};
	CHECK(weft_trace_open(&t, test_dir(), NULL, &err) < 0); /* what lies in the folder is no stream either */
	CHECK(strstr(err.text, "no stream of Weft") != NULL);
}

TEST(a_stream_of_a_newer_major_version_is_refused)
{
	struct maker m;
	simple(&m, 42, 0);
	m.head.major = WEFT_FORMAT_MAJOR + 1;
	save(&m, "a.stream");
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	const char *path = test_path("a.stream");
	CHECK(weft_trace_open(&t, path, NULL, &err) == WEFT_E_VERSION);
	CHECK(strstr(err.text, "version 2.0") != NULL);
	maker_end(&m);
}

TEST(a_ring_begins_in_the_middle_and_that_is_no_problem)
{
	struct maker m;
	simple(&m, 42, 0);
	m.head.flags = WEFT_STREAM_RING;
	m.lane[1].seq = 500;
	for (uint64_t i = 0; i < 254 * 4; i++)
		maker_event(&m, 1, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
	/* The ring wrapped: the newest pages lie before the oldest in the file. */
	maker_finish(&m);
	struct weft_page swap = m.page.at[2];
	m.page.at[2] = m.page.at[4];
	m.page.at[4] = swap;
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_problems, 0);
	REQUIRE(read_thread(t, 0) == 254 * 4);
	for (uint32_t i = 0; i < 254 * 4; i++)
		if (got[i].value != i)
			CHECK_U64(got[i].value, i);
	weft_trace_close(t);
	maker_end(&m);
}

TEST(pages_that_come_twice_count_once)
{
	struct maker m;
	simple(&m, 42, 0);
	for (uint64_t i = 0; i < 254 * 4; i++)
		maker_event(&m, 1, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
	maker_finish(&m);
	struct weft_page copy = m.page.at[3];
	REQUIRE(weft_vec_push(&m.page, copy) == 0);
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_events, 254 * 4);
	CHECK_U64(t->n_problems, 0); /* the recorder was killed while it moved the page */
	weft_trace_close(t);
	copy.word[1]++; /* the same place in the thread, and not the same records */
	weft_page_seal(&copy, copy.used);
	REQUIRE(weft_vec_push(&m.page, copy) == 0);
	save(&m, "a.stream");
	t = open_trace("a.stream");
	CHECK_U64(t->n_events, 254 * 4);
	CHECK(has_problem(t, "come twice"));
	weft_trace_close(t);
	maker_end(&m);
}

/* Two ranks on two hosts, one folder: definitions by name, messages by rank, processes in order of rank. */
TEST(streams_of_a_folder_are_one_trace)
{
	struct maker a, b;
	simple(&a, 42, 1);
	simple(&b, 42, 0);
	maker_text(&b, 1, WEFT_TEXT_HOST, "beta");
	maker_text(&b, 1, WEFT_TEXT_BOOT_ID, "other boot");
	maker_region(&b, 7, "halo");
	maker_region(&b, 1, "only here");
	maker_comm(&a, 1, 5, "world");
	maker_comm(&b, 2, 5, "world");
	maker_event(&a, 1, 2000, WEFT_EV_ENTER, 2, 0, NULL);
	maker_event(&b, 1, 2000, WEFT_EV_ENTER, 7, 0, NULL);
	maker_event(&b, 1, 2002, WEFT_EV_ENTER, 1, 0, NULL);
	maker_event(&a, 1, 3000, WEFT_EV_SEND, 1, 3, (uint64_t[]){maker_pair(0, 9), 64, 200});
	maker_event(&b, 1, 3400, WEFT_EV_RECV, 2, 2, (uint64_t[]){maker_pair(1, 9), 64});
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	save(&a, "t.weft/a.stream");
	save(&b, "t.weft/b.stream");
	struct weft_trace *t = open_trace("t.weft");
	CHECK_U64(t->n_problems, 0);
	REQUIRE(t->n_processes == 2 && t->n_threads == 2 && t->n_apps == 1);
	CHECK_STR(t->process[0].host, "beta");
	CHECK_STR(t->process[1].host, "alpha");
	CHECK_U64(t->n_nodes, 2);
	uint32_t halo = find_def(t, WEFT_CLASS_REGION, "halo");
	CHECK_U64(t->def[WEFT_CLASS_REGION].at[halo].n_events, 2);
	REQUIRE(read_thread(t, 0) == 3);
	CHECK_U64(got[0].id, halo);
	CHECK_U64(got[1].id, find_def(t, WEFT_CLASS_REGION, "only here"));
	REQUIRE(t->message.n == 1);
	CHECK_U64(t->message.send_thread[0], 1);
	CHECK_U64(t->message.recv_thread[0], 0);
	CHECK_U64(t->message.send_done[0], 1000);
	CHECK_U64(t->message.send_began[0], 900);
	CHECK_U64(t->message.recv_done[0], 1200);
	CHECK_U64(t->message.size[0], 64);
	CHECK_I64(t->message.tag[0], 9);
	weft_trace_close(t);
	maker_end(&a);
	maker_end(&b);
}

/* One stream of a folder is foreign: a problem of the trace, the others are read. */
TEST(a_foreign_file_in_the_folder_is_a_problem_and_no_failure)
{
	struct maker m;
	simple(&m, 42, 0);
	maker_event(&m, 1, 2000, WEFT_EV_ENTER, 1, 0, NULL);
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	save(&m, "t.weft/a.stream");
	FILE *f = fopen(test_path("t.weft/b.stream"), "wb");
	REQUIRE(f && fputs("nothing of ours", f) >= 0 && fclose(f) == 0);
	struct weft_trace *t = open_trace("t.weft");
	CHECK_U64(t->n_events, 1);
	CHECK_U64(t->n_problems, 1);
	CHECK(has_problem(t, "no stream of Weft"));
	weft_trace_close(t);
	maker_end(&m);
}

/* The launcher saw two processes; one of them recorded itself. */
TEST(a_process_seen_from_outside_and_inside_is_one)
{
	struct maker own, launcher;
	simple(&own, 42, -1);
	maker_begin(&launcher, 7);
	launcher.head.clock = WEFT_CLOCK_MONOTONIC;
	for (unsigned i = 1; i <= 2; i++) {
		maker_process(&launcher, i, i == 1 ? 42 : 50, -1, 400, i == 1 ? "sh" : "sleep");
		maker_text(&launcher, i, WEFT_TEXT_HOST, "alpha");
		maker_text(&launcher, i, WEFT_TEXT_BOOT_ID, "boot");
		maker_thread(&launcher, i, i == 1 ? 42 : 50, i, 400, "");
	}
	maker_clock(&launcher, 400, 400, 5000000400);
	maker_event(&launcher, 1, 400, WEFT_EV_THREAD_BEGIN, 0, 0, NULL);
	maker_event(&launcher, 2, 450, WEFT_EV_THREAD_BEGIN, 0, 0, NULL);
	maker_event(&launcher, 1, 5000, WEFT_EV_EXIT, 0, 1, (uint64_t[]){9});
	maker_event(&own, 1, 2000, WEFT_EV_ENTER, 1, 0, NULL); /* at 1000 ns of CLOCK_MONOTONIC */
	maker_event(&own, 1, 4000, WEFT_EV_LEAVE, 1, 0, NULL);
	own.head.end_ticks = 6000;
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	save(&launcher, "t.weft/a-launcher.stream");
	save(&own, "t.weft/b.stream");
	struct weft_trace *t = open_trace("t.weft");
	CHECK_U64(t->n_problems, 0);
	REQUIRE(t->n_processes == 2 && t->n_threads == 2);
	uint32_t p = t->process[0].pid == 42 ? 0 : 1;
	CHECK_STR(t->process[p].name, "prog"); /* it knows its name best */
	CHECK_U64(t->process[p].begin, 0);
	CHECK_I64(t->process[p].status, 9);
	CHECK_U64(t->process[p].end, 4600);
	CHECK_STR(t->process[1 - p].name, "sleep");
	REQUIRE(read_thread(t, t->process[p].first_thread) == 4);
	const unsigned kinds[] = {WEFT_EV_THREAD_BEGIN, WEFT_EV_ENTER, WEFT_EV_LEAVE, WEFT_EV_EXIT};
	const uint64_t times[] = {0, 600, 1600, 4600};
	for (unsigned i = 0; i < 4; i++) {
		CHECK_U64(got[i].kind, kinds[i]);
		CHECK_U64(got[i].time, times[i]);
	}
	weft_trace_close(t);
	maker_end(&own);
	maker_end(&launcher);
}

TEST(threads_with_one_tid_one_after_the_other_stay_apart)
{
	struct maker m;
	simple(&m, 42, 0);
	for (unsigned i = 2; i < 10; i++) {
		maker_thread(&m, i, 99, 1, 1000 * i, "worker");
		maker_event(&m, i, 1000 * i, WEFT_EV_ENTER, 1, 0, NULL);
	}
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_threads, 9);
	weft_trace_close(t);
	maker_end(&m);
}

/* libweft's threads introduce themselves in their own pages, and may change their names there. */
TEST(threads_are_described_in_event_pages_too)
{
	struct maker m;
	simple(&m, 42, 0);
	uint64_t words[] = {77, 1, 3000, 3, 0};
	memcpy(&words[4], "one", 3);
	maker_event(&m, 2, 3000, WEFT_EV_THREAD, 2, 5, words);
	for (uint64_t i = 0; i < 1000; i++)
		maker_event(&m, 2, 3000 + i, WEFT_EV_POINT, 1, 1, &i);
	memcpy(&words[4], "two", 3);
	maker_event(&m, 2, 5000, WEFT_EV_THREAD, 2, 5, words);
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_problems, 0);
	REQUIRE(t->n_threads == 2);
	CHECK_STR(t->thread[1].name, "two");
	CHECK_I64(t->thread[1].tid, 77);
	CHECK_U64(t->thread[1].n_events, 1000);
	CHECK_U64(t->thread[1].begin, 1000);
	weft_trace_close(t);
	maker_end(&m);
}

TEST(records_shorter_than_their_kind_are_left_out)
{
	struct maker m;
	simple(&m, 42, 0);
	maker_event(&m, 1, 2000, WEFT_EV_POINT, 1, 0, NULL);
	maker_event(&m, 1, 2002, WEFT_EV_SEND, 0, 1, (uint64_t[]){1});
	maker_event(&m, 1, 2003, WEFT_EV_ENTER_FLOW, 1, 0, NULL);
	maker_event(&m, 1, 2004, WEFT_EV_ENTER, 1, 0, NULL);
	maker_meta(&m, WEFT_EV_DEF_REGION, 5, 1, (uint64_t[]){1}, NULL);
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->n_events, 1);
	CHECK(has_problem(t, "4 records are shorter"));
	weft_trace_close(t);
	maker_end(&m);
}

/* Tasks that are submitted by one thread and run by another, with records that stand for several, or with those that they stand for. */
enum tasks_as { SINGLE, IN_ENTER_FLOW, IN_BUNDLE };
static struct weft_trace *open_tasks(enum tasks_as how, uint64_t tasks)
{
	struct maker m;
	simple(&m, 42, 0);
	maker_thread(&m, 2, 43, 1, 1000, "second");
	maker_meta(&m, WEFT_EV_DEF_FLOW, 1, 1, (uint64_t[]){1}, "task");
	for (uint64_t i = 0; i < tasks; i++) {
		uint64_t ticks = 2000 + 10 * i;
		maker_event(&m, 1, ticks, WEFT_EV_FLOW_OUT, 1, 1, &i);
		if (how == IN_BUNDLE) {
			uint64_t word[] = {WEFT_EV_ENTER | 2 << 12 | (uint64_t)(WEFT_EV_FLOW_IN | 1 << 8 | 1 << 12) << 32, i,
			                   WEFT_EV_POINT | 1 << 8 | 1 << 12, i};
			maker_event(&m, 2, ticks + 4, WEFT_EV_BUNDLE, i % 3 ? 2 : 3, i % 3 ? 2 : 4, word);
		} else if (how == IN_ENTER_FLOW) {
			maker_event(&m, 2, ticks + 4, WEFT_EV_ENTER_FLOW, 1 << WEFT_BOTH_FLOW_SHIFT | 2, 1, &i);
		} else {
			maker_event(&m, 2, ticks + 4, WEFT_EV_ENTER, 2, 0, NULL);
			maker_event(&m, 2, ticks + 4, WEFT_EV_FLOW_IN, 1, 1, &i);
		}
		if (i % 3 == 0 && how != IN_BUNDLE)
			maker_event(&m, 2, ticks + 4, WEFT_EV_POINT, 1, 1, &i);
		maker_event(&m, 2, ticks + 6, WEFT_EV_LEAVE, 2, 0, NULL);
	}
	save(&m, "a.stream");
	maker_end(&m);
	return open_trace("a.stream");
}

static void check_tasks(enum tasks_as how)
{
	enum { TASKS = 20000 };
	struct weft_trace *one = open_tasks(how, TASKS), *two = open_tasks(SINGLE, TASKS);
	CHECK_U64(one->n_problems, 0);
	CHECK_U64(one->n_events, TASKS + 3 * TASKS + (TASKS + 2) / 3);
	check_same(one, two);
	REQUIRE(one->flow.n == TASKS && two->flow.n == TASKS);
	uint64_t wrong = 0;
	for (uint64_t i = 0; i < TASKS; i++)
		wrong += one->flow.from_thread[i] != 0 || one->flow.to_thread[i] != 1 || one->flow.key[i] != i ||
		         one->flow.to_time[i] != one->flow.from_time[i] + 2 || one->flow.to_time[i] != two->flow.to_time[i];
	CHECK_U64(wrong, 0);
	REQUIRE(read_thread(one, 1) > 3);
	CHECK_U64(got[0].kind, WEFT_EV_ENTER);
	CHECK_STR(one->def[WEFT_CLASS_REGION].at[got[0].id].name, "halo");
	CHECK_U64(got[1].kind, WEFT_EV_FLOW_IN);
	CHECK_U64(got[1].time, got[0].time);
	CHECK_U64(got[2].kind, WEFT_EV_POINT);
	weft_trace_close(one);
	weft_trace_close(two);
}

TEST(a_region_and_an_arrow_in_one_record_are_both_events)
{
	check_tasks(IN_ENTER_FLOW);
}

TEST(events_of_a_bundle_are_read_as_if_they_stood_alone)
{
	check_tasks(IN_BUNDLE);
}

TEST(an_offline_stream_keeps_its_axis_and_its_numbers)
{
	struct maker m;
	maker_begin(&m, 42);
	m.head.flags = WEFT_STREAM_OFFLINE;
	m.head.clock = WEFT_CLOCK_MONOTONIC;
	m.head.end_ticks = 9000;
	maker_process(&m, 1, 42, 0, 0, "p");
	maker_clock(&m, 0, 0, 7000000000);
	maker_region(&m, 1, "r");
	maker_thread(&m, 3, 42, 1, 100, "third");
	maker_thread(&m, 1, 43, 1, 200, "first");
	maker_event(&m, 3, 500, WEFT_EV_ENTER, 1, 0, NULL);
	maker_event(&m, 1, 700, WEFT_EV_ENTER, 1, 0, NULL);
	save(&m, "a.stream");
	struct weft_trace *t = open_trace("a.stream");
	CHECK_U64(t->end, 9000);
	CHECK_U64(t->begin_realtime, 7000000000);
	REQUIRE(t->n_threads == 2);
	CHECK_STR(t->thread[0].name, "first");
	CHECK_U64(t->thread[1].number, 3);
	REQUIRE(read_thread(t, 1) == 1);
	CHECK_U64(got[0].time, 500);
	weft_trace_close(t);
	maker_end(&m);
}

/* Whatever single byte is changed: it opens, or fails with a text; never more events than there were. */
static void put_module(struct maker *m, uint64_t first, uint64_t end, const char *path, const char *id)
{
	maker_meta(m, WEFT_EV_MODULE, 0, 3, (uint64_t[]){first, end, 0}, path);
	if (id)
		maker_meta(m, WEFT_EV_BUILD_ID, 0, 1, (uint64_t[]){first}, id);
}

static void check_modules(const struct weft_trace *t)
{
	REQUIRE(t->n_modules == 4);
	CHECK_STR(t->module[0].path, "/bin/program");
	CHECK_STR(t->module[0].build_id, "41ff7a"); /* of both modules at this address, the one that is told first */
	CHECK_STR(t->module[1].path, "/lib/other.so");
	CHECK_STR(t->module[1].build_id, "62");
	CHECK_U64(t->module[1].first, 0x1000);
	CHECK_STR(t->module[2].path, "/lib/a.so");
	CHECK_STR(t->module[2].build_id, "");
	CHECK_U64(t->module[2].end, 0x9000);
	CHECK_U64(t->module[2].process, 0);
	CHECK_U64(t->module[3].process, 1);
	CHECK_STR(t->module[3].path, "/bin/second");
}

TEST(modules_and_their_build_ids_are_kept)
{
	struct maker a, b;
	mkdir(test_path("m.weft"), 0777);
	simple(&a, 100, 0);
	put_module(&a, 0x8000, 0x9000, "/lib/a.so", NULL);
	put_module(&a, 0x1000, 0x2000, "/bin/program", "A\xffz");
	put_module(&a, 0x1000, 0x3000, "/lib/other.so", "b");
	save(&a, "m.weft/100.stream");
	maker_end(&a);
	simple(&b, 200, 1);
	put_module(&b, 0x1000, 0x2000, "/bin/second", "c");
	save(&b, "m.weft/200.stream");
	maker_end(&b);
	struct weft_trace *t = open_trace("m.weft"), *again;
	check_modules(t);
	/* Also through a trace that is written anew. */
	const struct weft_trace *traces[] = {t};
	struct weft_err err = {0};
	REQUIRE(weft_trace_write(traces, 1, test_path("again.weft"), &(struct weft_write_how){.to = WEFT_NEVER}, false, false,
	                         &err) == 0);
	again = open_trace("again.weft");
	check_modules(again);
	weft_trace_close(again);
	weft_trace_close(t);
}

/* Times of the events of thread 1, from `base` on. */
static struct weft_trace *open_times(const char *name, const uint64_t *ticks, unsigned n, unsigned kind)
{
	struct maker m;
	simple(&m, 100, 0);
	for (unsigned i = 0; i < n; i++)
		maker_event(&m, 1, ticks[i], kind, kind == WEFT_EV_CLOCK_BACK ? 0 : 1, 1, &(uint64_t){i});
	save(&m, name);
	maker_end(&m);
	return open_trace(name);
}

TEST(a_clock_that_goes_back_is_noticed)
{
	static const uint64_t back[] = {5000000, 9000000, 7000000, 8000000, 9500000, 9000000};
	static const uint64_t handler[] = {5000000, 5050000, 5040000, 6000000};
	struct weft_trace *t = open_times("back.stream", back, 6, WEFT_EV_POINT);
	CHECK(has_problem(t, "2 events are earlier than the one before, by up to 1.00 ms; they were put in order"));
	weft_trace_close(t);
	t = open_times("handler.stream", handler, 4, WEFT_EV_POINT);
	CHECK_U64(t->n_problems, 0);
	weft_trace_close(t);
	t = open_times("held.stream", handler, 2, WEFT_EV_CLOCK_BACK);
	CHECK(has_problem(t, "the clock went back 2 times; times were held until it had caught up"));
	weft_trace_close(t);
}

TEST(random_damage_never_harms)
{
	struct maker m;
	const char *path = test_path("a.stream");
	simple(&m, 42, 0);
	for (uint64_t i = 0; i < 600; i++) {
		maker_event(&m, 1 + i % 3, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
		maker_event(&m, 1 + i % 3, 2000 + i, WEFT_EV_COUNTER_SET, 1, 3, (uint64_t[]){1, 2, i});
		maker_event(&m, 1 + i % 3, 2001 + i, WEFT_EV_SEND, 1, 2, (uint64_t[]){1, 2});
	}
	m.leave_open = true; /* no checksums: damage reaches the records */
	maker_finish(&m);
	unsigned failed = 0;
	for (unsigned round = 0; round < 300; round++) {
		struct weft_page *pages = malloc(maker_bytes(&m));
		REQUIRE(pages != NULL);
		memcpy(pages, m.page.at, maker_bytes(&m));
		for (unsigned i = 0; i < 1 + round % 20; i++)
			((uint8_t *)pages)[test_random() % maker_bytes(&m)] = (uint8_t)test_random();
		FILE *f = fopen(path, "wb");
		REQUIRE(f && fwrite(pages, WEFT_PAGE_BYTES, m.page.n, f) == m.page.n && fclose(f) == 0);
		free(pages);
		struct weft_trace *t = NULL;
		struct weft_err err = {0};
		struct weft_open_how how = {.no_index = true};
		if (weft_trace_open(&t, path, &how, &err)) {
			failed++;
			CHECK(err.text[0]);
			continue;
		}
		for (uint32_t i = 0; i < t->n_threads; i++)
			read_thread(t, i);
		weft_trace_close(t);
	}
	CHECK(failed < 30);
	maker_end(&m);
}

/* What is read of the pages when each of them is looked at, in memory. */
static struct weft_trace *open_pages(const struct maker *m)
{
	struct weft_builder *b;
	struct weft_trace *t;
	REQUIRE(weft_builder_new(&b, "a.stream", "weft", NULL, NULL) == 0);
	REQUIRE(stream_load_bytes(b, m->page.at, maker_bytes(m), NULL) == 0);
	REQUIRE(weft_build_finish(b, NULL, &t, NULL) == 0);
	return t;
}

/* Opening a file looks at few heads in a run of pages. Whatever stands between them, the trace is as if it had looked at all. */
TEST(what_skimming_passed_over_is_read_as_it_is)
{
	for (unsigned round = 0; round < 60; round++) {
		struct maker m;
		simple(&m, 42, 0);
		maker_thread(&m, 2, 43, 1, 1000, "second");
		for (uint64_t i = 0; i < 254 * 150; i++)
			maker_event(&m, i < 254 * 130 ? 1 : 2, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
		maker_finish(&m);
		for (unsigned k = 0; k < round % 4; k++) {
			struct weft_page *p = &m.page.at[2 + test_random() % (m.page.n - 2)],
					 *q = &m.page.at[2 + test_random() % (m.page.n - 2)];
			struct weft_page was = *p;
			switch (test_random() % 5) {
			case 0: /* pages of one or two threads in another order */
				*p = *q;
				*q = was;
				break;
			case 1:
				memset(p, 0, sizeof *p);
				break;
			case 2: /* never sealed: read up to the first record that is none */
				p->flags = 0;
				break;
			case 3:
				*p = m.page.at[1]; /* definitions again */
				break;
			default:
				((uint8_t *)p)[test_random() % WEFT_PAGE_HEAD] ^= 0x11;
			}
		}
		const char *path = test_path("a.stream");
		FILE *f = fopen(path, "wb");
		REQUIRE(f && fwrite(m.page.at, WEFT_PAGE_BYTES, m.page.n, f) == m.page.n && fclose(f) == 0);
		struct weft_trace *skimmed = open_trace("a.stream"), *seen = open_pages(&m);
		check_same(skimmed, seen);
		if (round % 4 == 0)
			CHECK_U64(skimmed->n_problems, 0);
		weft_trace_close(skimmed);
		weft_trace_close(seen);
		maker_end(&m);
	}
}

TEST(out_of_memory_is_said_and_nothing_leaks)
{
	struct maker m;
	simple(&m, 42, 0);
	for (uint64_t i = 0; i < 300; i++)
		maker_event(&m, 1 + i % 2, 2000 + i, WEFT_EV_POINT, 1, 1, &i);
	maker_comm(&m, 1, 1, "c");
	maker_event(&m, 1, 5000, WEFT_EV_SEND, 1, 2, (uint64_t[]){1, 2});
	save(&m, "a.stream");
	const char *path = test_path("a.stream");
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_trace *t = NULL;
		struct weft_err err = {0};
		struct weft_open_how how = {.no_index = true, .threads = 1};
		int rc = weft_trace_open(&t, path, &how, &err);
		CHECK((rc == 0) == (t != NULL));
		if (!test_alloc_failed())
			CHECK_I64(rc, 0);
		else if (rc)
			CHECK(err.text[0]);
		weft_trace_close(t);
	}
	maker_end(&m);
}
