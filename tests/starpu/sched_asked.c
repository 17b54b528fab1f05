/* SPDX-License-Identifier: Apache-2.0 */
/* What components of schedulers, queues and collections of workers answer, outside of any scheduling. */
#include "starpu_check.h"
#include <limits.h>
#include <math.h>
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>
#include <starpu_scheduler_toolbox.h>
#include <starpu_tree.h>

typedef struct starpu_sched_component component;

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}
static struct starpu_codelet plain = {.cpu_funcs = {nothing}, .name = "plain"};
static struct starpu_codelet of_device = {.opencl_funcs = {nothing}};

static struct starpu_task *task_of(struct starpu_codelet *cl, int priority)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->priority = priority;
	t->destroy = 0;
	return t;
}

/* A queue, above what takes turns, above the workers. */
static void begin(unsigned ctx)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	t->root = starpu_sched_component_fifo_create(t, NULL);
	component *turns = starpu_sched_component_eager_create(t, NULL);
	starpu_sched_component_connect(t->root, turns);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		starpu_sched_component_connect(turns, starpu_sched_component_worker_new(ctx, (int)i));
	starpu_sched_tree_update_workers(t);
	starpu_sched_ctx_set_policy_data(ctx, t);
}

static struct starpu_sched_policy policy = {
	.init_sched = begin,
	.deinit_sched = starpu_sched_tree_deinitialize,
	.add_workers = starpu_sched_tree_add_workers,
	.remove_workers = starpu_sched_tree_remove_workers,
	.push_task = starpu_sched_tree_push_task,
	.pop_task = starpu_sched_tree_pop_task,
	.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
	.post_exec_hook = starpu_sched_component_worker_post_exec_hook,
	.policy_name = "asked",
};

static void check_tree(struct starpu_sched_tree *t)
{
	component *root = t->root, *turns = root->children[0], *worker = turns->children[0];
	CHECK(starpu_sched_component_is_worker(worker) && starpu_sched_component_is_simple_worker(worker));
	CHECK(!starpu_sched_component_is_combined_worker(worker) && !starpu_sched_component_is_worker(turns));
	CHECK(starpu_sched_component_worker_get_workerid(worker) == 0 && starpu_sched_component_worker_get(0, 0) == worker);
	CHECK(starpu_bitmap_cardinal(&root->workers) == 2 && starpu_bitmap_cardinal(&worker->workers_in_ctx) == 1);
	CHECK(STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(root) && STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(root));

	struct starpu_task *can = task_of(&plain, 0), *cannot = task_of(&of_device, 0);
	double length = -1;
	CHECK(starpu_sched_component_can_execute_task(root, can) && !starpu_sched_component_can_execute_task(root, cannot));
	CHECK(starpu_sched_component_execute_preds(root, can, &length) && length == 0);
	CHECK(!starpu_sched_component_execute_preds(root, cannot, &length));
	CHECK(starpu_sched_component_transfer_length(turns, can) == 0);
	starpu_sched_component_prefetch_on_node(worker, can);

	CHECK(root->estimated_load(root) == 0 && starpu_sched_component_estimated_load(turns) == 0);
	double end = starpu_sched_component_estimated_end_min(turns);
	CHECK(isfinite(end) && isfinite(starpu_sched_component_estimated_end_average(turns)));
	CHECK(starpu_sched_component_estimated_end_min_add(turns, 2000) >= end + 1000);
	CHECK(!starpu_sched_component_can_push(root, turns) && !starpu_sched_component_send_can_push_to_parents(root));
	starpu_sched_tree_do_schedule(0);
	starpu_task_destroy(can);
	starpu_task_destroy(cannot);
}

/* Each kind knows its own, and no other. */
static void check_kinds(struct starpu_sched_tree *t)
{
	struct starpu_sched_component_mct_data mct = {.alpha = 1, .beta = 1, ._gamma = 1000};
	struct starpu_sched_component_heteroprio_data hetero = {.mct = &mct, .batch = 1};
	const struct {
		component *made;
		int (*is)(component *);
	} kinds[] = {
		{starpu_sched_component_fifo_create(t, NULL), starpu_sched_component_is_fifo},
		{starpu_sched_component_prio_create(t, NULL), starpu_sched_component_is_prio},
		{starpu_sched_component_work_stealing_create(t, NULL), starpu_sched_component_is_work_stealing},
		{starpu_sched_component_random_create(t, NULL), starpu_sched_component_is_random},
		{starpu_sched_component_eager_create(t, NULL), starpu_sched_component_is_eager},
		{starpu_sched_component_eager_prio_create(t, NULL), starpu_sched_component_is_eager_prio},
		{starpu_sched_component_eager_calibration_create(t, NULL), starpu_sched_component_is_eager_calibration},
		{starpu_sched_component_mct_create(t, &mct), starpu_sched_component_is_mct},
		{starpu_sched_component_heft_create(t, &mct), starpu_sched_component_is_heft},
		{starpu_sched_component_heteroprio_create(t, &hetero), starpu_sched_component_is_heteroprio},
		{starpu_sched_component_stage_create(t, NULL), starpu_sched_component_is_stage},
		{starpu_sched_component_userchoice_create(t, NULL), starpu_sched_component_is_userchoice},
	};
	enum { KINDS = sizeof kinds / sizeof *kinds };
	for (unsigned i = 0; i < KINDS; i++)
		for (unsigned k = 0; k < KINDS; k++)
			CHECK(!kinds[k].is(kinds[i].made) == (i != k));
	for (unsigned i = 0; i < KINDS; i++)
		starpu_sched_component_destroy(kinds[i].made);
}

/* A queue above another: what is pushed to one is pulled, or pumped into the other. */
static void check_pumping(struct starpu_sched_tree *t)
{
	component *above = starpu_sched_component_fifo_create(t, NULL), *below = starpu_sched_component_prio_create(t, NULL);
	struct starpu_task *task = task_of(&plain, 0);
	int success = 0;
	starpu_bitmap_or(&above->workers_in_ctx, &t->workers);
	starpu_bitmap_or(&below->workers_in_ctx, &t->workers);
	starpu_sched_component_connect(above, below);
	CHECK(above->nchildren == 1 && below->nparents == 1);
	CHECK(!starpu_sched_component_push_task(NULL, above, task) && above->estimated_load(above) > 0);
	CHECK(starpu_sched_component_pull_task(above, above) == task && !starpu_sched_component_pull_task(above, above));
	CHECK(!starpu_sched_component_push_task(NULL, above, task));
	CHECK(!starpu_sched_component_pump_downstream(above, &success) && success);
	success = 0;
	CHECK(!starpu_sched_component_pump_to(above, below, &success) && !success);
	CHECK(starpu_sched_component_pull_task(below, below) == task);
	CHECK(!starpu_sched_component_push_task(NULL, above, task));
	CHECK(starpu_sched_component_parents_pull_task(below, below) == task);
	starpu_sched_component_destroy_rec(above);
	starpu_task_destroy(task);
}

static int n_woken;
static int wakes(component *c)
{
	(void)c;
	return ++n_woken;
}

/* What is below may pull: one that wants to is enough, or all of them are told. */
static void check_telling(struct starpu_sched_tree *t)
{
	component *above = starpu_sched_component_create(t, "above"), *below[2];
	for (int i = 0; i < 2; i++) {
		below[i] = starpu_sched_component_create(t, "below");
		below[i]->can_pull = wakes;
		starpu_sched_component_add_child(above, below[i]);
		starpu_sched_component_add_child(above, below[i]);
		below[i]->add_parent(below[i], above);
	}
	CHECK(above->nchildren == 2);
	CHECK(starpu_sched_component_can_pull(above) && n_woken == 1);
	CHECK(starpu_sched_component_can_pull_all(above) && n_woken == 3);
	starpu_sched_tree_update_workers_in_ctx(t);
	CHECK(starpu_bitmap_cardinal(&t->root->workers_in_ctx) == 2);
	starpu_sched_component_destroy_rec(above);
}

static void check_fifo(struct starpu_task *task[6])
{
	starpu_st_fifo_taskq_t q = starpu_st_fifo_taskq_create();
	starpu_st_fifo_exp_start_set(q, 5);
	starpu_st_fifo_exp_end_set(q, 9);
	starpu_st_fifo_exp_len_set(q, 4);
	starpu_st_fifo_exp_len_inc(q, 2);
	starpu_st_fifo_pipeline_len_set(q, 1);
	starpu_st_fifo_pipeline_len_inc(q, 0.5);
	CHECK(starpu_st_fifo_exp_start_get(q) == 5 && starpu_st_fifo_exp_end_get(q) == 9);
	CHECK(starpu_st_fifo_exp_len_get(q) == 6 && starpu_st_fifo_pipeline_len_get(q) == 1.5);
	unsigned processed = starpu_st_fifo_nprocessed_get(q);
	starpu_st_fifo_nprocessed_inc(q, 1);
	CHECK(starpu_st_fifo_nprocessed_get(q) == processed + 1);

	for (int i = 0; i < 6; i++)
		starpu_st_fifo_taskq_push_sorted_task(q, task[i]);
	CHECK(starpu_st_fifo_ntasks_get(q) == 6);
	int min = starpu_sched_get_min_priority(), max = starpu_sched_get_max_priority();
	starpu_sched_set_min_priority(0);
	starpu_sched_set_max_priority(2);
	for (int i = 0; i < 6; i++)
		task[i]->predicted = 10;
	const unsigned *tasks = starpu_st_fifo_ntasks_per_priority_get(q);
	const double *length = starpu_st_fifo_exp_len_per_priority_get(q);
	CHECK(tasks && tasks[0] == 6 && tasks[1] == 4 && tasks[2] == 2);
	CHECK(length && length[0] == 60 && length[1] == 40 && length[2] == 20);
	starpu_sched_set_min_priority(INT_MIN);
	starpu_sched_set_max_priority(INT_MAX);
	CHECK(!starpu_st_fifo_ntasks_per_priority_get(q) && !starpu_st_fifo_exp_len_per_priority_get(q));
	starpu_sched_set_min_priority(min);
	starpu_sched_set_max_priority(max);
	static const int order[] = {2, 5, 1, 4, 0, 3};
	for (int i = 0; i < 6; i++)
		CHECK(starpu_st_fifo_taskq_pop_first_ready_task_ready_first(q, 0, 3) == task[order[i]]);
	CHECK(starpu_st_fifo_taskq_empty(q));

	for (int i = 0; i < 6; i++)
		starpu_st_fifo_taskq_push_task(q, task[i]);
	for (int i = 0; i < 5; i++)
		CHECK(starpu_st_fifo_taskq_pop_task(q, 0));
	CHECK(!starpu_st_fifo_taskq_pop_task(q, 0) && !starpu_st_fifo_taskq_pop_this_task(q, 0, task[5]));
	CHECK(starpu_st_fifo_taskq_pop_local_task(q) == task[5]);
	starpu_st_fifo_taskq_destroy(q);
}

static void check_deque(struct starpu_task *task[6])
{
	max_align_t room[16];
	starpu_st_prio_deque_t q = (starpu_st_prio_deque_t)room;
	struct starpu_task *skipped;
	starpu_st_prio_deque_init(q);
	for (int i = 0; i < 6; i++)
		starpu_st_prio_deque_push_front_task(q, task[i]);
	CHECK(starpu_st_prio_deque_deque_task_for_worker(q, 0, &skipped) == task[0] && !skipped);
	CHECK(starpu_st_prio_deque_pop_task_for_worker(q, 0, &skipped) == task[2] && skipped == task[5]);
	CHECK(!starpu_st_prio_deque_pop_this_task(q, 0, task[5]));
	starpu_st_prio_deque_erase(q, task[5]);
	CHECK(starpu_st_prio_deque_deque_first_ready_task(q, 0) == task[4]);
	CHECK(starpu_st_prio_deque_pop_task(q) == task[1] && starpu_st_prio_deque_pop_task(q) == task[3]);
	CHECK(starpu_st_prio_deque_is_empty(q));
	starpu_st_prio_deque_destroy(q);
}

/* Six tasks of priorities 0, 1, 2, 0, 1, 2: the last can run nowhere. */
static void check_queues(void)
{
	struct starpu_task *task[6];
	size_t missing = 1, not_coming = 1, not_allocated = 1;
	for (int i = 0; i < 6; i++)
		task[i] = task_of(i == 5 ? &of_device : &plain, i % 3);
	check_fifo(task);
	check_deque(task);
	CHECK(starpu_st_non_ready_buffers_count(task[0], 0) == 0);
	starpu_st_non_ready_buffers_size(task[0], 0, &missing, &not_coming, &not_allocated);
	CHECK(missing + not_coming + not_allocated == 0);
	for (int i = 0; i < 6; i++)
		starpu_task_destroy(task[i]);
}

static int walked(struct starpu_worker_collection *w)
{
	struct starpu_sched_ctx_iterator it;
	int digits = 0;
	w->init_iterator(w, &it);
	while (w->has_next(w, &it))
		digits = 10 * digits + w->get_next(w, &it) + 1;
	return digits;
}

/* A list is in the order in which workers came, a tree in that of the machine; none is in it twice. */
static void check_collection(struct starpu_worker_collection w, int both)
{
	w.init(&w);
	CHECK(w.add(&w, 1) == 1 && w.add(&w, 0) == 0 && w.add(&w, 1) < 0);
	CHECK(w.nworkers == 2 && walked(&w) == both);
	CHECK(w.remove(&w, 1) == 1 && w.remove(&w, 1) < 0 && walked(&w) == 1);
	w.deinit(&w);
}

/* The worker beside one's own, as long as it is there and was not visited. */
static void check_neighbour(void)
{
	char visited[STARPU_NMAXWORKERS] = {0}, present[STARPU_NMAXWORKERS] = {1, 1};
	struct starpu_tree *machine = starpu_workers_get_tree(), *own = starpu_tree_get(machine, starpu_worker_get_bindid(0));
	if (!own || starpu_worker_get_bindid(1) == starpu_worker_get_bindid(0))
		return;
	struct starpu_tree *other = starpu_tree_get_neighbour(machine, own, visited, present);
	CHECK(other && other->id == starpu_worker_get_bindid(1));
	visited[1] = 1;
	CHECK(!starpu_tree_get_neighbour(machine, own, visited, present));
	starpu_tree_reset_visited(machine, visited);
	CHECK(!visited[1] && starpu_tree_get_neighbour(machine, own, visited, present) == other);
}

/* A task is called as it says itself, else as its model, else as its codelet. */
static void check_names(void)
{
	static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "asked"};
	struct starpu_codelet modelled = {.cpu_funcs = {nothing}, .name = "codelet", .model = &model};
	struct starpu_task *t = task_of(&plain, 0);
	CHECK(strcmp(starpu_task_get_name(t), "plain") == 0 && strcmp(starpu_task_get_model_name(t), "plain") == 0);
	t->cl = &modelled;
	CHECK(strcmp(starpu_task_get_name(t), "asked") == 0 && strcmp(starpu_task_get_model_name(t), "asked") == 0);
	t->name = "own";
	CHECK(strcmp(starpu_task_get_name(t), "own") == 0);
	t->cl = NULL;
	t->name = NULL;
	CHECK(!starpu_task_get_name(t) && !starpu_task_get_model_name(t));
	starpu_task_destroy(t);
}

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy = &policy;
	if (starpu_init(&conf))
		return EXIT_FAILURE;
	for (int i = 0; i < 50; i++)
		CHECK(starpu_task_insert(&plain, 0) == 0);
	starpu_task_wait_for_all();
	/* Nobody schedules while the tree is looked at from outside. */
	starpu_pause();
	struct starpu_sched_tree *tree = starpu_sched_tree_get(0);
	check_tree(tree);
	check_kinds(tree);
	check_pumping(tree);
	check_telling(tree);
	starpu_resume();
	check_queues();
	check_collection(starpu_worker_list, 21);
	check_collection(starpu_worker_tree, 12);
	check_neighbour();
	check_names();
	starpu_shutdown();
	return checks_failed();
}
