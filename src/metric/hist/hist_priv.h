/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from inside: statistics as rows of a table, and the sums that they keep for a cell. */
#ifndef WEFT_METRIC_HIST_PRIV_H
#define WEFT_METRIC_HIST_PRIV_H

#include "base/map.h"
#include "hist.h"
#include "metric/func/metric_work.h"

struct hist_sum {     /* of a cell; what is in a, b and n is the statistic's own matter */
	uint64_t key; /* plane, column */
	double a, b;
	uint64_t n;
};
enum { HIST_CONTROL, HIST_EXTRA, HIST_DATA, HIST_AXES };
struct hist_pieces { /* of one row of the table, in order of time; begins as zeros */
	uint32_t n;
	double value[HIST_AXES][WEFT_INTERVALS]; /* of the windows */
	double time[WEFT_INTERVALS];             /* lengths in the trace's units; sums are turned into the windows' at the end */
	uint32_t cell[WEFT_INTERVALS];           /* place of the sum among the row's */
	uint32_t plane[WEFT_INTERVALS];          /* 0 without a third window */
	double share[WEFT_INTERVALS];
};
struct hist_norm {     /* what makes a sum a statistic */
	double row;    /* all of the row's and plane's cells */
	double window; /* length of the range */
	enum weft_unit own, control, data;
};
struct weft_stat {
	const char *name;
	void (*add)(struct hist_sum *sum, const struct hist_pieces *p); /* each piece to its cell */
	void (*share)(struct hist_pieces *p);                           /* what each adds to the row's sum; NULL: none */
	double (*value)(const struct hist_sum *s, const struct hist_norm *n);
	bool sends, receives; /* of comms */
};

/* The sums of the cells of one row. */
struct hist_row {
	struct weft_map place;         /* key -> place in sum */
	uint32_t *dense;               /* or, by plane and column: place + 1, 0 none; owned */
	uint32_t n_columns, n_planes;  /* of dense; 0: not used */
	WEFT_VEC(struct hist_sum) sum; /* the first is of no cell */
	double *share;                 /* by plane; owned, NULL until needed */
	uint64_t last_key;             /* the place of the last one: bursts come in runs */
	uint32_t last_place;
	bool has_last;
};
/* hist_piece.c */
int hist_row_place(struct hist_row *r, uint32_t plane, uint32_t column, uint32_t *place) WEFT_MUST_CHECK;
/* Adds the pieces, and empties the batch. */
int hist_take(const struct weft_result *r, struct hist_row *row, struct hist_pieces *p) WEFT_MUST_CHECK;
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

/* Of a wide table that is filled: the columns that a search for the scale would have given. */
void hist_narrow(struct weft_result *r, struct hist_row *row);

/* hist_comm.c: all messages of the rows */
int hist_comms(struct weft_result *r, struct hist_row *row, const uint32_t *row_number) WEFT_MUST_CHECK;

#endif
