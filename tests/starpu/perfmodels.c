/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance models: what samples make of them, what they expect, files that come back, sizes and footprints of the program's
 * own, measuring while tasks run; and models that move to StarPU 1.3 and back, where that is installed.
 */
#include "starpu_check.h"
#include <math.h>
#include <stdint.h>
#include <unistd.h>

static void work(void *buffers[], void *arg)
{
	volatile double sum = 0;
	(void)arg;
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]) * 20; i++)
		sum += (double)i;
}
static struct starpu_codelet cl = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}};

static void begin(const char *sched)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy_name = sched;
	if (starpu_init(&conf))
		cannot_begin();
}

static struct starpu_task *task_of(struct starpu_perfmodel *m, unsigned n, starpu_data_handle_t *handle)
{
	struct starpu_task *t = starpu_task_create();
	starpu_vector_data_register(handle, -1, 0, n, sizeof(float));
	cl.model = m;
	t->cl = &cl;
	t->handles[0] = *handle;
	return t;
}
static void drop(struct starpu_task *t, starpu_data_handle_t handle)
{
	starpu_task_destroy(t);
	starpu_data_unregister(handle);
}

static void feed(struct starpu_perfmodel *m, unsigned n, double y, int times)
{
	starpu_data_handle_t handle;
	struct starpu_task *t = task_of(m, n, &handle);
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	for (int i = 0; i < times; i++)
		starpu_perfmodel_update_history(m, t, arch, 0, 0, y);
	drop(t, handle);
}
static double expected(struct starpu_perfmodel *m, unsigned n)
{
	starpu_data_handle_t handle;
	struct starpu_task *t = task_of(m, n, &handle);
	double y = starpu_task_expected_length(t, starpu_worker_get_perf_archtype(0, 0), 0);
	drop(t, handle);
	return y;
}

#define NEAR(a, b, most) CHECK(fabs((a) - (b)) <= (most))

static struct starpu_perfmodel history = {.type = STARPU_HISTORY_BASED, .symbol = "t_history"};
static struct starpu_perfmodel regression = {.type = STARPU_REGRESSION_BASED, .symbol = "t_regression"};
static struct starpu_perfmodel offset = {.type = STARPU_NL_REGRESSION_BASED, .symbol = "t_offset"};

static double curve(unsigned n)
{
	return 0.01 * pow(4.0 * n, 1.25);
}

static void learn(void)
{
	starpu_data_handle_t handle;
	begin("eager");
	CHECK(isnan(expected(&history, 1000)));
	feed(&history, 1000, 500, 1); /* the first does not count */
	feed(&history, 1000, 100, 9);
	CHECK(isnan(expected(&history, 1000)));
	feed(&history, 1000, 110, 1);
	NEAR(expected(&history, 1000), 101, 1e-9);
	feed(&history, 1000, 1000, 9); /* too far, fewer than there are samples */
	NEAR(expected(&history, 1000), 101, 1e-9);
	feed(&history, 1000, 1000, 1);
	CHECK(isnan(expected(&history, 1000)));
	feed(&history, 1000, 40, 12);
	NEAR(expected(&history, 1000), 40, 1e-9);
	feed(&history, 2000, 80, 12);
	struct starpu_task *t = task_of(&history, 1000, &handle);
	CHECK(starpu_task_footprint(&history, t, starpu_worker_get_perf_archtype(0, 0), 0) == 0xe40d1b6c);
	CHECK(starpu_task_data_footprint(t) == 0xe40d1b6c);
	NEAR(starpu_perfmodel_history_based_expected_perf(&history, starpu_worker_get_perf_archtype(0, 0), 0xe40d1b6c), 40, 1e-9);
	NEAR(starpu_task_expected_length_average(t, 0), 40, 1e-9);
	history.footprint_per_level[3] = 0xe40d1b6c;
	NEAR(starpu_codelet_expected_length_by_level(t->cl, 3), 40, 1e-9);
	CHECK(isnan(starpu_codelet_expected_length_by_level(t->cl, 2)));
	CHECK(starpu_codelet_expected_length_by_level(t->cl, -1) == -1);
	drop(t, handle);
	for (unsigned n = 100; n < 100000; n = n * 3 / 2) {
		feed(&regression, n, curve(n), 2);
		feed(&offset, n, curve(n) + 300, 2);
	}
	NEAR(expected(&regression, 7777) / curve(7777), 1, 1e-6);
	CHECK(isnan(expected(&regression, 1000000)));
	starpu_shutdown();
}

static void come_back(void)
{
	struct starpu_perfmodel loaded = {.type = STARPU_PERFMODEL_INVALID};
	char path[512], *text = NULL;
	size_t n;
	begin("eager");
	NEAR(expected(&history, 1000), 40, 1e-3);
	NEAR(expected(&history, 2000), 80, 1e-3);
	NEAR(expected(&regression, 7777) / curve(7777), 1, 1e-4);
	NEAR(expected(&offset, 7777) / (curve(7777) + 300), 1, 0.01);
	starpu_perfmodel_get_model_path("t_history", path, sizeof path);
	CHECK(strstr(path, "/codelets/45/t_history.test") && access(path, R_OK) == 0);
	CHECK(starpu_perfmodel_load_symbol("t_history", &loaded) == 0);
	CHECK(!strcmp(loaded.symbol, "t_history"));
	CHECK(starpu_perfmodel_get_model_per_arch(&loaded, starpu_worker_get_perf_archtype(0, 0), 0)->list->entry->nsample == 11);
	FILE *to = open_memstream(&text, &n);
	starpu_perfmodel_print_all(&loaded, NULL, NULL, NULL, to);
	fclose(to);
	CHECK(strstr(text, "# performance model for cpu0_impl0 (Comb0)\n# hash") && strstr(text, "e40d1b6c\t4000 "));
	free(text);
	to = open_memstream(&text, &n);
	starpu_perfmodel_dump_xml(to, &loaded);
	starpu_perfmodel_list(to);
	starpu_perfmodel_directory(to);
	starpu_perfmodel_list_combs(to, &loaded);
	starpu_perfmodel_print_estimations(&loaded, 0xe40d1b6c, to);
	fclose(to);
	CHECK(strstr(text, "<entry footprint=\"e40d1b6c\" size=\"4000\"") && strstr(text, "file: <t_history.test>"));
	CHECK(strstr(text, "Device 0: type: cpu - devid: 0 - ncores: 1") && strstr(text, "4.000000e+01 4.000000e+01"));
	free(text);
	starpu_perfmodel_unload_model(&loaded);
	CHECK(starpu_perfmodel_load_symbol("no_such_model", &loaded) == 1);
	starpu_shutdown();
}

/* -- what the program gives -- */

static double by_task(struct starpu_task *t, unsigned impl)
{
	return 100.0 * (double)starpu_vector_get_nx(t->handles[0]) + impl;
}
static double by_worker(struct starpu_task *t, unsigned worker, unsigned impl)
{
	(void)t;
	return 10.0 * worker + impl;
}
static double by_arch(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	return arch->devices[0].type == STARPU_CPU_WORKER ? 5 + impl : 1;
}
static size_t small(struct starpu_task *t, unsigned impl)
{
	(void)t;
	(void)impl;
	return 42;
}
static uint32_t always_seven(struct starpu_task *t)
{
	(void)t;
	return 7;
}

static void given(void)
{
	struct starpu_perfmodel common = {.type = STARPU_COMMON, .cost_function = by_task, .symbol = "t_common"};
	struct starpu_perfmodel arch = {.type = STARPU_PER_ARCH, .symbol = "t_arch"},
				each = {.type = STARPU_PER_WORKER, .worker_cost_function = by_worker, .symbol = "t_each"};
	struct starpu_perfmodel sized = {.type = STARPU_HISTORY_BASED, .size_base = small, .symbol = "t_sized"};
	struct starpu_perfmodel marked = {.type = STARPU_HISTORY_BASED, .footprint = always_seven, .symbol = "t_marked"};
	starpu_data_handle_t handle;
	begin("eager");
	NEAR(expected(&common, 10), 1000, 1e-9);
	starpu_perfmodel_init(&arch);
	CHECK(isnan(expected(&arch, 10)));
	CHECK(starpu_perfmodel_set_per_devices_cost_function(&arch, 0, by_arch, STARPU_CPU_WORKER, 0, 1, -1) == 0);
	NEAR(expected(&arch, 10), 5, 1e-9);
	struct starpu_task *t = task_of(&each, 10, &handle);
	NEAR(starpu_task_worker_expected_length(t, 1, 0, 0), 10, 1e-9);
	cl.model = NULL;
	CHECK(starpu_task_expected_length(t, starpu_worker_get_perf_archtype(0, 0), 0) == 0);
	drop(t, handle);
	feed(&sized, 10, 3, 11);
	NEAR(expected(&sized, 99999), 3, 1e-9);
	feed(&marked, 10, 4, 11);
	CHECK(starpu_perfmodel_get_model_per_arch(&marked, starpu_worker_get_perf_archtype(0, 0), 0)->list->entry->footprint ==
	      7);
	CHECK(starpu_transfer_bandwidth(0, 0) == 0 && starpu_transfer_predict(0, 0, 1000) == 0);
	starpu_shutdown();
	starpu_perfmodel_deinit(&common);
	starpu_perfmodel_deinit(&arch);
}

/* -- several parameters -- */

static double p_n, p_m;
static void parameters(struct starpu_task *t, double *p)
{
	(void)t;
	p[0] = p_n;
	p[1] = p_m;
}
static const char *names[] = {"N", "M"};
static unsigned nm[] = {1, 1}, n2[] = {2, 0}, *products[] = {nm, n2};
static struct starpu_perfmodel multiple = {.type = STARPU_MULTIPLE_REGRESSION_BASED,
                                           .symbol = "t_multiple",
                                           .parameters = parameters,
                                           .parameters_names = names,
                                           .nparameters = 2,
                                           .combinations = products,
                                           .ncombinations = 2};

static void several_parameters(void)
{
	begin("eager");
	for (int i = 1; i < 40; i++) {
		p_n = i;
		p_m = i * 7 % 13;
		feed(&multiple, 10, 3 + 2 * p_n * p_m + 0.5 * p_n * p_n, 1);
	}
	starpu_shutdown();
	begin("eager");
	p_n = 100;
	p_m = 4;
	NEAR(expected(&multiple, 10), 3 + 800 + 5000, 0.1);
	starpu_shutdown();
}

/* -- measured -- */

static struct starpu_perfmodel measured = {.type = STARPU_HISTORY_BASED, .symbol = "t_measured"};

static void while_tasks_run(const char *sched)
{
	static float data[2000];
	starpu_data_handle_t handle;
	setenv("STARPU_CALIBRATE", "2", 1);
	begin(sched);
	unsetenv("STARPU_CALIBRATE");
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)data, 2000, sizeof *data);
	cl.model = &measured;
	for (int i = 0; i < 40; i++)
		CHECK(starpu_task_insert(&cl, STARPU_RW, handle, STARPU_FLOPS, 1e6, 0) == 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(handle);
	struct starpu_perfmodel_per_arch *p = starpu_perfmodel_get_model_per_arch(&measured,
	                                                                          starpu_worker_get_perf_archtype(0, 0), 0);
	CHECK(p->list && p->list->entry->nsample + p->list->entry->nerror > 0 && p->list->entry->size == 8000);
	CHECK(p->list && p->list->entry->flops == 1e6);
	starpu_shutdown();
}

/* -- another StarPU -- */

static int run(const char *program, const char *what)
{
	char command[1200];
	snprintf(command, sizeof command, "%s %s", program, what);
	return system(command);
}

static void with_another(void)
{
	char ours[1000], theirs[1000];
	const char *build = getenv("WEFT_BUILD");
	snprintf(ours, sizeof ours, "%s/tests/starpu/models_ours", build ? build : ".");
	snprintf(theirs, sizeof theirs, "%s/tests/starpu/models_theirs", build ? build : ".");
	if (access(theirs, X_OK)) {
		fprintf(stderr, "# no other StarPU: models do not move\n");
		return;
	}
	CHECK(run(ours, "write a") == 0);
	CHECK(run(theirs, "read a") == 0);
	CHECK(run(theirs, "write b") == 0);
	CHECK(run(ours, "read b") == 0);
}

int main(void)
{
	char home[] = "/tmp/weft-models-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_CALIBRATE");
	learn();
	come_back();
	given();
	several_parameters();
	while_tasks_run("eager");
	while_tasks_run("dmda");
	while_tasks_run("modular-dmda");
	with_another();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
