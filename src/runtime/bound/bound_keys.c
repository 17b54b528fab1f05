/* SPDX-License-Identifier: Apache-2.0 */
/* An open hash table, at most half full. */
#include "bound_keys.h"
#include "bound.h"
#include <stdlib.h>

static struct {
	struct bound_key *at;
	size_t n, cap; /* cap: a power of two */
} all;

static struct bound_key *slot(struct bound_key *at, size_t cap, uint64_t key)
{
	size_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (cap - 1);
	while (at[i].key && at[i].key != key)
		i = (i + 1) & (cap - 1);
	return &at[i];
}

static bool grow(void)
{
	size_t cap = all.cap ? 2 * all.cap : 1024;
	struct bound_key *more = calloc(cap, sizeof *more);
	if (!more)
		return false;
	for (size_t i = 0; i < all.cap; i++)
		if (all.at[i].key)
			*slot(more, cap, all.at[i].key) = all.at[i];
	free(all.at);
	all.at = more;
	all.cap = cap;
	return true;
}

struct bound_key *bound_key(uint64_t key, bool make)
{
	if (2 * (all.n + 1) > all.cap && !grow())
		return NULL;
	struct bound_key *k = slot(all.at, all.cap, key);
	if (!k->key && !make)
		return NULL;
	if (!k->key) {
		*k = (struct bound_key){.key = key, .task = BOUND_NOTHING};
		all.n++;
	}
	return k;
}

void bound_wait(struct bound_waiting *w, uint32_t task)
{
	if (w->n == w->cap) {
		uint32_t cap = w->cap ? 2 * w->cap : 4;
		uint32_t *more = realloc(w->task, cap * sizeof *more);
		if (!more)
			return;
		w->task = more;
		w->cap = cap;
	}
	w->task[w->n++] = task;
}

void bound_swap_groups(struct bound_key *k)
{
	struct bound_waiting empty = k->before;
	if (!k->now.n)
		return;
	k->before_wrote = k->class != STARPU_R;
	k->before = k->now;
	empty.n = 0;
	k->now = empty;
}

void bound_keys_free(void)
{
	for (size_t i = 0; i < all.cap; i++) {
		free(all.at[i].waiting.task);
		free(all.at[i].now.task);
		free(all.at[i].before.task);
	}
	free(all.at);
	all.at = NULL;
	all.n = all.cap = 0;
}
