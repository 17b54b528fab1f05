/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a Paje file, by what its head defines: for the reader of traces, and for those who only look at the lines (src/taskfiles).
 */
#ifndef WEFT_TRACE_PAJE_LINE_H
#define WEFT_TRACE_PAJE_LINE_H

#include "base/map.h"
#include "base/vec.h"

enum paje_event {
	PAJE_DEF_CONTAINER,
	PAJE_DEF_STATE,
	PAJE_DEF_EVENT,
	PAJE_DEF_VARIABLE,
	PAJE_DEF_LINK,
	PAJE_DEF_VALUE,
	PAJE_CREATE,
	PAJE_DESTROY,
	PAJE_SET_STATE,
	PAJE_PUSH,
	PAJE_POP,
	PAJE_RESET,
	PAJE_NEW_EVENT,
	PAJE_SET,
	PAJE_ADD,
	PAJE_SUB,
	PAJE_START_LINK,
	PAJE_END_LINK,
	PAJE_OTHER, /* a line whose event is none of the standard's */
	PAJE_EVENTS
};
/* What a field is to us. Fields with other names are extra. */
enum paje_slot {
	PAJE_TIME,
	PAJE_ALIAS,
	PAJE_TYPE,
	PAJE_NAME,
	PAJE_CONTAINER,
	PAJE_VALUE,
	PAJE_START,
	PAJE_END,
	PAJE_KEY,
	PAJE_SIZE,
	PAJE_TAG,
	PAJE_IGNORED,
	PAJE_SLOTS,
	PAJE_EXTRA = PAJE_SLOTS
};
enum { PAJE_MOST_FIELDS = 64 };

/* ---- lines ---- */

struct paje_field {
	const char *name;
	uint8_t slot;
};
struct paje_def {
	enum paje_event event;
	struct paje_field field[PAJE_MOST_FIELDS]; /* names in the arena */
	unsigned n;
	bool has_size;
};
struct paje_defs {
	struct weft_arena arena;
	struct weft_intern number; /* as it stands in the file -> index in `at` */
	WEFT_VEC(struct paje_def) at;
	bool open; /* between %EventDef and %EndEventDef; the last of `at` */
};
void paje_defs_fini(struct paje_defs *d);
/* A line that begins with '%'. 0, -ENOMEM, or 1 and what is wrong with it. */
int paje_defs_line(struct paje_defs *d, struct weft_str line, const char **why) WEFT_MUST_CHECK;

struct paje_line {
	const struct paje_def *def;
	struct weft_str slot[PAJE_SLOTS]; /* .at == NULL: the line has no such field */
	struct {
		const char *name;
		struct weft_str text;
	} extra[PAJE_MOST_FIELDS];
	unsigned n_extra;
};
/* 0, or 1 and what is wrong with it. The line's texts borrow from `text`. */
int paje_split(const struct paje_defs *d, struct weft_str text, struct paje_line *line, const char **why) WEFT_MUST_CHECK;
const char *paje_event_name(enum paje_event e);
/* Seconds, exact to the ns where they are written as decimals. */
bool paje_time(struct weft_str text, uint64_t *ns);

#endif
