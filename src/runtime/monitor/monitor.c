/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of counters and knobs. */
#include "monitor.h"
#include <pthread.h>
#include <starpu_perf_monitoring.h>

static struct {
	pthread_mutex_t lock;
	bool up;
} life = {.lock = PTHREAD_MUTEX_INITIALIZER};

void monitor_lock(void)
{
	pthread_mutex_lock(&life.lock);
}

void monitor_unlock(void)
{
	pthread_mutex_unlock(&life.lock);
}

bool monitor_is_up(void)
{
	return life.up;
}

static void set_up(bool up)
{
	monitor_lock();
	life.up = up;
	monitor_unlock();
}

static int monitor_started(struct rt_machine *m, struct weft_err *err)
{
	(void)err;
	counter_begin();
	set_up(true);
	if (m->conf.start_perf_counter_collection)
		starpu_perf_counter_collection_start();
	return 0;
}

/* From now on nothing is turned any more: what it acts on goes. */
static void monitor_stopping(struct rt_machine *m)
{
	(void)m;
	set_up(false);
}

static void monitor_end(struct rt_machine *m)
{
	(void)m;
	monitor_lock();
	life.up = false;
	counter_end();
	monitor_unlock();
}

const struct rt_layer rt_layer_monitor = {"monitor", NULL, monitor_started, monitor_stopping, monitor_end};
