/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime that is simulated has no threads of its own, and its time passes only where it is told to. What else are threads (workers,
 * movers) are strands: stacks that one thread of the application runs in turn while it waits. simulate/ fills the table; while the
 * pointer is NULL, threads are threads.
 *
 * Whoever waits looks again behind it: a strand may go on, and a thread of the application does, before anybody has called.
 */
#ifndef WEFT_RUNTIME_SIMULATOR_H
#define WEFT_RUNTIME_SIMULATOR_H

#include "base/atomic.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_strand;

/* What to wait for: a call of `notify` with this key. */
struct rt_sim_wait {
	const void *key;
	const struct weft_atomic_u32 *word; /* only while it is that; or NULL */
	uint32_t while_it_is;
	pthread_mutex_t *lock; /* let go meanwhile; or NULL */
};

struct rt_simulator {
	int (*spawn)(struct rt_strand **out, void *(*main)(void *), void *arg); /* 0 or -ENOMEM */
	void (*join)(struct rt_strand *s);
	void (*wait)(const struct rt_sim_wait *w);
	void (*notify)(const void *key);
	bool (*in_strand)(void);   /* the caller is one */
	bool (*pass)(void);        /* by the application: the next that is to happen does; false: there is nothing */
	void (*last)(uint64_t ns); /* so much time passes for the caller */
	void (*copy)(unsigned from, unsigned to,
	             size_t bytes); /* bytes travel between two memory nodes, while the caller waits */
};
extern const struct rt_simulator *rt_simulator;

/*
 * Variables of a thread that each strand has its own of: where those of the calling thread are, and how many bytes. Each layer that
 * has some says so when it begins, and what the calling thread has then is what strands begin with.
 */
struct rt_sim_own {
	void *(*at)(void);
	size_t bytes;
	size_t offset; /* in rt_sim_initial */
};
enum { RT_SIM_OWNS = 9, RT_SIM_OWN_BYTES = 128 };
extern struct rt_sim_own rt_sim_own[RT_SIM_OWNS]; /* up to one without `at` */
extern unsigned char rt_sim_initial[RT_SIM_OWN_BYTES];
void rt_sim_keeps_own(void *(*at)(void), size_t bytes);

/* As pthread's, for threads and strands. */
static inline void rt_cond_wait(pthread_cond_t *c, pthread_mutex_t *lock)
{
	if (WEFT_UNLIKELY(rt_simulator != NULL))
		rt_simulator->wait(&(struct rt_sim_wait){.key = c, .lock = lock});
	else
		pthread_cond_wait(c, lock);
}
static inline void rt_cond_broadcast(pthread_cond_t *c)
{
	if (WEFT_UNLIKELY(rt_simulator != NULL))
		rt_simulator->notify(c);
	pthread_cond_broadcast(c);
}

#endif
