/* SPDX-License-Identifier: Apache-2.0 */
/* compare/…: two traces beside each other: what is asked for; the table of what differs. */
#include "server_compare.h"
#include "metric/diff/view_diff.h"
#include "metric/library/library.h"
#include "server_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MOST = 2000 };

static int compare_trace(const struct server_request *r, const char *name, uint64_t fallback, struct server_trace **out)
{
	uint64_t i;
	uint32_t n = r->session->n_traces;
	if (!n)
		return weft_err_set(r->err, -ENOENT, "no trace is open");
	int rc = server_arg_u64(r, name, 0, n - 1, fallback < n ? fallback : n - 1, &i);
	if (rc)
		return rc;
	struct server_trace *t = &r->session->trace[i];
	uint32_t state = weft_load_u32(&t->state);
	if (state == SERVER_FAILED)
		return weft_err_set(r->err, -EINVAL, "%s", t->err.text);
	*out = t;
	return state == SERVER_READY ? 0 : weft_err_set(r->err, -EAGAIN, "'%s' is still being read", t->name);
}

int compare_pair(const struct server_request *r, struct compare_pair *out)
{
	static const char *const names[2][3] = {{"a", "afrom", "ato"}, {"b", "bfrom", "bto"}};
	*out = (struct compare_pair){0};
	for (unsigned k = 0; k < 2; k++) {
		int rc = compare_trace(r, names[k][0], k, &out->trace[k]);
		uint64_t end = rc ? 0 : server_trace_end_ns(out->trace[k]);
		rc = rc ? rc : server_arg_u64(r, names[k][1], 0, end, 0, &out->from[k]);
		rc = rc ? rc : server_arg_u64(r, names[k][2], 0, UINT64_MAX, end, &out->to[k]);
		if (rc)
			return rc;
		out->to[k] = out->to[k] < end ? out->to[k] : end;
		if (out->to[k] <= out->from[k])
			return weft_err_set(r->err, -EINVAL, "'%s': expected more than '%s'", names[k][2], names[k][1]);
	}
	return 0;
}

/* ---- profiles ---- */

int compare_profiles_make(const struct server_request *r, const struct compare_pair *pair, struct compare_profiles *out)
{
	*out = (struct compare_profiles){.pair = pair};
	/* Symbols are taken in the order of traces, so that two who compare the same ones do not wait for each other. */
	unsigned first = pair->trace[0]->id <= pair->trace[1]->id ? 0 : 1;
	bool same = pair->trace[0] == pair->trace[1];
	int rc = server_symbols_take(pair->trace[first], &out->symbols[first]);
	if (!rc && !same)
		rc = server_symbols_take(pair->trace[!first], &out->symbols[!first]);
	bool samples = pair->trace[0]->has_samples && pair->trace[1]->has_samples;
	for (unsigned k = 0; k < 2 && !rc; k++) {
		struct weft_profile_how how = {.from = pair->from[k],
		                               .to = pair->to[k],
		                               .of = samples ? WEFT_PROFILE_SAMPLES : WEFT_PROFILE_REGIONS};
		rc = weft_profile_make(&out->p[k], pair->trace[k]->trace, same ? out->symbols[first] : out->symbols[k], &how,
		                       r->err);
	}
	return rc;
}

void compare_profiles_fini(struct compare_profiles *p)
{
	for (unsigned k = 0; k < 2; k++) {
		weft_profile_fini(&p->p[k]);
		if (p->symbols[k])
			server_symbols_give(p->pair->trace[k], p->symbols[k]);
	}
}

/* ---- the table ---- */

static int load_view(void *arg, struct weft_view *v, const char *name, struct weft_err *err)
{
	const struct server_request *r = arg;
	char *text = NULL;
	size_t n = 0;
	int rc = server_view_source(r->session, name, &text, &n, err);
	if (!rc)
		rc = weft_view_read_any(v, text, n, server_view_title(r->session, name), err);
	free(text);
	return rc;
}

static void put_item(struct weft_json *j, const struct weft_diff *d, const struct weft_diff_item *i)
{
	weft_json_array(j);
	weft_json_string(j, i->row);
	weft_json_string(j, i->column);
	for (unsigned k = 0; k < 2; k++)
		if (i->there[k])
			weft_json_double(j, i->value[k] * (d->form.factor != 0 ? d->form.factor : 1));
		else
			weft_json_null(j);
	weft_json_end(j);
}

static int compare_table(const struct server_request *r, struct server_answer *a)
{
	static const char *const by_names[] = {"column", "row", "cell"};
	struct compare_pair pair;
	struct weft_diff d = {0};
	struct server_json j;
	unsigned by = 0;
	const char *view = server_arg(r, "view");
	int rc = compare_pair(r, &pair);
	if (!rc)
		rc = server_arg_choice(r, "by", by_names, 3, 0, &by);
	if (rc)
		return rc;
	struct weft_diff_how how = {.by = (enum weft_diff_by)by,
	                            .table = server_arg(r, "table"),
	                            .threads = server_session_threads(r->session),
	                            .from = {pair.from[0], pair.from[1]},
	                            .to = {pair.to[0], pair.to[1]},
	                            .load = load_view,
	                            .arg = (void *)(uintptr_t)r};
	const struct weft_space *const space[2] = {&pair.trace[0]->space, &pair.trace[1]->space};
	rc = weft_diff_compute(&d, view && *view ? view : "states", space, &how, r->err);
	if (!rc) {
		struct weft_json *w = server_json_begin(&j);
		weft_json_object(w);
		server_put_string(w, "view", d.view);
		server_put_string(w, "table", d.table);
		server_put_string(w, "stat", d.stat);
		server_put_string(w, "kind", table_kind_name(d.form.kind));
		server_put_u64(w, "all", d.item.n);
		weft_json_key(w, "items"); /* [row, column, in a, in b] */
		weft_json_array(w);
		for (size_t i = 0; i < d.item.n && i < ITEMS_MOST; i++)
			put_item(w, &d, &d.item.at[i]);
		weft_json_end(w);
		weft_json_end(w);
		rc = server_json_end(&j, a);
	}
	weft_diff_fini(&d);
	return rc;
}

const struct server_route server_compare_routes[] = {
	{.path = "compare/table", .flags = SERVER_FIXED | SERVER_STOPS, .answer = compare_table},
	{.path = "compare/flame", .flags = SERVER_FIXED | SERVER_STOPS, .answer = server_compare_flame},
	{.path = "compare/marks", .flags = SERVER_FIXED, .answer = server_compare_marks},
	{.path = "compare/align", .flags = SERVER_FIXED, .answer = server_compare_align},
	{.path = "compare/slower", .flags = SERVER_FIXED | SERVER_STOPS, .answer = server_compare_slower},
	{0},
};
