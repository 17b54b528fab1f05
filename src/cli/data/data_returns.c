/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that were moved back and forth: each trip (A -> B -> A), and trips of a datum between two nodes together, the most bytes first:
 * what would be spared if the tasks that asked for them ran where the datum was.
 */
#include "data_tables.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELL_TEXT(z) \
	(struct weft_cell) \
	{ \
		WEFT_CELL_TEXT, \
		{ \
			.text = (z) \
		} \
	}
static struct weft_cell value(enum weft_cell_kind kind, uint64_t v)
{
	return (struct weft_cell){kind, {.u64 = v}};
}

static const char *called(const struct data_view *v, uint32_t task)
{
	return task == WEFT_TASKS_NO_ONE ? "" : weft_tasks_called(&v->tasks, &v->tasks.task[task]);
}

/* ---- trips ---- */

static int compare_trips(const void *a, const void *b, void *arg)
{
	const struct data_view *v = arg;
	const struct weft_tasks_copy *x = &v->tasks.copy[((const struct weft_use_trip *)a)->back];
	const struct weft_tasks_copy *y = &v->tasks.copy[((const struct weft_use_trip *)b)->back];
	return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : (x->end > y->end) - (x->end < y->end);
}

static struct weft_cell task_number(const struct data_view *v, uint32_t task)
{
	return task == WEFT_TASKS_NO_ONE ? (struct weft_cell){WEFT_CELL_NONE, {0}}
	                                 : value(WEFT_CELL_U64, v->tasks.task[task].number);
}

static int trip_row(struct data_view *v, struct weft_table *t, const struct data_table *self, const struct weft_use_trip *trip)
{
	const struct weft_tasks_copy *there = &v->tasks.copy[trip->there], *back = &v->tasks.copy[trip->back];
	char handle[DATA_TEXT], name[DATA_TEXT];
	data_handle(v, trip->data, handle);
	data_name(v, trip->data, name);
	struct weft_cell cell[] = {
		value(WEFT_CELL_U64, back->process + 1u),
		CELL_TEXT(handle),
		CELL_TEXT(v->people ? name : weft_tasks_text(&v->tasks, v->tasks.data[trip->data].name)),
		value(WEFT_CELL_NS, back->end),
		value(WEFT_CELL_U64, back->to),
		value(WEFT_CELL_U64, back->from),
		value(WEFT_CELL_NS, back->end - there->end),
		value(WEFT_CELL_BYTES, back->bytes),
		value(WEFT_CELL_NS, back->end - back->start),
		CELL_TEXT(weft_tasks_text(&v->tasks, there->cause)),
		task_number(v, there->task),
		CELL_TEXT(called(v, there->task)),
		CELL_TEXT(weft_tasks_text(&v->tasks, back->cause)),
		task_number(v, back->task),
		CELL_TEXT(called(v, back->task)),
	};
	return sizeof cell / sizeof *cell == self->n_columns ? data_row(v, t, self, cell) : -EINVAL;
}

int data_make_trips(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	int rc = 0;
	if (v->use.n_trips)
		qsort_r(v->use.trip, v->use.n_trips, sizeof *v->use.trip, compare_trips, v);
	for (uint32_t i = 0; i < v->use.n_trips && !rc; i++)
		if (data_matches(v, v->use.trip[i].data) && data_shows(v))
			rc = trip_row(v, t, self, &v->use.trip[i]);
	return rc;
}

/* ---- together ---- */

enum { PAIRS = 8 };
struct pair { /* of names of tasks: how often */
	const char *there, *back;
	uint64_t n;
};
struct group {
	uint32_t data, node, other; /* node < other */
	struct weft_use_copies copies;
	uint64_t first, last;
	struct pair pair[PAIRS]; /* the first kinds that came */
	unsigned n_pairs;
};
struct groups {
	WEFT_VEC(struct group) at;
};

static void add_pair(struct group *g, const char *there, const char *back)
{
	unsigned i = 0;
	while (i < g->n_pairs && (strcmp(g->pair[i].there, there) != 0 || strcmp(g->pair[i].back, back) != 0))
		i++;
	if (i == PAIRS)
		return;
	if (i == g->n_pairs)
		g->pair[g->n_pairs++] = (struct pair){there, back, 0};
	g->pair[i].n++;
}

/* Trips of a datum stand together, so its groups are the last ones. */
static struct group *group_of(struct groups *g, uint32_t data, uint32_t node, uint32_t other)
{
	for (size_t i = g->at.n; i-- > 0 && g->at.at[i].data == data;)
		if (g->at.at[i].node == node && g->at.at[i].other == other)
			return &g->at.at[i];
	if (weft_vec_push(&g->at, (struct group){.data = data, .node = node, .other = other, .first = WEFT_NEVER}))
		return NULL;
	return &g->at.at[g->at.n - 1];
}

static int add_trip(struct data_view *v, struct groups *groups, const struct weft_use_trip *trip)
{
	const struct weft_tasks_copy *there = &v->tasks.copy[trip->there], *back = &v->tasks.copy[trip->back];
	uint32_t low = back->to < back->from ? back->to : back->from, high = back->to < back->from ? back->from : back->to;
	struct group *g = group_of(groups, trip->data, low, high);
	if (!g)
		return -ENOMEM;
	g->copies.n++;
	g->copies.bytes += back->bytes;
	g->copies.ns += back->end - back->start;
	g->first = back->end < g->first ? back->end : g->first;
	g->last = back->end > g->last ? back->end : g->last;
	add_pair(g, called(v, there->task), called(v, back->task));
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return x->copies.bytes != y->copies.bytes ? (x->copies.bytes < y->copies.bytes) - (x->copies.bytes > y->copies.bytes)
	       : x->copies.ns != y->copies.ns     ? (x->copies.ns < y->copies.ns) - (x->copies.ns > y->copies.ns)
	                                          : (x->first > y->first) - (x->first < y->first);
}

static int group_row(struct data_view *v, struct weft_table *t, const struct data_table *self, const struct group *g)
{
	char handle[DATA_TEXT], name[DATA_TEXT];
	const struct pair *most = &g->pair[0];
	for (unsigned i = 1; i < g->n_pairs; i++)
		most = g->pair[i].n > most->n ? &g->pair[i] : most;
	data_handle(v, g->data, handle);
	data_name(v, g->data, name);
	struct weft_cell cell[] = {
		value(WEFT_CELL_U64, v->tasks.data[g->data].process + 1u),
		CELL_TEXT(handle),
		CELL_TEXT(v->people ? name : weft_tasks_text(&v->tasks, v->tasks.data[g->data].name)),
		value(WEFT_CELL_U64, g->node),
		value(WEFT_CELL_U64, g->other),
		value(WEFT_CELL_U64, g->copies.n),
		value(WEFT_CELL_BYTES, g->copies.bytes),
		value(WEFT_CELL_NS, g->copies.ns),
		value(WEFT_CELL_NS, g->first),
		value(WEFT_CELL_NS, g->last),
		CELL_TEXT(most->there),
		CELL_TEXT(most->back),
	};
	return sizeof cell / sizeof *cell == self->n_columns ? data_row(v, t, self, cell) : -EINVAL;
}

int data_make_returns(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	struct groups g = {0};
	int rc = 0;
	for (uint32_t i = 0; i < v->use.n_trips && !rc; i++)
		if (data_matches(v, v->use.trip[i].data))
			rc = add_trip(v, &g, &v->use.trip[i]);
	if (g.at.n)
		qsort(g.at.at, g.at.n, sizeof *g.at.at, compare_groups);
	for (size_t i = 0; i < g.at.n && !rc; i++)
		rc = data_shows(v) ? group_row(v, t, self, &g.at.at[i]) : 0;
	free(g.at.at);
	return rc;
}
