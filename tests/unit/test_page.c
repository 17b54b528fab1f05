/* SPDX-License-Identifier: Apache-2.0 */
/* page.c, and picture.c on it: what is drawn, to the operator; ghostscript and poppler see them in tests/cli/taskfiles_starpu.t. */
#include "harness.h"
#include "render/draw/picture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct weft_buf draw(enum weft_picture_form form)
{
	struct weft_buf out = {0};
	struct picture p;
	weft_buf_puts(&out, "before ");
	REQUIRE(picture_begin(&p, form, &out, 200, 100, "a (b) \\") == 0);
	picture_rect(&p, 10, 20, 30, 40, 0xff0000, 0);
	picture_line(&p, 0, 0, 200, 100, "g");
	picture_text(&p, 100, 50, SVG_MIDDLE, "l", "Wi(\xc3\xa9\xe2\x82\xac", 0);
	picture_polyline(&p, (const double[]){0, 0, 1, 2.25, 3, 100}, 3, 0x0000ff);
	picture_dot(&p, 5, 5, 2, 0x00ff00);
	REQUIRE(picture_end(&p) == 0);
	REQUIRE(!out.failed);
	return out;
}

TEST(both_draw_the_same_shapes)
{
	for (int i = 0; i < 2; i++) {
		struct weft_buf out = draw(i ? WEFT_PICTURE_PDF : WEFT_PICTURE_EPS);
		CHECK(strstr(out.at, "1 0 0 rg 10 40 30 40 re f\n")); /* y counts from below: 100 - 20 - 40 */
		CHECK(strstr(out.at, "0 0 1 RG 1.4 w 0 100 m 1 97.75 l 3 0 l S\n"));
		CHECK(strstr(out.at, "0 1 0 rg 7 95 m "));
		weft_buf_fini(&out);
	}
}

TEST(a_text_is_in_the_middle_and_in_latin_1)
{
	/* W 944, i 222, ( 333, é 556, ? 556 thousandths of 11.5 points: 30.03 wide, so that it begins at 84.99 */
	struct weft_buf pdf = draw(WEFT_PICTURE_PDF), eps = draw(WEFT_PICTURE_EPS);
	CHECK(strstr(pdf.at, "BT /F1 11.5 Tf 84.99 50 Td (Wi\\(\\351?) Tj ET\n"));
	CHECK(strstr(eps.at, "(Wi\\(\\351?) /F1 11.5 84.99 50 T\n"));
	weft_buf_fini(&pdf);
	weft_buf_fini(&eps);
}

TEST(a_long_text_ends_in_dots)
{
	struct weft_buf out = {0};
	struct page p;
	const struct page_face face = {.size = 10};
	page_begin(&p, &out, true, 50, 50, "");
	page_text(&p, 0, 0, 0, &face, "abcdef", 4);
	page_text(&p, 0, 0, 0, &face, "abcd", 4);
	page_end(&p);
	CHECK(strstr(out.at, "(abc...) Tj"));
	CHECK(strstr(out.at, "(abcd) Tj"));
	CHECK_NEAR(page_text_width(&face, "abc", 0), 16.12, 1e-9);
	weft_buf_fini(&out);
}

/* Each row of the table is where an object begins, counted from the file's first byte. */
TEST(the_table_of_a_pdf_points_at_its_objects)
{
	struct weft_buf out = draw(WEFT_PICTURE_PDF);
	const char *file = out.at + strlen("before "), *table = strstr(file, "\nxref\n0 9\n") + strlen("\nxref\n0 9\n");
	REQUIRE(!strncmp(file, "%PDF-1.4\n", 9));
	for (int i = 1; i <= 8; i++) {
		char head[24];
		snprintf(head, sizeof head, "%d 0 obj\n", i);
		CHECK(!strncmp(file + strtoul(table + (ptrdiff_t)20 * i, NULL, 10), head, strlen(head)));
	}
	const char *start = strstr(file, "startxref\n");
	REQUIRE(start);
	CHECK(!strncmp(file + strtoul(start + 10, NULL, 10), "xref\n", 5));
	const char *length = strstr(file, "\nendobj\n1 0 obj"), *drawing = strstr(file, "stream\n") + 7;
	REQUIRE(length);
	while (length[-1] != '\n')
		length--;
	CHECK_U64(strtoul(length, NULL, 10), (uint64_t)(strstr(file, "\nendstream") - drawing));
	weft_buf_fini(&out);
}

TEST(an_eps_says_how_large_it_is)
{
	struct weft_buf out = draw(WEFT_PICTURE_EPS);
	CHECK(!strncmp(out.at + 7, "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 200 100\n", 50));
	CHECK(strstr(out.at, "%%Title: (a \\(b\\) \\\\)\n"));
	CHECK(!strcmp(out.at + out.n - 6, "%%EOF\n"));
	weft_buf_fini(&out);
}
