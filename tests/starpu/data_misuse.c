/* SPDX-License-Identifier: Apache-2.0 */
/* What no program may do with data ends it with one line that says what it was; each in a process of its own. */
#include "data_check.h"
#include <sys/wait.h>
#include <unistd.h>

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet reads = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_R}, .name = "reader"};
static struct starpu_codelet contributes = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_REDUX}};
static struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
static int x[10];

static starpu_data_handle_t variable(int home)
{
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, home, home < 0 ? 0 : (uintptr_t)x, sizeof x[0]);
	return h;
}

static starpu_data_handle_t partitioned(void)
{
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)x, 10, sizeof x[0]);
	starpu_data_set_name(h, "cut");
	starpu_data_partition(h, &halves);
	return h;
}

static void release_without_acquire(void)
{
	starpu_data_release(variable(0));
}
static void release_twice(void)
{
	starpu_data_handle_t h = variable(0);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	starpu_data_release(h);
	starpu_data_release(h);
}
static void task_reads_nothing(void)
{
	submit(&reads, variable(-1), NULL);
	starpu_task_wait_for_all();
}
static void application_reads_nothing(void)
{
	(void)!starpu_data_acquire(variable(-1), STARPU_R);
}
static void nowhere_to_register(void)
{
	starpu_variable_data_register(NULL, STARPU_MAIN_RAM, (uintptr_t)x, sizeof x[0]);
}
static void no_interface(void)
{
	starpu_data_handle_t h;
	starpu_data_register(&h, STARPU_MAIN_RAM, x, NULL);
}
static void invalidate_nothing(void)
{
	starpu_data_invalidate(NULL);
}
static void cut_without_filter(void)
{
	starpu_data_partition(variable(0), NULL);
}
static void no_arbiter(void)
{
	starpu_data_assign_arbiter(variable(0), NULL);
}
static void unregister_acquired(void)
{
	starpu_data_handle_t h = variable(0);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	starpu_data_unregister(h);
}
static void task_on_unregistered(void)
{
	starpu_data_handle_t h = variable(0);
	starpu_data_unregister(h);
	submit(&reads, h, NULL);
}
static void acquire_unregistered(void)
{
	starpu_data_handle_t h = variable(0);
	starpu_data_unregister(h);
	(void)!starpu_data_acquire(h, STARPU_R);
}
static void task_behind_unregistering(void)
{
	starpu_data_handle_t h = variable(0);
	submit(&reads, h, NULL);
	starpu_data_unregister_submit(h);
	submit(&reads, h, NULL);
}
static void unregister_twice(void)
{
	starpu_data_handle_t h = variable(0);
	starpu_data_unregister(h);
	starpu_data_unregister(h);
}
static void wrong_filter(void)
{
	starpu_data_partition(variable(0), &halves);
}
static void task_on_partitioned(void)
{
	submit(&reads, partitioned(), NULL);
}
static void acquire_partitioned(void)
{
	(void)!starpu_data_acquire(partitioned(), STARPU_R);
}
static void unregister_partitioned(void)
{
	starpu_data_unregister(partitioned());
}
static void partition_twice(void)
{
	starpu_data_partition(partitioned(), &halves);
}
static void unpartition_whole(void)
{
	starpu_data_unpartition(variable(0), STARPU_MAIN_RAM);
}
static void no_such_part(void)
{
	starpu_data_get_sub_data(partitioned(), 1, 2);
}
static void reduce_with_nothing(void)
{
	submit(&contributes, variable(0), NULL);
	starpu_task_wait_for_all();
}
static void acquire_scratch(void)
{
	(void)!starpu_data_acquire(variable(0), STARPU_SCRATCH);
}
static void wrong_interface(void)
{
	starpu_matrix_get_nx(variable(0));
}
static void no_such_node(void)
{
	variable(7);
}
static void not_initialised(void)
{
	starpu_shutdown();
	(void)!starpu_data_acquire(variable(0), STARPU_R);
}

static const struct {
	void (*does)(void);
	const char *says;
} cases[] = {
	{release_without_acquire, "is not acquired"},
	{release_twice, "is not acquired"},
	{task_reads_nothing, "has no value yet: it was never written"},
	{application_reads_nothing, "has no value yet: it was never written"},
	{nowhere_to_register, "there is no place for the handle"},
	{no_interface, "there is no interface"},
	{invalidate_nothing, "starpu_data_invalidate: there is no handle"},
	{cut_without_filter, "starpu_data_partition: there is no filter"},
	{no_arbiter, "there is no arbiter"},
	{unregister_acquired, "is acquired: release it first"},
	{task_on_unregistered, "(without a name) is unregistered"},
	{acquire_unregistered, "(without a name) is unregistered"},
	{task_behind_unregistering, "is unregistered"},
	{unregister_twice, "is unregistered already"},
	{wrong_filter, "this filter is for vector data"},
	{task_on_partitioned, "(cut) is partitioned: use its parts, or unpartition it first"},
	{acquire_partitioned, "is partitioned: it cannot be acquired"},
	{unregister_partitioned, "is partitioned: unpartition it first"},
	{partition_twice, "is partitioned already"},
	{unpartition_whole, "is not partitioned"},
	{no_such_part, "has no part 2, only 2"},
	{reduce_with_nothing, "is accessed with STARPU_REDUX, but has no codelet"},
	{acquire_scratch, "data is acquired to read, to write, or both"},
	{wrong_interface, "has the interface STARPU_VARIABLE_INTERFACE"},
	{no_such_node, "there is no memory node 7"},
	{not_initialised, "before starpu_init() data can be registered, but not yet used"},
};

static void check_case(unsigned i)
{
	char text[1000] = "";
	int to_us[2], status = 0;
	size_t n = 0;
	ssize_t got;
	CHECK(pipe(to_us) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(to_us[1], 2);
		begin();
		cases[i].does();
		_exit(0);
	}
	close(to_us[1]);
	while ((got = read(to_us[0], text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	close(to_us[0]);
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status) || strncmp(text, "starpu: ", 8) || !strstr(text, cases[i].says)) {
		fprintf(stderr, "case %u: status %#x, text '%s'; it should say '%s'\n", i, (unsigned)status, text, cases[i].says);
		checks_bad++;
	}
}

int main(void)
{
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_case(i);
	return checks_failed();
}
