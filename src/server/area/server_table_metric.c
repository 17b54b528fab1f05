/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The editor of metrics. `table/metric`: checks a text of the language of views, with the place of what is wrong, says what it would
 * need of the trace, and with `add` makes it a view of the session. `table/words`: the words that can stand in such a text: functions,
 * statistics, states, the trace's event types with their labels.
 */
#include "metric/library/library.h"
#include "metric/text/text_view.h"
#include "metric/view/view_lack.h"
#include "server_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES_MOST = 5000, LABELS_MOST = 200 };
static const char text_name[] = "view";

/* "view:3:7: what": of a text; false: there is no place in it. */
static bool split_error(const char *text, uint64_t *line, uint64_t *column, const char **what)
{
	struct weft_str rest = weft_str(text), part;
	uint64_t at[2];
	if (strncmp(text, text_name, sizeof text_name - 1) != 0 || text[sizeof text_name - 1] != ':')
		return false;
	rest = weft_str(text + sizeof text_name);
	for (unsigned i = 0; i < 2; i++)
		if (!weft_str_cut(&rest, ':', &part) || weft_parse_u64(part, &at[i]))
			return false;
	*line = at[0];
	*column = at[1];
	*what = rest.at + (rest.n && rest.at[0] == ' ');
	return true;
}

static void put_error(struct weft_json *j, const struct weft_err *err)
{
	uint64_t line = 0, column = 0;
	const char *what = err->text;
	split_error(err->text, &line, &column, &what);
	server_put_bool(j, "ok", false);
	server_put_string(j, "error", what);
	server_put_u64(j, "line", line);
	server_put_u64(j, "column", column);
}

static void put_parts(struct weft_json *j, const struct weft_view *v)
{
	weft_json_key(j, "windows");
	weft_json_array(j);
	for (uint32_t i = 0; i < v->n_windows; i++)
		weft_json_string(j, v->window[i].metric.name);
	weft_json_end(j);
	weft_json_key(j, "tables");
	weft_json_array(j);
	for (uint32_t i = 0; i < v->n_hists; i++)
		weft_json_string(j, v->hist[i].name);
	weft_json_end(j);
}

/* What the trace has none of; an error of binding is one of the text. */
static int put_lack(struct weft_json *j, struct weft_view *v, const struct server_trace *t, struct weft_err *err)
{
	struct weft_view_lack lack;
	struct weft_buf missing = {0};
	int rc = weft_view_bind(v, &t->space, &lack, err);
	if (!rc)
		weft_view_missing(v, &t->space, &missing);
	if (!rc)
		server_put_string(j, "lack",
		                  missing.n && !missing.failed ? missing.at
		                  : lack.nothing_selected      ? "a metric has no rows in this trace"
		                                               : "");
	weft_buf_fini(&missing);
	return rc;
}

static int add_view(const struct server_request *r, const struct weft_view *v, const char *text, size_t n, char *name)
{
	const char *title = server_arg(r, "title");
	if (!title || !*title)
		title = v->n_hists     ? v->hist[v->n_hists - 1].name
		        : v->n_windows ? v->window[v->n_windows - 1].metric.name
		                       : "view";
	return server_view_add(r->session, title, text, n, name, r->err);
}

int table_answer_metric(const struct server_request *r, struct server_answer *a)
{
	const char *text = r->n_body ? r->body : server_arg(r, "text"), *add = server_arg(r, "add");
	struct server_trace *t;
	struct server_json out;
	struct weft_view v = {.n_windows = 0};
	struct weft_err err = {0};
	char name[16] = "";
	int rc = server_arg_trace(r, &t);
	if (rc)
		return rc;
	if (!text)
		return weft_err_set(r->err, -EINVAL, "'text': expected the text of a view");
	int wrong = weft_view_read_any(&v, text, strlen(text), text_name, &err);
	if (!wrong && !v.n_windows)
		wrong = weft_err_set(&err, WEFT_E_SYNTAX, "nothing is defined yet: expected NAME = EXPRESSION");
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	if (!wrong)
		put_parts(j, &v);
	if (!wrong)
		wrong = put_lack(j, &v, t, &err);
	if (!wrong && add && !strcmp(add, "1"))
		rc = add_view(r, &v, text, strlen(text), name);
	if (wrong)
		put_error(j, &err);
	else
		server_put_bool(j, "ok", true);
	server_put_string(j, "view", name);
	weft_json_end(j);
	int ended = server_json_end(&out, a);
	weft_view_fini(&v);
	return rc ? rc : ended;
}

/* ---- words ---- */

static void put_functions(struct weft_json *j, const char *key, enum weft_func_kind kind)
{
	static const char *const args[] = {"types", "states", "numbers"};
	struct weft_text_word w;
	weft_json_key(j, key);
	weft_json_array(j);
	for (unsigned i = 0; weft_text_word_at(kind, i, &w); i++) {
		weft_json_object(j);
		server_put_string(j, "name", w.name);
		server_put_string(j, "paraver", w.paraver);
		if (kind == WEFT_FUNC_THREAD)
			server_put_string(j, "args", args[w.args]);
		weft_json_key(j, "params");
		weft_json_array(j);
		for (unsigned k = 0; k < WEFT_PARAMS; k++)
			if (*w.param[k])
				weft_json_string(j, w.param[k]);
		weft_json_end(j);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_types(struct weft_json *j, const struct weft_space *s)
{
	const struct weft_def_table *d = &s->trace->def[WEFT_CLASS_TYPE];
	weft_json_key(j, "types");
	weft_json_array(j);
	for (uint32_t i = 1; i < d->n && i < TYPES_MOST; i++) {
		weft_json_object(j);
		server_put_u64(j, "number", s->type[i]);
		server_put_string(j, "label", d->at[i].name);
		weft_json_key(j, "values");
		weft_json_array(j);
		for (uint32_t k = 0; k < d->at[i].n_labels && k < LABELS_MOST; k++)
			weft_json_string(j, d->at[i].label[k].text);
		weft_json_end(j);
		weft_json_end(j);
	}
	weft_json_end(j);
}

int table_answer_words(const struct server_request *r, struct server_answer *a)
{
	static const struct {
		const char *key;
		enum weft_func_kind kind;
	} kinds[] = {{"sources", WEFT_FUNC_THREAD},
	             {"cpus", WEFT_FUNC_CPU},
	             {"levels", WEFT_FUNC_LEVEL},
	             {"stages", WEFT_FUNC_COMPOSE},
	             {"operations", WEFT_FUNC_DERIVED}};
	struct server_trace *t;
	struct server_json out;
	char name[64];
	int rc = server_arg_trace(r, &t);
	if (rc)
		return rc;
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		put_functions(j, kinds[i].key, kinds[i].kind);
	weft_json_key(j, "statistics");
	weft_json_array(j);
	for (unsigned i = 0; weft_stat_known(i, name); i++)
		weft_json_string(j, name);
	weft_json_end(j);
	weft_json_key(j, "states");
	weft_json_array(j);
	for (unsigned i = 0; weft_text_state_at(i, name); i++)
		weft_json_string(j, name);
	weft_json_end(j);
	put_types(j, &t->space);
	weft_json_end(j);
	return server_json_end(&out, a);
}
