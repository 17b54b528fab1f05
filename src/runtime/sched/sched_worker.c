/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of policies about workers: whether one may run a task (by the codelet's kinds, its own
 * can_execute and the knobs), whether it is awake, its lock; and combined workers: their table, and
 * the combinations made at the begin from the machine's tree.
 */
#include "sched.h"
#include "sched_knobs.h"
#include "runtime/task/driver.h"
#include "runtime/profile/profile.h"
#include <errno.h>
#include <stdlib.h>

/* -- queries whether a worker may run a task -- */

/* Known of a submitted task; computed for one that is not. */
static bool mask_has(const struct starpu_task *t, unsigned worker)
{
	const struct rt_task *own = t->starpu_private;
	struct rt_mask mask;
	if (own && (weft_load_u32(&own->state) & RT_T_STATE) == RT_T_SUBMITTED)
		return rt_mask_has(&own->mask, worker);
	rt_task_mask(t, &mask);
	return rt_mask_has(&mask, worker);
}

/* Whatever the implementation. */
static bool is_for(const struct starpu_task *t, unsigned worker)
{
	return (t->sched_ctx >= STARPU_NMAX_SCHED_CTXS || starpu_sched_ctx_contains_worker((int)worker, t->sched_ctx)) &&
	       mask_has(t, worker);
}

/* It is off, and another that may run the task is not. A task that names its worker goes there. */
static bool is_spared(const struct starpu_task *t, unsigned worker)
{
	if (WEFT_LIKELY(!weft_load_u32(&rt_machine.n_off)) || sched_worker_is_on(worker) || t->execute_on_a_specific_worker)
		return false;
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (sched_worker_is_on(i) && is_for(t, i))
			return true;
	return false;
}

/* can_execute of the codelet has the last word. */
static bool has_implementation(struct starpu_task *t, unsigned worker, unsigned impl)
{
	return rt_machine.worker[worker].driver->has(t->cl, impl) && (!t->cl->can_execute || t->cl->can_execute(worker, t, impl));
}

enum { ANY_IMPLEMENTATION = (1 << STARPU_MAXIMPLEMENTATIONS) - 1 };

/* Those of a set of implementations by which this worker may run the task, or the first of them. */
static unsigned sched_implementations(struct starpu_task *t, unsigned worker, unsigned among, bool first)
{
	unsigned found = 0;
	bool combined = worker >= rt_machine.n_workers;
	if (!t->cl)
		return among & 1;
	if (combined ? !starpu_worker_is_combined_worker((int)worker) : !is_for(t, worker) || is_spared(t, worker))
		return 0;
	for (unsigned i = 0; among >> i && !(first && found); i++)
		if (among >> i & 1 &&
		    (combined ? starpu_combined_worker_can_execute_task(worker, t, i) != 0 : has_implementation(t, worker, i)))
			found |= 1U << i;
	return found;
}

int starpu_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl)
{
	return nimpl < STARPU_MAXIMPLEMENTATIONS && sched_implementations(task, workerid, 1U << nimpl, true) != 0;
}

int starpu_worker_can_execute_task_impl(unsigned workerid, struct starpu_task *task, unsigned *impl_mask)
{
	unsigned found = sched_implementations(task, workerid, ANY_IMPLEMENTATION, false);
	if (impl_mask)
		*impl_mask = found;
	return found != 0;
}

int starpu_worker_can_execute_task_first_impl(unsigned workerid, struct starpu_task *task, unsigned *nimpl)
{
	unsigned found = sched_implementations(task, workerid, ANY_IMPLEMENTATION, true);
	if (found && nimpl)
		*nimpl = (unsigned)__builtin_ctz(found);
	return found != 0;
}

int starpu_combined_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl)
{
	int size, *members;
	const struct starpu_codelet *cl = task->cl;
	if (workerid < rt_machine.n_workers)
		return starpu_worker_can_execute_task(workerid, task, nimpl);
	if (starpu_combined_worker_get_description((int)workerid, &size, &members) || !cl || cl->type == STARPU_SEQ ||
	    (cl->max_parallelism && size > cl->max_parallelism))
		return 0;
	for (int i = 0; i < size; i++)
		if (!starpu_worker_can_execute_task((unsigned)members[i], task, nimpl))
			return 0;
	return 1;
}

/* -- waking and locks -- */

void sched_short_lock(pthread_mutex_t *made)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
	pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(made, &how);
	pthread_mutexattr_destroy(&how);
}

int starpu_wake_worker_relax_light(int workerid)
{
	sched_wake((unsigned)workerid);
	return 1;
}

int starpu_wake_worker(int workerid)
{
	return starpu_wake_worker_relax_light(workerid);
}

int starpu_wake_worker_relax(int workerid)
{
	return starpu_wake_worker_relax_light(workerid);
}

int starpu_wake_worker_no_relax(int workerid)
{
	return starpu_wake_worker_relax_light(workerid);
}

int starpu_wake_worker_locked(int workerid)
{
	return starpu_wake_worker_relax_light(workerid);
}

void starpu_worker_get_sched_condition(int workerid, starpu_pthread_mutex_t **sched_mutex, starpu_pthread_cond_t **sched_cond)
{
	*sched_mutex = (starpu_pthread_mutex_t *)&sched_workers[workerid].lock;
	*sched_cond = (starpu_pthread_cond_t *)&sched_workers[workerid].cond;
}

void starpu_worker_get_current_task_exp_end(unsigned workerid, struct timespec *date)
{
	*date = rt_profile_date((uint64_t)(sched_instant(&sched_workers[workerid].exp_end) * 1e3));
}

int starpu_push_task_end(struct starpu_task *task)
{
	task->scheduled = 1;
	return 0;
}

/* -- combined workers: numbers follow those of the workers -- */

static struct {
	pthread_mutex_t lock;
	unsigned n; /* with release */
	struct combined {
		int size, member[STARPU_NMAXWORKERS];
	} at[STARPU_NMAXWORKERS];
} combined = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Thread_local struct sched_part sched_part = {.id = -1};

static unsigned n_combined(void)
{
	return __atomic_load_n(&combined.n, __ATOMIC_ACQUIRE);
}

void sched_combined_begin(void)
{
	__atomic_store_n(&combined.n, 0, __ATOMIC_RELEASE);
}

void sched_combined_end(void)
{
	__atomic_store_n(&combined.n, 0, __ATOMIC_RELEASE);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static bool is_the_same(const struct combined *c, const int *member, int n)
{
	bool same = c->size == n;
	for (int i = 0; i < n && same; i++)
		same = c->member[i] == member[i];
	return same;
}

int starpu_combined_worker_assign_workerid(int nworkers, int *workerid_array)
{
	struct combined c = {.size = nworkers};
	if (nworkers < 1 || (unsigned)nworkers > rt_machine.n_workers)
		return -EINVAL;
	for (int i = 0; i < nworkers; i++) {
		if (workerid_array[i] < 0 || (unsigned)workerid_array[i] >= rt_machine.n_workers)
			return -EINVAL;
		c.member[i] = workerid_array[i];
	}
	qsort(c.member, (size_t)nworkers, sizeof *c.member, by_number);
	pthread_mutex_lock(&combined.lock);
	unsigned at = 0;
	while (at < combined.n && !is_the_same(&combined.at[at], c.member, nworkers))
		at++;
	int id = (int)(rt_machine.n_workers + at);
	if (at == combined.n && at == STARPU_NMAXWORKERS) {
		id = -ERANGE;
	} else if (at == combined.n) {
		combined.at[at] = c;
		__atomic_store_n(&combined.n, at + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&combined.lock);
	return id;
}

unsigned starpu_combined_worker_get_count(void)
{
	return n_combined();
}

unsigned starpu_worker_is_combined_worker(int id)
{
	return id >= (int)rt_machine.n_workers && (unsigned)id - rt_machine.n_workers < n_combined();
}

int starpu_combined_worker_get_description(int workerid, int *worker_size, int **combined_workerid)
{
	if (!starpu_worker_is_combined_worker(workerid))
		return -EINVAL;
	struct combined *c = &combined.at[(unsigned)workerid - rt_machine.n_workers];
	if (worker_size)
		*worker_size = c->size;
	if (combined_workerid)
		*combined_workerid = c->member;
	return 0;
}

int starpu_combined_worker_get_id(void)
{
	return sched_part.id >= 0 ? sched_part.id : starpu_worker_get_id();
}

int starpu_combined_worker_get_size(void)
{
	return starpu_worker_get_id() < 0 ? -1 : sched_part.id >= 0 ? sched_part.size : 1;
}

int starpu_combined_worker_get_rank(void)
{
	return starpu_worker_get_id() < 0 ? -1 : sched_part.id >= 0 ? sched_part.rank : 0;
}

/*
 * The combinations made at the begin: with single_combined_worker all CPU workers of each size,
 * else those below each object of the machine's tree. Where an object has more parts than
 * STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER says, they are bundled to so many, and each bundle is cut
 * again.
 */
struct combining {
	int n, cpu[STARPU_NMAXWORKERS]; /* workers */
	int min, max, arity;
};

static int workers_below(const struct combining *c, const hwloc_obj_t *parts, int n, int *workers)
{
	int found = 0;
	for (int i = 0; i < c->n; i++) {
		bool is_below = false;
		for (hwloc_obj_t at = starpu_worker_get_hwloc_obj(c->cpu[i]); at && !is_below; at = at->parent)
			for (int k = 0; k < n && !is_below; k++)
				is_below = parts[k] == at;
		if (is_below)
			workers[found++] = c->cpu[i];
	}
	return found;
}

/* Returns how many of its children have workers. */
static int parts_of(const struct combining *c, hwloc_obj_t obj, hwloc_obj_t *parts)
{
	int n = 0, workers[STARPU_NMAXWORKERS];
	for (hwloc_obj_t child = obj->first_child; child; child = child->next_sibling)
		if (n < STARPU_NMAXWORKERS && workers_below(c, &child, 1, workers))
			parts[n++] = child;
	return n;
}

/* A bundle of parts; there are `above` workers in what it is of. */
static void sched_combine(const struct combining *c, const hwloc_obj_t *bundle, int n, int above)
{
	hwloc_obj_t parts[STARPU_NMAXWORKERS];
	int workers[STARPU_NMAXWORKERS], k = workers_below(c, bundle, n, workers);
	if (k < 2)
		return;
	if (k != above && k >= c->min && k <= c->max)
		starpu_combined_worker_assign_workerid(k, workers);
	if (n == 1) {
		n = parts_of(c, bundle[0], parts);
		bundle = parts;
	}
	int size = n > c->arity ? (n + c->arity - 1) / c->arity : 1;
	for (int i = 0; i < n; i += size)
		sched_combine(c, bundle + i, n - i < size ? n - i : size, k);
}

void starpu_sched_find_all_worker_combinations(void)
{
	struct combining c;
	c.n = (int)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, c.cpu, STARPU_NMAXWORKERS);
	int single = starpu_getenv_number_default("STARPU_SINGLE_COMBINED_WORKER", rt_machine.conf.single_combined_worker);
	c.min = starpu_getenv_number_default("STARPU_MIN_WORKERSIZE", single > 0 ? 1 : 2);
	c.max = starpu_getenv_number_default("STARPU_MAX_WORKERSIZE", c.n);
	c.arity = starpu_getenv_number_default("STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER", 2);
	c.arity = c.arity < 2 ? 2 : c.arity;
	hwloc_obj_t machine = hwloc_get_root_obj(rt_machine.topology);
	if (single <= 0)
		sched_combine(&c, &machine, 1, 0);
	for (int size = c.min < 1 ? 1 : c.min; single > 0 && size <= c.max && size <= c.n; size++)
		starpu_combined_worker_assign_workerid(size, c.cpu);
}
