/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles of tasks, inside. */
#ifndef WEFT_RUNTIME_TASK_BUNDLE_H
#define WEFT_RUNTIME_TASK_BUNDLE_H

#include <pthread.h>
#include <starpu.h>
#include <stdbool.h>

struct _starpu_task_bundle {
	pthread_mutex_t lock;
	struct starpu_task **task;
	unsigned n, cap;
	bool closed;
};

#endif
