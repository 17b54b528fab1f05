/* SPDX-License-Identifier: Apache-2.0 */
/* What the actions of `weft model` share: their arguments, and models by symbol or file. */
#ifndef WEFT_CLI_MODEL_CLI_H
#define WEFT_CLI_MODEL_CLI_H

#include "cli/common/cli.h"
#include "models/model.h"
#include "models/model_path.h"
#include "base/vec.h"

struct model_args {
	struct cli_common common;
	const char *host, *arch, *footprint, *parameter, *output, *power, *trace, *max_deviation;
	bool xml, gflops, energy, force;
	bool codelets; /* tasks without a model go by their codelet */
	uint64_t degree, terms, min_samples;
	/* for StarPU's commands */
	const char *combination;
};

struct model_file {
	char path[WEFT_MODEL_PATH], symbol[256], host[256];
	struct weft_model m;
};
/* By symbol, or by the name of a file. 0, or the exit status after a message. Then close. */
int model_open(const struct model_args *a, const char *given, struct model_file *f);
void model_close(struct model_file *f);

struct model_name {
	char *folder, *name; /* owned */
};
struct model_names {
	WEFT_VEC(struct model_name) of;
};
/* All model files, in the order of folders and names. Hosts: only this one (NULL: all). 0 or the exit status. */
int model_names(const char *host, struct model_names *n);
void model_names_fini(struct model_names *n);
/* One of them. 0, or -1 after a warning: a damaged file is no reason not to read the others. */
int model_open_name(const struct model_name *n, struct model_file *f);
void model_check_host(void); /* a warning where STARPU_HOSTNAME is no name */
/* The host that is asked for, or this one. */
const char *model_host(const struct model_args *a, char *room, size_t n);
/* The footprint that is asked for: *of is its value, and a pointer to it, or NULL. False after a message. */
bool model_footprint(const struct model_args *a, uint32_t *room, const uint32_t **of);
/* "cpu0_impl0", as StarPU's tools call it; the combination's number, which says nothing beyond its file, is left out. */
void model_place(char *at, size_t n, const struct weft_model_comb *c, uint32_t impl);
bool model_is_chosen(const struct weft_model_comb *c, const struct model_args *a);

/* -- actions: operands behind the action; the exit status -- */
int model_list(const struct model_args *a, char **operand, int n);
int model_show(const struct model_args *a, char **operand, int n);
int model_plot(const struct model_args *a, char **operand, int n);
int model_check(const struct model_args *a, char **operand, int n);
int model_fit(const struct model_args *a, char **operand, int n);
int model_rec(const struct model_args *a, char **operand, int n);

/* How many of each kind of worker the host has; nothing where memory is out. */
struct weft_bus_config;
void model_machine(const char *host, struct weft_bus_config *out);
/* tasks.rec with the models' times of each task on each worker; "-" or NULL: stdin, stdout. The exit status. */
int model_complete(const struct model_args *a, const char *input, const char *output);

/* -- samples of a trace: what the tasks of a model took -- */
struct model_sample {
	uint32_t footprint;
	uint64_t size;
	double us, flops;
};
struct model_samples {
	WEFT_VEC(struct model_sample) of;
};
/* Each task of a->trace that says which model it has; `each` returns 0 to go on, or negative. 0, or the exit status after a message. */
int model_each_sample(const struct model_args *a, int (*each)(void *arg, const char *model, const struct model_sample *s),
                      void *arg);
/* 0, or the exit status after a message: also when no task of the trace says that it has this model. */
int model_samples(const struct model_args *a, const char *symbol, struct model_samples *out);

#endif
