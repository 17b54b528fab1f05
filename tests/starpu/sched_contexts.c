/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling contexts: tasks stay on their workers, waiting for one context, changing workers, policies of one's own, ending. */
#include "starpu_check.h"
#include <pthread.h>
#include <stdint.h>

enum { TASKS = 200 };
static int on_worker[STARPU_NMAXWORKERS], total;

static void note(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_add_fetch(&on_worker[starpu_worker_get_id_check()], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet notes = {.cpu_funcs = {note}};

static void reset(void)
{
	memset(on_worker, 0, sizeof on_worker);
	total = 0;
}

static void submit(unsigned ctx, int n)
{
	for (int i = 0; i < n; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &notes;
		CHECK(starpu_task_submit_to_ctx(t, ctx) == 0);
	}
}

static int closed;
static void at_close(unsigned ctx, void *arg)
{
	(void)ctx;
	closed += *(int *)arg;
}

static void one_worker_each(void)
{
	int first[] = {0}, second[] = {1}, three = 3;
	unsigned a = starpu_sched_ctx_create(first, 1, "a", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	unsigned b = starpu_sched_ctx_create(second, 1, "b", STARPU_SCHED_CTX_POLICY_NAME, "prio",
	                                     STARPU_SCHED_CTX_POLICY_MIN_PRIO, -4, STARPU_SCHED_CTX_POLICY_MAX_PRIO, 9,
	                                     STARPU_SCHED_CTX_USER_DATA, &three, 0);
	CHECK(a != b && a && b);
	CHECK(starpu_sched_ctx_get_nworkers(a) == 1 && starpu_sched_ctx_contains_worker(0, a) &&
	      !starpu_sched_ctx_contains_worker(1, a));
	CHECK(starpu_sched_ctx_get_min_priority(b) == -4 && starpu_sched_ctx_get_max_priority(b) == 9);
	CHECK(starpu_sched_ctx_get_user_data(b) == &three);
	CHECK(starpu_sched_ctx_overlapping_ctxs_on_worker(0) == 1);
	reset();
	submit(a, TASKS);
	CHECK(starpu_task_wait_for_all_in_ctx(a) == 0);
	CHECK(on_worker[0] == TASKS && on_worker[1] == 0);
	submit(b, TASKS);
	submit(0, TASKS);
	CHECK(starpu_task_wait_for_all() == 0);
	CHECK(total == 3 * TASKS && on_worker[1] >= TASKS);
	/* the thread's context */
	reset();
	starpu_sched_ctx_set_context(&b);
	CHECK(starpu_sched_ctx_get_context() == b);
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&notes, 0) == 0);
	CHECK(starpu_task_wait_for_all() == 0);
	CHECK(on_worker[1] == TASKS && on_worker[0] == 0);
	unsigned none = STARPU_NMAX_SCHED_CTXS;
	starpu_sched_ctx_set_context(&none);
	/* a worker more */
	reset();
	starpu_sched_ctx_add_workers(first, 1, b);
	CHECK(starpu_sched_ctx_get_nworkers(b) == 2 && starpu_sched_ctx_get_nshared_workers(a, b) == 1);
	starpu_sched_ctx_remove_workers(second, 1, b);
	submit(b, TASKS);
	CHECK(starpu_task_wait_for_all_in_ctx(b) == 0);
	CHECK(on_worker[0] == TASKS && on_worker[1] == 0);
	starpu_sched_ctx_register_close_callback(a, at_close, &three);
	starpu_sched_ctx_set_inheritor(a, b);
	starpu_sched_ctx_finished_submit(a);
	starpu_sched_ctx_delete(a);
	CHECK(closed == 3);
	starpu_sched_ctx_delete(b);
	reset();
	starpu_sched_ctx_stop_task_submission(); /* for those without a context, until this one has time: what is submitted now runs */
	submit(0, TASKS);
	starpu_task_wait_for_all();
	CHECK(total == TASKS);
}

static void insert_into(void)
{
	int second[] = {1};
	unsigned c = starpu_sched_ctx_create(second, 1, "c", STARPU_SCHED_CTX_POLICY_NAME, "dmda", 0);
	reset();
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&notes, STARPU_SCHED_CTX, c, 0) == 0);
	CHECK(starpu_task_wait_for_all_in_ctx(c) == 0);
	CHECK(on_worker[1] == TASKS);
	starpu_sched_ctx_delete(c);
}

static void without_workers(void)
{
	static const char *const policies[] = {"eager", "dmda", "modular-eager", "lws"};
	int both[] = {0, 1};
	for (unsigned i = 0; i < 4; i++) {
		unsigned c = starpu_sched_ctx_create(NULL, 0, "empty", STARPU_SCHED_CTX_POLICY_NAME, policies[i], 0);
		CHECK(starpu_sched_ctx_get_nworkers(c) == 0);
		reset();
		submit(c, TASKS);
		starpu_sleep(0.002F);
		CHECK(total == 0 && starpu_sched_ctx_get_nready_tasks(c) == TASKS);
		starpu_sched_ctx_add_workers(both, 2, c);
		CHECK(starpu_task_wait_for_all_in_ctx(c) == 0);
		CHECK(total == TASKS && starpu_sched_ctx_get_nready_tasks(c) == 0);
		starpu_sched_ctx_delete(c);
	}
}

/* Three threads that submit, one to context 0 from before there are others. */
static void *submits(void *ctx)
{
	unsigned c = *(unsigned *)ctx;
	if (c)
		starpu_sched_ctx_set_context(&c);
	for (int i = 0; i < 5 * TASKS; i++) {
		CHECK(starpu_task_insert(&notes, STARPU_PRIORITY, i % 4, 0) == 0);
		submit(c, 1);
		if (i % TASKS == 0)
			starpu_task_wait_for_all();
	}
	CHECK(starpu_task_wait_for_all() == 0);
	return NULL;
}

static void several_threads(void)
{
	pthread_t thread[3];
	int first[] = {0}, second[] = {1};
	unsigned ctx[3] = {0};
	reset();
	CHECK(pthread_create(&thread[0], NULL, submits, &ctx[0]) == 0);
	ctx[1] = starpu_sched_ctx_create(first, 1, "first", STARPU_SCHED_CTX_POLICY_NAME, "prio", 0);
	ctx[2] = starpu_sched_ctx_create(second, 1, "second", STARPU_SCHED_CTX_POLICY_NAME, "modular-eager", 0);
	CHECK(pthread_create(&thread[1], NULL, submits, &ctx[1]) == 0);
	CHECK(pthread_create(&thread[2], NULL, submits, &ctx[2]) == 0);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	CHECK(total == 3 * 10 * TASKS);
	starpu_sched_ctx_delete(ctx[1]);
	starpu_sched_ctx_delete(ctx[2]);
}

/* While a context without a policy runs a task, its other workers do nothing; woken ones may. */
static int in_parallel, meanwhile, parallel_runs;
static void alone(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	CHECK(starpu_worker_get_id() == 0 && starpu_worker_is_blocked_in_parallel(1));
	__atomic_store_n(&in_parallel, 1, __ATOMIC_SEQ_CST);
	starpu_sleep(0.002F);
	__atomic_store_n(&in_parallel, 0, __ATOMIC_SEQ_CST);
	parallel_runs++;
}
static void looks(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	if (starpu_worker_get_id() == 1 && __atomic_load_n(&in_parallel, __ATOMIC_SEQ_CST))
		__atomic_add_fetch(&meanwhile, 1, __ATOMIC_RELAXED);
}
static void waits_for_other(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	while (!__atomic_load_n(&total, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
}
static struct starpu_codelet alone_cl = {.cpu_funcs = {alone}}, looks_cl = {.cpu_funcs = {looks}},
			     waits_cl = {.cpu_funcs = {waits_for_other}};

static void without_policy(void)
{
	int both[] = {0, 1};
	unsigned c = starpu_sched_ctx_create(both, 2, "parallel", STARPU_SCHED_CTX_NESTED, 0, 0);
	CHECK(!starpu_sched_ctx_has_starpu_scheduler(c, NULL) && starpu_worker_is_sub_worker_somewhere(1));
	CHECK(!starpu_worker_is_blocked_in_parallel(1));
	parallel_runs = 0;
	for (int i = 0; i < 20; i++) {
		CHECK(starpu_task_insert(&alone_cl, STARPU_SCHED_CTX, c, 0) == 0);
		for (int k = 0; k < 10; k++)
			CHECK(starpu_task_insert(&looks_cl, 0) == 0);
	}
	starpu_task_wait_for_all();
	CHECK(parallel_runs == 20 && meanwhile == 0);
	starpu_sched_ctx_delete(c);
	/* A task of its first worker waits for one that only the second can run. */
	c = starpu_sched_ctx_create(both, 2, "awake", STARPU_SCHED_CTX_AWAKE_WORKERS, 0);
	reset();
	CHECK(starpu_task_insert(&waits_cl, STARPU_SCHED_CTX, c, 0) == 0);
	CHECK(starpu_task_insert(&notes, STARPU_EXECUTE_ON_WORKER, 1, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(total == 1 && on_worker[1] == 1);
	starpu_sched_ctx_delete(c);
}

/* One thread waits for all tasks, and so asks all policies to schedule; another makes and deletes contexts of components. */
static int stop;
static void *waits_for_all(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		CHECK(starpu_task_insert(&notes, 0) == 0);
		CHECK(starpu_task_wait_for_all() == 0);
		starpu_reset_scheduler();
	}
	return NULL;
}

static void comes_and_goes(void)
{
	static const char *const policies[] = {"modular-eager", "modular-heft", "graph_test", "modular-ws"};
	int both[] = {0, 1};
	pthread_t thread;
	__atomic_store_n(&stop, 0, __ATOMIC_RELEASE);
	CHECK(pthread_create(&thread, NULL, waits_for_all, NULL) == 0);
	for (int i = 0; i < 60; i++) {
		unsigned c = starpu_sched_ctx_create(both, 2, "short", STARPU_SCHED_CTX_POLICY_NAME, policies[i % 4], 0);
		submit(c, 5);
		starpu_sched_ctx_delete(c);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

/* Tasks wait in a context while all its workers leave and others come, before or after that: these do what is left. */
static int may_go;
static void wait_to_go(void *buffers[], void *arg)
{
	WAIT_FOR(LOOK(may_go));
	note(buffers, arg);
}
static struct starpu_codelet waits_to_go = {.cpu_funcs = {wait_to_go}};

static void workers_change(void)
{
	struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
	int old[] = {0}, new[] = {1};
	for (unsigned i = 0; policy[i / 2]; i++) {
		unsigned c = starpu_sched_ctx_create(old, 1, "changes", STARPU_SCHED_CTX_POLICY_STRUCT, policy[i / 2], 0);
		reset();
		__atomic_store_n(&may_go, 0, __ATOMIC_RELEASE);
		CHECK(starpu_task_insert(&waits_to_go, STARPU_SCHED_CTX, c, 0) == 0);
		submit(c, TASKS);
		if (i % 2)
			starpu_sched_ctx_add_workers(new, 1, c);
		starpu_sched_ctx_remove_workers(old, 1, c);
		if (i % 2 == 0)
			starpu_sched_ctx_add_workers(new, 1, c);
		submit(c, TASKS);
		__atomic_store_n(&may_go, 1, __ATOMIC_RELEASE);
		CHECK(starpu_task_wait_for_all_in_ctx(c) == 0);
		CHECK(total == 2 * TASKS + 1 && on_worker[1] >= TASKS);
		starpu_sched_ctx_delete(c);
	}
}

static void by_name(void)
{
	int first[] = {0};
	setenv("STARPU_SCHED", "prio", 1);
	unsigned usual = starpu_sched_ctx_create(first, 1, "usual", STARPU_SCHED_CTX_POLICY_NAME, "", 0);
	CHECK(!strcmp(starpu_sched_get_sched_policy_in_ctx(usual)->policy_name, "prio"));
	unsetenv("STARPU_SCHED");
	unsigned unknown = starpu_sched_ctx_create(first, 1, "unknown", STARPU_SCHED_CTX_POLICY_NAME, "no-such", 0);
	CHECK(!strcmp(starpu_sched_get_sched_policy_in_ctx(unknown)->policy_name, "lws"));
	starpu_sched_ctx_delete(unknown);
	starpu_sched_ctx_delete(usual);
}

static void nested(void)
{
	int both[] = {0, 1}, first[] = {0};
	unsigned outer = starpu_sched_ctx_create(both, 2, "outer", STARPU_SCHED_CTX_POLICY_NAME, "lws", 0);
	unsigned inner = starpu_sched_ctx_create(first, 1, "inner", STARPU_SCHED_CTX_POLICY_NAME, "modular-eager",
	                                         STARPU_SCHED_CTX_NESTED, (int)outer, 0);
	CHECK(starpu_sched_ctx_get_hierarchy_level(inner) == starpu_sched_ctx_get_hierarchy_level(outer) + 1);
	CHECK(starpu_sched_ctx_get_inheritor(inner) == outer);
	reset();
	submit(outer, TASKS);
	submit(inner, TASKS);
	starpu_task_wait_for_all_in_ctx(inner);
	CHECK(LOOK(on_worker[0]) >= TASKS);
	starpu_sched_ctx_delete(inner);
	starpu_sched_ctx_delete(outer);
	CHECK(total == 2 * TASKS);
}

/* -- a policy of one's own: a list and a lock -- */

struct own {
	struct starpu_task_list list;
	starpu_pthread_mutex_t lock;
	int submitted, before, after, workers;
};
static struct own *last;

static void own_init(unsigned ctx)
{
	struct own *o = calloc(1, sizeof *o);
	starpu_task_list_init(&o->list);
	STARPU_PTHREAD_MUTEX_INIT(&o->lock, NULL);
	starpu_sched_ctx_set_policy_data(ctx, o);
	last = o;
}
static void own_deinit(unsigned ctx)
{
	struct own *o = starpu_sched_ctx_get_policy_data(ctx);
	CHECK(starpu_task_list_empty(&o->list));
	STARPU_PTHREAD_MUTEX_DESTROY(&o->lock);
}
static int own_push(struct starpu_task *t)
{
	struct own *o = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	struct starpu_worker_collection *workers = starpu_sched_ctx_get_worker_collection(t->sched_ctx);
	struct starpu_sched_ctx_iterator it;
	STARPU_PTHREAD_MUTEX_LOCK(&o->lock);
	starpu_task_list_push_front(&o->list, t);
	starpu_push_task_end(t);
	STARPU_PTHREAD_MUTEX_UNLOCK(&o->lock);
	workers->init_iterator(workers, &it);
	while (workers->has_next(workers, &it))
		starpu_wake_worker_relax_light(workers->get_next(workers, &it));
	return 0;
}
static struct starpu_task *own_pop(unsigned ctx)
{
	struct own *o = starpu_sched_ctx_get_policy_data(ctx);
	STARPU_PTHREAD_MUTEX_LOCK(&o->lock);
	struct starpu_task *t = starpu_task_list_pop_back(&o->list);
	STARPU_PTHREAD_MUTEX_UNLOCK(&o->lock);
	return t;
}
static void count(int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}
static void own_submit(struct starpu_task *t)
{
	count(&((struct own *)starpu_sched_ctx_get_policy_data(t->sched_ctx))->submitted);
}
static void own_before(struct starpu_task *t, unsigned ctx)
{
	CHECK(t->cl == &notes);
	count(&((struct own *)starpu_sched_ctx_get_policy_data(ctx))->before);
}
static void own_after(struct starpu_task *t, unsigned ctx)
{
	(void)t;
	count(&((struct own *)starpu_sched_ctx_get_policy_data(ctx))->after);
}
static void own_add(unsigned ctx, int *workers, unsigned n)
{
	(void)workers;
	((struct own *)starpu_sched_ctx_get_policy_data(ctx))->workers += (int)n;
}
static void own_remove(unsigned ctx, int *workers, unsigned n)
{
	(void)workers;
	((struct own *)starpu_sched_ctx_get_policy_data(ctx))->workers -= (int)n;
}
static struct starpu_sched_policy own = {
	.init_sched = own_init,
	.deinit_sched = own_deinit,
	.push_task = own_push,
	.pop_task = own_pop,
	.submit_hook = own_submit,
	.pre_exec_hook = own_before,
	.post_exec_hook = own_after,
	.add_workers = own_add,
	.remove_workers = own_remove,
	.policy_name = "own",
	.policy_description = "a list",
	.worker_type = STARPU_WORKER_TREE,
};

/* A policy that has no workers of its own left to do: it gives each second task to another context, the rest to a queue of its own. */
static unsigned other;
static int gives_away(struct starpu_task *t)
{
	static unsigned turn;
	unsigned from = t->sched_ctx;
	if (__atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED) % 2)
		return own_push(t);
	starpu_sched_ctx_move_task_to_ctx_locked(t, other, 1);
	CHECK(from != other);
	return 0;
}

static void tasks_change(void)
{
	int first[] = {0}, second[] = {1};
	struct starpu_sched_policy giving = own;
	giving.push_task = gives_away;
	giving.policy_name = "giving";
	other = starpu_sched_ctx_create(second, 1, "other", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	unsigned ctx = starpu_sched_ctx_create(first, 1, "gives", STARPU_SCHED_CTX_POLICY_STRUCT, &giving, 0);
	struct own *o = last;
	reset();
	submit(ctx, TASKS);
	CHECK(starpu_task_wait_for_all() == 0);
	CHECK(total == TASKS && on_worker[0] == TASKS / 2 && on_worker[1] == TASKS / 2);
	CHECK(o->submitted == TASKS && o->before == TASKS / 2 && o->after == TASKS / 2);
	for (unsigned i = 0; i < 2; i++) {
		unsigned c = i ? other : ctx;
		CHECK(starpu_task_wait_for_all_in_ctx(c) == 0);
		CHECK(starpu_sched_ctx_get_nready_tasks(c) == 0 && starpu_sched_ctx_get_nready_flops(c) == 0);
		starpu_sched_ctx_delete(c);
	}
	free(o);
}

static void policy_of_ones_own(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy = &own;
	if (starpu_init(&conf))
		cannot_begin();
	CHECK(starpu_sched_get_sched_policy() == &own && last->workers == 2);
	reset();
	submit(0, TASKS);
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&notes, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(total == 2 * TASKS);
	CHECK(last->submitted == 2 * TASKS && last->before == 2 * TASKS);
	struct own *o = last;
	starpu_shutdown();
	CHECK(o->after == 2 * TASKS && o->workers == 0);
	free(o);
}

int main(void)
{
	struct starpu_conf conf;
	unsetenv("STARPU_SCHED");
	setenv("STARPU_SILENT", "1", 1);
	for (int round = 0; round < 3; round++) {
		starpu_conf_init(&conf);
		conf.ncpus = 2;
		closed = 0;
		if (starpu_init(&conf))
			cannot_begin();
		if (starpu_cpu_worker_get_count() < 2)
			cannot_begin();
		several_threads();
		one_worker_each();
		insert_into();
		without_workers();
		nested();
		without_policy();
		by_name();
		comes_and_goes();
		tasks_change();
		workers_change();
		starpu_shutdown();
		policy_of_ones_own();
	}
	return checks_failed();
}
