/* SPDX-License-Identifier: Apache-2.0 */
/* That data is not wanted for a while may be said of what is in parts, cut at once or by plans: nothing changes but where it is kept. */
#include "data_check.h"

enum { N = 24, PARTS = 4 };
static void add_one(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	(void)arg;
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i]++;
}
static struct starpu_codelet adds = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};

static void check_cut(starpu_data_handle_t h)
{
	starpu_data_partition(h, &halves);
	starpu_data_handle_t part = starpu_data_get_sub_data(h, 1, 1);
	starpu_data_partition(part, &halves);
	for (unsigned i = 0; i < PARTS; i++)
		if (i != 1)
			submit(&adds, starpu_data_get_sub_data(h, 1, i), NULL);
	for (unsigned i = 0; i < PARTS; i++)
		submit(&adds, starpu_data_get_sub_data(h, 2, 1, i), NULL);
	starpu_data_wont_use(h);
	starpu_data_wont_use(part);
	for (unsigned i = 0; i < PARTS; i++)
		submit(&adds, starpu_data_get_sub_data(h, 2, 1, i), NULL);
	starpu_task_wait_for_all();
	starpu_data_unpartition(part, STARPU_MAIN_RAM);
	submit(&adds, starpu_data_get_sub_data(h, 1, 0), NULL);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
}

static void check_plan(starpu_data_handle_t h)
{
	starpu_data_handle_t part[PARTS];
	starpu_data_partition_plan(h, &halves, part);
	starpu_data_partition_submit(h, PARTS, part);
	for (unsigned i = 0; i < PARTS; i++)
		submit(&adds, part[i], NULL);
	starpu_data_wont_use(h);
	for (unsigned i = 0; i < PARTS; i++)
		submit(&adds, part[i], NULL);
	starpu_data_unpartition_submit(h, PARTS, part, STARPU_MAIN_RAM);
	starpu_data_wont_use(h);
	submit(&adds, h, NULL);
	starpu_data_partition_clean(h, PARTS, part);
}

int main(void)
{
	int v[N] = {0};
	starpu_data_handle_t h;
	begin();
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)v, N, sizeof v[0]);
	check_cut(h);
	check_plan(h);
	starpu_data_wont_use(h);
	starpu_data_unregister(h);
	/* The first two quarters had a task more while they were cut. */
	for (int i = 0; i < N; i++)
		CHECK(v[i] == (i < 2 * N / PARTS ? 5 : 4));
	starpu_shutdown();
	return checks_failed();
}
