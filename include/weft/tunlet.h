/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tunlets that are written by hand, in C, for what the tunlet language cannot say.
 *
 * Measure points, actors and tuning points are still declared in a specification (weft-tunlet-language(7)), without attributes and
 * parameters; the handlers are a shared object that exports `weft_tunlet`:
 *
 *     static int on_event(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_record *r)
 *     {
 *         if (strcmp(r->event->name, "StepEnds") == 0 && r->time > 10)
 *             return host->tune(host, r->task, "chunk", (struct weft_tunlet_value){.number = 4});
 *         return 0;
 *     }
 *     const struct weft_tunlet weft_tunlet = {.version = WEFT_TUNLET_VERSION, .event = on_event};
 *
 * It runs where translated tunlets run: in a process of its own, in which a fault, an endless loop or a wild pointer harms nobody
 * else. All calls come from one thread. What a pointer points to is valid during the call, but for names, which stay.
 *
 * Who knows the interface of MATE finds here: the hosts and tasks of the application (tasks, with their host and the history of
 * actions on them), events and their attributes, event records, the event handler, instrumentation per task, and tuning requests.
 * The application itself is started by `weft tune`, when `begin` has returned.
 */
#ifndef WEFT_TUNLET_H
#define WEFT_TUNLET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_TUNLET_VERSION 1
#define WEFT_TUNLET_ALL INT64_MIN /* in place of a task: all tasks */

struct weft_tunlet_value {
	double number;
	int64_t whole;    /* the same, without its fraction */
	const char *text; /* of a string, else NULL */
};

struct weft_tunlet_attribute {
	const char *name;
	const char *type; /* "int", "double", "string"… as declared */
};

/* A measure point, as the specification declares it. */
struct weft_tunlet_event {
	const char *name, *actor, *method;
	int at_exit;
	uint32_t n_attributes;
	const struct weft_tunlet_attribute *attribute;
};

/* One occurrence of an event. */
struct weft_tunlet_record {
	const struct weft_tunlet_event *event;
	int64_t task;                          /* its id */
	double time;                           /* in the specification's unit */
	const struct weft_tunlet_value *value; /* of each attribute */
};

/* What was done to a task. */
struct weft_tunlet_action {
	const char *point; /* the tuning point */
	struct weft_tunlet_value value;
};

struct weft_tunlet_task {
	int64_t id;
	const char *actor;
	const char *host; /* "" when it is not known */
	int alive;
	uint32_t n_actions;
	const struct weft_tunlet_action *action; /* oldest first; also those for all tasks */
};

/* What a tunlet may ask. Functions return 0 or a negative errno code. Valid from `begin` to `end`. */
struct weft_tunlet_host {
	uint32_t version;
	uint32_t n_events, n_tasks; /* tasks that ever began, in that order */
	const struct weft_tunlet_event *event;
	const struct weft_tunlet_task *task;
	/* Applies a tuning point of the specification, in one task or in all of its actor. -ENOENT: no such point or task. */
	int (*tune)(const struct weft_tunlet_host *host, int64_t task, const char *point, struct weft_tunlet_value value);
	/* Begins, ends to measure an addable, removable event, in one task or in all. -ENOENT, -EPERM. */
	int (*add_event)(const struct weft_tunlet_host *host, int64_t task, const char *event);
	int (*rem_event)(const struct weft_tunlet_host *host, int64_t task, const char *event);
};

/*
 * Handlers; each may be NULL. `self` is what `begin` set (NULL without one). A negative result is reported, and the tunlet goes on.
 */
struct weft_tunlet {
	uint32_t version;
	int (*begin)(const struct weft_tunlet_host *host, void **self);
	int (*task_begins)(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_task *task);
	int (*task_ends)(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_task *task);
	int (*event)(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_record *record);
	int (*lost)(void *self, const struct weft_tunlet_host *host, int64_t task, uint64_t count);
	void (*end)(void *self, const struct weft_tunlet_host *host);
};

#ifdef __cplusplus
}
#endif
#endif
