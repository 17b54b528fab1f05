/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: options that are numbers, and what a run says. They are ordinary StarPU programs (1.3 and later). */
#ifndef WEFT_EXAMPLES_SUITE_H
#define WEFT_EXAMPLES_SUITE_H

#include <starpu.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUITE_SKIPPED = 77 };

/* An option of the command line, `-name NUMBER`, or `-name` alone where `flag` is set. The last row is empty. */
struct suite_option {
	const char *name;
	unsigned *number;
	bool *flag;
	const char *help;
};

static inline void suite_help(FILE *to, const char *program, const struct suite_option *options)
{
	fprintf(to, "usage: %s [options]\n", program);
	for (const struct suite_option *o = options; o->name; o++) {
		char value[24] = "";
		if (o->number)
			snprintf(value, sizeof value, " (%u)", *o->number);
		fprintf(to, "  -%-9s %s%s\n", o->name, o->help, value);
	}
}

static inline bool suite_number(const char *text, unsigned *number)
{
	char *end;
	errno = 0;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;
	if (!value || *end || errno || value > INT_MAX)
		return false;
	*number = (unsigned)value;
	return true;
}

/* Ends the program where the line makes no sense, or asks for help. */
static inline void suite_options(int argc, char **argv, const struct suite_option *options)
{
	const char *program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i][0] != '-' ? "" : argv[i] + 1 + (argv[i][1] == '-');
		if (!strcmp(name, "h") || !strcmp(name, "help")) {
			suite_help(stdout, program, options);
			exit(0);
		}
		const struct suite_option *o = options;
		while (o->name && strcmp(o->name, name))
			o++;
		if (!o->name) {
			fprintf(stderr, "%s: there is no option '%s'; -h lists them\n", program, argv[i]);
			exit(2);
		}
		if (o->flag) {
			*o->flag = true;
		} else if (!suite_number(argv[++i], o->number)) {
			fprintf(stderr, "%s: '%s' wants a number from 1 on\n", program, argv[i - 1]);
			exit(2);
		}
	}
}

/* With no worker at all there is nothing to measure. */
static inline void suite_begin(struct starpu_conf *conf)
{
	int rc = starpu_init(conf);
	if (rc == -ENODEV) {
		printf("skipped: no worker\n");
		exit(SUITE_SKIPPED);
	}
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
}

/* Kernels are not run when only their times count: what they would work on need not be there. */
static inline bool suite_is_simulated(void)
{
	return starpu_get_env_number("STARPU_SIMULATED") > 0 || starpu_get_env_number("STARPU_DISABLE_KERNELS") > 0;
}

static inline void suite_say(unsigned long size, double us, double flops)
{
	printf("# size\tms\tGFlop/s\n%lu\t%.3f\t%.3f\n", size, us / 1e3, flops / us / 1e3);
}

#endif
