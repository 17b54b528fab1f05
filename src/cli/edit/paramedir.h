/* SPDX-License-Identifier: Apache-2.0 */
/* `weft paramedir` in three files: paramedir_args.c reads its command line, paramedir_tools.c runs tools, cmd_paramedir.c views. */
#ifndef WEFT_CLI_PARAMEDIR_H
#define WEFT_CLI_PARAMEDIR_H

#include "base/err.h"
#include "base/vec.h"
#include "metric/paraver/paraver_out.h"
#include <stdbool.h>

/* As the foreign tool's: 0 also for wrong usage. */
enum { PARAMEDIR_OK = 0, PARAMEDIR_FAILED = 1 };

enum paramedir_tool {
	PARAMEDIR_CUT,
	PARAMEDIR_FILTER,
	PARAMEDIR_COUNTERS,
	PARAMEDIR_TRANSLATE,
	PARAMEDIR_SPLIT,
	PARAMEDIR_SHIFT_THREAD,
	PARAMEDIR_SHIFT_TASK,
	PARAMEDIR_SHIFT_APP,
	PARAMEDIR_SHIFT_WORKLOAD,
};
struct paramedir_job { /* a view and where its output goes */
	const char *cfg, *out;
};
struct paramedir_step {
	enum paramedir_tool tool;
	const char *argument; /* NULL: it takes none */
};
struct paramedir_args { /* texts borrow from argv */
	struct weft_paraver_how how;
	const char *trace, *xml, *output;
	const char *unread; /* what is called like a trace, and cannot be read */
	bool no_load, help, version, dump;
	WEFT_VEC(struct paramedir_job) job;
	WEFT_VEC(struct paramedir_step) step;
};

extern const struct weft_opt paramedir_options[]; /* what --help and completion show */

/* True, or false with the exit status, after a message. Then fini all the same. */
bool paramedir_parse(struct paramedir_args *a, int argc, char **argv, int *status);
void paramedir_args_fini(struct paramedir_args *a);

/* Runs the tools in their order. The exit status; *result is the last trace, malloc'd, or NULL when nothing was done. */
int paramedir_run_tools(const struct paramedir_args *a, char **result);

#endif
