/* SPDX-License-Identifier: Apache-2.0 */
/* Making room ahead of need: on a node with a limit some memory is kept free, and some data written back, while nobody waits. */
#ifndef WEFT_RUNTIME_DATA_TIDY_H
#define WEFT_RUNTIME_DATA_TIDY_H

void rt_tidy_begin(void); /* what the environment says */
/* A task on this node is done: its mover is asked for a pass, when enough has changed there. No lock is held; never waits. */
void rt_tidy_after(unsigned node);

#endif
