/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that appears while others are alive: the same program, or the next one, whose
 * predecessor's end is told later? Messages of another host or of another thread of the controller
 * may be arbitrarily late, so no timeout decides. The newcomer waits for READY anyhow; so one of
 * the processes that count as alive is asked (READY once more, answered by COST), until one answers
 * with a later time than the newcomer's begin, or none is left. A process that has ended answers
 * with GONE instead.
 */
#include "analyze_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <stdlib.h>

#define OWES_NS UINT64_C(1000000000) /* a collector that does not answer holds no process for longer */

int hold_process(struct analyze *a, unsigned controller, struct message *m)
{
	if (weft_vec_push(&a->held, (struct analyze_held){m, controller, 0, 0}) == 0)
		return 0;
	free(m);
	return -ENOMEM;
}

static void begin_first(struct analyze *a)
{
	struct analyze_held h = a->held.at[0];
	a->held.n--;
	for (size_t i = 0; i < a->held.n; i++)
		a->held.at[i] = a->held.at[i + 1];
	process_begins(a, h.controller, &h.m->process);
	free(h.m);
}

enum in_the_way { NOBODY, SAME_PROGRAM, PERHAPS };

/* PERHAPS: *earlier is a process whose liveness must be asked. */
static enum in_the_way in_the_way(const struct analyze *a, const struct analyze_held *h, struct analyze_process **earlier)
{
	*earlier = NULL;
	for (size_t i = 0; i < a->process.n; i++) {
		struct analyze_process *t = a->process.at[i];
		/* A process that has executed something is its own successor. */
		if (!t->alive || !t->known || t->controller == ANALYZE_SELF ||
		    (t->process >> 32 == h->m->process.process >> 32 && t->pid == h->m->process.pid))
			continue;
		if (t->seen >= h->m->process.time)
			return SAME_PROGRAM;
		*earlier = !*earlier || t->process == h->asked ? t : *earlier;
	}
	return *earlier ? PERHAPS : NOBODY;
}

static void ask(struct analyze *a, struct analyze_held *h, const struct analyze_process *t)
{
	struct message m = {.kind = MESSAGE_READY, .ready = {t->process}};
	h->asked = t->process;
	analyze_send(a, t->controller, &m);
}

/* The former program is over, but collectors have not sent all of its last iterations yet. */
static bool owes(struct analyze *a, struct analyze_held *h)
{
	uint64_t now = weft_monotonic_ns();
	h->over = h->over ? h->over : now;
	return fold_waits(a) && now - h->over < OWES_NS;
}

void hold_look(struct analyze *a)
{
	while (a->held.n) {
		struct analyze_held *h = &a->held.at[0];
		struct analyze_process *t = NULL;
		enum in_the_way w = a->ended ? SAME_PROGRAM : in_the_way(a, h, &t);
		if (w == PERHAPS && t->process != h->asked)
			ask(a, h, t);
		if (w == PERHAPS || (w == NOBODY && owes(a, h)))
			return;
		begin_first(a);
	}
}

void hold_seen(struct analyze *a, struct analyze_process *t, const struct message_cost *m)
{
	if (!m->alive)
		return; /* the last account of a process that has ended: its GONE follows, perhaps still queued */
	t->seen = m->time > t->seen ? m->time : t->seen;
	if (a->held.n && a->held.at[0].asked == t->process && t->alive && t->seen < a->held.at[0].m->process.time)
		ask(a, &a->held.at[0], t); /* the answer was sent before the question */
}

void hold_gone(struct analyze *a, uint64_t process)
{
	for (size_t i = 0; i < a->held.n; i++)
		if (a->held.at[i].m->process.process == process) {
			for (; i != SIZE_MAX; i--)
				begin_first(a);
			return;
		}
}

void hold_lose(struct analyze *a, unsigned controller)
{
	for (size_t i = a->held.n; i > 0; i--)
		if (a->held.at[i - 1].controller == controller) {
			hold_gone(a, a->held.at[i - 1].m->process.process);
			return;
		}
}

void hold_here(struct analyze *a, uint64_t process, unsigned controller)
{
	for (size_t i = 0; i < a->held.n; i++)
		if (a->held.at[i].m->process.process == process)
			a->held.at[i].controller = controller;
}

void hold_free(struct analyze *a)
{
	for (size_t i = 0; i < a->held.n; i++)
		free(a->held.at[i].m);
	free(a->held.at);
}
