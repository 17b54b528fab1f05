/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-sent events. A stream's connection is suspended while there is nothing to send. One clock thread looks which streams are due
 * and has a worker ask them for more; one that is behind with sending is not asked, so that a slow client costs a megabyte and sees,
 * when it comes back, how things are then.
 *
 * A stream is held by the response (until the library frees it) and by the worker that asks it: users.
 */
#include "base/clock.h"
#include "server_priv.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct server_flow {
	struct server_job job;
	struct server_clock *clock;
	struct MHD_Connection *connection;
	const struct server_stream *kind;
	void *state;
	int fd;
	struct server_flow *next, **at; /* in the clock's list, under its lock */
	uint64_t due_ns, sent_ns;       /* likewise */
	unsigned users;                 /* likewise */
	pthread_mutex_t lock;           /* for what is below */
	struct weft_buf text;
	size_t taken;
	bool suspended, ended, asked;
};

static void drop(struct server_flow *f)
{
	struct server_clock *c = f->clock;
	pthread_mutex_lock(&c->lock);
	bool last = --f->users == 0;
	if (last && f->at) {
		*f->at = f->next;
		if (f->next)
			f->next->at = f->at;
	}
	pthread_mutex_unlock(&c->lock);
	if (!last)
		return;
	if (f->state)
		f->kind->end(f->state);
	weft_buf_fini(&f->text);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

/* With the stream's lock: the connection goes on. */
static void wake(struct server_flow *f)
{
	if (f->suspended) {
		f->suspended = false;
		MHD_resume_connection(f->connection);
	}
}

/* ---- the library's side ---- */

static ssize_t read_text(void *arg, uint64_t pos, char *to, size_t room)
{
	struct server_flow *f = arg;
	(void)pos;
	ssize_t n = 0;
	pthread_mutex_lock(&f->lock);
	if (f->taken < f->text.n) {
		size_t left = f->text.n - f->taken;
		n = (ssize_t)(left < room ? left : room);
		memcpy(to, f->text.at + f->taken, (size_t)n);
		f->taken += (size_t)n;
		if (f->taken == f->text.n)
			f->taken = f->text.n = 0;
	} else if (f->ended) {
		n = MHD_CONTENT_READER_END_OF_STREAM;
	} else {
		f->suspended = true;
		MHD_suspend_connection(f->connection);
	}
	pthread_mutex_unlock(&f->lock);
	return n;
}

static void free_text(void *arg)
{
	struct server_flow *f = arg;
	pthread_mutex_lock(&f->lock);
	f->ended = true;
	f->suspended = false;
	pthread_mutex_unlock(&f->lock);
	drop(f);
}

/* ---- a worker's side ---- */

static void ask(struct server_job *j)
{
	struct server_flow *f = (struct server_flow *)j; /* its first member */
	struct weft_buf more = {0};
	int rc = f->kind->next(f->state, &more);
	pthread_mutex_lock(&f->lock);
	weft_buf_add(&f->text, more.at, more.n);
	if (rc || more.failed || f->text.failed)
		f->ended = true;
	f->asked = false;
	if (more.n || f->ended)
		wake(f);
	pthread_mutex_unlock(&f->lock);
	weft_buf_fini(&more);
	drop(f);
}

/* ---- the clock ---- */

static bool client_is_gone(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};
	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* With the clock's lock. Whether a worker is to ask it now. */
static bool is_due(struct server_flow *f, uint64_t now_ns)
{
	pthread_mutex_lock(&f->lock);
	/* While it is suspended nobody else looks at the connection, so that its descriptor is still its own. */
	if (f->suspended && client_is_gone(f->fd))
		f->ended = true;
	bool due = !f->ended && !f->asked && f->text.n - f->taken < SERVER_STREAM_BYTES && now_ns >= f->due_ns;
	if (due) {
		f->asked = true;
		f->due_ns = now_ns + f->kind->every_ms * UINT64_C(1000000);
	}
	if (f->text.n > f->taken)
		f->sent_ns = now_ns;
	if (!f->ended && now_ns - f->sent_ns > SERVER_BEAT_MS * UINT64_C(1000000)) {
		weft_buf_puts(&f->text, ":\n\n");
		f->sent_ns = now_ns;
		wake(f);
	}
	if (f->ended)
		wake(f);
	pthread_mutex_unlock(&f->lock);
	return due;
}

/* With the clock's lock. When to look again. */
static uint64_t look(struct server_clock *c, uint64_t now_ns)
{
	uint64_t next_ns = now_ns + 1000000000u;
	for (struct server_flow *f = c->first; f; f = f->next) {
		if (is_due(f, now_ns)) {
			f->users++;
			f->job.run = ask;
			if (!server_queue_put(c->queue, &f->job)) {
				f->users--; /* the response holds it, too: it is not the last */
				pthread_mutex_lock(&f->lock);
				f->asked = false;
				pthread_mutex_unlock(&f->lock);
			}
		}
		uint64_t due_ns = f->due_ns > now_ns ? f->due_ns : now_ns + f->kind->every_ms * UINT64_C(1000000);
		next_ns = due_ns < next_ns ? due_ns : next_ns;
	}
	return next_ns;
}

static void *run_clock(void *arg)
{
	struct server_clock *c = arg;
	pthread_mutex_lock(&c->lock);
	while (!c->ending) {
		if (!c->first) {
			pthread_cond_wait(&c->wake, &c->lock);
			continue;
		}
		uint64_t at_ns = look(c, weft_monotonic_ns());
		struct timespec at = {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)};
		pthread_cond_timedwait(&c->wake, &c->lock, &at);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int server_clock_init(struct server_clock *c, struct server_queue *q)
{
	pthread_condattr_t by_monotonic;
	*c = (struct server_clock){.lock = PTHREAD_MUTEX_INITIALIZER, .queue = q};
	pthread_condattr_init(&by_monotonic);
	pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &by_monotonic);
	pthread_condattr_destroy(&by_monotonic);
	int rc = -pthread_create(&c->thread, NULL, run_clock, c);
	c->started = !rc;
	return rc;
}

void server_clock_end(struct server_clock *c)
{
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	for (struct server_flow *f = c->first; f; f = f->next) {
		pthread_mutex_lock(&f->lock);
		f->ended = true;
		wake(f);
		pthread_mutex_unlock(&f->lock);
	}
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	if (c->started)
		pthread_join(c->thread, NULL);
	c->started = false;
}

void server_clock_fini(struct server_clock *c)
{
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
}

struct server_reply server_stream_reply(struct server_clock *c, struct MHD_Connection *connection, int fd,
                                        const struct server_stream *kind, void *state)
{
	struct server_reply reply = {.status = 200};
	struct server_flow *f = calloc(1, sizeof *f);
	if (f)
		reply.response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_text, f, free_text);
	if (!reply.response) {
		kind->end(state);
		free(f);
		return reply;
	}
	*f = (struct server_flow){.clock = c, .connection = connection, .kind = kind, .state = state, .fd = fd, .users = 1};
	pthread_mutex_init(&f->lock, NULL);
	weft_buf_puts(&f->text, ":\n\n"); /* so that the headers leave at once */
	MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
	MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	server_reply_headers(reply.response);
	pthread_mutex_lock(&c->lock);
	f->ended = c->ending;
	f->sent_ns = weft_monotonic_ns();
	f->next = c->first;
	f->at = &c->first;
	if (f->next)
		f->next->at = &f->next;
	c->first = f;
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	return reply;
}
