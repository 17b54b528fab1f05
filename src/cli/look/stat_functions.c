/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft stat --by function`: the functions that ran when samples were taken. A share of samples is an estimate of a share of time: beside
 * it stand the bounds within which that lies with 95 % confidence (Wilson's score interval).
 */
#include "calls_report.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static const struct weft_column columns[] = {
	{"function", "function", WEFT_CELL_TEXT},       {"module", "module", WEFT_CELL_TEXT},
	{"samples", "samples", WEFT_CELL_U64},          {"self_percent", "self", WEFT_CELL_PERCENT},
	{"low_percent", "at least", WEFT_CELL_PERCENT}, {"high_percent", "at most", WEFT_CELL_PERCENT},
	{"self_ns", "CPU time", WEFT_CELL_NS},          {"total_percent", "with calls", WEFT_CELL_PERCENT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static struct weft_cell percent(double part)
{
	return (struct weft_cell){WEFT_CELL_PERCENT, {.f64 = 100 * part}};
}

static int put_row(struct weft_table *t, const struct weft_profile *p, const struct weft_profile_row *r)
{
	const struct weft_function *f = weft_symbols_function(p->symbols, r->function);
	uint64_t all = p->node[0].total;
	double low, high;
	weft_profile_interval(r->self, all, &low, &high);
	const char *module = f->module;
	struct weft_cell row[COLUMNS] = {
		{WEFT_CELL_TEXT, {.text = f->name}},
		{WEFT_CELL_TEXT, {.text = module}},
		{WEFT_CELL_U64, {.u64 = r->self}},
		percent((double)r->self / (double)all),
		percent(low),
		percent(high),
		{p->period_ns ? WEFT_CELL_NS : WEFT_CELL_NONE, {.u64 = r->self * p->period_ns}},
		percent((double)r->total / (double)all),
	};
	return weft_table_row(t, row);
}

static int print(const struct weft_profile *p, uint64_t top, const struct cli_common *c)
{
	struct weft_profile_row *row;
	struct weft_table t;
	size_t n, shown = 0;
	int rc = weft_profile_rows(p, &row, &n);
	weft_table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < n && !rc && !(top && shown >= top); i++)
		if (row[i].self) {
			rc = put_row(&t, p, &row[i]);
			shown++;
		}
	free(row);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	int status = cli_table(&t, c);
	if (!status && cli_form(c) == WEFT_TABLE_TEXT)
		printf("\nOf %" PRIu64
		       " sample%s. Shares of time lie between 'at least' and 'at most' with 95 %% confidence (Wilson).\n",
		       p->node[0].total, p->node[0].total == 1 ? "" : "s");
	return status;
}

int cli_stat_functions(const struct weft_trace *t, struct weft_filter *f, const char *time, uint64_t top,
                       const struct cli_common *c)
{
	struct weft_profile_how how = {.filter = f, .to = WEFT_NEVER, .of = WEFT_PROFILE_SAMPLES, .own_threads = c->own_threads};
	struct weft_profile p;
	struct weft_symbols *s;
	struct weft_err err = {0};
	if (time && weft_time_range(time, t->end, &how.from, &how.to, &err))
		return cli_fail(&err);
	if (weft_symbols_new(&s, t, NULL))
		return cli_fail_code(-ENOMEM);
	int status = weft_profile_make(&p, t, s, &how, &err) ? cli_fail(&err) : CLI_OK;
	if (!status) {
		cli_say_symbols(s);
		status = p.node[0].total
		                 ? print(&p, top, c)
		                 : cli_fail_text("'%s' has no samples here (record them with weft record --on samples)", t->path);
		weft_profile_fini(&p);
	}
	weft_symbols_free(s);
	return status;
}
