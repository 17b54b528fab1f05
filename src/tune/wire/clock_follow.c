/* SPDX-License-Identifier: Apache-2.0 */
/* See clock_follow.h. */
#include "clock_follow.h"
#include <math.h>
#include <stddef.h>

#define SECOND UINT64_C(1000000000)
static const double SLEW_NS = 1e9, DRIFT_MOST = 500e-6; /* quartz is off by 100 parts per million at most */

static double raw_offset(const struct follow *f, uint64_t ours)
{
	return f->offset_ns + f->drift * (double)(int64_t)(ours - f->base);
}

static double offset_at(const struct follow *f, uint64_t ours)
{
	double since = (double)(int64_t)(ours - f->jump_at);
	double left = since <= 0 ? 1 : since >= SLEW_NS ? 0 : 1 - since / SLEW_NS;
	return raw_offset(f, ours) + f->jump_ns * left;
}

uint64_t follow_time(const struct follow *f, uint64_t ours)
{
	return f->known ? ours + (uint64_t)(int64_t)llround(offset_at(f, ours)) : ours;
}

/* Keeps the best of each second. */
static void keep(struct follow *f, const struct follow_sample *s)
{
	struct follow_sample *last = f->n ? &f->kept[(f->next + FOLLOW_KEPT - 1) % FOLLOW_KEPT] : NULL;
	if (last && last->at / SECOND == s->at / SECOND) {
		if (s->round_ns < last->round_ns)
			*last = *s;
		return;
	}
	f->kept[f->next] = *s;
	f->next = (f->next + 1) % FOLLOW_KEPT;
	f->n += f->n < FOLLOW_KEPT;
}

struct line {
	double offset, drift, base;
	uint64_t round;
};

/*
 * A line through all exchanges, each with the weight of what it can say: it is wrong by half of its round trip at most. (None is
 * left out for being longer than the best: after one that was quick by chance, drift would be that of a single point.)
 */
static struct line fit(const struct follow *f)
{
	struct line l = {.round = UINT64_MAX};
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
	uint64_t origin = f->kept[0].at, first = origin, last = origin;
	for (unsigned i = 0; i < f->n; i++) {
		const struct follow_sample *s = &f->kept[i];
		double x = (double)(int64_t)(s->at - origin), y = (double)(s->offset_ns - f->kept[0].offset_ns);
		double within = (double)s->round_ns + 1000, w = 1 / (within * within);
		n += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
		first = s->at < first ? s->at : first;
		last = s->at > last ? s->at : last;
		l.round = s->round_ns < l.round ? s->round_ns : l.round;
	}
	double spread = n * sxx - sx * sx;
	/* Over a short time a slope would say more about round trips than about clocks. */
	if (last - first > 3 * SECOND && spread > 0)
		l.drift = (n * sxy - sx * sy) / spread;
	l.drift = fmax(-DRIFT_MOST, fmin(DRIFT_MOST, l.drift));
	l.base = sx / n;
	l.offset = sy / n + (double)f->kept[0].offset_ns;
	return l;
}

void follow_exchange(struct follow *f, uint64_t asked, uint64_t heard, uint64_t answered, uint64_t back)
{
	int64_t there = (int64_t)(heard - asked), here = (int64_t)(answered - back);
	int64_t took = (int64_t)(back - asked) - (int64_t)(answered - heard);
	if (back < asked || answered < heard || took < 0)
		return;
	struct follow_sample s = {.at = asked + (back - asked) / 2,
	                          .offset_ns = there / 2 + here / 2 + (there % 2 + here % 2) / 2,
	                          .round_ns = (uint64_t)took};
	keep(f, &s);
	struct line l = fit(f);
	double before = f->known ? offset_at(f, back) : 0;
	f->base = f->kept[0].at + (uint64_t)(int64_t)l.base;
	f->offset_ns = l.offset;
	f->drift = l.drift;
	f->round_ns = l.round;
	f->jump_ns = f->known ? before - raw_offset(f, back) : 0;
	/*
	 * A difference that is too large to slew is a step (the machine slept, its clock was set):
	 * it is applied at once.
	 */
	if (fabs(f->jump_ns) > SLEW_NS / 2)
		f->jump_ns = 0;
	f->jump_at = back;
	f->known = true;
}

uint64_t follow_faulty(const struct follow_fault *f, uint64_t time)
{
	return time + (uint64_t)f->ahead_ns + (uint64_t)(int64_t)llround(f->ppm * 1e-6 * (double)(int64_t)(time - f->from));
}
