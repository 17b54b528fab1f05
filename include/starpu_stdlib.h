/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for data: pinned when devices want it, counted against the limits of its node.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_STDLIB_H__
#define __STARPU_STDLIB_H__

#include <stddef.h>
#include <stdint.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_MALLOC_COUNT ((1ULL) << 2)
#define STARPU_MALLOC_NORECLAIM ((1ULL) << 3)
#define STARPU_MALLOC_PINNED ((1ULL) << 1)
#define STARPU_MALLOC_SIMULATION_FOLDED ((1ULL) << 6)
#define STARPU_MALLOC_SIMULATION_UNIQUE ((1ULL) << 7)
#define STARPU_MEMORY_OVERFLOW ((1ULL) << 5)
#define STARPU_MEMORY_WAIT ((1ULL) << 4)
#define starpu_data_free_pinned_if_possible starpu_free
#define starpu_data_malloc_pinned_if_possible starpu_malloc

typedef int (*starpu_malloc_hook)(unsigned, void **, size_t, int);
typedef int (*starpu_free_hook)(unsigned, void *, size_t, int);

void starpu_malloc_set_align(size_t align);
int starpu_malloc(void **A, size_t dim);
int starpu_free(void *A);
int starpu_malloc_flags(void **A, size_t dim, int flags);
int starpu_free_flags(void *A, size_t dim, int flags);
int starpu_free_noflag(void *A, size_t dim);
void starpu_malloc_set_hooks(starpu_malloc_hook malloc_hook, starpu_free_hook free_hook);
int starpu_memory_pin(void *addr, size_t size);
int starpu_memory_unpin(void *addr, size_t size);
starpu_ssize_t starpu_memory_get_total(unsigned node);
starpu_ssize_t starpu_memory_get_available(unsigned node);
size_t starpu_memory_get_used(unsigned node);
starpu_ssize_t starpu_memory_get_total_all_nodes(void);
starpu_ssize_t starpu_memory_get_available_all_nodes(void);
size_t starpu_memory_get_used_all_nodes(void);
int starpu_memory_allocate(unsigned node, size_t size, int flags);
void starpu_memory_deallocate(unsigned node, size_t size);
void starpu_memory_wait_available(unsigned node, size_t size);
void starpu_sleep(float nb_sec);
void starpu_usleep(float nb_micro_sec);
void starpu_energy_use(float joules);
double starpu_energy_used(void);

#ifdef __cplusplus
}
#endif
#endif
