/* SPDX-License-Identifier: Apache-2.0 */
/* Views by what a person types: a path, or the name of a view of the library; and whether a trace can feed them. */
#ifndef WEFT_METRIC_LIBRARY_H
#define WEFT_METRIC_LIBRARY_H

#include "base/str.h"
#include "metric/view/view.h"

/*
 * `name`: the path of a .cfg or of a view text (told apart by content), or the name of a view of the library. 0, or a negative
 * code and err; then weft_view_fini all the same. The view is not bound to a trace yet.
 */
int weft_view_load(struct weft_view *v, const char *name, struct weft_err *err) WEFT_MUST_CHECK;
/* Its text as it stands there, in either format; malloc'd. */
int weft_view_text(const char *name, char **text, size_t *n, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Only by name, in the folders of WEFT_VIEWS and the library, never a path: for names that come from elsewhere. The same results.
 */
int weft_view_load_named(struct weft_view *v, const char *name, struct weft_err *err) WEFT_MUST_CHECK;
int weft_view_text_named(const char *name, char **text, size_t *n, struct weft_err *err) WEFT_MUST_CHECK;
/* A text of either format; the same results. */
int weft_view_read_any(struct weft_view *v, const char *text, size_t n, const char *name, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Makes it ready for the trace, and refuses one that asks for events that the trace has none of, with one line that names them
 * and the nearest that there are. missing (an empty one): what it lacks beside, in words; the caller's.
 */
int weft_view_fit(struct weft_view *v, const char *name, const struct weft_space *s, struct weft_buf *missing,
                  struct weft_err *err) WEFT_MUST_CHECK;

/* The library: texts that are part of the program, by name; ends with NULL. */
struct weft_library_view {
	const char *name, *text;
};
extern const struct weft_library_view weft_view_library[];
/* The views of the folders in WEFT_VIEWS, too: calls for each, `path` NULL for those of the library. */
int weft_views_each(int (*call)(void *arg, const char *name, const char *path), void *arg);

#endif
