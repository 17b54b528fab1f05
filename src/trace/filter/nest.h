/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which regions are open on a thread: four bytes each, outermost first. What a leave or a mark closes is decided here alone; whoever
 * keeps more of an open region (its begin, the state that it means) has an array of its own, as long as this one.
 *
 *     open    | solve | step | MPI_Recv |        a leave of `step` leaves one open: both inner ones are closed
 */
#ifndef WEFT_TRACE_NEST_H
#define WEFT_TRACE_NEST_H

#include "base/map.h"
#include "trace/store/trace.h"

struct weft_nest { /* begins as zeros */
	WEFT_VEC(uint32_t) open;
	uint64_t unmatched;     /* leaves of regions that were not open */
	struct weft_map n_open; /* private: region -> how many are open; used after a leave that is not the innermost's */
	bool counting;
};
void weft_nest_fini(struct weft_nest *w);
/* Private: what is rare. */
int weft_nest_enter_slowly(struct weft_nest *w, uint32_t region) WEFT_MUST_CHECK;
int weft_nest_leave_slowly(struct weft_nest *w, uint32_t region) WEFT_MUST_CHECK;

/* 0 or -ENOMEM, as the others. O(1) amortised. */
static inline WEFT_MUST_CHECK int weft_nest_enter(struct weft_nest *w, uint32_t region)
{
	if (w->counting || w->open.n == w->open.cap)
		return weft_nest_enter_slowly(w, region);
	w->open.at[w->open.n++] = region;
	return 0;
}
/* Those from open.n on are closed; none when the region is not open. O(1) amortised, whatever the leaves are of. */
static inline WEFT_MUST_CHECK int weft_nest_leave(struct weft_nest *w, uint32_t region)
{
	const size_t n = w->open.n;
	if (w->counting || !n || w->open.at[n - 1] != region)
		return weft_nest_leave_slowly(w, region);
	w->open.n = n - 1;
	return 0;
}
/* All are closed. */
static inline void weft_nest_clear(struct weft_nest *w)
{
	w->open.n = 0;
	w->counting = false;
}
/* Closes those of one category, wherever they stand; the others keep their order. O(depth). */
void weft_nest_close_category(struct weft_nest *w, const struct weft_trace *t, uint32_t category);
uint32_t weft_region_category(const struct weft_trace *t, uint32_t region);
/* Its thread waits for work: such a region has no leave when the process ends meanwhile, and nothing is missing. */
bool weft_region_is_idle(const struct weft_trace *t, uint32_t region);

#endif
