/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which send belongs to which receive in a .dim, where both only say whom they speak with: the k-th send from one task to another
 * with one tag and communicator goes with the k-th receive of those. Also which wait belongs to which receive that was posted.
 */
#ifndef WEFT_REPLAY_DIM_MATCH_H
#define WEFT_REPLAY_DIM_MATCH_H

#include "base/vec.h"
#include "replay/program/program.h"

struct dim_channel_key {
	uint32_t from, to; /* tasks */
	int32_t tag;
	uint32_t comm;
	int32_t from_thread, to_thread; /* -1: any */
};
struct dim_chain { /* of messages; head UINT32_MAX: empty */
	uint32_t head, tail;
};
struct dim_channel {
	struct dim_channel_key key;
	struct dim_chain unreceived, unsent, unwaited;
};
struct dim_match { /* begins as zeros */
	WEFT_VEC(struct dim_channel) channel;
	uint32_t *slot; /* open addressing: number of the channel + 1 */
	uint64_t mask, last;
	WEFT_VEC(uint32_t) link, wait_link; /* by message: the next in its chain */
};
void dim_match_fini(struct dim_match *m);
/* The message that this send or receive is an end of, made (in b) when the other end has not come. Its number, or negative. */
int64_t dim_match_send(struct dim_match *m, struct weft_replay_builder *b, const struct dim_channel_key *key, uint64_t bytes);
/* posted: a wait will follow. */
int64_t dim_match_receive(struct dim_match *m, struct weft_replay_builder *b, const struct dim_channel_key *key, uint64_t bytes,
                          bool posted);
/* The oldest message of this channel that was posted and not waited for; -ENOENT: none. */
int64_t dim_match_wait(struct dim_match *m, const struct dim_channel_key *key);

#endif
