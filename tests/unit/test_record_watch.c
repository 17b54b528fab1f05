/* SPDX-License-Identifier: Apache-2.0 */
/* record_watch*.c and record_launch.c: what each way of watching sees of a tree of processes that we know. */
#include "harness.h"
#include "base/clock.h"
#include "cli/record/record_run.h"
#include "cli/record/record_watch.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct seen {
	char line[400][64];
	unsigned n;
	uint64_t last_time, first_time;
	unsigned backwards;
	pid_t command;
	int command_status;
};

static void take(void *arg, const struct record_seen_event *e)
{
	static const char *const what[] = {"process", "thread", "exec", "name", "exit"};
	struct seen *s = arg;
	s->backwards += e->time < s->last_time;
	s->last_time = e->time;
	if (!s->first_time)
		s->first_time = e->time;
	if (e->what == RECORD_SEEN_EXIT && e->pid == s->command && e->tid == s->command)
		s->command_status = e->status;
	bool named = e->what == RECORD_SEEN_EXEC || (e->what == RECORD_SEEN_NAME && strncmp(e->name, "w-", 2) == 0);
	if ((e->what == RECORD_SEEN_NAME && !named) || s->n == sizeof s->line / sizeof *s->line)
		return;
	snprintf(s->line[s->n++], sizeof s->line[0], "%s%s%s%s", what[e->what], named ? " " : "", named ? e->name : "",
	         e->tid == e->pid ? " of first thread" : "");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* record_fork, for a command whose output is not ours. */
static int fork_silent(struct record_child *child, char **argv, struct weft_err *err)
{
	sigset_t none;
	sigemptyset(&none);
	fflush(stdout);
	int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	int rc = record_fork(child, argv, &none, err);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(null);
	return rc;
}

/* Runs argv under a way of watching; its wait status, or negative when the way does not work here. */
static int watch(const char *how, char **argv, struct seen *s)
{
	struct record_child child;
	struct record_watch w;
	struct weft_err err = {0};
	struct pollfd fd[300];
	char why[300];
	int status = 0;
	*s = (struct seen){.command_status = -1};
	REQUIRE(fork_silent(&child, argv, &err) == 0);
	s->command = child.pid;
	int rc = record_watch_start(&w, how, child.pid, why, sizeof why, &err);
	if (rc) {
		printf("# %s: %s\n", how, err.text);
		close(child.go);
		close(child.result);
		waitpid(child.pid, &status, 0);
		return rc;
	}
	uint64_t before = weft_monotonic_ns();
	REQUIRE(record_go(&child, true) == 0);
	while (!w.backend->reap(&w, &status)) {
		unsigned n = w.backend->descriptors(&w, fd, 300);
		poll(fd, n, 2);
		record_watch_take(&w, false, take, s);
	}
	record_watch_take(&w, true, take, s);
	CHECK_U64(w.queue.lost, 0);
	CHECK_U64(s->backwards, 0);
	CHECK(s->first_time >= before && s->last_time <= weft_monotonic_ns());
	record_watch_stop(&w);
	close(child.result);
	qsort(s->line, s->n, sizeof s->line[0], by_text);
	return status;
}

static void *one_thread(void *arg)
{
	char name[16];
	snprintf(name, sizeof name, "w-%ld", (long)arg);
	prctl(PR_SET_NAME, name);
	return NULL;
}

/* Not a test of its own: what the others run, as `test_record_watch helper_*` in a process of its own. */
TEST(helper_makes_threads_and_processes)
{
	pthread_t thread[5];
	int status;
	for (long i = 0; i < 5; i++)
		REQUIRE(pthread_create(&thread[i], NULL, one_thread, (void *)i) == 0);
	for (unsigned i = 0; i < 5; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 20; i++) {
		pid_t pid = i % 2 ? fork() : vfork();
		if (pid == 0) {
			if (i % 4 == 0)
				execl("/bin/true", "true", (char *)NULL);
			_exit(i);
		}
		REQUIRE(waitpid(pid, &status, 0) == pid);
	}
	CHECK_I64(WEXITSTATUS(status), 19);
}

static char *self(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	REQUIRE(n > 0);
	path[n] = '\0';
	/* The leak checker of a sanitizer makes a process of its own, and cannot be traced. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	return path;
}

static unsigned count(const struct seen *s, const char *line)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n; i++)
		n += strcmp(s->line[i], line) == 0;
	return n;
}

static void check_tree(const struct seen *s)
{
	CHECK_U64(count(s, "thread"), 5);
	CHECK_U64(count(s, "process of first thread"), 20);
	CHECK_U64(count(s, "exec true of first thread"), 5);
	CHECK_U64(count(s, "exec test_record_wat of first thread"), 1);
	CHECK_U64(count(s, "exit"), 5);
	CHECK_U64(count(s, "exit of first thread"), 21);
	for (unsigned i = 0; i < 5; i++) {
		char line[20];
		snprintf(line, sizeof line, "name w-%u", i);
		CHECK(count(s, line) >= 1);
	}
}

static struct seen first, second;

TEST(watch_by_perf_sees_the_whole_tree)
{
	char *argv[] = {self(), "helper_*", NULL};
	int status = watch("perf", argv, &first);
	if (status < 0)
		SKIP("perf_event_open is not allowed here");
	CHECK_I64(status, 0);
	check_tree(&first);
}

TEST(watch_by_ptrace_sees_the_whole_tree_and_how_it_ended)
{
	char *argv[] = {self(), "helper_*", NULL};
	int status = watch("ptrace", argv, &second);
	if (status < 0)
		SKIP("ptrace is not allowed here");
	CHECK_I64(status, 0);
	check_tree(&second);
	CHECK_I64(second.command_status, 0);
}

TEST(watch_by_perf_and_ptrace_see_the_same)
{
	char *argv[] = {"sh", "-c", "for i in 1 2 3; do (true | cat; exec ls /) >/dev/null; done; sleep 0 & wait; exit 7", NULL};
	int one = watch("perf", argv, &first), other = watch("ptrace", argv, &second);
	if (one < 0 || other < 0)
		SKIP("one of them is not allowed here");
	CHECK_I64(WEXITSTATUS(one), 7);
	CHECK_I64(WEXITSTATUS(other), 7);
	CHECK_U64(first.n, second.n);
	for (unsigned i = 0; i < first.n && i < second.n; i++)
		if (!CHECK_STR(first.line[i], second.line[i]))
			break;
}

/* Root may watch whole cpus; anybody else gets the kind that is inherited. */
TEST(watch_by_perf_sees_the_same_without_rights)
{
	char *argv[] = {"sh", "-c", "for i in 1 2 3; do (true | cat; exec ls /) >/dev/null; done; sleep 0 & wait; exit 7", NULL};
	int status;
	if (geteuid() != 0)
		SKIP("needs to be root, to be nobody then");
	if (watch("perf", argv, &first) < 0)
		SKIP("perf_event_open is not allowed here");
	pid_t pid = fork();
	if (pid == 0) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) || prctl(PR_SET_DUMPABLE, 1) ||
		    watch("perf", argv, &second) < 0)
			_exit(2);
		bool same = first.n == second.n;
		for (unsigned i = 0; same && i < first.n; i++)
			same = strcmp(first.line[i], second.line[i]) == 0;
		_exit(!same);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	if (WEXITSTATUS(status) == 2)
		SKIP("perf_event_open is not allowed to everybody here");
	CHECK_I64(status, 0);
}

TEST(watch_by_ptrace_passes_signals_and_stops_on)
{
	/* Stops itself, is continued by its child, and dies by a signal that it sends to itself. */
	char *argv[] = {
		"sh", "-c",
		"trap 'echo usr1 >/dev/null' USR1; kill -USR1 $$; (while kill -CONT $$ 2>/dev/null; do sleep 0.1; done) & kill -STOP $$; kill -TERM $$",
		NULL};
	int status = watch("ptrace", argv, &first);
	if (status < 0)
		SKIP("ptrace is not allowed here");
	CHECK(WIFSIGNALED(status));
	CHECK_I64(WTERMSIG(status), SIGTERM);
}

/* From here on this process and its children may not call it: EPERM. */
static bool forbid(int system_call)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)system_call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a process of its own: which way is taken when these are forbidden; what is said of the others in `why`. */
static int taken_without(const int *forbidden, unsigned n)
{
	pid_t pid = fork();
	if (pid == 0) {
		struct record_child child;
		struct record_watch w;
		struct weft_err err = {0};
		char why[300];
		for (unsigned i = 0; i < n; i++)
			if (!forbid(forbidden[i]))
				_exit(100);
		if (fork_silent(&child, (char *[]){"true", NULL}, &err) ||
		    record_watch_start(&w, NULL, child.pid, why, sizeof why, &err))
			_exit(101);
		int taken = w.backend == &record_watch_perf ? 0 : w.backend == &record_watch_ptrace ? 1 : 2;
		bool said = (strstr(why, "perf_event_open: operation not permitted") != NULL) == (taken >= 1) &&
		            (strstr(why, "ptrace: operation not permitted") != NULL) == (taken >= 2);
		kill(child.pid, SIGKILL);
		_exit(said ? taken : 102);
	}
	int status;
	REQUIRE(waitpid(pid, &status, 0) == pid);
	return WEXITSTATUS(status);
}

TEST(watch_falls_back_on_what_is_allowed)
{
	static const int forbidden[] = {SYS_perf_event_open, SYS_ptrace};
	int taken = taken_without(forbidden, 1);
	if (taken == 100)
		SKIP("seccomp is not allowed here");
	CHECK_I64(taken, 1);
	CHECK_I64(taken_without(forbidden, 2), 2);
}

TEST(watch_none_sees_the_command_only)
{
	char *argv[] = {"sh", "-c", "true & wait; exit 3", NULL};
	int status = watch("none", argv, &first);
	CHECK_I64(WEXITSTATUS(status), 3);
	CHECK_U64(first.n, 1);
	CHECK_U64(count(&first, "exit of first thread"), 1);
}

TEST(watch_that_does_not_exist_is_an_error)
{
	struct record_watch w;
	struct weft_err err = {0};
	char why[100];
	CHECK_I64(record_watch_start(&w, "magic", 1, why, sizeof why, &err), -EINVAL);
	CHECK_STR(err.text, "no way of watching is called 'magic' (it can be: perf, ptrace, none)");
}

TEST(failed_exec_says_why)
{
	struct record_child child;
	struct weft_err err = {0};
	int error = 0, status;
	REQUIRE(fork_silent(&child, (char *[]){"/no/such/program", NULL}, &err) == 0);
	REQUIRE(record_go(&child, true) == 0);
	CHECK_I64(read(child.result, &error, sizeof error), sizeof error);
	CHECK_I64(error, ENOENT);
	CHECK_I64(waitpid(child.pid, &status, 0), child.pid);
	close(child.result);
}

TEST(signals_are_named_as_kill_does)
{
	static const struct {
		const char *text;
		int sig;
	} cases[] = {{"USR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"sigterm", SIGTERM}, {"10", 10},
	             {"0", -EINVAL},    {"65", -EINVAL},      {"XYZ", -EINVAL},     {"", -EINVAL}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_I64(record_parse_signal(cases[i].text), cases[i].sig);
}
