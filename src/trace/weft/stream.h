/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading stream files, in these steps (each a file):
 *
 *   stream_file.c     bytes of a stream: from a file, from memory, out of a packed file
 *   stream_scan.c     which page belongs to whom: runs of pages for each thread, in order; what is damaged
 *   stream_meta.c     what the meta pages say: definitions, threads, processes, clocks, machine
 *   stream_objects.c  processes and threads of all streams together, as rows of the builder
 *   stream_events.c   the events: stretches of pages become blocks, by many workers
 *   stream_read.c     all of it for a folder or a file
 *   stream_whole.c    whether all is there that was written
 *
 * Pages are read with pread in pieces of 256 KiB, never mapped: a file that is cut while it is read is an error here and no
 * SIGBUS, and what is resident does not grow with the file.
 */
#ifndef WEFT_TRACE_STREAM_PRIV_H
#define WEFT_TRACE_STREAM_PRIV_H

#include "base/progress.h"
#include "trace/store/builder.h"
#include "clock_priv.h"

#define STREAM_PIECE_PAGES 64u

struct page_fault { /* why a page cannot be used */
	const char *rule, *text;
};

struct stream_bytes {
	int fd;            /* owned; -1: in memory */
	const uint8_t *at; /* in memory: all bytes */
	void *owned;       /* memory to free, or NULL */
	uint64_t n;
	uint64_t stored; /* bytes of the file on disk, which is less when it is packed */
};
int stream_bytes_open(struct stream_bytes *b, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void stream_bytes_close(struct stream_bytes *b);
/* n bytes from `offset`: a pointer into memory, or `room` after reading them there; NULL when they cannot be read. */
const void *stream_bytes_at(const struct stream_bytes *b, uint64_t offset, size_t n, void *room);

struct page_run { /* pages [page, page + n) have the seqs from `seq` on */
	uint32_t thread, seq, page, n;
};
struct stream_thread {
	uint32_t number; /* in the stream */
	uint32_t first_run, n_runs;
	uint32_t process; /* number in the stream */
	uint32_t row;     /* in the builder, WEFT_NONE: none */
	int64_t tid;      /* -1: unknown */
	uint64_t begin;   /* ticks; 0: unknown */
	const char *name; /* NULL: none */
	bool own;         /* one of Weft's own: enum weft_thread_kind */
};
struct stream_process {
	uint32_t number, app, row;
	int64_t pid, parent_pid;
	int32_t rank;
	uint64_t begin; /* ticks */
	const char *name;
	struct weft_buf text[WEFT_TEXT_FOREIGN]; /* by enum weft_text, as far as they are kept */
	uint64_t begin_ns, end_ns;               /* on the axis; WEFT_NEVER: unknown */
	int64_t status;
	bool has_cpu, has_user;
	uint64_t cpu_ns, user_ns;
};
struct stream_listed { /* another stream of the run, as `weft record` knew it at its end */
	const char *name;
	uint64_t pages, sum; /* 0: it was still open */
};
struct stream {
	const char *name; /* of the file, in the folder; owned by the reader's arena */
	struct stream_bytes bytes;
	struct weft_stream_head head;
	bool head_good;
	uint64_t mtime_ns;
	struct weft_builder *b;
	struct weft_arena arena;
	WEFT_VEC(struct page_run) run; /* of events, by (thread, seq) */
	WEFT_VEC(struct page_run) meta;
	WEFT_VEC(struct stream_thread) thread; /* by number */
	WEFT_VEC(struct stream_process) process;
	WEFT_VEC(struct weft_cpu) cpu;       /* as CPU_AT says */
	WEFT_VEC(struct weft_module) module; /* of its own process, whose row comes later */
	WEFT_VEC(struct stream_listed) listed;
	struct clock_stream clock;
	struct {
		WEFT_VEC(uint32_t) id; /* number in the stream -> id of the builder; 0: not defined */
	} map[WEFT_CLASSES];
	struct weft_map undefined; /* class << 20 | number -> id made up for it; under lock */
	pthread_mutex_t lock;      /* undefined, problems, and what events tell of threads and processes */
	uint32_t node;             /* in the builder; WEFT_NONE */
	const uint32_t *cpu_of;    /* os number -> cpu of the builder */
	uint32_t n_cpu_of;
	uint64_t n_pages, n_bad_pages, n_missing_pages, n_unused_pages;
	uint64_t n_unknown, n_odd;             /* odd: records with fewer words than their kind has */
	uint64_t n_held, n_back, most_back_ns; /* the clock went back: seen by the recorder; within a page */
	uint64_t n_changed;                    /* pages that had become others when they were read: the process still records */
	uint32_t own_process;                  /* index in process; WEFT_NONE: only others are described */
};

/* Adds a problem of this stream to the builder (under its lock). rule: of the check, a literal. printf-like. */
int stream_problem(struct stream *s, const char *rule, uint64_t offset, uint64_t lost, const char *fmt, ...) WEFT_PRINTF(5, 6);

int stream_open(struct stream *s, struct weft_builder *b, const char *path, const char *name,
                struct weft_err *err) WEFT_MUST_CHECK;
/* The same of bytes in memory, which must stay. */
int stream_open_bytes(struct stream *s, struct weft_builder *b, const void *at, size_t n, const char *name,
                      struct weft_err *err) WEFT_MUST_CHECK;
void stream_close(struct stream *s);

/*
 * skim: pages between two of one run count as its own, unseen. Whoever reads them finds out; then all must be done again without.
 */
int stream_scan(struct stream *s, bool skim) WEFT_MUST_CHECK;
bool stream_page_continues(const struct weft_page *p, uint32_t thread, uint32_t seq); /* a sealed page of events, by its head */
const struct page_fault *stream_page_fault(const struct weft_page *p); /* of a page that weft_page_begin calls bad */
int stream_read_meta(struct stream *s) WEFT_MUST_CHECK; /* facts: threads, processes, clocks, cpus; nothing goes to the builder */
int stream_define(struct stream *s) WEFT_MUST_CHECK;    /* definitions, to the builder */
int streams_make_objects(struct stream *const *streams, uint32_t n, struct weft_builder *b) WEFT_MUST_CHECK;
int streams_read_events(struct stream *const *streams, uint32_t n, struct weft_builder *b,
                        struct weft_progress *progress) WEFT_MUST_CHECK;

struct stream_thread *stream_thread_of(struct stream *s, uint32_t number); /* NULL: not known */
/* What a THREAD record says, wherever it stands. */
int stream_note_thread(struct stream *s, const struct weft_record *r) WEFT_MUST_CHECK;
/* The id of the builder for number `id` of a class; makes one up when it was never defined (then `what` says so). */
int64_t stream_id(struct stream *s, enum weft_class c, uint32_t id);

struct stream_set {
	WEFT_VEC(struct stream *) at;
	struct weft_builder *b;
	bool folder;                            /* all of a folder's */
	const struct stream_together *together; /* NULL: one folder, or one stream */
};
/* Several folders and streams that are one run. */
struct stream_instant { /* that all passed together, number 0 or 1, as the process of that rank saw it by the time of day */
	int32_t rank;
	uint32_t number;
	int64_t at; /* ns since 1970 */
};
struct stream_together {
	const char *const *path;
	uint32_t n, n_instants;
	const struct stream_instant *instant; /* NULL: none are known */
};
int stream_load_together(struct weft_builder *b, const struct stream_together *t, const struct weft_open_how *how,
                         struct weft_err *err) WEFT_MUST_CHECK;
/* Opens all streams of a folder, or the one that path names. Closed also after a failure. */
int stream_set_open(struct stream_set *set, struct weft_builder *b, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void stream_set_close(struct stream_set *set);

/* Each: what is missing is a problem. The length is looked at when a stream is opened; the sum wants all pages, and a scan before. */
int stream_check_length(struct stream *s) WEFT_MUST_CHECK;
int stream_check_sum(struct stream *s) WEFT_MUST_CHECK;
/* Of a ring that has overwritten something: from when on its ends of messages are known, to the builder; once there are rows. */
int stream_tell_ring(struct stream *s) WEFT_MUST_CHECK;
int stream_set_check_list(struct stream_set *set) WEFT_MUST_CHECK; /* once the meta pages of all are read */

/* Reads all streams of a folder (or the one stream that path names) into the builder. */
int stream_load(struct weft_builder *b, const char *path, const struct weft_open_how *how, struct weft_err *err) WEFT_MUST_CHECK;
/* The same of one stream in memory: for fuzzing and tests. */
int stream_load_bytes(struct weft_builder *b, const void *at, size_t n, struct weft_err *err) WEFT_MUST_CHECK;

#endif
