/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways between memory nodes, one for each direction, and their traffic: sums, and the part of
 * them that the program's last query has returned. They are numbered so that those of a node that
 * comes later (a disk) come behind all others: first the pairs of nodes 0 and 1, then of 0 and 2,
 * of 1 and 2…
 */
#include "profile.h"
#include "runtime/meter/instant.h"
#include <errno.h>

static struct way {
	struct weft_atomic_u64 bytes, transfers, ns; /* since StarPU began; ns: of transfers that were measured */
	struct weft_atomic_u64 told_bytes, told_transfers, since;
	struct weft_atomic_i32 direct, gpus; /* set by the program */
} ways[STARPU_MAXNODES][STARPU_MAXNODES];

/* Between nodes l < g: g * (g - 1) + 2 l to the greater one, the next number back. */
static int number_of(unsigned from, unsigned to)
{
	unsigned greater = from > to ? from : to, less = from > to ? to : from;
	return (int)(greater * (greater - 1) + 2 * less + (from > to));
}

/* NULL: there is no such way. */
static struct way *way_of(int id, unsigned *from, unsigned *to)
{
	unsigned greater = 1;
	if (id < 0 || id >= starpu_bus_get_count())
		return NULL;
	while ((unsigned)id >= greater * (greater + 1))
		greater++;
	unsigned at = (unsigned)id - greater * (greater - 1), less = at / 2;
	*from = at % 2 ? greater : less;
	*to = at % 2 ? less : greater;
	return &ways[*from][*to];
}

void rt_profile_transferred(unsigned from, unsigned to, size_t bytes, uint64_t ns)
{
	weft_add_u64(&ways[from][to].bytes, bytes);
	weft_add_u64(&ways[from][to].transfers, 1);
	if (ns)
		weft_add_u64(&ways[from][to].ns, ns);
}

void rt_profile_bus_begin(void)
{
	for (unsigned i = 0; i < STARPU_MAXNODES; i++)
		for (unsigned k = 0; k < STARPU_MAXNODES; k++) {
			weft_store_u64(&ways[i][k].told_bytes, weft_load_u64(&ways[i][k].bytes));
			weft_store_u64(&ways[i][k].told_transfers, weft_load_u64(&ways[i][k].transfers));
			weft_store_u64(&ways[i][k].since, rt_instant_ns());
		}
}

void rt_profile_bus_forget(void)
{
	for (unsigned i = 0; i < STARPU_MAXNODES; i++)
		for (unsigned k = 0; k < STARPU_MAXNODES; k++) {
			weft_store_u64(&ways[i][k].bytes, 0);
			weft_store_u64(&ways[i][k].transfers, 0);
			weft_store_u64(&ways[i][k].ns, 0);
		}
}

struct rt_profile_way rt_profile_way(unsigned from, unsigned to)
{
	const struct way *w = &ways[from][to];
	return (struct rt_profile_way){weft_load_u64(&w->bytes), weft_load_u64(&w->transfers), weft_load_u64(&w->ns)};
}

int starpu_bus_get_count(void)
{
	unsigned nodes = starpu_memory_nodes_get_count();
	return nodes ? (int)(nodes * (nodes - 1)) : 0;
}

static bool is_node(int node)
{
	return node >= 0 && (unsigned)node < starpu_memory_nodes_get_count();
}

int starpu_bus_get_id(int src, int dst)
{
	return is_node(src) && is_node(dst) && src != dst ? number_of((unsigned)src, (unsigned)dst) : -1;
}

int starpu_bus_get_src(int busid)
{
	unsigned from, to;
	return way_of(busid, &from, &to) ? (int)from : -1;
}

int starpu_bus_get_dst(int busid)
{
	unsigned from, to;
	return way_of(busid, &from, &to) ? (int)to : -1;
}

void starpu_bus_set_direct(int busid, int direct)
{
	unsigned from, to;
	struct way *w = way_of(busid, &from, &to);
	if (w)
		weft_store_i32(&w->direct, direct);
}

int starpu_bus_get_direct(int busid)
{
	unsigned from, to;
	const struct way *w = way_of(busid, &from, &to);
	return w ? weft_load_i32(&w->direct) : -1;
}

void starpu_bus_set_ngpus(int busid, int ngpus)
{
	unsigned from, to;
	struct way *w = way_of(busid, &from, &to);
	if (w)
		weft_store_i32(&w->gpus, ngpus);
}

/* The number of devices that share it: all, unless the program has set another. */
int starpu_bus_get_ngpus(int busid)
{
	unsigned from, to;
	const struct way *w = way_of(busid, &from, &to);
	if (!w)
		return -1;
	int said = weft_load_i32(&w->gpus), devices = 0;
	for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++)
		devices += starpu_node_get_kind(i) != STARPU_CPU_RAM && starpu_node_get_kind(i) != STARPU_DISK_RAM;
	return said ? said : devices;
}

int starpu_bus_get_profiling_info(int busid, struct starpu_profiling_bus_info *bus_info)
{
	unsigned from, to;
	struct way *w = way_of(busid, &from, &to);
	if (!w)
		return -EINVAL;
	uint64_t now = rt_instant_ns(), since = weft_swap_u64(&w->since, now);
	uint64_t bytes = weft_load_u64(&w->bytes), transfers = weft_load_u64(&w->transfers);
	struct starpu_profiling_bus_info info = {
		.start_time = rt_profile_date(since),
		.total_time = rt_profile_span(now > since ? now - since : 0),
		.transferred_bytes = (long long)(bytes - weft_swap_u64(&w->told_bytes, bytes)),
		.transfer_count = (int)(transfers - weft_swap_u64(&w->told_transfers, transfers)),
	};
	if (bus_info)
		*bus_info = info;
	return 0;
}
