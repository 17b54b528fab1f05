/* SPDX-License-Identifier: Apache-2.0 */
/* What a timeline shows: see server_look.h. */
#include "server_look.h"
#include "metric/func/metric_schema.h"
#include "metric/paraver/paraver_out.h"
#include "render/cells/draw_mode.h"
#include "render/draw/palette.h"
#include "render/region_view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_MOST = 65536 };

const char *const server_draw_names[WEFT_DRAWS + 1] = {
	[WEFT_DRAW_LAST] = "last",
	[WEFT_DRAW_MAXIMUM] = "maximum",
	[WEFT_DRAW_MIN_NOT_ZERO] = "minnotzero",
	[WEFT_DRAW_RANDOM] = "random",
	[WEFT_DRAW_RAND_NOT_ZERO] = "randnotzero",
	[WEFT_DRAW_AVERAGE] = "average",
	[WEFT_DRAW_AVERAGE_NOT_ZERO] = "averagenotzero",
	[WEFT_DRAW_MODE] = "mode",
	[WEFT_DRAW_ABS_MAXIMUM] = "absolute_maximum",
	[WEFT_DRAW_ABS_MINIMUM] = "absolute_minimum",
	[WEFT_DRAWS] = "most",
};

/* ---- regions ---- */

static bool class_is_used(const struct weft_trace *t, enum weft_class class)
{
	for (uint32_t i = 1; i < t->def[class].n; i++)
		if (t->def[class].at[i].n_events)
			return true;
	return false;
}

static uint32_t value_of(const struct server_regions *r, const struct weft_trace *t, uint32_t id)
{
	int64_t code = t->def[r->of].at[id].code;
	if (r->of == WEFT_CLASS_REGION)
		return id;
	return code > 0 && code < CODES_MOST ? (uint32_t)code : 0;
}

/* Of those that the trace has events of: the colours that pictures of it have. */
static int choose_colors(struct server_regions *r, const struct weft_trace *t)
{
	struct weft_palette_name *names = calloc(r->n, sizeof *names);
	uint32_t *color = calloc(r->n, sizeof *color), *value = calloc(r->n, sizeof *value);
	unsigned n = 0;
	int rc = names && color && value ? 0 : -ENOMEM;
	for (uint32_t v = 1; v < r->n && !rc; v++) {
		const struct weft_def_row *d = &t->def[r->of].at[r->def[v]];
		if (!r->name[v] || !d->n_events)
			continue;
		names[n] = (struct weft_palette_name){r->name[v],
		                                      r->of == WEFT_CLASS_REGION ? d->state : weft_region_class_of_state(v)};
		value[n++] = v;
	}
	if (!rc && n)
		rc = weft_palette_choose(names, n, color);
	for (unsigned i = 0; i < n && !rc; i++)
		r->color[value[i]] = color[i];
	free(names);
	free(color);
	free(value);
	return rc;
}

int server_regions_init(struct server_regions *r, const struct weft_trace *t)
{
	*r = (struct server_regions){.of = class_is_used(t, WEFT_CLASS_REGION)  ? WEFT_CLASS_REGION
	                                   : class_is_used(t, WEFT_CLASS_STATE) ? WEFT_CLASS_STATE
	                                                                        : WEFT_CLASS_NONE,
	                             .n = 1};
	for (uint32_t i = 1; r->of && i < t->def[r->of].n; i++) {
		uint32_t v = value_of(r, t, i);
		r->n = v >= r->n ? v + 1 : r->n;
	}
	r->name = calloc(r->n, sizeof *r->name);
	r->color = calloc(r->n, sizeof *r->color);
	r->def = calloc(r->n, sizeof *r->def);
	r->running = calloc(r->n, sizeof *r->running);
	if (!r->name || !r->color || !r->def || !r->running)
		return -ENOMEM;
	for (uint32_t i = 1; r->of && i < t->def[r->of].n; i++) {
		uint32_t v = value_of(r, t, i);
		if (!v)
			continue;
		r->name[v] = t->def[r->of].at[i].name;
		r->def[v] = i;
		r->running[v] = (r->of == WEFT_CLASS_STATE ? weft_region_class_of_state(v) : t->def[r->of].at[i].state) ==
		                WEFT_STATE_RUNNING;
	}
	return choose_colors(r, t);
}

void server_regions_fini(struct server_regions *r)
{
	free(r->name);
	free(r->color);
	free(r->def);
	free(r->running);
	*r = (struct server_regions){.n = 0};
}

/* ---- the look ---- */

static int look_regions(struct server_look *l, const struct server_request *r, unsigned level)
{
	static const bool threads_of[WEFT_LEVELS] =
		{[WEFT_WORKLOAD] = true, [WEFT_APPL] = true, [WEFT_TASK] = true, [WEFT_THREAD] = true, [WEFT_NODE] = true};
	weft_metric_init(&l->metric);
	l->metric.name = "regions";
	l->metric.of_level[WEFT_THREAD].func = l->trace->regions->of == WEFT_CLASS_STATE
	                                               ? weft_func_find(WEFT_FUNC_THREAD, "State As Is")
	                                               : weft_func_innermost_region();
	l->metric.level = WEFT_THREAD;
	if (level != WEFT_LEVELS && level != WEFT_THREAD)
		return weft_err_set(r->err, -EINVAL,
		                    threads_of[level] ? "'level': regions have a row for each thread: fuse rows to have fewer"
		                                      : "'level': expected threads");
	return 0;
}

static int look_view(struct server_look *l, const struct server_request *r, unsigned level)
{
	int rc = server_arg_view(r, l->trace, &l->view, &l->window);
	if (rc)
		return rc;
	l->metric = l->window->metric;
	if (level != WEFT_LEVELS) {
		if (!weft_level_fits(weft_metric_base(&l->metric), (enum weft_level)level) ||
		    !weft_level_size(&l->trace->space, (enum weft_level)level))
			return weft_err_set(r->err, -EINVAL, "'level': '%s' cannot be computed for each %s", l->view->name,
			                    server_level_names[level]);
		l->metric.level = (enum weft_level)level;
	}
	if (!weft_level_size(&l->trace->space, l->metric.level))
		return weft_err_set(r->err, -EINVAL, "'%s': the trace has no objects of its level, %s", l->view->name,
		                    server_level_names[l->metric.level]);
	return coloring_init(&l->colors, l->window, l->trace->trace);
}

int server_look_init(struct server_look *l, const struct server_request *r)
{
	const char *view = server_arg(r, "view");
	unsigned level, draw, fuse, color;
	static const char *const colors[WEFT_COLORS] = {[WEFT_COLOR_CODE] = "code",
	                                                [WEFT_COLOR_GRADIENT] = "gradient",
	                                                [WEFT_COLOR_NOT_NULL] = "null-gradient",
	                                                [WEFT_COLOR_ALTERNATIVE] = "alternative-gradient"};
	*l = (struct server_look){.session = r->session};
	int rc = server_arg_trace(r, &l->trace);
	if (!rc)
		rc = server_arg_choice(r, "level", server_level_names, WEFT_LEVELS, WEFT_LEVELS, &level);
	if (!rc)
		rc = server_arg_choice(r, "draw", server_draw_names, WEFT_DRAWS + 1, WEFT_DRAWS + 1, &draw);
	if (!rc)
		rc = server_arg_choice(r, "fuse", server_draw_names, WEFT_DRAWS, WEFT_DRAWS, &fuse);
	if (!rc)
		rc = server_arg_choice(r, "color", colors, WEFT_COLORS, WEFT_COLORS, &color);
	if (!rc)
		rc = view && *view ? look_view(l, r, level) : look_regions(l, r, level);
	if (rc)
		return rc;
	l->most = draw == WEFT_DRAWS || (draw > WEFT_DRAWS && !l->window);
	if (l->most && l->window && !server_look_is_code(l))
		return weft_err_set(r->err, -EINVAL, "'draw': 'most' is for codes, and '%s' has quantities", l->view->name);
	l->draw = draw < WEFT_DRAWS                ? (enum weft_draw)draw
	          : l->window && draw > WEFT_DRAWS ? l->window->draw_time
	                                           : WEFT_DRAW_LAST;
	l->fuse = fuse < WEFT_DRAWS ? (enum weft_draw)fuse : l->window ? l->window->draw_rows : WEFT_DRAW_MODE;
	if (l->window && color < WEFT_COLORS)
		l->colors.kind = color == WEFT_COLOR_CODE       ? COLOR_CODE
		                 : color == WEFT_COLOR_GRADIENT ? COLOR_GRADIENT
		                 : color == WEFT_COLOR_NOT_NULL ? COLOR_NOT_NULL
		                                                : COLOR_ALTERNATIVE;
	l->has_min = server_arg(r, "min");
	l->has_max = server_arg(r, "max");
	if (l->window)
		rc = server_arg_double(r, "min", l->colors.min, &l->colors.min);
	if (!rc && l->window)
		rc = server_arg_double(r, "max", l->colors.max, &l->colors.max);
	return rc;
}

void server_look_fini(struct server_look *l)
{
	coloring_fini(&l->colors);
	server_view_drop(l->session, l->view);
	l->view = NULL;
}

uint32_t server_own_thread(const struct server_trace *t, uint32_t row)
{
	return t->space.schema ? t->space.schema->thread[row] : row;
}

uint32_t server_row_of_thread(const struct server_trace *t, uint32_t thread)
{
	return thread == WEFT_NONE ? WEFT_NONE : t->space.schema ? t->space.schema->row[thread] : thread;
}

uint32_t server_look_rows(const struct server_look *l)
{
	return weft_level_size(&l->trace->space, l->metric.level);
}

bool server_look_is_code(const struct server_look *l)
{
	return !l->window || l->window->color == WEFT_COLOR_CODE || l->window->color == WEFT_COLOR_PUNCTUAL;
}

double server_look_value(const struct server_look *l, double v)
{
	(void)l;
	return v < 0 ? WEFT_REGION_AWAY : floor(v);
}

uint32_t server_look_color(const struct server_look *l, double v)
{
	const struct server_regions *r = l->trace->regions;
	if (l->window) {
		bool nothing = v == 0 && (l->colors.kind == COLOR_CODE || l->colors.kind == COLOR_NOT_NULL);
		return nothing ? 0 : 0xff000000u | coloring_of(&l->colors, v);
	}
	if (v < 0)
		return 0;
	uint32_t value = v < r->n ? (uint32_t)v : 0;
	if (!value)
		return 0;
	return 0xff000000u | r->color[value];
}

void server_look_name(const struct server_look *l, double v, struct weft_buf *out)
{
	const struct server_regions *r = l->trace->regions;
	size_t before = out->n;
	if (l->window)
		weft_value_name(&l->trace->space, l->window, &l->view->view, v, true, out);
	else if (v < 0)
		weft_buf_puts(out, "not there");
	else if (v < 1)
		weft_buf_puts(out, r->of == WEFT_CLASS_STATE ? "Idle" : "in no region");
	else if (v < r->n && r->name[(uint32_t)v])
		weft_buf_puts(out, r->name[(uint32_t)v]);
	if (out->n == before)
		weft_buf_puts(out, "?");
}

/* ---- lines ---- */

/* "4~6" or "4": takes it off the front of *s. */
static bool take_run(struct weft_str *s, uint32_t limit, uint64_t *first, uint64_t *last)
{
	struct weft_str part, left;
	weft_str_cut(s, '_', &part);
	weft_str_cut(&part, '~', &left);
	if (weft_parse_u64(left, first))
		return false;
	*last = *first;
	if (part.at && weft_parse_u64(part, last))
		return false;
	return *first <= *last && *last < limit;
}

struct reading {
	WEFT_VEC(uint32_t) row, first;
	uint32_t limit;
};

static int add_run(struct reading *in, uint64_t first, uint64_t last, bool lines)
{
	int rc = last - first < SERVER_ROWS_MOST - in->row.n ? 0 : -E2BIG;
	for (uint64_t i = first; i <= last && !rc; i++) {
		if (lines)
			rc = in->first.n < SERVER_LINES_MOST ? weft_vec_push(&in->first, (uint32_t)in->row.n) : -E2BIG;
		if (!rc)
			rc = weft_vec_push(&in->row, (uint32_t)i);
	}
	return rc;
}

/* "0-3" is lines of a row each, anything else one line. */
static int add_part(struct reading *in, struct weft_str part)
{
	struct weft_str rest = part, left;
	uint64_t first, last;
	weft_str_cut(&rest, '-', &left);
	if (rest.at) {
		if (weft_parse_u64(left, &first) || weft_parse_u64(rest, &last) || first > last || last >= in->limit)
			return WEFT_E_SYNTAX;
		return add_run(in, first, last, true);
	}
	int rc = in->first.n < SERVER_LINES_MOST ? weft_vec_push(&in->first, (uint32_t)in->row.n) : -E2BIG;
	for (rest = part; rest.at && !rc;) {
		if (!take_run(&rest, in->limit, &first, &last))
			return WEFT_E_SYNTAX;
		rc = add_run(in, first, last, false);
	}
	return rc;
}

int server_lines_read(struct server_lines *l, struct weft_str text, uint32_t limit, struct weft_err *err)
{
	struct reading in = {.limit = limit};
	struct weft_str part = {0};
	int rc = 0;
	*l = (struct server_lines){0};
	while (!rc && weft_str_cut(&text, ',', &part))
		rc = add_part(&in, part);
	if (!rc)
		rc = weft_vec_push(&in.first, (uint32_t)in.row.n);
	if (rc == WEFT_E_SYNTAX)
		weft_err_set(err, rc, "'rows': expected rows below %u, like 0-3,7,4~6, found '%.*s'", limit,
		             (int)(part.n < 40 ? part.n : 40), part.at);
	else if (rc)
		weft_err_set(err, rc, rc == -E2BIG ? "'rows': too many for one request" : "out of memory");
	*l = (struct server_lines){.row = in.row.at,
	                           .first = in.first.at,
	                           .n = in.first.n ? (uint32_t)in.first.n - 1 : 0,
	                           .n_rows = (uint32_t)in.row.n};
	return rc;
}

/* Without the argument: all rows, a line each, as far as they go. */
int server_lines_init(struct server_lines *l, const struct server_request *r, uint32_t limit)
{
	const char *text = server_arg(r, "rows");
	char all[32];
	if (text)
		return server_lines_read(l, weft_str(text), limit, r->err);
	snprintf(all, sizeof all, "0-%u", limit > SERVER_LINES_MOST ? SERVER_LINES_MOST - 1 : limit ? limit - 1 : 0);
	return server_lines_read(l, weft_str(all), limit, r->err);
}

void server_lines_fini(struct server_lines *l)
{
	free(l->row);
	free(l->first);
	*l = (struct server_lines){0};
}
