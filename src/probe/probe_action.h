/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seven tuning actions. Each is acknowledged with the old value (where there is one) and the
 * time, and can be undone; each can be synchronised: then one thread is held at the entry or exit
 * of a function while it is done, or, for a one-time call, makes it.
 */
#ifndef WEFT_PROBE_ACTION_H
#define WEFT_PROBE_ACTION_H

#include "probe.h"

struct probe_value;

enum probe_action_kind {
	PROBE_LOAD_LIBRARY,     /* subject: its path */
	PROBE_SET_VARIABLE,     /* subject: as in probe_variable; argument[0]: the value */
	PROBE_REPLACE_FUNCTION, /* subject: the function; object: the one that runs instead, every time */
	PROBE_INSERT_CALL,      /* subject: at whose entry or exit; object: what is called, with the arguments */
	PROBE_ONE_TIME_CALL,    /* subject: what is called, with the arguments */
	PROBE_REMOVE_CALL,      /* subject: what is called no more (it returns 0); object: in this caller only, or NULL */
	PROBE_CHANGE_PARAMETER, /* subject: the function; object: the parameter, by name or as $1; argument[0]: the value */
	PROBE_ACTIONS
};

struct probe_argument {
	bool real; /* a double, else an integer */
	int64_t i;
	double d;
};

struct probe_action {
	enum probe_action_kind kind;
	const char *subject, *object; /* borrowed until it is undone */
	const char *declared;         /* type, where debug information does not say; or NULL */
	enum link_when when;          /* INSERT_CALL */
	struct probe_argument argument[6];
	unsigned n_arguments;
	bool wants_old;   /* CHANGE_PARAMETER: wait for the next call, and say what it had */
	const char *sync; /* function, or NULL: at once */
	enum link_when sync_when;
	int timeout_ms; /* of waiting for that */

	/* What came of it. */
	bool done, has_old;
	uint64_t old; /* as bits, in the width of what it was */
	bool old_real, old_sign;
	unsigned size;  /* of that */
	uint64_t value; /* LOAD: handle; ONE_TIME_CALL: what it returned */
	uint64_t ticks; /* of the process's clock, when it was in force */
	uint32_t tid;   /* of the thread that was held, or made the call; 0: none */
	/* For undoing. */
	uint64_t addr;
	uint32_t site, owner;
	int reg;                  /* of the changed parameter: as probe_value.in_register */
	struct link_patch *patch; /* owned until it is undone, or freed by probe_action_free */
	unsigned n_patches;
};

/* 0, or a reason. Nothing has changed then. */
int probe_act(struct probe_session *s, struct probe_action *a, struct weft_err *err) WEFT_MUST_CHECK;
int probe_undo(struct probe_session *s, struct probe_action *a, struct weft_err *err) WEFT_MUST_CHECK;
void probe_action_free(struct probe_action *a);
/* Whether it could be: of SET_VARIABLE, CHANGE_PARAMETER. */
int probe_can_set(struct probe_session *s, const char *subject, const char *declared, struct probe_value *v,
                  struct weft_err *err) WEFT_MUST_CHECK;
int probe_can_change(struct probe_session *s, const struct probe_action *a, struct probe_value *v,
                     struct weft_err *err) WEFT_MUST_CHECK;

#endif
