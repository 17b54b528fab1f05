/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of a trace's tasks as it is shown: of those that a filter lets pass, with their paths; equal tasks folded into boxes where there would
 * be too many; each box with its words, colour and place.
 */
#ifndef WEFT_CHARTS_GRAPH_VIEW_H
#define WEFT_CHARTS_GRAPH_VIEW_H

#include "graph/layout.h"
#include "task_fields.h"

enum graph_by { GRAPH_AUTO, GRAPH_NONE, GRAPH_LEVEL, GRAPH_ITERATION, GRAPH_CODELET, GRAPH_FOLDINGS };
extern const char *const graph_by_names[GRAPH_FOLDINGS];

/* Pixels: of a box, and from one layer to the next. */
enum { GRAPH_BOX = 34, GRAPH_LAYER = 74, GRAPH_GAP = 14, GRAPH_LABEL_MOST = 26 };

struct graph_how {
	enum graph_by by;
	uint32_t most;      /* boxes */
	const char *editor; /* for links; see graph_link() */
	const char *source; /* folder that relative names of files begin in */
	const char *title;  /* NULL: what the trace is called */
};

struct graph_view {
	struct task_view *tasks;
	uint32_t n, n_all; /* nodes; tasks of the trace */
	uint32_t *task;    /* node -> task */
	uint64_t *first, *duration;
	uint32_t *before;
	struct weft_graph g; /* over the above */
	struct weft_graph_paths paths;
	uint64_t begin, end; /* of what ran */
	/* as it is shown */
	enum graph_by by;
	uint32_t stride;       /* steps taken together */
	uint32_t *kind, *step; /* of nodes */
	struct weft_fold fold;
	struct weft_layout layout;
	double *width;
	uint32_t *colour; /* by kind */
	uint32_t n_kinds;
};
/* 0, or negative with err->code set. Fini in any case. */
int graph_view_init(struct graph_view *v, struct task_view *tasks, struct weft_filter *f, struct weft_err *err) WEFT_MUST_CHECK;
int graph_view_fold(struct graph_view *v, const struct graph_how *how) WEFT_MUST_CHECK; /* boxes; 0 or -ENOMEM */
int graph_view_place(struct graph_view *v) WEFT_MUST_CHECK;                             /* and their places */
void graph_view_fini(struct graph_view *v);

/* What stands in a box: two lines of at most 96 bytes. */
void graph_label(const struct graph_view *v, uint32_t box, char first[96], char second[96]);
const char *graph_kind_name(const struct graph_view *v, uint32_t kind);
/* One line about the whole: tasks, edges, critical path, parallelism. */
void graph_words(const struct graph_view *v, char *out, size_t room);
/* Whether a critical path goes from one box directly to the other. malloc'd, by edge of the fold; NULL without memory. */
bool *graph_critical_edges(const struct graph_view *v);

/*
 * The link that opens a file at a line in the editor ("vscode", "vscodium", "cursor", "zed", "idea", "sublime", "file"), appended, or nothing for "path", for
 * unknown files and for what no link can say. `file` is resolved as `how` says.
 */
void graph_link(struct weft_buf *out, const struct graph_how *how, const char *file, uint32_t line);
/* The absolute path of `file` in the folder of sources, or as it is where there is no such file; appended. */
void graph_path(struct weft_buf *out, const struct graph_how *how, const char *file);
/* The name of the link's editor for what $VISUAL or $EDITOR calls; "path" where it has no links. */
const char *graph_editor_of(const char *command);
extern const char *const graph_editors[]; /* ends with NULL */

#endif
