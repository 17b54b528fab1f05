/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages on their way, by a table for each direction. Messages of processes are sent up, folded
 * where they can be. Requests to a process are sent down by the way on which the process was
 * announced. Messages for collectors are sent to all of them, and kept for later ones.
 */
#include "tune/derive/derive.h"
#include "collect_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 48 << 10, SPEC_MOST = 1 << 20, FOLD_MOST = 64 << 20 };

static struct peer *peer_of(struct collect *c, uint32_t id)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (c->below.at[i]->id == id)
			return c->below.at[i];
	return NULL;
}

void route_send_up(struct collect *c, const struct message *m)
{
	(void)!peer_send(&c->up, m);
}

/* -- tunlets -- */

static void fold_up(void *ctx, const void *at, size_t n)
{
	struct collect_tunlet *k = ctx;
	struct message m = {.kind = MESSAGE_FOLDED};
	for (size_t done = 0; done < n;) {
		size_t part = n - done < PIECE_BYTES ? n - done : PIECE_BYTES;
		m.folded = (struct message_folded){.time = follow_time(&k->c->follow, collect_clock(k->c)),
		                                   .tunlet = k->number,
		                                   .more = done + part < n,
		                                   .bytes = (const char *)at + done,
		                                   .n = (uint32_t)part};
		done += part;
		route_send_up(k->c, &m);
	}
}

static int begin_tunlet(struct collect *c, struct collect_tunlet *k, struct weft_err *err)
{
	struct folder_how how = {.up = fold_up, .ctx = k};
	int rc = weft_spec_new(&k->s, k->name, k->text.at, k->text.n, err);
	rc = rc ? rc : folder_new(&k->f, k->s, &how, err);
	for (size_t i = 0; !rc && i < c->below.n; i++)
		if (c->below.at[i]->collector)
			rc = folder_child(k->f, c->below.at[i]->id, true);
	return rc;
}

int route_inherit(struct collect *c, const struct collect *from, struct weft_err *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < COLLECT_TUNLETS && !rc; i++) {
		const struct collect_tunlet *of = &from->tunlet[i];
		struct collect_tunlet *k = &c->tunlet[i];
		struct folder_how how = {.up = fold_up, .ctx = k, .like = of->f};
		if (!of->f)
			continue;
		*k = (struct collect_tunlet){.s = of->s,
		                             .began = of->began,
		                             .per_unit = of->per_unit,
		                             .passes = of->passes,
		                             .c = c,
		                             .number = i};
		rc = folder_new(&k->f, k->s, &how, err);
	}
	return rc;
}

static int join_tunlet(struct collect *c, uint32_t i, struct weft_err *err)
{
	const struct collect_joins_tunlet *of = &c->how.joins->tunlet[i];
	struct collect_tunlet *k = &c->tunlet[i];
	struct folder_how how = {.up = fold_up, .ctx = k};
	*k = (struct collect_tunlet){.s = of->spec,
	                             .began = of->began,
	                             .per_unit = of->per_unit,
	                             .passes = of->passes,
	                             .c = c,
	                             .number = i};
	return of->spec ? folder_new(&k->f, k->s, &how, err) : 0;
}

int route_join(struct collect *c, struct weft_err *err)
{
	struct peer *p;
	int rc = 0;
	for (uint32_t i = 0; i < COLLECT_TUNLETS && !rc; i++)
		rc = join_tunlet(c, i, err);
	if (!rc && collect_add_below(c, -1, NULL, &p))
		rc = weft_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		return rc;
	p->c = *c->how.joins->stream;
	c->more = true; /* what was read */
	for (size_t i = 0; i < c->how.joins->n_known; i++) {
		const struct collect_known *known = &c->how.joins->known[i];
		struct collect_process *t = route_add_process(c, known->process, p->id);
		for (uint32_t k = 0; t && k < COLLECT_TUNLETS; k++)
			t->tunlet[k].passed = known->heard[k];
	}
	return 0;
}

static void take_spec(struct collect *c, const struct message_spec *m)
{
	struct weft_err err = {0};
	if (m->tunlet >= COLLECT_TUNLETS || c->tunlet[m->tunlet].f)
		return;
	struct collect_tunlet *k = &c->tunlet[m->tunlet];
	weft_buf_add(&k->text, m->bytes, m->n);
	if (k->text.n > SPEC_MOST || k->text.failed)
		c->over = true;
	if (m->more || c->over)
		return;
	k->c = c;
	k->number = m->tunlet;
	k->began = m->began;
	k->per_unit = m->per_unit > 0 ? m->per_unit : 1e6;
	k->passes = m->passes;
	k->name = strdup(m->name);
	if (!k->name || begin_tunlet(c, k, &err)) {
		/*
		 * A collector that cannot fold would block its peers: it ends, and they reconnect
		 * to the party above.
		 */
		collect_log(c, "cannot fold the tunlet: %s", err.code ? err.text : "out of memory");
		c->over = true;
	}
}

/* -- events -- */

double route_unit_time(const struct collect_tunlet *k, uint64_t time)
{
	return (double)(int64_t)(time - k->began) / k->per_unit;
}

/* Whether an event is folded here; of what is not yet bound is kept how far it has got. */
static bool to_fold(const struct collect_tunlet *k, struct collect_binding *b, uint32_t event, const struct message *m)
{
	const struct spec_event *v = &k->s->event.at[event];
	if (!v->folds)
		return false;
	bool named = v->iteration_ref < m->event.n;
	int64_t iteration = named ? m->event.value[v->iteration_ref].i : 0;
	/* A collector that has not reported ready is asked nothing. */
	if (!b->bound || !k->c->works || (b->passed.some && named && iteration <= b->passed.iteration)) {
		collect_heard(&b->passed, iteration);
		return false;
	}
	return b->actor == v->actor_id;
}

/* Whether the event goes up. */
static bool fold_event(struct collect *c, struct message *m)
{
	uint32_t tunlet = m->event.event >> 16, event = m->event.event & 0xffff;
	struct collect_process *t = route_process(c, m->event.process);
	struct collect_tunlet *k = tunlet < COLLECT_TUNLETS ? &c->tunlet[tunlet] : NULL;
	if (!t || !k || !k->f || event >= k->s->event.n || m->event.folded || !to_fold(k, &t->tunlet[tunlet], event, m))
		return true;
	struct tune_value value[MESSAGE_VALUES];
	for (uint32_t i = 0; i < m->event.n; i++) {
		const struct message_value *v = &m->event.value[i];
		bool real = v->kind == MESSAGE_REAL;
		value[i] = (struct tune_value){real ? v->d : (double)v->i, real ? (long long)v->d : v->i,
		                               v->kind == MESSAGE_TEXT ? v->s : ""};
	}
	struct folder_event e = {.event = event,
	                         .id = t->tunlet[tunlet].id,
	                         .time = route_unit_time(k, m->event.time),
	                         .value = value,
	                         .n = m->event.n};
	int rc = folder_event(k->f, &e);
	c->over |= rc < 0;
	m->event.folded = rc != FOLDER_PASSES;
	return rc != FOLDER_FOLDED || k->passes;
}

static void note_end(struct collect_tunlet *k, int64_t iteration)
{
	k->asked = k->ends ? k->asked : iteration - 1;
	k->ended = k->ends && k->ended > iteration ? k->ended : iteration;
	k->ends = true;
}

static bool count_event(struct collect *c, struct message *m)
{
	uint32_t tunlet = m->event.event >> 16, event = m->event.event & 0xffff;
	struct collect_tunlet *k = tunlet < COLLECT_TUNLETS ? &c->tunlet[tunlet] : NULL;
	const struct spec_event *v = k && k->f && event < k->s->event.n ? &k->s->event.at[event] : NULL;
	c->events++;
	if (v && v->iter == ITER_END && v->iteration_ref < m->event.n)
		note_end(k, m->event.value[v->iteration_ref].i);
	return fold_event(c, m);
}

static bool up_folded(struct collect *c, struct peer *from, struct message *m)
{
	const struct message_folded *fold = &m->folded;
	struct collect_tunlet *k = fold->tunlet < COLLECT_TUNLETS ? &c->tunlet[fold->tunlet] : NULL;
	if (!k || !k->f)
		return false;
	if (from->fold_of != fold->tunlet)
		from->fold.n = 0;
	from->fold_of = fold->tunlet;
	weft_buf_add(&from->fold, fold->bytes, fold->n);
	if (from->fold.n > FOLD_MOST || from->fold.failed)
		from->over = "a fold of more than 64 MiB";
	if (fold->more || from->over)
		return false;
	int rc = folder_below(k->f, from->id, from->fold.at, from->fold.n);
	from->fold.n = 0;
	if (rc == -EINVAL)
		collect_log(c, "a collector says what nobody understands");
	c->over |= rc == -ENOMEM;
	return false;
}

/* -- up -- */

/* It gets the questions that the others were asked. */
static void begin_child(struct collect *c, struct collect_tunlet *k, struct peer *p)
{
	struct message m = {.kind = MESSAGE_CLOSE};
	bool full;
	c->over |= folder_child(k->f, p->id, true) != 0;
	for (unsigned i = 0; folder_asked(k->f, &i, &m.close.iteration, &full);) {
		m.close.tunlet = k->number;
		m.close.how = full ? MESSAGE_ASK_ALL : MESSAGE_ASK;
		(void)!peer_send(p, &m);
	}
}

void route_can_fold(struct collect *c, struct peer *p)
{
	p->ready = c->uneven = true;
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			begin_child(c, &c->tunlet[k], p);
}

/* -- up: a handler's answer is whether the message goes up -- */

static bool up_hello(struct collect *c, struct peer *from, struct message *m)
{
	from->collector = m->hello.collector;
	if (!from->collector)
		return false;
	/* Sends a new collector the messages that the others have had. */
	for (size_t at = 0; at + 5 <= c->backlog.n;) {
		uint32_t n;
		struct message *out = calloc(1, sizeof *out);
		memcpy(&n, c->backlog.at + at + 1, sizeof n);
		if (out && message_decode((unsigned char)c->backlog.at[at], c->backlog.at + at + 5, n, out) == 0)
			(void)!peer_send(from, out);
		free(out);
		at += 5 + (size_t)n;
	}
	struct message above = {.kind = MESSAGE_ABOVE, .above = {c->how.parent ? c->how.parent : ""}};
	(void)!peer_send(from, &above);
	return false;
}

static bool up_ping(struct collect *c, struct peer *from, struct message *m)
{
	uint64_t received = follow_time(&c->follow, collect_clock(c));
	struct message out = {.kind = MESSAGE_CLOCK};
	out.clock = (struct message_clock){.sent = m->ping.sent,
	                                   .received = received,
	                                   .answered = follow_time(&c->follow, collect_clock(c))};
	(void)!peer_send(from, &out);
	(void)!peer_flush(from);
	return false;
}

static void flush_folds(struct collect *c)
{
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			c->over |= folder_flush(c->tunlet[k].f) != 0;
}

/*
 * The process has another id from now on: its events are passed up until BIND brings the new one.
 */
static bool up_named(struct collect *c, struct peer *from, struct message *m)
{
	struct collect_process *t = route_process(c, m->named.process);
	(void)from;
	for (uint32_t k = 0; t && k < COLLECT_TUNLETS; k++)
		t->tunlet[k].bound = false;
	return true;
}

/* Iterations that its last events have completed go up before its end. */
static bool up_gone(struct collect *c, struct peer *from, struct message *m)
{
	(void)from;
	route_forget(c, m->gone.process);
	flush_folds(c);
	return true;
}

static bool up_lost(struct collect *c, struct peer *from, struct message *m)
{
	(void)from;
	route_lost_events(c, &m->lost);
	return true;
}

static bool up_process(struct collect *c, struct peer *from, struct message *m)
{
	if (!route_may_have_one_more(from))
		return false;
	(void)route_add_process(c, m->kind == MESSAGE_HERE ? m->here.process : m->process.process, from->id);
	return true;
}

static bool up_event(struct collect *c, struct peer *from, struct message *m)
{
	return from->collector || count_event(c, m);
}

static bool up_end(struct collect *c, struct peer *from, struct message *m)
{
	(void)c, (void)m;
	from->drained = true;
	return false;
}

#define TIME(member) offsetof(struct message, member.time)

static const struct {
	bool (*handler)(struct collect *c, struct peer *from, struct message *m); /* NULL: the message goes up as it is */
	size_t time; /* where its time is, which a controller has by this host's clock; 0: it has none */
} ups[MESSAGE_KINDS] = {
	[MESSAGE_HELLO] = {up_hello},
	[MESSAGE_PROCESS] = {up_process, TIME(process)},
	[MESSAGE_HERE] = {up_process},
	[MESSAGE_GONE] = {up_gone, TIME(gone)},
	[MESSAGE_NAMED] = {up_named},
	[MESSAGE_EVENT] = {up_event, TIME(event)},
	[MESSAGE_LOST] = {up_lost, TIME(lost)},
	[MESSAGE_ACTED] = {.time = TIME(acted)},
	[MESSAGE_COST] = {.time = TIME(cost)},
	[MESSAGE_FOLDED] = {up_folded},
	[MESSAGE_PING] = {up_ping},
	[MESSAGE_END] = {up_end},
	[MESSAGE_LOAD] = {grow_up_load},
	[MESSAGE_LEFT] = {grow_up_left},
	[MESSAGE_HAND] = {level_up_hand},
	[MESSAGE_MOVE] = {level_up_move},
};

/* The time of a message by the analyzer's clock. */
static void correct_time(struct collect *c, struct message *m)
{
	uint64_t *time = (uint64_t *)(void *)((char *)m + ups[m->kind].time), was = *time;
	*time = follow_time(&c->follow, c->how.faulty ? follow_faulty(&c->how.fault, was) : was);
	if (m->kind == MESSAGE_LOST)
		m->lost.since += *time - was;
}

void route_up(struct collect *c, struct peer *from, struct message *m)
{
	if (ups[m->kind].time && !from->collector)
		correct_time(c, m);
	if (!ups[m->kind].handler || ups[m->kind].handler(c, from, m))
		route_send_up(c, m);
}

/* -- down -- */

static void to_collectors(struct collect *c, const struct message *m)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (c->below.at[i]->collector)
			(void)!peer_send(c->below.at[i], m);
}

static void route_remember(struct collect *c, const struct message *m)
{
	size_t at = c->backlog.n;
	char head[5] = {(char)m->kind};
	weft_buf_add(&c->backlog, head, sizeof head);
	if (c->backlog.failed || message_encode(m, &c->backlog)) {
		c->over = true;
		return;
	}
	uint32_t n = (uint32_t)(c->backlog.n - at - sizeof head);
	memcpy(c->backlog.at + at + 1, &n, sizeof n);
}

static void close_iterations(struct collect *c, const struct message_close *m)
{
	struct collect_tunlet *k = m->tunlet < COLLECT_TUNLETS ? &c->tunlet[m->tunlet] : NULL;
	struct folder *f = k ? k->f : NULL;
	c->asked_ns = weft_monotonic_ns();
	if (k && k->asked < m->iteration)
		k->asked = m->iteration;
	if (k && m->how == MESSAGE_ANEW)
		k->ends = false;
	if (f && m->how == MESSAGE_ANEW)
		folder_anew(f);
	else if (f && m->how == MESSAGE_CLOSED)
		folder_closed(f, m->iteration);
	else if (f)
		c->over |= folder_close(f, m->iteration, m->how == MESSAGE_ASK_ALL) != 0;
}

static void bind_process(struct collect *c, const struct message_bind *m)
{
	struct collect_process *t = route_process(c, m->process);
	c->bound = true;
	if (t && m->tunlet < COLLECT_TUNLETS) {
		t->tunlet[m->tunlet].bound = true;
		t->tunlet[m->tunlet].actor = m->actor;
		t->tunlet[m->tunlet].id = m->id;
	}
}

/* To the one below by whom the process is reached, or with process 0 to all. */
void route_to_process(struct collect *c, uint64_t process, const struct message *m)
{
	struct collect_process *t = process ? route_process(c, process) : NULL;
	struct peer *p = t ? peer_of(c, t->by) : NULL;
	if (p)
		(void)!peer_send(p, m);
	for (size_t i = 0; !process && i < c->below.n; i++)
		(void)!peer_send(c->below.at[i], m);
}

static void down_clock(struct collect *c, const struct message *m)
{
	follow_exchange(&c->follow, m->clock.sent, m->clock.received, m->clock.answered, collect_clock(c));
	bool first = !c->timed;
	c->timed = true;
	grow_send_load(c, first);
}

static void down_spec(struct collect *c, const struct message *m)
{
	take_spec(c, &m->spec);
	route_remember(c, m);
	to_collectors(c, m);
}

static void down_close(struct collect *c, const struct message *m)
{
	close_iterations(c, &m->close);
	to_collectors(c, m);
}

static void down_lost(struct collect *c, const struct message *m)
{
	route_lost_events(c, &m->lost);
	to_collectors(c, m);
}

/* The last message of a new collector's state: from now on it can fold. */
static void down_above(struct collect *c, const struct message *m)
{
	snprintf(c->above, sizeof c->above, "%s", m->above.address);
	c->told = true;
	grow_send_load(c, true);
}

static void down_bind(struct collect *c, const struct message *m)
{
	struct collect_process *t = route_process(c, m->bind.process);
	struct peer *p = t ? peer_of(c, t->by) : NULL;
	if (p && p->collector)
		(void)!peer_send(p, m);
	bind_process(c, &m->bind);
}

static void down_end(struct collect *c, const struct message *m)
{
	route_to_process(c, 0, m);
	c->ending = true;
}

void route_down(struct collect *c, const struct message *m)
{
	/* A message for a process that is not here is forwarded by the process's way. */
	static void (*const downs[MESSAGE_KINDS])(struct collect * c, const struct message *m) = {
		[MESSAGE_CLOCK] = down_clock,      [MESSAGE_SPEC] = down_spec,         [MESSAGE_CLOSE] = down_close,
		[MESSAGE_LOST] = down_lost,        [MESSAGE_ABOVE] = down_above,       [MESSAGE_BIND] = down_bind,
		[MESSAGE_END] = down_end,          [MESSAGE_GROW] = grow_down_grow,    [MESSAGE_HERE] = grow_down_here,
		[MESSAGE_LEAVE] = grow_down_leave, [MESSAGE_LEVEL] = level_down_level,
	};
	if (downs[m->kind])
		downs[m->kind](c, m);
	else
		route_to_process(c, message_process_of(m), m);
}

void route_flush(struct collect *c)
{
	flush_folds(c);
	if (c->up.dropped) {
		struct message m = {.kind = MESSAGE_LOST};
		m.lost = route_lost_now(c, c->process.n ? c->process.at[0].process : 0, collect_clock(c), c->up.dropped);
		c->up.dropped = 0;
		route_lost_events(c, &m.lost);
		route_send_up(c, &m);
	}
}

void route_fini(struct collect *c)
{
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++) {
		folder_free(c->tunlet[k].f);
		weft_spec_free(c->tunlet[k].s);
		weft_buf_fini(&c->tunlet[k].text);
		free(c->tunlet[k].name);
	}
	weft_buf_fini(&c->backlog);
	weft_map_fini(&c->by_process);
	free(c->process.at);
}
