/* SPDX-License-Identifier: Apache-2.0 */
/* Colours by a hash of the name on a wheel of hues in three strengths, and names that are each used once. */
#include "export_paje.h"
#include <stdlib.h>

#define HUES 24u
#define SHADES 3u /* the palette: a hue in each shade */

/* Hue in degrees on a wheel, saturation and value in thousandths. */
static struct paje_color color_of(unsigned hue, unsigned saturation, unsigned value)
{
	unsigned low = value - value * saturation / 1000;
	unsigned sector = hue / 60, within = hue % 60;
	uint16_t v = (uint16_t)value, l = (uint16_t)low;
	uint16_t up = (uint16_t)(low + (value - low) * within / 60), down = (uint16_t)(value - (value - low) * within / 60);
	const struct paje_color sectors[6] = {{v, up, l}, {down, v, l}, {l, v, up}, {l, down, v}, {up, l, v}, {v, l, down}};
	return sectors[sector % 6];
}

static struct paje_color palette(unsigned i)
{
	static const uint16_t shade[SHADES][2] = {{750, 900}, {450, 950}, {850, 600}};
	const uint16_t *s = shade[i / HUES % SHADES];
	return color_of(i % HUES * 360 / HUES, s[0], s[1]);
}

struct named {
	const char *name;
	uint32_t id;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	return c ? c : x->id < y->id ? -1 : x->id > y->id;
}

struct paje_color *paje_colors(const struct weft_def_table *defs)
{
	struct paje_color *color = calloc(defs->n + 1u, sizeof *color);
	struct named *order = calloc(defs->n + 1u, sizeof *order);
	bool taken[HUES * SHADES] = {0};
	unsigned n_taken = 0;
	if (!color || !order) {
		free(color);
		free(order);
		return NULL;
	}
	uint32_t n = 0;
	for (uint32_t i = 1; i < defs->n; i++)
		order[n++] = (struct named){defs->at[i].name, i};
	qsort(order, n, sizeof *order, by_name);
	for (uint32_t i = 0; i < n; i++) {
		unsigned at = (unsigned)(weft_hash(order[i].name, strlen(order[i].name)) % (HUES * SHADES));
		while (n_taken < HUES * SHADES && taken[at])
			at = (at + 7) % (HUES * SHADES); /* 7 has no factor in common with 72: every colour is reached */
		n_taken += !taken[at];
		taken[at] = true;
		color[order[i].id] = palette(at);
	}
	free(order);
	return color;
}

static bool name_take(struct paje_names *n)
{
	uint32_t id;
	size_t before = n->taken.n;
	if (n->text.failed || weft_intern_add(&n->taken, weft_str_n(n->text.at, n->text.n), &id))
		n->failed = true;
	return n->failed || n->taken.n > before;
}

const char *paje_name(struct paje_names *n, const char *name, const char *of)
{
	n->text.n = 0;
	weft_buf_puts(&n->text, *name ? name : "?");
	bool free_name = name_take(n);
	for (unsigned i = 1; !free_name; i++) {
		n->text.n = 0;
		weft_buf_printf(&n->text, i == 1 ? "%s (%s)" : "%s (%s) %u", name, of, i);
		free_name = name_take(n);
	}
	return n->text.failed ? "?" : n->text.at;
}

void paje_names_fini(struct paje_names *n)
{
	weft_intern_fini(&n->taken);
	weft_buf_fini(&n->text);
}
