/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft tunlet explain`: for each value when it is computed, where, how, and what travels for it.
 */
#include "derive.h"
#include "tune/lang/expr.h"
#include "base/json.h"
#include <stdlib.h>
#include <string.h>

struct row {
	const char *name, *when, *where, *how, *travels;
};

static const char *event_list(struct weft_spec *s, const struct bits *b)
{
	struct weft_buf all = {0};
	for (uint32_t e = 0; e < s->event.n; e++)
		if (bits_has(b, e))
			weft_buf_printf(&all, "%s%s", all.n ? ", " : "", s->event.at[e].id.z ? s->event.at[e].id.z : "?");
	const char *z = spec_printf(s, "%s", all.at ? all.at : "no event");
	weft_buf_fini(&all);
	return z;
}

static const char *actor_name(const struct weft_spec *s, uint32_t actor)
{
	return actor < s->actor.n && s->actor.at[actor].id.z ? s->actor.at[actor].id.z : "?";
}

static const char *how_of(struct weft_spec *s, const struct spec_attr *a, const struct spec_plan *p)
{
	if (a->metric.z)
		return "by the analysis engine";
	if (a->value == SPEC_NONE)
		return a->implied_event != SPEC_NONE ? "taken from the event" : "";
	if (!s->code.at[a->value].body)
		return "set elsewhere";
	if (p->reduce == REDUCE_NONE)
		return a->on_event ? "assigned" : "computed";
	if (p->over == SPEC_NONE)
		return spec_printf(s, "%s, event by event", derive_reduction_name[p->reduce]);
	return spec_printf(s, "%s over %s%s", derive_reduction_name[p->reduce], actor_name(s, p->over),
	                   p->split ? ", from partial results" : "");
}

static const char *travels_of(struct weft_spec *s, const struct spec_attr *a, const struct spec_plan *p)
{
	if (a->metric.z)
		return "all events";
	if (p->at_collector)
		return p->travels ? spec_printf(s, "one value of each %s", actor_name(s, a->actor)) : "nothing: used there only";
	if (p->split)
		return spec_printf(s, "%u partial %s%s of each collector", p->partials, derive_reduction_name[p->reduce],
		                   p->partials == 1 ? "" : "s");
	if (a->on_event)
		return spec_printf(s, "the events %s", event_list(s, &a->triggers));
	return "nothing more";
}

static struct row row_of(struct weft_spec *s, uint32_t i)
{
	const struct spec_attr *a = &s->attr.at[i];
	const struct spec_plan *p = &s->plan[i];
	bool computed = a->implied_event != SPEC_NONE || a->metric.z || (a->value != SPEC_NONE && s->code.at[a->value].body);
	struct row r = {.name = spec_attr_path(s, i), .how = how_of(s, a, p)};
	r.when = !computed ? "" : a->on_event ? spec_printf(s, "on %s", event_list(s, &a->triggers)) : "at evaluation";
	r.where = !computed         ? ""
	          : p->at_collector ? spec_printf(s, "collectors of %s", actor_name(s, a->actor))
	          : p->split        ? spec_printf(s, "collectors of %s, analyzer", actor_name(s, p->over))
	                            : "analyzer";
	r.travels = computed ? travels_of(s, a, p) : "";
	return r;
}

/* Values of events in the order of the text, then those of the evaluation in theirs. */
static uint32_t in_order(const struct weft_spec *s, uint32_t *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->attr.n; i++) {
		bool later = false;
		for (size_t k = 0; k < s->order.n; k++)
			later |= s->order.at[k] == i;
		if (!later)
			out[n++] = i;
	}
	for (size_t k = 0; k < s->order.n; k++)
		out[n++] = s->order.at[k];
	return n;
}

static void print_rows(const struct row *row, uint32_t n, FILE *to)
{
	struct row head = {"value", "when", "where", "how", "what travels"};
	int width[4] = {5, 4, 5, 3};
	for (uint32_t i = 0; i < n; i++) {
		const char *cell[] = {row[i].name, row[i].when, row[i].where, row[i].how};
		for (int k = 0; k < 4; k++)
			width[k] = (int)strlen(cell[k]) > width[k] ? (int)strlen(cell[k]) : width[k];
	}
	for (uint32_t i = 0; i <= n; i++) {
		const struct row *r = i ? &row[i - 1] : &head;
		char line[1200];
		int len = snprintf(line, sizeof line, "%-*s  %-*s  %-*s  %-*s  %s", width[0], r->name, width[1], r->when,
		                   width[2], r->where, width[3], r->how, r->travels);
		len = len < (int)sizeof line ? len : (int)sizeof line - 1;
		while (len > 0 && line[len - 1] == ' ')
			len--;
		fprintf(to, "%.*s\n", len, line);
	}
}

/* Explains the collectors' work on an actor's events and instances. */
static void print_collectors(struct weft_spec *s, FILE *to)
{
	bool any = false;
	for (uint32_t a = 0; a < s->actor.n; a++) {
		struct bits stay = spec_bits(s, s->event.n), pass = spec_bits(s, s->event.n);
		for (uint32_t e = 0; e < s->event.n; e++)
			if (s->event.at[e].actor_id == a && s->event.at[e].folds)
				bits_set(s->event.at[e].passes ? &pass : &stay, e);
		if (!s->actor.at[a].folds)
			continue;
		fprintf(to, "%scollectors of %s: ", any ? "" : "\n", actor_name(s, a));
		if (bits_any(&stay))
			fprintf(to, "%s end%s there; ", event_list(s, &stay), strchr(event_list(s, &stay), ',') ? "" : "s");
		if (bits_any(&pass))
			fprintf(to, "%s also travel%s; ", event_list(s, &pass), strchr(event_list(s, &pass), ',') ? "" : "s");
		fprintf(to, "instances are %s; %s which are complete\n", s->actor.at[a].ids ? "named" : "only counted",
		        s->actor.at[a].complete_there ? "they know" : "the analyzer finds out");
		any = true;
	}
}

static void print_points(struct weft_spec *s, FILE *to)
{
	for (size_t i = 0; i < s->point.n; i++) {
		const struct spec_point *p = &s->point.at[i];
		fprintf(to, "%s%s: %s%s%s", i ? "" : "\n", p->id.z ? p->id.z : "?", spec_kind_name[p->k],
		        p->value != SPEC_NONE ? " to " : "",
		        p->value != SPEC_NONE ? expr_text(s, s->code.at[p->value].where) : "");
		if (p->cond != SPEC_NONE)
			fprintf(to, ", when %s", expr_text(s, s->code.at[p->cond].where));
		if (p->sync.z && strcmp(p->sync.z, "0") != 0)
			fprintf(to, ", at the %s of %s", p->syncplace.z ? p->syncplace.z : "entry", p->sync.z);
		fputc('\n', to);
	}
}

/*
 * Texts are made on the way, in the arena: the specification is ours to extend, but not to change.
 */
static struct weft_spec *own(const struct weft_spec *s)
{
	return (struct weft_spec *)(uintptr_t)s;
}

void weft_spec_explain(const struct weft_spec *borrowed, FILE *to)
{
	struct weft_spec *s = own(borrowed);
	if (setjmp(s->oom))
		return;
	uint32_t *order = spec_alloc(s, s->attr.n * sizeof *order), n = in_order(s, order);
	struct row *row = spec_alloc(s, n * sizeof *row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = row_of(s, order[i]);
	print_rows(row, n, to);
	print_collectors(s, to);
	print_points(s, to);
}

void weft_spec_explain_json(const struct weft_spec *borrowed, FILE *to)
{
	struct weft_spec *s = own(borrowed);
	struct weft_json j;
	if (setjmp(s->oom))
		return;
	uint32_t *order = spec_alloc(s, s->attr.n * sizeof *order), n = in_order(s, order);
	weft_json_init(&j, to, true);
	weft_json_array(&j);
	for (uint32_t i = 0; i < n; i++) {
		struct row r = row_of(s, order[i]);
		const struct spec_plan *p = &s->plan[order[i]];
		const char *const key[] = {"value", "when", "where", "how", "travels"};
		const char *const cell[] = {r.name, r.when, r.where, r.how, r.travels};
		weft_json_object(&j);
		for (int k = 0; k < 5; k++) {
			weft_json_key(&j, key[k]);
			weft_json_string(&j, cell[k]);
		}
		weft_json_key(&j, "reduction");
		weft_json_string(&j, derive_reduction_name[p->reduce]);
		weft_json_key(&j, "partials");
		weft_json_u64(&j, p->partials);
		weft_json_end(&j);
	}
	weft_json_end(&j);
}

/* -- the template of `weft tunlet new` -- */

static const char spec_template[] = "MEASURE POINTS\n"
				    "VARIABLES AND VALUES\n"
				    "  variable\n"
				    "    id: iteration\n"
				    "    comment: /* a variable of the program, and the actor that has it */\n"
				    "    source: asVarValue\n"
				    "    type: int\n"
				    "    actorId: process\n"
				    "  endvariable\n"
				    "EVENTS\n"
				    "  event\n"
				    "    id: IterationStarts\n"
				    "    actorId: process\n"
				    "    controliter: begin\n"
				    "    utility: always\n"
				    "    method: step\n"
				    "    class: none\n"
				    "    place: entry\n"
				    "  ATTRS\n"
				    "    id: iteration\n"
				    "  endevent\n"
				    "  event\n"
				    "    id: IterationFinishes\n"
				    "    actorId: process\n"
				    "    controliter: end\n"
				    "    utility: always\n"
				    "    method: step\n"
				    "    class: none\n"
				    "    place: exit\n"
				    "  ATTRS\n"
				    "    id: iteration\n"
				    "  endevent\n"
				    "ACTORS\n"
				    "  actor\n"
				    "    id: process\n"
				    "    min: 1\n"
				    "    max: 1\n"
				    "    completion: /# comp == 1 #/\n"
				    "    class: none\n"
				    "    exe: ./program\n"
				    "  ATTRS\n"
				    "    id: comp\n"
				    "    comment: /* 1 when the iteration is finished */\n"
				    "    type: int\n"
				    "    inic: /# comp = 0; #/\n"
				    "    depinic: none\n"
				    "    value: /# process[0].comp = 1; #/\n"
				    "    cum: false\n"
				    "    dependency: IterationFinishes\n"
				    "  endactor\n"
				    "ITERATION INFORMATION\n"
				    "  id: begin\n"
				    "  comment: /* when it began */\n"
				    "  type: double\n"
				    "  inic: /# begin = 0.0; #/\n"
				    "  depinic: none\n"
				    "  value: /# iter.begin = IterationStarts.timestamp; #/\n"
				    "  cum: false\n"
				    "  dependency: IterationStarts\n"
				    "  id: end\n"
				    "  comment: /* when it ended */\n"
				    "  type: double\n"
				    "  inic: /# end = 0.0; #/\n"
				    "  depinic: none\n"
				    "  value: /# iter.end = IterationFinishes.timestamp; #/\n"
				    "  cum: false\n"
				    "  dependency: IterationFinishes\n"
				    "MODEL PARAMETERS\n"
				    "  id: T\n"
				    "  comment: /* time of an iteration */\n"
				    "  type: double\n"
				    "  inic: /# T = 0.0; #/\n"
				    "  depinic: none\n"
				    "  value: /# T = iter.end - iter.begin; #/\n"
				    "  cum: false\n"
				    "  dependency: none\n"
				    "PERFORMANCE FUNCTIONS\n"
				    "TUNING POINTS\n"
				    "ENDTUNLET\n";

void weft_spec_template(const char *name, FILE *to)
{
	fprintf(to, "TUNLET\nname: %s\ncomment: /* what problem this tunlet is about */\ninclude: math.h\nunit: ms\n", name);
	fputs(spec_template, to);
}
