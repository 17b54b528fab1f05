/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `table/views`: all views by name, with what they say of themselves and have in them, for a list that is searched as one types.
 * `table/hints`: those that a trace can feed, with what it has for them: where to look first in a trace that one does not know.
 */
#include "metric/cfg/view_need.h"
#include "metric/library/library.h"
#include "metric/text/text_view.h"
#include "metric/view/view_lack.h"
#include "server_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- views ---- */

static void put_names(struct weft_json *j, const struct weft_view *v)
{
	weft_json_key(j, "tables");
	weft_json_array(j);
	for (uint32_t i = 0; i < v->n_hists; i++)
		weft_json_string(j, v->hist[i].name);
	weft_json_end(j);
	weft_json_key(j, "windows");
	weft_json_array(j);
	for (uint32_t i = 0; i < v->n_windows; i++)
		weft_json_string(j, v->window[i].metric.name);
	weft_json_end(j);
}

/* A view that cannot be read is in the list all the same: with what is wrong. */
static void put_view(struct weft_json *j, const char *name, const char *title, const char *from, const char *text, size_t n)
{
	struct weft_view v = {.n_windows = 0};
	struct weft_err err = {0};
	int rc = weft_view_read_any(&v, text, n, title, &err);
	weft_json_object(j);
	server_put_string(j, "name", name);
	server_put_string(j, "title", title);
	server_put_string(j, "from", from);
	server_put_string(j, "about", rc ? "" : v.description ? v.description : "");
	if (rc)
		server_put_string(j, "error", err.text);
	put_names(j, &v);
	weft_json_end(j);
	weft_view_fini(&v);
}

static int put_library(void *arg, const char *name, const char *path)
{
	char *text;
	size_t n;
	struct weft_err err = {0};
	if (weft_view_text_named(name, &text, &n, &err))
		return 0;
	put_view(arg, name, name, path ? "folder" : "library", text, n);
	free(text);
	return 0;
}

/* Those that were typed or named on the command line: copied under the lock, as another request may add one. */
static int put_typed(struct weft_json *j, struct server_session *s)
{
	for (uint32_t i = 0;; i++) {
		char name[16], *title = NULL, *text = NULL;
		pthread_mutex_lock(&s->lock);
		bool there = i < s->n_typed;
		if (there) {
			title = strdup(s->typed[i].name);
			text = strdup(s->typed[i].text);
		}
		pthread_mutex_unlock(&s->lock);
		snprintf(name, sizeof name, "@%u", i + 1);
		if (title && text)
			put_view(j, name, title, "session", text, strlen(text));
		bool failed = there && !(title && text);
		free(title);
		free(text);
		if (!there || failed)
			return failed ? -ENOMEM : 0;
	}
}

int table_answer_views(const struct server_request *r, struct server_answer *a)
{
	struct server_json out;
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	weft_json_key(j, "views");
	weft_json_array(j);
	int rc = put_typed(j, r->session);
	weft_views_each(put_library, j);
	weft_json_end(j);
	weft_json_end(j);
	int ended = server_json_end(&out, a);
	return rc ? rc : ended;
}

/* ---- hints ---- */

enum { TYPES_NAMED = 4 };

struct hint {
	char *name, *about, *lack; /* owned */
	struct weft_buf why;
	uint64_t has; /* events of what it needs: sorts the list */
};
struct hinting {
	const struct server_trace *trace;
	WEFT_VEC(struct hint) hint;
};

static void say(struct weft_buf *b, const char *text)
{
	if (b->n)
		weft_buf_puts(b, ", ");
	weft_buf_puts(b, text);
}

static bool has_states(const struct weft_trace *t)
{
	return t->def[WEFT_CLASS_STATE].n > 1 || t->def[WEFT_CLASS_REGION].n > 1;
}

/* What the trace has of a view's needs, in words; how many events. 0: it lacks what the view is of. */
static uint64_t weigh(const struct hinting *o, const struct weft_view *v, bool lacks, struct weft_buf *why)
{
	const struct weft_space *s = &o->trace->space;
	const struct weft_trace *own = server_trace_own(o->trace);
	struct weft_need need;
	uint64_t has = 0;
	unsigned named = 0;
	if (weft_view_need(v, s, &need))
		return 0;
	for (size_t i = 0; i < need.n_types; i++) {
		const struct weft_def_row *type = &s->trace->def[WEFT_CLASS_TYPE].at[need.type[i]];
		has += 1 + type->n_events;
		if (named++ < TYPES_NAMED)
			say(why, type->name);
	}
	if (named > TYPES_NAMED)
		weft_buf_printf(why, " and %u more", named - TYPES_NAMED);
	if (need.messages && own->message.n) {
		say(why, "messages");
		has += own->message.n;
	}
	if (need.states && has_states(own)) {
		say(why, "states");
		has += named ? 0 : own->n_events / 2;
	}
	if (need.cpus && own->n_cpus)
		say(why, "CPUs");
	bool none = (need.messages && !own->message.n) || (need.states && !has_states(own)) || (need.cpus && !own->n_cpus);
	free((void *)need.type);
	return (none || lacks) && !named ? 0 : has + 1;
}

static char *first_line(const char *text)
{
	struct weft_str rest = weft_str(text ? text : ""), line = {"", 0};
	weft_str_cut(&rest, '\n', &line);
	return strndup(line.n ? line.at : "", line.n);
}

static int take_hint(void *arg, const char *name, const char *path)
{
	struct hinting *o = arg;
	struct weft_view v = {.n_windows = 0};
	struct weft_view_lack lack;
	struct weft_err none = {0};
	struct weft_buf missing = {0};
	struct hint h = {.name = NULL};
	int rc = 0;
	(void)path;
	if (!weft_view_load_named(&v, name, &none) && !weft_view_bind(&v, &o->trace->space, &lack, &none) && lack.found &&
	    !lack.nothing_selected) {
		weft_view_missing(&v, &o->trace->space, &missing);
		h.has = weigh(o, &v, missing.n, &h.why);
	}
	if (h.has) {
		h.name = strdup(name);
		h.about = first_line(v.description);
		h.lack = missing.n && !missing.failed ? strdup(missing.at) : strdup("");
		rc = h.name && h.about && h.lack ? weft_vec_push(&o->hint, h) : -ENOMEM;
	}
	if (rc) {
		free(h.name);
		free(h.about);
		free(h.lack);
	}
	if (rc || !h.name)
		weft_buf_fini(&h.why);
	weft_buf_fini(&missing);
	weft_view_fini(&v);
	return rc;
}

static int order_hints(const void *a, const void *b)
{
	const struct hint *x = a, *y = b;
	return x->has != y->has ? (x->has > y->has ? -1 : 1) : strcmp(x->name, y->name);
}

int table_answer_hints(const struct server_request *r, struct server_answer *a)
{
	struct table_range at;
	struct server_json out;
	struct hinting o = {.trace = NULL};
	int rc = server_arg_trace(r, &at.trace);
	if (rc)
		return rc;
	o.trace = at.trace;
	rc = weft_views_each(take_hint, &o);
	if (o.hint.n)
		qsort(o.hint.at, o.hint.n, sizeof *o.hint.at, order_hints);
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	weft_json_key(j, "hints");
	weft_json_array(j);
	for (size_t i = 0; i < o.hint.n; i++) {
		struct hint *h = &o.hint.at[i];
		weft_json_object(j);
		server_put_string(j, "name", h->name);
		server_put_string(j, "about", h->about);
		server_put_string(j, "why", h->why.n && !h->why.failed ? h->why.at : "");
		server_put_string(j, "lack", h->lack);
		weft_json_end(j);
		free(h->name);
		free(h->about);
		free(h->lack);
		weft_buf_fini(&h->why);
	}
	free(o.hint.at);
	weft_json_end(j);
	weft_json_end(j);
	int ended = server_json_end(&out, a);
	return rc < 0 ? weft_err_set(r->err, rc, "%s", weft_err_name(rc)) : ended;
}
