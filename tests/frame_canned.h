/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link (weft/frame.h) whose messages a test makes: the same one is received again and again, what is sent goes nowhere.
 */
#ifndef WEFT_TESTS_FRAME_CANNED_H
#define WEFT_TESTS_FRAME_CANNED_H

#include "frame/frame_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct canned_link {
	struct weft_frame_link link;
	struct weft_frame_bytes message;
};

static int canned_wait(struct weft_frame_link *l, int from, int *sender, size_t *bytes)
{
	*sender = from < 0 ? l->size - 1 : from;
	*bytes = ((struct canned_link *)l)->message.n;
	return 0;
}

static int canned_receive(struct weft_frame_link *l, int sender, void *data, size_t bytes)
{
	if (sender < 0)
		return -EIO;
	memcpy(data, ((struct canned_link *)l)->message.at, bytes);
	return 0;
}

static int canned_send(struct weft_frame_link *l, int to, const void *data, size_t bytes)
{
	return to < l->size && data && bytes ? 0 : -EIO;
}

/* Two processes; this one is `rank`. The message: a head, and `n` bytes of 0 behind it. */
static inline void canned_begin(struct canned_link *c, int rank, const struct frame_head *head, size_t n)
{
	static const char zero[256];
	*c = (struct canned_link){.link = {rank, 2, canned_send, canned_wait, canned_receive}};
	if (weft_frame_put(&c->message, head, sizeof *head) || weft_frame_put(&c->message, zero, n))
		abort();
}

static inline void canned_end(struct canned_link *c)
{
	free(c->message.at);
}

#endif
