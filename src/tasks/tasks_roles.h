/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What definitions of a trace mean to a reader of the runtime's life: names are compared once, then each event costs a look into a
 * table of bytes. Regions, points, counters and flows count only in the runtime's own categories; a region of the same name that is a
 * task is known by its arrow.
 */
#ifndef WEFT_TASKS_ROLES_H
#define WEFT_TASKS_ROLES_H

#include "trace/store/trace.h"

/* R(class, ROLE, name) */
#define TASKS_ROLES(R) \
	R(FLOW, TASK, "task") \
	R(FLOW, DEPENDS, "depends") \
	R(FLOW, TRANSFER, "transfer") \
	R(TYPE, READY, "ready") \
	R(TYPE, PUSH, "scheduler push") \
	R(TYPE, POP, "scheduler pop") \
	R(TYPE, STOLEN, "stolen from worker") \
	R(TYPE, WONT_USE, "won't use") \
	R(TYPE, RELEASED, "data released") \
	R(TYPE, UNREGISTERED, "unregistered") \
	R(TYPE, COPY_SUBMITTED, "copy submitted") \
	R(TYPE, USER_EVENT, "user event") \
	R(TYPE, USER_MESSAGE, "user message") \
	R(TYPE, USER_META, "user meta message") \
	R(TYPE, WAIT_FOR_ALL, "wait for all") \
	R(COUNTER, N_SUBMITTED, "submitted tasks") \
	R(COUNTER, N_READY, "ready tasks") \
	R(REGION, SLEEPING, "sleeping") \
	R(REGION, WAITING, "waiting for tasks") \
	R(REGION, FETCHING, "fetching input") \
	R(REGION, CALLBACK, "callback") \
	R(REGION, SCHEDULING, "scheduling") \
	R(REGION, PROGRESSING, "progressing") \
	R(REGION, OVERHEAD, "overhead") \
	R(REGION, PUSHING_OUTPUT, "pushing output") \
	R(REGION, BUILDING, "building") \
	R(REGION, SUBMITTING, "submitting") \
	R(REGION, THROTTLING, "throttling") \
	R(REGION, INITIALISING, "initialising") \
	R(REGION, DEINITIALISING, "deinitialising") \
	R(REGION, REGISTERING, "data registered") \
	R(REGION, NAMING, "data named") \
	R(REGION, PLACING, "data coordinates") \
	R(REGION, ALLOCATING, "allocating") \
	R(REGION, FREEING, "freeing") \
	R(REGION, COPYING, "copying") \
	R(REGION, INTERFACE_COPYING, "copying by interface") \
	R(REGION, WORKER, "worker") \
	R(REGION, MEMORY_NODE, "memory node") \
	R(REGION, ACQUIRING, "acquiring data") \
	R(REGION, COMPONENT, "scheduler component") \
	R(REGION, COMPONENT_PUSH, "component push") \
	R(REGION, COMPONENT_PULL, "component pull") \
	R(REGION, DATA_STATE, "data state") \
	R(ATTR, A_PRIORITY, "priority") \
	R(ATTR, A_TAG, "tag") \
	R(ATTR, A_ITERATION, "iteration") \
	R(ATTR, A_SUB_ITERATION, "sub-iteration") \
	R(ATTR, A_NAME, "name") \
	R(ATTR, A_MODEL, "model") \
	R(ATTR, A_FOOTPRINT, "footprint") \
	R(ATTR, A_SIZE, "size") \
	R(ATTR, A_FLOPS, "flops") \
	R(ATTR, A_NUMBER, "number") \
	R(ATTR, A_ORDER, "submit order") \
	R(ATTR, A_PARAMETERS, "parameters") \
	R(ATTR, A_FILE, "file") \
	R(ATTR, A_LINE, "line") \
	R(ATTR, A_COLOR, "colour") \
	R(ATTR, A_CONTEXT, "context") \
	R(ATTR, A_HANDLE, "handle") \
	R(ATTR, A_MODE, "mode") \
	R(ATTR, A_COORDINATE, "coordinate") \
	R(ATTR, A_NUMA, "NUMA nodes") \
	R(ATTR, A_PARENT, "parent") \
	R(ATTR, A_HOME, "home node") \
	R(ATTR, A_NODE, "node") \
	R(ATTR, A_FROM, "from node") \
	R(ATTR, A_TO, "to node") \
	R(ATTR, A_BYTES, "bytes") \
	R(ATTR, A_DESCRIPTION, "description") \
	R(ATTR, A_WORKER, "worker") \
	R(ATTR, A_KIND, "kind") \
	R(ATTR, A_CAUSE, "cause") \
	R(ATTR, A_STATE, "state") \
	R(ATTR, A_CACHED, "cached") \
	R(ATTR, A_TASK, "task") \
	R(ATTR, A_COMPONENT, "component") \
	R(ATTR, A_COMPONENT_FROM, "from component") \
	R(ATTR, A_COMPONENT_TO, "to component") \
	R(ATTR, A_INTERNAL, "internal") \
	R(ATTR, A_JOB, "job id")

enum tasks_role {
	TASKS_NONE,
#define TASKS_ROLE(class, role, name) TASKS_##role,
	TASKS_ROLES(TASKS_ROLE)
#undef TASKS_ROLE
		TASKS_A_COUNTED, /* an attribute that the runtime calls as the program does: an event of the processor, of a task */
	TASKS_N_ROLES
};

/* By class and id; classes that have none: NULL. */
struct tasks_roles {
	uint8_t *by[WEFT_CLASSES]; /* owned */
};
int tasks_roles_init(struct tasks_roles *r, const struct weft_trace *t) WEFT_MUST_CHECK;
void tasks_roles_fini(struct tasks_roles *r);

static inline enum tasks_role tasks_role(const struct tasks_roles *r, enum weft_class of, uint32_t id)
{
	return (enum tasks_role)r->by[of][id];
}

#endif
