/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller's main thread: it hears the analyzer, and hands what is for a process to that process's thread. A second thread accepts
 * processes, because a handshake may take long. When the analyzer is gone, all threads let go of their processes.
 */
#include "control_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ACCEPT_MS = 100, INJECT_MS = 5000, LOOK_MS = 200, CLOCK_TRIES = 5 };

/* ---- time ---- */

/* Ticks and nanoseconds of one instant: of some tries the one that nothing came between. */
static struct control_instant look_at_clock(void)
{
	struct control_instant best = {0};
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = link_ticks(), ns = weft_monotonic_ns(), after = link_ticks();
		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct control_instant){before + least / 2, ns, 0};
	}
	return best;
}

static void begin_clock(struct control *c)
{
	c->began = look_at_clock();
	c->real_0 = weft_realtime_ns() - (weft_monotonic_ns() - c->began.ns);
}

uint64_t control_now(const struct control *c)
{
	return c->real_0 + (weft_monotonic_ns() - c->began.ns);
}

/* The slope between the beginning and now: the longer ago that is, the better it is known. */
void control_look(const struct control *c, struct control_instant *at)
{
	*at = look_at_clock();
	at->rate = at->ticks > c->began.ticks ? (double)(at->ns - c->began.ns) / (double)(at->ticks - c->began.ticks) : 0;
}

uint64_t control_time(const struct control *c, const struct control_instant *at, uint64_t ticks)
{
	/* From the nearer end, as the slope is off by some parts per million. */
	return c->real_0 + (at->ns - c->began.ns) - (uint64_t)(int64_t)((double)(int64_t)(at->ticks - ticks) * at->rate);
}

/* ---- up ---- */

static void lost(struct control *c)
{
	c->up_lost = true;
	weft_store_u32(&c->ending, 1);
}

void control_say(struct control *c, const struct message *m)
{
	pthread_mutex_lock(&c->up_lock);
	if (!c->up_lost && channel_send(&c->up, m) == -EPIPE)
		lost(c);
	pthread_mutex_unlock(&c->up_lock);
}

void control_flush(struct control *c)
{
	pthread_mutex_lock(&c->up_lock);
	if (!c->up_lost && channel_flush(&c->up))
		lost(c);
	pthread_mutex_unlock(&c->up_lock);
}

/* ---- processes ---- */

static void *accept_all(void *arg)
{
	struct control *c = arg;
	while (!weft_load_u32(&c->ending)) {
		struct probe_session *s;
		struct weft_err err = {0};
		if (probe_accept(c->how.listener, ACCEPT_MS, &s, &err) == 0 && control_task_start(c, s, &err))
			probe_close(s);
	}
	return NULL;
}

static void attach_all(struct control *c)
{
	for (unsigned i = 0; i < c->how.n_attach; i++) {
		struct weft_err err = {0};
		if (probe_inject(c->how.attach[i], c->how.agent, c->how.name, INJECT_MS, &err) == 0)
			continue;
		struct message m = {.kind = MESSAGE_GONE};
		m.gone = (struct message_gone){.time = control_now(c), .why = err.text};
		control_say(c, &m);
		control_flush(c);
	}
}

static void to_task(struct control *c, uint64_t task, unsigned kind, const void *at, size_t n)
{
	pthread_mutex_lock(&c->tasks_lock);
	for (size_t i = 0; i < c->task.n; i++)
		if (task == 0 || c->task.at[i]->task == task)
			control_task_tell(c->task.at[i], kind, at, n);
	pthread_mutex_unlock(&c->tasks_lock);
}

static void reap(struct control *c, bool all)
{
	for (;;) {
		struct control_task *t = NULL;
		pthread_mutex_lock(&c->tasks_lock);
		for (size_t i = 0; i < c->task.n && !t; i++) {
			pthread_mutex_lock(&c->task.at[i]->lock);
			bool ended = c->task.at[i]->ended;
			pthread_mutex_unlock(&c->task.at[i]->lock);
			if (!ended && !all)
				continue;
			t = c->task.at[i];
			c->task.at[i] = c->task.at[--c->task.n];
		}
		pthread_mutex_unlock(&c->tasks_lock);
		if (!t)
			return;
		control_task_free(t);
	}
}

/* ---- hearing ---- */

static void answer_ping(struct control *c, const struct message_ping *p)
{
	struct message m = {.kind = MESSAGE_CLOCK};
	m.clock.sent = p->sent;
	m.clock.received = m.clock.answered = control_now(c);
	m.clock.controller = c->how.number;
	control_say(c, &m);
	control_flush(c);
}

static void hear(struct control *c, const struct message *m)
{
	struct weft_buf b = {0};
	if (m->kind == MESSAGE_PING) {
		answer_ping(c, &m->ping);
	} else if (message_encode(m, &b) == 0) {
		to_task(c, message_task_of(m), m->kind, b.at, b.n);
		if (m->kind == MESSAGE_END)
			weft_store_u32(&c->ending, 1);
	}
	weft_buf_fini(&b);
}

static void listen_to_analyzer(struct control *c)
{
	struct message *m = malloc(sizeof *m);
	while (m && !weft_load_u32(&c->ending)) {
		struct pollfd at[2] = {{c->up.fd, POLLIN, 0}, {c->how.life, POLLIN, 0}};
		int rc = 0, next = 0;
		if (poll(at, 2, LOOK_MS) < 0 && errno != EINTR)
			break;
		if (at[0].revents)
			rc = channel_fill(&c->up);
		while (!weft_load_u32(&c->ending) && (next = channel_next(&c->up, m)) > 0)
			hear(c, m);
		if (rc || next < 0 || at[1].revents) {
			pthread_mutex_lock(&c->up_lock);
			lost(c);
			pthread_mutex_unlock(&c->up_lock);
		}
		reap(c, false);
	}
	free(m);
}

static void say_hello(struct control *c)
{
	struct message m = {.kind = MESSAGE_HELLO};
	m.hello = (struct message_hello){MESSAGE_VERSION, c->how.number, control_now(c), c->host, false};
	control_say(c, &m);
	control_flush(c);
}

/* An analyzer that is gone cannot say END: its tasks are told by us. */
static void end_all(struct control *c)
{
	struct message m = {.kind = MESSAGE_END};
	struct weft_buf b = {0};
	if (c->up_lost && message_encode(&m, &b) == 0)
		to_task(c, 0, MESSAGE_END, b.at, b.n);
	weft_buf_fini(&b);
	reap(c, true);
}

int control_run(const struct control_how *how, struct weft_err *err)
{
	struct control c = {.how = *how, .up_lock = PTHREAD_MUTEX_INITIALIZER, .tasks_lock = PTHREAD_MUTEX_INITIALIZER};
	static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE};
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN); /* of the terminal: they are the program's */
	if (gethostname(c.host, sizeof c.host - 1))
		snprintf(c.host, sizeof c.host, "localhost");
	begin_clock(&c);
	channel_init(&c.up, how->up, true);
	say_hello(&c);
	int rc = pthread_create(&c.acceptor, NULL, accept_all, &c);
	if (rc) {
		channel_fini(&c.up);
		return weft_err_sys(err, rc, "cannot start a thread");
	}
	attach_all(&c);
	listen_to_analyzer(&c);
	pthread_join(c.acceptor, NULL);
	end_all(&c);
	control_flush(&c);
	channel_fini(&c.up);
	close(how->listener);
	free(c.task.at);
	return 0;
}
