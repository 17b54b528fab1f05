/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP support: regions, barriers, single, master, loops of every schedule, order, sections, critical sections, locks. What is
 * asked of a region of n threads must hold for any n.
 */
#include "starpu_check.h"
#include <starpu.h>
#include <starpu_openmp.h>

#define ADD(at, n) __atomic_fetch_add(&(at), (n), __ATOMIC_RELAXED)

static void region(void (*f)(void *buffers[], void *arg), void *arg, int threads)
{
	struct starpu_omp_parallel_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = f;
	attr.cl.where = STARPU_CPU;
	attr.cl_arg = arg;
	attr.cl_arg_size = arg ? sizeof(void *) : 0;
	attr.if_clause = 1;
	attr.num_threads = threads;
	starpu_omp_parallel_region(&attr);
}

/* ---- threads, barriers ---- */

static int seen[64], entered, phases;

static void threads_f(void *buffers[], void *arg)
{
	int me = starpu_omp_get_thread_num(), n = starpu_omp_get_num_threads();
	(void)buffers;
	CHECK(arg == &seen && me >= 0 && me < n);
	CHECK(starpu_worker_get_id() >= 0 && starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CPU_WORKER);
	ADD(seen[me], 1);
	ADD(entered, 1);
	CHECK(starpu_omp_get_level() == 1 && starpu_omp_get_ancestor_thread_num(1) == me);
	CHECK(starpu_omp_get_ancestor_thread_num(0) == 0 && starpu_omp_get_team_size(1) == n);
	CHECK(starpu_omp_in_parallel() == (n > 1));
	starpu_omp_barrier();
	CHECK(__atomic_load_n(&entered, __ATOMIC_RELAXED) == n);
	for (int i = 1; i <= 100; i++) {
		ADD(phases, 1);
		starpu_omp_barrier();
		CHECK(__atomic_load_n(&phases, __ATOMIC_RELAXED) == i * n);
		starpu_omp_barrier();
	}
	if (starpu_omp_master_inline())
		CHECK(me == 0);
}

static void check_threads(int threads)
{
	memset(seen, 0, sizeof seen);
	entered = phases = 0;
	region(threads_f, &seen, threads);
	int want = threads ? threads : starpu_omp_get_max_threads();
	CHECK(entered == want);
	for (int i = 0; i < 64; i++)
		CHECK(seen[i] == (i < want));
	CHECK(starpu_omp_get_level() == 0 && starpu_omp_get_num_threads() == 1);
}

/* ---- single ---- */

static unsigned singles;

static void count_single(void *arg)
{
	ADD(*(unsigned *)arg, 1);
}

static void give(void *arg, void *data, unsigned long long size)
{
	CHECK(size == sizeof(int));
	*(int *)data = *(int *)arg;
}

static void single_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	for (int i = 0; i < 200; i++)
		starpu_omp_single(count_single, &singles, i % 3 != 0);
	starpu_omp_barrier();
	for (int i = 0; i < 50; i++) {
		int mine = -1, from = i * 7;
		starpu_omp_single_copyprivate(give, &from, &mine, sizeof mine);
		CHECK(mine == i * 7);
		int other = i * 3;
		int *copied = starpu_omp_single_copyprivate_inline_begin(&other);
		if (copied)
			CHECK(*copied == i * 3);
		starpu_omp_single_copyprivate_inline_end();
	}
}

/* ---- loops ---- */

enum { ITERATIONS = 997 };
static unsigned done[ITERATIONS], turn, sections[40];

struct loop {
	int schedule, chunk, ordered;
};

static void do_range(unsigned long long i, unsigned long long end, int ordered)
{
	CHECK(end <= ITERATIONS);
	for (; i < end && i < ITERATIONS; i++) {
		ADD(done[i], 1);
		if (!ordered)
			continue;
		starpu_omp_ordered_inline_begin();
		CHECK(turn == i);
		turn++;
		starpu_omp_ordered_inline_end();
	}
}

static void range_f(unsigned long long first, unsigned long long n, void *arg)
{
	do_range(first, first + n, ((struct loop *)arg)->ordered);
}

static void range_alt_f(unsigned long long begin, unsigned long long end, void *arg)
{
	do_range(begin, end, ((struct loop *)arg)->ordered);
}

static void clear(void)
{
	starpu_omp_barrier();
	if (starpu_omp_master_inline()) {
		memset(done, 0, sizeof done);
		turn = 0;
	}
	starpu_omp_barrier();
}

static void check_done(void)
{
	starpu_omp_barrier();
	for (unsigned i = 0; i < ITERATIONS; i++)
		CHECK(done[i] == 1);
}

static void loop_f(void *buffers[], void *arg)
{
	struct loop *l = arg;
	unsigned long long i, n;
	(void)buffers;
	clear();
	starpu_omp_for(range_f, l, ITERATIONS, (unsigned long long)l->chunk, l->schedule, l->ordered, 0);
	check_done();
	clear();
	starpu_omp_for_alt(range_alt_f, l, ITERATIONS, (unsigned long long)l->chunk, l->schedule, l->ordered, 1);
	check_done();
	clear();
	if (starpu_omp_for_inline_first(ITERATIONS, (unsigned long long)l->chunk, l->schedule, l->ordered, &i, &n))
		do
			do_range(i, i + n, l->ordered);
		while (starpu_omp_for_inline_next(ITERATIONS, (unsigned long long)l->chunk, l->schedule, l->ordered, &i, &n));
	check_done();
	CHECK(n == 0); /* when there is no more */
	clear();
	if (starpu_omp_for_inline_first_alt(ITERATIONS, (unsigned long long)l->chunk, l->schedule, l->ordered, &i, &n))
		do
			do_range(i, n, l->ordered);
		while (starpu_omp_for_inline_next_alt(ITERATIONS, (unsigned long long)l->chunk, l->schedule, l->ordered, &i, &n));
	check_done();
}

static void check_loops(int threads)
{
	static const int schedules[] = {starpu_omp_sched_static, starpu_omp_sched_dynamic, starpu_omp_sched_guided,
	                                starpu_omp_sched_runtime};
	static const int chunks[] = {0, 1, 7, 2000};
	for (unsigned s = 0; s < 4; s++)
		for (unsigned c = 0; c < 4; c++)
			for (int ordered = 0; ordered < 2; ordered++) {
				struct loop l = {schedules[s], chunks[c], ordered};
				region(loop_f, &l, threads);
			}
}

/* ---- sections ---- */

static void section_f(void *arg)
{
	ADD(*(unsigned *)arg, 1);
}

static void combined_f(unsigned long long i, void *arg)
{
	ADD(((unsigned *)arg)[i], 1);
}

static void sections_f(void *buffers[], void *arg)
{
	void (*f[40])(void *);
	void *args[40];
	(void)buffers, (void)arg;
	for (unsigned i = 0; i < 40; i++) {
		f[i] = section_f;
		args[i] = &sections[i];
	}
	starpu_omp_sections(40, f, args, 1);
	starpu_omp_sections_combined(40, combined_f, sections, 0);
	for (unsigned i = 0; i < 40; i++)
		CHECK(__atomic_load_n(&sections[i], __ATOMIC_RELAXED) == 2);
}

/* ---- exclusion ---- */

static unsigned long plain, named, locked, nested, atomic;
static starpu_omp_lock_t lock;
static starpu_omp_nest_lock_t nest;

static void add_plain(void *arg)
{
	(void)arg;
	plain++;
}

static void locks_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	for (unsigned i = 0; i < 2000; i++) {
		starpu_omp_critical(add_plain, NULL, NULL);
		starpu_omp_critical_inline_begin("named");
		named++;
		starpu_omp_critical_inline_end("named");
		if (i % 2 || !starpu_omp_test_lock(&lock))
			starpu_omp_set_lock(&lock);
		locked++;
		starpu_omp_unset_lock(&lock);
		starpu_omp_set_nest_lock(&nest);
		starpu_omp_set_nest_lock(&nest);
		CHECK(starpu_omp_test_nest_lock(&nest) == 3);
		nested++;
		for (unsigned k = 0; k < 3; k++)
			starpu_omp_unset_nest_lock(&nest);
		starpu_omp_atomic_fallback_inline_begin();
		atomic++;
		starpu_omp_atomic_fallback_inline_end();
	}
}

static void check_locks(int threads)
{
	plain = named = locked = nested = atomic = 0;
	starpu_omp_init_lock(&lock);
	starpu_omp_init_nest_lock(&nest);
	region(locks_f, NULL, threads);
	unsigned long want = 2000ul * (unsigned long)threads;
	CHECK(plain == want && named == want && locked == want && nested == want && atomic == want);
	CHECK(starpu_omp_test_lock(&lock) && !starpu_omp_test_lock(&lock));
	starpu_omp_unset_lock(&lock);
	starpu_omp_destroy_lock(&lock);
	starpu_omp_destroy_nest_lock(&nest);
}

/* ---- control variables, nesting ---- */

static int inner, outer;

static void inner_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	CHECK(starpu_omp_get_level() == 2);
	CHECK(starpu_omp_get_team_size(2) == starpu_omp_get_num_threads());
	CHECK(starpu_omp_get_ancestor_thread_num(2) == starpu_omp_get_thread_num());
	ADD(inner, 1);
	starpu_omp_barrier();
}

static void outer_f(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	ADD(outer, 1);
	starpu_omp_barrier();
	region(inner_f, NULL, 2);
	CHECK(starpu_omp_get_level() == 1);
	starpu_omp_barrier();
}

static void check_control(void)
{
	enum starpu_omp_sched_value kind;
	int chunk;
	CHECK(starpu_omp_get_thread_num() == 0 && !starpu_omp_in_parallel() && !starpu_omp_in_final());
	CHECK(starpu_omp_get_num_procs() >= 1 && starpu_omp_get_thread_limit() >= 1);
	CHECK(starpu_omp_get_team_size(0) == 1 && starpu_omp_get_team_size(1) == -1);
	CHECK(starpu_omp_get_ancestor_thread_num(-1) == -1);
	starpu_omp_set_schedule(starpu_omp_sched_dynamic, 5);
	starpu_omp_get_schedule(&kind, &chunk);
	CHECK(kind == starpu_omp_sched_dynamic && chunk == 5);
	starpu_omp_set_dynamic(1);
	CHECK(starpu_omp_get_dynamic());
	starpu_omp_set_dynamic(0);
	starpu_omp_set_num_threads(1);
	CHECK(starpu_omp_get_max_threads() == 1);
	starpu_omp_set_num_threads(2);
	CHECK(starpu_omp_is_initial_device() && starpu_omp_get_num_teams() == 1);
	double from = starpu_omp_get_wtime();
	CHECK(from >= 0 && starpu_omp_get_wtime() >= from && starpu_omp_get_wtick() > 0);
	inner = outer = 0;
	region(outer_f, NULL, 2);
	int two = starpu_omp_get_thread_limit() < 2 ? 1 : 2;
	CHECK(outer == two && inner >= two);
}

int main(void)
{
	if (starpu_omp_init())
		cannot_begin();
	int most = starpu_omp_get_max_threads();
	for (int round = 0; round < 5; round++)
		for (int threads = 0; threads <= most; threads++)
			check_threads(threads);
	for (int threads = 1; threads <= most; threads++) {
		singles = 0;
		region(single_f, NULL, threads);
		CHECK(singles == 200);
		check_loops(threads);
		memset(sections, 0, sizeof sections);
		region(sections_f, NULL, threads);
		check_locks(threads);
	}
	check_control();
	starpu_omp_shutdown();
	return checks_failed();
}
