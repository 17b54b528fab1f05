/* SPDX-License-Identifier: Apache-2.0 */
/* The control file of BSC's clustering suite: what is clustered by what, and which plots are made. */
#ifndef WEFT_ANALYZE_CLUSTER_CONTROL_H
#define WEFT_ANALYZE_CLUSTER_CONTROL_H

#include "analyze/burst/burst_metric.h"

struct weft_control_axis {
	const char *metric, *title; /* metric NULL: none; title NULL: the metric's name */
	double least, most;         /* NAN: not said */
};
struct weft_control_plot {
	bool raw; /* raw values, else coordinates */
	struct weft_control_axis axis[3];
};
struct weft_control {
	struct weft_arena arena; /* all that follows */
	uint64_t least_ns;
	double threshold; /* read, and used by nobody, as in the suite */
	bool normalise, has_dbscan, all_plots, all_counters;
	double eps;
	uint32_t min_points;
	struct weft_burst_metric *metric, *extra; /* what is clustered by; what clusters are described by besides */
	unsigned n_metrics, n_extra;
	struct weft_control_plot *plot;
	unsigned n_plots;
	const char **counter; /* what metrics count, for weft_counters_find */
	uint32_t n_counters;
};
/* name: of the file, for messages. Errors say the line. 0, WEFT_E_SYNTAX, or -ENOMEM; then fini all the same. */
int weft_control_parse(struct weft_control *c, const char *name, const char *text, size_t n,
                       struct weft_err *err) WEFT_MUST_CHECK;
void weft_control_fini(struct weft_control *c);

#endif
