/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder tell each other. */
#ifndef WEFT_RUNTIME_SIMULATE_SIM_H
#define WEFT_RUNTIME_SIMULATE_SIM_H

#include "models/bus.h"
#include "runtime/core/simulator.h"
#include "runtime/meter/virtual_time.h"
#include "runtime/memory/node.h"
#include "runtime/task/driver.h"
#include <stdint.h>

/* ---- sim_strand.c: stacks that take turns on one thread ---- */

enum sim_state { SIM_READY, SIM_WAITS, SIM_LASTS, SIM_RUNS, SIM_ENDED };
struct rt_strand {
	void *sp; /* while it does not run */
	char *low;
	size_t bytes;
	void *sanitizer;
	void *(*main)(void *);
	void *arg;
	enum sim_state state;
	const void *key;        /* that it waits for */
	struct rt_strand *next; /* in the list of its state */
	unsigned char own[RT_SIM_OWN_BYTES];
};
/* NULL: no memory. */
struct rt_strand *sim_strand_new(void *(*main)(void *), void *arg);
void sim_strand_free(struct rt_strand *s);
void sim_strand_run(struct rt_strand *s); /* until it stops, on the calling thread */
void sim_strand_stop(void);               /* by the strand that runs */
/* The strand that the calling thread is running, or NULL. */
struct rt_strand *sim_strand_self(void);

/* ---- sim_loop.c: who is next, and when ---- */
extern const struct rt_simulator sim_simulator;
void sim_loop_end(void);

/* ---- sim_machine.c ---- */
struct sim_machine {
	char host[256];
	struct weft_bus_config config;
	struct weft_bus bus; /* of the file: NUMA nodes, then devices */
	char synthetic[64];
};
extern struct sim_machine sim_machine;
/* One line, and the program ends with status 2. */
_Noreturn void sim_refuse(const char *fmt, ...) WEFT_PRINTF(1, 2);

/* ---- sim_worker.c, sim_codelet.c ---- */
extern const struct rt_driver sim_driver_cpu, sim_driver_cuda, sim_driver_opencl;
/* A worker of this kind can run implementation `impl`: it has a function, or its model has measurements. */
bool sim_codelet_has(const struct starpu_codelet *cl, enum starpu_worker_archtype type, unsigned impl);
/* What has been run. */
struct sim_done {
	uint64_t tasks, last_ns;
};
extern struct sim_done sim_done;
uint32_t sim_codelet_also_where(const struct starpu_codelet *cl);
void sim_codelet_forget(void); /* what is known of codelets */

/* ---- sim_link.c ---- */
extern const struct rt_node_ops sim_node_ops, sim_node_ops_apart; /* of devices; of such that reach each other by main memory */
bool sim_link_is_known(unsigned from, unsigned to);
void sim_link_begin(const struct rt_machine *m);
void sim_copy(unsigned from, unsigned to, size_t bytes);
/* Since the begin: how many, of how many bytes. */
struct sim_moved {
	uint64_t copies, bytes;
};
extern struct sim_moved sim_moved;

/* ---- sim_trace.c: what happened, as a Paje trace ---- */
void sim_trace_begin(void);
bool sim_traces(void); /* what happens is kept */
void sim_trace_task(unsigned worker, const char *name, uint64_t from_ns, uint64_t until_ns);
void sim_trace_copy(unsigned from, unsigned to, size_t bytes, uint64_t from_ns, uint64_t until_ns);
void sim_trace_end(const struct rt_machine *m);

#endif
