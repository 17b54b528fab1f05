/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the declared properties (dependency, depinic, cum) with the derived ones. */
#include "derive.h"
#include "tune/lang/expr.h"
#include <string.h>

static bool names(const char *list, const char *z)
{
	struct weft_str rest = weft_str(list), part;
	while (weft_str_cut(&rest, ',', &part))
		if (weft_str_eq(weft_str_trim(part), z))
			return true;
	return false;
}

/*
 * The parameters that a value reads, without itself, as a list; the number of those that are not
 * declared.
 */
static unsigned list_reads(struct weft_spec *s, uint32_t owner, const struct spec_code *c, const struct word *declared,
                           struct weft_buf *all)
{
	unsigned missing = 0;
	for (uint32_t k = 0; k < s->attr.n; k++) {
		const struct spec_attr *a = &s->attr.at[k];
		if (k == owner || !bits_has(&c->reads, k) || !a->id.z)
			continue;
		if (a->scope != SCOPE_PARAMETER && !(c->role == ROLE_INIC && a->scope == SCOPE_ITERATION))
			continue;
		const char *path = spec_attr_path(s, k);
		weft_buf_printf(all, "%s%s", all->n ? ", " : "", path);
		missing += !declared->z || !(names(declared->z, path) || names(declared->z, a->id.z));
	}
	return missing;
}

static void check_declared(struct weft_spec *s, uint32_t i, const struct spec_code *c, const struct word *declared,
                           const char *what)
{
	struct weft_buf all = {0};
	const struct spec_attr *a = &s->attr.at[i];
	if (list_reads(s, i, c, declared, &all) && !c->broken)
		spec_say(s, WEFT_WARNING, what, declared->where, spec_printf(s, "%s: %s", what, all.at ? all.at : ""),
		         "'%s' depends on %s, but declares %s", a->id.z ? a->id.z : "?", all.at ? all.at : "",
		         declared->z && *declared->z ? declared->z : "nothing");
	weft_buf_fini(&all);
}

/* Data of an event is there when that event comes, and then only. */
static void check_events(struct weft_spec *s, const struct spec_attr *a, const struct spec_code *c)
{
	for (uint32_t e = 0; e < s->event.n; e++) {
		const char *id = s->event.at[e].id.z;
		if (!bits_has(&c->events, e))
			continue;
		if (a->scope == SCOPE_PARAMETER)
			spec_say(s, WEFT_ERROR, "event-data", c->where, "keep it in an attribute of the iteration",
			         "the value of parameter '%s' uses data of event '%s', which is gone when parameters are computed",
			         a->id.z, id);
		else if (!bits_has(&a->triggers, e))
			spec_say(s, WEFT_ERROR, "event-data", a->dependency.where, spec_printf(s, "dependency: %s", id),
			         "the value of '%s' uses data of event '%s', but is not computed on it", a->id.z, id);
	}
}

static void check_cum(struct weft_spec *s, uint32_t i)
{
	const struct spec_attr *a = &s->attr.at[i];
	const struct spec_plan *p = &s->plan[i];
	if (!a->cum.z)
		return;
	if (a->is_cum && p->reduce == REDUCE_NONE)
		spec_say(s, WEFT_WARNING, "cum", a->cum.where, "cum: false",
		         "'%s' is declared cumulative, but is no sum, product, minimum, maximum or count",
		         a->id.z ? a->id.z : "?");
	else if (!a->is_cum && p->reduce != REDUCE_NONE)
		spec_say(s, WEFT_NOTE, "cum", a->cum.where, "cum: true", "'%s' is a %s", a->id.z ? a->id.z : "?",
		         derive_reduction_name[p->reduce]);
}

/* -- parameters that nobody reads -- */

static bool is_read(const struct weft_spec *s, uint32_t i)
{
	for (size_t k = 0; k < s->code.n; k++) {
		const struct spec_code *c = &s->code.at[k];
		bool own = (c->role == ROLE_VALUE || c->role == ROLE_INIC) && c->owner == i;
		if (!own && bits_has(&c->reads, i))
			return true;
	}
	for (size_t k = 0; k < s->point.n; k++)
		for (size_t r = 0; r < s->point.at[k].ref.n; r++)
			if (s->point.at[k].ref.at[r].id.z && strcmp(s->point.at[k].ref.at[r].id.z, s->attr.at[i].id.z) == 0)
				return true;
	return false;
}

static bool sets_another(const struct weft_spec *s, uint32_t i)
{
	for (uint32_t k = 0; s->attr.at[i].value != SPEC_NONE && k < s->attr.n; k++)
		if (k != i && bits_has(&s->code.at[s->attr.at[i].value].writes, k))
			return true;
	return false;
}

/* A tunlet that tunes nothing reports its parameters: then all are used. */
static void check_unused(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->attr.n && s->point.n; i++)
		if (s->attr.at[i].scope == SCOPE_PARAMETER && !is_read(s, i) && !sets_another(s, i))
			spec_say(s, WEFT_WARNING, "unused", s->attr.at[i].id.where, NULL, "'%s' is computed, but used nowhere",
			         s->attr.at[i].id.z ? s->attr.at[i].id.z : "?");
}

/* -- two values of one event, of which one reads what the other sets -- */

static void check_snapshots(struct weft_spec *s)
{
	for (uint32_t e = 0; e < s->event.n; e++) {
		uint32_t *order, n_first;
		derive_event_order(s, e, &order, &n_first);
		for (uint32_t i = 0; i < n_first; i++)
			for (uint32_t k = 0; k < n_first; k++) {
				uint32_t reader = order[i], writer = order[k];
				if (reader <= writer || s->attr.at[reader].value == SPEC_NONE ||
				    !bits_has(&s->code.at[s->attr.at[reader].value].reads, writer))
					continue;
				spec_say(s, WEFT_WARNING, "snapshot", s->attr.at[reader].id.where,
				         spec_printf(s, "declare it before '%s', or to depend on it",
				                     s->attr.at[writer].id.z ? s->attr.at[writer].id.z : "?"),
				         "'%s' reads '%s', which the same event changes: it sees the value before the event",
				         spec_attr_path(s, reader), spec_attr_path(s, writer));
			}
	}
}

void derive_check(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->attr.n; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		if (a->inic != SPEC_NONE)
			check_declared(s, i, &s->code.at[a->inic], &a->depinic, "depinic");
		if (a->value == SPEC_NONE)
			continue;
		const struct spec_code *c = &s->code.at[a->value];
		check_events(s, a, c);
		check_cum(s, i);
		if (a->scope == SCOPE_PARAMETER)
			check_declared(s, i, c, &a->dependency, "dependency");
	}
	check_unused(s);
	check_snapshots(s);
}
