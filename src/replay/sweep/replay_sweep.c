/* SPDX-License-Identifier: Apache-2.0 */
/* Axes from text, and points in parallel: each has a machine and a run of its own, the program is everyone's. */
#include "replay_sweep.h"
#include "base/pool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 16 };

/* ---- axes ---- */

static int add_value(struct weft_sweep_axis *a, double v)
{
	double *at = realloc(a->value, (a->n + 1) * sizeof *at);
	if (!at)
		return -ENOMEM;
	a->value = at;
	a->value[a->n++] = v;
	return 0;
}

/* "a..b" or "a..b/n" */
static int parse_range(struct weft_sweep_axis *a, struct weft_str text, const char *dots, struct weft_err *err)
{
	struct weft_str low = weft_str_n(text.at, (size_t)(dots - text.at)), high = weft_str_n(dots + 2, text.n - low.n - 2),
			part;
	uint64_t n = VALUES;
	double from, to;
	const char *slash = memrchr(high.at, '/', high.n);
	if (slash && slash > high.at && slash[-1] != 'B' && slash[-1] != 't') { /* not that of GB/s */
		part = weft_str_n(slash + 1, high.n - (size_t)(slash + 1 - high.at));
		high.n = (size_t)(slash - high.at);
		if (weft_parse_u64(part, &n) || n < 2 || n > WEFT_SWEEP_POINTS)
			return weft_err_set(err, WEFT_E_SYNTAX, "not a number of values: '%.*s'", (int)part.n, part.at);
	}
	int rc = weft_replay_setting_parse(a->setting, weft_str_trim(low), &from, err);
	if (!rc)
		rc = weft_replay_setting_parse(a->setting, weft_str_trim(high), &to, err);
	const enum weft_setting_kind kind = weft_setting_rows[a->setting].kind;
	const bool whole = kind == WEFT_SET_COUNT || kind == WEFT_SET_BYTES;
	for (uint64_t i = 0; i < n && !rc; i++) {
		const double part_of = (double)i / (double)(n - 1);
		double v = from > 0 && to > 0 ? from * pow(to / from, part_of) : from + (to - from) * part_of;
		if (i == 0 || i + 1 == n)
			v = i ? to : from;
		if (whole)
			v = floor(v + 0.5);
		if (!a->n || a->value[a->n - 1] != v)
			rc = add_value(a, v);
	}
	return rc;
}

static int parse_values(struct weft_sweep_axis *a, struct weft_str text, struct weft_err *err)
{
	struct weft_str part;
	const char *dots = memmem(text.at, text.n, "..", 2);
	if (dots && !memchr(text.at, ',', text.n))
		return parse_range(a, text, dots, err);
	int rc = 0;
	while (!rc && weft_str_cut(&text, ',', &part)) {
		double v;
		rc = weft_replay_setting_parse(a->setting, weft_str_trim(part), &v, err);
		if (!rc)
			rc = add_value(a, v);
	}
	return rc;
}

int weft_sweep_parse(struct weft_sweep *s, const char *text, struct weft_err *err)
{
	struct weft_str all = weft_str(text), name;
	if (s->n_axes == WEFT_SWEEP_AXES)
		return weft_err_set(err, WEFT_E_LIMIT, "more than %d settings", WEFT_SWEEP_AXES);
	if (!memchr(all.at, '=', all.n))
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s': not NAME=VALUES", text);
	weft_str_cut(&all, '=', &name);
	const int which = weft_replay_setting_find(weft_str_trim(name));
	if (which < 0)
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s': unknown setting '%.*s'", text, (int)name.n, name.at);
	struct weft_sweep_axis *a = &s->axis[s->n_axes];
	*a = (struct weft_sweep_axis){.setting = (enum weft_setting)which};
	int rc = parse_values(a, all, err);
	s->n_axes++;
	uint64_t points = 1;
	for (unsigned i = 0; i < s->n_axes; i++)
		points *= s->axis[i].n ? s->axis[i].n : 1;
	if (!rc && points > WEFT_SWEEP_POINTS)
		rc = weft_err_set(err, WEFT_E_LIMIT, "more than %d points", WEFT_SWEEP_POINTS);
	return rc ? weft_err_prefix(err, "'%s'", text), rc : 0;
}

void weft_sweep_fini(struct weft_sweep *s)
{
	for (unsigned i = 0; i < s->n_axes; i++)
		free(s->axis[i].value);
	free(s->point);
	memset(s, 0, sizeof *s);
}

void weft_sweep_values(const struct weft_sweep *s, uint32_t point, double *value)
{
	for (unsigned i = s->n_axes; i-- > 0;) {
		value[i] = s->axis[i].value[point % s->axis[i].n];
		point /= s->axis[i].n;
	}
}

/* ---- points ---- */

struct work {
	struct weft_sweep *s;
	const struct weft_sweep_run *run;
	struct weft_err *err; /* by worker */
};

static void take_result(struct weft_sweep_point *to, const struct weft_replay_result *r)
{
	to->time_ns = r->time_ns;
	to->stuck = r->n_stuck > 0;
	to->done = true;
	for (uint32_t i = 0; i < r->n_ranks; i++) {
		const struct weft_replay_rank_result *x = &r->rank[i];
		if (x->computation_ns > to->computation_ns)
			to->computation_ns = x->computation_ns;
		to->communication_ns += (x->latency_ns + x->receiving_ns + x->sending_ns + x->waiting_ns + x->collective_ns) /
		                        r->n_ranks;
	}
}

static int one_point(void *arg, size_t i, unsigned worker)
{
	const struct work *w = arg;
	const uint32_t point = w->run->n_shares ? w->run->share + (uint32_t)i * w->run->n_shares : (uint32_t)i;
	struct weft_replay_settings settings = *w->run->base;
	struct weft_replay_how how = *w->run->how;
	struct weft_replay_machine m;
	struct weft_replay_result r;
	double value[WEFT_SWEEP_AXES];
	weft_sweep_values(w->s, point, value);
	for (unsigned k = 0; k < w->s->n_axes; k++)
		settings.value[w->s->axis[k].setting] = value[k];
	if (!isnan(settings.value[WEFT_SET_EAGER])) {
		how.eager = WEFT_REPLAY_EAGER_BELOW;
		how.eager_bytes = (uint64_t)settings.value[WEFT_SET_EAGER];
	}
	int rc = w->run->make(w->run->arg, &settings, &m, &w->err[worker]);
	if (rc)
		return rc;
	rc = weft_replay_run(w->run->program, &m, &how, &r, &w->err[worker]);
	weft_replay_machine_fini(&m);
	if (rc)
		return rc;
	take_result(&w->s->point[point], &r);
	weft_replay_result_fini(&r);
	return 0;
}

int weft_sweep_run(struct weft_sweep *s, const struct weft_sweep_run *run, struct weft_err *err)
{
	const unsigned threads = run->threads ? run->threads : weft_pool_width();
	struct work w = {.s = s, .run = run, .err = calloc(threads, sizeof *w.err)};
	s->n_points = 1;
	for (unsigned i = 0; i < s->n_axes; i++)
		s->n_points *= s->axis[i].n;
	s->point = calloc(s->n_points, sizeof *s->point);
	if (!s->point || !w.err) {
		free(w.err);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	const uint32_t of = run->n_shares ? run->n_shares : 1, share = run->n_shares ? run->share : 0;
	const size_t mine = share < s->n_points ? (s->n_points - share + of - 1) / of : 0;
	int rc = weft_parallel(threads, mine, one_point, &w);
	for (unsigned i = 0; rc && err && i < threads; i++)
		if (w.err[i].code == rc) {
			*err = w.err[i];
			break;
		}
	free(w.err);
	return rc;
}

bool weft_sweep_flat(const struct weft_sweep *s, unsigned axis, double tolerance, uint32_t *first, uint32_t *last)
{
	uint32_t stride = 1, best = 0;
	const uint32_t n = s->axis[axis].n;
	for (unsigned i = axis + 1; i < s->n_axes; i++)
		stride *= s->axis[i].n;
	for (uint32_t i = 1; i < n; i++)
		if (s->point[i * stride].time_ns < s->point[best * stride].time_ns)
			best = i;
	const double most = s->point[best * stride].time_ns * (1 + tolerance);
	*first = *last = best;
	while (*first && s->point[(*first - 1) * stride].time_ns <= most)
		--*first;
	while (*last + 1 < n && s->point[(*last + 1) * stride].time_ns <= most)
		++*last;
	return *last > *first;
}
