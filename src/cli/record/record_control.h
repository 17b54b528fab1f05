/* SPDX-License-Identifier: Apache-2.0 */
/* Recording that is switched on and off while the command runs: by a signal to `weft record`, by the time, by `weft ctl`. */
#ifndef WEFT_CLI_RECORD_CONTROL_H
#define WEFT_CLI_RECORD_CONTROL_H

#include "record_run.h"

/* Within a trace's folder: recording is on while the first is there; the second says that somebody looks at it. */
#define RECORD_CONTROL_ON ".recording.tmp"
#define RECORD_CONTROL_LOOKED_AT ".control.tmp"

struct record_control {
	char *on, *looked_at;             /* paths, owned; NULL: recording is not controlled */
	int signal;                       /* that switches; 0: none */
	uint64_t began_ns, on_ns, off_ns; /* when it is switched by the time; 0: not */
};

/* --paused, --toggle-on, --after, --for make sense: 0, or said why not. Before anything is made. */
int record_control_check(struct record_control *c, const struct record_args *a, struct weft_err *err) WEFT_MUST_CHECK;
/* In this folder, and into the environment that the command gets. */
int record_control_begin(struct record_control *c, const struct record_args *a, const char *dir,
                         struct weft_err *err) WEFT_MUST_CHECK;
/* Milliseconds until the time switches, which `wait_ms` is if that is sooner; negative: never. */
int record_control_wait_ms(const struct record_control *c, int wait_ms);
void record_control_look(struct record_control *c); /* what is due by the time */
void record_control_toggle(struct record_control *c);
void record_control_end(struct record_control *c); /* frees */

/* Switches the recording into `dir` on or off. -ENOENT: nobody would look. */
int record_control_switch(const char *dir, bool on, struct weft_err *err) WEFT_MUST_CHECK;

#endif
