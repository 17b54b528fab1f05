/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Energy that the program measures itself: around batches of tasks, whose mean goes into a model;
 * and joules that it reports for the whole run.
 */
#include "runtime/task/complain.h"
#include "profile.h"
#include "runtime/meter/energy.h"
#include <stdlib.h>

static struct {
	pthread_mutex_t lock;
	bool measures;
	double from; /* Joules */
	double said; /* by starpu_energy_use */
	double began_us;
} my = {.lock = PTHREAD_MUTEX_INITIALIZER};

void starpu_energy_use(float joules)
{
	pthread_mutex_lock(&my.lock);
	my.said += (double)joules;
	pthread_mutex_unlock(&my.lock);
}

/* With the machine's idle consumption, where the user gives it. */
double starpu_energy_used(void)
{
	float watts = rt_env_factor("STARPU_IDLE_POWER", 0);
	pthread_mutex_lock(&my.lock);
	double joules = my.said;
	pthread_mutex_unlock(&my.lock);
	double seconds = rt_machine.core ? (starpu_timing_now() - my.began_us) / 1e6 : 0;
	return joules + (double)watts * seconds;
}

void rt_energy_batch_begin(void)
{
	my.said = 0;
	my.began_us = starpu_timing_now();
}

/* Workers that can be measured. Processors count for all their cores together. */
static int check(const char *function, int workerid, enum starpu_worker_archtype archi)
{
	if (archi != STARPU_CPU_WORKER) {
		rt_say("%s: the energy of %s workers cannot be measured here", function, starpu_worker_get_type_as_string(archi));
		return -ENODEV;
	}
	if (workerid != -1) {
		rt_say("%s: processors count for all their cores together: worker %d cannot be measured alone, give -1", function,
		       workerid);
		return -EINVAL;
	}
	return 0;
}

int starpu_energy_start(int workerid, enum starpu_worker_archtype archi)
{
	struct weft_err err = {0};
	int rc = check(__func__, workerid, archi);
	if (rc)
		return rc;
	pthread_mutex_lock(&my.lock);
	rc = my.measures ? weft_err_set(&err, -EBUSY, "a batch is being measured already") : rt_energy_open(&err);
	if (!rc) {
		my.measures = true;
		my.from = rt_energy_joules();
	}
	pthread_mutex_unlock(&my.lock);
	if (rc)
		rt_say("%s: %s", __func__, err.text);
	return rc;
}

static int first_worker(enum starpu_worker_archtype archi)
{
	return starpu_worker_get_by_type(archi, 0);
}

int starpu_energy_stop(struct starpu_perfmodel *model, struct starpu_task *task, unsigned nimpl, unsigned ntasks, int workerid,
                       enum starpu_worker_archtype archi)
{
	int rc = check(__func__, workerid, archi), worker = first_worker(archi);
	if (rc)
		return rc;
	pthread_mutex_lock(&my.lock);
	bool measured = my.measures;
	double joules = measured ? rt_energy_joules() - my.from : 0;
	if (measured)
		rt_energy_close();
	my.measures = false;
	pthread_mutex_unlock(&my.lock);
	if (!measured || !ntasks || worker < 0) {
		rt_say("%s: %s", __func__, !measured ? "there was no starpu_energy_start" : "there were no tasks");
		return -EINVAL;
	}
	if (joules <= 0) {
		rt_say("%s: the counter has not moved: the batch was too short, or the machine does not count", __func__);
		return -ENODATA;
	}
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
	starpu_perfmodel_update_history_n(model, task, arch, (unsigned)worker, nimpl, joules / ntasks, ntasks);
	return 0;
}
