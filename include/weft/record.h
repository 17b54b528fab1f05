/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libweft: recording the events of a program.
 *
 *     #include <weft/record.h>                           cc prog.c $(pkg-config --cflags --libs weft)
 *
 *     WEFT_REGION(solve, "solve", WEFT_STATE_RUNNING);   weft record -- ./prog
 *     ...                                                weft stat prog.weft
 *     ...
 *     weft_enter(solve);
 *     ...
 *     weft_leave(solve);
 *
 * Define things once, then record them from any thread. Each thread writes to its own buffer: no lock, no allocation, no
 * system call on the way of an event except once per chunk (256 KB or more); all event functions are async-signal-safe, and
 * never change errno. Nothing is recorded, and next to nothing is paid, until recording is switched on: by `weft record`
 * (which sets the environment), or by weft_start().
 *
 * A definition's value is a pointer to its switch: a 32-bit word that is 0 while the definition's category is off, and else the
 * definition's id in place for a record's head. So "is it on" and "what is it" are one load.
 *
 * Everything below the line "ABI" belongs to the versioned interface between this inline code and libweft.so; change neither.
 */
#ifndef WEFT_RECORD_H
#define WEFT_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <weft/states.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_PUBLIC __attribute__((visibility("default")))

/* ---- what can be defined ---- */

typedef const volatile uint32_t *weft_def; /* never NULL: a definition that is not made yet is WEFT_OFF */
typedef weft_def weft_region, weft_type, weft_counter, weft_attr, weft_comm, weft_flow, weft_category, weft_set, weft_data;

/*
 * Each returns the definition of that name, making it when it is new; the same name in the same category is the same thing.
 * Names are copied. Never fail visibly: when ids or memory are out, the result is a definition that stays off.
 * Thread-safe; not for signal handlers. `category` 0 means the category "user", which is on.
 */
WEFT_PUBLIC weft_category weft_define_category(const char *name, int on);
WEFT_PUBLIC weft_region weft_define_region(const char *name, enum weft_state_class state, weft_category category);
WEFT_PUBLIC weft_region weft_define_region_at(const char *name, enum weft_state_class state, weft_category category,
                                              const char *file, uint32_t line);
WEFT_PUBLIC weft_type weft_define_type(const char *name, const char *unit, weft_category category);
/* One that has a number of its own, in Paraver's traces too; defined again under another name it is renamed. */
WEFT_PUBLIC weft_type weft_define_coded_type(uint32_t code, const char *name, const char *unit, weft_category category);
WEFT_PUBLIC void weft_define_value(weft_type type, int64_t value, const char *label);
WEFT_PUBLIC weft_counter weft_define_counter(const char *name, const char *unit, weft_category category);
WEFT_PUBLIC weft_attr weft_define_attr(const char *name, const char *unit, weft_category category);
WEFT_PUBLIC weft_flow weft_define_flow(const char *name, weft_category category);
/* The same, where keys are numbers that each process gives by itself: its arrows begin and end in one process. */
WEFT_PUBLIC weft_flow weft_define_own_flow(const char *name, weft_category category);
/* Of 14 counters at most. */
WEFT_PUBLIC weft_set weft_define_set(const char *name, const weft_counter *counters, unsigned n_counters, weft_category category);
/* key: the same for all processes that share the communicator; ranks: world ranks of its members, or NULL when it is the world. */
WEFT_PUBLIC weft_comm weft_define_comm(const char *name, uint64_t key, const int *ranks, unsigned n_ranks);
/* A string's id, for weft_point_string and weft_attr_string; 0 when out of ids. */
WEFT_PUBLIC uint32_t weft_define_string(const char *text);

/* A variable of this file with its region, which is defined before main (in a library: when it is loaded). */
#define WEFT_REGION(var, name, state) \
	static weft_region var = WEFT_OFF; \
	__attribute__((constructor)) static void weft_construct_##var(void) \
	{ \
		(var) = weft_define_region_at((name), (state), 0, __FILE__, __LINE__); \
	} \
	struct weft_unused_##var

/* What a variable holds until it is defined: always off. `static weft_region solve = WEFT_OFF;` */
extern WEFT_PUBLIC const uint32_t weft_off;
#define WEFT_OFF ((weft_def)&weft_off)

/* ---- call stacks ---- */

/*
 * Records who called, as the call stack of the entry of the innermost open region: `most` return addresses, innermost first. `own`: an
 * address in the object that wraps the call, whose frames are left out, as are libweft's; NULL: only libweft's. Not for signal handlers.
 */
WEFT_PUBLIC void weft_callstack(const void *own, unsigned most);
/*
 * The same before the end of a call, as WEFT_CALLERS says: nothing where it is not set, or where the call has lasted less than it says.
 * began: weft_ticks() at its entry.
 */
WEFT_PUBLIC void weft_callers(const void *own, uint64_t began);
/*
 * The same in signal handlers, too, once it was called outside of any, with began 0, which only prepares: true where callers are asked
 * for at all. Costs some tenths of a microsecond more on threads that never called weft_callers.
 */
WEFT_PUBLIC int weft_callers_anywhere(const void *own, uint64_t began);
/*
 * For libraries that are told of begins and ends, and stand around nothing: from now on each call of the region has its callers, as
 * WEFT_CALLERS says. own, runtime: addresses in objects whose frames are left out (NULL: none, or those said before). False: they are not
 * asked for. Events take the longer way then, as with counters.
 */
WEFT_PUBLIC int weft_callers_at(weft_region region, const void *own, const void *runtime);

/* ---- counters at regions ---- */

/*
 * For libraries that read counters. From now on read() is called before each entry to a region and before its end, on the region's thread, also in
 * signal handlers; what it records stands before the event. wants(): whether a category's regions are to be read at; asked under a lock,
 * when a region is defined. Events take the longer way then, some 20 ns. Once in a process: -EBUSY.
 */
struct weft_meter {
	void (*read)(void);
	int (*wants)(const char *category);
};
WEFT_PUBLIC int weft_meter(const struct weft_meter *m);
WEFT_PUBLIC void weft_read_counters(void); /* here and now, by that function; nothing where there is none */

/* ---- naming where things run ---- */

WEFT_PUBLIC void weft_name_thread(const char *name);
WEFT_PUBLIC void weft_name_process(const char *name);
WEFT_PUBLIC void weft_name_node(const char *name);
WEFT_PUBLIC void weft_set_rank(int rank, int n_ranks); /* of this process in its parallel program */
/* An instant that several processes pass together (behind a barrier): clocks of different nodes are aligned by it. */
WEFT_PUBLIC void weft_sync(uint64_t key, uint64_t uncertainty_ns);
WEFT_PUBLIC void weft_sync_at(uint64_t key, uint64_t uncertainty_ns, uint64_t ticks); /* that was then, by weft_ticks() */

/* ---- control ---- */

struct weft_status {
	int recording;          /* 1 while on */
	int reason;             /* why not, as a positive errno value; ENOSPC when the disk or the limit is full */
	uint64_t dropped;       /* events lost so far */
	uint64_t bytes;         /* reserved in the stream file */
	uint64_t helper_cpu_ns; /* CPU time of the background thread */
};
/*
 * Switches recording on. `directory`: the trace to record into when none is set by the environment, or NULL. Nests with nothing:
 * a second start is no error. 0 or a negative errno value. Thread-safe.
 */
WEFT_PUBLIC int weft_start(const char *directory);
/*
 * The same, where the trace is one file of this process; its children do not record. A file of that name is replaced, but not while a
 * process records into it: then "-PID" is added to the name. -EEXIST: recording goes elsewhere (by the environment, or by weft_start).
 */
WEFT_PUBLIC int weft_start_file(const char *file);
WEFT_PUBLIC const char *weft_trace(void); /* where this process records: absolute, for as long as it lives; NULL: nowhere */
WEFT_PUBLIC void weft_stop(void);         /* events are ignored until the next weft_start; both show as marks in the trace */
WEFT_PUBLIC void weft_switch(weft_category category, int on);
/*
 * Writes what the flight recorder holds to a new trace directory; recording goes on. NULL: a numbered name beside the trace
 * (run.weft gives run-save1.weft). 0 or a negative errno value; -EOPNOTSUPP where there is no flight recorder. Thread-safe.
 */
WEFT_PUBLIC int weft_save(const char *directory);
WEFT_PUBLIC void weft_flush(void); /* asks the background thread to seal what is complete */
WEFT_PUBLIC void weft_get_status(struct weft_status *out);

/* ---- ABI 1: the block of a thread, and the way of an event ---- */

struct weft_thread {
	uintptr_t at;    /* address of the next free word; moved by a compare-and-swap that no signal handler can tear */
	uintptr_t limit; /* end of the page; both 0 before the first event */
	uint64_t base;   /* ticks that heads count from */
	const volatile uint32_t *cpu; /* where the kernel keeps the number of the cpu that runs this thread (rseq) */
	uint32_t last_cpu;            /* the last one that was recorded */
	uint32_t clock;               /* 1: rdtsc, else ask weft_ticks_slow */
	uint64_t reserved[3];
} __attribute__((aligned(64)));

extern WEFT_PUBLIC __thread struct weft_thread weft_thread_1 __attribute__((tls_model("initial-exec")));
/* Everything that is not the common case: first event, end of page, another cpu, a time too far away, a torn reservation. */
WEFT_PUBLIC void weft_record_slow(uint32_t head, unsigned n, const uint64_t *payload) __attribute__((cold));
WEFT_PUBLIC uint64_t weft_ticks_slow(void);

/* Kinds, as in docs/format.md; in place for a head: kind | words << 8. */
enum {
	WEFT_HEAD_ENTER = 1,
	WEFT_HEAD_LEAVE = 2,
	WEFT_HEAD_POINT = 3 | 1 << 8,
	WEFT_HEAD_POINT_F = 4 | 1 << 8,
	WEFT_HEAD_POINT_S = 5 | 1 << 8,
	WEFT_HEAD_COUNTER = 6 | 1 << 8,
	WEFT_HEAD_COUNTER_F = 7 | 1 << 8,
	WEFT_HEAD_SEND = 8 | 2 << 8,
	WEFT_HEAD_RECV = 9 | 2 << 8,
	WEFT_HEAD_SEND_AGO = 8 | 3 << 8,
	WEFT_HEAD_RECV_AGO = 9 | 3 << 8,
	WEFT_HEAD_SEND_KEY = 8 | 4 << 8,
	WEFT_HEAD_RECV_KEY = 9 | 4 << 8,
	WEFT_HEAD_FLOW_OUT = 10 | 1 << 8,
	WEFT_HEAD_FLOW_IN = 11 | 1 << 8,
	WEFT_HEAD_ATTR = 12 | 1 << 8,
	WEFT_HEAD_ATTR_F = 13 | 1 << 8,
	WEFT_HEAD_ATTR_S = 14 | 1 << 8,
	WEFT_HEAD_COLLECTIVE = 15 | 3 << 8,
	WEFT_HEAD_COUNTER_SET = 16, /* and as many words as it has counters */
	WEFT_HEAD_SAMPLE = 17, /* and its addresses; as id, WEFT_STACK_* and for how many periods more it stands, from bit 4 on */
	WEFT_HEAD_CALLSTACK = 18, /* and its addresses; as id, WEFT_STACK_* */
	WEFT_HEAD_DEPENDENCY = 20 | 2 << 8,
	WEFT_HEAD_ENTER_FLOW = 23 | 1 << 8,
	WEFT_HEAD_BUNDLE = 24, /* and its words, and as id how many events it is */
};

enum {
	WEFT_STACK_CUT = 1,  /* there are more frames outwards */
	WEFT_STACK_LOST = 2, /* what called the last address is not known */
	WEFT_STACK_WALL = 4, /* a sample by the wall clock: of a thread that may have waited */
};

static inline __attribute__((always_inline)) uint64_t weft_ticks(void)
{
#if defined __x86_64__
	if (__builtin_expect(weft_thread_1.clock == 1, 1))
		return __builtin_ia32_rdtsc();
#endif
	return weft_ticks_slow();
}

/*
 * Moves *at from `from` to `to` unless it has moved. Atomic against signal handlers of this thread, which are the only others
 * that write it; so no lock prefix, which would cost as much as the rest of the event.
 */
static inline __attribute__((always_inline)) int weft_claim(uintptr_t *at, uintptr_t from, uintptr_t to)
{
#if defined __x86_64__
	uintptr_t found = from;
	__asm__ volatile("cmpxchg %2, %1" : "+a"(found), "+m"(*at) : "r"(to) : "cc", "memory");
	return found == from;
#else
	return __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* The same where the common case ends. */
static inline __attribute__((always_inline)) void weft_record_late(uint32_t head, unsigned n, const uint64_t *payload, int began)
{
	if (began) {
		uint64_t w[3] = {payload[0], payload[1], weft_ticks() - payload[2]};
		weft_record_slow(head, 3, w);
	} else {
		weft_record_slow(head, n, payload);
	}
}

/*
 * In a program that is built with ThreadSanitizer an event is a function that it does not look into: how pages change hands is not to
 * be seen from the program, so that two threads that write to one page after the other would be a race. Nothing that the program does
 * is hidden, and no order between its threads is made up. WEFT_TSAN_EVENTS: inline all the same (for tests of libweft itself).
 */
#if defined __SANITIZE_THREAD__
#define WEFT_TSAN 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define WEFT_TSAN 1
#endif
#endif
#if defined WEFT_TSAN && !defined WEFT_TSAN_EVENTS
#if defined __clang__ && __has_attribute(disable_sanitizer_instrumentation)
#define WEFT_EVENT_CALL static __attribute__((noinline, unused, no_sanitize("thread"), disable_sanitizer_instrumentation))
#else
#define WEFT_EVENT_CALL static __attribute__((noinline, unused, no_sanitize("thread")))
#endif
/* memcpy would be ThreadSanitizer's. */
#define WEFT_COPY_WORDS(to, from, n) \
	for (unsigned weft_i = 0; weft_i < (n); weft_i++) \
	((volatile uint64_t *)(to))[weft_i] = (from)[weft_i]
#else
#define WEFT_EVENT_CALL static inline __attribute__((always_inline))
/* Word by word where their number is known here: so the words need no array. */
#define WEFT_COPY_WORDS(to, from, n) \
	if (__builtin_constant_p(n)) \
		for (unsigned weft_i = 0; weft_i < (n); weft_i++) \
			(to)[weft_i] = (from)[weft_i]; \
	else \
		__builtin_memcpy((to), (from), (n) * sizeof *(from))
#endif

/*
 * One record with this head; n payload words follow. `on` is what the switch of `d` was. The head is stored
 * last: a page is readable at any instant. The switch is read again once the clock has been: the clock is most of the time that
 * this takes, and a signal handler that makes a child meanwhile has the switch wiped there. began (a constant): the
 * last word is a time, which is stored as what has passed since it.
 */
WEFT_EVENT_CALL void weft_record_head(weft_def d, uint32_t on, uint32_t head, unsigned n, const uint64_t *payload, int began)
{
	uintptr_t at = *(volatile uintptr_t *)&weft_thread_1.at;
	uintptr_t end = at + 8 + 8 * (uintptr_t)n;
	if (__builtin_expect(end > weft_thread_1.limit, 0)) {
		weft_record_late(head, n, payload, began);
		return;
	}
	uint64_t now = weft_ticks(), since = now - weft_thread_1.base;
	if (__builtin_expect((since >> 32) != 0 || *weft_thread_1.cpu != weft_thread_1.last_cpu || *d != on ||
	                             !weft_claim(&weft_thread_1.at, at, end),
	                     0)) {
		weft_record_late(head, n, payload, began);
		return;
	}
	uint64_t *word = (uint64_t *)at;
	WEFT_COPY_WORDS(word + 1, payload, n);
	if (began)
		word[n] = now - payload[n - 1];
	__atomic_store_n(word, since << 32 | head, __ATOMIC_RELEASE);
}

/* One record of definition `d`; `kind` as above, with the number of words in place. */
static inline __attribute__((always_inline)) void weft_record_from(weft_def d, uint32_t kind, unsigned n, const uint64_t *payload,
                                                                   int began)
{
	uint32_t on = *d;
	if (on)
		weft_record_head(d, on, on | kind, n, payload, began);
}

static inline __attribute__((always_inline)) void weft_record(weft_def d, uint32_t kind, unsigned n, const uint64_t *payload)
{
	weft_record_from(d, kind, n, payload, 0);
}

static inline void weft_record_1(weft_def d, uint32_t kind, uint64_t word)
{
	weft_record(d, kind, 1, &word);
}

static inline uint64_t weft_double_word(double v)
{
	uint64_t w;
	__builtin_memcpy(&w, &v, sizeof w);
	return w;
}

static inline uint64_t weft_pair_word(int32_t low, int32_t high)
{
	return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

/* ---- events ---- */

static inline void weft_enter(weft_region r)
{
	weft_record(r, WEFT_HEAD_ENTER, 0, NULL);
}
static inline void weft_leave(weft_region r)
{
	weft_record(r, WEFT_HEAD_LEAVE, 0, NULL);
}
static inline void weft_point(weft_type t, int64_t value)
{
	weft_record_1(t, WEFT_HEAD_POINT, (uint64_t)value);
}
static inline void weft_point_double(weft_type t, double value)
{
	weft_record_1(t, WEFT_HEAD_POINT_F, weft_double_word(value));
}
static inline void weft_point_string(weft_type t, uint32_t string)
{
	weft_record_1(t, WEFT_HEAD_POINT_S, string);
}
static inline void weft_count(weft_counter c, int64_t value)
{
	weft_record_1(c, WEFT_HEAD_COUNTER, (uint64_t)value);
}
static inline void weft_count_double(weft_counter c, double value)
{
	weft_record_1(c, WEFT_HEAD_COUNTER_F, weft_double_word(value));
}
/* Attributes of the innermost open region of this thread. */
static inline void weft_attr_int(weft_attr a, int64_t value)
{
	weft_record_1(a, WEFT_HEAD_ATTR, (uint64_t)value);
}
static inline void weft_attr_double(weft_attr a, double value)
{
	weft_record_1(a, WEFT_HEAD_ATTR_F, weft_double_word(value));
}
static inline void weft_attr_string(weft_attr a, uint32_t string)
{
	weft_record_1(a, WEFT_HEAD_ATTR_S, string);
}
/* Two ends of an arrow meet by kind and key, in the whole trace. */
static inline void weft_flow_out(weft_flow f, uint64_t key)
{
	weft_record_1(f, WEFT_HEAD_FLOW_OUT, key);
}
static inline void weft_flow_in(weft_flow f, uint64_t key)
{
	weft_record_1(f, WEFT_HEAD_FLOW_IN, key);
}
/*
 * weft_enter and weft_flow_in at one instant: in one record, which costs as much as the first of them, where both are on and their
 * numbers small (those of the first 4,095 regions and 255 flows that the process defines).
 */
static inline void weft_enter_flow(weft_region r, weft_flow f, uint64_t key)
{
	uint32_t region = *r, flow = *f;
	if (__builtin_expect(region && flow && !(region >> 24 | flow >> 20), 1)) {
		weft_record_1(r, WEFT_HEAD_ENTER_FLOW | flow << 12, key);
	} else {
		weft_enter(r);
		weft_flow_in(f, key);
	}
}

/* Ends of a message: matched by communicator, both ranks and tag, in order. `peer` is a rank of the communicator. */
static inline void weft_send(weft_comm c, int peer, int tag, uint64_t bytes)
{
	uint64_t w[2] = {weft_pair_word(peer, tag), bytes};
	weft_record(c, WEFT_HEAD_SEND, 2, w);
}
static inline void weft_recv(weft_comm c, int peer, int tag, uint64_t bytes)
{
	uint64_t w[2] = {weft_pair_word(peer, tag), bytes};
	weft_record(c, WEFT_HEAD_RECV, 2, w);
}
/* The same at the end of a call, with the weft_ticks() at which the send began or the receive was posted. */
static inline void weft_send_since(weft_comm c, int peer, int tag, uint64_t bytes, uint64_t began)
{
	if (*c) {
		uint64_t w[3] = {weft_pair_word(peer, tag), bytes, began};
		weft_record_from(c, WEFT_HEAD_SEND_AGO, 3, w, 1);
	}
}
static inline void weft_recv_since(weft_comm c, int peer, int tag, uint64_t bytes, uint64_t posted)
{
	if (*c) {
		uint64_t w[3] = {weft_pair_word(peer, tag), bytes, posted};
		weft_record_from(c, WEFT_HEAD_RECV_AGO, 3, w, 1);
	}
}

/*
 * A collective operation of the communicator, as far as this process goes: which (numbers of MPI's: see COLLECTIVE in docs/format.md),
 * the root's rank in the communicator or -1, and the bytes that it gave and got.
 */
static inline void weft_collective(weft_comm c, int operation, int root, uint64_t sent, uint64_t received)
{
	uint64_t w[3] = {weft_pair_word(operation, root), sent, received};
	weft_record(c, WEFT_HEAD_COLLECTIVE, 3, w);
}

/* All counters of a set at this instant, in the order of its definition: n is their number. */
static inline void weft_count_set(weft_set s, const uint64_t *values, unsigned n)
{
	if (n < 15)
		weft_record(s, WEFT_HEAD_COUNTER_SET | n << 8, n, values);
}

/*
 * Several events of one instant in one record, which costs little more than one of them: for what belongs together, as a region's
 * begin and its attributes. Add in the order in which they happen, then record; what is off is left out. One that grows too long is
 * recorded, and goes on in another record.
 *
 *     struct weft_bundle b;
 *     weft_bundle_begin(&b);
 *     weft_bundle_add(&b, region, WEFT_HEAD_ENTER, 0);
 *     weft_bundle_add(&b, size, WEFT_HEAD_ATTR, 4096);
 *     weft_bundle_record(&b);
 */
enum { WEFT_BUNDLE_WORDS = 48 };
struct weft_bundle {
	weft_def def; /* one that is on */
	uint32_t on;  /* its switch */
	uint32_t events;
	uint32_t n, heads;                /* words; the one with the last heads */
	uint64_t word[WEFT_BUNDLE_WORDS]; /* the first is for the long form */
};
static inline void weft_bundle_begin(struct weft_bundle *b)
{
	b->events = 0;
	b->n = 1;
}
static inline void weft_bundle_record(struct weft_bundle *b)
{
	uint32_t n = b->n - 1, head = b->events << 12 | WEFT_HEAD_BUNDLE;
	if (b->events && n < 15) {
		weft_record_head(b->def, b->on, head | n << 8, n, b->word + 1, 0);
	} else if (b->events) {
		b->word[0] = n;
		weft_record_head(b->def, b->on, head | 15 << 8, n + 1, b->word, 0);
	}
	weft_bundle_begin(b);
}
static inline int weft_bundle_head(struct weft_bundle *b, weft_def d, uint32_t kind)
{
	uint32_t on = *d;
	if (!on)
		return 0;
	if (__builtin_expect(b->n + 3 > WEFT_BUNDLE_WORDS, 0))
		weft_bundle_record(b);
	if (b->events++ & 1) {
		b->word[b->heads] |= (uint64_t)(on | kind) << 32;
	} else {
		b->def = d;
		b->on = on;
		b->heads = b->n++;
		b->word[b->heads] = on | kind;
	}
	return 1;
}
/* `kind`: of an event with a word or without (WEFT_HEAD_ENTER, LEAVE, POINT…, COUNTER…, FLOW…, ATTR…). */
static inline void weft_bundle_add(struct weft_bundle *b, weft_def d, uint32_t kind, uint64_t word)
{
	if (weft_bundle_head(b, d, kind) && kind >> 8)
		b->word[b->n++] = word;
}
/* Two events with a word each: less than twice the one. */
static inline void weft_bundle_add_two(struct weft_bundle *b, weft_def first, uint32_t first_kind, uint64_t first_word,
                                       weft_def second, uint32_t second_kind, uint64_t second_word)
{
	uint32_t on = *first, on_too = *second, n = b->n;
	if (__builtin_expect(!on || !on_too || b->events & 1 || n + 3 > WEFT_BUNDLE_WORDS, 0)) {
		weft_bundle_add(b, first, first_kind, first_word);
		weft_bundle_add(b, second, second_kind, second_word);
		return;
	}
	b->def = first;
	b->on = on;
	b->events += 2;
	b->heads = n;
	b->n = n + 3;
	b->word[n] = (on | first_kind) | (uint64_t)(on_too | second_kind) << 32;
	b->word[n + 1] = first_word;
	b->word[n + 2] = second_word;
}
/* Of one with two (WEFT_HEAD_DEPENDENCY). */
static inline void weft_bundle_add_pair(struct weft_bundle *b, weft_def d, uint32_t kind, uint64_t first, uint64_t second)
{
	if (weft_bundle_head(b, d, kind)) {
		b->word[b->n++] = first;
		b->word[b->n++] = second;
	}
}

#ifdef __cplusplus
}

namespace weft
{
/* Leaves the region at the end of the block, also on an exception. */
class scope
{
	weft_region r;

      public:
	explicit scope(weft_region region) : r(region)
	{
		weft_enter(r);
	}
	~scope()
	{
		weft_leave(r);
	}
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;
};
}
#else
static inline void weft_leave_scope(weft_region *r)
{
	weft_leave(*r);
}
/* Enters now, leaves at the end of the block. */
#define WEFT_SCOPE(region) \
	__attribute__((cleanup(weft_leave_scope), unused)) weft_region weft_scope_here = (weft_enter(region), (region))
#endif

#endif
