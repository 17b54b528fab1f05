/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of src/unwind share. */
#ifndef WEFT_UNWIND_PRIV_H
#define WEFT_UNWIND_PRIV_H

#include "unwind.h"
#include <stddef.h>

/* ---- how the caller's registers are found from a frame's (unwind_rule.c) ---- */

enum unwind_kind {
	UNWIND_NONE,    /* no table says it */
	UNWIND_OFFSET,  /* the frame's address (CFA) is register + offset */
	UNWIND_DEREF,   /* it is what lies at register + offset, + add */
	UNWIND_PLT,     /* it is register + offset, + 8 from byte `add` of a 16-byte entry on */
	UNWIND_SIGNAL,  /* the C library's return from a handler: registers are those that the kernel put aside */
	UNWIND_OUTSIDE, /* the thread's first function */
};

enum { UNWIND_SAVED = 6, UNWIND_SAME = INT16_MIN };
extern const uint8_t unwind_saved[UNWIND_SAVED]; /* which registers they are: those that functions keep for their callers */

struct unwind_rule {
	int32_t offset;
	int16_t add, ra;             /* ra: where the return address lies, from the CFA */
	int16_t saved[UNWIND_SAVED]; /* where the caller's register lies, from the CFA; UNWIND_SAME: it is still there */
	uint8_t kind, reg;
	uint8_t from_bp; /* bit i: saved[i] counts from rbp instead */
	uint8_t zero;
};
_Static_assert(sizeof(struct unwind_rule) == 24, "a rule and its address fill half a cache line");

/* ---- tables of an object (unwind_table.c) ---- */

/* Bytes that can be read; whatever leads out of them is no table. */
struct unwind_bytes {
	const uint8_t *from, *to;
};

struct unwind_cie {
	const uint8_t *program, *program_end;
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses in its FDEs */
	bool signal, has_data;
};

struct unwind_fde {
	struct unwind_cie cie;
	const uint8_t *program, *program_end;
	uint64_t begin, bytes; /* the function */
};

/* The FDE of the function at `ip`, of the object with this .eh_frame_hdr. False: none. */
bool unwind_table_find(const struct unwind_bytes *in, const uint8_t *hdr, uint64_t ip, struct unwind_fde *out);
bool unwind_fde_read(const struct unwind_bytes *in, const uint8_t *at, struct unwind_fde *out);

/* Runs its program up to `ip`: kind UNWIND_NONE where that needs what we do not know. */
void unwind_rule_of(const struct unwind_fde *fde, uint64_t ip, struct unwind_rule *out);

/* ---- reading ---- */

struct unwind_cursor {
	const uint8_t *at, *to;
	bool bad; /* led out of its bytes */
};
uint64_t unwind_get(struct unwind_cursor *c, unsigned bytes);
uint64_t unwind_get_uleb(struct unwind_cursor *c);
int64_t unwind_get_sleb(struct unwind_cursor *c);
/* An address as DW_EH_PE_* says; `hdr`: what data-relative ones count from. */
uint64_t unwind_get_encoded(struct unwind_cursor *c, uint8_t encoding, uint64_t hdr);

/* ---- objects, and rules that were needed before ---- */

struct unwind_where {
	struct unwind_bytes bytes;
	const uint8_t *hdr;
};
/* Its .eh_frame_hdr; NULL: no object's address, or of one without tables. */
const uint8_t *unwind_tables(uint64_t ip);
/* The same, with the bytes that can be read there. */
bool unwind_find(uint64_t ip, struct unwind_where *out);
/* Of the address, by the object's tables or from before. */
void unwind_rule_at(uint64_t ip, struct unwind_rule *out);

#endif
