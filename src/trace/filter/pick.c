/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a region passes a filter is known only when it is left, and its enter must be written before: so the spans of a thread
 * are walked once ahead, and leave one bit each.
 */
#include "pick.h"
#include <errno.h>
#include <stdlib.h>

struct pick_walk {
	struct pick *pick;
	const struct weft_filter *filter;
};

static int pick_on_span(void *arg, const struct weft_span *s)
{
	const struct pick_walk *w = arg;
	if (!weft_filter_span(w->filter, s))
		return 0;
	struct pick *p = w->pick;
	size_t word = s->sequence / 64;
	if (weft_vec_reserve(&p->bits, word + 1))
		return -ENOMEM;
	while (p->bits.n <= word)
		p->bits.at[p->bits.n++] = 0;
	p->bits.at[word] |= UINT64_C(1) << (s->sequence % 64);
	return 0;
}

int pick_begin(struct pick *p, const struct weft_trace *t, const struct weft_filter *f, uint32_t thread)
{
	*p = (struct pick){.all = !f};
	if (!f)
		return 0;
	struct pick_walk w = {p, f};
	return weft_spans(t, thread, 0, WEFT_NEVER, f, pick_on_span, &w);
}

void pick_fini(struct pick *p)
{
	free(p->bits.at);
	*p = (struct pick){0};
}

bool pick_thread(const struct weft_filter *f, uint32_t thread)
{
	return !f || weft_filter_thread(f, thread);
}

static bool ends_stay(const struct weft_filter *f, uint32_t one, uint32_t other)
{
	return (one == WEFT_NONE || weft_filter_thread(f, one)) && (other == WEFT_NONE || weft_filter_thread(f, other));
}

bool pick_message(const struct weft_trace *t, const struct weft_filter *f, uint64_t m)
{
	return !f || (ends_stay(f, t->message.send_thread[m], t->message.recv_thread[m]) && weft_filter_message(f, m));
}

bool pick_flow(const struct weft_trace *t, const struct weft_filter *f, uint64_t i)
{
	const struct weft_flows *flow = &t->flow;
	if (!f)
		return true;
	if (!ends_stay(f, flow->from_thread[i], flow->to_thread[i]))
		return false;
	struct weft_event from = {flow->from_time[i], flow->from_thread[i], WEFT_EV_FLOW_OUT, flow->flow[i], i};
	struct weft_event to = {flow->to_time[i], flow->to_thread[i], WEFT_EV_FLOW_IN, flow->flow[i], i};
	return (from.thread != WEFT_NONE && weft_filter_event(f, &from)) || (to.thread != WEFT_NONE && weft_filter_event(f, &to));
}
