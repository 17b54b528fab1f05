/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mean iteration comes from laying all periods over each other; it begins where the signal rises most, as after a collective operation.
 * Then each iteration is looked for where the one before says that it should be, a little earlier or later, at the place where it is most like the mean one: so
 * clocks that drift and iterations that last longer lose nothing. Wavelets see a region as long as the signal changes: before it and behind it, up to
 * two periods, is looked for what is like the mean one, too.
 */
#include "phases_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 256, POINTS_LEAST = 16, SAMPLES_MOST = 1 << 22, USUAL = 10 };
static const double EARLY = 0.15, LATE = 0.3, HOLD = 0.02; /* in periods; HOLD: a shift must be worth it */
static const double ALIKE = 0.85, RISES = 0.5;             /* of what is usual */
static const double LEAST_ALIKE = 0.2;                     /* that the middle one of all must be to the mean */
static const double FAR = 3, AROUND = 2;                   /* how late one may begin, how far outside of the region; in periods */

struct tracing {
	struct weft_phase_region *r;
	uint32_t number;
	double *x, step, from; /* samples, step ns each from `from` on; points of them are a period */
	size_t n, first, last; /* how many; those of the region are from first up to last */
	unsigned points;
	double *mean;  /* points */
	double *begin; /* samples at which iterations begin; owned */
	double *likeness;
	size_t n_begins, cap, cap_likeness;
};

/* ---- the mean iteration ---- */

static void lay_over(struct tracing *t, double *folded)
{
	double *count = calloc(t->points, sizeof *count);
	memset(folded, 0, t->points * sizeof *folded);
	for (size_t i = 0; i < t->last - t->first && count; i++) {
		folded[i % t->points] += t->x[t->first + i];
		count[i % t->points]++;
	}
	for (unsigned k = 0; k < t->points && count; k++)
		folded[k] /= count[k] > 0 ? count[k] : 1;
	free(count);
}

/* Where the mean behind it is most above the mean before it. */
static unsigned steepest(const double *folded, unsigned n)
{
	unsigned width = n / 10 ? n / 10 : 1, best = 0;
	double most = -INFINITY;
	for (unsigned k = 0; k < n; k++) {
		double rise = 0;
		for (unsigned i = 0; i < width; i++)
			rise += folded[(k + i) % n] - folded[(k + n - 1 - i) % n];
		if (rise > most) {
			most = rise;
			best = k;
		}
	}
	return best;
}

/* ---- likeness ---- */

/* Correlation of what stands at `at` with the mean iteration, as far as there is something. */
static double likeness_at(const struct tracing *t, size_t at)
{
	size_t n = at + t->points <= t->n ? t->points : at < t->n ? t->n - at : 0;
	double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
	for (size_t i = 0; i < n; i++) {
		double x = t->x[at + i], y = t->mean[i];
		a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
	}
	if (n < t->points / 2)
		return 0;
	double va = aa - a * a / (double)n, vb = bb - b * b / (double)n;
	double same = sqrt(fmax(va, 0) * fmax(vb, 0));
	return same > 1e-12 * bb ? (ab - a * b / (double)n) / same : 0;
}

/* The best place near `expected`, and how like it is there. */
static size_t find_near(const struct tracing *t, double expected, double early, double late, double *likeness)
{
	double first = fmax(0, expected - early * t->points), last = expected + late * t->points, best = -INFINITY;
	size_t at = (size_t)fmax(0, expected);
	*likeness = 0;
	for (size_t k = (size_t)first; (double)k <= last && k < t->n; k++) {
		double l = likeness_at(t, k), worth = l - HOLD * fabs((double)k - expected) / t->points;
		if (worth > best) {
			best = worth;
			at = k;
			*likeness = l;
		}
	}
	return at;
}

/* How much the signal rises at a place: the mean of a tenth of a period behind it over that before it. */
static double rise_at(const struct tracing *t, size_t at)
{
	size_t width = t->points / 10 ? t->points / 10 : 1;
	double rise = 0;
	if (at < width || at + width > t->n)
		return 0;
	for (size_t i = 0; i < width; i++)
		rise += t->x[at + i] - t->x[at - 1 - i];
	return rise;
}

static double usual_rise(const struct tracing *t)
{
	size_t width = t->points / 10 ? t->points / 10 : 1;
	double rise = 0;
	for (size_t i = 0; i < width; i++)
		rise += t->mean[i] - t->mean[t->points - 1 - i];
	return rise;
}

/* Of the iterations so far. */
static double usual_likeness(const struct tracing *t)
{
	double sum = 0;
	for (size_t i = t->n_begins > USUAL ? t->n_begins - USUAL : 0; i < t->n_begins; i++)
		sum += t->likeness[i];
	return sum / (double)(t->n_begins < USUAL ? t->n_begins : USUAL);
}

/*
 * Where the next iteration begins. What is unlike there may be an iteration that is: then the signal rises all the same. Else the one
 * before goes on, and the next begins where the signal surely is like the mean again.
 */
static size_t find_next(const struct tracing *t, double expected, double *likeness)
{
	size_t at = find_near(t, expected, EARLY, LATE, likeness), steepest_at = at;
	double most = 0, usual = usual_likeness(t), l;
	if (*likeness >= ALIKE * usual)
		return at;
	for (double k = expected - EARLY * t->points; k <= expected + LATE * t->points; k++)
		if (k > 0 && rise_at(t, (size_t)k) > most) {
			most = rise_at(t, (size_t)k);
			steepest_at = (size_t)k;
		}
	if (most >= RISES * usual_rise(t)) {
		*likeness = likeness_at(t, steepest_at);
		return steepest_at;
	}
	for (double k = expected + LATE * t->points; k < expected + FAR * t->points && k + t->points <= (double)t->n; k++)
		if (likeness_at(t, (size_t)k) >= ALIKE * usual) {
			at = find_near(t, k + EARLY * t->points, EARLY, EARLY, &l);
			*likeness = l;
			return at;
		}
	return at;
}

static int add_begin(struct tracing *t, double at, double likeness)
{
	if (weft_vec_grow(&t->begin, &t->cap, t->n_begins + 1, sizeof *t->begin) ||
	    weft_vec_grow(&t->likeness, &t->cap_likeness, t->n_begins + 1, sizeof *t->likeness))
		return -ENOMEM;
	t->begin[t->n_begins] = at;
	t->likeness[t->n_begins++] = likeness;
	return 0;
}

/* The first that the region holds, or nearly. */
static size_t find_first(const struct tracing *t, unsigned phase, double *likeness)
{
	size_t at = find_near(t, (double)(t->first + phase), EARLY, EARLY, likeness);
	if (at >= t->points && (double)at >= (double)t->first + (1 - EARLY) * t->points) /* one more fits in front */
		at = find_near(t, (double)at - t->points, EARLY, EARLY, likeness);
	return at;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* That of the middle one; in *median. */
static int middle_likeness(const struct tracing *t, double *median)
{
	double *sorted = malloc((t->n_begins + 1) * sizeof *sorted);
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, t->likeness, t->n_begins * sizeof *sorted);
	qsort(sorted, t->n_begins, sizeof *sorted, ascending);
	*median = sorted[t->n_begins / 2];
	free(sorted);
	return 0;
}

/* Those in front of the region that are like the mean one. */
static int add_front(struct tracing *t)
{
	double median, l;
	int rc = middle_likeness(t, &median);
	while (!rc && t->begin[0] >= t->points) {
		const size_t front = find_near(t, t->begin[0] - t->points, EARLY, EARLY, &l);
		if ((double)front >= t->begin[0] || l < ALIKE * median)
			break;
		rc = add_begin(t, 0, 0);
		if (rc)
			break;
		memmove(t->begin + 1, t->begin, (t->n_begins - 1) * sizeof *t->begin);
		memmove(t->likeness + 1, t->likeness, (t->n_begins - 1) * sizeof *t->likeness);
		t->begin[0] = (double)front;
		t->likeness[0] = l;
	}
	return rc;
}

/* Bursts of events within iterations make a period, too, with nothing in most of what would be its iterations: that is none. */
static int drop_invented(struct tracing *t)
{
	double median;
	int rc = middle_likeness(t, &median);
	if (!rc && median < LEAST_ALIKE) {
		t->n_begins = 0;
		t->r->period = (struct weft_period){.found = false};
	}
	return rc;
}

static int follow(struct tracing *t, unsigned phase)
{
	double likeness;
	size_t at = find_first(t, phase, &likeness);
	int rc = add_begin(t, (double)at, likeness);
	while (!rc && (double)at + 1.5 * t->points <= (double)t->last + 2) {
		at = find_next(t, (double)at + t->points, &likeness);
		rc = add_begin(t, (double)at, likeness);
	}
	while (!rc && (double)at + 1.5 * t->points <= (double)t->n + 2) { /* behind the region */
		const size_t next = find_near(t, (double)at + t->points, EARLY, EARLY, &likeness);
		if (next <= at || likeness < ALIKE * usual_likeness(t))
			break;
		at = next;
		rc = add_begin(t, (double)at, likeness);
	}
	/* The end of the last: a period behind its begin, or where all ends shortly before. One that the region does not hold must be like the mean. */
	const double end = (double)at + t->points;
	const bool holds = end <= (double)t->last + EARLY * t->points;
	if (!rc && end <= (double)t->n + EARLY * t->points &&
	    (holds || t->likeness[t->n_begins - 1] >= ALIKE * usual_likeness(t)))
		rc = add_begin(t, fmin(end, (double)t->n), 0);
	return rc ? rc : add_front(t);
}

/* ---- which are perturbed ---- */

static void median_and_mad(double *v, size_t n, double *median, double *mad)
{
	qsort(v, n, sizeof *v, ascending);
	*median = v[n / 2];
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - *median);
	qsort(v, n, sizeof *v, ascending);
	*mad = v[n / 2];
}

static int mark(struct tracing *t, struct weft_phase_iteration *at, size_t n)
{
	double *v = malloc((n + 1) * sizeof *v), usual, spread, length, length_spread;
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		v[i] = at[i].likeness;
	median_and_mad(v, n, &usual, &spread);
	for (size_t i = 0; i < n; i++)
		v[i] = (double)(at[i].end - at[i].begin);
	median_and_mad(v, n, &length, &length_spread);
	for (size_t i = 0; i < n; i++) {
		double d = fabs((double)(at[i].end - at[i].begin) - length);
		at[i].perturbed = at[i].likeness < usual - fmax(0.1, 6 * spread) || d > fmax(0.08 * length, 6 * length_spread);
		t->r->perturbed += at[i].perturbed;
	}
	free(v);
	return 0;
}

/* ---- iterations in iterations ---- */

static int find_inner(struct tracing *t)
{
	struct weft_period_how find = {.least = 0.6, .cycles = 2.5, .threads = 1};
	struct weft_period p;
	int rc = weft_period_find(t->mean, t->points, &find, &p);
	if (!rc && p.found && p.period >= 4) {
		t->r->inner_ns = p.period * t->step;
		t->r->inner_strength = p.strength;
	}
	return rc;
}

/* Of how long iterations are, and of how high the signal is in them. */
static int find_outer(struct tracing *t, const struct weft_phase_iteration *at, size_t n)
{
	struct weft_period_how find = {.least = 0.5, .cycles = 3, .threads = 1};
	double *v = malloc((n + 1) * sizeof *v);
	int rc = v ? 0 : -ENOMEM;
	for (unsigned of = 0; of < 2 && !rc && !(t->r->outer > 0); of++) {
		struct weft_period p;
		double mean = 0, square = 0;
		for (size_t i = 0; i < n; i++) {
			size_t first = (size_t)t->begin[i], last = (size_t)t->begin[i + 1];
			v[i] = of ? 0 : (double)(at[i].end - at[i].begin);
			for (size_t k = first; of && k < last; k++)
				v[i] += t->x[k] / (double)(last - first);
			mean += v[i] / (double)n;
		}
		for (size_t i = 0; i < n; i++)
			square += (v[i] - mean) * (v[i] - mean) / (double)n;
		if (sqrt(square) < 0.01 * fabs(mean))
			continue; /* they hardly differ */
		rc = weft_period_find(v, n, &find, &p);
		if (!rc && p.found && p.period >= 1.5) {
			t->r->outer = round(p.period);
			t->r->outer_strength = p.strength;
		}
	}
	free(v);
	return rc;
}

/* ---- the whole ---- */

static int take(struct tracing *t, struct phase_list *list)
{
	size_t n = t->n_begins ? t->n_begins - 1 : 0;
	t->r->first = (uint32_t)list->n;
	for (size_t i = 0; i < n; i++) {
		struct weft_phase_iteration x = {.begin = (uint64_t)(t->from + t->begin[i] * t->step),
		                                 .end = (uint64_t)(t->from + t->begin[i + 1] * t->step),
		                                 .likeness = fmin(1, t->likeness[i]),
		                                 .region = t->number};
		if (weft_vec_push(list, x))
			return -ENOMEM;
	}
	t->r->n = (uint32_t)n;
	struct weft_phase_iteration *at = list->at + t->r->first;
	int rc = n ? mark(t, at, n) : 0;
	rc = rc ? rc : find_inner(t);
	return rc || n < 6 ? rc : find_outer(t, at, n);
}

/* Where samples are: the region's, and those around it that are nobody else's. */
static void place_samples(struct tracing *t, const struct weft_phase_region *r, uint64_t least, uint64_t most)
{
	const double count = (double)(r->to - r->from) / r->period.period, points = SAMPLES_MOST / fmax(1, count);
	t->points = points > POINTS ? POINTS : points < POINTS_LEAST ? POINTS_LEAST : (unsigned)points;
	t->step = r->period.period / t->points;
	const double before = r->from > least ? (double)(r->from - least) / t->step : 0,
		     behind = most > r->to ? (double)(most - r->to) / t->step : 0;
	t->first = (size_t)fmin(before, AROUND * t->points);
	t->last = t->first + (size_t)(count * t->points);
	t->n = t->last + (size_t)fmin(behind, AROUND * t->points);
	t->from = (double)r->from - t->step * (double)t->first;
}

int phase_iterations(struct phase_list *list, struct weft_phase_region *r, uint32_t number, const struct weft_signal *s,
                     uint64_t least, uint64_t most)
{
	struct tracing t = {.r = r, .number = number};
	place_samples(&t, r, least, most);
	t.x = malloc((t.n + 1) * sizeof *t.x);
	double *folded = malloc(2 * (size_t)t.points * sizeof *folded);
	t.mean = folded ? folded + t.points : NULL;
	int rc = t.x && folded ? 0 : -ENOMEM;
	if (!rc) {
		weft_signal_sample(s, t.from, t.from + t.step * (double)t.n, t.n, t.x);
		lay_over(&t, folded);
		unsigned phase = steepest(folded, t.points);
		for (unsigned k = 0; k < t.points; k++)
			t.mean[k] = folded[(phase + k) % t.points];
		rc = follow(&t, phase);
	}
	rc = rc ? rc : drop_invented(&t);
	rc = rc || !t.n_begins ? rc : take(&t, list);
	free(t.x);
	free(folded);
	free(t.begin);
	free(t.likeness);
	return rc;
}
