/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which regions are open on a thread at any time, without reading it from its begin: when a thread is first asked about it is walked
 * once, and what was open is kept every so many events. From there on a stretch of it costs its own events.
 *
 *     events   .......|.......|.......|....          marks: what is open there, and since when
 *     asked                     [--]                 read from the mark before it
 */
#ifndef WEFT_SERVER_NEST_H
#define WEFT_SERVER_NEST_H

#include "trace/filter/spans.h"

struct server_nests;
int server_nests_new(struct server_nests **out, const struct weft_trace *t) WEFT_MUST_CHECK; /* borrows t */
void server_nests_free(struct server_nests *n);                                              /* NULL is fine */

/*
 * Calls for all spans of the thread that touch [from, to), in the order of their ends; what is open at `to` ends there, or at the
 * thread's end. A result of on_span that is not 0 ends the walk, and is returned. -E2BIG: more than `most` events. Safe from any thread.
 */
int server_nest_walk(struct server_nests *n, uint32_t thread, uint64_t from, uint64_t to, uint64_t most,
                     int (*on_span)(void *arg, const struct weft_span *s), void *arg) WEFT_MUST_CHECK;
/* How deep its regions ever lie in each other; 0: it has none. */
int server_nest_depth(struct server_nests *n, uint32_t thread, uint32_t *depth) WEFT_MUST_CHECK;

#endif
