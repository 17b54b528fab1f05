/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "render/draw/palette.h"
#include "weft/states.h"
#include <errno.h>

static const struct weft_palette_name names[] = {
	{"update rows", WEFT_STATE_RUNNING},
	{"barrier", WEFT_STATE_SYNCHRONIZING},
	{"solve", WEFT_STATE_RUNNING},
	{"verify", WEFT_STATE_RUNNING},
	{"exchange", WEFT_STATE_COMMUNICATING},
	{"read", WEFT_STATE_IO},
	{"table lookup", WEFT_STATE_RUNNING},
	{"a", WEFT_STATE_RUNNING},
	{"b", WEFT_STATE_RUNNING},
	{"c", WEFT_STATE_RUNNING},
	{"d", WEFT_STATE_RUNNING},
};
enum { N = sizeof names / sizeof *names };

TEST(palette_gives_different_colors_while_there_are_some)
{
	uint32_t color[N];
	REQUIRE(weft_palette_choose(names, N, color) == 0);
	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < i; k++)
			CHECK(color[i] != color[k]); /* 8 of one class: exactly as many as it has */
}

TEST(palette_does_not_depend_on_the_order)
{
	struct weft_palette_name reversed[N];
	uint32_t color[N], other[N];
	for (unsigned i = 0; i < N; i++)
		reversed[i] = names[N - 1 - i];
	REQUIRE(weft_palette_choose(names, N, color) == 0);
	REQUIRE(weft_palette_choose(reversed, N, other) == 0);
	for (unsigned i = 0; i < N; i++)
		CHECK_U64(other[N - 1 - i], color[i]);
}

TEST(palette_keeps_a_name_s_color_when_others_of_other_places_come)
{
	uint32_t alone, color[N];
	unsigned kept = 0;
	REQUIRE(weft_palette_choose(names, N, color) == 0);
	for (unsigned i = 0; i < N; i++) {
		REQUIRE(weft_palette_choose(&names[i], 1, &alone) == 0);
		kept += alone == color[i];
	}
	/* The classes of one name each keep it always; of the 8 of one class at least those that came first to their place. */
	CHECK(kept >= 3 + 4);
}

TEST(palette_takes_more_names_than_colors_and_unknown_states)
{
	struct weft_palette_name many[100];
	uint32_t color[100];
	unsigned times = 0;
	for (unsigned i = 0; i < 100; i++)
		many[i] = (struct weft_palette_name){"same", i ? 1000 : WEFT_STATE_IDLE};
	REQUIRE(weft_palette_choose(many, 100, color) == 0);
	for (unsigned i = 1; i < 100; i++)
		times += color[i] == color[1];
	CHECK(times == 12 || times == 13); /* shared out evenly over 8 */
	CHECK_I64(weft_palette_choose(many, 0, color), 0);
}

TEST(palette_says_when_memory_is_out)
{
	uint32_t color[N];
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_palette_choose(names, N, color);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
	}
}

/* Paje's states: none has a class, and greys would all look alike. */
TEST(palette_spreads_names_without_a_class)
{
	static const struct weft_palette_name plain[] = {{"barrier", 0}, {"read", 0},  {"solve", 0},
	                                                 {"verify", 0},  {"write", 0}, {"a", 0}};
	enum { PLAIN = sizeof plain / sizeof *plain };
	uint32_t color[PLAIN];
	REQUIRE(weft_palette_choose(plain, PLAIN, color) == 0);
	for (unsigned i = 0; i < PLAIN; i++) {
		unsigned red = color[i] >> 16, blue = color[i] & 255;
		CHECK(red > blue + 30 || blue > red + 30 || (color[i] >> 8 & 255) > red + 30);
		for (unsigned k = 0; k < i; k++)
			CHECK(color[i] != color[k]);
	}
}
