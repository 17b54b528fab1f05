/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the frameworks share inside: messages (a head, then bytes), and what makes a function or a variable visible from outside.
 *
 * Probes find functions and variables by name. So what is measured must be a real function, and what is read or set there must be
 * in memory at that time: functions that nobody inlines, clones or looks into, variables that are volatile. Their symbols are
 * exported (they survive strip) and protected, and spelled as members of C++ classes: they meet nothing of the user's.
 */
#ifndef WEFT_FRAME_PRIV_H
#define WEFT_FRAME_PRIV_H

#include "weft/frame.h"
#include <stdbool.h>

#if defined __clang__
#define FRAME_OPAQUE noinline
#else
#define FRAME_OPAQUE noipa
#endif
#define FRAME_MEASURED __attribute__((FRAME_OPAQUE, visibility("protected")))
#define FRAME_VISIBLE __attribute__((visibility("protected")))

/* Owned memory that grows. */
struct weft_frame_bytes {
	unsigned char *at;
	size_t n, room;
};

int frame_reserve(struct weft_frame_bytes *b, size_t n); /* room for n bytes in all; n is not changed */

#define FRAME_MAGIC 0x5745u

struct frame_head {
	uint16_t magic;
	uint16_t kind;
	int32_t rc; /* of an answer: what a function of the user's returned */
	int32_t iteration;
	uint32_t has_shared; /* the shared bytes stand before the others */
	uint64_t first, n;   /* tuples, items… from where on, and how many */
	uint64_t shared, bytes;
};

/* A head and what follows it, as one message; `scratch` is room for it. */
int frame_send(struct weft_frame_link *l, int to, const struct frame_head *head, const void *shared, const void *bytes,
               struct weft_frame_bytes *scratch);
/* The next message; what follows its head stands in `in`, whose length is what the head says. -EPROTO: it is none. */
int frame_receive(struct weft_frame_link *l, int from, int *sender, struct frame_head *head, struct weft_frame_bytes *in);

/* A number of the environment, or `otherwise`. */
int frame_setting(const char *name, int otherwise);
double frame_now(void); /* seconds */

#endif
