/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live channel: a program that runs lets its user look at it, and turn what may be turned.
 *
 *     FOLDER/                $WEFT_LIVE, else $XDG_RUNTIME_DIR/weft, else /tmp/weft-UID: mode 700, the user's own
 *     FOLDER/PID-KIND        the program listens (a unix socket); KIND: what speaks for it, as "runtime"
 *
 * Both sides speak lines. The client asks, the program answers with JSON, one object a line:
 *
 *     watch HZ        a sample now, and then HZ times a second (0: no more): {"sample": N, "time_s": T, "at_ns": T, ...}
 *     watch HZ each   also at once when the source says that something worth a look has happened
 *     WORD ...        what the source understands: {"done": true}, or {"done": false, "error": "..."}
 *
 * The program's side is one thread, which sleeps until somebody connects: nothing is measured while nobody looks. A client that
 * does not read misses samples, and holds nothing up. Either side talks to its own user and to root only.
 */
#ifndef WEFT_PULSE_PULSE_H
#define WEFT_PULSE_PULSE_H

#include "base/err.h"
#include "base/json.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PULSE_CLIENTS = 8, PULSE_LINE = 1024, PULSE_KIND = 32, PULSE_HZ_MOST = 1000 };

/* ---- the program ---- */

struct pulse_source {
	const char *kind;                    /* of file names: letters */
	void (*watched)(bool on);            /* somebody has begun to look; the last one has gone */
	void (*sample)(struct weft_json *j); /* the members of a sample's object */
	/* May cut the line into words, and add members to the answer. */
	int (*command)(char *line, struct weft_json *answer, struct weft_err *err);
};

/* From now on; once a process (-EALREADY). All of the source is called by the channel's thread. -ENOTSUP: WEFT_LIVE is "off". */
int pulse_serve(const struct pulse_source *source, struct weft_err *err) WEFT_MUST_CHECK;
/* Ends the thread, and takes the socket away; nothing when there is none, as in the child of a fork. */
void pulse_end(void);
bool pulse_is_served(void);
/* Something worth a look has happened: `watch HZ each` gets a sample soon, at most 1000 a second. */
void pulse_poke(void);

/* ---- its user ---- */

struct pulse_peer {
	pid_t pid;
	char kind[PULSE_KIND];
	char program[64];
};

/* Programs of this user that can be looked at, by pid; what dead ones have left is taken away. The count; *peers is malloc'd. */
int pulse_list(struct pulse_peer **peers, struct weft_err *err) WEFT_MUST_CHECK;
/* The name of the program with this pid; "?" where it cannot be read. */
void pulse_read_program(struct pulse_peer *p);
/* A connected socket. */
int pulse_connect(const struct pulse_peer *peer, struct weft_err *err) WEFT_MUST_CHECK;

/* ---- both ---- */

/* The folder's descriptor (O_PATH), checked; made where `make` says so. */
int pulse_folder(bool make, struct weft_err *err) WEFT_MUST_CHECK;

#endif
