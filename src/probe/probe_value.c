/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk from a name along members, elements and pointers. At each step the walk has a type, and a
 * place: memory (the accumulator plus an offset), or the eightbytes of a parameter in registers (an
 * offset into those). Going through a pointer loads it, and the place is memory from then on. The
 * end loads a scalar, or a string's bytes.
 */
#include "probe_value.h"
#include "probe_priv.h"
#include "base/str.h"
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	struct probe_value *v;
	Dwarf_Die type;
	bool typed;
	int dimension; /* of an array: how many of them are behind us */
	struct probe_type declared;
	bool in_memory;
	int64_t offset;
	struct dwarf_bits bits;
	uint8_t piece[2]; /* the op of each eightbyte: LINK_OP_INT, KEPT, XMM */
	uint8_t index[2];
	bool is_constant; /* it is nowhere, and always this: bits of a parameter */
	uint64_t constant;
	const char *whole; /* the expression, for messages: */
	unsigned stars;    /* in front */
	const char *name;  /* behind them, and of this length */
	size_t n_name;
	struct weft_err *err;
};

bool probe_type_named(const char *name, struct probe_type *out)
{
	static const struct {
		const char *name;
		struct probe_type type;
	} rows[] = {
		{"char", {PROBE_TYPE_INT, 1, true}},         {"unsigned char", {PROBE_TYPE_INT, 1, false}},
		{"short", {PROBE_TYPE_INT, 2, true}},        {"unsigned short", {PROBE_TYPE_INT, 2, false}},
		{"int", {PROBE_TYPE_INT, 4, true}},          {"unsigned int", {PROBE_TYPE_INT, 4, false}},
		{"long", {PROBE_TYPE_INT, 8, true}},         {"unsigned long", {PROBE_TYPE_INT, 8, false}},
		{"float", {PROBE_TYPE_FLOAT, 4, true}},      {"double", {PROBE_TYPE_FLOAT, 8, true}},
		{"pointer", {PROBE_TYPE_POINTER, 8, false}}, {"string", {PROBE_TYPE_STRING, 8, false}},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!strcmp(rows[k].name, name)) {
			*out = rows[k].type;
			return true;
		}
	}
	return false;
}

static int add_op(struct walk *w, struct link_op op)
{
	if (w->v->n == PROBE_VALUE_OPS)
		return weft_err_set(w->err, -E2BIG, "'%s' goes through too many pointers", w->whole);
	w->v->op[w->v->n++] = op;
	return 0;
}

/*
 * The least unit, aligned as compilers do, that has all of it: what is loaded is the record's, and
 * of one page.
 */
static int fetch_bits(struct walk *w, struct probe_type t)
{
	for (unsigned size = 1; w->in_memory && size <= 8; size *= 2) {
		int64_t from = w->offset & -(int64_t)size;
		unsigned at = w->bits.at + 8 * (unsigned)(w->offset - from);
		if (at + w->bits.n > 8 * size)
			continue;
		int rc = add_op(w, (struct link_op){.op = LINK_OP_LOAD, .size = (uint8_t)size, .a = (uint64_t)from});
		return rc ? rc
		          : add_op(w, (struct link_op){.op = LINK_OP_BITS, .size = (uint8_t)w->bits.n, .sign = t.sign, .a = at});
	}
	return weft_err_set(w->err, -ENOTSUP, "'%s' is a bit field %s", w->whole,
	                    w->in_memory ? "of several units" : "in a register");
}

/* As the scalar is there, in the low bytes. */
static int fetch_constant(struct walk *w, struct probe_type t)
{
	unsigned unused = t.size < 8 ? 64 - 8u * t.size : 0;
	uint64_t bits = w->constant << unused;
	bool sign = t.sign && t.kind == PROBE_TYPE_INT;
	bits = sign ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
	if (w->offset || w->bits.n)
		return weft_err_set(w->err, -ENOTSUP, "'%s' is part of a constant", w->whole);
	return add_op(w, (struct link_op){.op = LINK_OP_IMM, .a = bits});
}

/* The accumulator gets the scalar at the place. */
static int value_fetch(struct walk *w, struct probe_type t)
{
	if (w->is_constant && !w->in_memory)
		return fetch_constant(w, t);
	if (w->bits.n)
		return fetch_bits(w, t);
	if (w->in_memory)
		return add_op(w, (struct link_op){.op = LINK_OP_LOAD, .size = t.size, .sign = t.sign, .a = (uint64_t)w->offset});
	if (w->offset < 0 || w->offset > 15 || !w->piece[w->offset / 8])
		return weft_err_set(w->err, -ENOTSUP, "'%s' is not where this can find it", w->whole);
	unsigned k = (unsigned)w->offset / 8, bits = (unsigned)w->offset % 8 * 8;
	bool whole = bits == 0;
	struct link_op op = {.op = w->piece[k], .index = w->index[k]};
	if (whole && !link_op_is_vector(w->piece[k])) {
		op.size = t.size;
		op.sign = t.sign;
	}
	w->v->in_register = whole && w->v->n == 0 ? (w->piece[k] == LINK_OP_XMM ? 8 : 0) + w->index[k] : -1;
	int rc = add_op(w, op);
	return rc || (whole && !link_op_is_vector(w->piece[k]))
	               ? rc
	               : add_op(w, (struct link_op){.op = LINK_OP_SHIFT,
	                                            .size = t.size,
	                                            .sign = t.sign && t.kind == PROBE_TYPE_INT,
	                                            .a = bits});
}

static const char *type_name(struct walk *w)
{
	const char *name = w->typed ? dwarf_diename(&w->type) : NULL;
	return name ? name : w->typed ? "something without a name" : "a thing whose type is not known";
}

static void value_become(struct walk *w, Dwarf_Die type)
{
	w->type = type;
	w->typed = true;
	w->dimension = 0;
}

/* What is not known is what the caller says: a pointer to the type that was declared. */
static int through_untyped(struct walk *w)
{
	int rc = value_fetch(w, (struct probe_type){PROBE_TYPE_POINTER, 8, false});
	w->v->addr = 0;
	w->in_memory = true;
	w->offset = 0;
	return rc;
}

static int value_through(struct walk *w)
{
	Dwarf_Die to;
	struct probe_type t;
	if (!w->typed && w->declared.kind)
		return through_untyped(w);
	if (!w->typed || !dwarf_scalar(&w->type, &t) || (t.kind != PROBE_TYPE_POINTER && t.kind != PROBE_TYPE_STRING))
		return weft_err_set(w->err, -EINVAL, "in '%s', %s is no pointer", w->whole, type_name(w));
	if (!dwarf_type_of(&w->type, &to))
		return weft_err_set(w->err, -EINVAL, "in '%s', a pointer to void is followed", w->whole);
	int rc = through_untyped(w);
	value_become(w, to);
	return rc;
}

static int value_member(struct walk *w, const char *name)
{
	Dwarf_Die inner;
	if (!w->typed || !dwarf_member(&w->type, name, &w->offset, &inner, &w->bits))
		return weft_err_set(w->err, -EINVAL, "in '%s', %s has no member '%s'", w->whole, type_name(w), name);
	value_become(w, inner);
	return 0;
}

static int pointed_element(struct walk *w, uint64_t index)
{
	uint64_t size = w->declared.size;
	int rc = value_through(w);
	if (rc == 0 && w->typed && !dwarf_size(&w->type, &size))
		rc = weft_err_set(w->err, -EINVAL, "in '%s', the elements have no size", w->whole);
	w->offset += (int64_t)(index * size);
	return rc;
}

static int value_element(struct walk *w, uint64_t index)
{
	Dwarf_Die inner;
	uint64_t dimension[DWARF_DIMENSIONS], size;
	int n = w->typed ? dwarf_array(&w->type, dimension, &inner, &size) : 0;
	if (n == 0)
		return pointed_element(w, index);
	if (size == 0)
		return weft_err_set(w->err, -EINVAL, "in '%s', the elements have no size", w->whole);
	if (dimension[w->dimension] && index >= dimension[w->dimension])
		return weft_err_set(w->err, -ERANGE, "in '%s', the array has %llu elements only", w->whole,
		                    (unsigned long long)dimension[w->dimension]);
	for (int k = w->dimension + 1; k < n; k++)
		size *= dimension[k];
	w->offset += (int64_t)(index * size);
	if (++w->dimension == n)
		value_become(w, inner);
	return 0;
}

/* What follows the name. */
static int value_follow(struct walk *w, const char *at)
{
	int rc = 0;
	while (rc == 0 && *at) {
		char name[128];
		bool arrow = at[0] == '-' && at[1] == '>';
		if (*at == '[') {
			uint64_t index;
			size_t n = strcspn(at, "]");
			if (at[n] != ']' || weft_parse_u64(weft_str_n(at + 1, n - 1), &index))
				return weft_err_set(w->err, -EINVAL, "'%s': expected a number in brackets", w->whole);
			rc = value_element(w, index);
			at += n + 1;
			continue;
		}
		if (*at != '.' && !arrow)
			return weft_err_set(w->err, -EINVAL, "'%s': expected '.', '->' or '[', found '%c'", w->whole, *at);
		at += arrow ? 2 : 1;
		size_t n = strcspn(at, ".-[");
		if (n == 0 || n >= sizeof name)
			return weft_err_set(w->err, -EINVAL, "'%s': expected the name of a member", w->whole);
		memcpy(name, at, n);
		name[n] = '\0';
		at += n;
		rc = arrow ? value_through(w) : 0;
		rc = rc ? rc : value_member(w, name);
	}
	return rc;
}

static int no_scalar(struct walk *w)
{
	int tag = dwarf_tag(&w->type);
	if (tag == DW_TAG_array_type)
		return weft_err_set(w->err, -ENOTSUP, "'%s' is an array: name one of its elements", w->whole);
	if (tag == DW_TAG_base_type)
		return weft_err_set(w->err, -ENOTSUP, "'%s' is %s, which is not measured", w->whole, type_name(w));
	return weft_err_set(w->err, -ENOTSUP, "'%s' is a struct %s: name one of its members", w->whole, type_name(w));
}

/* The last dimension of an array of char, in memory: a text. */
static bool is_text(struct walk *w)
{
	Dwarf_Die inner;
	struct probe_type t;
	uint64_t dimension[DWARF_DIMENSIONS], size;
	int n = w->typed && w->in_memory ? dwarf_array(&w->type, dimension, &inner, &size) : 0;
	return n && w->dimension == n - 1 && dwarf_scalar(&inner, &t) && t.size == 1;
}

static bool is_address(struct probe_type t)
{
	return t.kind == PROBE_TYPE_POINTER || t.kind == PROBE_TYPE_STRING;
}

static int value_finish(struct walk *w)
{
	struct probe_type t = w->declared;
	bool chars = is_text(w);
	/*
	 * What debug information says is so, whatever was declared; but a pointer may be taken as
	 * one to a text, or as a number.
	 */
	if (chars)
		t = (struct probe_type){PROBE_TYPE_STRING, 8, false};
	else if (w->typed && !dwarf_scalar(&w->type, &t))
		return no_scalar(w);
	else if (w->typed && is_address(t) && is_address(w->declared))
		t = w->declared;
	w->v->type = t;
	bool constant = w->v->n == 1 && w->v->op[0].op == LINK_OP_IMM && w->in_memory && !w->bits.n;
	w->v->addr = constant ? w->v->op[0].a + (uint64_t)w->offset : 0;
	int rc = chars ? add_op(w, (struct link_op){.op = LINK_OP_ADD, .a = (uint64_t)w->offset}) : value_fetch(w, t);
	if (rc == 0 && t.kind == PROBE_TYPE_STRING)
		return add_op(w, (struct link_op){.op = LINK_OP_TEXT, .a = 64});
	if (rc == 0)
		w->v->op[w->v->n - 1].put = 1;
	return rc;
}

/* Finds the name in the expression, behind the stars. */
static int value_begin(struct walk *w, const char *expression, const char *declared, struct probe_value *out,
                       struct weft_err *err)
{
	*out = (struct probe_value){.in_register = -1};
	*w = (struct walk){.v = out, .whole = expression, .err = err};
	w->stars = (unsigned)strspn(expression, "*");
	w->name = expression + w->stars;
	w->n_name = strcspn(w->name, ".-[");
	return declared && !probe_type_named(declared, &w->declared)
	               ? weft_err_set(err, -EINVAL, "no type is called '%s'", declared)
	               : 0;
}

/* The members behind the name, then the stars. */
static int value_end(struct walk *w)
{
	int rc = value_follow(w, w->name + w->n_name);
	for (unsigned stars = w->stars; rc == 0 && stars; stars--)
		rc = value_through(w);
	return rc ? rc : value_finish(w);
}

/*
 * From the thread pointer: what the executable has for its threads ends there. What libraries have
 * may be anywhere, and is perhaps made when a thread first looks at it.
 */
static int thread_offset(const struct probe_found *f, int64_t *offset, struct weft_err *err)
{
	if (!f->executable)
		return weft_err_set(err, -ENOTSUP,
		                    "'%s' is a variable of each thread in a library: only those of the executable can be read",
		                    f->symbol);
	*offset = (int64_t)(f->addr - f->bias) - (int64_t)probe_image_thread_bytes(f->image);
	return 0;
}

int probe_variable(struct probe_session *s, const char *expression, const char *declared, struct probe_value *out,
                   struct weft_err *err)
{
	struct walk w;
	struct probe_found found[PROBE_CLONES];
	char name[256];
	int rc = value_begin(&w, expression, declared, out, err);
	if (rc == 0 && (w.n_name == 0 || w.n_name >= sizeof name))
		rc = weft_err_set(err, -EINVAL, "'%s': expected the name of a variable", expression);
	if (rc)
		return rc;
	memcpy(name, w.name, w.n_name);
	name[w.n_name] = '\0';
	rc = probe_find(s, name, true, found, err);
	if (rc < 0)
		return rc;
	if (rc > 1)
		return weft_err_set(err, -E2BIG, "there are %d variables '%s'", rc, name);
	struct weft_err why = {0};
	Dwarf *dw = probe_image_dwarf(found[0].image, &why);
	Dwarf_Die die;
	w.typed = dw && dwarf_variable_at(dw, found[0].addr - found[0].bias, found[0].thread, &die) &&
	          dwarf_type_of(&die, &w.type);
	if (!w.typed && !w.declared.kind)
		return weft_err_set(err, -ENODATA, "the type of '%s' is not known: %s", name,
		                    why.code ? why.text : "its file was compiled without -g");
	w.in_memory = true;
	if (found[0].thread)
		rc = thread_offset(&found[0], &w.offset, err);
	rc = rc < 0 ? rc
	            : add_op(&w, (struct link_op){.op = found[0].thread ? LINK_OP_THREAD : LINK_OP_IMM,
	                                          .a = found[0].thread ? 0 : found[0].addr});
	return rc ? rc : value_end(&w);
}

/* ---- parameters ---- */

static uint8_t passed_in(bool sse, enum link_when when)
{
	if (when == LINK_EXIT)
		return sse ? LINK_OP_KEPT_XMM : LINK_OP_KEPT;
	return sse ? LINK_OP_XMM : LINK_OP_INT;
}

/* The walk begins where the parameter is. */
static int begin_at(struct walk *w, const struct probe_place_of *p, enum link_when when)
{
	int rc = 0;
	if (p->at == PROBE_AT_STACK) {
		w->in_memory = true;
		rc = add_op(w, (struct link_op){.op = LINK_OP_FRAME, .a = 8 + p->stack});
	} else if (p->at == PROBE_AT_CONSTANT) {
		w->is_constant = true;
		w->constant = p->constant;
	} else {
		for (int k = 0; k < 2 && p->index[k] >= 0; k++) {
			w->piece[k] = passed_in(p->vector[k], when);
			w->index[k] = (uint8_t)p->index[k];
		}
	}
	if (rc == 0 && p->by_reference) {
		rc = value_fetch(w, (struct probe_type){PROBE_TYPE_POINTER, 8, false});
		w->in_memory = true;
		w->offset = 0;
	}
	return rc;
}

/*
 * Without debug information: the number counts registers of the declared type's class, as if all
 * parameters were of it. `leads`: the parameter is a pointer, to something of that type.
 */
static int guess_parameter(struct walk *w, uint64_t number, bool leads, enum link_when when)
{
	bool sse = w->declared.kind == PROBE_TYPE_FLOAT && !leads;
	if (number == 0 || !w->declared.kind)
		return weft_err_set(w->err, -ENODATA, "there is no debug information: '%s' wants a number ($1) and a type",
		                    w->whole);
	if (number > (sse ? 8 : 6))
		return weft_err_set(w->err, -ENOTSUP, "'%s' is in no register that is known", w->whole);
	w->piece[0] = passed_in(sse, when);
	w->index[0] = (uint8_t)(number - 1);
	return 0;
}

/* A function's entry in debug information; false: there is none. */
static bool value_describe(const struct probe_found *f, Dwarf_Die *out)
{
	Dwarf *dw = probe_image_dwarf(f->image, NULL);
	return dw && dwarf_function_at(dw, f->addr - f->bias, out);
}

int probe_parameter_at(const struct probe_found *at, const struct probe_expression *e, struct probe_value *out,
                       struct weft_err *err)
{
	struct walk w;
	uint64_t number = 0;
	Dwarf_Die die, type;
	struct probe_place_of place;
	int rc = value_begin(&w, e->text, e->declared, out, err);
	const char *name = w.name;
	size_t n = w.n_name;
	if (rc == 0 && *name == '$' && (weft_parse_u64(weft_str_n(name + 1, n - 1), &number) || number == 0))
		rc = weft_err_set(err, -EINVAL, "'%s': expected the number of a parameter, from 1", e->text);
	if (rc)
		return rc;
	bool clone = at->clone == PROBE_SPECIAL || at->clone == PROBE_PART;
	if (!value_describe(at, &die)) {
		if (clone)
			rc = weft_err_set(err, -ENODATA,
			                  "the compiler has made a special form of '%s', and there is no debug "
			                  "information on what that is passed",
			                  e->function);
		else
			rc = guess_parameter(&w, number, w.stars || name[n], e->when);
	} else {
		struct probe_asked asked = {.function = e->function, .name = name, .n_name = n, .number = number};
		asked.entry = at->addr - at->bias;
		asked.changed = clone || at->local;
		rc = dwarf_parameter(&die, &asked, &place, &type, err);
		if (rc == -ENOENT)
			rc = weft_err_set(err, -ENOENT, "function '%s' has no parameter '%.*s'", e->function, (int)n, name);
		if (rc == 0)
			value_become(&w, type);
		rc = rc ? rc : begin_at(&w, &place, e->when);
	}
	return rc ? rc : value_end(&w);
}

int probe_result_at(const struct probe_found *at, const struct probe_expression *e, struct probe_value *out, struct weft_err *err)
{
	struct walk w;
	Dwarf_Die die;
	struct probe_passing how = {.class = {PROBE_CLASS_INT}};
	int rc = value_begin(&w, e->text, e->declared, out, err);
	if (rc < 0)
		return rc;
	if (value_describe(at, &die)) {
		w.typed = dwarf_type_of(&die, &w.type);
		if (!w.typed)
			return weft_err_set(err, -EINVAL, "function '%s' returns nothing", e->function);
		dwarf_classify(&w.type, &how);
	} else if (!w.declared.kind) {
		return weft_err_set(err, -ENODATA, "what '%s' returns is not known: there is no debug information", e->function);
	}
	if (how.class[0] == PROBE_CLASS_MEMORY || how.by_reference)
		return weft_err_set(err, -ENOTSUP, "function '%s' returns a struct in memory", e->function);
	if (how.class[0] >= PROBE_CLASS_X87)
		return weft_err_set(err, -ENOTSUP, "function '%s' returns %s, which is not measured", e->function, type_name(&w));
	bool sse = w.declared.kind ? w.declared.kind == PROBE_TYPE_FLOAT : how.class[0] == PROBE_CLASS_SSE;
	w.piece[0] = sse ? LINK_OP_XMM : LINK_OP_INT;
	w.index[0] = sse ? 0 : 6;
	return value_end(&w);
}

static bool same_value(const struct probe_value *a, const struct probe_value *b)
{
	return a->n == b->n && a->type.kind == b->type.kind && a->type.size == b->type.size && a->type.sign == b->type.sign &&
	       !memcmp(a->op, b->op, a->n * sizeof *a->op);
}

static int say_different(const struct probe_expression *e, const struct probe_found *found, int n, int k, struct weft_err *err)
{
	char a[256], b[256];
	probe_name_label(found[0].symbol, a, sizeof a);
	probe_name_label(found[k].symbol, b, sizeof b);
	/* Forms of one function have one name. */
	bool forms = !strcmp(a, b);
	return weft_err_set(err, -ENOTSUP, "'%s' stands for %d functions, which have '%s' in different places ('%s', '%s')",
	                    e->function, n, e->text, forms ? found[0].symbol : a, forms ? found[k].symbol : b);
}

typedef int value_of(const struct probe_found *at, const struct probe_expression *e, struct probe_value *out,
                     struct weft_err *err);

/* Of each function of that name: one program has to do for all of them. */
static int of_all(struct probe_session *s, const struct probe_expression *e, value_of *one, struct probe_value *out,
                  struct weft_err *err)
{
	struct probe_found found[PROBE_CLONES];
	struct probe_value next;
	int n = probe_find(s, e->function, false, found, err);
	for (int k = 0; k < n; k++) {
		int rc = one(&found[k], e, k ? &next : out, err);
		if (rc)
			return rc;
		if (k && !same_value(out, &next))
			return say_different(e, found, n, k, err);
	}
	return n < 0 ? n : 0;
}

int probe_parameter(struct probe_session *s, const struct probe_expression *e, struct probe_value *out, struct weft_err *err)
{
	return of_all(s, e, probe_parameter_at, out, err);
}

int probe_result(struct probe_session *s, const struct probe_expression *e, struct probe_value *out, struct weft_err *err)
{
	return of_all(s, e, probe_result_at, out, err);
}

bool probe_constant(const char *text, struct probe_value *out)
{
	int64_t whole;
	double real;
	uint64_t bits;
	*out = (struct probe_value){.in_register = -1, .n = 1};
	if (!*text || !strchr("+-.0123456789", *text))
		return false; /* a variable may be called "inf" */
	if (weft_parse_i64(weft_str(text), &whole) == 0) {
		bits = (uint64_t)whole;
		out->type = (struct probe_type){PROBE_TYPE_INT, 8, true};
	} else if (weft_parse_double(weft_str(text), &real) == 0) {
		memcpy(&bits, &real, sizeof bits);
		out->type = (struct probe_type){PROBE_TYPE_FLOAT, 8, true};
	} else {
		return false;
	}
	out->op[0] = (struct link_op){.op = LINK_OP_IMM, .put = 1, .a = bits};
	return true;
}
