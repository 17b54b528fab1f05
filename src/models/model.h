/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A performance model as StarPU stores it (version 45): what was measured, for every combination of devices and every
 * implementation of a codelet. `.starpu/sampling/codelets/45/SYMBOL.HOST` is this, as lines of numbers between comments.
 *
 *     model ─> comb (a set of devices) ─> impl ─> entries: one per footprint      history: mean of what was measured
 *                                            └─> regression: y = alpha x^beta, y = a x^b + c, y = sum of coeff[i] * product i
 */
#ifndef WEFT_MODELS_MODEL_H
#define WEFT_MODELS_MODEL_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { WEFT_MODEL_VERSION = 45 };

struct weft_model_entry {
	uint32_t footprint; /* hash of the sizes of the data */
	uint32_t n;         /* samples in the sums */
	uint64_t size;      /* bytes */
	double flops;
	double mean, deviation, sum, sum2; /* microseconds (or joules) */
	uint32_t n_far;                    /* samples in a row that were far off; not stored */
};

struct weft_model_fit {
	double sum_lnx, sum_lnx2, sum_lny, sum_lnx_lny;
	double alpha, beta; /* NaN: not known */
	uint32_t n;         /* samples in the sums */
	uint64_t min_x, max_x;
	double a, b, c; /* NaN: not known */
	double *coeff;  /* owned; intercept first */
	uint32_t n_coeff;
};

struct weft_model_impl {
	struct weft_model_fit fit;
	struct weft_model_entry *entry; /* owned */
	uint32_t n_entries;
};

struct weft_model_device {
	int type, id, cores; /* types as enum starpu_worker_archtype counts them */
};

struct weft_model_comb {
	struct weft_model_device *device; /* owned */
	uint32_t n_devices;
	struct weft_model_impl *impl; /* owned */
	uint32_t n_impls;
	uint32_t number; /* what it is called; not stored: its place in the file */
};

struct weft_model {
	struct weft_model_comb *comb; /* owned */
	uint32_t n_combs;
};

/* Reads a file's text; `name` is for messages. On failure *m is empty. */
int weft_model_parse(struct weft_model *m, const char *at, size_t n, const char *name, struct weft_err *err) WEFT_MUST_CHECK;
int weft_model_read(struct weft_model *m, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_model_fini(struct weft_model *m);

/* `parameter` names the columns of multiple regressions, `product` their powers (fit.h); both NULL where there are none. */
struct weft_model_names {
	const char *const *parameter;
	uint32_t n_parameters;
	unsigned *const *product;
};
/*
 * Writes the text, as StarPU does; a number that its seven digits do not say has as many more as it needs, so that what is read back
 * is what was written, to the bit. Errors stay in `to`.
 */
void weft_model_print(const struct weft_model *m, const struct weft_model_names *names, FILE *to);
/* The file appears whole or not at all; its folder is made. */
int weft_model_write(const struct weft_model *m, const struct weft_model_names *names, const char *path,
                     struct weft_err *err) WEFT_MUST_CHECK;

/* "cpu0_impl0 (Comb0)" into `at`; as StarPU names it. */
void weft_model_impl_name(char *at, size_t n, const struct weft_model_device *device, unsigned n_devices, unsigned impl,
                          unsigned comb);
const char *weft_model_type_name(int type);  /* "cpu"…, "unknown" */
const char *weft_model_type_label(int type); /* "CPU"…, as XML has it */

/* What an implementation's numbers are those of: a file does not say which type of model it is. */
enum weft_model_kind { WEFT_MODEL_HISTORY, WEFT_MODEL_POWER, WEFT_MODEL_OFFSET, WEFT_MODEL_MULTIPLE };
enum weft_model_kind weft_model_kind(const struct weft_model_impl *impl);

/*
 * A sample for an entry, `times` times. A sample that is further than `max_percent` from the mean (to either side, as a
 * ratio) is not counted; when as many were far in a row as the mean has samples, the mean is forgotten.
 */
enum weft_model_sample { WEFT_SAMPLE_TAKEN, WEFT_SAMPLE_FAR, WEFT_SAMPLE_FORGOT };
enum weft_model_sample weft_model_sample(struct weft_model_entry *e, double measured, uint32_t times, double max_percent);

#endif
