/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that run, as the pages look at them. For each a thread has the way to it (src/peer): it asks for samples while somebody looks, keeps the
 * latest, and carries commands there and their answers back, in their order.
 *
 *     live/events ──┐                                  ┌── watch 10 ──> ┐
 *     live/graph  ──┼─> struct server_live ─> thread ──┤                │ the program
 *     POST live/… ──┘   latest sample, queue of asks   └<── {"sample":… ┘
 */
#ifndef WEFT_SERVER_SERVER_LIVE_H
#define WEFT_SERVER_SERVER_LIVE_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SERVER_LIVES_MOST = 4, SERVER_LIVE_HZ = 10 };
struct server_live;

/*
 * A program: a process id, its name, or the folder that it records into. Nothing is asked of it before somebody looks. -ESRCH: there is none now;
 * with `waits` that is fine: whoever comes later is looked at.
 */
int server_live_open(struct server_live **out, const char *who, bool waits, struct weft_err *err) WEFT_MUST_CHECK;
void server_live_close(struct server_live *l);

/* Somebody looks, or no longer. Samples come while somebody does. */
void server_live_look(struct server_live *l, bool looks);

struct server_live_now {
	bool connected, ended; /* ended: it was there, and is gone */
	pid_t pid;
	char program[64], kind[32], why[200]; /* why: there is no connection */
	uint64_t changes;                     /* grows when one of these changes */
	uint64_t samples;                     /* that have come */
};
void server_live_now(struct server_live *l, struct server_live_now *now);
/* Appends the latest sample, a line of JSON, if more than `seen` have come; the count of those that have. */
uint64_t server_live_sample(struct server_live *l, uint64_t seen, struct weft_buf *out);

/* A command on its way. */
struct server_live_ask;
struct server_live_ask *server_live_say(struct server_live *l, const char *line);     /* NULL: no memory, or no line */
bool server_live_wait(struct server_live *l, struct server_live_ask *a, unsigned ms); /* whether the answer is there */
/* The answer; NULL: the program was not there to give one. Then drop it. */
const char *server_live_answer(const struct server_live_ask *a, size_t *n);
void server_live_drop(struct server_live *l, struct server_live_ask *a);

#endif
