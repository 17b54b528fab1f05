/* SPDX-License-Identifier: Apache-2.0 */
/* Writing foreign formats, from a table: one row a format. */
#ifndef WEFT_TRACE_EXPORT_H
#define WEFT_TRACE_EXPORT_H

#include "trace/filter/filter.h"

/* Names for the stack of an event into `room`, innermost first; false: none, and addresses are written. */
typedef bool weft_export_stack(void *arg, const struct weft_trace *t, const struct weft_event *e, char *room, size_t n);

/* The same as functions, inlined ones too; `out` has room for `most`. How many. Texts live as long as `arg`. */
struct weft_export_frame {
	const char *function, *file; /* never NULL; "": unknown */
	uint32_t line;
};
typedef uint32_t weft_export_frames(void *arg, const struct weft_trace *t, const struct weft_event *e,
                                    struct weft_export_frame *out, uint32_t most);

struct weft_export_how {
	weft_export_stack *stack;   /* NULL: addresses; formats that have no place for stacks ask for none */
	weft_export_frames *frames; /* NULL: not known */
	void *stack_arg;
	struct weft_filter *filter; /* NULL: everything; the caller has bound it to the trace */
	bool progress;
	bool force; /* replace a trace's folder that is there; files are replaced in any case */
	uint64_t memory;
};
struct weft_exporter {
	const char *name;   /* "prv", "paje", "chrome", "perfetto", "csv", "weft" */
	const char *suffix; /* ".paje .trace": chosen by the output's name when no format is given */
	const char *text;   /* one line for --help */
	bool to_stdout;     /* can be written to "-" */
	/* Outputs appear whole or not at all. */
	int (*write)(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
};
extern const struct weft_exporter weft_exporters[]; /* ends with name == NULL; src/trace/write/export.c */
/* name_or_null: a format's name, or one of its suffixes without the dot ("json"). */
const struct weft_exporter *weft_exporter_find(const char *name_or_null, const char *path);

/* One row each, in src/trace/export_*.c and src/trace/write/prv_write.c */
int weft_export_prv(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
int weft_export_paje(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
int weft_export_chrome(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
int weft_export_perfetto(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
int weft_export_otf2(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
int weft_export_csv(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);
int weft_export_weft(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err);

#endif
