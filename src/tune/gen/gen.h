/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation of a specification to C, and what its translation and the process that runs it
 * agree on.
 *
 * The translation is one file without dependencies (headers only where the specification includes
 * some). It exports
 *
 *     struct tune_globals w_g         what the code works on, set by the host before each call
 *     void (*const w_codes[])(void)   a function for each code of the specification; NULL where there is none; behind them for
 *                                     each attribute, where its value is split, one that takes w_g.part instead of instances
 *     int (*const w_parts[])(void)    for each partial result: of instance w_g.self, into w_g.result; 0: it does not count
 *     const unsigned w_sizes[]        bytes of the iteration's attributes, of the parameters, of each actor's attributes
 *     const unsigned w_offsets[]      of each attribute in its struct
 *
 * Order, iterations and completion are the host's (eval_store.c): the code only computes values.
 */
#ifndef WEFT_TUNE_GEN_H
#define WEFT_TUNE_GEN_H

#include "tune/lang/spec.h"
#include <stdint.h>

struct tune_value {
	double d;
	long long i;
	const char *s;
};

/* The functions that the code may call; none returns after a fault. */
struct tune_host {
	void *(*by_id)(int actor, long long id, int make); /* the attributes of the process with that id */
	void *(*nth)(int actor, long long number);
	long long (*count)(int actor);
	void (*fault)(int kind); /* enum tune_fault */
	void (*tune)(int point);
	void (*event)(int event, int add);
	const char *(*keep)(const char *text); /* a text that lives as long as the tunlet */
	double (*assumed)(int variable);       /* in the objective: the value that a variable is taken to have */
};

enum tune_fault {
	FAULT_NONE,
	FAULT_DIVISION,
	FAULT_RANGE,      /* a number does not fit its type, or is none */
	FAULT_INDEX,      /* of an array */
	FAULT_PROCESS,    /* there is no such process in the iteration */
	FAULT_TOO_MANY,   /* more processes than the actor's max */
	FAULT_ARITHMETIC, /* in a function that was left to the compiler */
	FAULT_MEMORY,
	FAULT_TIME,
	FAULT_EXIT,    /* the process ended by itself */
	FAULT_UNKNOWN, /* an objective asks for an unknown value */
	FAULT_METRIC,  /* the analysis engine cannot compute a parameter */
	FAULT_FENCE,   /* a system call that a tunlet has no business with */
	FAULT_ROOM,    /* no memory left for what is computed */
	FAULTS,
	FAULT_SPLIT /* no fault: not all instances are meant, so that partial results do not serve */
};

/*
 * A partial result over some instances: how many went into it, and what came out, as a number of
 * either kind.
 */
struct tune_part {
	double d;
	long long i, n;
};

struct tune_globals {
	void *iter, *param, *self;
	const struct tune_value *v; /* of the event: its fields timestamp, id and task, then its attributes */
	const struct tune_host *host;
	struct tune_value result;     /* of a condition or a tuning point's value */
	struct tune_value point;      /* the value that was just computed for a point */
	const struct tune_part *part; /* partial results of all instances, for splits */
};

/* Where a place of the translation comes from; ordered by `gen`. */
struct tune_origin {
	uint32_t gen, at;
	bool exact; /* the text from here on is the specification's */
};

struct tune_source {
	struct weft_buf text;
	struct tune_origin *origin;
	size_t n_origins, cap_origins;
};

/*
 * All of a specification; or what collectors fold: expressions that call no function, and nothing
 * that was left to the compiler.
 */
enum tune_part_of { TUNE_WHOLE, TUNE_FOLDS };

/* Translates a specification without errors. 0, -EINVAL when it has some, -ENOMEM. */
int tune_translate(struct weft_spec *s, enum tune_part_of of, struct tune_source *out) WEFT_MUST_CHECK;
void tune_source_fini(struct tune_source *t);
/* The offset in the specification of a place (line and column from 1) in the translation. */
uint32_t tune_origin_of(const struct tune_source *t, unsigned line, unsigned col);

/*
 * Compiles it with the system's compiler ($CC, else cc) into the shared object `path`. The
 * compiler's complaints come back as one line with the place in the specification. What would run
 * while it is loaded (constructors and the like) is refused.
 */
int tune_compile(struct weft_spec *s, enum tune_part_of of, const char *path, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Compiled for this process and its children: a file without a name, so that a killed process
 * leaves nothing behind. Its path is good, and no other library's, as long as it is open; its user
 * closes it after unloading (the loader knows libraries by their paths).
 */
struct tune_library {
	int fd; /* -1: none */
	char path[32];
};
int tune_library_make(struct tune_library *l, struct weft_spec *s, enum tune_part_of of, struct weft_err *err) WEFT_MUST_CHECK;
void tune_library_close(struct tune_library *l);

/* The thesis' intermediate form. */
int weft_spec_xml(const struct weft_spec *s, struct weft_buf *out) WEFT_MUST_CHECK;

#endif
