/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording program is at, from the pages of its stream while they fill: nothing of the program is asked or stopped, and it does not
 * know. A look reads what has come since the one before.
 */
#ifndef WEFT_PEER_STREAM_H
#define WEFT_PEER_STREAM_H

#include "base/err.h"
#include "base/json.h"
#include <stdbool.h>
#include <stdint.h>

struct peer_stream;

int peer_stream_open(const char *path, struct peer_stream **out, struct weft_err *err) WEFT_MUST_CHECK;
void peer_stream_close(struct peer_stream *s);
int peer_stream_look(struct peer_stream *s) WEFT_MUST_CHECK; /* 0; -EPIPE: it was closed, and all of it has been read */
int peer_stream_fd(const struct peer_stream *s);
double peer_stream_seconds(const struct peer_stream *s); /* since it began */
void peer_stream_sample(const struct peer_stream *s, struct weft_json *j);

#endif
