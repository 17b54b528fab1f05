/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that `weft record` itself writes beside those of libweft: what was seen of processes and threads from outside, and
 * the machine; and one for each process with probes. Their clock is CLOCK_MONOTONIC in nanoseconds, or, with probes, the processor's. Pages are written in place in a shared mapping of the file, so that
 * everything up to the last record is there when `weft record` is killed.
 *
 * Nothing here fails visibly after open: without space, records are counted as dropped and the stream says so in its head.
 */
#ifndef WEFT_CLI_RECORD_STREAM_H
#define WEFT_CLI_RECORD_STREAM_H

#include "base/atomic.h"
#include "format/format.h"
#include <stddef.h>

struct record_stream {
	char *path; /* owned */
	int fd;
	uint8_t *at; /* the file, mapped; room for `room` bytes, of which the file has `bytes` */
	uint64_t room, bytes, used;
	struct weft_atomic_u32 cut;   /* errno value: somebody has cut the file off */
	struct weft_page_writer meta; /* page == NULL: none is open */
	uint32_t meta_pages;
	double ticks_per_ns; /* of the processor's clock; 0: CLOCK_MONOTONIC is the clock */
};

/* The pages of one thread; zero-initialised but for `thread` (its number in the stream, from 1). */
struct record_lane {
	uint32_t thread, pages;
	struct weft_page_writer writer;
};

/* Makes DIR/NAME. run_id: 16 bytes; ticks_per_ns: 0, or of the processor's clock, which is the stream's then. */
int record_stream_open(struct record_stream *s, const char *dir, const char *name, const uint8_t *run_id, double ticks_per_ns,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* A definition: `n` words, and behind them, when text is not NULL, a count and its bytes. */
void record_stream_meta(struct record_stream *s, const struct weft_record *r, const char *text, size_t text_bytes);
void record_stream_event(struct record_stream *s, struct record_lane *lane, const struct weft_record *r);
void record_stream_end_lane(struct record_lane *lane);       /* seals its page */
void record_stream_clock(struct record_stream *s);           /* one instant on the three clocks */
uint64_t record_stream_ticks(const struct record_stream *s); /* now */
uint64_t record_stream_dropped(const struct record_stream *s);
/* Ends in order: the file gets its final length. Frees. */
void record_stream_close(struct record_stream *s);

#endif
