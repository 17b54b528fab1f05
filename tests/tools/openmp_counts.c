/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenMP program that knows nothing of Weft and counts what it does. At the end it prints, a line each:
 *
 *     NAME N      as tests/tools/openmp_seen prints of a trace
 *
 * Its argument says which parts are done (their names, or none: all).
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long n_parallel, n_bodies, n_chunks, n_iterations, n_sections, n_single, n_critical, n_named, n_ordered, n_tasks,
	n_taskwait, n_taskgroup, n_lock, n_nest_lock, n_in_vain, n_masked, n_cancels;
static long sum, expected;

#define COUNT(what) \
	do { \
		_Pragma("omp atomic")(what)++; \
	} while (0)
#define ADD(what, n) \
	do { \
		_Pragma("omp atomic")(what) += (n); \
	} while (0)

static void expect(int holds, int line)
{
	if (holds)
		return;
	fprintf(stderr, "openmp_counts: line %d\n", line);
	abort();
}
#define EXPECT(x) expect(x, __LINE__)

/* The bounds of chunks are not to be seen: a chunk is told from the last by a schedule of a known size. */
enum { N = 1000, SIZE = 7, THREADS = 3 };

static void team(void)
{
	n_parallel++;
#pragma omp parallel num_threads(THREADS)
	COUNT(n_bodies);
	n_parallel++;
#pragma omp parallel if (0)
	COUNT(n_bodies);
	/* Nested: each of two threads has a team of its own. */
	ADD(n_parallel, 3);
#pragma omp parallel num_threads(2)
	{
		COUNT(n_bodies);
#pragma omp parallel num_threads(2)
		COUNT(n_bodies);
	}
}

static void loops(void)
{
	n_parallel++;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
	{
		COUNT(n_bodies);
#pragma omp for schedule(dynamic, SIZE)
		for (int i = 0; i < N; i++)
			sum += i;
#pragma omp for schedule(dynamic, SIZE) nowait
		for (long i = N; i > 0; i -= 3)
			sum += i;
#pragma omp for schedule(dynamic, SIZE)
		for (unsigned long i = 5; i < 5 + 2ul * N; i += 2)
			sum += (long)i;
#pragma omp for schedule(runtime)
		for (int i = 0; i < N; i++)
			sum += i;
#pragma omp for schedule(guided, SIZE)
		for (int i = 0; i < N; i++)
			sum += i;
#pragma omp for schedule(dynamic, SIZE)
		for (int i = 0; i < 0; i++)
			sum += i;
	}
	enum { STEPS3 = (N + 2) / 3 };
	n_chunks += 2 * ((N + SIZE - 1) / SIZE) + (STEPS3 + SIZE - 1) / SIZE + (N + SIZE - 1) / SIZE;
	n_iterations += 4l * N + STEPS3;
	for (long i = 0; i < N; i++)
		expected += 3 * i + 5 + 2 * i;
	for (long i = N; i > 0; i -= 3)
		expected += i;
	n_parallel++;
#pragma omp parallel for schedule(dynamic, SIZE) num_threads(THREADS) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
	n_chunks += (N + SIZE - 1) / SIZE;
	n_iterations += N;
	n_bodies += THREADS;
	expected += (long)N * (N - 1) / 2;
}

static void ordered(void)
{
	static int next;
	n_parallel++;
	n_bodies += THREADS;
#pragma omp parallel for ordered schedule(dynamic, SIZE) num_threads(THREADS)
	for (int i = 0; i < 50; i++) {
#pragma omp ordered
		{
			EXPECT(next++ == i);
			COUNT(n_ordered);
		}
	}
	n_chunks += (50 + SIZE - 1) / SIZE;
	n_iterations += 50;
}

static void doacross(void)
{
	static int done[20][20];
	n_parallel++;
	n_bodies += THREADS;
#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered(2) schedule(dynamic, 1)
	for (int i = 1; i < 20; i++)
		for (int j = 1; j < 20; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			EXPECT(i == 1 || done[i - 1][j]);
			EXPECT(j == 1 || done[i][j - 1]);
			done[i][j] = 1;
#pragma omp ordered depend(source)
		}
	n_chunks += 19;
	n_iterations += 19;
}

static void shares(void)
{
	int copied = 0;
	n_parallel++;
#pragma omp parallel num_threads(THREADS) firstprivate(copied)
	{
		COUNT(n_bodies);
#pragma omp sections
		{
			COUNT(n_sections);
#pragma omp section
			COUNT(n_sections);
#pragma omp section
			COUNT(n_sections);
		}
#pragma omp single
		COUNT(n_single);
#pragma omp single nowait
		COUNT(n_single);
#pragma omp single copyprivate(copied)
		{
			COUNT(n_single);
			copied = 4;
		}
		EXPECT(copied == 4);
#pragma omp master
		COUNT(n_masked);
#pragma omp barrier
	}
	n_parallel++;
	n_bodies += 2;
#pragma omp parallel sections num_threads(2)
	{
		COUNT(n_sections);
#pragma omp section
		COUNT(n_sections);
	}
}

static void exclusive(void)
{
	static long plain, named, locked, nested, tried;
	omp_lock_t a, b;
	omp_nest_lock_t c;
	omp_init_lock(&a);
	omp_init_lock(&b);
	omp_init_nest_lock(&c);
	n_parallel++;
#pragma omp parallel num_threads(THREADS)
	{
		COUNT(n_bodies);
		for (int i = 0; i < 100; i++) {
#pragma omp critical
			{
				plain++;
				n_critical++;
			}
#pragma omp critical(someone)
			{
				named++;
				n_named++;
			}
			/* Not in the order of a stack. */
			omp_set_lock(&a);
			locked++;
			n_lock++;
			omp_set_lock(&b);
			n_lock++;
			omp_unset_lock(&a);
			tried++;
			omp_unset_lock(&b);
			if (omp_test_lock(&a)) {
				n_lock++;
				omp_unset_lock(&a);
			} else {
				COUNT(n_in_vain);
			}
			omp_set_nest_lock(&c);
			omp_set_nest_lock(&c);
			nested++;
			n_nest_lock++;
			omp_unset_nest_lock(&c);
			omp_unset_nest_lock(&c);
		}
		/* So that what was in vain is told. */
		omp_set_lock(&b);
		n_lock++;
		omp_unset_lock(&b);
	}
	/* One that another thread holds for sure. */
	n_parallel++;
	omp_set_lock(&a);
	n_lock++;
#pragma omp parallel num_threads(2)
	{
		COUNT(n_bodies);
		for (int i = 0; omp_get_thread_num() == 1 && i < 5; i++) {
			EXPECT(!omp_test_lock(&a));
			COUNT(n_in_vain);
		}
#pragma omp barrier
		if (omp_get_thread_num() == 1) {
			omp_set_lock(&b);
			n_lock++;
			omp_unset_lock(&b);
		}
	}
	omp_unset_lock(&a);
	EXPECT(plain == 100 * THREADS && named == plain && locked == plain && nested == plain && tried == plain);
	omp_destroy_lock(&a);
	omp_destroy_lock(&b);
	omp_destroy_nest_lock(&c);
}

static long fib(int n)
{
	long a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	{
		COUNT(n_tasks);
		a = fib(n - 1);
	}
#pragma omp task shared(b) if (n > 5)
	{
		COUNT(n_tasks);
		b = fib(n - 2);
	}
	COUNT(n_taskwait);
#pragma omp taskwait
	return a + b;
}

static void tasks(void)
{
	long big[100] = {[99] = 7}, chain = 0, result = 0;
	n_parallel++;
#pragma omp parallel num_threads(THREADS)
	{
		COUNT(n_bodies);
#pragma omp single
		{
			COUNT(n_single);
			result = fib(12);
			COUNT(n_taskgroup);
#pragma omp taskgroup
			{
				for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(big)
					{
						COUNT(n_tasks);
						EXPECT(big[99] == 7);
					}
				}
			}
			for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : chain) untied
				{
					COUNT(n_tasks);
					EXPECT(chain == i);
					chain++;
				}
			}
#if defined __clang__
			COUNT(n_taskgroup); /* made by the compiler; GCC's runtime has it inside */
#endif
#pragma omp taskloop num_tasks(8)
			for (int i = 0; i < 80; i++)
				if (i % 10 == 0)
					COUNT(n_tasks);
		}
	}
	EXPECT(result == 144 && chain == 10);
}

static void cancels(void)
{
	static int found;
	if (!omp_get_cancellation())
		return;
	n_parallel++;
	n_bodies += THREADS;
#pragma omp parallel num_threads(THREADS)
#pragma omp for schedule(dynamic, 1)
	for (int i = 0; i < 100000; i++) {
		COUNT(n_chunks);
		COUNT(n_iterations);
		if (i == 50) {
			COUNT(n_cancels);
#pragma omp cancel for
		}
#pragma omp cancellation point for
		COUNT(found);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {{"team", team},     {"loops", loops},         {"ordered", ordered}, {"doacross", doacross},
             {"shares", shares}, {"exclusive", exclusive}, {"tasks", tasks},     {"cancels", cancels}};

int main(int argc, char **argv)
{
	omp_set_max_active_levels(2);
	omp_set_schedule(omp_sched_dynamic, SIZE);
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (argc < 2 || strstr(argv[1], parts[i].name))
			parts[i].run();
	EXPECT(sum == expected);
	printf("parallel %ld\nbodies %ld\nsections %ld\nsingle %ld\n", n_parallel, n_bodies, n_sections, n_single);
	printf("critical %ld\ncritical someone %ld\nordered %ld\nlocks %ld\nnest locks %ld\nin vain %ld\n", n_critical, n_named,
	       n_ordered, n_lock, n_nest_lock, n_in_vain);
	printf("tasks %ld\ntaskwaits %ld\ntaskgroups %ld\ncancels %ld\n", n_tasks, n_taskwait, n_taskgroup, n_cancels);
	printf("chunks %ld\niterations %ld\n", n_chunks, n_iterations);
	return 0;
}
