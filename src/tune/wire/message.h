/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between controllers, collectors and the analyzer. A controller knows nothing of tunlets:
 * it gets requests for events and actions of processes; the analyzer knows nothing of machine code.
 *
 *     controller  --- HELLO  PROCESS  NAMED  GONE  INSERTED  EVENT  LOST  ACTED  COST --------->  analyzer
 *                 <-- WANT  UNWANT  READY  ACT  UNDO  DETACH  END ----------------------
 *     collector   --- all of these, FOLDED  HERE  PING (CLOCK)  LOAD -------------------->  collector or analyzer
 *                 <-- all of these, SPEC  BIND  CLOSE  LOST  ABOVE  CLOCK  GROW  LEVEL --
 *
 * A controller has several ways up while collectors of its host share its processes
 * (collect_grow.c):
 *     controller  --- LEFT  END ------------------------------------------------------->  collector
 *                 <-- WAY  MOVE  GO  LEAVE -----------------------------------------
 *
 * A collector between others, which goes, gives its connections back (collect_level.c): HAND  MOVE  END, after LEAVE.
 *
 * A message is a kind and its fields, declared once in the table of message.c; encoded, it is bytes
 * without its length, which the transport knows. Numbers are little-endian. Decoding trusts
 * nothing: every length is checked, texts end within the message, and what follows the last known
 * field is ignored (a later version's).
 *
 * A process is a process: its number is (controller << 32 | serial), unique in a run. Times are
 * nanoseconds of the analyzer's clock since the epoch, corrected where they are made. Texts are
 * never NULL; in decoded messages they borrow from the bytes.
 */
#ifndef WEFT_TUNE_MESSAGE_H
#define WEFT_TUNE_MESSAGE_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	MESSAGE_VERSION = 2,
	MESSAGE_BYTES_MAX = 64 * 1024, /* of one encoded message */
	MESSAGE_VALUES = 64,           /* of an event, or arguments of an action */
};

enum message_kind {
	MESSAGE_NONE,
	/* from a controller */
	MESSAGE_HELLO,
	MESSAGE_PROCESS,
	MESSAGE_GONE,
	MESSAGE_INSERTED,
	MESSAGE_EVENT,
	MESSAGE_LOST,
	MESSAGE_ACTED,
	MESSAGE_COST,
	MESSAGE_CLOCK,
	MESSAGE_FOLDED,
	MESSAGE_HERE,
	MESSAGE_LOAD,
	MESSAGE_LEFT,
	MESSAGE_HAND,
	MESSAGE_NAMED,
	/* to a controller */
	MESSAGE_WANT,
	MESSAGE_UNWANT,
	MESSAGE_READY,
	MESSAGE_ACT,
	MESSAGE_UNDO,
	MESSAGE_DETACH,
	MESSAGE_END,
	MESSAGE_PING,
	MESSAGE_WAY,
	MESSAGE_MOVE,
	MESSAGE_GO,
	MESSAGE_LEAVE,
	/* to a collector */
	MESSAGE_SPEC,
	MESSAGE_BIND,
	MESSAGE_CLOSE,
	MESSAGE_ABOVE,
	MESSAGE_GROW,
	MESSAGE_LEVEL,
	MESSAGE_KINDS
};

enum message_value_kind { MESSAGE_ABSENT, MESSAGE_INT, MESSAGE_REAL, MESSAGE_TEXT };

struct message_value {
	uint8_t kind;
	int64_t i;
	double d;
	const char *s;
};

/* Where an attribute of an event comes from; as in a specification. */
enum message_source { MESSAGE_VARIABLE, MESSAGE_PARAMETER, MESSAGE_POINTED, MESSAGE_RESULT, MESSAGE_CONSTANT, MESSAGE_SOURCES };

struct message_field {
	uint8_t source;
	const char *name; /* "nw", "p->count[2]", "$1"; of a constant, its text */
	const char *type; /* as declared: "int"… */
};

/* A controller (or a collector, for those below it) begins. */
struct message_hello {
	uint32_t version, controller;
	uint64_t time;
	const char *host;
	bool collector;
};

enum message_how { MESSAGE_STARTED, MESSAGE_ATTACHED };

/* A process has appeared; it waits until READY when it was started. */
struct message_process {
	uint64_t process, time;
	uint32_t pid, parent;
	int64_t rank; /* in its parallel program; -1: none */
	int64_t size;
	uint8_t how; /* enum message_how */
	const char *host, *exe;
};

/*
 * The process's id in its own system is known now (PVM's process id), and is its id from now on. No
 * event of it was sent before.
 */
struct message_named {
	uint64_t process;
	int64_t id;
};

struct message_gone {
	uint64_t process, time;
	const char *why; /* "": it ended */
};

/* The outcome of a WANT (on) or an UNWANT (not on). rc 0: done; `text` then is a remark, or "". */
struct message_inserted {
	uint64_t process;
	uint32_t event;
	bool on, traps;
	int32_t rc;
	uint64_t took_ns;
	const char *text;
};

struct message_event {
	uint64_t process, time;
	uint32_t event, tid; /* event: the number that WANT gave it */
	bool incomplete;     /* something could not be read, and is absent */
	bool folded;         /* collectors have made of it what they can */
	uint32_t n;
	struct message_value value[MESSAGE_VALUES];
};

/*
 * Events of the process were lost after `since`, until `time`; sent before the events that
 * followed. again: sent by another way, too.
 */
struct message_lost {
	uint64_t process, time, count, since;
	bool again;
};

/* The outcome of an ACT (or an UNDO). */
struct message_acted {
	uint64_t process, time; /* time: when it was in force */
	uint32_t action, tid;
	bool undo;
	int32_t rc;
	struct message_value old, value;
	uint64_t took_ns; /* from the controller's hearing of it */
	const char *text;
};

/* The cost of measuring in a process so far. */
struct message_cost {
	uint64_t process, time;
	bool alive;                                 /* it was known to be alive at that time */
	uint64_t hits, traps;                       /* events made; those of them by a trap */
	uint64_t inserted, acts;                    /* probes, actions */
	uint64_t insert_ns, act_ns;                 /* time in which the program's code was being changed */
	uint64_t cpu_ns;                            /* of the whole process, so far */
	uint64_t controller_cpu_ns, controller_rss; /* of the controller, all its processes together */
	uint64_t prepare_ns;                        /* names looked up, before that: it waits then when it was just started */
	uint64_t exits;                             /* of the events: those at exits */
	double entry_ns, exit_ns;                   /* measured cost of one event there; 0: not measured */
};

/*
 * Answer to PING: a four-time exchange between neighbours, asked by the lower. sent, as PING had
 * it; received and answered in the analyzer's time, as the upper knows it.
 */
struct message_clock {
	uint64_t sent, received, answered;
	int64_t offset_ns; /* said upwards, for the report: what is being applied below */
	double drift;
	uint32_t controller;
};

/*
 * A fold of a tunlet (fold.h), as bytes; a long one comes in pieces, all but the last with `more`.
 */
struct message_folded {
	uint64_t time;
	uint32_t tunlet;
	bool more;
	const void *bytes;
	uint32_t n;
};

/*
 * A process is reached by this way from now on: its collector has a new one above it, or
 * (downwards) it will be reached by the receiving collector.
 */
struct message_here {
	uint64_t process;
};

/*
 * The load of a collector; all counts are since it began. `of`: the collector that has begun it, or
 * itself.
 */
struct message_load {
	uint64_t time, events, cpu_ns, delay_ns; /* delay_ns: that it could run, but was not let */
	uint32_t collector, of;
	uint32_t processes, leaves, queued; /* queued: bytes that wait to go up */
	uint32_t between;                   /* collectors between it and those of hosts */
	bool gone, is_between;              /* it has ended; it is one of those */
	const char *host;
};

/*
 * On the way by which this message comes: no later iteration of the process will come (MOVED);
 * messages by another way are of later ones (TURNED); it has ended (ENDED).
 */
enum message_leaving { MESSAGE_MOVED, MESSAGE_TURNED, MESSAGE_ENDED };
struct message_left {
	uint64_t process;
	uint8_t how;
};

/* Begin to measure an event: a function's entry or exit, in one process. */
struct message_want {
	uint64_t process;
	uint32_t event;
	bool at_exit;
	const char *function; /* without a class */
	const char *classes;  /* "A,B": tried as A::function first; also for variables. "": none */
	uint32_t n;
	struct message_field field[MESSAGE_VALUES];
	uint32_t iteration; /* 1 + the field that says the iteration; 0: none does */
};

struct message_unwant {
	uint64_t process;
	uint32_t event;
};

/* The process may go on (into main). */
/* Said again, it asks whether the process is alive: COST is the answer. */
struct message_ready {
	uint64_t process;
};

/*
 * kind: as enum spec_kind, in the order of the thesis: variable, replace, insert, remove, once,
 * parameter, library.
 */
struct message_act {
	uint64_t process;
	uint32_t action; /* number for ACTED and UNDO */
	uint8_t kind;
	bool at_exit;   /* of an inserted call */
	bool wants_old; /* of a changed parameter */
	bool sync_at_exit;
	uint32_t timeout_ms;
	const char *subject, *object; /* as in struct probe_action; "": none */
	const char *classes, *declared, *sync;
	uint32_t n;
	struct message_value argument[MESSAGE_VALUES];
};

struct message_undo {
	uint64_t process;
	uint32_t action;
};

/*
 * Takes everything out of a process and lets it be; or with process 0, out of all that a controller
 * has.
 */
struct message_detach {
	uint64_t process;
	bool undo; /* actions, too */
};

struct message_end { /* the run is over: detach all, report the cost, and end */
	bool undo;
};

struct message_ping {
	uint64_t sent;
};

/* Another way up comes with this message, as a descriptor (channel.h). */
struct message_way {
	uint32_t collector; /* to which it leads */
};

/*
 * Iterations of the process that have not begun yet are sent up by the way on which this comes; or
 * the messages that waited for that may be sent.
 */
struct message_move {
	uint64_t process;
};

/* The number of collectors that are to share one's load. */
struct message_grow {
	uint32_t collector, n;
};

/* The number of collectors that are to stand between the first one and those of hosts. */
struct message_level {
	uint32_t n;
};

/*
 * A collector between others leaves: with this message comes one of its connections, as a
 * descriptor and its state; MOVE for each process below it follows.
 */
struct message_hand {
	const void *bytes;
	uint32_t n;
};

/*
 * A tunlet that collectors fold. Times of its events are (time - began) / per_unit. A long text
 * comes in pieces.
 */
struct message_spec {
	uint32_t tunlet;
	uint64_t began;
	double per_unit;
	const char *name;
	bool more;
	const void *bytes;
	uint32_t n;
	bool passes; /* all events are wanted above, too: a trace keeps them */
};

/*
 * Which actor of a tunlet a process is, and by which id; from its first iteration on of which
 * nothing has passed yet.
 */
struct message_bind {
	uint64_t process;
	uint32_t tunlet, actor;
	int64_t id;
};

/*
 * Asks for the fold of an iteration; or closes the iteration; or all of them, since their numbers
 * come again.
 */
enum message_closing { MESSAGE_ASK, MESSAGE_ASK_ALL, MESSAGE_CLOSED, MESSAGE_ANEW };
struct message_close {
	uint32_t tunlet;
	uint8_t how;
	int64_t iteration;
};

/* The address to reconnect to when the party above is gone; "": none. */
struct message_above {
	const char *address;
};

struct message {
	enum message_kind kind;
	union {
		struct message_hello hello;
		struct message_process process;
		struct message_gone gone;
		struct message_named named;
		struct message_inserted inserted;
		struct message_event event;
		struct message_lost lost;
		struct message_acted acted;
		struct message_cost cost;
		struct message_clock clock;
		struct message_folded folded;
		struct message_here here;
		struct message_load load;
		struct message_left left;
		struct message_way way;
		struct message_move move, go;
		struct message_grow grow;
		struct message_level level;
		struct message_hand hand;
		struct message_spec spec;
		struct message_bind bind;
		struct message_close close;
		struct message_above above;
		struct message_want want;
		struct message_unwant unwant;
		struct message_ready ready;
		struct message_act act;
		struct message_undo undo;
		struct message_detach detach;
		struct message_end end;
		struct message_ping ping;
	};
};

/*
 * Appends the fields of m (not its kind). 0; -ENOMEM; -EMSGSIZE when it is longer than
 * MESSAGE_BYTES_MAX, and nothing is added.
 */
int message_encode(const struct message *m, struct weft_buf *out) WEFT_MUST_CHECK;
/* *out borrows its texts from `at`, which it may not outlive. 0, or WEFT_E_SYNTAX. */
int message_decode(unsigned kind, const void *at, size_t n, struct message *out) WEFT_MUST_CHECK;
const char *message_name(unsigned kind); /* "event"; "?" for none */
/* The process that a message is about; 0: none. */
uint64_t message_process_of(const struct message *m);

#endif
