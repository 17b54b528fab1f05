/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The newer vocabulary for OpenMP, one type for each kind of thing (60000 to 60019), by names of regions: rows of a table, all that fit. A
 * region has its values at its begin, and 0 at its end, but for what a wait leads to, which goes on from there.
 */
#include "like_priv.h"
#include "base/str.h"
#include <string.h>

enum {
	CALL = 60000,
	PARALLEL = 60002,
	SHARE = 60003,
	SYNC = 60004,
	LOCK = 60005,
	ORDER = 60007,
	GROUP = 60008,
	TASK = 60009,
	TARGET = 60010
};

static const struct {
	const char *name;
	uint32_t type;
	int32_t value;
	bool goes_on; /* no 0 at its end */
} rows[] = {
	{"omp parallel in *", CALL, 43, false},
	{"omp parallel in *", PARALLEL, 1, false},
	{"* [omp parallel]", PARALLEL, 2, false},
	{"omp teams in *", CALL, 70, false},
	{"omp teams in *", PARALLEL, 7, false},
	{"* [omp teams]", PARALLEL, 8, false},
	{"omp for", SHARE, 10, false},
	{"omp for static", SHARE, 11, false},
	{"omp for dynamic", SHARE, 12, false},
	{"omp for guided", SHARE, 13, false},
	{"omp for runtime", SHARE, 14, false},
	{"omp for auto", SHARE, 14, false},
	{"omp sections", SHARE, 23, false},
	{"omp single", SHARE, 24, false},
	{"omp single", CALL, 40, false},
	{"omp masked", SHARE, 25, false},
	{"omp barrier*", CALL, 3, false},
	{"omp barrier*", SYNC, 26, false},
	{"omp join", SYNC, 27, false},
	{"omp atomic wait", CALL, 1, false},
	{"omp atomic*", SYNC, 29, false},
	{"omp critical wait", CALL, 4, false},
	{"omp critical wait", SYNC, 30, false},
	{"omp critical wait", LOCK, 38, true},
	{"omp critical", LOCK, 39, false},
	{"omp critical * wait", CALL, 6, false},
	{"omp critical * wait", SYNC, 31, false},
	{"omp critical * wait", LOCK, 38, true},
	{"omp critical *", LOCK, 39, false},
	{"omp lock * wait", CALL, 79, false},
	{"omp lock * wait", LOCK, 38, true},
	{"omp lock *", LOCK, 39, false},
	{"omp ordered wait", CALL, 30, false},
	{"omp ordered wait", SYNC, 32, false},
	{"omp ordered wait", ORDER, 41, true},
	{"omp ordered", ORDER, 42, false},
	{"omp doacross post", CALL, 56, false},
	{"omp doacross post", SYNC, 36, false},
	{"omp doacross wait", CALL, 57, false},
	{"omp doacross wait", SYNC, 37, false},
	{"omp taskgroup", GROUP, 45, false},
	{"omp taskgroup wait", CALL, 49, false},
	{"omp taskgroup wait", SYNC, 33, false},
	{"omp taskgroup wait", GROUP, 46, true},
	{"omp taskwait", CALL, 41, false},
	{"omp taskwait", SYNC, 34, false},
	{"omp taskyield", CALL, 42, false},
	{"omp taskyield", SYNC, 35, false},
	{"omp task create", CALL, 50, false},
	{"omp task create", TASK, 47, false},
	{"* [omp task]", TASK, 48, false},
	{"omp taskloop", CALL, 51, false},
	{"omp taskloop", TASK, 49, false},
	{"* [omp target]", TARGET, 51, false},
	{"omp target data", TARGET, 52, false},
	{"omp target update", TARGET, 55, false},
};

/* "omp critical * wait" fits "omp critical *", too: what waits is not what holds. */
static bool fits(const char *pattern, const char *name)
{
	size_t n = strlen(name), p = strlen(pattern);
	bool waits = n > 5 && !strcmp(name + n - 5, " wait"), for_waits = p > 5 && !strcmp(pattern + p - 5, " wait");
	return waits == for_waits && weft_glob(pattern, name);
}

void extrae_openmp_rule(struct extrae_rule *r, const char *name)
{
	/* The unnamed critical section has no name between, the rows for named ones a star there. */
	bool plain = !strcmp(name, "omp critical wait") || !strcmp(name, "omp critical");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool star = !strncmp(rows[i].name, "omp critical *", 14);
		if (!fits(rows[i].name, name) || (plain && star) || r->n_other == EXTRAE_OTHERS)
			continue;
		r->other[r->n_other++] = (struct extrae_other){rows[i].type, rows[i].value, rows[i].goes_on};
	}
	size_t n = strlen(name);
	const char *end = n > 6 ? name + n - 6 : "";
	r->other_function = !strcmp(end, " task]")                                                    ? EXTRAE_OTHER_TASK
	                    : weft_glob("* [omp parallel]", name) || weft_glob("* [omp teams]", name) ? EXTRAE_OTHER_OUTLINED
	                                                                                              : 0;
}
