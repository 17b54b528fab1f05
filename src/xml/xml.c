/* SPDX-License-Identifier: Apache-2.0 */
/* Expat reads, and bounds what entities may become. */
#include "xml.h"
#include "base/str.h"
#include <errno.h>
#include <expat.h>
#include <stdbool.h>
#include <string.h>

enum { XML_MOST_DEPTH = 32, XML_MOST_NODES = 100000, XML_MOST_BYTES = 16 << 20 };

struct reader {
	struct weft_arena *a;
	XML_Parser parser;
	struct weft_xml_node *root, *open;
	struct weft_buf text[XML_MOST_DEPTH + 1]; /* by depth: of the nodes that are open */
	unsigned depth, nodes;
	const char *refused; /* why parsing was stopped; NULL: it was not */
	bool no_memory;
};

static void stop(struct reader *r, const char *why)
{
	if (!r->refused)
		r->refused = why;
	XML_StopParser(r->parser, XML_FALSE);
}

static void out_of_memory(struct reader *r)
{
	r->no_memory = true;
	stop(r, "no memory");
}

static void append_child(struct weft_xml_node *parent, struct weft_xml_node *n)
{
	if (parent->last_child)
		parent->last_child->next = n;
	else
		parent->child = n;
	parent->last_child = n;
}

/* False: no memory. */
static bool take_attributes(struct reader *r, struct weft_xml_node *n, const XML_Char **attribute)
{
	struct weft_xml_attribute **end = &n->attribute;
	for (unsigned i = 0; attribute[i]; i += 2, end = &(*end)->next) {
		struct weft_xml_attribute *a = *end = weft_arena_alloc(r->a, sizeof *a);
		if (!a || !(a->name = weft_arena_strdup(r->a, attribute[i])) ||
		    !(a->value = weft_arena_strdup(r->a, attribute[i + 1])))
			return false;
	}
	return true;
}

static void XMLCALL node_begins(void *arg, const XML_Char *name, const XML_Char **attribute)
{
	struct reader *r = arg;
	if (r->depth == XML_MOST_DEPTH || r->nodes++ == XML_MOST_NODES) {
		stop(r, "too many elements, or too deep");
		return;
	}
	struct weft_xml_node *n = weft_arena_alloc(r->a, sizeof *n);
	if (!n || !(n->name = weft_arena_strdup(r->a, name)) || !take_attributes(r, n, attribute)) {
		out_of_memory(r);
		return;
	}
	n->line = (unsigned)XML_GetCurrentLineNumber(r->parser);
	n->text = "";
	n->parent = r->open;
	if (r->open)
		append_child(r->open, n);
	else
		r->root = n;
	r->open = n;
	r->text[++r->depth].n = 0;
}

static void XMLCALL node_ends(void *arg, const XML_Char *name)
{
	struct reader *r = arg;
	(void)name;
	if (r->refused)
		return;
	struct weft_buf *b = &r->text[r->depth];
	struct weft_str s = weft_str_trim(weft_str_n(b->at ? b->at : "", b->n));
	char *text = s.n ? weft_arena_strndup(r->a, s.at, s.n) : (char *)"";
	if (!text || b->failed) {
		out_of_memory(r);
		return;
	}
	r->open->text = text;
	r->open = r->open->parent;
	r->depth--;
}

static void XMLCALL node_text(void *arg, const XML_Char *at, int n)
{
	struct reader *r = arg;
	if (r->depth && !r->refused)
		weft_buf_add(&r->text[r->depth], at, (size_t)n);
}

int weft_xml_parse(struct weft_arena *a, const char *name, const char *text, size_t n, struct weft_xml_node **root,
                   struct weft_err *err)
{
	*root = NULL;
	if (n > XML_MOST_BYTES)
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s' is too large for a file of options", name);
	struct reader r = {.a = a, .parser = XML_ParserCreate(NULL)};
	if (!r.parser)
		return weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", name);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, node_begins, node_ends);
	XML_SetCharacterDataHandler(r.parser, node_text);
	int rc = 0;
	if (XML_Parse(r.parser, text, (int)n, 1) == XML_STATUS_ERROR) {
		enum XML_Error code = XML_GetErrorCode(r.parser);
		const char *why = r.refused ? r.refused : XML_ErrorString(code);
		rc = r.no_memory || code == XML_ERROR_NO_MEMORY ? -ENOMEM : WEFT_E_SYNTAX;
		weft_err_set(err, rc, "%s:%lu:%lu: %s", name, XML_GetCurrentLineNumber(r.parser),
		             XML_GetCurrentColumnNumber(r.parser) + 1, why);
	}
	for (unsigned i = 0; i <= XML_MOST_DEPTH; i++)
		weft_buf_fini(&r.text[i]);
	XML_ParserFree(r.parser);
	*root = rc ? NULL : r.root;
	return rc;
}

const char *weft_xml_attribute(const struct weft_xml_node *n, const char *name)
{
	for (const struct weft_xml_attribute *a = n->attribute; a; a = a->next)
		if (!strcmp(a->name, name))
			return a->value;
	return NULL;
}
