/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundles of tasks: a list with a lock of its own, and a pointer from each task to its bundle.
 * Closing only marks it; the bundle is freed when it is closed and its last task has left, by
 * whichever comes last.
 */
#include "bundle.h"
#include "complain.h"
#include <stdlib.h>

void starpu_task_bundle_create(starpu_task_bundle_t *bundle)
{
	struct _starpu_task_bundle *b = calloc(1, sizeof *b);
	if (!b)
		rt_misuse("no memory for a bundle");
	pthread_mutex_init(&b->lock, NULL);
	*bundle = b;
}

static int add(struct _starpu_task_bundle *b, struct starpu_task *task)
{
	if (b->closed)
		return -EPERM;
	if (b->n == b->cap) {
		unsigned cap = b->cap ? 2 * b->cap : 8;
		struct starpu_task **more = realloc(b->task, cap * sizeof *more);
		if (!more)
			return -ENOMEM;
		b->task = more;
		b->cap = cap;
	}
	b->task[b->n++] = task;
	task->bundle = b;
	return 0;
}

int starpu_task_bundle_insert(starpu_task_bundle_t bundle, struct starpu_task *task)
{
	if (!bundle || !task)
		rt_misuse("starpu_task_bundle_insert: there is no %s", bundle ? "task" : "bundle");
	if (task->bundle || task->status != STARPU_TASK_INIT)
		return -EINVAL;
	pthread_mutex_lock(&bundle->lock);
	int rc = add(bundle, task);
	pthread_mutex_unlock(&bundle->lock);
	return rc;
}

/* With its lock, which it releases. */
static void leave(struct _starpu_task_bundle *b)
{
	bool gone = b->closed && !b->n;
	pthread_mutex_unlock(&b->lock);
	if (!gone)
		return;
	pthread_mutex_destroy(&b->lock);
	free(b->task);
	free(b);
}

int starpu_task_bundle_remove(starpu_task_bundle_t bundle, struct starpu_task *task)
{
	int rc = -ENOENT;
	pthread_mutex_lock(&bundle->lock);
	for (unsigned i = 0; i < bundle->n && rc; i++)
		if (bundle->task[i] == task) {
			bundle->task[i] = bundle->task[--bundle->n];
			task->bundle = NULL;
			rc = 0;
		}
	leave(bundle);
	return rc;
}

void starpu_task_bundle_close(starpu_task_bundle_t bundle)
{
	pthread_mutex_lock(&bundle->lock);
	bundle->closed = true;
	leave(bundle);
}
