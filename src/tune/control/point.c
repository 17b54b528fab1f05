/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds of measure and tuning points there are. A further one is a row here. */
#include "point.h"
#include <string.h>

const struct point_kind *const point_kinds[] = {&point_runtime, &point_probe, &point_libweft, NULL};

const struct point_kind *point_kind_of(const char *classes)
{
	for (const struct point_kind *const *k = point_kinds; *k; k++)
		if ((*k)->scheme && strncmp((*k)->scheme, classes, strcspn(classes, ",")) == 0 &&
		    (*k)->scheme[strcspn(classes, ",")] == '\0')
			return *k;
	return &point_probe;
}
