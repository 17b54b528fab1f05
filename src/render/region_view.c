/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window over regions: which threads are its rows, which metric it shows, what its values mean.
 */
#include "region_view.h"
#include "metric/func/metric_schema.h"
#include "region_priv.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MOST = 65536, ROWS_USUAL = 512 };

/* By Paraver's numbers of states. */
static const uint8_t classes_of_states[] = {
	WEFT_STATE_IDLE,
	WEFT_STATE_RUNNING,
	WEFT_STATE_IDLE,
	WEFT_STATE_WAITING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_SYNCHRONIZING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_SCHEDULING,
	WEFT_STATE_WAITING,
	WEFT_STATE_WAITING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_IO,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_UNKNOWN,
	WEFT_STATE_OVERHEAD,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_MEMORY,
};

static bool has_events(const struct weft_trace *t, enum weft_class class)
{
	for (uint32_t i = 1; i < t->def[class].n; i++)
		if (t->def[class].at[i].n_events)
			return true;
	return false;
}

/* ---- values ---- */

/* The value that stands for a definition, of regions its id, of states their number; 0: none. */
static uint32_t value_of(const struct region_picture *r, uint32_t id)
{
	int64_t code = r->t->def[r->of].at[id].code;
	if (r->of == WEFT_CLASS_REGION)
		return id;
	return code > 0 && code < STATES_MOST ? (uint32_t)code : 0;
}

unsigned weft_region_class_of_state(uint32_t number)
{
	return number < sizeof classes_of_states ? classes_of_states[number] : WEFT_STATE_UNKNOWN;
}

static unsigned class_of(const struct region_picture *r, uint32_t id, uint32_t value)
{
	return r->of == WEFT_CLASS_REGION ? r->t->def[r->of].at[id].state : weft_region_class_of_state(value);
}

static int make_values(struct region_picture *r)
{
	const struct weft_def_table *defs = &r->t->def[r->of];
	uint32_t n = 1;
	for (uint32_t i = 1; i < defs->n; i++)
		n = value_of(r, i) >= n ? value_of(r, i) + 1 : n;
	r->name = calloc(n, sizeof *r->name);
	r->class = calloc(n, sizeof *r->class);
	r->running = calloc(n, sizeof *r->running);
	r->color = calloc(n, sizeof *r->color);
	r->legend = calloc(n, sizeof *r->legend);
	if (!r->name || !r->class || !r->running || !r->color || !r->legend)
		return -ENOMEM;
	for (uint32_t i = 1; i < defs->n; i++) {
		uint32_t value = value_of(r, i);
		if (!value)
			continue;
		r->name[value] = defs->at[i].name;
		r->class[value] = class_of(r, i, value);
		r->running[value] = value == PRV_STATE_RUNNING;
	}
	r->sums = (struct weft_time_sums){.n_values = n, .counted = r->of == WEFT_CLASS_STATE ? r->running : NULL};
	return 0;
}

/* ---- rows ---- */

/* Is there any event of the kind on the thread? One block is read. */
static int has_kind(const struct weft_trace *t, uint32_t thread, unsigned kind, bool *has)
{
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << kind});
	rc = weft_cursor_next(&c, &b);
	weft_cursor_end(&c);
	*has = rc > 0;
	return rc < 0 ? rc : 0;
}

static bool is_visible(const struct region_picture *r, uint32_t thread)
{
	const struct weft_thread_row *h = &r->t->thread[thread];
	return (h->begin == WEFT_NEVER || h->begin < r->to) && (h->end == WEFT_NEVER || h->end >= r->from);
}

static uint64_t alive_of(const struct region_picture *r, uint32_t thread)
{
	const struct weft_thread_row *h = &r->t->thread[thread];
	uint64_t begin = h->begin == WEFT_NEVER ? 0 : h->begin;
	uint64_t end = h->end == WEFT_NEVER || h->end < begin ? r->t->end : h->end;
	begin = begin > r->from ? begin : r->from;
	end = end < r->to ? end : r->to;
	return end > begin ? end - begin : 0;
}

static void add_row(struct region_picture *r, struct view_layout *l, uint32_t row, uint32_t thread)
{
	r->row_of[thread] = l->n_rows;
	r->thread[l->n_rows] = thread;
	r->alive[l->n_rows] = alive_of(r, thread);
	r->all_ns += r->alive[l->n_rows];
	l->row[l->n_rows++] = row;
}

/*
 * Threads that can be seen in the range, in the trace's order; those with regions, where any has
 * some.
 */
static int choose_rows(struct region_picture *r, struct view_layout *l)
{
	const struct weft_space *s = l->how->space;
	const unsigned most = r->how->most_rows ? r->how->most_rows : ROWS_USUAL;
	const unsigned kind = r->of == WEFT_CLASS_REGION ? WEFT_EV_ENTER : WEFT_EV_STATE;
	const uint32_t n = s->trace->n_threads;
	bool *has = calloc((size_t)n + 1, sizeof *has), any = false;
	int rc = has ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		uint32_t thread = s->schema ? s->schema->thread[i] : i;
		if (thread != WEFT_NONE && is_visible(r, thread))
			rc = has_kind(r->t, thread, kind, &has[i]);
		any |= has[i];
	}
	for (uint32_t i = 0; i < n && !rc; i++) {
		uint32_t thread = s->schema ? s->schema->thread[i] : i;
		if (thread == WEFT_NONE || !is_visible(r, thread))
			continue;
		if (any && !has[i])
			r->without_regions++;
		else if (l->n_rows == most)
			l->left_out++;
		else
			add_row(r, l, i, thread);
	}
	free(has);
	return rc;
}

static int make_rows(struct region_picture *r, struct view_layout *l)
{
	const size_t n = (size_t)r->t->n_threads + 1;
	l->row = calloc(n, sizeof *l->row);
	r->thread = calloc(n, sizeof *r->thread);
	r->alive = calloc(n, sizeof *r->alive);
	r->row_y = calloc(n, sizeof *r->row_y);
	r->row_of = malloc(n * sizeof *r->row_of);
	if (!l->row || !r->thread || !r->alive || !r->row_y || !r->row_of)
		return -ENOMEM;
	memset(r->row_of, 0xff, n * sizeof *r->row_of);
	return choose_rows(r, l);
}

/* ---- the whole ---- */

int region_picture_init(struct region_picture *r, struct view_layout *l)
{
	const struct weft_space *s = l->how->space;
	r->t = s->schema ? s->schema->trace : s->trace;
	r->of = has_events(r->t, WEFT_CLASS_STATE) && !has_events(r->t, WEFT_CLASS_REGION) ? WEFT_CLASS_STATE : WEFT_CLASS_REGION;
	weft_metric_init(&r->metric);
	r->metric.of_level[WEFT_THREAD].func = r->of == WEFT_CLASS_STATE ? weft_func_find(WEFT_FUNC_THREAD, "State As Is")
	                                                                 : weft_func_innermost_region();
	r->from = r->how->from;
	r->to = r->how->to == WEFT_NEVER ? r->t->end : r->how->to;
	r->to = r->to > r->from ? r->to : r->from + 1;
	int rc = make_values(r);
	return rc ? rc : make_rows(r, l);
}

void region_picture_fini(struct region_picture *r)
{
	free(r->name);
	free(r->class);
	free(r->running);
	free(r->color);
	free(r->legend);
	free(r->thread);
	free(r->alive);
	free(r->row_y);
	free(r->row_of);
	weft_time_sums_fini(&r->sums);
}

int weft_region_view_draw(struct weft_buf *out, enum weft_picture_form form, const struct weft_space *s,
                          const struct weft_region_view_how *how)
{
	struct region_picture r = {.how = how};
	struct weft_view_timeline_how view = {.space = s, .title = how->title, .width = how->width, .threads = how->threads};
	struct view_layout l = {.how = &view, .look = &region_look, .regions = &r};
	int rc = region_picture_init(&r, &l);
	view.from = (double)r.from / (double)s->unit_ns;
	view.to = (double)r.to / (double)s->unit_ns;
	if (!rc)
		rc = view_draw(&l, form, out);
	view_layout_fini(&l);
	region_picture_fini(&r);
	return rc;
}
