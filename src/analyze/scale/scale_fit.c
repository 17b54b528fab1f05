/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two of the curves are linear in x0 once f is chosen, so only f is searched: a coarse grid, which cannot be caught in a local minimum, then a
 * golden section around its best point. Terms are linear in both constants; which powers, decides how well points are predicted that were left
 * out (leave-one-out), so that a curve with more bends than the points have is not taken.
 */
#include "scale_fit.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const weft_fit_model_names[] = {"amdahl", "pipe", "linear", "term", NULL};
const char *const weft_fit_sigma_names[] = {"first", "equal", "decrease", NULL};

struct points {
	const double *x, *y;
	uint32_t n, without; /* without: this one is left out; n: none is */
	enum weft_fit_sigma sigma;
};

static double weight_of(const struct points *p, uint32_t i)
{
	double sigma = 1;
	if (p->sigma == WEFT_SIGMA_FIRST && i == 0)
		sigma = 0.1;
	if (p->sigma == WEFT_SIGMA_DECREASE && p->n > 1)
		sigma = 1 + (double)i / (p->n - 1);
	return i == p->without ? 0 : 1 / (sigma * sigma);
}

/* ---- y = x0 g(x, f) ---- */

static double amdahl_shape(double x, double f)
{
	return 1 / (f + (1 - f) * x);
}

static double pipe_shape(double x, double f)
{
	return x / ((1 - f) + f * (2 * x - 1));
}

typedef double shape(double x, double f);
static shape *const shapes[WEFT_FIT_MODELS] = {[WEFT_FIT_AMDAHL] = amdahl_shape, [WEFT_FIT_PIPE] = pipe_shape};

/* The best x0 for this f, and the sum of squares that is left. */
static double shape_rest(const struct points *p, shape *g, double f, double *x0)
{
	double yg = 0, gg = 0, rest = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const double w = weight_of(p, i), v = g(p->x[i], f);
		yg += w * p->y[i] * v;
		gg += w * v * v;
	}
	*x0 = gg > 0 && isfinite(gg) ? yg / gg : 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const double d = p->y[i] - *x0 * g(p->x[i], f);
		rest += weight_of(p, i) * d * d;
	}
	return isfinite(rest) ? rest : INFINITY;
}

static void shape_find(struct weft_fit *fit, const struct points *p, bool bounded)
{
	enum { GRID = 200, STEPS = 100 };
	const double golden = 0.6180339887498949, low = bounded ? 0 : -1, high = bounded ? 1 : 2, step = (high - low) / GRID;
	shape *g = shapes[fit->model];
	double best = INFINITY, at = low, x0;
	for (unsigned i = 0; i <= GRID; i++) {
		const double rest = shape_rest(p, g, low + i * step, &x0);
		if (rest < best) {
			best = rest;
			at = low + i * step;
		}
	}
	double a = fmax(low, at - step), b = fmin(high, at + step);
	for (unsigned i = 0; i < STEPS; i++) {
		const double c = b - golden * (b - a), d = a + golden * (b - a);
		if (shape_rest(p, g, c, &x0) < shape_rest(p, g, d, &x0))
			b = d;
		else
			a = c;
	}
	fit->f = (a + b) / 2;
	if (shape_rest(p, g, at, &x0) <= shape_rest(p, g, fit->f, &fit->x0))
		fit->f = at;
	(void)shape_rest(p, g, fit->f, &fit->x0);
}

/* ---- y = c0 + c1 t(x) ---- */

static double term_at(const struct weft_fit *fit, double x)
{
	return fit->model == WEFT_FIT_LINEAR ? x : pow(x, fit->power) * pow(log2(x), fit->log_power);
}

static void line_find(struct weft_fit *fit, const struct points *p, bool bounded)
{
	double w = 0, t = 0, y = 0, tt = 0, ty = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const double weight = weight_of(p, i), v = term_at(fit, p->x[i]);
		w += weight;
		t += weight * v;
		y += weight * p->y[i];
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const double v = term_at(fit, p->x[i]) - t / w;
		tt += weight_of(p, i) * v * v;
		ty += weight_of(p, i) * v * (p->y[i] - y / w);
	}
	fit->f = tt > 0 ? ty / tt : 0;
	if (bounded)
		fit->f = fmin(1, fmax(0, fit->f));
	fit->x0 = (y - fit->f * t) / w;
}

static void find_any(struct weft_fit *fit, const struct points *p, bool bounded)
{
	if (shapes[fit->model])
		shape_find(fit, p, bounded);
	else
		line_find(fit, p, bounded && fit->model == WEFT_FIT_LINEAR);
}

/* The mean relative error at points that the curve was found without. */
static double left_out_error(const struct weft_fit *fit, const struct points *p, bool bounded)
{
	double sum = 0;
	if (p->n < 3)
		return NAN;
	for (uint32_t i = 0; i < p->n; i++) {
		struct points some = *p;
		struct weft_fit without = *fit;
		some.without = i;
		find_any(&without, &some, bounded);
		const double at = weft_fit_at(&without, p->x[i]), scale = (fabs(at) + fabs(p->y[i])) / 2;
		sum += scale > 0 ? fabs(at - p->y[i]) / scale : 0;
	}
	return sum / p->n;
}

static void term_choose(struct weft_fit *fit, const struct points *p)
{
	static const double power[] = {0, 0.25, 1.0 / 3, 0.5,  2.0 / 3, 0.75,  1,        1.25, 4.0 / 3,  1.5,   5.0 / 3, 1.75,
	                               2, 2.25, 2.5,     2.75, 3,       -0.25, -1.0 / 3, -0.5, -2.0 / 3, -0.75, -1,      -2};
	struct weft_fit best = {.model = WEFT_FIT_TERM};
	find_any(&best, p, false); /* the constant: power 0 */
	best.f = 0;
	best.x0 = 0;
	for (uint32_t i = 0; i < p->n; i++)
		best.x0 += p->y[i] / p->n;
	double constant = left_out_error(&best, p, false);
	best.error = constant;
	for (unsigned i = 0; i < sizeof power / sizeof *power && p->n >= 3; i++)
		for (unsigned l = 0; l <= 2; l++) {
			struct weft_fit some = {.model = WEFT_FIT_TERM, .power = power[i], .log_power = l};
			if (!some.power && !some.log_power)
				continue;
			find_any(&some, p, false);
			some.error = left_out_error(&some, p, false);
			/* What bends more has to be better by more than what counts as rounding. */
			if (isfinite(some.x0) && isfinite(some.f) && some.error < best.error - 1e-9)
				best = some;
		}
	*fit = best;
}

int weft_fit_find(struct weft_fit *fit, enum weft_fit_model model, const double *x, const double *y, uint32_t n, bool bounded,
                  enum weft_fit_sigma sigma)
{
	const struct points p = {.x = x, .y = y, .n = n, .without = n, .sigma = sigma};
	*fit = (struct weft_fit){.model = model, .error = NAN};
	for (uint32_t i = 0; i < n; i++)
		if (!isfinite(x[i]) || !isfinite(y[i]) || x[i] <= 0)
			return -EINVAL;
	if (n == 0)
		return -EINVAL;
	if (model == WEFT_FIT_TERM) {
		term_choose(fit, &p);
		return 0;
	}
	if (n == 1) { /* nothing says how it goes on */
		fit->f = model == WEFT_FIT_AMDAHL ? 1 : model == WEFT_FIT_PIPE ? 0.5 : 0;
		fit->x0 = y[0];
		return 0;
	}
	find_any(fit, &p, bounded);
	fit->error = left_out_error(fit, &p, bounded);
	return 0;
}

double weft_fit_at(const struct weft_fit *fit, double x)
{
	if (shapes[fit->model])
		return fit->x0 * shapes[fit->model](x, fit->f);
	return fit->f == 0 ? fit->x0 : fit->x0 + fit->f * term_at(fit, x);
}

static unsigned factor_text(char *out, size_t room, const char *var, double power, bool is_log)
{
	if (power == 0)
		return 0;
	const char *open = is_log ? "log2(" : "", *close = is_log ? ")" : "";
	return (unsigned)(power == 1 ? snprintf(out, room, " * %s%s%s", open, var, close)
	                             : snprintf(out, room, " * %s%s%s^%.3g", open, var, close, power));
}

char *weft_fit_text(const struct weft_fit *fit, const char *var, char *out)
{
	enum { ROOM = 128 };
	unsigned n;
	switch (fit->model) {
	case WEFT_FIT_AMDAHL:
		snprintf(out, ROOM, "%.4g / (%.4g + %.4g * %s)", fit->x0, fit->f, 1 - fit->f, var);
		break;
	case WEFT_FIT_PIPE:
		snprintf(out, ROOM, "%.4g * %s / (%.4g + %.4g * (2 * %s - 1))", fit->x0, var, 1 - fit->f, fit->f, var);
		break;
	case WEFT_FIT_LINEAR:
		snprintf(out, ROOM, "%.4g %c %.4g * %s", fit->x0, fit->f < 0 ? '-' : '+', fabs(fit->f), var);
		break;
	default:
		n = (unsigned)snprintf(out, ROOM, "%.4g", fit->x0);
		if (fit->f == 0)
			break;
		n += (unsigned)snprintf(out + n, ROOM - n, " %c %.4g", fit->f < 0 ? '-' : '+', fabs(fit->f));
		n += factor_text(out + n, ROOM - n, var, fit->power, false);
		factor_text(out + n, ROOM - n, var, fit->log_power, true);
	}
	return out;
}

/* ---- serial fractions ---- */

/* Of Student's distribution: what 95 of 100 lie within, by degrees of freedom. */
static double student(uint32_t freedom)
{
	static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	return freedom == 0 ? NAN : freedom <= 30 ? table[freedom - 1] : 1.96 + 2.4 / freedom;
}

/* y = f x through the origin. */
struct origin {
	double xx, xy, yy;
	uint32_t n;
};

static void origin_add(struct origin *o, double x, double y)
{
	o->xx += x * x;
	o->xy += x * y;
	o->yy += y * y;
	o->n++;
}

static struct weft_fraction origin_fraction(const struct origin *o)
{
	struct weft_fraction f = {NAN, NAN, NAN};
	if (o->n == 0 || o->xx <= 0)
		return f;
	f.value = o->xy / o->xx;
	if (o->n < 2)
		return f;
	const double rest = fmax(0, o->yy - f.value * o->xy), half = student(o->n - 1) * sqrt(rest / (o->n - 1) / o->xx);
	f.low = f.value - half;
	f.high = f.value + half;
	return f;
}

struct weft_fraction weft_amdahl_fraction(const double *p, const double *speedup, uint32_t n)
{
	struct origin o = {0};
	for (uint32_t i = 0; i < n; i++)
		if (p[i] > 1 && speedup[i] > 0)
			origin_add(&o, 1 - 1 / p[i], 1 / speedup[i] - 1 / p[i]);
	return origin_fraction(&o);
}

struct weft_fraction weft_gustafson_fraction(const double *p, const double *speedup, uint32_t n)
{
	struct origin o = {0};
	for (uint32_t i = 0; i < n; i++)
		if (p[i] > 1 && speedup[i] > 0)
			origin_add(&o, p[i] - 1, p[i] - speedup[i]);
	return origin_fraction(&o);
}
