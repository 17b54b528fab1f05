/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of this folder share. */
#ifndef WEFT_CLI_REPLAY_CLI_H
#define WEFT_CLI_REPLAY_CLI_H

#include "cli/common/cli.h"
#include "replay/machine/replay_settings.h"
#include "replay/sim/replay.h"

/* What was wrong with the program, as warnings. */
void cli_replay_say_faults(const struct weft_replay_program *p);
/* Under its own name a command of others is asked for help by itself: prints it. Whether it was asked for. */
bool cli_replay_help(const struct weft_command *c, int argc, char **argv);
/* Who did not go on, and nodes with too few processors: on stderr. */
void cli_replay_say_run(const struct weft_replay_program *p, const struct weft_replay_machine *m,
                        const struct weft_replay_result *r);

#endif
