/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where jobs come from: one array of address space, of which memory is taken as jobs are needed; pools hand out what came back
 * before they take more. Jobs are never unmapped while the runtime lives: a reference to a finished one may be looked at.
 */
#include "job.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLAB_JOBS = 256 };
#define MOST_JOBS (UINT32_C(1) << 27)
#define LEAST_JOBS (UINT32_C(1) << 16)

struct rt_job *rt_jobs;
static struct {
	pthread_mutex_t lock; /* of all but `used` */
	unsigned users;
	uint32_t n;                  /* jobs that there is address space for */
	struct weft_atomic_u32 used; /* those that a pool has had */
	unsigned n_pools;
	struct rt_pool pool[RT_POOLS];
	bool taken[RT_POOLS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int reserve(struct weft_err *err)
{
	for (uint32_t n = MOST_JOBS; n >= LEAST_JOBS; n /= 2) {
		void *p = mmap(NULL, n * sizeof(struct rt_job), PROT_READ | PROT_WRITE,
		               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			continue;
		/* A refusal only costs time. */
		madvise(p, n * sizeof(struct rt_job), MADV_HUGEPAGE);
		rt_jobs = p;
		all.n = n;
		weft_store_u32(&all.used, 1);
		return 0;
	}
	return weft_err_set(err, -ENOMEM, "cannot reserve address space for tasks");
}

int rt_jobs_begin(struct weft_err *err)
{
	pthread_mutex_lock(&all.lock);
	int rc = all.users ? 0 : reserve(err);
	if (!rc)
		all.users++;
	pthread_mutex_unlock(&all.lock);
	return rc;
}

void rt_jobs_end(void)
{
	pthread_mutex_lock(&all.lock);
	if (--all.users == 0) {
		munmap(rt_jobs, all.n * sizeof(struct rt_job));
		rt_jobs = NULL;
		memset(all.pool, 0, sizeof all.pool);
		memset(all.taken, 0, sizeof all.taken);
		all.n_pools = 0;
	}
	pthread_mutex_unlock(&all.lock);
}

struct rt_pool *rt_pool_take(void)
{
	struct rt_pool *p = NULL;
	pthread_mutex_lock(&all.lock);
	for (unsigned i = 0; i < RT_POOLS && !p; i++)
		if (!all.taken[i]) {
			all.taken[i] = true;
			p = &all.pool[i];
			p->number = (uint16_t)i;
		}
	pthread_mutex_unlock(&all.lock);
	return p;
}

void rt_pool_leave(struct rt_pool *p)
{
	pthread_mutex_lock(&all.lock);
	all.taken[p->number] = false;
	pthread_mutex_unlock(&all.lock);
}

/* SLAB_JOBS new ones, chained; 0 when the array is used up. */
static uint32_t carve(struct rt_pool *p)
{
	uint32_t first = weft_add_u32(&all.used, SLAB_JOBS);
	if (first > all.n - SLAB_JOBS) {
		weft_add_u32(&all.used, -(uint32_t)SLAB_JOBS);
		return 0;
	}
	for (uint32_t i = first; i < first + SLAB_JOBS; i++) {
		struct rt_job *j = rt_job_at(i);
		j->self = i;
		j->pool = p->number & (RT_POOLS - 1);
		j->next_free = i + 1 < first + SLAB_JOBS ? i + 1 : 0;
		weft_store_u64(&j->succ, UINT64_C(1) << 32);
	}
	return first;
}

static void *room_beside(struct rt_pool *p)
{
	struct rt_job *j = rt_job_new(p);
	return j ? j->edge_next : NULL;
}

static void *room_apart(unsigned n)
{
	return n <= UINT16_MAX ? malloc(n * (sizeof(struct rt_handle *) + sizeof(uint32_t))) : NULL;
}

int rt_job_make_room(struct rt_pool *p, struct rt_job *j, unsigned n)
{
	struct rt_job *old = rt_job_leave_room(j);
	if (old)
		rt_job_take_back(p, old);
	j->n_accesses = 0;
	if (n > RT_ACCESSES) {
		struct rt_handle **handle = n <= RT_ACCESSES_BESIDE ? room_beside(p) : room_apart(n);
		if (!handle)
			return -ENOMEM;
		j->access[0] = (void *)handle;
		j->access[1] = (void *)(handle + n);
	}
	j->n_accesses = (uint16_t)n;
	return 0;
}

struct rt_job *rt_job_leave_room(struct rt_job *j)
{
	if (j->n_accesses <= RT_ACCESSES)
		return NULL;
	if (j->n_accesses <= RT_ACCESSES_BESIDE)
		return (struct rt_job *)(void *)((char *)j->access[0] - offsetof(struct rt_job, edge_next));
	free(j->access[0]);
	return NULL;
}

struct rt_job *rt_job_new_slow(struct rt_pool *p)
{
	p->free = weft_swap_u32(&p->returned, 0);
	if (!p->free)
		p->free = carve(p);
	if (!p->free)
		return NULL;
	struct rt_job *j = rt_job_at(p->free);
	p->free = j->next_free;
	j->bits = 0;
	return j;
}

void rt_outbox_flush(struct rt_outbox *o)
{
	if (!o->n)
		return;
	struct rt_pool *p = &all.pool[o->pool];
	uint32_t head = weft_load_u32(&p->returned);
	do {
		rt_job_at(o->last)->next_free = head;
	} while (!weft_cas_u32(&p->returned, &head, o->first));
	o->first = o->n = 0;
}
