/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells instead of states: memory depends on rows, names and pixels. An inner state ends before the one around it, so that the outer one gets of each
 * cell what the inner ones did not have.
 */
#include "files_gantt.h"
#include "taskfiles/paje_states.h"
#include "render/draw/palette.h"
#include "base/log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELLS = 900,
	LEFT = 150,
	TOP = 56,
	ROW = 22,
	ROWS_MOST = 256,
	NAMES_MOST = 24,
	DEPTHS = 8,
	LEGEND = 190,
	OTHER = NAMES_MOST
};

struct row {
	const char *name; /* owned */
	float cell[NAMES_MOST + 1][CELLS];
	float inside[DEPTHS + 1][CELLS]; /* by states of that depth, since the one around them began */
};
struct gantt {
	struct weft_map row_of; /* container << 32 | type of state */
	struct row *row[ROWS_MOST];
	unsigned n_rows, left_out;
	struct weft_intern names;
	uint32_t color[NAMES_MOST + 1];
	int64_t first;
	double per_cell;
};

static int row_for(struct gantt *g, const struct paje_state *s, struct row **out)
{
	uint64_t at, key = (uint64_t)s->container_id << 32 | s->type_id;
	*out = NULL;
	if (weft_map_get(&g->row_of, key, &at)) {
		*out = at < g->n_rows ? g->row[at] : NULL;
		return 0;
	}
	if (g->n_rows == ROWS_MOST) {
		g->left_out++;
		return weft_map_put(&g->row_of, key, ROWS_MOST);
	}
	struct row *r = calloc(1, sizeof *r);
	char *name = strdup(s->container);
	if (!r || !name || weft_map_put(&g->row_of, key, g->n_rows)) {
		free(r);
		free(name);
		return -ENOMEM;
	}
	r->name = name;
	g->row[g->n_rows++] = *out = r;
	return 0;
}

static int name_for(struct gantt *g, const struct paje_state *s, uint32_t *out)
{
	uint32_t id;
	*out = OTHER;
	if (g->names.n >= NAMES_MOST && !weft_intern_find(&g->names, weft_str(s->value), &id))
		return 0;
	if (weft_intern_add(&g->names, weft_str(s->value), &id))
		return -ENOMEM;
	g->color[id] = s->color;
	*out = id;
	return 0;
}

static int take(void *arg, const struct paje_state *s)
{
	struct gantt *g = arg;
	struct row *r;
	uint32_t name;
	unsigned depth = s->depth < DEPTHS ? s->depth : DEPTHS - 1;
	if (!strncmp(s->type, "InCtx", 5))
		return 0;
	if (row_for(g, s, &r) || name_for(g, s, &name))
		return -ENOMEM;
	double from = (double)(s->begin - g->first) / g->per_cell, to = (double)(s->end - g->first) / g->per_cell;
	for (long i = from < 0 ? 0 : (long)from; r && i < CELLS && (double)i < to; i++) {
		double part = fmin(to, (double)i + 1) - fmax(from, (double)i);
		r->cell[name][i] += (float)fmax(part - (double)r->inside[depth + 1][i], 0);
		r->inside[depth + 1][i] = 0;
		r->inside[depth][i] = depth ? r->inside[depth][i] + (float)part : 0;
	}
	return 0;
}

/* Colours that the trace does not say are chosen by name. */
static int choose_colors(struct gantt *g)
{
	struct weft_palette_name name[NAMES_MOST];
	uint32_t chosen[NAMES_MOST];
	for (uint32_t i = 0; i < g->names.n; i++)
		name[i] = (struct weft_palette_name){.name = g->names.name[i]};
	int rc = weft_palette_choose(name, (unsigned)g->names.n, chosen);
	/* StarPU gives all tasks one green unless asked (-c): then names choose, too. */
	for (uint32_t i = 0; i < g->names.n && !rc; i++)
		if (g->color[i] == UINT32_MAX || g->color[i] == 0x009966)
			g->color[i] = chosen[i];
	g->color[OTHER] = 0xbbbbbb;
	return rc;
}

static void draw_row(struct picture *p, const struct gantt *g, const struct row *r, double y)
{
	picture_text(p, LEFT - 8, y + ROW - 8, SVG_RIGHT, "l", r->name, 20);
	for (unsigned i = 0, from = 0, before = OTHER + 1; i <= CELLS; i++) {
		unsigned best = OTHER + 1;
		float most = 0.02f;
		for (unsigned k = 0; i < CELLS && k <= OTHER; k++)
			if (r->cell[k][i] > most) {
				most = r->cell[k][i];
				best = k;
			}
		if (best == before && i < CELLS)
			continue;
		if (before <= OTHER)
			picture_rect(p, LEFT + from, y, i - from, ROW - 4, g->color[before], 0);
		before = best;
		from = i;
	}
}

static int draw(const struct gantt *g, int64_t last, enum weft_picture_form form, struct weft_buf *out)
{
	struct picture p;
	char text[80], a[32], b[32];
	unsigned lines = g->n_rows > g->names.n + 1 ? g->n_rows : (unsigned)g->names.n + 1;
	int rc = picture_begin(&p, form, out, LEFT + CELLS + LEGEND, TOP + ROW * lines + 20, "Gantt diagram");
	snprintf(text, sizeof text, "%s ms to %s ms", paje_time_text(a, g->first), paje_time_text(b, last));
	picture_text(&p, LEFT, 20, SVG_LEFT, "t", "What workers and threads did", 0);
	picture_text(&p, LEFT, 42, SVG_LEFT, "s", text, 0);
	for (unsigned i = 0; i < g->n_rows && !rc; i++)
		draw_row(&p, g, g->row[i], TOP + ROW * i);
	for (uint32_t i = 0; i <= g->names.n && !rc; i++) {
		bool other = i == g->names.n;
		if (other && i < NAMES_MOST)
			break;
		picture_rect(&p, LEFT + CELLS + 16, TOP + ROW * i + 2, 12, 12, g->color[other ? OTHER : i], 0);
		picture_text(&p, LEFT + CELLS + 34, TOP + ROW * i + 12, SVG_LEFT, "l", other ? "others" : g->names.name[i], 22);
	}
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

int files_gantt(const char *path, int64_t first, int64_t last, enum weft_picture_form form, struct weft_buf *out)
{
	struct gantt *g = calloc(1, sizeof *g);
	struct text_lines *t = NULL;
	struct weft_err err = {0};
	if (!g)
		return cli_fail_code(-ENOMEM);
	g->first = first;
	g->per_cell = last > first ? (double)(last - first) / CELLS : 1;
	int status = files_open(&t, path);
	if (!status) {
		int rc = paje_states_read(t, take, g, &err);
		rc = rc ? rc : choose_colors(g);
		rc = rc ? rc : draw(g, last, form, out);
		status = !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
		text_lines_close(t);
	}
	if (g->left_out)
		weft_log(WEFT_LOG_WARN, "'%s': the first %d rows are drawn, %u are not", path, ROWS_MOST, g->left_out);
	for (unsigned i = 0; i < g->n_rows; i++) {
		free((char *)g->row[i]->name);
		free(g->row[i]);
	}
	weft_map_fini(&g->row_of);
	weft_intern_fini(&g->names);
	free(g);
	return status;
}
