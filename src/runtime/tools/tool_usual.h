/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools have in common: --help and --version, and words about a wrong option. */
#ifndef WEFT_RUNTIME_TOOL_H
#define WEFT_RUNTIME_TOOL_H

#include <getopt.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOL_OPTIONS \
	{"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, \
	{ \
		NULL, 0, NULL, 0 \
	}

/* For options that the tool has not: ends it. */
static inline void tool_option(int option, const char *name, const char *usage)
{
	if (option == 'v')
		printf("%s (StarPU %d.%d by Weft)\n", name, STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION);
	else
		fputs(usage, option == 'h' ? stdout : stderr);
	exit(option == 'h' || option == 'v' ? EXIT_SUCCESS : EXIT_FAILURE);
}

#endif
