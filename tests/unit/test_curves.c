/* SPDX-License-Identifier: Apache-2.0 */
/* Curves: ticks, where points come to lie, what cannot be shown, both forms. */
#include "harness.h"
#include "render/draw/curves.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(curves_ticks)
{
	static const struct {
		double from, to;
		bool log;
		unsigned n;
		double first, last;
	} rows[] = {
		{0, 10, false, 11, 0, 10},
		{0, 1, false, 11, 0, 1},
		{-3, 3, false, 7, -3, 3},
		{0, 1234, false, 7, 0, 1200},
		{1, 100, true, 7, 1, 100},
		{1000, 1e9, true, 7, 1000, 1e9},
		{1e-20, 1e20, true, 11, 1e-20, 1e20},
		{3, 3, false, 0, 0, 0},
		{NAN, 3, false, 0, 0, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double at[40];
		unsigned n = weft_curves_ticks(rows[i].from, rows[i].to, rows[i].log, at, 40);
		CHECK_U64(n, rows[i].n);
		if (!n || n != rows[i].n)
			continue;
		CHECK_NEAR(at[0], rows[i].first, fabs(rows[i].first) * 1e-9);
		CHECK_NEAR(at[n - 1], rows[i].last, fabs(rows[i].last) * 1e-9);
	}
}

static const double x[] = {10, 100, 1000, 0, 50}, y[] = {1, 10, 100, 5, NAN}, spread[] = {0, 2, 20, 0, 0};

static char *svg_of(bool log_axes, unsigned n)
{
	struct weft_buf out = {0};
	struct weft_curve curve[] = {{.name = "a <b>", .x = x, .y = y, .spread = spread, .n = n},
	                             {.name = "line", .line = true, .color = 1, .x = x, .y = y, .n = n}};
	struct weft_curves_how how = {"title & more", "size", "time", 0, 0, log_axes, log_axes};
	CHECK_I64(weft_curves_picture(&out, WEFT_PICTURE_SVG, curve, 2, &how), 0);
	return out.at;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;
	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* On logarithmic axes three points in a row by tens stand at equal distances; what has no logarithm, or is no number, is not there. */
TEST(curves_places)
{
	char *text = svg_of(true, 5);
	double cx[3], cy[3];
	CHECK_U64(count(text, "<circle"), 3);
	CHECK_U64(count(text, "<polyline"), 3); /* two bars, one line */
	CHECK(strstr(text, "a &lt;b&gt;") && strstr(text, "title &amp; more"));
	const char *at = text;
	for (int i = 0; i < 3; i++) {
		at = strstr(at, "<circle");
		REQUIRE(sscanf(at++, "<circle cx=\"%lf\" cy=\"%lf\"", &cx[i], &cy[i]) == 2);
	}
	CHECK_NEAR(cx[1] - cx[0], cx[2] - cx[1], 0.2);
	CHECK_NEAR(cy[1] - cy[0], cy[2] - cy[1], 0.2);
	CHECK(cx[0] > 76 && cx[2] < 936 && cy[0] < 550 && cy[2] > 64);
	free(text);
	text = svg_of(false, 5);
	CHECK_U64(count(text, "<circle"), 4);
	free(text);
	text = svg_of(true, 0);
	CHECK_U64(count(text, "<circle"), 0);
	free(text);
}

TEST(curves_pixels)
{
	struct weft_buf out = {0};
	struct weft_curve curve = {.name = "points", .color = 1, .x = x, .y = y, .n = 3};
	struct weft_curves_how how = {"t", "x", "y", 400, 300, true, true};
	struct canvas c;
	unsigned red = 0;
	REQUIRE(weft_curves_picture(&out, WEFT_PICTURE_PNG, &curve, 1, &how) == 0);
	REQUIRE(canvas_png_read(out.at, out.n, &c) == 0);
	CHECK_U64(c.width, 400);
	for (size_t i = 0; i < (size_t)c.width * c.height; i++)
		red += c.rgb[3 * i] == 0xd6 && c.rgb[3 * i + 1] == 0x27;
	/* Three dots and the legend's square. */
	CHECK(red > 120 && red < 300);
	canvas_fini(&c);
	weft_buf_fini(&out);
	CHECK_I64(weft_curves_picture(&out, WEFT_PICTURE_SVG, &curve, 1, &(struct weft_curves_how){"t", "x", "y", 90, 90, 0, 0}),
	          -EINVAL);
	weft_buf_fini(&out);
}
