/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks. Each stream first gets its line to its domain's CLOCK_MONOTONIC: through its samples, without those that cannot be
 * true (time or ticks that go back, a slope far from the estimate); outside of them with the slope of the whole span, since that
 * between two near samples is mostly noise. Then each domain gets a line from its CLOCK_MONOTONIC to the axis: for the first,
 * and those that share no sync point with it, an offset, that of the time of day at their earliest sample (one offset, so that a
 * time of day which is set during the run moves nothing); for the others a line through the sync points. Last, the two lines of
 * each stream are put behind one another.
 */
#include "clock_priv.h"
#include "base/map.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_MOST (UINT64_C(1) << 60)    /* of ticks and CLOCK_MONOTONIC in a sample that can be true */
#define REALTIME_MOST (UINT64_C(1) << 62) /* the year 2116 */
#define SLOPE_ONE ((double)(1ull << 56))
#define SLOPE_MOST 200.0  /* ns per tick: a clock of 5 MHz */
#define NEAR_NS 10000000u /* samples nearer than this say nothing about the rate */

struct point { /* of a domain's line */
	int64_t from, to;
	uint32_t n; /* how many streams it is the mean of */
};
struct domain {
	const char *name;
	int64_t offset; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	uint64_t earliest;
	bool has_offset;
	WEFT_VEC(struct point) point; /* monotonic -> axis; one: an offset */
};
struct aligner {
	struct clock_stream *const *stream;
	uint32_t n;
	uint32_t *domain_of;   /* by stream; owned */
	struct domain *domain; /* owned */
	uint32_t n_domains;
	const struct clock_ties *ties; /* NULL: none */
};

static uint64_t to_slope(double ns_per_tick)
{
	if (!(ns_per_tick > 0))
		return 0;
	return (uint64_t)((ns_per_tick < SLOPE_MOST ? ns_per_tick : SLOPE_MOST) * SLOPE_ONE);
}

static int by_ticks(const void *x, const void *y)
{
	const struct clock_sample *a = x, *b = y;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static bool rate_is_plausible(double ns_per_tick, double estimate)
{
	return ns_per_tick > 0 && ns_per_tick < SLOPE_MOST &&
	       (estimate <= 0 || (ns_per_tick < 4 * estimate && ns_per_tick > estimate / 4));
}

/* Whether sample c can follow `last` (NULL: there is none). */
static bool can_follow(const struct clock_sample *last, const struct clock_sample *c, double estimate)
{
	if (c->ticks >= TICKS_MOST || c->monotonic >= TICKS_MOST || c->realtime >= REALTIME_MOST)
		return false;
	if (!last)
		return true;
	uint64_t ticks = c->ticks - last->ticks, ns = c->monotonic - last->monotonic;
	if (ticks == 0 || c->monotonic < last->monotonic)
		return false;
	return ns < NEAR_NS || rate_is_plausible((double)ns / (double)ticks, estimate);
}

/* Sorts the samples, and drops those that do not go on from the one before. */
static void clean_samples(struct clock_stream *s)
{
	size_t kept = 0;
	double estimate = s->ticks_per_ns > 0 ? 1 / s->ticks_per_ns : 0;
	if (s->sample.n)
		qsort(s->sample.at, s->sample.n, sizeof *s->sample.at, by_ticks);
	for (size_t i = 0; i < s->sample.n; i++) {
		struct clock_sample c = s->sample.at[i];
		const struct clock_sample *last = kept ? &s->sample.at[kept - 1] : NULL;
		bool same = last && c.ticks == last->ticks && c.monotonic == last->monotonic; /* said twice */
		bool good = can_follow(last, &c, estimate);
		s->n_rejected += !good && !same;
		if (good && (!last || c.monotonic > last->monotonic))
			s->sample.at[kept++] = c;
	}
	s->sample.n = kept;
}

/* ns per tick over all: from the first sample to the last, else as estimated. */
static double whole_rate(struct clock_stream *s)
{
	if (s->sample.n > 1) {
		const struct clock_sample *a = &s->sample.at[0], *b = &s->sample.at[s->sample.n - 1];
		double rate = (double)(b->monotonic - a->monotonic) / (double)(b->ticks - a->ticks);
		if (b->monotonic - a->monotonic >= NEAR_NS || s->ticks_per_ns <= 0)
			return rate;
	}
	if (s->ticks_per_ns > 1 / SLOPE_MOST)
		return 1 / s->ticks_per_ns;
	s->guessed = true;
	return 1;
}

/* The line to CLOCK_MONOTONIC. */
static int align_fit(struct clock_stream *s)
{
	clean_samples(s);
	struct clock_sample c = {s->start_ticks, s->start_monotonic, s->start_realtime};
	if (s->sample.n == 0 && (c.ticks || c.monotonic) && can_follow(NULL, &c, 0)) {
		if (weft_vec_push(&s->sample, c))
			return -ENOMEM;
	}
	double rate = whole_rate(s);
	if (s->sample.n == 0)
		return weft_vec_push(&s->line.knot, (struct clock_knot){0, 0, to_slope(rate)});
	/* One knot before the first sample carries the slope that holds there. */
	for (size_t i = 0; i < s->sample.n; i++) {
		const struct clock_sample *a = &s->sample.at[i], *b = a + 1;
		double slope = i + 1 < s->sample.n ? (double)(b->monotonic - a->monotonic) / (double)(b->ticks - a->ticks) : rate;
		struct clock_knot k = {a->ticks, (int64_t)a->monotonic, to_slope(slope)};
		if (weft_vec_push(&s->line.knot, k))
			return -ENOMEM;
		double ppm = (slope / rate - 1) * 1e6;
		ppm = ppm < 0 ? -ppm : ppm;
		if (i + 1 < s->sample.n && b->monotonic - a->monotonic >= NEAR_NS && ppm > s->drift_ppm)
			s->drift_ppm = ppm;
	}
	struct clock_knot first = s->line.knot.at[0];
	if (first.ticks == 0)
		return 0;
	uint64_t back = to_slope(rate);
	struct clock_knot zero = {0, first.ns - clock_scale(first.ticks, back), back};
	if (weft_vec_push(&s->line.knot, zero))
		return -ENOMEM;
	memmove(&s->line.knot.at[1], &s->line.knot.at[0], (s->line.knot.n - 1) * sizeof zero);
	s->line.knot.at[0] = zero;
	return 0;
}

/* ---- domains ---- */

static int find_domains(struct aligner *a)
{
	a->domain_of = calloc(a->n + 1u, sizeof *a->domain_of);
	a->domain = calloc(a->n + 1u, sizeof *a->domain);
	struct weft_map known = {0};
	int rc = a->domain_of && a->domain ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < a->n; i++) {
		const struct clock_stream *s = a->stream[i];
		if (s->offline)
			continue;
		uint64_t hash = weft_hash(s->domain, strlen(s->domain)), at;
		if (!weft_map_get(&known, hash, &at)) {
			at = a->n_domains++;
			a->domain[at].name = s->domain;
			rc = weft_map_put(&known, hash, at);
		}
		a->domain_of[i] = (uint32_t)at;
		struct domain *d = &a->domain[at];
		const struct clock_sample *first = s->sample.n ? &s->sample.at[0] : NULL;
		if (first && first->realtime && (!d->has_offset || first->monotonic < d->earliest)) {
			d->has_offset = true;
			d->earliest = first->monotonic;
			d->offset = (int64_t)(first->realtime - first->monotonic);
		}
	}
	weft_map_fini(&known);
	return rc;
}

/* A stream's sync point on its domain's CLOCK_MONOTONIC. */
static int64_t sync_time(const struct clock_stream *s, const struct clock_sync *y)
{
	uint32_t hint = 0;
	return clock_ns(&s->line, y->ticks, &hint);
}

struct meeting { /* of a key: its mean time in a domain */
	uint64_t key;
	double sum;
	uint32_t n;
};
struct meetings {
	struct meeting *at;
	size_t n, cap;
};

static int collect_meetings(const struct aligner *a, uint32_t domain, struct meetings *out)
{
	struct weft_map known = {0};
	int rc = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct clock_stream *s = a->stream[i];
		if (s->offline || a->domain_of[i] != domain)
			continue;
		for (size_t k = 0; !rc && k < s->sync.n; k++) {
			uint64_t at = out->n;
			if (s->sync.at[k].ticks >= TICKS_MOST)
				continue;
			if (!weft_map_get(&known, s->sync.at[k].key, &at)) {
				rc = weft_vec_push(out, (struct meeting){.key = s->sync.at[k].key});
				if (!rc)
					rc = weft_map_put(&known, s->sync.at[k].key, at);
			}
			if (!rc) {
				out->at[at].sum += (double)sync_time(s, &s->sync.at[k]);
				out->at[at].n++;
			}
		}
	}
	weft_map_fini(&known);
	return rc;
}

static int by_from(const void *x, const void *y)
{
	const struct point *a = x, *b = y;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void sort_points(struct domain *dom)
{
	if (!dom->point.n)
		return;
	qsort(dom->point.at, dom->point.n, sizeof *dom->point.at, by_from);
	size_t kept = 1;
	for (size_t i = 1; i < dom->point.n; i++) {
		/* Two clocks differ by millionths; a key that was used twice gives anything. */
		double from = (double)(dom->point.at[i].from - dom->point.at[kept - 1].from);
		double to = (double)(dom->point.at[i].to - dom->point.at[kept - 1].to);
		if (from > 0 && to > 0.9 * from && to < 1.1 * from)
			dom->point.at[kept++] = dom->point.at[i];
	}
	dom->point.n = kept;
}

/* Points of domain d on the axis, from the keys that it shares with the first domain. */
static int align_tie(struct aligner *a, uint32_t d, const struct meetings *first, const struct weft_map *first_key)
{
	struct meetings own = {0};
	struct domain *dom = &a->domain[d];
	int rc = collect_meetings(a, d, &own);
	for (size_t i = 0; !rc && i < own.n; i++) {
		uint64_t at;
		if (!weft_map_get(first_key, own.at[i].key, &at))
			continue;
		struct point p = {(int64_t)(own.at[i].sum / own.at[i].n),
		                  (int64_t)(first->at[at].sum / first->at[at].n) + a->domain[0].offset, 1};
		rc = weft_vec_push(&dom->point, p);
	}
	free(own.at);
	if (!rc)
		sort_points(dom);
	return rc;
}

/* Instead, where there are no common keys: instants that whoever opens the trace knows of. */
static int tie_as_told(struct aligner *a, uint32_t d)
{
	struct domain *dom = &a->domain[d];
	int rc = 0;
	for (uint32_t i = 0; a->ties && !rc && i < a->ties->n; i++) {
		const struct clock_tie *t = &a->ties->at[i];
		if (t->stream < a->n && !a->stream[t->stream]->offline && a->domain_of[t->stream] == d)
			rc = weft_vec_push(&dom->point, (struct point){t->from - dom->offset, t->to, 1});
	}
	if (!rc)
		sort_points(dom);
	return rc;
}

static int tie_domains(struct aligner *a, struct clock_report *report)
{
	struct meetings first = {0};
	struct weft_map first_key = {0};
	int rc = a->n_domains ? collect_meetings(a, 0, &first) : 0;
	for (size_t i = 0; !rc && i < first.n; i++)
		rc = weft_map_put(&first_key, first.at[i].key, i);
	for (uint32_t d = 0; !rc && d < a->n_domains; d++) {
		struct domain *dom = &a->domain[d];
		if (d && first.n)
			rc = align_tie(a, d, &first, &first_key);
		if (!rc && d && !dom->point.n)
			rc = tie_as_told(a, d);
		report->n_synced += dom->point.n > 0;
		if (!rc && !dom->point.n)
			rc = weft_vec_push(&dom->point, (struct point){0, dom->offset, 1});
	}
	report->n_domains = a->n_domains;
	report->axis_is_realtime = a->n_domains && a->domain[0].has_offset && !report->offline;
	weft_map_fini(&first_key);
	free(first.at);
	return rc;
}

/* ---- both lines in one ---- */

/* The slope of a domain's line at and behind point i; one point, or outside of all: 1, as far as the outer points do not know better. */
static double point_slope(const struct domain *d, size_t i)
{
	size_t n = d->point.n;
	if (n < 2)
		return 1;
	const struct point *a = &d->point.at[i + 1 < n ? i : 0], *b = &d->point.at[i + 1 < n ? i + 1 : n - 1];
	return (double)(b->to - a->to) / (double)(b->from - a->from);
}

/* The ticks at which a stream's line reaches `ns`, at or behind knot i. */
static uint64_t ticks_at(const struct clock_knot *k, int64_t ns)
{
	return k->slope ? k->ticks + (uint64_t)(((unsigned __int128)(uint64_t)(ns - k->ns) << 56) / k->slope) : k->ticks;
}

static int64_t align_through(const struct domain *d, size_t i, int64_t ns)
{
	const struct point *p = &d->point.at[i];
	double slope = point_slope(d, i);
	if (d->point.n < 2)
		return p->to + (ns - p->from);
	return p->to + (int64_t)((double)(ns - p->from) * slope);
}

/* Replaces the line to CLOCK_MONOTONIC by the one to the axis: a knot at each of its knots, and at each point of the domain. */
static int align_compose(struct clock_stream *s, const struct domain *d)
{
	struct clock_line to = {0};
	size_t p = 0;
	int rc = 0;
	for (size_t i = 0; !rc && i < s->line.knot.n; i++) {
		struct clock_knot k = s->line.knot.at[i];
		bool last = i + 1 == s->line.knot.n;
		while (p + 1 < d->point.n && d->point.at[p + 1].from <= k.ns)
			p++;
		struct clock_knot made = {k.ticks, align_through(d, p, k.ns),
		                          to_slope((double)k.slope / SLOPE_ONE * point_slope(d, p))};
		rc = weft_vec_push(&to.knot, made);
		while (!rc && p + 1 < d->point.n && (last || d->point.at[p + 1].from < s->line.knot.at[i + 1].ns)) {
			p++;
			uint64_t ticks = ticks_at(&k, d->point.at[p].from);
			if (ticks <= to.knot.at[to.knot.n - 1].ticks)
				continue;
			made = (struct clock_knot){ticks, d->point.at[p].to,
			                           to_slope((double)k.slope / SLOPE_ONE * point_slope(d, p))};
			rc = weft_vec_push(&to.knot, made);
		}
	}
	/* Rounding must not make a segment end above the next one's begin: times would go back there. */
	for (size_t i = 0; i + 1 < to.knot.n; i++) {
		struct clock_knot *a = &to.knot.at[i], *b = a + 1;
		int64_t reach = a->ns + clock_scale(b->ticks - a->ticks, a->slope);
		if (reach > b->ns)
			b->ns = reach;
	}
	free(s->line.knot.at);
	s->line.knot.at = to.knot.at;
	s->line.knot.n = to.knot.n;
	s->line.knot.cap = to.knot.cap;
	return rc;
}

static void shift_line(struct clock_line *l, int64_t by)
{
	for (size_t i = 0; i < l->knot.n; i++)
		l->knot.at[i].ns += by;
}

/* Ticks of offline streams are the axis; its time of day is the first sample's. */
static int set_offline(struct clock_stream *s, struct clock_report *report)
{
	report->offline = true;
	for (size_t i = 0; i < s->sample.n && !report->realtime_at_0; i++)
		if (s->sample.at[i].realtime > s->sample.at[i].ticks)
			report->realtime_at_0 = s->sample.at[i].realtime - s->sample.at[i].ticks;
	return weft_vec_push(&s->line.knot, (struct clock_knot){0, 0, 1ull << 56});
}

int clock_align_tied(struct clock_stream *const *streams, uint32_t n, const struct clock_ties *ties, struct clock_report *report)
{
	struct aligner a = {.stream = streams, .n = n, .ties = ties};
	*report = (struct clock_report){0};
	int rc = 0;
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = streams[i]->offline ? set_offline(streams[i], report) : align_fit(streams[i]);
	if (!rc)
		rc = find_domains(&a);
	if (!rc)
		rc = tie_domains(&a, report);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (!streams[i]->offline)
			rc = align_compose(streams[i], &a.domain[a.domain_of[i]]);
	for (uint32_t i = 0; !rc && report->offline && i < n; i++)
		if (!streams[i]->offline)
			shift_line(&streams[i]->line, -(int64_t)report->realtime_at_0);
	for (uint32_t d = 0; a.domain && d < a.n_domains; d++)
		free(a.domain[d].point.at);
	free(a.domain);
	free(a.domain_of);
	return rc;
}

void clock_stream_fini(struct clock_stream *s)
{
	free(s->sample.at);
	free(s->sync.at);
	free(s->line.knot.at);
	*s = (struct clock_stream){0};
}
