/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See cost.h. An action that waits for a thread waits as long as the program takes to come there:
 * that is not predicted.
 */
#include "cost.h"

/* ns, on the machine of docs/performance.md. */
#define COST_START 5000000.0
#define COST_PROBE 50000.0
#define COST_HIT 35.0
#define COST_TRAP 1400.0
#define COST_ACTION 100000.0

struct cost_ns cost_predict(const struct cost_counts *n)
{
	return (struct cost_ns){(double)n->processes * COST_START, (double)n->probes * COST_PROBE,
	                        (double)n->hits * COST_HIT + (double)n->traps * COST_TRAP, (double)n->actions * COST_ACTION};
}
