/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording program is at, from the pages of its stream while they fill: nothing of the program is asked or stopped, and it does not
 * know. A look reads what has come since the one before.
 */
#ifndef WEFT_CLI_TOP_STREAM_H
#define WEFT_CLI_TOP_STREAM_H

#include "base/err.h"
#include "base/json.h"
#include <stdbool.h>
#include <stdint.h>

struct top_stream;

int top_stream_open(const char *path, struct top_stream **out, struct weft_err *err) WEFT_MUST_CHECK;
void top_stream_close(struct top_stream *s);
int top_stream_look(struct top_stream *s) WEFT_MUST_CHECK; /* 0; -EPIPE: it was closed, and all of it has been read */
double top_stream_seconds(const struct top_stream *s);     /* since it began */
void top_stream_sample(const struct top_stream *s, struct weft_json *j);

#endif
