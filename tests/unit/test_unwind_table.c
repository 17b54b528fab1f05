/* SPDX-License-Identifier: Apache-2.0 */
/* Tables by hand: what a rule is at each address of a function. */
#include "harness.h"
#include "unwind/unwind_priv.h"
#include <string.h>

struct maker {
	uint8_t at[512];
	unsigned n;
};

static void put(struct maker *m, uint64_t v, unsigned bytes)
{
	memcpy(m->at + m->n, &v, bytes);
	m->n += bytes;
}

static void patch(struct maker *m, unsigned at, uint32_t v)
{
	memcpy(m->at + at, &v, 4);
}

/* hdr (20 bytes), CIE, one FDE of a function of 64 bytes at hdr + 0x1000. */
static void make(struct maker *m, const uint8_t *program, unsigned bytes, const char *letters)
{
	*m = (struct maker){.n = 0};
	put(m, 0x3b031b01, 4); /* version 1; pcrel sdata4, udata4, datarel sdata4 */
	put(m, 0, 4);
	put(m, 1, 4);
	put(m, 0x1000, 4);
	unsigned fde_at = m->n;
	put(m, 0, 4);
	unsigned cie = m->n;
	put(m, 0, 4);
	put(m, 0, 4);
	put(m, 1, 1);
	memcpy(m->at + m->n, letters, strlen(letters) + 1);
	m->n += (unsigned)strlen(letters) + 1;
	put(m, 1, 1);    /* code */
	put(m, 0x78, 1); /* data: -8 */
	put(m, 16, 1);
	put(m, 1, 1); /* data of the augmentation: the encoding */
	put(m, 0x1b, 1);
	static const uint8_t first[] = {0x0c, 7, 8, 0x90, 1}; /* frame at rsp + 8, return address at -8 */
	memcpy(m->at + m->n, first, sizeof first);
	m->n += sizeof first;
	patch(m, cie, m->n - cie - 4);
	unsigned fde = m->n;
	put(m, 0, 4);
	put(m, m->n - cie, 4);
	put(m, (uint64_t)(uint32_t)(0x1000 - (int32_t)m->n), 4);
	put(m, 64, 4);
	put(m, 0, 1);
	memcpy(m->at + m->n, program, bytes);
	m->n += bytes;
	patch(m, fde, m->n - fde - 4);
	patch(m, fde_at, fde);
}

static struct unwind_rule rule_at(const struct maker *m, unsigned offset)
{
	struct unwind_bytes in = {m->at, m->at + m->n};
	struct unwind_fde fde;
	struct unwind_rule rule = {.kind = UNWIND_NONE};
	uint64_t ip = (uint64_t)(uintptr_t)m->at + 0x1000 + offset;
	if (unwind_table_find(&in, m->at, ip, &fde))
		unwind_rule_of(&fde, ip, &rule);
	return rule;
}

TEST(a_prologue_and_an_epilogue)
{
	static const uint8_t program[] = {
		0x41, 0x0e, 16,   0x86, 2,    /* +1: push rbp */
		0x43, 0x0d, 6,                /* +4: frame by rbp */
		0x44, 0x83, 3,                /* +8: rbx at -24 */
		0x02, 20,   0x0a, 0xc6,       /* +28: remember; restore rbp */
		0x0c, 7,    8,    0x41, 0x0b, /* frame by rsp; +29: the state from before */
	};
	struct maker m;
	make(&m, program, sizeof program, "zR");
	struct unwind_rule r = rule_at(&m, 0);
	CHECK_U64(r.kind, UNWIND_OFFSET);
	CHECK(r.reg == 7 && r.offset == 8 && r.ra == -8 && r.saved[1] == UNWIND_SAME);
	r = rule_at(&m, 3);
	CHECK(r.reg == 7 && r.offset == 16 && r.saved[1] == -16 && r.saved[0] == UNWIND_SAME);
	r = rule_at(&m, 4);
	CHECK(r.reg == 6 && r.offset == 16 && r.saved[0] == UNWIND_SAME);
	r = rule_at(&m, 27);
	CHECK(r.reg == 6 && r.saved[0] == -24 && r.saved[1] == -16);
	r = rule_at(&m, 28);
	CHECK(r.reg == 7 && r.offset == 8 && r.saved[1] == UNWIND_SAME && r.saved[0] == -24);
	r = rule_at(&m, 63);
	CHECK(r.reg == 6 && r.offset == 16 && r.saved[1] == -16);
	CHECK_U64(rule_at(&m, 64).kind, UNWIND_NONE);
	CHECK_U64(rule_at(&m, (unsigned)-1).kind, UNWIND_NONE);
}

TEST(frames_by_expressions)
{
	struct maker m;
	/* Aligned anew: the frame's address lies at rbp - 8, rbp at rbp + 0, rbx at rbp - 16. */
	static const uint8_t aligned[] = {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0, 0x10, 3, 2, 0x76, 0x70};
	make(&m, aligned, sizeof aligned, "zR");
	struct unwind_rule r = rule_at(&m, 5);
	CHECK_U64(r.kind, UNWIND_DEREF);
	CHECK(r.reg == 6 && r.offset == -8 && r.add == 0 && r.saved[1] == 0 && r.saved[0] == -16 && r.from_bp == 3);
	static const uint8_t plt[] = {0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	make(&m, plt, sizeof plt, "zR");
	r = rule_at(&m, 5);
	CHECK_U64(r.kind, UNWIND_PLT);
	CHECK(r.reg == 7 && r.offset == 8 && r.add == 11);
	static const uint8_t deref_add[] = {0x0f, 6, 0x77, 0x20, 0x06, 0x23, 8, 0x00};
	make(&m, deref_add, 7, "zR");
	CHECK_U64(rule_at(&m, 5).kind, UNWIND_NONE); /* the block is longer than the program */
	static const uint8_t deref_plus[] = {0x0f, 5, 0x77, 0x20, 0x06, 0x23, 8};
	make(&m, deref_plus, sizeof deref_plus, "zR");
	r = rule_at(&m, 5);
	CHECK_U64(r.kind, UNWIND_DEREF);
	CHECK(r.reg == 7 && r.offset == 32 && r.add == 8);
	static const uint8_t unknown[] = {0x0f, 3, 0x77, 0x08, 0x1e};
	make(&m, unknown, sizeof unknown, "zR");
	CHECK_U64(rule_at(&m, 5).kind, UNWIND_NONE);
}

TEST(ends_and_signals)
{
	struct maker m;
	static const uint8_t outside[] = {0x07, 16};
	make(&m, outside, sizeof outside, "zR");
	CHECK_U64(rule_at(&m, 5).kind, UNWIND_OUTSIDE);
	make(&m, outside, 0, "zRS");
	CHECK_U64(rule_at(&m, 5).kind, UNWIND_SIGNAL);
	make(&m, outside, 0, "zRX");
	CHECK_U64(rule_at(&m, 5).kind, UNWIND_NONE);
}

TEST(too_large_for_a_rule)
{
	struct maker m;
	/* rbx 8 * 5000 bytes below the frame: no rule has room for that. */
	static const uint8_t far[] = {0x83, 0x88, 0x27};
	make(&m, far, sizeof far, "zR");
	CHECK_U64(rule_at(&m, 5).kind, UNWIND_NONE);
	static const uint8_t large[] = {0x0e, 0x80, 0x80, 0x04};
	make(&m, large, sizeof large, "zR");
	CHECK(rule_at(&m, 5).kind == UNWIND_OFFSET && rule_at(&m, 5).offset == 65536);
}

/* Any byte may be another: rules may be wrong, nothing else. */
TEST(damaged_tables)
{
	static const uint8_t program[] = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0f, 3, 0x76, 0x78, 0x06, 0x0a, 0x0b};
	struct maker whole, m;
	make(&whole, program, sizeof program, "zR");
	unsigned rules = 0;
	for (unsigned i = 0; i < 20000; i++) {
		m = whole;
		for (unsigned k = test_random() % 4 + 1; k; k--)
			m.at[test_random() % m.n] = (uint8_t)test_random();
		m.n -= test_random() % 3 ? 0 : (unsigned)(test_random() % m.n);
		rules += rule_at(&m, (unsigned)(test_random() % 64)).kind != UNWIND_NONE;
	}
	CHECK(rules > 100 && rules < 20000);
}
