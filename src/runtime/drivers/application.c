/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that the application runs itself: conf.not_launched_drivers names them, and a thread of the application becomes such a
 * worker between starpu_driver_init and starpu_driver_deinit.
 */
#include "drivers.h"
#include <errno.h>
#include <time.h>

/* The serial of the runtime whose workers shall end; a later runtime begins anew. */
static struct weft_atomic_u64 ended;

static struct rt_worker *find(const struct starpu_driver *d)
{
	for (unsigned i = 0; rt_machine.core && i < rt_machine.n_workers; i++) {
		const struct rt_worker_info *w = &rt_machine.worker[i];
		if (w->application && rt_driver_is(w, d))
			return &rt_machine.core->worker[i];
	}
	return NULL;
}

void starpu_drivers_preinit(void)
{
	/* Nothing is to be known before starpu_init. */
}

int starpu_driver_init(struct starpu_driver *d)
{
	struct rt_worker *w = find(d);
	if (!w)
		return -EINVAL;
	rt_worker_enter(w);
	return 0;
}

int starpu_driver_run_once(struct starpu_driver *d)
{
	struct rt_worker *w = find(d);
	if (!w)
		return -EINVAL;
	rt_worker_visit(w);
	/* It may have been the last, and the application may not come back. */
	rt_tell_waiters(w->runtime);
	return 0;
}

int starpu_driver_deinit(struct starpu_driver *d)
{
	struct rt_worker *w = find(d);
	if (!w)
		return -EINVAL;
	rt_worker_leave(w);
	return 0;
}

static bool shall_end(void)
{
	return weft_load_u64(&ended) == rt_machine.core->serial;
}

int starpu_driver_run(struct starpu_driver *d)
{
	struct rt_worker *w = find(d);
	if (!w)
		return -EINVAL;
	rt_worker_enter(w);
	/* Looks now and then whether it shall end: nobody can wake it for that alone. */
	while (!shall_end())
		if (!rt_worker_visit(w))
			nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
	while (rt_worker_visit(w))
		continue;
	rt_worker_leave(w);
	return 0;
}

void starpu_drivers_request_termination(void)
{
	if (rt_machine.core)
		weft_store_u64(&ended, rt_machine.core->serial);
}
