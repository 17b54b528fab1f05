/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"
#include "render/draw/picture.h"
#include "track_run.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 620, LEFT = 90, RIGHT = 40, TOP = 60, BOTTOM = 60, SECONDS_A_RUN = 2, RADIUS_MOST = 26 };

/* ---- chains ---- */

static void print_clusters(const struct track_runs *t, uint32_t run, uint32_t object, FILE *to)
{
	const char *comma = "";
	fputc('{', to);
	for (uint32_t c = 1; c <= t->run[run].n_clusters; c++)
		if (t->tracks.object[run][c] == object) {
			fprintf(to, "%s%u", comma, c);
			comma = ",";
		}
	fputc('}', to);
}

int track_write_sequences(const struct track_runs *t, const char *path)
{
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	for (uint32_t o = 1; o <= t->tracks.n_objects; o++) {
		fprintf(out.to, "%u: ", o);
		for (uint32_t r = 0; r < t->n; r++) {
			fputs(r ? " <-> " : "", out.to);
			print_clusters(t, r, o, out.to);
		}
		fputc('\n', out.to);
	}
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

/* ---- traces ---- */

static int write_trace(const struct track_runs *t, uint32_t run, const char *output, bool force)
{
	struct cluster_run *r = &t->run[run];
	struct cluster_run copy = *r; /* with objects for clusters */
	struct cluster_lines lines = {NULL, NULL};
	copy.label = malloc((r->points.n + 1) * sizeof *copy.label);
	copy.n_clusters = t->tracks.n_objects;
	if (!copy.label)
		return cli_fail_code(-ENOMEM);
	for (size_t i = 0; i < r->points.n; i++)
		copy.label[i] = r->label[i] ? t->tracks.object[run][r->label[i]] : 0;
	int status = cluster_find_lines(&copy, &lines);
	status = status ? status : cluster_write_trace(&copy, &lines, output, false, true, force);
	cluster_lines_fini(&lines);
	free(copy.label);
	return status;
}

int track_write_traces(const struct track_runs *t, const char *prefix, bool force)
{
	int status = CLI_OK;
	for (uint32_t r = 0; r < t->n && !status; r++) {
		char path[4096];
		bool prv = !strcmp(t->run[r].trace->format, "prv");
		if ((size_t)snprintf(path, sizeof path, "%s.%u.tracked.%s", prefix, r + 1, prv ? "prv" : "weft") >= sizeof path)
			return cli_fail_text("'%s' is too long for a name", prefix);
		status = write_trace(t, r, path, force);
	}
	return status;
}

/* ---- the picture ---- */

struct axes {
	double least[2], most[2];
	unsigned metric[2];
	bool log[2];
};

static double shown(const struct axes *a, unsigned k, double v)
{
	return a->log[k] ? log10(v) : v;
}

static void find_axes(const struct track_runs *t, struct axes *a)
{
	unsigned dims = t->run[0].points.dims;
	a->metric[0] = dims > 1 ? 1 : 0;
	for (unsigned k = 0; k < 2; k++) {
		a->log[k] = t->run[0].control.metric[a->metric[k]].log;
		a->least[k] = INFINITY;
		a->most[k] = -INFINITY;
		for (uint32_t r = 0; r < t->n; r++)
			for (uint32_t o = 1; o <= t->tracks.n_objects; o++) {
				double v = track_mean(t, r, o, a->metric[k]);
				if (isnan(v) || (a->log[k] && !(v > 0)))
					continue;
				a->least[k] = fmin(a->least[k], shown(a, k, v));
				a->most[k] = fmax(a->most[k], shown(a, k, v));
			}
		double more = a->most[k] > a->least[k] ? 0.12 * (a->most[k] - a->least[k]) : 0.5;
		a->least[k] -= more;
		a->most[k] += more;
	}
}

struct place {
	double x, y, r;
	bool there;
};

static struct place place_of(const struct track_runs *t, const struct axes *a, uint32_t run, uint32_t object)
{
	double x = track_mean(t, run, object, a->metric[0]), y = track_mean(t, run, object, a->metric[1]);
	struct place p = {.there = !isnan(x) && !isnan(y) && (!a->log[0] || x > 0) && (!a->log[1] || y > 0)};
	if (!p.there)
		return p;
	p.x = LEFT + (WIDTH - LEFT - RIGHT) * (shown(a, 0, x) - a->least[0]) / (a->most[0] - a->least[0]);
	p.y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (shown(a, 1, y) - a->least[1]) / (a->most[1] - a->least[1]);
	p.r = 4 + RADIUS_MOST * sqrt(track_cell_of(t, run, object).share);
	return p;
}

static void draw_frame(struct picture *p, const struct track_runs *t, const struct axes *a)
{
	char text[160];
	picture_line(p, LEFT, TOP, LEFT, HEIGHT - BOTTOM, "g");
	picture_line(p, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "g");
	for (unsigned k = 0; k < 2; k++) {
		double low = a->log[k] ? pow(10, a->least[k]) : a->least[k], high = a->log[k] ? pow(10, a->most[k]) : a->most[k];
		snprintf(text, sizeof text, "%.60s, %.3g to %.3g%s", t->run[0].control.metric[a->metric[k]].name, low, high,
		         a->log[k] ? ", logarithmic" : "");
		if (k == 0)
			picture_text(p, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 20, SVG_MIDDLE, "l", text, 0);
		else
			picture_text(p, LEFT, TOP - 10, SVG_LEFT, "l", text, 0);
	}
	snprintf(text, sizeof text, "%u objects in %u runs", t->tracks.n_objects, t->n);
	picture_text(p, LEFT, 26, SVG_LEFT, "t", text, 0);
}

/* The way of each object as a line with a dot for each run, the last one large. */
static void draw_ways(struct picture *p, const struct track_runs *t, const struct axes *a, bool still)
{
	double *xy = malloc(2 * t->n * sizeof *xy);
	for (uint32_t o = 1; o <= t->tracks.n_objects && xy; o++) {
		uint32_t color = cluster_color(o + WEFT_BURST_NOISE);
		unsigned n = 0;
		struct place last = {.there = false};
		for (uint32_t r = 0; r < t->n; r++) {
			struct place x = place_of(t, a, r, o);
			if (!x.there)
				continue;
			xy[2 * n] = x.x;
			xy[2 * n++ + 1] = x.y;
			picture_dot(p, x.x, x.y, 2.5, color);
			last = x;
		}
		if (n > 1)
			picture_polyline(p, xy, n, color);
		if (still && last.there) {
			char text[24];
			picture_dot(p, last.x, last.y, last.r, color);
			snprintf(text, sizeof text, "%u", o);
			picture_text(p, last.x + last.r + 3, last.y + 4, SVG_LEFT, "b", text, 0);
		}
	}
	free(xy);
}

/* One attribute of a circle over the runs; where the object is not there it stays where it was, and is not seen. */
static void animate(struct weft_buf *b, const struct track_runs *t, const struct axes *a, uint32_t object, unsigned which)
{
	static const char *const names[] = {"cx", "cy", "r"};
	double v = 0;
	for (uint32_t r = t->n; r-- > 0;) { /* what comes first when it is not there in the first run */
		struct place x = place_of(t, a, r, object);
		v = !x.there ? v : which == 0 ? x.x : which == 1 ? x.y : v;
	}
	weft_buf_printf(b, "<animate attributeName=\"%s\" dur=\"%us\" repeatCount=\"indefinite\" values=\"", names[which],
	                SECONDS_A_RUN * t->n);
	for (uint32_t r = 0; r < t->n; r++) {
		struct place x = place_of(t, a, r, object);
		v = x.there ? (which == 0 ? x.x : which == 1 ? x.y : x.r) : which == 2 ? 0 : v;
		weft_buf_printf(b, "%s%.1f", r ? ";" : "", v);
	}
	weft_buf_puts(b, "\"/>");
}

static void draw_moving(struct weft_buf *b, const struct track_runs *t, const struct axes *a)
{
	for (uint32_t o = 1; o <= t->tracks.n_objects; o++) {
		weft_buf_printf(
			b,
			"<circle fill=\"#%06x\" fill-opacity=\"0.75\" stroke=\"#333\" stroke-width=\"0.6\"><title>object %u</title>",
			cluster_color(o + WEFT_BURST_NOISE), o);
		for (unsigned k = 0; k < 3; k++)
			animate(b, t, a, o, k);
		weft_buf_puts(b, "</circle>\n");
	}
	for (uint32_t r = 0; r < t->n; r++) { /* which run it is */
		weft_buf_printf(b, "<text x=\"%d\" y=\"26\" text-anchor=\"end\" class=\"l\" opacity=\"0\">", WIDTH - RIGHT);
		svg_escaped(b, track_run_name(t, r), 60);
		weft_buf_printf(
			b,
			"<animate attributeName=\"opacity\" calcMode=\"discrete\" dur=\"%us\" repeatCount=\"indefinite\" values=\"",
			SECONDS_A_RUN * t->n);
		for (uint32_t k = 0; k < t->n; k++)
			weft_buf_printf(b, "%s%d", k ? ";" : "", k == r);
		weft_buf_puts(b, "\"/></text>\n");
	}
}

int track_write_picture(const struct track_runs *t, const char *path)
{
	enum weft_picture_form form = picture_form_of(path);
	struct picture p;
	struct weft_buf text = {0};
	struct axes a = {.metric = {0, 0}};
	if (!t->tracks.n_objects)
		return cli_fail_text("there are no objects to draw");
	find_axes(t, &a);
	int rc = picture_begin(&p, form, &text, WIDTH, HEIGHT, "objects over runs");
	if (!rc) {
		draw_frame(&p, t, &a);
		draw_ways(&p, t, &a, form != WEFT_PICTURE_SVG);
		if (form == WEFT_PICTURE_SVG)
			draw_moving(&text, t, &a);
	}
	int ended = picture_end(&p);
	rc = rc ? rc : ended ? ended : text.failed ? -ENOMEM : 0;
	int status = rc ? cli_fail_code(rc) : cli_write_whole(path, &text);
	weft_buf_fini(&text);
	return status;
}
