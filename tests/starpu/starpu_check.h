/* SPDX-License-Identifier: Apache-2.0 */
/* What StarPU programs that are tests need: a check that says where it failed and counts, and the exit status. */
#ifndef TESTS_STARPU_CHECK_H
#define TESTS_STARPU_CHECK_H

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int checks_bad;

#define CHECK(x) \
	do { \
		if (!(x)) { \
			__atomic_add_fetch(&checks_bad, 1, __ATOMIC_RELAXED); \
			fprintf(stderr, "%s:%d: %s: '%s' does not hold\n", __FILE__, __LINE__, __func__, #x); \
		} \
	} while (0)

/* What a task may be writing right now. */
#define LOOK(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)

/* Waits for what a task or worker does, a minute at most: a CHECK comes after it. */
#define WAIT_FOR(x) \
	do { \
		for (unsigned turn_ = 0; !(x) && turn_ < 60000; turn_++) \
			usleep(1000); \
	} while (0)

/* For main to return. */
static inline int checks_failed(void)
{
	return checks_bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Ends with a skip, whose reason the runner wants to see; a CHECK that failed before stays a failure. */
static inline _Noreturn void skip_test(const char *why)
{
	printf("skipped: %s\n", why);
	fflush(stdout);
	_exit(checks_bad ? EXIT_FAILURE : 77);
}

/* StarPU does not begin where the test has what it needs: that is a failure. */
static inline _Noreturn void cannot_begin(void)
{
	fprintf(stderr, "%s: StarPU cannot be initialised\n", __FILE__);
	_exit(EXIT_FAILURE);
}

/* With so many CPU workers and no others. */
static inline void begin_on_cpus(int n)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = n;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
}

#endif
