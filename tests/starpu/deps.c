/* SPDX-License-Identifier: Apache-2.0 */
/* Dependencies that programs declare: between tasks (late, many, ends), through tags. */
#include "starpu_check.h"
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

static int clock_now, when[64];
static void stamp(void **buffers, void *arg)
{
	(void)buffers;
	if (!((intptr_t)arg & 3))
		usleep(200);
	__atomic_store_n(&when[(intptr_t)arg], __atomic_add_fetch(&clock_now, 1, __ATOMIC_SEQ_CST), __ATOMIC_RELEASE);
}
static struct starpu_codelet cl = {.cpu_funcs = {stamp}};

static struct starpu_task *make(int i)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->cl_arg = (void *)(intptr_t)i;
	when[i] = 0;
	return t;
}

static void task_after_tasks(void)
{
	struct starpu_task *t[40];
	for (int i = 0; i < 40; i++)
		t[i] = make(i);
	/* The last after all others, which are submitted before it, and after it. */
	starpu_task_declare_deps_array(t[39], 39, t);
	for (int i = 0; i < 20; i++)
		CHECK(starpu_task_submit(t[i]) == 0);
	CHECK(starpu_task_submit(t[39]) == 0);
	usleep(1000);
	CHECK(LOOK(when[39]) == 0);
	for (int i = 20; i < 39; i++)
		CHECK(starpu_task_submit(t[i]) == 0);
	starpu_task_wait_for_all();
	for (int i = 0; i < 39; i++)
		CHECK(LOOK(when[i]) && LOOK(when[i]) < LOOK(when[39]));
}

static void after_what_is_done(void)
{
	struct starpu_task *a = make(1), *b = make(2);
	a->detach = 0;
	a->destroy = 0;
	CHECK(starpu_task_submit(a) == 0);
	CHECK(starpu_task_wait(a) == 0);
	starpu_task_declare_deps(b, 1, a);
	CHECK(starpu_task_submit(b) == 0);
	starpu_task_wait_for_all();
	CHECK(LOOK(when[1]) < LOOK(when[2]));
	starpu_task_destroy(a);
}

static void ends_wait(void)
{
	struct starpu_task *t = make(1), *end = make(4), *after = make(2);
	starpu_task_declare_end_deps(t, 1, end);
	starpu_task_declare_deps(after, 1, t);
	CHECK(starpu_task_submit(t) == 0);
	CHECK(starpu_task_submit(after) == 0);
	WAIT_FOR(LOOK(when[1]));
	usleep(2000);
	CHECK(LOOK(when[1]) && !LOOK(when[2]));
	CHECK(starpu_task_submit(end) == 0);
	starpu_task_wait_for_all();
	CHECK(LOOK(when[4]) < LOOK(when[2]));
	t = make(1);
	t->detach = 0;
	starpu_task_end_dep_add(t, 2);
	CHECK(starpu_task_submit(t) == 0);
	usleep(1000);
	starpu_task_end_dep_release(t);
	usleep(1000);
	CHECK(!starpu_task_finished(t));
	starpu_task_end_dep_release(t);
	CHECK(starpu_task_wait(t) == 0);
}

static void several_ends_wait_for_one(void)
{
	enum { PARENTS = 4, FIRST = 10, AFTER = 20, END = 4 };
	struct starpu_task *end = make(END);
	for (int i = 0; i < PARENTS; i++) {
		struct starpu_task *t = make(FIRST + i), *after = make(AFTER + i);
		starpu_task_declare_end_deps(t, 1, end);
		starpu_task_declare_deps(after, 1, t);
		CHECK(starpu_task_submit(t) == 0);
		CHECK(starpu_task_submit(after) == 0);
	}
	for (int i = 0; i < PARENTS; i++)
		while (!LOOK(when[FIRST + i]))
			usleep(100);
	usleep(300);
	for (int i = 0; i < PARENTS; i++)
		CHECK(!LOOK(when[AFTER + i]));
	CHECK(starpu_task_submit(end) == 0);
	starpu_task_wait_for_all();
	for (int i = 0; i < PARENTS; i++)
		CHECK(LOOK(when[AFTER + i]) > LOOK(when[END]));
}

static void an_end_does_not_wait_for_what_is_over_or_destroyed(void)
{
	struct starpu_task *t = make(1), *never = make(2), *over = make(3);
	over->detach = 0;
	over->destroy = 0;
	CHECK(starpu_task_submit(over) == 0);
	CHECK(starpu_task_wait(over) == 0);
	t->detach = 0;
	starpu_task_declare_end_deps(t, 2, never, over);
	CHECK(starpu_task_submit(t) == 0);
	while (!LOOK(when[1]))
		usleep(100);
	usleep(300);
	CHECK(!starpu_task_finished(t));
	starpu_task_destroy(never);
	CHECK(starpu_task_wait(t) == 0);
	starpu_task_destroy(over);
}

/* ---- trees: a task has ended when those that it submitted have ---- */

static int n_leaves;
static void grow(void **buffers, void *arg);
static struct starpu_codelet cl_grow = {.cpu_funcs = {grow}};

static struct starpu_task *node(intptr_t depth)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_grow;
	t->cl_arg = (void *)depth;
	return t;
}

static void grow(void **buffers, void *arg)
{
	intptr_t depth = (intptr_t)arg;
	(void)buffers;
	if (!depth) {
		__atomic_add_fetch(&n_leaves, 1, __ATOMIC_RELAXED);
		return;
	}
	struct starpu_task *child[3] = {node(depth - 1), node(depth - 1), node(depth - 1)};
	/* One of them runs already when its parent's end begins to wait for it, or is over. */
	child[2]->destroy = child[2]->detach = 0;
	CHECK(starpu_task_submit(child[2]) == 0);
	starpu_task_declare_end_deps_array(starpu_task_get_current(), 3, child);
	for (int i = 0; i < 2; i++)
		CHECK(starpu_task_submit(child[i]) == 0);
	starpu_task_set_destroy(child[2]);
}

static void trees_of_ends(void)
{
	enum { DEPTH = 6, LEAVES = 729 };
	for (int i = 0; i < 20; i++) {
		struct starpu_task *root = node(DEPTH);
		root->detach = 0;
		__atomic_store_n(&n_leaves, 0, __ATOMIC_RELAXED);
		CHECK(starpu_task_submit(root) == 0);
		CHECK(starpu_task_wait(root) == 0);
		CHECK(LOOK(n_leaves) == LEAVES);
	}
	starpu_task_wait_for_all();
}

static void add_end(void **buffers, void *arg)
{
	(void)buffers;
	struct starpu_task *me = starpu_task_get_current();
	starpu_task_end_dep_add(me, 1);
	__atomic_store_n((struct starpu_task **)arg, me, __ATOMIC_RELEASE);
}

static void a_running_task_ends_later(void)
{
	static struct starpu_codelet adds = {.cpu_funcs = {add_end}, .nbuffers = 1, .modes = {STARPU_RW}};
	static struct starpu_codelet stamps = {.cpu_funcs = {stamp}, .nbuffers = 1, .modes = {STARPU_RW}};
	struct starpu_task *it = NULL;
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	when[5] = 0;
	CHECK(starpu_task_insert(&adds, STARPU_RW, h, STARPU_CL_ARGS_NFREE, &it, sizeof it, 0) == 0);
	CHECK(starpu_task_insert(&stamps, STARPU_RW, h, STARPU_CL_ARGS_NFREE, (void *)5, (size_t)0, 0) == 0);
	while (!__atomic_load_n(&it, __ATOMIC_ACQUIRE))
		usleep(100);
	usleep(2000);
	CHECK(!LOOK(when[5]));
	starpu_task_end_dep_release(it);
	starpu_task_wait_for_all();
	CHECK(LOOK(when[5]));
	starpu_data_unregister(h);
}

static void tags(void)
{
	/* 3 after 1 and 2, declared before any of them; submitted backwards. */
	starpu_tag_declare_deps(103, 2, (starpu_tag_t)101, (starpu_tag_t)102);
	for (int i = 3; i >= 1; i--) {
		struct starpu_task *t = make(i);
		t->use_tag = 1;
		t->tag_id = (starpu_tag_t)(100 + i);
		CHECK(starpu_task_submit(t) == 0);
		/* The first cannot run before the others. */
		CHECK(i < 3 || starpu_tag_get_task(103) == t);
		usleep(500);
		CHECK(!LOOK(when[3]) || i == 1);
	}
	CHECK(starpu_tag_wait(103) == 0);
	CHECK(LOOK(when[1]) < LOOK(when[3]) && LOOK(when[2]) < LOOK(when[3]));
	starpu_task_wait_for_all();
	for (int i = 1; i <= 3; i++)
		starpu_tag_remove((starpu_tag_t)(100 + i));
}

static void tags_of_the_application(void)
{
	starpu_tag_t dep = 201;
	starpu_tag_declare_deps_array(202, 1, &dep);
	struct starpu_task *t = make(1);
	t->use_tag = 1;
	t->tag_id = 202;
	CHECK(starpu_task_submit(t) == 0);
	usleep(1000);
	CHECK(!LOOK(when[1]));
	starpu_tag_notify_from_apps(201);
	CHECK(starpu_tag_wait(202) == 0);
	CHECK(LOOK(when[1]));
	starpu_tag_restart(201);
	t = make(2);
	t->use_tag = 1;
	t->tag_id = 202;
	CHECK(starpu_task_submit(t) == 0);
	usleep(1000);
	CHECK(!LOOK(when[2]));
	starpu_tag_notify_restart_from_apps(201);
	starpu_task_wait_for_all();
	CHECK(LOOK(when[2]));
	starpu_tag_clear();
}

/* -- the same tasks once more, and once more -- */

enum { ROUNDS = 50 };
static struct starpu_task diamond[4];
static int rounds, ran[4], wrong;
static void stamp_round(void **buffers, void *arg)
{
	int i = (int)(intptr_t)arg, round = ran[i];
	(void)buffers;
	/* All before it have had one turn more than it, all after it as many. */
	for (int k = 0; k < 4; k++) {
		bool before = (i == 3 && k < 3) || (k == 0 && i > 0), after = (k == 3 && i < 3) || (i == 0 && k > 0);
		int has = __atomic_load_n(&ran[k], __ATOMIC_ACQUIRE);
		if ((before && has != round + 1) || (after && has != round))
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&ran[i], round + 1, __ATOMIC_RELEASE);
}
static struct starpu_codelet cl_round = {.cpu_funcs = {stamp_round}};

/* Of the last task: all of them again, in some order. */
static void next_round(void *arg)
{
	if (++rounds == ROUNDS)
		return;
	for (int i = 0; i < 4; i++)
		CHECK(starpu_task_submit(&diamond[(i + (int)(intptr_t)arg) % 4]) == 0);
}

/*
 * Each says in its own callback that this turn was its last one. (Not in that of another: a task releases those behind it before it
 * looks whether it begins again.)
 */
static void last_turn(void *arg)
{
	int i = (int)(intptr_t)arg;
	if (__atomic_load_n(&ran[i], __ATOMIC_ACQUIRE) == ROUNDS)
		diamond[i].regenerate = 0;
}

/* The others begin the next round by themselves, perhaps later than this one. */
static void next_round_of_regenerating(void *arg)
{
	(void)arg;
	if (++rounds == ROUNDS)
		diamond[3].regenerate = 0;
	else
		CHECK(starpu_task_submit(&diamond[0]) == 0);
}

static void make_diamond(bool tags, int regenerates, void (*callback)(void *), int order)
{
	rounds = wrong = 0;
	memset(ran, 0, sizeof ran);
	for (int i = 0; i < 4; i++) {
		starpu_task_init(&diamond[i]);
		diamond[i].cl = &cl_round;
		diamond[i].cl_arg = (void *)(intptr_t)i;
		diamond[i].use_tag = tags;
		diamond[i].tag_id = (starpu_tag_t)(300 + i);
		diamond[i].regenerate = i > 0 && regenerates;
	}
	diamond[3].callback_func = callback;
	diamond[3].callback_arg = (void *)(intptr_t)order;
	if (tags) {
		starpu_tag_declare_deps(301, 1, (starpu_tag_t)300);
		starpu_tag_declare_deps(302, 1, (starpu_tag_t)300);
		starpu_tag_declare_deps(303, 2, (starpu_tag_t)301, (starpu_tag_t)302);
	} else {
		starpu_task_declare_deps(&diamond[1], 1, &diamond[0]);
		starpu_task_declare_deps(&diamond[2], 1, &diamond[0]);
		starpu_task_declare_deps(&diamond[3], 2, &diamond[1], &diamond[2]);
	}
}

static void run_diamond(void)
{
	for (int i = 0; i < 4; i++)
		CHECK(starpu_task_submit(&diamond[i]) == 0);
	starpu_task_wait_for_all();
	CHECK(rounds == ROUNDS && wrong == 0);
	for (int i = 0; i < 4; i++) {
		CHECK(ran[i] == ROUNDS);
		starpu_task_clean(&diamond[i]);
	}
	starpu_tag_clear();
}

static void graphs_are_submitted_again(void)
{
	for (int order = 0; order < 4; order++)
		for (int tags = 0; tags < 2; tags++) {
			make_diamond(tags, 0, next_round, order);
			run_diamond();
		}
}

static void graphs_regenerate(void)
{
	for (int tags = 0; tags < 2; tags++) {
		make_diamond(tags, 1, next_round_of_regenerating, 0);
		for (int i = 1; i < 3; i++) {
			diamond[i].callback_func = last_turn;
			diamond[i].callback_arg = (void *)(intptr_t)i;
		}
		run_diamond();
	}
}

/* ---- tasks whose job is made with them ---- */

/* Made, and perhaps depended on, while the one runtime was there, submitted in the next. */
static void tasks_outlive_a_runtime(struct starpu_conf *conf)
{
	struct starpu_task *t = make(1), *named = make(2), *after = make(3), *never = make(4);
	starpu_task_declare_deps(after, 1, named);
	CHECK(starpu_task_submit(after) == 0);
	starpu_task_destroy(never);
	CHECK(starpu_task_submit(named) == 0);
	starpu_task_wait_for_all();
	CHECK(LOOK(when[2]) < LOOK(when[3]));
	starpu_shutdown();
	CHECK(starpu_init(conf) == 0);
	struct starpu_task *other = make(5), *waits = make(6);
	starpu_task_declare_deps(waits, 1, t);
	CHECK(starpu_task_submit(waits) == 0 && starpu_task_submit(other) == 0);
	usleep(1000);
	CHECK(!LOOK(when[6]));
	CHECK(starpu_task_submit(t) == 0);
	starpu_task_wait_for_all();
	CHECK(LOOK(when[5]) && LOOK(when[1]) && LOOK(when[1]) < LOOK(when[6]));
}

/* One thread makes and submits tasks while another makes its own come after them. */
enum { PAIRS = 400 };
static struct starpu_task *first[PAIRS];
static int n_first, pair_bad;
static char first_ran[PAIRS];

static void run_first(void **buffers, void *arg)
{
	(void)buffers;
	__atomic_store_n(&first_ran[(intptr_t)arg], 1, __ATOMIC_RELEASE);
}
static void run_second(void **buffers, void *arg)
{
	(void)buffers;
	if (!LOOK(first_ran[(intptr_t)arg]))
		__atomic_add_fetch(&pair_bad, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet cl_first = {.cpu_funcs = {run_first}}, cl_second = {.cpu_funcs = {run_second}};

static void *submit_seconds(void *unused)
{
	for (int i = 0; i < PAIRS; i++) {
		while (LOOK(n_first) <= i)
			sched_yield();
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl_second;
		t->cl_arg = (void *)(intptr_t)i;
		starpu_task_declare_deps_array(t, 1, &first[i]);
		CHECK(starpu_task_submit(t) == 0);
	}
	return unused;
}

static void one_thread_depends_on_tasks_of_another(void)
{
	pthread_t other;
	n_first = 0;
	memset(first_ran, 0, sizeof first_ran);
	CHECK(pthread_create(&other, NULL, submit_seconds, NULL) == 0);
	for (int i = 0; i < PAIRS; i++) {
		first[i] = starpu_task_create();
		first[i]->cl = &cl_first;
		first[i]->cl_arg = (void *)(intptr_t)i;
		first[i]->destroy = first[i]->detach = 0;
		__atomic_store_n(&n_first, i + 1, __ATOMIC_RELEASE);
		CHECK(starpu_task_submit(first[i]) == 0);
	}
	pthread_join(other, NULL);
	starpu_task_wait_for_all();
	for (int i = 0; i < PAIRS; i++)
		starpu_task_destroy(first[i]);
	CHECK(!pair_bad);
}

/* What comes after a task is known before and after those are submitted, each once. */
static void knows_what_comes_after(void)
{
	struct starpu_task *t[5], *after[8];
	for (int i = 0; i < 5; i++)
		t[i] = make(4 * i + 1);
	for (int i = 1; i < 4; i++)
		starpu_task_declare_deps_array(t[i], 1, &t[0]);
	starpu_task_declare_deps_array(t[4], 3, &t[1]);
	CHECK(starpu_task_get_task_succs(t[0], 8, after) == 3 && starpu_task_get_task_succs(t[0], 2, after) == 2);
	CHECK(starpu_task_get_task_succs(t[3], 8, after) == 1 && after[0] == t[4]);
	CHECK(starpu_task_get_task_succs(t[4], 8, after) == 0 && starpu_task_get_task_scheduled_succs(t[0], 8, after) == 0);
	for (int i = 4; i > 1; i--)
		CHECK(starpu_task_submit(t[i]) == 0);
	CHECK(starpu_task_get_task_succs(t[0], 8, after) == 3 && starpu_task_get_task_succs(t[1], 8, after) == 1);
	CHECK(starpu_task_submit(t[1]) == 0 && starpu_task_submit(t[0]) == 0);
	starpu_task_wait_for_all();
	/* One that is destroyed comes after nobody. */
	t[0] = make(1);
	t[1] = make(5);
	starpu_task_declare_deps_array(t[1], 1, &t[0]);
	starpu_task_destroy(t[1]);
	CHECK(starpu_task_get_task_succs(t[0], 8, after) == 0);
	starpu_task_destroy(t[0]);
	/* Who runs tasks has scheduled them; submitted again, they are not yet. */
	for (int i = 0; i < 2; i++) {
		t[i] = make(4 * i + 1);
		t[i]->destroy = 0;
	}
	starpu_task_declare_deps_array(t[1], 1, &t[0]);
	CHECK(starpu_task_submit(t[1]) == 0 && starpu_task_get_task_scheduled_succs(t[0], 8, after) == 0);
	CHECK(starpu_task_submit(t[0]) == 0);
	starpu_task_wait_for_all();
	CHECK(starpu_task_get_task_scheduled_succs(t[0], 8, after) == 1 && after[0] == t[1]);
	CHECK(starpu_task_submit(t[1]) == 0 && starpu_task_get_task_scheduled_succs(t[0], 8, after) == 0);
	CHECK(starpu_task_submit(t[0]) == 0);
	starpu_task_wait_for_all();
	starpu_task_destroy(t[0]);
	starpu_task_destroy(t[1]);
}

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	for (int i = 0; i < 3; i++) {
		if (starpu_init(&conf))
			cannot_begin();
		task_after_tasks();
		knows_what_comes_after();
		after_what_is_done();
		ends_wait();
		several_ends_wait_for_one();
		an_end_does_not_wait_for_what_is_over_or_destroyed();
		trees_of_ends();
		a_running_task_ends_later();
		tags();
		tags_of_the_application();
		graphs_are_submitted_again();
		graphs_regenerate();
		one_thread_depends_on_tasks_of_another();
		tasks_outlive_a_runtime(&conf);
		starpu_shutdown();
	}
	return checks_failed();
}
