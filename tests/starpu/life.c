/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end: once, several times, again; what the configuration says; what is known of workers. */
#include "starpu_check.h"

static void once(int ncpus)
{
	struct starpu_conf conf;
	char name[32];
	CHECK(starpu_conf_init(&conf) == 0);
	conf.ncpus = ncpus;
	CHECK(!starpu_is_initialized());
	CHECK(starpu_init(&conf) == 0);
	CHECK(starpu_is_initialized());
	CHECK(starpu_worker_get_count() == (unsigned)ncpus);
	CHECK(starpu_cpu_worker_get_count() == (unsigned)ncpus);
	CHECK(starpu_worker_get_count_by_type(STARPU_CPU_WORKER) == ncpus);
	CHECK(starpu_worker_get_id() == -1);
	CHECK(starpu_worker_get_type(0) == STARPU_CPU_WORKER);
	CHECK(starpu_worker_get_by_type(STARPU_CPU_WORKER, ncpus - 1) == ncpus - 1);
	starpu_worker_get_name(ncpus - 1, name, sizeof name);
	CHECK(strncmp(name, "CPU ", 4) == 0);
	CHECK(starpu_memory_nodes_get_count() >= 1);
	CHECK(starpu_node_get_kind(0) == STARPU_CPU_RAM);
	/* A second user, who changes nothing. */
	starpu_set_limit_max_submitted_tasks(77);
	CHECK(starpu_init(NULL) == 0);
	CHECK(starpu_get_limit_max_submitted_tasks() == 77);
	starpu_shutdown();
	CHECK(starpu_is_initialized());
	starpu_shutdown();
	CHECK(!starpu_is_initialized());
}

static void refuses(void)
{
	struct starpu_conf conf;
	starpu_conf_noworker(&conf);
	CHECK(conf.ncpus == 0);
	CHECK(starpu_init(&conf) == -ENODEV);
	CHECK(!starpu_is_initialized());
	memset(&conf, 0, sizeof conf);
	CHECK(starpu_init(&conf) == -EINVAL);
}

static void environment_wins(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	setenv("STARPU_NCPU", "3", 1);
	CHECK(starpu_init(&conf) == 0);
	CHECK(starpu_cpu_worker_get_count() == 3);
	starpu_shutdown();
	conf.precedence_over_environment_variables = 1;
	CHECK(starpu_init(&conf) == 0);
	CHECK(starpu_cpu_worker_get_count() == 1);
	starpu_shutdown();
	unsetenv("STARPU_NCPU");
}

int main(void)
{
	int major, minor, release;
	starpu_get_version(&major, &minor, &release);
	CHECK(major == STARPU_MAJOR_VERSION && minor == STARPU_MINOR_VERSION && release == STARPU_RELEASE_VERSION);
	unsetenv("STARPU_NCPU");
	setenv("STARPU_SILENT", "1", 1);
	for (int i = 0; i < 5; i++)
		once(1 + i % 3);
	refuses();
	environment_wins();
	return checks_failed();
}
