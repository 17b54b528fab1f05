/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of time, kept beside the index: for each row its bursts (end, value), packed in chunks,
 * with what holds for a whole chunk and for 64 of them. So what a row shows in any stretch of time
 * is found without reading what lies inside of it, and exactly: the edges of the stretch are looked
 * at burst by burst.
 *
 *     nodes    |  greatest, least, sum, how long which value lasts … of 64 chunks  |
 *     chunks   | of 128 bursts | | | | …
 *     bursts   ||||||||||||…
 *
 * What the functions are, is the maker's affair: a pyramid is found again by the trace that it was
 * made from and by a key. Reading is safe from any number of threads.
 */
#ifndef WEFT_TRACE_PYRAMID_H
#define WEFT_TRACE_PYRAMID_H

#include "trace/store/trace.h"

enum { WEFT_PYRAMID_BURSTS = 128, WEFT_PYRAMID_FAN = 64, WEFT_PYRAMID_SHARES_MOST = 64 };

/*
 * What holds for the bursts of chunks or nodes, a column each: who wants one of them reads nothing
 * else. All chunks and nodes but the last ones of a row are full.
 */
struct weft_pyramid_sums {
	const double *end;       /* of the last burst */
	const double *max, *min; /* min: the least but 0; 0: all are 0 */
	const double *sum;       /* exact when `size` says so */
	const double *size;      /* no sum of some of the values is larger; INFINITY: not all are whole numbers */
};
/*
 * How long a value lasts in a chunk or node. All of its time is in its shares, each value has one,
 * and none is 0. They are there where few values are whole or half numbers, and times whole.
 */
struct weft_pyramid_share {
	uint32_t time;
	int32_t twice; /* the value */
};
struct weft_pyramid_shares {
	uint32_t first, n; /* of its row's; n 0: they are not known */
};
/* Where a chunk's bursts are. */
struct weft_pyramid_chunk {
	uint64_t offset;
	double base; /* of values: they are stored as what they are more */
	uint32_t crc;
	uint8_t end_width, value_width; /* bytes: 1, 2, 4, 8, values also 0; 9: doubles as they are */
	uint16_t zero;
};
struct weft_pyramid_row {
	uint64_t first_chunk, n_chunks, first_node, n_nodes, n_bursts, first_share, n_shares;
	double begin;       /* of the first burst */
	uint32_t crc, zero; /* of its chunks, and of what holds for them and its nodes */
};
struct weft_pyramid {
	const struct weft_pyramid_row *row;
	const struct weft_pyramid_chunk *chunk;
	struct weft_pyramid_sums of_chunk, of_node; /* nodes: WEFT_PYRAMID_FAN chunks of one row each */
	const struct weft_pyramid_shares *chunk_shares, *node_shares;
	uint32_t n_rows;
	uint64_t n_chunks, n_nodes, n_bursts, bytes; /* bytes: of the file */
	const struct weft_pyramid_share *share;      /* private */
	const uint8_t *at;                           /* private: the mapped file */
	uint64_t data_end;                           /* private */
};

/*
 * 0; -ENOENT when there is none of this trace and key (or a damaged one), or the trace has no index
 * that stays.
 */
int weft_pyramid_open(struct weft_pyramid **out, const struct weft_trace *t, const char *key, size_t key_bytes) WEFT_MUST_CHECK;
void weft_pyramid_close(struct weft_pyramid *p); /* NULL is fine */

/* The bursts of a chunk as they are stored. */
struct weft_pyramid_packed {
	const uint8_t *end, *value;
	double begin, base;
	uint32_t n;
	uint8_t end_width, value_width;
};
/* chunk: by its number in p->chunk, of that row */
void weft_pyramid_packed(const struct weft_pyramid *p, uint32_t row, uint64_t chunk, struct weft_pyramid_packed *out);
void weft_pyramid_fetch(const struct weft_pyramid *p, uint64_t chunk); /* has memory bring them, for whoever wants them soon */
/*
 * Room for decoded bursts; what is behind the last burst means nothing, and may be read for speed.
 */
enum { WEFT_PYRAMID_BEYOND = 8 };
struct weft_pyramid_bursts {
	double end[WEFT_PYRAMID_BURSTS], value[WEFT_PYRAMID_BURSTS + WEFT_PYRAMID_BEYOND];
};
void weft_pyramid_ends(const struct weft_pyramid_packed *c, double *end);
void weft_pyramid_values(const struct weft_pyramid_packed *c, double *value);
double weft_pyramid_end(const struct weft_pyramid_packed *c, uint32_t i); /* one of them */
double weft_pyramid_value(const struct weft_pyramid_packed *c, uint32_t i);
/* How many bursts end before a time; one that ends very near to it may be on either side. */
uint32_t weft_pyramid_before(const struct weft_pyramid_packed *c, double time);
/*
 * The first chunk of the row, by its number in p->chunk, that ends behind `time`; that behind the
 * last when there is none.
 */
uint64_t weft_pyramid_find(const struct weft_pyramid *p, uint32_t row, double time);

/* Those of a chunk or node of the row: returns how many; 0: they are not known. */
uint32_t weft_pyramid_shares(const struct weft_pyramid *p, uint32_t row, const struct weft_pyramid_shares *of,
                             const struct weft_pyramid_share **out);

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
