/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches and stubs of all functions of the C library, looked at as bytes: a jump's bytes on old instruction boundaries trap, it leads to
 * its stub, and each displaced instruction does in the stub what it did before.
 */
#include "harness.h"
#include "probe/code/probe_code.h"
#include "probe/image/probe_image.h"
#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct link_hello agent = {.self_offset = -64,
                                        .sites = 0x7f0000001000,
                                        .enter = 0x7f0000002000,
                                        .leave = 0x7f0000003000,
                                        .first = 0x7f0000004000,
                                        .unwind = 0x7f0000005000,
                                        .site_bytes = 128,
                                        .count_offset = 0x40000000};
static ZydisDecoder decoder;

static bool decode(const uint8_t *at, size_t n, ZydisDecodedInstruction *i, ZydisDecodedOperand *op)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, n, i, op));
}

/* The address that an instruction names: of a branch, or of memory relative to itself. */
static bool names(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *op, uint64_t addr, uint64_t *out)
{
	for (unsigned k = 0; k < i->operand_count; k++) {
		bool relative = (op[k].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op[k].imm.is_relative) ||
		                (op[k].type == ZYDIS_OPERAND_TYPE_MEMORY && op[k].mem.base == ZYDIS_REGISTER_RIP);
		if (relative)
			return ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(i, &op[k], addr, out));
	}
	return false;
}

static void check_patch(const struct probe_way *w, const struct probe_stub *stub)
{
	struct link_patch p;
	ZydisDecodedInstruction i;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	uint8_t before[LINK_PATCH_BYTES] = {0};
	uint64_t to = 0;
	probe_patch(w, stub, before, &p);
	REQUIRE(p.n == w->n && p.n <= LINK_PATCH_BYTES && p.boundary & 1);
	for (unsigned k = 0; k < p.n; k++)
		REQUIRE(!(p.boundary >> k & 1) || p.target[k] != 0);
	for (unsigned k = 1; k < p.n; k++)
		REQUIRE(!(p.boundary >> k & 1) || p.after[k] == 0xcc);
	REQUIRE(decode(p.after, p.n, &i, op) && i.length == p.n);
	if (w->trap) {
		CHECK(i.mnemonic == ZYDIS_MNEMONIC_INT3 && p.target[0] == stub->addr);
		return;
	}
	REQUIRE(i.mnemonic == ZYDIS_MNEMONIC_JMP && names(&i, op, p.addr, &to));
	CHECK_U64(to, stub->addr);
}

/* Instructions that are only moved: the same, and naming the same address. Calls become push and jmp of the same. */
static void check_copies(const struct probe_way *w, const struct probe_stub *stub)
{
	for (unsigned k = 0; k < w->n_insns; k++) {
		const struct probe_insn *x = &w->insn[k];
		ZydisDecodedInstruction old, new;
		ZydisDecodedOperand old_op[ZYDIS_MAX_OPERAND_COUNT], new_op[ZYDIS_MAX_OPERAND_COUNT];
		uint64_t was = 0, is = 0;
		if (x->addr < w->at || x->addr - w->at >= LINK_PATCH_BYTES)
			continue;
		uint64_t copy = stub->copy[x->addr - w->at];
		REQUIRE(copy >= stub->addr && copy < stub->addr + stub->n);
		REQUIRE(decode(x->bytes, x->len, &old, old_op));
		const uint8_t *at = stub->bytes + (copy - stub->addr);
		bool calls = x->move == PROBE_CALL || x->move == PROBE_CALL_RIP || x->move == PROBE_CALL_REG;
		if (calls) {
			uint64_t back = 0;
			REQUIRE(at[0] == 0x68 && !memcmp(at + 5, "\xc7\x44\x24\x04", 4));
			memcpy(&back, at + 1, 4);
			memcpy((char *)&back + 4, at + 9, 4);
			CHECK_U64(back, x->addr + x->len);
			at += 13;
			copy += 13;
		}
		REQUIRE(decode(at, stub->n - (size_t)(at - stub->bytes), &new, new_op));
		CHECK(calls ? new.mnemonic == ZYDIS_MNEMONIC_JMP : new.mnemonic == old.mnemonic);
		if (x->move == PROBE_JRCXZ)
			continue;
		bool named = names(&old, old_op, x->addr, &was);
		CHECK(names(&new, new_op, copy, &is) == named);
		CHECK_U64(is, was);
		if (!named && !calls)
			CHECK(new.length == old.length && !memcmp(at, x->bytes, x->len));
	}
}

static unsigned n_functions, n_jumps, n_ways, n_placed;

static void check_function(const uint8_t *bytes, size_t n, size_t room, uint64_t addr, struct probe_place *place)
{
	static struct probe_ways ways;
	static struct probe_stub stub;
	struct weft_err err = {0};
	n_functions++;
	if (probe_decode(bytes, n, room, addr, &ways, &err)) {
		CHECK(err.text[0] != '\0');
		return;
	}
	n_jumps += !ways.at[0].trap;
	for (unsigned k = 0; k < ways.n; k++) {
		const struct probe_way *w = &ways.at[k];
		uint64_t to;
		struct probe_range map;
		n_ways++;
		if (probe_place_find(place, probe_way_jump(w), PROBE_STUB_BYTES, &to, &map))
			continue;
		for (size_t i = 0; i < place->taken.n; i++)
			REQUIRE(map.to == 0 || map.to <= place->taken.at[i].from || map.from >= place->taken.at[i].to);
		unsigned kinds = (unsigned[]){PROBE_STUB_COUNT, PROBE_STUB_ENTER, PROBE_STUB_LEAVE | PROBE_STUB_XMM,
		                              7}[test_random() % 4];
		if (probe_stub_write(w, kinds, &agent, 5, to, &stub))
			continue;
		n_placed++;
		check_patch(w, &stub);
		check_copies(w, &stub);
	}
}

static void check_library(uint64_t bias)
{
	int status;
	struct probe_image *image;
	struct weft_err err = {0};
	char *path = test_shell(&status, "ldd /bin/sh | sed -n 's/.*=> \\(.*libc.so[^ ]*\\) .*/\\1/p'");
	path[strcspn(path, "\n")] = '\0';
	REQUIRE(probe_image_open(path, NULL, &image, &err) == 0);
	char *list = test_shell(&status,
	                        "readelf -W --dyn-syms '%s' | awk '$4 == \"FUNC\" && $7 != \"UND\" && $3 > 0 { print $2, $3 }'",
	                        path);
	struct probe_place place = {0};
	REQUIRE(probe_ranges_add(&place.taken, (struct probe_range){bias, bias + 0x200000}) == 0);
	REQUIRE(probe_ranges_add(&place.taken, (struct probe_range){bias + 0x300000, bias + 0x400000}) == 0);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	n_functions = n_jumps = n_ways = n_placed = 0;
	for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long long addr;
		unsigned size;
		static uint8_t bytes[1 << 20];
		if (sscanf(line, "%llx %u", &addr, &size) != 2 || size + 16 > sizeof bytes ||
		    probe_image_read(image, addr, bytes, size + 16))
			continue;
		check_function(bytes, size, size + 16, addr + bias, &place);
	}
	printf("# %u functions, %u by a jump, %u ways, %u placed\n", n_functions, n_jumps, n_ways, n_placed);
	CHECK(n_functions > 1000 && n_jumps > n_functions * 9 / 10 && n_placed > n_jumps);
	probe_place_fini(&place);
	probe_image_close(image);
	free(list);
	free(path);
}

TEST(probe_decode_library)
{
	check_library(0x7f1234500000);
}

TEST(probe_decode_library_at_a_low_address)
{
	check_library(0x400000);
}

TEST(probe_decode_refuses_with_a_reason)
{
	static const struct {
		uint8_t bytes[16];
		size_t n;
		int rc;
		const char *why;
	} rows[] = {
		{{0xf3, 0x0f, 0x1e, 0xfa}, 4, -ENOTSUP, "it has no instructions"},
		{{0xcc, 0xc3}, 2, -EBUSY, "a breakpoint of another tool stands at its entry"},
	};
	struct probe_ways ways;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct weft_err err = {0};
		CHECK_I64(probe_decode(rows[k].bytes, rows[k].n, rows[k].n, 0x1000, &ways, &err), rows[k].rc);
		CHECK_STR(err.text, rows[k].why);
	}
	/* ret alone, with another function right behind it: a trap. The same with padding: a jump. */
	static const uint8_t alone[16] = {0xc3, 0x31, 0xc0, 0xc3}, padded[16] = {0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
	CHECK_I64(probe_decode(alone, 1, 16, 0x1000, &ways, NULL), 0);
	CHECK(ways.n == 1 && ways.at[0].trap);
	CHECK_STR(ways.why_no_jump, "it is shorter than a jump");
	CHECK_I64(probe_decode(padded, 1, 16, 0x1000, &ways, NULL), 0);
	CHECK(!ways.at[0].trap);
	/* dec edi; jnz to the dec; xor eax, eax; ret: a loop back to the second instruction. */
	static const uint8_t loop[16] = {0x89, 0xf8, 0xff, 0xcf, 0x75, 0xfc, 0x31, 0xc0, 0xc3};
	CHECK_I64(probe_decode(loop, 9, 16, 0x1000, &ways, NULL), 0);
	CHECK(ways.n == 1 && ways.at[0].trap);
	CHECK_STR(ways.why_no_jump, "a branch goes into its first bytes");
}

TEST(probe_decode_finds_loops_to_the_entry)
{
	struct probe_ways ways;
	/* Back to the first one, also behind endbr64; the jump of another function does not count. */
	static const struct {
		uint8_t bytes[16];
		size_t n;
		bool loops;
	} rows[] = {
		{{0xff, 0xcf, 0x75, 0xfc, 0x31, 0xc0, 0xc3}, 7, true},
		{{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0xcf, 0x75, 0xfc, 0x31, 0xc0, 0xc3}, 11, true},
		{{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0xcf, 0x75, 0xf8, 0x31, 0xc0, 0xc3}, 11, true},
		{{0x55, 0xff, 0xcf, 0x5d, 0x75, 0xfa, 0x31, 0xc0, 0xc3}, 9, true},
		{{0xff, 0xcf, 0x90, 0xc3, 0xeb, 0xfa}, 4, false},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		CHECK_I64(probe_decode(rows[k].bytes, rows[k].n, 16, 0x1000, &ways, NULL), 0);
		CHECK(ways.loops == rows[k].loops);
	}
}
