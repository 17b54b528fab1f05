/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outer syntax: a specification is a sequence of items, keywords (TUNLET, event, endevent,
 * ATTRS…) and labels with a value (`type: int`). What follows a label tells how far its value goes:
 * to the end of the line, of a comment, of a code.
 */
#ifndef WEFT_TUNE_SPEC_SCAN_H
#define WEFT_TUNE_SPEC_SCAN_H

#include "spec_model.h"

enum keyword {
	KEY_NONE,
	KEY_TUNLET,
	KEY_MEASURE,
	KEY_VARIABLES,
	KEY_EVENTS,
	KEY_ACTORS,
	KEY_ITERATION,
	KEY_PARAMETERS,
	KEY_FUNCTIONS,
	KEY_TUNING,
	KEY_ENDTUNLET,
	KEY_ATTRS,
	KEY_VARIABLE,
	KEY_EVENT,
	KEY_ACTOR,
	KEY_FUNCTION,
	KEY_POINT,
	KEY_ENDVARIABLE,
	KEY_ENDEVENT,
	KEY_ENDACTOR,
	KEY_ENDFUNCTION,
	KEY_ENDPOINT,
};

enum label {
	LABEL_NONE,
	LABEL_ID,
	LABEL_COMMENT,
	LABEL_INCLUDE,
	LABEL_UNIT,
	LABEL_PATH,
	LABEL_SOURCE,
	LABEL_TYPE,
	LABEL_ACTOR_ID,
	LABEL_CONTROLITER,
	LABEL_UTILITY,
	LABEL_METHOD,
	LABEL_CLASS,
	LABEL_PLACE,
	LABEL_ITERATION,
	LABEL_MIN,
	LABEL_MAX,
	LABEL_COMPLETION,
	LABEL_EXE,
	LABEL_RANK,
	LABEL_HOST,
	LABEL_ENTERS,
	LABEL_INIC,
	LABEL_DEPINIC,
	LABEL_VALUE,
	LABEL_CUM,
	LABEL_DEPENDENCY,
	LABEL_DEF,
	LABEL_KIND,
	LABEL_SYNCFUNCTION,
	LABEL_SYNCPLACE,
	LABEL_COND,
	LABEL_IDX,
	LABEL_REQ,
	LABEL_PRIORITY,
	LABEL_HOLD,
	LABEL_LOST,
	LABEL_WEIGHT,
	LABEL_OBJECTIVE,
	LABEL_METRIC,
	LABEL_RESOURCE,
	LABEL_SENSE,
	LABELS
};

struct item {
	enum keyword key;  /* KEY_NONE: a label, or the end */
	enum label label;  /* LABEL_NONE: a keyword, or the end */
	struct span name;  /* as it is written */
	struct span value; /* of a label, without delimiters and outer blanks */
	bool bare;         /* a code or a comment without its delimiters */
	bool end;
};

/* The next item at *pos; what belongs to none is diagnosed and passed over. */
struct item spec_next(struct weft_spec *s, uint32_t *pos);
const char *spec_label_name(enum label l);

#endif
