/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the runtime to the user. */
#include "complain.h"
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

void rt_misuse(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print_line(fmt, ap);
	va_end(ap);
	abort();
}
