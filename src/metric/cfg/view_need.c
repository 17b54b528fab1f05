/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread function has a mask of the records that it reads; derived windows have parents, which
 * are windows, too.
 */
#include "view_need.h"
#include "metric/hist/hist.h"
#include "metric/func/metric_work.h"
#include <errno.h>
#include <stdlib.h>

static void need_types(const struct weft_metric *m, const struct weft_space *s, struct weft_need *need, bool *has)
{
	const struct weft_test *type = &m->filter.test[WEFT_OF_TYPE];
	need->points |= type->kind == WEFT_TEST_ALL;
	for (uint32_t i = 1; i < s->trace->def[WEFT_CLASS_TYPE].n; i++)
		has[i] |= weft_test_passes(type, s->type[i]);
}

static void need_window(const struct weft_window *w, const struct weft_space *s, struct weft_need *need, bool *has)
{
	const struct weft_metric *m = &w->metric;
	need->cpus |= weft_level_of_resources(m->level);
	if (w->derived || !m->of_level[WEFT_THREAD].func)
		return;
	uint32_t mask = metric_thread_func_of(m->of_level[WEFT_THREAD].func)->mask;
	need->states |= (mask & METRIC_STATES) != 0;
	need->messages |= (mask & METRIC_COMMS) != 0;
	if (mask & METRIC_EVENT)
		need_types(m, s, need, has);
}

int weft_view_need(const struct weft_view *v, const struct weft_space *s, struct weft_need *need)
{
	uint32_t n = s->trace->def[WEFT_CLASS_TYPE].n;
	*need = (struct weft_need){0};
	bool *has = calloc((size_t)n + 1, sizeof *has);
	uint32_t *type = calloc((size_t)n + 1, sizeof *type);
	if (!has || !type) {
		free(has);
		free(type);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < v->n_windows; i++)
		need_window(&v->window[i], s, need, has);
	for (uint32_t i = 0; i < v->n_hists; i++)
		need->messages |= v->hist[i].stat && weft_stat_of_comms(v->hist[i].stat);
	for (uint32_t i = 1; i < n; i++)
		if (has[i])
			type[need->n_types++] = i;
	need->type = type;
	free(has);
	return 0;
}
