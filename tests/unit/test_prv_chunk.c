/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a .prv: each rule for records that are as they should be and that are not, on every kernel that this machine has;
 * all kernels give the same for random lines and for random damage.
 */
#include "harness.h"
#include "base/str.h"
#include "trace/paraver/prv_chunk.h"
#include "trace/text/text_input.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Two nodes (cpus 1, 2 and 3), application 1 with tasks of 2, 1 and 1 threads, application 2 with one thread. */
static const char header_line[] = "#Paraver (x):1000_ns:2(2,1):2:3(2:1,1:2,1:1),1(1:2)";

struct fixture {
	struct prv_header header;
	struct prv_model model;
	struct prv_chunk chunk;
	char *text;
};

static void fixture_begin(struct fixture *f, const char *header)
{
	struct weft_err err = {0};
	REQUIRE(prv_header_parse(&f->header, weft_str(header), &err) == 0);
	REQUIRE(prv_model_init(&f->model, &f->header) == 0);
	/* Ids: type 7 is 1, type 8 is 2; states 1 and 3 are 1 and 2. Others are new. */
	REQUIRE(prv_ids_put(&f->model.type, 7, 1) == 0);
	REQUIRE(prv_ids_put(&f->model.type, 8, 2) == 0);
	REQUIRE(prv_ids_put(&f->model.state, 1, 1) == 0);
	REQUIRE(prv_ids_put(&f->model.state, 3, 2) == 0);
	REQUIRE(prv_chunk_init(&f->chunk, &f->model) == 0);
}

static void fixture_end(struct fixture *f)
{
	prv_chunk_fini(&f->chunk);
	prv_model_fini(&f->model);
	prv_header_fini(&f->header);
}

static void say_lane(const struct prv_lane *l, struct weft_buf *out)
{
	for (uint32_t i = 0; i < l->n; i++) {
		unsigned kind = weft_what_kind(l->what[i]), id = weft_what_id(l->what[i]);
		weft_buf_printf(out, " %" PRIu64 "%s%s", l->time[i], kind == WEFT_EV_CPU ? "@" : " ",
		                kind == WEFT_EV_CPU ? "" : weft_kind_info[kind].name);
		if (kind == WEFT_EV_CPU)
			weft_buf_printf(out, "%" PRIu64 ",", l->value[i] == WEFT_NONE ? 0 : l->value[i] + 1);
		else if (id >= PRV_NEW_ID)
			weft_buf_printf(out, " new%u=%" PRId64 ",", id - PRV_NEW_ID, (int64_t)l->value[i]);
		else
			weft_buf_printf(out, " %u=%" PRId64 ",", id, (int64_t)l->value[i]);
	}
	for (uint32_t i = l->first_end; i < l->first_end + l->n_ends; i++)
		weft_buf_printf(out, " wait %" PRIu64 " %s@%u,", l->end[i].time,
		                weft_kind_info[weft_what_kind(l->end[i].what)].name, l->end[i].cpu);
}

static void say_chunk(const struct prv_chunk *c, struct weft_buf *out)
{
	char text[PRV_ISSUE_TEXT];
	weft_buf_printf(out, "%" PRIu64 " lines, %" PRIu64 " records, last %" PRIu64 "\n", c->n_lines, c->n_records,
	                c->last_time);
	for (uint32_t i = 0; i < c->model->header->n_threads; i++) {
		const struct prv_lane *l = &c->lane[i];
		if (!l->touched)
			continue;
		weft_buf_printf(out, "%u:", i);
		say_lane(l, out);
		weft_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < c->message.n; i++) {
		const struct weft_message_row *m = &c->message.at[i];
		weft_buf_printf(out, "message %u>%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " size %" PRId64 " tag %d\n",
		                m->send_thread, m->recv_thread, m->send_began, m->send_done, m->recv_began, m->recv_done,
		                (int64_t)m->size, m->tag);
	}
	for (size_t i = 0; i < c->unknown.n; i++)
		weft_buf_printf(out, "new%zu is %s %u\n", i, weft_kind_info[c->unknown.at[i].kind].name, c->unknown.at[i].number);
	for (size_t i = 0; i < c->issue.n; i++)
		weft_buf_printf(out, "line %" PRIu64 " at %" PRIu64 ": %s\n", c->issue.at[i].line, c->issue.at[i].offset,
		                prv_issue_text(&c->issue.at[i], text));
	for (size_t i = 0; i < c->comment.n; i++)
		weft_buf_printf(out, "comment in line %" PRIu64 ": %.*s\n", c->comment.at[i].line, (int)c->comment.at[i].n,
		                c->comment_text.at + c->comment.at[i].at);
}

/* What a kernel makes of a text. Freed by the caller. */
static char *parse(struct fixture *f, const struct prv_kernel *k, const char *text, size_t n)
{
	struct weft_buf out = {0};
	char *padded = malloc(n + 2 * TEXT_PAD);
	REQUIRE(padded != NULL);
	memset(padded, '\n', n + 2 * TEXT_PAD);
	memcpy(padded + TEXT_PAD, text, n);
	prv_chunk_reset(&f->chunk);
	CHECK_I64(prv_chunk_parse_with(k, &f->chunk, padded + TEXT_PAD, n, 1000), 0);
	say_chunk(&f->chunk, &out);
	free(padded);
	return out.at;
}

static void check_all_kernels(const char *header, const char *text, const char *want)
{
	for (const struct prv_kernel *k = prv_kernels; k->name; k++) {
		struct fixture f;
		if (!k->here())
			continue;
		fixture_begin(&f, header);
		char *got = parse(&f, k, text, strlen(text));
		CHECK_STR(got, want);
		free(got);
		fixture_end(&f);
	}
}

TEST(records)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "0 lines, 0 records, last 0\n"},
		/* a state's end waits for a later record; without one it is handed on */
		{"1:1:1:1:1:5:100:1\n", "1 lines, 1 records, last 100\n0: 5@1, 5 state 1=95, wait 100 state_end@1,\n"},
		{"1:1:1:1:1:5:100:1\n1:1:1:1:1:100:120:3\n",
	         "2 lines, 2 records, last 120\n0: 5@1, 5 state 1=95, 100 state_end 1=0, 100 state 2=20, wait 120 state_end@1,\n"},
		/* without the last newline */
		{"2:0:1:1:2:10:7:99", "1 lines, 1 records, last 10\n1: 10@0, 10 point 1=99,\n"},
		{"2:3:1:2:1:10:7:99:8:0:7:1\n",
	         "1 lines, 1 records, last 10\n2: 10@3, 10 point 1=99, 10 point 2=0, 10 point 1=1,\n"},
		{"2:3:2:1:1:10:7:-9223372036854775808\n",
	         "1 lines, 1 records, last 10\n4: 10@3, 10 point 1=-9223372036854775808,\n"},
		{"2:3:2:1:1:10:7:18446744073709551615\n", "1 lines, 1 records, last 10\n4: 10@3, 10 point 1=-1,\n"},
		{"2:1:1:1:1:0:7:9999999999999999:8:12345678901234567\n",
	         "1 lines, 1 records, last 0\n0: 0@1, 0 point 1=9999999999999999, 0 point 2=12345678901234567,\n"},
		{"2:1:1:1:1:3:4294967295:1:5:2:4294967295:3\n", "1 lines, 1 records, last 3\n"
	                                                        "0: 3@1, 3 point new0=1, 3 point new1=2, 3 point new0=3,\n"
	                                                        "new0 is point 4294967295\nnew1 is point 5\n"},
		{"1:1:1:1:1:0:-1:3\n", "1 lines, 1 records, last 0\n0: 0@1, 0 state 2=-1,\n"},
		{"1:1:1:1:1:50:50:3\n2:1:1:1:1:50:7:1\n",
	         "2 lines, 2 records, last 50\n0: 50@1, 50 state 2=0, 50 state_end 2=0, 50 point 1=1,\n"},
		{"3:1:1:1:1:10:20:3:1:2:1:15:30:4096:-5\n",
	         "1 lines, 1 records, last 30\n0: wait 20 send@1,\n2: wait 30 recv@3,\nmessage 0>2 10 20 15 30 size 4096 tag -5\n"},
		{"3:1:1:1:1:10:20:1:1:1:1:15:30:-1:2147483647\n2:2:1:1:1:25:7:0\n",
	         "2 lines, 2 records, last 30\n0: 20@1, 20 send 0=0, 25@2, 25 point 1=0, wait 30 recv@1,\n"
	         "message 0>0 10 20 15 30 size -1 tag 2147483647\n"},
		{"4:whatever\n#c 1\n\n  \r\n2:1:1:1:1:3:7:1\n#", "6 lines, 1 records, last 3\n0: 3@1, 3 point 1=1,\n"
	                                                         "comment in line 2: #c 1\ncomment in line 6: #\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_all_kernels(header_line, cases[i].text, cases[i].want);
}

TEST(records_that_are_not_as_they_should_be)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		/* any character ends a field; a field without digits is 0 */
		{"2 1:1;1/1:10 7=99\n", "1 lines, 1 records, last 10\n0: 10@1, 10 point 1=99,\n"},
		{"2nd line\n", "1 lines, 0 records, last 0\nline 1 at 1000: there is no thread 0.0.0; record skipped\n"},
		{"2:1 1;1/1:10 7=99\r\n", "1 lines, 1 records, last 10\n0: 10@1, 10 point 1=99,\n"},
		{"2::1:1:1::7:\n", "1 lines, 0 records, last 0\nline 1 at 1000: event type 7 has no value; pair skipped\n"},
		{"2::1:1:1::7::8:1\n", "1 lines, 1 records, last 0\n0: 0@0, 0 point 1=0, 0 point 2=1,\n"},
		{"2:1:1:1:1:10:7:5:\n", "1 lines, 1 records, last 10\n0: 10@1, 10 point 1=5,\n"},
		{"2:1:1:1:1:10:7:5:8\n",
	         "1 lines, 1 records, last 10\n0: 10@1, 10 point 1=5,\nline 1 at 1000: event type 8 has no value; pair skipped\n"},
		{"2:1:1:1:1:10\n", "1 lines, 0 records, last 0\nline 1 at 1000: the record ends after 6 of 8 fields; skipped\n"},
		{"2:1:1\n", "1 lines, 0 records, last 0\nline 1 at 1000: the record ends after 3 of 8 fields; skipped\n"},
		{"1:1:1:1:1:10:20\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: the record ends after 7 of 8 fields; skipped\n"},
		{"1:1:1:1:1:10:20:\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: the record ends after 7 of 8 fields; skipped\n"},
		{"3:1:1:1:1:10:20:3:1:2:1:15:30:4096\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: the record ends after 14 of 15 fields; skipped\n"},
		/* a field too many is a character that ends the last one */
		{"1:1:1:1:1:10:20:1:99\n", "1 lines, 1 records, last 20\n0: 10@1, 10 state 1=10, wait 20 state_end@1,\n"},
		/* objects */
		{"2:1:3:1:1:10:7:5\n", "1 lines, 0 records, last 0\nline 1 at 1000: there is no thread 3.1.1; record skipped\n"},
		{"2:1:1:4:1:10:7:5\n", "1 lines, 0 records, last 0\nline 1 at 1000: there is no thread 1.4.1; record skipped\n"},
		{"2:1:1:1:3:10:7:5\n", "1 lines, 0 records, last 0\nline 1 at 1000: there is no thread 1.1.3; record skipped\n"},
		{"2:1:0:1:1:10:7:5\n", "1 lines, 0 records, last 0\nline 1 at 1000: there is no thread 0.1.1; record skipped\n"},
		{"2:0:18446744073709551617:1:1:10:7:5\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: the number in field 3 does not fit in 64 bits; record skipped\n"},
		{"2:4:1:1:1:10:7:5\n", "1 lines, 0 records, last 0\nline 1 at 1000: cpu 4, of 3; record skipped\n"},
		{"2:3:1:1:1:10:7:5\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: cpu 3 is on node 2, the thread on node 1; record skipped\n"},
		{"3:1:1:1:1:10:20:1:1:2:1:15:30:4:1\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: cpu 1 is on node 1, the thread on node 2; record skipped\n"},
		/* times */
		{"2:1:1:1:1:-10:7:5\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: a time is negative or too large; record skipped\n"},
		{"1:1:1:1:1:20:10:1\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: the state ends (10) before it begins (20); record skipped\n"},
		{"1:1:1:1:1:0:-2:1\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: a time is negative or too large; record skipped\n"},
		{"3:1:1:1:1:10:-20:3:1:2:1:15:30:4:1\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: a time is negative or too large; record skipped\n"},
		{"2:1:1:1:1:9223372036854775808:7:5\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: a time is negative or too large; record skipped\n"},
		/* a sign in a field without one is a character that ends it */
		{"2:-1:1:1:1:10:7:5\n",
	         "1 lines, 1 records, last 1\n0: 1@0, 1 point new0=7,\nnew0 is point 10\nline 1 at 1000: event type 5 has no value; pair skipped\n"},
		{"2:1:1:1:1:10:4294967296:5:7:1\n",
	         "1 lines, 1 records, last 10\n0: 10@1, 10 point 1=1,\nline 1 at 1000: 4294967296 is too large for a type or a state; skipped\n"},
		{"1:1:1:1:1:0:5:4294967296\n",
	         "1 lines, 0 records, last 0\nline 1 at 1000: 4294967296 is too large for a type or a state; skipped\n"},
		{"3:1:1:1:1:10:20:3:1:2:1:15:30:4:2147483648\n",
	         "1 lines, 1 records, last 30\n0: wait 20 send@1,\n2: wait 30 recv@3,\nmessage 0>2 10 20 15 30 size 4 tag 2147483647\n"
	         "line 1 at 1000: the tag does not fit in 32 bits; kept as the nearest that does\n"},
		/* other lines */
		{"9:1:1:1:1:0\nc:1:1:1:1\nx\n12:1\n1\n",
	         "5 lines, 0 records, last 0\nline 1 at 1000: expected a record (1, 2, 3 or 4, and ':'); line skipped\n"
	         "line 2 at 1012: expected a record (1, 2, 3 or 4, and ':'); line skipped\n"
	         "line 3 at 1022: expected a record (1, 2, 3 or 4, and ':'); line skipped\n"
	         "line 4 at 1024: expected a record (1, 2, 3 or 4, and ':'); line skipped\n"
	         "line 5 at 1029: expected a record (1, 2, 3 or 4, and ':'); line skipped\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_all_kernels(header_line, cases[i].text, cases[i].want);
}

TEST(units_become_ns)
{
	check_all_kernels("#Paraver (x):1:0:1:1(1:0)", "1:0:1:1:1:1:3:1\n2:0:1:1:1:2:7:1\n",
	                  "2 lines, 2 records, last 3000\n0: 1000@0, 1000 state 1=2000, 2000 point 1=1, wait 3000 state_end@0,\n");
	check_all_kernels(
		"#Paraver (x):1_ms:0:1:1(1:0)", "2:0:1:1:1:9223372036854:7:1\n2:0:1:1:1:9223372036855:7:1\n",
		"2 lines, 1 records, last 9223372036854000000\n0: 9223372036854000000@0, 9223372036854000000 point 1=1,\n"
		"line 2 at 1028: a time is negative or too large; record skipped\n");
}

TEST(without_resources_there_is_no_cpu)
{
	check_all_kernels("#Paraver (x):1_ns:0:1:1(1:1)", "2:5:1:1:1:2:7:1\n",
	                  "1 lines, 1 records, last 2\n0: 2@0, 2 point 1=1,\n");
}

TEST(lanes_are_sorted_with_equal_times_in_the_order_of_lines)
{
	check_all_kernels(
		header_line,
		"2:1:1:1:1:30:7:1\n2:2:1:1:1:10:7:2\n1:1:1:1:1:5:30:1\n2:1:1:1:1:30:7:3\n2:1:1:1:1:10:8:4\n2:0:1:1:1:5:8:5\n",
		"6 lines, 6 records, last 30\n"
		"0: 5@1, 5 state 1=25, 5@0, 5 point 2=5, 10@2, 10 point 1=2, 10@1, 10 point 2=4, 30 point 1=1, 30 state_end 1=0, 30 point 1=3,\n");
	/* One cpu: sorted in place; its event stays in front. */
	check_all_kernels(header_line, "2:1:1:1:1:30:7:1\n2:1:1:1:1:10:7:2\n2:1:1:1:1:30:7:3\n2:1:1:1:1:10:8:4\n",
	                  "4 lines, 4 records, last 30\n0: 10@1, 10 point 1=2, 10 point 2=4, 30 point 1=1, 30 point 1=3,\n");
}

TEST(the_cpu_in_force_is_that_of_the_record)
{
	/* A state that ends after its thread has moved still ends on its own cpu. */
	check_all_kernels(
		header_line, "1:1:1:1:1:0:20:1\n2:2:1:1:1:10:7:1\n2:2:1:1:1:30:7:2\n",
		"3 lines, 3 records, last 30\n0: 0@1, 0 state 1=20, 10@2, 10 point 1=1, 20@1, 20 state_end 1=0, 30@2, 30 point 1=2,\n");
}

/* -- random -- */

static void random_number(struct weft_buf *out)
{
	uint64_t v = test_random() >> test_random() % 64;
	weft_buf_u64(out, v);
}

/* A line whose objects mostly exist; fields may be of any length. */
static void random_line(struct weft_buf *out)
{
	static const char *const objects[] = {"1:1:1:1", "2:1:1:2", "0:1:1:1", "3:1:2:1",
	                                      "1:1:3:1", "3:2:1:1", "1:2:1:1", "0:1:9:1"};
	unsigned kind = (unsigned)(test_random() % 16);
	unsigned pairs = kind < 6 ? 1 + (unsigned)(test_random() % 4) : (unsigned)(test_random() % 45);
	if (kind < 7) {
		weft_buf_printf(out, "2:%s:%u", objects[test_random() % 6], (unsigned)(test_random() % 500));
		for (unsigned i = 0; i < pairs; i++) {
			weft_buf_printf(out, ":%u:", (unsigned)(5 + test_random() % 6));
			random_number(out);
		}
	} else if (kind < 12) {
		uint64_t begin = test_random() % 500;
		weft_buf_printf(out, "1:%s:%" PRIu64 ":%" PRIu64 ":%u", objects[test_random() % 6], begin,
		                begin + test_random() % 100, (unsigned)(test_random() % 5));
	} else if (kind < 14) {
		weft_buf_printf(out, "3:%s:%u:%u:%s:%u:%u:%u:%u", objects[test_random() % 6], (unsigned)(test_random() % 500),
		                (unsigned)(test_random() % 500), objects[test_random() % 6], (unsigned)(test_random() % 500),
		                (unsigned)(test_random() % 500), (unsigned)(test_random() % 100000),
		                (unsigned)(test_random() % 9));
	} else {
		weft_buf_printf(out, "%u:%s:", (unsigned)(test_random() % 6), objects[test_random() % 8]);
		random_number(out);
		weft_buf_putc(out, ':');
		random_number(out);
		if (kind == 14)
			weft_buf_puts(out, ":1");
	}
	weft_buf_putc(out, '\n');
}

static void check_equal(const char *text, size_t n)
{
	char *first = NULL;
	for (const struct prv_kernel *k = prv_kernels; k->name; k++) {
		struct fixture f;
		if (!k->here())
			continue;
		fixture_begin(&f, header_line);
		char *got = parse(&f, k, text, n);
		if (first && strcmp(first, got) != 0)
			CHECK_STR(got, first);
		fixture_end(&f);
		if (first)
			free(got);
		else
			first = got;
	}
	free(first);
}

TEST(all_kernels_give_the_same)
{
	bool several = prv_kernels[0].here() && prv_kernels[1].name;
	if (!several)
		SKIP("this machine has one kernel only");
	for (int round = 0; round < 400; round++) {
		struct weft_buf text = {0};
		for (unsigned i = 0; i < 60; i++)
			random_line(&text);
		check_equal(text.at, text.n);
		/* Damage some bytes. */
		static const char bytes[] = "0123456789:::--\n\r# xz";
		for (unsigned i = 0; i < 12; i++)
			text.at[test_random() % text.n] = bytes[test_random() % (sizeof bytes - 1)];
		check_equal(text.at, text.n - test_random() % 40);
		weft_buf_fini(&text);
	}
}

TEST(many_threads_and_long_names_of_objects)
{
	/* "1:1:4096:1:" and longer: beyond what a table of prefixes holds, and beyond its bytes. */
	struct weft_buf header = {0}, text = {0};
	weft_buf_puts(&header, "#Paraver (x):1000_ns:1(9000):1:5000(");
	for (unsigned i = 0; i < 5000; i++)
		weft_buf_puts(&header, i ? ",1:1" : "100:1");
	weft_buf_puts(&header, ")");
	for (unsigned i = 0; i < 20000; i++)
		weft_buf_printf(&text, "2:%u:1:%u:1:%u:7:%u\n", (unsigned)(test_random() % 9001),
		                (unsigned)(1 + test_random() % 5000), i, i);
	for (unsigned i = 0; i < 1000; i++)
		weft_buf_printf(&text, "2:0000%u:0001:0001:%u:%u:7:%u\n", i, 1 + i % 101, 20000 + i, i);
	char *first = NULL;
	for (const struct prv_kernel *k = prv_kernels; k->name; k++) {
		struct fixture f;
		if (!k->here())
			continue;
		fixture_begin(&f, header.at);
		char *got = parse(&f, k, text.at, text.n);
		CHECK_U64(f.chunk.n_issues, 9); /* threads 101 */
		CHECK_U64(f.chunk.n_records, 20991);
		CHECK(!first || strcmp(first, got) == 0);
		fixture_end(&f);
		free(first);
		first = got;
	}
	free(first);
	weft_buf_fini(&header);
	weft_buf_fini(&text);
}

TEST(a_chunk_is_used_again)
{
	struct fixture f;
	fixture_begin(&f, header_line);
	static const char one[] = "1:1:1:1:1:5:100:9\nx\n#c\n3:1:1:1:1:10:20:3:1:2:1:15:30:4:1\n", two[] = "2:1:1:1:2:5:7:1\n";
	char *a = parse(&f, prv_kernel_best(), one, sizeof one - 1);
	char *b = parse(&f, prv_kernel_best(), two, sizeof two - 1);
	CHECK_STR(b, "1 lines, 1 records, last 5\n1: 5@1, 5 point 1=1,\n");
	free(a);
	free(b);
	fixture_end(&f);
}

TEST(issues_are_counted_beyond_what_is_kept)
{
	struct fixture f;
	struct weft_buf text = {0};
	for (unsigned i = 0; i < 1500; i++)
		weft_buf_puts(&text, "?\n");
	fixture_begin(&f, header_line);
	free(parse(&f, prv_kernel_best(), text.at, text.n));
	CHECK_U64(f.chunk.n_issues, 1500);
	CHECK_U64(f.chunk.issue.n, PRV_MOST_ISSUES);
	fixture_end(&f);
	weft_buf_fini(&text);
}

TEST(ids_of_many_numbers)
{
	struct prv_ids ids = {0};
	CHECK_U64(prv_ids_get(&ids, 5), 0);
	for (uint32_t i = 0; i < 20000; i++)
		REQUIRE(prv_ids_put(&ids, i * 2654435761u, i + 1) == 0);
	unsigned wrong = 0;
	for (uint32_t i = 0; i < 20000; i++)
		wrong += prv_ids_get(&ids, i * 2654435761u) != i + 1;
	CHECK_U64(wrong, 0);
	REQUIRE(prv_ids_put(&ids, 0, 77) == 0);
	CHECK_U64(prv_ids_get(&ids, 0), 77);
	CHECK_U64(ids.n, 20000);
	free(ids.slot);
}

TEST(without_memory)
{
	static char padded[400];
	static const char text[] =
		"1:1:1:1:1:5:100:9\nx\n#c\n3:1:1:1:1:10:20:3:1:2:1:15:30:4:1\n2:1:1:1:1:4:99:1:7:2\n2:2:1:1:1:1:7:3\n";
	memset(padded, '\n', sizeof padded);
	memcpy(padded + TEXT_PAD, text, sizeof text - 1);
	for (const struct prv_kernel *k = prv_kernels; k->name; k++) {
		struct fixture f;
		if (!k->here())
			continue;
		fixture_begin(&f, header_line);
		TEST_EACH_ALLOCATION_FAILS {
			struct prv_chunk c;
			int rc = prv_chunk_init(&c, &f.model);
			if (!rc)
				rc = prv_chunk_parse_with(k, &c, padded + TEXT_PAD, sizeof text - 1, 0);
			CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
			prv_chunk_fini(&c);
		}
		fixture_end(&f);
	}
}
