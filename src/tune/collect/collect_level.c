/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A level of collectors between the first one and those of hosts, which comes and goes while the
 * run goes on. No connection is made or ended for that: the first one forks, between two rounds of
 * its loop, and each child goes on with some of its connections, with all that it knew of them, as
 * their collector; here they are closed, and there is one stream to the child instead. So nothing
 * is in flight that could be lost, and those of hosts notice nothing.
 *
 *     LEVEL 2     first --+-- host 1..4         first --+-- between --+-- host 1, 2
 *                                                       +-- between --+-- host 3, 4
 *     LEVEL 0     LEAVE; what would be told from then on is kept
 *                 HAND (a descriptor, keys, half a frame) and MOVE (its processes) for each connection, then END
 *                 at END, between two rounds: they are below the first one again, are asked again, and told what was kept
 *
 * What had been folded goes along into the child; on the way back it is asked for anew, since folds
 * are states, and the newest counts.
 */
#include "collect_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { HEAD = 5, LEAST = 2 }; /* LEAST: connections that are worth a process between */

static bool is_of_host(const struct peer *p)
{
	return p->w && p->collector && p->ready && !p->leaving;
}

static uint32_t level_count_of(const struct collect *c, bool (*is)(const struct peer *p))
{
	uint32_t n = 0;
	for (size_t i = 0; i < c->below.n; i++)
		n += is(c->below.at[i]);
	return n;
}

static bool is_between(const struct peer *p)
{
	return p->between != 0;
}

uint32_t level_count(const struct collect *c)
{
	return level_count_of(c, is_between);
}

static void say_gone(struct collect *c, const struct peer *p)
{
	struct message m = {.kind = MESSAGE_LOAD};
	m.load = (struct message_load){.collector = p->number, .of = c->how.number, .gone = true, .is_between = true, .host = ""};
	route_send_up(c, &m);
}

static void remove_below(struct collect *c, size_t i)
{
	peer_end(c->below.at[i]);
	free(c->below.at[i]);
	c->below.at[i] = c->below.at[--c->below.n];
}

/* ---- it comes ---- */

static bool is_among(uint32_t id, const uint32_t *child, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (child[i] == id)
			return true;
	return false;
}

static void keep_processes(struct collect *c, const uint32_t *child, size_t n)
{
	weft_map_clear(&c->by_process);
	size_t kept = 0;
	for (size_t i = 0; i < c->process.n; i++) {
		if (!is_among(c->process.at[i].by, child, n))
			continue;
		c->process.at[kept] = c->process.at[i];
		c->over |= weft_map_put(&c->by_process, c->process.at[kept].process, kept) != 0;
		kept++;
	}
	c->process.n = kept;
}

static _Noreturn void between_main(struct collect *c, int up, const uint32_t *child, size_t n)
{
	peer_end(&c->up);
	c->up = (struct peer){.alive = true};
	channel_init(&c->up.c, up, CHANNEL_ALL);
	for (size_t i = c->below.n; i > 0; i--)
		if (!is_among(c->below.at[i - 1]->id, child, n))
			remove_below(c, i - 1);
	weft_wire_listener_free(c->listener);
	c->listener = NULL;
	keep_processes(c, child, n);
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			folder_keep(c->tunlet[k].f, child, n);
	c->how.between = true;
	c->how.number = c->how.number << 16 | c->leaves;
	c->wanted = c->level = c->level_of = 0;
	c->ended.n = 0;
	c->events = c->load_ns = 0;
	c->more = true; /* bytes that were read of them, and wait to be handled */
	collect_serve(c);
	_exit(0);
}

/* The collector and its connections are one connection below now. */
static void note_between(struct collect *c, struct peer *p, const uint32_t *child, size_t n)
{
	p->collector = p->ready = true;
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			c->over |= folder_hand(c->tunlet[k].f, child, n, p->id) != 0;
	for (size_t i = 0; i < c->process.n; i++)
		if (is_among(c->process.at[i].by, child, n))
			c->process.at[i].by = p->id;
	for (size_t i = c->below.n; i > 0; i--)
		if (is_among(c->below.at[i - 1]->id, child, n))
			remove_below(c, i - 1);
}

static int begin_one(struct collect *c, const uint32_t *child, size_t n)
{
	int up[2];
	struct peer *p;
	if (channel_pair(up, NULL))
		return -EMFILE;
	if (collect_add_below(c, up[0], NULL, &p)) {
		close(up[0]);
		close(up[1]);
		return -ENOMEM;
	}
	c->leaves++;
	p->number = c->how.number << 16 | c->leaves;
	p->between = fork();
	if (p->between == 0)
		between_main(c, up[1], child, n);
	close(up[1]);
	if (p->between > 0) {
		note_between(c, p, child, n);
		return 0;
	}
	remove_below(c, c->below.n - 1);
	return -EAGAIN;
}

static void begin_level(struct collect *c)
{
	uint32_t hosts = level_count_of(c, is_of_host), n = c->level < hosts / LEAST ? c->level : hosts / LEAST, at = 0;
	uint32_t *child = n ? calloc(hosts, sizeof *child) : NULL;
	if (!child)
		return; /* there are too few, so far */
	for (size_t i = 0; i < c->below.n; i++)
		if (is_of_host(c->below.at[i]))
			child[at++] = c->below.at[i]->id;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = hosts * i / n, to = hosts * (i + 1) / n;
		if (begin_one(c, child + from, to - from)) {
			collect_log(c, "cannot begin a collector between others");
			c->level = i;
			break;
		}
	}
	free(child);
	c->level_of = c->level;
}

/* ---- it goes: on its side ---- */

/* Half of a fold that comes in pieces is nothing for others. */
static bool says_half(const struct peer *p)
{
	return p->fold.n > 0;
}

/* 1: it is handed over; 0: not yet; -1: it has ended. */
static int level_hand(struct collect *c, struct peer *p)
{
	struct weft_buf state = {0};
	struct message m = {.kind = MESSAGE_MOVE};
	int rc;
	while ((rc = peer_next(p, c->in)) > 0)
		route_up(c, p, c->in);
	if (rc < 0 || weft_wire_flush(p->w) < 0)
		return -1;
	int fd = says_half(p) || c->up.c.fd_out >= 0 ? -EAGAIN : weft_wire_give(p->w, &state);
	if (fd < 0)
		return 0;
	p->w = NULL;
	p->alive = false;
	struct message h = {.kind = MESSAGE_HAND, .hand = {state.at, (uint32_t)state.n}};
	c->over |= channel_send_fd(&c->up.c, &h, fd) != 0;
	explicit_bzero(state.at, state.n);
	weft_buf_fini(&state);
	for (size_t i = 0; i < c->process.n; i++) {
		m.move.process = c->process.at[i].process;
		if (c->process.at[i].by == p->id)
			route_send_up(c, &m);
	}
	return 1;
}

void level_leave(struct collect *c)
{
	struct message end = {.kind = MESSAGE_END};
	for (size_t i = c->below.n; i > 0; i--) {
		int rc = level_hand(c, c->below.at[i - 1]);
		if (rc > 0)
			remove_below(c, i - 1);
		else if (rc < 0)
			collect_drop_below(c, i - 1);
	}
	if (c->below.n == 0 && !c->said_end) {
		route_send_up(c, &end);
		c->said_end = true;
	}
	c->over |= c->said_end && !channel_pending(&c->up.c);
	c->more = true; /* at once */
}

/* ---- and on the side of the first one ---- */

/* Messages for it are kept for the parties that come back. */
int level_keep(struct peer *p, const struct message *m)
{
	size_t at = p->kept.n;
	char head[HEAD] = {(char)m->kind};
	weft_buf_add(&p->kept, head, sizeof head);
	int rc = p->kept.failed ? -ENOMEM : message_encode(m, &p->kept);
	uint32_t n = (uint32_t)(p->kept.n - at - HEAD);
	if (!rc)
		memcpy(p->kept.at + at + 1, &n, sizeof n);
	return rc;
}

/*
 * `to`: the receiver of all of it; NULL: the peers that were handed over by `from`, or the one
 * among them that has the process.
 */
static void tell_kept(struct collect *c, struct peer *from, struct peer *to)
{
	uint32_t n;
	struct weft_buf kept = from->kept;
	from->kept = (struct weft_buf){0};
	for (size_t at = 0; at + HEAD <= kept.n; at += HEAD + (size_t)n) {
		memcpy(&n, kept.at + at + 1, sizeof n);
		if (message_decode((unsigned char)kept.at[at], kept.at + at + HEAD, n, c->in))
			continue;
		uint64_t process = c->in->kind == MESSAGE_LOST ? 0 : message_process_of(c->in);
		if (to)
			(void)!peer_send(to, c->in);
		else if (process)
			route_to_process(c, process, c->in);
		for (size_t i = 0; !to && !process && i < c->below.n; i++)
			if (c->below.at[i]->handed_by == from->id)
				(void)!peer_send(c->below.at[i], c->in);
	}
	weft_buf_fini(&kept);
}

/* Connections that were handed over are read and written again, the kept messages first. */
static void level_wake(struct collect *c, struct peer *from)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (c->below.at[i]->handed_by == from->id)
			c->below.at[i]->rests = false;
	tell_kept(c, from, NULL);
	for (size_t i = 0; i < c->below.n; i++) {
		struct peer *p = c->below.at[i];
		if (p->handed_by != from->id)
			continue;
		p->handed_by = 0;
		p->collector = true;
		tell_kept(c, p, p);
		route_can_fold(c, p);
	}
	c->more = true; /* bytes that were read of them */
}

static bool gives_back(const struct peer *p)
{
	return p->between && p->leaving;
}

bool level_up_hand(struct collect *c, struct peer *from, struct message *m)
{
	struct weft_wire *w = NULL;
	struct peer *p = NULL;
	if (!gives_back(from))
		return true;
	int fd = channel_take_fd(&from->c);
	if (fd < 0 || weft_wire_take(&w, fd, m->hand.bytes, m->hand.n, NULL) || collect_add_below(c, -1, w, &p)) {
		weft_wire_free(w);
		c->over = true;
		return false;
	}
	p->handed_by = from->id;
	p->rests = true;
	return false;
}

bool level_up_move(struct collect *c, struct peer *from, struct message *m)
{
	struct collect_process *t = gives_back(from) ? route_process(c, m->move.process) : NULL;
	if (t)
		t->by = c->ids; /* of the connection that was handed last */
	return !gives_back(from);
}

void level_down_level(struct collect *c, const struct message *m)
{
	c->level = m->level.n;
	c->level_of = level_count(c);
}

static void take_back(struct collect *c, size_t at)
{
	struct peer *from = c->below.at[at];
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			folder_return(c->tunlet[k].f, from->id);
	level_wake(c, from);
	say_gone(c, from);
	(void)!weft_vec_push(&c->ended, from->between);
	remove_below(c, at);
}

static void look_at_leaving(struct collect *c)
{
	for (size_t i = c->below.n; i > 0; i--) {
		struct peer *p = c->below.at[i - 1];
		if (p->between && p->leaving && p->drained)
			take_back(c, i - 1);
	}
}

static void end_level(struct collect *c)
{
	struct message leave = {.kind = MESSAGE_LEAVE};
	for (size_t i = 0; i < c->below.n; i++) {
		struct peer *p = c->below.at[i];
		if (!p->between || p->leaving)
			continue;
		c->over |= peer_send(p, &leave) != 0;
		p->leaving = true;
	}
}

void level_look(struct collect *c)
{
	look_at_leaving(c);
	if (c->level == c->level_of || c->ending)
		return;
	if (level_count(c))
		end_level(c);
	else if (c->level)
		begin_level(c);
	else
		c->level_of = 0;
}

void level_lost(struct collect *c, struct peer *p)
{
	/* Its parties reconnect to this collector by themselves (collect.c). */
	level_wake(c, p);
	say_gone(c, p);
	(void)!weft_vec_push(&c->ended, p->between);
}
