/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in braces behind a metric: how it is shown, from when to when, which rows; a table of
 * keys. A key and its value are an entry; entries end with the line, or with a semicolon.
 */
#include "metric/cfg/cfg_parts.h"
#include "text_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *key;
	int (*read)(struct text *p, struct weft_window *w);
};

/* What the text has a word for is said with it. */
static bool is_ours(const struct cfg_key *table, struct weft_str key)
{
	static const char *const always[] =
		{"ConfigFile.BeginDescription", "ConfigFile.NumWindows:", "number_of_windows", "version", "window_name", NULL};
	for (; table && table->name; table++)
		if (weft_str_eq(key, table->name))
			return !cfg_is_row_key(key);
	return text_word(always, key) >= 0 || *key.at == '#' || *key.at == '<';
}

int text_paraver_line(struct text *p, const struct cfg_key *table, struct weft_key_line *out)
{
	if (p->now.kind != TEXT_STRING)
		return text_fail(p, "expected \"key value\" in quotes");
	struct weft_str line = weft_str_trim(p->now.string), rest = line, key;
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i] == '\n')
			return text_fail(p, "a key of a .cfg stands on one line");
	key = cfg_take_token(&rest);
	if (!key.n)
		return text_fail(p, "expected \"key value\" in quotes");
	if (is_ours(table, key))
		return text_fail(p, "'%.*s' is said in words of its own", (int)(key.n < 60 ? key.n : 60), key.at);
	*out = (struct weft_key_line){text_keep(p, key), text_keep(p, weft_str_trim(rest))};
	return out->key && out->text ? text_next(p) : text_memory(p);
}

static int read_unit(struct text *p, struct weft_window *w)
{
	int unit, rc = text_choice(p, text_units, "unit", &unit);
	if (rc)
		return rc;
	w->metric.unit = (enum weft_unit)unit;
	/* Those that the statement made on its way, too: their times go into this one. */
	for (size_t i = p->first; i < p->window.n; i++)
		p->window.at[i].metric.unit = w->metric.unit;
	return 0;
}

static int read_color(struct text *p, struct weft_window *w)
{
	int color, rc = text_choice(p, text_colors, "colour mode", &color);
	if (!rc)
		w->color = (enum weft_color)color;
	return rc;
}

/* draw TIME [ROWS] */
static int read_draw(struct text *p, struct weft_window *w)
{
	int draw, rc = text_choice(p, text_draws, "draw mode", &draw);
	if (rc)
		return rc;
	w->draw_time = w->draw_rows = (enum weft_draw)draw;
	if (text_ends(p))
		return 0;
	rc = text_choice(p, text_draws, "draw mode", &draw);
	if (!rc)
		w->draw_rows = (enum weft_draw)draw;
	return rc;
}

/* y A..B [auto], y auto */
static int read_y(struct text *p, struct weft_window *w)
{
	int rc;
	w->compute_y_max = false;
	if (!text_is(p, "auto")) {
		rc = text_number(p, &w->y_min);
		if (!rc)
			rc = text_expect(p, "..");
		if (!rc)
			rc = text_number(p, &w->y_max);
		if (rc)
			return rc;
	}
	return text_take(p, "auto", &w->compute_y_max);
}

/* A time in the trace's units, N% of its end, or as a part of it, "part F". */
static int read_time(struct text *p, bool *is_part, double *part, double *time)
{
	double v;
	bool word, percent;
	int rc = text_take(p, "part", &word);
	if (!rc)
		rc = text_number(p, &v);
	if (!rc)
		rc = text_take(p, "%", &percent);
	if (rc)
		return rc;
	*is_part = word || percent;
	*(*is_part ? part : time) = percent ? v / 100 : v;
	return 0;
}

static int read_begin(struct text *p, struct weft_window *w)
{
	return read_time(p, &w->begin_is_part, &w->begin_part, &w->begin_time);
}

static int read_end(struct text *p, struct weft_window *w)
{
	return read_time(p, &w->end_is_part, &w->end_part, &w->end_time);
}

/* zoom FIRST..LAST, rows from 0 */
static int read_zoom(struct text *p, struct weft_window *w)
{
	int rc = text_count(p, &w->zoom_first);
	if (!rc)
		rc = text_expect(p, "..");
	return rc ? rc : text_count(p, &w->zoom_last);
}

/* A word that stands alone. */
static int read_join_labels(struct text *p, struct weft_window *w)
{
	(void)p;
	w->join_labels = true;
	return 0;
}

static int read_lines(struct text *p, struct weft_window *w)
{
	(void)p;
	w->lines = true;
	return 0;
}

static int read_flags(struct text *p, struct weft_window *w)
{
	(void)p;
	w->flags = true;
	return 0;
}

static int read_id(struct text *p, struct weft_window *w)
{
	return text_count(p, &w->id);
}

/* ---- rows ---- */

struct choices {
	WEFT_VEC(uint8_t) on, some;
	bool words;
};

/* all, some, none, 0 or 1; and how often, "* N" */
static int read_choice(struct text *p, struct choices *c)
{
	static const char *const words[] = {"none", "all", "some", NULL};
	uint32_t times = 1, number = 0;
	bool many;
	int word = 0, rc;
	if (p->now.kind == TEXT_WORD) {
		rc = text_choice(p, words, "choice of rows", &word);
		c->words = true;
	} else {
		rc = text_count(p, &number);
		if (!rc && number > 1)
			rc = text_fail(p, "expected 0 or 1");
	}
	if (!rc)
		rc = text_take(p, "*", &many);
	if (!rc && many)
		rc = text_count(p, &times);
	if (!rc && times > 10000000 - c->on.n)
		rc = text_fail(p, "too many rows");
	for (uint32_t i = 0; i < times && !rc; i++)
		if (weft_vec_push(&c->on, (uint8_t)(word || number)) || weft_vec_push(&c->some, (uint8_t)(word == 2)))
			rc = text_memory(p);
	return rc;
}

static int keep_choices(struct text *p, const struct choices *c, struct weft_chosen *o)
{
	uint8_t *on = weft_arena_alloc(&p->view->arena, 2 * c->on.n + 2);
	if (!on)
		return text_memory(p);
	if (c->on.n) {
		memcpy(on, c->on.at, c->on.n);
		memcpy(on + c->on.n, c->some.at, c->on.n);
	}
	o->n = (uint32_t)c->on.n;
	o->on = on;
	o->some = on + c->on.n;
	o->words = c->words;
	return weft_vec_push(&p->chosen, *o) ? text_memory(p) : 0;
}

/* rows LEVEL [of PARENT [PARENT]]: CHOICE, … */
static int read_rows(struct text *p, struct weft_window *w)
{
	struct weft_chosen o = {.n = 0};
	struct choices c = {.words = false};
	int level, rc = text_choice(p, text_levels, "level", &level);
	bool of, more = true;
	(void)w;
	if (!rc)
		rc = text_take(p, "of", &of);
	if (rc)
		return rc;
	o.level = (enum weft_level)level;
	while (!rc && of && o.n_parents < 2 && p->now.kind == TEXT_NUMBER)
		rc = text_count(p, &o.parent[o.n_parents++]);
	if (!rc)
		rc = text_expect(p, ":");
	while (!rc && more && !text_ends(p)) {
		rc = read_choice(p, &c);
		if (!rc)
			rc = text_take(p, ",", &more);
	}
	if (!rc)
		rc = keep_choices(p, &c, &o);
	free(c.on.at);
	free(c.some.at);
	return rc;
}

/* ---- functions beside the way ---- */

static int take_call(struct text *p, enum weft_func_kind k, struct weft_call *out)
{
	struct text_token name = p->now;
	if (name.kind != TEXT_WORD && name.kind != TEXT_STRING)
		return text_fail(p, "expected a function");
	int rc = text_next(p);
	return rc ? rc : text_call(p, k, &name, out);
}

/* at LEVEL [: function] [| function]: what the level has, though the metric does not pass it */
static int read_at(struct text *p, struct weft_window *w)
{
	int level, rc = text_choice(p, text_levels, "level", &level);
	bool function, compose;
	if (!rc)
		rc = text_take(p, ":", &function);
	if (!rc && function && level == WEFT_THREAD)
		rc = text_fail(p, "a thread's function stands in front");
	if (!rc && function)
		rc = take_call(p, level == WEFT_CPU ? WEFT_FUNC_CPU : WEFT_FUNC_LEVEL, &w->metric.of_level[level]);
	if (!rc && function && level == WEFT_CPU && w->derived)
		w->metric.of_level[level] = (struct weft_call){.func = NULL};
	if (!rc)
		rc = text_take(p, "|", &compose);
	if (!rc && compose)
		rc = take_call(p, WEFT_FUNC_COMPOSE, &w->metric.compose[level]);
	return rc;
}

/* Labels that do not go together with the numbers. */
static int read_labels(struct text *p, struct weft_labels *l)
{
	bool more = true;
	int rc = 0;
	p->label.n = 0;
	while (!rc && more && p->now.kind == TEXT_STRING) {
		if (weft_vec_push(&p->label, p->now.string.at))
			return text_memory(p);
		rc = text_next(p);
		if (!rc)
			rc = text_take(p, ",", &more);
	}
	if (rc)
		return rc;
	*l = (struct weft_labels){weft_arena_alloc(&p->view->arena, (p->label.n + 1) * sizeof(char *)), (uint32_t)p->label.n,
	                          true};
	if (!l->at)
		return text_memory(p);
	if (p->label.n)
		memcpy(l->at, p->label.at, p->label.n * sizeof *l->at);
	return 0;
}

static int read_type_labels(struct text *p, struct weft_window *w)
{
	return read_labels(p, &w->type_label);
}

static int read_value_labels(struct text *p, struct weft_window *w)
{
	return read_labels(p, &w->value_label);
}

static int read_paraver(struct text *p, struct weft_window *w)
{
	struct weft_key_line l;
	int rc = text_paraver_line(p, cfg_window_keys, &l);
	(void)w;
	return rc ? rc : weft_vec_push(&p->other, l) ? text_memory(p) : 0;
}

/* ---- the block ---- */

static const struct entry entries[] = {
	{"unit", read_unit},
	{"colour", read_color},
	{"draw", read_draw},
	{"y", read_y},
	{"begin", read_begin},
	{"end", read_end},
	{"zoom", read_zoom},
	{"rows", read_rows},
	{"join_labels", read_join_labels},
	{"lines", read_lines},
	{"flags", read_flags},
	{"at", read_at},
	{"id", read_id},
	{"paraver", read_paraver},
	{"type_labels", read_type_labels},
	{"value_labels", read_value_labels},
};

static int read_entry(struct text *p, struct weft_window *w)
{
	unsigned i;
	int rc = text_key(p, entries, sizeof entries / sizeof *entries, sizeof *entries, "unit or colour", &i);
	if (!rc)
		rc = entries[i].read(p, w);
	if (!rc && !text_ends(p))
		rc = text_fail(p, "expected the end of the line");
	return rc;
}

/* What was gathered becomes the window's. */
static int keep_gathered(struct text *p, struct weft_window *w)
{
	struct weft_key_line *other = weft_arena_alloc(&p->view->arena, (p->other.n + 1) * sizeof *other);
	struct weft_chosen *chosen = weft_arena_alloc(&p->view->arena, (p->chosen.n + 1) * sizeof *chosen);
	if (!other || !chosen)
		return text_memory(p);
	if (p->other.n)
		memcpy(other, p->other.at, p->other.n * sizeof *other);
	if (p->chosen.n)
		memcpy(chosen, p->chosen.at, p->chosen.n * sizeof *chosen);
	w->other = (struct weft_key_lines){other, (uint32_t)p->other.n};
	w->chosen = chosen;
	w->n_chosen = (uint32_t)p->chosen.n;
	return 0;
}

int text_window_block(struct text *p, struct weft_window *w)
{
	bool open;
	p->other.n = p->chosen.n = 0;
	int rc = text_take(p, "{", &open);
	while (!rc && open && !text_is(p, "}")) {
		rc = text_skip_lines(p);
		if (!rc && !text_is(p, "}"))
			rc = p->now.kind == TEXT_END ? text_fail(p, "expected '}', found the end") : read_entry(p, w);
	}
	if (!rc && open)
		rc = text_expect(p, "}");
	return rc || !open ? rc : keep_gathered(p, w);
}
