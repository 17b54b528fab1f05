/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_calibrate_bus: the ways between memory nodes are measured again, whatever files there are. */
#include "tool_usual.h"

static const char usage[] = "usage: starpu_calibrate_bus [-h] [-v]\n"
			    "Measures the ways to the devices again, and writes the files about them.\n"
			    "  -h, --help     this text\n"
			    "  -v, --version  the version\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {TOOL_OPTIONS};
	for (int option; (option = getopt_long(argc, argv, "hv", options, NULL)) != -1;)
		tool_option(option, "starpu_calibrate_bus", usage);
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.bus_calibrate = 1;
	if (starpu_init(&conf))
		return 77;
	/* The first question measures. */
	starpu_transfer_bandwidth(STARPU_MAIN_RAM, starpu_memory_nodes_get_count() - 1);
	starpu_shutdown();
	return EXIT_SUCCESS;
}
