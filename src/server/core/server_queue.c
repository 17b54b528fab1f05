/* SPDX-License-Identifier: Apache-2.0 */
/* Work for a few threads, first come first served. */
#include "server_priv.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static void *work(void *arg)
{
	struct server_queue *q = arg;
	pthread_mutex_lock(&q->lock);
	while (q->first || !q->ending) {
		struct server_job *j = q->first;
		if (!j) {
			pthread_cond_wait(&q->wake, &q->lock);
			continue;
		}
		q->first = j->next;
		if (!q->first)
			q->last = &q->first;
		q->n--;
		pthread_mutex_unlock(&q->lock);
		j->run(j);
		pthread_mutex_lock(&q->lock);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

int server_queue_init(struct server_queue *q, unsigned threads)
{
	*q = (struct server_queue){.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
	q->last = &q->first;
	q->thread = calloc(threads, sizeof *q->thread);
	int rc = q->thread ? 0 : -ENOMEM;
	for (unsigned i = 0; i < threads && !rc; i++) {
		rc = -pthread_create(&q->thread[i], NULL, work, q);
		q->n_threads += !rc;
	}
	if (rc)
		server_queue_fini(q);
	return rc;
}

bool server_queue_put(struct server_queue *q, struct server_job *j)
{
	pthread_mutex_lock(&q->lock);
	bool room = q->n < SERVER_QUEUE_MOST && !q->ending;
	if (room) {
		j->next = NULL;
		*q->last = j;
		q->last = &j->next;
		q->n++;
		pthread_cond_signal(&q->wake);
	}
	pthread_mutex_unlock(&q->lock);
	return room;
}

void server_queue_fini(struct server_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->ending = true;
	pthread_cond_broadcast(&q->wake);
	pthread_mutex_unlock(&q->lock);
	for (unsigned i = 0; i < q->n_threads; i++)
		pthread_join(q->thread[i], NULL);
	free(q->thread);
	q->thread = NULL;
	q->n_threads = 0;
}
