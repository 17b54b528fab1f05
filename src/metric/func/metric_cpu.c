/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cpu's row: the records of all threads of its node that ran on it, in order of time. Each opens
 * an interval with the value of its thread's own row (thread function and its compose function) at
 * that instant; 0 when the record that opened the thread's interval was on another cpu.
 *
 *   thread 1:  accepted records ─┐  by time, those on this cpu    value of the row of the thread
 *              all others       ─┤  ────────────────────────> ──  whose record it is
 *   thread 2:  …                ─┘
 *
 * A boundary is a record that the thread function accepts, or the first record of a thread that was
 * not the last one here.
 */
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { OPENER, HOLDER, ROW, PULLS };
struct lane { /* of a thread of the node */
	/*
	 * OPENER: the cpus of accepted records, at the next one here; HOLDER: the same, at the time
	 * now; ROW: the values
	 */
	struct metric_pull pull[PULLS];
	bool has[PULLS];
	struct metric_reader *reader; /* all its records, whatever the filter says */
	struct metric_records r;
	uint32_t at;
	bool ended;
};
struct cpu {
	struct metric_stream stream;
	const struct weft_space *space;
	const struct weft_metric *metric;
	struct weft_metric opener; /* a metric like ours whose value is the cpu of the record */
	struct metric_thread_func opener_func;
	struct weft_record_filter all;
	struct lane *lane; /* owned */
	uint32_t n, cpu, last;
	double time, value, to, from;
	bool done, emitted;
};

static void cpu_free(struct metric_stream *s)
{
	struct cpu *c = (struct cpu *)(void *)s;
	for (uint32_t i = 0; c->lane && i < c->n; i++) {
		struct lane *l = &c->lane[i];
		metric_reader_free(l->reader);
		for (unsigned k = 0; k < PULLS; k++)
			if (l->has[k])
				metric_pull_fini(&l->pull[k]);
	}
	free(c->lane);
	free(c);
}

static void run_cpu_of(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++)
		value[i] = r->cpu[i];
}

/* Makes sure that both of the lane's lists stand on a record on this cpu, or have ended. */
static int settle(struct cpu *c, struct lane *l)
{
	struct metric_pull *p = &l->pull[OPENER];
	int rc = 1;
	while (rc > 0 && !p->ended && p->value != c->cpu)
		rc = metric_pull_step(p);
	while (rc >= 0 && !l->ended) {
		while (l->at < l->r.n && l->r.cpu[l->at] != c->cpu)
			l->at++;
		if (l->at < l->r.n)
			break;
		rc = metric_reader_next(l->reader, &l->r);
		l->at = 0;
		l->ended = rc <= 0;
	}
	return rc < 0 ? rc : 0;
}

static int open_pull(struct lane *l, unsigned which, const struct metric_site *site)
{
	struct metric_stream *s;
	int rc = which == ROW ? metric_chain_new(&s, site) : metric_thread_new(&s, site);
	if (rc)
		return rc;
	l->has[which] = true;
	return metric_pull_init(&l->pull[which], s);
}

static int open_lane(struct cpu *c, struct lane *l, uint32_t thread)
{
	struct metric_site row = {c->space, c->metric, WEFT_THREAD, thread, 0, INFINITY, NULL, NULL, NULL}, opener = row;
	opener.metric = &c->opener;
	int rc = metric_reader_new(&l->reader, c->space, &c->all, thread, METRIC_STATES | METRIC_EVENT, true);
	if (!rc)
		rc = open_pull(l, OPENER, &opener);
	if (!rc)
		rc = open_pull(l, HOLDER, &opener);
	if (!rc)
		rc = open_pull(l, ROW, &row);
	return rc ? rc : settle(c, l);
}

/* Goes to the interval that holds right behind `time`. */
static int seek(struct metric_pull *p, double time)
{
	while (!p->ended && p->end <= time) {
		int rc = metric_pull_step(p);
		if (rc <= 0)
			return rc;
	}
	return 0;
}

static int value_now(struct cpu *c, struct lane *l, double time)
{
	const struct metric_cpu_func *f = (const struct metric_cpu_func *)(const void *)c->metric->of_level[WEFT_CPU].func;
	int rc = seek(&l->pull[ROW], time);
	if (!rc)
		rc = seek(&l->pull[HOLDER], time);
	double v = l->pull[HOLDER].value == c->cpu ? l->pull[ROW].value : 0;
	if (f->listed && !metric_in_list(metric_param(&c->metric->of_level[WEFT_CPU], 0), v))
		v = 0;
	c->value = f->sign ? v != 0 : v;
	return rc;
}

static void put(struct cpu *c, struct weft_intervals *b, double end)
{
	if (end > c->from || c->emitted) {
		if (!b->n)
			b->begin = c->time;
		b->end[b->n] = end;
		b->value[b->n++] = c->value;
		c->emitted = true;
		c->done = end >= c->to;
	}
	c->time = end;
}

/* The lane with the next record here, and its time; accepted ones first. NULL: there is none. */
static struct lane *next_lane(const struct cpu *c, double *time, bool *accepted)
{
	struct lane *best = NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		struct lane *l = &c->lane[i];
		const struct metric_pull *p = &l->pull[OPENER];
		if (!p->ended && (!best || p->begin < *time || (p->begin == *time && !*accepted))) {
			best = l;
			*time = p->begin;
			*accepted = true;
		}
		if (!l->ended && (!best || l->r.time[l->at] < *time)) {
			best = l;
			*time = l->r.time[l->at];
			*accepted = false;
		}
	}
	return best;
}

static int take(struct cpu *c, struct weft_intervals *b, struct lane *l, double time, bool accepted)
{
	uint32_t who = (uint32_t)(l - c->lane);
	int rc = 0;
	if (accepted || (c->last != who && c->last != WEFT_NONE)) {
		put(c, b, time);
		rc = value_now(c, l, time);
		c->last = who;
	}
	if (!accepted)
		l->at++;
	else if (!rc)
		rc = metric_pull_step(&l->pull[OPENER]);
	return rc < 0 ? rc : settle(c, l);
}

static int cpu_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct cpu *c = (struct cpu *)(void *)s;
	b->n = 0;
	while (!c->done && b->n < WEFT_INTERVALS) {
		double time = 0;
		bool accepted = false;
		struct lane *l = next_lane(c, &time, &accepted);
		if (!l) {
			c->emitted = true;
			put(c, b, fmax(c->space->end, c->time));
			c->done = true;
			break;
		}
		int rc = take(c, b, l, time, accepted);
		if (rc)
			return rc;
	}
	return b->n > 0;
}

int metric_cpu_new(struct metric_stream **out, const struct metric_site *site)
{
	struct cpu *c = calloc(1, sizeof *c);
	const struct weft_space *s = site->space;
	*out = NULL;
	if (!c)
		return -ENOMEM;
	uint32_t node = s->trace->cpu[site->object].node;
	c->stream = (struct metric_stream){cpu_next, cpu_free};
	c->space = s;
	c->metric = site->metric;
	c->opener_func = *metric_thread_func_of(site->metric->of_level[WEFT_THREAD].func);
	c->opener_func.run = run_cpu_of;
	c->opener_func.ahead = c->opener_func.always = false;
	c->opener = *site->metric;
	c->opener.of_level[WEFT_THREAD] = (struct weft_call){.func = &c->opener_func.head};
	c->all = site->metric->filter;
	c->all.test[WEFT_OF_TYPE] = c->all.test[WEFT_OF_VALUE] = (struct weft_test){WEFT_TEST_ALL, {NULL, 0}};
	c->cpu = site->object + 1;
	c->last = WEFT_NONE;
	c->from = site->from;
	c->to = site->to;
	c->n = s->node_first[node + 1] - s->node_first[node];
	c->lane = calloc((size_t)c->n + 1, sizeof *c->lane);
	int rc = c->lane ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < c->n && !rc; i++)
		rc = open_lane(c, &c->lane[i], s->node_thread[s->node_first[node] + i]);
	if (rc)
		cpu_free(&c->stream);
	else
		*out = &c->stream;
	return rc;
}

const struct metric_cpu_func metric_cpu_funcs[] = {
	{{"Active Thd", {{0}}, false}, false, false},
	{{"Active Thd Sign", {{0}}, false}, false, true},
	{{"Active Thd Val", {{"Values", 1}, {NULL, 0}}, false}, true, false},
	{{"Active Thd Val Sign", {{"Values", 1}, {NULL, 0}}, false}, true, true},
	{{NULL, {{0}}, false}, false, false},
};
