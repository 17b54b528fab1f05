/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of messages beyond their rows, looked for once: the greatest distance between the
 * times of a thread's messages, and on which cpus the two ends of each message were. A message's
 * row names threads only: their cpus are what the columns of the two threads say at the ends'
 * events. Rows of cpus and nodes ask for both ends of a message at once, so a walk over all threads
 * gathers them, the first time that anybody asks: 8 bytes a message, which other metrics do not
 * pay.
 */
#include "metric_work.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct weft_message_cpus {
	pthread_mutex_t lock;
	bool made;
	uint32_t *at;       /* owned; of message i: sender's at 2i, receiver's at 2i + 1 */
	uint64_t *distance; /* owned; by thread */
};

int metric_places_new(struct weft_message_cpus **out)
{
	struct weft_message_cpus *p = calloc(1, sizeof *p);
	*out = p;
	if (!p)
		return -ENOMEM;
	pthread_mutex_init(&p->lock, NULL);
	return 0;
}

void metric_places_free(struct weft_message_cpus *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	free(p->at);
	free(p->distance);
	free(p);
}

static bool is_end_or_cpu(const void *unused, uint32_t what)
{
	unsigned kind = weft_what_kind(what);
	(void)unused;
	return kind == WEFT_EV_SEND || kind == WEFT_EV_RECV || kind == WEFT_EV_CPU;
}

static int walk_thread(const struct weft_space *s, uint32_t thread, uint32_t *at)
{
	const struct weft_trace *t = s->trace;
	struct metric_source source;
	struct weft_block b;
	uint32_t cpu = 0;
	int rc = metric_source_begin(&source, s, thread, 0, &(struct weft_choice){is_end_or_cpu, NULL});
	while (!rc && (rc = metric_source_next(&source, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			if (kind == WEFT_EV_CPU)
				cpu = b.value[i] < t->n_cpus ? (uint32_t)b.value[i] + 1 : 0;
			else if ((kind == WEFT_EV_SEND || kind == WEFT_EV_RECV) && b.value[i] < t->message.n)
				at[2 * b.value[i] + (kind == WEFT_EV_RECV)] = cpu;
		}
	}
	metric_source_end(&source);
	return rc;
}

int metric_places_need(const struct weft_space *s)
{
	struct weft_message_cpus *p = s->message_cpus;
	const struct weft_trace *t = s->trace;
	int rc = 0;
	pthread_mutex_lock(&p->lock);
	if (!p->made && !p->at && !(p->at = calloc(2 * t->message.n + 1, sizeof *p->at)))
		rc = -ENOMEM;
	for (uint32_t i = 0; i < t->n_threads && !p->made && !rc; i++)
		rc = walk_thread(s, i, p->at);
	p->made |= !rc;
	pthread_mutex_unlock(&p->lock);
	return rc;
}

uint32_t metric_message_cpu(const struct weft_space *s, uint64_t message, bool receiver)
{
	return s->message_cpus->at[2 * message + receiver];
}

/* ---- how far the times of a message are apart ---- */

static void measure(const struct weft_space *s, uint64_t *distance)
{
	const struct weft_messages *m = &s->trace->message;
	const uint64_t *const column[] = {m->send_began, m->send_done, m->recv_began, m->recv_done};
	for (uint64_t i = 0; i < m->n; i++) {
		uint64_t least = UINT64_MAX, most = 0;
		const uint32_t end[] = {metric_seen_thread(s, m->send_thread[i]), metric_seen_thread(s, m->recv_thread[i])};
		if (end[0] == WEFT_NONE || end[1] == WEFT_NONE)
			continue;
		for (unsigned k = 0; k < 4; k++) {
			least = column[k][i] < least ? column[k][i] : least;
			most = column[k][i] != WEFT_NEVER && column[k][i] > most ? column[k][i] : most;
		}
		for (unsigned k = 0; k < 2; k++)
			if (most - least > distance[end[k]])
				distance[end[k]] = most - least;
	}
}

int metric_places_distance(const struct weft_space *s, uint32_t thread, uint64_t *distance)
{
	struct weft_message_cpus *p = s->message_cpus;
	*distance = 0;
	pthread_mutex_lock(&p->lock);
	if (!p->distance && (p->distance = calloc((size_t)s->trace->n_threads + 1, sizeof *p->distance)))
		measure(s, p->distance);
	int rc = p->distance ? 0 : -ENOMEM;
	if (!rc)
		*distance = p->distance[thread];
	pthread_mutex_unlock(&p->lock);
	return rc;
}
