/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph as data for a page: boxes with their places, edges with their bends, tasks as columns in the order of boxes. What `weft graph` puts into
 * a page of its own and what the viewer asks for are the same, so that one script draws both.
 */
#include "graph_out.h"
#include "base/map.h"
#include "base/vec.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHART_PARTS = 350 };

struct page_maker {
	const struct graph_view *v;
	const struct graph_how *how;
	struct weft_json *json;
	struct weft_map place_of;
	WEFT_VEC(const struct weft_tasks_task *) place; /* a task of each file and line */
};

static const struct weft_tasks_task *task_at(const struct page_maker *p, uint32_t node)
{
	return &p->v->tasks->tasks.task[p->v->task[node]];
}

/* ---- the graph ---- */

static void number(struct weft_json *j, double v)
{
	weft_json_double(j, round(v * 10) / 10);
}

static void put_boxes(struct page_maker *p)
{
	const struct graph_view *v = p->v;
	struct weft_json *j = p->json;
	char first[96], second[96];
	weft_json_key(j, "boxes");
	weft_json_array(j);
	for (uint32_t k = 0; k < v->fold.n; k++) {
		const struct weft_fold_group *g = &v->fold.group[k];
		const uint64_t numbers[] = {g->work, g->least, g->most, g->slack, g->critical};
		graph_label(v, k, first, second);
		weft_json_array(j);
		weft_json_u64(j, g->kind);
		weft_json_u64(j, g->first);
		weft_json_u64(j, g->count);
		weft_json_u64(j, v->layout.layer[k]);
		number(j, v->layout.x[k]);
		number(j, v->width[k]);
		weft_json_string(j, first);
		weft_json_string(j, second);
		for (unsigned n = 0; n < 5; n++)
			weft_json_u64(j, numbers[n]);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static int put_edges(struct page_maker *p)
{
	const struct graph_view *v = p->v;
	struct weft_json *j = p->json;
	bool *critical = graph_critical_edges(v);
	if (!critical)
		return -ENOMEM;
	weft_json_key(j, "edges");
	weft_json_array(j);
	for (uint32_t e = 0; e < v->fold.n_edges; e++) {
		const struct weft_fold_edge *x = &v->fold.edge[e];
		weft_json_array(j);
		weft_json_u64(j, x->from);
		weft_json_u64(j, x->to);
		weft_json_u64(j, x->count);
		weft_json_u64(j, critical[e]);
		for (uint64_t k = v->layout.bends[e]; k < v->layout.bends[e + 1]; k++)
			number(j, v->layout.bend[k]);
		weft_json_end(j);
	}
	weft_json_end(j);
	free(critical);
	return 0;
}

static void put_kinds(struct page_maker *p)
{
	char colour[16];
	weft_json_key(p->json, "kinds");
	weft_json_array(p->json);
	for (uint32_t k = 0; k < p->v->n_kinds; k++) {
		snprintf(colour, sizeof colour, "#%06x", (unsigned)p->v->colour[k]);
		weft_json_array(p->json);
		weft_json_string(p->json, p->v->colour[k] ? graph_kind_name(p->v, k) : "");
		weft_json_string(p->json, colour);
		weft_json_end(p->json);
	}
	weft_json_end(p->json);
}

/* ---- tasks: columns, in the order of boxes ---- */

/* Names are few where tasks are many: each once, by its address, which strings of a trace share. */
static int put_names(struct page_maker *p)
{
	struct weft_json *j = p->json;
	struct weft_map at = {0};
	uint32_t *of = malloc(((size_t)p->v->n + 1) * sizeof *of);
	uint64_t id = 0;
	int rc = of ? 0 : -ENOMEM;
	weft_json_key(j, "names");
	weft_json_array(j);
	for (uint32_t k = 0; k < p->v->n && !rc; k++) {
		const char *name = weft_tasks_called(&p->v->tasks->tasks, task_at(p, p->v->fold.member[k]));
		if (!weft_map_get(&at, (uintptr_t)name, &id)) {
			id = at.n;
			rc = weft_map_put(&at, (uintptr_t)name, id);
			weft_json_string(j, name);
		}
		of[k] = (uint32_t)id;
	}
	weft_json_end(j);
	weft_json_key(j, "name_of");
	weft_json_array(j);
	for (uint32_t k = 0; k < p->v->n && !rc; k++)
		weft_json_u64(j, of[k]);
	weft_json_end(j);
	weft_map_fini(&at);
	free(of);
	return rc;
}

/* The number of its file and line; -ENOMEM. */
static int64_t place_number(struct page_maker *p, const struct weft_tasks_task *t)
{
	uint64_t key = (uint64_t)t->file << 32 | t->line, id;
	if (weft_map_get(&p->place_of, key, &id))
		return (int64_t)id;
	id = p->place.n;
	if (weft_map_put(&p->place_of, key, id) || weft_vec_push(&p->place, t))
		return -ENOMEM;
	return (int64_t)id;
}

#define COLUMN(name, ...) \
	static int64_t column_##name(struct page_maker *p, uint32_t node, const struct weft_tasks_task *t) \
	{ \
		(void)p, (void)node, (void)t; \
		return __VA_ARGS__; \
	}
COLUMN(box, p->v->fold.of[node])
COLUMN(number, t->number)
COLUMN(duration, (int64_t)p->v->duration[node])
COLUMN(slack, (int64_t)p->v->paths.slack[node])
COLUMN(worker, t->worker == WEFT_TASKS_NO_ONE ? -1 : (int64_t)t->worker)
COLUMN(place, t->file ? place_number(p, t) : -1)

static const struct {
	const char *name;
	int64_t (*value)(struct page_maker *p, uint32_t node, const struct weft_tasks_task *t);
} columns[] = {
	{"box", column_box},     {"number", column_number}, {"duration", column_duration},
	{"slack", column_slack}, {"worker", column_worker}, {"place", column_place},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int put_tasks(struct page_maker *p)
{
	struct weft_json *j = p->json;
	weft_json_key(j, "tasks");
	weft_json_object(j);
	for (unsigned c = 0; c < COLUMNS; c++) {
		weft_json_key(j, columns[c].name);
		weft_json_array(j);
		for (uint32_t k = 0; k < p->v->n; k++) {
			uint32_t node = p->v->fold.member[k];
			int64_t v = columns[c].value(p, node, task_at(p, node));
			if (v == -ENOMEM)
				return -ENOMEM;
			weft_json_i64(j, v);
		}
		weft_json_end(j);
	}
	weft_json_end(j);
	return 0;
}

static int put_places(struct page_maker *p)
{
	struct weft_json *j = p->json;
	struct weft_buf path = {0}, link = {0};
	weft_json_key(j, "places");
	weft_json_array(j);
	for (size_t k = 0; k < p->place.n; k++) {
		const char *file = weft_tasks_text(&p->v->tasks->tasks, p->place.at[k]->file);
		path.n = link.n = 0;
		graph_path(&path, p->how, file);
		weft_buf_printf(&path, ":%u", p->place.at[k]->line);
		graph_link(&link, p->how, file, p->place.at[k]->line);
		weft_json_array(j);
		weft_json_string_n(j, path.at, path.n);
		weft_json_string_n(j, link.at ? link.at : "", link.n);
		weft_json_end(j);
	}
	weft_json_end(j);
	int rc = path.failed || link.failed ? -ENOMEM : 0;
	weft_buf_fini(&path);
	weft_buf_fini(&link);
	return rc;
}

static void put_workers(struct page_maker *p)
{
	const struct weft_tasks *t = &p->v->tasks->tasks;
	weft_json_key(p->json, "workers");
	weft_json_array(p->json);
	for (uint32_t k = 0; k < t->n_workers; k++)
		weft_json_string(p->json, t->worker[k].name);
	weft_json_end(p->json);
}

static int put_path(struct page_maker *p)
{
	const struct graph_view *v = p->v;
	uint32_t *shown = malloc(((size_t)v->n + 1) * sizeof *shown);
	if (!shown)
		return -ENOMEM;
	for (uint32_t k = 0; k < v->n; k++)
		shown[v->fold.member[k]] = k;
	weft_json_key(p->json, "path");
	weft_json_array(p->json);
	for (uint32_t k = 0; k < v->paths.n_path; k++)
		weft_json_u64(p->json, shown[v->paths.path[k]]);
	weft_json_end(p->json);
	free(shown);
	return 0;
}

/* ---- the rest ---- */

static int put_chart(struct page_maker *p)
{
	double *value[2];
	static const char *const names[] = {"measured", "unlimited"};
	uint64_t span;
	int rc = graph_parallelism(p->v, CHART_PARTS, &value[0], &value[1], &span);
	if (rc)
		return rc;
	weft_json_key(p->json, "chart");
	weft_json_object(p->json);
	weft_json_key(p->json, "span");
	weft_json_u64(p->json, span);
	for (unsigned c = 0; c < 2; c++) {
		weft_json_key(p->json, names[c]);
		weft_json_array(p->json);
		for (unsigned k = 0; k < CHART_PARTS; k++)
			weft_json_double(p->json, round(value[c][k] * 100) / 100);
		weft_json_end(p->json);
		free(value[c]);
	}
	weft_json_end(p->json);
	return 0;
}

static void put_head(struct page_maker *p)
{
	const struct graph_view *v = p->v;
	char title[600], words[300], folded[100] = "Each box is one task.";
	const struct {
		const char *key;
		double value;
	} sizes[] = {{"pitch", GRAPH_LAYER},
	             {"height", GRAPH_BOX},
	             {"layers", v->layout.n_layers},
	             {"width", round(v->layout.width)}};
	graph_title(v, p->how, title, sizeof title);
	graph_words(v, words, sizeof words);
	if (v->by != GRAPH_NONE && v->stride > 1)
		snprintf(folded, sizeof folded, "A box is the equal tasks of %u %ss.", v->stride, graph_by_names[v->by]);
	else if (v->by != GRAPH_NONE)
		snprintf(folded, sizeof folded, "A box is the equal tasks of one %s.", graph_by_names[v->by]);
	const char *const texts[][2] = {{"title", title}, {"words", words}, {"folded", folded}, {"editor", p->how->editor}};
	for (unsigned k = 0; k < 4; k++) {
		weft_json_key(p->json, texts[k][0]);
		weft_json_string(p->json, texts[k][1]);
		weft_json_key(p->json, sizes[k].key);
		weft_json_double(p->json, sizes[k].value);
	}
}

static int put_data(struct page_maker *p)
{
	weft_json_object(p->json);
	put_head(p);
	put_kinds(p);
	put_boxes(p);
	int rc = put_edges(p);
	rc = rc ? rc : put_names(p);
	rc = rc ? rc : put_tasks(p);
	rc = rc ? rc : put_places(p);
	put_workers(p);
	rc = rc ? rc : put_path(p);
	rc = rc ? rc : put_chart(p);
	if (!rc)
		weft_json_end(p->json);
	return rc;
}

int graph_data(struct weft_json *j, const struct graph_view *v, const struct graph_how *how)
{
	struct page_maker p = {.v = v, .how = how, .json = j};
	int rc = put_data(&p);
	weft_map_fini(&p.place_of);
	free(p.place.at);
	return rc;
}
