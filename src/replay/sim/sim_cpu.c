/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors of a node that has fewer than threads. There, a thread does nothing without one; it gives way to those in line before a
 * burst (but the first since it was given the processor), keeps it through the burst, and leaves it when it waits. First come, first served.
 * Other nodes need none of this: there, a burst is only a longer clock.
 */
#include "sim_priv.h"

static struct sim_node *node_of(const struct sim *s, const struct sim_thread *t)
{
	return &s->node[s->node_of[t->rank]];
}

static void stand_in_line(struct sim *s, struct sim_node *n, struct sim_thread *t)
{
	const uint32_t number = sim_number(s, t);
	sim_wait(s, t, SIM_FOR_CPU, 0);
	t->next = SIM_NONE;
	if (n->last == SIM_NONE)
		n->first = number;
	else
		s->thread[n->last].next = number;
	n->last = number;
}

/* Free processors go to those in line. */
static int serve(struct sim *s, struct sim_node *n, double at)
{
	int rc = 0;
	while (!rc && n->used < n->cpus && n->first != SIM_NONE) {
		const uint32_t number = n->first;
		struct sim_thread *t = &s->thread[number];
		n->first = t->next;
		if (n->first == SIM_NONE)
			n->last = SIM_NONE;
		n->used++;
		sim_row(s, t)->cpu_wait_ns += at - t->since;
		rc = sim_state(s, t, WEFT_REPLAY_WAITS_CPU, t->since, at);
		t->now = at;
		t->waits = SIM_ON_CPU;
		t->on_cpu = t->fresh = true;
		if (!rc)
			rc = sim_push(s, (struct sim_event){at, SIM_CPU_RUN, number, 0, number});
	}
	return rc;
}

int sim_cpu_begin(struct sim *s)
{
	int rc = 0;
	for (uint32_t r = 0; r < s->p->n_ranks; r++)
		for (uint32_t k = 0; k < s->p->rank[r].n_threads; k++) {
			struct sim_thread *t = &s->thread[s->p->rank[r].first_thread + k];
			if (t->few)
				stand_in_line(s, node_of(s, t), t);
		}
	for (uint32_t i = 0; i < s->n_nodes && !rc; i++)
		rc = serve(s, &s->node[i], 0);
	return rc;
}

int sim_want_cpu(struct sim *s, struct sim_thread *t)
{
	sim_wait(s, t, SIM_FOR_CPU, 0);
	return sim_push(s, (struct sim_event){t->now, SIM_CPU_WANT, sim_number(s, t), 0, sim_number(s, t)});
}

void sim_stand_in_line(struct sim *s, struct sim_thread *t)
{
	stand_in_line(s, node_of(s, t), t);
}

int sim_serve(struct sim *s, const struct sim_thread *t, double at)
{
	return serve(s, node_of(s, t), at);
}

int sim_cpu_wanted(struct sim *s, uint32_t number, double at)
{
	struct sim_thread *t = &s->thread[number];
	stand_in_line(s, node_of(s, t), t);
	return serve(s, node_of(s, t), at);
}

int sim_compute(struct sim *s, struct sim_thread *t, double ns, enum weft_replay_state as)
{
	t->waits = SIM_ON_CPU;
	t->cpu_ns = ns;
	t->cpu_for = (uint8_t)as;
	int rc = sim_push(s, (struct sim_event){t->now + ns, SIM_CPU_END, ns > 0, 0, sim_number(s, t)});
	if (!rc && as == WEFT_REPLAY_LATENCY)
		rc = serve(s, node_of(s, t), t->now); /* processors that were left idle */
	return rc ? rc : SIM_WAITS;
}

int sim_leave_cpu(struct sim *s, struct sim_thread *t, bool serve_others)
{
	struct sim_node *n = node_of(s, t);
	t->on_cpu = false;
	n->used--;
	if (serve_others)
		return serve(s, n, t->now);
	return n->used ? 0 : sim_push(s, (struct sim_event){t->now, SIM_CPU_IDLE, SIM_NONE, 0, sim_number(s, t)});
}

int sim_yield(struct sim *s, struct sim_thread *t)
{
	struct sim_node *n = node_of(s, t);
	t->on_cpu = false;
	n->used--;
	stand_in_line(s, n, t);
	int rc = serve(s, n, t->now);
	return rc ? rc : SIM_WAITS;
}

int sim_cpu_ended(struct sim *s, uint32_t number, double at)
{
	struct sim_thread *t = &s->thread[number];
	struct weft_replay_rank_result *row = sim_row(s, t);
	const bool latency = t->cpu_for == WEFT_REPLAY_LATENCY;
	if (latency)
		row->latency_ns += t->cpu_ns;
	else
		sim_count_burst(s, t, t->at - 1, t->cpu_ns);
	int rc = sim_state(s, t, (enum weft_replay_state)t->cpu_for, t->now, at);
	t->now = at;
	t->waits = SIM_RUNS;
	return rc ? rc : weft_vec_push(&s->runnable, number);
}
