/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starpu_pause: when it has returned, no task begins until starpu_resume. It does not wait for tasks that run, and may be called
 * in a task or in any callback, by two at once. Without a policy, with some, and with parallel tasks.
 */
#include "starpu_check.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { ROUNDS = 40, PAUSED_SUBMISSIONS = 5 };
static int this_pause, ran_in_pause, n_ran, go_on, inside, have_paused;

static void set(int *where, int value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
}

static void count(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
/* The pause in which it was submitted is still on. */
static void count_early(void **buffers, void *arg)
{
	(void)buffers;
	if (LOOK(this_pause) == *(int *)arg)
		__atomic_add_fetch(&ran_in_pause, 1, __ATOMIC_RELAXED);
}
static void until_told(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	set(&inside, 1);
	while (!LOOK(go_on))
		sched_yield();
}
static struct starpu_codelet cl_count = {.cpu_funcs = {count}, .name = "count"},
			     cl_early = {.cpu_funcs = {count_early}, .name = "early"},
			     cl_until_told = {.cpu_funcs = {until_told}, .name = "until_told"},
			     cl_together = {.cpu_funcs = {count}, .type = STARPU_SPMD, .max_parallelism = 2, .name = "together"};

static void submit_early(int n, int pause)
{
	static int pauses[ROUNDS + 1];
	pauses[pause] = pause;
	set(&this_pause, pause);
	while (n-- > 0)
		CHECK(starpu_task_insert(&cl_early, STARPU_CL_ARGS_NFREE, &pauses[pause], sizeof pauses[pause], 0) == 0);
}

/* ---- tasks that come at all times ---- */

struct stream {
	struct starpu_codelet *cl;
	int stop;
};

static void *submit_until_told(void *stream)
{
	struct stream *s = stream;
	while (!LOOK(s->stop)) {
		CHECK(starpu_task_insert(s->cl, 0) == 0);
		if (starpu_task_nsubmitted() > 200)
			usleep(100);
	}
	return NULL;
}

static void pause_in_a_stream(struct starpu_codelet *cl)
{
	struct stream s = {cl, 0};
	pthread_t other;
	CHECK(pthread_create(&other, NULL, submit_until_told, &s) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		starpu_pause();
		submit_early(PAUSED_SUBMISSIONS, i + 1);
		usleep(i % 4 ? 0 : 300);
		set(&this_pause, 0);
		starpu_resume();
		usleep((unsigned)i % 3 * 40);
	}
	set(&s.stop, 1);
	pthread_join(other, NULL);
	starpu_task_wait_for_all();
	CHECK(ran_in_pause == 0);
}

static void nothing_begins(void)
{
	pause_in_a_stream(&cl_count);
}

static void parallel_tasks(void)
{
	pause_in_a_stream(&cl_together);
}

/* ---- who is not waited for, and who pauses ---- */

static void a_task_that_runs(void)
{
	set(&inside, 0);
	set(&go_on, 0);
	CHECK(starpu_task_insert(&cl_until_told, 0) == 0);
	while (!LOOK(inside))
		sched_yield();
	starpu_pause();
	set(&go_on, 1);
	starpu_task_wait_for_all();
	starpu_resume();
}

/* All are in before one pauses. */
static void meet_and_pause(void *arg)
{
	int all = *(int *)arg;
	__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);
	while (LOOK(inside) < all)
		sched_yield();
	starpu_pause();
	__atomic_add_fetch(&have_paused, 1, __ATOMIC_RELEASE);
}
static void meet_in_function(void **buffers, void *arg)
{
	(void)buffers;
	meet_and_pause(arg);
}

static struct starpu_codelet cl_meet = {.cpu_funcs = {meet_in_function}, .name = "meet"};
static const struct {
	struct starpu_codelet *cl;
	size_t callback; /* where in the task */
	int at_once;
} places[] = {
	{&cl_meet, 0, 2},
	{&cl_count, offsetof(struct starpu_task, callback_func), 2},
	{&cl_count, offsetof(struct starpu_task, epilogue_callback_func), 2},
	{&cl_count, offsetof(struct starpu_task, prologue_callback_pop_func), 2},
	{&cl_count, offsetof(struct starpu_task, prologue_callback_func), 1}, /* by the thread that submits */
	{&cl_count, offsetof(struct starpu_task, soon_callback_func), 1},
};

static void tasks_and_callbacks_pause(int at_once)
{
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		int all = at_once < places[i].at_once ? at_once : places[i].at_once;
		set(&inside, 0);
		set(&have_paused, 0);
		for (int k = 0; k < all; k++) {
			struct starpu_task *t = starpu_task_create();
			t->cl = places[i].cl;
			t->cl_arg = t->callback_arg = t->epilogue_callback_arg = &all;
			t->prologue_callback_pop_arg = t->prologue_callback_arg = t->soon_callback_arg = &all;
			if (places[i].callback)
				*(void (**)(void *))(void *)((char *)t + places[i].callback) = meet_and_pause;
			CHECK(starpu_task_submit(t) == 0);
		}
		while (LOOK(have_paused) < all)
			sched_yield();
		submit_early(1, 1);
		usleep(300);
		set(&this_pause, 0);
		for (int k = 0; k < all; k++)
			starpu_resume();
		starpu_task_wait_for_all();
		CHECK(ran_in_pause == 0 && !starpu_is_paused());
	}
}

static void one_pauses(void)
{
	tasks_and_callbacks_pause(1);
}

static void two_pause_at_once(void)
{
	tasks_and_callbacks_pause(2);
}

/* A callback that is run behind a task, on its worker, when the next becomes ready. */
static void a_callback_between_tasks_pauses(void)
{
	int one = 1, value = 0;
	starpu_data_handle_t h;
	static struct starpu_codelet cl_first = {.cpu_funcs = {until_told}, .nbuffers = 1, .modes = {STARPU_RW}},
				     cl_second = {.cpu_funcs = {count}, .nbuffers = 1, .modes = {STARPU_RW}};
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	set(&go_on, 0);
	set(&inside, 0);
	CHECK(starpu_task_insert(&cl_first, STARPU_RW, h, 0) == 0);
	while (!LOOK(inside))
		sched_yield();
	set(&inside, 0);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_second;
	t->handles[0] = h;
	t->prologue_callback_func = meet_and_pause;
	t->prologue_callback_arg = &one;
	CHECK(starpu_task_submit(t) == 0);
	set(&go_on, 1);
	while (!starpu_is_paused())
		sched_yield();
	starpu_resume();
	starpu_task_wait_for_all();
	starpu_data_unregister(h);
}

static void pauses_are_counted(void)
{
	n_ran = 0;
	starpu_pause();
	starpu_pause();
	CHECK(starpu_task_insert(&cl_count, 0) == 0);
	starpu_resume();
	usleep(300);
	CHECK(starpu_is_paused() && LOOK(n_ran) == 0);
	starpu_resume();
	starpu_task_wait_for_all();
	CHECK(LOOK(n_ran) == 1);
}

static void run(const char *policy, void (*const *tests)(void))
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
	for (; *tests; tests++)
		(*tests)();
	starpu_shutdown();
}

int main(void)
{
	static void (*const every[])(void) = {
		nothing_begins, a_task_that_runs, one_pauses, a_callback_between_tasks_pauses, pauses_are_counted, NULL,
	};
	static void (*const two[])(void) = {two_pause_at_once, NULL};
	static void (*const parallel[])(void) = {nothing_begins, parallel_tasks, a_task_that_runs, NULL};
	static const char *const policies[] = {NULL, "lws", "eager", "prio", "dmda", "modular-eager"};
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
		run(policies[i], every);
	run(NULL, two); /* policies may put both on one worker */
	run("peager", parallel);
	return checks_failed();
}
