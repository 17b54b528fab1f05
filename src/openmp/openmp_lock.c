/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and critical sections: what each address is called. A critical section has its name; locks are numbered as they are initialized, the
 * first of them with regions of their own, so that held ones may overlap. Read without a lock: an entry is complete before its
 * address is stored, and is never moved.
 */
#include "openmp_priv.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERED = 64, SEARCHED = 16 };
struct openmp_lock openmp_locks[OPENMP_LOCKS + 1]; /* the last: locks that find no room */
static unsigned n_locks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void unlock_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, unlock_in_child);
}

static struct openmp_lock *find(const void *address)
{
	unsigned i = openmp_lock_place(address);
	for (unsigned n = 0; n < SEARCHED; n++, i = (i + 1) % OPENMP_LOCKS) {
		const void *at = __atomic_load_n(&openmp_locks[i].address, __ATOMIC_ACQUIRE);
		if (at == address || !at)
			return &openmp_locks[i];
	}
	return &openmp_locks[OPENMP_LOCKS];
}

static void define(struct openmp_lock *l, const char *name)
{
	char wait[320];
	snprintf(wait, sizeof wait, "%s wait", name);
	__atomic_store_n(&l->hold, openmp_bursts ? WEFT_OFF : openmp_define_called(name, WEFT_STATE_RUNNING), __ATOMIC_RELEASE);
	__atomic_store_n(&l->wait, openmp_define_called(wait, WEFT_STATE_SYNCHRONIZING), __ATOMIC_RELEASE);
}

static void name_lock(struct openmp_lock *l)
{
	char name[40] = "omp lock of many";
	if (l != &openmp_locks[OPENMP_LOCKS] && n_locks < NUMBERED)
		snprintf(name, sizeof name, "omp lock %u", ++n_locks);
	define(l, name);
}

/* Compilers put the name into that of the variable: .gomp_critical_user_NAME, and .var behind it with LLVM. */
static void name_critical(struct openmp_lock *l, const void *variable)
{
	static const char prefix[] = "gomp_critical_user_";
	char symbol[256], name[300];
	const char *at = openmp_symbol(variable, symbol, sizeof symbol) ? strstr(symbol, prefix) : NULL;
	char *end = at ? strstr(at, ".var") : NULL;
	if (end)
		*end = 0;
	at = at ? at + sizeof prefix - 1 : "";
	snprintf(name, sizeof name, "omp critical%s%s", *at ? " " : "", *at == '.' ? at + 1 : at);
	define(l, name);
}

void openmp_lock_new(const void *address)
{
	pthread_mutex_lock(&lock);
	struct openmp_lock *l = find(address);
	if (l != &openmp_locks[OPENMP_LOCKS] || !l->hold)
		name_lock(l);
	__atomic_store_n(&l->address, address, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

const struct openmp_lock *openmp_lock_search(const void *address, const void *critical)
{
	struct openmp_lock *l = find(address);
	if (WEFT_LIKELY(__atomic_load_n(&l->address, __ATOMIC_ACQUIRE) != NULL))
		return l;
	pthread_mutex_lock(&lock);
	l = find(address);
	if (!l->address) {
		if (critical)
			name_critical(l, critical);
		else
			name_lock(l);
		__atomic_store_n(&l->address, address, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return l;
}

/* ---- holding ---- */

void openmp_lock_held_slowly(struct openmp_thread *me, const struct openmp_lock *l, bool waited)
{
	uint32_t at = me->n_held++;
	if (WEFT_UNLIKELY(me->in_vain != 0))
		openmp_tell_in_vain(me);
	if (waited)
		openmp_leave_enter(l->wait, l->hold);
	else
		openmp_in(l->hold);
	if (WEFT_UNLIKELY(at >= OPENMP_HELD)) {
		openmp_out(l->hold);
		return;
	}
	me->held[at].lock = l;
	me->held[at].in = l->hold;
}

static void release_below(struct openmp_thread *me, uint32_t at, uint32_t n)
{
	weft_region on = openmp.region[OPENMP_LOCK_ON];
	struct weft_bundle b;
	weft_bundle_begin(&b);
	for (uint32_t i = n; i-- > at;)
		openmp_add(&b, me->held[i].in, WEFT_HEAD_LEAVE);
	for (uint32_t i = at; i + 1 < n; i++) {
		me->held[i].lock = me->held[i + 1].lock;
		me->held[i].in = on;
		openmp_add(&b, on, WEFT_HEAD_ENTER);
	}
	weft_bundle_record(&b);
}

void openmp_lock_released_slowly(struct openmp_thread *me, const struct openmp_lock *l)
{
	uint32_t n = me->n_held < OPENMP_HELD ? me->n_held : OPENMP_HELD, at = n;
	while (at && me->held[at - 1].lock != l)
		at--;
	me->n_held -= me->n_held > 0;
	if (WEFT_LIKELY(at == n && n))
		openmp_out(me->held[n - 1].in);
	else if (at)
		release_below(me, at - 1, n);
}
