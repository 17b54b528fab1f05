/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep on the command line: its table, its pictures (one axis: a curve; two: a field of colours), and from where on an axis does not matter.
 * Under a launcher of MPI the processes share the points: each writes its own to a file beside the others', the first puts them together.
 */
#include "replay_options.h"
#include "render/draw/curves.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TOLERANCE 0.01

/* ---- table ---- */

static int print_points(const struct replay_args *a, const struct weft_sweep *s)
{
	struct weft_column column[WEFT_SWEEP_AXES + 4];
	struct weft_cell cell[WEFT_SWEEP_AXES + 4];
	const unsigned n = s->n_axes;
	struct weft_table t;
	for (unsigned i = 0; i < n; i++) {
		const struct weft_setting_row *row = &weft_setting_rows[s->axis[i].setting];
		column[i] = (struct weft_column){row->name, row->name, WEFT_CELL_TEXT};
	}
	column[n] = (struct weft_column){"time_ns", "time", WEFT_CELL_NS};
	column[n + 1] = (struct weft_column){"computation_ns", "computes", WEFT_CELL_NS};
	column[n + 2] = (struct weft_column){"communication_ns", "communicates", WEFT_CELL_NS};
	column[n + 3] = (struct weft_column){"stuck", "stuck", WEFT_CELL_U64};
	weft_table_init(&t, column, n + 4);
	for (uint32_t p = 0; p < s->n_points; p++) {
		char text[WEFT_SWEEP_AXES][40];
		double value[WEFT_SWEEP_AXES];
		weft_sweep_values(s, p, value);
		for (unsigned i = 0; i < n; i++)
			cell[i] = (struct weft_cell){.kind = WEFT_CELL_TEXT,
			                             .text = weft_replay_setting_print(s->axis[i].setting, value[i], text[i])};
		cell[n] = (struct weft_cell){.kind = WEFT_CELL_NS, .u64 = (uint64_t)(s->point[p].time_ns + 0.5)};
		cell[n + 1] = (struct weft_cell){.kind = WEFT_CELL_NS, .u64 = (uint64_t)(s->point[p].computation_ns + 0.5)};
		cell[n + 2] = (struct weft_cell){.kind = WEFT_CELL_NS, .u64 = (uint64_t)(s->point[p].communication_ns + 0.5)};
		cell[n + 3] = (struct weft_cell){.kind = WEFT_CELL_U64, .u64 = s->point[p].stuck};
		if (weft_table_row(&t, cell)) {
			weft_table_fini(&t);
			return cli_fail_code(-ENOMEM);
		}
	}
	return cli_table(&t, &a->common);
}

static void print_flat(const struct weft_sweep *s)
{
	for (unsigned i = 0; i < s->n_axes; i++) {
		const struct weft_sweep_axis *axis = &s->axis[i];
		char from[40], to[40];
		uint32_t first, last;
		if (axis->n < 2 || !weft_sweep_flat(s, i, TOLERANCE, &first, &last))
			continue;
		printf("%s: from %s to %s the time stays within %.0f %% of its least%s\n", weft_setting_rows[axis->setting].name,
		       weft_replay_setting_print(axis->setting, axis->value[first], from),
		       weft_replay_setting_print(axis->setting, axis->value[last], to), 100 * TOLERANCE,
		       first == 0 && last + 1 == axis->n ? ": it does not matter here" : "");
	}
}

/* ---- pictures ---- */

static bool is_log(const struct weft_sweep_axis *a)
{
	double least = INFINITY, most = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		least = fmin(least, a->value[i]);
		most = fmax(most, a->value[i]);
	}
	return least > 0 && most / least >= 20;
}

/* A curve for each value of the other axes together. */
static int draw_curves(const struct weft_sweep *s, enum weft_picture_form form, struct weft_buf *out)
{
	const struct weft_sweep_axis *x = &s->axis[s->n_axes - 1];
	const uint32_t n = s->n_points / x->n;
	struct weft_curve *curve = calloc(n, sizeof *curve);
	double *y = malloc(s->n_points * sizeof *y);
	char(*name)[96] = calloc(n, sizeof *name);
	int rc = curve && y && name ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < s->n_points && !rc; i++)
		y[i] = s->point[i].time_ns / 1e9;
	for (uint32_t i = 0; i < n && !rc; i++) {
		double value[WEFT_SWEEP_AXES];
		weft_sweep_values(s, i * x->n, value);
		for (unsigned k = 0; k + 1 < s->n_axes; k++) {
			char text[40];
			const size_t at = strlen(name[i]);
			snprintf(name[i] + at, sizeof *name - at, "%s%s %s", k ? ", " : "",
			         weft_setting_rows[s->axis[k].setting].name,
			         weft_replay_setting_print(s->axis[k].setting, value[k], text));
		}
		curve[i] = (struct weft_curve){.name = s->n_axes > 1 ? name[i] : "predicted",
		                               .line = true,
		                               .color = i,
		                               .x = x->value,
		                               .y = y + (size_t)i * x->n,
		                               .n = x->n};
	}
	const struct weft_curves_how how = {.title = "predicted time",
	                                    .x_name = weft_setting_rows[x->setting].name,
	                                    .y_name = "time, s",
	                                    .log_x = is_log(x)};
	if (!rc)
		rc = weft_curves_picture(out, form, curve, n, &how);
	free(curve);
	free(y);
	free(name);
	return rc;
}

/* From green at the least to red at the greatest. */
static uint32_t color_of(double part)
{
	const unsigned red = (unsigned)(40 + 200 * fmin(1, 2 * part)), green = (unsigned)(40 + 170 * fmin(1, 2 - 2 * part));
	return red << 16 | green << 8 | 60;
}

enum { CELL_W = 72, CELL_H = 30, LEFT = 110, TOP = 60 };

static int draw_field(const struct weft_sweep *s, enum weft_picture_form form, struct weft_buf *out)
{
	const struct weft_sweep_axis *rows = &s->axis[0], *columns = &s->axis[1];
	double least = INFINITY, most = 0;
	struct picture p;
	char text[64];
	for (uint32_t i = 0; i < s->n_points; i++) {
		least = fmin(least, s->point[i].time_ns);
		most = fmax(most, s->point[i].time_ns);
	}
	int rc = picture_begin(&p, form, out, LEFT + CELL_W * columns->n + 20, TOP + CELL_H * rows->n + 20, "predicted time");
	snprintf(text, sizeof text, "%s (down), %s (across)", weft_setting_rows[rows->setting].name,
	         weft_setting_rows[columns->setting].name);
	picture_text(&p, LEFT, 20, SVG_LEFT, "t", text, 100);
	for (uint32_t c = 0; c < columns->n; c++)
		picture_text(&p, LEFT + CELL_W * (c + 0.5), TOP - 8, SVG_MIDDLE, "l",
		             weft_replay_setting_print(columns->setting, columns->value[c], text), 12);
	for (uint32_t r = 0; r < rows->n; r++) {
		picture_text(&p, LEFT - 8, TOP + CELL_H * (r + 0.65), SVG_RIGHT, "l",
		             weft_replay_setting_print(rows->setting, rows->value[r], text), 14);
		for (uint32_t c = 0; c < columns->n; c++) {
			const double v = s->point[r * columns->n + c].time_ns;
			picture_rect(&p, LEFT + CELL_W * c, TOP + CELL_H * r, CELL_W - 1, CELL_H - 1,
			             color_of(most > least ? (v - least) / (most - least) : 0), 0);
			picture_text(&p, LEFT + CELL_W * (c + 0.5), TOP + CELL_H * (r + 0.65), SVG_MIDDLE, "l",
			             weft_human_ns(text, (uint64_t)(v + 0.5)), 12);
		}
	}
	const int ended = picture_end(&p);
	return rc ? rc : ended;
}

static int draw(const struct replay_args *a, const struct weft_sweep *s)
{
	const size_t n = strlen(a->picture);
	const bool png = n > 4 && !strcmp(a->picture + n - 4, ".png");
	struct weft_buf out = {0};
	struct weft_out file;
	struct weft_err err = {0};
	const bool field = s->n_axes == 2 && s->axis[0].n > 1 && s->axis[0].n <= 64 && s->axis[1].n <= 32;
	int rc = (field ? draw_field : draw_curves)(s, png ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG, &out);
	int status = rc || out.failed                         ? cli_fail_code(rc ? rc : -ENOMEM)
	             : weft_out_open(&file, a->picture, &err) ? cli_fail(&err)
	                                                      : CLI_OK;
	if (!status) {
		fwrite(out.at, 1, out.n, file.to);
		if (weft_out_commit(&file, &err))
			status = cli_fail(&err);
	}
	weft_buf_fini(&out);
	return status;
}

/* ---- together with other processes ---- */

struct share {
	uint32_t rank, n;
	char folder[512]; /* where the processes of this run meet */
};

static bool read_count(const char *name, uint32_t *out)
{
	const char *text = getenv(name);
	uint64_t v;
	if (!text || weft_parse_u64(weft_str(text), &v) || v > 1 << 20)
		return false;
	*out = (uint32_t)v;
	return true;
}

/* What launchers say: Open MPI, MPICH and its kin, Slurm. */
static bool find_share(struct share *s)
{
	static const char *const names[][3] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"},
	                                       {"PMI_RANK", "PMI_SIZE", "PMI_ID"},
	                                       {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID"}};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (read_count(names[i][0], &s->rank) && read_count(names[i][1], &s->n) && s->n > 1 && s->rank < s->n) {
			const char *job = getenv(names[i][2]);
			char safe[128];
			snprintf(safe, sizeof safe, "%s", job ? job : "run");
			for (char *c = safe; *c; c++)
				if (*c == '/')
					*c = '_';
			snprintf(s->folder, sizeof s->folder, ".weft-sweep-%s-%ld", safe, job ? 0L : (long)getppid());
			return true;
		}
	return false;
}

static void share_path(const struct share *s, uint32_t rank, char *out, size_t room)
{
	snprintf(out, room, "%s/%u", s->folder, rank);
}

static int give_share(const struct share *s, const struct weft_sweep *w, struct weft_err *err)
{
	char path[600];
	struct weft_out out;
	share_path(s, s->rank, path, sizeof path);
	int rc = weft_make_dirs(s->folder, err);
	if (!rc)
		rc = weft_out_open(&out, path, err);
	if (rc)
		return rc;
	fwrite(w->point, sizeof *w->point, w->n_points, out.to);
	return weft_out_commit(&out, err);
}

enum { WAIT_MS = 20, WAIT_MOST_S = 3600 };

/* Files appear whole, by renaming. */
static int take_share(const struct share *s, uint32_t rank, struct weft_sweep *w, struct weft_err *err)
{
	char path[600], *at = NULL;
	size_t n;
	share_path(s, rank, path, sizeof path);
	for (unsigned i = 0; access(path, R_OK) && i < WAIT_MOST_S * 1000 / WAIT_MS; i++)
		nanosleep(&(struct timespec){0, WAIT_MS * 1000000L}, NULL);
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	if (n != w->n_points * sizeof *w->point)
		rc = weft_err_set(err, WEFT_E_DAMAGED, "'%s': another sweep's points", path);
	const struct weft_sweep_point *from = (const struct weft_sweep_point *)(const void *)at;
	for (uint32_t i = 0; i < w->n_points && !rc; i++)
		if (from[i].done)
			w->point[i] = from[i];
	free(at);
	return rc;
}

/* 1: this process has given what it had, and is done. */
static int gather(const struct share *s, struct weft_sweep *w, struct weft_err *err)
{
	if (s->rank) {
		int rc = give_share(s, w, err);
		return rc ? rc : 1;
	}
	int rc = weft_make_dirs(s->folder, err);
	for (uint32_t i = 1; i < s->n && !rc; i++)
		rc = take_share(s, i, w, err);
	struct weft_err ignored = {0};
	if (weft_remove_tree(s->folder, &ignored))
		rc = rc ? rc : 0;
	return rc;
}

int replay_sweep(struct replay_setup *setup, const struct weft_replay_program *p)
{
	const struct replay_args *a = setup->args;
	struct weft_sweep s = {0};
	struct share share = {0};
	struct weft_err err = {0};
	struct weft_sweep_run run = {.program = p,
	                             .how = &setup->how,
	                             .make = replay_make_machine,
	                             .arg = setup,
	                             .base = &setup->settings,
	                             .threads = (unsigned)a->common.threads};
	int rc = 0, status = CLI_OK;
	for (unsigned i = 0; i < a->sweep.n && !rc; i++)
		rc = weft_sweep_parse(&s, a->sweep.at[i], &err);
	if (rc) {
		weft_sweep_fini(&s);
		return cli_usage(&weft_command_replay, "option '--sweep': %s", err.text);
	}
	if (find_share(&share)) {
		run.share = share.rank;
		run.n_shares = share.n;
	}
	rc = weft_sweep_run(&s, &run, &err);
	if (!rc && share.n)
		rc = gather(&share, &s, &err);
	if (rc < 0)
		status = cli_fail(&err);
	else if (!rc) {
		if (a->picture)
			status = draw(a, &s);
		if (!status)
			status = print_points(a, &s);
		if (!status && cli_form(&a->common) == WEFT_TABLE_TEXT)
			print_flat(&s);
	}
	weft_sweep_fini(&s);
	return status;
}
