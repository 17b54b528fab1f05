/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder's events: an appender for each thread, which different workers may use at once. Encoders (large scratch) are lent
 * to an appender while it makes a block out of what it buffered.
 */
#include "builder.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct col_encoder *builder_take_encoder(struct weft_builder *b)
{
	struct col_encoder *e = NULL;
	pthread_mutex_lock(&b->lock);
	if (b->encoder.n)
		e = b->encoder.at[--b->encoder.n];
	pthread_mutex_unlock(&b->lock);
	return e ? e : col_encoder_new();
}

void builder_give_encoder(struct weft_builder *b, struct col_encoder *e)
{
	pthread_mutex_lock(&b->lock);
	int rc = weft_vec_push(&b->encoder, e);
	pthread_mutex_unlock(&b->lock);
	if (rc)
		col_encoder_free(e);
}

struct weft_appender *weft_builder_appender(struct weft_builder *b, uint32_t thread)
{
	pthread_mutex_lock(&b->lock);
	struct weft_appender *a = thread < b->appender.n ? b->appender.at[thread] : NULL;
	if (!a && thread < b->appender.n && !builder_open_columns(b, NULL)) {
		a = calloc(1, sizeof *a);
		if (a) {
			a->b = b;
			a->thread = thread;
			col_writer_init(&a->own, &b->out, b->ends, b->n_serials++);
			b->appender.at[thread] = a;
		}
	}
	pthread_mutex_unlock(&b->lock);
	return a;
}

uint32_t builder_serial(struct weft_builder *b)
{
	pthread_mutex_lock(&b->lock);
	uint32_t serial = b->n_serials++;
	pthread_mutex_unlock(&b->lock);
	return serial;
}

int builder_add_part(struct weft_builder *b, uint32_t thread, struct col_writer *part)
{
	struct weft_appender *a = weft_builder_appender(b, thread);
	if (!a || weft_vec_push(&a->part, part))
		return -ENOMEM;
	return 0;
}

static int make_block(struct weft_appender *a)
{
	struct col_encoder *e = builder_take_encoder(a->b);
	if (!e)
		return -ENOMEM;
	int rc = col_write_block(&a->own, e);
	builder_give_encoder(a->b, e);
	return rc;
}

static inline int room(struct weft_appender *a)
{
	return col_full(&a->own) ? make_block(a) : 0;
}

int weft_append(struct weft_appender *a, uint64_t time, uint32_t what, uint64_t value)
{
	enum col_value v = col_value_of(weft_what_kind(what));
	if (v != COL_NONE && v != COL_WORD)
		return -EINVAL; /* goes through weft_append_half, _flow or _extra */
	int rc = room(a);
	return rc ? rc : col_put(&a->own, time, what, value);
}

int builder_append_sorted(struct weft_appender *a, uint32_t n, const uint64_t *time, const uint32_t *what, const uint64_t *value)
{
	struct col_writer *w = &a->own;
	while (n) {
		int rc = room(a);
		if (!rc)
			rc = col_writer_reserve(w, n);
		if (rc)
			return rc;
		size_t at = w->time.n, part = WEFT_BLOCK_EVENTS - at < n ? WEFT_BLOCK_EVENTS - at : n;
		w->unsorted |= at && time[0] < w->time.at[at - 1];
		memcpy(w->time.at + at, time, part * sizeof *time);
		memcpy(w->what.at + at, what, part * sizeof *what);
		memcpy(w->value.at + at, value, part * sizeof *value);
		w->time.n = w->what.n = w->value.n = at + part;
		time += part;
		what += part;
		value += part;
		n -= (uint32_t)part;
	}
	return 0;
}

int weft_append_block(struct weft_appender *a, uint32_t n, const uint64_t *time, const uint32_t *what, const uint64_t *value)
{
	static const uint8_t plain[] =
		{[COL_NONE] = 1, [COL_WORD] = 1, [COL_HALF] = 0, [COL_FLOW] = 0, [COL_EXTRA] = 0, [COL_UNKNOWN] = 0};
	struct col_writer *w = &a->own;
	uint64_t kinds = 0;
	for (uint32_t i = 0; i < n; i++)
		kinds |= 1ull << (weft_what_kind(what[i]) & 63) | (weft_what_kind(what[i]) > 63);
	for (unsigned k = 0; k < 64; k++)
		if (kinds >> k & 1 && !plain[col_value_of(k)])
			return -EINVAL;
	for (uint32_t i = 0; kinds >> WEFT_EV_DROPPED & 1 && i < n; i++)
		w->dropped += weft_what_kind(what[i]) == WEFT_EV_DROPPED ? value[i] : 0;
	for (uint32_t i = 0; i < n;) {
		uint32_t from = i++;
		while (i < n && time[i] >= time[i - 1])
			i++;
		int rc = builder_append_sorted(a, i - from, time + from, what + from, value + from);
		if (rc)
			return rc;
	}
	return 0;
}

int weft_append_extra(struct weft_appender *a, uint64_t time, uint32_t what, const uint64_t *payload, uint32_t n)
{
	if (col_value_of(weft_what_kind(what)) != COL_EXTRA || n > WEFT_WORDS_MAX)
		return -EINVAL;
	int rc = room(a);
	return rc ? rc : col_put_extra(&a->own, time, what, payload, n);
}

int weft_append_half(struct weft_appender *a, const struct weft_half_row *h)
{
	int rc = room(a);
	if (rc)
		return rc;
	struct col_end end = {.time = h->time,
	                      .began = h->began,
	                      .size = h->size,
	                      .key = h->key,
	                      .def = h->comm,
	                      .peer = h->peer,
	                      .tag = h->tag,
	                      .is_out = h->is_send};
	return col_put_end(&a->own, &end);
}

int weft_append_flow(struct weft_appender *a, uint64_t time, uint32_t flow, uint64_t key, bool out)
{
	int rc = room(a);
	struct col_end end = {.time = time, .began = time, .key = key, .def = flow, .is_out = out, .is_flow = 1};
	return rc ? rc : col_put_end(&a->own, &end);
}

int weft_build_message(struct weft_builder *b, const struct weft_message_row *m)
{
	struct weft_appender *from = weft_builder_appender(b, m->send_thread), *to = weft_builder_appender(b, m->recv_thread);
	if (!from || !to)
		return m->send_thread < b->thread.n && m->recv_thread < b->thread.n ? -ENOMEM : -EINVAL;
	struct build_message row = {.row = *m, .send_ordinal = from->own.n_halves};
	int rc = room(from);
	if (!rc)
		rc = col_put(&from->own, m->send_done, weft_what(WEFT_EV_SEND, m->comm), from->own.n_halves++);
	if (!rc)
		rc = room(to);
	row.recv_ordinal = to->own.n_halves;
	if (!rc)
		rc = col_put(&to->own, m->recv_done, weft_what(WEFT_EV_RECV, m->comm), to->own.n_halves++);
	struct build_message *kept = rc ? NULL : spill_rows_add(&b->message);
	if (kept)
		*kept = row;
	return rc ? rc : kept ? 0 : -ENOMEM;
}
