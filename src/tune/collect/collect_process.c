/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that a collector knows: announced, moved to another way, lost with their party, let go. A
 * process whose party is gone stays for a while: another party may take it over.
 */
#include "collect_priv.h"
#include "base/clock.h"

#define GRACE_NS UINT64_C(2000000000)
/*
 * Processes that another host may announce, at first and from then on; a shell that makes
 * configure's tests begins some 200 a second.
 */
enum { PROCESSES_FIRST = 16384, PROCESSES_A_SECOND = 1000 };

struct collect_process *route_process(struct collect *c, uint64_t process)
{
	uint64_t at;
	return weft_map_get(&c->by_process, process, &at) ? &c->process.at[at] : NULL;
}

/*
 * Bounds the memory that the party above holds for each peer. A peer on this host has no wire, and
 * is limited by the stream.
 */
bool route_may_have_one_more(struct peer *p)
{
	uint64_t seconds = (weft_monotonic_ns() - p->began_ns) / 1000000000;
	if (p->w && ++p->processes > PROCESSES_FIRST + PROCESSES_A_SECOND * seconds)
		p->over = "that there are more processes than it may";
	return !p->over;
}

struct collect_process *route_add_process(struct collect *c, uint64_t process, uint32_t by)
{
	struct collect_process *t = route_process(c, process);
	c->uneven = true;
	if (t) {
		t->by = by;
		t->orphan_ns = 0;
		t->left = false;
		return t;
	}
	if (weft_map_put(&c->by_process, process, c->process.n) ||
	    weft_vec_push(&c->process, (struct collect_process){.process = process, .by = by})) {
		c->over = true;
		return NULL;
	}
	return &c->process.at[c->process.n - 1];
}

void route_ended(struct collect *c, const struct collect_process *t)
{
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f && t->tunlet[k].bound)
			c->over |= folder_ended(c->tunlet[k].f, t->tunlet[k].actor, t->tunlet[k].id) != 0;
}

void route_forget(struct collect *c, uint64_t process)
{
	struct collect_process *t = route_process(c, process);
	if (!t)
		return;
	route_ended(c, t);
	c->uneven = true;
	weft_map_del(&c->by_process, process);
	*t = c->process.at[--c->process.n];
	if (t < c->process.at + c->process.n && weft_map_put(&c->by_process, t->process, (uint64_t)(t - c->process.at)))
		c->over = true;
}

void route_lost_events(struct collect *c, const struct message_lost *m)
{
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			c->over |= folder_lost(c->tunlet[k].f, m->count, route_unit_time(&c->tunlet[k], m->time)) != 0;
}

/* Not by rings but on the way, which is noticed at once. */
struct message_lost route_lost_now(struct collect *c, uint64_t process, uint64_t now, uint64_t count)
{
	uint64_t time = follow_time(&c->follow, now);
	return (struct message_lost){.process = process, .time = time, .count = count, .since = time};
}

void route_lost(struct collect *c, const struct peer *p)
{
	struct message m = {.kind = MESSAGE_LOST};
	uint64_t now = collect_clock(c);
	for (size_t i = 0; i < c->process.n; i++) {
		struct collect_process *t = &c->process.at[i];
		if (t->by != p->id || t->orphan_ns)
			continue;
		/* Messages on their way are lost; with a controller, its processes are, too. */
		if (!m.lost.process)
			m.lost = route_lost_now(c, t->process, now, 1);
		t->orphan_ns = p->collector ? weft_monotonic_ns() : 1;
		c->orphans = true;
	}
	c->uneven = true;
	for (uint32_t k = 0; k < COLLECT_TUNLETS && p->collector; k++)
		if (c->tunlet[k].f)
			c->over |= folder_child(c->tunlet[k].f, p->id, false) != 0;
	if (m.lost.process && !c->ending) {
		route_lost_events(c, &m.lost);
		route_send_up(c, &m);
	}
	route_orphans(c);
}

void route_orphans(struct collect *c)
{
	uint64_t now = c->orphans ? weft_monotonic_ns() : 0;
	bool left = false;
	for (size_t i = 0; i < c->process.n && c->orphans; i++) {
		struct collect_process *t = &c->process.at[i];
		bool waits = t->orphan_ns && now - t->orphan_ns < GRACE_NS;
		left |= waits;
		if (!t->orphan_ns || waits)
			continue;
		struct message m = {.kind = MESSAGE_GONE};
		m.gone = (struct message_gone){t->process, follow_time(&c->follow, collect_clock(c)),
		                               "is let go: its controller is gone"};
		route_forget(c, t->process);
		route_send_up(c, &m);
		i--;
	}
	c->orphans = left;
}

void route_moved(struct collect *c)
{
	struct message_lost lost = route_lost_now(c, 0, collect_clock(c), 1);
	route_lost_events(c, &lost);
	for (size_t i = 0; i < c->process.n; i++) {
		struct message m = {.kind = MESSAGE_HERE, .here = {c->process.at[i].process}};
		route_send_up(c, &m);
	}
}
