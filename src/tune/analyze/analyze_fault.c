/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults in what a specification computes: each place and kind is reported when it is met first,
 * and counted from then on; the report has a line for each, and names the tuning points that have
 * kept their first value, as nothing could be decided.
 */
#include "analyze_priv.h"
#include <errno.h>
#include <string.h>

static void put_place(const struct weft_spec *s, uint32_t code, char *out, size_t room)
{
	uint32_t line, col;
	out[0] = '\0';
	if (code == SPEC_NONE)
		return;
	spec_place(s, s->code.at[code].where.at, &line, &col);
	snprintf(out, room, " (%s:%u:%u)", s->file, line, col);
}

static struct analyze_fault *find(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	for (size_t i = 0; i < k->fault.n; i++)
		if (k->fault.at[i].code == w->what && k->fault.at[i].kind == w->fault)
			return &k->fault.at[i];
	return NULL;
}

void fault_result(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	struct analyze_fault *f = find(k, w), first = {w->what, w->fault, w->iteration, 1};
	char place[400], iteration[40] = "";
	k->faults++;
	if (f) {
		f->count++;
		return;
	}
	if (weft_vec_push(&k->fault, first))
		analyze_fail(k->a, -ENOMEM, NULL);
	put_place(k->s, w->what, place, sizeof place);
	if (w->iteration >= 0)
		snprintf(iteration, sizeof iteration, ", iteration %lld", (long long)w->iteration);
	show_line(k->a, true, "%s%s: %s%s", weft_spec_name(k->s), iteration, weft_fault_name[w->fault], place);
}

static bool was_applied(const struct analyze_tunlet *k, uint32_t point)
{
	for (size_t i = 0; i < k->a->action.n; i++)
		if (k->a->action.at[i].tunlet == k->index && k->a->action.at[i].point == point)
			return true;
	return false;
}

void fault_report(const struct analyze_tunlet *k, FILE *to)
{
	char place[400];
	for (size_t i = 0; i < k->fault.n; i++) {
		const struct analyze_fault *f = &k->fault.at[i];
		put_place(k->s, f->code, place, sizeof place);
		fprintf(to, "  %llu time%s: %s%s\n", (unsigned long long)f->count, f->count == 1 ? "" : "s",
		        weft_fault_name[f->kind], place);
	}
	for (uint32_t p = 0; k->fault.n && p < k->s->point.n; p++)
		if (!was_applied(k, p))
			fprintf(to, "  nothing was decided for '%s', which keeps the value that it began with\n",
			        k->s->point.at[p].id.z);
}
