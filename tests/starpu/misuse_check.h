/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that use StarPU wrongly: each misuse in a process of its own, which prints a line and ends by SIGABRT. */
#ifndef TESTS_STARPU_MISUSE_CHECK_H
#define TESTS_STARPU_MISUSE_CHECK_H

#include "starpu_check.h"
#include <signal.h>
#include <sys/wait.h>

static inline void check_ends(void (*wrong)(void), const char *says)
{
	int ends[2], status;
	char text[4096];
	size_t n = 0;
	CHECK(pipe(ends) == 0);
	pid_t child = fork();
	if (!child) {
		struct starpu_conf conf;
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		starpu_conf_init(&conf);
		conf.ncpus = 1;
		conf.nopencl = 0;
		if (!starpu_init(&conf))
			wrong();
		_exit(0);
	}
	close(ends[1]);
	for (ssize_t got; n < sizeof text - 1 && (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	text[n] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	if (!strstr(text, says)) {
		fprintf(stderr, "'%s' is not in '%s'\n", says, text);
		CHECK(0);
	}
}

#endif
