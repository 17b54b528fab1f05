/* SPDX-License-Identifier: Apache-2.0 */
/* Printing a view, the other half: sources with their filters, blocks, tables. */
#include "text_priv.h"
#include <stdio.h>
#include <string.h>

/* ---- items ---- */

static const struct weft_labels *labels_of(const struct weft_window *w, enum weft_filter_of field)
{
	static const struct weft_labels none = {NULL, 0, false};
	return field == WEFT_OF_TYPE ? &w->type_label : field == WEFT_OF_VALUE ? &w->value_label : &none;
}

bool text_labels_differ(const struct weft_window *w, enum weft_filter_of field)
{
	const struct weft_labels *l = labels_of(w, field);
	const struct weft_test *t = &w->metric.filter.test[field];
	bool listed = t->kind != WEFT_TEST_ALL &&
	              t->kind != WEFT_TEST_NONE; /* others' numbers mean nothing, and are not printed */
	return l->given && l->n != (listed ? t->list.n : 0);
}

static void put_item(struct weft_buf *o, enum weft_filter_of field, double v, const char *label)
{
	uint32_t number;
	if (label && field == WEFT_OF_TYPE && text_type_find(weft_str(label), &number) && number == v) {
		weft_buf_puts(o, label);
		return;
	}
	bool only_label = label && v == (field == WEFT_OF_TYPE ? TEXT_NO_TYPE : TEXT_NO_VALUE);
	if (!only_label)
		text_put_number(o, v);
	if (label) {
		weft_buf_puts(o, only_label ? "" : " ");
		text_put_string(o, label);
	}
}

/* "Unknown" says nothing; but one label must stand for the others to be known as labels. */
static const char *label_at(const struct weft_window *w, enum weft_filter_of field, uint32_t i)
{
	const struct weft_labels *l = labels_of(w, field);
	if (!l->given || text_labels_differ(w, field))
		return NULL;
	bool all = true;
	for (uint32_t k = 0; k < l->n; k++)
		all &= !strcmp(l->at[k], "Unknown");
	return strcmp(l->at[i], "Unknown") != 0 || (all && !i) ? l->at[i] : NULL;
}

static void put_items(struct weft_buf *o, const struct weft_window *w, enum weft_filter_of field, const char *between)
{
	const struct weft_list *l = &w->metric.filter.test[field].list;
	for (uint32_t i = 0; i < l->n; i++) {
		weft_buf_puts(o, i ? between : "");
		put_item(o, field, l->at[i], label_at(w, field, i));
	}
}

/* ---- filters ---- */

static void put_test(struct weft_buf *o, const struct weft_window *w, enum weft_filter_of field)
{
	static const char *const signs[WEFT_TEST_KINDS] = {"any", "none", "== ", "!= ", "> ", "< ", "in "};
	const struct weft_test *t = &w->metric.filter.test[field];
	weft_buf_printf(o, "%s %s", text_fields[field], signs[t->kind]);
	if (t->kind == WEFT_TEST_ALL || t->kind == WEFT_TEST_NONE)
		return;
	bool range = t->kind == WEFT_TEST_RANGE && t->list.n == 2, one = t->list.n == 1 && t->kind != WEFT_TEST_RANGE;
	weft_buf_puts(o, range || one ? "" : "(");
	put_items(o, w, field, range ? " .. " : ", ");
	weft_buf_puts(o, range || one ? "" : ")");
}

/* Are the types of events what stands in the brackets of the function? */
static bool types_are_arguments(const struct weft_window *w)
{
	const struct weft_test *t = &w->metric.filter.test[WEFT_OF_TYPE];
	if (text_args_of(w->metric.of_level[WEFT_THREAD].func) != TEXT_TYPES || w->metric.filter.or_type_value)
		return false;
	return (t->kind == WEFT_TEST_EQ && t->list.n) || (t->kind == WEFT_TEST_RANGE && t->list.n == 2);
}

static void put_condition(struct weft_buf *o, unsigned *n)
{
	weft_buf_puts(o, (*n)++ ? ", " : "[");
}

static void put_filter(struct weft_buf *o, const struct weft_window *w, bool types_are_said)
{
	const struct weft_record_filter *f = &w->metric.filter;
	const struct {
		const char *name;
		bool is, usual;
	} flags[] = {{"logical", f->logical, true},
	             {"physical", f->physical, false},
	             {"intra", f->intra, true},
	             {"inter", f->inter, true}};
	const bool or_behind[WEFT_FILTERS] =
		{[WEFT_OF_FROM] = f->or_from_to, [WEFT_OF_TAG] = f->or_tag_size, [WEFT_OF_TYPE] = f->or_type_value};
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++)
		if (flags[i].is != flags[i].usual) {
			put_condition(o, &n);
			weft_buf_printf(o, "%s%s", flags[i].is ? "" : "no ", flags[i].name);
		}
	for (int i = 0; i < WEFT_FILTERS; i++) {
		bool pair = or_behind[i];
		if (!pair && (f->test[i].kind == WEFT_TEST_ALL || (i == WEFT_OF_TYPE && types_are_said)))
			continue;
		put_condition(o, &n);
		put_test(o, w, (enum weft_filter_of)i);
		if (pair) {
			weft_buf_puts(o, " or ");
			put_test(o, w, (enum weft_filter_of)++ i);
		}
	}
	weft_buf_puts(o, n ? "]" : "");
}

/* ---- sources ---- */

static void put_named_params(struct weft_buf *o, const struct weft_call *c, unsigned *n)
{
	char z[TEXT_NAME];
	for (unsigned i = 0; i < WEFT_PARAMS && c->func->param[i].name; i++) {
		const struct weft_list *l = &c->param[i];
		if (!l->n)
			continue;
		weft_buf_printf(o, "%s%s = %s", (*n)++ ? ", " : "", text_param_name(c->func, i, z), l->n > 1 ? "(" : "");
		for (uint32_t k = 0; k < l->n; k++) {
			weft_buf_puts(o, k ? ", " : "");
			text_put_number(o, l->at[k]);
		}
		weft_buf_puts(o, l->n > 1 ? ")" : "");
	}
}

static void put_states(struct weft_buf *o, const struct weft_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const char *name = text_state_name(l->at[i]);
		weft_buf_puts(o, i ? ", " : "");
		if (name)
			weft_buf_puts(o, name);
		else
			text_put_number(o, l->at[i]);
	}
}

void text_put_source(struct text_print *p, const struct weft_window *w)
{
	const struct weft_call *c = &w->metric.of_level[WEFT_THREAD];
	bool types = types_are_arguments(w);
	enum text_args kind = text_args_of(c->func);
	struct weft_buf args = {0};
	char z[TEXT_NAME];
	unsigned n = 0;
	uint32_t id;
	const char *name = text_func_name(WEFT_FUNC_THREAD, c->func, z);
	if (kind == TEXT_STATES) {
		put_states(&args, &c->param[0]);
	} else {
		put_named_params(&args, c, &n);
	}
	if (types) {
		weft_buf_puts(&args, n ? ", " : "");
		put_items(&args, w, WEFT_OF_TYPE, w->metric.filter.test[WEFT_OF_TYPE].kind == WEFT_TEST_RANGE ? " .. " : ", ");
	}
	weft_buf_puts(p->out, name);
	/* A metric may have the function's name. */
	if (args.n || weft_intern_find(&p->used, weft_str(name), &id)) {
		weft_buf_putc(p->out, '(');
		weft_buf_add(p->out, args.n ? args.at : "", args.n);
		weft_buf_putc(p->out, ')');
	}
	p->failed |= args.failed;
	weft_buf_fini(&args);
	put_filter(p->out, w, types);
}

/* ---- blocks ---- */

static void put_time(struct weft_buf *o, const char *key, bool is_part, double part, double time)
{
	weft_buf_printf(o, "\t%s %s", key, is_part ? "part " : "");
	text_put_number(o, is_part ? part : time);
	weft_buf_putc(o, '\n');
}

static void put_range(struct weft_buf *o, double a, double b)
{
	text_put_number(o, a);
	weft_buf_puts(o, "..");
	text_put_number(o, b);
}

static const char *choice_word(const struct weft_chosen *c, uint32_t i)
{
	return !c->words ? (c->on[i] ? "1" : "0") : c->some[i] ? "some" : c->on[i] ? "all" : "none";
}

static void put_rows(struct weft_buf *o, const struct weft_chosen *c)
{
	weft_buf_printf(o, "\trows %s", text_levels[c->level]);
	for (uint32_t i = 0; i < c->n_parents; i++)
		weft_buf_printf(o, "%s %u", i ? "" : " of", c->parent[i]);
	weft_buf_putc(o, ':');
	for (uint32_t i = 0, same; i < c->n; i += same) {
		for (same = 1; i + same < c->n && !strcmp(choice_word(c, i + same), choice_word(c, i)); same++) {}
		weft_buf_printf(o, "%s %s", i ? "," : "", choice_word(c, i));
		if (same > 1)
			weft_buf_printf(o, " * %u", same);
	}
	weft_buf_putc(o, '\n');
}

static void put_paraver(struct text_print *p, const struct weft_key_lines *l)
{
	for (uint32_t i = 0; i < l->n && !p->how.plain; i++) {
		struct weft_buf line = {0};
		weft_buf_printf(&line, "%s %s", l->at[i].key, l->at[i].text);
		weft_buf_puts(p->out, "\tparaver ");
		text_put_string(p->out, line.failed ? "" : line.at);
		weft_buf_putc(p->out, '\n');
		p->failed |= line.failed;
		weft_buf_fini(&line);
	}
}

static void put_labels(struct weft_buf *o, const char *key, const struct weft_labels *l)
{
	weft_buf_printf(o, "\t%s", key);
	for (uint32_t i = 0; i < l->n; i++) {
		weft_buf_puts(o, i ? ", " : " ");
		text_put_string(o, l->at[i]);
	}
	weft_buf_putc(o, '\n');
}

static void put_shown(struct text_print *p, const struct weft_window *w)
{
	enum weft_unit usual = w->derived ? p->view->window[w->parents[0]].metric.unit : WEFT_US;
	struct weft_buf *o = p->out;
	if (w->metric.unit != usual)
		weft_buf_printf(o, "\tunit %s\n", text_units[w->metric.unit]);
	if (w->color != text_color_of(w))
		weft_buf_printf(o, "\tcolour %s\n", text_colors[w->color]);
	if (w->draw_time != WEFT_DRAW_MAXIMUM || w->draw_rows != WEFT_DRAW_MAXIMUM)
		weft_buf_printf(o, "\tdraw %s %s\n", text_draws[w->draw_time], text_draws[w->draw_rows]);
	if (!w->compute_y_max || w->y_min != 0 || w->y_max != 0) {
		weft_buf_puts(o, "\ty ");
		put_range(o, w->y_min, w->y_max);
		weft_buf_puts(o, w->compute_y_max ? " auto\n" : "\n");
	}
	weft_buf_puts(o, w->join_labels ? "\tjoin_labels\n" : "");
	weft_buf_puts(o, w->lines ? "\tlines\n" : "");
	weft_buf_puts(o, w->flags ? "\tflags\n" : "");
}

void text_put_block(struct text_print *p, uint32_t window)
{
	const struct weft_window *w = &p->view->window[window];
	struct weft_buf *o = p->out;
	put_shown(p, w);
	if (!w->begin_is_part || w->begin_part != 0)
		put_time(o, "begin", w->begin_is_part, w->begin_part, w->begin_time);
	if (!w->end_is_part || w->end_part != 1)
		put_time(o, "end", w->end_is_part, w->end_part, w->end_time);
	if (w->zoom_last != WEFT_NONE)
		weft_buf_printf(o, "\tzoom %u..%u\n", w->zoom_first, w->zoom_last);
	for (uint32_t i = 0; i < w->n_chosen; i++)
		put_rows(o, &w->chosen[i]);
	if (!w->derived && text_labels_differ(w, WEFT_OF_TYPE))
		put_labels(o, "type_labels", &w->type_label);
	if (!w->derived && text_labels_differ(w, WEFT_OF_VALUE))
		put_labels(o, "value_labels", &w->value_label);
	if (w->id != window + 1)
		weft_buf_printf(o, "\tid %u\n", w->id);
	put_paraver(p, &w->other);
}

/* ---- tables ---- */

static void put_scale(struct weft_buf *o, const char *key, const struct weft_scale *s)
{
	if (s->compute && !s->zero && !s->fixed_delta)
		return;
	weft_buf_printf(o, "\t%s ", key);
	if (s->compute)
		weft_buf_puts(o, "auto");
	else
		put_range(o, s->min, s->max);
	if (s->n && !s->compute)
		weft_buf_printf(o, " columns %u", s->n);
	if (s->compute ? s->fixed_delta : s->fixed_delta || !s->n) {
		weft_buf_puts(o, " step ");
		text_put_number(o, s->delta);
	}
	weft_buf_puts(o, s->compute && s->zero ? " zero\n" : "\n");
}

static void put_table_block(struct text_print *p, const struct weft_hist *h)
{
	struct weft_buf *o = p->out;
	put_scale(o, "scale", &h->scale);
	if (h->extra != WEFT_NONE)
		put_scale(o, "plane_scale", &h->planes);
	if (h->extra != WEFT_NONE && h->has_plane) {
		weft_buf_puts(o, "\tplane ");
		text_put_number(o, h->plane);
		weft_buf_putc(o, '\n');
	}
	if (h->sorted)
		weft_buf_printf(o, "\tsort %s%s\n", text_sorts[h->sort], h->reverse ? " ascending" : "");
	if (h->limits != WEFT_ALL_TRACE)
		weft_buf_printf(o, "\ttime %s\n", text_limits[h->limits]);
	weft_buf_puts(o, h->vertical ? "\tvertical\n" : "");
	weft_buf_puts(o, h->hide_empty ? "" : "\tshow_empty\n");
	weft_buf_puts(o, h->short_labels ? "" : "\tlong_labels\n");
	weft_buf_puts(o, h->only_totals ? "\tonly_totals\n" : "");
	put_paraver(p, &h->other);
}

void text_put_braces(struct text_print *p, struct weft_buf *block)
{
	if (block->n) {
		weft_buf_puts(p->out, " {\n");
		weft_buf_add(p->out, block->at, block->n);
		weft_buf_putc(p->out, '}');
	}
	p->failed |= block->failed;
	weft_buf_fini(block);
	weft_buf_putc(p->out, '\n');
}

void text_put_table(struct text_print *p, const struct weft_hist *h)
{
	struct weft_buf block = {0}, *out = p->out;
	char z[TEXT_NAME];
	weft_buf_puts(out, "\ntable ");
	text_put_string(out, h->name);
	weft_buf_printf(out, " = %s", text_stat_name(h->stat, z));
	if (h->data != h->control)
		weft_buf_printf(out, " of %s", p->used.name[p->ident[h->data]]);
	weft_buf_printf(out, " by %s", p->used.name[p->ident[h->control]]);
	if (h->extra != WEFT_NONE)
		weft_buf_printf(out, " planes %s", p->used.name[p->ident[h->extra]]);
	p->out = &block;
	put_table_block(p, h);
	p->out = out;
	text_put_braces(p, &block);
}
