/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a parameter is when its function is entered. What debug information says of that very
 * address comes first: compilers pass what they like to functions that only they call (clones,
 * static functions), and drop what is not used. Else, where nobody but the convention can have
 * decided, it is counted by the convention: six integer and eight vector registers, then the stack.
 */
#include "probe_value.h"
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { INTS = 6, VECTORS = 8, CLANG_THAT_SPLITS = 18 };

/* What is said of a parameter's place at the entry. */
enum known {
	KNOWN_NOTHING,
	KNOWN_LATER, /* where the function itself puts it: what was compiled without optimisation says no more */
	KNOWN_ALL
};

struct counted {
	unsigned ints, vectors;
	uint64_t stack;
	bool lost; /* what comes from here on may be anywhere */
};

/* ---- by debug information ---- */

/* DWARF's number of a register -> that of the convention; -1: none passes parameters there. */
static int int_register(Dwarf_Word number)
{
	static const int8_t index[] = {-1, 2, 3, -1, 1, 0, -1, -1, 4, 5};
	return number < sizeof index ? index[number] : -1;
}

static bool register_of(const Dwarf_Op *op, int *index, bool *vector)
{
	Dwarf_Word number = op->atom == DW_OP_regx ? op->number : (Dwarf_Word)op->atom - DW_OP_reg0;
	if (op->atom != DW_OP_regx && (op->atom < DW_OP_reg0 || op->atom > DW_OP_reg31))
		return false;
	*vector = number >= 17 && number < 17 + VECTORS;
	*index = *vector ? (int)number - 17 : int_register(number);
	return *index >= 0;
}

/* R; R, piece 8, R, piece n */
static bool in_registers(const Dwarf_Op *op, size_t n, struct probe_place_of *out)
{
	out->at = PROBE_AT_REGISTERS;
	out->index[0] = out->index[1] = -1;
	if (n == 1)
		return register_of(&op[0], &out->index[0], &out->vector[0]);
	for (size_t k = 0; k + 1 < n && k < 4; k += 2)
		if (!register_of(&op[k], &out->index[k / 2], &out->vector[k / 2]) || op[k + 1].atom != DW_OP_piece ||
		    (k + 2 < n ? op[k + 1].number != 8 : op[k + 1].number > 8))
			return false;
	return n == 2 || n == 4;
}

static bool frame_is_the_callers(Dwarf_Die *function)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;
	return dwarf_attr_integrate(function, DW_AT_frame_base, &a) && dwarf_getlocation(&a, &op, &n) == 0 && n == 1 &&
	       op[0].atom == DW_OP_call_frame_cfa;
}

static bool is_constant(const Dwarf_Op *op, uint64_t *bits)
{
	static const uint8_t atoms[] = {DW_OP_const1u, DW_OP_const1s, DW_OP_const2u, DW_OP_const2s, DW_OP_const4u,
	                                DW_OP_const4s, DW_OP_const8u, DW_OP_const8s, DW_OP_constu,  DW_OP_consts};
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*bits = op->atom - DW_OP_lit0;
		return true;
	}
	*bits = op->number;
	return memchr(atoms, op->atom, sizeof atoms) != NULL;
}

/* The value that a register has at the entry, which is where we are. */
static bool is_entry_value(Dwarf_Attribute *a, const Dwarf_Op *op, struct probe_place_of *out)
{
	Dwarf_Attribute inner;
	Dwarf_Op *of;
	size_t n;
	if (op->atom != DW_OP_entry_value && op->atom != DW_OP_GNU_entry_value)
		return false;
	return dwarf_getlocation_attr(a, op, &inner) == 0 && dwarf_getlocation(&inner, &of, &n) == 0 && in_registers(of, n, out);
}

static bool understand(Dwarf_Die *function, Dwarf_Attribute *a, const Dwarf_Op *op, size_t n, struct probe_place_of *out)
{
	struct probe_place_of none = {0};
	if (n > 0 && in_registers(op, n, out))
		return true;
	*out = none;
	if (n == 2 && op[1].atom == DW_OP_stack_value) {
		out->at = PROBE_AT_CONSTANT;
		return is_constant(&op[0], &out->constant) || is_entry_value(a, &op[0], out);
	}
	if (n != 1)
		return false;
	if (op[0].atom == DW_OP_fbreg && (int64_t)op[0].number >= 0 && frame_is_the_callers(function)) {
		*out = (struct probe_place_of){.at = PROBE_AT_STACK, .stack = op[0].number};
		return true;
	}
	if (op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31 && op[0].number == 0) {
		Dwarf_Op holds = {.atom = (uint8_t)(DW_OP_reg0 + (op[0].atom - DW_OP_breg0))};
		out->by_reference = true;
		return in_registers(&holds, 1, out);
	}
	return false;
}

/* An attribute that says what it always is: a number, or its bytes. */
static bool has_constant(Dwarf_Die *parameter, struct probe_place_of *out)
{
	Dwarf_Attribute a;
	Dwarf_Block block;
	Dwarf_Sword number;
	*out = (struct probe_place_of){.at = PROBE_AT_CONSTANT};
	if (!dwarf_attr(parameter, DW_AT_const_value, &a))
		return false;
	if (dwarf_formblock(&a, &block) == 0) {
		memcpy(&out->constant, block.data, block.length < 8 ? block.length : 8);
		if (block.length > 8)
			out->at = PROBE_AT_NOWHERE;
		return true;
	}
	if (dwarf_formsdata(&a, &number))
		out->at = PROBE_AT_NOWHERE;
	out->constant = (uint64_t)number;
	return true;
}

static enum known say(Dwarf_Die *function, Dwarf_Die *parameter, uint64_t entry, struct probe_place_of *out)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;
	if (has_constant(parameter, out))
		return KNOWN_ALL;
	*out = (struct probe_place_of){0};
	if (!dwarf_attr(parameter, DW_AT_location, &a))
		return KNOWN_NOTHING;
	bool everywhere = dwarf_getlocation(&a, &op, &n) == 0; /* no list */
	if (!everywhere && dwarf_getlocation_addr(&a, entry, &op, &n, 1) != 1)
		return KNOWN_NOTHING;
	if (understand(function, &a, op, n, out))
		return KNOWN_ALL;
	*out = (struct probe_place_of){0};
	bool frame = n > 0 && (op[0].atom == DW_OP_fbreg || (op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31));
	return everywhere && frame ? KNOWN_LATER : KNOWN_NOTHING;
}

/* ---- by the convention ---- */

/*
 * Before 18, clang took an integer of 16 bytes apart, or aligned it otherwise, where it did not fit
 * into registers.
 */
static bool is_misplaced(Dwarf_Die *type, unsigned free_ints)
{
	Dwarf_Die unit;
	Dwarf_Attribute a;
	Dwarf_Word size = 0;
	if (free_ints >= 2 || dwarf_tag(type) != DW_TAG_base_type || !dwarf_number(type, DW_AT_byte_size, &size) || size != 16)
		return false;
	const char *by = dwarf_diecu(type, &unit, NULL, NULL) && dwarf_attr(&unit, DW_AT_producer, &a) ? dwarf_formstring(&a)
	                                                                                               : NULL;
	const char *clang = by ? strstr(by, "clang version ") : NULL;
	unsigned version;
	return clang && sscanf(clang, "clang version %u", &version) == 1 && version < CLANG_THAT_SPLITS;
}

static void on_stack(struct counted *p, const struct probe_passing *how, struct probe_place_of *out)
{
	uint64_t align = how->align > 8 ? how->align : 8;
	p->stack = (p->stack + align - 1) / align * align;
	*out = (struct probe_place_of){.at = PROBE_AT_STACK, .stack = p->stack};
	p->stack += (how->size + 7) & ~7ull;
}

/* Where the next parameter is. */
static void count(struct counted *p, Dwarf_Die *type, const struct probe_passing *how, struct probe_place_of *out)
{
	unsigned ints = 0, vectors = 0;
	for (int k = 0; k < 2; k++) {
		ints += how->class[k] == PROBE_CLASS_INT;
		vectors += how->class[k] == PROBE_CLASS_SSE;
	}
	*out = (struct probe_place_of){.by_reference = how->by_reference, .index = {-1, -1}};
	p->lost |= how->class[0] == PROBE_CLASS_UNKNOWN || (ints == 2 && is_misplaced(type, INTS - p->ints));
	if (p->lost)
		return;
	if (how->class[0] >= PROBE_CLASS_X87 || p->ints + ints > INTS || p->vectors + vectors > VECTORS) {
		on_stack(p, how, out);
		out->by_reference = how->by_reference;
		return;
	}
	out->at = PROBE_AT_REGISTERS;
	for (int k = 0; k < 2; k++) {
		out->vector[k] = how->class[k] == PROBE_CLASS_SSE;
		if (how->class[k] == PROBE_CLASS_SSE)
			out->index[k] = (int)p->vectors++;
		else if (how->class[k] == PROBE_CLASS_INT)
			out->index[k] = (int)p->ints++;
	}
}

/* A result that does not come in registers has its place passed in the first one. */
static void begin(Dwarf_Die *function, struct counted *p)
{
	struct probe_passing how;
	Dwarf_Die type;
	*p = (struct counted){0};
	if (!dwarf_type_of(function, &type))
		return;
	dwarf_classify(&type, &how);
	p->lost = how.class[0] == PROBE_CLASS_UNKNOWN;
	p->ints = how.class[0] == PROBE_CLASS_MEMORY || how.by_reference;
}

/* ---- together ---- */

static bool is_asked(Dwarf_Die *parameter, const struct probe_asked *a, uint64_t k)
{
	const char *name = dwarf_diename(parameter);
	return a->number ? k == a->number : name && strlen(name) == a->n_name && !memcmp(name, a->name, a->n_name);
}

static bool same_place(const struct probe_place_of *a, const struct probe_place_of *b)
{
	return a->at == b->at && a->index[0] == b->index[0] && a->vector[0] == b->vector[0] && a->stack == b->stack;
}

static int refuse(const struct probe_asked *a, const char *why, struct weft_err *err)
{
	return weft_err_set(err, -ENOTSUP, "where parameter '%.*s' of '%s' is when that is entered is not known: %s",
	                    (int)a->n_name, a->name, a->function, why);
}

int dwarf_parameter(Dwarf_Die *function, const struct probe_asked *asked, struct probe_place_of *out, Dwarf_Die *type,
                    struct weft_err *err)
{
	struct counted p;
	struct probe_place_of counted;
	Dwarf_Die child;
	uint64_t k = 0;
	begin(function, &p);
	for (int more = dwarf_child(function, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
		struct probe_passing how;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !dwarf_type_of(&child, type))
			continue;
		dwarf_classify(type, &how);
		enum known known = say(function, &child, asked->entry, out);
		count(&p, type, &how, &counted);
		if (is_asked(&child, asked, ++k)) {
			bool usable = known == KNOWN_ALL &&
			              (out->at != PROBE_AT_REGISTERS || out->by_reference || !how.by_reference);
			if (usable && out->at == PROBE_AT_NOWHERE)
				return refuse(asked, "it is a constant that is no number", err);
			if (usable)
				return 0;
			*out = counted;
			if (asked->changed && known != KNOWN_LATER)
				return refuse(asked, "the compiler has changed how it is called", err);
			return counted.at == PROBE_AT_NOWHERE ? refuse(asked, "it depends on how it was compiled", err) : 0;
		}
		if (asked->changed && (known == KNOWN_NOTHING || (known == KNOWN_ALL && !same_place(out, &counted))))
			p.lost = true;
	}
	return -ENOENT;
}
