/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that a program is replayed on: sites (what Dimemas calls machines) of nodes, the network between nodes and between
 * sites, who runs where, and what is faster or slower. All that Dimemas' .cfg can say has its place here, and what it cannot say.
 *
 *     machine ── sites ── nodes (kinds, each with a count)             latencies in ns, bandwidths in bytes per ns, 0: no time
 *        │  ───── mapping: rank -> node                                 counts of links and buses: 0: as many as are wanted
 *        └──────  connections, modules, collectives
 */
#ifndef WEFT_REPLAY_MACHINE_H
#define WEFT_REPLAY_MACHINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "replay_topology.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct weft_replay_way { /* one kind of connection */
	double latency_ns;
	double bytes_per_ns; /* 0: instantaneous */
	uint32_t buses, links_in, links_out;
};
struct weft_replay_node_kind {
	const char *name;
	uint32_t site, n, first; /* n nodes, the first of which has this number */
	uint32_t cpus;
	double ratio;                 /* speed of its CPUs: 2 is twice as fast */
	struct weft_replay_way intra; /* inside of it; links are each process's */
	double inter_latency_ns;      /* to other nodes, as a sender */
	uint32_t links_in, links_out; /* of the node, to other nodes */
	double wan_latency_ns;
	struct { /* accelerators */
		uint32_t devices, buses;
		double latency_ns, memory_latency_ns, bytes_per_ns, ratio;
	} device;
};
enum weft_replay_model { WEFT_REPLAY_ZERO, WEFT_REPLAY_CONSTANT, WEFT_REPLAY_LINEAR, WEFT_REPLAY_LOGARITHMIC };
enum weft_replay_size {
	WEFT_REPLAY_SIZE_OWN, /* what the phase's record says: sent, and received */
	WEFT_REPLAY_SIZE_MIN,
	WEFT_REPLAY_SIZE_MAX,
	WEFT_REPLAY_SIZE_MEAN,
	WEFT_REPLAY_SIZE_TWO_MAX,
	WEFT_REPLAY_SIZE_BOTH /* sent and received */
};
struct weft_replay_phase {
	uint8_t model, size;
};
struct weft_replay_collective {
	bool set; /* else the record's model for both phases */
	struct weft_replay_phase in, out;
};
enum { WEFT_REPLAY_COLLECTIVES = 32 };
enum weft_replay_policy { /* of processors; all but FIFO are only known by their names: see weft_replay_policy_names */
	                  WEFT_REPLAY_FIFO,
	                  WEFT_REPLAY_ROUND_ROBIN,
	                  WEFT_REPLAY_BOOST,
	                  WEFT_REPLAY_FIXED_PRIORITY,
	                  WEFT_REPLAY_SVR4,
	                  WEFT_REPLAY_SS_MPI_CP,
	                  WEFT_REPLAY_POLICIES,
};
extern const char *const weft_replay_policy_names[WEFT_REPLAY_POLICIES]; /* as Dimemas writes them */

struct weft_replay_site {
	const char *name, *architecture;
	uint32_t first_node, n_nodes;
	double bytes_per_ns;
	uint32_t buses;
	uint8_t model; /* of collective operations */
	struct weft_replay_collective collective[WEFT_REPLAY_COLLECTIVES];
	uint8_t policy;
	double quantum_ns;
};
struct weft_replay_test { /* of bytes: compare(size) */
	char compare;     /* '<', '=', '>'; 0: none */
	uint64_t bytes;
};
struct weft_replay_connection { /* a dedicated one between two sites */
	uint32_t from, to;
	double bytes_per_ns, latency_ns, flight_ns;
	const int32_t *tag;
	uint32_t n_tags;
	const uint32_t *comm;
	uint32_t n_comms;
	struct weft_replay_test first, second;
	bool either; /* one of both tests is enough */
};
struct weft_replay_module { /* a region: events of a type and value, as foreign traces have them */
	int64_t type, value;
	double ratio; /* speed; 0: no time; negative: that many seconds for each burst */
};
enum weft_replay_map { WEFT_REPLAY_FILL, WEFT_REPLAY_PER_NODE, WEFT_REPLAY_INTERLEAVED, WEFT_REPLAY_EXPLICIT };
enum weft_replay_network { WEFT_REPLAY_BUSES, WEFT_REPLAY_LOGGP };

struct weft_replay_machine {
	const char *name;
	WEFT_VEC(struct weft_replay_node_kind) kind;
	WEFT_VEC(struct weft_replay_site) site;
	uint32_t n_nodes;
	struct { /* between sites */
		const char *name;
		double bytes_per_ns, max_traffic;
		uint8_t traffic; /* function: 1 exponential, 2 logarithmic, 3 linear, 4 constant */
		uint8_t model;
		struct weft_replay_collective collective[WEFT_REPLAY_COLLECTIVES];
		double *flight_ns; /* [from * n_sites + to]; NULL: none */
	} wan;
	WEFT_VEC(struct weft_replay_connection) connection;
	WEFT_VEC(struct weft_replay_module) module;
	struct {
		uint8_t rule;
		uint32_t per_node;
		const uint32_t *node; /* by rank */
		uint32_t n;
	} map;
	const double *rank_ratio; /* by rank, beside that of its node; NULL: 1 */
	uint32_t n_rank_ratios;
	uint8_t network;
	struct { /* LogGP: what a message costs whom, beside latency and bandwidth */
		double overhead_ns, gap_ns;
	} loggp;
	/* Between nodes flows share its links, instead of links, buses and gap; borrowed. NULL: none */
	const struct weft_topology *topology;
	uint32_t ranks;      /* the work is divided among so many instead of those that were recorded; 0: as it was */
	bool staged;         /* collective operations are messages of an algorithm, not formulas */
	bool formulas;       /* formulas were asked for: a topology does not change that */
	double memory_share; /* of its node's memory bandwidth that a thread wants while it computes; 0: memory limits nobody */
	struct weft_arena arena; /* names, lists */
};

/* No latency, no limit of bandwidth, links, buses and CPUs: what is left is computation and waiting for others. */
int weft_replay_machine_ideal(struct weft_replay_machine *m) WEFT_MUST_CHECK; /* 0 or -ENOMEM */
/* One site of like nodes, one for each rank, that are as fast as where it was recorded. */
int weft_replay_machine_plain(struct weft_replay_machine *m, double latency_ns, double bytes_per_ns) WEFT_MUST_CHECK;
/* What a machine is where nothing is said: a cluster of today, a rank a node. */
int weft_replay_machine_usual(struct weft_replay_machine *m) WEFT_MUST_CHECK;
void weft_replay_machine_fini(struct weft_replay_machine *m);
/*
 * Its nodes are those of a topology, which it borrows; a machine of as many nodes as there are ranks then has that many. Collective
 * operations are messages there, too, unless formulas were asked for.
 */
void weft_replay_machine_connect(struct weft_replay_machine *m, const struct weft_topology *t);
/* That all is sensible: no negative latency, no node without a site … */
int weft_replay_machine_check(const struct weft_replay_machine *m, struct weft_err *err) WEFT_MUST_CHECK;
/* Node of each rank; `node` has room for n. -ERANGE: they do not fit. */
int weft_replay_map_ranks(const struct weft_replay_machine *m, uint32_t n, uint32_t *node, struct weft_err *err) WEFT_MUST_CHECK;
const struct weft_replay_node_kind *weft_replay_node_kind(const struct weft_replay_machine *m, uint32_t node); /* O(log kinds) */

#endif
