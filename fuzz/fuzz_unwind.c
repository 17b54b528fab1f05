/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .eh_frame_hdr and what it leads to: two bytes say where the address lies that is looked for, the rest are the tables. No read leaves
 * them, and what is found is a function that has the address; its rule is one of those that there are.
 */
#include "fuzz.h"

#include "unwind/unwind_priv.h"

#include <string.h>

enum { MOST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	if (n < 2 || n > MOST)
		return 0;
	uint8_t *copy = malloc(n - 2 ? n - 2 : 1);
	FUZZ_REQUIRE(copy);
	memcpy(copy, at + 2, n - 2);
	struct unwind_bytes in = {copy, copy + n - 2};
	struct unwind_fde fde;
	struct unwind_rule rule;
	uint64_t ip = (uint64_t)(uintptr_t)copy + at[0] + 256u * at[1];
	if (unwind_table_find(&in, copy, ip, &fde)) {
		FUZZ_REQUIRE(ip >= fde.begin && ip - fde.begin < fde.bytes);
		unwind_rule_of(&fde, ip, &rule);
		FUZZ_REQUIRE(rule.kind <= UNWIND_OUTSIDE && rule.reg < 16);
	}
	for (size_t i = 0; i + 2 < n && i < 64; i++)
		if (unwind_fde_read(&in, copy + i, &fde))
			unwind_rule_of(&fde, fde.begin + 8, &rule);
	free(copy);
	return 0;
}
