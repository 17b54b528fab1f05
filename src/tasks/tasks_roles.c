/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks_roles.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum weft_class of;
	enum tasks_role role;
	const char *name;
} known[] = {
#define TASKS_ROW(class, role, name) {WEFT_CLASS_##class, TASKS_##role, name},
	TASKS_ROLES(TASKS_ROW)
#undef TASKS_ROW
};

static const enum weft_class classes[] = {WEFT_CLASS_FLOW, WEFT_CLASS_TYPE, WEFT_CLASS_COUNTER, WEFT_CLASS_REGION,
                                          WEFT_CLASS_ATTR};

static bool is_of_runtime(const struct weft_trace *t, const struct weft_def_row *row)
{
	const struct weft_def_table *c = &t->def[WEFT_CLASS_CATEGORY];
	const char *name = row->category < c->n ? c->at[row->category].name : "";
	return !strcmp(name, "starpu") || !strcmp(name, "starpu_detail") || !strcmp(name, "starpu_meta");
}

static enum tasks_role role_of(const struct weft_trace *t, enum weft_class of, const struct weft_def_row *row)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].of == of && !strcmp(known[i].name, row->name))
			return is_of_runtime(t, row) ? known[i].role : TASKS_NONE;
	return of == WEFT_CLASS_ATTR && is_of_runtime(t, row) ? TASKS_A_COUNTED : TASKS_NONE;
}

int tasks_roles_init(struct tasks_roles *r, const struct weft_trace *t)
{
	*r = (struct tasks_roles){0};
	for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
		const struct weft_def_table *d = &t->def[classes[c]];
		uint8_t *by = calloc(d->n + 1u, 1);
		r->by[classes[c]] = by;
		if (!by) {
			tasks_roles_fini(r);
			return -ENOMEM;
		}
		for (uint32_t i = 1; i < d->n; i++)
			by[i] = (uint8_t)role_of(t, classes[c], &d->at[i]);
	}
	return 0;
}

void tasks_roles_fini(struct tasks_roles *r)
{
	for (size_t c = 0; c < WEFT_CLASSES; c++)
		free(r->by[c]);
	*r = (struct tasks_roles){0};
}
