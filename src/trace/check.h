/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a trace sound, and if not: what is damaged, what was recovered, what is lost. Reads every page of every stream and holds
 * it against the table of kinds; then the index against the streams. Changes nothing.
 */
#ifndef WEFT_TRACE_CHECK_H
#define WEFT_TRACE_CHECK_H

#include "base/arena.h"
#include "trace/store/trace.h"

enum weft_check_grade {
	WEFT_CHECK_NOTE, /* normal, worth knowing: the process was killed, a page is open, a kind is newer than this build */
	WEFT_CHECK_WARNING, /* what the program recorded does not add up: unbalanced regions, unmatched messages, a clock that drifts */
	WEFT_CHECK_ERROR, /* the file is not as the format says: data is lost or cannot be trusted */
	WEFT_CHECK_GRADES
};
extern const char *const weft_check_grade_name[WEFT_CHECK_GRADES]; /* "note" */

struct weft_check_finding {
	enum weft_check_grade grade;
	const char *rule; /* "page-checksum": for scripts; a row of the table in check.c */
	struct weft_problem at;
};

enum weft_check_index { WEFT_INDEX_NONE, WEFT_INDEX_GOOD, WEFT_INDEX_STALE, WEFT_INDEX_DAMAGED };
extern const char *const weft_check_index_name[]; /* "good" */

struct weft_check_report {
	uint64_t n_streams, n_streams_open, n_streams_full, n_streams_bad; /* bad: nothing in it can be read */
	uint64_t n_streams_live; /* open, and their process still writes: what looks like damage there is a note */
	uint64_t n_pages, n_pages_open, n_pages_unused, n_pages_bad, n_pages_missing;
	uint64_t n_threads, n_records, n_definitions, n_unknown;
	uint64_t lost_bytes; /* in pages and records that could not be read */
	uint64_t dropped;    /* events that the recorder itself gave up, as it says */
	uint64_t unmatched_leaves, unclosed_enters;
	uint64_t unmatched_messages, backward_messages, unmatched_flows;
	uint64_t n_ends_missing; /* files that seem to go on elsewhere */
	double max_drift_ppm;    /* of a process's ticks against CLOCK_MONOTONIC, between two CLOCK records */
	enum weft_check_index index;
	uint64_t count[WEFT_CHECK_GRADES];           /* of findings, also of those not kept */
	WEFT_VEC(struct weft_check_finding) finding; /* the first 1000 */
	struct weft_arena arena;                     /* texts of the findings */
};

/*
 * Fills *r (zeroed first). 0 also when there are findings; negative only when `path` cannot be read at all or memory is out.
 * path: a trace directory or one stream file. Ended by weft_check_report_fini, also after a failure.
 */
int weft_trace_check(const char *path, const struct weft_open_how *how, struct weft_check_report *r,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_check_report_fini(struct weft_check_report *r);

#endif
