/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A watcher (runtime/task/watch.h). A worker that waits within a task may run others: what it executes is a stack, and the time of a
 * codelet is its own, without that of tasks within. Stations that come while nobody was looking are missing: a stack that was left
 * behind from an earlier look is thrown away by its worker, which sees that the number of looks has changed.
 */
#include "live_graph.h"
#include "live_watch.h"
#include "runtime/task/watch.h"
#include "base/clock.h"
#include <stdio.h>
#include <string.h>

enum { STACK = 16 };

struct slot {
	struct weft_atomic_u64 key; /* of its name; 0: free. Set last */
	char name[LIVE_CODELET_NAME];
	struct weft_atomic_u64 tasks, time_ns;
};

struct lane {
	_Alignas(64) struct weft_atomic_u32 state, slot; /* slot: of what it executes; LIVE_CODELETS: none */
	struct weft_atomic_u64 from_ns;                  /* what it is at began; 0: not known */
	struct weft_atomic_u64 tasks, spent_ns[LIVE_STATES];
	uint32_t look; /* which of the looks its stack is of */
	unsigned depth;
	uint8_t stack[STACK];
	struct slot slots[LIVE_CODELETS];
};

static struct lane lanes[STARPU_NMAXWORKERS];
static struct weft_atomic_u32 looks;

static const char *codelet_name(const struct starpu_task *t)
{
	const struct starpu_codelet *cl = t ? t->cl : NULL;
	if (!cl)
		return "no codelet";
	return cl->name ? cl->name : cl->model && cl->model->symbol ? cl->model->symbol : "unnamed";
}

static uint64_t name_key(const char *name)
{
	uint64_t key = 14695981039346656037u;
	for (unsigned i = 0; name[i] && i < LIVE_CODELET_NAME - 1; i++)
		key = (key ^ (unsigned char)name[i]) * 1099511628211u;
	return key ? key : 1;
}

static unsigned slot_of(struct lane *l, const char *name)
{
	uint64_t key = name_key(name);
	for (unsigned i = 0; i < LIVE_CODELETS; i++) {
		uint64_t there = weft_load_u64(&l->slots[i].key);
		if (there == key)
			return i;
		if (there && i < LIVE_CODELETS - 1)
			continue;
		if (!there) {
			snprintf(l->slots[i].name, sizeof l->slots[i].name, "%s", i == LIVE_CODELETS - 1 ? "others" : name);
			weft_store_u64(&l->slots[i].key, key);
		}
		return i;
	}
	return LIVE_CODELETS - 1;
}

/* What the worker was at is counted, and something else begins. */
static void lane_turn(struct lane *l, enum live_state to, unsigned slot, uint64_t now)
{
	uint64_t from = weft_load_u64(&l->from_ns);
	uint32_t was = weft_load_u32(&l->state), had = weft_load_u32(&l->slot);
	if (from && now > from) {
		weft_add_u64(&l->spent_ns[was], now - from);
		if (was == LIVE_EXECUTING && had < LIVE_CODELETS)
			weft_add_u64(&l->slots[had].time_ns, now - from);
	}
	weft_store_u32(&l->slot, slot);
	weft_store_u32(&l->state, to);
	weft_store_u64(&l->from_ns, now);
}

/* What it goes on with: the task that it is within, else nothing in particular. */
static void lane_go_on(struct lane *l, uint64_t now)
{
	bool within = l->depth > 0 && l->depth <= STACK;
	lane_turn(l, within ? LIVE_EXECUTING : LIVE_OTHER, within ? l->stack[l->depth - 1] : LIVE_CODELETS, now);
}

static void task_starts(struct lane *l, const struct starpu_task *t, uint64_t now)
{
	unsigned slot = slot_of(l, codelet_name(t));
	lane_turn(l, LIVE_EXECUTING, slot, now);
	if (l->depth++ < STACK)
		l->stack[l->depth - 1] = (uint8_t)slot;
}

static void task_ends(struct lane *l, uint64_t now)
{
	if (!l->depth) /* it began when nobody looked */
		return;
	if (l->depth <= STACK)
		weft_add_u64(&l->slots[l->stack[l->depth - 1]].tasks, 1);
	weft_add_u64(&l->tasks, 1);
	l->depth--;
	lane_go_on(l, now);
}

static void live_pass(enum rt_station at, struct starpu_task *t, unsigned worker, uint64_t now)
{
	live_graph_pass(at, t, worker);
	if (worker >= rt_machine.n_workers)
		return;
	struct lane *l = &lanes[worker];
	uint32_t look = weft_load_u32(&looks);
	if (l->look != look) {
		l->look = look;
		l->depth = 0;
		weft_store_u64(&l->from_ns, 0);
	}
	switch (at) {
	case RT_AT_START:
		task_starts(l, t, now);
		break;
	case RT_AT_END:
		task_ends(l, now);
		break;
	case RT_AT_CALLBACK:
		lane_turn(l, LIVE_CALLBACK, LIVE_CODELETS, now);
		break;
	case RT_AT_SLEEP:
		lane_turn(l, LIVE_SLEEPING, LIVE_CODELETS, now);
		break;
	case RT_AT_CALLED_BACK:
	case RT_AT_WAKE:
		lane_go_on(l, now);
		break;
	default:
		break;
	}
}

void live_watch_set(bool on)
{
	if (on)
		weft_add_u32(&looks, 1);
	rt_watch(RT_WATCH_LIVE, on ? live_pass : NULL);
}

struct live_worker live_watch_worker(unsigned worker)
{
	struct lane *l = &lanes[worker];
	struct live_worker w = {.state = (enum live_state)weft_load_u32(&l->state), .tasks = weft_load_u64(&l->tasks)};
	uint64_t from = weft_load_u64(&l->from_ns), now = weft_monotonic_ns();
	uint32_t slot = weft_load_u32(&l->slot);
	for (unsigned s = 0; s < LIVE_STATES; s++)
		w.spent_ns[s] = weft_load_u64(&l->spent_ns[s]);
	if (from && now > from)
		w.spent_ns[w.state] += now - from;
	if (w.state == LIVE_EXECUTING && slot < LIVE_CODELETS && weft_load_u64(&l->slots[slot].key))
		memcpy(w.codelet, l->slots[slot].name, sizeof w.codelet);
	return w;
}

/* Where the name stands in the list, or is put. */
static unsigned find_codelet(struct live_codelet *list, unsigned *n, const char *name)
{
	for (unsigned i = 0; i < *n; i++)
		if (!strcmp(list[i].name, name))
			return i;
	if (*n == LIVE_CODELETS)
		return LIVE_CODELETS - 1; /* with those that are the last */
	unsigned at = (*n)++;
	list[at] = (struct live_codelet){0};
	snprintf(list[at].name, sizeof list[at].name, "%s", at == LIVE_CODELETS - 1 ? "others" : name);
	return at;
}

unsigned live_watch_codelets(struct live_codelet *out)
{
	unsigned n = 0;
	for (unsigned w = 0; w < rt_machine.n_workers; w++) {
		for (unsigned i = 0; i < LIVE_CODELETS; i++) {
			struct slot *s = &lanes[w].slots[i];
			if (!weft_load_u64(&s->key))
				break;
			struct live_codelet *c = &out[find_codelet(out, &n, s->name)];
			c->tasks += weft_load_u64(&s->tasks);
			c->time_ns += weft_load_u64(&s->time_ns);
		}
	}
	return n;
}
