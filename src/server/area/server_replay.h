/* SPDX-License-Identifier: Apache-2.0 */
/* What the routes of the area `replay` share: the machine that a request asks about, and a run of the trace's program on it. */
#ifndef WEFT_SERVER_REPLAY_H
#define WEFT_SERVER_REPLAY_H

#include "replay/machine/replay_settings.h"
#include "replay/sim/replay.h"
#include "server/core/server_route.h"
#include "server/core/server_session.h"

struct replay_asked {
	struct weft_replay_program *program; /* the trace's */
	struct weft_replay_settings settings;
	struct weft_topology *topology; /* owned; NULL: none */
	bool ideal;
};
/* Free the topology in any case. */
int replay_ask(const struct server_request *r, struct replay_asked *ask) WEFT_MUST_CHECK;
/* how: NULL or as weft_replay_run takes it. */
int replay_simulate(const struct replay_asked *ask, const struct weft_replay_how *how, struct weft_replay_result *out,
                    struct weft_err *err) WEFT_MUST_CHECK;
int replay_answer_lines(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;

#endif
