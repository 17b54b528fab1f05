/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU's OpenMP support, as a compiler would use it: fork and join. Compiled against us and against StarPU 1.3. */
#include <starpu.h>
#include <starpu_openmp.h>
#include "tasks.h"

struct call {
	unsigned n;
	uint64_t made;
};

static void fib_body(void *buffers[], void *arg);

static void spawn(struct call *c)
{
	struct starpu_omp_task_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = fib_body;
	attr.cl.where = STARPU_CPU;
	attr.cl_arg = c;
	attr.cl_arg_size = sizeof *c;
	attr.if_clause = 1;
	attr.untied_clause = 1;
	starpu_omp_task_region(&attr);
}

static void fib_body(void *buffers[], void *arg)
{
	struct call *c = arg;
	(void)buffers;
	c->made = 1;
	if (c->n < 2)
		return;
	struct call a = {c->n - 1, 0}, b = {c->n - 2, 0};
	spawn(&a);
	spawn(&b);
	starpu_omp_taskwait();
	c->made += a.made + b.made;
}

static void region_body(void *buffers[], void *arg)
{
	(void)buffers;
	if (starpu_omp_single_inline())
		fib_body(NULL, arg);
	starpu_omp_barrier();
}

static uint64_t fib(unsigned n)
{
	struct call c = {n, 0};
	struct starpu_omp_parallel_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = region_body;
	attr.cl.where = STARPU_CPU;
	attr.cl_arg = &c;
	attr.cl_arg_size = sizeof c;
	attr.if_clause = 1;
	starpu_omp_parallel_region(&attr);
	return c.made;
}

static int begin(unsigned workers)
{
	char number[16];
	snprintf(number, sizeof number, "%u", workers);
	setenv("OMP_NUM_THREADS", number, 1);
	setenv("STARPU_NCPU", number, 1);
	return starpu_omp_init();
}

int main(int argc, char **argv)
{
	struct runtime r = {.begin = begin, .end = starpu_omp_shutdown, .fib = fib};
	return tasks_main(&r, argc, argv);
}
