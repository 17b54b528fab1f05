/* SPDX-License-Identifier: Apache-2.0 */
/* Styles are classes, declared once at the top: a picture has thousands of elements. */
#include "svg.h"
#include <stdio.h>
#include <string.h>

#define CHARACTER_WIDTH 6.5 /* of the label font, generously: layouts must hold whatever font the viewer has */

static const char *const anchors[] = {[SVG_LEFT] = "start", [SVG_MIDDLE] = "middle", [SVG_RIGHT] = "end"};

unsigned svg_text_length(const char *text)
{
	unsigned n = 0;
	size_t left = strlen(text);
	while (left) {
		unsigned len = weft_utf8_len(text, left);
		len = len ? len : 1;
		text += len;
		left -= len;
		n++;
	}
	return n;
}

double svg_text_width(const char *text, unsigned most)
{
	unsigned n = svg_text_length(text);
	return CHARACTER_WIDTH * (most && n > most ? most : n);
}

static void escaped_character(struct weft_buf *b, const char *at, unsigned len)
{
	static const struct {
		char character;
		const char *text;
	} special[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
	for (unsigned i = 0; i < 4; i++)
		if (len == 1 && *at == special[i].character) {
			weft_buf_puts(b, special[i].text);
			return;
		}
	if (len == 0)
		weft_buf_puts(b, "\xef\xbf\xbd");
	else if (len == 1 && (unsigned char)*at < 0x20)
		weft_buf_putc(b, ' ');
	else
		weft_buf_add(b, at, len);
}

void svg_escaped(struct weft_buf *b, const char *text, unsigned most)
{
	size_t left = strlen(text);
	unsigned length = svg_text_length(text);
	unsigned shown = most && length > most ? most - 1 : length;
	for (unsigned i = 0; i < shown; i++) {
		unsigned len = weft_utf8_len(text, left);
		escaped_character(b, text, len);
		text += len ? len : 1;
		left -= len ? len : 1;
	}
	if (shown < length)
		weft_buf_puts(b, "\xe2\x80\xa6"); /* an ellipsis */
}

void svg_begin(struct weft_buf *b, unsigned width, unsigned height, const char *title)
{
	weft_buf_printf(
		b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\">\n<title>",
		width, height, width, height);
	svg_escaped(b, title, 0);
	weft_buf_puts(
		b,
		"</title>\n<style>\n"
		"text{font-family:Inter,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;font-size:11.5px;fill:#24292f}\n"
		".t{font-size:16px;font-weight:600}\n.s{fill:#656d76}\n.a{font-size:11px;fill:#656d76}\n.b{font-weight:600}\n"
		".g{stroke:#e4e7eb;stroke-width:1;shape-rendering:crispEdges}\n"
		".k{stroke:#8c959f;stroke-width:1;shape-rendering:crispEdges}\n"
		".m{stroke:#111;stroke-width:.9;stroke-opacity:.75}\n"
		"path{shape-rendering:crispEdges}\n</style>\n"
		"<defs><marker id=\"h\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
		"<path d=\"M0 1L8 4L0 7z\" fill=\"#111\" fill-opacity=\".85\"/></marker></defs>\n"
		"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

void svg_end(struct weft_buf *b)
{
	weft_buf_puts(b, "</svg>\n");
}

/* With one decimal, and none where that is 0. */
static void number(struct weft_buf *b, const char *before, double v)
{
	long tenths = (long)(v * 10 + (v < 0 ? -0.5 : 0.5));
	const char *sign = tenths < 0 ? "-" : "";
	unsigned long size = (unsigned long)(tenths < 0 ? -tenths : tenths);
	if (size % 10)
		weft_buf_printf(b, "%s%s%lu.%lu", before, sign, size / 10, size % 10);
	else
		weft_buf_printf(b, "%s%s%lu", before, sign, size / 10);
}

void svg_text(struct weft_buf *b, double x, double y, enum svg_anchor anchor, const char *class, const char *text, unsigned most)
{
	number(b, "<text x=\"", x);
	number(b, "\" y=\"", y);
	weft_buf_printf(b, "\" class=\"%s\"", class);
	if (anchor != SVG_LEFT)
		weft_buf_printf(b, " text-anchor=\"%s\"", anchors[anchor]);
	weft_buf_putc(b, '>');
	svg_escaped(b, text, most);
	weft_buf_puts(b, "</text>\n");
}

void svg_text_pair(struct weft_buf *b, double x, double y, const char *text, unsigned most, const char *second)
{
	number(b, "<text x=\"", x);
	number(b, "\" y=\"", y);
	weft_buf_puts(b, "\">");
	svg_escaped(b, text, most);
	weft_buf_puts(b, "<tspan class=\"s\" dx=\"5\">");
	svg_escaped(b, second, 0);
	weft_buf_puts(b, "</tspan></text>\n");
}

void svg_rect(struct weft_buf *b, double x, double y, double w, double h, uint32_t color, double radius)
{
	number(b, "<rect x=\"", x);
	number(b, "\" y=\"", y);
	number(b, "\" width=\"", w);
	number(b, "\" height=\"", h);
	if (radius > 0)
		number(b, "\" rx=\"", radius);
	weft_buf_printf(b, "\" fill=\"#%06x\"/>\n", (unsigned)color);
}

void svg_line(struct weft_buf *b, double x1, double y1, double x2, double y2, const char *class)
{
	number(b, "<line x1=\"", x1);
	number(b, "\" y1=\"", y1);
	number(b, "\" x2=\"", x2);
	number(b, "\" y2=\"", y2);
	weft_buf_printf(b, "\" class=\"%s\"%s/>\n", class, *class == 'm' ? " marker-end=\"url(#h)\"" : "");
}

void svg_polyline(struct weft_buf *b, const double *xy, unsigned n, uint32_t color)
{
	weft_buf_puts(b, "<polyline fill=\"none\" stroke-width=\"1.6\" points=\"");
	for (unsigned i = 0; i < 2 * n; i++)
		number(b, i ? i % 2 ? "," : " " : "", xy[i]);
	weft_buf_printf(b, "\" stroke=\"#%06x\"/>\n", (unsigned)color);
}

void svg_dot(struct weft_buf *b, double x, double y, double radius, uint32_t color)
{
	number(b, "<circle cx=\"", x);
	number(b, "\" cy=\"", y);
	number(b, "\" r=\"", radius);
	weft_buf_printf(b, "\" fill=\"#%06x\"/>\n", (unsigned)color);
}
