/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, one lock for all: each of four computes for 3 ms and updates its own table for 2 ms, under a lock that all share. Fixed: a lock for each table.
 *
 *     gcc -pthread thread_lock.c -o thread_lock $(pkg-config --cflags --libs weft)
 *     weft record --on locks -o lock.weft -- ./thread_lock && weft what-if lock.weft --no-lock '*'
 */
#include "whatif_work.h"
#include <pthread.h>

WEFT_REGION(compute, "compute", WEFT_STATE_RUNNING);
WEFT_REGION(update, "update", WEFT_STATE_RUNNING);
enum { THREADS = 4, STEPS = 80, COMPUTE_US = 3000, UPDATE_US = 2000 };

static pthread_mutex_t lock[THREADS];
static bool fixed;

static void *run(void *arg)
{
	pthread_mutex_t *mine = fixed ? arg : &lock[0];
	for (int step = 0; step < STEPS; step++) {
		work_us(compute, COMPUTE_US);
		pthread_mutex_lock(mine);
		work_us(update, UPDATE_US);
		pthread_mutex_unlock(mine);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	fixed = is_fixed(argc, argv);
	for (int i = 0; i < THREADS; i++)
		pthread_mutex_init(&lock[i], NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, &lock[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
