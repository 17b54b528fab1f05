/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that is parallel by itself on the processors of a context: its workers are held while it
 * runs. That is a party without a task: each worker joins it when its running task is done, and
 * stays until it is over. So threads that hold the same workers come one after the other, and
 * behind the parallel tasks that were there before.
 *
 * A worker that cannot join counts as held, when it runs nothing: one that waits in here itself, or
 * for the calling worker (in a parallel task of both), one that is paused, one that the application
 * drives and that it does not drive now.
 */
#include "sched_party.h"
#include <errno.h>
#include <time.h>

struct hold {
	struct hold *outer; /* of this thread */
	struct sched_party *party;
};
static _Thread_local struct hold *innermost;
static bool waits[STARPU_NMAXWORKERS]; /* in here, for others; with the lock */

const void *sched_hold_self(void)
{
	return &innermost;
}

/* -- held workers -- */

static bool is_member(const struct sched_party *p, int worker)
{
	int i = 0;
	while (i < p->size && p->members[i] != worker)
		i++;
	return i < p->size;
}

/*
 * It waits in a party. Its first member waits for the others also at the end, the others of an SPMD
 * task only before it runs.
 */
static bool sits_still(const struct sched_party *p, unsigned worker, int me)
{
	if (!p->task)
		return !p->over && (p->owner == sched_hold_self() || p->lent);
	bool runs_soon = p->open && p->spmd && p->members[0] != (int)worker;
	return me >= 0 && is_member(p, me) && !runs_soon;
}

static bool is_elsewhere(const struct rt_worker *w)
{
	bool may = w->traits & RT_W_APPLICATION || rt_is_pausing(w->runtime);
	return may && weft_load_bool(&w->aside);
}

static bool is_held_up(const struct sched_party *by, unsigned worker, int me)
{
	const struct sched_party *p = sched_party_sits(worker);
	if (p)
		return p == by || sits_still(p, worker, me);
	return waits[worker] || is_elsewhere(&rt_machine.core->worker[worker]);
}

static bool all_held_up(const struct sched_party *p, int me)
{
	int i = 0;
	while (i < p->size && is_held_up(p, (unsigned)p->members[i], me))
		i++;
	return i == p->size;
}

/* -- holding up -- */

static void lend(bool lent)
{
	for (struct hold *h = innermost; h; h = h->outer)
		h->party->lent = lent;
}

/* Not every change of the condition signals: it polls each millisecond. */
static void wait_for_all(struct sched_party *p)
{
	int me = starpu_worker_get_id();
	pthread_mutex_lock(&sched_party_lock);
	if (me >= 0)
		waits[me] = true;
	lend(true);
	while (!all_held_up(p, me)) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&p->changed, &sched_party_lock, &until);
	}
	lend(false);
	if (me >= 0)
		waits[me] = false;
	pthread_mutex_unlock(&sched_party_lock);
}

/* All of them but the calling worker. */
static struct sched_party *hold_up(const int *workers, unsigned n, const void *owner)
{
	int others[STARPU_NMAXWORKERS], k = 0;
	struct sched_party *p;
	for (unsigned i = 0; i < n; i++)
		if (workers[i] != starpu_worker_get_id())
			others[k++] = workers[i];
	sched_take_over();
	STARPU_ASSERT_MSG(!sched_party_enrol(&(struct sched_party){.id = -1, .size = k, .owner = owner}, others, &p),
	                  "no memory to hold up workers");
	wait_for_all(p);
	return p;
}

static void let_go(struct sched_party *p)
{
	pthread_mutex_lock(&sched_party_lock);
	p->over = true;
	rt_cond_broadcast(&p->changed);
	sched_party_withdraw(p);
	sched_party_leave(p);
	pthread_mutex_unlock(&sched_party_lock);
}

void *starpu_sched_ctx_exec_parallel_code(void *(*func)(void *), void *param, unsigned sched_ctx_id)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(sched_ctx_id, &workers);
	struct hold h = {.outer = innermost, .party = hold_up(workers, n, sched_hold_self())};
	innermost = &h;
	void *result = func(param);
	innermost = h.outer;
	let_go(h.party);
	return result;
}

/* -- workers whose processors one of them has booked, until they are given back -- */

static struct sched_party *booked[STARPU_NMAXWORKERS]; /* by the one that they are booked for; with the lock */

int starpu_sched_ctx_book_workers_for_task(unsigned sched_ctx_id, int *workerids, int nworkers)
{
	if (nworkers <= 0)
		return -1;
	int primary = workerids[0];
	STARPU_ASSERT_MSG(starpu_sched_ctx_contains_worker(primary, sched_ctx_id), "worker %d is not in scheduling context %u",
	                  primary, sched_ctx_id);
	starpu_sched_ctx_unbook_workers_for_task(sched_ctx_id, primary);
	struct sched_party *p = hold_up(workerids + 1, (unsigned)nworkers - 1, NULL);
	pthread_mutex_lock(&sched_party_lock);
	booked[primary] = p;
	pthread_mutex_unlock(&sched_party_lock);
	return primary;
}

void starpu_sched_ctx_unbook_workers_for_task(unsigned sched_ctx_id, int primary)
{
	(void)sched_ctx_id;
	if (primary < 0 || (unsigned)primary >= rt_machine.n_workers)
		return;
	pthread_mutex_lock(&sched_party_lock);
	struct sched_party *p = booked[primary];
	booked[primary] = NULL;
	pthread_mutex_unlock(&sched_party_lock);
	if (p)
		let_go(p);
}
