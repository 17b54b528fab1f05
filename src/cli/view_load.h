/* SPDX-License-Identifier: Apache-2.0 */
/* Views by what a person types: a path, or the name of a view of the library. */
#ifndef WEFT_CLI_VIEW_LOAD_H
#define WEFT_CLI_VIEW_LOAD_H

#include "metric/view.h"

/*
 * `name`: the path of a .cfg or of a view text (told apart by content). 0, or a negative code and err; then weft_view_fini all
 * the same. The view is not bound to a trace yet.
 */
int cli_view_load(struct weft_view *v, const char *name, struct weft_err *err) WEFT_MUST_CHECK;

#endif
