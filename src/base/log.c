/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talk on stderr. A line is built on the stack and written at once, so that lines of threads and processes do not mix.
 * The level starts unknown: a tool sets it; in a library the first message asks WEFT_VERBOSE, and mostly finds silence.
 */
#include "log.h"
#include "atomic.h"
#include "str.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEVEL_UNKNOWN = 0, LEVEL_SILENT = 1, LEVEL_FIRST = 2, LINE_SIZE = 2048 };

/* The one mutable global of this module. level: 0, 1, or LEVEL_FIRST + the last enum weft_log_level to show. */
static struct {
	struct weft_atomic_i32 level;
	struct weft_atomic_ptr program; /* const char *, never freed */
} log_context;

static const char *const log_labels[] = {"error: ", "warning: ", "", "debug: "};

void weft_log_set(enum weft_log_level up_to, const char *program)
{
	weft_store_ptr(&log_context.program, (void *)(uintptr_t)program);
	weft_store_i32(&log_context.level, LEVEL_FIRST + (int32_t)up_to);
}

/* WEFT_VERBOSE: unset, empty or 0: silent; debug: everything; anything else: up to info. */
static int32_t log_level_of_environment(void)
{
	const char *verbose = getenv("WEFT_VERBOSE");
	if (!verbose || !*verbose || strcmp(verbose, "0") == 0)
		return LEVEL_SILENT;
	return LEVEL_FIRST + (strcmp(verbose, "debug") == 0 ? WEFT_LOG_DEBUG : WEFT_LOG_INFO);
}

static bool log_shows(enum weft_log_level level)
{
	int32_t up_to = weft_load_i32(&log_context.level);
	if (up_to == LEVEL_UNKNOWN) {
		int32_t found = log_level_of_environment();
		up_to = weft_cas_i32(&log_context.level, &up_to, found) ? found : up_to;
	}
	return LEVEL_FIRST + (int32_t)level <= up_to;
}

void weft_log(enum weft_log_level level, const char *fmt, ...)
{
	if (!log_shows(level))
		return;
	int saved_errno = errno;
	char line[LINE_SIZE];
	const char *program = weft_load_ptr(&log_context.program);
	int n = snprintf(line, sizeof line / 2, "%s: %s", program ? program : "weft", log_labels[level]);
	if (n >= (int)sizeof line / 2)
		n = sizeof line / 2 - 1;
	va_list args;
	va_start(args, fmt);
	vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, args);
	va_end(args);
	weft_one_line(line);
	size_t end = strlen(line);
	line[end] = '\n';
	/* When stderr is gone there is nobody left to tell. */
	ssize_t written = write(STDERR_FILENO, line, end + 1);
	(void)written;
	errno = saved_errno;
}
