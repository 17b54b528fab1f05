/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the runtime to the user. */
#include "complain.h"
#include <limits.h>
#include <starpu.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void print_line(const char *fmt, va_list ap)
{
	fputs("starpu: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void rt_say(const char *fmt, ...)
{
	if (starpu_get_env_number_default("STARPU_SILENT", 0))
		return;
	va_list ap;
	va_start(ap, fmt);
	print_line(fmt, ap);
	va_end(ap);
}

int rt_env_number(const char *name, int least, int most, int otherwise)
{
	int number = starpu_get_env_number_default(name, otherwise);
	if (number == otherwise || (number >= least && number <= most))
		return number;
	char to[24] = " on";
	if (most < INT_MAX)
		snprintf(to, sizeof to, " to %d", most);
	rt_say("%s is %d, which does not count: a number from %d%s is expected", name, number, least, to);
	return otherwise;
}

float rt_env_factor(const char *name, float otherwise)
{
	float number = starpu_get_env_float_default(name, otherwise);
	if (number >= 0)
		return number;
	rt_say("%s is %g, which does not count: a number from 0 on is expected", name, (double)number);
	return otherwise;
}

void rt_misuse(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print_line(fmt, ap);
	va_end(ap);
	abort();
}
