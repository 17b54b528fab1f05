/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heteroprio: orders of the program, orders that find themselves from what earlier runs have gathered, what is kept in files, and
 * tasks that run where their data is (with OpenCL devices; without, all is one memory and locality changes nothing).
 */
#include "starpu_check.h"
#include <starpu_heteroprio.h>
#include <unistd.h>

enum { MOST = 64 };
static int seen[MOST];
static unsigned n_seen;
static int held;

static void note(void *buffers[], void *arg)
{
	unsigned at = __atomic_fetch_add(&n_seen, 1, __ATOMIC_RELAXED);
	(void)buffers;
	CHECK(at < MOST);
	seen[at % MOST] = (int)(intptr_t)arg;
}
static void wait_for_go(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
}
static struct starpu_codelet waits = {.cpu_funcs = {wait_for_go}, .name = "waits"},
			     roots = {.cpu_funcs = {note}, .name = "roots", .nbuffers = 1, .modes = {STARPU_W}},
			     leaves = {.cpu_funcs = {note}, .name = "leaves", .nbuffers = 1, .modes = {STARPU_R}},
			     alone = {.cpu_funcs = {note}, .name = "alone"};

static void begin(void (*callback)(unsigned))
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy_name = "heteroprio";
	conf.sched_policy_callback = callback;
	conf.ncpus = 1;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
	n_seen = 0;
	CHECK(starpu_task_insert(&waits, 0) == 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
}

static void go(void)
{
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	CHECK(starpu_task_wait_for_all() == 0);
}

static void insert(struct starpu_codelet *cl, int priority, intptr_t number)
{
	CHECK(starpu_task_insert(cl, STARPU_PRIORITY, priority, STARPU_CL_ARGS_NFREE, (void *)number, sizeof number, 0) == 0);
}

/* The CPU looks at bucket 2 first, then at 0, then at 1. */
static void by_hand(unsigned ctx)
{
	static const unsigned bucket[] = {2, 0, 1};
	starpu_heteroprio_set_nb_prios(ctx, STARPU_CPU_WORKER, 3);
	for (unsigned i = 0; i < 3; i++) {
		starpu_heteroprio_set_mapping(ctx, STARPU_CPU_WORKER, i, bucket[i]);
		starpu_heteroprio_set_faster_arch(ctx, STARPU_CPU_WORKER, bucket[i]);
	}
}

static void orders_of_the_program(void)
{
	static const int want[] = {2, 2, 0, 0, 1, 1};
	begin(by_hand);
	for (int i = 0; i < 6; i++)
		insert(&alone, i % 3, i % 3);
	go();
	CHECK(n_seen == 6 && !memcmp(seen, want, sizeof want));
	starpu_shutdown();
}

/* Tasks that release others, beside tasks that release none, submitted after them. */
static void roots_and_others(void)
{
	enum { ROOTS = 5, EACH = 4 };
	starpu_data_handle_t handle[ROOTS];
	begin(NULL);
	for (int i = 0; i < 20; i++)
		insert(&alone, 0, 2);
	for (int i = 0; i < ROOTS; i++) {
		starpu_void_data_register(&handle[i]);
		CHECK(starpu_task_insert(&roots, STARPU_W, handle[i], STARPU_CL_ARGS_NFREE, (void *)1, sizeof(void *), 0) == 0);
		for (int k = 0; k < EACH; k++)
			CHECK(starpu_task_insert(&leaves, STARPU_R, handle[i], STARPU_CL_ARGS_NFREE, (void *)3, sizeof(void *),
			                         0) == 0);
	}
	go();
	CHECK(n_seen == 20 + ROOTS + ROOTS * EACH);
	for (int i = 0; i < ROOTS; i++)
		starpu_data_unregister(handle[i]);
	starpu_shutdown();
}

static void orders_that_find_themselves(void)
{
	char path[] = "/tmp/weft-heteroprio-data-XXXXXX", line[512];
	int fd = mkstemp(path), groups = 0;
	CHECK(fd >= 0);
	close(fd);
	setenv("STARPU_HETEROPRIO_DATA_FILE", path, 1);
	setenv("STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY", "2", 1);
	roots_and_others();
	FILE *f = fopen(path, "r");
	CHECK(f != NULL);
	while (f && fgets(line, sizeof line, f))
		groups += !strncmp(line, "roots\t", 6) || !strncmp(line, "alone\t", 6) || !strncmp(line, "leaves\t", 7);
	if (f)
		fclose(f);
	CHECK(groups == 3);
	/* Now it is known that roots release what others wait for: they come first. And nothing more is learnt. */
	setenv("STARPU_AUTOHETEROPRIO_FREEZE_GATHERING", "1", 1);
	setenv("STARPU_AUTOHETEROPRIO_ORDERING_INTERVAL", "1", 1);
	roots_and_others();
	for (int i = 0; i < 5; i++)
		CHECK(seen[i] == 1);
	/* All heuristics give some order. */
	for (int i = 0; i < STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY_COUNT; i++) {
		snprintf(line, sizeof line, "%d", i);
		setenv("STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY", line, 1);
		roots_and_others();
	}
	unsetenv("STARPU_AUTOHETEROPRIO_FREEZE_GATHERING");
	/* What is damaged is begun anew. */
	f = fopen(path, "w");
	CHECK(f && fprintf(f, "roots\t1 nan\t-3 inf\nalone\nx\ty\n\t\n") > 0);
	if (f)
		fclose(f);
	roots_and_others();
	CHECK(unlink(path) == 0);
	unsetenv("STARPU_HETEROPRIO_DATA_FILE");
	unsetenv("STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY");
	/* By hand all the same, when it is asked for. */
	setenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0", 1);
	begin(NULL);
	insert(&alone, 1, 1);
	insert(&alone, 7, 7);
	insert(&alone, 9, 9);
	go();
	CHECK(n_seen == 3 && seen[0] == 9 && seen[1] == 7 && seen[2] == 1);
	starpu_shutdown();
	unsetenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION");
}

int main(void)
{
	char home[] = "/tmp/weft-heteroprio-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	orders_of_the_program();
	orders_that_find_themselves();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
