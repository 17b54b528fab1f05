/* SPDX-License-Identifier: Apache-2.0 */
/* Thread functions of states, and of what thread, cpu and node a record belongs to. */
#include "metric_work.h"

static double converted(const struct metric_thread *t, double time)
{
	return weft_unit_convert(time, t->space->unit, t->metric->unit);
}

static inline double state_of(const struct metric_records *r, uint32_t i)
{
	return r->kind[i] == METRIC_STATE ? r->code[i] : 0;
}

static void run_as_is(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = state_of(r, i);
}

static void run_useful(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = state_of(r, i) == 1;
}

static void run_sign(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = state_of(r, i) != 0;
}

static void run_given(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = metric_in_list(t->list, state_of(r, i)) ? state_of(r, i) : 0;
}

static void run_in(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = metric_in_list(t->list, state_of(r, i));
}

static void run_not_in(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = !metric_in_list(t->list, state_of(r, i));
}

/*
 * The begin of the first state at `time` or later, in a walk of its own; false when there is none.
 */
static bool next_state(struct metric_thread *t, double time, double *begin)
{
	if (!t->scout && !t->scout_ended)
		t->scout_ended = metric_reader_new(&t->scout, t->space, &t->metric->filter, t->thread, METRIC_STATE, false) < 0;
	while (!t->scout_ended) {
		for (; t->scout_at < t->seen.n; t->scout_at++)
			if (t->seen.time[t->scout_at] >= time) {
				*begin = t->seen.time[t->scout_at];
				return true;
			}
		t->scout_ended = metric_reader_next(t->scout, &t->seen) <= 0;
		t->scout_at = 0;
	}
	return false;
}

/*
 * A gap lasts until the next state begins; one behind the last state has the length that there is
 * to its begin.
 */
static double gap_from(struct metric_thread *t, double time)
{
	double begin;
	if (!metric_in_list(t->list, 0))
		return 0;
	return converted(t, next_state(t, time, &begin) ? begin - time : time);
}

static void run_duration(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (r->kind[i] == METRIC_STATE)
			value[i] = metric_in_list(t->list, r->code[i]) ? converted(t, r->value[i]) : 0;
		else
			value[i] = gap_from(t, r->time[i]);
	}
}

/* ---- objects ---- */

static void fill(const struct metric_records *r, double *value, double v)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = v;
}

static void run_appl(struct metric_thread *t, const struct metric_records *r, double *value)
{
	fill(r, value, t->space->appl_of[t->thread] + 1.0);
}

static void run_task(struct metric_thread *t, const struct metric_records *r, double *value)
{
	fill(r, value, t->space->trace->thread[t->thread].process + 1.0);
}

static void run_thread(struct metric_thread *t, const struct metric_records *r, double *value)
{
	fill(r, value, t->thread + 1.0);
}

static inline double node_of(const struct metric_thread *t, const struct metric_records *r, uint32_t i)
{
	return r->cpu[i] ? t->space->trace->cpu[r->cpu[i] - 1].node + 1.0 : 0;
}

static void run_node(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = node_of(t, r, i);
}

static void run_cpu(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = r->cpu[i];
}

/* Nothing on the empty record in front. */
static void fill_listed(const struct metric_thread *t, const struct metric_records *r, double *value, double v)
{
	double listed = metric_in_list(t->list, v) ? v : 0;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = listed;
}

static void run_in_appl(struct metric_thread *t, const struct metric_records *r, double *value)
{
	fill_listed(t, r, value, t->space->appl_of[t->thread] + 1.0);
}

static void run_in_task(struct metric_thread *t, const struct metric_records *r, double *value)
{
	fill_listed(t, r, value, t->space->trace->thread[t->thread].process + 1.0);
}

static void run_in_thread(struct metric_thread *t, const struct metric_records *r, double *value)
{
	fill_listed(t, r, value, t->thread + 1.0);
}

/* The list counts nodes from 0, the value from 1. */
static void run_in_node(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++) {
		double node = node_of(t, r, i);
		value[i] = node > 0 && metric_in_list(t->list, node - 1) ? node : 0;
	}
}

static void run_in_cpu(struct metric_thread *t, const struct metric_records *r, double *value)
{
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = metric_in_list(t->list, r->cpu[i]) ? r->cpu[i] : 0;
}

enum { STATES = METRIC_STATES | METRIC_GAPS, ANY = METRIC_STATES | METRIC_EVENT };

const struct metric_thread_func metric_state_funcs[] = {
	{{"State As Is", {{0}}, false}, STATES, run_as_is, false, false},
	{{"Useful", {{0}}, false}, STATES, run_useful, false, false},
	{{"State Sign", {{0}}, false}, STATES, run_sign, false, false},
	{{"Given State", METRIC_PARAM("State values", 1), false}, STATES, run_given, false, false},
	{{"In State", METRIC_PARAM("State values", 1), false}, STATES, run_in, false, false},
	{{"Not In State", METRIC_PARAM("State values", 1), false}, STATES, run_not_in, false, false},
	{{"State Record Dur.", METRIC_PARAM("State values", 1), false}, STATES, run_duration, false, false},
	{{NULL, {{0}}, false}, 0, NULL, false, false},
};

bool metric_func_of_state_alone(const struct metric_thread_func *f)
{
	const size_t n = sizeof metric_state_funcs / sizeof *metric_state_funcs;
	return f >= metric_state_funcs && f < metric_state_funcs + n && f->run != run_duration;
}

const struct metric_thread_func metric_object_funcs[] = {
	{{"Application ID", {{0}}, false}, ANY, run_appl, false, true},
	{{"TaskID", {{0}}, false}, ANY, run_task, false, true},
	{{"Thread ID", {{0}}, false}, ANY, run_thread, false, true},
	{{"Node ID", {{0}}, false}, ANY, run_node, false, false},
	{{"Cpu ID", {{0}}, false}, ANY, run_cpu, false, false},
	{{"In Appl ID", METRIC_PARAM("Appl", 1), false}, ANY, run_in_appl, false, false},
	{{"In Task ID", METRIC_PARAM("Task", 1), false}, ANY, run_in_task, false, false},
	{{"In Thread ID", METRIC_PARAM("Thread", 1), false}, ANY, run_in_thread, false, false},
	{{"In Node ID", METRIC_PARAM("Node", 1), false}, ANY, run_in_node, false, false},
	{{"In Cpu ID", METRIC_PARAM("CPU", 1), false}, ANY, run_in_cpu, false, false},
	{{NULL, {{0}}, false}, 0, NULL, false, false},
};
