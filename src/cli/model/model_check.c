/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft model check`: what is doubtful about models, and why. A kind of doubt is a row of a table: a function that looks at one entry,
 * or one implementation, and says in words what it found. With a trace, the tasks of one footprint are looked at one by one.
 */
#include "model_cli.h"
#include "model_cloud.h"
#include "base/log.h"
#include "base/str.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double curve_off = 0.25;

struct checking {
	const struct model_args *a;
	uint32_t least;
	double most; /* part of the mean */
	struct weft_table table;
	const struct model_file *f;
	const struct weft_model_comb *comb;
	uint32_t impl;
	const struct model_samples *samples; /* NULL: no trace */
	uint64_t models, doubts;
	char why[300];
};

static int note(struct checking *c, const struct weft_model_entry *e, const char *doubt)
{
	char place[512], hash[16] = "";
	model_place(place, sizeof place, c->comb, c->impl);
	if (e)
		snprintf(hash, sizeof hash, "%08x", e->footprint);
	const struct weft_cell row[] = {
		{WEFT_CELL_TEXT, {.text = c->f->symbol}},
		{WEFT_CELL_TEXT, {.text = c->f->host}},
		{WEFT_CELL_TEXT, {.text = place}},
		{e ? WEFT_CELL_TEXT : WEFT_CELL_NONE, {.text = hash}},
		{e ? WEFT_CELL_U64 : WEFT_CELL_NONE, {.u64 = e ? e->size : 0}},
		{WEFT_CELL_TEXT, {.text = doubt}},
		{WEFT_CELL_TEXT, {.text = c->why}},
	};
	c->doubts++;
	return weft_table_row(&c->table, row);
}

/* -- of one entry -- */

static bool few_samples(struct checking *c, const struct weft_model_entry *e)
{
	snprintf(c->why, sizeof c->why, "%u samples, and %u are wanted before the mean counts", e->n, c->least);
	return e->n < c->least;
}

static bool large_deviation(struct checking *c, const struct weft_model_entry *e)
{
	snprintf(c->why, sizeof c->why, "the deviation is %.1f %% of the mean, %g %% are allowed", 100 * e->deviation / e->mean,
	         100 * c->most);
	return e->mean > 0 && e->deviation > c->most * e->mean;
}

static bool mixed_work(struct checking *c, const struct weft_model_entry *e)
{
	snprintf(c->why, sizeof c->why,
	         "tasks with data of these sizes had different numbers of flops: the footprint does not tell them apart");
	return e->n && isnan(e->flops);
}

/* The curve that the model would answer with, beside what was measured. */
static bool curve_far(struct checking *c, const struct weft_model_entry *e)
{
	const struct weft_model_fit *f = &c->comb->impl[c->impl].fit;
	double x = (double)e->size, y = NAN;
	if (!isnan(f->a) && !isnan(f->b) && !isnan(f->c))
		y = f->a * pow(x, f->b) + f->c;
	else if (f->n)
		y = f->alpha * pow(x, f->beta);
	snprintf(c->why, sizeof c->why, "the curve says %.4g, measured was %.4g: %+.0f %%", y, e->mean, 100 * (y / e->mean - 1));
	return e->n >= c->least && e->mean > 0 && fabs(y / e->mean - 1) > curve_off;
}

static bool two_clouds(struct checking *c, const struct weft_model_entry *e)
{
	struct model_cloud low, high;
	size_t n = 0;
	double *y = c->samples ? malloc((c->samples->of.n + 1) * sizeof *y) : NULL;
	for (size_t i = 0; y && i < c->samples->of.n; i++)
		if (c->samples->of.at[i].footprint == e->footprint)
			y[n++] = c->samples->of.at[i].us;
	bool two = y && model_two_clouds(y, n, &low, &high);
	free(y);
	if (two)
		snprintf(c->why, sizeof c->why,
		         "%zu tasks of the trace took about %.4g us, %zu about %.4g us: the footprint does not tell them apart",
		         low.n, low.mean, high.n, high.mean);
	return two;
}

/* -- of one implementation -- */

static bool nothing_measured(struct checking *c, const struct weft_model_impl *impl)
{
	snprintf(c->why, sizeof c->why, "there are no measurements and no coefficients");
	return !impl->n_entries && !impl->fit.n && !impl->fit.n_coeff;
}

static bool sizes_near(struct checking *c, const struct weft_model_impl *impl)
{
	const struct weft_model_fit *f = &impl->fit;
	snprintf(c->why, sizeof c->why,
	         "sizes from %lu to %lu bytes: the curve counts when the least is below 90 %% of the greatest",
	         (unsigned long)f->min_x, (unsigned long)f->max_x);
	return f->n && (double)f->min_x >= 0.9 * (double)f->max_x;
}

static const struct {
	const char *name;
	bool (*of)(struct checking *c, const struct weft_model_entry *e);
} of_entries[] = {
	{"few samples", few_samples}, {"large deviation", large_deviation}, {"mixed work", mixed_work},
	{"curve far off", curve_far}, {"two clouds", two_clouds},
};
static const struct {
	const char *name;
	bool (*of)(struct checking *c, const struct weft_model_impl *impl);
} of_impls[] = {{"nothing measured", nothing_measured}, {"sizes too near", sizes_near}};

static int check_impl(struct checking *c)
{
	const struct weft_model_impl *impl = &c->comb->impl[c->impl];
	int rc = 0;
	for (size_t i = 0; i < sizeof of_impls / sizeof *of_impls && !rc; i++)
		if (of_impls[i].of(c, impl))
			rc = note(c, NULL, of_impls[i].name);
	for (uint32_t e = 0; e < impl->n_entries; e++)
		for (size_t i = 0; i < sizeof of_entries / sizeof *of_entries && !rc; i++)
			if (of_entries[i].of(c, &impl->entry[e]))
				rc = note(c, &impl->entry[e], of_entries[i].name);
	return rc;
}

/* 0 or the exit status. */
static int check_model(struct checking *c, const struct model_file *f)
{
	struct model_samples samples = {{0}};
	int rc = 0, status = c->a->trace ? model_samples(c->a, f->symbol, &samples) : CLI_OK;
	c->f = f;
	c->samples = c->a->trace && !status ? &samples : NULL;
	c->models++;
	for (uint32_t i = 0; i < f->m.n_combs && !rc && !status; i++) {
		c->comb = &f->m.comb[i];
		if (model_is_chosen(c->comb, c->a))
			for (c->impl = 0; c->impl < c->comb->n_impls && !rc; c->impl++)
				rc = check_impl(c);
	}
	free(samples.of.at);
	return status ? status : rc ? cli_fail_code(rc) : CLI_OK;
}

static int check_all(struct checking *c)
{
	struct model_names names;
	char here[256];
	int status = model_names(model_host(c->a, here, sizeof here), &names);
	for (size_t i = 0; i < names.of.n && !status; i++) {
		struct model_file f;
		if (model_open_name(&names.of.at[i], &f)) {
			c->doubts++;
			continue;
		}
		status = check_model(c, &f);
		model_close(&f);
	}
	model_names_fini(&names);
	return status;
}

static int read_limits(struct checking *c)
{
	const char *least = getenv("STARPU_CALIBRATE_MINIMUM");
	uint64_t n = 10;
	double percent = 20;
	if (c->a->min_samples)
		n = c->a->min_samples;
	else if (least && *least && (weft_parse_u64(weft_str(least), &n) || !n))
		n = 10;
	if (c->a->max_deviation && (weft_parse_double(weft_str(c->a->max_deviation), &percent) || percent < 0))
		return cli_usage(&weft_command_model, "option '--max-deviation': expected a number of percent, found '%s'",
		                 c->a->max_deviation);
	c->least = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	c->most = percent / 100;
	return CLI_OK;
}

int model_check(const struct model_args *a, char **operand, int n)
{
	static const struct weft_column columns[] = {
		{"symbol", "model", WEFT_CELL_TEXT}, {"host", "host", WEFT_CELL_TEXT},
		{"place", "place", WEFT_CELL_TEXT},  {"footprint", "footprint", WEFT_CELL_TEXT},
		{"size", "size", WEFT_CELL_U64},     {"doubt", "doubt", WEFT_CELL_TEXT},
		{"why", "why", WEFT_CELL_TEXT},
	};
	struct checking c = {.a = a};
	int status = read_limits(&c);
	if (status)
		return status;
	if (a->trace && !n)
		return cli_usage(&weft_command_model, "with '--trace', say which models to check");
	weft_table_init(&c.table, columns, sizeof columns / sizeof *columns);
	for (int i = 0; i < n && !status; i++) {
		struct model_file f;
		status = model_open(a, operand[i], &f);
		status = status ? status : check_model(&c, &f);
		model_close(&f);
	}
	if (!n)
		status = check_all(&c);
	if (status) {
		weft_table_fini(&c.table);
		return status;
	}
	bool is_text = !a->common.json && !a->common.csv;
	if (!weft_table_rows(&c.table) && is_text) {
		weft_table_fini(&c.table);
		if (!c.doubts && !a->common.quiet)
			printf("%llu model%s, nothing doubtful\n", (unsigned long long)c.models, c.models == 1 ? "" : "s");
		return c.doubts ? CLI_NO : CLI_OK;
	}
	status = cli_table(&c.table, &a->common);
	return status ? status : c.doubts ? CLI_NO : CLI_OK;
}
