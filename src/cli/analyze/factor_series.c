/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_series.h"
#include "analyze/phase/phases.h"
#include "base/vec.h"
#include "bursts_cli.h"
#include "factor_table.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 5, UNDIVIDED = 3, COLUMNS = 10, NAMES = 3 /* columns before the factors */ };
static const enum weft_factor series_of[SERIES] = {WEFT_FACTOR_PARALLEL, WEFT_FACTOR_BALANCE, WEFT_FACTOR_COMMUNICATION,
                                                   WEFT_FACTOR_SERIALIZATION, WEFT_FACTOR_TRANSFER};

/* ---- stretches ---- */

struct series_edges {
	uint64_t from, to; /* nothing outside of it */
	WEFT_VEC(double) at;
	char (*label)[FACTOR_LABEL]; /* of the stretch that begins at each */
	size_t cap;
};

/* From `at` on it is called so; a stretch without length is none. */
static int series_begin(struct series_edges *e, uint64_t at, const char *label)
{
	const double edge = (double)(at < e->from ? e->from : at > e->to ? e->to : at);
	if (e->at.n && e->at.at[e->at.n - 1] >= edge)
		e->at.n--;
	if (weft_vec_push(&e->at, edge) || weft_vec_grow(&e->label, &e->cap, e->at.n, sizeof *e->label))
		return -ENOMEM;
	snprintf(e->label[e->at.n - 1], FACTOR_LABEL, "%s", label);
	return 0;
}

static int series_iterations(struct series_edges *e, const struct weft_phases *p)
{
	char label[FACTOR_LABEL];
	int rc = 0;
	for (uint32_t i = 0; i < p->n_iterations && !rc; i++) {
		const struct weft_phase_iteration *x = &p->iteration[i];
		if (x->end <= e->from || x->begin >= e->to)
			continue;
		snprintf(label, sizeof label, "iteration %u%s", i + 1, x->perturbed ? ", perturbed" : "");
		rc = series_begin(e, x->begin, label);
		rc = rc ? rc : series_begin(e, x->end, "outside");
	}
	return rc;
}

/* From its first iteration to its last: wavelets see where something changes, a little less or more. */
static void phase_range(const struct weft_phases *p, const struct weft_phase_region *x, uint64_t *from, uint64_t *to)
{
	*from = x->from;
	*to = x->to;
	if (x->n && p->iteration[x->first].begin < *from)
		*from = p->iteration[x->first].begin;
	if (x->n && p->iteration[x->first + x->n - 1].end > *to)
		*to = p->iteration[x->first + x->n - 1].end;
}

static int series_regions(struct series_edges *e, const struct weft_phases *p)
{
	char label[FACTOR_LABEL];
	int rc = 0;
	for (uint32_t i = 0; i < p->n_regions && !rc; i++) {
		const struct weft_phase_region *x = &p->region[i];
		uint64_t from, to;
		phase_range(p, x, &from, &to);
		if (to <= e->from || from >= e->to)
			continue;
		if (x->period.found)
			snprintf(label, sizeof label, "phase %u: %u iterations", i + 1, x->n);
		else
			snprintf(label, sizeof label, "phase %u", i + 1);
		rc = series_begin(e, from, label);
		rc = rc ? rc : series_begin(e, to, "outside");
	}
	return rc;
}

/* By the first signal that has a period. */
static int series_phases(struct weft_phases *p, const struct weft_trace *t, const struct cli_common *c, struct weft_err *err)
{
	const struct weft_phases_how how = {.end = t->end,
	                                    .least_strength = 0.25,
	                                    .to = WEFT_NEVER,
	                                    .threads = (unsigned)c->threads};
	const struct weft_bursts_how bursts_how = {.to = WEFT_NEVER, .threads = (unsigned)c->threads};
	struct weft_bursts b = {0};
	struct weft_signal s;
	bool found = false;
	int rc = weft_bursts_make(&b, t, &bursts_how, err);
	for (unsigned of = WEFT_SIGNAL_COMPUTING; of < WEFT_SIGNALS && b.n && !rc && !found; of++) {
		rc = weft_signal_make(&s, &b, (enum weft_signal_of)of, t->end);
		if (rc)
			break;
		weft_phases_fini(p);
		rc = weft_phases_make(p, &s, &how);
		weft_signal_fini(&s);
		for (uint32_t i = 0; i < p->n_regions && !rc; i++)
			found = found || p->region[i].period.found;
	}
	weft_bursts_fini(&b);
	return rc;
}

int factor_series_find(const struct weft_trace *t, enum factor_by by, const struct cli_common *c, uint64_t from, uint64_t to,
                       double **edge, char (**label)[FACTOR_LABEL], uint32_t *n)
{
	struct series_edges e = {.from = from, .to = to};
	struct weft_phases p = {0};
	struct weft_err err = {0};
	int rc = series_phases(&p, t, c, &err);
	const bool none = !rc && by == FACTOR_BY_ITERATION && !p.n_iterations;
	rc = rc ? rc : series_begin(&e, from, "outside");
	if (!rc)
		rc = by == FACTOR_BY_ITERATION ? series_iterations(&e, &p) : series_regions(&e, &p);
	rc = rc ? rc : series_begin(&e, to, "");
	weft_phases_fini(&p);
	*edge = e.at.at;
	*label = e.label;
	*n = e.at.n ? (uint32_t)e.at.n - 1 : 0;
	if (rc)
		return err.code ? cli_fail(&err) : cli_fail_code(rc);
	return none ? cli_fail_text("'%s' has no period: there are no iterations (--iterations REGION takes a region's)", t->path)
	            : CLI_OK;
}

/* ---- table ---- */

static const struct weft_column series_column[COLUMNS] = {
	{"stretch", "stretch", WEFT_CELL_TEXT},
	{"begin_ns", "begin", WEFT_CELL_NS},
	{"end_ns", "end", WEFT_CELL_NS},
	{"parallel_efficiency_percent", "parallel", WEFT_CELL_PERCENT},
	{"load_balance_percent", "load balance", WEFT_CELL_PERCENT},
	{"communication_efficiency_percent", "communication", WEFT_CELL_PERCENT},
	{"serialization_efficiency_percent", "serialization", WEFT_CELL_PERCENT},
	{"transfer_efficiency_percent", "transfer", WEFT_CELL_PERCENT},
	{"average_ipc", "IPC", WEFT_CELL_DOUBLE},
	{"mips", "MIPS", WEFT_CELL_DOUBLE},
};

/* How many of series_of are known of any stretch: the last two only after replays. */
static unsigned series_factors(const struct factor_run *run)
{
	for (uint32_t i = 0; i < run->n; i++)
		if (!isnan(run->f[i].value[WEFT_FACTOR_SERIALIZATION]))
			return SERIES;
	return UNDIVIDED;
}

static void fill_row(const struct factor_run *run, uint32_t i, unsigned n_factors, struct weft_cell *cell)
{
	const double *v = run->f[i].value;
	*cell++ = (struct weft_cell){WEFT_CELL_TEXT, {.text = run->label ? run->label[i] : ""}};
	*cell++ = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)run->edge[i]}};
	*cell++ = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)run->edge[i + 1]}};
	for (unsigned k = 0; k < n_factors; k++)
		*cell++ = (struct weft_cell){WEFT_CELL_PERCENT, {.f64 = 100 * v[series_of[k]]}};
	*cell++ = (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = v[WEFT_FACTOR_IPC]}};
	*cell = (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = v[WEFT_FACTOR_MIPS]}};
}

int factor_series_print(const struct factor_run *run, const struct cli_common *c)
{
	const unsigned without = run->label ? 0 : 1, n_factors = series_factors(run);
	struct weft_column column[COLUMNS];
	struct weft_cell cell[COLUMNS];
	struct weft_table t;
	unsigned n = NAMES + n_factors;
	int rc = 0;
	memcpy(column, series_column, n * sizeof *column);
	for (unsigned k = NAMES + SERIES; k < COLUMNS && !isnan(run->f[0].value[WEFT_FACTOR_IPC]); k++)
		column[n++] = series_column[k];
	weft_table_init(&t, column + without, n - without);
	for (uint32_t i = 0; i < run->n && !rc; i++) {
		fill_row(run, i, n_factors, cell);
		rc = weft_table_row(&t, cell + without);
	}
	if (!rc)
		return cli_table(&t, c);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- picture ---- */

enum { LABEL = 150, STRIP = 960, LINE = 34, EDGE = 12 };

static double series_x(const struct factor_run *run, double at)
{
	const double length = run->edge[run->n] - run->edge[0];
	return EDGE + LABEL + (length > 0 ? STRIP * (at - run->edge[0]) / length : 0);
}

static void series_strip(struct picture *p, const struct factor_run *run, enum weft_factor of, double y)
{
	picture_text(p, EDGE, y + 21, SVG_LEFT, "l", weft_factor_info[of].name, LABEL - 8);
	for (uint32_t i = 0; i < run->n; i++) {
		const double v = run->f[i].value[of], from = series_x(run, run->edge[i]), to = series_x(run, run->edge[i + 1]);
		char text[16];
		if (isnan(v))
			continue;
		picture_rect(p, from, y + 1, to - from, LINE - 2, factor_heat(v), 0);
		snprintf(text, sizeof text, "%.0f %%", 100 * v);
		if (to - from >= 44)
			picture_text(p, (from + to) / 2 + 16, y + 21, SVG_RIGHT, "l", text, (unsigned)(to - from));
	}
}

int factor_series_picture(const struct factor_run *run, enum weft_picture_form form, struct weft_buf *out)
{
	struct picture p;
	char from[32], to[32];
	const unsigned n = series_factors(run);
	const double below = EDGE + (double)n * LINE + 20;
	int rc = picture_begin(&p, form, out, 2 * EDGE + LABEL + STRIP, 2 * EDGE + (n + 1) * LINE, "efficiency over time");
	for (unsigned k = 0; k < n && !rc; k++)
		series_strip(&p, run, series_of[k], EDGE + (double)k * LINE);
	if (!rc) {
		weft_human_ns(from, (uint64_t)run->edge[0]);
		weft_human_ns(to, (uint64_t)run->edge[run->n]);
		picture_text(&p, EDGE + LABEL, below, SVG_LEFT, "l", from, STRIP / 2);
		picture_text(&p, EDGE + LABEL + STRIP, below, SVG_RIGHT, "l", to, STRIP / 2);
	}
	const int end = picture_end(&p);
	return rc ? rc : end;
}
