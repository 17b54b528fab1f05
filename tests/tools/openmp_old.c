/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP as compilers before GCC 4.9 made it: a region is begun, its part of the caller's called by the caller itself, and ended. Says
 * what it has counted: regions, bodies, chunks, iterations, sections.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
void GOMP_barrier(void);
void GOMP_parallel_loop_static_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(void (*)(void *), void *, unsigned, long, long, long);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
bool GOMP_loop_dynamic_start(long, long, long, long, long *, long *);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

static atomic_int parallels, bodies, chunks, iterations, sections;

static void chunk(long from, long to)
{
	chunks++;
	iterations += (int)(to - from);
}

static void plain(void *arg)
{
	long from, to;
	(void)arg;
	bodies++;
	GOMP_barrier();
	if (GOMP_loop_dynamic_start(0, 40, 1, 4, &from, &to))
		do
			chunk(from, to);
		while (GOMP_loop_dynamic_next(&from, &to));
	GOMP_loop_end();
}

#define LOOP(kind) \
	static void loop_##kind(void *arg) \
	{ \
		long from, to; \
		(void)arg; \
		bodies++; \
		while (GOMP_loop_##kind##_next(&from, &to)) \
			chunk(from, to); \
		GOMP_loop_end_nowait(); \
	}
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(runtime)

static void some_sections(void *arg)
{
	(void)arg;
	bodies++;
	while (GOMP_sections_next())
		sections++;
	GOMP_sections_end_nowait();
}

static void nested(void *arg)
{
	(void)arg;
	bodies++;
	parallels++;
	GOMP_parallel_start(plain, NULL, 1);
	plain(NULL);
	GOMP_parallel_end();
}

#define REGION(fn, start) \
	do { \
		parallels++; \
		start; \
		fn(NULL); \
		GOMP_parallel_end(); \
	} while (0)

int main(void)
{
	for (int i = 0; i < 10; i++) {
		REGION(plain, GOMP_parallel_start(plain, NULL, 2));
		REGION(loop_static, GOMP_parallel_loop_static_start(loop_static, NULL, 2, 0, 100, 1, 10));
		REGION(loop_dynamic, GOMP_parallel_loop_dynamic_start(loop_dynamic, NULL, 3, 0, 100, 1, 7));
		REGION(loop_runtime, GOMP_parallel_loop_runtime_start(loop_runtime, NULL, 2, 0, 50, 1));
		REGION(some_sections, GOMP_parallel_sections_start(some_sections, NULL, 2, 5));
		REGION(nested, GOMP_parallel_start(nested, NULL, 2));
	}
	int before = chunks; /* of guided loops their sizes, and so their number, are the runtime's */
	REGION(loop_guided, GOMP_parallel_loop_guided_start(loop_guided, NULL, 2, 0, 100, 1, 1));
	printf("parallel %d\nbodies %d\nsections %d\nchunks %d\niterations %d\n", parallels, bodies, sections, before,
	       iterations);
	return 0;
}
