/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of a metric: which comms and events it sees. States are never filtered. The order of
 * the tests matters: an "or" whose first test holds accepts a comm at once, whatever the later ones
 * would say.
 */
#include "metric_work.h"

const char *const weft_test_names[WEFT_TEST_KINDS] = {"All", "None", "=", "!=", ">", "<", "[x,y]"};

static bool passes_all_of(const struct weft_test *t, double v)
{
	for (uint32_t i = 0; i < t->list.n; i++) {
		double w = t->list.at[i];
		if (t->kind == WEFT_TEST_NE ? v == w : t->kind == WEFT_TEST_GT ? v <= w : v >= w)
			return false;
	}
	return true;
}

bool weft_test_passes(const struct weft_test *t, double v)
{
	if (t->kind == WEFT_TEST_ALL)
		return true;
	if (t->kind == WEFT_TEST_NONE || !t->list.n)
		return false;
	if (t->kind == WEFT_TEST_EQ)
		return metric_in_list(t->list, v);
	if (t->kind == WEFT_TEST_RANGE)
		return v >= t->list.at[0] && v <= t->list.at[t->list.n > 1];
	return passes_all_of(t, v);
}

/* The object at an end of the message, counted from 1, as in the filter's lists; 0: unknown. */
static double object_of(const struct weft_space *s, enum weft_level level, const struct metric_message *m, bool receiver)
{
	uint32_t thread = receiver ? m->to : m->from;
	if (level == WEFT_CPU)
		return metric_message_cpu(s, m->number, receiver);
	if (level == WEFT_NODE)
		return s->node_of[thread] != WEFT_NONE ? s->node_of[thread] + 1.0 : 0;
	return level == WEFT_SYSTEM ? 1 : weft_level_up(s, WEFT_THREAD, thread, level) + 1.0;
}

static bool flags_pass(const struct weft_record_filter *f, uint32_t kind, const struct metric_message *m)
{
	const uint32_t logical = METRIC_LOG_SEND | METRIC_LOG_RECV | METRIC_FAR_LOG_SEND | METRIC_FAR_LOG_RECV;
	if (kind & logical)
		return f->logical;
	if (f->physical)
		return true;
	/* The real completion is a record of its own. */
	return f->logical && (kind & (METRIC_PHY_RECV | METRIC_FAR_PHY_RECV)) && m->phy_recv >= m->log_recv;
}

/* In bytes a unit of the metric's time. */
static double bandwidth_of(const struct weft_space *s, const struct weft_metric *of, const struct metric_message *m)
{
	double end = of->filter.logical && m->log_recv > m->phy_recv ? m->log_recv : m->phy_recv;
	double time = weft_unit_convert(end - (of->filter.logical ? m->log_send : m->phy_send), s->unit, of->unit);
	return time != 0 ? m->size / time : 0;
}

/* Two tests that stand side by side. 1: accepted for good, 0: go on, -1: refused. */
static int both(bool or_between, bool first, bool second)
{
	if (or_between)
		return first ? 1 : second ? 0 : -1;
	return first && second ? 0 : -1;
}

bool metric_comm_passes(const struct weft_space *s, const struct weft_metric *of, uint32_t kind, const struct metric_message *m)
{
	const struct weft_record_filter *f = &of->filter;
	enum weft_level level = of->level;
	if (!flags_pass(f, kind, m))
		return false;
	if (!f->intra || !f->inter) {
		bool same = s->node_of[m->from] == s->node_of[m->to];
		if (same ? !f->intra : !f->inter)
			return false;
	}
	const struct weft_test *t = f->test;
	int rc = both(f->or_from_to, weft_test_passes(&t[WEFT_OF_FROM], object_of(s, level, m, false)),
	              weft_test_passes(&t[WEFT_OF_TO], object_of(s, level, m, true)));
	if (rc)
		return rc > 0;
	rc = both(f->or_tag_size, weft_test_passes(&t[WEFT_OF_TAG], (double)m->tag), weft_test_passes(&t[WEFT_OF_SIZE], m->size));
	if (rc)
		return rc > 0;
	return t[WEFT_OF_BANDWIDTH].kind == WEFT_TEST_ALL || weft_test_passes(&t[WEFT_OF_BANDWIDTH], bandwidth_of(s, of, m));
}

bool metric_comm_completes(const struct weft_record_filter *f, uint32_t kind, const struct metric_message *m)
{
	bool by_logical = f->logical && m->log_recv > m->phy_recv;
	return kind & (by_logical ? METRIC_LOG_RECV | METRIC_FAR_LOG_RECV : METRIC_PHY_RECV | METRIC_FAR_PHY_RECV);
}
