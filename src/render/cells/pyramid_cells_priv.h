/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from a pyramid: what walks a row (pyramid_cells.c) and what its runs of bursts are reduced
 * to (pyramid_ways.c) share.
 */
#ifndef WEFT_RENDER_PYRAMID_CELLS_PRIV_H
#define WEFT_RENDER_PYRAMID_CELLS_PRIV_H

#include "metric_cells_priv.h"
#include "metric/pyramid/pyramid.h"

enum { PYRAMID_STEPS = 64 };

/*
 * Chunks that lie within one pixel, from the first on, then one that does not, or the end of the
 * row.
 */
struct step {
	uint64_t from, chunk;
	int32_t pixel; /* in which the chunk ends */
};
struct scratch {      /* of one worker */
	double *cell; /* the row at work, with EIGHT more places */
	int32_t pixel[WEFT_PYRAMID_BURSTS];
	uint8_t last[WEFT_PYRAMID_BURSTS + 1]; /* of each run */
	struct weft_pyramid_bursts bursts;
	struct weft_pyramid_packed packed;
	struct step step[PYRAMID_STEPS];
};
struct brush {
	struct scratch *s;
	const struct weft_metric_cells *c;
	const struct weft_pyramid *p;
	uint32_t row;
	uint64_t chunk; /* that is loaded */
	double scale;   /* pixels a unit of time, nearly */
	int32_t at;     /* the pixel in which the next burst begins */
	double sum;     /* of its run so far */
	int64_t n;      /* bursts in it */
	bool skipping;  /* nothing was added since the last chunk that was skipped */
};

/* The pixels in which the bursts end, and the next ones begin; scale: pixels a unit of time, nearly. */
void cells_pixels(const struct weft_metric_cells *c, double scale, const struct weft_pyramid_bursts *bursts, int32_t *pixel);

/* How a way of drawing reduces bursts to what a pixel shows. */
struct way {
	void (*add)(struct brush *b, uint32_t from, uint32_t to); /* bursts of the loaded chunk */
	void (*add_found)(struct brush *b, uint32_t from, uint32_t to, uint32_t runs);
	uint64_t (*skip)(struct brush *b, const struct weft_pyramid_sums *s, uint64_t from, uint64_t to);
	double (*show)(double sum, int64_t n);
	double nothing;                                                   /* sums begin with */
	double (*extreme)(const struct weft_pyramid_sums *s, uint64_t i); /* of a chunk; NULL: the way shows something else */
	bool needs_least;                                                 /* only the values with which runs end */
};
extern const struct way pyramid_ways[WEFT_DRAWS]; /* all NULL: there is no shorter way than burst by burst */

/* Vectors of four: compilers make of them what the machine has. */
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_i64 __attribute__((vector_size(32)));
typedef int32_t four_i32 __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))
#define ALL(v) \
	{ \
		(v), (v), (v), (v) \
	}

enum { EIGHT = 8 };

INLINE double better_of(double a, double b, bool greatest)
{
	return (greatest ? a > b : a < b) ? a : b;
}

#endif
