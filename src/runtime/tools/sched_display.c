/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_sched_display: the scheduling policies that STARPU_SCHED may name. */
#include "tool_usual.h"
#include <starpu_scheduler.h>

static const char usage[] = "usage: starpu_sched_display [-h] [-v]\n"
			    "Lists the scheduling policies.\n"
			    "  -h, --help     this text\n"
			    "  -v, --version  the version\n";

static void list(struct starpu_sched_policy **policies)
{
	for (; policies && *policies; policies++)
		printf("%-30s\t-> %s\n", (*policies)->policy_name,
		       (*policies)->policy_description ? (*policies)->policy_description : "");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {TOOL_OPTIONS};
	for (int option; (option = getopt_long(argc, argv, "hv", options, NULL)) != -1;)
		tool_option(option, "starpu_sched_display", usage);
	list(starpu_sched_get_predefined_policies());
	list(starpu_get_sched_lib_policies());
	return EXIT_SUCCESS;
}
