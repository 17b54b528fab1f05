/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading Paje. A file says itself what its lines mean, so a line goes three steps:
 *
 *   text ── fields, by the %EventDef of the line's number (paje_line.c)
 *        ── types, values and containers, by alias or name (paje_model.c)
 *        ── events of our columns (paje_read.c)
 *
 * It is read twice: which containers there are, and which of them have something, is only known at its end.
 */
#ifndef WEFT_TRACE_PAJE_PRIV_H
#define WEFT_TRACE_PAJE_PRIV_H

#include "paje_line.h"
#include "trace/store/build.h"

/* ---- what lines name ---- */

enum paje_kind { PAJE_K_CONTAINER, PAJE_K_STATE, PAJE_K_EVENT, PAJE_K_VARIABLE, PAJE_K_LINK };
struct paje_type {
	enum paje_kind kind;
	const char *name;
	uint32_t parent;   /* type of container; WEFT_NONE: none */
	uint32_t n_values; /* of events: the last number that was given */
	bool has_things;   /* containers: states, events or variables are defined for it */
	bool has_parts;    /* containers: other containers lie in it */
	bool used;         /* events, variables, links: something of it happens */
	bool floating;     /* variables: of some value */
	bool sized;        /* links: have a size, and are messages */
	uint32_t def;      /* id of our definition: category, type, counter, flow; 0: none (yet) */
};
struct paje_value {
	const char *name;
	uint32_t type, number; /* number: of an event's value */
	uint32_t def;          /* region, communicator */
};
struct paje_container {
	const char *name;
	uint32_t type, parent; /* parent: WEFT_NONE: none */
	uint32_t depth;
	uint64_t begin, end; /* end: WEFT_NEVER: not destroyed */
	bool used, has_children;
	uint32_t thread; /* ours, or WEFT_NONE */
};
struct paje_model {
	struct weft_arena arena;
	struct weft_intern word;                         /* names and aliases */
	struct weft_map type_of, container_of, value_of; /* word (values: type << 32 | word) -> index */
	WEFT_VEC(struct paje_type) type;
	WEFT_VEC(struct paje_value) value;
	WEFT_VEC(struct paje_container) container;
	size_t n_created; /* second time through the file: containers so far */
	unsigned n_state_types;
};
void paje_model_fini(struct paje_model *m);

/* A definition, an entity's value, or a container's begin or end, first time. 0, negative, or 1 and what is wrong. */
int paje_learn(struct paje_model *m, const struct paje_line *l, const char **why) WEFT_MUST_CHECK;
/* Makes the objects and definitions of the trace, when all is known. */
int paje_make(struct paje_model *m, struct weft_builder *b) WEFT_MUST_CHECK;
/* The second time a container is created: its alias and its name stand for it from here on. */
int paje_created(struct paje_model *m, const struct paje_line *l) WEFT_MUST_CHECK;

/* NULL: there is none of that name, or it is of another kind. */
struct paje_type *paje_find_type(struct paje_model *m, struct weft_str text, enum paje_kind kind);
struct paje_container *paje_find_container(struct paje_model *m, struct weft_str text);
/* The value of that alias or name, made when it was not defined. 0 or negative. */
int paje_find_value(struct paje_model *m, struct weft_builder *b, uint32_t type, struct weft_str text,
                    struct paje_value **out) WEFT_MUST_CHECK;
bool paje_knows_value(const struct paje_model *m, uint32_t type, struct weft_str text);

#endif
