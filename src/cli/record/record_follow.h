/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of libweft, read while it fills, for record_kinds: pages of a thread are taken in the order of their numbers, wherever they stand, and a page
 * that is not sealed as far as it is written. By reads: what is mapped may be cut off.
 */
#ifndef WEFT_CLI_RECORD_FOLLOW_H
#define WEFT_CLI_RECORD_FOLLOW_H

#include "format/format.h"
#include "record_kinds.h"

struct record_follow;

/* NULL: it is no stream (yet), or there is no memory. */
struct record_follow *record_follow_open(const char *path);
/* Up to which time everything has been said to k; `now_ns`, unless the next page of a thread is just being moved. */
uint64_t record_follow_look(struct record_follow *f, struct record_kinds *k, uint64_t now_ns);
/* Where its threads are goes on until then. */
void record_follow_reach(struct record_follow *f, struct record_kinds *k, uint64_t ns);
void record_follow_close(struct record_follow *f);

/* CLOCK_MONOTONIC of a tick, and the first tick that is not before it, by the stream's head. */
uint64_t record_follow_ns(const struct weft_stream_head *h, uint64_t ticks);
uint64_t record_follow_ticks(const struct weft_stream_head *h, uint64_t ns);

#endif
