/* SPDX-License-Identifier: Apache-2.0 */
/* A trace written once more with what was found out about it, as events of types of their own: a .prv line by line, else a folder of streams. */
#ifndef WEFT_CLI_ANNOTATE_H
#define WEFT_CLI_ANNOTATE_H

#include "cli/common/cli.h"
#include "tool/tool_insert.h"

struct cli_note { /* time in ns; cpu: Paraver's number, 0: not known */
	uint64_t time;
	int64_t value;
	uint32_t thread, cpu, type;
};
struct cli_notes {
	WEFT_VEC(struct cli_note) note; /* by time before it is written; of equal times in their order */
	const struct weft_tool_new_type *type;
	size_t n_types;
	bool alone; /* into a .prv: nothing else */
};
/* Stably, by time. 0 or -ENOMEM. */
int cli_notes_sort(struct cli_notes *n) WEFT_MUST_CHECK;
/* `t` was read from `path`. output: .prv (also packed) of a .prv, .weft of either. 0, or the exit status after a message. */
int cli_notes_write(const struct cli_common *c, const struct weft_trace *t, const char *path, const char *output,
                    const struct cli_notes *n, bool force);

#endif
