/* SPDX-License-Identifier: Apache-2.0 */
/* Events as lines, for people or as JSON. What a line says of each kind is a table in dump_print.c. */
#ifndef WEFT_CLI_DUMP_PRINT_H
#define WEFT_CLI_DUMP_PRINT_H

#include "trace/store/cursor.h"
#include <stdio.h>

struct dump_how {
	bool json;  /* a JSON object a line */
	bool delta; /* times are since the line before */
};

/*
 * A printer to `to` (borrowed, as is the trace); what it writes is kept back until there is much of it, or flush.
 * event and flush: 0, -ENOMEM, or why it could not be written.
 */
struct dump_printer;
int dump_printer_new(struct dump_printer **out, const struct weft_trace *t, FILE *to, const struct dump_how *how) WEFT_MUST_CHECK;
int dump_printer_event(struct dump_printer *p, const struct weft_event *e) WEFT_MUST_CHECK;
int dump_printer_flush(struct dump_printer *p) WEFT_MUST_CHECK;
void dump_printer_free(struct dump_printer *p);

#endif
