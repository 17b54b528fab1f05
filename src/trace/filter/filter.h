/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter grammar that every command shares (docs/filters.md):
 *
 *     filter = term { "or" term }        term = factor { ["and"] factor }        factor = "not" factor | "(" filter ")" | test
 *     test   = FIELD OP VALUE {"," VALUE}      OP: = != < <= > >=      VALUE: word, "quoted", number with unit, or A..B (closed)
 *     fields: time thread process rank app host node cpu cluster iteration phase | kind name region type counter attr state category | value size duration tag peer comm
 *     e.g.   region=solve*,halo and duration>1ms      thread=1.2.* time=10ms..20ms      kind=send size>=64K
 *
 * A test on a field that an event does not have is false (and its "not" true). Names are globs.
 */
#ifndef WEFT_TRACE_FILTER_H
#define WEFT_TRACE_FILTER_H

#include "base/str.h"
#include "trace/store/cursor.h"
#include "spans.h"

struct weft_filter;

/* Errors point at the column: "filter: column 8: unknown field 'regoin' (did you mean 'region'?)". */
int weft_filter_new(struct weft_filter **out, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
void weft_filter_free(struct weft_filter *f);
/* The same filter in one form: appended to *out. It reads back as an equal filter. 0 or -ENOMEM. */
int weft_filter_text(const struct weft_filter *f, struct weft_buf *out) WEFT_MUST_CHECK;
/* Binds names to a trace's ids (globs resolved once). Must come before the tests below. */
int weft_filter_bind(struct weft_filter *f, const struct weft_trace *t, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Of a bound filter: the first name in it that the trace has not, as a sentence for people: "column 8: the trace has no region
 * 'barier' (did you mean 'barrier'?)". False when it has them all. Not an error: a filter serves many traces.
 */
bool weft_filter_lacks(const struct weft_filter *f, char *text, size_t n_text);

/* Bounds that the whole filter implies, for skipping: time range, and which threads can pass at all. */
void weft_filter_range(const struct weft_filter *f, uint64_t *from, uint64_t *to);
bool weft_filter_thread(const struct weft_filter *f, uint32_t thread);
/* Does the filter need to know spans (durations) to decide on enter and leave events? */
bool weft_filter_wants_spans(const struct weft_filter *f);
/* Does it ask for attributes? Then a region passes as a whole, too, when one of its attributes does (weft_span_choose). */
bool weft_filter_asks_attrs(const struct weft_filter *f);

/*
 * An event has no duration, except one of a message or the begin of a state. For enter and leave of a filter that wants spans
 * ask weft_filter_enter and weft_filter_leave, or weft_filter_span for both at once: it is true when one of them is.
 * `time` is true of a span, a state or a message when some instant of it is in the range.
 */
bool weft_filter_event(const struct weft_filter *f, const struct weft_event *e);
bool weft_filter_enter(const struct weft_filter *f, const struct weft_span *s); /* the event at its begin */
bool weft_filter_leave(const struct weft_filter *f, const struct weft_span *s); /* the event at its end */
bool weft_filter_span(const struct weft_filter *f, const struct weft_span *s);
/* A state of a foreign trace, from its STATE to its STATE_END. */
bool weft_filter_state(const struct weft_filter *f, uint32_t thread, uint32_t state, uint64_t begin, uint64_t end);
/* True when it passes as seen from its sender or from its receiver. */
bool weft_filter_message(const struct weft_filter *f, uint64_t message);

/*
 * "10ms..20ms", "25%..50%", "..1s", "90%..": of a trace that ends at `end`. What lies from *from on up to and without *to
 * (WEFT_NEVER: no bound).
 */
int weft_time_range(const char *text, uint64_t end, uint64_t *from, uint64_t *to, struct weft_err *err) WEFT_MUST_CHECK;

#endif
