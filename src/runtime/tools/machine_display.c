/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_machine_display: workers, their places, and how fast data go between memories. */
#include "tool_usual.h"
#include <stdbool.h>

static const char usage[] = "usage: starpu_machine_display [-i] [-f] [-n] [-w KIND] [-c] [-h] [-v]\n"
			    "Shows the workers of this machine, its topology, and the bandwidths between its memories.\n"
			    "  -i, --info          names of the files about the bandwidths, too\n"
			    "  -f, --force         measure the bandwidths again\n"
			    "  -n, --notopology    without the topology\n"
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

static void show_workers(enum starpu_worker_archtype kind, bool counts)
{
	if (counts)
		starpu_worker_display_count(stdout, kind);
	else
		starpu_worker_display_names(stdout, kind);
}

int main(int argc, char **argv)
{
	bool info = false, topology = true, counts = false;
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
			topology = false;
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
	if (kind)
		show_workers(starpu_worker_get_type_from_string(kind), counts);
	else if (counts)
		count_workers();
	else
		starpu_worker_display_all(stdout);
	if (topology && !kind && !counts) {
		printf("\ntopology:\n");
		starpu_topology_print(stdout);
	}
	if (!kind && !counts) {
		printf("\nbandwidth (MB/s) and latency (us)...\n");
		starpu_bus_print_bandwidth(stdout);
	}
	if (info)
		starpu_bus_print_filenames(stdout);
	starpu_shutdown();
	return EXIT_SUCCESS;
}
