/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks by what fields say: how many, how long, how long they waited. */
#ifndef WEFT_CLI_TASK_GROUPS_H
#define WEFT_CLI_TASK_GROUPS_H

#include "charts/task_fields.h"
#include "cli/common/cli.h"

enum { TASK_KEYS_MOST = 4 };
struct task_group {
	uint32_t first; /* a task of it: its fields are the group's */
	uint64_t tasks, ran, total, least, most, wait, waited;
	double squares, flops; /* of durations in ns; flops of those that say so, and their time */
	uint64_t flops_ns;
};
struct task_groups {
	struct task_group *group;
	uint32_t n;
	uint64_t total; /* durations of all */
};
/* Of the tasks that pass the filter (NULL: all). 0 or -ENOMEM. */
int task_groups(struct task_view *v, struct weft_filter *f, const struct task_field *const *key, unsigned n_keys,
                struct task_groups *out) WEFT_MUST_CHECK;
void task_groups_fini(struct task_groups *g);

/* Columns of groups: by name, and how each is told and ordered. */
struct task_sum {
	struct weft_column column;
	const char *name; /* of --sort */
	struct weft_cell (*cell)(const struct task_groups *all, const struct task_group *g);
};
extern const struct task_sum task_sums[];
extern const unsigned n_task_sums;

#endif
