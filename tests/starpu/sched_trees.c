/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of components: what each flag of a simple scheduler builds, and random programs on every combination of flags that makes
 * sense; trees built by hand with several levels and parents, whose workers leave and come while tasks lie in them.
 */
#include "starpu_check.h"
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>

typedef struct starpu_sched_component component;
typedef component *create(struct starpu_sched_tree *, void *);
#define CREATE(c) ((starpu_sched_component_create_t)(void (*)(void))(c))
#define SIMPLE(flag) STARPU_SCHED_SIMPLE_##flag

static void begin(int ncpus, struct starpu_sched_policy *policy)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = ncpus;
	conf.nopencl = 0;
	conf.ncuda = 0;
	conf.sched_policy = policy;
	if (starpu_init(&conf) || starpu_cpu_worker_get_count() != (unsigned)ncpus)
		cannot_begin();
}

#define OF_TREE(init) \
	{ \
		.init_sched = init, .deinit_sched = starpu_sched_tree_deinitialize, \
		.add_workers = starpu_sched_tree_add_workers, .remove_workers = starpu_sched_tree_remove_workers, \
		.push_task = starpu_sched_tree_push_task, .pop_task = starpu_sched_tree_pop_task, \
		.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook, \
		.post_exec_hook = starpu_sched_component_worker_post_exec_hook, .policy_name = "tree" \
	}

/* ---- the shape that flags ask for ---- */

static const char *name_of(component *c)
{
	static const struct {
		int (*is)(component *);
		const char *name;
	} kinds[] = {
		{starpu_sched_component_is_fifo, "fifo"},
		{starpu_sched_component_is_prio, "prio"},
		{starpu_sched_component_is_random, "decision"},
		{starpu_sched_component_is_userchoice, "above"},
		{starpu_sched_component_is_stage, "stage"},
		{starpu_sched_component_is_eager, "eager"},
		{starpu_sched_component_is_eager_calibration, "learning"},
		{starpu_sched_component_is_work_stealing, "ws"},
		{starpu_sched_component_is_perfmodel_select, "select"},
		{starpu_sched_component_is_simple_worker, "w"},
		{starpu_sched_component_is_combined_worker, "c"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].is(c))
			return kinds[i].name;
	return "impl";
}

static void describe(component *c, FILE *to)
{
	fprintf(to, "%s", name_of(c));
	for (unsigned i = 0; i < c->nchildren; i++) {
		fprintf(to, i ? " " : "(");
		describe(c->children[i], to);
	}
	fprintf(to, c->nchildren ? ")" : "");
}

struct shape {
	int ncpus;
	unsigned flags;
	const char *is;
};
static const struct shape shapes[] = {
	{2, SIMPLE(DECIDE_WORKERS), "decision(w w)"},
	{1, SIMPLE(DECIDE_WORKERS), "fifo(eager(w))"},
	{1, SIMPLE(DECIDE_WORKERS) | SIMPLE(DECIDE_ALWAYS), "decision(w)"},
	{2, SIMPLE(DECIDE_MEMNODES) | SIMPLE(FIFO_ABOVE) | SIMPLE(FIFOS_BELOW), "fifo(eager(fifo(eager(w w))))"},
	{2, SIMPLE(DECIDE_MEMNODES) | SIMPLE(DECIDE_ALWAYS) | SIMPLE(FIFO_ABOVE) | SIMPLE(FIFOS_BELOW),
         "fifo(decision(fifo(eager(w w))))"},
	{2, SIMPLE(DECIDE_ARCHS) | SIMPLE(DECIDE_ALWAYS) | SIMPLE(FIFOS_BELOW) | SIMPLE(WS_BELOW), "decision(fifo(ws(w w)))"},
	{2, SIMPLE(DECIDE_WORKERS) | SIMPLE(FIFO_ABOVE) | SIMPLE(FIFOS_BELOW) | SIMPLE(WS_BELOW) | SIMPLE(IMPL),
         "fifo(decision(fifo(impl(w)) fifo(impl(w))))"},
	{2, SIMPLE(DECIDE_MEMNODES) | SIMPLE(DECIDE_ALWAYS) | SIMPLE(WS_BELOW) | SIMPLE(IMPL), "decision(ws(impl(w) impl(w)))"},
	{2, SIMPLE(DECIDE_WORKERS) | SIMPLE(COMBINED_WORKERS), "decision(w w c)"},
	{2,
         SIMPLE(DECIDE_WORKERS) | SIMPLE(FIFO_ABOVE) | SIMPLE(FIFO_ABOVE_PRIO) | SIMPLE(FIFOS_BELOW) | SIMPLE(FIFOS_BELOW_PRIO),
         "prio(decision(prio(w) prio(w)))"},
	{2, SIMPLE(DECIDE_WORKERS) | SIMPLE(PERFMODEL) | SIMPLE(FIFO_ABOVE),
         "fifo(select(decision(w w) eager(w w) learning(w w)))"},
};
static unsigned flags_now;
static int above_now;

static void init_shape(unsigned ctx)
{
	create *above = starpu_sched_component_userchoice_create, *decision = starpu_sched_component_random_create;
	if (above_now)
		starpu_sched_component_initialize_simple_schedulers(ctx, 1, decision, NULL, STARPU_SCHED_SIMPLE_PRE_DECISION,
		                                                    above, NULL, flags_now);
	else
		starpu_sched_component_initialize_simple_scheduler(CREATE(decision), NULL, flags_now, ctx);
}
static struct starpu_sched_policy of_shape = OF_TREE(init_shape);

static void check_shape(const struct shape *s)
{
	char *text = NULL;
	size_t n;
	flags_now = s->flags;
	begin(s->ncpus, &of_shape);
	FILE *to = open_memstream(&text, &n);
	describe(starpu_sched_tree_get(0)->root, to);
	fclose(to);
	if (strcmp(text, s->is) != 0)
		fprintf(stderr, "# flags %#x: %s, not %s\n", s->flags, text, s->is);
	CHECK(!strcmp(text, s->is));
	free(text);
	starpu_shutdown();
}

static void check_shapes(void)
{
	const struct shape with_one_above = {2, SIMPLE(DECIDE_WORKERS) | SIMPLE(FIFO_ABOVE) | SIMPLE(IMPL),
	                                     "fifo(above(decision(impl(w) impl(w))))"};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check_shape(&shapes[i]);
	above_now = 1;
	check_shape(&with_one_above);
	above_now = 0;
}

/* ---- random programs, the results those of the order of submission ---- */

enum { CELLS = 5, TASKS = 60 };

static void mix(void *buffers[], void *arg)
{
	unsigned *a = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]), *b = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]), i;
	starpu_codelet_unpack_args(arg, &i);
	if (starpu_combined_worker_get_rank() == 0)
		*a = *a * 3 + *b + i;
}
static double ten(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch;
	return 10 + impl;
}
static struct starpu_perfmodel known = {.type = STARPU_PER_ARCH, .arch_cost_function = ten, .symbol = "known"},
			       learns = {.type = STARPU_HISTORY_BASED, .symbol = "learns"};
static struct starpu_codelet mixes[] = {
	{.cpu_funcs = {mix}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .model = &known},
	{.cpu_funcs = {mix, mix}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .model = &learns},
	{.cpu_funcs = {mix, mix}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}},
	{.cpu_funcs = {mix},
         .nbuffers = 2,
         .modes = {STARPU_RW, STARPU_R},
         .type = STARPU_SPMD,
         .max_parallelism = 2,
         .model = &known},
};
enum { MIXES = sizeof mixes / sizeof *mixes };

static unsigned seed;
static unsigned lot(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

struct program {
	starpu_data_handle_t handle[CELLS];
	unsigned cell[CELLS], want[CELLS], ctx;
};

static void program_step(struct program *p, unsigned i)
{
	unsigned a = lot(CELLS), b = (a + 1 + lot(CELLS - 1)) % CELLS;
	p->want[a] = p->want[a] * 3 + p->want[b] + i;
	CHECK(starpu_task_insert(&mixes[lot(MIXES)], STARPU_VALUE, &i, sizeof i, STARPU_RW, p->handle[a], STARPU_R, p->handle[b],
	                         STARPU_PRIORITY, (int)lot(5) - 2, STARPU_SCHED_CTX, p->ctx, 0) == 0);
}

static void run_program(unsigned ctx)
{
	struct program p = {.ctx = ctx};
	int one[] = {0}, two[] = {2};
	for (unsigned i = 0; i < CELLS; i++) {
		p.cell[i] = p.want[i] = i;
		starpu_variable_data_register(&p.handle[i], STARPU_MAIN_RAM, (uintptr_t)&p.cell[i], sizeof p.cell[i]);
	}
	for (unsigned i = 0; i < TASKS; i++) {
		program_step(&p, i);
		if (i == TASKS / 3)
			starpu_sched_ctx_remove_workers(one, 1, ctx);
		if (i == TASKS / 2)
			starpu_sched_ctx_add_workers(two, 1, ctx);
	}
	CHECK(starpu_task_wait_for_all_in_ctx(ctx) == 0);
	for (unsigned i = 0; i < CELLS; i++) {
		starpu_data_unregister(p.handle[i]);
		CHECK(p.cell[i] == p.want[i]);
	}
}

static const starpu_sched_component_create_t *decision_now;
static void init_now(unsigned ctx)
{
	starpu_sched_component_initialize_simple_scheduler(*decision_now, NULL, flags_now, ctx);
}
static struct starpu_sched_policy of_flags = OF_TREE(init_now);

/* In a context of two of three workers, of which one leaves, and the third comes. */
static void run_in_context(struct starpu_sched_policy *policy, void (*program)(unsigned))
{
	int workers[] = {0, 1};
	unsigned ctx = starpu_sched_ctx_create(workers, 2, "tree", STARPU_SCHED_CTX_POLICY_STRUCT, policy, 0);
	component *root = starpu_sched_tree_get(ctx)->root;
	program(ctx);
	CHECK(root->estimated_load(root) == 0);
	starpu_sched_ctx_delete(ctx);
}

static void check_flags(void)
{
	static const unsigned targets[] = {SIMPLE(DECIDE_WORKERS), SIMPLE(DECIDE_MEMNODES), SIMPLE(DECIDE_ARCHS)},
			      above[] = {0, SIMPLE(FIFO_ABOVE), SIMPLE(FIFO_ABOVE) | SIMPLE(FIFO_ABOVE_PRIO)},
			      below[] = {0, SIMPLE(FIFOS_BELOW) | SIMPLE(FIFOS_BELOW_NOLIMIT),
	                                 SIMPLE(FIFOS_BELOW) | SIMPLE(FIFOS_BELOW_PRIO) | SIMPLE(FIFOS_BELOW_NOLIMIT) |
	                                         SIMPLE(FIFOS_BELOW_EXP),
	                                 SIMPLE(FIFOS_BELOW) | SIMPLE(FIFOS_BELOW_READY),
	                                 SIMPLE(FIFOS_BELOW) | SIMPLE(FIFOS_BELOW_PRIO) | SIMPLE(FIFOS_BELOW_READY_FIRST)},
			      others[] = {SIMPLE(DECIDE_ALWAYS), SIMPLE(PERFMODEL), SIMPLE(IMPL), SIMPLE(WS_BELOW),
	                                  SIMPLE(COMBINED_WORKERS)};
	static const starpu_sched_component_create_t decisions[] = {
		starpu_sched_component_eager_create,        starpu_sched_component_random_create,
		CREATE(starpu_sched_component_mct_create),  CREATE(starpu_sched_component_heft_create),
		CREATE(starpu_sched_component_prio_create), CREATE(starpu_sched_component_heteroprio_create),
	};
	enum { WHERE = 3 * 3 * 5, OTHERS = 1 << 5, N_DECISIONS = sizeof decisions / sizeof *decisions };
	begin(3, NULL);
	for (unsigned i = 0; i < WHERE * OTHERS; i++) {
		unsigned where = i / OTHERS;
		/* A bounded queue below wants one above. */
		if (where / 3 % 3 == 0 && where / 9 >= 3)
			continue;
		flags_now = targets[where % 3] | above[where / 3 % 3] | below[where / 9];
		for (unsigned k = 0; k < 5; k++)
			flags_now |= i >> k & 1 ? others[k] : 0;
		decision_now = &decisions[lot(N_DECISIONS)];
		run_in_context(&of_flags, run_program);
	}
	starpu_shutdown();
}

/* ---- by hand: what all of its workers leave gives its tasks to the others ---- */

static component *compose(struct starpu_sched_tree *t, const starpu_sched_component_create_t *of, unsigned n)
{
	struct starpu_sched_component_composed_recipe *r = starpu_sched_component_composed_recipe_create();
	for (unsigned i = 0; i < n; i++)
		starpu_sched_component_composed_recipe_add(r, of[i], NULL);
	component *c = starpu_sched_component_composed_component_create(t, r);
	starpu_sched_component_composed_recipe_destroy(r);
	return c;
}

/* Composed of what is composed. */
static component *nested_create(struct starpu_sched_tree *t, void *arg)
{
	static const starpu_sched_component_create_t of[] = {CREATE(starpu_sched_component_fifo_create),
	                                                     starpu_sched_component_random_create};
	(void)arg;
	return compose(t, of, 2);
}
static component *row_create(struct starpu_sched_tree *t, void *arg)
{
	static const starpu_sched_component_create_t of[] = {starpu_sched_component_eager_create, nested_create,
	                                                     CREATE(starpu_sched_component_prio_create)};
	(void)arg;
	return compose(t, of, 3);
}

static struct starpu_sched_tree *tree_of(unsigned ctx, component *(*root)(struct starpu_sched_tree *, void *))
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	starpu_sched_ctx_set_policy_data(ctx, t);
	t->root = root(t, NULL);
	return t;
}

/* Root ─> for each worker a `below` of its own. */
static void one_each(unsigned ctx, component *(*root)(struct starpu_sched_tree *, void *), starpu_sched_component_create_t below)
{
	struct starpu_sched_tree *t = tree_of(ctx, root);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		component *c = below(t, NULL);
		starpu_sched_component_connect(t->root, c);
		starpu_sched_component_connect(c, starpu_sched_component_worker_get(ctx, (int)i));
	}
	starpu_sched_tree_update_workers(t);
}
static void init_rows(unsigned ctx)
{
	one_each(ctx, starpu_sched_component_eager_create, row_create);
}
static void init_fifos(unsigned ctx)
{
	one_each(ctx, starpu_sched_component_eager_create, CREATE(starpu_sched_component_fifo_create));
}
static void init_leaves(unsigned ctx)
{
	one_each(ctx, starpu_sched_component_eager_create, starpu_sched_component_eager_create);
}

/* Two thieves above the workers, each above all of them but one, under a row: several parents. */
static void init_shared(unsigned ctx)
{
	struct starpu_sched_tree *t = tree_of(ctx, row_create);
	for (unsigned i = 0; i < 2; i++) {
		component *ws = starpu_sched_component_work_stealing_create(t, NULL);
		t->root->add_child(t->root, ws);
		ws->add_parent(ws, t->root);
		for (unsigned k = 0; k < 2; k++)
			starpu_sched_component_connect(ws, starpu_sched_component_worker_get(ctx, (int)(i + k)));
	}
	starpu_sched_tree_update_workers(t);
}

/* A bounded queue that is below a decision below a row: what it refuses goes back into the row. */
static void init_bounded(unsigned ctx)
{
	struct starpu_sched_component_fifo_data two = {.ntasks_threshold = 2};
	struct starpu_sched_tree *t = tree_of(ctx, nested_create);
	component *mct = starpu_sched_component_mct_create(t, NULL);
	starpu_sched_component_connect(t->root, mct);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		component *q = starpu_sched_component_fifo_create(t, &two);
		starpu_sched_component_connect(mct, q);
		starpu_sched_component_connect(q, starpu_sched_component_worker_get(ctx, (int)i));
	}
	starpu_sched_tree_update_workers(t);
}

static int held, in, done;
static void hold(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&in, 1, __ATOMIC_RELAXED);
	WAIT_FOR(!LOOK(held));
}
static void note(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet holds = {.cpu_funcs = {hold}}, notes = {.cpu_funcs = {note}, .model = &known};

/* While both workers are busy they leave; the third does what lies in the tree. */
static void all_leave(unsigned ctx)
{
	int both[] = {0, 1}, third[] = {2};
	held = 1, in = done = 0;
	for (int i = 0; i < 2; i++)
		CHECK(starpu_task_insert(&holds, STARPU_EXECUTE_ON_WORKER, i, STARPU_SCHED_CTX, ctx, 0) == 0);
	WAIT_FOR(LOOK(in) == 2);
	for (unsigned i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&notes, STARPU_PRIORITY, (int)lot(3), STARPU_SCHED_CTX, ctx, 0) == 0);
	starpu_sched_ctx_remove_workers(both, 2, ctx);
	CHECK(LOOK(done) == 0);
	starpu_sched_ctx_add_workers(third, 1, ctx);
	WAIT_FOR(LOOK(done) == TASKS);
	CHECK(LOOK(done) == TASKS && LOOK(in) == 2);
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	CHECK(starpu_task_wait_for_all_in_ctx(ctx) == 0);
}

static void pauses(unsigned ctx)
{
	starpu_pause();
	done = 0;
	for (unsigned i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&notes, STARPU_SCHED_CTX, ctx, 0) == 0);
	CHECK(LOOK(done) == 0);
	starpu_resume();
	CHECK(starpu_task_wait_for_all_in_ctx(ctx) == 0 && done == TASKS);
}

static void init_by_ws(unsigned ctx)
{
	starpu_sched_component_initialize_simple_scheduler(starpu_sched_component_work_stealing_create, NULL,
	                                                   STARPU_SCHED_SIMPLE_DECIDE_WORKERS, ctx);
}

/* ---- by hand: an implementation each, what models know of a task, a policy's own push and end ---- */

static int ran[2];
static void slower(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran[0], 1, __ATOMIC_RELAXED);
}
static void faster(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran[1], 1, __ATOMIC_RELAXED);
}
static double second_is_faster(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch;
	return impl ? 10 : 20;
}
static struct starpu_perfmodel two_speeds = {.type = STARPU_PER_ARCH,
                                             .arch_cost_function = second_is_faster,
                                             .symbol = "two_speeds"};
static struct starpu_codelet either = {.cpu_funcs = {slower, faster}, .model = &two_speeds};

static void init_best(unsigned ctx)
{
	one_each(ctx, starpu_sched_component_work_stealing_create, starpu_sched_component_best_implementation_create);
}

static int push_to_thieves(struct starpu_task *task)
{
	starpu_sched_task_break(task); /* nothing: no task is named by STARPU_TASK_BREAK_ON_SCHED */
	return starpu_sched_tree_work_stealing_push_task(task);
}

static void destroy_tree(unsigned ctx)
{
	starpu_sched_tree_destroy(starpu_sched_tree_get(ctx));
	starpu_sched_ctx_set_policy_data(ctx, NULL);
	CHECK(!starpu_sched_tree_get(ctx));
}

static void picks(unsigned ctx)
{
	ran[0] = ran[1] = 0;
	for (unsigned i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&either, STARPU_SCHED_CTX, ctx, 0) == 0);
	CHECK(starpu_task_wait_for_all_in_ctx(ctx) == 0);
	CHECK(ran[0] == 0 && ran[1] == TASKS);
}

enum { KNOWN, LEARNING, UNKNOWN, WAYS };
static component *way[WAYS];
static int went[WAYS];
static int (*push_on)(component *, struct starpu_task *);
static int push_counted(component *c, struct starpu_task *t)
{
	for (int i = 0; i < WAYS; i++)
		went[i] += c == way[i];
	return push_on(c, t);
}

static component *select_create(struct starpu_sched_tree *t, void *arg)
{
	(void)arg;
	for (int i = 0; i < WAYS; i++) {
		way[i] = starpu_sched_component_eager_create(t, NULL);
		push_on = way[i]->push_task;
		way[i]->push_task = push_counted;
	}
	return starpu_sched_component_perfmodel_select_create(
		t, &(struct starpu_sched_component_perfmodel_select_data){.perfmodel_component = way[KNOWN],
	                                                                  .calibrator_component = way[LEARNING],
	                                                                  .no_perfmodel_component = way[UNKNOWN]});
}

static void init_select(unsigned ctx)
{
	struct starpu_sched_tree *t = tree_of(ctx, select_create);
	CHECK(starpu_sched_component_is_perfmodel_select(t->root));
	for (int i = 0; i < WAYS; i++) {
		starpu_sched_component_connect(t->root, way[i]);
		for (unsigned k = 0; k < starpu_worker_get_count(); k++)
			starpu_sched_component_connect(way[i], starpu_sched_component_worker_get(ctx, (int)k));
	}
	starpu_sched_tree_update_workers(t);
}

static void part_ways(unsigned ctx)
{
	static struct starpu_perfmodel never_ran = {.type = STARPU_HISTORY_BASED, .symbol = "never_ran"};
	static struct starpu_codelet by_model[WAYS] = {[KNOWN] = {.cpu_funcs = {note}, .model = &known},
	                                               [LEARNING] = {.cpu_funcs = {note}, .model = &never_ran},
	                                               [UNKNOWN] = {.cpu_funcs = {note}}};
	memset(went, 0, sizeof went);
	for (int i = 0; i < WAYS; i++)
		for (int k = 0; k <= i; k++)
			CHECK(starpu_task_insert(&by_model[i], STARPU_SCHED_CTX, ctx, 0) == 0);
	CHECK(starpu_task_wait_for_all_in_ctx(ctx) == 0);
	CHECK(went[KNOWN] == 1 && went[LEARNING] == 2 && went[UNKNOWN] == 3);
}

static void check_choices(void)
{
	struct starpu_sched_policy best = OF_TREE(init_best), select = OF_TREE(init_select);
	best.push_task = push_to_thieves;
	best.deinit_sched = destroy_tree;
	begin(3, NULL);
	run_in_context(&best, picks);
	run_in_context(&best, run_program);
	run_in_context(&select, part_ways);
	run_in_context(&select, run_program);
	starpu_shutdown();
}

static void check_by_hand(void)
{
	struct starpu_sched_policy trees[] = {OF_TREE(init_rows),   OF_TREE(init_fifos),   OF_TREE(init_leaves),
	                                      OF_TREE(init_shared), OF_TREE(init_bounded), OF_TREE(init_by_ws)};
	static void (*const programs[])(unsigned) = {all_leave, run_program, pauses};
	begin(3, NULL);
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
		for (size_t k = 0; k < 3; k++)
			run_in_context(&trees[i], programs[k]);
	starpu_shutdown();
}

int main(void)
{
	char home[] = "/tmp/weft-trees-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	check_shapes();
	check_flags();
	check_by_hand();
	check_choices();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
