/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a sample's source have in common. */
#ifndef WEFT_RUNTIME_LIVE_RUNTIME_H
#define WEFT_RUNTIME_LIVE_RUNTIME_H

#include "base/json.h"

/* starpu_top_*: its members of a sample; `set NAME VALUE`; `start`. */
void live_top_sample(struct weft_json *j);
int live_top_set(const char *name, const char *value, struct weft_err *err) WEFT_MUST_CHECK;
int live_top_start(struct weft_err *err) WEFT_MUST_CHECK;
void live_top_end(void); /* nobody will come any more: who waits goes on */

/* Knobs (starpu_perf_steering.h): a member of a sample; `knob NAME VALUE [INDEX]`. */
void live_knobs_sample(struct weft_json *j);
/* words: NAME, VALUE, and whose it is or NULL. *was: its value before. */
int live_knob_set(char *const *words, double *was, struct weft_err *err) WEFT_MUST_CHECK;

/* Counters (starpu_perf_monitoring.h) that somebody wants to see: a member of a sample; `count NAME`, until nobody looks any more. */
void live_counters_sample(struct weft_json *j);
int live_count(const char *name, struct weft_err *err) WEFT_MUST_CHECK;
void live_counters_end(void);

/* What the program says by starpu_iteration_push: a member of a sample. */
void live_iterations_watch(bool on);
void live_iterations_sample(struct weft_json *j);

/* A key with its value. */
static inline void live_add_text(struct weft_json *j, const char *key, const char *text)
{
	weft_json_key(j, key);
	weft_json_string(j, text);
}
static inline void live_add_count(struct weft_json *j, const char *key, uint64_t v)
{
	weft_json_key(j, key);
	weft_json_u64(j, v);
}
static inline void live_add_number(struct weft_json *j, const char *key, double v)
{
	weft_json_key(j, key);
	weft_json_double(j, v);
}

#endif
