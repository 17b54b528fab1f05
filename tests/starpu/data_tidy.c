/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room ahead of need: main memory of 4 MB and a disk. STARPU_MINIMUM_AVAILABLE_MEM and its sisters have the asked part freed, or
 * written back, without anybody waiting for it; starpu_memchunk_tidy() does it at once. No value is lost.
 */
#include "data_check.h"
#include <stdbool.h>
#include <unistd.h>

enum { HANDLES = 56, LENGTH = 1 << 14, MB = 1 << 20 };
static char folder[] = "/tmp/starpu-tidy-XXXXXX";
static starpu_data_handle_t h[HANDLES];

static void fill(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = (unsigned)(uintptr_t)arg;
}
static struct starpu_codelet fills = {.cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}};

/* 3.5 of 4 MB. */
static void begin_full(void)
{
	begin();
	for (unsigned i = 0; i < HANDLES; i++) {
		starpu_vector_data_register(&h[i], -1, 0, LENGTH, sizeof(unsigned));
		submit(&fills, h[i], (void *)(uintptr_t)(i + 1));
	}
	starpu_task_wait_for_all();
}

static void end_full(void)
{
	for (unsigned i = 0; i < HANDLES; i++) {
		CHECK(starpu_data_acquire(h[i], STARPU_R) == 0);
		unsigned *v = starpu_data_get_local_ptr(h[i]);
		CHECK(v[0] == i + 1 && v[LENGTH - 1] == i + 1);
		starpu_data_release(h[i]);
		starpu_data_unregister(h[i]);
	}
	starpu_shutdown();
}

static unsigned count_on(unsigned node)
{
	unsigned n = 0;
	for (unsigned i = 0; i < HANDLES; i++)
		n += starpu_data_is_on_node_excluding_prefetch(h[i], node);
	return n;
}

static bool has_available(int percent)
{
	return starpu_memory_get_available(STARPU_MAIN_RAM) * 100 >= (starpu_ssize_t)percent * 4 * MB;
}
static bool has_clean(int percent)
{
	return count_on((unsigned)starpu_disk_swap_node) * 100 >= HANDLES * (unsigned)percent;
}
/* Less than the minimum: the last few tasks ask for no pass of their own. */
static bool has_some_available(void)
{
	return has_available(20);
}
static bool has_some_clean(void)
{
	return has_clean(40);
}

/* Passes that nobody asked for, in a minute at most. */
static void wait_for(bool (*what)(void))
{
	for (unsigned i = 0; i < 60000 && !what(); i++)
		usleep(1000);
	CHECK(what());
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	setenv("STARPU_LIMIT_CPU_MEM", "4", 1);
	setenv("STARPU_DISK_SWAP", folder, 1);

	/* Nobody asks for anything: all fits, so nothing moves. */
	begin_full();
	starpu_memchunk_tidy(STARPU_MAIN_RAM);
	CHECK(count_on(STARPU_MAIN_RAM) == HANDLES && count_on((unsigned)starpu_disk_swap_node) == 0);
	end_full();

	setenv("STARPU_MINIMUM_AVAILABLE_MEM", "30", 1);
	setenv("STARPU_TARGET_AVAILABLE_MEM", "60", 1);
	begin_full();
	starpu_memchunk_tidy(STARPU_MAIN_RAM);
	CHECK(has_available(30)); /* a pass before it may have left it above the minimum */
	end_full();
	begin_full();
	wait_for(has_some_available);
	CHECK(count_on(STARPU_MAIN_RAM) >= HANDLES * 3 / 10);
	end_full();
	unsetenv("STARPU_MINIMUM_AVAILABLE_MEM");
	unsetenv("STARPU_TARGET_AVAILABLE_MEM");

	setenv("STARPU_MINIMUM_CLEAN_BUFFERS", "50", 1);
	setenv("STARPU_TARGET_CLEAN_BUFFERS", "80", 1);
	begin_full();
	starpu_memchunk_tidy(STARPU_MAIN_RAM);
	CHECK(has_clean(50) && count_on(STARPU_MAIN_RAM) == HANDLES);
	end_full();
	begin_full();
	wait_for(has_some_clean);
	CHECK(count_on(STARPU_MAIN_RAM) == HANDLES);
	end_full();
	CHECK(rmdir(folder) == 0);
	return checks_failed();
}
