/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng's session for programs that are measured beside ours: its daemon, unless one runs, and buffers that are rings. */
#include "bench.h"
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

static pid_t sessiond;

static bool quiet(const char *command)
{
	char all[500];
	snprintf(all, sizeof all, "%s >/dev/null 2>&1", command);
	return system(all) == 0;
}

static void lttng_stop(void)
{
	quiet("lttng --no-sessiond destroy weft-bench");
	if (sessiond > 0)
		kill(sessiond, SIGTERM);
	quiet("rm -rf /tmp/weft-bench-lttng");
}

static bool begin_daemon(void)
{
	char line[20] = "";
	if (quiet("lttng --no-sessiond list"))
		return true;
	if (!quiet("lttng-sessiond --daemonize --no-kernel --pidfile=/tmp/weft-bench-lttng/pid"))
		return false;
	FILE *f = fopen("/tmp/weft-bench-lttng/pid", "r");
	if (f) {
		(void)!fgets(line, sizeof line, f);
		fclose(f);
	}
	sessiond = (pid_t)atoi(line);
	return true;
}

const char *bench_lttng(const char *events)
{
	char enable[400];
	setenv("LTTNG_HOME", "/tmp/weft-bench-lttng", 1);
	quiet("mkdir -p /tmp/weft-bench-lttng");
	atexit(lttng_stop);
	if (!begin_daemon())
		return "lttng-sessiond does not start";
	snprintf(enable, sizeof enable, "lttng --no-sessiond enable-event --userspace --channel=bench '%s'", events);
	bool made = quiet("lttng --no-sessiond create weft-bench --snapshot --output=/tmp/weft-bench-lttng/out") &&
	            quiet("lttng --no-sessiond enable-channel --userspace --subbuf-size=4M --num-subbuf=4 bench") &&
	            quiet(enable) && quiet("lttng --no-sessiond start weft-bench");
	return made ? NULL : "no session can be made with lttng";
}
