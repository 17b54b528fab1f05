/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of paje.trace. Names of kinds of tasks are defined where they come first: a kind is a name, and a colour where tasks say one. */
#include "prod_walk.h"
#include <stdio.h>
#include <stdlib.h>

void paje_begin(struct export_out *o, const char *code, uint64_t time)
{
	export_text(o, code);
	export_char(o, '\t');
	put_ms9(o, time);
	export_char(o, '\t');
}

void paje_state(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const char *alias)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	paje_begin(o, "10", time);
	export_text(o, l->alias);
	PUT(o, "\tWS\t\"");
	export_text(o, alias);
	PUT(o, "\"\n");
}

void paje_set(struct prod_walk *w, uint64_t time, const char *prefix, const char *container, int number, const char *type,
              double value)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	paje_begin(o, "13", time);
	export_text(o, prefix);
	export_text(o, container);
	if (number >= 0)
		export_u64(o, (uint64_t)number);
	export_char(o, '\t');
	export_text(o, type);
	export_char(o, '\t');
	put_fixed6(o, value);
	export_char(o, '\n');
}

/* ---- kinds of tasks ---- */

/* A wheel of hues in two strengths, by the name alone: the same name has the same colour in every trace. */
static uint32_t color_of_name(struct weft_str name)
{
	uint32_t hash = (uint32_t)(weft_hash(name.at, name.n) >> 20), sector = hash % 6, within = hash / 6 % 4 * 60;
	uint32_t high = hash / 24 % 2 ? 230 : 160, low = high / 4, up = low + (high - low) * within / 240, down = high + low - up;
	const uint32_t rgb[6][3] = {{high, up, low},   {down, high, low}, {low, high, up},
	                            {low, down, high}, {up, low, high},   {high, low, down}};
	return rgb[sector][0] << 16 | rgb[sector][1] << 8 | rgb[sector][2];
}

static void define_kind(struct prod_walk *w, const char *type, struct weft_str alias, struct weft_str name, uint32_t color)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	PUT(o, "6\t\"");
	put_str(o, alias);
	PUT(o, "\"\t");
	export_text(o, type);
	PUT(o, "\t\"");
	put_str(o, name);
	PUT(o, "\"\t\"");
	if (!color && w->set->how->colors)
		color = 1 + color_of_name(name);
	color = color ? color - 1 : 0x009966; /* green: what runs */
	for (int shift = 16; shift >= 0; shift -= 8) {
		put_fixed6(o, (double)(color >> shift & 255) / 255);
		export_text(o, shift ? " " : "\"\n");
	}
}

static struct weft_str with_color(struct prod_walk *w, struct weft_str name, uint32_t color)
{
	char *text = weft_arena_printf(&w->set->arena, "%.*s #%06x", (int)name.n, name.at, (unsigned)color);
	if (!text)
		w->failed = -12;
	return weft_str(text ? text : "");
}

/* Kinds of one name and another colour than the name's first. */
static struct weft_str extra_kind(struct prod_walk *w, struct weft_str name, uint32_t color)
{
	uint64_t key = weft_hash(name.at, name.n) ^ (uint64_t)color << 32, at;
	if (weft_map_get(&w->colored, key, &at))
		return w->extra.at[at];
	struct weft_str alias = color ? with_color(w, name, color - 1) : name;
	if (weft_map_put(&w->colored, key, w->extra.n) || weft_vec_push(&w->extra, alias)) {
		w->failed = -12;
		return alias;
	}
	define_kind(w, "WS", alias, name, color);
	return alias;
}

static struct weft_str kind_of(struct prod_walk *w, struct prod_trace *t, const struct weft_tasks_task *task)
{
	uint32_t string = task->name ? task->name : task->model, n_strings = t->trace->def[WEFT_CLASS_STRING].n;
	struct prod_name *n = &w->names[t - w->set->trace][string ? string : n_strings + task->region];
	uint32_t color = task->has_color ? 1 + (task->color & 0xffffff) : 0;
	if (!n->alias.n) {
		n->alias = extra_kind(w, prod_called(t, task), color);
		n->color = color;
	}
	return n->color == color ? n->alias : extra_kind(w, prod_called(t, task), color);
}

/* In a context but the first: executing, or as the kind that it is. */
void paje_context(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const struct weft_tasks_task *t, bool begins)
{
	enum { CONTEXTS = 9 }; /* that the head has types of states for */
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	struct weft_str value = weft_str(begins ? "E" : "I");
	char type[8];
	if (!t->context || t->context > CONTEXTS)
		return;
	snprintf(type, sizeof type, "Ctx%u", (unsigned)t->context);
	if (begins && w->set->how->use_task_color && t->has_color) {
		uint64_t at, key = weft_hash(type, strlen(type)) ^ (1 + (t->color & 0xffffff));
		if (!weft_map_get(&w->colored, key, &at)) {
			if (weft_map_put(&w->colored, key, 0))
				w->failed = -12;
			define_kind(w, type, with_color(w, weft_str(type), t->color & 0xffffff), weft_str("Executing"),
			            1 + (t->color & 0xffffff));
		}
		value = with_color(w, weft_str(type), t->color & 0xffffff);
	}
	paje_begin(o, "10", time);
	export_text(o, l->alias);
	export_char(o, '\t');
	export_text(o, type);
	PUT(o, "\t\"");
	put_str(o, value);
	PUT(o, "\"\n");
}

/* ---- a task ---- */

static void put_parameters(struct export_out *o, const struct prod_trace *t, const struct weft_tasks_task *task)
{
	const struct weft_tasks *k = &t->tasks;
	bool described = false;
	for (uint32_t i = 0; i < task->n_accesses && !task->parameters; i++) {
		struct weft_str text = prod_string(t, k->data[k->access[task->accesses + i].data].description);
		if (!text.n)
			continue;
		described = true;
		export_char(o, '_');
		put_str(o, text);
	}
	if (described)
		return;
	struct weft_str text = prod_string(t, task->parameters);
	export_char(o, text.n ? '_' : ' ');
	for (size_t i = 0; i < text.n; i++)
		export_char(o, text.at[i] == ' ' ? '_' : text.at[i]);
}

static void put_coordinates(struct export_out *o, const struct prod_trace *t, const struct weft_tasks_task *task)
{
	const struct weft_tasks *k = &t->tasks;
	int64_t at[2] = {0, 0};
	for (uint32_t i = 0; i < task->n_accesses; i++) {
		const struct weft_tasks_access *a = &k->access[task->accesses + i];
		if (!(a->does & (WEFT_TASKS_W | WEFT_TASKS_REDUX)))
			continue;
		const struct weft_tasks_data *d = &k->data[a->data];
		for (uint32_t c = 0; c < 2 && c < d->n_coordinates; c++)
			at[c] = k->coordinate[d->coordinates + c];
		break;
	}
	for (unsigned c = 0; c < 2; c++) {
		export_i64(o, at[c]);
		export_char(o, '\t');
	}
}

static void put_numa(struct export_out *o, const struct prod_trace *t, const struct weft_tasks_task *task)
{
	const struct weft_tasks *k = &t->tasks;
	export_char(o, '"');
	if (!task->n_accesses)
		export_char(o, ' ');
	for (uint32_t i = 0; i < task->n_accesses; i++) {
		uint32_t set = k->access[task->accesses + i].numa;
		if (i)
			export_char(o, '_');
		if (set)
			export_u64(o, (uint64_t)__builtin_ctz(set));
		else
			PUT(o, "-1");
	}
	PUT(o, "\"\n");
}

void paje_task(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const struct weft_tasks_task *t)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	struct weft_str alias = kind_of(w, l->t, t);
	paje_begin(o, "20", time);
	export_text(o, l->alias);
	PUT(o, "\tWS\t\"");
	put_str(o, alias);
	PUT(o, "\"\t");
	export_u64(o, t->bytes);
	PUT(o, "\t\"");
	put_parameters(o, l->t, t);
	PUT(o, "\"\t");
	put_hex_digits(o, t->footprint, 8);
	export_char(o, '\t');
	put_hex_digits(o, t->tag, 16);
	export_char(o, '\t');
	put_job(o, l->p, t->number);
	export_char(o, '\t');
	put_job(o, l->p, t->order + 1);
	export_char(o, '\t');
	export_i64(o, t->priority);
	export_char(o, '\t');
	put_fixed6(o, t->flops > 0 ? t->flops / 1e9 : 0);
	export_char(o, '\t');
	put_coordinates(o, l->t, t);
	export_i64(o, t->iteration);
	export_char(o, '\t');
	export_i64(o, t->sub_iteration);
	export_char(o, '\t');
	put_numa(o, l->t, t);
}
