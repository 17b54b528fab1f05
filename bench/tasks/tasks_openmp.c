/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP's tasks, for libgomp (gcc) and libomp (clang). As many threads as there are cores: the one that submits helps. */
#include "tasks.h"
#include <omp.h>

static char data[DATA * 64]; /* what depend clauses name */
static volatile int held;
#define AT(i) data[(i)*64]

static void none(void)
{
#pragma omp task
	tasks_body();
}

static void writes(const unsigned *d, unsigned n)
{
	if (n == 1) {
#pragma omp task depend(inout : AT(d[0]))
		tasks_body();
	} else if (n == 2) {
#pragma omp task depend(inout : AT(d[0]), AT(d[1]))
		tasks_body();
	} else if (n == 4) {
#pragma omp task depend(inout : AT(d[0]), AT(d[1]), AT(d[2]), AT(d[3]))
		tasks_body();
	} else if (n == 8) {
#pragma omp task depend(inout : AT(d[0]), AT(d[1]), AT(d[2]), AT(d[3]), AT(d[4]), AT(d[5]), AT(d[6]), AT(d[7]))
		tasks_body();
	} else {
		exit(STATUS_SKIPPED);
	}
}

static void reads(const unsigned *r, unsigned n, unsigned w)
{
	if (n == 1) {
#pragma omp task depend(in : AT(r[0])) depend(out : AT(w))
		tasks_body();
	} else if (n == 2) {
#pragma omp task depend(in : AT(r[0]), AT(r[1])) depend(out : AT(w))
		tasks_body();
	} else {
#pragma omp task depend(in : AT(r[0]), AT(r[1]), AT(r[2])) depend(out : AT(w))
		tasks_body();
	}
}

static void hold(void)
{
	held = 1;
#pragma omp task depend(inout : AT(0))
	while (held)
		usleep(100);
	usleep(20000); /* another thread has it by now */
}

static void let(void)
{
	held = 0;
}

static void wait_all(void)
{
#pragma omp taskwait
}

static void nothing(void)
{
}

static uint64_t fib_task(unsigned n)
{
	uint64_t a = 0, b = 0;
	if (n < 2)
		return 1;
#pragma omp task shared(a)
	a = fib_task(n - 1);
#pragma omp task shared(b)
	b = fib_task(n - 2);
#pragma omp taskwait
	return a + b + 1;
}

static int begin(unsigned workers)
{
	(void)workers;
	omp_set_num_threads(CORES);
	return 0;
}

int main(int argc, char **argv)
{
	struct runtime r = {begin, nothing, nothing, wait_all, none, writes, reads, NULL, fib_task, NULL, hold, let, NULL, NULL};
	int status = 1;
	omp_set_num_threads(CORES);
#pragma omp parallel
#pragma omp single
	status = tasks_main(&r, argc, argv);
	return status;
}
