/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `weft top` share: samples, the forms in which they are shown. */
#ifndef WEFT_CLI_TOP_H
#define WEFT_CLI_TOP_H

#include "base/arena.h"
#include "peer/peer.h"
#include "pulse/pulse_read.h"
#include <stdio.h>

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
