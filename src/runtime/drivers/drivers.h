/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of this build. */
#ifndef WEFT_RUNTIME_DRIVERS_DRIVERS_H
#define WEFT_RUNTIME_DRIVERS_DRIVERS_H

#include "runtime/task/driver.h"

/* All there are, in the order in which their workers are numbered: devices, then CPUs, the last one, as StarPU has it. NULL follows. */
extern const struct rt_driver *const rt_drivers[];
extern const struct rt_driver rt_driver_cpu, rt_driver_opencl;

/* Adds all workers and memory nodes to the machine that begins. 0, or negative and `err` says why. */
int rt_drivers_probe(struct rt_machine *m, struct weft_err *err) WEFT_MUST_CHECK;

/* cpu_memory.c: main memory as one node or as several, those first that CPU workers are in. */
int rt_cpu_memory_probe(struct rt_machine *m, struct weft_err *err);

#endif
