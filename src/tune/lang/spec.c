/* SPDX-License-Identifier: Apache-2.0 */
/* A specification in memory: what it has, and its end. */
#include "spec_model.h"
#include <stdlib.h>
#include <string.h>

void weft_spec_free(struct weft_spec *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->event.n; i++)
		free(s->event.at[i].ref.at);
	for (size_t i = 0; i < s->point.n; i++)
		free(s->point.at[i].ref.at);
	void *lists[] = {s->include.at,  s->variable.at, s->event.at, s->actor.at, s->attr.at,
	                 s->function.at, s->point.at,    s->code.at,  s->diag.at,  s->order.at};
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		free(lists[i]);
	weft_arena_fini(&s->arena);
	free(s);
}

const char *weft_spec_name(const struct weft_spec *s)
{
	return s->name.z ? s->name.z : "";
}

const char *weft_spec_actor(const struct weft_spec *s, unsigned i)
{
	return i < s->actor.n ? s->actor.at[i].id.z : NULL;
}

bool weft_spec_emits(const struct weft_spec *s)
{
	for (size_t i = 0; i < s->event.n; i++)
		if (s->event.at[i].class.z && strcmp(s->event.at[i].class.z, "libweft") == 0)
			return true;
	return false;
}

bool weft_spec_has_metrics(const struct weft_spec *s)
{
	for (size_t i = 0; i < s->attr.n; i++)
		if (s->attr.at[i].metric.z)
			return true;
	return false;
}
