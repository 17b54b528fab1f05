/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime did in a trace of ours: its tasks, what they waited for, the workers, the data and the copies between memory nodes.
 * Rows of structs; tasks in the order in which they were submitted. Read once, in one pass over each thread, and not changed afterwards.
 * A trace that was recorded without the category starpu_detail has tasks with their times only; `has` says what is there.
 *
 *     struct weft_tasks of;
 *     int rc = weft_tasks_load(trace, &of);
 *     for (uint32_t i = 0; !rc && i < of.n; i++)
 *         printf("%s\n", weft_tasks_called(&of, &of.task[i]));
 *     weft_tasks_free(&of);
 *
 * Times are ns since the trace's begin, WEFT_NEVER: not recorded. Strings are ids of the trace's, 0: none.
 */
#ifndef WEFT_TASKS_TASK_TABLE_H
#define WEFT_TASKS_TASK_TABLE_H

#include "base/map.h"
#include "trace/store/trace.h"

#define WEFT_TASKS_NO_ONE UINT32_MAX
#define WEFT_TASKS_NO_ITERATION (-1)

/* 168 bytes: a million of them are most of what a loaded trace takes. */
struct weft_tasks_task {
	uint64_t job;                       /* the runtime's name of it, one of its process: the key of its flow "task" */
	uint64_t submit, ready, start, end; /* start: of its region, which its arrow from the submission leads to */
	uint64_t push, pop;                 /* given to the policy for the first time, taken from it for the last */
	uint64_t bytes, tag;                /* of all its data */
	double flops;                       /* < 0: not said */
	uint32_t number;                    /* of its process, from 1 in the order of submission: what files call it by */
	uint32_t order;                     /* from 0, among what its thread submits */
	int32_t priority, iteration, sub_iteration;
	uint32_t worker, submitter;                /* index in `worker`; of the trace's threads */
	uint32_t region;                           /* the codelet: id in weft_trace.def[WEFT_CLASS_REGION], 0: it never ran */
	uint32_t name, model, file, parameters;    /* strings; name: of the task, where it has one of its own */
	uint32_t line, footprint, color, context;  /* color: 0xrrggbb; context: 0 is the initial one */
	uint32_t accesses, n_accesses;             /* in weft_tasks.access */
	uint32_t before, n_before;                 /* in weft_tasks.edge: the tasks that it depends on, as indices */
	uint32_t process;                          /* index in weft_trace.process */
	uint8_t has_footprint, has_tag, has_color; /* bool */
	uint8_t internal;                          /* the runtime's own */
};

/* What a task may do with a datum; `mode` has the runtime's word for it ("RW-C"). */
enum {
	WEFT_TASKS_R = 1,
	WEFT_TASKS_W = 2,
	WEFT_TASKS_SCRATCH = 4,
	WEFT_TASKS_REDUX = 8,
	WEFT_TASKS_COMMUTE = 16,
};
struct weft_tasks_access {
	uint32_t data; /* index in weft_tasks.data: the handle, as it was then */
	uint32_t mode; /* a string */
	uint32_t does; /* WEFT_TASKS_R… */
	uint32_t numa; /* set of NUMA nodes where its pages were; 0: not said */
};
struct weft_tasks_worker {
	uint32_t process, thread;
	uint32_t node, number; /* memory node; number in its process */
	const char *name;      /* "CPU 0", "OpenCL 0.0": borrowed from the trace, never NULL */
};
struct weft_tasks_node { /* a memory node; none are known where the trace does not name them */
	uint32_t process, number;
	const char *name, *kind; /* "NUMA 0", "CPU_RAM": borrowed from the trace, never NULL */
};
/* A handle from its registration to its end; what tasks use without that it was seen lives as long as the trace. */
struct weft_tasks_data {
	uint64_t handle, parent; /* numbers; parent 0: none */
	uint64_t from, until;
	uint64_t bytes;
	int32_t home; /* node, -1: none */
	uint32_t process;
	uint32_t name, description;          /* strings */
	uint32_t coordinates, n_coordinates; /* in weft_tasks.coordinate */
};
struct weft_tasks_copy {
	uint64_t asked;              /* when somebody asked for it, where another thread brings it */
	uint64_t submit, start, end; /* start: it goes on by itself; = submit where that was not said */
	uint64_t bytes, handle;
	uint32_t process, thread, asker; /* threads; asker: WEFT_TASKS_NO_ONE when nobody else */
	uint32_t from, to;               /* nodes */
	uint32_t cause;                  /* a string: "fetch", "prefetch"… */
	uint32_t task;                   /* for whose sake; WEFT_TASKS_NO_ONE: nobody said */
	bool by_interface;               /* reported by an interface's own methods: no handle is known */
};
struct weft_tasks_count {    /* an event of the processor that was counted over a task */
	uint32_t task, attr; /* attr: its name, in weft_trace.def[WEFT_CLASS_ATTR] */
	int64_t value;
};
struct weft_tasks_memory { /* an allocation on a memory node, or the end of one */
	uint64_t begin, end, handle;
	uint64_t bytes; /* 0: there was no room */
	uint32_t process, node;
	bool frees, cached; /* cached: by the cache of allocations */
};
enum weft_tasks_fate { WEFT_TASKS_WONT_USE, WEFT_TASKS_INVALID, WEFT_TASKS_SHARED, WEFT_TASKS_OWNER };
struct weft_tasks_event { /* a handle's copy on a node becomes something; WONT_USE: of the handle, on no node */
	uint64_t time, handle;
	uint32_t process, thread, node;
	enum weft_tasks_fate fate;
};

struct weft_tasks_hold {              /* a thread of the program has a datum: from the end of its acquisition on */
	uint64_t from, until, handle; /* until: its release, or end; WEFT_NEVER: not said */
	uint32_t process, thread;
};
struct weft_tasks_component { /* of a modular scheduler */
	uint64_t id;          /* one of its process */
	uint32_t process;
	uint32_t parent;  /* index, WEFT_TASKS_NO_ONE: none */
	const char *name; /* borrowed from the trace, never NULL */
};
struct weft_tasks_step { /* a task goes from a component to another */
	uint64_t time;
	uint32_t task;
	uint32_t from, to; /* components; from: WEFT_TASKS_NO_ONE: from outside of all */
	uint32_t order;    /* as recorded: of steps at one instant */
};

enum {
	WEFT_TASKS_HAS_DETAIL = 1, /* attributes of tasks */
	WEFT_TASKS_HAS_EDGES = 2,
	WEFT_TASKS_HAS_DATA = 4,
	WEFT_TASKS_HAS_COPIES = 8,
	WEFT_TASKS_HAS_POLICY = 16, /* times of push and pop */
};

struct weft_tasks_jobs { /* of a process: the uses of number first_slot + i are of_job[first[i]] up to of_job[first[i + 1]] */
	uint32_t first_slot, n_slots;
	uint32_t *first;
};
struct weft_tasks_use {
	uint32_t times, row;
};

struct weft_tasks {
	const struct weft_trace *trace; /* borrowed: stays open */
	struct weft_tasks_task *task;
	uint32_t *edge;
	struct weft_tasks_access *access;
	struct weft_tasks_worker *worker; /* by process, then number */
	struct weft_tasks_node *node;     /* by process and number */
	struct weft_tasks_data *data;     /* by process, handle and time */
	struct weft_tasks_copy *copy;     /* by time of submission */
	struct weft_tasks_memory *memory; /* by begin */
	struct weft_tasks_event *event;   /* by time */
	struct weft_tasks_count *count;
	struct weft_tasks_hold *hold;           /* by thread, then begin */
	struct weft_tasks_component *component; /* by process, those above first */
	struct weft_tasks_step *step;           /* by task, then time */
	int64_t *coordinate;
	uint32_t *of_flow;             /* number of an arrow -> task, WEFT_TASKS_NO_ONE: none */
	struct weft_tasks_jobs *jobs;  /* of each process, for weft_tasks_find */
	struct weft_tasks_use *of_job; /* the hash table, or all uses */
	uint32_t *job_slots;           /* what jobs[].first point into */
	uint32_t *of_thread;           /* thread -> worker, WEFT_TASKS_NO_ONE: none */
	uint32_t n, n_edges, n_accesses, n_workers, n_nodes, n_data, n_copies, n_memory, n_events, n_counts, n_coordinates,
		n_components, n_steps, n_holds;
	uint32_t job_mask;        /* of the hash table; 0: there is none */
	uint64_t n_foreign_edges; /* from what is no task here: acquisitions, tasks before recording began */
	unsigned has;             /* WEFT_TASKS_HAS_… */
};

/* 0, or negative. A trace without the runtime is one that has no tasks: what to say about it is the caller's. */
int weft_tasks_load(const struct weft_trace *t, struct weft_tasks *out) WEFT_MUST_CHECK;
void weft_tasks_free(struct weft_tasks *t); /* zeroes it; what never was loaded may be given as zeros */

/*
 * The row of a process's job; WEFT_TASKS_NO_ONE: it is no task here. O(log of how often its number was used).
 *
 * The runtime's names are a number that is used again (low half) and how often it was (high half): the uses of each number stand
 * together, so that jobs that are near in time are near in memory. Where numbers are too many for that it is a hash table.
 */
static inline uint32_t weft_tasks_find(const struct weft_tasks *t, uint32_t process, uint64_t job)
{
	const struct weft_tasks_jobs *j = &t->jobs[process];
	uint32_t times = (uint32_t)(job >> 32);
	uint64_t slot = (uint64_t)(uint32_t)job - j->first_slot;
	for (uint64_t i = weft_hash_u64(job ^ (uint64_t)process << 48); t->job_mask; i++) {
		uint32_t row = t->of_job[i & t->job_mask].row;
		if (row == WEFT_TASKS_NO_ONE || (t->task[row].job == job && t->task[row].process == process))
			return row;
	}
	if (slot >= j->n_slots)
		return WEFT_TASKS_NO_ONE;
	uint32_t low = j->first[slot], high = j->first[slot + 1];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (t->of_job[mid].times == times)
			return t->of_job[mid].row;
		if (t->of_job[mid].times < times)
			low = mid + 1;
		else
			high = mid;
	}
	return WEFT_TASKS_NO_ONE;
}

/* The life of a handle at some time, as an index in `data`: the last that had begun; WEFT_TASKS_NO_ONE: none is known. O(log n). */
uint32_t weft_tasks_data_at(const struct weft_tasks *t, uint32_t process, uint64_t handle, uint64_t time);

const char *weft_tasks_text(const struct weft_tasks *t, uint32_t string); /* "" for 0 */
/* The codelet's name; and what tools call the task: its name, else its model, else its codelet; "unknown" without all three. */
const char *weft_tasks_codelet(const struct weft_tasks *t, const struct weft_tasks_task *task);
const char *weft_tasks_called(const struct weft_tasks *t, const struct weft_tasks_task *task);

#endif
