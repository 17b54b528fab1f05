/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a pyramid, INDEX/pyramid-HASH:
 *
 *     head | chunks' bytes | slack | key | rows | chunks | what holds for chunks, a column each | the same for nodes
 *          | where chunks' shares are | the same of nodes | shares, row after row
 *
 * A chunk's bytes are the ends of its bursts (what they are later than the chunk's begin), then
 * their values (what they are more than its base), each number in as few bytes as all of them fit
 * in; where they are no whole numbers, as doubles.
 *
 * All but the smallest files are written in whole pieces of 2 MiB at multiples of it: where a file
 * system keeps such a piece as one page, it costs one page fault to read, not thirty-two.
 */
#ifndef WEFT_TRACE_PYRAMID_PRIV_H
#define WEFT_TRACE_PYRAMID_PRIV_H

#include "pyramid.h"
#include "base/vec.h"
#include "trace/store/store.h"

#define PYRAMID_MAGIC "WEFTPYR\n"
#define PYRAMID_PREFIX "pyramid-"
enum { PYRAMID_VERSION = 5, PYRAMID_RAW = 9, PYRAMID_SLACK = 4096, PYRAMID_HEAD = 4096 };
enum { PYRAMID_COLUMNS = sizeof(struct weft_pyramid_sums) / sizeof(double *) };

struct pyramid_head {
	char magic[8];
	uint64_t version;
	uint64_t pair[2]; /* of the index that it belongs to */
	uint64_t key_bytes, n_rows, n_chunks, n_nodes, n_shares, n_bursts;
	uint64_t data_end; /* where the slack begins */
	uint64_t tables;   /* where the key begins: a multiple of 8 */
	uint8_t boot_id[16];
	uint64_t verified;        /* 1: chunks and what holds for them were checked in a later run of the machine */
	uint32_t tables_crc, crc; /* of the key and the rows; of the bytes before it, `verified` taken as 0 */
};

/* Bytes of numbers of this width; 0 for widths that there are not. */
static inline uint32_t pyramid_bytes(uint8_t width, uint32_t n)
{
	return n * (width == PYRAMID_RAW ? 8u : width);
}
/* The folder and name of the pyramid of a key, malloc'd; NULL when memory is out. */
char *pyramid_path(const struct weft_trace *t, const char *key, size_t key_bytes);
char *pyramid_dir(const struct weft_trace *t);
/* Whether the trace was opened from an index that lies in a folder, and is that folder's still. */
bool pyramid_has_index(const struct weft_trace *t, const char *dir);
int pyramid_open_file(struct weft_pyramid **out, const struct weft_trace *t, const char *path, const char *key,
                      size_t key_bytes) WEFT_MUST_CHECK;

/* How long values last, summed up; zeroed and begun: none do. */
enum { PYRAMID_SLOTS = 2 * WEFT_PYRAMID_SHARES_MOST };
struct pyramid_sharing {
	uint32_t n;
	bool unknown; /* more values than are told apart, some that are not whole or half, or times that are not whole */
	uint8_t slot[WEFT_PYRAMID_SHARES_MOST]; /* in the order in which they were met */
	bool is_used[PYRAMID_SLOTS];            /* a hash table by value */
	int32_t twice[PYRAMID_SLOTS];
	double time[PYRAMID_SLOTS];
};
struct pyramid_row_shares { /* of a row that is made; owned */
	WEFT_VEC(struct weft_pyramid_share) share;
	WEFT_VEC(struct weft_pyramid_shares) of_chunk, of_node;
};
void pyramid_sharing_begin(struct pyramid_sharing *s);
/* Bursts of which the first begins at `begin`, with whole times; also into `all`. */
void pyramid_sharing_add(struct pyramid_sharing *s, struct pyramid_sharing *all, double begin,
                         const struct weft_pyramid_bursts *b, uint32_t n);
int pyramid_shares_push_chunk(struct pyramid_row_shares *r, const struct pyramid_sharing *s) WEFT_MUST_CHECK;
int pyramid_shares_push_node(struct pyramid_row_shares *r, const struct pyramid_sharing *s) WEFT_MUST_CHECK;
void pyramid_shares_fini(struct pyramid_row_shares *r);

#endif
