/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views as our own text, in which a metric is an expression (docs/views.md has the language):
 *
 *     ipc = rate(PAPI_TOT_INS) / rate(PAPI_TOT_CYC) where state == Running
 *     table "IPC" = average_value of ipc by ipc { scale 0..4 step 0.1 }
 *
 * It holds the same as a .cfg: what weft_view_print writes of any view, weft_view_parse reads back
 * as a view of the same meaning.
 */
#ifndef WEFT_METRIC_TEXT_VIEW_H
#define WEFT_METRIC_TEXT_VIEW_H

#include "metric/hist/hist.h"
#include "metric/view/view.h"

/*
 * 0, WEFT_E_SYNTAX ("path:line:column: what is wrong") or -ENOMEM; then weft_view_fini all the
 * same. When the text is wrong, v->caret is the wrong line and, below it, a mark at the column.
 */
int weft_view_parse(struct weft_view *v, const char *text, size_t n, const char *path, struct weft_err *err) WEFT_MUST_CHECK;

struct weft_print_how {
	bool plain; /* without the keys that only Paraver's windows need */
};
void weft_view_print(const struct weft_view *v, const struct weft_print_how *how, struct weft_buf *out);

/*
 * A statistic by the name that it has in the text, or by Paraver's; NULL, and in near (64 bytes)
 * the nearest, or "".
 */
const struct weft_stat *weft_stat_named(const char *name, char *near);
/* The name of statistic i in the text, in name (64 bytes); false behind the last. */
bool weft_stat_known(unsigned i, char *name);

/* For editors: function i of a kind as it stands in texts; false behind the last. */
enum weft_text_args { WEFT_TEXT_TYPES, WEFT_TEXT_STATES, WEFT_TEXT_NUMBERS };
struct weft_text_word {
	char name[64], param[WEFT_PARAMS][64]; /* param: "" none */
	const char *paraver;                   /* what Paraver calls it */
	enum weft_text_args args;              /* of thread functions: what its arguments without a name are */
};
bool weft_text_word_at(enum weft_func_kind k, unsigned i, struct weft_text_word *out);
/* State i of Paraver's, as it can stand in a text (64 bytes); false behind the last. */
bool weft_text_state_at(unsigned i, char *name);

#endif
