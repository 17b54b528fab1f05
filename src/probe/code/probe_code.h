/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code: what a patch of a function's beginning displaces, where its stub may lie, and the
 * stub's bytes.
 *
 *     probe_decode.c  reads a function and lists the ways in which its beginning can be patched, the best first
 *     probe_place.c   finds an address for a stub, as a way allows
 *     probe_stub.c    writes the stub for that address
 *
 * All of it is computation on bytes: nothing here knows of processes.
 */
#ifndef WEFT_PROBE_CODE_H
#define WEFT_PROBE_CODE_H

#include "base/err.h"
#include "link/link_proto.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- probe_decode.c ---- */

/* What it takes to run an instruction somewhere else. */
enum probe_move {
	PROBE_COPY,
	PROBE_RIP,
	PROBE_JMP,
	PROBE_JCC,
	PROBE_JRCXZ,
	PROBE_CALL,
	PROBE_CALL_REG,
	PROBE_CALL_RIP,
	PROBE_STUCK
};

struct probe_insn {
	uint64_t addr;
	uint8_t len, move;
	uint8_t disp_at; /* PROBE_RIP, PROBE_CALL_RIP: where the displacement lies in it */
	uint8_t code;    /* PROBE_JCC: the condition; PROBE_JRCXZ: the opcode; PROBE_CALL_REG: the register */
	uint8_t bytes[15];
	uint64_t target; /* of a branch, or of the memory that it names */
};

#define PROBE_DISPLACED 16u

/* A way to patch. */
struct probe_way {
	uint64_t at;          /* the first byte that changes */
	uint8_t n;            /* how many do: 5 to LINK_PATCH_BYTES for a jump, 1 for a trap */
	uint8_t prefixes;     /* REX prefixes in front of the jump */
	uint8_t boundary;     /* bit i: an old instruction begins at at + i; bit 0 is set */
	bool undoes_push;     /* a `push` in front of at has run, and is displaced, too */
	bool trap;            /* int3 */
	uint32_t mask, value; /* what the stub's distance from the jump's end must be in these bits */
	unsigned n_insns;
	struct probe_insn insn[PROBE_DISPLACED];
};

#define PROBE_WAYS 12u

struct probe_ways {
	struct probe_way at[PROBE_WAYS];
	unsigned n;
	const char *why_no_jump; /* the ways have traps only: why; else NULL */
	bool loops;              /* a branch inside goes back to the entry: whoever is there need not have been called */
};

/*
 * The ways for the function whose n bytes, as they are in memory, begin at addr; `room` ≥ n bytes
 * are readable there. Fails with a reason for people.
 */
int probe_decode(const uint8_t *bytes, size_t n, size_t room, uint64_t addr, struct probe_ways *out,
                 struct weft_err *err) WEFT_MUST_CHECK;

/* A direct call, or a tail call, in a function. */
struct probe_site_call {
	uint64_t addr, target, slot; /* slot: address of the memory that holds the target, or 0 */
	uint8_t len;
	bool tail;
};
struct probe_calls {
	struct probe_site_call *at; /* owned */
	size_t n, cap;
};
int probe_decode_calls(const uint8_t *bytes, size_t n, uint64_t addr, struct probe_calls *out) WEFT_MUST_CHECK;
/* The slot through which a stub of the procedure linkage table at addr jumps; 0: it is none. */
uint64_t probe_decode_plt(const uint8_t *bytes, size_t n, uint64_t addr);

/* ---- probe_place.c ---- */

struct probe_range {
	uint64_t from, to;
};
struct probe_ranges {
	struct probe_range *at; /* owned; sorted */
	size_t n, cap;
};
struct probe_place {
	struct probe_ranges taken; /* of the process: from its map, refreshed by whoever knows it */
	struct probe_ranges pages; /* ours, for stubs */
	struct probe_ranges used;  /* parts of those */
	uint64_t recent[16];       /* where the last ones begin, in turn */
	unsigned n_recent;
};
void probe_place_fini(struct probe_place *p);
void probe_place_forget(struct probe_place *p); /* our own pages: whether they are there is not known any more */
/* Adds a range, merging with its neighbours. */
int probe_ranges_add(struct probe_ranges *r, struct probe_range one) WEFT_MUST_CHECK;
struct probe_jump {
	uint64_t end;         /* the address behind it */
	uint32_t mask, value; /* the bits of its distance that are given, and what they are */
};
static inline struct probe_jump probe_way_jump(const struct probe_way *w)
{
	return (struct probe_jump){w->at + w->n, w->mask, w->value};
}
/*
 * An address for `bytes` of code that the jump reaches. *map: pages that have to be mapped first,
 * or {0, 0}. 0, or -ENOSPC. Nothing is claimed before probe_place_claim.
 */
int probe_place_find(const struct probe_place *p, struct probe_jump jump, size_t bytes, uint64_t *addr,
                     struct probe_range *map) WEFT_MUST_CHECK;
/* Between two stubs there is nothing, in pages of ours. */
bool probe_place_is_gap(const struct probe_place *p, uint64_t from, uint64_t to);
int probe_place_claim(struct probe_place *p, uint64_t addr, size_t bytes, struct probe_range map) WEFT_MUST_CHECK;

/* ---- probe_stub.c ---- */

enum probe_stub_kind {
	PROBE_STUB_COUNT = 1, /* counts entries */
	PROBE_STUB_ENTER = 2, /* calls the agent at entry */
	PROBE_STUB_LEAVE = 4, /* and at the exit (implies ENTER) */
	PROBE_STUB_XMM = 8,   /* with the vector parameters and results */
	PROBE_STUB_UNWIND = 16,
};

#define PROBE_STUB_BYTES 1024u
#define PROBE_STUB_ALIGN 16u /* where one may begin */

struct probe_stub {
	uint8_t bytes[PROBE_STUB_BYTES];
	size_t n;
	uint64_t addr, exit_stub;
	uint64_t copy[LINK_PATCH_BYTES]; /* of the instruction that began at way->at + i */
};
/* 0, or -ERANGE when something is too far from addr. */
int probe_stub_write(const struct probe_way *way, unsigned kinds, const struct link_hello *agent, uint32_t site, uint64_t addr,
                     struct probe_stub *out) WEFT_MUST_CHECK;
/*
 * What a function that is called no more returns 0 in. Nothing else: who calls it may have
 * something there.
 */
enum probe_returns { PROBE_RETURNS_NOTHING, PROBE_RETURNS_RAX = 1, PROBE_RETURNS_XMM0 = 2 };
/*
 * A stub that goes to `target` instead (0: returns 0 at once); with the displaced instructions
 * behind, as `original`.
 */
int probe_stub_write_other(const struct probe_way *way, uint64_t target, unsigned returns, uint64_t addr, struct probe_stub *out,
                           uint64_t *original) WEFT_MUST_CHECK;
/*
 * For the call at `call`, of a function that is called no more: `return 0`, and the call itself for
 * who is just there.
 */
int probe_stub_write_call(const struct probe_site_call *call, unsigned returns, uint64_t addr,
                          struct probe_stub *out) WEFT_MUST_CHECK;
/* The bytes of a patch that makes `way` lead to the stub (before: what is there now). */
void probe_patch(const struct probe_way *way, const struct probe_stub *stub, const uint8_t *before, struct link_patch *out);

#endif
