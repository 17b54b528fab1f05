/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's loop. A round polls the party above and all below, handles the messages that have
 * arrived (collect_route.c), accepts connections, and flushes: folds that have changed and messages
 * that are queued for a wire are sent once a round, however many messages the round had.
 *
 *     above (an analyzer or a collector)           one stream or wire
 *       │
 *     this one ── tunlets, each with a folder      collect_fold.c
 *       │
 *     below (controllers, collectors)              a stream or wire each
 *
 * When the party above is lost, the collector reconnects to the address that it was given. At the
 * end of the run it waits, within limits, until all below have sent their last messages.
 */
#include "collect_priv.h"
#include "tune/eval/eval_work.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define TRY_NS (10 * SECOND)
#define END_NS (5 * SECOND)
#define END_MOST_NS (15 * SECOND)
#define PATIENCE_NS SECOND
enum { TICK_MS = 50, BATCH = 4096, OTHERS = 3, AHEAD = EVAL_OPEN_MAX / 4, LOOK_EVERY = 32 };

uint64_t collect_clock(const struct collect *c)
{
	uint64_t now = weft_monotonic_ns() + c->real_offset;
	return c->how.faulty ? follow_faulty(&c->how.fault, now) : now;
}

void collect_log(struct collect *c, const char *fmt, ...)
{
	char line[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	if (c->how.log)
		c->how.log(c->how.ctx, line);
}

static void collect_refused(void *ctx, const char *line)
{
	collect_log(ctx, "%s", line);
}

/* -- above -- */

static void say_hello(struct collect *c)
{
	struct message m = {.kind = MESSAGE_HELLO};
	char host[65] = "localhost";
	(void)!gethostname(host, sizeof host - 1);
	m.hello = (struct message_hello){MESSAGE_VERSION, c->how.number, collect_clock(c), host, true};
	(void)!peer_send(&c->up, &m);
}

static int connect_to(struct collect *c, const char *address, uint64_t limit_ns, struct weft_err *err)
{
	struct weft_wire *w;
	int rc = weft_wire_connect(&w, address, &c->how.secret, limit_ns, err);
	if (rc)
		return rc;
	rc = weft_wire_wait(w, NULL, limit_ns, err);
	if (rc) {
		weft_wire_free(w);
		return rc;
	}
	c->up = (struct peer){.w = w, .alive = true};
	/*
	 * Time above is the analyzer's wherever one connects, so what is known of it still holds.
	 */
	c->ping_ns = 0;
	say_hello(c);
	return 0;
}

static void pause_ms(int ms)
{
	(void)!poll(NULL, 0, ms);
}

/* Whom it had above, else itself again, if it comes back. */
static void turn_to_another(struct collect *c)
{
	uint64_t until = weft_monotonic_ns() + TRY_NS;
	struct weft_err err = {0};
	peer_end(&c->up);
	if (!c->how.parent || c->ending) {
		c->over = true;
		return;
	}
	collect_log(c, "the connection to %s was lost", c->how.parent);
	while (weft_monotonic_ns() < until) {
		const char *address = c->above[0] ? c->above : c->how.parent;
		err = (struct weft_err){0};
		if (connect_to(c, address, SECOND, &err) == 0) {
			collect_log(c, "connected to %s", address);
			c->above[0] = '\0';
			grow_send_load(c, true); /* the load is asked for from now on */
			route_moved(c);
			return;
		}
		c->above[0] = '\0';
		pause_ms(TICK_MS);
	}
	collect_log(c, "nobody is above any more: %s", err.text);
	c->over = true;
}

/*
 * Often at first, then once a second: only a wire leads to another host, its leaves' times are its
 * own.
 */
static void collect_ping(struct collect *c)
{
	uint64_t now = weft_monotonic_ns(), every = now - c->began_ns < 3 * SECOND ? SECOND / 8 : SECOND;
	if (!(c->up.w || c->how.follows) || now - c->ping_ns < every)
		return;
	struct message m = {.kind = MESSAGE_PING, .ping = {collect_clock(c)}};
	c->ping_ns = now;
	(void)!peer_send(&c->up, &m);
}

static void hear_above(struct collect *c)
{
	int end = peer_fill(&c->up), rc;
	while ((rc = peer_next(&c->up, c->in)) > 0)
		route_down(c, c->in);
	if (end || rc < 0)
		turn_to_another(c);
}

/* -- below -- */

int collect_add_below(struct collect *c, int fd, struct weft_wire *w, struct peer **out)
{
	struct peer *p = calloc(1, sizeof *p);
	if (!p || weft_vec_push(&c->below, p)) {
		free(p);
		return -ENOMEM;
	}
	*p = (struct peer){.w = w, .alive = true, .id = ++c->ids, .began_ns = weft_monotonic_ns()};
	if (!w)
		channel_init(&p->c, fd, CHANNEL_ALL);
	if (out)
		*out = p;
	return 0;
}

void collect_drop_below(struct collect *c, size_t i)
{
	struct peer *p = c->below.at[i];
	if (p->between)
		level_lost(c, p);
	peer_end(p);
	route_lost(c, p);
	if (p->pid)
		grow_lost(c, p);
	c->below.at[i] = c->below.at[--c->below.n];
	free(p);
}

/*
 * Back pressure. The party above may be late with iterations whose end was sent, and takes only so
 * many at once; a collector that was inserted folds nothing before it knows its processes. Messages
 * of controllers then wait in their streams, for a while at most.
 */
static bool is_ahead(const struct collect *c)
{
	bool ahead = c->joins && !c->bound;
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		ahead |= c->tunlet[k].ends && c->tunlet[k].ended - c->tunlet[k].asked >= AHEAD;
	return ahead && weft_monotonic_ns() - c->asked_ns < PATIENCE_NS;
}

static bool may_be_heard(struct collect *c, const struct peer *p, int n)
{
	if (!p->collector && n % LOOK_EVERY == 0)
		c->ahead = is_ahead(c);
	return p->collector || !c->ahead;
}

/* Reads a batch at most, so that the party above is read in between. False: the peer is gone. */
static bool hear_below(struct collect *c, struct peer *p)
{
	if (!may_be_heard(c, p, 0))
		return true;
	int end = peer_fill(p), rc = 0, n = 0;
	while ((!p->w || n < BATCH) && !p->over && may_be_heard(c, p, n) && (rc = peer_next(p, c->in)) > 0) {
		route_up(c, p, c->in);
		n++;
	}
	if (p->over)
		collect_log(c, "lets %s go: it says %s", p->w ? weft_wire_peer(p->w) : "a neighbour", p->over);
	c->more |= rc > 0 && !p->over && may_be_heard(c, p, 1);
	return !end && rc >= 0 && !p->over;
}

static void accept_below(struct collect *c)
{
	struct weft_wire *w;
	struct weft_err err = {0};
	while (weft_wire_accept(c->listener, &w, &err) > 0)
		if (collect_add_below(c, -1, w, NULL))
			weft_wire_free(w);
}

/* -- the loop -- */

static void flush_all(struct collect *c)
{
	route_flush(c);
	if (c->up.alive && peer_flush(&c->up))
		turn_to_another(c);
	for (size_t i = 0; i < c->below.n; i++)
		if (peer_flush(c->below.at[i]))
			collect_drop_below(c, i--);
}

static void collect_look(struct collect *c)
{
	size_t n = c->below.n;
	struct pollfd *at = calloc(n + OTHERS, sizeof *at);
	if (!at) {
		c->over = true;
		return;
	}
	bool was_ahead = c->ahead;
	c->ahead = is_ahead(c);
	c->more |= was_ahead && !c->ahead; /* what was read then */
	for (size_t i = 0; i < n; i++) {
		const struct peer *p = c->below.at[i];
		at[i] = (struct pollfd){p->rests || (c->ahead && !p->collector) ? -1 : peer_fd(p), peer_events(p), 0};
	}
	at[n] = (struct pollfd){peer_fd(&c->up), peer_events(&c->up), 0};
	at[n + 1] = (struct pollfd){c->listener ? weft_wire_listener_fd(c->listener) : -1, POLLIN, 0};
	at[n + 2] = (struct pollfd){c->how.life, POLLIN, 0};
	/* poll does not see bytes that a wire has already read. */
	int wait = c->more ? 0 : TICK_MS;
	c->more = false;
	if (poll(at, n + OTHERS, wait) >= 0) {
		if (at[n + 2].revents)
			c->over = true;
		if (at[n].revents & (POLLIN | POLLHUP | POLLERR))
			hear_above(c);
		/*
		 * From the last to the first: a dropped peer is replaced by one that was read
		 * already.
		 */
		for (size_t i = n; i-- > 0;)
			if ((wait == 0 || (at[i].revents & (POLLIN | POLLHUP | POLLERR))) && !c->below.at[i]->rests &&
			    !hear_below(c, c->below.at[i]))
				collect_drop_below(c, i);
		if (at[n + 1].revents)
			accept_below(c);
	}
	free(at);
	route_orphans(c);
	collect_ping(c);
	grow_look(c);
	level_look(c);
	flush_all(c);
}

static bool all_drained(const struct collect *c)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (!c->below.at[i]->drained)
			return false;
	return true;
}

/*
 * The parties below detach from their processes and send their last messages; after that the party
 * above may still ask.
 */
static void collect_finish(struct collect *c)
{
	uint64_t now = weft_monotonic_ns(), last = now + END_MOST_NS, until = now + END_NS;
	struct message end = {.kind = MESSAGE_END};
	if (!c->ending)
		route_down(c, &end);
	c->over = false;
	c->ending = true;
	for (; !all_drained(c) && !c->over && now < until && now < last; now = weft_monotonic_ns()) {
		uint64_t heard = c->events;
		collect_look(c);
		if (c->events != heard)
			until = now + END_NS;
	}
	if (c->over || !c->up.alive)
		return;
	(void)!peer_send(&c->up, &end);
	while (!c->over && c->up.alive && weft_monotonic_ns() < until)
		collect_look(c);
}

static int collect_begin(struct collect *c, struct weft_err *err)
{
	signal(SIGPIPE, SIG_IGN);
	c->in = calloc(1, sizeof *c->in);
	c->real_offset = weft_realtime_offset_ns();
	c->began_ns = c->asked_ns = weft_monotonic_ns();
	int rc = c->in ? 0 : weft_err_set(err, -ENOMEM, "out of memory");
	if (!rc && c->how.listen) {
		struct weft_wire_listen_how how = {.address = c->how.listen,
		                                   .secret = c->how.secret,
		                                   .refused = collect_refused,
		                                   .ctx = c};
		rc = weft_wire_listen(&c->listener, &how, err);
	}
	if (!rc && c->listener && c->how.listening)
		c->how.listening(c->how.ctx, weft_wire_listener_address(c->listener));
	if (!rc && c->how.up >= 0) {
		c->up.alive = true;
		channel_init(&c->up.c, c->how.up, CHANNEL_ALL);
		say_hello(c);
	} else if (!rc) {
		rc = connect_to(c, c->how.parent, TRY_NS, err);
	}
	if (!rc && c->how.was)
		rc = route_inherit(c, c->how.was, err);
	if (!rc && c->how.joins)
		rc = route_join(c, err);
	c->joins = c->how.joins != NULL;
	c->how.joins = NULL; /* no leaf's business */
	for (unsigned i = 0; !rc && i < c->how.n_below; i++)
		if (collect_add_below(c, c->how.below[i], NULL, NULL))
			rc = weft_err_set(err, -ENOMEM, "out of memory");
	return rc;
}

void collect_serve(struct collect *c)
{
	while (!c->over && !c->ending)
		collect_look(c);
	/* One that has handed all over is not asked any more. */
	if (!c->how.between || !c->said_end)
		collect_finish(c);
}

int collect_run(const struct collect_how *how, struct weft_err *err)
{
	struct collect *c = calloc(1, sizeof *c);
	if (!c)
		return weft_err_set(err, -ENOMEM, "out of memory");
	c->how = *how;
	int rc = collect_begin(c, err);
	if (!rc)
		collect_serve(c);
	peer_end(&c->up);
	while (c->below.n) {
		peer_end(c->below.at[c->below.n - 1]);
		free(c->below.at[--c->below.n]);
	}
	weft_wire_listener_free(c->listener);
	grow_fini(c);
	route_fini(c);
	weft_secret_wipe(&c->how.secret);
	free(c->below.at);
	free(c->in);
	free(c);
	return rc;
}
