/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The intermediate form of the thesis (4.6): the specification as XML, with what was solved on the
 * way: types and indices of entities, the events that compute a value, the order of evaluation, and
 * what collectors do. Element names are the labels of the language.
 */
#include "gen.h"
#include "tune/derive/derive.h"
#include "tune/lang/expr.h"
#include <errno.h>
#include <string.h>

static void put_escaped(struct weft_buf *b, const char *z, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = z[i];
		const char *e = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
		if (e)
			weft_buf_puts(b, e);
		else
			weft_buf_putc(b, (unsigned char)c < 32 && c != '\n' && c != '\t' ? ' ' : c);
	}
}

static void element(struct weft_buf *b, int depth, const char *name, const char *z)
{
	if (!z)
		return;
	weft_buf_printf(b, "%*s<%s>", depth * 2, "", name);
	put_escaped(b, z, strlen(z));
	weft_buf_printf(b, "</%s>\n", name);
}

static void code_element(struct weft_buf *b, const struct weft_spec *s, int depth, const char *name, uint32_t code)
{
	if (code == SPEC_NONE)
		return;
	const struct spec_code *c = &s->code.at[code];
	weft_buf_printf(b, "%*s<%s>", depth * 2, "", name);
	put_escaped(b, s->text + c->where.at, c->where.n);
	weft_buf_printf(b, "</%s>\n", name);
}

static void put_events_of(struct weft_buf *b, const struct weft_spec *s, const struct bits *events)
{
	for (uint32_t e = 0; e < s->event.n; e++)
		if (bits_has(events, e))
			element(b, 3, "on", s->event.at[e].id.z);
}

static void put_attr(struct weft_buf *b, struct weft_spec *s, uint32_t i)
{
	const struct spec_attr *a = &s->attr.at[i];
	const struct spec_plan *p = &s->plan[i];
	weft_buf_printf(b, "    <attribute number=\"%u\"", i);
	if (a->len)
		weft_buf_printf(b, " length=\"%u\"", a->len);
	weft_buf_printf(b, " phase=\"%s\" place=\"%s\"", a->on_event ? "event" : "evaluation",
	                p->at_collector ? "collector"
	                : p->split      ? "both"
	                                : "analyzer");
	if (p->reduce != REDUCE_NONE)
		weft_buf_printf(b, " reduction=\"%s\"", derive_reduction_name[p->reduce]);
	weft_buf_puts(b, ">\n");
	element(b, 3, "id", a->id.z);
	element(b, 3, "comment", a->comment.z);
	element(b, 3, "type", a->type.z);
	code_element(b, s, 3, "inic", a->inic);
	element(b, 3, "depinic", a->depinic.z);
	code_element(b, s, 3, "value", a->value);
	element(b, 3, "metric", a->metric.z);
	element(b, 3, "cum", a->cum.z);
	element(b, 3, "dependency", a->dependency.z);
	if (a->on_event)
		put_events_of(b, s, &a->triggers);
	weft_buf_puts(b, "    </attribute>\n");
}

static void put_attrs(struct weft_buf *b, struct weft_spec *s, const char *name, enum spec_scope scope, uint32_t actor)
{
	weft_buf_printf(b, "  <%s>\n", name);
	for (uint32_t i = 0; i < s->attr.n; i++)
		if (s->attr.at[i].scope == scope && (scope != SCOPE_ACTOR || s->attr.at[i].actor == actor))
			put_attr(b, s, i);
	weft_buf_printf(b, "  </%s>\n", name);
}

static void put_measure(struct weft_buf *b, const struct weft_spec *s)
{
	weft_buf_puts(b, "  <variables>\n");
	for (size_t i = 0; i < s->variable.n; i++) {
		const struct spec_variable *v = &s->variable.at[i];
		weft_buf_puts(b, "    <variable>\n");
		element(b, 3, "id", v->id.z);
		if (v->path.z)
			element(b, 3, "path", v->path.z);
		element(b, 3, "comment", v->comment.z);
		element(b, 3, "source", v->source.z);
		element(b, 3, "type", v->type.z);
		element(b, 3, "actorId", v->actor.z);
		weft_buf_puts(b, "    </variable>\n");
	}
	weft_buf_puts(b, "  </variables>\n  <events>\n");
	for (size_t i = 0; i < s->event.n; i++) {
		const struct spec_event *e = &s->event.at[i];
		weft_buf_printf(b, "    <event number=\"%zu\">\n", i);
		element(b, 3, "id", e->id.z);
		element(b, 3, "actorId", e->actor.z);
		element(b, 3, "controliter", e->controliter.z);
		element(b, 3, "utility", e->utility.z);
		element(b, 3, "method", e->method.z);
		element(b, 3, "class", e->class.z);
		element(b, 3, "place", e->place.z);
		for (size_t k = 0; k < e->ref.n; k++)
			element(b, 3, "attr", e->ref.at[k].id.z);
		weft_buf_puts(b, "    </event>\n");
	}
	weft_buf_puts(b, "  </events>\n");
}

static void put_actors(struct weft_buf *b, struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->actor.n; i++) {
		const struct spec_actor *a = &s->actor.at[i];
		weft_buf_printf(b, "  <actor number=\"%u\">\n", i);
		element(b, 2, "id", a->id.z);
		element(b, 2, "min", a->min.z);
		element(b, 2, "max", a->max.z);
		code_element(b, s, 2, "completion", a->complete);
		element(b, 2, "class", a->class.z);
		element(b, 2, "exe", a->exe.z);
		element(b, 2, "rank", a->rank.z);
		element(b, 2, "host", a->host.z);
		element(b, 2, "enters", a->enters.z);
		put_attrs(b, s, "attributes", SCOPE_ACTOR, i);
		weft_buf_puts(b, "  </actor>\n");
	}
}

static void put_tuning(struct weft_buf *b, const struct weft_spec *s)
{
	weft_buf_puts(b, "  <functions>\n");
	for (size_t i = 0; i < s->function.n; i++) {
		weft_buf_puts(b, "    <function>\n");
		element(b, 3, "id", s->function.at[i].id.z);
		code_element(b, s, 3, "def", s->function.at[i].code);
		weft_buf_puts(b, "    </function>\n");
	}
	weft_buf_puts(b, "  </functions>\n  <points>\n");
	for (size_t i = 0; i < s->point.n; i++) {
		const struct spec_point *p = &s->point.at[i];
		weft_buf_puts(b, "    <point>\n");
		element(b, 3, "id", p->id.z);
		code_element(b, s, 3, "value", p->value);
		element(b, 3, "kind", spec_kind_name[p->k]);
		element(b, 3, "syncfunction", p->sync.z);
		element(b, 3, "syncplace", p->syncplace.z);
		code_element(b, s, 3, "cond", p->cond);
		element(b, 3, "idx", p->idx.z);
		element(b, 3, "req", p->req.z);
		element(b, 3, "place", p->place.z);
		element(b, 3, "resource", p->resource.z);
		element(b, 3, "sense", p->sense.z);
		element(b, 3, "class", p->class.z);
		element(b, 3, "actorId", p->actor.z);
		for (size_t k = 0; k < p->ref.n; k++)
			element(b, 3, "attr", p->ref.at[k].id.z);
		weft_buf_puts(b, "    </point>\n");
	}
	weft_buf_puts(b, "  </points>\n");
}

int weft_spec_xml(const struct weft_spec *borrowed, struct weft_buf *out)
{
	/* Texts are made on the way, in the arena. */
	struct weft_spec *s = (struct weft_spec *)(uintptr_t)borrowed;
	if (setjmp(s->oom))
		return -ENOMEM;
	weft_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tunlet>\n");
	element(out, 1, "id", weft_spec_name(s));
	element(out, 1, "comment", s->comment.z);
	element(out, 1, "priority", s->priority.z);
	element(out, 1, "hold", s->hold.z);
	element(out, 1, "lost", s->lost.z);
	element(out, 1, "weight", s->weight.z);
	code_element(out, s, 1, "objective", s->objective);
	for (size_t i = 0; i < s->include.n; i++)
		element(out, 1, "include", s->include.at[i].z);
	put_measure(out, s);
	put_actors(out, s);
	put_attrs(out, s, "iteration", SCOPE_ITERATION, 0);
	put_attrs(out, s, "parameters", SCOPE_PARAMETER, 0);
	weft_buf_puts(out, "  <order>\n");
	for (size_t i = 0; i < s->order.n; i++)
		element(out, 2, "value", spec_attr_path(s, s->order.at[i]));
	weft_buf_puts(out, "  </order>\n");
	put_tuning(out, s);
	weft_buf_puts(out, "</tunlet>\n");
	return out->failed ? -ENOMEM : 0;
}
