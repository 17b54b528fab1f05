/* SPDX-License-Identifier: Apache-2.0 */
/* Time in microseconds, from the first call of the process on; sleeping. */
#include <starpu.h>
#include <errno.h>
#include <pthread.h>

static struct timespec reference;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_reference(void)
{
	clock_gettime(CLOCK_MONOTONIC, &reference);
}

double starpu_timing_get_reference(void)
{
	pthread_once(&once, set_reference);
	return (double)reference.tv_sec * 1e6 + (double)reference.tv_nsec / 1e3;
}

double starpu_timing_now(void)
{
	struct timespec now;
	pthread_once(&once, set_reference);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - reference.tv_sec) * 1e6 + (double)(now.tv_nsec - reference.tv_nsec) / 1e3;
}

static void sleep_ns(double ns)
{
	struct timespec left = {.tv_sec = (time_t)(ns / 1e9)};
	left.tv_nsec = (long)(ns - (double)left.tv_sec * 1e9);
	while (ns > 0 && nanosleep(&left, &left) && errno == EINTR)
		;
}

void starpu_sleep(float nb_sec)
{
	sleep_ns((double)nb_sec * 1e9);
}

void starpu_usleep(float nb_micro_sec)
{
	sleep_ns((double)nb_micro_sec * 1e3);
}
