/* SPDX-License-Identifier: Apache-2.0 */
/* A Paje trace as a Gantt diagram: a row for each container with states, in each pixel the state that had most of its time. */
#ifndef WEFT_CLI_FILES_GANTT_H
#define WEFT_CLI_FILES_GANTT_H

#include "files_cli.h"

/* first, last: what is shown, in STATE_UNITs. 0, or the exit status after a message. */
int files_gantt(const char *path, int64_t first, int64_t last, enum weft_picture_form form, struct weft_buf *out);

#endif
