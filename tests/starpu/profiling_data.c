/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes between memories, by a program of which all transfers and accesses are known: a vector that tasks on two NUMA nodes (which
 * hwloc makes up) write and read by turns. Links, summaries, hits and misses, and the statistics of handles.
 */
#include "starpu_check.h"
#include <starpu_profiling.h>
#include <fcntl.h>

enum { BYTES = 3 << 20, ROUNDS = 5 };
static char values[BYTES];

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet writes = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "writes"};
static struct starpu_codelet reads = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_R}, .name = "reads"};

static int worker_on[2];

static void find_workers(void)
{
	worker_on[0] = worker_on[1] = -1;
	for (int w = 0; w < (int)starpu_worker_get_count(); w++)
		if (starpu_worker_get_memory_node((unsigned)w) < 2)
			worker_on[starpu_worker_get_memory_node((unsigned)w)] = w;
	if (worker_on[0] < 0 || worker_on[1] < 0) {
		fprintf(stderr, "there are no workers on two nodes\n");
		exit(EXIT_FAILURE);
	}
}

static void run_on(int node, struct starpu_codelet *cl, starpu_data_handle_t h)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->handles[0] = h;
	t->synchronous = 1;
	t->execute_on_a_specific_worker = 1;
	t->workerid = (unsigned)worker_on[node];
	CHECK(starpu_task_submit(t) == 0);
}

/* To node 1 and back each round, where it is read once more: ROUNDS transfers each way. */
static void program(starpu_data_handle_t h)
{
	for (int i = 0; i < ROUNDS; i++) {
		run_on(1, &writes, h);
		run_on(1, &reads, h);
		run_on(0, &writes, h);
	}
}

static void begin(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
	find_workers();
}

static struct starpu_profiling_bus_info bus(int from, int to)
{
	struct starpu_profiling_bus_info i;
	CHECK(starpu_bus_get_profiling_info(starpu_bus_get_id(from, to), &i) == 0);
	return i;
}

static void links(void)
{
	starpu_data_handle_t h;
	begin();
	CHECK(starpu_bus_get_count() == 2);
	CHECK(starpu_bus_get_id(0, 1) == 0 && starpu_bus_get_id(1, 0) == 1);
	CHECK(starpu_bus_get_id(0, 0) < 0 && starpu_bus_get_id(0, 7) < 0 && starpu_bus_get_id(-1, 0) < 0);
	CHECK(starpu_bus_get_src(0) == 0 && starpu_bus_get_dst(0) == 1 && starpu_bus_get_src(1) == 1 &&
	      starpu_bus_get_dst(1) == 0);
	CHECK(starpu_bus_get_src(2) < 0 && starpu_bus_get_dst(-1) < 0 && starpu_bus_get_profiling_info(2, NULL) < 0);
	CHECK(starpu_bus_get_direct(0) == 0 && starpu_bus_get_ngpus(1) == 0);
	starpu_bus_set_direct(1, 1);
	starpu_bus_set_ngpus(0, 3);
	CHECK(starpu_bus_get_direct(1) == 1 && starpu_bus_get_direct(0) == 0 && starpu_bus_get_ngpus(0) == 3);
	starpu_bus_set_direct(1, 0);
	starpu_bus_set_ngpus(0, 0);
	CHECK(starpu_bus_get_direct(9) < 0 && starpu_bus_get_ngpus(9) < 0);
	/* A disk that comes later leaves the numbers as they are. */
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)values, BYTES, 1);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	program(h);
	struct starpu_profiling_bus_info there = bus(0, 1), back = bus(1, 0);
	CHECK(there.transfer_count == ROUNDS && there.transferred_bytes == (long long)ROUNDS * BYTES);
	CHECK(back.transfer_count == ROUNDS && back.transferred_bytes == (long long)ROUNDS * BYTES);
	CHECK(there.total_time.tv_sec || there.total_time.tv_nsec);
	/* Since it was asked last. */
	there = bus(0, 1);
	CHECK(there.transfer_count == 0 && there.transferred_bytes == 0);
	run_on(1, &reads, h);
	there = bus(0, 1);
	CHECK(there.transfer_count == 1 && there.transferred_bytes == BYTES && bus(1, 0).transfer_count == 0);
	int disk = starpu_disk_register(&starpu_disk_unistd_ops, (void *)(uintptr_t) "/tmp", STARPU_DISK_SIZE_MIN);
	CHECK(disk == 2 && starpu_bus_get_count() == 6 && starpu_bus_get_id(1, 0) == 1 && starpu_bus_get_id(2, 1) == 5);
	for (int i = 0; i < 6; i++)
		CHECK(starpu_bus_get_id(starpu_bus_get_src(i), starpu_bus_get_dst(i)) == i);
	starpu_data_unregister(h);
	starpu_shutdown();
}

/* What is written to stderr by starpu_shutdown(), or by the program before. */
static char text[1 << 16];
static void gather(void (*body)(void))
{
	char path[] = "/tmp/weft-profiling-XXXXXX";
	int file = mkstemp(path), before = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(file, STDERR_FILENO);
	body();
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	ssize_t n = pread(file, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	close(file);
	close(before);
	unlink(path);
}

static int says(const char *what)
{
	int does = strstr(text, what) != NULL;
	if (!does)
		fprintf(stderr, "'%s' does not stand in:\n%s\n", what, text);
	return does;
}

static void whole_program(void)
{
	starpu_data_handle_t h;
	begin();
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)values, BYTES, 1);
	program(h);
	starpu_data_unregister(h);
	starpu_shutdown();
}

static void summaries(void)
{
	setenv("STARPU_BUS_STATS", "1", 1);
	gather(whole_program);
	CHECK(says("\n#---------------------\nData transfer stats:\n"));
	CHECK(says("\t0.0146 GB\t") && says(" MB/s\t(transfers : 5 - avg 3.0000 MB)\n"));
	CHECK(says("Total transfers: 0.0293 GB\n#---------------------\n"));
	setenv("STARPU_STATS", "0", 1);
	gather(whole_program);
	CHECK(!*text);
	unsetenv("STARPU_STATS");
	unsetenv("STARPU_BUS_STATS");
	gather(whole_program);
	CHECK(!*text);
}

/* Of fifteen accesses, each fifth the others' after a write there: ten bring the value, five find it. */
static void hits(void)
{
	setenv("STARPU_ENABLE_STATS", "1", 1);
	gather(whole_program);
	CHECK(says("MSI cache stats :\nTOTAL MSI stats\thit 5 (33.33 %)\tmiss 10 (66.67 %)\n"));
	CHECK(says("\thit : 5 (50.00 %)\n\tmiss : 5 (50.00 %)\n") && says("\thit : 0 (0.00 %)\n\tmiss : 5 (100.00 %)\n"));
	CHECK(says("Allocation cache stats:\nmemory node ") && says("\ttotal alloc : 1\n\tcached alloc: 0 (0.00 %)\n"));
	unsetenv("STARPU_ENABLE_STATS");
}

static void plain_program(void)
{
	starpu_data_handle_t h;
	begin();
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)values, BYTES, 1);
	for (int i = 0; i < ROUNDS; i++)
		run_on(0, &writes, h);
	starpu_data_acquire(h, STARPU_R);
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_shutdown();
}

static void hits_at_home(void)
{
	setenv("STARPU_ENABLE_STATS", "1", 1);
	gather(plain_program);
	CHECK(says("TOTAL MSI stats\thit 6 (100.00 %)\tmiss 0 (0.00 %)\n"));
	unsetenv("STARPU_ENABLE_STATS");
}

/* Still registered at the end, and displayed before. */
static void left_over(void)
{
	starpu_data_handle_t h;
	begin();
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)values, BYTES, 1);
	run_on(1, &writes, h);
	run_on(1, &reads, h);
	run_on(1, &reads, h);
	run_on(0, &reads, h);
	starpu_data_display_memory_stats();
	run_on(1, &writes, h);
	starpu_shutdown();
}

static void handles(void)
{
	setenv("STARPU_MEMORY_STATS", "1", 1);
	gather(left_over);
	CHECK(says("\n#---------------------\nMemory stats :\n#-------\nData on Node #0\n#-------\nData : 0x"));
	CHECK(says("Size : 3145728\n\n#--\nData access stats\n/!\\ Work Underway\n"));
	CHECK(says("Node #0\n\tDirect access : 0\n\tLoaded (Owner) : 0\n\tLoaded (Shared) : 1\n\tInvalidated (was Owner) : 1\n\n"
	           "Node #1\n\tDirect access : 2\n\tLoaded (Owner) : 1\n\tLoaded (Shared) : 0\n\tInvalidated (was Owner) : 0\n"));
	/* Once more at the end: node 0 has it no more. */
	char *again = strstr(text, "Memory stats :");
	again = again ? strstr(again + 1, "Memory stats :") : NULL;
	CHECK(again != NULL);
	memmove(text, again ? again : text, strlen(again ? again : text) + 1);
	CHECK(says("Data on Node #1") && !strstr(text, "Data on Node #0"));
	CHECK(says("Node #1\n\tDirect access : 3\n"));
	setenv("STARPU_MEMORY_STATS", "0", 1);
	gather(left_over);
	CHECK(says("Data on Node #0") && !strstr(text, "Direct access"));
	unsetenv("STARPU_MEMORY_STATS");
}

static void to_a_file(void)
{
	char path[] = "/tmp/weft-profiling-XXXXXX", line[4096] = "";
	int file = mkstemp(path);
	setenv("STARPU_BUS_STATS", "1", 1);
	setenv("STARPU_BUS_STATS_FILE", path, 1);
	gather(whole_program);
	CHECK(!*text);
	CHECK(read(file, line, sizeof line - 1) > 0 && strstr(line, "Data transfer stats:") && strstr(line, "transfers : 5"));
	close(file);
	unlink(path);
	setenv("STARPU_BUS_STATS_FILE", "/nowhere/at/all", 1);
	unsetenv("STARPU_SILENT");
	gather(whole_program);
	CHECK(says("STARPU_BUS_STATS_FILE: cannot write '/nowhere/at/all'") && says("transfers : 5"));
	unsetenv("STARPU_BUS_STATS_FILE");
	unsetenv("STARPU_BUS_STATS");
}

int main(void)
{
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_USE_NUMA", "1", 1);
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_PROFILING");
	links();
	summaries();
	hits();
	hits_at_home();
	handles();
	to_a_file();
	return checks_failed();
}
