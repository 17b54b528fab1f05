/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: made, run, joined. libweft-preload tells begins and ends; a thread's number is the key of two arrows, from its creator to its
 * begin, and from its end to who joins it. A join knows the handle only, which the next thread may get: so numbers are found by
 * handle, in a table that each thread enters when it begins, and its joiner clears. What nobody joins stays until its handle comes again.
 */
#include "calls_priv.h"
#include <pthread.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>

enum { BUCKETS = 256, ROOM = 4096 };
struct known {
	struct known *next;
	pthread_t handle;
	uint64_t number;
};
static struct bucket {
	struct weft_atomic_u32 lock;
	struct known *first;
} buckets[BUCKETS];
static struct weft_atomic_u32 spare_lock;
static struct known *spare;
static struct weft_atomic_u64 numbers;

static struct bucket *bucket_of(pthread_t handle)
{
	return &buckets[((uintptr_t)handle >> 12 ^ (uintptr_t)handle >> 20) % BUCKETS];
}

static struct known *known_new(void)
{
	if (!calls_lock(&spare_lock))
		return NULL;
	if (!spare) {
		struct known *more = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (unsigned i = 0; more != MAP_FAILED && i < ROOM / sizeof *more; i++) {
			more[i].next = spare;
			spare = &more[i];
		}
	}
	struct known *k = spare;
	if (k)
		spare = k->next;
	calls_unlock(&spare_lock);
	return k;
}

static struct known **find(struct bucket *b, pthread_t handle)
{
	struct known **at = &b->first;
	while (*at && !pthread_equal((*at)->handle, handle))
		at = &(*at)->next;
	return at;
}

static void note_thread(pthread_t handle, uint64_t number)
{
	struct bucket *b = bucket_of(handle);
	struct known *fresh = known_new();
	if (!fresh || !calls_lock(&b->lock))
		return;
	struct known **at = find(b, handle);
	if (*at) {
		(*at)->number = number;
		calls_unlock(&b->lock);
		if (calls_lock(&spare_lock)) {
			fresh->next = spare;
			spare = fresh;
			calls_unlock(&spare_lock);
		}
		return;
	}
	*fresh = (struct known){b->first, handle, number};
	b->first = fresh;
	calls_unlock(&b->lock);
}

/* 0: not one of those that we have seen begin. */
static uint64_t number_of(pthread_t handle)
{
	struct bucket *b = bucket_of(handle);
	if (!calls_lock(&b->lock))
		return 0;
	const struct known *k = *find(b, handle);
	uint64_t number = k ? k->number : 0;
	calls_unlock(&b->lock);
	return number;
}

/* Unless the handle is another's by now. */
static void forget(pthread_t handle, uint64_t number)
{
	struct bucket *b = bucket_of(handle);
	if (!calls_lock(&b->lock))
		return;
	struct known **at = find(b, handle), *k = *at;
	if (k && k->number == number)
		*at = k->next;
	else
		k = NULL;
	calls_unlock(&b->lock);
	if (k && calls_lock(&spare_lock)) {
		k->next = spare;
		spare = k;
		calls_unlock(&spare_lock);
	}
}

void calls_thread_forked(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		buckets[i] = (struct bucket){0};
	weft_store_u32(&spare_lock, 0);
	spare = NULL;
}

/* ---- what libweft-preload tells ---- */

static void *thread_creating(void)
{
	uint64_t number = weft_add_u64(&numbers, 1) + 1;
	weft_enter(calls_def.create);
	weft_flow_out(calls_def.started, number);
	return (void *)(uintptr_t)number;
}

static void thread_created(void *key, int rc)
{
	(void)key, (void)rc;
	weft_leave(calls_def.create);
}

static void thread_begin(void *key)
{
	if (calls_has_callers) {
		calls_self.quiet |= CALLS_OURS;
		(void)weft_callers_anywhere(NULL, 0); /* here, outside of handlers, the thread's stack can be asked for */
		calls_self.quiet &= ~(uint32_t)CALLS_OURS;
	}
	note_thread(pthread_self(), (uintptr_t)key);
	weft_flow_in(calls_def.started, (uintptr_t)key);
}

static void thread_end(void *key)
{
	calls_lock_told();
	weft_flow_out(calls_def.ended, (uintptr_t)key);
}

int calls_thread_begin(void)
{
	return calls_link->calls.on_thread(
		&(struct link_thread_watch){thread_creating, thread_created, thread_begin, thread_end});
}

/* ---- joins ---- */

/* Its number is asked for before: behind it the handle may be the next thread's. One that had not begun by then is asked for again. */
static void joined(pthread_t thread, uint64_t number)
{
	if (!number)
		number = number_of(thread);
	if (!number)
		return;
	weft_flow_in(calls_def.ended, number);
	forget(thread, number);
}

#define JOIN(name, take, pass) \
	static int wrap_##name take \
	{ \
		typedef int real_join take; \
		real_join *real = (real_join *)calls_link->calls.real[LINK_LIBC_##name]; \
		if (calls_passes(CALLS_CALLER)) \
			return real pass; \
		uint64_t number = number_of(thread), began = calls_begin_ticks(); \
		CALLS_OPEN(o); \
		calls_enter_bare(&o, CALLS_REGION(name)); \
		int rc = real pass; \
		if (rc == 0) \
			joined(thread, number); \
		calls_callers(began); \
		calls_leave_bare(&o); \
		return rc; \
	}
JOIN(pthread_join, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until), (thread, result, until))
JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
     (thread, result, clock, until))
JOIN(thrd_join, (thrd_t thread, int *result), (thread, result))

/* Asks only: a poll in vain leaves no event. */
static int wrap_pthread_tryjoin_np(pthread_t thread, void **result)
{
	uint64_t number = number_of(thread);
	int rc = CALLS_REAL(pthread_tryjoin_np)(thread, result);
	if (rc || calls_passes(CALLS_CALLER))
		return rc;
	weft_enter(CALLS_REGION(pthread_tryjoin_np));
	joined(thread, number);
	weft_leave(CALLS_REGION(pthread_tryjoin_np));
	return rc;
}

#define DETACH(name) \
	static int wrap_##name(pthread_t thread) \
	{ \
		if (!calls_passes(CALLS_CALLER)) \
			forget(thread, number_of(thread)); \
		return ((int (*)(pthread_t))calls_link->calls.real[LINK_LIBC_##name])(thread); \
	}
DETACH(pthread_detach)
DETACH(thrd_detach)

#define PUT(name) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name)
void calls_thread_put(void **slot)
{
	PUT(pthread_join);
	PUT(pthread_timedjoin_np);
	PUT(pthread_clockjoin_np);
	PUT(pthread_tryjoin_np);
	PUT(thrd_join);
	PUT(pthread_detach);
	PUT(thrd_detach);
}
