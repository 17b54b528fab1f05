/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A specification in memory. Everything lies in one arena and dies with it; ids are indices into
 * the arrays below.
 *
 *     struct weft_spec --+-- variable[]   VARIABLES AND VALUES
 *                        +-- event[]      EVENTS           event.ref[] -> what an event carries
 *                        +-- actor[]      ACTORS
 *                        +-- attr[]       attributes of actors, of the iteration, and model parameters: one array, because
 *                        |                dependencies, order and evaluation treat them alike (scope tells them apart)
 *                        +-- function[]   PERFORMANCE FUNCTIONS
 *                        +-- point[]      TUNING POINTS
 *                        +-- code[]       each expression: its text, its tree (expr.h), what it reads and writes
 *
 * Out of memory: spec_alloc and spec_push jump to the call of weft_spec_new, which frees all. So
 * the parsers have no cleanup.
 */
#ifndef WEFT_TUNE_SPEC_PRIV_H
#define WEFT_TUNE_SPEC_PRIV_H

#include "base/arena.h"
#include "base/vec.h"
#include "spec.h"
#include <setjmp.h>

struct expr;

enum { SPEC_BYTES_MAX = 1 << 20, SPEC_DIAGS_MAX = 1000, SPEC_ENTITIES_MAX = 1000, SPEC_NONE = UINT32_MAX };

struct span {
	uint32_t at, n;
};

/* The value of a property; z is NULL where the property is absent. */
struct word {
	const char *z;
	struct span where; /* of the value; of the entity's name where it is absent */
};

enum spec_type { TYPE_NONE, TYPE_CHAR, TYPE_SHORT, TYPE_INT, TYPE_LONG, TYPE_FLOAT, TYPE_DOUBLE, TYPE_STRING, TYPE_VOID };
extern const char *const spec_type_name[]; /* as C says it */
enum spec_scope { SCOPE_ACTOR, SCOPE_ITERATION, SCOPE_PARAMETER };
enum spec_iter { ITER_NO, ITER_BEGIN, ITER_END, ITER_EVAL };
enum spec_utility { UTILITY_ALWAYS, UTILITY_ADDABLE, UTILITY_REMOVABLE };
enum spec_kind {
	KIND_SET_VARIABLE,
	KIND_REPLACE_FUNCTION,
	KIND_INSERT_CALL,
	KIND_REMOVE_CALL,
	KIND_ONE_TIME_CALL,
	KIND_CHANGE_PARAMETER,
	KIND_LOAD_LIBRARY,
	KINDS
};
extern const char *const spec_kind_name[];
enum spec_source { SOURCE_VARIABLE, SOURCE_PARAMETER, SOURCE_POINTED, SOURCE_RETURN, SOURCE_CONSTANT };
extern const char *const spec_source_name[];

/* Which expression of which entity. */
enum code_role { ROLE_INIC, ROLE_VALUE, ROLE_COMPLETION, ROLE_FUNCTION, ROLE_POINT_VALUE, ROLE_COND, ROLE_OBJECTIVE };

/* Sets of attributes, events, functions: one bit each. */
struct bits {
	uint64_t *word;
	uint32_t n;
};

struct spec_code {
	enum code_role role;
	uint32_t owner;            /* attr, actor, function or point */
	struct span where;         /* between the delimiters */
	bool given, bare;          /* present at all; without delimiters */
	bool broken;               /* did not parse */
	bool opaque;               /* a function beyond the subset: left to the compiler */
	struct expr *body;         /* statements; NULL when empty */
	struct bits reads, writes; /* attributes, also through functions that are called */
	struct bits events;        /* whose data is used */
	struct bits calls;         /* functions, also through others */
	struct bits tunes;         /* points */
};

struct spec_variable {
	struct word id, path, comment, source, type, actor;
	enum spec_type t;
	enum spec_source src;
	uint32_t actor_id;
};

struct spec_ref { /* an attribute of an event, or an argument of a tuning point */
	struct word id;
	uint32_t variable; /* SPEC_NONE: not declared */
	enum spec_type t;
};

struct spec_event {
	struct word id, actor, controliter, utility, method, class, place, iteration;
	WEFT_VEC(struct spec_ref) ref;
	uint32_t actor_id;
	enum spec_iter iter;
	enum spec_utility util;
	bool at_exit;
	uint32_t iteration_ref; /* which attribute says the iteration; SPEC_NONE: none does */
	/* derived: derive_place.c */
	bool folds, passes; /* collectors use it; the analyzer needs it */
};

struct spec_attr {
	enum spec_scope scope;
	uint32_t actor; /* of SCOPE_ACTOR */
	struct word id, comment, type, depinic, cum, dependency, metric;
	uint32_t inic, value; /* codes */
	enum spec_type t;
	uint32_t len; /* of an array; 0: a scalar */
	bool is_cum;
	uint32_t implied_event, implied_field; /* not declared but taken from there; else SPEC_NONE */
	/* derived: derive_deps.c */
	bool on_event;        /* else computed when the iteration is evaluated */
	struct bits triggers; /* events */
	uint32_t follows;     /* the attribute that it declares to depend on, or SPEC_NONE */
	bool holds_id;        /* its values are ids of processes, of this actor: */
	uint32_t id_actor;    /* SPEC_NONE: of any */
};

struct spec_actor {
	struct word id, min, max, completion, class, exe, rank, host, enters;
	uint32_t least, most, complete; /* complete: code */
	/* derived: derive_place.c */
	bool folds;          /* collectors compute something of it */
	bool ids;            /* the analyzer must know its instances one by one, not only how many there are */
	bool complete_there; /* collectors can tell whether an instance is complete */
};

struct spec_function {
	struct word id;
	struct span where;
	uint32_t code;
	enum spec_type t;
	struct expr *params; /* declarations, linked */
	uint32_t n_params;
	bool returns; /* has a return with a value */
};

struct spec_point {
	struct word id, kind, sync, syncplace, idx, req, place, resource, sense, class, actor;
	WEFT_VEC(struct spec_ref) ref;
	uint32_t value, cond;        /* codes */
	uint32_t variable, actor_id; /* actor_id: whose processes it is applied to; SPEC_NONE: all */
	enum spec_kind k;
	uint32_t index;
	bool wants_old;
	int8_t uses; /* of its resource: 1 a greater value uses more, -1 less, 0 unknown */
};

enum reduction { REDUCE_NONE, REDUCE_SUM, REDUCE_PRODUCT, REDUCE_MIN, REDUCE_MAX, REDUCE_COUNT };
enum { TERM_FACTORS = 12, TERMS_MAX = 16 };
/*
 * A product of what belongs to an instance (collectors compute it) and of what is the same for all.
 */
struct spec_term {
	struct {
		const struct expr *e;
		bool local, divides;
	} factor[TERM_FACTORS];
	uint32_t n;
	bool minus, whole; /* whole: what is local is a whole number */
};
/* Derived properties of a value's computation: derive_reduce.c. */
struct spec_plan {
	enum reduction reduce;
	uint32_t over;     /* the actor whose instances are reduced; SPEC_NONE: events, one after the other */
	uint32_t partials; /* numbers that a collector sends for it */
	bool split;        /* collectors can compute them */
	/* of what is split: derive_place.c */
	const struct expr *loop, *bound, *counter, *cond, *target; /* cond: NULL where there is none */
	struct spec_term *term;                                    /* partials of them */
	bool called;                                               /* a minimum or maximum by fmin or fmax, not by if */
	uint32_t part;                                             /* number of the first of its partials, among all */
	bool at_collector;                                         /* the value itself is computed where its events arrive */
	bool travels;                                              /* each instance's value is needed above */
};

struct weft_spec {
	struct weft_arena arena;
	jmp_buf oom;
	const char *file;
	char *text; /* terminated */
	uint32_t n;
	uint32_t *line_at, n_lines; /* where each line begins */
	struct word name, comment, unit, priority, hold, weight, lost;
	bool estimates; /* iterations of which events were lost are evaluated, too */
	/* Beside other tunlets: arbiter.h */
	int32_t rank;
	uint32_t held;
	double share;
	uint32_t objective; /* a code, or SPEC_NONE */
	bool calls_math;
	WEFT_VEC(struct word) include;
	WEFT_VEC(struct spec_variable) variable;
	WEFT_VEC(struct spec_event) event;
	WEFT_VEC(struct spec_actor) actor;
	WEFT_VEC(struct spec_attr) attr;
	WEFT_VEC(struct spec_function) function;
	WEFT_VEC(struct spec_point) point;
	WEFT_VEC(struct spec_code) code;
	WEFT_VEC(struct weft_diag) diag;
	struct spec_plan *plan;   /* of each attribute */
	uint32_t n_parts;         /* partial results in all */
	WEFT_VEC(uint32_t) order; /* attributes computed at evaluation, in order */
	unsigned count[WEFT_SEVERITIES];
};

/* -- spec_diag.c -- */
void *spec_alloc(struct weft_spec *s, size_t bytes); /* zeroed; never NULL */
const char *spec_printf(struct weft_spec *s, const char *fmt, ...) WEFT_PRINTF(2, 3);
#define spec_push(s, v, ...) \
	do { \
		if (weft_vec_push(v, __VA_ARGS__)) \
			longjmp((s)->oom, 1); \
	} while (0)
/*
 * Adds a diagnosis; `fix` may be NULL, and is borrowed (arena or literal). The same rule is said
 * once of the same place.
 */
void spec_say(struct weft_spec *s, enum weft_severity severity, const char *rule, struct span where, const char *fix,
              const char *fmt, ...) WEFT_PRINTF(6, 7);
void spec_sort_diags(struct weft_spec *s);
void spec_find_lines(struct weft_spec *s);
void spec_place(const struct weft_spec *s, uint32_t at, uint32_t *line, uint32_t *col);
struct bits spec_bits(struct weft_spec *s, size_t n);
static inline void bits_set(struct bits *b, uint32_t i)
{
	if (i / 64 < b->n)
		b->word[i / 64] |= UINT64_C(1) << i % 64;
}
static inline bool bits_has(const struct bits *b, uint32_t i)
{
	return i / 64 < b->n && (b->word[i / 64] >> i % 64 & 1);
}
bool bits_or(struct bits *into, const struct bits *b); /* whether something was added */
bool bits_any(const struct bits *b);

/* -- spec_parse.c -- */
void spec_parse(struct weft_spec *s);
/* -- spec_names.c: enumerations, references between entities -- */
void spec_resolve(struct weft_spec *s);
uint32_t spec_find_event(const struct weft_spec *s, const char *z);
uint32_t spec_find_actor(const struct weft_spec *s, const char *z);
uint32_t spec_find_variable(const struct weft_spec *s, const char *z);
uint32_t spec_find_function(const struct weft_spec *s, const char *z);
uint32_t spec_find_point(const struct weft_spec *s, const char *z);
uint32_t spec_find_attr(const struct weft_spec *s, enum spec_scope scope, uint32_t actor, const char *z);
/*
 * "iter.x", "worker.x", "x" as `dependency` says it, seen from attribute `from`; SPEC_NONE when it
 * is no attribute.
 */
uint32_t spec_find_path(const struct weft_spec *s, uint32_t from, const char *z);
bool spec_has_depinic(const struct weft_spec *s); /* an attribute of the iteration is set anew when another has changed */
const char *spec_attr_path(struct weft_spec *s, uint32_t attr); /* "worker.cti", "iter.tuplesize", "lambda" */
/*
 * The field of an event by name: 0 timestamp, 1 id, 2 task (the same), 3… its attributes;
 * SPEC_NONE.
 */
uint32_t spec_find_field(const struct weft_spec *s, uint32_t event, const char *z);
enum { FIELD_TIMESTAMP, FIELD_ID, FIELD_TASK, FIELD_FIRST };
/* -- spec_style.c: comments against names, names against files -- */
void spec_check_style(struct weft_spec *s);

/* -- expr_parse.c, expr_bind.c, expr_rules.c -- */
void expr_parse_all(struct weft_spec *s);
void expr_bind_all(struct weft_spec *s);
void expr_check_rules(struct weft_spec *s);

#endif
