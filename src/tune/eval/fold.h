/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a collector has made of one iteration, and its bytes: how many instances of each actor there
 * are and how many of them are not complete, partial results, and, where the analyzer needs them,
 * the instances one by one with the values that travel.
 *
 * A fold is a state, not a change: a later one of the same collector takes the place of the
 * earlier. Folds of several collectors are joined by adding up. Sums are kept with twice the digits
 * of a double, so that the order of joining does not show.
 */
#ifndef WEFT_TUNE_FOLD_H
#define WEFT_TUNE_FOLD_H

#include "tune/lang/spec_model.h"
#include "tune/gen/gen.h"

enum fold_kind {
	FOLD_OPEN = 1, /* the iteration has begun here; also when its end was seen */
	FOLD_STATE,    /* what there is of it */
	FOLD_GONE,     /* why it cannot be decided upon */
	FOLD_LATE,     /* an event came for it, and it is closed */
};

struct fold_number {
	double hi, lo; /* their sum is the number */
	int64_t i;
	uint64_t n; /* instances that count */
};

struct fold_group {
	uint64_t n, incomplete;
	uint32_t n_ids, room, width; /* width: words of values of an instance */
	int64_t *id;
	double *first; /* time of its first event */
	bool *complete;
	uint64_t *word; /* n_ids times width: doubles, or whole numbers */
};

struct fold {
	enum fold_kind kind;
	int64_t iteration;
	uint32_t event; /* FOLD_LATE */
	bool reply;     /* the analyzer has asked for it */
	bool ended, full,
		bad;   /* end seen; all that is computed there is in it; a partial result failed, or (GONE) events were lost */
	char why[160]; /* FOLD_GONE */
	uint32_t n_groups, n_parts;
	struct fold_group *group; /* of each actor */
	struct fold_number *part;
};

/* full: with all values that collectors compute, not only those that travel. */
int fold_init(struct fold *f, const struct weft_spec *s, int64_t iteration, bool full) WEFT_MUST_CHECK;
void fold_fini(struct fold *f);
/* Words of values of an instance. */
uint32_t fold_width(const struct weft_spec *s, uint32_t actor, bool full);
/* A new instance's index, or -ENOMEM. Its words are zero. */
int64_t fold_add(struct fold_group *g, int64_t id, double first, bool complete) WEFT_MUST_CHECK;
/* All of `from` into `to`: of another collector, of the same iteration. */
int fold_join(const struct weft_spec *s, struct fold *to, const struct fold *from) WEFT_MUST_CHECK;

int fold_encode(const struct fold *f, struct weft_buf *out) WEFT_MUST_CHECK;
/*
 * 0, -ENOMEM, or WEFT_E_SYNTAX when it is none of this specification. To be ended with fold_fini
 * when 0.
 */
int fold_decode(const struct weft_spec *s, const void *at, size_t n, struct fold *out) WEFT_MUST_CHECK;

/*
 * A partial result of plan p's part k: takes one more instance's, or another's. False: it does not
 * fit.
 */
bool fold_number_add(struct fold_number *to, const struct spec_plan *p, uint32_t k, struct tune_value v);
bool fold_number_join(struct fold_number *to, const struct spec_plan *p, uint32_t k, const struct fold_number *v);
/* The plan that partial result k of all belongs to; *own is its number there. */
const struct spec_plan *fold_plan(const struct weft_spec *s, uint32_t k, uint32_t *own);

/* Values of an attribute in memory, as words and back; each `len` words, at least one. */
void fold_pack(const struct spec_attr *a, const char *at, uint64_t *word);
void fold_unpack(const struct spec_attr *a, char *at, const uint64_t *word);

#endif
