/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file around the translated trees:
 *
 *     prelude       the interface to the host (as in gen.h), checked arithmetic
 *     structs       attributes of the iteration, parameters, attributes of each actor
 *     functions     performance functions: from their trees, or as they are, between macros that give them their names
 *     codes         a function for each expression; those of partial results (gen_fold.c)
 *     tables        what the host looks up
 *
 * Prototypes of math.h are our own, so that no header need be installed where none is named.
 */
#include "gen_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char prelude[] = "struct w_value { double d; long long i; const char *s; };\n"
			      "struct w_host {\n"
			      "\tvoid *(*by_id)(int, long long, int);\n"
			      "\tvoid *(*nth)(int, long long);\n"
			      "\tlong long (*count)(int);\n"
			      "\tvoid (*fault)(int);\n"
			      "\tvoid (*tune)(int);\n"
			      "\tvoid (*event)(int, int);\n"
			      "\tconst char *(*keep)(const char *);\n"
			      "\tdouble (*assumed)(int);\n"
			      "};\n"
			      "struct w_part { double d; long long i, n; };\n"
			      "struct w_globals {\n"
			      "\tvoid *iter, *param, *self;\n"
			      "\tconst struct w_value *v;\n"
			      "\tconst struct w_host *host;\n"
			      "\tstruct w_value result, point;\n"
			      "\tconst struct w_part *part;\n"
			      "};\n"
			      "struct w_globals w_g;\n"
			      "static inline long long w_fit(long long v, long long most)\n"
			      "{\n\tif (v > most || v < -most - 1) w_g.host->fault(2);\n\treturn v;\n}\n"
			      "static inline int w_int(long long v) { return (int)w_fit(v, 2147483647); }\n"
			      "static inline short w_short(long long v) { return (short)w_fit(v, 32767); }\n"
			      "static inline char w_char(long long v) { return (char)w_fit(v, 127); }\n"
			      "static inline long long w_whole(double v)\n"
			      "{\n\tif (!(v > -9.2e18 && v < 9.2e18)) w_g.host->fault(2);\n\treturn (long long)v;\n}\n"
			      "static inline long long w_div(long long a, long long b)\n"
			      "{\n\tif (b == 0) w_g.host->fault(1);\n\treturn b == -1 ? -a : a / b;\n}\n"
			      "static inline long long w_mod(long long a, long long b)\n"
			      "{\n\tif (b == 0) w_g.host->fault(1);\n\treturn b == -1 ? 0 : a % b;\n}\n"
			      "static inline long long w_shift(long long a, long long n, int left)\n"
			      "{\n\tif (n < 0 || n > 62) w_g.host->fault(2);\n"
			      "\treturn left ? (long long)((unsigned long long)a << n) : a >> n;\n}\n"
			      "static inline long long w_at(long long i, long long n)\n"
			      "{\n\tif (i < 0 || i >= n) w_g.host->fault(3);\n\treturn i;\n}\n"
			      "static inline int w_cmp(const char *a, const char *b)\n"
			      "{\n\twhile (a && b && *a && *a == *b) a++, b++;\n"
			      "\treturn (a ? *(const unsigned char *)a : 0) - (b ? *(const unsigned char *)b : 0);\n}\n";

static const char math_prototypes[] =
	"double sqrt(double), cbrt(double), pow(double, double), exp(double), log(double), log2(double), log10(double);\n"
	"double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), atan2(double, double);\n"
	"double sinh(double), cosh(double), tanh(double), floor(double), ceil(double), round(double), trunc(double);\n"
	"double fabs(double), fmod(double, double), hypot(double, double), fmin(double, double), fmax(double, double);\n";

void gen_origin(struct gen *g, uint32_t at, bool exact)
{
	struct tune_source *t = g->out;
	struct tune_origin o = {(uint32_t)t->text.n, at, exact};
	if (t->n_origins == t->cap_origins && weft_vec_grow(&t->origin, &t->cap_origins, t->n_origins + 1, sizeof *t->origin)) {
		t->text.failed = true;
		return;
	}
	t->origin[t->n_origins++] = o;
}

void tune_source_fini(struct tune_source *t)
{
	weft_buf_fini(&t->text);
	free(t->origin);
	*t = (struct tune_source){0};
}

uint32_t tune_origin_of(const struct tune_source *t, unsigned line, unsigned col)
{
	size_t at = 0;
	for (unsigned l = 1; l < line && at < t->text.n; at++)
		l += t->text.at[at] == '\n';
	at += col ? col - 1 : 0;
	const struct tune_origin *best = NULL;
	for (size_t i = 0; i < t->n_origins && t->origin[i].gen <= at; i++)
		best = &t->origin[i];
	return !best ? 0 : best->exact ? best->at + (uint32_t)(at - best->gen) : best->at;
}

/* -- structs -- */

static void put_struct(struct gen *g, const char *name, enum spec_scope scope, uint32_t actor)
{
	struct weft_buf *b = &g->out->text;
	weft_buf_printf(b, "struct %s {\n", name);
	for (size_t i = 0; i < g->s->attr.n; i++) {
		const struct spec_attr *a = &g->s->attr.at[i];
		if (a->scope != scope || (scope == SCOPE_ACTOR && a->actor != actor))
			continue;
		weft_buf_printf(b, "\t%s m_%s", spec_type_name[a->t], a->id.z);
		if (a->len)
			weft_buf_printf(b, "[%u]", a->len);
		weft_buf_puts(b, ";\n");
	}
	weft_buf_puts(b, "\tchar w_end;\n};\n");
}

static const char *struct_of(struct gen *g, const struct spec_attr *a)
{
	return a->scope == SCOPE_ITERATION   ? "w_iter"
	       : a->scope == SCOPE_PARAMETER ? "w_param"
	                                     : spec_printf(g->s, "a_%u", a->actor);
}

static void put_structs(struct gen *g)
{
	put_struct(g, "w_iter", SCOPE_ITERATION, 0);
	put_struct(g, "w_param", SCOPE_PARAMETER, 0);
	for (uint32_t a = 0; a < g->s->actor.n; a++)
		put_struct(g, spec_printf(g->s, "a_%u", a), SCOPE_ACTOR, a);
}

/* -- functions -- */

static void put_signature(struct gen *g, const struct spec_function *f)
{
	struct weft_buf *b = &g->out->text;
	weft_buf_printf(b, "static %s w_f_%s(", spec_type_name[f->t], f->id.z);
	for (const struct expr *p = f->params; p; p = p->next)
		weft_buf_printf(b, "%s l%u_%s%s", spec_type_name[p->type], p->number, p->name, p->next ? ", " : "");
	weft_buf_puts(b, f->params ? ")" : "void)");
}

/*
 * The C text for a name of the specification in a function that is left to the compiler; NULL: the
 * name itself.
 */
static const char *stand_in(struct weft_spec *s, const char *z)
{
	uint32_t i = spec_find_function(s, z);
	if (i != SPEC_NONE)
		return spec_printf(s, "w_f_%s", z);
	if (spec_find_attr(s, SCOPE_PARAMETER, 0, z) != SPEC_NONE)
		return spec_printf(s, "(((struct w_param *)w_g.param)->m_%s)", z);
	if (strcmp(z, "iter") == 0)
		return "(*(struct w_iter_named *)w_g.iter)";
	i = spec_find_actor(s, z);
	if (i != SPEC_NONE)
		return spec_printf(s, "((struct a_%u_named *)w_g.host->nth(%u, 0))", i, i);
	if (strncmp(z, "Tune_", 5) == 0 && (i = spec_find_point(s, z + 5)) != SPEC_NONE)
		return spec_printf(s, "w_g.host->tune(%u), (void)", i);
	if (strcmp(z, "add_event") == 0 || strcmp(z, "rem_event") == 0)
		return z[0] == 'a' ? "w_add_event" : "w_rem_event";
	return NULL;
}

/* Whether the function declares that name itself: `int z`, `struct s *z`. */
static bool gen_declares(struct weft_spec *s, const struct spec_code *c, struct span name)
{
	static const char *const no_types[] = {"return", "else", "case", "goto", "sizeof", "do"};
	uint32_t end = c->where.at + c->where.n;
	struct token before = {0}, word = {0};
	for (struct token t = expr_token(s->text, c->where.at, end); t.kind != TOKEN_END;
	     t = expr_token(s->text, t.where.at + t.where.n, end)) {
		bool same = t.kind == TOKEN_NAME && t.where.n == name.n &&
		            memcmp(s->text + t.where.at, s->text + name.at, name.n) == 0;
		bool star = before.kind == TOKEN_OP && token_is(s->text, before, "*");
		struct token type = star ? word : before;
		bool typed = same && type.kind == TOKEN_NAME;
		for (size_t i = 0; typed && i < sizeof no_types / sizeof no_types[0]; i++)
			typed = !token_is(s->text, type, no_types[i]);
		/*
		 * `a * z` is a product unless a is a type: a word that is no entity and begins a
		 * statement, or a type's name.
		 */
		if (typed && (!star || token_is(s->text, type, "int") || token_is(s->text, type, "double") ||
		              token_is(s->text, type, "char")))
			return true;
		word = before;
		before = t;
	}
	return false;
}

/* The same layouts with the names of the specification, for functions as they stand. */
static void put_named(struct gen *g, const char *name, enum spec_scope scope, uint32_t actor)
{
	struct weft_buf *b = &g->out->text;
	weft_buf_printf(b, "struct %s_named {\n", name);
	for (size_t i = 0; i < g->s->attr.n; i++) {
		const struct spec_attr *a = &g->s->attr.at[i];
		if (a->scope == scope && (scope != SCOPE_ACTOR || a->actor == actor))
			weft_buf_printf(b, a->len ? "\t%s %s[%u];\n" : "\t%s %s;\n", spec_type_name[a->t], a->id.z, a->len);
	}
	weft_buf_puts(b, "\tchar w_end;\n};\n");
}

/* Letter by letter, but for the names of the specification. */
static void put_opaque(struct gen *g, const struct spec_function *f)
{
	struct weft_spec *s = g->s;
	const struct spec_code *c = &s->code.at[f->code];
	uint32_t end = c->where.at + c->where.n, copied = c->where.at;
	struct token before = {0};
	weft_buf_puts(&g->out->text, "static ");
	for (struct token t = expr_token(s->text, copied, end); t.kind != TOKEN_END;
	     t = expr_token(s->text, t.where.at + t.where.n, end)) {
		bool member = before.kind == TOKEN_OP && (token_is(s->text, before, ".") || token_is(s->text, before, "->"));
		const char *z = NULL;
		if (t.kind == TOKEN_NAME && !member)
			z = stand_in(s, spec_printf(s, "%.*s", (int)t.where.n, s->text + t.where.at));
		if (z && (strncmp(z, "w_f_", 4) == 0 || !gen_declares(s, c, t.where))) {
			gen_origin(g, copied, true);
			weft_buf_add(&g->out->text, s->text + copied, t.where.at - copied);
			gen_origin(g, t.where.at, false);
			weft_buf_puts(&g->out->text, z);
			copied = t.where.at + t.where.n;
		}
		before = t;
	}
	gen_origin(g, copied, true);
	weft_buf_add(&g->out->text, s->text + copied, end - copied);
	weft_buf_puts(&g->out->text, "\n");
}

static void put_event_names(struct gen *g)
{
	struct weft_buf *b = &g->out->text;
	for (size_t i = 0; i < g->s->event.n; i++)
		weft_buf_printf(b, "enum { w_ev_%s = %zu };\n", g->s->event.at[i].id.z, i);
	weft_buf_puts(
		b, "#define w_add_event(e) w_g.host->event(w_ev_##e, 1)\n#define w_rem_event(e) w_g.host->event(w_ev_##e, 0)\n");
}

static void put_functions(struct gen *g)
{
	struct weft_spec *s = g->s;
	bool any = false;
	for (size_t i = 0; i < s->function.n; i++)
		any |= s->code.at[s->function.at[i].code].opaque;
	if (any) {
		put_event_names(g);
		put_named(g, "w_iter", SCOPE_ITERATION, 0);
		for (uint32_t a = 0; a < s->actor.n; a++)
			put_named(g, spec_printf(s, "a_%u", a), SCOPE_ACTOR, a);
	}
	for (size_t i = 0; i < s->function.n; i++)
		if (!s->code.at[s->function.at[i].code].opaque) {
			put_signature(g, &s->function.at[i]);
			weft_buf_puts(&g->out->text, ";\n");
		}
	for (int opaque = 1; opaque >= 0; opaque--)
		for (size_t i = 0; i < s->function.n; i++) {
			const struct spec_function *f = &s->function.at[i];
			const struct spec_code *c = &s->code.at[f->code];
			if (c->opaque != opaque)
				continue;
			if (opaque) {
				put_opaque(g, f);
				continue;
			}
			g->returns = f->t;
			put_signature(g, f);
			weft_buf_puts(&g->out->text, "\n{\n");
			gen_statements(g, c->body->kind == STMT_BLOCK ? c->body->kid[0] : c->body);
			weft_buf_puts(&g->out->text, f->t == TYPE_VOID ? "}\n" : "return 0;\n}\n");
		}
}

/* -- codes and tables -- */

static bool has_function(const struct gen *g, const struct spec_code *c)
{
	bool calls = g->of == TUNE_FOLDS && bits_any(&c->calls);
	return c->role != ROLE_FUNCTION && c->body && !calls;
}

static void put_codes(struct gen *g)
{
	struct weft_buf *b = &g->out->text;
	g->returns = TYPE_VOID;
	for (size_t i = 0; i < g->s->code.n; i++) {
		const struct spec_code *c = &g->s->code.at[i];
		if (!has_function(g, c))
			continue;
		weft_buf_printf(b, "static void w_code_%zu(void)\n{\n", i);
		if (c->role == ROLE_INIC || c->role == ROLE_VALUE)
			gen_statements(g, c->body);
		else
			gen_result(g, c->body->kid[0]);
		weft_buf_puts(b, "}\n");
	}
	gen_parts(g);
	if (g->of == TUNE_WHOLE)
		gen_splits(g);
	weft_buf_puts(b, "void (*const w_codes[])(void) = {\n");
	for (size_t i = 0; i < g->s->code.n; i++)
		if (has_function(g, &g->s->code.at[i]))
			weft_buf_printf(b, "\tw_code_%zu,\n", i);
		else
			weft_buf_puts(b, "\t0,\n");
	for (size_t i = 0; i < g->s->attr.n; i++)
		if (g->s->plan[i].split && g->of == TUNE_WHOLE)
			weft_buf_printf(b, "\tw_split_%zu,\n", i);
		else
			weft_buf_puts(b, "\t0,\n");
	weft_buf_puts(b, "\t0\n};\nconst unsigned w_sizes[] = {sizeof(struct w_iter), sizeof(struct w_param)");
	for (size_t i = 0; i < g->s->actor.n; i++)
		weft_buf_printf(b, ", sizeof(struct a_%zu)", i);
	weft_buf_puts(b, "};\nconst unsigned w_offsets[] = {\n");
	for (size_t i = 0; i < g->s->attr.n; i++)
		weft_buf_printf(b, "\t__builtin_offsetof(struct %s, m_%s),\n", struct_of(g, &g->s->attr.at[i]),
		                g->s->attr.at[i].id.z);
	weft_buf_puts(b, "\t0\n};\n");
}

static void put_includes(struct gen *g)
{
	bool opaque = false;
	for (size_t i = 0; i < g->s->function.n && g->of == TUNE_WHOLE; i++)
		opaque |= g->s->code.at[g->s->function.at[i].code].opaque;
	for (size_t i = 0; opaque && i < g->s->include.n; i++) {
		struct weft_str rest = weft_str(g->s->include.at[i].z), part;
		while (weft_str_cut(&rest, ',', &part)) {
			part = weft_str_trim(part);
			if (part.n)
				weft_buf_printf(&g->out->text, "#include <%.*s>\n", (int)part.n, part.at);
		}
	}
	weft_buf_puts(&g->out->text, math_prototypes);
}

int tune_translate(struct weft_spec *s, enum tune_part_of of, struct tune_source *out)
{
	struct gen g = {.s = s, .out = out, .of = of};
	*out = (struct tune_source){0};
	if (weft_spec_count(s, WEFT_ERROR))
		return -EINVAL;
	if (setjmp(s->oom)) {
		tune_source_fini(out);
		return -ENOMEM;
	}
	weft_buf_printf(&out->text, "/* The tunlet '%s', translated by Weft. */\n", s->name.z);
	put_includes(&g);
	weft_buf_puts(&out->text, prelude);
	put_structs(&g);
	if (of == TUNE_WHOLE)
		put_functions(&g);
	put_codes(&g);
	if (!out->text.failed)
		return 0;
	tune_source_fini(out);
	return -ENOMEM;
}
