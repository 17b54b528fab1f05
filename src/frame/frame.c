/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the frameworks share: memory that grows, messages with a head, waiting.
 *
 *     | head: kind, iteration, first, n, lengths | shared bytes, if any | bytes |
 *
 * One message each way, never a head by itself: a message's latency is paid once.
 */
#include "frame_priv.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int frame_reserve(struct weft_frame_bytes *b, size_t n)
{
	if (n <= b->room)
		return 0;
	size_t room = b->room ? b->room : 256;
	while (room < n)
		room = room > SIZE_MAX / 2 ? n : room * 2;
	unsigned char *at = realloc(b->at, room);
	if (!at)
		return -ENOMEM;
	b->at = at;
	b->room = room;
	return 0;
}

int weft_frame_put(struct weft_frame_bytes *b, const void *from, size_t n)
{
	if (n > SIZE_MAX - b->n)
		return -ENOMEM;
	int rc = frame_reserve(b, b->n + n);
	if (rc)
		return rc;
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
	return 0;
}

int frame_send(struct weft_frame_link *l, int to, const struct frame_head *head, const void *shared, const void *bytes,
               struct weft_frame_bytes *scratch)
{
	scratch->n = 0;
	int rc = weft_frame_put(scratch, head, sizeof *head);
	if (!rc && head->has_shared)
		rc = weft_frame_put(scratch, shared, head->shared);
	if (!rc)
		rc = weft_frame_put(scratch, bytes, head->bytes);
	return rc ? rc : l->send(l, to, scratch->at, scratch->n);
}

int frame_receive(struct weft_frame_link *l, int from, int *sender, struct frame_head *head, struct weft_frame_bytes *in)
{
	size_t n = 0;
	int rc = l->wait(l, from, sender, &n);
	rc = rc ? rc : frame_reserve(in, n);
	rc = rc ? rc : l->receive(l, *sender, in->at, n);
	if (rc)
		return rc;
	if (n < sizeof *head)
		return -EPROTO;
	memcpy(head, in->at, sizeof *head);
	uint64_t rest = n - sizeof *head, shared = head->has_shared ? head->shared : 0;
	if (head->magic != FRAME_MAGIC || shared > rest || head->bytes != rest - shared)
		return -EPROTO;
	in->n = rest;
	memmove(in->at, in->at + sizeof *head, rest);
	return 0;
}

int frame_setting(const char *name, int otherwise)
{
	const char *text = getenv(name);
	char *end;
	if (!text || !*text)
		return otherwise;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (!*end && !errno && value >= 0 && value <= 1 << 30)
		return (int)value;
	fprintf(stderr, "weft: %s is ignored: expected a number from 0 to 1073741824, found '%s'\n", name, text);
	return otherwise;
}

double frame_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void weft_frame_idle(unsigned *turn)
{
	enum { YIELDS = 64, LONGEST_NS = 200000, FIRST_NS = 20000 };
	if ((*turn)++ < YIELDS) {
		sched_yield();
		return;
	}
	long ns = (long)FIRST_NS * (long)(*turn - YIELDS);
	nanosleep(&(struct timespec){0, ns < LONGEST_NS ? ns : LONGEST_NS}, NULL);
	if (*turn > YIELDS + LONGEST_NS / FIRST_NS)
		*turn = YIELDS + LONGEST_NS / FIRST_NS;
}
