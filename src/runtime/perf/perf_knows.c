/* SPDX-License-Identifier: Apache-2.0 */
/* What a model has measurements of. */
#include "perf.h"

static bool is_of(const struct starpu_perfmodel_arch *arch, enum starpu_worker_archtype type)
{
	return type == STARPU_ANY_WORKER || (arch && arch->ndevices > 0 && arch->devices[0].type == type);
}

static bool has_any(const struct starpu_perfmodel_per_arch *p)
{
	return p && (p->list || p->regression.nsample || p->regression.nl_valid || p->regression.multi_valid);
}

bool rt_perf_knows(struct starpu_perfmodel *m, enum starpu_worker_archtype type, unsigned impl)
{
	bool knows = false;
	rt_perf_want(m);
	if (!m->state)
		return false;
	pthread_rwlock_rdlock(&m->state->lock);
	for (int comb = 0; comb < starpu_perfmodel_get_narch_combs() && !knows; comb++)
		for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS && !knows; i++)
			knows = (i == impl || type == STARPU_ANY_WORKER) && is_of(perf_comb(comb), type) &&
			        has_any(m->state->slot[comb][i]);
	pthread_rwlock_unlock(&m->state->lock);
	return knows;
}
