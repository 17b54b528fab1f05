/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of tasks, and their energy: page faults of a known number; a made-up powercap tree whose counter the tasks themselves move;
 * batches that feed a model; and what cannot be measured is said.
 */
#include "starpu_check.h"
#include <starpu_profiling.h>
#include <starpu_perfmodel.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PAGES = 400, OTHERS = 150 };

static void touch(void *buffers[], void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = *(const size_t *)arg;
	(void)buffers;
	char *at = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(at != MAP_FAILED);
	madvise(at, (pages + 1) * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)at)[i * page] = 1;
	munmap(at, (pages + 1) * page);
}

/* ---- a powercap tree ---- */

static char folder[] = "/tmp/weft-powercap-XXXXXX";
static unsigned long long uj = 5000000;

static void put(const char *file, unsigned long long number, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/intel-rapl:0/%s", folder, file);
	FILE *f = fopen(path, "w");
	CHECK(f != NULL);
	if (!f)
		return;
	if (text)
		fprintf(f, "%s\n", text);
	else
		fprintf(f, "%llu\n", number);
	fclose(f);
}
static void make_tree(void)
{
	char path[200];
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/intel-rapl:0", folder);
	CHECK(!mkdir(path, 0777));
	put("name", 0, "package-0");
	put("max_energy_range_uj", 1000000000, NULL);
	put("energy_uj", uj, NULL);
	setenv("WEFT_POWERCAP", folder, 1);
}
static void remove_tree(void)
{
	char command[200];
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(system(command) == 0);
}

/* A task takes so many millijoules. */
static void burn(void *buffers[], void *arg)
{
	(void)buffers;
	uj += *(const size_t *)arg * 1000;
	put("energy_uj", uj, NULL);
}

static struct starpu_codelet touches = {.cpu_funcs = {touch}, .name = "touches"};
static struct starpu_codelet burns = {.cpu_funcs = {burn}, .name = "burns"};

static void begin(int cpus)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = cpus;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
}

static struct starpu_task *run(struct starpu_codelet *cl, size_t *arg)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = arg;
	t->detach = t->destroy = 0;
	CHECK(starpu_task_submit(t) == 0 && starpu_task_wait(t) == 0);
	return t;
}

/* Lists by blanks and commas, PAPI's spelling and perf's; one that is not known is said and left out. False: nobody counts here. */
static int events(const char *names, int at)
{
	size_t none = 0, pages = PAGES;
	setenv("STARPU_PROFILING", "1", 1);
	setenv("STARPU_PROF_PAPI_EVENTS", names, 1);
	begin(1);
	for (int i = 0; i < 3; i++) {
		struct starpu_task *few = run(&touches, &none), *many = run(&touches, &pages);
		const long long *a = few->profiling_info->papi_values, *b = many->profiling_info->papi_values;
		if (!b[at]) {
			starpu_shutdown();
			return 0;
		}
		CHECK(b[at] >= PAGES && b[at] <= PAGES + OTHERS && a[at] <= OTHERS);
		CHECK(many->profiling_info->papi_values[14] == 0);
		starpu_task_destroy(few);
		starpu_task_destroy(many);
	}
	starpu_shutdown();
	unsetenv("STARPU_PROF_PAPI_EVENTS");
	return 1;
}

static void energy_of_tasks(void)
{
	size_t mj[] = {1500, 250, 0, 4000};
	struct starpu_profiling_worker_info info;
	setenv("STARPU_ENERGY_PROFILING", "1", 1);
	begin(1);
	for (int i = 0; i < 4; i++) {
		struct starpu_task *t = run(&burns, &mj[i]);
		CHECK(fabs(t->profiling_info->energy_consumed - (double)mj[i] / 1000) < 1e-9);
		starpu_task_destroy(t);
		/* Between tasks: nobody's. */
		uj += 7000000;
		put("energy_uj", uj, NULL);
	}
	CHECK(starpu_profiling_worker_get_info(0, &info) == 0 && fabs(info.energy_consumed - 5.75) < 1e-9);
	starpu_shutdown();
	unsetenv("STARPU_ENERGY_PROFILING");
}

/* Two at a time share what is taken meanwhile. */
static int together;
static void meet(void *buffers[], void *arg)
{
	(void)buffers;
	__atomic_add_fetch(&together, 1, __ATOMIC_ACQ_REL);
	WAIT_FOR(LOOK(together) >= 2);
	if (arg) {
		uj += 3000000;
		put("energy_uj", uj, NULL);
	}
	__atomic_add_fetch(&together, 1, __ATOMIC_ACQ_REL);
	WAIT_FOR(LOOK(together) >= 3 + !arg);
}
static struct starpu_codelet meets = {.cpu_funcs = {meet}, .name = "meets"};

static void energy_is_shared(void)
{
	struct starpu_task *t[2];
	setenv("STARPU_ENERGY_PROFILING", "1", 1);
	begin(2);
	for (int i = 0; i < 2; i++) {
		t[i] = starpu_task_create();
		t[i]->cl = &meets;
		t[i]->cl_arg = i ? &uj : NULL;
		t[i]->detach = t[i]->destroy = 0;
		CHECK(starpu_task_submit(t[i]) == 0);
	}
	CHECK(starpu_task_wait_array(t, 2) == 0);
	for (int i = 0; i < 2; i++) {
		CHECK(fabs(t[i]->profiling_info->energy_consumed - 1.5) < 1e-9);
		starpu_task_destroy(t[i]);
	}
	starpu_shutdown();
	unsetenv("STARPU_ENERGY_PROFILING");
}

/* ---- batches ---- */

static struct starpu_perfmodel joules = {.type = STARPU_HISTORY_BASED, .symbol = "profiling_papi_joules"};
static struct starpu_codelet batch = {.cpu_funcs = {burn}, .energy_model = &joules, .name = "batch"};

static void energy_of_batches(void)
{
	enum { TASKS = 20 };
	size_t mj = 600;
	setenv("STARPU_HOME", folder, 1);
	begin(1);
	struct starpu_task *like = starpu_task_create();
	like->cl = &batch;
	CHECK(starpu_energy_start(-1, STARPU_OPENCL_WORKER) < 0);
	CHECK(starpu_energy_start(0, STARPU_CPU_WORKER) < 0);
	CHECK(starpu_energy_stop(&joules, like, 0, TASKS, -1, STARPU_CPU_WORKER) < 0);
	CHECK(starpu_energy_start(-1, STARPU_CPU_WORKER) == 0);
	CHECK(starpu_energy_start(-1, STARPU_CPU_WORKER) < 0);
	for (int i = 0; i < TASKS; i++)
		starpu_task_destroy(run(&batch, &mj));
	CHECK(starpu_energy_stop(&joules, like, 0, TASKS, -1, STARPU_CPU_WORKER) == 0);
	double expected = starpu_task_expected_energy(like, starpu_worker_get_perf_archtype(0, 0), 0);
	CHECK(fabs(expected - 0.6) < 1e-9);
	/* A counter that stands still is no measurement. */
	CHECK(starpu_energy_start(-1, STARPU_CPU_WORKER) == 0);
	CHECK(starpu_energy_stop(&joules, like, 0, TASKS, -1, STARPU_CPU_WORKER) < 0);
	starpu_task_destroy(like);
	starpu_shutdown();
	setenv("WEFT_POWERCAP", "/nowhere", 1);
	begin(1);
	CHECK(starpu_energy_start(-1, STARPU_CPU_WORKER) < 0);
	starpu_shutdown();
	setenv("WEFT_POWERCAP", folder, 1);
}

static void energy_that_is_said(void)
{
	begin(1);
	CHECK(starpu_energy_used() == 0);
	starpu_energy_use(1.5F);
	starpu_energy_use(2.25F);
	CHECK(fabs(starpu_energy_used() - 3.75) < 1e-9);
	setenv("STARPU_IDLE_POWER", "100", 1);
	double from = starpu_timing_now(), first = starpu_energy_used();
	usleep(10000);
	double last = starpu_energy_used(), until = starpu_timing_now();
	CHECK(last - first >= 1.0 && last - first <= (until - from) / 1e6 * 100 + 1e-6);
	unsetenv("STARPU_IDLE_POWER");
	starpu_shutdown();
	begin(1);
	CHECK(starpu_energy_used() == 0);
	starpu_shutdown();
}

int main(void)
{
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	unsetenv("STARPU_SCHED");
	make_tree();
	setenv("STARPU_PROFILING", "1", 1);
	energy_of_tasks();
	energy_is_shared();
	unsetenv("STARPU_PROFILING");
	energy_of_batches();
	energy_that_is_said();
	int counts = events("page-faults", 0);
	if (counts) {
		events("PAPI_NO_SUCH, task-clock,perf::PERF_COUNT_SW_PAGE_FAULTS", 1);
		events(" context-switches page-faults,", 1);
	}
	remove_tree();
	if (!counts)
		skip_test("this kernel lets nobody count page faults");
	return checks_failed();
}
