/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From lanes to appenders. A file in order of time makes one sequence of events, sorted, in which the ends that waited since
 * earlier chunks are put where they belong. Where a lane begins before what its thread already has, the builder will sort; only
 * the cpu needs care: such an event is put between two changes of cpu, to its own and back to what is in force at that time.
 */
#include "prv_tail.h"
#include "trace/store/builder.h"
#include <errno.h>
#include <stdlib.h>

void prv_tail_fini(struct prv_tail *t)
{
	free(t->history.at);
	free(t->end.at);
	*t = (struct prv_tail){.to = NULL};
}

_Static_assert(WEFT_EV_SEND % 2 == 0 && WEFT_EV_RECV == WEFT_EV_SEND + 1, "one compare finds both");

static inline bool is_send_or_recv(uint32_t what)
{
	return what >> 25 == WEFT_EV_SEND / 2;
}

/* -- one event -- */

static int give(struct prv_tail *t, uint64_t time, uint32_t what, uint64_t value)
{
	if (is_send_or_recv(what))
		return weft_append_end(t->to, value, weft_what_kind(what) == WEFT_EV_SEND);
	return weft_append(t->to, time, what, value);
}

/* The cpu changes, in order. The first that is known counts from the beginning on. */
static int change_cpu(struct prv_tail *t, uint64_t time, uint32_t cpu)
{
	if (t->cpu == cpu)
		return 0;
	if (!t->any)
		time = 0;
	t->cpu = cpu;
	int rc = weft_vec_push(&t->history, (struct prv_cpu_since){time, cpu});
	return rc ? rc : weft_append(t->to, time, weft_what(WEFT_EV_CPU, 0), prv_cpu_value(cpu));
}

static uint32_t cpu_at(const struct prv_tail *t, uint64_t time)
{
	size_t from = 0, to = t->history.n;
	while (from < to) {
		size_t mid = (from + to) / 2;
		if (t->history.at[mid].time <= time)
			from = mid + 1;
		else
			to = mid;
	}
	return from ? t->history.at[from - 1].cpu : 0;
}

/* An event at any time. */
static int give_with_cpu(struct prv_tail *t, uint64_t time, uint32_t what, uint64_t value, uint32_t cpu)
{
	if (time >= t->last) {
		int rc = change_cpu(t, time, cpu);
		t->last = time;
		t->any = true;
		return rc ? rc : give(t, time, what, value);
	}
	uint32_t there = cpu_at(t, time);
	if (there == cpu)
		return give(t, time, what, value);
	int rc = weft_append(t->to, time, weft_what(WEFT_EV_CPU, 0), prv_cpu_value(cpu));
	if (!rc)
		rc = give(t, time, what, value);
	return rc ? rc : weft_append(t->to, time, weft_what(WEFT_EV_CPU, 0), prv_cpu_value(there));
}

static int give_end(struct prv_tail *t, const struct prv_end *e)
{
	return give_with_cpu(t, e->time, e->what, is_send_or_recv(e->what) ? e->message : 0, e->cpu);
}

/* -- a lane -- */

/* Ids of the chunk's own list become the builder's; message numbers of waiting ends too. */
static uint32_t resolved(uint32_t what, const uint32_t *ids)
{
	return what & PRV_NEW_ID ? weft_what(weft_what_kind(what), ids[weft_what_id(what) - PRV_NEW_ID]) : what;
}

static void resolve(struct prv_lane *l, const uint32_t *ids, uint64_t first_message)
{
	for (uint32_t i = 0; ids && i < l->n; i++)
		l->what[i] = resolved(l->what[i], ids);
	for (uint32_t i = l->first_end; i < l->first_end + l->n_ends; i++) {
		struct prv_end *e = &l->end[i];
		if (is_send_or_recv(e->what))
			e->message += (uint32_t)first_message;
		else if (ids)
			e->what = resolved(e->what, ids);
	}
	for (uint32_t i = 0; i < l->n_sends; i++)
		l->value[l->send_at[i]] += first_message;
}

static uint32_t cpu_of_value(uint64_t value)
{
	return value == WEFT_NONE ? 0 : (uint32_t)value + 1;
}

/*
 * Events [from, to) without a CPU event among them, in order, on the lane's cpu there. *sends: how many of the lane's ends of
 * messages have been given.
 */
static int give_stretch(struct prv_tail *t, const struct prv_lane *l, uint32_t from, uint32_t to, uint32_t *sends)
{
	int rc = 0;
	while (from < to && !rc) {
		uint32_t n = *sends < l->n_sends && l->send_at[*sends] < to ? l->send_at[*sends] : to;
		if (n > from)
			rc = builder_append_sorted(t->to, n - from, l->time + from, l->what + from, l->value + from);
		if (!rc && n < to) {
			rc = give(t, l->time[n], l->what[n], l->value[n]);
			n++;
			++*sends;
		}
		from = n;
	}
	return rc;
}

/* The first place in [from, n) whose time is at least `time`. */
static uint32_t place_of(const struct prv_lane *l, uint32_t from, uint64_t time)
{
	uint32_t to = l->n;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (l->time[mid] < time)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* The next CPU event in [from, to), or `to`. */
static uint32_t next_cpu(const struct prv_lane *l, uint32_t from, uint32_t to)
{
	while (from < to && weft_what_kind(l->what[from]) != WEFT_EV_CPU)
		from++;
	return from;
}

/* All of a lane that begins behind what its thread has, with the ends that waited at their places. */
static int give_in_order(struct prv_tail *t, const struct prv_lane *l)
{
	uint32_t at = 0, cpu = PRV_CPU_UNSET, n_cpus = l->n_cpus, sends = 0;
	size_t end = 0;
	int rc = 0;
	while (at < l->n && !rc) {
		while (end < t->end.n && t->end.at[end].time <= l->time[at] && !rc)
			rc = give_end(t, &t->end.at[end++]);
		uint32_t stop = end < t->end.n ? place_of(l, at, t->end.at[end].time) : l->n;
		while (at < stop && !rc) {
			if (weft_what_kind(l->what[at]) == WEFT_EV_CPU) {
				cpu = cpu_of_value(l->value[at]);
				at++;
				n_cpus--;
				continue; /* perhaps an end comes first; its cpu is another */
			}
			uint32_t to = n_cpus ? next_cpu(l, at, stop) : stop;
			rc = change_cpu(t, l->time[at], cpu);
			t->any = true;
			if (!rc)
				rc = give_stretch(t, l, at, to, &sends);
			t->last = l->time[to - 1];
			at = to;
		}
	}
	t->end.n -= end;
	for (size_t i = 0; end && i < t->end.n; i++)
		t->end.at[i] = t->end.at[end + i];
	return rc;
}

static int give_disordered(struct prv_tail *t, const struct prv_lane *l)
{
	uint32_t cpu = 0;
	size_t end = 0;
	int rc = 0;
	/* They are of earlier lines, so they come before the lane's events of the same time. */
	while (!rc && end < t->end.n && t->end.at[end].time <= l->time[l->n - 1])
		rc = give_end(t, &t->end.at[end++]);
	t->end.n -= end;
	for (size_t i = 0; end && i < t->end.n; i++)
		t->end.at[i] = t->end.at[end + i];
	for (uint32_t i = 0; i < l->n && !rc; i++) {
		if (weft_what_kind(l->what[i]) == WEFT_EV_CPU)
			cpu = cpu_of_value(l->value[i]);
		else
			rc = give_with_cpu(t, l->time[i], l->what[i], l->value[i], cpu);
	}
	return rc;
}

/* What the lane leaves waiting goes behind what waits for the same time. */
static int take_ends(struct prv_tail *t, const struct prv_lane *l)
{
	if (weft_vec_reserve(&t->end, t->end.n + l->n_ends))
		return -ENOMEM;
	size_t old = t->end.n, added = l->n_ends, to = old + added;
	t->end.n = to;
	while (added) {
		const struct prv_end *e = &l->end[l->first_end + added - 1];
		if (old && t->end.at[old - 1].time > e->time) {
			t->end.at[--to] = t->end.at[--old];
		} else {
			t->end.at[--to] = *e;
			added--;
		}
	}
	return 0;
}

int prv_tail_append(struct prv_tail *t, struct prv_lane *l, const uint32_t *ids, uint64_t first_message)
{
	resolve(l, ids, first_message);
	int rc = 0;
	if (l->n)
		rc = t->any && l->time[0] < t->last ? give_disordered(t, l) : give_in_order(t, l);
	return rc ? rc : take_ends(t, l);
}

int prv_tail_flush(struct prv_tail *t)
{
	int rc = 0;
	for (size_t i = 0; i < t->end.n && !rc; i++)
		rc = give_end(t, &t->end.at[i]);
	t->end.n = 0;
	return rc;
}
