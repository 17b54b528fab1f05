/* SPDX-License-Identifier: Apache-2.0 */
/* One folding: which instances, their curves, calls and phases. cmd_fold.c says what is asked; fold_files.c and fold_cube.c write it. */
#ifndef WEFT_CLI_FOLD_RUN_H
#define WEFT_CLI_FOLD_RUN_H

#include "analyze/fold/counter_model.h"
#include "analyze/fold/fold_calls.h"
#include "analyze/fold/knees.h"
#include "cli/analyze/bursts_cli.h"
#include "symbols/symbols.h"

enum { FOLD_MODELS_MOST = 16, FOLD_KNEES_MOST = 12 };

struct fold_how {
	const char *path, *region, *type, *time, *symbols;
	const char *list; /* a file of intervals, which are the instances; NULL: none */
	uint64_t cluster; /* 0: none */
	bool split;       /* instances into groups by how long they last */
	uint64_t group;   /* which of them is folded, from 1: that with most time first */
	struct weft_fold_rule rule;
	bool kriging;
	double nugget;
	uint64_t samples; /* at most, of a counter; 0: all, or 1500 for Kriging */
	unsigned steps;
	const char *const *counter; /* NULL: all */
	uint32_t n_counters;
	const struct weft_opt_list *models;
	bool own_threads;
};
struct fold_curve {         /* of a counter; owned */
	double *y;          /* steps */
	double *low, *high; /* NULL: no band */
	double *slope;      /* counts per µs */
	char name[64];
	struct weft_fold_taken taken; /* samples of used instances */
	uint8_t *chosen;              /* of these: those that made the curve */
	size_t n_chosen;
	bool none; /* nothing was counted, or sampled */
};
struct fold_group { /* instances of about one duration */
	size_t n;
	double total_ns;
};
struct fold_line_id {
	uint32_t file, line, function;
};
struct fold_run { /* owned, but common and how */
	const struct cli_common *common;
	const struct fold_how *how;
	struct weft_trace *trace;
	struct weft_filter *filter;
	struct weft_symbols *symbols;
	struct weft_counters counters;
	struct weft_folding fold;
	char region[256]; /* its name */
	struct fold_group *group;
	uint32_t n_groups; /* 0: they are not divided */
	struct fold_curve *curve;
	int instructions, cycles; /* counters; -1: none */
	struct weft_fold_call *call;
	size_t n_calls;
	double knee[FOLD_KNEES_MOST];
	unsigned n_knees;
	struct weft_counter_model model[FOLD_MODELS_MOST];
	unsigned n_models;
	WEFT_VEC(struct fold_line_id) line; /* of a trace with addresses: line ids, from 1 */
	struct weft_map line_of;
	uint32_t function_type, line_type; /* of a .prv: where labels of functions and lines are */
};
/* 0, or the exit status after a message; then fini all the same. */
int fold_run(struct fold_run *r, const struct cli_common *common, const struct fold_how *how);
void fold_run_fini(struct fold_run *r);

/* Names of what folded stacks hold. file: "" when unknown. */
const char *fold_function_name(const struct fold_run *r, uint32_t function);
unsigned fold_line_place(const struct fold_run *r, uint32_t line, char *file, size_t n);
/* Of a model's component at a step; NAN: a counter is missing. */
double fold_model_value(const struct fold_run *r, const struct weft_counter_component *c, unsigned step);
/* Mean of a counter's rate between two places. */
double fold_rate_between(const struct fold_run *r, unsigned counter, double from, double to);

/* ---- files: 0 or the exit status after a message ---- */
int fold_write_csv(const struct fold_run *r, const char *prefix);
int fold_write_cube(const struct fold_run *r, const char *path);
int fold_write_picture(const struct fold_run *r, const char *path);
int fold_write_trace(const struct fold_run *r, const char *path); /* fold_trace.c: a .prv */
/* .html: with the sources that lie below the folder (NULL: the current one); .txt: for an editor; else CSV. fold_source.c */
int fold_write_lines(const struct fold_run *r, const char *path, const char *folder);

#endif
