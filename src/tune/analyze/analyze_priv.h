/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the analyzer share.
 *
 *     analyze.c         connections, the loop, the end
 *     analyze_order.c   events wait a little, so that those of all processes are in order
 *     analyze_hold.c    processes that wait until it is known whether the former program has ended
 *     analyze_process.c    processes: which actors they are, what is wanted of them
 *     analyze_worker.c  workers of the task runtime in processes, as actors
 *     analyze_decide.c  what the evaluation says; the arbiter; actions there and back
 *     analyze_fault.c   faults in what a specification computes
 *     analyze_self.c    the analyzer and its collectors, as processes of the tunlet that chooses their number
 *     analyze_split.c   the first collector, where the run began without one
 *     analyze_sink.c    what is kept of it in a trace
 *     analyze_replay.c  events from a trace instead of controllers
 *     analyze_show.c, analyze_report.c
 *
 * One thread. The number of an event towards controllers is tunlet << 16 | event; with
 * EVENT_ENTERS, of the function that makes an actor.
 */
#ifndef WEFT_TUNE_ANALYZE_PRIV_H
#define WEFT_TUNE_ANALYZE_PRIV_H

#include "analyze.h"
#include "tune/arbiter/arbiter.h"
#include "base/map.h"
#include "base/vec.h"
#include "tune/wire/channel.h"
#include "tune/collect/collect.h"
#include "tune/eval/eval.h"
#include "tune/lang/spec_model.h"
#include <sys/types.h>

enum { EVAL_WHY_BYTES = 256 };
enum { ACTOR_OPEN = -1, ACTOR_NONE = -2, EVENT_ENTERS = 0x8000, ANALYZE_CONTROLLERS = 64, ANALYZE_SELF = ANALYZE_CONTROLLERS };

/* A queued event: the message without its unused values. */
struct pending {
	uint64_t time, sequence; /* the order in which they leave */
	unsigned controller;
	struct message *m; /* owned, with its texts behind it */
};

struct analyze_binding {                    /* a process's part in a tunlet */
	int actor;                          /* or ACTOR_OPEN, ACTOR_NONE */
	uint64_t candidates;                /* actors that it may be, a bit each */
	WEFT_VEC(struct message *) waiting; /* events that arrived before the actor was known */
	struct collect_heard heard;         /* the last iteration of its events that were evaluated */
	uint32_t workers;                   /* of the task runtime in it, that the tunlet knows as actors */
};

struct analyze_process {
	uint64_t process, began, ended;
	uint32_t number; /* its place in the run's list, from 1 */
	unsigned controller;
	uint32_t pid;
	int64_t id, rank;
	char *host, *exe;
	bool alive, known; /* known: it is an actor of some tunlet, or may be */
	struct analyze_binding binding[ANALYZE_TUNLETS];
	struct message_cost cost;
	uint64_t events, lost, seen; /* seen: it was alive then */
};

struct analyze;

struct analyze_fault {
	uint32_t code; /* SPEC_NONE: unknown */
	enum tune_fault kind;
	int64_t iteration; /* the first one */
	uint64_t count;
};

struct analyze_tunlet {
	struct analyze *a;
	unsigned index;
	struct weft_spec *s;
	struct weft_eval *e;
	double per_unit;                  /* ns of one unit of its times */
	unsigned arbiter_id, first_point; /* towards the arbiter */
	bool *asked;                      /* of each event that can be added or removed: whether it is wanted now; owned */
	uint64_t evaluated, incomplete, late, faults, restarts;
	uint64_t lost, estimated;             /* of those incomplete, and evaluated: with events that were lost */
	WEFT_VEC(struct analyze_fault) fault; /* by place and kind */
	char why[EVAL_WHY_BYTES];             /* an iteration was not decided upon last */
	double *values;                       /* of the last evaluation; owned */
	uint32_t n_values;
	/* Events that are evaluated next, together, and the texts in them. */
	WEFT_VEC(struct weft_eval_record) batch;
	WEFT_VEC(char *) batch_text;
	bool says_passes;       /* the user was told that collectors do not fold */
	WEFT_VEC(int64_t) asks; /* iterations about which collectors were asked, and which are not closed */
};

/* One ACT to one process. */
struct analyze_action {
	uint32_t number, tunlet, point;
	int64_t iteration;
	size_t process; /* index */
	bool is_text, answered, undone;
	int rc;
	struct message_value value, old; /* texts owned */
	uint64_t decided, sent, acted, took_ns, answered_ns;
	uint32_t arbiter; /* id of the verdict */
	char *text;       /* owned; why not */
};

struct analyze_iteration {
	uint32_t tunlet;
	int64_t number;
	uint64_t time; /* when it was evaluated */
	bool has_steps;
	struct weft_steps steps;
	uint64_t decided_ns; /* the actions that follow from it were sent, if any; 0: not yet */
	char *why;           /* incomplete: owned; NULL: evaluated */
	double *value;       /* owned */
	uint32_t n;
};

struct analyze_decision { /* a decision of one evaluation, not judged yet */
	uint32_t tunlet, point;
	int64_t iteration, process;
	bool is_text;
	double number;
	char *text; /* owned */
};

/* The state of a controller's connection that leads to a collector. */
struct analyze_fold {
	bool collector, ended;
	bool over;             /* its fold is too long: its connection is closed */
	uint64_t last;         /* time of what has come from it to wait its turn */
	struct weft_buf bytes; /* of a fold that comes in pieces */
};

/* Time on processors that a process has used so far. */
struct analyze_used {
	uint64_t cpu_ns, delay_ns; /* delay_ns: that it could run, but was not let */
};

/* A collector by its last loads: the newest, and that of the interval before. */
struct analyze_collector {
	unsigned controller; /* by which it is reached */
	uint64_t process;
	uint32_t number, of, wanted;
	struct message_load now, before; /* without the host */
	bool sampled;                    /* there was an interval between these */
	double rate, busy;               /* in that one: events a second; share of a processor, of what it could have */
};

/*
 * The analyzer and its collectors as processes of tunlets, which belong to the controller
 * ANALYZE_SELF.
 */
struct analyze_self {
	bool begun;
	WEFT_VEC(struct analyze_collector) collector;
	WEFT_VEC(struct analyze_collector) middle; /* collectors between the first one and the others, begun by `first` */
	int64_t interval;
	uint64_t time, events;                /* of the interval before */
	struct analyze_used used;             /* then */
	uint64_t heads;                       /* collectors that the run began with and that have sent a load: a bit each */
	uint32_t first, between;              /* the number of the first one, and how many stand between it and those of hosts */
	WEFT_VEC(struct message_acted) acted; /* actions that are to be acknowledged */
	pid_t split;                          /* the collector that was put between: analyze_split.c; 0: none was */
	unsigned busy;                        /* for how many intervals in a row, before that */
};

/*
 * A process that has ended, whose end a tunlet's evaluation does not know yet: earlier events of
 * other processes may still be on their way.
 */
struct analyze_ending {
	size_t process; /* index */
	uint32_t tunlet;
	uint64_t until;
};

/* A process that is announced and waits for its predecessor's end. */
struct analyze_held {
	struct message *m; /* owned */
	unsigned controller;
	uint64_t asked; /* the process that is to show whether it is alive; 0: none yet */
	uint64_t over;  /* since when no process before it is alive (monotonic); 0: one is */
};

struct analyze {
	struct analyze_how how;
	struct analyze_tunlet tunlet[ANALYZE_TUNLETS];
	struct channel controller[ANALYZE_CONTROLLERS];
	unsigned n_controllers;
	struct analyze_fold fold[ANALYZE_CONTROLLERS + 1];
	struct analyze_self self;
	uint64_t folds;
	WEFT_VEC(struct analyze_process *) process;
	WEFT_VEC(struct analyze_held) held;
	WEFT_VEC(struct analyze_ending) endings;
	struct weft_map process_at;     /* number -> place in `process` */
	struct weft_map alive_at;       /* number of its host's controller << 32 | pid -> place there, of those that are alive */
	struct weft_map id_at;          /* id -> likewise, of those that are known, too, and are no collectors */
	WEFT_VEC(struct pending) queue; /* a heap */
	uint64_t sequence, last_now;    /* last_now: what the clock said when it was looked at last */
	struct weft_arbiter *arbiter;
	WEFT_VEC(struct analyze_decision) decision;
	WEFT_VEC(struct analyze_action) action;
	WEFT_VEC(struct analyze_iteration) iteration;
	size_t n_judged;          /* iterations whose decisions were judged */
	WEFT_VEC(char *) refused; /* lines for the report: what could not be measured, owned */
	uint32_t actions;
	uint64_t began, began_mono; /* of the run, on the two clocks */
	uint64_t events, wants, inserted, insert_ns, eval_ns;
	uint64_t controller_cpu_ns, controller_rss;
	struct analyze_end end;
	bool ended, lost;    /* lost: `weft tune` itself is gone */
	struct weft_err err; /* the first failure of ours */
	struct show *show;
	uint64_t virtual_now; /* of a replay; else 0 */
};

/* -- analyze_order.c -- */
int order_put(struct analyze *a, unsigned controller, const struct message *m) WEFT_MUST_CHECK;
int order_put_owned(struct analyze *a, unsigned controller, uint64_t time, struct message *m) WEFT_MUST_CHECK;
bool order_next(struct analyze *a, bool all, struct message **out, unsigned *controller); /* *out: the caller's, to be freed */
int order_wait_ms(const struct analyze *a);            /* until the next one leaves; -1: none waits */
struct message *message_copy(const struct message *m); /* in one piece, with its texts; NULL: no memory */

/* -- analyze_hold.c -- */
int hold_process(struct analyze *a, unsigned controller, struct message *m) WEFT_MUST_CHECK; /* m: taken over */
void hold_look(struct analyze *a); /* begins the held processes that may begin */
void hold_seen(struct analyze *a, struct analyze_process *t, const struct message_cost *m); /* it was alive at that time */
void hold_gone(struct analyze *a, uint64_t process); /* call it before the end of a process that may be held */
void hold_lose(struct analyze *a, unsigned controller);
void hold_here(struct analyze *a, uint64_t process, unsigned controller);
void hold_free(struct analyze *a);

/* -- analyze_fold.c: collectors -- */
void fold_hello(struct analyze *a, unsigned controller, const struct message_hello *m);
void fold_lose(struct analyze *a, unsigned controller);
void fold_bind(struct analyze *a, const struct analyze_process *t, uint32_t tunlet);
void fold_heard(struct analyze *a, unsigned controller, const struct message_folded *m);
void fold_due(struct analyze *a, unsigned controller, const struct message_folded *m);
void fold_result(struct analyze_tunlet *k, const struct weft_eval_result *w);
void fold_lost(struct analyze *a, unsigned controller, const struct message *m);
void fold_here(struct analyze *a, unsigned controller, const struct message_here *m);
void fold_ended(struct analyze *a, unsigned controller);
bool fold_folds(const struct analyze *a, uint32_t tunlet); /* collectors fold its events */
bool fold_all_ended(const struct analyze *a);
bool fold_waits(const struct analyze *a);

/* -- analyze_self.c -- */
bool self_may_be(const struct spec_actor *c, unsigned controller, const char *exe, bool *may); /* false: others decide */
void self_heard(struct analyze *a, unsigned controller, const struct message_load *m);
void self_told(struct analyze *a, const struct message *m); /* by the analyzer, as a controller is */
void self_look(struct analyze *a);
unsigned self_heads(const struct analyze *a); /* how many of the run's first collectors can work */
void self_lose(struct analyze *a, unsigned controller);
/*
 * The share of the time that it could have had in which it was busy. Time in which it waited for a
 * processor (others used it, or its quota was spent) counts as neither busy nor idle.
 */
double self_share(struct analyze_used from, struct analyze_used to, double ns);
void self_fini(struct analyze *a);

/* -- analyze_split.c -- */
void split_look(struct analyze *a);
void split_end(struct analyze *a);

/* -- analyze_worker.c: workers of the task runtime, in a process, as actors -- */
bool worker_is_actor(const struct analyze_tunlet *k, uint32_t actor);
int64_t worker_id(const struct analyze_process *t, uint32_t worker);
/* Nothing when it is known; false: there cannot be one. */
bool worker_begins(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t worker);
void worker_end_all(struct analyze *a, struct analyze_process *t, uint32_t tunlet);
bool worker_meant(const struct analyze_process *t, int64_t id, uint32_t *worker); /* whether an id is of this process */

/* -- analyze_process.c -- */
bool process_may_be_known(const struct analyze *a, unsigned controller,
                          const struct message_process *m); /* whether it may be an actor */
void process_begins(struct analyze *a, unsigned controller, const struct message_process *m);
void process_settle(struct analyze *a, bool all); /* passes ends to evaluations once no earlier events can arrive any more */
void process_named(struct analyze *a, const struct message_named *m); /* by its own system; no event of it was sent yet */
void process_gone(struct analyze *a, const struct message_gone *m);
void process_event(struct analyze *a, const struct message *m);
void process_flush(struct analyze *a); /* evaluates the batch */
void process_batch_free(struct analyze_tunlet *k);
void process_lost(struct analyze *a, const struct message_lost *m);
void process_inserted(struct analyze *a, const struct message_inserted *m);
void process_want(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t event, bool on);
struct analyze_process *process_find(struct analyze *a, uint64_t number);
void process_free(struct analyze_process *t);
const char *process_name(const struct analyze *a, const struct analyze_process *t, uint32_t tunlet); /* "worker 3": static */

/* -- analyze_decide.c -- */
void decide_result(void *ctx, const struct weft_eval_result *what); /* ctx: struct analyze_tunlet */
void decide_all(struct analyze *a);                                 /* judges what was decided, and acts */
void decide_acted(struct analyze *a, const struct message_acted *m);
enum { DECIDE_PHRASE = 320 };
/* A tuning point and its value as text: "chunk = 7". */
void decide_phrase(const struct spec_point *p, const struct message_value *v, char out[DECIDE_PHRASE]);
int decide_begin(struct analyze *a, struct weft_err *err) WEFT_MUST_CHECK;
int decide_add(struct analyze *a, struct analyze_tunlet *k, struct weft_err *err) WEFT_MUST_CHECK;
void decide_end(struct analyze *a);

/* -- analyze_fault.c -- */
void fault_result(struct analyze_tunlet *k, const struct weft_eval_result *w);
void fault_report(const struct analyze_tunlet *k, FILE *to);

/* -- analyze.c -- */
int analyze_begin(struct analyze *a, struct weft_err *err) WEFT_MUST_CHECK; /* a: zeros, but for `how`; then fini all the same */
void analyze_fini(struct analyze *a);
void analyze_heard(struct analyze *a, unsigned controller, const struct message *m); /* a message has arrived */
void analyze_work(struct analyze *a, bool all); /* handles queued messages whose window is over; all: and the others */
int analyze_begin_tunlet(struct analyze *a, uint32_t tunlet, struct weft_err *err) WEFT_MUST_CHECK;
void analyze_send(struct analyze *a, unsigned controller, const struct message *m);
uint64_t analyze_now(const struct analyze *a);
double analyze_seconds(const struct analyze *a, uint64_t time); /* since the run began */
void analyze_fail(struct analyze *a, int rc, const struct weft_err *err);

/* -- analyze_show.c: a line each; on a terminal also one that changes -- */
int show_begin(struct analyze *a) WEFT_MUST_CHECK;
void show_end(struct analyze *a);
void show_line(struct analyze *a, bool important, const char *fmt, ...) WEFT_PRINTF(3, 4);
/* A decision, or what came of one. */
enum look_kind { LOOK_SAID, LOOK_DECIDED, LOOK_REFUSED, LOOK_DONE, LOOK_FAILED, LOOK_UNDONE, LOOK_KINDS };
struct look_what {
	enum look_kind kind;
	uint32_t tunlet;
	int64_t iteration;
};
void show_step(struct analyze *a, struct look_what what, const char *fmt, ...) WEFT_PRINTF(3, 4);

/* -- analyze_pulse.c: those who look at the run -- */
void look_begin(struct analyze *a); /* once a process */
void look_end(void);
void look_say(enum look_kind kind, int tunlet, int64_t iteration, const char *text); /* tunlet -1: of none */
void look_values(const struct analyze_tunlet *k, int64_t iteration, const double *value, uint32_t n);
void look_process(uint32_t pid);
void show_values(struct analyze *a, uint32_t tunlet, int64_t iteration, const double *value, uint32_t n);
void show_tick(struct analyze *a);

/* -- analyze_sink.c -- */
void sink_process(struct analyze *a, const struct message_process *m);
void sink_event(struct analyze *a, const struct analyze_process *t, const struct message *m);
void sink_values(struct analyze *a, const struct analyze_tunlet *k, const struct weft_eval_result *w);
void sink_decision(struct analyze *a, const struct analyze_decision *d);
void sink_action(struct analyze *a, const struct analyze_action *x);

/* -- analyze_replay.c -- */
int analyze_replay_trace(struct analyze *a, const char *path, struct weft_err *err) WEFT_MUST_CHECK;

/* -- analyze_report.c -- */
int report_write(struct analyze *a, struct weft_err *err) WEFT_MUST_CHECK;

#endif
