/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "render/draw/svg.h"
#include <string.h>

TEST(svg_text_is_escaped_and_cut_by_characters)
{
	static const struct {
		const char *text;
		unsigned most;
		const char *out;
	} cases[] = {
		{"a<b & \"c\">", 0, "a&lt;b &amp; &quot;c&quot;&gt;"},
		{"tab\there\x01", 0, "tab here "},
		{"\xff ok", 0, "\xef\xbf\xbd ok"},
		{"\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc"},
		{"\xc3\xa4\xc3\xb6\xc3\xbc!", 3, "\xc3\xa4\xc3\xb6\xe2\x80\xa6"},
		{"", 5, ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_buf b = {0};
		svg_escaped(&b, cases[i].text, cases[i].most);
		CHECK_STR(b.n ? b.at : "", cases[i].out);
		weft_buf_fini(&b);
	}
}

TEST(svg_numbers_have_one_decimal_at_most)
{
	struct weft_buf b = {0};
	svg_rect(&b, 1, 2.04, 3.25, -0.5, 0x0000ff, 0);
	CHECK_STR(b.at, "<rect x=\"1\" y=\"2\" width=\"3.3\" height=\"-0.5\" fill=\"#0000ff\"/>\n");
	weft_buf_fini(&b);
}

TEST(svg_length_counts_characters)
{
	CHECK_U64(svg_text_length("\xc3\xa4"
	                          "b\xff"),
	          3);
	CHECK(svg_text_width("abcdef", 3) == svg_text_width("abc", 0));
}
