/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components that choose among their children: eager, random, by model (mct, heft, heteroprio), by
 * what the model knows, by the program.
 *
 * A decision has no queue. A task pushed to it goes to one child now, or is refused and stays in
 * the queue above; when a child has room again (can_push), the decision pulls from above and
 * decides again. Those by model add for each child its expected end, the transfers and the model's
 * length up; alpha, beta and gamma weigh end, transfers and energy as in policy_dm.c.
 */
#include "sched_knobs.h"
#include "runtime/task/complain.h"
#include "comp.h"
#include <math.h>
#include <stdlib.h>

/* -- eager: any child that pulls; of a push, the calling worker's child if it has no task, else the children in turn -- */

struct turn {
	unsigned at;
};

static int push_in_turn(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct turn *turn = c->data;
	const struct starpu_task *ends = starpu_task_get_current();
	int own = comp_child_of_caller(c);
	starpu_sched_task_break(t);
	/* A worker that released it at the end of its last task is awake. */
	if (own >= 0 && ends && ends->status == STARPU_TASK_FINISHED && c->children[own]->estimated_load(c->children[own]) <= 0 &&
	    starpu_sched_component_can_execute_task(c->children[own], t) &&
	    !starpu_sched_component_push_task(c, c->children[own], t))
		return 0;
	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_sched_component *child = c->children[turn->at++ % c->nchildren];
		if (starpu_sched_component_can_execute_task(child, t) && !starpu_sched_component_push_task(c, child, t))
			return 0;
	}
	return 1;
}

#define EAGER(name, text) \
	static int name##_push(struct starpu_sched_component *c, struct starpu_task *t) \
	{ \
		return push_in_turn(c, t); \
	} \
	struct starpu_sched_component *starpu_sched_component_##name##_create(struct starpu_sched_tree *tree, void *arg) \
	{ \
		struct starpu_sched_component *c = comp_new(tree, text, sizeof(struct turn)); \
		(void)arg; \
		c->push_task = name##_push; \
		return c; \
	} \
	int starpu_sched_component_is_##name(struct starpu_sched_component *component) \
	{ \
		return comp_is(component, name##_push); \
	}
EAGER(eager, "eager")

/* The same under a queue by priority: eager itself takes tasks in the order in which they come. */
static int prio_in_turn(struct starpu_sched_component *c, struct starpu_task *t)
{
	return push_in_turn(c, t) != 0;
}

struct starpu_sched_component *starpu_sched_component_eager_prio_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_eager_create(tree, arg);
	c->push_task = prio_in_turn;
	return c;
}

int starpu_sched_component_is_eager_prio(struct starpu_sched_component *component)
{
	return comp_is(component, prio_in_turn);
}

/* To the child with the least to do of those whose models still learn; else in turn. */
static int calibration_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct starpu_sched_component *best = NULL;
	double least = INFINITY, length;
	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_sched_component *child = c->children[i];
		if (!starpu_sched_component_execute_preds(child, t, &length) || !isnan(length))
			continue;
		double load = child->estimated_load(child);
		if (load < least) {
			least = load;
			best = child;
		}
	}
	return best && !starpu_sched_component_push_task(c, best, t) ? 0 : push_in_turn(c, t);
}

struct starpu_sched_component *starpu_sched_component_eager_calibration_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = comp_new(tree, "eager_calibration", sizeof(struct turn));
	(void)arg;
	c->push_task = calibration_push;
	return c;
}

int starpu_sched_component_is_eager_calibration(struct starpu_sched_component *component)
{
	return comp_is(component, calibration_push);
}

/* -- random -- */

static double speed_of(struct starpu_sched_component *c)
{
	double sum = 0;
	for (int w = starpu_bitmap_first(&c->workers_in_ctx); w >= 0; w = starpu_bitmap_next(&c->workers_in_ctx, w))
		sum += starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(w, c->tree->sched_ctx_id));
	return sum;
}

/* A child that has refused is left out of this draw. */
static int random_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	double weight[STARPU_NMAXWORKERS], sum = 0;
	unsigned n = c->nchildren < STARPU_NMAXWORKERS ? c->nchildren : STARPU_NMAXWORKERS;
	starpu_sched_task_break(t);
	for (unsigned i = 0; i < n; i++) {
		weight[i] = starpu_sched_component_can_execute_task(c->children[i], t) ? speed_of(c->children[i]) : 0;
		sum += weight[i];
	}
	while (sum > 0) {
		double lot = starpu_drand48() * sum;
		unsigned at = n;
		for (unsigned i = 0; i < n && (at == n || lot >= 0); i++)
			if (weight[i] > 0) {
				at = i;
				lot -= weight[i];
			}
		if (!starpu_sched_component_push_task(c, c->children[at], t))
			return 0;
		sum -= weight[at];
		weight[at] = 0;
		sum = sum < 1e-9 ? 0 : sum;
	}
	return 1;
}

static struct starpu_sched_component *comp_decision(struct starpu_sched_tree *tree, const char *name,
                                                    int (*push)(struct starpu_sched_component *, struct starpu_task *),
                                                    size_t bytes)
{
	struct starpu_sched_component *c = comp_new(tree, name, bytes);
	c->push_task = push;
	c->pull_task = comp_decision_pull;
	c->can_pull = comp_decision_can_pull;
	c->can_push = comp_decision_can_push;
	return c;
}

struct starpu_sched_component *starpu_sched_component_random_create(struct starpu_sched_tree *tree, void *arg)
{
	(void)arg;
	return comp_decision(tree, "random", random_push, 0);
}

int starpu_sched_component_is_random(struct starpu_sched_component *component)
{
	return comp_is(component, random_push);
}

/* -- by model -- */

struct offer {
	struct starpu_sched_component *child;
	double length, transfer, energy, end;
};

static unsigned comp_offers(struct starpu_sched_component *c, struct starpu_task *t, struct offer *o)
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->nchildren && n < STARPU_NMAXWORKERS; i++) {
		struct starpu_sched_component *child = c->children[i];
		struct offer *at = &o[n];
		*at = (struct offer){.child = child};
		if (!starpu_sched_component_execute_preds(child, t, &at->length))
			continue;
		int w = starpu_bitmap_first(&child->workers_in_ctx);
		at->energy = w < 0 ? 0 : starpu_task_worker_expected_energy(t, (unsigned)w, c->tree->sched_ctx_id, 0);
		at->energy = isnan(at->energy) ? 0 : at->energy;
		at->length = isnan(at->length) ? 0 : at->length;
		at->transfer = starpu_sched_component_transfer_length(child, t);
		at->end = child->estimated_end(child) + at->length + at->transfer;
		n++;
	}
	return n;
}

static int comp_mct(struct starpu_sched_component *c, struct starpu_task *t)
{
	const struct starpu_sched_component_mct_data *d = c->data;
	struct offer o[STARPU_NMAXWORKERS];
	unsigned n = comp_offers(c, t, o);
	double earliest = INFINITY;
	for (unsigned i = 0; i < n; i++)
		earliest = fmin(earliest, o[i].end);
	const struct sched_knobs *k = sched_knobs_in(c->tree->sched_ctx_id);
	double alpha = d->alpha * sched_instant(&k->alpha), beta = d->beta * sched_instant(&k->beta),
	       gamma = d->_gamma * sched_instant(&k->gamma), idle_power = d->idle_power * sched_instant(&k->idle_power);
	/*
	 * The cheapest; when it refuses, the next, so that a full queue does not delay tasks for
	 * others.
	 */
	for (unsigned tries = 0; tries < n; tries++) {
		unsigned best = n;
		double least = INFINITY;
		for (unsigned i = 0; i < n; i++) {
			double joule = o[i].energy + idle_power * (o[i].end - earliest) / 1e6;
			double cost = alpha * (o[i].end - earliest) + beta * o[i].transfer + gamma * joule;
			if (o[i].child && cost < least) {
				least = cost;
				best = i;
			}
		}
		if (best == n)
			return 1;
		starpu_sched_task_break(t);
		t->predicted = o[best].length;
		t->predicted_transfer = o[best].transfer;
		if (!starpu_sched_component_push_task(c, o[best].child, t))
			return 0;
		/* It is best there: wait for room, where the queue notifies of room. */
		if (c->nparents)
			return 1;
		o[best].child = NULL;
	}
	return 1;
}

static int mct_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	return comp_mct(c, t);
}

/* heft takes the most urgent first: its queue above is by priority. */
static int heft_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	return comp_mct(c, t) != 0;
}

static struct starpu_sched_component *by_model(struct starpu_sched_tree *tree, const char *name,
                                               int (*push)(struct starpu_sched_component *, struct starpu_task *),
                                               const struct starpu_sched_component_mct_data *how)
{
	struct starpu_sched_component *c = comp_decision(tree, name, push, sizeof(struct starpu_sched_component_mct_data));
	struct starpu_sched_component_mct_data *d = c->data;
	*d = how ? *how
	         : (struct starpu_sched_component_mct_data){
			   .alpha = rt_env_factor("STARPU_SCHED_ALPHA", 1.0F),
			   .beta = rt_env_factor("STARPU_SCHED_BETA", 1.0F),
			   ._gamma = rt_env_factor("STARPU_SCHED_GAMMA", 1000.0F),
			   .idle_power = rt_env_factor("STARPU_IDLE_POWER", 0.0F),
		   };
	return c;
}

struct starpu_sched_component *starpu_sched_component_mct_create(struct starpu_sched_tree *tree,
                                                                 struct starpu_sched_component_mct_data *mct_data)
{
	return by_model(tree, "mct", mct_push, mct_data);
}

int starpu_sched_component_is_mct(struct starpu_sched_component *component)
{
	return comp_is(component, mct_push);
}

struct starpu_sched_component *starpu_sched_component_heft_create(struct starpu_sched_tree *tree,
                                                                  struct starpu_sched_component_mct_data *mct_data)
{
	return by_model(tree, "heft", heft_push, mct_data);
}

int starpu_sched_component_is_heft(struct starpu_sched_component *component)
{
	return comp_is(component, heft_push);
}

/* -- heteroprio: a task goes to the device that is much faster at it, else to where it is done first -- */

static int heteroprio_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct offer o[STARPU_NMAXWORKERS];
	unsigned n = comp_offers(c, t, o), fastest = 0;
	double shortest = INFINITY, second = INFINITY;
	for (unsigned i = 0; i < n; i++)
		if (o[i].length < shortest) {
			second = shortest;
			shortest = o[i].length;
			fastest = i;
		} else {
			second = fmin(second, o[i].length);
		}
	enum { MUCH = 4 };
	if (n > 1 && shortest > 0 && second > MUCH * shortest) {
		t->predicted = o[fastest].length;
		t->predicted_transfer = o[fastest].transfer;
		if (!starpu_sched_component_push_task(c, o[fastest].child, t))
			return 0;
	}
	return comp_mct(c, t);
}

struct starpu_sched_component *starpu_sched_component_heteroprio_create(struct starpu_sched_tree *tree,
                                                                        struct starpu_sched_component_heteroprio_data *params)
{
	return by_model(tree, "heteroprio", heteroprio_push, params ? params->mct : NULL);
}

int starpu_sched_component_is_heteroprio(struct starpu_sched_component *component)
{
	return comp_is(component, heteroprio_push);
}

/* -- the implementation -- */

/* The shortest for the first worker below; an unknown one first, so that the model learns it. */
static void choose_implementation(struct starpu_sched_component *c, struct starpu_task *t)
{
	int w = starpu_bitmap_first(&c->workers_in_ctx);
	double shortest = INFINITY;
	unsigned impls = 0, best = 0;
	if (w < 0 || (unsigned)w >= starpu_worker_get_count() || !starpu_worker_can_execute_task_impl((unsigned)w, t, &impls))
		return;
	for (unsigned impl = 0; impls >> impl; impl++) {
		if (!(impls >> impl & 1))
			continue;
		double length = starpu_task_worker_expected_length(t, (unsigned)w, c->tree->sched_ctx_id, impl);
		if (isnan(length)) {
			best = impl;
			shortest = 0;
			break;
		}
		if (length < shortest) {
			shortest = length;
			best = impl;
		}
	}
	t->predicted = isinf(shortest) ? 0 : shortest;
	starpu_task_set_implementation(t, best);
}

static int best_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	choose_implementation(c, t);
	return starpu_sched_component_push_task(c, c->children[0], t);
}

static struct starpu_task *best_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct starpu_task *t = starpu_sched_component_parents_pull_task(c, to);
	if (t)
		choose_implementation(c, t);
	return t;
}

struct starpu_sched_component *starpu_sched_component_best_implementation_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = comp_new(tree, "best_implementation", 0);
	(void)arg;
	c->push_task = best_push;
	c->pull_task = best_pull;
	return c;
}

/* -- by the state of the model -- */

static int select_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	const struct starpu_sched_component_perfmodel_select_data *d = c->data;
	double length;
	if (!starpu_sched_component_execute_preds(c, t, &length))
		return 1;
	struct starpu_sched_component *to = isnan(length) ? d->calibrator_component
	                                    : length == 0 ? d->no_perfmodel_component
	                                                  : d->perfmodel_component;
	return starpu_sched_component_push_task(c, to, t);
}

struct starpu_sched_component *starpu_sched_component_perfmodel_select_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_perfmodel_select_data *perfmodel_select_data)
{
	struct starpu_sched_component *c = comp_decision(tree, "perfmodel_select", select_push, sizeof *perfmodel_select_data);
	*(struct starpu_sched_component_perfmodel_select_data *)c->data = *perfmodel_select_data;
	return c;
}

int starpu_sched_component_is_perfmodel_select(struct starpu_sched_component *component)
{
	return comp_is(component, select_push);
}

/* -- by the program: the child whose number is in the task -- */

static int numbered_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	uintptr_t child = (uintptr_t)t->sched_data;
	STARPU_ASSERT_MSG(child < c->nchildren, "the task's sched_data is %ju, and the component '%s' has %u children",
	                  (uintmax_t)child, c->name, c->nchildren);
	return starpu_sched_component_push_task(c, c->children[child], t);
}

static int userchoice_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	return numbered_push(c, t);
}

struct starpu_sched_component *starpu_sched_component_userchoice_create(struct starpu_sched_tree *tree, void *arg)
{
	(void)arg;
	return comp_decision(tree, "userchoice", userchoice_push, 0);
}

int starpu_sched_component_is_userchoice(struct starpu_sched_component *component)
{
	return comp_is(component, userchoice_push);
}

/*
 * A stage of several schedulers: a numbered task goes to that one, others to the first that
 * accepts.
 */
static int stage_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	if ((uintptr_t)t->sched_data < c->nchildren && t->sched_data)
		return numbered_push(c, t);
	for (unsigned i = 0; i < c->nchildren; i++)
		if (starpu_sched_component_can_execute_task(c->children[i], t) &&
		    !starpu_sched_component_push_task(c, c->children[i], t))
			return 0;
	return 1;
}

struct starpu_sched_component *starpu_sched_component_stage_create(struct starpu_sched_tree *tree, void *arg)
{
	(void)arg;
	return comp_decision(tree, "stage", stage_push, 0);
}

int starpu_sched_component_is_stage(struct starpu_sched_component *component)
{
	return comp_is(component, stage_push);
}

/* Tasks that make tasks split themselves when they run; here they pass. */
struct starpu_sched_component *starpu_sched_component_splitter_create(struct starpu_sched_tree *tree)
{
	return comp_new(tree, "splitter", 0);
}
