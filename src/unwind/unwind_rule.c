/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of a function (DW_CFA_*), run up to an address: where its frame is, and where the caller's registers lie. A rule has room
 * for what compilers emit: the frame from a register, or, with stacks that are aligned anew, from a word on it; entries of the PLT;
 * callee-saved registers on the stack. Expressions beyond these are rare (hand-written assembly), and a stack ends there.
 */
#include "unwind_priv.h"
#include <string.h>

enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC,
	CFA_ADVANCE1,
	CFA_ADVANCE2,
	CFA_ADVANCE4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME,
	CFA_REGISTER,
	CFA_REMEMBER,
	CFA_RESTORE_STATE,
	CFA_DEF,
	CFA_DEF_REGISTER,
	CFA_DEF_OFFSET,
	CFA_DEF_EXPRESSION,
	CFA_EXPRESSION,
	CFA_OFFSET_EXTENDED_SF,
	CFA_DEF_SF,
	CFA_DEF_OFFSET_SF,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF,
	CFA_VAL_EXPRESSION,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f,
	CFA_ADVANCE = 0x40, /* with the operand in the low six bits */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
};
enum {
	OP_DEREF = 0x06,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_AND = 0x1a,
	OP_GE = 0x2a,
	OP_SHL = 0x24
};

enum where { WHERE_SAME, WHERE_CFA, WHERE_BP, WHERE_NOWHERE, WHERE_UNKNOWN };
struct place {
	int32_t offset;
	uint8_t where;
};
/* A row of the table that the program stands for. Small, as it stands on the stacks of signal handlers: of the registers that matter. */
enum { PLACE_RA = UNWIND_SAVED, PLACE_OTHER, PLACES };
struct row {
	uint8_t kind, reg;
	int64_t offset, add;
	struct place place[PLACES];
};
enum { REMEMBERED_MOST = 4 };
struct run {
	struct unwind_cursor c;
	const struct unwind_cie *cie;
	uint64_t at; /* address that the row holds from */
	struct row row, remembered[REMEMBERED_MOST];
	const struct row *first; /* of the CIE: what is restored */
	unsigned n;
	bool unknown;
};

const uint8_t unwind_saved[UNWIND_SAVED] = {UNWIND_BX, UNWIND_BP, 12, 13, 14, 15};

/* ---- expressions ---- */

/* breg N offset [deref [plus_uconst add]], or that of the linkers' PLT: breg7 8, breg16 0, lit15 and, litK ge, lit3 shl, plus. */
static void run_frame_expression(struct run *r, struct unwind_cursor c)
{
	static const uint8_t plt_end[] = {OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS};
	uint64_t op = unwind_get(&c, 1);
	struct row *row = &r->row;
	row->kind = UNWIND_NONE;
	if (op < OP_BREG0 || op >= OP_BREG0 + UNWIND_IP)
		return;
	row->reg = (uint8_t)(op - OP_BREG0);
	row->offset = unwind_get_sleb(&c);
	row->add = 0;
	if (c.bad)
		return;
	if (c.at == c.to) {
		row->kind = UNWIND_OFFSET;
		return;
	}
	op = unwind_get(&c, 1);
	if (op == OP_DEREF) {
		bool more = c.at < c.to;
		if (more && unwind_get(&c, 1) == OP_PLUS_UCONST)
			row->add = (int64_t)unwind_get_uleb(&c);
		if (!c.bad && c.at == c.to && (!more || row->add))
			row->kind = UNWIND_DEREF;
	} else if (op == OP_BREG0 + UNWIND_IP && c.to - c.at == 8 && c.at[0] == 0 && c.at[1] == OP_LIT0 + 15 &&
	           c.at[2] == OP_AND && c.at[3] >= OP_LIT0 && c.at[3] < OP_LIT0 + 16 &&
	           memcmp(c.at + 4, plt_end, sizeof plt_end) == 0) {
		row->add = c.at[3] - OP_LIT0;
		row->kind = UNWIND_PLT;
	}
}

/* Where a register lies: breg6 offset, in functions that align their stack anew. */
static struct place run_place_expression(struct unwind_cursor c)
{
	bool from_bp = unwind_get(&c, 1) == OP_BREG0 + UNWIND_BP;
	int64_t offset = unwind_get_sleb(&c);
	if (!from_bp || c.bad || c.at != c.to)
		return (struct place){0, WHERE_UNKNOWN};
	return (struct place){(int32_t)offset, offset == (int32_t)offset ? WHERE_BP : WHERE_UNKNOWN};
}

static struct unwind_cursor run_block(struct run *r)
{
	uint64_t bytes = unwind_get_uleb(&r->c);
	if (r->c.bad || bytes > (uint64_t)(r->c.to - r->c.at)) {
		r->c.bad = true;
		return (struct unwind_cursor){r->c.at, r->c.at, false};
	}
	struct unwind_cursor c = {r->c.at, r->c.at + bytes, false};
	r->c.at += bytes;
	return c;
}

/* ---- instructions ---- */

static unsigned place_of(uint64_t reg)
{
	return reg == UNWIND_BX        ? 0
	       : reg == UNWIND_BP      ? 1
	       : reg >= 12 && reg < 16 ? (unsigned)reg - 10
	       : reg == UNWIND_IP      ? PLACE_RA
	                               : PLACE_OTHER;
}

static void run_place(struct run *r, uint64_t reg, uint8_t where, int64_t offset)
{
	bool fits = offset == (int32_t)offset;
	r->row.place[place_of(reg)] = (struct place){fits ? (int32_t)offset : 0, fits ? where : WHERE_UNKNOWN};
}

static void run_restore(struct run *r, uint64_t reg)
{
	unsigned p = place_of(reg);
	r->row.place[p] = r->first ? r->first->place[p] : (struct place){0, WHERE_SAME};
}

static int64_t run_factored(const struct run *r, int64_t n)
{
	return (int64_t)((uint64_t)n * (uint64_t)r->cie->data_align);
}

static void run_frame(struct run *r, uint64_t reg, int64_t offset)
{
	r->row.kind = reg < UNWIND_IP ? UNWIND_OFFSET : UNWIND_NONE;
	r->row.reg = (uint8_t)reg;
	r->row.offset = offset;
	r->row.add = 0;
}

static void run_state(struct run *r, bool keep)
{
	if (keep && r->n < REMEMBERED_MOST)
		r->remembered[r->n++] = r->row;
	else if (!keep && r->n)
		r->row = r->remembered[--r->n];
	else
		r->unknown = true;
}

/* Instructions that change where the frame is. False: it is another one. */
static bool run_frame_op(struct run *r, unsigned op)
{
	uint64_t reg;
	switch (op) {
	case CFA_DEF:
		reg = unwind_get_uleb(&r->c);
		run_frame(r, reg, (int64_t)unwind_get_uleb(&r->c));
		return true;
	case CFA_DEF_SF:
		reg = unwind_get_uleb(&r->c);
		run_frame(r, reg, run_factored(r, unwind_get_sleb(&r->c)));
		return true;
	case CFA_DEF_REGISTER:
		run_frame(r, unwind_get_uleb(&r->c), r->row.offset);
		return true;
	case CFA_DEF_OFFSET:
		r->row.offset = (int64_t)unwind_get_uleb(&r->c);
		return true;
	case CFA_DEF_OFFSET_SF:
		r->row.offset = run_factored(r, unwind_get_sleb(&r->c));
		return true;
	case CFA_DEF_EXPRESSION:
		run_frame_expression(r, run_block(r));
		return true;
	default:
		return false;
	}
}

/* And where a register is. */
static bool run_place_op(struct run *r, unsigned op)
{
	uint64_t reg;
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		reg = unwind_get_uleb(&r->c);
		run_place(r, reg, WHERE_CFA, run_factored(r, (int64_t)unwind_get_uleb(&r->c)));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		reg = unwind_get_uleb(&r->c);
		run_place(r, reg, WHERE_CFA, run_factored(r, unwind_get_sleb(&r->c)));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET:
		reg = unwind_get_uleb(&r->c);
		run_place(r, reg, WHERE_CFA, run_factored(r, -(int64_t)unwind_get_uleb(&r->c)));
		return true;
	case CFA_RESTORE_EXTENDED:
		run_restore(r, unwind_get_uleb(&r->c));
		return true;
	case CFA_UNDEFINED:
		run_place(r, unwind_get_uleb(&r->c), WHERE_NOWHERE, 0);
		return true;
	case CFA_SAME:
		run_place(r, unwind_get_uleb(&r->c), WHERE_SAME, 0);
		return true;
	case CFA_EXPRESSION:
		reg = unwind_get_uleb(&r->c);
		struct place p = run_place_expression(run_block(r));
		run_place(r, reg, p.where, p.offset);
		return true;
	case CFA_REGISTER:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		reg = unwind_get_uleb(&r->c);
		(void)unwind_get_uleb(&r->c);
		run_place(r, reg, WHERE_UNKNOWN, 0);
		return true;
	case CFA_VAL_EXPRESSION:
		reg = unwind_get_uleb(&r->c);
		(void)run_block(r);
		run_place(r, reg, WHERE_UNKNOWN, 0);
		return true;
	default:
		return false;
	}
}

static void run_other_op(struct run *r, unsigned op)
{
	switch (op) {
	case CFA_NOP:
		return;
	case CFA_SET_LOC:
		r->at = unwind_get_encoded(&r->c, r->cie->encoding, 0);
		return;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		r->at += unwind_get(&r->c, 1u << (op - CFA_ADVANCE1)) * r->cie->code_align;
		return;
	case CFA_REMEMBER:
	case CFA_RESTORE_STATE:
		run_state(r, op == CFA_REMEMBER);
		return;
	case CFA_GNU_ARGS_SIZE:
		(void)unwind_get_uleb(&r->c);
		return;
	default:
		r->unknown = true;
	}
}

static void run_until(struct run *r, const uint8_t *from, const uint8_t *to, uint64_t ip)
{
	r->c = (struct unwind_cursor){from, to, false};
	while (r->c.at < r->c.to && !r->c.bad && !r->unknown) {
		unsigned op = (unsigned)unwind_get(&r->c, 1), low = op & 0x3f;
		if ((op & 0xc0) == CFA_ADVANCE)
			r->at += low * r->cie->code_align;
		else if ((op & 0xc0) == CFA_OFFSET)
			run_place(r, low, WHERE_CFA, run_factored(r, (int64_t)unwind_get_uleb(&r->c)));
		else if ((op & 0xc0) == CFA_RESTORE)
			run_restore(r, low);
		else if (!run_frame_op(r, op) && !run_place_op(r, op))
			run_other_op(r, op);
		if (r->at > ip)
			return;
	}
}

/* ---- the row as a rule ---- */

static bool fits(int64_t v)
{
	return v > INT16_MIN && v <= INT16_MAX;
}

static void rule_from_row(const struct row *row, struct unwind_rule *out)
{
	const struct place *ra = &row->place[PLACE_RA];
	if (ra->where == WHERE_NOWHERE) {
		out->kind = UNWIND_OUTSIDE;
		return;
	}
	if (row->kind == UNWIND_NONE || ra->where != WHERE_CFA || !fits(ra->offset) || !fits(row->add) ||
	    row->offset != (int32_t)row->offset)
		return;
	out->offset = (int32_t)row->offset;
	out->add = (int16_t)row->add;
	out->ra = (int16_t)ra->offset;
	out->reg = row->reg;
	for (unsigned i = 0; i < UNWIND_SAVED; i++) {
		const struct place *p = &row->place[i];
		bool known = p->where == WHERE_CFA || p->where == WHERE_BP;
		if (p->where == WHERE_UNKNOWN || (known && !fits(p->offset)))
			return;
		out->saved[i] = known ? (int16_t)p->offset : UNWIND_SAME;
		if (p->where == WHERE_BP)
			out->from_bp |= (uint8_t)(1u << i);
	}
	out->kind = row->kind;
}

void unwind_rule_of(const struct unwind_fde *fde, uint64_t ip, struct unwind_rule *out)
{
	struct run r = {.cie = &fde->cie, .at = 0};
	struct row first;
	*out = (struct unwind_rule){.kind = UNWIND_NONE};
	if (fde->cie.signal) {
		out->kind = UNWIND_SIGNAL;
		return;
	}
	run_until(&r, fde->cie.program, fde->cie.program_end, UINT64_MAX);
	if (r.c.bad || r.unknown)
		return;
	first = r.row;
	r.first = &first;
	r.at = fde->begin;
	r.n = 0;
	run_until(&r, fde->program, fde->program_end, ip);
	if (!r.c.bad && !r.unknown)
		rule_from_row(&r.row, out);
}
