/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command's processes preload: libweft-preload, which finds the runtimes that they use (src/preload). It is nothing to those
 * that use none.
 */
#include "cli/common/cli.h"
#include "record_run.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list's separators cannot stand in a path. */
static bool preload_path(char *out, size_t room)
{
	static const char *const places[] = {"libweft-preload.so.0", "../lib/libweft-preload.so.0"};
	return cli_find_own(places, sizeof places / sizeof *places, out, room) == 0 && !strpbrk(out, ": ");
}

static int set_list(const char *variable, const char *one)
{
	const char *old = getenv(variable);
	char *all = NULL;
	if (old && strstr(old, one))
		return 0;
	if (asprintf(&all, "%s%s%s", old ? old : "", old && *old ? ":" : "", one) < 0)
		return -ENOMEM;
	int rc = setenv(variable, all, 1) ? -errno : 0;
	free(all);
	return rc;
}

/* Whose functions are to be watched is left as it is: a call would be there twice. */
static bool is_probed(const struct record_args *a)
{
	for (unsigned i = 0; i < a->probe.n; i++)
		if (strstr(a->probe.at[i], "MPI_"))
			return true;
	return false;
}

int record_preload(const struct record_args *a)
{
	char path[PATH_MAX];
	if (record_lists(&a->off, RECORD_MPI) || is_probed(a) || !preload_path(path, sizeof path))
		return 0;
	int rc = set_list("LD_PRELOAD", path);
	/* Programs with AddressSanitizer end when anything stands in front of it, also what does not bear on memory. */
	return rc ? rc : set_list("ASAN_OPTIONS", "verify_asan_link_order=0");
}
