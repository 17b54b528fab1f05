/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an open trace lives: two files, made by a builder and mapped from then on (or two unnamed ones, when no index is left).
 *
 *   columns   header | blocks of all threads, in the order of their making | slack
 *   tables    header with the table of sections | sections: objects, definitions, the block table, messages, flows, strings
 *
 * There is one way to open a trace: weft_trace from these files; a trace that was just built is opened in the same way.
 * Rows that hold texts name them by offset in the section of strings, whose offset 0 is the empty text.
 */
#ifndef WEFT_TRACE_STORE_PRIV_H
#define WEFT_TRACE_STORE_PRIV_H

#include "base/arena.h"
#include "base/atomic.h"
#include "base/replace.h"
#include "columns_priv.h"

#define STORE_VERSION 7u
#define STORE_COLUMNS_MAGIC "WEFTCOL\n"
#define STORE_TABLES_MAGIC "WEFTTAB\n"

struct store_columns_head { /* 64 bytes */
	char magic[8];
	uint64_t version;
	uint64_t pair[2]; /* random; the same in both files */
	uint64_t zero[4];
};

enum store_section {
	STORE_STRINGS,
	STORE_SUMMARY,
	STORE_APPS,
	STORE_PROCESSES,
	STORE_THREADS,
	STORE_NODES,
	STORE_CPUS,
	STORE_DEFS,
	STORE_LABELS,
	STORE_MEMBERS,
	STORE_NOTES,
	STORE_PROBLEMS,
	STORE_STAMPS,
	STORE_MODULES,
	STORE_BLOCKS,
	STORE_HALVES, /* place of a half -> message */
	STORE_FLOW_ENDS,
	STORE_MSG_SEND_THREAD,
	STORE_MSG_RECV_THREAD,
	STORE_MSG_COMM,
	STORE_MSG_TAG,
	STORE_MSG_SIZE,
	STORE_MSG_SEND_BEGAN,
	STORE_MSG_SEND_DONE,
	STORE_MSG_RECV_BEGAN,
	STORE_MSG_RECV_DONE,
	STORE_FLOW_FROM_THREAD,
	STORE_FLOW_TO_THREAD,
	STORE_FLOW_FLOW,
	STORE_FLOW_KEY,
	STORE_FLOW_FROM_TIME,
	STORE_FLOW_TO_TIME,
	STORE_SECTIONS
};
extern const uint16_t store_row_bytes[STORE_SECTIONS];

struct store_extent {
	uint64_t offset, rows; /* offset: a multiple of 8 */
	uint32_t crc, row_bytes;
};
struct store_tables_head {
	char magic[8];
	uint64_t version;
	uint64_t pair[2];
	uint64_t kinds;         /* fingerprint of the table of kinds that the builder knew */
	uint64_t columns_bytes; /* of the columns file, without slack */
	uint8_t boot_id[16];    /* of the machine's run in which it was written */
	uint64_t verified;      /* 1: was read back in a later one */
	struct store_extent section[STORE_SECTIONS];
	uint32_t zero;
	uint32_t crc; /* of the bytes before it, `verified` taken as 0 */
};

struct store_summary {
	uint32_t format; /* strings */
	uint32_t zero;
	uint64_t end, begin_realtime, n_problems, n_events, dropped, stream_bytes, helper_cpu_ns, backward_messages;
	uint64_t n_defs[WEFT_CLASSES]; /* with row 0 */
};
struct store_app {
	uint32_t name, first_process, n_processes, zero;
};
struct store_process {
	uint32_t app, node, first_thread, n_threads;
	int64_t pid, parent_pid, status;
	uint64_t begin, end;
	int32_t rank;
	uint32_t name, command, host;
	uint64_t cpu_ns, user_ns;
	uint32_t has_cpu, has_user;
};
struct store_thread {
	uint32_t process, number, name, own;
	int64_t tid;
	uint64_t begin, end, n_events, dropped;
	uint64_t first_block, n_blocks;
};
struct store_node {
	uint32_t name, first_cpu, n_cpus, zero;
};
struct store_cpu {
	uint32_t node, os, numa, core, package, name;
};
struct store_def { /* all classes, one behind the other */
	uint32_t name, unit, file, line, category, state;
	int64_t code;
	uint64_t key, n_events;
	uint64_t first_label, first_member;
	uint32_t n_labels, n_members;
};
struct store_label {
	int64_t value;
	uint32_t text, zero;
};
struct store_note {
	uint32_t key, text;
};
struct store_problem {
	uint32_t file, text;
	uint64_t offset, line, lost_bytes;
};
struct store_module {
	uint32_t process, path, build_id, zero;
	uint64_t first, end, offset;
};
struct store_stamp {        /* a file that the index was made from */
	uint32_t name, sum; /* sum: of samples of its bytes */
	uint64_t bytes;
	int64_t mtime_ns, ctime_ns;
	uint64_t inode;
};

struct weft_store {
	struct weft_arena arena; /* rows of weft_trace that hold pointers */
	int tables_fd, columns_fd;
	const uint8_t *tables; /* mapped */
	uint64_t tables_bytes;
	struct col_source columns; /* mapped */
	uint64_t columns_mapped;
	const struct store_tables_head *head;
	const struct store_thread *thread;
	const struct col_block *block;
	const uint32_t *half, *flow_end;
	uint64_t n_blocks, n_halves, n_flow_ends;
	const struct store_stamp *stamp;
	uint32_t n_stamps;
	const char *strings;
	uint64_t strings_bytes;
	struct weft_atomic_u64 *seen;   /* bit per block: its checksum was verified; owned by arena */
	uint64_t memory;                /* how much of the columns may stay resident */
	struct weft_atomic_u64 touched; /* bytes of both files that were read since they were last let go */
};

/*
 * Opens the pair of files; takes the descriptors, also on failure. WEFT_E_DAMAGED (with text) when anything does not hold:
 * nothing of such a pair is used.
 */
int store_open(struct weft_trace **out, int tables_fd, int columns_fd, const char *path, uint64_t memory,
               struct weft_err *err) WEFT_MUST_CHECK;
/* Notes that so many mapped bytes were read; when it is a quarter of the memory limit, what is resident is let go. */
void store_touch(struct weft_store *s, uint64_t bytes);
uint64_t store_kinds_fingerprint(void);
void store_boot_id(uint8_t out[16]); /* of this run of the machine */
#define STORE_TABLES_NAME "tables"
#define STORE_COLUMNS_NAME "columns"

/* Loads a block: checks its CRC on first use, decodes, maps numbers of messages and flows. */
int store_load_block(const struct weft_trace *t, uint64_t block, struct col_scratch *s) WEFT_MUST_CHECK;

/* A new file of the index, written beside the one that it replaces; not in a folder that is a link. */
int index_file_begin(struct weft_replace *r, const char *index_dir, const char *name) WEFT_MUST_CHECK;

#endif
