/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partition plans: parts exist beside the whole, and tasks may use the one side or the other (or
 * read both). The active side is known at submission: before a task of another side a switch is
 * submitted, a job that accesses the whole and all parts, so that the order of data does the
 * waiting.
 *
 *              whole            partition             parts
 *     OFF  <- tasks use it ->      ->     WRITE  <- tasks use them ->
 *                       \  read-only  READ: both are read  /
 *
 * Plans nest: before a part can be used its parent's plan must be active, and so on upwards; before
 * a whole can, plans below it must be off.
 */
#include "runtime/task/complain.h"
#include "partition.h"
#include "acquire.h"
#include "redux.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t plan_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned gather_node(starpu_data_handle_t h)
{
	return h->home >= 0 ? (unsigned)h->home : STARPU_MAIN_RAM;
}

const struct rt_plan *rt_plan_in_parts(starpu_data_handle_t h)
{
	pthread_mutex_lock(&plan_lock);
	const struct rt_plan *p = h->plans;
	while (p && p->state != RT_PLAN_WRITE)
		p = p->next;
	pthread_mutex_unlock(&plan_lock);
	return p;
}

/* ---- a switch as a job ---- */

struct turn {
	struct rt_plan *plan;
	enum rt_plan_state to;
	bool gathers; /* the value is in the parts, and goes to the whole */
	void (*callback)(void *);
	void *arg;
};

/* The whole, or the parts. */
struct side {
	starpu_data_handle_t *at;
	unsigned n;
};

static int plan_gather(struct side s, unsigned g, bool *has_value)
{
	int rc = 0;
	for (unsigned i = 0; i < s.n && !rc; i++) {
		rc = rt_part_gather(s.at[i], g);
		*has_value = *has_value || s.at[i]->initialized;
	}
	return rc;
}

/*
 * Reads of before go on: copies elsewhere stay, else a transfer would overwrite one that is being
 * read.
 */
static void open_side(struct side s, unsigned g, bool has_value)
{
	for (unsigned i = 0; i < s.n; i++) {
		if (has_value && !s.at[i]->replica[g].valid)
			rt_replica_only(s.at[i], g, true);
		rt_replica_plain(s.at[i]);
	}
}

static void close_side(struct side s, unsigned g)
{
	for (unsigned i = 0; i < s.n; i++) {
		rt_part_leave(s.at[i], g, false);
		rt_replica_plain(s.at[i]);
	}
}

static enum rt_verdict take_turn(struct rt_job *j, struct rt_worker *w)
{
	struct turn *t = j->data;
	struct rt_plan *p = t->plan;
	struct side whole = {&p->parent, 1}, parts = {p->part, p->n};
	starpu_data_handle_t h = p->parent;
	unsigned g = gather_node(h);
	bool has_value = false;
	(void)w;
	rt_replica_lock();
	int rc = plan_gather(t->gathers ? parts : whole, g, &has_value);
	RT_EXPECT(!rc, "no memory to switch between handle %p and its parts", (void *)h);
	/* Nothing of the side that closes is under way when the other one opens. */
	if (t->to == RT_PLAN_WRITE)
		close_side(whole, g);
	if (t->to == RT_PLAN_OFF)
		close_side(parts, g);
	if (t->to != RT_PLAN_WRITE)
		open_side(whole, g, has_value);
	if (t->to != RT_PLAN_OFF)
		open_side(parts, g, has_value);
	rt_replica_unlock();
	if (t->gathers && h->gathering_node >= 0)
		rt_data_prefetch_handle(h, (unsigned)h->gathering_node,
		                        &(struct rt_prefetch){STARPU_PREFETCH, .cause = "partition"});
	if (t->callback)
		t->callback(t->arg);
	free(t);
	return RT_DONE;
}

static const struct rt_at_once at_once = {take_turn};

/* The switch's accesses to the whole and to the parts, in the order of data. */
static uint32_t mode_of_whole(const struct turn *t)
{
	return t->to == RT_PLAN_READ && !t->gathers ? RT_READ : RT_READ | RT_WRITE;
}

static uint32_t mode_of_parts(const struct turn *t)
{
	return t->to == RT_PLAN_READ && t->gathers ? RT_READ : RT_READ | RT_WRITE;
}

/* The thread's list of its next job's dependencies is another job's: it is put aside. */
static int plan_submit(struct turn what, bool ordered)
{
	struct rt_submitter *s = rt_data_self();
	struct turn *t = malloc(sizeof *t);
	if (!s || !t) {
		free(t);
		return -ENOMEM;
	}
	*t = what;
	struct rt_refs aside = s->before;
	s->before = (struct rt_refs){0};
	struct rt_plan *p = t->plan;
	struct rt_job *j = rt_prepare(s);
	int rc = j ? rt_job_make_room(s->pool, j, p->n + 1) : -ENOMEM;
	if (!rc) {
		/*
		 * Where main memory is all there is nothing moves, and no worker is needed but for
		 * a callback, which may submit.
		 */
		j->body = rt_data_is_simple() && !t->callback ? NULL : take_turn;
		j->arg = (void *)(uintptr_t)&at_once;
		j->data = t;
		rt_job_handles(j)[0] = &p->parent->order;
		rt_job_modes(j)[0] = mode_of_whole(t) | RT_NOPLAN | (ordered ? 0 : RT_UNORDERED);
		for (unsigned i = 0; i < p->n; i++) {
			rt_job_handles(j)[i + 1] = &p->part[i]->order;
			rt_job_modes(j)[i + 1] = mode_of_parts(t) | RT_NOPLAN;
		}
		rc = rt_submit(s, j);
	}
	free(s->before.at);
	s->before = aside;
	return rc;
}

static int turn_to(struct rt_plan *p, enum rt_plan_state to, bool ordered)
{
	struct turn t = {.plan = p, .to = to, .gathers = p->state == RT_PLAN_WRITE};
	int rc = p->state == to ? 0 : plan_submit(t, ordered);
	if (!rc)
		p->state = to;
	return rc;
}

/* ---- switches before a task ---- */

static int plan_activate(struct rt_plan *p, enum rt_plan_state to, bool ordered);

/* Plans below the plan's parts are off, then so is it. */
static int close_plan(struct rt_plan *p)
{
	int rc = 0;
	for (unsigned i = 0; i < p->n && p->state != RT_PLAN_OFF && !rc; i++)
		for (struct rt_plan *below = p->part[i]->plans; below && !rc; below = below->next)
			rc = close_plan(below);
	return rc ? rc : turn_to(p, RT_PLAN_OFF, true);
}

/* No part below the plan's whole is written. */
static int let_read(struct rt_plan *p)
{
	int rc = 0;
	if (p->state != RT_PLAN_WRITE)
		return 0;
	for (unsigned i = 0; i < p->n && !rc; i++)
		for (struct rt_plan *below = p->part[i]->plans; below && !rc; below = below->next)
			rc = let_read(below);
	return rc ? rc : turn_to(p, RT_PLAN_READ, true);
}

/* The handle may be used so by tasks; `but`: a plan of its own that another call handles. */
static int make_usable(starpu_data_handle_t h, bool write, const struct rt_plan *but)
{
	int rc = 0;
	if (h->part_of && (write || h->part_of->state == RT_PLAN_OFF))
		rc = plan_activate(h->part_of, write ? RT_PLAN_WRITE : RT_PLAN_READ, true);
	for (struct rt_plan *p = h->plans; p && !rc; p = p->next)
		if (p != but)
			rc = write ? close_plan(p) : let_read(p);
	return rc;
}

static int plan_activate(struct rt_plan *p, enum rt_plan_state to, bool ordered)
{
	if (p->state == to || p->state == RT_PLAN_WRITE)
		return 0;
	int rc = make_usable(p->parent, to == RT_PLAN_WRITE, p);
	return rc ? rc : turn_to(p, to, ordered);
}

int rt_plan_hook(struct rt_submitter *s, struct rt_job *j)
{
	struct rt_handle **handle = rt_job_handles(j);
	const uint32_t *mode = rt_job_modes(j);
	int rc = 0;
	for (unsigned i = 0; i < j->n_accesses && !rc; i++)
		rc = rt_redux_first_access(s, rt_handle_of(handle[i]), mode[i]);
	pthread_mutex_lock(&plan_lock);
	for (unsigned i = 0; i < j->n_accesses && !rc; i++) {
		starpu_data_handle_t h = rt_handle_of(handle[i]);
		if (!(mode[i] & (RT_NOPLAN | RT_SCRATCH)) && (h->plans || h->part_of))
			rc = make_usable(h, mode[i] & (RT_WRITE | RT_REDUX), NULL);
		else if (!h->plans && !h->part_of && !weft_load_bool(&h->begins))
			rt_handle_mark(&h->order, 0, RT_H_PLANNED);
	}
	return rc;
}

void rt_plan_hook_end(void)
{
	pthread_mutex_unlock(&plan_lock);
}

/* ---- planning ---- */

void starpu_data_partition_plan(starpu_data_handle_t initial_handle, struct starpu_data_filter *f, starpu_data_handle_t *children)
{
	starpu_data_handle_t h = initial_handle;
	unsigned n = rt_part_count(h, f), g = gather_node(h);
	struct rt_plan *p = calloc(1, sizeof *p + n * sizeof p->part[0]);
	RT_EXPECT(!h->n_children, "%s: handle %p is partitioned", __func__, (void *)h);
	rt_replica_lock();
	/* The parts' memory is this: from now on it stays. */
	int rc = p ? rt_replica_allocate(&h->replica[g]) : -ENOMEM;
	RT_EXPECT(!rc, "%s: no memory for the parts of handle %p", __func__, (void *)h);
	h->replica[g].pins++;
	rt_replica_unlock();
	p->parent = h;
	p->n = n;
	for (unsigned i = 0; i < n; i++) {
		children[i] = p->part[i] = rt_part_new(h, f, i, n);
		p->part[i]->part_of = p;
		rt_handle_mark(&p->part[i]->order, RT_H_PLANNED, 0);
	}
	pthread_mutex_lock(&plan_lock);
	p->next = h->plans;
	h->plans = p;
	pthread_mutex_unlock(&plan_lock);
	rt_handle_mark(&h->order, RT_H_PLANNED, 0);
}

int starpu_data_partition_get_nplans(starpu_data_handle_t initial_handle)
{
	int n = 0;
	pthread_mutex_lock(&plan_lock);
	for (struct rt_plan *p = initial_handle->plans; p; p = p->next)
		n++;
	pthread_mutex_unlock(&plan_lock);
	return n;
}

static struct rt_plan *plan_of(starpu_data_handle_t whole, unsigned n, starpu_data_handle_t *parts, const char *function)
{
	struct rt_plan *p = n ? parts[0]->part_of : NULL;
	RT_EXPECT(p && p->parent == whole, "%s: these are no planned parts of handle %p", function, (void *)whole);
	RT_EXPECT(p->n == n, "%s: the plan has %u parts, not %u", function, p->n, n);
	return p;
}

static void switch_to(starpu_data_handle_t whole, unsigned n, starpu_data_handle_t *parts, enum rt_plan_state to, int ordered,
                      const char *function)
{
	struct rt_plan *p = plan_of(whole, n, parts, function);
	pthread_mutex_lock(&plan_lock);
	int rc = to == RT_PLAN_OFF ? close_plan(p) : plan_activate(p, to, ordered);
	pthread_mutex_unlock(&plan_lock);
	RT_EXPECT(!rc, "%s: %s", function, strerror(-rc));
}

void starpu_data_partition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
                                                         starpu_data_handle_t *children, int sequential_consistency)
{
	switch_to(initial_handle, nparts, children, RT_PLAN_WRITE, sequential_consistency, __func__);
}

void starpu_data_partition_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children)
{
	switch_to(initial_handle, nparts, children, RT_PLAN_WRITE, 1, __func__);
}

void starpu_data_partition_readonly_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
                                                                  starpu_data_handle_t *children, int sequential_consistency)
{
	switch_to(initial_handle, nparts, children, RT_PLAN_READ, sequential_consistency, __func__);
}

void starpu_data_partition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children)
{
	switch_to(initial_handle, nparts, children, RT_PLAN_READ, 1, __func__);
}

void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                                    starpu_data_handle_t *children)
{
	switch_to(initial_handle, nparts, children, RT_PLAN_WRITE, 1, __func__);
}

static void to_read_only(starpu_data_handle_t whole, unsigned n, starpu_data_handle_t *parts, const char *function)
{
	struct rt_plan *p = plan_of(whole, n, parts, function);
	pthread_mutex_lock(&plan_lock);
	int rc = let_read(p);
	pthread_mutex_unlock(&plan_lock);
	RT_EXPECT(!rc, "%s: %s", function, strerror(-rc));
}

void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                                     starpu_data_handle_t *children)
{
	to_read_only(initial_handle, nparts, children, __func__);
}

static void plan_fetch(starpu_data_handle_t h, int node)
{
	if (node >= 0 && (unsigned)node != gather_node(h))
		starpu_data_prefetch_on_node(h, (unsigned)node, 1);
}

void starpu_data_unpartition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children,
                                             int gathering_node)
{
	to_read_only(initial_handle, nparts, children, __func__);
	plan_fetch(initial_handle, gathering_node);
}

void starpu_data_unpartition_submit_sequential_consistency_cb(starpu_data_handle_t initial_handle, unsigned nparts,
                                                              starpu_data_handle_t *children, int gather_node_,
                                                              int sequential_consistency, void (*callback_func)(void *),
                                                              void *callback_arg)
{
	struct rt_plan *p = plan_of(initial_handle, nparts, children, __func__);
	struct turn t = {.plan = p, .to = RT_PLAN_OFF, .callback = callback_func, .arg = callback_arg};
	int rc = 0;
	pthread_mutex_lock(&plan_lock);
	for (unsigned i = 0; i < p->n && !rc; i++)
		for (struct rt_plan *below = p->part[i]->plans; below && !rc; below = below->next)
			rc = close_plan(below);
	t.gathers = p->state == RT_PLAN_WRITE;
	if (!rc && (p->state != RT_PLAN_OFF || callback_func))
		rc = plan_submit(t, sequential_consistency);
	p->state = rc ? p->state : RT_PLAN_OFF;
	pthread_mutex_unlock(&plan_lock);
	RT_EXPECT(!rc, "%s: %s", __func__, strerror(-rc));
	plan_fetch(initial_handle, gather_node_);
}

void starpu_data_unpartition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
                                                           starpu_data_handle_t *children, int gathering_node,
                                                           int sequential_consistency)
{
	starpu_data_unpartition_submit_sequential_consistency_cb(initial_handle, nparts, children, gathering_node,
	                                                         sequential_consistency, NULL, NULL);
}

void starpu_data_unpartition_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children,
                                    int gathering_node)
{
	starpu_data_unpartition_submit_sequential_consistency(initial_handle, nparts, children, gathering_node, 1);
}

/* Of 1.3. Everything below it, down to the last plan. */
void starpu_data_unpartition_submit_r(starpu_data_handle_t initial_handle, int gathering_node)
{
	int rc = 0;
	pthread_mutex_lock(&plan_lock);
	for (struct rt_plan *p = initial_handle->plans; p && !rc; p = p->next)
		rc = close_plan(p);
	pthread_mutex_unlock(&plan_lock);
	RT_EXPECT(!rc, "%s: %s", __func__, strerror(-rc));
	plan_fetch(initial_handle, gathering_node);
}

/* ---- ending a plan ---- */

static void unlink_plan(struct rt_plan *p)
{
	struct rt_plan **at = &p->parent->plans;
	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
}

/* All jobs submitted on the whole are done: its memory may be freed, and the plan. */
static void end_plan(struct rt_acquired *a)
{
	starpu_data_handle_t h = rt_acquired_handle(a);
	rt_replica_lock();
	h->replica[gather_node(h)].pins--;
	rt_replica_unlock();
	free(a->arg);
	rt_acquired_end(a);
}

void starpu_data_partition_clean_node(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children,
                                      int gather_node_)
{
	struct rt_plan *p = plan_of(root_data, nparts, children, __func__);
	pthread_mutex_lock(&plan_lock);
	int rc = close_plan(p);
	unlink_plan(p);
	for (unsigned i = 0; i < nparts; i++)
		children[i]->part_of = NULL;
	pthread_mutex_unlock(&plan_lock);
	RT_EXPECT(!rc, "%s: %s", __func__, strerror(-rc));
	for (unsigned i = 0; i < nparts; i++)
		starpu_data_unregister_submit(children[i]);
	/* The last switch still needs the plan. */
	struct rt_acquired *a = calloc(1, sizeof *a);
	RT_EXPECT(a, "%s: no memory", __func__);
	*a = (struct rt_acquired){.handle = root_data,
	                          .node = RT_A_NO_NODE,
	                          .mode = RT_READ | RT_WRITE | RT_NOPLAN,
	                          .ours = true,
	                          .then = end_plan,
	                          .arg = p};
	rc = rt_acquire_submit(a, true);
	RT_EXPECT(!rc, "%s: %s", __func__, strerror(-rc));
	if (!root_data->plans && !root_data->part_of)
		rt_handle_mark(&root_data->order, 0, RT_H_PLANNED);
	plan_fetch(root_data, gather_node_);
}

void starpu_data_partition_clean(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children)
{
	starpu_data_partition_clean_node(root_data, nparts, children, root_data->home);
}

void rt_plans_close(starpu_data_handle_t h)
{
	int rc = 0;
	if (!h->plans)
		return;
	pthread_mutex_lock(&plan_lock);
	for (struct rt_plan *p = h->plans; p && !rc; p = p->next)
		rc = close_plan(p);
	pthread_mutex_unlock(&plan_lock);
	RT_EXPECT(!rc, "no memory to put handle %p together", (void *)h);
}

void rt_plans_forget(starpu_data_handle_t h)
{
	pthread_mutex_lock(&plan_lock);
	for (struct rt_plan *p = h->plans, *next; p; p = next) {
		next = p->next;
		for (unsigned i = 0; i < p->n; i++)
			if (p->part[i])
				p->part[i]->part_of = NULL;
		free(p);
	}
	h->plans = NULL;
	if (h->part_of)
		for (unsigned i = 0; i < h->part_of->n; i++)
			if (h->part_of->part[i] == h)
				h->part_of->part[i] = NULL;
	pthread_mutex_unlock(&plan_lock);
}
