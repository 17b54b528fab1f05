/* SPDX-License-Identifier: Apache-2.0 */
/* A drawing as a script for gnuplot, its data inside: one file, that draws wherever it is taken. */
#include "model_plot.h"
#include "base/str.h"
#include <string.h>

/* In double quotes; gnuplot's escapes are those of C. */
static void print_text(const char *text, FILE *to)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || *text == '`' || *text == '$')
			fprintf(to, "\\%03o", (unsigned)*text);
		else
			fputc((unsigned char)*text < ' ' ? '?' : *text, to);
	fputc('"', to);
}

static void print_number(double v, const char *behind, FILE *to)
{
	char text[WEFT_FMT_DOUBLE];
	weft_fmt_double(text, v);
	fprintf(to, "%s%s", text, behind);
}

static void print_data(const struct model_drawing *d, FILE *to)
{
	for (size_t i = 0; i < d->of.n; i++) {
		const struct model_curve *c = &d->of.at[i];
		if (!c->x.n)
			continue;
		fprintf(to, "$curve_%zu << END\n", i);
		for (size_t k = 0; k < c->x.n; k++) {
			print_number(c->x.at[k], " ", to);
			print_number(c->y.at[k], " ", to);
			print_number(c->spread.at[k], "\n", to);
		}
		fprintf(to, "END\n");
	}
}

void model_gnuplot(const struct model_drawing *d, const char *picture, FILE *to)
{
	size_t n = strlen(picture);
	bool is_eps = n > 4 && !strcmp(picture + n - 4, ".eps");
	const char *between = "";
	fprintf(to, "#!/usr/bin/gnuplot -persist\n");
	fprintf(to, is_eps ? "set terminal postscript eps noenhanced color\n" : "set terminal png noenhanced size 960,600\n");
	fprintf(to, "set output ");
	print_text(picture, to);
	fprintf(to, "\nset title ");
	print_text(d->title, to);
	fprintf(to, "\nset xlabel \"Total size of data (bytes)\"\nset ylabel ");
	print_text(d->y_name, to);
	fprintf(to, "\nset key top left\nset grid\n%s%s", d->log_x ? "set logscale x\n" : "",
	        d->log_y ? "set logscale y\n" : "set yrange [0:]\n");
	print_data(d, to);
	fprintf(to, "plot ");
	for (size_t i = 0; i < d->of.n; i++) {
		const struct model_curve *c = &d->of.at[i];
		if (!c->x.n)
			continue;
		fprintf(to, "%s$curve_%zu using 1:2%s with %s linecolor rgb \"#%06x\" title ", between, i,
		        c->line || c->small ? "" : ":3",
		        c->line    ? "lines"
		        : c->small ? "dots"
		                   : "errorbars pointtype 7",
		        (unsigned)weft_curve_color(c->color));
		print_text(c->name, to);
		between = ", \\\n     ";
	}
	fprintf(to, "\n");
}
