/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that record: which there are, and a channel to one, as programs with the runtime have it themselves. */
#ifndef WEFT_PEER_RECORDED_H
#define WEFT_PEER_RECORDED_H

#include "pulse/pulse.h"

#define PEER_RECORDED "recording"

/* Adds those of this user to the list of peers (malloc'd, n of them). The count. */
int peer_recorded_list(struct pulse_peer **peers, int n) WEFT_MUST_CHECK;
/* A socket at which a child of ours speaks for the program, which does not know of it. */
int peer_recorded_connect(const struct pulse_peer *peer, pid_t *child, struct weft_err *err) WEFT_MUST_CHECK;

#endif
