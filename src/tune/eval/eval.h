/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tunlet at work: events in, values and decisions out. It runs in a child process (eval_child.c),
 * so that nothing that is written in a specification can harm the caller. Calls return when the
 * child has answered; its results until then are passed to `result`. Not thread-safe for one
 * evaluator.
 */
#ifndef WEFT_TUNE_EVAL_H
#define WEFT_TUNE_EVAL_H

#include "tune/arbiter/arbiter.h"
#include "tune/gen/gen.h"
#include "tune/lang/spec.h"

enum weft_eval_result_kind {
	WEFT_RESULT_EVALUATED, /* an iteration: value[0..n) are the parameters, then the iteration's attributes, in their order */
	WEFT_RESULT_TUNE,      /* apply a tuning point: number or text */
	WEFT_RESULT_EVENT,     /* add or remove an event */
	WEFT_RESULT_FAULT,     /* in a code: that evaluation is discarded */
	WEFT_RESULT_INCOMPLETE, /* an iteration is not evaluated: why is in `text` */
	WEFT_RESULT_LATE,       /* an event came for an iteration that is closed */
	WEFT_RESULT_HANDLER,    /* a handler of a tunlet written by hand failed: `text` */
	WEFT_RESULT_CLOSE,      /* with collectors: they are to say what they have of the iteration; add: all of it */
	WEFT_RESULT_CLOSED,     /* with collectors: they may forget it; add: and all others, which begin anew */
	WEFT_RESULT_RESTARTED,  /* the child process was begun anew: open iterations are lost */
};

/*
 * Times of an iteration: its begin and end by its events (NaN: only collectors have seen them), and
 * when these were known, by the monotonic clock.
 */
struct weft_steps {
	double began, ended;
	uint64_t begun_ns, ended_ns; /* its first event; its end */
	uint64_t complete_ns;        /* all that its evaluation needs was there */
	uint64_t computed_ns;        /* its values were */
};

struct weft_eval_result {
	enum weft_eval_result_kind kind;
	int64_t iteration; /* -1: none */
	int64_t process;   /* the process that the decision concerns; INT64_MIN: all of the actor */
	uint32_t what;     /* point, event, or the code of a fault (UINT32_MAX: unknown) */
	bool add;          /* WEFT_RESULT_EVENT; of EVALUATED and INCOMPLETE: as events were lost */
	enum tune_fault fault;
	bool is_text;
	double number;    /* WEFT_RESULT_TUNE */
	const char *text; /* valid during the call */
	const double *value;
	uint32_t n;
	const struct weft_steps *steps; /* WEFT_RESULT_EVALUATED by expressions; else NULL */
};

struct weft_eval_how {
	void (*result)(void *ctx, const struct weft_eval_result *what);
	void *ctx;
	const char *
		handlers; /* a shared object with handlers written by hand (weft/tunlet.h); NULL: the specification's expressions */
	uint64_t limit_ns; /* for one request; 0: a second */
	uint64_t memory;   /* of the child; 0: 256 MiB */
};

struct weft_eval;

/* Compiles and begins; `s` must have no errors and outlive it. */
int weft_eval_new(struct weft_eval **out, struct weft_spec *s, const struct weft_eval_how *how,
                  struct weft_err *err) WEFT_MUST_CHECK;
void weft_eval_free(struct weft_eval *e);
/* Times of its child process so far; 0: it has none. */
uint64_t weft_eval_cpu_ns(const struct weft_eval *e);
uint64_t weft_eval_delay_ns(const struct weft_eval *e); /* that it was ready to run, but waited for a processor */

/* A process of an actor begins (on a host; may be NULL) or ends. */
int weft_eval_process(struct weft_eval *e, uint32_t actor, int64_t id, const char *host, bool begins,
                      struct weft_err *err) WEFT_MUST_CHECK;
struct weft_eval_record {
	uint32_t event, n; /* n: values */
	int64_t id;
	double time;
	const struct tune_value *value; /* in the order in which the specification lists the event's attributes */
	bool folded;                    /* a collector has folded it, too: the values that collectors compute come by the fold */
	uint32_t child;                 /* by way of which collector, as weft_eval_child knows it */
};
/* An event that no collector has folded. */
int weft_eval_event(struct weft_eval *e, const struct weft_eval_record *record, struct weft_err *err) WEFT_MUST_CHECK;
/* Many at once, which costs much less. */
int weft_eval_events(struct weft_eval *e, const struct weft_eval_record *record, size_t n, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Events of a process were lost: iterations that are open, or begin until then, may lack something.
 */
int weft_eval_lost(struct weft_eval *e, int64_t id, uint64_t count, double until, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The tunlet's objective under assumed values of variables (of one that is assumed twice, the
 * later). -EAGAIN: it has no objective, no iteration was evaluated yet, or a variable is unknown.
 */
int weft_eval_cost(struct weft_eval *e, const struct weft_assumed *assumed, unsigned n, double *cost,
                   struct weft_err *err) WEFT_MUST_CHECK;

/* A collector (any number that names it) comes or goes; a fold that it said (collect_fold.h). */
int weft_eval_child(struct weft_eval *e, uint32_t child, bool begins, struct weft_err *err) WEFT_MUST_CHECK;
int weft_eval_fold(struct weft_eval *e, uint32_t child, const void *at, size_t n, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The name of value i of an evaluation ("lambda", "f[3]", "iter.nw"), or NULL behind the last.
 * Borrows until the next call.
 */
const char *weft_eval_value_name(struct weft_eval *e, uint32_t i);
/*
 * Values of an evaluation, " name=1 other=[2 3]", in full or with six digits; what is unknown is
 * left out, in an array "-".
 */
void weft_eval_put_values(struct weft_eval *e, const double *value, uint32_t n, bool whole, struct weft_buf *b);
/* A line about what was said, as `weft tunlet try` prints it. */
void weft_eval_result_print(const struct weft_spec *s, struct weft_eval *e, const struct weft_eval_result *what, FILE *to);

/* Feeds a script (weft-tunlet(1)). Errors name the line. */
int weft_eval_script(struct weft_eval *e, struct weft_spec *s, const char *path, struct weft_err *err) WEFT_MUST_CHECK;

extern const char *const weft_fault_name[];

#endif
