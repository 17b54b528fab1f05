/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What counters and knobs have in common: each has a scope, a type, a name, a line of help, and a number that says its scope and its
 * place in its table. Counters have even scopes and knobs odd ones, so that the one is not taken for the other.
 */
#ifndef WEFT_RUNTIME_MONITOR_NAMES_H
#define WEFT_RUNTIME_MONITOR_NAMES_H

#include <stdint.h>
#include <stdio.h>

enum monitor_type { MONITOR_INT32 = 1, MONITOR_INT64, MONITOR_FLOAT, MONITOR_DOUBLE };

struct monitor_item {
	int scope;
	enum monitor_type type;
	const char *name, *help;
};
/* A table of them; `what` is "counter" or "knob", as in messages. */
struct monitor_items {
	const char *what;
	const char *const *scopes; /* by number; NULL: there is none */
	int n_scopes;
	const struct monitor_item *item;
	unsigned n;
};

const char *monitor_type_name(int type); /* NULL: none */
int monitor_type_of(const char *name);   /* 0: none */
const char *monitor_scope_name(const struct monitor_items *all, int scope);
int monitor_scope_of(const struct monitor_items *all, const char *name); /* 0, and a line: none */

/* A number: the place in the table and the scope. -1, and a line where it is a name that is wrong. */
int monitor_count(const struct monitor_items *all, int scope, const char *function);
int monitor_nth(const struct monitor_items *all, int scope, int nth, const char *function);
int monitor_by_name(const struct monitor_items *all, int scope, const char *name, const char *function);
/* What it is; NULL, and a line: there is none with this number. */
const struct monitor_item *monitor_item(const struct monitor_items *all, int id, const char *function);
/* Its place in the table; what is no number of this table is misuse. */
unsigned monitor_at(const struct monitor_items *all, int id, const char *function);
/* The same, and that it is of this scope and type. */
unsigned monitor_typed(const struct monitor_items *all, int id, int scope, enum monitor_type type, const char *function);
void monitor_list(const struct monitor_items *all, int scope, const char *function);
void monitor_list_all(const struct monitor_items *all, const char *function);

#endif
