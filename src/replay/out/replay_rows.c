/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_rows.h"
#include <math.h>

const struct weft_column weft_replay_columns[WEFT_REPLAY_COLUMNS] = {
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

int weft_replay_row(struct weft_table *t, uint32_t rank, const struct weft_replay_rank *measured,
                    const struct weft_replay_rank_result *x)
{
	const uint64_t values[WEFT_REPLAY_COLUMNS] = {rank,
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
	struct weft_cell cells[WEFT_REPLAY_COLUMNS];
	for (unsigned i = 0; i < WEFT_REPLAY_COLUMNS; i++) {
		cells[i].kind = weft_replay_columns[i].kind;
		cells[i].u64 = values[i];
	}
	if (measured->measured_ns <= 0)
		cells[3].kind = WEFT_CELL_NONE;
	return weft_table_row(t, cells);
}
