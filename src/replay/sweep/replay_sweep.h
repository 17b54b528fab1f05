/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program on many machines that differ in a few settings: all combinations of their values, by all processors at once. Points are
 * numbered with the last axis running fastest; what comes out does not depend on who computes what.
 */
#ifndef WEFT_REPLAY_SWEEP_H
#define WEFT_REPLAY_SWEEP_H

#include "replay/machine/replay_settings.h"
#include "replay/sim/replay.h"

enum { WEFT_SWEEP_AXES = 4, WEFT_SWEEP_POINTS = 1 << 20 };
struct weft_sweep_axis {
	enum weft_setting setting;
	double *value; /* owned */
	uint32_t n;
};
struct weft_sweep_point {
	double time_ns, computation_ns, communication_ns; /* of the rank that computes longest; the mean of the ranks */
	bool stuck, done;                                 /* done: by this process */
};
struct weft_sweep {
	struct weft_sweep_axis axis[WEFT_SWEEP_AXES];
	unsigned n_axes;
	struct weft_sweep_point *point; /* owned */
	uint32_t n_points;
};
/* "latency=1us..100us" (16 values, even in their logarithms; "1us..100us/5": five), "cpu=1,2,4". Adds an axis. */
int weft_sweep_parse(struct weft_sweep *s, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
void weft_sweep_fini(struct weft_sweep *s);
/* The values of a point, by axis. */
void weft_sweep_values(const struct weft_sweep *s, uint32_t point, double *value);

struct weft_sweep_run {
	const struct weft_replay_program *program;
	const struct weft_replay_how *how; /* without a sink; the eager limit is overridden where it is an axis */
	/* A machine with these settings; called by several threads. */
	int (*make)(void *arg, const struct weft_replay_settings *s, struct weft_replay_machine *m, struct weft_err *err);
	void *arg;
	const struct weft_replay_settings *base;
	unsigned threads;         /* 0: all */
	uint32_t share, n_shares; /* this process computes points share, share + n_shares, …; n_shares 0: all */
};
int weft_sweep_run(struct weft_sweep *s, const struct weft_sweep_run *run, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Along an axis, with the others at their first values: the range around the least time in which it stays within `tolerance` (0.01: 1 %) of it.
 * Whether it does anywhere but at one end.
 */
bool weft_sweep_flat(const struct weft_sweep *s, unsigned axis, double tolerance, uint32_t *first, uint32_t *last);

#endif
