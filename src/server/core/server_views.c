/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views of the session. A view that is bound belongs to one trace; the latest few dozen are kept, as pages ask for the same one for
 * each tile. Texts that were typed in a page stay, under "@1" and on: addresses that people copied name them.
 */
#include "metric/text/text_view.h"
#include "metric/view/view_lack.h"
#include "server_session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void view_free(struct server_view *v)
{
	weft_view_fini(&v->view);
	free(v->name);
	free(v->lack);
	free(v);
}

void server_views_fini(struct server_session *s)
{
	for (size_t i = 0; i < s->view.n; i++)
		view_free(s->view.at[i]);
	free(s->view.at);
	for (uint32_t i = 0; i < s->n_typed; i++) {
		free(s->typed[i].name);
		free(s->typed[i].text);
	}
}

/* ---- texts ---- */

/* "@3": 3; 0: it is none of these. */
static uint32_t typed_number(const char *name)
{
	uint64_t n;
	return name[0] == '@' && !weft_parse_u64(weft_str(name + 1), &n) && n <= SERVER_TEXTS_MOST ? (uint32_t)n : 0;
}

int server_view_add(struct server_session *s, const char *title, const char *text, size_t n, char *out, struct weft_err *err)
{
	int rc = 0;
	uint32_t at = 0;
	out[0] = 0;
	char *kept_title = strdup(title), *kept = strndup(text, n);
	if (!kept_title || !kept) {
		free(kept_title);
		free(kept);
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	}
	pthread_mutex_lock(&s->lock);
	while (at < s->n_typed && (strcmp(s->typed[at].text, kept) != 0 || strcmp(s->typed[at].name, title) != 0))
		at++;
	if (at == SERVER_TEXTS_MOST)
		rc = weft_err_set(err, -ENOSPC, "this session has %u views that were typed: no more", SERVER_TEXTS_MOST);
	bool is_new = !rc && at == s->n_typed;
	if (is_new) {
		s->typed[at].name = kept_title;
		s->typed[at].text = kept;
		s->n_typed++;
	}
	pthread_mutex_unlock(&s->lock);
	if (!rc)
		snprintf(out, 16, "@%u", at + 1);
	if (!is_new) {
		free(kept_title);
		free(kept);
	}
	return rc;
}

const char *server_view_title(struct server_session *s, const char *name)
{
	uint32_t n = typed_number(name);
	pthread_mutex_lock(&s->lock);
	const char *title = n && n <= s->n_typed ? s->typed[n - 1].name : name;
	pthread_mutex_unlock(&s->lock);
	return title;
}

/* malloc'd. */
int server_view_source(struct server_session *s, const char *name, char **text, size_t *n, struct weft_err *err)
{
	uint32_t number = typed_number(name);
	*text = NULL;
	if (number) {
		pthread_mutex_lock(&s->lock);
		if (number <= s->n_typed)
			*text = strdup(s->typed[number - 1].text);
		bool known = number <= s->n_typed;
		pthread_mutex_unlock(&s->lock);
		if (!known)
			return weft_err_set(err, -ENOENT, "unknown view '%s'", name);
		*n = *text ? strlen(*text) : 0;
		return *text ? 0 : weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	}
	/* Names only: a page cannot make the server read files. */
	if (!s->library || strchr(name, '/') || strchr(name, '.'))
		return weft_err_set(err, -ENOENT, "unknown view '%.60s'", name);
	return s->library->text(name, text, n, err);
}

/* ---- bound views ---- */

static int view_bind(struct server_session *s, struct server_view *v, struct weft_err *err)
{
	char *text;
	size_t n;
	struct weft_view_lack lack;
	int rc = server_view_source(s, v->name, &text, &n, err);
	if (rc)
		return rc;
	const char *title = server_view_title(s, v->name);
	rc = weft_view_is_cfg(text, n) ? weft_view_read(&v->view, text, n, title, err)
	                               : weft_view_parse(&v->view, text, n, title, err);
	free(text);
	if (!rc)
		rc = weft_view_bind(&v->view, &v->trace->space, &lack, err);
	if (rc)
		return rc;
	struct weft_buf missing = {0};
	weft_view_missing(&v->view, &v->trace->space, &missing);
	weft_buf_add(&missing, "", 0);
	if (lack.nothing_selected && !missing.n)
		weft_buf_puts(&missing, "a metric has no rows in this trace");
	v->lack = missing.failed ? NULL : missing.n ? missing.at : strdup("");
	if (!missing.n)
		weft_buf_fini(&missing);
	return v->lack ? 0 : weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
}

/* With the lock; counts a user. */
static struct server_view *find_bound(struct server_session *s, const struct server_trace *t, const char *name)
{
	for (size_t i = 0; i < s->view.n; i++) {
		struct server_view *v = s->view.at[i];
		if (v->trace == t && !strcmp(v->name, name)) {
			v->users++;
			v->used = ++s->clock;
			return v;
		}
	}
	return NULL;
}

/* With the lock: the one that nobody uses and that was not used for longest goes, when there are too many. */
static void forget_oldest(struct server_session *s)
{
	size_t oldest = s->view.n;
	for (size_t i = 0; i < s->view.n; i++)
		if (!s->view.at[i]->users && (oldest == s->view.n || s->view.at[i]->used < s->view.at[oldest]->used))
			oldest = i;
	if (s->view.n < SERVER_VIEWS_KEPT || oldest == s->view.n)
		return;
	view_free(s->view.at[oldest]);
	s->view.at[oldest] = s->view.at[--s->view.n];
}

int server_view_get(struct server_session *s, struct server_trace *t, const char *name, struct server_view **out,
                    struct weft_err *err)
{
	pthread_mutex_lock(&s->lock);
	*out = find_bound(s, t, name);
	pthread_mutex_unlock(&s->lock);
	if (*out)
		return 0;
	struct server_view *v = calloc(1, sizeof *v), *other;
	if (v)
		v->name = strdup(name);
	if (!v || !v->name) {
		free(v);
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	}
	v->trace = t;
	v->users = 1;
	int rc = view_bind(s, v, err);
	pthread_mutex_lock(&s->lock);
	/* Another request may have bound it meanwhile: one is enough. */
	other = rc ? NULL : find_bound(s, t, name);
	if (!rc && !other) {
		forget_oldest(s);
		v->used = ++s->clock;
		rc = weft_vec_push(&s->view, v);
	}
	pthread_mutex_unlock(&s->lock);
	if (rc || other)
		view_free(v);
	*out = rc ? NULL : other ? other : v;
	return rc;
}

void server_view_drop(struct server_session *s, struct server_view *v)
{
	if (!v)
		return;
	pthread_mutex_lock(&s->lock);
	v->users--;
	pthread_mutex_unlock(&s->lock);
}

int server_arg_view(const struct server_request *r, struct server_trace *t, struct server_view **out,
                    const struct weft_window **window)
{
	const char *name = server_arg(r, "view"), *which = server_arg(r, "window");
	uint64_t number;
	*out = NULL;
	*window = NULL;
	if (!name || !*name)
		return weft_err_set(r->err, -EINVAL, "'view': expected the name of a view");
	int rc = server_view_get(r->session, t, name, out, r->err);
	if (rc)
		return rc;
	const struct weft_view *v = &(*out)->view;
	if (v->n_windows && !which)
		*window = &v->window[v->n_windows - 1];
	for (uint32_t i = 0; which && i < v->n_windows && !*window; i++)
		if (v->window[i].metric.name && !strcmp(v->window[i].metric.name, which))
			*window = &v->window[i];
	if (which && !*window && !weft_parse_u64(weft_str(which), &number) && number >= 1 && number <= v->n_windows)
		*window = &v->window[number - 1];
	if (*window)
		return 0;
	rc = v->n_windows ? weft_err_set(r->err, -ENOENT, "'window': '%s' has no window '%.40s'", name, which)
	                  : weft_err_set(r->err, -EINVAL, "'%s' has no window", name);
	server_view_drop(r->session, *out);
	*out = NULL;
	return rc;
}
