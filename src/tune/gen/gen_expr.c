/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees become C. Whole numbers are computed in 64 bits and must fit where they are stored;
 * conversions, divisions and indices are checked by the few functions of the prelude (gen_c.c), so
 * that a fault is one of arithmetic and never of memory. Assignments take the address of their
 * target once: its index may have side effects.
 */
#include "gen_priv.h"
#include <string.h>

static void gen_put(struct tune_source *t, const char *z)
{
	weft_buf_puts(&t->text, z);
}

static void put_expr(struct gen *g, const struct expr *e);

static const char *store_name(enum spec_type t)
{
	static const char *const name[] = {"w_int",   "w_char",   "w_short",        "w_int", "(long)",
	                                   "(float)", "(double)", "w_g.host->keep", ""};
	return name[t];
}

static const char *field_of(enum spec_type t)
{
	return type_is_real(t) ? "d" : t == TYPE_STRING ? "s" : "i";
}

/* A value as what a type computes with: real numbers as double, whole ones as long long. */
static void put_as(struct gen *g, const struct expr *e, enum spec_type want)
{
	bool narrows = !type_is_real(want) && want != TYPE_STRING && type_is_real(e->type);
	gen_put(g->out, narrows ? "w_whole(" : "(");
	put_expr(g, e);
	gen_put(g->out, ")");
}

/* The struct of an actor's attributes. */
static void put_instance(struct gen *g, const struct expr *e)
{
	const struct spec_attr *a = &g->s->attr.at[e->id];
	struct weft_buf *b = &g->out->text;
	bool counted = g->counter && e->access == ACCESS_NTH && e->kid[0] && e->kid[0]->kind == EXPR_REF &&
	               e->kid[0]->ref == REF_LOCAL && e->kid[0]->decl == g->counter;
	if (e->access == ACCESS_SELF || counted) {
		weft_buf_printf(b, "((struct a_%u *)w_g.self)", a->actor);
		return;
	}
	weft_buf_printf(b, "((struct a_%u *)w_g.host->%s(%u, ", a->actor, e->access == ACCESS_ID ? "by_id" : "nth", a->actor);
	if (e->kid[0])
		put_as(g, e->kid[0], TYPE_INT);
	else
		gen_put(g->out, "0");
	if (e->access == ACCESS_ID)
		gen_put(g->out, e->write ? ", 1" : ", 0");
	gen_put(g->out, "))");
}

/* An expression that can be assigned to. */
static void put_place(struct gen *g, const struct expr *e)
{
	struct weft_buf *b = &g->out->text;
	const struct expr *base = e->kind == EXPR_INDEX ? e->kid[0] : e;
	uint32_t len;
	if (base->ref == REF_LOCAL) {
		weft_buf_printf(b, "l%u_%s", base->decl->number, base->decl->name);
		len = base->decl->len;
	} else {
		const struct spec_attr *a = &g->s->attr.at[base->id];
		if (a->scope == SCOPE_ACTOR)
			put_instance(g, base);
		else
			gen_put(g->out,
			        a->scope == SCOPE_ITERATION ? "((struct w_iter *)w_g.iter)" : "((struct w_param *)w_g.param)");
		weft_buf_printf(b, "->m_%s", a->id.z);
		len = a->len;
	}
	if (e->kind != EXPR_INDEX)
		return;
	gen_put(g->out, "[w_at(");
	put_as(g, e->kid[1], TYPE_INT);
	weft_buf_printf(b, ", %u)]", len);
}

static void put_ref(struct gen *g, const struct expr *e)
{
	struct weft_buf *b = &g->out->text;
	switch (e->ref) {
	case REF_FIELD:
		weft_buf_printf(b, "w_g.v[%u].%s", e->sub, field_of(e->type));
		return;
	case REF_COUNT:
		weft_buf_printf(b, "w_g.host->count(%u)", e->id);
		return;
	case REF_POINT:
		weft_buf_printf(b, "w_g.point.%s", field_of(e->type));
		return;
	case REF_ASSUMED:
		weft_buf_printf(b, "w_g.host->assumed(%u)", e->id);
		return;
	case REF_TUNE:
		weft_buf_printf(b, "w_g.host->tune(%u)", e->id);
		return;
	case REF_ADD:
	case REF_REM:
		weft_buf_printf(b, "w_g.host->event(%u, %d)", e->id, e->ref == REF_ADD);
		return;
	case REF_FUNCTION:
		weft_buf_printf(b, "w_f_%s", g->s->function.at[e->id].id.z);
		return;
	case REF_MATH:
		gen_put(g->out, e->name);
		return;
	default:
		if (!type_is_real(e->type) && e->type != TYPE_STRING)
			gen_put(g->out, "(long long)");
		put_place(g, e);
	}
}

static void put_c_type(struct gen *g, enum spec_type t)
{
	gen_put(g->out, spec_type_name[t]);
}

/* `a op= b`, `++a`, `a++`: the target once, by address. */
static void put_update(struct gen *g, const struct expr *e, bool gives_old)
{
	const struct expr *target = e->kid[0];
	bool sets = e->kind == EXPR_ASSIGN && e->op[0] == '=' && !e->op[1];
	struct weft_buf *b = &g->out->text;
	enum spec_type t = target->type;
	gen_put(g->out, "({ ");
	put_c_type(g, t);
	gen_put(g->out, " *w_t = &");
	put_place(g, target);
	/*
	 * The value is computed before the address is used, and may itself be an assignment: its
	 * w_t is its own.
	 */
	weft_buf_printf(b, "; %s w_n = ",
	                type_is_real(t) || (e->kind == EXPR_ASSIGN && type_is_real(e->kid[1]->type)) ? "double"
	                : t == TYPE_STRING                                                           ? "const char *"
	                                                                                             : "long long");
	if (e->kind != EXPR_ASSIGN)
		gen_put(g->out, "1");
	else
		put_expr(g, e->kid[1]);
	gen_put(g->out, "; ");
	if (gives_old) {
		put_c_type(g, t);
		gen_put(g->out, " w_o = *w_t; ");
	}
	weft_buf_printf(b, "*w_t = %s(", store_name(t));
	bool whole = !type_is_real(t) && t != TYPE_STRING, real_value = e->kind == EXPR_ASSIGN && type_is_real(e->kid[1]->type);
	if (whole && real_value)
		gen_put(g->out, "w_whole(");
	if (sets)
		gen_put(g->out, "w_n");
	else if (strchr("/%", e->op[0]) && whole && !real_value)
		weft_buf_printf(b, "w_%s(*w_t, w_n)", e->op[0] == '/' ? "div" : "mod");
	else if (e->op[0] == '<' || e->op[0] == '>')
		weft_buf_printf(b, "w_shift(*w_t, w_n, %d)", e->op[0] == '<');
	else
		weft_buf_printf(b, "(%s)*w_t %c w_n", real_value || !whole ? "double" : "long long", e->op[0]);
	if (whole && real_value)
		gen_put(g->out, ")");
	weft_buf_printf(b, "); %s; })", gives_old ? "w_o" : whole ? "(long long)*w_t" : "*w_t");
}

static void put_binary(struct gen *g, const struct expr *e)
{
	bool text = e->kid[0]->type == TYPE_STRING;
	bool whole = !type_is_real(e->kid[0]->type) && !type_is_real(e->kid[1]->type);
	bool shift = (e->op[0] == '<' || e->op[0] == '>') && e->op[1] == e->op[0];
	const char *function = text                       ? "w_cmp"
	                       : whole && e->op[0] == '/' ? "w_div"
	                       : whole && e->op[0] == '%' ? "w_mod"
	                       : shift                    ? "w_shift"
	                                                  : NULL;
	weft_buf_printf(&g->out->text, "%s(", function ? function : "");
	put_expr(g, e->kid[0]);
	if (function)
		gen_put(g->out, ", ");
	else
		weft_buf_printf(&g->out->text, " %s ", e->op);
	put_expr(g, e->kid[1]);
	if (shift)
		gen_put(g->out, e->op[0] == '<' ? ", 1" : ", 0");
	weft_buf_printf(&g->out->text, ")%s%s%s", text ? " " : "", text ? e->op : "", text ? " 0" : "");
}

static void put_call(struct gen *g, const struct expr *e)
{
	const struct expr *f = e->kid[0];
	const struct expr *p = f->ref == REF_FUNCTION ? g->s->function.at[f->id].params : NULL;
	put_ref(g, f);
	gen_put(g->out, "(");
	for (const struct expr *a = e->kid[1]; a; a = a->next) {
		if (p)
			gen_put(g->out, store_name(p->type));
		gen_put(g->out, "(");
		put_as(g, a, p ? p->type : TYPE_DOUBLE);
		gen_put(g->out, a->next ? "), " : ")");
		p = p ? p->next : NULL;
	}
	gen_put(g->out, ")");
}

static void put_number(struct gen *g, const struct expr *e)
{
	size_t n = strlen(e->name);
	bool hex = e->name[0] == '0' && (e->name[1] | 32) == 'x';
	while (!hex && n > 1 && strchr("fFlLuU", e->name[n - 1]))
		n--;
	/* 010 is ten: an author of a model does not mean eight. */
	size_t zeros = 0;
	while (!hex && zeros + 1 < n && e->name[zeros] == '0' && e->name[zeros + 1] >= '0' && e->name[zeros + 1] <= '9')
		zeros++;
	weft_buf_add(&g->out->text, e->name + zeros, n - zeros);
	if (!type_is_real(e->type))
		gen_put(g->out, "LL");
}

void gen_expr(struct gen *g, const struct expr *e)
{
	put_expr(g, e);
}

void gen_place(struct gen *g, const struct expr *e)
{
	put_place(g, e);
}

const char *gen_store(enum spec_type t)
{
	return store_name(t);
}

static void put_expr(struct gen *g, const struct expr *e)
{
	gen_origin(g, e->where.at, false);
	switch (e->kind) {
	case EXPR_NUMBER:
		put_number(g, e);
		return;
	case EXPR_STRING:
		gen_put(g->out, e->name);
		return;
	case EXPR_REF:
		put_ref(g, e);
		return;
	case EXPR_INDEX:
		if (!type_is_real(e->type))
			gen_put(g->out, "(long long)");
		put_place(g, e);
		return;
	case EXPR_CALL:
		put_call(g, e);
		return;
	case EXPR_UNARY:
		if (e->op[1]) {
			put_update(g, e, false);
			return;
		}
		weft_buf_printf(&g->out->text, "(%c", e->op[0]);
		put_expr(g, e->kid[0]);
		gen_put(g->out, ")");
		return;
	case EXPR_POSTFIX:
		put_update(g, e, true);
		return;
	case EXPR_ASSIGN:
		put_update(g, e, false);
		return;
	case EXPR_BINARY:
		put_binary(g, e);
		return;
	case EXPR_CHOICE:
		gen_put(g->out, "(");
		put_expr(g, e->kid[0]);
		gen_put(g->out, " ? ");
		put_expr(g, e->kid[1]);
		gen_put(g->out, " : ");
		put_expr(g, e->kid[2]);
		gen_put(g->out, ")");
		return;
	case EXPR_CAST:
		gen_put(g->out, store_name(e->type));
		gen_put(g->out, "(");
		put_as(g, e->kid[0], e->type);
		gen_put(g->out, ")");
		return;
	default:
		gen_put(g->out, "0");
	}
}

/* -- statements -- */

static void put_decl(struct gen *g, const struct expr *e)
{
	struct weft_buf *b = &g->out->text;
	for (; e; e = e->kid[1]) {
		put_c_type(g, e->type);
		weft_buf_printf(b, " l%u_%s", e->number, e->name);
		if (e->len)
			weft_buf_printf(b, "[%u] = {0}", e->len);
		else if (e->kid[0]) {
			weft_buf_printf(b, " = %s(", store_name(e->type));
			put_as(g, e->kid[0], e->type);
			gen_put(g->out, ")");
		} else {
			gen_put(g->out, " = 0");
		}
		gen_put(g->out, "; ");
	}
}

static void put_condition(struct gen *g, const char *word, const struct expr *e)
{
	weft_buf_printf(&g->out->text, "%s (", word);
	if (e)
		put_expr(g, e);
	else
		gen_put(g->out, "1");
	gen_put(g->out, ") ");
}

static void put_body(struct gen *g, const struct expr *e)
{
	gen_put(g->out, "{ ");
	gen_statements(g, e);
	gen_put(g->out, "}\n");
}

/* `continue` must not pass over the step: the step is where C has it. */
static void put_for(struct gen *g, const struct expr *e)
{
	gen_put(g->out, "{ ");
	if (e->kid[0])
		gen_statements(g, e->kid[0]);
	gen_put(g->out, "for (; ");
	if (e->kid[1])
		put_expr(g, e->kid[1]);
	gen_put(g->out, "; ");
	if (e->kid[2])
		put_expr(g, e->kid[2]);
	gen_put(g->out, ") ");
	put_body(g, e->kid[3]);
	gen_put(g->out, "}\n");
}

static void put_return(struct gen *g, const struct expr *e)
{
	gen_put(g->out, "return");
	if (e->kid[0] && g->returns != TYPE_VOID) {
		weft_buf_printf(&g->out->text, " %s(", store_name(g->returns));
		put_as(g, e->kid[0], g->returns);
		gen_put(g->out, ")");
	}
	gen_put(g->out, ";\n");
}

static void put_statement(struct gen *g, const struct expr *e)
{
	gen_origin(g, e->where.at, false);
	switch (e->kind) {
	case STMT_EXPR:
		put_expr(g, e->kid[0]);
		gen_put(g->out, ";\n");
		return;
	case STMT_DECL:
		put_decl(g, e);
		return;
	case STMT_IF:
		put_condition(g, "if", e->kid[0]);
		put_body(g, e->kid[1]);
		if (e->kid[2]) {
			gen_put(g->out, "else ");
			put_body(g, e->kid[2]);
		}
		return;
	case STMT_FOR:
		put_for(g, e);
		return;
	case STMT_WHILE:
		put_condition(g, "while", e->kid[0]);
		put_body(g, e->kid[1]);
		return;
	case STMT_DO:
		gen_put(g->out, "do ");
		put_body(g, e->kid[1]);
		put_condition(g, "while", e->kid[0]);
		gen_put(g->out, ";\n");
		return;
	case STMT_RETURN:
		put_return(g, e);
		return;
	case STMT_BREAK:
	case STMT_CONTINUE:
		gen_put(g->out, e->kind == STMT_BREAK ? "break;\n" : "continue;\n");
		return;
	case STMT_BLOCK:
		put_body(g, e->kid[0]);
		return;
	default:
		gen_put(g->out, ";\n");
	}
}

void gen_statements(struct gen *g, const struct expr *list)
{
	for (const struct expr *e = list; e; e = e->next)
		put_statement(g, e);
}

void gen_result(struct gen *g, const struct expr *e)
{
	if (e->type == TYPE_VOID) {
		put_expr(g, e);
		gen_put(g->out, ";\n");
		return;
	}
	weft_buf_printf(&g->out->text, "w_g.result.%s = ", field_of(e->type));
	put_expr(g, e);
	gen_put(g->out, ";\n");
	/* A number is known as both. */
	if (type_is_real(e->type))
		gen_put(g->out, "w_g.result.i = w_g.result.d != 0;\n");
	else if (e->type != TYPE_STRING)
		gen_put(g->out, "w_g.result.d = (double)w_g.result.i;\n");
}
