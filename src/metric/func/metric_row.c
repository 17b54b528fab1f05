/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building rows: which stream stands on which, for an object of any level; and the small streams
 * that all kinds of rows share. A function whose state begins at time 0 has everything below it
 * begin there, and what is too early is cut off above it.
 */
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions by name ---- */

struct func_list {
	const void *at;
	size_t bytes;
};
#define LIST(list) \
	{ \
		(list), sizeof(list)[0] \
	}
enum { LISTS = 4 };
static const struct func_list lists[WEFT_FUNC_KINDS][LISTS] = {
	[WEFT_FUNC_THREAD] = {LIST(metric_state_funcs), LIST(metric_event_funcs), LIST(metric_comm_funcs),
                              LIST(metric_object_funcs)},
	[WEFT_FUNC_CPU] = {LIST(metric_cpu_funcs)},
	[WEFT_FUNC_LEVEL] = {LIST(metric_level_funcs)},
	[WEFT_FUNC_COMPOSE] = {LIST(metric_compose_funcs), LIST(metric_compose_stateful)},
	[WEFT_FUNC_DERIVED] = {LIST(metric_derived_funcs)},
};

const struct weft_func *weft_func_at(enum weft_func_kind k, unsigned i)
{
	for (unsigned l = 0; l < LISTS && lists[k][l].at; l++) {
		const char *at = lists[k][l].at;
		for (; ((const struct weft_func *)(const void *)at)->name; at += lists[k][l].bytes)
			if (!i--)
				return (const struct weft_func *)(const void *)at;
	}
	return NULL;
}

const struct weft_func *weft_func_find(enum weft_func_kind k, const char *name)
{
	const struct weft_func *f;
	for (unsigned i = 0; (f = weft_func_at(k, i)); i++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* ---- metrics ---- */

void weft_metric_init(struct weft_metric *m)
{
	*m = (struct weft_metric){.level = WEFT_THREAD, .unit = WEFT_US, .factor = {1, 1}};
	const struct weft_func *adding = weft_func_find(WEFT_FUNC_LEVEL, "Adding"),
			       *as_is = weft_func_find(WEFT_FUNC_COMPOSE, "As Is");
	for (unsigned l = 0; l < WEFT_LEVELS; l++) {
		if (l != WEFT_THREAD)
			m->of_level[l].func = l == WEFT_CPU ? weft_func_find(WEFT_FUNC_CPU, "Active Thd") : adding;
		m->compose[l].func = as_is;
	}
	m->top[0].func = m->top[1].func = as_is;
	m->filter = (struct weft_record_filter){.logical = true, .intra = true, .inter = true};
}

enum weft_level weft_metric_base(const struct weft_metric *m)
{
	if (!m->parent[0])
		return weft_level_of_resources(m->level) ? WEFT_CPU : WEFT_THREAD;
	enum weft_level a = m->parent[0]->level, b = m->parent[1]->level;
	return a > b ? a : b;
}

/* ---- pulling one by one ---- */

static void pull_set(struct metric_pull *p)
{
	p->begin = p->at ? p->block->end[p->at - 1] : p->block->begin;
	p->end = p->block->end[p->at];
	p->value = p->block->value[p->at];
}

int metric_pull_refill(struct metric_pull *p)
{
	if (p->ended)
		return 0;
	int rc = p->stream->next(p->stream, p->block);
	p->at = 0;
	if (rc > 0)
		pull_set(p);
	else
		p->ended = true;
	return rc;
}

int metric_pull_init(struct metric_pull *p, struct metric_stream *s)
{
	*p = (struct metric_pull){.stream = s, .block = malloc(sizeof *p->block)};
	if (!p->block)
		return -ENOMEM;
	int rc = s->next(s, p->block);
	if (rc > 0) {
		pull_set(p);
		return 0;
	}
	p->ended = true;
	return rc;
}

void metric_pull_fini(struct metric_pull *p)
{
	metric_stream_free(p->stream);
	free(p->block);
	*p = (struct metric_pull){.stream = NULL};
}

/* ---- trimming ---- */

struct trim {
	struct metric_stream stream;
	struct metric_stream *below;
	double from, to;
	bool begun, done;
};

static void trim_free(struct metric_stream *s)
{
	struct trim *t = (struct trim *)(void *)s;
	metric_stream_free(t->below);
	free(t);
}

static int trim_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct trim *t = (struct trim *)(void *)s;
	b->n = 0;
	while (!b->n) {
		int rc = t->done ? 0 : t->below->next(t->below, b);
		if (rc <= 0)
			return rc;
		uint32_t first = 0;
		while (!t->begun && first < b->n && b->end[first] <= t->from)
			first++;
		if (first) {
			b->begin = b->end[first - 1];
			b->n -= first;
			memmove(b->end, b->end + first, b->n * sizeof *b->end);
			memmove(b->value, b->value + first, b->n * sizeof *b->value);
		}
		t->begun |= b->n > 0;
		for (uint32_t i = 0; i < b->n; i++)
			if (b->end[i] >= t->to) {
				b->n = i + 1;
				t->done = true;
			}
	}
	return 1;
}

int metric_trim_add(struct metric_stream **below, double from, double to)
{
	struct trim *t = calloc(1, sizeof *t);
	if (!t) {
		metric_stream_free(*below);
		*below = NULL;
		return -ENOMEM;
	}
	*t = (struct trim){{trim_next, trim_free}, *below, from, to, false, false};
	*below = &t->stream;
	return 0;
}

/* ---- chains ---- */

static bool looks_beyond(const struct weft_call *c)
{
	return c->func && !strcmp(c->func->name, "Join Bursts");
}

/* An object of the base level, or of one above it; without its compose function. */
static int level_of(struct metric_stream **out, const struct metric_site *site)
{
	const struct weft_metric *m = site->metric;
	enum weft_level base = weft_metric_base(m);
	bool base_row = site->level == base;
	if (base_row && m->parent[0])
		return metric_derived_new(out, site);
	if (base_row && base == WEFT_CPU)
		return metric_cpu_new(out, site);
	if (site->level == WEFT_THREAD)
		return site->share ? metric_share_open(out, site) : metric_thread_new(out, site);
	return metric_level_new(out, site);
}

static bool begins_at_0(const struct weft_metric *m, enum weft_level level)
{
	const struct weft_call *c = m->parent[0] && level == weft_metric_base(m) ? &m->operation : &m->of_level[level];
	return c->func && c->func->from_begin;
}

int metric_chain_new(struct metric_stream **out, const struct metric_site *site)
{
	const struct weft_metric *m = site->metric;
	const struct weft_call *compose = &m->compose[site->level];
	struct metric_site below = *site;
	bool early = compose->func && compose->func->from_begin, beyond = looks_beyond(compose);
	bool own_early = begins_at_0(m, site->level) && site->level != WEFT_THREAD;
	if (early || own_early)
		below.from = 0;
	if (beyond)
		below.to = INFINITY;
	int rc = level_of(out, &below);
	if (!rc && own_early && !early && site->from > 0)
		rc = metric_trim_add(out, site->from, below.to);
	if (!rc)
		rc = metric_compose_add(out, site, compose);
	if (!rc && beyond && !early)
		rc = metric_trim_add(out, site->from, site->to);
	return rc;
}

struct weft_row {
	struct metric_stream *stream;
	struct metric_walks *walks; /* NULL: one reader goes alone */
};

/* The top compose functions, the first applied first. */
static int add_tops(struct metric_stream **s, const struct metric_site *site)
{
	const struct weft_metric *m = site->metric;
	int rc = metric_compose_add(s, site, &m->top[1]);
	if (!rc)
		rc = metric_compose_add(s, site, &m->top[0]);
	for (uint32_t i = 0; !rc && i < m->n_extra; i++)
		rc = metric_compose_add(s, site, &m->extra[i]);
	return rc;
}

static bool tops_are_early(const struct weft_metric *m)
{
	bool early = m->top[0].func->from_begin || m->top[1].func->from_begin;
	for (uint32_t i = 0; i < m->n_extra; i++)
		early |= m->extra[i].func->from_begin;
	return early;
}

static bool tops_look_beyond(const struct weft_metric *m)
{
	bool beyond = looks_beyond(&m->top[0]) || looks_beyond(&m->top[1]);
	for (uint32_t i = 0; i < m->n_extra; i++)
		beyond |= looks_beyond(&m->extra[i]);
	return beyond;
}

static int row_stream(struct metric_stream **out, const struct metric_site *site)
{
	const struct weft_metric *m = site->metric;
	struct metric_site below = *site;
	bool early = tops_are_early(m), beyond = tops_look_beyond(m);
	if (early)
		below.from = 0;
	if (beyond)
		below.to = INFINITY;
	int rc = metric_chain_new(out, &below);
	if (!rc)
		rc = add_tops(out, &below);
	if (!rc && ((early && site->from > 0) || beyond))
		rc = metric_trim_add(out, site->from, site->to);
	return rc;
}

/* A row that has a bank. */
struct banking {
	struct metric_stream stream;
	struct metric_stream *row;
	struct metric_bank *bank;
};

static int banking_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct banking *k = (struct banking *)(void *)s;
	return k->row->next(k->row, b);
}

static void banking_free(struct metric_stream *s)
{
	struct banking *k = (struct banking *)(void *)s;
	metric_stream_free(k->row);
	metric_bank_free(k->bank);
	free(k);
}

int metric_row_stream(struct metric_stream **out, const struct metric_site *site)
{
	if (site->bank || !metric_bank_pays(site->metric))
		return row_stream(out, site);
	struct banking *k = calloc(1, sizeof *k);
	*out = NULL;
	if (!k)
		return -ENOMEM;
	k->stream = (struct metric_stream){banking_next, banking_free};
	struct metric_site with = *site;
	int rc = metric_bank_new(&k->bank);
	with.bank = k->bank;
	if (!rc)
		rc = row_stream(&k->row, &with);
	if (rc) {
		banking_free(&k->stream);
		return rc;
	}
	metric_bank_seal(k->bank);
	*out = &k->stream;
	return 0;
}

int weft_row_open(struct weft_row **out, const struct weft_space *s, const struct weft_metric *m, uint32_t row, double from,
                  double to)
{
	struct weft_row *r = calloc(1, sizeof *r);
	*out = NULL;
	if (!r)
		return -ENOMEM;
	int rc = row >= weft_level_size(s, m->level) ? -EINVAL : 0;
	if (!rc && m->parent[0])
		rc = metric_walks_new(&r->walks);
	struct metric_site site = {s, m, m->level, row, from, to, NULL, r->walks, NULL};
	if (!rc)
		rc = metric_row_stream(&r->stream, &site);
	if (rc) {
		metric_walks_free(r->walks);
		free(r);
		return rc;
	}
	*out = r;
	return 0;
}

int weft_row_next(struct weft_row *r, struct weft_intervals *b)
{
	return r->stream->next(r->stream, b);
}

void weft_row_close(struct weft_row *r)
{
	if (!r)
		return;
	metric_stream_free(r->stream);
	metric_walks_free(r->walks);
	free(r);
}
