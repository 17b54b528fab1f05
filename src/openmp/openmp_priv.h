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
	uint64_t next_task;
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
uint64_t openmp_next_team(void);
static inline uint64_t openmp_next_task(struct openmp_thread *me)
{
	return ++me->next_task;
}

/* ---- events ---- */

static inline void openmp_enter(enum openmp_region r)
{
	weft_enter(openmp.region[r]);
}
static inline void openmp_leave(enum openmp_region r)
{
	weft_leave(openmp.region[r]);
}
static inline void openmp_leave_enter(weft_region from, weft_region to)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, from, WEFT_HEAD_LEAVE, 0);
	weft_bundle_add(&b, to, WEFT_HEAD_ENTER, 0);
	weft_bundle_record(&b);
}
static inline void openmp_enter_with(weft_region r, weft_attr a, uint64_t value)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, r, WEFT_HEAD_ENTER, 0);
	weft_bundle_add(&b, a, WEFT_HEAD_ATTR, value);
	weft_bundle_record(&b);
}

/* Steps of `by` in so long a way, the last one perhaps shorter. */
static inline uint64_t openmp_steps(uint64_t way, int64_t by)
{
	uint64_t step = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
	return step <= 1 ? way : (way + step - 1) / step;
}
static inline void openmp_chunk_begin(struct openmp_frame *f, int64_t first, uint64_t iterations)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, openmp.region[OPENMP_CHUNK], WEFT_HEAD_ENTER, 0);
	weft_bundle_add(&b, openmp.first, WEFT_HEAD_ATTR, (uint64_t)first);
	weft_bundle_add(&b, openmp.iterations, WEFT_HEAD_ATTR, iterations);
	weft_bundle_record(&b);
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

/* The lock at this address is another one from here on. */
void openmp_lock_new(const void *address);
/* critical: the name's variable, where it is a critical section; else NULL. Thread-safe, without a lock where it is known. */
const struct openmp_lock *openmp_lock_of(const void *address, const void *critical);
/* The caller has it; waited: its region of waiting is open. */
void openmp_lock_held(const struct openmp_lock *l, bool waited);
/* Regions lie in each other, and locks need not: those that were taken later go on in a region of another name. */
void openmp_lock_released(const struct openmp_lock *l);

#endif
