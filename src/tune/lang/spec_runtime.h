/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a specification can name of the task runtime, in events and tuning points of the class "runtime":
 *
 *     event    method  every TIME | every NUMBER COUNTER | iteration
 *              ATTRS   variables whose path (or id) is a counter, a knob or a figure: NAME, or NAME@OF
 *     point    id      a variable whose path (or id) is a knob or a figure that can be set
 *
 * Without @OF what belongs to workers, codelets or ways between memories is the sum over all of them; in an event of an actor of the class
 * "runtime", of which each worker is one, it is that worker's own.
 */
#ifndef WEFT_TUNE_SPEC_RUNTIME_H
#define WEFT_TUNE_SPEC_RUNTIME_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum runtime_what { RUNTIME_COUNTER, RUNTIME_KNOB, RUNTIME_FIGURE };
/* Whose it is, and so what may stand behind the @. */
enum runtime_of { RUNTIME_NOBODY, RUNTIME_WORKER, RUNTIME_CODELET, RUNTIME_POLICY, RUNTIME_NODE, RUNTIME_LINK };

struct runtime_name {
	const char *name;
	enum runtime_what what;
	enum runtime_of of;
	bool settable;
};
enum { RUNTIME_NAME_BYTES = 128 };
/* Of "NAME" or "NAME@OF"; *of: what stands behind the @, or NULL. NULL: there is none, as err says. */
const struct runtime_name *runtime_name(const char *path, const char **of, struct weft_err *err);

enum runtime_bound { RUNTIME_EVERY_TIME, RUNTIME_EVERY_COUNT, RUNTIME_ITERATION };
struct runtime_method {
	enum runtime_bound bound;
	uint64_t period_ns;
	double count;
	const char *counter; /* within the text that was parsed */
};
int runtime_method(const char *text, struct runtime_method *out, struct weft_err *err) WEFT_MUST_CHECK;

/* Whether a class is this one. */
bool runtime_is_class(const char *class);

struct weft_spec;
/* Says what of all that does not fit in a specification. */
void runtime_check(struct weft_spec *s);

#endif
