/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share: operations in growing memory, or in a file where they would take too much of it. */
#ifndef WEFT_REPLAY_PROGRAM_PRIV_H
#define WEFT_REPLAY_PROGRAM_PRIV_H

#include "base/map.h"
#include "program.h"

/* A mapping that grows: of memory up to `limit` bytes, then of an unnamed temporary file. */
struct op_store {
	struct weft_replay_op *at;
	uint64_t n, cap, limit;
	int fd; /* -1: memory */
};
int op_store_grow(struct op_store *s) WEFT_MUST_CHECK;
void op_store_fini(struct op_store *s);
static inline WEFT_MUST_CHECK int op_store_put(struct op_store *s, const struct weft_replay_op *op)
{
	if (s->n == s->cap) {
		int rc = op_store_grow(s);
		if (rc)
			return rc;
	}
	s->at[s->n++] = *op;
	return 0;
}

/* The operations of one communicator, as they are counted while threads are put one after the other. */
struct comm_count {
	uint32_t rank;             /* that the count is of */
	uint64_t k;                /* parts of that rank so far */
	WEFT_VEC(uint64_t) gather; /* number of its k-th operation */
};
struct weft_replay_builder {
	struct weft_replay_program *p;
	struct op_store ops;
	struct weft_intern places;
	struct weft_map comm_by_id;
	WEFT_VEC(struct comm_count) count; /* by number of the communicator */
	size_t thread_cap, rank_cap, message_cap, part_cap, gather_cap, comm_cap, member_cap, place_cap;
};

#endif
