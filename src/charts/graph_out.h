/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that a graph is written in. Each appends to a text: 0 or negative. */
#ifndef WEFT_CHARTS_GRAPH_OUT_H
#define WEFT_CHARTS_GRAPH_OUT_H

#include "graph_view.h"
#include "base/json.h"
#include "render/draw/picture.h"

/* -E2BIG: as PNG it would have more than 10^8 pixels or a side of more than 2^16. */
int graph_draw(struct weft_buf *out, enum weft_picture_form form, const struct graph_view *v,
               const struct graph_how *how) WEFT_MUST_CHECK;
/* As data for a page, one object. */
int graph_data(struct weft_json *j, const struct graph_view *v, const struct graph_how *how) WEFT_MUST_CHECK;

/*
 * How many tasks ran side by side: measured, and with as many workers as wanted, both over n parts of the longer of the two times, which is *span. malloc'd.
 */
int graph_parallelism(const struct graph_view *v, uint32_t n, double **measured, double **unlimited,
                      uint64_t *span) WEFT_MUST_CHECK;
/* "NAME: what is shown". */
void graph_title(const struct graph_view *v, const struct graph_how *how, char *out, size_t room);

#endif
