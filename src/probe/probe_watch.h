/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function to be watched, as people write it: which values are wanted when it is entered and when
 * it is left.
 *
 *     NAME   NAME(ATTRIBUTE, …)   NAME(ATTRIBUTE, … ; ATTRIBUTE, …)
 *
 * NAME is a function as C or C++ call it, with or without namespaces and parameters (`over(int)`,
 * then `over(int)(ATTRIBUTE, …)`), of one source file (`a.c:work`), or a pattern (`shop::*`). Of
 * two groups in parentheses the first is the name's. One alone is so when it is empty or has
 * something that is only a type: `int`, `unsigned`, `const`…, `std::…`, `<`, or `*` or `&` at an
 * end. Else it holds attributes.
 *
 * Behind the semicolon stands what is looked at when it is left; `return`, what it returns, is so
 * wherever it stands. An attribute is a parameter ($1, $2… or by name), else a variable, as in
 * probe_value.h: `x`, `p->count[2]`, `Solver::limit`. `:TYPE` behind it declares what debug
 * information does not say.
 *
 *     probe_watch_parse   once            text -> struct probe_watch
 *     probe_watch_expand  each process    -> a watch for each function that it stands for
 *     probe_watch_bind    each of those   -> a request for probe_insert, which borrows from the bound watch
 *     probe_watch_record  each of those   -> the process itself writes region and values down, by libweft
 */
#ifndef WEFT_PROBE_WATCH_H
#define WEFT_PROBE_WATCH_H

#include "probe.h"
#include "probe_value.h"

#define PROBE_WATCH_ATTRIBUTES 16u
#define PROBE_NAME_BYTES 512u

struct probe_attribute {
	char name[64], declared[16]; /* declared: "" where nothing is */
	enum link_when when;
	bool result;
};

struct probe_watch {
	char function[PROBE_NAME_BYTES];
	bool is_one; /* `at` says which function that is, and `function` what it is called */
	struct probe_found at;
	struct probe_attribute attribute[PROBE_WATCH_ATTRIBUTES]; /* in the order of the text */
	unsigned n;
};

struct probe_bound {
	const struct probe_watch *watch; /* borrowed */
	struct probe_request request;
	struct link_op op[LINK_WHENS][LINK_PROGRAM_OPS];
	struct probe_type type[PROBE_WATCH_ATTRIBUTES];
	unsigned n_ops[PROBE_WATCH_ATTRIBUTES]; /* of each attribute's value; 0: it has none here */
};

int probe_watch_parse(const char *text, struct probe_watch *out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * The functions that a watch stands for in a process, in *out, which is the caller's: a watch for
 * each (but two for one of which the compiler has made two, with the same name). Where there are
 * several, each is called by its full name. Their number, or a reason.
 */
int probe_watch_expand(struct probe_session *s, const struct probe_watch *w, struct probe_watch **out,
                       struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Finds its values in a process. Whose exit cannot be watched gets no exit (request.kinds says),
 * and has no attributes there. Then probe_insert(&b->request), as long as *b stays where it is.
 */
int probe_watch_bind(struct probe_session *s, const struct probe_watch *w, struct probe_bound *b,
                     struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Between bind and insert, behind probe_record: a region NAME (a point, where the exit cannot be
 * watched), and a point NAME.ATTRIBUTE for each value. values_only: another watch of the same
 * function says when it runs.
 */
int probe_watch_record(struct probe_session *s, struct probe_bound *b, bool values_only, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * What processes that this one makes load the agent by, also those that a PVM daemon makes for
 * them.
 */
int probe_set_environment(const char *agent, const char *socket, struct weft_err *err) WEFT_MUST_CHECK;

#endif
