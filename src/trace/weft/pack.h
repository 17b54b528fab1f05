/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressing stream files in place, and back. A packed stream is the header page with WEFT_STREAM_PACKED set, then frames:
 *
 *     struct weft_pack_frame | zstd data, padded with zeros to a multiple of 8
 *
 * each of which unpacks to whole pages (64 at most), in the order of the file. Everything reads a packed stream as it reads a
 * plain one. A file is replaced when the new one is complete and safe on disk, never before.
 */
#ifndef WEFT_TRACE_PACK_H
#define WEFT_TRACE_PACK_H

#include "base/err.h"
#include <stdint.h>

#define WEFT_PACK_MAGIC 0x31465a57u /* "WZF1" */
#define WEFT_PACK_PAGES 64u
struct weft_pack_frame {
	uint32_t magic;
	uint32_t raw_bytes, packed_bytes;
	uint32_t crc; /* CRC-32C of the packed bytes */
};

/*
 * One stream file. level: of zstd, 0 means 3. A stream that is already as asked is left alone, and that is no failure; one
 * whose process still records (state OPEN and the process lives) is refused with -EBUSY.
 */
int weft_stream_pack(const char *stream_path, int level, struct weft_err *err) WEFT_MUST_CHECK;
int weft_stream_unpack(const char *stream_path, struct weft_err *err) WEFT_MUST_CHECK;

/* All streams of a trace directory (or the one stream that path names). The index, when it was current, stays valid. */
struct weft_pack_totals {
	uint64_t n_streams, n_changed, bytes_before, bytes_after;
};
int weft_trace_pack(const char *path, int level, unsigned threads, struct weft_pack_totals *totals,
                    struct weft_err *err) WEFT_MUST_CHECK;
int weft_trace_unpack(const char *path, unsigned threads, struct weft_pack_totals *totals, struct weft_err *err) WEFT_MUST_CHECK;

#endif
