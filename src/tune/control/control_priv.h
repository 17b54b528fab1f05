/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the controller share. Lock order: processes_lock, then a process's lock;
 * up_lock is a leaf.
 */
#ifndef WEFT_TUNE_CONTROL_PRIV_H
#define WEFT_TUNE_CONTROL_PRIV_H

#include "base/atomic.h"
#include "base/vec.h"
#include "tune/wire/channel.h"
#include "control.h"
#include "point.h"
#include "probe/probe_action.h"
#include <poll.h>
#include <pthread.h>

enum { CONTROL_NAME_MAX = 600, CONTROL_WAYS = 16, CONTROL_EPOCHS = 8, CONTROL_TUNLETS = 16 };
/*
 * Room for events that are not taken: about a second's, until a collector helps the party above
 * (analyze_split.c).
 */
enum { CONTROL_KEEPS = 16 << 20 };

/* From which iteration on, by each tunlet's numbers, events of a process go which way. */
struct control_epoch {
	unsigned way;
	int64_t from[CONTROL_TUNLETS];
};

/* Which way a process's events go: control_way.c. Guarded by up_lock. */
struct control_route {
	struct control_epoch epoch[CONTROL_EPOCHS];
	unsigned n;                                                   /* the last one is for what begins now */
	int64_t seen[CONTROL_TUNLETS];                                /* the last iteration that has begun */
	int64_t gone_from[CONTROL_TUNLETS], gone_to[CONTROL_TUNLETS]; /* iterations that had begun by a way that was lost */
	uint8_t now[CONTROL_TUNLETS], newest[CONTROL_TUNLETS]; /* epochs: of the event before; the last one that was begun */
	struct weft_buf held;                                  /* messages for the last way that wait for the way before */
	bool holds, over;                                      /* over: it has ended */
	unsigned owed;                                         /* ways that still have to detach from an ended process */
};

struct control_instant {
	uint64_t ticks, ns; /* ns: monotonic */
	double rate;        /* ns of a tick, since the controller began */
};

/* An action that was done and may be undone. */
struct control_action {
	uint32_t number;
	struct probe_action action;
	char *subject, *object, *declared, *sync; /* owned */
};

/*
 * An event that was read and is not sent yet: it waits until no earlier one of another thread can
 * come.
 */
struct control_held {
	uint64_t ticks;
	struct probe_event *event; /* owned */
};

struct control_process {
	struct control *c;
	struct probe_session *s;
	uint64_t process;
	pid_t pid;
	pthread_t thread;
	int wake;             /* eventfd: there are commands */
	pthread_mutex_t lock; /* of commands, ended */
	struct weft_buf commands;
	bool ended;                  /* the thread is done, and may be joined */
	struct weft_atomic_u32 goes; /* one of the commands detaches it */
	bool over;                   /* nothing more is to be done; the thread's own, as all below */
	bool ready;                  /* it was detached */
	bool undo;                   /* actions at the end, too */
	WEFT_VEC(struct point_want *) want;
	WEFT_VEC(struct control_action *) action;
	WEFT_VEC(struct control_held) held;
	struct control_instant at;              /* near which its newest events are */
	uint64_t dropped, looked, cost_said_ns; /* dropped: events, as was said; looked: when that was looked at, in ticks */
	struct message_cost cost;
	const char *why;  /* why it is detached; "": it ended by itself */
	void *libweft;    /* of point_libweft; owned */
	void *runtime;    /* of point_runtime; owned */
	int also;         /* a descriptor of a kind of points that is read when something is there; -1: none */
	bool sought;      /* whether its own system calls it something was looked for; */
	uint64_t name_at; /* and is to be read there, while no event was sent; 0: nowhere, or it was */
	struct control_route route;
};

struct control {
	struct control_how how;
	struct channel way[CONTROL_WAYS]; /* up; [0] is there from the beginning to the end */
	pthread_mutex_t up_lock;          /* of all of them, and of processes' routes */
	pthread_cond_t let_go;            /* a route owes less */
	bool up_lost;                     /* no reader is left */
	bool undo;                        /* at the end, actions too */
	char host[65];
	pthread_mutex_t processes_lock;
	WEFT_VEC(struct control_process *) process;
	uint32_t serial;
	bool measured; /* cost of an event on this machine in ns; 0: it could not be measured */
	double entry_ns, exit_ns;
	struct weft_atomic_u32 ending;
	struct control_instant began; /* ticks are those of all processes of the machine */
	uint64_t real_0;
	pthread_t acceptor;
};

/* -- control.c -- */
/* Sends; events are gathered until control_flush. Any thread. */
void control_send(struct control *c, const struct message *m);
void control_flush(struct control *c);
uint64_t control_now(const struct control *c);                          /* on the analyzer's clock */
void control_look(const struct control *c, struct control_instant *at); /* at: now */
uint64_t control_time(const struct control *c, const struct control_instant *at, uint64_t ticks);

/* -- control_way.c -- */
void way_begin(struct control_route *r);
void way_event(struct control_process *t, const struct point_want *w, const struct message *m);
void way_lost_events(struct control_process *t, struct message *m); /* by each way that the process's events go */
/* By the way that its next event goes. */
void way_say(struct control_process *t, const struct message *m);
/* Sends its end once the messages on all other ways have arrived. */
void way_gone(struct control_process *t, const struct message *m);
/* Handles messages for the controller itself; false: the message is for its processes. */
bool way_hear(struct control *c, unsigned way, const struct message *m);
void way_lost(struct control *c, unsigned way);
/* With up_lock held. */
int way_send(struct control *c, unsigned way, const struct message *m) WEFT_MUST_CHECK;
int way_flush(struct control *c) WEFT_MUST_CHECK;
void way_poll(struct control *c, struct pollfd at[CONTROL_WAYS]);

/* -- control_process.c -- */
int control_process_start(struct control *c, struct probe_session *s, struct weft_err *err) WEFT_MUST_CHECK;
void control_process_tell(struct control_process *t, unsigned kind, const void *at, size_t n);
void control_process_free(struct control_process *t); /* joins its thread */
/* An event of a want, from whatever kind of point. value: those of its fields. */
void control_event(struct control_process *t, const struct point_want *w, struct message *m);
/* That an event is measured, or why it cannot be. */
void control_say_inserted(struct control_process *t, const struct point_want *w, bool on, uint64_t took_ns);
void control_lost(struct control_process *t); /* whether events were lost is looked at, and said: before what was read is sent */

/* -- control_describe.c: what /proc and the environment of launchers say of a process -- */
void control_describe(pid_t pid, struct message_process *out);
/* A variable of the environment that it began with; false: it has none. */
/* PVM's: says the task's id there, once it is known. */
void control_name(struct control_process *t);
bool control_environment(pid_t pid, const char *name, char *out, size_t room);

#endif
