/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables, parameters and results by name, as instructions that fetch them.
 *
 *     name            a global or static variable, a static member (Class::member); of a parameter: its name, or $1, $2…
 *     a.b  p->b  a[3][1] *p   members, through pointers, elements; in any combination
 *
 * What something is comes from debug information, or, for variables, parameters in registers and
 * what those point to, from the type that the caller declares: char, short, int, long (also
 * unsigned), float, double, pointer, string.
 */
#ifndef WEFT_PROBE_VALUE_H
#define WEFT_PROBE_VALUE_H

#include "probe.h"
#include "probe/image/probe_image.h"

enum probe_type_kind { PROBE_TYPE_NONE, PROBE_TYPE_INT, PROBE_TYPE_FLOAT, PROBE_TYPE_POINTER, PROBE_TYPE_STRING };

struct probe_type {
	uint8_t kind, size; /* FLOAT: 4 or 8 */
	bool sign;
};

#define PROBE_VALUE_OPS 24u

struct probe_value {
	struct link_op op[PROBE_VALUE_OPS]; /* leave the value in the accumulator, and append it to the event */
	unsigned n;
	struct probe_type type;
	uint64_t addr;   /* where it always is, in the process; 0: not always there */
	int in_register; /* of an integer parameter that is one by itself: which; 8 + n: vector register n; else -1 */
};

/* A declared type's name; false: it is none. */
bool probe_type_named(const char *name, struct probe_type *out);
/* declared: or NULL. */
int probe_variable(struct probe_session *s, const char *expression, const char *declared, struct probe_value *out,
                   struct weft_err *err) WEFT_MUST_CHECK;
/* A parameter or a result of a function. */
struct probe_expression {
	const char *function; /* its name, as messages call it */
	const char *text;     /* "p->a"; of a result the name in it ("return", "*return", "return->a") does not matter */
	const char *declared; /* its type, or NULL */
	enum link_when when;  /* of a parameter: at the entry, or at the exit as it was at the entry */
};
/* One program that does for all functions of that name. */
int probe_parameter(struct probe_session *s, const struct probe_expression *e, struct probe_value *out,
                    struct weft_err *err) WEFT_MUST_CHECK;
int probe_result(struct probe_session *s, const struct probe_expression *e, struct probe_value *out,
                 struct weft_err *err) WEFT_MUST_CHECK;
/* The same of one function. */
int probe_parameter_at(const struct probe_found *at, const struct probe_expression *e, struct probe_value *out,
                       struct weft_err *err) WEFT_MUST_CHECK;
int probe_result_at(const struct probe_found *at, const struct probe_expression *e, struct probe_value *out,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* A number as people write it; false: it is none. */
bool probe_constant(const char *text, struct probe_value *out);

/* ---- probe_dwarf.c: what debug information says ---- */

/* typedefs, const and the like taken off. False: void. */
bool dwarf_strip(Dwarf_Die *type);
bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type); /* its DW_AT_type, stripped */
struct dwarf_bits {
	unsigned at, n; /* from the member's offset on, n of them; 0: it is no bit field */
};
bool dwarf_member(Dwarf_Die *type, const char *name, int64_t *offset, Dwarf_Die *member_type, struct dwarf_bits *bits);
bool dwarf_scalar(Dwarf_Die *type, struct probe_type *out);
bool dwarf_size(Dwarf_Die *type, uint64_t *size);
#define DWARF_DIMENSIONS 8
bool dwarf_number(Dwarf_Die *die, unsigned which, Dwarf_Word *out); /* an attribute that is an unsigned number */
bool dwarf_is_record(Dwarf_Die *type);
void dwarf_complete(Dwarf_Die *type); /* what its unit only declares becomes what another one defines */
int64_t dwarf_member_at(Dwarf_Die *member, struct dwarf_bits *bits);
/*
 * Number of dimensions of an array (0: it is none), how many elements each has (0: not known), the
 * elements' type and size.
 */
int dwarf_array(Dwarf_Die *type, uint64_t dimension[DWARF_DIMENSIONS], Dwarf_Die *inner, uint64_t *size);
bool dwarf_function_at(Dwarf *dw, uint64_t addr, Dwarf_Die *out);
/* thread: one of each thread, which lies there in the memory that each has for such. */
bool dwarf_variable_at(Dwarf *dw, uint64_t addr, bool thread, Dwarf_Die *out);
/* Why a name that the source has is none of the program; NULL: the source does not have it. */
const char *dwarf_why_not(Dwarf *dw, const char *name, bool data);

/* ---- probe_class.c: the calling convention (System V, x86-64, 3.2.3) ---- */

enum probe_class {
	PROBE_CLASS_NONE,
	PROBE_CLASS_INT,
	PROBE_CLASS_SSE,
	PROBE_CLASS_SSEUP,
	PROBE_CLASS_X87,
	PROBE_CLASS_X87UP,
	PROBE_CLASS_COMPLEX_X87,
	PROBE_CLASS_MEMORY,
	PROBE_CLASS_UNKNOWN /* depends on what debug information does not say */
};

struct probe_passing {
	enum probe_class class[2]; /* of its eightbytes; the last four classes in [0] only, for all of it */
	uint64_t size;
	unsigned align;
	bool by_reference; /* C++: a pointer to it is passed, in its stead */
};
void dwarf_classify(Dwarf_Die *type, struct probe_passing *out);

/* ---- probe_entry.c: where a parameter is when its function is entered ---- */

struct probe_place_of {
	enum { PROBE_AT_NOWHERE, PROBE_AT_REGISTERS, PROBE_AT_STACK, PROBE_AT_CONSTANT } at;
	bool vector[2]; /* REGISTERS: of each eightbyte, which; -1: none */
	int index[2];
	uint64_t stack;    /* STACK: from the first parameter there */
	uint64_t constant; /* CONSTANT: its bits */
	bool by_reference; /* what is there is its address */
};
/*
 * The named (or, from 1, numbered) parameter of the function whose code begins at entry, and its
 * type. changed: the compiler may pass it otherwise than the convention says, so only what is said
 * of its entry counts. 0, -ENOENT: none of that name, or a reason.
 */
struct probe_asked {
	const char *function, *name;
	size_t n_name;
	uint64_t number, entry;
	bool changed;
};
int dwarf_parameter(Dwarf_Die *function, const struct probe_asked *asked, struct probe_place_of *out, Dwarf_Die *type,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
