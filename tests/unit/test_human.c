/* SPDX-License-Identifier: Apache-2.0 */
/* human.c: three digits, units that change where rounding says so, and no number longer than its room. */
#include "harness.h"
#include "base/str.h"
#include <string.h>

struct human_case {
	uint64_t v;
	const char *want;
};

static void check_cases(char *(*fn)(char *, uint64_t), const struct human_case *c, size_t n)
{
	char out[32];
	for (size_t i = 0; i < n; i++) {
		memset(out, 'x', sizeof out);
		CHECK(fn(out, c[i].v) == out);
		CHECK_STR(out, c[i].want);
	}
}

#define CHECK_CASES(fn, ...) \
	do { \
		static const struct human_case cases[] = {__VA_ARGS__}; \
		check_cases(fn, cases, sizeof cases / sizeof cases[0]); \
	} while (0)

TEST(human_ns)
{
	CHECK_CASES(weft_human_ns, {0, "0 ns"}, {1, "1 ns"}, {999, "999 ns"}, {1000, "1.00 us"}, {1004, "1.00 us"},
	            {1005, "1.01 us"}, {1210000, "1.21 ms"}, {9994999, "9.99 ms"}, {9995000, "10.0 ms"}, {99949999, "99.9 ms"},
	            {99950000, "100 ms"}, {999499999, "999 ms"}, {999500000, "1.00 s"}, {12300000000, "12.3 s"},
	            {59949999999, "59.9 s"}, {59950000000, "1 min 00 s"}, {60000000000, "1 min 00 s"},
	            {187000000000, "3 min 07 s"}, {3599499999999, "59 min 59 s"}, {3599500000000, "1 h 00 min"},
	            {5430000000000, "1 h 31 min"}, {UINT64_MAX, "5124095 h 35 min"});
}

TEST(human_bytes)
{
	CHECK_CASES(weft_human_bytes, {0, "0 B"}, {1023, "1023 B"}, {1024, "1.00 KiB"}, {1536, "1.50 KiB"},
	            {1023 * 1024, "1023 KiB"}, {1024 * 1024 - 1, "1.00 MiB"}, {3586130, "3.42 MiB"}, {1ull << 30, "1.00 GiB"},
	            {(1ull << 40) * 12 + (1ull << 39), "12.5 TiB"}, {1ull << 50, "1.00 PiB"}, {UINT64_MAX, "16.0 EiB"});
}

TEST(human_count)
{
	CHECK_CASES(weft_human_count, {0, "0"}, {999, "999"}, {1000, "1.00 k"}, {12345678, "12.3 M"}, {999499, "999 k"},
	            {999500, "1.00 M"}, {1000000000000, "1.00 T"}, {UINT64_MAX, "18.4 E"});
}
