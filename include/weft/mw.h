/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Master/worker: an iterative program whose master divides each iteration's work into tuples, which workers compute.
 *
 *     #include <weft/mw.h>                         mpicc prog.c $(pkg-config --cflags --libs weft-frame)
 *     #include <weft/frame_mpi.h>
 *
 *     static int partition(void *user, struct weft_mw_work *work) { … work->n = …; return 1; }
 *     static int compute(void *user, const struct weft_mw_place *at, const void *tuple, void *result) { … return 0; }
 *     static int collect(void *user, const struct weft_mw_work *work, const void *results) { … return 0; }
 *     const struct weft_mw program = {sizeof(struct in), sizeof(struct out), .partition = partition, …};
 *     …
 *     weft_mw_run(&program, &me, &mpi.link, NULL);
 *
 * How many workers take part in an iteration, and how many tuples go into a chunk, is not the program's business: it may change
 * between any two messages, and the results are the same. The tunlets nworkers.tsl and loadbalance.tsl, which come
 * with Weft, change it while the program runs; see weft-mw(7). In C++: weft/mw.hpp.
 */
#ifndef WEFT_MW_H
#define WEFT_MW_H

#include <weft/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An iteration's work, which the master makes. */
struct weft_mw_work {
	/* What `partition` is told: */
	int iteration; /* from 1 */
	/* What it says. All borrowed until `collect` has returned. */
	size_t n;           /* tuples */
	const void *tuples; /* n × tuple_bytes */
	const void *shared; /* what every worker needs in this iteration beside its tuples, once; or NULL */
	size_t shared_bytes;
	/* What came of it, for `collect`: */
	int workers;    /* that took part; 0: the master computed it */
	size_t chunks;  /* messages of work */
	double seconds; /* from the first message to the last answer */
};

/* Where `compute` is. */
struct weft_mw_place {
	int rank, iteration;
	const void *shared;
	size_t shared_bytes;
	size_t index;  /* of the tuple in the iteration, from 0 */
	size_t at, of; /* the tuple's number in its chunk, and how many there are in it */
};

/*
 * What the user gives. Tuples and results are plain memory: no pointers in them, and all processes on the same kind of machine.
 * Each function may be NULL but `partition` and `compute`; a negative result ends the run, everywhere, with that code.
 */
struct weft_mw {
	size_t tuple_bytes, result_bytes;
	int (*initialise)(void *user, int rank, int size);       /* in each process */
	int (*partition)(void *user, struct weft_mw_work *work); /* master: 1, or 0: that was all */
	int (*compute)(void *user, const struct weft_mw_place *at, const void *tuple, void *result); /* worker */
	int (*collect)(void *user, const struct weft_mw_work *work, const void *results);            /* master: all, in order */
	int (*finalise)(void *user, int rank);                                                       /* in each process */
};

struct weft_mw_options {
	int workers; /* to begin with; 0: all; WEFT_MW_WORKERS in the environment comes first */
	int chunk;   /* tuples of a chunk, to begin with; 0: one chunk for each worker; WEFT_MW_CHUNK comes first */
};

/*
 * To be called by all processes of the link, with the same program; returns when all is done: 0, or what a function returned, or
 * -EINVAL, -ENOMEM, -EIO, -EPROTO (a message that is none of ours). A link of one process: the master computes all by itself.
 */
WEFT_FRAME_PUBLIC int weft_mw_run(const struct weft_mw *program, void *user, struct weft_frame_link *link,
                                  const struct weft_mw_options *options);

#ifdef __cplusplus
}
#endif

#endif
