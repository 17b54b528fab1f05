/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that took far longer than their like. Alike are tasks of one model (else codelet) and footprint on one kind of worker; too long is more than
 * the third quartile and one and a half times the distance of the quartiles (Tukey's fence; quartiles lie between neighbours in proportion, as in R).
 *
 * By operations: alike are all tasks of one model on one kind of worker, and what is compared is how far the logarithm of a task's time lies from a
 * line over the logarithm of its operations (least squares).
 */
#include "panels.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sample {
	uint64_t group;
	double x, y; /* logarithms of operations; what is compared */
	uint32_t task;
};
struct line {
	double slope, offset;
};

static int by_group(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->y != y->y ? (x->y < y->y ? -1 : 1) : x->task < y->task ? -1 : x->task > y->task;
}

/* Of n sorted values. */
static double quantile(const struct sample *s, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t low = (size_t)at;
	double next = low + 1 < n ? s[low + 1].y : s[low].y;
	return s[low].y + (at - (double)low) * (next - s[low].y);
}

/* A line through the group, whose y become distances from it. With one x only it is level. */
static struct line straighten(struct sample *s, size_t n)
{
	double x = 0, y = 0, xx = 0, xy = 0;
	for (size_t i = 0; i < n; i++) {
		x += s[i].x / (double)n;
		y += s[i].y / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		xx += (s[i].x - x) * (s[i].x - x);
		xy += (s[i].x - x) * (s[i].y - y);
	}
	struct line l = {.slope = xx > 1e-12 ? xy / xx : 0};
	l.offset = y - l.slope * x;
	for (size_t i = 0; i < n; i++)
		s[i].y -= l.slope * s[i].x + l.offset;
	qsort(s, n, sizeof *s, by_group);
	return l;
}

static int judge(struct panels *p, struct sample *s, size_t n)
{
	bool flops = p->how->outliers == PANELS_BY_FLOPS;
	struct line l = flops ? straighten(s, n) : (struct line){0};
	double first = quantile(s, n, 0.25), middle = quantile(s, n, 0.5), third = quantile(s, n, 0.75);
	double limit = third + 1.5 * (third - first);
	int rc = 0;
	/* Distances from a line are computed: what is equal in theory differs in the last digits. */
	for (size_t i = n; i-- > 0 && s[i].y > limit + (flops ? 1e-9 : 0) && !rc;) {
		double base = l.slope * s[i].x + l.offset;
		rc = weft_vec_push(&p->outlier, ((struct panels_outlier){.task = s[i].task,
		                                                         .expected = flops ? exp(base + middle) : middle,
		                                                         .limit = flops ? exp(base + limit) : limit}));
	}
	return rc;
}

/* Whether the task is compared at all. */
static bool sample_of(const struct panels *p, uint32_t task, struct sample *out)
{
	const struct weft_tasks_task *t = &p->view.tasks.task[task];
	if (p->type_of[task] == PANELS_NO_TYPE)
		return false;
	unsigned kind = p->kind_of[t->worker];
	*out = (struct sample){.task = task, .y = (double)panels_duration(p, task)};
	out->group = (uint64_t)p->type_of[task] * PANELS_KINDS + kind;
	if (p->how->outliers == PANELS_BY_FOOTPRINT)
		return true;
	if (!(t->flops > 0) || out->y <= 0)
		return false;
	const char *name = p->type.at[p->type_of[task]].name;
	out->group = weft_hash(name, strlen(name)) + kind;
	out->x = log(t->flops);
	out->y = log(out->y);
	return true;
}

static int by_start(const void *a, const void *b, void *tasks)
{
	const struct weft_tasks_task *of = tasks, *x = &of[((const struct panels_outlier *)a)->task],
				     *y = &of[((const struct panels_outlier *)b)->task];
	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->number < y->number ? -1 : x->number > y->number;
}

int panels_outliers(struct panels *p)
{
	uint32_t n = p->view.tasks.n;
	struct sample *s = malloc(((size_t)n + 1) * sizeof *s);
	size_t used = 0;
	int rc = s ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc && p->how->outliers != PANELS_NO_OUTLIERS; i++)
		used += sample_of(p, i, &s[used]);
	if (!rc && used)
		qsort(s, used, sizeof *s, by_group);
	for (size_t i = 0, end; i < used && !rc; i = end) {
		for (end = i + 1; end < used && s[end].group == s[i].group; end++)
			;
		rc = judge(p, s + i, end - i);
	}
	if (!rc && p->outlier.n)
		qsort_r(p->outlier.at, p->outlier.n, sizeof *p->outlier.at, by_start, p->view.tasks.task);
	free(s);
	return rc;
}
