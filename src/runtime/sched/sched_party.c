/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel tasks on combined workers. A party is put into the queues of all its members under one
 * lock, so that two parties that share members come in the same order everywhere, and no two
 * members wait for each other. A member at the head of its queue waits for the others; then
 *
 *     rank 0: takes the task, fetches its data, opens the function for all, runs it, waits until all are through, ends the task
 *     others: wait for that, run the function on the same data (STARPU_SPMD) or nothing (STARPU_FORKJOIN), and say so
 */
#include "sched_party.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

struct seat {
	struct sched_party *party;
	struct seat *next;
	int rank;
};

pthread_mutex_t sched_party_lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue {
	struct seat *head, *tail;
	struct weft_atomic_u32 n;
	struct weft_atomic_bool held;
	struct sched_party *sits;
} queues[STARPU_NMAXWORKERS];
static _Thread_local struct sched_party *leading;

static void *own_leading(void)
{
	return &leading;
}

static void *own_part(void)
{
	return &sched_part;
}

void sched_party_keeps_own(void)
{
	rt_sim_keeps_own(own_leading, sizeof leading);
	rt_sim_keeps_own(own_part, sizeof sched_part);
}

bool sched_party_any(unsigned worker)
{
	return weft_load_u32(&queues[worker].n) != 0;
}

bool sched_party_holds(unsigned worker)
{
	return weft_load_bool(&queues[worker].held);
}

struct sched_party *sched_party_sits(unsigned worker)
{
	return queues[worker].sits;
}

/* With the lock. */
static void party_enqueue(struct seat *seat, unsigned worker)
{
	struct queue *q = &queues[worker];
	if (q->head)
		q->tail->next = seat;
	else
		q->head = seat;
	q->tail = seat;
	weft_add_u32(&q->n, 1);
}

int sched_party_enrol(const struct sched_party *like, const int *members, struct sched_party **made)
{
	struct sched_party *p = malloc(sizeof *p);
	struct seat *seats[STARPU_NMAXWORKERS];
	int n = 0, size = like->size;
	while (p && n < size && (seats[n] = malloc(sizeof *seats[n])))
		n++;
	if (!p || n < size) {
		while (n-- > 0)
			free(seats[n]);
		free(p);
		return -ENOMEM;
	}
	*p = *like;
	p->holders = size + (made != NULL);
	pthread_cond_init(&p->changed, NULL);
	pthread_mutex_lock(&sched_party_lock);
	for (int i = 0; i < size; i++) {
		p->members[i] = members[i];
		*seats[i] = (struct seat){p, NULL, i};
		party_enqueue(seats[i], (unsigned)members[i]);
	}
	if (made)
		*made = p;
	pthread_mutex_unlock(&sched_party_lock);
	for (int i = 0; i < size; i++)
		sched_wake((unsigned)members[i]);
	return 0;
}

int sched_party_push(struct starpu_task *t, int combined, const int *members, int size)
{
	bool spmd = combined >= 0 && t->cl->type == STARPU_SPMD;
	return sched_party_enrol(&(struct sched_party){.task = t, .id = combined, .size = size, .spmd = spmd}, members, NULL);
}

void sched_party_withdraw(struct sched_party *p)
{
	for (int i = 0; i < p->size; i++) {
		struct queue *q = &queues[p->members[i]];
		struct seat **at = &q->head, *before = NULL;
		while (*at && (*at)->party != p) {
			before = *at;
			at = &before->next;
		}
		struct seat *s = *at;
		if (!s)
			continue;
		*at = s->next;
		q->tail = q->tail == s ? before : q->tail;
		weft_add_u32(&q->n, -UINT32_C(1));
		free(s);
		sched_party_leave(p);
	}
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

void sched_party_leave(struct sched_party *p)
{
	if (--p->holders)
		return;
	pthread_cond_destroy(&p->changed);
	free(p);
}

/*
 * The data that rank 0 has fetched, in its node: other members are CPUs, too, and reach it there.
 */
static void call_function(struct starpu_task *t, unsigned node)
{
	if (rt_simulator) /* the leader measures the time */
		return;
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

/* With the lock; the worker runs nothing meanwhile. */
static void party_sit(struct sched_party *p, unsigned worker)
{
	queues[worker].sits = p;
	rt_cond_wait(&p->changed, &sched_party_lock);
	queues[worker].sits = NULL;
}

/* Another member's part. */
static void party_follow(struct sched_party *p, unsigned worker)
{
	struct rt_worker *w = &rt_machine.core->worker[worker];
	while (!p->open)
		party_sit(p, worker);
	/* The task may be freed when the last member is through. */
	struct starpu_task *t = p->task;
	bool spmd = p->spmd;
	pthread_mutex_unlock(&sched_party_lock);
	if (spmd) {
		struct rt_job *before = rt_worker_set_current(w, rt_task_job(t));
		weft_store_bool(&w->aside, false);
		call_function(t, p->node);
		rt_worker_aside(w);
		rt_worker_set_current(w, before);
	}
	pthread_mutex_lock(&sched_party_lock);
	p->done++;
	rt_cond_broadcast(&p->changed);
	/*
	 * A fork-join task has the processors of its members until it ends; pausing does not wait
	 * for that.
	 */
	while (!spmd && p->done < p->size)
		party_sit(p, worker);
}

/* With the lock. */
static void party_arrive(struct sched_party *p, unsigned worker, bool held)
{
	weft_store_bool(&queues[worker].held, held);
	p->arrived++;
	rt_cond_broadcast(&p->changed);
}

/*
 * With the lock, which it drops: a device's work is completed before. A thread that drives a worker
 * by itself, and holds it, is not kept.
 */
static void stay_held_up(struct sched_party *p, unsigned worker)
{
	struct rt_worker *w = &rt_machine.core->worker[worker];
	pthread_mutex_unlock(&sched_party_lock);
	while (w->traits & RT_W_POLLS && w->runtime->hooks->poll(w))
		sched_yield();
	rt_worker_aside(w);
	pthread_mutex_lock(&sched_party_lock);
	party_arrive(p, worker, true);
	while (!p->over && p->owner != sched_hold_self())
		party_sit(p, worker);
	weft_store_bool(&queues[worker].held, false);
	sched_party_leave(p);
}

/* The same for one with a task: that of rank 0. */
static struct starpu_task *take_part(struct sched_party *p, int rank, unsigned worker)
{
	struct starpu_task *t = NULL;
	rt_worker_aside(&rt_machine.core->worker[worker]);
	sched_part = (struct sched_part){p->id, p->size, rank};
	party_arrive(p, worker, rank != 0);
	while (p->arrived < p->size)
		party_sit(p, worker);
	if (rank == 0) {
		leading = p;
		t = p->task;
	} else {
		party_follow(p, worker);
		sched_party_leave(p);
		sched_part.id = -1;
	}
	weft_store_bool(&queues[worker].held, false);
	return t;
}

struct starpu_task *sched_party_take(unsigned worker)
{
	/*
	 * While the data of a task that it leads is on its way, it does other things, but leads no
	 * other.
	 */
	if (leading || !sched_party_any(worker))
		return NULL;
	pthread_mutex_lock(&sched_party_lock);
	struct seat *s = take_seat(worker);
	if (!s) {
		pthread_mutex_unlock(&sched_party_lock);
		return NULL;
	}
	struct sched_party *p = s->party;
	struct starpu_task *t = NULL;
	int rank = s->rank;
	free(s);
	if (p->task)
		t = take_part(p, rank, worker);
	else
		stay_held_up(p, worker);
	pthread_mutex_unlock(&sched_party_lock);
	rt_worker_back(&rt_machine.core->worker[worker]);
	return t;
}

void sched_party_begins(struct starpu_task *t, struct rt_worker *w)
{
	if (!leading || leading->task != t)
		return;
	pthread_mutex_lock(&sched_party_lock);
	leading->node = w->node;
	leading->open = true;
	rt_cond_broadcast(&leading->changed);
	pthread_mutex_unlock(&sched_party_lock);
}

void sched_party_ends(const struct starpu_task *t, unsigned worker)
{
	if (!leading || leading->task != t)
		return;
	pthread_mutex_lock(&sched_party_lock);
	leading->done++;
	rt_cond_broadcast(&leading->changed);
	while (leading->done < leading->size)
		party_sit(leading, worker);
	sched_party_leave(leading);
	leading = NULL;
	sched_part.id = -1;
	pthread_mutex_unlock(&sched_party_lock);
}
