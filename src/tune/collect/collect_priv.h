/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the collector share.
 *
 *     collect.c         the loop; whom it listens to; its end; when what is above is gone
 *     collect_route.c   messages: up and down, and which process is reached how
 *     collect_peer.c    a neighbour, by a stream of this machine or by a wire
 *     collect_grow.c    collectors that are added and taken away while the run goes on
 *     collect_level.c   a level of them, likewise
 */
#ifndef WEFT_TUNE_COLLECT_PRIV_H
#define WEFT_TUNE_COLLECT_PRIV_H

#include "tune/wire/channel.h"
#include "collect.h"
#include "collect_fold.h"
#include "base/map.h"
#include "base/vec.h"
#include <sys/types.h>

enum { COLLECT_NOBODY = -1 };

struct peer {
	struct channel c;               /* or: */
	struct weft_wire *w;            /* owned */
	struct weft_buf bytes;          /* of the message that goes by it */
	bool alive, collector, drained; /* drained: it has said its last, but for answers */
	uint32_t id;                    /* of those below: never used again */
	uint64_t dropped;               /* events that it did not take in time */
	uint64_t began_ns, processes;   /* since when it is there; how many processes it has said to be there */
	struct weft_buf fold;           /* of one below, as it comes; of this tunlet: */
	uint32_t fold_of;
	const char *over; /* it says too much, and is let go: of what; or NULL */
	bool ready;       /* a collector: it can fold */
	/* of a leaf: */
	pid_t pid;             /* 0: it is none */
	uint32_t number;       /* in the run */
	bool leaving, told_to; /* it is to go; and has been told, when it had no process any more */
	/* of one between this and those of hosts: */
	pid_t between;        /* 0: it is none */
	struct weft_buf kept; /* what it would have been told since it was told to go */
	uint32_t handed_by;   /* of a host's: id of the one between that has handed it over; */
	bool rests;           /* and is still handing others over: this is not heard until then */
};

struct collect_binding {
	bool bound;
	uint32_t actor;
	int64_t id;
	struct collect_heard passed; /* of its events that went up before it was bound */
};

struct collect_process {
	uint64_t process;
	uint32_t by;        /* id of the peer */
	uint64_t orphan_ns; /* since when there is no way to it; 0: there is */
	bool left;          /* its next iterations go another way: nothing of them will come here */
	struct collect_binding tunlet[COLLECT_TUNLETS];
};

struct collect_tunlet {
	struct weft_buf text; /* as it comes */
	char *name;           /* owned */
	struct weft_spec *s;
	struct folder *f;
	uint64_t began;
	double per_unit;
	bool passes; /* what is folded goes up, too */
	struct collect *c;
	uint32_t number;
	bool ends;            /* there were: */
	int64_t ended, asked; /* the last iteration whose end went up, and the last one that was asked for or closed */
};

struct collect {
	struct collect_how how;
	struct peer up;
	struct weft_wire_listener *listener;
	WEFT_VEC(struct peer *) below;
	WEFT_VEC(struct collect_process) process;
	struct weft_map by_process;
	struct collect_tunlet tunlet[COLLECT_TUNLETS];
	struct weft_buf backlog;     /* what a collector that comes later must hear, encoded: kind (1), length (4), bytes */
	char above[WIRE_PEER_BYTES]; /* whom to turn to */
	struct follow follow;
	uint64_t real_0, mono_0, ping_ns, began_ns;
	uint32_t ids;
	bool ending, over, more; /* more: something that was read waits to be heard */
	uint64_t end_ns;
	struct message *in; /* room for one */
	/* growing: */
	uint32_t wanted, leaves; /* how many are to share; how many leaves there ever were */
	bool uneven, leaving;    /* leaving: of a leaf, it is to go */
	bool orphans;            /* some processes are */
	bool told_controller, said_end;
	bool told, timed,
		works; /* those above have said all that there was to say; and what time it is; and were told that it works */
	uint64_t events, load_ns, asked_ns; /* asked_ns: when somebody above asked for something last */
	bool ahead;                         /* of those: controllers are not heard */
	bool joins, bound;                  /* it was put between while the run went on; some process's actor was said */
	uint32_t level, level_of; /* how many there are to be between this one and those of hosts; for how many that was done */
	WEFT_VEC(pid_t) ended;    /* leaves that were let go of */
};

/* -- collect_peer.c -- */
int peer_send(struct peer *p, const struct message *m);
int peer_flush(struct peer *p);
int peer_fill(struct peer *p);
int peer_next(struct peer *p, struct message *out); /* 1, 0, or it ended */
int peer_fd(const struct peer *p);
short peer_events(const struct peer *p);
void peer_end(struct peer *p);

/* -- collect_route.c -- */
/* The tunlets of a collector that this process was, before it was forked. */
int route_join(struct collect *c, struct weft_err *err) WEFT_MUST_CHECK; /* how.joins */
int route_inherit(struct collect *c, const struct collect *from, struct weft_err *err) WEFT_MUST_CHECK;
void route_up(struct collect *c, struct peer *from, struct message *m);
void route_down(struct collect *c, const struct message *m);
struct collect_process *route_process(struct collect *c, uint64_t process);
struct collect_process *route_add_process(struct collect *c, uint64_t process,
                                          uint32_t by); /* or it is reached by another way now; NULL: no memory */
void route_forget(struct collect *c, uint64_t process);
void route_ended(struct collect *c, const struct collect_process *t); /* of what is folded here of it nothing will come */
void route_to_process(struct collect *c, uint64_t process, const struct message *m);
void route_send_up(struct collect *c, const struct message *m);
void route_can_fold(struct collect *c, struct peer *p); /* a collector below has all tunlets */
/* Something below is gone; it is still in the list. */
void route_lost(struct collect *c, const struct peer *p);
void route_orphans(struct collect *c); /* whose time is up */
/* What is above is another: it hears of our processes. */
void route_moved(struct collect *c);
void route_flush(struct collect *c);
void route_fini(struct collect *c);

/* -- collect_grow.c -- */
void grow_look(struct collect *c);                                          /* once a round */
void grow_send_load(struct collect *c, bool now);                           /* when it is time */
bool grow_up_left(struct collect *c, struct peer *from, struct message *m); /* for route_up's table */
bool grow_up_load(struct collect *c, struct peer *from, struct message *m);
void grow_down_grow(struct collect *c, const struct message *m); /* and for route_down's */
void grow_down_here(struct collect *c, const struct message *m);
void grow_down_leave(struct collect *c, const struct message *m);
void grow_lost(struct collect *c, const struct peer *leaf);
void grow_fini(struct collect *c);

/* -- collect_level.c -- */
void level_look(struct collect *c); /* once a round */
uint32_t level_count(const struct collect *c);
bool level_up_hand(struct collect *c, struct peer *from, struct message *m); /* for route_up's table */
bool level_up_move(struct collect *c, struct peer *from, struct message *m);
void level_down_level(struct collect *c, const struct message *m);
int level_keep(struct peer *p, const struct message *m) WEFT_MUST_CHECK;
void level_leave(struct collect *c); /* this one is between others, and is to go */
void level_lost(struct collect *c, struct peer *p);

/* -- collect.c -- */
void collect_serve(struct collect *c); /* until the run is over */
int collect_add_below(struct collect *c, int fd, struct weft_wire *w, struct peer **out) WEFT_MUST_CHECK;
void collect_drop_below(struct collect *c, size_t i);
uint64_t collect_clock(const struct collect *c); /* this host's */
void collect_log(struct collect *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

#endif
