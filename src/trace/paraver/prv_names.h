/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reader and the writer of .prv share: Paraver's own states and colours, names for what has none, the files beside a
 * .prv, and the keys of the notes that keep what our columns have no place for.
 */
#ifndef WEFT_TRACE_PRV_NAMES_H
#define WEFT_TRACE_PRV_NAMES_H

#include "base/str.h"
#include "trace/store/trace.h"

/* Notes (weft_trace.note). Those marked * may come several times. */
#define PRV_NOTE_DATE "prv.date"                 /* as it stands in the header */
#define PRV_NOTE_UNIT "prv.unit"                 /* suffix of the times: "", "_ns", "_ms" */
#define PRV_NOTE_RESOURCES "prv.resources"       /* "no": the header says 0 nodes */
#define PRV_NOTE_COMMUNICATOR "prv.communicator" /* * a line that is no list of tasks, verbatim */
#define PRV_NOTE_MESSAGES "prv.messages"         /* "physical": they stand at their physical sends; else at the logical ones */
#define PRV_NOTE_COMMENT "prv.comment"           /* * a line with # in the body, verbatim */
#define PRV_NOTE_OPTION "prv.option"             /* * .pcf: "KEY value" of DEFAULT_OPTIONS */
#define PRV_NOTE_SEMANTIC "prv.semantic"         /* * .pcf: "KEY value" of DEFAULT_SEMANTIC */
#define PRV_NOTE_COLOR "prv.color"               /* * .pcf: "3 {255,0,0}" */
#define PRV_NOTE_GRADIENT "prv.gradient"         /* * .pcf: "50000001 9": type and its gradient, where that is not 0 */
#define PRV_NOTE_ROW "prv.row"                   /* * .row: a level that is there, "NODE" */
#define PRV_NOTE_ROW_NAME "prv.row." /* * and a level: names of a level that has no objects of ours ("prv.row.SYSTEM") */

#define PRV_CUTTER ":CUTTER:ORIGINAL:" /* in a comment: the line of the cutter, see origin.h */

struct prv_state {
	const char *name;
	unsigned char red, green, blue;
};
enum { PRV_STATES = 34 };
extern const struct prv_state prv_states[PRV_STATES]; /* by Paraver's number */

enum { PRV_STATE_IDLE = 0, PRV_STATE_RUNNING = 1, PRV_STATE_NOT_CREATED = 2, PRV_STATE_DISABLED = 14, PRV_STATE_OTHERS = 15 };
/* The state that a region shows as; UINT32_MAX: that of the region around it. */
uint32_t prv_state_of_region(const struct weft_def_row *region);
/* What a thread shows as outside of all regions. */
uint32_t prv_state_outside(const struct weft_trace *t, uint32_t thread);

/*
 * Paraver's numbers of event types. What has a code of its own (weft_def_row.code) keeps it; the rest lies behind every range
 * that Extrae or another tool uses, and below 2^31. An id is that of the definition in the trace.
 */
enum prv_range {
	PRV_REGIONS = 1900000000,        /* + category: the innermost region of that category, 0: none */
	PRV_TYPES = 1920000000,          /* + type: points */
	PRV_TYPES_FLOAT = 1940000000,    /* + type: floating points, in millionths (PRECISION 6) */
	PRV_TYPES_TEXT = 1960000000,     /* + type: strings; the values are ids with labels */
	PRV_COUNTERS = 1980000000,       /* + counter */
	PRV_COUNTERS_FLOAT = 2000000000, /* + counter, in millionths */
	PRV_ATTRS = 2020000000,          /* + attribute */
	PRV_ATTRS_FLOAT = 2040000000,
	PRV_ATTRS_TEXT = 2060000000,
	PRV_OTHERS = 2080000000, /* + PRV_COLLECTIVE…, but for those that have a number elsewhere (prv_counters.h) */
};
enum {
	PRV_COLLECTIVE = 1,
	PRV_COLLECTIVE_ROOT,
	PRV_COLLECTIVE_SENT,
	PRV_COLLECTIVE_RECEIVED,
	PRV_DROPPED,
	PRV_COLLECTIVE_IS_ROOT,
	PRV_COLLECTIVE_COMM,
	PRV_OTHERS_END
};
enum { PRV_FLOAT_PRECISION = 6 };
uint32_t prv_type_number(const struct weft_def_row *d, uint32_t id); /* of integer points */
int64_t prv_millionths(double v); /* a floating value in a file of whole numbers; not of a NaN */
extern const char *const prv_other_names[PRV_OTHERS_END];
/* "name [unit]" into z, which the caller frees. Of memory that is out: the name. */
const char *prv_with_unit(struct weft_buf *z, const struct weft_def_row *d);

enum { PRV_NAME = 40 };
/* The names of what a .pcf does not name, into out. They are left out when a .pcf is written. */
char *prv_unnamed_type(uint32_t number, char *out);
char *prv_unnamed_state(uint32_t number, char *out);

/* The path of the file beside a .prv (also .prv.gz, .prv.zst) with this suffix (".pcf"); malloc'd, NULL when memory is out. */
char *prv_beside(const char *path, const char *suffix);

/* "1e-3" for 3; PRECISION of a type is its unit. */
char *prv_precision_unit(uint32_t precision, char *out);
uint32_t prv_unit_precision(const char *unit); /* 0 when it is none */

/* Communicators: application (from 1) and number, as the key of the definition. */
#define PRV_COMM_NAME "communicator "

#endif
