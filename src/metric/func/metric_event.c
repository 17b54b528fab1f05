/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread functions of events. Those that need the next event are given it as the record that closes
 * the interval.
 */
#include "metric_work.h"

static void run_type(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = r->code[i];
}

static void run_value(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	if (r->n)
		memcpy(value, r->value, r->n * sizeof *value);
}

/* What is before the row's begin is forgotten: the function does not remember from time 0 on. */
static void run_value_held(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (r->value[i] != 0 || r->time[i] < t->from)
			t->last = r->value[i];
		value[i] = t->last;
	}
}

static double rate(const struct metric_thread *t, double v, double time)
{
	double length = weft_unit_convert(time, t->space->unit, t->metric->unit);
	return length != 0 ? v * t->list.at[0] / length : 0;
}

static void run_next_average(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = rate(t, r->value[i], r->time[i] - (i ? r->time[i - 1] : t->time));
}

static void run_last_average(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++) {
		value[i] = rate(t, t->last, r->time[i] - (i ? r->time[i - 1] : t->time));
		t->last = r->value[i];
	}
}

static void run_given(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = metric_in_list(t->list, r->value[i]) ? r->value[i] : 0;
}

static void run_in(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = metric_in_list(t->list, r->value[i]);
}

static void run_not_in(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = !metric_in_list(t->list, r->value[i]);
}

static void run_in_range(struct metric_thread *t, const struct metric_records *r, double *value)
{
	double least = t->list.at[0], most = metric_param_one(t->call, 1);
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = r->value[i] >= least && r->value[i] <= most;
}

static void run_between(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = weft_unit_convert(r->time[i] - (i ? r->time[i - 1] : t->time), t->space->unit, t->metric->unit);
}

/* ---- bytes between events ---- */

static bool load_comms(struct metric_thread *t, bool receives)
{
	if (t->have_comms)
		return true;
	t->have_comms = true;
	t->at = 0;
	t->rc = metric_comms_open(&t->comms, t->space, t->metric, t->thread, METRIC_SENDS | (receives ? METRIC_RECVS : 0));
	return !t->rc;
}

/*
 * With both logical and physical records each end counts once: a send when it is asked for, a
 * receive when all of it is there.
 */
static double bytes_of(const struct metric_thread *t, const struct metric_comm *c)
{
	const struct weft_record_filter *f = &t->metric->filter;
	struct metric_message m;
	metric_message_get(t->space, c->message, &m);
	if (f->logical && f->physical) {
		if (c->kind == METRIC_PHY_SEND)
			return 0;
		if ((c->kind & METRIC_RECVS) && !metric_comm_completes(f, c->kind, &m))
			return 0;
	}
	return m.size;
}

/*
 * Does a receive stand in front of an event of its instant? A physical one does. A logical one does
 * where it completes the message and the message's line is in front of the event's: the file is in
 * order of time, with a message at its send and behind the events of that instant.
 */
static bool precedes_event(const struct metric_thread *t, const struct metric_comm *c)
{
	struct metric_message m;
	if (c->kind == METRIC_PHY_RECV)
		return true;
	metric_message_get(t->space, c->message, &m);
	return m.log_recv > m.phy_recv && (t->space->by_physical_send ? m.phy_send : m.log_send) < c->time;
}

/*
 * Does the record lie between two events at begin and end? Sends at begin do, receives there do
 * not.
 */
static bool lies_between(const struct metric_thread *t, const struct metric_comm *c, double begin, double end)
{
	if (c->kind & METRIC_SENDS)
		return c->time < end;
	return c->time > begin && (c->time < end || precedes_event(t, c));
}

static double bytes_between(struct metric_thread *t, double begin, double end)
{
	double sum = 0;
	const struct metric_comm *c;
	while ((c = metric_comms_at(&t->comms, t->at)) && c->time < begin)
		t->at++;
	metric_comms_forget(&t->comms, t->at);
	for (uint64_t i = t->at; (c = metric_comms_at(&t->comms, i)) && c->time <= end; i++)
		if (lies_between(t, c, begin, end))
			sum += bytes_of(t, c);
	t->rc = t->comms.rc;
	return sum;
}

static void run_bytes_of(struct metric_thread *t, const struct metric_records *r, double *value, bool receives)
{
	if (!r->n) { /* behind the last event there is none up to which bytes could be counted */
		value[0] = 0;
		return;
	}
	if (!load_comms(t, receives))
		return;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = bytes_between(t, i ? r->time[i - 1] : t->time, r->time[i]);
}

static void run_bytes(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_bytes_of(t, r, value, true);
}

static void run_sent_bytes(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_bytes_of(t, r, value, false);
}

const struct metric_thread_func metric_event_funcs[] = {
	{{"Last Evt Type", {{0}}, false}, METRIC_EVENT, run_type, false, false},
	{{"Last Evt Val", {{0}}, false}, METRIC_EVENT, run_value, false, false},
	{{"Last Evt Val w/o Bursts", {{0}}, false}, METRIC_EVENT, run_value_held, false, false},
	{{"Next Evt Type", {{0}}, false}, METRIC_EVENT, run_type, true, true},
	{{"Next Evt Val", {{0}}, false}, METRIC_EVENT, run_value, true, true},
	{{"Avg Next Evt Val", METRIC_PARAM("Factor", 1), false}, METRIC_EVENT, run_next_average, true, true},
	{{"Avg Last Evt Val", METRIC_PARAM("Factor", 1), false}, METRIC_EVENT, run_last_average, true, false},
	{{"Given Evt Val", METRIC_PARAM("Event values", 1), false}, METRIC_EVENT, run_given, false, false},
	{{"In Evt Val", METRIC_PARAM("Event values", 1), false}, METRIC_EVENT, run_in, false, false},
	{{"Not In Evt Val", METRIC_PARAM("Event values", 1), false}, METRIC_EVENT, run_not_in, false, false},
	{{"In Evt Range", {{"Min value", 0}, {"Max value", 1}}, false}, METRIC_EVENT, run_in_range, false, false},
	{{"Int. Between Evt", {{0}}, false}, METRIC_EVENT, run_between, true, false},
	{{"Event Bytes", {{0}}, false}, METRIC_EVENT, run_bytes, true, false},
	{{"Event Sent Bytes", {{0}}, false}, METRIC_EVENT, run_sent_bytes, true, false},
	{{NULL, {{0}}, false}, 0, NULL, false, false},
};
