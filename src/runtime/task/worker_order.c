/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks with a fixed place in the sequence of their worker (workerorder, from 1): one that is ready
 * before its turn is kept here until its predecessor has run. One whose turn is long past, because
 * it is submitted again, runs at once.
 */
#include "begin.h"
#include "complain.h"
#include "task.h"
#include <stdlib.h>

static struct turns {
	struct weft_atomic_bool lock; /* held for an instant */
	uint32_t past;                /* turns that have been */
	uint32_t *held;               /* by turn: jobs that are kept, or 0 */
	uint32_t cap;
} turns[STARPU_NMAXWORKERS];

static struct turns *turns_of(const struct starpu_task *t)
{
	return t->execute_on_a_specific_worker && t->workerorder && t->workerid < STARPU_NMAXWORKERS ? &turns[t->workerid] : NULL;
}

static void lock(struct turns *w)
{
	while (weft_swap_bool(&w->lock, true))
		__builtin_ia32_pause();
}

static void make_room(struct turns *w, uint32_t turn)
{
	uint32_t cap = w->cap ? w->cap : 64;
	if (turn < w->cap)
		return;
	while (cap <= turn)
		cap *= 2;
	w->held = realloc(w->held, cap * sizeof *w->held);
	if (!w->held)
		rt_misuse("no memory for the order of a worker's tasks");
	for (uint32_t i = w->cap; i < cap; i++)
		w->held[i] = 0;
	w->cap = cap;
}

bool rt_turn_is_to_come(struct rt_job *j)
{
	const struct starpu_task *t = rt_upper(j)->task;
	struct turns *w = t ? turns_of(t) : NULL;
	if (!w)
		return false;
	lock(w);
	bool kept = t->workerorder > w->past + 1;
	if (kept) {
		make_room(w, t->workerorder);
		w->held[t->workerorder] = j->self;
	}
	weft_store_bool(&w->lock, false);
	return kept;
}

struct rt_job *rt_turn_was(const struct starpu_task *t)
{
	struct turns *w = turns_of(t);
	uint32_t next = 0;
	if (!w)
		return NULL;
	lock(w);
	if (t->workerorder == w->past + 1) {
		w->past++;
		next = w->past + 1 < w->cap ? w->held[w->past + 1] : 0;
		if (next)
			w->held[w->past + 1] = 0;
	}
	weft_store_bool(&w->lock, false);
	return next ? rt_job_at(next) : NULL;
}

void rt_turns_end(void)
{
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++) {
		free(turns[i].held);
		turns[i] = (struct turns){0};
	}
}
