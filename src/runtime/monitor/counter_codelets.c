/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codelets come and go without a word, and their memory may be anybody's when the runtime ends. So a codelet does not point to what is
 * counted of it: its field has a number, of the runtime's life and of a place in our table, which all go with that life. Codelets that
 * cannot be written to are found in a list.
 */
#include "counter.h"
#include <pthread.h>
#include <stdlib.h>

enum { EACH_CHUNK = 256, CHUNKS = 4096, LIFE_SHIFT = 24 };

static struct {
	pthread_mutex_t lock;
	struct weft_atomic_u32 n;
	struct weft_atomic_ptr chunk[CHUNKS]; /* of EACH_CHUNK codelets; owned */
	struct weft_atomic_ptr constant;      /* those that cannot be written to */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t life(void)
{
	return rt_machine.core ? (rt_machine.core->serial + 1) << LIFE_SHIFT : 0;
}

static struct counter_codelet *codelet_at(uint32_t i)
{
	struct counter_codelet *chunk = weft_load_ptr(&all.chunk[i / EACH_CHUNK]);
	return &chunk[i % EACH_CHUNK];
}

static struct counter_codelet *find_constant(const struct starpu_codelet *cl)
{
	struct counter_codelet *c = weft_load_ptr(&all.constant);
	while (c && c->cl != cl)
		c = c->next_constant;
	return c;
}

static struct counter_codelet *find(const struct starpu_codelet *cl)
{
	uintptr_t word = (uintptr_t)__atomic_load_n(&cl->perf_counter_values, __ATOMIC_ACQUIRE);
	if (WEFT_LIKELY((word & ~(uintptr_t)((1 << LIFE_SHIFT) - 1)) == life()))
		return codelet_at((uint32_t)(word & ((1 << LIFE_SHIFT) - 1)));
	return rt_codelet_is_constant(cl) ? find_constant(cl) : NULL;
}

/* With the lock. */
static struct counter_codelet *new_codelet(struct starpu_codelet *cl)
{
	uint32_t i = weft_load_u32(&all.n);
	if (i == EACH_CHUNK * CHUNKS)
		return NULL;
	if (i % EACH_CHUNK == 0) {
		void *chunk = aligned_alloc(_Alignof(struct counter_codelet), EACH_CHUNK * sizeof(struct counter_codelet));
		if (!chunk)
			return NULL;
		memset(chunk, 0, EACH_CHUNK * sizeof(struct counter_codelet));
		weft_store_ptr(&all.chunk[i / EACH_CHUNK], chunk);
	}
	struct counter_codelet *c = codelet_at(i);
	c->cl = cl;
	snprintf(c->name, sizeof c->name, "%s",
	         cl->name                         ? cl->name
	         : cl->model && cl->model->symbol ? cl->model->symbol
	                                          : "unnamed");
	if (rt_codelet_is_constant(cl)) {
		c->next_constant = weft_load_ptr(&all.constant);
		weft_store_ptr(&all.constant, c);
	} else {
		__atomic_store_n(&cl->perf_counter_values, (void *)(uintptr_t)(life() | i), __ATOMIC_RELEASE);
	}
	weft_store_u32(&all.n, i + 1);
	return c;
}

struct counter_codelet *counter_codelet_of(struct starpu_codelet *cl, bool make)
{
	struct counter_codelet *c = find(cl);
	if (c || !make)
		return c;
	pthread_mutex_lock(&all.lock);
	c = find(cl);
	c = c ? c : new_codelet(cl);
	pthread_mutex_unlock(&all.lock);
	return c;
}

void counter_each_codelet(void (*each)(struct counter_codelet *c, void *arg), void *arg)
{
	for (uint32_t i = 0, n = weft_load_u32(&all.n); i < n; i++)
		each(codelet_at(i), arg);
}

void counter_codelets_end(void)
{
	pthread_mutex_lock(&all.lock);
	for (uint32_t i = 0; i < weft_load_u32(&all.n); i += EACH_CHUNK)
		free(weft_swap_ptr(&all.chunk[i / EACH_CHUNK], NULL));
	weft_store_u32(&all.n, 0);
	weft_store_ptr(&all.constant, NULL);
	pthread_mutex_unlock(&all.lock);
}
