/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts, and printing them in the handbook's layout. All are under rt_data.lock. A handle has
 * counts of its own from its first access on, and only while the environment asks for them.
 */
#include "data_stats.h"
#include "data.h"
#include "replica.h"
#include "runtime/task/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a handle on a node. */
struct rt_access_counts {
	uint32_t direct, loaded_owner, loaded_shared, invalidated;
};

bool rt_stats_counted;
static struct {
	bool nodes, handles; /* enabled counts */
	struct {
		uint64_t hits, misses, allocated, cached;
	} node[STARPU_MAXNODES];
} my;

void rt_stats_begin(void)
{
	memset(&my, 0, sizeof my);
	my.nodes = getenv("STARPU_ENABLE_STATS") && starpu_get_env_number_default("STARPU_ENABLE_STATS", 1) != 0;
	my.handles = starpu_get_env_number_default("STARPU_MEMORY_STATS", 0) > 0;
	rt_stats_counted = rt_machine.counts_accesses = my.nodes || my.handles;
}

static struct rt_access_counts *counts_of(starpu_data_handle_t h)
{
	if (!h->counts && my.handles)
		h->counts = calloc(STARPU_MAXNODES, sizeof *h->counts);
	return h->counts;
}

void rt_stats_forget(starpu_data_handle_t h)
{
	free(h->counts);
	h->counts = NULL;
}

/* The only node with its value, or -1. */
static int owner_of(starpu_data_handle_t h)
{
	int owner = -1;
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (h->replica[i].valid) {
			if (owner >= 0)
				return -1;
			owner = (int)i;
		}
	return owner;
}

static void count_of_handle(starpu_data_handle_t h, unsigned node, uint32_t mode, bool hit)
{
	struct rt_access_counts *c = counts_of(h);
	int owner = owner_of(h);
	if (!c)
		return;
	c[node].direct += hit;
	c[node].loaded_owner += !hit && mode & RT_WRITE;
	c[node].loaded_shared += !hit && !(mode & RT_WRITE);
	if (mode & RT_WRITE && owner >= 0 && (unsigned)owner != node)
		c[owner].invalidated++;
}

/* With the lock. */
static void count_access(starpu_data_handle_t h, unsigned node, uint32_t mode)
{
	bool hit = h->replica[node].valid;
	my.node[node].hits += hit;
	my.node[node].misses += !hit;
	count_of_handle(h, node, mode, hit);
}

void rt_stats_access(starpu_data_handle_t h, unsigned node, uint32_t mode)
{
	rt_replica_lock();
	count_access(h, node, mode);
	rt_replica_unlock();
}

void rt_stats_job(struct rt_job *j, const int8_t *node)
{
	rt_replica_lock();
	for (unsigned i = 0; i < j->n_accesses; i++)
		if (!node || node[i] >= 0)
			count_access(rt_handle_of(rt_job_handles(j)[i]), node ? (unsigned)node[i] : STARPU_MAIN_RAM,
			             rt_job_modes(j)[i]);
	rt_replica_unlock();
}

void rt_stats_allocated(unsigned node, bool cached)
{
	my.node[node].allocated++;
	my.node[node].cached += cached;
}

/* ---- printing ---- */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_hits(FILE *f)
{
	uint64_t hits = 0, all = 0;
	for (unsigned i = 0; i < STARPU_MAXNODES; i++) {
		hits += my.node[i].hits;
		all += my.node[i].hits + my.node[i].misses;
	}
	fprintf(f, "\n#---------------------\nMSI cache stats :\nTOTAL MSI stats\thit %llu (%.2f %%)\tmiss %llu (%.2f %%)\n",
	        (unsigned long long)hits, percent(hits, all), (unsigned long long)(all - hits), percent(all - hits, all));
	for (unsigned i = 0; i < STARPU_MAXNODES; i++) {
		char name[64];
		uint64_t hit = my.node[i].hits, miss = my.node[i].misses;
		starpu_memory_node_get_name(i, name, sizeof name);
		if (hit + miss)
			fprintf(f, "memory node %s\n\thit : %llu (%.2f %%)\n\tmiss : %llu (%.2f %%)\n", name,
			        (unsigned long long)hit, percent(hit, hit + miss), (unsigned long long)miss,
			        percent(miss, hit + miss));
	}
	fprintf(f, "#---------------------\n");
}

static void print_allocations(FILE *f)
{
	fprintf(f, "\n#---------------------\nAllocation cache stats:\n");
	for (unsigned i = 0; i < STARPU_MAXNODES; i++) {
		char name[64];
		starpu_memory_node_get_name(i, name, sizeof name);
		if (my.node[i].allocated)
			fprintf(f, "memory node %s\n\ttotal alloc : %llu\n\tcached alloc: %llu (%.2f %%)\n", name,
			        (unsigned long long)my.node[i].allocated, (unsigned long long)my.node[i].cached,
			        percent(my.node[i].cached, my.node[i].allocated));
	}
	fprintf(f, "#---------------------\n");
}

/* Nodes without an access to it are left out. */
static void print_counts(FILE *f, const struct rt_access_counts *c)
{
	fprintf(f, "\n#--\nData access stats\n/!\\ Work Underway\n");
	for (unsigned i = 0; i < STARPU_MAXNODES; i++) {
		if (!(c[i].direct | c[i].loaded_owner | c[i].loaded_shared | c[i].invalidated))
			continue;
		fprintf(f,
		        "Node #%u\n\tDirect access : %u\n\tLoaded (Owner) : %u\n\tLoaded (Shared) : %u\n"
		        "\tInvalidated (was Owner) : %u\n\n",
		        i, c[i].direct, c[i].loaded_owner, c[i].loaded_shared, c[i].invalidated);
	}
}

/* With the lock: counts handles whose value is there. */
static void print_node(FILE *f, unsigned node)
{
	bool any = false;
	for (starpu_data_handle_t h = rt_data.handles; h; h = h->next) {
		if (!h->replica[node].valid)
			continue;
		if (!any)
			fprintf(f, "#-------\nData on Node #%u\n", node);
		any = true;
		fprintf(f, "#-------\nData : %p%s%s%s\nSize : %zu\n", (void *)h, h->name ? " (" : "", h->name ? h->name : "",
		        h->name ? ")" : "", rt_data_size(h));
		if (h->counts)
			print_counts(f, h->counts);
	}
}

void starpu_data_display_memory_stats(void)
{
	fprintf(stderr, "\n#---------------------\nMemory stats :\n");
	if (!my.handles)
		fprintf(stderr, "accesses are counted with STARPU_MEMORY_STATS=1\n");
	rt_replica_lock();
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		print_node(stderr, i);
	rt_replica_unlock();
	fprintf(stderr, "#---------------------\n");
}

void rt_stats_end(void)
{
	if (my.nodes && starpu_get_env_number_default("STARPU_STATS", 1) != 0) {
		print_hits(stderr);
		print_allocations(stderr);
	}
	if (my.handles && rt_data.handles)
		starpu_data_display_memory_stats();
	rt_stats_counted = false;
}
