/* SPDX-License-Identifier: Apache-2.0 */
#include "record_represent.h"
#include "base/clock.h"
#include "base/fs.h"
#include "record_follow.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STRETCH_NS UINT64_C(100000000)
#define STRETCH_LEAST_NS UINT64_C(1000000)
#define TOLERANCE 0.2
#define LOOK_LEAST_NS UINT64_C(50000000)
#define LOOKS_AT_END 3
#define LOOK_SHARE 20                 /* a look may take a twentieth of the time */
#define SETTLED_NS UINT64_C(10000000) /* an event that began so long ago is in its page */

struct record_represent {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool end; /* under lock */
	char *dir, *own;
	struct record_kinds kinds;
	struct weft_intern known;                /* paths */
	WEFT_VEC(struct record_follow *) stream; /* by number of the path; NULL: it could not be opened */
};

int record_represent_check(const struct record_args *a, struct weft_err *err)
{
	const bool other = a->stretch != RECORD_NOT_GIVEN || a->tolerance != RECORD_TOLERANCE_NONE;
	if (!a->representative)
		return other ? weft_err_set(err, -EINVAL, "--stretch and --tolerance need --representative") : 0;
	if (a->ring || a->environment || a->attach)
		return weft_err_set(err, -EINVAL, "--representative excludes --%s",
		                    a->ring          ? "ring"
		                    : a->environment ? "environment"
		                                     : "attach");
	if (a->stretch != RECORD_NOT_GIVEN && a->stretch < STRETCH_LEAST_NS)
		return weft_err_set(err, -EINVAL, "option '--stretch': expected 1ms or more");
	if (!(a->tolerance >= 0 && a->tolerance <= 1) && a->tolerance != RECORD_TOLERANCE_NONE)
		return weft_err_set(err, -EINVAL, "option '--tolerance': expected a number from 0 to 1");
	return 0;
}

static void follow_new(struct record_represent *p)
{
	char **paths;
	uint32_t id;
	const int n = record_list_streams(p->dir, p->own, &paths);
	for (int i = 0; i < n; i++) {
		if (weft_intern_find(&p->known, weft_str(paths[i]), &id))
			continue;
		struct record_follow *f = record_follow_open(paths[i]);
		if (!f)
			continue; /* not yet: the next look tries again */
		if (weft_intern_add(&p->known, weft_str(paths[i]), &id) || weft_vec_push(&p->stream, f)) {
			record_follow_close(f);
			p->kinds.failed = true;
		}
	}
	if (n >= 0)
		weft_list_free(paths, n);
}

static void look(struct record_represent *p)
{
	const uint64_t now = weft_monotonic_ns() - SETTLED_NS;
	uint64_t until = now;
	follow_new(p);
	for (size_t i = 0; i < p->stream.n; i++) {
		const uint64_t known = record_follow_look(p->stream.at[i], &p->kinds, now);
		until = known < until ? known : until;
	}
	for (size_t i = 0; i < p->stream.n; i++)
		record_follow_reach(p->stream.at[i], &p->kinds, until);
	record_kinds_decide(&p->kinds, until);
}

static void *represent_main(void *arg)
{
	struct record_represent *p = arg;
	uint64_t took = 0;
	pthread_mutex_lock(&p->lock);
	while (!p->end) {
		struct timespec until;
		const uint64_t wait = took * LOOK_SHARE > LOOK_LEAST_NS ? took * LOOK_SHARE : LOOK_LEAST_NS;
		clock_gettime(CLOCK_REALTIME, &until);
		const uint64_t ns = (uint64_t)until.tv_nsec + wait;
		until.tv_sec += (time_t)(ns / 1000000000);
		until.tv_nsec = (long)(ns % 1000000000);
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
		if (p->end)
			break;
		pthread_mutex_unlock(&p->lock);
		const uint64_t began = weft_monotonic_ns();
		look(p);
		took = weft_monotonic_ns() - began;
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void represent_free(struct record_represent *p)
{
	for (size_t i = 0; i < p->stream.n; i++)
		record_follow_close(p->stream.at[i]);
	free(p->stream.at);
	weft_intern_fini(&p->known);
	record_kinds_fini(&p->kinds);
	free(p->dir);
	free(p->own);
	free(p);
}

int record_represent_start(struct record_represent **out, const struct record_args *a, const char *dir, const char *own)
{
	struct record_represent *p = calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->dir = strdup(dir);
	p->own = strdup(own);
	p->kinds = (struct record_kinds){.origin_ns = weft_monotonic_ns(),
	                                 .stretch_ns = a->stretch == RECORD_NOT_GIVEN ? STRETCH_NS : a->stretch,
	                                 .tolerance = a->tolerance < 0 ? TOLERANCE : a->tolerance};
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	const int error = p->dir && p->own ? pthread_create(&p->thread, NULL, represent_main, p) : ENOMEM;
	if (error) {
		represent_free(p);
		return -error;
	}
	*out = p;
	return 0;
}

static void leave_out_all(struct record_represent *p, struct record_represented *out)
{
	char **paths;
	const int n = record_list_streams(p->dir, p->own, &paths);
	for (int i = 0; i < n && out->left_out; i++) {
		const int rc = record_leave_out(paths[i], &p->kinds);
		out->changed += rc == 0;
		out->as_they_are += rc == 1;
		out->error = rc < 0 ? rc : out->error;
	}
	if (n >= 0)
		weft_list_free(paths, n);
}

void record_represent_finish(struct record_represent *p, struct record_represented *out)
{
	*out = (struct record_represented){0};
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->end = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	for (unsigned i = 0; i < LOOKS_AT_END; i++) /* what the last look had not reached */
		look(p);
	out->failed = p->kinds.failed;
	out->stretches = p->kinds.decided.n;
	out->kinds = p->kinds.kind.shape.n;
	for (size_t i = 0; i < p->kinds.decided.n; i++)
		out->left_out += p->kinds.decided.at[i].left_out;
	leave_out_all(p, out);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	represent_free(p);
}
