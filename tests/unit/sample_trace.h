/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces for the tests of what writes traces: one small and fixed, with something of everything; random ones; and a text of all
 * that a trace says, by names and not by ids, so that two traces can be held against each other.
 */
#ifndef WEFT_TESTS_SAMPLE_TRACE_H
#define WEFT_TESTS_SAMPLE_TRACE_H

#include "harness.h"
#include "base/str.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MUST(rc) REQUIRE((rc) == 0)
#define MADE(id) sample_made(id)

static inline uint32_t sample_made(int64_t id)
{
	REQUIRE(id >= 0 && id < UINT32_MAX);
	return (uint32_t)id;
}

static inline uint64_t sample_double(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

struct sample_ids {
	uint32_t user, mpi, solve, halo, recv, odd, phase, residual, note, flops, load, size, ratio, who, world, submit,
		state_run, state_wait, set, pack, text;
};

static inline struct sample_ids sample_define(struct weft_builder *b)
{
	struct sample_ids d;
#define DEF(class, ...) MADE(weft_build_def(b, WEFT_CLASS_##class, &(struct weft_def_row){__VA_ARGS__}))
	d.user = DEF(CATEGORY, .name = "user");
	d.mpi = DEF(CATEGORY, .name = "mpi");
	d.solve = DEF(REGION, .name = "solve", .category = d.user, .state = WEFT_STATE_RUNNING, .file = "heat.c", .line = 17);
	d.halo = DEF(REGION, .name = "halo, \"wide\"", .category = d.user, .state = WEFT_STATE_COMMUNICATING);
	d.recv = DEF(REGION, .name = "MPI_Recv", .category = d.mpi, .state = WEFT_STATE_WAITING);
	d.odd = DEF(REGION, .name = "a\\b\tc \xc3\xa9 \xff", .category = d.user);
	d.phase = DEF(TYPE, .name = "phase", .category = d.user, .code = 5001);
	MUST(weft_build_label(b, d.phase, 1, "warm-up"));
	MUST(weft_build_label(b, d.phase, 2, "main, loop"));
	d.residual = DEF(TYPE, .name = "residual", .unit = "K");
	d.note = DEF(TYPE, .name = "note");
	d.flops = DEF(COUNTER, .name = "flops", .unit = "flop", .category = d.user);
	d.load = DEF(COUNTER, .name = "load");
	d.size = DEF(ATTR, .name = "size", .unit = "B");
	d.ratio = DEF(ATTR, .name = "ratio");
	d.who = DEF(ATTR, .name = "who");
	d.world = DEF(COMM, .name = "world", .code = 2, .key = 0x77);
	d.submit = DEF(FLOW, .name = "submit", .category = d.user);
	d.state_run = DEF(STATE, .name = "Running", .code = 1);
	d.state_wait = DEF(STATE, .name = "Waiting a message", .code = 3);
	uint64_t members[] = {d.flops, d.load};
	d.set = DEF(SET, .name = "flops,load", .member = members, .n_members = 2);
	d.pack = DEF(DATA, .name = "pack", .category = d.user);
	d.text = MADE(weft_build_string(b, "hello, \"world\"", 14));
	return d;
}

static inline void sample_objects(struct weft_builder *b)
{
	static const char *const hosts[] = {"n1", "n2"};
	MADE(weft_build_app(b, "heat"));
	for (unsigned n = 0; n < 2; n++) {
		MADE(weft_build_node(b, hosts[n]));
		for (unsigned c = 0; c < 2; c++)
			MADE(weft_build_cpu(b, &(struct weft_cpu){.node = n,
			                                          .os = c,
			                                          .numa = 0,
			                                          .core = c,
			                                          .package = 0,
			                                          .name = ""}));
	}
	for (unsigned p = 0; p < 2; p++) {
		struct weft_process row = {.app = 0,
		                           .node = p,
		                           .pid = 4711 + p,
		                           .parent_pid = 4000,
		                           .rank = (int32_t)p,
		                           .name = "heat",
		                           .command = "./heat 100",
		                           .host = hosts[p],
		                           .begin = 0,
		                           .end = 20000,
		                           .status = -1};
		uint32_t process = MADE(weft_build_process(b, &row));
		for (unsigned t = 0; t < 2 - p; t++) {
			struct weft_thread_row thread = {.process = process,
			                                 .number = t + 1,
			                                 .tid = 4711 + p + 100 * t,
			                                 .name = t ? "helper \"1\"" : "main",
			                                 .begin = 1000 * t,
			                                 .end = WEFT_NEVER};
			MADE(weft_build_thread(b, &thread));
		}
	}
}

struct sample_event {
	uint64_t time;
	unsigned kind, id;
	uint64_t value;
};

static inline void sample_append(struct weft_builder *b, uint32_t thread, const struct sample_event *e, size_t n)
{
	struct weft_appender *a = weft_builder_appender(b, thread);
	REQUIRE(a != NULL);
	for (size_t i = 0; i < n; i++)
		MUST(weft_append(a, e[i].time, weft_what(e[i].kind, e[i].id), e[i].value));
}

static inline void sample_events(struct weft_builder *b, const struct sample_ids *d)
{
	const struct sample_event one[] = {
		{0, WEFT_EV_THREAD_BEGIN, 0, 0},
		{0, WEFT_EV_CPU, 0, 1},
		{100, WEFT_EV_ENTER, d->solve, 0},
		{110, WEFT_EV_ATTR, d->size, 4096},
		{120, WEFT_EV_COUNTER, d->flops, 1000000},
		{150, WEFT_EV_POINT, d->phase, 2},
		{160, WEFT_EV_POINT_F, d->residual, sample_double(0.125)},
		{170, WEFT_EV_POINT_S, d->note, d->text},
		{200, WEFT_EV_ENTER, d->halo, 0},
		{210, WEFT_EV_ATTR_S, d->who, d->text},
		{900, WEFT_EV_LEAVE, d->halo, 0},
		{950, WEFT_EV_ATTR_F, d->ratio, sample_double(-1.5)},
		{1000, WEFT_EV_LEAVE, d->solve, 0},
		{1234567, WEFT_EV_LEAVE, d->recv, 0}, /* of nothing */
		{2000000, WEFT_EV_ENTER, d->recv, 0},
		{2000001, WEFT_EV_ENTER, d->odd, 0},
		{2000100, WEFT_EV_OFF, d->mpi, 0}, /* ends recv below odd */
		{2000200, WEFT_EV_LEAVE, d->odd, 0},
		{2000300, WEFT_EV_ON, d->mpi, 0},
		{3000000, WEFT_EV_ENTER, d->solve, 0},
		{3000010, WEFT_EV_ENTER, d->halo, 0},
		{3000500, WEFT_EV_LEAVE, d->solve, 0}, /* also ends halo */
		{4000000, WEFT_EV_THREAD_END, 0, 0},
	};
	const struct sample_event two[] = {
		{1000, WEFT_EV_THREAD_BEGIN, 0, 0},
		{1100, WEFT_EV_ENTER, d->solve, 0},
		{1200, WEFT_EV_COUNTER_F, d->load, sample_double(0.75)},
		{1300, WEFT_EV_POINT, d->phase, -7},
		{1400, WEFT_EV_DROPPED, 0, 12},
		{5000, WEFT_EV_FORK, 0, 4999},
		{6000, WEFT_EV_LEAVE, d->solve, 0},
	};
	const struct sample_event three[] = {
		{0, WEFT_EV_THREAD_BEGIN, 0, 0},           {10, WEFT_EV_STATE, d->state_run, 490},
		{500, WEFT_EV_STATE_END, d->state_run, 0}, {500, WEFT_EV_STATE, d->state_wait, 1000},
		{600, WEFT_EV_ENTER, d->recv, 0},          {1500, WEFT_EV_STATE_END, d->state_wait, 0},
		{2500, WEFT_EV_LEAVE, d->recv, 0},         {9000, WEFT_EV_ENTER, d->solve, 0}, /* never left */
		{15000, WEFT_EV_POINT, d->phase, 1},
	};
	sample_append(b, 0, one, sizeof one / sizeof *one);
	sample_append(b, 1, two, sizeof two / sizeof *two);
	sample_append(b, 2, three, sizeof three / sizeof *three);
}

static inline void sample_ends(struct weft_builder *b, const struct sample_ids *d)
{
	struct weft_appender *a[3];
	for (unsigned i = 0; i < 3; i++)
		a[i] = weft_builder_appender(b, i);
	MUST(weft_append_half(a[0], &(struct weft_half_row){.time = 400,
	                                                    .began = 300,
	                                                    .size = 65536,
	                                                    .comm = d->world,
	                                                    .peer = 1,
	                                                    .tag = 9,
	                                                    .key = 1,
	                                                    .is_send = true}));
	MUST(weft_append_half(a[2], &(struct weft_half_row){.time = 2400,
	                                                    .began = 700,
	                                                    .size = 65536,
	                                                    .comm = d->world,
	                                                    .peer = 0,
	                                                    .tag = 9,
	                                                    .key = 1}));
	MUST(weft_append_half(a[1], &(struct weft_half_row){.time = 2000,
	                                                    .began = 2000,
	                                                    .size = 8,
	                                                    .comm = d->world,
	                                                    .peer = 1,
	                                                    .tag = -1,
	                                                    .key = 2,
	                                                    .is_send = true})); /* never received */
	MUST(weft_append_flow(a[0], 800, d->submit, 0xabc, true));
	MUST(weft_append_flow(a[1], 1150, d->submit, 0xabc, false));
	MUST(weft_append_flow(a[1], 1160, d->submit, 0xdead, false)); /* from nowhere */
	uint64_t set[] = {7, 8}, stack[] = {0x401000, 0x402000}, collective[] = {3 | UINT64_C(1) << 32, 100, 200},
		 data[] = {0xfeed, 512};
	MUST(weft_append_extra(a[0], 500, weft_what(WEFT_EV_COUNTER_SET, d->set), set, 2));
	MUST(weft_append_extra(a[0], 510, weft_what(WEFT_EV_SAMPLE, 0), stack, 2));
	MUST(weft_append_extra(a[0], 520, weft_what(WEFT_EV_CALLSTACK, 0), stack, 1));
	MUST(weft_append_extra(a[0], 530, weft_what(WEFT_EV_COLLECTIVE, d->world), collective, 3));
	MUST(weft_append_extra(a[0], 540, weft_what(WEFT_EV_DATA, d->pack), data, 2));
	MUST(weft_append_extra(a[0], 550, weft_what(WEFT_EV_DEPENDENCY, d->submit), stack, 2));
}

static inline struct weft_trace *sample_fixed(void)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&b, "sample", "test", &how, &err));
	sample_objects(b);
	struct sample_ids d = sample_define(b);
	sample_events(b, &d);
	sample_ends(b, &d);
	MUST(weft_build_note(b, "prv.unit", "ns"));
	weft_build_realtime(b, UINT64_C(1700000000000000000));
	weft_build_keep_zero(b, 5000000);
	MUST(weft_build_finish(b, NULL, &t, &err));
	return t;
}

/* ---- a trace for one test: begin, append to the threads' appenders, finish ---- */

/* One process of `n_threads` threads that live as long as their events say. */
static inline struct weft_builder *sample_begin(unsigned n_threads, struct sample_ids *d)
{
	struct weft_builder *b;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&b, "small", "test", &how, &err));
	*d = sample_define(b);
	MADE(weft_build_app(b, "small"));
	MADE(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
	                                                  .pid = 7,
	                                                  .rank = 0,
	                                                  .name = "small",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .begin = WEFT_NEVER,
	                                                  .end = WEFT_NEVER,
	                                                  .status = -1}));
	for (unsigned i = 0; i < n_threads; i++)
		MADE(weft_build_thread(b, &(struct weft_thread_row){.number = i + 1,
		                                                    .tid = 7 + i,
		                                                    .name = "t",
		                                                    .begin = WEFT_NEVER,
		                                                    .end = WEFT_NEVER}));
	return b;
}

static inline struct weft_trace *sample_finish(struct weft_builder *b, uint64_t end)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	weft_build_keep_zero(b, end);
	MUST(weft_build_finish(b, NULL, &t, &err));
	return t;
}

#define SAMPLE_APPEND(b, thread, ...) \
	sample_append((b), (thread), (const struct sample_event[])__VA_ARGS__, \
	              sizeof((const struct sample_event[])__VA_ARGS__) / sizeof(struct sample_event))

/* ---- random traces ---- */

struct sample_random {
	unsigned n_threads, n_events; /* events: of each thread */
	uint64_t longest_gap;
	bool marks; /* of categories and of recording */
};

static inline uint64_t sample_below(uint64_t n)
{
	return n ? test_random() % n : 0;
}

static inline void sample_random_event(struct weft_appender *a, uint64_t time, const struct sample_ids *d, bool marks)
{
	const uint32_t regions[] = {d->solve, d->halo, d->recv, d->odd};
	uint64_t words[40];
	unsigned n = (unsigned)sample_below(40);
	for (unsigned i = 0; i < 40; i++)
		words[i] = test_random();
	uint64_t word = test_random() >> sample_below(64);
	uint32_t region = regions[sample_below(4)];
	switch (sample_below(marks ? 20 : 18)) {
	case 0:
	case 1:
	case 2:
	case 3:
		MUST(weft_append(a, time, weft_what(WEFT_EV_ENTER, region), 0));
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		MUST(weft_append(a, time, weft_what(WEFT_EV_LEAVE, region), 0));
		break;
	case 8:
		MUST(weft_append(a, time, weft_what(WEFT_EV_POINT, d->phase), word));
		break;
	case 9:
		MUST(weft_append(a, time, weft_what(WEFT_EV_POINT_S, d->note), d->text));
		break;
	case 10:
		MUST(weft_append(a, time, weft_what(WEFT_EV_COUNTER, d->flops), word));
		break;
	case 11:
		MUST(weft_append(a, time, weft_what(WEFT_EV_COUNTER_F, d->load), sample_double((double)(int64_t)word)));
		break;
	case 12:
		MUST(weft_append(a, time, weft_what(WEFT_EV_ATTR, d->size), word));
		break;
	case 13:
		MUST(weft_append_extra(a, time, weft_what(WEFT_EV_SAMPLE, 0), words, n));
		break;
	case 14:
		MUST(weft_append_extra(a, time, weft_what(WEFT_EV_CALLSTACK, 0), words, n));
		break;
	case 15:
		MUST(weft_append(a, time, weft_what(WEFT_EV_CPU, 0), sample_below(2)));
		break;
	case 16:
		MUST(weft_append_extra(a, time, weft_what(WEFT_EV_DATA, d->pack), words, 2));
		break;
	case 17:
		MUST(weft_append_extra(a, time, weft_what(WEFT_EV_COUNTER_SET, d->set), words, 2));
		break;
	case 18:
		MUST(weft_append(a, time, weft_what(WEFT_EV_OFF, sample_below(2) ? d->user : d->mpi), 0));
		break;
	default:
		MUST(weft_append(a, time, weft_what(sample_below(2) ? WEFT_EV_OFF : WEFT_EV_ON, 0), 0));
	}
}

static inline void sample_random_arrows(struct weft_builder *b, const struct sample_ids *d, unsigned n_threads, unsigned n,
                                        uint64_t end)
{
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t out = sample_below(end), in = out + sample_below(end - out + 1);
		struct weft_appender *from = weft_builder_appender(b, (uint32_t)sample_below(n_threads));
		struct weft_appender *to = weft_builder_appender(b, (uint32_t)sample_below(n_threads));
		bool sent = sample_below(8) > 0, received = sample_below(8) > 0;
		if (i % 2) {
			if (sent)
				MUST(weft_append_flow(from, out, d->submit, i, true));
			if (received)
				MUST(weft_append_flow(to, in, d->submit, i, false));
			continue;
		}
		struct weft_half_row h = {.time = out,
		                          .began = sample_below(out + 1),
		                          .size = i * 8,
		                          .comm = d->world,
		                          .peer = -1,
		                          .tag = (int32_t)sample_below(3),
		                          .key = i,
		                          .is_send = true};
		if (sent)
			MUST(weft_append_half(from, &h));
		h.is_send = false;
		h.time = in;
		h.began = sample_below(in + 1);
		if (received)
			MUST(weft_append_half(to, &h));
	}
}

static inline struct weft_trace *sample_random(const struct sample_random *how)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how open = {.memory = 256 << 20, .threads = 1, .no_index = true};
	uint64_t end = 0;
	MUST(weft_builder_new(&b, "random", "test", &open, &err));
	struct sample_ids d = sample_define(b);
	MADE(weft_build_app(b, "random"));
	MADE(weft_build_node(b, "n1"));
	for (unsigned c = 0; c < 2; c++)
		MADE(weft_build_cpu(b, &(struct weft_cpu){.node = 0, .os = c, .core = c, .name = ""}));
	for (unsigned i = 0; i < how->n_threads; i++) {
		if (i % 3 == 0)
			MADE(weft_build_process(b, &(struct weft_process){.app = 0,
			                                                  .node = 0,
			                                                  .pid = 100 + i,
			                                                  .parent_pid = 1,
			                                                  .rank = (int32_t)(i / 3),
			                                                  .name = "random",
			                                                  .command = "random",
			                                                  .host = "n1",
			                                                  .begin = WEFT_NEVER,
			                                                  .end = WEFT_NEVER,
			                                                  .status = -1}));
		MADE(weft_build_thread(b, &(struct weft_thread_row){.process = i / 3,
		                                                    .number = i % 3 + 1,
		                                                    .tid = 1000 + i,
		                                                    .name = "t",
		                                                    .begin = WEFT_NEVER,
		                                                    .end = WEFT_NEVER}));
		struct weft_appender *a = weft_builder_appender(b, i);
		uint64_t time = 0;
		for (unsigned k = 0; k < how->n_events; k++) {
			time += sample_below(how->longest_gap);
			sample_random_event(a, time, &d, how->marks);
		}
		end = time > end ? time : end;
	}
	sample_random_arrows(b, &d, how->n_threads, how->n_threads * how->n_events / 8, end);
	weft_build_realtime(b, UINT64_C(1700000000000000000));
	weft_build_keep_zero(b, end);
	MUST(weft_build_finish(b, NULL, &t, &err));
	return t;
}

/* ---- what a trace says, as text ---- */

static inline void sample_say_def(const struct weft_trace *t, enum weft_class c, uint32_t id, struct weft_buf *out)
{
	if (c == WEFT_CLASS_NONE || id == 0 || id >= t->def[c].n)
		return;
	const struct weft_def_row *d = &t->def[c].at[id];
	weft_buf_printf(out, " '%s' unit='%s' file='%s':%u category='%s' state=%u code=%" PRId64 " key=%" PRIx64, d->name,
	                d->unit, d->file, d->line, t->def[WEFT_CLASS_CATEGORY].at[d->category].name, d->state, d->code, d->key);
	for (uint32_t i = 0; i < d->n_labels; i++)
		weft_buf_printf(out, " %" PRId64 "='%s'", d->label[i].value, d->label[i].text);
	for (uint32_t i = 0; i < d->n_members; i++)
		weft_buf_printf(out, " %s", c == WEFT_CLASS_SET ? t->def[WEFT_CLASS_COUNTER].at[d->member[i]].name : "member");
}

static inline void sample_say_end(const struct weft_trace *t, uint32_t thread, uint64_t time, struct weft_buf *out)
{
	char label[40] = "none";
	if (thread != WEFT_NONE)
		weft_thread_label(t, thread, label);
	weft_buf_printf(out, " %s@%" PRId64, label, (int64_t)time);
}

/* Shifts every time by `shift`. */
static inline void sample_say_value(const struct weft_trace *t, uint32_t thread, unsigned kind, uint64_t v, int64_t shift,
                                    struct weft_buf *out)
{
	const struct weft_messages *m = &t->message;
	const struct weft_flows *f = &t->flow;
	uint32_t n = 0;
	if (kind == WEFT_EV_SEND || kind == WEFT_EV_RECV) {
		weft_buf_printf(out, " tag=%d size=%" PRIu64, m->tag[v], m->size[v]);
		sample_say_end(t, m->send_thread[v], m->send_thread[v] == WEFT_NONE ? 0 : m->send_began[v] + (uint64_t)shift,
		               out);
		sample_say_end(t, m->send_thread[v], m->send_thread[v] == WEFT_NONE ? 0 : m->send_done[v] + (uint64_t)shift, out);
		sample_say_end(t, m->recv_thread[v], m->recv_thread[v] == WEFT_NONE ? 0 : m->recv_began[v] + (uint64_t)shift,
		               out);
		sample_say_end(t, m->recv_thread[v], m->recv_thread[v] == WEFT_NONE ? 0 : m->recv_done[v] + (uint64_t)shift, out);
	} else if (kind == WEFT_EV_FLOW_OUT || kind == WEFT_EV_FLOW_IN) {
		weft_buf_printf(out, " key=%" PRIx64, f->key[v]);
		sample_say_end(t, f->from_thread[v], f->from_thread[v] == WEFT_NONE ? 0 : f->from_time[v] + (uint64_t)shift, out);
		sample_say_end(t, f->to_thread[v], f->to_thread[v] == WEFT_NONE ? 0 : f->to_time[v] + (uint64_t)shift, out);
	} else if (kind == WEFT_EV_POINT_S || kind == WEFT_EV_ATTR_S) {
		weft_buf_printf(out, " '%s'", t->def[WEFT_CLASS_STRING].at[v].name);
	} else if (kind == WEFT_EV_CPU && v == WEFT_NONE) {
		weft_buf_puts(out, " unknown");
	} else if (kind == WEFT_EV_CPU) {
		weft_buf_printf(out, " cpu %u of %s", t->cpu[v].os, t->node[t->cpu[v].node].name);
	} else if (weft_kind_info[kind].words == 1) {
		weft_buf_printf(out, " %" PRIx64, v);
	} else if (weft_kind_info[kind].words != 0) {
		const uint64_t *word = weft_extra(t, thread, v, &n);
		for (uint32_t i = 0; i < n; i++)
			weft_buf_printf(out, " %" PRIx64, word[i]);
	}
}

/* The events of one thread in [from, to), a line each. */
static inline void sample_say_thread(const struct weft_trace *t, uint32_t thread, uint64_t from, uint64_t to, int64_t shift,
                                     struct weft_buf *out)
{
	struct weft_cursor c;
	struct weft_block b;
	char label[40];
	int rc;
	weft_buf_printf(out, "thread %s '%s' tid=%" PRId64 "\n", weft_thread_label(t, thread, label), t->thread[thread].name,
	                t->thread[thread].tid);
	MUST(weft_cursor_begin(&c, t, thread, from, to));
	while ((rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			weft_buf_printf(out, "%" PRId64 " %s", (int64_t)b.time[i] + shift, weft_kind_info[kind].name);
			sample_say_def(t, weft_kind_info[kind].of, weft_what_id(b.what[i]), out);
			sample_say_value(t, thread, kind, b.value[i], shift, out);
			weft_buf_putc(out, '\n');
		}
	REQUIRE(rc == 0);
	weft_cursor_end(&c);
}

static inline void sample_say_objects(const struct weft_trace *t, struct weft_buf *out)
{
	weft_buf_printf(out, "end %" PRIu64 " realtime %" PRIu64 "\n", t->end, t->begin_realtime);
	for (uint32_t i = 0; i < t->n_processes; i++) {
		const struct weft_process *p = &t->process[i];
		weft_buf_printf(out,
		                "process app=%u '%s' node='%s' pid=%" PRId64 " parent=%" PRId64
		                " rank=%d '%s' '%s' '%s' threads=%u\n",
		                p->app, t->app[p->app].name, p->node == WEFT_NONE ? "" : t->node[p->node].name, p->pid,
		                p->parent_pid, p->rank, p->name, p->command, p->host, p->n_threads);
	}
	for (uint32_t i = 0; i < t->n_cpus; i++)
		weft_buf_printf(out, "cpu %u of %s: %u %u %u\n", t->cpu[i].os, t->node[t->cpu[i].node].name, t->cpu[i].numa,
		                t->cpu[i].core, t->cpu[i].package);
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (strcmp(t->note[i].key, "prv.messages") != 0) /* of the reader, of how lines of a .prv stand */
			weft_buf_printf(out, "note %s=%s\n", t->note[i].key, t->note[i].text);
}

/* All of it; malloc'd. */
static inline char *sample_say(const struct weft_trace *t)
{
	struct weft_buf out = {0};
	sample_say_objects(t, &out);
	for (uint32_t i = 0; i < t->n_threads; i++) {
		weft_buf_printf(&out, "lives %" PRIu64 " to %" PRIu64 "\n", t->thread[i].begin, t->thread[i].end);
		sample_say_thread(t, i, 0, WEFT_NEVER, 0, &out);
	}
	REQUIRE(!out.failed);
	return out.at;
}

/* Checks that two texts are equal; when not, says the first line that differs. */
static inline void sample_same(const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return;
	struct weft_str g = weft_str(got), w = weft_str(want), a = {0}, b = {0};
	unsigned line = 0;
	bool more_got, more_want;
	do {
		line++;
		a = b = (struct weft_str){0};
		more_got = weft_str_cut(&g, '\n', &a);
		more_want = weft_str_cut(&w, '\n', &b);
	} while (more_got && more_want && a.n == b.n && memcmp(a.at, b.at, a.n) == 0);
	char *x = strndup(a.at ? a.at : "", a.n), *y = strndup(b.at ? b.at : "", b.n);
	CHECK_U64(line, 0); /* the number of the first line that differs */
	CHECK_STR(x, y);
	free(x);
	free(y);
}

#endif
