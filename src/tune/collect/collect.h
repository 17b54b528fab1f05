/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A collector: controllers and other collectors below it, one collector or the analyzer above. It
 * passes messages on (message.h), folds the events of tunlets on the way (collect_fold.h), and puts
 * the times of controllers of its host right (clock_follow.h). Level and place are only a matter of
 * whom it connects to. It runs in a process of its own.
 *
 * What is above it may vanish: it turns to whom that had above; iterations in flight are incomplete
 * then. What is below it may vanish: its processes are waited for, for two seconds, to come back by
 * another way. Whatever happens, no program waits for it.
 */
#ifndef WEFT_TUNE_COLLECT_H
#define WEFT_TUNE_COLLECT_H

#include "tune/wire/clock_follow.h"
#include "tune/wire/wire.h"

struct collect;
struct weft_spec;

/* The last iteration of a process of which an event has arrived. */
struct collect_heard {
	bool some;
	int64_t iteration;
};
static inline void collect_heard(struct collect_heard *h, int64_t iteration)
{
	h->iteration = h->some && h->iteration > iteration ? h->iteration : iteration;
	h->some = true;
}

/*
 * The state that is handed to a collector that is inserted between an analyzer and its controller
 * during a run (analyze_split.c).
 */
enum { COLLECT_TUNLETS = 16 };
struct collect_joins {
	const struct channel *stream; /* to the controller, with what was read and what is to be written; taken over */
	struct collect_known {
		uint64_t process;
		struct collect_heard heard[COLLECT_TUNLETS]; /* above, and so not to be folded */
	} * known;
	size_t n_known;
	struct collect_joins_tunlet {
		struct weft_spec *spec; /* NULL: its events pass */
		uint64_t began;
		double per_unit;
		bool passes;
	} tunlet[COLLECT_TUNLETS];
};

struct collect_how {
	int up;             /* stream to the analyzer (channel.h), taken over; -1: */
	const char *parent; /* the address of a collector to connect to */
	const char *listen; /* where to listen for those below ("HOST", "HOST:PORT"); NULL: nowhere */
	const int *below;   /* streams of controllers of this host, taken over */
	unsigned n_below;
	struct weft_secret secret;         /* of the run, where addresses are used */
	uint32_t number;                   /* of this collector in the run */
	int life;                          /* hangs up when the run is over without a word; -1: none */
	bool leaf;                         /* begun by a collector of this host, to share what that has to do (collect_grow.c) */
	bool between;                      /* forked by the first one, to be between it and some of hosts (collect_level.c) */
	bool follows;                      /* of a leaf: the times in its messages are not of this host's clock */
	const struct collect_joins *joins; /* or NULL; borrowed */
	const struct collect *was;         /* of a leaf: the collector that has forked it */
	/*
	 * Its address once it listens; a line about an incident (a peer was refused, a connection
	 * was lost). Either may be NULL.
	 */
	void (*listening)(void *ctx, const char *address);
	void (*log)(void *ctx, const char *line);
	void *ctx;
	struct follow_fault fault; /* for tests: what is wrong with this host's clock */
	bool faulty;
};

/* Returns when the run is over: 0, or why it could not go on. */
int collect_run(const struct collect_how *how, struct weft_err *err) WEFT_MUST_CHECK;

#endif
