/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP support: what it answers about levels, devices, teams, places and limits, and the functions that few programs call. */
#include "starpu_check.h"
#include <starpu_openmp.h>

static void region(void (*f)(void *buffers[], void *arg), int threads)
{
	struct starpu_omp_parallel_region_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.cl.cpu_funcs[0] = f;
	attr.cl.where = STARPU_CPU;
	attr.if_clause = 1;
	attr.num_threads = threads;
	starpu_omp_parallel_region(&attr);
}

/* ---- answers: outside of a region and in one they are these ---- */

static const struct {
	const char *name;
	int (*ask)(void);
	int answer;
} answers[] = {
	{"cancellation", starpu_omp_get_cancellation, 0},
	{"default_device", starpu_omp_get_default_device, 0},
	{"initial_device", starpu_omp_get_initial_device, 0},
	{"num_devices", starpu_omp_get_num_devices, 1},
	{"team_num", starpu_omp_get_team_num, 0},
	{"num_teams", starpu_omp_get_num_teams, 1},
	{"max_task_priority", starpu_omp_get_max_task_priority, 0},
	{"nested", starpu_omp_get_nested, 0},
	{"num_places", starpu_omp_get_num_places, 0},
	{"partition_num_places", starpu_omp_get_partition_num_places, 0},
	{"place_num", starpu_omp_get_place_num, -1},
};

static void check_answers(void)
{
	for (unsigned i = 0; i < sizeof answers / sizeof *answers; i++)
		if (answers[i].ask() != answers[i].answer) {
			CHECK(!"the answer is right");
			fprintf(stderr, "%s is %d\n", answers[i].name, answers[i].ask());
		}
	/* Without places there is nothing to write. */
	int ids[2] = {77, 78};
	starpu_omp_get_place_proc_ids(0, ids);
	starpu_omp_get_partition_place_nums(ids);
	CHECK(starpu_omp_get_place_num_procs(0) == 0 && ids[0] == 77 && ids[1] == 78);
	CHECK(starpu_omp_get_proc_bind() >= starpu_omp_proc_bind_undefined &&
	      starpu_omp_get_proc_bind() <= starpu_omp_proc_bind_spread);
	CHECK(starpu_omp_get_default_arbiter() != NULL);
}

static void check_control(void)
{
	int levels = starpu_omp_get_max_active_levels();
	CHECK(levels >= 1);
	starpu_omp_set_max_active_levels(3);
	CHECK(starpu_omp_get_max_active_levels() == 3 && starpu_omp_get_nested() == 1);
	starpu_omp_set_max_active_levels(-1);
	CHECK(starpu_omp_get_max_active_levels() == 3);
	starpu_omp_set_nested(1);
	CHECK(starpu_omp_get_nested() == 1 && starpu_omp_get_max_active_levels() == 3);
	starpu_omp_set_nested(0);
	CHECK(starpu_omp_get_nested() == 0 && starpu_omp_get_max_active_levels() == 1);
	starpu_omp_set_nested(1);
	CHECK(starpu_omp_get_nested() == 1 && starpu_omp_get_max_active_levels() > 1);
	starpu_omp_set_max_active_levels(levels);
	/* No more than a region would get. */
	int most = starpu_omp_get_max_threads();
	starpu_omp_set_num_threads(1000);
	CHECK(starpu_omp_get_max_threads() == starpu_omp_get_thread_limit());
	starpu_omp_set_num_threads(most);
	CHECK(starpu_omp_get_max_threads() == most);
	starpu_omp_set_default_device(2);
	CHECK(starpu_omp_get_default_device() == 2);
	starpu_omp_set_default_device(0);
}

/* ---- in a region ---- */

static unsigned masters, wrong_masters, turns, out_of_order;

static void be_master(void *arg)
{
	CHECK(arg == &masters);
	STARPU_ATOMIC_ADD(&masters, 1);
	STARPU_ATOMIC_ADD(&wrong_masters, starpu_omp_get_thread_num() != 0);
}

static void take_turn(void *arg)
{
	unsigned long long i = *(unsigned long long *)arg;
	out_of_order += turns++ != i;
}

static void loop(unsigned long long first, unsigned long long n, void *arg)
{
	(void)arg;
	for (unsigned long long i = first; i < first + n; i++)
		starpu_omp_ordered(take_turn, &i);
}

static void in_region(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	int n = starpu_omp_get_num_threads();
	CHECK(starpu_omp_get_active_level() == (n > 1));
	CHECK(n == 1 || starpu_omp_get_max_threads() == 1);
	check_answers();
	for (int i = 0; i < 10; i++)
		starpu_omp_master(be_master, &masters);
	starpu_omp_barrier();
	starpu_omp_for(loop, NULL, 100, 3, starpu_omp_sched_dynamic, 1, 0);
}

static void check_region(int threads)
{
	masters = wrong_masters = turns = out_of_order = 0;
	region(in_region, threads);
	CHECK(masters == 10 && wrong_masters == 0 && turns == 100 && out_of_order == 0);
	CHECK(starpu_omp_get_active_level() == 0);
}

/* The codelet's function sees a vector that is said to be a slice behind the first 8 elements. */
static void check_annotate(void)
{
	int values[4] = {0};
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)values, 4, sizeof *values);
	CHECK(STARPU_VECTOR_GET_SLICE_BASE(starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM)) == 0);
	starpu_omp_vector_annotate(h, 8);
	CHECK(STARPU_VECTOR_GET_SLICE_BASE(starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM)) == 8);
	starpu_data_unregister(h);
}

/* Before the begin and after the end there is one thread. */
static void check_initial(void)
{
	CHECK(starpu_omp_get_num_threads() == 1 && starpu_omp_get_thread_num() == 0 && !starpu_omp_in_parallel());
	CHECK(starpu_omp_get_max_threads() >= 1 && starpu_omp_get_level() == 0 && starpu_omp_get_team_size(0) == 1);
	starpu_omp_barrier();
	starpu_omp_taskwait();
}

int main(void)
{
	setenv("STARPU_NCPU", "2", 0);
	check_initial();
	if (starpu_omp_init())
		cannot_begin();
	check_answers();
	check_control();
	for (int threads = 1; threads <= starpu_omp_get_max_threads(); threads++)
		check_region(threads);
	check_annotate();
	starpu_omp_shutdown();
	check_initial();
	return checks_failed();
}
