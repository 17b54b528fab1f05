/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of programs that are computed by hand; models say how long each task would take, which it does not. */
#include "starpu_check.h"
#include <math.h>
#include <sys/stat.h>
#include <starpu_bound.h>

static double place_ms[4][STARPU_NMAXWORKERS]; /* by codelet and worker */

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static void nap(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	usleep(3000);
}
#define MODEL(i) \
	static double cost_##i(struct starpu_task *t, unsigned worker, unsigned impl) \
	{ \
		(void)t, (void)impl; \
		return 1000 * place_ms[i][worker]; \
	} \
	static struct starpu_perfmodel model_##i = {.type = STARPU_PER_WORKER, \
	                                            .worker_cost_function = cost_##i, \
	                                            .symbol = "bounds_" #i}; \
	static struct starpu_codelet cl_##i = {.cpu_funcs = {nothing}, .model = &model_##i, .name = "kind" #i}; \
	static struct starpu_codelet cl_rw_##i = {.cpu_funcs = {nothing}, \
	                                          .nbuffers = 1, \
	                                          .modes = {STARPU_RW}, \
	                                          .model = &model_##i, \
	                                          .name = "kind" #i}; \
	static struct starpu_codelet cl_r_##i = {.cpu_funcs = {nothing}, \
	                                         .nbuffers = 1, \
	                                         .modes = {STARPU_R}, \
	                                         .model = &model_##i, \
	                                         .name = "kind" #i};
MODEL(0)
MODEL(1)
MODEL(2)
static struct starpu_codelet naps = {.cpu_funcs = {nap}, .name = "naps"};

static void begin(int workers)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.precedence_over_environment_variables = 1;
	conf.ncpus = workers;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
}

static void set_ms(int kind, double first, double others)
{
	for (int w = 0; w < STARPU_NMAXWORKERS; w++)
		place_ms[kind][w] = w ? others : first;
}

static void submit(struct starpu_codelet *cl, int n)
{
	for (int i = 0; i < n; i++)
		CHECK(!starpu_task_insert(cl, 0));
}

static void expect(double relaxed, double whole, const char *what)
{
	double res = -1, integer = -1;
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_stop();
	starpu_bound_compute(&res, &integer, 1);
	if (fabs(res - relaxed) > 1e-6 || fabs(integer - whole) > 1e-6)
		fprintf(stderr, "%s: %g and %g instead of %g and %g\n", what, res, integer, relaxed, whole);
	CHECK(fabs(res - relaxed) <= 1e-6 && fabs(integer - whole) <= 1e-6);
	res = -1;
	starpu_bound_compute(&res, NULL, 0);
	CHECK(fabs(res - relaxed) <= 1e-6);
}

static void check_without_deps(void)
{
	double res = -1, integer = -1;
	begin(2);
	set_ms(0, 1, 1);
	set_ms(1, 2, 2);
	set_ms(2, 3, 3);
	starpu_bound_compute(&res, &integer, 1);
	CHECK(res == 0 && integer == 0); /* nothing is recorded */
	starpu_bound_start(0, 0);
	submit(&cl_0, 3);
	expect(1.5, 2, "three alike");
	starpu_bound_start(0, 0);
	submit(&cl_1, 3);
	submit(&cl_2, 2);
	expect(6, 6, "3 × 2 and 2 × 3");
	starpu_bound_start(0, 0);
	submit(&cl_1, 3);
	submit(&cl_2, 1);
	expect(4.5, 5, "3 × 2 and 3");
	submit(&cl_2, 5); /* after the stop: not recorded */
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_compute(&res, NULL, 0);
	CHECK(fabs(res - 4.5) < 1e-6);
	/* A task that names its worker, and one without a function. */
	starpu_bound_start(0, 0);
	submit(&cl_0, 1);
	struct starpu_task *t = starpu_task_create();
	CHECK(!starpu_task_submit(t));
	expect(0.5, 1, "one, and one that takes no time");
	starpu_shutdown();
}

static void check_deps(void)
{
	static int value;
	starpu_data_handle_t h;
	begin(2);
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	/* A chain of four, and two long ones beside it: both workers are busy all the time. */
	starpu_bound_start(1, 0);
	for (int i = 0; i < 4; i++)
		CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, 0));
	submit(&cl_2, 2);
	expect(5, 5, "a chain and two");
	/* One, then three that read what it wrote, then one. */
	starpu_bound_start(1, 0);
	CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, 0));
	for (int i = 0; i < 3; i++)
		CHECK(!starpu_task_insert(&cl_r_1, STARPU_R, h, 0));
	CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, 0));
	expect(4, 6, "a fork of three");
	/* By tags, and by declared dependencies, also on what is submitted later. */
	starpu_bound_start(1, 0);
	for (int i = 0; i < 3; i++) {
		if (i)
			starpu_tag_declare_deps((starpu_tag_t)(100 + i), 1, (starpu_tag_t)(99 + i));
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl_0;
		t->use_tag = 1;
		t->tag_id = (starpu_tag_t)(100 + i);
		CHECK(!starpu_task_submit(t));
	}
	expect(3, 3, "a chain of tags");
	starpu_bound_start(1, 0);
	struct starpu_task *first = starpu_task_create(), *second = starpu_task_create();
	first->cl = &cl_1;
	second->cl = &cl_2;
	starpu_task_declare_deps_array(second, 1, &first);
	CHECK(!starpu_task_submit(second) && !starpu_task_submit(first));
	expect(5, 5, "a task that is submitted before what it waits for");
	starpu_data_unregister(h);
	starpu_shutdown();
}

/* Two urgent ones of 1, and one of 2: in 2 where nobody looks at priorities, else in 3. */
static void check_priorities(void)
{
	begin(2);
	for (int prio = 0; prio < 2; prio++) {
		starpu_bound_start(1, prio);
		CHECK(!starpu_task_insert(&cl_1, STARPU_PRIORITY, 0, 0));
		for (int i = 0; i < 2; i++)
			CHECK(!starpu_task_insert(&cl_0, STARPU_PRIORITY, 3, 0));
		expect(2, prio ? 3 : 2, prio ? "with priorities" : "without priorities");
	}
	starpu_shutdown();
}

/* Two kinds of workers: CPUs of two memory nodes. */
static void check_places(void)
{
	static int value;
	starpu_data_handle_t h;
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_USE_NUMA", "1", 1);
	begin(2);
	set_ms(0, 1, 4);
	set_ms(1, 2, 2);
	starpu_bound_start(0, 0);
	submit(&cl_0, 6);
	submit(&cl_1, 2);
	expect(5.6, 6, "six and two, on two kinds of workers");
	/*
	 * Area 6, path 4; but a chain of four, two of which are on the slow one, takes 8. With x of the chain on the fast one and e of the
	 * others on the slow one: 4 - e + x = x + 3 (4 - x) = 3 (4 - x) + 100 e, so that the mix is 994 / 149.5.
	 */
	set_ms(0, 1, 3);
	set_ms(1, 1, 100);
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, 4);
	starpu_bound_start(1, 0);
	for (int i = 0; i < 4; i++)
		CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, 0));
	submit(&cl_1, 4);
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_stop();
	double res, integer;
	starpu_bound_compute(&res, &integer, 1);
	if (fabs(res - 994 / 149.5) > 1e-6 || integer < 7 - 1e-6 || integer > 7.5)
		fprintf(stderr, "the mix: %g and %g\n", res, integer);
	CHECK(fabs(res - 994 / 149.5) < 1e-6 && integer >= 7 - 1e-6 && integer < 7.5);
	starpu_data_unregister(h);
	starpu_shutdown();
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("STARPU_USE_NUMA");
}

/* ---- transfers ---- */

static char models[] = "/tmp/weft-bounds-XXXXXX";

/* Of two nodes: 0.1 ms and 1 MB/ms there, 0.2 ms and 2 MB/ms back. */
static void write_matrix(const char *what, double there, double back)
{
	char path[200];
	snprintf(path, sizeof path, "%s/bus/bounds.%s", models, what);
	FILE *f = fopen(path, "w");
	CHECK(f != NULL);
	fprintf(f, "# to 0\tto 1\n0\t%g\n%g\t0\n", there, back);
	fclose(f);
}
static void write_bus(void)
{
	char path[200];
	CHECK(mkdtemp(models) != NULL);
	snprintf(path, sizeof path, "%s/bus", models);
	CHECK(!mkdir(path, 0777));
	write_matrix("bandwidth", 1000, 2000);
	write_matrix("latency", 100, 200);
	snprintf(path, sizeof path, "%s/bus/bounds.config", models);
	FILE *f = fopen(path, "w");
	CHECK(f != NULL);
	fprintf(f, "2 # CPUs\n2 # NUMA nodes\n0 # CUDA\n0 # OpenCL\n");
	fclose(f);
	setenv("STARPU_PERF_MODEL_DIR", models, 1);
	setenv("STARPU_HOSTNAME", "bounds", 1);
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_USE_NUMA", "1", 1);
}
static void remove_bus(void)
{
	char command[200];
	snprintf(command, sizeof command, "rm -r %s", models);
	CHECK(system(command) == 0);
	unsetenv("STARPU_PERF_MODEL_DIR");
	unsetenv("STARPU_HOSTNAME");
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("STARPU_USE_NUMA");
}

/* The optimum of whole tasks: `first`, then `second`, of one value or of a declared dependency. */
static double optimum_of_two(struct starpu_codelet *first, struct starpu_codelet *second, starpu_data_handle_t h)
{
	double res = -1, whole = -1;
	starpu_bound_start(1, 0);
	if (h) {
		CHECK(!starpu_task_insert(first, STARPU_RW, h, 0) && !starpu_task_insert(second, STARPU_RW, h, 0));
	} else {
		struct starpu_task *a = starpu_task_create(), *b = starpu_task_create();
		a->cl = first;
		b->cl = second;
		starpu_task_declare_deps_array(b, 1, &a);
		CHECK(!starpu_task_submit(a) && !starpu_task_submit(b));
	}
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_stop();
	starpu_bound_compute(&res, &whole, 1);
	CHECK(res > 0 && res <= whole + 1e-9);
	return whole;
}
static void expect_two(double found, double expected, const char *what)
{
	if (fabs(found - expected) > 1e-6)
		fprintf(stderr, "%s: %g instead of %g\n", what, found, expected);
	CHECK(fabs(found - expected) <= 1e-6);
}

/*
 * Kind 0 takes 1 on worker 0, kind 1 takes 2 on worker 1; the other one of each would take 100. 4 MB go between them: there in 0.1 + 4,
 * back in 0.2 + 2. Where kind 1 takes 5 on worker 0, too, staying beats going.
 */
static void check_transfers(void)
{
	static char value[4000000];
	starpu_data_handle_t h;
	begin(2);
	set_ms(0, 1, 100);
	set_ms(1, 100, 2);
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, sizeof value, 1);
	expect_two(optimum_of_two(&cl_rw_0, &cl_rw_1, h), 1 + 4.1 + 2, "there");
	expect_two(optimum_of_two(&cl_rw_1, &cl_rw_0, h), 2 + 2.2 + 1, "back");
	expect_two(optimum_of_two(&cl_0, &cl_1, NULL), 3, "no data");
	set_ms(1, 5, 2);
	expect_two(optimum_of_two(&cl_rw_0, &cl_rw_1, h), 6, "staying");
	set_ms(1, 6.5, 2);
	expect_two(optimum_of_two(&cl_rw_0, &cl_rw_1, h), 7.1, "going");
	starpu_data_unregister(h);
	starpu_shutdown();
}

/* ---- what is printed ---- */

static char text[1 << 16];
static const char *printed(void (*print)(FILE *))
{
	FILE *f = fmemopen(text, sizeof text, "w");
	print(f);
	fclose(f);
	return text;
}
static void print_words(FILE *f)
{
	starpu_bound_print(f, 1);
}
static int count(const char *in, const char *what)
{
	int n = 0;
	for (; (in = strstr(in, what)); in += strlen(what))
		n++;
	return n;
}

static void check_prints(void)
{
	static int value;
	starpu_data_handle_t h;
	begin(2);
	set_ms(0, 1, 1);
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_bound_start(1, 0);
	for (int i = 0; i < 3; i++)
		CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, STARPU_NAME, i ? "later" : "a \"first\"", 0));
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_stop();
	printed(starpu_bound_print_dot);
	CHECK(count(text, " -> ") == 2 && count(text, "[label=\"later\"]") == 2 && strstr(text, "[label=\"a \\\"first\\\"\"]"));
	CHECK(strstr(text, "t0 -> t1") && strstr(text, "t1 -> t2"));
	printed(print_words);
	CHECK(strstr(text, "3 tasks of 1 kinds, 2 dependencies") && strstr(text, "critical path         3.0000 ms") &&
	      strstr(text, "area                  1.5000 ms") && strstr(text, "whole tasks           3.0000 ms\n"));
	printed(starpu_bound_print_lp);
	CHECK(strstr(text, "min: +1 tmax;") && strstr(text, "int x0_0"));
	printed(starpu_bound_print_mps);
	CHECK(strstr(text, "ROWS\n N  COST\n") && strstr(text, "ENDATA\n"));
	starpu_data_unregister(h);
	starpu_shutdown();
	printed(starpu_bound_print_dot);
	CHECK(!strcmp(text, "digraph tasks {\n}\n")); /* it went with the runtime */
}

/* Without a model this run's times count: the bound is never above what was measured. */
static void check_measured(void)
{
	enum { NAPS = 9 };
	double res, integer;
	begin(2);
	double began = starpu_timing_now();
	starpu_bound_start(0, 0);
	submit(&naps, NAPS);
	CHECK(!starpu_task_wait_for_all());
	double took = (starpu_timing_now() - began) / 1000;
	starpu_bound_stop();
	starpu_bound_compute(&res, &integer, 1);
	CHECK(res >= NAPS * 3.0 / 2 && res <= took && integer >= 5 * 3.0);
	starpu_shutdown();
}

/* More than can be searched: the bound stands, and it is quick. */
static void check_many(void)
{
	enum { MANY = 20000, LANES = 50 };
	static int value[LANES];
	starpu_data_handle_t h[LANES];
	double res, integer;
	begin(2);
	set_ms(0, 1, 1);
	for (int i = 0; i < LANES; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
	starpu_bound_start(1, 0);
	for (int i = 0; i < MANY; i++)
		CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h[i % LANES], 0));
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_stop();
	starpu_bound_compute(&res, &integer, 1);
	CHECK(fabs(res - MANY / 2.0) < 1e-3 && integer >= res - 1e-9 && integer <= MANY);
	for (int i = 0; i < LANES; i++)
		starpu_data_unregister(h[i]);
	starpu_shutdown();
}

/* For tests/compat/starpu_bounds.sh: programs and their optima in a folder, by our own search. */
static void write_one(const char *folder, int i, double integer)
{
	static const char *const ends[] = {"lp", "mps", "optimum"};
	char path[4096];
	for (int k = 0; k < 3; k++) {
		snprintf(path, sizeof path, "%s/%d.%s", folder, i, ends[k]);
		FILE *f = fopen(path, "w");
		CHECK(f);
		if (k == 0)
			starpu_bound_print_lp(f);
		else if (k == 1)
			starpu_bound_print_mps(f);
		else
			fprintf(f, "%.6f\n", integer);
		fclose(f);
	}
}

/* Seven tasks or less, of three kinds, with random dependencies, with and without priorities. */
static void write_programs(const char *folder)
{
	static int value[2];
	starpu_data_handle_t h[2];
	unsigned state = 3;
	begin(2);
	set_ms(0, 1, 1);
	set_ms(1, 2.25, 2.25);
	set_ms(2, 3.5, 3.5);
	for (int i = 0; i < 2; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
	for (int i = 0; i < 9; i++) {
		static struct starpu_codelet *const free_ones[] = {&cl_0, &cl_1, &cl_2};
		static struct starpu_codelet *const bound_ones[] = {&cl_rw_0, &cl_r_0, &cl_rw_1, &cl_r_1, &cl_rw_2, &cl_r_2};
		double res, integer;
		starpu_bound_start(i % 3 > 0, i % 3 == 2);
		for (int k = 0, n = 4 + i / 3; k < n; k++) {
			state = state * 1664525 + 1013904223;
			unsigned pick = state >> 16;
			struct starpu_codelet *cl = pick % 3 ? bound_ones[pick / 3 % 6] : free_ones[pick / 3 % 3];
			if (cl->nbuffers)
				CHECK(!starpu_task_insert(cl, cl->modes[0], h[pick / 64 % 2], STARPU_PRIORITY,
				                          (int)(pick / 128 % 3), 0));
			else
				CHECK(!starpu_task_insert(cl, STARPU_PRIORITY, (int)(pick / 128 % 3), 0));
		}
		CHECK(!starpu_task_wait_for_all());
		starpu_bound_stop();
		starpu_bound_compute(&res, &integer, 1);
		CHECK(res <= integer + 1e-6);
		write_one(folder, i, integer);
	}
	for (int i = 0; i < 2; i++)
		starpu_data_unregister(h[i]);
	starpu_shutdown();
}

/* Behind the others: a chain over both nodes, and one beside it. */
static void write_transfers(const char *folder)
{
	static char value[4000000];
	starpu_data_handle_t h;
	double res, integer;
	write_bus();
	begin(2);
	set_ms(0, 1, 3);
	set_ms(1, 7, 2);
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, sizeof value, 1);
	starpu_bound_start(1, 0);
	CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, 0) && !starpu_task_insert(&cl_rw_1, STARPU_RW, h, 0));
	CHECK(!starpu_task_insert(&cl_rw_0, STARPU_RW, h, 0) && !starpu_task_insert(&cl_0, 0));
	CHECK(!starpu_task_wait_for_all());
	starpu_bound_stop();
	starpu_bound_compute(&res, &integer, 1);
	CHECK(res <= integer + 1e-6);
	write_one(folder, 9, integer);
	starpu_data_unregister(h);
	starpu_shutdown();
	remove_bus();
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		write_programs(argv[1]);
		write_transfers(argv[1]);
		return checks_failed();
	}
	check_without_deps();
	check_deps();
	check_priorities();
	check_places();
	write_bus();
	check_transfers();
	remove_bus();
	check_prints();
	check_measured();
	check_many();
	return checks_failed();
}
