/* SPDX-License-Identifier: Apache-2.0 */
/* What the routes of the area `compare` share: two traces with a range of each; marks by which traces are laid beside each other. */
#ifndef WEFT_SERVER_COMPARE_H
#define WEFT_SERVER_COMPARE_H

#include "profile/call_tree.h"
#include "server/core/server_session.h"

/* `a` and `b` (0 and 1), afrom, ato, bfrom, bto (all of each). */
struct compare_pair {
	struct server_trace *trace[2];
	uint64_t from[2], to[2];
};
int compare_pair(const struct server_request *r, struct compare_pair *out) WEFT_MUST_CHECK;

/* Something that happens again and again in a trace: entries into a region on one thread, or begins of iterations. */
struct compare_mark {
	const char *name; /* the trace's */
	bool iteration;
	uint32_t thread;
	WEFT_VEC(uint64_t) at;
};
struct compare_marks {
	WEFT_VEC(struct compare_mark) mark;
};
/* Of a trace; only what happens 2 to 5000 times. Then fini all the same. */
int compare_marks_find(const struct server_request *r, struct server_trace *t, struct compare_marks *out) WEFT_MUST_CHECK;
void compare_marks_fini(struct compare_marks *m);
const struct compare_mark *compare_mark_named(const struct compare_marks *m, const char *name, bool iteration);

/* Where time went in both, as two profiles; symbols are held until the end. */
struct compare_profiles {
	struct weft_profile p[2];
	struct weft_symbols *symbols[2];
	const struct compare_pair *pair;
};
int compare_profiles_make(const struct server_request *r, const struct compare_pair *pair,
                          struct compare_profiles *out) WEFT_MUST_CHECK;
void compare_profiles_fini(struct compare_profiles *p);

int server_compare_flame(const struct server_request *r, struct server_answer *a);
int server_compare_marks(const struct server_request *r, struct server_answer *a);
int server_compare_align(const struct server_request *r, struct server_answer *a);
int server_compare_slower(const struct server_request *r, struct server_answer *a);

#endif
