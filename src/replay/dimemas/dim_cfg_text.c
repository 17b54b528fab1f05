/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a configuration, and their fields. Lines with // are passed over, and those from one with slash-star to one with star-slash. */
#include "dim_cfg_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

static struct weft_str trim_left(struct weft_str s)
{
	while (s.n && (s.at[0] == ' ' || s.at[0] == '\t')) {
		s.at++;
		s.n--;
	}
	return s;
}

static int push_number(struct cfg_reader *r, double v)
{
	if (r->n_array == r->array_cap && weft_vec_grow(&r->array, &r->array_cap, r->n_array + 1, sizeof *r->array))
		return -ENOMEM;
	r->array[r->n_array++] = v;
	return 0;
}

/* "[n] {a, b}" */
static int read_array(struct cfg_reader *r, struct weft_str *rest, struct cfg_field *f)
{
	const char *close = memchr(rest->at, ']', rest->n),
		   *open = close ? memchr(close, '{', rest->n - (size_t)(close - rest->at)) : NULL;
	const char *end = open ? memchr(open, '}', rest->n - (size_t)(open - rest->at)) : NULL;
	uint64_t n;
	if (!end || weft_parse_u64(weft_str_trim(weft_str_n(rest->at + 1, (size_t)(close - rest->at) - 1)), &n))
		return cfg_wrong(r, "an array that is not [n] {a, b, …}");
	struct weft_str inside = weft_str_trim(weft_str_n(open + 1, (size_t)(end - open) - 1)), part;
	f->kind = CFG_ARRAY;
	f->first = (uint32_t)r->n_array;
	while (inside.n && weft_str_cut(&inside, ',', &part)) {
		double v;
		if (weft_parse_double(weft_str_trim(part), &v))
			return cfg_wrong(r, "an array with something that is no number");
		if (push_number(r, v))
			return -ENOMEM;
	}
	f->n = (uint32_t)r->n_array - f->first;
	if (f->n != n)
		return cfg_wrong(r, "an array of another length than it says");
	rest->n -= (size_t)(end + 1 - rest->at);
	rest->at = end + 1;
	return 0;
}

static int read_text(struct cfg_reader *r, struct weft_str *rest, struct cfg_field *f)
{
	const char *end = memchr(rest->at + 1, '"', rest->n - 1);
	if (!end)
		return cfg_wrong(r, "a text without its closing quote");
	f->kind = CFG_TEXT;
	f->text = weft_str_n(rest->at + 1, (size_t)(end - rest->at) - 1);
	rest->n -= (size_t)(end + 1 - rest->at);
	rest->at = end + 1;
	return 0;
}

static int read_plain(struct cfg_reader *r, struct weft_str *rest, struct cfg_field *f)
{
	size_t n = 0;
	while (n < rest->n && rest->at[n] != ',' && rest->at[n] != '}')
		n++;
	f->text = weft_str_trim(weft_str_n(rest->at, n));
	f->kind = CFG_NUMBER;
	if (weft_parse_double(f->text, &f->number)) {
		if (f->text.n != 1 || !strchr("<=>&|", f->text.at[0]))
			return cfg_wrong(r, "a field that is neither a text, nor a number, nor an array");
		f->kind = CFG_TEXT;
	}
	rest->at += n;
	rest->n -= n;
	return 0;
}

static int read_fields(struct cfg_reader *r, struct weft_str rest)
{
	r->n_fields = 0;
	r->n_array = 0;
	for (;;) {
		rest = trim_left(rest);
		if (!rest.n)
			return cfg_wrong(r, "a record without its closing brace");
		if (r->n_fields == CFG_FIELDS_MOST)
			return cfg_wrong(r, "wrong number of fields");
		struct cfg_field *f = &r->field[r->n_fields++];
		memset(f, 0, sizeof *f);
		int rc = rest.at[0] == '"'   ? read_text(r, &rest, f)
		         : rest.at[0] == '[' ? read_array(r, &rest, f)
		                             : read_plain(r, &rest, f);
		if (rc)
			return rc;
		rest = trim_left(rest);
		if (!rest.n || (rest.at[0] != ',' && rest.at[0] != '}'))
			return cfg_wrong(r, "no comma or brace behind a field");
		if (rest.at[0] == '}')
			return 0;
		rest.at++;
		rest.n--;
	}
}

/* ---- lines ---- */

static bool has(struct weft_str line, const char *what)
{
	return line.n >= 2 && memmem(line.at, line.n, what, 2) != NULL;
}

static int read_line(struct cfg_reader *r, struct weft_str line)
{
	const char *end = line.n && line.at[0] == '"' ? memchr(line.at + 1, '"', line.n - 1) : NULL;
	const char *open = end ? memchr(end, '{', line.n - (size_t)(end - line.at)) : NULL;
	if (!open)
		return cfg_wrong(r, "not a record as \"name\" {field, field};;");
	int rc = read_fields(r, weft_str_n(open + 1, line.n - (size_t)(open + 1 - line.at)));
	return rc ? rc : cfg_take(r, weft_str_n(line.at + 1, (size_t)(end - line.at) - 1));
}

static int read_lines(struct cfg_reader *r, struct weft_str all)
{
	struct weft_str line;
	bool comment = false;
	while (weft_str_cut(&all, '\n', &line)) {
		line = weft_str_trim(line);
		if (r->line++ == 0)
			continue; /* the mark */
		const bool skip = comment || !line.n || line.at[0] == '#' || has(line, "//") || has(line, "/*");
		if (has(line, "/*"))
			comment = true;
		if (comment && has(line, "*/"))
			comment = false;
		int rc = skip ? 0 : read_line(r, line);
		if (rc)
			return rc;
	}
	return 0;
}

int cfg_split_kind(struct cfg_reader *r, size_t kind, uint32_t at)
{
	const struct weft_replay_node_kind whole = r->m->kind.at[kind];
	struct weft_replay_node_kind part[3] = {whole, whole, whole};
	unsigned n = 0, own = 0;
	if (at > whole.first) {
		part[n].n = at - whole.first;
		n++;
	}
	own = n;
	part[n].first = at;
	part[n++].n = 1;
	if (at + 1 < whole.first + whole.n) {
		part[n].first = at + 1;
		part[n].n = whole.first + whole.n - at - 1;
		n++;
	}
	for (unsigned i = 1; i < n; i++)
		if (weft_vec_push(&r->m->kind, whole))
			return -ENOMEM;
	memmove(r->m->kind.at + kind + n, r->m->kind.at + kind + 1, (r->m->kind.n - kind - n) * sizeof whole);
	memcpy(r->m->kind.at + kind, part, n * sizeof whole);
	return (int)(kind + own);
}

static int finish(struct cfg_reader *r)
{
	if (r->n_sites_said && r->n_sites_said != r->m->site.n)
		return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s': %u machines are said, and %zu described", r->name,
		                    r->n_sites_said, r->m->site.n);
	int rc = weft_replay_machine_check(r->m, r->err);
	if (rc) {
		weft_err_prefix(r->err, "'%s'", r->name);
		return rc;
	}
	const char *files[] = {r->scheduler, r->collectives};
	for (unsigned i = 0; i < 2 && !rc; i++)
		if (files[i])
			rc = weft_replay_collectives_read(r->m, files[i], r->err);
	return rc;
}

int weft_replay_cfg_parse(struct weft_replay_machine *m, const char *at, size_t n, const char *name, const char **notice,
                          struct weft_err *err)
{
	struct cfg_reader r = {.m = m, .name = name, .err = err};
	memset(m, 0, sizeof *m);
	m->wan.name = "";
	m->wan.traffic = 4;
	m->wan.model = WEFT_REPLAY_CONSTANT;
	m->formulas = true;
	m->name = weft_arena_strdup(&m->arena, name);
	int rc = 0;
	if (!weft_replay_is_cfg(at, n))
		rc = weft_err_set(err, WEFT_E_SYNTAX,
		                  "'%s', line 1: no configuration for Dimemas, which begins with #DIMEMAS_CONFIGURATION", name);
	if (!rc)
		rc = read_lines(&r, weft_str_n(at, n));
	if (!rc)
		rc = finish(&r);
	if (rc == -ENOMEM || rc == -12)
		rc = weft_err_set(err, -ENOMEM, "'%s': out of memory", name);
	free(r.array);
	if (notice)
		*notice = r.notice;
	if (rc)
		weft_replay_machine_fini(m);
	return rc;
}

int weft_replay_cfg_read(struct weft_replay_machine *m, const char *path, const char **notice, struct weft_err *err)
{
	char *at;
	size_t n;
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	rc = weft_replay_cfg_parse(m, at, n, path, notice, err);
	free(at);
	return rc;
}
