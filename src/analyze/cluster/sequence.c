/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile is the alignment so far: of each column how many sequences have which id. A sequence is aligned with it by Needleman and Wunsch
 * with linear gaps: rows are columns of the profile, and of each only what lies in the band is kept, two bits a cell for the way back.
 *
 *        sequence →          from a cell: DIAGONAL takes both, UP leaves a gap in the sequence,
 *      ┌───────────────      LEFT makes a column that the profile has not
 *      │ ╲ ╲
 *      │  ╲ ╲  band
 */
#include "sequence.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIAGONAL = 0, UP = 1, LEFT = 2 };
static const double GAP = -50, NEVER = -1e300;
static const size_t CELLS_MOST = (size_t)1 << 28, BAND = 2000;

struct profile {
	uint32_t n_ids, n; /* n: sequences in it */
	size_t columns;
	uint32_t *count; /* columns × n_ids; owned, as all below */
	double *gain;    /* columns × n_ids: what an id scores against a column */
};
struct aligning {
	const struct weft_sequences *s;
	struct profile p;
	double *pair; /* n_ids × n_ids */
	double terminal;
	uint32_t *order, *same; /* same: an earlier sequence that is equal, or itself */
	uint8_t *way;           /* of the last table, from its begin; n_way */
	size_t n_way;
};

static size_t length_of(const struct weft_sequences *s, uint32_t i)
{
	return s->first[i + 1] - s->first[i];
}

/* ---- scores ---- */

static int make_pairs(struct aligning *a)
{
	const struct weft_sequences *s = a->s;
	uint32_t n = s->n_ids;
	double least = INFINITY;
	a->pair = malloc((size_t)n * n * sizeof *a->pair);
	if (!a->pair)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		least = s->share[i] > 0 && s->share[i] < least ? s->share[i] : least;
		for (uint32_t k = 0; k < n; k++) {
			double v = 50 * (s->share[i] + s->share[k]);
			if (i == k)
				v = 200 * s->share[i] + n - i;
			else if (!i || !k)
				v = 100 * s->share[i ? i : k];
			a->pair[(size_t)i * n + k] = v;
		}
	}
	a->terminal = isfinite(least) ? -100 * least : 0;
	return 0;
}

static int measure(struct aligning *a)
{
	struct profile *p = &a->p;
	double *gain = realloc(p->gain, (p->columns + 1) * p->n_ids * sizeof *gain);
	if (!gain)
		return -ENOMEM;
	p->gain = gain;
	memset(gain, 0, p->columns * p->n_ids * sizeof *gain);
	for (size_t c = 0; c < p->columns; c++) {
		const uint32_t *count = p->count + c * p->n_ids;
		for (uint32_t i = 0; i < p->n_ids; i++)
			for (uint32_t k = 0; count[i] && k < p->n_ids; k++)
				gain[c * p->n_ids + k] += count[i] * a->pair[(size_t)i * p->n_ids + k] / p->n;
	}
	return 0;
}

/* ---- the table ---- */

struct table {
	size_t rows, length, band; /* band: half of its width */
	size_t width;              /* cells of a row that are kept */
	uint8_t *ways;             /* four a byte */
	double *above, *here;
};

/* The first cell of a row that is kept. */
static size_t row_begin(const struct table *t, size_t row)
{
	size_t middle = t->rows ? (size_t)((double)row * (double)t->length / (double)t->rows) : 0;
	return middle > t->band ? middle - t->band : 0;
}

static size_t row_end(const struct table *t, size_t row) /* behind the last */
{
	size_t end = row_begin(t, row) + t->width;
	return end < t->length + 1 ? end : t->length + 1;
}

static void put_way(struct table *t, size_t row, size_t at, unsigned way)
{
	size_t cell = row * t->width + at - row_begin(t, row);
	t->ways[cell / 4] |= (uint8_t)(way << cell % 4 * 2);
}

static unsigned way_at(const struct table *t, size_t row, size_t at)
{
	size_t cell = row * t->width + at - row_begin(t, row);
	return t->ways[cell / 4] >> cell % 4 * 2 & 3;
}

static void fill_row(struct aligning *a, struct table *t, size_t row, const uint32_t *id)
{
	size_t begin = row_begin(t, row), end = row_end(t, row), before = row ? row_begin(t, row - 1) : 0;
	size_t before_end = row ? row_end(t, row - 1) : 0;
	const double *gain = row ? a->p.gain + (row - 1) * a->p.n_ids : NULL;
	double left_gap = row == t->rows ? a->terminal : GAP;
	for (size_t j = begin; j < end; j++) {
		double up_gap = j == 0 || j == t->length ? a->terminal : GAP, best = row || j ? NEVER : 0;
		unsigned way = DIAGONAL;
		if (row && j && j - 1 >= before && j - 1 < before_end)
			best = t->above[j - 1 - before] + gain[id[j - 1]];
		if (row && j >= before && j < before_end && t->above[j - before] + up_gap > best) {
			best = t->above[j - before] + up_gap;
			way = UP;
		}
		double side = row ? left_gap : a->terminal;
		if (j > begin && t->here[j - 1 - begin] + side > best) {
			best = t->here[j - 1 - begin] + side;
			way = LEFT;
		}
		t->here[j - begin] = best;
		put_way(t, row, j, way);
	}
}

static int walk_back(struct aligning *a, const struct table *t)
{
	size_t row = t->rows, j = t->length, n = 0;
	uint8_t *way = malloc(t->rows + t->length + 1);
	if (!way)
		return -ENOMEM;
	while (row || j) {
		unsigned w = way_at(t, row, j);
		way[n++] = (uint8_t)w;
		row -= w != LEFT;
		j -= w != UP;
	}
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t x = way[i];
		way[i] = way[n - 1 - i];
		way[n - 1 - i] = x;
	}
	free(a->way);
	a->way = way;
	a->n_way = n;
	return 0;
}

static int find_way(struct aligning *a, const uint32_t *id, size_t length)
{
	struct table t = {.rows = a->p.columns, .length = length, .band = length + 1};
	if ((double)(t.rows + 1) * (double)(length + 1) > (double)CELLS_MOST) {
		size_t apart = t.rows > length ? t.rows - length : length - t.rows;
		t.band = BAND + apart / 4 + (t.rows ? length / t.rows : 0);
	}
	t.width = 2 * t.band + 1 < length + 1 ? 2 * t.band + 1 : length + 1;
	t.ways = calloc(((t.rows + 1) * t.width) / 4 + 1, 1);
	t.above = malloc(t.width * sizeof *t.above);
	t.here = malloc(t.width * sizeof *t.here);
	int rc = t.ways && t.above && t.here ? 0 : -ENOMEM;
	for (size_t row = 0; row <= t.rows && !rc; row++) {
		fill_row(a, &t, row, id);
		double *x = t.above;
		t.above = t.here;
		t.here = x;
	}
	rc = rc ? rc : walk_back(a, &t);
	free(t.ways);
	free(t.above);
	free(t.here);
	return rc;
}

/* ---- profiles ---- */

/* The columns of the last way: those of the profile, and new ones; and the same for the cells of the sequences that are in it. */
static int stretch(struct aligning *a, struct weft_alignment *out, const bool *in)
{
	struct profile *p = &a->p;
	size_t columns = a->n_way, n_ids = p->n_ids;
	if (columns == p->columns)
		return 0;
	uint32_t *count = calloc(columns * n_ids, sizeof *count), *cell = malloc(columns * out->n * sizeof *cell);
	if (!count || !cell) {
		free(count);
		free(cell);
		return -ENOMEM;
	}
	for (size_t c = 0, from = 0; c < columns; c++)
		if (a->way[c] != LEFT)
			memcpy(count + c * n_ids, p->count + from++ * n_ids, n_ids * sizeof *count);
	for (uint32_t i = 0; i < out->n; i++)
		for (size_t c = 0, from = 0; in[i] && c < columns; c++)
			cell[i * columns + c] = a->way[c] == LEFT ? WEFT_SEQUENCE_GAP : out->cell[i * out->columns + from++];
	free(p->count);
	free(out->cell);
	p->count = count;
	out->cell = cell;
	p->columns = out->columns = columns;
	return 0;
}

static int add_sequence(struct aligning *a, struct weft_alignment *out, uint32_t which, bool *in)
{
	const uint32_t *id = a->s->id + a->s->first[which];
	int rc = measure(a);
	rc = rc ? rc : find_way(a, id, length_of(a->s, which));
	rc = rc ? rc : stretch(a, out, in);
	for (size_t c = 0, at = 0; c < a->n_way && !rc; c++) {
		uint32_t x = a->way[c] == UP ? WEFT_SEQUENCE_GAP : id[at++];
		out->cell[which * out->columns + c] = x;
		if (x != WEFT_SEQUENCE_GAP)
			a->p.count[c * a->p.n_ids + x]++;
	}
	in[which] = true;
	a->p.n++;
	return rc;
}

/* Another sequence that is equal to one that is in: its cells, and its weight in the profile. */
static void add_equal(struct aligning *a, struct weft_alignment *out, uint32_t which, uint32_t as)
{
	const uint32_t *from = out->cell + as * out->columns;
	if (out->columns)
		memcpy(out->cell + which * out->columns, from, out->columns * sizeof *from);
	for (size_t c = 0; c < out->columns; c++)
		if (from[c] != WEFT_SEQUENCE_GAP)
			a->p.count[c * a->p.n_ids + from[c]]++;
	a->p.n++;
}

/* ---- the whole ---- */

static int longest_first(const void *x, const void *y, void *arg)
{
	const struct weft_sequences *s = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	if (length_of(s, a) != length_of(s, b))
		return length_of(s, a) > length_of(s, b) ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool are_equal(const struct weft_sequences *s, uint32_t a, uint32_t b)
{
	size_t n = length_of(s, a);
	return n == length_of(s, b) && (!n || !memcmp(s->id + s->first[a], s->id + s->first[b], n * sizeof *s->id));
}

/* same[i]: the first equal one in the order, by a hash of each. */
static int find_equal(struct aligning *a)
{
	const struct weft_sequences *s = a->s;
	struct weft_map seen = {0};
	int rc = 0;
	for (uint32_t k = 0; k < s->n && !rc; k++) {
		uint32_t i = a->order[k];
		uint64_t hash = weft_hash(s->id + s->first[i], length_of(s, i) * sizeof *s->id), first;
		a->same[i] = i;
		if (!weft_map_get(&seen, hash, &first))
			rc = weft_map_put(&seen, hash, i);
		else if (are_equal(s, i, (uint32_t)first))
			a->same[i] = (uint32_t)first;
	}
	weft_map_fini(&seen);
	return rc;
}

static int align(struct aligning *a, struct weft_alignment *out)
{
	const struct weft_sequences *s = a->s;
	bool *in = calloc(s->n, 1);
	int rc = in ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++)
		a->order[i] = i;
	qsort_r(a->order, s->n, sizeof *a->order, longest_first, (void *)s);
	rc = rc ? rc : make_pairs(a);
	rc = rc ? rc : find_equal(a);
	for (uint32_t k = 0; k < s->n && !rc; k++) {
		uint32_t i = a->order[k];
		if (a->same[i] != i)
			continue;
		rc = add_sequence(a, out, i, in);
		for (uint32_t m = k + 1; m < s->n && !rc; m++)
			if (a->same[a->order[m]] == i) {
				add_equal(a, out, a->order[m], i);
				in[a->order[m]] = true;
			}
	}
	free(in);
	return rc;
}

int weft_sequences_align(struct weft_alignment *out, const struct weft_sequences *s)
{
	struct aligning a = {.s = s, .p.n_ids = s->n_ids};
	*out = (struct weft_alignment){.n = s->n};
	a.order = malloc((s->n + (size_t)1) * sizeof *a.order);
	a.same = malloc((s->n + (size_t)1) * sizeof *a.same);
	int rc = a.order && a.same ? align(&a, out) : -ENOMEM;
	free(a.order);
	free(a.same);
	free(a.pair);
	free(a.way);
	free(a.p.count);
	free(a.p.gain);
	if (rc)
		weft_alignment_fini(out);
	return rc;
}

void weft_alignment_fini(struct weft_alignment *a)
{
	free(a->cell);
	*a = (struct weft_alignment){0};
}
