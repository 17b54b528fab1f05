/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a graph that only `weft graph` writes. Each appends to a text: 0 or negative. */
#ifndef WEFT_CLI_GRAPH_PAGE_H
#define WEFT_CLI_GRAPH_PAGE_H

#include "charts/graph_out.h"

int graph_dot(struct weft_buf *out, const struct graph_view *v, const struct graph_how *how) WEFT_MUST_CHECK;
int graph_page(struct weft_buf *out, const struct graph_view *v, const struct graph_how *how) WEFT_MUST_CHECK;

/* web/graph.js and web/graph.css, in the program. */
extern const char graph_page_js[], graph_page_css[];

#endif
