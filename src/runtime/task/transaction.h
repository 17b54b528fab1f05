/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of transactions, as the submission and the workers see them. */
#ifndef WEFT_RUNTIME_TASK_TRANSACTION_H
#define WEFT_RUNTIME_TASK_TRANSACTION_H

#include "task.h"

/* The task, which is being submitted, is of the present epoch of its transaction. 0 or -ENOMEM. */
int rt_transaction_join(struct rt_task *own) WEFT_MUST_CHECK;
/* Its epoch is to run; queried when the task is to run. */
bool rt_transaction_runs(const struct starpu_task *t);
/* It is done, or was left out. */
void rt_transaction_leave(struct starpu_task *t);

#endif
