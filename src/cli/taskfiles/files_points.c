/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tasks took by the size of their data. `weft files profile`, starpu_codelet_profile: of one codelet, workers told apart; `weft files
 * sizes`, starpu_fxt_data_trace: codelets told apart. Each draws it, or writes the points and a script for gnuplot as StarPU's command does.
 * Reads distrib.data; by codelet also tasks.rec, and traces of ours.
 */
#include "files_cli.h"
#include "base/log.h"
#include "cli/model/model_cli.h"
#include "render/draw/curves.h"
#include "taskfiles/data_rows.h"
#include "taskfiles/rec_file.h"
#include "trace/open.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct group {
	const char *name;
	WEFT_VEC(double) size;
	WEFT_VEC(double) ms;
	WEFT_VEC(char) rows; /* as they stood in the file, where that is wanted */
};
struct points {
	struct weft_intern word;
	WEFT_VEC(struct group) at;
	bool by_worker;
	char **codelet; /* only of these; n_codelets 0: of all */
	int n_codelets;
	const char *title;
};

static bool is_wanted(const struct points *p, struct weft_str codelet)
{
	for (int i = 0; i < p->n_codelets; i++)
		if (weft_str_eq(codelet, p->codelet[i]))
			return true;
	return !p->n_codelets;
}

static int add_point(struct points *p, struct weft_str name, double size, double ms, struct group **out)
{
	uint32_t id;
	if (weft_intern_add(&p->word, name, &id))
		return -ENOMEM;
	if (id == p->at.n && weft_vec_push(&p->at, (struct group){.name = p->word.name[id]}))
		return -ENOMEM;
	*out = &p->at.at[id];
	return weft_vec_push(&(*out)->size, size) || weft_vec_push(&(*out)->ms, ms) ? -ENOMEM : 0;
}

static int add_row(struct points *p, const struct task_row *r)
{
	char line[120];
	struct group *g;
	if (!is_wanted(p, r->codelet))
		return 0;
	if (add_point(p, p->by_worker ? weft_str(r->worker) : r->codelet, (double)r->size, r->ms, &g))
		return -ENOMEM;
	if (!p->by_worker)
		return 0;
	int n = snprintf(line, sizeof line, "\t%s\t%" PRIu64 "\t%s\t%.9f\n", r->worker, r->size, r->footprint, r->ms);
	if (weft_vec_reserve(&g->rows, g->rows.n + r->codelet.n + (size_t)n))
		return -ENOMEM;
	memcpy(g->rows.at + g->rows.n, r->codelet.at, r->codelet.n);
	memcpy(g->rows.at + g->rows.n + r->codelet.n, line, (size_t)n);
	g->rows.n += r->codelet.n + (size_t)n;
	return 0;
}

static int read_rows(struct points *p, struct text_lines *t, struct weft_err *err)
{
	struct task_row r;
	int rc;
	while ((rc = task_row_next(&r, t, err)) > 0)
		if (add_row(p, &r))
			return weft_err_set(err, -ENOMEM, "out of memory");
	return rc;
}

/* Those that ran, with the sizes of all their data. */
static int add_task(struct points *p, const struct record *r, struct text_lines *t, struct weft_err *err)
{
	struct weft_str name = record_get(r, "Name"), sizes = record_get(r, "Sizes");
	double begin, end, size = 0, one;
	struct group *g;
	if (!name.n || !record_get(r, "EndTime").at || !is_wanted(p, name))
		return 0;
	int rc = record_double(r, t, "StartTime", &begin, err);
	rc = rc ? rc : record_double(r, t, "EndTime", &end, err);
	while (!rc && sizes.n) {
		struct weft_str word = weft_str_word(&sizes);
		if (weft_parse_double(word, &one))
			return weft_err_set(err, WEFT_E_SYNTAX, "%s:%" PRIu64 ": field 'Sizes': expected numbers, found '%.*s'",
			                    text_lines_name(t), r->line, (int)(word.n < 60 ? word.n : 60), word.at);
		size += one;
	}
	return rc ? rc : add_point(p, name, size, end - begin, &g) ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
}

static int read_records(struct points *p, struct text_lines *t, struct weft_err *err)
{
	struct record r = {.line = 0};
	int rc;
	while ((rc = record_next(&r, t, err)) > 0 && !(rc = add_task(p, &r, t, err)))
		;
	record_fini(&r);
	return rc;
}

static int add_sample(void *arg, const char *model, const struct model_sample *s)
{
	struct group *g;
	struct points *p = arg;
	return is_wanted(p, weft_str(model)) ? add_point(p, weft_str(model), (double)s->size, s->us / 1e3, &g) : 0;
}

static bool has_sizes(const struct points *p)
{
	for (size_t i = 0; i < p->at.n; i++)
		for (size_t k = 0; k < p->at.at[i].size.n; k++)
			if (p->at.at[i].size.at[k] > 0)
				return true;
	return false;
}

/* A trace of ours: tasks by their models, else their codelets. Their sizes are known with the category starpu_detail. */
static int read_trace(struct points *p, const struct files_args *a, const char *path)
{
	struct model_args how = {.common = a->common, .trace = path, .codelets = true};
	int status = model_each_sample(&how, add_sample, p);
	if (status)
		return status;
	if (!p->at.n) {
		weft_log(WEFT_LOG_ERROR, "'%s' has no task%s%s that has ended", path, p->n_codelets ? " of " : "",
		         p->n_codelets ? p->codelet[0] : "");
		return CLI_USAGE;
	}
	if (!has_sizes(p) && !a->common.quiet)
		weft_log(WEFT_LOG_WARN, "tasks of '%s' do not say the size of their data: record with '--on starpu_detail'",
		         path);
	return CLI_OK;
}

static int read_points(struct points *p, const struct files_args *a, const char *path)
{
	struct text_lines *t;
	struct weft_err err = {0};
	if (weft_trace_is_ours(path) && !p->by_worker)
		return read_trace(p, a, path);
	int status = files_open(&t, path);
	if (status)
		return status;
	int rc = files_is_rec(path) ? read_records(p, t, &err) : read_rows(p, t, &err);
	text_lines_close(t);
	if (rc)
		return cli_fail(&err);
	for (int i = 0; i < p->n_codelets && !p->at.n; i++)
		weft_log(WEFT_LOG_WARN, "'%s' has no task of '%s'", path, p->codelet[i]);
	return CLI_OK;
}

static void fini(struct points *p)
{
	for (size_t i = 0; i < p->at.n; i++) {
		free(p->at.at[i].size.at);
		free(p->at.at[i].ms.at);
		free(p->at.at[i].rows.at);
	}
	free(p->at.at);
	weft_intern_fini(&p->word);
}

static int draw(void *arg, enum weft_picture_form form, struct weft_buf *out)
{
	const struct points *p = arg;
	struct weft_curve *curve = calloc(p->at.n + 1, sizeof *curve);
	struct weft_curves_how how = {.title = p->title,
	                              .x_name = "size of data (bytes)",
	                              .y_name = "time (ms)",
	                              .log_x = has_sizes(p),
	                              .log_y = true};
	int rc = curve ? 0 : -ENOMEM;
	for (size_t i = 0; i < p->at.n && !rc; i++) {
		const struct group *g = &p->at.at[i];
		curve[i] = (struct weft_curve){.name = g->name,
		                               .small = g->ms.n > 200,
		                               .color = (unsigned)i,
		                               .x = g->size.at,
		                               .y = g->ms.at,
		                               .n = (unsigned)g->ms.n};
	}
	rc = rc ? rc : weft_curves_picture(out, form, curve, (unsigned)p->at.n, &how);
	free(curve);
	return rc;
}

int files_profile(const struct files_args *a, char **operand, int n)
{
	struct points p = {.by_worker = true,
	                   .codelet = operand + 1,
	                   .n_codelets = n - 1,
	                   .title = n > 1 ? operand[1] : "Tasks by worker"};
	int status = read_points(&p, a, operand[0]);
	if (!status)
		status = files_picture(a, a->output ? a->output : "profile.svg", draw, &p);
	fini(&p);
	return status;
}

int files_sizes(const struct files_args *a, char **operand, int n)
{
	struct points p = {.codelet = operand + 1, .n_codelets = n - 1, .title = "Tasks by size of data"};
	int status = read_points(&p, a, operand[0]);
	if (!status)
		status = files_picture(a, a->output ? a->output : "sizes.svg", draw, &p);
	fini(&p);
	return status;
}

/* ---- as StarPU's commands do it: points, and a script ---- */

/* In gnuplot's double quotes: what would end them, and letters that its enhanced texts read. */
static void put_quoted(struct weft_buf *b, const char *text, bool is_title)
{
	weft_buf_putc(b, '"');
	for (; *text; text++) {
		if (is_title && strchr("_^@&~{}", *text))
			weft_buf_puts(b, "\\\\");
		if (*text == '"' || *text == '\\' || *text == '`')
			weft_buf_putc(b, '\\');
		weft_buf_putc(b, *text);
	}
	weft_buf_putc(b, '"');
}

static void begin_script(struct weft_buf *b, const char *picture, const char *title, const char *x, const char *y)
{
	weft_buf_puts(b, "#!/usr/bin/gnuplot -persist\n\nset term postscript eps enhanced color\nset output ");
	put_quoted(b, picture, false);
	if (title)
		weft_buf_printf(b, "\nset title \"%s\"", title);
	weft_buf_printf(b, "\nset logscale x\nset logscale y\nset key top left\nset xlabel \"%s\"\nset ylabel \"%s\"\nplot", x,
	                y);
}

static void add_curve(struct weft_buf *b, bool first, const char *path, const char *columns, const char *title)
{
	weft_buf_puts(b, first ? " " : ", ");
	put_quoted(b, path, false);
	weft_buf_printf(b, " using %s title ", columns);
	put_quoted(b, title, true);
}

int files_profile_starpu(const struct files_args *a, char **operand, int n)
{
	struct points p = {.by_worker = true, .codelet = operand + 1, .n_codelets = n - 1};
	struct weft_buf script = {0};
	char path[4300], title[200];
	int status = read_points(&p, a, operand[0]);
	snprintf(path, sizeof path, "%.4096s.eps", operand[0]);
	begin_script(&script, path, NULL, "Total data size", "Execution time (ms)");
	for (size_t i = 0; i < p.at.n && !status; i++) {
		const struct group *g = &p.at.at[i];
		struct weft_buf rows = {.at = g->rows.at, .n = g->rows.n};
		printf("Arch %s\n", g->name);
		snprintf(path, sizeof path, "%.4096s.%s", operand[0], g->name);
		snprintf(title, sizeof title, "%.100s arch %s", operand[1], g->name);
		status = files_write(a, path, &rows);
		add_curve(&script, !i, path, "3:5", title);
	}
	weft_buf_putc(&script, '\n');
	snprintf(path, sizeof path, "%.4096s.gp", operand[0]);
	if (!status && p.at.n)
		status = files_write(a, path, &script);
	weft_buf_fini(&script);
	fini(&p);
	return status;
}

static int write_points(const struct files_args *a, const struct group *g, const char *path)
{
	struct weft_buf b = {0};
	for (size_t i = 0; i < g->ms.n; i++)
		weft_buf_printf(&b, "%.9f %.0f\n", g->ms.at[i], g->size.at[i]);
	int status = files_write(a, path, &b);
	weft_buf_fini(&b);
	return status;
}

/* Into the folder that is asked for; the script names its files as they lie beside it. */
static int write_in_folder(const struct files_args *a, const char *name, const struct group *g, struct weft_buf *script)
{
	struct weft_buf path = {0};
	weft_buf_printf(&path, "%s%s%s", a->output ? a->output : "", a->output ? "/" : "", name);
	int status = path.failed ? cli_fail_code(-ENOMEM) : g ? write_points(a, g, path.at) : files_write(a, path.at, script);
	weft_buf_fini(&path);
	return status;
}

int files_sizes_starpu(const struct files_args *a, char **operand, int n)
{
	struct points p = {.codelet = operand + 1, .n_codelets = n - 1};
	struct weft_buf script = {0};
	struct weft_err err = {0};
	int status = read_points(&p, a, operand[0]);
	if (!status && a->output && weft_make_dirs(a->output, &err))
		status = cli_fail(&err);
	begin_script(&script, "./data_trace.eps", "Data trace", "data size (B)", "tasks size (ms)");
	for (size_t i = 0; i < p.at.n && !status; i++) {
		/* Behind a name of ours: a codelet may be called like a file that is there. */
		char *path = files_name("./data_trace.", weft_str(p.at.at[i].name), "");
		status = path ? write_in_folder(a, path, &p.at.at[i], NULL) : cli_fail_code(-ENOMEM);
		if (!status)
			add_curve(&script, !i, path, "2:1 with dots lw 1", p.at.at[i].name);
		free(path);
	}
	weft_buf_putc(&script, '\n');
	if (!status)
		status = write_in_folder(a, "data_trace.gp", NULL, &script);
	weft_buf_fini(&script);
	fini(&p);
	return status;
}
