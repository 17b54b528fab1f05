/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of a folder share.
 *
 *     collect_fold.c         events into iterations, folds of them, and its life
 *     collect_fold_below.c   folds of collectors below, and which collectors there are
 */
#ifndef WEFT_TUNE_COLLECT_FOLD_PRIV_H
#define WEFT_TUNE_COLLECT_FOLD_PRIV_H

#include "collect_fold.h"
#include "tune/eval/eval_group.h"
#include "tune/eval/eval_work.h"

enum { CLOSED_MAX = 64 };

struct below {
	uint32_t child;
	bool answered; /* since it was asked */
	struct fold fold;
};

struct open_iteration {
	int64_t number;
	bool open, asked, full, ended, dirty, told;
	double opened; /* time of its first event; NAN: one below has said it */
	struct group *group;
	WEFT_VEC(struct below) below;
};

struct order {
	uint32_t *attr, n;
};

struct folder {
	struct weft_spec *s;
	struct folder_how how;
	void *library;
	bool shared; /* the library is another's */
	struct tune_library made;
	struct tune_globals *globals;
	void (*const *codes)(void);
	int (*const *parts)(void);
	const unsigned *sizes, *offsets;
	struct order *order; /* of each event */
	struct open_iteration open[EVAL_OPEN_MAX];
	struct group *spare; /* of an iteration that is closed, for the next one; or NULL */
	int64_t closed[CLOSED_MAX];
	unsigned n_closed;
	WEFT_VEC(uint32_t) child;
	struct weft_buf bytes;
	double lost_until; /* some events were lost; */
	uint64_t lost;     /* so many */
};

/* Encodes the fold and passes it up. A negative status. */
int folder_tell(struct folder *f, const struct fold *fold);
int folder_tell_open(struct folder *f, struct open_iteration *it);
int folder_tell_state(struct folder *f, struct open_iteration *it);

/* Closes the iteration and tells why; lost: since events were lost. */
int folder_say_gone(struct folder *f, struct open_iteration *it, const char *why, bool lost);
int folder_give_up(struct folder *f, struct open_iteration *it, const char *why);

struct open_iteration *folder_find(struct folder *f, int64_t number);
bool folder_was_closed(const struct folder *f, int64_t number);
/* Opens it and sends that it is open; the oldest gives way. NULL: no memory. */
struct open_iteration *folder_find_or_open(struct folder *f, int64_t number);
/* The latest fold of a collector below; NULL: it has sent none. */
struct below *folder_below_of(const struct open_iteration *it, uint32_t child);

#endif
