/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_machine_display: workers, their places, and how fast data go between memories. */
#include "tool_usual.h"
#include <stdbool.h>

static const char usage[] = "usage: starpu_machine_display [-i] [-f] [-n] [-w KIND] [-c] [-h] [-v]\n"
			    "Shows the workers of this machine, where they are, and the ways between its memories.\n"
			    "  -i, --info          only the names of the files about the ways\n"
			    "  -f, --force         measure the ways again\n"
			    "  -n, --notopology    without bandwidth, latency and affinity\n"
			    "  -w, --worker KIND   only workers of this kind (CPU, OpenCL…)\n"
			    "  -c, --count         how many workers there are, not which\n"
			    "  -h, --help          this text\n"
			    "  -v, --version       the version\n";

static const struct option options[] = {{"info", no_argument, NULL, 'i'},       {"force", no_argument, NULL, 'f'},
                                        {"notopology", no_argument, NULL, 'n'}, {"worker", required_argument, NULL, 'w'},
                                        {"count", no_argument, NULL, 'c'},      TOOL_OPTIONS};

/* How many there are of each kind that there is. */
static void count_workers(void)
{
	for (int kind = STARPU_CPU_WORKER; kind < STARPU_NARCH; kind++)
		if (starpu_worker_get_count_by_type((enum starpu_worker_archtype)kind) > 0)
			starpu_worker_display_count(stdout, (enum starpu_worker_archtype)kind);
}

/* Those kinds that there are, each worker in a line. */
static void show_all(void)
{
	char name[128];
	printf("StarPU has found:\n");
	for (int kind = STARPU_CPU_WORKER; kind < STARPU_NARCH; kind++) {
		if (starpu_worker_get_count_by_type((enum starpu_worker_archtype)kind) <= 0)
			continue;
		printf("\t");
		starpu_worker_display_count(stdout, (enum starpu_worker_archtype)kind);
		for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
			if (starpu_worker_get_type((int)i) != (enum starpu_worker_archtype)kind)
				continue;
			starpu_worker_get_name((int)i, name, sizeof name);
			printf("\t\t%s\n", name);
		}
	}
}

/* Megabytes a second, then microseconds; and which memory is near to which device. */
static void show_ways(void)
{
	printf("\nbandwidth (MB/s) and latency (us)...\n");
	starpu_bus_print_bandwidth(stdout);
	printf("\naffinity\n");
	starpu_bus_print_affinity(stdout);
}

static void show_workers(enum starpu_worker_archtype kind, bool counts)
{
	if (counts)
		starpu_worker_display_count(stdout, kind);
	else
		starpu_worker_display_names(stdout, kind);
}

int main(int argc, char **argv)
{
	bool info = false, ways = true, counts = false;
	const char *kind = NULL;
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	for (int option; (option = getopt_long(argc, argv, "ifnw:chv", options, NULL)) != -1;)
		switch (option) {
		case 'i':
			info = true;
			break;
		case 'f':
			conf.bus_calibrate = 1;
			break;
		case 'n':
			ways = false;
			break;
		case 'w':
			kind = optarg;
			break;
		case 'c':
			counts = true;
			break;
		default:
			tool_option(option, "starpu_machine_display", usage);
		}
	if (starpu_init(&conf))
		return 77;
	if (kind && starpu_worker_get_type_from_string(kind) == STARPU_UNKNOWN_WORKER) {
		fprintf(stderr, "starpu_machine_display: there is no kind of workers '%s'\n", kind);
		starpu_shutdown();
		return EXIT_FAILURE;
	}
	if (info) {
		starpu_bus_print_filenames(stdout);
		starpu_shutdown();
		return EXIT_SUCCESS;
	}
	if (kind)
		show_workers(starpu_worker_get_type_from_string(kind), counts);
	else if (counts)
		count_workers();
	else
		show_all();
	if (!kind && !counts) {
		printf("\ntopology:\n");
		starpu_topology_print(stdout);
	}
	if (ways && !kind && !counts)
		show_ways();
	starpu_shutdown();
	return EXIT_SUCCESS;
}
