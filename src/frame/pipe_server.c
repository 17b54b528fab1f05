/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server: takes a batch of items of one stage, does that stage's work on each, sends them back, until it is told the end.
 *
 * A batch is the items' numbers, then the items.
 */
#include "pipe_priv.h"
#include <errno.h>
#include <string.h>

static unsigned char *item(const struct pipe_worker *w, uint64_t i)
{
	return w->in.at + w->task.n * sizeof(uint64_t) + i * w->program->item_bytes;
}

/* Measured: _S_DoStage. */
int pipe_do_stage(struct pipe_worker *w)
{
	const struct weft_pipe_stage *stage = &w->program->stage[w->task.first];
	int rc = 0;
	for (uint64_t i = 0; i < w->task.n && rc >= 0; i++) {
		uint64_t number;
		memcpy(&number, w->in.at + i * sizeof number, sizeof number);
		rc = stage->work(w->user, number, item(w, i));
	}
	return rc < 0 ? rc : 0;
}

static bool is_batch(const struct pipe_worker *w)
{
	const struct frame_head *t = &w->task;
	size_t each = sizeof(uint64_t) + w->program->item_bytes;
	return t->kind == PIPE_BATCH && t->first < w->program->stages && !t->has_shared && t->n <= w->in.n / each &&
	       w->in.n == t->n * each;
}

int pipe_server_run(struct pipe_worker *w)
{
	for (;;) {
		int from, rc = frame_receive(w->link, 0, &from, &w->task, &w->in);
		if (rc)
			return rc;
		if (w->task.kind == PIPE_END)
			return w->rc ? w->rc : w->task.rc;
		if (!is_batch(w))
			return -EPROTO;
		ServerEpoch = w->task.iteration;
		ServerStage = (int)w->task.first;
		ServerItems = (int)w->task.n;
		if (w->rc == 0)
			w->rc = pipe_do_stage(w);
		struct frame_head head = w->task;
		head.kind = PIPE_ANSWER;
		head.rc = w->rc;
		rc = frame_send(w->link, 0, &head, NULL, w->in.at, &w->message);
		if (rc)
			return rc;
	}
}
