/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in the text of views:
 *
 *   table "MPI profile" = time_share of calls by calls planes phase { scale 0..200 step 1; sort average; vertical }
 */
#include "metric/cfg/cfg_parts.h"
#include "text_priv.h"
#include <errno.h>
#include <string.h>

struct entry {
	const char *key;
	int (*read)(struct text *p, struct weft_hist *h);
};

/* ---- scales ---- */

/* auto, A..B, step D, columns N, zero: any of them, in any order. */
static int read_scale(struct text *p, struct weft_scale *s)
{
	bool is_auto = false, range = false, step = false, was;
	int rc = 0;
	*s = (struct weft_scale){.delta = 1};
	while (!rc && !text_ends(p)) {
		if (p->now.kind == TEXT_NUMBER || text_is(p, "-")) {
			range = true;
			rc = text_number(p, &s->min);
			if (!rc)
				rc = text_expect(p, "..");
			if (!rc)
				rc = text_number(p, &s->max);
			continue;
		}
		rc = text_take(p, "auto", &was);
		is_auto |= was;
		if (rc || was)
			continue;
		rc = text_take(p, "zero", &was);
		s->zero |= was;
		if (rc || was)
			continue;
		rc = text_take(p, "step", &was);
		if (!rc && was) {
			step = true;
			rc = text_number(p, &s->delta);
			continue;
		}
		if (!rc)
			rc = text_take(p, "columns", &was);
		if (!rc)
			rc = was ? text_count(p, &s->n) : text_fail(p, "expected A..B, auto, step, columns or zero");
	}
	s->compute = is_auto || !range;
	s->fixed_delta = step;
	return rc;
}

static int read_columns(struct text *p, struct weft_hist *h)
{
	return read_scale(p, &h->scale);
}

/* Paraver's views have less to say of these. */
static int read_planes(struct text *p, struct weft_hist *h)
{
	struct weft_scale *s = &h->planes;
	int rc = read_scale(p, s);
	if (!rc && (s->n || s->zero || (s->compute && s->fixed_delta)))
		rc = text_fail(p, "planes have a scale of auto, or of A..B step D");
	return rc;
}

static int read_plane(struct text *p, struct weft_hist *h)
{
	h->has_plane = true;
	return text_number(p, &h->plane);
}

/* ---- the other entries ---- */

/* sort average [ascending] */
static int read_sort(struct text *p, struct weft_hist *h)
{
	int sort, rc = text_choice(p, text_sorts, "order of columns", &sort);
	if (rc)
		return rc;
	h->sorted = true;
	h->sort = (enum weft_sort)sort;
	return text_take(p, "ascending", &h->reverse);
}

static int read_time(struct text *p, struct weft_hist *h)
{
	int limits, rc = text_choice(p, text_limits, "range of time", &limits);
	if (!rc)
		h->limits = (enum weft_limits)limits;
	return rc;
}

static int read_vertical(struct text *p, struct weft_hist *h)
{
	(void)p;
	h->vertical = true;
	return 0;
}

static int read_show_empty(struct text *p, struct weft_hist *h)
{
	(void)p;
	h->hide_empty = false;
	return 0;
}

static int read_long_labels(struct text *p, struct weft_hist *h)
{
	(void)p;
	h->short_labels = false;
	return 0;
}

static int read_only_totals(struct text *p, struct weft_hist *h)
{
	(void)p;
	h->only_totals = true;
	return 0;
}

static int read_paraver(struct text *p, struct weft_hist *h)
{
	struct weft_key_line l;
	int rc = text_paraver_line(p, cfg_hist_keys, &l);
	if (rc == 0 && cfg_is_row_key(weft_str(l.key)))
		rc = cfg_set_rows(h, &p->view->arena, weft_str(l.key), weft_str(l.text));
	if (rc == -EINVAL)
		return text_fail(p, "expected numbers of rows with commas between them");
	return rc ? rc : weft_vec_push(&p->other, l) ? text_memory(p) : 0;
}

static const struct entry entries[] = {
	{"scale", read_columns},
	{"plane_scale", read_planes},
	{"plane", read_plane},
	{"sort", read_sort},
	{"time", read_time},
	{"vertical", read_vertical},
	{"show_empty", read_show_empty},
	{"long_labels", read_long_labels},
	{"only_totals", read_only_totals},
	{"paraver", read_paraver},
};

static int read_entry(struct text *p, struct weft_hist *h)
{
	unsigned i;
	int rc = text_key(p, entries, sizeof entries / sizeof *entries, sizeof *entries, "scale or sort", &i);
	if (!rc)
		rc = entries[i].read(p, h);
	if (!rc && !text_ends(p))
		rc = text_fail(p, "expected the end of the line");
	return rc;
}

static int read_block(struct text *p, struct weft_hist *h)
{
	bool open;
	p->other.n = 0;
	int rc = text_take(p, "{", &open);
	while (!rc && open && !text_is(p, "}")) {
		rc = text_skip_lines(p);
		if (!rc && !text_is(p, "}"))
			rc = p->now.kind == TEXT_END ? text_fail(p, "expected '}', found the end") : read_entry(p, h);
	}
	if (!rc && open)
		rc = text_expect(p, "}");
	if (rc)
		return rc;
	struct weft_key_line *other = weft_arena_alloc(&p->view->arena, (p->other.n + 1) * sizeof *other);
	if (!other)
		return text_memory(p);
	if (p->other.n)
		memcpy(other, p->other.at, p->other.n * sizeof *other);
	h->other = (struct weft_key_lines){other, (uint32_t)p->other.n};
	return 0;
}

/* ---- the statement ---- */

static int read_name(struct text *p, struct weft_hist *h)
{
	if (p->now.kind != TEXT_WORD && p->now.kind != TEXT_STRING)
		return text_fail(p, "expected the name of the table");
	p->name = weft_str_trim(p->now.kind == TEXT_STRING ? p->now.string : p->now.at);
	for (size_t i = 0; i < p->name.n; i++)
		if (p->name.at[i] == '\n')
			return text_fail(p, "a name stands on one line");
	h->name = text_keep(p, p->name);
	return h->name ? text_next(p) : text_memory(p);
}

static int read_stat(struct text *p, struct weft_hist *h)
{
	char near[TEXT_NAME];
	if (p->now.kind != TEXT_WORD && p->now.kind != TEXT_STRING)
		return text_fail(p, "expected a statistic");
	h->stat = text_stat_find(p->now.kind == TEXT_STRING ? p->now.string : p->now.at, near);
	return h->stat ? text_next(p) : text_unknown(p, &p->now, "statistic", near);
}

static int read_metric(struct text *p, uint32_t *out)
{
	struct text_value v;
	int rc = text_expression(p, &v);
	return rc ? rc : text_window(p, &v, out);
}

int text_table(struct text *p)
{
	struct weft_hist h = {.control = WEFT_NONE,
	                      .data = WEFT_NONE,
	                      .extra = WEFT_NONE,
	                      .hide_empty = true,
	                      .short_labels = true,
	                      .scale = {.compute = true, .delta = 1},
	                      .planes = {.compute = true, .delta = 1}};
	bool of = false, planes = false;
	int rc = read_name(p, &h);
	p->first = (uint32_t)p->window.n;
	if (!rc)
		rc = text_expect(p, "=");
	if (!rc)
		rc = read_stat(p, &h);
	if (!rc)
		rc = text_take(p, "of", &of);
	if (!rc && of)
		rc = read_metric(p, &h.data);
	if (!rc)
		rc = text_expect(p, "by");
	if (!rc)
		rc = read_metric(p, &h.control);
	if (!rc)
		rc = text_take(p, "planes", &planes);
	if (!rc && planes)
		rc = read_metric(p, &h.extra);
	if (!of)
		h.data = h.control;
	if (!rc)
		rc = read_block(p, &h);
	return rc ? rc : weft_vec_push(&p->hist, h) ? text_memory(p) : 0;
}
