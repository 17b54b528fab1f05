/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of the decisions of several tunlets: between their evaluations and the actions.
 * Decisions go in, verdicts come out; nothing here knows of processes, specifications or clocks, so
 * that all of it can be tested.
 *
 *     weft_arbiter_tunlet, weft_arbiter_point   who decides, about what
 *     weft_arbiter_judge                        verdicts on what tunlets want now; what may be done is held from then on
 *     weft_arbiter_done                         it was done, or could not be
 *     weft_arbiter_evaluated                    a tunlet has evaluated an iteration: holds end by these
 *
 * What one tunlet decides in one evaluation belongs together: all of it is done, or nothing. Rules:
 * docs/design/arbiter.md. Not thread-safe.
 */
#ifndef WEFT_TUNE_ARBITER_H
#define WEFT_TUNE_ARBITER_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

#define WEFT_ARBITER_ALL INT64_MIN   /* in place of a process: all of them */
#define WEFT_ARBITER_TOGETHER_MAX 8u /* tunlets under one objective that decide in one call */

struct weft_arbiter;

struct weft_arbiter_party {
	const char *name; /* copied */
	int priority;     /* the higher one is first when both want something at once */
	unsigned hold;    /* iterations of this tunlet during which no other tunlet changes its target; 0: 2 */
	double weight;    /* in the common objective; 0: it has no part in it */
};

struct weft_arbiter_what {
	const char *target;   /* the thing that it changes, by a name common to all tunlets: "variable numworkers"; copied */
	const char *resource; /* a resource that several targets share ("processes"), or NULL; copied */
	int sense; /* 1: a greater value uses more of it; -1: less; 0: any two changes of the resource are in each other's way */
};

/* A value that a model is to take as given; of several for the same target the last counts. */
struct weft_assumed {
	const char *target;
	int64_t process;
	bool is_text;
	double number;
	const char *text;
};

struct weft_arbiter_how {
	uint64_t hold_ns; /* the longest that something is held, also when its tunlet evaluates no more; 0: 30 s */
	/*
	 * The program's cost by a tunlet's model under these assumptions; less is better. NULL, or
	 * a negative result: there is no model, and the rules alone decide.
	 */
	int (*model)(void *ctx, unsigned tunlet, const struct weft_assumed *assumed, unsigned n, double *cost);
	void *ctx;
};

struct weft_decision {
	unsigned tunlet, point; /* the numbers of weft_arbiter_tunlet and weft_arbiter_point */
	int64_t process;
	bool is_text, has_now;
	double number, now; /* now: the value that is there, where it is known */
	const char *text;

	/* The verdict. */
	bool allowed;
	uint32_t id;      /* of an allowed decision, for weft_arbiter_done */
	unsigned against; /* the tunlet that it is refused for; its own: the objective */
	char why[384];    /* a line, "" when it is allowed and there is nothing to say */
};

int weft_arbiter_new(struct weft_arbiter **out, const struct weft_arbiter_how *how) WEFT_MUST_CHECK;
void weft_arbiter_free(struct weft_arbiter *a);
/* Their number, from 0; or -ENOMEM. */
int weft_arbiter_tunlet(struct weft_arbiter *a, const struct weft_arbiter_party *party) WEFT_MUST_CHECK;
int weft_arbiter_point(struct weft_arbiter *a, unsigned tunlet, const struct weft_arbiter_what *what) WEFT_MUST_CHECK;

/*
 * Judges the tunlets' current decisions, each tunlet's complete. Time is in ns, of any clock that
 * only grows. The number of allowed decisions, or a negative errno value (-ENOMEM; -EINVAL: unknown
 * tunlet or point): then none is allowed.
 */
int weft_arbiter_judge(struct weft_arbiter *a, uint64_t now_ns, struct weft_decision *d, unsigned n) WEFT_MUST_CHECK;
/* It is in force (since then it is held), or could not be done: then it never was. */
void weft_arbiter_done(struct weft_arbiter *a, uint32_t id, uint64_t now_ns, bool ok);
void weft_arbiter_evaluated(struct weft_arbiter *a, unsigned tunlet);

#endif
