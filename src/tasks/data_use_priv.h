/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of weft_use_compute(): memory over time; copies; trips. Each fills its rows of a struct whose nodes and data are there. */
#ifndef WEFT_TASKS_DATA_USE_PRIV_H
#define WEFT_TASKS_DATA_USE_PRIV_H

#include "data_use.h"

enum { USE_NODES_MOST = 4096 }; /* numbers of nodes in a process: what is above is damage */
uint32_t use_node(const struct weft_use *u, uint32_t process, uint32_t number); /* WEFT_TASKS_NO_ONE: there is none */
int use_memory(struct weft_use *u) WEFT_MUST_CHECK;
int use_copies(struct weft_use *u) WEFT_MUST_CHECK; /* data_trips.c */
int use_trips(struct weft_use *u) WEFT_MUST_CHECK;
static inline bool use_is_copy(const struct weft_tasks_copy *c)
{
	return c->end != WEFT_NEVER && c->end >= c->start && c->from < USE_NODES_MOST && c->to < USE_NODES_MOST;
}
static inline void use_add(struct weft_use_copies *to, const struct weft_tasks_copy *c)
{
	to->n++;
	to->bytes += c->bytes;
	to->ns += c->end - c->start;
}
uint32_t use_data_of(const struct weft_use *u, const struct weft_tasks_copy *c); /* the datum, or WEFT_TASKS_NO_ONE */

#endif
