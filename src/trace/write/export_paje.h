/* SPDX-License-Identifier: Apache-2.0 */
/* Names and colours for Paje's types and values (paje_names.c). */
#ifndef WEFT_TRACE_EXPORT_PAJE_H
#define WEFT_TRACE_EXPORT_PAJE_H

#include "export_priv.h"

struct paje_color { /* in thousandths */
	uint16_t red, green, blue;
};
/*
 * A colour for each definition (malloc'd): chosen by its name, so that the same name has the same colour in every trace, from
 * colours that can be told apart; of two names that meet on one, the later in the alphabet takes the next that is free. NULL
 * when memory is out.
 */
struct paje_color *paje_colors(const struct weft_def_table *defs);

struct paje_names {
	struct weft_intern taken;
	struct weft_buf text;
	bool failed; /* memory is out */
};
/* The name, or when it is taken "name (of)", "name (of) 2"…; valid until the next call. Case counts. */
const char *paje_name(struct paje_names *n, const char *name, const char *of);
void paje_names_fini(struct paje_names *n);

#endif
