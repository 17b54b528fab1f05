/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a .cfg: line by line, "key value". A line that begins a histogram changes which table of
 * keys is looked into. The first value that is wrong ends the reading; keys that no table has are
 * kept for writing.
 */
#include "cfg_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HIST_BEGINS "< NEW ANALYZER2D >"

static bool has(const char *text, size_t n, const char *what)
{
	return n && memmem(text, n, what, strlen(what));
}

static bool has_line(const char *text, size_t n, const char *key)
{
	struct weft_str rest = weft_str_n(text, n), line;
	while (weft_str_cut(&rest, '\n', &line)) {
		struct weft_str t = cfg_take_token(&line);
		if (weft_str_eq(t, key))
			return true;
	}
	return false;
}

bool weft_view_is_cfg(const char *text, size_t n)
{
	if (has(text, n, "#ParaverCFG"))
		return true;
	if (has(text, n, "ConfigFile.Version:") && has(text, n, "ConfigFile.NumWindows:"))
		return true;
	return has_line(text, n, "version") && has_line(text, n, "number_of_windows");
}

static const struct cfg_key *find_key(const struct cfg_key *table, struct weft_str key)
{
	for (; table->name; table++)
		if (weft_str_eq(key, table->name))
			return table;
	return NULL;
}

static int begin_hist(struct cfg *c)
{
	int rc = c->in_hist ? cfg_close_hist(c) : cfg_close_window(c);
	if (rc)
		return rc;
	struct weft_hist h = {.name = "",
	                      .control = WEFT_NONE,
	                      .data = WEFT_NONE,
	                      .extra = WEFT_NONE,
	                      .scale = {.compute = true, .delta = 1},
	                      .planes = {.compute = true, .delta = 1},
	                      .short_labels = true};
	c->in_hist = true;
	return weft_vec_push(&c->hist, h);
}

static int describe(struct cfg *c, struct weft_str line)
{
	if (weft_str_eq(weft_str_trim(line), "ConfigFile.EndDescription")) {
		c->in_description = false;
		c->view->description = cfg_keep(c, weft_str_n(c->description.at, c->description.n));
		return c->view->description ? 0 : -ENOMEM;
	}
	weft_buf_add(&c->description, line.at, line.n);
	weft_buf_putc(&c->description, '\n');
	return c->description.failed ? -ENOMEM : 0;
}

static int read_key(struct cfg *c, struct weft_str key, struct weft_str value)
{
	const struct cfg_key *k = find_key(c->in_hist ? cfg_hist_keys : cfg_window_keys, key);
	if (k && c->in_hist)
		return k->read(c, value);
	if (k && (c->window.n || !strcmp(k->name, "window_name")))
		return k->read(c, value);
	if (c->in_hist && weft_str_eq(key, "window_name")) { /* windows may stand behind a histogram */
		int rc = cfg_close_hist(c);
		return rc ? rc : find_key(cfg_window_keys, key)->read(c, value);
	}
	if (weft_str_eq(key, "ConfigFile.Version:") || weft_str_eq(key, "version")) {
		c->view->version = cfg_keep(c, value);
		return c->view->version ? 0 : -ENOMEM;
	}
	if (weft_str_eq(key, "ConfigFile.NumWindows:") || weft_str_eq(key, "number_of_windows"))
		return cfg_count(c, value, &c->announced);
	const char *name = cfg_keep(c, key);
	return name ? cfg_other(c, name, value) : -ENOMEM;
}

static int read_line(struct cfg *c, struct weft_str line)
{
	const char *nul = line.n ? memchr(line.at, 0, line.n) : NULL;
	if (nul)
		line.n = (size_t)(nul - line.at);
	if (line.n && line.at[line.n - 1] == '\r')
		line.n--;
	if (c->in_description)
		return describe(c, line);
	struct weft_str rest = weft_str_trim(line);
	if (!rest.n || *rest.at == '#')
		return 0;
	if (*rest.at == '<')
		return rest.n >= strlen(HIST_BEGINS) && !memcmp(rest.at, HIST_BEGINS, strlen(HIST_BEGINS)) ? begin_hist(c) : 0;
	struct weft_str key = cfg_take_token(&rest);
	if (weft_str_eq(key, "ConfigFile.BeginDescription")) {
		c->in_description = true;
		return 0;
	}
	return read_key(c, key, weft_str_trim(rest));
}

/* The histogram that is being read is wrong: it goes, and its error becomes the view's remark. */
static int drop_hist(struct cfg *c, const struct weft_err *why)
{
	c->in_hist = false;
	c->hist.n--;
	c->other.n = 0;
	c->view->dropped = cfg_keep(c, weft_str(why->text));
	return c->view->dropped ? 0 : -ENOMEM;
}

/* What was gathered moves to the view. */
static int finish(struct cfg *c)
{
	int rc = cfg_close_window(c);
	struct weft_view *v = c->view;
	if (rc)
		return rc;
	if (c->in_description)
		return cfg_fail(c, "the file ends within its description");
	if (!c->window.n)
		return cfg_fail(c, "no window in it");
	if (c->announced && c->window.n < c->announced)
		return cfg_fail(c, "the file ends after %zu of the %u windows that it announces", c->window.n, c->announced);
	if (c->announced && c->window.n > c->announced)
		return cfg_fail(c, "there are %zu windows, %u are announced", c->window.n, c->announced);
	v->window = weft_arena_alloc(&v->arena, c->window.n * sizeof *v->window);
	v->hist = weft_arena_alloc(&v->arena, (c->hist.n + 1) * sizeof *v->hist);
	if (!v->window || !v->hist)
		return -ENOMEM;
	memcpy(v->window, c->window.at, c->window.n * sizeof *v->window);
	if (c->hist.n)
		memcpy(v->hist, c->hist.at, c->hist.n * sizeof *v->hist);
	v->n_windows = (uint32_t)c->window.n;
	v->n_hists = (uint32_t)c->hist.n;
	weft_view_link(v);
	return 0;
}

int weft_view_read(struct weft_view *v, const char *text, size_t n, const char *path, struct weft_err *err)
{
	*v = (struct weft_view){.version = "3.4"};
	struct weft_err why = {0};
	struct cfg c = {.view = v, .path = path, .err = &why};
	struct weft_str rest = weft_str_behind_mark(weft_str_n(text, n)), line;
	int rc = 0;
	while (!rc && weft_str_cut(&rest, '\n', &line)) {
		c.line++;
		rc = read_line(&c, line);
	}
	if (!rc && c.in_hist)
		rc = cfg_close_hist(&c);
	if (rc == WEFT_E_SYNTAX && c.hist_is_wrong)
		rc = drop_hist(&c, &why);
	if (!rc)
		rc = finish(&c);
	free(c.window.at);
	free(c.hist.at);
	free(c.other.at);
	free(c.chosen.at);
	free(c.extra.at);
	weft_buf_fini(&c.description);
	if (rc == -ENOMEM)
		return weft_err_set(err, rc, "%s: %s", path, weft_err_name(rc));
	return rc ? weft_err_set(err, rc, "%s", why.text) : 0;
}

void weft_view_link(struct weft_view *v)
{
	for (uint32_t i = 0; i < v->n_windows; i++)
		for (unsigned k = 0; k < 2 && v->window[i].derived; k++)
			v->window[i].metric.parent[k] = &v->window[v->window[i].parents[k]].metric;
}

void weft_view_fini(struct weft_view *v)
{
	weft_arena_fini(&v->arena);
	*v = (struct weft_view){.n_windows = 0};
}
