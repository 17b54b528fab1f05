/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heteroprio: pushing, popping, and settings of programs. A push puts a task into its bucket (and
 * there, with locality, into the list of the memory node where it is placed) and wakes all workers;
 * a pop walks over the worker's order of buckets, and with locality over memory nodes within some
 * of them. heteroprio.h says what buckets and orders are.
 */
#include "heteroprio.h"
#include "runtime/perf/perf.h"
#include <stdlib.h>

/* Default: each kind polls all buckets, the highest priority first. */
static void usual_order(struct hp *h)
{
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++) {
		h->kind[kind].n = HP_BUCKETS;
		for (unsigned i = 0; i < HP_BUCKETS; i++)
			h->kind[kind].order[i] = HP_BUCKETS - 1 - i;
	}
}

/* STARPU_LAHETEROPRIO_S_CPU and its like: so many for each kind, or the usual number. */
static unsigned of_kind(const char *what, unsigned kind, unsigned usual)
{
	char name[64];
	snprintf(name, sizeof name, "STARPU_LAHETEROPRIO_%s_%s", what, starpu_worker_get_type_as_env_var(kind));
	int n = starpu_getenv_number_default(name, (int)usual);
	return n > 0 ? (unsigned)n : 1;
}

static void init(unsigned ctx)
{
	struct hp *h = calloc(1, sizeof *h);
	STARPU_ASSERT_MSG(h, "no memory for a scheduling policy");
	sched_short_lock(&h->lock);
	for (unsigned i = 0; i <= HP_BUCKETS; i++)
		for (unsigned node = 0; node < STARPU_MAXNODES; node++)
			starpu_task_list_init(&h->bucket[i].tasks[node]);
	usual_order(h);
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++) {
		h->kind[kind].near = of_kind("S", kind, 1);
		h->kind[kind].step = of_kind("PRIO_STEP", kind, HP_BUCKETS);
	}
	h->place = hp_place_new();
	h->local = starpu_getenv_number_default("STARPU_HETEROPRIO_USE_LA", 0) > 0;
	if (starpu_getenv_number_default("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", 1) > 0)
		h->by_itself = hp_auto_new();
	starpu_sched_ctx_set_policy_data(ctx, h);
	void (*callback)(unsigned) = starpu_sched_ctx_get_sched_policy_callback(ctx);
	if (callback)
		callback(ctx);
}

static void deinit(unsigned ctx)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	pthread_mutex_destroy(&h->lock);
	hp_auto_free(h->by_itself);
	free(h->place);
	free(h);
}

static void add_workers(unsigned ctx, int *workers, unsigned n)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < n; i++)
		h->kind[starpu_worker_get_type(workers[i])].workers++;
	pthread_mutex_unlock(&h->lock);
}

static void remove_workers(unsigned ctx, int *workers, unsigned n)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < n; i++)
		h->kind[starpu_worker_get_type(workers[i])].workers--;
	pthread_mutex_unlock(&h->lock);
}

/* Of a codelet's own bucket, the program's priorities are the order. */
static void put(struct starpu_task_list *l, struct starpu_task *t, bool by_priority)
{
	struct starpu_task *at = by_priority ? l->tail : NULL;
	while (at && at->priority < t->priority)
		at = at->prev;
	if (!by_priority || at == l->tail)
		starpu_task_list_push_back(l, t);
	else if (!at)
		starpu_task_list_push_front(l, t);
	else
		sched_list_insert_after(l, at, t);
}

static int push(struct starpu_task *t)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers);
	pthread_mutex_lock(&h->lock);
	unsigned b = h->by_itself                ? hp_auto_push(h, t)
	             : t->priority < 0           ? 0
	             : t->priority >= HP_BUCKETS ? HP_BUCKETS - 1
	                                         : (unsigned)t->priority;
	put(&h->bucket[b].tasks[h->local ? hp_place_choose(h->place, t) : 0], t, h->by_itself);
	h->bucket[b].n++;
	starpu_push_task_end(t);
	/* One more in the bucket may reach the slower kinds' threshold: all poll. */
	for (unsigned i = 0; i < n; i++)
		sched_wake((unsigned)workers[i]);
	pthread_mutex_unlock(&h->lock);
	return 0;
}

static bool is_worth_it(const struct hp *h, unsigned b, enum starpu_worker_archtype kind)
{
	if (!h->bucket[b].has_fastest || h->bucket[b].fastest == kind || !h->kind[h->bucket[b].fastest].workers)
		return true;
	float slower = h->bucket[b].slower[kind];
	return (float)h->bucket[b].n > (slower > 0 ? slower : 1) * (float)h->kind[h->bucket[b].fastest].workers;
}

static struct starpu_task *take_from(struct hp *h, unsigned b, unsigned node, unsigned me)
{
	struct starpu_task *t = h->bucket[b].n ? sched_take_first(&h->bucket[b].tasks[node], me) : NULL;
	if (t)
		h->bucket[b].n--;
	return t;
}

/* From these memory nodes, some buckets of each at a time. */
static struct starpu_task *take_near(struct hp *h, unsigned me, const unsigned *node, unsigned n)
{
	enum starpu_worker_archtype kind = starpu_worker_get_type((int)me);
	const struct hp_kind *k = &h->kind[kind];
	struct starpu_task *t = NULL;
	for (unsigned i = 0; i < n && !t; i++)
		t = take_from(h, HP_ODD, node[i], me);
	for (unsigned from = 0; from < k->n && !t; from += k->step)
		for (unsigned i = 0; i < n && !t; i++)
			for (unsigned at = from; at < k->n && at < from + k->step && !t; at++)
				if (is_worth_it(h, k->order[at], kind))
					t = take_from(h, k->order[at], node[i], me);
	return t;
}

/* Memory nodes, this worker's own first, then as they are numbered around it. */
static unsigned nodes_around(unsigned me, unsigned *node)
{
	unsigned n = starpu_memory_nodes_get_count(), own = starpu_worker_get_memory_node(me);
	for (unsigned i = 0; i < n; i++)
		node[i] = (own + i) % n;
	return n;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check(), node[STARPU_MAXNODES] = {0}, n = 1, near = 1;
	pthread_mutex_lock(&h->lock);
	if (h->local) {
		n = nodes_around(me, node);
		near = h->kind[starpu_worker_get_type((int)me)].near;
		near = near < n ? near : n;
	}
	struct starpu_task *t = take_near(h, me, node, near);
	t = t ? t : take_near(h, me, node + near, n - near);
	if (t && h->local)
		hp_place_ran(h->place, t, me);
	pthread_mutex_unlock(&h->lock);
	if (t)
		starpu_sched_task_break(t);
	return t;
}

/* Times of tasks, for automatic orders. */
static _Thread_local double began_us;

static void before(struct starpu_task *t, unsigned ctx)
{
	(void)t, (void)ctx;
	began_us = starpu_timing_now();
}

static void after(struct starpu_task *t, unsigned ctx)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	double us = starpu_timing_now() - began_us;
	pthread_mutex_lock(&h->lock);
	if (h->by_itself)
		hp_auto_ran(h->by_itself, t, starpu_worker_get_type(starpu_worker_get_id()), us);
	pthread_mutex_unlock(&h->lock);
}

/* -- settings of programs, mostly in the callback at the begin -- */

static struct hp *of(unsigned ctx, enum starpu_worker_archtype kind, unsigned bucket)
{
	struct starpu_sched_policy *p = starpu_sched_ctx_get_sched_policy(ctx);
	STARPU_ASSERT_MSG(p == &policy_heteroprio, "the policy of scheduling context %u is not heteroprio", ctx);
	STARPU_ASSERT_MSG((unsigned)kind < STARPU_NARCH && bucket < HP_BUCKETS,
	                  "heteroprio knows %d buckets, and no kind of worker %d", HP_BUCKETS, (int)kind);
	return starpu_sched_ctx_get_policy_data(ctx);
}

/* Orders set by the program replace automatic ones. */
static void by_hand(struct hp *h)
{
	hp_auto_free(h->by_itself);
	h->by_itself = NULL;
}

void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned max_prio)
{
	struct hp *h = of(sched_ctx_id, arch, max_prio ? max_prio - 1 : 0);
	pthread_mutex_lock(&h->lock);
	by_hand(h);
	/* The first setting replaces all defaults: kinds that are not named poll no bucket. */
	for (unsigned kind = 0; kind < STARPU_NARCH && !h->n_kinds_set; kind++)
		h->kind[kind].n = 0;
	h->n_kinds_set++;
	h->kind[arch].n = max_prio;
	for (unsigned i = 0; i < max_prio; i++)
		h->kind[arch].order[i] = i;
	pthread_mutex_unlock(&h->lock);
}

void starpu_heteroprio_set_mapping(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned source_prio,
                                   unsigned dest_bucket_id)
{
	struct hp *h = of(sched_ctx_id, arch, dest_bucket_id);
	STARPU_ASSERT_MSG(source_prio < h->kind[arch].n,
	                  "heteroprio: priority %u is beyond what starpu_heteroprio_set_nb_prios said", source_prio);
	pthread_mutex_lock(&h->lock);
	h->kind[arch].order[source_prio] = dest_bucket_id;
	pthread_mutex_unlock(&h->lock);
}

void starpu_heteroprio_set_faster_arch(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned bucket_id)
{
	struct hp *h = of(sched_ctx_id, arch, bucket_id);
	pthread_mutex_lock(&h->lock);
	h->bucket[bucket_id].has_fastest = true;
	h->bucket[bucket_id].fastest = arch;
	pthread_mutex_unlock(&h->lock);
}

void starpu_heteroprio_set_arch_slow_factor(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned bucket_id,
                                            float slow_factor)
{
	struct hp *h = of(sched_ctx_id, arch, bucket_id);
	pthread_mutex_lock(&h->lock);
	h->bucket[bucket_id].slower[arch] = slow_factor;
	pthread_mutex_unlock(&h->lock);
}

/* Before the first task: tasks in a node's list stay there. */
void starpu_heteroprio_set_use_locality(unsigned sched_ctx_id, unsigned use_locality)
{
	struct hp *h = of(sched_ctx_id, STARPU_CPU_WORKER, 0);
	pthread_mutex_lock(&h->lock);
	h->local = use_locality != 0;
	pthread_mutex_unlock(&h->lock);
}

/* Groups are the workers of a memory node, always. */
void starpu_heteroprio_map_wgroup_memory_nodes(unsigned sched_ctx_id)
{
	(void)of(sched_ctx_id, STARPU_CPU_WORKER, 0);
}

void starpu_heteroprio_print_wgroups(FILE *stream, unsigned sched_ctx_id)
{
	(void)of(sched_ctx_id, STARPU_CPU_WORKER, 0);
	for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
		fprintf(stream, "group %u:", node);
		for (unsigned i = 0; i < starpu_worker_get_count(); i++)
			if (starpu_worker_get_memory_node(i) == node)
				fprintf(stream, " %u", i);
		fprintf(stream, "\n");
	}
}

struct starpu_sched_policy policy_heteroprio = {
	.init_sched = init,
	.deinit_sched = deinit,
	.push_task = push,
	.pop_task = pop,
	.add_workers = add_workers,
	.remove_workers = remove_workers,
	.pre_exec_hook = before,
	.post_exec_hook = after,
	.policy_name = "heteroprio",
	.policy_description = "buckets of tasks, each kind of worker with an order of its own",
	.worker_type = STARPU_WORKER_LIST,
};
