/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and flows of a saved page, for arrows (web/export/arrows.js unpacks them). Where they do not all fit, the longest stay: of the others
 * little is seen until one is very near.
 *
 *   begin, from the one before it | length | row it leaves | row it reaches     ns; length: twice its size, and 1 where it ends before it begins
 */
#include "server_export_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { PACKED_BYTES = 10 /* of an arrow in the page, about */, LOOK_EVERY = 1 << 20 };

struct arrow {
	uint64_t begin, end; /* ns */
	uint32_t from, to;   /* rows */
};
struct arrows {
	const struct server_export_how *how;
	uint64_t most, n; /* n: that there are in the range */
	WEFT_VEC(struct arrow) kept;
};

static uint64_t length_of(const struct arrow *a)
{
	return a->end > a->begin ? a->end - a->begin : a->begin - a->end;
}

static int order_length(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	uint64_t m = length_of(x), n = length_of(y);
	if (m != n)
		return m > n ? -1 : 1;
	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->from > y->from) - (x->from < y->from);
}

static int order_begin(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to != y->to ? (x->to < y->to ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

static void keep_longest(struct arrows *a)
{
	if (a->kept.n <= a->most)
		return;
	qsort(a->kept.at, a->kept.n, sizeof *a->kept.at, order_length);
	a->kept.n = a->most;
}

static int take(struct arrows *a, uint32_t from_thread, uint32_t to_thread, uint64_t begin, uint64_t end)
{
	const struct server_trace *t = export_trace(a->how);
	if (begin == WEFT_NEVER || end == WEFT_NEVER)
		return 0;
	struct arrow x = {begin, end, server_row_of_thread(t, from_thread), server_row_of_thread(t, to_thread)};
	uint64_t first = begin < end ? begin : end, last = begin < end ? end : begin;
	if (x.from == WEFT_NONE || x.to == WEFT_NONE || last < a->how->from || first >= a->how->to)
		return 0;
	a->n++;
	if (a->kept.n > 2 * a->most)
		keep_longest(a);
	return weft_vec_push(&a->kept, x);
}

static int take_messages(struct arrows *a)
{
	const struct weft_messages *m = &export_trace(a->how)->trace->message;
	int rc = 0;
	for (uint64_t i = 0; i < m->n && !rc; i++) {
		uint64_t begin = m->send_done[i] == WEFT_NEVER ? m->send_began[i] : m->send_done[i];
		rc = i % LOOK_EVERY == 0 && export_gone(a->how)
		             ? -ECANCELED
		             : take(a, m->send_thread[i], m->recv_thread[i], begin, m->recv_done[i]);
	}
	return rc;
}

static int take_flows(struct arrows *a)
{
	const struct weft_flows *f = &export_trace(a->how)->trace->flow;
	int rc = 0;
	for (uint64_t i = 0; i < f->n && !rc; i++)
		rc = i % LOOK_EVERY == 0 && export_gone(a->how)
		             ? -ECANCELED
		             : take(a, f->from_thread[i], f->to_thread[i], f->from_time[i], f->to_time[i]);
	return rc;
}

static void pack(const struct arrows *a, struct weft_buf *bytes)
{
	uint64_t last = 0;
	for (size_t i = 0; i < a->kept.n; i++) {
		const struct arrow *x = &a->kept.at[i];
		export_put_number(bytes, x->begin - last);
		export_put_number(bytes, 2 * length_of(x) + (x->end < x->begin));
		export_put_number(bytes, x->from);
		export_put_number(bytes, x->to);
		last = x->begin;
	}
}

static int put_kind(struct weft_json *j, const char *key, const struct server_export_how *how, uint64_t room,
                    int (*all)(struct arrows *a), struct weft_buf *bytes)
{
	struct arrows a = {.how = how, .most = room / PACKED_BYTES};
	size_t at = bytes->n;
	int rc = all(&a);
	if (!rc) {
		keep_longest(&a);
		if (a.kept.n)
			qsort(a.kept.at, a.kept.n, sizeof *a.kept.at, order_begin);
		pack(&a, bytes);
		weft_json_key(j, key);
		weft_json_object(j);
		server_put_u64(j, "at", at);
		server_put_u64(j, "n", bytes->n - at);
		server_put_u64(j, "count", a.kept.n);
		server_put_u64(j, "left_out", a.n - a.kept.n);
		weft_json_end(j);
	}
	free(a.kept.at);
	return rc ? rc : bytes->failed ? -ENOMEM : 0;
}

int export_arrows_put(struct weft_json *j, const struct server_export_how *how, uint64_t room, struct weft_buf *bytes)
{
	weft_json_key(j, "arrows");
	weft_json_object(j);
	int rc = put_kind(j, "messages", how, room / 2, take_messages, bytes);
	if (!rc)
		rc = put_kind(j, "flows", how, room / 2, take_flows, bytes);
	weft_json_end(j);
	return rc;
}
