/* SPDX-License-Identifier: Apache-2.0 */
/* Schedulers from components as a program builds them: by hand, from recipes, from words; queues of the toolbox. */
#include "starpu_check.h"
#include <stdint.h>
#include <starpu_sched_component.h>
#include <starpu_scheduler_toolbox.h>

enum { TASKS = 300 };
static int done, by_worker[STARPU_NMAXWORKERS];

static void note(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&by_worker[starpu_worker_get_id_check()], 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet notes = {.cpu_funcs = {note}};

/* -- by hand: fifo ─> eager ─> workers -- */

static void init_by_hand(unsigned ctx)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	starpu_sched_ctx_set_policy_data(ctx, t);
	t->root = starpu_sched_component_fifo_create(t, NULL);
	struct starpu_sched_component *eager = starpu_sched_component_eager_create(t, NULL);
	CHECK(starpu_sched_component_is_fifo(t->root) && starpu_sched_component_is_eager(eager) &&
	      !starpu_sched_component_is_prio(eager));
	starpu_sched_component_connect(t->root, eager);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_sched_component *worker = starpu_sched_component_worker_new(ctx, (int)i);
		CHECK(starpu_sched_component_is_simple_worker(worker) &&
		      starpu_sched_component_worker_get_workerid(worker) == (int)i);
		starpu_sched_component_connect(eager, worker);
	}
	starpu_sched_tree_update_workers(t);
}

/* -- recipes: prio then random in a row, under a decision by words -- */

static void init_recipes(unsigned ctx)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	starpu_sched_ctx_set_policy_data(ctx, t);
	struct starpu_sched_component_composed_recipe *r = starpu_sched_component_composed_recipe_create();
	starpu_sched_component_composed_recipe_add(r,
	                                           (starpu_sched_component_create_t)(void (*)(
							   void))starpu_sched_component_prio_create,
	                                           NULL);
	starpu_sched_component_composed_recipe_add(r, starpu_sched_component_random_create, NULL);
	t->root = starpu_sched_component_composed_component_create(t, r);
	starpu_sched_component_composed_recipe_destroy(r);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		starpu_sched_component_connect(t->root, starpu_sched_component_worker_new(ctx, (int)i));
	starpu_sched_tree_update_workers(t);
}

static struct starpu_sched_component_composed_recipe *of_worker(enum starpu_worker_archtype arch)
{
	CHECK(arch == STARPU_CPU_WORKER);
	return starpu_sched_component_composed_recipe_create_singleton((starpu_sched_component_create_t)(void (*)(
									       void))starpu_sched_component_fifo_create,
	                                                               NULL);
}
static void init_machine(unsigned ctx)
{
	struct starpu_sched_component_specs s = {.worker_composed_sched_component = of_worker};
	s.hwloc_machine_composed_sched_component =
		starpu_sched_component_composed_recipe_create_singleton(starpu_sched_component_work_stealing_create, NULL);
	starpu_sched_component_make_scheduler(ctx, s);
	starpu_sched_component_composed_recipe_destroy(s.hwloc_machine_composed_sched_component);
}

static void init_several(unsigned ctx)
{
	starpu_sched_component_initialize_simple_schedulers(ctx, 2, starpu_sched_component_eager_create, NULL,
	                                                    STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE,
	                                                    starpu_sched_component_random_create, NULL,
	                                                    STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFOS_BELOW);
}

/* -- a component of one's own: sends odd tasks to worker 0, even ones to worker 1 -- */

static int odd_even(struct starpu_sched_component *c, struct starpu_task *t)
{
	return starpu_sched_component_push_task(c, c->children[(uintptr_t)t->cl_arg & 1], t);
}
static void init_own(unsigned ctx)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	starpu_sched_ctx_set_policy_data(ctx, t);
	t->root = starpu_sched_component_create(t, "odd or even");
	t->root->push_task = odd_even;
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		starpu_sched_component_connect(t->root, starpu_sched_component_worker_new(ctx, (int)i));
	starpu_sched_tree_update_workers(t);
}

/* -- the same between queues: those below get what it decides, and nothing past it -- */

static void init_between(unsigned ctx)
{
	struct starpu_sched_component_fifo_data two = {.ntasks_threshold = 2};
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	starpu_sched_ctx_set_policy_data(ctx, t);
	t->root = starpu_sched_component_fifo_create(t, NULL);
	struct starpu_sched_component *decision = starpu_sched_component_create(t, "odd or even");
	decision->push_task = odd_even;
	starpu_sched_component_connect(t->root, decision);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_sched_component *queue = starpu_sched_component_fifo_create(t, &two);
		starpu_sched_component_connect(decision, queue);
		starpu_sched_component_connect(queue, starpu_sched_component_worker_new(ctx, (int)i));
	}
	starpu_sched_tree_update_workers(t);
}

/* -- what splits tasks lets those through that cannot be split -- */

static void init_splitter(unsigned ctx)
{
	init_by_hand(ctx);
	struct starpu_sched_tree *t = starpu_sched_tree_get(ctx);
	struct starpu_sched_component *splitter = starpu_sched_component_splitter_create(t);
	starpu_sched_component_connect(splitter, t->root);
	t->root = splitter;
	starpu_sched_tree_update_workers(t);
}

/* -- leaves that are two workers at once: every third task goes there, and runs on both -- */

static int n_parties, in_party;
static void note_party(void *buffers[], void *arg)
{
	CHECK(starpu_combined_worker_get_size() == 2);
	int rank = starpu_combined_worker_get_rank();
	CHECK(rank == 0 || rank == 1);
	__atomic_add_fetch(&in_party, 1 + 1000 * rank, __ATOMIC_RELAXED);
	if (rank == 0)
		note(buffers, arg);
}
static struct starpu_codelet parties = {.cpu_funcs = {note_party}, .type = STARPU_SPMD, .max_parallelism = 2};

static int by_size(struct starpu_sched_component *c, struct starpu_task *t)
{
	unsigned child = t->cl == &parties ? 2 + (unsigned)__atomic_fetch_add(&n_parties, 1, __ATOMIC_RELAXED) % 2
	                                   : (uintptr_t)t->cl_arg & 1;
	return starpu_sched_component_push_task(c, c->children[child], t);
}
static void init_parties(unsigned ctx)
{
	int ids[] = {0, 1};
	unsigned members[] = {0, 1};
	init_own(ctx);
	struct starpu_sched_tree *t = starpu_sched_tree_get(ctx);
	t->root->push_task = by_size;
	struct starpu_sched_component *leaf[] = {
		starpu_sched_component_parallel_worker_create(t, 2, members),
		starpu_sched_component_worker_new(ctx, starpu_combined_worker_assign_workerid(2, ids)),
	};
	for (unsigned i = 0; i < 2; i++) {
		CHECK(starpu_sched_component_is_combined_worker(leaf[i]) && starpu_sched_component_is_worker(leaf[i]) &&
		      !starpu_sched_component_is_simple_worker(leaf[i]));
		CHECK(starpu_worker_is_combined_worker(starpu_sched_component_worker_get_workerid(leaf[i])));
		starpu_sched_component_connect(t->root, leaf[i]);
	}
	starpu_sched_tree_update_workers(t);
	n_parties = in_party = 0;
}

static struct starpu_codelet *codelet_of(void (*init)(unsigned), int i)
{
	return init == init_parties && i % 3 == 0 ? &parties : &notes;
}

static void run(void (*init)(unsigned), const char *name)
{
	struct starpu_sched_policy policy = {
		.init_sched = init,
		.deinit_sched = starpu_sched_tree_deinitialize,
		.add_workers = starpu_sched_tree_add_workers,
		.remove_workers = starpu_sched_tree_remove_workers,
		.push_task = starpu_sched_tree_push_task,
		.pop_task = starpu_sched_tree_pop_task,
		.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
		.post_exec_hook = starpu_sched_component_worker_post_exec_hook,
		.policy_name = name,
		.policy_description = name,
		.worker_type = STARPU_WORKER_LIST,
	};
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy = &policy;
	conf.ncpus = 2;
	if (starpu_init(&conf) || starpu_cpu_worker_get_count() < 2)
		cannot_begin();
	done = 0;
	memset(by_worker, 0, sizeof by_worker);
	struct starpu_sched_component *root = starpu_sched_tree_get(0)->root;
	CHECK(starpu_bitmap_cardinal(&root->workers) == (init == init_parties ? 3 : 2));
	CHECK(STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(root));
	for (int i = 0; i < TASKS; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = codelet_of(init, i);
		t->cl_arg = (void *)(uintptr_t)i;
		t->priority = i % 3;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_task_wait_for_all();
	CHECK(done == TASKS);
	if (init == init_own || init == init_between)
		CHECK(by_worker[0] == TASKS / 2 && by_worker[1] == TASKS / 2);
	if (init == init_parties)
		CHECK(n_parties == TASKS / 3 && in_party == TASKS / 3 * 1002);
	CHECK(root->estimated_load(root) == 0);
	starpu_shutdown();
}

/* -- the toolbox -- */

static void toolbox(void)
{
	struct starpu_task t[6];
	static const int priority[] = {0, 5, 0, 5, -3, 2}, sorted[] = {1, 3, 5, 0, 2, 4};
	if (starpu_init(NULL))
		cannot_begin();
	starpu_st_fifo_taskq_t q = starpu_st_fifo_taskq_create();
	for (int i = 0; i < 6; i++) {
		starpu_task_init(&t[i]);
		t[i].cl = &notes;
		t[i].priority = priority[i];
		t[i].predicted = 10;
		starpu_st_fifo_taskq_push_sorted_task(q, &t[i]);
	}
	CHECK(starpu_st_fifo_ntasks_get(q) == 6 && !starpu_st_fifo_taskq_empty(q));
	int before;
	CHECK(starpu_st_fifo_taskq_get_exp_len_prev_task_list(q, &t[5], 0, 0, &before) == 30 && before == 3);
	for (int i = 0; i < 6; i++)
		CHECK(starpu_st_fifo_taskq_pop_local_task(q) == &t[sorted[i]]);
	CHECK(starpu_st_fifo_taskq_pop_task(q, 0) == NULL);
	for (int i = 0; i < 6; i++)
		starpu_st_fifo_taskq_push_back_task(q, &t[i]);
	CHECK(starpu_st_fifo_taskq_pop_this_task(q, 0, &t[3]) == 1);
	CHECK(starpu_st_fifo_taskq_pop_task(q, 0) == &t[0]);
	starpu_st_fifo_exp_len_set(q, 5);
	starpu_st_fifo_exp_len_inc(q, 2);
	CHECK(starpu_st_fifo_exp_len_get(q) == 7 && starpu_st_fifo_ntasks_get(q) == 4 && starpu_st_fifo_nprocessed_get(q) == 12);
	starpu_st_fifo_taskq_destroy(q);
	starpu_sched_set_min_priority(0);
	starpu_sched_set_max_priority(10);
	CHECK(starpu_st_normalize_prio(10, 5, 0) == 4 && starpu_st_normalize_prio(0, 5, 0) == 0 &&
	      starpu_st_normalize_prio(99, 5, 0) == 4);
	for (int i = 0; i < 6; i++)
		starpu_task_clean(&t[i]);
	starpu_shutdown();
}

int main(void)
{
	unsetenv("STARPU_SCHED");
	setenv("STARPU_SILENT", "1", 1);
	run(init_by_hand, "by hand");
	run(init_recipes, "recipes");
	run(init_machine, "machine");
	run(init_several, "several");
	run(init_own, "own");
	run(init_between, "between");
	run(init_splitter, "splitter");
	run(init_parties, "parties");
	toolbox();
	return checks_failed();
}
