/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a multiple linear regression was measured from: a line for each task, its duration and the parameters that it had. StarPU's
 * file codelets/tmp/SYMBOL.out has them, with a head:
 *
 *     Duration, M, N, K
 *     187.5, 64, 64, 32
 *
 * It does not say where a task ran, so that a machine with several kinds of devices cannot tell their rows apart. SYMBOL.places beside
 * it does, in as many lines: "0:0:1/2" is implementation 2 on device 0 of type 0 with one core ("?": not known). Where it is not there,
 * or has not as many lines, no row's place is known.
 */
#ifndef WEFT_MODELS_MODEL_ROWS_H
#define WEFT_MODELS_MODEL_ROWS_H

#include "base/err.h"
#include "base/vec.h"
#include <stdint.h>
#include <stdio.h>

enum { WEFT_MODEL_PARAMETERS = 64 };

struct weft_model_rows {
	uint32_t n_parameters, n;
	char *name[WEFT_MODEL_PARAMETERS]; /* owned */
	WEFT_VEC(double) cell;             /* row after row: the duration, then the parameters */
	WEFT_VEC(uint32_t) place;          /* of each row: 0: not known; else the number of a place, from 1 */
	WEFT_VEC(char *) places;           /* owned; their names */
};

/* Parameters without a name (names NULL, or one of them) are called P1, P2, … */
int weft_model_rows_init(struct weft_model_rows *r, uint32_t n_parameters, const char *const *names) WEFT_MUST_CHECK;
void weft_model_rows_fini(struct weft_model_rows *r);
/* place: as above; NULL: not known. 0 or -ENOMEM. */
int weft_model_rows_add(struct weft_model_rows *r, double duration, const double *parameter, const char *place) WEFT_MUST_CHECK;
/* The number of a place that rows have, 0: none has it. */
uint32_t weft_model_rows_place(const struct weft_model_rows *r, const char *place);

/* PATH is the file of the rows; what lies beside it is found by its name. On failure *r is empty. -ENOENT: there is no such file. */
int weft_model_rows_parse(struct weft_model_rows *r, const char *at, size_t n, const char *name,
                          struct weft_err *err) WEFT_MUST_CHECK;
int weft_model_rows_read(struct weft_model_rows *r, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_model_rows_print(const struct weft_model_rows *r, FILE *to);
int weft_model_rows_write(const struct weft_model_rows *r, const char *path, struct weft_err *err) WEFT_MUST_CHECK;

#endif
