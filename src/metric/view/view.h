/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view: windows (metrics with their time range, colours and rows) and the tables over them, as a
 * Paraver .cfg holds them.
 *
 *   text ── weft_view_read ──> struct weft_view ── weft_view_bind ──> ready for a trace
 *   text <─ weft_view_write ──┘
 *
 * What a view says in words of a trace (labels of types, parts of its duration) is kept as it is
 * said, and turned into numbers by bind. Keys that mean nothing for computing are kept verbatim, so
 * that a view that was read and written is the same view.
 */
#ifndef WEFT_METRIC_VIEW_H
#define WEFT_METRIC_VIEW_H

#include "base/arena.h"
#include "base/str.h"
#include "metric/func/metric.h"

enum weft_color {
	WEFT_COLOR_CODE,
	WEFT_COLOR_GRADIENT,
	WEFT_COLOR_NOT_NULL,
	WEFT_COLOR_ALTERNATIVE,
	WEFT_COLOR_PUNCTUAL,
	WEFT_COLOR_FUSED,
	WEFT_COLORS
};
enum weft_draw {
	WEFT_DRAW_LAST,
	WEFT_DRAW_MAXIMUM,
	WEFT_DRAW_MIN_NOT_ZERO,
	WEFT_DRAW_RANDOM,
	WEFT_DRAW_RAND_NOT_ZERO,
	WEFT_DRAW_AVERAGE,
	WEFT_DRAW_AVERAGE_NOT_ZERO,
	WEFT_DRAW_MODE,
	WEFT_DRAW_ABS_MAXIMUM,
	WEFT_DRAW_ABS_MINIMUM,
	WEFT_DRAWS
};

struct weft_key_line { /* a key that computing does not need */
	const char *key, *text;
};
struct weft_key_lines {
	struct weft_key_line *at;
	uint32_t n;
};
/* Rows that are chosen, as a line of the file says it. */
struct weft_chosen {
	enum weft_level level;
	uint32_t parent[2], n_parents; /* of the objects: an application; an application and a task */
	uint32_t n;
	const uint8_t *on;   /* 0 None, 1 chosen */
	bool words;          /* All, Some, None instead of numbers */
	const uint8_t *some; /* of words: 1 where it said Some */
};
struct weft_labels {
	const char **at;
	uint32_t n;
	bool given;
};

struct weft_window {
	struct weft_metric metric;
	uint32_t id;
	bool derived, has_level;
	uint32_t parents[2]; /* of derived ones, numbers of windows from 0 */
	enum weft_color color;
	enum weft_draw draw_time, draw_rows;
	double y_min, y_max;
	bool compute_y_min, compute_y_max;
	/* The range of time: as parts of the trace's end, or as times in its units. */
	double begin_part, end_part, begin_time, end_time;
	bool begin_is_part, end_is_part;
	struct weft_labels type_label, value_label;
	const struct weft_chosen *chosen;
	uint32_t n_chosen;
	uint32_t zoom_first, zoom_last; /* rows; zoom_last WEFT_NONE: none */
	struct weft_key_lines other;
	bool join_labels;  /* values with equal labels are one: the least of them */
	bool lines, flags; /* messages and events are drawn over a picture of it */
	/* by bind */
	double begin, end;
	const bool *selected; /* by row of its level; NULL: all */
};

enum weft_limits { WEFT_ALL_TRACE, WEFT_ALL_WINDOW, WEFT_REGION };
enum weft_sort {
	WEFT_SORT_AVERAGE,
	WEFT_SORT_TOTAL,
	WEFT_SORT_MAXIMUM,
	WEFT_SORT_MINIMUM,
	WEFT_SORT_STDEV,
	WEFT_SORT_AVG_MAX,
	WEFT_SORT_CUSTOM,
	WEFT_SORTS
};
struct weft_stat;
struct weft_scale {
	bool compute, fixed_delta;
	bool zero; /* zeros count for the minimum */
	double min, max, delta;
	uint32_t n;                      /* columns; 0: not said */
	bool keep_min, keep_max, keep_n; /* of a computed scale: said all the same */
};
struct weft_hist {
	const char *name;
	uint32_t control, data, extra; /* windows; extra WEFT_NONE: 2D */
	const struct weft_stat *stat;
	bool hide_empty, vertical, sorted, reverse, short_labels, only_totals;
	enum weft_sort sort;
	enum weft_limits limits;
	struct weft_scale scale, planes;
	double plane; /* which plane of a 3D table is looked at */
	bool has_plane;
	bool zoomed;             /* only rows of these objects of the control's level, from 0 */
	struct weft_list object; /* n 0: all */
	struct weft_key_lines other;
};

struct weft_view {
	struct weft_arena arena; /* owns everything */
	const char *version;
	const char *description; /* NULL: none; lines with newlines */
	struct weft_window *window;
	uint32_t n_windows;
	struct weft_hist *hist;
	uint32_t n_hists;
	struct weft_key_lines other; /* before the first window */
	const char *old_name;        /* a function's that Paraver itself does not load any more; NULL: none */
	const char *dropped;         /* why a histogram, and all behind it, was left out; NULL: none was */
	const char *caret;           /* of a text that is wrong: its line and a mark below; NULL: none */
};

/* Is this text a .cfg (its first lines say so)? */
bool weft_view_is_cfg(const char *text, size_t n);
/*
 * 0, WEFT_E_SYNTAX (line, what was expected, the nearest known name) or -ENOMEM; then fini all the
 * same. As in Paraver, what is wrong in a histogram ends the reading there, but leaves the view
 * what stood before it: `dropped` says so.
 */
int weft_view_read(struct weft_view *v, const char *text, size_t n, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_view_fini(struct weft_view *v);
void weft_view_link(struct weft_view *v); /* for readers: metrics of derived windows find those that they are made of */
void weft_view_write(const struct weft_view *v, struct weft_buf *out);

/* What a filter asks for and the trace does not have. */
struct weft_view_lack {
	uint64_t found, missing; /* types of events that its windows ask for */
	bool nothing_selected;   /* a window has no rows */
};
/*
 * Makes the view ready for the trace. WEFT_E_SYNTAX when it cannot stand on it. The window used
 * last decides about `lack`.
 */
int weft_view_bind(struct weft_view *v, const struct weft_space *s, struct weft_view_lack *lack,
                   struct weft_err *err) WEFT_MUST_CHECK;

#endif
