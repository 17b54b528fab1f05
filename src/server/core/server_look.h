/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a timeline shows, as requests name it: a metric over rows, and how its values look.
 *
 *   view=           the region that each thread is in (of a trace that has only states: the state), by the time that it takes of a pixel
 *   view=NAME       a window of a view; level=LEVEL in place of the window's own
 *   draw=, fuse=    one of Paraver's ten ways for a pixel's time, and for rows that share a line; "most" for the first of the above
 *   rows=0-3,7,4~6  lines: of a row each; of several that are fused: 4~6, or 4~5_9
 */
#ifndef WEFT_SERVER_LOOK_H
#define WEFT_SERVER_LOOK_H

#include "render/color.h"
#include "server_session.h"

enum { SERVER_LINES_MOST = 4096, SERVER_ROWS_MOST = 1 << 20, SERVER_WIDTH_MOST = 8192 };

/* Regions, or states, by the value that stands for them; 0: none. Made when the trace has been read. */
struct server_regions {
	enum weft_class of; /* WEFT_CLASS_REGION, WEFT_CLASS_STATE, or WEFT_CLASS_NONE */
	uint32_t n;
	const char **name;     /* NULL: no definition has this value. Owned; the names are the trace's */
	uint32_t *color, *def; /* def: its definition */
	bool *running;
};
int server_regions_init(struct server_regions *r, const struct weft_trace *t) WEFT_MUST_CHECK; /* then fini all the same */
void server_regions_fini(struct server_regions *r);

struct server_look {
	struct server_session *session;
	struct server_trace *trace;
	struct server_view *view;         /* NULL: regions */
	const struct weft_window *window; /* of the view; NULL: regions */
	struct weft_metric metric;        /* at the level that was asked for */
	bool most;                        /* by time */
	enum weft_draw draw, fuse;
	struct coloring colors; /* of a window */
	bool has_min, has_max;  /* the scale was asked for */
};
/* From the arguments trace, view, window, level, draw, fuse. 0 or negative with the line; then fini all the same. */
int server_look_init(struct server_look *l, const struct server_request *r) WEFT_MUST_CHECK;
void server_look_fini(struct server_look *l);
uint32_t server_look_rows(const struct server_look *l); /* objects of its level */
/* 0xAARRGGBB; alpha 0: nothing is there. */
uint32_t server_look_color(const struct server_look *l, double v);
void server_look_name(const struct server_look *l, double v, struct weft_buf *out);
/* {"value", "name", "color"}, of a region also where it is from. name: room, the caller's. */
void server_put_value(struct weft_json *w, const struct server_look *l, double v, struct weft_buf *name);
bool server_look_is_code(const struct server_look *l); /* values are codes with a name each, and no quantities */
/* A thread of the trace itself, by its row; WEFT_NONE: of a process without any. And back; WEFT_NONE: it has no row. */
uint32_t server_own_thread(const struct server_trace *t, uint32_t row);
uint32_t server_row_of_thread(const struct server_trace *t, uint32_t thread);
/* What regions' metric gives, as the number of the region: WEFT_REGION_AWAY, or whole. */
double server_look_value(const struct server_look *l, double v);

/* Lines of the argument `rows`. */
struct server_lines {
	uint32_t *row;   /* of all lines, one after the other; owned */
	uint32_t *first; /* by line: in `row`; n + 1 of them; owned */
	uint32_t n, n_rows;
};
int server_lines_init(struct server_lines *l, const struct server_request *r, uint32_t limit) WEFT_MUST_CHECK; /* then fini */
void server_lines_fini(struct server_lines *l);
/* The same of a text: for tests. */
int server_lines_read(struct server_lines *l, struct weft_str text, uint32_t limit, struct weft_err *err) WEFT_MUST_CHECK;

extern const char *const server_draw_names[WEFT_DRAWS + 1]; /* as draw_mode_names, and "most" */

#endif
