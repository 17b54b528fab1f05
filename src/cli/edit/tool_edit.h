/* SPDX-License-Identifier: Apache-2.0 */
/* `weft cut` and `weft filter` as line tools: a .prv out of a .prv, or what only these tools know. For cmd_cut.c. */
#ifndef WEFT_CLI_TOOL_EDIT_H
#define WEFT_CLI_TOOL_EDIT_H

#include "cli/common/cli.h"

struct cli_edit { /* options of both commands; texts borrow from argv */
	const char *xml;
	const char *tasks; /* cut */
	uint64_t max_size;
	bool whole_states, remove_first_states, remove_last_states, keep_events;
	const char *keep_types, *drop_types, *states, *discard; /* filter */
	uint64_t min_state_time, min_bytes;
};
/* clang-format off */
#define CLI_EDIT_CUT_OPTIONS(type, member) \
	{0, "", NULL, WEFT_OPT_GROUP, 0, "For Paraver's traces (any of these, or an OUT.prv: it is cut line by line)"}, \
	{0, "xml", "FILE", WEFT_OPT_STRING, offsetof(type, member.xml), "cut as <cutter> of Paraver's XML file says"}, \
	{0, "tasks", "LIST", WEFT_OPT_STRING, offsetof(type, member.tasks), "only these tasks, like 1,3-5"}, \
	{0, "whole-states", NULL, WEFT_OPT_FLAG, offsetof(type, member.whole_states), "states over A and B stay whole; else they are clipped"}, \
	{0, "remove-first-states", NULL, WEFT_OPT_FLAG, offsetof(type, member.remove_first_states), "remove states that are open at A"}, \
	{0, "remove-last-states", NULL, WEFT_OPT_FLAG, offsetof(type, member.remove_last_states), "remove states that are open at B"}, \
	{0, "keep-events", NULL, WEFT_OPT_FLAG, offsetof(type, member.keep_events), "keep events before A in threads with a state over A"}, \
	{0, "max-size", "SIZE", WEFT_OPT_BYTES, offsetof(type, member.max_size), "stop when OUT has SIZE"}
#define CLI_EDIT_FILTER_OPTIONS(type, member) \
	{0, "", NULL, WEFT_OPT_GROUP, 0, "For Paraver's traces (any of these, or an OUT.prv: it is filtered line by line)"}, \
	{0, "xml", "FILE", WEFT_OPT_STRING, offsetof(type, member.xml), "filter as <filter> of Paraver's XML file says"}, \
	{0, "keep-types", "TYPES", WEFT_OPT_STRING, offsetof(type, member.keep_types), "keep these event types, like '50000001-50000003;7:1,2'"}, \
	{0, "drop-types", "TYPES", WEFT_OPT_STRING, offsetof(type, member.drop_types), "keep all event types but these"}, \
	{0, "states", "NAMES", WEFT_OPT_STRING, offsetof(type, member.states), "keep states with these names, like 'Running,I/O'"}, \
	{0, "min-state-time", "TIME", WEFT_OPT_NS, offsetof(type, member.min_state_time), "keep states of at least TIME"}, \
	{0, "min-bytes", "SIZE", WEFT_OPT_BYTES, offsetof(type, member.min_bytes), "keep messages of at least SIZE"}, \
	{0, "discard", "KINDS", WEFT_OPT_STRING, offsetof(type, member.discard), "drop all states, events or messages (comma between)"}
/* clang-format on */

/* Whether a line tool is asked for. */
bool cli_edit_is_line(const struct cli_edit *e, const char *out);
/* Both return the exit status. time: A..B or NULL. */
int cli_edit_cut(const struct weft_command *cmd, const struct cli_common *c, const struct cli_edit *e, const char *in,
                 const char *out, const char *time, bool keep_times, bool force);
int cli_edit_filter(const struct weft_command *cmd, const struct cli_common *c, const struct cli_edit *e, const char *in,
                    const char *out, bool force);

#endif
