/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding a filter to a trace: every name is matched once, here, against the trace's objects and definitions, and becomes a
 * bit; "!=" is folded into the bits, so that a test on an event is a look-up. What the whole filter implies for times and
 * threads is worked out too, so that readers can skip.
 */
#include "filter_priv.h"
#include "base/str.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- matching values -- */

bool filter_text_matches(const struct filter_value *v, const char *text)
{
	return v->quoted ? strcmp(v->text, text) == 0 : weft_glob(v->text, text);
}

bool filter_matches_text(const struct filter_test *t, const char *text)
{
	for (uint32_t i = 0; i < t->n_values; i++)
		if (filter_text_matches(&t->value[i], text))
			return true;
	return false;
}

bool filter_matches_i64(const struct filter_test *t, int64_t x)
{
	for (uint32_t i = 0; i < t->n_ranges; i++)
		if (x >= t->range[i].lo && x <= t->range[i].hi)
			return true;
	return false;
}

bool filter_matches_f64(const struct filter_test *t, double x)
{
	for (uint32_t i = 0; i < t->n_ranges; i++) {
		const struct filter_span_of *r = &t->range[i];
		if ((r->flo_open ? x > r->flo : x >= r->flo) && (r->fhi_open ? x < r->fhi : x <= r->fhi))
			return true;
	}
	return false;
}

static uint64_t *bits_new(struct weft_filter *f, uint64_t n)
{
	return weft_arena_alloc(&f->bound, (n / 64 + 1) * sizeof(uint64_t));
}

/* -- numbers -- */

static int64_t whole_of(double f)
{
	return f >= 0x1p63 ? INT64_MAX : f < -0x1p63 ? INT64_MIN : (int64_t)f;
}

static struct filter_number bound_number(const struct filter_number *n, uint64_t end)
{
	struct filter_number b = *n;
	if (n->percent) {
		b.i = (int64_t)filter_ns(n, end);
		b.f = (double)b.i;
		b.whole = true;
	}
	return b;
}

/* The numbers from `low` on (or behind it, when open), and likewise up to `high`. */
static void range_low(struct filter_span_of *r, const struct filter_number *n, bool open)
{
	r->flo = n->f;
	r->flo_open = open;
	if (n->whole)
		r->lo = open && n->i < INT64_MAX ? n->i + 1 : n->i;
	else
		r->lo = whole_of(open ? floor(n->f) + 1 : ceil(n->f));
}

static void range_high(struct filter_span_of *r, const struct filter_number *n, bool open)
{
	r->fhi = n->f;
	r->fhi_open = open;
	if (n->whole)
		r->hi = open && n->i > INT64_MIN ? n->i - 1 : n->i;
	else
		r->hi = whole_of(open ? ceil(n->f) - 1 : floor(n->f));
}

static struct filter_span_of range_of(const struct filter_test *t, const struct filter_value *v, uint64_t end)
{
	struct filter_span_of r = {INT64_MIN, INT64_MAX, -INFINITY, INFINITY, false, false};
	struct filter_number low = bound_number(&v->low, end), high = bound_number(&v->high, end);
	if (v->has_low && t->compare != COMPARE_LT && t->compare != COMPARE_LE)
		range_low(&r, &low, t->compare == COMPARE_GT);
	if (v->has_high && t->compare != COMPARE_GT && t->compare != COMPARE_GE)
		range_high(&r, &high, t->compare == COMPARE_LT);
	return r;
}

int filter_bind_ranges(struct weft_filter *f, struct filter_test *t, uint64_t end)
{
	t->range = weft_arena_alloc(&f->bound, (t->n_values + 1) * sizeof *t->range);
	if (!t->range)
		return -ENOMEM;
	t->n_ranges = 0;
	for (uint32_t i = 0; i < t->n_values; i++)
		if (t->value[i].number)
			t->range[t->n_ranges++] = range_of(t, &t->value[i], end);
	return 0;
}

/* -- by thread -- */

enum verdict { VERDICT_MISSING = -1, VERDICT_NO, VERDICT_YES };

static bool matches_number_text(const struct filter_test *t, int64_t number)
{
	char z[24];
	z[weft_fmt_i64(z, number)] = '\0';
	return filter_matches_text(t, z);
}

static enum verdict row_thread(const struct filter_test *t, const struct weft_trace *tr, const struct weft_thread_row *row)
{
	char label[48];
	weft_thread_label(tr, (uint32_t)(row - tr->thread), label);
	return filter_matches_text(t, label) || (*row->name && filter_matches_text(t, row->name)) ||
	       matches_number_text(t, row->tid);
}

static enum verdict row_process(const struct filter_test *t, const struct weft_trace *tr, const struct weft_thread_row *row)
{
	char label[48];
	const struct weft_process *p = &tr->process[row->process];
	weft_thread_label(tr, (uint32_t)(row - tr->thread), label);
	char *last = strrchr(label, '.');
	if (last)
		*last = '\0';
	return filter_matches_text(t, label) || (*p->name && filter_matches_text(t, p->name)) || matches_number_text(t, p->pid);
}

static enum verdict row_rank(const struct filter_test *t, const struct weft_trace *tr, const struct weft_thread_row *row)
{
	int32_t rank = tr->process[row->process].rank;
	return rank < 0 ? VERDICT_MISSING : (enum verdict)filter_matches_i64(t, rank);
}

static enum verdict row_app(const struct filter_test *t, const struct weft_trace *tr, const struct weft_thread_row *row)
{
	uint32_t app = tr->process[row->process].app;
	if (app >= tr->n_apps)
		return VERDICT_MISSING;
	return filter_matches_text(t, tr->app[app].name) || matches_number_text(t, (int64_t)app + 1);
}

static enum verdict row_host(const struct filter_test *t, const struct weft_trace *tr, const struct weft_thread_row *row)
{
	const char *host = tr->process[row->process].host;
	return *host ? (enum verdict)filter_matches_text(t, host) : VERDICT_MISSING;
}

static enum verdict row_node(const struct filter_test *t, const struct weft_trace *tr, const struct weft_thread_row *row)
{
	uint32_t node = tr->process[row->process].node;
	if (node >= tr->n_nodes)
		return VERDICT_MISSING;
	return filter_matches_text(t, tr->node[node].name) || matches_number_text(t, (int64_t)node + 1);
}

typedef enum verdict row_fn(const struct filter_test *, const struct weft_trace *, const struct weft_thread_row *);
static row_fn *const row_rules[FILTER_FIELDS] = {
	[FIELD_THREAD] = row_thread, [FIELD_PROCESS] = row_process, [FIELD_RANK] = row_rank,
	[FIELD_APP] = row_app,       [FIELD_HOST] = row_host,       [FIELD_NODE] = row_node,
};

static bool passes(const struct filter_test *t, enum verdict v)
{
	return v != VERDICT_MISSING && (v == VERDICT_YES) == (t->compare != COMPARE_NE);
}

static int bind_rows(struct weft_filter *f, struct filter_test *t)
{
	const struct weft_trace *tr = f->trace;
	t->rows = bits_new(f, tr->n_threads);
	if (!t->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < tr->n_threads; i++)
		if (passes(t, row_rules[t->field](t, tr, &tr->thread[i])))
			filter_set_bit(t->rows, i);
	return 0;
}

/* -- by definition -- */

static enum verdict def_name(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	(void)tr;
	return filter_matches_text(t, row->name);
}

static enum verdict def_type(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	(void)tr;
	return filter_matches_text(t, row->name) || (row->code && filter_matches_i64(t, row->code));
}

static enum verdict def_state(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	(void)tr;
	return filter_matches_text(t, row->name) || filter_matches_i64(t, row->code);
}

static enum verdict def_state_class(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	(void)tr;
	if (row->state >= WEFT_STATE_CLASSES)
		return VERDICT_MISSING;
	return filter_matches_text(t, weft_state_name[row->state]);
}

static enum verdict def_category(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	const struct weft_def_table *all = &tr->def[WEFT_CLASS_CATEGORY];
	if (row->category == 0 || row->category >= all->n)
		return VERDICT_MISSING;
	return filter_matches_text(t, all->at[row->category].name);
}

static enum verdict def_comm(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	(void)tr;
	return filter_matches_text(t, row->name) || filter_matches_i64(t, (int64_t)row->key);
}

/* `counter` is true of a set when it is of one of its counters. */
static enum verdict def_set_member(const struct filter_test *t, const struct weft_trace *tr, const struct weft_def_row *row)
{
	const struct weft_def_table *all = &tr->def[WEFT_CLASS_COUNTER];
	for (uint32_t i = 0; i < row->n_members; i++)
		if (row->member[i] < all->n && filter_matches_text(t, all->at[row->member[i]].name))
			return VERDICT_YES;
	return VERDICT_NO;
}

static const struct def_rule {
	enum filter_field field;
	enum weft_class of;
	enum verdict (*matches)(const struct filter_test *, const struct weft_trace *, const struct weft_def_row *);
} def_rules[] = {
	{FIELD_NAME, WEFT_CLASS_REGION, def_name},
	{FIELD_NAME, WEFT_CLASS_TYPE, def_name},
	{FIELD_NAME, WEFT_CLASS_COUNTER, def_name},
	{FIELD_NAME, WEFT_CLASS_CATEGORY, def_name},
	{FIELD_NAME, WEFT_CLASS_ATTR, def_name},
	{FIELD_NAME, WEFT_CLASS_COMM, def_name},
	{FIELD_NAME, WEFT_CLASS_FLOW, def_name},
	{FIELD_NAME, WEFT_CLASS_SET, def_name},
	{FIELD_NAME, WEFT_CLASS_DATA, def_name},
	{FIELD_NAME, WEFT_CLASS_STATE, def_name},
	{FIELD_REGION, WEFT_CLASS_REGION, def_name},
	{FIELD_TYPE, WEFT_CLASS_TYPE, def_type},
	{FIELD_COUNTER, WEFT_CLASS_COUNTER, def_name},
	{FIELD_COUNTER, WEFT_CLASS_SET, def_set_member},
	{FIELD_ATTR, WEFT_CLASS_ATTR, def_name},
	{FIELD_STATE, WEFT_CLASS_REGION, def_state_class},
	{FIELD_STATE, WEFT_CLASS_STATE, def_state},
	{FIELD_CATEGORY, WEFT_CLASS_CATEGORY, def_name},
	{FIELD_CATEGORY, WEFT_CLASS_REGION, def_category},
	{FIELD_CATEGORY, WEFT_CLASS_TYPE, def_category},
	{FIELD_CATEGORY, WEFT_CLASS_COUNTER, def_category},
	{FIELD_CATEGORY, WEFT_CLASS_ATTR, def_category},
	{FIELD_CATEGORY, WEFT_CLASS_FLOW, def_category},
	{FIELD_CATEGORY, WEFT_CLASS_SET, def_category},
	{FIELD_CATEGORY, WEFT_CLASS_DATA, def_category},
	{FIELD_COMM, WEFT_CLASS_COMM, def_comm},
};

/* Id 0 is "none": it has no field. */
static int bind_defs(struct weft_filter *f, struct filter_test *t)
{
	memset(t->defs, 0, sizeof t->defs);
	for (size_t k = 0; k < sizeof def_rules / sizeof def_rules[0]; k++) {
		const struct def_rule *rule = &def_rules[k];
		const struct weft_def_table *all = &f->trace->def[rule->of];
		if (rule->field != t->field)
			continue;
		uint64_t *bits = bits_new(f, all->n);
		if (!bits)
			return -ENOMEM;
		for (uint32_t id = 1; id < all->n; id++)
			if (passes(t, rule->matches(t, f->trace, &all->at[id])))
				filter_set_bit(bits, id);
		t->defs[rule->of] = bits;
	}
	return 0;
}

bool filter_value_is_known(const struct weft_filter *f, const struct filter_test *t, uint32_t value)
{
	struct filter_test one = *t;
	one.compare = COMPARE_EQ;
	one.value = &t->value[value];
	one.n_values = 1;
	one.n_ranges = t->value[value].number;
	for (uint32_t i = 0; i < value; i++)
		one.range += t->value[i].number;
	for (uint32_t i = 0; i < f->trace->n_threads && row_rules[t->field]; i++)
		if (passes(&one, row_rules[t->field](&one, f->trace, &f->trace->thread[i])))
			return true;
	for (size_t k = 0; k < sizeof def_rules / sizeof def_rules[0]; k++) {
		const struct weft_def_table *all = &f->trace->def[def_rules[k].of];
		for (uint32_t id = 1; id < all->n && def_rules[k].field == t->field; id++)
			if (passes(&one, def_rules[k].matches(&one, f->trace, &all->at[id])))
				return true;
	}
	return false;
}

/* -- the other ways -- */

static bool group_matches(const struct filter_test *t, unsigned kind)
{
	for (const struct filter_group *g = filter_groups; g->name; g++)
		for (unsigned i = 0; i < sizeof g->kind && g->kind[i]; i++)
			if (g->kind[i] == kind && filter_matches_text(t, g->name))
				return true;
	return false;
}

static int bind_kinds(struct weft_filter *f, struct filter_test *t)
{
	(void)f;
	memset(t->kinds, 0, sizeof t->kinds);
	for (unsigned k = 0; k < 256; k++) {
		bool match = group_matches(t, k) || (weft_kind_info[k].name && filter_matches_text(t, weft_kind_info[k].name));
		if (passes(t, match ? VERDICT_YES : VERDICT_NO))
			filter_set_bit(t->kinds, k);
	}
	return 0;
}

static int bind_value(struct weft_filter *f, struct filter_test *t)
{
	const struct weft_def_table *all = &f->trace->def[WEFT_CLASS_STRING];
	t->strings = bits_new(f, all->n);
	if (!t->strings)
		return -ENOMEM;
	for (uint32_t id = 1; id < all->n; id++)
		if (filter_matches_text(t, all->at[id].name))
			filter_set_bit(t->strings, id);
	return 0;
}

static int (*const bind_rules[FILTER_HOWS])(struct weft_filter *, struct filter_test *) = {
	[HOW_ROW] = bind_rows,
	[HOW_DEF] = bind_defs,
	[HOW_KIND] = bind_kinds,
	[HOW_VALUE] = bind_value,
};

static int bind_node(struct weft_filter *f, struct filter_node *n)
{
	int rc = 0;
	for (struct filter_node *c = n->child; c && !rc; c = c->next)
		rc = bind_node(f, c);
	if (rc || n->op != FILTER_TEST)
		return rc;
	rc = filter_bind_ranges(f, n->test, f->trace->end);
	enum filter_how how = filter_field_info[n->test->field].how;
	return rc || !bind_rules[how] ? rc : bind_rules[how](f, n->test);
}

/* -- what the whole filter implies -- */

/* Kleene's logic: 0 false, 1 perhaps, 2 true; "and" is the least, "or" the greatest. */
static int thread_verdict(const struct filter_node *n, uint32_t thread)
{
	int v = n->op == FILTER_AND ? 2 : 0;
	if (n->op == FILTER_TEST)
		return filter_field_info[n->test->field].how != HOW_ROW ? 1 : filter_bit(n->test->rows, thread) ? 2 : 0;
	if (n->op == FILTER_NOT)
		return 2 - thread_verdict(n->child, thread);
	for (const struct filter_node *c = n->child; c; c = c->next) {
		int x = thread_verdict(c, thread);
		v = n->op == FILTER_AND ? (x < v ? x : v) : (x > v ? x : v);
	}
	return v;
}

struct time_range { /* closed; empty when from > to */
	int64_t from, to;
};
static const struct time_range all_times = {0, INT64_MAX};

static struct time_range hull(struct time_range a, struct time_range b)
{
	if (a.from > a.to)
		return b;
	if (b.from > b.to)
		return a;
	return (struct time_range){a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to};
}

static struct time_range intersection(struct time_range a, struct time_range b)
{
	return (struct time_range){a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
}

static struct time_range times_of(const struct filter_node *n)
{
	struct time_range r = n->op == FILTER_AND ? all_times : (struct time_range){1, 0};
	if (n->op == FILTER_NOT)
		return all_times;
	if (n->op == FILTER_TEST) {
		if (n->test->field != FIELD_TIME || n->test->compare == COMPARE_NE)
			return all_times;
		for (uint32_t i = 0; i < n->test->n_ranges; i++)
			r = hull(r, (struct time_range){n->test->range[i].lo, n->test->range[i].hi});
		return intersection(r, all_times);
	}
	for (const struct filter_node *c = n->child; c; c = c->next)
		r = n->op == FILTER_AND ? intersection(r, times_of(c)) : hull(r, times_of(c));
	return r;
}

static int bind_bounds(struct weft_filter *f)
{
	struct time_range r = times_of(f->root);
	f->from = r.from > r.to ? 0 : (uint64_t)r.from;
	f->to = r.from > r.to ? 0 : r.to == INT64_MAX ? WEFT_NEVER : (uint64_t)r.to + 1;
	f->threads = bits_new(f, f->trace->n_threads);
	if (!f->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->trace->n_threads; i++)
		if (thread_verdict(f->root, i) > 0)
			filter_set_bit(f->threads, i);
	return 0;
}

static void unbind(struct weft_filter *f)
{
	filter_unbind_places(f);
	f->trace = NULL;
	weft_arena_fini(&f->bound);
}

int weft_filter_bind(struct weft_filter *f, const struct weft_trace *t, struct weft_err *err)
{
	unbind(f);
	f->trace = t;
	int rc = bind_node(f, f->root);
	if (!rc)
		rc = bind_bounds(f);
	if (!rc)
		rc = filter_bind_places(f);
	return rc ? weft_err_set(err, rc, "filter: %s", weft_err_name(rc)) : 0;
}

void weft_filter_free(struct weft_filter *f)
{
	if (!f)
		return;
	unbind(f);
	weft_arena_fini(&f->arena);
	free(f);
}
