/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: threads that can go on do, then the clock moves to the next event; and what comes out of it. */
#include "base/pool.h"
#include "sim_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int run_runnable(struct sim *s)
{
	while (s->runnable.n) { /* the last first: what it needs is still at hand */
		if (weft_stop_soon())
			return -ECANCELED;
		int rc = sim_run_thread(s, s->runnable.at[--s->runnable.n]);
		if (rc)
			return rc;
	}
	return 0;
}

static int end_of_transfer(struct sim *s, const struct sim_event *e)
{
	return sim_end_of_transfer(s, e->of, e->time);
}

static int cpu_ended(struct sim *s, const struct sim_event *e)
{
	return sim_cpu_ended(s, (uint32_t)e->of, e->time);
}

static int request(struct sim *s, const struct sim_event *e)
{
	return sim_request(s, e->of, e->time);
}

static int cpu_wanted(struct sim *s, const struct sim_event *e)
{
	return sim_cpu_wanted(s, (uint32_t)e->of, e->time);
}

/* All processors of a node are idle: who is in line has them. */
static int cpu_idle(struct sim *s, const struct sim_event *e)
{
	return sim_serve(s, &s->thread[e->of], e->time);
}

static int turn(struct sim *s, const struct sim_event *e)
{
	s->thread[e->of].waits = SIM_RUNS;
	return weft_vec_push(&s->runnable, (uint32_t)e->of);
}

static int computes(struct sim *s, const struct sim_event *e)
{
	return sim_flow_computes(s, (uint32_t)e->of, e->time);
}

static int flow_ended(struct sim *s, const struct sim_event *e)
{
	return sim_flow_ended(s, e->of, e->time);
}

static int share(struct sim *s, const struct sim_event *e)
{
	return sim_flow_share(s, e->time);
}

static int (*const handle[])(struct sim *s, const struct sim_event *e) = {
	[SIM_END] = end_of_transfer, [SIM_CPU_END] = cpu_ended, [SIM_CPU_RUN] = turn,      [SIM_REQUEST] = request,
	[SIM_CPU_WANT] = cpu_wanted, [SIM_TURN] = turn,         [SIM_CPU_IDLE] = cpu_idle, [SIM_FLOW] = flow_ended,
	[SIM_COMPUTE] = computes,    [SIM_SHARE] = share,
};

static int loop(struct sim *s)
{
	struct sim_event e;
	int rc = sim_cpu_begin(s);
	for (uint32_t i = s->p->n_threads; i-- > 0 && !rc;)
		rc = s->thread[i].few ? 0 : weft_vec_push(&s->runnable, i);
	if (!rc)
		rc = run_runnable(s);
	while (!rc && sim_pop(s, &e)) {
		s->clock = e.time;
		rc = handle[e.kind](s, &e);
		if (!rc)
			rc = run_runnable(s);
	}
	return rc ? rc : s->failed;
}

static void sum_up(struct sim *s)
{
	for (uint32_t i = 0; i < s->p->n_threads; i++) {
		const struct sim_thread *t = &s->thread[i];
		struct weft_replay_rank_result *row = sim_row(s, t);
		if (t->now > row->end_ns)
			row->end_ns = t->now;
		if (t->now > s->out->time_ns)
			s->out->time_ns = t->now;
	}
	s->out->n_ops = s->n_ops;
}

int weft_replay_run(const struct weft_replay_program *p, const struct weft_replay_machine *m, const struct weft_replay_how *how,
                    struct weft_replay_result *out, struct weft_err *err)
{
	const struct weft_replay_how plain = {.eager = WEFT_REPLAY_EAGER_FLAGS};
	struct sim s = {.p = p, .m = m, .how = how ? how : &plain, .out = out, .err = err};
	memset(out, 0, sizeof *out);
	if (s.how->sink)
		s.sink = *s.how->sink;
	int rc = weft_replay_machine_check(m, err);
	if (!rc)
		rc = sim_init(&s);
	if (!rc)
		rc = loop(&s);
	if (!rc)
		sum_up(&s);
	if (!rc)
		rc = sim_flow_result(&s);
	if (!rc)
		rc = sim_find_stuck(&s);
	sim_fini(&s);
	if (rc)
		weft_replay_result_fini(out);
	if (rc == -ENOMEM)
		rc = weft_err_set(err, -ENOMEM, "'%s': out of memory", p->name);
	return rc;
}

void weft_replay_result_fini(struct weft_replay_result *r)
{
	free(r->rank);
	free(r->thread_computation_ns);
	free(r->stuck);
	free(r->cycle);
	free(r->link);
	memset(r, 0, sizeof *r);
}
