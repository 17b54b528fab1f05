/* SPDX-License-Identifier: Apache-2.0 */
/* Whose trace it is: the rank of the process, and the name of its file. */
#include "fxt.h"
#include "base/str.h"
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int number_of(const char *variable)
{
	const char *text = variable ? getenv(variable) : NULL;
	uint64_t n;
	return text && *text && !weft_parse_u64(weft_str(text), &n) && n <= INT_MAX ? (int)n : -1;
}

int rt_fxt_rank(int *n)
{
	/* As libweft looks for them. */
	static const char *const names[][2] = {
		{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
		{"PMIX_RANK", "PMIX_SIZE"},
		{"PMI_RANK", "PMI_SIZE"},
		{"SLURM_PROCID", "SLURM_NTASKS"},
	};
	*n = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int rank = number_of(names[i][0]);
		if (rank < 0)
			continue;
		int size = number_of(names[i][1]);
		*n = size > 0 ? size : 0;
		return rank;
	}
	return -1;
}

static const char *user_name(char *room, size_t size)
{
	struct passwd entry, *found = NULL;
	char more[1024];
	const char *name = getenv("USER");
	if (name && *name)
		return name;
	if (!getpwuid_r(getuid(), &entry, more, sizeof more, &found) && found) {
		snprintf(room, size, "%s", entry.pw_name);
		return room;
	}
	snprintf(room, size, "%u", (unsigned)getuid());
	return room;
}

static const char *set(const char *variable)
{
	const char *text = getenv(variable);
	return text && *text ? text : NULL;
}

int rt_fxt_file_name(char *out, size_t room, int rank)
{
	char user[64];
	const char *folder = set("STARPU_FXT_PREFIX"), *name = set("STARPU_FXT_SUFFIX");
	folder = folder ? folder : "/tmp";
	int at = snprintf(out, room, "%s/", folder);
	if (at < 0 || (size_t)at >= room)
		return -ENAMETOOLONG;
	int n = name ? snprintf(out + at, room - (size_t)at, "%s_%d", name, rank < 0 ? 0 : rank)
	             : snprintf(out + at, room - (size_t)at, "prof_file_%s_%d", user_name(user, sizeof user),
	                        rank < 0 ? 0 : rank);
	if (n < 0 || (size_t)(at + n) >= room)
		return -ENAMETOOLONG;
	for (char *c = out + at; *c; c++)
		if (*c == '/')
			*c = '_'; /* it is a name, not a place */
	return 0;
}
