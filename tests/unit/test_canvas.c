/* SPDX-License-Identifier: Apache-2.0 */
/* canvas.c, canvas_png.c, font.c, picture.c: what is drawn is read back; both forms say the same. */
#include "harness.h"
#include "render/draw/canvas.h"
#include "render/draw/font.h"
#include "render/draw/picture.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t pixel(const struct canvas *c, unsigned x, unsigned y)
{
	const uint8_t *p = c->rgb + ((size_t)y * c->width + x) * 3;
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

TEST(png_of_few_and_of_many_colors_reads_back)
{
	static const unsigned sizes[][2] = {{1, 1}, {7, 3}, {300, 5}};
	for (unsigned i = 0; i < 3; i++) {
		struct canvas c, back;
		struct weft_buf png = {0};
		REQUIRE(canvas_init(&c, sizes[i][0], sizes[i][1]) == 0);
		size_t n = (size_t)c.width * c.height * 3;
		for (size_t k = 0; k < n; k++)
			c.rgb[k] = (uint8_t)test_random();
		REQUIRE(canvas_png(&png, c.rgb, c.width, c.height) == 0);
		REQUIRE(canvas_png_read(png.at, png.n, &back) == 0);
		CHECK(back.width == c.width && back.height == c.height && !memcmp(back.rgb, c.rgb, n));
		canvas_fini(&back);
		CHECK_I64(canvas_png_read(png.at, png.n - 20, &back), WEFT_E_SYNTAX);
		canvas_fini(&c);
		weft_buf_fini(&png);
	}
}

TEST(png_says_when_memory_is_out)
{
	static const uint8_t rgb[12] = {1, 2, 3};
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf png = {0};
		int rc = canvas_png(&png, rgb, 2, 2);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_buf_fini(&png);
	}
}

TEST(rectangles_are_cut_at_the_edges)
{
	struct canvas c;
	REQUIRE(canvas_init(&c, 10, 10) == 0);
	canvas_rect(&c, -5, -5, 7, 7, 0x102030);
	canvas_rect(&c, 8, 8, 100, 0.1, 0x405060);
	CHECK_U64(pixel(&c, 0, 0), 0x102030);
	CHECK_U64(pixel(&c, 1, 1), 0x102030);
	CHECK_U64(pixel(&c, 2, 2), 0xffffff);
	CHECK_U64(pixel(&c, 9, 8), 0x405060);
	CHECK_U64(pixel(&c, 9, 9), 0xffffff);
	canvas_line(&c, -50, 5.5, 50, 5.5, 1, 0, 1);
	CHECK_U64(pixel(&c, 0, 5), 0);
	CHECK_U64(pixel(&c, 9, 5), 0);
	CHECK_U64(pixel(&c, 5, 7), 0xffffff);
	canvas_fini(&c);
	CHECK_I64(canvas_init(&c, 0, 5), -EINVAL);
}

/* Every character of the font is there, differs from all others, and stays in its place. */
TEST(each_character_can_be_told_apart)
{
	struct canvas c[95];
	const struct canvas_face face = {1, 1, 0};
	for (unsigned i = 0; i < 95; i++) {
		char text[2] = {(char)(' ' + i), 0};
		REQUIRE(canvas_init(&c[i], 12, 14) == 0);
		canvas_text(&c[i], 2, 11, &face, text, 0);
		for (unsigned y = 0; y < 14; y++)
			CHECK_U64(pixel(&c[i], 0, y), 0xffffff);
		bool blank = true;
		for (size_t k = 0; k < 12 * 14 * 3; k++)
			blank &= c[i].rgb[k] == 0xff;
		CHECK(blank == (i == 0));
		for (unsigned k = 0; k < i; k++)
			if (!memcmp(c[k].rgb, c[i].rgb, 12 * 14 * 3))
				CHECK_U64(k, i);
	}
	for (unsigned i = 0; i < 95; i++)
		canvas_fini(&c[i]);
}

TEST(text_has_a_width)
{
	CHECK_NEAR(font_text_width("", 0), 0, 0);
	CHECK_NEAR(font_text_width("00", 0), 11, 0);
	CHECK_NEAR(font_text_width("0000", 2), 11, 0);
	unsigned bytes;
	CHECK(font_glyph_at("\xe2\x80\xa6", &bytes)->width == 6 && bytes == 3);
	font_glyph_at("\xc3\xa4", &bytes);
	CHECK_U64(bytes, 2);
	font_glyph_at("\xff", &bytes);
	CHECK_U64(bytes, 1);
}

/* The same calls on both forms. */
static int draw_all(enum weft_picture_form form, struct weft_buf *out)
{
	static const uint8_t rgb[2 * 2 * 3] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3};
	struct picture p;
	int rc = picture_begin(&p, form, out, 200, 100, "a <b> & \"c\" \x01");
	if (!rc) {
		picture_text(&p, 100, 20, SVG_MIDDLE, "t", "title <&> \xff and more of it than there is room for", 20);
		picture_text_pair(&p, 5, 40, "name", 0, "41 %");
		picture_rect(&p, 10, 50, 20, 10, 0x2f6fb0, 2);
		picture_line(&p, 40.5, 50, 40.5, 90, "k");
		picture_line(&p, 50, 50, 90, 90, "m");
		picture_path_begin(&p, 0x1f9a7c, "<path>");
		picture_path_rect(&p, 100, 50, 10, 10);
		picture_path_rect(&p, 120, 50, 10, 10);
		picture_path_end(&p);
		picture_path_begin(&p, 0x123456, "nothing");
		picture_path_end(&p);
		picture_image(&p, 150, 60, rgb, 2, 2);
	}
	int end = picture_end(&p);
	return rc ? rc : end;
}

TEST(pictures_have_what_was_drawn)
{
	struct weft_buf png = {0}, svg = {0};
	struct canvas c;
	REQUIRE(draw_all(WEFT_PICTURE_PNG, &png) == 0);
	REQUIRE(canvas_png_read(png.at, png.n, &c) == 0);
	CHECK_U64(pixel(&c, 15, 55), 0x2f6fb0);
	CHECK_U64(pixel(&c, 40, 70), 0x8c959f);
	CHECK_U64(pixel(&c, 105, 55), 0x1f9a7c);
	CHECK_U64(pixel(&c, 115, 55), 0xffffff);
	CHECK_U64(pixel(&c, 125, 55), 0x1f9a7c);
	CHECK_U64(pixel(&c, 150, 60), 0xff0000);
	CHECK_U64(pixel(&c, 151, 61), 0x010203);
	canvas_fini(&c);
	test_golden(png.at, png.n, "picture.png");
	REQUIRE(draw_all(WEFT_PICTURE_SVG, &svg) == 0);
	CHECK(strstr(svg.at, "nothing") == NULL);
	CHECK(strstr(svg.at, "href=\"data:image/png;base64,iVBOR") != NULL);
	test_golden(svg.at, svg.n, "picture.svg");
	weft_buf_fini(&png);
	weft_buf_fini(&svg);
}

/* By a parser that is not ours. */
TEST(svg_is_well_formed)
{
	struct weft_buf svg = {0};
	char path[4096];
	int status;
	REQUIRE(draw_all(WEFT_PICTURE_SVG, &svg) == 0);
	snprintf(path, sizeof path, "%s/a.svg", test_dir());
	FILE *f = fopen(path, "w");
	REQUIRE(f && fwrite(svg.at, 1, svg.n, f) == svg.n && fclose(f) == 0);
	char *said = test_shell(&status,
	                        "python3 -c 'import sys, xml.parsers.expat as e; "
	                        "e.ParserCreate().Parse(open(sys.argv[1], \"rb\").read(), True)' '%s' 2>&1",
	                        path);
	CHECK_STR(said, "");
	CHECK_I64(status, 0);
	free(said);
	weft_buf_fini(&svg);
}

TEST(pictures_say_when_memory_is_out)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf out = {0};
		int rc = draw_all(WEFT_PICTURE_PNG, &out);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_buf_fini(&out);
	}
}
