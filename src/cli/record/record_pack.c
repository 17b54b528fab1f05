/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressing streams while the command goes on (--pack): a thread that runs only when a cpu is idle looks once a second for
 * streams that are closed, counts what they hold, and replaces them by packed ones. The rest is done at the end.
 */
#include "base/map.h"
#include "base/fs.h"
#include "format/format.h"
#include "record_run.h"
#include "trace/weft/pack.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct record_packer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool end; /* under lock */
	char *dir;
	struct record_totals *totals; /* borrowed; the thread's until it has ended */
	struct weft_intern done;      /* paths that were counted */
};

static bool is_closed(const char *path)
{
	struct weft_stream_head h;
	return record_read_head(path, &h) && h.state == WEFT_STREAM_CLOSED;
}

static void pack_closed(struct record_packer *p)
{
	char **paths;
	uint32_t id;
	int n = record_list_streams(p->dir, NULL, &paths);
	for (int i = 0; i < n; i++) {
		struct weft_str path = weft_str(paths[i]);
		if (weft_intern_find(&p->done, path, &id) || !is_closed(paths[i]))
			continue;
		if (weft_intern_add(&p->done, path, &id))
			break;
		record_count_stream(p->totals, paths[i]);
		/* What cannot be packed (a full disk) stays as it is: a trace all the same. */
		if (weft_stream_pack(paths[i], 0, NULL))
			continue;
	}
	if (n >= 0)
		weft_list_free(paths, n);
}

static void *packer_main(void *arg)
{
	struct record_packer *p = arg;
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
	pthread_mutex_lock(&p->lock);
	while (!p->end) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
		if (p->end)
			break;
		pthread_mutex_unlock(&p->lock);
		pack_closed(p);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int record_packer_start(struct record_packer **out, const char *dir, struct record_totals *totals)
{
	struct record_packer *p = calloc(1, sizeof *p);
	*out = NULL;
	if (!p || !(p->dir = strdup(dir))) {
		free(p);
		return -ENOMEM;
	}
	p->totals = totals;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	int error = pthread_create(&p->thread, NULL, packer_main, p);
	if (error) {
		free(p->dir);
		free(p);
		return -error;
	}
	*out = p;
	return 0;
}

void record_packer_finish(struct record_packer *p, const char *dir, const char *own_stream, bool pack,
                          struct record_totals *totals)
{
	char **paths;
	uint32_t id;
	if (p) {
		pthread_mutex_lock(&p->lock);
		p->end = true;
		pthread_cond_signal(&p->wake);
		pthread_mutex_unlock(&p->lock);
		pthread_join(p->thread, NULL);
	}
	int n = record_list_streams(dir, own_stream, &paths);
	for (int i = 0; i < n; i++)
		if (!p || !weft_intern_find(&p->done, weft_str(paths[i]), &id))
			record_count_stream(totals, paths[i]);
	if (n >= 0)
		weft_list_free(paths, n);
	struct weft_pack_totals packed;
	if (pack)
		totals->pack_error = weft_trace_pack(dir, 0, 0, &packed, NULL);
	if (p) {
		pthread_mutex_destroy(&p->lock);
		pthread_cond_destroy(&p->wake);
		weft_intern_fini(&p->done);
		free(p->dir);
		free(p);
	}
}
