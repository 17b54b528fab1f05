/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a run, decides its stretches, measures them. */
#include "factor_ideal.h"
#include "factor_kept.h"
#include "factor_series.h"
#include "base/vec.h"
#include "cli/common/left_out.h"
#include "trace/filter/spans.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCHES_MOST = 1000000, WINDOWS = 100 /* where no length is said */ };

/* ---- stretches ---- */

struct edges {
	WEFT_VEC(double) at; /* ns */
	char (*label)[FACTOR_LABEL];
};

static int add_windows(struct edges *e, uint64_t from, uint64_t to, uint64_t window)
{
	if ((to - from) / window >= STRETCHES_MOST)
		return cli_fail_text("option '--window': there would be more than %d stretches", STRETCHES_MOST);
	for (uint64_t at = from; at < to; at += window)
		if (weft_vec_push(&e->at, (double)at))
			return cli_fail_code(-ENOMEM);
	return weft_vec_push(&e->at, (double)to) ? cli_fail_code(-ENOMEM) : CLI_OK;
}

static int begins_of_thread(struct edges *e, const struct weft_trace *t, uint32_t thread, uint32_t region, uint64_t from,
                            uint64_t to)
{
	struct weft_cursor c;
	struct weft_block b;
	const uint32_t enter = weft_what(WEFT_EV_ENTER, region), leave = weft_what(WEFT_EV_LEAVE, region);
	uint64_t depth = 0;
	int rc = weft_cursor_begin(&c, t, thread, from, to);
	if (!rc)
		weft_cursor_want(&c, (struct weft_wanted){.whats = weft_what_bit(enter) | weft_what_bit(leave)});
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			if (b.what[i] == enter && depth++ == 0)
				rc = weft_vec_push(&e->at, (double)b.time[i]);
			else if (b.what[i] == leave && depth)
				depth--;
		}
	}
	weft_cursor_end(&c);
	return rc;
}

static int add_iterations(struct edges *e, const struct weft_trace *t, const char *name, uint64_t from, uint64_t to)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_REGION];
	uint32_t region = 0;
	int rc = 0;
	for (uint32_t i = 1; i < d->n && !region; i++)
		if (!strcmp(d->at[i].name, name))
			region = i;
	if (!region)
		return cli_fail_text("'%s' has no region '%s' (see 'weft info --list regions')", t->path, name);
	for (uint32_t thread = 0; thread < t->n_threads && !e->at.n && !rc; thread++)
		rc = begins_of_thread(e, t, thread, region, from, to);
	if (!rc && !e->at.n)
		return cli_fail_text("'%s': region '%s' does not begin in that time", t->path, name);
	rc = rc ? rc : weft_vec_push(&e->at, (double)to);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

/* From the first begin of a thread of the program to the last end: a launcher may have begun long before. */
static void find_life(const struct weft_trace *t, uint64_t *from, uint64_t *to)
{
	uint64_t begin = WEFT_NEVER, end = 0;
	*from = 0;
	*to = t->end;
	for (uint32_t i = 0; i < t->n_threads; i++)
		if (!t->thread[i].own && !weft_thread_is_bystander(t, i)) {
			begin = t->thread[i].begin < begin ? t->thread[i].begin : begin;
			end = t->thread[i].end != WEFT_NEVER && t->thread[i].end > end ? t->thread[i].end : end;
		}
	if (begin < end && end <= t->end) {
		*from = begin;
		*to = end;
	}
}

static int find_edges(struct edges *e, const struct weft_trace *t, const struct factor_run_how *how)
{
	uint64_t from, to;
	struct weft_err err = {0};
	find_life(t, &from, &to);
	if (how->time && weft_time_range(how->time, t->end, &from, &to, &err))
		return cli_fail(&err);
	to = to < t->end ? to : t->end;
	if (from >= to)
		return cli_fail_text("'%s' has nothing in that time", t->path);
	if (how->by == FACTOR_BY_PHASE || (how->by == FACTOR_BY_ITERATION && !how->iterations)) {
		uint32_t n = 0;
		int status = factor_series_find(t, (enum factor_by)how->by, how->common, from, to, &e->at.at, &e->label, &n);
		e->at.n = e->at.at ? n + 1u : 0;
		return status;
	}
	if (how->iterations)
		return add_iterations(e, t, how->iterations, from, to);
	const uint64_t share = how->by == FACTOR_BY_WINDOW && to - from > WINDOWS ? (to - from + WINDOWS - 1) / WINDOWS
	                                                                          : to - from;
	return add_windows(e, from, to, how->window_ns ? how->window_ns : share);
}

/* ---- a run ---- */

int factor_measure(struct factor_run *r, const struct weft_space *s, const struct cli_common *c, const double *weight,
                   struct weft_factors *all)
{
	struct weft_usage use = {.n_threads = 0};
	struct weft_err err = {0};
	double *edge = malloc(((size_t)r->n + 1) * sizeof *edge);
	r->f = calloc(r->n, sizeof *r->f);
	int rc = edge && r->f ? 0 : -ENOMEM;
	for (uint32_t i = 0; i <= r->n && !rc; i++)
		edge[i] = r->edge[i] / (double)s->unit_ns;
	if (!rc && weft_usage_measure(&use, s, edge, r->n, (unsigned)c->threads, &err))
		rc = err.code;
	for (uint32_t i = 0; i < r->n && !rc; i++)
		rc = weft_factors_compute(&r->f[i], &use, i);
	if (!rc && all) {
		weft_usage_merge(&use, weight);
		rc = weft_factors_compute(all, &use, 0);
	}
	weft_usage_fini(&use);
	free(edge);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}

static void name_run(struct factor_run *r)
{
	const struct weft_factors *f = &r->f[0];
	if (f->n_threads == f->n_processes)
		snprintf(r->name, sizeof r->name, "%u", f->n_processes);
	else if (f->n_processes && f->n_threads % f->n_processes == 0)
		snprintf(r->name, sizeof r->name, "%ux%u", f->n_processes, f->n_threads / f->n_processes);
	else
		snprintf(r->name, sizeof r->name, "%u/%u", f->n_processes, f->n_threads);
}

int factor_run_of(struct factor_run *r, const struct weft_trace *t, const char *path, const struct factor_run_how *how)
{
	struct edges e = {.at = {0}};
	struct weft_space s = {0};
	*r = (struct factor_run){.path = path};
	int status = find_edges(&e, t, how);
	if (!status && weft_space_init(&s, t))
		status = cli_fail_code(-ENOMEM);
	r->edge = e.at.at;
	r->label = e.label;
	r->n = e.at.n ? (uint32_t)e.at.n - 1 : 0;
	if (!status && weft_level_size(&s, WEFT_THREAD) == 0)
		status = cli_fail_text("'%s' has no threads", path);
	const bool series = r->n > 1 || how->by || how->iterations || how->window_ns;
	const bool kept = !status && !series && factor_has_gaps(r, t);
	if (!status)
		status = kept ? factor_kept(r, t, &s, how) : factor_measure(r, &s, how->common, NULL, NULL);
	if (!status)
		name_run(r);
	if (!status)
		cli_left_out_warn(t, kept ? "this is of what was kept, each for those that it stands for"
		                          : "nothing seems to compute there");
	if (!status && how->ideal && !kept)
		status = factor_ideal(r, t, series || how->time, NULL, how->common);
	if (!status && how->regions)
		status = region_times_of(&r->regions, &s, (uint64_t)r->edge[0], (uint64_t)r->edge[r->n], how->common);
	weft_space_fini(&s);
	return status;
}

int factor_run_open(struct factor_run *r, const char *path, const struct factor_run_how *how)
{
	struct weft_trace *t = NULL;
	*r = (struct factor_run){.path = path};
	int status = cli_open(how->common, path, &t, NULL);
	if (!status)
		status = factor_run_of(r, t, path, how);
	weft_trace_close(t);
	return status;
}

void factor_run_fini(struct factor_run *r)
{
	free(r->edge);
	free(r->label);
	free(r->f);
	region_times_fini(&r->regions);
	*r = (struct factor_run){.path = NULL};
}

/* ---- several ---- */

static void sort_runs(struct factor_run *run, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k > 0 && run[k].f[0].n_threads < run[k - 1].f[0].n_threads; k--) {
			const struct factor_run swap = run[k];
			run[k] = run[k - 1];
			run[k - 1] = swap;
		}
}

/* Of equal names each gets its place among them, but the first. */
static void tell_apart(struct factor_run *run, uint32_t n)
{
	for (uint32_t i = n; i-- > 1;) {
		uint32_t before = 0;
		for (uint32_t k = 0; k < i; k++)
			before += !strcmp(run[k].name, run[i].name);
		const size_t length = strlen(run[i].name);
		if (before)
			snprintf(run[i].name + length, sizeof run[i].name - length, " (%u)", before + 1);
	}
}

int factor_runs_open(struct factor_run *run, uint32_t n, char *const *path, const struct factor_run_how *how)
{
	int status = CLI_OK;
	memset(run, 0, n * sizeof *run);
	for (uint32_t i = 0; i < n && !status; i++)
		status = factor_run_open(&run[i], path[i], how);
	if (!status) {
		sort_runs(run, n);
		tell_apart(run, n);
	}
	return status;
}

void factor_runs_fini(struct factor_run *run, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		factor_run_fini(&run[i]);
}
