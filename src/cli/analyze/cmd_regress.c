/* SPDX-License-Identifier: Apache-2.0 */
/* `weft regress`: several runs before and after a change: which regions are slower by more than chance explains. */
#include "analyze/regress/regress.h"
#include "base/visible.h"
#include "factor_run.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	struct weft_opt_list base;
	const char *time, *output, *correct;
	double level, threshold, share;
	bool force, every, markdown;
	uint64_t top;
};

static const struct weft_opt options[] = {
	{'b', "base", "RUN", WEFT_OPT_LIST, offsetof(struct args, base), "one more run from before; may be repeated"},
	{0, "threshold", "PERCENT", WEFT_OPT_DOUBLE, offsetof(struct args, threshold),
         "a change of less than PERCENT is none (default: 1)"},
	{0, "level", "P", WEFT_OPT_DOUBLE, offsetof(struct args, level),
         "how likely a false alarm may be, over all figures together (default: 0.05)"},
	{0, "correct", "HOW", WEFT_OPT_STRING, offsetof(struct args, correct),
         "what the level is of: any (the chance of a single false alarm, Holm) or share (of false ones among the alarms; default: any)"},
	{0, "share", "PERCENT", WEFT_OPT_DOUBLE, offsetof(struct args, share),
         "leave out regions that never take PERCENT of the run (default: 0.1)"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "from A up to B of each run only"},
	{'a', "all", NULL, WEFT_OPT_FLAG, offsetof(struct args, every), "also what is the same"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top), "the N greatest changes only"},
	{0, "markdown", NULL, WEFT_OPT_FLAG, offsetof(struct args, markdown), "print Markdown, for a pull request"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "write the Markdown to OUT, an .md file, too"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

enum { COLUMNS = 9 };

struct side {                  /* runs before, or after */
	WEFT_VEC(char *) path; /* owned */
	WEFT_VEC(struct factor_run) run;
};
struct regression {
	const struct args *args;
	struct side side[2];
	const char **name;
	uint32_t n;    /* figures: the whole run, then regions */
	double *value; /* [figure * runs + run], runs before first */
	struct weft_regress_figure *figure;
	struct weft_regress_result *result;
};

/* ---- which runs ---- */

static bool is_trace_name(const char *name)
{
	static const char *const ends[] = {".weft", ".prv", ".prv.gz", ".prv.zst", ".paje", ".trace"};
	const size_t n = strlen(name);
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		if (n > strlen(ends[i]) && !strcmp(name + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static int push_path(struct side *s, char *path)
{
	if (path && !weft_vec_push(&s->path, path))
		return CLI_OK;
	free(path);
	return cli_fail_code(-ENOMEM);
}

static int add_folder(struct side *s, const char *folder)
{
	char **file;
	struct weft_err err = {0};
	const size_t before = s->path.n;
	int n = weft_list_dir(folder, &file, &err), status = CLI_OK;
	if (n < 0)
		return cli_fail(&err);
	for (int i = 0; i < n && !status; i++) {
		char *path = NULL;
		if (is_trace_name(file[i]))
			status = asprintf(&path, "%s/%s", folder, file[i]) < 0 ? cli_fail_code(-ENOMEM) : push_path(s, path);
	}
	weft_list_free(file, n);
	if (!status && s->path.n == before)
		return cli_fail_text("the folder '%s' has no traces", folder);
	return status;
}

/* A trace, or a folder of traces. */
static int add_runs(struct side *s, const char *path)
{
	struct stat st;
	const size_t n = strlen(path);
	if (!stat(path, &st) && S_ISDIR(st.st_mode) && !is_trace_name(n && path[n - 1] == '/' ? "" : path)) {
		char stream[4096];
		snprintf(stream, sizeof stream, "%s/index", path);
		if (access(stream, F_OK) != 0)
			return add_folder(s, path);
	}
	return push_path(s, strdup(path));
}

static int open_side(struct side *s, const struct factor_run_how *how)
{
	int status = CLI_OK;
	for (size_t i = 0; i < s->path.n && !status; i++) {
		struct factor_run run;
		status = factor_run_open(&run, s->path.at[i], how);
		if (weft_vec_push(&s->run, run)) {
			factor_run_fini(&run);
			return cli_fail_code(-ENOMEM);
		}
	}
	return status;
}

static void close_side(struct side *s)
{
	for (size_t i = 0; i < s->run.n; i++)
		factor_run_fini(&s->run.at[i]);
	for (size_t i = 0; i < s->path.n; i++)
		free(s->path.at[i]);
	free(s->run.at);
	free(s->path.at);
}

/* ---- figures ---- */

static const struct factor_run *run_at(const struct regression *r, size_t i)
{
	return i < r->side[0].run.n ? &r->side[0].run.at[i] : &r->side[1].run.at[i - r->side[0].run.n];
}

static size_t n_runs(const struct regression *r)
{
	return r->side[0].run.n + r->side[1].run.n;
}

/* Whether the region ever takes its share of a run. */
static bool is_worth(const struct regression *r, const char *name)
{
	for (size_t i = 0; i < n_runs(r); i++) {
		const struct factor_run *run = run_at(r, i);
		const struct region_time *t = region_times_find(&run->regions, name);
		if (t && t->self_ns / run->f[0].n_threads >= r->args->share / 100 * run->f[0].runtime)
			return true;
	}
	return false;
}

static int find_names(struct regression *r)
{
	const struct region_times **all = malloc((n_runs(r) + 1) * sizeof *all);
	uint32_t n = 0, kept = 1;
	for (size_t i = 0; all && i < n_runs(r); i++)
		all[i] = &run_at(r, i)->regions;
	const char **name = all ? region_times_names(all, (uint32_t)n_runs(r), &n) : NULL;
	r->name = name ? malloc(((size_t)n + 1) * sizeof *r->name) : NULL;
	if (r->name) {
		r->name[0] = "(whole run)";
		for (uint32_t i = 0; i < n; i++)
			if (is_worth(r, name[i]))
				r->name[kept++] = name[i];
	}
	r->n = kept;
	free(name);
	free(all);
	return r->name ? 0 : -ENOMEM;
}

/* In ns a thread; a region that a run has not is 0 there, and none of that side's where no run has it. */
static void fill_figure(struct regression *r, uint32_t i)
{
	const size_t runs = n_runs(r), n_base = r->side[0].run.n;
	double *v = r->value + i * runs;
	bool there[2] = {i == 0, i == 0};
	for (size_t k = 0; k < runs; k++) {
		const struct factor_run *run = run_at(r, k);
		const struct region_time *t = i ? region_times_find(&run->regions, r->name[i]) : NULL;
		v[k] = i == 0 ? run->f[0].runtime : t ? t->self_ns / run->f[0].n_threads : 0;
		there[k >= n_base] = there[k >= n_base] || t;
	}
	r->figure[i] = (struct weft_regress_figure){v, v + n_base, there[0] ? (uint32_t)n_base : 0,
	                                            there[1] ? (uint32_t)(runs - n_base) : 0};
}

static int find_figures(struct regression *r)
{
	int rc = find_names(r);
	r->value = rc ? NULL : malloc(r->n * n_runs(r) * sizeof *r->value);
	r->figure = rc ? NULL : calloc(r->n, sizeof *r->figure);
	r->result = rc ? NULL : calloc(r->n, sizeof *r->result);
	if (!r->value || !r->figure || !r->result)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n; i++)
		fill_figure(r, i);
	const struct weft_regress_how how = {.level = r->args->level,
	                                     .least = r->args->threshold / 100,
	                                     .smallest = r->args->share / 1000 * r->figure[0].base[0],
	                                     .by_share = r->args->correct && !strcmp(r->args->correct, "share"),
	                                     .threads = (unsigned)r->args->common.threads};
	return weft_regress_compute(r->result, r->figure, r->n, &how);
}

/* ---- output ---- */

struct line {
	double weight;
	uint32_t at;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* The whole run first, then by how much time was won or lost. */
static struct line *sort_lines(const struct regression *r, uint32_t *n)
{
	struct line *l = malloc(((size_t)r->n + 1) * sizeof *l);
	*n = 0;
	for (uint32_t i = 0; l && i < r->n; i++) {
		const struct weft_regress_result *x = &r->result[i];
		const double base = isnan(x->base) ? 0 : x->base, now = isnan(x->now) ? 0 : x->now;
		if (i == 0 || r->args->every || x->verdict != WEFT_VERDICT_SAME)
			l[(*n)++] = (struct line){i ? fabs(now - base) : INFINITY, i};
	}
	if (l)
		qsort(l, *n, sizeof *l, compare_lines);
	if (l && r->args->top && *n > r->args->top + 1)
		*n = (uint32_t)r->args->top + 1;
	return l;
}

static struct weft_cell ns_cell(double ns)
{
	return isnan(ns) ? (struct weft_cell){.kind = WEFT_CELL_NONE}
	                 : (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)llround(ns)}};
}

static int print_table(const struct regression *r, const struct line *l, uint32_t n)
{
	static const struct weft_column column[COLUMNS] = {{"region", "region", WEFT_CELL_TEXT},
	                                                   {"base_ns", "before", WEFT_CELL_NS},
	                                                   {"now_ns", "after", WEFT_CELL_NS},
	                                                   {"change_percent", "change", WEFT_CELL_PERCENT},
	                                                   {"low_percent", "at least", WEFT_CELL_PERCENT},
	                                                   {"high_percent", "at most", WEFT_CELL_PERCENT},
	                                                   {"effect", "effect", WEFT_CELL_DOUBLE},
	                                                   {"p", "p (all)", WEFT_CELL_DOUBLE},
	                                                   {"verdict", "verdict", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, COLUMNS);
	for (uint32_t i = 0; i < n && !rc; i++) {
		const struct weft_regress_result *x = &r->result[l[i].at];
		const struct weft_cell cell[COLUMNS] = {{WEFT_CELL_TEXT, {.text = r->name[l[i].at]}},
		                                        ns_cell(x->base),
		                                        ns_cell(x->now),
		                                        {WEFT_CELL_PERCENT, {.f64 = 100 * x->change}},
		                                        {WEFT_CELL_PERCENT, {.f64 = 100 * x->low}},
		                                        {WEFT_CELL_PERCENT, {.f64 = 100 * x->high}},
		                                        {WEFT_CELL_DOUBLE, {.f64 = x->effect}},
		                                        {WEFT_CELL_DOUBLE, {.f64 = x->corrected}},
		                                        {WEFT_CELL_TEXT, {.text = weft_verdict_names[x->verdict]}}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &r->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static void put_name(struct weft_buf *b, const char *name)
{
	for (const char *z = name; *z; z++) {
		if (strchr("\\`*_{}[]<>()#+-.!|", *z))
			weft_buf_putc(b, '\\');
		weft_buf_putc(b, *z == '\n' ? ' ' : *z);
	}
}

static void put_ns(struct weft_buf *b, double ns)
{
	char text[32];
	weft_buf_printf(b, " %s |", isnan(ns) ? "-" : weft_human_ns(text, (uint64_t)llround(ns)));
}

static unsigned count_verdict(const struct regression *r, enum weft_verdict v)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		n += r->result[i].verdict == v;
	return n;
}

static void make_markdown(const struct regression *r, const struct line *l, uint32_t n, struct weft_buf *b)
{
	const struct weft_regress_result *whole = &r->result[0];
	const unsigned slower = count_verdict(r, WEFT_VERDICT_SLOWER) - (whole->verdict == WEFT_VERDICT_SLOWER),
		       faster = count_verdict(r, WEFT_VERDICT_FASTER) - (whole->verdict == WEFT_VERDICT_FASTER);
	weft_buf_printf(b, "**%s**: %+.1f %% (regions slower: %u, faster: %u; runs before: %zu, after: %zu)\n\n",
	                whole->verdict == WEFT_VERDICT_SAME ? "No change of the whole run"
	                : whole->change > 0                 ? "Slower"
	                                                    : "Faster",
	                100 * whole->change, slower, faster, r->side[0].run.n, r->side[1].run.n);
	weft_buf_puts(b,
	              "| region | before | after | change | 95 % of cases | p | verdict |\n|---|---:|---:|---:|---:|---:|---|\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct weft_regress_result *x = &r->result[l[i].at];
		weft_buf_puts(b, "| ");
		put_name(b, r->name[l[i].at]);
		weft_buf_puts(b, " |");
		put_ns(b, x->base);
		put_ns(b, x->now);
		weft_buf_printf(b, isnan(x->change) ? " - |" : " %+.1f %% |", 100 * x->change);
		weft_buf_printf(b, isnan(x->low) ? " - |" : " %+.1f … %+.1f |", 100 * x->low, 100 * x->high);
		weft_buf_printf(b, isnan(x->corrected) ? " - |" : " %.2g |", x->corrected);
		weft_buf_printf(b, " %s |\n", weft_verdict_names[x->verdict]);
	}
}

static int write_markdown(const struct regression *r, const struct weft_buf *text)
{
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, r->args->output, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

/* 1 where something is slower: for scripts. */
static int print_all(const struct regression *r)
{
	struct weft_buf text = {0};
	uint32_t n;
	struct line *l = sort_lines(r, &n);
	int status = l ? CLI_OK : cli_fail_code(-ENOMEM);
	if (!status && (r->args->markdown || r->args->output)) {
		make_markdown(r, l, n, &text);
		status = text.failed ? cli_fail_code(-ENOMEM) : CLI_OK;
	}
	if (!status && r->args->output)
		status = write_markdown(r, &text);
	if (!status && r->args->markdown)
		fputs(text.at, stdout);
	else if (!status)
		status = print_table(r, l, n);
	weft_buf_fini(&text);
	free(l);
	status = cli_finish(status);
	return status ? status : count_verdict(r, WEFT_VERDICT_SLOWER) ? CLI_NO : CLI_OK;
}

/* ---- the command ---- */

static int check_args(const struct args *a)
{
	if (a->correct && strcmp(a->correct, "any") != 0 && strcmp(a->correct, "share") != 0)
		return cli_unknown(&weft_command_regress, "option '--correct': unknown", a->correct,
		                   (const char *const[]){"any", "share"}, 2);
	if (!(a->level > 0 && a->level < 1))
		return cli_usage(&weft_command_regress, "option '--level': between 0 and 1");
	if (!(a->threshold >= 0) || !(a->share >= 0))
		return cli_usage(&weft_command_regress, "options '--threshold' and '--share': 0 or more");
	if (!a->output)
		return CLI_OK;
	int status = cli_check_ending(&weft_command_regress, a->output, ".md", NULL);
	if (!status && !a->force && access(a->output, F_OK) == 0)
		status = cli_usage(&weft_command_regress, "'%s' is there already (--force replaces it)", a->output);
	return status;
}

static int regress_of(struct regression *r, char **path, int n)
{
	const struct factor_run_how how = {.common = &r->args->common, .time = r->args->time, .regions = true};
	int status = add_runs(&r->side[0], path[0]);
	for (unsigned i = 0; i < r->args->base.n && !status; i++)
		status = add_runs(&r->side[0], r->args->base.at[i]);
	for (int i = 1; i < n && !status; i++)
		status = add_runs(&r->side[1], path[i]);
	for (unsigned i = 0; i < 2 && !status; i++)
		status = open_side(&r->side[i], &how);
	if (status)
		return status;
	int rc = find_figures(r);
	return rc ? cli_fail_code(rc) : print_all(r);
}

static int regress_run(int argc, char **argv)
{
	struct args a = {.level = 0.05, .threshold = 1, .share = 0.1};
	struct regression r = {.args = &a};
	int n;
	if (!cli_parse(&weft_command_regress, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_regress, argv, n, 2, -1))
		return CLI_USAGE;
	int status = check_args(&a);
	if (!status)
		status = regress_of(&r, argv + 1, n);
	free(r.name);
	free(r.value);
	free(r.figure);
	free(r.result);
	close_side(&r.side[0]);
	close_side(&r.side[1]);
	return status;
}

const struct weft_command weft_command_regress = {
	.name = "regress",
	.operands = "BASE NEW...",
	.summary = "is it slower than it was: several runs before and after, region by region",
	.about = "Compares runs from before a change with runs from after it: the whole run, and each\n"
		 "region's time a thread (states, where a trace has no regions). BASE and NEW are\n"
		 "traces, or folders of traces; more from before with -b. For each figure: the change,\n"
		 "the interval that holds it in 95 of 100 cases, the effect (in units of the runs' own\n"
		 "spread), and how likely chance makes as much of a change, corrected for the number\n"
		 "of figures. Five runs on each side find changes of some per cent; with one run a side\n"
		 "nothing is known of chance, and only --threshold decides. Exit status 1 when something\n"
		 "is slower.\n"
		 "\n"
		 "Examples:\n"
		 "    weft regress before/ after/\n"
		 "    weft regress a1.weft -b a2.weft -b a3.weft b1.weft b2.weft b3.weft\n"
		 "    weft regress before/ after/ --threshold 3 --markdown",
	.options = options,
	.run = regress_run,
};
