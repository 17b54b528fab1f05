/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted of a runtime between bursts of computation, by the names that attributes have, as Extrae's types. */
#include "like_priv.h"
#include <string.h>

enum { NOT_WRITTEN = 0 };
static const struct {
	const char *category, *name;
	uint32_t type;
} rows[] = {
	{"mpi", "calls", NOT_WRITTEN},
	{"mpi", "point-to-point calls", 54000000},
	{"mpi", "bytes sent", 54000001},
	{"mpi", "bytes received", 54000002},
	{"mpi", "collective calls", 54000003},
	{"mpi", "collective bytes sent", 54000004},
	{"mpi", "collective bytes received", 54000005},
	{"mpi", "world collective calls", 54000006},
	{"mpi", "world collective bytes sent", 54000007},
	{"mpi", "world collective bytes received", 54000008},
	{"mpi", "time in calls", 54000009},
	{"mpi", "incoming messages", 54000010},
	{"mpi", "outgoing messages", 54000011},
	{"mpi", "incoming partners", 54000012},
	{"mpi", "outgoing partners", 54000013},
	{"mpi", "time in point-to-point calls", 54000015},
	{"mpi", "time in collective calls", 54000016},
	{"mpi", "time in world collective calls", 54000017},
	{"openmp", "time running in parallel", 54000100},
	{"openmp", "time in synchronization", 54000101},
	{"openmp", "time in overhead", 54000102},
	{"openmp", "times running in parallel", 54000103},
	{"openmp", "synchronizations", 54000104},
	{"openmp", "overheads", 54000105},
};
_Static_assert(sizeof rows / sizeof *rows == EXTRAE_STATISTICS, "a place for each");

/* What is left of the first when the others are taken from it; of MPI. */
static const struct {
	const char *of, *less, *and_less;
	uint32_t type;
} rests[] = {
	{"time in calls", "time in point-to-point calls", "time in collective calls", 54000014},
	{"calls", "point-to-point calls", "collective calls", 54000018},
};

void extrae_statistic_take(struct like_statistics *s, const char *category, const char *name, uint64_t value)
{
	for (unsigned i = 0; i < EXTRAE_STATISTICS; i++)
		if (!strcmp(rows[i].category, category) && !strcmp(rows[i].name, name)) {
			s->value[i] = value;
			*(*category == 'm' ? &s->mpi : &s->openmp) = true;
		}
}

static uint64_t of_mpi(const struct like_statistics *s, const char *name)
{
	for (unsigned i = 0; i < EXTRAE_STATISTICS; i++)
		if (!strcmp(rows[i].name, name))
			return s->value[i];
	return 0;
}

int extrae_statistics_put(struct like_statistics *s, int (*put)(void *arg, uint32_t type, int64_t value), void *arg)
{
	int rc = 0;
	for (unsigned i = 0; i < EXTRAE_STATISTICS && !rc; i++)
		if (rows[i].type && (*rows[i].category == 'm' ? s->mpi : s->openmp))
			rc = put(arg, rows[i].type, (int64_t)s->value[i]);
	for (unsigned i = 0; i < sizeof rests / sizeof *rests && s->mpi && !rc; i++) {
		uint64_t all = of_mpi(s, rests[i].of), some = of_mpi(s, rests[i].less) + of_mpi(s, rests[i].and_less);
		rc = put(arg, rests[i].type, some < all ? (int64_t)(all - some) : 0);
	}
	memset(s, 0, sizeof *s);
	return rc;
}
