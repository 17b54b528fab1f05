/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics: functions of time over the objects of a trace, and their evaluation.
 *
 *   thread function ─ compose ─ level ─ compose ─ … ─ compose of the metric's level ─ top compose 2 ─ 1 ─ extra…
 *   derived: operation(a · parent 1, b · parent 2) ─ compose ─ level ─ …
 *
 * A row (one object of the metric's level) is a sequence of intervals without gaps; it is pulled in
 * blocks:
 *
 *     struct weft_row *r;
 *     struct weft_intervals *b = …;
 *     weft_row_open(&r, space, metric, row, from, to);
 *     while ((rc = weft_row_next(r, b)) > 0)
 *         …                         b->begin, then b->end[i], b->value[i]
 *     weft_row_close(r);
 *
 * Times are in the trace's own units (ns for our traces, ns, us or ms for a .prv), as doubles: what
 * is computed must not depend on how the units were turned.
 */
#ifndef WEFT_METRIC_METRIC_H
#define WEFT_METRIC_METRIC_H

#include "trace/store/trace.h"

enum weft_level { WEFT_WORKLOAD, WEFT_APPL, WEFT_TASK, WEFT_THREAD, WEFT_SYSTEM, WEFT_NODE, WEFT_CPU, WEFT_LEVELS };
enum weft_unit { WEFT_NS, WEFT_US, WEFT_MS, WEFT_SECONDS, WEFT_MINUTES, WEFT_HOURS, WEFT_DAYS, WEFT_UNITS };

/* ---- functions ---- */

enum weft_func_kind { WEFT_FUNC_THREAD, WEFT_FUNC_CPU, WEFT_FUNC_LEVEL, WEFT_FUNC_COMPOSE, WEFT_FUNC_DERIVED, WEFT_FUNC_KINDS };
enum { WEFT_PARAMS = 2 };
struct weft_param_row {
	const char *name; /* NULL: none */
	double value;     /* when nothing is said */
};
/* What all functions have in common; the rest is known to their kind only. */
struct weft_func {
	const char *name;
	struct weft_param_row param[WEFT_PARAMS];
	bool from_begin; /* its state begins at time 0, wherever the window does */
};
const struct weft_func *weft_func_find(enum weft_func_kind k, const char *name);
/*
 * Of threads of a trace that is no .prv: the number of the innermost region, 0 outside of all; and
 * a half more where the thread computes. WEFT_REGION_AWAY where it is not. For pictures; it has no
 * name in views.
 */
const struct weft_func *weft_func_innermost_region(void);
#define WEFT_REGION_AWAY (-1.0)
const struct weft_func *weft_func_at(enum weft_func_kind k, unsigned i); /* NULL behind the last */

struct weft_list {
	const double *at; /* borrowed: from the view's arena */
	uint32_t n;
};
struct weft_call {
	const struct weft_func *func;
	struct weft_list param[WEFT_PARAMS]; /* n 0: the default */
};

/* ---- filter ---- */

enum weft_test_kind {
	WEFT_TEST_ALL,
	WEFT_TEST_NONE,
	WEFT_TEST_EQ,
	WEFT_TEST_NE,
	WEFT_TEST_GT,
	WEFT_TEST_LT,
	WEFT_TEST_RANGE,
	WEFT_TEST_KINDS
};
extern const char *const weft_test_names[WEFT_TEST_KINDS];
enum weft_filter_of {
	WEFT_OF_FROM,
	WEFT_OF_TO,
	WEFT_OF_TAG,
	WEFT_OF_SIZE,
	WEFT_OF_BANDWIDTH,
	WEFT_OF_TYPE,
	WEFT_OF_VALUE,
	WEFT_FILTERS
};
struct weft_test {
	enum weft_test_kind kind;
	struct weft_list list;
};
bool weft_test_passes(const struct weft_test *t, double v);
struct weft_record_filter {
	bool logical, physical, intra, inter;
	bool or_from_to, or_tag_size, or_type_value; /* or between the two neighbours instead of and */
	struct weft_test test[WEFT_FILTERS];
};

/* ---- metrics ---- */

struct weft_metric {
	const char *name;
	enum weft_level level;
	enum weft_unit unit;
	/*
	 * [WEFT_THREAD] is the thread function, [WEFT_CPU] the cpu function, the others level
	 * functions.
	 */
	struct weft_call of_level[WEFT_LEVELS], compose[WEFT_LEVELS];
	struct weft_call top[2]; /* top compose 1 and 2 */
	const struct weft_call *extra;
	uint32_t n_extra;
	struct weft_record_filter filter;
	const struct weft_metric *parent[2]; /* derived metrics only */
	double factor[2];
	int32_t shift[2];
	struct weft_call operation;
};
/* Everything at its default: Adding, Active Thd, As Is, all records; no thread function. */
void weft_metric_init(struct weft_metric *m);

/*
 * The level at which a derived metric combines its parents: the finer of theirs. A single metric's
 * is thread or cpu.
 */
enum weft_level weft_metric_base(const struct weft_metric *m);
/* May the two meet in one row: are both of the process model, or both of the resource model? */
bool weft_level_fits(enum weft_level a, enum weft_level b);
static inline bool weft_level_of_resources(enum weft_level l)
{
	return l >= WEFT_SYSTEM;
}

/* ---- what is the same for all metrics of a trace ---- */

struct weft_message_cpus; /* private: on which cpus messages were sent and received */
struct metric_schema;     /* private: how Paraver's functions see a trace that is not a .prv */
struct weft_space {
	const struct weft_trace *trace; /* what metrics see: its objects, types and states; its columns only through a metric */
	struct metric_schema *schema;   /* owned; NULL: the trace is a .prv, and seen as it is */
	uint64_t unit_ns;               /* of the trace's own times */
	enum weft_unit unit;
	double end;                         /* in those */
	bool own_threads;                   /* those of Weft itself are rows, too */
	bool fill_gaps;                     /* the end of a state begins an interval of value 0 */
	bool by_physical_send;              /* messages stand in the file at their physical sends, not at the logical ones */
	uint32_t *type;                     /* by id of a type: its number for filters */
	double *scale;                      /* by id of a type: what its values are multiplied by */
	uint32_t *state;                    /* by id of a state: its number */
	uint32_t *appl_of;                  /* by thread */
	uint32_t *node_of;                  /* by thread, WEFT_NONE: unknown */
	uint32_t *node_thread, *node_first; /* threads by node, in their order: node_thread[node_first[n] … node_first[n + 1]) */
	struct weft_message_cpus *message_cpus; /* made when a metric asks for them */
};
/*
 * Borrows t; then fini all the same. Of a trace that is not a .prv, `trace` has the same objects (a
 * process without threads gets one), and the types and states that `weft convert --to prv` makes.
 */
int weft_space_init(struct weft_space *s, const struct weft_trace *t) WEFT_MUST_CHECK;
/*
 * The same, also with Weft's own threads in the program (weft_thread_row.own), which
 * weft_space_init leaves out.
 */
int weft_space_init_whole(struct weft_space *s, const struct weft_trace *t) WEFT_MUST_CHECK;
void weft_space_fini(struct weft_space *s);

/* weft_thread_is_bystander of a row of threads: `trace` has others' numbers than what it was made of. */
bool weft_space_is_bystander(const struct weft_space *s, uint32_t thread);

/* How many objects the level has; 0 when the trace has no such level. */
uint32_t weft_level_size(const struct weft_space *s, enum weft_level l);
/* The object of level `to` that the object of level `from` is in. */
uint32_t weft_level_up(const struct weft_space *s, enum weft_level from, uint32_t object, enum weft_level to);
/* The objects of `to` in an object of the coarser level `from`: [*first, *first + *n). */
void weft_level_down(const struct weft_space *s, enum weft_level from, uint32_t object, enum weft_level to, uint32_t *first,
                     uint32_t *n);

double weft_unit_convert(double time, enum weft_unit from, enum weft_unit to);

/* ---- rows ---- */

enum { WEFT_INTERVALS = 1024 };
struct weft_intervals {
	uint32_t n;
	double begin; /* of the first; each next one begins where its neighbour ends */
	double end[WEFT_INTERVALS], value[WEFT_INTERVALS];
};
struct weft_row;
/*
 * The intervals from the one that contains `from` (whose end is behind it) to the first that ends
 * at `to` or later, or at the trace's end; whole ones, also at both ends. Rows are independent of
 * each other: different threads may evaluate different ones.
 */
int weft_row_open(struct weft_row **out, const struct weft_space *s, const struct weft_metric *m, uint32_t row, double from,
                  double to) WEFT_MUST_CHECK;
int weft_row_next(struct weft_row *r, struct weft_intervals *b) WEFT_MUST_CHECK; /* 1, 0 at the end, negative */
void weft_row_close(struct weft_row *r);                                         /* NULL is fine */

/* ---- what is drawn over a picture ---- */

/* A message as a line between two threads, in the trace's units; it may end before it begins. */
struct weft_message_line {
	uint32_t from, to;
	double begin, end;
	bool physical;
};
/*
 * What message i is through the metric's filter, by logical times, physical ones, or both: how many
 * lines. Not of level cpu.
 */
unsigned weft_message_lines(const struct weft_space *s, const struct weft_metric *of, uint64_t i,
                            struct weft_message_line out[2]);
/* The single metric that a derived one begins with; a single one itself. */
const struct weft_metric *weft_metric_first(const struct weft_metric *m);
/*
 * A metric of threads whose intervals end where an event is that passes the filter of the single
 * metric `of`.
 */
void weft_metric_of_events(struct weft_metric *m, const struct weft_metric *of);

#endif
