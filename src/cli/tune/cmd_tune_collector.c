/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft tune-collector`: a collector, and the controller, of a host that `weft tune --place` has named. Started by that command
 * and by nobody else, so `weft help` does not list it.
 */
#include "cli/common/cli.h"
#include "tune_run.h"
#include "tune_tree.h"
#include "base/clock.h"
#include "base/log.h"
#include "probe/probe.h"
#include "tune/wire/channel.h"
#include "tune/control/control.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
	const char *parent, *secret_file, *listen, *agents;
	const char *when_full;
	uint64_t secret_fd, number;
	bool waits;
	double skew_ppm;
	uint64_t skew_ns;
};

static const struct weft_opt options[] = {
	{0, "parent", "ADDRESS", WEFT_OPT_STRING, offsetof(struct args, parent), "the collector to connect to"},
	{0, "secret-fd", "FD", WEFT_OPT_U64, offsetof(struct args, secret_fd), "read the run's secret from this descriptor"},
	{0, "secret-file", "FILE", WEFT_OPT_STRING, offsetof(struct args, secret_file), "or from this file, of mode 0600"},
	{0, "listen", "ADDRESS", WEFT_OPT_STRING, offsetof(struct args, listen), "listen for collectors below"},
	{0, "agents", "FOLDER", WEFT_OPT_STRING, offsetof(struct args, agents),
         "begin a controller to which agents connect in FOLDER"},
	{0, "number", "N", WEFT_OPT_U64, offsetof(struct args, number), "of this host in the run"},
	{0, "when-full", "wait|drop", WEFT_OPT_STRING, offsetof(struct args, when_full),
         "threads whose events are not read in time wait, or lose them"},
	{0, "skew", "TIME", WEFT_OPT_NS, offsetof(struct args, skew_ns), "for tests: this host's clock is so much ahead"},
	{0, "skew-ppm", "RATE", WEFT_OPT_DOUBLE, offsetof(struct args, skew_ppm),
         "for tests: and gains so many parts per million"},
	{0},
};

static const struct weft_command command = {
	.name = "tune-collector",
	.operands = "",
	.summary = "a collector of weft tune on another host",
	.about = "Started by `weft tune --place`: connects to the run's collectors, and begins a controller for\n"
		 "the processes of this host.",
	.options = options,
};

static void say(void *ctx, const char *line)
{
	(void)ctx;
	weft_log(WEFT_LOG_WARN, "%s", line);
}

static int begin_controller(const struct args *a, int *stream, pid_t *pid, struct weft_err *err)
{
	int pair[2];
	struct probe_listener *listener;
	int rc = probe_listen(&listener, &(struct probe_listen_how){.folder = a->agents}, err);
	if (rc)
		return rc;
	rc = channel_pair(pair, err);
	if (rc) {
		probe_listener_free(listener);
		return rc;
	}
	fflush(NULL);
	*pid = fork();
	if (*pid == 0) {
		struct weft_err failed = {0};
		prctl(PR_SET_NAME, "weft-controller");
		close(pair[1]);
		struct control_how how = {.listener = listener,
		                          .up = pair[0],
		                          .life = -1,
		                          .number = (uint32_t)a->number,
		                          .waits = a->waits};
		if (control_run(&how, &failed))
			weft_log(WEFT_LOG_ERROR, "%s", failed.text);
		_exit(failed.code ? CLI_USAGE : CLI_OK);
	}
	close(pair[0]);
	if (*pid < 0)
		probe_listener_free(listener);
	else
		probe_listener_leave(listener);
	*stream = pair[1];
	return *pid < 0 ? weft_err_sys(err, errno, "cannot start a process") : 0;
}

static int begin(const struct args *a, struct collect_how *how, int *stream, pid_t *pid, struct weft_err *err)
{
	int rc = a->secret_file ? weft_secret_from_file(&how->secret, a->secret_file, err)
	                        : weft_secret_from_fd(&how->secret, (int)a->secret_fd, err);
	if (rc || !a->agents)
		return rc;
	how->below = stream;
	how->n_below = 1;
	return begin_controller(a, stream, pid, err);
}

int cli_tune_collector(int argc, char **argv)
{
	struct args a = {.number = 2};
	struct weft_err err = {0};
	int n, stream = -1;
	pid_t pid = 0;
	if (!cli_parse(&command, &a, argc, argv, &n) || !cli_operands(&command, argv, n, 0, 0))
		return CLI_USAGE;
	if (!a.parent)
		return cli_usage(&command, "--parent says whom to connect to");
	if (!tune_when_full(a.when_full, &a.waits))
		return cli_usage(&command, "--when-full: expected wait or drop, found '%s'", a.when_full);
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_NAME, "weft-collector");
	struct collect_how how = {.up = -1,
	                          .parent = a.parent,
	                          .listen = a.listen,
	                          .number = (uint32_t)a.number,
	                          .life = -1,
	                          .log = say,
	                          .fault = {(int64_t)a.skew_ns, a.skew_ppm, weft_realtime_ns()},
	                          .faulty = a.skew_ns || a.skew_ppm};
	int rc = begin(&a, &how, &stream, &pid, &err);
	rc = rc ? rc : collect_run(&how, &err);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return rc ? cli_fail(&err) : CLI_OK;
}
