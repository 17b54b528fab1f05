/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of tasks: see sched_queue.h. */
#include "sched_queue.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* -- a task's data that is not on the worker's node -- */

void starpu_st_non_ready_buffers_size(struct starpu_task *task, unsigned worker, size_t *non_readyp, size_t *non_loadingp,
                                      size_t *non_allocatedp)
{
	size_t missing = 0, not_coming = 0, not_allocated = 0;
	int n = starpu_memory_nodes_get_count() < 2 ? 0 : STARPU_TASK_GET_NBUFFERS(task),
	    node = (int)starpu_worker_get_memory_node(worker);
	for (int i = 0; i < n; i++) {
		starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
		int allocated = 0, valid = 0, loading = 0;
		starpu_data_query_status2(handle, node, &allocated, &valid, &loading, NULL);
		size_t size = starpu_data_get_size(handle);
		bool reads = STARPU_TASK_GET_MODE(task, i) & STARPU_R;
		missing += reads && !valid ? size : 0;
		not_coming += reads && !valid && !loading ? size : 0;
		not_allocated += allocated ? 0 : size;
	}
	*non_readyp = missing;
	*non_loadingp = not_coming;
	*non_allocatedp = not_allocated;
}

int starpu_st_non_ready_buffers_count(struct starpu_task *task, unsigned worker)
{
	int count = 0, n = starpu_memory_nodes_get_count() < 2 ? 0 : STARPU_TASK_GET_NBUFFERS(task);
	for (int i = 0; i < n; i++) {
		int valid = 0;
		starpu_data_query_status(STARPU_TASK_GET_HANDLE(task, i), (int)starpu_worker_get_memory_node(worker), NULL,
		                         &valid, NULL);
		count += !valid;
	}
	return count;
}

int starpu_st_normalize_prio(int priority, int num_priorities, unsigned sched_ctx_id)
{
	int64_t min = starpu_sched_ctx_get_min_priority(sched_ctx_id), max = starpu_sched_ctx_get_max_priority(sched_ctx_id);
	int64_t p = priority < min ? min : priority > max ? max : priority;
	return max == min ? 0 : (int)((p - min) * (num_priorities - 1) / (max - min));
}

/* -- fifo -- */

void starpu_st_fifo_taskq_init(starpu_st_fifo_taskq_t fifo)
{
	*fifo = (struct starpu_st_fifo_taskq){.n = 0};
	starpu_task_list_init(&fifo->tasks);
	fifo->exp_start = fifo->exp_end = starpu_timing_now();
}

starpu_st_fifo_taskq_t starpu_st_fifo_taskq_create(void)
{
	starpu_st_fifo_taskq_t fifo = malloc(sizeof *fifo);
	STARPU_ASSERT_MSG(fifo, "no memory for a queue");
	starpu_st_fifo_taskq_init(fifo);
	return fifo;
}

void starpu_st_fifo_taskq_destroy(starpu_st_fifo_taskq_t fifo)
{
	free(fifo->n_by_priority);
	free(fifo->len_by_priority);
	free(fifo);
}

int starpu_st_fifo_taskq_empty(starpu_st_fifo_taskq_t fifo)
{
	return fifo->n == 0;
}

/* The expected begin of a task of this priority, and the number of tasks before it. */
double starpu_st_fifo_taskq_get_exp_len_prev_task_list(starpu_st_fifo_taskq_t fifo_queue, struct starpu_task *task, int workerid,
                                                       int nimpl, int *fifo_ntasks)
{
	double len = 0;
	int n = 0;
	(void)workerid;
	(void)nimpl;
	for (struct starpu_task *t = fifo_queue->tasks.head; t && t->priority >= task->priority; t = t->next, n++)
		len += t->predicted > 0 ? t->predicted + (t->predicted_transfer > 0 ? t->predicted_transfer : 0) : 0;
	if (fifo_ntasks)
		*fifo_ntasks = n;
	return len;
}

#define FIFO_FIELD(type, name, field) \
	type starpu_st_fifo_##name##_get(starpu_st_fifo_taskq_t fifo) \
	{ \
		return fifo->field; \
	}
#define FIFO_SET(type, name, field) \
	void starpu_st_fifo_##name##_set(starpu_st_fifo_taskq_t fifo, type name) \
	{ \
		fifo->field = name; \
	}
#define FIFO_INC(type, name, field) \
	void starpu_st_fifo_##name##_inc(starpu_st_fifo_taskq_t fifo, type by) \
	{ \
		fifo->field += by; \
	}
FIFO_FIELD(unsigned, ntasks, n)
FIFO_FIELD(unsigned, nprocessed, n_processed)
FIFO_FIELD(double, exp_start, exp_start)
FIFO_FIELD(double, exp_end, exp_end)
FIFO_FIELD(double, exp_len, exp_len)
FIFO_FIELD(double, pipeline_len, pipeline_len)
FIFO_SET(double, exp_start, exp_start)
FIFO_SET(double, exp_end, exp_end)
FIFO_SET(double, exp_len, exp_len)
FIFO_SET(double, pipeline_len, pipeline_len)
FIFO_INC(double, exp_len, exp_len)
FIFO_INC(double, pipeline_len, pipeline_len)

void starpu_st_fifo_ntasks_inc(starpu_st_fifo_taskq_t fifo, int n)
{
	fifo->n += (unsigned)n;
}

void starpu_st_fifo_nprocessed_inc(starpu_st_fifo_taskq_t fifo, int n)
{
	fifo->n_processed += (unsigned)n;
}

/* The number of priorities of the thread's context, from the least on; 0: too many to count by. */
static unsigned queue_priorities(int *least)
{
	enum { MOST = 4096 };
	int64_t min = starpu_sched_get_min_priority(), n = starpu_sched_get_max_priority() - min + 1;
	*least = (int)min;
	return n < 1 || n > MOST ? 0 : (unsigned)n;
}

/* Room for them in the queue's array. NULL: there are too many, or no memory. */
static void *by_priority(void *had, unsigned n, size_t size)
{
	void *room = n ? realloc(had, n * size) : NULL;
	if (!room)
		free(had);
	else
		memset(room, 0, n * size);
	return room;
}

/* From the first up to which a task counts: those that are as urgent as that, or less. */
static unsigned rank_of(const struct starpu_task *t, int least, unsigned n)
{
	int64_t rank = (int64_t)t->priority - least;
	return rank < 0 ? 0 : rank >= n ? n - 1 : (unsigned)rank;
}

unsigned *starpu_st_fifo_ntasks_per_priority_get(starpu_st_fifo_taskq_t fifo)
{
	int least;
	unsigned n = queue_priorities(&least);
	fifo->n_by_priority = by_priority(fifo->n_by_priority, n, sizeof *fifo->n_by_priority);
	for (const struct starpu_task *t = fifo->tasks.head; t && fifo->n_by_priority; t = t->next)
		for (unsigned i = 0; i <= rank_of(t, least, n); i++)
			fifo->n_by_priority[i]++;
	return fifo->n_by_priority;
}

double *starpu_st_fifo_exp_len_per_priority_get(starpu_st_fifo_taskq_t fifo)
{
	int least;
	unsigned n = queue_priorities(&least);
	fifo->len_by_priority = by_priority(fifo->len_by_priority, n, sizeof *fifo->len_by_priority);
	for (const struct starpu_task *t = fifo->tasks.head; t && fifo->len_by_priority; t = t->next) {
		double len = (t->predicted > 0 ? t->predicted : 0) + (t->predicted_transfer > 0 ? t->predicted_transfer : 0);
		for (unsigned i = 0; i <= rank_of(t, least, n); i++)
			fifo->len_by_priority[i] += len;
	}
	return fifo->len_by_priority;
}

static void insert_before(struct starpu_task_list *l, struct starpu_task *at, struct starpu_task *t)
{
	if (!at) {
		starpu_task_list_push_back(l, t);
		return;
	}
	t->next = at;
	t->prev = at->prev;
	if (at->prev)
		at->prev->next = t;
	else
		l->head = t;
	at->prev = t;
}

void sched_list_insert_after(struct starpu_task_list *l, struct starpu_task *at, struct starpu_task *t)
{
	insert_before(l, at->next, t);
}

/*
 * By priority, behind its equals: sought from the end, where a task of the usual priority finds its
 * place at once.
 */
int starpu_st_fifo_taskq_push_sorted_task(starpu_st_fifo_taskq_t fifo_queue, struct starpu_task *task)
{
	struct starpu_task *at = fifo_queue->tasks.tail, *behind = NULL;
	for (; at && at->priority < task->priority; at = at->prev)
		behind = at;
	insert_before(&fifo_queue->tasks, behind, task);
	fifo_queue->n++;
	fifo_queue->n_processed++;
	return 0;
}

int starpu_st_fifo_taskq_push_task(starpu_st_fifo_taskq_t fifo, struct starpu_task *task)
{
	if (task->priority > 0)
		return starpu_st_fifo_taskq_push_sorted_task(fifo, task);
	return starpu_st_fifo_taskq_push_back_task(fifo, task);
}

int starpu_st_fifo_taskq_push_back_task(starpu_st_fifo_taskq_t fifo_queue, struct starpu_task *task)
{
	starpu_task_list_push_back(&fifo_queue->tasks, task);
	fifo_queue->n++;
	fifo_queue->n_processed++;
	return 0;
}

static struct starpu_task *queue_taken(starpu_st_fifo_taskq_t fifo, struct starpu_task *t)
{
	if (!t)
		return NULL;
	starpu_task_list_erase(&fifo->tasks, t);
	fifo->n--;
	return t;
}

int starpu_st_fifo_taskq_pop_this_task(starpu_st_fifo_taskq_t fifo_queue, int workerid, struct starpu_task *task)
{
	unsigned impl = 0;
	if (workerid >= 0 && !starpu_worker_can_execute_task_first_impl((unsigned)workerid, task, &impl))
		return 0;
	if (workerid >= 0)
		starpu_task_set_implementation(task, impl);
	queue_taken(fifo_queue, task);
	return 1;
}

struct starpu_task *starpu_st_fifo_taskq_pop_task(starpu_st_fifo_taskq_t fifo, int workerid)
{
	for (struct starpu_task *t = fifo->tasks.head; t; t = t->next)
		if (starpu_st_fifo_taskq_pop_this_task(fifo, workerid, t))
			return t;
	return NULL;
}

struct starpu_task *starpu_st_fifo_taskq_pop_local_task(starpu_st_fifo_taskq_t fifo)
{
	return queue_taken(fifo, fifo->tasks.head);
}

/* Of those with the priority of the first, the one with the least data to wait for. */
struct starpu_task *starpu_st_fifo_taskq_pop_first_ready_task(starpu_st_fifo_taskq_t fifo_queue, unsigned workerid,
                                                              int num_priorities)
{
	struct starpu_task *best = fifo_queue->tasks.head;
	size_t best_missing = SIZE_MAX, coming, allocated;
	(void)num_priorities;
	for (struct starpu_task *t = best; t && t->priority >= best->priority && best_missing; t = t->next) {
		size_t missing;
		starpu_st_non_ready_buffers_size(t, workerid, &missing, &coming, &allocated);
		if (missing < best_missing) {
			best_missing = missing;
			best = t;
		}
	}
	return queue_taken(fifo_queue, best);
}

/* The first, of any priority, whose data is all there; else as above. */
struct starpu_task *starpu_st_fifo_taskq_pop_first_ready_task_ready_first(struct starpu_st_fifo_taskq *fifo_queue,
                                                                          unsigned workerid, int num_priorities)
{
	size_t missing, coming, allocated;
	for (struct starpu_task *t = fifo_queue->tasks.head; t; t = t->next) {
		starpu_st_non_ready_buffers_size(t, workerid, &missing, &coming, &allocated);
		if (!missing)
			return queue_taken(fifo_queue, t);
	}
	return starpu_st_fifo_taskq_pop_first_ready_task(fifo_queue, workerid, num_priorities);
}

struct starpu_task *sched_take_first(struct starpu_task_list *l, unsigned worker)
{
	unsigned impl;
	for (struct starpu_task *t = starpu_task_list_front(l); t; t = t->next)
		if (starpu_worker_can_execute_task_first_impl(worker, t, &impl)) {
			starpu_task_set_implementation(t, impl);
			starpu_task_list_erase(l, t);
			return t;
		}
	return NULL;
}

/* -- priority deque -- */

void starpu_st_prio_deque_init(starpu_st_prio_deque_t pdeque)
{
	*pdeque = (struct starpu_st_prio_deque){.n = 0};
}

void starpu_st_prio_deque_destroy(starpu_st_prio_deque_t pdeque)
{
	free(pdeque->bucket);
	*pdeque = (struct starpu_st_prio_deque){.n = 0};
}

int starpu_st_prio_deque_is_empty(starpu_st_prio_deque_t pdeque)
{
	return pdeque->n == 0;
}

/* The bucket of this priority; with `make`, it is put where it belongs. */
static struct sched_bucket *bucket_of(sched_prio *q, int priority, bool make)
{
	unsigned from = 0, to = q->n_buckets;
	while (from < to) {
		unsigned middle = (from + to) / 2;
		if (q->bucket[middle].priority > priority)
			from = middle + 1;
		else
			to = middle;
	}
	if (from < q->n_buckets && q->bucket[from].priority == priority)
		return &q->bucket[from];
	if (!make)
		return NULL;
	if (q->n_buckets == q->cap) {
		q->cap = q->cap ? 2 * q->cap : 4;
		q->bucket = realloc(q->bucket, q->cap * sizeof *q->bucket);
		STARPU_ASSERT_MSG(q->bucket, "no memory for a queue");
	}
	memmove(&q->bucket[from + 1], &q->bucket[from], (q->n_buckets - from) * sizeof *q->bucket);
	q->n_buckets++;
	q->bucket[from].priority = priority;
	starpu_task_list_init(&q->bucket[from].tasks);
	return &q->bucket[from];
}

/* An empty bucket stays while there are few: the next task is often of the same priority. */
static void queue_removed(sched_prio *q, struct sched_bucket *b)
{
	enum { MOST_EMPTY = 16 };
	q->n--;
	if (q->n_buckets <= MOST_EMPTY || !starpu_task_list_empty(&b->tasks))
		return;
	unsigned at = (unsigned)(b - q->bucket);
	memmove(b, b + 1, (q->n_buckets - at - 1) * sizeof *b);
	q->n_buckets--;
}

int starpu_st_prio_deque_push_back_task(starpu_st_prio_deque_t pdeque, struct starpu_task *task)
{
	starpu_task_list_push_back(&bucket_of(pdeque, task->priority, true)->tasks, task);
	pdeque->n++;
	return 0;
}

int starpu_st_prio_deque_push_front_task(starpu_st_prio_deque_t pdeque, struct starpu_task *task)
{
	starpu_task_list_push_front(&bucket_of(pdeque, task->priority, true)->tasks, task);
	pdeque->n++;
	return 0;
}

void starpu_st_prio_deque_erase(starpu_st_prio_deque_t pdeque, struct starpu_task *task)
{
	struct sched_bucket *b = bucket_of(pdeque, task->priority, false);
	STARPU_ASSERT_MSG(b, "a task that is in no queue, or whose priority was changed in it");
	starpu_task_list_erase(&b->tasks, task);
	queue_removed(pdeque, b);
}

struct starpu_task *starpu_st_prio_deque_highest_task(starpu_st_prio_deque_t pdeque)
{
	for (unsigned i = 0; i < pdeque->n_buckets; i++)
		if (!starpu_task_list_empty(&pdeque->bucket[i].tasks))
			return pdeque->bucket[i].tasks.head;
	return NULL;
}

struct starpu_task *starpu_st_prio_deque_pop_task(starpu_st_prio_deque_t pdeque)
{
	struct starpu_task *t = starpu_st_prio_deque_highest_task(pdeque);
	if (t)
		starpu_st_prio_deque_erase(pdeque, t);
	return t;
}

struct starpu_task *starpu_st_prio_deque_pop_back_task(starpu_st_prio_deque_t pdeque)
{
	for (unsigned i = pdeque->n_buckets; i-- > 0;)
		if (!starpu_task_list_empty(&pdeque->bucket[i].tasks)) {
			struct starpu_task *t = pdeque->bucket[i].tasks.tail;
			starpu_st_prio_deque_erase(pdeque, t);
			return t;
		}
	return NULL;
}

int starpu_st_prio_deque_pop_this_task(starpu_st_prio_deque_t pdeque, int workerid, struct starpu_task *task)
{
	unsigned impl = 0;
	if (workerid >= 0 && !starpu_worker_can_execute_task_first_impl((unsigned)workerid, task, &impl))
		return 0;
	if (workerid >= 0)
		starpu_task_set_implementation(task, impl);
	starpu_st_prio_deque_erase(pdeque, task);
	return 1;
}

/* *skipped: the first more urgent one that this worker may not run; or NULL. */
struct starpu_task *starpu_st_prio_deque_pop_task_for_worker(starpu_st_prio_deque_t pdeque, int workerid,
                                                             struct starpu_task **skipped)
{
	if (skipped)
		*skipped = NULL;
	for (unsigned i = 0; i < pdeque->n_buckets; i++)
		for (struct starpu_task *t = pdeque->bucket[i].tasks.head; t; t = t->next) {
			if (starpu_st_prio_deque_pop_this_task(pdeque, workerid, t))
				return t;
			if (skipped && !*skipped)
				*skipped = t;
		}
	return NULL;
}

struct starpu_task *starpu_st_prio_deque_deque_task_for_worker(starpu_st_prio_deque_t pdeque, int workerid,
                                                               struct starpu_task **skipped)
{
	if (skipped)
		*skipped = NULL;
	for (unsigned i = pdeque->n_buckets; i-- > 0;)
		for (struct starpu_task *t = pdeque->bucket[i].tasks.tail; t; t = t->prev) {
			if (starpu_st_prio_deque_pop_this_task(pdeque, workerid, t))
				return t;
			if (skipped && !*skipped)
				*skipped = t;
		}
	return NULL;
}

struct starpu_task *starpu_st_prio_deque_deque_first_ready_task(starpu_st_prio_deque_t pdeque, unsigned workerid)
{
	return sched_prio_take_ready(pdeque, workerid);
}

struct starpu_task *sched_prio_take(sched_prio *q, unsigned worker)
{
	return starpu_st_prio_deque_pop_task_for_worker(q, (int)worker, NULL);
}

struct starpu_task *sched_prio_take_ready(sched_prio *q, unsigned worker)
{
	struct starpu_task *best = NULL;
	size_t best_missing = SIZE_MAX, coming, allocated;
	for (unsigned i = 0; i < q->n_buckets && !best; i++)
		for (struct starpu_task *t = q->bucket[i].tasks.head; t && best_missing; t = t->next) {
			size_t missing;
			if (!starpu_worker_can_execute_task_first_impl(worker, t, NULL))
				continue;
			starpu_st_non_ready_buffers_size(t, worker, &missing, &coming, &allocated);
			if (missing < best_missing) {
				best_missing = missing;
				best = t;
			}
		}
	if (best)
		starpu_st_prio_deque_pop_this_task(q, (int)worker, best);
	return best;
}
