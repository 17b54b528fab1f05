/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft record --representative` left out of a trace, as its points say. */
#ifndef WEFT_CLI_LEFT_OUT_H
#define WEFT_CLI_LEFT_OUT_H

#include "trace/store/trace.h"

struct cli_left_out_kind {
	uint64_t kind, kept, left_out; /* stretches */
	uint64_t left_out_ns;
};
struct cli_left_out {
	struct cli_left_out_kind *kind; /* owned; by number */
	size_t n, cap;
};

/* Of a trace that has all: nothing. Where several processes say the same gaps, those of the one that says most count. 0 or -errno. */
int cli_left_out_read(struct cli_left_out *l, const struct weft_trace *t) WEFT_MUST_CHECK;
void cli_left_out_fini(struct cli_left_out *l);
/* A line for people, where there is something to say. */
void cli_left_out_say(const struct weft_trace *t);

#endif
