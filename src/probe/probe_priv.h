/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a session share. */
#ifndef WEFT_PROBE_PROBE_PRIV_H
#define WEFT_PROBE_PROBE_PRIV_H

#include "probe.h"
#include "probe/code/probe_code.h"
#include "probe/image/probe_image.h"
#include "base/clock.h"
#include "link/link_ring.h"
#include <pthread.h>
#include <sys/uio.h>
#include <time.h>

static inline uint64_t probe_now_ms(void)
{
	return weft_monotonic_ns() / 1000000;
}

static inline void probe_sleep_us(long us)
{
	nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

struct probe_module {
	char *path; /* owned */
	uint64_t from, bias;
	struct probe_image *image; /* owned; NULL: not opened yet, or not possible */
	bool tried, here;          /* here: it was in the map when that was last read */
};

/* Something that is done at a site; programs of sites are all of theirs, one after the other. */
struct probe_part {
	uint32_t site;
	unsigned when, flags, n;
	struct link_op *op; /* owned */
	uint32_t owner;     /* number of the request or action that it came with */
};

struct probe_site {
	uint64_t addr;     /* of the function; 0: free */
	uint64_t text_end; /* of the code around it that is nothing but code; 0: not known */
	struct probe_way way;
	uint8_t original[LINK_PATCH_BYTES], now[LINK_PATCH_BYTES];
	uint64_t copy[LINK_PATCH_BYTES]; /* of its displaced instructions, in the newest stub */
	const char *symbol;
	bool patched, other_now, loops; /* loops: turns of a loop cannot be told from entries */
	unsigned kinds;                 /* of its stub: enum probe_stub_kind */
	unsigned uses[3];               /* how many want it: counted, at entry, at exit */
	bool is_other;                  /* replaced: by `other`, or by nothing (0) */
	unsigned returns;               /* then: enum probe_returns */
	uint64_t other, original_entry;
	uint64_t exit_stub;
};

struct probe_done {
	uint32_t tag;
	struct link_done done;
};

/* The process of a session: probe_peer.c. */
struct probe_peer {
	int dir, memory; /* of /proc; memory -1: not allowed */
	uid_t uid;       /* which it must have, in all ways */
};

struct probe_session {
	int socket;
	struct probe_peer *peer; /* owned; NULL: known by its pid only */
	struct link_hello agent;
	char *rings; /* mapping of all rings */
	uint32_t next_ring;
	uint32_t *tid;               /* of each ring: whose events come now; owned */
	uint64_t *told, *told_until; /* of each ring: how many lost events were said, and when the last was lost; owned */
	uint64_t lost;
	struct {
		struct probe_module *at;
		size_t n, cap;
	} modules; /* the executable first */
	struct probe_place place;
	struct probe_site *site;        /* LINK_SITES; owned */
	uint64_t site_addr[LINK_SITES]; /* their addresses again, close together */
	uint32_t n_sites;
	struct {
		struct probe_part *at;
		size_t n, cap;
	} parts;
	bool hooked;                  /* the unwinders are */
	uint32_t owners;              /* of parts, given out */
	bool (*meanwhile)(void *ctx); /* or NULL: probe_meanwhile */
	bool insists;                 /* its answer does not count: what is waited for is being done */
	void *meanwhile_ctx;
	uint32_t tag;
	struct link_packet *in, *out; /* owned */
	struct {
		struct probe_done *at;
		size_t n, cap;
	} done;           /* of actions, that nobody has asked for yet */
	uint32_t entered; /* link_ring.entered, as it was when somebody looked */
	uint64_t changing_ns;
	uint64_t looked_ms; /* for threads that block SIGTRAP, and found none */
};

/* ---- probe_session.c ---- */

struct session_terms {
	uid_t uid;
	const struct link_secret *secret; /* borrowed while it begins */
};
/*
 * A session over a socket on which the agent has said HELLO; the socket is its own from then on,
 * also when that fails.
 */
int session_begin(int socket, const struct session_terms *terms, struct probe_session **out,
                  struct weft_err *err) WEFT_MUST_CHECK;
void session_forget(struct probe_session *s); /* what is known of the process's modules and map */

/* Sends what is in s->out and waits for its answers, in s->in. */
int session_exchange(struct probe_session *s) WEFT_MUST_CHECK;
int session_exchange_with(struct probe_session *s, int fd) WEFT_MUST_CHECK; /* and this descriptor; -1: none */
int session_wait(struct probe_session *s, int timeout_ms) WEFT_MUST_CHECK;
int session_wait_done(struct probe_session *s, uint32_t tag, int timeout_ms, struct link_done *out) WEFT_MUST_CHECK;
void session_begin_packet(struct probe_session *s);
/* One message with a payload; answer: bytes of it that are wanted. */
int session_ask(struct probe_session *s, enum link_kind kind, const void *payload, uint32_t n, void *answer,
                uint32_t n_answer) WEFT_MUST_CHECK;

/* ---- probe_peer.c ---- */

/* The process that connected by this socket, when it is of that user in all ways. */
int peer_open(struct probe_peer **out, int socket, pid_t pid, uid_t uid) WEFT_MUST_CHECK;
/* Of a process that has not connected: whoever has that number now. */
int peer_of(struct probe_peer **out, pid_t pid) WEFT_MUST_CHECK;
void peer_close(struct probe_peer *p);
/*
 * It is still there, and still of that user alone: asked after what was read by its number, and
 * before it is traced. NULL: 0.
 */
int peer_check(const struct probe_peer *p) WEFT_MUST_CHECK;
int peer_exe(const struct probe_peer *p, char *out, size_t room) WEFT_MUST_CHECK;

/* ---- probe_process.c ---- */

int process_read_map(struct probe_session *s) WEFT_MUST_CHECK;
/* Whether that image is still loaded there; reads the map anew. */
bool process_has(struct probe_session *s, const struct probe_image *image, uint64_t bias);
struct probe_image *process_image(struct probe_session *s, struct probe_module *m);
int process_read(const struct probe_session *s, uint64_t addr, void *to, size_t n) WEFT_MUST_CHECK;
/*
 * Ranges, one behind the other: how many bytes of all of them, from the first on, or a negative
 * errno value.
 */
ssize_t process_read_ranges(const struct probe_session *s, const struct iovec *from, size_t n, void *to, size_t bytes);

/* ---- probe_tracee.c: threads of a process under ptrace ---- */

enum tracee_state {
	TRACEE_RUNS = 1,  /* as far as ptrace is concerned */
	TRACEE_TRAPPED,   /* at our request */
	TRACEE_SIGNAL,    /* about to get a signal */
	TRACEE_SUSPENDED, /* with its process, by SIGSTOP or a terminal */
	TRACEE_ENDED      /* and reaped */
};

/* All of these in one thread of ours, begun by tracer_start. -ESRCH: the thread has ended. */
int tracee_seize(pid_t pid, pid_t tid) WEFT_MUST_CHECK;
/*
 * Stops it, after the signals that it gets on the way: TRACEE_TRAPPED, TRACEE_SUSPENDED (which must
 * stay so), or TRACEE_RUNS: in a system call that cannot be interrupted, at whose end it stops.
 */
int tracee_stop(pid_t pid, pid_t tid, int timeout_ms) WEFT_MUST_CHECK;
void tracee_detach(pid_t tid); /* of a stopped one */
enum tracee_state tracee_state(pid_t pid, pid_t tid, int *sig);
/* A letter of /proc/PID/task/TID/stat, or 0. */
char tracee_proc_state(pid_t pid, pid_t tid);
/* Number of the system call that it waits in, without disturbing it. */
long tracee_call(pid_t pid, pid_t tid);
enum { TRACEE_ELSEWHERE = -1, TRACEE_IN_KERNEL = -2 }; /* it runs, or nobody knows; in a page fault */

/* A thread of ours that traces; all that it traces is let go by the kernel when it ends. */
struct tracer {
	void (*call)(void *ctx);
	void *ctx;
	pthread_t thread;
};
int tracer_start(struct tracer *t) WEFT_MUST_CHECK;
void tracer_join(struct tracer *t);

/* ---- probe_trampoline.c: what a thread is made to run ---- */

/* Lies on the thread's stack, below its red zone; offsets are in the assembly. */
struct trampoline_args {
	uint64_t dlopen, dlsym, errno_location; /* functions of libc; the last: 0 where dlsym finds errno_name */
	uint64_t path, symbol, name;            /* dlopen(path), then its symbol(name) */
	uint64_t frame;                         /* the thread's registers, struct trampoline_frame */
	uint64_t restart;                       /* enum trampoline_restart */
	uint64_t mask, all;                     /* signals: the thread's own (written by it); those that it blocks meanwhile */
	uint64_t wait_s, wait_ns, none;         /* timespec; the empty set */
	uint64_t done;                          /* 1: what follows is known, and all but registers and mask is restored */
	uint64_t stack, handle, function, result;
	uint64_t pending, action[4], mxcsr, errno_name;
};
enum trampoline_restart {
	TRAMPOLINE_NO_CALL,    /* no system call was interrupted */
	TRAMPOLINE_ALWAYS,     /* it begins again also behind a handler */
	TRAMPOLINE_BY_HANDLER, /* as the handler's SA_RESTART says */
	TRAMPOLINE_NO_HANDLER  /* only where no handler runs */
};
struct trampoline_frame { /* in the order in which it is popped; the red zone follows */
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, eflags, rip;
};
#define TRAMPOLINE_RED_ZONE 128u
#define TRAMPOLINE_STACK_BYTES (512u << 10)

struct trampoline_code {
	const uint8_t *bytes;
	size_t n, masked, wait, wait_end; /* from `masked` on signals are blocked; between the others it waits for us */
};
struct trampoline_code trampoline_code(void);

/* ---- probe_stop.c ---- */

struct stop;                                         /* threads that are stopped */
unsigned stop_blocks(const struct probe_session *s); /* enum link_blocks, as far as the agent has seen */
/*
 * Stops the threads that block SIGTRAP, outside of the patches. *out NULL: there are none. Then
 * stop_end.
 */
int stop_begin(struct probe_session *s, const struct link_patch *p, unsigned n, struct stop **out,
               struct weft_err *err) WEFT_MUST_CHECK;
void stop_end(struct stop *stop);

/* ---- probe_site.c ---- */

/* What has to be told so that a site's stub is as it is wanted now. */
struct site_change {
	uint32_t id;
	unsigned kinds; /* of the stub from then on */
	bool stub_new, patch_new;
	struct link_patch patch;
	struct probe_stub stub;
	struct probe_range map;
};
struct site_changes {
	struct site_change *at; /* owned */
	size_t n, cap;
};
/*
 * Reads the code of functions, in one go as far as that can be, into memory that is the caller's
 * then (NULL: nothing could be read).
 */
uint8_t *site_read_codes(struct probe_session *s, struct probe_found *f, size_t n);
/* The site of a function, made when it is new; or a reason. */
int site_get(struct probe_session *s, const struct probe_found *f, struct weft_err *err) WEFT_MUST_CHECK;
/* One whose entries are looked at: it has to be known what is one. */
int site_get_entered(struct probe_session *s, const struct probe_found *f, struct weft_err *err) WEFT_MUST_CHECK;
/* What its uses and parts ask for now. 1: *out says what; 0: nothing but its programs. */
int site_plan(struct probe_session *s, uint32_t id, struct site_change *out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * plan and apply, for sites (in the order of their addresses) whose uses or parts have changed;
 * when it fails, nothing in the process has.
 */
int site_update(struct probe_session *s, const uint32_t *id, unsigned n, struct weft_err *err) WEFT_MUST_CHECK;
int site_add_part(struct probe_session *s, struct probe_part part) WEFT_MUST_CHECK; /* copies its instructions */
void site_drop_parts(struct probe_session *s, uint32_t owner);
/* Why the exit of that function cannot be watched, or NULL. */
const char *site_no_exit(const char *symbol);
/*
 * The ways to patch a function, from its bytes as they are in the process; all that a patch may
 * change lies in the first ones.
 */
#define SITE_FIRST_BYTES 32
int site_read_ways(struct probe_session *s, const struct probe_found *f, struct probe_ways *ways, uint8_t first[SITE_FIRST_BYTES],
                   struct weft_err *err) WEFT_MUST_CHECK;
/* ---- probe_packet.c ---- */

/* Sends changes, and the programs of all their sites, in one packet. */
int site_apply(struct probe_session *s, struct site_changes *c, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sends what is in s->out, with these patches in it, while threads that block SIGTRAP are stopped;
 * and again, when another one has begun to. The answer to the patches is in s->in.
 */
int site_exchange(struct probe_session *s, const struct link_patch *p, unsigned n, struct weft_err *err) WEFT_MUST_CHECK;
/* The patches' message in a packet; NULL: there is none. */
struct link_head *site_patches_in(struct link_packet *packet);

/* ---- probe_hook.c ---- */

/* A stub that is no site's, with its patch. Claims its place when all went well. */
int site_send_stub(struct probe_session *s, const struct probe_stub *stub, struct probe_range map,
                   const struct link_patch *patch) WEFT_MUST_CHECK;
int site_send_patch(struct probe_session *s, const struct link_patch *patch) WEFT_MUST_CHECK; /* one without a stub */
int site_hook_unwinders(struct probe_session *s, struct weft_err *err) WEFT_MUST_CHECK;

/* ---- probe_sweep.c ---- */

#define PROBE_FOLDER_PREFIX "weft-"
#define PROBE_FOLDER_DIGITS 24u
/*
 * Removes folders of dead controllers of this user in `place` that have not changed for old_s
 * seconds; how many.
 */
unsigned probe_sweep(const char *place, int old_s);

/* ---- probe_action.c ---- */

struct probe_action;
struct act { /* one that is being done or undone */
	struct probe_session *s;
	struct probe_action *a;
	struct weft_err *err;
};
int action_function(struct act *x, const char *name, struct probe_found *out) WEFT_MUST_CHECK; /* the only one of that name */

/* ---- probe_action_calls.c ---- */

/*
 * The calls of f in the function x->a->object. returns: enum probe_returns, what the caller finds
 * instead.
 */
int action_remove_calls(struct act *x, const struct probe_found *f, unsigned returns) WEFT_MUST_CHECK;
int action_undo_calls(struct act *x) WEFT_MUST_CHECK;

#endif
