/* SPDX-License-Identifier: Apache-2.0 */
/* `weft cluster`: which bursts are of one kind. */
#include "cluster_run.h"
#include "analyze/cluster/k_distance.h"
#include "base/log.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *control, *by, *of, *time, *eps, *method, *output, *data, *info, *sequences, *scores, *picture, *k_distance;
	uint64_t min_points, sample, steps;
	uint64_t least_ns;
	bool force;
};

static const struct weft_opt options[] = {
	{0, "by", "METRICS", WEFT_OPT_STRING, offsetof(struct args, by),
         "cluster by these, with commas between: NAME, A/B (also + - *), log(NAME), duration"},
	{0, "control", "XML", WEFT_OPT_STRING, offsetof(struct args, control), "cluster as a control file of BSC's suite says"},
	{0, "of", "BURSTS", WEFT_OPT_STRING, offsetof(struct args, of),
         "what a burst is: states (Running), compute, regions (those of -f), type=NAME, csv=FILE"},
	{0, "least-duration", "TIME", WEFT_OPT_NS, offsetof(struct args, least_ns), "leave out shorter bursts"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "bursts that lie between A and B only"},
	CLI_FILTER_OPTION,
	{0, "method", "METHOD", WEFT_OPT_STRING, offsetof(struct args, method),
         "dbscan (default), hdbscan, aggregate or divide (refined until the sequences of threads agree)"},
	{0, "eps", "EPS", WEFT_OPT_STRING, offsetof(struct args, eps),
         "how near points are neighbours; A..B for refinements (default: by the bend of the k-distances)"},
	{0, "steps", "N", WEFT_OPT_U64, offsetof(struct args, steps), "steps of a refinement from A to B (default: 10)"},
	{0, "min-points", "N", WEFT_OPT_U64, offsetof(struct args, min_points),
         "points in a neighbourhood that make a cluster (default: 10)"},
	{0, "sample", "N", WEFT_OPT_U64, offsetof(struct args, sample),
         "cluster N bursts, give the others the cluster of their nearest"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write the trace with each burst's cluster (event 90000001), .prv or .weft"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "data", "FILE", WEFT_OPT_STRING, offsetof(struct args, data),
         "write each burst with its metrics and cluster (DATA.csv)"},
	{0, "info", "FILE", WEFT_OPT_STRING, offsetof(struct args, info), "write the clusters (clusters_info.csv)"},
	{0, "sequences", "FILE", WEFT_OPT_STRING, offsetof(struct args, sequences), "write the aligned sequences of threads"},
	{0, "scores", "FILE", WEFT_OPT_STRING, offsetof(struct args, scores), "write the sequence scores (SCORES.csv)"},
	{0, "picture", "FILE", WEFT_OPT_STRING, offsetof(struct args, picture),
         "draw the bursts over the first two metrics, .svg .png .eps .pdf"},
	{0, "k-distances", "FILE", WEFT_OPT_STRING, offsetof(struct args, k_distance),
         "write how far each burst's min-points nearest is, descending"},
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- what the options mean ---- */

static int read_method(const struct args *a, struct cluster_how *how)
{
	static const char *const names[] = {"dbscan", "hdbscan", "aggregate", "divide"};
	how->method = CLUSTER_DBSCAN;
	if (!a->method)
		return CLI_OK;
	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(a->method, names[i])) {
			how->method = (enum cluster_method)i;
			return CLI_OK;
		}
	return cli_unknown(&weft_command_cluster, "option '--method': unknown", a->method, names, 4);
}

static int read_eps(const struct args *a, struct cluster_how *how)
{
	struct weft_str s = weft_str(a->eps);
	if (!a->eps || !strcmp(a->eps, "auto"))
		return CLI_OK;
	const char *dots = strstr(a->eps, "..");
	bool refines = how->method == CLUSTER_AGGREGATIVE || how->method == CLUSTER_DIVISIVE;
	if (dots && !refines)
		return cli_usage(&weft_command_cluster, "option '--eps': a range is for --method aggregate or divide");
	if (!dots && refines)
		return cli_usage(&weft_command_cluster, "option '--eps': a refinement wants a range A..B, or auto");
	if (dots) {
		if (weft_parse_double(weft_str_n(s.at, (size_t)(dots - s.at)), &how->eps_least) ||
		    weft_parse_double(weft_str(dots + 2), &how->eps_most) || !(how->eps_least > 0) ||
		    !(how->eps_most > how->eps_least))
			return cli_usage(&weft_command_cluster, "option '--eps': expected A..B with 0 < A < B, found '%s'",
			                 a->eps);
		return CLI_OK;
	}
	if (weft_parse_double(s, &how->eps) || !(how->eps > 0) || !isfinite(how->eps))
		return cli_usage(&weft_command_cluster, "option '--eps': expected a positive number or auto, found '%s'", a->eps);
	return CLI_OK;
}

static int check(const struct args *a, struct cluster_how *how)
{
	int status = read_method(a, how);
	status = status ? status : read_eps(a, how);
	if (!status && a->control && a->by)
		return cli_usage(&weft_command_cluster, "say what to cluster by once, with --by or with --control");
	if (!status && a->min_points > 1000000000)
		return cli_usage(&weft_command_cluster, "option '--min-points': at most 1000000000");
	if (!status && a->min_points == 1 && how->method == CLUSTER_HDBSCAN)
		return cli_usage(&weft_command_cluster, "option '--min-points': hdbscan needs at least 2");
	if (!status && a->sample && how->method != CLUSTER_DBSCAN)
		return cli_usage(&weft_command_cluster, "option '--sample' is for --method dbscan");
	if (!status && a->picture)
		status = cli_check_ending(&weft_command_cluster, a->picture, ".svg .png .eps .pdf", NULL);
	return status;
}

/* ---- the table ---- */

enum { FIXED = 6, VALUES_MOST = 140 };

static void print_summary(const struct cluster_run *r)
{
	size_t left = r->bursts.n - r->points.n;
	if (r->how->method == CLUSTER_HDBSCAN)
		printf("\nHDBSCAN*, min points %u", r->min_points);
	else if (r->eps > 0)
		printf("\n%s, epsilon %.4g, min points %u", cluster_method_name(r->how->method), r->eps, r->min_points);
	else
		printf("\nno epsilon: too few bursts");
	printf("; %u cluster%s of %zu bursts", r->n_clusters, r->n_clusters == 1 ? "" : "s", r->points.n);
	if (left)
		printf(" (%zu left out)", left);
	printf(".\nNoise: %" PRIu64 " bursts, %.2f %% of their time. Sequence score %.4f (1: all threads do the same).\n",
	       r->cluster[0].bursts, 100 * r->cluster[0].share, r->global);
	if (r->sampled)
		printf("%" PRIu64 " bursts were clustered, the others have the cluster of their nearest: of %" PRIu64
		       " that were held back, %.2f %% got another one.\n",
		       r->sampled, r->tried, r->tried ? 100 * (double)r->wrong / (double)r->tried : 0);
}

static int print_table(const struct cluster_run *r)
{
	static const struct weft_column fixed[FIXED] = {{"cluster", "cluster", WEFT_CELL_TEXT},
	                                                {"bursts", "bursts", WEFT_CELL_U64},
	                                                {"total_ns", "total", WEFT_CELL_NS},
	                                                {"share_percent", "time", WEFT_CELL_PERCENT},
	                                                {"mean_ns", "mean", WEFT_CELL_NS},
	                                                {"score", "score", WEFT_CELL_DOUBLE}};
	struct weft_column column[FIXED + VALUES_MOST];
	struct weft_table t;
	unsigned values = cluster_n_values(r), n = values < VALUES_MOST ? values : VALUES_MOST;
	memcpy(column, fixed, sizeof fixed);
	for (unsigned k = 0; k < n; k++)
		column[FIXED + k] = (struct weft_column){cluster_value(r, k)->name, cluster_value(r, k)->name, WEFT_CELL_DOUBLE};
	weft_table_init(&t, column, FIXED + n);
	int rc = 0;
	for (uint32_t i = 0; i <= r->n_clusters && !rc; i++) {
		uint32_t c = i < r->n_clusters ? i + 1 : 0; /* noise last */
		const struct cluster_of *k = &r->cluster[c];
		struct weft_cell cell[FIXED + VALUES_MOST];
		char name[16];
		snprintf(name, sizeof name, c ? "%u" : "noise", c);
		cell[0] = (struct weft_cell){WEFT_CELL_TEXT, {.text = name}};
		cell[1] = (struct weft_cell){WEFT_CELL_U64, {.u64 = k->bursts}};
		cell[2] = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)k->total_ns}};
		cell[3] = (struct weft_cell){WEFT_CELL_PERCENT, {.f64 = 100 * k->share}};
		cell[4] = (struct weft_cell){k->bursts ? WEFT_CELL_NS : WEFT_CELL_NONE,
		                             {.u64 = k->bursts ? (uint64_t)(k->total_ns / (double)k->bursts) : 0}};
		cell[5] = (struct weft_cell){k->bursts ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE, {.f64 = k->score}};
		for (unsigned m = 0; m < n; m++)
			cell[FIXED + m] = (struct weft_cell){k->bursts ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE,
			                                     {.f64 = r->mean[c * (size_t)values + m]}};
		rc = weft_table_row(&t, cell);
	}
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, r->common);
}

/* ---- files ---- */

static int write_k_distances(const struct cluster_run *r, const char *path)
{
	struct weft_cloud cloud = {r->points.at, r->points.n, r->points.dims};
	struct weft_out out;
	struct weft_err err = {0};
	double *distance;
	size_t n;
	unsigned k = r->min_points > 1 ? r->min_points - 1 : 1;
	if (weft_k_distances(&cloud, k, 0, (unsigned)r->common->threads, &distance, &n))
		return cli_fail_text("there are no k-distances: %zu bursts, and each wants %u others", cloud.n, k);
	if (weft_out_open(&out, path, &err)) {
		free(distance);
		return cli_fail(&err);
	}
	fputs("point,distance\n", out.to);
	for (size_t i = 0; i < n; i++)
		fprintf(out.to, "%zu,%.9g\n", i, distance[i]);
	free(distance);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int write_files(const struct args *a, const struct cluster_run *r)
{
	struct cluster_lines lines = {NULL, NULL};
	int status = a->data || a->output ? cluster_find_lines(r, &lines) : CLI_OK;
	if (!status && a->data)
		status = cluster_write_data(r, &lines, a->data);
	if (!status && a->info)
		status = cluster_write_info(r, a->info);
	if (!status && a->sequences)
		status = cluster_write_sequences(r, a->sequences, false);
	if (!status && a->scores)
		status = cluster_write_scores(r, a->scores);
	if (!status && a->k_distance)
		status = write_k_distances(r, a->k_distance);
	if (!status && a->picture)
		status = cluster_write_picture(r, r->points.dims > 1 ? 1 : 0, 0, a->picture);
	if (!status && a->output)
		status = cluster_write_trace(r, &lines, a->output, false, true, a->force);
	cluster_lines_fini(&lines);
	return status;
}

static int run_cluster(int argc, char **argv)
{
	struct args a = {.least_ns = WEFT_NEVER};
	struct cluster_how how = {.steps = 10};
	struct cluster_run r;
	int n;
	if (!cli_parse(&weft_command_cluster, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_cluster, argv, n, 1, 1))
		return CLI_USAGE;
	int status = check(&a, &how);
	if (status || (status = cli_check_input(argv[1])))
		return status;
	how.path = argv[1];
	how.control_path = a.control;
	how.by = a.by;
	how.of = a.of;
	how.time = a.time;
	how.min_points = (uint32_t)a.min_points;
	how.least_ns = a.least_ns;
	how.sample = a.sample;
	how.steps = a.steps ? (unsigned)(a.steps < 256 ? a.steps : 256) : 10;
	how.own_threads = a.common.own_threads;
	status = cluster_run(&r, &a.common, &how);
	if (!status && !r.bursts.n)
		status = cli_fail_text("'%s' has no bursts here%s", argv[1], a.of ? "" : " (--of says what else a burst can be)");
	else if (!status && !r.points.n)
		status = cli_fail_text("'%s': all %zu bursts are left out: too short, or without '%s'", argv[1], r.bursts.n,
		                       r.control.metric[0].name);
	status = status ? status : write_files(&a, &r);
	status = status ? status : print_table(&r);
	if (!status && !a.common.json && !a.common.csv)
		print_summary(&r);
	cluster_run_fini(&r);
	return status;
}

const struct weft_command weft_command_cluster = {
	.name = "cluster",
	.operands = "TRACE",
	.summary = "which computations are of one kind",
	.about = "Finds clusters of bursts: of what threads compute between two calls of a runtime,\n"
		 "by metrics as instructions and IPC. Bursts that are much alike are one kind of\n"
		 "computation, whatever its place in the source. Clusters are numbered by the time\n"
		 "that all their bursts take. The score of a cluster says how much all threads have\n"
		 "it at the same place of their sequences; 1 is a program in which all do the same.\n"
		 "weft-structure(7) explains how it is done.\n"
		 "\n"
		 "Examples:\n"
		 "    weft cluster run.prv --least-duration 20us\n"
		 "    weft cluster run.prv --control dbscan.xml -o run.clustered.prv --data run.csv\n"
		 "    weft cluster run.weft --of regions -f 'region=solve*' --by 'log(duration)'",
	.options = options,
	.run = run_cluster,
};
