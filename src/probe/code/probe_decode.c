/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a function with Zydis: its first instructions, which a patch displaces, and its branches,
 * which must not go into them.
 *
 * A way is a jump of 5 bytes and up to 3 prefixes at one of three places: at the function's first
 * instruction (behind an `endbr64`, which stays), or behind a leading one-byte `push`. Its bytes
 * that fall on old instruction boundaries must be 0xCC; so a boundary may lie on the four bytes of
 * the distance only, and fixes that byte. Ways are listed by how free they leave the stub's
 * address.
 */
#include "probe_code.h"
#include "base/vec.h"
#include <errno.h>
#include <Zydis/Zydis.h>
#include <string.h>

enum { ENDBR = 4, JUMP = 5 };

static const ZydisDecoder *decoder(void)
{
	static _Thread_local ZydisDecoder d;
	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return &d;
}

static bool read_one(const ZydisDecoder *d, const uint8_t *at, size_t n, ZydisDecodedInstruction *out)
{
	return n > 0 && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(d, NULL, at, n, out));
}

static bool names_rip(const ZydisDecodedInstruction *i)
{
	return (i->attributes & ZYDIS_ATTRIB_HAS_MODRM) && i->raw.modrm.mod == 0 && i->raw.modrm.rm == 5;
}

static bool relative(const ZydisDecodedInstruction *i, uint64_t addr, uint64_t *target)
{
	if (!i->raw.imm[0].is_relative)
		return false;
	*target = addr + i->length + (uint64_t)i->raw.imm[0].value.s;
	return true;
}

static void classify_call(const ZydisDecodedInstruction *i, struct probe_insn *out)
{
	if (i->raw.imm[0].is_relative)
		out->move = PROBE_CALL;
	else if (names_rip(i))
		out->move = PROBE_CALL_RIP;
	else if (i->raw.modrm.mod == 3) {
		out->move = PROBE_CALL_REG;
		out->code = (uint8_t)(i->raw.modrm.rm | (i->raw.rex.B ? 8 : 0));
	} else {
		out->move = PROBE_STUCK;
	}
}

static void classify(const ZydisDecodedInstruction *i, const uint8_t *at, uint64_t addr, struct probe_insn *out)
{
	*out = (struct probe_insn){.addr = addr, .len = i->length, .move = PROBE_COPY};
	memcpy(out->bytes, at, i->length);
	bool branches = relative(i, addr, &out->target);
	if (names_rip(i)) {
		out->move = PROBE_RIP;
		out->disp_at = i->raw.disp.offset;
		out->target = addr + i->length + (uint64_t)i->raw.disp.value;
	}
	if (i->meta.category == ZYDIS_CATEGORY_CALL) {
		classify_call(i, out);
	} else if (branches && i->mnemonic == ZYDIS_MNEMONIC_JMP) {
		out->move = PROBE_JMP;
	} else if (branches && i->meta.category == ZYDIS_CATEGORY_COND_BR) {
		bool counts = i->opcode >= 0xE0 && i->opcode <= 0xE3 && i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
		out->move = !counts ? PROBE_JCC : i->length == 2 ? PROBE_JRCXZ : PROBE_STUCK;
		out->code = counts ? i->opcode : i->opcode & 15;
	} else if (branches) {
		out->move = PROBE_STUCK;
	}
}

/*
 * Bytes behind the function up to where the next one can begin, when nothing is there: they may be
 * overwritten, too.
 */
static size_t padding(const uint8_t *bytes, size_t n, size_t room, uint64_t addr)
{
	const ZydisDecoder *d = decoder();
	ZydisDecodedInstruction i;
	size_t at = n, end = n + (size_t)(-(addr + n) & 15);
	while (at < end && at < room) {
		if (bytes[at] == 0xCC || bytes[at] == 0)
			at++;
		else if (read_one(d, bytes + at, room - at, &i) && i.mnemonic == ZYDIS_MNEMONIC_NOP && at + i.length <= end)
			at += i.length;
		else
			break;
	}
	return at;
}

struct look {
	size_t n, whole; /* whole: with the padding */
	uint64_t addr;
	size_t from;      /* the first instruction that may be displaced: not `endbr64` */
	uint32_t inward;  /* bit i: a branch goes to addr + i */
	unsigned n_insns; /* from there on, as many as can be moved and a way might displace */
	struct probe_insn insn[PROBE_DISPLACED];
};

/* All of the function: branches into its first bytes, and its first instructions. */
static void look_at(struct look *l, const uint8_t *bytes)
{
	const ZydisDecoder *d = decoder();
	ZydisDecodedInstruction i;
	bool more = true;
	for (size_t at = 0; at < l->n && read_one(d, bytes + at, l->n - at, &i); at += i.length) {
		uint64_t target;
		if (i.meta.category != ZYDIS_CATEGORY_CALL && relative(&i, l->addr + at, &target) && target >= l->addr &&
		    target - l->addr < 32)
			l->inward |= 1u << (target - l->addr);
		more = more && l->n_insns < PROBE_DISPLACED && at < l->from + 1 + LINK_PATCH_BYTES &&
		       i.mnemonic != ZYDIS_MNEMONIC_INT3;
		if (!more || at < l->from)
			continue;
		classify(&i, bytes + at, l->addr + at, &l->insn[l->n_insns]);
		more = l->insn[l->n_insns].move != PROBE_STUCK;
		l->n_insns += more;
	}
}

/* Displaced instructions until they cover `need` bytes behind `at`. False: they cannot be. */
static bool displace(const struct look *l, size_t at, size_t need, struct probe_way *w)
{
	size_t k = l->from;
	for (w->n_insns = 0; k < at + need && k < l->n; k += w->insn[w->n_insns++].len) {
		if (w->n_insns == l->n_insns)
			return false;
		w->insn[w->n_insns] = l->insn[w->n_insns];
		if (k > at)
			w->boundary |= (uint8_t)(1u << (k - at));
	}
	return k >= at + need || at + need <= l->whole;
}

/* The jump's distance has 0xCC in the bytes that lie on boundaries. */
static bool pun(struct probe_way *w)
{
	for (unsigned k = 1; k < w->n; k++) {
		if (!(w->boundary >> k & 1))
			continue;
		if (k <= w->prefixes)
			return false;
		unsigned byte = k - w->prefixes - 1;
		w->mask |= 0xffu << 8 * byte;
		w->value |= 0xccu << 8 * byte;
	}
	return true;
}

/* All but the instructions, which are many bytes: those are written when there are any. */
static void begin_way(struct probe_way *w, uint64_t at, size_t n)
{
	memset(w, 0, offsetof(struct probe_way, insn));
	w->at = at;
	w->n = (uint8_t)n;
	w->boundary = 1;
}

static bool jump_way(const struct look *l, size_t at, unsigned prefixes, struct probe_way *w)
{
	size_t need = JUMP + prefixes;
	begin_way(w, l->addr + at, need);
	w->prefixes = (uint8_t)prefixes;
	w->undoes_push = at > l->from;
	uint32_t inside = ((1u << (at + need)) - 1) & ~((2u << at) - 1);
	/* Behind a push, a branch to `at` itself is one into the middle of what is undone. */
	if (w->undoes_push)
		inside |= 1u << at;
	return at + need < 32 && !(l->inward & inside) && displace(l, at, need, w) && pun(w);
}

/* Fixed high bytes leave few addresses, and far ones. */
static unsigned strictness(const struct probe_way *w)
{
	unsigned s = w->prefixes + (w->undoes_push ? 4 : 0);
	for (unsigned byte = 0; byte < 4; byte++)
		if (w->mask >> 8 * byte & 0xff)
			s += 8u << 2 * byte;
	return s;
}

static void add_way(struct probe_ways *out, const struct probe_way *w)
{
	unsigned k = out->n++;
	for (; k > 0 && strictness(&out->at[k - 1]) > strictness(w); k--)
		out->at[k] = out->at[k - 1];
	out->at[k] = *w;
}

static bool trap_way(const struct look *l, struct probe_way *w)
{
	begin_way(w, l->addr + l->from, 1);
	w->trap = true;
	return displace(l, l->from, 1, w);
}

int probe_decode(const uint8_t *bytes, size_t n, size_t room, uint64_t addr, struct probe_ways *out, struct weft_err *err)
{
	static const uint8_t endbr[ENDBR] = {0xf3, 0x0f, 0x1e, 0xfa};
	out->n = 0;
	out->why_no_jump = NULL;
	size_t from = n >= ENDBR && !memcmp(bytes, endbr, ENDBR) ? ENDBR : 0;
	if (n <= from)
		return weft_err_set(err, -ENOTSUP, "it has no instructions");
	if (bytes[from] == 0xCC)
		return weft_err_set(err, -EBUSY, "a breakpoint of another tool stands at its entry");
	struct look l = {.n = n, .whole = padding(bytes, n, room, addr), .addr = addr, .from = from};
	look_at(&l, bytes);
	struct probe_way w;
	for (unsigned prefixes = 0; prefixes <= 3; prefixes++)
		if (jump_way(&l, from, prefixes, &w))
			add_way(out, &w);
	bool push = bytes[from] >= 0x50 && bytes[from] <= 0x57;
	for (unsigned prefixes = 0; push && prefixes <= 3; prefixes++)
		if (jump_way(&l, from + 1, prefixes, &w))
			add_way(out, &w);
	out->loops = l.inward & ((2u << from) - 1);
	if (out->n == 0) {
		uint32_t inside = ((1u << (from + JUMP)) - 1) & ~((2u << from) - 1);
		out->why_no_jump = l.whole < from + JUMP ? "it is shorter than a jump"
		                   : l.inward & inside   ? "a branch goes into its first bytes"
		                                         : "its first instructions cannot be moved";
	}
	if (trap_way(&l, &w))
		out->at[out->n++] = w;
	if (out->n == 0)
		return weft_err_set(err, -ENOTSUP, "%s, nor can its first instruction", out->why_no_jump);
	return 0;
}

int probe_decode_calls(const uint8_t *bytes, size_t n, uint64_t addr, struct probe_calls *out)
{
	const ZydisDecoder *d = decoder();
	ZydisDecodedInstruction i;
	for (size_t at = 0; at < n && read_one(d, bytes + at, n - at, &i); at += i.length) {
		bool call = i.meta.category == ZYDIS_CATEGORY_CALL, jump = i.mnemonic == ZYDIS_MNEMONIC_JMP;
		struct probe_site_call c = {.addr = addr + at, .len = i.length, .tail = jump};
		if (!call && !jump)
			continue;
		if (names_rip(&i))
			c.slot = addr + at + i.length + (uint64_t)i.raw.disp.value;
		else if (!relative(&i, addr + at, &c.target) || (jump && c.target - addr < n))
			continue;
		if (weft_vec_push(out, c))
			return -ENOMEM;
	}
	return 0;
}

uint64_t probe_decode_plt(const uint8_t *bytes, size_t n, uint64_t addr)
{
	const ZydisDecoder *d = decoder();
	ZydisDecodedInstruction i;
	for (size_t at = 0, k = 0; k < 2 && read_one(d, bytes + at, n - at, &i); at += i.length, k++) {
		if (i.mnemonic == ZYDIS_MNEMONIC_JMP)
			return names_rip(&i) ? addr + at + i.length + (uint64_t)i.raw.disp.value : 0;
		if (i.mnemonic != ZYDIS_MNEMONIC_ENDBR64)
			return 0;
	}
	return 0;
}
