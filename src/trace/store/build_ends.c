/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of foreign formats in steps: the row, and its two ends when the order of time comes to them. */
#include "builder.h"
#include <errno.h>

int64_t weft_build_message_row(struct weft_builder *b, const struct weft_message_row *m)
{
	if (m->send_thread >= b->thread.n || m->recv_thread >= b->thread.n)
		return -EINVAL;
	struct build_message *row = spill_rows_add(&b->message);
	if (!row)
		return -ENOMEM;
	*row = (struct build_message){.row = *m, .send_ordinal = UINT64_MAX, .recv_ordinal = UINT64_MAX};
	return (int64_t)b->message.n - 1;
}

static int end_room(struct weft_appender *a)
{
	if (!col_full(&a->own))
		return 0;
	struct col_encoder *e = builder_take_encoder(a->b);
	if (!e)
		return -ENOMEM;
	int rc = col_write_block(&a->own, e);
	builder_give_encoder(a->b, e);
	return rc;
}

int weft_append_end(struct weft_appender *a, uint64_t message, bool is_send)
{
	if (message >= a->b->message.n)
		return -EINVAL;
	struct build_message *m = spill_rows_at(&a->b->message, message);
	if ((is_send ? m->row.send_thread : m->row.recv_thread) != a->thread)
		return -EINVAL;
	int rc = end_room(a);
	if (rc)
		return rc;
	uint64_t ordinal = a->own.n_halves;
	uint32_t what = weft_what(is_send ? WEFT_EV_SEND : WEFT_EV_RECV, m->row.comm);
	rc = col_put(&a->own, is_send ? m->row.send_done : m->row.recv_done, what, ordinal);
	if (rc)
		return rc;
	a->own.n_halves++;
	*(is_send ? &m->send_ordinal : &m->recv_ordinal) = ordinal;
	return 0;
}
