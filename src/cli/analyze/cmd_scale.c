/* SPDX-License-Identifier: Apache-2.0 */
/* `weft scale`: runs of several sizes: speed-up, serial fractions, what factors and regions will be at more processes. */
#include "factor_run.h"
#include "analyze/scale/scale_fit.h"
#include "base/log.h"
#include "scale_curves.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *time, *scaling, *model, *sigma, *output, *table;
	uint64_t limit, top;
	bool unbounded, no_ideal, force;
};

static const struct weft_opt options[] = {
	{0, "scaling", "HOW", WEFT_OPT_STRING, offsetof(struct args, scaling),
         "how the work grows with the processes: strong, weak or auto (default: auto)"},
	{0, "limit", "N", WEFT_OPT_U64, offsetof(struct args, limit),
         "extrapolate to N threads (default: ten times the largest run)"},
	{0, "model", "NAME", WEFT_OPT_STRING, offsetof(struct args, model),
         "curves of factors: amdahl, pipe, linear or term (default: amdahl)"},
	{0, "sigma", "NAME", WEFT_OPT_STRING, offsetof(struct args, sigma),
         "how far runs may lie from the curve: first (the first one least), equal or decrease (default: first)"},
	{0, "unbounded", NULL, WEFT_OPT_FLAG, offsetof(struct args, unbounded), "fractions of curves may leave 0..1"},
	{0, "no-ideal", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_ideal), "no replay on an ideal network"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top), "the N regions that will take most, 0 for all (default: 15)"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "from A up to B of each run only"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write OUT: .gp the curves of factors for gnuplot, .svg or .png a picture of them"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "table", "NAME", WEFT_OPT_STRING, offsetof(struct args, table),
         "print one table: runs, factors or regions (default for people: all; for programs: runs)"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

enum { RUNS_MOST = 64, AHEAD = 3, REGION_COLUMNS = 7 };

struct scale {
	const struct args *args;
	struct factor_run run[RUNS_MOST];
	uint32_t n;
	enum weft_scaling scaling;
	double size[RUNS_MOST], limit;
	struct scale_curves curves;
};

/* ---- runs ---- */

/* By Karp and Flatt: the serial fraction that alone would explain this run's speed-up. */
static double karp_flatt(double speedup, double p)
{
	return p > 1 && speedup > 0 ? (1 / speedup - 1 / p) / (1 - 1 / p) : NAN;
}

static int print_runs(const struct scale *s)
{
	static const struct weft_column column[] = {{"run", "run", WEFT_CELL_TEXT},
	                                            {"threads", "threads", WEFT_CELL_U64},
	                                            {"runtime_ns", "runtime", WEFT_CELL_NS},
	                                            {"speedup", "speed-up", WEFT_CELL_DOUBLE},
	                                            {"efficiency_percent", "efficiency", WEFT_CELL_PERCENT},
	                                            {"parallel_efficiency_percent", "parallel", WEFT_CELL_PERCENT},
	                                            {"computation_scalability_percent", "computation", WEFT_CELL_PERCENT},
	                                            {"serial_percent", "serial part", WEFT_CELL_PERCENT},
	                                            {"note", "", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, 9);
	for (uint32_t i = 0; i < s->n && !rc; i++) {
		const struct weft_factors *f = &s->run[i].f[0];
		const double p = s->size[i] / s->size[0], speedup = f->value[WEFT_FACTOR_SPEEDUP];
		const struct weft_cell cell[] = {{WEFT_CELL_TEXT, {.text = s->run[i].name}},
		                                 {WEFT_CELL_U64, {.u64 = f->n_threads}},
		                                 {WEFT_CELL_NS, {.u64 = (uint64_t)f->runtime}},
		                                 {WEFT_CELL_DOUBLE, {.f64 = speedup}},
		                                 {WEFT_CELL_PERCENT, {.f64 = 100 * speedup / p}},
		                                 {WEFT_CELL_PERCENT, {.f64 = 100 * f->value[WEFT_FACTOR_PARALLEL]}},
		                                 {WEFT_CELL_PERCENT, {.f64 = 100 * f->value[WEFT_FACTOR_COMPUTATION]}},
		                                 {WEFT_CELL_PERCENT, {.f64 = 100 * karp_flatt(speedup, p)}},
		                                 {WEFT_CELL_TEXT,
		                                  {.text = speedup > 1.02 * p ? "superlinear: caches, or less work" : ""}}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &s->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static void say_fraction(const char *name, const struct weft_fraction *f)
{
	if (isnan(f->value))
		return;
	printf("%s %.2f %%", name, 100 * f->value);
	if (!isnan(f->low))
		printf(" (95 %%: %.2f to %.2f)", 100 * f->low, 100 * f->high);
	printf("\n");
}

static void print_fractions(const struct scale *s)
{
	double p[RUNS_MOST], speedup[RUNS_MOST];
	for (uint32_t i = 0; i < s->n; i++) {
		p[i] = s->size[i] / s->size[0];
		speedup[i] = s->run[i].f[0].value[WEFT_FACTOR_SPEEDUP];
	}
	const struct weft_fraction amdahl = weft_amdahl_fraction(p, speedup, s->n),
				   gustafson = weft_gustafson_fraction(p, speedup, s->n);
	printf("\nScaling: %s. Against the run of %s:\n", weft_scaling_names[s->scaling], s->run[0].name);
	say_fraction("  serial part by Amdahl   ", &amdahl);
	say_fraction("  serial part by Gustafson", &gustafson);
}

/* ---- factors ---- */

static int print_factors(const struct scale *s)
{
	char key[AHEAD][32], title[AHEAD][32];
	struct weft_column column[AHEAD + 3] = {{"factor", "factor", WEFT_CELL_TEXT},
	                                        {"curve", "curve of p threads (%)", WEFT_CELL_TEXT}};
	double at[AHEAD];
	struct weft_table t;
	int rc = 0;
	for (unsigned a = 0; a < AHEAD; a++) {
		at[a] = round(s->size[s->n - 1] * pow(s->limit / s->size[s->n - 1], (a + 1.0) / AHEAD));
		snprintf(key[a], sizeof key[a], "at_%.0f_percent", at[a]);
		snprintf(title[a], sizeof title[a], "at %.0f", at[a]);
		column[2 + a] = (struct weft_column){key[a], title[a], WEFT_CELL_PERCENT};
	}
	column[2 + AHEAD] = (struct weft_column){"error_percent", "error left out", WEFT_CELL_PERCENT};
	weft_table_init(&t, column, AHEAD + 3);
	for (unsigned c = 0; c < SCALE_CURVES && !rc; c++) {
		char text[128];
		struct weft_cell cell[AHEAD + 3] = {{WEFT_CELL_TEXT, {.text = scale_curve_names[c]}},
		                                    {WEFT_CELL_TEXT, {.text = scale_curve_text(&s->curves, c, text)}}};
		for (unsigned a = 0; a < AHEAD; a++)
			cell[2 + a] = (struct weft_cell){WEFT_CELL_PERCENT, {.f64 = scale_curve_at(&s->curves, c, at[a])}};
		cell[2 + AHEAD] = (struct weft_cell){WEFT_CELL_PERCENT,
		                                     {.f64 = c < SCALE_FITS ? 100 * s->curves.fit[c].error : NAN}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &s->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- regions ---- */

struct growth { /* of a region */
	const char *name;
	double now, then; /* time a thread, in the largest run and at the limit; ns */
	struct weft_fit fit;
};

static int compare_growth(const void *a, const void *b)
{
	const struct growth *x = a, *y = b;
	return x->then != y->then ? (x->then > y->then ? -1 : 1) : strcmp(x->name, y->name);
}

static int find_growth(const struct scale *s, struct growth *g)
{
	double y[RUNS_MOST];
	for (uint32_t i = 0; i < s->n; i++) {
		const struct region_time *r = region_times_find(&s->run[i].regions, g->name);
		y[i] = r ? r->self_ns / s->size[i] : 0;
	}
	int rc = weft_fit_find(&g->fit, WEFT_FIT_TERM, s->size, y, s->n, false, WEFT_SIGMA_EQUAL);
	g->now = y[s->n - 1];
	g->then = rc ? NAN : fmax(0, weft_fit_at(&g->fit, s->limit));
	return rc;
}

static int add_growth(struct weft_table *t, const struct growth *g, double now, double then)
{
	char text[128];
	const struct weft_cell cell[REGION_COLUMNS] = {{WEFT_CELL_TEXT, {.text = g->name}},
	                                               {WEFT_CELL_NS, {.u64 = (uint64_t)g->now}},
	                                               {WEFT_CELL_PERCENT, {.f64 = now > 0 ? 100 * g->now / now : NAN}},
	                                               {WEFT_CELL_TEXT, {.text = weft_fit_text(&g->fit, "p", text)}},
	                                               {WEFT_CELL_NS, {.u64 = (uint64_t)g->then}},
	                                               {WEFT_CELL_PERCENT, {.f64 = then > 0 ? 100 * g->then / then : NAN}},
	                                               {WEFT_CELL_PERCENT, {.f64 = 100 * g->fit.error}}};
	return weft_table_row(t, cell);
}

static int print_growth(const struct scale *s, struct growth *g, uint32_t n)
{
	char key[48], title[48];
	struct weft_column column[REGION_COLUMNS] = {{"region", "region", WEFT_CELL_TEXT},
	                                             {"now_ns", "a thread now", WEFT_CELL_NS},
	                                             {"now_percent", "share", WEFT_CELL_PERCENT},
	                                             {"curve_ns", "ns of p threads", WEFT_CELL_TEXT},
	                                             {key, title, WEFT_CELL_NS},
	                                             {"then_percent", "share then", WEFT_CELL_PERCENT},
	                                             {"error_percent", "error left out", WEFT_CELL_PERCENT}};
	struct weft_table t;
	double now = 0, then = 0;
	int rc = 0;
	snprintf(key, sizeof key, "at_%.0f_ns", s->limit);
	snprintf(title, sizeof title, "at %.0f", s->limit);
	for (uint32_t i = 0; i < n; i++) {
		now += g[i].now;
		then += g[i].then;
	}
	if (n)
		qsort(g, n, sizeof *g, compare_growth);
	weft_table_init(&t, column, REGION_COLUMNS);
	for (uint32_t i = 0; i < n && (!s->args->top || i < s->args->top) && !rc; i++)
		rc = add_growth(&t, &g[i], now, then);
	if (!rc)
		return cli_table(&t, &s->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int print_regions(const struct scale *s)
{
	const struct region_times *all[RUNS_MOST];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		all[i] = &s->run[i].regions;
	const char **name = region_times_names(all, s->n, &n);
	struct growth *g = name ? calloc((size_t)n + 1, sizeof *g) : NULL;
	int rc = g ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		g[i].name = name[i];
		rc = find_growth(s, &g[i]);
	}
	const int status = rc ? cli_fail_code(rc) : print_growth(s, g, n);
	free(name);
	free(g);
	return status;
}

/* ---- the command ---- */

static int (*const scale_tables[])(const struct scale *s) = {print_runs, print_factors, print_regions};
static const char *const table_names[] = {"runs", "factors", "regions"};
enum { TABLES = 3 };

static int find_word(const char *option, const char *word, const char *const *known, unsigned n, unsigned *at)
{
	for (unsigned i = 0; word && i < n; i++)
		if (!strcmp(word, known[i])) {
			*at = i;
			return CLI_OK;
		}
	return word ? cli_unknown(&weft_command_scale, option, word, known, n) : CLI_OK;
}

static int write_curves(const struct scale *s)
{
	struct weft_buf text = {0};
	struct weft_out out;
	struct weft_err err = {0};
	int rc = scale_curves_write(&s->curves, s->args->output, &text);
	rc = rc ? rc : text.failed ? -ENOMEM : weft_out_open(&out, s->args->output, &err);
	if (!rc) {
		fwrite(text.at, 1, text.n, out.to);
		rc = weft_out_commit(&out, &err);
	}
	weft_buf_fini(&text);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}

static int print_scale(const struct scale *s, unsigned table)
{
	const bool all = cli_form(&s->args->common) == WEFT_TABLE_TEXT && !s->args->table;
	int status = CLI_OK;
	for (unsigned i = 0; i < TABLES && !status; i++) {
		if (!all && i != table)
			continue;
		if (i)
			printf(all ? "\n" : "");
		status = scale_tables[i](s);
		if (!status && i == 0 && all)
			print_fractions(s);
	}
	return cli_finish(status);
}

static int scale_of(struct scale *s, char **path, enum weft_fit_model model, enum weft_fit_sigma sigma)
{
	const struct args *a = s->args;
	const struct factor_run_how how = {.common = &a->common, .time = a->time, .ideal = !a->no_ideal, .regions = true};
	struct weft_factors f[RUNS_MOST];
	int status = factor_runs_open(s->run, s->n, path, &how);
	if (status)
		return status;
	for (uint32_t i = 0; i < s->n; i++)
		f[i] = s->run[i].f[0];
	s->scaling = weft_factors_scale(f, s->n, s->scaling);
	for (uint32_t i = 0; i < s->n; i++) {
		s->run[i].f[0] = f[i];
		s->size[i] = f[i].n_threads;
	}
	if (s->size[s->n - 1] <= s->size[0])
		return cli_fail_text("the runs are all of %.0f threads: nothing scales (to compare them: 'weft regress')",
		                     s->size[0]);
	s->limit = a->limit ? (double)a->limit : 10 * s->size[s->n - 1];
	if (s->limit <= s->size[s->n - 1])
		return cli_usage(&weft_command_scale, "option '--limit': more than the %.0f threads of the largest run",
		                 s->size[s->n - 1]);
	const struct scale_curves_how curves = {.model = model, .sigma = sigma, .bounded = !a->unbounded, .limit = s->limit};
	int rc = scale_curves_find(&s->curves, f, s->n, &curves);
	return rc ? cli_fail_text("the factors are not known well enough for curves") : CLI_OK;
}

static int scale_run(int argc, char **argv)
{
	struct args a = {.top = 15};
	static struct scale s;
	unsigned scaling = 0, model = 0, sigma = 0, table = 0;
	int n;
	if (!cli_parse(&weft_command_scale, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_scale, argv, n, 2, RUNS_MOST))
		return CLI_USAGE;
	int status = find_word("option '--scaling': unknown", a.scaling, weft_scaling_names, 3, &scaling);
	status = status ? status : find_word("option '--model': unknown", a.model, weft_fit_model_names, WEFT_FIT_MODELS, &model);
	status = status ? status : find_word("option '--sigma': unknown", a.sigma, weft_fit_sigma_names, 3, &sigma);
	status = status ? status : find_word("option '--table': unknown", a.table, table_names, TABLES, &table);
	if (!status && a.output)
		status = cli_check_ending(&weft_command_scale, a.output, ".gp .svg .png", NULL);
	if (!status && a.output && strcmp(a.output, "-") != 0 && !a.force && access(a.output, F_OK) == 0)
		status = cli_usage(&weft_command_scale, "'%s' is there already (--force replaces it)", a.output);
	if (status)
		return status;
	s = (struct scale){.args = &a, .n = (uint32_t)n, .scaling = (enum weft_scaling)scaling};
	status = scale_of(&s, argv + 1, (enum weft_fit_model)model, (enum weft_fit_sigma)sigma);
	if (!status)
		status = a.output ? write_curves(&s) : print_scale(&s, table);
	factor_runs_fini(s.run, s.n);
	return status;
}

const struct weft_command weft_command_scale = {
	.name = "scale",
	.operands = "RUN RUN...",
	.summary = "runs of several sizes: speed-up, serial part, what will hurt at more processes",
	.about = "Compares runs of one program with different numbers of processes or threads:\n"
		 "speed-up, efficiency, the serial part by Amdahl and Gustafson with its interval;\n"
		 "curves through the factors of efficiency, and what they give at more threads; and\n"
		 "for each region how its time a thread grows, chosen among powers and logarithms\n"
		 "by what predicts runs that were left out: which region will take the time at ten\n"
		 "times the size. It is an extrapolation: 'error left out' says how well such a\n"
		 "curve foretells the runs that there are.\n"
		 "\n"
		 "Examples:\n"
		 "    weft scale run2.weft run4.weft run8.weft\n"
		 "    weft scale run*.prv --model term --limit 1024\n"
		 "    weft scale run*.prv -o modelfactors.gp",
	.options = options,
	.run = scale_run,
};
