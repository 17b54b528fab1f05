/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft record --representative` left out of a trace, as its points say. */
#ifndef WEFT_CLI_LEFT_OUT_H
#define WEFT_CLI_LEFT_OUT_H

#include "trace/store/trace.h"

struct cli_left_out_kind {
	uint64_t kind, kept, left_out; /* stretches */
	uint64_t left_out_ns;
};
struct cli_left_out_gap {
	uint64_t from, to; /* ns */
};
struct cli_left_out_kept { /* a stretch that was kept */
	uint64_t at, kind;
};
struct cli_left_out {
	struct cli_left_out_kind *kind; /* owned; by number */
	size_t n, cap;
	struct cli_left_out_gap *gap; /* owned; one after the other */
	size_t n_gaps, gap_cap;
	struct cli_left_out_kept *kept; /* owned; by when they begin */
	size_t n_kept, kept_cap;
};

/* Of a trace that has all: nothing. Where several processes say the same gaps, those of the one that says most count. 0 or -errno. */
int cli_left_out_read(struct cli_left_out *l, const struct weft_trace *t) WEFT_MUST_CHECK;
void cli_left_out_fini(struct cli_left_out *l);
/* For how many stretches a kept one of that kind stands, itself included; 1 for kinds that are not known. */
double cli_left_out_weight(const struct cli_left_out *l, uint64_t kind);
/* A line for people, where there is something to say. */
void cli_left_out_say(const struct weft_trace *t);
/* The same as a warning of verbs for which what was left out is time like any other; `but` says what comes of that. */
void cli_left_out_warn(const struct weft_trace *t, const char *but);

#endif
