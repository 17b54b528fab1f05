/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heteroprio: tasks lie in buckets by their priority, and each kind of worker has an order of its own in which it looks at them.
 * A bucket may name the kind that is fastest at it: slower kinds take from it only when there is more in it than the fast ones
 * have at once, by the factor that they are slower.
 */
#include "policies.h"
#include <starpu_heteroprio.h>
#include <stdlib.h>

enum { BUCKETS = STARPU_HETEROPRIO_MAX_PRIO };

struct hp {
	pthread_mutex_t lock;
	struct {
		struct starpu_task_list tasks;
		unsigned n;
		bool has_fastest;
		enum starpu_worker_archtype fastest;
		float slower[STARPU_NARCH];
	} bucket[BUCKETS];
	struct {
		unsigned n, order[BUCKETS];
		unsigned workers;
	} kind[STARPU_NARCH];
	unsigned n_kinds_set;
};

const char starpu_autoheteroprio_priority_ordering_policy_names[28][64] = {
	"STARPU_HETEROPRIO_NOD_TIME_COMBINATION",
	"STARPU_HETEROPRIO_BEST_NODS_SCORE",
	"STARPU_HETEROPRIO_BEST_NODS",
	"STARPU_HETEROPRIO_URT_PURE",
	"STARPU_HETEROPRIO_URT",
	"STARPU_HETEROPRIO_URT_2",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_PURE",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_PURE_2",
	"STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE",
	"STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE_2",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_2",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_3",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_4",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_5",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_6",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_7",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_8",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_9",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_10",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_11",
	"STARPU_HETEROPRIO_URTS_PER_SECONDS",
	"STARPU_HETEROPRIO_URTS_PER_SECONDS_2",
	"STARPU_HETEROPRIO_URTS_PER_SECONDS_DIFF",
	"STARPU_HETEROPRIO_URTS_TIME_RELEASED_DIFF",
	"STARPU_HETEROPRIO_URTS_TIME_COMBINATION",
	"STARPU_HETEROPRIO_NODS_PER_SECOND",
	"STARPU_HETEROPRIO_NODS_TIME_RELEASED",
	"STARPU_HETEROPRIO_NODS_TIME_RELEASED_DIFF",
};

/* Until the program says otherwise: every kind looks at all buckets, the highest priority first. */
static void usual_order(struct hp *h)
{
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++) {
		h->kind[kind].n = BUCKETS;
		for (unsigned i = 0; i < BUCKETS; i++)
			h->kind[kind].order[i] = BUCKETS - 1 - i;
	}
}

static void init(unsigned ctx)
{
	struct hp *h = calloc(1, sizeof *h);
	STARPU_ASSERT_MSG(h, "no memory for a scheduling policy");
	pthread_mutex_init(&h->lock, NULL);
	for (unsigned i = 0; i < BUCKETS; i++)
		starpu_task_list_init(&h->bucket[i].tasks);
	usual_order(h);
	if (!starpu_sched_ctx_min_priority_is_set(ctx))
		starpu_sched_ctx_set_min_priority(ctx, 0);
	if (!starpu_sched_ctx_max_priority_is_set(ctx))
		starpu_sched_ctx_set_max_priority(ctx, BUCKETS - 1);
	starpu_sched_ctx_set_policy_data(ctx, h);
}

static void deinit(unsigned ctx)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	pthread_mutex_destroy(&h->lock);
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

static int push(struct starpu_task *t)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	unsigned b = t->priority < 0 ? 0 : t->priority >= BUCKETS ? BUCKETS - 1 : (unsigned)t->priority;
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers);
	pthread_mutex_lock(&h->lock);
	starpu_task_list_push_back(&h->bucket[b].tasks, t);
	h->bucket[b].n++;
	starpu_push_task_end(t);
	/* One more in the bucket may be what makes it worth the while of the slower: all look. */
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

static struct starpu_task *pop(unsigned ctx)
{
	struct hp *h = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check(), impl;
	enum starpu_worker_archtype kind = starpu_worker_get_type((int)me);
	struct starpu_task *t = NULL;
	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < h->kind[kind].n && !t; i++) {
		unsigned b = h->kind[kind].order[i];
		if (!h->bucket[b].n || !is_worth_it(h, b, kind))
			continue;
		for (t = starpu_task_list_front(&h->bucket[b].tasks);
		     t && !starpu_worker_can_execute_task_first_impl(me, t, &impl);)
			t = t->next;
		if (!t)
			continue;
		starpu_task_set_implementation(t, impl);
		starpu_task_list_erase(&h->bucket[b].tasks, t);
		h->bucket[b].n--;
	}
	pthread_mutex_unlock(&h->lock);
	if (t)
		starpu_sched_task_break(t);
	return t;
}

/* -- what programs set, mostly in the callback at the beginning -- */

static struct hp *of(unsigned ctx, enum starpu_worker_archtype kind, unsigned bucket)
{
	struct starpu_sched_policy *p = starpu_sched_ctx_get_sched_policy(ctx);
	STARPU_ASSERT_MSG(p == &policy_heteroprio, "the policy of scheduling context %u is not heteroprio", ctx);
	STARPU_ASSERT_MSG((unsigned)kind < STARPU_NARCH && bucket < BUCKETS,
	                  "heteroprio knows %d buckets, and no kind of worker %d", BUCKETS, (int)kind);
	return starpu_sched_ctx_get_policy_data(ctx);
}

void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned max_prio)
{
	struct hp *h = of(sched_ctx_id, arch, max_prio ? max_prio - 1 : 0);
	pthread_mutex_lock(&h->lock);
	/* The first who says anything says all: kinds that are not named look at nothing. */
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

/* Groups of workers by memory node matter where there are several; our buckets are common to all. */
void starpu_heteroprio_set_use_locality(unsigned sched_ctx_id, unsigned use_locality)
{
	(void)of(sched_ctx_id, STARPU_CPU_WORKER, 0);
	(void)use_locality;
}

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
	.policy_name = "heteroprio",
	.policy_description = "buckets of tasks, each kind of worker with an order of its own",
	.worker_type = STARPU_WORKER_LIST,
};
