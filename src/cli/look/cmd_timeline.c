/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft timeline`: a picture along time, of a trace's regions or of a window of a view; or the window's values as CSV. What is
 * made is decided in steps: the form (by --format or the suffix), the view and its window, the range, then one of three makers.
 */
#include "cli/common/cli.h"
#include "base/str.h"
#include "metric/paraver/paraver_out.h"
#include "render/region_view.h"
#include "render/view_timeline.h"
#include "view_load.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum form { FORM_SVG, FORM_PNG, FORM_CSV, FORMS };
static const char *const form_names[FORMS] = {"svg", "png", "csv"};

struct args {
	struct cli_common common;
	const char *output, *title, *time, *format, *window, *draw_mode, *draw_rows, *color_mode, *min, *max;
	uint64_t width, height, rows, messages;
	bool force, cells;
	enum form form;
	/* what the texts above mean */
	enum weft_draw time_draw, rows_draw;
	enum weft_color color;
	enum weft_style style;
	double least, most;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write OUT, an .svg, .png or .csv file; '-' is stdout"},
	{0, "format", "FORM", WEFT_OPT_STRING, offsetof(struct args, format), "write svg, png or csv, whatever OUT is called"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B: like 10ms..1.5s, 25%..50%, 2s.. or ..90% (default: all)"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "width of the picture (default: 1200)"},
	{0, "height", "PIXELS", WEFT_OPT_U64, offsetof(struct args, height),
         "of a view: lines of pixels for its rows, at most (default: 960)"},
	{0, "rows", "N", WEFT_OPT_U64, offsetof(struct args, rows),
         "show at most N rows (default: 512 threads; all rows of a view)"},
	{0, "window", "NAME", WEFT_OPT_STRING, offsetof(struct args, window),
         "the window of VIEW with this name or number (default: the last)"},
	{0, "draw-mode", "MODE", WEFT_OPT_STRING, offsetof(struct args, draw_mode),
         "what a pixel shows of its time's values: last, maximum, minnotzero, random, randnotzero, average, averagenotzero, mode, "
         "absolute_maximum or absolute_minimum (default: as the window says)"},
	{0, "draw-mode-rows", "MODE", WEFT_OPT_STRING, offsetof(struct args, draw_rows),
         "the same of rows that share a line of pixels"},
	{0, "color", "MODE", WEFT_OPT_STRING, offsetof(struct args, color_mode),
         "code, gradient, null-gradient, alternative-gradient, punctual, fused or line (default: as the window says)"},
	{0, "min", "VALUE", WEFT_OPT_STRING, offsetof(struct args, min), "the least value of the scale of colours"},
	{0, "max", "VALUE", WEFT_OPT_STRING, offsetof(struct args, max), "its greatest value"},
	{0, "cells", NULL, WEFT_OPT_FLAG, offsetof(struct args, cells),
         "CSV of the picture's cells, and not of the window's intervals"},
	{0, "messages", "N", WEFT_OPT_U64, offsetof(struct args, messages),
         "draw messages when there are at most N (default: 200)"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title),
         "the picture's title (default: the trace's or window's name)"},
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- what the options mean ---- */

static const struct {
	const char *name;
	enum weft_color color;
	enum weft_style style;
} color_modes[] = {
	{"code", WEFT_COLOR_CODE, WEFT_STYLE_COLOR},
	{"gradient", WEFT_COLOR_GRADIENT, WEFT_STYLE_COLOR},
	{"null-gradient", WEFT_COLOR_NOT_NULL, WEFT_STYLE_COLOR},
	{"alternative-gradient", WEFT_COLOR_ALTERNATIVE, WEFT_STYLE_COLOR},
	{"punctual", WEFT_COLOR_PUNCTUAL, WEFT_STYLE_POINTS},
	{"fused", WEFT_COLOR_FUSED, WEFT_STYLE_FUSED},
	{"line", WEFT_COLORS, WEFT_STYLE_LINE},
};

static bool no_mode(const char *option, const char *text, const char *near)
{
	cli_usage(&weft_command_timeline, "option '%s': no mode is called '%s'%s%s%s", option, text, near ? "; '" : "",
	          near ? near : "", near ? "' is one" : "");
	return false;
}

static bool read_color(struct args *a)
{
	enum { MODES = sizeof color_modes / sizeof *color_modes };
	const char *known[MODES];
	a->color = WEFT_COLORS;
	if (!a->color_mode)
		return true;
	for (unsigned i = 0; i < MODES; i++) {
		known[i] = color_modes[i].name;
		if (!strcmp(a->color_mode, color_modes[i].name)) {
			a->color = color_modes[i].color;
			a->style = color_modes[i].style;
			return true;
		}
	}
	return no_mode("--color", a->color_mode, weft_nearest(a->color_mode, known, MODES));
}

static bool read_draw(const char *option, const char *text, enum weft_draw *out)
{
	*out = text ? draw_mode_find(text) : WEFT_DRAWS;
	if (!text || *out < WEFT_DRAWS)
		return true;
	return no_mode(option, text, weft_nearest(text, draw_mode_names, WEFT_DRAWS));
}

static bool read_number(const char *option, const char *text, double *out)
{
	if (!text || !weft_parse_double(weft_str(text), out))
		return true;
	cli_usage(&weft_command_timeline, "option '%s': expected a number, found '%s'", option, text);
	return false;
}

/* By --format, else by the suffix; a name without one is SVG, or CSV where cells are asked for. */
static bool read_form(struct args *a)
{
	size_t n = strlen(a->output);
	enum form form = a->cells ? FORM_CSV : FORM_SVG;
	bool known = !a->format;
	for (unsigned i = 0; i < FORMS; i++)
		if (a->format ? !strcmp(a->format, form_names[i])
		              : n >= 4 && a->output[n - 4] == '.' && !strcmp(a->output + n - 3, form_names[i])) {
			form = (enum form)i;
			known = true;
		}
	a->form = form;
	if (!a->format && cli_check_ending(&weft_command_timeline, a->output, ".svg .png .csv", "--format"))
		return false;
	if (!known)
		cli_usage(&weft_command_timeline, "option '--format': expected svg, png or csv, found '%s'", a->format);
	else if (a->cells && form != FORM_CSV)
		cli_usage(&weft_command_timeline, "option '--cells' makes CSV, and no %s", form_names[form]);
	return known && (!a->cells || form == FORM_CSV);
}

static bool check_sizes(const struct args *a)
{
	const struct {
		const char *name;
		uint64_t value, least, most;
	} size[] = {
		{"--width", a->width, a->form == FORM_CSV ? 1 : WEFT_VIEW_WIDTH_LEAST, WEFT_VIEW_WIDTH_MOST},
		{"--height", a->height, 1, WEFT_VIEW_HEIGHT_MOST},
	};
	for (unsigned i = 0; i < sizeof size / sizeof *size; i++)
		if (size[i].value < size[i].least || size[i].value > size[i].most) {
			cli_usage(&weft_command_timeline, "option '%s': expected %" PRIu64 " to %" PRIu64 ", found '%" PRIu64 "'",
			          size[i].name, size[i].least, size[i].most, size[i].value);
			return false;
		}
	if (a->rows == 0) {
		cli_usage(&weft_command_timeline, "option '--rows': expected at least 1");
		return false;
	}
	return true;
}

/* Options that only a view gives a meaning. */
static bool check_without_view(const struct args *a)
{
	const struct {
		const char *name;
		bool is;
	} only[] = {{"--window", a->window},
	            {"--draw-mode", a->draw_mode},
	            {"--draw-mode-rows", a->draw_rows},
	            {"--color", a->color_mode},
	            {"--min", a->min},
	            {"--max", a->max},
	            {"--cells", a->cells},
	            {"--height", a->height != 960}};
	for (unsigned i = 0; i < sizeof only / sizeof *only; i++)
		if (only[i].is) {
			cli_usage(&weft_command_timeline, "option '%s' needs a view: weft timeline VIEW TRACE", only[i].name);
			return false;
		}
	if (a->form == FORM_CSV)
		cli_usage(&weft_command_timeline, "CSV needs a view: weft timeline VIEW TRACE -o OUT.csv");
	return a->form != FORM_CSV;
}

/* ---- making ---- */

static int write_text(const struct args *a, const struct weft_buf *text)
{
	struct weft_err err = {0};
	struct weft_out out;
	if (weft_out_open(&out, a->output, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static unsigned thread_count(const struct args *a)
{
	return a->common.threads < 4096 ? (unsigned)a->common.threads : 4096;
}

/* The range of --time in ns; all of the trace without it. */
static bool read_range(const struct args *a, const struct weft_trace *t, uint64_t *from, uint64_t *to)
{
	struct weft_err err = {0};
	*from = 0;
	*to = WEFT_NEVER;
	if (a->time && weft_time_range(a->time, t->end, from, to, &err)) {
		cli_usage(&weft_command_timeline, "option '--time': %s", err.text);
		return false;
	}
	if (*from > t->end) {
		char end[32];
		cli_usage(&weft_command_timeline, "option '--time': the trace ends at %s", weft_human_ns(end, t->end));
		return false;
	}
	return true;
}

static enum weft_picture_form picture_form(const struct args *a)
{
	return a->form == FORM_PNG ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG;
}

static int draw_regions(const struct args *a, const struct weft_trace *t)
{
	struct weft_buf picture = {0};
	struct weft_space space;
	struct weft_region_view_how how = {
		.title = a->title,
		.width = (unsigned)a->width,
		.most_rows = a->rows < UINT32_MAX ? (unsigned)a->rows : 0,
		.most_messages = a->messages < UINT32_MAX ? (unsigned)a->messages : UINT32_MAX,
		.threads = thread_count(a),
	};
	if (!read_range(a, t, &how.from, &how.to))
		return CLI_USAGE;
	int rc = cli_space_init(&space, t, &a->common);
	if (!rc)
		rc = weft_region_view_draw(&picture, picture_form(a), &space, &how);
	int status = rc ? cli_fail_code(rc) : write_text(a, &picture);
	weft_buf_fini(&picture);
	weft_space_fini(&space);
	return status;
}

/* By name, or by number from 1; the last without either. */
static const struct weft_window *find_window(const struct args *a, const struct weft_view *v)
{
	uint64_t number;
	if (!a->window)
		return &v->window[v->n_windows - 1];
	for (uint32_t i = 0; i < v->n_windows; i++)
		if (!strcmp(v->window[i].metric.name, a->window))
			return &v->window[i];
	if (!weft_parse_u64(weft_str(a->window), &number) && number >= 1 && number <= v->n_windows)
		return &v->window[number - 1];
	return NULL;
}

static int fail_window(const struct args *a, const struct weft_view *v)
{
	const char *names[32];
	uint32_t n = v->n_windows < 32 ? v->n_windows : 32;
	for (uint32_t i = 0; i < n; i++)
		names[i] = v->window[i].metric.name;
	const char *near = weft_nearest(a->window, names, n);
	if (near)
		return cli_usage(&weft_command_timeline, "option '--window': no window is called '%s'; '%s' is one", a->window,
		                 near);
	return cli_usage(&weft_command_timeline, "option '--window': no window is called '%s'; there are %u", a->window,
	                 v->n_windows);
}

static int write_intervals(const struct args *a, const struct weft_space *s, struct weft_window *w, double from, double to)
{
	struct weft_err err = {0};
	struct weft_paraver_how how = {.decimals = 2, .threads = thread_count(a)};
	w->begin = from;
	w->end = to;
	return weft_paraver_rows(s, w, a->output, &how, &err) ? cli_fail(&err) : CLI_OK;
}

static int draw_window(const struct args *a, const char *path, const struct weft_space *s, const struct weft_view *v,
                       const struct weft_window *w)
{
	uint64_t from, to;
	if (!read_range(a, s->trace, &from, &to))
		return CLI_USAGE;
	struct weft_view_timeline_how how = {
		.space = s,
		.view = v,
		.window = w,
		.title = a->title,
		.file = path,
		.width = (unsigned)a->width,
		.height = (unsigned)a->height,
		.most_rows = a->rows < UINT32_MAX ? (uint32_t)a->rows : 0,
		.style = a->style,
		.from = a->time ? (double)from / (double)s->unit_ns : w->begin,
		.to = a->time ? fmin((double)to / (double)s->unit_ns, s->end) : fmin(w->end, s->end),
		.time_draw = a->time_draw,
		.rows_draw = a->rows_draw,
		.color = a->color,
		.has_min = a->min,
		.has_max = a->max,
		.min = a->least,
		.max = a->most,
		.threads = thread_count(a),
	};
	if (!(how.to > how.from))
		how.to = how.from + 1; /* nothing at all is drawn as one unit of time */
	if (a->form == FORM_CSV && !a->cells) {
		struct weft_window ranged = *w;
		return write_intervals(a, s, &ranged, how.from, how.to);
	}
	struct weft_buf out = {0};
	int rc = a->form == FORM_CSV ? weft_view_timeline_csv(&out, &how) : weft_view_timeline_draw(&out, picture_form(a), &how);
	int status = rc ? cli_fail_code(rc) : write_text(a, &out);
	weft_buf_fini(&out);
	return status;
}

/* The view meets the trace. */
static int draw_view(const struct args *a, struct weft_view *v, const char *name, const char *path, const struct weft_trace *t)
{
	struct weft_space s;
	struct weft_err err = {0};
	int status = CLI_OK;
	if (!v->n_windows) {
		weft_err_set(&err, WEFT_E_SYNTAX, "'%s' has no window", name);
		return cli_fail(&err);
	}
	if (cli_space_init(&s, t, &a->common)) {
		status = cli_fail_code(-ENOMEM);
	} else if (cli_view_bind(v, name, &s, &err)) {
		status = cli_fail(&err);
	} else {
		const struct weft_window *w = find_window(a, v);
		cli_view_say_large(v, &s, &a->common);
		if (!w)
			status = fail_window(a, v);
		else if (!weft_level_size(&s, w->metric.level))
			status = cli_fail(
				(weft_err_set(&err, WEFT_E_SYNTAX, "'%s': the trace has no objects of the level of '%s'", name,
			                      w->metric.name),
			         &err));
		else
			status = draw_window(a, path, &s, v, w);
	}
	weft_space_fini(&s);
	return status;
}

static int timeline_make(const struct args *a, const char *view, const char *path)
{
	struct weft_trace *t = NULL;
	struct weft_view v = {.n_windows = 0};
	struct weft_err err = {0};
	int status = view && weft_view_load(&v, view, &err) ? cli_view_fail(&v, &err) : CLI_OK;
	if (!status)
		status = cli_open(&a->common, path, &t, NULL);
	if (!status) {
		status = view ? draw_view(a, &v, view, path, t) : draw_regions(a, t);
		weft_trace_close(t);
	}
	weft_view_fini(&v);
	return status;
}

static int timeline_run(int argc, char **argv)
{
	struct args a = {.width = 1200, .height = 960, .rows = UINT64_MAX, .messages = 200};
	int n;
	if (!cli_parse(&weft_command_timeline, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_timeline, argv, n, 1, 2))
		return CLI_USAGE;
	if (!a.output)
		return cli_usage(&weft_command_timeline, "say where to write, with -o OUT");
	if (!read_form(&a) || !check_sizes(&a) || !read_color(&a) || !read_draw("--draw-mode", a.draw_mode, &a.time_draw) ||
	    !read_draw("--draw-mode-rows", a.draw_rows, &a.rows_draw) || !read_number("--min", a.min, &a.least) ||
	    !read_number("--max", a.max, &a.most) || (n == 1 && !check_without_view(&a)))
		return CLI_USAGE;
	if (strcmp(a.output, "-") != 0 && !a.force && access(a.output, F_OK) == 0)
		return cli_usage(&weft_command_timeline, "'%s' is there already (--force replaces it)", a.output);
	return n == 1 ? timeline_make(&a, NULL, argv[1]) : timeline_make(&a, argv[1], argv[2]);
}

const struct weft_command weft_command_timeline = {
	.name = "timeline",
	.operands = "[VIEW] TRACE",
	.summary = "draw a trace along time, as SVG or PNG",
	.about = "Draws a row for each thread, coloured by the region that it is in (of nested ones the\n"
		 "innermost), with the messages between them when there are few. Of a long trace each pixel\n"
		 "shows the region that had most of its time: the picture's size is bounded.\n"
		 "\n"
		 "With VIEW, a Paraver .cfg or a view of Weft, draws that view's window as Paraver does: the\n"
		 "colour of the metric's value in each row and pixel. As .csv it writes the window's intervals\n"
		 "as paramedir does, or with --cells what the picture shows.\n"
		 "\n"
		 "Examples:\n"
		 "    weft timeline run.weft -o run.svg\n"
		 "    weft timeline run.weft -o zoom.png --time 120ms..160ms\n"
		 "    weft timeline useful.cfg run.prv -o useful.png --color gradient",
	.options = options,
	.run = timeline_run,
};
