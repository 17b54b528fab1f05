/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starpu_malloc() and its family. Main memory comes from the program's hooks, when it has set some,
 * or from the C library with the alignment that was asked for. Pinning has no meaning for the
 * present drivers: it is accepted and ignored. STARPU_MALLOC_COUNT takes the bytes from the node's
 * limit first, and reclaims when there is no room.
 */
#include "runtime/task/complain.h"
#include "memory.h"
#include "runtime/task/machine.h"
#include "base/atomic.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

bool (*rt_reclaim)(unsigned node, size_t size);
/*
 * Smaller pieces are not worth a cache line of their own: the C library's caches of threads return
 * them in a third of the time, but know no alignments.
 */
enum { SMALL = 4096 };
static struct {
	size_t align; /* asked for; 0: none */
	starpu_malloc_hook malloc;
	starpu_free_hook free;
} how;

void starpu_malloc_set_align(size_t align)
{
	if (align && !(align & (align - 1)) && align > how.align)
		how.align = align;
}

void starpu_malloc_set_hooks(starpu_malloc_hook malloc_hook, starpu_free_hook free_hook)
{
	how.malloc = malloc_hook;
	how.free = free_hook;
}

static uintptr_t ram_alloc(unsigned node, size_t size, int flags)
{
	void *p = NULL;
	if (how.malloc)
		return how.malloc(node, &p, size, flags) ? 0 : (uintptr_t)p;
	if (how.align <= _Alignof(max_align_t) && size < SMALL)
		return (uintptr_t)malloc(size ? size : 1);
	size_t align = how.align > WEFT_CACHE_LINE ? how.align : WEFT_CACHE_LINE;
	return posix_memalign(&p, align, size ? size : 1) ? 0 : (uintptr_t)p;
}

static void ram_free(unsigned node, uintptr_t addr, size_t size, int flags)
{
	if (how.free)
		how.free(node, (void *)addr, size, flags);
	else
		free((void *)addr);
}

const struct rt_node_ops rt_ram_ops = {.alloc = ram_alloc, .free = ram_free};

/* ---- of a NUMA node: whole pages that are bound to it; less than a page is placed by its first touch ---- */

static bool is_bound(size_t size)
{
	return size >= (size_t)sysconf(_SC_PAGESIZE) && !how.malloc;
}

static uintptr_t numa_alloc(unsigned node, size_t size, int flags)
{
	hwloc_topology_t t = rt_machine.topology;
	hwloc_obj_t numa = hwloc_get_numanode_obj_by_os_index(t, (unsigned)rt_machine.node[node].numa);
	if (!is_bound(size) || !numa)
		return ram_alloc(node, size, flags);
	return (uintptr_t)hwloc_alloc_membind(t, size, numa->nodeset, HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET);
}

static void numa_free(unsigned node, uintptr_t addr, size_t size, int flags)
{
	if (is_bound(size))
		hwloc_free(rt_machine.topology, (void *)addr, size);
	else
		ram_free(node, addr, size, flags);
}

const struct rt_node_ops rt_numa_ops = {.alloc = numa_alloc, .free = numa_free};

/* ---- of any node ---- */

static uintptr_t allocate(const struct rt_node_ops *ops, unsigned node, size_t size, int flags)
{
	if (flags & STARPU_MALLOC_COUNT) {
		int wait = flags & (int)(STARPU_MEMORY_WAIT | STARPU_MEMORY_OVERFLOW);
		int rc = starpu_memory_allocate(node, size,
		                                flags & (int)STARPU_MALLOC_NORECLAIM ? wait | (int)STARPU_MEMORY_OVERFLOW : 0);
		while (rc == -ENOMEM && rt_reclaim && rt_reclaim(node, size))
			rc = starpu_memory_allocate(node, size, 0);
		if (rc == -ENOMEM && wait)
			rc = starpu_memory_allocate(node, size, wait);
		if (rc)
			return 0;
	}
	uintptr_t addr = ops->alloc(node, size, flags);
	while (!addr && rt_reclaim && rt_reclaim(node, size))
		addr = ops->alloc(node, size, flags);
	if (!addr && flags & STARPU_MALLOC_COUNT)
		starpu_memory_deallocate(node, size);
	return addr;
}

uintptr_t starpu_malloc_on_node_flags(unsigned node, size_t size, int flags)
{
	return node < weft_load_u32(&rt_n_nodes) ? allocate(rt_nodes[node].ops, node, size, flags) : 0;
}

void starpu_free_on_node_flags(unsigned node, uintptr_t addr, size_t size, int flags)
{
	if (!addr || node >= weft_load_u32(&rt_n_nodes))
		return;
	rt_nodes[node].ops->free(node, addr, size, flags);
	if (flags & STARPU_MALLOC_COUNT)
		starpu_memory_deallocate(node, size);
}

static int default_flags(unsigned node)
{
	return node < weft_load_u32(&rt_n_nodes) ? rt_nodes[node].memory.default_flags : 0;
}

uintptr_t starpu_malloc_on_node(unsigned node, size_t size)
{
	return starpu_malloc_on_node_flags(node, size, default_flags(node));
}

void starpu_free_on_node(unsigned node, uintptr_t addr, size_t size)
{
	starpu_free_on_node_flags(node, addr, size, default_flags(node));
}

void starpu_malloc_on_node_set_default_flags(unsigned node, int flags)
{
	if (node < weft_load_u32(&rt_n_nodes))
		rt_nodes[node].memory.default_flags = flags;
}

void starpu_check_on_node(unsigned node, uintptr_t addr, size_t size)
{
	/* Reads main memory's bytes: the check itself is left to a tool that watches accesses. */
	if (node < weft_load_u32(&rt_n_nodes) && rt_nodes[node].kind == STARPU_CPU_RAM && addr && size) {
		(void)*(volatile char *)addr;
		(void)*(volatile char *)(addr + size - 1);
	}
}

/* ---- main memory, for the application; also before starpu_init(); given back without its size ---- */

int starpu_malloc_flags(void **A, size_t dim, int flags)
{
	RT_EXPECT(A, "starpu_malloc: there is no place for the address");
	uintptr_t p = weft_load_u32(&rt_n_nodes) ? allocate(&rt_ram_ops, STARPU_MAIN_RAM, dim, flags)
	                                         : ram_alloc(STARPU_MAIN_RAM, dim, flags);
	*A = (void *)p;
	return p ? 0 : -ENOMEM;
}

int starpu_free_flags(void *A, size_t dim, int flags)
{
	if (A && flags & STARPU_MALLOC_COUNT)
		starpu_memory_deallocate(STARPU_MAIN_RAM, dim);
	if (A)
		ram_free(STARPU_MAIN_RAM, (uintptr_t)A, dim, flags);
	return 0;
}

int starpu_malloc(void **A, size_t dim)
{
	return starpu_malloc_flags(A, dim, STARPU_MALLOC_PINNED);
}

int starpu_free(void *A)
{
	return starpu_free_flags(A, 0, STARPU_MALLOC_PINNED);
}

int starpu_free_noflag(void *A, size_t dim)
{
	return starpu_free_flags(A, dim, STARPU_MALLOC_PINNED);
}

int starpu_memory_pin(void *addr, size_t size)
{
	return addr || !size ? 0 : -1;
}

int starpu_memory_unpin(void *addr, size_t size)
{
	return addr || !size ? 0 : -1;
}
