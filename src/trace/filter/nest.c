/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearly every leave is of the innermost region. Only another kind of leave asks "is this region open at all?", and from then on,
 * until nothing is open, a table counts how often each region is: so a leave costs O(1) amortised whatever the events say, and
 * those of a sound program never touch the table.
 */
#include "nest.h"
#include <errno.h>
#include <stdlib.h>

void weft_nest_fini(struct weft_nest *w)
{
	free(w->open.at);
	weft_map_fini(&w->n_open);
	*w = (struct weft_nest){.unmatched = w->unmatched};
}

static int count_change(struct weft_nest *w, uint32_t region, int64_t by)
{
	uint64_t n = 0;
	weft_map_get(&w->n_open, region, &n);
	return weft_map_put(&w->n_open, region, n + (uint64_t)by);
}

static int count_begin(struct weft_nest *w)
{
	weft_map_fini(&w->n_open);
	for (size_t i = 0; i < w->open.n; i++)
		if (count_change(w, w->open.at[i], 1))
			return -ENOMEM;
	w->counting = true;
	return 0;
}

int weft_nest_enter_slowly(struct weft_nest *w, uint32_t region)
{
	if (w->counting && count_change(w, region, 1))
		return -ENOMEM;
	return weft_vec_push(&w->open, region);
}

static int nest_pop(struct weft_nest *w)
{
	int rc = count_change(w, w->open.at[--w->open.n], -1);
	w->counting = w->open.n > 0;
	return rc;
}

int weft_nest_leave_slowly(struct weft_nest *w, uint32_t region)
{
	uint64_t times = 0;
	if (w->open.n && !w->counting && count_begin(w))
		return -ENOMEM;
	if (w->open.n)
		weft_map_get(&w->n_open, region, &times);
	if (!times) {
		w->unmatched++;
		return 0;
	}
	int rc = 0;
	while (!rc && w->open.at[w->open.n - 1] != region)
		rc = nest_pop(w);
	return rc ? rc : nest_pop(w);
}

uint32_t weft_region_category(const struct weft_trace *t, uint32_t region)
{
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION];
	return region < regions->n ? regions->at[region].category : 0;
}

bool weft_region_is_idle(const struct weft_trace *t, uint32_t region)
{
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION];
	return region < regions->n && regions->at[region].state == WEFT_STATE_IDLE;
}

/* How often the regions are open is counted anew when it is asked for. */
void weft_nest_close_category(struct weft_nest *w, const struct weft_trace *t, uint32_t category)
{
	size_t kept = 0;
	for (size_t i = 0; i < w->open.n; i++)
		if (weft_region_category(t, w->open.at[i]) != category)
			w->open.at[kept++] = w->open.at[i];
	if (kept != w->open.n)
		w->counting = false;
	w->open.n = kept;
}
