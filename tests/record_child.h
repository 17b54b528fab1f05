/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the recorder: what is recorded happens in a process of its own, since a process has one recorder, which reads its
 * environment once. A test program starts itself again as one of its children, which are written beside the tests:
 *
 *     CHILD(two_events) { weft_enter(r); weft_leave(r); return 0; }
 *
 *     TEST(events_are_recorded)
 *     {
 *         CHECK_I64(child_run("two_events", "WEFT_DIR=%s/t.weft", test_dir()), 0);
 *         struct stream_file f;
 *         REQUIRE(stream_load_only(&f, "%s/t.weft", test_dir()));
 *         ...
 */
#ifndef WEFT_TESTS_RECORD_CHILD_H
#define WEFT_TESTS_RECORD_CHILD_H

#include "harness.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child_case {
	const char *name;
	int (*run)(void);
	struct child_case *next;
};
static struct child_case *child_cases;

#define CHILD(name_) \
	static int child_##name_(void); \
	__attribute__((constructor)) static void register_child_##name_(void) \
	{ \
		static struct child_case c = {#name_, child_##name_, NULL}; \
		c.next = child_cases; \
		child_cases = &c; \
	} \
	static int child_##name_(void)

static int child_find(const char *name)
{
	for (struct child_case *c = child_cases; c; c = c->next)
		if (strcmp(c->name, name) == 0)
			return c->run();
	return 99;
}

__attribute__((constructor)) static void register_children(void)
{
	test_child = child_find;
}

/* Starts a child; `settings` are of the form "A=x B=y", without blanks in values. */
static inline pid_t child_start_v(const char *name, const char *settings, va_list args)
{
	char text[4096], exe[4096];
	vsnprintf(text, sizeof text, settings, args);
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n < 0)
		return -1;
	exe[n] = 0;
	fflush(NULL);
	pid_t pid = fork();
	if (pid)
		return pid;
	setenv("TEST_CHILD", name, 1);
	for (char *rest = text, *one; (one = strsep(&rest, " ")) != NULL;)
		if (*one)
			putenv(one);
	execl(exe, exe, (char *)NULL);
	_exit(98);
}

__attribute__((format(printf, 2, 3), unused)) static pid_t child_start(const char *name, const char *settings, ...)
{
	va_list args;
	va_start(args, settings);
	pid_t pid = child_start_v(name, settings, args);
	va_end(args);
	return pid;
}

static inline int child_wait(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	/* dev/run-tests does not run crashes again. */
	if (WTERMSIG(status) != SIGKILL)
		printf("# a child was terminated by signal %d\n", WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* The exit status, 128 + signal. */
__attribute__((format(printf, 2, 3), unused)) static int child_run(const char *name, const char *settings, ...)
{
	va_list args;
	va_start(args, settings);
	pid_t pid = child_start_v(name, settings, args);
	va_end(args);
	return pid < 0 ? -errno : child_wait(pid);
}

#endif
