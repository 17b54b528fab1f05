/* SPDX-License-Identifier: Apache-2.0 */
/* probe_tracee.c: threads that stop, and one that cannot: in a system call that nothing interrupts. */
#include "harness.h"
#include "probe/probe_priv.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct stopped {
	pid_t pid;
	int seized, stopped, state, sig;
	bool detaches;
};

static void stop_it(void *ctx)
{
	struct stopped *s = ctx;
	s->seized = tracee_seize(s->pid, s->pid);
	if (s->seized)
		return;
	s->stopped = tracee_stop(s->pid, s->pid, 60000);
	s->state = (int)tracee_state(s->pid, s->pid, &s->sig);
	if (s->detaches)
		tracee_detach(s->pid);
}

static struct stopped stop(pid_t pid, bool detaches)
{
	struct stopped s = {.pid = pid, .detaches = detaches};
	struct tracer t = {.call = stop_it, .ctx = &s};
	REQUIRE(tracer_start(&t) == 0);
	tracer_join(&t);
	return s;
}

static int status_of(pid_t pid)
{
	int status = -1;
	REQUIRE(waitpid(pid, &status, 0) == pid);
	return status;
}

/* Both ends of a pipe that the child reads until we close it. */
static pid_t begin_child(int hold[2], int ready[2], bool in_vfork)
{
	REQUIRE(pipe(hold) == 0 && pipe(ready) == 0);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child) {
		char byte;
		close(ready[1]);
		close(hold[0]);
		REQUIRE(read(ready[0], &byte, 1) == 1);
		return child;
	}
	char byte = 0;
	close(hold[1]);
	if (in_vfork && vfork() != 0)
		_exit(7); /* only when its child has ended */
	(void)!write(ready[1], "", 1);
	while (read(hold[0], &byte, 1) < 0 && errno == EINTR)
		continue;
	_exit(in_vfork ? 0 : 7);
}

TEST(a_thread_that_waits_stops_and_goes_on)
{
	int hold[2], ready[2];
	pid_t child = begin_child(hold, ready, false);
	struct stopped s = stop(child, true);
	CHECK_I64(s.seized, 0);
	CHECK_I64(s.stopped, TRACEE_TRAPPED);
	CHECK_I64(s.state, TRACEE_TRAPPED);
	CHECK_I64(kill(child, 0), 0);
	close(hold[1]);
	int status = status_of(child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	close(ready[0]);
}

/* The parent of a vfork runs again only when its child has ended: that is said, and not waited for. */
TEST(a_thread_that_cannot_be_stopped_is_left_alone)
{
	int hold[2], ready[2];
	pid_t child = begin_child(hold, ready, true);
	uint64_t until = probe_now_ms() + 60000;
	while (tracee_proc_state(child, child) != 'D' && probe_now_ms() < until)
		probe_sleep_us(100);
	uint64_t from = probe_now_ms();
	struct stopped s = stop(child, false);
	CHECK_I64(s.seized, 0);
	CHECK_I64(s.stopped, TRACEE_RUNS);
	CHECK_I64(s.state, TRACEE_RUNS);
	CHECK(probe_now_ms() - from < 30000); /* of the minute that it had */
	close(hold[1]);
	int status = status_of(child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	close(ready[0]);
}

TEST(a_thread_that_has_ended_is_said_so)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child)
		_exit(0);
	siginfo_t info;
	REQUIRE(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
	CHECK_I64(stop(child, false).seized, -ESRCH);
	status_of(child);
}
