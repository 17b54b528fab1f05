/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's side of looking at a program that runs: which there are, and a way to one, which carries lines. A program with the runtime speaks
 * itself (pulse.h); for one that merely records a child of ours speaks, which reads its stream; over ssh `weft top --relay` does.
 */
#ifndef WEFT_PEER_PEER_H
#define WEFT_PEER_PEER_H

#include "pulse/pulse.h"

struct weft_peer_way {
	int from, to;
	pid_t child; /* ssh; 0: none */
	char *buffer;
	size_t n, room, given; /* given: of the line that the caller has */
};
/* All that can be looked at (malloc'd). The count. */
int weft_peer_list(struct pulse_peer **peers, struct weft_err *err) WEFT_MUST_CHECK;
/* The process of this user that records into a folder, the first one found; 0: none. */
pid_t weft_peer_of_folder(const char *folder);
/* Whether there is one that `who` names: 0, -ESRCH, -EINVAL (several); *out, if it is not NULL, is it. */
int weft_peer_find(const char *who, struct pulse_peer *out, struct weft_err *err) WEFT_MUST_CHECK;
int weft_peer_open_as(struct weft_peer_way *w, const char *who, struct pulse_peer *out, struct weft_err *err) WEFT_MUST_CHECK;
/* To the program that `who` names: a process id, or its name; NULL: the only one. */
int weft_peer_open(struct weft_peer_way *w, const char *who, struct weft_err *err) WEFT_MUST_CHECK;
int weft_peer_open_remote(struct weft_peer_way *w, const char *ssh, const char *host, const char *who,
                          struct weft_err *err) WEFT_MUST_CHECK;
void weft_peer_close(struct weft_peer_way *w);
int weft_peer_say(struct weft_peer_way *w, const char *fmt, ...) WEFT_PRINTF(2, 3) WEFT_MUST_CHECK;
/*
 * A whole line that has come, cut off its end, valid until the next call: 1; 0: none yet (poll `from`); -EPIPE: the program has
 * ended; or another failure. Reads what is there when `readable`.
 */
int weft_peer_line(struct weft_peer_way *w, bool readable, char **line, size_t *n) WEFT_MUST_CHECK;
/* Copies lines both ways until either side ends. */
int weft_peer_relay(struct weft_peer_way *w);

#endif
