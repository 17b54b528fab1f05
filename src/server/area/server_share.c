/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share/…: what is seen, as files, by the code that draws for commands: the same bytes. kind=timeline is `weft timeline`, with a view or without;
 * gantt is `weft gantt`, graph is `weft graph`.
 */
#include "charts/gantt_draw.h"
#include "charts/graph_out.h"
#include "metric/paraver/paraver_out.h"
#include "metric/view/view_lack.h"
#include "render/cells/draw_mode.h"
#include "render/region_view.h"
#include "render/view_timeline.h"
#include "server/core/server_look.h"
#include "server/core/server_tasks.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, HEIGHT = 960, GANTT_LEAST = 400, CSV_MOST = 64 << 20 };

struct sharing {
	const struct server_request *r;
	struct server_trace *trace;
	enum weft_picture_form form;
	uint64_t from, to, width;
	bool ranged; /* from and to were asked for */
};

static int sharing_init(struct sharing *s, const struct server_request *r)
{
	static const char *const forms[] = {"svg", "png"};
	unsigned form = 0;
	*s = (struct sharing){.r = r, .ranged = server_arg(r, "to")};
	int rc = server_arg_trace(r, &s->trace);
	if (!rc)
		rc = server_arg_range(r, s->trace, &s->from, &s->to);
	if (!rc)
		rc = server_arg_choice(r, "form", forms, 2, 0, &form);
	if (!rc)
		rc = server_arg_u64(r, "width", GANTT_LEAST, WEFT_VIEW_WIDTH_MOST, WIDTH, &s->width);
	s->form = form ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG;
	return rc;
}

/* ---- timelines ---- */

static int share_regions(const struct sharing *s, struct weft_buf *out)
{
	struct weft_region_view_how how = {.from = s->ranged ? s->from : 0,
	                                   .to = s->ranged ? s->to : WEFT_NEVER,
	                                   .width = (unsigned)s->width,
	                                   .most_messages = 200,
	                                   .threads = server_session_threads(s->r->session)};
	return weft_region_view_draw(out, s->form, &s->trace->space, &how);
}

/* As `weft timeline VIEW TRACE --time from..to` has it. */
static int share_how(const struct sharing *s, struct server_view *v, const struct weft_window *w,
                     struct weft_view_timeline_how *how)
{
	uint64_t height;
	unsigned draw = WEFT_DRAWS, rows = WEFT_DRAWS;
	int rc = server_arg_u64(s->r, "height", 1, WEFT_VIEW_HEIGHT_MOST, HEIGHT, &height);
	if (!rc)
		rc = server_arg_choice(s->r, "draw", draw_mode_names, WEFT_DRAWS, WEFT_DRAWS, &draw);
	if (!rc)
		rc = server_arg_choice(s->r, "fuse", draw_mode_names, WEFT_DRAWS, WEFT_DRAWS, &rows);
	if (rc)
		return rc;
	const struct weft_space *space = &s->trace->space;
	if (!weft_level_size(space, w->metric.level))
		return weft_err_set(s->r->err, -EINVAL, "the trace has no objects of the level of '%s'", w->metric.name);
	*how = (struct weft_view_timeline_how){
		.space = space,
		.view = &v->view,
		.window = w,
		.file = s->trace->path,
		.width = (unsigned)s->width,
		.height = (unsigned)height,
		.from = s->ranged ? (double)s->from / (double)space->unit_ns : w->begin,
		.to = s->ranged ? fmin((double)s->to / (double)space->unit_ns, space->end) : fmin(w->end, space->end),
		.time_draw = (enum weft_draw)draw,
		.rows_draw = (enum weft_draw)rows,
		.color = WEFT_COLORS,
		.threads = server_session_threads(s->r->session),
	};
	if (!(how->to > how->from))
		how->to = how->from + 1;
	return 0;
}

static int share_timeline(const struct sharing *s, struct weft_buf *out)
{
	const char *name = server_arg(s->r, "view");
	struct server_view *v;
	const struct weft_window *w;
	struct weft_view_timeline_how how;
	if (!name || !*name)
		return share_regions(s, out);
	int rc = server_arg_view(s->r, s->trace, &v, &w);
	if (rc)
		return rc;
	rc = share_how(s, v, w, &how);
	if (!rc)
		rc = weft_view_timeline_draw(out, s->form, &how);
	server_view_drop(s->r->session, v);
	return rc;
}

/* ---- tasks ---- */

static int share_gantt(const struct sharing *s, struct weft_buf *out)
{
	struct task_view v;
	struct server_trace *t;
	struct gantt g = {0};
	char width[24];
	snprintf(width, sizeof width, "%u", gantt_plot_width((unsigned)s->width));
	struct server_arg arg[32] = {{"width", width}};
	struct server_request asked = *s->r;
	unsigned n = 1;
	for (unsigned i = 0; i < s->r->n_args && n < 32; i++)
		if (strcmp(s->r->arg[i].name, "width") != 0)
			arg[n++] = s->r->arg[i];
	asked.arg = arg;
	asked.n_args = n;
	int rc = server_tasks_get(&asked, &v, &t);
	if (!rc)
		rc = server_task_chart(&asked, &v, t, &g);
	if (!rc)
		rc = gantt_draw(&g, NULL, out, s->form);
	gantt_fini(&g);
	return rc;
}

static int share_graph(const struct sharing *s, struct weft_buf *out)
{
	struct task_view v;
	struct server_trace *t;
	struct graph_view g = {0};
	struct graph_how how;
	int rc = server_tasks_get(s->r, &v, &t);
	if (!rc)
		rc = server_task_graph(s->r, &v, &g, &how);
	if (!rc)
		rc = graph_draw(out, s->form, &g, &how);
	if (rc == -E2BIG && !s->r->err->code)
		weft_err_set(s->r->err, rc, "the graph is too large for a PNG: fold more, or take SVG");
	graph_view_fini(&g);
	return rc;
}

static int share_picture(const struct server_request *r, struct server_answer *a)
{
	static int (*const kinds[])(const struct sharing *, struct weft_buf *) = {share_timeline, share_gantt, share_graph};
	static const char *const names[] = {"timeline", "gantt", "graph"};
	struct sharing s;
	unsigned kind = 0;
	int rc = sharing_init(&s, r);
	if (!rc)
		rc = server_arg_choice(r, "kind", names, 3, 0, &kind);
	if (!rc)
		rc = kinds[kind](&s, &a->body);
	a->type = s.form == WEFT_PICTURE_PNG ? "image/png" : "image/svg+xml";
	return rc ? rc : a->body.failed ? -ENOMEM : 0;
}

/* ---- values ---- */

/* cells=1: what the picture shows, as `weft timeline --cells`; else the window's intervals, as paramedir has them. */
static int csv_of(const struct sharing *s, const struct weft_view_timeline_how *how, struct server_answer *a)
{
	uint64_t cells = 0;
	int rc = server_arg_u64(s->r, "cells", 0, 1, 0, &cells);
	if (rc || cells)
		return rc ? rc : weft_view_timeline_csv(&a->body, how);
	struct weft_window ranged = *how->window;
	struct weft_paraver_how decimals = {.decimals = 2, .threads = how->threads};
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	if (!to)
		return -ENOMEM;
	ranged.begin = how->from;
	ranged.end = how->to;
	rc = weft_paraver_rows_to(how->space, &ranged, to, &decimals, s->r->err);
	rc = fclose(to) && !rc ? -ENOMEM : rc;
	if (!rc && n > CSV_MOST)
		rc = weft_err_set(s->r->err, -E2BIG, "that is more than %d MiB: zoom in, or let 'weft timeline' write it",
		                  CSV_MOST >> 20);
	if (!rc)
		weft_buf_add(&a->body, text, n);
	free(text);
	return rc;
}

static int share_csv(const struct server_request *r, struct server_answer *a)
{
	struct sharing s;
	struct server_view *v;
	const struct weft_window *w;
	struct weft_view_timeline_how how;
	int rc = sharing_init(&s, r);
	if (!rc && !server_arg(r, "view"))
		rc = weft_err_set(r->err, -EINVAL, "'view': expected the view whose values are wanted");
	if (!rc)
		rc = server_arg_view(r, s.trace, &v, &w);
	if (rc)
		return rc;
	rc = share_how(&s, v, w, &how);
	if (!rc)
		rc = csv_of(&s, &how, a);
	server_view_drop(r->session, v);
	a->type = "text/csv; charset=utf-8";
	return rc ? rc : a->body.failed ? -ENOMEM : 0;
}

/* What was on the command line: a page's state, or those of several windows. */
static int share_state(const struct server_request *r, struct server_answer *a)
{
	weft_buf_puts(&a->body, r->session->page ? r->session->page : "null");
	return a->body.failed ? -ENOMEM : 0;
}

/* A page of its own, which needs no server. */
static int share_page(const struct server_request *r, struct server_answer *a)
{
	if (!r->session->save_page)
		return weft_err_set(r->err, -ENOENT, "this server saves no pages");
	return r->session->save_page(r, a);
}

/* How far share/page is, and what became of the last one. */
static int share_saving(const struct server_request *r, struct server_answer *a)
{
	struct server_session *s = r->session;
	const char *what = weft_load_ptr(&s->saving.what);
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_bool(w, "saving", weft_load_bool(&s->is_saving));
	server_put_string(w, "what", what ? what : "");
	server_put_u64(w, "done", weft_load_u64(&s->saving.done));
	server_put_u64(w, "total", weft_load_u64(&s->saving.total));
	server_put_u64(w, "bytes", weft_load_u64(&s->saved_bytes));
	server_put_u64(w, "step_ns", weft_load_u64(&s->saved_step_ns));
	server_put_u64(w, "intervals", weft_load_u64(&s->saved_intervals));
	weft_json_end(w);
	return server_json_end(&j, a);
}

const struct server_route server_share_routes[] = {
	{.path = "share/page", .answer = share_page},       {.path = "share/saving", .answer = share_saving},
	{.path = "share/picture", .answer = share_picture}, {.path = "share/csv", .answer = share_csv},
	{.path = "share/state", .answer = share_state},     {0},
};
