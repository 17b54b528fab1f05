/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the OTF2 writer share.
 *
 *     export_otf2.c          the archive; regions, metrics, parameters, messages
 *     export_otf2_context.c  samples: with them in an archive, regions are calling contexts, too
 *     export_otf2_team.c     teams of threads, tasks, locks, threads made and waited for
 *     export_otf2_define.c   definitions, when all of it is known
 *
 * The trace is walked twice, as numbers of teams and the order in which a lock was taken are of all threads together.
 */
#ifndef WEFT_TRACE_EXPORT_OTF2_PRIV_H
#define WEFT_TRACE_EXPORT_OTF2_PRIV_H

#include "export_priv.h"
#include <otf2/otf2.h>

/* What a region is to a team, by its name. */
enum otf2_construct {
	OTF2_PLAIN,
	OTF2_FORKS, /* makes a team, on the thread that meets it */
	OTF2_BODY,  /* a thread's part in a team */
	OTF2_TASK,
	OTF2_HOLDS, /* has a lock, while it is open */
	OTF2_KEEPS  /* still has one, when another one of those below it has been released */
};

struct otf2_level {       /* of the thread that is being written: an open region or state */
	uint32_t region;  /* in the archive */
	uint32_t context; /* with samples */
	uint32_t comm;    /* of the team; OTF2_UNDEFINED_COMM: none */
	enum otf2_construct construct;
	bool is_state, has_task, has_lock;
	uint32_t task_thread, task_number; /* who made it, by its place in the team, and which of its */
};
struct otf2_lock {
	uint32_t lock, order;
	bool is_point; /* told by points: of pthreads; else by regions: of OpenMP */
};
struct otf2_late { /* what is written when it is seen that nothing belongs in front of it */
	uint64_t time;
	WEFT_VEC(struct otf2_lock) release; /* the innermost first */
	bool lowest_gone;
	bool enters; /* into the innermost level, which is a task */
};

/* Found before writing (export_otf2_team.c). */
struct otf2_taken {
	uint64_t time;
	uint32_t lock, index;
};
struct otf2_member {
	uint32_t team, thread;
};
struct otf2_comm { /* threads that were a team: members from..to */
	size_t from, to;
};
struct otf2_team {
	uint32_t asked, size, comm; /* comm: index in comms */
};
struct otf2_before {
	struct weft_map teams, locks; /* (process, number) -> index; (process, which) -> number */
	WEFT_VEC(struct otf2_team) team;
	WEFT_VEC(struct otf2_member) member;
	WEFT_VEC(struct otf2_comm) comm;
	WEFT_VEC(struct otf2_taken) taken;
	uint32_t *order; /* by index of taken: how often the lock had been taken before, and 1. Owned */
	uint32_t *maker; /* by process: its number among those whose threads were made, and 1; 0: none were. Owned */
	uint32_t n_locks, n_makers;
};

/* Calling contexts (export_otf2_context.c). */
struct otf2_context {
	uint32_t parent, region, place; /* place: source code location, or OTF2_UNDEFINED_SOURCE_CODE_LOCATION */
	uint32_t depth;
};
struct otf2_function {
	uint32_t name, file;
};
struct otf2_place {
	uint32_t file, line;
};
struct otf2_generator {
	bool is_wall;
	uint64_t period_ns;
};
struct otf2_contexts {
	bool wanted;
	struct weft_map children, functions, places; /* what they are -> their number */
	WEFT_VEC(struct otf2_context) context;
	WEFT_VEC(struct otf2_function) function; /* regions behind those of the trace */
	WEFT_VEC(struct otf2_place) place;
	WEFT_VEC(struct otf2_generator) generator;
	OTF2_AttributeList *attributes; /* owned */
	uint32_t now;                   /* of the thread: the context of its last event */
	uint64_t period_ns;             /* of the thread */
};

struct otf2 {
	struct export_sink sink;  /* first: callbacks get it */
	struct export_out failed; /* no file: whether something went wrong */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	OTF2_EvtWriter *events; /* of the location that is being written */
	uint64_t *n_events;     /* by thread. Owned */
	uint8_t *floating;      /* by metric: it has floating values. Owned */
	uint32_t *rank;         /* by process: its place among those that messages are sent among. Owned */
	uint64_t *locations;    /* by that place: its first thread. Owned */
	uint8_t *construct;     /* by region of the trace: enum otf2_construct. Owned */
	uint32_t n_ranks;
	struct weft_map strings; /* text's hash -> number */
	uint32_t n_strings;
	WEFT_VEC(struct otf2_level) level; /* of the thread, as what follows */
	WEFT_VEC(struct otf2_lock) held;
	struct otf2_late late;
	uint32_t n_taken; /* of all threads so far */
	struct otf2_before before;
	struct otf2_contexts contexts;
	/* Ids of definitions that have a meaning here; 0: the trace has none. */
	uint32_t attr_team, attr_asked, type_taken, type_released, type_period, flow_started, flow_ended, flow_task;
	char why[300]; /* what the library said first */
};

static inline struct otf2 *otf2_of(struct export_sink *s)
{
	return (struct otf2 *)s;
}
/* Keeps what went wrong first. */
void otf2_check(struct otf2 *w, OTF2_ErrorCode code);
uint32_t otf2_string(struct otf2 *w, const char *text);

/* ---- numbers of definitions: from 0, without gaps, in the order in which they are written; ids in a trace count from 1 ---- */

static inline uint32_t otf2_n_defs(const struct otf2 *w, enum weft_class c)
{
	return w->sink.t->def[c].n ? w->sink.t->def[c].n - 1 : 0;
}
/* Regions, states of a foreign trace, functions of samples. */
static inline uint32_t otf2_state_region(const struct otf2 *w, uint32_t state)
{
	return otf2_n_defs(w, WEFT_CLASS_REGION) + state - 1;
}
static inline uint32_t otf2_function_region(const struct otf2 *w, uint32_t function)
{
	return otf2_n_defs(w, WEFT_CLASS_REGION) + otf2_n_defs(w, WEFT_CLASS_STATE) + function;
}
/* Counters, then types of points. */
static inline uint32_t otf2_metric(const struct otf2 *w, enum weft_class c, uint32_t id)
{
	return c == WEFT_CLASS_COUNTER ? id - 1 : otf2_n_defs(w, WEFT_CLASS_COUNTER) + id - 1;
}
/* Attributes that are numbers, attributes that are texts, points that are texts: a parameter has one kind of value. */
static inline uint32_t otf2_parameter(const struct otf2 *w, unsigned kind, uint32_t id)
{
	uint32_t attrs = otf2_n_defs(w, WEFT_CLASS_ATTR);
	return kind == WEFT_EV_ATTR ? id - 1 : kind == WEFT_EV_ATTR_S ? attrs + id - 1 : 2 * attrs + id - 1;
}
/* Communicators of the trace, teams of threads, all threads of a process that made some. */
static inline uint32_t otf2_team_comm(const struct otf2 *w, uint32_t comm)
{
	return otf2_n_defs(w, WEFT_CLASS_COMM) + comm;
}
static inline uint32_t otf2_thread_comm(const struct otf2 *w, uint32_t process)
{
	return otf2_n_defs(w, WEFT_CLASS_COMM) + (uint32_t)w->before.comm.n + w->before.maker[process] - 1;
}

/* ---- regions as they are entered and left: export_otf2_context.c ---- */

void otf2_contexts_begin(struct otf2 *w);                     /* a thread begins */
void otf2_enter(struct otf2 *w, uint64_t time, size_t level); /* in those below it */
void otf2_leave(struct otf2 *w, uint64_t time, const struct otf2_level *l);
void otf2_sample(struct otf2 *w, const struct weft_event *e);
void otf2_contexts_fini(struct otf2 *w);

/* ---- teams, tasks, locks, threads: export_otf2_team.c ---- */

int otf2_look_before(struct otf2 *w) WEFT_MUST_CHECK; /* the first walk */
void otf2_settle(struct otf2 *w);                     /* writes what is late */
/* The same before such a region is left, which may be released at one instant with those above it. */
void otf2_settle_at(struct otf2 *w, uint64_t time, enum otf2_construct left);
/* A region that is entered; what one that is left (and no longer a level) ends, in front of and behind its leave. */
void otf2_team_push(struct otf2 *w, uint32_t thread, uint64_t time, uint32_t region);
void otf2_team_leaves(struct otf2 *w, uint64_t time, const struct otf2_level *l);
void otf2_team_left(struct otf2 *w, uint32_t thread, uint64_t time, const struct otf2_level *l);
void otf2_team_attr(struct otf2 *w, const struct weft_event *e);
void otf2_team_point(struct otf2 *w, const struct weft_event *e);
void otf2_team_flow(struct otf2 *w, const struct weft_event *e);
void otf2_before_fini(struct otf2 *w);

/* ---- export_otf2_define.c ---- */

void otf2_define(struct otf2 *w);

#endif
