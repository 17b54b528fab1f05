/* SPDX-License-Identifier: Apache-2.0 */
/* str.c: slices, every number that fits and none that does not, and texts that grow. */
#include "harness.h"
#include "base/str.h"
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- slices -- */

TEST(str_of_null_is_empty)
{
	CHECK_U64(weft_str(NULL).n, 0);
	CHECK(weft_str_eq(weft_str(NULL), ""));
	CHECK(!weft_str_eq(weft_str("a"), "ab"));
	CHECK(!weft_str_eq(weft_str("ab"), "a"));
	CHECK(!weft_str_eq(weft_str_n("a\0b", 3), "a"));
	CHECK(weft_str_eq(weft_str_n("abc", 2), "ab"));
}

TEST(str_trim)
{
	static const char *const cases[][2] = {{"", ""}, {" \t\r\n\v\f", ""}, {"  a b\n", "a b"}, {"a", "a"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK(weft_str_eq(weft_str_trim(weft_str(cases[i][0])), cases[i][1]));
}

/* The parts, joined by '|', each in brackets. */
static const char *cut_all(struct weft_str s, char sep, char *out)
{
	struct weft_str part;
	*out = '\0';
	while (weft_str_cut(&s, sep, &part))
		sprintf(out + strlen(out), "[%.*s]", (int)part.n, part.at);
	return out;
}

TEST(str_cut)
{
	char out[100];
	CHECK_STR(cut_all(weft_str("a,b,c"), ',', out), "[a][b][c]");
	CHECK_STR(cut_all(weft_str("a"), ',', out), "[a]");
	CHECK_STR(cut_all(weft_str(",,"), ',', out), "[][][]");
	CHECK_STR(cut_all(weft_str("a,"), ',', out), "[a][]");
	CHECK_STR(cut_all(weft_str(""), ',', out), "[]");
	CHECK_STR(cut_all(weft_str(NULL), ',', out), "");
	CHECK_STR(cut_all(weft_str_n("a,b", 2), ',', out), "[a][]");
}

TEST(one_line)
{
	char z[] = "a\tb\r\n\x01\x7f\xc3\xa9";
	weft_one_line(z);
	CHECK_STR(z, "a?b????\xc3\xa9");

	/* C1 controls, in UTF-8 and bare; marks of direction; letters whose later bytes look like controls. */
	char y[] = "\xc2\x9b"
		   "31m\xe2\x80\xae|\x9b|\xc4\x81\xe4\xb8\x80\xe9";
	weft_one_line(y);
	CHECK_STR(y, "?31m?|?|\xc4\x81\xe4\xb8\x80\xe9");
}

TEST(utf8_len)
{
	static const struct {
		const char *at;
		size_t n;
		unsigned len;
	} cases[] = {
		{"", 0, 0},
		{"a", 1, 1},
		{"\0", 1, 1},
		{"\x7f", 1, 1},
		{"\x80", 1, 0},
		{"\xc0\x80", 2, 0}, /* overlong NUL */
		{"\xc1\xbf", 2, 0},
		{"\xc2\x80", 2, 2},
		{"\xc2", 1, 0}, /* cut */
		{"\xc2\x41", 2, 0},
		{"\xdf\xbf", 2, 2},
		{"\xe0\x9f\xbf", 3, 0}, /* overlong */
		{"\xe0\xa0\x80", 3, 3},
		{"\xe2\x82\xac", 3, 3},
		{"\xe2\x82", 2, 0},
		{"\xe2\x82\x41", 3, 0},
		{"\xed\x9f\xbf", 3, 3},
		{"\xed\xa0\x80", 3, 0}, /* surrogate */
		{"\xef\xbf\xbf", 3, 3},
		{"\xf0\x8f\xbf\xbf", 4, 0}, /* overlong */
		{"\xf0\x90\x80\x80", 4, 4},
		{"\xf4\x8f\xbf\xbf", 4, 4},
		{"\xf4\x90\x80\x80", 4, 0}, /* above U+10FFFF */
		{"\xf5\x80\x80\x80", 4, 0},
		{"\xff", 1, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_U64(weft_utf8_len(cases[i].at, cases[i].n), cases[i].len);
}

/* -- integers -- */

struct integer_case {
	const char *text;
	int rc;
	int64_t v; /* for u64: the same bits */
};

#define UNTOUCHED 77

TEST(parse_u64)
{
	static const struct integer_case cases[] = {
		{"0", 0, 0},
		{"17", 0, 17},
		{"007", 0, 7},
		{"18446744073709551615", 0, -1},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999999", -ERANGE, 0},
		{"9999999999999999999999x", WEFT_E_SYNTAX, 0},
		{"", WEFT_E_SYNTAX, 0},
		{"-1", WEFT_E_SYNTAX, 0},
		{"+1", WEFT_E_SYNTAX, 0},
		{" 1", WEFT_E_SYNTAX, 0},
		{"1 ", WEFT_E_SYNTAX, 0},
		{"12x", WEFT_E_SYNTAX, 0},
		{"0x10", WEFT_E_SYNTAX, 0},
		{"1.0", WEFT_E_SYNTAX, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t v = UNTOUCHED;
		CHECK_I64(weft_parse_u64(weft_str(cases[i].text), &v), cases[i].rc);
		CHECK_U64(v, cases[i].rc ? UNTOUCHED : (uint64_t)cases[i].v);
	}
	uint64_t v = 0;
	CHECK_I64(weft_parse_u64(weft_str_n("123456", 3), &v), 0);
	CHECK_U64(v, 123);
}

TEST(parse_i64)
{
	static const struct integer_case cases[] = {
		{"0", 0, 0},
		{"-0", 0, 0},
		{"-17", 0, -17},
		{"9223372036854775807", 0, INT64_MAX},
		{"-9223372036854775808", 0, INT64_MIN},
		{"9223372036854775808", -ERANGE, 0},
		{"-9223372036854775809", -ERANGE, 0},
		{"-18446744073709551616", -ERANGE, 0},
		{"-", WEFT_E_SYNTAX, 0},
		{"--1", WEFT_E_SYNTAX, 0},
		{"+1", WEFT_E_SYNTAX, 0},
		{"", WEFT_E_SYNTAX, 0},
		{"1-", WEFT_E_SYNTAX, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t v = UNTOUCHED;
		CHECK_I64(weft_parse_i64(weft_str(cases[i].text), &v), cases[i].rc);
		CHECK_I64(v, cases[i].rc ? UNTOUCHED : cases[i].v);
	}
}

TEST(fmt_and_parse_integers_agree)
{
	for (int i = 0; i < 20000; i++) {
		uint64_t u = test_random() >> test_random() % 64, back_u = 0;
		int64_t s = (int64_t)u, back_s = 0;
		char ours[32], libc[32];
		unsigned n = weft_fmt_u64(ours, u);
		ours[n] = '\0';
		snprintf(libc, sizeof libc, "%" PRIu64, u);
		CHECK_STR(ours, libc);
		CHECK(weft_parse_u64(weft_str_n(ours, n), &back_u) == 0 && back_u == u);
		n = weft_fmt_i64(ours, s);
		ours[n] = '\0';
		snprintf(libc, sizeof libc, "%" PRId64, s);
		CHECK_STR(ours, libc);
		CHECK(weft_parse_i64(weft_str_n(ours, n), &back_s) == 0 && back_s == s);
	}
}

TEST(fmt_integers_fit_twenty_bytes)
{
	char at[21] = "....................#";
	CHECK_U64(weft_fmt_u64(at, UINT64_MAX), 20);
	CHECK(memcmp(at, "18446744073709551615#", 21) == 0);
	CHECK_U64(weft_fmt_i64(at, INT64_MIN), 20);
	CHECK(memcmp(at, "-9223372036854775808#", 21) == 0);
	CHECK_U64(weft_fmt_u64(at, 0), 1);
	CHECK_U64(weft_fmt_u64(at, 99), 2);
	CHECK_U64(weft_fmt_u64(at, 100), 3);
}

/* -- doubles -- */

TEST(parse_double_refuses)
{
	static const char *const cases[] = {
		"",    ".",   "-",   "-.", "e5", "1e", "1e+", "1e-", "1.5.2", "0x10",
		"inf", "nan", "1,5", " 1", "1 ", "+1", "1f",  "--1", "1e5x",
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double v = UNTOUCHED;
		CHECK_I64(weft_parse_double(weft_str(cases[i]), &v), WEFT_E_SYNTAX);
		CHECK_NEAR(v, UNTOUCHED, 0);
	}
	double v = UNTOUCHED;
	CHECK_I64(weft_parse_double(weft_str("1e309"), &v), -ERANGE);
	CHECK_I64(weft_parse_double(weft_str("-1e999999999999"), &v), -ERANGE);
	CHECK_NEAR(v, UNTOUCHED, 0);
}

TEST(parse_double_rounds_as_strtod_does)
{
	static const char *const cases[] = {
		"0",
		"-0",
		"1",
		"0.1",
		"-2.5",
		"1.",
		".5",
		"1e22",
		"1e23",
		"1e-22",
		"1e-23",
		"9007199254740993",
		"9007199254740992",
		"123456789012345678901234567890",
		"1.7976931348623157e308",
		"4.9e-324",
		"1e-400",
		"2.2250738585072011e-308",
		"0.000000000000000000000000000001",
		"1e0000000000000001",
		"1E5",
		"1e+5",
		"6.02214076e23",
		"8.5",
		"0.30000000000000004",
		"179769313486231570000000000000000000000e270",
		"7.2057594037927933e16",
		"0e999999999",
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double v = UNTOUCHED;
		CHECK_I64(weft_parse_double(weft_str(cases[i]), &v), 0);
		double want = strtod(cases[i], NULL);
		CHECK_NEAR(v, want, 0);
		CHECK(signbit(v) == signbit(want));
	}
}

static double random_double(void)
{
	uint64_t bits = test_random();
	double v;
	memcpy(&v, &bits, sizeof v);
	return isfinite(v) ? v : 0.1;
}

TEST(fmt_double_reads_back_and_is_short)
{
	for (int i = 0; i < 20000; i++) {
		double v = i % 2 ? random_double() : (double)(int64_t)(test_random() >> 20) / 1000, back = 0;
		char at[WEFT_FMT_DOUBLE];
		unsigned n = weft_fmt_double(at, v);
		REQUIRE(n < sizeof at && n == strlen(at));
		CHECK_I64(weft_parse_double(weft_str(at), &back), 0);
		CHECK(memcmp(&v, &back, sizeof v) == 0);
	}
}

TEST(fmt_double)
{
	static const struct {
		double v;
		const char *want;
	} cases[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-17, "-17"},
		{0.1, "0.1"},
		{1e15, "1e+15"},
		{1e300, "1e+300"},
		{1 / 3.0, "0.3333333333333333"},
		{999999999999999, "999999999999999"},
		{NAN, "nan"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
		{5e-324, "4.94065645841247e-324"},
		{-1.7976931348623157e308, "-1.7976931348623157e+308"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char at[WEFT_FMT_DOUBLE];
		CHECK_U64(weft_fmt_double(at, cases[i].v), strlen(cases[i].want));
		CHECK_STR(at, cases[i].want);
	}
}

TEST(numbers_do_not_look_at_the_locale)
{
	int status;
	free(test_shell(&status, "localedef -i de_DE -f UTF-8 '%s/comma' 2>&1", test_dir()));
	setenv("LOCPATH", test_dir(), 1);
	if (!setlocale(LC_ALL, "comma"))
		SKIP("no localedef here to make a locale with a decimal comma");
	CHECK_STR(localeconv()->decimal_point, ",");
	char at[WEFT_FMT_DOUBLE];
	weft_fmt_double(at, 0.1);
	double v = 0;
	int rc = weft_parse_double(weft_str("1.5e-30"), &v);
	setlocale(LC_ALL, "C");
	CHECK_STR(at, "0.1");
	CHECK_I64(rc, 0);
	CHECK_NEAR(v, 1.5e-30, 0);
}

/* -- quantities -- */

struct quantity_case {
	const char *text;
	int rc;
	uint64_t v;
};

static void check_quantities(int (*parse)(struct weft_str, uint64_t *), const struct quantity_case *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = UNTOUCHED;
		if (!CHECK_I64(parse(weft_str(c[i].text), &v), c[i].rc) || !CHECK_U64(v, c[i].rc ? UNTOUCHED : c[i].v))
			printf("# text '%s'\n", c[i].text);
	}
}

TEST(parse_ns)
{
	static const struct quantity_case cases[] = {
		{"17", 0, 17},
		{"17ns", 0, 17},
		{"3us", 0, 3000},
		{"3\xc2\xb5s", 0, 3000},
		{"3\xce\xbcs", 0, 3000},
		{"10ms", 0, 10000000},
		{"1.5s", 0, 1500000000},
		{"1.5 s", 0, 1500000000},
		{"1.s", 0, 1000000000},
		{".5s", 0, 500000000},
		{"0.000000001s", 0, 1},
		{"1.123456789s", 0, 1123456789},
		{"1.1234567890000s", 0, 1123456789},
		{"1.1234567891s", WEFT_E_SYNTAX, 0}, /* not whole nanoseconds */
		{"1.00000000101s", WEFT_E_SYNTAX, 0},
		{"0.0000000001s", WEFT_E_SYNTAX, 0},
		{"1.00000000000000000000000000000001s", WEFT_E_SYNTAX, 0},
		{"1.00000000000000000000000000000000s", 0, 1000000000},
		{"1.5", WEFT_E_SYNTAX, 0},
		{"1.5ns", WEFT_E_SYNTAX, 0},
		{"1.0ns", 0, 1},
		{"2min", 0, 120000000000},
		{"0.5min", 0, 30000000000},
		{"1h", 0, 3600000000000},
		{"1d", 0, 86400000000000},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"18446744073.709551615s", 0, UINT64_MAX},
		{"18446744073.709551616s", WEFT_E_SYNTAX, 0}, /* more digits than are kept */
		{"18446744073.8s", -ERANGE, 0},
		{"18446744074s", -ERANGE, 0},
		{"999999999999999999999999999999999s", -ERANGE, 0},
		{"0.000000000000000000000000000000000s", 0, 0},
		{"", WEFT_E_SYNTAX, 0},
		{"s", WEFT_E_SYNTAX, 0},
		{"1e3s", WEFT_E_SYNTAX, 0},
		{"-1s", WEFT_E_SYNTAX, 0},
		{"1..5s", WEFT_E_SYNTAX, 0},
		{".s", WEFT_E_SYNTAX, 0},
		{"1 ", WEFT_E_SYNTAX, 0},
		{"1  s", WEFT_E_SYNTAX, 0},
		{"1S", WEFT_E_SYNTAX, 0},
		{"1sec", WEFT_E_SYNTAX, 0},
		{"1ms ", WEFT_E_SYNTAX, 0},
	};
	check_quantities(weft_parse_ns, cases, sizeof cases / sizeof cases[0]);
}

TEST(parse_bytes)
{
	static const struct quantity_case cases[] = {
		{"4096", 0, 4096},
		{"0", 0, 0},
		{"1B", 0, 1},
		{"64M", 0, 64ull << 20},
		{"64MB", 0, 64ull << 20},
		{"64 MiB", 0, 64ull << 20},
		{"1.5GiB", 0, 3ull << 29},
		{"1k", 0, 1024},
		{"2K", 0, 2048},
		{"0.1G", 0, 107374182}, /* whole bytes, rounded down */
		{"0.0001K", 0, 0},
		{"1.5", WEFT_E_SYNTAX, 0},
		{"1.5B", WEFT_E_SYNTAX, 0},
		{"15.99E", 0, 18435214858663483146u},
		{"16E", -ERANGE, 0},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"16777216T", -ERANGE, 0},
		{"64m", WEFT_E_SYNTAX, 0},
		{"-1", WEFT_E_SYNTAX, 0},
		{"M", WEFT_E_SYNTAX, 0},
		{"1MM", WEFT_E_SYNTAX, 0},
		{"", WEFT_E_SYNTAX, 0},
	};
	check_quantities(weft_parse_bytes, cases, sizeof cases / sizeof cases[0]);
}

/* -- growing texts -- */

TEST(buf_quotes_words_for_a_shell)
{
	static const char *const cases[][2] = {
		{"run.weft", "run.weft"}, {"/a/b-c_d+1", "/a/b-c_d+1"}, {"", "''"},         {"a b", "'a b'"},
		{"it's", "'it'\\''s'"},   {"-n x", "./'-n x'"},         {"$x;*", "'$x;*'"}, {"\303\244", "'\303\244'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weft_buf b = {0};
		weft_buf_shell(&b, weft_str(cases[i][0]));
		CHECK_STR(b.at, cases[i][1]);
		weft_buf_fini(&b);
	}
}

TEST(buf_appends)
{
	struct weft_buf b = {0};
	weft_buf_add(&b, "", 0);
	CHECK(b.at == NULL);
	weft_buf_puts(&b, "x=");
	weft_buf_u64(&b, UINT64_MAX);
	weft_buf_putc(&b, ' ');
	weft_buf_i64(&b, INT64_MIN);
	weft_buf_printf(&b, " %s%03d", "y", 7);
	weft_buf_printf(&b, "%s", "");
	CHECK_STR(b.at, "x=18446744073709551615 -9223372036854775808 y007");
	CHECK_U64(b.n, strlen(b.at));
	CHECK(!b.failed);
	weft_buf_fini(&b);
	CHECK(!b.at && !b.n && !b.cap);
}

TEST(buf_grows_and_stays_terminated)
{
	struct weft_buf b = {0};
	for (int i = 0; i < 10000; i++) {
		weft_buf_putc(&b, (char)('a' + i % 26));
		REQUIRE(b.at[b.n] == '\0');
	}
	CHECK_U64(b.n, 10000);
	weft_buf_printf(&b, "%*s", 20000, "z");
	CHECK_U64(b.n, 30000);
	CHECK_STR(b.at + 29999, "z");
	weft_buf_fini(&b);
}

TEST(buf_remembers_a_failed_allocation)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf b = {0};
		for (int i = 0; i < 500; i++)
			weft_buf_printf(&b, "%d,", i);
		CHECK(b.failed == test_alloc_failed());
		size_t n = b.n;
		weft_buf_puts(&b, "more");
		CHECK_U64(b.n, b.failed ? n : n + 4);
		weft_buf_fini(&b);
	}
}

TEST(buf_impossible_size_fails)
{
	struct weft_buf b = {0};
	weft_buf_puts(&b, "kept");
	weft_buf_add(&b, "x", SIZE_MAX - 2);
	CHECK(b.failed);
	CHECK_STR(b.at, "kept");
	weft_buf_fini(&b);
}
