/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the agent share: it lives in other people's processes.
 *
 *     stub --> agent_hit.c      on threads of the program: programs of sites, events, shadow stacks. No libc, no vector registers
 *              agent_frame.c    shadow stacks: where functions return to; what unwinders and longjmp leave
 *              agent_foreign.c  the same for stacks that are no thread's own
 *              agent_thread.c   blocks of threads, rings: what the first hit of a thread needs
 *     socket   agent_command.c  the command thread: answers the controller
 *              agent_patch.c    changes code while threads run
 *              agent_load.c     loads libraries, and refuses those that others could have written
 *              agent_signal.c   SIGTRAP, SIGSEGV: threads that are in the way of a patch; loads that fail
 *              agent.c          begin, fork, end
 *
 * Two reservations hold what threads have, at the same index: a block, and at a fixed distance its
 * wiped half, which the kernel zeroes in every forked child.
 */
#ifndef WEFT_AGENT_PRIV_H
#define WEFT_AGENT_PRIV_H

#include "base/atomic.h"
#include "base/fs.h"
#include "link/link_proto.h"
#include "link/link_ring.h"
#include <signal.h>

#define AGENT_HIDDEN __attribute__((visibility("hidden")))

/*
 * System calls without libc, whose errno belongs to the program: a negative errno value when they
 * fail.
 */
static inline long agent_syscall(long number, const long a[6])
{
	long result;
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}

/* ---- registers, as stubs push them ---- */

struct agent_regs {
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
	uint64_t ret; /* the return slot */
};
/* xmm0..7, 16 bytes each, in front of the registers, where the site's stub saves them. */
static inline uint64_t *agent_xmm(struct agent_regs *r, unsigned index)
{
	return (uint64_t *)((char *)r - 128 + 16 * (index & 7));
}

/* ---- threads ---- */

/*
 * A function that is watched to its end. Functions that end in tail calls of each other share one
 * slot: each one's `original` is the stub of the one before, and the slot holds the last one's;
 * such a chain is left, and passed by unwinders, as a whole.
 */
struct agent_frame {
	uint64_t slot;     /* address of its return address; odd, or 0: not in use, or not filled in yet */
	uint64_t original; /* which was this */
	uint64_t stub;     /* and now is this */
	uint32_t site, has_xmm;
	uint64_t param[6];
};
struct agent_vector { /* low halves of xmm0..7, where the stub had saved them */
	uint64_t xmm[8];
};
struct agent_kept { /* a frame that is in no array */
	struct agent_frame frame;
	struct agent_vector vector;
};

#define AGENT_BLOCKS 8192u              /* fewer where the address space is limited */
#define AGENT_BLOCK_BYTES (128u * 1024) /* not more: all of them must leave addresses for stubs within 2 GiB */
#define AGENT_FRAMES ((AGENT_BLOCK_BYTES - 256u) / (sizeof(struct agent_frame) + sizeof(struct agent_vector)))

#define AGENT_RING_BYTES (4u << 20) /* of addresses: levels of 64 KB to 2 MB */
#define AGENT_RING_LEAST (64u * 1024)

/*
 * Frames of a thread's own stack lie in an array, in the order of their slots: from `base`, which
 * is a sentinel, up to `top`. In the block there is room for AGENT_FRAMES of them; where these do
 * not do, the array is elsewhere, and moves when it grows. `vector` is as long.
 */
struct agent_thread {
	uint32_t tid;
	uint32_t ours;             /* of the agent, or of libweft */
	volatile uint64_t busy;    /* address of the registers of the hit that writes to the ring; 0: none does */
	volatile uint32_t calling; /* a call that a program asked for is running */
	volatile uint32_t records; /* it is inside of libweft, which the agent has called */
	uint32_t exact;            /* the stack's bounds are known; else they are a guess */
	uint64_t stack, stack_bytes;
	uint64_t stack_low;               /* it may have grown down to here meanwhile */
	struct agent_frame *volatile top; /* behind the innermost frame */
	struct agent_frame *base, *limit;
	struct agent_frame *volatile bare; /* slots of frames before it hold their own return addresses: an unwinder was here */
	struct agent_vector *vector;
	uint64_t unwinding; /* slot of the unwinder that is at work: hits below it are its own; 0: none is */
	struct agent_frame frame[];
};

struct agent_wiped {
	uint64_t count[LINK_SITES];
	struct link_producer ring; /* ring.ring NULL: none yet, or this is a forked child */
	uint64_t told;             /* the ring's THREAD record names this tid */
	uint64_t gave_up;          /* to wait for room: link_ring_wait */
	uint64_t full;             /* entries that got no frame */
	uint64_t unwound;          /* frames that were left without a return */
	uint64_t faults;
};

extern AGENT_HIDDEN __thread struct agent_thread *agent_self __attribute__((tls_model("initial-exec")));
extern AGENT_HIDDEN uint64_t agent_distance;
static inline struct agent_wiped *agent_wiped_of(struct agent_thread *t)
{
	return (struct agent_wiped *)((char *)t + agent_distance);
}

/* ---- sites ---- */

struct agent_program {
	uint32_t n, flags, words;       /* words: the most that its event takes */
	uint32_t event_kind;            /* of a record of libweft's, as in place for its head */
	const volatile uint32_t *event; /* its definition; NULL: no event of libweft's */
	const volatile uint32_t *plain; /* the same where that is all, a head without payload; else NULL */
	struct link_op op[LINK_PROGRAM_OPS];
};

struct agent_action { /* a synchronised one */
	struct agent_program program;
	uint32_t tag;
	struct link_done done;
	struct weft_atomic_u32 state;
};
enum agent_action_state { AGENT_ACTION_FREE, AGENT_ACTION_HANGS, AGENT_ACTION_RUNS, AGENT_ACTION_DONE };
#define AGENT_ACTIONS 256u

struct agent_site {
	uint32_t id, reserved;
	struct weft_atomic_u64 exit_stub;           /* of the newest stub; 0: not watched to its end */
	struct weft_atomic_ptr program[LINK_WHENS]; /* struct agent_program */
	struct weft_atomic_ptr action[LINK_WHENS];  /* struct agent_action */
	uint64_t unused[2];
};

struct agent {
	char *blocks; /* n_most of them; the wiped halves follow */
	uint32_t n_most;
	struct weft_atomic_u32 n_blocks; /* that were ever taken */
	struct weft_atomic_u32 lock;     /* of taking one */
	struct link_ring *rings;         /* first of them */
	uint32_t ring_bytes;
	int memory, socket, maps;      /* descriptors; maps: /proc/self/maps */
	struct weft_atomic_u32 ending; /* no frame is to be watched again */
	uint32_t pid;
	struct agent_site site[LINK_SITES];
	struct agent_action action[AGENT_ACTIONS];
	struct weft_atomic_u64 unblocked; /* hits of threads that found no block */
	struct weft_atomic_u64 traps;
	struct weft_atomic_u32 released; /* futex: counts RELEASE */
	int wake[2];                     /* the command thread is woken by it */
	char path[108];                  /* of the run's folder */
	struct link_secret secret;
	bool known;                      /* the controller has shown its token: what it says counts */
	struct weft_atomic_u32 go;       /* futex: the controller has said GO, or is gone */
	struct weft_atomic_u32 patching; /* code is being changed: who wants to block SIGTRAP waits */
	struct weft_atomic_u32 alone;    /* processes that this one makes are not wanted */
};
extern AGENT_HIDDEN struct agent agent;

/* ---- agent_hit.c: called by stubs ---- */

/*
 * The site's lowest bit: the stub has saved vector registers. stub: where this one has the function
 * return to; 0: it does not.
 */
AGENT_HIDDEN int agent_enter(uint64_t site, struct agent_regs *r, uint64_t stub);
AGENT_HIDDEN void agent_leave(uint64_t site, struct agent_regs *r);
/*
 * A frame was left without a return: its exit's event, with a mark. r: of the hit that has found
 * that.
 */
void agent_left(struct agent_thread *t, const struct agent_kept *f, struct agent_regs *r);

/* ---- agent_frame.c: frames of a thread's own stack ---- */

static inline bool agent_on_stack(const struct agent_thread *t, uint64_t slot)
{
	return slot - t->stack < t->stack_bytes;
}
void agent_frames_begin(struct agent_thread *t); /* of a new thread: it has none */
bool agent_frames_learn(struct agent_thread *t,
                        uint64_t slot); /* whether the slot is on the thread's own stack, as far as is known */
/*
 * Before a hit is recorded: leaves the frames that it shows to be gone. False: it is not on the
 * thread's own stack.
 */
bool agent_frames_settle(struct agent_thread *t, struct agent_regs *r);
bool agent_frames_grow(struct agent_thread *t);
void agent_frames_rearm(struct agent_thread *t, uint64_t at); /* a hit at `at`: some of the bare frames are watched again */
uint64_t agent_frame_lost(struct agent_thread *t,
                          uint64_t slot); /* return address of a frame that is on no list of this thread's; 0: none */
void agent_frames_end(void);              /* when nothing is watched any more: until no frame returns to a stub */
/* An unwinder begins, or has found its handler: site is enum link_unwind. */
AGENT_HIDDEN int agent_unwind(uint64_t site, struct agent_regs *r);

/*
 * ---- agent_foreign.c: frames of all other stacks (coroutines, sigaltstack), which any thread may
 * carry on ----
 */

struct agent_foreign {
	struct agent_kept kept;
	struct agent_foreign *next;
	uint32_t tid, bare;
};
/* Before a hit at r is recorded: frames of its slot that are gone. */
void agent_foreign_settle(struct agent_thread *t, struct agent_regs *r);
bool agent_foreign_push(struct agent_thread *t, const struct agent_frame *f, const struct agent_vector *v);
bool agent_foreign_take(uint64_t slot, struct agent_foreign *out);
/*
 * Those of this thread above `from` get their return addresses; those up to `to` are left, and the
 * others watched again.
 */
void agent_foreign_unwind(uint64_t from);
void agent_foreign_caught(struct agent_thread *t, uint64_t from, struct agent_regs *r);
unsigned agent_foreign_alive(bool restore); /* as in agent_frames_end */
void agent_foreign_forked(void);

/* ---- agent_thread.c ---- */

int agent_thread_init(void);
AGENT_HIDDEN struct agent_thread *agent_first(void); /* the block of this thread, or NULL */
bool agent_on_other_stack(void);                     /* this is a handler on sigaltstack */
bool agent_ring_open(struct agent_thread *t);        /* false: this thread has no ring, its events are lost */
uint64_t agent_count(uint32_t site);
void agent_status(struct link_status *out);
void agent_thread_forked(void);     /* in a child of fork(): only this thread is left, and nothing is shared */
void agent_hold(uint32_t released); /* until agent.released is another number */
void agent_wake_command(void);
long agent_signals_block(uint64_t *before); /* all of them, of this thread */
void agent_signals_unblock(const uint64_t *before);
struct agent_thread *agent_block(uint32_t index); /* that was ever taken, or is NULL */
bool agent_lives(const struct agent_thread *t);
/* Whether a word holds that; false where it cannot be read. By a system call: may be anywhere. */
bool agent_word_is(uint64_t addr, uint64_t value);

/* ---- agent_signal.c ---- */

struct agent_peeked {
	uint64_t value, bad;
};
/* Loads and stores that may fail; size 1, 2, 4, 8. */
AGENT_HIDDEN struct agent_peeked agent_peek(uint64_t addr, uint64_t size);
AGENT_HIDDEN struct agent_peeked agent_poke(uint64_t addr, uint64_t size, uint64_t value);
AGENT_HIDDEN struct agent_peeked agent_copy(uint64_t addr, uint64_t bytes, void *to); /* its value is nothing */
/* False also where nothing is mapped. */
AGENT_HIDDEN bool agent_exchange(uint64_t addr, uint64_t expected, uint64_t value);
void agent_signal_blocks(uint32_t how); /* enum link_blocks */
int agent_signal_ensure(bool faults);   /* our handlers are the installed ones; those of the program are called behind */

/* ---- agent_patch.c ---- */

int agent_patch_init(void);
void agent_patch_text(struct link_range pages); /* of code that the next patches are in, and nothing else */
/*
 * Each: 0 or a negative errno value in rc[k]; all -EAGAIN when `looked` and a thread has begun to
 * block SIGTRAP since.
 */
void agent_patch(const struct link_patch *p, unsigned n, int *rc, bool looked);
bool agent_patch_target(uint64_t addr, uint64_t *target); /* async-signal-safe: a trap at addr goes on there */
void agent_patch_undo(bool alone);                        /* takes all insertions out; alone: there is one thread */
uint32_t agent_patches(void);
int agent_memory_write(uint64_t addr, const void *from, size_t n); /* whatever its protection */
int agent_memory_read(uint64_t addr, void *to, size_t n);
unsigned agent_traps_blocked(void); /* threads that block SIGTRAP, which a trap would kill */

/* Calls a function of the program with all vector state kept. */
AGENT_HIDDEN uint64_t agent_call(uint64_t function, const uint64_t *arg, const double *xmm, uint64_t *xmm0);

/* ---- agent_record.c: see agent_record_priv.h ---- */

int agent_record_open(const char *directory, char *why, size_t room);      /* 0, or a negative errno value, and why */
uint64_t agent_record_define(enum link_definition what, const char *name); /* 0: nothing can be defined */
bool agent_record_goes_on(void);           /* probes stay in when the controller is gone, and in children */
AGENT_HIDDEN void agent_record_lost(void); /* of this thread: an event that could not be recorded */

/* ---- agent_command.c ---- */

void *agent_command_main(void *arg);
int agent_send_hello(bool attached);

/* ---- agent_load.c ---- */

/*
 * The library that fd is (the caller's still), or, fd < 0, one of that name by the program's own
 * search. Its handle; NULL: *why says why not, until the next call.
 */
void *agent_load(const char *name, int fd, const char **why);

/* ---- agent.c ---- */

struct link_clock agent_clock(void);
int agent_begin(const char *path, bool attached);

/* ---- agent_sample.c ---- */

int agent_sample(const char *settings); /* as LINK_SAMPLE says */

#endif
