/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs, byte by byte.
 *
 *     entry:  [undo the push] [count] [save, agent_enter, restore] ---- not watched to its end ----+
 *                 watched: drop the return address, call copy                                      |
 *     exit:       make room for it again, save, agent_leave (writes it), restore, ret              |
 *     copy:   the displaced instructions, jmp back  <----------------------------------------------+
 *
 * All registers that a callee may change are saved around a call of the agent, rax (which says how
 * many vector registers a variadic function gets) and r10, r11 included: callers that know the
 * function's code may rely on any of them. Flags need no care: no compiler keeps them over a call.
 */
#include "probe_code.h"
#include <errno.h>
#include <string.h>

struct out {
	uint8_t *at;
	size_t n;
	uint64_t addr; /* of byte 0 */
	bool far;
};

static void stub_put(struct out *o, const void *bytes, size_t n)
{
	if (o->n + n > PROBE_STUB_BYTES) {
		o->far = true;
		return;
	}
	memcpy(o->at + o->n, bytes, n);
	o->n += n;
}

#define PUT(o, ...) stub_put((o), (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static uint64_t stub_here(const struct out *o)
{
	return o->addr + o->n;
}

static void stub_put32(struct out *o, int64_t value)
{
	int32_t v = (int32_t)value;
	o->far |= v != value;
	stub_put(o, &v, sizeof v);
}

static void stub_put64(struct out *o, uint64_t value)
{
	stub_put(o, &value, sizeof value);
}

/* A distance of 32 bits from its end. */
static void put_distance(struct out *o, uint64_t target)
{
	stub_put32(o, (int64_t)(target - (stub_here(o) + 4)));
}

static void put_jmp(struct out *o, uint64_t target)
{
	PUT(o, 0xe9);
	put_distance(o, target);
}

/* Fills in a distance that was left open at `at`. */
static void close_distance(struct out *o, size_t at)
{
	int32_t v = (int32_t)(o->n - at - 4);
	if (at + 4 <= PROBE_STUB_BYTES)
		memcpy(o->at + at, &v, sizeof v);
}

/* push of an address: as two halves, since push has 32 bits only. */
static void put_push_address(struct out *o, uint64_t addr)
{
	PUT(o, 0x68);
	stub_put(o, &(uint32_t){(uint32_t)addr}, 4);
	PUT(o, 0xc7, 0x44, 0x24, 0x04);
	stub_put(o, &(uint32_t){(uint32_t)(addr >> 32)}, 4);
}

/* An instruction, to do here what it did there. */
static void put_moved(struct out *o, const struct probe_insn *i)
{
	uint64_t next = i->addr + i->len;
	switch ((enum probe_move)i->move) {
	case PROBE_COPY:
		stub_put(o, i->bytes, i->len);
		break;
	case PROBE_RIP: {
		uint8_t bytes[15];
		int64_t distance = (int64_t)(i->target - (stub_here(o) + i->len));
		int32_t d = (int32_t)distance;
		o->far |= d != distance;
		memcpy(bytes, i->bytes, sizeof bytes);
		memcpy(bytes + i->disp_at, &d, sizeof d);
		stub_put(o, bytes, i->len);
		break;
	}
	case PROBE_JMP:
		put_jmp(o, i->target);
		break;
	case PROBE_JCC:
		PUT(o, 0x0f, (uint8_t)(0x80 | i->code));
		put_distance(o, i->target);
		break;
	case PROBE_JRCXZ: /* which reaches over a jump, and no farther */
		PUT(o, i->code, 0x02, 0xeb, 0x05);
		put_jmp(o, i->target);
		break;
	case PROBE_CALL:
		put_push_address(o, next);
		put_jmp(o, i->target);
		break;
	case PROBE_CALL_REG:
		put_push_address(o, next);
		if (i->code & 8)
			PUT(o, 0x41);
		PUT(o, 0xff, (uint8_t)(0xe0 | (i->code & 7)));
		break;
	case PROBE_CALL_RIP:
		put_push_address(o, next);
		PUT(o, 0xff, 0x25);
		put_distance(o, i->target);
		break;
	case PROBE_STUCK:
		o->far = true;
		break;
	}
}

static void put_copy(struct out *o, const struct probe_way *w, struct probe_stub *stub)
{
	for (unsigned k = 0; k < w->n_insns; k++) {
		if (w->insn[k].addr >= w->at && w->insn[k].addr - w->at < LINK_PATCH_BYTES)
			stub->copy[w->insn[k].addr - w->at] = stub_here(o);
		put_moved(o, &w->insn[k]);
	}
	const struct probe_insn *last = &w->insn[w->n_insns - 1];
	put_jmp(o, last->addr + last->len);
}

enum { XMM_BYTES = 128 };

static void put_save(struct out *o, bool xmm)
{
	PUT(o, 0x50, 0x51, 0x52, 0x56, 0x57, 0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41,
	    0x53); /* push rax rcx rdx rsi rdi r8 … r11 */
	if (!xmm)
		return;
	PUT(o, 0x48, 0x8d, 0xa4, 0x24); /* lea rsp, [rsp - XMM_BYTES] */
	stub_put32(o, -XMM_BYTES);
	for (uint8_t k = 0; k < 8; k++)
		PUT(o, 0x0f, 0x11, (uint8_t)(0x44 | k << 3), 0x24, (uint8_t)(16 * k)); /* movups [rsp + 16 k], xmm k */
}

/* Leaves the flags alone. */
static void put_restore(struct out *o, bool xmm)
{
	if (xmm) {
		for (uint8_t k = 0; k < 8; k++)
			PUT(o, 0x0f, 0x10, (uint8_t)(0x44 | k << 3), 0x24, (uint8_t)(16 * k));
		PUT(o, 0x48, 0x8d, 0xa4, 0x24);
		stub_put32(o, XMM_BYTES);
	}
	PUT(o, 0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58, 0x5f, 0x5e, 0x5a, 0x59, 0x58);
}

/*
 * function(site, registers, exit): what is told comes from the stub itself, since a thread may be
 * in an older one than the site's. The lowest bit of the site says that vector registers are saved.
 * Where the exit's address belongs, if `exit`: to be closed; else 0.
 */
static size_t put_agent(struct out *o, uint64_t function, uint64_t site, bool xmm, bool exit)
{
	size_t at = 0;
	PUT(o, 0x48, 0xbf);
	stub_put64(o, site | xmm);
	PUT(o, 0x48, 0x8d, 0xb4, 0x24); /* lea rsi, [rsp + …] */
	stub_put32(o, xmm ? XMM_BYTES : 0);
	if (exit) {
		PUT(o, 0x48, 0x8d, 0x15); /* lea rdx, [rip + …] */
		at = o->n;
		stub_put32(o, 0);
	} else {
		PUT(o, 0x31, 0xd2); /* xor edx, edx */
	}
	PUT(o, 0x48, 0xb8);
	stub_put64(o, function);
	PUT(o, 0xff, 0xd0);
	return at;
}

static void put_self(struct out *o, const struct link_hello *agent)
{
	PUT(o, 0x51, 0x64, 0x48, 0x8b, 0x0c, 0x25); /* push rcx; mov rcx, fs:[self] */
	stub_put32(o, agent->self_offset);
}

static void put_inc(struct out *o, const struct link_hello *agent, uint32_t site)
{
	PUT(o, 0x48, 0xff, 0x81); /* inc qword [rcx + counter] */
	stub_put32(o, (int64_t)agent->count_offset + 8 * (int64_t)site);
}

/* The counter of this thread; where it has none yet, it is made out of line, and entered behind. */
static void put_count(struct out *o, const struct link_hello *agent, uint32_t site)
{
	put_self(o, agent);
	PUT(o, 0xe3, 0x09); /* jrcxz first */
	put_inc(o, agent, site);
	PUT(o, 0xeb, 0x00); /* jmp done */
	size_t jump = o->n;
	PUT(o, 0x59); /* first: */
	put_save(o, false);
	PUT(o, 0x48, 0xb8);
	stub_put64(o, agent->first);
	PUT(o, 0xff, 0xd0);
	put_restore(o, false);
	put_self(o, agent);
	PUT(o, 0xe3, 0x07);
	put_inc(o, agent, site);
	if (jump <= PROBE_STUB_BYTES)
		o->at[jump - 1] = (uint8_t)(o->n - jump);
	PUT(o, 0x59); /* done: */
}

/* A counter alone: the way through without a jump. */
static void put_count_only(struct out *o, const struct link_hello *agent, uint32_t site, const struct probe_way *w,
                           struct probe_stub *stub)
{
	put_self(o, agent);
	PUT(o, 0xe3, 0x00);
	size_t jump = o->n;
	put_inc(o, agent, site);
	PUT(o, 0x59);
	put_copy(o, w, stub);
	if (jump <= PROBE_STUB_BYTES)
		o->at[jump - 1] = (uint8_t)(o->n - jump);
	PUT(o, 0x59);
	put_count(o, agent, site);
	put_jmp(o, stub->copy[0] && !w->undoes_push ? stub->copy[0] : o->addr);
}

static void stub_begin(struct out *o, const struct probe_way *w, uint64_t addr, struct probe_stub *stub)
{
	memset(stub, 0, sizeof *stub);
	stub->addr = addr;
	*o = (struct out){.at = stub->bytes, .addr = addr};
	if (w->undoes_push)
		PUT(o, 0x48, 0x8d, 0x64, 0x24, 0x08); /* lea rsp, [rsp + 8] */
}

static int stub_finish(const struct out *o, struct probe_stub *stub)
{
	stub->n = o->n;
	return o->far ? -ERANGE : 0;
}

int probe_stub_write(const struct probe_way *way, unsigned kinds, const struct link_hello *agent, uint32_t site, uint64_t addr,
                     struct probe_stub *out)
{
	struct out o;
	stub_begin(&o, way, addr, out);
	bool xmm = kinds & PROBE_STUB_XMM, leaves = kinds & PROBE_STUB_LEAVE;
	uint64_t site_addr = agent->sites + (uint64_t)agent->site_bytes * site;
	if (kinds == PROBE_STUB_COUNT && !way->undoes_push) {
		put_count_only(&o, agent, site, way, out);
		return stub_finish(&o, out);
	}
	if (kinds & PROBE_STUB_COUNT)
		put_count(&o, agent, site);
	size_t exit = 0;
	if (kinds & (PROBE_STUB_ENTER | PROBE_STUB_LEAVE | PROBE_STUB_UNWIND)) {
		put_save(&o, xmm);
		exit = put_agent(&o, kinds & PROBE_STUB_UNWIND ? agent->unwind : agent->enter, site_addr, xmm, leaves);
		PUT(&o, 0x85, 0xc0); /* test eax, eax */
		put_restore(&o, xmm);
	}
	if (leaves) {
		PUT(&o, 0x0f, 0x84); /* jz copy */
		size_t plain = o.n;
		stub_put32(&o, 0);
		PUT(&o, 0x48, 0x8d, 0x64, 0x24, 0x08, 0xe8); /* lea rsp, [rsp + 8]; call copy */
		size_t watched = o.n;
		stub_put32(&o, 0);
		out->exit_stub = stub_here(&o);
		close_distance(&o, exit);
		PUT(&o, 0x48, 0x8d, 0x64, 0x24, 0xf8); /* lea rsp, [rsp - 8] */
		put_save(&o, xmm);
		put_agent(&o, agent->leave, site_addr, xmm, false);
		put_restore(&o, xmm);
		PUT(&o, 0xc3);
		close_distance(&o, plain);
		close_distance(&o, watched);
	}
	put_copy(&o, way, out);
	return stub_finish(&o, out);
}

static void put_return_0(struct out *o, unsigned returns)
{
	if (returns & PROBE_RETURNS_RAX)
		PUT(o, 0x31, 0xc0); /* xor eax, eax */
	if (returns & PROBE_RETURNS_XMM0)
		PUT(o, 0x0f, 0x57, 0xc0); /* xorps xmm0, xmm0 */
	PUT(o, 0xc3);
}

int probe_stub_write_other(const struct probe_way *way, uint64_t target, unsigned returns, uint64_t addr, struct probe_stub *out,
                           uint64_t *original)
{
	struct out o;
	stub_begin(&o, way, addr, out);
	if (target) {
		PUT(&o, 0xff, 0x25, 0, 0, 0, 0); /* jmp [rip]: it may be far */
		stub_put64(&o, target);
	} else {
		put_return_0(&o, returns);
	}
	*original = stub_here(&o);
	put_copy(&o, way, out);
	return stub_finish(&o, out);
}

int probe_stub_write_call(const struct probe_site_call *call, unsigned returns, uint64_t addr, struct probe_stub *out)
{
	struct out o;
	stub_begin(&o, &(struct probe_way){0}, addr, out);
	put_return_0(&o, returns);
	out->copy[0] = stub_here(&o);
	if (!call->tail)
		put_push_address(&o, call->addr + call->len);
	if (call->slot) {
		PUT(&o, 0xff, 0x25);
		put_distance(&o, call->slot);
	} else {
		put_jmp(&o, call->target);
	}
	return stub_finish(&o, out);
}

void probe_patch(const struct probe_way *way, const struct probe_stub *stub, const uint8_t *before, struct link_patch *out)
{
	*out = (struct link_patch){.addr = way->at, .n = way->n, .boundary = way->boundary, .lasts = 1};
	memcpy(out->before, before, way->n);
	memcpy(out->target, stub->copy, sizeof out->target);
	if (way->trap) {
		out->after[0] = 0xcc;
		out->target[0] = stub->addr;
		return;
	}
	memset(out->after, 0x48, way->prefixes);
	out->after[way->prefixes] = 0xe9;
	int32_t d = (int32_t)(int64_t)(stub->addr - (way->at + way->n));
	memcpy(out->after + way->prefixes + 1, &d, sizeof d);
}
