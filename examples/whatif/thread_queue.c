/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, a slow producer: one thread makes an item in 6 ms, two take turns to use it for 4 ms. Fixed: making one takes half as long.
 *
 *     gcc -pthread thread_queue.c -o thread_queue $(pkg-config --cflags --libs weft)
 *     weft record -o queue.weft -- ./thread_queue && weft what-if queue.weft --faster produce=2
 */
#include "whatif_work.h"
#include <pthread.h>
#include <semaphore.h>

WEFT_REGION(produce, "produce", WEFT_STATE_RUNNING);
WEFT_REGION(consume, "consume", WEFT_STATE_RUNNING);
enum { CONSUMERS = 2, ITEMS = 120, PRODUCE_US = 6000, CONSUME_US = 4000 };

static sem_t items[CONSUMERS];

static void *take(void *arg)
{
	for (int i = 0; i < ITEMS / CONSUMERS; i++) {
		sem_wait(arg);
		work_us(consume, CONSUME_US);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[CONSUMERS];
	for (int i = 0; i < CONSUMERS; i++) {
		sem_init(&items[i], 0, 0);
		pthread_create(&thread[i], NULL, take, &items[i]);
	}
	for (int i = 0; i < ITEMS; i++) {
		work_us(produce, is_fixed(argc, argv) ? PRODUCE_US / 2 : PRODUCE_US);
		sem_post(&items[i % CONSUMERS]);
	}
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
