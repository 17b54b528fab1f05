/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from inside: statistics as rows of a table, and the sums that they keep for a cell. */
#ifndef WEFT_METRIC_HIST_PRIV_H
#define WEFT_METRIC_HIST_PRIV_H

#include "base/map.h"
#include "hist.h"
#include "metric_priv.h"

struct hist_sum {     /* of a cell; what is in a, b and n is the statistic's own matter */
	uint64_t key; /* plane, column */
	double a, b;
	uint64_t n;
};
struct hist_piece {
	double control, data; /* values */
	double time;          /* length in the trace's units; sums are turned into the windows' units at the end */
};
struct hist_norm {     /* what makes a sum a statistic */
	double row;    /* all of the row's and plane's cells */
	double window; /* length of the range */
	enum weft_unit own, control, data;
};
struct weft_stat {
	const char *name;
	void (*add)(struct hist_sum *s, const struct hist_piece *p);
	double (*share)(const struct hist_piece *p); /* what a piece adds to the row's sum; NULL: none */
	double (*value)(const struct hist_sum *s, const struct hist_norm *n);
	bool sends, receives; /* of comms */
};

/* The sums of the cells of one row. */
struct hist_row {
	struct weft_map place;        /* key -> place in sum */
	uint32_t *dense;              /* or, by plane and column: place + 1, 0 none; owned */
	uint32_t n_columns, n_planes; /* of dense; 0: not used */
	WEFT_VEC(struct hist_sum) sum;
	double *share;     /* by plane; owned, NULL until needed */
	uint64_t last_key; /* the place of the last one: bursts come in runs */
	size_t last_place;
	bool has_last;
};
struct hist_sum *hist_row_at(struct hist_row *r, uint32_t plane, uint32_t column); /* NULL: memory is out */
void hist_row_fini(struct hist_row *r);

/* The place of a value on an axis; false when it is outside. */
static inline bool hist_place(const struct weft_axis *a, double v, uint32_t *place)
{
	if (!(v >= a->min && v <= a->max))
		return false;
	double at = v - a->min;
	if (a->delta != 1)
		at /= a->delta;
	*place = at >= a->n ? a->n - 1 : (uint32_t)at;
	return true;
}

/* hist_scale.c */
int hist_scale(struct weft_result *r, unsigned threads) WEFT_MUST_CHECK;

enum { HIST_CONTROL, HIST_EXTRA, HIST_DATA, HIST_AXES };
/* hist_comm.c: all messages of the rows */
int hist_comms(struct weft_result *r, struct hist_row *row, const uint32_t *row_number) WEFT_MUST_CHECK;

#endif
