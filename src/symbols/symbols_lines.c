/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file's debug information as two sorted lists, so that an address costs two binary searches.
 *
 *     stretches of compilation units ──> unit ──> its code: functions and what was put into them, as nested stretches
 *
 *     | solve                                    |      | main      |
 *        | norm (inlined)  |    | norm (inlined) |
 *             | sqrt (inl.) |
 *
 * A unit's code is read when an address first leads to it. The units' own table of addresses (.debug_aranges) is not used: clang makes none.
 * A file may say anything: each unit yields no more entries than it has bytes, and nesting is by addresses, not by what it claims.
 */
#include "symbols_priv.h"
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stretch {
	uint64_t low, high;
	uint32_t of; /* unit */
};
struct code {
	uint64_t low, high;
	const char *name, *linkage, *call_file;
	uint32_t call_line;
	int32_t around; /* the stretch that it lies in, or -1 */
	bool inlined;
};
struct unit {
	Dwarf_Off die;
	uint64_t bytes;
	bool read;
	WEFT_VEC(struct code) code; /* by low, the longer first */
};
struct symbols_lines {
	Dwarf *dwarf;
	WEFT_VEC(struct unit) unit;
	WEFT_VEC(struct stretch) stretch; /* by low */
};

/* ---- units ---- */

static int order_stretches(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	return x->low != y->low ? (x->low < y->low ? -1 : 1) : x->of < y->of ? -1 : x->of > y->of;
}

enum { RANGES_MOST = 1 << 20 };

static int add_unit(struct symbols_lines *l, Dwarf_Die *die, uint64_t bytes)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint32_t of = (uint32_t)l->unit.n;
	int rc = weft_vec_push(&l->unit, (struct unit){.die = dwarf_dieoffset(die), .bytes = bytes});
	for (unsigned k = 0; !rc && k < RANGES_MOST && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0; k++)
		if (low < high && low)
			rc = weft_vec_push(&l->stretch, (struct stretch){low, high, of});
	return rc;
}

int symbols_lines_new(struct symbols_lines **out, Dwarf *dwarf)
{
	struct symbols_lines *l = calloc(1, sizeof *l);
	Dwarf_Off at = 0, next;
	size_t head;
	int rc = l ? 0 : -ENOMEM;
	*out = NULL;
	if (l)
		l->dwarf = dwarf;
	while (!rc && dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL) == 0 && next > at) {
		Dwarf_Die die;
		if (dwarf_offdie(dwarf, at + head, &die) && dwarf_tag(&die) == DW_TAG_compile_unit)
			rc = add_unit(l, &die, next - at);
		at = next;
	}
	if (rc) {
		symbols_lines_free(l);
		return rc;
	}
	if (l->stretch.n)
		qsort(l->stretch.at, l->stretch.n, sizeof *l->stretch.at, order_stretches);
	*out = l;
	return 0;
}

void symbols_lines_free(struct symbols_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->unit.n; i++)
		free(l->unit.at[i].code.at);
	free(l->unit.at);
	free(l->stretch.at);
	free(l);
}

/* Stretches of different units hardly ever overlap; where they do, the one that begins last. */
static struct unit *unit_at(struct symbols_lines *l, uint64_t addr)
{
	size_t from = 0, to = l->stretch.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (l->stretch.at[middle].low <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	for (unsigned k = 0; from-- > 0 && k < 64; k++)
		if (addr < l->stretch.at[from].high)
			return &l->unit.at[l->stretch.at[from].of];
	return NULL;
}

/* ---- the code of a unit ---- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, name, &a) ? dwarf_formstring(&a) : NULL;
}

static void find_call(Dwarf_Die *die, Dwarf_Files *files, size_t n_files, struct code *c)
{
	Dwarf_Attribute a;
	Dwarf_Word file = 0, line = 0;
	if (dwarf_attr(die, DW_AT_call_line, &a) && dwarf_formudata(&a, &line) == 0)
		c->call_line = line <= UINT32_MAX ? (uint32_t)line : 0;
	if (files && dwarf_attr(die, DW_AT_call_file, &a) && dwarf_formudata(&a, &file) == 0 && file < n_files)
		c->call_file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
}

struct reading {
	struct unit *unit;
	Dwarf_Files *files;
	size_t n_files;
	uint64_t left; /* entries that may still come */
};

static int add_code(struct reading *r, Dwarf_Die *die, int tag)
{
	struct code c = {.inlined = tag == DW_TAG_inlined_subroutine, .around = -1};
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int rc = 0;
	for (unsigned k = 0; !rc && k < RANGES_MOST && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0; k++) {
		if (low >= high || !low)
			continue;
		if (k == 0 || !c.name) {
			c.name = text_of(die, DW_AT_name);
			c.linkage = text_of(die, DW_AT_linkage_name);
			if (!c.linkage)
				c.linkage = text_of(die, DW_AT_MIPS_linkage_name);
			if (c.inlined)
				find_call(die, r->files, r->n_files, &c);
		}
		c.low = low;
		c.high = high;
		rc = weft_vec_push(&r->unit->code, c);
	}
	return rc;
}

enum { ENTRIES_DEEP = 256 };

/* Depth first with a stack of its own: entries nest as deep as their writer wished. */
static int read_entries(struct reading *r, Dwarf_Die *root)
{
	Dwarf_Die level[ENTRIES_DEEP], child;
	int n = 0, rc = 0;
	if (dwarf_child(root, &level[0]) != 0)
		return 0;
	while (!rc && n >= 0) {
		int tag = dwarf_tag(&level[n]);
		if (r->left-- == 0)
			return 0;
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			rc = add_code(r, &level[n], tag);
		if (!rc && n + 1 < ENTRIES_DEEP && dwarf_child(&level[n], &child) == 0) {
			level[++n] = child;
			continue;
		}
		while (!rc && n >= 0 && dwarf_siblingof(&level[n], &level[n]) != 0)
			n--;
	}
	return rc;
}

/* Of two equal stretches the outer one is what stands first in the file, whose number `around` still is. */
static int order_code(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->around < y->around ? -1 : x->around > y->around;
}

static void nest_code(struct unit *u)
{
	struct code *c = u->code.at;
	int32_t open = -1;
	for (size_t i = 0; i < u->code.n; i++)
		c[i].around = (int32_t)i;
	if (u->code.n)
		qsort(c, u->code.n, sizeof *c, order_code);
	for (size_t i = 0; i < u->code.n; i++) {
		while (open >= 0 && c[open].high <= c[i].low)
			open = c[open].around;
		c[i].around = open;
		open = (int32_t)i;
	}
}

static int read_unit(struct symbols_lines *l, struct unit *u)
{
	Dwarf_Die die;
	struct reading r = {.unit = u, .left = u->bytes};
	u->read = true;
	if (!dwarf_offdie(l->dwarf, u->die, &die))
		return 0;
	if (dwarf_getsrcfiles(&die, &r.files, &r.n_files) != 0)
		r.files = NULL;
	int rc = read_entries(&r, &die);
	if (u->code.n > INT32_MAX)
		u->code.n = 0;
	nest_code(u);
	return rc;
}

/* ---- looking up ---- */

static int32_t innermost(const struct unit *u, uint64_t addr)
{
	size_t from = 0, to = u->code.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (u->code.at[middle].low <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	int32_t at = (int32_t)from - 1;
	while (at >= 0 && addr >= u->code.at[at].high)
		at = u->code.at[at].around;
	return at;
}

static void find_line(struct symbols_lines *l, const struct unit *u, uint64_t addr, struct symbols_spot *spot)
{
	Dwarf_Die die;
	int line = 0;
	Dwarf_Line *at = dwarf_offdie(l->dwarf, u->die, &die) ? dwarf_getsrc_die(&die, addr) : NULL;
	if (!at)
		return;
	spot->file = dwarf_linesrc(at, NULL, NULL);
	if (dwarf_lineno(at, &line) == 0 && line > 0)
		spot->line = (uint32_t)line;
}

int symbols_lines_find(struct symbols_lines *l, uint64_t addr, struct symbols_spot spot[SYMBOLS_DEPTH])
{
	struct unit *u = unit_at(l, addr);
	int n = 0, rc = 0;
	if (!u)
		return 0;
	if (!u->read && (rc = read_unit(l, u)))
		return rc;
	struct symbols_spot here = {.line = 0};
	find_line(l, u, addr, &here);
	for (int32_t at = innermost(u, addr); at >= 0 && n < SYMBOLS_DEPTH; at = u->code.at[at].around) {
		const struct code *c = &u->code.at[at];
		if (addr >= c->high)
			continue;
		here.name = c->name;
		here.linkage = c->linkage;
		here.inlined = c->inlined;
		spot[n++] = here;
		here = (struct symbols_spot){.file = c->call_file, .line = c->call_line};
		if (!c->inlined)
			break;
	}
	/* A line without a function: assembler. */
	if (!n && here.file)
		spot[n++] = here;
	/* What was put into something that is not said belongs to what the symbols say. */
	if (n)
		spot[n - 1].inlined = false;
	return n;
}
