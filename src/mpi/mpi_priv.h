/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft-mpi share. A call of MPI goes through wrap_X (mpi_wrap.c): its region is entered, its arguments lie in an
 * array of words, a hook may look at them and change them before and after the MPI library's own function; see mpi_hooks.c for which.
 *
 * Handles of MPI are words: an address with Open MPI, an int with MPICH, in the lower half of a register whose upper half is
 * anything. What else differs between the two is in struct mpi_shape.
 */
#ifndef WEFT_MPI_PRIV_H
#define WEFT_MPI_PRIV_H

#include "base/atomic.h"
#include "link/link_mpi.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <weft/record.h>

typedef intptr_t mpi_word;

/* ---- what the MPI library at hand is like (mpi_shape.c) ---- */

struct mpi_shape {
	const char *library;
	size_t handle;                     /* bytes of one in an array */
	size_t status, source, tag, error; /* bytes of a status; where its fields are */
	mpi_word status_ignore, statuses_ignore, in_place;
	int proc_null, any_source, root, in_status, class_bits; /* in_status: the class of codes that say "see the statuses" */
	int cart, graph, dist_graph;                            /* kinds of topologies */
	mpi_word world, self, comm_null, request_null, byte;
	mpi_word info_null; /* 0: children cannot be given an environment */
};
extern struct mpi_shape mpi;

enum { MPI_STATUS_MOST = 32 };

int mpi_shape_find(const struct link_calls *with);
static inline mpi_word mpi_handle(mpi_word w)
{
	return mpi.handle == 4 ? (mpi_word)(uint32_t)w : w;
}
static inline mpi_word mpi_handle_at(const void *array, size_t i)
{
	return mpi.handle == 4 ? (mpi_word)((const uint32_t *)array)[i] : ((const mpi_word *)array)[i];
}
static inline int mpi_status_int(const void *status, size_t offset)
{
	int v;
	memcpy(&v, (const char *)status + offset, sizeof v);
	return v;
}
uint64_t mpi_status_bytes(const void *status); /* received, read or written */
bool mpi_status_cancelled(const void *status);
/* Functions of the MPI library that we call ourselves, by their PMPI names. */
struct mpi_own {
	int (*Comm_size)(mpi_word, int *), (*Comm_rank)(mpi_word, int *), (*Comm_group)(mpi_word, void *);
	int (*Comm_remote_group)(mpi_word, void *), (*Comm_test_inter)(mpi_word, int *);
	int (*Comm_remote_size)(mpi_word, int *);
	int (*Group_size)(mpi_word, int *), (*Group_free)(void *);
	int (*Group_translate_ranks)(mpi_word, int, const int *, mpi_word, int *);
	int (*Type_size)(mpi_word, int *), (*Bcast)(void *, int, mpi_word, int, mpi_word);
	int (*Gather)(const void *, int, mpi_word, void *, int, mpi_word, int, mpi_word);
	int (*Scatter)(const void *, int, mpi_word, void *, int, mpi_word, int, mpi_word);
	int (*Send)(const void *, int, mpi_word, int, int, mpi_word), (*Comm_dup)(mpi_word, void *), (*Comm_free)(void *);
	int (*Recv)(void *, int, mpi_word, int, int, mpi_word, mpi_word);
	int (*Topo_test)(mpi_word, int *), (*Cartdim_get)(mpi_word, int *), (*Graph_neighbors_count)(mpi_word, int, int *);
	int (*Dist_graph_neighbors_count)(mpi_word, int *, int *, int *), (*Win_get_group)(mpi_word, void *);
	int (*Comm_get_parent)(void *), (*Info_create)(void *), (*Info_dup)(mpi_word, void *), (*Info_free)(void *);
	int (*Info_set)(mpi_word, const char *, const char *), (*Info_get)(mpi_word, const char *, int, char *, int *);
};
extern struct mpi_own mpi_own;

/* ---- one call ---- */

struct mpi_waited;
struct mpi_call {
	unsigned id;
	bool open;       /* entered and not left */
	bool left;       /* by mpi_leave_with */
	mpi_word *a;     /* its arguments */
	uint64_t began;  /* ticks */
	mpi_word status; /* the program's own, where ours stands in its place */
	union {          /* what a hook keeps from before the call until behind it */
		struct mpi_waited *waited;
		const struct mpi_comm *of;
		struct mpi_infos *infos; /* of mpi_spawn.c */
	};
	_Alignas(16) unsigned char room[MPI_STATUS_MOST];
};
struct mpi_hook {
	void (*before)(struct mpi_call *c);
	void (*after)(struct mpi_call *c, int rc);
	unsigned char poll; /* asks only (mpi_poll.h): the argument that says whether there was something; 0: does more */
	bool wide;          /* counts have 64 bits */
};
extern const struct mpi_hook mpi_hooks[LINK_MPI_CALLS];
extern weft_region mpi_region[LINK_MPI_CALLS];
extern const struct link_calls *mpi_link;

void mpi_wrap_all(void **slot);
void mpi_define(void);                                                     /* the regions */
void mpi_attr_define(weft_attr *attr, const char *name, const char *unit); /* once */
/* Messages, or other things, that the trace will not have, for want of memory. */
void mpi_lost(uint64_t n);
/*
 * The call ends with this event, of three words: both in one record, which costs little more than one of them. False: it has not, since something
 * is to stand between.
 */
bool mpi_leave_with(struct mpi_call *c, weft_comm of, uint32_t kind, const uint64_t *word);
/* A function of the program is called from inside a call, and may not return: the call ends here. */
struct mpi_call *mpi_call_raised(int code);
void mpi_call_resumed(struct mpi_call *c);

static inline int mpi_count_int(const struct mpi_call *c, unsigned at)
{
	return (int)c->a[at];
}
static inline uint64_t mpi_count(const struct mpi_call *c, mpi_word count)
{
	int64_t n = mpi_hooks[c->id].wide ? (int64_t)count : (int64_t)(int)count;
	return n > 0 ? (uint64_t)n : 0;
}
uint64_t mpi_type_size(mpi_word type);
static inline uint64_t mpi_bytes(const struct mpi_call *c, unsigned count, unsigned type)
{
	return mpi_count(c, c->a[count]) * mpi_type_size(c->a[type]);
}
/* Ours where the program wants none. */
static inline void mpi_own_status(struct mpi_call *c, unsigned at)
{
	c->status = c->a[at];
	if (c->status == mpi.status_ignore)
		c->a[at] = (mpi_word)c->room;
}

/* ---- bursts in place of calls (mpi_burst.c) ---- */

struct mpi_comm;
extern bool mpi_bursts;
void mpi_burst_define(weft_category category);
void mpi_burst_enter(struct mpi_call *c);
void mpi_burst_leave(struct mpi_call *c, int rc);
/* In place of a message, or of a collective operation: its bytes. */
void mpi_burst_sent(const struct mpi_comm *of, int to, uint64_t bytes);
void mpi_burst_received(const struct mpi_comm *of, int from, uint64_t bytes);
void mpi_burst_collected(const struct mpi_comm *of, uint64_t given, uint64_t got);
bool mpi_collective_is_of_world(const struct mpi_call *c);

/* ---- communicators (mpi_comm.c) ---- */

struct mpi_comm {
	mpi_word handle;
	weft_comm weft;
	uint64_t key;
	int rank, size, n_remote;
	int *peer;           /* of an intercommunicator: what the ranks of the other group are called in `weft`; else NULL */
	int me;              /* this process in `weft` */
	int *ranks, n_ranks; /* world ranks of its members; NULL: it is the world */
	bool foreign;        /* some are of another world: mpi_spawn.c */
	struct weft_atomic_u32 n_made, n_spawned; /* of it: communicators where it is foreign, worlds */
};
void mpi_comm_begin(void); /* MPI has begun: the world */
/* A number of the world's that all its processes share; sync points where they do not share a clock (mpi_clock.c). */
uint64_t mpi_clock_begin(int rank, int size);
struct mpi_comm *mpi_comm_of(mpi_word handle); /* NULL: none, or no memory */
void mpi_comm_gone(mpi_word handle);
int mpi_comm_peer(const struct mpi_comm *c, int rank);
/* A communicator that this process may not know yet; false: some of its members are of another world, or no memory. */
bool mpi_comm_in_world(mpi_word handle, const char *name);
bool mpi_comm_keep(struct mpi_comm *c); /* takes ownership, and false: no memory */

/* ---- worlds that were spawned (mpi_spawn.c) ---- */

struct mpi_infos {
	int n;
	mpi_word at[];
};
void mpi_spawn_begin(void); /* this world may be one */
/* An intercommunicator with another world, under a key that both sides came to; first: in front of the other side. */
void mpi_spawn_joined(mpi_word handle, uint64_t key, bool first, const char *name);
/* `from` is foreign, and this communicator was made of it, or none for this process. */
void mpi_spawn_derived(struct mpi_comm *from, mpi_word handle, mpi_word like, const char *name);
void mpi_spawn_sent(const struct mpi_comm *c, int to, int tag, uint64_t bytes, uint64_t began);
void mpi_spawn_received(const struct mpi_comm *c, int from, int tag, uint64_t bytes, uint64_t posted);

/* ---- performance variables (mpi_pvar.c) ---- */

extern bool mpi_pvars_on; /* there are some */
void mpi_pvars_begin(void);
void mpi_pvars_read(void);
void mpi_pvars_end(void);

/* ---- requests (mpi_request.c) ---- */

enum mpi_request_kind {
	MPI_REQ_NONE,
	MPI_REQ_MESSAGE, /* a message that was probed, until it is received */
	MPI_REQ_FILE,    /* an open file */
	MPI_REQ_RECV,
	MPI_REQ_EXCHANGE, /* a receive whose status says nothing: MPICH 4.0's Isendrecv */
	MPI_REQ_COLLECTIVE,
	MPI_REQ_SEND_PERSISTENT, /* from here on they stay when they are complete */
	MPI_REQ_RECV_PERSISTENT,
	MPI_REQ_COLLECTIVE_PERSISTENT
};
struct mpi_request {
	mpi_word handle;
	const struct mpi_comm *of;
	uint64_t bytes, received, posted; /* of a file: `bytes` is its name's string */
	int peer, tag;                    /* of a collective: root and operation */
	uint8_t kind;
	bool active;
};
void mpi_request_put(const struct mpi_request *r);
bool mpi_request_take(mpi_word handle, struct mpi_request *out); /* it is not in the table any more */
bool mpi_request_copy(mpi_word handle, struct mpi_request *out);
/* A persistent one begins: what it was posted as. */
bool mpi_request_start(mpi_word handle, uint64_t began, struct mpi_request *out);
/* The handle is one of ours no more, if it was. */
void mpi_request_forget(mpi_word handle);

extern bool mpi_one_thread; /* at a time: the level that MPI was begun with says so */
extern bool mpi_callers_asked;
extern bool mpi_polls_quick; /* those in vain need nothing that is done for other calls */
/* Of a call that completes requests. A thread is in one at a time, and keeps the room for the next. */
struct mpi_waited {
	unsigned n, room;
	bool later;                  /* the requests are not taken yet, only their handles noted */
	const unsigned char *status; /* the program's, or ours */
	unsigned char *own;          /* statuses, as many as requests */
	void *noted;                 /* handles, as the program has them */
	struct mpi_request request[];
};
extern __thread struct mpi_waited *mpi_waited_here __attribute__((tls_model("initial-exec")));
void mpi_complete(const struct mpi_request *r, const void *status);
void mpi_started(const struct mpi_call *c, mpi_word handle);

/* ---- hooks: which calls they stand for says mpi_hooks.c ---- */

#define MPI_HOOK(name) void mpi_before_##name(struct mpi_call *c)
#define MPI_AFTER(name) void mpi_after_##name(struct mpi_call *c, int rc)
MPI_AFTER(init);
MPI_HOOK(finalize);
MPI_HOOK(handler);
/* mpi_message.c */
MPI_AFTER(send);
MPI_HOOK(recv);
MPI_AFTER(recv);
MPI_HOOK(sendrecv);
MPI_AFTER(sendrecv);
MPI_HOOK(replace);
MPI_AFTER(replace);
MPI_AFTER(isend);
MPI_AFTER(irecv);
MPI_AFTER(isendrecv);
MPI_AFTER(isendrecv_replace);
MPI_AFTER(send_init);
MPI_AFTER(recv_init);
MPI_AFTER(psend_init);
MPI_AFTER(precv_init);
MPI_AFTER(mprobe);
MPI_AFTER(improbe);
MPI_HOOK(mrecv);
MPI_AFTER(mrecv);
MPI_HOOK(imrecv);
MPI_AFTER(imrecv);
MPI_AFTER(start);
MPI_AFTER(startall);
MPI_HOOK(free);
MPI_HOOK(wait);
MPI_AFTER(wait);
MPI_AFTER(new_comm);
MPI_HOOK(comm_free);
MPI_HOOK(spawn);
MPI_AFTER(spawn);
MPI_AFTER(port);
MPI_AFTER(join);
MPI_AFTER(comm_name);
MPI_AFTER(collective);
MPI_HOOK(window);
MPI_AFTER(file_open);
MPI_HOOK(file_close);
MPI_HOOK(file);
MPI_AFTER(file);

#endif
