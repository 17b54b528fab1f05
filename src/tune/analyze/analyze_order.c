/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of one process come in order, those of several do not: each controller sends when it has
 * something. So every event waits for a few milliseconds in a heap, and leaves by its time. A time
 * of the future (a clock that is ahead) counts as now.
 */
#include "analyze_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MOST_MS = 1000 };

/*
 * The arrays of values are behind the other members of an event: their unused part is not copied.
 */
static size_t used_bytes(const struct message *m)
{
	if (m->kind != MESSAGE_EVENT)
		return sizeof *m;
	return offsetof(struct message, event.value) + m->event.n * sizeof m->event.value[0];
}

/* Where the texts of a message that waits are; their number. */
static unsigned texts_of(struct message *m, const char **at[MESSAGE_VALUES])
{
	unsigned n = 0;
	if (m->kind == MESSAGE_GONE)
		at[n++] = &m->gone.why;
	if (m->kind == MESSAGE_PROCESS) {
		at[n++] = &m->process.host;
		at[n++] = &m->process.exe;
	}
	for (uint32_t i = 0; m->kind == MESSAGE_EVENT && i < m->event.n; i++)
		if (m->event.value[i].kind == MESSAGE_TEXT)
			at[n++] = &m->event.value[i].s;
	return n;
}

struct message *message_copy(const struct message *m)
{
	const char **text[MESSAGE_VALUES];
	unsigned n = texts_of((struct message *)m, text);
	size_t bytes = used_bytes(m), all = 0;
	for (unsigned i = 0; i < n; i++)
		all += strlen(*text[i]) + 1;
	struct message *c = malloc(bytes + all);
	if (!c)
		return NULL;
	memcpy(c, m, bytes);
	char *at = (char *)c + bytes;
	n = texts_of(c, text);
	for (unsigned i = 0; i < n; i++) {
		size_t length = strlen(*text[i]) + 1;
		*text[i] = memcpy(at, *text[i], length);
		at += length;
	}
	return c;
}

static bool before(const struct pending *x, const struct pending *y)
{
	return x->time != y->time ? x->time < y->time : x->sequence < y->sequence;
}

static void swap(struct pending *x, struct pending *y)
{
	struct pending kept = *x;
	*x = *y;
	*y = kept;
}

/* Reads the clock only when its last reading does not answer: for most events it does. */
static bool is_past(struct analyze *a, uint64_t time)
{
	if (time > a->last_now)
		a->last_now = analyze_now(a);
	return time <= a->last_now;
}

int order_put_owned(struct analyze *a, unsigned controller, uint64_t time, struct message *m)
{
	struct pending p = {is_past(a, time) ? time : a->last_now, a->sequence++, controller, m};
	if (weft_vec_reserve(&a->queue, a->queue.n + 1)) {
		free(m);
		return -ENOMEM;
	}
	size_t at = a->queue.n++;
	a->queue.at[at] = p;
	for (; at && before(&a->queue.at[at], &a->queue.at[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&a->queue.at[at], &a->queue.at[(at - 1) / 2]);
	return 0;
}

/*
 * The time by which a message is ordered. A loss comes before the events that were sent after it.
 */
static uint64_t time_of(const struct message *m)
{
	return m->kind == MESSAGE_EVENT     ? m->event.time
	       : m->kind == MESSAGE_PROCESS ? m->process.time
	       : m->kind == MESSAGE_LOST    ? m->lost.since
	                                    : m->gone.time;
}

int order_put(struct analyze *a, unsigned controller, const struct message *m)
{
	uint64_t time = time_of(m);
	struct message *c = message_copy(m);
	uint64_t *last = &a->fold[controller].last;
	time = is_past(a, time) ? time : a->last_now;
	/*
	 * A collector sends the fold of what a process completed before it sends the process's end;
	 * the end leaves the queue behind all messages that the collector sent before it.
	 */
	if (m->kind == MESSAGE_GONE && a->fold[controller].collector && time < *last)
		time = *last;
	*last = *last < time ? time : *last;
	return c ? order_put_owned(a, controller, time, c) : -ENOMEM;
}

static void sink(struct analyze *a)
{
	for (size_t at = 0;;) {
		size_t least = at, n = a->queue.n;
		for (size_t kid = 2 * at + 1; kid <= 2 * at + 2 && kid < n; kid++)
			if (before(&a->queue.at[kid], &a->queue.at[least]))
				least = kid;
		if (least == at)
			return;
		swap(&a->queue.at[at], &a->queue.at[least]);
		at = least;
	}
}

bool order_next(struct analyze *a, bool all, struct message **out, unsigned *controller)
{
	if (a->queue.n == 0 || (!all && !is_past(a, a->queue.at[0].time + a->how.window_ns)))
		return false;
	*out = a->queue.at[0].m;
	*controller = a->queue.at[0].controller;
	a->queue.at[0] = a->queue.at[--a->queue.n];
	sink(a);
	return true;
}

int order_wait_ms(const struct analyze *a)
{
	if (a->queue.n == 0)
		return -1;
	uint64_t now = analyze_now(a), leaves = a->queue.at[0].time + a->how.window_ns;
	uint64_t ms = leaves > now ? (leaves - now) / 1000000 + 1 : 0;
	return ms < WAIT_MOST_MS ? (int)ms : WAIT_MOST_MS;
}
