/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What controller and agent say to each other, over a unix seqpacket socket that the controller listens on (link_folder.h).
 *
 * A packet is one or more messages, each a head and its payload, padded to 8 bytes. The agent begins with HELLO (and the
 * descriptor of its rings), the controller with its own, which is not answered; then the controller asks and the agent answers: one packet for one packet, the answers in the order of
 * the questions, with the question's `tag`. The one exception is ACT, whose answer (DONE) comes in a packet of its own when a
 * thread has passed the site. Both run on one machine: numbers are in its byte order.
 */
#ifndef WEFT_LINK_PROTO_H
#define WEFT_LINK_PROTO_H

#include "base/err.h"
#include "link_folder.h"
#include <stdbool.h>
#include <stdint.h>

#define LINK_VERSION 6u
#define LINK_PACKET_BYTES (128u * 1024) /* the most in one packet; below the usual limit of a socket's buffer */
#define LINK_SITES 1024u                /* functions that can be instrumented at once */
#define LINK_PATCH_BYTES 8u
#define LINK_ENVIRONMENT "WEFT_AGENT_SOCKET"
#define LINK_ENVIRONMENT_RING "WEFT_AGENT_RING_KB" /* the most that a thread's ring may take; 4096 without */
/* Functions of the agent: one that may have probes, to measure what they cost, and one that calls that and returns picoseconds a call. */
#define LINK_TARGET "weft_agent_target"
#define LINK_MEASURE "weft_agent_measure"

/* The clock of events. Where there are no probes, there is none. */
static inline uint64_t link_ticks(void)
{
#if defined __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

enum link_kind {
	LINK_HELLO = 1, /* link_hello; of the controller: its token */
	LINK_GO,        /* the program may enter main; uint32_t: 0 when processes that it makes are not wanted */
	LINK_MAP,       /* link_range: pages for code, exactly there */
	LINK_CODE,      /* link_range, then the bytes; only into pages of LINK_MAP */
	LINK_SITE,      /* link_site, then its instructions */
	LINK_PATCH,     /* link_patch[] */
	LINK_COUNT,     /* link_range: sites from addr, n of them; answer: uint64_t[n] */
	LINK_READ,      /* link_range; answer: the bytes */
	LINK_WRITE,     /* link_range, then the bytes; answer: what was there */
	LINK_CALL,      /* link_call; answer: link_called */
	LINK_LOAD, /* a library, by the descriptor that comes along, or by a name without a slash; answer: uint64_t handle, or a text with rc < 0 */
	LINK_UNLOAD,  /* uint64_t handle */
	LINK_ACT,     /* link_site of a synchronised action, then its instructions */
	LINK_CANCEL,  /* link_site: takes back an action that nobody has run yet */
	LINK_DONE,    /* link_done */
	LINK_RELEASE, /* threads that are held go on */
	LINK_DETACH,  /* takes everything out and ends the connection */
	LINK_STATUS,  /* answer: link_status */
	LINK_TEXT,    /* link_range: pages of code, nothing else, of which many are about to be patched in this packet */
	LINK_RECORD, /* a directory's path (or ""), ended by 0: programs' EVENT goes to libweft, and into this trace where the environment
	                   names none; answer: nothing, or why not with rc < 0 */
	LINK_DEFINE, /* link_define, then a name, ended by 0; answer: uint64_t, what EVENT and VALUE are to hold */
	LINK_SAMPLE, /* as in WEFT_SAMPLE: samples begin; LINK_SAMPLE_END: they end; "": threads that began since are looked for. Ended by 0 */
	LINK_KINDS
};

struct link_head {
	uint32_t kind, bytes; /* of the payload, without padding */
	int32_t rc;           /* answers: 0 or a negative errno value */
	uint32_t tag;
};

struct link_clock {
	uint64_t ticks, monotonic_ns, realtime_ns; /* one instant */
};

/* Entries of the agent that stubs call, and where things lie. */
struct link_hello {
	uint32_t version, pid;
	struct link_clock clock;
	int64_t self_offset;               /* of the thread's block pointer, from fs */
	uint64_t sites;                    /* address of site 0 */
	uint64_t enter, leave;             /* int enter(site, regs); void leave(site, regs) */
	uint64_t first;                    /* void first(void): this thread has no block yet */
	uint64_t unwind;                   /* void unwind(regs) */
	uint32_t site_bytes, count_offset; /* a counter: block + count_offset + 8 * site */
	uint32_t ring_bytes, n_rings;      /* each ring in the memfd, its head included */
	uint32_t traps_blocked, attached;  /* threads that block SIGTRAP; 1: injected into a running process */
	unsigned char token[LINK_TOKEN_BYTES];
	char exe[256]; /* the controller's own finding: what comes is overwritten */
};

struct link_range {
	uint64_t addr, n;
};

/* What the stub of an unwinder says that it is, where others name their site. */
enum link_unwind { LINK_UNWIND_BEGINS, LINK_UNWIND_FORCED, LINK_UNWIND_CAUGHT };

/*
 * Bytes at addr become others: n of them, offset 0 is an instruction's begin both before and after. `boundary`: bit i is set where
 * a thread may stand at addr + i, or come back to, in the code before or after: while the bytes change, it is sent to target[i].
 */
#define LINK_RANK_LAST 255u /* of what unwinders need: taken out when no frame is watched any more */
struct link_patch {
	uint64_t addr;
	uint64_t target[LINK_PATCH_BYTES]; /* 0: leave it there (the instruction begins there before and after) */
	uint8_t before[LINK_PATCH_BYTES], after[LINK_PATCH_BYTES];
	uint8_t n, boundary, lasts, rank; /* lasts: it is an insertion, to be undone at the end, of higher rank later */
	uint32_t
		entered; /* link_ring.entered, when it was looked for threads that block SIGTRAP: -EAGAIN when another one has begun to */
};

/* ---- programs ---- */

enum link_when { LINK_ENTRY, LINK_EXIT, LINK_WHENS };

/*
 * Instructions work on an accumulator of 64 bits and a list of arguments. `put`: what the accumulator then holds is the event's next
 * attribute. `size`, where it counts: 1, 2, 4, 8 bytes, the rest zero- or (sign) sign-extended.
 */
enum link_opcode {
	LINK_OP_END,
	LINK_OP_INT,      /* acc = integer register, size: index 0..5 the ABI's parameters, 6 rax, 7 rdx (at the exit: results) */
	LINK_OP_KEPT,     /* acc = integer parameter, size, as it was at entry */
	LINK_OP_KEPT_XMM, /* acc = low 64 bits of xmm register index, as it was at entry */
	LINK_OP_XMM,      /* acc = low 64 bits of xmm register index (at the exit: 0 and 1 are results) */
	LINK_OP_FRAME,    /* acc = address of the return address, + a (parameters on the stack begin at 8) */
	LINK_OP_IMM,      /* acc = a */
	LINK_OP_ADD,      /* acc += a */
	LINK_OP_SHIFT,    /* acc >>= a, then size, sign */
	LINK_OP_BITS,     /* acc = `size` bits of it, from bit a on; sign */
	LINK_OP_THREAD,   /* acc = the thread's own memory (its thread pointer) + a */
	LINK_OP_LOAD,     /* acc = size bytes at acc + a */
	LINK_OP_TEXT,     /* the string at acc, up to a bytes: a word with its length, then the bytes, padded to words */
	LINK_OP_SET_INT,  /* integer register index = acc; what it held is the old value */
	LINK_OP_SET_XMM,  /* low 64 bits of xmm register index = acc; likewise */
	LINK_OP_STORE,    /* size bytes at a = acc; likewise */
	LINK_OP_ARG,      /* acc is the next integer argument of a call */
	LINK_OP_ARG_XMM,  /* likewise a floating one */
	LINK_OP_HOLD,     /* of an action: says so (DONE), and waits for RELEASE, two seconds at most */
	LINK_OP_CALL,     /* calls the function at a with the arguments so far; acc = what it returned in rax */
	LINK_OP_EVENT, /* the hit is an event of libweft: index, enum link_event; a, its definition. Once a program; wherever it stands */
	LINK_OP_VALUE, /* acc, or what TEXT has read, is a point at the same instant: index, enum link_value; a, its definition */
	LINK_OPS
};

struct link_op {
	uint8_t op, size, index, sign, put;
	uint8_t reserved[3];
	uint64_t a;
};

/* Whether a stub has to save vector registers for it. */
static inline bool link_op_is_vector(unsigned op)
{
	return op == LINK_OP_XMM || op == LINK_OP_KEPT_XMM || op == LINK_OP_SET_XMM;
}

enum link_event { LINK_EVENT_ENTER, LINK_EVENT_LEAVE, LINK_EVENT_POINT, LINK_EVENTS };
enum link_value { LINK_VALUE_INT, LINK_VALUE_FLOAT, LINK_VALUE_DOUBLE, LINK_VALUE_TEXT, LINK_VALUES };

#define LINK_PROGRAM_OPS 96u
#define LINK_PROGRAM_VALUES 32u /* the most VALUEs of one */
#define LINK_TEXT_BYTES 256u    /* the most of a string */

enum link_site_flag {
	LINK_SITE_EVENT = 1,  /* the program makes an event, even when nothing is put into it */
	LINK_SITE_RECORD = 2, /* it makes its events by EVENT and VALUE, and none for the ring */
};

struct link_site {
	uint32_t id, when, n_ops, flags;
	uint64_t exit_stub; /* LINK_SITE: where the function returns to; 0: its exit is not watched */
};

struct link_define {
	uint32_t what, reserved; /* enum link_definition */
};
enum link_definition { LINK_DEFINE_REGION, LINK_DEFINE_TYPE, LINK_DEFINITIONS };

struct link_call {
	uint64_t function, arg[6];
	double xmm[2];
};
struct link_called {
	uint64_t rax, xmm0, ticks;
};
struct link_done {
	uint64_t old, value, ticks;
	uint32_t tid, bad; /* bad: an address could not be read or written */
};
struct link_status {
	struct link_clock clock;
	uint64_t dropped; /* events that found no room */
	uint64_t unwound; /* functions that were left without a return: by an exception, longjmp, the end of their thread */
	uint64_t full;    /* entries whose exits are not seen, as there was no memory to note them */
	uint64_t faults;  /* attributes that could not be read */
	uint64_t traps;   /* threads that were redirected */
	uint32_t blocks, patches;
};

/* ---- link_packet.c ---- */

struct link_packet {
	uint32_t n; /* bytes so far */
	bool full;  /* something did not fit */
	_Alignas(8) unsigned char at[LINK_PACKET_BYTES];
};
/* Room for a message at the end; its payload, zeroed, or NULL when the packet is full. */
void *link_packet_add(struct link_packet *p, enum link_kind kind, uint32_t tag, uint32_t bytes);
/* The message at *pos, and moves on: its head, or NULL at the end or when what is there is no message. */
struct link_head *link_packet_next(struct link_packet *p, uint32_t *pos);
static inline void *link_payload(struct link_head *h)
{
	return h + 1;
}
/* The payload when it has at least `bytes`, else NULL. */
void *link_payload_of(struct link_head *h, uint32_t bytes);
/* fd: one to send along (-1: none). 0, or a negative errno value. */
int link_packet_send(int socket, const struct link_packet *p, int fd) WEFT_MUST_CHECK;
/*
 * Waits for a packet. 1; 0 when the other side has closed; or a negative errno value (-ETIMEDOUT; timeout_ms < 0: for ever). *fd:
 * the descriptor that came along, the caller's now, or -1; NULL: none is wanted.
 */
int link_packet_receive(int socket, struct link_packet *p, int timeout_ms, int *fd) WEFT_MUST_CHECK;

#endif
