/* SPDX-License-Identifier: Apache-2.0 */
/* Machines that can be simulated: those with bus files in the folders of models, and those that came with Weft. */
#ifndef WEFT_CLI_SIMULATE_MACHINE_H
#define WEFT_CLI_SIMULATE_MACHINE_H

#include "base/err.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The folder (with bus/NAME.config) of a machine. false: nowhere. */
bool simulate_find_machine(const char *name, char *folder, size_t room);
struct simulate_machine {
	const char *name, *folder;
	unsigned cpus, numa, cuda, opencl;
	const char *about; /* the first line of bus/NAME.machine; "" */
};
/* Each machine once, by name within a folder, in the order in which folders are looked at. Stops at what is not 0, which it returns. */
int simulate_each_machine(int (*each)(void *arg, const struct simulate_machine *m), void *arg);

#endif
