/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions: groups of tasks, epoch by epoch, of which each runs as a whole or not at all. An
 * epoch begins with an empty task that calls the program's function for its decision; its tasks
 * come after that, and the next epoch's first task after them.
 */
#include "complain.h"
#include "task.h"
#include "transaction.h"
#include <pthread.h>
#include <stdlib.h>

struct _starpu_trs_epoch {
	struct starpu_transaction *of;
	void *arg;
	rt_ref begins;          /* the task that calls the program */
	struct rt_refs members; /* its tasks, for the next epoch */
	struct weft_atomic_bool runs;
	struct weft_atomic_u32 users; /* tasks not done, its beginning, the transaction while it is the last */
};

struct starpu_transaction {
	int (*starts)(void *buffer, void *arg);
	void *buffer;
	struct _starpu_trs_epoch *last;
	pthread_mutex_t lock;
};

static void let_go(struct _starpu_trs_epoch *e)
{
	if (weft_add_u32(&e->users, -UINT32_C(1)) != 1)
		return;
	free(e->members.at);
	free(e);
}

static void ask(void *epoch)
{
	struct _starpu_trs_epoch *e = epoch;
	weft_store_bool(&e->runs, !e->of->starts || e->of->starts(e->of->buffer, e->arg));
	let_go(e);
}

/* Behind all tasks of the epoch before. */
static struct _starpu_trs_epoch *begin(struct starpu_transaction *trs, struct _starpu_trs_epoch *before, void *arg)
{
	struct _starpu_trs_epoch *e = calloc(1, sizeof *e);
	if (!e)
		rt_misuse("no memory for a transaction");
	e->of = trs;
	e->arg = arg;
	weft_store_u32(&e->users, 2);
	struct starpu_task *t = starpu_task_create();
	struct rt_task *own = t->starpu_private;
	t->epilogue_callback_func = ask;
	t->epilogue_callback_arg = e;
	for (uint32_t i = 0; before && i < before->members.n; i++)
		if (rt_refs_add(&own->before, before->members.at[i]))
			rt_misuse("no memory for a transaction");
	if (before && rt_refs_add(&own->before, before->begins))
		rt_misuse("no memory for a transaction");
	if (rt_task_name(own, own->turns, &e->begins))
		rt_misuse("no memory for a transaction");
	if (starpu_task_submit(t))
		rt_misuse("no memory for a transaction");
	return e;
}

struct starpu_transaction *starpu_transaction_open(int (*do_start_func)(void *buffer, void *arg), void *do_start_arg)
{
	struct starpu_transaction *trs = calloc(1, sizeof *trs);
	if (!trs)
		return NULL;
	trs->starts = do_start_func;
	pthread_mutex_init(&trs->lock, NULL);
	trs->last = begin(trs, NULL, do_start_arg);
	return trs;
}

void starpu_transaction_next_epoch(struct starpu_transaction *p_trs, void *do_start_arg)
{
	pthread_mutex_lock(&p_trs->lock);
	struct _starpu_trs_epoch *before = p_trs->last;
	p_trs->last = begin(p_trs, before, do_start_arg);
	pthread_mutex_unlock(&p_trs->lock);
	let_go(before);
}

static void end(void *transaction)
{
	struct starpu_transaction *trs = transaction;
	let_go(trs->last);
	pthread_mutex_destroy(&trs->lock);
	free(trs);
}

/* The transaction goes when its last task is done. */
void starpu_transaction_close(struct starpu_transaction *p_trs)
{
	struct starpu_task *t = starpu_task_create();
	struct rt_task *own = t->starpu_private;
	struct _starpu_trs_epoch *last = p_trs->last;
	t->callback_func = end;
	t->callback_arg = p_trs;
	for (uint32_t i = 0; i < last->members.n; i++)
		if (rt_refs_add(&own->before, last->members.at[i]))
			rt_misuse("no memory for a transaction");
	if (rt_refs_add(&own->before, last->begins) || starpu_task_submit(t))
		rt_misuse("no memory for a transaction");
}

int rt_transaction_join(struct rt_task *own)
{
	struct starpu_transaction *trs = own->task->transaction;
	pthread_mutex_lock(&trs->lock);
	struct _starpu_trs_epoch *e = trs->last;
	rt_ref ref;
	int rc = rt_refs_add(&own->before, e->begins) || rt_task_name(own, own->turns, &ref) || rt_refs_add(&e->members, ref)
	                 ? -ENOMEM
	                 : 0;
	if (!rc) {
		own->task->trs_epoch = e;
		weft_add_u32(&e->users, 1);
	}
	pthread_mutex_unlock(&trs->lock);
	return rc;
}

bool rt_transaction_runs(const struct starpu_task *t)
{
	return weft_load_bool(&t->trs_epoch->runs);
}

void rt_transaction_leave(struct starpu_task *t)
{
	let_go(t->trs_epoch);
	t->trs_epoch = NULL;
}
