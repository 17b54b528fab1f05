/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as the rest of Weft sees it, whatever file it came from: objects, definitions, and for each thread a column store of
 * events sorted by time.
 *
 *   weft_trace ── apps ── processes ── threads ── blocks of events (time, what, value)      read through a weft_cursor
 *        │  ───── nodes ── cpus
 *        │  ───── definitions by class (region, type, counter…), ids from 1, one space for the whole trace
 *        └──────  messages, flows (matched; both ends known or marked missing)
 *
 * Times are nanoseconds since the trace's begin. A trace is immutable once open; reading it from several threads is safe.
 */
#ifndef WEFT_TRACE_TRACE_H
#define WEFT_TRACE_TRACE_H

#include "base/err.h"
#include "base/vec.h"
#include "format/format.h"
#include <stdbool.h>
#include <stdint.h>

#define WEFT_NONE UINT32_MAX
#define WEFT_NEVER UINT64_MAX /* a time that is not known */

struct weft_node {
	const char *name;
	uint32_t first_cpu, n_cpus; /* in weft_trace.cpu */
};
struct weft_cpu {
	uint32_t node;
	uint32_t os; /* the kernel's number */
	uint32_t numa, core, package;
	const char *name; /* NULL or "": none but its numbers */
};
struct weft_app {
	const char *name;
	uint32_t first_process, n_processes;
};
struct weft_process {
	uint32_t app, node;               /* node: WEFT_NONE when unknown */
	uint32_t first_thread, n_threads; /* threads of a process stand together */
	int64_t pid, parent_pid;
	int32_t rank;                      /* -1: none */
	const char *name, *command, *host; /* never NULL */
	uint64_t begin, end;
	int64_t status; /* wait status, -1: unknown */
	bool has_cpu, has_user;
	uint64_t cpu_ns,
		user_ns; /* CPU time that it took, where has_cpu; the part that was not in the kernel, where has_user: never more */
};
struct weft_thread_row {          /* "weft_thread" is the recorder's block */
	uint32_t process, number; /* number: from 1, in its process */
	int64_t tid;
	const char *name; /* never NULL, may be "" */
	uint64_t begin, end;
	uint64_t n_events, dropped;
	bool own; /* one of Weft's own threads, in the program: views and statistics leave it out */
};

struct weft_module { /* an object that was loaded into a process: what turns an address into a function */
	uint32_t process;
	uint64_t first, end, offset; /* addresses; of `first`, in the file */
	const char *path, *build_id; /* never NULL; build_id: in hexadecimal, "" when it has none */
};

struct weft_label {
	int64_t value;
	const char *text;
};
struct weft_def_row {
	const char *name; /* never NULL */
	const char *unit; /* "" when none */
	const char *file; /* "" when unknown */
	uint32_t line;
	uint32_t category;              /* id, 0: none */
	uint32_t state;                 /* regions: weft_state_class */
	int64_t code;                   /* types: number in Paraver's format or 0; states: number; comms: number of ranks */
	uint64_t key;                   /* comms: shared key; counters, flows: flags */
	const struct weft_label *label; /* types: sorted by value */
	uint32_t n_labels;
	const uint64_t *member; /* sets: counter ids; comms: world ranks */
	uint32_t n_members;
	uint64_t n_events; /* how many events name it */
};
struct weft_def_table {
	struct weft_def_row *at; /* at[0] is "none" */
	uint32_t n;              /* with at[0] */
};

/*
 * Columns of matched messages, sorted by send_done (the time of the SEND event), those that nobody sent last, by recv_done; those of
 * foreign formats in the order of the file. A missing end has thread WEFT_NONE and times WEFT_NEVER. Flows likewise.
 */
struct weft_messages {
	uint64_t n;
	const uint32_t *send_thread, *recv_thread, *comm;
	const int32_t *tag;
	const uint64_t *size;
	const uint64_t *send_began, *send_done; /* logical and physical send */
	const uint64_t *recv_began, *recv_done; /* logical (posted) and physical receive */
};
struct weft_flows {
	uint64_t n;
	const uint32_t *from_thread, *to_thread, *flow;
	const uint64_t *key, *from_time, *to_time;
};

/* What is wrong with a trace, and what was done about it. */
struct weft_problem {
	const char *file; /* of the trace */
	uint64_t offset;  /* in bytes */
	uint64_t line;    /* of a text, else 0 */
	uint64_t lost_bytes;
	const char *text; /* "page 17: checksum differs; 4064 bytes skipped" */
};

/* What a foreign format says of the whole trace and our columns have no place for; also needed to write it back. */
struct weft_note {
	const char *key;  /* "prv.unit" */
	const char *text; /* never NULL */
};

struct weft_trace {
	const char *path, *format; /* "weft", "prv" */
	uint64_t end;              /* of the last event; begin is 0 */
	uint64_t begin_realtime;   /* ns since 1970, 0: unknown */
	struct weft_app *app;
	uint32_t n_apps;
	struct weft_process *process;
	uint32_t n_processes;
	struct weft_thread_row *thread;
	uint32_t n_threads;
	struct weft_node *node;
	uint32_t n_nodes;
	struct weft_cpu *cpu;
	uint32_t n_cpus;
	struct weft_def_table def[WEFT_CLASSES];
	struct weft_messages message;
	struct weft_flows flow;
	struct weft_note *note; /* in the order of their making; a key may come several times */
	uint32_t n_notes;
	struct weft_module *module; /* by process and first address; of one address the one that was loaded first comes first */
	uint32_t n_modules;
	struct weft_problem *problem; /* the first 1000; n_problems counts all */
	uint64_t n_problems, n_events, dropped, stream_bytes;
	uint64_t helper_cpu_ns;     /* of the recorders' background threads */
	uint64_t backward_messages; /* received before they were sent, after clock alignment */
	struct weft_store *store;   /* private: where the columns live */
};

struct weft_open_how {
	uint64_t memory;  /* bytes that reading may use; 0: a quarter of the machine's */
	unsigned threads; /* 0: all */
	bool rebuild;     /* ignore an index that is there */
	bool no_index;    /* leave no index behind */
	bool progress;    /* show a bar */
};

/* The memory limit that opening obeys: what `how` says, else a quarter of the machine's. */
uint64_t weft_open_memory(const struct weft_open_how *how);
void weft_trace_close(struct weft_trace *t); /* of "trace/open.h", or made by a builder; may be NULL */

/* Readers of foreign formats, in a table: the first whose `claims` is true for (path, first bytes) loads it. */
struct weft_builder;
struct weft_reader {
	const char *format;
	bool (*claims)(const char *path, const char *first, size_t n);
	int (*load)(struct weft_builder *b, const char *path, const struct weft_open_how *how, struct weft_err *err);
	bool once; /* can load what is read once only (a pipe); for the others that is copied to a file first */
};
extern const struct weft_reader weft_prv_reader;  /* src/trace/paraver/prv_read.c */
extern const struct weft_reader weft_paje_reader; /* src/trace/paje/paje_read.c */

/* "1.2.1" (app.process.thread), into out (40 bytes are enough). */
char *weft_thread_label(const struct weft_trace *t, uint32_t thread, char *out);
const char *weft_value_label(const struct weft_def_row *type, int64_t value); /* NULL when it has none */
/*
 * Useful time, the one definition of it: a thread computes in regions whose state class is running, and in those that say nothing
 * where what is around them says nothing else. Outside of all regions it computes in a trace of which no region says running but those of
 * OpenMP, which say when its own constructs compute; where regions say when the program does, what is outside of them is something else.
 * Bystanders do not compute there.
 */
bool weft_outside_is_useful(const struct weft_trace *t, uint32_t thread);
/*
 * No part of the program's work, as far as anybody knows: a thread that is not its process's first and of which nothing is recorded but begin and
 * end (a helper of a runtime's), or little, and which began while that was in MPI_Init (a helper of MPI's); or of a process without a rank where others have
 * one (a launcher).
 */
bool weft_thread_is_bystander(const struct weft_trace *t, uint32_t thread);
/* A thread of libweft-sample's, which only reads counters of the process. */
bool weft_thread_reads_counters(const struct weft_trace *t, uint32_t thread);
/* A note: how many ends of messages are left alone, since what they belong to may have been overwritten. */
#define WEFT_NOTE_RINGS "messages-in-rings"
/* A note of streams of several nodes: how many clocks there are, and how many of them points that processes passed together align. */
#define WEFT_NOTE_CLOCKS "clocks"
const char *weft_trace_note(const struct weft_trace *t, const char *key); /* the first of that key, or NULL */

#endif
