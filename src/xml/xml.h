/* SPDX-License-Identifier: Apache-2.0 */
/* Files of options in XML as a tree of nodes. They are small and flat; what is deep or has no end is refused. */
#ifndef WEFT_XML_H
#define WEFT_XML_H

#include "base/arena.h"
#include "base/err.h"
#include <stddef.h>

struct weft_xml_attribute {
	const char *name, *value;
	struct weft_xml_attribute *next;
};

struct weft_xml_node {           /* of an arena */
	const char *name, *text; /* text: of its own, trimmed */
	unsigned line;
	struct weft_xml_attribute *attribute; /* in the file's order */
	struct weft_xml_node *child, *last_child, *next, *parent;
};

/* `name`: of the file, for messages. */
int weft_xml_parse(struct weft_arena *a, const char *name, const char *text, size_t n, struct weft_xml_node **root,
                   struct weft_err *err) WEFT_MUST_CHECK;
const char *weft_xml_attribute(const struct weft_xml_node *n, const char *name); /* its value; NULL: there is none */

#endif
