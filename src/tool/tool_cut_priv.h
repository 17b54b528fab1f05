/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cutter from inside. Blocks are cut side by side, as parts; what a thread's lines depend on beside themselves are facts
 * that stay true from some line on ("a state of it was kept"). A part takes those facts for given that the whole knew when its
 * round began, and notes where it relied on one not being there. Then the parts are settled in their order: one that relied on
 * what an earlier part of its round has made true meanwhile is cut once more, now knowing all that was before it.
 *
 *     the whole  ── facts ──> | part | part | part |      side by side
 *        ^                        |      |      |
 *        └──── settle: facts, what is open, spans ┘       one after the other
 */
#ifndef WEFT_TOOL_TOOL_CUT_PRIV_H
#define WEFT_TOOL_TOOL_CUT_PRIV_H

#include "tool_priv.h"
#include <pthread.h>

enum {
	CUT_HAS_STATE = 1, /* one was kept */
	CUT_FINISHED = 2,  /* its last state was removed */
	CUT_COUNTED = 4    /* its first sample of counters was set to 0 */
};
enum { CUT_OPEN = 1, CUT_IS_COUNTER = 2, CUT_CLOSED = 4 };

/* Types that are counters of hardware, if the .pcf has them. */
static inline bool tool_cut_counts(uint64_t type)
{
	return type >= 42000000 && type <= 42999999;
}

struct cut_thread {
	uint32_t row;
	uint32_t cpu;   /* of its last kept event, if it has one */
	uint8_t facts;  /* of the whole: all; of a part: what it adds */
	uint8_t relied; /* of a part: facts that were not there when it mattered */
	bool has_event;
	uint8_t *type; /* by id: how its last kept value leaves it; 0: it has none. Owned */
	size_t n_types;
};

struct cut_type {
	uint64_t number;
	uint32_t whole; /* of a part: its id in the whole, CUT_NO_ID: not asked for yet */
	bool counter;   /* of hardware, in the .pcf */
	bool closes;    /* what is open of it at the end is closed: it has values in the .pcf, or is not there at all */
};
enum { CUT_RECENT = 512 };
#define CUT_NO_ID UINT32_MAX
/* Numbers of types from 0 on, in the order of their coming. */
struct cut_types {
	struct weft_map id;
	WEFT_VEC(struct cut_type) of;
	struct {
		uint64_t number;
		uint32_t id1; /* id + 1 */
	} recent[CUT_RECENT];
};

/*
 * Threads that records name and the header does not: rows behind those of the header. Blocks ask for them side by side. Those
 * beyond the most share the last row.
 */
enum { CUT_STRANGERS = 4096 };
struct cut_who {
	uint64_t app, task, thread;
};
struct cut_strangers {
	pthread_mutex_t lock; /* of all below */
	struct weft_map row;  /* hash of who -> place in who[] */
	WEFT_VEC(struct cut_who) who;
};

struct cut {
	const struct weft_tool_cut *how;
	struct tool_input *in;
	struct tool_output *out; /* NULL in the first pass */
	struct weft_tool_report *report;
	uint64_t from, to;
	bool shifted, break_states, wide;
	uint64_t offset;      /* what is taken off all times */
	uint64_t first, last; /* of what was kept */
	uint64_t closing;     /* the last time of all tasks, also of those that were not chosen */
	uint64_t kept_bytes, lines;
	struct cut_thread *thread; /* owned, by row */
	struct cut_strangers strangers;
	struct cut_types type;
	struct weft_map counter; /* types that are hardware counters in the .pcf */
	struct weft_map listed;  /* types of the .pcf: 1 when they have values there */
	struct cut_part *part;   /* owned, by worker */
	unsigned n_parts;
};

/* A block at work. Its memory is used again for the next one. */
struct cut_part {
	struct cut *whole;                  /* changed by settling, and by cut_stranger */
	struct tool_text *text;             /* NULL in the first pass */
	uint32_t *place;                    /* by row: 1 + its place in thread, 0: untouched. Owned */
	WEFT_VEC(struct cut_thread) thread; /* the first n_touched were touched; all keep their memory. Owned */
	size_t n_touched;
	struct cut_types type;
	uint64_t first, last, closing, kept_bytes, lines;
	uint64_t odd_lines, first_odd;         /* first_odd: line of the block, from 1 */
	uint64_t strange_lines, first_strange; /* kept ones of threads that the header does not have; likewise */
	uint32_t row;                          /* of the record at hand */
	bool no_memory;
};
int cut_part_init(struct cut_part *p, struct cut *whole) WEFT_MUST_CHECK;
void cut_part_fini(struct cut_part *p);
/*
 * Cuts the lines, from nothing: what the part had before is forgotten. Stops behind the line that makes what is kept more than
 * `most` bytes. text: NULL in the first pass.
 */
void cut_part_run(struct cut_part *p, const char *at, size_t n, uint64_t most, struct tool_text *text);

/*
 * Where the first line of [at, end) stands that may be kept; *lines grows by those before it. Text as tool_map gives it: 64 bytes
 * behind `end` may be read. Passes nothing over where c->wide is not set: cut_skips_wide().
 */
const char *cut_skip(const struct cut *c, const char *at, const char *end, uint64_t *lines);
bool cut_skips_wide(void);

/* The row of a thread that the header does not have, from n_threads on; UINT32_MAX: no memory. Thread-safe. */
uint32_t cut_stranger(struct cut *c, const int64_t who[3]);

bool cut_type_id(const struct cut *c, struct cut_types *t, uint64_t number, uint32_t *id); /* false: no memory */
void cut_types_fini(struct cut_types *t);
bool cut_thread_set(struct cut_thread *t, uint32_t id, uint8_t how); /* false: no memory */

#endif
