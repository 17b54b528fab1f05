/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals of a track, packed (web/export/pack.js unpacks them). Those of regions lie in each other, each with its depth; those of a metric lie
 * beside each other. Of several that are shorter than a step of time and fall into one, the longest stays.
 */
#include "server_export_priv.h"
#include "server/core/server_nest.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTHS = 64, VALUES_MOST = 256, STEPS_FOR = 250 };

struct packed {
	uint64_t begin, end; /* in steps from the page's begin */
	uint32_t place, depth;
};
struct rowing {
	struct export_track *track;
	const struct server_export_how *how;
	uint64_t step;
	WEFT_VEC(struct packed) list;
	struct packed pending[DEPTHS]; /* shorter than a step; begin == UINT64_MAX: none */
	uint64_t longest[DEPTHS], last_end[DEPTHS];
	bool failed;
};

void export_put_number(struct weft_buf *b, uint64_t v)
{
	while (v >= 128) {
		weft_buf_putc(b, (char)(v | 128));
		v >>= 7;
	}
	weft_buf_putc(b, (char)v);
}

static int push(struct rowing *r, struct packed p)
{
	uint64_t *last = &r->last_end[p.depth];
	p.begin = p.begin < *last ? *last : p.begin;
	p.end = p.end <= p.begin ? p.begin + 1 : p.end;
	*last = p.end;
	return weft_vec_push(&r->list, p);
}

static int flush(struct rowing *r, uint32_t depth)
{
	struct packed p = r->pending[depth];
	r->pending[depth].begin = UINT64_MAX;
	return p.begin == UINT64_MAX ? 0 : push(r, p);
}

/* An interval of a depth, in the order of their ends. */
static int take(struct rowing *r, uint64_t begin, uint64_t end, uint32_t place, uint32_t depth)
{
	const struct server_export_how *how = r->how;
	if (depth >= DEPTHS || end <= how->from || begin >= how->to)
		return 0;
	begin = begin < how->from ? how->from : begin;
	end = end > how->to ? how->to : end;
	struct packed p = {(begin - how->from) / r->step, (end - how->from) / r->step, place, depth},
		      *pending = &r->pending[depth];
	bool narrow = p.begin == p.end;
	if (narrow && pending->begin == p.begin) {
		if (end - begin > r->longest[depth]) {
			r->longest[depth] = end - begin;
			pending->place = place;
		}
		return 0;
	}
	int rc = flush(r, depth);
	if (narrow) {
		*pending = p;
		r->longest[depth] = end - begin;
		return rc;
	}
	return rc ? rc : push(r, p);
}

static int order_packed(const void *a, const void *b)
{
	const struct packed *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static int row_end(struct rowing *r)
{
	struct weft_buf *b = &r->track->bytes;
	uint64_t last = 0;
	int rc = 0;
	for (uint32_t d = 0; d < DEPTHS && !rc; d++)
		rc = flush(r, d);
	if (r->track->nested && r->list.n)
		qsort(r->list.at, r->list.n, sizeof *r->list.at, order_packed);
	export_put_number(b, r->list.n);
	for (size_t i = 0; i < r->list.n; i++) {
		const struct packed *p = &r->list.at[i];
		export_put_number(b, p->begin - last);
		export_put_number(b, p->end - p->begin);
		export_put_number(b, p->depth);
		export_put_number(b, p->place);
		last = p->begin;
	}
	r->track->intervals += r->list.n;
	return b->failed ? -ENOMEM : rc;
}

static void row_begin(struct rowing *r)
{
	r->list.n = 0;
	for (uint32_t d = 0; d < DEPTHS; d++) {
		r->pending[d].begin = UINT64_MAX;
		r->last_end[d] = 0;
	}
}

static int place_of(struct export_track *t, double v, uint16_t *place)
{
	int rc = server_palette_add(&t->palette, &v, 1, place);
	return rc == -E2BIG ? 0 : rc;
}

static int on_span(void *arg, const struct weft_span *s)
{
	struct rowing *r = arg;
	uint16_t place = 0;
	int rc = place_of(r->track, s->region, &place);
	return rc ? rc : take(r, s->begin, s->end, place, s->depth);
}

/* Calls for each interval of a metric's row that is in the range. */
static int each_interval(struct export_track *t, const struct server_export_how *how, uint32_t object,
                         int (*use)(void *arg, uint64_t begin, uint64_t end, double v), void *arg)
{
	struct server_trace *trace = t->look.trace;
	struct weft_row *row = NULL;
	struct weft_intervals *b = malloc(sizeof *b);
	int rc = b ? weft_row_open(&row, &trace->space, &t->look.metric, object, server_units(trace, how->from),
	                           server_units(trace, how->to))
	           : -ENOMEM;
	while (!rc && (rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		rc = 0;
		for (uint32_t i = 0; i < b->n && !rc; begin = b->end[i++]) {
			double v = t->look.window ? b->value[i] : server_look_value(&t->look, b->value[i]);
			if (b->end[i] > begin && v == v)
				rc = use(arg, server_ns(trace, begin), server_ns(trace, b->end[i]), v);
		}
	}
	if (row)
		weft_row_close(row);
	free(b);
	return rc;
}

/* What is 0 in a view of quantities, or away, is as if it was not there. */
static bool is_nothing(const struct export_track *t, double v)
{
	return t->look.window ? v == 0 : v < 0;
}

static int use_interval(void *arg, uint64_t begin, uint64_t end, double v)
{
	struct rowing *r = arg;
	uint16_t place = 0;
	if (is_nothing(r->track, v))
		return 0;
	int rc = place_of(r->track, v, &place);
	return rc ? rc : take(r, begin, end, place, 0);
}

/* ---- values ---- */

static int see_value(void *arg, uint64_t begin, uint64_t end, double v)
{
	struct export_track *t = arg;
	struct server_palette *p = &t->palette;
	uint16_t place;
	(void)begin, (void)end;
	if (is_nothing(t, v))
		return 0;
	p->min = v < p->min ? v : p->min;
	p->max = v > p->max ? v : p->max;
	return p->entry.n > VALUES_MOST ? 0 : place_of(t, v, &place);
}

/* Of quantities with many values, steps of their scale; as in the timeline. */
static int choose_values(struct export_track *t, const struct server_export_how *how)
{
	uint32_t n = server_look_rows(&t->look);
	int rc = 0;
	t->palette = (struct server_palette){.min = INFINITY, .max = -INFINITY};
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = !(i % 16) && export_gone(how) ? -ECANCELED : each_interval(t, how, i, see_value, t);
	bool some = t->palette.min <= t->palette.max, many = t->palette.entry.n > VALUES_MOST && !server_look_is_code(&t->look);
	double min = some ? t->palette.min : 0, max = some ? t->palette.max : 0;
	const struct weft_window *w = t->look.window;
	if (w && !w->compute_y_min && w->y_max > w->y_min)
		min = w->y_min;
	if (w && !w->compute_y_max && w->y_max > w->y_min)
		max = w->y_max;
	t->look.colors.min = min;
	t->look.colors.max = max;
	server_palette_fini(&t->palette);
	t->palette = (struct server_palette){.steps = many, .min = min, .max = max};
	return rc;
}

/* ---- the track ---- */

int export_track_init(struct export_track *t, const struct server_export_how *how, const char *view, const char *window,
                      const char *level, struct weft_err *err)
{
	char trace[16];
	struct server_arg args[4] = {{"trace", trace}};
	struct server_request r = {.session = how->session, .arg = args, .n_args = 1, .body = "", .err = err};
	snprintf(trace, sizeof trace, "%u", (unsigned)how->trace);
	*t = (struct export_track){.view = view, .window = window ? window : "", .level = level ? level : ""};
	if (*t->view)
		args[r.n_args++] = (struct server_arg){"view", t->view};
	if (*t->window)
		args[r.n_args++] = (struct server_arg){"window", t->window};
	if (*t->level)
		args[r.n_args++] = (struct server_arg){"level", t->level};
	int rc = server_look_init(&t->look, &r);
	if (rc)
		return rc;
	t->nested = !t->look.window && t->look.trace->regions->of == WEFT_CLASS_REGION && t->look.metric.level == WEFT_THREAD;
	rc = t->nested ? 0 : choose_values(t, how);
	return rc ? weft_err_set(err, rc, "cannot read '%s': %s", export_trace(how)->path, weft_err_name(rc)) : 0;
}

void export_track_fini(struct export_track *t)
{
	server_palette_fini(&t->palette);
	weft_buf_fini(&t->bytes);
	server_look_fini(&t->look);
}

int export_track_pack(struct export_track *t, const struct server_export_how *how, uint64_t step)
{
	struct rowing *r = calloc(1, sizeof *r);
	uint32_t n = server_look_rows(&t->look);
	int rc = r ? 0 : -ENOMEM;
	t->bytes.n = 0;
	t->intervals = 0;
	for (uint32_t i = 0; i < n && !rc; i++) {
		uint32_t own = t->nested ? server_own_thread(t->look.trace, i) : 0;
		r->track = t;
		r->how = how;
		r->step = step;
		if (!(i % 16) && export_gone(how)) {
			rc = -ECANCELED;
			break;
		}
		row_begin(r);
		if (!t->nested)
			rc = each_interval(t, how, i, use_interval, r);
		else if (own != WEFT_NONE)
			rc = server_nest_walk(t->look.trace->nests, own, how->from, how->to, UINT64_MAX, on_span, r);
		if (!rc)
			rc = row_end(r);
	}
	if (r)
		free(r->list.at);
	free(r);
	return rc;
}

static void put_values(struct weft_json *j, const struct export_track *t)
{
	struct weft_buf name = {0};
	weft_json_key(j, "values");
	weft_json_array(j);
	for (size_t i = 0; i < t->palette.entry.n; i++)
		server_put_value(j, &t->look, t->palette.entry.at[i].value, &name);
	weft_json_end(j);
	double none = t->look.window ? 0 : WEFT_REGION_AWAY;
	weft_json_key(j, "none");
	weft_json_object(j);
	server_put_double(j, "value", none);
	server_put_string(j, "name", "");
	server_put_u64(j, "color", server_look_color(&t->look, none));
	weft_json_end(j);
	weft_buf_fini(&name);
}

void export_track_put(struct weft_json *j, const struct export_track *t, uint64_t at)
{
	weft_json_object(j);
	server_put_string(j, "view", t->view);
	if (*t->window)
		server_put_string(j, "window", t->window);
	if (*t->level)
		server_put_string(j, "level", t->level);
	server_put_string(j, "is", server_level_names[t->look.metric.level]);
	server_put_u64(j, "count", server_look_rows(&t->look));
	server_put_bool(j, "nested", t->nested);
	server_put_bool(j, "codes", server_look_is_code(&t->look));
	server_put_double(j, "min", t->look.window ? t->look.colors.min : 0);
	server_put_double(j, "max", t->look.window ? t->look.colors.max : 0);
	server_put_u64(j, "at", at);
	server_put_u64(j, "n", t->bytes.n);
	put_values(j, t);
	weft_json_end(j);
}
