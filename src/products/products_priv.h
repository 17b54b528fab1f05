/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this folder share.
 *
 *   traces ── weft_tasks ── prod_rec.c, prod_data.c, prod_dag.c, prod_html.c       row after row
 *                │
 *                └── prod_lanes.c: threads and what happens to data, merged by time ── prod_walk.h
 */
#ifndef WEFT_PRODUCTS_PRIV_H
#define WEFT_PRODUCTS_PRIV_H

#include "products.h"
#include "base/arena.h"
#include "tasks/task_table.h"
#include "tasks/tasks_roles.h"
#include "trace/write/export_out.h"

enum prod_file {
	PROD_PAJE,
	PROD_DAG,
	PROD_TASKS,
	PROD_SCHED,
	PROD_DATA,
	PROD_COMMS,
	PROD_PAPI,
	PROD_STATES,
	PROD_ACTIVITY,
	PROD_DISTRIB,
	PROD_HTML,
	PROD_NUMBERS,
	PROD_FILES
};

/* A process of the runtime: one of those that the files call programs. */
struct prod_program {
	struct prod_trace *of;
	uint32_t process;
	int32_t rank;    /* -1: the only one */
	char prefix[16]; /* "3_", or "" */
	uint32_t first_worker, n_workers, n_nodes;
	double gflops; /* of all its workers, now */
};

struct prod_trace {
	const struct weft_trace *trace;
	struct weft_tasks tasks;
	struct tasks_roles roles;
	uint64_t shift;          /* its begin on the axis of all */
	uint32_t first_worker;   /* workers of the traces before */
	struct weft_str *string; /* by id: as it may stand in quotes; owned by the arena */
	struct weft_str *region; /* likewise */
	uint32_t *program;       /* of each process, WEFT_NONE: none; arena */
	uint8_t *codelet;        /* by region: tasks have it; arena */
	int32_t *counter_node;   /* by counter: the node whose memory it counts, -1: none; arena */
	uint32_t *after, *succ;  /* tasks that wait for task i: succ[after[i]] up to after[i + 1]; owned, NULL: not wanted */
};

struct prod_set {
	const struct weft_products_how *how;
	struct weft_arena arena;
	struct prod_trace *trace; /* arena */
	uint32_t n_traces;
	struct prod_program *program; /* arena; by trace and process */
	uint32_t n_programs;
	uint64_t end; /* of the axis */
	struct export_out out[PROD_FILES];
	bool opened[PROD_FILES];
	struct weft_buf name; /* of a file, while it is made */
};

static inline struct export_out *prod_out(struct prod_set *s, enum prod_file f)
{
	return &s->out[f];
}
static inline uint64_t prod_time(const struct prod_trace *t, uint64_t time)
{
	return time + t->shift;
}
static inline const struct prod_program *prod_program_of(const struct prod_set *s, const struct prod_trace *t, uint32_t process)
{
	return t->program[process] == WEFT_NONE ? NULL : &s->program[t->program[process]];
}
/* As it may stand in quotes, whatever the trace says: no quotes, backslashes, controls. */
struct weft_str prod_called(const struct prod_trace *t, const struct weft_tasks_task *task);
static inline struct weft_str prod_string(const struct prod_trace *t, uint32_t id)
{
	return t->string[id];
}

/* ---- pieces of lines ---- */

#define PUT(o, literal) export_bytes((o), (literal), sizeof(literal) - 1)
static inline void put_str(struct export_out *o, struct weft_str s)
{
	export_bytes(o, s.at, s.n);
}
/* ns as ms, with six decimals, which are all there are; and with nine. */
static inline char *prod_ms_at(char *at, uint64_t ns)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
		"49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
		"9899";
	uint64_t whole = ns / 1000000;
	uint32_t rest = (uint32_t)(ns % 1000000);
	at += weft_fmt_u64(at, whole);
	*at++ = '.';
	memcpy(at, pairs + 2 * (size_t)(rest / 10000), 2);
	memcpy(at + 2, pairs + 2 * (size_t)(rest / 100 % 100), 2);
	memcpy(at + 4, pairs + 2 * (size_t)(rest % 100), 2);
	return at + 6;
}
static inline void put_ms(struct export_out *o, uint64_t ns)
{
	char *at = export_room(o, 40);
	o->n += (size_t)(prod_ms_at(at, ns) - at);
}
static inline void put_ms9(struct export_out *o, uint64_t ns)
{
	char *at = export_room(o, 40), *end = prod_ms_at(at, ns);
	memcpy(end, "000", 3);
	o->n += (size_t)(end - at) + 3;
}
void put_fixed6(struct export_out *o, double v);                        /* 27.587574; what is no number: 0 */
void put_hex_digits(struct export_out *o, uint64_t v, unsigned digits); /* with at least so many */
/* RANK_NUMBER, or NUMBER */
static inline void put_job(struct export_out *o, const struct prod_program *p, uint32_t number)
{
	export_text(o, p->prefix);
	export_u64(o, number);
}

/* ---- the parts; errors of writing wait in the outputs ---- */

int prod_tables_write(struct prod_set *s) WEFT_MUST_CHECK; /* prod_rec.c: rows */
void prod_data_write(struct prod_set *s);                  /* prod_data.c */
void prod_dag_write(struct prod_set *s);                   /* prod_dag.c */
void prod_numbers_write(struct prod_set *s);               /* prod_data.c */
void prod_html_write(struct prod_set *s);                  /* prod_html.c */
int prod_walk(struct prod_set *s) WEFT_MUST_CHECK;         /* prod_lanes.c: the rest */

#endif
