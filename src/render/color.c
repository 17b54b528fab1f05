/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules are Paraver's, number for number, so that a picture of Weft and a window of Paraver
 * show a value alike.
 *
 * More code colours than were chosen by hand come in rounds: in each, every colour of the group
 * gets one more of one channel, red, then green, then blue, and so on (behind 255 comes 0); what
 * there is already, or is too near to the black ground, is left out.
 */
#include "color.h"
#include "base/map.h"
#include "base/str.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LUMINANCE_LEAST = 42, STEPS = 10 };

const uint32_t color_base[COLOR_BASE] = {
	0x75c3ff, 0x0000ff, 0xffffff, 0xff0000, 0xff00ae, 0xb30000, 0x00ff00, 0xffff00, 0xeb0000, 0x00a200,
	0xff00ff, 0x6464b1, 0xacae29, 0xff901a, 0x02ffb1, 0xc0e000, 0x424242, 0xbda864, 0x5fc800, 0xcb3c45,
	0x006dff, 0xc83d44, 0xc84200, 0x0a4228, 0x8b79b1, 0x747474, 0xc83259, 0xffab62, 0x0044bd, 0x424200,
	0xff2e00, 0x64d820, 0x003278, 0x696900, 0x844bff, 0xb8e800, 0x006d70, 0xbda864, 0x844b4b, 0xff4b4b,
	0xff1400, 0x821e1e, 0x0a420a, 0xb88400, 0x641020, 0x92ffff, 0x323264, 0x9200ff, 0x008a77,
};
const char *const color_shape_names[COLOR_SHAPES] = {"linear", "steps", "log", "exp"};

/* Of the alternative gradient: from cold over green to hot. */
static const uint32_t alternative[] = {0x2c3e9e, 0x1f8fbf, 0x2fbf71, 0xd9d13a, 0xf08a24, 0xd7263d};

static unsigned channel(uint32_t color, unsigned i)
{
	return color >> (16 - 8 * i) & 0xff;
}

static uint32_t joined(unsigned r, unsigned g, unsigned b)
{
	return (uint32_t)r << 16 | (uint32_t)g << 8 | b;
}

static double luminance(uint32_t c)
{
	return 0.299 * channel(c, 0) + 0.587 * channel(c, 1) + 0.114 * channel(c, 2);
}

/* Whether the colour can be added: it is new, and light enough. Negative: out of memory. */
static int take_new(struct weft_map *seen, uint32_t color)
{
	uint64_t unused;
	if (luminance(color) < LUMINANCE_LEAST || weft_map_get(seen, color, &unused))
		return 0;
	return weft_map_put(seen, color, 1) ? -ENOMEM : 1;
}

int color_palette(uint32_t **out, uint32_t *n)
{
	struct weft_map seen = {0};
	uint32_t group[COLOR_BASE];
	int rc = 0;
	*n = COLOR_BASE;
	*out = malloc(COLOR_MOST * sizeof **out);
	if (!*out)
		return -ENOMEM;
	memcpy(group, color_base, sizeof group);
	memcpy(*out, color_base, sizeof group);
	for (unsigned i = 0; i < COLOR_BASE && rc >= 0; i++)
		rc = weft_map_put(&seen, color_base[i], 1);
	for (unsigned round = 0; round < 3 * 255 && *n < COLOR_MOST && rc >= 0; round++)
		for (unsigned i = 0; i < COLOR_BASE && *n < COLOR_MOST && rc >= 0; i++) {
			uint32_t shift = 16 - 8 * (round % 3), more = (channel(group[i], round % 3) + 1) & 0xff;
			group[i] = (group[i] & ~(0xffu << shift)) | more << shift;
			rc = take_new(&seen, group[i]);
			if (rc > 0)
				(*out)[(*n)++] = group[i];
		}
	weft_map_fini(&seen);
	if (rc < 0) {
		free(*out);
		*out = NULL;
		return rc;
	}
	return 0;
}

/* ---- what a window says ---- */

static const char *key_text(const struct weft_window *w, const char *key)
{
	for (uint32_t i = 0; i < w->other.n; i++)
		if (!strcmp(w->other.at[i].key, key))
			return w->other.at[i].text;
	return NULL;
}

/* The next number in *text; false when there is none. */
static bool take_number(const char **text, double *out)
{
	static const char digits[] = "0123456789.-+eE";
	*text += strcspn(*text, "0123456789-.");
	size_t n = strspn(*text, digits);
	struct weft_str s = weft_str_n(*text, n);
	*text += n;
	return n && !weft_parse_double(s, out);
}

static unsigned byte_of(double v)
{
	return v <= 0 ? 0 : v >= 255 ? 255 : (unsigned)v;
}

/* "{3:255,0,0 4:0,255,0 …}" */
static int read_custom(struct coloring *c, const char *text)
{
	double v, r, g, b;
	while (take_number(&text, &v) && take_number(&text, &r) && take_number(&text, &g) && take_number(&text, &b))
		if (weft_vec_push(&c->custom, ((struct color_custom){v, joined(byte_of(r), byte_of(g), byte_of(b))})))
			return -ENOMEM;
	return 0;
}

static void read_shape(struct coloring *c, const char *text)
{
	const char *prefix = "gradient_function_";
	const char *at = strstr(text, prefix);
	for (unsigned i = 0; at && i < COLOR_SHAPES; i++)
		if (!strncmp(at + strlen(prefix), color_shape_names[i], strlen(color_shape_names[i])))
			c->shape = (enum color_shape)i;
}

/* "3 {255,0,0}": what a .pcf says of a state. */
static void read_state_colors(struct coloring *c, const struct weft_trace *t)
{
	for (uint32_t i = 0; i < t->n_notes; i++) {
		const char *text = t->note[i].text;
		double at, r, g, b;
		if (strcmp(t->note[i].key, "prv.color") != 0 || !take_number(&text, &at) || !take_number(&text, &r) ||
		    !take_number(&text, &g) || !take_number(&text, &b))
			continue;
		if (at >= 0 && at < c->n_palette)
			c->palette[(uint32_t)at] = joined(byte_of(r), byte_of(g), byte_of(b));
	}
}

int coloring_init(struct coloring *c, const struct weft_window *w, const struct weft_trace *t)
{
	static const enum color_kind kinds[WEFT_COLORS] = {
		[WEFT_COLOR_CODE] = COLOR_CODE,         [WEFT_COLOR_GRADIENT] = COLOR_GRADIENT,
		[WEFT_COLOR_NOT_NULL] = COLOR_NOT_NULL, [WEFT_COLOR_ALTERNATIVE] = COLOR_ALTERNATIVE,
		[WEFT_COLOR_PUNCTUAL] = COLOR_CODE,     [WEFT_COLOR_FUSED] = COLOR_CODE,
	};
	*c = (struct coloring){.kind = kinds[w->color],
	                       .min = w->y_min,
	                       .max = w->y_max,
	                       .stop = alternative,
	                       .n_stops = sizeof alternative / sizeof *alternative};
	const char *shape = key_text(w, "window_gradient_function"), *custom = key_text(w, "window_custom_color_palette");
	const char *enabled = key_text(w, "window_custom_color_enabled");
	int rc = color_palette(&c->palette, &c->n_palette);
	if (!rc && t)
		read_state_colors(c, t);
	if (!rc && shape)
		read_shape(c, shape);
	if (!rc && custom && enabled && strstr(enabled, "true"))
		rc = read_custom(c, custom);
	return rc;
}

void coloring_fini(struct coloring *c)
{
	free(c->palette);
	free(c->custom.at);
	*c = (struct coloring){.n_palette = 0};
}

/* ---- the colour of a value ---- */

static double shaped(enum color_shape shape, double n)
{
	switch (shape) {
	case COLOR_STEPS:
		return floor(STEPS * n) / STEPS;
	case COLOR_LOG:
		return log(100 * n + 1) / log(101);
	case COLOR_EXP:
		return exp(10 * n) / exp(10);
	default:
		return n;
	}
}

static uint32_t between(uint32_t from, uint32_t to, double n)
{
	unsigned part[3];
	for (unsigned i = 0; i < 3; i++)
		part[i] = (unsigned)floor((double)channel(from, i) + n * ((double)channel(to, i) - (double)channel(from, i)));
	return joined(part[0], part[1], part[2]);
}

static uint32_t gradient(const struct coloring *c, double v)
{
	if (c->negative && v < 0 && c->min < 0)
		return v < c->min ? COLOR_LOW : between(0xa0ffa0, 0xa0a0ff, v / c->min);
	if (v < c->min)
		return COLOR_LOW;
	if (v > c->max)
		return COLOR_HIGH;
	double n = c->min == c->max ? 0 : shaped(c->shape, (v - c->min) / (c->max - c->min));
	if (c->kind != COLOR_ALTERNATIVE)
		return between(0x00ff00, 0x0000ff, n);
	double at = n * (c->n_stops - 1);
	uint32_t first = at >= c->n_stops - 1 ? c->n_stops - 2 : (uint32_t)at;
	return between(c->stop[first], c->stop[first + 1], at - first);
}

uint32_t coloring_of(const struct coloring *c, double v)
{
	for (size_t i = 0; i < c->custom.n; i++)
		if (c->custom.at[i].value == v)
			return c->custom.at[i].color;
	if (c->kind == COLOR_CODE) {
		if (v < 0 || v < c->min || v > c->max || v == 0)
			return COLOR_BACKGROUND;
		return c->palette[(uint64_t)v % c->n_palette];
	}
	if (c->kind == COLOR_NOT_NULL && v == 0)
		return COLOR_BACKGROUND;
	return gradient(c, v);
}

void coloring_bar(const struct coloring *c, uint8_t rgb[COLOR_BAR_WIDTH * COLOR_BAR_HEIGHT * 3])
{
	enum { FRAME = 0x8c, STEPS_OF_BAR = COLOR_BAR_WIDTH - 3 };
	memset(rgb, FRAME, COLOR_BAR_WIDTH * COLOR_BAR_HEIGHT * 3);
	for (unsigned x = 0; x <= STEPS_OF_BAR; x++) {
		uint32_t color = coloring_of(c, x == STEPS_OF_BAR ? c->max : c->min + (c->max - c->min) * x / STEPS_OF_BAR);
		for (unsigned y = 1; y + 1 < COLOR_BAR_HEIGHT; y++) {
			uint8_t *p = rgb + ((size_t)y * COLOR_BAR_WIDTH + x + 1) * 3;
			p[0] = (uint8_t)(color >> 16);
			p[1] = (uint8_t)(color >> 8);
			p[2] = (uint8_t)color;
		}
	}
}
