/* SPDX-License-Identifier: Apache-2.0 */
/* A model for people, as StarPU's starpu_perfmodel_display prints it, and as the XML of starpu-perfmodel.dtd. */
#ifndef WEFT_MODELS_MODEL_SHOW_H
#define WEFT_MODELS_MODEL_SHOW_H

#include "model.h"

struct weft_model_show {
	const char *arch;          /* NULL: all; else as weft_model_asked_for wants it */
	const char *parameter;     /* NULL: the whole table; else one of weft_model_parameters */
	const uint32_t *footprint; /* NULL: all */
	const char *debug; /* what names of files with raw measurements begin with (FOLDER/debug/SYMBOL.HOST); may be NULL */
};
/* The names of parameters, between blanks. */
extern const char weft_model_parameters[];
bool weft_model_has_parameter(const char *name);

/* Whether a text means one of the kinds of devices: "cpu", "cpu:3" (three cores), "cuda", "cuda0", "cuda_0", "opencl1"… */
bool weft_model_is_arch(const char *asked);
/* Whether it means this combination. */
bool weft_model_asked_for(const struct weft_model_comb *c, const char *asked);

/* One implementation (of combination c), or all of a model. What is no parameter prints nothing. */
void weft_model_show_impl(const struct weft_model_comb *c, uint32_t impl, const struct weft_model_show *how, FILE *to);
void weft_model_show(const struct weft_model *m, const struct weft_model_show *how, FILE *to);
/* names: of parameters (model.h); may be NULL. */
void weft_model_xml(const struct weft_model *m, const char *symbol, const struct weft_model_names *names, FILE *to);

#endif
