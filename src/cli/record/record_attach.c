/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft record --attach PID`: a process that runs is recorded from now on, until it ends or we are told to: the agent is loaded into it, which has
 * it take samples and watches the functions that --probe names. What is preloaded otherwise (MPI's names, OpenMP's, the C library's) would
 * have to stand in front of libraries that are bound already: that is said.
 */
#include "base/clock.h"
#include "base/log.h"
#include "cli/common/cli.h"
#include "record_probe.h"
#include "record_run.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOK_MS = 100, OUTSIDE_LOOK_MS = 10 };

struct attach {
	const struct record_args *args;
	struct record_dir dir;
	struct record_prober *prober;
	struct record_outside *outside; /* in place of an agent, where none can be loaded */
	pid_t pid;
	int process, signal_fd;
	char name[32], host[65];
	uint64_t began_ns;
};

static void read_name(struct attach *a)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/comm", (int)a->pid);
	FILE *f = fopen(path, "re");
	if (!f || fscanf(f, "%31[^\n]", a->name) != 1)
		snprintf(a->name, sizeof a->name, "attached");
	if (f)
		fclose(f);
}

/* What began under `weft record` is recorded as it is. */
static bool is_recorded(pid_t pid)
{
	char path[64], line[4300];
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, "/libweft-preload.so") || (strstr(line, ".stream") && strstr(line, "rw-s"));
	if (f)
		fclose(f);
	return found;
}

static int find_process(struct attach *a, struct weft_err *err)
{
	uint64_t pid;
	if (weft_parse_u64(weft_str(a->args->attach), &pid) || pid < 1 || pid > INT32_MAX)
		return weft_err_set(err, -EINVAL, "option '--attach': expected a process id, found '%s'", a->args->attach);
	a->pid = (pid_t)pid;
	a->process = (int)syscall(SYS_pidfd_open, a->pid, 0);
	if (a->process < 0)
		return weft_err_sys(err, errno, "cannot attach to process %d", (int)a->pid);
	if (is_recorded(a->pid))
		return weft_err_set(err, -EALREADY, "process %d is recorded already", (int)a->pid);
	read_name(a);
	return 0;
}

static int open_signals(struct attach *a, struct weft_err *err)
{
	sigset_t ends;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	a->signal_fd = signalfd(-1, &ends, SFD_CLOEXEC);
	return a->signal_fd < 0 ? weft_err_sys(err, errno, "cannot wait for signals") : 0;
}

/* True: the process has ended; false: we were told to let go of it. */
static bool wait_for_end(struct attach *a)
{
	struct pollfd at[] = {{a->process, POLLIN, 0}, {a->signal_fd, POLLIN, 0}};
	while (!at[0].revents && !at[1].revents) {
		int n = poll(at, 2, a->outside ? OUTSIDE_LOOK_MS : LOOK_MS);
		if (n < 0 && errno != EINTR)
			break;
		if (n == 0)
			record_prober_look(a->prober);
		if (n == 0)
			record_outside_look(a->outside);
	}
	return at[0].revents != 0;
}

/* What is known of the machine, in a stream of ours: of the run that the process has made. */
static void tell_machine(struct attach *a, struct record_totals *totals)
{
	struct record_stream s = {0};
	struct weft_err err = {0};
	struct weft_stream_head head = {0};
	char name[120], **paths;
	int n = record_list_streams(a->dir.path, NULL, &paths);
	for (int i = 0; i < n; i++) {
		record_count_stream(totals, paths[i]);
		(void)record_read_head(paths[i], &head);
	}
	if (n >= 0)
		weft_list_free(paths, n);
	if (gethostname(a->host, sizeof a->host - 1))
		strcpy(a->host, "localhost");
	snprintf(name, sizeof name, "%s-%d-launcher.stream", a->host, (int)getpid());
	if (n > 0 && record_stream_open(&s, a->dir.path, name, head.run_id, 0, &err) == 0) {
		if (record_topology(&s, a->dir.path, a->host))
			weft_log(WEFT_LOG_INFO, "the machine's topology could not be read");
		record_stream_close(&s);
	}
}

static void say_attached(const struct attach *a, const struct record_totals *t, bool ended)
{
	struct weft_buf b = {0};
	char events[32], bytes[32], took[32];
	weft_buf_printf(&b, "weft record: %s%s events of process %d (%s), %s, in %s", t->estimated ? "about " : "",
	                weft_human_count(events, t->events), (int)a->pid, ended ? "which has ended" : "which runs on",
	                weft_human_bytes(bytes, t->bytes), weft_human_ns(took, weft_monotonic_ns() - a->began_ns));
	if (t->dropped)
		weft_buf_printf(&b, ", %llu dropped", (unsigned long long)t->dropped);
	weft_buf_puts(&b, "; next: weft stat ");
	weft_buf_shell(&b, weft_str(a->dir.shown));
	weft_buf_puts(&b,
	              a->outside
	                      ? "\nweft record: the process has no dynamic linker: samples and functions that --probe names were "
	                        "seen from outside; its calls of MPI, OpenMP, threads and files are not recorded\n"
	                      : "\nweft record: not recorded of a process that ran already: calls of MPI, OpenMP, threads and "
	                        "files (start it by weft record), but for functions that --probe names\n");
	if (!b.failed)
		fprintf(stderr, "%s", b.at);
	weft_buf_fini(&b);
}

static int attach_begin(struct attach *a, struct weft_err *err)
{
	static const char default_rate[] = "100";
	struct record_prober_how how = {.probes = &a->args->probe, .attach = true};
	const char *rate = record_lists(&a->args->off, "samples") ? "" : a->args->sample ? a->args->sample : default_rate;
	int rc = find_process(a, err);
	if (rc == 0)
		rc = record_dir_make(&a->dir, a->args->output, a->name, a->args->force, err);
	how.dir = a->dir.path;
	if (rc == 0)
		rc = open_signals(a, err);
	if (rc == 0)
		rc = record_prober_new(&a->prober, &how, err);
	rc = rc ? rc : record_prober_attach(a->prober, a->pid, rate, err);
	if (rc != -ENOTSUP || !a->prober)
		return rc;
	struct record_outside_how outside = {a->dir.path, a->name, rate, &a->args->probe};
	return record_outside_begin(&a->outside, a->pid, &outside, err);
}

/* Who has been taken on from outside has had no probes of the agent. */
static void finish(struct attach *a, bool ended, struct weft_buf *remarks)
{
	struct record_probed probed;
	struct weft_buf none = {0};
	record_prober_finish(a->prober, &probed, a->outside ? &none : remarks);
	record_outside_finish(a->outside, ended, remarks);
	weft_buf_fini(&none);
}

static void say_remarks(const struct weft_buf *remarks)
{
	struct weft_str rest = weft_str_n(remarks->at, remarks->n), line;
	while (rest.n && weft_str_cut(&rest, '\n', &line))
		if (line.n)
			weft_log(WEFT_LOG_WARN, "%.*s", (int)line.n, line.at);
}

int record_attach(const struct record_args *args)
{
	struct attach a = {.args = args, .dir.lock = -1, .process = -1, .signal_fd = -1, .began_ns = weft_monotonic_ns()};
	struct weft_err err = {0};
	struct record_totals totals = {0};
	struct weft_buf remarks = {0};
	int rc = attach_begin(&a, &err);
	if (rc == 0) {
		record_dir_keep(&a.dir);
		bool ended = wait_for_end(&a);
		finish(&a, ended, &remarks);
		say_remarks(&remarks);
		tell_machine(&a, &totals);
		if (!args->quiet)
			say_attached(&a, &totals, ended);
	} else {
		finish(&a, false, &remarks);
		if (a.dir.path)
			record_dir_undo(&a.dir);
	}
	weft_buf_fini(&remarks);
	record_dir_fini(&a.dir);
	if (a.process >= 0)
		close(a.process);
	if (a.signal_fd >= 0)
		close(a.signal_fd);
	return rc ? cli_fail(&err) : CLI_OK;
}
