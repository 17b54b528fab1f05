/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: who is heard at which level, and what a line looks like. Each case runs in a child, which starts without a level. */
#include "harness.h"
#include "base/log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `talk` says on stderr, in a child with WEFT_VERBOSE as given. */
static const char *heard(void (*talk)(void), const char *verbose)
{
	static char text[8192];
	int out[2];
	text[0] = '\0';
	REQUIRE(pipe(out) == 0);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		close(out[1]);
		if (verbose)
			setenv("WEFT_VERBOSE", verbose, 1);
		else
			unsetenv("WEFT_VERBOSE");
		talk();
		_exit(0);
	}
	close(out[1]);
	size_t n = 0;
	for (ssize_t got; (got = read(out[0], text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	text[n] = '\0';
	close(out[0]);
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child && status == 0);
	return text;
}

static void talk_all_levels(void)
{
	weft_log(WEFT_LOG_ERROR, "e%d", 1);
	weft_log(WEFT_LOG_WARN, "w");
	weft_log(WEFT_LOG_INFO, "i");
	weft_log(WEFT_LOG_DEBUG, "d");
}

static void talk_as_tool(void)
{
	weft_log_set(WEFT_LOG_WARN, "weft dump");
	talk_all_levels();
}

static void talk_as_chatty_tool(void)
{
	weft_log_set(WEFT_LOG_DEBUG, "weft");
	talk_all_levels();
}

TEST(log_of_a_library_is_silent_unless_asked)
{
	CHECK_STR(heard(talk_all_levels, NULL), "");
	CHECK_STR(heard(talk_all_levels, ""), "");
	CHECK_STR(heard(talk_all_levels, "0"), "");
	CHECK_STR(heard(talk_all_levels, "1"), "weft: error: e1\nweft: warning: w\nweft: i\n");
	CHECK_STR(heard(talk_all_levels, "debug"), "weft: error: e1\nweft: warning: w\nweft: i\nweft: debug: d\n");
}

TEST(log_of_a_tool_has_its_level_and_name)
{
	CHECK_STR(heard(talk_as_tool, "debug"), "weft dump: error: e1\nweft dump: warning: w\n");
	CHECK_STR(heard(talk_as_chatty_tool, NULL), "weft: error: e1\nweft: warning: w\nweft: i\nweft: debug: d\n");
}

static void talk_with_controls(void)
{
	weft_log_set(WEFT_LOG_WARN, "weft");
	weft_log(WEFT_LOG_WARN, "name 'a\nb\x1b[0m'");
}

static void talk_long(void)
{
	static char name[10000];
	memset(name, 'n', sizeof name - 1);
	weft_log_set(WEFT_LOG_WARN, "weft");
	weft_log(WEFT_LOG_WARN, "%s", name);
	weft_log(WEFT_LOG_WARN, "next");
}

TEST(log_writes_one_line_a_message)
{
	CHECK_STR(heard(talk_with_controls, NULL), "weft: warning: name 'a?b?[0m'\n");
	const char *text = heard(talk_long, NULL);
	const char *end = strchr(text, '\n');
	REQUIRE(end);
	CHECK(end - text > 1000 && end - text < 2048);
	CHECK_STR(end + 1, "weft: warning: next\n");
}

static void talk_and_keep_errno(void)
{
	weft_log_set(WEFT_LOG_WARN, "weft");
	close(STDERR_FILENO);
	errno = EXDEV;
	weft_log(WEFT_LOG_WARN, "nobody hears this");
	if (errno != EXDEV)
		_exit(1);
}

TEST(log_keeps_errno_even_without_stderr)
{
	CHECK_STR(heard(talk_and_keep_errno, NULL), "");
}
