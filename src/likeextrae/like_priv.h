/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. */
#ifndef WEFT_LIKEEXTRAE_PRIV_H
#define WEFT_LIKEEXTRAE_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "like.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"

/* ---- like_labels.c: what types and values are called ---- */

const char *extrae_type_label(uint32_t type); /* NULL: not one of Extrae's fixed types */
/* Calls for each value of the type, in order; stops at what is not 0. */
int extrae_each_value(uint32_t type, int (*call)(void *arg, int64_t value, const char *label), void *arg);
/* Of a call of MPI by its name: its type and value; false: Extrae does not know it. */
bool extrae_mpi_value(const char *name, uint32_t *type, int64_t *value);

/* ---- like_bursts.c: what is counted between bursts ---- */

enum { EXTRAE_STATISTICS = 24 };
struct like_statistics {
	bool mpi, openmp; /* there is something of it, not told yet */
	uint64_t value[EXTRAE_STATISTICS];
};
void extrae_statistic_take(struct like_statistics *s, const char *category, const char *name, uint64_t value);
/* Tells what there is, which is gone then; stops at what is not 0. */
int extrae_statistics_put(struct like_statistics *s, int (*put)(void *arg, uint32_t type, int64_t value), void *arg);

/* ---- like_rules.c: what a region becomes ---- */

enum extrae_kind {
	EXTRAE_NOTHING,
	EXTRAE_CALL,       /* value at its begin, 0 at its end */
	EXTRAE_FUNCTION,   /* a function's number at its begin, 0 at its end; its line in type + 100 */
	EXTRAE_LOCK_WAIT,  /* value at its begin; its end says nothing, as the lock is held then */
	EXTRAE_CHUNK,      /* the dispatcher is left at its begin, and asked at its end */
	EXTRAE_BURSTS,     /* a runtime between bursts of computation: statistics, where the burst behind it ends */
	EXTRAE_DISPATCHED, /* a call whose begin and end are also those of asking the dispatcher */
};
/* The newer vocabulary: values at a region's begin, 0 at its end; and functions. */
enum { EXTRAE_OTHERS = 3, EXTRAE_OTHER_OUTLINED = 60012, EXTRAE_OTHER_TASK = 60018 };
struct extrae_other {
	uint32_t type;
	int32_t value;
	bool goes_on;
};
enum { EXTRAE_AS_BEFORE = UINT32_MAX }; /* a state: that of what is around it */
struct extrae_rule {
	enum extrae_kind kind;
	uint32_t type;
	int64_t value;
	uint32_t state;
	bool collective; /* of MPI */
	uint8_t n_other;
	uint32_t other_function; /* type of its name, or 0; that of its line is the next */
	struct extrae_other other[EXTRAE_OTHERS];
};
struct extrae_rule extrae_rule_of(const struct weft_trace *t, uint32_t region);
void extrae_openmp_rule(struct extrae_rule *r, const char *name); /* adds the newer vocabulary (like_openmp.c) */
/* A point of a type of ours: 0, or Extrae's type and what the value is. */
uint32_t extrae_memory_call(const char *name); /* of malloc() and its like: the value in 40000040; 0: none */

/* ---- the making ---- */

/* One of OpenMP's; begin and end of its run. */
struct like_task {
	uint32_t region, thread;
	uint64_t begin, end;
};
struct like_depends {
	uint32_t process;
	uint64_t from, to; /* numbers of tasks */
};
struct like {
	const struct weft_trace *from;
	struct weft_symbols *symbols;
	const struct weft_extrae_how *how;
	struct weft_builder *b;
	uint32_t *thread_of;      /* by thread: its number in what is made; WEFT_NONE: left out. Owned */
	uint32_t *task_of_rank;   /* owned */
	uint32_t *first_rank;     /* by application: where its ranks begin in task_of_rank; one more at the end. Owned */
	uint32_t n_ranks;         /* in all */
	uint32_t n_apps;          /* that are made */
	uint64_t to;              /* the end of what is translated */
	uint32_t *task_of;        /* by process. Owned */
	uint32_t *comm_of;        /* by communicator: its number. Owned */
	struct extrae_rule *rule; /* by region. Owned */
	struct weft_map type;     /* Extrae's number -> definition */
	struct weft_map function; /* table and label, hashed -> value; and whether a type has the label */
	struct weft_map count;    /* table -> labels in it */
	struct weft_map counter;  /* number -> name's hash, of those that are numbered by it */
	uint32_t state[64];       /* by Paraver's number: definition, or 0 */
	WEFT_VEC(struct like_task) task;
	WEFT_VEC(struct like_depends) depends;
	struct weft_map task_at; /* process and number, hashed -> place in `task` */
	bool bursts;             /* in place of calls of MPI */
	uint32_t task_flow;      /* the flow from a task's making to its run; 0: there is none */
	uint64_t *send;          /* by message: its number in what is made + 1. Owned */
};

/* A counter's number: 42000050 for PAPI_TOT_INS; 0: no memory (like_counters.c). */
uint32_t extrae_counter(struct like *l, const char *name);
int extrae_objects(struct like *l) WEFT_MUST_CHECK;                               /* like_objects.c */
int extrae_messages(struct like *l) WEFT_MUST_CHECK;                              /* messages, behind all threads */
int extrae_tasks(struct like *l) WEFT_MUST_CHECK;                                 /* like_tasks.c; behind objects */
int extrae_dependencies(struct like *l) WEFT_MUST_CHECK;                          /* likewise, behind all threads */
uint32_t extrae_task_of(const struct like *l, uint32_t process, uint64_t number); /* in `task`, or WEFT_NONE */
int extrae_events(struct like *l, uint32_t thread) WEFT_MUST_CHECK;               /* like_events.c */

/* like.c: definitions, made when first used. Their numbers, or negative. */
int64_t extrae_type(struct like *l, uint32_t number, const char *label_or_null);
int64_t extrae_state(struct like *l, uint32_t number);
/* A function's number in the label tables of these types, and a line's; or negative. */
int64_t extrae_function_value(struct like *l, uint32_t type, uint32_t function);
int64_t extrae_line_value(struct like *l, uint32_t type, const struct weft_frame *frame);
int64_t extrae_text_value(struct like *l, uint32_t type, const char *text);

#endif
