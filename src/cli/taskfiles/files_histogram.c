/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files histogram`, starpu_paje_draw_histogram: how long states took, a row of histograms for each state, a column for each trace, with one
 * axis for a row, so that a real run and a simulated one can be compared. `weft files distribution`, starpu_codelet_histo_profile: the same
 * of tasks in distrib.data, a picture for each codelet, worker and size.
 */
#include "files_cli.h"
#include "files_traces.h"
#include "base/log.h"
#include "render/draw/curves.h"
#include "taskfiles/data_rows.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOX_WIDTH = 380, BOX_HEIGHT = 200, BINS = 30, ROWS_MOST = 60, COLUMNS_MOST_SHOWN = 8 };

struct histograms {
	const struct files_traces *t;
	const char **name;
	unsigned n_names, bins;
};

static void range_of(const struct histograms *h, const char *name, double *from, double *to)
{
	*from = INFINITY;
	*to = -INFINITY;
	for (unsigned i = 0; i < h->t->n; i++) {
		struct state_sum s = files_traces_sum(h->t, i, name);
		for (size_t k = 0; k < s.length.n; k++) {
			*from = fmin(*from, s.length.at[k]);
			*to = fmax(*to, s.length.at[k]);
		}
	}
	if (!(*to >= *from))
		*from = *to = 0;
}

static int draw(void *arg, enum weft_picture_form form, struct weft_buf *out)
{
	const struct histograms *h = arg;
	struct picture p;
	char title[200], stem[64];
	int rc = picture_begin(&p, form, out, BOX_WIDTH * h->t->n + 20, BOX_HEIGHT * h->n_names + 40, "Lengths of states");
	picture_text(&p, 20, 24, SVG_LEFT, "t", "Lengths of states", 0);
	for (unsigned k = 0; k < h->n_names && !rc; k++) {
		struct files_values v = {.x_name = "ms", .bins = h->bins, .color = weft_curve_color(k)};
		range_of(h, h->name[k], &v.from, &v.to);
		for (unsigned i = 0; i < h->t->n; i++) {
			struct state_sum s = files_traces_sum(h->t, i, h->name[k]);
			snprintf(title, sizeof title, "%.80s \xc2\xb7 %s: %llu", h->name[k],
			         files_stem(h->t->path[i], stem, sizeof stem), (unsigned long long)s.n);
			v.title = title;
			v.at = s.length.at;
			v.n = s.length.n;
			files_draw_bars(&p, &(struct files_box){10 + BOX_WIDTH * i, 36 + BOX_HEIGHT * k, BOX_WIDTH, BOX_HEIGHT},
			                &v);
		}
	}
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

/* Those that were asked for, in that order; else those that took longest, first. */
static int choose(struct histograms *h, const struct files_args *a)
{
	const char **all = files_traces_order(h->t);
	if (!all)
		return cli_fail_code(-ENOMEM);
	h->name = calloc(h->t->names.n + 1, sizeof *h->name);
	struct weft_str rest = weft_str(a->names), part;
	uint32_t id;
	while (h->name && a->names && weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		if (weft_intern_find(&h->t->names, part, &id) && h->n_names < h->t->names.n)
			h->name[h->n_names++] = h->t->names.name[id];
		else
			weft_log(WEFT_LOG_WARN, "no trace has a state '%.*s'", (int)part.n, part.at);
	}
	for (size_t i = h->t->names.n; h->name && !a->names && i-- > 0 && h->n_names < ROWS_MOST;)
		h->name[h->n_names++] = all[i];
	free(all);
	if (h->name && h->n_names)
		return CLI_OK;
	if (!h->name)
		return cli_fail_code(-ENOMEM);
	weft_log(WEFT_LOG_ERROR, "there are no such states");
	return CLI_USAGE;
}

int files_histogram(const struct files_args *a, char **operand, int n)
{
	struct files_traces t;
	struct histograms h = {.t = &t, .bins = a->bins ? (unsigned)a->bins : BINS};
	if (n > COLUMNS_MOST_SHOWN)
		return cli_usage(&weft_command_files, "'histogram' takes at most %d traces", COLUMNS_MOST_SHOWN);
	int status = files_traces_read(&t, a, operand, n, true);
	if (!status)
		status = choose(&h, a);
	if (!status)
		status = files_picture(a, a->output ? a->output : "histogram.pdf", draw, &h);
	free(h.name);
	files_traces_fini(&t);
	return status;
}

/* ---- tasks by codelet, worker and size ---- */

struct task_group {
	const char *name; /* "potrf.0.db326755.102400" */
	WEFT_VEC(double) ms;
};
struct task_groups {
	struct weft_intern word;
	WEFT_VEC(struct task_group) at;
	unsigned bins;
	const struct task_group *drawn;
};

static int add_row(struct task_groups *g, const struct task_row *r)
{
	struct weft_buf name = {0};
	uint32_t id;
	weft_buf_add(&name, r->codelet.at, r->codelet.n);
	weft_buf_printf(&name, ".%s.%s.%llu", r->worker, r->footprint, (unsigned long long)r->size);
	int rc = name.failed ? -ENOMEM : weft_intern_add(&g->word, weft_str_n(name.at, name.n), &id);
	weft_buf_fini(&name);
	if (!rc && id == g->at.n)
		rc = weft_vec_push(&g->at, (struct task_group){.name = g->word.name[id]});
	return rc ? rc : weft_vec_push(&g->at.at[id].ms, r->ms);
}

static int read_groups(struct task_groups *g, const char *path)
{
	struct text_lines *t;
	struct task_row r;
	struct weft_err err = {0};
	int rc, status = files_open(&t, path);
	if (status)
		return status;
	while ((rc = task_row_next(&r, t, &err)) > 0)
		if (add_row(g, &r)) {
			rc = weft_err_set(&err, -ENOMEM, "out of memory");
			break;
		}
	text_lines_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

/* The few that are far off would leave one bar for all others: of a hundred and more, the axis is that of the middle 98 in a hundred. */
static int draw_group(void *arg, enum weft_picture_form form, struct weft_buf *out)
{
	const struct task_groups *g = arg;
	const struct task_group *d = g->drawn;
	size_t cut = d->ms.n >= 100 ? d->ms.n / 100 : 0;
	char title[300];
	struct picture p;
	int rc = picture_begin(&p, form, out, 640, 400, d->name);
	snprintf(title, sizeof title, "%.200s: %zu task%s%s", d->name, d->ms.n, d->ms.n == 1 ? "" : "s",
	         cut ? ", without the shortest and longest hundredth" : "");
	struct files_values v = {.title = title,
	                         .x_name = "ms",
	                         .at = d->ms.at,
	                         .n = d->ms.n,
	                         .from = d->ms.at[cut],
	                         .to = d->ms.at[d->ms.n - 1 - cut],
	                         .bins = g->bins,
	                         .color = weft_curve_color(0)};
	files_draw_bars(&p, &(struct files_box){10, 10, 620, 380}, &v);
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

int files_distribution(const struct files_args *a, char **operand, int n)
{
	struct task_groups g = {.bins = a->bins ? (unsigned)a->bins : BINS};
	const char *ending = a->output ? a->output : "pdf";
	(void)n;
	int status = read_groups(&g, operand[0]);
	for (size_t i = 0; i < g.at.n && !status; i++) {
		char before[4200], behind[16];
		const char *slash = strrchr(operand[0], '/');
		/* Beside the file, as StarPU's does. */
		snprintf(before, sizeof before, "%.4000s.", a->foreign || !slash ? operand[0] : slash + 1);
		snprintf(behind, sizeof behind, ".%.8s", ending);
		char *path = files_name(before, weft_str(g.at.at[i].name), behind);
		g.drawn = &g.at.at[i];
		qsort(g.at.at[i].ms.at, g.at.at[i].ms.n, sizeof(double), files_compare_doubles);
		status = path ? files_picture(a, path, draw_group, &g) : cli_fail_code(-ENOMEM);
		free(path);
	}
	for (size_t i = 0; i < g.at.n; i++)
		free(g.at.at[i].ms.at);
	free(g.at.at);
	weft_intern_fini(&g.word);
	return status;
}
