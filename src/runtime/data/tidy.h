/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making room ahead of need: on a node with a limit some memory is kept free, and some data written
 * back, while no task waits for it.
 */
#ifndef WEFT_RUNTIME_DATA_TIDY_H
#define WEFT_RUNTIME_DATA_TIDY_H

void rt_tidy_begin(void); /* reads the environment */
/*
 * A task on this node is done: queues a pass of its mover, when enough has changed there. No lock
 * is held; never waits.
 */
void rt_tidy_after(unsigned node);

#endif
