/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expected cost of measuring and tuning for the program: figures of bench/
 * (docs/performance.md), for predictions.
 */
#ifndef WEFT_TUNE_COST_H
#define WEFT_TUNE_COST_H

#include <stdint.h>

struct cost_counts {
	uint64_t processes, probes, hits, traps, actions;
};
struct cost_ns {
	double start, probes, events, actions; /* start: names are looked up while a process waits in front of main */
};

struct cost_ns cost_predict(const struct cost_counts *n);

#endif
