/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling a table. The three windows are nested, the coarsest level outside (control before extra
 * before data on one level):
 *
 *   for each interval of the outer window's row
 *       for each row of the next window in it, for each of its intervals that meets the outer one
 *           …  the piece that all three share goes to its cell
 *
 * A unit of parallel work is a row of the outermost window with all rows of the control that are in
 * it. Each row's sums are taken in order of time by one worker, so they do not depend on how many
 * there are.
 */
#include "base/pool.h"
#include "hist_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_MOST = 8 << 20 }; /* cells of all rows that may be looked up in arrays */

/* ---- nesting ---- */

struct axis {
	unsigned which, also; /* also: bits of the others that are the same window */
	const struct weft_window *window;
	enum weft_level level;
	uint32_t first, n;        /* rows of it in the unit */
	struct metric_pull *pull; /* one each; owned */
	bool *open;               /* owned */
	double value;             /* of the piece */
};
struct unit {
	struct weft_result *r;
	struct hist_row *row;        /* all of the table's */
	const uint32_t *row_number;  /* by object of the control's level: its row, WEFT_NONE: not wanted */
	struct axis axis[HIST_AXES]; /* outermost first */
	unsigned n_axes;
	uint32_t control_row;
	unsigned used; /* windows that there are, as bits */
	double value[HIST_AXES];
	struct hist_pieces *pieces; /* of the control's row, not yet taken; owned */
	struct metric_walks *walks; /* owned; NULL: none */
};

static int pull_at(struct unit *u, struct axis *a, uint32_t object, struct metric_pull **out)
{
	uint32_t i = object - a->first;
	*out = &a->pull[i];
	if (a->open[i])
		return 0;
	struct metric_site site = {u->r->space, &a->window->metric, a->level, object, u->r->begin, u->r->end,
	                           NULL,        u->walks,           NULL};
	struct metric_stream *s;
	int rc = metric_row_stream(&s, &site);
	if (rc)
		return rc;
	a->open[i] = true;
	return metric_pull_init(&a->pull[i], s);
}

static int take_pieces(struct unit *u)
{
	return u->pieces->n ? hist_take(u->r, &u->row[u->control_row], u->pieces) : 0;
}

/* Room for some more pieces; how many, or negative. */
static int pieces_room(struct unit *u)
{
	int rc = u->pieces->n == WEFT_INTERVALS ? take_pieces(u) : 0;
	return rc ? rc : (int)(WEFT_INTERVALS - u->pieces->n);
}

static int take_piece(struct unit *u, double begin, double end)
{
	int rc = pieces_room(u);
	if (rc < 0)
		return rc;
	struct hist_pieces *p = u->pieces;
	for (unsigned k = 0; k < HIST_AXES; k++)
		p->value[k][p->n] = u->value[k];
	p->time[p->n++] = end - begin;
	return 0;
}

static int hist_nest(struct unit *u, unsigned depth, double from, double to, uint32_t object, enum weft_level level);

static void set_values(struct unit *u, const struct axis *a, double value)
{
	u->value[a->which] = value;
	for (unsigned k = 0; a->also && k < HIST_AXES; k++)
		if (a->also >> k & 1)
			u->value[k] = value;
}

/* The windows that are the same as the axis', as bits. */
static unsigned windows_of(const struct axis *a)
{
	return a->also | 1u << a->which;
}

static bool all_last(double begin, const double *end, uint32_t n)
{
	bool all = end[0] > begin;
	for (uint32_t i = 1; i < n; i++)
		all &= end[i] > end[i - 1];
	return all;
}

/* Drops what has no length from the last n pieces. */
static void drop_empty(struct hist_pieces *p, uint32_t n)
{
	uint32_t to = p->n - n;
	for (uint32_t i = to; i < p->n; i++) {
		for (unsigned k = 0; k < HIST_AXES; k++)
			p->value[k][to] = p->value[k][i];
		p->time[to] = p->time[i];
		to += p->time[i] > 0;
	}
	p->n = to;
}

/*
 * Pieces of n intervals that follow each other from `begin` on, for which there is room. The
 * windows of mask[i] have the values value[i], others the unit's.
 */
static void take_run(struct unit *u, double begin, const double *end, uint32_t n, const unsigned mask[2],
                     const double *const value[2])
{
	struct hist_pieces *p = u->pieces;
	for (unsigned k = 0; k < HIST_AXES; k++) {
		const double *of = mask[0] >> k & 1 ? value[0] : mask[1] >> k & 1 ? value[1] : NULL;
		if (!(u->used >> k & 1))
			continue;
		if (of)
			memcpy(p->value[k] + p->n, of, n * sizeof *of);
		for (uint32_t i = 0; !of && i < n; i++)
			p->value[k][p->n + i] = u->value[k];
	}
	p->time[p->n] = end[0] - begin;
	for (uint32_t i = 1; i < n; i++)
		p->time[p->n + i] = end[i] - end[i - 1];
	p->n += n;
	if (!all_last(begin, end, n))
		drop_empty(p, n);
}

/*
 * As many of the intervals in front, but for the block's last, as there is room for and end before
 * `to`; negative on failure.
 */
static int run_of(struct unit *u, const struct metric_pull *p, double to)
{
	int room = pieces_room(u), most = (int)(p->block->n - p->at) - 1;
	if (room < most)
		most = room;
	return most < 0 ? most : (int)metric_ends_before(p->block->end + p->at, (uint32_t)most, to);
}

/* Stands on the n-th interval from now on, of the same block. */
static void pull_skip(struct metric_pull *p, uint32_t n)
{
	p->at += n;
	p->begin = p->block->end[p->at - 1];
	p->end = p->block->end[p->at];
	p->value = p->block->value[p->at];
}

/* The intervals of the innermost window's row that meet [from, to): each is a piece. */
static int walk_pieces(struct unit *u, const struct axis *a, struct metric_pull *p, double from, double to)
{
	const unsigned mask[2] = {windows_of(a), 0};
	while (!p->ended) {
		double begin = p->begin > from ? p->begin : from;
		int rc = p->end > from ? run_of(u, p, to) : 0;
		if (rc > 0) {
			const double *value[2] = {p->block->value + p->at, NULL};
			take_run(u, begin, p->block->end + p->at, (uint32_t)rc, mask, value);
			pull_skip(p, (uint32_t)rc);
			continue;
		}
		double end = p->end < to ? p->end : to;
		if (!rc && begin < end) {
			set_values(u, a, p->value);
			rc = take_piece(u, begin, end);
		}
		if (rc || p->end >= to)
			return rc;
		if ((rc = metric_pull_step(p)) < 0)
			return rc;
	}
	return 0;
}

/* How many intervals in front of both end at the same times, of those that run_of has. */
static int equal_run(struct unit *u, const struct metric_pull *p, const struct metric_pull *q, double to)
{
	int most = run_of(u, p, to), of_q = (int)(q->block->n - q->at) - 1;
	if (of_q < most)
		most = of_q;
	return most < 0 ? most : (int)metric_ends_equal(p->block->end + p->at, q->block->end + q->at, (uint32_t)most);
}

/*
 * Two windows of one level, as most tables have: their rows side by side. A piece ends where either
 * does.
 */
static int walk_pair(struct unit *u, unsigned depth, struct metric_pull *p, double from, double to, uint32_t object)
{
	const struct axis *outer = &u->axis[depth], *inner = &u->axis[depth + 1];
	const unsigned mask[2] = {windows_of(outer), windows_of(inner)};
	struct metric_pull *q;
	int rc = pull_at(u, &u->axis[depth + 1], object, &q);
	double begin = p->begin > from ? p->begin : from;
	while (rc >= 0 && !p->ended && !q->ended && begin < to) {
		if (p->end == q->end && begin < p->end && (rc = equal_run(u, p, q, to)) > 0) {
			const double *value[2] = {p->block->value + p->at, q->block->value + q->at};
			take_run(u, begin, p->block->end + p->at, (uint32_t)rc, mask, value);
			pull_skip(p, (uint32_t)rc);
			pull_skip(q, (uint32_t)rc);
			begin = p->begin;
			continue;
		}
		double end = p->end < q->end ? p->end : q->end;
		if (rc >= 0 && begin < end) {
			set_values(u, outer, p->value);
			set_values(u, inner, q->value);
			rc = take_piece(u, begin, end < to ? end : to);
			begin = end;
		}
		if (end >= to)
			break; /* what reaches further is there for the next range */
		if (rc >= 0 && q->end <= end)
			rc = metric_pull_step(q);
		if (rc >= 0 && p->end <= end)
			rc = metric_pull_step(p);
	}
	return rc < 0 ? rc : 0;
}

/*
 * Is the object's row one that the table has, if this window is the control? 1, 0, negative; pieces
 * are of that row from then on.
 */
static int hist_controls(struct unit *u, unsigned depth, uint32_t object)
{
	if (u->axis[depth].which != HIST_CONTROL)
		return 1;
	uint32_t row = u->row_number[object];
	int rc = row != u->control_row ? take_pieces(u) : 0;
	u->control_row = row;
	return rc ? rc : row != WEFT_NONE;
}

/* The intervals of one row that meet [from, to). */
static int walk_row(struct unit *u, unsigned depth, double from, double to, uint32_t object)
{
	struct axis *a = &u->axis[depth];
	struct metric_pull *p;
	int rc = pull_at(u, a, object, &p);
	while (!rc && p->end <= from && !p->ended)
		if ((rc = metric_pull_step(p)) > 0)
			rc = 0;
	if (!rc && depth + 1 == u->n_axes)
		return walk_pieces(u, a, p, from, to);
	if (!rc && depth + 2 == u->n_axes && u->axis[depth + 1].level == a->level)
		return (rc = hist_controls(u, depth + 1, object)) > 0 ? walk_pair(u, depth, p, from, to, object) : rc;
	while (!rc && !p->ended) {
		double begin = p->begin > from ? p->begin : from, end = p->end < to ? p->end : to;
		set_values(u, a, p->value);
		if (begin < end)
			rc = hist_nest(u, depth + 1, begin, end, object, a->level);
		if (rc || p->end >= to)
			break;
		if ((rc = metric_pull_step(p)) > 0)
			rc = 0;
	}
	return rc;
}

static int hist_nest(struct unit *u, unsigned depth, double from, double to, uint32_t object, enum weft_level level)
{
	struct axis *a = &u->axis[depth];
	uint32_t first, n;
	weft_level_down(u->r->space, level, object, a->level, &first, &n);
	for (uint32_t i = first; i < first + n; i++) {
		int rc = hist_controls(u, depth, i);
		if (rc > 0)
			rc = walk_row(u, depth, from, to, i);
		if (rc)
			return rc;
	}
	return 0;
}

static void unit_fini(struct unit *u)
{
	for (unsigned k = 0; k < u->n_axes; k++) {
		struct axis *a = &u->axis[k];
		for (uint32_t i = 0; a->pull && a->open && i < a->n; i++)
			if (a->open[i])
				metric_pull_fini(&a->pull[i]);
		free(a->pull);
		free(a->open);
	}
	free(u->pieces);
	metric_walks_free(u->walks);
}

struct job {
	struct weft_result *r;
	struct hist_row *row;
	const uint32_t *row_number;
	unsigned order[HIST_AXES], n_axes; /* windows, outermost first */
	unsigned also[HIST_AXES];          /* by window: bits of those that are the same, and are not walked again */
	uint32_t window[HIST_AXES];
};

static int run_unit(void *arg, size_t object, unsigned worker)
{
	const struct job *j = arg;
	(void)worker;
	struct unit u = {.r = j->r, .row = j->row, .row_number = j->row_number, .n_axes = j->n_axes, .control_row = WEFT_NONE};
	enum weft_level outer = j->r->view->window[j->window[j->order[0]]].metric.level;
	u.pieces = calloc(1, sizeof *u.pieces);
	unsigned readers = 0;
	int rc = u.pieces ? 0 : -ENOMEM;
	for (unsigned k = 0; k < j->n_axes; k++) {
		struct axis *a = &u.axis[k];
		a->which = j->order[k];
		a->also = j->also[a->which];
		a->window = &j->r->view->window[j->window[a->which]];
		a->level = a->window->metric.level;
		u.used |= windows_of(a);
		readers += a->window->metric.parent[0] ? 2 : 1;
		weft_level_down(j->r->space, outer, (uint32_t)object, a->level, &a->first, &a->n);
		a->pull = calloc((size_t)a->n + 1, sizeof *a->pull);
		a->open = calloc((size_t)a->n + 1, sizeof *a->open);
		if (!a->pull || !a->open)
			rc = -ENOMEM;
	}
	if (!rc && readers > 1)
		rc = metric_walks_new(&u.walks);
	if (!rc)
		rc = hist_nest(&u, 0, j->r->begin, j->r->end, (uint32_t)object, outer);
	if (!rc)
		rc = take_pieces(&u);
	unit_fini(&u);
	return rc;
}

/* Is the window one that stands in the nest already? */
static bool is_walked(struct job *j, unsigned which)
{
	for (unsigned k = 0; k < which; k++)
		if (j->window[k] == j->window[which]) {
			j->also[k] |= 1u << which;
			return true;
		}
	return false;
}

static int run_pieces(struct weft_result *r, struct hist_row *row, const uint32_t *row_number, unsigned threads)
{
	const struct weft_hist *h = r->hist;
	struct job j = {.r = r, .row = row, .row_number = row_number, .window = {h->control, h->extra, h->data}};
	for (unsigned which = 0; which < HIST_AXES; which++) {
		if (j.window[which] == WEFT_NONE || is_walked(&j, which))
			continue;
		enum weft_level level = r->view->window[j.window[which]].metric.level;
		unsigned at = j.n_axes++;
		for (; at > 0 && r->view->window[j.window[j.order[at - 1]]].metric.level > level; at--)
			j.order[at] = j.order[at - 1];
		j.order[at] = which;
	}
	enum weft_level outer = r->view->window[j.window[j.order[0]]].metric.level;
	return weft_parallel(threads, weft_level_size(r->space, outer), run_unit, &j);
}

/* ---- results ---- */

static int compare_sums(const void *a, const void *b)
{
	const struct hist_sum *x = a, *y = b;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int make_planes(struct weft_result *r, struct hist_row *row)
{
	const struct weft_hist *h = r->hist;
	const struct weft_window *w = r->view->window;
	struct hist_norm norm = {0, r->end - r->begin, r->space->unit, w[h->control].metric.unit, w[h->data].metric.unit};
	uint32_t n = r->depth.n;
	r->plane = calloc(n, sizeof *r->plane);
	if (!r->plane)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_rows; i++)
		if (row[i].sum.n)
			qsort(row[i].sum.at, row[i].sum.n, sizeof *row[i].sum.at, compare_sums);
	for (uint32_t p = 0; p < n; p++) {
		struct weft_plane *plane = &r->plane[p];
		uint64_t count = 0;
		for (uint32_t i = 0; i < r->n_rows; i++)
			for (size_t k = 0; k < row[i].sum.n; k++)
				count += row[i].sum.at[k].key >> 32 == p;
		if (!count)
			continue;
		plane->any = true;
		plane->cell = malloc(count * sizeof *plane->cell);
		plane->first = calloc((size_t)r->n_rows + 1, sizeof *plane->first);
		if (!plane->cell || !plane->first)
			return -ENOMEM;
		uint64_t at = 0;
		for (uint32_t i = 0; i < r->n_rows; i++) {
			norm.row = row[i].share ? row[i].share[p] : 0;
			for (size_t k = 0; k < row[i].sum.n; k++)
				if (row[i].sum.at[k].key >> 32 == p)
					plane->cell[at++] = (struct weft_result_cell){(uint32_t)row[i].sum.at[k].key,
					                                              h->stat->value(&row[i].sum.at[k], &norm)};
			plane->first[i + 1] = at;
		}
	}
	return 0;
}

const struct weft_result_cell *weft_result_at(const struct weft_result *r, uint32_t plane, uint32_t row, uint32_t column)
{
	const struct weft_plane *p = &r->plane[plane];
	if (!p->any)
		return NULL;
	uint64_t low = p->first[row], high = p->first[row + 1];
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (p->cell[mid].column < column)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->first[row + 1] && p->cell[low].column == column ? &p->cell[low] : NULL;
}

void weft_result_fini(struct weft_result *r)
{
	for (uint32_t p = 0; r->plane && p < r->depth.n; p++) {
		free(r->plane[p].cell);
		free(r->plane[p].first);
	}
	free(r->plane);
	free(r->row);
	*r = (struct weft_result){.plane = NULL};
}

static void set_range(struct weft_result *r)
{
	const struct weft_window *w = &r->view->window[r->hist->control];
	bool window = r->hist->limits == WEFT_ALL_WINDOW;
	r->begin = window ? w->begin : 0;
	r->end = window ? w->end : r->space->end;
}

int weft_hist_compute(struct weft_result *r, const struct weft_view *v, const struct weft_hist *h, const struct weft_space *s,
                      unsigned threads)
{
	*r = (struct weft_result){.view = v, .hist = h, .space = s};
	const struct weft_window *w = &v->window[h->control];
	uint32_t n = weft_level_size(s, w->metric.level);
	uint32_t *row_number = malloc(((size_t)n + 1) * sizeof *row_number);
	struct hist_row *row = calloc((size_t)n + 1, sizeof *row);
	r->row = malloc(((size_t)n + 1) * sizeof *r->row);
	int rc = row_number && row && r->row ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		bool on = (!w->selected || w->selected[i]) && (!h->zoomed || !h->object.n || metric_in_list(h->object, i));
		row_number[i] = on ? r->n_rows : WEFT_NONE;
		if (on)
			r->row[r->n_rows++] = i;
	}
	set_range(r);
	if (!rc)
		rc = hist_scale(r, threads);
	uint64_t cells = (uint64_t)r->column.n * r->depth.n;
	for (uint32_t i = 0; i < r->n_rows && !rc && cells * r->n_rows <= DENSE_MOST; i++) {
		row[i].n_columns = r->column.n;
		row[i].n_planes = r->depth.n;
	}
	if (!rc && weft_stat_of_comms(h->stat))
		rc = hist_comms(r, row, row_number);
	else if (!rc)
		rc = run_pieces(r, row, row_number, threads);
	if (!rc && r->wide)
		hist_narrow(r, row);
	if (!rc)
		rc = make_planes(r, row);
	for (uint32_t i = 0; row && i < n; i++)
		hist_row_fini(&row[i]);
	free(row);
	free(row_number);
	return rc;
}
