/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance models at work: what StarPU's struct starpu_perfmodel means to the runtime.
 *
 * A model is loaded when the first task that has it is submitted, asked by policies, fed after tasks ran, and saved at the end.
 * Inside `struct starpu_perfmodel` our own state hangs: for each combination of devices and each implementation one public
 * struct starpu_perfmodel_per_arch, made when it is first needed, and a table from footprint to entry beside its list.
 *
 *     model->state ─> slot[comb][impl] ─> per_arch { list of entries, history (the table), regression }
 *
 * One read-write lock a model guards its tables; combinations have one of their own, and are never taken back while running.
 */
#ifndef WEFT_RUNTIME_PERF_H
#define WEFT_RUNTIME_PERF_H

#include "base/err.h"
#include "models/model.h"
#include "runtime/task/machine.h"
#include <pthread.h>
#include <starpu.h>
#include <stdbool.h>

enum { PERF_COMBS = 128 };

struct _starpu_perfmodel_state {
	pthread_rwlock_t lock;
	struct starpu_perfmodel *model;
	struct _starpu_perfmodel_state *next; /* of all that were loaded */
	bool enlisted, symbol_owned, changed;
	bool rows_begun; /* in this run, after STARPU_CALIBRATE=2: what the file of rows had is forgotten */
	struct starpu_perfmodel_per_arch *slot[PERF_COMBS][STARPU_MAXIMPLEMENTATIONS];
};

/* -- for the life cycle -- */
extern const struct rt_layer
	rt_layer_perf; /* reads the environment; at its end fits what is fitted then, and saves what changed */

/* -- for tasks -- */
/* Before a task with this model is scheduled. Loads it once. */
void rt_perf_want_slow(struct starpu_perfmodel *m);
static inline void rt_perf_want(struct starpu_perfmodel *m)
{
	if (m && !__atomic_load_n(&m->is_loaded, __ATOMIC_ACQUIRE))
		rt_perf_want_slow(m);
}
/* A task ran on this worker for so many microseconds. */
void rt_perf_ran(struct starpu_task *task, unsigned worker, unsigned impl, double us);

/* For machines that are simulated: the ways between memory nodes until the end of this runtime; nothing is measured. */
struct weft_bus;
void rt_perf_bus_is(const struct weft_bus *of_another);
/* perf_knows.c: whether the model has measurements of an implementation on a kind of device, or, for STARPU_ANY_WORKER, any at all. */
bool rt_perf_knows(struct starpu_perfmodel *m, enum starpu_worker_archtype type, unsigned impl);

/* Whether models learn from now on; 2 is as 1 here: what is known stays. */
void rt_perf_calibrate(int calibrate);
int rt_perf_calibrates(void);

/* -- inside perf -- */
struct perf_conf {
	int calibrate;      /* 0, 1, 2: forget what was known */
	uint32_t minimum;   /* samples before a mean counts */
	double max_percent; /* how far a sample may be from the mean */
	bool homogeneous[STARPU_NARCH];
	bool silent;
};
extern struct perf_conf perf_conf;

/* A line on stderr, as StarPU says it, unless STARPU_SILENT. */
void perf_say(const char *fmt, ...) WEFT_PRINTF(1, 2);

/* perf_arch.c */
int perf_comb_of(const struct starpu_perfmodel_arch *arch, bool make); /* -1: not known (or no more room) */
const struct starpu_perfmodel_arch *perf_comb(int comb);
struct starpu_perfmodel_arch *perf_worker_arch(unsigned worker);
void perf_archs_fini(void);

/* perf_path.c */
bool perf_path_of_codelet(char *at, size_t n, const char *symbol); /* where it is written */
bool perf_find_codelet(char *at, size_t n, const char *symbol);    /* where it is read from; false: nowhere */
void perf_host_name(char *at, size_t n);                           /* as in file names: of this machine, or STARPU_HOSTNAME */
void perf_path_of_bus(char *at, size_t n);                         /* the files' common prefix */
void perf_path_of_folder(char *at, size_t n, const char *kind);    /* "codelets/45", "debug", "bus", "codelets/tmp" */

/* perf_table.c: entries of a per_arch */
struct starpu_perfmodel_history_entry *perf_entry(const struct starpu_perfmodel_per_arch *p, uint32_t footprint);
struct starpu_perfmodel_history_entry *perf_entry_add(struct starpu_perfmodel_per_arch *p,
                                                      uint32_t footprint); /* NULL: no memory */
/* For multiple regressions: one more row, not in the table. */
struct starpu_perfmodel_history_entry *perf_row_add(struct starpu_perfmodel_per_arch *p);
struct starpu_perfmodel_per_arch *perf_slot(struct starpu_perfmodel *m, const struct starpu_perfmodel_arch *arch, unsigned impl,
                                            bool make);
void perf_slot_free(struct starpu_perfmodel_per_arch *p);

/* perf_file.c */
/* A file that is no model is said in one line, and renamed: the program begins anew, and nothing is lost. */
void perf_set_aside(const char *path, const struct weft_err *err);
int perf_load(struct starpu_perfmodel *m, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
int perf_save(struct starpu_perfmodel *m, struct weft_err *err) WEFT_MUST_CHECK;

/* The model as its file has it, without anything fitted anew. Combinations keep their numbers. */
int perf_copy(struct starpu_perfmodel *m, struct weft_model *file) WEFT_MUST_CHECK;

/* perf_rows.c: multiple regressions */
/* Adds what this run measured to SYMBOL.out, and finds the coefficients from all of it. */
int perf_rows_save(struct starpu_perfmodel *m) WEFT_MUST_CHECK;

/* perf_task.c */
size_t perf_size_of(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl);
double perf_expected(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl);

/* perf_bus.c */
void perf_bus_begin(const struct starpu_conf *conf);
void perf_bus_started(void); /* measures now, when that was asked for */
void perf_bus_end(void);

#endif
