/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and events as a picture draws them over a window: what the window's filter lets through,
 * by its times.
 */
#include "metric_work.h"

unsigned weft_message_lines(const struct weft_space *s, const struct weft_metric *of, uint64_t i, struct weft_message_line out[2])
{
	const struct weft_messages *t = &s->trace->message;
	struct metric_message m;
	unsigned n = 0;
	if (t->send_thread[i] == WEFT_NONE || t->recv_thread[i] == WEFT_NONE)
		return 0;
	metric_message_get(s, i, &m);
	if (m.from == WEFT_NONE || m.to == WEFT_NONE)
		return 0;
	if (of->filter.logical && metric_comm_passes(s, of, METRIC_LOG_SEND, &m))
		out[n++] = (struct weft_message_line){m.from, m.to, m.log_send, m.log_recv, false};
	if (of->filter.physical && metric_comm_passes(s, of, METRIC_PHY_SEND, &m))
		out[n++] = (struct weft_message_line){m.from, m.to, m.phy_send, m.phy_recv, true};
	return n;
}

const struct weft_metric *weft_metric_first(const struct weft_metric *m)
{
	while (m->parent[0])
		m = m->parent[0];
	return m;
}

void weft_metric_of_events(struct weft_metric *m, const struct weft_metric *of)
{
	weft_metric_init(m);
	m->name = "events";
	m->level = WEFT_THREAD;
	m->of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Int. Between Evt");
	m->filter = of->filter;
}
