/* SPDX-License-Identifier: Apache-2.0 */
/* One loading of a .prv: what its steps share. prv_read.c drives them, prv_objects.c makes what stands before the body. */
#ifndef WEFT_TRACE_PRV_LOAD_H
#define WEFT_TRACE_PRV_LOAD_H

#include "trace/store/build.h"
#include "pcf.h"
#include "prv_chunk.h"
#include "prv_header.h"
#include "row.h"
#include "trace/text/text_input.h"

struct prv_load {
	struct weft_builder *b; /* borrowed, as path, how and err */
	const char *path;
	const struct weft_open_how *how;
	struct weft_err *err;
	struct text_input *in;
	struct prv_header header;
	struct prv_model model;
	struct pcf pcf;
	struct row row;
	uint64_t n_lines; /* of the .prv so far */
};

int prv_load_fail(const struct prv_load *l, int rc); /* the error of a builder's call, which has no text of its own */
int prv_load_problem(struct prv_load *l, const char *file, uint64_t line, uint64_t offset, uint64_t bytes,
                     const char *text) WEFT_MUST_CHECK;

/* prv_labels.c: gives the types of the .pcf their labels. types: from their numbers to their definitions. */
int prv_load_labels(struct prv_load *l, const struct prv_ids *types) WEFT_MUST_CHECK;

int prv_load_note(struct prv_load *l, const char *key, struct weft_str text) WEFT_MUST_CHECK;

/* The steps, in this order. 0 or negative. */
int prv_load_header(struct prv_load *l) WEFT_MUST_CHECK; /* the first lines, and the model */
int prv_load_names(struct prv_load *l) WEFT_MUST_CHECK;  /* .pcf and .row, where there are any */
int prv_load_objects(struct prv_load *l) WEFT_MUST_CHECK;
int prv_load_defs(struct prv_load *l) WEFT_MUST_CHECK;
int prv_load_communicators(struct prv_load *l) WEFT_MUST_CHECK;

/* A definition for a number that the .pcf does not name, known to the model from then on. */
int prv_load_number(struct prv_load *l, const struct prv_number *n, uint32_t *id) WEFT_MUST_CHECK;

#endif
