/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No test of its own: a program that has one of everything that the trace of the runtime's life shows, for
 * tests/compat/record_starpu.sh. argv[1]: a folder that becomes a memory node; without it, only tasks of codelets that have no name.
 */
#include <starpu.h>
#include <stdio.h>

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}

static void nothing_back(void *arg)
{
	(void)arg;
}

static unsigned hook(void *calls)
{
	return __atomic_add_fetch((unsigned *)calls, 1, __ATOMIC_RELAXED);
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "traced_model"};
static struct starpu_codelet both = {.cpu_funcs = {nothing},
                                     .nbuffers = 2,
                                     .modes = {STARPU_R, STARPU_RW},
                                     .name = "both",
                                     .model = &model,
                                     .color = 0x123456};
static struct starpu_codelet one = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "one"};

static unsigned counted;
static void counts(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
}
static void counts_twice(void *buffers[], void *arg)
{
	counts(buffers, arg);
	counts(buffers, arg);
}
static struct starpu_codelet nameless = {.cpu_funcs = {counts}};
static struct starpu_codelet nameless_too = {.cpu_funcs = {counts_twice}, .model = &starpu_perfmodel_nop};

static int without_names(void)
{
	if (starpu_init(NULL))
		return 1;
	for (int i = 0; i < 3; i++) {
		starpu_task_insert(&nameless, 0);
		starpu_task_insert(&nameless_too, 0);
	}
	starpu_shutdown();
	return counted != 9;
}

int main(int argc, char **argv)
{
	static double a[1024], b[16][8];
	starpu_data_handle_t vector, matrix;
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	if (argc < 2)
		return without_names();
	if (starpu_init(&conf))
		return 1;
	int disk = starpu_disk_register(&starpu_disk_unistd_ops, argv[1], 1 << 24);
	if (disk < 0)
		return 1;
	starpu_fxt_trace_user_event(4711);
	starpu_fxt_trace_user_event_string("here we go");
	starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)a, 1024, sizeof a[0]);
	starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM, (uintptr_t)b, 8, 8, 16, sizeof b[0][0]);
	starpu_data_set_name(vector, "the vector");
	starpu_data_set_coordinates(matrix, 2, 11, 12);
	starpu_pause(); /* both are submitted before one runs */
	starpu_iteration_push(7);
	starpu_iteration_push(3);
	starpu_task_insert(&both, STARPU_R, vector, STARPU_RW, matrix, STARPU_FLOPS, 2.5e6, STARPU_CALLBACK, nothing_back, 0);
	starpu_iteration_pop();
	starpu_iteration_pop();
	starpu_task_insert(&one, STARPU_RW, matrix, 0);
	starpu_resume();
	starpu_task_wait_for_all();
	unsigned calls = 0;
	int progression = starpu_progression_hook_register(hook, &calls);
	while (!__atomic_load_n(&calls, __ATOMIC_RELAXED))
		starpu_usleep(100);
	starpu_progression_hook_deregister(progression);
	starpu_data_prefetch_on_node(vector, (unsigned)disk, 0);
	starpu_data_wont_use(matrix);
	/* As the copy methods of an interface do. */
	double start;
	starpu_interface_start_driver_copy_async(STARPU_MAIN_RAM, (unsigned)disk, &start);
	starpu_interface_data_copy(STARPU_MAIN_RAM, (unsigned)disk, 77);
	starpu_interface_end_driver_copy_async(STARPU_MAIN_RAM, (unsigned)disk, start);
	starpu_data_unregister(vector);
	starpu_data_unregister(matrix);
	starpu_shutdown();
	return 0;
}
