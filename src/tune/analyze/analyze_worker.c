/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers of the task runtime as actors: those whose class is "runtime". They are no processes: nobody begins or ends but the process that
 * they are in, whose events say which worker is meant (tid). To the evaluation they are instances as others are, with ids
 *
 *     rank of the process * WORKERS_OF_RANK + number of the worker        (without a rank: the number)
 */
#include "analyze_priv.h"
#include "tune/lang/spec_runtime.h"

enum { WORKERS_OF_RANK = 1024 };

bool worker_is_actor(const struct analyze_tunlet *k, uint32_t actor)
{
	return actor < k->s->actor.n && runtime_is_class(k->s->actor.at[actor].class.z);
}

int64_t worker_id(const struct analyze_process *t, uint32_t worker)
{
	return (t->rank > 0 ? t->rank * WORKERS_OF_RANK : 0) + (int64_t)worker;
}

static void tell_workers(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t worker, bool begins)
{
	struct analyze_tunlet *k = &a->tunlet[tunlet];
	for (uint32_t actor = 0; actor < k->s->actor.n; actor++) {
		struct weft_err err = {0};
		int rc = worker_is_actor(k, actor) ? weft_eval_process(k->e, actor, worker_id(t, worker), t->host, begins, &err)
		                                   : 0;
		if (rc)
			analyze_fail(a, rc, &err);
	}
}

bool worker_begins(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t worker)
{
	struct analyze_binding *b = &t->binding[tunlet];
	if (worker >= WORKERS_OF_RANK)
		return false; /* a process that says so is not believed */
	for (; b->workers <= worker; b->workers++)
		tell_workers(a, t, tunlet, b->workers, true);
	return true;
}

void worker_end_all(struct analyze *a, struct analyze_process *t, uint32_t tunlet)
{
	struct analyze_binding *b = &t->binding[tunlet];
	while (b->workers)
		tell_workers(a, t, tunlet, --b->workers, false);
}

bool worker_meant(const struct analyze_process *t, int64_t id, uint32_t *worker)
{
	int64_t first = worker_id(t, 0);
	*worker = (uint32_t)(id - first);
	return id >= first && id < first + WORKERS_OF_RANK;
}
