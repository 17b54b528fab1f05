/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction as a table: a row a rank, and what there is of it all. */
#include "replay_options.h"
#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 19, ALWAYS = 18 }; /* the last one only where memory limits */
static const struct weft_column columns[COLUMNS] = {
	{"rank", "rank", WEFT_CELL_U64},
	{"end_ns", "end", WEFT_CELL_NS},
	{"computation_ns", "computes", WEFT_CELL_NS},
	{"measured_computation_ns", "measured", WEFT_CELL_NS},
	{"fixed_ns", "other calls", WEFT_CELL_NS},
	{"latency_ns", "latency", WEFT_CELL_NS},
	{"receiving_ns", "waits to receive", WEFT_CELL_NS},
	{"sending_ns", "waits to send", WEFT_CELL_NS},
	{"waiting_ns", "waits for all", WEFT_CELL_NS},
	{"collective_ns", "collective", WEFT_CELL_NS},
	{"link_wait_ns", "for links", WEFT_CELL_NS},
	{"bus_wait_ns", "for buses", WEFT_CELL_NS},
	{"cpu_wait_ns", "for CPUs", WEFT_CELL_NS},
	{"sent", "sent", WEFT_CELL_U64},
	{"bytes_sent", "bytes", WEFT_CELL_BYTES},
	{"received", "received", WEFT_CELL_U64},
	{"bytes_received", "bytes", WEFT_CELL_BYTES},
	{"collectives", "collectives", WEFT_CELL_U64},
	{"memory_wait_ns", "for memory", WEFT_CELL_NS},
};

static uint64_t ns(double v)
{
	return (uint64_t)floor(v + 0.5);
}

static int add_row(struct weft_table *t, uint32_t rank, const struct weft_replay_rank *measured,
                   const struct weft_replay_rank_result *x)
{
	const uint64_t values[COLUMNS] = {rank,
	                                  ns(x->end_ns),
	                                  ns(x->computation_ns),
	                                  ns(measured->measured_ns),
	                                  ns(x->fixed_ns),
	                                  ns(x->latency_ns),
	                                  ns(x->receiving_ns),
	                                  ns(x->sending_ns),
	                                  ns(x->waiting_ns),
	                                  ns(x->collective_ns),
	                                  ns(x->link_wait_ns),
	                                  ns(x->bus_wait_ns),
	                                  ns(x->cpu_wait_ns),
	                                  x->sent,
	                                  x->bytes_sent,
	                                  x->received,
	                                  x->bytes_received,
	                                  x->collectives,
	                                  ns(x->memory_wait_ns)};
	struct weft_cell cells[COLUMNS];
	for (unsigned i = 0; i < COLUMNS; i++) {
		cells[i].kind = columns[i].kind;
		cells[i].u64 = values[i];
	}
	if (measured->measured_ns <= 0)
		cells[3].kind = WEFT_CELL_NONE;
	return weft_table_row(t, cells);
}

static void print_head(const struct weft_replay_program *p, const struct weft_replay_result *r)
{
	char a[32], b[32];
	if (p->measured_ns > 0)
		printf("predicted %s, measured %s (%+.2f %%)\n\n", weft_human_ns(a, ns(r->time_ns)),
		       weft_human_ns(b, ns(p->measured_ns)), 100 * (r->time_ns / p->measured_ns - 1));
	else
		printf("predicted %s\n\n", weft_human_ns(a, ns(r->time_ns)));
}

int replay_print(const struct replay_args *a, const struct weft_replay_program *p, const struct weft_replay_result *r,
                 bool memory)
{
	struct weft_table t;
	weft_table_init(&t, columns, memory ? COLUMNS : ALWAYS);
	if (cli_form(&a->common) == WEFT_TABLE_TEXT)
		print_head(p, r);
	for (uint32_t i = 0; i < r->n_ranks; i++)
		if (add_row(&t, i, &p->rank[i], &r->rank[i])) {
			weft_table_fini(&t);
			return cli_fail_code(-12);
		}
	return cli_table(&t, &a->common);
}
