/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_machine_display: workers, their places, and how fast data go between memories. */
#include "tool_usual.h"
#include <stdbool.h>

static const char usage[] = "usage: starpu_machine_display [-i] [-f] [-n] [-b] [-w KIND] [-c] [-h] [-v]\n"
			    "Shows the workers of this machine, where they are, and the ways between its memories.\n"
			    "  -i, --info          only the names of the files about the ways\n"
			    "  -f, --force         measure the ways again\n"
			    "  -n, --notopology    without bandwidth, latency and affinity\n"
			    "  -b, --bus           only bandwidth, latency and affinity\n"
			    "  -w, --worker KIND   only workers of this kind (CPU, OpenCL…)\n"
			    "  -c, --count         how many workers there are, not which\n"
			    "  -h, --help          this text\n"
			    "  -v, --version       the version\n";

static const struct option options[] = {{"info", no_argument, NULL, 'i'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"notopology", no_argument, NULL, 'n'},
                                        {"bus", no_argument, NULL, 'b'},
                                        {"worker", required_argument, NULL, 'w'},
                                        {"count", no_argument, NULL, 'c'},
                                        TOOL_OPTIONS};

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
	printf("bandwidth (MB/s) and latency (us)...\n");
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

struct asked {
	bool info, no_ways, only_ways, counts;
	const char *kind;
};

static struct asked read_options(int argc, char **argv, struct starpu_conf *conf)
{
	struct asked a = {0};
	for (int option; (option = getopt_long(argc, argv, "ifnbw:chv", options, NULL)) != -1;)
		switch (option) {
		case 'i':
			a.info = true;
			break;
		case 'f':
			conf->bus_calibrate = 1;
			break;
		case 'n':
			a.no_ways = true;
			break;
		case 'b':
			a.only_ways = true;
			break;
		case 'w':
			a.kind = optarg;
			break;
		case 'c':
			a.counts = true;
			break;
		default:
			tool_option(option, "starpu_machine_display", usage);
		}
	return a;
}

static int show(const struct asked *a)
{
	if (a->info) {
		starpu_bus_print_filenames(stdout);
	} else if (a->only_ways) {
		show_ways();
	} else if (a->kind) {
		if (starpu_worker_get_type_from_string(a->kind) == STARPU_UNKNOWN_WORKER) {
			fprintf(stderr, "starpu_machine_display: there is no kind of workers '%s'\n", a->kind);
			return EXIT_FAILURE;
		}
		show_workers(starpu_worker_get_type_from_string(a->kind), a->counts);
	} else if (a->counts) {
		count_workers();
	} else {
		show_all();
		printf("\ntopology:\n");
		starpu_topology_print(stdout);
		if (!a->no_ways) {
			printf("\n");
			show_ways();
		}
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	struct asked a = read_options(argc, argv, &conf);
	if (starpu_init(&conf))
		return 77;
	int status = show(&a);
	starpu_shutdown();
	return status;
}
