/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a program that is looked at. All of the way is the thread's; what others see is under the lock. A program that ends may come again,
 * where it was named by its name or folder: it is looked for once a second, while somebody looks.
 */
#include "server_live.h"
#include "base/clock.h"
#include "peer/peer.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { RETRY_MS = 1000, ASKS_MOST = 64 };

struct server_live_ask {
	char line[PULSE_LINE];
	char *answer; /* owned */
	size_t n;
	bool done, own; /* own: the thread's, nobody waits for it */
	unsigned users;
	struct server_live_ask *next;
};

struct server_live {
	char *who; /* owned */
	bool by_pid;
	pthread_t thread;
	int wake;

	pthread_mutex_t lock; /* for what is below */
	pthread_cond_t came;
	bool ending;
	unsigned looking;
	struct server_live_now now;
	struct weft_buf sample;
	struct server_live_ask *ask, **ask_end;   /* to be sent */
	struct server_live_ask *sent, **sent_end; /* whose answers will come, in this order */
	unsigned n_asks;

	struct weft_peer_way way; /* the thread's alone */
	bool is_open;
	int said_hz;
	uint64_t retry_ns;
};

static void live_wake(struct server_live *l)
{
	uint64_t one = 1;
	if (write(l->wake, &one, sizeof one) < 0)
		return; /* it is awake anyhow */
}

/* ---- asks; with the lock ---- */

static void ask_drop(struct server_live_ask *a)
{
	if (--a->users)
		return;
	free(a->answer);
	free(a);
}

static struct server_live_ask *ask_pop(struct server_live_ask **first, struct server_live_ask ***end)
{
	struct server_live_ask *a = *first;
	if (!a)
		return NULL;
	*first = a->next;
	if (!*first)
		*end = first;
	a->next = NULL;
	return a;
}

static void ask_push(struct server_live_ask ***end, struct server_live_ask *a)
{
	a->next = NULL;
	**end = a;
	*end = &a->next;
}

static void ask_finish(struct server_live *l, struct server_live_ask *a, const char *answer, size_t n)
{
	a->answer = answer ? strndup(answer, n) : NULL;
	a->n = a->answer ? n : 0;
	a->done = true;
	l->n_asks -= !a->own;
	ask_drop(a);
	pthread_cond_broadcast(&l->came);
}

static struct server_live_ask *ask_new(const char *line, bool own)
{
	size_t n = strlen(line);
	struct server_live_ask *a = n >= PULSE_LINE - 1 || strpbrk(line, "\n\r") ? NULL : calloc(1, sizeof *a);
	if (!a)
		return NULL;
	memcpy(a->line, line, n + 1);
	a->own = own;
	a->users = own ? 1 : 2;
	return a;
}

struct server_live_ask *server_live_say(struct server_live *l, const char *line)
{
	struct server_live_ask *a = ask_new(line, false);
	if (!a)
		return NULL;
	pthread_mutex_lock(&l->lock);
	bool full = l->n_asks >= ASKS_MOST;
	if (!full) {
		l->n_asks++;
		ask_push(&l->ask_end, a);
	}
	pthread_mutex_unlock(&l->lock);
	if (full) {
		free(a);
		return NULL;
	}
	live_wake(l);
	return a;
}

bool server_live_wait(struct server_live *l, struct server_live_ask *a, unsigned ms)
{
	uint64_t until = weft_monotonic_ns() + ms * UINT64_C(1000000);
	struct timespec at = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
	pthread_mutex_lock(&l->lock);
	for (int rc = 0; !a->done && ms && rc != ETIMEDOUT;)
		rc = pthread_cond_timedwait(&l->came, &l->lock, &at);
	bool done = a->done;
	pthread_mutex_unlock(&l->lock);
	return done;
}

const char *server_live_answer(const struct server_live_ask *a, size_t *n)
{
	*n = a->n;
	return a->answer;
}

void server_live_drop(struct server_live *l, struct server_live_ask *a)
{
	pthread_mutex_lock(&l->lock);
	ask_drop(a);
	pthread_mutex_unlock(&l->lock);
}

/* ---- the thread ---- */

static void live_lost(struct server_live *l, const char *why)
{
	if (l->is_open)
		weft_peer_close(&l->way);
	l->said_hz = 0;
	l->retry_ns = weft_monotonic_ns() + RETRY_MS * UINT64_C(1000000);
	pthread_mutex_lock(&l->lock);
	struct server_live_ask *a;
	while ((a = ask_pop(&l->sent, &l->sent_end)))
		ask_finish(l, a, NULL, 0);
	while ((a = ask_pop(&l->ask, &l->ask_end)))
		ask_finish(l, a, NULL, 0);
	l->now.ended = l->now.ended || l->is_open;
	l->now.connected = false;
	if (strcmp(l->now.why, why) != 0 || l->is_open)
		l->now.changes++;
	snprintf(l->now.why, sizeof l->now.why, "%s", why);
	pthread_mutex_unlock(&l->lock);
	l->is_open = false;
}

/* Whom the folder's name means, or the name itself. */
static const char *live_meant(const struct server_live *l, char room[24])
{
	pid_t pid = strchr(l->who, '/') || access(l->who, F_OK) == 0 ? weft_peer_of_folder(l->who) : 0;
	snprintf(room, 24, "%ld", (long)pid);
	return pid ? room : l->who;
}

static void live_connect(struct server_live *l)
{
	struct weft_err err = {0};
	struct pulse_peer peer;
	char pid[24];
	if (weft_peer_open_as(&l->way, live_meant(l, pid), &peer, &err)) {
		live_lost(l, err.text);
		return;
	}
	l->is_open = true;
	pthread_mutex_lock(&l->lock);
	l->now.connected = true;
	l->now.ended = false;
	l->now.pid = peer.pid;
	snprintf(l->now.program, sizeof l->now.program, "%s", peer.program);
	snprintf(l->now.kind, sizeof l->now.kind, "%s", peer.kind);
	l->now.why[0] = '\0';
	l->now.changes++;
	pthread_mutex_unlock(&l->lock);
}

/* What is to be said goes out; the order of answers is that of the lines. */
static int live_send(struct server_live *l)
{
	int rc = 0;
	pthread_mutex_lock(&l->lock);
	int hz = l->looking ? SERVER_LIVE_HZ : 0;
	if (hz != l->said_hz) {
		char line[32];
		snprintf(line, sizeof line, "watch %d", hz);
		struct server_live_ask *a = ask_new(line, true);
		if (a) {
			a->next = l->ask;
			if (!l->ask)
				l->ask_end = &a->next;
			l->ask = a;
			l->said_hz = hz;
		}
	}
	struct server_live_ask *a;
	while (!rc && (a = ask_pop(&l->ask, &l->ask_end))) {
		ask_push(&l->sent_end, a);
		rc = weft_peer_say(&l->way, "%s", a->line);
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

static void live_hear(struct server_live *l, const char *line, size_t n)
{
	static const char head[] = "{\"sample\":";
	pthread_mutex_lock(&l->lock);
	if (n >= sizeof head - 1 && !memcmp(line, head, sizeof head - 1)) {
		l->sample.n = 0;
		weft_buf_add(&l->sample, line, n);
		l->now.samples++;
		pthread_cond_broadcast(&l->came);
	} else {
		struct server_live_ask *a = ask_pop(&l->sent, &l->sent_end);
		if (a)
			ask_finish(l, a, line, n);
	}
	pthread_mutex_unlock(&l->lock);
}

static void live_read(struct server_live *l, bool readable)
{
	char *line;
	size_t n;
	int rc;
	while ((rc = weft_peer_line(&l->way, readable, &line, &n)) > 0) {
		readable = false;
		live_hear(l, line, n);
	}
	if (rc)
		live_lost(l, "the program has ended");
}

static void *live_run(void *arg)
{
	struct server_live *l = arg;
	for (;;) {
		pthread_mutex_lock(&l->lock);
		bool ending = l->ending, wanted = l->looking || l->ask;
		bool gone = l->by_pid && l->now.ended; /* a process id does not come again */
		pthread_mutex_unlock(&l->lock);
		if (ending)
			break;
		bool waits = !l->is_open && wanted && !gone;
		if (waits && weft_monotonic_ns() >= l->retry_ns)
			live_connect(l);
		else if (gone && wanted && !l->is_open)
			live_lost(l, "the program has ended");
		if (l->is_open && live_send(l))
			live_lost(l, "the program has ended");
		struct pollfd p[2] = {{.fd = l->is_open ? l->way.from : -1, .events = POLLIN}, {.fd = l->wake, .events = POLLIN}};
		if (poll(p, 2, !l->is_open && wanted && !gone ? RETRY_MS : -1) < 0)
			continue;
		uint64_t woken;
		if (p[1].revents && read(l->wake, &woken, sizeof woken) < 0)
			continue;
		if (p[0].revents)
			live_read(l, true);
	}
	if (l->is_open)
		live_lost(l, "nobody looks any more");
	return NULL;
}

/* ---- for others ---- */

void server_live_look(struct server_live *l, bool looks)
{
	pthread_mutex_lock(&l->lock);
	l->looking = looks ? l->looking + 1 : l->looking - 1;
	bool turned = l->looking == looks;
	pthread_mutex_unlock(&l->lock);
	if (turned)
		live_wake(l);
}

void server_live_now(struct server_live *l, struct server_live_now *now)
{
	pthread_mutex_lock(&l->lock);
	*now = l->now;
	pthread_mutex_unlock(&l->lock);
}

uint64_t server_live_sample(struct server_live *l, uint64_t seen, struct weft_buf *out)
{
	pthread_mutex_lock(&l->lock);
	uint64_t n = l->now.samples;
	if (n > seen && l->sample.n)
		weft_buf_add(out, l->sample.at, l->sample.n);
	pthread_mutex_unlock(&l->lock);
	return n;
}

static int live_find(const char *who, struct weft_err *err)
{
	struct server_live l = {.who = (char *)(uintptr_t)who};
	char pid[24];
	return weft_peer_find(live_meant(&l, pid), NULL, err);
}

int server_live_open(struct server_live **out, const char *who, bool waits, struct weft_err *err)
{
	*out = NULL;
	int rc = live_find(who, err);
	if (rc && !(rc == -ESRCH && waits))
		return rc;
	*err = (struct weft_err){0};
	struct server_live *l = calloc(1, sizeof *l);
	if (!l || !(l->who = strdup(who))) {
		free(l);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	pthread_condattr_t by_monotonic;
	pthread_condattr_init(&by_monotonic);
	pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&l->came, &by_monotonic);
	pthread_condattr_destroy(&by_monotonic);
	pthread_mutex_init(&l->lock, NULL);
	l->by_pid = who[strspn(who, "0123456789")] == '\0';
	l->ask_end = &l->ask;
	l->sent_end = &l->sent;
	snprintf(l->now.why, sizeof l->now.why, "nobody has looked yet");
	l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = l->wake < 0 ? -errno : -pthread_create(&l->thread, NULL, live_run, l);
	if (!rc) {
		*out = l;
		return 0;
	}
	if (l->wake >= 0)
		close(l->wake);
	free(l->who);
	free(l);
	return weft_err_sys(err, -rc, "cannot look at '%s'", who);
}

void server_live_close(struct server_live *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->ending = true;
	pthread_mutex_unlock(&l->lock);
	live_wake(l);
	pthread_join(l->thread, NULL);
	struct server_live_ask *a;
	while ((a = ask_pop(&l->ask, &l->ask_end)))
		ask_finish(l, a, NULL, 0);
	weft_buf_fini(&l->sample);
	pthread_cond_destroy(&l->came);
	pthread_mutex_destroy(&l->lock);
	close(l->wake);
	free(l->who);
	free(l);
}
