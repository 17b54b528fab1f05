/* SPDX-License-Identifier: Apache-2.0 */
/* What a picture of a model shows: curves and points, whatever draws them. */
#ifndef WEFT_CLI_MODEL_PLOT_H
#define WEFT_CLI_MODEL_PLOT_H

#include "model_cli.h"
#include "render/draw/curves.h"

struct model_curve {
	char name[300];
	bool line, small;
	unsigned color;
	WEFT_VEC(double) x, y, spread;
};
struct model_drawing {
	char title[700], y_name[60];
	bool log_x, log_y; /* log_x: every size is more than nothing */
	WEFT_VEC(struct model_curve) of;
};
/* 0, or the exit status after a message: also when there is nothing to draw. */
int model_drawing(const struct model_args *a, const struct model_file *f, struct model_drawing *d);
void model_drawing_fini(struct model_drawing *d);

/* The script for gnuplot that makes `picture` (a .png, else an .eps). */
void model_gnuplot(const struct model_drawing *d, const char *picture, FILE *to);

#endif
