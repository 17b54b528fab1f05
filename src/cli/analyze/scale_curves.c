/* SPDX-License-Identifier: Apache-2.0 */
/* Fits, products of them, and their two forms of output. */
#include "scale_curves.h"
#include "render/draw/curves.h"
#include <math.h>
#include <string.h>

const char *const scale_curve_names[SCALE_CURVES] = {"Load balance", "Communication efficiency", "Computation scalability",
                                                     "Parallel efficiency", "Global efficiency"};
static const enum weft_factor factor_of[SCALE_CURVES] = {WEFT_FACTOR_BALANCE, WEFT_FACTOR_COMMUNICATION, WEFT_FACTOR_COMPUTATION,
                                                         WEFT_FACTOR_PARALLEL, WEFT_FACTOR_GLOBAL};
static const char *const short_names[SCALE_CURVES] = {"load", "comm", "comp", "para", "glob"};

int scale_curves_find(struct scale_curves *c, const struct weft_factors *f, uint32_t n, const struct scale_curves_how *how)
{
	*c = (struct scale_curves){.how = *how, .n = n};
	for (uint32_t i = 0; i < n; i++) {
		c->x[i] = f[i].n_threads;
		for (unsigned k = 0; k < SCALE_CURVES; k++)
			c->y[k][i] = 100 * f[i].value[factor_of[k]];
	}
	for (unsigned k = 0; k < SCALE_FITS; k++) {
		int rc = weft_fit_find(&c->fit[k], how->model, c->x, c->y[k], n, how->bounded, how->sigma);
		if (rc)
			return rc;
	}
	return 0;
}

double scale_curve_at(const struct scale_curves *c, unsigned curve, double x)
{
	double v;
	if (curve == SCALE_PARALLEL)
		return scale_curve_at(c, SCALE_LOAD, x) * scale_curve_at(c, SCALE_COMMUNICATION, x) / 100;
	if (curve == SCALE_GLOBAL)
		return scale_curve_at(c, SCALE_PARALLEL, x) * scale_curve_at(c, SCALE_COMPUTATION, x) / 100;
	v = fmax(0, weft_fit_at(&c->fit[curve], x));
	return curve == SCALE_COMPUTATION ? v : fmin(100, v);
}

char *scale_curve_text(const struct scale_curves *c, unsigned curve, char *out)
{
	if (curve < SCALE_FITS)
		return weft_fit_text(&c->fit[curve], "p", out);
	return strcpy(out, curve == SCALE_PARALLEL ? "load balance * communication" : "parallel * computation");
}

/* ---- gnuplot ---- */

static void write_gnuplot(const struct scale_curves *c, struct weft_buf *out)
{
	weft_buf_printf(out,
	                "set xlabel 'Number of processes'\nset ylabel 'Efficiency (%%)'\nset xrange [1:%.0f]\nset key outside\n",
	                c->how.limit);
	for (unsigned k = 0; k < SCALE_FITS; k++) {
		char text[128];
		weft_buf_printf(out, "%s(x) = x > %.17g ? %s : 1/0\n", short_names[k], c->x[0],
		                weft_fit_text(&c->fit[k], "x", text));
	}
	weft_buf_puts(out, "log2(x) = log(x) / log(2)\npara(x) = load(x) * comm(x) / 100\nglob(x) = para(x) * comp(x) / 100\n");
	for (unsigned k = 0; k < SCALE_CURVES; k++) {
		weft_buf_printf(out, "$%s_data << EOD\n", short_names[k]);
		for (uint32_t i = 0; i < c->n; i++)
			weft_buf_printf(out, "%.0f %.6f\n", c->x[i], c->y[k][i]);
		weft_buf_puts(out, "EOD\n");
	}
	weft_buf_puts(out, "plot");
	for (unsigned k = 0; k < SCALE_CURVES; k++)
		weft_buf_printf(out, "%s %s(x) title '%s' linecolor %u, $%s_data notitle with points linecolor %u",
		                k ? ", \\\n    " : "", short_names[k], scale_curve_names[k], k + 1, short_names[k], k + 1);
	weft_buf_puts(out, "\n");
}

/* ---- a picture ---- */

enum { STEPS = 200 };

static int draw_curves(const struct scale_curves *c, enum weft_picture_form form, struct weft_buf *out)
{
	static double x[STEPS], y[SCALE_CURVES][STEPS];
	struct weft_curve curve[2 * SCALE_CURVES];
	const struct weft_curves_how how = {.title = "factors of efficiency",
	                                    .x_name = "threads",
	                                    .y_name = "efficiency in %",
	                                    .log_x = true};
	for (unsigned i = 0; i < STEPS; i++) {
		x[i] = c->x[0] * pow(c->how.limit / c->x[0], (double)i / (STEPS - 1));
		for (unsigned k = 0; k < SCALE_CURVES; k++)
			y[k][i] = scale_curve_at(c, k, x[i]);
	}
	for (unsigned k = 0; k < SCALE_CURVES; k++) {
		curve[2 * k] = (struct weft_curve){.name = scale_curve_names[k],
		                                   .line = true,
		                                   .color = k,
		                                   .x = x,
		                                   .y = y[k],
		                                   .n = STEPS};
		curve[2 * k + 1] = (struct weft_curve){.color = k, .x = c->x, .y = c->y[k], .n = c->n};
	}
	return weft_curves_picture(out, form, curve, 2 * SCALE_CURVES, &how);
}

int scale_curves_write(const struct scale_curves *c, const char *name, struct weft_buf *out)
{
	const size_t n = strlen(name);
	const char *end = n > 4 ? name + n - 4 : name;
	if (!strcmp(end, ".svg") || !strcmp(end, ".png"))
		return draw_curves(c, !strcmp(end, ".svg") ? WEFT_PICTURE_SVG : WEFT_PICTURE_PNG, out);
	write_gnuplot(c, out);
	return 0;
}
