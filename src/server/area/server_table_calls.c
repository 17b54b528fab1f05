/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `table/calls`: the tree of calls of a range, from samples or regions, as `weft calls` has it: for the call tree and the flame graph
 * that is heavy on the left. Nodes come parents first, children heaviest first; what is below a share of all is left out, and the
 * share doubles until the rest fits.
 */
#include "profile/call_tree.h"
#include "server_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 20000 };

struct calls_out {
	const struct weft_profile *p;
	struct weft_json *j;
	double least;      /* weight */
	uint32_t *name_of; /* by function: place in the list of names + 1; owned */
	WEFT_VEC(uint32_t) name;
	WEFT_VEC(uint32_t) open; /* nodes to come: node, place of its parent */
	uint32_t n;
};

static bool is_shown(const struct calls_out *o, uint32_t node)
{
	return o->p->node[node].total > 0 && (double)o->p->node[node].total >= o->least;
}

/* How many would be shown; stops counting at the limit. */
static uint32_t count_shown(const struct calls_out *o)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->p->n_nodes && n <= NODES_MOST; i++)
		n += is_shown(o, i);
	return n;
}

static int64_t name_place(struct calls_out *o, uint32_t node)
{
	uint32_t f = o->p->node[node].function;
	if (!o->name_of[f]) {
		if (weft_vec_push(&o->name, node))
			return -ENOMEM;
		o->name_of[f] = (uint32_t)o->name.n;
	}
	return o->name_of[f] - 1;
}

/* [parent, name, self, total, calls, line] */
static int put_node(struct calls_out *o, uint32_t node, uint32_t parent)
{
	const struct weft_profile_node *n = &o->p->node[node];
	int64_t name = node ? name_place(o, node) : -1;
	if (name < -1)
		return -ENOMEM;
	weft_json_array(o->j);
	if (node)
		weft_json_u64(o->j, parent);
	else
		weft_json_i64(o->j, -1);
	weft_json_i64(o->j, name);
	weft_json_u64(o->j, n->self);
	weft_json_u64(o->j, n->total);
	weft_json_u64(o->j, n->calls);
	weft_json_u64(o->j, n->line);
	weft_json_end(o->j);
	return 0;
}

/* Depth first, with a stack of our own, as trees may be a million deep; children are pushed the lightest first. */
static int put_nodes(struct calls_out *o)
{
	int rc = weft_vec_push(&o->open, 0u) || weft_vec_push(&o->open, 0u) ? -ENOMEM : 0;
	while (o->open.n && !rc) {
		uint32_t parent = o->open.at[o->open.n - 1], node = o->open.at[o->open.n - 2], here = o->n++;
		o->open.n -= 2;
		rc = put_node(o, node, parent);
		size_t first = o->open.n;
		for (uint32_t k = o->p->node[node].child; k != WEFT_NONE && !rc; k = o->p->node[k].next)
			if (is_shown(o, k))
				rc = weft_vec_push(&o->open, k) || weft_vec_push(&o->open, here) ? -ENOMEM : 0;
		for (size_t i = first, k = o->open.n; i + 2 < k; i += 2, k -= 2) {
			uint32_t swap = o->open.at[i];
			o->open.at[i] = o->open.at[k - 2];
			o->open.at[k - 2] = swap;
		}
	}
	return rc;
}

/* [name, module, file] */
static void put_names(const struct calls_out *o)
{
	weft_json_key(o->j, "names");
	weft_json_array(o->j);
	for (size_t i = 0; i < o->name.n; i++) {
		const struct weft_profile_node *n = &o->p->node[o->name.at[i]];
		weft_json_array(o->j);
		weft_json_string(o->j, weft_profile_name(o->p, o->name.at[i]));
		weft_json_string(o->j, weft_symbols_function(o->p->symbols, n->function)->module);
		weft_json_string(o->j, n->file ? weft_symbols_text(o->p->symbols, n->file) : "");
		weft_json_end(o->j);
	}
	weft_json_end(o->j);
}

static void put_problems(struct weft_json *j, const struct weft_symbols *s)
{
	weft_json_key(j, "problems");
	weft_json_array(j);
	for (uint32_t i = 0; i < weft_symbols_n_problems(s) && i < 20; i++)
		weft_json_string(j, weft_symbols_problem(s, i));
	weft_json_end(j);
}

static int put_tree(const struct weft_profile *p, double share, const struct table_range *at, struct server_answer *a)
{
	struct server_json out;
	struct calls_out o = {.p = p, .least = share * (double)p->node[0].total};
	o.name_of = calloc((size_t)weft_symbols_n_functions(p->symbols) + 1, sizeof *o.name_of);
	int rc = o.name_of ? 0 : -ENOMEM;
	while (count_shown(&o) > NODES_MOST)
		o.least = o.least > 0 ? 2 * o.least : 1;
	o.j = server_json_begin(&out);
	weft_json_object(o.j);
	server_put_string(o.j, "of", p->of == WEFT_PROFILE_SAMPLES ? "samples" : "regions");
	server_put_u64(o.j, "from", at->from);
	server_put_u64(o.j, "to", at->to);
	server_put_u64(o.j, "total", p->node[0].total);
	server_put_u64(o.j, "samples", p->samples);
	server_put_u64(o.j, "cut", p->cut);
	server_put_u64(o.j, "period_ns", p->period_ns);
	server_put_double(o.j, "least", o.least);
	weft_json_key(o.j, "nodes");
	weft_json_array(o.j);
	if (!rc)
		rc = put_nodes(&o);
	weft_json_end(o.j);
	server_put_u64(o.j, "left_out", p->n_nodes > o.n ? p->n_nodes - o.n : 0);
	put_names(&o);
	put_problems(o.j, p->symbols);
	weft_json_end(o.j);
	int ended = server_json_end(&out, a);
	free(o.name_of);
	free(o.name.at);
	free(o.open.at);
	return rc ? rc : ended;
}

static const char *const of_names[] = {"any", "samples", "regions"};
static const char *const per_names[] = {"all", "process", "thread"};
static const char *const flags[] = {"0", "1"};

static int read_flag(const struct server_request *r, const char *name, bool *out)
{
	unsigned at = 0;
	int rc = server_arg_choice(r, name, flags, 2, 0, &at);
	*out = at == 1;
	return rc;
}

static int read_how(const struct server_request *r, const struct table_range *at, struct weft_profile_how *how, double *share)
{
	const char *focus = server_arg(r, "focus"), *filter = server_arg(r, "filter");
	unsigned of = 0, per = 0;
	*how = (struct weft_profile_how){.from = at->from,
	                                 .to = at->to,
	                                 .focus = focus && *focus ? focus : NULL,
	                                 .own_threads = r->session->own_threads};
	int rc = server_arg_choice(r, "of", of_names, 3, 0, &of);
	if (!rc)
		rc = server_arg_choice(r, "per", per_names, 3, 0, &per);
	if (!rc)
		rc = read_flag(r, "lines", &how->lines);
	if (!rc)
		rc = read_flag(r, "callers", &how->callers);
	if (!rc)
		rc = read_flag(r, "no_inlined", &how->no_inlined);
	if (!rc)
		rc = server_arg_double(r, "least", 0.0002, share);
	how->of = (enum weft_profile_of)of;
	how->per = (enum weft_profile_per)per;
	if (!rc && !(*share >= 0 && *share <= 1))
		rc = weft_err_set(r->err, -EINVAL, "'least': expected a share, 0 to 1");
	if (!rc && filter && *filter)
		rc = weft_filter_new(&how->filter, filter, r->err);
	return rc || !how->filter ? rc : weft_filter_bind(how->filter, at->own, r->err);
}

int table_answer_calls(const struct server_request *r, struct server_answer *a)
{
	struct table_range at;
	struct weft_profile_how how = {.filter = NULL};
	struct weft_symbols *s = NULL;
	struct weft_profile p;
	double share = 0;
	int rc = table_range(r, &at);
	if (!rc)
		rc = read_how(r, &at, &how, &share);
	if (!rc)
		rc = server_symbols_take(at.trace, &s);
	if (!rc && !(rc = weft_profile_make(&p, at.own, s, &how, r->err))) {
		rc = put_tree(&p, share, &at, a);
		weft_profile_fini(&p);
	}
	server_symbols_give(at.trace, s);
	weft_filter_free(how.filter);
	return rc;
}
