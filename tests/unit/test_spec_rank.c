/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks in words. */
#include "harness.h"
#include "tune/lang/spec_model.h"

TEST(ranks_in_words)
{
	static const struct {
		const char *z, *in; /* of ranks 0 to 9, 1 for each that is in; NULL: says no ranks */
	} rows[] = {
		{"0", "1000000000"},
		{"1-", "0111111111"},
		{"2-4", "0011100000"},
		{" 2 - 4 ", "0011100000"},
		{"!= 0", "0111111111"},
		{"rank > 7", "0000000011"},
		{">=8", "0000000011"},
		{"< 2", "1100000000"},
		{"<= 2", "1110000000"},
		{"== 5", "0000010000"},
		{"0, 2-3, > 8", "1011000001"},
		{"% 2 == 1", "0101010101"},
		{"rank%3!=0", "0110110110"},
		{"4-2", "0000000000"},
		{"", NULL},
		{"many", NULL},
		{"1,", NULL},
		{"-1", NULL},
		{"> x", NULL},
		{"% 0 == 0", NULL},
		{"% 2", NULL},
		{"1 2", NULL},
		{"99999999999999999999", NULL},
		{"= 1", NULL},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char got[11] = "";
		CHECK(weft_spec_rank_valid(rows[i].z) == (rows[i].in != NULL));
		if (!rows[i].in)
			continue;
		for (int k = 0; k < 10; k++)
			got[k] = weft_spec_rank_in(rows[i].z, k) ? '1' : '0';
		CHECK_STR(got, rows[i].in);
		CHECK(!weft_spec_rank_in(rows[i].z, -1));
	}
}
