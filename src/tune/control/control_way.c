/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways up. There is one, until collectors of this host share its processes (collect_grow.c): then a
 * process is moved from one to another while its program runs. What collectors fold is a whole
 * iteration of a process, so events of iterations that have begun go on by the old way, and what
 * comes later by the new one: here, where a process's events are in order, it is known which have
 * begun.
 *
 *     MOVE by the new way     the epoch of the next iteration begins; LEFT (moved) by the old one: no other will begin there
 *     its first event         LEFT (turned) by the old way, and what is for the new one is kept
 *     GO                      the old way has been heard up to there: what was kept follows
 *     the process ends           LEFT (ended) by all others, and when GO was heard for each, GONE by the last
 *
 * When a way is lost, so is what was on it: an event of an iteration that had begun there would
 * come to a collector that knows nothing of those before it, and make a sum of a part. It is
 * dropped, and the loss is told by the first way with the time at which it was noticed.
 *
 * Events without an iteration go where the one before them went. All here is under up_lock.
 */
#include "control_priv.h"
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HELD_MOST = 16 << 20, LET_GO_S = 2, HEAD = 5 };

void way_begin(struct control_route *r)
{
	r->n = 1;
	for (unsigned k = 0; k < CONTROL_TUNLETS; k++) {
		r->epoch[0].from[k] = r->seen[k] = r->gone_to[k] = INT64_MIN;
		r->gone_from[k] = INT64_MAX;
	}
}

int way_send(struct control *c, unsigned way, const struct message *m)
{
	int rc = channel_send(&c->way[way], m);
	return rc == -EPIPE && way ? 0 : rc; /* the end of any way but the first is noticed by the main thread */
}

int way_flush(struct control *c)
{
	for (unsigned i = 1; i < CONTROL_WAYS; i++)
		if (c->way[i].fd >= 0)
			(void)!channel_flush(&c->way[i]);
	return channel_flush(&c->way[0]);
}

/* Also for what is kept. */
void way_poll(struct control *c, struct pollfd at[CONTROL_WAYS])
{
	pthread_mutex_lock(&c->up_lock);
	for (unsigned i = 0; i < CONTROL_WAYS; i++)
		at[i] = (struct pollfd){c->up_lost && i == 0 ? -1 : c->way[i].fd,
		                        (short)(POLLIN | (channel_pending(&c->way[i]) ? POLLOUT : 0)), 0};
	pthread_mutex_unlock(&c->up_lock);
}

static void way_send_by(struct control *c, unsigned way, const struct message *m)
{
	/* The loss of the first way is noticed at the next flush. */
	if (!c->up_lost)
		(void)!way_send(c, way, m);
}

static void say_left(struct control *c, unsigned way, uint64_t process, enum message_leaving how)
{
	struct message m = {.kind = MESSAGE_LEFT, .left = {process, (uint8_t)how}};
	way_send_by(c, way, &m);
}

static unsigned last_way(const struct control_route *r)
{
	return r->epoch[r->n - 1].way;
}

/* ---- what is kept ---- */

static void way_keep(struct control_process *t, const struct message *m)
{
	struct weft_buf *b = &t->route.held;
	size_t at = b->n;
	char head[HEAD] = {(char)m->kind};
	weft_buf_add(b, head, sizeof head);
	if (b->failed || message_encode(m, b)) {
		b->n = at;
		return;
	}
	uint32_t n = (uint32_t)(b->n - at - HEAD);
	memcpy(b->at + at + 1, &n, sizeof n);
}

static void way_release(struct control_process *t)
{
	struct control_route *r = &t->route;
	static struct message m; /* under up_lock */
	uint32_t n;
	for (size_t at = 0; at + HEAD <= r->held.n; at += HEAD + (size_t)n) {
		memcpy(&n, r->held.at + at + 1, sizeof n);
		if (message_decode((unsigned char)r->held.at[at], r->held.at + at + HEAD, n, &m) == 0)
			way_send_by(t->c, last_way(r), &m);
	}
	weft_buf_fini(&r->held);
	r->holds = false;
}

/* ---- events ---- */

/* The epoch that an event belongs to. */
static unsigned epoch_of(struct control_route *r, uint32_t tunlet, const struct point_want *w, const struct message *m)
{
	if (!w->iteration || w->iteration > m->event.n)
		return r->now[tunlet];
	int64_t iteration = m->event.value[w->iteration - 1].i;
	unsigned e = r->n - 1;
	while (e > 0 && iteration < r->epoch[e].from[tunlet])
		e--;
	r->seen[tunlet] = iteration > r->seen[tunlet] ? iteration : r->seen[tunlet];
	r->now[tunlet] = (uint8_t)e;
	return e;
}

static void way_turn(struct control_process *t, uint32_t tunlet, unsigned epoch)
{
	struct control_route *r = &t->route;
	unsigned before = r->epoch[r->newest[tunlet]].way;
	r->newest[tunlet] = (uint8_t)epoch;
	if (before == r->epoch[epoch].way || epoch != r->n - 1u || t->c->way[before].fd < 0 || r->holds)
		return;
	say_left(t->c, before, t->process, MESSAGE_TURNED);
	r->holds = true;
}

static bool is_gone(const struct control_route *r, uint32_t tunlet, const struct point_want *w, const struct message *m)
{
	if (!w->iteration || w->iteration > m->event.n)
		return false;
	int64_t iteration = m->event.value[w->iteration - 1].i;
	return iteration >= r->gone_from[tunlet] && iteration <= r->gone_to[tunlet];
}

void way_event(struct control_process *t, const struct point_want *w, const struct message *m)
{
	struct control *c = t->c;
	struct control_route *r = &t->route;
	uint32_t tunlet = (m->event.event >> 16) % CONTROL_TUNLETS;
	pthread_mutex_lock(&c->up_lock);
	if (is_gone(r, tunlet, w, m)) {
		pthread_mutex_unlock(&c->up_lock);
		return;
	}
	unsigned e = epoch_of(r, tunlet, w, m);
	if (e > r->newest[tunlet])
		way_turn(t, tunlet, e);
	if (r->holds && e == r->n - 1)
		way_keep(t, m);
	else
		way_send_by(c, r->epoch[e].way, m);
	if (r->held.n > HELD_MOST)
		way_release(t);
	pthread_mutex_unlock(&c->up_lock);
}

void way_lost_events(struct control_process *t, struct message *m)
{
	const struct control_route *r = &t->route;
	bool done[CONTROL_WAYS] = {false};
	pthread_mutex_lock(&t->c->up_lock);
	for (unsigned e = r->n; e-- > 0; m->lost.again = true) {
		unsigned way = r->epoch[e].way;
		if (!done[way] && t->c->way[way].fd >= 0)
			way_send_by(t->c, way, m);
		done[way] = true;
	}
	pthread_mutex_unlock(&t->c->up_lock);
}

void way_say(struct control_process *t, const struct message *m)
{
	pthread_mutex_lock(&t->c->up_lock);
	way_send_by(t->c, last_way(&t->route), m);
	pthread_mutex_unlock(&t->c->up_lock);
}

/* ---- moving ---- */

static void forget_first(struct control_route *r)
{
	memmove(r->epoch, r->epoch + 1, --r->n * sizeof r->epoch[0]);
	for (unsigned k = 0; k < CONTROL_TUNLETS; k++) {
		r->epoch[0].from[k] = INT64_MIN;
		r->now[k] -= r->now[k] > 0;
		r->newest[k] -= r->newest[k] > 0;
	}
}

static void way_move(struct control_process *t, unsigned way)
{
	struct control_route *r = &t->route;
	unsigned before = last_way(r);
	if (before == way)
		return;
	way_release(t);
	if (r->n == CONTROL_EPOCHS)
		forget_first(r);
	struct control_epoch *e = &r->epoch[r->n++];
	e->way = way;
	for (unsigned k = 0; k < CONTROL_TUNLETS; k++)
		e->from[k] = r->seen[k] == INT64_MIN ? INT64_MIN : r->seen[k] + 1;
	say_left(t->c, before, t->process, MESSAGE_MOVED);
}

/* No process goes this way any more: what is late goes where the next iterations went. */
static void way_abandon(struct control_process *t, unsigned way)
{
	struct control_route *r = &t->route;
	for (unsigned e = r->n; e-- > 0;)
		if (r->epoch[e].way == way)
			r->epoch[e].way = e + 1 < r->n ? r->epoch[e + 1].way : 0;
}

static struct control_process *way_find(struct control *c, uint64_t process)
{
	for (size_t i = 0; i < c->process.n; i++)
		if (c->process.at[i]->process == process)
			return c->process.at[i];
	return NULL;
}

static void hear_way(struct control *c, unsigned way, const struct message *m)
{
	int fd = channel_take_fd(&c->way[way]);
	(void)m;
	for (unsigned i = 1; i < CONTROL_WAYS && fd >= 0; i++)
		if (c->way[i].fd < 0) {
			channel_init(&c->way[i], fd, CONTROL_KEEPS);
			return;
		}
	if (fd >= 0)
		close(fd);
}

static void hear_move(struct control *c, unsigned way, const struct message *m)
{
	struct control_process *t = way_find(c, m->move.process);
	if (t && !t->route.over)
		way_move(t, way);
	else
		say_left(c, way, m->move.process, MESSAGE_ENDED); /* it was ending already */
}

static void hear_go(struct control *c, unsigned way, const struct message *m)
{
	struct control_process *t = way_find(c, m->go.process);
	(void)way;
	if (t && t->route.owed) {
		t->route.owed--;
		pthread_cond_broadcast(&c->let_go);
	} else if (t) {
		way_release(t);
		pthread_cond_broadcast(&c->let_go);
	}
}

static void hear_leave(struct control *c, unsigned way, const struct message *m)
{
	struct message end = {.kind = MESSAGE_END};
	(void)m;
	for (size_t i = 0; way && i < c->process.n; i++)
		way_abandon(c->process.at[i], way);
	if (way)
		way_send_by(c, way, &end);
}

bool way_hear(struct control *c, unsigned way, const struct message *m)
{
	static void (*const hearing[MESSAGE_KINDS])(struct control * c, unsigned way, const struct message *m) =
		{[MESSAGE_WAY] = hear_way, [MESSAGE_MOVE] = hear_move, [MESSAGE_GO] = hear_go, [MESSAGE_LEAVE] = hear_leave};
	if (!hearing[m->kind])
		return false;
	pthread_mutex_lock(&c->processes_lock);
	pthread_mutex_lock(&c->up_lock);
	hearing[m->kind](c, way, m);
	(void)!way_flush(c);
	pthread_mutex_unlock(&c->up_lock);
	pthread_mutex_unlock(&c->processes_lock);
	return true;
}

/* The iterations of a process that have begun by this way. False: none has. */
static bool note_gone(struct control_route *r, unsigned way)
{
	bool any = false;
	for (unsigned e = 0; e < r->n; e++)
		for (unsigned k = 0; k < CONTROL_TUNLETS && r->epoch[e].way == way; k++) {
			int64_t from = r->epoch[e].from[k], to = r->seen[k];
			if (e + 1 < r->n && r->epoch[e + 1].from[k] <= to)
				to = r->epoch[e + 1].from[k] - 1;
			if (to < from || to == INT64_MIN)
				continue;
			any = true;
			r->gone_from[k] = from < r->gone_from[k] ? from : r->gone_from[k];
			r->gone_to[k] = to > r->gone_to[k] ? to : r->gone_to[k];
		}
	return any;
}

/*
 * The way's collector is gone with its messages: the first way learns which processes are its own
 * again.
 */
void way_lost(struct control *c, unsigned way)
{
	pthread_mutex_lock(&c->processes_lock);
	pthread_mutex_lock(&c->up_lock);
	for (size_t i = 0; i < c->process.n; i++) {
		struct control_process *t = c->process.at[i];
		bool its = last_way(&t->route) == way;
		struct message here = {.kind = MESSAGE_HERE, .here = {t->process}}, lost = {.kind = MESSAGE_LOST};
		bool gone = way && note_gone(&t->route, way);
		way_abandon(t, way);
		if (its)
			way_send_by(c, 0, &here);
		lost.lost = (struct message_lost){.process = t->process, .time = control_now(c), .count = 1};
		lost.lost.since = lost.lost.time;
		if (gone)
			way_send_by(c, 0, &lost);
		way_release(t);
		t->route.owed = 0;
	}
	channel_fini(&c->way[way]);
	(void)!way_flush(c);
	pthread_cond_broadcast(&c->let_go);
	pthread_mutex_unlock(&c->up_lock);
	pthread_mutex_unlock(&c->processes_lock);
}

/* ---- the end of a process ---- */

/* The ways but the last that it has gone, once each. */
static unsigned say_ended(struct control_process *t)
{
	const struct control_route *r = &t->route;
	unsigned sent = 0;
	bool done[CONTROL_WAYS] = {false};
	done[last_way(r)] = true;
	for (unsigned e = 0; e < r->n; e++) {
		unsigned way = r->epoch[e].way;
		if (!done[way] && t->c->way[way].fd >= 0) {
			say_left(t->c, way, t->process, MESSAGE_ENDED);
			sent++;
		}
		done[way] = true;
	}
	return sent;
}

void way_gone(struct control_process *t, const struct message *m)
{
	struct control *c = t->c;
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LET_GO_S;
	pthread_mutex_lock(&c->up_lock);
	t->route.over = true;
	(void)!way_flush(c);
	while (t->route.holds && !c->up_lost)
		if (pthread_cond_timedwait(&c->let_go, &c->up_lock, &until))
			break;
	way_release(t);
	t->route.owed = say_ended(t);
	(void)!way_flush(c);
	while (t->route.owed && !c->up_lost)
		if (pthread_cond_timedwait(&c->let_go, &c->up_lock, &until))
			break;
	way_send_by(c, last_way(&t->route), m);
	(void)!way_flush(c);
	pthread_mutex_unlock(&c->up_lock);
}
