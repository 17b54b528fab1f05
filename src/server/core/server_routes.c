/* SPDX-License-Identifier: Apache-2.0 */
/* The areas' tables, as one. */
#include "server_route.h"
#include "base/pool.h"
#include <string.h>

static const struct server_route *const areas[] = {server_session_routes, server_time_routes,  server_table_routes,
                                                   server_task_routes,    server_live_routes,  server_compare_routes,
                                                   server_share_routes,   server_replay_routes};

/* A client that has left does not come back to this request. */
static bool client_left(void *arg)
{
	const struct server_request *r = arg;
	return r->gone(r);
}

int server_route_answer(const struct server_route *route, const struct server_request *r, struct server_answer *a)
{
	const struct weft_stop stop = {client_left, (void *)(uintptr_t)r};
	bool may = route->flags & SERVER_STOPS && r->gone;
	const struct weft_stop *was = may ? weft_stop_set(&stop) : NULL;
	int rc = route->answer(r, a);
	if (may)
		weft_stop_set(was);
	return rc;
}

const struct server_route *server_route_find(const char *path)
{
	for (unsigned i = 0; i < sizeof areas / sizeof *areas; i++)
		for (const struct server_route *r = areas[i]; r->path; r++)
			if (!strcmp(r->path, path))
				return r;
	return NULL;
}
