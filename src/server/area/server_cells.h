/* SPDX-License-Identifier: Apache-2.0 */
/* Lines × pixels: how they are made from a look, and what goes over the wire (server_cells.c has the format). */
#ifndef WEFT_SERVER_CELLS_H
#define WEFT_SERVER_CELLS_H

#include "base/map.h"
#include "base/vec.h"
#include "render/cells/metric_cells.h"
#include "server/core/server_look.h"

enum {
	SERVER_CELLS_MAGIC = 0x4c454357, /* "WCEL" */
	SERVER_CELLS_CODES = 2,          /* values are codes with names */
	SERVER_CELLS_STEPS = 4,          /* quantities, rounded to steps of the scale */
};
struct server_cells_how {
	const struct server_lines *lines;
	uint64_t from, to; /* ns */
	unsigned width;
	enum weft_cells_keep keep;
	const struct server_request *request; /* to stop when nobody waits; NULL: never */
};
/* From the arguments from, to, width, rows. Then lines fini all the same. */
int server_cells_how_init(const struct server_look *l, const struct server_request *r, struct server_cells_how *how,
                          struct server_lines *lines) WEFT_MUST_CHECK;
/* Calls for some lines after the other, in their order: cell has n lines. */
int server_cells_each(const struct server_look *l, const struct server_cells_how *how,
                      int (*use)(void *arg, uint32_t first, uint32_t n, const double *cell), void *arg) WEFT_MUST_CHECK;

struct server_palette_entry {
	double value;
	uint32_t n; /* cells */
};
struct server_palette { /* zeroed: empty */
	WEFT_VEC(struct server_palette_entry) entry;
	struct weft_map place;
	bool steps;
	double min, max; /* of the steps */
};
void server_palette_fini(struct server_palette *p);
/* -E2BIG: there are too many values. */
int server_palette_add(struct server_palette *p, const double *cell, size_t n, uint16_t *out) WEFT_MUST_CHECK;

struct server_cells_head {
	uint32_t lines, width, flags, more;
	uint64_t from, to;
	double min, max;
};
void server_cells_write(struct weft_buf *out, const struct server_cells_head *h, const struct server_palette *p,
                        uint32_t (*color)(const void *arg, double v), const void *arg, const uint16_t *place);
int server_time_cells(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;

#endif
