/* SPDX-License-Identifier: Apache-2.0 */
/* What the links of a topology were used for: as a table, the most used first, and the busiest behind the ranks' table. */
#include "replay_options.h"
#include <stdio.h>

static const struct weft_column columns[] = {
	{"link", "link", WEFT_CELL_U64},
	{"from", "from", WEFT_CELL_TEXT},
	{"to", "to", WEFT_CELL_TEXT},
	{"use_percent", "use", WEFT_CELL_PERCENT},
	{"bytes", "bytes", WEFT_CELL_BYTES},
	{"messages", "messages", WEFT_CELL_U64},
	{"most_at_once", "most at once", WEFT_CELL_U64},
	{"busy_ns", "busy", WEFT_CELL_NS},
	{"full_ns", "full", WEFT_CELL_NS},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static uint64_t whole(double v)
{
	return (uint64_t)(v + 0.5);
}

int replay_print_links(const struct replay_args *a, const struct weft_topology *topology, const struct weft_replay_result *r)
{
	struct weft_table t;
	weft_table_init(&t, columns, COLUMNS);
	for (uint32_t i = 0; i < r->n_links; i++) {
		const struct weft_replay_link *l = &r->link[i];
		char from[100], to[100];
		weft_topology_vertex(topology, topology->link.at[l->link].from, from, sizeof from);
		weft_topology_vertex(topology, topology->link.at[l->link].to, to, sizeof to);
		const struct weft_cell cells[COLUMNS] = {{.kind = WEFT_CELL_U64, .u64 = l->link},
		                                         {.kind = WEFT_CELL_TEXT, .text = from},
		                                         {.kind = WEFT_CELL_TEXT, .text = to},
		                                         {.kind = WEFT_CELL_PERCENT, .f64 = 100 * l->use},
		                                         {.kind = WEFT_CELL_BYTES, .u64 = whole(l->bytes)},
		                                         {.kind = WEFT_CELL_U64, .u64 = l->messages},
		                                         {.kind = WEFT_CELL_U64, .u64 = l->most},
		                                         {.kind = WEFT_CELL_NS, .u64 = whole(l->busy_ns)},
		                                         {.kind = WEFT_CELL_NS, .u64 = whole(l->full_ns)}};
		if (weft_table_row(&t, cells)) {
			weft_table_fini(&t);
			return cli_fail_code(-12);
		}
	}
	return cli_table(&t, &a->common);
}

void replay_say_links(const struct weft_topology *topology, const struct weft_replay_result *r, unsigned most)
{
	if (r->n_links)
		printf("\nbusiest of %u links that were used:\n", r->n_links);
	else
		printf("\nno link was used\n");
	for (uint32_t i = 0; i < r->n_links && i < most; i++) {
		const struct weft_replay_link *l = &r->link[i];
		char from[100], to[100], full[32];
		printf("  %s -> %s: %.1f %%, full for %s, up to %u messages at once\n",
		       weft_topology_vertex(topology, topology->link.at[l->link].from, from, sizeof from),
		       weft_topology_vertex(topology, topology->link.at[l->link].to, to, sizeof to), 100 * l->use,
		       weft_human_ns(full, whole(l->full_ns)), l->most);
	}
}
