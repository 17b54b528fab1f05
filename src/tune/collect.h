/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A collector: controllers and other collectors below it, one collector or the analyzer above. It passes messages on (message.h), folds the
 * events of tunlets on the way (collect_fold.h), and puts the times of controllers of its host right (clock_follow.h). Level and place are
 * only a matter of whom it connects to. It runs in a process of its own.
 *
 * What is above it may vanish: it turns to whom that had above; iterations in flight are incomplete then. What is below it may vanish: its
 * tasks are waited for, for two seconds, to come back by another way. Whatever happens, no program waits for it.
 */
#ifndef WEFT_TUNE_COLLECT_H
#define WEFT_TUNE_COLLECT_H

#include "clock_follow.h"
#include "wire.h"

struct collect;
struct collect_how {
	int up;             /* stream to the analyzer (channel.h), taken over; -1: */
	const char *parent; /* the address of a collector to connect to */
	const char *listen; /* where to listen for those below ("HOST", "HOST:PORT"); NULL: nowhere */
	const int *below;   /* streams of controllers of this host, taken over */
	unsigned n_below;
	struct weft_secret secret; /* of the run, where addresses are used */
	uint32_t number;           /* of this collector in the run */
	int life;                  /* hangs up when the run is over without a word; -1: none */
	bool leaf;                 /* begun by a collector of this host, to share what that has to do (collect_grow.c) */
	bool between;              /* forked by the first one, to be between it and some of hosts (collect_level.c) */
	bool follows;              /* of a leaf: the times that it is told are not those of this host */
	const struct collect *was; /* of a leaf: by which it was forked */
	/* Where it listens, when it does; a line about what happens (somebody was refused, a connection was lost). Either may be NULL. */
	void (*listening)(void *ctx, const char *address);
	void (*said)(void *ctx, const char *line);
	void *ctx;
	struct follow_fault fault; /* for tests: what is wrong with this host's clock */
	bool faulty;
};

/* Returns when the run is over: 0, or why it could not go on. */
int collect_run(const struct collect_how *how, struct weft_err *err) WEFT_MUST_CHECK;

#endif
