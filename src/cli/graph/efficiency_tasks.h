/* SPDX-License-Identifier: Apache-2.0 */
/* `weft efficiency` of programs of the task runtime. */
#ifndef WEFT_CLI_EFFICIENCY_TASKS_H
#define WEFT_CLI_EFFICIENCY_TASKS_H

#include "cli/common/cli.h"

struct cli_efficiency_tasks {
	const struct cli_common *common; /* borrowed, as is all */
	const char *time;                /* as of --time; NULL: from the first submission to the last task's end */
	bool states;                     /* state by state, in place of factors */
};
/* Of a run and, or NULL, what it is compared with; prints. The exit status. */
int cli_efficiency_tasks(const struct cli_efficiency_tasks *how, struct weft_trace *const t[2]);

#endif
