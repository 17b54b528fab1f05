/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: a policy, its workers, and the tasks that are submitted to it. Context 0 has all
 * workers. A worker may be in several; it polls their policies in turn.
 */
#include "sched.h"
#include "runtime/task/complain.h"
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct sched_ctx sched_ctxs[STARPU_NMAX_SCHED_CTXS];
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER; /* which are used */
static _Thread_local unsigned thread_ctx = STARPU_NMAX_SCHED_CTXS;

/* -- making and unmaking -- */

static void priority_from_environment(const char *name, int *prio, bool *set)
{
	const char *text = getenv(name);
	if (!text || !*text || (*set && rt_machine.conf.precedence_over_environment_variables))
		return;
	*prio = starpu_getenv_number_default(name, 0);
	*set = true;
}

/* A range of the program, which leaves it at -1 for none. */
static void priority_from_conf(int wanted, int *prio, bool *set)
{
	*prio = wanted != -1 ? wanted : *prio;
	*set = wanted != -1;
}

static void list_again(struct sched_ctx *c)
{
	struct starpu_sched_ctx_iterator it;
	struct sched_members *m = malloc(sizeof *m);
	STARPU_ASSERT_MSG(m, "no memory for the workers of a scheduling context");
	m->n = 0;
	m->older = sched_members(c);
	c->workers->init_iterator(c->workers, &it);
	while (c->workers->has_next(c->workers, &it))
		m->id[m->n++] = c->workers->get_next(c->workers, &it);
	pthread_mutex_lock(&c->lock);
	weft_store_ptr(&c->members, m);
	pthread_mutex_unlock(&c->lock);
}

static enum starpu_worker_collection_type usual_type(const struct sched_ctx *c)
{
	bool tree = starpu_getenv_number_default("STARPU_WORKER_TREE", 0) > 0 ||
	            (c->policy && c->policy->worker_type == STARPU_WORKER_TREE);
	return tree ? STARPU_WORKER_TREE : STARPU_WORKER_LIST;
}

/*
 * A program may have deleted it: then there is another one, with the workers that the context has.
 */
static struct starpu_worker_collection *ctx_collection(struct sched_ctx *c)
{
	if (!c->workers && !starpu_sched_ctx_create_worker_collection(c->id, usual_type(c)))
		STARPU_ABORT_MSG("no memory for the workers of scheduling context '%s'", c->name);
	return c->workers;
}

static void set_usual_priorities(struct sched_ctx *c, enum rt_prios prios)
{
	bool any = prios == RT_PRIO_OWN || prios == RT_PRIO_ONE;
	c->min_prio = any ? INT_MIN : 0;
	c->max_prio = any ? INT_MAX : 0;
}

/* A range that is none is left out. */
static void check_priorities(struct sched_ctx *c, enum rt_prios prios)
{
	if (!c->min_set || !c->max_set || c->min_prio <= c->max_prio)
		return;
	rt_say("the least priority is %d and the greatest %d (STARPU_MIN_PRIO, STARPU_MAX_PRIO): both are left out", c->min_prio,
	       c->max_prio);
	c->min_set = c->max_set = false;
	set_usual_priorities(c, prios);
}

int sched_ctx_make(unsigned id, const char *name, const struct sched_policy *how)
{
	struct sched_ctx *c = &sched_ctxs[id];
	struct starpu_sched_policy *policy = how->policy;
	*c = (struct sched_ctx){.id = id,
	                        .policy = policy,
	                        .native = how->native,
	                        .is_users = policy && !sched_policy_is_ours(policy),
	                        .inheritor = STARPU_NMAX_SCHED_CTXS,
	                        .nested = -1};
	set_usual_priorities(c, how->prios);
	if (!id) {
		c->callback = rt_machine.conf.sched_policy_callback;
		priority_from_conf(rt_machine.conf.global_sched_ctx_min_priority, &c->min_prio, &c->min_set);
		priority_from_conf(rt_machine.conf.global_sched_ctx_max_priority, &c->max_prio, &c->max_set);
	}
	priority_from_environment("STARPU_MIN_PRIO", &c->min_prio, &c->min_set);
	priority_from_environment("STARPU_MAX_PRIO", &c->max_prio, &c->max_set);
	check_priorities(c, how->prios);
	c->name = strdup(name ? name : "");
	if (!c->name)
		return -ENOMEM;
	c->used = true;
	if (!starpu_sched_ctx_create_worker_collection(id, usual_type(c))) {
		free(c->name);
		c->used = false;
		return -ENOMEM;
	}
	starpu_task_list_init(&c->held);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->done_cond, NULL);
	list_again(c);
	return 0;
}

void sched_ctx_unmake(struct sched_ctx *c)
{
	int left[STARPU_NMAXWORKERS];
	unsigned n = sched_members(c)->n;
	memcpy(left, sched_members(c)->id, n * sizeof *left);
	if (n)
		sched_ctx_remove(c, left, n);
	if (c->policy && c->policy->deinit_sched && !c->native)
		c->policy->deinit_sched(c->id);
	starpu_sched_ctx_delete_worker_collection(c->id);
	for (struct sched_members *m = sched_members(c), *older; m; m = older) {
		older = m->older;
		free(m);
	}
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->done_cond);
	free(c->name);
	c->used = false;
}

static void push_held(struct sched_ctx *c)
{
	struct starpu_task_list held;
	starpu_task_list_init(&held);
	pthread_mutex_lock(&c->lock);
	starpu_task_list_move(&held, &c->held);
	pthread_mutex_unlock(&c->lock);
	while (!starpu_task_list_empty(&held))
		sched_push_again(starpu_task_list_pop_front(&held));
}

static void check_worker(const struct sched_ctx *c, int worker)
{
	STARPU_ASSERT_MSG(worker >= 0 && (unsigned)worker < rt_machine.n_workers,
	                  "scheduling context '%s': there is no worker %d, but %u from 0 on", c->name, worker,
	                  rt_machine.n_workers);
}

void sched_ctx_add(struct sched_ctx *c, const int *workers, unsigned n)
{
	struct starpu_worker_collection *all = ctx_collection(c);
	int added[STARPU_NMAXWORKERS];
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++) {
		check_worker(c, workers[i]);
		if (all->present[workers[i]])
			continue;
		all->add(all, workers[i]);
		__atomic_fetch_or(&sched_workers[workers[i]].member_of.v, UINT32_C(1) << c->id, __ATOMIC_ACQ_REL);
		added[k++] = workers[i];
	}
	list_again(c);
	if (k && c->policy && c->policy->add_workers && !c->native)
		c->policy->add_workers(c->id, added, k);
	for (unsigned i = 0; i < k; i++)
		__atomic_fetch_or(&sched_workers[added[i]].ctxs.v, UINT32_C(1) << c->id, __ATOMIC_ACQ_REL);
	for (unsigned i = 0; i < k && rt_machine.core && rt_policy(); i++)
		sched_wake((unsigned)added[i]);
	if (k)
		push_held(c);
}

/* The worker has left the policy, and will not come back: its bit is cleared. */
static void until_not_asking(const struct sched_ctx *c, int worker)
{
	weft_fence_seq_cst(); /* partner: pop_from */
	while (worker != starpu_worker_get_id() && weft_load_u32(&sched_workers[worker].asking) == c->id + 1)
		sched_yield();
}

void sched_ctx_remove(struct sched_ctx *c, const int *workers, unsigned n)
{
	struct starpu_worker_collection *all = ctx_collection(c);
	int removed[STARPU_NMAXWORKERS];
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++) {
		check_worker(c, workers[i]);
		if (!all->present[workers[i]])
			continue;
		__atomic_fetch_and(&sched_workers[workers[i]].ctxs.v, ~(UINT32_C(1) << c->id), __ATOMIC_ACQ_REL);
		until_not_asking(c, workers[i]);
		all->remove(all, workers[i]);
		__atomic_fetch_and(&sched_workers[workers[i]].member_of.v, ~(UINT32_C(1) << c->id), __ATOMIC_ACQ_REL);
		removed[k++] = workers[i];
	}
	list_again(c);
	if (k && c->policy && c->policy->remove_workers && !c->native)
		c->policy->remove_workers(c->id, removed, k);
}

/* -- counting -- */

static void ctx_submitted(unsigned ctx)
{
	weft_add_u64(&sched_ctxs[ctx].submitted, 1);
}

static void ctx_done(unsigned ctx)
{
	struct sched_ctx *c = &sched_ctxs[ctx];
	if (!ctx) /* the core counts those */
		return;
	pthread_mutex_lock(&c->lock);
	weft_add_u64(&c->done, 1);
	rt_cond_broadcast(&c->done_cond);
	pthread_mutex_unlock(&c->lock);
}

/* Of context 0, until there are so few in all: its tasks are not counted apart. */
int sched_ctx_wait(unsigned ctx, unsigned few)
{
	struct sched_ctx *c = sched_ctx(ctx);
	if (!c)
		return -EINVAL;
	starpu_do_schedule();
	if (!ctx) {
		rt_wait_few(rt_machine.core, few);
		return 0;
	}
	pthread_mutex_lock(&c->lock);
	while (weft_load_u64(&c->submitted) - weft_load_u64(&c->done) > few)
		rt_cond_wait(&c->done_cond, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return 0;
}

static void keep_workers(unsigned ctx, struct rt_mask *m)
{
	const struct sched_ctx *c = sched_ctx(ctx);
	/* No worker yet: one that can run it may be added. */
	if (c && !sched_members(c)->n)
		return;
	for (unsigned i = 0; c && i < rt_machine.n_workers; i++)
		if (!(weft_load_u32(&sched_workers[i].member_of) >> ctx & 1))
			m->word[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static bool is_there(unsigned ctx)
{
	return sched_ctx(ctx) != NULL;
}

static const struct rt_ctx_ops ctx_ops = {is_there, sched_ctx_now, keep_workers, ctx_submitted, ctx_done, sched_ctx_wait};

void sched_ctx_ready(struct sched_ctx *c, const struct starpu_task *t, int how_many)
{
	weft_add_i32(&c->ready, how_many);
	if (t->flops == 0)
		return;
	pthread_mutex_lock(&c->lock);
	c->ready_flops += how_many * t->flops;
	pthread_mutex_unlock(&c->lock);
}

unsigned sched_ctx_now(void)
{
	if (sched_ctx(thread_ctx))
		return thread_ctx;
	struct starpu_task *t = rt_policy() ? starpu_task_get_current() : NULL;
	return t && sched_ctx(t->sched_ctx) ? t->sched_ctx : 0;
}

/* -- creating, with arguments by name -- */

struct wanted {
	const char *policy_name;
	struct starpu_sched_policy *policy;
	bool has_policy, min_set, max_set, awake, sub_ctxs;
	int min, max, level, nested;
	void (*callback)(unsigned);
	void *user_data;
};

static void read_wanted(struct wanted *w, va_list args)
{
	for (int what = va_arg(args, int); what; what = va_arg(args, int)) {
		switch (what) {
		case STARPU_SCHED_CTX_POLICY_NAME:
			w->policy_name = va_arg(args, const char *);
			w->has_policy = true;
			break;
		case STARPU_SCHED_CTX_POLICY_STRUCT:
			w->policy = va_arg(args, struct starpu_sched_policy *);
			w->has_policy = true;
			break;
		case STARPU_SCHED_CTX_POLICY_MIN_PRIO:
			w->min = va_arg(args, int);
			w->min_set = true;
			break;
		case STARPU_SCHED_CTX_POLICY_MAX_PRIO:
			w->max = va_arg(args, int);
			w->max_set = true;
			break;
		case STARPU_SCHED_CTX_HIERARCHY_LEVEL:
			w->level = va_arg(args, int);
			break;
		case STARPU_SCHED_CTX_NESTED:
			w->nested = va_arg(args, int);
			break;
		case STARPU_SCHED_CTX_AWAKE_WORKERS:
			w->awake = true;
			break;
		case STARPU_SCHED_CTX_POLICY_INIT:
			w->callback = va_arg(args, void (*)(unsigned));
			break;
		case STARPU_SCHED_CTX_USER_DATA:
			w->user_data = va_arg(args, void *);
			break;
		case STARPU_SCHED_CTX_CUDA_NSMS:
			(void)va_arg(args, int);
			break;
		case STARPU_SCHED_CTX_SUB_CTXS:
			(void)va_arg(args, int *);
			(void)va_arg(args, int);
			break;
		default:
			STARPU_ABORT_MSG("starpu_sched_ctx_create: %d is no argument of a scheduling context", what);
		}
	}
}

/*
 * The policy that a context works with, from a name or a struct; native ones have a second
 * implementation, by tasks. Without a name, it is the user's choice.
 */
static struct starpu_sched_policy *policy_wanted(const struct wanted *w)
{
	const char *name = w->policy_name && *w->policy_name ? w->policy_name : starpu_getenv("STARPU_SCHED");
	if (w->policy)
		return w->policy;
	struct starpu_sched_policy *of_lib = sched_lib_policy(name);
	return of_lib ? of_lib : sched_policy_or_usual(name)->policy;
}

void sched_take_over(void)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	struct sched_ctx *c = &sched_ctxs[0];
	pthread_mutex_lock(&one);
	if (c->native) {
		c->native = false;
		if (c->policy->init_sched)
			c->policy->init_sched(0);
		if (c->policy->add_workers)
			c->policy->add_workers(0, sched_members(c)->id, sched_members(c)->n);
		sched_go_hooked();
	}
	pthread_mutex_unlock(&one);
}

static int free_id(void)
{
	for (int i = 1; i < STARPU_NMAX_SCHED_CTXS; i++)
		if (!sched_ctxs[i].used)
			return i;
	return -1;
}

void sched_ctx_begin(struct sched_ctx *c)
{
	pthread_mutex_lock(&table);
	c->made = true;
	pthread_mutex_unlock(&table);
}

/* The policy of a context, with a reference until let_go; NULL: it has none that takes tasks. */
static struct starpu_sched_policy *hold_policy(unsigned id)
{
	pthread_mutex_lock(&table);
	struct sched_ctx *c = sched_ctx(id);
	struct starpu_sched_policy *p = c && c->made && !c->native ? c->policy : NULL;
	if (p)
		c->held_by++;
	pthread_mutex_unlock(&table);
	return p;
}

static void let_go(unsigned id)
{
	pthread_mutex_lock(&table);
	sched_ctxs[id].held_by--;
	pthread_mutex_unlock(&table);
}

void starpu_do_schedule(void)
{
	for (unsigned i = 0; i < STARPU_NMAX_SCHED_CTXS; i++) {
		struct starpu_sched_policy *p = hold_policy(i);
		if (p && p->do_schedule)
			p->do_schedule(i);
		if (p)
			let_go(i);
	}
}

void starpu_reset_scheduler(void)
{
	for (unsigned i = 0; i < STARPU_NMAX_SCHED_CTXS; i++) {
		struct starpu_sched_policy *p = hold_policy(i);
		if (p && p->reset_scheduler)
			p->reset_scheduler(i);
		if (p)
			let_go(i);
	}
}

/* From now on its policy gets no calls but for tasks. */
static void until_not_held(struct sched_ctx *c)
{
	pthread_mutex_lock(&table);
	c->made = false;
	while (c->held_by) {
		pthread_mutex_unlock(&table);
		sched_yield();
		pthread_mutex_lock(&table);
	}
	pthread_mutex_unlock(&table);
}

static unsigned ctx_create(const int *workerids, int nworkers, const char *name, const struct wanted *w)
{
	int all[STARPU_NMAXWORKERS];
	struct starpu_sched_policy *policy = w->has_policy ? policy_wanted(w) : NULL;
	pthread_mutex_lock(&table);
	__atomic_store_n(&rt_machine.ctx, &ctx_ops, __ATOMIC_RELEASE);
	sched_take_over();
	int id = free_id();
	STARPU_ASSERT_MSG(id >= 0, "there are %d scheduling contexts already", STARPU_NMAX_SCHED_CTXS);
	int rc = sched_ctx_make((unsigned)id, name, &(struct sched_policy){policy, false, RT_PRIO_NONE});
	pthread_mutex_unlock(&table);
	STARPU_ASSERT_MSG(!rc, "no memory for a scheduling context");
	struct sched_ctx *c = &sched_ctxs[id];
	c->user_data = w->user_data;
	c->awake_workers = w->awake;
	c->nested = w->nested;
	c->level = w->level >= 0 ? (unsigned)w->level : w->nested >= 0 ? sched_ctxs[w->nested].level + 1 : 0;
	c->inheritor = w->nested >= 0 ? (unsigned)w->nested : STARPU_NMAX_SCHED_CTXS;
	if (w->min_set)
		c->min_prio = w->min;
	if (w->max_set)
		c->max_prio = w->max;
	c->min_set |= w->min_set;
	c->max_set |= w->max_set;
	c->callback = w->callback;
	if (policy && policy->init_sched)
		policy->init_sched((unsigned)id);
	if (nworkers < 0) {
		for (unsigned i = 0; i < rt_machine.n_workers; i++)
			all[i] = (int)i;
		workerids = all;
		nworkers = (int)rt_machine.n_workers;
	}
	sched_ctx_add(c, workerids, (unsigned)nworkers);
	c->primary = sched_members(c)->n ? (unsigned)sched_members(c)->id[0] : 0;
	sched_ctx_begin(c);
	return (unsigned)id;
}

unsigned starpu_sched_ctx_create(int *workerids_ctx, int nworkers_ctx, const char *sched_ctx_name, ...)
{
	struct wanted w = {.level = -1, .nested = -1};
	va_list args;
	va_start(args, sched_ctx_name);
	read_wanted(&w, args);
	va_end(args);
	return ctx_create(workerids_ctx, nworkers_ctx, sched_ctx_name, &w);
}

unsigned starpu_sched_ctx_create_inside_interval(const char *policy_name, const char *sched_ctx_name, int min_ncpus,
                                                 int max_ncpus, int min_ngpus, int max_ngpus, unsigned allow_overlap)
{
	int ids[STARPU_NMAXWORKERS], n_cpus = 0, n_others = 0, n = 0;
	struct wanted w = {.policy_name = policy_name, .has_policy = true, .level = -1, .nested = -1};
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		bool cpu = starpu_worker_get_type((int)i) == STARPU_CPU_WORKER;
		bool alone = !(weft_load_u32(&sched_workers[i].ctxs) & ~UINT32_C(1));
		int *count = cpu ? &n_cpus : &n_others;
		if ((alone || allow_overlap) && *count < (cpu ? max_ncpus : max_ngpus)) {
			ids[n++] = (int)i;
			++*count;
		}
	}
	STARPU_ASSERT_MSG(n_cpus >= min_ncpus && n_others >= min_ngpus,
	                  "there are not enough workers for the scheduling context '%s'", sched_ctx_name ? sched_ctx_name : "");
	return ctx_create(ids, n, sched_ctx_name, &w);
}

/* -- changing and ending -- */

void starpu_sched_ctx_register_close_callback(unsigned sched_ctx_id, void (*close_callback)(unsigned, void *), void *args)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	if (!c)
		return;
	c->close = close_callback;
	c->close_arg = args;
}

void starpu_sched_ctx_add_workers(int *workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	STARPU_ASSERT_MSG(c, "there is no scheduling context %u", sched_ctx_id);
	sched_ctx_add(c, workerids_ctx, nworkers_ctx);
}

void starpu_sched_ctx_remove_workers(int *workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	STARPU_ASSERT_MSG(c, "there is no scheduling context %u", sched_ctx_id);
	sched_ctx_remove(c, workerids_ctx, nworkers_ctx);
}

/* Waits for its tasks; its workers go to the inheritor. */
void starpu_sched_ctx_delete(unsigned sched_ctx_id)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	STARPU_ASSERT_MSG(c && sched_ctx_id, "there is no scheduling context %u to delete", sched_ctx_id);
	STARPU_ASSERT_MSG(!sched_ctx_wait(sched_ctx_id, 0), "a scheduling context that is deleted twice");
	struct sched_ctx *heir = sched_ctx(c->inheritor);
	if (heir)
		sched_ctx_add(heir, sched_members(c)->id, sched_members(c)->n);
	if (c->close)
		c->close(sched_ctx_id, c->close_arg);
	until_not_held(c);
	pthread_mutex_lock(&table);
	sched_ctx_unmake(c);
	pthread_mutex_unlock(&table);
}

/*
 * No more tasks will be submitted to it: its workers are released when the last of them is done, at
 * the latest when it is deleted.
 */
void starpu_sched_ctx_finished_submit(unsigned sched_ctx_id)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id), *heir = c ? sched_ctx(c->inheritor) : NULL;
	if (!c)
		return;
	c->closing = true;
	if (heir)
		sched_ctx_add(heir, sched_members(c)->id, sched_members(c)->n);
}

void starpu_sched_ctx_stop_task_submission(void)
{
	starpu_sched_ctx_finished_submit(sched_ctx_now());
}

void starpu_sched_ctx_set_inheritor(unsigned sched_ctx_id, unsigned inheritor)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	STARPU_ASSERT_MSG(c && inheritor < STARPU_NMAX_SCHED_CTXS, "there is no scheduling context %u",
	                  c ? inheritor : sched_ctx_id);
	c->inheritor = inheritor;
}

void starpu_sched_ctx_set_context(unsigned *sched_ctx_id)
{
	thread_ctx = sched_ctx_id ? *sched_ctx_id : STARPU_NMAX_SCHED_CTXS;
}

unsigned starpu_sched_ctx_get_context(void)
{
	return thread_ctx;
}
