/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft model fit`: which equation the rows of a multiple regression follow, and how it is said to a program; for a model that has
 * entries instead, the curves through these. Rows of several places (kinds of workers, implementations) are looked at apart.
 */
#include "model_cli.h"
#include "models/fit.h"
#include "models/fit_search.h"
#include "models/model_rows.h"
#include "base/log.h"
#include "base/str.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fitting {
	const struct model_args *a;
	const char *what; /* the symbol, or the file */
	struct weft_table table;
	struct weft_buf program; /* how the best equations are said */
};

/* -- equations as text -- */

static void print_product(struct weft_buf *out, const unsigned *power, const struct weft_model_rows *r)
{
	const char *between = "";
	for (uint32_t i = 0; i < r->n_parameters; i++) {
		if (!power[i])
			continue;
		weft_buf_printf(out, "%s%s", between, r->name[i]);
		if (power[i] > 1)
			weft_buf_printf(out, "^%u", power[i]);
		between = "*";
	}
}

static void print_equation(struct weft_buf *out, const struct weft_fit_equation *e, const struct weft_model_rows *r)
{
	weft_buf_printf(out, "%.6g", e->coeff[0]);
	for (uint32_t i = 0; i < e->n_terms; i++) {
		weft_buf_printf(out, " %c %.6g*", e->coeff[i + 1] < 0 ? '-' : '+', fabs(e->coeff[i + 1]));
		print_product(out, e->power[i], r);
	}
}

/* As a program gives it to struct starpu_perfmodel. */
static void print_program(struct weft_buf *out, const struct weft_fit_equation *e, const struct weft_model_rows *r,
                          const char *place)
{
	weft_buf_printf(out, "\n/* %s */\n", place);
	for (uint32_t i = 0; i < e->n_terms; i++) {
		weft_buf_printf(out, "static unsigned term_%u[] = {", i);
		for (uint32_t k = 0; k < r->n_parameters; k++)
			weft_buf_printf(out, "%s%u", k ? ", " : "", e->power[i][k]);
		weft_buf_printf(out, "}; /* ");
		print_product(out, e->power[i], r);
		weft_buf_printf(out, " */\n");
	}
	weft_buf_printf(out, "static unsigned *combinations[] = {");
	for (uint32_t i = 0; i < e->n_terms; i++)
		weft_buf_printf(out, "%sterm_%u", i ? ", " : "", i);
	weft_buf_printf(out, "}; /* .nparameters = %u, .ncombinations = %u */\n", r->n_parameters, e->n_terms);
}

/* -- rows -- */

struct figures {
	uint64_t samples, far;
	double r2, error; /* NAN: none */
	bool is_best;
};
static int add_equation(struct fitting *f, const char *place, const char *equation, const struct figures *g)
{
	const struct weft_cell row[] = {
		{WEFT_CELL_TEXT, {.text = place}},
		{WEFT_CELL_U64, {.u64 = g->samples}},
		{WEFT_CELL_U64, {.u64 = g->far}},
		{WEFT_CELL_TEXT, {.text = equation}},
		{isnan(g->r2) ? WEFT_CELL_NONE : WEFT_CELL_DOUBLE, {.f64 = g->r2}},
		{isnan(g->error) ? WEFT_CELL_NONE : WEFT_CELL_PERCENT, {.f64 = 100 * g->error}},
		{WEFT_CELL_TEXT, {.text = g->is_best ? "best" : ""}},
	};
	return weft_table_row(&f->table, row);
}

/* The rows of one place (0: all, or those of no known one). */
static int pick_rows(const struct weft_model_rows *r, uint32_t place, bool apart, struct weft_fit_rows *out, double **room)
{
	size_t wide = r->n_parameters + (size_t)1;
	*out = (struct weft_fit_rows){.n_parameters = r->n_parameters};
	*room = malloc((r->cell.n + 1) * sizeof **room);
	if (!*room)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n; i++)
		if (!apart || r->place.at[i] == place)
			memcpy(*room + wide * out->n++, r->cell.at + wide * i, wide * sizeof **room);
	out->cell = *room;
	return 0;
}

/* "0:0:1/2" is "cpu0_impl2". */
static void place_name(const char *place, char *at, size_t n)
{
	struct weft_model_device d = {0};
	struct weft_model_comb c = {.device = &d, .n_devices = 1};
	unsigned impl;
	if (sscanf(place, "%d:%d:%d/%u", &d.type, &d.id, &d.cores, &impl) != 4) {
		snprintf(at, n, "%s", place);
		return;
	}
	model_place(at, n, &c, impl);
}

static int fit_place(struct fitting *f, const struct weft_model_rows *r, const struct weft_fit_rows *rows, const char *place)
{
	struct weft_fit_found *found = malloc(sizeof *found);
	int rc = found ? weft_fit_search(rows, (uint32_t)f->a->degree, (uint32_t)f->a->terms, found) : -ENOMEM;
	if (rc == -EDOM)
		weft_log(WEFT_LOG_WARN, "%s, %s: %u rows are too few to say anything", f->what, place, rows->n);
	for (uint32_t i = 0; i < (rc ? 0 : found->n) && !rc; i++) {
		const struct weft_fit_equation *e = &found->equation[i];
		struct weft_buf text = {0};
		print_equation(&text, e, r);
		rc = text.failed ? -ENOMEM
		                 : add_equation(f, place, text.at,
		                                &(struct figures){rows->n, e->n_far, e->r2, e->error, i == found->best});
		weft_buf_fini(&text);
	}
	if (!rc)
		print_program(&f->program, &found->equation[found->best], r, place);
	free(found);
	return rc == -EDOM ? 0 : rc;
}

static int fit_rows(struct fitting *f, const struct weft_model_rows *r)
{
	bool apart = r->places.n > 1;
	int rc = 0;
	for (uint32_t place = apart ? 0 : 1; place <= (apart ? r->places.n : 1) && !rc; place++) {
		struct weft_fit_rows rows;
		char name[512];
		double *room;
		snprintf(name, sizeof name, apart ? "unknown" : "all");
		if (place && r->places.n)
			place_name(r->places.at[place - 1], name, sizeof name);
		rc = pick_rows(r, place, apart, &rows, &room);
		if (!rc && rows.n)
			rc = fit_place(f, r, &rows, name);
		free(room);
	}
	return rc ? cli_fail_code(rc) : CLI_OK;
}

/* -- entries -- */

static double mean_error(const struct weft_model_impl *impl, double a, double b, double c)
{
	double sum = 0;
	uint64_t n = 0;
	for (uint32_t i = 0; i < impl->n_entries; i++) {
		const struct weft_model_entry *e = &impl->entry[i];
		if (!e->n || !(e->mean > 0))
			continue;
		sum += e->n * fabs(a * pow((double)e->size, b) + c - e->mean) / e->mean;
		n += e->n;
	}
	return n ? sum / (double)n : NAN;
}

static int fit_impl(struct fitting *f, const struct weft_model_impl *impl, const char *place)
{
	struct weft_model_fit power = {0}, offset = {0};
	char text[120];
	for (uint32_t i = 0; i < impl->n_entries; i++)
		(void)weft_fit_power_add(&power, impl->entry[i].size, impl->entry[i].mean, impl->entry[i].n);
	bool has_offset = weft_fit_offset(&offset, impl->entry, impl->n_entries);
	double error = mean_error(impl, power.alpha, power.beta, 0),
	       better = has_offset ? mean_error(impl, offset.a, offset.b, offset.c) : NAN;
	if (!power.n || isnan(power.alpha)) {
		weft_log(WEFT_LOG_WARN, "%s, %s: no curve, as it wants two sizes or more", f->what, place);
		return 0;
	}
	/* Three numbers fit better than two: they must earn it. */
	bool offset_best = has_offset && better < 0.8 * error;
	snprintf(text, sizeof text, "%.6g*size^%.6g", power.alpha, power.beta);
	int rc = add_equation(f, place, text, &(struct figures){power.n, 0, NAN, error, !offset_best});
	if (!rc && has_offset) {
		snprintf(text, sizeof text, "%.6g*size^%.6g + %.6g", offset.a, offset.b, offset.c);
		rc = add_equation(f, place, text, &(struct figures){power.n, 0, NAN, better, offset_best});
	}
	return rc;
}

static int fit_entries(struct fitting *f)
{
	struct model_file file;
	char place[512];
	int status = model_open(f->a, f->what, &file), rc = 0;
	for (uint32_t i = 0; i < file.m.n_combs && !status && !rc; i++)
		for (uint32_t k = 0; k < file.m.comb[i].n_impls && model_is_chosen(&file.m.comb[i], f->a) && !rc; k++) {
			model_place(place, sizeof place, &file.m.comb[i], k);
			rc = fit_impl(f, &file.m.comb[i].impl[k], place);
		}
	model_close(&file);
	return status ? status : rc ? cli_fail_code(rc) : CLI_OK;
}

/* -- the verb -- */

/* The file of rows that is meant: of a symbol, or itself; false: there is none. */
static bool find_rows(const char *given, char *at, size_t n)
{
	char folder[WEFT_MODEL_PATH - 300];
	size_t length = strlen(given);
	if (length > 4 && !strcmp(given + length - 4, ".out") && access(given, F_OK) == 0) {
		snprintf(at, n, "%s", given);
		return true;
	}
	for (unsigned i = 0; weft_model_folder(i, folder, sizeof folder); i++) {
		snprintf(at, n, "%s/codelets/tmp/%s.out", folder, given);
		if (access(at, F_OK) == 0)
			return true;
	}
	return false;
}

int model_fit(const struct model_args *a, char **operand, int n)
{
	static const struct weft_column columns[] = {
		{"place", "place", WEFT_CELL_TEXT}, {"samples", "samples", WEFT_CELL_U64},
		{"far", "far", WEFT_CELL_U64},      {"equation", "equation", WEFT_CELL_TEXT},
		{"r2", "R^2", WEFT_CELL_DOUBLE},    {"error_percent", "error", WEFT_CELL_PERCENT},
		{"verdict", "", WEFT_CELL_TEXT},
	};
	struct fitting f = {.a = a, .what = operand[0]};
	struct weft_model_rows rows = {0};
	struct weft_err err = {0};
	char path[WEFT_MODEL_PATH];
	(void)n;
	weft_table_init(&f.table, columns, sizeof columns / sizeof *columns);
	int status;
	if (!find_rows(operand[0], path, sizeof path))
		status = fit_entries(&f);
	else if (weft_model_rows_read(&rows, path, &err))
		status = cli_fail(&err);
	else
		status = fit_rows(&f, &rows);
	weft_model_rows_fini(&rows);
	if (!status && !weft_table_rows(&f.table))
		status = CLI_NO;
	if (status) {
		weft_table_fini(&f.table);
		weft_buf_fini(&f.program);
		return status;
	}
	status = cli_table(&f.table, &a->common);
	if (!status && f.program.n && !a->common.json && !a->common.csv)
		fputs(f.program.at, stdout);
	weft_buf_fini(&f.program);
	return status;
}
