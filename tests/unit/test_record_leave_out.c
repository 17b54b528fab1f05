/* SPDX-License-Identifier: Apache-2.0 */
/* Streams whose kinds of stretches are known: which go, that pairs and last values stay, and what is said; damaged ones stay as they are. */
#include "cli/record/record_follow.h"
#include "cli/record/record_represent.h"
#include "stream_maker.h"
#include "trace/open.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <unistd.h>

enum { STRETCHES = 60, PART = 20, NS = 1000, ORIGIN = 5000, A = 1, B = 2 };

/* Two threads; of the first 20 stretches of 1000 ns each has a for 800, of the next b for 400 and twice inside of it, then a again. A tick is 1 ns. */
static void fill(struct maker *m)
{
	maker_begin(m, 7);
	m->head.start_ticks = 100;
	m->head.start_monotonic = ORIGIN;
	m->head.start_realtime = 1700000000000000000u;
	maker_process(m, 1, 7, -1, 100, "p");
	maker_region(m, A, "a");
	maker_region(m, B, "b");
	maker_meta(m, WEFT_EV_DEF_COUNTER, 1, 3, (uint64_t[]){0, 0, 0}, "steps");
	maker_meta(m, WEFT_EV_DEF_FLOW, 1, 2, (uint64_t[]){0, 0}, "arrow");
	maker_clock(m, 100, ORIGIN, m->head.start_realtime);
	for (unsigned t = 1; t <= 2; t++) {
		maker_thread(m, t, 10 + t, 1, 100, t == 1 ? "one" : "two");
		for (unsigned i = 0; i < STRETCHES; i++) {
			const uint64_t at = 100 + i * NS, is_b = i / PART % 2, id = is_b ? B : A, value = i, key = i;
			maker_event(m, t, at + 10, WEFT_EV_ENTER, (unsigned)id, 0, NULL);
			for (unsigned k = 0; is_b && k < 2; k++) {
				maker_event(m, t, at + 20 + k, WEFT_EV_ENTER, A, 0, NULL);
				maker_event(m, t, at + 21 + k, WEFT_EV_LEAVE, A, 0, NULL);
			}
			if (t == 1)
				maker_event(m, t, at + 100, WEFT_EV_COUNTER, 1, 1, &value);
			maker_event(m, t, at + 200, t == 1 ? WEFT_EV_FLOW_OUT : WEFT_EV_FLOW_IN, 1, 1, &key);
			maker_event(m, t, at + (is_b ? 410 : 810), WEFT_EV_LEAVE, (unsigned)id, 0, NULL);
		}
		maker_event(m, t, 100 + STRETCHES * NS, WEFT_EV_THREAD_END, 0, 0, NULL);
	}
	m->head.end_ticks = 100 + STRETCHES * NS;
}

static void follow(struct record_kinds *k, const char *path)
{
	struct record_follow *f = record_follow_open(path);
	*k = (struct record_kinds){.origin_ns = ORIGIN, .stretch_ns = NS, .tolerance = 0.2};
	REQUIRE(f);
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t until = record_follow_look(f, k, ORIGIN + STRETCHES * NS);
		record_follow_reach(f, k, until);
		record_kinds_decide(k, until);
	}
	record_follow_close(f);
}

struct counts {
	unsigned enter[3], flows, off;
	uint64_t counter, left_out, left_out_ns;
};

static void count(struct counts *n, const struct weft_trace *t, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	*n = (struct counts){0};
	REQUIRE(weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &b) > 0)
		for (uint32_t i = 0; i < b.n; i++) {
			const unsigned kind = weft_what_kind(b.what[i]), id = weft_what_id(b.what[i]);
			const char *name = kind == WEFT_EV_POINT   ? t->def[WEFT_CLASS_TYPE].at[id].name
			                   : kind == WEFT_EV_ENTER ? t->def[WEFT_CLASS_REGION].at[id].name
			                                           : "";
			n->enter[A] += !strcmp(name, "a");
			n->enter[B] += !strcmp(name, "b");
			n->flows += kind == WEFT_EV_FLOW_OUT || kind == WEFT_EV_FLOW_IN;
			n->off += kind == WEFT_EV_OFF;
			n->counter = kind == WEFT_EV_COUNTER ? b.value[i] : n->counter;
			n->left_out += !strcmp(name, "left out: stretches") ? b.value[i] : 0;
			n->left_out_ns += !strcmp(name, "left out: time") ? b.value[i] : 0;
		}
	weft_cursor_end(&c);
}

TEST(two_of_each_kind_stay)
{
	struct maker m;
	struct record_kinds k;
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	struct counts n;
	const char *path = test_path("0.stream");
	fill(&m);
	maker_save(&m, path);
	maker_end(&m);
	follow(&k, path);
	REQUIRE(k.decided.n == STRETCHES);
	CHECK_U64(k.kind.shape.n, 2);
	for (unsigned i = 0; i < STRETCHES; i++)
		CHECK(k.decided.at[i].left_out == (i % PART >= RECORD_KINDS_KEPT || i >= 2 * PART));
	CHECK_I64(record_leave_out(path, &k), 0);
	record_kinds_fini(&k);
	REQUIRE(weft_trace_open(&t, path, &(struct weft_open_how){.no_index = true}, &err) == 0);
	CHECK_U64(t->n_problems, 0);
	CHECK_U64(t->n_threads, 2);
	CHECK_U64(t->flow.n, STRETCHES);
	for (uint32_t i = 0; i < 2; i++) {
		count(&n, t, i);
		CHECK_U64(n.enter[A], 2 + 2 * 2); /* of its own, and twice in each of b's */
		CHECK_U64(n.enter[B], 2);
		CHECK_U64(n.flows, STRETCHES);
		CHECK_U64(n.off, 2);
		CHECK_U64(n.left_out, i ? 0 : STRETCHES - 4);
		CHECK_U64(n.left_out_ns, i ? 0 : (STRETCHES - 4) * (uint64_t)NS);
		CHECK_U64(n.counter, i ? 0 : STRETCHES - 1);
	}
	weft_trace_close(t);
}

TEST(what_was_never_recorded_is_not_believed)
{
	struct maker m;
	struct record_kinds k;
	const char *path = test_path("1.stream");
	fill(&m);
	maker_event(&m, 3, UINT64_C(1) << 62, WEFT_EV_ENTER, A, 0, NULL); /* in a hundred years */
	maker_region(&m, 0xfffffff0, "c");
	maker_save(&m, path);
	maker_end(&m);
	follow(&k, path);
	CHECK(!k.failed);
	CHECK_U64(k.decided.n, STRETCHES);
	CHECK(k.open.n < 10);
	record_kinds_fini(&k);
}

TEST(damaged_streams_stay)
{
	struct maker m;
	struct record_kinds k;
	const char *path = test_path("2.stream");
	struct {
		uint32_t state, flags;
		int rc;
	} const rows[] = {{WEFT_STREAM_OPEN, 0, 1}, {WEFT_STREAM_CLOSED, WEFT_STREAM_RING, 1}, {WEFT_STREAM_CLOSED, 0, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fill(&m);
		m.head.state = rows[i].state;
		m.head.flags = rows[i].flags;
		maker_save(&m, path);
		maker_end(&m);
		k = (struct record_kinds){.origin_ns = ORIGIN, .stretch_ns = NS, .tolerance = 0.2};
		for (unsigned s = 0; s < 4; s++) {
			record_kinds_spend(&k, 0, ORIGIN + s * NS, ORIGIN + (s + 1) * NS);
			record_kinds_decide(&k, ORIGIN + (s + 1) * NS);
		}
		CHECK_I64(record_leave_out(path, &k), rows[i].rc);
		record_kinds_fini(&k);
	}
	/* A page of a thread is missing. */
	fill(&m);
	maker_save(&m, path);
	maker_end(&m);
	follow(&k, path);
	FILE *f = fopen(path, "r+");
	REQUIRE(f && fseek(f, -(long)WEFT_PAGE_BYTES, SEEK_END) == 0);
	CHECK(ftruncate(fileno(f), ftell(f)) == 0);
	fclose(f);
	const int rc = record_leave_out(path, &k);
	CHECK(rc == 0 || rc == 1);
	CHECK_I64(record_leave_out(test_path("nothing"), &k), -ENOENT);
	record_kinds_fini(&k);
}
