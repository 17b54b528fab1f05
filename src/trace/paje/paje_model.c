/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lines of a Paje file name: types, values, containers. All are called by alias or by name, and an alias comes first;
 * words are numbered once, so that what a line names is found by numbers.
 */
#include "paje_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void paje_model_fini(struct paje_model *m)
{
	weft_arena_fini(&m->arena);
	weft_intern_fini(&m->word);
	weft_map_fini(&m->type_of);
	weft_map_fini(&m->container_of);
	weft_map_fini(&m->value_of);
	free(m->type.at);
	free(m->value.at);
	free(m->container.at);
	*m = (struct paje_model){0};
}

/* ---- finding ---- */

static bool find_word(const struct paje_model *m, const struct weft_map *in, uint64_t high, struct weft_str text, uint64_t *index)
{
	uint32_t word;
	return weft_intern_find(&m->word, text, &word) && weft_map_get(in, high << 32 | word, index);
}

/* The alias stands for it, whatever it stood for before; the name only where it is free. */
static int put_words(struct paje_model *m, struct weft_map *in, uint64_t high, const struct paje_line *l, uint64_t index)
{
	uint32_t word;
	uint64_t old;
	struct weft_str alias = l->slot[PAJE_ALIAS], name = l->slot[PAJE_NAME];
	if (alias.n && (weft_intern_add(&m->word, alias, &word) || weft_map_put(in, high << 32 | word, index)))
		return -ENOMEM;
	if (weft_intern_add(&m->word, name, &word))
		return -ENOMEM;
	if (alias.n && weft_map_get(in, high << 32 | word, &old))
		return 0;
	return weft_map_put(in, high << 32 | word, index);
}

struct paje_type *paje_find_type(struct paje_model *m, struct weft_str text, enum paje_kind kind)
{
	uint64_t at;
	if (!find_word(m, &m->type_of, 0, text, &at) || m->type.at[at].kind != kind)
		return NULL;
	return &m->type.at[at];
}

struct paje_container *paje_find_container(struct paje_model *m, struct weft_str text)
{
	uint64_t at;
	return find_word(m, &m->container_of, 0, text, &at) ? &m->container.at[at] : NULL;
}

bool paje_knows_value(const struct paje_model *m, uint32_t type, struct weft_str text)
{
	uint64_t at;
	return find_word(m, &m->value_of, type, text, &at);
}

/* ---- learning ---- */

static const char *keep(struct paje_model *m, struct weft_str text)
{
	char *z = weft_arena_strndup(&m->arena, text.at ? text.at : "", text.n);
	if (z)
		weft_one_line(z);
	return z;
}

/* Its index in *at, or 0 for "there is none above". */
static int parent_type(struct paje_model *m, const struct paje_line *l, uint32_t *at, const char **why)
{
	struct weft_str text = l->slot[PAJE_TYPE];
	const struct paje_type *t = paje_find_type(m, text, PAJE_K_CONTAINER);
	*at = t ? (uint32_t)(t - m->type.at) : WEFT_NONE;
	if (t || weft_str_eq(text, "0") || text.n == 0)
		return 0;
	*why = "names a type of container that is not defined";
	return 1;
}

static int learn_type(struct paje_model *m, const struct paje_line *l, const char **why)
{
	static const enum paje_kind kinds[] = {[PAJE_DEF_CONTAINER] = PAJE_K_CONTAINER,
	                                       [PAJE_DEF_STATE] = PAJE_K_STATE,
	                                       [PAJE_DEF_EVENT] = PAJE_K_EVENT,
	                                       [PAJE_DEF_VARIABLE] = PAJE_K_VARIABLE,
	                                       [PAJE_DEF_LINK] = PAJE_K_LINK};
	struct paje_type t = {.kind = kinds[l->def->event], .name = keep(m, l->slot[PAJE_NAME])};
	int rc = t.name ? parent_type(m, l, &t.parent, why) : -ENOMEM;
	if (rc)
		return rc;
	if (t.parent != WEFT_NONE) {
		struct paje_type *above = &m->type.at[t.parent];
		above->has_parts |= t.kind == PAJE_K_CONTAINER;
		above->has_things |= t.kind != PAJE_K_CONTAINER && t.kind != PAJE_K_LINK;
	}
	m->n_state_types += t.kind == PAJE_K_STATE;
	rc = put_words(m, &m->type_of, 0, l, m->type.n);
	return rc ? rc : weft_vec_push(&m->type, t);
}

static int add_value(struct paje_model *m, const struct paje_line *l, uint32_t type)
{
	struct paje_value v = {.name = keep(m, l->slot[PAJE_NAME]), .type = type, .number = ++m->type.at[type].n_values};
	int rc = v.name ? put_words(m, &m->value_of, type, l, m->value.n) : -ENOMEM;
	return rc ? rc : weft_vec_push(&m->value, v);
}

static int learn_value(struct paje_model *m, const struct paje_line *l, const char **why)
{
	uint64_t at;
	*why = "names a type that is not defined";
	if (!find_word(m, &m->type_of, 0, l->slot[PAJE_TYPE], &at))
		return 1;
	return add_value(m, l, (uint32_t)at);
}

static int learn_container(struct paje_model *m, const struct paje_line *l, const char **why)
{
	struct weft_str above = l->slot[PAJE_CONTAINER];
	const struct paje_type *type = paje_find_type(m, l->slot[PAJE_TYPE], PAJE_K_CONTAINER);
	struct paje_container *parent = paje_find_container(m, above);
	struct paje_container c = {.name = keep(m, l->slot[PAJE_NAME]),
	                           .end = WEFT_NEVER,
	                           .thread = WEFT_NONE,
	                           .parent = WEFT_NONE};
	if (!c.name)
		return -ENOMEM;
	*why = !type ? "names a type of container that is not defined" : "expected a time in seconds";
	if (!type || !paje_time(l->slot[PAJE_TIME], &c.begin))
		return 1;
	*why = "names a container that was not created";
	if (!parent && above.n && !weft_str_eq(above, "0"))
		return 1;
	c.type = (uint32_t)(type - m->type.at);
	if (parent) {
		parent->has_children = true;
		c.parent = (uint32_t)(parent - m->container.at);
		c.depth = parent->depth + 1;
	}
	int rc = put_words(m, &m->container_of, 0, l, m->container.n);
	return rc ? rc : weft_vec_push(&m->container, c);
}

static int learn_end(struct paje_model *m, const struct paje_line *l, const char **why)
{
	struct paje_container *c = paje_find_container(m, l->slot[PAJE_NAME]);
	uint64_t time;
	*why = !c ? "names a container that was not created" : "expected a time in seconds";
	if (!c || !paje_time(l->slot[PAJE_TIME], &time))
		return 1;
	c->end = time > c->begin ? time : c->begin;
	return 0;
}

/* Of lines that happen in a container: only that they do, and what kinds of value there are. */
static int learn_use(struct paje_model *m, const struct paje_line *l)
{
	bool starts = l->def->event == PAJE_START_LINK, link = starts || l->def->event == PAJE_END_LINK;
	struct paje_container *c = paje_find_container(m, l->slot[starts ? PAJE_START : link ? PAJE_END : PAJE_CONTAINER]);
	uint64_t at;
	int64_t whole;
	if (c)
		c->used = true;
	if (!find_word(m, &m->type_of, 0, l->slot[PAJE_TYPE], &at))
		return 0; /* said in the second turn */
	struct paje_type *type = &m->type.at[at];
	type->used = true;
	type->sized |= starts && l->def->has_size;
	type->floating |= type->kind == PAJE_K_VARIABLE && weft_parse_i64(l->slot[PAJE_VALUE], &whole);
	return 0;
}

int paje_learn(struct paje_model *m, const struct paje_line *l, const char **why)
{
	switch (l->def->event) {
	case PAJE_DEF_CONTAINER:
	case PAJE_DEF_STATE:
	case PAJE_DEF_EVENT:
	case PAJE_DEF_VARIABLE:
	case PAJE_DEF_LINK:
		return learn_type(m, l, why);
	case PAJE_DEF_VALUE:
		return learn_value(m, l, why);
	case PAJE_CREATE:
		return learn_container(m, l, why);
	case PAJE_DESTROY:
		return learn_end(m, l, why);
	case PAJE_OTHER:
		return 0;
	default:
		return learn_use(m, l);
	}
}

/* ---- the second time ---- */

int paje_created(struct paje_model *m, const struct paje_line *l)
{
	return m->n_created < m->container.n ? put_words(m, &m->container_of, 0, l, m->n_created++) : 0;
}

int paje_find_value(struct paje_model *m, struct weft_builder *b, uint32_t type, struct weft_str text, struct paje_value **out)
{
	uint64_t at;
	*out = NULL;
	if (!find_word(m, &m->value_of, type, text, &at)) {
		struct paje_line l = {.slot = {[PAJE_NAME] = text}};
		at = m->value.n;
		int rc = add_value(m, &l, type);
		if (rc)
			return rc;
	}
	struct paje_value *v = &m->value.at[at];
	const struct paje_type *t = &m->type.at[type];
	if (!v->def && (t->kind == PAJE_K_STATE || t->kind == PAJE_K_LINK)) {
		struct weft_def_row row = {.name = v->name, .category = t->kind == PAJE_K_STATE ? t->def : 0};
		int64_t id = weft_build_def(b, t->kind == PAJE_K_STATE ? WEFT_CLASS_REGION : WEFT_CLASS_COMM, &row);
		if (id < 0)
			return (int)id;
		v->def = (uint32_t)id;
	}
	*out = v;
	return 0;
}
