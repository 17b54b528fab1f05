/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files summary`, starpu_paje_summary: a page about one or several traces that needs nothing else: Gantt diagrams, a table of states, how
 * long each state was there altogether, and histograms of what took longest, traces beside each other.
 */
#include "files_cli.h"
#include "files_gantt.h"
#include "files_traces.h"
#include "base/log.h"
#include "render/draw/curves.h"
#include "taskfiles/paje_states.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HISTOGRAMS = 8, TRACES_MOST = 8, BAR_WIDTH = 640, BAR = 14, LABEL = 200 };

static void put_table(struct weft_buf *b, const struct files_traces *t, const char **name)
{
	char stem[64], text[32];
	weft_buf_puts(b, "<h2>States</h2>\n<table>\n<tr><th rowspan=\"2\">state</th>");
	for (unsigned i = 0; i < t->n; i++) {
		weft_buf_puts(b, "<th colspan=\"3\">");
		svg_escaped(b, files_stem(t->path[i], stem, sizeof stem), 0);
		weft_buf_puts(b, "</th>");
	}
	weft_buf_puts(b, "</tr>\n<tr>");
	for (unsigned i = 0; i < t->n; i++)
		weft_buf_puts(b, "<th>n</th><th>total ms</th><th>mean ms</th>");
	weft_buf_puts(b, "</tr>\n");
	for (size_t k = t->names.n; k-- > 0;) {
		weft_buf_puts(b, "<tr><td>");
		svg_escaped(b, name[k], 0);
		weft_buf_puts(b, "</td>");
		for (unsigned i = 0; i < t->n; i++) {
			struct state_sum s = files_traces_sum(t, i, name[k]);
			weft_buf_printf(b, "<td class=\"n\">%llu</td><td class=\"n\">%s</td><td class=\"n\">%.6g</td>",
			                (unsigned long long)s.n, paje_time_text(text, s.total),
			                s.n ? (double)s.total / STATE_UNIT / (double)s.n : 0);
		}
		weft_buf_puts(b, "</tr>\n");
	}
	weft_buf_puts(b, "</table>\n");
}

/* A bar for each state and trace. */
static int put_bars(struct weft_buf *b, const struct files_traces *t, const char **name)
{
	struct picture p;
	char text[64], stem[64];
	int64_t most = 1;
	unsigned pitch = BAR * t->n + 8;
	for (size_t k = 0; k < t->names.n; k++)
		for (unsigned i = 0; i < t->n; i++)
			if (files_traces_sum(t, i, name[k]).total > most)
				most = files_traces_sum(t, i, name[k]).total;
	weft_buf_puts(b, "<h2>Time in each state</h2>\n");
	int rc = picture_begin(&p, WEFT_PICTURE_SVG, b, LABEL + BAR_WIDTH + 120, pitch * (unsigned)t->names.n + 30,
	                       "Time in each state");
	for (unsigned i = 0; i < t->n; i++) {
		picture_rect(&p, LABEL + 140 * i, 4, 10, 10, weft_curve_color(i), 0);
		picture_text(&p, LABEL + 140 * i + 15, 13, SVG_LEFT, "l", files_stem(t->path[i], stem, sizeof stem), 18);
	}
	for (size_t k = 0; k < t->names.n; k++) {
		double y = 26 + pitch * (double)(t->names.n - 1 - k);
		picture_text(&p, LABEL - 8, y + BAR - 3, SVG_RIGHT, "l", name[k], 28);
		for (unsigned i = 0; i < t->n; i++) {
			int64_t total = files_traces_sum(t, i, name[k]).total;
			double w = BAR_WIDTH * (double)total / (double)most;
			picture_rect(&p, LABEL, y + BAR * i, w, BAR - 2, weft_curve_color(i), 0);
			snprintf(text, sizeof text, "%.5g ms", (double)total / STATE_UNIT);
			picture_text(&p, LABEL + w + 5, y + BAR * i + BAR - 4, SVG_LEFT, "s", text, 0);
		}
	}
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

static int put_histograms(struct weft_buf *b, const struct files_traces *t, const char **name)
{
	unsigned n = t->names.n < HISTOGRAMS ? (unsigned)t->names.n : HISTOGRAMS;
	struct picture p;
	weft_buf_puts(b, "<h2>Lengths of what took longest</h2>\n");
	int rc = picture_begin(&p, WEFT_PICTURE_SVG, b, 380 * t->n + 20, 200 * n + 10, "Lengths of states");
	for (unsigned k = 0; k < n && !rc; k++) {
		struct files_values v = {.x_name = "ms", .bins = 30, .from = INFINITY, .to = -INFINITY};
		char title[160], stem[64];
		const char *state = name[t->names.n - 1 - k];
		for (unsigned i = 0; i < t->n; i++) {
			struct state_sum s = files_traces_sum(t, i, state);
			for (size_t m = 0; m < s.length.n; m++) {
				v.from = fmin(v.from, s.length.at[m]);
				v.to = fmax(v.to, s.length.at[m]);
			}
		}
		for (unsigned i = 0; i < t->n; i++) {
			struct state_sum s = files_traces_sum(t, i, state);
			snprintf(title, sizeof title, "%.60s \xc2\xb7 %s: %llu", state, files_stem(t->path[i], stem, sizeof stem),
			         (unsigned long long)s.n);
			v.title = title;
			v.at = s.length.at;
			v.n = s.length.n;
			v.color = weft_curve_color(i);
			files_draw_bars(&p, &(struct files_box){10 + 380 * i, 5 + 200 * k, 380, 200}, &v);
		}
	}
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

static int put_gantts(struct weft_buf *b, const struct files_traces *t)
{
	char stem[64], from[32], to[32];
	int status = CLI_OK;
	for (unsigned i = 0; i < t->n && !status; i++) {
		const struct state_sums *s = &t->at[i];
		weft_buf_puts(b, "<h2>");
		svg_escaped(b, files_stem(t->path[i], stem, sizeof stem), 0);
		weft_buf_puts(b, "</h2>\n");
		if (s->last < s->first) {
			weft_buf_puts(b, "<p>no states</p>\n");
			continue;
		}
		weft_buf_printf(b, "<p>%s ms to %s ms</p>\n", paje_time_text(from, s->first), paje_time_text(to, s->last));
		if (!files_is_rec(t->path[i])) /* which does not say what its workers are called */
			status = files_gantt(t->path[i], s->first, s->last, WEFT_PICTURE_SVG, b);
	}
	return status;
}

static int make_page(struct weft_buf *b, const struct files_traces *t, const char **name)
{
	weft_buf_puts(
		b,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Traces</title>\n<style>\n"
		"body{font:14px Inter,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;margin:24px;color:#24292f}\n"
		"table{border-collapse:collapse}th,td{border:1px solid #d0d7de;padding:3px 9px}\n"
		"th{background:#f6f8fa}.n{text-align:right;font-variant-numeric:tabular-nums}\nsvg{max-width:100%;height:auto}\n"
		"</style>\n</head>\n<body>\n<h1>Traces</h1>\n");
	int status = put_gantts(b, t);
	if (status)
		return status;
	put_table(b, t, name);
	int rc = put_bars(b, t, name);
	rc = rc ? rc : put_histograms(b, t, name);
	weft_buf_puts(b, "</body>\n</html>\n");
	return rc ? cli_fail_code(rc) : CLI_OK;
}

int files_summary(const struct files_args *a, char **operand, int n)
{
	struct files_traces t;
	struct weft_buf page = {0};
	if (n > TRACES_MOST)
		return cli_usage(&weft_command_files, "'summary' takes at most %d traces", TRACES_MOST);
	int status = CLI_OK;
	for (int i = 0; i < n && !status; i++)
		status = cli_check_input(operand[i]); /* they are read twice */
	if (status)
		return status;
	status = files_traces_read(&t, a, operand, n, true);
	const char **name = status ? NULL : files_traces_order(&t);
	if (!status)
		status = name ? make_page(&page, &t, name) : cli_fail_code(-ENOMEM);
	if (!status)
		status = files_write(a, a->output ? a->output : "summary.html", &page);
	weft_buf_fini(&page);
	free(name);
	files_traces_fini(&t);
	return status;
}
