/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c, svg.c: what is written in a picture can be read, and SVG and PNG have the same colours. */
#include "harness.h"
#include "render/draw/picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The contrast of two colours, 1 to 21, as the Web Content Accessibility Guidelines define it; 4.5 is what they ask of text. */
static double linear(unsigned channel)
{
	double c = channel / 255.0;
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t c)
{
	return 0.2126 * linear(c >> 16 & 0xff) + 0.7152 * linear(c >> 8 & 0xff) + 0.0722 * linear(c & 0xff);
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
	return x > y ? x / y : y / x;
}

TEST(contrast_is_that_of_the_guidelines)
{
	CHECK_NEAR(contrast(0x000000, 0xffffff), 21, 1e-9);
	CHECK_NEAR(contrast(0x777777, 0xffffff), 4.478, 0.001);
	CHECK_NEAR(contrast(0xff0000, 0xffffff), 3.998, 0.001);
}

/* The colour of `fill` in a rule of the style; `otherwise` where it says none. */
static uint32_t fill_of(const char *svg, const char *rule, uint32_t otherwise)
{
	const char *at = strstr(svg, rule);
	const char *end = at ? strchr(at, '}') : NULL;
	REQUIRE(end != NULL);
	const char *fill = strstr(at, "fill:#");
	return fill && fill < end ? (uint32_t)strtoul(fill + 6, NULL, 16) : otherwise;
}

TEST(texts_can_be_read_and_are_alike_in_both_forms)
{
	static const struct {
		char class;
		const char *rule;
	} classes[] = {{'t', "\n.t{"}, {'s', "\n.s{"}, {'a', "\n.a{"}, {'b', "\n.b{"}, {'l', "\ntext{"}};
	struct picture p;
	struct weft_buf svg = {0};
	REQUIRE(picture_begin(&p, WEFT_PICTURE_SVG, &svg, 100, 100, "") == 0);
	REQUIRE(picture_end(&p) == 0);
	CHECK(strstr(svg.at, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>") != NULL);
	uint32_t usual = fill_of(svg.at, "\ntext{", 0xffffff);
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
		uint32_t of_png = picture_text_color(classes[i].class), of_svg = fill_of(svg.at, classes[i].rule, usual);
		if (!CHECK(contrast(of_png, 0xffffff) >= 4.5))
			printf("# '%c': %.2f\n", classes[i].class, contrast(of_png, 0xffffff));
		CHECK_U64(of_png, of_svg);
	}
	weft_buf_fini(&svg);
}

TEST(texts_are_drawn_in_their_color)
{
	struct picture p;
	struct weft_buf png = {0};
	struct canvas c;
	REQUIRE(picture_begin(&p, WEFT_PICTURE_PNG, &png, 60, 30, "") == 0);
	picture_text(&p, 5, 20, SVG_LEFT, "s", "HHHH", 0);
	REQUIRE(picture_end(&p) == 0);
	REQUIRE(canvas_png_read(png.at, png.n, &c) == 0);
	double most = 1;
	for (size_t i = 0; i < (size_t)c.width * c.height; i++) {
		uint32_t at = (uint32_t)c.rgb[3 * i] << 16 | (uint32_t)c.rgb[3 * i + 1] << 8 | c.rgb[3 * i + 2];
		double now = contrast(at, 0xffffff);
		most = now > most ? now : most;
	}
	CHECK(most >= 4.5);
	canvas_fini(&c);
	weft_buf_fini(&png);
}
