/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of time, kept beside the index: for each row its bursts (end, value), packed in chunks, with what holds for a whole
 * chunk and for 64 of them. So what a row shows in any stretch of time is found without reading what lies inside of it, and
 * exactly: the edges of the stretch are looked at burst by burst.
 *
 *     nodes    |  greatest, least, sum … of 64 chunks  |
 *     chunks   | of 128 bursts | | | | …
 *     bursts   ||||||||||||…
 *
 * What the functions are, is the maker's affair: a pyramid is found again by the trace that it was made from and by a key.
 * Reading is safe from any number of threads.
 */
#ifndef WEFT_TRACE_PYRAMID_H
#define WEFT_TRACE_PYRAMID_H

#include "trace.h"

enum { WEFT_PYRAMID_BURSTS = 128, WEFT_PYRAMID_FAN = 64 };

/* What holds for the bursts of a chunk or node. */
struct weft_pyramid_sum {
	double end;       /* of the last burst */
	double max, min;  /* min: the least but 0; 0: all are 0 */
	double sum;       /* exact when `size` says so */
	double size;      /* no sum of some of the values is larger; INFINITY: not all are whole numbers */
	uint32_t n, zero; /* bursts */
};
struct weft_pyramid_chunk {
	struct weft_pyramid_sum sum;
	double begin; /* of the first burst */
	double base;  /* of values: they are stored as what they are more */
	uint64_t offset;
	uint32_t crc;
	uint8_t end_width, value_width; /* bytes: 1, 2, 4, 8, values also 0; 9: doubles as they are */
	uint16_t zero;
};
struct weft_pyramid_row {
	uint64_t first_chunk, n_chunks, first_node, n_nodes;
	uint32_t crc, zero; /* of its chunks and nodes, as they stand in the tables */
};
struct weft_pyramid {
	const struct weft_pyramid_row *row;
	const struct weft_pyramid_chunk *chunk;
	const struct weft_pyramid_sum *node; /* of WEFT_PYRAMID_FAN chunks of one row each */
	uint32_t n_rows;
	uint64_t n_chunks, n_nodes, n_bursts, bytes; /* bytes: of the file */
	const uint8_t *at;                           /* private: the mapped file */
};

/* 0; -ENOENT when there is none of this trace and key (or a damaged one), or the trace has no index that stays. */
int weft_pyramid_open(struct weft_pyramid **out, const struct weft_trace *t, const char *key, size_t key_bytes) WEFT_MUST_CHECK;
void weft_pyramid_close(struct weft_pyramid *p); /* NULL is fine */
/* Room for the decoded bursts of a chunk; what is behind the last burst means nothing, and may be read for speed. */
enum { WEFT_PYRAMID_BEYOND = 8 };
struct weft_pyramid_bursts {
	double end[WEFT_PYRAMID_BURSTS], value[WEFT_PYRAMID_BURSTS + WEFT_PYRAMID_BEYOND];
};
void weft_pyramid_load(const struct weft_pyramid *p, const struct weft_pyramid_chunk *c, struct weft_pyramid_bursts *b);
double weft_pyramid_last(const struct weft_pyramid *p, const struct weft_pyramid_chunk *c); /* value of its last burst */
/* The first chunk of the row, by its number in p->chunk, that ends behind `time`; that behind the last when there is none. */
uint64_t weft_pyramid_find(const struct weft_pyramid *p, uint32_t row, double time);

/* ---- making ---- */

struct weft_pyramid_maker;
/* -ENOENT when the trace has no index that stays; others when it cannot be written there. */
int weft_pyramid_make(struct weft_pyramid_maker **out, const struct weft_trace *t, const char *key, size_t key_bytes,
                      uint32_t n_rows) WEFT_MUST_CHECK;
/* The bursts of one row, in order; each row from one thread. Values that are no number become 0. */
struct weft_pyramid_lane;
int weft_pyramid_lane_new(struct weft_pyramid_lane **out, struct weft_pyramid_maker *m, uint32_t row,
                          double begin) WEFT_MUST_CHECK;
int weft_pyramid_add(struct weft_pyramid_lane *l, uint32_t n, const double *end, const double *value) WEFT_MUST_CHECK;
int weft_pyramid_lane_end(struct weft_pyramid_lane *l) WEFT_MUST_CHECK; /* also frees */
/* Gives the file its name, and opens it. Consumes the maker, also on failure. */
int weft_pyramid_finish(struct weft_pyramid_maker *m, struct weft_pyramid **out) WEFT_MUST_CHECK;
void weft_pyramid_abandon(struct weft_pyramid_maker *m);

#endif
