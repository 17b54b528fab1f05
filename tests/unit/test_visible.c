/* SPDX-License-Identifier: Apache-2.0 */
/* visible.c: text from elsewhere cannot steer a terminal, and what cannot is left alone. */
#include "harness.h"
#include "base/visible.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *in, *out;
} cases[] = {
	{"", ""},
	{"plain text", "plain text"},
	{"a\x1b[31mred", "a\\x1b[31mred"},
	{"\xc2\x9b"
         "31m",
         "\\u009b31m"},
	{"\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"},
	{"\x9b\x7f\t\n", "\\x9b\\x7f\\x09\\x0a"},
	{"\xe2\x80\xae"
         "fdp",
         "\\u202efdp"},
	{"\xe2\x80\x8f\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8", "\\u200f\\u2066\\u061c\\u2028"},
	{"\xc4\x81\xe4\xb8\x80\xf0\x9f\x92\x80", "\xc4\x81\xe4\xb8\x80\xf0\x9f\x92\x80"}, /* later bytes look like C1 */
	{"caf\xe9", "caf\xe9"},    /* Latin-1: no UTF-8, but nothing that a terminal obeys */
	{"\xe2\x80", "\xe2\\x80"}, /* cut off */
};

TEST(escapes_are_seen)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_buf b = {0};
		weft_buf_visible(&b, weft_str(cases[i].in));
		CHECK_STR(b.n ? b.at : "", cases[i].out);
		weft_buf_fini(&b);
	}
}

TEST(zero_bytes_are_seen)
{
	struct weft_buf b = {0};
	weft_buf_visible(&b, weft_str_n("a\0b", 3));
	CHECK_STR(b.at, "a\\x00b");
	weft_buf_fini(&b);
}

/* Whatever bytes: what comes out has no hazard, and harmless text comes out as it is. */
TEST(nothing_harmful_comes_out)
{
	for (int round = 0; round < 20000; round++) {
		char in[40];
		size_t n = test_random() % sizeof in;
		for (size_t i = 0; i < n; i++)
			in[i] = (char)(test_random() % 3 ? "\xe2\x80\xae\xc2\x9b\xd8\x9c\x1b"
			                                   "a"[test_random() % 9]
			                                 : (char)test_random());
		struct weft_buf b = {0};
		weft_buf_visible(&b, weft_str_n(in, n));
		bool hazard = false;
		for (size_t i = 0, step; i < b.n; i += step) {
			hazard = hazard || weft_text_hazard(b.at + i, b.n - i);
			step = weft_utf8_len(b.at + i, b.n - i);
			step = step ? step : 1;
		}
		CHECK(!hazard);
		weft_buf_fini(&b);
	}
}

TEST(newlines_of_the_format_stay)
{
	char *at = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&at, &n);
	REQUIRE(f);
	weft_print_visible(f, "\nTasks: %s, %d\n\n", "a\nb\x1b", 7);
	weft_print_visible(f, "%s", "end\n");
	weft_print_visible(f, "\n");
	weft_print_visible(f, "%s", "");
	weft_put_visible("x\xc2\x9b", f);
	REQUIRE(fclose(f) == 0);
	CHECK_STR(at, "\nTasks: a\\x0ab\\x1b, 7\n\nend\\x0a\nx\\u009b");
	free(at);
}
