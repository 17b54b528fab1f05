/* SPDX-License-Identifier: Apache-2.0 */
/* Which factors stand in which table is a list; what they are called and mean stands in src/analyze/factor. */
#include "factor_table.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 64 };

static const enum weft_factor usual[] = {WEFT_FACTOR_PARALLEL,
                                         WEFT_FACTOR_BALANCE,
                                         WEFT_FACTOR_COMMUNICATION,
                                         WEFT_FACTOR_SERIALIZATION,
                                         WEFT_FACTOR_TRANSFER,
                                         WEFT_FACTOR_COMPUTATION,
                                         WEFT_FACTOR_GLOBAL,
                                         WEFT_FACTOR_IPC_SCALABILITY,
                                         WEFT_FACTOR_INSTRUCTION_SCALABILITY,
                                         WEFT_FACTOR_FREQUENCY_SCALABILITY,
                                         WEFT_FACTOR_SPEEDUP,
                                         WEFT_FACTOR_IPC,
                                         WEFT_FACTOR_FREQUENCY};
static const enum weft_factor hybrid_ones[] = {WEFT_FACTOR_MPI_PARALLEL,        WEFT_FACTOR_MPI_BALANCE,
                                               WEFT_FACTOR_MPI_COMMUNICATION,   WEFT_FACTOR_OPENMP_PARALLEL,
                                               WEFT_FACTOR_OPENMP_BALANCE,      WEFT_FACTOR_OPENMP_COMMUNICATION,
                                               WEFT_FACTOR_ADD_PARALLEL,        WEFT_FACTOR_ADD_PROCESS,
                                               WEFT_FACTOR_ADD_PROCESS_BALANCE, WEFT_FACTOR_ADD_PROCESS_COMMUNICATION,
                                               WEFT_FACTOR_ADD_TRANSFER,        WEFT_FACTOR_ADD_SERIALIZATION,
                                               WEFT_FACTOR_ADD_THREAD,          WEFT_FACTOR_ADD_OPENMP,
                                               WEFT_FACTOR_ADD_SERIAL};
static const enum weft_factor device_ones[] = {WEFT_FACTOR_HOST_OFFLOAD, WEFT_FACTOR_DEVICE_PARALLEL, WEFT_FACTOR_DEVICE_BALANCE,
                                               WEFT_FACTOR_DEVICE_COMMUNICATION, WEFT_FACTOR_DEVICE_ORCHESTRATION};
static const enum weft_factor more_ones[] = {WEFT_FACTOR_INSTRUCTION_BALANCE, WEFT_FACTOR_CYCLE_BALANCE,
                                             WEFT_FACTOR_IPC_BALANCE,         WEFT_FACTOR_P2P_BALANCE,
                                             WEFT_FACTOR_COLLECTIVE_BALANCE,  WEFT_FACTOR_MIPS};
static const struct part {
	const char *title;
	const enum weft_factor *of;
	unsigned n;
} parts[] = {{"multiplicative", usual, sizeof usual / sizeof *usual},
             {"processes and threads", hybrid_ones, sizeof hybrid_ones / sizeof *hybrid_ones},
             {"devices", device_ones, sizeof device_ones / sizeof *device_ones},
             {"more", more_ones, sizeof more_ones / sizeof *more_ones}};
enum { PARTS = sizeof parts / sizeof *parts, HYBRID = 1, DEVICES = 2, MORE = 3 };

/* What a run says beside its factors. */
static double of_runtime(const struct weft_factors *f)
{
	return f->runtime / 1000;
}
static double of_ideal_runtime(const struct weft_factors *f)
{
	return f->ideal_runtime / 1000;
}
static double of_average(const struct weft_factors *f)
{
	return f->useful_average / 1000;
}
static double of_max(const struct weft_factors *f)
{
	return f->useful_max / 1000;
}
static double of_total(const struct weft_factors *f)
{
	return f->useful_total / 1000;
}
static double of_ideal_max(const struct weft_factors *f)
{
	return f->ideal_useful_max / 1000;
}
static double of_instructions(const struct weft_factors *f)
{
	return f->instructions;
}
static double of_cycles(const struct weft_factors *f)
{
	return f->cycles;
}
static double of_messages_inside(const struct weft_factors *f)
{
	return (double)f->messages[0];
}
static double of_messages_between(const struct weft_factors *f)
{
	return (double)f->messages[1];
}
static double of_bytes_inside(const struct weft_factors *f)
{
	return (double)f->bytes[0];
}
static double of_bytes_between(const struct weft_factors *f)
{
	return (double)f->bytes[1];
}
static const struct raw {
	const char *name;
	double (*get)(const struct weft_factors *f);
	bool basic; /* also in the file of basic analysis */
} raws[] = {{"Runtime (us)", of_runtime, true},
            {"Runtime (ideal)", of_ideal_runtime, true},
            {"Useful duration (average)", of_average, true},
            {"Useful duration (maximum)", of_max, true},
            {"Useful duration (total)", of_total, true},
            {"Useful duration (ideal, max)", of_ideal_max, true},
            {"Useful instructions (total)", of_instructions, true},
            {"Useful cycles (total)", of_cycles, true},
            {"Messages inside of nodes", of_messages_inside, false},
            {"Messages between nodes", of_messages_between, false},
            {"Bytes inside of nodes", of_bytes_inside, false},
            {"Bytes between nodes", of_bytes_between, false}};

/* Per cent, but of plain numbers. */
static double shown(const struct weft_factors *f, enum weft_factor i)
{
	return f->value[i] * (weft_factor_info[i].is_plain ? 1 : 100);
}

static bool any_known(const struct factor_run *run, uint32_t n, enum weft_factor i)
{
	for (uint32_t k = 0; k < n; k++)
		if (!isnan(run[k].f[0].value[i]))
			return true;
	return false;
}

/* ---- tables ---- */

static struct weft_cell text_cell(char *text, size_t room, double v, bool is_percent)
{
	if (isnan(v))
		return (struct weft_cell){.kind = WEFT_CELL_NONE};
	snprintf(text, room, is_percent ? "%.2f %%" : "%.2f", v);
	return (struct weft_cell){WEFT_CELL_TEXT, {.text = text}};
}

static int add_figure(struct weft_table *t, const struct factor_run *run, uint32_t n, const char *const label[2], const double *v,
                      bool is_percent, const char *meaning, bool for_people)
{
	struct weft_cell cell[RUNS_MOST + 3];
	char text[RUNS_MOST][40];
	unsigned c = 0;
	(void)run;
	if (!for_people)
		cell[c++] = (struct weft_cell){WEFT_CELL_TEXT, {.text = label[0]}};
	cell[c++] = (struct weft_cell){WEFT_CELL_TEXT, {.text = label[1]}};
	for (uint32_t k = 0; k < n; k++)
		cell[c++] = for_people ? text_cell(text[k], sizeof text[k], v[k], is_percent)
		                       : (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = v[k]}};
	cell[c++] = (struct weft_cell){WEFT_CELL_TEXT, {.text = meaning}};
	return weft_table_row(t, cell);
}

static int add_part(struct weft_table *t, const struct factor_run *run, uint32_t n, const struct part *p, bool for_people)
{
	int rc = 0;
	for (unsigned i = 0; i < p->n && !rc; i++) {
		const struct weft_factor_info *info = &weft_factor_info[p->of[i]];
		char name[96];
		double v[RUNS_MOST];
		if (for_people && !any_known(run, n, p->of[i]))
			continue;
		for (uint32_t k = 0; k < n; k++)
			v[k] = shown(&run[k].f[0], p->of[i]);
		snprintf(name, sizeof name, "%*s%s", for_people ? (int)(2 * info->depth) : 0, "", info->name);
		rc = add_figure(t, run, n, (const char *const[]){p->title, name}, v, !info->is_plain, info->when_small,
		                for_people);
	}
	return rc;
}

static int add_raws(struct weft_table *t, const struct factor_run *run, uint32_t n, bool for_people)
{
	int rc = 0;
	for (unsigned i = 0; i < sizeof raws / sizeof *raws && !rc; i++) {
		double v[RUNS_MOST];
		bool any = false;
		for (uint32_t k = 0; k < n; k++) {
			v[k] = raws[i].get(&run[k].f[0]);
			any = any || !isnan(v[k]);
		}
		if (any || !for_people)
			rc = add_figure(t, run, n, (const char *const[]){"raw", raws[i].name}, v, false, "", for_people);
	}
	return rc;
}

int factor_table_print(const struct factor_run *run, uint32_t n, bool hybrid, bool all, const struct cli_common *c)
{
	struct weft_column column[RUNS_MOST + 3];
	struct weft_table t;
	const bool for_people = cli_form(c) == WEFT_TABLE_TEXT;
	unsigned m = 0;
	int rc = 0;
	if (!for_people)
		column[m++] = (struct weft_column){"model", "", WEFT_CELL_TEXT};
	column[m++] = (struct weft_column){"factor", "efficiency", WEFT_CELL_TEXT};
	for (uint32_t k = 0; k < n; k++)
		column[m++] = (struct weft_column){run[k].name, run[k].name, for_people ? WEFT_CELL_TEXT : WEFT_CELL_DOUBLE};
	column[m++] = (struct weft_column){"meaning", "when it is small", WEFT_CELL_TEXT};
	weft_table_init(&t, column, m);
	for (unsigned p = 0; p < PARTS && !rc; p++)
		if (p == 0 || (p == HYBRID && hybrid) || (p == DEVICES && (all || run[0].f[0].n_devices)) || (p == MORE && all))
			rc = add_part(&t, run, n, &parts[p], for_people);
	if (!rc && all)
		rc = add_raws(&t, run, n, for_people);
	if (!rc)
		return cli_table(&t, c);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- the form of basic analysis ---- */

static void csv_number(struct weft_buf *out, double v, const char *form)
{
	weft_buf_putc(out, ';');
	if (isnan(v))
		weft_buf_puts(out, "NaN");
	else
		weft_buf_printf(out, form, v);
}

void factor_table_csv(const struct factor_run *run, uint32_t n, struct weft_buf *out)
{
	weft_buf_puts(out, "Number of processes");
	for (uint32_t k = 0; k < n; k++)
		weft_buf_printf(out, ";%u", run[k].f[0].n_threads);
	weft_buf_putc(out, '\n');
	for (unsigned i = 0; i < sizeof usual / sizeof *usual; i++) {
		weft_buf_puts(out, weft_factor_info[usual[i]].name);
		for (uint32_t k = 0; k < n; k++)
			csv_number(out, shown(&run[k].f[0], usual[i]), "%.6f");
		weft_buf_putc(out, '\n');
	}
	weft_buf_puts(out, "#\n");
	for (unsigned i = 0; i < sizeof raws / sizeof *raws && raws[i].basic; i++) {
		weft_buf_printf(out, "#%s", raws[i].name);
		for (uint32_t k = 0; k < n; k++)
			csv_number(out, raws[i].get(&run[k].f[0]), "%.2f");
		weft_buf_putc(out, '\n');
	}
}

/* ---- a picture ---- */

uint32_t factor_heat(double part)
{
	static const double stop[] = {0.5, 0.8, 1.0};
	static const uint8_t rgb[][3] = {{0xf0, 0x8c, 0x7a}, {0xf7, 0xe2, 0x8b}, {0x8f, 0xd1, 0x9e}};
	const double v = part < stop[0] ? stop[0] : part > stop[2] ? stop[2] : part;
	const unsigned k = v > stop[1] ? 1 : 0;
	const double at = (v - stop[k]) / (stop[k + 1] - stop[k]);
	uint32_t color = 0;
	for (unsigned i = 0; i < 3; i++)
		color = color << 8 | (uint32_t)lround(rgb[k][i] + at * (rgb[k + 1][i] - rgb[k][i]));
	return color;
}

enum { LABEL = 300, CELL = 96, LINE = 26, EDGE = 12 };

static void draw_row(struct picture *p, const struct factor_run *run, uint32_t n, enum weft_factor i, double y)
{
	const struct weft_factor_info *info = &weft_factor_info[i];
	picture_text(p, EDGE + 14.0 * info->depth, y + 17, SVG_LEFT, "l", info->name, LABEL - 14 * info->depth);
	for (uint32_t k = 0; k < n; k++) {
		char text[40];
		const double v = run[k].f[0].value[i], x = EDGE + LABEL + (double)k * CELL;
		if (isnan(v))
			continue;
		if (!info->is_plain)
			picture_rect(p, x + 1, y + 1, CELL - 2, LINE - 2, factor_heat(v), 2);
		snprintf(text, sizeof text, info->is_plain ? "%.2f" : "%.1f %%", shown(&run[k].f[0], i));
		picture_text(p, x + CELL - 10, y + 17, SVG_RIGHT, "l", text, CELL - 12);
	}
}

int factor_table_picture(const struct factor_run *run, uint32_t n, bool hybrid, enum weft_picture_form form, struct weft_buf *out)
{
	struct picture p;
	unsigned lines = 1;
	for (unsigned g = 0; g < (hybrid ? 2u : 1u); g++)
		for (unsigned i = 0; i < parts[g].n; i++)
			lines += any_known(run, n, parts[g].of[i]);
	int rc = picture_begin(&p, form, out, 2 * EDGE + LABEL + CELL * n, 2 * EDGE + LINE * lines, "factors of efficiency");
	double y = EDGE;
	for (uint32_t k = 0; k < n && !rc; k++)
		picture_text(&p, EDGE + LABEL + (double)(k + 1) * CELL - 10, y + 17, SVG_RIGHT, "l", run[k].name, CELL);
	for (unsigned g = 0; g < (hybrid ? 2u : 1u) && !rc; g++)
		for (unsigned i = 0; i < parts[g].n; i++)
			if (any_known(run, n, parts[g].of[i]))
				draw_row(&p, run, n, parts[g].of[i], y += LINE);
	const int end = picture_end(&p);
	return rc ? rc : end;
}
