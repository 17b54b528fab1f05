/* SPDX-License-Identifier: Apache-2.0 */
/* Empty tasks, tasks that are tried again, transactions, bundles, lists, hooks, threads that submit together. */
#include "starpu_check.h"
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static int n_ran;
static void count(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet cl_count = {.cpu_funcs = {count}, .name = "count"};

static void called(void *arg)
{
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_RELAXED);
}

static void empty_tasks(void)
{
	int n = 0;
	starpu_tag_t before[2] = {1, 2};
	starpu_create_sync_task(3, 2, before, called, &n);
	starpu_create_callback_task(called, &n);
	WAIT_FOR(LOOK(n) != 0);
	CHECK(LOOK(n) == 1);
	starpu_tag_notify_from_apps(1);
	starpu_tag_notify_from_apps(2);
	CHECK(starpu_tag_wait(3) == 0);
	starpu_task_wait_for_all();
	CHECK(n == 2);
	starpu_tag_clear();
}

static int fails_left;
static void flaky(void **buffers, void *arg)
{
	int *value = (int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	(void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
	if (fails_left-- > 0)
		starpu_task_ft_failed(starpu_task_get_current());
	else
		++*value;
}
static void add(void **buffers, void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

/* Each worker has a count of the codelet's tasks, wherever that is kept. */
static void tasks_are_counted(void)
{
	static struct starpu_codelet cl = {.cpu_funcs = {count}, .name = "counted"};
	unsigned long sum = 0;
	memset(cl.per_worker_stats, 0, sizeof cl.per_worker_stats);
	for (int i = 0; i < 100; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		sum += cl.per_worker_stats[i];
	CHECK(sum == 100);
}

static void fails_are_tried_again(void)
{
	static struct starpu_codelet cl = {.cpu_funcs = {flaky}, .nbuffers = 1, .modes = {STARPU_RW}};
	static struct starpu_codelet cl_add = {.cpu_funcs = {add}, .nbuffers = 1, .modes = {STARPU_RW}};
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	n_ran = 0;
	fails_left = 3;
	CHECK(starpu_task_insert(&cl, STARPU_RW, h, STARPU_PROLOGUE_CALLBACK, starpu_task_ft_prologue,
	                         STARPU_PROLOGUE_CALLBACK_ARG_NFREE, NULL, 0) == 0);
	CHECK(starpu_task_insert(&cl_add, STARPU_RW, h, 0) == 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(h);
	CHECK(n_ran == 4 && value == 2);
}

/* The program looks itself whether a try was good, and makes the next one. */
static int n_looked;
static void look_at_try(void *meta)
{
	struct starpu_task *try = starpu_task_get_current();
	n_looked++;
	if (!try->failed) {
		starpu_task_ft_success(meta);
		return;
	}
	struct starpu_task *again = starpu_task_ft_create_retry(meta, try, look_at_try);
	again->priority = STARPU_MAX_PRIO;
	CHECK(starpu_task_submit_nodeps(again) == 0);
}

static void flaky_sum(void **buffers, void *arg)
{
	int *sum = (int *)STARPU_VARIABLE_GET_PTR(buffers[1]);
	n_ran++;
	*sum = *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) + *(int *)arg;
	if (fails_left-- > 0) {
		*sum = -1;
		starpu_task_ft_failed(starpu_task_get_current());
	}
}
static void copy_out(void **buffers, void *arg)
{
	*(int *)arg = *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

/* With and without a look of its own, waited for or not, an argument that is freed once; tags and tasks behind it see a good try only. */
static void tries_of(int fails, bool looks, bool synchronous)
{
	static struct starpu_codelet cl = {.cpu_funcs = {flaky_sum}, .nbuffers = 2, .modes = {STARPU_R, STARPU_W}};
	static struct starpu_codelet cl_copy = {.cpu_funcs = {copy_out}, .nbuffers = 1, .modes = {STARPU_R}};
	int five = 5, sum = 0, seen = 0, n_done = 0;
	void (*look)(void *) = looks ? look_at_try : NULL;
	starpu_data_handle_t h[2];
	starpu_variable_data_register(&h[0], STARPU_MAIN_RAM, (uintptr_t)&five, sizeof five);
	starpu_variable_data_register(&h[1], STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof sum);
	n_ran = n_looked = 0;
	fails_left = fails;
	struct starpu_task *t = starpu_task_create(), *after = starpu_task_create();
	t->cl = &cl;
	t->handles[0] = h[0];
	t->handles[1] = h[1];
	t->cl_arg = malloc(sizeof(int));
	*(int *)t->cl_arg = 7;
	t->cl_arg_size = sizeof(int);
	t->cl_arg_free = 1;
	t->callback_func = called;
	t->callback_arg = &n_done;
	t->prologue_callback_func = starpu_task_ft_prologue;
	memcpy(&t->prologue_callback_arg, &look, sizeof look);
	t->synchronous = synchronous;
	t->use_tag = 1;
	t->tag_id = 1;
	after->cl = &cl_copy;
	after->handles[0] = h[1];
	after->cl_arg = &seen;
	after->use_tag = 1;
	after->tag_id = 2;
	starpu_tag_declare_deps(2, 1, (starpu_tag_t)1);
	CHECK(starpu_task_submit(t) == 0);
	CHECK(starpu_task_submit(after) == 0);
	CHECK(starpu_tag_wait(2) == 0);
	CHECK(seen == 12 && n_ran == fails + 1 && n_looked == (looks ? fails + 1 : 0));
	starpu_task_wait_for_all();
	CHECK(n_done == 1);
	starpu_data_unregister(h[0]);
	starpu_data_unregister(h[1]);
	starpu_tag_clear();
}

static void tries_in_all_ways(void)
{
	for (int fails = 0; fails < 4; fails++)
		for (unsigned how = 0; how < 4; how++)
			tries_of(fails, how & 1, how & 2);
}

static int starts(void *buffer, void *arg)
{
	(void)buffer;
	return (int)(intptr_t)arg;
}

static void transactions(void)
{
	n_ran = 0;
	struct starpu_transaction *trs = starpu_transaction_open(starts, (void *)1);
	for (int epoch = 0; epoch < 6; epoch++) {
		for (int i = 0; i < 10; i++)
			CHECK(starpu_task_insert(&cl_count, STARPU_TRANSACTION, trs, 0) == 0);
		if (epoch < 5)
			starpu_transaction_next_epoch(trs, (void *)(intptr_t)(epoch % 2));
	}
	starpu_transaction_close(trs);
	starpu_task_wait_for_all();
	CHECK(n_ran == 30);
}

static void bundles(void)
{
	starpu_task_bundle_t b;
	struct starpu_task *t[3];
	starpu_task_bundle_create(&b);
	for (int i = 0; i < 3; i++) {
		t[i] = starpu_task_create();
		t[i]->cl = &cl_count;
		CHECK(starpu_task_bundle_insert(b, t[i]) == 0);
		CHECK(starpu_task_bundle_insert(b, t[i]) == -EINVAL);
	}
	CHECK(starpu_task_bundle_remove(b, t[2]) == 0);
	CHECK(starpu_task_bundle_remove(b, t[2]) == -ENOENT);
	n_ran = 0;
	CHECK(starpu_task_submit(t[0]) == 0);
	starpu_task_bundle_close(b);
	for (int i = 1; i < 3; i++)
		CHECK(starpu_task_submit(t[i]) == 0);
	starpu_task_wait_for_all();
	CHECK(n_ran == 3);
}

static void lists(void)
{
	struct starpu_task t[4];
	struct starpu_task_list a, b;
	starpu_task_list_init(&a);
	starpu_task_list_init(&b);
	CHECK(starpu_task_list_empty(&a) && !starpu_task_list_pop_front(&a));
	starpu_task_list_push_back(&a, &t[1]);
	starpu_task_list_push_back(&a, &t[2]);
	starpu_task_list_push_front(&a, &t[0]);
	starpu_task_list_push_back(&b, &t[3]);
	starpu_task_list_move(&a, &b);
	CHECK(starpu_task_list_empty(&b));
	int i = 0;
	for (struct starpu_task *at = starpu_task_list_begin(&a); at != starpu_task_list_end(&a); at = starpu_task_list_next(at))
		CHECK(at == &t[i++]);
	CHECK(i == 4);
	starpu_task_list_erase(&a, &t[2]);
	CHECK(!starpu_task_list_ismember(&a, &t[2]) && starpu_task_list_ismember(&a, &t[3]));
	CHECK(starpu_task_list_pop_back(&a) == &t[3] && starpu_task_list_back(&a) == &t[1]);
	CHECK(starpu_task_list_pop_front(&a) == &t[0] && starpu_task_list_pop_front(&a) == &t[1] && starpu_task_list_empty(&a));
}

static unsigned hook(void *arg)
{
	called(arg);
	return 1;
}

static void hooks(void)
{
	static int n, idle; /* a worker may be in a hook that was taken away just now */
	int a = starpu_progression_hook_register(hook, &n), b = starpu_idle_hook_register(hook, &idle);
	CHECK(a >= 0 && b >= 0 && a != b);
	while (__atomic_load_n(&n, __ATOMIC_RELAXED) < 10 || __atomic_load_n(&idle, __ATOMIC_RELAXED) < 10)
		usleep(100);
	starpu_progression_hook_deregister(a);
	starpu_idle_hook_deregister(b);
}

static void iterations(void)
{
	starpu_iteration_push(7);
	starpu_iteration_push(8);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_count;
	t->detach = 0;
	t->destroy = 0;
	CHECK(starpu_task_submit(t) == 0);
	starpu_iteration_pop();
	starpu_iteration_pop();
	CHECK(starpu_task_wait(t) == 0);
	CHECK(t->iterations[0] == 7 && t->iterations[1] == 8);
	starpu_task_destroy(t);
}

static void copies(void)
{
	int from[4] = {1, 2, 3, 4}, to[4] = {0}, n = 0;
	starpu_data_handle_t a, b, c;
	starpu_vector_data_register(&a, STARPU_MAIN_RAM, (uintptr_t)from, 4, sizeof from[0]);
	starpu_vector_data_register(&b, STARPU_MAIN_RAM, (uintptr_t)to, 4, sizeof to[0]);
	CHECK(starpu_data_cpy(b, a, 1, called, &n) == 0);
	CHECK(starpu_data_dup_ro(&c, b) == 0);
	CHECK(starpu_data_acquire(c, STARPU_R) == 0);
	CHECK(memcmp((void *)starpu_data_get_local_ptr(c), from, sizeof from) == 0);
	starpu_data_release(c);
	CHECK(starpu_data_cpy(a, b, 0, NULL, NULL) == 0);
	starpu_data_unregister(a);
	starpu_data_unregister(b);
	starpu_data_unregister(c);
	CHECK(n == 1 && memcmp(from, to, sizeof from) == 0);
}

/* What has one child only is left out; further down are higher levels. */
static void check_below(const struct starpu_tree *t)
{
	CHECK(t->is_pu ? t->arity == 0 : t->arity > 1);
	for (int i = 0; i < t->arity; i++) {
		CHECK(t->nodes[i].level > t->level && t->nodes[i].parent == t);
		check_below(&t->nodes[i]);
	}
}

static void machine_tree(void)
{
	struct starpu_tree *tree = starpu_workers_get_tree();
	CHECK(tree != NULL && tree == starpu_workers_get_tree());
	check_below(tree);
	for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
		const struct starpu_tree *leaf = starpu_tree_get(tree, starpu_worker_get_bindid(w));
		CHECK(leaf && leaf->is_pu);
	}
}

enum { THREADS = 4, EACH = 500 };
static void *submits(void *arg)
{
	starpu_data_handle_t h = arg;
	static struct starpu_codelet cl = {.cpu_funcs = {add}, .nbuffers = 1, .modes = {STARPU_RW}};
	for (int i = 0; i < EACH; i++)
		CHECK(starpu_task_insert(&cl, STARPU_RW, h, 0) == 0);
	return NULL;
}

static void threads_submit(void)
{
	int value = 0;
	starpu_data_handle_t h;
	pthread_t thread[THREADS];
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, submits, h);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	starpu_data_unregister(h);
	CHECK(value == THREADS * EACH);
}

/* Tasks that submit tasks, as deep as they are told. */
static struct starpu_codelet cl_tree;
static void grow(void **buffers, void *arg)
{
	int depth = 0;
	(void)buffers;
	starpu_codelet_unpack_args(arg, &depth, 0);
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
	if (!depth--)
		return;
	for (int i = 0; i < 2; i++)
		CHECK(starpu_task_insert(&cl_tree, STARPU_VALUE, &depth, sizeof depth, 0) == 0);
}
static struct starpu_codelet cl_tree = {.cpu_funcs = {grow}};

static void tasks_submit(void)
{
	int depth = 10;
	n_ran = 0;
	CHECK(starpu_task_insert(&cl_tree, STARPU_VALUE, &depth, sizeof depth, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(n_ran == (2 << depth) - 1);
}

int main(void)
{
	static void (*const tests[])(void) = {
		empty_tasks, tasks_are_counted, fails_are_tried_again, tries_in_all_ways, transactions, bundles,      lists,
		hooks,       iterations,        threads_submit,        tasks_submit,      copies,       machine_tree,
	};
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	if (starpu_init(&conf))
		cannot_begin();
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tests[i]();
	starpu_shutdown();
	return checks_failed();
}
