/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets that say `checked` themselves may lie in memory that cannot be written: whatever runs them, they are not. */
#include "starpu_check.h"
#include <sys/mman.h>

static int ran;
static void add_one(void *buffers[], void *arg)
{
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	__atomic_add_fetch(&ran, arg ? *(int *)arg : 1, __ATOMIC_RELAXED);
}
static void set_zero(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}
static void add(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(int *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}

static const struct starpu_codelet adds = {.cpu_funcs = {add_one},
                                           .nbuffers = 1,
                                           .modes = {STARPU_RW},
                                           .where = STARPU_CPU,
                                           .checked = 1};
static const struct starpu_codelet adds_anywhere = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}, .checked = 1};
static const struct starpu_codelet says_no_mode = {.cpu_funcs = {add_one}, .nbuffers = 1, .where = STARPU_CPU, .checked = 1};
static const struct starpu_codelet begins = {.cpu_funcs = {set_zero}, .nbuffers = 1, .where = STARPU_CPU, .checked = 1};
static const struct starpu_codelet sums = {.cpu_funcs = {add},
                                           .nbuffers = 2,
                                           .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R},
                                           .where = STARPU_CPU,
                                           .checked = 1};

/* In a page of its own that is read only: the linker's constants are in one as well, but not with every linker. */
static struct starpu_codelet *constant(const struct starpu_codelet *from)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (sizeof *from + page - 1) / page * page;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(at, from, sizeof *from);
	CHECK(mprotect(at, bytes, PROT_READ) == 0);
	return at;
}

static void run(struct starpu_codelet *cl, starpu_data_handle_t h)
{
	int more = 1;
	for (int i = 0; i < 50; i++)
		CHECK(starpu_task_insert(cl, STARPU_RW, h, 0) == 0);
	CHECK(starpu_task_insert(cl, STARPU_VALUE, &more, sizeof more, STARPU_RW, h, STARPU_PRIORITY, 1, STARPU_NAME, "it", 0) ==
	      0);
	starpu_task_wait_for_all();
}

static void submit(struct starpu_codelet *cl, starpu_data_handle_t h)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->handles[0] = h;
	t->synchronous = 1;
	CHECK(starpu_task_submit(t) == 0);
}

static void reduce(void)
{
	int value = 5;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_data_set_reduction_methods(h, constant(&sums), constant(&begins));
	static struct starpu_codelet contributes = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_REDUX}};
	for (int i = 0; i < 10; i++)
		CHECK(starpu_task_insert(&contributes, STARPU_REDUX, h, 0) == 0);
	starpu_data_unregister(h);
	CHECK(value == 15);
	/* A value that nobody wrote begins by the codelet. */
	starpu_variable_data_register(&h, -1, 0, sizeof value);
	starpu_data_set_reduction_methods(h, constant(&sums), constant(&begins));
	CHECK(starpu_task_insert(constant(&adds), STARPU_RW, h, 0) == 0);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(*(int *)starpu_data_get_local_ptr(h) == 1);
	starpu_data_release(h);
	starpu_data_unregister(h);
}

int main(void)
{
	begin_on_cpus(2);
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	struct starpu_codelet *all[] = {constant(&adds), constant(&adds_anywhere), constant(&says_no_mode)};
	for (int i = 0; i < 3; i++)
		run(all[i], h);
	submit(all[0], h);
	submit(all[1], h);
	starpu_codelet_display_stats(all[0]);
	starpu_data_unregister(h);
	CHECK(value == 3 * 51 + 2);
	reduce();
	starpu_shutdown();
	return checks_failed();
}
