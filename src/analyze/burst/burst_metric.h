/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of bursts is looked at: metrics, each a counter, the duration, or two of them with an operation between; which bursts stay; and their points,
 * with coordinates of like size, for clustering.
 */
#ifndef WEFT_ANALYZE_BURST_METRIC_H
#define WEFT_ANALYZE_BURST_METRIC_H

#include "burst.h"

enum { WEFT_METRIC_DURATION = -1 }; /* in place of a counter's number: ns */
struct weft_burst_metric {
	const char *name;
	char operation;     /* '+', '-', '*', '/'; 0: a alone */
	int32_t a, b;       /* counters of the bursts, or WEFT_METRIC_DURATION */
	bool log;           /* its natural logarithm is the coordinate */
	double factor;      /* the coordinates reach from 0 to it */
	double least, most; /* bursts with other values are left out: -INFINITY, INFINITY for none */
};
/* What became of a burst; the numbers are those that clustered traces show (Cluster ID), clusters follow from 6 on. */
enum weft_burst_fate {
	WEFT_BURST_END,
	WEFT_BURST_MISSING,
	WEFT_BURST_SHORT,
	WEFT_BURST_OUT_OF_RANGE,
	WEFT_BURST_THRESHOLD,
	WEFT_BURST_NOISE
};

struct weft_burst_points {
	size_t n;
	unsigned dims;
	uint32_t *burst; /* by point. All owned */
	double *raw;     /* by point: dims values */
	double *at;      /* by point: dims coordinates */
	uint8_t *fate;   /* by burst: WEFT_BURST_NOISE of those that are points */
};
struct weft_burst_choice {
	const struct weft_burst_metric *metric;
	unsigned n;
	uint64_t least_ns; /* shorter ones are left out */
	bool normalise;    /* factor · (v - least) / (most - least) over the points; 0 where all are equal. Else factor · v */
};
double weft_burst_value(const struct weft_bursts *b, const struct weft_burst_metric *m, size_t burst); /* NAN: missing */
/* 0 or -ENOMEM. */
int weft_burst_points_make(struct weft_burst_points *out, const struct weft_bursts *b,
                           const struct weft_burst_choice *choice) WEFT_MUST_CHECK;
void weft_burst_points_fini(struct weft_burst_points *p);

/*
 * A metric as text: "NAME", "NAME/NAME", "log(NAME)", "duration"; its counters are added to `names` (which has room for two more) when they
 * are not there. The text is copied into the arena. 0, -ENOMEM, or WEFT_E_SYNTAX.
 */
int weft_burst_metric_parse(struct weft_burst_metric *m, const char *text, struct weft_arena *a, const char **names,
                            uint32_t *n_names, struct weft_err *err) WEFT_MUST_CHECK;

#endif
