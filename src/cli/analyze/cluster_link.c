/* SPDX-License-Identifier: Apache-2.0 */
/* `BurstClustering`: the command line of BSC's suite, its files, and its words on stdout. */
#include "cluster_run.h"
#include "base/clock.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>

struct link_args {
	struct cli_common common;
	struct cluster_how how;
	const char *control, *input, *output, *types, *list;
	const struct cluster_run *run; /* while it goes on */
	bool silent, sequences, fasta, scores, print_steps, timing, alone, no_filtered;
};

static int usage(const char *what, const char *which)
{
	fprintf(stderr, "BurstClustering: %s%s%s\n", what, which ? " " : "", which ? which : "");
	fprintf(stderr,
	        "usage: BurstClustering [-s] [-m N] [-a[f]] [-r(a|d)[p] [MINPTS,MAXEPS,MINEPS,STEPS]] [-dbscan EPS,MINPTS]\n"
	        "                       [-e TYPES] [-c[l] CSV] [-t] [-os] [-of] -d XML -i IN.prv -o OUT.prv\n");
	return 1;
}

/* "a,b,c": up to n numbers; how many, or -1. */
static int numbers(const char *text, double *out, int n)
{
	struct weft_str rest = weft_str(text), part;
	int k = 0;
	while (weft_str_cut(&rest, ',', &part))
		if (k == n || weft_parse_double(weft_str_trim(part), &out[k++]))
			return -1;
	return k;
}

static bool looks_like_numbers(const char *z)
{
	return z && ((*z >= '0' && *z <= '9') || *z == '.');
}

static bool take_refinement(struct link_args *a, const char *option, const char *next, int *used)
{
	double v[4];
	a->how.method = option[2] == 'd' ? CLUSTER_DIVISIVE : CLUSTER_AGGREGATIVE;
	a->print_steps = option[3] == 'p';
	a->scores = true;
	if (!looks_like_numbers(next))
		return true;
	int n = numbers(next, v, 4);
	*used = 1;
	if ((n != 4 && n != 1) || !(v[0] >= 1))
		return false;
	a->how.min_points = (uint32_t)v[0];
	if (n == 4) {
		a->how.eps_most = v[1] > v[2] ? v[1] : v[2];
		a->how.eps_least = v[1] > v[2] ? v[2] : v[1];
		a->how.steps = (unsigned)v[3];
	}
	return n == 1 || (a->how.eps_least > 0 && v[3] >= 1);
}

static bool take_dbscan(struct link_args *a, const char *next)
{
	double v[2];
	if (!next || numbers(next, v, 2) != 2 || !(v[0] > 0) || !(v[1] >= 1))
		return false;
	a->how.eps = v[0];
	a->how.min_points = (uint32_t)v[1];
	return true;
}

static const struct {
	const char *name;
	size_t offset;
} flags[] = {{"-s", offsetof(struct link_args, silent)},
             {"-a", offsetof(struct link_args, sequences)},
             {"-t", offsetof(struct link_args, timing)},
             {"-os", offsetof(struct link_args, alone)},
             {"-of", offsetof(struct link_args, no_filtered)}},
  texts[] = {{"-d", offsetof(struct link_args, control)}, {"-i", offsetof(struct link_args, input)},
             {"-o", offsetof(struct link_args, output)},  {"-e", offsetof(struct link_args, types)},
             {"-ec", offsetof(struct link_args, types)},  {"-c", offsetof(struct link_args, list)},
             {"-cl", offsetof(struct link_args, list)}};

static bool take_simple(struct link_args *a, const char *option, const char *next, int *used)
{
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		if (!strcmp(option, flags[i].name)) {
			*(bool *)((char *)a + flags[i].offset) = true;
			return true;
		}
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (next && !strcmp(option, texts[i].name)) {
			*(const char **)((char *)a + texts[i].offset) = next;
			*used = 1;
			return true;
		}
	return false;
}

static int parse(struct link_args *a, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *option = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
		int used = 0;
		uint64_t n;
		if (!strcmp(option, "-h") || !strcmp(option, "--help"))
			return usage("clusters of bursts of a Paraver trace", NULL);
		if (!strcmp(option, "-af")) {
			a->sequences = a->fasta = true;
		} else if (!strcmp(option, "-m")) {
			if (next && next[0] >= '0' && next[0] <= '9' && weft_parse_u64(weft_str(next), &n))
				return usage("expected a number behind", option);
			bool said = next && next[0] >= '0' && next[0] <= '9';
			a->how.sample = said ? n : 20000;
			used = said;
		} else if (!strcmp(option, "-dbscan")) {
			if (!take_dbscan(a, next))
				return usage("expected EPS,MINPTS behind", option);
			used = 1;
		} else if (option[0] == '-' && option[1] == 'r' && (option[2] == 'a' || option[2] == 'd')) {
			if (!take_refinement(a, option, next, &used))
				return usage("expected MINPTS,MAXEPS,MINEPS,STEPS behind", option);
		} else if (!take_simple(a, option, next, &used)) {
			return usage("unknown option, or nothing behind it:", option);
		}
		i += used;
	}
	if (!a->control || !a->input || !a->output)
		return usage("say what to do, with -d XML -i IN.prv -o OUT.prv", NULL);
	return 0;
}

static void say(const struct link_args *a, const char *text)
{
	if (!a->silent)
		printf("%s\n", text);
}

static int write_all(const struct link_args *a, const struct cluster_run *r)
{
	struct cluster_lines lines = {NULL, NULL};
	char path[4096];
	int status = cluster_find_lines(r, &lines);
	if (!status && cli_prefixed(path, sizeof path, a->output, ".DATA.csv"))
		status = cluster_write_data(r, &lines, path);
	say(a, "** GENERATING CLUSTERS INFORMATION FILE **");
	if (!status && cli_prefixed(path, sizeof path, a->output, ".clusters_info.csv"))
		status = cluster_write_info(r, path);
	say(a, "** GENERATING GNUPlot SCRIPTS **");
	status = status ? status : cluster_write_plots(r, a->output);
	if (!status && a->sequences && cli_prefixed(path, sizeof path, a->output, a->fasta ? ".fasta" : ".seq"))
		status = cluster_write_sequences(r, path, a->fasta);
	if (!status && (a->scores || a->sequences) && cli_prefixed(path, sizeof path, a->output, ".SCORES.csv"))
		status = cluster_write_scores(r, path);
	say(a, "** RECONSTRUCTING INPUT TRACE **");
	status = status ? status : cluster_write_trace(r, &lines, a->output, a->alone, !a->no_filtered, true);
	cluster_lines_fini(&lines);
	return status;
}

/* OUT.STEPn.…: the files of a result, without a trace. */
static int write_step(const struct link_args *a, const struct cluster_run *step, unsigned number)
{
	char output[4096], path[4096], ending[32];
	struct cluster_lines lines = {NULL, NULL};
	snprintf(ending, sizeof ending, ".STEP%u.prv", number);
	if (!cli_prefixed(output, sizeof output, a->output, ending))
		return cli_fail_text("'%s' is too long for a name", a->output);
	int status = cluster_find_lines(step, &lines);
	if (!status && cli_prefixed(path, sizeof path, output, ".DATA.csv"))
		status = cluster_write_data(step, &lines, path);
	if (!status && cli_prefixed(path, sizeof path, output, ".clusters_info.csv"))
		status = cluster_write_info(step, path);
	status = status ? status : cluster_write_plots(step, output);
	if (!status && cli_prefixed(path, sizeof path, output, ".SCORES.csv"))
		status = cluster_write_scores(step, path);
	cluster_lines_fini(&lines);
	return status;
}

static int on_step(void *arg, unsigned number, double eps, const uint32_t *label, uint32_t n_clusters, double score)
{
	const struct link_args *a = arg;
	struct cluster_run step;
	int status = CLI_OK;
	if (!a->silent)
		printf("STEP %u: epsilon %g, %u clusters, sequence score %.4f\n", number, eps, n_clusters, score);
	if (!a->print_steps)
		return CLI_OK;
	status = cluster_step_describe(&step, a->run, eps, label, n_clusters);
	status = status ? status : write_step(a, &step, number);
	cluster_step_fini(&step);
	return status;
}

int cli_burst_clustering(int argc, char **argv)
{
	struct link_args a = {.common.quiet = true, .how = {.least_ns = WEFT_NEVER, .as_suite = true, .steps = 10}};
	struct cluster_run r;
	char of[4200];
	weft_log_set(WEFT_LOG_WARN, "BurstClustering");
	if (parse(&a, argc, argv))
		return 1;
	a.how.path = a.input;
	a.how.control_path = a.control;
	if (a.types || a.list) {
		snprintf(of, sizeof of, "%s%s", a.list ? "csv=" : "type=", a.list ? a.list : a.types);
		a.how.of = of;
	}
	a.how.on_step = on_step;
	a.how.arg = &a;
	a.run = &r;
	const uint64_t began = weft_monotonic_ns();
	say(&a, "** DATA EXTRACTION **");
	int status = cluster_run(&r, &a.common, &a.how);
	if (!status && !a.silent)
		printf("** CLUSTER ANALYSIS **\n"
		       "%zu bursts of %zu, %u clusters\n",
		       r.points.n, r.bursts.n, r.n_clusters);
	const uint64_t found = weft_monotonic_ns();
	status = status ? status : write_all(&a, &r);
	if (!status && a.timing)
		printf("TIMING: clusters %.6f s, files %.6f s\n", (double)(found - began) / 1e9,
		       (double)(weft_monotonic_ns() - found) / 1e9);
	cluster_run_fini(&r);
	return status ? 1 : 0;
}
