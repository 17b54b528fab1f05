/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about expressions that probably mean something else. Each rule is a function over one
 * code or one node; the tables at the end list them. A rule never looks at names or files, only at
 * the tree.
 */
#include "expr.h"
#include <stdlib.h>
#include <string.h>

struct rules {
	struct weft_spec *s;
	struct spec_code *c;
	const struct expr *loop; /* the innermost `for` */
	bool in_loop;
};

static const char *name_of(struct weft_spec *s, uint32_t attr)
{
	return spec_attr_path(s, attr);
}

static bool is_attr(const struct expr *e, uint32_t attr)
{
	return e->kind == EXPR_REF && e->ref == REF_ATTR && (attr == SPEC_NONE || e->id == attr);
}

/* The attribute that is assigned to, also an element of it; SPEC_NONE. */
static uint32_t target_of(const struct expr *e)
{
	const struct expr *t = e->kind == EXPR_ASSIGN || ((e->kind == EXPR_UNARY || e->kind == EXPR_POSTFIX) && e->op[1])
	                               ? e->kid[0]
	                               : NULL;
	if (t && t->kind == EXPR_INDEX)
		t = t->kid[0];
	return t && t->kind == EXPR_REF && t->ref == REF_ATTR ? t->id : SPEC_NONE;
}

struct finder {
	uint32_t attr;
	const struct expr *decl;
	bool found;
	const struct expr *at;
};

static void find_attr(void *ctx, struct expr *e)
{
	struct finder *f = ctx;
	if (f->decl ? e->kind == EXPR_REF && e->ref == REF_LOCAL && e->decl == f->decl : is_attr(e, f->attr) && e->read) {
		f->found = true;
		f->at = f->at ? f->at : e;
	}
}

static bool uses_attr(struct expr *e, uint32_t attr)
{
	struct finder f = {.attr = attr};
	expr_walk(e, find_attr, &f);
	return f.found;
}

/* Whether an assignment builds on the old value: x += …, x = x + …, x++. */
static bool rules_accumulates(const struct expr *e)
{
	uint32_t t = target_of(e);
	return t != SPEC_NONE && (e->kind != EXPR_ASSIGN || e->op[1] || uses_attr(e->kid[1], t));
}

/* -- numbers -- */

/*
 * Brackets around what an expression says may belong to a part of it, of which the text begins
 * behind them.
 */
static const char *balanced_text(struct weft_spec *s, struct span w)
{
	int open = 0, least = 0;
	for (uint32_t i = w.at; i < w.at + w.n; i++) {
		open += (s->text[i] == '(') - (s->text[i] == ')');
		least = open < least ? open : least;
	}
	for (int missing = open - least; missing > 0 && w.at + w.n < s->n; w.n++)
		missing -= s->text[w.at + w.n] == ')';
	for (; least < 0 && w.at > 0; w.at--, w.n++)
		least += s->text[w.at - 1] == '(';
	return expr_text(s, w);
}

/* As an operand of a division; `behind` it. */
static const char *operand_text(struct weft_spec *s, const struct expr *e, bool behind)
{
	const char *text = balanced_text(s, e->where);
	bool sum = e->kind == EXPR_BINARY && !strchr("*/%", e->op[0]);
	bool wraps = e->kind == EXPR_CHOICE || e->kind == EXPR_ASSIGN || sum || (behind && e->kind == EXPR_BINARY);
	return wraps ? spec_printf(s, "(%s)", text) : text;
}

static void check_division(struct rules *r, struct expr *e, bool real)
{
	struct weft_spec *s = r->s;
	if (e->kind != EXPR_BINARY || e->op[0] != '/' || type_is_real(e->kid[0]->type) || type_is_real(e->kid[1]->type) ||
	    e->kid[1]->kind == EXPR_NAME)
		return;
	const char *left = operand_text(s, e->kid[0], false), *right = operand_text(s, e->kid[1], true);
	bool number = e->kid[0]->kind == EXPR_NUMBER && e->kid[1]->kind != EXPR_NUMBER;
	bool one = number && (real || strcmp(e->kid[0]->name, "1") == 0);
	if (one)
		spec_say(s, WEFT_ERROR, "integer-division", e->where, spec_printf(s, "%s.0/%s", left, right),
		         "'%s/%s' divides whole numbers: 0 as soon as '%s' is greater than %s", left, right, right, left);
	else if (real)
		spec_say(s, WEFT_WARNING, "integer-division", e->where, spec_printf(s, "%s/(double)%s", left, right),
		         "'%s/%s' divides whole numbers: its fraction is lost", left, right);
	if (one)
		r->c->broken = true;
}

static bool in_brackets(const struct weft_spec *s, const struct expr *e)
{
	uint32_t at = e->where.at;
	while (at > 0 && s->text[at - 1] == ' ')
		at--;
	return at > 0 && s->text[at - 1] == '(';
}

static void check_precedence(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	if (e->kind != EXPR_BINARY || e->op[0] != '*' || e->kid[0]->kind != EXPR_BINARY || e->kid[0]->op[0] != '/')
		return;
	const struct expr *d = e->kid[0];
	if (d->kid[0]->kind == EXPR_NUMBER || d->kid[1]->kind == EXPR_NUMBER || e->kid[1]->kind == EXPR_NUMBER)
		return;
	/*
	 * (a/b)*c is meant as it is written; a call's or a cast's bracket before a/b*c is none
	 * around a/b.
	 */
	uint32_t end = d->where.at + d->where.n;
	while (end < s->n && s->text[end] == ' ')
		end++;
	if (in_brackets(s, d) && end < s->n && s->text[end] == ')')
		return;
	const char *a = operand_text(s, d->kid[0], false), *b = operand_text(s, d->kid[1], true),
		   *c = operand_text(s, e->kid[1], true);
	spec_say(s, WEFT_WARNING, "precedence", e->where, spec_printf(s, "%s/(%s*%s)", a, b, c),
	         "'%s/%s*%s' multiplies by '%s'; to divide by both takes brackets", a, b, c, c);
}

static void check_assign(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	uint32_t t = target_of(e);
	if (t == SPEC_NONE || r->c->role != ROLE_VALUE || r->c->broken)
		return;
	const struct spec_attr *a = &s->attr.at[t];
	if (e->kind == EXPR_ASSIGN && type_is_real(e->kid[1]->type) && !type_is_real(a->t) && a->type.z &&
	    e->kid[1]->kind != EXPR_NUMBER)
		spec_say(s, WEFT_WARNING, "fraction-lost", e->where, "type: double", "'%s' is of type %s: the fraction is lost",
		         a->id.z, a->type.z);
	const struct expr *v = e->kid[1];
	bool adds = e->kind == EXPR_ASSIGN && (e->op[0] == '+' || (v->kind == EXPR_BINARY && v->op[0] == '+'));
	/* A counter does not grow that far. */
	adds &= v && v->kind != EXPR_NUMBER && !(v->kind == EXPR_BINARY && v->kid[1]->kind == EXPR_NUMBER);
	if (r->in_loop && adds && rules_accumulates(e) && !type_is_real(a->t) && a->type.z && e->kind == EXPR_ASSIGN &&
	    a->scope == SCOPE_PARAMETER)
		spec_say(s, WEFT_WARNING, "overflow", e->where, "type: double", "the sum in '%s', of type %s, may overflow",
		         a->id.z, a->type.z);
}

/* x = a + b, all int, where a or b is a sum over many. */
static void check_sum_of_sums(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	uint32_t t = target_of(e);
	if (t == SPEC_NONE || e->kind != EXPR_ASSIGN || r->in_loop || type_is_real(s->attr.at[t].t))
		return;
	const struct expr *v = e->kid[1];
	if (v->kind != EXPR_BINARY || (v->op[0] != '+' && v->op[0] != '*'))
		return;
	for (int k = 0; k < 2; k++)
		for (size_t d = 0; d < s->diag.n; d++)
			if (is_attr(v->kid[k], SPEC_NONE) && s->attr.at[v->kid[k]->id].value != SPEC_NONE &&
			    strcmp(s->diag.at[d].rule, "overflow") == 0) {
				struct span w = s->code.at[s->attr.at[v->kid[k]->id].value].where;
				if (s->diag.at[d].at >= w.at && s->diag.at[d].at < w.at + w.n)
					spec_say(s, WEFT_WARNING, "overflow", e->where, "type: double",
					         "'%s', of type int, adds sums that may be as large as an int",
					         s->attr.at[t].id.z);
			}
}

static void check_index(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	if (e->kind != EXPR_INDEX || !is_attr(e->kid[0], SPEC_NONE) || e->kid[1]->kind != EXPR_BINARY || e->kid[1]->op[0] != '+')
		return;
	const struct expr *sum = e->kid[1];
	if (sum->kid[1]->kind != EXPR_NUMBER || !is_attr(sum->kid[0], SPEC_NONE))
		return;
	uint32_t len = s->attr.at[e->kid[0]->id].len;
	spec_say(s, WEFT_WARNING, "unchecked-index", sum->where,
	         spec_printf(s, "test it first: %s < %u", expr_text(s, sum->where), len),
	         "nothing holds '%s' below %u, the length of '%s'", expr_text(s, sum->where), len,
	         s->attr.at[e->kid[0]->id].id.z);
}

/* -- loops -- */

/* The bound of `for (…; i < BOUND; …)`, and the local that counts. */
static const struct expr *loop_bound(const struct expr *loop, const struct expr **counter)
{
	const struct expr *c = loop->kid[1];
	if (!c || c->kind != EXPR_BINARY || c->op[0] != '<' || c->kid[0]->kind != EXPR_REF || c->kid[0]->ref != REF_LOCAL)
		return NULL;
	*counter = c->kid[0]->decl;
	return c->kid[1];
}

struct loop_use {
	struct finder counter;
	bool accumulates, other; /* other: the body breaks, calls, or counts otherwise */
};

static void look_at_loop(void *ctx, struct expr *e)
{
	struct loop_use *u = ctx;
	u->accumulates |= rules_accumulates(e);
	u->other |= e->kind == STMT_BREAK || e->kind == STMT_RETURN || e->kind == STMT_IF || e->kind == EXPR_CALL ||
	            (e->kind == EXPR_ASSIGN && e->op[1]);
}

static void check_loop(struct rules *r, struct expr *e)
{
	const struct expr *counter;
	if (e->kind != STMT_FOR || !loop_bound(e, &counter))
		return;
	struct loop_use u = {.counter = {.decl = counter}};
	expr_walk(e->kid[3], find_attr, &u.counter);
	expr_walk(e->kid[3], look_at_loop, &u);
	if (!u.counter.found && !u.accumulates && !u.other)
		spec_say(r->s, WEFT_WARNING, "idle-loop", (struct span){e->where.at, 3}, NULL,
		         "every round computes the same: the body uses neither '%s' nor an old value", counter->name);
}

/* The name of the bound of the loop over an actor in which `attr` is summed; NULL. */
struct sum_search {
	uint32_t attr;
	const char *bound;
};

static void find_sum(void *ctx, struct expr *e)
{
	struct sum_search *q = ctx;
	const struct expr *counter, *bound;
	if (e->kind != STMT_FOR || !(bound = loop_bound(e, &counter)))
		return;
	struct loop_use u = {.counter = {.decl = counter}};
	expr_walk(e->kid[3], look_at_loop, &u);
	if (u.accumulates && (bound->kind == EXPR_NAME || bound->kind == EXPR_REF))
		q->bound = bound->name;
}

static void check_mean_of(struct rules *r, const struct expr *at, const struct expr *sum, const struct expr *by)
{
	struct weft_spec *s = r->s;
	if (!is_attr(sum, SPEC_NONE) || !is_attr(by, SPEC_NONE) || s->attr.at[sum->id].value == SPEC_NONE)
		return;
	struct sum_search q = {.attr = sum->id};
	expr_walk(s->code.at[s->attr.at[sum->id].value].body, find_sum, &q);
	if (!q.bound || !by->name || strcmp(q.bound, by->name) == 0)
		return;
	spec_say(s, WEFT_WARNING, "mean", at->where, NULL, "'%s' is a sum over '%s', but is divided by '%s'",
	         s->attr.at[sum->id].id.z, q.bound, by->name);
}

static void check_mean(struct rules *r, struct expr *e)
{
	if (e->kind != EXPR_BINARY)
		return;
	if (e->op[0] == '/')
		check_mean_of(r, e, e->kid[0], e->kid[1]);
	else if (e->op[0] == '*' && e->kid[0]->kind == EXPR_BINARY && e->kid[0]->op[0] == '/')
		check_mean_of(r, e, e->kid[1], e->kid[0]->kid[1]);
}

/* -- tuning in the middle -- */

static void find_tune(void *ctx, struct expr *e)
{
	bool *found = ctx;
	*found |= e->kind == EXPR_REF && e->ref == REF_TUNE;
}

static void check_tune_when_equal(struct rules *r, struct expr *e)
{
	bool tunes = false;
	if (e->kind != STMT_IF || e->kid[0]->kind != EXPR_BINARY || strncmp(e->kid[0]->op, "==", 2) != 0 ||
	    e->kid[0]->kid[1]->kind == EXPR_NUMBER)
		return;
	expr_walk(e->kid[1], find_tune, &tunes);
	if (tunes)
		spec_say(r->s, WEFT_WARNING, "tunes-when-equal", e->kid[0]->where,
		         "!=", "tunes when both are equal: nothing would change");
}

/* -- names -- */

static void check_qualified(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	if (!is_attr(e, SPEC_NONE) || s->attr.at[e->id].scope == SCOPE_PARAMETER ||
	    memchr(s->text + e->where.at, '.', e->where.n))
		return;
	const char *id = s->attr.at[e->id].id.z;
	if (r->c->role != ROLE_VALUE)
		spec_say(s, WEFT_NOTE, "unqualified", e->where, NULL, "'%s' is taken as '%s'", id, name_of(s, e->id));
	else
		spec_say(s, WEFT_WARNING, "unqualified", e->where, name_of(s, e->id), "'%s' without '%s': taken as '%s'", id,
		         s->attr.at[e->id].scope == SCOPE_ITERATION ? "iter." : "its actor and index", name_of(s, e->id));
}

/* Whether a list of dependencies names it. */
static bool rules_declares(const struct word *list, const char *z)
{
	struct weft_str rest = weft_str(list->z), part;
	while (weft_str_cut(&rest, ',', &part))
		if (weft_str_eq(weft_str_trim(part), z))
			return true;
	return false;
}

static void check_parameter_use(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	if (!is_attr(e, SPEC_NONE) || s->attr.at[e->id].scope != SCOPE_PARAMETER)
		return;
	const char *id = s->attr.at[e->id].id.z;
	if (r->c->role == ROLE_COMPLETION)
		spec_say(s, WEFT_WARNING, "completion-scope", e->where, NULL,
		         "a completion condition with the model parameter '%s', which collectors do not know", id);
	else if ((r->c->role == ROLE_VALUE || r->c->role == ROLE_INIC) && s->attr.at[r->c->owner].scope != SCOPE_PARAMETER &&
	         !rules_declares(r->c->role == ROLE_INIC ? &s->attr.at[r->c->owner].depinic : &s->attr.at[r->c->owner].dependency,
	                         id))
		spec_say(s, WEFT_WARNING, "forward", e->where, NULL,
		         "'%s' is a model parameter, computed later: here it has the value of the evaluation before", id);
}

static void check_call_in_event(struct rules *r, struct expr *e)
{
	struct weft_spec *s = r->s;
	if (r->c->role != ROLE_VALUE || e->kind != EXPR_REF || e->ref != REF_FUNCTION ||
	    s->attr.at[r->c->owner].scope == SCOPE_PARAMETER)
		return;
	const struct spec_code *f = &s->code.at[s->function.at[e->id].code];
	if (bits_any(&f->tunes))
		spec_say(s, WEFT_NOTE, "tunes-on-event", e->where, NULL,
		         "'%s' tunes while the iteration is running, not at its evaluation", s->function.at[e->id].id.z);
}

static void (*const node_rules[])(struct rules *r, struct expr *e) = {
	check_precedence, check_assign,          check_sum_of_sums, check_index,         check_loop,
	check_mean,       check_tune_when_equal, check_qualified,   check_parameter_use, check_call_in_event,
};

/*
 * Parents first, with what they say about their children: whether a real number is wanted, whether
 * this is in a loop.
 */
static void rules_apply(struct rules *r, struct expr *list, bool real)
{
	for (struct expr *e = list; e; e = e->next) {
		bool in_loop = r->in_loop, wants = real && e->kind < STMT_EXPR;
		for (size_t i = 0; i < sizeof node_rules / sizeof node_rules[0]; i++)
			node_rules[i](r, e);
		check_division(r, e, wants);
		r->in_loop |= e->kind == STMT_FOR || e->kind == STMT_WHILE || e->kind == STMT_DO;
		if (e->kind == EXPR_CALL)
			wants = e->kid[0]->kind == EXPR_REF && e->kid[0]->ref == REF_MATH;
		else if (e->kind == EXPR_ASSIGN || e->kind == EXPR_BINARY)
			wants = type_is_real(e->type) || (e->kind == EXPR_BINARY && type_is_real(wants ? TYPE_DOUBLE : TYPE_INT));
		else if (e->kind == EXPR_CAST)
			wants = type_is_real(e->type);
		for (int k = 0; k < 4; k++)
			rules_apply(r, e->kid[k], wants && !(e->kind == EXPR_INDEX && k == 1));
		r->in_loop = in_loop;
	}
}

/* -- whole codes -- */

struct write_search {
	uint32_t attr;
	const struct expr *found;
};

static void find_write(void *ctx, struct expr *e)
{
	struct write_search *q = ctx;
	if (!q->found && target_of(e) == q->attr)
		q->found = e;
}

static const struct expr *first_write(struct spec_code *c, uint32_t attr)
{
	struct write_search q = {.attr = attr};
	expr_walk(c->body, find_write, &q);
	return q.found;
}

static void find_return(void *ctx, struct expr *e)
{
	bool *found = ctx;
	*found |= e->kind == STMT_RETURN && e->kid[0];
}

static void check_function(struct weft_spec *s, struct spec_function *f)
{
	struct spec_code *c = &s->code.at[f->code];
	bool found = c->opaque;
	expr_walk(c->body, find_return, &found);
	f->returns = found;
	if (!found && f->t != TYPE_VOID && !c->broken && f->id.z)
		spec_say(s, WEFT_WARNING, "no-return", f->id.where, "void", "'%s' is to return a value, but returns none",
		         f->id.z);
	for (uint32_t i = 0; i < s->attr.n; i++) {
		const struct expr *at = first_write(c, i);
		if (at && !bits_any(&c->tunes))
			spec_say(s, WEFT_WARNING, "side-effect", at->where, NULL, "performance function '%s' changes '%s'",
			         f->id.z ? f->id.z : "?", name_of(s, i));
	}
}

/* Other codes that set an attribute: for attributes without a value of their own. */
static const char *set_by(struct weft_spec *s, uint32_t attr)
{
	for (size_t i = 0; i < s->code.n; i++) {
		const struct spec_code *c = &s->code.at[i];
		if (!bits_has(&c->writes, attr) || c->role == ROLE_INIC || (c->role == ROLE_VALUE && c->owner == attr))
			continue;
		if (c->role == ROLE_VALUE)
			return spec_printf(s, "the value of '%s'", name_of(s, c->owner));
		if (c->role == ROLE_FUNCTION)
			return spec_printf(s, "function '%s'",
			                   s->function.at[c->owner].id.z ? s->function.at[c->owner].id.z : "?");
	}
	return NULL;
}

static void check_own_value(struct weft_spec *s, uint32_t i, struct spec_code *c)
{
	const char *what = c->role == ROLE_INIC ? "inic" : "value", *path = name_of(s, i);
	if (!c->body) {
		const char *by = c->role == ROLE_VALUE ? set_by(s, i) : NULL;
		if (by)
			spec_say(s, WEFT_WARNING, "set-elsewhere", s->attr.at[i].id.where, NULL,
			         "'%s' has no value of its own: %s sets it", path, by);
		else if (c->role == ROLE_VALUE && !c->broken)
			spec_say(s, WEFT_WARNING, "constant", s->attr.at[i].id.where, NULL,
			         "'%s' has an empty value, and nothing sets it", path);
		return;
	}
	bool own = bits_has(&c->writes, i);
	for (uint32_t k = 0; k < s->attr.n; k++) {
		const struct expr *at = k == i ? NULL : first_write(c, k);
		if (!at)
			continue;
		if (own)
			spec_say(s, WEFT_WARNING, "side-effect", at->where, NULL, "the %s of '%s' also sets '%s'", what, path,
			         name_of(s, k));
		else
			spec_say(s, WEFT_ERROR, "wrong-target", at->where,
			         spec_printf(s, "%s=…", s->attr.at[i].id.z ? s->attr.at[i].id.z : "?"),
			         "the %s of '%s' sets '%s', not '%s'", what, path, name_of(s, k), path);
		c->broken |= !own;
	}
	if (!own && !c->broken) {
		spec_say(s, WEFT_ERROR, "wrong-target", c->where, NULL, "the %s of '%s' does not set it", what, path);
		c->broken = true;
	}
}

struct reset_search {
	uint32_t attr;
	bool set, in_loop;
	const struct expr *grows;
};

static void find_growth(void *ctx, struct expr *e)
{
	struct reset_search *q = ctx;
	if (target_of(e) != q->attr)
		return;
	if (rules_accumulates(e) && !q->set && !q->grows)
		q->grows = e;
	q->set |= !rules_accumulates(e);
}

static void find_grows(void *ctx, struct expr *e)
{
	struct reset_search *q = ctx;
	q->in_loop |= e == q->grows;
}

static void find_loop(void *ctx, struct expr *e)
{
	if (e->kind == STMT_FOR || e->kind == STMT_WHILE || e->kind == STMT_DO)
		for (size_t k = 0; k < sizeof e->kid / sizeof *e->kid; k++)
			expr_walk(e->kid[k], find_grows, ctx);
}

/*
 * A parameter keeps its value from one evaluation to the next. One that a loop adds to should begin
 * anew; one that grows once an evaluation is a running total, and meant.
 */
static void check_reset(struct weft_spec *s, uint32_t i, struct spec_code *c)
{
	struct reset_search q = {.attr = i};
	expr_walk(c->body, find_growth, &q);
	expr_walk(c->body, find_loop, &q);
	if (q.in_loop)
		spec_say(s, WEFT_WARNING, "never-reset", q.grows->where, spec_printf(s, "begin with %s=0;", s->attr.at[i].id.z),
		         "'%s' is never set anew: it grows from one evaluation to the next", s->attr.at[i].id.z);
}

/*
 * Instances are chosen by number (loops) or by the id of a process (events): Weft tells them apart;
 * a reader should know.
 */
struct space_search {
	struct weft_spec *s;
	uint32_t actor;
	const struct expr *by_id, *by_number;
};

static void find_spaces(void *ctx, struct expr *e)
{
	struct space_search *q = ctx;
	if (!is_attr(e, SPEC_NONE) || q->s->attr.at[e->id].scope != SCOPE_ACTOR || q->s->attr.at[e->id].actor != q->actor)
		return;
	if (e->access == ACCESS_ID && !q->by_id)
		q->by_id = e;
	if (e->access == ACCESS_NTH && !q->by_number)
		q->by_number = e;
}

static void check_index_spaces(struct weft_spec *s)
{
	for (uint32_t a = 0; a < s->actor.n; a++) {
		struct space_search q = {.s = s, .actor = a};
		for (size_t i = 0; i < s->code.n; i++)
			expr_walk(s->code.at[i].body, find_spaces, &q);
		if (!q.by_id || !q.by_number || s->actor.at[a].most <= 1)
			continue;
		uint32_t line, col;
		spec_place(s, q.by_number->where.at, &line, &col);
		spec_say(s, WEFT_NOTE, "index-spaces", q.by_id->where, NULL,
		         "'%s' is chosen by the id of a process here, by a number from 0 in line %u: they are told apart",
		         s->actor.at[a].id.z, line);
	}
}

void expr_check_rules(struct weft_spec *s)
{
	for (size_t i = 0; i < s->code.n; i++) {
		struct rules r = {.s = s, .c = &s->code.at[i]};
		rules_apply(&r, r.c->body, false);
	}
	for (size_t i = 0; i < s->function.n; i++)
		if (s->function.at[i].code != SPEC_NONE)
			check_function(s, &s->function.at[i]);
	for (uint32_t i = 0; i < s->attr.n; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		if (a->inic != SPEC_NONE && s->code.at[a->inic].body)
			check_own_value(s, i, &s->code.at[a->inic]);
		if (a->value == SPEC_NONE)
			continue;
		check_own_value(s, i, &s->code.at[a->value]);
		if (a->scope == SCOPE_PARAMETER)
			check_reset(s, i, &s->code.at[a->value]);
	}
	check_index_spaces(s);
}
