/* SPDX-License-Identifier: Apache-2.0 */
/* The names of software counters: a counter is called as what it counts, in the order of their numbers. */
#include "tool_counters.h"
#include <errno.h>
#include <stdlib.h>

struct labels {
	struct counters *c;
	const struct pcf *p;
	WEFT_VEC(struct tool_label_type) type;
	struct weft_map there; /* numbers that have a name */
};

static int name_type(struct labels *l, struct tool_label_type t)
{
	uint64_t seen;
	if (!t.label)
		return -ENOMEM;
	if (weft_map_get(&l->there, t.type, &seen))
		return 0;
	int rc = weft_map_put(&l->there, t.type, 1);
	return rc ? rc : weft_vec_push(&l->type, t);
}

static int name_counter(struct labels *l, uint64_t number, const char *of)
{
	return name_type(l, (struct tool_label_type){.type = number, .label = weft_arena_printf(&l->c->arena, "%s_counter", of)});
}

static uint64_t number_of(uint64_t type, int64_t value)
{
	return (uint32_t)((type / 10000 + type % 10000 + 10000) * 1000 + (uint64_t)value);
}

/* Each value that has a name; then each that has none and was counted. */
static int name_values(struct labels *l, const struct pcf_type *t)
{
	const struct pcf_group *g = &l->p->group.at[t->group];
	int rc = 0;
	for (size_t i = 0; i < g->value.n && !rc; i++)
		if (g->value.at[i].value && tool_types_have(&l->c->how->count, t->number, g->value.at[i].value, NULL))
			rc = name_counter(l, number_of(t->number, g->value.at[i].value), g->value.at[i].text);
	for (size_t i = 0; i < l->c->counter.n && !rc; i++) {
		const struct counter *k = l->c->counter.at[i];
		char text[40];
		if (k->accumulate || k->type != t->number)
			continue;
		snprintf(text, sizeof text, "value %lld", (long long)k->value);
		rc = name_counter(l, k->emitted, text);
	}
	return rc;
}

static int name_one(struct labels *l, const struct pcf_type *t)
{
	const struct weft_tool_counters *how = l->c->how;
	const struct pcf_group *g = &l->p->group.at[t->group];
	int rc = 0;
	if (tool_types_name(&how->keep, t->number))
		rc = name_type(l, (struct tool_label_type){t->number, t->label, g->value.at, g->value.n, g->precision});
	if (!rc && tool_types_name(&how->accumulate, t->number))
		rc = name_type(l, (struct tool_label_type){.type = t->number, .label = t->label, .precision = g->precision});
	if (!rc && tool_types_name(&how->count, t->number))
		rc = how->global ? name_counter(l, t->number / 10000 + 20000 + t->number % 10000, t->label) : name_values(l, t);
	return rc;
}

static int type_order(const void *a, const void *b)
{
	const struct tool_label_type *x = a, *y = b;
	return x->type < y->type ? -1 : x->type > y->type;
}

int tool_counters_labels(struct counters *c, const char *in, const char *out, struct weft_err *err)
{
	struct pcf p;
	struct labels l = {.c = c, .p = &p};
	struct weft_buf text = {0};
	char *path = weft_tool_beside(out, ".pcf");
	int rc = tool_pcf_read(&p, in, err);
	for (size_t i = 0; i < p.type.n && !rc; i++)
		rc = name_one(&l, &p.type.at[i]);
	if (l.type.n)
		qsort(l.type.at, l.type.n, sizeof *l.type.at, type_order);
	if (!rc && path)
		tool_labels_write(&p, l.type.at, l.type.n, &text);
	if (!rc && (!path || text.failed))
		rc = -ENOMEM;
	if (!rc)
		rc = tool_output_whole(path, &text, err);
	if (rc)
		weft_err_set(err, rc, "cannot write the labels of '%s': %s", out, weft_err_name(rc));
	weft_buf_fini(&text);
	free(path);
	free(l.type.at);
	weft_map_fini(&l.there);
	pcf_fini(&p);
	return rc;
}
