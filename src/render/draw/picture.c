/* SPDX-License-Identifier: Apache-2.0 */
/* Three ways to draw: texts of SVG, pixels, or a page. Pictures of cells inside an SVG are a PNG in base 64. */
#include "picture.h"
#include "font.h"
#include <string.h>

/* What the classes of svg_begin() are on a canvas. */
static const struct {
	char class;
	struct canvas_face face;
} faces[] = {
	{'l', {1, 1, 0x24292f}}, {'b', {1, 1.55, 0x24292f}}, {'t', {1.35, 1.9, 0x24292f}},
	{'s', {1, 1, 0x656d76}}, {'a', {1, 1, 0x656d76}},
};
static const struct {
	char class;
	double width, alpha;
	uint32_t color;
	bool arrow;
} lines[] = {{'g', 1, 1, 0xe4e7eb, false}, {'k', 1, 1, 0x8c959f, false}, {'m', 1, 0.75, 0x111111, true}};

static bool on_page(const struct picture *p)
{
	return p->form == WEFT_PICTURE_EPS || p->form == WEFT_PICTURE_PDF;
}

static const struct canvas_face *face_of(const char *class)
{
	for (unsigned i = 0; i < sizeof faces / sizeof *faces; i++)
		if (faces[i].class == *class)
			return &faces[i].face;
	return &faces[0].face;
}

uint32_t picture_text_color(char class)
{
	return face_of(&class)->color;
}

enum weft_picture_form picture_form_of(const char *path)
{
	static const struct {
		const char *ending;
		enum weft_picture_form form;
	} forms[] = {{".png", WEFT_PICTURE_PNG}, {".eps", WEFT_PICTURE_EPS}, {".pdf", WEFT_PICTURE_PDF}};
	size_t n = strlen(path);
	for (unsigned i = 0; i < 3; i++)
		if (n > 4 && !strcmp(path + n - 4, forms[i].ending))
			return forms[i].form;
	return WEFT_PICTURE_SVG;
}

int picture_begin(struct picture *p, enum weft_picture_form form, struct weft_buf *out, unsigned width, unsigned height,
                  const char *title)
{
	*p = (struct picture){.form = form, .out = out};
	if (form == WEFT_PICTURE_PNG)
		p->rc = canvas_init(&p->canvas, width, height);
	else if (on_page(p))
		page_begin(&p->page, out, form == WEFT_PICTURE_PDF, width, height, title);
	else
		svg_begin(out, width, height, title);
	return p->rc;
}

int picture_end(struct picture *p)
{
	if (p->form == WEFT_PICTURE_SVG)
		svg_end(p->out);
	else if (on_page(p))
		page_end(&p->page);
	else if (!p->rc)
		p->rc = canvas_png(p->out, p->canvas.rgb, p->canvas.width, p->canvas.height);
	canvas_fini(&p->canvas);
	return p->rc;
}

static double text_width(const struct canvas_face *f, const char *text, unsigned most)
{
	return font_text_width(text, most) * f->size;
}

static struct page_face page_face(const struct canvas_face *f)
{
	return (struct page_face){.size = 11.5 * f->size, .bold = f->weight > 1.2, .color = f->color};
}

void picture_text(struct picture *p, double x, double y, enum svg_anchor anchor, const char *class, const char *text,
                  unsigned most)
{
	const struct canvas_face *f = face_of(class);
	const struct page_face on_paper = page_face(f);
	if (p->form == WEFT_PICTURE_SVG)
		svg_text(p->out, x, y, anchor, class, text, most);
	else if (on_page(p))
		page_text(&p->page, x, y, anchor * 0.5, &on_paper, text, most);
	else
		canvas_text(&p->canvas,
		            x - text_width(f, text, most) * (anchor == SVG_LEFT     ? 0
		                                             : anchor == SVG_MIDDLE ? 0.5
		                                                                    : 1),
		            y, f, text, most);
}

void picture_text_pair(struct picture *p, double x, double y, const char *text, unsigned most, const char *second)
{
	if (p->form == WEFT_PICTURE_SVG) {
		svg_text_pair(p->out, x, y, text, most, second);
		return;
	}
	const struct page_face face = page_face(face_of("l"));
	double width = on_page(p) ? page_text_width(&face, text, most) : text_width(face_of("l"), text, most);
	picture_text(p, x, y, SVG_LEFT, "l", text, most);
	picture_text(p, x + width + 6, y, SVG_LEFT, "s", second, 0);
}

void picture_rect(struct picture *p, double x, double y, double w, double h, uint32_t color, double radius)
{
	if (p->form == WEFT_PICTURE_SVG)
		svg_rect(p->out, x, y, w, h, color, radius);
	else if (on_page(p))
		page_rect(&p->page, x, y, w, h, color);
	else
		canvas_rect(&p->canvas, x, y, w, h, color);
}

void picture_line(struct picture *p, double x1, double y1, double x2, double y2, const char *class)
{
	if (p->form == WEFT_PICTURE_SVG) {
		svg_line(p->out, x1, y1, x2, y2, class);
		return;
	}
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
		if (lines[i].class != *class)
			continue;
		if (on_page(p))
			page_line(&p->page, (const double[]){x1, y1, x2, y2}, 2, lines[i].width * 0.7, lines[i].color);
		else
			canvas_line(&p->canvas, x1, y1, x2, y2, lines[i].width, lines[i].color, lines[i].alpha);
		if (lines[i].arrow && on_page(p))
			page_arrow_head(&p->page, x1, y1, x2, y2, lines[i].color);
		else if (lines[i].arrow)
			canvas_arrow_head(&p->canvas, x1, y1, x2, y2, lines[i].color, lines[i].alpha);
	}
}

void picture_polyline(struct picture *p, const double *xy, unsigned n, uint32_t color)
{
	if (p->form == WEFT_PICTURE_SVG && n > 1)
		svg_polyline(p->out, xy, n, color);
	if (on_page(p))
		page_line(&p->page, xy, n, 1.4, color);
	for (unsigned i = 1; p->form == WEFT_PICTURE_PNG && i < n; i++)
		canvas_line(&p->canvas, xy[2 * i - 2], xy[2 * i - 1], xy[2 * i], xy[2 * i + 1], 1.6, color, 1);
}

void picture_dot(struct picture *p, double x, double y, double radius, uint32_t color)
{
	if (p->form == WEFT_PICTURE_SVG)
		svg_dot(p->out, x, y, radius, color);
	else if (on_page(p))
		page_dot(&p->page, x, y, radius, color);
	else
		canvas_line(&p->canvas, x - radius / 3, y, x + radius / 3, y, 2 * radius, color, 1);
}

void picture_path_begin(struct picture *p, uint32_t color, const char *name)
{
	p->color = color;
	p->name = name;
	p->path_begun = false;
}

void picture_path_rect(struct picture *p, double x, double y, double w, double h)
{
	if (p->form == WEFT_PICTURE_PNG) {
		canvas_rect(&p->canvas, x, y, w, h, p->color);
		return;
	}
	if (on_page(p)) {
		page_rect(&p->page, x, y, w, h, p->color);
		return;
	}
	if (!p->path_begun)
		weft_buf_printf(p->out, "<path fill=\"#%06x\" d=\"", (unsigned)p->color);
	p->path_begun = true;
	weft_buf_printf(p->out, "M%.0f %.0fh%.0fv%.0fh-%.0fz", x, y, w, h, w);
}

void picture_path_end(struct picture *p)
{
	if (!p->path_begun)
		return;
	weft_buf_puts(p->out, "\"><title>");
	svg_escaped(p->out, p->name, 0);
	weft_buf_puts(p->out, "</title></path>\n");
	p->path_begun = false;
}

static void put_base64(struct weft_buf *out, const uint8_t *at, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)at[i] << 16 | (i + 1 < n ? (uint32_t)at[i + 1] << 8 : 0) | (i + 2 < n ? at[i + 2] : 0);
		weft_buf_putc(out, digits[v >> 18]);
		weft_buf_putc(out, digits[v >> 12 & 63]);
		weft_buf_putc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
		weft_buf_putc(out, i + 2 < n ? digits[v & 63] : '=');
	}
}

void picture_image(struct picture *p, unsigned x, unsigned y, const uint8_t *rgb, unsigned w, unsigned h)
{
	if (p->form == WEFT_PICTURE_PNG) {
		for (unsigned i = 0; i < h && y + i < p->canvas.height && x < p->canvas.width; i++)
			memcpy(p->canvas.rgb + ((size_t)(y + i) * p->canvas.width + x) * 3, rgb + (size_t)i * w * 3,
			       (x + w <= p->canvas.width ? w : p->canvas.width - x) * 3u);
		return;
	}
	if (on_page(p)) {
		page_image(&p->page, x, y, rgb, w, h);
		return;
	}
	struct weft_buf png = {0};
	int rc = canvas_png(&png, rgb, w, h);
	if (rc && !p->rc)
		p->rc = rc;
	weft_buf_printf(p->out,
	                "<image x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" style=\"image-rendering:pixelated\" "
	                "href=\"data:image/png;base64,",
	                x, y, w, h);
	if (!rc)
		put_base64(p->out, (const uint8_t *)png.at, png.n);
	weft_buf_puts(p->out, "\"/>\n");
	weft_buf_fini(&png);
}
