/* SPDX-License-Identifier: Apache-2.0 */
/* A run with its factors of efficiency: one trace opened, measured, and closed again; what is kept does not grow with it. */
#ifndef WEFT_CLI_FACTOR_RUN_H
#define WEFT_CLI_FACTOR_RUN_H

#include "analyze/factor/factors.h"
#include "region_times.h"

enum { FACTOR_LABEL = 48 };

struct factor_run_how {
	const struct cli_common *common;
	const char *time;   /* as of --time; NULL: all */
	uint64_t window_ns; /* stretches as long as that; 0: none */
	const char *
		iterations; /* a region: stretches from one of its begins on the first thread that has it to the next; NULL: none */
	unsigned by;  /* enum factor_by: stretches that are found (PHASE, ITERATION without a region); 0: as the others say */
	bool ideal;   /* replay it on an ideal network, too */
	bool regions; /* also the time in each region */
};
struct factor_run {
	char name[96];               /* "4", "2x4": processes and threads of each; what a column is called */
	const char *path;            /* borrowed */
	double *edge;                /* of the stretches, in ns; n + 1 */
	char (*label)[FACTOR_LABEL]; /* what each is called, or NULL */
	uint32_t n;                  /* stretches; 1 where none are asked for: all */
	struct weft_factors *f;      /* of each */
	char no_ideal[300];          /* why there is no ideal run; "" */
	struct region_times regions;
};
/* 0 or the exit status, after a message; then fini all the same. t: open, and left so. */
int factor_run_of(struct factor_run *r, const struct weft_trace *t, const char *path, const struct factor_run_how *how);
/*
 * The factors of each stretch of r, whose edges are known; into `all`, unless it is NULL, those of all stretches, each times its weight, as if they were one. 0, or
 * the exit status after a message.
 */
int factor_measure(struct factor_run *r, const struct weft_space *s, const struct cli_common *c, const double *weight,
                   struct weft_factors *all);
/* Opens `path` for it. */
int factor_run_open(struct factor_run *r, const char *path, const struct factor_run_how *how);
void factor_run_fini(struct factor_run *r);

/* Several runs: by how many threads they have, smallest first (of equals as they were given), and each with a name of its own. */
int factor_runs_open(struct factor_run *run, uint32_t n, char *const *path, const struct factor_run_how *how);
void factor_runs_fini(struct factor_run *run, uint32_t n);

#endif
