/* SPDX-License-Identifier: Apache-2.0 */
/* color.c: the palette, and the colours of values by each rule. */
#include "harness.h"
#include "render/color.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TEST(palette_is_long_light_and_never_repeats)
{
	uint32_t *palette, n;
	REQUIRE(color_palette(&palette, &n) == 0);
	CHECK(n > 30000 && n <= COLOR_MOST);
	CHECK(!memcmp(palette, color_base, sizeof color_base));
	uint8_t *seen = calloc(1 << 21, 1);
	REQUIRE(seen != NULL);
	unsigned twice = 0, dark = 0;
	for (uint32_t i = COLOR_BASE; i < n; i++) {
		uint32_t c = palette[i], r = c >> 16, g = c >> 8 & 0xff, b = c & 0xff;
		twice += seen[c >> 3] >> (c & 7) & 1;
		seen[c >> 3] |= (uint8_t)(1 << (c & 7));
		dark += 299 * r + 587 * g + 114 * b < 42000;
	}
	CHECK_U64(twice, 0);
	CHECK_U64(dark, 0);
	CHECK_U64(palette[COLOR_BASE], color_base[0] + 0x10000); /* the first group, a little redder */
	free(seen);
	free(palette);
}

static struct weft_window window_of(enum weft_color color, double min, double max)
{
	return (struct weft_window){.color = color, .y_min = min, .y_max = max};
}

static struct coloring colors_of(const struct weft_window *w)
{
	struct coloring c;
	REQUIRE(coloring_init(&c, w, NULL) == 0);
	return c;
}

TEST(code_colors)
{
	struct weft_window w = window_of(WEFT_COLOR_CODE, 0, 100000);
	struct coloring c = colors_of(&w);
	CHECK_U64(coloring_of(&c, 1), 0x0000ff);
	CHECK_U64(coloring_of(&c, 3.7), 0xff0000);
	CHECK_U64(coloring_of(&c, 48), 0x008a77);
	CHECK_U64(coloring_of(&c, 0), COLOR_BACKGROUND);
	CHECK_U64(coloring_of(&c, -1), COLOR_BACKGROUND);
	CHECK_U64(coloring_of(&c, 100001), COLOR_BACKGROUND);
	CHECK_U64(coloring_of(&c, c.n_palette + 2.0), 0xffffff);
	coloring_fini(&c);
}

TEST(a_window_brings_colors_of_its_own)
{
	struct weft_key_line lines[] = {{"window_custom_color_enabled", "true"},
	                                {"window_custom_color_palette", "{1.000000000000:9,8,7 2.5:255,0,255 }"}};
	struct weft_window w = window_of(WEFT_COLOR_CODE, 0, 10);
	w.other = (struct weft_key_lines){lines, 2};
	struct coloring c = colors_of(&w);
	CHECK_U64(coloring_of(&c, 1), 0x090807);
	CHECK_U64(coloring_of(&c, 2.5), 0xff00ff);
	CHECK_U64(coloring_of(&c, 2), 0xffffff);
	coloring_fini(&c);
	lines[0].text = "false";
	c = colors_of(&w);
	CHECK_U64(coloring_of(&c, 1), 0x0000ff);
	coloring_fini(&c);
}

TEST(a_trace_brings_colors_of_states)
{
	struct weft_note note[] = {{"prv.color", "3 {1,2,3}"}, {"prv.color", "99999999 {4,5,6}"}, {"other", "4 {7,8,9}"}};
	struct weft_trace t = {.note = note, .n_notes = 3};
	struct weft_window w = window_of(WEFT_COLOR_CODE, 0, 10);
	struct coloring c;
	REQUIRE(coloring_init(&c, &w, &t) == 0);
	CHECK_U64(coloring_of(&c, 3), 0x010203);
	CHECK_U64(coloring_of(&c, 4), 0xff00ae);
	coloring_fini(&c);
}

TEST(gradients)
{
	struct weft_window w = window_of(WEFT_COLOR_GRADIENT, 0, 10);
	struct coloring c = colors_of(&w);
	CHECK_U64(coloring_of(&c, 0), 0x00ff00);
	CHECK_U64(coloring_of(&c, 10), 0x0000ff);
	CHECK_U64(coloring_of(&c, 5), 0x007f7f);
	CHECK_U64(coloring_of(&c, -0.1), COLOR_LOW);
	CHECK_U64(coloring_of(&c, 10.1), COLOR_HIGH);
	c.kind = COLOR_NOT_NULL;
	CHECK_U64(coloring_of(&c, 0), COLOR_BACKGROUND);
	c.kind = COLOR_ALTERNATIVE;
	CHECK_U64(coloring_of(&c, 0), c.stop[0]);
	CHECK_U64(coloring_of(&c, 2), c.stop[1]);
	CHECK_U64(coloring_of(&c, 10), c.stop[c.n_stops - 1]);
	c.kind = COLOR_GRADIENT;
	c.min = c.max = 4;
	CHECK_U64(coloring_of(&c, 4), 0x00ff00);
	c.min = -10;
	c.max = 10;
	c.negative = true;
	CHECK_U64(coloring_of(&c, -10), 0xa0a0ff);
	CHECK_U64(coloring_of(&c, -5), 0xa0cfcf);
	CHECK_U64(coloring_of(&c, -11), COLOR_LOW);
	coloring_fini(&c);
}

TEST(shapes_of_gradients)
{
	static const struct {
		const char *key;
		double v;
		uint32_t color;
	} shape[] = {
		{"{gradient_function_linear}", 19, 0x00ce30}, {"{gradient_function_steps}", 19, 0x00e519},
		{"{gradient_function_log}", 19, 0x0059a5},    {"gradient_function_exp", 50, 0x00fd01},
		{"gradient_function_steps", 100, 0x0000ff},   {"gradient_function_log", 100, 0x0000ff},
	};
	for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++) {
		struct weft_key_line line = {"window_gradient_function", shape[i].key};
		struct weft_window w = window_of(WEFT_COLOR_GRADIENT, 0, 100);
		w.other = (struct weft_key_lines){&line, 1};
		struct coloring c = colors_of(&w);
		CHECK_U64(coloring_of(&c, shape[i].v), shape[i].color);
		coloring_fini(&c);
	}
}

TEST(colors_say_when_memory_is_out)
{
	struct weft_window w = window_of(WEFT_COLOR_CODE, 0, 100);
	TEST_EACH_ALLOCATION_FAILS {
		struct coloring c;
		int rc = coloring_init(&c, &w, NULL);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		coloring_fini(&c);
	}
}
