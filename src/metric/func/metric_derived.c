/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived metrics: two rows made one. The plain operations have the boundaries of both; the
 * controlled ones take those of the second (the control) and fold the first one's bursts into each.
 * A row of a coarser parent is the object that ours is in.
 */
#include "base/wide.h"
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 32 }; /* of equal ends: shorter ones are merged */
enum { PLAIN, FOLD_ADD, FOLD_MAXIMUM, FOLD_AVERAGE, CLEAR_BY, ENUMERATE };

struct metric_derived {
	struct metric_stream stream;
	const struct metric_derived_func *func;
	struct metric_pull parent[2];
	bool has[2];
	struct metric_share *share; /* owned; NULL: none */
	double factor[2];
	double begin, to;
	double control, cleared_at; /* the control's last value; when it last fell */
	bool cleared, begun, done;
};

static void derived_free(struct metric_stream *s)
{
	struct metric_derived *d = (struct metric_derived *)(void *)s;
	for (unsigned i = 0; i < 2; i++)
		if (d->has[i])
			metric_pull_fini(&d->parent[i]);
	metric_share_free(d->share);
	free(d);
}

/* Small factors divide: 0.1 is not 1/10. */
static inline double derived_times(double v, double factor)
{
	if (factor == 1)
		return v;
	return fabs(factor) < 1 && factor != 0 ? (factor < 0 ? -1 : 1) * v / (1 / fabs(factor)) : v * factor;
}

static void take_times(double *restrict to, const double *restrict v, uint32_t n, double factor)
{
	if (factor == 1)
		memcpy(to, v, n * sizeof *v);
	for (uint32_t i = 0; factor != 1 && i < n; i++)
		to[i] = derived_times(v[i], factor);
}

static inline double value_of(const struct metric_derived *d, unsigned i)
{
	return derived_times(d->parent[i].value, d->factor[i]);
}

/* Both go on by one interval at most when they end here. */
static int advance_both(struct metric_derived *d, double end)
{
	for (unsigned i = 0; i < 2; i++) {
		struct metric_pull *p = &d->parent[i];
		if (p->end <= end) {
			int rc = metric_pull_step(p);
			if (rc < 0)
				return rc;
			if (!rc)
				d->done = true;
		}
	}
	return 0;
}

static double cleared_by(struct metric_derived *d)
{
	double control = value_of(d, 1);
	if (d->begun && control < d->control) {
		d->cleared = true;
		d->cleared_at = d->begin;
	}
	if (d->cleared && d->parent[0].begin > d->cleared_at)
		d->cleared = false;
	d->control = control;
	d->begun = true;
	return d->cleared ? 0 : value_of(d, 0);
}

/*
 * As many intervals as both have with the same ends, from the ones in front on but for the last of
 * each: the most frequent case, as parents are often two sides of the same records. *n is where
 * they go to.
 */
static void take_equal(struct metric_derived *d, struct weft_intervals *b, double *right)
{
	struct metric_pull *x = &d->parent[0], *y = &d->parent[1];
	uint32_t most = WEFT_INTERVALS - b->n;
	if (x->block->n - x->at - 1 < most)
		most = x->block->n - x->at - 1;
	if (y->block->n - y->at - 1 < most)
		most = y->block->n - y->at - 1;
	const double *xe = x->block->end + x->at, *ye = y->block->end + y->at;
	uint32_t n = metric_ends_before(xe, metric_ends_equal(xe, ye, most), d->to);
	if (!n)
		return;
	memcpy(b->end + b->n, xe, n * sizeof *xe);
	take_times(b->value + b->n, x->block->value + x->at, n, d->factor[0]);
	take_times(right + b->n, y->block->value + y->at, n, d->factor[1]);
	b->n += n;
	x->at += n - 1;
	y->at += n - 1;
	x->end = y->end = d->begin = xe[n - 1];
	/* The last of them is left by a step, as any other: neither block ends here. */
	if (metric_pull_step(x) < 0 || metric_pull_step(y) < 0)
		d->done = true;
}

/* Puts a parent where the intervals behind its block's place `at` begin. */
static void stand_at(struct metric_pull *p, uint32_t at)
{
	if (at == p->at)
		return;
	p->at = at;
	p->begin = p->block->end[at - 1];
	p->end = p->block->end[at];
	p->value = p->block->value[at];
}

/*
 * The same of parents whose ends lie between each other's, as those of states and events do: which
 * of the two goes on is hard to foresee, so nothing jumps by it. Up to the last of either block.
 */
static void take_merged(struct metric_derived *d, struct weft_intervals *b, double *right)
{
	struct metric_pull *x = &d->parent[0], *y = &d->parent[1];
	const double *xe = x->block->end, *ye = y->block->end, *xv = x->block->value, *yv = y->block->value;
	const uint32_t first = b->n, nx = x->block->n, ny = y->block->n;
	uint32_t i = x->at, j = y->at, k = first;
	while (k < WEFT_INTERVALS && i + 1 < nx && j + 1 < ny) {
		const double a = xe[i], c = ye[j], end = a < c ? a : c;
		if (end >= d->to)
			break;
		b->end[k] = end;
		b->value[k] = xv[i];
		right[k++] = yv[j];
		i += a <= c;
		j += c <= a;
	}
	if (k == first)
		return;
	b->n = k;
	d->begin = b->end[k - 1];
	stand_at(x, i);
	stand_at(y, j);
	for (uint32_t n = first; n < k && d->factor[0] != 1; n++)
		b->value[n] = derived_times(b->value[n], d->factor[0]);
	for (uint32_t n = first; n < k && d->factor[1] != 1; n++)
		right[n] = derived_times(right[n], d->factor[1]);
}

/*
 * Whether the block is given as it is, since a parent's ends here: going on would open the thread's
 * next events before the others that walk with it have done with these.
 */
static bool is_enough(const struct metric_derived *d, const struct weft_intervals *b)
{
	enum { ENOUGH = 256 };
	const struct metric_pull *p = &d->parent[0];
	return b->n >= ENOUGH && p->at + 1 >= p->block->n && p->block->n >= ENOUGH;
}

/* The boundaries of both, values beside each other. */
static int plain_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct metric_derived *d = (struct metric_derived *)(void *)s;
	double right[WEFT_INTERVALS];
	b->n = 0;
	b->begin = d->begin;
	while (!d->done && b->n < WEFT_INTERVALS && !is_enough(d, b)) {
		if (d->func->run && !d->parent[0].ended && !d->parent[1].ended) {
			uint32_t had = b->n;
			take_equal(d, b, right);
			if (!d->done && b->n - had < SHORT_RUN)
				take_merged(d, b, right);
		}
		if (d->done || b->n == WEFT_INTERVALS || is_enough(d, b))
			break;
		double end = d->parent[0].end < d->parent[1].end ? d->parent[0].end : d->parent[1].end;
		uint32_t i = b->n++;
		b->end[i] = end;
		b->value[i] = d->func->controlled == CLEAR_BY ? cleared_by(d) : value_of(d, 0);
		right[i] = value_of(d, 1);
		d->begin = end;
		if (end >= d->to) {
			d->done = true;
			break;
		}
		int rc = advance_both(d, end);
		if (rc)
			return rc;
	}
	if (d->func->run)
		d->func->run(b->value, right, b->n);
	return b->n > 0;
}

struct fold {
	double sum, time, weighted, most;
	bool any;
};

static void fold_in(struct metric_derived *d, struct fold *f)
{
	const struct metric_pull *p = &d->parent[0];
	double v = value_of(d, 0), time = p->end - p->begin;
	f->sum += v;
	f->weighted += v * time;
	f->time += time;
	if (!f->any || v > f->most)
		f->most = v;
	f->any = true;
}

static double fold_value(const struct metric_derived *d, const struct fold *f)
{
	switch (d->func->controlled) {
	case FOLD_ADD:
		return f->sum;
	case FOLD_MAXIMUM:
		return f->most;
	case FOLD_AVERAGE:
		return f->time != 0 ? f->weighted / f->time : 0;
	default: /* Paraver's "enumerate" counts no further than the row's first burst */
		return !d->begun;
	}
}

/* The control's interval, with all bursts of the data that begin before it ends. */
static int fold_one(struct metric_derived *d, double *value)
{
	struct metric_pull *data = &d->parent[0], *control = &d->parent[1];
	struct fold f = {0};
	int rc = 1;
	while (rc > 0 && !data->ended && data->end <= control->begin)
		rc = metric_pull_step(data);
	while (rc > 0 && !data->ended && data->begin < control->end) {
		fold_in(d, &f);
		if (data->end > control->end)
			break;
		rc = metric_pull_step(data);
	}
	if (rc < 0)
		return rc;
	*value = fold_value(d, &f);
	d->begun = true;
	return 0;
}

static int fold_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct metric_derived *d = (struct metric_derived *)(void *)s;
	struct metric_pull *control = &d->parent[1];
	b->n = 0;
	b->begin = d->begin;
	while (!d->done && b->n < WEFT_INTERVALS) {
		uint32_t i = b->n++;
		b->end[i] = d->begin = control->end;
		int rc = fold_one(d, &b->value[i]);
		if (rc)
			return rc;
		if (control->end >= d->to) {
			d->done = true;
			break;
		}
		rc = metric_pull_step(control);
		if (rc < 0)
			return rc;
		d->done = !rc;
	}
	return b->n > 0;
}

/* ---- shifts ---- */

struct shift {
	struct metric_stream stream;
	struct metric_pull now, then; /* boundaries; values, so many intervals later or earlier */
	bool has_then;
	int32_t early; /* intervals that have no value yet */
	double to;
	bool done;
};

static void shift_free(struct metric_stream *s)
{
	struct shift *h = (struct shift *)(void *)s;
	metric_pull_fini(&h->now);
	if (h->has_then)
		metric_pull_fini(&h->then);
	free(h);
}

static int shift_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct shift *h = (struct shift *)(void *)s;
	b->n = 0;
	b->begin = h->now.begin;
	while (!h->done && b->n < WEFT_INTERVALS) {
		uint32_t i = b->n++;
		b->end[i] = h->now.end;
		b->value[i] = h->early > 0 || h->then.ended ? 0 : h->then.value;
		int rc = metric_pull_step(&h->now);
		if (rc < 0)
			return rc;
		h->done = !rc || b->end[i] >= h->to;
		if (h->early > 0)
			h->early--;
		else if ((rc = metric_pull_step(&h->then)) < 0)
			return rc;
	}
	return b->n > 0;
}

/* The row of a parent: its own, or one that others of this row have, too. */
static int parent_row(struct metric_stream **out, const struct metric_site *site)
{
	return site->bank && site->metric->parent[0] ? metric_bank_open(out, site) : metric_row_stream(out, site);
}

/* Two walks over the same row, one of them ahead. */
static int derived_shifted(struct metric_stream **out, const struct metric_site *site, int32_t by)
{
	struct shift *h = calloc(1, sizeof *h);
	struct metric_site ahead = *site;
	struct metric_stream *now, *then;
	if (!h)
		return -ENOMEM;
	h->stream = (struct metric_stream){shift_next, shift_free};
	h->early = by < 0 ? -by : 0;
	h->to = site->to;
	if (by > 0)
		ahead.to = INFINITY;
	int rc = parent_row(&now, site);
	if (!rc)
		rc = metric_pull_init(&h->now, now);
	if (!rc && site->bank && !metric_bank_takes(by))
		rc = metric_bank_branch(&ahead.bank, site->bank);
	if (!rc)
		rc = parent_row(&then, &ahead);
	if (!rc) {
		rc = metric_pull_init(&h->then, then);
		h->has_then = true;
	}
	for (int32_t i = 0; i < by && !rc; i++)
		if ((rc = metric_pull_step(&h->then)) > 0)
			rc = 0;
	if (rc)
		shift_free(&h->stream);
	else
		*out = &h->stream;
	return rc;
}

/* ---- the stream ---- */

static int open_parent(struct metric_derived *d, const struct metric_site *site, unsigned i)
{
	const struct weft_metric *m = site->metric, *parent = m->parent[i];
	struct metric_site at = {site->space,   parent,
	                         parent->level, weft_level_up(site->space, site->level, site->object, parent->level),
	                         site->from,    site->to,
	                         d->share,      site->walks,
	                         site->bank};
	struct metric_stream *s = NULL;
	int rc = m->shift[i] ? derived_shifted(&s, &at, m->shift[i]) : parent_row(&s, &at);
	if (rc)
		return rc;
	d->has[i] = true;
	return metric_pull_init(&d->parent[i], s);
}

int metric_derived_new(struct metric_stream **out, const struct metric_site *site)
{
	struct metric_derived *d = calloc(1, sizeof *d);
	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->func = (const struct metric_derived_func *)(const void *)site->metric->operation.func;
	bool folds = d->func->controlled && d->func->controlled != CLEAR_BY;
	d->stream = (struct metric_stream){folds ? fold_next : plain_next, derived_free};
	d->to = site->to;
	const struct weft_metric *m = site->metric;
	int rc = folds || m->shift[0] || m->shift[1] ? 0 : metric_share_new(&d->share, m->parent[0], m->parent[1]);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		d->factor[i] = site->metric->factor[i];
		rc = open_parent(d, site, i);
	}
	if (rc) {
		derived_free(&d->stream);
		return rc;
	}
	metric_share_seal(d->share);
	d->begin = folds ? d->parent[1].begin : fmax(d->parent[0].begin, d->parent[1].begin);
	*out = &d->stream;
	return 0;
}

#define PLAIN_FUNC(name, expression) \
	WEFT_BODY run_##name##_body(double *restrict a, const double *restrict b, uint32_t n) \
	{ \
		for (uint32_t i = 0; i < n; i++) \
			a[i] = (expression); \
	} \
	WEFT_WIDEST(run_##name, (double *restrict a, const double *restrict b, uint32_t n), (a, b, n))

PLAIN_FUNC(add, a[i] + b[i])
PLAIN_FUNC(substract, a[i] - b[i])
PLAIN_FUNC(product, a[i] * b[i])
PLAIN_FUNC(divide, b[i] != 0 ? a[i] / b[i] : 0)
PLAIN_FUNC(maximum, a[i] > b[i] ? a[i] : b[i])
PLAIN_FUNC(minimum, a[i] < b[i] ? a[i] : b[i])
PLAIN_FUNC(different, a[i] != b[i])

const struct metric_derived_func metric_derived_funcs[] = {
	{{"add", {{0}}, false}, run_add, PLAIN},
	{{"substract", {{0}}, false}, run_substract, PLAIN},
	{{"product", {{0}}, false}, run_product, PLAIN},
	{{"divide", {{0}}, false}, run_divide, PLAIN},
	{{"maximum", {{0}}, false}, run_maximum, PLAIN},
	{{"minimum", {{0}}, false}, run_minimum, PLAIN},
	{{"different", {{0}}, false}, run_different, PLAIN},
	{{"controlled: clear by", {{0}}, true}, NULL, CLEAR_BY},
	{{"controlled: maximum", {{0}}, false}, NULL, FOLD_MAXIMUM},
	{{"controlled: add", {{0}}, false}, NULL, FOLD_ADD},
	{{"controlled: enumerate", {{0}}, true}, NULL, ENUMERATE},
	{{"controlled: average", {{0}}, false}, NULL, FOLD_AVERAGE},
	{{NULL, {{0}}, false}, NULL, PLAIN},
};
