/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller's main thread: it reads the analyzer's messages and passes each to the thread of
 * the process that it is for. A second thread accepts processes, because a handshake may take long.
 * When the analyzer is gone, all threads detach from their processes.
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

enum { ACCEPT_MS = 100, INJECT_MS = 5000, LOOK_MS = 200, END_LOOK_MS = 5, CLOCK_TRIES = 5 };

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
	c->real_0 = c->began.ns + weft_realtime_offset_ns();
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

static void control_set_lost(struct control *c)
{
	c->up_lost = true;
	pthread_cond_broadcast(&c->let_go);
	weft_store_u32(&c->ending, 1);
}

void control_send(struct control *c, const struct message *m)
{
	pthread_mutex_lock(&c->up_lock);
	if (!c->up_lost && way_send(c, 0, m) == -EPIPE)
		control_set_lost(c);
	pthread_mutex_unlock(&c->up_lock);
}

void control_flush(struct control *c)
{
	pthread_mutex_lock(&c->up_lock);
	if (!c->up_lost && way_flush(c) == -EPIPE)
		control_set_lost(c);
	pthread_mutex_unlock(&c->up_lock);
}

/* ---- processes ---- */

static void *accept_all(void *arg)
{
	struct control *c = arg;
	while (!weft_load_u32(&c->ending)) {
		struct probe_session *s;
		struct weft_err err = {0};
		if (probe_accept(c->how.listener, ACCEPT_MS, &s, &err) == 0 && control_process_start(c, s, &err))
			probe_close(s);
	}
	return NULL;
}

/* Where none can be attached to, there is nothing to wait for. */
static int attach_all(struct control *c, struct weft_err *why)
{
	unsigned in = 0;
	for (unsigned i = 0; i < c->how.n_attach; i++) {
		struct weft_err err = {0};
		if (probe_inject(c->how.attach[i], c->how.agent, probe_listener_name(c->how.listener), INJECT_MS, &err) == 0) {
			in++;
			continue;
		}
		struct message m = {.kind = MESSAGE_GONE};
		m.gone = (struct message_gone){.time = control_now(c), .why = err.text};
		control_send(c, &m);
		control_flush(c);
		*why = err;
	}
	return in || c->how.n_attach == 0 ? 0 : -ESRCH;
}

static void say_end(struct control *c)
{
	const struct probe_refused *r = probe_refused(c->how.listener);
	if (c->how.end)
		*c->how.end = (struct control_end){c->serial, r->foreign, r->silent, r->unfit, r->unwatched};
}

static void to_process(struct control *c, uint64_t process, unsigned kind, const void *at, size_t n)
{
	pthread_mutex_lock(&c->processes_lock);
	for (size_t i = 0; i < c->process.n; i++)
		if (process == 0 || c->process.at[i]->process == process)
			control_process_tell(c->process.at[i], kind, at, n);
	pthread_mutex_unlock(&c->processes_lock);
}

static void control_reap(struct control *c, bool all)
{
	for (;;) {
		struct control_process *t = NULL;
		pthread_mutex_lock(&c->processes_lock);
		for (size_t i = 0; i < c->process.n && !t; i++) {
			pthread_mutex_lock(&c->process.at[i]->lock);
			bool ended = c->process.at[i]->ended;
			pthread_mutex_unlock(&c->process.at[i]->lock);
			if (!ended && !all)
				continue;
			t = c->process.at[i];
			c->process.at[i] = c->process.at[--c->process.n];
		}
		pthread_mutex_unlock(&c->processes_lock);
		if (!t)
			return;
		control_process_free(t);
	}
}

/* ---- hearing ---- */

static void answer_ping(struct control *c, const struct message_ping *p)
{
	struct message m = {.kind = MESSAGE_CLOCK};
	m.clock.sent = p->sent;
	m.clock.received = m.clock.answered = control_now(c);
	m.clock.controller = c->how.number;
	control_send(c, &m);
	control_flush(c);
}

static void control_hear(struct control *c, const struct message *m)
{
	struct weft_buf b = {0};
	if (m->kind == MESSAGE_PING) {
		answer_ping(c, &m->ping);
	} else if (message_encode(m, &b) == 0) {
		to_process(c, message_process_of(m), m->kind, b.at, b.n);
		c->undo |= m->kind == MESSAGE_END && m->end.undo;
		if (m->kind == MESSAGE_END)
			weft_store_u32(&c->ending, 1);
	}
	weft_buf_fini(&b);
}

static void up_is_lost(struct control *c)
{
	pthread_mutex_lock(&c->up_lock);
	control_set_lost(c);
	pthread_mutex_unlock(&c->up_lock);
}

/* Reads the messages of a way; false: the way is at its end. */
static bool hear_way(struct control *c, unsigned way, struct message *m)
{
	int rc = channel_fill(&c->way[way]), next;
	while ((next = channel_next(&c->way[way], m)) > 0)
		if (!way_hear(c, way, m))
			control_hear(c, m);
	return rc == 0 && next == 0;
}

/* takes: there is room for what is kept. */
static bool control_says(const struct pollfd *at, bool *takes)
{
	*takes |= (at->revents & POLLOUT) != 0;
	return at->revents & ~POLLOUT;
}

static void control_poll(struct control *c, struct message *m, int wait_ms)
{
	struct pollfd at[CONTROL_WAYS + 1];
	way_poll(c, at);
	at[CONTROL_WAYS] = (struct pollfd){c->up_lost ? -1 : c->how.life, POLLIN, 0};
	if (poll(at, CONTROL_WAYS + 1, wait_ms) > 0) {
		bool takes = false;
		/* From the last: one that is new was not asked for. */
		for (unsigned i = CONTROL_WAYS; i-- > 1;)
			if (control_says(&at[i], &takes) && !hear_way(c, i, m))
				way_lost(c, i);
		if (at[CONTROL_WAYS].revents || (control_says(&at[0], &takes) && !hear_way(c, 0, m)))
			up_is_lost(c);
		if (takes)
			control_flush(c);
	}
	control_reap(c, false);
}

static bool has_processes(struct control *c)
{
	pthread_mutex_lock(&c->processes_lock);
	bool has = c->process.n > 0;
	pthread_mutex_unlock(&c->processes_lock);
	return has;
}

/*
 * An analyzer that is gone sends no END, and a process that was accepted last may have missed it.
 * Ends of processes are still reported, and may wait for an answer.
 */
static void end_all(struct control *c, struct message *m)
{
	struct message end = {.kind = MESSAGE_END};
	struct weft_buf b = {0};
	end.end.undo = c->undo;
	if (message_encode(&end, &b) == 0)
		to_process(c, 0, MESSAGE_END, b.at, b.n);
	weft_buf_fini(&b);
	while (has_processes(c))
		control_poll(c, m, END_LOOK_MS);
}

static void say_hello(struct control *c)
{
	struct message m = {.kind = MESSAGE_HELLO};
	m.hello = (struct message_hello){MESSAGE_VERSION, c->how.number, control_now(c), c->host, false};
	control_send(c, &m);
	control_flush(c);
}

/* A process that is observed takes four descriptors, and the usual limit is 1024. */
static void allow_descriptors(void)
{
	struct rlimit most;
	if (getrlimit(RLIMIT_NOFILE, &most) == 0) {
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
	}
}

int control_run(const struct control_how *how, struct weft_err *err)
{
	struct control c = {.how = *how,
	                    .up_lock = PTHREAD_MUTEX_INITIALIZER,
	                    .let_go = PTHREAD_COND_INITIALIZER,
	                    .processes_lock = PTHREAD_MUTEX_INITIALIZER};
	static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE};
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN); /* signals of the terminal are meant for the program */
	if (gethostname(c.host, sizeof c.host - 1))
		snprintf(c.host, sizeof c.host, "localhost");
	allow_descriptors();
	begin_clock(&c);
	for (unsigned i = 0; i < CONTROL_WAYS; i++)
		channel_init(&c.way[i], i ? -1 : how->up, CONTROL_KEEPS);
	struct message *m = malloc(sizeof *m);
	int rc = m ? 0 : ENOMEM, attached = 0;
	if (!rc) {
		say_hello(&c);
		rc = pthread_create(&c.acceptor, NULL, accept_all, &c);
	}
	if (!rc) {
		attached = attach_all(&c, err);
		if (attached)
			weft_store_u32(&c.ending, 1);
		while (!weft_load_u32(&c.ending))
			control_poll(&c, m, LOOK_MS);
		pthread_join(c.acceptor, NULL);
		end_all(&c, m);
		for (unsigned i = 0; i < CONTROL_WAYS; i++)
			c.way[i].keeps = 0;
		control_flush(&c);
	}
	say_end(&c);
	for (unsigned i = 0; i < CONTROL_WAYS; i++)
		channel_fini(&c.way[i]);
	probe_listener_free(how->listener);
	free(c.process.at);
	free(m);
	if (attached)
		return attached;
	return rc ? weft_err_sys(err, rc, "cannot begin the controller") : 0;
}
