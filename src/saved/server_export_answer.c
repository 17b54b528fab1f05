/* SPDX-License-Identifier: Apache-2.0 */
/* Route share/page: a page that needs no server, asked for by a page. One at a time, as it takes a core and the page's bytes a few times over. */
#include "server_export_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS_MOST = 16, TABLE_MOST = 10, STATE_MOST = 32768, LIMIT = 5 << 20 };

struct saving {
	const struct server_request *r;
	const char *view[VIEWS_MOST], *window[VIEWS_MOST], *level[VIEWS_MOST];
	struct server_arg table[TABLE_MOST];
	struct server_export_how how;
};

static const char *numbered(const struct server_request *r, const char *name, unsigned i)
{
	char text[24];
	snprintf(text, sizeof text, "%s%u", name, i);
	return server_arg(r, text);
}

/* view0, window0, level0; view1… */
static int take_views(struct saving *s)
{
	for (unsigned i = 0;; i++) {
		const char *view = numbered(s->r, "view", i);
		if (!view)
			return 0;
		if (i == VIEWS_MOST)
			return weft_err_set(s->r->err, -EINVAL, "a page that is saved has at most %d views", VIEWS_MOST);
		s->view[i] = view;
		s->window[i] = numbered(s->r, "window", i);
		s->level[i] = numbered(s->r, "level", i);
		s->how.n_views = i + 1;
	}
}

/* The names without "table_"; kept in their order, as keys of answers have them. */
static int take_table(struct saving *s)
{
	static const char *const names[] = {"columns", "max", "min", "plane", "statistic", "table", "view", "window"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		char name[32];
		snprintf(name, sizeof name, "table_%s", names[i]);
		const char *value = server_arg(s->r, name);
		if (value && *value)
			s->table[s->how.n_table++] = (struct server_arg){names[i], value};
	}
	if (s->how.n_table && !server_arg(s->r, "table_view"))
		return weft_err_set(s->r->err, -EINVAL, "'table_view': expected the view that the table is of");
	return 0;
}

static int take_state(struct saving *s)
{
	struct weft_err none = {0};
	const char *state = server_arg(s->r, "state");
	if (!state)
		return 0;
	size_t n = strlen(state);
	if (n > STATE_MOST || *state != '{' || weft_json_check(state, n, &none))
		return weft_err_set(s->r->err, -EINVAL, "'state': expected an object as JSON, of %d bytes at most", STATE_MOST);
	s->how.state = state;
	return 0;
}

static int take(struct saving *s)
{
	struct server_trace *t = NULL;
	int rc = server_arg_trace(s->r, &t);
	if (rc)
		return rc;
	const char *title = server_arg(s->r, "title");
	s->how.session = s->r->session;
	s->how.trace = t->id;
	s->how.title = title ? title : t->name;
	s->how.view = s->view;
	s->how.window = s->window;
	s->how.level = s->level;
	s->how.table = s->table;
	s->how.request = s->r;
	s->how.seen = &s->r->session->saving;
	rc = server_arg_range(s->r, t, &s->how.from, &s->how.to);
	if (!rc)
		rc = server_arg_u64(s->r, "limit", SERVER_EXPORT_LEAST, SERVER_EXPORT_MOST, LIMIT, &s->how.limit);
	if (!rc)
		rc = take_views(s);
	if (!rc)
		rc = take_table(s);
	return rc ? rc : take_state(s);
}

static int make(struct saving *s, struct server_answer *a)
{
	struct server_session *session = s->r->session;
	struct server_export_result result = {0};
	weft_store_u64(&session->saving.done, 0);
	weft_store_ptr(&session->saving.what, NULL);
	a->type = "text/html; charset=utf-8";
	a->file = "page.html";
	int rc = server_export_page(&a->body, &s->how, &result, s->r->err);
	if (rc)
		return rc;
	weft_store_u64(&session->saved_bytes, a->body.n);
	weft_store_u64(&session->saved_step_ns, result.step_ns);
	weft_store_u64(&session->saved_intervals, result.intervals);
	weft_store_u64(&session->saving.done, 1000);
	return 0;
}

int server_export_answer(const struct server_request *r, struct server_answer *a)
{
	bool idle = false;
	struct saving s = {.r = r};
	int rc = take(&s);
	if (rc)
		return rc;
	if (!weft_cas_bool(&r->session->is_saving, &idle, true))
		return weft_err_set(r->err, -EAGAIN, "another page is being saved: once more when it is done");
	rc = make(&s, a);
	weft_store_bool(&r->session->is_saving, false);
	return rc;
}
