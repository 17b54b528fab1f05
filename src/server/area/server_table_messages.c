/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `table/messages`: who sent how much to whom in a range of time: the matrix, by process, thread or node; what all messages together
 * were; how many there were of each size. A message is of the range when its send ended in it, as for `weft table mpi-matrix`.
 */
#include "base/map.h"
#include "metric/runs/run_tables.h"
#include "server_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 65, PAIRS_MOST = 250000 };

struct pair {
	uint32_t from, to;
	uint64_t n, bytes, most, flight_ns, flights;
};
struct sending {
	const struct weft_trace *t;
	unsigned level; /* of level_names */
	bool own_threads;
	struct weft_map at;
	WEFT_VEC(struct pair) pair;
	uint64_t n, bytes, least, most, flight_ns, flights, longest_ns, backward, unmatched;
	uint64_t of_size[SIZES]; /* messages of less than 2^i bytes, and not less than half of that */
};
static const char *const level_names[] = {"process", "thread", "node"};
enum { OF_PROCESS, OF_THREAD, OF_NODE, SEND_LEVELS };

static uint32_t end_of(const struct sending *s, uint32_t thread)
{
	if (s->level == OF_THREAD)
		return thread;
	uint32_t process = s->t->thread[thread].process;
	return s->level == OF_PROCESS ? process : s->t->process[process].node;
}

static struct pair *pair_of(struct sending *s, uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to, at;
	if (!weft_map_get(&s->at, key, &at)) {
		at = s->pair.n;
		if (weft_map_put(&s->at, key, at) || weft_vec_push(&s->pair, (struct pair){.from = from, .to = to}))
			return NULL;
	}
	return &s->pair.at[at];
}

static unsigned size_class(uint64_t bytes)
{
	return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

static int take_message(struct sending *s, uint64_t i)
{
	const struct weft_messages *m = &s->t->message;
	struct pair *p = pair_of(s, end_of(s, m->send_thread[i]), end_of(s, m->recv_thread[i]));
	uint64_t size = m->size[i], sent = m->send_began[i], got = m->recv_done[i];
	if (!p)
		return -ENOMEM;
	p->n++;
	p->bytes += size;
	p->most = size > p->most ? size : p->most;
	s->n++;
	s->bytes += size;
	s->least = size < s->least ? size : s->least;
	s->most = size > s->most ? size : s->most;
	s->of_size[size_class(size)]++;
	if (sent == WEFT_NEVER || got == WEFT_NEVER)
		return 0;
	if (got < sent) {
		s->backward++;
		return 0;
	}
	p->flight_ns += got - sent;
	p->flights++;
	s->flight_ns += got - sent;
	s->flights++;
	s->longest_ns = got - sent > s->longest_ns ? got - sent : s->longest_ns;
	return 0;
}

static int take_messages(struct sending *s, const struct server_request *r, uint64_t from, uint64_t to)
{
	const struct weft_messages *m = &s->t->message;
	s->least = UINT64_MAX;
	for (uint64_t i = 0; i < m->n; i++) {
		if (!(i & 0xfffff) && r->gone && r->gone(r))
			return -ECANCELED;
		if (m->send_done[i] < from || m->send_done[i] > to)
			continue;
		if (m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE) {
			s->unmatched++;
			continue;
		}
		if (take_message(s, i))
			return -ENOMEM;
	}
	return 0;
}

static int order_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int order_ends(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void put_end(struct weft_json *j, const struct sending *s, uint32_t i)
{
	char z[WEFT_RANK_LABEL];
	if (s->level == OF_NODE) {
		weft_json_string(j, i < s->t->n_nodes ? s->t->node[i].name : "(unknown)");
	} else if (s->level == OF_THREAD) {
		weft_json_string(j, weft_thread_label(s->t, i, z));
	} else {
		weft_rank_label(s->t, i, z);
		weft_json_string(j, z);
	}
}

/* Ends that have messages, in their order; cells name them by place in that list. */
static int put_matrix(struct weft_json *j, const struct sending *s)
{
	struct weft_map place = {0};
	uint32_t *end = malloc(2 * (s->pair.n + 1) * sizeof *end), n = 0;
	int rc = end ? 0 : -ENOMEM;
	for (size_t i = 0; i < s->pair.n && !rc; i++)
		for (unsigned k = 0; k < 2 && !rc; k++) {
			uint32_t is = k ? s->pair.at[i].to : s->pair.at[i].from;
			uint64_t known;
			if (!weft_map_get(&place, is, &known)) {
				end[n++] = is;
				rc = weft_map_put(&place, is, 1);
			}
		}
	if (n)
		qsort(end, n, sizeof *end, order_ends);
	weft_json_key(j, "ends");
	weft_json_array(j);
	for (uint32_t i = 0; i < n && !rc; i++) {
		put_end(j, s, end[i]);
		rc = weft_map_put(&place, end[i], i);
	}
	weft_json_end(j);
	weft_json_key(j, "cells");
	weft_json_array(j);
	for (size_t i = 0; i < s->pair.n && i < PAIRS_MOST && !rc; i++) {
		const struct pair *p = &s->pair.at[i];
		uint64_t from = 0, to = 0;
		if (!weft_map_get(&place, p->from, &from) || !weft_map_get(&place, p->to, &to))
			continue;
		weft_json_array(j);
		weft_json_u64(j, from);
		weft_json_u64(j, to);
		weft_json_u64(j, p->n);
		weft_json_u64(j, p->bytes);
		weft_json_u64(j, p->most);
		weft_json_u64(j, p->flights ? p->flight_ns / p->flights : 0);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_map_fini(&place);
	free(end);
	return rc;
}

static void put_sums(struct weft_json *j, const struct sending *s)
{
	server_put_u64(j, "n", s->n);
	server_put_u64(j, "bytes", s->bytes);
	server_put_u64(j, "least", s->n ? s->least : 0);
	server_put_u64(j, "most", s->most);
	server_put_u64(j, "mean_flight_ns", s->flights ? s->flight_ns / s->flights : 0);
	server_put_u64(j, "longest_flight_ns", s->longest_ns);
	server_put_u64(j, "backward", s->backward);
	server_put_u64(j, "unmatched", s->unmatched);
	weft_json_key(j, "sizes");
	weft_json_array(j);
	for (unsigned i = 0; i < SIZES; i++)
		if (s->of_size[i]) {
			weft_json_array(j);
			weft_json_u64(j, i ? UINT64_C(1) << (i - 1) : 0);
			weft_json_u64(j, s->of_size[i]);
			weft_json_end(j);
		}
	weft_json_end(j);
}

int table_answer_messages(const struct server_request *r, struct server_answer *a)
{
	struct table_range at;
	struct sending s = {.level = OF_PROCESS};
	struct server_json out;
	int rc = table_range(r, &at);
	if (!rc)
		rc = server_arg_choice(r, "level", level_names, SEND_LEVELS, OF_PROCESS, &s.level);
	if (rc)
		return rc;
	s.t = at.own;
	rc = take_messages(&s, r, at.from, at.to);
	if (!rc) {
		if (s.pair.n)
			qsort(s.pair.at, s.pair.n, sizeof *s.pair.at, order_pairs);
		struct weft_json *j = server_json_begin(&out);
		weft_json_object(j);
		server_put_string(j, "level", level_names[s.level]);
		server_put_u64(j, "from", at.from);
		server_put_u64(j, "to", at.to);
		put_sums(j, &s);
		rc = put_matrix(j, &s);
		weft_json_end(j);
		int ended = server_json_end(&out, a);
		rc = rc ? rc : ended;
	}
	weft_map_fini(&s.at);
	free(s.pair.at);
	return rc ? weft_err_set(r->err, rc, "%s", weft_err_name(rc)) : 0;
}
