/* SPDX-License-Identifier: Apache-2.0 */
/* One clustering: from a trace to labels and what is known of them. cmd_cluster.c and cluster_link.c say what is asked; others write results. */
#ifndef WEFT_CLI_CLUSTER_RUN_H
#define WEFT_CLI_CLUSTER_RUN_H

#include "analyze/cluster/cluster_control.h"
#include "analyze/cluster/refine.h"
#include "bursts_cli.h"

enum cluster_method { CLUSTER_DBSCAN, CLUSTER_HDBSCAN, CLUSTER_AGGREGATIVE, CLUSTER_DIVISIVE };

struct cluster_how {
	const char *path;
	const char *control_path; /* NULL: `by` says it */
	const char *by;           /* metrics with commas between; NULL: what the trace offers */
	const char *of;           /* kind of bursts; NULL: any */
	const char *time;
	enum cluster_method method;
	double eps;                 /* 0: of the control file, else automatic */
	uint32_t min_points;        /* 0: of the control file, else 10 */
	uint64_t least_ns;          /* WEFT_NEVER: of the control file, else 0 */
	uint64_t sample;            /* cluster so many, classify the others; 0: all */
	double eps_least, eps_most; /* of refinements; 0: automatic */
	unsigned steps;
	bool as_suite;      /* as BurstClustering: counters at ends of bursts */
	const char *caller; /* a type of points whose value at the end of a burst says who called; NULL: none */
	bool take_ids;      /* of a trace that has them (90000001), in place of clustering */
	bool own_threads;
	int (*on_step)(void *arg, unsigned step, double eps, const uint32_t *label, uint32_t n_clusters, double score);
	void *arg;
};
struct cluster_of { /* one cluster; [0] is the noise */
	uint64_t bursts;
	double total_ns, share, score;
	uint64_t occurrences;
};
struct cluster_run { /* everything owned, but common and how */
	const struct cli_common *common;
	const struct cluster_how *how;
	struct weft_trace *trace;
	struct weft_filter *filter;
	struct weft_control control;
	struct weft_counters counters;
	struct weft_bursts bursts;
	struct weft_burst_points points;
	uint32_t *label; /* by point */
	uint32_t n_clusters;
	struct cluster_of *cluster; /* n_clusters + 1 */
	double *mean;               /* by cluster: of each metric, then of each extra one */
	double *duration;           /* by point */
	uint32_t *sequence;         /* by point: its thread, among those that have points */
	uint32_t n_sequences;
	double eps, global;
	uint32_t min_points;
	struct weft_alignment alignment;
	uint64_t sampled, wrong,
		tried; /* of a sample: how many were clustered; of those tried, whose nearest has another label */
};
/* 0, or the exit status after a message; then fini all the same. No point at all is a valid result. */
int cluster_run(struct cluster_run *r, const struct cli_common *common, const struct cluster_how *how);
void cluster_run_fini(struct cluster_run *r);
/* What there is behind a step of a refinement (on_step), to be written as a result is; it borrows from r, but for what cluster_step_fini frees. */
int cluster_step_describe(struct cluster_run *step, const struct cluster_run *r, double eps, const uint32_t *label,
                          uint32_t n_clusters);
void cluster_step_fini(struct cluster_run *step);
unsigned cluster_n_values(const struct cluster_run *r); /* metrics and extra ones */
const struct weft_burst_metric *cluster_value(const struct cluster_run *r, unsigned i);
/* What a burst shows as in a clustered trace: its fate, or 5 for noise and 5 + cluster. fate[burst] is overwritten. By burst, malloc'd. */
int64_t *cluster_ids(const struct cluster_run *r);
const char *cluster_method_name(enum cluster_method m);

/* ---- files (cluster_files.c): 0 or the exit status after a message ---- */

struct cluster_lines { /* of a .prv: by burst, where its state stands in the file, and on which cpu. Owned */
	uint64_t *line;
	uint32_t *cpu;
};
int cluster_find_lines(const struct cluster_run *r, struct cluster_lines *l);
void cluster_lines_fini(struct cluster_lines *l);
int cluster_write_data(const struct cluster_run *r, const struct cluster_lines *l, const char *path);
int cluster_write_info(const struct cluster_run *r, const char *path);
int cluster_write_plots(const struct cluster_run *r, const char *output);
int cluster_write_sequences(const struct cluster_run *r, const char *path, bool fasta);
int cluster_write_scores(const struct cluster_run *r, const char *path);
uint32_t cluster_color(uint32_t id); /* as the .pcf has it; 0xRRGGBB */

/* ---- cluster_trace.c, cluster_picture.c ---- */

int cluster_write_trace(const struct cluster_run *r, const struct cluster_lines *l, const char *output, bool alone, bool filtered,
                        bool force);
/* Of two metrics, by their places; size 0: as usual. */
int cluster_write_picture(const struct cluster_run *r, unsigned x, unsigned y, const char *path);

#endif
