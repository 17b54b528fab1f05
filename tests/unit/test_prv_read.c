/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading .prv: random traces, in order and not, through chunks of every size and any number of workers, come out as a simple
 * model says: each thread's events by time, equal times in the order of the lines, each on the cpu of its own record. And what
 * the header, the .pcf, the .row and damaged lines become.
 */
#include "harness.h"
#include "base/fs.h"
#include "base/vec.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include "trace/paraver/prv_names.h"
#include "trace/write/prv_out.h"
#include "trace/open.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *in_dir(const char *name)
{
	static char path[8][4096];
	static unsigned next;
	char *to = path[next++ % 8];
	snprintf(to, sizeof path[0], "%s/%s", test_dir(), name);
	return to;
}

static void write_file(const char *path, const char *at, size_t n)
{
	FILE *f = fopen(path, "w"), *packed = NULL;
	REQUIRE(f != NULL);
	REQUIRE(prv_pack_open(&packed, f, path) == 0);
	CHECK_U64(fwrite(at, 1, n, packed ? packed : f), n);
	if (packed)
		REQUIRE(fclose(packed) == 0);
	REQUIRE(fclose(f) == 0);
}

static void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

static struct weft_trace *open_with(const char *path, unsigned threads, uint64_t memory)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = memory, .threads = threads, .no_index = true};
	int rc = weft_trace_open(&t, path, &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return t;
}

static struct weft_trace *open_text(const char *name, const char *text)
{
	write_file(in_dir(name), text, strlen(text));
	return open_with(in_dir(name), 1, 0);
}

/* -- the model -- */

struct model_event {
	uint64_t time, line;
	unsigned sub, kind;
	uint32_t number; /* of the type or state */
	uint64_t value;  /* of messages: of the line */
	uint32_t cpu;
};
struct model_line {
	uint64_t time; /* that it is sorted by */
	struct weft_buf text;
	struct model_event event[12];
	unsigned row[12], n;
	struct weft_message_row message;
};
enum { ROWS = 5 };
static const char header_line[] = "#Paraver (01/02/2020 at 03:04):1000_ns:2(3,2):2:3(2:1,1:2,1:1),1(1:2)\n";
static const char *const row_name[ROWS] = {"1:1:1", "1:1:2", "1:2:1", "1:3:1", "2:1:1"};
static const unsigned row_node[ROWS] = {1, 1, 2, 1, 2};

struct model {
	struct model_line *line;
	size_t n;
};

static uint32_t random_cpu(unsigned row, bool moving)
{
	if (!moving)
		return row_node[row] == 1 ? row % 3 + 1 : 4;
	uint32_t cpu = (uint32_t)(test_random() % (row_node[row] == 1 ? 4 : 3));
	return cpu && row_node[row] == 2 ? cpu + 3 : cpu;
}

static void add_event(struct model_line *l, unsigned row, struct model_event e)
{
	e.sub = l->n;
	l->row[l->n] = row;
	l->event[l->n++] = e;
}

static void make_state(struct model_line *l, unsigned row, uint32_t cpu, uint64_t time)
{
	uint64_t end = time + test_random() % 4 * (test_random() % 300);
	uint32_t state = (uint32_t)(test_random() % 5);
	bool open = test_random() % 40 == 0;
	weft_buf_printf(&l->text, "1:%u:%s:%" PRIu64 ":%" PRId64 ":%u\n", cpu, row_name[row], time,
	                open ? (int64_t)-1 : (int64_t)end, state);
	add_event(l, row,
	          (struct model_event){.time = time,
	                               .kind = WEFT_EV_STATE,
	                               .number = state,
	                               .value = open ? UINT64_MAX : end - time,
	                               .cpu = cpu});
	if (!open)
		add_event(l, row, (struct model_event){.time = end, .kind = WEFT_EV_STATE_END, .number = state, .cpu = cpu});
}

static void make_events(struct model_line *l, unsigned row, uint32_t cpu, uint64_t time)
{
	unsigned n = 1 + (unsigned)(test_random() % 5);
	weft_buf_printf(&l->text, "2:%u:%s:%" PRIu64, cpu, row_name[row], time);
	for (unsigned i = 0; i < n; i++) {
		uint32_t type = (uint32_t)(50000001 + test_random() % 20);
		int64_t value = (int64_t)(test_random() >> test_random() % 64) - 5;
		weft_buf_printf(&l->text, ":%u:%" PRId64, type, value);
		add_event(l, row,
		          (struct model_event){.time = time,
		                               .kind = WEFT_EV_POINT,
		                               .number = type,
		                               .value = (uint64_t)value,
		                               .cpu = cpu});
	}
	weft_buf_putc(&l->text, '\n');
}

static void make_comm(struct model_line *l, unsigned row, uint32_t cpu, uint64_t time, uint64_t number, bool moving)
{
	unsigned to = (unsigned)(test_random() % ROWS);
	uint32_t to_cpu = random_cpu(to, moving);
	struct weft_message_row m = {.send_thread = row,
	                             .recv_thread = to,
	                             .tag = (int32_t)(test_random() % 10),
	                             .size = test_random() % 100000,
	                             .send_began = time - time % 100,
	                             .send_done = time,
	                             .recv_began = test_random() % 1000,
	                             .recv_done = time + test_random() % 1000 - (time > 300 ? test_random() % 300 : 0)};
	weft_buf_printf(&l->text, "3:%u:%s:%" PRIu64 ":%" PRIu64 ":%u:%s:%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%d\n", cpu,
	                row_name[row], m.send_began, m.send_done, to_cpu, row_name[to], m.recv_began, m.recv_done, m.size, m.tag);
	add_event(l, row, (struct model_event){.time = m.send_done, .kind = WEFT_EV_SEND, .value = number, .cpu = cpu});
	add_event(l, to, (struct model_event){.time = m.recv_done, .kind = WEFT_EV_RECV, .value = number, .cpu = to_cpu});
	l->message = m;
}

static int order_lines(const void *a, const void *b)
{
	const struct model_line *x = a, *y = b;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* disorder: 0: in order; 1: some lines are late; 2: none is where it should be. moving: threads change cpus. */
static struct model model_make(size_t n, unsigned disorder, bool moving)
{
	struct model m = {calloc(n, sizeof *m.line), n};
	REQUIRE(m.line != NULL);
	uint64_t time = 0;
	for (size_t i = 0; i < n; i++) {
		struct model_line *l = &m.line[i];
		unsigned row = (unsigned)(test_random() % ROWS), kind = (unsigned)(test_random() % 10);
		uint32_t cpu = random_cpu(row, moving);
		time += test_random() % 8;
		uint64_t at = disorder == 1 && test_random() % 30 == 0 && time > 5000 ? time - test_random() % 5000 : time;
		l->time = disorder == 2 ? test_random() : i;
		if (kind < 4)
			make_state(l, row, cpu, at);
		else if (kind < 8)
			make_events(l, row, cpu, at);
		else
			make_comm(l, row, cpu, at, i, moving);
	}
	qsort(m.line, n, sizeof *m.line, order_lines);
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < m.line[i].n; k++) {
			m.line[i].event[k].line = i;
			if (m.line[i].event[k].kind == WEFT_EV_SEND || m.line[i].event[k].kind == WEFT_EV_RECV)
				m.line[i].event[k].value = i;
		}
	return m;
}

static void model_free(struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		weft_buf_fini(&m->line[i].text);
	free(m->line);
}

static int order_events(const void *a, const void *b)
{
	const struct model_event *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->sub < y->sub ? -1 : x->sub > y->sub;
}

struct model_events {
	struct model_event *at;
	size_t n, cap;
};

static struct model_events model_thread(const struct model *m, unsigned row)
{
	struct model_events v = {0};
	for (size_t i = 0; i < m->n; i++)
		for (unsigned k = 0; k < m->line[i].n; k++)
			if (m->line[i].row[k] == row)
				REQUIRE(weft_vec_push(&v, m->line[i].event[k]) == 0);
	if (v.n)
		qsort(v.at, v.n, sizeof *v.at, order_events);
	return v;
}

/* -- the trace against the model -- */

static bool same_message(const struct weft_trace *t, uint64_t i, const struct weft_message_row *m)
{
	const struct weft_messages *got = &t->message;
	return i < got->n && got->send_thread[i] == m->send_thread && got->recv_thread[i] == m->recv_thread &&
	       got->tag[i] == m->tag && got->size[i] == m->size && got->send_began[i] == m->send_began &&
	       got->send_done[i] == m->send_done && got->recv_began[i] == m->recv_began && got->recv_done[i] == m->recv_done &&
	       got->comm[i] == 0;
}

static bool same_event(const struct weft_trace *t, const struct model *m, const struct model_event *want,
                       const struct weft_event *got)
{
	if (want->time != got->time || want->kind != got->kind)
		return false;
	if (want->kind == WEFT_EV_SEND || want->kind == WEFT_EV_RECV)
		return same_message(t, got->value, &m->line[want->value].message);
	enum weft_class c = want->kind == WEFT_EV_POINT ? WEFT_CLASS_TYPE : WEFT_CLASS_STATE;
	return got->id < t->def[c].n && t->def[c].at[got->id].code == want->number && got->value == want->value;
}

static void check_thread(const struct weft_trace *t, const struct model *m, unsigned row)
{
	struct model_events want = model_thread(m, row);
	struct weft_cursor c;
	struct weft_block b;
	uint32_t cpu = 0;
	size_t at = 0, wrong = 0, wrong_cpu = 0;
	int rc;
	REQUIRE(weft_cursor_begin(&c, t, row, 0, WEFT_NEVER) == 0);
	while ((rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n; i++) {
			struct weft_event e = {b.time[i], row, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			if (e.kind == WEFT_EV_CPU) {
				cpu = e.value == WEFT_NONE ? 0 : (uint32_t)e.value + 1;
				continue;
			}
			wrong += at >= want.n || !same_event(t, m, &want.at[at], &e);
			wrong_cpu += at < want.n && want.at[at].cpu != cpu;
			at++;
		}
	CHECK_I64(rc, 0);
	CHECK_U64(at, want.n);
	CHECK_U64(wrong, 0);
	CHECK_U64(wrong_cpu, 0);
	weft_cursor_end(&c);
	free(want.at);
}

static void check_model(const struct model *m, const char *name, unsigned threads, uint64_t memory)
{
	struct weft_trace *t = open_with(in_dir(name), threads, memory);
	size_t messages = 0;
	for (size_t i = 0; i < m->n; i++)
		messages += m->line[i].event[0].kind == WEFT_EV_SEND;
	CHECK_U64(t->message.n, messages);
	CHECK_U64(t->n_problems, 0);
	REQUIRE(t->n_threads == ROWS);
	for (unsigned row = 0; row < ROWS; row++)
		check_thread(t, m, row);
	weft_trace_close(t);
}

static void write_model(const struct model *m, const char *name)
{
	struct weft_buf text = {0};
	weft_buf_puts(&text, header_line);
	for (size_t i = 0; i < m->n; i++)
		weft_buf_add(&text, m->line[i].text.at, m->line[i].text.n);
	REQUIRE(!text.failed);
	write_file(in_dir(name), text.at, text.n);
	weft_buf_fini(&text);
}

/* A small memory makes small chunks: 4 KiB. */
enum { SMALL = 1 << 20 };

TEST(traces_in_any_order_read_as_the_model_says)
{
	for (unsigned disorder = 0; disorder < 3; disorder++)
		for (unsigned moving = 0; moving < 2; moving++) {
			struct model m = model_make(6000, disorder, moving);
			write_model(&m, "m.prv");
			check_model(&m, "m.prv", 1, 0);
			check_model(&m, "m.prv", 1, SMALL);
			check_model(&m, "m.prv", 3, SMALL);
			model_free(&m);
		}
}

TEST(packed_traces_read_the_same)
{
	struct model m = model_make(6000, 1, true);
	write_model(&m, "m.prv.gz");
	write_model(&m, "m.prv.zst");
	check_model(&m, "m.prv.gz", 1, SMALL);
	check_model(&m, "m.prv.gz", 4, SMALL);
	check_model(&m, "m.prv.zst", 4, SMALL);
	check_model(&m, "m.prv.zst", 2, 0);
	model_free(&m);
}

TEST_IN(TIER_FULL, larger_traces)
{
	for (unsigned disorder = 0; disorder < 3; disorder++) {
		struct model m = model_make(200000, disorder, true);
		write_model(&m, "m.prv");
		check_model(&m, "m.prv", 2, 0);
		check_model(&m, "m.prv", 2, SMALL);
		model_free(&m);
	}
}

TEST(one_thread_changes_cpu_at_every_event_and_nothing_is_in_order)
{
	for (int round = 0; round < 30; round++) {
		struct model m = model_make(300, 2, true);
		write_model(&m, "m.prv");
		check_model(&m, "m.prv", 1, SMALL);
		model_free(&m);
	}
}

/* -- what else there is in the files -- */

static const struct weft_def_row *def_of(const struct weft_trace *t, enum weft_class c, int64_t code)
{
	for (uint32_t i = 1; i < t->def[c].n; i++)
		if (t->def[c].at[i].code == code)
			return &t->def[c].at[i];
	return NULL;
}

TEST(header_pcf_and_row_become_objects_and_definitions)
{
	static const char pcf[] = "DEFAULT_OPTIONS\nLEVEL THREAD\nSTATES\n0 Idle\n1 Run\n1 Running\nSTATES_COLOR\n1 {1,2,3}\n"
				  "EVENT_TYPE\n9 100 First\n0 101 Second\nVALUES\n1 one\n2 two\nPRECISION 3\n"
				  "EVENT_TYPE\n0 100 First again\nVALUES\n3 three\nEVENT_TYPE\n0 102\n";
	static const char row[] = "LEVEL NODE SIZE 2\nalpha\nbeta\nLEVEL CPU SIZE 3\nc1\nc2\nc3\nLEVEL TASK SIZE 3\nt1\nt2\nt3\n"
				  "LEVEL THREAD SIZE 4\na\nb\nc\nd\nLEVEL APPL SIZE 2\none\ntwo\nLEVEL SYSTEM SIZE 1\nworld\n";
	write_file(in_dir("f.pcf"), pcf, sizeof pcf - 1);
	write_file(in_dir("f.row"), row, sizeof row - 1);
	struct weft_trace *t = open_text("f.prv", "new format\n#Paraver (10/02/2020 at 12:30):5000:2(2,1):2:2(1:1,2:2),1(1:2),3\n"
	                                          "c:1:1:2:1:2\n# between\nc:2:1:1:1\ni:1:2:1:2\n"
	                                          "# in the body\n2:1:1:1:1:7:100:1:103:5\n1:3:1:2:2:0:7000:4\n");
	CHECK_U64(t->n_problems, 1); /* the type that is there twice */
	CHECK_STR(t->n_problems ? t->problem[0].text : "", "type 100 is here and in line 10: its last label holds");
	CHECK_U64(t->n_problems ? t->problem[0].line : 0, 17);
	CHECK_STR(t->format, "prv");
	CHECK_U64(t->end, 7000000);
	CHECK_U64(t->begin_realtime, 1581337800000000000u);
	CHECK_U64(t->n_apps, 2);
	CHECK_STR(t->app[1].name, "two");
	REQUIRE(t->n_processes == 3);
	CHECK_STR(t->process[1].name, "t2");
	CHECK_STR(t->process[1].host, "beta");
	CHECK_U64(t->process[1].node, 1);
	CHECK_I64(t->process[1].rank, 1);
	CHECK_U64(t->process[2].app, 1);
	REQUIRE(t->n_threads == 4);
	CHECK_STR(t->thread[3].name, "d");
	CHECK_U64(t->thread[2].number, 2);
	CHECK_U64(t->thread[0].end, 7000000);
	CHECK_U64(t->n_nodes, 2);
	CHECK_STR(t->node[0].name, "alpha");
	CHECK_U64(t->n_cpus, 3);
	CHECK_STR(t->cpu[2].name, "c3");
	CHECK_U64(t->cpu[2].node, 1);
	const struct weft_def_row *first = def_of(t, WEFT_CLASS_TYPE, 100), *second = def_of(t, WEFT_CLASS_TYPE, 101);
	REQUIRE(first && second);
	CHECK_STR(first->name, "First again");
	CHECK_U64(first->n_labels, 3);
	CHECK_STR(weft_value_label(first, 3), "three");
	CHECK_STR(weft_value_label(second, 2), "two");
	CHECK_STR(second->unit, "1e-3");
	CHECK_STR(def_of(t, WEFT_CLASS_TYPE, 102)->name, "type 102");
	CHECK_STR(def_of(t, WEFT_CLASS_TYPE, 103)->name, "type 103");
	CHECK_STR(def_of(t, WEFT_CLASS_STATE, 1)->name, "Running");
	CHECK_STR(def_of(t, WEFT_CLASS_STATE, 4)->name, "Unknown state 4");
	REQUIRE(t->def[WEFT_CLASS_COMM].n == 3);
	CHECK_U64(t->def[WEFT_CLASS_COMM].at[1].n_members, 2);
	CHECK_U64(t->def[WEFT_CLASS_COMM].at[1].member[1], 1);
	CHECK_U64(t->def[WEFT_CLASS_COMM].at[2].key, UINT64_C(2) << 32 | 1);
	CHECK_STR(weft_trace_note(t, PRV_NOTE_COMMUNICATOR), "i:1:2:1:2");
	CHECK_STR(weft_trace_note(t, PRV_NOTE_COMMENT), "# between");
	CHECK_STR(weft_trace_note(t, PRV_NOTE_DATE), "10/02/2020 at 12:30");
	CHECK_STR(weft_trace_note(t, PRV_NOTE_UNIT), "");
	CHECK_STR(weft_trace_note(t, PRV_NOTE_COLOR), "1 {1,2,3}");
	CHECK_STR(weft_trace_note(t, PRV_NOTE_OPTION), "LEVEL THREAD");
	CHECK_STR(weft_trace_note(t, "prv.row.SYSTEM"), "world");
	CHECK(weft_trace_note(t, PRV_NOTE_RESOURCES) == NULL);
	weft_trace_close(t);
}

TEST(damaged_lines_are_listed_with_line_and_offset)
{
	struct weft_trace *t = open_text("d.prv", "#Paraver (x):5_ns:1(1):1:1(1:1),1 and more\n2:1:1:1:1:1:7:1\n2:1:1:1:1:2:7:2\n"
	                                          "what\n2:2:1:1:1:3:7:3\n2:1:1:1:1:4:7:4\n");
	CHECK_U64(t->n_problems, 4);
	REQUIRE(t->n_problems == 4);
	CHECK_STR(t->problem[0].text, "the header goes on behind its last field; ignored");
	CHECK_U64(t->problem[0].line, 1);
	CHECK_STR(t->problem[1].text, "expected the line of a communicator");
	CHECK_U64(t->problem[1].line, 2);
	CHECK_U64(t->problem[1].offset, 43);
	CHECK_U64(t->problem[2].line, 4);
	CHECK_U64(t->problem[2].offset, 75);
	CHECK_U64(t->problem[2].lost_bytes, 4);
	CHECK_STR(t->problem[3].text, "cpu 2, of 1; record skipped");
	CHECK_U64(t->problem[3].line, 5);
	CHECK_U64(t->def[WEFT_CLASS_TYPE].at[1].n_events, 3);
	weft_trace_close(t);
}

TEST(lines_are_counted_through_all_chunks)
{
	struct weft_buf text = {0};
	weft_buf_puts(&text, "#Paraver (x):5_ns:0:1:1(1:0)\n");
	for (unsigned i = 2; i <= 5000; i++)
		weft_buf_printf(&text, i % 1000 ? "2:0:1:1:1:%u:7:1\n" : "bad %u\n", i);
	write_file(in_dir("l.prv"), text.at, text.n);
	struct weft_trace *t = open_with(in_dir("l.prv"), 3, SMALL);
	REQUIRE(t->n_problems == 5);
	for (unsigned i = 0; i < 5; i++) {
		CHECK_U64(t->problem[i].line, 1000 * (i + 1));
		CHECK(memcmp(text.at + t->problem[i].offset, "bad ", 4) == 0);
	}
	weft_trace_close(t);
	weft_buf_fini(&text);
}

TEST(new_numbers_get_the_same_ids_whatever_the_chunks)
{
	struct weft_buf text = {0};
	weft_buf_puts(&text, "#Paraver (x):5_ns:0:1:3(1:0,1:0,1:0)\n");
	for (unsigned i = 0; i < 3000; i++)
		weft_buf_printf(&text, "2:0:1:%u:1:%u:%u:1:%u:2\n1:0:1:%u:1:%u:%u:%u\n", 1 + i % 3, i, 100 + i * 7 % 500,
		                90000 - i, 1 + i % 3, i, i, i / 10);
	write_file(in_dir("n.prv"), text.at, text.n);
	struct weft_trace *a = open_with(in_dir("n.prv"), 1, 0), *b = open_with(in_dir("n.prv"), 4, SMALL);
	static const enum weft_class classes[] = {WEFT_CLASS_TYPE, WEFT_CLASS_STATE};
	for (int k = 0; k < 2; k++) {
		const struct weft_def_table *x = &a->def[classes[k]], *y = &b->def[classes[k]];
		REQUIRE(x->n == y->n);
		unsigned wrong = 0;
		for (uint32_t i = 1; i < x->n; i++)
			wrong += x->at[i].code != y->at[i].code || x->at[i].n_events != y->at[i].n_events;
		CHECK_U64(wrong, 0);
	}
	CHECK_U64(a->def[WEFT_CLASS_TYPE].n, 3501);
	weft_trace_close(a);
	weft_trace_close(b);
	weft_buf_fini(&text);
}

TEST(what_is_no_prv)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "found an empty file"},
		{"hello\n", "header, column 1: expected '#Paraver', found 'h'"},
		{"new format\n", "found an empty file"},
		{"#Paraver (x):5:1(1):1:1(1:9)\n", ":1: header, column 27: node 9 of 1"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_trace *t;
		struct weft_err err = {0};
		struct weft_open_how how = {.no_index = true};
		write_file(in_dir("no.prv"), cases[i].text, strlen(cases[i].text));
		CHECK(weft_trace_open(&t, in_dir("no.prv"), &how, &err) < 0);
		CHECK(strstr(err.text, cases[i].says) != NULL);
	}
}

TEST(a_body_without_records_is_a_trace_without_events)
{
	struct weft_trace *t = open_text("e.prv", "#Paraver (x):5_ns:0:1:1(1:0)");
	CHECK_U64(t->n_events, 0);
	CHECK_U64(t->end, 5);
	CHECK_STR(weft_trace_note(t, PRV_NOTE_RESOURCES), "no");
	CHECK_U64(t->process[0].node, WEFT_NONE);
	weft_trace_close(t);
}

TEST(a_damaged_packed_trace_gives_what_stood_before_and_says_so)
{
	struct weft_buf text = {0};
	weft_buf_puts(&text, "#Paraver (x):5_ns:0:1:1(1:0)\n");
	for (unsigned i = 0; i < 20000; i++)
		weft_buf_printf(&text, "2:0:1:1:1:%u:7:%u\n", i, i);
	write_file(in_dir("c.prv.gz"), text.at, text.n);
	weft_buf_fini(&text);
	int status;
	char *out = test_shell(&status, "f='%s'; n=$(stat -c %%s \"$f\"); truncate -s $((n / 2)) \"$f\"", in_dir("c.prv.gz"));
	free(out);
	CHECK_I64(status, 0);
	struct weft_trace *t = open_with(in_dir("c.prv.gz"), 2, SMALL);
	CHECK(t->n_events > 1000 && t->n_events < 20000);
	bool said = false;
	for (uint64_t i = 0; i < t->n_problems; i++)
		said |= strstr(t->problem[i].text, "the gzip stream ends early; there are records up to") != NULL;
	CHECK(said);
	weft_trace_close(t);
}

TEST(what_is_wrong_beside_the_prv_is_a_problem)
{
	write_text(in_dir("b.pcf"), "nonsense\n");
	write_text(in_dir("b.row"), "LEVEL NODE SIZE 2\na\nb\n");
	struct weft_trace *t = open_text("b.prv", "#Paraver (x):5_ns:1(1):1:1(1:1)\n");
	REQUIRE(t->n_problems == 2);
	CHECK(strstr(t->problem[0].file, "b.pcf") != NULL);
	CHECK_STR(t->problem[1].text, "2 names of level NODE, but the trace has 1");
	weft_trace_close(t);
}

/* Sections that share types, types that share sections: each has what a plain reading of the file gives it, the last label of a value. */
TEST(labels_of_shared_sections)
{
	enum { TYPES = 12, VALUES = 15, SECTIONS = 9 };
	for (int round = 0; round < 40; round++) {
		int want[TYPES][VALUES];
		unsigned n_labels = 0, kept = 0;
		const struct weft_label *list[TYPES];
		struct weft_buf pcf = {0};
		memset(want, 0, sizeof want);
		for (int section = 1; section <= SECTIONS; section++) {
			uint64_t types = test_random(), values = test_random() & test_random();
			types = section % 3 ? types & (section % 2 ? 0x3f : 0xfc0) : types & test_random();
			weft_buf_puts(&pcf, "EVENT_TYPE\n");
			for (int twice = 0; twice < 2; twice++)
				for (unsigned i = 0; i < TYPES; i++)
					if (types >> i & 1)
						weft_buf_printf(&pcf, "0 %u type\n", 100 + i);
			weft_buf_puts(&pcf, "VALUES\n");
			for (unsigned v = 0; v < VALUES; v++) {
				if (!(values >> v & 1))
					continue;
				weft_buf_printf(&pcf, "%u v%d\n", v, section);
				for (unsigned i = 0; i < TYPES; i++)
					want[i][v] = types >> i & 1 ? section : want[i][v];
			}
		}
		write_file(in_dir("s.pcf"), pcf.at, pcf.n);
		weft_buf_fini(&pcf);
		struct weft_trace *t = open_text("s.prv",
		                                 "#Paraver (10/02/2020 at 12:30):5000:1(2):1:1(1:1)\n2:1:1:1:1:7:100:1\n");
		for (unsigned i = 0; i < TYPES; i++) {
			const struct weft_def_row *d = def_of(t, WEFT_CLASS_TYPE, 100 + i);
			for (unsigned v = 0; v < VALUES; v++) {
				char text[20] = "none";
				if (want[i][v])
					snprintf(text, sizeof text, "v%d", want[i][v]);
				const char *label = d ? weft_value_label(d, v) : NULL;
				CHECK_STR(label ? label : "none", text);
			}
			bool known = false;
			for (unsigned k = 0; k < i; k++)
				known = known || (d && list[k] == d->label);
			list[i] = d ? d->label : NULL;
			n_labels += d ? d->n_labels : 0;
			kept += d && !known ? d->n_labels : 0;
		}
		CHECK(kept <= n_labels);
		CHECK(round > 0 || t->n_problems == 1); /* types that come twice */
		weft_trace_close(t);
	}
}

/* As many labels in memory as the file has, however many types they belong to. */
TEST(a_list_of_labels_is_kept_once)
{
	struct weft_buf pcf = {0};
	weft_buf_puts(&pcf, "EVENT_TYPE\n");
	for (unsigned i = 0; i < 500; i++)
		weft_buf_printf(&pcf, "0 %u type\n", 100 + i);
	weft_buf_puts(&pcf, "VALUES\n1 one\n2 two\n");
	write_file(in_dir("o.pcf"), pcf.at, pcf.n);
	weft_buf_fini(&pcf);
	struct weft_trace *t = open_text("o.prv", "#Paraver (10/02/2020 at 12:30):5000:1(2):1:1(1:1)\n2:1:1:1:1:7:100:1\n");
	const struct weft_def_row *first = def_of(t, WEFT_CLASS_TYPE, 100), *last = def_of(t, WEFT_CLASS_TYPE, 599);
	REQUIRE(first && last);
	CHECK_U64(first->n_labels, 2);
	CHECK(first->label == last->label);
	weft_trace_close(t);
}

TEST(reading_without_memory)
{
	write_text(in_dir("w.prv"), "#Paraver (x):5_ns:1(1):1:2(1:1,1:1),1\nc:1:1:1:1\n1:1:1:1:1:0:5:1\n2:1:1:1:1:3:7:1\nx\n"
	                            "3:1:1:1:1:1:2:1:1:2:1:1:4:5:6\n# c\n");
	write_text(in_dir("w.pcf"), "STATES\n1 Running\nEVENT_TYPE\n9 7 Seven\nVALUES\n1 one\n");
	write_text(in_dir("w.row"), "LEVEL NODE SIZE 1\nn\n");
	const char *path = in_dir("w.prv");
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_builder *b;
		struct weft_err err = {0};
		struct weft_open_how how = {.threads = 1, .memory = SMALL};
		int rc = weft_builder_new(&b, path, "prv", &how, &err);
		if (!rc) {
			rc = weft_prv_reader.load(b, path, &how, &err);
			weft_builder_free(b);
		}
		if (rc || !test_alloc_failed())
			CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK(rc == 0 || err.text[0]);
	}
}
