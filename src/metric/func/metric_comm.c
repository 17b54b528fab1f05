/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread functions of messages. The records are those of metric_comms.c; a record's code is its
 * message. Which of a message's two times counts is the filter's matter: with logical records, the
 * send is the logical one and the receive is the later one.
 */
#include "metric_work.h"
#include <math.h>

static double converted(const struct metric_thread *t, double time)
{
	return weft_unit_convert(time, t->space->unit, t->metric->unit);
}

/* Is this record the one at which the send counts? */
static bool sends(const struct metric_thread *t, uint32_t kind)
{
	return kind & (t->metric->filter.logical ? METRIC_LOG_SEND | METRIC_FAR_LOG_SEND : METRIC_PHY_SEND | METRIC_FAR_PHY_SEND);
}

/* Is the receive complete when the message is sent, or before? */
static bool is_negative(const struct metric_thread *t, const struct metric_message *m)
{
	if (t->metric->filter.logical)
		return fmax(m->log_recv, m->phy_recv) <= m->log_send;
	return m->phy_recv <= m->phy_send;
}

/* ---- one message's attributes ---- */

static void run_tag(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = t->space->trace->message.tag[r->code[i]];
}

static void run_size(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = (double)(int64_t)t->space->trace->message.size[r->code[i]];
}

/* The object at one end of a message, from 1: a thread, or a cpu (0: unknown). */
static double partner(const struct metric_thread *t, uint64_t message, bool receiver)
{
	const struct weft_messages *m = &t->space->trace->message;
	if (t->by_cpu)
		return metric_message_cpu(t->space, message, receiver);
	return metric_seen_thread(t->space, (receiver ? m->recv_thread : m->send_thread)[message]) + 1.0;
}

static void run_partner(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = partner(t, r->code[i], true);
}

static void run_send_duration(struct metric_thread *t, const struct metric_records *r, double *value)
{
	struct metric_message m;
	for (uint32_t i = 0; i < r->n; i++) {
		metric_message_get(t->space, r->code[i], &m);
		value[i] = converted(t, fmax(m.log_recv, m.phy_recv) - r->time[i]);
	}
}

/* ---- the next receive ---- */

static bool is_complete(const struct metric_comm *c, const struct metric_message *m)
{
	return c->kind == METRIC_LOG_RECV ? m->log_recv >= m->phy_recv : m->phy_recv >= m->log_recv;
}

/*
 * The message of the first receive behind record i that completes one, whatever the filter says;
 * WEFT_NONE: there is none.
 */
static uint32_t next_receive(struct metric_thread *t, const struct metric_records *r, uint32_t i, struct metric_message *m)
{
	if (!t->have_comms) {
		t->have_comms = true;
		t->rc = metric_comms_open(&t->all, t->space, NULL, t->thread, METRIC_RECVS);
	}
	const struct metric_comm *c;
	while ((c = metric_comms_at(&t->all, t->all_at)) && !(c->message == r->code[i] && c->kind == r->kind[i]))
		t->all_at++;
	metric_comms_forget(&t->all, t->all_at);
	for (uint64_t k = t->all_at + 1; (c = metric_comms_at(&t->all, k)); k++) {
		metric_message_get(t->space, c->message, m);
		if (is_complete(c, m))
			return c->message;
	}
	t->rc = t->rc ? t->rc : t->all.rc;
	return WEFT_NONE;
}

static void run_recv_partner(struct metric_thread *t, const struct metric_records *r, double *value)
{
	struct metric_message m;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t message = next_receive(t, r, i, &m);
		value[i] = message != WEFT_NONE ? partner(t, message, false) : 0;
	}
}

/*
 * The last, by the file, of the receives that are complete at the instant at which the next one is.
 */
static bool last_of_next(struct metric_thread *t, const struct metric_records *r, uint32_t i, struct metric_message *m)
{
	struct metric_message other;
	const struct metric_comm *c;
	if (next_receive(t, r, i, m) == WEFT_NONE)
		return false;
	const double at = fmax(m->log_recv, m->phy_recv);
	for (uint64_t k = t->all_at + 1; (c = metric_comms_at(&t->all, k)) && c->time <= at; k++) {
		metric_message_get(t->space, c->message, &other);
		if (c->time == at && is_complete(c, &other) && other.number > m->number)
			*m = other;
	}
	t->rc = t->rc ? t->rc : t->all.rc;
	return true;
}

static void run_recv_duration(struct metric_thread *t, const struct metric_records *r, double *value)
{
	struct metric_message m;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = last_of_next(t, r, i, &m) ? converted(t, m.log_send - r->time[i]) : 0;
}

/* ---- running sums ---- */

/* What a message adds to a sum: 1, its bytes, or its bandwidth in units of 1e-12. */
static metric_sum one_message(const struct metric_thread *t, const struct metric_message *m)
{
	(void)t;
	(void)m;
	return 1;
}

static metric_sum bytes(const struct metric_thread *t, const struct metric_message *m)
{
	(void)t;
	return (metric_sum)m->size;
}

static metric_sum bandwidth(const struct metric_thread *t, const struct metric_message *m)
{
	const struct weft_record_filter *f = &t->metric->filter;
	double time = f->logical && m->log_recv > m->phy_recv ? m->log_recv - m->log_send
	              : f->physical                           ? m->phy_recv - m->phy_send
	                                                      : m->phy_recv - m->log_send;
	time = converted(t, fabs(time));
	if (time == 0)
		return 0;
	double v = m->size / t->list.at[0] / time * 1e12;
	return fabs(v) < 1e37 ? (metric_sum)v : 0;
}

/*
 * Those on their way: from their sending to their completion. Negative ones are left out, or are
 * all that counts.
 */
static void run_transit(struct metric_thread *t, const struct metric_records *r, double *value, bool negative,
                        metric_sum (*of)(const struct metric_thread *, const struct metric_message *), double scale)
{
	struct metric_message m;
	for (uint32_t i = 0; i < r->n; i++) {
		metric_message_get(t->space, r->code[i], &m);
		if (is_negative(t, &m) == negative) {
			int sign = negative ? -1 : 1;
			if (sends(t, r->kind[i]))
				t->sum += sign * of(t, &m);
			else if (metric_comm_completes(&t->metric->filter, r->kind[i], &m))
				t->sum -= sign * of(t, &m);
		}
		value[i] = (double)t->sum * scale;
	}
}

static void run_bytes_in_transit(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_transit(t, r, value, false, bytes, 1);
}

static void run_messages_in_transit(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_transit(t, r, value, false, one_message, 1);
}

static void run_bandwidth(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_transit(t, r, value, false, bandwidth, 1e-12);
}

static void run_negative_messages(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_transit(t, r, value, true, one_message, 1);
}

static void run_negative_bytes(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_transit(t, r, value, true, bytes, 1);
}

/* All sends or receives so far; sends count at the physical one when the filter sees those. */
static void run_count(struct metric_thread *t, const struct metric_records *r, double *value, bool receives, bool of_bytes)
{
	const uint32_t send = t->metric->filter.physical ? METRIC_PHY_SEND : METRIC_LOG_SEND;
	struct metric_message m;
	for (uint32_t i = 0; i < r->n; i++) {
		metric_message_get(t->space, r->code[i], &m);
		if (receives ? metric_comm_completes(&t->metric->filter, r->kind[i], &m) : r->kind[i] == send)
			t->sum += of_bytes ? (metric_sum)m.size : 1;
		value[i] = (double)t->sum;
	}
}

static void run_sends(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_count(t, r, value, false, false);
}

static void run_send_bytes(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_count(t, r, value, false, true);
}

static void run_receives(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_count(t, r, value, true, false);
}

static void run_receive_bytes(struct metric_thread *t, const struct metric_records *r, double *value)
{
	run_count(t, r, value, true, true);
}

enum {
	SENDING = METRIC_SENDS | METRIC_FAR_RECVS,
	RECEIVING = METRIC_RECVS | METRIC_FAR_SENDS,
};

const struct metric_thread_func metric_comm_funcs[] = {
	{{"Last Tag", {{0}}, false}, METRIC_PHY_RECV, run_tag, false, false},
	{{"Comm Size", {{0}}, false}, METRIC_SENDS | METRIC_RECVS, run_size, false, false},
	{{"Comm Recv. Partner", {{0}}, false}, METRIC_RECVS, run_recv_partner, false, false},
	{{"Comm Partner", {{0}}, false}, METRIC_LOG_SEND, run_partner, false, false},
	{{"Last Send Dur.", {{0}}, false}, METRIC_LOG_SEND, run_send_duration, false, false},
	{{"Next Recv Dur.", {{0}}, false}, METRIC_LOG_RECV, run_recv_duration, false, false},
	{{"Last Send Size", {{0}}, false}, METRIC_LOG_SEND, run_size, false, false},
	{{"Send Bytes in Transit", {{0}}, true}, SENDING, run_bytes_in_transit, false, false},
	{{"Send Messages in Transit", {{0}}, true}, SENDING, run_messages_in_transit, false, false},
	{{"Send BandWidth", METRIC_PARAM("Byte Factor", 1), true}, SENDING, run_bandwidth, false, false},
	{{"Recv Bytes in Transit", {{0}}, true}, RECEIVING, run_bytes_in_transit, false, false},
	{{"Recv Messages in Transit", {{0}}, true}, RECEIVING, run_messages_in_transit, false, false},
	{{"Recv BandWidth", METRIC_PARAM("Byte Factor", 1), true}, RECEIVING, run_bandwidth, false, false},
	{{"Recv Negative Messages", {{0}}, true}, RECEIVING, run_negative_messages, false, false},
	{{"Recv Negative Bytes", {{0}}, true}, RECEIVING, run_negative_bytes, false, false},
	{{"Number Of Sends", {{0}}, true}, METRIC_SENDS, run_sends, false, false},
	{{"Number Of Send Bytes", {{0}}, true}, METRIC_SENDS, run_send_bytes, false, false},
	{{"Number Of Receives", {{0}}, true}, METRIC_RECVS, run_receives, false, false},
	{{"Number Of Receive Bytes", {{0}}, true}, METRIC_RECVS, run_receive_bytes, false, false},
	{{NULL, {{0}}, false}, 0, NULL, false, false},
};
