/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "render/draw/axis.h"
#include <stddef.h>

TEST(axis_steps_are_round_and_few_enough)
{
	static const struct {
		uint64_t span;
		unsigned most;
		uint64_t step;
	} cases[] = {
		{1, 1, 1},       {10, 10, 1},
		{10, 9, 2},      {11, 10, 2},
		{1000, 10, 100}, {1001, 10, 200},
		{999, 4, 500},   {60000000000, 7, 10000000000},
		{7, 1, 10},      {UINT64_MAX, 1, 10000000000000000000u},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_U64(weft_axis_step(cases[i].span, cases[i].most), cases[i].step);
	for (uint64_t span = 1; span < UINT64_MAX / 3; span = span * 3 + 1)
		for (unsigned most = 1; most < 40; most += 7) {
			uint64_t step = weft_axis_step(span, most);
			CHECK(span / step <= most);
			CHECK(step <= 5 || span / most >= step / 5);
		}
}

TEST(axis_labels_have_the_decimals_of_the_step)
{
	static const struct {
		uint64_t at, step, last;
		const char *label;
	} cases[] = {
		{0, 1, 9, "0 ns"},
		{7, 1, 999, "7 ns"},
		{1500, 500, 9000, "1.5 us"},
		{2000, 500, 9000, "2.0 us"},
		{2000000, 1000000, 9000000, "2 ms"},
		{2500000, 10000, 9000000, "2.50 ms"},
		{1234567890, 10, 2000000000, "1.23456789 s"},
		{500000000, 500000000, 2000000000, "0.5 s"},
		{60000000000, 20000000000, 90000000000, "60 s"},
		{UINT64_MAX, 1, UINT64_MAX, "18446744073.709551615 s"},
	};
	char text[32];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_STR(weft_axis_label(text, cases[i].at, cases[i].step, cases[i].last), cases[i].label);
}
