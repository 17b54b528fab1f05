/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A .pcf file: the labels and colours of a .prv.
 *
 *     STATES            EVENT_TYPE                        a group: its values and precision
 *     0    Idle         9    50000001    MPI Point-to-point    belong to all of its types
 *     1    Running      VALUES
 *                       1   MPI_Send
 */
#ifndef WEFT_TRACE_PCF_H
#define WEFT_TRACE_PCF_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct pcf_label {
	int64_t value;
	const char *text;
};
struct pcf_color {
	uint32_t index;
	uint8_t red, green, blue;
};
struct pcf_type {
	uint32_t number, gradient;
	const char *label;
	uint32_t group; /* in pcf.group */
	uint32_t line;
};
struct pcf_group {
	WEFT_VEC(struct pcf_label) value;
	uint32_t precision; /* values mean value * 10^-precision */
};
struct pcf_option { /* a line of DEFAULT_OPTIONS or DEFAULT_SEMANTIC */
	const char *key, *value;
	bool semantic;
};
struct pcf_problem {
	uint64_t line, offset, bytes;
	const char *text;
};

struct pcf {
	struct weft_arena arena; /* owns the texts */
	WEFT_VEC(struct pcf_option) option;
	WEFT_VEC(struct pcf_label) state;
	WEFT_VEC(struct pcf_color) color;
	WEFT_VEC(struct pcf_type) type; /* in the order of the file; a number may come twice */
	WEFT_VEC(struct pcf_group) group;
	WEFT_VEC(struct pcf_problem) problem; /* lines that say nothing we know; the first PCF_MOST_PROBLEMS */
	uint64_t n_problems;
	uint32_t line; /* that is being read */
};
enum { PCF_MOST_PROBLEMS = 100, PCF_MOST_PRECISION = 18 };

/* 0 or -ENOMEM; what is wrong in the text is a problem and no failure. Then fini all the same. */
int pcf_parse(struct pcf *p, const char *text, size_t n) WEFT_MUST_CHECK;
void pcf_fini(struct pcf *p);

#endif
