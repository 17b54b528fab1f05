/* SPDX-License-Identifier: Apache-2.0 */
/* `weft fold`: what happens within one instance of a region. */
#include "fold_run.h"
#include "base/log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *region, *type, *time, *symbols, *output, *cube, *picture, *lines, *method, *counters, *trace, *source, *list;
	struct weft_opt_list models;
	uint64_t cluster, samples, steps, group;
	double sigma, nugget;
	bool use_mean, split;
};
enum { STEPS = 1000, COUNTERS_MOST = 64 };

static const struct weft_opt options[] = {
	{0, "region", "NAME", WEFT_OPT_STRING, offsetof(struct args, region),
         "fold this region, of a .prv a user function (default: what takes most time)"},
	{0, "type", "TYPE", WEFT_OPT_STRING, offsetof(struct args, type), "events of this type begin and end regions, in a .prv"},
	{0, "list", "CSV", WEFT_OPT_STRING, offsetof(struct args, list),
         "fold the intervals that Paraver saved of a timeline, of the value that --region says (default: that with most time)"},
	{0, "cluster", "N", WEFT_OPT_U64, offsetof(struct args, cluster), "fold cluster N, of a trace that weft cluster wrote"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "instances that lie between A and B only"},
	CLI_FILTER_OPTION,
	{0, "counters", "NAMES", WEFT_OPT_STRING, offsetof(struct args, counters),
         "these only, with commas between (default: all)"},
	{0, "sigma", "TIMES", WEFT_OPT_DOUBLE, offsetof(struct args, sigma),
         "leave out instances that last longer or shorter than the median by TIMES (default: 1.5) median deviations"},
	{0, "use-mean", NULL, WEFT_OPT_FLAG, offsetof(struct args, use_mean), "by mean and standard deviation instead"},
	{0, "split-instances", NULL, WEFT_OPT_FLAG, offsetof(struct args, split),
         "divide instances into groups by how long they last; the one with most time is folded"},
	{0, "group", "N", WEFT_OPT_U64, offsetof(struct args, group), "fold group N of --split-instances instead"},
	{0, "method", "METHOD", WEFT_OPT_STRING, offsetof(struct args, method),
         "monotone (default: ascending, with a confidence band) or kriging (as BSC's Folding)"},
	{0, "nugget", "V", WEFT_OPT_DOUBLE, offsetof(struct args, nugget), "of kriging (default: 0.0001)"},
	{0, "samples", "N", WEFT_OPT_U64, offsetof(struct args, samples),
         "use N samples of a counter, spread evenly (default: all; kriging: 1500)"},
	{0, "steps", "N", WEFT_OPT_U64, offsetof(struct args, steps), "points of a curve (default: 1000)"},
	{0, "model", "XML", WEFT_OPT_LIST, offsetof(struct args, models), "also what this counter model says (may be repeated)"},
	{'o', "output", "PREFIX", WEFT_OPT_STRING, offsetof(struct args, output),
         "write PREFIX.interpolate.csv, .slope.csv, .dump.csv, .groups.csv, .stats"},
	{0, "trace", "FILE", WEFT_OPT_STRING, offsetof(struct args, trace),
         "write one instance with the samples of all as a trace, .prv or .weft"},
	{0, "cube", "FILE", WEFT_OPT_STRING, offsetof(struct args, cube), "write phases and calls for CUBE"},
	{0, "lines", "FILE", WEFT_OPT_STRING, offsetof(struct args, lines),
         "write the lines of the source with their rates: .csv, .txt (for an editor), .html (with the source)"},
	{0, "source", "DIR", WEFT_OPT_STRING, offsetof(struct args, source),
         "for --lines FILE.html: the folder below which the sources lie (default: the current one)"},
	{0, "picture", "FILE", WEFT_OPT_STRING, offsetof(struct args, picture), "draw the rates, .svg .png .eps .pdf"},
	{0, "symbols", "DIR", WEFT_OPT_STRING, offsetof(struct args, symbols),
         "look for executables and libraries below DIR first, by the paths that they had"},
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- tables ---- */

static int print_phases(const struct fold_run *r)
{
	enum { FIXED = 3 };
	static const struct weft_column fixed[FIXED] = {{"phase", "phase", WEFT_CELL_U64},
	                                                {"begin_ns", "begin", WEFT_CELL_NS},
	                                                {"duration_ns", "duration", WEFT_CELL_NS}};
	struct weft_column column[FIXED + 1 + COUNTERS_MOST];
	char key[COUNTERS_MOST + 1][80];
	unsigned of[COUNTERS_MOST], n = 0;
	bool ipc = r->instructions >= 0 && r->cycles >= 0;
	memcpy(column, fixed, sizeof fixed);
	for (unsigned c = 0; c < r->fold.n_counters && n < COUNTERS_MOST; c++)
		if (!r->curve[c].none) {
			snprintf(key[n], sizeof key[n], "%s/us", r->curve[c].name);
			column[FIXED + n] = (struct weft_column){key[n], key[n], WEFT_CELL_DOUBLE};
			of[n++] = c;
		}
	if (ipc)
		column[FIXED + n] = (struct weft_column){"ipc", "IPC", WEFT_CELL_DOUBLE};
	struct weft_table t;
	weft_table_init(&t, column, FIXED + n + ipc);
	double from = 0, whole = r->fold.stats.used_middle;
	int rc = 0;
	for (unsigned k = 0; k <= r->n_knees && !rc; k++) {
		struct weft_cell cell[FIXED + 1 + COUNTERS_MOST];
		double to = k < r->n_knees ? r->knee[k] : 1;
		cell[0] = (struct weft_cell){WEFT_CELL_U64, {.u64 = k + 1}};
		cell[1] = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)(from * whole)}};
		cell[2] = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)((to - from) * whole)}};
		for (unsigned c = 0; c < n; c++)
			cell[FIXED + c] = (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = fold_rate_between(r, of[c], from, to)}};
		if (ipc)
			cell[FIXED + n] = (struct weft_cell){WEFT_CELL_DOUBLE,
			                                     {.f64 = fold_rate_between(r, (unsigned)r->instructions, from, to) /
			                                             fold_rate_between(r, (unsigned)r->cycles, from, to)}};
		rc = weft_table_row(&t, cell);
		from = to;
	}
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, r->common);
}

static void print_calls(const struct fold_run *r)
{
	char file[256];
	if (!r->n_calls)
		return;
	printf("\nWhat ran, of one instance:\n");
	for (size_t i = 0; i < r->n_calls; i++) {
		const struct weft_fold_call *c = &r->call[i];
		unsigned line = fold_line_place(r, c->line, file, sizeof file);
		printf("%6.1f..%5.1f %%  %*s%s", 100 * c->from, 100 * c->to, 2 * (int)c->depth, "",
		       fold_function_name(r, c->function));
		const char *slash = strrchr(file, '/');
		if (line)
			printf("  %s:%u", slash ? slash + 1 : file, line);
		putchar('\n');
	}
}

static void print_models(const struct fold_run *r)
{
	for (unsigned m = 0; m < r->n_models; m++) {
		printf("\n%s:", r->model[m].title);
		for (unsigned k = 0; k < r->model[m].n_components; k++) {
			double sum = 0;
			for (unsigned i = 1; i < r->how->steps; i++)
				sum += fold_model_value(r, &r->model[m].component[k], i);
			if (r->model[m].component[k].hidden)
				continue;
			if (isfinite(sum))
				printf(" %s %.4g;", r->model[m].component[k].title, sum / (r->how->steps - 1));
			else
				printf(" %s: a counter of it is missing;", r->model[m].component[k].title);
		}
		printf(" means over an instance\n");
	}
}

static void print_summary(const struct fold_run *r)
{
	const struct weft_fold_stats *s = &r->fold.stats;
	char a[32], b[32], c[32];
	printf("\n%s: %zu instances, %s %s ± %s", r->region, s->n, r->how->rule.use_mean ? "mean" : "median",
	       weft_human_ns(a, (uint64_t)s->middle), weft_human_ns(b, (uint64_t)s->spread));
	printf("; %zu within %g times that are folded, %s long; %zu samples.\n", s->used, r->how->rule.times,
	       weft_human_ns(c, (uint64_t)s->used_middle), s->samples);
	for (uint32_t g = 0; g < r->n_groups; g++)
		printf("%s %u: %zu instances, %s each%s", g ? ";" : "Groups by duration:", g + 1, r->group[g].n,
		       weft_human_ns(a, (uint64_t)(r->group[g].total_ns / (double)r->group[g].n)),
		       g + 1 == r->how->group ? ", folded" : "");
	if (r->n_groups)
		printf(".\n");
	for (unsigned k = 0; k < r->fold.n_counters; k++) {
		const struct fold_curve *x = &r->curve[k];
		if (x->none)
			continue;
		double widest = 0;
		for (unsigned i = 0; x->low && i < r->how->steps; i++)
			widest = fmax(widest, (x->high[i] - x->low[i]) / 2);
		printf("%s: %zu samples of %zu instances, %.4g each", x->name, x->n_chosen, r->fold.counter[k].n_counted,
		       r->fold.counter[k].mean_total);
		if (x->low)
			printf(", ± %.2f %% of it", 100 * widest);
		putchar('\n');
	}
	print_calls(r);
	print_models(r);
}

/* ---- the command ---- */

static int read_method(const struct args *a, struct fold_how *how)
{
	static const char *const names[] = {"monotone", "kriging"};
	how->kriging = a->method && !strcmp(a->method, "kriging");
	if (a->method && !how->kriging && strcmp(a->method, names[0]) != 0)
		return cli_unknown(&weft_command_fold, "option '--method': unknown", a->method, names, 2);
	return CLI_OK;
}

static int check(const struct args *a, struct fold_how *how)
{
	int status = read_method(a, how);
	if (!status && (!!a->region + !!a->cluster > 1 || (a->type && a->cluster)))
		return cli_usage(&weft_command_fold, "say what to fold once, with --region or with --cluster");
	if (!status && a->list && (a->type || a->cluster))
		return cli_usage(&weft_command_fold, "options '--list' and '--%s' do not go together",
		                 a->type ? "type" : "cluster");
	if (!status && (!(a->sigma > 0) || !isfinite(a->sigma)))
		return cli_usage(&weft_command_fold, "option '--sigma': expected a positive number");
	if (!status && (!(a->nugget >= 0) || !isfinite(a->nugget)))
		return cli_usage(&weft_command_fold, "option '--nugget': expected 0 or more");
	if (!status && (a->steps < 10 || a->steps > 1000000))
		return cli_usage(&weft_command_fold, "option '--steps': expected 10 to 1000000");
	if (!status && a->trace)
		status = cli_check_ending(&weft_command_fold, a->trace, ".prv .weft", NULL);
	if (!status && a->group != 1 && !a->split)
		return cli_usage(&weft_command_fold, "option '--group' needs --split-instances");
	if (!status && !a->group)
		return cli_usage(&weft_command_fold, "option '--group': expected 1 or more");
	if (!status && a->picture)
		status = cli_check_ending(&weft_command_fold, a->picture, ".svg .png .eps .pdf", NULL);
	if (!status && a->cube)
		status = cli_check_ending(&weft_command_fold, a->cube, ".cube", NULL);
	return status;
}

static int write_files(const struct args *a, const struct fold_run *r)
{
	int status = a->output ? fold_write_csv(r, a->output) : CLI_OK;
	if (!status && a->trace)
		status = fold_write_trace(r, a->trace);
	if (!status && a->cube)
		status = fold_write_cube(r, a->cube);
	if (!status && a->lines)
		status = fold_write_lines(r, a->lines, a->source);
	if (!status && a->picture)
		status = fold_write_picture(r, a->picture);
	return status;
}

static int fold(const struct args *a, struct fold_how *how)
{
	const char *name[COUNTERS_MOST];
	char text[4096];
	struct weft_str rest = weft_str(a->counters), part;
	size_t used = 0;
	while (weft_str_cut(&rest, ',', &part)) {
		if (how->n_counters == COUNTERS_MOST || used + part.n + 1 > sizeof text)
			return cli_usage(&weft_command_fold, "option '--counters': at most %d", COUNTERS_MOST);
		name[how->n_counters++] = text + used;
		memcpy(text + used, part.at, part.n);
		text[used + part.n] = '\0';
		used += part.n + 1;
	}
	how->counter = how->n_counters ? name : NULL;
	struct fold_run r;
	int status = fold_run(&r, &a->common, how);
	bool any = r.n_calls > 0 || r.fold.n_stacks > 0;
	for (unsigned c = 0; !status && c < r.fold.n_counters; c++)
		any |= !r.curve[c].none;
	if (!status && !any)
		status = cli_fail_text("'%s': there are no samples in the %zu instances of '%s' that could be folded", how->path,
		                       r.fold.stats.n, r.region);
	status = status ? status : write_files(a, &r);
	status = status ? status : print_phases(&r);
	if (!status && !a->common.json && !a->common.csv)
		print_summary(&r);
	fold_run_fini(&r);
	return status;
}

static int run_fold(int argc, char **argv)
{
	struct args a = {.group = 1, .sigma = 1.5, .nugget = 1e-4, .steps = STEPS};
	struct fold_how how = {.path = NULL};
	int n;
	if (!cli_parse(&weft_command_fold, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_fold, argv, n, 1, 1))
		return CLI_USAGE;
	int status = check(&a, &how);
	if (status || (status = cli_check_input(argv[1])))
		return status;
	how.path = argv[1];
	how.region = a.region;
	how.type = a.type;
	how.list = a.list;
	how.time = a.time;
	how.symbols = a.symbols;
	how.cluster = a.cluster;
	how.split = a.split;
	how.group = a.group;
	how.rule = (struct weft_fold_rule){a.sigma, a.use_mean};
	how.nugget = a.nugget;
	how.samples = a.samples;
	how.steps = (unsigned)a.steps;
	how.models = &a.models;
	how.own_threads = a.common.own_threads;
	return fold(&a, &how);
}

const struct weft_command weft_command_fold = {
	.name = "fold",
	.operands = "TRACE",
	.summary = "what happens within one instance of a region",
	.about = "Puts the samples of all instances of a region over each other: each instance has\n"
		 "few, together they say how fast every counter counts from its begin to its end,\n"
		 "which functions run when, and where its phases part. Instances that last unusually\n"
		 "long or short are left out. Samples come from weft record --on samples with\n"
		 "--counters, or from a .prv that has such. weft-structure(7) explains how it is done.\n"
		 "\n"
		 "Examples:\n"
		 "    weft fold run.weft --region solve --picture solve.svg\n"
		 "    weft fold run.prv --region main --method kriging -o run.main\n"
		 "    weft fold run.weft --region solve --split-instances --group 1 --trace folded.prv\n"
		 "    weft fold run.clustered.prv --cluster 1 --model cpi.xml --cube run.cube",
	.options = options,
	.run = run_fold,
};
