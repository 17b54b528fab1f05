/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs next. Strands that can go on stand in a queue, in the order in which they were called; those that let time pass in a heap,
 * by when they go on and, at one time, by who came first. While the queue is not empty time stands still. One thread at a time runs
 * strands (`turn`); whoever calls them may be any (`lock`).
 */
#include "sim.h"
#include <stdlib.h>
#include <time.h>

enum { AT_ONCE = 64 };

struct event {
	uint64_t at_ns, number;
	struct rt_strand *strand; /* NULL: a thread of the application looks at the time */
};

static struct {
	pthread_mutex_t turn, lock;
	struct rt_strand *first, **last; /* ready */
	struct rt_strand *waiting;
	struct event *heap;
	size_t n, room;
	uint64_t numbers;
} loop = {.turn = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .last = &loop.first};

static void loop_lock(void)
{
	pthread_mutex_lock(&loop.lock);
}

static void loop_unlock(void)
{
	pthread_mutex_unlock(&loop.lock);
}

/* ---- the heap ---- */

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->number < b->number);
}

static void heap_push(struct event e)
{
	if (loop.n == loop.room) {
		loop.room = loop.room ? 2 * loop.room : 64;
		struct event *more = realloc(loop.heap, loop.room * sizeof *more);
		if (!more)
			sim_refuse("no memory to simulate");
		loop.heap = more;
	}
	size_t at = loop.n++;
	for (; at && is_before(&e, &loop.heap[(at - 1) / 2]); at = (at - 1) / 2)
		loop.heap[at] = loop.heap[(at - 1) / 2];
	loop.heap[at] = e;
}

static struct event heap_pop(void)
{
	struct event least = loop.heap[0], e = loop.heap[--loop.n];
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < loop.n; at = child) {
		if (child + 1 < loop.n && is_before(&loop.heap[child + 1], &loop.heap[child]))
			child++;
		if (!is_before(&loop.heap[child], &e))
			break;
		loop.heap[at] = loop.heap[child];
	}
	if (loop.n)
		loop.heap[at] = e;
	return least;
}

/* ---- turns ---- */

/* With the lock. */
static void make_ready(struct rt_strand *s)
{
	s->state = SIM_READY;
	s->next = NULL;
	*loop.last = s;
	loop.last = &s->next;
}

static struct rt_strand *take_ready(void)
{
	struct rt_strand *s = loop.first;
	if (!s)
		return NULL;
	loop.first = s->next;
	if (!s->next)
		loop.last = &loop.first;
	return s;
}

/* The strand that is next, time having come to it; `any`: there was one, or an event of the application. */
static struct rt_strand *next_strand(bool *any)
{
	loop_lock();
	struct rt_strand *s = take_ready();
	*any = s || loop.n;
	if (!s && loop.n) {
		struct event e = heap_pop();
		s = e.strand;
		weft_store_u64(&rt_simulated.now_ns, e.at_ns);
	}
	loop_unlock();
	return s;
}

static struct rt_strand *next_ready(void)
{
	loop_lock();
	struct rt_strand *s = take_ready();
	loop_unlock();
	return s;
}

static bool sim_pass(void)
{
	bool any = false;
	pthread_mutex_lock(&loop.turn);
	struct rt_strand *s = next_strand(&any);
	if (s)
		sim_strand_run(s);
	/* And all that can go on at this time, some of them at least: so that who waits need not look behind each. */
	for (unsigned i = 0; i < AT_ONCE && s && (s = next_ready()); i++)
		sim_strand_run(s);
	pthread_mutex_unlock(&loop.turn);
	return any;
}

/* What another thread of the application is to do: nobody but that can say when. */
static void wait_for_others(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* ---- the table ---- */

static int sim_spawn(struct rt_strand **out, void *(*main)(void *), void *arg)
{
	*out = sim_strand_new(main, arg);
	if (!*out)
		return -ENOMEM;
	loop_lock();
	make_ready(*out);
	loop_unlock();
	return 0;
}

static void sim_join(struct rt_strand *s)
{
	while (s->state != SIM_ENDED)
		if (!sim_pass())
			wait_for_others();
	sim_strand_free(s);
}

static void strand_waits(struct rt_strand *s, const struct rt_sim_wait *w)
{
	loop_lock();
	if (w->word && weft_load_u32(w->word) != w->while_it_is) {
		loop_unlock();
		return;
	}
	s->key = w->key;
	s->state = SIM_WAITS;
	s->next = loop.waiting;
	loop.waiting = s;
	loop_unlock();
	if (w->lock)
		pthread_mutex_unlock(w->lock);
	sim_strand_stop();
	if (w->lock)
		pthread_mutex_lock(w->lock);
}

static void sim_wait(const struct rt_sim_wait *w)
{
	struct rt_strand *s = sim_strand_self();
	if (s) {
		strand_waits(s, w);
		return;
	}
	if (w->lock)
		pthread_mutex_unlock(w->lock);
	if (!sim_pass())
		wait_for_others();
	if (w->lock)
		pthread_mutex_lock(w->lock);
}

/* All that wait for it, in the order in which they came. */
static void sim_notify(const void *key)
{
	struct rt_strand *called = NULL;
	loop_lock();
	for (struct rt_strand **at = &loop.waiting; *at;) {
		struct rt_strand *s = *at;
		if (s->key != key) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		s->next = called;
		called = s;
	}
	for (struct rt_strand *next; called; called = next) {
		next = called->next;
		make_ready(called);
	}
	loop_unlock();
}

static bool sim_in_strand(void)
{
	return sim_strand_self() != NULL;
}

static void sim_last(uint64_t ns)
{
	struct rt_strand *s = sim_strand_self();
	uint64_t until = rt_time_ns() + ns;
	loop_lock();
	heap_push((struct event){until, loop.numbers++, s});
	if (s)
		s->state = SIM_LASTS;
	loop_unlock();
	if (s)
		sim_strand_stop();
	while (!s && rt_time_ns() < until && sim_pass())
		continue;
}

const struct rt_simulator sim_simulator = {
	.spawn = sim_spawn,
	.join = sim_join,
	.wait = sim_wait,
	.notify = sim_notify,
	.in_strand = sim_in_strand,
	.pass = sim_pass,
	.last = sim_last,
	.copy = sim_copy,
};

void sim_loop_end(void)
{
	free(loop.heap);
	loop.heap = NULL;
	loop.n = loop.room = 0;
}
