/* SPDX-License-Identifier: Apache-2.0 */
/* What options say about tasks. */
#ifndef WEFT_CLI_TASK_LIST_H
#define WEFT_CLI_TASK_LIST_H

#include "charts/task_fields.h"
#include "cli/common/cli.h"

/* cmd's message and the exit status, or 0; at most `most` fields of a list with commas. */
int task_fields_parse(const struct weft_command *cmd, const char *option, const char *list, const struct task_field **field,
                      unsigned *n, unsigned most);

#endif
