/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of contexts by programs and policies, and their small settings: workers and their order,
 * data of programs and policies, priorities, counts, workers lent to code that is parallel by
 * itself. What a context is, and its way to workers, is sched_ctx.c's.
 */
#include "sched.h"
#include "sched_knobs.h"
#include "runtime/run/run.h"
#include "runtime/task/task.h"
#include <stdlib.h>
#include <string.h>

/*
 * The context of a thread that is in none: starpu_sched_ctx_get_context's answer may be queried
 * like any.
 */
static struct sched_members nobody;
static struct sched_ctx outside = {
	.id = STARPU_NMAX_SCHED_CTXS,
	.members = {&nobody},
	.inheritor = STARPU_NMAX_SCHED_CTXS,
	.nested = -1,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

void sched_outside_begin(void)
{
	outside.policy_data = outside.user_data = NULL;
}

/* A context that must be there. */
static struct sched_ctx *ctx_expected(unsigned id)
{
	struct sched_ctx *c = id == STARPU_NMAX_SCHED_CTXS ? &outside : sched_ctx(id);
	STARPU_ASSERT_MSG(c, "there is no scheduling context %u", id);
	return c;
}

/* -- workers -- */

unsigned starpu_sched_ctx_get_workers_list_raw(unsigned sched_ctx_id, int **workerids)
{
	struct sched_members *m = sched_members(ctx_expected(sched_ctx_id));
	*workerids = m->id;
	return m->n;
}

unsigned starpu_sched_ctx_get_workers_list(unsigned sched_ctx_id, int **workerids)
{
	int *raw;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(sched_ctx_id, &raw);
	*workerids = malloc((n ? n : 1) * sizeof **workerids);
	STARPU_ASSERT_MSG(*workerids, "no memory for a list of workers");
	memcpy(*workerids, raw, n * sizeof *raw);
	return n;
}

unsigned starpu_sched_ctx_get_nworkers(unsigned sched_ctx_id)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	return c ? sched_members(c)->n : 0;
}

unsigned starpu_sched_ctx_contains_worker(int workerid, unsigned sched_ctx_id)
{
	struct sched_ctx *c = sched_ctx(sched_ctx_id);
	return c && workerid >= 0 && (unsigned)workerid < rt_machine.n_workers &&
	       weft_load_u32(&sched_workers[workerid].member_of) >> sched_ctx_id & 1;
}

unsigned starpu_sched_ctx_get_nshared_workers(unsigned sched_ctx_id, unsigned sched_ctx_id2)
{
	unsigned n = 0;
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		n += starpu_sched_ctx_contains_worker((int)i, sched_ctx_id) &&
		     starpu_sched_ctx_contains_worker((int)i, sched_ctx_id2);
	return n;
}

unsigned starpu_sched_ctx_contains_type_of_worker(enum starpu_worker_archtype arch, unsigned sched_ctx_id)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (starpu_worker_get_type((int)i) == arch && starpu_sched_ctx_contains_worker((int)i, sched_ctx_id))
			return 1;
	return 0;
}

int starpu_sched_ctx_get_worker_rank(unsigned sched_ctx_id)
{
	const struct sched_members *m = sched_members(ctx_expected(sched_ctx_id));
	int me = starpu_worker_get_id();
	for (unsigned i = 0; i < m->n; i++)
		if (m->id[i] == me)
			return (int)i;
	return -1;
}

/* The rank among the workers of the context; their number when the thread is none of them. */
unsigned starpu_sched_ctx_worker_get_id(unsigned sched_ctx_id)
{
	int rank = starpu_sched_ctx_get_worker_rank(sched_ctx_id);
	return rank < 0 ? (unsigned)-1 : (unsigned)rank;
}

void starpu_sched_ctx_display_workers(unsigned sched_ctx_id, FILE *f)
{
	const struct sched_members *m = sched_members(ctx_expected(sched_ctx_id));
	fprintf(f, "[sched_ctx %u]: %u worker%s\n", sched_ctx_id, m->n, m->n > 1 ? "s" : "");
	for (unsigned i = 0; i < m->n; i++) {
		char name[256];
		starpu_worker_get_name(m->id[i], name, sizeof name);
		fprintf(f, "\t\t%s\n", name);
	}
}

unsigned starpu_sched_ctx_overlapping_ctxs_on_worker(int workerid)
{
	return workerid >= 0 && __builtin_popcount(weft_load_u32(&sched_workers[workerid].ctxs)) > 1;
}

unsigned starpu_worker_get_sched_ctx_list(int worker, unsigned **sched_ctx_ids)
{
	uint32_t bits = weft_load_u32(&sched_workers[worker].ctxs);
	unsigned n = 0;
	*sched_ctx_ids = malloc(STARPU_NMAX_SCHED_CTXS * sizeof **sched_ctx_ids);
	STARPU_ASSERT_MSG(*sched_ctx_ids, "no memory for a list of contexts");
	for (unsigned i = 0; i < STARPU_NMAX_SCHED_CTXS; i++)
		if (bits >> i & 1)
			(*sched_ctx_ids)[n++] = i;
	return n;
}

/* Replaces the context's policy; the workers stay. */
struct starpu_worker_collection *starpu_sched_ctx_create_worker_collection(unsigned sched_ctx_id,
                                                                           enum starpu_worker_collection_type type)
{
	struct sched_ctx *c = ctx_expected(sched_ctx_id);
	const struct sched_members *members = sched_members(c);
	struct starpu_worker_collection *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	const struct starpu_worker_collection *like = type == STARPU_WORKER_TREE ? &starpu_worker_tree : &starpu_worker_list;
	*w = *like;
	w->type = type;
	w->init(w);
	for (unsigned i = 0; members && i < members->n; i++)
		w->add(w, members->id[i]);
	starpu_sched_ctx_delete_worker_collection(sched_ctx_id);
	return c->workers = w;
}

void starpu_sched_ctx_delete_worker_collection(unsigned sched_ctx_id)
{
	struct sched_ctx *c = ctx_expected(sched_ctx_id);
	if (!c->workers)
		return;
	c->workers->deinit(c->workers);
	free(c->workers);
	c->workers = NULL;
}

struct starpu_worker_collection *starpu_sched_ctx_get_worker_collection(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->workers;
}

/* -- data and policy -- */

void starpu_sched_ctx_set_policy_data(unsigned sched_ctx_id, void *policy_data)
{
	ctx_expected(sched_ctx_id)->policy_data = policy_data;
}

void *starpu_sched_ctx_get_policy_data(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->policy_data;
}

void starpu_sched_ctx_set_user_data(unsigned sched_ctx_id, void *user_data)
{
	ctx_expected(sched_ctx_id)->user_data = user_data;
}

void *starpu_sched_ctx_get_user_data(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->user_data;
}

struct starpu_sched_policy *starpu_sched_ctx_get_sched_policy(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->policy;
}

struct starpu_sched_policy *starpu_sched_get_sched_policy_in_ctx(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->policy;
}

struct starpu_sched_policy *starpu_sched_get_sched_policy(void)
{
	return sched_ctxs[sched_ctx_now()].policy;
}

unsigned starpu_sched_ctx_get_inheritor(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->inheritor;
}

unsigned starpu_sched_ctx_get_hierarchy_level(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->level;
}

unsigned starpu_sched_ctx_get_ctx_for_task(struct starpu_task *task)
{
	return task->sched_ctx;
}

unsigned starpu_sched_ctx_has_starpu_scheduler(unsigned sched_ctx_id, unsigned *awake_workers)
{
	struct sched_ctx *c = ctx_expected(sched_ctx_id);
	if (awake_workers)
		*awake_workers = c->awake_workers;
	return c->policy != NULL;
}

/* -- priorities -- */

int starpu_sched_ctx_get_min_priority(unsigned sched_ctx_id)
{
	int min = ctx_expected(sched_ctx_id)->min_prio, cap = weft_load_i32(&sched_knobs_in(sched_ctx_id)->min_priority);
	return min < cap ? cap : min;
}

int starpu_sched_ctx_get_max_priority(unsigned sched_ctx_id)
{
	int max = ctx_expected(sched_ctx_id)->max_prio, cap = weft_load_i32(&sched_knobs_in(sched_ctx_id)->max_priority);
	return max > cap ? cap : max;
}

int starpu_sched_ctx_set_min_priority(unsigned sched_ctx_id, int min_prio)
{
	ctx_expected(sched_ctx_id)->min_prio = min_prio;
	return 0;
}

int starpu_sched_ctx_set_max_priority(unsigned sched_ctx_id, int max_prio)
{
	ctx_expected(sched_ctx_id)->max_prio = max_prio;
	return 0;
}

/* Set by the context's maker or its user: a policy keeps it. */
int starpu_sched_ctx_min_priority_is_set(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->min_set;
}

int starpu_sched_ctx_max_priority_is_set(unsigned sched_ctx_id)
{
	return ctx_expected(sched_ctx_id)->max_set;
}

/*
 * These two are STARPU_MIN_PRIO and STARPU_MAX_PRIO, which tasks may be given before starpu_init():
 * then there is one priority.
 */
int starpu_sched_get_min_priority(void)
{
	const struct sched_ctx *c = sched_ctx(sched_ctx_now());
	return c ? starpu_sched_ctx_get_min_priority(c->id) : STARPU_DEFAULT_PRIO;
}

int starpu_sched_get_max_priority(void)
{
	const struct sched_ctx *c = sched_ctx(sched_ctx_now());
	return c ? starpu_sched_ctx_get_max_priority(c->id) : STARPU_DEFAULT_PRIO;
}

/* Without a runtime nothing is kept: policies begin with ranges of their own. */
int starpu_sched_set_min_priority(int min_prio)
{
	unsigned ctx = sched_ctx_now();
	return sched_ctx(ctx) ? starpu_sched_ctx_set_min_priority(ctx, min_prio) : 0;
}

int starpu_sched_set_max_priority(int max_prio)
{
	unsigned ctx = sched_ctx_now();
	return sched_ctx(ctx) ? starpu_sched_ctx_set_max_priority(ctx, max_prio) : 0;
}

/* A worker that is in several contexts prefers those where it has more. */
void starpu_sched_ctx_set_priority(int *workers, int nworkers, unsigned sched_ctx_id, unsigned priority)
{
	for (int i = 0; i < nworkers; i++)
		sched_workers[workers[i]].ctx_priority[sched_ctx_id] = priority;
}

unsigned starpu_sched_ctx_get_priority(int worker, unsigned sched_ctx_id)
{
	return sched_workers[worker].ctx_priority[sched_ctx_id];
}

/* -- counts -- */

int starpu_sched_ctx_get_nready_tasks(unsigned sched_ctx_id)
{
	return weft_load_i32(&ctx_expected(sched_ctx_id)->ready);
}

double starpu_sched_ctx_get_nready_flops(unsigned sched_ctx_id)
{
	struct sched_ctx *c = ctx_expected(sched_ctx_id);
	pthread_mutex_lock(&c->lock);
	double flops = c->ready_flops;
	pthread_mutex_unlock(&c->lock);
	return flops;
}

/* StarPU counts tasks in lists that several workers share; ours read the lists themselves. */
#define NOTHING_TO_COUNT(name) \
	void name(unsigned sched_ctx_id, int workerid) \
	{ \
		(void)sched_ctx_id; \
		(void)workerid; \
	}
#define NOTHING_TO_COUNT_FOR_TASK(name) \
	void name(struct starpu_task *task, unsigned sched_ctx_id) \
	{ \
		(void)task; \
		(void)sched_ctx_id; \
	}
NOTHING_TO_COUNT(starpu_sched_ctx_list_task_counters_increment)
NOTHING_TO_COUNT(starpu_sched_ctx_list_task_counters_decrement)
NOTHING_TO_COUNT(starpu_sched_ctx_list_task_counters_reset)
NOTHING_TO_COUNT_FOR_TASK(starpu_sched_ctx_list_task_counters_increment_all_ctx_locked)
NOTHING_TO_COUNT_FOR_TASK(starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked)
NOTHING_TO_COUNT_FOR_TASK(starpu_sched_ctx_list_task_counters_reset_all)

void starpu_sched_ctx_worker_shares_tasks_lists(int workerid, int sched_ctx_id)
{
	(void)workerid;
	(void)sched_ctx_id;
}

void starpu_sched_ctx_revert_task_counters_ctx_locked(unsigned sched_ctx_id, double flops)
{
	struct sched_ctx *c = ctx_expected(sched_ctx_id);
	weft_add_i32(&c->ready, -1);
	pthread_mutex_lock(&c->lock);
	c->ready_flops -= flops;
	pthread_mutex_unlock(&c->lock);
}

void starpu_sched_ctx_move_task_to_ctx_locked(struct starpu_task *task, unsigned sched_ctx_id, unsigned with_repush)
{
	struct sched_ctx *to = ctx_expected(sched_ctx_id);
	sched_ctx_ready(ctx_expected(task->sched_ctx), task, -1);
	rt_task_change_ctx(task, sched_ctx_id);
	if (with_repush)
		sched_push(task);
	else
		sched_ctx_ready(to, task, 1);
}

/* -- workers for code that is parallel by itself -- */

unsigned starpu_sched_ctx_worker_is_primary_for_child_ctx(int workerid, unsigned sched_ctx_id)
{
	for (unsigned i = 1; i < STARPU_NMAX_SCHED_CTXS; i++)
		if (sched_ctx(i) && sched_ctxs[i].nested == (int)sched_ctx_id && (int)sched_ctxs[i].primary == workerid)
			return i;
	return STARPU_NMAX_SCHED_CTXS;
}

unsigned starpu_sched_ctx_worker_is_master_for_child_ctx(int workerid, unsigned sched_ctx_id)
{
	return starpu_sched_ctx_worker_is_primary_for_child_ctx(workerid, sched_ctx_id);
}

unsigned starpu_sched_ctx_primary_get_context(int primaryid)
{
	for (unsigned i = 1; i < STARPU_NMAX_SCHED_CTXS; i++)
		if (sched_ctx(i) && !sched_ctxs[i].policy && (int)sched_ctxs[i].primary == primaryid)
			return i;
	return STARPU_NMAX_SCHED_CTXS;
}

unsigned starpu_sched_ctx_master_get_context(int masterid)
{
	return starpu_sched_ctx_primary_get_context(masterid);
}

/*
 * The workers' own CPUs, on which the program may run threads of its own while the context is its.
 */
void starpu_sched_ctx_get_available_cpuids(unsigned sched_ctx_id, int **cpuids, int *ncpuids)
{
	const struct sched_members *m = sched_members(ctx_expected(sched_ctx_id));
	unsigned n = m->n;
	*cpuids = malloc((n ? n : 1) * sizeof **cpuids);
	STARPU_ASSERT_MSG(*cpuids, "no memory for a list of CPUs");
	for (unsigned i = 0; i < n; i++)
		(*cpuids)[i] = starpu_worker_get_bindid(m->id[i]);
	*ncpuids = (int)n;
}

void starpu_sched_ctx_bind_current_thread_to_cpuid(unsigned cpuid)
{
	starpu_bind_thread_on_cpu((int)cpuid);
}

/* The program's callback for its policy, which may call it. */
void (*starpu_sched_ctx_get_sched_policy_callback(unsigned sched_ctx_id))(unsigned)
{
	return ctx_expected(sched_ctx_id)->callback;
}

/* Of 1.3. */
void (*starpu_sched_ctx_get_sched_policy_init(unsigned sched_ctx_id))(unsigned)
{
	return starpu_sched_ctx_get_sched_policy_callback(sched_ctx_id);
}

/* -- parts of a CUDA device: there is none -- */

/* It would be the context's only one. */
int starpu_sched_ctx_get_stream_worker(unsigned sub_ctx)
{
	const struct sched_members *m = sched_members(ctx_expected(sub_ctx));
	return m->n ? m->id[0] : -1;
}

int starpu_sched_ctx_get_nsms(unsigned sched_ctx)
{
	(void)sched_ctx;
	return 0;
}

void starpu_sched_ctx_get_sms_interval(int stream_workerid, int *start, int *end)
{
	(void)stream_workerid;
	*start = *end = 0;
}

unsigned starpu_worker_get_sched_ctx_id_stream(unsigned stream_workerid)
{
	(void)stream_workerid;
	return STARPU_NMAX_SCHED_CTXS;
}
