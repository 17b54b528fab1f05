/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft gantt`: the handbook's chart, drawn by ourselves.
 *
 *     title, what is in it
 *     submitted    ~~~~~\__        curves of the program and of memory nodes
 *     ready        _/\_/\__
 *     axis         |10 ms    |20 ms
 *     CPU 0        [####==###  ]   a row of states for each worker, its GFlop/s below
 *     main         [==----     ]   threads that submit
 *     [] potrf 12 %  [] sleeping 8 % ...
 */
#include "gantt.h"
#include "render/axis.h"
#include "render/picture.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *time, *title;
	uint64_t width;
	bool colours, force;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "write to OUT: .svg or .png"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B only (default: from the first submission to the last task's end)"},
	{'c', "colors", NULL, WEFT_OPT_FLAG, offsetof(struct args, colours),
         "a colour for each codelet (default: green, or what the program gave the task)"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "of the picture (1200)"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "what stands above (default: the trace's name)"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT when it is there already"},
	CLI_READ_OPTIONS,
	{0},
};

enum { MARGIN = 24, LABELS = 150, RIGHT = 60, CURVE = 38, CURVE_STEP = 52, ROW = 20, ROW_STEP = 25, OWN_CURVE = 18, TOP = 84 };

struct chart {
	const struct args *args;
	struct gantt g;
	struct picture p;
	double x, y; /* of the plot; where is drawn next */
};

static void draw_curve(struct chart *c, const struct gantt_curve *v, double height)
{
	char most[48];
	double *xy = malloc(4 * (size_t)c->g.width * sizeof *xy);
	for (unsigned k = 0; xy && k < c->g.width; k++) {
		xy[4 * k] = c->x + k;
		xy[4 * k + 2] = c->x + k + 1;
		xy[4 * k + 1] = xy[4 * k + 3] = c->y + height - (v->most > 0 ? v->value[k] / v->most * height : 0);
	}
	picture_line(&c->p, c->x, c->y + height, c->x + c->g.width, c->y + height, "g");
	if (xy)
		picture_polyline(&c->p, xy, 2 * c->g.width, v->colour);
	else
		c->p.rc = c->p.rc ? c->p.rc : -ENOMEM;
	free(xy);
	snprintf(most, sizeof most, "%.3g %s", v->most, v->unit);
	picture_text(&c->p, c->x + c->g.width + 6, c->y + 8, SVG_LEFT, "a", most, 0);
	if (*v->label)
		picture_text(&c->p, c->x - 8, c->y + height / 2 + 4, SVG_RIGHT, "l", v->label, 22);
}

static void draw_axis(struct chart *c)
{
	char label[32];
	uint64_t span = c->g.to - c->g.from, step = weft_axis_step(span ? span : 1, 8);
	for (uint64_t at = (c->g.from + step - 1) / step * step; at <= c->g.to; at += step) {
		double x = c->x + (double)(at - c->g.from) / (double)(span ? span : 1) * c->g.width;
		picture_line(&c->p, x, c->y + 4, x, c->y + 10, "k");
		picture_text(&c->p, x, c->y, SVG_MIDDLE, "a", weft_axis_label(label, at, step, c->g.to), 0);
	}
	c->y += 14;
}

/* One paint's cells of all rows are one path. */
static void draw_paint(struct chart *c, const double *top, uint16_t paint)
{
	picture_path_begin(&c->p, c->g.paint.at[paint].colour, c->g.paint.at[paint].name);
	for (size_t r = 0; r < c->g.row.n; r++) {
		const uint16_t *cell = c->g.row.at[r].cell;
		for (unsigned k = 0, end; k < c->g.width; k = end) {
			for (end = k + 1; end < c->g.width && cell[end] == cell[k]; end++)
				;
			if (cell[k] == paint)
				picture_path_rect(&c->p, c->x + k, top[r], end - k, ROW);
		}
	}
	picture_path_end(&c->p);
}

static void draw_rows(struct chart *c)
{
	double *top = calloc(c->g.row.n + 1, sizeof *top);
	for (size_t r = 0; top && r < c->g.row.n; r++) {
		top[r] = c->y;
		picture_text(&c->p, c->x - 8, c->y + 14, SVG_RIGHT, "l", c->g.row.at[r].label, 22);
		c->y += ROW_STEP;
		for (size_t k = 0; k < c->g.curve.n; k++)
			if (c->g.curve.at[k].row == (int64_t)r) {
				draw_curve(c, &c->g.curve.at[k], OWN_CURVE);
				c->y += OWN_CURVE + 7;
			}
	}
	for (size_t k = 0; top && k < c->g.paint.n; k++)
		draw_paint(c, top, (uint16_t)k);
	c->p.rc = top || c->p.rc ? c->p.rc : -ENOMEM;
	free(top);
}

static void draw_legend(struct chart *c, bool draw)
{
	double x = MARGIN;
	uint64_t all = 0;
	for (size_t k = 0; k < c->g.paint.n; k++)
		all += c->g.paint.at[k].ns;
	c->y += 20;
	for (size_t k = 0; k < c->g.paint.n; k++) {
		const struct gantt_paint *paint = &c->g.paint.at[k];
		char text[96];
		snprintf(text, sizeof text, "%.40s %.1f %%", paint->name, all ? 100 * (double)paint->ns / (double)all : 0);
		double w = svg_text_width(text, 0) + 32;
		if (x + w > c->x + c->g.width + RIGHT && x > MARGIN) {
			x = MARGIN;
			c->y += 19;
		}
		if (draw) {
			picture_rect(&c->p, x, c->y - 9, 11, 11, paint->colour, 2);
			picture_text(&c->p, x + 16, c->y, SVG_LEFT, "l", text, 0);
		}
		x += w;
	}
	c->y += MARGIN;
}

static double find_height(struct chart *c)
{
	double y = TOP + 14 + (double)c->g.row.n * ROW_STEP;
	for (size_t k = 0; k < c->g.curve.n; k++)
		y += c->g.curve.at[k].row < 0 ? CURVE_STEP : OWN_CURVE + 7;
	c->y = y;
	draw_legend(c, false);
	y = c->y;
	return y;
}

static int draw(struct chart *c, struct weft_buf *out, enum weft_picture_form form)
{
	const struct weft_tasks *t = &c->g.tasks->tasks;
	const char *path = t->trace->path, *slash = strrchr(path, '/');
	const char *title = c->args->title ? c->args->title : slash && slash[1] ? slash + 1 : path;
	char words[160], length[32];
	c->x = MARGIN + LABELS;
	int rc = picture_begin(&c->p, form, out, (unsigned)(c->x + c->g.width + RIGHT + MARGIN), (unsigned)find_height(c), title);
	snprintf(words, sizeof words, "%u tasks on %u workers; %s are shown", t->n, t->n_workers,
	         weft_human_ns(length, c->g.to - c->g.from));
	picture_text(&c->p, MARGIN, 34, SVG_LEFT, "t", title, 100);
	picture_text(&c->p, MARGIN, 54, SVG_LEFT, "s", words, 0);
	c->y = TOP;
	for (size_t k = 0; k < c->g.curve.n && !rc; k++)
		if (c->g.curve.at[k].row < 0) {
			draw_curve(c, &c->g.curve.at[k], CURVE);
			c->y += CURVE_STEP;
		}
	if (!rc) {
		draw_axis(c);
		draw_rows(c);
		draw_legend(c, true);
	}
	int ended = picture_end(&c->p);
	return rc ? rc : ended;
}

/* ---- the command ---- */

static int write_out(const char *path, const struct weft_buf *text)
{
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int find_range(struct gantt *g, const struct args *a, const struct weft_trace *t)
{
	struct weft_err err = {0};
	g->from = WEFT_NEVER;
	for (uint32_t i = 0; i < g->tasks->tasks.n; i++) {
		const struct weft_tasks_task *task = &g->tasks->tasks.task[i];
		uint64_t first = task->submit != WEFT_NEVER ? task->submit : task->start;
		g->from = first < g->from ? first : g->from;
		g->to = task->end != WEFT_NEVER && task->end > g->to ? task->end : g->to;
	}
	g->from = g->from == WEFT_NEVER ? 0 : g->from;
	g->to = g->to > g->from ? g->to : t->end;
	if (a->time && weft_time_range(a->time, t->end, &g->from, &g->to, &err))
		return cli_fail(&err);
	g->to = g->to < t->end ? g->to : t->end;
	if (g->to > g->from)
		return CLI_OK;
	weft_err_set(&err, -ERANGE, "'%s' has nothing in this range of time", t->path);
	return cli_fail(&err);
}

static int gantt_of(const struct args *a, const struct weft_trace *t)
{
	struct task_view view;
	struct chart c = {.args = a,
	                  .g = {.tasks = &view,
	                        .by_codelet = a->colours,
	                        .width = (unsigned)a->width - LABELS - RIGHT - 2 * MARGIN}};
	struct weft_buf out = {0};
	int status = task_view_load(&view, t);
	if (!status)
		status = find_range(&c.g, a, t);
	if (!status) {
		int rc = gantt_compute(&c.g);
		size_t n = strlen(a->output);
		if (!rc)
			rc = draw(&c, &out,
			          n > 4 && strcmp(a->output + n - 4, ".png") == 0 ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG);
		status = rc ? cli_fail_code(rc) : write_out(a->output, &out);
	}
	weft_buf_fini(&out);
	gantt_fini(&c.g);
	task_view_fini(&view);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.width = 1200};
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_gantt, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_gantt, argv, n, 1, 1))
		return CLI_USAGE;
	if (!a.output)
		return cli_usage(&weft_command_gantt, "say where to write, with -o OUT");
	if (a.width < 400 || a.width > 20000)
		return cli_usage(&weft_command_gantt, "option '--width': from 400 to 20000 pixels");
	int status = cli_check_ending(&weft_command_gantt, a.output, ".svg .png", NULL);
	if (!status && !a.force && access(a.output, F_OK) == 0)
		status = cli_usage(&weft_command_gantt, "'%s' is there already (--force replaces it)", a.output);
	if (!status)
		status = cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	status = gantt_of(&a, t);
	weft_trace_close(t);
	return status;
}

const struct weft_command weft_command_gantt = {
	.name = "gantt",
	.operands = "TRACE",
	.summary = "draw the workers of a program of tasks, with curves, as StarPU's handbook",
	.about = "Draws what the workers of a program of the task runtime did, in the colours of\n"
		 "StarPU's handbook: tasks green (or in the colour that the program gave them),\n"
		 "fetching of data magenta, sleeping red, scheduling brown, overhead chestnut,\n"
		 "callbacks dark blue; and above it how many tasks were submitted and ready, GFlop/s,\n"
		 "memory in use and bandwidths of memory nodes, as far as they were recorded\n"
		 "(weft record --on starpu_detail). weft timeline draws any trace.\n"
		 "\n"
		 "Examples:\n"
		 "    weft gantt run.weft -o gantt.svg\n"
		 "    weft gantt run.weft -o gantt.png --colors --time 25%..75%",
	.options = options,
	.run = run,
};
