/* SPDX-License-Identifier: Apache-2.0 */
/* Views for commands: what is said of them, and to which trace they are bound. */
#ifndef WEFT_CLI_VIEW_LOAD_H
#define WEFT_CLI_VIEW_LOAD_H

#include "metric/library/library.h"

/* Prints what is wrong with it, with the line and a mark when it is a text; 2. */
int cli_view_fail(const struct weft_view *v, const struct weft_err *err);
/* weft_view_fit, which warns of what is missing. */
int cli_view_bind(struct weft_view *v, const char *name, const struct weft_space *s, struct weft_err *err) WEFT_MUST_CHECK;

struct cli_common;
/* With Weft's own threads where that was asked for. Then fini all the same. */
int cli_space_init(struct weft_space *s, const struct weft_trace *t, const struct cli_common *c) WEFT_MUST_CHECK;
/* A trace that is larger than the memory limit: that it is, and the command that keeps what the bound view needs. */
void cli_view_say_large(const struct weft_view *v, const struct weft_space *s, const struct cli_common *c);

#endif
