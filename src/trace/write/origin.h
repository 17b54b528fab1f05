/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a trace that was cut or filtered comes from: the note that `weft cut` and `weft filter` leave, or the line of Paraver's
 * cutter in a .prv. A time that was seen in such a trace is a time of the original when `offset` is added.
 */
#ifndef WEFT_TRACE_ORIGIN_H
#define WEFT_TRACE_ORIGIN_H

#include "base/str.h"
#include "trace/store/trace.h"

#define WEFT_NOTE_ORIGIN "weft.origin" /* "PATH":offset:begin:end, in ns */

struct weft_origin {
	struct weft_str path;        /* borrows from the trace */
	uint64_t offset, begin, end; /* ns; [begin, end) is what was kept, as times of the original */
};
/* False when nothing says that it was made from another trace. What was cut several times leads back to the first. */
bool weft_trace_origin(const struct weft_trace *t, struct weft_origin *o);
/* The note of a trace that is made of what `t` has in [from, to): its text. 0 or -ENOMEM. */
int weft_origin_note(struct weft_buf *out, const struct weft_trace *t, uint64_t from, uint64_t to,
                     bool keep_times) WEFT_MUST_CHECK;

#endif
