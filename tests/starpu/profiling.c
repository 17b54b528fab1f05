/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling: while it is off, tasks have no times; while it is on, each has the times of its stations, in their order, and workers say
 * what they did since they were asked last. It may be switched while tasks run.
 */
#include "starpu_check.h"
#include <starpu_profiling.h>
#include <sys/stat.h>

enum { TASKS = 20, SLEEP_US = 2000 };

static void nap(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	usleep(SLEEP_US);
}
static void quick(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static void call_back(void *arg)
{
	(void)arg;
	usleep(SLEEP_US);
}
static struct starpu_codelet naps = {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_R}, .name = "naps"};
static struct starpu_codelet quicks = {.cpu_funcs = {quick}, .name = "quicks"};

static double us(const struct timespec *from, const struct timespec *to)
{
	return starpu_timing_timespec_delay_us((struct timespec *)(uintptr_t)from, (struct timespec *)(uintptr_t)to);
}

static void check_times(const struct starpu_profiling_task_info *i)
{
	const struct timespec *const stations[] = {
		&i->submit_time,       &i->push_start_time,         &i->push_end_time,         &i->pop_start_time,
		&i->pop_end_time,      &i->acquire_data_start_time, &i->acquire_data_end_time, &i->start_time,
		&i->end_time,          &i->release_data_start_time, &i->release_data_end_time, &i->callback_start_time,
		&i->callback_end_time,
	};
	CHECK(stations[0]->tv_sec || stations[0]->tv_nsec);
	for (size_t k = 1; k < sizeof stations / sizeof stations[0]; k++)
		CHECK(us(stations[k - 1], stations[k]) >= 0);
	CHECK(us(&i->start_time, &i->end_time) >= SLEEP_US && us(&i->callback_start_time, &i->callback_end_time) >= SLEEP_US);
	CHECK(i->workerid >= 0 && i->workerid < (int)starpu_worker_get_count());
}

static void run(starpu_data_handle_t h, int is_on)
{
	struct starpu_task *task[TASKS];
	for (int i = 0; i < TASKS; i++) {
		task[i] = starpu_task_create();
		task[i]->cl = &naps;
		task[i]->handles[0] = h;
		task[i]->callback_func = call_back;
		task[i]->detach = 0;
		task[i]->destroy = 0;
		CHECK(starpu_task_submit(task[i]) == 0);
	}
	CHECK(starpu_task_wait_array(task, TASKS) == 0);
	for (int i = 0; i < TASKS; i++) {
		CHECK(!task[i]->profiling_info == !is_on);
		if (task[i]->profiling_info)
			check_times(task[i]->profiling_info);
		starpu_task_destroy(task[i]);
	}
}

/* All workers together; asked for once more, there is nothing. */
static void check_workers(int tasks)
{
	int done = 0, again = 0;
	double executing = 0, calling_back = 0;
	for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
		struct starpu_profiling_worker_info info;
		CHECK(starpu_profiling_worker_get_info(w, &info) == 0);
		done += info.executed_tasks;
		executing += starpu_timing_timespec_to_us(&info.executing_time);
		calling_back += starpu_timing_timespec_to_us(&info.callback_time);
		CHECK(starpu_timing_timespec_to_us(&info.executing_time) <= starpu_timing_timespec_to_us(&info.total_time));
		CHECK(starpu_profiling_worker_get_info(w, &info) == 0);
		again += info.executed_tasks;
		CHECK(starpu_timing_timespec_to_us(&info.all_executing_time) >=
		      starpu_timing_timespec_to_us(&info.executing_time));
	}
	CHECK(done == tasks && again == 0);
	CHECK(executing >= TASKS * SLEEP_US && calling_back >= TASKS * SLEEP_US);
	CHECK(starpu_profiling_worker_get_info(99, NULL) < 0);
}

/* On and off while tasks of both kinds are under way: nothing is lost. */
static void switch_often(void)
{
	for (int i = 0; i < 2000; i++) {
		if (i % 50 == 0)
			starpu_profiling_status_set(i % 100 ? STARPU_PROFILING_ENABLE : STARPU_PROFILING_DISABLE);
		CHECK(starpu_task_insert(&quicks, 0) == 0);
	}
	starpu_task_wait_for_all();
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
}

static void with(const char *policy)
{
	struct starpu_conf conf;
	starpu_data_handle_t h;
	int value = 0;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_DISABLE);
	run(h, 0);
	CHECK(starpu_profiling_status_set(STARPU_PROFILING_ENABLE) == STARPU_PROFILING_DISABLE);
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_ENABLE);
	run(h, 1);
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&quicks, 0) == 0);
	starpu_task_wait_for_all();
	check_workers(2 * TASKS);
	CHECK(starpu_profiling_status_set(STARPU_PROFILING_DISABLE) == STARPU_PROFILING_ENABLE);
	starpu_profiling_init(); /* the environment does not ask for it */
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_DISABLE);
	run(h, 0);
	switch_often();
	starpu_data_unregister(h);
	starpu_shutdown();
}

/* "TEXT <number>" follows; where it goes on, or NULL. */
static const char *number(const char *at, const char *text, double *found)
{
	char *end = NULL;
	if (!at || strncmp(at, text, strlen(text)))
		return NULL;
	*found = strtod(at + strlen(text), &end);
	return end > at + strlen(text) ? end : NULL;
}

static const char *numbers(const char *at, const char *const *text, double *found)
{
	for (; at && *text; text++, found++)
		at = number(at, *text, found);
	return at;
}

/* The parts are the total, but for what is rounded away. */
static void check_split(const char *at)
{
	static const char *const words[] = {"\ttime split: total ", " ms = executing: ",  " ms + callback: ", " ms + waiting: ",
	                                    " ms + sleeping: ",     " ms + scheduling: ", " ms + overhead ",  NULL};
	static const char *const all[] =
		{" ms\n\tall time: executing: ", " ms callback: ", " ms waiting: ", " ms sleeping: ", " ms scheduling: ", NULL};
	double n[7], a[5], sum = 0;
	at = numbers(at, words, n);
	CHECK(at != NULL);
	at = numbers(at, all, a);
	CHECK(at && !strncmp(at, " ms\n", 4));
	for (int i = 1; i < 7; i++)
		sum += n[i];
	CHECK(sum - n[0] < 0.04 && n[0] - sum < 0.04);
}

static void check_layout(const char *text)
{
	int tasks = 0, workers = 0;
	CHECK(!strncmp(text, "\n#---------------------\nWorker stats:\n", 37));
	for (const char *at = text; (at = strstr(at, " task(s)\n")); workers++) {
		const char *line = at;
		while (line[-1] != '\t')
			line--;
		tasks += atoi(line);
		at = strchr(at, '\n') + 1;
		check_split(at);
	}
	CHECK(tasks == 1 && workers >= 1);
	CHECK(strstr(text, "GFlop/s\n") && strstr(text, "\nGlobal time split: total "));
}

static void by_environment(void)
{
	char path[] = "/tmp/weft-profiling-XXXXXX", text[8192] = "";
	int file = mkstemp(path);
	setenv("STARPU_PROFILING", "1", 1);
	setenv("STARPU_WORKER_STATS", "1", 1);
	setenv("STARPU_WORKER_STATS_FILE", path, 1);
	if (starpu_init(NULL))
		cannot_begin();
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_ENABLE);
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	starpu_profiling_init();
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_ENABLE);
	CHECK(starpu_task_insert(&quicks, STARPU_FLOPS, 1e12, 0) == 0);
	starpu_shutdown();
	CHECK(read(file, text, sizeof text - 1) > 0);
	check_layout(text);
	close(file);
	unlink(path);
}

/* A link that another user has laid is not written through; as root only, who can make one. */
static void by_a_planted_link(void)
{
	char folder[] = "/tmp/weft-profiling-XXXXXX", link[60], behind[60];
	struct stat st;
	if (geteuid() || !mkdtemp(folder))
		return;
	snprintf(link, sizeof link, "%s/link", folder);
	snprintf(behind, sizeof behind, "%s/behind", folder);
	CHECK(symlink(behind, link) == 0 && lchown(link, 65534, (gid_t)-1) == 0);
	setenv("STARPU_PROFILING", "1", 1);
	setenv("STARPU_WORKER_STATS", "1", 1);
	setenv("STARPU_WORKER_STATS_FILE", link, 1);
	setenv("STARPU_IDLE_FILE", link, 1);
	setenv("STARPU_BUS_STATS", "1", 1);
	setenv("STARPU_BUS_STATS_FILE", link, 1);
	if (starpu_init(NULL))
		cannot_begin();
	starpu_shutdown();
	CHECK(stat(behind, &st) != 0);
	unlink(link);
	unlink(behind);
	rmdir(folder);
	unsetenv("STARPU_IDLE_FILE");
	unsetenv("STARPU_BUS_STATS");
	unsetenv("STARPU_BUS_STATS_FILE");
	unsetenv("STARPU_WORKER_STATS_FILE");
}

/* By worker, whether they are plain or not; not at all where the user wants that. */
static void codelets(int counted)
{
	static struct starpu_codelet cl = {.cpu_funcs = {quick}, .name = "counted"};
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	memset(cl.per_worker_stats, 0, sizeof cl.per_worker_stats);
	if (starpu_init(&conf))
		cannot_begin();
	for (int i = 0; i < 10; i++)
		CHECK(starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, i < 7, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(cl.per_worker_stats[0] == (counted ? 3 : 0) && cl.per_worker_stats[1] == (counted ? 7 : 0));
	for (int i = 0; i < 100; i++)
		CHECK(starpu_task_insert(&cl, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(cl.per_worker_stats[0] + cl.per_worker_stats[1] == (counted ? 110 : 0));
	starpu_shutdown();
}

int main(void)
{
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	unsetenv("STARPU_SCHED");
	with("lws");
	with("dmda");
	by_environment();
	by_a_planted_link();
	unsetenv("STARPU_PROFILING");
	unsetenv("STARPU_WORKER_STATS");
	codelets(1);
	setenv("STARPU_CODELET_PROFILING", "0", 1);
	codelets(0);
	return checks_failed();
}
