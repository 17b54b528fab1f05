/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begin and end: the configuration, the machine, the layers, the core. starpu_init may be called several times; the last
 * starpu_shutdown ends it. Everything is taken back, so that it can begin again.
 */
#include "runtime/task/begin.h"
#include "runtime/data/mover.h"
#include "runtime/task/complain.h"
#include "runtime/drivers/drivers.h"
#include "runtime/run/run.h"
#include "runtime/simulate/simulate.h"
#include "layers.h"
#include "runtime/profile/prof_tool.h"
#include "runtime/profile/profile.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPIN_NS = 20000 };

static struct {
	pthread_mutex_t lock; /* of begin and end */
	pthread_cond_t changed;
	unsigned users;
	pid_t process;                 /* whose it is: a child of fork has no workers */
	struct weft_atomic_bool is_up; /* written with the lock: from when it may be used until it is taken back */
	unsigned paused;
	unsigned n_layers; /* that have begun */
} life = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int core_begin(struct rt_machine *m, struct weft_err *err)
{
	/* Where there is no CPU worker, one that no program sees does the runtime's own jobs. */
	unsigned hidden = m->cpus.word[0] || m->cpus.word[1] || m->cpus.word[2] ? 0 : 1;
	uint8_t traits[STARPU_NMAXWORKERS + 1] = {0};
	for (unsigned i = 0; i < m->n_workers; i++)
		traits[i] = (uint8_t)(m->worker[i].driver->traits | (m->worker[i].application ? RT_W_APPLICATION : 0));
	struct rt_how how = {
		.workers = m->n_workers + hidden,
		.spin_ns = rt_simulator ? 0
	                                : (uint64_t)starpu_get_env_number_default("STARPU_WORKERS_SPIN", SPIN_NS / 1000) * 1000,
		.traits = traits,
		.prios = m->prios,
		.hooks = &rt_run_hooks,
	};
	return rt_begin(&m->core, &how, err);
}

static void layers_end(struct rt_machine *m)
{
	while (life.n_layers > 0) {
		const struct rt_layer *l = rt_layers[--life.n_layers];
		if (l->end)
			l->end(m);
	}
}

static int begin(struct starpu_conf *conf, struct weft_err *err)
{
	struct rt_machine *m = &rt_machine;
	int rc = rt_conf_take(&m->conf, conf);
	if (rc)
		return weft_err_set(err, rc, "the configuration was not made by starpu_conf_init");
	m->policy = NULL;
	m->codelets++;
	m->idle_functions = starpu_get_env_number_default("STARPU_DISABLE_KERNELS", 0) > 0;
	m->tells_progress = starpu_get_env_number_default("STARPU_TASK_PROGRESS", 0) > 0;
	m->counts_no_codelets = starpu_get_env_number_default("STARPU_CODELET_PROFILING", 1) == 0;
	rt_simulate_begin(m);
	/* Before OpenCL: libraries of drivers take signals as well, and hand them on. */
	rt_signals_begin(m);
	rt_profile_begin();
	rt_tool_begin(&m->conf);
	rc = rt_topology_begin(m, err);
	rc = rc ? rc : rt_simulator ? rt_simulate_probe(m, err) : rt_drivers_probe(m, err);
	for (life.n_layers = 0; !rc && rt_layers[life.n_layers]; life.n_layers++)
		rc = rt_layers[life.n_layers]->begin ? rt_layers[life.n_layers]->begin(m, err) : 0;
	rt_run_begin(m);
	rc = rc ? rc : core_begin(m, err);
	if (!rc) {
		for (unsigned i = 0; i < m->n_workers; i++)
			m->core->worker[i].node = m->worker[i].node;
		rt_hooks_begin();
		if (m->policy)
			rt_ask(m->core, RT_ASK_TAKE, 0);
		for (unsigned i = 0; !rc && i < life.n_layers; i++)
			rc = rt_layers[i]->started ? rt_layers[i]->started(m, err) : 0;
	}
	if (rc) {
		if (m->core)
			rt_end(m->core);
		m->core = NULL;
		rt_profile_meters_end();
		layers_end(m);
		rt_topology_end(m);
		rt_signals_end();
		rt_tool_end();
		rt_simulate_end();
	}
	return rc;
}

static bool is_of_parent(void)
{
	return life.users && life.process != getpid();
}

int starpu_initialize(struct starpu_conf *user_conf, int *argc, char ***argv)
{
	(void)argc, (void)argv;
	struct weft_err err = {0};
	int rc = 0;
	pthread_mutex_lock(&life.lock);
	if (is_of_parent())
		rc = weft_err_set(&err, -ENODEV,
		                  "a process that was forked while StarPU ran has no workers, and cannot begin it");
	else if (!life.users)
		rc = begin(user_conf, &err);
	if (!rc && !life.users) {
		rt_watch_begin(&rt_machine);
		/* At last: threads inherit where their maker is bound. */
		rt_main_begin(&rt_machine);
		rt_tool_tell(starpu_prof_tool_event_init_end, RT_NO_WORKER);
		if (starpu_get_env_number_default("STARPU_DISPLAY_BINDINGS", 0) > 0)
			starpu_display_bindings();
	}
	if (!rc) {
		life.users++;
		life.process = getpid();
		weft_store_bool(&life.is_up, true);
		pthread_cond_broadcast(&life.changed);
	}
	pthread_mutex_unlock(&life.lock);
	if (rc)
		rt_say("%s", err.text);
	return rc;
}

int starpu_init(struct starpu_conf *conf)
{
	return starpu_initialize(conf, NULL, NULL);
}

int starpu_is_initialized(void)
{
	return weft_load_bool(&life.is_up);
}

void starpu_wait_initialized(void)
{
	pthread_mutex_lock(&life.lock);
	while (!weft_load_bool(&life.is_up))
		pthread_cond_wait(&life.changed, &life.lock);
	pthread_mutex_unlock(&life.lock);
}

/*
 * All tasks that can still run have, and what follows them: a task that is no longer counted may still let others go, and a handle
 * that was given back is taken apart by whoever ended the last task on it. Who came last goes first: those who look at the program
 * (live) look at what is still whole.
 */
static void drain(struct rt_machine *m)
{
	rt_ask(m->core, 0, RT_ASK_PAUSE);
	do
		starpu_task_wait_for_no_ready();
	while (!rt_is_quiet(m->core) || !rt_movers_rest() || (rt_unfinished(m->core) && starpu_task_nready()));
	for (unsigned i = life.n_layers; i-- > 0;)
		if (rt_layers[i]->stopping)
			rt_layers[i]->stopping(m);
}

void starpu_shutdown(void)
{
	struct rt_machine *m = &rt_machine;
	pthread_mutex_lock(&life.lock);
	if (!life.users || is_of_parent() || --life.users) {
		pthread_mutex_unlock(&life.lock);
		return;
	}
	if (rt_worker_self())
		rt_misuse("starpu_shutdown is called by a task or a callback, which would wait for its own end");
	rt_watch_end();
	drain(m);
	weft_store_bool(&life.is_up, false);
	rt_profile_end();
	rt_signals_end();
	rt_main_end(m);
	rt_end(m->core);
	rt_profile_meters_end();
	m->core = NULL;
	layers_end(m);
	rt_tags_end();
	rt_turns_end();
	rt_worker_tree_end();
	rt_topology_end(m);
	rt_tool_end();
	rt_simulate_end();
	life.paused = 0;
	pthread_mutex_unlock(&life.lock);
}

void starpu_pause(void)
{
	pthread_mutex_lock(&life.lock);
	struct rt_runtime *core = rt_machine.core;
	if (core && !life.paused++)
		rt_ask(core, RT_ASK_PAUSE, 0);
	pthread_mutex_unlock(&life.lock);
	if (core)
		rt_wait_paused(core);
}

void starpu_resume(void)
{
	pthread_mutex_lock(&life.lock);
	if (rt_machine.core && life.paused && !--life.paused)
		rt_ask(rt_machine.core, 0, RT_ASK_PAUSE);
	pthread_mutex_unlock(&life.lock);
}

int starpu_is_paused(void)
{
	pthread_mutex_lock(&life.lock);
	bool paused = life.paused > 0;
	pthread_mutex_unlock(&life.lock);
	return paused;
}
