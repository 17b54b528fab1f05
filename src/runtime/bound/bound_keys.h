/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks depend on by: other tasks, tags, data; each is a key of one hash table. With bound_lock(). */
#ifndef WEFT_RUNTIME_BOUND_KEYS_H
#define WEFT_RUNTIME_BOUND_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#define BOUND_OF_TASK(x) ((uint64_t)(x)*4 + 1)
#define BOUND_OF_TAG(x) ((uint64_t)(x)*4 + 2)
#define BOUND_OF_DATA(x) ((uint64_t)(x)*4 + 3)
#define BOUND_NO_ACCESS UINT32_MAX

/* A list of tasks. */
struct bound_waiting {
	uint32_t *task; /* owned */
	uint32_t n, cap;
};
struct bound_key {
	uint64_t key;                     /* 0: none */
	uint32_t task;                    /* the last of that task or tag; BOUND_NOTHING */
	struct bound_waiting waiting;     /* submitted before what they depend on */
	unsigned class;                   /* data: of `now` */
	bool before_wrote;                /* data: those before wrote it */
	struct bound_waiting now, before; /* data: the group of accesses, and the one before it */
};

struct bound_key *bound_key(uint64_t key, bool make); /* until the next one is made; NULL: none, or no memory */
void bound_wait(struct bound_waiting *w, uint32_t task);
void bound_swap_groups(struct bound_key *k); /* a new group begins */
void bound_keys_free(void);

#endif
