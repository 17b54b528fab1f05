/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begin and end; the environment (OMP_*); the current task of a thread. A thread that has none is the initial thread, or another
 * of the application, and acts as the initial task.
 */
#include "omp.h"
#include "runtime/task/complain.h"
#include "runtime/task/machine.h"
#include <ctype.h>
#include <strings.h>
#include <unistd.h>

/* Before its begin and after its end there is the initial thread, for those who ask. */
struct omp_global omp = {.region = {.n = 1, .thread = &omp.thread},
                         .thread = {.region = &omp.region, .task = {.thread = &omp.thread}}};
static _Thread_local struct omp_task *current;

struct omp_task *omp_current(void)
{
	return current ? current : &omp.thread.task;
}

void omp_set_current(struct omp_task *t)
{
	current = t;
}

void omp_must_run(const char *function)
{
	if (!omp.runtime)
		rt_misuse("%s is called without starpu_omp_init", function);
}

_Noreturn void omp_no_memory(void)
{
	static const char text[] = "starpu: no memory for OpenMP's tasks\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	abort();
}

/* ---- the environment ---- */

static int number_of(const char *text, int least, int otherwise)
{
	char *end;
	long n = strtol(text, &end, 10);
	return end == text || n < least || n > 1 << 20 ? otherwise : (int)n;
}

static int env_number(const char *name, int least, int otherwise)
{
	const char *text = getenv(name);
	return text ? number_of(text, least, otherwise) : otherwise;
}

static bool env_bool(const char *name, bool otherwise)
{
	const char *text = getenv(name);
	if (!text)
		return otherwise;
	return !strcasecmp(text, "true") || !strcmp(text, "1") || !strcasecmp(text, "yes");
}

static void read_num_threads(void)
{
	const char *text = getenv("OMP_NUM_THREADS");
	while (text && omp.n_levels < OMP_LEVELS) {
		int n = number_of(text, 1, 0);
		if (n)
			omp.levels[omp.n_levels++] = n;
		text = strchr(text, ',');
		text += text != NULL;
	}
}

static void read_schedule(void)
{
	static const char *const kinds[] = {NULL, "static", "dynamic", "guided", "auto"};
	const char *text = getenv("OMP_SCHEDULE");
	omp.icvs.sched = starpu_omp_sched_static;
	if (!text)
		return;
	if (!strncasecmp(text, "monotonic:", 10))
		text += 10;
	else if (!strncasecmp(text, "nonmonotonic:", 13))
		text += 13;
	for (unsigned i = 1; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strncasecmp(text, kinds[i], strlen(kinds[i])))
			omp.icvs.sched = (uint8_t)i;
	const char *chunk = strchr(text, ',');
	int least = omp.icvs.sched == starpu_omp_sched_dynamic || omp.icvs.sched == starpu_omp_sched_guided;
	omp.icvs.sched_modifier = chunk ? number_of(chunk + 1, 1, least) : least;
}

static void read_bind(void)
{
	static const struct {
		const char *name;
		enum starpu_omp_proc_bind_value value;
	} kinds[] = {{"false", starpu_omp_proc_bind_false},   {"true", starpu_omp_proc_bind_true},
	             {"master", starpu_omp_proc_bind_master}, {"primary", starpu_omp_proc_bind_master},
	             {"close", starpu_omp_proc_bind_close},   {"spread", starpu_omp_proc_bind_spread}};
	const char *text = getenv("OMP_PROC_BIND");
	for (unsigned i = 0; text && i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strncasecmp(text, kinds[i].name, strlen(kinds[i].name)))
			omp.icvs.bind = (uint8_t)kinds[i].value;
}

/* A size in KiB, or with b, k, m, g behind it. */
static void read_stacksize(void)
{
	static const char units[] = "bkmg";
	const char *text = getenv("OMP_STACKSIZE");
	char *end;
	if (!text)
		return;
	unsigned long n = strtoul(text, &end, 10);
	while (isspace((unsigned char)*end))
		end++;
	const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : units + 1;
	if (n && unit)
		rt_stack_set_size((size_t)n << 10 * (unit - units));
}

void omp_read_environment(void)
{
	omp = (struct omp_global){.icvs = {.max_active_levels = env_number("OMP_MAX_ACTIVE_LEVELS", 0, 1),
	                                   .default_device = env_number("OMP_DEFAULT_DEVICE", 0, 0),
	                                   .dynamic = env_bool("OMP_DYNAMIC", false)},
	                          .cancellation = env_bool("OMP_CANCELLATION", false),
	                          .max_task_priority = env_number("OMP_MAX_TASK_PRIORITY", 0, 0)};
	read_num_threads();
	read_schedule();
	read_bind();
	read_stacksize();
	if (env_bool("OMP_NESTED", false) && !getenv("OMP_MAX_ACTIVE_LEVELS"))
		omp.icvs.max_active_levels = OMP_LEVELS;
}

/* ---- begin and end ---- */

static bool in_a_task(void)
{
	return current != NULL;
}

static const struct rt_waits waits = {in_a_task, omp_wait};

static void list_workers(void)
{
	omp.procs = (int)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, omp.worker, STARPU_NMAXWORKERS);
	for (int i = 0; i < STARPU_NMAXWORKERS; i++)
		omp.place[i] = -1;
	for (int i = 0; i < omp.procs; i++)
		omp.place[omp.worker[i]] = i;
}

int starpu_omp_init(void)
{
	struct starpu_conf conf;
	omp_read_environment();
	starpu_conf_init(&conf);
	int rc = starpu_init(&conf);
	if (rc)
		return rc;
	omp.runtime = rt_machine.core;
	list_workers();
	if (omp.procs < 1) {
		starpu_shutdown();
		return -ENODEV;
	}
	omp.thread_limit = env_number("OMP_THREAD_LIMIT", 1, omp.procs);
	omp.thread_limit = omp.thread_limit < omp.procs ? omp.thread_limit : omp.procs;
	omp.icvs.nthreads = omp.n_levels ? omp.levels[0] : omp.procs;
	omp.region = (struct omp_region){.n = 1, .thread = &omp.thread};
	omp.thread = (struct omp_thread){.region = &omp.region};
	omp.thread.task = (struct omp_task){.thread = &omp.thread, .icvs = omp.icvs};
	omp.arbiter = starpu_arbiter_create();
	omp_data_begin();
	omp_places_begin();
	rt_waits_are(&waits);
	return 0;
}

void starpu_omp_shutdown(void)
{
	omp_wait_for_descendants(&omp.thread.task);
	starpu_task_wait_for_all();
	rt_waits_are(NULL);
	starpu_arbiter_destroy(omp.arbiter);
	starpu_shutdown();
	omp_data_end();
	omp_locks_end();
	omp_places_end();
	omp_tasks_drop();
	omp.runtime = NULL;
}
