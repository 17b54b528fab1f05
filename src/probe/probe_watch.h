/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function to be watched, as people write it: which values are wanted when it is entered and when it is left.
 *
 *     NAME   NAME(ATTRIBUTE, …)   NAME(ATTRIBUTE, … ; ATTRIBUTE, …)
 *
 * Behind the semicolon stands what is looked at when it is left; `return`, what it returns, is so wherever it stands. An attribute is a
 * parameter ($1, $2… or by name), else a variable, as in probe_value.h: `x`, `p->count[2]`, `Solver::limit`. `:TYPE` behind it declares
 * what debug information does not say.
 *
 *     probe_watch_parse   once            text -> struct probe_watch
 *     probe_watch_bind    each process    -> a request for probe_insert, which borrows from the bound watch
 *     probe_watch_values  each event      -> its values
 */
#ifndef WEFT_PROBE_WATCH_H
#define WEFT_PROBE_WATCH_H

#include "probe.h"
#include "probe_value.h"

#define PROBE_WATCH_ATTRIBUTES 16u

struct probe_attribute {
	char name[64], declared[16]; /* declared: "" where nothing is */
	enum link_when when;
	bool result;
};

struct probe_watch {
	char function[256];
	struct probe_attribute attribute[PROBE_WATCH_ATTRIBUTES]; /* in the order of the text */
	unsigned n;
};

struct probe_bound {
	const struct probe_watch *watch; /* borrowed */
	struct probe_request request;
	struct link_op op[LINK_WHENS][LINK_PROGRAM_OPS];
	struct probe_type type[PROBE_WATCH_ATTRIBUTES];
};

/* A value of an event: of an attribute of its watch. */
struct probe_value_read {
	unsigned attribute;
	struct probe_type type;
	int64_t i; /* INT, POINTER */
	double d;  /* FLOAT */
	char text[LINK_TEXT_BYTES + 1];
};

int probe_watch_parse(const char *text, struct probe_watch *out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Finds its values in a process. Whose exit cannot be watched gets no exit (request.kinds says), and has no attributes there. Then
 * probe_insert(&b->request), as long as *b stays where it is.
 */
int probe_watch_bind(struct probe_session *s, const struct probe_watch *w, struct probe_bound *b,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* The values of an event at one of its sites; their number, at most PROBE_WATCH_ATTRIBUTES. The event is not believed. */
unsigned probe_watch_values(const struct probe_bound *b, const struct probe_event *e, struct probe_value_read *out);

/* Where libweft-agent lies: beside this program, as it is built or installed. */
int probe_agent_path(char *out, size_t room, struct weft_err *err) WEFT_MUST_CHECK;
/* What processes that this one makes load the agent by, also those that a PVM daemon makes for them. */
int probe_set_environment(const char *agent, const char *socket, struct weft_err *err) WEFT_MUST_CHECK;

#endif
