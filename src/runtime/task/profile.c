/* SPDX-License-Identifier: Apache-2.0 */
/* Stamping tasks, and what workers did since they were asked last. A worker's numbers are its own to add to, anybody's to take. */
#include "complain.h"
#include "machine.h"
#include "profile.h"
#include "watch.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct spent {
	struct weft_atomic_u64 since, executing, calling_back, sleeping, tasks;
	struct weft_atomic_u64 all_executing, all_calling_back, all_sleeping; /* what was asked for already */
	struct weft_atomic_u64 from;                                          /* what it is at now began; 0: unknown */
};
static struct spent spent[STARPU_NMAXWORKERS + 1];
static struct weft_atomic_u64 began; /* when they were all 0 */

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / STARPU_NS_PER_S), .tv_nsec = (long)(ns % STARPU_NS_PER_S)};
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * STARPU_NS_PER_S + (uint64_t)t->tv_nsec;
}

static struct starpu_profiling_task_info *info_of(struct starpu_task *t)
{
	return t ? t->profiling_info : NULL;
}

/* ---- a task's stations ---- */

static void at_submit(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	if (!t)
		return;
	if (!t->profiling_info)
		t->profiling_info = malloc(sizeof *t->profiling_info);
	if (t->profiling_info)
		*t->profiling_info = (struct starpu_profiling_task_info){.submit_time = time_of(now), .workerid = -1};
}

static void at_ready(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (i)
		i->push_start_time = i->push_end_time = time_of(now);
}

/* What the core's own loop schedules is pushed and popped at once. */
static void at_pop(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (!i)
		return;
	i->pop_start_time = i->pop_end_time = i->acquire_data_start_time = time_of(now);
	if (!ns_of(&i->push_end_time))
		i->push_start_time = i->push_end_time = i->pop_start_time;
}

static void at_start(struct starpu_task *t, unsigned worker, uint64_t now)
{
	struct starpu_profiling_task_info *i = info_of(t);
	weft_store_u64(&spent[worker].from, now);
	if (!i)
		return;
	i->acquire_data_end_time = i->start_time = time_of(now);
	i->workerid = (int)worker;
}

/* What the worker was at until now is counted, and something else begins. */
static void profile_turn(unsigned worker, struct weft_atomic_u64 *was_at, uint64_t now)
{
	uint64_t from = weft_swap_u64(&spent[worker].from, now);
	if (was_at && from)
		weft_add_u64(was_at, now - from);
}

static void at_end(struct starpu_task *t, unsigned worker, uint64_t now)
{
	struct starpu_profiling_task_info *i = info_of(t);
	weft_add_u64(&spent[worker].tasks, 1);
	profile_turn(worker, &spent[worker].executing, now);
	if (i)
		i->end_time = i->release_data_start_time = time_of(now);
}

static void at_released(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (i)
		i->release_data_end_time = i->callback_start_time = i->callback_end_time = time_of(now);
}

static void at_callback(struct starpu_task *t, unsigned worker, uint64_t now)
{
	struct starpu_profiling_task_info *i = info_of(t);
	if (i)
		i->callback_start_time = time_of(now);
	profile_turn(worker, NULL, now);
}

static void at_called_back(struct starpu_task *t, unsigned worker, uint64_t now)
{
	struct starpu_profiling_task_info *i = info_of(t);
	if (i)
		i->callback_end_time = time_of(now);
	profile_turn(worker, &spent[worker].calling_back, now);
}

static void at_sleep(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)t;
	profile_turn(worker, NULL, now);
}

static void at_wake(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)t;
	profile_turn(worker, &spent[worker].sleeping, now);
}

static void profile_pass(enum rt_station at, struct starpu_task *t, unsigned worker, uint64_t now)
{
	static void (*const stations[RT_STATIONS])(struct starpu_task *, unsigned, uint64_t) = {
		[RT_AT_SUBMIT] = at_submit,     [RT_AT_READY] = at_ready,
		[RT_AT_POP] = at_pop,           [RT_AT_START] = at_start,
		[RT_AT_END] = at_end,           [RT_AT_RELEASED] = at_released,
		[RT_AT_CALLBACK] = at_callback, [RT_AT_CALLED_BACK] = at_called_back,
		[RT_AT_SLEEP] = at_sleep,       [RT_AT_WAKE] = at_wake,
	};
	stations[at](t, worker, now);
}

/* ---- on and off ---- */

static void begin_anew(void)
{
	weft_store_u64(&began, weft_monotonic_ns());
	for (struct spent *s = spent; s < spent + STARPU_NMAXWORKERS; s++) {
		struct weft_atomic_u64 *const each[] = {&s->executing,     &s->calling_back,     &s->sleeping,     &s->tasks,
		                                        &s->all_executing, &s->all_calling_back, &s->all_sleeping, &s->from};
		for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
			weft_store_u64(each[i], 0);
		weft_store_u64(&s->since, weft_monotonic_ns());
	}
}

int starpu_profiling_status_set(int status)
{
	bool was = rt_is_watched_by(RT_WATCH_PROFILE);
	if (!was && status)
		begin_anew();
	rt_watch(RT_WATCH_PROFILE, status == STARPU_PROFILING_DISABLE ? NULL : profile_pass);
	return was;
}

int(starpu_profiling_status_get)(void)
{
	return rt_is_watched_by(RT_WATCH_PROFILE);
}

/* STARPU_WORKER_STATS and STARPU_IDLE_FILE are told from the same numbers. */
static bool is_asked_for(void)
{
	return starpu_get_env_number_default("STARPU_PROFILING", 0) > 0 ||
	       starpu_get_env_number_default("STARPU_WORKER_STATS", 0) > 0 || getenv("STARPU_IDLE_FILE");
}

void rt_profile_begin(void)
{
	begin_anew();
	if (is_asked_for())
		starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
}

void starpu_profiling_init(void)
{
	rt_profile_begin();
}

/* ---- a worker's numbers, since they were asked for last ---- */

/* What there is, which from now on was asked for. */
static struct timespec profile_take(struct weft_atomic_u64 *from, struct weft_atomic_u64 *all)
{
	uint64_t ns = weft_swap_u64(from, 0);
	weft_add_u64(all, ns);
	return time_of(ns);
}

int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info *worker_info)
{
	if (workerid < 0 || (unsigned)workerid >= rt_machine.n_workers)
		return -EINVAL;
	struct spent *s = &spent[workerid];
	uint64_t now = weft_monotonic_ns(), since = weft_swap_u64(&s->since, now);
	struct starpu_profiling_worker_info info = {
		.start_time = time_of(since),
		.total_time = time_of(now - since),
		.executing_time = profile_take(&s->executing, &s->all_executing),
		.callback_time = profile_take(&s->calling_back, &s->all_calling_back),
		.sleeping_time = profile_take(&s->sleeping, &s->all_sleeping),
		.executed_tasks = (int)weft_swap_u64(&s->tasks, 0),
	};
	info.all_executing_time = time_of(weft_load_u64(&s->all_executing));
	info.all_callback_time = time_of(weft_load_u64(&s->all_calling_back));
	info.all_sleeping_time = time_of(weft_load_u64(&s->all_sleeping));
	if (worker_info)
		*worker_info = info;
	return 0;
}

static void print_summary(FILE *f)
{
	fprintf(f, "worker                          tasks   executing (ms)   callbacks (ms)    sleeping (ms)\n");
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		struct starpu_profiling_worker_info info;
		starpu_profiling_worker_get_info((int)i, &info);
		fprintf(f, "%-28.28s %8d %16.2f %16.2f %16.2f\n", rt_machine.worker[i].name, info.executed_tasks,
		        starpu_timing_timespec_to_us(&info.executing_time) / 1000,
		        starpu_timing_timespec_to_us(&info.callback_time) / 1000,
		        starpu_timing_timespec_to_us(&info.sleeping_time) / 1000);
	}
}

void starpu_profiling_worker_helper_display_summary(void)
{
	print_summary(stderr);
}

/* One that somebody else may have laid there, so that we write to what he may not. */
static bool is_anothers_link(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid != 0;
}

/* A file that the environment names; how: O_APPEND or O_TRUNC. */
static FILE *open_named(const char *path, int how)
{
	int fd = is_anothers_link(path) ? -1 : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | how, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, how == O_APPEND ? "a" : "w");
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* STARPU_IDLE_FILE: a line more, of all workers' time without a function or a callback, in microseconds. */
static void add_idle_time(const char *path)
{
	FILE *f = open_named(path, O_APPEND);
	if (!f) {
		rt_say("STARPU_IDLE_FILE: cannot write '%s'", path);
		return;
	}
	uint64_t all = rt_machine.n_workers * (weft_monotonic_ns() - weft_load_u64(&began)), busy = 0;
	for (struct spent *s = spent; s < spent + rt_machine.n_workers; s++)
		busy += weft_load_u64(&s->executing) + weft_load_u64(&s->all_executing) + weft_load_u64(&s->calling_back) +
		        weft_load_u64(&s->all_calling_back);
	fprintf(f, "%.3f\n", (double)(all > busy ? all - busy : 0) / 1e3);
	fclose(f);
}

/* STARPU_WORKER_STATS: on stderr, or in STARPU_WORKER_STATS_FILE. */
void rt_profile_end(void)
{
	if (!rt_is_watched_by(RT_WATCH_PROFILE))
		return;
	const char *path = getenv("STARPU_WORKER_STATS_FILE"), *idle = getenv("STARPU_IDLE_FILE");
	if (idle && *idle)
		add_idle_time(idle);
	if (starpu_get_env_number_default("STARPU_WORKER_STATS", 0) > 0) {
		FILE *f = path && *path ? open_named(path, O_TRUNC) : NULL;
		if (path && *path && !f)
			rt_say("STARPU_WORKER_STATS_FILE: cannot write '%s'", path);
		print_summary(f ? f : stderr);
		if (f)
			fclose(f);
	}
	if (is_asked_for())
		starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
}
