/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instances of an actor in one iteration, as evaluation and collectors keep them: parallel
 * arrays, found by id. Not thread-safe.
 */
#ifndef WEFT_TUNE_EVAL_GROUP_H
#define WEFT_TUNE_EVAL_GROUP_H

#include "base/map.h"
#include <stddef.h>
#include <stdint.h>

struct group {
	struct weft_map by_id; /* id -> place */
	int64_t *id;
	double *first;        /* time of the first event */
	unsigned char *flags; /* of an evaluation; a collector has none */
	char *data;           /* attributes */
	uint32_t n, room;
	uint64_t folded, folded_incomplete; /* instances beside them, of which collectors only say how many */
};

/* `group` is an array of n, one of each actor, from malloc; or NULL. */
void groups_free(struct group *group, size_t n);
/*
 * Emptied and kept in *spare for the next iteration, which will have as many instances; freed where
 * one is kept already.
 */
void groups_spare(struct group **spare, struct group *group, size_t n);

#endif
