/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime that is simulated: the machine is another one, of which bus files and performance models are known; its workers are
 * strands (core/simulator.h), tasks take the time that their models expect, and transfers that of their way. For api/init.c.
 */
#ifndef WEFT_RUNTIME_SIMULATE_H
#define WEFT_RUNTIME_SIMULATE_H

#include "runtime/task/machine.h"

/*
 * Before the machine is looked at: where time is simulated (meter/virtual_time.h), the machine that STARPU_HOSTNAME names is read, and
 * rt_simulator is set. Where it cannot be, that is said in one line, and the program ends with status 2.
 */
void rt_simulate_begin(struct rt_machine *m);
/* Instead of the drivers that there are: workers and memory nodes of that machine. 0, or negative and `err` says why. */
int rt_simulate_probe(struct rt_machine *m, struct weft_err *err) WEFT_MUST_CHECK;
/* At the very end: how long it took, and the trace. */
void rt_simulate_end(void);
/* Memory nodes of devices; between those of data and of perf. */
extern const struct rt_layer rt_layer_simulate;

#endif
