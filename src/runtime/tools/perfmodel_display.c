/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_perfmodel_display: which models there are, and what one says. */
#include "tool_usual.h"
#include <inttypes.h>
#include <stdbool.h>

static const char usage[] = "usage: starpu_perfmodel_display [-l] [-d] [-s SYMBOL [-p PARAMETER] [-a ARCH] [-f FOOTPRINT] [-x]]\n"
			    "Shows performance models.\n"
			    "  -l, --list                  the models that there are\n"
			    "  -d, --directory             where they lie\n"
			    "  -s, --symbol SYMBOL         this model\n"
			    "  -p, --parameter PARAMETER   of it, one thing: a, b, c, alpha, beta, or path-file-debug\n"
			    "  -a, --arch ARCH             for this kind of worker only\n"
			    "  -f, --footprint FOOTPRINT   for this size of data only\n"
			    "  -x, --xml                   as XML\n"
			    "  -h, --help                  this text\n"
			    "  -v, --version               the version\n";

static const struct option options[] = {{"list", no_argument, NULL, 'l'},         {"directory", no_argument, NULL, 'd'},
                                        {"symbol", required_argument, NULL, 's'}, {"parameter", required_argument, NULL, 'p'},
                                        {"arch", required_argument, NULL, 'a'},   {"footprint", required_argument, NULL, 'f'},
                                        {"xml", no_argument, NULL, 'x'},          TOOL_OPTIONS};

struct asked {
	bool list, directory, xml, one_size;
	char *symbol, *parameter, *arch;
	uint32_t footprint;
};

static void take(struct asked *a, int option)
{
	switch (option) {
	case 'l':
		a->list = true;
		break;
	case 'd':
		a->directory = true;
		break;
	case 'x':
		a->xml = true;
		break;
	case 's':
		a->symbol = optarg;
		break;
	case 'p':
		a->parameter = optarg;
		break;
	case 'a':
		a->arch = optarg;
		break;
	case 'f':
		a->one_size = true;
		a->footprint = (uint32_t)strtoul(optarg, NULL, 16);
		break;
	default:
		tool_option(option, "starpu_perfmodel_display", usage);
	}
}

static int show(struct asked *a)
{
	struct starpu_perfmodel model = {0};
	if (starpu_perfmodel_load_symbol(a->symbol, &model)) {
		fprintf(stderr, "there is no performance model '%s'\n", a->symbol);
		return EXIT_FAILURE;
	}
	int rc = 0;
	if (a->xml)
		starpu_perfmodel_dump_xml(stdout, &model);
	else
		rc = starpu_perfmodel_print_all(&model, a->arch, a->parameter, a->one_size ? &a->footprint : NULL, stdout);
	starpu_perfmodel_unload_model(&model);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct asked a = {0};
	for (int option; (option = getopt_long(argc, argv, "lds:p:a:f:xhv", options, NULL)) != -1;)
		take(&a, option);
	if (!a.list && !a.directory && !a.symbol) {
		fputs(usage, stderr);
		return EXIT_FAILURE;
	}
	starpu_perfmodel_initialize();
	if (a.list && starpu_perfmodel_list(stdout))
		return EXIT_FAILURE;
	if (a.directory)
		starpu_perfmodel_directory(stdout);
	int status = a.symbol ? show(&a) : EXIT_SUCCESS;
	starpu_perfmodel_free_sampling();
	return status;
}
