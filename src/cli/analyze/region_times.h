/* SPDX-License-Identifier: Apache-2.0 */
/* How long a run was in each of its regions, or states where it has no regions: the figures that runs are compared by. */
#ifndef WEFT_CLI_REGION_TIMES_H
#define WEFT_CLI_REGION_TIMES_H

#include "base/vec.h"
#include "cli/common/cli.h"
#include "metric/func/metric.h"

struct region_time {
	char *name;     /* owned */
	double self_ns; /* of all threads, without regions within */
	uint64_t calls;
};
struct region_times {
	WEFT_VEC(struct region_time) at; /* by name */
};
/* 0 or the exit status, after a message; then fini all the same. from, to: of the trace, in ns. */
int region_times_of(struct region_times *r, const struct weft_space *s, uint64_t from, uint64_t to, const struct cli_common *c);
void region_times_fini(struct region_times *r);
/* NULL: it has none of that name. */
const struct region_time *region_times_find(const struct region_times *r, const char *name);
/* The names of all of n runs, each once, in order: a list of borrowed texts that the caller frees; NULL: no memory. */
const char **region_times_names(const struct region_times *const *run, uint32_t n, uint32_t *n_names);

#endif
