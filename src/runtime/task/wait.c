/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for tasks, counting them, limits on submission, and the watchdog.
 *
 * A wait needs a thread of the application or a job that may be put aside (rt_may_wait); elsewhere
 * it ends the program in one line. The core counts submitted and finished jobs by thread; waiting
 * for all, or until few are left, sleeps on those. Ready tasks are not counted: a query adds the
 * queues' lengths up. The watchdog is a thread that compares the number of finished jobs with that
 * of its last turn.
 */
#include "runtime/core/life_detail.h"
#include "begin.h"
#include "complain.h"
#include "count.h"
#include "task.h"
#include "runtime/core/fiber.h"
#include <time.h>
#include <unistd.h>

struct weft_atomic_i32 rt_limit_max;
static struct weft_atomic_i32 limit_min;

int rt_expect_wait(const char *function)
{
	if (rt_may_wait())
		return 0;
	if (rt_worker_self()->current || rt_calling.task)
		rt_misuse("%s: this waits, so it cannot be called from a task or a callback", function);
	return -EDEADLK;
}

/*
 * 1: there may be something to wait for; 0: not without a runtime. A task that may wait for others
 * cannot wait for itself.
 */
static int may_wait(const char *function)
{
	int rc = rt_expect_wait(function);
	if (rc)
		return rc;
	return rt_worker_self() ? -EDEADLK : rt_machine.core != NULL;
}

static unsigned my_ctx(void)
{
	return rt_ctxs() ? rt_ctxs()->current() : 0;
}

static int waited(int rc)
{
	rt_count_waited();
	return rc;
}

int starpu_task_wait_for_all(void)
{
	int rc = may_wait(__func__);
	if (rc <= 0)
		return rc;
	rt_begin_held();
	weft_point(rt_detail.wait_for_all, 0);
	if (my_ctx())
		return waited(rt_ctxs()->wait(my_ctx(), 0));
	rt_wait_all(rt_machine.core);
	return waited(0);
}

int starpu_task_wait_for_n_submitted(unsigned n)
{
	int rc = may_wait(__func__);
	if (rc <= 0)
		return rc;
	rt_begin_held();
	if (my_ctx())
		return waited(rt_ctxs()->wait(my_ctx(), n));
	rt_wait_few(rt_machine.core, n);
	return waited(0);
}

int starpu_task_wait_for_all_in_ctx(unsigned sched_ctx_id)
{
	return starpu_task_wait_for_n_submitted_in_ctx(sched_ctx_id, 0);
}

int starpu_task_wait_for_n_submitted_in_ctx(unsigned sched_ctx_id, unsigned n)
{
	int rc = may_wait(__func__);
	if (rc <= 0)
		return rc;
	if (rt_ctxs())
		return waited(rt_ctxs()->wait(sched_ctx_id, n));
	rt_wait_few(rt_machine.core, n);
	return waited(0);
}

int starpu_task_nsubmitted(void)
{
	return rt_machine.core ? (int)rt_unfinished(rt_machine.core) : 0;
}

/* Ready or running, summed over queues and workers: no counter is kept for this rare query. */
int starpu_task_nready(void)
{
	const struct rt_runtime *r = rt_machine.core;
	uint64_t n = 0;
	if (!r)
		return 0;
	for (unsigned i = 0; i < r->n_workers; i++)
		n += rt_deque_size(&r->worker[i].deque) + (rt_worker_current(&r->worker[i]) != NULL) +
		     (weft_load_u32(&r->worker[i].again) != 0);
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		if (!s->worker)
			n += weft_load_u64(&s->queue.pushed) - weft_load_u64(&s->queue.taken);
	n += rt_prio_count(r);
	return (int)(n + (rt_policy() ? rt_policy()->count() : 0));
}

/* A worker may be about to take one, which then is in no queue for an instant. */
static bool anybody_looks(const struct rt_runtime *r)
{
	bool any = false;
	for (unsigned i = 0; rt_policy() && i < r->n_workers; i++)
		any = any || rt_policy()->any(&r->worker[i]);
	return any;
}

/*
 * No task is ready three times in a row, with time between for those that are between two queues.
 */
int starpu_task_wait_for_no_ready(void)
{
	int rc = may_wait(__func__);
	if (rc <= 0)
		return rc;
	rt_begin_held();
	while (rt_simulator && rt_simulator->pass()) /* and transfers ahead of tasks, which are not counted */
		continue;
	for (unsigned quiet = 0; !rt_simulator && quiet < 3 && rt_unfinished(rt_machine.core);) {
		quiet = starpu_task_nready() || anybody_looks(rt_machine.core) ? 0 : quiet + 1;
		usleep(quiet ? 200 : 100);
	}
	return 0;
}

/* ---- limits ---- */

void rt_throttle(void)
{
	int max = weft_load_i32(&rt_limit_max), min = weft_load_i32(&limit_min);
	if (WEFT_LIKELY(max < 0) || rt_worker_self())
		return;
	if (rt_unfinished(rt_machine.core) < (uint64_t)max)
		return;
	weft_enter(rt_detail.throttling);
	rt_begin_held();
	rt_wait_few(rt_machine.core, min >= 0 && min < max ? (uint64_t)min : (uint64_t)(max ? max - 1 : 0));
	weft_leave(rt_detail.throttling);
}

void starpu_set_limit_max_submitted_tasks(int limit)
{
	weft_store_i32(&rt_limit_max, limit);
}

int starpu_get_limit_max_submitted_tasks(void)
{
	return weft_load_i32(&rt_limit_max);
}

void starpu_set_limit_min_submitted_tasks(int limit)
{
	weft_store_i32(&limit_min, limit);
}

int starpu_get_limit_min_submitted_tasks(void)
{
	return weft_load_i32(&limit_min);
}

/* ---- the watchdog: reports that no task has ended for too long ---- */

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop;
	bool runs, stops;
	float seconds;
	bool crashes;
	float delay; /* seconds, too */
	void (*hook)(void *);
	void *hook_arg;
} dog = {.lock = PTHREAD_MUTEX_INITIALIZER, .stop = PTHREAD_COND_INITIALIZER};

void starpu_task_watchdog_set_hook(void (*hook)(void *), void *hook_arg)
{
	dog.hook = hook;
	dog.hook_arg = hook_arg;
}

static uint64_t all_done(const struct rt_runtime *r)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < r->n_workers; i++)
		n += weft_load_u64(&r->worker[i].done);
	return n;
}

static void bark(void)
{
	if (dog.hook)
		dog.hook(dog.hook_arg);
	rt_say("no task has ended for %.3f s, and %d are under way (STARPU_WATCHDOG_TIMEOUT)", (double)dog.seconds,
	       starpu_task_nsubmitted());
	if (dog.crashes)
		rt_misuse("STARPU_WATCHDOG_CRASH is set");
}

/* True: the thread is to end. */
static bool sleeps(double seconds)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	uint64_t ns = (uint64_t)until.tv_nsec + (uint64_t)(seconds * 1e9);
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	int rc = 0;
	pthread_mutex_lock(&dog.lock);
	while (!dog.stops && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&dog.stop, &dog.lock, &until);
	bool stops = dog.stops;
	pthread_mutex_unlock(&dog.lock);
	return stops;
}

static void *watch(void *machine)
{
	const struct rt_machine *m = machine;
	if (sleeps((double)dog.delay))
		return NULL;
	for (uint64_t before = all_done(m->core);;) {
		if (sleeps((double)dog.seconds))
			return NULL;
		uint64_t now = all_done(m->core);
		if (now == before && rt_unfinished(m->core))
			bark();
		before = now;
	}
}

void rt_watch_begin(struct rt_machine *m)
{
	weft_store_i32(&rt_limit_max, starpu_get_env_number_default("STARPU_LIMIT_MAX_SUBMITTED_TASKS", -1));
	weft_store_i32(&limit_min, starpu_get_env_number_default("STARPU_LIMIT_MIN_SUBMITTED_TASKS", -1));
	dog.seconds = starpu_get_env_float_default("STARPU_WATCHDOG_TIMEOUT", 0) / 1000000.0F;
	dog.crashes = starpu_get_env_number_default("STARPU_WATCHDOG_CRASH", 0) > 0;
	dog.delay = starpu_get_env_float_default("STARPU_WATCHDOG_DELAY", 0) / 1000000.0F;
	dog.stops = false;
	dog.runs = dog.seconds > 0 && !pthread_create(&dog.thread, NULL, watch, m);
}

void rt_watch_end(void)
{
	if (!dog.runs)
		return;
	pthread_mutex_lock(&dog.lock);
	dog.stops = true;
	pthread_cond_signal(&dog.stop);
	pthread_mutex_unlock(&dog.lock);
	pthread_join(dog.thread, NULL);
	dog.runs = false;
}
