/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding of a worker's thread: at its begin, and when the program moves it. Both under one lock,
 * so that the last call counts. Former sets may still be read by other threads, and are freed when
 * the machine ends.
 */
#include "begin.h"
#include <pthread.h>
#include <stdlib.h>

static struct {
	pthread_mutex_t lock;
	unsigned n;
	hwloc_cpuset_t *set; /* former sets; owned */
} former = {.lock = PTHREAD_MUTEX_INITIALIZER};

void rt_worker_bind_self(unsigned worker)
{
	pthread_mutex_lock(&former.lock);
	hwloc_const_cpuset_t set = rt_worker_set(&rt_machine.worker[worker]);
	if (set) /* a refusal is no fault: the worker runs where it may */
		hwloc_set_cpubind(rt_machine.topology, set, HWLOC_CPUBIND_THREAD);
	pthread_mutex_unlock(&former.lock);
}

/* With the lock. */
static int bind_again(struct rt_worker_info *w, pthread_t thread, const struct hwloc_obj *unit)
{
	hwloc_cpuset_t set = hwloc_bitmap_dup(unit->cpuset);
	hwloc_cpuset_t *more = realloc(former.set, (former.n + 1) * sizeof *former.set);
	former.set = more ? more : former.set;
	if (!set || !more || hwloc_set_thread_cpubind(rt_machine.topology, thread, set, 0)) {
		hwloc_bitmap_free(set);
		return set && more ? -ENOTSUP : -ENOMEM;
	}
	former.set[former.n++] = w->set;
	__atomic_store_n(&w->set, set, __ATOMIC_RELEASE);
	__atomic_store_n(&w->pu, (int)unit->logical_index, __ATOMIC_RELAXED);
	return 0;
}

int rt_worker_bind(unsigned worker, int pu)
{
	struct rt_worker_info *w = &rt_machine.worker[worker];
	const struct hwloc_obj *unit = pu < 0 ? NULL : hwloc_get_obj_by_type(rt_machine.topology, HWLOC_OBJ_PU, (unsigned)pu);
	if (!unit)
		return -EINVAL;
	if (w->application)
		return -ENOTSUP;
	pthread_mutex_lock(&former.lock);
	int rc = bind_again(w, rt_machine.core->worker[worker].thread, unit);
	pthread_mutex_unlock(&former.lock);
	return rc;
}

void rt_worker_bind_end(void)
{
	for (unsigned i = 0; i < former.n; i++)
		hwloc_bitmap_free(former.set[i]);
	free(former.set);
	former.set = NULL;
	former.n = 0;
}
