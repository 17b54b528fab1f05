/* SPDX-License-Identifier: Apache-2.0 */
/* A group's key is the bytes of its fields' values behind each other: interned, so that equal ones have one number. */
#include "task_groups.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_key(struct weft_buf *key, const struct task_field *f, struct task_view *v, uint32_t task)
{
	struct weft_row_value value = task_value(f, v, task);
	bool words = f->cell == WEFT_CELL_TEXT && (value.has & WEFT_ROW_HAS_TEXT);
	weft_buf_putc(key, (char)(value.has != 0));
	if (words) {
		uint32_t n = (uint32_t)strlen(value.text);
		weft_buf_add(key, (const char *)&n, sizeof n);
		weft_buf_add(key, value.text, n);
	} else if (value.has & WEFT_ROW_HAS_WHOLE) {
		weft_buf_add(key, (const char *)&value.whole, sizeof value.whole);
	} else if (value.has) {
		weft_buf_add(key, (const char *)&value.real, sizeof value.real);
	}
}

static void add_task(struct task_group *g, const struct weft_tasks_task *t)
{
	uint64_t ready = t->ready != WEFT_NEVER ? t->ready : t->submit;
	g->tasks++;
	if (t->start == WEFT_NEVER || t->end == WEFT_NEVER)
		return;
	uint64_t d = t->end > t->start ? t->end - t->start : 0;
	g->least = g->ran == 0 || d < g->least ? d : g->least;
	g->most = d > g->most ? d : g->most;
	g->ran++;
	g->total += d;
	g->squares += (double)d * (double)d;
	if (ready != WEFT_NEVER) {
		g->waited++;
		g->wait += t->start > ready ? t->start - ready : 0;
	}
	if (t->flops >= 0) {
		g->flops += t->flops;
		g->flops_ns += d;
	}
}

int task_groups(struct task_view *v, struct weft_filter *f, const struct task_field *const *key, unsigned n_keys,
                struct task_groups *out)
{
	struct weft_intern names = {0};
	struct weft_buf bytes = {0};
	size_t cap = 0;
	int rc = 0;
	*out = (struct task_groups){0};
	for (uint32_t i = 0; i < v->tasks.n && !rc; i++) {
		uint32_t id = 0;
		if (!task_passes(f, v, i))
			continue;
		bytes.n = 0;
		weft_buf_putc(&bytes, 0); /* never empty */
		for (unsigned k = 0; k < n_keys; k++)
			add_key(&bytes, key[k], v, i);
		rc = bytes.failed ? -ENOMEM : weft_intern_add(&names, weft_str_n(bytes.at, bytes.n), &id);
		if (!rc && id == out->n) {
			if (out->n == cap)
				rc = weft_vec_grow(&out->group, &cap, (size_t)out->n + 1, sizeof *out->group);
			if (!rc)
				out->group[out->n++] = (struct task_group){.first = i};
		}
		if (!rc)
			add_task(&out->group[id], &v->tasks.task[i]);
	}
	for (uint32_t g = 0; g < out->n; g++)
		out->total += out->group[g].total;
	weft_intern_fini(&names);
	weft_buf_fini(&bytes);
	if (rc)
		task_groups_fini(out);
	return rc;
}

void task_groups_fini(struct task_groups *g)
{
	free(g->group);
	*g = (struct task_groups){0};
}

/* ---- columns ---- */

static struct weft_cell ns(bool there, uint64_t v)
{
	return (struct weft_cell){there ? WEFT_CELL_NS : WEFT_CELL_NONE, {.u64 = v}};
}

#define SUM(name, ...) \
	static struct weft_cell sum_##name(const struct task_groups *all, const struct task_group *g) \
	{ \
		(void)all; \
		return __VA_ARGS__; \
	}
SUM(tasks, (struct weft_cell){WEFT_CELL_U64, {.u64 = g->tasks}})
SUM(total, ns(true, g->total))
SUM(mean, ns(g->ran, g->ran ? g->total / g->ran : 0))
SUM(min, ns(g->ran, g->least))
SUM(max, ns(g->ran, g->most))
SUM(wait, ns(g->waited, g->waited ? g->wait / g->waited : 0))
SUM(gflops, (struct weft_cell){g->flops_ns ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE,
                               {.f64 = g->flops_ns ? g->flops / (double)g->flops_ns : 0}})
SUM(share, (struct weft_cell){all->total ? WEFT_CELL_PERCENT : WEFT_CELL_NONE,
                              {.f64 = all->total ? 100 * (double)g->total / (double)all->total : 0}})

static struct weft_cell sum_deviation(const struct task_groups *all, const struct task_group *g)
{
	(void)all;
	double mean = g->ran ? (double)g->total / (double)g->ran : 0;
	double variance = g->ran ? g->squares / (double)g->ran - mean * mean : 0;
	return ns(g->ran, (uint64_t)llround(sqrt(variance > 0 ? variance : 0)));
}

const struct task_sum task_sums[] = {
	{{"tasks", "tasks", WEFT_CELL_U64}, "tasks", sum_tasks},
	{{"total_ns", "total", WEFT_CELL_NS}, "total", sum_total},
	{{"mean_ns", "mean", WEFT_CELL_NS}, "mean", sum_mean},
	{{"deviation_ns", "deviation", WEFT_CELL_NS}, "deviation", sum_deviation},
	{{"min_ns", "min", WEFT_CELL_NS}, "min", sum_min},
	{{"max_ns", "max", WEFT_CELL_NS}, "max", sum_max},
	{{"wait_ns", "wait", WEFT_CELL_NS}, "wait", sum_wait},
	{{"gflops", "GFlop/s", WEFT_CELL_DOUBLE}, "gflops", sum_gflops},
	{{"share_percent", "share", WEFT_CELL_PERCENT}, "share", sum_share},
};
const unsigned n_task_sums = sizeof task_sums / sizeof *task_sums;
