/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measure and tuning points, as the controller reaches them: a table of kinds. Probes and actions
 * are one, what a program emits through libweft another, counters and knobs of the task runtime a
 * third; a further one is a row in point.c.
 *
 * A kind is chosen by the class that a specification gives to an event ("libweft", "runtime"; see
 * `scheme`), all else are probes. All calls come from the thread of the process.
 */
#ifndef WEFT_TUNE_POINT_H
#define WEFT_TUNE_POINT_H

#include "tune/wire/message.h"
#include "probe/probe.h"

struct control_process;
struct point_want;

struct point_kind {
	const char *scheme; /* class of its events; NULL: of all others */
	/* Begins to measure n of them at once; each says in ->rc and ->err what came of it. */
	void (*insert)(struct control_process *t, struct point_want **w, unsigned n);
	void (*remove)(struct control_process *t, struct point_want *w);
	/*
	 * Events that are there now, to control_event; NULL: they come otherwise. `last`: no more
	 * will come.
	 */
	void (*drain)(struct control_process *t, bool last);
	/* Whether such points can be in a program that does not run yet; NULL: insert says. */
	int (*can)(struct control_process *t, struct weft_err *err);
	/* Tuning; NULL: it has none. -ENOSYS: it is no action of this kind. */
	int (*act)(struct control_process *t, const struct message_act *a, struct message_acted *out, struct weft_err *err);
	/* Whether it could be done: 0, or a reason. Changes nothing. */
	int (*check)(struct control_process *t, const struct message_act *a, struct weft_err *err);
	int (*undo)(struct control_process *t, uint32_t action, struct message_acted *out, struct weft_err *err);
	void (*undo_all)(struct control_process *t); /* from the last one on; NULL: there is nothing */
	void (*fini)(struct control_process *t);
};

extern const struct point_kind point_probe, point_libweft, point_runtime;
extern const struct point_kind *const point_kinds[]; /* NULL at the end */
const struct point_kind *point_kind_of(const char *classes);

/* An event that is wanted of a process, or was: events that are on their way name it. */
struct point_want {
	uint32_t event, number; /* number: its place in the process's list */
	const struct point_kind *kind;
	bool on, at_exit;
	char *function, *classes; /* owned, as are the names of fields */
	struct message_field field[MESSAGE_VALUES];
	uint32_t n, iteration; /* iteration: 1 + the field that says it; 0: none does */
	int rc;
	struct weft_err err;
	bool traps;
	/* of probes */
	struct probe_request request;
	uint8_t type[MESSAGE_VALUES];  /* enum message_value_kind of each field */
	uint8_t bytes[MESSAGE_VALUES]; /* of a real one: 4 or 8 */
	struct message_value constant[MESSAGE_VALUES];
	/* of the runtime */
	uint32_t bounds; /* what bounds its iterations, among those of the process */
	bool wanted;     /* from insertion on, before it is on */
};

#endif
