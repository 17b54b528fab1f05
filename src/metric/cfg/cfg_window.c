/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a window in a .cfg, but for its functions (cfg_funcs.c). A key that is not in the
 * table means nothing to us.
 */
#include "cfg_parts.h"
#include <errno.h>
#include <string.h>

const char *const cfg_unit_names[] = {"Nanoseconds", "Microseconds", "Milliseconds", "Seconds", "Minutes", "Hours", "Days", NULL};
const char *const cfg_color_names[] = {"window_in_code_mode",
                                       "window_in_gradient_mode",
                                       "window_in_null_gradient_mode",
                                       "window_in_alternative_gradient_mode",
                                       "window_in_punctual_mode",
                                       "window_in_fused_lines_mode",
                                       NULL};
const char *const cfg_draw_names[] = {"draw_last",
                                      "draw_maximum",
                                      "draw_minnotzero",
                                      "draw_random",
                                      "draw_randnotzero",
                                      "draw_average",
                                      "draw_averagenotzero",
                                      "draw_mode",
                                      "draw_absolute_maximum",
                                      "draw_absolute_minimum",
                                      NULL};

struct weft_window *cfg_window(struct cfg *c)
{
	return c->window.n ? &c->window.at[c->window.n - 1] : NULL;
}

int cfg_close_window(struct cfg *c)
{
	struct weft_window *w = cfg_window(c);
	if (!w || !c->in_window)
		return 0;
	c->in_window = false;
	struct weft_arena *a = &c->view->arena;
	struct weft_key_line *other = weft_arena_alloc(a, (c->other.n + 1) * sizeof *other);
	struct weft_chosen *chosen = weft_arena_alloc(a, (c->chosen.n + 1) * sizeof *chosen);
	struct weft_call *extra = weft_arena_alloc(a, (c->extra.n + 1) * sizeof *extra);
	if (!other || !chosen || !extra)
		return -ENOMEM;
	if (c->other.n)
		memcpy(other, c->other.at, c->other.n * sizeof *other);
	if (c->chosen.n)
		memcpy(chosen, c->chosen.at, c->chosen.n * sizeof *chosen);
	if (c->extra.n)
		memcpy(extra, c->extra.at, c->extra.n * sizeof *extra);
	w->other = (struct weft_key_lines){other, (uint32_t)c->other.n};
	w->chosen = chosen;
	w->n_chosen = (uint32_t)c->chosen.n;
	w->metric.extra = extra;
	w->metric.n_extra = (uint32_t)c->extra.n;
	c->other.n = c->chosen.n = c->extra.n = 0;
	if (w->derived) /* they have none of these */
		w->metric.of_level[WEFT_THREAD] = w->metric.of_level[WEFT_CPU] = (struct weft_call){.func = NULL};
	if (w->derived && !w->metric.operation.func)
		return cfg_fail(c, "the derived window '%s' has no operation", w->metric.name);
	if (w->derived && w->parents[0] == WEFT_NONE)
		return cfg_fail(c, "the derived window '%s' has no parents", w->metric.name);
	if (!w->derived && !w->metric.of_level[WEFT_THREAD].func)
		return cfg_fail(c, "the window '%s' has no thread function", w->metric.name);
	return 0;
}

static int read_name(struct cfg *c, struct weft_str value)
{
	if (!c->window.n) {
		struct weft_key_line *other = weft_arena_alloc(&c->view->arena, (c->other.n + 1) * sizeof *other);
		if (!other)
			return -ENOMEM;
		if (c->other.n)
			memcpy(other, c->other.at, c->other.n * sizeof *other);
		c->view->other = (struct weft_key_lines){other, (uint32_t)c->other.n};
		c->other.n = 0;
	}
	int rc = cfg_close_window(c);
	if (rc)
		return rc;
	struct weft_window w = {.end_part = 1,
	                        .begin_is_part = true,
	                        .end_is_part = true,
	                        .color = WEFT_COLOR_CODE,
	                        .compute_y_max = false,
	                        .zoom_last = WEFT_NONE,
	                        .parents = {WEFT_NONE, WEFT_NONE}};
	weft_metric_init(&w.metric);
	w.metric.name = cfg_keep(c, value);
	w.id = (uint32_t)c->window.n + 1;
	c->in_window = true;
	return w.metric.name ? weft_vec_push(&c->window, w) : -ENOMEM;
}

static int read_type(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	static const char *const types[] = {"single", "composed", NULL};
	int type = cfg_word(c, value, types, "type of window");
	if (type >= 0)
		w->derived = type == 1;
	return type < 0 ? type : 0;
}

static int read_id(struct cfg *c, struct weft_str value)
{
	return cfg_count(c, value, &cfg_window(c)->id);
}

static int read_factors(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	if (cfg_take_number(&value, &w->metric.factor[0]) && cfg_take_number(&value, &w->metric.factor[1]))
		return 0;
	return cfg_fail(c, "expected two factors");
}

static int read_shifts(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	for (int i = 0; i < 2; i++) {
		double v;
		if (!cfg_take_number(&value, &v) || v < -1e6 || v > 1e6)
			return cfg_fail(c, "expected two shifts");
		w->metric.shift[i] = (int32_t)v;
	}
	return 0;
}

static int read_operation(struct cfg *c, struct weft_str value)
{
	struct weft_str name = weft_str_trim(value);
	const char *z = cfg_keep(c, name), *known[32];
	if (!z)
		return -ENOMEM;
	const struct weft_func *f = weft_func_find(WEFT_FUNC_DERIVED, z);
	unsigned n = 0;
	for (const struct weft_func *g; !f && n < 32 && (g = weft_func_at(WEFT_FUNC_DERIVED, n)); n++)
		known[n] = g->name;
	if (!f)
		return cfg_unknown(c, "operation", z, known, n);
	cfg_window(c)->metric.operation = (struct weft_call){.func = f};
	return 0;
}

static int read_identifiers(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	for (int i = 0; i < 2; i++) {
		uint32_t id;
		if (!cfg_take_count(&value, &id))
			return cfg_fail(c, "expected the numbers of two windows");
		if (id < 1 || id >= c->window.n)
			return cfg_fail(c, "there is no window %u before this one", id);
		w->parents[i] = id - 1;
	}
	return 0;
}

static int read_color(struct cfg *c, struct weft_str value)
{
	int color = cfg_word(c, value, cfg_color_names, "colour mode");
	if (color >= 0)
		cfg_window(c)->color = (enum weft_color)color;
	return color < 0 ? color : 0;
}

#define READ_BOOL(name, place) \
	static int read_##name(struct cfg *c, struct weft_str value) \
	{ \
		struct weft_window *w = cfg_window(c); \
		return cfg_bool(c, value, &place); \
	}
READ_BOOL(logical, w->metric.filter.logical)
READ_BOOL(physical, w->metric.filter.physical)
READ_BOOL(intra, w->metric.filter.intra)
READ_BOOL(inter, w->metric.filter.inter)
READ_BOOL(join_labels, w->join_labels)

/* What is drawn besides; another word than true is none. */
static int read_lines(struct cfg *c, struct weft_str value)
{
	cfg_window(c)->lines = weft_str_eq(weft_str_trim(value), "true");
	return 0;
}

static int read_flags(struct cfg *c, struct weft_str value)
{
	cfg_window(c)->flags = weft_str_eq(weft_str_trim(value), "true");
	return 0;
}

#define READ_OR(name, place) \
	static int read_##name(struct cfg *c, struct weft_str value) \
	{ \
		bool both = true; \
		int rc = cfg_bool(c, value, &both); \
		cfg_window(c)->metric.filter.place = !both; \
		return rc; \
	}
READ_OR(fromto, or_from_to)
READ_OR(tagsize, or_tag_size)
READ_OR(typeval, or_type_value)

#define READ_NUMBER(name, place) \
	static int read_##name(struct cfg *c, struct weft_str value) \
	{ \
		struct weft_window *w = cfg_window(c); \
		return cfg_number(c, value, &place); \
	}
READ_NUMBER(y_max, w->y_max)
READ_NUMBER(y_min, w->y_min)

static int read_compute_max(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	if (!weft_str_trim(value).n) {
		w->compute_y_max = true;
		return 0;
	}
	return cfg_bool(c, value, &w->compute_y_max);
}

static int read_units(struct cfg *c, struct weft_str value)
{
	int unit = cfg_word(c, value, cfg_unit_names, "unit");
	if (unit >= 0)
		cfg_window(c)->metric.unit = (enum weft_unit)unit;
	return unit < 0 ? unit : 0;
}

static int read_level(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	int level = cfg_word(c, value, cfg_level_names, "level");
	if (level < 0)
		return level;
	w->metric.level = level == WEFT_LEVELS ? WEFT_APPL : (enum weft_level)level;
	w->has_level = true;
	return 0;
}

static int read_zoom(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	if (cfg_take_count(&value, &w->zoom_first) && cfg_take_count(&value, &w->zoom_last))
		return 0;
	return cfg_fail(c, "expected the numbers of two rows");
}

static int read_scale_relative(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	w->end_is_part = true;
	return cfg_number(c, value, &w->end_part);
}

static int read_begin_relative(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	w->begin_is_part = true;
	return cfg_number(c, value, &w->begin_part);
}

static int read_begin(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	w->begin_is_part = false;
	return cfg_number(c, value, &w->begin_time);
}

static int read_end(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	w->end_is_part = false;
	return cfg_number(c, value, &w->end_time);
}

static int read_draw(struct cfg *c, struct weft_str value, enum weft_draw *out)
{
	uint32_t number;
	struct weft_str rest = value;
	if (cfg_take_count(&rest, &number) && number < WEFT_DRAWS) {
		*out = (enum weft_draw)number;
		return 0;
	}
	int draw = cfg_word(c, value, cfg_draw_names, "draw mode");
	if (draw >= 0)
		*out = (enum weft_draw)draw;
	return draw < 0 ? draw : 0;
}

static int read_drawmode(struct cfg *c, struct weft_str value)
{
	return read_draw(c, value, &cfg_window(c)->draw_time);
}

static int read_drawmode_rows(struct cfg *c, struct weft_str value)
{
	return read_draw(c, value, &cfg_window(c)->draw_rows);
}

/* One entry of a list of rows: a word or a number. */
static bool take_choice(struct weft_str *s, struct weft_chosen *o, uint8_t *on, uint8_t *some)
{
	cfg_take_char(s, ',');
	struct weft_str was = *s;
	double v;
	*some = 0;
	if (cfg_take_number(s, &v)) {
		*on = v != 0;
		return true;
	}
	*s = weft_str_trim(was);
	struct weft_str t = {s->at, 0};
	while (t.n < s->n && t.at[t.n] != ',' && t.at[t.n] != '}' && t.at[t.n] != ' ')
		t.n++;
	if (!weft_str_eq(t, "All") && !weft_str_eq(t, "Some") && !weft_str_eq(t, "None"))
		return false;
	*on = !weft_str_eq(t, "None");
	*some = weft_str_eq(t, "Some");
	o->words = true;
	s->at += t.n;
	s->n -= t.n;
	return true;
}

/* window_object LEVEL { [parents,] n, { entries } } */
static int read_object(struct cfg *c, struct weft_str value)
{
	struct weft_chosen o = {.n = 0};
	struct weft_str name = cfg_take_token(&value);
	int level = cfg_word(c, name, cfg_level_names, "level");
	if (level < 0)
		return level;
	o.level = level == WEFT_LEVELS ? WEFT_APPL : (enum weft_level)level;
	uint32_t number[3], n = 0;
	if (!cfg_take_char(&value, '{'))
		return cfg_fail(c, "expected { n, { rows... } }");
	while (n < 3 && cfg_take_count(&value, &number[n])) {
		n++;
		cfg_take_char(&value, ',');
	}
	if (!n || !cfg_take_char(&value, '{'))
		return cfg_fail(c, "expected { n, { rows... } }");
	o.n = number[n - 1];
	o.n_parents = n - 1;
	for (uint32_t i = 0; i + 1 < n; i++)
		o.parent[i] = number[i];
	if (o.n > value.n)
		return cfg_fail(c, "expected %u rows", o.n);
	uint8_t *on = weft_arena_alloc(&c->view->arena, 2 * (size_t)o.n + 2), *some = on + o.n;
	if (!on)
		return -ENOMEM;
	for (uint32_t i = 0; i < o.n; i++)
		if (!take_choice(&value, &o, &on[i], &some[i]))
			return cfg_fail(c, "expected %u rows, found %u", o.n, i);
	o.on = on;
	o.some = some;
	return weft_vec_push(&c->chosen, o);
}

const struct cfg_key cfg_window_keys[] = {
	{"window_type", read_type},
	{"window_id", read_id},
	{"window_factors", read_factors},
	{"window_shifts", read_shifts},
	{"window_operation", read_operation},
	{"window_identifiers", read_identifiers},
	{"window_color_mode", read_color},
	{"window_logical_filtered", read_logical},
	{"window_physical_filtered", read_physical},
	{"window_intracomms_enabled", read_intra},
	{"window_intercomms_enabled", read_inter},
	{"window_comm_fromto", read_fromto},
	{"window_comm_tagsize", read_tagsize},
	{"window_comm_typeval", read_typeval},
	{"window_units", read_units},
	{"window_join_labels", read_join_labels}, /* of ours; Paraver reads over it */
	{"window_comm_lines_enabled", read_lines},
	{"window_flags_enabled", read_flags},
	{"window_maximum_y", read_y_max},
	{"window_minimum_y", read_y_min},
	{"window_compute_y_max", read_compute_max},
	{"window_level", read_level},
	{"window_zoom_objects", read_zoom},
	{"window_scale_relative", read_scale_relative},
	{"window_end_time_relative", read_scale_relative},
	{"window_begin_time_relative", read_begin_relative},
	{"window_begin_time", read_begin},
	{"window_stop_time", read_end},
	{"window_end_time", read_end},
	{"window_object", read_object},
	{"window_drawmode", read_drawmode},
	{"window_drawmode_rows", read_drawmode_rows},
	{"window_selected_functions", cfg_selected_functions},
	{"window_compose_functions", cfg_compose_functions},
	{"window_semantic_module", cfg_semantic_module},
	{"window_filter_module", cfg_filter_module},
	{"window_name", read_name},
	{NULL, NULL},
};
