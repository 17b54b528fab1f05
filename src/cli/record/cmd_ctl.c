/* SPDX-License-Identifier: Apache-2.0 */
/* `weft ctl`: switches a recording that runs on and off. */
#include "cli/common/cli.h"
#include "record_control.h"
#include <string.h>

struct ctl_args {
	bool none;
};

static const struct weft_opt ctl_options[] = {{0}};

static int ctl_run(int argc, char **argv)
{
	struct ctl_args args = {false};
	struct weft_err err = {0};
	int n;
	if (!cli_parse(&weft_command_ctl, &args, argc, argv, &n))
		return CLI_USAGE;
	if (n != 2)
		return cli_usage(&weft_command_ctl, "say a trace, and start or stop");
	bool on = strcmp(argv[2], "start") == 0;
	if (!on && strcmp(argv[2], "stop") != 0)
		return cli_usage(&weft_command_ctl, "expected start or stop, found '%s'", argv[2]);
	return record_control_switch(argv[1], on, &err) ? cli_fail(&err) : CLI_OK;
}

const struct weft_command weft_command_ctl = {
	.name = "ctl",
	.operands = "TRACE start|stop",
	.summary = "switch a recording that runs on or off",
	.about = "Switches recording into TRACE on or off while its programs run: one that weft record makes with\n"
		 "--paused, --toggle-on, --after or --for. The programs see it within 50 ms.\n"
		 "\n"
		 "Examples:\n"
		 "    weft record --paused -o run.weft -- ./server &\n"
		 "    weft ctl run.weft start; sleep 10; weft ctl run.weft stop",
	.options = ctl_options,
	.run = ctl_run,
};
