/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `weft top` share: the way to a program, its samples, the forms in which they are shown. */
#ifndef WEFT_CLI_TOP_H
#define WEFT_CLI_TOP_H

#include "base/arena.h"
#include "pulse/pulse_read.h"
#include <stdio.h>
#include <sys/types.h>

/* ---- top_way.c: to a program of this machine, or over ssh to `weft top --relay` of another ---- */

struct top_way {
	int from, to;
	pid_t child; /* ssh; 0: none */
	char *buffer;
	size_t n, room, given; /* given: of the line that the caller has */
};
/* All that can be looked at (malloc'd). The count. */
struct pulse_peer;
int top_peers(struct pulse_peer **peers, struct weft_err *err) WEFT_MUST_CHECK;
/* To the program that `who` names: a process id, or its name; NULL: the only one. */
int top_way_open(struct top_way *w, const char *who, struct weft_err *err) WEFT_MUST_CHECK;
int top_way_open_remote(struct top_way *w, const char *ssh, const char *host, const char *who,
                        struct weft_err *err) WEFT_MUST_CHECK;
void top_way_close(struct top_way *w);
int top_way_say(struct top_way *w, const char *fmt, ...) WEFT_PRINTF(2, 3) WEFT_MUST_CHECK;
/*
 * A whole line that has come, cut off its end, valid until the next call: 1; 0: none yet (poll `from`); -EPIPE: the program has
 * ended; or another failure. Reads what is there when `readable`.
 */
int top_way_line(struct top_way *w, bool readable, char **line, size_t *n) WEFT_MUST_CHECK;
/* Copies lines both ways until either side ends. */
int top_way_relay(struct top_way *w);

/* ---- top_flat.c: a sample as metrics ---- */

struct top_metric {
	const char *name;                /* as "weft_worker_tasks_total" */
	const char *label[2], *value[2]; /* NULL: none */
	double number;
};
typedef void (*top_metric_fn)(const struct top_metric *m, void *arg);
void top_flat(const struct pulse_value *sample, top_metric_fn emit, void *arg);
void top_flat_csv(const struct pulse_value *sample, FILE *to);
void top_flat_prometheus(const struct pulse_value *sample, FILE *to);

/* ---- top_screen.c: a sample for a person ---- */

enum { TOP_HISTORY = 48 };
struct top_history {
	double at[TOP_HISTORY];
	unsigned n;
};
struct top_screen {
	struct weft_arena arena[2]; /* of this sample and the one before, by turns */
	const struct pulse_value *last;
	unsigned turn;
	struct top_history executed, ready;
	unsigned selected; /* which of what can be turned */
	bool colors;
	char message[200]; /* what the last command has come to */
};
/* Of the next sample; NULL: it is none. What came two samples before goes. */
const struct pulse_value *top_screen_read(struct top_screen *s, const char *line, size_t n);
void top_screen_draw(struct top_screen *s, const struct pulse_value *sample, FILE *to);
void top_screen_fini(struct top_screen *s);
/* The command that turns what is selected up or down; false: there is nothing. */
bool top_screen_turn(const struct top_screen *s, int direction, char *command, size_t size);
unsigned top_screen_items(const struct pulse_value *sample); /* what can be turned */

/* ---- top_export.c: a page for Prometheus ---- */

/* A listening socket on ADDRESS:PORT, or PORT of 127.0.0.1. */
int top_export_open(const char *where, struct weft_err *err) WEFT_MUST_CHECK;
/* Answers one request with the last sample (NULL: none has come yet). */
void top_export_answer(int listener, const struct pulse_value *sample);

#endif
