/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a task must be for the runtime not to matter: independent tasks of each length on each number of workers, and how
 * many times faster they are together than one after the other. tasks_size_overhead.sh draws it.
 *
 *     # workers length (us) time (s) speedup efficiency
 */
#include "suite.h"

static void spin(void *buffers[], void *arg)
{
	double until = starpu_timing_now() + (double)*(unsigned *)arg;
	(void)buffers;
	while (starpu_timing_now() < until)
		;
}

/* The time that they all take, in us. */
static double time_of(unsigned tasks, unsigned *us, struct starpu_codelet *codelet, starpu_data_handle_t *handles,
                      unsigned buffers)
{
	double from = starpu_timing_now();
	for (unsigned i = 0; i < tasks; i++) {
		struct starpu_task *task = starpu_task_create();
		task->cl = codelet;
		task->cl_arg = us;
		task->cl_arg_size = sizeof *us;
		for (unsigned b = 0; b < buffers; b++)
			task->handles[b] = handles[b];
		int rc = starpu_task_submit(task);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_submit");
	}
	starpu_task_wait_for_all();
	return starpu_timing_now() - from;
}

static void measure(unsigned workers, const unsigned *range, unsigned tasks, unsigned buffers)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = (int)workers;
	conf.ncuda = conf.nopencl = 0;
	suite_begin(&conf);
	struct starpu_codelet codelet = {.cpu_funcs = {spin},
	                                 .cpu_funcs_name = {"spin"},
	                                 .nbuffers = (int)buffers,
	                                 .name = "spin"};
	starpu_data_handle_t handles[STARPU_NMAXBUFS];
	static int values[STARPU_NMAXBUFS];
	for (unsigned b = 0; b < buffers; b++) {
		codelet.modes[b] = STARPU_R;
		starpu_variable_data_register(&handles[b], STARPU_MAIN_RAM, (uintptr_t)&values[b], sizeof values[b]);
	}
	unsigned longest = range[1];
	time_of(tasks, &(unsigned){1}, &codelet, handles, buffers); /* everything has been touched */
	for (unsigned us = range[0]; us <= longest; us *= 2) {
		double took = time_of(tasks, &us, &codelet, handles, buffers), alone = (double)tasks * us;
		printf("%u\t%u\t%.6f\t%.3f\t%.4f\n", workers, us, took / 1e6, alone / took, alone / took / workers);
		fflush(stdout);
	}
	for (unsigned b = 0; b < buffers; b++)
		starpu_data_unregister(handles[b]);
	starpu_shutdown();
}

static unsigned cpus_of_machine(void)
{
	suite_begin(NULL);
	unsigned cpus = starpu_cpu_worker_get_count();
	starpu_shutdown();
	return cpus;
}

int main(int argc, char **argv)
{
	unsigned range[2] = {1, 1024}, tasks = 2000, buffers = 0, least = 1, most = 0, step = 1;
	const struct suite_option options[] = {
		{"i", &tasks, NULL, "tasks"},
		{"b", &buffers, NULL, "data that each reads"},
		{"t", &range[0], NULL, "length of the shortest tasks, in us"},
		{"T", &range[1], NULL, "length of the longest, in us; each is twice the one before"},
		{"c", &least, NULL, "fewest workers"},
		{"C", &most, NULL, "most workers; 0: all cpus"},
		{"s", &step, NULL, "workers more each time"},
		{0},
	};
	suite_options(argc, argv, options);
	most = most ? most : cpus_of_machine();
	if (buffers > STARPU_NMAXBUFS || range[1] < range[0] || range[1] > 1000000 || most < least) {
		fprintf(stderr, "%s: -b is at most %d, -T at most 1000000 and at least -t, -C at least -c\n", argv[0],
		        STARPU_NMAXBUFS);
		return 2;
	}
	printf("# workers\tlength (us)\ttime (s)\tspeedup\tefficiency\n");
	for (unsigned workers = least; workers <= most; workers += step)
		measure(workers, range, tasks, buffers);
	return 0;
}
