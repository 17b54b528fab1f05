/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From text to events, a chunk of lines at a time:
 *
 *     lines ─ kernel ─┬─> lane of thread 0   time[] what[] value[]   + ends that are still to come
 *                     ├─> lane of thread 1   …
 *                     ├─> messages, in the order of the file
 *                     └─> numbers without a definition yet, issues, comments
 *
 * A model (what the header and the .pcf say) is shared and only read while chunks are parsed; a chunk belongs to one worker.
 * A lane's events are sorted by time, equal times in the order of the lines: a state's end waits in the lane until a record
 * with a later time passes it. CPU events stand in the order of time as well, so the cpu in force at an event is its record's.
 */
#ifndef WEFT_TRACE_PRV_CHUNK_H
#define WEFT_TRACE_PRV_CHUNK_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include "prv_header.h"
#include <stdbool.h>
#include <stdint.h>

/* -- model -- */

struct prv_id_slot {
	uint32_t number, id; /* id 0: free */
};
struct prv_ids {                  /* from Paraver's numbers to ids of definitions; open addressing, at most a quarter full */
	struct prv_id_slot *slot; /* owned */
	uint32_t mask, n;
};
int prv_ids_put(struct prv_ids *ids, uint32_t number, uint32_t id) WEFT_MUST_CHECK; /* 0 or -ENOMEM; replaces */
static inline uint32_t prv_ids_get(const struct prv_ids *ids, uint32_t number)
{
	if (!ids->n)
		return 0;
	for (uint32_t i = number * 0x9e3779b1u >> 7;; i++) {
		const struct prv_id_slot *s = &ids->slot[i & ids->mask];
		if (s->number == number || !s->id)
			return s->id;
	}
}

struct prv_model {
	const struct prv_header *header; /* borrowed */
	uint64_t unit_ns, most_time;     /* most_time: in units, so that it fits in 63 bits of ns */
	uint32_t *thread_node;           /* by row, from 1; 0: not said. Owned */
	uint32_t *cpu_node;              /* by cpu, from 1. Owned */
	struct prv_ids type, state;
};
int prv_model_init(struct prv_model *m, const struct prv_header *h) WEFT_MUST_CHECK; /* 0 or -ENOMEM; then fini all the same */
void prv_model_fini(struct prv_model *m);

/* The row of a thread (all numbers from 1), or WEFT_NONE. */
static inline uint32_t prv_model_row(const struct prv_model *m, uint64_t app, uint64_t task, uint64_t thread)
{
	const struct prv_header *h = m->header;
	if (app - 1 >= h->n_apps || task - 1 >= h->app[app - 1].n_tasks)
		return WEFT_NONE;
	const struct prv_task *t = &h->task[h->app[app - 1].first_task + (task - 1)];
	return thread - 1 < t->n_threads ? t->first_thread + (uint32_t)(thread - 1) : WEFT_NONE;
}

/* -- lanes -- */

#define PRV_CPU_UNSET UINT32_MAX
/* An id of a chunk's own list of numbers that have no definition yet; behind the ids that definitions can have. */
#define PRV_NEW_ID 0x800000u

struct prv_end { /* an event that comes later than the line that says it: the end of a state, of a message */
	uint64_t time;
	uint32_t what, cpu;
	uint32_t message; /* SEND, RECV: its place in the chunk's list */
};
struct prv_lane {
	uint64_t *time, *value; /* owned, as one piece of memory; what[] behind them */
	uint32_t *what;
	uint32_t n, cap;
	uint64_t last, next_end;  /* time of the last event; of the first of end[], UINT64_MAX: none */
	uint32_t cpu;             /* in force behind the last event, Paraver's number */
	uint32_t n_cpus, n_sends; /* events of CPU; of SEND and RECV */
	bool unsorted, touched;
	uint32_t first_end, n_ends, cap_ends;
	struct prv_end *end; /* end[first_end] on are waiting, by time. Owned */
	uint32_t *send_at;   /* places of the n_sends events of messages; owned */
	uint32_t cap_sends;
};

struct prv_number { /* a type or state that the model does not know */
	unsigned kind;
	uint32_t number;
};
struct prv_issue {
	unsigned what;         /* prv_issue_text() */
	uint64_t line, offset; /* line: in the chunk, from 1; offset: in the file */
	uint64_t bytes;
	uint64_t found[3];
};
struct prv_comment {
	uint64_t line;
	size_t at, n; /* in comment_text */
};
enum { PRV_MOST_ISSUES = 1000, PRV_MOST_COMMENTS = 100 };

struct prv_prefix {      /* "cpu:app:task:thread" as it stands in lines, and what it means: for kernels that compare bytes */
	uint64_t key[2]; /* 0: free */
	uint32_t row, cpu;
};

struct prv_chunk {
	const struct prv_model *model;
	const char *at; /* whole lines; TEXT_PAD bytes on both sides may be read, those behind it are newlines */
	size_t n;
	uint64_t offset;
	struct prv_lane *lane;      /* by row. Owned */
	WEFT_VEC(uint32_t) touched; /* rows that have something in this chunk */
	WEFT_VEC(struct weft_message_row) message;
	WEFT_VEC(struct prv_number) unknown; /* PRV_NEW_ID + its place is the id */
	struct weft_map unknown_place;
	WEFT_VEC(struct prv_issue) issue; /* the first PRV_MOST_ISSUES */
	WEFT_VEC(struct prv_comment) comment;
	WEFT_VEC(char) comment_text;
	uint64_t n_issues, n_lines, n_records, last_time; /* last_time: the greatest of all */
	uint64_t n_behind;         /* messages that stand behind events of their sender that are later than the logical send */
	struct prv_prefix *prefix; /* owned, 1 << prefix_bits of them; NULL until a kernel wants it */
	unsigned prefix_bits;
	bool failed; /* memory was out */
};
int prv_chunk_init(struct prv_chunk *c, const struct prv_model *m) WEFT_MUST_CHECK; /* then fini all the same */
void prv_chunk_fini(struct prv_chunk *c);
void prv_chunk_reset(struct prv_chunk *c); /* forgets what it holds, keeps its memory */
/*
 * Parses the chunk's text with the best kernel of this machine (or the given one) and sorts the lanes. 0 or -ENOMEM; what is
 * wrong in the text is an issue and no failure.
 */
int prv_chunk_parse(struct prv_chunk *c, const char *text, size_t n, uint64_t offset) WEFT_MUST_CHECK;

struct prv_kernel {
	const char *name;
	bool (*here)(void); /* can this machine run it? */
	void (*parse)(struct prv_chunk *c);
};
extern const struct prv_kernel prv_kernels[]; /* best first, ended by name NULL */
const struct prv_kernel *prv_kernel_best(void);
int prv_chunk_parse_with(const struct prv_kernel *k, struct prv_chunk *c, const char *text, size_t n,
                         uint64_t offset) WEFT_MUST_CHECK;
void prv_parse_swar(struct prv_chunk *c);
void prv_parse_avx512(struct prv_chunk *c);
bool prv_avx512_here(void);

/* One line, by the portable kernel; returns where the next one begins. */
const char *prv_swar_line(struct prv_chunk *c, const char *line, const char *end);
/* "cpu:app:task:thread:" at p: false unless all is in order. */
bool prv_swar_objects(const struct prv_model *m, const char *p, uint32_t *row, uint32_t *cpu);
/* One line, by the rules for lines that are not as they should be. Kernels give it all that they do not understand. */
void prv_line_slow(struct prv_chunk *c, const char *line, const char *end);

/* What an issue says, into out (PRV_ISSUE_TEXT bytes are enough). */
enum { PRV_ISSUE_TEXT = 160 };
char *prv_issue_text(const struct prv_issue *i, char *out);

/* -- lanes, from inside -- */

int prv_lane_reserve(struct prv_lane *l, uint32_t more) WEFT_MUST_CHECK;        /* cold: room for so many more events */
int prv_lane_pass(struct prv_lane *l, uint64_t time) WEFT_MUST_CHECK;           /* cold: the ends up to `time` become events */
int prv_lane_wait(struct prv_lane *l, const struct prv_end *e) WEFT_MUST_CHECK; /* cold: adds an end */
int prv_lane_send_room(struct prv_lane *l) WEFT_MUST_CHECK; /* for one more end of a message, besides those that wait */
int prv_lane_sort(struct prv_lane *l) WEFT_MUST_CHECK;      /* stable; cpus stay with their records */

/* The value of a CPU event for Paraver's cpu number. */
static inline uint64_t prv_cpu_value(uint32_t cpu)
{
	return cpu ? cpu - 1 : WEFT_NONE;
}

#endif
