/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread was in, stretch by stretch: the outermost task, else the innermost region, else nothing. */
#ifndef WEFT_CHARTS_THREAD_STATES_H
#define WEFT_CHARTS_THREAD_STATES_H

#include "trace/store/trace.h"

/*
 * From `from` up to and without `to` the thread was in the region (0: in none); begins: it entered that at `from`. A stretch may be empty when
 * it begins. Anything but 0 ends the walk.
 */
typedef int thread_state(void *arg, uint32_t region, uint64_t from, uint64_t to, bool begins);
/* In the order of time, from 0 up to `until` without gaps; is_task: by region. 0, -ENOMEM, or what the callback returned. */
int thread_states(const struct weft_trace *t, uint32_t thread, const bool *is_task, uint64_t until, thread_state *call,
                  void *arg) WEFT_MUST_CHECK;

#endif
