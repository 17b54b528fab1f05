/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a Paje trace, in the order in which they end: what StarPU's tools and any other write. Times are counted in
 * thousand-millionths of the trace's unit (StarPU's is ms), so that sums are exact.
 *
 * A SetState ends the states that are open and begins one; Push and Pop lie within. A state's length is all of it, with what lies
 * in it, as other readers of Paje count. What is open at the end ends with its container, or with the trace.
 */
#ifndef WEFT_TASKFILES_PAJE_STATES_H
#define WEFT_TASKFILES_PAJE_STATES_H

#include "text_lines.h"

enum { PAJE_UNIT = 1000000000 };

struct paje_state {
	const char *value, *type, *container, *container_type; /* names; stay until the walk's end */
	uint32_t value_id, type_id, container_id;              /* the same number for the same name */
	uint32_t color;                                        /* 0xRRGGBB; UINT32_MAX: none was said */
	unsigned depth;                                        /* 0: in no other */
	int64_t begin, end;
};
/* each: 0 to go on; else that is returned. */
int paje_states_read(struct text_lines *from, int (*each)(void *arg, const struct paje_state *s), void *arg,
                     struct weft_err *err) WEFT_MUST_CHECK;

/* A time: exact with up to nine decimals. */
bool paje_time_parse(struct weft_str text, int64_t *out);
/* "12.5", in the trace's unit, with no more decimals than there are. out: 32 bytes. */
char *paje_time_text(char *out, int64_t time);

#endif
