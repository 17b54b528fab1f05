/* SPDX-License-Identifier: Apache-2.0 */
#include "counter_model.h"
#include "base/str.h"
#include "xml/xml.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

struct reader {
	struct weft_counter_model *m;
	const char *file;
	struct weft_err *err;
};

static int wrong(const struct reader *r, const struct weft_xml_node *n, const char *what, const char *found)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "%s:%u: <%s>: %s '%.80s'", r->file, n->line, n->name, what, found);
}

static int no_memory(const struct reader *r)
{
	return weft_err_set(r->err, -ENOMEM, "cannot read '%s': out of memory", r->file);
}

/* An attribute, copied; NULL where there is none. */
static int copy(const struct reader *r, const struct weft_xml_node *n, const char *name, const char **out)
{
	const char *z = weft_xml_attribute(n, name);
	*out = z ? weft_arena_strdup(&r->m->arena, z) : NULL;
	return z && !*out ? no_memory(r) : 0;
}

static bool says_yes(const struct weft_xml_node *n, const char *name)
{
	const char *z = weft_xml_attribute(n, name);
	return z && (!strcasecmp(z, "yes") || !strcasecmp(z, "true"));
}

static int take_term(const struct reader *r, const struct weft_xml_node *n, struct weft_counter_term **out)
{
	struct weft_counter_term *t = *out = weft_arena_alloc(&r->m->arena, sizeof *t);
	if (!t)
		return no_memory(r);
	if (!strcasecmp(n->name, "value")) {
		if (!*n->text)
			return wrong(r, n, "expected a counter or a number, found", "");
		if (weft_parse_double(weft_str(n->text), &t->number) == 0)
			return 0;
		t->counter = weft_arena_strdup(&r->m->arena, n->text);
		return t->counter ? 0 : no_memory(r);
	}
	const char *type = weft_xml_attribute(n, "type");
	if (strcasecmp(n->name, "operation") != 0)
		return wrong(r, n, "expected value or operation, found", n->name);
	if (!type || !*type || type[1] || !strchr("+-*/", *type))
		return wrong(r, n, "expected the type + - * or /, found", type ? type : "");
	t->operation = *type;
	struct weft_counter_term **end = &t->first;
	unsigned operands = 0;
	for (const struct weft_xml_node *k = n->child; k; k = k->next, end = &(*end)->next, operands++) {
		int rc = take_term(r, k, end);
		if (rc)
			return rc;
	}
	return operands >= 2 ? 0 : wrong(r, n, "an operation wants two operands at least:", type);
}

static int take_component(const struct reader *r, const struct weft_xml_node *n, struct weft_counter_component *c)
{
	int rc = copy(r, n, "name", &c->name);
	rc = rc ? rc : copy(r, n, "title-name", &c->title);
	rc = rc ? rc : copy(r, n, "where", &c->where);
	rc = rc ? rc : copy(r, n, "color", &c->color);
	if (rc)
		return rc;
	if (!c->name || !n->child)
		return wrong(r, n, "a component has a name, and a value or an operation:", c->name ? c->name : "");
	c->hidden = says_yes(n, "hidden");
	c->title = c->title ? c->title : c->name;
	return take_term(r, n->child, &c->value);
}

static int take_model(const struct reader *r, const struct weft_xml_node *root)
{
	struct weft_counter_model *m = r->m;
	unsigned n = 0;
	if (strcasecmp(root->name, "model") != 0)
		return wrong(r, root, "expected model, found", root->name);
	int rc = copy(r, root, "name", &m->name);
	rc = rc ? rc : copy(r, root, "title-name", &m->title);
	rc = rc ? rc : copy(r, root, "y1", &m->y1);
	rc = rc ? rc : copy(r, root, "y2", &m->y2);
	m->stacked = says_yes(root, "y1-stacked");
	for (const struct weft_xml_node *k = root->child; k; k = k->next)
		n++;
	m->component = weft_arena_alloc(&m->arena, (n + (size_t)1) * sizeof *m->component);
	if (!rc && !m->component)
		return no_memory(r);
	for (const struct weft_xml_node *k = root->child; k && !rc; k = k->next) {
		if (strcasecmp(k->name, "component") != 0)
			return wrong(r, k, "expected component, found", k->name);
		rc = take_component(r, k, &m->component[m->n_components]);
		m->n_components += !rc;
	}
	if (!rc && (!m->name || !m->n_components))
		return wrong(r, root, "a model has a name and components:", m->name ? m->name : "");
	m->title = m->title ? m->title : m->name;
	return rc;
}

int weft_counter_model_parse(struct weft_counter_model *m, const char *file, const char *text, size_t n, struct weft_err *err)
{
	struct reader r = {m, file, err};
	struct weft_xml_node *root;
	*m = (struct weft_counter_model){.name = NULL};
	int rc = weft_xml_parse(&m->arena, file, text, n, &root, err);
	return rc ? rc : take_model(&r, root);
}

void weft_counter_model_fini(struct weft_counter_model *m)
{
	weft_arena_fini(&m->arena);
	*m = (struct weft_counter_model){.name = NULL};
}

static double apply(char operation, double a, double b)
{
	switch (operation) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	default:
		return b != 0 ? a / b : 0;
	}
}

double weft_counter_model_value(const struct weft_counter_term *t, double (*of)(void *arg, const char *counter), void *arg)
{
	if (t->counter)
		return of(arg, t->counter);
	if (!t->operation)
		return t->number;
	double v = weft_counter_model_value(t->first, of, arg);
	for (const struct weft_counter_term *k = t->first->next; k; k = k->next)
		v = apply(t->operation, v, weft_counter_model_value(k, of, arg));
	return v;
}
