/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft-openmp share. Two runtimes tell what happens in their own ways: GCC's by its entry points (gomp_*.c), LLVM's by
 * its tool interface (ompt_*.c) and some entry points (kmpc_loop.c). Both end in the same events, which are made here.
 *
 * A thread of a team stands in a frame: what is open there of loops, sections, single. Frames nest as parallel regions do; the
 * outermost one is the thread's own, for constructs outside of any. Tasks nest, too, as one is suspended only where another
 * runs on the same stack.
 */
#ifndef WEFT_OPENMP_PRIV_H
#define WEFT_OPENMP_PRIV_H

#include "base/atomic.h"
#include "link/link_openmp.h"
#include <stdbool.h>
#include <stddef.h>
#include <weft/record.h>

/* ---- names: openmp_core.c ---- */

enum openmp_region {
#define OPENMP_REGION(id, name, state) OPENMP_##id,
#include "openmp_regions.def"
#undef OPENMP_REGION
	OPENMP_REGIONS
};

struct openmp_names {
	weft_category category;
	weft_region region[OPENMP_REGIONS];
	weft_attr team, threads, iterations, chunk, first, section, done, priority;
	weft_type cancel, in_vain, code;
	weft_flow task, depends;
};
extern struct openmp_names openmp;

/* Defines them, once. False: this process is not to be recorded. Thread-safe. */
bool openmp_begin(void);

/* ---- functions of the program: openmp_code.c ---- */

enum openmp_code_kind { OPENMP_PARALLEL, OPENMP_TEAMS, OPENMP_TASK, OPENMP_TARGET, OPENMP_CODE_KINDS };
struct openmp_code {
	const void *at;              /* the function, or a call's return address */
	weft_region construct, body; /* as it is met; as it runs */
};
enum { OPENMP_CODES = 4096 }; /* the last is for all that find no room */
extern struct openmp_code openmp_codes[OPENMP_CODE_KINDS][OPENMP_CODES];
unsigned openmp_code_search(enum openmp_code_kind kind, const void *at);
static inline unsigned openmp_code_place(const void *at)
{
	return (unsigned)((uint64_t)(uintptr_t)at * 0x9e3779b97f4a7c15u >> 52) % (OPENMP_CODES - 1);
}
/* Its number. Thread-safe, without a lock where it is known. */
static inline unsigned openmp_code_of(enum openmp_code_kind kind, const void *at)
{
	unsigned i = openmp_code_place(at);
	return WEFT_LIKELY(__atomic_load_n(&openmp_codes[kind][i].at, __ATOMIC_ACQUIRE) == at) ? i : openmp_code_search(kind, at);
}

/* What the symbol that covers the address is called in its file; false: nothing is known, and `out` says object and offset. */
bool openmp_symbol(const void *address, char *out, size_t room);

/* ---- dependencies of one task's children: openmp_depend.c ---- */

struct openmp_depends;
/* A child with this number names an address; records whom it depends on. *d is made at need; only the parent's thread comes here. */
void openmp_depend(struct openmp_depends **d, uint64_t child, const void *address, bool writes);
void openmp_depends_free(struct openmp_depends *d);

/* ---- threads ---- */

enum openmp_open { OPENMP_OPEN_LOOP = 1, OPENMP_OPEN_CHUNK = 2, OPENMP_OPEN_SECTION = 4, OPENMP_OPEN_SINGLE = 8 };
struct openmp_task {
	uint64_t id;
	struct openmp_task *up;
	struct openmp_depends *depends;
};
struct openmp_frame {
	struct openmp_frame *up;
	struct openmp_task task;
	uint32_t open; /* enum openmp_open */
	uint16_t loop; /* enum openmp_region: LOOP… or SECTIONS */
	uint16_t dimensions;
	int64_t step;
};
struct openmp_lock {
	const void *address;
	weft_region wait, hold;
};
enum { OPENMP_HELD = 16 };
struct openmp_thread {
	struct openmp_frame *frame;
	struct openmp_task *task;
	uint64_t next_task, next_team;
	uint32_t in_vain;
	uint32_t n_held; /* locks; of those beyond OPENMP_HELD only that they are taken is recorded */
	bool idle, named;
	bool in_task;      /* explicit: LLVM's runtime */
	bool tests;        /* in a call that only takes a lock that is free */
	bool joins;        /* waits for the others of the team whose construct it has met */
	uint16_t schedule; /* of the loop that begins: enum openmp_region; with LLVM's runtime only, as what follows */
	uint16_t mutex;    /* what kind is being asked for: enum ompt_mutex */
	uint64_t chunk;    /* size that the program asks for */
	struct ompt_part *part, *spare; /* the implicit tasks of this thread, the innermost first; and memory for more */
	const void *taskloop;           /* where the one stands that makes tasks */
	const void *critical;           /* the name of the critical section that is entered */
	struct openmp_frame outer;
	struct {
		const struct openmp_lock *lock;
		weft_region in;
	} held[OPENMP_HELD]; /* in the order in which their regions lie in each other */
};
extern __thread struct openmp_thread openmp_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct openmp_thread *openmp_thread_first(void);

static inline struct openmp_thread *openmp_me(void)
{
	struct openmp_thread *me = &openmp_thread;
	return WEFT_LIKELY(me->frame != NULL) ? me : openmp_thread_first();
}
/* From a block of the thread's own. */
uint64_t openmp_next_team(struct openmp_thread *me);
static inline uint64_t openmp_next_task(struct openmp_thread *me)
{
	return ++me->next_task;
}

/* ---- bursts in place of constructs: openmp_burst.c ---- */

struct openmp_event;
extern bool openmp_bursts;
void openmp_burst_define(weft_category category);
weft_region openmp_burst_region(enum weft_state_class state); /* one that is off, and says what is done in it */
void openmp_burst_events(const struct openmp_event *e, unsigned n);

/* A region, or in its place what bursts need of it. */
weft_region openmp_define(const char *name, enum weft_state_class state);
/* The same, of what the program has written: its callers are recorded where they are asked for. */
weft_region openmp_define_called(const char *name, enum weft_state_class state);
/* The runtime's code, whose frames are none of the program's: an address in it. Before anything is defined. */
void openmp_is_runtime(const void *address);

/* ---- events ---- */

struct openmp_event {
	weft_def def;
	uint32_t kind; /* WEFT_HEAD_… */
	uint64_t word; /* where the kind has one */
};
#define OPENMP_ENTER(region) ((struct openmp_event){(region), WEFT_HEAD_ENTER, 0})
#define OPENMP_LEAVE(region) ((struct openmp_event){(region), WEFT_HEAD_LEAVE, 0})
#define OPENMP_ATTR(attr, value) ((struct openmp_event){(attr), WEFT_HEAD_ATTR, (uint64_t)(value)})
#define OPENMP_FLOW_OUT(flow, key) ((struct openmp_event){(flow), WEFT_HEAD_FLOW_OUT, (key)})

/* Events of one instant that are off: bursts count them. */
static inline void openmp_off(struct openmp_event a, struct openmp_event b, struct openmp_event c)
{
	if (WEFT_UNLIKELY(openmp_bursts))
		openmp_burst_events((const struct openmp_event[]){a, b, c}, 3);
}
#define OPENMP_NO_EVENT ((struct openmp_event){WEFT_OFF, 0, 0})

static inline void openmp_in(weft_region r)
{
	uint32_t on = *r;
	if (WEFT_LIKELY(on))
		weft_record_head(r, on, on | WEFT_HEAD_ENTER, 0, NULL, 0);
	else
		openmp_off(OPENMP_ENTER(r), OPENMP_NO_EVENT, OPENMP_NO_EVENT);
}
static inline void openmp_out(weft_region r)
{
	uint32_t on = *r;
	if (WEFT_LIKELY(on))
		weft_record_head(r, on, on | WEFT_HEAD_LEAVE, 0, NULL, 0);
	else
		openmp_off(OPENMP_LEAVE(r), OPENMP_NO_EVENT, OPENMP_NO_EVENT);
}
static inline void openmp_enter(enum openmp_region r)
{
	openmp_in(openmp.region[r]);
}
static inline void openmp_leave(enum openmp_region r)
{
	openmp_out(openmp.region[r]);
}
/* Into a task, at the end of the arrow from where it was made. */
static inline void openmp_in_task(weft_region r, uint64_t id)
{
	if (WEFT_LIKELY(*r))
		weft_enter_flow(r, openmp.task, id);
	else
		openmp_off(OPENMP_ENTER(r), OPENMP_NO_EVENT, OPENMP_NO_EVENT);
}
/* A region's begin or end, among others of one instant. */
static inline void openmp_add(struct weft_bundle *b, weft_region r, uint32_t kind)
{
	if (WEFT_LIKELY(*r))
		weft_bundle_add(b, r, kind, 0);
	else
		openmp_off((struct openmp_event){r, kind, 0}, OPENMP_NO_EVENT, OPENMP_NO_EVENT);
}

/*
 * Two or three events of one instant in one record, as weft_bundle does; but what they are is known to the compiler, so that it costs
 * little more than one event. All are of one category.
 */
static inline __attribute__((always_inline)) void openmp_two(struct openmp_event a, struct openmp_event b)
{
	const uint32_t first = *a.def, second = *b.def;
	uint64_t w[3] = {(first | a.kind) | (uint64_t)(second | b.kind) << 32};
	unsigned n = 1;
	if (!first || !second) {
		openmp_off(a, b, OPENMP_NO_EVENT);
		return;
	}
	if (a.kind >> 8)
		w[n++] = a.word;
	if (b.kind >> 8)
		w[n++] = b.word;
	weft_record_head(a.def, first, 2 << 12 | WEFT_HEAD_BUNDLE | n << 8, n, w, 0);
}
static inline __attribute__((always_inline)) void openmp_three(struct openmp_event a, struct openmp_event b,
                                                               struct openmp_event c)
{
	const uint32_t first = *a.def, second = *b.def, third = *c.def;
	uint64_t w[5] = {(first | a.kind) | (uint64_t)(second | b.kind) << 32};
	unsigned n = 1;
	if (!first || !second || !third) {
		openmp_off(a, b, c);
		return;
	}
	if (a.kind >> 8)
		w[n++] = a.word;
	if (b.kind >> 8)
		w[n++] = b.word;
	w[n++] = third | c.kind;
	if (c.kind >> 8)
		w[n++] = c.word;
	weft_record_head(a.def, first, 3 << 12 | WEFT_HEAD_BUNDLE | n << 8, n, w, 0);
}

static inline void openmp_leave_enter(weft_region from, weft_region to)
{
	openmp_two(OPENMP_LEAVE(from), OPENMP_ENTER(to));
}
static inline void openmp_enter_with(weft_region r, weft_attr a, uint64_t value)
{
	openmp_two(OPENMP_ENTER(r), OPENMP_ATTR(a, value));
}

/* Steps of `by` in so long a way, the last one perhaps shorter. */
static inline uint64_t openmp_steps(uint64_t way, int64_t by)
{
	uint64_t step = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
	return step <= 1 ? way : (way + step - 1) / step;
}
static inline void openmp_chunk_begin(struct openmp_frame *f, int64_t first, uint64_t iterations)
{
	openmp_three(OPENMP_ENTER(openmp.region[OPENMP_CHUNK]), OPENMP_ATTR(openmp.first, first),
	             OPENMP_ATTR(openmp.iterations, iterations));
	f->open |= OPENMP_OPEN_CHUNK;
}
static inline void openmp_chunk_end(struct openmp_frame *f)
{
	if (f->open & OPENMP_OPEN_CHUNK)
		openmp_leave(OPENMP_CHUNK);
	f->open &= ~(uint32_t)OPENMP_OPEN_CHUNK;
}
/* Whatever is open in the frame ends here: a single without a barrier has no end of its own, a loop that is cancelled none of its chunk. */
void openmp_close_open(struct openmp_frame *f);
static inline void openmp_close(struct openmp_frame *f)
{
	if (WEFT_UNLIKELY(f->open != 0))
		openmp_close_open(f);
}
void openmp_loop_begin(struct openmp_frame *f, enum openmp_region loop, uint64_t iterations, uint64_t chunk);
void openmp_sections_begin(struct openmp_frame *f, unsigned n);
void openmp_section(struct openmp_frame *f, unsigned number); /* 0: there are no more */
void openmp_single_begin(struct openmp_frame *f);
void openmp_tell_in_vain(struct openmp_thread *me);

/* One thread's part of a team's work. Behind it a worker is idle, and who has met the construct waits for the others. */
void openmp_body_begin(struct openmp_frame *f, weft_region body, uint64_t team, bool is_worker);
void openmp_body_end(struct openmp_frame *f, weft_region body, bool is_worker);
void openmp_parallel_begin(weft_region construct, uint64_t team, unsigned threads);
void openmp_parallel_end(weft_region construct, bool joined);
void openmp_task_begin(struct openmp_task *t, weft_region body, uint64_t id);
void openmp_task_end(struct openmp_task *t, weft_region body);

/* ---- locks and critical sections by address: openmp_lock.c ---- */

enum { OPENMP_LOCKS = 1024 };
extern struct openmp_lock openmp_locks[OPENMP_LOCKS + 1];
/* The lock at this address is another one from here on. */
void openmp_lock_new(const void *address);
const struct openmp_lock *openmp_lock_search(const void *address, const void *critical);
static inline unsigned openmp_lock_place(const void *address)
{
	return (unsigned)((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u >> 54) % OPENMP_LOCKS;
}
/* critical: the name's variable, where it is a critical section; else NULL. Thread-safe, without a lock where it is known. */
static inline const struct openmp_lock *openmp_lock_of(const void *address, const void *critical)
{
	const struct openmp_lock *l = &openmp_locks[openmp_lock_place(address)];
	return WEFT_LIKELY(__atomic_load_n(&l->address, __ATOMIC_ACQUIRE) == address) ? l : openmp_lock_search(address, critical);
}

/* The caller has it; waited: its region of waiting is open. */
void openmp_lock_held_slowly(struct openmp_thread *me, const struct openmp_lock *l, bool waited);
static inline void openmp_lock_held(const struct openmp_lock *l, bool waited)
{
	struct openmp_thread *me = openmp_me();
	uint32_t at = me->n_held;
	if (WEFT_UNLIKELY(waited || me->in_vain || at >= OPENMP_HELD)) {
		openmp_lock_held_slowly(me, l, waited);
		return;
	}
	me->n_held = at + 1;
	me->held[at].lock = l;
	me->held[at].in = l->hold;
	openmp_in(l->hold);
}
/* Regions lie in each other, and locks need not: those that were taken later go on in a region of another name. */
void openmp_lock_released_slowly(struct openmp_thread *me, const struct openmp_lock *l);
static inline void openmp_lock_released(const struct openmp_lock *l)
{
	struct openmp_thread *me = openmp_me();
	uint32_t n = me->n_held;
	if (WEFT_UNLIKELY(!n || n > OPENMP_HELD || me->held[n - 1].lock != l)) {
		openmp_lock_released_slowly(me, l);
		return;
	}
	me->n_held = n - 1;
	openmp_out(me->held[n - 1].in);
}

#endif
