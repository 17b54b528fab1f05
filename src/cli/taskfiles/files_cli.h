/* SPDX-License-Identifier: Apache-2.0 */
/* `weft files` and StarPU's commands that are it: arguments, actions, and what several of them do. */
#ifndef WEFT_CLI_FILES_CLI_H
#define WEFT_CLI_FILES_CLI_H

#include "cli/common/cli.h"
#include "render/draw/picture.h"
#include "taskfiles/state_sums.h"

struct files_args {
	struct cli_common common;
	const char *output, *names, *range, *sequential;
	uint64_t bins;
	bool force;
	/* of StarPU's commands only: */
	bool foreign, print, times, efficiencies, png;
};

/* What an action is called with: its operands. The exit status. */
typedef int files_action(const struct files_args *a, char **operand, int n);
files_action files_sort, files_states, files_efficiency, files_histogram, files_summary, files_activity, files_profile,
	files_distribution, files_sizes, files_estimate, files_events, files_count, files_use, files_matrix;
/* As StarPU's command does it, with files of fixed names. */
files_action files_states_starpu, files_efficiency_starpu, files_profile_starpu, files_sizes_starpu;

/* ---- files ---- */

/* 0, or the exit status after a message. */
int files_open(struct text_lines **out, const char *path);
/* For writing; without --force not over what is there. */
int files_begin(const struct files_args *a, const char *path, struct weft_out *out);
int files_end(struct weft_out *out, int status);
int files_write(const struct files_args *a, const char *path, const struct weft_buf *text);
/* Whether it is called NAME.rec, packed or not. */
bool files_is_rec(const char *path);
/* "native" of "runs/native.trace". to: at least 64 bytes. */
const char *files_stem(const char *path, char *to, size_t room);
/* FILE behind `before`, where a shell and any file system take it as one name: malloc'd. */
char *files_name(const char *before, struct weft_str name, const char *behind);
/* --range FROM:TO; -1 is no end. */
int files_range(const struct files_args *a, double *from, double *to);

/* ---- pictures ---- */

/* By what the name ends with: .svg, .png, .eps, .pdf. */
int files_form(const char *path, enum weft_picture_form *form);
typedef int files_draw(void *arg, enum weft_picture_form form, struct weft_buf *out);
/* Draws and writes. The exit status. */
int files_picture(const struct files_args *a, const char *path, files_draw *draw, void *arg);

struct files_box {
	double x, y, w, h;
};
struct files_values {
	const char *title, *x_name;
	const double *at;
	size_t n;
	double from, to; /* of the x axis */
	unsigned bins;
	uint32_t color;
};
/* A histogram in a box: title, axes, bars. */
void files_draw_bars(struct picture *p, const struct files_box *box, const struct files_values *v);
/* How many values lie in each bin; the last takes in its end. Their most. */
uint64_t files_bins(const struct files_values *v, uint64_t *bin);
int files_compare_doubles(const void *a, const void *b);

#endif
