/* SPDX-License-Identifier: Apache-2.0 */
/* Reading packed streams, for the stream reader. */
#ifndef WEFT_TRACE_PACK_PRIV_H
#define WEFT_TRACE_PACK_PRIV_H

#include "pack.h"
#include "stream.h"

/* Whether frames follow the header page: tells a packed stream whose header is damaged. */
bool pack_has_frames(const struct stream_bytes *b);
/* Replaces s->bytes by the unpacked ones; frames that are damaged leave pages of zeros and a problem. */
int pack_unpack_bytes(struct stream *s, struct weft_err *err) WEFT_MUST_CHECK;

/* Whether the process that a stream says to be of still has it mapped. */
bool pack_is_live(const struct stream_bytes *b, const struct weft_stream_head *h);

#endif
