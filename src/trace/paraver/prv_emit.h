/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a record that was read right becomes, for all kernels alike; inline because it is half of the innermost loop. The
 * objects are checked already, times are in the file's units.
 */
#ifndef WEFT_TRACE_PRV_EMIT_H
#define WEFT_TRACE_PRV_EMIT_H

#include "base/atomic.h"
#include "prv_chunk.h"

uint32_t prv_new_id(struct prv_chunk *c, unsigned kind, uint32_t number); /* cold */
void prv_lane_touch(struct prv_chunk *c, uint32_t row);

static inline void prv_put(struct prv_lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	uint32_t n = l->n++;
	l->time[n] = time;
	l->value[n] = value;
	l->what[n] = what;
}

static inline void prv_put_cpu(struct prv_lane *l, uint64_t time, uint32_t cpu)
{
	l->cpu = cpu;
	l->n_cpus++;
	prv_put(l, time, weft_what(WEFT_EV_CPU, 0), prv_cpu_value(cpu));
}

static inline void prv_put_end(struct prv_lane *l, const struct prv_end *e)
{
	l->unsorted |= e->time < l->last;
	l->last = e->time;
	if (WEFT_UNLIKELY(l->cpu != e->cpu))
		prv_put_cpu(l, e->time, e->cpu);
	if (weft_what_kind(e->what) != WEFT_EV_STATE_END)
		l->send_at[l->n_sends++] = l->n;
	prv_put(l, e->time, e->what, e->message);
}

/* Makes the lane ready for `more` events at `time`; false when memory is out. Mostly one end is waiting, that of the last state. */
static inline __attribute__((always_inline)) bool prv_lane_at(struct prv_chunk *c, uint32_t row, uint64_t time, uint32_t cpu,
                                                              uint32_t more)
{
	struct prv_lane *l = &c->lane[row];
	if (WEFT_UNLIKELY(l->cap - l->n < more + 3) && prv_lane_reserve(l, more + 3))
		goto fail;
	if (time >= l->next_end) {
		if (WEFT_LIKELY(l->n_ends == 1)) {
			prv_put_end(l, &l->end[l->first_end]);
			l->n_ends = l->first_end = 0;
			l->next_end = UINT64_MAX;
		} else if (prv_lane_pass(l, time) || prv_lane_reserve(l, more + 1)) {
			goto fail;
		}
	}
	l->unsorted |= time < l->last;
	l->last = time;
	if (WEFT_UNLIKELY(cpu != l->cpu)) {
		prv_lane_touch(c, row);
		prv_put_cpu(l, time, cpu);
	}
	return true;
fail:
	c->failed = true;
	return false;
}

/* Field by field: a struct that is copied as a whole right after its parts were stored stalls the loop (15 % of it). */
static inline void prv_wait(struct prv_chunk *c, uint32_t row, uint64_t time, uint32_t what, uint32_t cpu, uint32_t message)
{
	struct prv_lane *l = &c->lane[row];
	if (WEFT_LIKELY(!l->n_ends && l->cap_ends)) {
		l->end[0].time = time;
		l->end[0].what = what;
		l->end[0].cpu = cpu;
		l->end[0].message = message;
		l->n_ends = 1;
		l->next_end = time;
	} else if (prv_lane_wait(l, &(struct prv_end){time, what, cpu, message})) {
		c->failed = true;
	}
}

static inline uint32_t prv_id_of(struct prv_chunk *c, unsigned kind, const struct prv_ids *ids, uint32_t number)
{
	uint32_t id = prv_ids_get(ids, number);
	return WEFT_LIKELY(id) ? id : prv_new_id(c, kind, number);
}

/* end: UINT64_MAX when the record has none. */
static inline void prv_emit_state(struct prv_chunk *c, uint32_t row, uint32_t cpu, uint64_t begin, uint64_t end, uint32_t state)
{
	uint64_t unit = c->model->unit_ns;
	uint32_t id = prv_id_of(c, WEFT_EV_STATE, &c->model->state, state);
	uint64_t from = begin * unit;
	c->n_records++;
	if (!prv_lane_at(c, row, from, cpu, 1))
		return;
	struct prv_lane *l = &c->lane[row];
	if (end == UINT64_MAX) {
		prv_put(l, from, weft_what(WEFT_EV_STATE, id), UINT64_MAX);
		end = begin;
	} else {
		prv_put(l, from, weft_what(WEFT_EV_STATE, id), (end - begin) * unit);
		prv_wait(c, row, end * unit, weft_what(WEFT_EV_STATE_END, id), cpu, 0);
	}
	if (end * unit > c->last_time)
		c->last_time = end * unit;
}

/* pair: type, value, type, value… */
static inline void prv_emit_events(struct prv_chunk *c, uint32_t row, uint32_t cpu, uint64_t at, uint32_t n, const uint64_t *pair)
{
	uint64_t time = at * c->model->unit_ns;
	c->n_records++;
	if (!prv_lane_at(c, row, time, cpu, n))
		return;
	if (time > c->last_time)
		c->last_time = time;
	struct prv_lane *l = &c->lane[row];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = prv_id_of(c, WEFT_EV_POINT, &c->model->type, (uint32_t)pair[2 * i]);
		prv_put(l, time, weft_what(WEFT_EV_POINT, id), pair[2 * i + 1]);
	}
}

struct prv_comm {
	uint32_t send_row, recv_row, send_cpu, recv_cpu;
	uint64_t time[4]; /* logical and physical send, logical and physical receive */
	uint64_t size;
	int32_t tag;
};
void prv_emit_comm(struct prv_chunk *c, const struct prv_comm *m);

/* May this cpu (from the record) stand for this thread? Without resources no cpu is known. */
static inline bool prv_cpu_fits(const struct prv_model *m, uint32_t row, uint64_t *cpu)
{
	if (!m->header->has_resources) {
		*cpu = 0;
		return true;
	}
	if (*cpu > m->header->n_cpus)
		return false;
	return !*cpu || !m->thread_node[row] || m->cpu_node[*cpu] == m->thread_node[row];
}

#endif
