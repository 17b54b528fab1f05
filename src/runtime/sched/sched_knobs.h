/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knobs that can be turned while tasks run: of policies, each by its name, and of workers. All are
 * reset when the runtime begins.
 */
#ifndef WEFT_RUNTIME_SCHED_KNOBS_H
#define WEFT_RUNTIME_SCHED_KNOBS_H

#include "sched.h"

/*
 * Of all contexts with this policy. The scales are factors of alpha, beta and gamma of policies by
 * model.
 */
struct sched_knobs {
	const char *policy; /* owned */
	struct sched_instant alpha, beta, gamma, idle_power;
	struct weft_atomic_i32 min_priority, max_priority; /* of tasks that are submitted from now on */
};
/* NULL: there is no such policy, neither ours nor of a context. Any thread. */
struct sched_knobs *sched_knobs_of(const char *policy);
/* Of the context's policy. */
const struct sched_knobs *sched_knobs_in(unsigned ctx);
void sched_knobs_cap(struct sched_knobs *k, int min, int max);
void sched_knobs_begin(void);
void sched_knobs_end(void);

/*
 * A worker that is off gets no task, as long as another that may run it is on. One thread at a
 * time.
 */
void sched_worker_turn(unsigned worker, bool on);
bool sched_worker_is_on(unsigned worker);

#endif
