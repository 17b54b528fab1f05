/* SPDX-License-Identifier: Apache-2.0 */
/* Disks as memory nodes. */
#ifndef WEFT_RUNTIME_DATA_DISK_H
#define WEFT_RUNTIME_DATA_DISK_H

#include "runtime/memory/node.h"

void rt_disks_begin(void); /* the one of STARPU_DISK_SWAP */
void rt_disks_end(void);

#endif
