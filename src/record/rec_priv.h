/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft share. docs/design/recorder.md has the whole; in short:
 *
 *     definitions --- switches (live words, wiped in forked children)
 *         |
 *     stream = file of pages, mapped --- ready / rests / retired / old: queues of page ranges
 *         |                                    |
 *     threads: slot + weft_thread block     helper thread: reserves, seals, samples clocks
 *
 * Nothing here calls malloc: the program's allocator may be instrumented, interrupted, or locked by a thread that a fork left
 * behind. Memory comes from mmap and is never given back while the process lives, but where it says so.
 *
 * Locks: one (rec_lock), a leaf: definitions, meta pages, start and stop. The event path takes none; the first event of a
 * process may, and drops the event when its own thread holds it.
 */
#ifndef WEFT_RECORD_REC_PRIV_H
#define WEFT_RECORD_REC_PRIV_H

#include "base/atomic.h"
#include "base/queue.h"
#include "base/str.h"
#include "format/format.h"
#include <weft/record.h>
#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#define REC_HIDDEN __attribute__((visibility("hidden")))
/* Written beside instrumented readers that cannot be atomic (the inline fast path), or read beside such writers. */
#define REC_RACY __attribute__((no_sanitize("thread"), noinline))

/*
 * Between these two, ThreadSanitizer takes no notice of what this thread does, in a program that is built with it: it sees our calls of
 * memset, pwrite and the like, but not what keeps them apart, and from the order of our system calls it would take one for the program's
 * threads. They nest. Its functions are there or not; when libweft itself is built with it, it is to look.
 */
#if !defined __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreSyncBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreSyncEnd(const char *file, int line) __attribute__((weak));
#endif
static inline void rec_unseen_begin(void)
{
#if !defined __SANITIZE_THREAD__
	if (WEFT_LIKELY(!AnnotateIgnoreReadsBegin))
		return;
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	if (AnnotateIgnoreSyncBegin)
		AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
#endif
}
static inline void rec_unseen_end(void)
{
#if !defined __SANITIZE_THREAD__
	if (WEFT_LIKELY(!AnnotateIgnoreReadsBegin))
		return;
	if (AnnotateIgnoreSyncBegin)
		AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

/*
 * For "I say what I do, then look whether you do; you the same the other way round": with all four sequentially consistent, one of
 * the two sees the other.
 */
static inline void rec_say(struct weft_atomic_u32 *at, uint32_t value)
{
	__atomic_store_n(&at->v, value, __ATOMIC_SEQ_CST);
}
static inline uint32_t rec_look(const struct weft_atomic_u32 *at)
{
	return __atomic_load_n(&at->v, __ATOMIC_SEQ_CST);
}

/* ---- rec_clock.c: time ---- */

struct rec_clock {
	enum weft_clock_kind kind;
	uint64_t (*ticks)(void), (*monotonic_ns)(void), (*realtime_ns)(void);
};
/* One instant on three clocks. */
struct rec_sample {
	uint64_t ticks, monotonic_ns, realtime_ns;
};
/* Chooses the clock of this machine; why: a text for status and `weft doctor`, never NULL. */
void rec_clock_choose(struct rec_clock *out, const char **why);
struct rec_sample rec_clock_sample(void);
/* Slope between two samples; 0 when they are too near to say. */
double rec_clock_rate(const struct rec_sample *from, const struct rec_sample *to);

/* ---- rec_wiped.c: memory that children find zeroed, the lock ---- */

#define REC_LIVE_MAX (1u << 22) /* definitions in all, of all classes */

enum rec_helper_state { REC_HELPER_NONE, REC_HELPER_STARTING, REC_HELPER_RUNNING, REC_HELPER_ENDED, REC_HELPER_FAILED };

/* In a private mapping with MADV_WIPEONFORK: all of it is 0 in a child, however that was made. */
struct rec_wiped {
	struct weft_atomic_u32 owner; /* number of the process in its line of forks; 0: it has not claimed this memory yet */
	struct weft_atomic_u32 lock;  /* 0, or the owner's tid, and REC_LOCK_WAITED */
	struct weft_atomic_u32 helper;
	struct weft_atomic_u32 helper_sleeps;
	struct weft_atomic_u32 helper_wake; /* futex: counts wake-ups */
	struct weft_atomic_u32 helper_end;  /* it shall end */
	struct weft_atomic_u32 save_asked;
	struct weft_atomic_u32 forking; /* threads between the handlers of pthread_atfork */
	struct weft_atomic_u32 foreign; /* threads of which we hold a lock of somebody else's: rec_foreign_begin */
	uint32_t live[];                /* by index of the definition */
};

int rec_wiped_init(void);
bool rec_lock(void); /* false: this thread holds it already (a signal handler interrupted it) */
void rec_unlock(void);
bool rec_lock_mine(void);
void rec_live_store(uint32_t index, uint32_t value);
void *rec_mmap(size_t bytes); /* zeroed private memory, or NULL */
void rec_munmap(void *at, size_t bytes);
/* How much of `wanted` address space one reserve of ours may take: under `ulimit -v` a small part of the limit, for it is the program's. */
size_t rec_reserve_most(size_t wanted);
void rec_futex_wait(struct weft_atomic_u32 *at, uint32_t value, uint64_t timeout_ns);
void rec_futex_wake(struct weft_atomic_u32 *at);

/* ---- rec_space.c: the pages of the stream file ---- */

#define REC_CHUNK_PAGES 64u
#define REC_FIRST_PAGES 8u
#define REC_SEGMENTS 4096u
#define REC_PAGE_SHIFT 12

struct rec_range {
	uint32_t first, n; /* pages of the file; n == 0: none */
};
static inline uint64_t rec_range_word(struct rec_range r)
{
	return (uint64_t)r.first << 32 | r.n;
}
static inline struct rec_range rec_range_of(uint64_t w)
{
	return (struct rec_range){(uint32_t)(w >> 32), (uint32_t)w};
}

enum rec_mode { REC_KEEP, REC_RING, REC_FULL };

struct rec_space {
	uint32_t owner; /* rec.wiped->owner of the process that it belongs to */
	struct weft_atomic_i32 fd;
	dev_t dev;
	ino_t ino;
	char path[PATH_MAX];
	enum rec_mode mode;
	uint32_t limit_pages; /* of event pages, in modes ring and full; else 0 */
	uint32_t chunk_pages;
	uint32_t segment_shift;                       /* pages of a mapping = 1 << this */
	struct weft_atomic_ptr segment[REC_SEGMENTS]; /* addresses; mapped when first needed */
	struct weft_atomic_u64 pages;                 /* of the file: given out, or reserved by someone right now */
	struct weft_atomic_u64 meta_pages;            /* those of them that do not count for the limit */
	struct weft_atomic_u64 sum;                   /* of the marks of pages that are sealed, where they are to stay */
	struct weft_atomic_u32 failed;                /* errno value: the file cannot grow any more */
	struct weft_atomic_u32 missed;                /* chunks that threads had to reserve themselves */
	struct weft_atomic_u64 singles;               /* range that single pages are taken from */
	struct weft_atomic_u64 archive;               /* range at the end of the file that the next finished pages go to */
	struct weft_queue ready;                      /* free chunks, and half ones: reserved, mapped */
	struct weft_queue rests;                      /* smaller ranges that are free */
	struct weft_queue retired;                    /* finished, to be sealed */
	struct weft_atomic_u64 retired_pages;         /* in that queue */
	struct weft_queue old;                        /* ring: finished, the oldest first, to be used again */
	void *cells;
	size_t cells_bytes;
};

struct rec_stream;

/*
 * False in a child, however it was made. A handler may fork while it interrupts us, and the child goes on where we were: code that
 * is about to write the file, or through the mapping, something that is not what the parent writes there, asks this first.
 */
bool rec_space_ours(const struct rec_space *s);
int rec_space_open(struct rec_space *s, const char *dir, enum rec_mode mode, uint64_t limit_bytes);
/* A chunk, or (one) a single page; the rest of it is free again. 0, or -ENOSPC and the like when there is none. */
int rec_space_take(struct rec_space *s, bool one, bool meta, struct rec_range *out);
void rec_space_free(struct rec_space *s, struct rec_range r); /* it was not written, or is empty again */
bool rec_space_join(const struct rec_space *s, struct rec_range *r,
                    struct rec_range next);                         /* if next follows r: it is part of r now */
void rec_space_retire(struct rec_space *s, struct rec_range r);     /* finished: nobody writes there any more */
bool rec_space_retired(struct rec_space *s, struct rec_range *out); /* takes one that is finished; false: none */
uint32_t rec_space_ready(const struct rec_space *s); /* chunks that are free, or will be when the helper is done; about */
/* A range at the end of the file: mapped and reserved, and touched if asked; or reserved only. */
int rec_space_grow(struct rec_space *s, bool touch, bool meta, struct rec_range *out);
int rec_space_grow_archive(struct rec_space *s, struct rec_range *out);
void rec_space_adopt(struct rec_space *s, struct rec_range r); /* a range for the archive shall be free for all */
int rec_space_fd(struct rec_space *s);                         /* or -EBADF */
bool rec_space_fd_holds(const struct rec_space *s, int fd);    /* it is still our file's */
struct weft_page *rec_space_page(const struct rec_space *s, uint32_t page);
/* The same, or NULL when nobody has mapped it yet. */
struct weft_page *rec_space_mapped(const struct rec_space *s, uint32_t page);
uint32_t rec_space_pages(struct rec_space *s); /* of the file: what may be touched; `pages` counts what is being reserved, too */
/* Gives back to the disk what no thread can reach: all free ranges. */
void rec_space_trim(struct rec_space *s);
void rec_space_close_fd(struct rec_space *s);
/*
 * In a forked child: nothing that this process does to `keep` (or, with all, to anything) reaches the file any more; the rest of
 * the mapping goes.
 */
void rec_space_forget(struct rec_space *s, const struct rec_range *keep, unsigned n_keep, bool all);
struct rec_page_name {
	uint32_t type, thread, seq;
	uint64_t base;
};
/* False, both: this is a child, and the page is its parent's. */
bool rec_page_empty(const struct rec_space *s, struct weft_page *p);
bool rec_page_begin(const struct rec_space *s, struct weft_page *p, struct rec_page_name name);

/* ---- rec_archive.c: finished pages ---- */

bool rec_archive_some(struct rec_space *s); /* a part of what is retired; false: nothing was */
void rec_archive_empty(const struct rec_space *s, struct rec_range r);
void rec_archive_seal(struct rec_space *s, struct rec_range r, uint32_t but_from); /* in its place; pages before page but_from */

/* ---- rec_thread.c: threads ---- */

#define REC_NAME_BYTES 80u   /* a THREAD record of 14 words */
#define REC_SIDE_WORDS 1024u /* some of the deepest call stacks */
#define REC_CALLS_MOST 32u

struct rec_slot {                                  /* of a thread that records; outlives it, and is used again */
	_Alignas(128) struct weft_atomic_u32 used; /* 1: a live thread's */
	struct weft_atomic_u32 busy;               /* the thread is where it may begin to write another range */
	struct weft_atomic_u64 range, prev;        /* rec_range_word: where it writes, and the one before that */
	struct weft_atomic_u32 page;               /* current page; 0: none is open */
	struct weft_atomic_u64 dropped;            /* events lost by this thread */
	uint64_t untold;                           /* of those, not yet said by a DROPPED record */
	struct rec_stream *stream;                 /* the one that range and number belong to */
	uint32_t number, seq, tid, held;           /* held: the clock went back, and has not caught up */
	uint64_t begin_ticks;
	uint32_t index;
	struct weft_atomic_u32 next_free;
	char name[REC_NAME_BYTES];
	uint8_t name_bytes; /* 0: not named by the user */
	/* Events of handlers that found the block closed, until it is open: ticks, words << 32 | head, payload (rec_slow.c). */
	uintptr_t side_n; /* words; moved like the block's `at` */
	uint32_t side_from;
	uint32_t n_calls; /* open ones, whose callers are wanted if they last (rec_callers.c) */
	struct {
		uint32_t region;
		uint64_t ticks;
	} call[REC_CALLS_MOST];
	uint64_t side[REC_SIDE_WORDS];
};

struct rec_self { /* what must survive the slot, or may be touched by signal handlers */
	struct rec_slot *slot;
	struct rec_stream *stream;
	uint32_t number, seq;       /* kept when a thread ends, for destructors that record after that */
	volatile uint32_t busy;     /* inside the heavy part of the slow path */
	volatile uint32_t nested;   /* events that handlers dropped meanwhile */
	volatile uint32_t locked;   /* holds the lock */
	volatile uint32_t metering; /* reads counters */
	volatile uintptr_t limit;   /* with counters at regions: where the open page ends, while weft_thread_1.limit is 0 */
	bool forks;                 /* between the handlers of pthread_atfork */
	uint32_t last_child;        /* then: pid of the last child before that */
	int own_fd;                 /* the helper: of the stream's file, in a table of its own; 0 for all others */
};
extern REC_HIDDEN __thread struct rec_self rec_self __attribute__((tls_model("initial-exec")));

#define REC_SLOT_SEGMENTS 16u
struct rec_slots {
	struct weft_atomic_ptr segment[REC_SLOT_SEGMENTS]; /* 64 << k slots each */
	struct weft_atomic_u32 n;
	struct weft_atomic_u64 free; /* a stack: change count << 32 | index + 1 */
};
struct rec_slot *rec_slot_at(uint32_t index);
struct rec_slot *rec_slot_take(void); /* NULL: out of memory */
int rec_thread_init(void);
struct rec_slot *rec_thread_slot(void);                           /* this thread's, taken at need; NULL: out of memory */
bool rec_thread_begin(struct rec_stream *s);                      /* of this thread; slow path only */
void rec_thread_end(void);                                        /* gives back what this thread holds; it may begin again */
void rec_thread_tell(struct weft_thread *t, struct rec_slot *me); /* appends the THREAD record */
void rec_threads_forget(void);                                    /* in a forked child: all but this thread */
uint64_t rec_threads_dropped(void);

/* ---- rec_slow.c: all events that are not the common case ---- */

void rec_slow_close_page(struct weft_thread *t, struct rec_slot *me);
/* Between these two, events of signal handlers on this thread are put aside, and written at the end. */
void rec_busy_begin(void);
void rec_busy_end(void);
void rec_slow_drop_side(struct rec_slot *me); /* what was put aside is lost, and counted */
void rec_slow_record(uint32_t head, unsigned n, const uint64_t *payload);
void rec_slow_tell_dropped(void); /* a DROPPED record, if there is something to tell and room for it */
void rec_slow_append(struct weft_thread *t, uint32_t head, unsigned n, const uint64_t *payload); /* while limit is 0 */
uint32_t rec_cpu(uint64_t *word); /* this cpu; *word: as in a CPU record */

/* ---- rec_stream.c: the stream of this process ---- */

struct rec_meta { /* the page that definitions go to; under the lock */
	struct weft_page_writer w;
	uint32_t page; /* its number */
	uint64_t last; /* ticks of the last record */
	uint32_t seq;
};

struct rec_stream {
	struct rec_space space;
	struct weft_stream_head *head; /* page 0 */
	struct rec_meta meta;
	struct weft_atomic_u32 closing, threads;
	struct rec_sample first, last; /* the helper's clock samples */
	uint32_t pid, known_modules;
	uint64_t modules_adds;
	uint64_t *module_seen; /* hashes of what was written; room for module_room */
	uint32_t module_room;
	bool drift_told;
	/* Scratch, under the lock: a first event may come on the small stack of a signal handler. */
	uint64_t payload[WEFT_WORDS_MAX], list[WEFT_WORDS_MAX];
	char path[PATH_MAX];
};
int rec_stream_open(const char *dir, struct rec_stream **out); /* under the lock; async-signal-safe but for modules */
int rec_stream_attach(
	void); /* opens the one that the environment or weft_start named, and makes it the process's; async-signal-safe */
void rec_stream_close(struct rec_stream *s);
void rec_stream_full(struct rec_stream *s, int reason);
bool rec_stream_is_full(const struct rec_stream *s);

/* ---- rec_meta.c: definitions in the stream; all under the lock ---- */

/* What follows the fixed words of a definition: nothing (text NULL), or counted bytes. */
void rec_meta_put(struct rec_stream *s, unsigned kind, uint32_t id, unsigned n, const uint64_t *words, struct weft_str text);
void rec_meta_clock(struct rec_stream *s, const struct rec_sample *at);
void rec_meta_text(struct rec_stream *s, enum weft_text which, struct weft_str text);
void rec_meta_seal(struct rec_stream *s);
static inline uint64_t rec_pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

/* ---- rec_process.c: what the process is ---- */

void rec_process_name(struct rec_stream *s); /* PROCESS */
void rec_process_texts(struct rec_stream *s);
void rec_process_rank_from_environment(void);

/* ---- rec_module.c, rec_topology.c ---- */

void rec_modules_update(struct rec_stream *s); /* not under the lock, not in signal handlers */
void rec_topology_write(struct rec_stream *s);

/* ---- rec_define.c: definitions ---- */

struct rec_def {
	uint8_t class, kind; /* kind: of the record that defines it */
	uint8_t n_words, on; /* on: categories */
	bool counts;         /* has an id of its own (labels of values have their type's) */
	uint32_t id, index, hash;
	uint32_t category; /* index of the category's definition */
	uint32_t n_list;
	const uint32_t *list; /* ids of a set's counters, ranks of a communicator */
	uint64_t key;         /* tells it apart beside the name: value of a label, key of a communicator */
	uint64_t word[2];     /* the fixed words of its record */
	struct weft_str name;
};

#define REC_DEF_SEGMENTS 13u
struct rec_definitions {
	struct rec_def *segment[REC_DEF_SEGMENTS]; /* 1024 << k of them each */
	struct weft_atomic_u32 n;                  /* index 0 is never used */
	uint32_t ids[WEFT_CLASSES];                /* given out */
	uint32_t *hash;                            /* indices; 0: free */
	uint32_t hash_cells;
	char *arena, *arena_end;
	uint32_t user; /* index of the category "user" */
};
int rec_define_init(void);
void rec_define_write_all(struct rec_stream *s); /* under the lock */
void rec_define_live_all(void);                  /* likewise: switches follow rec.on and the categories */
void rec_define_meter_all(void);                 /* likewise: rec_meter_region of all there are */
uint32_t rec_define_id(weft_def live);           /* 0: it is none that can be on */

/* ---- rec_meter.c: counters at regions ---- */

void rec_meter_region(uint32_t id, const char *category);     /* under the lock; nothing where none are read */
void rec_meter_event(uint32_t head, const uint64_t *payload); /* before it is recorded, where rec.metered has REC_METER */

/* All events take the slow way from here on. Not under the lock. */
void rec_meter_begin(uint32_t why);

/* ---- rec_callstack.c, rec_callers.c: who called ---- */

/* Addresses in objects whose frames are left out, as libweft's are; NULL: none. */
struct rec_between {
	const void *own, *runtime, *via; /* via: in whose function was called, as its return address */
};
bool rec_callers_timed(void);                                               /* only of calls of some length */
void rec_callers_record(const struct rec_between *between, uint64_t began); /* if the call has lasted as long */
/* Where rec.metered has REC_CALLERS: the event and callers; false: it is none that has some, and has not been recorded. */
bool rec_callers_event(uint32_t head, unsigned n, const uint64_t *payload, const void *via);

/* ---- rec_first.c: only the first calls of a region ---- */

bool rec_first_set(const char *text);                 /* NAME=N; false: it is none. At the begin, before there are definitions */
void rec_first_region(uint32_t id, const char *name); /* under the lock */
void rec_first_event(uint32_t head, const uint64_t *payload); /* behind it, where rec.metered has REC_FIRST: may stop */
bool rec_first_over(void);                                    /* they have been, and nobody has switched recording on since */
void rec_first_again(void);                                   /* counts anew */

/* ---- rec_helper.c: the background thread ---- */

void rec_helper_ensure(void);         /* not in signal handlers */
void rec_signals_most(sigset_t *out); /* those that may be blocked while we work */
void rec_helper_wake(void);
bool rec_helper_end(void); /* waits, but not for ever: whether it is gone */

/* ---- rec_save.c ---- */

int rec_save(struct rec_stream *s, const char *dir);
void rec_save_on_signal(int sig);
bool rec_save_asked(void); /* by the signal, since the last call */

/* ---- rec_fork.c ---- */

void rec_fork_init(void);
void rec_exit_watch(void); /* so that the exit status is known at the end; not in signal handlers */
void rec_exit_tell(void);  /* the EXIT event, if the process ends in order */
/*
 * Around our calls of functions that take locks of the C library or of a sanitizer, which fork() does not free in the child: it
 * would hang there. While one is between the two, fork() waits; while a fork is going on, begin waits (but not for ever) or says
 * false, and then the function must not be called.
 */
bool rec_foreign_begin(bool wait);
void rec_foreign_end(void);
void rec_check_process(void); /* in all public functions but the event path: notices that this is another process now */

/* ---- record.c: the context ---- */

enum rec_init_state { REC_NEW, REC_SETTING_UP, REC_READY, REC_UNUSABLE };

/* Counters are read at regions; calls of a region are counted; regions have callers. */
enum { REC_METER = 1, REC_FIRST = 2, REC_CALLERS = 4 };

struct recorder {
	struct weft_atomic_u32 init; /* rec_init_state */
	struct rec_wiped *wiped;
	struct weft_atomic_ptr stream;  /* struct rec_stream *; NULL: none yet, or none any more */
	struct weft_atomic_u32 on;      /* events are wanted; without a stream: open one at the first */
	struct weft_atomic_u32 reason;  /* errno value: why there is no stream */
	struct weft_atomic_u64 lost;    /* events dropped that no slot counts */
	struct weft_atomic_u32 metered; /* REC_METER…: why all events take the slow way; 0: they do not */
	struct weft_atomic_u32 closed;
	uint32_t no_helper, owner; /* owner: as in rec.wiped, the last one */
	struct rec_clock clock;
	const char *clock_why;
	double ticks_per_ns; /* best known */
	struct rec_slots slots;
	struct rec_definitions defs;
	uint32_t live_max;
	/* What the environment says. */
	char dir[PATH_MAX];  /* absolute; empty: none */
	bool one_file;       /* `dir` is the stream itself: of the process that asked for it, and of none of its children */
	uint32_t file_owner; /* as `owner` was then */
	enum rec_mode mode;
	uint64_t size_bytes;
	uint8_t run_id[16];
	char off[512], on_names[512];
	char while_file[PATH_MAX]; /* absolute: recording is on while it exists; empty: always */
	bool verbose, watched;     /* watched: `weft record` writes down forks and exits */
	int save_signal;
	/* What the program says. */
	int rank, n_ranks;
	char process_name[256], node_name[256];
	uint32_t saves;
	struct weft_atomic_u32 exit_asked; /* on_exit knows our handler */
	bool exits;                        /* in order, with this wait status */
	int exit_status;
};
extern REC_HIDDEN struct recorder rec;
bool rec_while(void);                                /* recording is to be on, as far as WEFT_WHILE is asked */
bool rec_category_wanted(const char *name, bool on); /* what the environment says of it, else `on` */
int rec_init(void);                                  /* 0 once the recorder can be used; idempotent, thread-safe */
static inline struct rec_stream *rec_stream(void)
{
	return weft_load_ptr(&rec.stream);
}

#endif
