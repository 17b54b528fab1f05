/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view as text: a statement for each window, in their order, with what it has that is not as the
 * text has it anyway; then the tables. Functions that do nothing are left out, so those that are
 * left may stand in other places of the same chain.
 */
#include "text_priv.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_put_number(struct weft_buf *o, double v)
{
	char z[WEFT_FMT_DOUBLE];
	if (isinf(v)) { /* as cfg_write says it */
		weft_buf_puts(o, v > 0 ? "1e999" : "-1e999");
	} else if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v) {
		weft_buf_i64(o, (int64_t)v);
	} else {
		weft_buf_add(o, z, weft_fmt_double(z, v));
	}
}

void text_put_string(struct weft_buf *o, const char *z)
{
	weft_buf_putc(o, '"');
	for (size_t left = strlen(z), n; left; z += n, left -= n) {
		unsigned hazard = weft_text_hazard(z, left);
		n = hazard ? hazard : weft_utf8_len(z, left);
		n = n ? n : 1;
		if (*z == '"' || *z == '\\')
			weft_buf_printf(o, "\\%c", *z);
		else if (*z == '\n' || *z == '\t')
			weft_buf_puts(o, *z == '\n' ? "\\n" : "\\t");
		else if (!hazard)
			weft_buf_add(o, z, n);
		else
			for (unsigned i = 0; i < hazard; i++)
				weft_buf_printf(o, "\\x%02x", (unsigned char)z[i]);
	}
	weft_buf_putc(o, '"');
}

/* ---- names of metrics ---- */

static bool is_word(const char *z)
{
	static const char *const reserved[] = {"table", "about", "paraver", "where",  "and", "or", "not",
	                                       "in",    "shift", "by",      "planes", "of",  NULL};
	if ((!isalpha((unsigned char)*z) && *z != '_') || text_word(reserved, weft_str(z)) >= 0)
		return false;
	for (; *z; z++)
		if (!isalnum((unsigned char)*z) && *z != '_' && (*z != '.' || (!isalnum((unsigned char)z[1]) && z[1] != '_')))
			return false;
	return true;
}

/* The title as it is when it can be a name, else made one; with a number when another has it. */
static int choose_ident(struct text_print *p, uint32_t window)
{
	const char *title = p->view->window[window].metric.name;
	struct weft_buf b = {0};
	uint32_t found;
	if (is_word(title)) {
		weft_buf_puts(&b, title);
	} else {
		for (const char *z = title; *z && b.n < 40; z++) {
			if (isalnum((unsigned char)*z))
				weft_buf_putc(&b, (char)tolower((unsigned char)*z));
			else if (b.n && b.at[b.n - 1] != '_')
				weft_buf_putc(&b, '_');
		}
		while (b.n && b.at[b.n - 1] == '_')
			b.at[--b.n] = 0;
		if (!b.n || !is_word(b.at)) {
			struct weft_buf with = {0};
			weft_buf_printf(&with, "m_%s", b.n ? b.at : "");
			weft_buf_fini(&b);
			b = with;
		}
	}
	size_t length = b.n;
	for (unsigned n = 2; !b.failed && weft_intern_find(&p->used, weft_str_n(b.at, b.n), &found); n++) {
		b.n = length;
		weft_buf_printf(&b, "_%u", n);
	}
	int rc = b.failed ? -ENOMEM : weft_intern_add(&p->used, weft_str_n(b.at, b.n), &p->ident[window]);
	weft_buf_fini(&b);
	return rc;
}

static const char *print_ident(const struct text_print *p, uint32_t window)
{
	return p->used.name[p->ident[window]];
}

/* ---- calls ---- */

static void put_list(struct weft_buf *o, const struct weft_list *l)
{
	if (l->n != 1)
		weft_buf_putc(o, '(');
	for (uint32_t i = 0; i < l->n; i++) {
		weft_buf_puts(o, i ? ", " : "");
		text_put_number(o, l->at[i]);
	}
	if (l->n != 1)
		weft_buf_putc(o, ')');
}

static void put_ranges(struct weft_buf *o, const struct weft_list *least, const struct weft_list *most)
{
	for (uint32_t i = 0; i < least->n; i++) {
		weft_buf_puts(o, i ? ", " : "");
		text_put_number(o, least->at[i]);
		weft_buf_puts(o, "..");
		text_put_number(o, most->at[i]);
	}
}

/* (values), (least..most), or (name = value, …); nothing when all are the default. */
static void put_params(struct weft_buf *o, const struct weft_call *c)
{
	char z[TEXT_NAME];
	unsigned n = 0, given = 0;
	for (; n < WEFT_PARAMS && c->func->param[n].name; n++)
		given += c->param[n].n > 0;
	if (!given)
		return;
	weft_buf_putc(o, '(');
	if (n == 1) {
		for (uint32_t i = 0; i < c->param[0].n; i++) {
			weft_buf_puts(o, i ? ", " : "");
			text_put_number(o, c->param[0].at[i]);
		}
	} else if (c->param[0].n == c->param[1].n && !strcmp(text_param_name(c->func, 0, z), "max")) {
		put_ranges(o, &c->param[1], &c->param[0]);
	} else {
		for (unsigned i = 0, k = 0; i < n; i++) {
			if (!c->param[i].n)
				continue;
			weft_buf_printf(o, "%s%s = ", k++ ? ", " : "", text_param_name(c->func, i, z));
			put_list(o, &c->param[i]);
		}
	}
	weft_buf_putc(o, ')');
}

void text_put_call(struct weft_buf *o, enum weft_func_kind k, const struct weft_call *c)
{
	char z[TEXT_NAME];
	weft_buf_puts(o, text_func_name(k, c->func, z));
	put_params(o, c);
}

/* ---- expressions ---- */

static void put_operand(struct text_print *p, const struct weft_window *w, unsigned side)
{
	const struct weft_metric *m = &w->metric;
	if (m->factor[side] != 1) {
		weft_buf_putc(p->out, '(');
		text_put_number(p->out, m->factor[side]);
		weft_buf_puts(p->out, " * ");
	}
	if (m->shift[side])
		weft_buf_printf(p->out, "shift(%s, %d)", print_ident(p, w->parents[side]), m->shift[side]);
	else
		weft_buf_puts(p->out, print_ident(p, w->parents[side]));
	if (m->factor[side] != 1)
		weft_buf_putc(p->out, ')');
}

static void put_derived(struct text_print *p, const struct weft_window *w)
{
	static const char *const operators[][2] = {{"add", " + "}, {"substract", " - "}, {"product", " * "}, {"divide", " / "}};
	const struct weft_func *f = w->metric.operation.func;
	char z[TEXT_NAME];
	for (unsigned i = 0; i < sizeof operators / sizeof *operators; i++)
		if (!strcmp(f->name, operators[i][0])) {
			put_operand(p, w, 0);
			weft_buf_puts(p->out, operators[i][1]);
			put_operand(p, w, 1);
			return;
		}
	weft_buf_printf(p->out, "%s(", text_func_name(WEFT_FUNC_DERIVED, f, z));
	put_operand(p, w, 0);
	weft_buf_puts(p->out, ", ");
	put_operand(p, w, 1);
	weft_buf_putc(p->out, ')');
}

static bool is_plain(const struct weft_call *c)
{
	return !c->func || !strcmp(c->func->name, "As Is");
}

static void put_compose(struct weft_buf *o, const struct weft_call *c)
{
	if (is_plain(c))
		return;
	weft_buf_puts(o, " | ");
	text_put_call(o, WEFT_FUNC_COMPOSE, c);
}

static bool is_default(enum weft_level l, const struct weft_call *c)
{
	return !c->func || !strcmp(c->func->name, l == WEFT_CPU ? "Active Thd" : "Adding");
}

/* Where the chain of levels begins: cpus of a metric that stands on threads are passed, too. */
static enum weft_level path_begin(const struct text_print *p, uint32_t window)
{
	const struct weft_window *w = &p->view->window[window];
	if (!w->derived)
		return weft_level_of_resources(p->level[window]) ? WEFT_LEVELS : WEFT_THREAD;
	enum weft_level a = p->level[w->parents[0]], b = p->level[w->parents[1]];
	return a > b ? a : b;
}

static void put_expression(struct text_print *p, uint32_t window)
{
	const struct weft_window *w = &p->view->window[window];
	const struct weft_metric *m = &w->metric;
	enum weft_level to = p->level[window], from = path_begin(p, window);
	if (w->derived)
		put_derived(p, w);
	else
		text_put_source(p, w);
	put_compose(p->out, &m->compose[w->derived ? from : WEFT_THREAD]);
	for (int l = WEFT_LEVELS - 1; l >= 0; l--) {
		if (!text_on_path((enum weft_level)l, from, to))
			continue;
		if (l == (int)to || !is_default((enum weft_level)l, &m->of_level[l]) || !is_plain(&m->compose[l])) {
			weft_buf_printf(p->out, " | %s: ", text_levels[l]);
			text_put_call(p->out, l == WEFT_CPU ? WEFT_FUNC_CPU : WEFT_FUNC_LEVEL, &m->of_level[l]);
		}
		put_compose(p->out, &m->compose[l]);
	}
	put_compose(p->out, &m->top[1]);
	put_compose(p->out, &m->top[0]);
	for (uint32_t i = 0; i < m->n_extra; i++)
		put_compose(p->out, &m->extra[i]);
}

/* What the levels have that the metric does not pass. */
static void put_beside(struct text_print *p, uint32_t window)
{
	const struct weft_window *w = &p->view->window[window];
	enum weft_level to = p->level[window], from = path_begin(p, window);
	for (int l = 0; l < WEFT_LEVELS; l++) {
		const struct weft_call *f = &w->metric.of_level[l], *c = &w->metric.compose[l];
		bool passed = text_on_path((enum weft_level)l, from, to) || l == (w->derived ? (int)from : WEFT_THREAD);
		bool function = l != WEFT_THREAD && !is_default((enum weft_level)l, f);
		if (passed || (!function && is_plain(c)))
			continue;
		weft_buf_printf(p->out, "\tat %s", text_levels[l]);
		if (function) {
			weft_buf_puts(p->out, ": ");
			text_put_call(p->out, l == WEFT_CPU ? WEFT_FUNC_CPU : WEFT_FUNC_LEVEL, f);
		}
		put_compose(p->out, c);
		weft_buf_putc(p->out, '\n');
	}
}

/* ---- the view ---- */

/* As bind finds it, so that the text says what will be. */
static enum weft_level level_of(const struct text_print *p, uint32_t window)
{
	const struct weft_window *w = &p->view->window[window];
	if (!w->derived)
		return w->metric.level;
	enum weft_level a = p->level[w->parents[0]], b = p->level[w->parents[1]], base = a > b ? a : b;
	if (!w->has_level || w->metric.level > base || !weft_level_fits(w->metric.level, base))
		return base;
	return w->metric.level;
}

static void put_window(struct text_print *p, uint32_t window)
{
	const struct weft_window *w = &p->view->window[window];
	struct weft_buf block = {0}, *out = p->out;
	weft_buf_puts(out, print_ident(p, window));
	if (strcmp(print_ident(p, window), w->metric.name) != 0) {
		weft_buf_putc(out, ' ');
		text_put_string(out, w->metric.name);
	}
	weft_buf_puts(out, " = ");
	put_expression(p, window);
	p->out = &block;
	text_put_block(p, window);
	put_beside(p, window);
	p->out = out;
	text_put_braces(p, &block);
}

static void put_about(struct weft_buf *o, const char *text)
{
	struct weft_str rest = weft_str(text), line;
	size_t n = rest.n;
	if (n && text[n - 1] == '\n')
		rest.n--;
	weft_buf_puts(o, "about");
	while (weft_str_cut(&rest, '\n', &line)) {
		struct weft_buf z = {0};
		for (size_t i = 0; i < line.n; i++)
			if (line.at[i] != '\r') /* which a .cfg may have lost in any case */
				weft_buf_putc(&z, line.at[i]);
		weft_buf_putc(&z, 0);
		weft_buf_putc(o, ' ');
		text_put_string(o, z.failed ? "" : z.at);
		weft_buf_fini(&z);
	}
	weft_buf_puts(o, "\n\n");
}

static int begin_print(struct text_print *p)
{
	uint32_t n = p->view->n_windows;
	p->ident = calloc((size_t)n + 1, sizeof *p->ident);
	p->level = calloc((size_t)n + 1, sizeof *p->level);
	int rc = p->ident && p->level ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		p->level[i] = level_of(p, i);
		rc = choose_ident(p, i);
	}
	return rc;
}

void weft_view_print(const struct weft_view *v, const struct weft_print_how *how, struct weft_buf *out)
{
	struct text_print p = {.view = v, .how = *how, .out = out};
	p.failed = begin_print(&p) != 0;
	if (!p.failed) {
		if (v->description)
			put_about(out, v->description);
		if (strcmp(v->version, "3.4") != 0 && !how->plain) {
			struct weft_buf line = {0};
			weft_buf_printf(&line, "ConfigFile.Version: %s", v->version);
			weft_buf_puts(out, "paraver ");
			text_put_string(out, line.failed ? "" : line.at);
			weft_buf_putc(out, '\n');
			weft_buf_fini(&line);
		}
		for (uint32_t i = 0; i < v->other.n && !how->plain; i++) {
			struct weft_buf line = {0};
			weft_buf_printf(&line, "%s %s", v->other.at[i].key, v->other.at[i].text);
			weft_buf_puts(out, "paraver ");
			text_put_string(out, line.failed ? "" : line.at);
			weft_buf_putc(out, '\n');
			weft_buf_fini(&line);
		}
		for (uint32_t i = 0; i < v->n_windows; i++)
			put_window(&p, i);
		for (uint32_t i = 0; i < v->n_hists; i++)
			text_put_table(&p, &v->hist[i]);
	}
	out->failed |= p.failed;
	weft_intern_fini(&p.used);
	free(p.ident);
	free(p.level);
}
