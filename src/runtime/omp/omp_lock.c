/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks, nestable locks, critical sections by name, the fallback for atomics: one kind of lock, whose waiters stand in line. It
 * is handed to the first of them, so that nobody waits for ever.
 */
#include "omp.h"
#include "runtime/task/complain.h"

/* Critical sections: found by name, never forgotten before the end. */
struct critical {
	char *name; /* NULL: the one without */
	struct omp_lock lock;
	struct critical *next;
};
static struct {
	struct weft_atomic_bool lock;
	struct critical *first;
} criticals;
static struct omp_lock atomics;

static void lock_take(struct omp_lock *l)
{
	struct rt_waiter me;
	omp_spin_lock(&l->lock);
	if (!l->taken) {
		l->taken = true;
		omp_spin_unlock(&l->lock);
		return;
	}
	rt_waiter_init(&me, omp.runtime);
	struct rt_waiter **at = &l->first;
	while (*at)
		at = &(*at)->next;
	*at = &me;
	omp_spin_unlock(&l->lock);
	omp_wait(&me);
}

static bool lock_try(struct omp_lock *l)
{
	omp_spin_lock(&l->lock);
	bool got = !l->taken;
	l->taken = true;
	omp_spin_unlock(&l->lock);
	return got;
}

static void lock_give(struct omp_lock *l)
{
	omp_spin_lock(&l->lock);
	struct rt_waiter *next = l->first;
	if (!l->taken)
		rt_misuse("an OpenMP lock is unset, or a critical section left, that nobody has");
	if (next)
		l->first = next->next;
	else
		l->taken = false;
	omp_spin_unlock(&l->lock);
	if (next)
		rt_go_on(next);
}

static struct omp_lock *lock_new(void)
{
	struct omp_lock *l = calloc(1, sizeof *l);
	if (!l)
		omp_no_memory();
	return l;
}

/* ---- locks ---- */

static struct omp_lock *lock_of(void *internal)
{
	if (!internal)
		rt_misuse("an OpenMP lock is used before it is initialised, or after it is destroyed");
	return internal;
}

void starpu_omp_init_lock(starpu_omp_lock_t *lock)
{
	lock->internal = lock_new();
}

void starpu_omp_destroy_lock(starpu_omp_lock_t *lock)
{
	free(lock_of(lock->internal));
	lock->internal = NULL;
}

void starpu_omp_set_lock(starpu_omp_lock_t *lock)
{
	lock_take(lock_of(lock->internal));
}

void starpu_omp_unset_lock(starpu_omp_lock_t *lock)
{
	lock_give(lock_of(lock->internal));
}

int starpu_omp_test_lock(starpu_omp_lock_t *lock)
{
	return lock_try(lock_of(lock->internal));
}

void starpu_omp_init_nest_lock(starpu_omp_nest_lock_t *lock)
{
	lock->internal = lock_new();
}

void starpu_omp_destroy_nest_lock(starpu_omp_nest_lock_t *lock)
{
	free(lock_of(lock->internal));
	lock->internal = NULL;
}

/* The owner and the depth are written by the owner only; who is not it never finds itself there. */
static bool owns(struct omp_lock *l)
{
	return __atomic_load_n(&l->owner, __ATOMIC_ACQUIRE) == omp_current();
}

static void own(struct omp_lock *l)
{
	__atomic_store_n(&l->owner, omp_current(), __ATOMIC_RELEASE);
}

void starpu_omp_set_nest_lock(starpu_omp_nest_lock_t *lock)
{
	struct omp_lock *l = lock_of(lock->internal);
	if (!owns(l)) {
		lock_take(l);
		own(l);
	}
	l->depth++;
}

void starpu_omp_unset_nest_lock(starpu_omp_nest_lock_t *lock)
{
	struct omp_lock *l = lock_of(lock->internal);
	if (!owns(l))
		rt_misuse("a nestable OpenMP lock is unset by a task that does not have it");
	if (--l->depth)
		return;
	__atomic_store_n(&l->owner, NULL, __ATOMIC_RELEASE);
	lock_give(l);
}

int starpu_omp_test_nest_lock(starpu_omp_nest_lock_t *lock)
{
	struct omp_lock *l = lock_of(lock->internal);
	if (!owns(l)) {
		if (!lock_try(l))
			return 0;
		own(l);
	}
	return ++l->depth;
}

/* ---- critical sections ---- */

static bool is_named(const struct critical *c, const char *name)
{
	return name ? c->name && strcmp(c->name, name) == 0 : !c->name;
}

static struct omp_lock *critical_find(const char *name)
{
	omp_spin_lock(&criticals.lock);
	struct critical *c = criticals.first;
	while (c && !is_named(c, name))
		c = c->next;
	if (!c) {
		c = calloc(1, sizeof *c);
		char *copy = c && name ? strdup(name) : NULL;
		if (!c || (name && !copy))
			omp_no_memory();
		c->name = copy;
		c->next = criticals.first;
		criticals.first = c;
	}
	omp_spin_unlock(&criticals.lock);
	return &c->lock;
}

void omp_locks_end(void)
{
	for (struct critical *c = criticals.first, *next; c; c = next) {
		next = c->next;
		free(c->name);
		free(c);
	}
	criticals.first = NULL;
}

void starpu_omp_critical_inline_begin(const char *name)
{
	lock_take(critical_find(name));
}

void starpu_omp_critical_inline_end(const char *name)
{
	lock_give(critical_find(name));
}

void starpu_omp_critical(void (*f)(void *), void *arg, const char *name)
{
	struct omp_lock *l = critical_find(name);
	lock_take(l);
	f(arg);
	lock_give(l);
}

void starpu_omp_atomic_fallback_inline_begin(void)
{
	lock_take(&atomics);
}

void starpu_omp_atomic_fallback_inline_end(void)
{
	lock_give(&atomics);
}
