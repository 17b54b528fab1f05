/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The panels of a run of tasks: everything that they show as numbers, computed once, for pictures and tables alike. Bounds and outliers are of
 * the whole program, the rest of the range of time that is shown.
 */
#ifndef WEFT_CLI_PANELS_H
#define WEFT_CLI_PANELS_H

#include "base/vec.h"
#include "charts/gantt.h"
#include "charts/task_fields.h"
#include "cli/common/cli.h"

enum { PANELS_KINDS = 8, PANELS_NO_TYPE = 0x7fffffff };

/* Tasks that should take the same time: of one performance model (else codelet) and footprint. */
struct panels_type {
	const char *name;
	uint32_t footprint;
	bool has_footprint;
	uint64_t n[PANELS_KINDS], ns[PANELS_KINDS]; /* that were done, by kind of worker */
};
struct panels_outlier {
	uint32_t task;
	double expected, limit; /* ns: the median of its like, and what is too long */
};
struct panels_iteration { /* of equal values of what --by says */
	int64_t value;
	uint32_t n;                        /* tasks; those that never ran have no start */
	uint64_t submit, start, end, work; /* first submission, first start, last end; WEFT_NEVER, WEFT_NEVER, 0: none */
};
struct panels_codelet {
	const char *name;
	uint32_t region;
	unsigned kind;
	uint64_t n, outliers, total, least, most; /* ns */
};
struct panels_curve { /* transfers over a link */
	char label[80];
	double *value, most;
	uint64_t bytes, copies, ns; /* of the whole program; ns: the copies' lengths together */
};

enum panels_outlier_rule { PANELS_BY_FOOTPRINT, PANELS_BY_FLOPS, PANELS_NO_OUTLIERS };
struct panels_how {
	const char *range;           /* of --time; NULL: all */
	const struct task_field *by; /* of iterations */
	enum panels_outlier_rule outliers;
	const char *chain; /* number of a task, "last", "none" */
	unsigned width;    /* pixels, or parts of a table of curves */
};

struct panels {
	const struct panels_how *how; /* borrowed */
	struct task_view view;
	struct gantt g;       /* rows and curves over the range */
	uint64_t first, last; /* the whole program: first submission, last end */
	unsigned n_kinds;
	char kind[PANELS_KINDS][32];
	uint32_t workers[PANELS_KINDS];
	uint8_t *kind_of; /* by worker */
	WEFT_VEC(struct panels_type) type;
	uint32_t *type_of;   /* by task; PANELS_NO_TYPE: not done */
	uint64_t area, path; /* ns; path only where dependencies were recorded */
	bool has_path;
	WEFT_VEC(struct panels_outlier) outlier; /* in the order of their starts */
	WEFT_VEC(uint32_t) chain;                /* tasks, the first one first */
	WEFT_VEC(struct panels_iteration) iteration;
	uint32_t *iteration_of;                  /* by task: index; PANELS_NO_TYPE: none */
	WEFT_VEC(struct panels_codelet) codelet; /* by total */
	WEFT_VEC(struct panels_curve) link;
};

/* 0 or the exit status, after a message; then panels_fini in any case. */
int panels_init(struct panels *p, const struct weft_trace *t, const struct panels_how *how, const struct weft_command *cmd);
void panels_fini(struct panels *p);

/* Of panels_init(): each 0 or negative. */
int panels_types(struct panels *p) WEFT_MUST_CHECK;
int panels_area(struct panels *p) WEFT_MUST_CHECK;
int panels_path(struct panels *p) WEFT_MUST_CHECK;
int panels_outliers(struct panels *p) WEFT_MUST_CHECK;
int panels_iterations(struct panels *p) WEFT_MUST_CHECK;
int panels_codelets(struct panels *p) WEFT_MUST_CHECK;
int panels_links(struct panels *p) WEFT_MUST_CHECK;

static inline bool panels_done(const struct panels *p, uint32_t task)
{
	const struct weft_tasks_task *t = &p->view.tasks.task[task];
	return t->start != WEFT_NEVER && t->end != WEFT_NEVER && t->end >= t->start && t->worker < p->view.tasks.n_workers;
}
static inline uint64_t panels_duration(const struct panels *p, uint32_t task)
{
	return p->view.tasks.task[task].end - p->view.tasks.task[task].start;
}
/* Share of the range, in percent, in which the worker of a row was in no task. */
double panels_idle(const struct panels *p, const struct gantt_row *row);

/* ---- what is made of it ---- */

extern const char *const panels_tables[]; /* names of tables */
extern const unsigned n_panels_tables;
int panels_table(const struct panels *p, unsigned table, struct weft_table *out) WEFT_MUST_CHECK; /* then weft_table_fini */

/* Panels by bit, in the order in which they stand. */
struct panels_panel {
	const char *name, *about;
	bool usual;
};
extern const struct panels_panel panels_list[];
enum { PANELS_MOST = 11 };
struct panels_look {
	const char *title; /* NULL: the trace's name */
	unsigned panels;   /* bits */
};
unsigned panels_plot_width(unsigned picture);

struct weft_buf;
int panels_draw(const struct panels *p, const struct panels_look *look, struct weft_buf *out, bool png) WEFT_MUST_CHECK;
int panels_page(const struct panels *p, const struct panels_look *look, struct weft_buf *out) WEFT_MUST_CHECK;

#endif
