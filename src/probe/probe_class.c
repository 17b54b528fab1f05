/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a value of a type is passed (System V ABI for x86-64, 3.2.3): the classes of its eightbytes.
 * Scalars have them by their encoding; a record or array merges those of what it is made of, where
 * that lies; what is larger than two eightbytes goes through memory. In C++ an object that cannot
 * be copied byte by byte goes through memory, too, and a pointer to it is passed.
 */
#include "probe_value.h"
#include <dwarf.h>
#include <string.h>

enum { DEPTH = 16, ELEMENTS = 16 };

struct scalar {
	enum probe_class low, high;
	unsigned size, align;
};

/* By encoding and size; what is not here is not known. */
static const struct {
	Dwarf_Word encoding, size;
	enum probe_class low, high;
} floats[] = {
	{DW_ATE_float, 2, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_float, 4, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_float, 8, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_float, 16, PROBE_CLASS_X87, PROBE_CLASS_X87UP},
	{DW_ATE_complex_float, 4, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_complex_float, 8, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_complex_float, 16, PROBE_CLASS_SSE, PROBE_CLASS_SSE},
	{DW_ATE_complex_float, 32, PROBE_CLASS_COMPLEX_X87, PROBE_CLASS_NONE},
	{DW_ATE_decimal_float, 4, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_decimal_float, 8, PROBE_CLASS_SSE, PROBE_CLASS_NONE},
	{DW_ATE_decimal_float, 16, PROBE_CLASS_SSE, PROBE_CLASS_SSEUP},
};

static bool is_float(Dwarf_Word encoding)
{
	return encoding == DW_ATE_float || encoding == DW_ATE_complex_float || encoding == DW_ATE_decimal_float;
}

static struct scalar class_unknown(Dwarf_Word size)
{
	return (struct scalar){PROBE_CLASS_UNKNOWN, PROBE_CLASS_NONE, (unsigned)size, 8};
}

static struct scalar float_scalar(const char *name, Dwarf_Word encoding, Dwarf_Word size)
{
	/* A quadruple is as large as the x87's type: they differ by name only. */
	bool quad = name && strstr(name, "128");
	unsigned align = (unsigned)(encoding == DW_ATE_complex_float ? size / 2 : size);
	if (quad && encoding == DW_ATE_float)
		return (struct scalar){PROBE_CLASS_SSE, PROBE_CLASS_SSEUP, (unsigned)size, align};
	if (quad && encoding == DW_ATE_complex_float)
		return (struct scalar){PROBE_CLASS_MEMORY, PROBE_CLASS_NONE, (unsigned)size, align};
	for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
		if (floats[k].encoding == encoding && floats[k].size == size)
			return (struct scalar){floats[k].low, floats[k].high, (unsigned)size, align};
	return class_unknown(size);
}

static bool leads_to_function(Dwarf_Die *type)
{
	Dwarf_Die to;
	return dwarf_type_of(type, &to) && dwarf_tag(&to) == DW_TAG_subroutine_type;
}

static bool has_tag(Dwarf_Die *type, const int *tags, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (dwarf_tag(type) == tags[k])
			return true;
	return false;
}

/* False: it is made of parts. */
static bool scalar_of(Dwarf_Die *type, struct scalar *out)
{
	static const int addresses[] = {DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type,
	                                DW_TAG_unspecified_type}; /* the last: the type of nullptr */
	Dwarf_Word size = 0, encoding = DW_ATE_unsigned;
	if (has_tag(type, addresses, sizeof addresses / sizeof *addresses)) {
		*out = (struct scalar){PROBE_CLASS_INT, PROBE_CLASS_NONE, 8, 8};
		return true;
	}
	if (dwarf_tag(type) == DW_TAG_ptr_to_member_type) {
		bool pair = leads_to_function(type);
		*out = (struct scalar){PROBE_CLASS_INT, pair ? PROBE_CLASS_INT : PROBE_CLASS_NONE, pair ? 16 : 8, 8};
		return true;
	}
	bool base = dwarf_tag(type) == DW_TAG_base_type;
	if (!base && dwarf_tag(type) != DW_TAG_enumeration_type)
		return false;
	dwarf_number(type, DW_AT_byte_size, &size);
	if (base)
		dwarf_number(type, DW_AT_encoding, &encoding);
	if (is_float(encoding))
		*out = float_scalar(dwarf_diename(type), encoding, size);
	else if (size == 0 || size > 16)
		*out = class_unknown(size);
	else /* a complex integer of gcc is in eightbytes, too, but aligned as its halves */
		*out = (struct scalar){PROBE_CLASS_INT, size > 8 ? PROBE_CLASS_INT : PROBE_CLASS_NONE, (unsigned)size,
		                       (unsigned)(base && encoding >= DW_ATE_lo_user ? size / 2 : size)};
	return true;
}

static enum probe_class class_merge(enum probe_class a, enum probe_class b)
{
	if (a == b || b == PROBE_CLASS_NONE)
		return a;
	if (a == PROBE_CLASS_NONE)
		return b;
	if (a == PROBE_CLASS_UNKNOWN || b == PROBE_CLASS_UNKNOWN)
		return PROBE_CLASS_UNKNOWN;
	if (a == PROBE_CLASS_MEMORY || b == PROBE_CLASS_MEMORY)
		return PROBE_CLASS_MEMORY;
	if (a == PROBE_CLASS_INT || b == PROBE_CLASS_INT)
		return PROBE_CLASS_INT;
	return a >= PROBE_CLASS_X87 || b >= PROBE_CLASS_X87 ? PROBE_CLASS_MEMORY : PROBE_CLASS_SSE;
}

struct part {
	uint64_t offset;
	unsigned bits; /* of a bit field, from bit `at` on; 0: it is none */
	unsigned at;
};

static void merge_at(struct probe_passing *p, uint64_t offset, enum probe_class class)
{
	if (class != PROBE_CLASS_NONE && offset >= 16)
		p->class[0] = class_merge(p->class[0], PROBE_CLASS_MEMORY);
	else
		p->class[offset / 8 % 2] = class_merge(p->class[offset / 8 % 2], class);
}

static void merge_scalar(struct probe_passing *p, struct part at, const struct scalar *s)
{
	if (at.bits) {
		merge_at(p, at.offset + at.at / 8, PROBE_CLASS_INT);
		merge_at(p, at.offset + (at.at + at.bits - 1) / 8, PROBE_CLASS_INT);
		return;
	}
	p->align = s->align > p->align ? s->align : p->align;
	if (s->align && at.offset % s->align)
		p->class[0] = PROBE_CLASS_MEMORY;
	merge_at(p, at.offset, s->low);
	if (s->size > 8)
		merge_at(p, at.offset + 8, s->high);
	/* Complex numbers of two floats that begin in the middle of an eightbyte. */
	else if (s->size && (at.offset + s->size - 1) / 8 != at.offset / 8)
		merge_at(p, at.offset + s->size - 1, s->low);
}

static void merge_type(struct probe_passing *p, Dwarf_Die *type, struct part at, int depth);

static void merge_array(struct probe_passing *p, Dwarf_Die *type, struct part at, int depth)
{
	Dwarf_Word whole = 0, size = 0, n;
	Dwarf_Die inner;
	if (dwarf_hasattr(type, DW_AT_GNU_vector)) {
		/* Of 16 bytes and less; larger ones go as the processor was said to be able to. */
		n = dwarf_aggregate_size(type, &whole) ? 0 : whole;
		struct scalar s = {PROBE_CLASS_SSE, n > 8 ? PROBE_CLASS_SSEUP : PROBE_CLASS_NONE, (unsigned)n, (unsigned)n};
		if (n == 0 || n > 16)
			s = class_unknown(n);
		merge_scalar(p, at, &s);
		return;
	}
	if (!dwarf_type_of(type, &inner)) {
		p->class[0] = PROBE_CLASS_UNKNOWN;
		return;
	}
	dwarf_complete(&inner);
	if (dwarf_aggregate_size(type, &whole) || dwarf_aggregate_size(&inner, &size) || size == 0)
		return; /* without an end, or of nothing: no part of what is passed */
	for (n = 0; n < whole / size && n <= ELEMENTS; n++)
		merge_type(p, &inner, (struct part){at.offset + n * size, 0, 0}, depth + 1);
}

static void merge_record(struct probe_passing *p, Dwarf_Die *type, struct part at, int depth)
{
	Dwarf_Die child, inner;
	dwarf_complete(type);
	if (dwarf_hasattr(type, DW_AT_declaration)) {
		p->class[0] = PROBE_CLASS_UNKNOWN;
		return;
	}
	for (int more = dwarf_child(type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		struct dwarf_bits bits;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&child, DW_AT_external) ||
		    dwarf_hasattr(&child, DW_AT_const_value) || !dwarf_type_of(&child, &inner))
			continue;
		uint64_t offset = at.offset + (uint64_t)dwarf_member_at(&child, &bits);
		merge_type(p, &inner, (struct part){offset, bits.n, bits.at}, depth + 1);
	}
}

static void merge_type(struct probe_passing *p, Dwarf_Die *type, struct part at, int depth)
{
	struct scalar s;
	Dwarf_Word align = 0;
	if (depth > DEPTH)
		p->class[0] = PROBE_CLASS_UNKNOWN;
	else if (scalar_of(type, &s))
		merge_scalar(p, at, &s);
	else if (dwarf_tag(type) == DW_TAG_array_type)
		merge_array(p, type, at, depth);
	else if (dwarf_is_record(type))
		merge_record(p, type, at, depth);
	else
		p->class[0] = PROBE_CLASS_UNKNOWN;
	if (dwarf_number(type, DW_AT_alignment, &align) && align > p->align && align <= 1u << 16)
		p->align = (unsigned)align;
}

/* ---- objects ---- */

static bool is_reference_to(Dwarf_Die *parameter, Dwarf_Die *record)
{
	Dwarf_Die type, to;
	if (!dwarf_type_of(parameter, &type))
		return false;
	bool reference = dwarf_tag(&type) == DW_TAG_reference_type || dwarf_tag(&type) == DW_TAG_rvalue_reference_type;
	return reference && dwarf_type_of(&type, &to) && dwarf_dieoffset(&to) == dwarf_dieoffset(record);
}

/* Its second parameter, behind `this`, is a reference to its own class. */
static bool class_copies(Dwarf_Die *method, Dwarf_Die *record)
{
	Dwarf_Die child;
	unsigned k = 0;
	for (int more = dwarf_child(method, &child); more == 0; more = dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && k++ == 1)
			return is_reference_to(&child, record);
	return false;
}

/* Written by somebody, and so not what copying the bytes does. */
static bool is_own_way(Dwarf_Die *method, Dwarf_Die *record)
{
	const char *name = dwarf_diename(method), *of = dwarf_diename(record);
	if (!name || dwarf_hasattr(method, DW_AT_artificial) || dwarf_hasattr(method, DW_AT_defaulted))
		return false;
	return name[0] == '~' || (of && !strcmp(name, of) && class_copies(method, record));
}

/*
 * Without what DWARF 5 says of it: virtual functions or bases, a destructor or copy constructor, or
 * a part that has them.
 */
static bool is_no_bytes(Dwarf_Die *record, int depth)
{
	Dwarf_Die child, inner;
	if (depth > DEPTH || dwarf_hasattr(record, DW_AT_containing_type))
		return true;
	for (int more = dwarf_child(record, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		bool part = (tag == DW_TAG_member && !dwarf_hasattr(&child, DW_AT_external)) || tag == DW_TAG_inheritance;
		if (tag == DW_TAG_inheritance && dwarf_hasattr(&child, DW_AT_virtuality))
			return true;
		if (tag == DW_TAG_subprogram && is_own_way(&child, record))
			return true;
		if (!part || !dwarf_type_of(&child, &inner))
			continue;
		dwarf_complete(&inner);
		if (dwarf_is_record(&inner) && is_no_bytes(&inner, depth + 1))
			return true;
	}
	return false;
}

static bool goes_by_reference(Dwarf_Die *type)
{
	Dwarf_Word convention = 0;
	if (!dwarf_is_record(type))
		return false;
	if (dwarf_number(type, DW_AT_calling_convention, &convention))
		return convention == DW_CC_pass_by_reference;
	return is_no_bytes(type, 0);
}

void dwarf_classify(Dwarf_Die *type, struct probe_passing *out)
{
	Dwarf_Word size = 8;
	Dwarf_Die whole = *type;
	*out = (struct probe_passing){.align = 1};
	dwarf_complete(&whole);
	if (goes_by_reference(&whole)) {
		*out = (struct probe_passing){.class = {PROBE_CLASS_INT}, .size = 8, .align = 8, .by_reference = true};
		return;
	}
	merge_type(out, &whole, (struct part){0}, 0);
	if (dwarf_aggregate_size(&whole, &size) == 0)
		out->size = size;
	enum probe_class *c = out->class;
	if (c[1] >= PROBE_CLASS_COMPLEX_X87 && c[0] != PROBE_CLASS_UNKNOWN)
		c[0] = c[1];
	if (c[1] == PROBE_CLASS_X87UP && c[0] != PROBE_CLASS_X87)
		c[0] = PROBE_CLASS_MEMORY;
	if (c[1] == PROBE_CLASS_SSEUP && c[0] != PROBE_CLASS_SSE)
		c[1] = PROBE_CLASS_SSE;
	if (out->size > 16 && c[0] != PROBE_CLASS_UNKNOWN && c[0] != PROBE_CLASS_COMPLEX_X87)
		c[0] = PROBE_CLASS_MEMORY;
	if (c[0] >= PROBE_CLASS_COMPLEX_X87)
		c[1] = PROBE_CLASS_NONE;
}
