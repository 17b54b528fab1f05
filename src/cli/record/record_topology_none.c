/* SPDX-License-Identifier: Apache-2.0 */
/* In place of record_topology.c in a build without hwloc. */
#include "record_run.h"
#include <errno.h>

int record_topology(struct record_stream *s, const char *dir, const char *host)
{
	(void)s, (void)dir, (void)host;
	return -ENOSYS;
}
