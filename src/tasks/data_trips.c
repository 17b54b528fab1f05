/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: by cause, by way, of each datum; and trips. A trip is a copy of a datum from B to A when the last one that brought it to B
 * came from A. What comes home because the program unregisters it is none: it must.
 */
#include "data_use_priv.h"
#include "base/map.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t use_data_of(const struct weft_use *u, const struct weft_tasks_copy *c)
{
	return c->by_interface ? WEFT_TASKS_NO_ONE : weft_tasks_data_at(u->tasks, c->process, c->handle, c->submit);
}

static int by_bytes(const void *a, const void *b)
{
	const struct weft_use_cause *x = a, *y = b;
	return x->copies.bytes != y->copies.bytes ? (x->copies.bytes < y->copies.bytes) - (x->copies.bytes > y->copies.bytes)
	                                          : (x->cause > y->cause) - (x->cause < y->cause);
}

static int by_way(const void *a, const void *b)
{
	const struct weft_use_way *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	       : x->from != y->from     ? (x->from > y->from) - (x->from < y->from)
	                                : (x->to > y->to) - (x->to < y->to);
}

struct sums {
	WEFT_VEC(struct weft_use_cause) cause;
	WEFT_VEC(struct weft_use_way) way;
	struct weft_map causes, ways;
};

static int add_copy(struct weft_use *u, struct sums *s, const struct weft_tasks_copy *c)
{
	uint64_t cause, way, key = (uint64_t)c->process << 32 | c->from << 16 | c->to;
	if (!weft_map_get(&s->causes, c->cause, &cause)) {
		cause = s->cause.n;
		if (weft_vec_push(&s->cause, (struct weft_use_cause){.cause = c->cause}) ||
		    weft_map_put(&s->causes, c->cause, cause))
			return -ENOMEM;
	}
	if (!weft_map_get(&s->ways, key, &way)) {
		way = s->way.n;
		if (weft_vec_push(&s->way, (struct weft_use_way){.process = c->process, .from = c->from, .to = c->to}) ||
		    weft_map_put(&s->ways, key, way))
			return -ENOMEM;
	}
	use_add(&s->cause.at[cause].copies, c);
	use_add(&s->way.at[way].copies, c);
	if (c->asked != WEFT_NEVER && c->asked <= c->end) {
		s->cause.at[cause].waited_ns += c->end - c->asked;
		s->cause.at[cause].n_waited++;
	}
	uint32_t from = use_node(u, c->process, c->from), to = use_node(u, c->process, c->to), data = use_data_of(u, c);
	use_add(&u->node[from].out, c);
	use_add(&u->node[to].in, c);
	u->node[from].evicted += strcmp(weft_tasks_text(u->tasks, c->cause), "reclaim") == 0;
	if (data != WEFT_TASKS_NO_ONE)
		use_add(&u->data[data].copies, c);
	return 0;
}

int use_copies(struct weft_use *u)
{
	struct sums s = {0};
	int rc = 0;
	for (uint32_t i = 0; i < u->tasks->n_copies && !rc; i++)
		if (use_is_copy(&u->tasks->copy[i]))
			rc = add_copy(u, &s, &u->tasks->copy[i]);
	if (s.cause.n)
		qsort(s.cause.at, s.cause.n, sizeof *s.cause.at, by_bytes);
	if (s.way.n)
		qsort(s.way.at, s.way.n, sizeof *s.way.at, by_way);
	u->cause = s.cause.at;
	u->n_causes = (uint32_t)s.cause.n;
	u->way = s.way.at;
	u->n_ways = (uint32_t)s.way.n;
	weft_map_fini(&s.causes);
	weft_map_fini(&s.ways);
	return rc;
}

/* ---- trips ---- */

struct moved {
	uint64_t end;
	uint32_t data, copy;
};

static int by_datum(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;
	return x->data != y->data ? (x->data > y->data) - (x->data < y->data)
	       : x->end != y->end ? (x->end > y->end) - (x->end < y->end)
	                          : (x->copy > y->copy) - (x->copy < y->copy);
}

static int find_trips(struct weft_use *u, const struct moved *m, uint32_t n, uint32_t *last)
{
	const struct weft_tasks_copy *copy = u->tasks->copy;
	for (uint32_t i = 0; i < n; i++) {
		const struct weft_tasks_copy *c = &copy[m[i].copy];
		if (!i || m[i].data != m[i - 1].data)
			memset(last, 0xff, u->n_nodes * sizeof *last);
		uint32_t from = use_node(u, c->process, c->from), to = use_node(u, c->process, c->to), there = last[from];
		last[to] = m[i].copy;
		if (there == WEFT_TASKS_NO_ONE || copy[there].from != c->to ||
		    strcmp(weft_tasks_text(u->tasks, c->cause), "unregister") == 0)
			continue;
		u->trip[u->n_trips++] = (struct weft_use_trip){m[i].data, there, m[i].copy};
		use_add(&u->data[m[i].data].returned, c);
	}
	return 0;
}

int use_trips(struct weft_use *u)
{
	const struct weft_tasks *t = u->tasks;
	struct moved *m = malloc((t->n_copies + 1u) * sizeof *m);
	uint32_t *last = malloc((u->n_nodes + 1u) * sizeof *last), n = 0;
	u->trip = malloc((t->n_copies + 1u) * sizeof *u->trip);
	int rc = m && last && u->trip ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < t->n_copies && !rc; i++) {
		uint32_t data = use_is_copy(&t->copy[i]) ? use_data_of(u, &t->copy[i]) : WEFT_TASKS_NO_ONE;
		if (data != WEFT_TASKS_NO_ONE)
			m[n++] = (struct moved){t->copy[i].end, data, i};
	}
	if (n)
		qsort(m, n, sizeof *m, by_datum);
	rc = rc ? rc : find_trips(u, m, n, last);
	free(m);
	free(last);
	return rc;
}
