/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of calls as a table: indented, or by function. */
#ifndef WEFT_CLI_CALLS_PRINT_H
#define WEFT_CLI_CALLS_PRINT_H

#include "cli/common/cli.h"
#include "profile/call_tree.h"

struct cli_calls_report {
	bool by_function, lines;
	uint64_t depth, top; /* 0: all */
	double least;        /* percent of the whole: what is below is left out */
};
/* Prints; the exit status. */
int cli_calls_report(const struct weft_profile *p, const struct cli_calls_report *how, const struct cli_common *c);
/* Warns of the files whose symbols could not be used. */
void cli_say_symbols(const struct weft_symbols *s);
/* `weft stat --by function`: samples, with what can be said of all the time from them. */
int cli_stat_functions(const struct weft_trace *t, struct weft_filter *f, const char *time, uint64_t top,
                       const struct cli_common *c);
/* `weft stat --by counter`: what counters counted, by region (stat_counters.c). */
int cli_stat_counters(const struct weft_trace *t, struct weft_filter *f, const char *time, uint64_t top,
                      const struct cli_common *c);

#endif
