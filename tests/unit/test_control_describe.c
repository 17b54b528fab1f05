/* SPDX-License-Identifier: Apache-2.0 */
/* Who a process is, from the environment that launchers give it. */
#include "harness.h"
#include "tune/control/control_priv.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int last;

/* A process with that environment, which waits. */
static pid_t start(char *const *environment)
{
	int ready[2], until[2];
	char byte;
	REQUIRE(pipe2(ready, O_CLOEXEC) == 0 && pipe2(until, O_CLOEXEC) == 0);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		dup2(until[0], 0);
		dup2(ready[1], 1);
		execle("/bin/sh", "sh", "-c", "echo r; read line", NULL, environment);
		_exit(127);
	}
	close(ready[1]);
	REQUIRE(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(until[0]);
	last = until[1]; /* open until the process has ended: it waits for that */
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(last);
}

TEST(who_by_the_launcher)
{
	static const struct {
		const char *environment[5];
		int64_t rank, size;
	} rows[] = {
		{{"PATH=/bin:/usr/bin", "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "PMIX_RANK=9"}, 3, 8},
		{{"PATH=/bin:/usr/bin", "PMI_RANK=0", "PMI_SIZE=2"}, 0, 2},
		{{"PATH=/bin:/usr/bin", "SLURM_PROCID=17", "SLURM_NTASKS=64"}, 17, 64},
		{{"PATH=/bin:/usr/bin", "PMIX_RANK=5"}, 5, -1},
		{{"PATH=/bin:/usr/bin", "XPMI_RANK=1", "PMI_RANKS=2", "PMI_RANK=x"}, -1, -1},
		{{"PATH=/bin:/usr/bin"}, -1, -1},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct message_process m = {0};
		pid_t pid = start((char *const *)rows[i].environment);
		control_describe(pid, &m);
		CHECK_U64(m.pid, (uint64_t)pid);
		CHECK_U64(m.parent, (uint64_t)getpid());
		CHECK_I64(m.rank, rows[i].rank);
		CHECK_I64(m.size, rows[i].size);
		end(pid);
	}
}

TEST(who_has_which_environment)
{
	static char *const environment[] = {"PATH=/bin:/usr/bin", "WEFT_DIR=/some/where", "EMPTY=", NULL};
	char text[32], little[4];
	pid_t pid = start(environment);
	REQUIRE(control_environment(pid, "WEFT_DIR", text, sizeof text));
	CHECK_STR(text, "/some/where");
	REQUIRE(control_environment(pid, "EMPTY", text, sizeof text));
	CHECK_STR(text, "");
	CHECK(!control_environment(pid, "WEFT", text, sizeof text));
	CHECK(!control_environment(pid, "WEFT_DIR", little, sizeof little));
	end(pid);
	CHECK(!control_environment(pid, "WEFT_DIR", text, sizeof text));
}
