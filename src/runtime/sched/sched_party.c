/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel tasks on combined workers. A party is put into the queues of all its members under one lock, so that two parties
 * that share members come in the same order everywhere, and nobody waits for somebody who waits for him. Whoever comes to the
 * head of his queue waits for the others; then
 *
 *     rank 0: takes the task, fetches its data, opens the function for all, runs it, waits until all are through, ends the task
 *     others: wait for that, run the function on the same data (STARPU_SPMD) or nothing (STARPU_FORKJOIN), and say so
 */
#include "sched.h"
#include <errno.h>
#include <stdlib.h>

struct party {
	struct starpu_task *task;
	int id, size, members[STARPU_NMAXWORKERS];
	pthread_cond_t changed;
	int arrived, done;
	unsigned node; /* where the data are */
	bool open;     /* the function may be called */
	int holders;   /* who still looks at it */
};
struct seat {
	struct party *party;
	struct seat *next;
	int rank;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below, and of the parties */
static struct queue {
	struct seat *head, *tail;
	struct weft_atomic_u32 n;
	struct weft_atomic_bool held;
} queues[STARPU_NMAXWORKERS];
static _Thread_local struct party *leading;

bool sched_party_any(unsigned worker)
{
	return weft_load_u32(&queues[worker].n) != 0;
}

bool sched_party_holds(unsigned worker)
{
	return weft_load_bool(&queues[worker].held);
}

int sched_party_push(struct starpu_task *t, int combined, const int *members, int size)
{
	struct party *p = calloc(1, sizeof *p);
	struct seat *seats[STARPU_NMAXWORKERS];
	int made = 0;
	while (p && made < size && (seats[made] = calloc(1, sizeof *seats[made])))
		made++;
	if (made < size) {
		while (made-- > 0)
			free(seats[made]);
		free(p);
		return -ENOMEM;
	}
	*p = (struct party){.task = t, .id = combined, .size = size, .holders = size};
	pthread_cond_init(&p->changed, NULL);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < size; i++) {
		struct queue *q = &queues[members[i]];
		p->members[i] = members[i];
		*seats[i] = (struct seat){p, NULL, i};
		if (q->head)
			q->tail->next = seats[i];
		else
			q->head = seats[i];
		q->tail = seats[i];
		weft_add_u32(&q->n, 1);
	}
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < size; i++)
		sched_wake((unsigned)members[i]);
	return 0;
}

static struct seat *take_seat(unsigned worker)
{
	struct queue *q = &queues[worker];
	struct seat *s = q->head;
	if (s) {
		q->head = s->next;
		weft_add_u32(&q->n, -UINT32_C(1));
	}
	return s;
}

/* With the lock. */
static void leave(struct party *p)
{
	if (--p->holders)
		return;
	pthread_cond_destroy(&p->changed);
	free(p);
}

/* What rank 0's data layer has made ready for the function, in its node: other members are CPUs, too, and reach it there. */
static void call_function(struct starpu_task *t, unsigned node)
{
	int n = STARPU_TASK_GET_NBUFFERS(t);
	void *buffers[STARPU_NMAXBUFS], **at = n <= STARPU_NMAXBUFS ? buffers : malloc((size_t)n * sizeof *at);
	STARPU_ASSERT_MSG(at, "no memory for the data of a parallel task");
	for (int i = 0; i < n; i++)
		at[i] = starpu_data_get_interface_on_node(STARPU_TASK_GET_HANDLE(t, i), node);
	starpu_cpu_func_t func = t->cl->cpu_funcs[starpu_task_get_implementation(t)];
	func = func ? func : t->cl->cpu_func;
	func(at, t->cl_arg);
	if (at != buffers)
		free(at);
}

/* Another member's part. */
static void follow(struct party *p, unsigned worker)
{
	struct rt_worker *w = &rt_machine.core->worker[worker];
	while (!p->open)
		pthread_cond_wait(&p->changed, &lock);
	/* The task may be gone when the last has said that he is through. */
	struct starpu_task *t = p->task;
	bool spmd = t->cl->type == STARPU_SPMD && p->id >= 0;
	pthread_mutex_unlock(&lock);
	if (spmd) {
		struct rt_job *before = w->current;
		w->current = rt_task_job(t);
		call_function(t, p->node);
		w->current = before;
	}
	pthread_mutex_lock(&lock);
	p->done++;
	pthread_cond_broadcast(&p->changed);
	/* A fork-join task has the processors of its members until it ends; who pauses does not wait for that. */
	while (!spmd && p->done < p->size)
		pthread_cond_wait(&p->changed, &lock);
}

struct starpu_task *sched_party_take(unsigned worker)
{
	/* While the data of a task that it leads is on its way, it does other things, but leads no other. */
	if (leading || !sched_party_any(worker))
		return NULL;
	struct rt_worker *w = &rt_machine.core->worker[worker];
	pthread_mutex_lock(&lock);
	struct seat *s = take_seat(worker);
	if (!s) {
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	struct party *p = s->party;
	sched_part = (struct sched_part){p->id, p->size, s->rank};
	bool first = s->rank == 0;
	free(s);
	weft_store_bool(&queues[worker].held, !first);
	p->arrived++;
	pthread_cond_broadcast(&p->changed);
	rt_worker_aside(w);
	while (p->arrived < p->size)
		pthread_cond_wait(&p->changed, &lock);
	struct starpu_task *t = first ? p->task : NULL;
	if (first) {
		leading = p;
	} else {
		follow(p, worker);
		weft_store_bool(&queues[worker].held, false);
		leave(p);
		sched_part.id = -1;
	}
	pthread_mutex_unlock(&lock);
	rt_worker_back(w);
	return t;
}

void sched_party_begins(struct starpu_task *t, struct rt_worker *w)
{
	if (!leading || leading->task != t)
		return;
	pthread_mutex_lock(&lock);
	leading->node = w->node;
	leading->open = true;
	pthread_cond_broadcast(&leading->changed);
	pthread_mutex_unlock(&lock);
}

void sched_party_ends(const struct starpu_task *t)
{
	if (!leading || leading->task != t)
		return;
	pthread_mutex_lock(&lock);
	leading->done++;
	pthread_cond_broadcast(&leading->changed);
	while (leading->done < leading->size)
		pthread_cond_wait(&leading->changed, &lock);
	leave(leading);
	leading = NULL;
	sched_part.id = -1;
	pthread_mutex_unlock(&lock);
}
