/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions that are split (derive_place.c), as C:
 *
 *     w_part_K    of one instance: its share of partial result K, and whether it counts
 *     w_split_I   the value of attribute I, with one step in the place of its loop: what is the same for all instances times the
 *                 partial result. When the loop does not go over all instances, it gives up: FAULT_SPLIT.
 */
#include "gen_priv.h"

static const char *field(bool whole)
{
	return whole ? "i" : "d";
}

/* The product of a term's local factors; 1 where there is none. */
static void put_local(struct gen *g, const struct spec_term *t)
{
	bool any = false;
	for (uint32_t k = 0; k < t->n; k++) {
		if (!t->factor[k].local)
			continue;
		weft_buf_puts(&g->out->text, any ? " * (" : t->whole ? "(" : "(double)(");
		gen_expr(g, t->factor[k].e);
		weft_buf_puts(&g->out->text, ")");
		any = true;
	}
	if (!any)
		weft_buf_puts(&g->out->text, "1");
}

void gen_parts(struct gen *g)
{
	struct weft_buf *b = &g->out->text;
	for (size_t i = 0; i < g->s->attr.n; i++) {
		const struct spec_plan *p = &g->s->plan[i];
		for (uint32_t k = 0; p->split && k < p->partials; k++) {
			g->counter = p->counter;
			weft_buf_printf(b, "static int w_part_%u(void)\n{\n", p->part + k);
			if (p->cond) {
				weft_buf_puts(b, "if (!(");
				gen_expr(g, p->cond);
				weft_buf_puts(b, ")) return 0;\n");
			}
			weft_buf_printf(b, "w_g.result.%s = ", field(p->term[k].whole));
			put_local(g, &p->term[k]);
			weft_buf_puts(b, ";\nreturn 1;\n}\n");
			g->counter = NULL;
		}
	}
	weft_buf_puts(b, "int (*const w_parts[])(void) = {\n");
	for (uint32_t k = 0; k < g->s->n_parts; k++)
		weft_buf_printf(b, "\tw_part_%u,\n", k);
	weft_buf_puts(b, "\t0\n};\n");
}

/* One term: sign, what is the same for all, the partial result. */
static void put_term(struct gen *g, const struct spec_plan *p, uint32_t k)
{
	const struct spec_term *t = &p->term[k];
	struct weft_buf *b = &g->out->text;
	weft_buf_printf(b, " %c w_g.part[%u].%s", t->minus ? '-' : '+', p->part + k, field(t->whole));
	for (uint32_t f = 0; f < t->n; f++) {
		if (t->factor[f].local)
			continue;
		weft_buf_puts(b, t->factor[f].divides ? " / (double)(" : " * (");
		gen_expr(g, t->factor[f].e);
		weft_buf_puts(b, ")");
	}
}

static void put_step(struct gen *g, const struct spec_plan *p)
{
	struct weft_buf *b = &g->out->text;
	enum spec_type t = p->target->type;
	bool real = type_is_real(t);
	const char *kind = real ? "double" : "long long", *whole = !real && !p->term[0].whole ? "w_whole" : "";
	weft_buf_printf(b, "if (w_g.part[%u].n > 0) { %s *w_t = &", p->part, spec_type_name[t]);
	gen_place(g, p->target);
	if (p->reduce == REDUCE_SUM) {
		weft_buf_printf(b, "; %s w_n = 0", kind);
		for (uint32_t k = 0; k < p->partials; k++)
			put_term(g, p, k);
		weft_buf_printf(b, "; *w_t = %s(*w_t + w_n); }\n", gen_store(t));
		return;
	}
	weft_buf_printf(b, "; %s w_n = w_g.part[%u].%s; ", p->term[0].whole ? "long long" : "double", p->part,
	                field(p->term[0].whole));
	const char *f = p->reduce == REDUCE_MAX ? "fmax" : "fmin";
	if (p->reduce == REDUCE_PRODUCT)
		weft_buf_printf(b, "*w_t = %s(%s(*w_t * w_n)); }\n", gen_store(t), whole);
	else if (p->called)
		weft_buf_printf(b, "*w_t = %s(%s(%s(*w_t, w_n))); }\n", gen_store(t), real ? "" : "w_whole", f);
	else
		weft_buf_printf(b, "if (w_n %c *w_t) *w_t = %s(w_n); }\n", p->reduce == REDUCE_MAX ? '>' : '<', gen_store(t));
}

void gen_splits(struct gen *g)
{
	struct weft_buf *b = &g->out->text;
	for (size_t i = 0; i < g->s->attr.n; i++) {
		const struct spec_plan *p = &g->s->plan[i];
		if (!p->split)
			continue;
		weft_buf_printf(b, "static void w_split_%zu(void)\n{\n", i);
		for (const struct expr *st = g->s->code.at[g->s->attr.at[i].value].body; st; st = st->next) {
			struct expr alone = *st;
			alone.next = NULL;
			if (st != p->loop) {
				gen_statements(g, &alone);
				continue;
			}
			weft_buf_puts(b, "if ((");
			gen_expr(g, p->bound);
			weft_buf_printf(b, ") != w_g.host->count(%u)) w_g.host->fault(%d);\n", p->over, FAULT_SPLIT);
			put_step(g, p);
		}
		weft_buf_puts(b, "}\n");
	}
}
