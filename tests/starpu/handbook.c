/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the handbook shows how to do in its chapter 3 (3.2, 3.3, 3.4.5, 3.5.6) and, in its older edition, of StarPU-Top: the same calls
 * with the same types, with <starpu.h> alone where it includes nothing else, in a program whose figures are known.
 */
#include <starpu.h>
#include <starpu_top.h>
#include "starpu_check.h"
#include <math.h>

enum { WORKERS = 6, TASKS = 60, TASK_US = 3000, EDGE = 8 };

static void begin(const char *policy)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = WORKERS;
	conf.ncuda = conf.nopencl = 0;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
}

static void sleep_task(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	usleep(TASK_US);
}
static struct starpu_codelet cl = {.cpu_funcs = {sleep_task}, .cpu_funcs_name = {"sleep_task"}, .name = "sleep_task"};

/* ---- 3.1.2: the callback looks at its own task ---- */

static double seen_in_callback;
static void look_at_task(void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	struct starpu_profiling_task_info *info = task ? task->profiling_info : NULL;
	CHECK(task && task->callback_arg == arg && info);
	if (info)
		seen_in_callback = starpu_timing_timespec_delay_us(&info->start_time, &info->end_time);
}

/* ---- 3.2 ---- */

static void profile_task(void)
{
	double delay = 0, length = 0, before = starpu_timing_now();
	struct starpu_task *task = starpu_task_create();
	task->cl = &cl;
	task->synchronous = 1;
	task->destroy = 0;
	task->callback_func = look_at_task;
	CHECK(starpu_task_submit(task) == 0);
	struct starpu_profiling_task_info *info = task->profiling_info;
	double took = starpu_timing_now() - before;
	delay += starpu_timing_timespec_delay_us(&info->submit_time, &info->start_time);
	length += starpu_timing_timespec_delay_us(&info->start_time, &info->end_time);
	CHECK(delay >= 0 && length >= TASK_US && delay + length <= took);
	CHECK(seen_in_callback == length);
	CHECK(info->workerid >= 0 && info->workerid < WORKERS && cl.per_worker_stats[info->workerid] > 0);
	starpu_task_destroy(task);
}

/* One worker has slept in a task, all others have looked for one: the ratios are those of the handbook. */
static void profile_workers(void)
{
	double executing = 0;
	for (unsigned worker = 0; worker < starpu_worker_get_count(); worker++) {
		struct starpu_profiling_worker_info worker_info;
		int ret = starpu_profiling_worker_get_info((int)worker, &worker_info);
		STARPU_ASSERT(!ret);
		double total_time = starpu_timing_timespec_to_us(&worker_info.total_time);
		double executing_time = starpu_timing_timespec_to_us(&worker_info.executing_time);
		double sleeping_time = starpu_timing_timespec_to_us(&worker_info.sleeping_time);
		double overhead_time = total_time - executing_time - sleeping_time;
		double executing_ratio = 100.0 * executing_time / total_time, sleeping_ratio = 100.0 * sleeping_time / total_time;
		char workername[128];
		starpu_worker_get_name((int)worker, workername, 128);
		CHECK(!strncmp(workername, "CPU ", 4) && overhead_time >= -1);
		CHECK(total_time >= TASK_US && executing_ratio + sleeping_ratio <= 100.001);
		CHECK(worker_info.executed_tasks == (executing_time > 0));
		executing += executing_time;
	}
	CHECK(executing >= TASK_US);
}

static void task_and_worker_profiling(void)
{
	begin(NULL);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_ENABLE);
	profile_task();
	profile_workers();
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	starpu_shutdown();
}

/* ---- 3.3 ---- */

static void cpu_mult(void *buffers[], void *arg)
{
	(void)arg;
	const float *a = (const float *)STARPU_MATRIX_GET_PTR(buffers[0]), *b = (const float *)STARPU_MATRIX_GET_PTR(buffers[1]);
	float *c = (float *)STARPU_MATRIX_GET_PTR(buffers[2]);
	for (int i = 0; i < EDGE * EDGE; i++)
		c[i] = a[i] * b[i];
}
static struct starpu_perfmodel mult_perf_model = {.type = STARPU_HISTORY_BASED, .symbol = "mult_perf_model"};
static struct starpu_codelet mult = {.cpu_funcs = {cpu_mult},
                                     .cpu_funcs_name = {"cpu_mult"},
                                     .nbuffers = 3,
                                     .modes = {STARPU_R, STARPU_R, STARPU_W},
                                     .model = &mult_perf_model};

/* A task that is never submitted, of data that there is not: what the model knows of it. */
static double estimate(unsigned edge)
{
	starpu_data_handle_t h[3];
	struct starpu_task *task = starpu_task_create();
	task->cl = &mult;
	for (int i = 0; i < 3; i++) {
		starpu_matrix_data_register(&h[i], -1, 0, edge, edge, edge, sizeof(float));
		task->handles[i] = h[i];
	}
	CHECK(!strcmp(starpu_task_get_model_name(task), "mult_perf_model"));
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, STARPU_NMAX_SCHED_CTXS);
	double us = starpu_task_expected_length(task, arch, 0);
	CHECK(starpu_task_footprint(&mult_perf_model, task, arch, 0) == starpu_task_data_footprint(task));
	CHECK(starpu_task_expected_energy(task, arch, 0) == 0); /* the codelet has no model of energy */
	task->destroy = 0;
	starpu_task_destroy(task);
	for (int i = 0; i < 3; i++)
		starpu_data_unregister(h[i]);
	return us;
}

static void dump_model(void)
{
	char text[65536] = "";
	FILE *f = tmpfile();
	CHECK(f != NULL);
	starpu_perfmodel_dump_xml(f, &mult_perf_model);
	rewind(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	CHECK(strstr(text, "mult_perf_model") && strstr(text, "<perfmodel"));
}

static void performance_model(void)
{
	static float a[EDGE * EDGE], b[EDGE * EDGE], c[EDGE * EDGE], *const at[] = {a, b, c};
	starpu_data_handle_t h[3];
	setenv("STARPU_HISTORY_MAX_ERROR", "1000000",
	       1); /* these tasks last some µs: a busy machine makes one ten times as long */
	begin("dmda");
	for (int i = 0; i < EDGE * EDGE; i++)
		a[i] = (float)i, b[i] = 2;
	for (int i = 0; i < 3; i++)
		starpu_matrix_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)at[i], EDGE, EDGE, EDGE, sizeof(float));
	for (int i = 0; i < TASKS; i++) {
		struct starpu_task *task = starpu_task_create();
		task->cl = &mult;
		for (int k = 0; k < 3; k++)
			task->handles[k] = h[k];
		CHECK(starpu_task_submit(task) == 0);
	}
	starpu_task_wait_for_all();
	double known = estimate(EDGE);
	CHECK(known > 0 && known < 1e6 && isnan(estimate(EDGE + 1)));
	dump_model();
	for (int i = 0; i < 3; i++)
		starpu_data_unregister(h[i]);
	CHECK(c[EDGE] == 2 * EDGE);
	starpu_shutdown();
}

/* ---- 3.4.5 ---- */

static int id_w_total_executed, id_w_cumul_execution_time;
static int64_t counted[WORKERS];
static double cumulated[WORKERS];
static void w_listener_cb(struct starpu_perf_counter_listener *listener, struct starpu_perf_counter_sample *sample, void *context)
{
	(void)listener;
	int w = starpu_worker_get_id();
	CHECK(w >= 0 && w < WORKERS && *(const int *)context == w);
	counted[w] = starpu_perf_counter_sample_get_int64_value(sample, id_w_total_executed);
	cumulated[w] = starpu_perf_counter_sample_get_double_value(sample, id_w_cumul_execution_time);
}

static void counters(void)
{
	int64_t sum = 0;
	begin(NULL);
	enum starpu_perf_counter_scope w_scope = starpu_perf_counter_scope_per_worker;
	struct starpu_perf_counter_set *w_set = starpu_perf_counter_set_alloc(w_scope);
	id_w_total_executed = starpu_perf_counter_name_to_id(w_scope, "starpu.task.w_total_executed");
	id_w_cumul_execution_time = starpu_perf_counter_name_to_id(w_scope, "starpu.task.w_cumul_execution_time");
	starpu_perf_counter_set_enable_id(w_set, id_w_total_executed);
	starpu_perf_counter_set_enable_id(w_set, id_w_cumul_execution_time);
	struct starpu_perf_counter_listener *w_listener = starpu_perf_counter_listener_init(w_set, w_listener_cb, NULL);
	starpu_perf_counter_set_all_per_worker_listeners(w_listener);
	starpu_perf_counter_collection_start();
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&cl, 0) == 0);
	starpu_task_wait_for_all();
	starpu_perf_counter_collection_stop();
	for (int w = 0; w < WORKERS; w++) {
		CHECK(cumulated[w] >= (double)counted[w] * TASK_US);
		sum += counted[w];
	}
	CHECK(sum == TASKS);
	starpu_perf_counter_unset_all_per_worker_listeners();
	starpu_perf_counter_listener_exit(w_listener);
	starpu_perf_counter_set_disable_id(w_set, id_w_total_executed);
	starpu_perf_counter_set_free(w_set);
	starpu_shutdown();
}

/* ---- 3.5.6: worker 5 is barred, and let in again ---- */

static unsigned ran_on[WORKERS];
static void note_worker(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran_on[starpu_worker_get_id()], 1, __ATOMIC_RELAXED);
	usleep(100);
}
static struct starpu_codelet notes = {.cpu_funcs = {note_worker}, .name = "notes"};

static unsigned run_notes(void)
{
	unsigned before = LOOK(ran_on[5]);
	for (int i = 0; i < TASKS * 5; i++)
		CHECK(starpu_task_insert(&notes, 0) == 0);
	starpu_task_wait_for_all();
	return LOOK(ran_on[5]) - before;
}

static void knobs(void)
{
	begin(NULL);
	int w_scope = starpu_perf_knob_scope_name_to_id("per_worker");
	int w_enable_id = starpu_perf_knob_name_to_id(w_scope, "starpu.worker.w_enable_worker_knob");
	int32_t val = starpu_perf_knob_get_per_worker_int32_value(w_enable_id, 5);
	CHECK(val == 1);
	starpu_perf_knob_set_per_worker_int32_value(w_enable_id, 5, 0);
	CHECK(starpu_perf_knob_get_per_worker_int32_value(w_enable_id, 5) == 0);
	CHECK(run_notes() == 0);
	starpu_perf_knob_set_per_worker_int32_value(w_enable_id, 5, 1);
	CHECK(starpu_perf_knob_get_per_worker_int32_value(w_enable_id, 5) == 1);
	unsigned turns = 0;
	while (run_notes() == 0 && turns < 1000)
		turns++;
	CHECK(turns < 1000); /* it takes tasks again */
	starpu_shutdown();
}

/* ---- StarPU-Top, with the types of its header ---- */

static double alpha = 1;
static void modif_hook(struct starpu_top_param *d)
{
	CHECK(!strcmp(d->name, "alpha") && d->value == &alpha);
}

static void top(void)
{
	setenv("WEFT_LIVE", "off", 1);
	begin(NULL);
	struct starpu_top_data *data = starpu_top_add_data_integer("mynum", 0, 100, 1);
	CHECK(data && data->type == STARPU_TOP_DATA_INTEGER && data->int_max_value == 100);
	struct starpu_top_param *param = starpu_top_register_parameter_float("alpha", &alpha, 0, 10, modif_hook);
	CHECK(param && param->double_max_value == 10);
	starpu_top_init_and_wait("the application"); /* nobody can look: it goes on */
	starpu_top_update_data_integer(data, 17);
	starpu_top_task_prevision(NULL, 0, 100, 200);
	starpu_shutdown();
	unsetenv("WEFT_LIVE");
}

int main(void)
{
	char home[] = "/tmp/weft-handbook-XXXXXX", command[100];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_CALIBRATE", "1", 1);
	task_and_worker_profiling();
	performance_model();
	counters();
	knobs();
	top();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
