/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of memory nodes and the accounts of each. Accounting is by promise:
 * starpu_memory_allocate() takes bytes from the node's limit, whether or not they are then
 * allocated. A node without a limit counts used bytes all the same.
 */
#include "node.h"
#include "memory.h"
#include "runtime/task/machine.h"
#include "runtime/core/life_detail.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rt_node rt_nodes[STARPU_MAXNODES];
struct weft_atomic_u32 rt_n_nodes;

int rt_node_add(enum starpu_node_kind kind, int devid, const struct rt_node_ops *ops, void *base, starpu_ssize_t limit)
{
	uint32_t n = weft_load_u32(&rt_n_nodes);
	if (n == STARPU_MAXNODES)
		return -ENOSPC;
	struct rt_node *node = &rt_nodes[n];
	*node = (struct rt_node){.kind = kind, .devid = devid, .ops = ops, .base = base};
	pthread_mutex_init(&node->memory.lock, NULL);
	pthread_cond_init(&node->memory.freed, NULL);
	node->memory.limit = limit;
	node->memory.trace = rt_detail_of_node("memory in use", n);
	node->memory.in.trace = rt_detail_of_node("copied into", n);
	node->memory.out.trace = rt_detail_of_node("copied from", n);
	node->memory.default_flags = STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT;
	weft_store_u32(&rt_n_nodes, n + 1);
	return (int)n;
}

/* An environment variable in MB, as bytes; -1: not set. */
static starpu_ssize_t limit_from(const char *name)
{
	int mb = starpu_get_env_number_default(name, -1);
	return mb < 0 ? -1 : (starpu_ssize_t)mb << 20;
}

starpu_ssize_t rt_node_limit(const char *kind, int devid)
{
	char name[64];
	snprintf(name, sizeof name, "STARPU_LIMIT_%s_%d_MEM", kind, devid);
	starpu_ssize_t limit = limit_from(name);
	snprintf(name, sizeof name, "STARPU_LIMIT_%s_MEM", kind);
	return limit >= 0 ? limit : limit_from(name);
}

/* Main memory's by NUMA node, or an equal share of the whole; 0 is the same as none. */
static starpu_ssize_t ram_limit(int numa, unsigned n_nodes)
{
	starpu_ssize_t limit = rt_node_limit("CPU_NUMA", numa), whole = limit_from("STARPU_LIMIT_CPU_MEM");
	if (limit < 0 && whole > 0)
		limit = whole / n_nodes;
	return limit > 0 ? limit : -1;
}

void rt_nodes_begin(const struct rt_machine *m)
{
	weft_store_u32(&rt_n_nodes, 0);
	unsigned n = 0;
	while (n < m->n_nodes && m->node[n].kind == STARPU_CPU_RAM)
		n++;
	for (unsigned i = 0; i < n; i++)
		rt_node_add(STARPU_CPU_RAM, m->node[i].devid, n == 1 || rt_simulator ? &rt_ram_ops : &rt_numa_ops, NULL,
		            ram_limit(m->node[i].numa, n));
}

void rt_nodes_end(void)
{
	for (uint32_t i = 0; i < weft_load_u32(&rt_n_nodes); i++) {
		pthread_mutex_destroy(&rt_nodes[i].memory.lock);
		pthread_cond_destroy(&rt_nodes[i].memory.freed);
	}
	weft_store_u32(&rt_n_nodes, 0);
}

static struct rt_memory *memory_of(unsigned node)
{
	return node < weft_load_u32(&rt_n_nodes) ? &rt_nodes[node].memory : NULL;
}

/* ---- the public accounts ---- */

starpu_ssize_t starpu_memory_get_total(unsigned node)
{
	struct rt_memory *m = memory_of(node);
	return m ? m->limit : -1;
}

starpu_ssize_t starpu_memory_get_available(unsigned node)
{
	struct rt_memory *m = memory_of(node);
	if (!m || m->limit < 0)
		return -1;
	pthread_mutex_lock(&m->lock);
	starpu_ssize_t left = (size_t)m->limit > m->used ? m->limit - (starpu_ssize_t)m->used : 0;
	pthread_mutex_unlock(&m->lock);
	return left;
}

size_t starpu_memory_get_used(unsigned node)
{
	struct rt_memory *m = memory_of(node);
	if (!m)
		return 0;
	pthread_mutex_lock(&m->lock);
	size_t used = m->used;
	pthread_mutex_unlock(&m->lock);
	return used;
}

static starpu_ssize_t sum_of(starpu_ssize_t (*what)(unsigned))
{
	starpu_ssize_t sum = 0;
	bool any = false;
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++) {
		starpu_ssize_t x = what(i);
		any = any || x >= 0;
		sum += x >= 0 ? x : 0;
	}
	return any ? sum : -1;
}

starpu_ssize_t starpu_memory_get_total_all_nodes(void)
{
	return sum_of(starpu_memory_get_total);
}

starpu_ssize_t starpu_memory_get_available_all_nodes(void)
{
	return sum_of(starpu_memory_get_available);
}

size_t starpu_memory_get_used_all_nodes(void)
{
	size_t sum = 0;
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		sum += starpu_memory_get_used(i);
	return sum;
}

static bool has_room(const struct rt_memory *m, size_t size)
{
	return m->limit < 0 || m->used + size <= (size_t)m->limit;
}

int starpu_memory_allocate(unsigned node, size_t size, int flags)
{
	struct rt_memory *m = memory_of(node);
	int rc = 0;
	if (!m)
		return -EINVAL;
	pthread_mutex_lock(&m->lock);
	while (flags & STARPU_MEMORY_WAIT && !has_room(m, size))
		pthread_cond_wait(&m->freed, &m->lock);
	if (has_room(m, size) || flags & STARPU_MEMORY_OVERFLOW)
		m->used += size;
	else
		rc = -ENOMEM;
	weft_count(m->trace, (int64_t)m->used);
	pthread_mutex_unlock(&m->lock);
	return rc;
}

void starpu_memory_deallocate(unsigned node, size_t size)
{
	struct rt_memory *m = memory_of(node);
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->used -= size < m->used ? size : m->used;
	weft_count(m->trace, (int64_t)m->used);
	pthread_cond_broadcast(&m->freed);
	pthread_mutex_unlock(&m->lock);
}

void starpu_memory_wait_available(unsigned node, size_t size)
{
	struct rt_memory *m = memory_of(node);
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	while (!has_room(m, size))
		pthread_cond_wait(&m->freed, &m->lock);
	pthread_mutex_unlock(&m->lock);
}

/* ---- transfers under way ---- */

int rt_async_add(struct rt_async *a, const struct rt_pending *p)
{
	if (a->n == a->cap) {
		unsigned cap = a->cap ? 2 * a->cap : 4;
		struct rt_pending *at = realloc(a->at, cap * sizeof *at);
		if (!at) {
			p->wait(p->event);
			p->free(p->event);
			return -ENOMEM;
		}
		a->at = at;
		a->cap = cap;
	}
	a->at[a->n++] = *p;
	return 0;
}

static void async_clear(struct rt_async *a)
{
	free(a->at);
	*a = (struct rt_async){0};
}

void rt_async_wait(struct rt_async *a)
{
	for (unsigned i = 0; i < a->n; i++) {
		a->at[i].wait(a->at[i].event);
		a->at[i].free(a->at[i].event);
	}
	async_clear(a);
}
