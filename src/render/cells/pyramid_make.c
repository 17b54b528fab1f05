/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first time that a metric of a long trace is drawn, all of its rows are evaluated and kept as
 * a pyramid beside the index; from then on a picture of any part of it costs its pixels. Where
 * nothing can be kept, rows are evaluated each time.
 */
#include "base/pool.h"
#include "base/str.h"
#include "metric_cells_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct making {
	const struct weft_metric_cells_how *how;
	struct weft_pyramid_maker *maker;
};

static int keep_row(struct weft_pyramid_maker *maker, struct weft_row *row, uint32_t object, struct weft_intervals *b)
{
	struct weft_pyramid_lane *lane = NULL;
	int rc, end_rc;
	while ((rc = weft_row_next(row, b)) > 0) {
		if (!lane)
			rc = weft_pyramid_lane_new(&lane, maker, object, b->begin);
		else
			rc = 0;
		if (!rc)
			rc = weft_pyramid_add(lane, b->n, b->end, b->value);
		if (rc)
			break;
	}
	end_rc = lane ? weft_pyramid_lane_end(lane) : 0;
	return rc ? rc : end_rc;
}

static int make_row(void *arg, size_t i, unsigned worker)
{
	const struct making *m = arg;
	struct weft_row *row;
	struct weft_intervals *b = malloc(sizeof *b);
	(void)worker;
	int rc = b ? weft_row_open(&row, m->how->space, m->how->metric, (uint32_t)i, 0, INFINITY) : -ENOMEM;
	if (!rc) {
		rc = keep_row(m->maker, row, (uint32_t)i, b);
		weft_row_close(row);
	}
	free(b);
	return rc;
}

int cells_pyramid_get(struct weft_pyramid **out, const struct weft_metric_cells_how *how, bool make)
{
	struct weft_buf key = {0};
	struct making m = {how, NULL};
	uint32_t n_rows = weft_level_size(how->space, how->metric->level);
	*out = NULL;
	int rc = metric_key(how->space, how->metric, &key);
	if (!rc)
		rc = weft_pyramid_open(out, how->space->trace, key.at, key.n);
	if (rc == -ENOENT && make) {
		rc = weft_pyramid_make(&m.maker, how->space->trace, key.at, key.n, n_rows);
		if (!rc)
			rc = weft_parallel(how->threads, n_rows, make_row, &m);
		if (!rc)
			rc = weft_pyramid_finish(m.maker, out);
		else
			weft_pyramid_abandon(m.maker);
	}
	weft_buf_fini(&key);
	if (*out && (*out)->n_rows != n_rows) {
		weft_pyramid_close(*out);
		*out = NULL;
	}
	return rc == -ENOMEM || rc == WEFT_E_DAMAGED ? rc : 0; /* what cannot be written is done without */
}
