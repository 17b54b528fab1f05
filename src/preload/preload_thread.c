/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_create and thrd_create: as they are until a library that records subscribes. Then a thread's function is called by one of ours,
 * which tells the subscribers.
 */
#include "preload_libc.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { WATCHES = 8 };

static struct link_thread_watch watches[WATCHES];
static unsigned n_watches;
static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;

/* A thread in the making: what it is to run, and the subscribers that there were. */
struct made {
	void *(*run)(void *);
	thrd_start_t run_c11;
	void *arg;
	unsigned n;
	void *key[WATCHES];
};

int preload_on_thread(const struct link_thread_watch *w)
{
	int rc = -ENOSPC;
	pthread_mutex_lock(&watches_lock);
	if (n_watches < WATCHES) {
		watches[n_watches] = *w;
		__atomic_store_n(&n_watches, n_watches + 1, __ATOMIC_RELEASE);
		rc = 0;
	}
	pthread_mutex_unlock(&watches_lock);
	return rc;
}

static void tell_end(void *arg)
{
	struct made *m = arg;
	for (unsigned i = m->n; i-- > 0;)
		if (watches[i].end)
			watches[i].end(m->key[i]);
	free(m);
}

static void *thread_main(void *arg)
{
	struct made *m = arg;
	void *result;
	for (unsigned i = 0; i < m->n; i++)
		if (watches[i].begin)
			watches[i].begin(m->key[i]);
	pthread_cleanup_push(tell_end, m);
	result = m->run ? m->run(m->arg) : (void *)(intptr_t)m->run_c11(m->arg);
	pthread_cleanup_pop(1);
	return result;
}

static int thread_main_c11(void *arg)
{
	return (int)(intptr_t)thread_main(arg);
}

/* Threads of the libraries that record are none of the program's. */
static bool is_own(const void *caller)
{
	Dl_info from;
	const char *slash = dladdr(caller, &from) && from.dli_fname ? strrchr(from.dli_fname, '/') : NULL;
	return slash && strncmp(slash, "/libweft", 8) == 0;
}

/* NULL: nobody subscribed, or no memory: the thread is made as if we were not there. */
static struct made *made_new(void *(*run)(void *), thrd_start_t run_c11, void *arg)
{
	unsigned n = __atomic_load_n(&n_watches, __ATOMIC_ACQUIRE);
	struct made *m = n ? malloc(sizeof *m) : NULL;
	if (!m)
		return NULL;
	*m = (struct made){run, run_c11, arg, n, {NULL}};
	for (unsigned i = 0; i < n; i++)
		if (watches[i].creating)
			m->key[i] = watches[i].creating();
	return m;
}

/* The keys are the creator's own copy: the thread may be over, and its memory freed. */
static void tell_created(unsigned n, void *const *key, int rc)
{
	for (unsigned i = 0; i < n; i++)
		if (watches[i].created)
			watches[i].created(key[i], rc);
}

static void *next(const char *name, void **found)
{
	void *at = __atomic_load_n(found, __ATOMIC_RELAXED);
	if (!at) {
		at = dlsym(RTLD_NEXT, name);
		__atomic_store_n(found, at, __ATOMIC_RELAXED);
	}
	return at;
}

typedef int pthread_maker(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int thrd_maker(thrd_t *, thrd_start_t, void *);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                                                          void *arg)
{
	static void *found;
	pthread_maker *real = (pthread_maker *)next("pthread_create", &found);
	int error = errno;
	preload_libc_thread(__builtin_return_address(0));
	struct made *m = is_own(__builtin_return_address(0)) ? NULL : made_new(run, NULL, arg);
	errno = error;
	if (!m)
		return real(thread, attr, run, arg);
	const struct made kept = *m;
	int rc = real(thread, attr, thread_main, m);
	error = errno;
	if (rc)
		free(m);
	tell_created(kept.n, kept.key, rc);
	errno = error;
	return rc;
}

__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	static void *found;
	thrd_maker *real = (thrd_maker *)next("thrd_create", &found);
	int error = errno;
	preload_libc_thread(__builtin_return_address(0));
	struct made *m = is_own(__builtin_return_address(0)) ? NULL : made_new(NULL, run, arg);
	errno = error;
	if (!m)
		return real(thread, run, arg);
	const struct made kept = *m;
	int rc = real(thread, thread_main_c11, m);
	error = errno;
	if (rc != thrd_success)
		free(m);
	tell_created(kept.n, kept.key, rc);
	errno = error;
	return rc;
}
