/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes and actions in a live process: the controller's side.
 *
 *     probe_listen → a folder; start programs with LD_PRELOAD=libweft-agent.so and LINK_ENVIRONMENT, or probe_inject one that runs
 *     probe_accept → a session for each process; probe_insert and the actions; probe_go lets it enter main
 *     probe_next   → its events;  probe_close → takes everything out
 *
 * A session belongs to one thread at a time. Names are found as in probe_image_find; every function
 * that fails says why, for people.
 */
#ifndef WEFT_PROBE_H
#define WEFT_PROBE_H

#include "base/err.h"
#include "link/link_proto.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_session;
struct probe_image;

/* ---- sessions ---- */

/*
 * Where agents connect: a folder with a socket in it, whose name is theirs to know
 * (LINK_ENVIRONMENT). Agents of one user are taken on, this one or `uid`, which only root may ask
 * for. `everywhere`: the same path has to do on other hosts; `folder`: as another host of the run
 * has named it.
 */
#define PROBE_LISTEN_ROOM 108u
struct probe_listener;
struct probe_listen_how {
	bool everywhere, other;
	uid_t uid;          /* with `other` */
	const char *folder; /* or NULL */
};
/* how NULL: of this user, on this host. The listener is the caller's, its folder gone with it. */
int probe_listen(struct probe_listener **out, const struct probe_listen_how *how, struct weft_err *err) WEFT_MUST_CHECK;
/* The folder; borrows from the listener. */
const char *probe_listener_name(const struct probe_listener *l);
/* For poll: POLLIN when probe_accept has something to do, which need not be a whole process. */
int probe_listener_fd(const struct probe_listener *l);
/* Closes its descriptors and leaves the folder: another process of ours listens on. */
void probe_listener_leave(struct probe_listener *l);
/* Closes, and removes the folder. NULL is fine. */
void probe_listener_free(struct probe_listener *l);
/*
 * The next process whose agent has said who it is and that it knows the run's secret; nobody else
 * holds it up. -ETIMEDOUT: nobody has in timeout_ms (0: none so far).
 */
int probe_accept(struct probe_listener *l, int timeout_ms, struct probe_session **out, struct weft_err *err) WEFT_MUST_CHECK;

/* Connections that did not become a session, so far. */
struct probe_refused {
	unsigned foreign;   /* of other users */
	unsigned silent;    /* said nothing in time */
	unsigned unfit;     /* are no agents of this run */
	unsigned unwatched; /* processes that could not connect in time, and run on without probes */
};
/* Borrows from the listener. */
const struct probe_refused *probe_refused(struct probe_listener *l);
/*
 * Whether the agent may be loaded into a running process: it is of one user in all ways, *uid, and
 * we may trace it.
 */
int probe_may_attach(pid_t pid, uid_t *uid, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Loads the agent into a process that runs, and lets it connect to the listener of that name. Its
 * threads go on meanwhile but one, which is stopped at a safe point and makes the call. Then
 * probe_accept.
 */
int probe_inject(pid_t pid, const char *agent_path, const char *name, int timeout_ms, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * It may enter main. Processes that it makes connect, too, and wait for probe_accept up to 5 s;
 * unless it goes alone.
 */
int probe_go(struct probe_session *s) WEFT_MUST_CHECK;
int probe_go_alone(struct probe_session *s) WEFT_MUST_CHECK;
/* Takes everything out; the session can still read memory and the events that are left. */
int probe_detach(struct probe_session *s) WEFT_MUST_CHECK;
/* Takes everything out, if the process is still there, and forgets the session. */
void probe_close(struct probe_session *s);
/* The same without a word to the process, as if this one had been killed. */
void probe_abandon(struct probe_session *s);

/*
 * Called every few milliseconds while an action waits for a thread; it may read events, and do
 * nothing else with the session. NULL: nothing. False: it waits no longer, as if its time were
 * over.
 */
void probe_meanwhile(struct probe_session *s, bool (*call)(void *ctx), void *ctx);
pid_t probe_pid(const struct probe_session *s);
/* For poll: POLLHUP when the process is gone. Nothing else may be done with it. */
int probe_socket(const struct probe_session *s);
const struct link_hello *probe_hello(const struct probe_session *s);
int probe_status(struct probe_session *s, struct link_status *out) WEFT_MUST_CHECK;

/* ---- probes ---- */

enum probe_kind { PROBE_COUNT = 1, PROBE_ENTRY = 2, PROBE_EXIT = 4 };

/* Instructions that make a value, and perhaps do something with it. */
struct probe_program {
	const struct link_op *op;
	unsigned n;
};

#define PROBE_CLONES 8u

struct probe_found;
struct probe_request {
	const char *function;
	const struct probe_found *found;          /* which one that is, where the name alone does not say; or NULL */
	unsigned kinds;                           /* ENTRY and EXIT make events */
	struct probe_program program[LINK_WHENS]; /* what is put into them */
	/* What came of it: */
	int rc;
	struct weft_err err; /* also when rc is 0: what should be known, as a remark */
	uint32_t site[PROBE_CLONES];
	unsigned n_sites;
	uint32_t owner;
	bool traps;    /* by int3: slow */
	bool recorded; /* to be set: its events are EVENTs and VALUEs of its programs (probe_record), and none comes by probe_next */
};

/* All of them at once: 0, or the first failure; those that did not fail are in. */
int probe_insert(struct probe_session *s, struct probe_request *r, unsigned n) WEFT_MUST_CHECK;
int probe_remove(struct probe_session *s, struct probe_request *r, unsigned n) WEFT_MUST_CHECK;
/* How long code was being changed, so far; names are looked up before that. */
uint64_t probe_changing_ns(const struct probe_session *s);
/* Entries of the request's function since it was first counted. */
int probe_counted(struct probe_session *s, const struct probe_request *r, uint64_t *out) WEFT_MUST_CHECK;

enum { PROBE_LOST = LINK_WHENS };

struct probe_event {
	uint64_t ticks;
	uint32_t site, tid, when, n; /* when: enum link_when; or PROBE_LOST: no event, and n is 0 */
	uint64_t lost, until;        /* of PROBE_LOST: how many events of this thread were lost here, between ticks and until */
	bool incomplete;             /* something could not be read, and is 0 */
	bool left; /* the exit of a function that did not return: by an exception, longjmp, or the end of its thread */
	uint64_t value[64];
};
/* The next event of any thread (a thread's are in order); false: there is none now. */
bool probe_next(struct probe_session *s, struct probe_event *out);
uint64_t probe_lost(const struct probe_session *s);    /* rings that were found damaged */
uint64_t probe_dropped(const struct probe_session *s); /* events that found their ring full; also when the process is gone */
/*
 * A thread whose ring is full (2 MB of events that nobody has read) waits until half of it is read,
 * a second at most; else its events are lost, which is how a session begins. Who asks for it must
 * read often.
 */
void probe_when_full(struct probe_session *s, bool waits);

/* ---- recording in the process ---- */

/*
 * From here on the process writes what `recorded` requests say into a stream of its own, with
 * libweft: the one that it has, or ours. `directory`: the trace, where the process has none by
 * itself. Once such a probe is in and it may enter main, it needs no controller any more: probes
 * stay when the session is abandoned, and children of fork() have them, too.
 */
int probe_record(struct probe_session *s, const char *directory, struct weft_err *err) WEFT_MUST_CHECK;
/* A process that records takes samples, as `settings` says (WEFT_SAMPLE); "": looks for new threads; "0": ends that. */
int probe_sample(struct probe_session *s, const char *settings, struct weft_err *err) WEFT_MUST_CHECK;
/* What EVENT and VALUE of a program are to hold: a region or type of that name. */
int probe_define(struct probe_session *s, enum link_definition what, const char *name, uint64_t *out,
                 struct weft_err *err) WEFT_MUST_CHECK;

/* What an event at an entry and at an exit costs in that process, measured there in some 0.3 ms. */
int probe_measure(struct probe_session *s, double *entry_ns, double *exit_ns) WEFT_MUST_CHECK;

/* ---- memory ---- */

int probe_read(struct probe_session *s, uint64_t addr, void *to, size_t n) WEFT_MUST_CHECK;
int probe_write(struct probe_session *s, uint64_t addr, const void *from, size_t n) WEFT_MUST_CHECK;

/* Where something of that name is in the process, and the image that it comes from. */
struct probe_found {
	struct probe_image *image; /* the session's */
	uint64_t bias, addr, size; /* addr: in the process */
	const char *symbol;
	const char *stands_for; /* the function of which this is the variant that was chosen when the program began; or NULL */
	const char *file;       /* of its source, where the symbol table says that; or NULL */
	uint8_t clone;
	bool local; /* of one file: who calls it need not keep to the convention */
	bool thread,
		executable;  /* a variable of each thread (addr: bias and its place there); of the executable, not of a library */
	const uint8_t *code; /* of a function, as it was a moment ago; NULL: nobody has read it yet */
};
/* All of them, in *out, which is the caller's; their number, or a reason. */
int probe_find_all(struct probe_session *s, const char *name, bool data, struct probe_found **out,
                   struct weft_err *err) WEFT_MUST_CHECK;
/* Up to PROBE_CLONES of them; their number, or a reason. */
int probe_find(struct probe_session *s, const char *name, bool data, struct probe_found *out,
               struct weft_err *err) WEFT_MUST_CHECK;

#endif
