/* SPDX-License-Identifier: Apache-2.0 */
#include "env.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int weft_set_list(const char *variable, const char *first, const char *second)
{
	char *all = NULL;
	first = first ? first : "";
	second = second ? second : "";
	if (asprintf(&all, "%s%s%s", first, *first && *second ? ":" : "", second) < 0)
		return -ENOMEM;
	int rc = setenv(variable, all, 1) ? -errno : 0;
	free(all);
	return rc;
}
