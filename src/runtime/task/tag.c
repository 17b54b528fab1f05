/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags: names for the ends of tasks. A tag has turns, one for each time that its task is done (or
 * the program says so), and a relay for the next one, a job without a body that is never submitted
 * but let go at the end of the turn: dependents of the tag are edges from it. A dependent comes
 * after one more of the tag's turns each time.
 *
 *     tag ── relay <── edges of jobs whose tags depend on it
 *     tag ── before: the tags that its own task depends on, and how many turns of them it has seen
 *
 * One lock for all: programs with tags make a call for each anyway, and edges need no lock.
 */
#include "begin.h"
#include "complain.h"
#include "task.h"
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

struct rt_tag {
	struct rt_tag *next; /* of the same bucket */
	starpu_tag_t id;
	struct rt_job *relay; /* of the next turn; made at the first dependent */
	rt_ref ref;
	uint32_t turns;
	bool done;            /* a turn has ended, and no other has begun */
	struct rt_task *task; /* while one is under way */
	struct rt_task *last; /* of the last turn, as long as it exists: starpu_tag_get_task */
	struct seen {
		starpu_tag_t id;
		uint32_t turns;
	} * before;
	uint32_t n_before, cap;
};

enum { FIRST_BUCKETS = 64 };
static struct {
	pthread_mutex_t lock;
	struct rt_tag **bucket;
	size_t n_buckets, n;
	unsigned waiting;               /* threads in starpu_tag_wait_array */
	struct weft_atomic_u32 changes; /* futex: a tag is done */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct rt_tag **tag_slot(starpu_tag_t id)
{
	struct rt_tag **at = &all.bucket[(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (all.n_buckets - 1)];
	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

static void tag_grow(void)
{
	size_t old_n = all.n_buckets, n = old_n ? 2 * old_n : FIRST_BUCKETS;
	struct rt_tag **old = all.bucket, **more = calloc(n, sizeof *more);
	if (!more)
		rt_misuse("no memory for a tag");
	all.bucket = more;
	all.n_buckets = n;
	for (size_t i = 0; i < old_n; i++)
		for (struct rt_tag *t = old[i], *next; t; t = next) {
			next = t->next;
			t->next = NULL;
			*tag_slot(t->id) = t;
		}
	free(old);
}

/* The next turn's dependents have their edges from here. */
static rt_ref next_turn(struct rt_tag *t)
{
	struct rt_submitter *s = rt_machine.core ? rt_self(rt_machine.core) : NULL;
	if (t->relay)
		return t->ref;
	t->relay = s ? rt_job_new(s->pool) : NULL;
	if (!t->relay)
		rt_misuse("no memory for a tag, or StarPU is not initialised");
	t->relay->body = NULL;
	t->relay->arg = NULL;
	t->relay->n_accesses = 0;
	return t->ref = rt_job_ref(t->relay);
}

static struct rt_tag *tag_find(starpu_tag_t id, bool make)
{
	if (all.n >= all.n_buckets)
		tag_grow();
	struct rt_tag **at = tag_slot(id);
	if (*at || !make)
		return *at;
	struct rt_tag *t = calloc(1, sizeof *t);
	if (!t)
		rt_misuse("no memory for a tag");
	t->id = id;
	all.n++;
	return *at = t;
}

/* With the lock held; edges are released after unlocking. */
static struct rt_job *tag_finish(struct rt_tag *t)
{
	struct rt_job *relay = t->relay;
	t->relay = NULL;
	t->task = NULL;
	t->turns++;
	t->done = true;
	return relay;
}

static void unlock_and_fire(struct rt_job *relay)
{
	const bool waited_for = all.waiting;
	pthread_mutex_unlock(&all.lock);
	if (relay)
		rt_run_relay(rt_self(rt_machine.core), relay);
	if (!waited_for)
		return;
	weft_add_u32(&all.changes, 1);
	rt_futex_wake(&all.changes, INT_MAX);
}

static void add_before(struct rt_tag *t, const struct rt_tag *before)
{
	if (t->n_before == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 4;
		struct seen *more = realloc(t->before, cap * sizeof *more);
		if (!more)
			rt_misuse("no memory for a tag");
		t->before = more;
		t->cap = cap;
	}
	t->before[t->n_before++] = (struct seen){before->id, before->turns - before->done};
}

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t *array)
{
	pthread_mutex_lock(&all.lock);
	struct rt_tag *t = tag_find(id, true);
	for (unsigned i = 0; i < ndeps; i++) {
		if (array[i] == id)
			rt_misuse("tag %#llx is declared to depend on itself", (unsigned long long)id);
		add_before(t, tag_find(array[i], true));
	}
	pthread_mutex_unlock(&all.lock);
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...)
{
	va_list ap;
	starpu_tag_t *array = malloc((ndeps ? ndeps : 1) * sizeof *array);
	if (!array)
		rt_misuse("no memory for a tag");
	va_start(ap, ndeps);
	for (unsigned i = 0; i < ndeps; i++)
		array[i] = va_arg(ap, starpu_tag_t);
	va_end(ap);
	starpu_tag_declare_deps_array(id, ndeps, array);
	free(array);
}

/* With the lock held. */
static void tag_know(struct rt_tag *t, struct rt_task *own)
{
	if (own && own->known_by)
		own->known_by->last = NULL;
	if (t->last)
		__atomic_store_n(&t->last->known_by, NULL, __ATOMIC_RELAXED);
	t->last = own;
	if (own)
		__atomic_store_n(&own->known_by, t, __ATOMIC_RELAXED);
}

void rt_tag_forget(struct rt_task *own)
{
	pthread_mutex_lock(&all.lock);
	if (own->known_by)
		tag_know(own->known_by, NULL);
	pthread_mutex_unlock(&all.lock);
}

unsigned rt_tag_before(starpu_tag_t id, starpu_tag_t *out, unsigned room)
{
	unsigned n = 0;
	pthread_mutex_lock(&all.lock);
	const struct rt_tag *t = tag_find(id, false);
	for (; t && n < t->n_before && n < room; n++)
		out[n] = t->before[n].id;
	pthread_mutex_unlock(&all.lock);
	return n;
}

int rt_tag_submitted(struct rt_task *own, struct rt_refs *before)
{
	int rc = 0;
	pthread_mutex_lock(&all.lock);
	struct rt_tag *t = tag_find(own->task->tag_id, true);
	t->done = false;
	t->task = own;
	own->tag = t;
	if (t->last != own)
		tag_know(t, own);
	for (uint32_t i = 0; before && i < t->n_before && !rc; i++) {
		struct rt_tag *b = tag_find(t->before[i].id, false);
		rc = b && b->turns == t->before[i].turns ? rt_refs_add(before, next_turn(b)) : 0;
		t->before[i].turns++;
	}
	pthread_mutex_unlock(&all.lock);
	return rc ? -ENOMEM : 0;
}

void rt_tag_done(struct rt_tag *tag)
{
	pthread_mutex_lock(&all.lock);
	unlock_and_fire(tag_finish(tag));
}

void starpu_tag_notify_from_apps(starpu_tag_t id)
{
	pthread_mutex_lock(&all.lock);
	unlock_and_fire(tag_finish(tag_find(id, true)));
}

void starpu_tag_restart(starpu_tag_t id)
{
	pthread_mutex_lock(&all.lock);
	tag_find(id, true)->done = false;
	pthread_mutex_unlock(&all.lock);
}

void starpu_tag_notify_restart_from_apps(starpu_tag_t id)
{
	pthread_mutex_lock(&all.lock);
	struct rt_tag *t = tag_find(id, true);
	struct rt_job *relay = tag_finish(t);
	t->done = false;
	unlock_and_fire(relay);
}

struct starpu_task *starpu_tag_get_task(starpu_tag_t id)
{
	pthread_mutex_lock(&all.lock);
	const struct rt_tag *t = tag_find(id, false);
	struct starpu_task *task = t && t->last ? t->last->task : NULL;
	pthread_mutex_unlock(&all.lock);
	return task;
}

/* It is done, or has had a turn since. */
static bool is_done(starpu_tag_t id, uint32_t *since)
{
	pthread_mutex_lock(&all.lock);
	const struct rt_tag *t = tag_find(id, true);
	if (*since == UINT32_MAX)
		*since = t->turns;
	bool done = t->done || t->turns != *since;
	pthread_mutex_unlock(&all.lock);
	return done;
}

static void count_waiting(unsigned more)
{
	pthread_mutex_lock(&all.lock);
	all.waiting += more;
	pthread_mutex_unlock(&all.lock);
}

int starpu_tag_wait_array(unsigned ntags, starpu_tag_t *id)
{
	if (rt_expect_wait("starpu_tag_wait") || rt_worker_self()) /* of OpenMP's tasks, which wait by other means */
		return -EDEADLK;
	if (!rt_machine.core)
		rt_misuse("tags are waited for, and StarPU is not initialised");
	rt_begin_held();
	count_waiting(1);
	for (unsigned i = 0; i < ntags; i++)
		for (uint32_t since = UINT32_MAX;;) {
			uint32_t seen = weft_load_u32(&all.changes);
			if (is_done(id[i], &since))
				break;
			rt_submitter_waits(rt_machine.core, &all.changes, seen);
		}
	count_waiting(-1U);
	return 0;
}

int starpu_tag_wait(starpu_tag_t id)
{
	return starpu_tag_wait_array(1, &id);
}

static struct rt_job *tag_drop(struct rt_tag **at)
{
	struct rt_tag *t = *at;
	struct rt_job *relay = t->relay;
	*at = t->next;
	if (t->task)
		t->task->tag = NULL;
	if (t->last)
		tag_know(t, NULL);
	free(t->before);
	free(t);
	all.n--;
	return relay;
}

void starpu_tag_remove(starpu_tag_t id)
{
	pthread_mutex_lock(&all.lock);
	struct rt_tag **at = all.n ? tag_slot(id) : NULL;
	unlock_and_fire(at && *at ? tag_drop(at) : NULL);
}

void starpu_tag_clear(void)
{
	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; i < all.n_buckets; i++)
		while (all.bucket[i]) {
			struct rt_job *relay = tag_drop(&all.bucket[i]);
			if (relay && rt_machine.core)
				rt_run_relay(rt_self(rt_machine.core), relay);
		}
	free(all.bucket);
	all.bucket = NULL;
	all.n_buckets = 0;
	pthread_mutex_unlock(&all.lock);
}

void rt_tags_end(void)
{
	starpu_tag_clear();
}
