/* SPDX-License-Identifier: Apache-2.0 */
/* Recording a process that runs already. */
#ifndef WEFT_CLI_RECORD_ATTACH_H
#define WEFT_CLI_RECORD_ATTACH_H

#include "record_run.h"

/* Until it ends, or SIGINT, SIGTERM or SIGHUP comes. The exit status. */
int record_attach(const struct record_args *args);

#endif
