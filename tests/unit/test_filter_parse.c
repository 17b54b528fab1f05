/* SPDX-License-Identifier: Apache-2.0 */
/* The filter grammar: what is accepted, in which form it comes back, and what is said, at which column, of the rest. */
#include "harness.h"
#include "trace/filter/filter.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The canonical text of a filter, or the error; malloc'd. */
static char *canonical(const char *text)
{
	struct weft_err err = {0};
	struct weft_filter *f;
	struct weft_buf out = {0};
	if (weft_filter_new(&f, text, &err)) {
		CHECK(f == NULL);
		return strdup(err.text);
	}
	REQUIRE(weft_filter_text(f, &out) == 0);
	weft_filter_free(f);
	return out.at;
}

static const struct {
	const char *text, *want;
} accepted[] = {
	{"region=solve", "region=solve"},
	{"  region  =  solve ,  halo  ", "region=solve,halo"},
	{"region=solve*,halo and duration>1ms", "region=solve*,halo and duration>1ms"},
	{"thread=1.2.* time=10ms..20ms", "thread=1.2.* and time=10ms..20ms"},
	{"kind=send size>=64K", "kind=send and size>=64K"},
	{"a=b", "filter: column 1: unknown field 'a'"},
	{"region=a or region=b and kind=leave", "region=a or region=b and kind=leave"},
	{"(region=a or region=b) and kind=leave", "(region=a or region=b) and kind=leave"},
	{"((region=a))", "region=a"},
	{"(region=a and region=b) and (region=c)", "region=a and region=b and region=c"},
	{"(region=a or region=b) or region=c", "region=a or region=b or region=c"},
	{"not region=a", "not region=a"},
	{"not not region=a", "not not region=a"},
	{"not (region=a or kind=send)", "not (region=a or kind=send)"},
	{"not region=a and kind=send", "not region=a and kind=send"},
	{"not (region=a and kind=send)", "not (region=a and kind=send)"},
	{"name=\"a b\"", "name=\"a b\""},
	{"name=\"a \\\"b\\\" \\\\ c\"", "name=\"a \\\"b\\\" \\\\ c\""},
	{"name=and", "name=and"},
	{"name=or or name=not", "name=or or name=not"},
	{"name=a..b", "name=a..b"},
	{"time=25%..50%", "time=25%..50%"},
	{"time=..10ms", "time=..10ms"},
	{"time=10ms..", "time=10ms.."},
	{"value=-5..5,17", "value=-5..5,17"},
	{"value!=-1.5e3", "value!=-1.5e3"},
	{"value=MPI_*", "value=MPI_*"},
	{"value=..", "value=.."},
	{"type=50000001", "type=50000001"},
	{"state=running,3", "state=running,3"},
	{"kind=point,s*", "kind=point,s*"},
	{"rank=0..3 tag!=17 peer<4", "rank=0..3 and tag!=17 and peer<4"},
	{"host=\xc3\xa9t\xc3\xa9*", "host=\xc3\xa9t\xc3\xa9*"},
	{"region=a\nand\tkind=send", "region=a and kind=send"},
	{"time=10ms..10ms", "time=10ms..10ms"},
};

TEST(accepts_and_prints_one_form)
{
	for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
		char *got = canonical(accepted[i].text);
		CHECK_STR(got, accepted[i].want);
		free(got);
	}
}

static const struct {
	const char *text, *want;
} refused[] = {
	{"", "filter: column 1: expected a test like region=solve, found the end"},
	{"   ", "filter: column 4: expected a test like region=solve, found the end"},
	{"kind=send regoin=a", "filter: column 11: unknown field 'regoin' (did you mean 'region'?)"},
	{"region", "filter: column 7: expected one of = != < <= > >=, found the end"},
	{"region solve", "filter: column 8: expected one of = != < <= > >=, found 'solve'"},
	{"region=", "filter: column 8: expected a name, found the end"},
	{"region=,a", "filter: column 8: expected a name, found ','"},
	{"region=a,", "filter: column 10: expected a name, found the end"},
	{"region==a", "filter: column 7: unexpected '==' (write '=')"},
	{"region<a", "filter: column 7: 'region' is compared with '=' and '!=' only"},
	{"kind>send", "filter: column 5: 'kind' is compared with '=' and '!=' only"},
	{"kind=sned", "filter: column 6: unknown kind 'sned' (did you mean 'send'?)"},
	{"kind=xyz*", "filter: column 6: unknown kind 'xyz*'"},
	{"time=abc", "filter: column 6: expected a time like 10ms or 25%, found 'abc'"},
	{"time=10parsec", "filter: column 6: expected a time like 10ms or 25%, found '10parsec'"},
	{"time=101%", "filter: column 6: expected a time like 10ms or 25%, found '101%'"},
	{"time=\"10ms\"", "filter: column 6: expected a time like 10ms or 25%, found '10ms'"},
	{"time=20ms..10ms", "filter: column 6: the range '20ms..10ms' ends before it begins"},
	{"time=50%..25%", "filter: column 6: the range '50%..25%' ends before it begins"},
	{"duration>25%", "filter: column 10: expected a time like 10ms, found '25%'"},
	{"size>64X", "filter: column 6: expected a size like 64K, found '64X'"},
	{"rank=one", "filter: column 6: expected a whole number, found 'one'"},
	{"rank=1.5", "filter: column 6: expected a whole number, found '1.5'"},
	{"rank=99999999999999999999", "filter: column 6: expected a whole number, found '99999999999999999999'"},
	{"size>1,2", "filter: column 7: a list goes with '=' and '!=', not with '>'"},
	{"size>1..2", "filter: column 6: '>' compares with one number, found '1..2'"},
	{"value<abc", "filter: column 7: '<' compares with one number, found 'abc'"},
	{"(region=a", "filter: column 1: the bracket is not closed"},
	{"region=a)", "filter: column 9: expected 'and', 'or' or the end, found ')'"},
	{"(region=a kind=send", "filter: column 1: the bracket is not closed"},
	{"(region=a,)", "filter: column 11: expected a name, found ')'"},
	{"()", "filter: column 2: expected a test like region=solve, found ')'"},
	{"region=a or", "filter: column 12: expected a test like region=solve, found the end"},
	{"or region=a", "filter: column 1: unknown field 'or'"},
	{"region=a and and kind=send", "filter: column 14: unknown field 'and'"},
	{"region=a && kind=send", "filter: column 10: unexpected '&' (write 'and')"},
	{"region=a || kind=send", "filter: column 10: unexpected '|' (write 'or')"},
	{"!region=a", "filter: column 1: unexpected '!' (write 'not', or '!=')"},
	{"name=\"a", "filter: column 6: the quote is not closed"},
	{"name=\"a\\", "filter: column 6: the quote is not closed"},
	{"\xc3\xa9\xc3\xa9=1 x", "filter: column 1: unknown field '\xc3\xa9\xc3\xa9'"},
	{"host=\xc3\xa9 x=1", "filter: column 8: unknown field 'x'"},
	{"region=a \x01", "filter: column 10: unexpected control character"},
	{"regionregionregionregionregionregionregionregion=1",
         "filter: column 1: unknown field 'regionregionregionregionregionregionregionregion'"},
};

TEST(says_what_is_wrong_and_where)
{
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		char *got = canonical(refused[i].text);
		CHECK_STR(got, refused[i].want);
		free(got);
	}
}

static char *nested(unsigned depth, const char *open, const char *close)
{
	struct weft_buf b = {0};
	for (unsigned i = 0; i < depth; i++)
		weft_buf_puts(&b, open);
	weft_buf_puts(&b, "rank=1");
	for (unsigned i = 0; i < depth; i++)
		weft_buf_puts(&b, close);
	REQUIRE(!b.failed);
	return b.at;
}

TEST(depth_is_limited)
{
	static const struct {
		const char *open, *close;
		unsigned depth;
		const char *want;
	} rows[] = {
		{"(", ")", 100, "rank=1"},
		{"(", ")", 101, "filter: column 101: more than 100 brackets deep"},
		{"(", ")", 100000, "filter: column 101: more than 100 brackets deep"},
		{"not ", "", 101, "filter: column 401: more than 100 brackets deep"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = nested(rows[i].depth, rows[i].open, rows[i].close), *got = canonical(text);
		CHECK_STR(got, rows[i].want);
		free(text);
		free(got);
	}
}

TEST(long_lists_are_limited)
{
	struct weft_buf b = {0};
	weft_buf_puts(&b, "rank=0");
	for (unsigned i = 1; i < 4096; i++)
		weft_buf_printf(&b, ",%u", i);
	char *got = canonical(b.at);
	CHECK_STR(got, b.at);
	free(got);
	weft_buf_puts(&b, ",1");
	got = canonical(b.at);
	CHECK(strstr(got, "more than 4096 values") != NULL);
	free(got);
	weft_buf_fini(&b);
}

/* -- random filters read back as what they were -- */

static unsigned pick(unsigned n)
{
	return (unsigned)(test_random() % n);
}

static void random_name(struct weft_buf *b)
{
	static const char *const names[] = {"solve",   "solve*",     "*",   "?alo", "a..b", "1.2.*",
	                                    "\"a b\"", "\"x\\\"y\"", "and", "or",   "not",  "\xc3\xa9t\xc3\xa9",
	                                    "a-b",     "\"\"",       "5x"};
	weft_buf_puts(b, names[pick(sizeof names / sizeof names[0])]);
}

static void random_number(struct weft_buf *b, const char *const *numbers, unsigned n, bool range)
{
	unsigned form = range ? pick(4) : 0, low = pick(n), high = low + pick(n - low);
	weft_buf_puts(b, form != 3 ? numbers[low] : "");
	if (form)
		weft_buf_printf(b, "..%s", form != 2 ? numbers[high] : "");
}

static const char *const times[] = {"0", "1ns", "1.5us", "20us", "3ms", "4s", "2min"};
static const char *const parts[] = {"0%", "12.5%", "50%", "100%"};
static const char *const sizes[] = {"0", "17", "1K", "64K", "1.5MiB", "2G"};
static const char *const numbers[] = {"-9223372036854775808", "-5", "0", "1", "17", "9223372036854775807"};
static const char *const floats[] = {"-1e300", "-1.5", "0", "0.25", "3", "1e9"};
static const char *const kinds[] = {"send", "point", "e*", "counter", "*", "cpu"};

static void random_test(struct weft_buf *b)
{
	static const struct {
		const char *field;
		const char *const *numbers;
		unsigned n;
	} fields[] = {
		{"time", times, 7},     {"time", parts, 4},  {"thread", 0, 0},     {"process", 0, 0},   {"rank", numbers, 6},
		{"app", 0, 0},          {"host", 0, 0},      {"node", 0, 0},       {"cpu", numbers, 6}, {"kind", kinds, 0},
		{"name", 0, 0},         {"region", 0, 0},    {"type", 0, 0},       {"counter", 0, 0},   {"attr", 0, 0},
		{"state", 0, 0},        {"category", 0, 0},  {"value", floats, 6}, {"value", 0, 0},     {"size", sizes, 6},
		{"duration", times, 7}, {"tag", numbers, 6}, {"peer", numbers, 6}, {"comm", 0, 0},
	};
	static const char *const orders[] = {"<", "<=", ">", ">="};
	unsigned i = pick(sizeof fields / sizeof fields[0]);
	weft_buf_puts(b, fields[i].field);
	if (fields[i].n && pick(3) == 0) {
		weft_buf_puts(b, orders[pick(4)]);
		random_number(b, fields[i].numbers, fields[i].n, false);
		return;
	}
	weft_buf_puts(b, pick(2) ? "=" : "!=");
	for (unsigned k = pick(3) + 1; k-- > 0;) {
		if (fields[i].n)
			random_number(b, fields[i].numbers, fields[i].n, true);
		else if (fields[i].numbers == kinds)
			weft_buf_puts(b, kinds[pick(6)]);
		else
			random_name(b);
		if (k > 0)
			weft_buf_puts(b, pick(2) ? "," : " , ");
	}
}

static void random_filter(struct weft_buf *b, unsigned depth)
{
	unsigned form = depth ? pick(6) : 0;
	if (form < 2) {
		random_test(b);
		return;
	}
	if (form == 2) {
		weft_buf_puts(b, "not ");
		random_filter(b, 0);
		return;
	}
	bool brackets = pick(2);
	weft_buf_puts(b, brackets ? "(" : "");
	for (unsigned k = pick(3) + 1; k-- > 0;) {
		random_filter(b, depth - 1);
		if (k > 0)
			weft_buf_puts(b, form == 3 ? " or " : pick(2) ? " and " : " ");
	}
	weft_buf_puts(b, brackets ? ")" : "");
}

TEST(random_filters_read_back_equal)
{
	for (unsigned i = 0; i < 3000; i++) {
		struct weft_buf b = {0};
		random_filter(&b, 4);
		REQUIRE(!b.failed);
		char *once = canonical(b.at), *twice = canonical(once);
		if (!CHECK(strncmp(once, "filter: ", 8) != 0) || !CHECK_STR(twice, once))
			printf("# %s\n", b.at);
		free(once);
		free(twice);
		weft_buf_fini(&b);
	}
}

TEST(each_failed_allocation_is_reported)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		struct weft_filter *f;
		int rc = weft_filter_new(&f, "region=solve*,\"a b\" and not (duration>1ms or time=10%..20%)", &err);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		CHECK((rc != 0) == (f == NULL));
		weft_filter_free(f);
	}
}

/* -- ranges of time -- */

TEST(time_ranges)
{
	static const struct {
		const char *text;
		uint64_t from, to;
		const char *error;
	} rows[] = {
		{"10..20", 10, 20, ""},
		{"1us..2us", 1000, 2000, ""},
		{"25%..50%", 250, 500, ""},
		{"..30%", 0, 300, ""},
		{"90%..", 900, UINT64_MAX, ""},
		{"0..100%", 0, UINT64_MAX, ""},
		{"0..99.9%", 0, 999, ""},
		{"33.33%..66.67%", 333, 667, ""},
		{"", 0, 0, "expected a range of time like 10ms..20ms or 25%..50%, found ''"},
		{"..", 0, 0, "expected a range of time like 10ms..20ms or 25%..50%, found '..'"},
		{"10ms", 0, 0, "expected a range of time like 10ms..20ms or 25%..50%, found '10ms'"},
		{"a..b", 0, 0, "expected a range of time like 10ms..20ms or 25%..50%, found 'a..b'"},
		{"20..10", 0, 0, "the range of time '20..10' is empty"},
		{"10..10", 0, 0, "the range of time '10..10' is empty"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t from = 0, to = 0;
		struct weft_err err = {0};
		int rc = weft_time_range(rows[i].text, 1000, &from, &to, &err);
		CHECK_STR(err.text, rows[i].error);
		CHECK((rc == 0) == (rows[i].error[0] == '\0'));
		if (rc == 0) {
			CHECK_U64(from, rows[i].from);
			CHECK_U64(to, rows[i].to);
		}
	}
}
