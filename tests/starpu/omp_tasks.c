/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP support: tasks that wait for their children at every level, tasks that nobody waits for until a barrier, groups, final
 * and undeferred ones, tasks with data, loops of tasks, locks across tasks.
 */
#include "starpu_check.h"
#include <starpu.h>
#include <starpu_openmp.h>

#define ADD(at, n) __atomic_fetch_add(&(at), (n), __ATOMIC_RELAXED)
#define GET(at) __atomic_load_n(&(at), __ATOMIC_RELAXED)

static void region(void (*f)(void *buffers[], void *arg), void *arg)
{
	struct starpu_omp_parallel_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = f;
	attr.cl.where = STARPU_CPU;
	attr.cl_arg = arg;
	attr.cl_arg_size = sizeof arg;
	attr.if_clause = 1;
	starpu_omp_parallel_region(&attr);
}

static struct starpu_omp_task_region_attr task_of(void (*f)(void *buffers[], void *arg), void *arg, size_t size)
{
	struct starpu_omp_task_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = f;
	attr.cl.where = STARPU_CPU;
	attr.cl_arg = arg;
	attr.cl_arg_size = size;
	attr.if_clause = 1;
	attr.untied_clause = 1;
	return attr;
}

static void spawn(void (*f)(void *buffers[], void *arg), void *arg, size_t size)
{
	struct starpu_omp_task_region_attr attr = task_of(f, arg, size);
	starpu_omp_task_region(&attr);
}

/* ---- fork and join ---- */

struct fib {
	unsigned n;
	unsigned long result;
};

static void fib_f(void *buffers[], void *arg)
{
	struct fib *f = arg;
	(void)buffers;
	f->result = f->n;
	if (f->n < 2)
		return;
	struct fib a = {f->n - 1, 0}, b = {f->n - 2, 0};
	spawn(fib_f, &a, sizeof a);
	spawn(fib_f, &b, sizeof b);
	starpu_omp_taskwait();
	f->result = a.result + b.result;
}

static void fib_region_f(void *buffers[], void *arg)
{
	(void)buffers;
	if (starpu_omp_single_inline())
		fib_f(NULL, arg);
	starpu_omp_barrier();
	CHECK(((struct fib *)arg)->result == 6765);
}

/* ---- trees that nobody waits for, until there is a barrier or the end of a group ---- */

static unsigned ran;

static void tree_f(void *buffers[], void *arg)
{
	uintptr_t depth = *(uintptr_t *)arg;
	static uintptr_t depths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	(void)buffers;
	ADD(ran, 1);
	for (unsigned i = 0; i < 2 && depth; i++)
		spawn(tree_f, &depths[depth - 1], sizeof(uintptr_t));
}

static void tree_region_f(void *buffers[], void *arg)
{
	static uintptr_t eight = 8;
	unsigned n = (unsigned)starpu_omp_get_num_threads();
	(void)buffers, (void)arg;
	spawn(tree_f, &eight, sizeof eight);
	starpu_omp_barrier();
	CHECK(GET(ran) == 511 * n);
	starpu_omp_barrier();
	/* This one is waited for at the end of the region. */
	spawn(tree_f, &eight, sizeof eight);
}

static void group_body(void *arg)
{
	spawn(tree_f, arg, sizeof(uintptr_t));
}

static void group_region_f(void *buffers[], void *arg)
{
	static uintptr_t six = 6;
	(void)buffers, (void)arg;
	if (starpu_omp_single_inline()) {
		for (unsigned i = 1; i <= 10; i++) {
			starpu_omp_taskgroup(group_body, &six);
			CHECK(GET(ran) == 127 * (2 * i - 1));
			starpu_omp_taskgroup_inline_begin();
			starpu_omp_taskgroup_inline_begin();
			spawn(tree_f, &six, sizeof six);
			starpu_omp_taskgroup_inline_end();
			CHECK(GET(ran) == 127 * 2 * i);
			starpu_omp_taskgroup_inline_end();
		}
	}
	starpu_omp_barrier();
}

/* ---- undeferred and final ---- */

static unsigned order;

static void undeferred_f(void *buffers[], void *arg)
{
	(void)buffers;
	*(unsigned *)arg = ++order;
}

static void final_f(void *buffers[], void *arg)
{
	unsigned first = 0, second = 0;
	(void)buffers, (void)arg;
	CHECK(starpu_omp_in_final());
	spawn(undeferred_f, &first, sizeof first);
	CHECK(first);
	spawn(undeferred_f, &second, sizeof second);
	CHECK(second == first + 1);
}

static void immediate_region_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	if (starpu_omp_single_inline()) {
		for (unsigned i = 0; i < 50; i++) {
			unsigned at = 0;
			struct starpu_omp_task_region_attr attr = task_of(undeferred_f, &at, sizeof at);
			attr.if_clause = 0;
			starpu_omp_task_region(&attr);
			CHECK(at == order);
			attr = task_of(final_f, NULL, 0);
			attr.final_clause = 1;
			starpu_omp_task_region(&attr);
			starpu_omp_taskwait();
		}
		CHECK(order == 150);
	}
	starpu_omp_barrier();
}

/* ---- with data ---- */

static int values[200];
static starpu_data_handle_t vector;

static void add_f(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	(void)arg;
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = 2 * v[i] + *(int *)arg;
}

static void data_region_f(void *buffers[], void *arg)
{
	static int one = 1;
	(void)buffers, (void)arg;
	if (starpu_omp_single_inline()) {
		for (unsigned i = 0; i < 10; i++) {
			struct starpu_omp_task_region_attr attr = task_of(add_f, &one, sizeof one);
			attr.cl.nbuffers = 1;
			attr.cl.modes[0] = STARPU_RW;
			attr.handles = &vector;
			attr.if_clause = i % 4 != 3;
			starpu_omp_task_region(&attr);
		}
		starpu_omp_taskwait();
	}
	starpu_omp_barrier();
}

static void check_data(void)
{
	for (int i = 0; i < 200; i++)
		values[i] = i;
	starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)values, 200, sizeof values[0]);
	starpu_omp_handle_register(vector);
	CHECK(starpu_omp_data_lookup(values) == vector);
	region(data_region_f, NULL);
	starpu_omp_handle_unregister(vector);
	starpu_data_unregister(vector);
	for (int i = 0; i < 200; i++)
		CHECK(values[i] == 1024 * i + 1023);
}

/* ---- a loop of tasks ---- */

static unsigned parts;

static void part_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	ADD(parts, 1);
}

static void taskloop_region_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	if (starpu_omp_single_inline()) {
		struct starpu_omp_task_region_attr attr = task_of(part_f, NULL, 0);
		attr.is_loop = 1;
		attr.nb_iterations = 100;
		attr.num_tasks = 4;
		starpu_omp_taskloop_inline_begin(&attr);
		starpu_omp_taskloop_inline_end(&attr);
		CHECK(GET(parts) == 4);
		attr.num_tasks = 0;
		attr.grainsize = 30;
		starpu_omp_taskloop_inline_begin(&attr);
		starpu_omp_taskloop_inline_end(&attr);
		CHECK(GET(parts) == 7);
	}
	starpu_omp_barrier();
}

/* ---- locks across tasks ---- */

static unsigned long counted;

static void locked_f(void *buffers[], void *arg)
{
	starpu_omp_lock_t *lock = arg;
	(void)buffers;
	starpu_omp_set_lock(lock);
	counted++;
	starpu_omp_unset_lock(lock);
}

static void lock_region_f(void *buffers[], void *arg)
{
	(void)buffers;
	for (unsigned i = 0; i < 300; i++)
		spawn(locked_f, arg, sizeof(starpu_omp_lock_t));
	starpu_omp_taskwait();
}

/* ---- who runs a task is one of the region's threads, and says which ---- */

enum { NUMBERED = 200, THREADS_MOST = 64 };
static int running[THREADS_MOST];
static unsigned numbered;

static void numbered_f(void *buffers[], void *arg)
{
	int me = starpu_omp_get_thread_num(), n = starpu_omp_get_num_threads();
	(void)buffers, (void)arg;
	CHECK(me >= 0 && me < n && starpu_omp_get_ancestor_thread_num(1) == me);
	if (me < 0 || me >= THREADS_MOST)
		return;
	CHECK(ADD(running[me], 1) == 0);
	for (unsigned i = 0; i < 1000; i++)
		ADD(numbered, i == 0);
	ADD(running[me], -1);
}

/* Half of them without data, and a quarter each with one of two handles. */
static void numbers_region_f(void *buffers[], void *arg)
{
	starpu_data_handle_t *handles = arg;
	(void)buffers;
	if (starpu_omp_master_inline())
		for (unsigned i = 0; i < NUMBERED; i++) {
			struct starpu_omp_task_region_attr attr = task_of(numbered_f, NULL, 0);
			attr.cl.nbuffers = i % 2;
			attr.cl.modes[0] = STARPU_COMMUTE | STARPU_RW;
			attr.handles = &handles[i % 4 == 1];
			starpu_omp_task_region(&attr);
		}
	starpu_omp_barrier();
}

static void check_numbers(int threads)
{
	int one[2] = {1, 1};
	starpu_data_handle_t handles[2];
	for (unsigned i = 0; i < 2; i++)
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&one[i], sizeof(int));
	struct starpu_omp_parallel_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = numbers_region_f;
	attr.cl.where = STARPU_CPU;
	attr.cl_arg = handles;
	attr.if_clause = 1;
	attr.num_threads = threads;
	numbered = 0;
	starpu_omp_parallel_region(&attr);
	CHECK(numbered == NUMBERED);
	for (unsigned i = 0; i < 2; i++)
		starpu_data_unregister(handles[i]);
}

/* ---- what waits, in a region: acquiring, unregistering, a synchronous task, waiting for one ---- */

static void doubles_f(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) *= 2;
}

static void waits_in_task_f(void *buffers[], void *arg)
{
	static struct starpu_codelet cl = {.cpu_funcs = {doubles_f}, .nbuffers = 1, .modes = {STARPU_RW}};
	int value = 1;
	starpu_data_handle_t h;
	(void)buffers;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (int i = 1; i <= 10; i++) {
		CHECK(starpu_task_insert(&cl, STARPU_RW, h, 0) == 0);
		CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
		CHECK(value == 1 << i);
		starpu_data_release(h);
	}
	for (int i = 0; i < 10; i++) {
		struct starpu_task *t = starpu_task_build(&cl, STARPU_RW, h, STARPU_TASK_SYNCHRONOUS, i % 2, 0);
		t->destroy = 0;
		t->detach = 0;
		CHECK(starpu_task_submit(t) == 0);
		CHECK(i % 2 || starpu_task_wait(t) == 0);
		CHECK(value == 1 << (11 + i));
		starpu_task_destroy(t);
	}
	starpu_task_insert(&cl, STARPU_RW, h, 0);
	starpu_data_unregister(h);
	CHECK(value == 1 << 21);
	ADD(*(unsigned *)arg, 1);
}

static void waits_region_f(void *buffers[], void *arg)
{
	waits_in_task_f(buffers, arg);
	for (unsigned i = 0; i < 4; i++)
		spawn(waits_in_task_f, arg, sizeof(unsigned));
	starpu_omp_barrier();
}

int main(void)
{
	if (starpu_omp_init())
		cannot_begin();
	unsigned n = (unsigned)starpu_omp_get_max_threads();
	for (unsigned round = 0; round < 10; round++) {
		struct fib f = {20, 0};
		region(fib_region_f, &f);
		ran = 0;
		region(tree_region_f, NULL);
		CHECK(ran == 2 * 511 * n);
		ran = 0;
		region(group_region_f, NULL);
		CHECK(ran == 2540);
	}
	region(immediate_region_f, NULL);
	check_data();
	region(taskloop_region_f, NULL);
	starpu_omp_lock_t lock;
	starpu_omp_init_lock(&lock);
	region(lock_region_f, &lock);
	CHECK(counted == 300 * n);
	starpu_omp_destroy_lock(&lock);
	for (int threads = 1; threads <= (int)n; threads++)
		check_numbers(threads);
	unsigned waited = 0;
	region(waits_region_f, &waited);
	CHECK(waited == 5 * n);
	starpu_omp_shutdown();
	return checks_failed();
}
