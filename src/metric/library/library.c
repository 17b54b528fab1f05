/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a view and reads it: a file, by its path; a file of a folder in WEFT_VIEWS, by its name; a view of the library, which is
 * part of the program. What a file is, is seen from its content, as its suffix may be anything.
 */
#include "library.h"
#include "base/fs.h"
#include "metric/cfg/view_need.h"
#include "metric/text/text_view.h"
#include "metric/view/view_lack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int weft_view_read_any(struct weft_view *v, const char *text, size_t n, const char *name, struct weft_err *err)
{
	return weft_view_is_cfg(text, n) ? weft_view_read(v, text, n, name, err) : weft_view_parse(v, text, n, name, err);
}

/* ---- by name ---- */

/* "name.view" and "name.cfg": how long the name is, or 0. */
static size_t base_length(const char *file)
{
	size_t n = strlen(file);
	if (n > 5 && !strcmp(file + n - 5, ".view"))
		return n - 5;
	return n > 4 && !strcmp(file + n - 4, ".cfg") ? n - 4 : 0;
}

static int each_in(const char *folder, int (*call)(void *, const char *, const char *), void *arg)
{
	char **file;
	struct weft_err none = {0};
	int n = weft_list_dir(folder, &file, &none), rc = 0;
	for (int i = 0; i < n && !rc; i++) {
		struct weft_buf path = {0};
		size_t length = base_length(file[i]);
		weft_buf_printf(&path, "%s/%s", folder, file[i]);
		char *name = length ? strndup(file[i], length) : NULL;
		if (length)
			rc = name && !path.failed ? call(arg, name, path.at) : -ENOMEM;
		free(name);
		weft_buf_fini(&path);
	}
	if (n > 0)
		weft_list_free(file, n);
	return rc;
}

int weft_views_each(int (*call)(void *arg, const char *name, const char *path), void *arg)
{
	struct weft_str rest = weft_str(getenv("WEFT_VIEWS")), part;
	int rc = 0;
	while (!rc && rest.n && weft_str_cut(&rest, ':', &part)) {
		char *folder = strndup(part.at, part.n);
		if (!folder)
			return -ENOMEM;
		if (part.n)
			rc = each_in(folder, call, arg);
		free(folder);
	}
	for (unsigned i = 0; weft_view_library[i].name && !rc; i++)
		rc = call(arg, weft_view_library[i].name, NULL);
	return rc;
}

struct search {
	const char *name;
	char *text; /* malloc'd */
	size_t n;
	struct weft_err *err;
	bool found;
	int rc;
	WEFT_VEC(char *) known;
};

static int take_if_named(void *arg, const char *name, const char *path)
{
	struct search *s = arg;
	if (strcmp(name, s->name) != 0) {
		char *kept = strdup(name);
		return kept ? weft_vec_push(&s->known, kept) : -ENOMEM;
	}
	s->found = true;
	if (path) {
		s->rc = weft_read_file(path, &s->text, &s->n, s->err);
		return 1;
	}
	for (unsigned i = 0; weft_view_library[i].name; i++)
		if (!strcmp(weft_view_library[i].name, name)) {
			s->text = strdup(weft_view_library[i].text);
			s->n = strlen(weft_view_library[i].text);
		}
	if (!s->text)
		s->rc = weft_err_set(s->err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	return 1;
}

int weft_view_text_named(const char *name, char **text, size_t *n, struct weft_err *err)
{
	struct search s = {.name = name, .err = err};
	int rc = weft_views_each(take_if_named, &s);
	if (s.found) {
		rc = s.rc;
	} else if (rc < 0) {
		rc = weft_err_set(err, rc, "%s", weft_err_name(rc));
	} else {
		const char *near = weft_nearest(name, (const char *const *)s.known.at, s.known.n);
		rc = weft_err_set(err, -ENOENT, "unknown view '%s'%s%s%s (see 'weft view list')", name,
		                  near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	for (size_t i = 0; i < s.known.n; i++)
		free(s.known.at[i]);
	free(s.known.at);
	*text = s.text;
	*n = s.n;
	return rc;
}

int weft_view_text(const char *name, char **text, size_t *n, struct weft_err *err)
{
	*text = NULL;
	if (strchr(name, '/') || base_length(name) || access(name, F_OK) == 0)
		return weft_read_input(name, text, n, err);
	return weft_view_text_named(name, text, n, err);
}

static int load_by(struct weft_view *v, const char *name, int (*find)(const char *, char **, size_t *, struct weft_err *),
                   struct weft_err *err)
{
	char *text = NULL;
	size_t n;
	*v = (struct weft_view){.n_windows = 0};
	int rc = find(name, &text, &n, err);
	if (!rc)
		rc = weft_view_read_any(v, text, n, name, err);
	free(text);
	return rc;
}

int weft_view_load(struct weft_view *v, const char *name, struct weft_err *err)
{
	return load_by(v, name, weft_view_text, err);
}

int weft_view_load_named(struct weft_view *v, const char *name, struct weft_err *err)
{
	return load_by(v, name, weft_view_text_named, err);
}

/* ---- a trace ---- */

int weft_view_fit(struct weft_view *v, const char *name, const struct weft_space *s, struct weft_buf *missing,
                  struct weft_err *err)
{
	struct weft_view_lack lack;
	int rc = weft_view_bind(v, s, &lack, err);
	if (rc)
		return weft_err_prefix(err, "%s", name);
	if (lack.nothing_selected)
		return weft_err_set(err, -EINVAL, "%s: a metric has no rows in this trace", name);
	weft_view_missing(v, s, missing);
	if (!lack.found)
		return weft_err_set(err, -EINVAL, "%s: the trace has none of its events: %s", name,
		                    missing->n && !missing->failed ? missing->at : "");
	return 0;
}
