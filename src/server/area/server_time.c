/* SPDX-License-Identifier: Apache-2.0 */
/* Area time: rows along time. */
#include "server_cells.h"
#include "server_time.h"

const struct server_route server_time_routes[] = {
	{.path = "time/rows", .flags = SERVER_FIXED, .answer = server_time_rows},
	{.path = "time/cells", .flags = SERVER_FIXED, .answer = server_time_cells},
	{.path = "time/nest", .flags = SERVER_FIXED, .answer = server_time_nest},
	{.path = "time/depths", .flags = SERVER_FIXED, .answer = server_time_depths},
	{.path = "time/exact", .flags = SERVER_FIXED, .answer = server_time_exact},
	{.path = "time/legend", .flags = SERVER_FIXED, .answer = server_time_legend},
	{.path = "time/counters", .flags = SERVER_FIXED, .answer = server_time_counters},
	{.path = "time/curve", .flags = SERVER_FIXED, .answer = server_time_curve},
	{.path = "time/messages", .flags = SERVER_FIXED, .answer = server_time_messages},
	{.path = "time/flows", .flags = SERVER_FIXED, .answer = server_time_flows},
	{.path = "time/at", .flags = SERVER_FIXED, .answer = server_time_at},
	{.path = "time/find", .flags = SERVER_FIXED, .answer = server_time_find},
	{0},
};
