/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a trace: readers put objects, definitions and events in, weft_build_finish sorts, matches and writes the columns.
 * Objects and definitions: from one thread at a time. Events: each thread row has an appender, and different appenders may be
 * used by different workers at once. What does not fit the memory limit goes to temporary files.
 */
#ifndef WEFT_TRACE_BUILD_H
#define WEFT_TRACE_BUILD_H

#include "trace.h"

int weft_builder_new(struct weft_builder **out, const char *path, const char *format, const struct weft_open_how *how,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_builder_free(struct weft_builder *b); /* of one that was not finished */

/*
 * Strings are copied. Each returns the new object's index, or negative. Objects of one parent stand together: cpus in the order of
 * nodes, processes of applications, threads of processes. A begin or end that is not known is WEFT_NEVER: that of its events.
 */
int64_t weft_build_node(struct weft_builder *b, const char *name);
int64_t weft_build_cpu(struct weft_builder *b, const struct weft_cpu *cpu);
int64_t weft_build_app(struct weft_builder *b, const char *name);
int64_t weft_build_process(struct weft_builder *b, const struct weft_process *p);
int64_t weft_build_thread(struct weft_builder *b, const struct weft_thread_row *t);
struct weft_process *weft_built_process(struct weft_builder *b, uint32_t process); /* to complete it later */
struct weft_thread_row *weft_built_thread(struct weft_builder *b, uint32_t thread);

/* The definition of (class, category, name, code), made when new; fields of `row` that are set fill what was empty. Its id, or negative. */
int64_t weft_build_def(struct weft_builder *b, enum weft_class c, const struct weft_def_row *row);
int weft_build_label(struct weft_builder *b, uint32_t type, int64_t value, const char *text) WEFT_MUST_CHECK;
/* The type has no labels of its own but those of `as`, an earlier one: they are kept once. */
void weft_build_same_labels(struct weft_builder *b, uint32_t type, uint32_t as);
int64_t weft_build_string(struct weft_builder *b, const char *at, size_t n);
int weft_build_note(struct weft_builder *b, const char *key, const char *text) WEFT_MUST_CHECK; /* both are copied */
int weft_build_module(struct weft_builder *b, const struct weft_module *m) WEFT_MUST_CHECK;     /* texts are copied */
int weft_build_problem(struct weft_builder *b, const struct weft_problem *p) WEFT_MUST_CHECK;   /* counts, keeps the first 1000 */
void weft_build_realtime(struct weft_builder *b, uint64_t ns_since_1970_at_time_0);

/*
 * Events of one thread, in any order (sorted is fastest; equal times keep the order of appending). `time` is in ns on one
 * axis for all threads; finish moves the axis so that the first is at 0, unless keep_zero was asked for.
 */
struct weft_appender;
struct weft_appender *weft_builder_appender(struct weft_builder *b, uint32_t thread);
int weft_append(struct weft_appender *a, uint64_t time, uint32_t what, uint64_t value) WEFT_MUST_CHECK;
int weft_append_block(struct weft_appender *a, uint32_t n, const uint64_t *time, const uint32_t *what,
                      const uint64_t *value) WEFT_MUST_CHECK;
int weft_append_extra(struct weft_appender *a, uint64_t time, uint32_t what, const uint64_t *payload, uint32_t n) WEFT_MUST_CHECK;

/* A message whose both ends are known (foreign formats): adds it, and its SEND and RECV events on both threads. */
struct weft_message_row {
	uint32_t send_thread, recv_thread, comm;
	int32_t tag;
	uint64_t size, send_began, send_done, recv_began, recv_done;
};
int weft_build_message(struct weft_builder *b, const struct weft_message_row *m) WEFT_MUST_CHECK;
/*
 * The same in steps, for readers whose workers append each end where it belongs in the order of time: the message first (like
 * definitions, from one thread at a time; its number or negative), then its SEND and its RECV, each once, in that thread's
 * appender. Appending is as parallel as that of events.
 */
int64_t weft_build_message_row(struct weft_builder *b, const struct weft_message_row *m);
int weft_append_end(struct weft_appender *a, uint64_t message, bool is_send) WEFT_MUST_CHECK;
/*
 * Halves (our own streams): value-less SEND and RECV events are appended with their payload through these; finish matches them
 * by (app, comm key, both ranks, tag), in order of time. began: logical time.
 */
struct weft_half_row {
	uint64_t time, began, size;
	uint32_t comm;
	int32_t peer, tag; /* peer: rank in the communicator */
	uint64_t key;      /* not 0: the two halves with this key are one message, whatever else they say; alone: unmatched */
	bool is_send;
};
int weft_append_half(struct weft_appender *a, const struct weft_half_row *h) WEFT_MUST_CHECK;
int weft_append_flow(struct weft_appender *a, uint64_t time, uint32_t flow, uint64_t key, bool out) WEFT_MUST_CHECK;

/* Times are right as they are; the trace ends at `end` at least. */
void weft_build_keep_zero(struct weft_builder *b, uint64_t end);
/* Consumes the builder, also on failure. index_dir: where to leave the columns for the next opening, or NULL. */
int weft_build_finish(struct weft_builder *b, const char *index_dir, struct weft_trace **out,
                      struct weft_err *err) WEFT_MUST_CHECK;

#endif
