/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to debug information, each answered from the one compilation unit that it concerns: a
 * function's by its address, through the table of address ranges where there is one. Variables are
 * in no such table: units are searched in turn until one has it.
 */
#include "probe_value.h"
#include <dwarf.h>
#include <string.h>

bool dwarf_strip(Dwarf_Die *type)
{
	for (int depth = 0; depth < 64; depth++) {
		Dwarf_Attribute a;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_attr_integrate(type, DW_AT_type, &a) || !dwarf_formref_die(&a, type))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, type) && dwarf_strip(type);
}

/*
 * A unit whose contents are in a file of their own (-gsplit-dwarf) becomes that; false: the file is
 * not there.
 */
static bool whole_unit(Dwarf_Die *unit)
{
	uint8_t type = 0;
	Dwarf_Die split;
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) || type != DW_UT_skeleton)
		return true;
	if (dwarf_tag(&split) != DW_TAG_compile_unit)
		return false;
	*unit = split;
	return true;
}

/* The next unit, from cu = NULL on; false: no more. */
static bool next_unit(Dwarf *dw, Dwarf_CU **cu, Dwarf_Die *unit)
{
	while (dwarf_get_units(dw, *cu, cu, NULL, NULL, unit, NULL) == 0)
		if (whole_unit(unit))
			return true;
	return false;
}

bool dwarf_number(Dwarf_Die *die, unsigned which, Dwarf_Word *out)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, which, &a) && dwarf_formudata(&a, out) == 0;
}

bool dwarf_is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* ---- types that a unit only declares ---- */

/* The definition of a record of that name, unless there are several of different sizes. */
static bool definition_below(Dwarf_Die *parent, const char *name, Dwarf_Die *out, Dwarf_Word *size, int depth)
{
	Dwarf_Die child;
	if (depth > 8 || dwarf_child(parent, &child))
		return true;
	do {
		Dwarf_Word its = 0;
		const char *have = dwarf_diename(&child);
		bool record = dwarf_is_record(&child);
		if (record && have && !strcmp(have, name) && !dwarf_hasattr(&child, DW_AT_declaration) &&
		    dwarf_number(&child, DW_AT_byte_size, &its)) {
			if (*size && *size != its)
				return false;
			*size = its;
			*out = child;
		}
		if ((record || dwarf_tag(&child) == DW_TAG_namespace) && !definition_below(&child, name, out, size, depth + 1))
			return false;
	} while (dwarf_siblingof(&child, &child) == 0);
	return true;
}

/* What is only declared here is defined in a unit of types, or in that of another source file. */
void dwarf_complete(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Die found, unit;
	Dwarf_Word size = 0;
	Dwarf_CU *cu = NULL;
	if (!dwarf_is_record(type))
		return;
	if (dwarf_attr(type, DW_AT_signature, &a) && dwarf_formref_die(&a, &found))
		*type = found;
	if (!dwarf_hasattr(type, DW_AT_declaration))
		return;
	Dwarf *dw = dwarf_cu_getdwarf(type->cu);
	const char *name = dwarf_diename(type);
	while (name && next_unit(dw, &cu, &unit))
		if (!definition_below(&unit, name, &found, &size, 0))
			return;
	if (size)
		*type = found;
}

/* As a number, or, in old versions, as an expression that adds one. */
static uint64_t member_offset(Dwarf_Die *member)
{
	Dwarf_Word at = 0;
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;
	if (dwarf_number(member, DW_AT_data_member_location, &at))
		return at;
	bool adds = dwarf_attr_integrate(member, DW_AT_data_member_location, &a) && dwarf_getlocation(&a, &op, &n) == 0 &&
	            n == 1 && op[0].atom == DW_OP_plus_uconst;
	return adds ? op[0].number : 0;
}

/*
 * Where a bit field begins, in bits from the record's begin: as one number, or, in old versions,
 * counted from the other end of its unit.
 */
static Dwarf_Word bits_before(Dwarf_Die *member, Dwarf_Word n)
{
	Dwarf_Word at = 0, unit = 0;
	Dwarf_Die type;
	if (dwarf_number(member, DW_AT_data_bit_offset, &at))
		return at;
	if (!dwarf_number(member, DW_AT_byte_size, &unit) && dwarf_type_of(member, &type))
		dwarf_number(&type, DW_AT_byte_size, &unit);
	dwarf_number(member, DW_AT_bit_offset, &at);
	return 8 * (member_offset(member) + unit) - at - n;
}

/* The member's offset, in bytes and bits. */
int64_t dwarf_member_at(Dwarf_Die *member, struct dwarf_bits *bits)
{
	Dwarf_Word n = 0;
	*bits = (struct dwarf_bits){0};
	if (!dwarf_number(member, DW_AT_bit_size, &n) || n == 0 || n > 64)
		return (int64_t)member_offset(member);
	Dwarf_Word before = bits_before(member, n);
	*bits = (struct dwarf_bits){(unsigned)(before % 8), (unsigned)n};
	return (int64_t)(before / 8);
}

static bool member_of(Dwarf_Die *type, const char *name, int64_t *offset, Dwarf_Die *member_type, struct dwarf_bits *bits,
                      int depth)
{
	Dwarf_Die child;
	dwarf_complete(type);
	if (!dwarf_is_record(type) || depth > 16 || dwarf_child(type, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		const char *have = dwarf_diename(&child);
		Dwarf_Die inner;
		/* Where a virtual base lies, only the object itself knows. */
		if (dwarf_hasattr(&child, DW_AT_virtuality) || !dwarf_type_of(&child, &inner))
			continue;
		struct dwarf_bits its;
		int64_t deeper = *offset + dwarf_member_at(&child, &its);
		if (have && !strcmp(have, name)) {
			*offset = deeper;
			*member_type = inner;
			*bits = its;
			return true;
		}
		/* Bases, and structs without a name. */
		if ((tag == DW_TAG_inheritance || !have) && member_of(&inner, name, &deeper, member_type, bits, depth + 1)) {
			*offset = deeper;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool dwarf_member(Dwarf_Die *type, const char *name, int64_t *offset, Dwarf_Die *member_type, struct dwarf_bits *bits)
{
	return member_of(type, name, offset, member_type, bits, 0);
}

int dwarf_array(Dwarf_Die *type, uint64_t dimension[DWARF_DIMENSIONS], Dwarf_Die *inner, uint64_t *size)
{
	Dwarf_Die child;
	Dwarf_Word bytes = 0;
	int n = 0;
	if (dwarf_tag(type) != DW_TAG_array_type || !dwarf_type_of(type, inner))
		return 0;
	dwarf_complete(inner);
	if (dwarf_aggregate_size(inner, &bytes))
		bytes = 0;
	*size = bytes;
	for (int more = dwarf_child(type, &child); more == 0 && n < DWARF_DIMENSIONS; more = dwarf_siblingof(&child, &child)) {
		Dwarf_Word bound = 0;
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		dimension[n++] = dwarf_number(&child, DW_AT_count, &bound)         ? bound
		                 : dwarf_number(&child, DW_AT_upper_bound, &bound) ? bound + 1
		                                                                   : 0;
	}
	return n;
}

bool dwarf_size(Dwarf_Die *type, uint64_t *size)
{
	Dwarf_Word bytes = 0;
	dwarf_complete(type);
	if (dwarf_aggregate_size(type, &bytes) || bytes == 0)
		return false;
	*size = bytes;
	return true;
}

bool dwarf_scalar(Dwarf_Die *type, struct probe_type *out)
{
	Dwarf_Word size = 8, encoding = DW_ATE_unsigned;
	int tag = dwarf_tag(type);
	bool has_size = dwarf_number(type, DW_AT_byte_size, &size);
	if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) {
		Dwarf_Die to;
		struct probe_type inner;
		bool text = dwarf_type_of(type, &to) && dwarf_tag(&to) == DW_TAG_base_type && dwarf_scalar(&to, &inner) &&
		            inner.size == 1 && dwarf_number(&to, DW_AT_encoding, &encoding) && encoding != DW_ATE_boolean;
		*out = (struct probe_type){text ? PROBE_TYPE_STRING : PROBE_TYPE_POINTER, 8, false};
		return true;
	}
	if ((tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type) || !has_size)
		return false;
	if (tag == DW_TAG_base_type && !dwarf_number(type, DW_AT_encoding, &encoding))
		return false;
	if (encoding == DW_ATE_float) {
		*out = (struct probe_type){PROBE_TYPE_FLOAT, (uint8_t)size, true};
		return size == 4 || size == 8;
	}
	*out = (struct probe_type){PROBE_TYPE_INT, (uint8_t)size, encoding == DW_ATE_signed || encoding == DW_ATE_signed_char};
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- finding ---- */

/*
 * A function with a cold part has no address of its own but ranges, the entry at the begin of one.
 */
static bool begins_at(Dwarf_Die *function, uint64_t addr)
{
	Dwarf_Addr low, base, from, to;
	if (dwarf_lowpc(function, &low) == 0)
		return low == addr;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &from, &to)) > 0;)
		if (from == addr)
			return true;
	return false;
}

static bool function_below(Dwarf_Die *parent, uint64_t addr, Dwarf_Die *out, int depth)
{
	Dwarf_Die child;
	if (depth > 8 || dwarf_child(parent, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram && begins_at(&child, addr)) {
			*out = child;
			return true;
		}
		if ((tag == DW_TAG_namespace || dwarf_is_record(&child)) && function_below(&child, addr, out, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool dwarf_function_at(Dwarf *dw, uint64_t addr, Dwarf_Die *out)
{
	Dwarf_Die unit;
	if (dwarf_addrdie(dw, addr, &unit) && whole_unit(&unit) && function_below(&unit, addr, out, 0))
		return true;
	/* clang writes no table of ranges. Those of a split unit are in its skeleton. */
	Dwarf_CU *cu = NULL;
	while (dwarf_get_units(dw, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		if (dwarf_haspc(&unit, addr) > 0 && whole_unit(&unit) && function_below(&unit, addr, out, 0))
			return true;
	return false;
}

static bool lies_in_thread_at(Dwarf_Die *die, uint64_t addr)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;
	if (!dwarf_attr(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &n) || n != 2)
		return false;
	bool constant = op[0].atom == DW_OP_const8u || op[0].atom == DW_OP_const4u || op[0].atom == DW_OP_addr;
	bool thread = op[1].atom == DW_OP_GNU_push_tls_address || op[1].atom == DW_OP_form_tls_address;
	return constant && thread && op[0].number == addr;
}

static bool lies_at(Dwarf_Die *die, uint64_t addr)
{
	Dwarf_Attribute a, indexed;
	Dwarf_Op *op;
	Dwarf_Addr at;
	size_t n;
	if (!dwarf_attr(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &n) || n != 1)
		return false;
	if (op[0].atom == DW_OP_addr)
		return op[0].number == addr;
	/* An index into the unit's table of addresses: clang. */
	return (op[0].atom == DW_OP_addrx || op[0].atom == DW_OP_GNU_addr_index) &&
	       dwarf_getlocation_attr(&a, op, &indexed) == 0 && dwarf_formaddr(&indexed, &at) == 0 && at == addr;
}

static bool variable_below(Dwarf_Die *parent, uint64_t addr, bool thread, Dwarf_Die *out, int depth)
{
	Dwarf_Die child;
	if (depth > 8 || dwarf_child(parent, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool variable = tag == DW_TAG_variable || tag == DW_TAG_member;
		if (variable && (thread ? lies_in_thread_at(&child, addr) : lies_at(&child, addr))) {
			*out = child;
			return true;
		}
		bool enter = tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		             dwarf_is_record(&child);
		if (enter && variable_below(&child, addr, thread, out, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool dwarf_variable_at(Dwarf *dw, uint64_t addr, bool thread, Dwarf_Die *out)
{
	Dwarf_Die unit;
	Dwarf_CU *cu = NULL;
	while (next_unit(dw, &cu, &unit))
		if (variable_below(&unit, addr, thread, out, 0))
			return true;
	return false;
}

/* ---- what is not there ---- */

static bool dwarf_mentions(Dwarf_Die *parent, const char *name, int tag, Dwarf_Die *out, bool *local, int depth)
{
	Dwarf_Die child;
	if (depth > 12 || dwarf_child(parent, &child))
		return false;
	do {
		int its = dwarf_tag(&child);
		const char *have = dwarf_diename(&child);
		bool declared = dwarf_hasattr(&child, DW_AT_declaration);
		if (its == tag && have && !strcmp(have, name) && !declared) {
			*out = child;
			return true;
		}
		bool body = tag == DW_TAG_variable && (its == DW_TAG_subprogram || its == DW_TAG_lexical_block);
		bool enter = body || its == DW_TAG_namespace || dwarf_is_record(&child);
		if (enter && dwarf_mentions(&child, name, tag, out, local, depth + 1)) {
			*local |= body;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

const char *dwarf_why_not(Dwarf *dw, const char *name, bool data)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	bool local = false;
	const char *last = strrchr(name, ':');
	name = last ? last + 1 : name;
	while (next_unit(dw, &cu, &unit)) {
		if (!dwarf_mentions(&unit, name, data ? DW_TAG_variable : DW_TAG_subprogram, &die, &local, 0))
			continue;
		if (data)
			return local ? "it is a local variable of a function, which nothing outside of that can reach"
			             : "the compiler has left it out, as nothing needs it in memory";
		Dwarf_Word inlined = DW_INL_not_inlined;
		dwarf_number(&die, DW_AT_inline, &inlined);
		return inlined == DW_INL_inlined || inlined == DW_INL_declared_inlined
		               ? "it was inlined everywhere (__attribute__((noinline)) keeps a function)"
		               : "the compiler has left it out, as nothing calls it";
	}
	return NULL;
}
