/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG through libpng, into memory. A picture with at most 256 colours, as most of ours, is written
 * with a palette: a third of the size, and faster. libpng leaves by longjmp: what must be freed
 * lives in structs outside of the function that sets it.
 */
#include "base/map.h"
#include "canvas.h"
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

struct writing {
	struct weft_buf *out;
	const uint8_t *rgb;
	unsigned width, height, n_colors; /* n_colors 0: too many for a palette */
	png_color color[256];
	struct weft_map number; /* colour -> its number */
	uint8_t *line;          /* owned */
	png_structp png;
	png_infop info;
};

static void write_bytes(png_structp png, png_bytep at, size_t n)
{
	struct writing *w = png_get_io_ptr(png);
	weft_buf_add(w->out, (const char *)at, n);
	if (w->out->failed)
		png_error(png, "memory");
}

static void write_nothing(png_structp png)
{
	(void)png;
}

static void quiet(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static _Noreturn void leave(png_structp png, png_const_charp text)
{
	(void)text;
	png_longjmp(png, 1);
}

static uint32_t color_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

/* Numbers the colours, unless there are too many. */
static int count_colors(struct writing *w)
{
	uint32_t last = UINT32_MAX;
	size_t n = (size_t)w->width * w->height;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = w->rgb + 3 * i;
		uint32_t color = color_at(p);
		uint64_t number;
		if (color == last || weft_map_get(&w->number, color, &number)) {
			last = color;
			continue;
		}
		if (w->n_colors == 256) {
			w->n_colors = 0;
			return 0;
		}
		w->color[w->n_colors] = (png_color){p[0], p[1], p[2]};
		if (weft_map_put(&w->number, color, w->n_colors))
			return -ENOMEM;
		w->n_colors++;
		last = color;
	}
	return 0;
}

static const uint8_t *line_at(struct writing *w, unsigned row)
{
	const uint8_t *p = w->rgb + (size_t)row * w->width * 3;
	uint32_t last = UINT32_MAX;
	uint64_t number = 0;
	if (!w->n_colors)
		return p;
	for (unsigned i = 0; i < w->width; i++, p += 3) {
		uint32_t color = color_at(p);
		if (color != last)
			weft_map_get(&w->number, color, &number);
		last = color;
		w->line[i] = (uint8_t)number;
	}
	return w->line;
}

static int write_png(struct writing *w)
{
	if (setjmp(png_jmpbuf(w->png)))
		return -ENOMEM;
	png_set_write_fn(w->png, w, write_bytes, write_nothing);
	png_set_IHDR(w->png, w->info, w->width, w->height, 8, w->n_colors ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB,
	             PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	if (w->n_colors)
		png_set_PLTE(w->png, w->info, w->color, (int)w->n_colors);
	png_set_compression_level(w->png, 6);
	png_write_info(w->png, w->info);
	for (unsigned row = 0; row < w->height; row++)
		png_write_row(w->png, line_at(w, row));
	png_write_end(w->png, NULL);
	return 0;
}

int canvas_png(struct weft_buf *out, const uint8_t *rgb, unsigned width, unsigned height)
{
	if (!width || !height)
		return -EINVAL;
	struct writing *w = calloc(1, sizeof *w);
	if (!w)
		return -ENOMEM;
	*w = (struct writing){.out = out, .rgb = rgb, .width = width, .height = height, .line = malloc(width)};
	int rc = w->line ? count_colors(w) : -ENOMEM;
	if (!rc)
		w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, quiet);
	if (w->png)
		w->info = png_create_info_struct(w->png);
	if (!rc)
		rc = w->info ? write_png(w) : -ENOMEM;
	if (w->png)
		png_destroy_write_struct(&w->png, &w->info);
	weft_map_fini(&w->number);
	free(w->line);
	free(w);
	return rc;
}

/* ---- reading ---- */

struct reading {
	const uint8_t *at;
	size_t n;
	struct canvas *out;
	png_structp png;
	png_infop info;
};

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
	struct reading *r = png_get_io_ptr(png);
	if (n > r->n)
		png_error(png, "short");
	memcpy(to, r->at, n);
	r->at += n;
	r->n -= n;
}

static int read_png(struct reading *r)
{
	if (setjmp(png_jmpbuf(r->png)))
		return WEFT_E_SYNTAX;
	png_set_read_fn(r->png, r, read_bytes);
	png_read_info(r->png, r->info);
	png_set_expand(r->png);
	png_set_strip_alpha(r->png);
	png_set_strip_16(r->png);
	png_set_gray_to_rgb(r->png);
	png_read_update_info(r->png, r->info);
	int rc = canvas_init(r->out, png_get_image_width(r->png, r->info), png_get_image_height(r->png, r->info));
	if (rc)
		return rc;
	if (png_get_rowbytes(r->png, r->info) != (size_t)r->out->width * 3)
		return WEFT_E_SYNTAX;
	for (unsigned i = 0; i < r->out->height; i++)
		png_read_row(r->png, r->out->rgb + (size_t)i * r->out->width * 3, NULL);
	png_read_end(r->png, NULL);
	return 0;
}

int canvas_png_read(const void *at, size_t n, struct canvas *out)
{
	*out = (struct canvas){0, 0, NULL};
	struct reading *r = calloc(1, sizeof *r);
	if (!r)
		return -ENOMEM;
	*r = (struct reading){.at = at, .n = n, .out = out};
	r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, leave, quiet);
	if (r->png)
		r->info = png_create_info_struct(r->png);
	int rc = r->info ? read_png(r) : -ENOMEM;
	if (r->png)
		png_destroy_read_struct(&r->png, &r->info, NULL);
	free(r);
	if (rc)
		canvas_fini(out);
	return rc;
}
