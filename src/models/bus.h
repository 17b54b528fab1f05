/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known about the ways between memories: StarPU's files HOST.bandwidth and HOST.latency (a square matrix, NaN where
 * nothing was measured; MB/s, which is bytes per microsecond, and microseconds), HOST.affinity (for each device the NUMA nodes
 * from near to far) and HOST.config (what the machine had when they were measured).
 */
#ifndef WEFT_MODELS_BUS_H
#define WEFT_MODELS_BUS_H

#include "base/err.h"
#include <stdint.h>
#include <stdio.h>

enum { WEFT_BUS_NODES = 64, WEFT_BUS_DEFAULT_NODES = 16 };

struct weft_bus {
	uint32_t n;                                      /* nodes in the matrices */
	double mb_per_s[WEFT_BUS_NODES][WEFT_BUS_NODES]; /* [from][to] */
	double latency_us[WEFT_BUS_NODES][WEFT_BUS_NODES];
};
/* How many of each the machine has: the lines of HOST.config in their order. */
enum weft_bus_count { WEFT_BUS_CPU, WEFT_BUS_NUMA, WEFT_BUS_CUDA, WEFT_BUS_OPENCL, WEFT_BUS_COUNTS };
struct weft_bus_config {
	uint32_t count[WEFT_BUS_COUNTS];
};
/* Rows: devices, by kind and number; the NUMA nodes from near to far. */
struct weft_bus_affinity {
	uint32_t n_devices, n_numa;
	uint32_t near[WEFT_BUS_NODES][WEFT_BUS_NODES];
};

/* A matrix's text. 0 or WEFT_E_SYNTAX. */
int weft_bus_matrix_parse(double (*m)[WEFT_BUS_NODES], uint32_t *n, const char *at, const char *name,
                          struct weft_err *err) WEFT_MUST_CHECK;
void weft_bus_matrix_print(const double (*m)[WEFT_BUS_NODES], uint32_t n, FILE *to);
int weft_bus_config_parse(struct weft_bus_config *c, const char *at, const char *name, struct weft_err *err) WEFT_MUST_CHECK;
void weft_bus_config_print(const struct weft_bus_config *c, FILE *to);
int weft_bus_affinity_parse(struct weft_bus_affinity *a, const char *at, const char *name, struct weft_err *err) WEFT_MUST_CHECK;
void weft_bus_affinity_print(const struct weft_bus_affinity *a, FILE *to);

/* The machine as SimGrid's platform file (version 3 or 4). */
void weft_bus_platform_print(const struct weft_bus *b, const struct weft_bus_config *c, unsigned version, FILE *to);

/* Files PREFIX.bandwidth, .latency, .affinity, .config. -ENOENT when one is not there. */
int weft_bus_read(struct weft_bus *b, struct weft_bus_config *c, const char *prefix, struct weft_err *err) WEFT_MUST_CHECK;
/* All of them, and PREFIX.platform.xml and .platform.v4.xml. */
struct weft_bus_files {
	const struct weft_bus *bus;
	const struct weft_bus_config *config;
	const struct weft_bus_affinity *affinity;
};
int weft_bus_write(const struct weft_bus_files *f, const char *prefix, struct weft_err *err) WEFT_MUST_CHECK;

/* Microseconds for `bytes` from one node to another; 0 when nothing is known, or on the same node. */
double weft_bus_predict_us(const struct weft_bus *b, uint32_t from, uint32_t to, uint64_t bytes);

#endif
