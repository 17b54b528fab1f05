/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smooth edges come from distances: how far a pixel's middle lies from the middle of a stroke says
 * how much of it is covered. Strokes of text at size 1 run through the middles of pixels, and so
 * are sharp.
 */
#include "canvas.h"
#include "font.h"
#include "svg.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GLYPH_MOST = 48 }; /* pixels */

int canvas_init(struct canvas *c, unsigned width, unsigned height)
{
	*c = (struct canvas){width, height, NULL};
	if (!width || !height || (uint64_t)width * height > UINT64_C(1) << 30)
		return -EINVAL;
	c->rgb = malloc((size_t)width * height * 3);
	if (!c->rgb)
		return -ENOMEM;
	memset(c->rgb, 0xff, (size_t)width * height * 3);
	return 0;
}

void canvas_fini(struct canvas *c)
{
	free(c->rgb);
	*c = (struct canvas){0, 0, NULL};
}

static void blend(struct canvas *c, int x, int y, uint32_t color, double cover)
{
	if (x < 0 || y < 0 || (unsigned)x >= c->width || (unsigned)y >= c->height || cover <= 0)
		return;
	uint8_t *p = c->rgb + ((size_t)y * c->width + (unsigned)x) * 3;
	for (unsigned i = 0; i < 3; i++) {
		double now = p[i], then = color >> (16 - 8 * i) & 0xff;
		p[i] = (uint8_t)(now + (then - now) * (cover > 1 ? 1 : cover) + 0.5);
	}
}

static unsigned clamp(double v, unsigned most)
{
	return v <= 0 ? 0 : v >= most ? most : (unsigned)v;
}

void canvas_rect(struct canvas *c, double x, double y, double w, double h, uint32_t color)
{
	double left = floor(x + 0.5), top = floor(y + 0.5), right = floor(x + w + 0.5), bottom = floor(y + h + 0.5);
	unsigned x1 = clamp(left, c->width), y1 = clamp(top, c->height);
	unsigned x2 = clamp(right > left ? right : left + 1, c->width), y2 = clamp(bottom > top ? bottom : top + 1, c->height);
	for (unsigned row = y1; row < y2; row++) {
		uint8_t *p = c->rgb + ((size_t)row * c->width + x1) * 3;
		for (unsigned i = x1; i < x2; i++, p += 3) {
			p[0] = (uint8_t)(color >> 16);
			p[1] = (uint8_t)(color >> 8);
			p[2] = (uint8_t)color;
		}
	}
}

struct segment {
	double x1, y1, x2, y2;
};

static double distance(const struct segment *s, double x, double y)
{
	double dx = s->x2 - s->x1, dy = s->y2 - s->y1, length = dx * dx + dy * dy;
	double t = length > 0 ? ((x - s->x1) * dx + (y - s->y1) * dy) / length : 0;
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return hypot(x - s->x1 - t * dx, y - s->y1 - t * dy);
}

/* Goes along the longer side, and looks at the few pixels beside the line. */
void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, double width, uint32_t color, double alpha)
{
	struct segment s = {x1, y1, x2, y2};
	bool flat = fabs(x2 - x1) >= fabs(y2 - y1);
	double from = flat ? fmin(x1, x2) : fmin(y1, y2), to = flat ? fmax(x1, x2) : fmax(y1, y2);
	double limit = flat ? c->width : c->height, slope = flat ? (y2 - y1) / (x2 - x1) : (x2 - x1) / (y2 - y1);
	from = fmax(from - width, 0);
	to = fmin(to + width, limit - 1);
	if (!isfinite(slope))
		slope = 0;
	for (int i = (int)floor(from); i <= (int)floor(to); i++) {
		double middle = (flat ? y1 : x1) + (i + 0.5 - (flat ? x1 : y1)) * slope;
		int reach = (int)ceil(width) + 1;
		for (int k = (int)floor(middle) - reach; k <= (int)floor(middle) + reach; k++) {
			int x = flat ? i : k, y = flat ? k : i;
			blend(c, x, y, color, alpha * fmin(1, width / 2 + 0.5 - distance(&s, x + 0.5, y + 0.5)));
		}
	}
}

void canvas_arrow_head(struct canvas *c, double x1, double y1, double x2, double y2, uint32_t color, double alpha)
{
	double length = hypot(x2 - x1, y2 - y1), size = 6;
	if (length <= 0)
		return;
	double dx = (x2 - x1) / length, dy = (y2 - y1) / length;
	for (int y = (int)(y2 - size - 1); y <= (int)(y2 + size + 1); y++)
		for (int x = (int)(x2 - size - 1); x <= (int)(x2 + size + 1); x++) {
			/* how far behind the tip, and beside the shaft */
			double px = x + 0.5 - x2, py = y + 0.5 - y2, back = -(px * dx + py * dy), side = fabs(px * dy - py * dx);
			double inside = fmin(size - back, (back * 0.45 - side) / 1.1);
			blend(c, x, y, color, alpha * fmin(1, inside + 0.5));
		}
}

/* ---- text ---- */

/*
 * How much of each pixel around a glyph its strokes cover; the corner of the field is at (left,
 * top).
 */
struct field {
	float cover[GLYPH_MOST * GLYPH_MOST];
	int left, top, width, height;
};

static void stroke(struct field *f, const struct segment *s, double weight)
{
	for (int y = 0; y < f->height; y++)
		for (int x = 0; x < f->width; x++) {
			double cover = weight / 2 + 0.5 - distance(s, f->left + x + 0.5, f->top + y + 0.5);
			float *at = &f->cover[y * GLYPH_MOST + x];
			if (cover > (double)*at)
				*at = (float)fmin(cover, 1);
		}
}

static void draw_glyph(struct canvas *c, const struct font_glyph *g, double x, double y, const struct canvas_face *face)
{
	struct field f = {.left = (int)floor(x) - 1, .top = (int)floor(y - 8 * face->size) - 2};
	f.width = (int)(g->width * face->size) + 4;
	f.height = (int)(11 * face->size) + 4;
	if (f.width > GLYPH_MOST || f.height > GLYPH_MOST)
		return;
	for (const char *p = g->strokes; *p;) {
		struct segment s = {0, 0, 0, 0};
		for (unsigned n = 0; *p && *p != ' '; p += 2, n++) {
			double px = x + 0.5 + (p[0] - '0') * face->size, py = y - 0.5 - (p[1] - '2') * face->size;
			s = n ? (struct segment){s.x2, s.y2, px, py} : (struct segment){px, py, px, py};
			if (n)
				stroke(&f, &s, face->weight);
		}
		p += *p == ' ';
	}
	for (int row = 0; row < f.height; row++)
		for (int i = 0; i < f.width; i++)
			blend(c, f.left + i, f.top + row, face->color, (double)f.cover[row * GLYPH_MOST + i]);
}

void canvas_text(struct canvas *c, double x, double y, const struct canvas_face *face, const char *text, unsigned most)
{
	unsigned length = svg_text_length(text), shown = most && length > most ? most - 1 : length, bytes;
	x = floor(x + 0.5);
	y = floor(y + 0.5);
	for (unsigned i = 0; i < shown && *text; i++, text += bytes) {
		const struct font_glyph *g = font_glyph_at(text, &bytes);
		draw_glyph(c, g, x, y, face);
		x += (g->width + 2) * face->size;
	}
	if (shown < length)
		draw_glyph(c, font_glyph_at("\xe2\x80\xa6", &bytes), x, y, face);
}
