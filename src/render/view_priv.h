/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the layout of a window (view_timeline.c) shares with its painting (view_paint.c) and its
 * legend (view_legend.c).
 */
#ifndef WEFT_RENDER_VIEW_PRIV_H
#define WEFT_RENDER_VIEW_PRIV_H

#include "color.h"
#include "view_timeline.h"

enum { VIEW_MARGIN = 16, VIEW_LEGEND_LINE = 19 };

struct view_layout;
struct region_picture;
/* How a window looks: the parts in the order in which they are made and drawn. */
struct view_look {
	int (*lay_out)(struct view_layout *l); /* rows, sizes, cells */
	void (*notes)(const struct view_layout *l, char *out, size_t n);
	void (*heading)(struct view_layout *l);
	const char *tick; /* class of the lines at the axis' ticks */
	bool grid;        /* they go through all rows */
	int (*plot)(struct view_layout *l);
	int (*labels)(struct view_layout *l);
	int (*legend)(struct view_layout *l, unsigned y, bool draw); /* as view_legend */
};

struct view_layout {
	const struct weft_view_timeline_how *how;
	const struct view_look *look;
	struct region_picture *regions; /* of the look of regions; borrowed */
	struct picture pic;
	struct weft_metric_cells cells, dots; /* dots: of the window that colours points, or empty */
	struct coloring colors, dot_colors;
	enum weft_style style;
	uint32_t *row; /* owned; objects */
	uint32_t n_rows, left_out;
	unsigned width, left, top, plot_width, plot_height; /* pixels */
	unsigned pitch, gap;                                /* of a line: its pixels, and how many of them are left dark */
	unsigned legend_bottom;
};

/* All of it; the layout is finished by view_layout_fini, also after a failure. */
int view_draw(struct view_layout *l, enum weft_picture_form form, struct weft_buf *out) WEFT_MUST_CHECK;
void view_layout_fini(struct view_layout *l);
/* What the picture is called. */
const char *view_title(const struct view_layout *l);
/* The plot's pixels, RGB, malloc'd; NULL: out of memory. */
uint8_t *view_paint(const struct view_layout *l);
/*
 * Over the plot's pixels: messages as lines and events as flags, where the window has them. Once a
 * pixel, so the picture's size does not depend on how many there are.
 */
enum { VIEW_LOGICAL = 0xffe400, VIEW_PHYSICAL = 0xff5050, VIEW_FLAG = 0xffffff };
int view_marks(const struct view_layout *l, uint8_t *rgb);
bool view_has_marks(const struct view_layout *l);
/* Draws the legend from y on, or only measures; where it ends, or negative. */
int view_legend(struct view_layout *l, unsigned y, bool draw);

#endif
