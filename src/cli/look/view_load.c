/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a view and reads it: a file, by its path; a file of a folder in WEFT_VIEWS, by its name; a view of the library, which is
 * part of the program. What a file is, is seen from its content, as its suffix may be anything.
 */
#include "view_load.h"
#include "base/fs.h"
#include "base/log.h"
#include "cli/common/cli.h"
#include "metric/text/text_view.h"
#include "metric/view/view_lack.h"
#include "metric/cfg/view_need.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_text(struct weft_view *v, const char *text, size_t n, const char *name, struct weft_err *err)
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

int cli_view_each(int (*call)(void *arg, const char *name, const char *path), void *arg)
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
	for (unsigned i = 0; cli_library[i].name && !rc; i++)
		rc = call(arg, cli_library[i].name, NULL);
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
	for (unsigned i = 0; cli_library[i].name; i++)
		if (!strcmp(cli_library[i].name, name)) {
			s->text = strdup(cli_library[i].text);
			s->n = strlen(cli_library[i].text);
		}
	if (!s->text)
		s->rc = weft_err_set(s->err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	return 1;
}

static int find_named(const char *name, char **text, size_t *n, struct weft_err *err)
{
	struct search s = {.name = name, .err = err};
	int rc = cli_view_each(take_if_named, &s);
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

int cli_view_text(const char *name, char **text, size_t *n, struct weft_err *err)
{
	*text = NULL;
	if (strchr(name, '/') || base_length(name) || access(name, F_OK) == 0)
		return weft_read_input(name, text, n, err);
	return find_named(name, text, n, err);
}

int cli_view_load(struct weft_view *v, const char *name, struct weft_err *err)
{
	char *text;
	size_t n;
	*v = (struct weft_view){.n_windows = 0};
	int rc = cli_view_text(name, &text, &n, err);
	if (!rc)
		rc = read_text(v, text, n, name, err);
	free(text);
	return rc;
}

/* ---- what is said ---- */

int cli_view_fail(const struct weft_view *v, const struct weft_err *err)
{
	int status = cli_fail(err);
	if (v->caret)
		fprintf(stderr, "%s\n", v->caret);
	return status;
}

int cli_view_bind(struct weft_view *v, const char *name, const struct weft_space *s, struct weft_err *err)
{
	struct weft_view_lack lack;
	int rc = weft_view_bind(v, s, &lack, err);
	if (rc)
		return weft_err_prefix(err, "%s", name);
	if (lack.nothing_selected)
		return weft_err_set(err, -EINVAL, "%s: a metric has no rows in this trace", name);
	struct weft_buf text = {0};
	weft_view_missing(v, s, &text);
	const char *missing = text.n && !text.failed ? text.at : "";
	if (!lack.found)
		rc = weft_err_set(err, -EINVAL, "%s: the trace has none of its events: %s", name, missing);
	else if (*missing)
		weft_log(WEFT_LOG_WARN, "%s: the trace has no events of %s", name, missing);
	weft_buf_fini(&text);
	if (!rc)
		cli_say_no_labels(s->trace);
	return rc;
}

int cli_space_init(struct weft_space *s, const struct weft_trace *t, const struct cli_common *c)
{
	return c->own_threads ? weft_space_init_whole(s, t) : weft_space_init(s, t);
}

void cli_view_say_large(const struct weft_view *v, const struct weft_space *s, const struct cli_common *c)
{
	struct weft_need need;
	/* Filters speak of regions and counters, views of the types that are made of them. */
	if (s->schema || weft_view_need(v, s, &need))
		return;
	cli_say_large(c, s->trace, &need);
	free((void *)need.type);
}
