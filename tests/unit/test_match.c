/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and flows from their ends: against a simple model, and the cases that the rules name. */
#include "harness.h"
#include "trace/store/builder.h"
#include "trace/store/cursor.h"
#include <stdlib.h>
#include <string.h>

struct world {
	struct weft_builder *b;
	uint32_t n_threads, comm[4], flow[2];
};

/* n_processes of n_threads threads each, in one application; communicators 0 to 3. */
static void world_begin_in(struct world *w, unsigned n_processes, unsigned n_threads, unsigned n_apps, uint64_t memory)
{
	struct weft_open_how how = {.no_index = true, .memory = memory};
	memset(w, 0, sizeof *w);
	REQUIRE(weft_builder_new(&w->b, "test", "test", &how, NULL) == 0);
	for (unsigned a = 0; a < n_apps; a++) {
		REQUIRE(weft_build_app(w->b, "app") == a);
		for (unsigned p = 0; p < n_processes; p++) {
			struct weft_process row = {.app = a,
			                           .node = WEFT_NONE,
			                           .rank = (int32_t)p,
			                           .begin = WEFT_NEVER,
			                           .end = WEFT_NEVER,
			                           .status = -1};
			int64_t process = weft_build_process(w->b, &row);
			REQUIRE(process >= 0);
			for (unsigned t = 0; t < n_threads; t++, w->n_threads++) {
				struct weft_thread_row thread = {.process = (uint32_t)process,
				                                 .begin = WEFT_NEVER,
				                                 .end = WEFT_NEVER};
				REQUIRE(weft_build_thread(w->b, &thread) == w->n_threads);
			}
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		char name[8] = {(char)('a' + i), 0};
		w->comm[i] = (uint32_t)weft_build_def(w->b, WEFT_CLASS_COMM,
		                                      &(struct weft_def_row){.name = name, .key = i ? 100 + i : 0});
	}
	for (unsigned i = 0; i < 2; i++)
		w->flow[i] = (uint32_t)weft_build_def(w->b, WEFT_CLASS_FLOW, &(struct weft_def_row){.name = i ? "x" : "y"});
}

static void world_begin(struct world *w, unsigned n_processes, unsigned n_threads, unsigned n_apps)
{
	world_begin_in(w, n_processes, n_threads, n_apps, 0);
}

static void half(struct world *w, uint32_t thread, struct weft_half_row h)
{
	struct weft_appender *a = weft_builder_appender(w->b, thread);
	REQUIRE(a != NULL);
	if (!h.began)
		h.began = h.time;
	REQUIRE(weft_append_half(a, &h) == 0);
}

static struct weft_trace *world_end(struct world *w)
{
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	weft_build_keep_zero(w->b, 0);
	CHECK(weft_build_finish(w->b, NULL, &t, &err) == 0);
	CHECK_STR(err.text, "");
	REQUIRE(t != NULL);
	return t;
}

/* Each SEND and RECV event of the trace leads to a message whose end it is. */
static void check_back_links(const struct weft_trace *t)
{
	uint64_t sends = 0, recvs = 0, want_sends = 0, want_recvs = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++) {
				unsigned kind = weft_what_kind(b.what[k]);
				if (kind != WEFT_EV_SEND && kind != WEFT_EV_RECV)
					continue;
				bool send = kind == WEFT_EV_SEND;
				REQUIRE(b.value[k] < t->message.n);
				CHECK_U64((send ? t->message.send_thread : t->message.recv_thread)[b.value[k]], i);
				CHECK_U64((send ? t->message.send_done : t->message.recv_done)[b.value[k]], b.time[k]);
				*(send ? &sends : &recvs) += 1;
			}
		weft_cursor_end(&c);
	}
	for (uint64_t i = 0; i < t->message.n; i++) {
		want_sends += t->message.send_thread[i] != WEFT_NONE;
		want_recvs += t->message.recv_thread[i] != WEFT_NONE;
		if (i)
			CHECK(t->message.send_done[i] >= t->message.send_done[i - 1]);
	}
	CHECK_U64(sends, want_sends);
	CHECK_U64(recvs, want_recvs);
}

TEST(kth_send_goes_with_kth_receive)
{
	struct world w;
	world_begin(&w, 2, 1, 1);
	for (uint64_t i = 0; i < 5; i++) {
		half(&w, 0,
		     (struct weft_half_row){.time = 100 + i,
		                            .began = 90 + i,
		                            .size = 10 + i,
		                            .comm = w.comm[1],
		                            .peer = 1,
		                            .tag = 7,
		                            .is_send = true});
		half(&w, 1,
		     (struct weft_half_row){.time = 200 + i,
		                            .began = 150 + i,
		                            .size = 10 + i,
		                            .comm = w.comm[1],
		                            .peer = 0,
		                            .tag = 7});
	}
	struct weft_trace *t = world_end(&w);
	REQUIRE(t->message.n == 5);
	for (uint64_t i = 0; i < 5; i++) {
		CHECK_U64(t->message.send_thread[i], 0);
		CHECK_U64(t->message.recv_thread[i], 1);
		CHECK_U64(t->message.send_began[i], 90 + i);
		CHECK_U64(t->message.send_done[i], 100 + i);
		CHECK_U64(t->message.recv_began[i], 150 + i);
		CHECK_U64(t->message.recv_done[i], 200 + i);
		CHECK_U64(t->message.size[i], 10 + i);
		CHECK_I64(t->message.tag[i], 7);
		CHECK_U64(t->message.comm[i], w.comm[1]);
	}
	CHECK_U64(t->backward_messages, 0);
	check_back_links(t);
	weft_trace_close(t);
}

TEST(channels_do_not_mix)
{
	struct world w;
	world_begin(&w, 3, 1, 2);
	/* One receive each that differs in one thing from the send of process 0 to 1 with tag 1 on communicator 1. */
	half(&w, 0, (struct weft_half_row){.time = 10, .comm = w.comm[1], .peer = 1, .tag = 1, .is_send = true});
	half(&w, 1, (struct weft_half_row){.time = 20, .comm = w.comm[1], .peer = 0, .tag = 2}); /* tag */
	half(&w, 1, (struct weft_half_row){.time = 21, .comm = w.comm[2], .peer = 0, .tag = 1}); /* communicator */
	half(&w, 1, (struct weft_half_row){.time = 22, .comm = w.comm[1], .peer = 2, .tag = 1}); /* sender */
	half(&w, 2, (struct weft_half_row){.time = 23, .comm = w.comm[1], .peer = 0, .tag = 1}); /* receiver */
	half(&w, 4, (struct weft_half_row){.time = 24, .comm = w.comm[1], .peer = 0, .tag = 1}); /* application */
	struct weft_trace *t = world_end(&w);
	CHECK_U64(t->message.n, 6);
	CHECK_U64(t->message.send_thread[0], 0);
	CHECK_U64(t->message.recv_thread[0], WEFT_NONE);
	CHECK_U64(t->message.recv_done[0], WEFT_NEVER);
	for (unsigned i = 1; i < 6; i++) {
		CHECK_U64(t->message.send_thread[i], WEFT_NONE);
		CHECK_U64(t->message.send_done[i], WEFT_NEVER);
		CHECK_U64(t->message.recv_done[i], 19 + i); /* those without a sender by time of receiving */
	}
	check_back_links(t);
	weft_trace_close(t);
}

TEST(peers_of_a_smaller_communicator_are_translated)
{
	struct world w;
	world_begin(&w, 4, 1, 1);
	const uint64_t members[] = {3, 1};
	uint32_t comm =
		(uint32_t)weft_build_def(w.b, WEFT_CLASS_COMM,
	                                 &(struct weft_def_row){.name = "pair", .key = 9, .member = members, .n_members = 2});
	half(&w, 3,
	     (struct weft_half_row){.time = 1, .comm = comm, .peer = 1, .is_send = true}); /* world rank 3 to world rank 1 */
	half(&w, 1, (struct weft_half_row){.time = 2, .comm = comm, .peer = 0});
	struct weft_trace *t = world_end(&w);
	CHECK_U64(t->message.n, 1);
	CHECK_U64(t->message.send_thread[0], 3);
	CHECK_U64(t->message.recv_thread[0], 1);
	weft_trace_close(t);
}

TEST(threads_of_a_process_share_its_channels_in_order_of_time)
{
	struct world w;
	world_begin(&w, 2, 2, 1);
	half(&w, 1, (struct weft_half_row){.time = 30, .size = 3, .comm = w.comm[1], .peer = 1, .is_send = true});
	half(&w, 0, (struct weft_half_row){.time = 20, .size = 2, .comm = w.comm[1], .peer = 1, .is_send = true});
	half(&w, 1, (struct weft_half_row){.time = 10, .size = 1, .comm = w.comm[1], .peer = 1, .is_send = true});
	half(&w, 3, (struct weft_half_row){.time = 41, .size = 1, .comm = w.comm[1], .peer = 0});
	half(&w, 2, (struct weft_half_row){.time = 43, .size = 3, .comm = w.comm[1], .peer = 0});
	half(&w, 3, (struct weft_half_row){.time = 42, .size = 2, .comm = w.comm[1], .peer = 0});
	struct weft_trace *t = world_end(&w);
	REQUIRE(t->message.n == 3);
	for (uint64_t i = 0; i < 3; i++) {
		CHECK_U64(t->message.send_done[i], 10 * (i + 1));
		CHECK_U64(t->message.recv_done[i], 41 + i);
		CHECK_U64(t->message.size[i], i + 1);
	}
	check_back_links(t);
	weft_trace_close(t);
}

TEST(key_pairs_two_halves_whatever_else_they_say)
{
	struct world w;
	world_begin(&w, 2, 2, 1);
	half(&w, 0, (struct weft_half_row){.time = 10, .comm = w.comm[1], .peer = 1, .tag = 5, .key = 77, .is_send = true});
	half(&w, 0, (struct weft_half_row){.time = 11, .comm = w.comm[1], .peer = 1, .tag = 5, .key = 78, .is_send = true});
	half(&w, 1, (struct weft_half_row){.time = 5, .comm = w.comm[2], .peer = 0, .tag = 9, .key = 78});
	half(&w, 3, (struct weft_half_row){.time = 20, .comm = w.comm[1], .peer = 0, .tag = 5, .key = 77});
	half(&w, 3, (struct weft_half_row){.time = 21, .comm = w.comm[1], .peer = 0, .tag = 5, .key = 79}); /* alone */
	struct weft_trace *t = world_end(&w);
	REQUIRE(t->message.n == 3);
	CHECK_U64(t->message.recv_thread[0], 3);
	CHECK_U64(t->message.recv_thread[1], 1);
	CHECK_U64(t->message.send_thread[2], WEFT_NONE);
	CHECK_U64(t->backward_messages, 1); /* received at 5, sent at 11 */
	weft_trace_close(t);
}

static void check_random(uint64_t memory)
{
	enum { PROCESSES = 4, N = 3000 };
	static struct {
		uint64_t send, recv;
		unsigned from, to, tag;
	} m[N];
	struct world w;
	world_begin_in(&w, PROCESSES, 1, 1, memory);
	/* Sends at growing times; each is received later, in the same order on its channel. */
	uint64_t now = 0, last_recv[PROCESSES][PROCESSES][3] = {0};
	for (unsigned i = 0; i < N; i++) {
		now += 1 + test_random() % 10;
		m[i].from = (unsigned)(test_random() % PROCESSES);
		m[i].to = (unsigned)(test_random() % PROCESSES);
		m[i].tag = (unsigned)(test_random() % 3);
		m[i].send = now;
		uint64_t *last = &last_recv[m[i].from][m[i].to][m[i].tag];
		m[i].recv = (*last > now ? *last : now) + 1 + test_random() % 500;
		*last = m[i].recv;
	}
	for (unsigned i = N; i-- > 0;) /* appended backwards */
		half(&w, m[i].to,
		     (struct weft_half_row){.time = m[i].recv,
		                            .size = i,
		                            .comm = w.comm[0],
		                            .peer = (int32_t)m[i].from,
		                            .tag = (int32_t)m[i].tag});
	for (unsigned i = 0; i < N; i++)
		half(&w, m[i].from,
		     (struct weft_half_row){.time = m[i].send,
		                            .size = i,
		                            .comm = w.comm[0],
		                            .peer = (int32_t)m[i].to,
		                            .tag = (int32_t)m[i].tag,
		                            .is_send = true});
	struct weft_trace *t = world_end(&w);
	REQUIRE(t->message.n == N);
	for (unsigned i = 0; i < N; i++) {
		CHECK_U64(t->message.send_done[i], m[i].send);
		CHECK_U64(t->message.recv_done[i], m[i].recv);
		CHECK_U64(t->message.send_thread[i], m[i].from);
		CHECK_U64(t->message.recv_thread[i], m[i].to);
	}
	check_back_links(t);
	weft_trace_close(t);
}

TEST(random_messages_match_as_in_the_model)
{
	check_random(0);
	check_random(64 << 10); /* most of it goes to files */
}

TEST(known_messages_and_halves_go_together)
{
	struct world w;
	world_begin(&w, 2, 1, 1);
	struct weft_message_row known = {.send_thread = 0,
	                                 .recv_thread = 1,
	                                 .comm = w.comm[0],
	                                 .tag = 3,
	                                 .size = 8,
	                                 .send_began = 1,
	                                 .send_done = 15,
	                                 .recv_began = 2,
	                                 .recv_done = 25};
	half(&w, 0, (struct weft_half_row){.time = 10, .comm = w.comm[1], .peer = 1, .is_send = true});
	REQUIRE(weft_build_message(w.b, &known) == 0);
	half(&w, 0, (struct weft_half_row){.time = 20, .comm = w.comm[1], .peer = 1, .is_send = true});
	half(&w, 1, (struct weft_half_row){.time = 30, .comm = w.comm[1], .peer = 0});
	struct weft_trace *t = world_end(&w);
	REQUIRE(t->message.n == 3);
	CHECK_U64(t->message.send_done[1], 15);
	CHECK_U64(t->message.recv_done[1], 25);
	CHECK_U64(t->message.send_began[1], 1);
	CHECK_U64(t->message.recv_thread[2], WEFT_NONE);
	check_back_links(t);
	weft_trace_close(t);
}

TEST(flows_pair_by_kind_and_key)
{
	struct world w;
	world_begin(&w, 1, 3, 1);
	struct weft_appender *a[3];
	for (uint32_t i = 0; i < 3; i++)
		REQUIRE((a[i] = weft_builder_appender(w.b, i)) != NULL);
	REQUIRE(weft_append_flow(a[0], 10, w.flow[0], 5, true) == 0);
	REQUIRE(weft_append_flow(a[0], 11, w.flow[1], 5, true) == 0); /* another kind */
	REQUIRE(weft_append_flow(a[0], 12, w.flow[0], 6, true) == 0); /* another key */
	REQUIRE(weft_append_flow(a[0], 13, w.flow[0], 5, true) == 0); /* the second of its channel */
	REQUIRE(weft_append_flow(a[1], 20, w.flow[0], 5, false) == 0);
	REQUIRE(weft_append_flow(a[2], 21, w.flow[0], 5, false) == 0);
	REQUIRE(weft_append_flow(a[2], 22, w.flow[1], 5, false) == 0);
	REQUIRE(weft_append_flow(a[2], 23, w.flow[1], 9, false) == 0); /* without a begin */
	struct weft_trace *t = world_end(&w);
	const struct weft_flows *f = &t->flow;
	REQUIRE(f->n == 5);
	const uint64_t from[] = {10, 11, 12, 13, WEFT_NEVER}, to[] = {20, 22, WEFT_NEVER, 21, 23}, key[] = {5, 5, 6, 5, 9};
	const uint32_t to_thread[] = {1, 2, WEFT_NONE, 2, 2};
	for (unsigned i = 0; i < 5; i++) {
		CHECK_U64(f->from_time[i], from[i]);
		CHECK_U64(f->to_time[i], to[i]);
		CHECK_U64(f->key[i], key[i]);
		CHECK_U64(f->to_thread[i], to_thread[i]);
		CHECK_U64(f->from_thread[i], i < 4 ? 0 : WEFT_NONE);
	}
	struct weft_cursor c;
	struct weft_block b;
	REQUIRE(weft_cursor_begin(&c, t, 2, 0, WEFT_NEVER) == 0);
	REQUIRE(weft_cursor_next(&c, &b) == 1 && b.n == 3);
	CHECK_U64(b.value[0], 3);
	CHECK_U64(b.value[1], 1);
	CHECK_U64(b.value[2], 4);
	weft_cursor_end(&c);
	weft_trace_close(t);
}

/* Two processes that number their tasks alike, at the same time. */
TEST(flows_whose_keys_are_a_processs_own_stay_in_it)
{
	for (unsigned own = 0; own < 2; own++) {
		struct world w;
		world_begin(&w, 2, 2, 1);
		struct weft_def_row row = {.name = "task", .key = own ? WEFT_FLOW_OWN : 0};
		int64_t flow = weft_build_def(w.b, WEFT_CLASS_FLOW, &row);
		struct weft_appender *a[4]; /* 0, 1: of the first process */
		for (uint32_t i = 0; i < 4; i++)
			REQUIRE((a[i] = weft_builder_appender(w.b, i)) != NULL);
		REQUIRE(flow > 0);
		REQUIRE(weft_append_flow(a[0], 10, (uint32_t)flow, 5, true) == 0);
		REQUIRE(weft_append_flow(a[2], 11, (uint32_t)flow, 5, true) == 0);
		REQUIRE(weft_append_flow(a[3], 20, (uint32_t)flow, 5, false) == 0);
		REQUIRE(weft_append_flow(a[1], 21, (uint32_t)flow, 5, false) == 0);
		struct weft_trace *t = world_end(&w);
		REQUIRE(t->flow.n == 2 && t->n_processes == 2);
		CHECK_U64(t->thread[0].process, t->thread[1].process);
		CHECK_U64(t->flow.from_thread[0], 0);
		CHECK_U64(t->flow.to_thread[0], own ? 1 : 3);
		CHECK_U64(t->flow.from_thread[1], 2);
		CHECK_U64(t->flow.to_thread[1], own ? 3 : 1);
		weft_trace_close(t);
	}
}

/* ---- rings ---- */

/*
 * Process 0 sends ten messages to process 1, one each 100 ns, of `bytes` + the number of bytes each; each comes 10 ns later. Of the sends
 * the first `lost` are overwritten, and so may others be before `from`. How many messages have both ends; all of those must be true.
 */
static uint64_t ring_pairs_of(struct build_ring ring, unsigned lost, unsigned n_received, bool keys, uint64_t *unmatched)
{
	struct world w;
	uint64_t pairs = 0;
	world_begin(&w, 2, 1, 1);
	REQUIRE(builder_set_ring(w.b, 0, &ring) == 0);
	for (unsigned i = lost; i < 10; i++)
		half(&w, 0,
		     (struct weft_half_row){.time = 1000 + 100 * i,
		                            .size = 8,
		                            .comm = w.comm[1],
		                            .peer = 1,
		                            .key = keys ? i + 1 : 0,
		                            .is_send = true});
	for (unsigned i = 0; i < n_received; i++)
		half(&w, 1,
		     (struct weft_half_row){.time = 1010 + 100 * i,
		                            .size = 8,
		                            .comm = w.comm[1],
		                            .peer = 0,
		                            .key = keys ? i + 1 : 0});
	struct weft_trace *t = world_end(&w);
	check_back_links(t);
	*unmatched = 0;
	for (uint64_t i = 0; i < t->message.n; i++) {
		if (t->message.send_thread[i] == WEFT_NONE || t->message.recv_thread[i] == WEFT_NONE) {
			++*unmatched;
			continue;
		}
		pairs++;
		CHECK_U64(t->message.recv_done[i], t->message.send_done[i] + 10);
	}
	CHECK((weft_trace_note(t, WEFT_NOTE_RINGS) != NULL) == (*unmatched > 0 && !keys));
	weft_trace_close(t);
	return pairs;
}

TEST(of_a_ring_the_last_ends_belong_together)
{
	uint64_t alone;
	CHECK_U64(ring_pairs_of((struct build_ring){1450, true}, 5, 10, false, &alone), 5);
	CHECK_U64(alone, 5);
	/* Not all that is there is whole. */
	CHECK_U64(ring_pairs_of((struct build_ring){1650, true}, 5, 10, false, &alone), 3);
	CHECK_U64(alone, 9);
	/* Its last messages were under way when it was looked at, or it was killed. */
	CHECK_U64(ring_pairs_of((struct build_ring){1450, false}, 5, 8, false, &alone), 0);
	CHECK_U64(alone, 13);
	CHECK_U64(ring_pairs_of((struct build_ring){WEFT_NEVER, true}, 5, 10, false, &alone), 0);
	/* They would come before they were sent. */
	CHECK_U64(ring_pairs_of((struct build_ring){1450, true}, 5, 8, false, &alone), 0);
	CHECK_U64(alone, 13);
	/* What has a key of its own needs none of that. */
	CHECK_U64(ring_pairs_of((struct build_ring){WEFT_NEVER, false}, 5, 10, true, &alone), 5);
	/* A ring that has lost nothing. */
	CHECK_U64(ring_pairs_of((struct build_ring){0, false}, 0, 10, false, &alone), 10);
}
