/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four pixels at a time, row after row. The most frequent value is found without a table: the k-th row's value has been seen as often as it is among
 * the rows up to it, and takes the pixel when that is more than any before it, which is what counting in this order does.
 */
#include "draw_fuse.h"
#include "base/wide.h"
#include <string.h>

enum { FOUR = 4, MODE_ROWS = 32 /* more, and a table is quicker */ };
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_i64 __attribute__((vector_size(32)));

#define ALL(v) \
	{ \
		v, v, v, v \
	}
/* No functions that take vectors: what registers they come in depends on the machine that is compiled for. */
#define CHOOSE(which, yes, no) ((four)(((four_i64)(yes) & (which)) | ((four_i64)(no) & ~(which))))

/* Adding and taking away 2^52 rounds; what was rounded up is one too much. Larger numbers are whole. */
static inline __attribute__((always_inline)) void make_whole(four *v, double away)
{
	const four much = ALL(0x1p52), exact = ALL(0x1p51), one = ALL(1.0), none = ALL(0.0), gone = ALL(away);
	four r = (*v + much) - much;
	r -= CHOOSE(r > *v, one, none);
	r = CHOOSE(*v < exact, r, *v);
	*v = CHOOSE(*v < none, gone, r);
}

WEFT_BODY last_body(bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out)
{
	const four none = ALL(0.0);
	for (unsigned x = 0; x + FOUR <= width; x += FOUR) {
		four best, v;
		memcpy(&best, cell + x, sizeof best);
		for (uint32_t k = 1; k < rows; k++) {
			memcpy(&v, cell + (size_t)k * width + x, sizeof v);
			best = regions ? CHOOSE(v < none, best, v) : v;
		}
		if (regions)
			make_whole(&best, away);
		memcpy(out + x, &best, sizeof best);
	}
}
WEFT_WIDE(last, (bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out),
          (regions, away, cell, rows, width, out))

WEFT_BODY maximum_body(bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out)
{
	for (unsigned x = 0; x + FOUR <= width; x += FOUR) {
		four best, v;
		memcpy(&best, cell + x, sizeof best);
		for (uint32_t k = 1; k < rows; k++) {
			memcpy(&v, cell + (size_t)k * width + x, sizeof v);
			best = CHOOSE(v > best, v, best);
		}
		if (regions)
			make_whole(&best, away);
		memcpy(out + x, &best, sizeof best);
	}
}
WEFT_WIDE(maximum, (bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out),
          (regions, away, cell, rows, width, out))

WEFT_BODY mode_body(bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out)
{
	const four none = ALL(0.0), gone = ALL(away);
	four seen[MODE_ROWS];
	for (unsigned x = 0; x + FOUR <= width; x += FOUR) {
		four best = regions ? gone : none;
		four_i64 most = {0, 0, 0, 0};
		for (uint32_t k = 0; k < rows; k++) {
			four v;
			memcpy(&v, cell + (size_t)k * width + x, sizeof v);
			v = CHOOSE(v == v, v, none);
			if (regions)
				make_whole(&v, away);
			seen[k] = v;
			four_i64 n = {0, 0, 0, 0};
			for (uint32_t j = 0; j <= k; j++)
				n -= seen[j] == v;
			n = regions ? n & ~(v < none) : n;
			four_i64 more = n > most;
			most = (n & more) | (most & ~more);
			best = CHOOSE(more, v, best);
		}
		memcpy(out + x, &best, sizeof best);
	}
}
WEFT_WIDE(mode, (bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out),
          (regions, away, cell, rows, width, out))

unsigned draw_fuse(enum weft_draw draw, bool regions, double away, const double *cell, uint32_t rows, unsigned width, double *out)
{
	if (!rows)
		return 0;
	if (draw == WEFT_DRAW_LAST)
		last(regions, away, cell, rows, width, out);
	else if (draw == WEFT_DRAW_MAXIMUM)
		maximum(regions, away, cell, rows, width, out);
	else if (draw == WEFT_DRAW_MODE && rows <= MODE_ROWS)
		mode(regions, away, cell, rows, width, out);
	else
		return 0;
	return width / FOUR * FOUR;
}
