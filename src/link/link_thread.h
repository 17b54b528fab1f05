/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begin and end of the program's threads, as libweft-preload tells them to the libraries that record: it bears pthread_create and
 * thrd_create. Callbacks may be NULL, may not block, and see the program's errno restored behind them.
 */
#ifndef WEFT_LINK_THREAD_H
#define WEFT_LINK_THREAD_H

struct link_thread_watch {
	void *(*creating)(void);            /* in the creator, before; its value is the others' key */
	void (*created)(void *key, int rc); /* in the creator, after: 0, or something else when there is no thread */
	void (*begin)(void *key);           /* in the thread that was made, before its function */
	void (*end)(void *key);             /* last in it, also after pthread_exit and a cancellation */
};

/* For good: the watch is copied; threads that run already have no callbacks. 0, or -ENOSPC when there are too many. Thread-safe. */
typedef int link_thread_on(const struct link_thread_watch *);

#endif
