/* SPDX-License-Identifier: Apache-2.0 */
/* view_timeline.c, view_paint.c, view_legend.c: pictures of windows as goldens, and what holds for all of them. */
#include "harness.h"
#include "metric/view/view.h"
#include "render/color.h"
#include "render/view_timeline.h"
#include "sample_metric.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(3):1:3(1:1,1:1,1:1)\n"
			  "1:1:1:1:1:0:300:1\n1:1:1:1:1:300:500:3\n1:1:1:1:1:500:1000:1\n1:2:1:2:1:100:900:1\n1:3:1:3:1:0:950:7\n"
			  "2:1:1:1:1:100:50:5\n2:1:1:1:1:600:50:9\n2:2:1:2:1:200:50:-4\n2:3:1:3:1:500:50:7\n";

struct fixture {
	struct sample_metric m;
	struct weft_view view;
	struct weft_window window[2];
	struct weft_view_timeline_how how;
};

static void set_up(struct fixture *f, const char *function, enum weft_color color)
{
	sample_metric_open(&f->m, prv);
	memset(f->window, 0, sizeof f->window);
	for (unsigned i = 0; i < 2; i++) {
		f->window[i] = (struct weft_window){.color = color, .y_max = 10, .zoom_last = WEFT_NONE};
		sample_metric_of(&f->window[i].metric, function, 50);
		f->window[i].metric.name = "a window";
	}
	f->view = (struct weft_view){.window = f->window, .n_windows = 2};
	f->how = (struct weft_view_timeline_how){.space = &f->m.s,
	                                         .view = &f->view,
	                                         .window = &f->window[0],
	                                         .width = 500,
	                                         .to = 1000,
	                                         .time_draw = WEFT_DRAWS,
	                                         .rows_draw = WEFT_DRAWS,
	                                         .color = WEFT_COLORS};
}

static struct canvas drawn(const struct fixture *f)
{
	struct weft_buf png = {0};
	struct canvas c;
	REQUIRE(weft_view_timeline_draw(&png, WEFT_PICTURE_PNG, &f->how) == 0);
	REQUIRE(canvas_png_read(png.at, png.n, &c) == 0);
	weft_buf_fini(&png);
	return c;
}

static unsigned count(const struct canvas *c, uint32_t color)
{
	unsigned n = 0;
	for (size_t i = 0; i < (size_t)c->width * c->height; i++)
		n += ((uint32_t)c->rgb[3 * i] << 16 | (uint32_t)c->rgb[3 * i + 1] << 8 | c->rgb[3 * i + 2]) == color;
	return n;
}

TEST(windows_are_as_they_were)
{
	static const struct {
		const char *function, *golden;
		enum weft_color color;
	} picture[] = {{"State As Is", "view_states.png", WEFT_COLOR_CODE},
	               {"Last Evt Val", "view_gradient.png", WEFT_COLOR_NOT_NULL}};
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f;
		struct weft_buf png = {0};
		set_up(&f, picture[i].function, picture[i].color);
		REQUIRE(weft_view_timeline_draw(&png, WEFT_PICTURE_PNG, &f.how) == 0);
		test_golden(png.at, png.n, picture[i].golden);
		weft_buf_fini(&png);
		sample_metric_close(&f.m);
	}
}

TEST(each_value_has_its_color_and_its_name)
{
	struct fixture f;
	struct weft_buf svg = {0};
	set_up(&f, "State As Is", WEFT_COLOR_CODE);
	struct canvas c = drawn(&f);
	/* 29 lines of pixels a row; half of the first row and four fifths of the second run */
	unsigned running = count(&c, 0x0000ff), plot = c.width - 16 - 104;
	CHECK(running > plot * 29 * 155 / 100 && running < plot * 29 * 165 / 100);
	CHECK(count(&c, 0xff0000) > 1000 && count(&c, 0xffff00) > 1000);
	canvas_fini(&c);
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, ">THREAD 1.3.1<") && strstr(svg.at, ">Unknown state 7<") && strstr(svg.at, ">a window<"));
	weft_buf_fini(&svg);
	sample_metric_close(&f.m);
}

TEST(gradients_show_what_is_off_the_scale)
{
	struct fixture f;
	struct weft_buf svg = {0};
	set_up(&f, "Last Evt Val", WEFT_COLOR_NOT_NULL);
	f.how.has_max = true;
	f.how.max = 8;
	struct canvas c = drawn(&f);
	CHECK(count(&c, COLOR_LOW) > 1000 && count(&c, COLOR_HIGH) > 1000);
	canvas_fini(&c);
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, "below the scale") && strstr(svg.at, "above the scale"));
	weft_buf_fini(&svg);
	/* nothing said: from the least to the greatest */
	f.window[0].y_max = 0;
	f.how.has_max = false;
	c = drawn(&f);
	CHECK_U64(count(&c, COLOR_LOW) + count(&c, COLOR_HIGH), 0);
	canvas_fini(&c);
	sample_metric_close(&f.m);
}

TEST(styles_draw_values_as_heights)
{
	struct fixture f;
	set_up(&f, "Last Evt Val", WEFT_COLOR_GRADIENT);
	struct weft_key_line line = {"window_punctual_color_window", "2"};
	for (enum weft_style style = WEFT_STYLE_LINE; style < WEFT_STYLES; style++) {
		f.how.style = style;
		f.window[0].other = (struct weft_key_lines){&line, 1};
		struct canvas c = drawn(&f);
		CHECK(count(&c, COLOR_BACKGROUND) > 10000);
		canvas_fini(&c);
	}
	/* The other window colours the dots: its 0s are black, so no dot of thread 1's 5 or 9 is green or blue. */
	f.how.style = WEFT_STYLE_POINTS;
	sample_metric_of(&f.window[1].metric, "Useful", 50);
	f.window[1].color = WEFT_COLOR_CODE;
	struct canvas c = drawn(&f);
	CHECK(count(&c, 0x0000ff) > 50);
	canvas_fini(&c);
	sample_metric_close(&f.m);
}

/* Pixels of the plot with this colour; three rows of 32 lines. */
static unsigned count_in_plot(const struct canvas *c, uint32_t color)
{
	unsigned n = 0;
	for (unsigned y = 76; y < 76 + 3 * 32; y++)
		for (unsigned x = 0; x < c->width; x++) {
			const uint8_t *p = &c->rgb[3 * ((size_t)y * c->width + x)];
			n += ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) == color;
		}
	return n;
}

static void draw_plot(const struct fixture *f, uint32_t color, unsigned *n)
{
	struct canvas c = drawn(f);
	*n = count_in_plot(&c, color);
	canvas_fini(&c);
}

TEST(messages_and_events_lie_over_the_rows)
{
	static const char text[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(3):1:3(1:1,1:1,1:1)\n"
				   "1:1:1:1:1:0:1000:3\n2:1:1:1:1:200:50:5\n2:1:1:1:1:600:51:9\n2:3:1:3:1:500:50:7\n"
				   "3:1:1:1:1:100:120:3:1:3:1:300:340:64:7\n3:1:1:1:1:100:120:3:1:3:1:300:340:64:8\n"
				   "3:2:1:2:1:500:500:1:1:1:1:500:500:8:9\n";
	struct fixture f;
	struct weft_buf svg = {0};
	unsigned logical, physical, white, flagged;
	set_up(&f, "State As Is", WEFT_COLOR_CODE);
	sample_metric_close(&f.m);
	sample_metric_open(&f.m, text);
	struct weft_record_filter *filter = &f.window[0].metric.filter;
	*filter = (struct weft_record_filter){.logical = true, .intra = true, .inter = true};
	draw_plot(&f, 0xffe400, &logical);
	draw_plot(&f, 0xffffff, &white);
	CHECK_U64(logical, 0);
	/* One over 64 lines of pixels and a fifth of the width, drawn once though it comes twice; one straight up of 32. */
	f.window[0].lines = true;
	draw_plot(&f, 0xffe400, &logical);
	draw_plot(&f, 0xff5050, &physical);
	CHECK(logical >= 64 + 32 && logical <= 80 + 34);
	CHECK_U64(physical, 0);
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, ">message<") && !strstr(svg.at, ">event<"));
	weft_buf_fini(&svg);
	filter->physical = true;
	draw_plot(&f, 0xff5050, &physical);
	CHECK(physical >= 64 && physical <= 120);
	/* the filter: only the small one */
	filter->physical = false;
	double most = 10;
	filter->test[WEFT_OF_SIZE] = (struct weft_test){.kind = WEFT_TEST_LT, .list = {&most, 1}};
	draw_plot(&f, 0xffe400, &logical);
	CHECK(logical >= 30 && logical <= 34);
	/* events of type 50: two flags of 13 pixels */
	double type = 50;
	f.window[0].lines = false;
	f.window[0].flags = true;
	filter->test[WEFT_OF_TYPE] = (struct weft_test){.kind = WEFT_TEST_EQ, .list = {&type, 1}};
	draw_plot(&f, 0xffffff, &flagged);
	CHECK_U64(flagged - white, 26);
	/* rows that are not in the picture have neither */
	f.window[0].metric.level = WEFT_TASK;
	f.how.most_rows = 1;
	f.window[0].lines = true;
	draw_plot(&f, 0xffe400, &logical);
	CHECK_U64(logical, 0);
	sample_metric_close(&f.m);
}

TEST(rows_are_chosen_and_fused)
{
	struct fixture f;
	struct weft_buf svg = {0};
	set_up(&f, "State As Is", WEFT_COLOR_CODE);
	f.how.height = 2;
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, "3 threads in 2 lines: of those that share one, the last value") != NULL);
	svg.n = 0;
	const bool selected[3] = {true, false, true};
	f.window[0].selected = selected;
	f.how.most_rows = 1;
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, "1 more threads are not shown") && !strstr(svg.at, "THREAD 1.3.1"));
	svg.n = 0;
	f.window[0].zoom_first = 2;
	f.window[0].zoom_last = 2;
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, "THREAD 1.3.1") && !strstr(svg.at, "THREAD 1.1.1"));
	svg.n = 0;
	f.window[0].zoom_first = 5;
	f.window[0].zoom_last = 6;
	REQUIRE(weft_view_timeline_draw(&svg, WEFT_PICTURE_SVG, &f.how) == 0);
	CHECK(strstr(svg.at, "the window has no rows") != NULL);
	weft_buf_fini(&svg);
	sample_metric_close(&f.m);
}

TEST(pictures_of_views_say_when_memory_is_out)
{
	struct fixture f;
	set_up(&f, "Last Evt Val", WEFT_COLOR_CODE);
	f.how.threads = 1;
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf out = {0};
		int rc = weft_view_timeline_draw(&out, WEFT_PICTURE_PNG, &f.how);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_buf_fini(&out);
	}
	sample_metric_close(&f.m);
}
