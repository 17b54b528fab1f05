/* SPDX-License-Identifier: Apache-2.0 */
/* Views by what a person types: a path, or the name of a view of the library. */
#ifndef WEFT_CLI_VIEW_LOAD_H
#define WEFT_CLI_VIEW_LOAD_H

#include "metric/view/view.h"

/*
 * `name`: the path of a .cfg or of a view text (told apart by content), or the name of a view of the library. 0, or a negative
 * code and err; then weft_view_fini all the same. The view is not bound to a trace yet.
 */
int cli_view_load(struct weft_view *v, const char *name, struct weft_err *err) WEFT_MUST_CHECK;
/* Its text as it stands there, in either format; malloc'd. */
int cli_view_text(const char *name, char **text, size_t *n, struct weft_err *err) WEFT_MUST_CHECK;
/* Prints what is wrong with it, with the line and a mark when it is a text; 2. */
int cli_view_fail(const struct weft_view *v, const struct weft_err *err);
/*
 * Makes it ready for the trace, and refuses one that asks for events that the trace has none of, with one line that names them
 * and the nearest that there are.
 */
int cli_view_bind(struct weft_view *v, const char *name, const struct weft_space *s, struct weft_err *err) WEFT_MUST_CHECK;

/* A trace that is larger than the memory limit: that it is, and the command that keeps what the bound view needs. */
struct cli_common;
/* With Weft's own threads where that was asked for. Then fini all the same. */
int cli_space_init(struct weft_space *s, const struct weft_trace *t, const struct cli_common *c) WEFT_MUST_CHECK;
void cli_view_say_large(const struct weft_view *v, const struct weft_space *s, const struct cli_common *c);

/* The library: texts that are part of the program, by name; ends with NULL. */
struct cli_library_view {
	const char *name, *text;
};
extern const struct cli_library_view cli_library[];
/* The views of the folders in WEFT_VIEWS, too: calls for each, `path` NULL for those of the library. */
int cli_view_each(int (*call)(void *arg, const char *name, const char *path), void *arg);

#endif
