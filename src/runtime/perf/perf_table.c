/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measurements of one implementation on one combination: StarPU's public list, newest first, and a table from footprint to
 * entry beside it, open addressing, at most half full.
 */
#include "perf.h"
#include <stdlib.h>

struct starpu_perfmodel_history_table {
	uint32_t mask, n;
	struct starpu_perfmodel_history_entry *at[];
};

static uint32_t place(const struct starpu_perfmodel_history_table *t, uint32_t footprint)
{
	uint32_t i = (footprint * UINT32_C(0x9e3779b1)) >> 7 & t->mask;
	while (t->at[i] && t->at[i]->footprint != footprint)
		i = (i + 1) & t->mask;
	return i;
}

struct starpu_perfmodel_history_entry *perf_entry(const struct starpu_perfmodel_per_arch *p, uint32_t footprint)
{
	const struct starpu_perfmodel_history_table *t = p ? p->history : NULL;
	return t ? t->at[place(t, footprint)] : NULL;
}

static int make_room(struct starpu_perfmodel_per_arch *p)
{
	struct starpu_perfmodel_history_table *old = p->history;
	if (old && 2 * (old->n + 1) <= old->mask)
		return 0;
	uint32_t size = old ? 2 * (old->mask + 1) : 16;
	struct starpu_perfmodel_history_table *t = calloc(1, sizeof *t + size * sizeof t->at[0]);
	if (!t)
		return -1;
	t->mask = size - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->at[i])
			t->at[place(t, old->at[i]->footprint)] = old->at[i];
	t->n = old ? old->n : 0;
	free(old);
	p->history = t;
	return 0;
}

struct starpu_perfmodel_history_entry *perf_row_add(struct starpu_perfmodel_per_arch *p)
{
	struct starpu_perfmodel_history_list *link = malloc(sizeof *link);
	struct starpu_perfmodel_history_entry *e = calloc(1, sizeof *e);
	if (!link || !e) {
		free(link);
		free(e);
		return NULL;
	}
	*link = (struct starpu_perfmodel_history_list){p->list, e};
	p->list = link;
	return e;
}

struct starpu_perfmodel_history_entry *perf_entry_add(struct starpu_perfmodel_per_arch *p, uint32_t footprint)
{
	struct starpu_perfmodel_history_entry *e = perf_entry(p, footprint);
	if (e)
		return e;
	if (make_room(p) || !(e = perf_row_add(p)))
		return NULL;
	e->footprint = footprint;
	p->history->at[place(p->history, footprint)] = e;
	p->history->n++;
	return e;
}

void perf_slot_free(struct starpu_perfmodel_per_arch *p)
{
	if (!p)
		return;
	for (struct starpu_perfmodel_history_list *l = p->list, *next; l; l = next) {
		next = l->next;
		free(l->entry->parameters);
		free(l->entry);
		free(l);
	}
	free(p->history);
	free(p->regression.coeff);
	free(p);
}

struct starpu_perfmodel_per_arch *perf_slot(struct starpu_perfmodel *m, const struct starpu_perfmodel_arch *arch, unsigned impl,
                                            bool make)
{
	int comb = arch && impl < STARPU_MAXIMPLEMENTATIONS && m->state ? perf_comb_of(arch, make) : -1;
	if (comb < 0)
		return NULL;
	struct starpu_perfmodel_per_arch **slot = &m->state->slot[comb][impl], *p = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (p || !make)
		return p;
	/* Two threads may both make one: the second gives its up. */
	struct starpu_perfmodel_per_arch *mine = calloc(1, sizeof *mine);
	if (!mine)
		return NULL;
	if (__atomic_compare_exchange_n(slot, &p, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mine;
	free(mine);
	return p;
}
