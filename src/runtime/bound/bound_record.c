/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording tasks as they are submitted. Dependencies are found from what programs say (tags, tasks, accesses to data), not from what
 * happens to wait when: so they are the same in every run. Accesses of a handle that may go on at once are a group; each group comes
 * after the one before it.
 */
#include "bound.h"
#include "bound_keys.h"
#include "runtime/perf/perf.h"
#include "runtime/task/watch.h"
#include "base/clock.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct bound_record bound;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void bound_lock(void)
{
	pthread_mutex_lock(&lock);
}

void bound_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* Room for one more; what there is no room for is left out, and so the bound stays one. */
static bool bound_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
	void *old, *more;
	if (n < *cap)
		return true;
	memcpy(&old, array, sizeof old);
	uint32_t wanted = *cap ? 2 * *cap : 64;
	more = realloc(old, wanted * size);
	if (!more)
		return false;
	memcpy(array, &more, sizeof more);
	*cap = wanted;
	return true;
}

/* ---- what the machine has ---- */

static void find_places(void)
{
	bound.n_places = 0;
	for (unsigned w = 0; w < rt_machine.n_workers; w++) {
		const struct rt_worker_info *info = &rt_machine.worker[w];
		unsigned k = 0;
		for (; k < bound.n_places; k++) {
			const struct rt_worker_info *first = &rt_machine.worker[bound.place[k].first];
			bool cpus = info->arch == STARPU_CPU_WORKER && info->node == first->node;
			if (info->arch == first->arch && (cpus || info->devid == first->devid))
				break;
		}
		k = k < BOUND_PLACES ? k : BOUND_PLACES - 1;
		if (k == bound.n_places)
			bound.place[bound.n_places++] = (struct bound_place){.first = w, .node = info->node};
		bound.place[k].n++;
		bound.place_of[w] = (uint8_t)k;
	}
}

/* ---- kinds ---- */

enum { BUCKETS = 1024 };
static struct bound_kind *bucket[BUCKETS];

static uint32_t places_of(const struct rt_task *own)
{
	uint32_t may = 0;
	for (unsigned w = 0; w < rt_machine.n_workers; w++)
		if (rt_mask_has(&own->mask, w))
			may |= UINT32_C(1) << bound.place_of[w];
	return may;
}

static uint32_t new_kind(struct bound_kind **at, const struct starpu_task *t, const struct bound_kind *like)
{
	struct bound_kind *k = malloc(sizeof *k);
	const char *name = starpu_task_get_model_name((struct starpu_task *)(uintptr_t)t);
	name = name ? name : t->cl->name;
	if (!k || !bound_grow(&bound.kind, bound.n_kinds, &bound.cap_kinds, sizeof *bound.kind)) {
		free(k);
		return BOUND_NOTHING;
	}
	*k = *like;
	snprintf(k->name, sizeof k->name, "%s", name ? name : "unnamed");
	k->next = *at;
	k->index = bound.n_kinds;
	*at = k;
	bound.kind[bound.n_kinds] = k;
	return bound.n_kinds++;
}

static bool has_history(const struct starpu_perfmodel *m)
{
	return m && (m->type == STARPU_HISTORY_BASED || m->type == STARPU_NL_REGRESSION_BASED);
}

/* What models of other types say is asked now, while there is a task to ask about. */
static void ask_model(struct bound_kind *k, struct starpu_task *t)
{
	if (!t->cl->model || t->cl->model->type == STARPU_PERFMODEL_INVALID || t->cl->model->type == STARPU_HISTORY_BASED)
		return;
	for (unsigned i = 0; i < bound.n_places; i++)
		if (k->may >> i & 1)
			k->given_us[i] += starpu_task_worker_expected_length(t, bound.place[i].first, 0, 0);
}

static uint32_t kind_of(struct starpu_task *t)
{
	struct bound_kind like = {.cl = t->cl, .model = t->cl->model, .may = places_of(t->starpu_private)};
	unsigned first = like.may ? bound.place[__builtin_ctz(like.may)].first : 0;
	like.footprint = has_history(like.model) ? starpu_task_footprint(like.model, t, perf_worker_arch(first), 0)
	                                         : starpu_task_data_footprint(t);
	struct bound_kind **at = &bucket[((uintptr_t)t->cl / 16 ^ like.footprint * 2654435761U) % BUCKETS], *k = *at;
	while (k && (k->cl != like.cl || k->model != like.model || k->footprint != like.footprint || k->may != like.may))
		k = k->next;
	uint32_t i = k ? k->index : new_kind(at, t, &like);
	if (i == BOUND_NOTHING)
		return i;
	k = bound.kind[i];
	k->n++;
	ask_model(k, t);
	return i;
}

/* ---- dependencies ---- */

static void add_edge(uint32_t from, uint32_t to, size_t bytes)
{
	if (from == to || !bound_grow(&bound.edge, bound.n_edges, &bound.cap_edges, sizeof *bound.edge))
		return;
	bound.edge[bound.n_edges++] = (struct bound_edge){from, to, bytes};
}

/* Whoever was promised comes first: a task that is submitted later than one behind it. */
static void tell_waiting(struct bound_waiting *w, uint32_t task)
{
	for (uint32_t i = 0; i < w->n; i++)
		add_edge(task, w->task[i], 0);
	w->n = 0;
}

static void after_key(uint64_t key, uint32_t task, bool is_to_come)
{
	struct bound_key *k = bound_key(key, true);
	if (!k)
		return;
	if (is_to_come || k->task == BOUND_NOTHING)
		bound_wait(&k->waiting, task);
	else
		add_edge(k->task, task, 0);
}

static void after_tasks(const struct rt_task *own, uint32_t task)
{
	for (uint32_t i = 0; i < own->n_deps; i++) {
		const struct rt_task *pred = own->dep[i].pred;
		bool is_new = (weft_load_u32(&pred->state) & RT_T_STATE) == RT_T_NEW;
		after_key(BOUND_OF_TASK((uintptr_t)pred), task, is_new && pred->turns == own->dep[i].seen);
	}
}

static void after_tags(starpu_tag_t tag, uint32_t task)
{
	starpu_tag_t before[256];
	unsigned n = rt_tag_before(tag, before, sizeof before / sizeof before[0]);
	for (unsigned i = 0; i < n; i++)
		after_key(BOUND_OF_TAG(before[i]), task, false);
}

static bool is_ordered(const struct starpu_task *t, unsigned i, starpu_data_handle_t h)
{
	const unsigned char *each = t->handles_sequential_consistency;
	return t->sequential_consistency && (!each || each[i]) && starpu_data_get_sequential_consistency_flag(h);
}

/* What may go on at once; 0: nothing beside it. */
static unsigned class_of(unsigned mode)
{
	if (mode & STARPU_SCRATCH)
		return BOUND_NO_ACCESS;
	if (mode & STARPU_REDUX)
		return STARPU_REDUX;
	if (mode & STARPU_COMMUTE)
		return STARPU_COMMUTE;
	return mode & STARPU_W ? 0 : STARPU_R;
}

static void after_data(const struct starpu_task *t, uint32_t task)
{
	unsigned n = STARPU_TASK_GET_NBUFFERS(t);
	for (unsigned i = 0; i < n; i++) {
		starpu_data_handle_t h = STARPU_TASK_GET_HANDLE(t, i);
		unsigned mode = STARPU_TASK_GET_MODE(t, i), class = class_of(mode);
		if (class == BOUND_NO_ACCESS || !is_ordered(t, i, h))
			continue;
		struct bound_key *k = bound_key(BOUND_OF_DATA((uintptr_t)h), true);
		if (!k)
			continue;
		bool joins = k->now.n && class && class == k->class;
		if (!joins) {
			bound_swap_groups(k);
			k->class = class;
		}
		bound_wait(&k->now, task);
		size_t bytes = k->before_wrote && mode & STARPU_R ? starpu_data_get_size(h) : 0;
		for (uint32_t b = 0; b < k->before.n; b++)
			add_edge(k->before.task[b], task, bytes);
	}
}

/* ---- stations ---- */

static uint64_t started_ns[STARPU_NMAXWORKERS];

static void record_submit(struct starpu_task *t)
{
	struct rt_task *own = t->starpu_private;
	uint32_t i = bound.n_tasks;
	if (!bound_grow(&bound.task, i, &bound.cap_tasks, sizeof *bound.task))
		return;
	const char *name = bound.deps ? starpu_task_get_name(t) : NULL;
	bound.task[i] = (struct bound_task){.kind = BOUND_NOTHING, .priority = t->priority, .name = name ? strdup(name) : NULL};
	bound.n_tasks++;
	if (!rt_task_runs_nowhere(t))
		bound.task[i].kind = kind_of(t);
	struct bound_key *k = bound_key(BOUND_OF_TASK((uintptr_t)own), true);
	if (!k)
		return;
	k->task = i;
	if (!bound.deps)
		return;
	tell_waiting(&k->waiting, i);
	after_tasks(own, i);
	if (t->use_tag) {
		struct bound_key *tag = bound_key(BOUND_OF_TAG(t->tag_id), true);
		if (tag) {
			tag->task = i;
			tell_waiting(&tag->waiting, i);
		}
		after_tags(t->tag_id, i);
	}
	if (t->cl)
		after_data(t, i);
}

static void record_end(const struct starpu_task *t, unsigned worker, uint64_t now)
{
	const struct bound_key *key = t ? bound_key(BOUND_OF_TASK((uintptr_t)t->starpu_private), false) : NULL;
	bound.ended_ns = now > bound.ended_ns ? now : bound.ended_ns;
	if (!key || key->task == BOUND_NOTHING || bound.task[key->task].kind == BOUND_NOTHING || !started_ns[worker])
		return;
	struct bound_kind *k = bound.kind[bound.task[key->task].kind];
	k->ran_us[bound.place_of[worker]] += (double)(now - started_ns[worker]) / 1000;
	k->n_ran[bound.place_of[worker]]++;
}

static void bound_pass(enum rt_station at, struct starpu_task *t, unsigned worker, uint64_t now)
{
	if (at == RT_AT_START && worker < STARPU_NMAXWORKERS)
		started_ns[worker] = now;
	if ((at != RT_AT_SUBMIT && at != RT_AT_END) || !t)
		return;
	bound_lock();
	if (!rt_is_watched_by(RT_WATCH_BOUND)) /* a station that began before it was stopped */
		;
	else if (at == RT_AT_SUBMIT)
		record_submit(t);
	else if (worker < STARPU_NMAXWORKERS)
		record_end(t, worker, now);
	bound_unlock();
}

void bound_record_start(bool deps, bool prio)
{
	bound_record_free();
	bound.deps = deps || prio;
	bound.prio = prio;
	find_places();
	memset(started_ns, 0, sizeof started_ns);
	bound.began_ns = weft_monotonic_ns();
	rt_watch(RT_WATCH_BOUND, bound_pass);
}

void bound_record_stop(void)
{
	rt_watch(RT_WATCH_BOUND, NULL);
}

void bound_record_free(void)
{
	for (uint32_t i = 0; i < bound.n_kinds; i++)
		free(bound.kind[i]);
	for (uint32_t i = 0; i < bound.n_tasks; i++)
		free(bound.task[i].name);
	free(bound.kind);
	free(bound.task);
	free(bound.edge);
	memset(bucket, 0, sizeof bucket);
	bound_keys_free();
	bound = (struct bound_record){.deps = false};
}
