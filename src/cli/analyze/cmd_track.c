/* SPDX-License-Identifier: Apache-2.0 */
/* `weft track`: what became of each kind of computation from run to run. */
#include "track_run.h"
#include "base/log.h"
#include "base/map.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *control, *by, *of, *output, *traces, *picture, *callers, *method;
	uint64_t min_points, least_ns;
	double eps, threshold, distance, min_time;
	bool force, links, anew;
};

static const struct weft_opt options[] = {
	{0, "by", "METRICS", WEFT_OPT_STRING, offsetof(struct args, by), "cluster by these, as weft cluster does"},
	{0, "control", "XML", WEFT_OPT_STRING, offsetof(struct args, control), "cluster as a control file of BSC's suite says"},
	{0, "of", "BURSTS", WEFT_OPT_STRING, offsetof(struct args, of),
         "what a burst is: states (Running), compute, regions (those of -f), type=NAME, csv=FILE"},
	{0, "least-duration", "TIME", WEFT_OPT_NS, offsetof(struct args, least_ns), "leave out shorter bursts"},
	CLI_FILTER_OPTION,
	{0, "method", "METHOD", WEFT_OPT_STRING, offsetof(struct args, method), "dbscan (default), hdbscan, aggregate or divide"},
	{0, "eps", "EPS", WEFT_OPT_DOUBLE, offsetof(struct args, eps), "of dbscan, in all runs (default: each run's own)"},
	{0, "min-points", "N", WEFT_OPT_U64, offsetof(struct args, min_points),
         "points in a neighbourhood that make a cluster (default: 10)"},
	{0, "anew", NULL, WEFT_OPT_FLAG, offsetof(struct args, anew), "cluster runs that weft cluster has written, too"},
	{0, "callers", "TYPE", WEFT_OPT_STRING, offsetof(struct args, callers),
         "a type of a .prv whose value at the end of a burst says who called, as 70000001"},
	{0, "threshold", "PERCENT", WEFT_OPT_DOUBLE, offsetof(struct args, threshold),
         "a link is what at least PERCENT of a cluster's bursts say (default: 15)"},
	{0, "max-distance", "D", WEFT_OPT_DOUBLE, offsetof(struct args, distance),
         "bursts of two runs that are farther apart are not alike (default: 1)"},
	{0, "min-time", "PERCENT", WEFT_OPT_DOUBLE, offsetof(struct args, min_time),
         "leave out clusters of less time (default: 0)"},
	{0, "links", NULL, WEFT_OPT_FLAG, offsetof(struct args, links), "print what speaks for each link instead of the trends"},
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct args, output),
         "write which clusters each object is, run by run"},
	{0, "traces", "PREFIX", WEFT_OPT_STRING, offsetof(struct args, traces),
         "write each run with its bursts' objects, PREFIX.N.tracked.prv or .weft"},
	{0, "picture", "FILE", WEFT_OPT_STRING, offsetof(struct args, picture),
         "draw how objects move, an .svg that is animated, or .png .eps .pdf"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace traces that are there"},
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- runs ---- */

const char *track_run_name(const struct track_runs *t, uint32_t run)
{
	const char *path = t->how[run].path, *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

struct track_cell track_cell_of(const struct track_runs *t, uint32_t run, uint32_t object)
{
	const struct cluster_run *r = &t->run[run];
	struct track_cell cell = {0};
	for (uint32_t c = 1; c <= r->n_clusters; c++)
		if (t->tracks.object[run][c] == object) {
			cell.bursts += r->cluster[c].bursts;
			cell.total_ns += r->cluster[c].total_ns;
			cell.share += r->cluster[c].share;
			cell.clusters++;
		}
	return cell;
}

double track_mean(const struct track_runs *t, uint32_t run, uint32_t object, unsigned value)
{
	const struct cluster_run *r = &t->run[run];
	double sum = 0, n = 0;
	for (uint32_t c = 1; c <= r->n_clusters; c++)
		if (t->tracks.object[run][c] == object) {
			sum += r->mean[c * (size_t)cluster_n_values(r) + value] * (double)r->cluster[c].bursts;
			n += (double)r->cluster[c].bursts;
		}
	return n > 0 ? sum / n : NAN;
}

/* Who called, by name, so that it is the same in all runs: the region of a burst, or the label of a type's value. */
static uint64_t *callers_of(const struct cluster_run *r, const char *type)
{
	uint32_t id = type ? weft_counters_type(r->trace, type) : 0;
	uint64_t *caller = malloc((r->points.n + 1) * sizeof *caller);
	for (size_t i = 0; caller && i < r->points.n; i++) {
		uint32_t b = r->points.burst[i], region = r->bursts.region[b];
		const char *name = region ? r->trace->def[WEFT_CLASS_REGION].at[region].name : NULL;
		if (id)
			name = r->bursts.value[b] ? weft_value_label(&r->trace->def[WEFT_CLASS_TYPE].at[id], r->bursts.value[b])
			                          : NULL;
		caller[i] = name ? weft_hash(name, strlen(name)) | 1 : id ? (uint64_t)r->bursts.value[b] : 0;
	}
	return caller;
}

static int track_runs(struct track_runs *t, const struct args *a)
{
	struct weft_track_how how = {.threshold = a->threshold / 100,
	                             .max_distance = a->distance,
	                             .together = 0.9,
	                             .least_share = a->min_time / 100,
	                             .threads = (unsigned)a->common.threads};
	struct weft_track_run *run = calloc(t->n, sizeof *run);
	double *share = NULL;
	struct weft_err err = {0};
	size_t all = 0;
	int rc = run ? 0 : -ENOMEM;
	for (uint32_t r = 0; r < t->n; r++)
		all += t->run[r].n_clusters + (size_t)1;
	share = calloc(all + 1, sizeof *share);
	rc = rc ? rc : share ? 0 : -ENOMEM;
	double *at = share;
	for (uint32_t r = 0; r < t->n && !rc; r++) {
		const struct cluster_run *c = &t->run[r];
		for (uint32_t k = 0; k <= c->n_clusters; k++)
			at[k] = c->cluster[k].share;
		uint64_t *caller = callers_of(c, a->callers);
		rc = caller ? 0 : -ENOMEM;
		run[r] = (struct weft_track_run){.raw = {c->points.raw, c->points.n, c->points.dims},
		                                 .label = c->label,
		                                 .n_clusters = c->n_clusters,
		                                 .caller = caller,
		                                 .share = at,
		                                 .alignment = &c->alignment};
		at += c->n_clusters + 1;
	}
	rc = rc ? weft_err_set(&err, rc, "out of memory") : weft_track(&t->tracks, run, t->n, &how, &err);
	for (uint32_t r = 0; run && r < t->n; r++)
		free((void *)run[r].caller);
	free(run);
	free(share);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int cluster_runs(struct track_runs *t, const struct args *a, char **path, struct cluster_how base)
{
	t->run = calloc(t->n, sizeof *t->run);
	t->how = calloc(t->n, sizeof *t->how);
	if (!t->run || !t->how)
		return cli_fail_code(-ENOMEM);
	for (uint32_t r = 0; r < t->n; r++) {
		t->how[r] = base;
		t->how[r].path = path[r];
		int status = cluster_run(&t->run[r], &a->common, &t->how[r]);
		if (status)
			return status;
		if (!t->run[r].points.n)
			return cli_fail_text("'%s' has no bursts here", path[r]);
	}
	return CLI_OK;
}

/* ---- tables ---- */

static int print_trends(const struct track_runs *t, const struct cli_common *common)
{
	enum { FIXED = 8, VALUES_MOST = 64 };
	static const struct weft_column fixed[FIXED] = {{"object", "object", WEFT_CELL_U64},
	                                                {"run", "run", WEFT_CELL_TEXT},
	                                                {"clusters", "clusters", WEFT_CELL_U64},
	                                                {"bursts", "bursts", WEFT_CELL_U64},
	                                                {"total_ns", "total", WEFT_CELL_NS},
	                                                {"share_percent", "time", WEFT_CELL_PERCENT},
	                                                {"mean_ns", "mean", WEFT_CELL_NS},
	                                                {"mean_change_percent", "change", WEFT_CELL_PERCENT}};
	struct weft_column column[FIXED + VALUES_MOST];
	unsigned values = cluster_n_values(&t->run[0]);
	values = values < VALUES_MOST ? values : VALUES_MOST;
	struct weft_table table;
	int rc = 0;
	memcpy(column, fixed, sizeof fixed);
	for (unsigned k = 0; k < values; k++)
		column[FIXED + k] = (struct weft_column){cluster_value(&t->run[0], k)->name, cluster_value(&t->run[0], k)->name,
		                                         WEFT_CELL_DOUBLE};
	weft_table_init(&table, column, FIXED + values);
	for (uint32_t o = 1; o <= t->tracks.n_objects && !rc; o++) {
		double first = NAN;
		for (uint32_t r = 0; r < t->n && !rc; r++) {
			struct track_cell c = track_cell_of(t, r, o);
			double mean = c.bursts ? c.total_ns / (double)c.bursts : NAN;
			struct weft_cell cell[FIXED + VALUES_MOST];
			first = isnan(first) ? mean : first;
			cell[0] = (struct weft_cell){WEFT_CELL_U64, {.u64 = o}};
			cell[1] = (struct weft_cell){WEFT_CELL_TEXT, {.text = track_run_name(t, r)}};
			cell[2] = (struct weft_cell){WEFT_CELL_U64, {.u64 = c.clusters}};
			cell[3] = (struct weft_cell){WEFT_CELL_U64, {.u64 = c.bursts}};
			cell[4] = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)c.total_ns}};
			cell[5] = (struct weft_cell){WEFT_CELL_PERCENT, {.f64 = 100 * c.share}};
			cell[6] = (struct weft_cell){c.bursts ? WEFT_CELL_NS : WEFT_CELL_NONE,
			                             {.u64 = c.bursts ? (uint64_t)mean : 0}};
			cell[7] = (struct weft_cell){c.bursts ? WEFT_CELL_PERCENT : WEFT_CELL_NONE,
			                             {.f64 = 100 * (mean / first - 1)}};
			for (unsigned k = 0; k < values; k++)
				cell[FIXED + k] = (struct weft_cell){c.bursts ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE,
				                                     {.f64 = track_mean(t, r, o, k)}};
			rc = weft_table_row(&table, cell);
		}
	}
	if (!rc)
		return cli_table(&table, common);
	weft_table_fini(&table);
	return cli_fail_code(rc);
}

static int print_links(const struct track_runs *t, const struct cli_common *common)
{
	static const struct weft_column column[] = {{"run", "run", WEFT_CELL_U64},
	                                            {"from", "from", WEFT_CELL_U64},
	                                            {"to", "to", WEFT_CELL_U64},
	                                            {"near_percent", "near", WEFT_CELL_PERCENT},
	                                            {"back_percent", "back", WEFT_CELL_PERCENT},
	                                            {"callers_percent", "callers", WEFT_CELL_PERCENT},
	                                            {"object", "object", WEFT_CELL_U64}};
	struct weft_table table;
	int rc = 0;
	weft_table_init(&table, column, 7);
	for (size_t i = 0; i < t->tracks.n_links && !rc; i++) {
		const struct weft_track_link *l = &t->tracks.link[i];
		struct weft_cell cell[] = {{WEFT_CELL_U64, {.u64 = l->run + UINT64_C(1)}},
		                           {WEFT_CELL_U64, {.u64 = l->from}},
		                           {WEFT_CELL_U64, {.u64 = l->to}},
		                           {WEFT_CELL_PERCENT, {.f64 = 100 * l->near}},
		                           {WEFT_CELL_PERCENT, {.f64 = 100 * l->back}},
		                           {WEFT_CELL_PERCENT, {.f64 = 100 * l->callers}},
		                           {l->linked ? WEFT_CELL_U64 : WEFT_CELL_NONE,
		                            {.u64 = t->tracks.object[l->run][l->from]}}};
		rc = weft_table_row(&table, cell);
	}
	if (!rc)
		return cli_table(&table, common);
	weft_table_fini(&table);
	return cli_fail_code(rc);
}

/* ---- the command ---- */

static int check(const struct args *a, struct cluster_how *how)
{
	static const char *const names[] = {"dbscan", "hdbscan", "aggregate", "divide"};
	bool known = !a->method;
	for (unsigned i = 0; a->method && i < 4; i++)
		if (!strcmp(a->method, names[i])) {
			how->method = (enum cluster_method)i;
			known = true;
		}
	if (!known)
		return cli_unknown(&weft_command_track, "option '--method': unknown", a->method, names, 4);
	if (a->control && a->by)
		return cli_usage(&weft_command_track, "say what to cluster by once, with --by or with --control");
	if (a->eps < 0 || !isfinite(a->eps))
		return cli_usage(&weft_command_track, "option '--eps': expected a positive number");
	if (!(a->threshold >= 0) || a->threshold > 100)
		return cli_usage(&weft_command_track, "option '--threshold': expected 0 to 100");
	if (!(a->distance > 0))
		return cli_usage(&weft_command_track, "option '--max-distance': expected a positive number");
	if (a->min_points > 1000000000 || (a->min_points == 1 && how->method == CLUSTER_HDBSCAN))
		return cli_usage(&weft_command_track, "option '--min-points': expected 2 to 1000000000");
	return a->picture ? cli_check_ending(&weft_command_track, a->picture, ".svg .png .eps .pdf", NULL) : CLI_OK;
}

static int report(const struct track_runs *t, const struct args *a)
{
	int status = a->output ? track_write_sequences(t, a->output) : CLI_OK;
	if (!status && a->picture)
		status = track_write_picture(t, a->picture);
	if (!status && a->traces)
		status = track_write_traces(t, a->traces, a->force);
	status = status ? status : a->links ? print_links(t, &a->common) : print_trends(t, &a->common);
	if (status || a->common.json || a->common.csv)
		return status;
	uint32_t through = 0, apart = 0;
	for (uint32_t o = 1; o <= t->tracks.n_objects; o++) {
		bool all = true;
		unsigned most = 0;
		for (uint32_t r = 0; r < t->n; r++) {
			unsigned n = track_cell_of(t, r, o).clusters;
			all &= n > 0;
			most = n > most ? n : most;
		}
		through += all;
		apart += most > 1;
	}
	printf("\n%u object%s, %u in all %u runs; %u %s of several clusters in some run (they part, or come together).\n",
	       t->tracks.n_objects, t->tracks.n_objects == 1 ? "" : "s", through, t->n, apart, apart == 1 ? "is" : "are");
	return CLI_OK;
}

static int run_track(int argc, char **argv)
{
	struct args a = {.least_ns = WEFT_NEVER, .threshold = 15, .distance = 1};
	struct cluster_how how = {.steps = 10};
	struct track_runs t = {.n = 0};
	int n;
	if (!cli_parse(&weft_command_track, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_track, argv, n, 2, -1))
		return CLI_USAGE;
	int status = check(&a, &how);
	for (int i = 1; i <= n && !status; i++)
		status = cli_check_input(argv[i]);
	if (status)
		return status;
	how.control_path = a.control;
	how.by = a.by;
	how.of = a.of;
	how.eps = a.eps;
	how.min_points = (uint32_t)a.min_points;
	how.least_ns = a.least_ns;
	how.caller = a.callers;
	how.take_ids = !a.anew;
	how.own_threads = a.common.own_threads;
	t.n = (uint32_t)n;
	status = cluster_runs(&t, &a, argv + 1, how);
	status = status ? status : track_runs(&t, &a);
	status = status ? status : report(&t, &a);
	weft_tracks_fini(&t.tracks);
	for (uint32_t r = 0; t.run && r < t.n; r++)
		cluster_run_fini(&t.run[r]);
	free(t.run);
	free(t.how);
	return status;
}

const struct weft_command weft_command_track = {
	.name = "track",
	.operands = "RUN RUN...",
	.summary = "kinds of computation, followed from run to run",
	.about = "Clusters the bursts of each RUN (or takes the clusters that weft cluster wrote)\n"
		 "and says which cluster of one run is which of the next, though sizes, machines or\n"
		 "versions differ: by where its bursts lie, by what other threads do meanwhile, by\n"
		 "who called, and by what comes before and behind. What belongs together over all\n"
		 "runs is an object; its trend is printed. weft-structure(7) explains how it is done.\n"
		 "\n"
		 "Examples:\n"
		 "    weft track small.prv middle.prv large.prv --least-duration 20us\n"
		 "    weft track old.weft new.weft --by 'log(duration)' --picture moves.svg",
	.options = options,
	.run = run_track,
};
