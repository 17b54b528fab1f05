/* SPDX-License-Identifier: Apache-2.0 */
/* What dim_read.c and dim_record.c share. */
#ifndef WEFT_REPLAY_DIM_READ_PRIV_H
#define WEFT_REPLAY_DIM_READ_PRIV_H

#include "base/map.h"
#include "dim.h"
#include "dim_match.h"

struct dim_task {
	uint32_t first, n; /* threads */
	bool is_device;
};
struct dim_sync { /* a point of OpenMP that a thread passes */
	uint64_t op, key;
	bool counts; /* this thread is one of those that pass it */
};
struct dim_begun {
	uint32_t comm;
	uint64_t part;
};
enum { DIM_CALL_VALUES = 512 };
struct dim_reader {
	const char *at; /* the text */
	size_t n;
	const char *name;
	struct weft_err *err;
	struct weft_replay_builder *b;
	const char *body, *end; /* of the records */
	uint64_t index;         /* offset; 0: none */
	WEFT_VEC(struct dim_task) task;
	uint64_t n_threads;
	const char **begin; /* by thread; NULL: it has no records */
	struct dim_match match;
	WEFT_VEC(uint32_t) members;
	WEFT_VEC(struct dim_sync) sync;       /* of the task that is read */
	struct weft_map sync_count;           /* point -> threads that pass it; of one thread: how often it has */
	WEFT_VEC(struct dim_begun) begun;     /* collective operations of this thread that were begun, and not waited for */
	uint32_t place;                       /* of the call that is open */
	uint64_t n_records, function;         /* function: of OpenMP, the key of its last begin */
	uint32_t call_place[DIM_CALL_VALUES]; /* number + 1 */
	struct weft_replay_op op;
};

/* The records of one thread, from `at` to the first that is not its. */
int dim_read_thread(struct dim_reader *r, const char *at, uint32_t task, uint32_t thread) WEFT_MUST_CHECK;
/* When all threads of a task are there: which of its points are passed by how many. */
int dim_join_threads(struct dim_reader *r) WEFT_MUST_CHECK;
int dim_wrong(struct dim_reader *r, const char *at, const char *what);

/* Digits at *at; false: none, or too many. */
static inline bool dim_number(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	uint64_t v = 0;
	for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = 10 * v + (unsigned char)(*p - '0');
	}
	*out = v;
	if (p == *at)
		return false;
	*at = p;
	return true;
}
static inline bool dim_signed(const char **at, const char *end, int64_t *out)
{
	uint64_t v;
	const bool minus = *at < end && **at == '-';
	if (minus)
		++*at;
	if (!dim_number(at, end, &v) || v > INT64_MAX)
		return false;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

#endif
