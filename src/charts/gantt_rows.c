/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: each thread is walked once, its stretches add up in the pixel that they end in; longer ones fill pixels at once. */
#include "gantt.h"
#include "base/map.h"
#include "tasks/tasks_roles.h"
#include "thread_states.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The handbook's colours (4.1.1.2, 4.1.1.4, 4.1.1.7). */
enum { GREEN = 0x2f9e44, NOTHING = 0xf1f3f5, OTHER = 0x9aa3ad };
static const struct {
	enum tasks_role role;
	uint32_t colour;
} colours[] = {
	{TASKS_SLEEPING, 0xe03131},     {TASKS_WAITING, 0xe03131},        {TASKS_FETCHING, 0xd6249f},
	{TASKS_PROGRESSING, 0x0b5d1e},  {TASKS_SCHEDULING, 0xb8860b},     {TASKS_CALLBACK, 0x1b3a93},
	{TASKS_OVERHEAD, 0x954535},     {TASKS_SUBMITTING, 0x800020},     {TASKS_ALLOCATING, 0x800020},
	{TASKS_FREEING, 0x800020},      {TASKS_COPYING, 0x8ce99a},        {TASKS_INTERFACE_COPYING, 0x8ce99a},
	{TASKS_INITIALISING, 0xced4da}, {TASKS_DEINITIALISING, 0xced4da},
};

struct walk {
	struct gantt *g;
	struct tasks_roles roles;
	bool *is_task;
	uint32_t *colour;                    /* of regions */
	uint16_t *paint;                     /* of regions, + 1; 0: not met yet */
	const struct weft_tasks_task **task; /* of the worker, by start */
	uint32_t n_tasks, next;
	uint64_t *sum; /* by paint, in the pixel that is open */
	size_t n_sum;
	uint32_t pixel;
	uint16_t now; /* paint of the stretch */
	struct gantt_row *row;
	bool counts;
};

/* ---- paints ---- */

int gantt_paint(struct gantt *g, struct gantt_paint paint, uint16_t *out)
{
	for (size_t k = 0; k < g->paint.n; k++)
		if (g->paint.at[k].region == paint.region && g->paint.at[k].colour == paint.colour) {
			*out = (uint16_t)k;
			return 0;
		}
	*out = 0;
	if (g->paint.n == UINT16_MAX)
		return 0;
	*out = (uint16_t)g->paint.n;
	return weft_vec_push(&g->paint, paint);
}

static int find_paint(struct gantt *g, uint32_t region, uint32_t colour, uint16_t *out)
{
	const struct weft_def_table *d = &g->tasks->tasks.trace->def[WEFT_CLASS_REGION];
	return gantt_paint(g, (struct gantt_paint){colour, region, region ? d->at[region].name : "in no state", 0}, out);
}

/*
 * Codelets are all computing, so what tells them apart is hue: those of the sets of Tol that colour-blind people tell apart, then lighter ones of
 * the same. A name has its place by its hash, in every chart the same; of two with one place the first in the alphabet keeps it.
 */
static const uint32_t codelet_colours[] = {0x4477aa, 0xcc6677, 0xddaa33, 0x117733, 0x88ccee, 0xaa4499, 0x999933, 0x332288,
                                           0xee7733, 0x44aa99, 0x882255, 0x7f7f7f, 0x99bbdd, 0xe8a8b4, 0xeed58c, 0x77b58b};
enum { CODELET_COLOURS = sizeof codelet_colours / sizeof *codelet_colours };

static uint32_t codelet_colour(const char *name, uint32_t *used)
{
	unsigned at = weft_hash(name, strlen(name)) % 12;
	if (*used == (1u << CODELET_COLOURS) - 1)
		*used = 0;
	while (*used & 1u << at)
		at = (at + 1) % CODELET_COLOURS;
	*used |= 1u << at;
	return codelet_colours[at];
}

static int by_name(const void *a, const void *b, void *defs)
{
	const struct weft_def_row *d = defs;
	return strcmp(d[*(const uint32_t *)a].name, d[*(const uint32_t *)b].name);
}

static int choose_colours(struct walk *w)
{
	const struct weft_def_table *d = &w->g->tasks->tasks.trace->def[WEFT_CLASS_REGION];
	uint32_t *codelet = malloc(((size_t)d->n + 1) * sizeof *codelet), used = 0, n = 0;
	if (!codelet)
		return -ENOMEM;
	for (uint32_t r = 1; r < d->n; r++) {
		w->colour[r] = OTHER;
		for (size_t k = 0; k < sizeof colours / sizeof *colours; k++)
			if (tasks_role(&w->roles, WEFT_CLASS_REGION, r) == colours[k].role)
				w->colour[r] = colours[k].colour;
		if (w->is_task[r])
			codelet[n++] = r;
	}
	qsort_r(codelet, n, sizeof *codelet, by_name, d->at);
	for (uint32_t i = 0; i < n; i++)
		w->colour[codelet[i]] = w->g->by_codelet ? codelet_colour(d->at[codelet[i]].name, &used) : GREEN;
	w->colour[0] = NOTHING;
	free(codelet);
	return 0;
}

/* A task's own colour counts, where it has one. */
static int paint_of(struct walk *w, uint32_t region, uint64_t from, bool begins, uint16_t *out)
{
	if (begins && w->is_task[region]) {
		while (w->next < w->n_tasks && w->task[w->next]->start < from)
			w->next++;
		const struct weft_tasks_task *t = w->next < w->n_tasks ? w->task[w->next] : NULL;
		if (t && t->start == from && t->has_color && !w->g->by_codelet)
			return find_paint(w->g, region, t->color, out);
	}
	if (!begins && w->is_task[region]) {
		*out = w->now;
		return 0;
	}
	if (!w->paint[region]) {
		int rc = find_paint(w->g, region, w->colour[region], out);
		w->paint[region] = (uint16_t)(*out + 1);
		return rc;
	}
	*out = (uint16_t)(w->paint[region] - 1);
	return 0;
}

/* ---- pixels ---- */

static void close_pixel(struct walk *w)
{
	uint16_t best = 0;
	for (size_t k = 1; k < w->n_sum; k++)
		best = w->sum[k] > w->sum[best] ? (uint16_t)k : best;
	w->row->cell[w->pixel] = best;
	memset(w->sum, 0, w->n_sum * sizeof *w->sum);
}

static uint64_t pixel_begin(const struct gantt *g, uint32_t pixel)
{
	return g->from + (uint64_t)((unsigned __int128)(g->to - g->from) * pixel / g->width);
}

static int add_stretch(void *arg, uint32_t region, uint64_t from, uint64_t to, bool begins)
{
	struct walk *w = arg;
	struct gantt *g = w->g;
	int rc = paint_of(w, region, from, begins, &w->now);
	if (!rc && w->n_sum < g->paint.n) {
		uint64_t *sum = realloc(w->sum, g->paint.n * sizeof *sum);
		w->sum = sum ? sum : w->sum;
		for (; sum && w->n_sum < g->paint.n; w->n_sum++)
			sum[w->n_sum] = 0;
		rc = sum ? 0 : -ENOMEM;
	}
	from = from > g->from ? from : g->from;
	to = to < g->to ? to : g->to;
	while (!rc && from < to) {
		uint64_t end = pixel_begin(g, w->pixel + 1);
		uint64_t part = (to < end ? to : end) - (from < end ? from : end);
		w->sum[w->now] += part;
		g->paint.at[w->now].ns += w->counts ? part : 0;
		w->row->task_ns += w->is_task[region] ? part : 0;
		from += part;
		if (from < end || w->pixel + 1 == g->width)
			break;
		close_pixel(w);
		w->pixel++;
	}
	return rc;
}

/* ---- threads ---- */

static int compare_starts(const void *a, const void *b)
{
	const struct weft_tasks_task *x = *(const struct weft_tasks_task *const *)a,
				     *y = *(const struct weft_tasks_task *const *)b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void tasks_of(struct walk *w, uint32_t worker)
{
	const struct weft_tasks *t = &w->g->tasks->tasks;
	w->n_tasks = w->next = 0;
	for (uint32_t i = 0; i < t->n && worker != WEFT_TASKS_NO_ONE; i++)
		if (t->task[i].worker == worker && t->task[i].start != WEFT_NEVER && t->task[i].has_color)
			w->task[w->n_tasks++] = &t->task[i];
	if (w->n_tasks)
		qsort(w->task, w->n_tasks, sizeof *w->task, compare_starts);
}

static int add_row(struct walk *w, const char *label, uint32_t thread, uint32_t worker)
{
	struct gantt *g = w->g;
	bool works = worker != WEFT_TASKS_NO_ONE;
	struct gantt_row row = {.cell = calloc(g->width, sizeof *row.cell),
	                        .kind = works ? GANTT_WORKER : GANTT_THREAD,
	                        .of = works ? worker : thread};
	snprintf(row.label, sizeof row.label, "%.60s", label);
	if (!row.cell || weft_vec_push(&g->row, row)) {
		free(row.cell);
		return -ENOMEM;
	}
	w->row = &g->row.at[g->row.n - 1];
	w->pixel = 0;
	w->now = 0;
	w->counts = works;
	memset(w->sum, 0, w->n_sum * sizeof *w->sum);
	tasks_of(w, worker);
	int rc = thread_states(g->tasks->tasks.trace, thread, w->is_task, g->to, add_stretch, w);
	if (!rc && w->n_sum)
		close_pixel(w);
	return rc;
}

/* Of several programs the number of its own stands before. */
static const char *worker_label(const struct weft_tasks *t, uint32_t worker, char *out, size_t n)
{
	const struct weft_tasks_worker *w = &t->worker[worker];
	bool several = t->worker[0].process != t->worker[t->n_workers - 1].process;
	if (several)
		snprintf(out, n, "%u: %s", w->process, w->name);
	else
		snprintf(out, n, "%s", w->name);
	return out;
}

static int add_rows(struct walk *w)
{
	const struct weft_tasks *t = &w->g->tasks->tasks;
	char label[64];
	bool *submits = calloc((size_t)t->trace->n_threads + 1, sizeof *submits);
	int rc = submits ? 0 : -ENOMEM;
	for (uint32_t k = 0; k < t->n_workers && !rc; k++)
		rc = add_row(w, worker_label(t, k, label, sizeof label), t->worker[k].thread, k);
	for (uint32_t i = 0; i < t->n && !rc; i++)
		if (t->task[i].submitter < t->trace->n_threads)
			submits[t->task[i].submitter] = true;
	for (uint32_t k = 0; k < t->n_workers && !rc; k++)
		submits[t->worker[k].thread] = false;
	for (uint32_t k = 0; k < t->trace->n_threads && !rc; k++)
		if (submits[k])
			rc = add_row(w, *t->trace->thread[k].name ? t->trace->thread[k].name : "main", k, WEFT_TASKS_NO_ONE);
	free(submits);
	return rc;
}

int gantt_range(struct gantt *g, const char *range, struct weft_err *err)
{
	const struct weft_trace *t = g->tasks->tasks.trace;
	int rc = 0;
	g->from = WEFT_NEVER;
	for (uint32_t i = 0; i < g->tasks->tasks.n; i++) {
		const struct weft_tasks_task *task = &g->tasks->tasks.task[i];
		uint64_t first = task->submit != WEFT_NEVER ? task->submit : task->start;
		g->from = first < g->from ? first : g->from;
		g->to = task->end != WEFT_NEVER && task->end > g->to ? task->end : g->to;
	}
	g->from = g->from == WEFT_NEVER ? 0 : g->from;
	g->to = g->to > g->from ? g->to : t->end;
	if (range && (rc = weft_time_range(range, t->end, &g->from, &g->to, err)))
		return rc;
	g->to = g->to < t->end ? g->to : t->end;
	if (g->to > g->from)
		return 0;
	return weft_err_set(err, -ERANGE, "'%s' has nothing in this range of time", t->path);
}

int gantt_compute(struct gantt *g)
{
	const struct weft_tasks *t = &g->tasks->tasks;
	uint32_t n = t->trace->def[WEFT_CLASS_REGION].n;
	struct walk w = {.g = g,
	                 .is_task = calloc((size_t)n + 1, sizeof *w.is_task),
	                 .colour = calloc((size_t)n + 1, sizeof *w.colour),
	                 .paint = calloc((size_t)n + 1, sizeof *w.paint),
	                 .task = calloc((size_t)t->n + 1, sizeof *w.task),
	                 .sum = calloc(1, sizeof *w.sum)};
	int rc = w.is_task && w.colour && w.paint && w.task && w.sum ? tasks_roles_init(&w.roles, t->trace) : -ENOMEM;
	for (uint32_t i = 0; i < t->n && !rc; i++)
		w.is_task[t->task[i].region] = t->task[i].region != 0;
	uint16_t none;
	rc = rc ? rc : choose_colours(&w);
	rc = rc ? rc : find_paint(g, 0, NOTHING, &none);
	if (!rc && g->show & GANTT_NODES)
		rc = gantt_nodes(g);
	g->first_worker = (uint32_t)g->row.n;
	rc = rc ? rc : add_rows(&w);
	tasks_roles_fini(&w.roles);
	free(w.is_task);
	free(w.colour);
	free(w.paint);
	free(w.task);
	free(w.sum);
	if (!rc && g->show & GANTT_CURVES)
		rc = gantt_curves(g);
	return rc ? rc : gantt_marks(g);
}

void gantt_fini(struct gantt *g)
{
	for (size_t k = 0; k < g->row.n; k++)
		free(g->row.at[k].cell);
	for (size_t k = 0; k < g->curve.n; k++)
		free(g->curve.at[k].value);
	free(g->point.at);
	free(g->arrow.at);
	free(g->row.at);
	free(g->curve.at);
	free(g->paint.at);
}
