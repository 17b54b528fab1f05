/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files activity`, starpu_workers_activity: what workers did over time, and how many tasks there were.
 *
 *     CPU 0   ▓▓░░██▓▓      green: tasks ran; red: the runtime; black: asleep; shares of each pixel's time
 *     CPU 1   ░▓▓▓▓▓█▓
 *     tasks   ▁▃█▇▅▂▁▁      submitted grey, ready black
 *
 * activity.data is read twice, the second time into as many cells as the picture has pixels: memory depends on workers, not on rows.
 */
#include "files_cli.h"
#include "base/log.h"
#include "render/draw/curves.h"
#include "taskfiles/data_rows.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 110, TOP = 64, CELLS = 800, RIGHT = 24, BAND = 34, COUNTS = 180, WORKERS_MOST = 4096, BOTTOM = 60 };
enum { EXECUTING, OVERHEAD, SLEEPING, KINDS };
enum { SUBMITTED, READY, COUNTERS };
static const uint32_t colors[KINDS] = {0x2ca02c, 0xd62728, 0x000000};
static const char *const labels[KINDS] = {"tasks", "runtime", "asleep"};
static const char *const counters[COUNTERS] = {"cnt_submitted", "cnt_ready"};

struct worker {
	char name[40], id[24];
	double cell[KINDS][CELLS]; /* ms */
};
struct activity {
	WEFT_VEC(struct worker *) worker;
	struct weft_intern id;
	double from, to;
	bool started, any;            /* profiling was started; there are times */
	double most[COUNTERS][CELLS]; /* of each pixel */
	double count[COUNTERS], peak; /* of now, and of all */
	unsigned cell[COUNTERS];
	bool second; /* time through the file */
	struct text_lines *lines;
	struct weft_err *err;
};

static struct worker *worker_for(struct activity *a, struct weft_str id)
{
	uint32_t at;
	if (weft_intern_find(&a->id, id, &at))
		return a->worker.at[at];
	if (a->worker.n == WORKERS_MOST || weft_intern_add(&a->id, id, &at))
		return NULL;
	struct worker *w = calloc(1, sizeof *w);
	if (!w || weft_vec_push(&a->worker, w)) {
		free(w);
		return NULL;
	}
	snprintf(w->id, sizeof w->id, "%.*s", (int)id.n, id.at);
	snprintf(w->name, sizeof w->name, "worker %s", w->id);
	return w;
}

/* A time widens what is shown, from where profiling began. */
static void activity_widen(struct activity *a, double from, double to)
{
	if (a->second)
		return;
	a->from = a->started ? a->from : a->any ? fmin(a->from, from) : from;
	a->to = a->any ? fmax(a->to, to) : to;
	a->any = true;
}

static double cell_width(const struct activity *a)
{
	return (a->to - a->from) / CELLS;
}

/* Spreads `amount` of what lasted from `begin` to `end` over the cells. */
static void activity_spread(const struct activity *a, double *cell, double begin, double end, double amount)
{
	double width = cell_width(a), length = end - begin;
	if (!(length > 0) || !(width > 0) || !(amount > 0))
		return;
	double first = floor((begin - a->from) / width), last = floor((end - a->from) / width);
	for (long i = first < 0 ? 0 : (long)first; i <= (last < CELLS ? (long)last : CELLS - 1); i++) {
		double from = a->from + (double)i * width, to = from + width;
		double part = fmin(end, to) - fmax(begin, from);
		cell[i] += part > 0 ? amount * part / length : 0;
	}
}

static int take_worker(struct activity *a, const struct columns *c)
{
	double v[4];
	static const char *const what[] = {"time", "elapsed", "executing", "sleeping"};
	struct worker *w = worker_for(a, c->at[0]);
	if (!w)
		return weft_err_set(a->err, -ENOMEM, "%s: too many workers, or no memory for them", text_lines_name(a->lines));
	for (unsigned i = 0; i < 4; i++) {
		int rc = columns_double(c, a->lines, 1 + i, what[i], &v[i], a->err);
		if (rc)
			return rc;
	}
	double begin = v[0] - v[1], executing = fmin(fmax(v[2], 0), v[1]), sleeping = fmin(fmax(v[3], 0), v[1] - executing);
	activity_widen(a, begin, v[0]);
	if (!a->second)
		return 0;
	activity_spread(a, w->cell[EXECUTING], begin, v[0], executing);
	activity_spread(a, w->cell[SLEEPING], begin, v[0], sleeping);
	activity_spread(a, w->cell[OVERHEAD], begin, v[0], v[1] - executing - sleeping);
	return 0;
}

/* A count holds until the next one: up to a cell, and in it. */
static void fill_count(struct activity *a, unsigned which, unsigned to)
{
	for (; a->cell[which] < to; a->cell[which]++)
		a->most[which][a->cell[which]] = fmax(a->most[which][a->cell[which]], a->count[which]);
	a->most[which][to] = fmax(a->most[which][to], a->count[which]);
}

static void count_at(struct activity *a, unsigned which, double time, double count)
{
	activity_widen(a, time, time);
	a->peak = fmax(a->peak, count);
	if (!a->second || !(cell_width(a) > 0))
		return;
	double place = (time - a->from) / cell_width(a);
	fill_count(a, which, place < 0 ? 0 : place >= CELLS ? CELLS - 1 : (unsigned)place);
	a->count[which] = count;
	fill_count(a, which, a->cell[which]);
}

static int take_counter(struct activity *a, const struct columns *c, unsigned which)
{
	double time, count;
	int rc = columns_double(c, a->lines, 1, "time", &time, a->err);
	rc = rc ? rc : columns_double(c, a->lines, 2, "count", &count, a->err);
	if (!rc)
		count_at(a, which, time, count);
	return rc;
}

static int take_row(struct activity *a, const struct columns *c)
{
	double time;
	if (weft_str_eq(c->at[0], "name") && c->n == 3) {
		struct worker *w = worker_for(a, c->at[1]);
		if (w)
			snprintf(w->name, sizeof w->name, "%.*s", (int)c->at[2].n, c->at[2].at);
		return w ? 0
		         : weft_err_set(a->err, -ENOMEM, "%s: too many workers, or no memory for them",
		                        text_lines_name(a->lines));
	}
	if (weft_str_eq(c->at[0], "set_profiling") && c->n == 3) {
		int rc = columns_double(c, a->lines, 1, "time", &time, a->err);
		if (!rc && !a->second && !a->started && weft_str_eq(weft_str_trim(c->at[2]), "1")) {
			a->started = true;
			a->from = time;
		}
		return rc;
	}
	for (unsigned i = 0; i < COUNTERS; i++)
		if (weft_str_eq(c->at[0], counters[i]) && c->n == 3)
			return take_counter(a, c, i);
	if (c->n == 5)
		return take_worker(a, c);
	return text_lines_wrong(a->lines, a->err,
	                        "expected name, set_profiling, %s or %s with two columns behind, or a worker with four",
	                        counters[0], counters[1]);
}

static int read_all(struct activity *a, const char *path, bool second)
{
	struct columns c;
	struct weft_err err = {0};
	int rc, status = files_open(&a->lines, path);
	if (status)
		return status;
	a->second = second;
	a->err = &err;
	while ((rc = columns_next(&c, a->lines, &err)) > 0 && !(rc = take_row(a, &c)))
		;
	text_lines_close(a->lines);
	for (unsigned i = 0; i < COUNTERS; i++)
		fill_count(a, i, CELLS - 1);
	memset(a->cell, 0, sizeof a->cell);
	if (!second)
		memset(a->most, 0, sizeof a->most);
	if (rc)
		return cli_fail(&err);
	if (a->any && a->to > a->from)
		return CLI_OK;
	weft_log(WEFT_LOG_ERROR, "'%s' says nothing of any time", path);
	return CLI_USAGE;
}

/* ---- drawing ---- */

static void draw_worker(struct picture *p, const struct activity *a, const struct worker *w, double y)
{
	picture_text(p, LEFT - 8, y + BAND / 2.0 + 2, SVG_RIGHT, "l", w->name, 16);
	for (unsigned k = 0; k < KINDS; k++) {
		picture_path_begin(p, colors[k], labels[k]);
		for (unsigned i = 0; i < CELLS; i++) {
			double below = 0, part = w->cell[k][i] / cell_width(a) * (BAND - 6);
			for (unsigned b = 0; b < k; b++)
				below += w->cell[b][i] / cell_width(a) * (BAND - 6);
			if (part >= 0.5)
				picture_path_rect(p, LEFT + i, y + BAND - 6 - below - part, 1, part);
		}
		picture_path_end(p);
	}
	picture_line(p, LEFT, y + BAND - 6, LEFT + CELLS, y + BAND - 6, "g");
}

static void draw_counts(struct picture *p, const struct activity *a, double y)
{
	double tick[16], top = a->peak > 0 ? a->peak : 1;
	char text[32];
	unsigned n = weft_curves_ticks(0, top, false, tick, 8);
	for (unsigned i = 0; i < n; i++) {
		double at = y + COUNTS - tick[i] / top * COUNTS;
		snprintf(text, sizeof text, "%.5g", tick[i]);
		picture_line(p, LEFT, at, LEFT + CELLS, at, "g");
		picture_text(p, LEFT - 8, at + 4, SVG_RIGHT, "a", text, 0);
	}
	for (unsigned k = 0; k < COUNTERS; k++) {
		picture_path_begin(p, k == READY ? 0x000000 : 0xb0b0b0, k == READY ? "ready tasks" : "submitted tasks");
		for (unsigned i = 0; i < CELLS; i++)
			if (a->most[k][i] > 0)
				picture_path_rect(p, LEFT + i, y + COUNTS - a->most[k][i] / top * COUNTS, 1,
				                  a->most[k][i] / top * COUNTS);
		picture_path_end(p);
	}
}

static void draw_times(struct picture *p, const struct activity *a, double y)
{
	double tick[16];
	char text[32];
	unsigned n = weft_curves_ticks(a->from, a->to, false, tick, 10);
	for (unsigned i = 0; i < n; i++) {
		double x = LEFT + (tick[i] - a->from) / cell_width(a);
		snprintf(text, sizeof text, "%.6g", tick[i]);
		picture_line(p, x, y, x, y + 4, "k");
		picture_text(p, x, y + 16, SVG_MIDDLE, "a", text, 0);
	}
	picture_text(p, LEFT + CELLS, y + 32, SVG_RIGHT, "s", "ms", 0);
}

static void draw_legend(struct picture *p)
{
	static const struct {
		uint32_t color;
		const char *text;
	} all[] = {{0x2ca02c, "tasks"}, {0xd62728, "runtime"}, {0x000000, "asleep; ready tasks"}, {0xb0b0b0, "submitted tasks"}};
	double x = LEFT;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		picture_rect(p, x, 38, 12, 12, all[i].color, 0);
		picture_text(p, x + 17, 48, SVG_LEFT, "l", all[i].text, 0);
		x += 34 + svg_text_width(all[i].text, 0);
	}
}

static int activity_draw(void *arg, enum weft_picture_form form, struct weft_buf *out)
{
	const struct activity *a = arg;
	struct picture p;
	double y = TOP;
	int rc = picture_begin(&p, form, out, LEFT + CELLS + RIGHT, TOP + BAND * (unsigned)a->worker.n + 20 + COUNTS + BOTTOM,
	                       "Activity of the workers");
	picture_text(&p, LEFT, 24, SVG_LEFT, "t", "Activity of the workers", 0);
	draw_legend(&p);
	for (size_t i = 0; i < a->worker.n && !rc; i++, y += BAND)
		draw_worker(&p, a, a->worker.at[i], y);
	if (!rc) {
		draw_counts(&p, a, y + 20);
		draw_times(&p, a, y + 20 + COUNTS);
	}
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

int files_activity(const struct files_args *a, char **operand, int n)
{
	struct activity *act = calloc(1, sizeof *act);
	(void)n;
	if (!act)
		return cli_fail_code(-ENOMEM);
	int status = cli_check_input(operand[0]);
	if (!status)
		status = read_all(act, operand[0], false);
	if (!status)
		status = read_all(act, operand[0], true);
	if (!status)
		status = files_picture(a, a->output ? a->output : "activity.eps", activity_draw, act);
	for (size_t i = 0; i < act->worker.n; i++)
		free(act->worker.at[i]);
	free(act->worker.at);
	weft_intern_fini(&act->id);
	free(act);
	return status;
}
