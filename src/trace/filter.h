/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter grammar that every command shares (docs/filters.md):
 *
 *     filter = term { "or" term }        term = factor { ["and"] factor }        factor = "not" factor | "(" filter ")" | test
 *     test   = FIELD OP VALUE {"," VALUE}      OP: = != < <= > >=      VALUE: word, "quoted", number with unit, or A..B (closed)
 *     fields: time thread process rank app host node cpu | kind name region type counter attr state category | value size duration tag peer comm
 *     e.g.   region=solve*,halo and duration>1ms      thread=1.2.* time=10ms..20ms      kind=send size>=64K
 *
 * A test on a field that an event does not have is false (and its "not" true). Names are globs.
 */
#ifndef WEFT_TRACE_FILTER_H
#define WEFT_TRACE_FILTER_H

#include "cursor.h"
#include "spans.h"

struct weft_filter;

/* Errors point at the column: "filter: column 8: unknown field 'regoin' (did you mean 'region'?)". */
int weft_filter_new(struct weft_filter **out, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
void weft_filter_free(struct weft_filter *f);
/* Binds names to a trace's ids (globs resolved once). Must come before the tests below. */
int weft_filter_bind(struct weft_filter *f, const struct weft_trace *t, struct weft_err *err) WEFT_MUST_CHECK;

/* Bounds that the whole filter implies, for skipping: time range, and which threads can pass at all. */
void weft_filter_range(const struct weft_filter *f, uint64_t *from, uint64_t *to);
bool weft_filter_thread(const struct weft_filter *f, uint32_t thread);
/* Does the filter need to know spans (durations) to decide on enter and leave events? */
bool weft_filter_wants_spans(const struct weft_filter *f);

bool weft_filter_event(const struct weft_filter *f, const struct weft_event *e);
bool weft_filter_span(const struct weft_filter *f, const struct weft_span *s);
bool weft_filter_message(const struct weft_filter *f, uint64_t message);

#endif
