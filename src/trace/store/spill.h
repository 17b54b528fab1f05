/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that may not fit into memory: a log, which is only appended to and read once in order; a sorter; and rows that are reached
 * by number. They hold up to a bound in memory and the rest in unnamed temporary files. What fits never touches a file.
 */
#ifndef WEFT_TRACE_SPILL_H
#define WEFT_TRACE_SPILL_H

#include "base/vec.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Sorting by a 64-bit key, stably: 16 bytes an element, about 3 ns an element and byte of key that varies. */
struct sort_pair {
	uint64_t key, ref;
};
int sort_pairs(struct sort_pair *at, size_t n) WEFT_MUST_CHECK; /* 0 or -ENOMEM */

/* ---- the log: appended by any thread ---- */

struct spill_log {
	uint32_t row_bytes;
	uint64_t bound; /* bytes in memory */
	uint64_t n_rows;
	WEFT_VEC(char) memory; /* the newest rows */
	int fd;                /* -1: none yet */
	uint64_t in_file;      /* bytes */
	uint64_t read_at;      /* bytes given out */
	char *piece;           /* owned: what is read from the file at once */
	pthread_mutex_t lock;
};
int spill_log_init(struct spill_log *l, uint32_t row_bytes, uint64_t bound) WEFT_MUST_CHECK;
void spill_log_fini(struct spill_log *l);
int spill_log_add(struct spill_log *l, const void *rows, size_t n) WEFT_MUST_CHECK; /* thread-safe; 0 or negative */
/* The next rows, as many as are at hand: their number, 0 at the end, or negative. When all threads have ended appending. */
int64_t spill_log_next(struct spill_log *l, const void **rows) WEFT_MUST_CHECK;

/* ---- the sorter: by one thread ---- */

#define SPILL_KEYS 4u

struct spill_run {        /* sorted rows in the file */
	uint64_t at, end; /* bytes not read yet */
	char *buffer;     /* owned */
	uint32_t n, next; /* rows in it */
};
struct spill_sort {
	uint32_t row_bytes; /* a multiple of 8 */
	uint32_t keys;      /* so many first words of a row are what it is sorted by: SPILL_KEYS; 0: rows stay as they came */
	uint64_t bound;
	uint64_t n_rows;
	WEFT_VEC(uint64_t) row;  /* in memory, row after row */
	struct sort_pair *order; /* owned; the rows in memory in order, when all are there */
	uint64_t next;           /* in order */
	WEFT_VEC(struct spill_run) run;
	WEFT_VEC(uint32_t) heap; /* runs, the one with the least row on top */
	int fd;
	uint64_t in_file;
	uint32_t buffer_rows;
};
void spill_sort_init(struct spill_sort *s, uint32_t row_bytes, uint64_t bound);
void spill_sort_fini(struct spill_sort *s);
int spill_sort_add(struct spill_sort *s, const void *row) WEFT_MUST_CHECK;
/* Room for n more rows at once, which may be filled until finish; NULL: none are asked for, or there is not memory enough for all. */
void *spill_sort_extend(struct spill_sort *s, uint64_t n) WEFT_MUST_CHECK;
int spill_sort_finish(struct spill_sort *s) WEFT_MUST_CHECK; /* no more rows come */
static inline bool spill_sort_in_memory(const struct spill_sort *s)
{
	return !s->run.n;
}
/* Row i < n_rows in order, of a sort in memory. */
static inline const void *spill_sort_at(const struct spill_sort *s, uint64_t i)
{
	return (const char *)s->row.at + s->order[i].ref * s->row_bytes;
}
/* The next row in order, valid until the next call: 1, 0 at the end, negative. O(log runs). */
int spill_sort_next(struct spill_sort *s, const void **row) WEFT_MUST_CHECK;

/* ---- rows by number ---- */

/* Chunks of rows: the first in memory, the others mapped from a file, of which only the newest stay resident. */
struct spill_rows {
	uint32_t row_bytes;
	uint64_t bound, n;
	WEFT_VEC(char *) chunk; /* owned */
	size_t n_heap, n_kept;  /* chunks: in memory; of the file, that have not been let go */
	int fd;
};
void spill_rows_init(struct spill_rows *r, uint32_t row_bytes, uint64_t bound);
void spill_rows_fini(struct spill_rows *r);
/* A new row behind the others, or NULL. Not while others use the rows. */
void *spill_rows_add(struct spill_rows *r) WEFT_MUST_CHECK;
void spill_rows_done(struct spill_rows *r, uint64_t before); /* rows before that one are not needed any longer */
/* Row i < n: stays where it is. */
#define SPILL_CHUNK_ROWS 32768u
static inline void *spill_rows_at(const struct spill_rows *r, uint64_t i)
{
	return r->chunk.at[i / SPILL_CHUNK_ROWS] + i % SPILL_CHUNK_ROWS * r->row_bytes;
}

/* A temporary file without a name; descriptor or negative. */
int spill_file(void);

#endif
