/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of probes: tests/tools/probe_target.c, compiled in a given way, started under a session, and stopped. */
#ifndef WEFT_TESTS_PROBE_PROGRAM_H
#define WEFT_TESTS_PROBE_PROGRAM_H

#include "harness.h"
#include "probe/probe.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct program {
	pid_t pid;
	int in, out;                     /* its standard input and output */
	struct probe_listener *listener; /* NULL: what listens elsewhere */
	char name[PROBE_LISTEN_ROOM];
	struct probe_session *session;
};

/* The agent of a sanitizer's build cannot be loaded into a program without that sanitizer. */
static inline void program_needs_agent(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	SKIP("the agent is built with a sanitizer");
#endif
}

/* compiler: "gcc -O2 -pie", "g++ …"; the path of what it made. Owned by the caller's buffer. */
static inline void program_compile(const char *compiler, char *path, size_t room)
{
	int status;
	snprintf(path, room, "%s/target", test_dir());
	char *out = test_shell(&status, "%s -w -g -pthread -o %s %s %s 2>&1", compiler, path,
	                       strstr(compiler, "++") ? "-x c++" : "", test_source("tests/tools/probe_target.c"));
	if (status)
		printf("# %s: %s\n", compiler, out);
	free(out);
	REQUIRE(status == 0);
}

static inline void program_start(struct program *p, char *const *arguments, bool preload)
{
	int in[2], out[2];
	struct weft_err err = {0};
	p->session = NULL;
	REQUIRE(probe_listen(&p->listener, NULL, &err) == 0);
	snprintf(p->name, sizeof p->name, "%s", probe_listener_name(p->listener));
	REQUIRE(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	p->pid = fork();
	REQUIRE(p->pid >= 0);
	if (p->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (preload) {
			setenv("LD_PRELOAD", test_built("libweft-agent.so"), 1);
			setenv(LINK_ENVIRONMENT, p->name, 1);
		}
		execv(arguments[0], arguments);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
	if (!preload)
		return;
	if (probe_accept(p->listener, 60000, &p->session, &err))
		printf("# %s\n", err.text);
	REQUIRE(p->session);
}

/* It has begun its threads. */
static inline void program_wait_ready(struct program *p)
{
	char line[7] = "";
	for (size_t n = 0; n < 6;) {
		ssize_t got = read(p->out, line + n, 6 - n);
		REQUIRE(got > 0);
		n += (size_t)got;
	}
	CHECK_STR(line, "ready\n");
}

/* Ends its input and waits: its exit status (128 + signal), and how many calls it has checked. */
static inline int program_finish(struct program *p, unsigned long *calls)
{
	char text[200] = "", verdict[20] = "";
	int status = 0;
	size_t n = 0;
	close(p->in);
	for (ssize_t got; n < sizeof text - 1 && (got = read(p->out, text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	text[n] = '\0';
	unsigned long sum = 0;
	CHECK_I64(sscanf(text, "%19s %lu", verdict, &sum), 2);
	CHECK_STR(verdict, "right");
	close(p->out);
	probe_listener_free(p->listener);
	waitpid(p->pid, &status, 0);
	if (calls)
		*calls = sum;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
