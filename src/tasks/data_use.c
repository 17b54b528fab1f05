/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes, places and the curve. Memory rows and states of copies are taken by time; what is still open when the trace, or the
 * datum's life, ends lasts until then. The allocated amount is the runtime's own counter, whichever thread has recorded it.
 */
#include "data_use_priv.h"
#include "base/map.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static int by_number(const void *a, const void *b)
{
	const struct weft_use_node *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	                                : (x->number > y->number) - (x->number < y->number);
}

struct nodes {
	WEFT_VEC(struct weft_use_node) at;
	struct weft_map known;
};

static int add_node(struct nodes *n, uint32_t process, uint32_t number)
{
	uint64_t at, key = (uint64_t)process << 32 | number;
	if (number >= USE_NODES_MOST || weft_map_get(&n->known, key, &at))
		return 0;
	if (weft_vec_push(&n->at, (struct weft_use_node){.process = process, .number = number, .name = "", .kind = ""}))
		return -ENOMEM;
	return weft_map_put(&n->known, key, n->at.n - 1);
}

static int find_nodes(const struct weft_tasks *t, struct nodes *n)
{
	int rc = 0;
	for (uint32_t i = 0; i < t->n_nodes && !rc; i++) {
		size_t had = n->at.n;
		rc = add_node(n, t->node[i].process, t->node[i].number);
		if (!rc && n->at.n > had) {
			n->at.at[had].name = t->node[i].name;
			n->at.at[had].kind = t->node[i].kind;
		}
	}
	for (uint32_t i = 0; i < t->n_workers && !rc; i++)
		rc = add_node(n, t->worker[i].process, t->worker[i].node);
	for (uint32_t i = 0; i < t->n_memory && !rc; i++)
		rc = add_node(n, t->memory[i].process, t->memory[i].node);
	for (uint32_t i = 0; i < t->n_data && !rc; i++)
		rc = t->data[i].home < 0 ? 0 : add_node(n, t->data[i].process, (uint32_t)t->data[i].home);
	for (uint32_t i = 0; i < 2 * t->n_copies && !rc; i++) {
		const struct weft_tasks_copy *c = &t->copy[i / 2];
		rc = use_is_copy(c) ? add_node(n, c->process, i % 2 ? c->to : c->from) : 0;
	}
	return rc;
}

static int make_nodes(struct weft_use *u)
{
	struct nodes n = {0};
	int rc = find_nodes(u->tasks, &n);
	if (n.at.n)
		qsort(n.at.at, n.at.n, sizeof *n.at.at, by_number);
	u->node = n.at.at;
	u->n_nodes = (uint32_t)n.at.n;
	weft_map_fini(&n.known);
	return rc;
}

uint32_t use_node(const struct weft_use *u, uint32_t process, uint32_t number)
{
	struct weft_use_node key = {.process = process, .number = number};
	const struct weft_use_node *at = u->n_nodes ? bsearch(&key, u->node, u->n_nodes, sizeof key, by_number) : NULL;
	return at ? (uint32_t)(at - u->node) : WEFT_TASKS_NO_ONE;
}

/* ---- the curve ---- */

enum change { ALLOCATED, MANAGED, HOME };
struct change_at {
	uint64_t time;
	int64_t by; /* of ALLOCATED: the value itself */
	uint32_t node;
	uint8_t what;
};
struct changes {
	WEFT_VEC(struct change_at) at;
};

static int by_time(const void *a, const void *b)
{
	const struct change_at *x = a, *y = b;
	return x->time != y->time   ? (x->time > y->time) - (x->time < y->time)
	       : x->what != y->what ? (x->what > y->what) - (x->what < y->what)
	                            : (x->by > y->by) - (x->by < y->by);
}

/* What a counter is of: "memory in use, node 3". -1: of nothing here. */
static int64_t counted_node(const char *name)
{
	static const char head[] = "memory in use, node ";
	if (strncmp(name, head, sizeof head - 1) != 0)
		return -1;
	char *end;
	unsigned long n = strtoul(name + sizeof head - 1, &end, 10);
	return *end || end == name + sizeof head - 1 || n >= USE_NODES_MOST ? -1 : (int64_t)n;
}

struct counters {
	int64_t *node; /* by counter */
	uint32_t n;
};
static bool is_counted(const void *arg, uint32_t what)
{
	const struct counters *c = arg;
	return weft_what_kind(what) == WEFT_EV_COUNTER && weft_what_id(what) < c->n && c->node[weft_what_id(what)] >= 0;
}

static int read_thread(const struct weft_use *u, const struct counters *counters, uint32_t thread, struct changes *out)
{
	const struct weft_trace *t = u->tasks->trace;
	struct weft_choice choice = {is_counted, counters};
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER);
	while (!rc && (rc = weft_cursor_next_of(&c, &choice, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			int64_t number = counters->node[weft_what_id(b.what[i])], value = (int64_t)b.value[i];
			uint32_t node = use_node(u, t->thread[thread].process, (uint32_t)number);
			if (node != WEFT_TASKS_NO_ONE)
				rc = weft_vec_push(&out->at,
				                   (struct change_at){b.time[i], value > 0 ? value : 0, node, ALLOCATED});
		}
	}
	weft_cursor_end(&c);
	return rc;
}

static int read_counters(const struct weft_use *u, struct changes *out)
{
	const struct weft_trace *t = u->tasks->trace;
	const struct weft_def_table *d = &t->def[WEFT_CLASS_COUNTER];
	struct counters c = {malloc((d->n + 1u) * sizeof *c.node), d->n};
	int rc = c.node ? 0 : -ENOMEM;
	bool any = false;
	for (uint32_t i = 0; i < d->n && !rc; i++) {
		c.node[i] = i ? counted_node(d->at[i].name) : -1;
		any |= c.node[i] >= 0;
	}
	for (uint32_t i = 0; i < t->n_threads && !rc && any; i++)
		rc = read_thread(u, &c, i, out);
	free(c.node);
	return rc;
}

static int add_change(struct changes *out, uint64_t time, uint32_t node, enum change what, int64_t by)
{
	if (time == WEFT_NEVER || node == WEFT_TASKS_NO_ONE || !by)
		return 0;
	return weft_vec_push(&out->at, (struct change_at){time, by, node, (uint8_t)what});
}

static int find_changes(const struct weft_use *u, struct changes *out)
{
	const struct weft_tasks *t = u->tasks;
	int rc = read_counters(u, out);
	for (uint32_t i = 0; i < t->n_memory && !rc; i++) {
		const struct weft_tasks_memory *m = &t->memory[i];
		int64_t by = (int64_t)m->bytes;
		rc = add_change(out, m->end, use_node(u, m->process, m->node), MANAGED, m->frees ? -by : by);
	}
	for (uint32_t i = 0; i < t->n_data && !rc; i++) {
		const struct weft_tasks_data *d = &t->data[i];
		if (d->home < 0 || d->parent)
			continue;
		uint32_t node = use_node(u, d->process, (uint32_t)d->home);
		rc = add_change(out, d->from, node, HOME, (int64_t)d->bytes);
		rc = rc ? rc : add_change(out, d->until, node, HOME, -(int64_t)d->bytes);
	}
	return rc;
}

struct now {
	int64_t of[3];
	uint64_t since;
	double area; /* bytes times ns */
};

static void take_change(struct weft_use_node *n, struct now *now, const struct change_at *c)
{
	if (c->what == ALLOCATED) {
		now->area += (double)now->of[ALLOCATED] * (double)(c->time - now->since);
		now->since = c->time;
		now->of[ALLOCATED] = c->by;
	} else {
		now->of[c->what] += c->by;
		now->of[c->what] = now->of[c->what] > 0 ? now->of[c->what]
		                                        : 0; /* what was there before recording began is freed */
	}
	if ((uint64_t)now->of[ALLOCATED] > n->most_allocated) {
		n->most_allocated = (uint64_t)now->of[ALLOCATED];
		n->allocated_at = c->time;
	}
	if ((uint64_t)now->of[MANAGED] > n->most_managed) {
		n->most_managed = (uint64_t)now->of[MANAGED];
		n->managed_at = c->time;
	}
	if ((uint64_t)now->of[HOME] > n->most_home)
		n->most_home = (uint64_t)now->of[HOME];
}

static int make_curve(struct weft_use *u)
{
	struct changes all = {0};
	uint64_t end = u->tasks->trace->end;
	struct now *now = calloc(u->n_nodes + 1u, sizeof *now);
	int rc = now ? find_changes(u, &all) : -ENOMEM;
	if (all.at.n)
		qsort(all.at.at, all.at.n, sizeof *all.at.at, by_time);
	u->point = rc ? NULL : malloc((all.at.n + 1) * sizeof *u->point);
	rc = rc || u->point ? rc : -ENOMEM;
	for (size_t i = 0; i < all.at.n && !rc; i++) {
		const struct change_at *c = &all.at.at[i];
		struct now *n = &now[c->node];
		take_change(&u->node[c->node], n, c);
		u->point[u->n_points++] = (struct weft_use_point){.time = c->time,
		                                                  .allocated = (uint64_t)n->of[ALLOCATED],
		                                                  .managed = (uint64_t)n->of[MANAGED],
		                                                  .home = (uint64_t)n->of[HOME],
		                                                  .node = c->node};
	}
	for (uint32_t i = 0; i < u->n_nodes && !rc && end; i++) {
		double area = now[i].area + (double)now[i].of[ALLOCATED] * (double)(end > now[i].since ? end - now[i].since : 0);
		u->node[i].mean_allocated = (uint64_t)(area / (double)end + 0.5);
	}
	free(all.at.at);
	free(now);
	return rc;
}

/* ---- places ---- */

struct places {
	WEFT_VEC(struct weft_use_place) at;
	struct weft_map known;
};

static int place_of(struct places *p, uint32_t data, uint32_t node, struct weft_use_place **out)
{
	uint64_t at, key = (uint64_t)data << 32 | node;
	if (!weft_map_get(&p->known, key, &at)) {
		struct weft_use_place made = {.data = data,
		                              .node = node,
		                              .allocated_since = WEFT_NEVER,
		                              .valid_since = WEFT_NEVER};
		at = p->at.n;
		if (weft_vec_push(&p->at, made) || weft_map_put(&p->known, key, at))
			return -ENOMEM;
	}
	*out = &p->at.at[at];
	return 0;
}

static void close_span(uint64_t *since, uint64_t *sum, uint64_t time)
{
	if (*since != WEFT_NEVER && time > *since)
		*sum += time - *since;
	*since = WEFT_NEVER;
}

/* The program's own memory, with a value in it. */
static int place_homes(struct weft_use *u, struct places *p)
{
	const struct weft_tasks *t = u->tasks;
	struct weft_use_place *at;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_data && !rc; i++) {
		uint32_t node = t->data[i].home < 0 ? WEFT_TASKS_NO_ONE
		                                    : use_node(u, t->data[i].process, (uint32_t)t->data[i].home);
		if (node == WEFT_TASKS_NO_ONE)
			continue;
		rc = place_of(p, i, node, &at);
		if (!rc)
			at->allocated_since = at->valid_since = t->data[i].from;
	}
	return rc;
}

static int place_memory(struct weft_use *u, struct places *p, const struct weft_tasks_memory *m)
{
	uint32_t node = use_node(u, m->process, m->node), data = weft_tasks_data_at(u->tasks, m->process, m->handle, m->begin);
	struct weft_use_place *at;
	if (node == WEFT_TASKS_NO_ONE)
		return 0;
	struct weft_use_node *n = &u->node[node];
	if (m->frees) {
		n->frees++;
		n->kept += m->cached;
	} else {
		n->refused += !m->bytes;
		n->allocations += m->bytes != 0;
		n->reused += m->bytes && m->cached;
	}
	if (data == WEFT_TASKS_NO_ONE || (!m->bytes && !m->frees))
		return 0;
	int rc = place_of(p, data, node, &at);
	if (rc)
		return rc;
	if (m->frees) {
		close_span(&at->allocated_since, &at->allocated_ns, m->begin);
		at->freed = m->begin;
		return 0;
	}
	at->allocations++;
	at->reused += m->cached;
	u->data[data].allocations++;
	u->data[data].reused += m->cached;
	at->allocated_since = at->allocated_since == WEFT_NEVER ? m->end : at->allocated_since;
	return 0;
}

static int place_event(struct weft_use *u, struct places *p, const struct weft_tasks_event *e)
{
	uint32_t node = e->node == WEFT_TASKS_NO_ONE ? WEFT_TASKS_NO_ONE : use_node(u, e->process, e->node);
	uint32_t data = weft_tasks_data_at(u->tasks, e->process, e->handle, e->time);
	struct weft_use_place *at;
	if (node == WEFT_TASKS_NO_ONE || data == WEFT_TASKS_NO_ONE || e->fate == WEFT_TASKS_WONT_USE)
		return 0;
	int rc = place_of(p, data, node, &at);
	if (!rc && e->fate == WEFT_TASKS_INVALID)
		close_span(&at->valid_since, &at->valid_ns, e->time);
	else if (!rc && at->valid_since == WEFT_NEVER)
		at->valid_since = e->time;
	return rc;
}

static int by_datum(const void *a, const void *b)
{
	const struct weft_use_place *x = a, *y = b;
	return x->data != y->data ? (x->data > y->data) - (x->data < y->data) : (x->node > y->node) - (x->node < y->node);
}

static int find_places(struct weft_use *u, struct places *p)
{
	const struct weft_tasks *t = u->tasks;
	struct weft_use_place *at;
	int rc = place_homes(u, p);
	for (uint32_t i = 0; i < t->n_memory && !rc; i++)
		rc = place_memory(u, p, &t->memory[i]);
	for (uint32_t i = 0; i < t->n_events && !rc; i++)
		rc = place_event(u, p, &t->event[i]);
	for (uint32_t i = 0; i < t->n_copies && !rc; i++) {
		uint32_t data = use_is_copy(&t->copy[i]) ? use_data_of(u, &t->copy[i]) : WEFT_TASKS_NO_ONE;
		if (data == WEFT_TASKS_NO_ONE)
			continue;
		rc = place_of(p, data, use_node(u, t->copy[i].process, t->copy[i].to), &at);
		if (!rc)
			use_add(&at->in, &t->copy[i]);
	}
	return rc;
}

static int make_places(struct weft_use *u)
{
	struct places p = {0};
	int rc = find_places(u, &p);
	for (size_t i = 0; i < p.at.n; i++) {
		struct weft_use_place *at = &p.at.at[i];
		uint64_t until = u->tasks->data[at->data].until;
		until = until < u->tasks->trace->end ? until : u->tasks->trace->end;
		close_span(&at->allocated_since, &at->allocated_ns, until);
		bool is_freed = at->valid_since != WEFT_NEVER &&
		                at->freed > at->valid_since; /* with its value, at the datum's end */
		close_span(&at->valid_since, &at->valid_ns, is_freed && at->freed < until ? at->freed : until);
	}
	if (p.at.n)
		qsort(p.at.at, p.at.n, sizeof *p.at.at, by_datum);
	for (size_t i = p.at.n; i-- > 0;) {
		u->data[p.at.at[i].data].first_place = (uint32_t)i;
		u->data[p.at.at[i].data].n_places++;
	}
	u->place = p.at.at;
	u->n_places = (uint32_t)p.at.n;
	weft_map_fini(&p.known);
	return rc;
}

/* ---- accesses ---- */

static void count_access(struct weft_use_data *d, uint32_t does)
{
	uint64_t *of = does & WEFT_TASKS_SCRATCH                        ? &d->scratches
	               : does & WEFT_TASKS_REDUX                        ? &d->reductions
	               : (does & WEFT_TASKS_R) && (does & WEFT_TASKS_W) ? &d->updates
	               : does & WEFT_TASKS_W                            ? &d->writes
	                                                                : &d->reads;
	++*of;
}

static void count_accesses(struct weft_use *u)
{
	const struct weft_tasks *t = u->tasks;
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->task[i].n_accesses; k++) {
			const struct weft_tasks_access *a = &t->access[t->task[i].accesses + k];
			if (a->data < t->n_data)
				count_access(&u->data[a->data], a->does);
		}
}

int weft_use_compute(const struct weft_tasks *t, struct weft_use *out)
{
	*out = (struct weft_use){.tasks = t};
	out->data = calloc(t->n_data + 1u, sizeof *out->data);
	int rc = out->data ? make_nodes(out) : -ENOMEM;
	if (!rc)
		rc = make_curve(out);
	if (!rc)
		rc = make_places(out);
	if (!rc)
		rc = use_copies(out);
	if (!rc)
		rc = use_trips(out);
	if (!rc)
		count_accesses(out);
	return rc;
}

void weft_use_fini(struct weft_use *u)
{
	free(u->node);
	free(u->point);
	free(u->place);
	free(u->data);
	free(u->cause);
	free(u->way);
	free(u->trip);
	*u = (struct weft_use){0};
}
