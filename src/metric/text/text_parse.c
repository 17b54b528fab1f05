/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements of the text of views:
 *
 *   about "what it shows"        paraver "key value"        table … (text_table.c)
 *   name ["title"] = expression [{ … }]
 */
#include "text_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "a line" "and another": what the view is about. */
static int read_about(struct text *p)
{
	int rc = 0;
	if (p->now.kind != TEXT_STRING)
		return text_fail(p, "expected a text in quotes");
	while (!rc && p->now.kind == TEXT_STRING) {
		struct weft_str s = p->now.string;
		if (s.n && (memchr(s.at, '\r', s.n) || memmem(s.at, s.n, "ConfigFile.EndDescription", 25)))
			return text_fail(p, "a description has neither this in it nor carriage returns");
		weft_buf_add(&p->about, s.at, s.n);
		weft_buf_putc(&p->about, '\n');
		rc = text_next(p);
	}
	return rc;
}

static int read_paraver(struct text *p)
{
	struct weft_key_line l;
	int rc = text_paraver_line(p, NULL, &l);
	if (rc)
		return rc;
	if (!strcmp(l.key, "ConfigFile.Version:")) {
		p->view->version = l.text;
		return 0;
	}
	return weft_vec_push(&p->top_other, l) ? text_memory(p) : 0;
}

static int read_title(struct text *p, struct weft_str *title)
{
	if (p->now.kind != TEXT_STRING)
		return 0;
	*title = p->now.string;
	for (size_t i = 0; i < title->n; i++)
		if (title->at[i] == '\n')
			return text_fail(p, "a title stands on one line");
	return text_next(p);
}

/* name ["title"] = expression [block] */
static int read_metric(struct text *p)
{
	struct text_token name = p->now;
	struct weft_str title = name.at;
	struct text_value v;
	uint32_t window;
	p->name = name.at;
	p->first = (uint32_t)p->window.n;
	int rc = text_next(p);
	if (!rc)
		rc = read_title(p, &title);
	if (!rc && text_is(p, "(")) /* a function stands where a statement begins */
		rc = text_fail_at(p, &name, "expected 'name = expression'");
	if (!rc)
		rc = text_expect(p, "=");
	if (!rc)
		rc = text_expression(p, &v);
	if (!rc && v.is_number)
		rc = text_fail_at(p, &name, "'%.*s' is a number, not a metric", (int)(name.at.n < 60 ? name.at.n : 60),
		                  name.at.at);
	if (!rc)
		rc = text_inline(p, &v);
	if (rc)
		return rc;
	v.w.metric.name = text_keep(p, weft_str_trim(title));
	v.w.color = text_color_of(&v.w);
	v.w.id = (uint32_t)p->window.n + 1;
	rc = v.w.metric.name ? text_window_block(p, &v.w) : text_memory(p);
	if (!rc)
		rc = text_push_window(p, &v.w, &window);
	if (!rc && weft_vec_push(&p->ident, (struct text_ident){name.at, window}))
		rc = text_memory(p);
	return rc;
}

static int read_statement(struct text *p)
{
	bool was;
	if (p->now.kind != TEXT_WORD)
		return text_fail(p, "expected a metric's name, or table, about, paraver");
	int rc = text_take(p, "table", &was);
	if (rc || was)
		return rc ? rc : text_table(p);
	rc = text_take(p, "about", &was);
	if (rc || was)
		return rc ? rc : read_about(p);
	rc = text_take(p, "paraver", &was);
	if (rc || was)
		return rc ? rc : read_paraver(p);
	static const char *const reserved[] = {"where", "and", "or", "not", "in", "shift", NULL};
	if (text_word(reserved, p->now.at) >= 0)
		return text_fail(p, "'%.*s' is a word of the language, no name", (int)p->now.at.n, p->now.at.at);
	return read_metric(p);
}

static int read_statements(struct text *p)
{
	int rc = text_begin(p);
	while (!rc) {
		rc = text_skip_lines(p);
		if (rc || p->now.kind == TEXT_END)
			return rc;
		rc = read_statement(p);
		if (!rc && p->now.kind != TEXT_LINE && p->now.kind != TEXT_END)
			rc = text_fail(p, "expected the end of the statement");
	}
	return rc;
}

/* What was gathered moves to the view. */
static int finish(struct text *p)
{
	struct weft_view *v = p->view;
	struct weft_key_line *other = weft_arena_alloc(&v->arena, (p->top_other.n + 1) * sizeof *other);
	if (!p->window.n)
		return text_fail(p, "no metric in it");
	v->window = weft_arena_alloc(&v->arena, p->window.n * sizeof *v->window);
	v->hist = weft_arena_alloc(&v->arena, (p->hist.n + 1) * sizeof *v->hist);
	if (!v->window || !v->hist || !other || p->about.failed)
		return text_memory(p);
	memcpy(v->window, p->window.at, p->window.n * sizeof *v->window);
	if (p->hist.n)
		memcpy(v->hist, p->hist.at, p->hist.n * sizeof *v->hist);
	if (p->top_other.n)
		memcpy(other, p->top_other.at, p->top_other.n * sizeof *other);
	v->other = (struct weft_key_lines){other, (uint32_t)p->top_other.n};
	v->n_windows = (uint32_t)p->window.n;
	v->n_hists = (uint32_t)p->hist.n;
	if (p->about.n)
		v->description = text_keep(p, weft_str_n(p->about.at, p->about.n));
	if (p->about.n && !v->description)
		return text_memory(p);
	weft_view_link(v);
	return 0;
}

int weft_view_parse(struct weft_view *v, const char *text, size_t n, const char *path, struct weft_err *err)
{
	*v = (struct weft_view){.version = "3.4"};
	struct weft_err why = {0};
	struct text p = {.view = v, .path = path, .begin = text, .end = text + n, .err = &why};
	int rc = read_statements(&p);
	if (!rc)
		rc = finish(&p);
	free(p.window.at);
	free(p.hist.at);
	free(p.other.at);
	free(p.top_other.at);
	free(p.chosen.at);
	free(p.ident.at);
	free(p.number.at);
	free(p.label.at);
	weft_buf_fini(&p.about);
	return rc ? weft_err_set(err, rc, "%s", why.text) : 0;
}
