/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, uneven phases: in each phase another of three threads has 9 ms to do and the others 3 ms, and all meet at a barrier. Fixed: 5 ms for each.
 *
 *     gcc -pthread thread_phases.c -o thread_phases $(pkg-config --cflags --libs weft)
 *     weft record -o phases.weft -- ./thread_phases && weft what-if phases.weft --balance particles
 */
#include "whatif_work.h"
#include <pthread.h>
#include <stdint.h>

WEFT_REGION(particles, "particles", WEFT_STATE_RUNNING);
enum { THREADS = 3, PHASES = 90, MOST_US = 9000, LEAST_US = 3000 };

static pthread_barrier_t meet;
static bool fixed;

static void *run(void *arg)
{
	for (int phase = 0; phase < PHASES; phase++) {
		bool much = phase % THREADS == (intptr_t)arg;
		work_us(particles, fixed ? (MOST_US + (THREADS - 1) * LEAST_US) / THREADS : much ? MOST_US : LEAST_US);
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	fixed = is_fixed(argc, argv);
	pthread_barrier_init(&meet, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
