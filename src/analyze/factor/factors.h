/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factors of efficiency, as the POP methodology has them: what of the time of all cores was spent computing, and through which
 * causes the rest was lost. Models of the same sums:
 *
 *     multiplicative   parallel = load balance × communication,   communication = serialization × transfer
 *     hybrid           parallel = MPI parallel × OpenMP parallel, each with a balance and a communication of its own
 *     devices          device parallel = load balance × communication (copies) × orchestration (idle)
 *     additive         1 - parallel = (1 - process) + (1 - thread), and so on downwards: what is lost adds up
 *
 * and, against a first run, how the computation itself scales. All in parts of 1; NAN: not known. Pure arithmetic; thread-safe.
 * The formulas stand in docs/efficiency.md.
 */
#ifndef WEFT_ANALYZE_FACTORS_H
#define WEFT_ANALYZE_FACTORS_H

#include "usage.h"

enum weft_factor {
	WEFT_FACTOR_PARALLEL,
	WEFT_FACTOR_BALANCE,
	WEFT_FACTOR_COMMUNICATION,
	WEFT_FACTOR_SERIALIZATION,
	WEFT_FACTOR_TRANSFER,
	WEFT_FACTOR_COMPUTATION, /* scalability, against the first run; those below, too */
	WEFT_FACTOR_GLOBAL,
	WEFT_FACTOR_IPC_SCALABILITY,
	WEFT_FACTOR_INSTRUCTION_SCALABILITY,
	WEFT_FACTOR_FREQUENCY_SCALABILITY,
	WEFT_FACTOR_SPEEDUP,
	WEFT_FACTOR_IPC,       /* instructions a cycle */
	WEFT_FACTOR_FREQUENCY, /* GHz */
	WEFT_FACTOR_MPI_PARALLEL,
	WEFT_FACTOR_MPI_BALANCE,
	WEFT_FACTOR_MPI_COMMUNICATION,
	WEFT_FACTOR_OPENMP_PARALLEL,
	WEFT_FACTOR_OPENMP_BALANCE,
	WEFT_FACTOR_OPENMP_COMMUNICATION,
	WEFT_FACTOR_ADD_PARALLEL,
	WEFT_FACTOR_ADD_PROCESS,
	WEFT_FACTOR_ADD_PROCESS_BALANCE,
	WEFT_FACTOR_ADD_PROCESS_COMMUNICATION,
	WEFT_FACTOR_ADD_TRANSFER,
	WEFT_FACTOR_ADD_SERIALIZATION,
	WEFT_FACTOR_ADD_THREAD,
	WEFT_FACTOR_ADD_OPENMP,
	WEFT_FACTOR_ADD_SERIAL,
	WEFT_FACTOR_HOST_OFFLOAD, /* of programs with accelerators, as TALP has them */
	WEFT_FACTOR_DEVICE_PARALLEL,
	WEFT_FACTOR_DEVICE_BALANCE,
	WEFT_FACTOR_DEVICE_COMMUNICATION,
	WEFT_FACTOR_DEVICE_ORCHESTRATION,
	WEFT_FACTOR_INSTRUCTION_BALANCE,
	WEFT_FACTOR_CYCLE_BALANCE,
	WEFT_FACTOR_IPC_BALANCE,
	WEFT_FACTOR_P2P_BALANCE, /* of the time in such calls */
	WEFT_FACTOR_COLLECTIVE_BALANCE,
	WEFT_FACTOR_MIPS, /* instructions a microsecond of useful time */
	WEFT_FACTORS
};
struct weft_factor_info {
	const char *name; /* "Load balance" */
	const char *key;  /* "load_balance" */
	unsigned depth;   /* below which others it is printed */
	bool is_plain;    /* a number, no part of 1 */
	const char *when_small;
};
extern const struct weft_factor_info weft_factor_info[WEFT_FACTORS];

/* One run, or a stretch of one: the sums, and the factors. Times in ns. */
struct weft_factors {
	uint32_t n_processes, n_threads, n_devices;
	double runtime, useful_average, useful_max, useful_total;
	double instructions, cycles;            /* NAN: not counted */
	double ideal_runtime, ideal_useful_max; /* NAN: not replayed */
	uint64_t messages[2], bytes[2];         /* inside of nodes, between nodes */
	double value[WEFT_FACTORS];
};
/* Of a bin; without the ideal run and without a first one. 0 or -ENOMEM. */
int weft_factors_compute(struct weft_factors *f, const struct weft_usage *u, uint32_t bin) WEFT_MUST_CHECK;
/* The same run on an ideal network took `runtime` ns, and its most useful thread was useful for `useful_max`. */
void weft_factors_set_ideal(struct weft_factors *f, double runtime, double useful_max);

enum weft_scaling { WEFT_SCALING_AUTO, WEFT_SCALING_STRONG, WEFT_SCALING_WEAK };
extern const char *const weft_scaling_names[]; /* ends with NULL */
/* f[0] is the first run. Returns what was taken for `auto`: weak where instructions (or useful time) grow with the threads. */
enum weft_scaling weft_factors_scale(struct weft_factors *f, uint32_t n, enum weft_scaling how);

#endif
