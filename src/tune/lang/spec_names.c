/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From words to meanings: types, kinds, numbers, and which entity a name stands for. Spellings that
 * the thesis uses beside those of its grammar are rows of the same tables, and noted.
 */
#include "tune/live/live.h"
#include "spec_model.h"
#include "spec_runtime.h"
#include <stdlib.h>
#include <string.h>

const char *const spec_type_name[] = {"int", "char", "short", "int", "long", "float", "double", "const char *", "void"};
const char *const spec_kind_name[] = {"SetVariableValue", "ReplaceFunction", "InsertFunctionCall", "RemoveFuncCall",
                                      "OnTimeFuncCall",   "FuncParamChange", "LoadLibrary"};
const char *const spec_source_name[] = {"asVarValue", "asFuncParamValue", "asFuncParamPointerValue", "asFuncReturnValue",
                                        "asConstValue"};

struct choice {
	const char *z;
	int value;
	const char *same; /* the grammar's spelling, when this is another */
};

static const struct choice types[] = {{"char", TYPE_CHAR, 0},     {"short", TYPE_SHORT, 0},
                                      {"int", TYPE_INT, 0},       {"long", TYPE_LONG, 0},
                                      {"float", TYPE_FLOAT, 0},   {"double", TYPE_DOUBLE, 0},
                                      {"string", TYPE_STRING, 0}, {0}};
static const struct choice iters[] = {{"no", ITER_NO, 0},
                                      {"begin", ITER_BEGIN, 0},
                                      {"end", ITER_END, 0},
                                      {"eval", ITER_EVAL, 0},
                                      {0}};
static const struct choice utilities[] = {{"always", UTILITY_ALWAYS, 0},
                                          {"addable", UTILITY_ADDABLE, 0},
                                          {"removable", UTILITY_REMOVABLE, 0},
                                          {"eval", UTILITY_REMOVABLE, "removable"},
                                          {0}};
static const struct choice places[] = {{"entry", 0, 0}, {"exit", 1, 0}, {0}};
static const struct choice truths[] = {{"false", 0, 0}, {"true", 1, 0}, {0}};
static const struct choice sources[] = {{"asVarValue", SOURCE_VARIABLE, 0},
                                        {"asFuncParamValue", SOURCE_PARAMETER, 0},
                                        {"asFuncParamPointerValue", SOURCE_POINTED, 0},
                                        {"asFuncReturnValue", SOURCE_RETURN, 0},
                                        {"asConstValue", SOURCE_CONSTANT, 0},
                                        {0}};
static const struct choice kinds[] = {
	{"SetVariableValue", KIND_SET_VARIABLE, 0},
	{"ReplaceFunction", KIND_REPLACE_FUNCTION, 0},
	{"InsertFunctionCall", KIND_INSERT_CALL, 0},
	{"InsertFuncCall", KIND_INSERT_CALL, "InsertFunctionCall"},
	{"RemoveFuncCall", KIND_REMOVE_CALL, 0},
	{"RemoveFunctionCall", KIND_REMOVE_CALL, "RemoveFuncCall"},
	{"OnTimeFuncCall", KIND_ONE_TIME_CALL, 0},
	{"OneTimeFuncCall", KIND_ONE_TIME_CALL, "OnTimeFuncCall"},
	{"OneTimeFunctionCall", KIND_ONE_TIME_CALL, "OnTimeFuncCall"},
	{"One Time Function Call", KIND_ONE_TIME_CALL, "OnTimeFuncCall"},
	{"On time function call", KIND_ONE_TIME_CALL, "OnTimeFuncCall"},
	{"FuncParamChange", KIND_CHANGE_PARAMETER, 0},
	{"FunctionParamChange", KIND_CHANGE_PARAMETER, "FuncParamChange"},
	{"Function Parameter Change", KIND_CHANGE_PARAMETER, "FuncParamChange"},
	{"LoadLibrary", KIND_LOAD_LIBRARY, 0},
	{0},
};

/* The value of an enumeration; `otherwise` where it is absent or unknown (which is said). */
static int names_choose(struct weft_spec *s, const struct word *w, const struct choice *c, const char *what, int otherwise)
{
	const char *known[24] = {0};
	size_t n = 0;
	if (!w->z)
		return otherwise;
	for (; c[n].z; n++) {
		known[n] = c[n].z;
		if (strcmp(w->z, c[n].z) != 0)
			continue;
		if (c[n].same)
			spec_say(s, WEFT_NOTE, "variant-word", w->where, NULL, "'%s' is taken as '%s'", w->z, c[n].same);
		return c[n].value;
	}
	const char *near = weft_nearest(w->z, known, n);
	struct weft_buf all = {0};
	for (size_t i = 0; i < n; i++)
		if (!c[i].same)
			weft_buf_printf(&all, "%s%s", all.n ? ", " : "", c[i].z);
	const char *fix = spec_printf(s, near ? "did you mean '%s'?" : "one of %s", near ? near : all.at ? all.at : "");
	weft_buf_fini(&all);
	spec_say(s, WEFT_ERROR, w->z[0] ? "unknown-word" : "empty-property", w->where, fix,
	         w->z[0] ? "'%s' is no %s" : "%s%s is missing", w->z, what);
	return otherwise;
}

static uint32_t names_number(struct weft_spec *s, const struct word *w, const char *what, uint32_t otherwise)
{
	uint64_t v;
	if (!w->z)
		return otherwise;
	if (weft_parse_u64(weft_str(w->z), &v) == 0 && v <= 1000000)
		return (uint32_t)v;
	spec_say(s, WEFT_ERROR, "number", w->where, NULL, "%s: expected a number up to 1000000, found '%s'", what, w->z);
	return otherwise;
}

/* Properties of the header that concern other tunlets. */
static void resolve_rank(struct weft_spec *s)
{
	int64_t rank = 0;
	if (s->priority.z && (weft_parse_i64(weft_str(s->priority.z), &rank) || rank < -1000 || rank > 1000)) {
		spec_say(s, WEFT_ERROR, "number", s->priority.where, NULL,
		         "priority: expected a whole number from -1000 to 1000, found '%s'", s->priority.z);
		rank = 0;
	}
	s->rank = (int32_t)rank;
	s->held = names_number(s, &s->hold, "hold", 0);
	if (s->weight.z && (weft_parse_double(weft_str(s->weight.z), &s->share) || !(s->share > 0)))
		spec_say(s, WEFT_ERROR, "number", s->weight.where, NULL, "weight: expected a number above 0, found '%s'",
		         s->weight.z);
	if (s->weight.z && s->objective == SPEC_NONE)
		spec_say(s, WEFT_ERROR, "missing-objective", s->weight.where, "add 'objective: /# … #/'",
		         "a weight without 'objective'");
	if (s->objective != SPEC_NONE && !s->weight.z)
		s->share = 1;
}

/* The treatment of iterations whose events were lost. */
static void resolve_lost(struct weft_spec *s)
{
	s->estimates = s->lost.z && strcmp(s->lost.z, "estimate") == 0;
	if (s->lost.z && !s->estimates && strcmp(s->lost.z, "discard") != 0)
		spec_say(s, WEFT_ERROR, "lost", s->lost.where, "one of discard, estimate",
		         "lost: '%s' is nothing to do with an iteration of which events were lost", s->lost.z);
}

static bool is_identifier(const char *z)
{
	if (!z || !(*z == '_' || (*z >= 'a' && *z <= 'z') || (*z >= 'A' && *z <= 'Z')))
		return false;
	for (; *z; z++)
		if (!(*z == '_' || (*z >= 'a' && *z <= 'z') || (*z >= 'A' && *z <= 'Z') || (*z >= '0' && *z <= '9')))
			return false;
	return true;
}

static void check_identifier(struct weft_spec *s, const struct word *w)
{
	static const char *const words[] = {
		"auto",    "break",    "case",     "char",  "const",    "continue", "default", "do",     "double",
		"else",    "enum",     "extern",   "float", "for",      "goto",     "if",      "inline", "int",
		"long",    "register", "return",   "short", "signed",   "sizeof",   "static",  "struct", "switch",
		"typedef", "union",    "unsigned", "void",  "volatile", "while",    "iter",    "true",   "false",
	};
	if (w->z && !is_identifier(w->z))
		spec_say(s, WEFT_ERROR, "name", w->where, NULL, "'%s' is no name: letters, digits and '_', no digit first", w->z);
	for (size_t i = 0; w->z && i < sizeof words / sizeof words[0]; i++)
		if (strcmp(w->z, words[i]) == 0)
			spec_say(s, WEFT_ERROR, "name", w->where, NULL, "'%s' is a word of the language", w->z);
}

/* -- finding -- */

#define FIND(s, list, name) \
	do { \
		for (size_t i = 0; (name) && i < (s)->list.n; i++) \
			if ((s)->list.at[i].id.z && strcmp((s)->list.at[i].id.z, name) == 0) \
				return (uint32_t)i; \
		return SPEC_NONE; \
	} while (0)

uint32_t spec_find_event(const struct weft_spec *s, const char *z)
{
	FIND(s, event, z);
}

uint32_t spec_find_actor(const struct weft_spec *s, const char *z)
{
	FIND(s, actor, z);
}

uint32_t spec_find_variable(const struct weft_spec *s, const char *z)
{
	FIND(s, variable, z);
}

uint32_t spec_find_function(const struct weft_spec *s, const char *z)
{
	FIND(s, function, z);
}

uint32_t spec_find_point(const struct weft_spec *s, const char *z)
{
	FIND(s, point, z);
}

uint32_t spec_find_attr(const struct weft_spec *s, enum spec_scope scope, uint32_t actor, const char *z)
{
	for (size_t i = 0; i < s->attr.n; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		if (a->scope == scope && (scope != SCOPE_ACTOR || a->actor == actor) && a->id.z && strcmp(a->id.z, z) == 0)
			return (uint32_t)i;
	}
	return SPEC_NONE;
}

uint32_t spec_find_path(const struct weft_spec *s, uint32_t from, const char *z)
{
	const char *dot = strchr(z, '.');
	if (!dot) {
		const struct spec_attr *a = &s->attr.at[from];
		uint32_t found = spec_find_attr(s, a->scope, a->actor, z);
		if (found == SPEC_NONE)
			found = spec_find_attr(s, SCOPE_PARAMETER, 0, z);
		return found != SPEC_NONE ? found : spec_find_attr(s, SCOPE_ITERATION, 0, z);
	}
	if (strncmp(z, "iter.", 5) == 0)
		return spec_find_attr(s, SCOPE_ITERATION, 0, dot + 1);
	for (size_t i = 0; i < s->actor.n; i++)
		if (s->actor.at[i].id.z && strlen(s->actor.at[i].id.z) == (size_t)(dot - z) &&
		    strncmp(z, s->actor.at[i].id.z, (size_t)(dot - z)) == 0)
			return spec_find_attr(s, SCOPE_ACTOR, (uint32_t)i, dot + 1);
	return SPEC_NONE;
}

const char *spec_attr_path(struct weft_spec *s, uint32_t attr)
{
	const struct spec_attr *a = &s->attr.at[attr];
	const char *id = a->id.z ? a->id.z : "?";
	if (a->scope == SCOPE_PARAMETER)
		return id;
	return spec_printf(s, "%s.%s",
	                   a->scope == SCOPE_ITERATION  ? "iter"
	                   : s->actor.at[a->actor].id.z ? s->actor.at[a->actor].id.z
	                                                : "?",
	                   id);
}

bool spec_has_depinic(const struct weft_spec *s)
{
	for (size_t i = 0; i < s->attr.n; i++) {
		const char *z = s->attr.at[i].depinic.z;
		if (s->attr.at[i].scope == SCOPE_ITERATION && z && *z && strcmp(z, "none") != 0)
			return true;
	}
	return false;
}

uint32_t spec_find_field(const struct weft_spec *s, uint32_t event, const char *z)
{
	static const char *const own[] = {"timestamp", "id", "task"};
	const struct spec_event *e = &s->event.at[event];
	for (uint32_t i = 0; i < 3; i++)
		if (strcmp(z, own[i]) == 0)
			return i;
	if (strcmp(z, "tid") == 0)
		return FIELD_ID;
	for (size_t i = 0; i < e->ref.n; i++)
		if (e->ref.at[i].id.z && strcmp(e->ref.at[i].id.z, z) == 0)
			return FIELD_FIRST + (uint32_t)i;
	return SPEC_NONE;
}

/* -- resolving -- */

static uint32_t find_actor_of(struct weft_spec *s, const struct word *w)
{
	uint32_t a = spec_find_actor(s, w->z);
	if (w->z && a == SPEC_NONE) {
		const char *known[64] = {0};
		size_t n = 0;
		for (; n < s->actor.n && n < 64; n++)
			known[n] = s->actor.at[n].id.z ? s->actor.at[n].id.z : "";
		const char *near = weft_nearest(w->z, known, n);
		spec_say(s, WEFT_ERROR, "undeclared-actor", w->where, near ? spec_printf(s, "did you mean '%s'?", near) : NULL,
		         "no actor is called '%s'", w->z);
	}
	return a;
}

#define CHECK_TWICE(s, list, what) \
	for (size_t i = 1; i < (s)->list.n; i++) \
		for (size_t k = 0; k < i; k++) \
			if ((s)->list.at[i].id.z && (s)->list.at[k].id.z && \
			    strcmp((s)->list.at[i].id.z, (s)->list.at[k].id.z) == 0) { \
				spec_say(s, WEFT_ERROR, "declared-twice", (s)->list.at[i].id.where, NULL, \
				         what " '%s' is declared twice", (s)->list.at[i].id.z); \
				break; \
			}

static void check_twice(struct weft_spec *s)
{
	CHECK_TWICE(s, variable, "variable")
	CHECK_TWICE(s, event, "event")
	CHECK_TWICE(s, actor, "actor")
	CHECK_TWICE(s, point, "tuning point")
	for (size_t i = 1; i < s->attr.n; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		if (a->id.z && spec_find_attr(s, a->scope, a->actor, a->id.z) < i)
			spec_say(s, WEFT_ERROR, "declared-twice", a->id.where, NULL, "attribute '%s' is declared twice", a->id.z);
	}
}

static void resolve_ref(struct weft_spec *s, struct spec_ref *r, uint32_t actor)
{
	r->variable = spec_find_variable(s, r->id.z);
	r->t = TYPE_INT;
	check_identifier(s, &r->id);
	if (r->variable != SPEC_NONE) {
		const struct spec_variable *v = &s->variable.at[r->variable];
		r->t = v->t;
		if (v->actor_id != SPEC_NONE && actor != SPEC_NONE && v->actor_id != actor)
			spec_say(s, WEFT_WARNING, "variable-actor", r->id.where, NULL, "variable '%s' is one of actor '%s'",
			         r->id.z, s->actor.at[v->actor_id].id.z);
		return;
	}
	spec_say(s, WEFT_WARNING, "undeclared-variable", r->id.where,
	         spec_printf(s, "variable id: %s source: asVarValue type: int endvariable", r->id.z),
	         "variable '%s' is not declared: taken as a global 'int'", r->id.z);
}

static bool names_iteration(const char *z)
{
	static const char word[] = "iteration";
	for (; *z; z++) {
		size_t k = 0;
		while (word[k] && (z[k] | 32) == word[k])
			k++;
		if (!word[k])
			return true;
	}
	return false;
}

static void resolve_event(struct weft_spec *s, struct spec_event *e)
{
	check_identifier(s, &e->id);
	e->actor_id = find_actor_of(s, &e->actor);
	e->iter = (enum spec_iter)names_choose(s, &e->controliter, iters, "controliter", ITER_NO);
	e->util = (enum spec_utility)names_choose(s, &e->utility, utilities, "utility", UTILITY_ALWAYS);
	e->at_exit = names_choose(s, &e->place, places, "place", 0) == 1;
	for (size_t i = 0; i < e->ref.n; i++) {
		struct spec_ref *r = &e->ref.at[i];
		resolve_ref(s, r, e->actor_id);
		if (e->iteration.z ? strcmp(r->id.z, e->iteration.z) == 0
		                   : e->iteration_ref == SPEC_NONE && names_iteration(r->id.z))
			e->iteration_ref = (uint32_t)i;
	}
	if (e->iteration.z && e->iteration_ref == SPEC_NONE)
		spec_say(s, WEFT_ERROR, "undeclared", e->iteration.where, NULL, "the event carries no '%s'", e->iteration.z);
}

/* "x[10]" is x, an array of ten. */
static void split_array(struct weft_spec *s, struct spec_attr *a)
{
	char *bracket = a->id.z ? strchr(a->id.z, '[') : NULL;
	if (!bracket)
		return;
	size_t n = strlen(bracket);
	uint64_t len = 0;
	if (bracket[n - 1] != ']' || n < 3 || weft_parse_u64(weft_str_n(bracket + 1, n - 2), &len) || len == 0 || len > 100000) {
		spec_say(s, WEFT_ERROR, "name", a->id.where, NULL, "'%s': expected a length up to 100000 in the brackets",
		         a->id.z);
		len = 1;
	}
	a->len = (uint32_t)len;
	a->id.where.n = (uint32_t)(bracket - a->id.z);
	a->id.z = spec_printf(s, "%.*s", (int)a->id.where.n, a->id.z);
}

static void resolve_attr(struct weft_spec *s, struct spec_attr *a)
{
	split_array(s, a);
	check_identifier(s, &a->id);
	a->t = (enum spec_type)names_choose(s, &a->type, types, "type", TYPE_INT);
	a->is_cum = names_choose(s, &a->cum, truths, "truth", 0) == 1;
	if (a->t == TYPE_STRING && a->len)
		spec_say(s, WEFT_ERROR, "type", a->type.where, NULL, "an array of strings is not supported");
}

/* A model parameter that the analysis engine computes. */
static void check_metric(struct weft_spec *s, const struct spec_attr *a)
{
	struct weft_err err = {0};
	if (!a->metric.z)
		return;
	if (a->scope != SCOPE_PARAMETER || a->t != TYPE_DOUBLE || a->len || a->value != SPEC_NONE)
		spec_say(s, WEFT_ERROR, "metric", a->metric.where, NULL,
		         "a metric is for a model parameter of type double, without 'value'");
	else if (live_check(a->metric.z, &err))
		spec_say(s, WEFT_ERROR, "metric", a->metric.where, NULL, "%s", err.text);
}

/* A number, or a parameter of the model as it was evaluated last. */
static void resolve_argument(struct weft_spec *s, struct spec_ref *r)
{
	int64_t whole;
	double real;
	uint32_t attr = spec_find_attr(s, SCOPE_PARAMETER, SPEC_NONE, r->id.z);
	r->t = TYPE_INT;
	if (!r->id.z || weft_parse_i64(weft_str(r->id.z), &whole) == 0)
		return;
	if (weft_parse_double(weft_str(r->id.z), &real) == 0)
		r->t = TYPE_DOUBLE;
	else if (attr != SPEC_NONE)
		r->t = (enum spec_type)names_choose(s, &s->attr.at[attr].type, types, "type", TYPE_INT);
	else
		spec_say(s, WEFT_ERROR, "argument", r->id.where, NULL, "'%s' is no number and no parameter of the model",
		         r->id.z);
}

static void resolve_point(struct weft_spec *s, struct spec_point *p)
{
	p->k = (enum spec_kind)names_choose(s, &p->kind, kinds, "kind of tuning action", KIND_SET_VARIABLE);
	p->variable = spec_find_variable(s, p->id.z);
	if (p->k == KIND_SET_VARIABLE)
		check_identifier(s, &p->id);
	if (p->k == KIND_SET_VARIABLE && p->id.z && p->variable == SPEC_NONE)
		spec_say(s, WEFT_ERROR, "undeclared-variable", p->id.where, "declare it in VARIABLES AND VALUES",
		         "variable '%s' is to be set, but is not declared", p->id.z);
	if (p->k == KIND_CHANGE_PARAMETER && !p->idx.z)
		spec_say(s, WEFT_ERROR, "missing-idx", p->kind.where, "add 'idx: …'", "FuncParamChange without 'idx'");
	static const struct choice senses[] = {{"more", 1, 0}, {"less", -1, 0}, {"any", 0, 0}, {0}};
	p->uses = (int8_t)names_choose(s, &p->sense, senses, "sense", 0);
	if (p->sense.z && !p->resource.z)
		spec_say(s, WEFT_ERROR, "missing-resource", p->sense.where, "add 'resource: …'", "'sense' without 'resource'");
	p->index = names_number(s, &p->idx, "idx", 0);
	p->wants_old = names_choose(s, &p->req, truths, "truth", 0) == 1;
	if (p->sync.z && strcmp(p->sync.z, "0") == 0)
		spec_say(s, WEFT_NOTE, "no-sync", p->sync.where, NULL, "'0' is taken as 'not synchronised'");
	if (p->syncplace.z && strcmp(p->syncplace.z, "0") == 0)
		spec_say(s, WEFT_NOTE, "no-sync", p->syncplace.where, NULL, "'0' is taken as 'not synchronised'");
	else
		(void)names_choose(s, &p->syncplace, places, "place", 0);
	(void)names_choose(s, &p->place, places, "place", 0);
	if (p->value != SPEC_NONE && s->code.at[p->value].where.n == 0)
		p->value = SPEC_NONE; /* "value:" alone */
	static const bool needs_value[] = {[KIND_SET_VARIABLE] = true,
	                                   [KIND_REPLACE_FUNCTION] = true,
	                                   [KIND_CHANGE_PARAMETER] = true,
	                                   [KIND_LOAD_LIBRARY] = false};
	if (p->value == SPEC_NONE && needs_value[p->k])
		spec_say(s, WEFT_ERROR, "missing-value", p->id.where, "add 'value: …'", "a point without 'value'");
	p->actor_id = p->actor.z ? find_actor_of(s, &p->actor) : SPEC_NONE;
	if (!p->actor.z && p->variable != SPEC_NONE)
		p->actor_id = s->variable.at[p->variable].actor_id;
	for (size_t i = 0; i < p->ref.n; i++)
		resolve_argument(s, &p->ref.at[i]);
}

static void check_iteration_events(struct weft_spec *s)
{
	unsigned begin = 0, end = 0;
	if (s->event.n == 0)
		return;
	for (size_t i = 0; i < s->event.n; i++) {
		begin += s->event.at[i].iter == ITER_BEGIN;
		end += s->event.at[i].iter == ITER_END;
		if (s->event.at[i].iter == ITER_BEGIN && s->event.at[i].iteration_ref == SPEC_NONE)
			spec_say(s, WEFT_NOTE, "counted-iterations", s->event.at[i].id.where, NULL,
			         "'%s' carries no iteration number: iterations are counted",
			         s->event.at[i].id.z ? s->event.at[i].id.z : "");
	}
	if (begin != 1 || end != 1)
		spec_say(s, WEFT_ERROR, "controliter", s->event.at[0].id.where, NULL,
		         "one event must begin an iteration (controliter: begin) and one end it (end): found %u and %u", begin,
		         end);
}

void spec_resolve(struct weft_spec *s)
{
	resolve_rank(s);
	resolve_lost(s);
	for (size_t i = 0; i < s->actor.n; i++) {
		struct spec_actor *a = &s->actor.at[i];
		check_identifier(s, &a->id);
		a->least = names_number(s, &a->min, "min", 1);
		a->most = names_number(s, &a->max, "max", 1);
		if (a->rank.z && !weft_spec_rank_valid(a->rank.z))
			spec_say(s, WEFT_ERROR, "rank", a->rank.where, "like '0', '1-', '!= 0', '2-4, > 8'", "'%s' says no ranks",
			         a->rank.z);
		if (a->most < a->least || a->most == 0)
			spec_say(s, WEFT_ERROR, "number", a->max.where, NULL, "max (%u) is less than min (%u)", a->most,
			         a->least);
	}
	for (size_t i = 0; i < s->variable.n; i++) {
		struct spec_variable *v = &s->variable.at[i];
		v->t = (enum spec_type)names_choose(s, &v->type, types, "type", TYPE_INT);
		v->src = (enum spec_source)names_choose(s, &v->source, sources, "source", SOURCE_VARIABLE);
		v->actor_id = find_actor_of(s, &v->actor);
	}
	for (size_t i = 0; i < s->attr.n; i++) {
		resolve_attr(s, &s->attr.at[i]);
		check_metric(s, &s->attr.at[i]);
	}
	for (size_t i = 0; i < s->event.n; i++)
		resolve_event(s, &s->event.at[i]);
	for (size_t i = 0; i < s->point.n; i++)
		resolve_point(s, &s->point.at[i]);
	runtime_check(s);
	check_iteration_events(s);
	check_twice(s);
}
