/* SPDX-License-Identifier: Apache-2.0 */
/* What no program may do ends it with a message that says what was wrong: each case in a process of its own. */
#include "misuse_check.h"
#include <starpu_openmp.h>
#include <unistd.h>

static void nothing(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet cl = {.cpu_funcs = {nothing}, .name = "mine"};
static struct starpu_codelet cl_reads = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_R}, .name = "reads"};

static void before_begin(void)
{
	starpu_shutdown();
	starpu_task_insert(&cl, 0);
}
static void no_task(void)
{
	starpu_task_submit((struct starpu_task *)NULL);
}
static void no_init(void)
{
	static struct starpu_task t;
	starpu_task_submit(&t);
}
static void twice(void)
{
	struct starpu_task *t = starpu_task_create();
	starpu_pause();
	t->cl = &cl;
	t->destroy = 0;
	starpu_task_submit(t);
	starpu_task_submit(t);
}
static void destroys_too_early(void)
{
	struct starpu_task *t = starpu_task_create();
	starpu_pause();
	t->cl = &cl;
	t->destroy = 0;
	starpu_task_submit(t);
	starpu_task_destroy(t);
}
static void wrong_mode(void)
{
	static int value;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_task_insert(&cl_reads, STARPU_RW, h, 0);
}
static void too_many(void)
{
	static int value;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_task_insert(&cl_reads, STARPU_R, h, STARPU_R, h, 0);
}
static void no_handle(void)
{
	starpu_task_insert(&cl_reads, STARPU_R, (starpu_data_handle_t)NULL, 0);
}
static void unknown_argument(void)
{
	starpu_task_insert(&cl, 100 << STARPU_MODE_SHIFT, 0);
}
/* More than a codelet has room for, and nobody says how they are used. */
enum { MANY = STARPU_NMAXBUFS + 1 };
static struct starpu_codelet cl_many = {.cpu_funcs = {nothing}, .nbuffers = MANY, .name = "many"};
static void no_modes(void)
{
	static int value;
	starpu_data_handle_t h[MANY];
	for (int i = 0; i < MANY; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_many;
	t->dyn_handles = malloc(sizeof h);
	memcpy(t->dyn_handles, h, sizeof h);
	starpu_task_submit(t);
}
static void no_modes_in_an_array(void)
{
	static int value;
	starpu_data_handle_t h[MANY];
	for (int i = 0; i < MANY; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_task_insert(&cl_many, STARPU_DATA_ARRAY, h, MANY, 0);
}
static void unpacks_too_much(void)
{
	int a = 1, b;
	void *packed;
	size_t bytes;
	struct starpu_codelet_pack_arg_data state;
	starpu_codelet_pack_args(&packed, &bytes, STARPU_VALUE, &a, sizeof a, 0);
	starpu_codelet_unpack_arg_init(&state, packed, bytes);
	starpu_codelet_unpack_arg(&state, &b, sizeof b);
	starpu_codelet_unpack_arg(&state, &b, sizeof b);
}

static void on_itself(void)
{
	struct starpu_task *t = starpu_task_create();
	starpu_task_declare_deps_array(t, 1, &t);
}
static void ends_with_itself(void)
{
	struct starpu_task *t = starpu_task_create();
	starpu_task_declare_end_deps_array(t, 1, &t);
}
static void tag_on_itself(void)
{
	starpu_tag_declare_deps(5, 2, (starpu_tag_t)4, (starpu_tag_t)5);
}
static void waits_for_none(void)
{
	starpu_task_wait(NULL);
}
static void bundle_of_none(void)
{
	starpu_task_bundle_t bundle;
	starpu_task_bundle_create(&bundle);
	starpu_task_bundle_insert(bundle, NULL);
}
static void nobodys_bundle(void)
{
	starpu_task_bundle_insert(NULL, starpu_task_create());
}
static void no_function(void)
{
	starpu_execute_on_each_worker(NULL, NULL, STARPU_CPU);
}
static void ends_all(void *arg)
{
	(void)arg;
	starpu_shutdown();
}
static void shutdown_by_a_task(void)
{
	starpu_execute_on_each_worker(ends_all, NULL, STARPU_CPU);
}
static void shutdown_by_a_callback(void)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->callback_func = ends_all;
	t->synchronous = 1;
	starpu_task_submit(t);
}
static void nowhere_for_memory(void)
{
	starpu_malloc(NULL, 10);
}

static void region_without_begin(void)
{
	struct starpu_omp_parallel_region_attr attr = {.cl = {.cpu_funcs = {nothing}, .where = STARPU_CPU}};
	starpu_omp_parallel_region(&attr);
}
static void omp_task_without_begin(void)
{
	struct starpu_omp_task_region_attr attr = {.cl = {.cpu_funcs = {nothing}, .where = STARPU_CPU}, .if_clause = 1};
	starpu_omp_task_region(&attr);
}

static void lock_of_nobody(void)
{
	starpu_omp_lock_t lock;
	starpu_omp_init_lock(&lock);
	starpu_omp_unset_lock(&lock);
}
static void nest_lock_of_nobody(void)
{
	starpu_omp_nest_lock_t lock;
	starpu_omp_init_nest_lock(&lock);
	starpu_omp_unset_nest_lock(&lock);
}
static void lock_destroyed_twice(void)
{
	starpu_omp_lock_t lock;
	starpu_omp_init_lock(&lock);
	starpu_omp_destroy_lock(&lock);
	starpu_omp_destroy_lock(&lock);
}
static void leaves_what_it_is_not_in(void)
{
	starpu_omp_critical_inline_end("section");
}

static void context_that_is_not(void)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	starpu_task_submit_to_ctx(t, 5);
}
static void context_of_nobody(void)
{
	int workers[] = {0, 9};
	starpu_sched_ctx_create(workers, 2, "few", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
}
static void context_gets_nobody(void)
{
	int workers[] = {0}, nobody[] = {-1};
	unsigned ctx = starpu_sched_ctx_create(workers, 1, "few", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	starpu_sched_ctx_add_workers(nobody, 1, ctx);
}
static void context_deleted_twice(void)
{
	int workers[] = {0};
	unsigned ctx = starpu_sched_ctx_create(workers, 1, "once", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	starpu_sched_ctx_delete(ctx);
	starpu_sched_ctx_delete(ctx);
}
static void too_many_contexts(void)
{
	int workers[] = {0};
	for (int i = 0; i < STARPU_NMAX_SCHED_CTXS; i++)
		starpu_sched_ctx_create(workers, 1, "one of many", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
}

/* What waits, in a codelet or in a callback: it would wait for itself, or for what this worker is to do. */
static int value_waited_for;
static starpu_data_handle_t data_waited_for;
static struct starpu_task *task_waited_for;
static void acquires(void)
{
	starpu_data_acquire(data_waited_for, STARPU_R);
}
static void fetches(void)
{
	starpu_data_fetch_on_node(data_waited_for, STARPU_MAIN_RAM, 0);
}
static void waits_for_tag(void)
{
	starpu_tag_wait(77);
}
static void waits_for_task(void)
{
	starpu_task_wait(task_waited_for);
}
static void waits_for_all(void)
{
	starpu_task_wait_for_all();
}
static void waits_for_few(void)
{
	starpu_task_wait_for_n_submitted(3);
}
static void waits_for_none_ready(void)
{
	starpu_task_wait_for_no_ready();
}
static void runs_another(void)
{
	starpu_task_insert(&cl, STARPU_TASK_SYNCHRONOUS, 1, 0);
}
static void unregisters(void)
{
	starpu_data_unregister(data_waited_for);
}

static void (*waits)(void);
static void wait_here(void **buffers, void *arg)
{
	(void)buffers;
	if (!arg)
		waits();
}
static void wait_in_callback(void *arg)
{
	(void)arg;
	waits();
}
static struct starpu_codelet cl_waits = {.cpu_funcs = {wait_here}};
static void one_that_waits(int in_callback)
{
	starpu_variable_data_register(&data_waited_for, STARPU_MAIN_RAM, (uintptr_t)&value_waited_for, sizeof value_waited_for);
	task_waited_for = starpu_task_create();
	task_waited_for->cl = &cl;
	task_waited_for->detach = 0;
	starpu_task_submit(task_waited_for);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_waits;
	t->cl_arg = in_callback ? &value_waited_for : NULL;
	t->callback_func = in_callback ? wait_in_callback : NULL;
	starpu_task_submit(t);
	starpu_task_wait_for_all();
}
static void in_codelet(void)
{
	one_that_waits(0);
}
static void in_callback(void)
{
	one_that_waits(1);
}

int main(void)
{
	static const struct {
		void (*wrong)(void);
		const char *says;
	} cases[] = {
		{before_begin, "not initialised"},
		{no_task, "no task is given"},
		{no_init, "not made by starpu_task_create"},
		{twice, "submitted again before it is done"},
		{destroys_too_early, "still under way"},
		{wrong_mode, "'reads': buffer 0 has mode R, and is given with mode RW"},
		{too_many, "'reads' has 1 buffers, and is given more"},
		{no_handle, "handle 0 is NULL"},
		{no_modes, "'many' has 9 buffers, more than STARPU_NMAXBUFS (8): it or its codelet needs dyn_modes"},
		{no_modes_in_an_array, "'many': handle 0 has no access mode"},
		{unknown_argument, "of no known kind"},
		{unpacks_too_much, "more arguments are unpacked than were packed"},
		{on_itself, "starpu_task_declare_deps_array: a task is declared to depend on itself"},
		{ends_with_itself, "starpu_task_declare_end_deps_array: a task is declared to depend on itself"},
		{tag_on_itself, "tag 0x5 is declared to depend on itself"},
		{waits_for_none, "starpu_task_wait: no task is given"},
		{bundle_of_none, "there is no task"},
		{nobodys_bundle, "there is no bundle"},
		{no_function, "there is no function"},
		{shutdown_by_a_task, "starpu_shutdown is called by a task"},
		{shutdown_by_a_callback, "starpu_shutdown is called by a task"},
		{nowhere_for_memory, "there is no place for the address"},
		{region_without_begin, "starpu_omp_parallel_region is called without starpu_omp_init"},
		{omp_task_without_begin, "starpu_omp_task_region is called without starpu_omp_init"},
		{lock_of_nobody, "an OpenMP lock is unset, or a critical section left, that nobody has"},
		{nest_lock_of_nobody, "by a task that does not have it"},
		{lock_destroyed_twice, "or after it is destroyed"},
		{leaves_what_it_is_not_in, "a critical section left, that nobody has"},
		{context_that_is_not, "task 'mine' is for scheduling context 5, which there is not"},
		{context_of_nobody, "'few': there is no worker 9, but 1 from 0 on"},
		{context_gets_nobody, "'few': there is no worker -1"},
		{context_deleted_twice, "there is no scheduling context 1 to delete"},
		{too_many_contexts, "scheduling contexts already"},
	};
	static const struct {
		void (*waits)(void);
		const char *says;
	} blocking[] = {
		{acquires, "starpu_data_acquire or starpu_data_fetch_on_node: this waits"},
		{fetches, "starpu_data_fetch_on_node: this waits"},
		{waits_for_tag, "starpu_tag_wait: this waits"},
		{waits_for_task, "starpu_task_wait: this waits"},
		{waits_for_all, "starpu_task_wait_for_all: this waits"},
		{waits_for_few, "starpu_task_wait_for_n_submitted: this waits"},
		{waits_for_none_ready, "starpu_task_wait_for_no_ready: this waits"},
		{runs_another, "a synchronous task: this waits"},
		{unregisters, "starpu_data_unregister: this waits"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_ends(cases[i].wrong, cases[i].says);
	for (size_t i = 0; i < sizeof blocking / sizeof blocking[0]; i++) {
		waits = blocking[i].waits;
		check_ends(in_codelet, blocking[i].says);
		check_ends(in_callback, blocking[i].says);
	}
	return checks_failed();
}
