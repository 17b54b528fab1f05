/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about style: names against files, comments against values, words against the grammar's.
 */
#include "expr.h"
#include <stdlib.h>
#include <string.h>

static void check_file_name(struct weft_spec *s)
{
	const char *slash = strrchr(s->file, '/'), *base = slash ? slash + 1 : s->file;
	size_t n = strcspn(base, ".");
	if (!s->name.z || strcmp(base + n, ".tsl") != 0 || (strlen(s->name.z) == n && strncmp(base, s->name.z, n) == 0))
		return;
	spec_say(s, WEFT_WARNING, "file-name", s->name.where, spec_printf(s, "name:%.*s", (int)n, base),
	         "the tunlet is called '%s', its file '%s': copied?", s->name.z, base);
}

/* Words that people misspell, in comments. */
static void check_spelling(struct weft_spec *s)
{
	static const char *const words[][2] = {
		{"proces", "process"},       {"interation", "iteration"},
		{"itteration", "iteration"}, {"remaning", "remaining"},
		{"remaing", "remaining"},    {"batchs", "batches"},
		{"recieve", "receive"},      {"lenght", "length"},
		{"paralell", "parallel"},    {"performace", "performance"},
		{"treshold", "threshold"},   {"calcul", "calculation"},
		{"procesor", "processor"},   {"paramter", "parameter"},
		{"seperate", "separate"},    {"straightfordwardly", "straightforwardly"},
		{"adress", "address"},       {"occured", "occurred"},
		{"neccesary", "necessary"},  {"ammount", "amount"},
	};
	for (const char *at = strstr(s->text, "/*"); at; at = strstr(at + 2, "/*")) {
		const char *end = strstr(at, "*/");
		for (const char *p = at; end && p < end;) {
			size_t n = 0;
			char word[32] = "";
			while (p + n < end && ((p[n] | 32) >= 'a' && (p[n] | 32) <= 'z')) {
				if (n < sizeof word - 1)
					word[n] = (char)(p[n] | 32);
				n++;
			}
			for (size_t i = 0; n && n < sizeof word && i < sizeof words / sizeof words[0]; i++)
				if (strcmp(word, words[i][0]) == 0)
					spec_say(s, WEFT_NOTE, "spelling", (struct span){(uint32_t)(p - s->text), (uint32_t)n},
					         words[i][1], "'%.*s' in a comment", (int)n, p);
			p += n ? n : 1;
		}
	}
}

/* -- what comments say an entity is -- */

static bool says(const struct word *comment, const char *const *words)
{
	for (; comment->z && *words; words++)
		if (strstr(comment->z, *words))
			return true;
	return false;
}

static bool is_bytes(const struct word *comment)
{
	static const char *const words[] = {"in bytes", "of bytes", "(bytes)", NULL};
	return says(comment, words);
}

static bool is_count(const struct word *comment)
{
	static const char *const words[] = {"number of", "amount of", "quantity of", NULL};
	return says(comment, words) && !is_bytes(comment);
}

struct product_search {
	struct weft_spec *s;
	uint32_t owner;
};

/* A count that is a product with a size in bytes is no count. */
static void check_product(void *ctx, struct expr *e)
{
	struct product_search *q = ctx;
	struct weft_spec *s = q->s;
	if (e->kind != EXPR_ASSIGN || e->kid[0]->kind != EXPR_REF || e->kid[0]->ref != REF_ATTR ||
	    e->kid[1]->kind != EXPR_BINARY || e->kid[1]->op[0] != '*')
		return;
	const struct spec_attr *a = &s->attr.at[e->kid[0]->id];
	for (int k = 0; k < 2 && is_count(&a->comment); k++) {
		const struct expr *f = e->kid[1]->kid[k];
		if (f->kind == EXPR_REF && f->ref == REF_ATTR && is_bytes(&s->attr.at[f->id].comment))
			spec_say(s, WEFT_WARNING, "dimension", e->kid[1]->where, NULL,
			         "'%s' is a number by its comment, but this is multiplied by '%s', a size in bytes", a->id.z,
			         spec_attr_path(s, f->id));
	}
}

/* -- tuning points -- */

struct limit_search {
	struct weft_spec *s;
	bool limited;
	unsigned depth;
};

static void find_limit(void *ctx, struct expr *e)
{
	struct limit_search *q = ctx;
	bool limits = e->kind == EXPR_CHOICE || e->kind == STMT_IF;
	if (e->kind == EXPR_REF && e->ref == REF_MATH)
		limits |= strcmp(e->name, "fmin") == 0 || strcmp(e->name, "fmax") == 0;
	q->limited |= limits || e->kind == EXPR_NUMBER;
	if (e->kind != EXPR_REF || q->depth > 8)
		return;
	if (e->ref == REF_ATTR && q->s->attr.at[e->id].scope == SCOPE_PARAMETER && q->s->attr.at[e->id].value != SPEC_NONE) {
		struct limit_search inner = {.s = q->s, .depth = q->depth + 1};
		for (const struct expr *v = q->s->code.at[q->s->attr.at[e->id].value].body; v; v = v->next)
			if (v->kind == STMT_EXPR && v->kid[0]->kind == EXPR_ASSIGN)
				expr_walk(v->kid[0]->kid[1], find_limit, &inner);
		q->limited |= inner.limited;
	}
	if (e->ref != REF_FUNCTION)
		return;
	/* Numbers inside a function limit nothing; a test there does. */
	struct limit_search inner = {.s = q->s, .depth = q->depth + 1};
	const struct spec_code *c = &q->s->code.at[q->s->function.at[e->id].code];
	expr_walk(c->body, find_limit, &inner);
	bool tests = c->opaque;
	for (const struct expr *b = c->body ? c->body->kid[0] : NULL; b; b = b->next)
		tests |= b->kind == STMT_IF;
	q->limited |= tests;
}

static void check_point(struct weft_spec *s, const struct spec_point *p)
{
	if (p->k != KIND_SET_VARIABLE || p->value == SPEC_NONE || !s->code.at[p->value].body || !p->id.z)
		return;
	struct limit_search q = {.s = s};
	const struct expr *result = s->code.at[p->value].body->kid[0];
	if (result && result->type == TYPE_STRING) {
		spec_say(s, WEFT_ERROR, "type", s->code.at[p->value].where, NULL, "'%s' cannot be set to a text: only to numbers",
		         p->id.z);
		return;
	}
	expr_walk(s->code.at[p->value].body, find_limit, &q);
	if (q.limited)
		return;
	const struct word *comment = p->variable == SPEC_NONE ? NULL : &s->variable.at[p->variable].comment;
	const char *fix = "fmax(LEAST, fmin(MOST, …))";
	for (size_t i = 0; i < s->actor.n; i++)
		if (comment && comment->z && s->actor.at[i].id.z &&
		    strstr(comment->z, spec_printf(s, "number of %s", s->actor.at[i].id.z)))
			fix = spec_printf(s, "fmax(%u, fmin(%u, …)), what '%s' allows", s->actor.at[i].least, s->actor.at[i].most,
			                  s->actor.at[i].id.z);
	spec_say(s, WEFT_WARNING, "unlimited", s->code.at[p->value].where, fix, "nothing limits what '%s' is set to", p->id.z);
}

/* -- units -- */

struct time_search {
	const struct expr *found;
};

static void find_time(void *ctx, struct expr *e)
{
	struct time_search *q = ctx;
	if (e->kind == EXPR_REF && e->ref == REF_FIELD && e->sub == FIELD_TIMESTAMP && !q->found)
		q->found = e;
}

static void check_unit(struct weft_spec *s)
{
	static const char *const units[] = {"s", "ms", "us", "ns"};
	struct time_search q = {0};
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (s->unit.z && strcmp(s->unit.z, units[i]) == 0)
			return;
	if (s->unit.z) {
		spec_say(s, WEFT_ERROR, "unit", s->unit.where, "one of s, ms, us, ns", "'%s' is no unit of time", s->unit.z);
		return;
	}
	for (size_t i = 0; i < s->code.n && !q.found; i++)
		expr_walk(s->code.at[i].body, find_time, &q);
	if (q.found)
		spec_say(s, WEFT_WARNING, "unit", q.found->where, "say so in the header: unit: ms",
		         "the unit of timestamps is not stated: taken as milliseconds");
}

static void check_includes(struct weft_spec *s)
{
	bool math = false;
	for (size_t i = 0; i < s->include.n; i++) {
		const struct word *w = &s->include.at[i];
		size_t n = strlen(w->z);
		math |= strstr(w->z, "math.h") != NULL;
		for (const char *z = w->z; *z; z++)
			if (!((*z >= 'a' && *z <= 'z') || (*z >= 'A' && *z <= 'Z') || (*z >= '0' && *z <= '9') ||
			      strchr("._-/ ,", *z))) {
				spec_say(s, WEFT_ERROR, "include", w->where, NULL, "'%s' is no name of a header", w->z);
				return;
			}
		if (n < 2 || strcmp(w->z + n - 2, ".h") != 0)
			spec_say(s, WEFT_ERROR, "cpp", w->where, "name headers of C", "'%s' is no header of C", w->z);
	}
	if (s->calls_math && !math)
		spec_say(s, WEFT_NOTE, "include", s->name.where, NULL, "functions of math.h are used without 'include: math.h'");
}

static void check_classes(struct weft_spec *s)
{
	for (size_t i = 0; i < s->actor.n; i++)
		if (s->actor.at[i].class.z && strchr(s->actor.at[i].class.z, ',')) {
			spec_say(s, WEFT_NOTE, "class-list", s->actor.at[i].class.where, NULL,
			         "several classes, where the grammar has one");
			return;
		}
}

void spec_check_style(struct weft_spec *s)
{
	check_file_name(s);
	check_spelling(s);
	for (size_t i = 0; i < s->code.n; i++) {
		struct product_search q = {s, s->code.at[i].owner};
		expr_walk(s->code.at[i].body, check_product, &q);
	}
	for (size_t i = 0; i < s->point.n; i++)
		check_point(s, &s->point.at[i]);
	check_unit(s);
	check_includes(s);
	check_classes(s);
}
