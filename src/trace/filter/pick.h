/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a filter leaves of a trace, for whoever writes traces: the writer of streams and the exporters share it, so that they
 * drop the same things. An enter and its leave go together, and take the span's attributes and call stack with them; the two
 * ends of a message or a flow go together, also when the thread at the other end goes.
 */
#ifndef WEFT_TRACE_PICK_PRIV_H
#define WEFT_TRACE_PICK_PRIV_H

#include "filter.h"

/* Of one thread's spans, those that pass: a bit by weft_span.sequence. Zero-initialised: all pass. */
struct pick {
	WEFT_VEC(uint64_t) bits; /* owned */
	bool all;
};
/* Reads the thread once when there is a filter. Ended by pick_fini, also after a failure. */
int pick_begin(struct pick *p, const struct weft_trace *t, const struct weft_filter *f, uint32_t thread) WEFT_MUST_CHECK;
void pick_fini(struct pick *p);

static inline bool pick_span(const struct pick *p, uint64_t sequence)
{
	return p->all || (sequence / 64 < p->bits.n && p->bits.at[sequence / 64] >> (sequence % 64) & 1);
}

/* f may be NULL. */
bool pick_thread(const struct weft_filter *f, uint32_t thread);
bool pick_message(const struct weft_trace *t, const struct weft_filter *f, uint64_t message);
bool pick_flow(const struct weft_trace *t, const struct weft_filter *f, uint64_t flow);

/* The events that belong to the innermost open region. */
static inline bool pick_goes_with_span(unsigned kind)
{
	return kind == WEFT_EV_ATTR || kind == WEFT_EV_ATTR_F || kind == WEFT_EV_ATTR_S || kind == WEFT_EV_CALLSTACK;
}

#endif
