/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a tunlet that collectors evaluate: events of some processes in, folds (fold.h) out,
 * to the party above. It runs in the collector itself: the expressions that are placed there have
 * no loops and no pointers (derive_place.c). Folds of collectors below are joined into its own. Not
 * thread-safe.
 *
 * Iterations stay until folder_closed, or until there are too many. After folder_close (the
 * analyzer asks for what there is), each change of that iteration is told by the next folder_flush.
 */
#ifndef WEFT_TUNE_COLLECT_FOLD_H
#define WEFT_TUNE_COLLECT_FOLD_H

#include "tune/eval/fold.h"

struct folder;
struct folder_how {
	void (*up)(void *ctx, const void *at, size_t n); /* a fold, as bytes */
	void *ctx;
	const char *library;       /* the translated specification, compiled; NULL: it is compiled here */
	const struct folder *like; /* or one of the same specification that folds no more in this process: its library is taken */
};

struct folder_event {
	uint32_t event;
	int64_t id; /* of its process */
	double time;
	const struct tune_value *value;
	uint32_t n;
};

/* `s` has no errors and outlives it. */
int folder_new(struct folder **out, struct weft_spec *s, const struct folder_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void folder_free(struct folder *f);

/*
 * The outcome for an event: it was folded and ends here; it was folded, and the analyzer needs it,
 * too (and must know that it was folded); it is not folded here.
 */
enum { FOLDER_FOLDED, FOLDER_FOLDED_AND_PASSES, FOLDER_PASSES };
/* One of these, or -ENOMEM. */
int folder_event(struct folder *f, const struct folder_event *e) WEFT_MUST_CHECK;
/* A process ended; its actor. Tell it before the end is passed on. */
int folder_ended(struct folder *f, uint32_t actor, int64_t id) WEFT_MUST_CHECK;
/*
 * Events of a process below were lost, or of one elsewhere: iterations that are open, or begin by
 * then, may lack something.
 */
int folder_lost(struct folder *f, uint64_t count, double until) WEFT_MUST_CHECK;

/* A collector below comes or goes; a fold from it. -EINVAL: it is no fold of this tunlet. */
int folder_child(struct folder *f, uint32_t child, bool begins) WEFT_MUST_CHECK;
int folder_below(struct folder *f, uint32_t child, const void *at, size_t n) WEFT_MUST_CHECK;

/*
 * One below goes, of which nothing is left: of no iteration has it said an instance, and it owes no
 * answer (folder_owes).
 */
void folder_leave(struct folder *f, uint32_t child);
/*
 * Collectors below are those of another one now, which has taken over what they had said (by
 * folder_keep in that process).
 */
int folder_hand(struct folder *f, const uint32_t *child, size_t n, uint32_t to) WEFT_MUST_CHECK;
/*
 * The same, in the collector that takes over: it has folded nothing, and nobody else is below it.
 */
void folder_keep(struct folder *f, const uint32_t *child, size_t n);
/* A collector leaves; the collectors below it will send all of its folds again. */
void folder_return(struct folder *f, uint32_t child);
bool folder_owes(const struct folder *f, uint32_t child);
bool folder_has_own(const struct folder *f); /* instances of iterations that are not closed were folded here */
/* The next iteration that was asked for, from place *i on. */
bool folder_asked(const struct folder *f, unsigned *i, int64_t *iteration, bool *full);

/* From the analyzer; to be passed on to the collectors below by the caller. */
int folder_close(struct folder *f, int64_t iteration, bool full) WEFT_MUST_CHECK;
void folder_closed(struct folder *f, int64_t iteration);
void folder_anew(struct folder *f); /* all are closed, and their numbers come again */
/* Tells what has changed. */
int folder_flush(struct folder *f) WEFT_MUST_CHECK;

#endif
