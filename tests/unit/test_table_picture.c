/* SPDX-License-Identifier: Apache-2.0 */
/* table_picture.c: tables by hand, read back from their pictures. */
#include "harness.h"
#include "render/color.h"
#include "render/table_picture.h"
#include "sample_metric.h"
#include <errno.h>
#include <stdlib.h>

enum { ROWS = 3, COLUMNS = 4 };
static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(3):1:3(1:1,1:1,1:1)\n2:1:1:1:1:100:50:1\n";

/* Row 0: 1 in column 0, 10 in column 3. Row 1: nothing. Row 2: 4 in column 1. */
struct by_hand {
	struct sample_metric m;
	struct weft_window window;
	struct weft_view view;
	struct weft_hist hist;
	struct weft_plane plane;
	struct weft_result r;
	struct weft_result_cell cell[3];
	uint64_t first[ROWS + 1];
	uint32_t row[ROWS];
};

static void make(struct by_hand *h)
{
	*h = (struct by_hand){.cell = {{0, 1}, {3, 10}, {1, 4}}, .first = {0, 2, 2, 3}, .row = {0, 1, 2}};
	sample_metric_open(&h->m, prv);
	sample_metric_of(&h->window.metric, "Last Evt Val", 50);
	h->view = (struct weft_view){.window = &h->window, .n_windows = 1};
	h->hist = (struct weft_hist){.name = "a table", .stat = weft_stat_find("Time"), .extra = WEFT_NONE};
	h->plane = (struct weft_plane){h->cell, h->first, true};
	h->r = (struct weft_result){.view = &h->view,
	                            .hist = &h->hist,
	                            .space = &h->m.s,
	                            .row = h->row,
	                            .n_rows = ROWS,
	                            .column = {0, COLUMNS, 1, COLUMNS},
	                            .depth = {0, 1, 1, 1},
	                            .plane = &h->plane};
}

static struct canvas picture_of(const struct by_hand *h, const struct weft_table_picture_how *how)
{
	struct weft_buf png = {0};
	struct canvas c;
	REQUIRE(weft_table_picture(&png, WEFT_PICTURE_PNG, &h->r, how) == 0);
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

TEST(a_table_is_drawn_with_its_labels)
{
	struct by_hand h;
	make(&h);
	struct weft_buf svg = {0}, png = {0};
	REQUIRE(weft_table_picture(&svg, WEFT_PICTURE_SVG, &h.r, &(struct weft_table_picture_how){.width = 700}) == 0);
	CHECK(strstr(svg.at, ">THREAD 1.3.1<") && strstr(svg.at, ">a table<") && strstr(svg.at, ">10.00<"));
	REQUIRE(weft_table_picture(&png, WEFT_PICTURE_PNG, &h.r, &(struct weft_table_picture_how){.width = 700}) == 0);
	test_golden(png.at, png.n, "table.png");
	weft_buf_fini(&svg);
	weft_buf_fini(&png);
	sample_metric_close(&h.m);
}

TEST(cells_of_a_table_have_their_colors)
{
	struct by_hand h;
	make(&h);
	/* Cells of 89 × 17 pixels; the scale's bar has each end once in 12 lines (the greatest once, the least twice or more). */
	struct canvas c = picture_of(&h, &(struct weft_table_picture_how){.width = 700});
	CHECK(count(&c, 0x0000ff) >= 89 * 17 && count(&c, 0x0000ff) < 2 * 89 * 17);
	CHECK(count(&c, 0x00ff00) >= 89 * 17 && count(&c, 0x00ff00) < 2 * 89 * 17);
	canvas_fini(&c);
	c = picture_of(&h, &(struct weft_table_picture_how){.width = 700, .has_max = true, .max = 5});
	CHECK_U64(count(&c, COLOR_HIGH), 89 * 17);
	canvas_fini(&c);
	/* Without the columns that have nothing, and upright. */
	h.hist.hide_empty = h.hist.vertical = true;
	c = picture_of(&h, &(struct weft_table_picture_how){.width = 700, .has_max = true, .max = 5});
	CHECK_U64(count(&c, COLOR_HIGH), 89 * 17);
	CHECK_U64(count(&c, 0xeceff2), 6 * 89 * 17 + 12 * 12);
	canvas_fini(&c);
	sample_metric_close(&h.m);
}

TEST(columns_come_as_they_are_asked_for)
{
	struct by_hand h;
	make(&h);
	const uint32_t column[] = {3};
	struct canvas c = picture_of(&h, &(struct weft_table_picture_how){.column = column,
	                                                                  .n_columns = 1,
	                                                                  .has_min = true,
	                                                                  .has_max = true,
	                                                                  .max = 5});
	CHECK_U64(count(&c, COLOR_HIGH), 89 * 17);
	CHECK_U64(count(&c, 0xeceff2), 2 * 89 * 17 + 12 * 12);
	canvas_fini(&c);
	sample_metric_close(&h.m);
}

TEST(thousands_of_rows_and_columns_share_pixels)
{
	struct by_hand h;
	make(&h);
	enum { MANY = 5000 };
	uint64_t *first = malloc((MANY + 1) * sizeof *first);
	uint32_t *row = calloc(MANY, sizeof *row);
	REQUIRE(first && row);
	for (unsigned i = 0; i <= MANY; i++)
		first[i] = i > 2500 ? 3 : 0; /* all three cells in one row */
	h.plane.first = first;
	h.cell[1].column = h.cell[0].column + 1; /* in one pixel with the one before: the greater one stays */
	h.cell[2].column = 4000;
	h.r.row = row;
	h.r.n_rows = MANY;
	h.r.column = (struct weft_axis){0, MANY, 1, MANY};
	struct weft_buf svg = {0};
	REQUIRE(weft_table_picture(&svg, WEFT_PICTURE_SVG, &h.r, &(struct weft_table_picture_how){.height = 100}) == 0);
	CHECK(strstr(svg.at, "5.00 k columns in") && strstr(svg.at, "5.00 k rows in 100 lines of pixels"));
	struct canvas c = picture_of(&h, &(struct weft_table_picture_how){.height = 100, .has_max = true, .max = 5});
	CHECK(c.height < 300 && c.width <= 1200);
	CHECK_U64(count(&c, COLOR_HIGH), 1);
	canvas_fini(&c);
	weft_buf_fini(&svg);
	free(first);
	free(row);
	sample_metric_close(&h.m);
}

TEST(an_empty_table_is_a_picture)
{
	struct by_hand h;
	make(&h);
	h.plane.any = false;
	h.hist.hide_empty = true;
	struct weft_buf svg = {0};
	REQUIRE(weft_table_picture(&svg, WEFT_PICTURE_SVG, &h.r, &(struct weft_table_picture_how){.width = 0}) == 0);
	CHECK(strstr(svg.at, "the table is empty"));
	CHECK_I64(weft_table_picture(&svg, WEFT_PICTURE_SVG, &h.r, &(struct weft_table_picture_how){.plane = 1}), -EINVAL);
	weft_buf_fini(&svg);
	sample_metric_close(&h.m);
}

TEST(tables_say_when_memory_is_out)
{
	struct by_hand h;
	make(&h);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf out = {0};
		int rc = weft_table_picture(&out, WEFT_PICTURE_PNG, &h.r, &(struct weft_table_picture_how){.width = 700});
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_buf_fini(&out);
	}
	sample_metric_close(&h.m);
}
