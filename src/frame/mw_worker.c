/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker: takes a chunk, computes it, answers, until it is told the end.
 */
#include "mw_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes the message's shared bytes, which come first, into a place of their own, and leaves the tuples. */
static int keep_shared(struct mw_worker *w)
{
	size_t n = w->task.shared;
	w->shared.n = 0;
	int rc = weft_frame_put(&w->shared, w->in.at, n);
	if (rc)
		return rc;
	w->in.n -= n;
	memmove(w->in.at, w->in.at + n, w->in.n);
	return 0;
}

/* Waits for the next chunk: 1, or 0: there are no more. */
static int receive_chunk(struct mw_worker *w)
{
	int from, rc = frame_receive(w->link, 0, &from, &w->task, &w->in);
	if (rc)
		return rc;
	if (w->task.kind == MW_END) {
		w->rc = w->rc ? w->rc : w->task.rc;
		return 0;
	}
	if (w->task.kind != MW_WORK)
		return -EPROTO;
	if (w->task.has_shared)
		rc = keep_shared(w);
	if (rc == 0 && w->in.n != w->task.n * w->program->tuple_bytes)
		rc = -EPROTO;
	return rc < 0 ? rc : 1;
}

/* Measured: _W_DoWorks. */
int mw_do_works(struct mw_worker *w)
{
	const struct weft_mw *p = w->program;
	int rc = frame_reserve(&w->results, w->task.n * p->result_bytes);
	if (rc)
		return rc;
	w->results.n = w->task.n * p->result_bytes;
	struct weft_mw_place at = {.rank = w->link->rank, .iteration = w->task.iteration, .of = w->task.n};
	at.shared = w->task.shared ? w->shared.at : NULL;
	at.shared_bytes = w->task.shared;
	for (size_t i = 0; i < w->task.n && rc >= 0; i++) {
		at.at = i;
		at.index = w->task.first + i;
		rc = p->compute(w->user, &at, w->in.at + i * p->tuple_bytes, w->results.at + i * p->result_bytes);
	}
	return rc < 0 ? rc : 0;
}

/* Measured: _W_SendAll. */
int mw_send_all(struct mw_worker *w)
{
	struct frame_head head = {
		.magic = FRAME_MAGIC,
		.kind = MW_ANSWER,
		.rc = w->rc,
		.iteration = w->task.iteration,
		.first = w->task.first,
		.n = w->task.n,
		.bytes = w->rc ? 0 : w->results.n,
	};
	return frame_send(w->link, 0, &head, NULL, w->results.at, &w->message);
}

int mw_worker_run(struct mw_worker *w)
{
	for (;;) {
		int rc = receive_chunk(w);
		if (rc <= 0)
			return rc < 0 ? rc : w->rc;
		CurrentIteration = w->task.iteration;
		NroTasks = (int)w->task.n;
		if (w->rc == 0)
			w->rc = mw_do_works(w);
		rc = mw_send_all(w);
		if (rc)
			return rc;
	}
}
