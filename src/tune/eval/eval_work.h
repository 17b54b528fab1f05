/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the caller's process and the child: requests and answers are one datagram each, over a
 * SOCK_SEQPACKET pair. Both sides are the same program, so records are plain structs. Each request
 * is answered by any number of answers and an ANSWER_DONE.
 */
#ifndef WEFT_TUNE_EVAL_WORK_H
#define WEFT_TUNE_EVAL_WORK_H

#include "eval.h"
#include "tune/lang/spec_model.h"
#include "base/map.h"
#include <stddef.h>

enum { EVAL_VALUES_MAX = 64, EVAL_TEXT_MAX = 256, EVAL_OPEN_MAX = 32, EVAL_HOST_MAX = 64 };

enum request_kind {
	REQUEST_PROCESS,
	REQUEST_EVENT,
	REQUEST_LOST,
	REQUEST_END,
	REQUEST_COST,
	REQUEST_BATCH,
	REQUEST_FOLD,
	REQUEST_CHILD,
	REQUEST_METRIC, /* an answer to ANSWER_METRIC: begins: it is known; time: the value */
};
struct request {
	enum request_kind kind;
	uint32_t what; /* actor, event or collector */
	bool begins;   /* FOLD: and more of it follows */
	bool folded;   /* EVENT: a collector has folded it: */
	uint32_t child;
	int64_t id;
	double time;
	uint64_t count;
	char host[EVAL_HOST_MAX]; /* of a process */
	uint32_t n;
	struct {
		double d;
		long long i;
		char s[EVAL_TEXT_MAX];
	} value[EVAL_VALUES_MAX];
};

enum {
	ANSWER_DONE = 100,
	ANSWER_READY,
	ANSWER_FAILED,
	ANSWER_COST,
	ANSWER_METRIC, /* a question: what (an attribute) is at the instant `number`; answered by REQUEST_METRIC */
};                     /* beside enum weft_eval_result_kind; FAILED: to begin, with its text */
enum { ANSWER_VALUES_MAX = 4096 };
struct answer {
	int kind;
	uint32_t what, n;
	int64_t iteration, process;
	bool add, is_text;
	enum tune_fault fault;
	double number;
	struct weft_steps steps;
	char text[EVAL_TEXT_MAX];
	double value[ANSWER_VALUES_MAX]; /* n are sent */
};

/*
 * Events of a batch, one behind the other, behind the fixed part of the request (whose n is the
 * bytes of all).
 */
struct packed_event {
	uint32_t event, child;
	uint32_t n, folded;
	int64_t id;
	double time;
};
struct packed_value {
	double d;
	long long i;
	uint64_t text; /* bytes of the text behind it, padded to 8; 0: none */
};
enum { BATCH_BYTES = sizeof(((struct request *)0)->value) };

struct eval_begin {
	struct weft_spec *s;
	const char *handlers; /* the path of those written by hand; NULL: */
	int library;          /* the compiled tunlet, in which nothing runs by being loaded (tune_compile) */
	int socket;
	uint64_t memory;
	volatile uint32_t *running; /* shared: the code that runs, for the caller when it kills the child; SPEC_NONE: none */
};
/* The child: never returns. */
_Noreturn void eval_child(const struct eval_begin *b);

/*
 * -- eval_fence.c, in the child: from here on it can do no more than it needs; `loads`: and load
 * code. 0, or why not --
 */
int eval_fence(bool loads);

/* -- eval_store.c, in the child -- */
struct store;

struct store_host {
	void (*answer)(void *ctx, const struct answer *a);
	/* Runs a code; false after a fault, which was answered. */
	bool (*run)(void *ctx, uint32_t code);
	/*
	 * Likewise the split value of an attribute; *other: it needs all instances, which is no
	 * fault.
	 */
	bool (*split)(void *ctx, uint32_t attr, bool *other);
	/*
	 * A partial result of globals->self into globals->result: 1, 0: it does not count, -1: a
	 * fault, which was not answered.
	 */
	int (*part)(void *ctx, uint32_t part);
	/*
	 * A parameter's value by the analysis engine, with the events up to an instant. False: it
	 * has none; that was answered.
	 */
	bool (*metric)(void *ctx, uint32_t attr, double time, double *out);
	void *ctx;
	struct tune_globals *globals;
	const unsigned *sizes, *offsets;
};
int store_new(struct store **out, struct weft_spec *s, const struct store_host *host);
void store_free(struct store *st);
void store_process(struct store *st, uint32_t actor, int64_t id, bool begins);
void store_event(struct store *st, const struct request *r);
void store_lost(struct store *st, const struct request *r);
void store_child(struct store *st, uint32_t child, bool begins); /* a collector */
void store_fold(struct store *st, uint32_t child, const void *at, size_t n);
double store_carried(const struct store *st, uint32_t variable); /* its value in the last event that had it, or NaN */
bool store_evaluated(const struct store *st);                    /* an iteration was, so that parameters mean something */
int64_t store_iteration(const struct store *st);                 /* that is being worked on */
/* For the translation: NULL when there is none (and then why in *fault). */
void *store_by_id(struct store *st, int actor, int64_t id, bool make, enum tune_fault *fault);
void *store_nth(struct store *st, int actor, int64_t number, enum tune_fault *fault);
int64_t store_count(struct store *st, int actor);
void store_tune(struct store *st, uint32_t point);

/* -- eval_hand.c, in the child: a tunlet written by hand; `code` is its struct weft_tunlet -- */
struct hand;
int hand_new(struct hand **out, struct weft_spec *s, const void *code, const struct store_host *host);
void hand_process(struct hand *h, const struct request *r);
void hand_event(struct hand *h, const struct request *r);
void hand_lost(struct hand *h, const struct request *r);
void hand_end(struct hand *h);

#endif
