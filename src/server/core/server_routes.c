/* SPDX-License-Identifier: Apache-2.0 */
/* The areas' tables, as one. */
#include "server_route.h"
#include <string.h>

static const struct server_route *const areas[] = {server_session_routes, server_time_routes, server_table_routes,
                                                   server_task_routes,    server_live_routes, server_compare_routes,
                                                   server_share_routes};

const struct server_route *server_route_find(const char *path)
{
	for (unsigned i = 0; i < sizeof areas / sizeof *areas; i++)
		for (const struct server_route *r = areas[i]; r->path; r++)
			if (!strcmp(r->path, path))
				return r;
	return NULL;
}
